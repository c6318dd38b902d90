"""What the benchmarks compare with: igraph's census beside rewired graphs, and other numberings."""

import census
import networkx as nx
import numpy as np
import pytest
from renumbered import renumber

from gomkcn_dgl.graph import as_csr
from mining.counting.exact_counts import count_exact
from synthetic import MOTIFS


def test_census_counts_every_connected_structure():
    counts = census.count_all(as_csr(nx.complete_graph(5)), 4)
    assert len(counts) == 6
    assert {k: v for k, v in counts.items() if v} == {
        census.structures_of([MOTIFS["clique4"]])[0]: 5
    }
    arcs = as_csr(nx.gnp_random_graph(40, 0.1, seed=1, directed=True))
    counts = census.count_all(arcs, 4)
    assert len(counts) == 199
    for name in ("bi-fan", "bi-parallel", "four-cycle"):
        (structure,) = census.structures_of([MOTIFS[name]])
        assert counts[structure] == count_exact(arcs, MOTIFS[name]).count


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
