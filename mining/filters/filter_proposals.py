"""Filters of each size as structures that may be motifs.

What a search for motifs sees by itself are sets of nodes that grow at random. In a clustered graph
those of a motif are few beside all others, and what tells it is that random graphs with the same
degrees do not have it: this is what filters are chosen for.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gomkcn.mining.filters.contrast import Structures, choose_of_size
from gomkcn.mining.filters.neighbourhoods import Neighbourhoods
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn.mining.structures.fragments import holds_molecules
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import SubgraphSettings, usual_hops

# nodes of the filters that propose: smaller structures grow anyway, and of larger ones every
# subgraph around a node is another
_SIZES = range(4, 9)
# filters of each size: with these the planted motifs of clustered graphs are among them, and the
# search takes no longer
_OF_SIZE = 8
# random graphs, and roots
_NUM_RANDOM = 5
_MOST_ROOTS = 2_000
# above, a search starts once, and that of grown sets alone ends with more: of ca-GrQc 33,913 bits,
# where filters propose as well 32,355
MOST_EDGES = 10_000


def check_proposals(graph: CSRGraph, sizes: range | None) -> None:
    """Refuse a graph, or sizes of motifs, of which no filter is proposed, where nothing else is."""
    why = _why_none(graph)
    if not why and sizes is not None and not set(sizes) & set(_SIZES):
        why = f"they have {_SIZES[0]} to {_SIZES[-1]} nodes"
    if why:
        raise InputError("sources", f'must not be "filters" alone: {why}', way_out='add "grown"')


def _why_none(graph: CSRGraph) -> str:
    """Why no filter of a graph is proposed; empty where some may be."""
    if holds_molecules(graph.relations):
        return "molecules, whose random graphs chemistry rules out, have none"
    if graph.num_edges > MOST_EDGES:
        return f"graphs with more than {MOST_EDGES:,} edges have none"
    return ""


def propose_filters(
    mined: MinedGraph, sizes: range, seed: int, steps: Steps
) -> tuple[Structure, ...]:
    """The first filters of each size from 4 to 8, those that random graphs do not explain.

    Parameters
    ----------
    mined : MinedGraph
        A graph or a collection. Of molecules, whose random graphs chemistry rules out, and of
        graphs with more than 10,000 edges there are none.
    sizes : range
        Nodes of a motif: filters of other sizes are not looked for.
    seed : int
        Of the random graphs, and of the roots, which are 2,000 nodes at most.
    steps : Steps
        What was found before time was up is returned.

    Returns
    -------
    tuple of Structure
        At most eight of each size.

    Examples
    --------
    >>> import networkx as nx
    >>> rings = nx.disjoint_union_all([nx.complete_graph(5)] * 6 + [nx.cycle_graph(40)])
    >>> found = propose_filters(MinedGraph.of(rings), range(3, 7), 0, Steps())
    >>> [(structure.num_nodes, len(structure.edges)) for structure in found]
    [(4, 6), (5, 10)]
    """
    graph = mined.graph
    if not graph.num_edges or _why_none(graph):
        return ()
    try:
        return (*_of_each_size(mined, sizes, seed, steps),)
    except TimeUpError:
        steps.is_partial = True
        return ()


def _of_each_size(mined: MinedGraph, sizes: range, seed: int, steps: Steps) -> Iterator[Structure]:
    graph = mined.graph
    roots = np.arange(graph.num_nodes)
    if len(roots) > _MOST_ROOTS:
        # the second number keeps this stream apart from the others of the same seed
        rng = np.random.default_rng([seed, 7])
        roots = np.sort(rng.choice(roots, _MOST_ROOTS, replace=False))
    random = RandomGraphs(null_model("degree", graph), graph, seed, steps.check_time)
    graphs = [graph, *(random.draw(number) for number in range(_NUM_RANDOM))]
    for size in sizes:
        if size not in _SIZES:
            continue
        settings = SubgraphSettings(usual_hops(size), size, "dense", seed)
        sampled = [Neighbourhoods.sample(other, settings, roots, mined.colors) for other in graphs]
        steps.check_time()
        known = Structures.of(sampled)
        here, *_ = sampled
        for number in choose_of_size(known, here, size, graph.relations.links, _OF_SIZE):
            row = int((known.of_root[0] == number).argmax())
            links = here.batch.links[row][:size, :size]
            colors = None if here.colors is None else here.colors[row][:size]
            yield mined.structure(links, colors)
