"""Reading and writing: names and formats, round trips of tables, real data."""

import gzip

import numpy as np
import pytest
from graph_files import assert_same, refuse

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.graph_classes import read_graph_classes
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.writing import write_graph
from gomkcn_dgl.runtime.files import atomic_write


def test_format_overrules_the_name(write):
    path = write("graph.data", "u,v\n0,1\n")
    assert read_graph(path, format="csv").num_edges == 1
    refuse(path, "the format cannot be told from the name")
    refuse(write("g.npz.gz", "x"), "the format cannot be told from the name")
    with pytest.raises(InputError, match="format must be one of 'csv'"):
        read_graph(path, format="xml")


@pytest.mark.parametrize("name", ["no.txt", "no\0.txt", "a" * 400 + ".txt"])
def test_a_missing_file(tmp_path, name):
    with pytest.raises(InputError, match="path must name a file or a folder that exists, got "):
        read_graph(tmp_path / name)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "g.txt").mkdir()
    refuse(tmp_path / "g.txt", "a file was expected, got a folder.", format="edges")
    refuse(tmp_path / "g.txt", "a TU folder must hold one file NAME_A.txt")


@pytest.mark.parametrize(
    "data", [gzip.compress(b"0 1\n" * 99, mtime=0)[:25], b"\x1f\x8b", b"0 1\n"]
)
def test_a_damaged_gzip_file(tmp_path, data):
    for name in ("g.txt.gz", "g.graphml.gz"):
        (tmp_path / name).write_bytes(data)
        refuse(tmp_path / name, "the file is not a complete gzip file ")


def sample(*, weights=False, features=0, names=None, ids=None):
    """Build a graph of 5 nodes, the last of them isolated."""
    rng = np.random.default_rng(0)
    return csr_from_edges(
        np.array([0, 1, 2, 0]),
        np.array([1, 2, 3, 3]),
        5,
        weights=rng.random(4) if weights else None,
        features=rng.normal(size=(5, features)) if features else None,
        feature_names=names,
        node_ids=None if ids is None else np.array(ids),
    )


SAMPLES = {
    "plain": sample(),
    "weighted": sample(weights=True),
    "featured": sample(features=3),
    "integers": sample(weights=True, ids=[-2, 3, 5, 70, 900]),
    "text": sample(features=2, ids=["a", "b", "c", "c1", "é"]),
    "names": sample(features=2, names=["label=1", "size, mm"], weights=True),
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_round_trip(tmp_path, kind):
    graph, path = SAMPLES[kind], tmp_path / "my.graph.csv"
    # the second time over the first
    for _ in range(2):
        write_graph(path, graph)
        assert_same(read_graph(path), graph)


def test_features_go_beside_the_graph(tmp_path):
    write_graph(tmp_path / "a.csv", SAMPLES["featured"])
    write_graph(tmp_path / "b.csv", SAMPLES["names"])
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["a.csv", "a.features.csv", "b.csv", "b.features.csv"]
    assert (tmp_path / "b.features.csv").read_text().startswith('id,label=1,"size, mm"\n0,')
    with pytest.raises(InputError, match=r"a\.features\.csv lies beside it and would be read"):
        write_graph(tmp_path / "a.csv", SAMPLES["plain"])


def test_rows_of_unsorted_ids_follow_the_ids(tmp_path):
    ids = np.array([9, 4])
    graph = csr_from_edges(np.array([0]), np.array([1]), 2, features=[5, 6], node_ids=ids)
    write_graph(tmp_path / "g.csv", graph)
    again = read_graph(tmp_path / "g.csv")
    assert again.node_ids.tolist() == [4, 9]
    assert again.features.tolist() == [[6], [5]]


@pytest.mark.parametrize(
    ("name", "graph", "words"),
    [
        ("g.xml", SAMPLES["plain"], "a graph is written to a name that ends in .graph or .csv"),
        ("g.csv", as_csr([SAMPLES["plain"]] * 2), "one graph was expected, got a collection"),
    ],
)
def test_graphs_that_cannot_be_written(tmp_path, name, graph, words):
    with pytest.raises(InputError, match=f"^{name}: .*{words}"):
        write_graph(tmp_path / name, graph)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="path must lie in a folder that exists, got "):
        atomic_write(tmp_path / "no" / "a.txt", "")


def test_mutag(mutag):
    graph = read_graph(mutag)
    assert (graph.num_graphs, graph.num_nodes, graph.num_edges) == (188, 3371, 3721)
    labels = ["C", "N", "O", "F", "I", "Cl", "Br"]
    assert list(graph.feature_names) == [f"label={label}" for label in labels]
    assert graph.features.sum(axis=0).tolist() == [2395, 345, 593, 12, 1, 23, 2]
    assert np.bincount(read_graph_classes(mutag).labels).tolist() == [63, 125]
