"""The motif set of one graph, given its degrees, or its degrees and blocks of its nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gomkcn.mining.motif_sets.blocks import find_blocks
from gomkcn.mining.motif_sets.coded_set import Answer, CodedSet
from gomkcn.mining.motif_sets.drawing_fits import NEAR
from gomkcn.mining.motif_sets.graph_candidates import GraphProposals
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.search_settings import SearchSettings
from gomkcn.mining.motif_sets.searching import LEAST_SAVED, Question, SearchInBase
from gomkcn.mining.structures.pattern import Pattern
from gomkcn_dgl.runtime.steps import Steps

# nodes of a motif where no sizes are given
SIZES = range(3, 9)
GRAPH_SEARCH = SearchSettings()
# whether motifs of the degrees save beside blocks is seen from one greedy set of them
DECIDING_SEARCH = SearchSettings(exponents=(0.0,), num_measured=1, most_rounds=0)
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
    name = "searching for the motif set"
    found = steps.once(name, CodedSet, search_graph, question, empty, steps)
    blocks = find_blocks(empty.code, is_late=steps.is_late)
    if blocks is None:
        return Answer(found, None)
    in_blocks = GraphDescription.of(empty.code.given(blocks))
    if in_blocks.length > found.bits_base - LEAST_SAVED:
        return Answer(found, None)
    # 1. the motifs of the degrees may save beside the blocks
    proposed = [Pattern(motif.structure, sources=motif.sources) for motif in found.motifs]
    known = replace(question, proposed=proposed, grows=False, exact_copies=True)
    name = "looking whether the motifs save beside blocks"
    other = steps.once(name, CodedSet, search_graph, known, in_blocks, steps, DECIDING_SEARCH)
    if other.motifs:
        return Answer(found, replace(other, cut=_DECIDED))
    # 2. or others do
    name = "searching for the motif set given blocks"
    other = steps.once(name, CodedSet, search_graph, question, in_blocks, steps)
    if not other.motifs and other.bits_total <= found.bits_total - LEAST_SAVED:
        return Answer(other, found)
    return Answer(found, other)


def search_graph(
    question: Question,
    empty: GraphDescription,
    steps: Steps,
    settings: SearchSettings = GRAPH_SEARCH,
) -> CodedSet:
    """Search for the motif set of a graph in one base, from the graph without motifs.

    Motifs have at least two copies; there are none where they save less than 10 bits.
    """
    sizes = question.sizes or SIZES
    proposals = GraphProposals(empty, sizes, question.seed, steps.is_late)
    search = SearchInBase(empty, proposals, settings, sizes, NEAR, steps)
    blocks: np.ndarray | None = empty.code.blocks
    base = "degrees" if blocks is None else "blocks"
    found = search.run(question, base)
    return replace(found, blocks=blocks, error=empty.residual.error)
