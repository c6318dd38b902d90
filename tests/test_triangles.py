"""Triangles: counted, and kept at each node by rewiring that is steered to them."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_lists import concatenate
from mining.null_models.null_models import sample_null
from mining.null_models.triangle_steering import steer
from mining.null_models.triangles import count_triangles


def as_networkx(graph):
    made = nx.empty_graph(graph.num_nodes)
    made.add_edges_from(graph.adjacent_pairs().tolist())
    return made


def test_triangles_are_those_of_networkx():
    graph = nx.gnp_random_graph(60, 0.2, seed=1)
    csr = as_csr(graph)
    expected = list(nx.triangles(graph).values())
    assert count_triangles(csr.indptr, csr.indices).tolist() == expected


@pytest.mark.parametrize("kind", ["ring", "points"])
def test_degrees_stay_and_most_triangles_return(kind):
    graph = nx.watts_strogatz_graph(300, 6, 0.1, seed=1)
    if kind == "points":
        graph = nx.Graph(nx.random_geometric_graph(300, 0.08, seed=1).edges)
    csr = as_csr(graph)
    sample = sample_null(csr, "triangles", 0)
    assert sample.degrees.tolist() == csr.degrees.tolist()
    assert nx.number_of_selfloops(as_networkx(sample)) == 0
    wanted, found = (count_triangles(one.indptr, one.indices) for one in (csr, sample))
    free = sample_null(csr, "configuration", 0)
    rest = count_triangles(free.indptr, free.indices)
    assert rest.sum() < 0.1 * wanted.sum()
    assert np.abs(found - wanted).sum() < 0.35 * wanted.sum()
    assert 0.75 * wanted.sum() < found.sum() <= 1.1 * wanted.sum()
    edges, before = (set(map(tuple, one.adjacent_pairs().tolist())) for one in (sample, csr))
    assert len(edges & before) < 0.5 * len(before)


def test_the_surplus_and_the_energy_are_kept_up_to_date():
    csr = as_csr(nx.gnp_random_graph(40, 0.2, seed=3))
    neighbors, wanted = csr.indices.copy(), np.full(40, 4)
    surplus = count_triangles(csr.indptr, neighbors) - wanted
    row = np.repeat(np.arange(40), csr.degrees).astype(np.int32)
    start = np.abs(surplus).sum()
    rng = np.random.default_rng(0)
    energy = steer(csr.indptr, neighbors, row, np.zeros(40, np.int64), surplus, 4000, 0.5, rng)
    np.testing.assert_array_equal(surplus, count_triangles(csr.indptr, neighbors) - wanted)
    assert energy == np.abs(surplus).sum() < start
    # the rows are those of one graph
    pairs = set(zip(row.tolist(), neighbors.tolist(), strict=True))
    assert len(pairs) == len(row)
    assert {(v, u) for u, v in pairs} == pairs


def test_no_edge_leaves_its_graph_and_directions_are_refused():
    parts = concatenate([as_csr(nx.gnp_random_graph(30, 0.3, seed=seed)) for seed in range(3)])
    sample = sample_null(parts, "triangles", 0)
    assert (np.diff(sample.graph_of(sample.adjacent_pairs()), axis=1) == 0).all()
    arcs = as_csr(nx.gnp_random_graph(20, 0.2, seed=0, directed=True))
    with pytest.raises(InputError, match="null must not be 'triangles'"):
        sample_null(arcs, "triangles", 0)
