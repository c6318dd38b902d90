"""The search for the few motifs that shorten the description of one graph most.

It must find short sets, and is no part of their definition: every set is judged by its length.

1. Structures are proposed and all their copies listed, see ``listed_copies.py``.
2. Greedy: the motif and the copies of it that save most, divided by their edges to the power of an
   exponent, join the set, until none saves anything. With 0 few large motifs are found, with 1
   dense ones; with each exponent once, and the shortest set is kept.
3. Rounds: more structures are proposed in what is left; each motif in turn is dropped, alone or
   with its neighbours, and the gap is filled again; what gets shorter is kept.

The work is bounded by numbers of sets, copies, steps and rounds, so that the same seed gives the
same set.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from mining.mined_graph import MinedGraph
from mining.motif_sets.blocks import find_blocks, never
from mining.motif_sets.code_length import CodedGraph, GraphCode, move_copies
from mining.motif_sets.coded_set import CodedMotif, CodedSet
from mining.motif_sets.copy_loops import Left
from mining.motif_sets.edited_copies import EditedGraph
from mining.motif_sets.inexact_search import Drawing, is_worth_edits, search_inexact
from mining.motif_sets.integer_codes import integer_bits
from mining.motif_sets.listed_copies import (
    MOST_AGAIN,
    MOST_STRUCTURES,
    ListedCopies,
    Proposals,
    Taken,
)
from mining.pattern import Pattern

Motifs = dict[bytes, Taken]

# a set that saves less is not reported
LEAST_SAVED = 10.0
# rounds; of these with more structures; and the last one gains less than so many bits, and than
# this share of what is saved
_MOST_ROUNDS, _ROUNDS_OF_GROWTH = 6, 3
_LEAST_OF_ROUND, _SHARE_OF_ROUND = 0.5, 0.001
# motifs whose length is computed at each step, the most promising ones
_VERIFIED = 4
# lengths that differ by less are equal, to so many decimals
_EQUAL, _DECIMALS = 1e-6, 6
# what a motif saves is at most so much more than in the empty graph, by exponent
_MORE, _MUCH_MORE = 1.2, 10.0
# searches for a motif that saves more, half as many where so many pairs of blocks are joined
_MOST_STEPS, _JOINED = 1000, 40
# of one start, for each entry of the graph and node of the largest structures
_NANOSECONDS, _MOST_NANOSECONDS = 300_000, 60e9


def motif_set_of_graph(
    mined: MinedGraph, sizes: range, **options: Any
) -> tuple[CodedSet, CodedSet | None]:
    """The motif set of a graph, and that in the other base where this was looked at.

    The answer is given the degrees, except where the graph is shorter given a partition into
    blocks as well *and* no motif is found beyond these: then the blocks explain the graph. Blocks
    are looked at where they alone make it shorter, in a graph of one undirected relation, without
    categories and with more than 20 edges.

    Options are those of :func:`search_graph`.

    Examples
    --------
    >>> import networkx as nx
    >>> rings = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    >>> found, other = motif_set_of_graph(MinedGraph.of(rings), range(3, 6), seed=0)
    >>> [(one.structure.num_nodes, len(one.copies)) for one in found.motifs], found.base
    ([(4, 6)], 'degrees')
    """
    found = search_graph(mined, sizes, **options)
    graph = CodedGraph.of(mined)
    blocks = find_blocks(graph, is_over=options.get("is_over", never))
    if blocks is None or GraphCode(graph, blocks).length([]).total >= found.bits_base:
        return found, None
    other = search_graph(mined, sizes, blocks=blocks, **options)
    if not other.motifs and other.bits_total < found.bits_total:
        return other, found
    return found, other


def search_graph(
    mined: MinedGraph,
    sizes: range,
    *,
    seed: int,
    blocks: np.ndarray | None = None,
    proposed: Sequence[Pattern] = (),
    grows: bool = True,
    exact_copies: bool = False,
    is_over: Callable[[], bool] = never,
) -> CodedSet:
    """Search for the motif set of a graph in one base, from one start.

    Without ``blocks``, int64 ``[V]``, the base are the degrees. Structures that are ``proposed``
    are tried as well, with all of their copies; ``missing`` says how many bits those with the
    source "given" miss the set by. Where ``grows``, grown sets of nodes show others, of some
    ``sizes``. Copies may differ from their motif where that is shorter, unless ``exact_copies``.
    ``is_over`` says between steps whether the time is up. The same seed gives the same set: motifs
    of at least two copies, most bits first; none where they save less than 10 bits.
    """
    code = GraphCode(CodedGraph.of(mined), blocks)
    search = _Search(code, sizes, seed, is_over)
    motifs = search.run(proposed, grows)
    found = _as_coded_set(code, [*motifs.values()])
    if found.bits_saved < LEAST_SAVED:
        motifs = {}
        found = replace(_as_coded_set(code, []), closest=search.closest())
    partly = sum(not one.listed.is_complete for one in motifs.values())
    cut = search.cut
    if partly and not cut:
        cut = f"Not all copies of {partly} of the {len(motifs)} motifs were looked at."
    if (grows or proposed) and not exact_copies and not search.cut:
        edited = _with_edits(code, sizes, seed, is_over, [*motifs.values()], proposed, grows)
        if edited and is_worth_edits(edited.bits_total, found.bits_total, found.bits_base):
            found = replace(found, motifs=edited.motifs, bits_total=edited.bits_total, closest=None)
            cut = edited.cut
    given = [one.structure for one in proposed if "given" in one.sources]
    missing = search.missing(given, motifs)
    ordered = sorted(found.motifs, key=lambda one: (-one.bits, one.structure.key))
    return replace(found, motifs=tuple(ordered), cut=cut, missing=missing)


def num_starts(mined: MinedGraph, sizes: range) -> int:
    """From how many starts to search: 3, or 1 where each would take more than about a minute.

    >>> import networkx as nx
    >>> num_starts(MinedGraph.of(nx.path_graph(9)), range(3, 9))
    3
    """
    work = len(mined.graph.indices) * max(sizes) * _NANOSECONDS
    return 1 if work > _MOST_NANOSECONDS else 3


def _with_edits(
    code: GraphCode,
    sizes: range,
    seed: int,
    is_over: Callable[[], bool],
    exact: Sequence[Taken],
    proposed: Sequence[Pattern],
    grows: bool,
) -> CodedSet | None:
    """The set whose copies may differ from their motifs."""
    start = [Drawing(one.listed.shape, one.copies.astype(np.int64)) for one in exact]
    shapes = [code.graph.shape_of(one.structure) for one in proposed]
    drawings = [Drawing(one, np.zeros((0, one.num_nodes), np.int64)) for one in shapes if one]
    own = EditedGraph.of(code), sizes, start, seed, is_over, code.graph.structure_of
    return search_inexact(*own, drawings, grows)


def _as_coded_set(code: GraphCode, taken: Sequence[Taken]) -> CodedSet:
    """A set with its length, and what it is without each of its motifs."""
    pairs = [one.motif for one in taken]
    empty, total = code.length([]), code.length(pairs).total
    coded = [
        CodedMotif(
            code.graph.structure_of(one.listed.shape),
            one.copies,
            code.length(pairs[:place] + pairs[place + 1 :]).total - total,
            one.address,
            one.listed.sources,
        )
        for place, one in enumerate(taken)
    ]
    name = "degrees" if code.blocks is None else "blocks"
    base, error = empty.total, empty.error
    return CodedSet(tuple(coded), base, total, name, code.blocks, error=error)


class _Best(NamedTuple):
    """The shortest set that was found, and its length."""

    bits: float
    motifs: Motifs


class _Search:
    """The search in one base, from one start."""

    def __init__(
        self, code: GraphCode, sizes: range, seed: int, is_over: Callable[[], bool]
    ) -> None:
        self.code, self.sizes, self.is_over = code, sizes, is_over
        self.cover = Cover(code)
        self.proposals = Proposals(code, self.cover.left(), seed)
        # what each structure saves alone; and where the search was cut
        self.alone: dict[bytes, Taken | None] = {}
        self.cut = ""
        self._steps, self._most_steps = 0, round(_MOST_STEPS / (1 + code.joined_blocks / _JOINED))
        self._tried: set[tuple[Taken | float, ...]] = set()

    def stops(self) -> bool:
        """Whether the time or the steps are up; it is then said."""
        if not self.cut and self.is_over():
            self.cut = "Time was up before the search ended."
        if not self.cut and self._steps == self._most_steps:
            self.cut = f"The search ended after {self._steps:,} steps."
        return bool(self.cut)

    def run(self, proposed: Sequence[Pattern], grows: bool) -> Motifs:
        """Search, and return the shortest set."""
        cover, empty = self.cover, self.cover.bits()
        best = _Best(empty, {})
        for one in proposed:
            self.proposals.give(one.structure, one.sources)
        # in a large graph, growing takes seconds
        if grows and not self.stops():
            self.proposals.grow(cover.left(), self.sizes, 0, MOST_STRUCTURES)
        # 1. greedy, from the empty set
        for exponent in (0.0, 1.0, 0.5):
            cover.restore({})
            best = self._shorter(best, self.greedy(exponent, ~cover.used))
            if not best.motifs or self.stops():
                return best.motifs
        # 2. rounds
        for turn in range(1, _MOST_ROUNDS + 1):
            before, least = best.bits, _LEAST_OF_ROUND + _SHARE_OF_ROUND * (empty - best.bits)
            cover.restore(best.motifs)
            if grows and turn <= _ROUNDS_OF_GROWTH:
                self.proposals.grow(cover.left(), self.sizes, turn, MOST_AGAIN)
            best = self._shorter(best, self.greedy(0.0 if turn % 2 else 1.0, ~cover.used))
            best = self._exchange(best, turn)
            best = self._exchange_pairs(best, turn)
            if self.stops() or before - best.bits < least:
                return best.motifs
        self.cut = f"Shorter sets were still found after {_MOST_ROUNDS} rounds."
        return best.motifs

    def _exchange(self, best: _Best, turn: int) -> _Best:
        """Drop each motif in turn and fill the gap, without it or with it."""
        place = 0
        while place < len(best.motifs) and not self.stops():
            key = [*best.motifs][place]
            found = self._refill(best, [key], 0.0, {key})
            if found is best:
                found = self._refill(best, [key], 1.0)
            place += found is best
            best = found
        return best

    def _exchange_pairs(self, best: _Best, turn: int) -> _Best:
        """Drop each two motifs that have nodes in common, and fill the gap."""
        for pair in combinations([*best.motifs], 2):
            for exponent in (1.0, 0.5):
                if self.stops():
                    return best
                if {*pair} <= {*best.motifs} and _meet(*(best.motifs[key] for key in pair)):
                    best = self._refill(best, pair, exponent)
        return best

    def _refill(
        self,
        best: _Best,
        dropped: Sequence[bytes],
        exponent: float,
        banned: Set[bytes] = frozenset(),
    ) -> _Best:
        """The best set without some motifs, and what then saves, if it is shorter."""
        # the same copies were dropped in the same way before, and to no avail
        tried: tuple[Taken | float, ...] = (*(best.motifs[key] for key in dropped), exponent)
        if tried in self._tried:
            return best
        self._tried.add(tried)
        self.cover.restore(best.motifs)
        used = self.cover.used.copy()
        for key in dropped:
            self.cover.remove(key)
        return self._shorter(best, self.greedy(exponent, used & ~self.cover.used, banned))

    def closest(self) -> CodedMotif | None:
        """The structure that comes closest to saving bits, None where nothing has two copies."""
        self.cover.restore({})
        known = map(self._least_bad, self.proposals.listed.values())
        alone = [one for one in known if one is not None]
        if not alone:
            return None
        best = min(alone, key=lambda one: (-one.gain, one.listed.shape.key))
        return _as_coded_set(self.code, [best]).motifs[0]

    def missing(self, given: Sequence[Structure], motifs: Motifs) -> dict[bytes, float]:
        """Bits that a set grows by with each given structure that is not in it, by key."""
        self.cover.restore(motifs)
        bits, missing = self.cover.bits(), {}
        for one in given:
            key = self.proposals.give(one, ())
            if key in motifs:
                continue
            missing[one.key] = np.inf
            if key is not None:
                taken = self._least_bad(self.proposals.listed[key])
                if taken is not None:
                    missing[one.key] = self.cover.bits_with(taken) - bits
        return missing

    def _least_bad(self, listed: ListedCopies) -> Taken | None:
        """The copies of a structure that save most beside the cover, though they save nothing."""
        left, none = self.cover.left(), np.zeros(0, np.int64)
        return listed.best_copies(left, none, np.ones(len(left.used), bool), -np.inf)

    def _shorter(self, best: _Best, bits: float) -> _Best:
        """The set of the cover if it is shorter than the best one."""
        if bits < best.bits - _EQUAL:
            return _Best(bits, dict(self.cover.motifs))
        return best

    def greedy(self, exponent: float, freed: np.ndarray, banned: Set[bytes] = frozenset()) -> float:
        """Add to the set what saves most, until nothing saves; return its length.

        Only copies with edges that are ``freed``, bool ``[num_edges]``, are looked at.
        """
        bits = self.cover.bits()
        bounds = self._first_bounds(exponent)
        while not self.stops():
            self._steps += 1
            left = self.cover.left()
            best: tuple[float, Taken, float] | None = None
            for one in self._best_copies(left, bounds, exponent, freed, banned):
                saved = bits - self.cover.bits_with(one)
                score = one.per_edge(saved, exponent)
                if saved > _EQUAL and (best is None or score > best[0] + _EQUAL):
                    best = score, one, saved
            if best is None:
                break
            self.cover.add(best[1])
            bits -= best[2]
        return bits

    def _first_bounds(self, exponent: float) -> dict[bytes, float]:
        """What each structure can score at most, as far as it is known."""
        bounds = {}
        for key, one in self.alone.items():
            bounds[key] = -np.inf
            if one is not None:
                score = one.per_edge(one.gain, exponent)
                bounds[key] = _MORE * score + (0.1 if exponent else _MUCH_MORE)
        return bounds

    def _best_copies(
        self,
        left: Left,
        bounds: dict[bytes, float],
        exponent: float,
        freed: np.ndarray,
        banned: Set[bytes],
    ) -> list[Taken]:
        """The structures that score most, best first."""
        listed_of = self.proposals.listed
        found: list[tuple[float, bytes, Taken]] = []
        # ascending
        scores: list[float] = []
        is_empty = not self.cover.motifs
        for key in sorted(listed_of, key=lambda one: (-bounds.get(one, np.inf), one)):
            bound = bounds.get(key, np.inf)
            if key in banned or bound < -20:
                continue
            # the others can score no more than those that are known
            if len(scores) >= _VERIFIED and bound < scores[-_VERIFIED]:
                break
            if is_empty and key in self.alone:
                one = self.alone[key]
            else:
                before = self.cover.motifs.get(key)
                rows = np.zeros(0, np.int64) if before is None else before.rows
                one = listed_of[key].best_copies(left, rows, freed)
            if is_empty:
                self.alone[key] = one
            score = -np.inf
            if one is not None:
                score = one.per_edge(one.gain, exponent) if one.gain > 0 else one.gain
                if one.gain > -5:
                    found.append((-round(score, _DECIMALS), key, one))
            bounds[key] = score + (0.1 * abs(score) if exponent else 0)
            insort(scores, score)
        found.sort(key=lambda row: row[:2])
        return [one for *_, one in found[:_VERIFIED]]


def _meet(one: Taken, other: Taken) -> bool:
    """Whether copies of two motifs have nodes in common."""
    return bool(np.isin(one.copies, other.copies).any())


class Cover:
    """The motifs of a set, by key, in the order in which they came.

    >>> import networkx as nx
    >>> from mining.mined_graph import MinedGraph
    >>> from mining.motif_sets.code_length import CodedGraph
    >>> code = GraphCode(CodedGraph.of(MinedGraph.of(nx.cycle_graph(8))))
    >>> round(Cover(code).bits() - code.length([]).total, 6)
    0.0
    """

    def __init__(self, code: GraphCode) -> None:
        self._code = code
        self.used = np.zeros(code.graph.num_edges, bool)
        self.degrees = code.graph.degrees.copy()
        self.motifs: dict[bytes, Taken] = {}

    def left(self) -> Left:
        """The graph that the copies leave over."""
        residual = self._code.residual(self.degrees, self.used)
        bits = self._code.edge_bits(residual, self.degrees)
        return Left(self.used, self.degrees, bits)

    def bits(self) -> float:
        """The length of the set."""
        motifs = sum(one.bits for one in self.motifs.values())
        residual = self._code.residual(self.degrees, self.used)
        return residual.bits + motifs + integer_bits(len(self.motifs))

    def bits_with(self, taken: Taken) -> float:
        """The length of the set with a motif, in place of fewer copies of it."""
        before = self.add(taken)
        bits = self.bits()
        self.remove(taken.listed.shape.key)
        if before is not None:
            self.add(before)
        return bits

    def add(self, taken: Taken) -> Taken | None:
        """Take copies of a motif, and return those of it that were taken before."""
        key = taken.listed.shape.key
        before = self.motifs.get(key)
        if before is not None:
            self.remove(key)
        self.motifs[key] = taken
        self._move(taken, -1)
        return before

    def remove(self, key: bytes) -> None:
        """Give back the copies of a motif."""
        self._move(self.motifs.pop(key), 1)

    def restore(self, motifs: dict[bytes, Taken]) -> None:
        """Take the motifs of a set that was found before."""
        for key, taken in [*self.motifs.items()]:
            if motifs.get(key) is not taken:
                self.remove(key)
        for key, taken in motifs.items():
            if key not in self.motifs:
                self.add(taken)
        # in the order of the other
        self.motifs = dict(motifs)

    def _move(self, taken: Taken, sign: int) -> None:
        listed = taken.listed
        self.used[listed.edges[taken.rows]] = sign < 0
        move_copies(self.degrees, listed.copies[taken.rows], listed.places.terms, sign)
