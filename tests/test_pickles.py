"""Pickles read without making what they name."""

import hashlib
import os
import pickle
from collections import defaultdict

import numpy as np
import pytest
import scipy.sparse as sp

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.pickles import ARRAY_NAMES, Made, Named, read_pickle, read_pickled_array
from gomkcn_dgl.io.planetoid import read_planetoid

TWICE, MANY = [1], [0] * 9999
PLAIN = [
    {"a": (1, -2, 2**40, -(2**70)), 3: [None, True, False, 0.5], "é": []},
    (),
    [(1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
    [TWICE, TWICE, {}, {"b": {1: "x"}}],
    [[number] for number in range(2000)],
    "x" * 300,
]


def array_state(**changed):
    """What `read_pickle` finds in the pickle of an array of two numbers, but for changes."""
    kind = Made("numpy.dtype", ("f4", 0, 1), (3, "<", None, None, None, -1, -1, 0))
    parts = {"version": 1, "shape": (2,), "kind": kind, "by_columns": False, "content": bytes(8)}
    return Made(ARRAY_NAMES[0], (), tuple({**parts, **changed}.values()))


def kind_of(code, order="<"):
    return Made("numpy.dtype", (code, 0, 1), (3, order, None, None, None, -1, -1, 0))


def nested(depth):
    """A pickle of a dict whose one key is a tuple in a tuple in a tuple …"""
    return b"}" + b")" + b"\x85" * depth + b"Ns."


class TestReadPickle:
    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    @pytest.mark.parametrize("value", PLAIN, ids=range(len(PLAIN)))
    def test_plain_values(self, value, protocol):
        assert read_pickle(pickle.dumps(value, protocol), ()) == value

    @pytest.mark.parametrize("protocol", [3, 4, 5])
    def test_bytes(self, protocol):
        assert read_pickle(pickle.dumps([b"\xff\0", b"x" * 300], protocol), ()) == [
            b"\xff\0",
            b"x" * 300,
        ]

    @pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
    def test_what_it_would_make(self, protocol):
        names = ("collections.defaultdict", "builtins.list", "__builtin__.list")
        found = read_pickle(pickle.dumps(defaultdict(list, {1: [2]}), protocol), names)
        assert (found.name, found.state, found.items) == (names[0], None, {1: [2]})
        assert [type(given) for given in found.given] == [Named]

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_other_names(self, protocol):
        data = pickle.dumps(os.mkdir, protocol)
        with pytest.raises(InputError, match=r"^the pickle must not hold (posix|nt)\.mkdir\.$"):
            read_pickle(data, ARRAY_NAMES)

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (nested(10**6), "a key is neither a number nor text"),
            (b"}N.", "too many values"),
            (b"(.", "not enough values"),
            (b"]0.", "the operation POP is not one of data"),
            (b"N\x85R.", "pop from empty list"),
            (b"NN\x86R.", "pop from empty list"),
            (b"NNR.", "it calls what is no name"),
            (b"]Nb.", "it changes what it did not make"),
            (b"NNa.", "it appends to what is no list"),
            (b"]NNs.", "it sets keys of what is no dict"),
            (b"}(Nu.", "a key is neither"),
            (b"}(K\x01u.", "shorter than argument 1|is shorter"),
            (b"N\x87.", "values are missing"),
            (b"h\x05.", "5"),
            (b"B\xff\xff\xff\x7fx.", "expected 2147483647 bytes"),
            (b"", "exhausted before seeing STOP"),
        ],
        ids=lambda value: value[:12] if isinstance(value, bytes) else None,
    )
    def test_damaged(self, data, reason):
        with pytest.raises((ValueError, LookupError), match=reason):
            read_pickle(data, ARRAY_NAMES)


class TestArrays:
    @pytest.mark.parametrize("code", ["<f4", ">f8", "<i4", "<i8", "|u1", "|b1", "<f2", ">u2"])
    @pytest.mark.parametrize("shape", [(), (0, 3), (4,), (2, 3)])
    def test_as_unpickled(self, code, shape):
        array = np.arange(np.prod(shape)).reshape(shape).astype(code)
        for values in (array, array.T):
            found = read_pickled_array(read_pickle(pickle.dumps(values, 3), ARRAY_NAMES))
            assert found.dtype == values.dtype
            assert found.flags.writeable
            np.testing.assert_array_equal(found, values)

    def test_bytes_of_python_2(self):
        found = read_pickled_array(array_state(content="\x00\x00\x80?\x00\x00\x00À"))
        assert found.tolist() == [1, -2]

    @pytest.mark.parametrize(
        ("changed", "reason"),
        [
            ({"kind": kind_of("O")}, "no type of numbers"),
            ({"kind": kind_of("V8")}, "no type of numbers"),
            ({"kind": kind_of("f4", "x")}, "no type of numbers"),
            ({"kind": kind_of((((),),))}, "the type of an array is no text"),
            ({"kind": Made("numpy.dtype", ("f4",), (3, "<"))}, "an incomplete type"),
            ({"kind": Made("numpy.dtype", (), (3, "<"))}, "an incomplete type"),
            ({"kind": "f4"}, "an array has no type"),
            ({"shape": (3,)}, r"the shape \(3,\) and 8 bytes"),
            ({"shape": (1,)}, r"the shape \(1,\) and 8 bytes"),
            ({"shape": (2**62, 2**62, 4)}, "no tuple of lengths"),
            ({"shape": (-2, -1)}, "no tuple of lengths"),
            ({"shape": 2}, "no tuple of lengths"),
            ({"shape": (True, 2)}, "no tuple of lengths"),
            ({"content": [1.0, 2.0]}, "the content of an array is no bytes"),
            ({"content": "\u0100" * 8}, "codec can't encode"),
            ({"more": 1}, "an array has no content"),
        ],
    )
    def test_what_does_not_go_together(self, changed, reason):
        with pytest.raises(ValueError, match=reason):
            read_pickled_array(array_state(**changed))

    @pytest.mark.parametrize("other", [None, [1], Named("numpy.ndarray"), kind_of("f4")])
    def test_what_is_no_array(self, other):
        with pytest.raises(ValueError, match="an array of numbers was expected"):
            read_pickled_array(other)


def write_set(folder, **changed):
    """A Planetoid folder of four nodes in a ring, one to train and one to test."""
    rows, hot = sp.csr_matrix(np.eye(4, 3, dtype=np.float32)), np.eye(2, dtype=np.int32)
    parts = {
        "x": rows[:1],
        "tx": rows[3:],
        "allx": rows[:3],
        "y": hot[:1],
        "ty": hot[1:],
        "ally": hot[[0, 1, 0]],
        "graph": {node: [(node + 1) % 4] for node in range(4)},
    }
    for part, value in {**parts, **changed}.items():
        data = value if isinstance(value, bytes) else pickle.dumps(value, protocol=3)
        data = data.replace(b"scipy.sparse._csr", b"scipy.sparse.csr")
        (folder / f"ind.t.{part}").write_bytes(data)
    (folder / "ind.t.test.index").write_text("3\n")


class TestPlanetoid:
    def test_whole(self, tmp_path):
        write_set(tmp_path)
        files = read_planetoid(tmp_path)
        assert files.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 0]]
        assert files.features.tolist() == np.eye(4, 3).tolist()
        assert files.labels.tolist() == [0, 1, 0, 1]

    @pytest.mark.parametrize(
        ("part", "value", "reason"),
        [
            ("graph", nested(10**6), "a key is neither a number nor text"),
            # one list, which is there a thousand times
            ("graph", dict.fromkeys(range(1000), MANY), "it has more neighbours than bytes"),
            ("graph", {0: [0.5]}, "a neighbour is no integer"),
            ("graph", {"a": [0]}, "a dict of nodes was expected"),
            ("graph", {0: (0,)}, "the neighbours of a node are no list"),
            ("graph", [0], "a dict of nodes was expected"),
            ("x", np.eye(2), "a sparse matrix of rows was expected"),
            ("y", sp.csr_matrix(np.eye(2)), "an array of numbers was expected"),
            ("y", np.array([None]), r"an array holds '\|O8', which is no"),
            ("y", np.zeros(1, "f4,i4"), r"an array holds '\|V8', which is no"),
        ],
    )
    def test_other_contents(self, tmp_path, part, value, reason):
        write_set(tmp_path, **{part: value})
        with pytest.raises(InputError, match=rf"^ind\.t\.{part} cannot be read \({reason}"):
            read_planetoid(tmp_path)

    @pytest.mark.parametrize("text", ["", "\n \n", "# 3\n", "3 2\n", "-1\n", "9" * 5000])
    def test_no_nodes_to_test_on(self, tmp_path, text):
        write_set(tmp_path)
        (tmp_path / "ind.t.test.index").write_text(text)
        with pytest.raises(InputError, match=r"^ind\.t\.test\.index cannot be read \("):
            read_planetoid(tmp_path)

    def test_more_rows_than_nodes(self, tmp_path):
        write_set(tmp_path, allx=sp.csr_matrix((10**6, 10**6), dtype=np.float32))
        with pytest.raises(InputError, match="1000000 of 4 nodes have features, and 1 of 1 to"):
            read_planetoid(tmp_path)

    def test_one_node_tested_often(self, tmp_path):
        write_set(tmp_path, tx=sp.csr_matrix((10**5, 10**6), dtype=np.float32))
        (tmp_path / "ind.t.test.index").write_text("3\n" * 10**5)
        with pytest.raises(InputError, match="3 of 4 nodes have features, and 100000 of 100000"):
            read_planetoid(tmp_path)

    @pytest.mark.parametrize(
        ("name", "digest"),
        [
            ("citeseer_d6836239", "d56b8ecf0bcc994c"),
            ("cora_v2_d697a464", "698bb59edc9f1f57"),
            ("pubmed_partial", "8d4a46bb7e1dd5c9"),
        ],
    )
    def test_real_sets_are_as_unpickled(self, shared_data, name, digest):
        files, content = read_planetoid(shared_data / name), hashlib.sha256()
        for part in (files.edges, files.features, files.labels, files.known, *files.split):
            content.update(part.tobytes())
        assert content.hexdigest()[:16] == digest
