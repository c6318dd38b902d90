"""SciPy matrices in .npz files: weights, directions, refusals."""

import numpy as np
import pytest
import scipy.sparse as sp
from graph_files import assert_same, edges, refuse

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph

ONE_WAY = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
NO_FILE = "the file must be one that scipy.sparse.save_npz writes ("


def test_matrices_of_all_layouts(tmp_path):
    sp.save_npz(tmp_path / "g.npz", sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])))
    graph = read_graph(tmp_path / "g.npz")
    assert edges(graph) == [(0, 1), (1, 2)]
    assert graph.weights is None
    sp.save_npz(tmp_path / "w.npz", sp.csr_matrix(np.array([[0, 2.5], [2.5, 0]])))
    assert read_graph(tmp_path / "w.npz").weights.tolist() == [2.5, 2.5]
    for layout in ("coo", "csc", "bsr", "dia"):
        sp.save_npz(tmp_path / "c.npz", sp.csr_matrix(ONE_WAY).asformat(layout))
        assert_same(read_graph(tmp_path / "c.npz"), as_csr(ONE_WAY))
    assert not read_graph(tmp_path / "c.npz", directed=False).is_directed


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"indices": None}, NO_FILE),
        ({"indptr": [0, 3, 2]}, NO_FILE),
        ({"data": [1]}, NO_FILE),
        ({"data": ["a", "b"]}, NO_FILE),
        ({"indices": [1, 2]}, NO_FILE),
        ({"shape": [2, 3]}, "an adjacency matrix must be square, got the shape (2, 3)"),
    ],
)
def test_refusals(tmp_path, changes, words):
    arrays = {"indptr": [0, 1, 2], "indices": [1, 0], "data": [1, 1], "shape": [2, 2]}
    arrays |= {"format": b"csr", **changes}
    np.savez(tmp_path / "g.npz", **{k: v for k, v in arrays.items() if v is not None})
    refuse(tmp_path / "g.npz", words)


def test_no_archive(write):
    refuse(write("g.npz", "text"), NO_FILE)
    refuse(write("g.npz", b"PK\x03\x04 and no more"), NO_FILE)
