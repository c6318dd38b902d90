"""Planted graphs that are written piece by piece: the same in whatever parts, and as planted."""

import numpy as np
import pytest

from gomkcn_dgl import read_graph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.conversion.edge_stream import write_edges
from gomkcn_dgl.kernels.search_numba import mix64
from synthetic import (
    MOTIFS,
    attachment_edges,
    barabasi_albert,
    large_planting,
    num_attachment_edges,
    plant_to_folder,
)


def grown(num_nodes, per_node, seed):
    """The same edges, with all ends in a list."""
    key = mix64(np.array([seed + 1], np.uint64))
    ends = []
    for leaf in range(1, per_node + 1):
        ends += [0, leaf]
    for node in range(per_node + 1, num_nodes):
        num_before = len(ends)
        for _ in range(per_node):
            number = np.array([len(ends) // 2], np.uint64)
            entry = int(mix64(key ^ number)[0] % np.uint64(num_before))
            ends += [ends[entry], node]
    return np.array(ends).reshape(-1, 2)


@pytest.mark.parametrize(("num_nodes", "per_node"), [(2, 1), (60, 1), (60, 3), (9, 8)])
def test_edges_are_those_of_a_list_that_grows(num_nodes, per_node):
    number = num_attachment_edges(num_nodes, per_node)
    edges = attachment_edges(0, number, num_nodes, per_node, seed=4)
    np.testing.assert_array_equal(edges, grown(num_nodes, per_node, seed=4))
    assert (edges[:, 0] < edges[:, 1]).all()
    parts = [
        attachment_edges(first, min(first + 7, number), num_nodes, per_node, seed=4)
        for first in range(0, number, 7)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), edges)


def test_degrees_are_spread_as_those_of_barabasi_and_albert():
    edges = attachment_edges(0, 3 * 19_997, 20_000, 3, seed=0)
    shares = []
    for one in (edges, barabasi_albert(20_000, 3, seed=0)):
        degrees = np.bincount(one.ravel())
        shares.append([(degrees >= least).mean() for least in (3, 4, 6, 10, 20, 50)])
    # exact for m = 3: 12 / (d (d + 1)) of the nodes have at least d edges
    expected = [12 / (d * (d + 1)) for d in (3, 4, 6, 10, 20, 50)]
    np.testing.assert_allclose(shares[0], expected, rtol=0.2)
    np.testing.assert_allclose(shares[0], shares[1], rtol=0.2)
    # hardly any is there twice
    assert len(np.unique(edges, axis=0)) > 0.998 * len(edges)


def test_edges_out_of_range_are_refused():
    with pytest.raises(InputError, match="last must be"):
        attachment_edges(0, 100, 20, 1, seed=0)
    with pytest.raises(InputError, match="num_nodes must be"):
        attachment_edges(0, 1, 3, 3, seed=0)


@pytest.mark.parametrize("at_once", [11, 2**20])
def test_copies_are_where_the_truth_says(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(large_planting, "_EDGES_AT_ONCE", at_once)
    motifs = {"house": 5, "wheel": 2, "square": 0}
    truth = plant_to_folder(tmp_path / "g.graph", 300, 2, motifs, seed=1)
    graph = read_graph(tmp_path / "g.graph")
    assert graph.num_nodes == 300 + 7 * 6 and (graph.features == 1).all()
    edges = {tuple(pair) for pair in graph.adjacent_pairs().tolist()}
    background = {tuple(edge) for edge in attachment_edges(0, 596, 300, 2, seed=1).tolist()}
    assert background == {edge for edge in edges if max(edge) < 300}
    inside, attached = 0, 0
    for entry, (name, copies) in zip(truth["motifs"], motifs.items(), strict=True):
        assert (entry["name"], entry["copies"]) == (name, copies) == (name, len(entry["instances"]))
        for nodes in entry["instances"]:
            own = {(nodes.index(u), nodes.index(v)) for u, v in edges if {u, v} <= {*nodes}}
            assert {tuple(sorted(edge)) for edge in own} == {*MOTIFS[name].edges}
            inside += len(own)
            attached += sum(len({u, v} & {*nodes}) == 1 for u, v in edges)
    assert attached == 7 and len(edges) == len(background) + inside + attached
    # in one piece or in many, the same
    plant_to_folder(tmp_path / "again.graph", 300, 2, motifs, seed=1)
    again = read_graph(tmp_path / "again.graph")
    np.testing.assert_array_equal(graph.indices, again.indices)
    np.testing.assert_array_equal(graph.indptr, again.indptr)


def test_what_cannot_be_written_in_pieces_is_refused(tmp_path):
    with pytest.raises(InputError, match="motifs must have no directions"):
        plant_to_folder(tmp_path / "g.graph", 30, 1, {"bi-fan": 1}, seed=0)
    assert list(tmp_path.iterdir()) == []


def test_an_edge_that_comes_again_is_left_out(tmp_path):
    pieces = [np.array([[0, 1], [1, 2]]), np.array([[2, 1], [1, 0], [0, 3]])]
    header = write_edges(tmp_path / "g.graph", pieces, 5)
    graph = read_graph(tmp_path / "g.graph")
    assert (header.num_edges, graph.num_nodes) == (3, 5)
    assert graph.adjacent_pairs().tolist() == [[0, 1], [0, 3], [1, 2]]
