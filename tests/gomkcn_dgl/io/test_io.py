"""Reading and writing: names and formats, round trips of tables, real data."""

import gzip
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from command_line import gomkcn, refused
from graph_files import assert_same, random_graph, refuse

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_folder import read_graph_folder
from gomkcn_dgl.io.formats import FORMATS
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.writing import write_graph


def test_format_overrules_the_name(write):
    path = write("graph.data", "u,v\n0,1\n")
    assert read_graph(path, format="csv").num_edges == 1
    refuse(path, "the format cannot be told from the name")
    refuse(write("g.xlsx", "x"), "spreadsheets are not read; save the sheet as CSV")
    refuse(write("g.npz.gz", "x"), "the format cannot be told from the name")
    with pytest.raises(InputError, match="format must be one of 'adjlist', 'csv'"):
        read_graph(path, format="xml")


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(InputError, match="path must name a file or a folder that exists, got "):
        read_graph(tmp_path / "no.txt")
    (tmp_path / "g.txt").mkdir()
    refuse(tmp_path / "g.txt", "a file was expected, got a folder.", format="edges")
    refuse(tmp_path / "g.txt", "a TU folder must hold one file NAME_A.txt")


@pytest.mark.parametrize(
    "data", [gzip.compress(b"0 1\n" * 99, mtime=0)[:25], b"\x1f\x8b", b"0 1\n"]
)
def test_a_damaged_gzip_file(tmp_path, data):
    for name in ("g.txt.gz", "g.graphml.gz"):
        (tmp_path / name).write_bytes(data)
        refuse(tmp_path / name, "the packed file is not complete ")


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
    "arcs": random_graph(num_nodes=9, directed=True),
    "relation": random_graph(num_nodes=9, relation_names=["binds"], weights=np.arange(1.0, 19)),
    "relations": random_graph(
        num_nodes=9,
        relation=np.arange(18) % 2,
        relation_names=["a", "b"],
        directed=[True, False],
        weights=np.arange(1.0, 19),
    ),
}
BOTH_WAYS = csr_from_edges(np.array([0, 1]), np.array([1, 0]), 2, directed=True)


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
        ("g.csv", BOTH_WAYS, "cannot tell that the relation 'edge' has a direction"),
    ],
)
def test_graphs_that_cannot_be_written(tmp_path, name, graph, words):
    with pytest.raises(InputError, match=words):
        write_graph(tmp_path / name, graph)
    assert list(tmp_path.iterdir()) == []


WRITTEN = {
    **SAMPLES,
    "both ways": BOTH_WAYS,
    "collection": as_csr([SAMPLES["weighted"]] * 2),
    "names of graphs": replace(SAMPLES["plain"], graph_names=np.array(["benzene"])),
    "self-loops": csr_from_edges(np.array([0, 0, 2]), np.array([0, 1, 2]), 3),
    "self-loops of a relation": csr_from_edges(
        np.array([0, 1, 1, 2, 0]),
        np.array([1, 0, 1, 2, 2]),
        3,
        relation=np.array([0, 0, 1, 1, 1]),
        relation_names=["activates", "binds"],
        directed=[False, True],
    ),
}


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize(
    "format", [row for row in FORMATS.values() if row.write is not None], ids=lambda row: row.name
)
def test_what_a_writer_takes_comes_back_and_nothing_else_is_left_out(tmp_path, format, kind):
    graph, path = WRITTEN[kind], tmp_path / f"graph{format.endings[0]}"
    try:
        write_graph(path, graph)
    except InputError as error:
        assert kind in ("both ways", "collection") and "folder" in str(error)
        assert list(tmp_path.iterdir()) == []
        return
    again = read_graph(path)
    assert_same(again, graph)
    # what is left out stands in the docs
    if "names" not in format.lacks:
        np.testing.assert_array_equal(again.graph_names, graph.graph_names)
    if "self-loops" not in format.lacks:
        missing = {*map(tuple, graph.loops.tolist())} - {*map(tuple, again.loops.tolist())}
        assert not missing


# ---------------------------------------------------------------- matrices of SciPy

ONE_WAY = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
NO_FILE = "the file must be one that scipy.sparse.save_npz writes ("


def test_matrices_of_all_layouts(tmp_path):
    for layout in ("csr", "coo", "csc", "bsr", "dia"):
        for matrix in (ONE_WAY, 2.5 * (ONE_WAY + ONE_WAY.T)):
            sp.save_npz(tmp_path / "c.npz", sp.csr_matrix(matrix).asformat(layout))
            assert_same(read_graph(tmp_path / "c.npz"), as_csr(matrix))
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
def test_matrices_that_are_none(tmp_path, changes, words):
    arrays = {"indptr": [0, 1, 2], "indices": [1, 0], "data": [1, 1], "shape": [2, 2]}
    arrays |= {"format": b"csr", **changes}
    np.savez(tmp_path / "g.npz", **{k: v for k, v in arrays.items() if v is not None})
    refuse(tmp_path / "g.npz", words)
    (tmp_path / "g.npz").write_bytes(b"PK\x03\x04 and no more")
    refuse(tmp_path / "g.npz", NO_FILE)


# ---------------------------------------------------------------- gomkcn convert


def test_convert_writes_a_folder_that_is_the_graph_of_the_file(folder):
    (folder / "edges").write_text("u,v\n0,1\n")
    (folder / "x.csv").write_text("a,b\n1,2\n3,4\n")
    command = "convert edges out --format csv --feature-file x.csv --features b --quiet"
    assert gomkcn(command).startswith("wrote out: 2 nodes, 1 edges, ")
    assert read_graph_folder("out").features.tolist() == [[2], [4]]
    assert "overwrite it with --force" in refused(command)
    gomkcn(command + " --force")
    (folder / "t.txt").write_text("a likes b\nb likes a\nb knows c\n")
    assert ", 2 edges, " in gomkcn("convert t.txt t.graph --quiet")
    assert_same(read_graph("t.graph"), read_graph("t.txt"))
    gomkcn("convert t.txt t.graph --relation none --directed --target 3 --force --quiet")
    assert read_graph_folder("t.graph").num_edges == 3
    # no file is replaced by a folder
    assert refused("convert t.txt t.txt --quiet").startswith("OUT folder '")
