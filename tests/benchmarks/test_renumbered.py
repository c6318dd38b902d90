"""Other numberings of a graph, which the benchmarks compare."""

import networkx as nx
import numpy as np
import pytest
from renumbered import renumber

from gomkcn_dgl.graph import as_csr


@pytest.mark.parametrize("directed", [False, True])
def test_renumbered_graphs_are_the_same_graphs(directed):
    rng = np.random.default_rng(0)
    parts = [nx.gnp_random_graph(n, 0.3, seed=n, directed=directed) for n in (6, 9, 12)]
    for part in parts:
        for ends in part.edges:
            part.edges[ends]["kind"] = f"r{rng.integers(3)}"
    # a feature tells each node again
    graph = as_csr(parts, features=np.arange(27.0), edge_type="kind" if directed else None)
    other = renumber(graph, np.random.default_rng(3))
    was = other.features[:, 0].astype(int)
    assert sorted(was) == list(range(27)) != was.tolist()
    assert other.relations == graph.relations

    def edges(graph, names):
        source, target, relation = graph.edges()
        ends = np.column_stack([names[source], names[target]])
        ends = ends if directed else np.sort(ends, axis=1)
        return set(map(tuple, np.column_stack([ends, relation]).tolist()))

    assert edges(other, was) == edges(graph, np.arange(27))
    # nodes of one graph stay together, and the graphs come in another order
    assert (np.diff(graph.graph_of(was)) != 0).sum() == 2
    assert np.diff(other.graph_ptr).tolist() != [6, 9, 12]
    assert (other.graph_of(np.arange(27)) == np.repeat([0, 1, 2], np.diff(other.graph_ptr))).all()
    sizes = np.diff(graph.graph_ptr)[graph.graph_of(was)]
    assert (sizes == np.diff(other.graph_ptr)[other.graph_of(np.arange(27))]).all()
