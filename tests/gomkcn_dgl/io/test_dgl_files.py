"""DGL's .bin files without DGL: written and read back, damaged, and refused through every door."""

import contextlib
import random
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from command_line import refused
from graph_files import refuse, typed_graph

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_objects import EdgesOfType, TypedGraph
from gomkcn_dgl.io import dgl_files
from gomkcn_dgl.io.dgl_files import load_dgl_graphs, read_dgl, read_dgl_classes, write_dgl_graphs
from gomkcn_dgl.io.graph_classes import read_graph_classes, read_node_mask
from gomkcn_dgl.io.reading import read_graph

READINGS = Path(__file__).parents[2] / "data/readings"
DAMAGED = "the DGL file is damaged or cut off: at byte "
HEAD = 4096
TYPES = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


def library():
    """A graph with three types of nodes, one of them without nodes, and four of edges."""
    rng = np.random.default_rng(0)
    ends = {
        ("author", "writes", "paper"): [(0, 0), (0, 1), (1, 1)],
        ("paper", "cites", "paper"): [(2, 1), (0, 0), (2, 1)],
        ("author", "knows", "author"): [(1, 0)],
        ("reader", "knows", "author"): [],
    }
    sizes = {"reader": 0, "author": 2, "paper": 3}
    nodes = {kind: {"feat": rng.random((size, 2))} for kind, size in sizes.items()}
    nodes["paper"]["année"] = np.arange(3)
    edges = []
    for kind, pairs in ends.items():
        source, target = np.array(pairs, np.int64).reshape(-1, 2).T
        edges.append(EdgesOfType(kind, source, target, {"weight": rng.random(len(pairs))}))
    return TypedGraph(sizes, nodes, edges)


def assert_same_arrays(left, right):
    assert left.keys() == right.keys()
    for name, values in left.items():
        assert (values.dtype, values.shape) == (right[name].dtype, right[name].shape), name
        np.testing.assert_array_equal(values, right[name])


def assert_same_graph(left, right):
    assert dict(left.sizes) == dict(right.sizes)
    for kind in left.sizes:
        assert_same_arrays(left.nodes[kind], right.nodes[kind])
    assert [edges.type for edges in left.edges] == [edges.type for edges in right.edges]
    for one, other in zip(left.edges, right.edges, strict=True):
        ends = [{"source": each.source, "target": each.target} for each in (one, other)]
        assert_same_arrays(*ends)
        assert_same_arrays(one.columns, other.columns)


def assert_read_back(path, graphs, labels=None):
    write_dgl_graphs(path, graphs, labels)
    read, read_labels = load_dgl_graphs(path)
    assert_same_arrays(read_labels, labels or {})
    for one, other in zip(read, graphs, strict=True):
        assert_same_graph(one, other)


# ---------------------------------------------------------------- whole files


def test_types_of_nodes_and_edges_are_read_back(tmp_path):
    assert_read_back(tmp_path / "g.bin", [library()])
    content = read_dgl((tmp_path / "g.bin").read_bytes())
    assert content.num_nodes == 5
    # readers come first, then authors, then papers
    assert content.source.tolist() == [0, 0, 1, 4, 2, 4, 1]
    assert content.target.tolist() == [2, 3, 3, 3, 2, 3, 0]
    # of the two that are called so, the type says more
    assert content.relation_names == (
        "writes",
        "cites",
        "author:knows:author",
        "reader:knows:author",
    )


@pytest.mark.parametrize("name", TYPES)
def test_every_type_of_numbers_is_read_back(tmp_path, name):
    values = np.array([[0, 1], [2, 3], [4, 5]], name)
    graph = typed_graph([(0, 1)], 3, {"v": values, "wide": values.reshape(3, 1, 2, 1)})
    # values that do not lie one behind the other, or have another order of bytes
    other = typed_graph([(0, 1)], 3, {"v": np.asfortranarray(values)[::-1]})
    swapped = typed_graph([(0, 1)], 3, {"v": values.astype(values.dtype.newbyteorder(">"))})
    assert_read_back(tmp_path / "g.bin", [graph, other], {"one": values[2, 1], "none": values[:0]})
    write_dgl_graphs(tmp_path / "g.bin", [swapped])
    ((read,), _) = load_dgl_graphs(tmp_path / "g.bin")
    np.testing.assert_array_equal(read.nodes["_N"]["v"], values)
    assert read.nodes["_N"]["v"].flags.writeable and read.nodes["_N"]["v"].flags.aligned


def test_bool_is_written_as_bytes_and_text_is_refused(tmp_path):
    write_dgl_graphs(tmp_path / "g.bin", [typed_graph([], 2, {"on": np.array([True, False])})])
    ((read,), _) = load_dgl_graphs(tmp_path / "g.bin")
    assert (read.nodes["_N"]["on"].dtype, read.nodes["_N"]["on"].tolist()) == (np.uint8, [1, 0])
    before = (tmp_path / "g.bin").read_bytes()
    for values in (np.array(["a", "b"]), np.array([None, 1]), np.zeros(2, np.longdouble)):
        with pytest.raises(InputError, match=r"^a DGL file holds numbers, and this array is of "):
            write_dgl_graphs(tmp_path / "g.bin", [typed_graph([], 2, {"name": values})])
    assert (tmp_path / "g.bin").read_bytes() == before


def test_empty_graphs_features_without_width_and_ids_of_32_bits_are_read_back(tmp_path):
    empty, bare = typed_graph([], 0), typed_graph([], 3)
    flat = typed_graph([(0, 0)], 1, {"flat": np.ones((1, 0))}, {"w": np.ones((1, 0, 2))})
    source, target = np.array([[2, 0], [0, 1]], np.int32)
    small = TypedGraph.of_one_type((source, target), 3, {}, {})
    labels = {"labels": np.array([0, 1, 0, 1]), "other": np.zeros((0, 4), np.float32)}
    assert_read_back(tmp_path / "g.bin", [empty, bare, flat, small], labels)
    graph = read_graph(tmp_path / "g.bin")
    assert np.diff(graph.graph_ptr).tolist() == [0, 3, 1, 3]
    assert read_graph_classes(tmp_path / "g.bin").labels.tolist() == [0, 1, 0, 1]
    assert_read_back(tmp_path / "g.bin", [empty])
    refuse(tmp_path / "g.bin", "the graph is empty: it has no nodes.")


def test_masks_and_labels_of_another_shape_are_none(tmp_path):
    path, graph = tmp_path / "g.bin", library()
    mask = np.array([0, 1, 1], np.uint8)
    for values, expected in ((mask, [0, 0, 0, 1, 1]), (mask[:, None], None), (mask + 1, None)):
        graph.nodes["paper"]["node_mask"] = values
        # a type of nodes without the mask has no marked nodes
        write_dgl_graphs(path, [graph], {"labels": np.array([0, 1]), "label": np.array([3])})
        found = read_node_mask(path)
        assert (None if found is None else found.tolist()) == expected
    # of two labels, one has a row for each graph
    assert read_dgl_classes(path.read_bytes()).tolist() == [3]
    write_dgl_graphs(path, [graph], {"labels": np.array(3)})
    assert read_dgl_classes(path.read_bytes()) is None


def test_equal_graphs_give_equal_bytes(tmp_path):
    for name in ("a.bin", "b.bin"):
        write_dgl_graphs(tmp_path / name, [library()] * 2, {"labels": np.array([1, 0])})
    data = (tmp_path / "a.bin").read_bytes()
    assert data == (tmp_path / "b.bin").read_bytes()
    assert data[32:HEAD] == bytes(HEAD - 32)


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a name that ends in \.bin, got 'g.txt'\.$"):
        write_dgl_graphs(tmp_path / "g.txt", [library()])
    with pytest.raises(InputError, match=r"^graphs must hold a graph, got none\.$"):
        write_dgl_graphs(tmp_path / "g.bin", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["dgl_csr.bin", "dgl_csc.bin", "dgl_version_1.bin"])
def test_edges_of_each_layout_are_in_the_order_of_their_ids(name):
    ((whole,), _), ((other,), _) = (load_dgl_graphs(READINGS / one) for one in ("dgl.bin", name))
    assert_same_graph(other, whole)


def test_the_older_number_of_a_layout_is_read(tmp_path):
    """DGL 0.5 and 0.6 write 1 for COO, 2 for CSR and 3 for CSC."""
    for number, name in enumerate(("dgl.bin", "dgl_csr.bin", "dgl_csc.bin"), 1):
        data, stored = (READINGS / name).read_bytes(), struct.pack("<Q", 2 ** (number - 1) | 2**32)
        at = data.index(struct.pack("<Q", dgl_files._RELATION)) + 8
        assert data[at : at + 8] == stored
        path = tmp_path / name
        path.write_bytes(data[:at] + struct.pack("<Q", number) + data[at + 8 :])
        assert_same_graph(load_dgl_graphs(path)[0][0], load_dgl_graphs(READINGS / name)[0][0])
        for wrong in (0, 4, 2**32, 8 | 2**32):
            path.write_bytes(data[:at] + struct.pack("<Q", wrong) + data[at + 8 :])
            refuse(path, "it has no layout")


# ---------------------------------------------------------------- wrong files


def number_at(place, number):
    """A function that puts another number of 8 bytes into a file."""
    return lambda data: data[:place] + struct.pack("<Q", number) + data[place + 8 :]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: b"no graph" + data[8:], "the file is not a DGL graph file; dgl.save_graphs"),
        (number_at(8, 3), "the DGL file is of version 3 and type 2, and version 1 and version 2"),
        (number_at(16, 1), "the DGL file is of version 2 and type 1, and version 1 and version 2"),
        (number_at(24, 0), "the file holds no graph."),
        (number_at(24, 2), f"{DAMAGED}4,864 no graph begins."),
        (number_at(24, 2**63), f"{DAMAGED}4,864 no graph begins."),
        (number_at(HEAD, 4000), f"{DAMAGED}4,112 the graphs do not begin."),
        (number_at(HEAD + 8, 2**63), f"{DAMAGED}4,120 it must have 15,949,673,719,616,654,015 by"),
        (lambda data: data[:16], f"{DAMAGED}0 it must have 24 bytes more, and has 16."),
        (lambda data: data[:40], f"{DAMAGED}32 it must have 4,064 bytes more, and has 8."),
        (lambda data: data[:4100], f"{DAMAGED}4,096 it must have 8 bytes more, and has 4."),
        (lambda data: data[:-1], f"{DAMAGED}4,856 it must have 32 bytes more, and has 31."),
        (lambda data: data + b"\0", "the file does not end."),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(tmp_path, damage, words):
    path = tmp_path / "g.bin"
    write_dgl_graphs(path, [typed_graph([(0, 1), (1, 2)], 3)])
    path.write_bytes(damage(path.read_bytes()))
    refuse(path, words)


def test_a_wrong_file_of_version_1_is_refused_in_a_sentence(tmp_path):
    path, data = tmp_path / "g.bin", (READINGS / "dgl_version_1.bin").read_bytes()
    for place, number, words in (
        (HEAD, 2, "it has not each graph once"),
        (HEAD + 24, 2, "it has not each graph once"),
        (HEAD, 0, "it has not each graph once"),
        (len(data) - 8, 2, "it must have"),
    ):
        path.write_bytes(number_at(place, number)(data))
        refuse(path, words)
    path.write_bytes(data[:HEAD] + bytes(5 * 8))
    refuse(path, "the file holds no graph.")


def written_otherwise(monkeypatch, path, graph, name, function):
    """Write a graph by another function of the writer."""
    with monkeypatch.context() as patch:
        patch.setattr(dgl_files, name, function)
        write_dgl_graphs(path, [graph])


def csr_relation(indptr, indices, ids, shape=(3, 3)):
    """Bytes of a relation that is stored as a CSR matrix."""
    arrays = (np.array(values, np.int64) for values in (indptr, indices, ids))
    rows, columns = shape
    return b"".join(
        (
            dgl_files._numbers(dgl_files._RELATION, 2 | 2**32, 7 | 2**32),
            dgl_files._type_graph_bytes([(0, 0)], 1),
            struct.pack("<Q2q", dgl_files._CSR_MATRIX, columns, rows),
            *map(dgl_files._array_bytes, arrays),
            b"\0",
        )
    )


def test_edge_ids_put_edges_in_order(tmp_path, monkeypatch):
    path, graph = tmp_path / "g.bin", typed_graph([], 3, edges={"w": np.array([7, 8, 9])})
    relation = csr_relation([0, 2, 2, 3], [1, 2, 0], [2, 0, 1])
    written_otherwise(monkeypatch, path, graph, "_relation_bytes", lambda *given: relation)
    ((read,), _) = load_dgl_graphs(path)
    assert (read.edges[0].source.tolist(), read.edges[0].target.tolist()) == ([0, 2, 0], [2, 0, 1])


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (([0, 2, 2, 3], [1, 2, 3], []), "an edge leads to no node, or has no id"),
        (([0, 2, 2, 3], [1, 2, -1], []), "an edge leads to no node, or has no id"),
        (([0, 2, 2, 3], [1, 2, 0], [0, 1, 3]), "an edge leads to no node, or has no id"),
        (([0, 2, 2, 3], [1, 2, 0], [0, 1, 1]), "two edges have one id"),
        (([0, 2, 2, 3], [1, 2, 0], [0, 1]), "the arrays of a matrix differ in length"),
        (([0, 2, 2, 4], [1, 2, 0], []), "the rows of a matrix do not hold its entries"),
        (([1, 2, 2, 3], [1, 2, 0], []), "the rows of a matrix do not hold its entries"),
        (([0, 2, 1, 3], [1, 2, 0], []), "the rows of a matrix do not hold its entries"),
        # whose differences are all positive, as they overflow
        (([0, 2**63 - 1, -2, 3], [1, 2, 0], []), "the rows of a matrix do not hold its entries"),
        (([0, 2, 3], [1, 2, 0], []), "the rows of a matrix do not hold its entries"),
        (([], [], [], (-1, 3)), "the rows of a matrix do not hold its entries"),
        (([0, 3], [1, 2, 0], [], (1, 3)), "a relation has not the nodes of its types"),
        (([0, 2, 2, 3], [1, 2, 0], [], (3, 4)), "a relation has not the nodes of its types"),
        (([[0, 2, 2, 3]], [1, 2, 0], []), "an array is not a list of integers"),
        (([0, 1, 1, 2], [1, 2], []), "an array has not a row for each node or edge"),
    ],
)
def test_edges_that_cannot_be_are_refused(tmp_path, monkeypatch, matrix, words):
    path, graph = tmp_path / "g.bin", typed_graph([], 3, edges={"w": np.array([7, 8, 9])})
    relation = csr_relation(*matrix)
    written_otherwise(monkeypatch, path, graph, "_relation_bytes", lambda *given: relation)
    refuse(path, words)


def array_bytes(device=1, code=2, bits=32, lanes=1, shape=(3,), size=12, held=12):
    head = struct.pack("<QQiiiBBH", dgl_files._ARRAY, 0, device, 0, len(shape), code, bits, lanes)
    return head + struct.pack(f"<{len(shape) + 1}q", *shape, size) + bytes(held)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"device": 2}, "an array is of an unknown form"),
        ({"code": 3}, "an array is of an unknown form"),
        ({"bits": 12}, "an array is of an unknown form"),
        ({"lanes": 4}, "an array is of an unknown form"),
        ({"shape": (1,) * 33}, "an array is of an unknown form"),
        ({"shape": (-3,), "size": -12}, "an array has not the size of its shape"),
        ({"shape": (3, -1, -1)}, "an array has not the size of its shape"),
        ({"shape": (4,)}, "an array has not the size of its shape"),
        ({"shape": (2**62, 4)}, "an array has not the size of its shape"),
        ({"shape": (2**62, 2**62, 0), "size": 0, "held": 0}, "an array has not the size of its sh"),
        ({"shape": (2**40,), "size": 2**42}, "it must have 4,398,046,511,104 bytes more, and"),
        ({"shape": ()}, "an array has not the size of its shape"),
        ({"shape": (), "size": 4, "held": 4}, "an array has not a row for each node or edge"),
        ({"shape": (1, 3)}, "an array has not a row for each node or edge"),
    ],
)
def test_arrays_that_cannot_be_are_refused(tmp_path, monkeypatch, options, words):
    path, graph = tmp_path / "g.bin", typed_graph([(0, 1)], 3, {"v": np.ones(3, np.float32)})
    plain = dgl_files._array_bytes
    written_otherwise(monkeypatch, path, graph, "_array_bytes", lambda values: (
        array_bytes(**options) if values.dtype.kind == "f" else plain(values)
    ))  # fmt: skip
    refuse(path, words)


def test_bfloat16_becomes_float32(tmp_path, monkeypatch):
    path, graph = tmp_path / "g.bin", typed_graph([(0, 1)], 3, {"v": np.ones(3, np.float32)})
    plain, halves = dgl_files._array_bytes, np.array([1, -2.5, 0], np.float32).view("<u2")[1::2]
    head = array_bytes(code=4, bits=16, size=6, held=0)
    written_otherwise(monkeypatch, path, graph, "_array_bytes", lambda values: (
        head + halves.tobytes() if values.dtype.kind == "f" else plain(values)
    ))  # fmt: skip
    ((read,), _) = load_dgl_graphs(path)
    assert_same_arrays(read.nodes["_N"], {"v": np.array([1, -2.5, 0], np.float32)})


def test_types_that_cannot_be_told_apart_are_refused(tmp_path):
    path = tmp_path / "g.bin"
    write_dgl_graphs(path, [library()])
    data = path.read_bytes()
    # the last of its places is that of the name of the type
    for old, new, words in (
        (b"reader", b"author", "it has not each node type once"),
        (b"cites", b"\xffites", "a name is not text"),
    ):
        before, _, after = data.rpartition(old)
        path.write_bytes(before + new + after)
        refuse(path, words)
    write_dgl_graphs(path, [typed_graph([], 2, {"a": np.ones(2), "b": np.ones(2)})])
    data = path.read_bytes()
    path.write_bytes(data.replace(b"\1" + bytes(7) + b"b", b"\1" + bytes(7) + b"a"))
    refuse(path, "two arrays have one name")
    twice = typed_graph([(0, 1)], 2)
    write_dgl_graphs(path, [twice._replace(edges=[*twice.edges] * 2)])
    refuse(path, "it has not each edge type once")
    write_dgl_graphs(path, [TypedGraph({}, {}, [])])
    refuse(path, "it has not each node type once")


def small_file():
    """A graph with features, a mask and a label."""
    nodes = {"feat": np.ones((2, 2), np.float32), "node_mask": np.array([1, 0])}
    return [typed_graph([(0, 1), (1, 0)], 2, nodes)], {"labels": np.array([1])}


def read_all(path):
    read_graph(path)
    read_graph_classes(path)
    read_node_mask(path)


@pytest.mark.parametrize("name", ["own", "dgl_csc.bin", "dgl_relations.bin", "dgl_version_1.bin"])
def test_no_beginning_of_a_file_is_a_file(tmp_path, name):
    path = tmp_path / "g.bin"
    if name == "own":
        write_dgl_graphs(path, *small_file())
    else:
        path.write_bytes((READINGS / name).read_bytes())
    data = path.read_bytes()
    read_all(path)
    for end in (*range(40), *range(HEAD - 4, len(data))):
        path.write_bytes(data[:end])
        with pytest.raises(InputError):
            read_graph(path)


@pytest.mark.parametrize("name", ["own", "dgl_csr.bin", "dgl_version_1.bin"])
def test_a_changed_byte_gives_a_graph_or_a_sentence(tmp_path, name):
    path, rng = tmp_path / "g.bin", random.Random(0)
    if name == "own":
        write_dgl_graphs(path, *small_file())
    else:
        path.write_bytes((READINGS / name).read_bytes())
    data, read = path.read_bytes(), 0
    places = [*range(32), *range(HEAD, len(data))]
    for place in places:
        changed = bytearray(data)
        changed[place] ^= rng.randrange(1, 256)
        path.write_bytes(changed)
        try:
            read_all(path)
            read += 1
        except InputError as error:
            assert str(error).startswith("g.bin: ") and str(error).isprintable()
    assert 0 < read < len(places)


def test_numbers_that_announce_much_take_no_memory(tmp_path):
    path = tmp_path / "g.bin"
    write_dgl_graphs(path, *small_file())
    data = path.read_bytes()
    read_all(path)
    tracemalloc.start()
    try:
        for place in range(HEAD, len(data) - 8):
            path.write_bytes(number_at(place, (2**24, 2**40, 2**63, 2**64 - 1)[place % 4])(data))
            with contextlib.suppress(InputError):
                load_dgl_graphs(path)
        assert tracemalloc.get_traced_memory()[1] < 64 * len(data)
    finally:
        tracemalloc.stop()


# ---------------------------------------------------------------- every door

DOORS = [
    *("info g.bin", "convert g.bin g.graph", "census g.bin", "count triangle g.bin"),
    *("frequent g.bin", "mine g.bin --out run", "filters g.bin --out out", "train g.bin --out run"),
    *("train g.bin --nodes --out run", "compare g.bin g.bin"),
]


@pytest.mark.parametrize("command", DOORS)
def test_a_damaged_file_is_refused_alike_through_every_door(folder, capfd, command):
    path = folder / "g.bin"
    write_dgl_graphs(path, *small_file())
    path.write_bytes(path.read_bytes()[:-100])
    sentence = refused(command)
    assert sentence.startswith(f"g.bin: {DAMAGED}")
    # nor does a library print anything
    assert capfd.readouterr() == ("", "")
