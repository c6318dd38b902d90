"""A search for the motifs of a graph or a collection in one base, from its proposals to its words.

Given structures are proposed beside those that the graph shows; and what was found is told in the
structures that a user knows, each with what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn.mining.motif_sets.candidate import Candidate
from gomkcn.mining.motif_sets.coded_set import CodedSet
from gomkcn.mining.motif_sets.description import Description
from gomkcn.mining.motif_sets.drawing_fits import DrawingFits, NearSettings, drawing_of
from gomkcn.mining.motif_sets.motif_search import MotifSearch, MotifSearchState
from gomkcn.mining.motif_sets.near_copies import NearProposals
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn.mining.motif_sets.proposals import Proposals
from gomkcn.mining.motif_sets.search_settings import SearchSettings
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.node_sets import distinct_structures
from gomkcn.mining.structures.pattern import Pattern
from gomkcn_dgl.runtime.steps import Steps

# a set that saves less is not reported, in bits
LEAST_SAVED = 10.0
# a gain is no estimate; by bits an edge, two motifs come before one drawing that is near both
NEAR_SEARCH = SearchSettings(
    exponents=(0.0, 1.0),
    least_estimate=0.0,
    more_than_estimate=1.0,
    bits_more_than_estimate=1.0,
    least_of_motif=LEAST_SAVED,
)


@dataclass(frozen=True, eq=False)
class Question:
    """What motifs are searched for."""

    mined: MinedGraph
    sizes: range | None = None  # nodes of a motif; None for those that are usual
    seed: int = 0  # the same seed finds the same set
    proposed: Sequence[Pattern] = ()  # structures to try; it is said of those given what they miss
    grows: bool = True  # whether the graph itself shows structures as well
    exact_copies: bool = False  # whether copies must have the edges of their motif and no others


@dataclass(frozen=True, eq=False)
class SearchInBase:
    """A search in one base: what it is given, and how it says what it found."""

    empty: Description
    proposals: Proposals
    settings: SearchSettings
    near_sizes: range  # nodes of a motif whose copies may differ
    near_settings: NearSettings
    steps: Steps

    def run(self, question: Question, base: str) -> CodedSet:
        """Search, with the structures that were proposed, and those that the graph shows."""
        proposed = question.proposed
        candidates_of = {
            pattern.key: self.proposals.give(pattern.structure, pattern.sources)
            for pattern in proposed
        }
        given = [candidate for some in candidates_of.values() for candidate in some]
        search = MotifSearch(self.empty, self.proposals, self.settings, self.steps)
        state = self.steps.kept(MotifSearchState)
        if state is None or state.exact is None:
            best = search.run(given, state, grows=question.grows)
            state = None
        else:
            # copies that differ were looked for already
            search.resume(state.exact)
            best = search.best
        cut = search.cut
        if not (question.exact_copies or cut):
            best, cut = self._with_drawings(question, search, given, state)
        if self.empty.length - best.length < LEAST_SAVED:
            best = self.empty
        missing = {
            pattern.key: self._missing(search, best, candidates_of[pattern.key])
            for pattern in proposed
            if "given" in pattern.sources
        }
        closest = None if best.motifs else search.closest()
        return CodedSet(
            self._motifs(search, best),
            self.empty.length,
            best.length,
            base,
            cut=cut,
            closest=None if closest is None else self._motifs(search, closest)[0],
            missing={key: bits for key, bits in missing.items() if bits is not None},
        )

    def _with_drawings(
        self,
        question: Question,
        search: MotifSearch,
        given: Sequence[Candidate],
        state: MotifSearchState | None,
    ) -> tuple[Description, str]:
        """The set whose copies may differ, where it is worth it, and where its search was cut."""
        exact = search.best
        settings = self.near_settings
        fits = DrawingFits(self.empty, self.near_sizes, question.seed, settings)
        drawings = [drawing_of(motif.structure, motif.copies) for motif in exact.motifs]
        drawings += [drawing_of(candidate.structure) for candidate in given]
        drawings = [drawing for drawing in drawings if drawing.structure.num_nodes in fits.sizes]
        near = MotifSearch(
            self.empty,
            NearProposals(fits, drawings, self.steps.is_late),
            NEAR_SEARCH,
            self.steps,
            "looking for copies that differ from their motif",
            search.state(),
        )
        # several true motifs save more together than any one does, but the pieces of one motif save
        # less than that motif
        saved = self.empty.length - exact.length
        found = near.run(state=state, least_alone=saved)
        if self.empty.length - found.length > settings.times_exact * saved:
            return found, near.cut
        return exact, near.cut if self.steps.is_late() else ""

    def _missing(
        self, search: MotifSearch, best: Description, candidates: Sequence[Candidate]
    ) -> float | None:
        """Bits that a set grows by with a structure, infinite where it cannot; None if it is in."""
        codes = {candidate.code for candidate in candidates}
        if codes & {motif.structure.code for motif in best.motifs}:
            return None
        return min((search.missing(best, code) for code in codes), default=np.inf)

    def _motifs(self, search: MotifSearch, best: Description) -> tuple[PlacedMotif, ...]:
        """The motifs, nodes in canonical order, and what the set grows by without each."""
        motifs = []
        before = self.empty
        for number, motif in enumerate(best.motifs):
            beside = before.add(motif.structure, motif.copies, motif.sources)
            share = before.length - beside.length
            before = beside
            drawn = motif.structure
            (structure,), (order,), _ = distinct_structures(
                drawn.links[None], drawn.colors[None], drawn.relations, drawn.palette
            )
            edits = motif.edits.copy()
            edits[:, 1:3] = np.argsort(order)[edits[:, 1:3]]
            motifs.append(
                replace(
                    motif,
                    structure=structure,
                    copies=motif.copies[:, order],
                    bits=search.worth(best, number),
                    share=share,
                    edits=edits,
                )
            )
        return tuple(sorted(motifs, key=lambda motif: (-motif.bits, motif.structure.key)))
