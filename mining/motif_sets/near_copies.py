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
from gomkcn_dgl.graphs.structure import Structure


@dataclass(frozen=True, eq=False)
class NearProposals:
    """What proposes drawings for a graph or a collection, and chooses copies of them.

    ``drawings`` are fitted beside those of dense sets.
    """

    fits: DrawingFits
    drawings: Sequence[Candidate] = ()
    is_late: Callable[[], bool] = never

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
        # 2. the best ones, fitted to all sets and measured
        ranked = sorted(quick.values(), key=lambda choice: -choice.gain)[: settings.refitted]
        found = []
        for choice in ranked:
            drawing = replace(choice.candidate, copies=choice.copies)
            starts = sets[drawing.structure.num_nodes]
            refitted = fits.fit(description, drawing, starts, settings.rounds, least=0.0)
            if refitted is not None:
                found.append(refitted)
        return [choice.candidate for choice in sorted(found, key=lambda choice: -choice.gain)]

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

    def redrawn(
        self, description: Description, number: int, tried: set[tuple[bytes, bytes, bool]]
    ) -> Iterator[Choice]:
        """Other drawings of a motif that save more beside the others; none that was ``tried``."""
        fits = self.fits
        settings = fits.settings
        motif = description.motifs[number]
        others = description.without(number)
        drawing = fits.drawn(others, motif.copies, motif.structure.colors)
        if drawing is None:
            return
        drawing = replace(drawing, structure=motif.structure, sources=motif.sources)
        least = others.length - description.length + settings.least_change
        sets = fits.dense_sets(fits.empty)
        for changed, is_wide in self._changes(others, drawing):
            if changed is None or self.is_late():
                continue
            key = changed.structure.links.tobytes(), changed.copies.tobytes(), is_wide
            if key in tried:
                continue
            tried.add(key)
            starts = changed.copies[:0]
            if is_wide and changed.structure.num_nodes in sets:
                starts = sets[changed.structure.num_nodes][: settings.sets_to_polish]
            rounds = settings.rounds if is_wide else settings.few_rounds
            choice = fits.fit(others, changed, starts, rounds, least)
            if choice is not None and choice.gain > least:
                yield choice

    def _changes(
        self, others: Description, drawing: Candidate
    ) -> Iterator[tuple[Candidate | None, bool]]:
        """Drawings like one, and whether other copies than those near its own are looked for."""
        fits = self.fits
        # 1. the same, a node more, or a pair otherwise
        yield drawing, True
        larger = [*fits.with_a_node(others, drawing)]
        for changed in (*larger, *fits.with_a_pair(others, drawing)):
            yield changed, False
        # 2. what copies agree on in other orders
        for changed in (drawing, *larger):
            yield fits.softened(others, changed), False
        rng = np.random.default_rng([fits.seed, 41])
        for _ in range(fits.settings.shaken):
            yield fits.softened(others, fits.exchanged(drawing, rng)), False
