"""The edges among some nodes are those of the graph, in every form."""

import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import edges_of
from gomkcn_dgl.relations import edge_channels
from mining.graph_relations import edges_among


def random_graph(rng, directed):
    size, number = 12, 40
    return csr_from_edges(
        rng.integers(0, size, number),
        rng.integers(0, size, number),
        size,
        directed=directed,
        relation=rng.integers(0, len(directed), number),
        relation_names=[f"r{i}" for i in range(len(directed))],
    )


@pytest.mark.parametrize("directed", [[False], [True], [True, False], [False, True, True]], ids=str)
def test_edges_are_those_of_the_graph(directed):
    rng = np.random.default_rng(len(directed))
    graph = random_graph(rng, directed)
    rows = rng.permutation(12)[:7]
    known = {
        (u, v, r) if directed[r] else (*sorted((u, v)), r)
        for u, v, r in np.column_stack(graph.edges()).tolist()
        if {u, v} <= set(rows.tolist())
    }
    edges = list(map(tuple, edges_among(graph, rows).tolist()))
    found = {
        (rows[u], rows[v], r) if directed[r] else (*sorted((rows[u], rows[v])), r)
        for u, v, r in edges
    }
    assert found == known and len(edges) == len(known)
    ends, numbers = [edge[:2] for edge in edges], [relation for *_, relation in edges]
    channels = edge_channels(len(rows), ends, numbers, graph.relations)
    assert edges_of(channels, graph.relations) == sorted(edges)
