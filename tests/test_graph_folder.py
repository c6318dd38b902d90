"""Graph folders: what is written comes back, memory-mapped, and what is damaged is refused."""

import json
import re
import shutil
import warnings

import networkx as nx
import numpy as np
import pytest
from command_line import gomkcn

from gomkcn_dgl import as_csr, extract_subgraphs
from gomkcn_dgl.csr import concatenate, csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.reading import read_graph, write_graph
from gomkcn_dgl.storage import graph_folder, graph_folder_checks, graph_folder_header
from gomkcn_dgl.storage.graph_folder import read_graph_folder, write_graph_folder
from gomkcn_dgl.storage.stored_names import StoredNames
from gomkcn_dgl.training.collection import GraphCollection
from gomkcn_dgl.training.labelled_data import read_labelled

NAMES = ["", "a", "é", "日本", "😀", "z" * 1000]


def sample(seed=0, num_nodes=6, **options):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, num_nodes, (2, 2 * num_nodes))
    return csr_from_edges(source, target, num_nodes, **options)


def whole():
    """A graph with everything that a folder can hold."""
    return sample(
        features=np.arange(12.0).reshape(6, 2),
        weights=np.arange(12.0),
        node_ids=np.array(NAMES),
        feature_names=["length", "ünit"],
    )


GRAPHS = {
    "plain": sample(),
    "whole": whole(),
    "integers": sample(node_ids=np.array([-(2**63), -1, 5, 7, 9, 2**63 - 1])),
    "collection": concatenate([sample(k) for k in range(3)]),
    "no edges": csr_from_edges(np.empty(0, int), np.empty(0, int), 3),
    "one node, weighted": csr_from_edges([0], [0], 1, weights=[1.0]),
    "a constant that is not 1": sample(features=np.full(6, 2.0), feature_names=["constant"]),
}


def assert_equal(found, wanted):
    assert found.feature_names == wanted.feature_names
    for name in ("indptr", "indices", "features", "weights", "graph_ptr"):
        one, other = getattr(found, name), getattr(wanted, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype == other.dtype, name
            np.testing.assert_array_equal(one, other, err_msg=name)
    every = np.arange(wanted.num_nodes)
    assert found.original_ids(every) == wanted.original_ids(every)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("chunk", [1, 3, 2**20])
def test_what_is_written_comes_back(tmp_path, name, chunk, monkeypatch):
    monkeypatch.setattr(graph_folder_checks, "CHUNK", chunk)
    monkeypatch.setattr(graph_folder_checks.chunks, "__defaults__", (chunk,))
    monkeypatch.setattr(graph_folder, "_NAMES_AT_ONCE", 2)
    write_graph_folder(tmp_path / "g", GRAPHS[name])
    found = read_graph_folder(tmp_path / "g")
    assert_equal(found, GRAPHS[name])
    np.testing.assert_array_equal(found.undirected_edges(), GRAPHS[name].undirected_edges())


def test_arrays_are_mapped_and_read_only(tmp_path):
    write_graph_folder(tmp_path / "g", whole())
    graph = read_graph_folder(tmp_path / "g")
    for name in ("indptr", "indices", "features", "weights", "graph_ptr"):
        array = getattr(graph, name)
        assert type(array) is np.ndarray
        assert isinstance(array.base, np.memmap)
        assert not array.flags.writeable


def test_the_constant_feature_takes_no_memory(tmp_path):
    write_graph_folder(tmp_path / "g", GRAPHS["plain"])
    assert not (tmp_path / "g" / "features.npy").exists()
    features = read_graph_folder(tmp_path / "g").features
    assert features.shape == (6, 1)
    assert features.strides == (0, 0)
    assert not features.flags.writeable
    assert json.loads((tmp_path / "g" / "graph.json").read_text())["constant_features"]


def test_every_way_to_read_takes_a_folder(tmp_path):
    path = tmp_path / "my.graph"
    write_graph(path, whole())
    for found in (as_csr(path), as_csr(str(path)), read_graph(path)):
        assert_equal(found, whole())
    assert_equal(read_graph(path, format="folder"), whole())
    one = read_graph(path, features=("ünit",))
    assert one.features.tolist() == [[1], [3], [5], [7], [9], [11]]
    with pytest.raises(InputError, match=r"^my\.graph: features must name columns among"):
        read_graph(path, features=("x0",))
    with pytest.raises(InputError, match="feature_file is for edges, csv, parquet, graphml, and"):
        read_graph(path, feature_file="x.npy")


def test_a_tu_folder_stays_what_it_is(tmp_path):
    (tmp_path / "TINY_A.txt").write_text("1, 2\n2, 1\n")
    (tmp_path / "TINY_graph_indicator.txt").write_text("1\n1\n")
    assert read_graph(tmp_path).num_edges == 1


def test_a_folder_can_be_computed_with(tmp_path):
    graph = as_csr(nx.barabasi_albert_graph(60, 2, seed=0))
    write_graph_folder(tmp_path / "g", graph)
    mapped = read_graph_folder(tmp_path / "g")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = extract_subgraphs(mapped, 2, 5, policy="dense")
        wanted = extract_subgraphs(graph, 2, 5, policy="dense", backend="reference")
        assert (found.nodes == wanted.nodes).all()
        assert GraphCollection(mapped, 1, 4).feat.sum() == 60
        for name in ("g.bin", "g.npz", "g.txt"):
            write_graph(tmp_path / name, mapped)
            assert (read_graph(tmp_path / name).indices == graph.indices).all()
    doubled = concatenate([mapped, mapped])
    assert doubled.num_edges == 2 * graph.num_edges


def test_text_ids_are_looked_up_like_an_array(tmp_path):
    write_graph_folder(tmp_path / "g", whole())
    ids = read_graph_folder(tmp_path / "g").node_ids
    assert isinstance(ids, StoredNames)
    assert ids.dtype.kind == "U"
    assert ids[2] == "é"
    assert ids[-1] == NAMES[-1]
    assert ids[1:4].tolist() == NAMES[1:4]
    assert ids[np.array([[4, 0], [1, 1]])].tolist() == [[NAMES[4], ""], ["a", "a"]]
    assert np.isin(ids, ["a", "nobody"]).tolist() == [False, True, False, False, False, False]
    assert ids.tolist() == NAMES
    with pytest.raises(IndexError):
        ids[6]


class TestWriting:
    def test_a_graph_is_overwritten_only_by_force(self, tmp_path):
        path = tmp_path / "g"
        write_graph_folder(path, GRAPHS["plain"])
        sentence = (
            f"out folder '{path}' already holds a graph; choose another name, or overwrite it "
            "with --force."
        )
        with pytest.raises(InputError, match="^" + re.escape(sentence) + "$"):
            write_graph_folder(path, whole())
        assert_equal(read_graph_folder(path), GRAPHS["plain"])
        write_graph_folder(path, whole(), force=True)
        assert_equal(read_graph_folder(path), whole())
        assert [entry.name for entry in tmp_path.iterdir()] == ["g"]

    def test_a_graph_is_written_over_itself(self, tmp_path):
        write_graph_folder(tmp_path / "g", whole())
        graph = read_graph_folder(tmp_path / "g")
        write_graph_folder(tmp_path / "g", graph, force=True)
        assert_equal(read_graph_folder(tmp_path / "g"), whole())

    def test_an_empty_folder_is_taken(self, tmp_path):
        (tmp_path / "g").mkdir()
        write_graph_folder(tmp_path / "g", whole())
        assert_equal(read_graph_folder(tmp_path / "g"), whole())

    def test_anything_else_is_never_removed(self, tmp_path):
        path = tmp_path / "g"
        write_graph_folder(path, whole())
        (path / "thesis.tex").write_text("years of work")
        with pytest.raises(InputError, match="holds 'thesis.tex', which is no part of a graph; "):
            write_graph_folder(path, whole(), force=True)
        assert (path / "thesis.tex").read_text() == "years of work"

    def test_a_file_or_a_missing_parent(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="is a file; choose another name"):
            write_graph_folder(tmp_path / "file", whole(), force=True)
        with pytest.raises(InputError, match="must lie in a folder that exists"):
            write_graph_folder(tmp_path / "none" / "g", whole())
        with pytest.raises(InputError, match="cannot be written"):
            write_graph_folder(f"{tmp_path}/g\0", whole())

    def test_what_fails_leaves_nothing(self, tmp_path, monkeypatch):
        write_graph_folder(tmp_path / "g", GRAPHS["plain"])

        def fail(*arguments):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(graph_folder, "save", fail)
        with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
            write_graph_folder(tmp_path / "g", whole(), force=True)
        assert [entry.name for entry in tmp_path.iterdir()] == ["g"]
        assert_equal(read_graph_folder(tmp_path / "g"), GRAPHS["plain"])

    def test_ids_past_63_bits(self, tmp_path):
        graph = sample(node_ids=np.arange(6, dtype=np.uint64) + 2**63)
        with pytest.raises(InputError, match=r"a node id must be less than 2\^63, got 92233720"):
            write_graph_folder(tmp_path / "g", graph)
        assert list(tmp_path.iterdir()) == []


def damaged(folder, name, change):
    """Change one array of a folder in place, or one entry of its header."""
    if name.endswith(".json"):
        record = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(record | change))
        return
    array = np.load(folder / name)
    result = change(array)
    np.save(folder / name, array if result is None else result, allow_pickle=True)


def put(index, value):
    def change(array):
        array[index] = value

    return change


def swap(first, second):
    def change(array):
        array[[first, second]] = array[[second, first]]

    return change


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
    ("name", "change", "sentence"),
    [
        ("indptr.npy", put(0, 1), "indptr.npy must rise from 0 to the length of indices.npy, 6."),
        ("indptr.npy", put(4, 5), "indptr.npy must rise from 0 to the length of indices.npy, 6."),
        ("indptr.npy", put(1, 5), "indptr.npy must rise from 0 to the length of indices.npy, 6."),
        ("indptr.npy", put(2, 2**62), "indptr.npy must rise from 0 to the length of indices.npy"),
        ("indices.npy", put(5, 4), "indices.npy must lie in 0 to 3, got 4."),
        ("indices.npy", put(0, -1), "indices.npy must lie in 0 to 3, got -1."),
        ("indices.npy", swap(2, 3), "indices.npy must ascend in each row, without duplicates; "),
        (
            "indices.npy",
            put(2, 2),
            "indices.npy must ascend in each row, without duplicates; row 1",
        ),
        ("indices.npy", put(5, 2), "indices.npy must hold no self-loop, got one at node 2."),
        ("indices.npy", put(5, 3), "indices.npy must hold each edge in both directions, with one"),
        ("weights.npy", put(5, 4), "indices.npy must hold each edge in both directions, with one"),
        ("weights.npy", put(3, 0), "weights.npy must be finite and greater than 0, got 0.0 at 3."),
        ("weights.npy", put(3, np.inf), "weights.npy must be finite and greater than 0, got inf"),
        (
            "features.npy",
            put(2, np.nan),
            "features.npy must be finite, got nan in row 2, column 0.",
        ),
        ("graph_ptr.npy", put(0, 1), "graph_ptr.npy must rise from 0 to 4."),
        ("graph_ptr.npy", put(1, 3), "graph_ptr.npy must rise from 0 to 4, got 3 at its end."),
        ("node_ids.npy", put(1, 0xFF), "node_ids.npy must hold text in UTF-8."),
        ("node_ids.npy", put(2, 0x41), "node_ids.npy must hold text in UTF-8."),
        ("node_ids_offsets.npy", put(2, 2), "node_ids_offsets.npy must not split a character."),
        ("node_ids_offsets.npy", put(4, 4), "node_ids_offsets.npy must rise from 0 to 5, got 4 at"),
        (
            "indices.npy",
            lambda array: array.astype(np.int64),
            "indices.npy must hold int32 [6], got int64 [6].",
        ),
        ("indices.npy", lambda array: array[:5], "indices.npy must hold int32 [6], got int32 [5]."),
        ("indices.npy", lambda array: array.reshape(2, 3), "indices.npy must hold int32 [6], got "),
        (
            "features.npy",
            lambda array: np.asfortranarray(np.ones((4, 2), np.float32)),
            "features.npy must hold float32 [4, 1], got float32 [4, 2].",
        ),
        (
            "indices.npy",
            lambda array: array.astype(object),
            "indices.npy cannot be read (Array can't be memory-mapped: Python objects in dtype).",
        ),
        ("graph.json", {"format": "tar"}, "graph.json must name the format 'gomkcn-graph'."),
        ("graph.json", {"version": 2}, "graph.json must be of version 1, got 2; convert the graph"),
        ("graph.json", {"num_nodes": 3}, "indptr.npy must hold int64 [4], got int64 [5]."),
        ("graph.json", {"num_edges": 2}, "indices.npy must hold int32 [4], got int32 [6]."),
        ("graph.json", {"num_graphs": 2}, "graph_ptr.npy must hold int64 [3], got int64 [2]."),
        ("graph.json", {"num_nodes": True}, "num_nodes in graph.json must be a number from 1 to "),
        ("graph.json", {"num_edges": 1e3}, "num_edges in graph.json must be a number of at least"),
        ("graph.json", {"weighted": 1}, "weighted in graph.json must be true or false, got 1."),
        ("graph.json", {"feature_names": "x"}, "feature_names in graph.json must be a list of "),
        ("graph.json", {"feature_names": []}, "feature_names in graph.json must be a list of "),
        ("graph.json", {"node_ids": "../ids"}, "node_ids in graph.json must be one of rows, int"),
        (
            "graph.json",
            {"constant_features": True, "feature_names": ["a", "b"]},
            "feature_names in graph.json must be one for the constant feature, got 2.",
        ),
    ],
)
def test_damage_is_named(tmp_path, name, change, sentence, chunk, monkeypatch):
    monkeypatch.setattr(graph_folder_checks.chunks, "__defaults__", (chunk,))
    monkeypatch.setattr(graph_folder_checks, "CHUNK", chunk)
    folder = tmp_path / "g"
    write_graph_folder(folder, TRIANGLE)
    read_graph_folder(folder)
    damaged(folder, name, change)
    with pytest.raises(InputError, match="^g: " + re.escape(sentence)) as refused:
        read_graph(folder)
    assert "\n" not in str(refused.value)


def test_an_edge_between_two_graphs(tmp_path):
    write_graph_folder(tmp_path / "g", concatenate([GRAPHS["plain"], TRIANGLE_PLAIN]))
    damaged(tmp_path / "g", "graph_ptr.npy", put(1, 8))
    with pytest.raises(InputError, match="an edge must stay within one graph of the collection"):
        read_graph_folder(tmp_path / "g")


TRIANGLE_PLAIN = csr_from_edges(np.array([0, 1, 2]), np.array([1, 2, 0]), 3)


class TestForeignFiles:
    @pytest.fixture
    def folder(self, tmp_path):
        write_graph_folder(tmp_path / "g", TRIANGLE)
        return tmp_path / "g"

    def refused(self, folder, sentence):
        with pytest.raises(InputError, match=sentence):
            read_graph(folder)

    def test_a_missing_array(self, folder):
        (folder / "weights.npy").unlink()
        self.refused(folder, r"^g: weights\.npy must be a file in the folder, and there is none\.$")

    def test_a_link_to_a_file_outside(self, folder, tmp_path):
        (folder / "indices.npy").rename(tmp_path / "outside.npy")
        (folder / "indices.npy").symlink_to(tmp_path / "outside.npy")
        self.refused(folder, r"indices\.npy must be a file in the folder, and there is none")

    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04.", b"\x93NUMPY\x01\x00"])
    def test_what_is_no_array(self, folder, content):
        (folder / "indptr.npy").write_bytes(content)
        self.refused(folder, r"^g: indptr\.npy cannot be read \(.+\)\.$")

    def test_an_array_cut_short(self, folder):
        data = (folder / "indices.npy").read_bytes()
        (folder / "indices.npy").write_bytes(data[:-1])
        self.refused(folder, r"^g: indices\.npy cannot be read \(.+\)\.$")

    @pytest.mark.parametrize(
        "text", ["", "[]", "{", "[" * 10**5, "\xff", '{"format": "gomkcn-graph"}']
    )
    def test_what_is_no_header(self, folder, text):
        (folder / "graph.json").write_bytes(text.encode("latin-1"))
        self.refused(folder, r"^g: graph\.json (cannot be read|must )")

    def test_a_header_without_end(self, folder, monkeypatch):
        monkeypatch.setattr(graph_folder_header, "_LONGEST_HEADER", 10)
        self.refused(folder, r"graph\.json must have at most 10 bytes")

    def test_no_header_at_all(self, folder):
        (folder / "graph.json").unlink()
        with pytest.raises(
            InputError, match=r"a graph folder must hold graph\.json, and there is "
        ):
            read_graph(folder, format="folder")


def test_a_generated_graph_goes_into_a_folder(folder):
    options = "--nodes 200 --edges-per-node 2 --motif wheel=3 --features"
    for features in ("constant", "per_node"):
        for name in ("big.graph", "big.npz"):
            gomkcn(f"generate planted --out {name} {options} {features}")
        assert_equal(read_graph("big.graph"), read_graph("big.npz"))
        assert (folder / "big.graph" / "features.npy").exists() == (features == "per_node")
    assert "big.truth.json" in gomkcn(f"generate planted --out big.graph {options} constant")
    assert "edges              429 (unweighted)" in gomkcn("info big.graph")


def test_a_folder_has_no_classes(tmp_path):
    write_graph_folder(tmp_path / "g", GRAPHS["plain"])
    with pytest.raises(InputError, match=r"^g: classes are read from a TU folder, a Planetoid"):
        read_labelled(tmp_path / "g")


def test_a_folder_can_be_moved(tmp_path):
    write_graph_folder(tmp_path / "g", whole())
    shutil.move(tmp_path / "g", tmp_path / "h")
    assert_equal(as_csr(tmp_path / "h"), whole())
