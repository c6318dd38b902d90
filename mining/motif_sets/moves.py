"""The moves of the motif search: what each changes in a set, so that its description gets shorter.

A move *proposes* changes of the best set, one after the other, and *applies* each to it; the search
keeps what is shorter and asks for the next change. Nothing is undone: a description never changes,
so that the best one is still there. What a move proposes next may follow from what became of the
change before it, which it reads off ``search.best``.

There are two ways to apply a change. A *gap* is left by some motifs and filled by whatever saves
most in it, while the others stay. A *cover* is made of some structures in an order, each of which
chooses its copies on what those before it leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import combinations
from typing import Any, NamedTuple, Protocol

import numpy as np

from gomkcn.mining.motif_sets.candidate import Candidate, Choice
from gomkcn.mining.motif_sets.description import Description
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn.mining.motif_sets.proposals import Proposals
from gomkcn.mining.motif_sets.search_settings import SearchSettings


class Search(Protocol):
    """What a move needs of the search that it is a move of."""

    best: Description  # the best set so far
    settings: SearchSettings
    proposals: Proposals
    candidates: dict[bytes, Candidate]  # the structures that were proposed
    stage: int  # greedy sets that are made, then rounds

    @property
    def round_number(self) -> int:
        """The number of the present round, the first of which has the number 1."""

    def propose(self, description: Description, number: int) -> None:
        """Take in the structures that a description shows."""

    def take(self, candidates: Sequence[Candidate]) -> None:
        """Take in structures that were proposed."""

    def add(self, description: Description, exponent: float) -> Description:
        """Add what saves most, until nothing saves enough."""

    def refill(self, best: Description, gap: Gap) -> Description:
        """A set without some motifs, and with what then saves in the gap."""

    def redrawn(self, description: Description) -> Description:
        """A set whose motifs are redrawn."""

    def cover_anew(self, codes: tuple[bytes, ...]) -> Description:
        """The set of some structures, which choose their copies one after the other.

        It is the best one where that set is known to be no shorter.
        """

    def is_new_first(self, code: bytes) -> bool:
        """Whether a structure did not choose first in the best set before; it does now."""

    def in_the_way(self, best: Description, code: bytes) -> tuple[int, ...]:
        """The motifs of a set that use what a structure would take where there are no others."""

    def gain_alone(self, code: bytes) -> float:
        """About the bits that a structure saves where there are no other motifs."""


class Move(Protocol):
    """A way to make the description of a set shorter."""

    def propose(self, search: Search) -> Iterator[Any]:
        """Changes of ``search.best``, which may be another after each."""

    def apply(self, search: Search, change: Any) -> Description:
        """The best set with a change."""


class Gap(NamedTuple):
    """Motifs that are left out, by number, and how the gap is filled."""

    numbers: tuple[int, ...]
    exponent: float  # of the edges that bits are divided by
    banned: Set[bytes] = frozenset()  # structures that may not fill it
    first: bytes | None = None  # the structure that chooses its copies before the others


class Propose:
    """Take in the structures that the best set shows in what it leaves over."""

    def propose(self, search: Search) -> Iterator[Description]:
        if search.round_number <= search.settings.rounds_of_proposals:
            search.propose(search.best, search.round_number)
        yield from ()

    def apply(self, search: Search, change: Description) -> Description:
        return change


class Add:
    """Add what saves most, until nothing saves enough; the first two exponents take turns."""

    def propose(self, search: Search) -> Iterator[float]:
        turns = search.settings.exponents[:2]
        yield turns[(search.round_number - 1) % len(turns)]

    def apply(self, search: Search, change: float) -> Description:
        return search.add(search.best, change)


class Redraw:
    """Let each motif whose copies may differ have another drawing, beside the others."""

    def propose(self, search: Search) -> Iterator[tuple[int, Choice]]:
        number = 0
        for _ in range(len(search.best.motifs)):
            at = number
            before = None
            while search.best is not before:
                before = search.best
                for choice in search.proposals.redrawn(before, at):
                    yield at, choice
                    if search.best is not before:
                        # it is the last one now
                        search.take([choice.candidate])
                        at = len(before.motifs) - 1
                        break
            number += at == number

    def apply(self, search: Search, change: tuple[int, Choice]) -> Description:
        number, choice = change
        others = search.best.without(number)
        candidate = choice.candidate
        return others.add(candidate.structure, choice.copies, candidate.sources)


class GiveUpCopy:
    """Leave out the copy of each motif that is worth least, and redraw the motifs beside it.

    Two motifs whose copies may differ share out nodes so: neither takes what the other has.
    """

    def propose(self, search: Search) -> Iterator[Description]:
        motifs = search.best.motifs
        if len(motifs) < 2 or not any(len(motif.edits) for motif in motifs):
            return
        for motif in motifs:
            # it may have been redrawn after another gave up a copy; two copies stay
            if motif in search.best.motifs and len(motif.copies) > 2:
                yield self._with_a_copy_less(search.best, motif)

    def apply(self, search: Search, change: Description) -> Description:
        return search.redrawn(change)

    def _with_a_copy_less(self, description: Description, motif: PlacedMotif) -> Description:
        others = description.without(description.motifs.index(motif))
        every = range(len(motif.copies))
        fewer = [
            others.add(motif.structure, np.delete(motif.copies, copy, axis=0), motif.sources)
            for copy in every
        ]
        return min(fewer, key=lambda other: other.length)


class _Refill:
    """What applies a gap."""

    def apply(self, search: Search, change: Gap) -> Description:
        return search.refill(search.best, change)


class Drop(_Refill):
    """Leave out each motif in turn and fill the gap, without it or with it."""

    def propose(self, search: Search) -> Iterator[Gap]:
        number = 0
        while number < len(search.best.motifs):
            before = search.best
            yield Gap((number,), 0.0, frozenset({before.motifs[number].structure.code}))
            if search.best is before:
                yield Gap((number,), 1.0)
            if search.best is before:
                number += 1


class PutFirst(_Refill):
    """Let each of some other structures choose first, in the place of the motifs in its way.

    A large motif that covers parts of two others hides both: none of their copies is left.
    """

    def propose(self, search: Search) -> Iterator[Gap]:
        inside = codes_of(search.best)
        by_gain = sorted(search.candidates, key=lambda code: (-search.gain_alone(code), code))
        others = [code for code in by_gain if code not in inside]
        for code in others[: search.settings.most_put_first]:
            is_inside = code in codes_of(search.best)
            if not is_inside and search.gain_alone(code) > 0 and search.is_new_first(code):
                numbers = search.in_the_way(search.best, code)
                if numbers:
                    yield Gap(numbers, 0.0, first=code)


class DropPairs(_Refill):
    """Leave out each two motifs that have nodes in common, and fill the gap by bits an edge.

    By bits alone each of the two would be found again as it was.
    """

    def propose(self, search: Search) -> Iterator[Gap]:
        # no two motifs have nodes in common
        if search.best.nodes_apart:
            return
        by_edges = [exponent for exponent in search.settings.exponents if exponent > 0]
        for pair in combinations(search.best.motifs, 2):
            for exponent in by_edges:
                motifs = search.best.motifs
                numbers = tuple(number for number, motif in enumerate(motifs) if motif in pair)
                if len(numbers) == len(pair) and _meet(*pair):
                    yield Gap(numbers, exponent)


class DropSome(_Refill):
    """Leave out some motifs at random and fill the gap, until it has failed some times.

    The order in which motifs came is so undone.
    """

    def propose(self, search: Search) -> Iterator[Gap]:
        settings = search.settings
        # a round draws the same whether or not the search was stopped before it
        rng = np.random.default_rng([search.stage, 41])
        failed = 0
        while failed < settings.most_failed and len(search.best.motifs) > 2:
            share = rng.choice(settings.shares_left_out)
            numbers = np.flatnonzero(rng.random(len(search.best.motifs)) < share)
            exponent = float(rng.choice(settings.exponents))
            before = search.best
            if len(numbers) > 1:
                yield Gap(tuple(numbers.tolist()), exponent)
            failed = failed + 1 if search.best is before else 0


class _Cover:
    """What applies the structures of a cover."""

    def apply(self, search: Search, change: tuple[bytes, ...]) -> Description:
        return search.cover_anew(change)


class CoverAnew(_Cover):
    """Let all motifs choose their copies anew, the largest first."""

    def propose(self, search: Search) -> Iterator[tuple[bytes, ...]]:
        yield tuple(sorted(codes_of(search.best), key=lambda code: search.candidates[code].rank))


class DropAndCover(_Cover):
    """Leave out each motif, from the last one on, and let those after it choose anew."""

    def propose(self, search: Search) -> Iterator[tuple[bytes, ...]]:
        number = len(search.best.motifs) - 1
        while number >= 0:
            codes = codes_of(search.best)
            yield codes[:number] + codes[number + 1 :]
            number = min(number, len(search.best.motifs)) - 1


class Swap(_Cover):
    """Put others in at the place of their size, or in the place of one like them."""

    def propose(self, search: Search) -> Iterator[tuple[bytes, ...]]:
        settings = search.settings
        inside = codes_of(search.best)
        others = [
            candidate
            for candidate in sorted(
                search.candidates.values(),
                key=lambda candidate: (-search.gain_alone(candidate.code), candidate.code),
            )
            if candidate.code not in inside
        ]
        places: list[tuple[bytes | None, Candidate]] = [
            (None, candidate) for candidate in others[: settings.most_put_in]
        ]
        for code in inside:
            alike = [other for other in others if _are_alike(other, search.candidates[code])]
            places += [(code, other) for other in alike[: settings.most_in_place]]
        for old, new in places:
            codes = codes_of(search.best)
            if new.code not in codes and (old is None or old in codes):
                yield put_in(search, codes, new, old)


def put_in(
    search: Search, codes: tuple[bytes, ...], new: Candidate, old: bytes | None = None
) -> tuple[bytes, ...]:
    """Structures with one more, before those not larger, or in the place of another."""
    if old is not None:
        return tuple(new.code if code == old else code for code in codes)
    place = sum(search.candidates[code].rank < new.rank for code in codes)
    return (*codes[:place], new.code, *codes[place:])


def codes_of(description: Description) -> tuple[bytes, ...]:
    """The codes of the structures of a set, in the order in which they were added."""
    return tuple(motif.structure.code for motif in description.motifs)


def _meet(first: PlacedMotif, second: PlacedMotif) -> bool:
    """Whether copies of two motifs have nodes in common."""
    return bool(np.isin(first.copies, second.copies).any())


def _are_alike(first: Candidate, second: Candidate) -> bool:
    """Whether one of two structures is the other with one or two nodes more."""
    smaller, larger = sorted((first, second), key=lambda candidate: candidate.structure.num_nodes)
    more = larger.structure.num_nodes - smaller.structure.num_nodes
    return more in (1, 2) and smaller.code in larger.parts


REDRAW = Redraw()
# what a round tries, in one graph and in a collection alike: gaps first, which keep most of a set
MOVES: tuple[Move, ...] = (
    REDRAW,
    GiveUpCopy(),
    Propose(),
    Add(),
    Drop(),
    DropPairs(),
    PutFirst(),
    DropSome(),
    CoverAnew(),
    DropAndCover(),
    Swap(),
)
