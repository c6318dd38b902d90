"""The motif set of a collection of graphs, in the base that makes its description shortest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gomkcn.mining.motif_sets.blocks import Blocks, bits_without, cliques_of, find_shared_blocks
from gomkcn.mining.motif_sets.coded_set import Answer, CodedSet
from gomkcn.mining.motif_sets.collection_candidates import CollectionProposals, GrownStructures
from gomkcn.mining.motif_sets.collection_code import CollectionCode
from gomkcn.mining.motif_sets.collection_copies import LEAST_GRAPHS
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.drawing_fits import NearSettings
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn.mining.motif_sets.search_settings import SearchSettings
from gomkcn.mining.motif_sets.searching import LEAST_SAVED, Question, SearchInBase
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from gomkcn_dgl.runtime.steps import Steps

# nodes of a motif where no sizes are given
SIZES = range(2, 11)
# each greedy step looks at hundreds of structures, and what is larger must come before its parts
COLLECTION_SEARCH = SearchSettings(
    exponents=(0.0,),
    # estimates are off by tens of bits
    least_estimate=-np.inf,
    bits_more_than_estimate=np.inf,
    hopeless=-np.inf,
    more_than_alone=1.0,
    bits_more_than_alone=50.0,
    least_of_motif=LEAST_SAVED,
    least_of_round=1.0,
    least_share_of_round=0.0,
)
# a length of a collection takes some ten times as long as one of a graph
COLLECTION_NEAR = NearSettings(refitted=2)
# nodes that a motif whose copies may differ has more than the largest that grows
_MORE_NODES = 2
# a block with such a share of its edges is a clique that lacks some, where copies may differ
_LEAST_OF_CLIQUE = 0.75
# entries of a graph whose blocks are looked for, which takes seconds
_MOST_ENTRIES = 1 << 20


def answer_of_collection(question: Question, steps: Steps) -> Answer:
    """The motif set of a collection, and that of the other base.

    The answer has the shorter total. The bases are "typed" and "total", or "total" alone where all
    edges are alike; the search in the one that is longer without motifs ends after its greedy sets,
    where these are far behind. If nodes are alike as well, what motifs save must be more than what
    "blocks" save, or these are the answer, with a clique as a motif where most graphs have a block
    with all its edges; or, where copies may differ, with three quarters of them, and .85 over all
    graphs together.

    Examples
    --------
    >>> import networkx as nx
    >>> ring = nx.cycle_graph(6)
    >>> trees = [nx.random_labeled_tree(12, seed=k) for k in range(40)]
    >>> mined = MinedGraph.of([nx.disjoint_union(ring, tree) for tree in trees])
    >>> found, other = answer_of_collection(Question(mined, sizes=range(2, 8)), Steps())
    >>> [(motif.structure.num_nodes, len(motif.copies)) for motif in found.motifs], other
    ([(6, 40)], None)
    """
    mined = question.mined
    empty = empty_descriptions(mined)
    sizes = question.sizes or SIZES
    grown = GrownStructures(mined, empty, sizes, question.seed, steps.is_late, question.grows)

    def search(base: int) -> CodedSet:
        to_beat = min(sets, key=lambda found: found.bits_total, default=None)
        return search_collection(question.ungiven, grown, base, steps, None, to_beat)

    def search_beside(base: int) -> CodedSet:
        known = sets[bases.index(base)]
        to_beat = min(beside, key=lambda found: found.bits_total, default=None)
        every = question.beside([known])
        return search_collection(every, grown, base, steps, known, to_beat)

    # the base that is shorter without motifs comes first; the other one has its set to beat
    bases = sorted(range(len(empty)), key=lambda base: empty[base].length)
    sets: list[CodedSet] = []
    beside: list[CodedSet] = []
    for base in bases:
        sets += steps.each("searching for the motif set", CodedSet, search, [base])
    if question.has_given:
        name = "searching for the motif set with what is given"
        for base in bases:
            beside += steps.each(name, CodedSet, search_beside, [base])
    if len(bases) > 1:
        return _shortest(beside or sets)
    least_share = 1.0 if question.exact_copies else _LEAST_OF_CLIQUE
    return _or_blocks(mined, (beside or sets)[0], question.seed, least_share)


def empty_descriptions(mined: MinedGraph) -> tuple[CollectionDescription, ...]:
    """The collection without motifs, in each base that differs and can be used."""
    colors = np.zeros(1, np.int64) if mined.colors is None else np.unique(mined.colors)
    palette = mined.palette_of(colors)
    typed, total = (
        CollectionCode(mined.graph, mined.colors, base, palette) for base in ("typed", "total")
    )
    codes = [typed, total] if typed.two_bases and typed.is_possible else [total]
    return tuple(CollectionDescription.of(code) for code in codes)


def search_collection(
    question: Question,
    grown: GrownStructures,
    base: int,
    steps: Steps,
    known: CodedSet | None = None,
    to_beat: CodedSet | None = None,
) -> CodedSet:
    """Search for the motif set of a collection in one of its bases, by its number.

    A set that is ``known``, without what is given, is the least that is found. One of the other
    base, which is ``to_beat``, ends a search that is far behind it.
    """
    empty = grown.empty[base]
    search = SearchInBase(
        empty,
        CollectionProposals(empty, base, grown),
        COLLECTION_SEARCH,
        range(grown.sizes[0], grown.sizes[-1] + _MORE_NODES + 1),
        COLLECTION_NEAR,
        steps,
    )
    found = search.run(question, empty.code.base, known, to_beat)
    return replace(found, cut=grown.cut or found.cut)


def _shortest(sets: list[CodedSet]) -> Answer:
    """The set with the shortest total, if it is shorter than each base without motifs."""
    shortest_base = min(sets, key=lambda found: found.bits_base)
    best = min(sets, key=lambda found: found.bits_total)
    if shortest_base.bits_base - best.bits_total >= LEAST_SAVED:
        best = best.beside(shortest_base.bits_base)
    else:
        best = _without_motifs(shortest_base)
    return Answer(best, next((found for found in sets if found.base != best.base), None))


def _without_motifs(found: CodedSet) -> CodedSet:
    """The same without motifs, of which the best is what comes closest."""
    if not found.motifs:
        return found
    return replace(
        found,
        motifs=(),
        bits_total=found.bits_base,
        closest=found.best_motif,
        given=found.without_motifs("no motif saves 10 bits beside the shorter base"),
    )


def _or_blocks(mined: MinedGraph, found: CodedSet, seed: int, least_share: float) -> Answer:
    """The set of a collection whose edges are alike, or the blocks of its nodes.

    Blocks are the answer where they make the description shorter than all motifs do.
    """
    graph = mined.graph
    blocks = None
    if mined.colors is None and len(graph.indices) <= _MOST_ENTRIES:
        blocks = find_shared_blocks(graph, seed)
    if blocks is None or blocks.bits >= found.bits_base:
        return Answer(found, None)
    in_blocks = CodedSet(
        _cliques(graph, blocks, least_share),
        blocks.bits,
        blocks.bits,
        "blocks",
        blocks.labels,
        found.cut,
        found.closest,
        found.without_motifs("blocks alone describe the collection in fewer bits"),
    )
    if blocks.bits - found.bits_total >= LEAST_SAVED:
        return Answer(found.beside(blocks.bits), in_blocks)
    if found.motifs:
        in_blocks = replace(in_blocks, closest=found.best_motif)
    return Answer(in_blocks, found)


def _cliques(graph: CSRGraph, blocks: Blocks, least_share: float) -> tuple[PlacedMotif, ...]:
    """The block that is a clique in most graphs, as a motif; none where no block is."""
    nodes = cliques_of(graph, blocks, least_share)
    if len(nodes) < LEAST_GRAPHS:
        return ()
    clique = Structure.parse(f"clique-{nodes.shape[1]}")
    links = CompiledGraph.of(graph).links_of(nodes)
    missing = np.argwhere(np.tril(links == 0, -1))
    edits = np.column_stack([missing, np.full(len(missing), -1)])
    bits = bits_without(graph, blocks, nodes)
    return (PlacedMotif(clique, nodes, bits, bits, "block", edits=edits),)
