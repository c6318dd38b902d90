"""The motif set of one graph, given its degrees, or its degrees and blocks of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gomkcn.mining.filters.filter_proposals import MOST_EDGES
from gomkcn.mining.motif_sets.blocks import find_blocks
from gomkcn.mining.motif_sets.coded_set import Answer, CodedSet
from gomkcn.mining.motif_sets.drawing_fits import NEAR
from gomkcn.mining.motif_sets.graph_candidates import GraphProposals
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.search_settings import SearchSettings
from gomkcn.mining.motif_sets.searching import LEAST_SAVED, Question, SearchInBase
from gomkcn_dgl.runtime.steps import Steps

# nodes of a motif where no sizes are given
SIZES = range(3, 9)
GRAPH_SEARCH = SearchSettings()
# whether motifs of the degrees save beside blocks is seen from one greedy set of them
DECIDING_SEARCH = SearchSettings(exponents=(0.0,), num_measured=1, most_rounds=0)
# starts after the first, those that are made where the sets of these differ, and the most edges of
# a graph in which they are: the search there takes seconds, and half a minute
_STARTS = ((1,), MOST_EDGES), ((2, 3), 1_000)
_DECIDED = "Motifs save bits beside the blocks, which decides; no others were searched for."


def answer_of_graph(question: Question, steps: Steps) -> Answer:
    """The motif set of a graph, and that in the other base where this was looked at.

    The answer is given the degrees, except where the graph is shorter given a partition into
    blocks as well *and* no motif is found beyond these. Blocks are looked at where they alone make
    it shorter by 10 bits, in a graph of one undirected relation, without categories and with more
    than 20 edges.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn.mining.structures.mined_graph import MinedGraph
    >>> rings = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    >>> question = Question(MinedGraph.of(rings), sizes=range(3, 6))
    >>> found, other = answer_of_graph(question, Steps())
    >>> [(motif.structure.num_nodes, len(motif.copies)) for motif in found.motifs], found.base
    ([(4, 6)], 'degrees')
    """
    empty = GraphDescription.of(GraphCode.of(question.mined))
    found = search_from_starts(question, empty, steps)
    blocks = find_blocks(empty.code, is_late=steps.is_late)
    if blocks is None:
        return Answer(found, None)
    in_blocks = GraphDescription.of(empty.code.given(blocks))
    if in_blocks.length > found.bits_base - LEAST_SAVED:
        return Answer(found, None)
    # 1. the motifs of the degrees may save beside the blocks
    known = replace(question, proposed=(), grows=False, exact_copies=True).beside([found])
    name = "looking whether the motifs save beside blocks"
    other = steps.once(name, CodedSet, search_graph, known, in_blocks, steps, DECIDING_SEARCH)
    if other.motifs:
        return Answer(found, replace(other, cut=_DECIDED))
    # 2. or others do
    other = steps.once(
        "searching for the motif set given blocks",
        CodedSet,
        search_graph,
        question.ungiven,
        in_blocks,
        steps,
    )
    if question.has_given:
        name = "searching for the motif set given blocks with what is given"
        every = question.beside([other])
        other = steps.once(
            name, CodedSet, search_graph, every, in_blocks, steps, GRAPH_SEARCH, other
        )
    if not other.motifs and other.bits_total <= found.bits_total - LEAST_SAVED:
        return Answer(other, found)
    return Answer(found, other)


def search_from_starts(question: Question, empty: GraphDescription, steps: Steps) -> CodedSet:
    """The best set of searches that start from other random numbers, and of what they have in all.

    Two start, or one in a graph of more than 10,000 edges; in one of up to 1,000 two more do where
    these differ. Their sets are crossed: a search goes on from the best of them, to which the
    motifs of all are proposed. These are for exact copies, without what is given, which a search at
    the end tries beside the best of them; it looks for copies that may differ as well.
    """
    exact = replace(question.ungiven, exact_copies=True)

    def search(start: int) -> CodedSet:
        return search_graph(exact.started(start), empty, steps)

    # 1. the first one ends with what it has when time is up, the others may be left out
    sets = steps.each("searching for the motif set", CodedSet, search, [0])
    for starts, most_edges in _STARTS:
        is_open = len(sets) == 1 or _differ(sets)
        if is_open and empty.code.num_edges <= most_edges:
            name = "searching for the motif set from another start"
            sets += steps.each(name, CodedSet, search, starts, in_time=True)
    best = min(sets, key=lambda found: found.bits_total)
    # 2. what their sets have in all
    if _differ(sets) and not steps.is_late():
        every = exact.beside(sets)
        name = "crossing the motif sets"
        best = steps.once(name, CodedSet, search_graph, every, empty, steps, GRAPH_SEARCH, best)
    # 3. what is given, and copies that may differ
    if question.has_given or not (question.exact_copies or best.cut):
        what = "what is given" if question.exact_copies else "copies that may differ"
        name = f"searching for the motif set with {what}"
        every = question.beside([best, *sets])
        found = steps.once(name, CodedSet, search_graph, every, empty, steps, GRAPH_SEARCH, best)
        return found.from_starts(sets, best)
    return best.from_starts(sets, best)


def _differ(sets: Sequence[CodedSet]) -> bool:
    """Whether some sets have not all the same structures."""
    return len({found.codes for found in sets}) > 1


def search_graph(
    question: Question,
    empty: GraphDescription,
    steps: Steps,
    settings: SearchSettings = GRAPH_SEARCH,
    known: CodedSet | None = None,
) -> CodedSet:
    """Search for the motif set of a graph in one base, from the graph without motifs.

    Motifs have at least two copies; there are none where they save less than 10 bits. A set that is
    ``known`` is the least that is found.
    """
    sizes = question.sizes or SIZES
    proposals = GraphProposals(empty, sizes, question.seed, steps.is_late)
    search = SearchInBase(empty, proposals, settings, sizes, NEAR, steps)
    blocks: np.ndarray | None = empty.code.blocks
    base = "degrees" if blocks is None else "blocks"
    found = search.run(question, base, known)
    return replace(found, blocks=blocks, error=empty.residual.error)
