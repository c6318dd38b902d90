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
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from gomkcn.mining.motif_sets.candidate import Candidate, Choice, bare
from gomkcn.mining.motif_sets.description import Description
from gomkcn.mining.motif_sets.moves import MOVES, Gap, Move, codes_of, put_in
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps

# lengths that differ by less are equal, and to so many decimals estimates are
_EQUAL = 1e-6
_DECIMALS = 6
# nobody knows how many rounds a search has, and how many steps a round; after so many of them half
# of the whole is said to be done, and less than all whatever follows
_HALF_OF_STAGES = 2.0
_HALF_OF_STEPS = 100


@dataclass(frozen=True)
class SearchSettings:
    """What a search looks at, and when it is content. All lengths are in bits."""

    # a greedy set is made by what saves most in all, and by what saves most an edge to the power of
    # an exponent: with 0 few large motifs come first, with 1 dense ones
    exponents: tuple[float, ...] = (0.0, 1.0, 0.5)
    # the length is computed of so many choices at each step, the most promising by the estimate
    num_measured: int = 8
    # a choice that saves less by its estimate is not measured: estimates are off by some bits
    least_estimate: float = -5.0
    # a choice saves at most so many times its estimate, and so many bits more: it is not measured
    # where another one is known to save more than that. Of the 2,644 lengths of the first 612 steps
    # in ca-GrQc 1,000 are so left out, none of which was the shortest of its step
    more_than_estimate: float = 1.3
    bits_more_than_estimate: float = 20.0
    # a structure that can save no more than this is not looked at again
    hopeless: float = -20.0
    # beside other motifs a structure saves at most so many times what it saves alone, and so many
    # bits more: others make their surroundings less probable
    more_than_alone: float = 1.2
    bits_more_than_alone: float = 10.0
    # … and for each edge, where bits are divided by edges
    more_an_edge: float = 0.1
    # a copy worth less is not taken: a motif that saves bits has few of them
    least_worth: float = -15.0
    # bits that a motif must be worth to be in a set, beside the length
    least_of_motif: float = 0.0
    # times that some motifs at random are left out together, to no avail, before a round ends, and
    # the share of them that is: the order in which motifs came is so undone
    most_failed: int = 10
    shares_left_out: tuple[float, ...] = (0.3, 0.5)
    # structures that are put in where motifs of their size stand, and in the place of each one
    most_put_in: int = 100
    most_in_place: int = 20
    # rounds; in so many of them structures are proposed in what the set leaves over and where its
    # smallest motifs lie
    most_rounds: int = 6
    rounds_of_proposals: int = 3
    # a round that gains less is the last one, and one that gains less than this share of what the
    # set saves
    least_of_round: float = 0.5
    least_share_of_round: float = 0.001
    # greedy steps in all: some minutes in a graph of a million edges
    most_steps: int = 4000


@dataclass(frozen=True, eq=False)
class SearchState:
    """What a search goes on from."""

    stage: int  # greedy sets that are made, then rounds
    motifs: tuple[PlacedMotif, ...]  # of the best set
    candidates: tuple[Candidate, ...]  # the structures that were proposed
    num_steps: int
    # numbers of motifs that were left out together, and the exponent of what filled the gap
    tried: tuple[tuple[tuple[int, ...], float], ...]
    # where drawings are searched for, what the search for exact copies ended with
    exact: SearchState | None = None


class Proposals(Protocol):
    """What proposes structures for one graph or collection, and chooses copies of them."""

    def __call__(
        self, description: Any, number: int, known: Mapping[bytes, Candidate]
    ) -> Sequence[Candidate]:
        """The structures that a description shows in a round; the first has the number 0."""

    def give(self, structure: Structure, sources: tuple[str, ...]) -> Sequence[Candidate]:
        """A given structure with its copies; none where the graph cannot have any."""

    def choose(
        self,
        description: Any,
        candidate: Candidate,
        freed: np.ndarray | None,
        least_worth: float,
    ) -> Choice | None:
        """The free copies of a candidate that save most, None where they are too few."""

    def completed(self, candidate: Candidate) -> Candidate:
        """A candidate of which only the structure and the copies were kept."""

    def redrawn(
        self, description: Any, number: int, tried: set[tuple[bytes, bytes, bool]]
    ) -> Iterator[Choice]:
        """Other drawings of a motif that save more beside the others; none where all are exact."""


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
        exact: SearchState | None = None,
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
        self._covered = lru_cache(maxsize=64)(self._cover)

    def run(
        self,
        given: Sequence[Candidate] = (),
        state: SearchState | None = None,
        grows: bool = True,
        least_alone: float = -np.inf,
    ) -> Description:
        """Search, and return the shortest description; go on from a ``state`` if there is one.

        Structures that are ``given`` are tried, and where it ``grows`` what the graph shows. There
        is no search where none of them saves more than ``least_alone`` by itself.
        """
        settings = self.settings
        num_greedy = len(settings.exponents)
        self.grows = grows
        self.best = self.empty
        if state is None:
            self.take(given)
            self.propose(self.empty, 0)
            if max(map(self.gain_alone, self.candidates), default=-np.inf) < least_alone:
                return self.best
        else:
            self.resume(state)
        stage = self.stage
        while not self.stops():
            before = self.best
            self.stage = stage
            self._steps_before = self.num_steps
            self.tell()
            if stage < num_greedy:
                self.keep_shorter(self.add(self.empty, settings.exponents[stage]))
                is_last = not self.best.motifs
            else:
                for move in MOVES:
                    self.make(move)
                saved = self.cost(self.empty) - self.cost(before)
                least = settings.least_of_round + settings.least_share_of_round * saved
                is_last = self.cost(before) - self.cost(self.best) < least
            stage += 1
            if self.cut or is_last:
                break
            if stage == num_greedy + settings.most_rounds:
                self.cut = f"Shorter sets were still found after {settings.most_rounds} rounds."
                break
            # a search that is over would go on from what is kept
            self.steps.keep(self.state(stage))
        if self.cut and not self.best.motifs:
            # sets of one motif are known already
            alone = self._shortest_alone(self.alone.values())
            if alone is not None:
                self.keep_shorter(alone)
        return self.best

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
        if self.cost(other) < self.cost(self.best) - _EQUAL:
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
                is_worth_it = self.cost(longer) < self.cost(description) - _EQUAL
                if is_worth_it and score > best_score + _EQUAL:
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
        for code in sorted(bounds, key=lambda code: (-bounds[code], code)):
            bound = bounds[code]
            if code in banned:
                continue
            # the others can score no more than those that are known
            if bound < settings.hopeless:
                break
            if len(scores) >= settings.num_measured and bound < scores[-settings.num_measured]:
                break
            if not description.motifs:
                choice = self.alone[code]
            else:
                choice = self.choose(description, self.candidates[code], freed)
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
        # the same copies were left out in the same way before
        left_out = tuple(best.motifs[number] for number in gap.numbers)
        if (left_out, gap.exponent) in self.tried:
            return best
        self.tried.add((left_out, gap.exponent))
        fewer = best
        for number in sorted(gap.numbers, reverse=True):
            fewer = fewer.without(number)
        return self.add(fewer, gap.exponent, best.used & ~fewer.used, gap.banned)

    def cover(self, codes: Sequence[bytes]) -> Description:
        """The set of some structures, each of which chooses its copies on what those before leave.

        One that finds none is left out.
        """
        description = self.empty
        for code in codes:
            description = self._covered(description, code)
        return description

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
        alone = [self.with_choice(self.empty, one) for one in known[: self.settings.num_measured]]
        return min(alone, key=lambda one: one.length, default=None)

    def missing(self, best: Description, code: bytes) -> float:
        """Bits that a set grows by with a structure; infinite where it has too few copies."""
        candidate = self.candidates[code]
        longer = []
        choice = self.proposals.choose(best, candidate, None, -np.inf)
        if choice is not None:
            longer.append(self.with_choice(best, choice))
        if self.covers(best):
            covered = self.cover(put_in(self, codes_of(best), candidate))
            if code in codes_of(covered):
                longer.append(covered)
        return min((after.length - best.length for after in longer), default=np.inf)

    def worth(self, best: Description, number: int) -> float:
        """Bits that a set grows by without a motif; the others stay, or choose copies anew."""
        fewer = [best.without(number)]
        if best.nodes_apart and self.covers(best):
            codes = codes_of(best)
            fewer.append(self.cover(codes[:number] + codes[number + 1 :]))
        return min(after.length for after in fewer) - best.length

    def covers(self, description: Description) -> bool:
        """Whether the search could cover with the motifs of a set: it knows their copies."""
        is_exact = not any(len(motif.edits) for motif in description.motifs)
        return is_exact and {*codes_of(description)} <= {*self.candidates}

    # kept between moves

    def state(self, stage: int) -> SearchState:
        """What the search would go on from, in a stage."""
        best = self.best
        number_of = {motif: number for number, motif in enumerate(best.motifs)}
        tried = [
            (tuple(number_of[motif] for motif in motifs), exponent)
            for motifs, exponent in self.tried
            if all(motif in number_of for motif in motifs)
        ]
        return SearchState(
            stage,
            tuple(replace(motif, structure=bare(motif.structure)) for motif in best.motifs),
            tuple(candidate.bare() for candidate in self.candidates.values()),
            self.num_steps,
            tuple(sorted(tried)),
            self.exact,
        )

    def resume(self, state: SearchState) -> None:
        """Go on from the best set of a state, with all that was known."""
        self.take([self.proposals.completed(candidate) for candidate in state.candidates])
        best = self.empty
        for motif in state.motifs:
            structure = self.empty.code.named(motif.structure)
            best = best.add(structure, motif.copies, motif.sources)
        self.best = best
        self.stage = state.stage
        self.num_steps = state.num_steps
        self.tried = {
            (tuple(best.motifs[number] for number in numbers), exponent)
            for numbers, exponent in state.tried
        }
