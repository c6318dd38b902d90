"""The drawings that are tried as motifs whose copies may differ from them.

A set of exact copies breaks a motif into pieces where edges of its copies have changed. So drawings
are proposed as well: those of dense sets of nodes, and of the motifs of exact copies. They are
fitted to what a description leaves over, and go through the same moves as all other structures.
One that is in a set is redrawn: with a node more, a pair joined or not, its copies in other orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn.mining.motif_sets.blocks import never
from gomkcn.mining.motif_sets.candidate import Candidate, Choice
from gomkcn.mining.motif_sets.description import Description
from gomkcn.mining.motif_sets.drawing_fits import DrawingFits, drawing_of
from gomkcn.mining.motif_sets.proposals import Proposals
from gomkcn_dgl.graphs.structure import Structure

# copies in other orders save less than so many times what they save in the first one
_MOST_TIMES_SHAKEN = 2.0


@dataclass(frozen=True, eq=False)
class NearProposals(Proposals):
    """What proposes drawings for a graph or a collection, and chooses copies of them.

    ``drawings`` are fitted beside those of dense sets. Where none of them saves ``least_alone``
    bits by itself, there is no search.
    """

    fits: DrawingFits
    drawings: Sequence[Candidate] = ()
    is_late: Callable[[], bool] = never
    least_alone: float = -np.inf

    def __call__(
        self, description: Description, number: int, known: Mapping[bytes, Candidate]
    ) -> list[Candidate]:
        """The drawings that save most in what a description leaves over, fitted to it."""
        fits = self.fits
        settings = fits.settings
        sets = fits.dense_sets(description)
        # 1. drawings, those of dense sets and given ones, fitted to few sets
        quick: dict[bytes, Choice] = {}
        for drawing in self._drawings(description, sets):
            if self.is_late():
                return []
            starts = sets[drawing.structure.num_nodes][: settings.few_sets]
            choice = fits.fit(description, drawing, starts, settings.few_rounds)
            if choice is not None:
                code = choice.candidate.code
                best = max(quick.get(code, choice), choice, key=lambda known: known.gain)
                quick[code] = best
        # 2. the best ones, fitted to all sets, measured and refined
        ranked = sorted(quick.values(), key=lambda choice: -choice.gain)[: settings.refitted]
        found: dict[bytes, Choice] = {}
        for ranked_choice in ranked:
            drawing = replace(ranked_choice.candidate, copies=ranked_choice.copies)
            starts = sets[drawing.structure.num_nodes]
            refitted = fits.fit(description, drawing, starts, settings.rounds, least=0.0)
            if refitted is not None:
                # beside others, the drawing may be better as it was
                for choice in (refitted, self._refined(description, refitted)):
                    code = choice.candidate.code
                    found[code] = max(found.get(code, choice), choice, key=lambda known: known.gain)
        # 3. the very best ones that save something, with their copies in other orders as well: this
        #    rarely brings ten bits
        best_first = sorted(found.values(), key=lambda choice: -choice.gain)
        saving = [choice for choice in best_first if choice.gain > 0]
        if number == 0 and saving and saving[0].gain < self.least_alone / _MOST_TIMES_SHAKEN:
            # there is no search, whatever the orders
            saving = []
        for choice in saving[: settings.shaken_drawings]:
            shaken = self._shaken(description, choice)
            found.setdefault(shaken.candidate.code, shaken)
        best_first = sorted(found.values(), key=lambda choice: -choice.gain)
        return [choice.candidate for choice in best_first]

    def _drawings(
        self, description: Description, sets: Mapping[int, np.ndarray]
    ) -> Iterator[Candidate]:
        """The drawings to start from: given ones, and those of dense sets."""
        yield from self.drawings
        for rows in sets.values():
            yield from self.fits.drawings_of(description, rows)

    def give(self, structure: Structure, sources: tuple[str, ...]) -> list[Candidate]:
        """A given structure as a drawing."""
        return [drawing_of(structure, sources=sources)]

    def choose(
        self,
        description: Description,
        candidate: Candidate,
        freed: np.ndarray | None,
        least_worth: float,
    ) -> Choice | None:
        """The copies of a drawing that save most beside a description that has none of it.

        They are looked for near those of the drawing, wherever these are.
        """
        if any(motif.structure.code == candidate.code for motif in description.motifs):
            return None
        return self.fits.fit(description, candidate, candidate.copies[:0], 1, least=0.0)

    def completed(self, candidate: Candidate) -> Candidate:
        """A candidate of which only the structure and the copies were kept."""
        return replace(candidate, structure=self.fits.empty.code.named(candidate.structure))

    def redrawn(self, description: Description, number: int) -> Iterator[Choice]:
        """Other drawings of a motif that save more beside the others."""
        fits = self.fits
        settings = fits.settings
        motif = description.motifs[number]
        others = description.without(number)
        drawing = fits.drawn(others, motif.copies, motif.structure.colors)
        if drawing is None:
            return
        drawing = replace(drawing, structure=motif.structure, sources=motif.sources)
        present = others.length - description.length
        before = Choice(drawing, motif.copies, len(motif.copies), present)
        choice = self._shaken(others, self._refined(others, before))
        if choice.gain > present + settings.least_change:
            yield choice

    def _shaken(self, others: Description, choice: Choice) -> Choice:
        """A choice with what its copies agree on in other orders, as long as that saves more.

        This may need some changes to be as good.
        """
        settings = self.fits.settings
        rng = np.random.default_rng([self.fits.seed, 41])
        failed = 0
        turn = 0
        while failed < settings.most_failed and turn < settings.shaken and not self.is_late():
            failed += 1
            drawing = replace(choice.candidate, copies=choice.copies)
            for turned in self._turned(others, drawing, turn, failed == 1, rng):
                after = self._fitted(others, turned, choice.gain, False)
                if after is None or after.gain < choice.gain - settings.nearly_best:
                    continue
                after = self._refined(others, after)
                if after.gain > choice.gain + settings.least_change:
                    choice = after
                    failed = 0
            turn += 1
        return choice

    def _refined(self, others: Description, choice: Choice) -> Choice:
        """A choice with changes of its drawing, as long as it saves more."""
        is_changed = True
        while is_changed:
            is_changed = False
            drawing = replace(choice.candidate, copies=choice.copies)
            for changed, is_wide in self._changes(others, drawing):
                after = self._fitted(others, changed, choice.gain, is_wide)
                if after is not None and after.gain > choice.gain + self.fits.settings.least_change:
                    choice = after
                    is_changed = True
                    break
        return choice

    def _fitted(
        self, others: Description, drawing: Candidate, least: float, is_wide: bool
    ) -> Choice | None:
        """Copies of a drawing that must save so many bits, or where it is wide near all sets."""
        fits = self.fits
        if self.is_late():
            return None
        starts = drawing.copies[:0]
        if is_wide:
            sets = fits.dense_sets(fits.empty).get(drawing.structure.num_nodes, starts)
            starts = sets[: fits.settings.sets_to_polish]
        rounds = fits.settings.rounds if is_wide else fits.settings.few_rounds
        return fits.fit(others, drawing, starts, rounds, least)

    def _changes(self, others: Description, drawing: Candidate) -> Iterator[tuple[Candidate, bool]]:
        """Drawings like one: the same near all sets, with a node more, or a pair otherwise."""
        yield drawing, True
        for changed in self.fits.with_a_node(others, drawing):
            yield changed, False
        for changed in self.fits.with_a_pair(others, drawing):
            yield changed, False

    def _turned(
        self,
        others: Description,
        drawing: Candidate,
        turn: int,
        is_new: bool,
        rng: np.random.Generator,
    ) -> Iterator[Candidate]:
        """What the copies of a drawing, and of a new one with a node more, agree on.

        They are in the orders that they have at first, and then in others.
        """
        fits = self.fits
        tried = [fits.exchanged(drawing, rng) if turn else drawing]
        if is_new:
            tried += fits.with_a_node(others, drawing)
        for changed in tried:
            softened = fits.softened(others, changed)
            if softened is not None:
                yield softened
