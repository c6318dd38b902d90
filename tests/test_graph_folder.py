"""Graph folders: what is written comes back, memory-mapped, and what is damaged is refused."""

import json
import re
import shutil

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import as_csr, extract_subgraphs
from gomkcn_dgl.csr import concatenate, csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.reading import read_graph, write_graph
from gomkcn_dgl.storage import graph_folder, graph_folder_checks
from gomkcn_dgl.storage.graph_folder import read_graph_folder, write_graph_folder

NAMES = ["", "a", "é", "日本", "😀", "z" * 1000]
ARRAYS = ("indptr", "indices", "features", "weights", "graph_ptr")


def sample(seed=0, num_nodes=6, **options):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, num_nodes, (2, 2 * num_nodes))
    return csr_from_edges(source, target, num_nodes, **options)


PLAIN = sample()
# Everything that a folder can hold.
FULL = sample(
    features=np.arange(12.0).reshape(6, 2),
    weights=np.arange(12.0),
    node_ids=np.array(NAMES),
    feature_names=["length", "ünit"],
)
GRAPHS = {
    "plain": PLAIN,
    "full": FULL,
    "integers": sample(node_ids=np.array([-(2**63), -1, 5, 7, 9, 2**63 - 1])),
    "collection": concatenate([sample(k) for k in range(3)]),
    "no edges": csr_from_edges(np.empty(0, int), np.empty(0, int), 3),
    "empty names": sample(node_ids=np.array([""] * 6)),
    "one node, weighted": csr_from_edges([0], [0], 1, weights=[1.0]),
    "a constant that is not 1": sample(features=np.full(6, 2.0), feature_names=["constant"]),
}


def assert_equal(result, expected):
    assert result.feature_names == expected.feature_names
    for name in ARRAYS:
        array, other = getattr(result, name), getattr(expected, name)
        assert (array is None) == (other is None), name
        if array is not None:
            assert array.dtype == other.dtype, name
            np.testing.assert_array_equal(array, other, err_msg=name)
    nodes = np.arange(expected.num_nodes)
    assert result.original_ids(nodes) == expected.original_ids(nodes)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("chunk", [1, 3, 2**20])
def test_round_trip(tmp_path, name, chunk, monkeypatch):
    monkeypatch.setattr(graph_folder_checks, "CHUNK", chunk)
    write_graph_folder(tmp_path / "g", GRAPHS[name])
    assert_equal(read_graph_folder(tmp_path / "g"), GRAPHS[name])
    # A graph can also be written over the folder that it is mapped from.
    write_graph_folder(tmp_path / "g", read_graph_folder(tmp_path / "g"), force=True)
    shutil.move(tmp_path / "g", tmp_path / "moved")
    assert_equal(read_graph_folder(tmp_path / "moved"), GRAPHS[name])


def test_arrays_are_mapped_and_read_only(tmp_path):
    write_graph_folder(tmp_path / "g", FULL)
    graph = read_graph_folder(tmp_path / "g")
    for name in ARRAYS:
        array = getattr(graph, name)
        assert type(array) is np.ndarray
        assert isinstance(array.base, np.memmap)
        assert not array.flags.writeable
    write_graph_folder(tmp_path / "plain", PLAIN)
    assert not (tmp_path / "plain" / "features.npy").exists()
    assert read_graph_folder(tmp_path / "plain").features.strides == (0, 0)


def test_every_way_to_read_takes_a_folder(tmp_path):
    path = tmp_path / "my.graph"
    write_graph(path, FULL)
    for result in (as_csr(path), as_csr(str(path)), read_graph(path, format="folder")):
        assert_equal(result, FULL)
    assert read_graph(path, features=("ünit",)).features.tolist() == [[k] for k in range(1, 12, 2)]
    with pytest.raises(InputError, match=r"^my\.graph: features must name columns among"):
        read_graph(path, features=("x0",))


def test_a_folder_can_be_computed_with(tmp_path):
    graph = as_csr(nx.barabasi_albert_graph(60, 2, seed=0))
    write_graph_folder(tmp_path / "g", graph)
    mapped = read_graph_folder(tmp_path / "g")
    result = extract_subgraphs(mapped, 2, 5, policy="dense")
    expected = extract_subgraphs(graph, 2, 5, policy="dense", backend="reference")
    np.testing.assert_array_equal(result.nodes, expected.nodes)
    assert concatenate([mapped, mapped]).num_edges == 2 * graph.num_edges
    for name in ("g.npz", "g.txt"):
        write_graph(tmp_path / name, mapped)
        np.testing.assert_array_equal(read_graph(tmp_path / name).indices, graph.indices)


def test_text_ids_are_indexed_like_an_array(tmp_path):
    write_graph_folder(tmp_path / "g", FULL)
    ids = read_graph_folder(tmp_path / "g").node_ids
    assert ids.dtype.kind == "U"
    assert (ids[2], ids[-1], ids[2].item()) == ("é", NAMES[-1], "é")
    assert ids[1:4].tolist() == NAMES[1:4]
    assert ids[np.array([[4, 0], [1, 1]])].tolist() == [[NAMES[4], ""], ["a", "a"]]
    assert np.isin(ids, ["a", "nobody"]).tolist() == [False, True, False, False, False, False]
    assert ids.tolist() == NAMES
    with pytest.raises(IndexError):
        ids[6]


class TestWriting:
    def test_a_graph_is_replaced_only_by_force(self, tmp_path):
        (tmp_path / "g").mkdir()
        write_graph_folder(tmp_path / "g", PLAIN)
        with pytest.raises(InputError, match="already holds a graph; .* overwrite it with --force"):
            write_graph_folder(tmp_path / "g", FULL)
        assert_equal(read_graph_folder(tmp_path / "g"), PLAIN)
        write_graph_folder(tmp_path / "g", FULL, force=True)
        assert_equal(read_graph_folder(tmp_path / "g"), FULL)
        assert [entry.name for entry in tmp_path.iterdir()] == ["g"]

    def test_other_files_are_never_removed(self, tmp_path):
        write_graph_folder(tmp_path / "g", FULL)
        (tmp_path / "g" / "thesis.tex").write_text("years of work")
        with pytest.raises(InputError, match=r"holds 'thesis\.tex', which is no part of a graph"):
            write_graph_folder(tmp_path / "g", FULL, force=True)
        assert (tmp_path / "g" / "thesis.tex").read_text() == "years of work"

    @pytest.mark.parametrize(
        ("name", "sentence"),
        [("file", "is a file"), ("none/g", "in a folder that exists"), ("g\0", "be written")],
    )
    def test_refused_names(self, tmp_path, name, sentence):
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match=sentence):
            write_graph_folder(f"{tmp_path}/{name}", PLAIN, force=True)

    def test_a_failure_leaves_what_was_there(self, tmp_path, monkeypatch):
        write_graph_folder(tmp_path / "g", PLAIN)

        def fail(*arguments):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(graph_folder, "write_node_ids", fail)
        with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
            write_graph_folder(tmp_path / "g", FULL, force=True)
        assert [entry.name for entry in tmp_path.iterdir()] == ["g"]
        assert_equal(read_graph_folder(tmp_path / "g"), PLAIN)

    def test_ids_past_63_bits(self, tmp_path):
        graph = sample(node_ids=np.arange(6, dtype=np.uint64) + 2**63)
        with pytest.raises(InputError, match=r"a node id must be less than 2\^63, got 92233720"):
            write_graph_folder(tmp_path / "g", graph)
        assert list(tmp_path.iterdir()) == []


TRIANGLE = csr_from_edges(
    np.array([0, 1, 2]),
    np.array([1, 2, 0]),
    4,
    weights=[1, 2, 3],
    features=np.arange(4),
    node_ids=np.array(["a", "é", "c", "d"]),
)


@pytest.mark.parametrize("chunk", [2, 2**20])
@pytest.mark.parametrize(
    ("name", "position", "value", "sentence"),
    [
        ("indptr", 0, 1, "indptr.npy must ascend from 0 to 6"),
        ("indptr", 4, 7, "indptr.npy must ascend from 0 to 6, got 7 at its end"),
        ("indptr", 2, 2**62, "indptr.npy must ascend from 0 to 6"),
        ("indices", 5, 4, "indices.npy must ascend in each row, from 0 to 3, .* row 2 does not"),
        ("indices", 0, -1, "indices.npy must ascend in each row, .* row 0 does not, at -1"),
        ("indices", 2, 2, "indices.npy must ascend in each row, .* row 1 does not, at 2"),
        ("indices", 5, 3, "indices.npy must hold each edge in both directions"),
        ("weights", 5, 4, "indices.npy must hold each edge in both directions, with one weight"),
        ("weights", 3, np.inf, "weights.npy must be finite and greater than 0"),
        ("features", 2, np.nan, "features must be finite .*, got nan in row 2, column 0"),
        ("graph_ptr", 1, 3, "graph_ptr.npy must ascend from 0 to 4, got 3 at its end"),
        ("node_ids", 1, 0xFF, "node_ids.npy must hold names in UTF-8"),
        ("node_ids_offsets", 2, 2, "node_ids.npy must hold names in UTF-8"),
        ("node_ids_offsets", 4, 4, "node_ids_offsets.npy must ascend from 0 to 5, got 4"),
    ],
)
def test_a_damaged_number_is_refused(tmp_path, name, position, value, sentence, chunk, monkeypatch):
    monkeypatch.setattr(graph_folder_checks, "CHUNK", chunk)
    write_graph_folder(tmp_path / "g", TRIANGLE)
    read_graph_folder(tmp_path / "g")
    array = np.load(tmp_path / "g" / f"{name}.npy", mmap_mode="r+")
    array[position] = value
    array.flush()
    with pytest.raises(InputError, match="^g: " + sentence):
        read_graph(tmp_path / "g")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda array: array.astype(np.int64), r"must hold int32 \[6\], got int64 \[6\]"),
        (lambda array: array[:5], r"must hold int32 \[6\], got int32 \[5\]"),
        (lambda array: array.reshape(2, 3), r"must hold int32 \[6\], got int32 \[2, 3\]"),
        (lambda array: array.astype(object), "cannot be read .*Python objects"),
    ],
)
def test_an_array_of_another_type_or_shape(tmp_path, change, sentence):
    write_graph_folder(tmp_path / "g", TRIANGLE)
    path = tmp_path / "g" / "indices.npy"
    np.save(path, change(np.load(path)), allow_pickle=True)
    with pytest.raises(InputError, match=r"^g: indices\.npy " + sentence):
        read_graph(tmp_path / "g")


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"format": "tar"}, "graph.json must have the format 'gomkcn-graph'"),
        ({"version": 2}, "graph.json must have the version 1; convert the graph anew"),
        ({"num_nodes": 3}, r"indptr.npy must hold int64 \[4\], got int64 \[5\]"),
        ({"num_nodes": 0}, "num_nodes in graph.json must be from 1 to"),
        ({"num_edges": 2**70}, "indices.npy must hold int32"),
        ({"num_graphs": -1}, "graph_ptr.npy must hold|graph_ptr.npy must ascend"),
        ({"num_nodes": True}, "num_nodes in graph.json must be int, got True"),
        ({"feature_names": "x"}, r"feature_names in graph.json must be list\[str\]"),
        ({"feature_names": [1]}, "feature_names in graph.json must be a list of names"),
        ({"node_ids": "../ids"}, "node_ids in graph.json must be one of rows, integers, text"),
        ({"constant_features": True, "feature_names": ["a", "b"]}, ".* must be one name"),
    ],
)
def test_a_damaged_header_is_refused(triangle, entries, sentence):
    path = triangle / "graph.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))
    with pytest.raises(InputError, match="^g: " + sentence):
        read_graph(triangle)


def test_an_edge_between_two_graphs(tmp_path):
    triangle = csr_from_edges(np.array([0, 1, 2]), np.array([1, 2, 0]), 3)
    write_graph_folder(tmp_path / "g", concatenate([PLAIN, triangle]))
    np.save(tmp_path / "g" / "graph_ptr.npy", np.array([0, 8, 9]))
    with pytest.raises(InputError, match="an edge must stay within one graph of the collection"):
        read_graph_folder(tmp_path / "g")


@pytest.fixture
def triangle(tmp_path):
    write_graph_folder(tmp_path / "g", TRIANGLE)
    return tmp_path / "g"


def test_a_missing_array_and_a_link(triangle, tmp_path):
    (triangle / "indices.npy").rename(tmp_path / "outside.npy")
    sentence = r"^g: indices\.npy must be a file in the folder, and there is none\.$"
    with pytest.raises(InputError, match=sentence):
        read_graph(triangle)
    (triangle / "indices.npy").symlink_to(tmp_path / "outside.npy")
    with pytest.raises(InputError, match=sentence):
        read_graph(triangle)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00", None])
def test_a_damaged_array(triangle, content):
    path = triangle / "indptr.npy"
    path.write_bytes(path.read_bytes()[:-1] if content is None else content)
    with pytest.raises(InputError, match=r"^g: indptr\.npy cannot be read \(.+\)\.$"):
        read_graph(triangle)


@pytest.mark.parametrize("text", ["", "[]", "[" * 10**5, "\xff", "{}"])
def test_what_is_no_header(triangle, text):
    (triangle / "graph.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"^g: graph\.json (cannot be read|must )"):
        read_graph(triangle)
    (triangle / "graph.json").unlink()
    with pytest.raises(InputError, match=re.escape("must hold graph.json, and there is none")):
        read_graph(triangle, format="folder")
