"""SciPy matrices in .npz files: weights, features, refusals."""

import numpy as np
import pytest
import scipy.sparse as sp
from graph_files import assert_same, edges, random_graph, refuse

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
    refuse(tmp_path / "f.npz", "features must name columns among", features=("x2",))
    sp.save_npz(tmp_path / "w.npz", sp.csr_matrix(np.array([[0, 2.5], [2.5, 0]])))
    assert read_graph(tmp_path / "w.npz").weights.tolist() == [2.5, 2.5]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"indices": None}, "the file must hold 'indices', as scipy.sparse.save_npz writes it"),
        ({"format": np.array(b"coo")}, "the matrix must be in CSR format, got [b'coo']"),
        ({"indices": [0.0, 1.0]}, "'indices' must be integers [n], got float64"),
        ({"data": ["a", "b"]}, "'data' must be numbers [n], got <U1"),
        ({"shape": [2, 3]}, "the matrix must be square, got the shape (2, 3)."),
        ({"indptr": [0, 3, 2]}, "the matrix is not valid ("),
        ({"data": [1]}, "'data' must have 2 entries, got 1."),
        ({"indices": [1, 2]}, "the matrix is not valid ("),
        ({"indices": [1, -1]}, "the matrix is not valid ("),
        ({"data": [1, -3]}, "edge weights must be at least 0, got -3 for edge 1."),
        ({"features": np.zeros((3, 1))}, "features must have one row for each of the 2 nodes"),
        ({"node_ids": [1]}, "node_ids must name all 2 nodes, got 1 names."),
        ({"features": np.array([None, {}])}, "the arrays cannot be read ("),
        ({"node_ids": np.array([0xD800, 65], "<u4").view("<U1")}, "holds what is no character"),
    ],
)
def test_refusals(tmp_path, changes, words):
    arrays = {"indptr": [0, 1, 2], "indices": [1, 0], "data": [1, 1], "shape": [2, 2], **changes}
    np.savez(tmp_path / "g.npz", **{k: v for k, v in arrays.items() if v is not None})
    refuse(tmp_path / "g.npz", words)


ONE_WAY = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
TYPED = random_graph(
    relation=np.arange(12) % 3,
    relation_names=["activates", "binds", "represses"],
    directed=[True, False, True],
    weights=np.arange(1.0, 13),
)
GRAPHS = {
    "plain": random_graph(),
    "directed": as_csr(ONE_WAY),
    "both ways": random_graph(directed=True),
    "a name": random_graph(relation_names=["borders"], features=np.arange(6)),
    "typed": TYPED,
}


@pytest.mark.parametrize("name", GRAPHS)
def test_direction_and_types_come_back(tmp_path, name):
    write_graph(tmp_path / "g.npz", GRAPHS[name])
    graph = read_graph(tmp_path / "g.npz")
    assert_same(graph, GRAPHS[name])
    assert set(GRAPHS[name].notes) <= set(graph.notes)


def test_scipy_sees_the_direction(tmp_path):
    write_graph(tmp_path / "g.npz", as_csr(ONE_WAY))
    assert sp.load_npz(tmp_path / "g.npz").toarray().tolist() == ONE_WAY.tolist()
    sp.save_npz(tmp_path / "g.npz", sp.csr_matrix(ONE_WAY))
    assert_same(read_graph(tmp_path / "g.npz"), as_csr(ONE_WAY))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"links": None}, "'links' must be 12 numbers of links, 0 to "),
        ({"links": np.full(12, 99, np.uint8)}, "'links' must be 12 numbers of links, 0 to "),
        ({"relations": np.array(["{"])}, "'relations' must be JSON text ("),
        ({"relations": np.array(["[]"])}, "relations in the file must hold names, directed, links"),
    ],
)
def test_damaged_relations(tmp_path, changes, words):
    write_graph(tmp_path / "g.npz", TYPED)
    arrays = {**np.load(tmp_path / "g.npz"), **changes}
    assert len(arrays["indices"]) == 12
    np.savez(tmp_path / "g.npz", **{k: v for k, v in arrays.items() if v is not None})
    refuse(tmp_path / "g.npz", words)


def test_no_archive(write):
    refuse(write("g.npz", "text"), "the file is not a .npz archive.")
    refuse(write("g.npz", b"PK\x03\x04 and no more"), "the arrays cannot be read ")
