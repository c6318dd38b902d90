"""Connected components, compared with those of NetworkX."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr


@pytest.mark.parametrize("share", [0.0, 0.01, 0.02, 0.05, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_a_component_is_named_by_its_smallest_node(share, seed):
    graph = nx.gnp_random_graph(80, share, seed=seed)
    expected = np.empty(80, int)
    for part in nx.connected_components(graph):
        expected[list(part)] = min(part)
    assert as_csr(graph).component_starts.tolist() == expected.tolist()
    # as an edge is followed both ways, whatever its direction
    arcs = nx.DiGraph()
    arcs.add_nodes_from(range(80))
    arcs.add_edges_from((v, u) if (u + v) % 2 else (u, v) for u, v in graph.edges)
    assert as_csr(arcs, directed=True).component_starts.tolist() == expected.tolist()


def test_long_paths_in_any_order():
    order = np.random.default_rng(0).permutation(3000)
    graph = nx.relabel_nodes(nx.path_graph(3000), dict(enumerate(order.tolist())))
    graph.remove_edge(order[1000], order[1001])
    canonical = nx.Graph()
    canonical.add_nodes_from(range(3000))
    canonical.add_edges_from(graph.edges)
    found = as_csr(canonical).component_starts
    assert set(found[order[:1001]]) == {order[:1001].min()}
    assert set(found[order[1001:]]) == {order[1001:].min()}
