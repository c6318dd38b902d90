"""SciPy matrices in .npz files: weights, directions, features, refusals."""

import numpy as np
import pytest
import scipy.sparse as sp
from graph_files import assert_same, edges, random_graph, refuse

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.writing import write_graph


def test_scipy_files_with_features_and_weights(tmp_path):
    sp.save_npz(tmp_path / "g.npz", sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])))
    graph = read_graph(tmp_path / "g.npz")
    assert edges(graph) == [(0, 1), (1, 2)]
    assert graph.weights is None
    parts = dict(np.load(tmp_path / "g.npz"))
    np.savez(tmp_path / "f.npz", **parts, features=np.arange(6).reshape(3, 2))
    assert read_graph(tmp_path / "f.npz", features=("x1",)).features.tolist() == [[1], [3], [5]]
    refuse(tmp_path / "f.npz", "the file has no 'x2'; it holds ['x0', 'x1']", features=("x2",))
    sp.save_npz(tmp_path / "w.npz", sp.csr_matrix(np.array([[0, 2.5], [2.5, 0]])))
    assert read_graph(tmp_path / "w.npz").weights.tolist() == [2.5, 2.5]
    for layout in ("coo", "csc", "bsr", "dia"):
        sp.save_npz(tmp_path / "c.npz", sp.csr_matrix(ONE_WAY).asformat(layout))
        assert_same(read_graph(tmp_path / "c.npz"), as_csr(ONE_WAY))


NO_FILE = "the file must be one that scipy.sparse.save_npz writes ("


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"indices": None}, NO_FILE),
        ({"indptr": [0, 3, 2]}, NO_FILE),
        ({"data": [1]}, NO_FILE),
        ({"indices": [1, 2]}, NO_FILE),
        ({"features": np.array([None, {}])}, NO_FILE),
        ({"node_ids": np.array([0xD800, 65], "<u4").view("<U1")}, NO_FILE),
        ({"shape": [2, 3]}, "an adjacency matrix must be square, got the shape (2, 3)"),
        ({"features": ["a", "b"]}, NO_FILE + "features is <U1 of the shape (2,))."),
        ({"node_ids": [1]}, "node_ids must name all 2 nodes, got 1 names."),
        ({"node_ids": [[0], [1]]}, NO_FILE + "node_ids is int64 of the shape (2, 1))."),
    ],
)
def test_refusals(tmp_path, changes, words):
    arrays = {"indptr": [0, 1, 2], "indices": [1, 0], "data": [1, 1], "shape": [2, 2]}
    arrays |= {"format": b"csr", **changes}
    np.savez(tmp_path / "g.npz", **{k: v for k, v in arrays.items() if v is not None})
    refuse(tmp_path / "g.npz", words)


ONE_WAY = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_direction_comes_back_and_scipy_sees_it(tmp_path):
    write_graph(tmp_path / "g.npz", as_csr(ONE_WAY))
    assert_same(read_graph(tmp_path / "g.npz"), as_csr(ONE_WAY))
    assert sp.load_npz(tmp_path / "g.npz").toarray().tolist() == ONE_WAY.tolist()
    sp.save_npz(tmp_path / "g.npz", sp.csr_matrix(ONE_WAY))
    assert_same(read_graph(tmp_path / "g.npz"), as_csr(ONE_WAY))
    assert not read_graph(tmp_path / "g.npz", directed=False).is_directed
    weighted = random_graph(directed=True, weights=np.arange(1.0, 13))
    write_graph(tmp_path / "g.npz", weighted)
    assert_same(read_graph(tmp_path / "g.npz"), weighted)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (random_graph(relation_names=["borders"]), "a .npz file holds edges of one kind"),
        (random_graph(relation=np.arange(12) % 2, relation_names=["a", "b"]), "of one kind"),
        (as_csr(1 - np.eye(3), directed=True), "cannot tell that the relation 'edge' has a direct"),
    ],
)
def test_other_edges_go_to_a_graph_folder(tmp_path, graph, words):
    with pytest.raises(InputError, match=rf"^g\.npz: .*{words}.*; write a \.graph folder\.$"):
        write_graph(tmp_path / "g.npz", graph)


def test_no_archive(write):
    refuse(write("g.npz", "text"), NO_FILE)
    refuse(write("g.npz", b"PK\x03\x04 and no more"), NO_FILE)
