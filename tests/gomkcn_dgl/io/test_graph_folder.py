"""Graph folders: what is written comes back, memory-mapped, and what is damaged is refused."""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from graph_files import ARRAYS, assert_same, random_graph, refuse

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_folder import check_graph_folder, read_graph_folder, write_graph_folder
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.writing import write_graph
from gomkcn_dgl.runtime.output_folder import lock_folder

NAMES = ["", "a", "é", "日本", "😀", "z" * 1000]
PLAIN = random_graph()
# everything that a folder can hold
FULL = random_graph(
    features=np.arange(12.0).reshape(6, 2),
    weights=np.arange(12.0),
    node_ids=np.array(NAMES),
    feature_names=["length", "ünit"],
)
TYPED = random_graph(
    relation=np.arange(12) % 3,
    relation_names=["activates", "binds", "represses"],
    directed=[True, False, True],
)
TRIANGLE = csr_from_edges(
    np.array([0, 1, 2]),
    np.array([1, 2, 0]),
    4,
    weights=[1, 2, 3],
    features=np.arange(4),
    node_ids=np.array(list("aécd")),
)
GRAPHS = {
    "plain": PLAIN,
    "full": FULL,
    "integers": random_graph(node_ids=np.array([-(2**63), -1, 5, 7, 9, 2**63 - 1])),
    "collection": as_csr([random_graph(k) for k in range(3)]),
    "no edges": csr_from_edges(np.empty(0, int), np.empty(0, int), 3),
    "empty names": random_graph(node_ids=np.array([""] * 6)),
    "directed": random_graph(directed=True, weights=np.arange(1.0, 13)),
    "typed": TYPED,
    "a name": random_graph(relation_names=["borders"]),
    "a constant that is not 1": random_graph(features=np.full(6, 2.0), feature_names=["constant"]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_round_trip(tmp_path, name):
    write_graph_folder(tmp_path / "g", GRAPHS[name])
    graph = read_graph_folder(tmp_path / "g")
    assert_same(graph, GRAPHS[name])
    assert graph.notes == GRAPHS[name].notes
    # a graph can also be written over the folder that it is mapped from
    write_graph_folder(tmp_path / "g", read_graph_folder(tmp_path / "g"), force=True)
    (tmp_path / "g").rename(tmp_path / "moved")
    assert_same(read_graph_folder(tmp_path / "moved"), GRAPHS[name])


def test_arrays_are_mapped_and_read_only(tmp_path):
    path = tmp_path / "my.graph"
    write_graph(path, FULL)
    for graph in (read_graph(path), read_graph(str(path), format="folder")):
        assert_same(graph, FULL)
        for name in ARRAYS[:5]:
            assert isinstance(getattr(graph, name).base, np.memmap)
            assert not getattr(graph, name).flags.writeable
    assert read_graph(path, features=("ünit",)).features.tolist() == [[k] for k in range(1, 12, 2)]
    refuse(path, "features must name columns among", features=("x0",))
    write_graph(path, PLAIN)
    assert read_graph(path).features.strides == (0, 0)


def test_only_a_graph_is_replaced_and_only_by_force(tmp_path):
    (tmp_path / "g").mkdir()
    write_graph_folder(tmp_path / "g", PLAIN)
    with pytest.raises(InputError, match="already holds a graph; .* overwrite it with force=True"):
        write_graph_folder(tmp_path / "g", FULL)
    assert_same(read_graph_folder(tmp_path / "g"), PLAIN)
    write_graph_folder(tmp_path / "g", FULL, force=True)
    assert_same(read_graph_folder(tmp_path / "g"), FULL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["g"]
    (tmp_path / "g" / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"holds 'thesis\.tex', which is no part of a graph"):
        write_graph_folder(tmp_path / "g", FULL, force=True)
    assert (tmp_path / "g" / "thesis.tex").read_text() == "years of work"


def test_what_a_killed_process_left_is_removed_and_what_it_replaced_is_there(tmp_path):
    hidden = tmp_path / ".g.unfinished"
    write_graph_folder(hidden.with_name("g"), PLAIN)
    # killed with half of it written, and between the renames of another one
    (hidden / "new").mkdir(parents=True)
    (hidden / "new" / "indptr.npy").write_bytes(b"")
    (tmp_path / "g").rename(hidden / "old")
    with pytest.raises(InputError, match="already holds a graph"):
        write_graph_folder(tmp_path / "g", FULL)
    assert [entry.name for entry in tmp_path.iterdir()] == ["g"]
    assert_same(read_graph_folder(tmp_path / "g"), PLAIN)
    # killed while it removed what was replaced
    shutil.copytree(tmp_path / "g", hidden / "old")
    write_graph_folder(tmp_path / "g", PLAIN, force=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["g"]
    # in use by another process, by the name that was given
    in_use = f"out folder {str(tmp_path / 'g')!r} is in use by process"
    with lock_folder(hidden), pytest.raises(InputError, match=re.escape(in_use)):
        write_graph_folder(tmp_path / "g", FULL, force=True)
    write_graph_folder(tmp_path / "g", FULL, force=True)
    assert_same(read_graph_folder(tmp_path / "g"), FULL)


def test_what_lies_where_a_graph_is_made_stays_if_it_is_not_of_a_graph(tmp_path):
    hidden, victim = tmp_path / ".g.unfinished", tmp_path / "victim"
    (hidden / "new").mkdir(parents=True)
    (hidden / "new" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match=r"is in the way and not of a graph; move it away\.$"):
        write_graph_folder(tmp_path / "g", PLAIN)
    assert (hidden / "new" / "thesis.txt").read_text() == "mine"
    shutil.rmtree(hidden)
    (victim / "old").mkdir(parents=True)
    hidden.symlink_to(victim)
    with pytest.raises(InputError, match="is a symbolic link, which is not followed"):
        write_graph_folder(tmp_path / "g", PLAIN)
    assert (victim / "old").is_dir()


def test_a_folder_that_holds_an_input_is_not_replaced(tmp_path):
    target, edges = tmp_path / "g.graph", tmp_path / "edges.csv"
    write_graph(target, PLAIN)
    edges.write_text("a,b")
    link, hard = tmp_path / "link", tmp_path / "hard.npy"
    link.symlink_to(target)
    os.link(target / "indices.npy", hard)
    for one in (target, link, target / "indices.npy", hard):
        with pytest.raises(InputError, match=rf"the input '{one}'; choose another name"):
            check_graph_folder(target, True, [edges, one])
    check_graph_folder(target, True, [edges, tmp_path])


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(5, "Input/output error")])
def test_a_replacement_that_is_interrupted_gives_the_graph_back(tmp_path, monkeypatch, error):
    write_graph_folder(tmp_path / "g", PLAIN)
    rename = Path.rename

    def interrupted(path, target):
        if path.name == "new":
            assert not (tmp_path / "g").exists()
            raise error
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    kinds = KeyboardInterrupt, InputError
    with pytest.raises(kinds, match=r"^$|cannot be written \(Input/output error\)"):
        write_graph_folder(tmp_path / "g", FULL, force=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["g"]
    assert_same(read_graph_folder(tmp_path / "g"), PLAIN)


@pytest.mark.parametrize(
    ("name", "graph", "sentence"),
    [
        ("file", PLAIN, "is a file"),
        ("none/g", PLAIN, "in a folder that exists"),
        ("g\0", PLAIN, "be written"),
        ("g", random_graph(node_ids=np.arange(6, dtype=np.uint64) + 2**63), "a node id must be le"),
    ],
)
def test_what_cannot_be_written(tmp_path, name, graph, sentence):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=sentence):
        write_graph_folder(f"{tmp_path}/{name}", graph, force=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def entry(name, position, value):
    """Damage one number of an array."""

    def write(folder):
        array = np.load(folder / f"{name}.npy", mmap_mode="r+")
        array[position] = value
        array.flush()

    return write


def array(name, change):
    """Damage an array."""
    return lambda folder: np.save(
        folder / f"{name}.npy", change(np.load(folder / f"{name}.npy")), allow_pickle=True
    )


def data(name, change):
    """Damage the bytes of a file."""
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def header(**entries):
    """Damage entries of the header, those of ``relations`` one by one."""

    def write(folder):
        path = folder / "graph.json"
        known = json.loads(path.read_text())
        relations = known["relations"] | entries.pop("relations", {})
        path.write_text(json.dumps(known | entries | {"relations": relations}))

    return write


def code_points(*numbers):
    return np.array([*numbers, 65, 65, 65], "<u4").view("<U1")


ASCENDS = "indices.npy must ascend in each row, without duplicates and self-loops"
BOTH = "indices.npy must hold each edge in both directions"
POSITIVE = "weights.npy must be finite and greater than 0, at the entry 3"
NUMBERS = "links.npy must be numbers of links, 1 to "
OLD = "must have the format 'gomkcn-graph', version 4; convert the graph anew"
RELATIONS = "relations in graph.json must hold names, a direction for each, and"
FAULTS = [
    (entry("indptr", 0, 1), "indptr.npy must ascend from 0 to 6"),
    (entry("indptr", 4, 7), "indptr.npy must ascend from 0 to 6"),
    (entry("indices", 5, 4), ASCENDS),
    (entry("indices", 0, -1), "row 0 does not, at the entry 0"),
    (entry("indices", 2, 2), "row 1 does not, at the entry 3"),
    (entry("indices", 2, 1), "row 1 does not, at the entry 2"),
    (entry("indices", 5, 3), BOTH),
    (entry("weights", 5, 4), f"{BOTH}, with one weight"),
    *((entry("weights", 3, value), POSITIVE) for value in (np.inf, np.nan, 0)),
    (entry("features", 2, np.nan), "got nan in row 2, column 0"),
    (entry("graph_ptr", 1, 3), "graph_ptr.npy must ascend from 0 to 4"),
    (array("node_ids", lambda ids: ids[:1]), "node_ids.npy must hold <U1 [4], got <U1 [1]"),
    (array("node_ids", lambda ids: [0.5] * 4), "node_ids.npy must hold int64 or text, got float64"),
    (array("node_ids", lambda ids: code_points(0xD800)), "node_ids.npy must hold text"),
    (array("node_ids", lambda ids: code_points(0x110000)), "node_ids.npy must hold text"),
    (array("indices", lambda one: one.astype(np.int64)), "must hold int32 [6], got int64 [6]"),
    (array("indices", lambda one: one.reshape(2, 3)), "must hold int32 [6], got int32 [2, 3]"),
    (array("indices", lambda one: one.astype(object)), "indices.npy cannot be read ("),
    (data("indptr.npy", lambda content: b""), "indptr.npy cannot be read ("),
    (data("indptr.npy", lambda content: b"PK\x03\x04"), "indptr.npy cannot be read ("),
    (data("indptr.npy", lambda content: content[:-1]), "indptr.npy cannot be read ("),
    *((data("graph.json", lambda _, text=text: text), "graph.json ")
      for text in (b"", b"[]", b"[" * 10**5, b"\xff")),
    (header(format="tar"), OLD),
    (header(version=3), OLD),
    (header(notes=[1]), "notes in graph.json must be a list of names, got [1]"),
    (header(num_nodes=3), "indptr.npy must hold int64 [4], got int64 [5]"),
    (header(num_nodes=0), "num_nodes in graph.json must be from 1 to"),
    (header(num_edges=2**70), "indices.npy must hold int32"),
    (header(num_graphs=-1), "graph_ptr.npy must "),
    (header(num_nodes=True), "num_nodes in graph.json must be of type int, got True"),
    (header(feature_names=[1]), "feature_names in graph.json must be a list of names, got [1]"),
    (header(files=["../ids"]), "files in graph.json must be among weights, links, features, node"),
    (header(files=[], feature_names=["a", "b"]), "must be one for the constant feature"),
]  # fmt: skip
FAULTS_OF_TYPES = [
    (entry("links", 3, 0), NUMBERS),
    (entry("links", 3, len(TYPED.relations.links)), NUMBERS),
    (entry("links", 0, 2), "in both directions, with opposite links"),
    *((header(relations=changes), RELATIONS) for changes in (
        {"names": []}, {"names": [1, 2, 3]}, {"names": None}, {"directed": [True]}, {"links": []},
        {"links": [[], [9]]}, {"links": [[], ["a"]]}, {"links": [[], [0]]}, {"links": [[0], [1]]},
        {"links": [[], [0], [1], [0]]})),
    (header(files=[], num_edges=len(TYPED.indices) // 2),
     "graph.json must have links for relations with types or directions"),
]  # fmt: skip


@pytest.mark.parametrize(("graph", "damage", "sentence"), [
    *((TRIANGLE, *one) for one in FAULTS), *((TYPED, *one) for one in FAULTS_OF_TYPES)
])  # fmt: skip
def test_a_damaged_folder(tmp_path, graph, damage, sentence):
    write_graph_folder(tmp_path / "g", graph)
    damage(tmp_path / "g")
    refuse(tmp_path / "g", sentence)


def test_an_edge_between_two_graphs_and_missing_files(tmp_path):
    triangle = csr_from_edges(np.array([0, 1, 2]), np.array([1, 2, 0]), 3)
    folder = tmp_path / "g"
    write_graph_folder(folder, as_csr([PLAIN, triangle]))
    np.save(folder / "graph_ptr.npy", np.array([0, 8, 9]))
    refuse(folder, "an edge must stay within one graph of the collection")
    (folder / "indices.npy").rename(tmp_path / "outside.npy")
    refuse(folder, "indices.npy must be a file in the folder, and there is none.")
    (folder / "indices.npy").symlink_to(tmp_path / "outside.npy")
    refuse(folder, "indices.npy must be a file in the folder, and there is none.")
    (folder / "graph.json").unlink()
    refuse(folder, "must hold graph.json, and there is none", format="folder")
