"""The search for the few motifs that shorten a description most.

It must find short sets, and is no part of their definition: every set is judged by its length. It
goes round as it reads:

1. Structures are *proposed*, each with copies of it among which to choose; after the first time in
   what the set leaves over, and where its smallest motifs lie.
2. *Greedy sets* are made of them: what saves most is added, until nothing saves enough.
3. A list of *moves* (:mod:`~gomkcn.mining.motif_sets.moves`) is run on the best set, round after
   round. What gets shorter is kept. A round that gains too little is the last one.

The work is bounded by numbers of structures, copies, steps and rounds, so that the same seed finds
the same set. Between two moves the search is its best set, the structures that were proposed and
what was tried to no avail: this is kept, and a search that was stopped goes on from there.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from gomkcn.mining.motif_sets.candidate import Candidate, Choice, bare
from gomkcn.mining.motif_sets.coded_set import CodedSet
from gomkcn.mining.motif_sets.description import Description
from gomkcn.mining.motif_sets.grown_sets import distinct, hash_sets
from gomkcn.mining.motif_sets.moves import MOVES, REDRAW, Gap, Move, codes_of, put_in
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn.mining.motif_sets.proposals import Proposals
from gomkcn.mining.motif_sets.search_settings import EQUAL, SearchSettings
from gomkcn_dgl.runtime.steps import Steps

# estimates are equal to so many decimals
_DECIMALS = 6
# nobody knows how many rounds a search has, and how many steps a round; after so many of them half
# of the whole is said to be done, and less than all whatever follows
_HALF_OF_STAGES = 2.0
_HALF_OF_STEPS = 100
# why the search for a set that another one is shorter than ended
_BEHIND = "The search ended early, as the other base describes the graphs in fewer bits."


@dataclass(frozen=True, eq=False)
class MotifSearchState:
    """What a search goes on from."""

    stage: int  # greedy sets that are made, then rounds
    motifs: tuple[PlacedMotif, ...]  # of the best set
    candidates: tuple[Candidate, ...]  # the structures that were proposed
    num_steps: int
    # numbers of motifs that were left out together, and the exponent of what filled the gap
    tried: tuple[tuple[tuple[int, ...], float], ...]
    # where drawings are searched for, what the search for exact copies ended with
    exact: MotifSearchState | None = None


class MotifSearch:
    """The search for a motif set, from a description without motifs.

    ``steps`` keep how far it has come, and say when the time is up. ``exact`` is the state of the
    search before it, which is kept as well.
    """

    def __init__(
        self,
        empty: Description,
        proposals: Proposals,
        settings: SearchSettings,
        steps: Steps,
        name: str = "",
        exact: MotifSearchState | None = None,
    ) -> None:
        self.empty = empty
        self.best = empty
        self.proposals = proposals
        self.exact = exact
        self.settings = settings
        self.steps = steps
        # each base has a step of its own
        self.report = steps.stage(
            name or steps.name or "searching for the motif set", is_steady=False
        )
        self.candidates: dict[bytes, Candidate] = {}
        # the choice of each structure where there are no other motifs
        self.alone: dict[bytes, Choice | None] = {}
        self.grows = True
        # greedy sets that are made, then rounds
        self.stage = 0
        self.num_steps = 0
        # steps at the beginning of the present stage
        self._steps_before = 0
        # where the search was cut, a sentence
        self.cut = ""
        # motifs that were left out, and the exponent of what filled the gap, to no avail
        self.tried: set[tuple[tuple[PlacedMotif, ...], float]] = set()
        # what moves made before: the cost of the set of some structures, and the sets, by their
        # motifs, in which a structure chose first
        self._cost_of_cover: dict[tuple[bytes, ...], float] = {}
        self._put_first: set[tuple[tuple[PlacedMotif, ...], bytes]] = set()
        self._covered = lru_cache(maxsize=64)(self._cover)
        # of the best set, until there is a better one
        self._used_alone = lru_cache(maxsize=1)(self._find_used_alone)

    def run(
        self,
        given: Sequence[Candidate] = (),
        state: MotifSearchState | None = None,
        grows: bool = True,
        known: Description | None = None,
        least_alone: float = -np.inf,
        to_beat: CodedSet | None = None,
    ) -> Description:
        """Search, and return the shortest description; go on from a ``state`` if there is one.

        Structures that are ``given`` are tried, and where it ``grows`` what the graph shows. A set
        of exact copies that is ``known`` is the first one, if its structures are given. There is no
        search where none of them saves more than ``least_alone`` by itself. It ends where it is
        too far behind a set ``to_beat``.
        """
        settings = self.settings
        num_greedy = len(settings.exponents)
        self.grows = grows
        self.best = self.empty
        if state is None:
            self.take(given)
            self.propose(self.empty, 0)
            if known is not None:
                self.start_from(known)
            if max(map(self.gain_alone, self.candidates), default=-np.inf) < least_alone:
                return self.best
        else:
            self.resume(state)
        while not self.stops():
            if self.stage >= num_greedy and to_beat is not None and self._is_behind(to_beat):
                self.cut = _BEHIND
                break
            is_last = self._make_stage()
            self.stage += 1
            if self.cut or is_last:
                break
            if self.stage == num_greedy + settings.most_rounds:
                self.cut = f"Shorter sets were still found after {settings.most_rounds} rounds."
                break
            # a search that is over would go on from what is kept
            self.steps.keep(self.state())
        if self.cut and not self.best.motifs:
            # sets of one motif are known already
            alone = self._shortest_alone(self.alone.values())
            if alone is not None:
                self.keep_shorter(alone)
        return self.best

    def _is_behind(self, other: CodedSet) -> bool:
        """Whether the best set is too much longer than another to become shorter."""
        saved = max(self.empty.length - self.best.length, other.bits_saved)
        return self.best.length - other.bits_total > self.settings.most_behind * saved

    def _make_stage(self) -> bool:
        """Make a greedy set, or run the moves on the best one; whether no stage can bring more."""
        settings = self.settings
        before = self.best
        self._steps_before = self.num_steps
        self.tell()
        if self.stage < len(settings.exponents):
            self.keep_shorter(self.add(self.empty, settings.exponents[self.stage]))
            return not self.best.motifs
        for move in MOVES:
            self.make(move)
        saved = self.cost(self.empty) - self.cost(before)
        least = settings.least_of_round + settings.least_share_of_round * saved
        return self.cost(before) - self.cost(self.best) < least

    def redrawn(self, description: Description) -> Description:
        """A set whose motifs are redrawn; the best one stays what it is."""
        best = self.best
        self.best = description
        redrawn = self.make(REDRAW)
        self.best = best
        return redrawn

    @property
    def round_number(self) -> int:
        """The number of the present round, the first of which has the number 1."""
        return self.stage - len(self.settings.exponents) + 1

    def make(self, move: Move) -> Description:
        """Apply the changes that a move proposes, each to the best set, and return what this is."""
        for change in move.propose(self):
            if self.stops():
                break
            self.keep_shorter(move.apply(self, change))
        return self.best

    def keep_shorter(self, other: Description) -> None:
        """Take another set as the best one if it is shorter."""
        if self.cost(other) < self.cost(self.best) - EQUAL:
            self.best = other

    def cost(self, description: Description) -> float:
        """The length of a description, and what each of its motifs must be worth."""
        return description.length + self.settings.least_of_motif * len(description.motifs)

    def tell(self) -> None:
        """Report how much is done: the stages that are over, and a part of the present one."""
        steps = self.num_steps - self._steps_before
        done = self.stage + steps / (steps + _HALF_OF_STEPS)
        self.report(done / (done + _HALF_OF_STAGES))

    def stops(self) -> bool:
        """Whether the time or the steps are up; it is then said."""
        if not self.cut and self.steps.is_late():
            self.cut = "Time was up before the search ended."
        if not self.cut and self.num_steps >= self.settings.most_steps:
            self.cut = f"The search ended after {self.num_steps:,} steps."
        return bool(self.cut)

    # propose

    def propose(self, description: Description, number: int) -> None:
        """Take in the structures that a description shows."""
        if self.grows and not self.stops():
            self.take(self.proposals(description, number, self.candidates))

    def take(self, candidates: Sequence[Candidate]) -> None:
        """Take in structures that were proposed; one that is known has more sources."""
        for candidate in candidates:
            known = self.candidates.get(candidate.code, candidate)
            sources = tuple(dict.fromkeys(known.sources + candidate.sources))
            self.candidates[candidate.code] = replace(known, sources=sources)
            if candidate.code not in self.alone:
                # it may fill gaps that nothing filled
                self.tried.clear()
                self._put_first.clear()
                self.alone[candidate.code] = self.choose(self.empty, candidate)

    def choose(
        self, description: Description, candidate: Candidate, freed: np.ndarray | None = None
    ) -> Choice | None:
        """The copies of a structure that save most beside the motifs of a description."""
        least_worth = self.settings.least_worth
        return self.proposals.choose(description, candidate, freed, least_worth)

    # add

    def add(
        self,
        description: Description,
        exponent: float,
        freed: np.ndarray | None = None,
        banned: Set[bytes] = frozenset(),
    ) -> Description:
        """Add what saves most, until nothing saves enough.

        Bits are divided by edges to the power of an exponent. Only copies with what is ``freed``
        are looked at, where this is given, and none of the structures that are banned.
        """
        bounds = self._bounds(exponent)
        while not self.stops():
            self.num_steps += 1
            self.tell()
            best = description
            best_score = 0.0
            for choice in self._promising(description, bounds, exponent, freed, banned):
                if self._most_score(choice, exponent) < best_score:
                    continue
                longer = self.with_choice(description, choice)
                score = choice.per_edge(description.length - longer.length, exponent)
                is_worth_it = self.cost(longer) < self.cost(description) - EQUAL
                if is_worth_it and score > best_score + EQUAL:
                    best = longer
                    best_score = score
            if best is description:
                break
            description = best
        return description

    def _most_score(self, choice: Choice, exponent: float) -> float:
        """What a choice can score at most, by its estimate."""
        settings = self.settings
        more = (settings.more_than_estimate - 1) * abs(choice.gain)
        most = choice.gain + more + settings.bits_more_than_estimate
        return choice.per_edge(most, exponent)

    def with_choice(self, description: Description, choice: Choice) -> Description:
        """The description with a choice, in the place of fewer copies of the same structure."""
        candidate = choice.candidate
        for number, motif in enumerate(description.motifs):
            if motif.structure.code == candidate.code:
                description = description.without(number)
        sources = self.candidates[candidate.code].sources
        return description.add(candidate.structure, choice.copies, sources)

    def _bounds(self, exponent: float) -> dict[bytes, float]:
        """What each structure can score at most, by what it saves alone."""
        settings = self.settings
        more = settings.more_an_edge if exponent else settings.bits_more_than_alone
        bounds = dict.fromkeys(self.candidates, -np.inf)
        for code, choice in self.alone.items():
            if choice is not None:
                score = choice.per_edge(choice.gain, exponent)
                bounds[code] = settings.more_than_alone * score + more
        return bounds

    def _promising(
        self,
        description: Description,
        bounds: dict[bytes, float],
        exponent: float,
        freed: np.ndarray | None,
        banned: Set[bytes],
    ) -> list[Choice]:
        """The choices that score most by their estimates, best first; ``bounds`` get closer."""
        settings = self.settings
        promising: list[tuple[float, bytes, Choice]] = []
        scores: list[float] = []  # ascending
        # what can score something, the best bound first
        hopeful = [
            code
            for code in sorted(bounds, key=lambda code: (-bounds[code], code))
            if code not in banned and bounds[code] >= settings.hopeless
        ]
        choices: Iterator[Choice | None] = iter([self.alone[code] for code in hopeful])
        if description.motifs:
            candidates = [self.candidates[code] for code in hopeful]
            choices = self.proposals.choices(description, candidates, freed, settings.least_worth)
        for code in hopeful:
            # the others can score no more than those that are known
            most = bounds[code]
            if len(scores) >= settings.num_measured and most < scores[-settings.num_measured]:
                break
            choice = next(choices)
            score = -np.inf
            if choice is not None:
                score = choice.gain
                if choice.gain > 0:
                    score = choice.per_edge(choice.gain, exponent)
                if choice.gain > settings.least_estimate:
                    promising.append((-round(score, _DECIMALS), code, choice))
            # fewer new edges may score more
            bounds[code] = score + (settings.more_an_edge * abs(score) if exponent else 0.0)
            insort(scores, score)
        promising.sort(key=lambda row: row[:2])
        return [choice for *_, choice in promising[: settings.num_measured]]

    # fill gaps, and cover

    def refill(self, best: Description, gap: Gap) -> Description:
        """A set without some motifs, and with what then saves in the gap."""
        left_out = tuple(best.motifs[number] for number in gap.numbers)
        if gap.first is None:
            # the same copies were left out in the same way before
            if (left_out, gap.exponent) in self.tried:
                return best
            self.tried.add((left_out, gap.exponent))
        fewer = best
        for number in sorted(gap.numbers, reverse=True):
            fewer = fewer.without(number)
        if gap.first is not None:
            choice = self.proposals.choose(fewer, self.candidates[gap.first], None, -np.inf)
            if choice is None:
                return best
            fewer = self.with_choice(fewer, choice)
        return self.add(fewer, gap.exponent, best.used & ~fewer.used, gap.banned)

    def cover(self, codes: Sequence[bytes]) -> Description:
        """The set of some structures, each of which chooses its copies on what those before leave.

        One that finds none is left out.
        """
        description = self.empty
        for code in codes:
            description = self._covered(description, code)
        return description

    def cover_anew(self, codes: tuple[bytes, ...]) -> Description:
        """The set of some structures, or the best one where that set is known to be no shorter."""
        if self._cost_of_cover.get(codes, -np.inf) >= self.cost(self.best) - EQUAL:
            return self.best
        covered = self.cover(codes)
        self._cost_of_cover[codes] = self.cost(covered)
        return covered

    def is_new_first(self, code: bytes) -> bool:
        """Whether a structure did not choose first in the best set before; it does now."""
        key = self.best.motifs, code
        is_new = key not in self._put_first
        self._put_first.add(key)
        return is_new

    def _cover(self, before: Description, code: bytes) -> Description:
        choice = self.choose(before, self.candidates[code])
        return before if choice is None else self.with_choice(before, choice)

    def gain_alone(self, code: bytes) -> float:
        """About the bits that a structure saves where there are no other motifs."""
        choice = self.alone[code]
        return -np.inf if choice is None else choice.gain

    # what came closest

    def closest(self) -> Description | None:
        """The structure that comes closest to saving bits, None where nothing has two copies."""
        choices = [
            self.proposals.choose(self.empty, candidate, None, -np.inf)
            for candidate in self.candidates.values()
        ]
        return self._shortest_alone(choices)

    def _shortest_alone(self, choices: Iterable[Choice | None]) -> Description | None:
        """The shortest description with one of some choices; None without any."""
        known = sorted(
            (choice for choice in choices if choice is not None),
            key=lambda choice: (-choice.gain, choice.candidate.code),
        )
        alone = [
            self.with_choice(self.empty, other) for other in known[: self.settings.num_measured]
        ]
        return min(alone, key=lambda other: other.length, default=None)

    def with_structure(self, best: Description, code: bytes) -> Description | None:
        """The shortest set like the best one that has a structure; None where it has no copies.

        It takes what others leave, or chooses first where its copies are used by others, and what
        then saves fills the gap.
        """
        sets = []
        for numbers in sorted({(), self.in_the_way(best, code)}):
            # those that stay keep their copies, which may differ from all that are listed
            stay = {
                motif.structure.code
                for number, motif in enumerate(best.motifs)
                if number not in numbers
            }
            sets.append(self.refill(best, Gap(numbers, 0.0, stay, code)))
        if self.covers(best):
            sets.append(self.cover(put_in(self, codes_of(best), self.candidates[code])))
        having = [other for other in sets if code in codes_of(other)]
        return min(having, key=lambda other: other.length, default=None)

    def in_the_way(self, best: Description, code: bytes) -> tuple[int, ...]:
        """The motifs of a set that use what a structure would take where there are no others."""
        choice = self.proposals.choose(self.empty, self.candidates[code], None, -np.inf)
        if choice is None:
            return ()
        wanted = self.with_choice(self.empty, choice).used
        return tuple(
            number for number, used in enumerate(self._used_alone(best)) if wanted[used].any()
        )

    def _find_used_alone(self, best: Description) -> list[np.ndarray]:
        """What each motif of a set uses, and no other one, by number."""
        return [
            np.flatnonzero(best.used & ~best.without(number).used)
            for number in range(len(best.motifs))
        ]

    def finds_room(self, best: Description, code: bytes) -> bool:
        """Whether the motifs of a set leave enough copies of a structure."""
        return self.proposals.choose(best, self.candidates[code], None, -np.inf) is not None

    def worth(self, best: Description, number: int) -> float:
        """Bits that a set grows by without a motif; in a collection, others may take its nodes."""
        fewer = best.without(number)
        if self.covers(best):
            codes = codes_of(best)
            fewer = self.cover(codes[:number] + codes[number + 1 :])
        return fewer.length - best.length

    def covers(self, best: Description) -> bool:
        """Whether a set is one of a collection that the search could make from its candidates."""
        is_exact = not any(len(motif.edits) for motif in best.motifs)
        return best.nodes_apart and is_exact and {*codes_of(best)} <= {*self.candidates}

    # kept between moves

    def state(self) -> MotifSearchState:
        """What the search would go on from."""
        best = self.best
        number_of = {motif: number for number, motif in enumerate(best.motifs)}
        tried = [
            (tuple(number_of[motif] for motif in motifs), exponent)
            for motifs, exponent in self.tried
            if all(motif in number_of for motif in motifs)
        ]
        return MotifSearchState(
            self.stage,
            tuple(replace(motif, structure=bare(motif.structure)) for motif in best.motifs),
            tuple(candidate.bare() for candidate in self.candidates.values()),
            self.num_steps,
            tuple(sorted(tried)),
            self.exact,
        )

    def resume(self, state: MotifSearchState) -> None:
        """Go on from the best set of a state, with all that was known."""
        self.take([self.proposals.completed(candidate) for candidate in state.candidates])
        self.best = best = self.set_of(state.motifs)
        self.stage = state.stage
        self.num_steps = state.num_steps
        self.tried = {
            (tuple(best.motifs[number] for number in numbers), exponent)
            for numbers, exponent in state.tried
        }

    def start_from(self, other: Description) -> None:
        """Take a set of exact copies as the best one if it is shorter, and know its copies."""
        if self.cost(other) >= self.cost(self.best) - EQUAL:
            return
        self.best = self.empty
        for motif in other.motifs:
            candidate = self.candidates[motif.structure.code]
            self.best = self.best.add(motif.structure, motif.copies, candidate.sources)
            # of two orders of the same nodes that of the set is kept
            more = np.concatenate([motif.copies.astype(np.int32), candidate.copies])
            every = replace(candidate, copies=more[distinct(hash_sets(more)[:, -1])])
            self.candidates[candidate.code] = every = self.proposals.completed(every)
            self.alone[candidate.code] = self.choose(self.empty, every)

    def set_of(self, motifs: Sequence[PlacedMotif]) -> Description:
        """The set of some motifs with their copies, in their order."""
        best = self.empty
        for motif in motifs:
            structure = self.empty.code.named(motif.structure)
            best = best.add(structure, motif.copies, motif.sources)
        return best
