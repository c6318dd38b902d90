"""A search for the motifs of a graph or a collection in one base, from its proposals to its words.

Given structures are proposed beside those that the graph shows; and what was found is told in the
structures that a user knows, each with what it is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.candidate import LEAST_COPIES, Candidate
from gomkcn.mining.motif_sets.coded_set import CodedSet, GivenPattern
from gomkcn.mining.motif_sets.collection_copies import least_graphs
from gomkcn.mining.motif_sets.description import Description
from gomkcn.mining.motif_sets.drawing_fits import DrawingFits, NearSettings, drawing_of
from gomkcn.mining.motif_sets.motif_search import MotifSearch, MotifSearchState
from gomkcn.mining.motif_sets.moves import codes_of
from gomkcn.mining.motif_sets.near_copies import NearProposals
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn.mining.motif_sets.proposals import Proposals
from gomkcn.mining.motif_sets.search_settings import EQUAL, SearchSettings
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.node_sets import distinct_structures
from gomkcn.mining.structures.occurrences import pick_disjoint
from gomkcn.mining.structures.pattern import Pattern, merge
from gomkcn_dgl.graphs.shapes import count
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

    @property
    def has_given(self) -> bool:
        """Whether a structure was given."""
        return any("given" in pattern.sources for pattern in self.proposed)

    @property
    def ungiven(self) -> Question:
        """The same without what was given, but for what others propose as well."""
        others = [
            replace(pattern, sources=tuple(name for name in pattern.sources if name != "given"))
            for pattern in self.proposed
        ]
        return replace(self, proposed=[pattern for pattern in others if pattern.sources])

    def started(self, number: int) -> Question:
        """The same from a start with a number, the first of which has the seed that was given.

        Where the graph itself shows structures, every second one is without what was proposed: it
        may stand in the way of better sets.
        """
        if not number:
            return self
        (seed,) = np.random.SeedSequence([self.seed, number]).generate_state(1)
        proposed = () if self.grows and number % 2 else self.proposed
        return replace(self, seed=int(seed), proposed=proposed)

    def beside(self, known: Sequence[CodedSet]) -> Question:
        """The same, where the motifs of sets that are known are proposed as well."""
        motifs = [motif for found in known for motif in found.motifs]
        proposed = [Pattern(motif.structure, sources=motif.sources) for motif in motifs]
        return replace(self, proposed=merge([*self.proposed, *proposed]))


class _Ended(NamedTuple):
    """What a search ended with."""

    search: MotifSearch  # of exact copies
    best: Description  # whose copies may differ
    cut: str


@dataclass(frozen=True, eq=False)
class SearchInBase:
    """A search in one base: what it is given, and how it says what it found."""

    empty: Description
    proposals: Proposals
    settings: SearchSettings
    near_sizes: range  # nodes of a motif whose copies may differ
    near_settings: NearSettings
    steps: Steps

    def run(
        self,
        question: Question,
        base: str,
        known: CodedSet | None = None,
        to_beat: CodedSet | None = None,
    ) -> CodedSet:
        """Search, with the structures that were proposed, and those that the graph shows.

        A set that is ``known``, without what is given, is the least that is found. Where nothing is
        given and copies may differ, exact ones are not searched for again. A search that is far
        behind a set ``to_beat`` ends early.
        """
        given: dict[bytes, Sequence[Candidate]] = {}
        others: list[Candidate] = []
        for pattern in question.proposed:
            candidates = self.proposals.give(pattern.structure, pattern.sources)
            if "given" in pattern.sources:
                given[pattern.key] = candidates
            else:
                others += candidates
        drawn = [candidate for some in given.values() for candidate in some]
        search, best, cut = self._search(question, [*drawn, *others], drawn, known, to_beat)
        if self.empty.length - best.length < LEAST_SAVED:
            best = self.empty
        bits_known = 0.0 if known is None else known.bits_saved
        best, of_given = self._try_given(search, best, given, bits_known)
        motifs = [
            replace(motif, sources=("given", *motif.sources))
            if motif.structure.key in given and "given" not in motif.sources
            else motif
            for motif in self._motifs(search, best)
        ]
        closest = None
        if not best.motifs and known is not None:
            closest = known.closest
        elif not best.motifs and (description := search.closest()) is not None:
            (closest,) = self._motifs(search, description)
        return CodedSet(
            tuple(motifs),
            self.empty.length,
            best.length,
            base,
            cut=cut,
            closest=closest,
            given=of_given,
        )

    def _search(
        self,
        question: Question,
        candidates: Sequence[Candidate],
        given: Sequence[Candidate],
        known: CodedSet | None,
        to_beat: CodedSet | None,
    ) -> _Ended:
        """Search for exact copies, and then for others, from what is kept if there is some."""
        state = self.steps.kept(MotifSearchState)
        search = MotifSearch(self.empty, self.proposals, self.settings, self.steps)
        before = self.empty if known is None else search.set_of(known.motifs)
        exact = self.empty if any(len(motif.edits) for motif in before.motifs) else before
        # 1. exact copies
        if state is not None and state.exact is not None:
            # copies that differ were looked for already
            search.resume(state.exact)
        elif known is None or given or question.exact_copies:
            search.run(candidates, state, grows=question.grows, known=exact, to_beat=to_beat)
            state = None
        else:
            search.take(candidates)
            search.start_from(exact)
        # 2. copies that may differ
        shows_some = question.grows or search.candidates
        if question.exact_copies or search.cut or not shows_some:
            return _Ended(search, min(search.best, before, key=search.cost), search.cut)
        near = self._search_drawings(question, search, given, state)
        best = min(self._chosen(search.best, near.best), before, key=search.cost)
        cut = near.cut if best is near.best or self.steps.is_late() else ""
        return _Ended(search, best, cut)

    def _search_drawings(
        self,
        question: Question,
        search: MotifSearch,
        given: Sequence[Candidate],
        state: MotifSearchState | None,
    ) -> MotifSearch:
        """The search for motifs whose copies may differ, after that for exact ones."""
        exact = search.best
        fits = DrawingFits(self.empty, self.near_sizes, question.seed, self.near_settings)
        drawings = [drawing_of(motif.structure, motif.copies) for motif in exact.motifs]
        drawings += [drawing_of(candidate.structure) for candidate in given]
        drawings = [drawing for drawing in drawings if drawing.structure.num_nodes in fits.sizes]
        # several true motifs save more together than any one does, but the pieces of one motif save
        # less than that motif
        least_alone = self.empty.length - exact.length
        near = MotifSearch(
            self.empty,
            NearProposals(fits, drawings, self.steps.is_late, least_alone),
            NEAR_SEARCH,
            self.steps,
            "looking for copies that differ from their motif",
            search.state(),
        )
        near.run(state=state, least_alone=least_alone)
        return near

    def _chosen(self, exact: Description, near: Description) -> Description:
        """The set whose copies may differ, where it is worth it, or that of exact copies."""
        saved = self.empty.length - exact.length
        is_worth_it = self.empty.length - near.length > self.near_settings.times_exact * saved
        return near if is_worth_it else exact

    def _try_given(
        self,
        search: MotifSearch,
        best: Description,
        given: Mapping[bytes, Sequence[Candidate]],
        bits_known: float,
    ) -> tuple[Description, dict[bytes, GivenPattern]]:
        """The set with each given structure that makes it shorter, and what came of each.

        One that categories divide is in the set where one of its kinds is.
        """
        # 1. the set with each, as long as that is shorter
        tried: dict[bytes, Description | None] = {}
        is_shorter = True
        while is_shorter and not self.steps.is_late():
            is_shorter = False
            for key, candidates in given.items():
                if _holds(best, candidates):
                    continue
                sets = [search.with_structure(best, candidate.code) for candidate in candidates]
                having = [other for other in sets if other is not None]
                tried[key] = shortest = min(having, key=search.cost, default=None)
                if (
                    shortest is not None
                    and self.empty.length - shortest.length >= LEAST_SAVED
                    and search.cost(shortest) < search.cost(best) - EQUAL
                ):
                    best = shortest
                    is_shorter = True
        # 2. why each is in it or not
        saved = f"{self.empty.length - best.length:,.1f} bits"
        if bits_known >= LEAST_SAVED:
            saved += f"; {bits_known:,.1f} bits where nothing is given"
        return best, {
            key: GivenPattern(0.0, f"is in the set, which saves {saved}")
            if _holds(best, candidates)
            else self._reason(search, best, candidates, tried.get(key))
            for key, candidates in given.items()
        }

    def _reason(
        self,
        search: MotifSearch,
        best: Description,
        candidates: Sequence[Candidate],
        tried: Description | None,
    ) -> GivenPattern:
        """Why a given structure is not in a set, beside the shortest set that was found with it."""
        if tried is None:
            is_late = self.steps.is_late()
            # in a collection copies are taken only where they pay together
            other = "time was up before it was tried" if is_late else "its copies save no bits"
            why = self._shortage(candidates) or other
            return GivenPattern(None, f"is not in the set: {why}")
        bits = tried.length - best.length
        if bits <= 0:
            return GivenPattern(
                bits, f"is not in the set: it saves {-bits:,.1f} bits, {LEAST_SAVED:.0f} are needed"
            )
        costs = f"costs {bits:,.1f} bits more"
        if best.motifs and not any(search.finds_room(best, known.code) for known in candidates):
            costs = f"its copies are used by other motifs, a set with it {costs}"
        else:
            costs = f"it {costs}"
        return GivenPattern(bits, f"is not in the set: {costs}")

    def _shortage(self, candidates: Sequence[Candidate]) -> str:
        """That all kinds of a structure have too few copies; empty where one has enough."""
        empty = self.empty
        most = 0
        most_graphs = 0
        for candidate in candidates:
            apart = pick_disjoint(candidate.copies if empty.nodes_apart else candidate.edges)
            copies = candidate.copies[apart]
            most = max(most, len(copies))
            most_graphs = max(most_graphs, len(np.unique(empty.graph.graph_of(copies[:, 0]))))
        if most < LEAST_COPIES:
            return f"it has {'1 copy' if most else 'no copy'}, {LEAST_COPIES} are needed"
        least = least_graphs(empty.code) if empty.nodes_apart else 1
        if most_graphs < least:
            return f"it has copies in {count(most_graphs, 'graph')}, {least} are needed"
        return ""

    def _motifs(self, search: MotifSearch, best: Description) -> tuple[PlacedMotif, ...]:
        """The motifs in their order, nodes as in canonical order, and what each is worth."""
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
        return tuple(motifs)


def _holds(description: Description, candidates: Sequence[Candidate]) -> bool:
    """Whether one of some structures is a motif of a set."""
    return not {candidate.code for candidate in candidates}.isdisjoint(codes_of(description))
