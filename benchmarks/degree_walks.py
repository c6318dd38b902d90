"""A random graph of given degrees by the walk, and by igraph's `rewire` of as many swaps.

The walk that knows of each pair which edge joins it is the one that graphs with directions or types
take; where all edges are of one kind both end at the same graph.
"""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
from census_speed import graphs_of, measured
from record import Bench

from gomkcn.mining.significance.null_draws import ATTEMPTS_PER_EDGE, walk_from
from gomkcn.mining.significance.null_models import DegreeWalk
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph import as_csr

SEED = 1


def main(bench: Bench) -> None:
    """Draw a random graph of each graph by each of the three."""
    table = bench.table(
        "Processor seconds of one random graph",
        {
            "graph": "",
            "nodes": ",",
            "edges": ",",
            "whether joined": "",
            "which edge": "",
            "ratio": ".1f",
            "same graph": "",
            "igraph": "",
            "ratio of igraph": ".1f",
        },
    )
    graphs = graphs_of(bench)
    if not bench.quick:
        graphs["preferential"] = as_csr(nx.barabasi_albert_graph(20_000, 5, seed=0))
    for name, graph in graphs.items():
        colors = DegreeWalk.of(graph).colors
        pairs, edges = (walk_from(graph, colors, by_edges=by_edges) for by_edges in (False, True))

        def draw_by_pairs(_: CSRGraph, pairs=pairs) -> CSRGraph:
            return pairs(SEED)[0]

        def draw_by_edges(_: CSRGraph, edges=edges) -> CSRGraph:
            return edges(SEED)[0]

        theirs = igraph.Graph(n=graph.num_nodes, edges=graph.adjacent_pairs().tolist())
        ours, spent = measured(graph, bench.repeats, draw_by_pairs)
        same, general = measured(graph, bench.repeats, draw_by_edges)
        # in place: each call goes on from where the last one ended
        number = ATTEMPTS_PER_EDGE * graph.num_edges
        _, peer = measured(graph, bench.repeats, lambda _, at=theirs, n=number: at.rewire(n))
        equal = "yes" if np.array_equal(ours.indices, same.indices) else "NO"
        table.add(
            name,
            graph.num_nodes,
            graph.num_edges,
            spent,
            general,
            general.median / spent.median,
            equal,
            peer,
            peer.median / spent.median,
        )
