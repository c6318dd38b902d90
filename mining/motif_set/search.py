"""The search for the few motifs that shorten the description of one graph most.

It must find short sets, and is no part of their definition: every set is judged by its length.

1. Structures are proposed and all their copies listed, see ``proposals.py``.
2. Greedy: the motif and the copies of it that save most, divided by their edges to the power of an
   exponent, join the set, until none saves anything. With 0 few large motifs are found, with 1
   dense ones; with each exponent once, and the shortest set is kept.
3. Rounds: more structures are proposed in what is left; each motif in turn is dropped, alone or
   with its neighbours, and the gap is filled again; what gets shorter is kept.

The work is bounded by numbers of sets, copies, steps and rounds, so that the same seed gives the
same set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mining.mined_graph import MinedGraph
from mining.motif_set.code_length import GraphCode
from mining.motif_set.coded_graph import CodedGraph
from mining.motif_set.coded_set import CodedMotif, CodedSet
from mining.motif_set.cover import Cover, Taken
from mining.motif_set.listed_copies import Left, ListedCopies, Prefix
from mining.motif_set.proposals import MOST_AGAIN, MOST_STRUCTURES, Proposals
from mining.pattern import Pattern

# a set that saves less is not reported
LEAST_SAVED = 10.0
_MOST_ROUNDS, _ROUNDS_OF_GROWTH, _LEAST_OF_ROUND = 6, 3, 0.5
# motifs whose length is computed at each step, the most promising ones
_VERIFIED = 4
# lengths that differ by less are equal, to so many decimals
_EQUAL, _DECIMALS = 1e-6, 6
# what a motif saves is at most so much more than in the empty graph, by exponent
_MORE, _MUCH_MORE = 1.2, 10.0


def _never() -> bool:
    return False


class _Search:
    """The search in one base, from one start."""

    def __init__(
        self, code: GraphCode, sizes: range, seed: int, is_over: Callable[[], bool]
    ) -> None:
        self.code, self.sizes, self.is_over = code, sizes, is_over
        self.cover = Cover(code)
        self.bits_base = self.cover.bits()
        self.proposals = Proposals(code, self.cover.left(), seed)
        # what each structure saves alone; and where the search was cut
        self.alone: dict[bytes, Prefix | None] = {}
        self.cut = ""

    def stops(self, where: str) -> bool:
        """Whether the time is up; it is then said where."""
        if not self.cut and self.is_over():
            self.cut = f"the time was up {where}"
        return bool(self.cut)

    def run(self, grows: bool) -> dict[bytes, Taken]:
        """Search, and return the shortest set."""
        cover, best = self.cover, (self.cover.bits(), dict[bytes, Taken]())
        if grows:
            self.proposals.grow(cover.left(), self.sizes, 0, MOST_STRUCTURES)
        # 1. greedy, from the empty set
        for exponent in (0.0, 1.0, 0.5):
            cover.restore({})
            best = self._shorter(best, self.greedy(exponent))
            if not best[1] or self.stops("in the first search"):
                return best[1]
        # 2. rounds
        for turn in range(1, _MOST_ROUNDS + 1):
            before = best[0]
            cover.restore(best[1])
            if grows and turn <= _ROUNDS_OF_GROWTH:
                self.proposals.grow(cover.left(), self.sizes, turn, MOST_AGAIN)
            best = self._shorter(best, self.greedy(0.0 if turn % 2 else 1.0))
            best = self._exchange(best, turn)
            if self.stops(f"in round {turn}") or before - best[0] < _LEAST_OF_ROUND:
                return best[1]
        self.cut = f"it still found shorter sets after {_MOST_ROUNDS} rounds"
        return best[1]

    def _exchange(self, best: tuple[float, dict[bytes, Taken]], turn: int) -> tuple:
        """Drop each motif in turn and fill the gap."""
        place = 0
        while place < len(best[1]) and not self.stops(f"in round {turn}"):
            key = [*best[1]][place]
            near = self._neighbors(best[1], key)
            for dropped, banned, exponent in (
                ([key], {key}, 0.0),
                ([key], set(), 1.0),
                ([key, *near], set(), 0.5),
            ):
                self.cover.restore(best[1])
                for one in dropped:
                    self.cover.remove(one)
                found = self._shorter(best, self.greedy(exponent, banned))
                if found is not best:
                    best = found
                    break
            else:
                place += 1
        return best

    def _neighbors(self, motifs: dict[bytes, Taken], key: bytes) -> list[bytes]:
        """Two motifs that have nodes in common with one."""
        nodes = np.unique(motifs[key].copies)
        others = [one for one in motifs if one != key]
        return [one for one in others if np.isin(motifs[one].copies, nodes).any()][:2]

    def _shorter(self, best: tuple, bits: float) -> tuple:
        """The set of the cover if it is shorter than the best one."""
        if bits < best[0] - _EQUAL:
            return bits, dict(self.cover.motifs)
        return best

    def greedy(self, exponent: float, banned: set[bytes] = frozenset()) -> float:
        """Add to the set what saves most, until nothing saves; return its length."""
        bits = self.cover.bits()
        bounds = self._first_bounds(exponent)
        while not self.stops("in the first search"):
            left = self.cover.left()
            best = None
            for score, listed, prefix in self._best_prefixes(left, bounds, exponent, banned):
                saved = bits - self.cover.bits_with(listed, prefix)
                score = saved / self._weight(listed, prefix, exponent)
                if saved > _EQUAL and (best is None or score > best[0] + _EQUAL):
                    best = score, listed, prefix, saved
            if best is None:
                break
            _, listed, prefix, saved = best
            self.cover.add(listed, prefix)
            bits -= saved
        return bits

    def _first_bounds(self, exponent: float) -> dict[bytes, float]:
        """What each structure can score at most, as far as it is known."""
        bounds = {}
        for key, prefix in self.alone.items():
            score = -np.inf
            if prefix is not None:
                weight = self._weight(self.proposals.listed[key], prefix, exponent)
                score = _MORE * prefix.gain / weight + (0.1 if exponent else _MUCH_MORE)
            bounds[key] = score
        return bounds

    def _weight(self, listed: ListedCopies, prefix: Prefix, exponent: float) -> float:
        return float(len(prefix.rows) * len(listed.shape.pairs)) ** exponent

    def _best_prefixes(
        self, left: Left, bounds: dict[bytes, float], exponent: float, banned: set[bytes]
    ) -> list[tuple[float, ListedCopies, Prefix]]:
        """The structures that score most, best first."""
        listed_of, found, scores = self.proposals.listed, [], []
        is_empty = not self.cover.motifs
        for key in sorted(listed_of, key=lambda one: (-bounds.get(one, np.inf), one)):
            bound = bounds.get(key, np.inf)
            if key in banned or bound < -20:
                continue
            # the others can score no more than those that are known
            if len(scores) >= _VERIFIED and bound < sorted(scores)[-_VERIFIED]:
                break
            listed = listed_of[key]
            if is_empty and key in self.alone:
                prefix = self.alone[key]
            else:
                taken = self.cover.motifs.get(key)
                rows = np.zeros(0, np.int64) if taken is None else taken.rows
                prefix = listed.best_prefix(left, rows, self.proposals.work)
            if is_empty:
                self.alone[key] = prefix
            score = -np.inf
            if prefix is not None:
                score = prefix.gain
                if score > 0:
                    score /= self._weight(listed, prefix, exponent)
                if prefix.gain > -5:
                    found.append((-round(score, _DECIMALS), key, listed, prefix))
            bounds[key] = score + (0.1 * abs(score) if exponent else 0)
            scores.append(score)
        found.sort(key=lambda row: row[:2])
        return [(-score, listed, prefix) for score, _, listed, prefix in found[:_VERIFIED]]
