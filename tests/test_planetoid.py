"""Planetoid folders: what they hold, and pickles that would run code, crash or take all memory."""

import hashlib
import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.planetoid import read_planetoid


def nested(depth):
    """Return a pickle of a dict whose key is a tuple in a tuple in a tuple …"""
    return b"}" + b")" + b"\x85" * depth + b"Ns."


def array_pickle(shape=(1, 2), code="f4", order="<", content=bytes(8)):
    """Return the pickle of an array whose parts need not go together."""

    class Parts:
        def __init__(self, function, args, state):
            self.parts = function, args, state

        def __reduce__(self):
            return self.parts

    dtype = Parts(np.dtype, (code, False, True), (3, order, None, None, None, -1, -1, 0))
    reconstruct, args, _ = np.zeros(1).__reduce__()
    return pickle.dumps(Parts(reconstruct, args, (1, shape, dtype, False, content)), 3)


def write_set(folder, **changed):
    """Write a Planetoid folder of four nodes in a ring, one to train and one to test."""
    rows, one_hot = sp.csr_matrix(np.eye(4, 3, dtype=np.float32)), np.eye(2, dtype=np.int32)
    parts = {
        "x": rows[:1],
        "tx": rows[3:],
        "allx": rows[:3],
        "y": one_hot[:1],
        "ty": one_hot[1:],
        "ally": one_hot[[0, 1, 0]],
        "graph": {node: [(node + 1) % 4] for node in range(4)},
        "test.index": b"3\n",
    }
    for part, value in {**parts, **changed}.items():
        data = value if isinstance(value, bytes) else pickle.dumps(value, protocol=3)
        data = data.replace(b"scipy.sparse._csr", b"scipy.sparse.csr")
        (folder / f"ind.t.{part}").write_bytes(data)


TRANSPOSED = np.asfortranarray(np.array([[1, 0], [0, 1], [1, 0]]))
PYTHON_2 = array_pickle(content="\x00\x00\x00\x00\x00\x00\x80?")


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"ally": pickle.dumps(TRANSPOSED.astype("<f8"), 3)},
        {"ally": pickle.dumps(TRANSPOSED.astype(">f4"), 4)},
        {"ally": pickle.dumps(TRANSPOSED.astype("|b1"), 3)},
        {"ty": PYTHON_2},
    ],
    ids=["plain", "float64", "big-endian", "bool", "python 2"],
)
def test_all_parts(tmp_path, changed):
    write_set(tmp_path, **changed)
    files = read_planetoid(tmp_path)
    assert files.edges.tolist() == [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert files.features.tolist() == np.eye(4, 3).tolist()
    assert files.labels.tolist() == [0, 1, 0, 1]
    assert [part.tolist() for part in files.split] == [[0], [1, 2], [3]]


OUTSIDE = sp.csr_matrix(np.eye(1, 3, dtype=np.float32))
OUTSIDE.indices[0] = 2**30


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        # what would run code, end the process or take memory
        ("x", pickle.dumps(os.mkdir), r"the pickle must not hold (posix|nt)\.mkdir"),
        ("x", OUTSIDE, "indices"),
        ("graph", nested(10**6), "it holds too many tuples"),
        ("graph", b"Nr\xff\xff\xff\x7f.", "it is damaged"),
        ("graph", dict.fromkeys(range(1000), [0] * 9999), "it has more neighbours than bytes"),
        ("y", b"ccollections\ndefaultdict\nN}X\x01\x00\x00\x00aNs\x86b.", ""),
        # contents of another kind
        ("graph", {0: [0.5]}, "a neighbour is no integer"),
        ("graph", [0], "a dict of nodes was expected"),
        ("x", np.eye(2), "a sparse matrix of rows was expected"),
        ("y", sp.csr_matrix(np.eye(2)), "an array of numbers was expected"),
        ("y", np.array([None]), "an array holds 'O8', which is no type of numbers"),
        ("y", array_pickle(code=(((),),)), "which is no type of numbers"),
        ("y", array_pickle(shape=(3,)), r"an array has the shape \(3,\) and 8 bytes"),
        ("y", array_pickle(shape=(2**62, 2**62, 4)), "is no tuple of lengths"),
        ("y", array_pickle(shape=(-2, -1)), "is no tuple of lengths"),
        # damaged pickles
        ("graph", b"}N", "exhausted before seeing STOP"),
        ("y", b"B\xff\xff\xff\x7fx.", "expected 2147483647 bytes"),
        ("test.index", b"", "it must list nodes"),
        ("test.index", b"-1\n", "it must list nodes"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_a_part_that_is_refused(tmp_path, part, value, reason):
    write_set(tmp_path, **{part: value})
    with pytest.raises(InputError, match=rf"^ind\.t\.{part} cannot be read \(.*{reason}"):
        read_planetoid(tmp_path)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"allx": sp.csr_matrix((10**6, 10**6), dtype=np.float32)}, "1000000 of 4 nodes have fea"),
        (
            {"tx": sp.csr_matrix((10**5, 10**6), dtype=np.float32), "test.index": b"3\n" * 10**5},
            "3 of 4 nodes have features, and 100000 of 100000",
        ),
    ],
)
def test_more_rows_than_nodes(tmp_path, changed, reason):
    write_set(tmp_path, **changed)
    with pytest.raises(InputError, match=reason):
        read_planetoid(tmp_path)


@pytest.mark.parametrize(
    ("name", "digest"),
    [("citeseer_d6836239", "d56b8ecf0bcc994c"), ("cora_v2_d697a464", "698bb59edc9f1f57")],
)
def test_real_sets_are_as_unpickled(shared_data, name, digest):
    files, content = read_planetoid(shared_data / name), hashlib.sha256()
    for part in (files.edges, files.features, files.labels, files.known, *files.split):
        content.update(part.tobytes())
    assert content.hexdigest()[:16] == digest
