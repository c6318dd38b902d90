"""Plain values in files: what is written is read again, and nothing else is read."""

import io
import json
import pickle
import zipfile
from dataclasses import dataclass, field

import numpy as np
import pytest

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.plain_values import DamagedValueError, read_value, write_value


@dataclass(frozen=True, eq=False)
class Found:
    structure: Structure
    copies: np.ndarray
    bits: float
    known: dict[bytes, float] = field(default_factory=dict)


def through_a_file(value, kind):
    file = io.BytesIO()
    write_value(file, value)
    return read_value(file, kind)


@pytest.mark.parametrize(("value", "kind"), [
    (3, int), (True, bool), (10**40, int), (0.1, float), (float("inf"), float), ("ß\n", str),
    (b"\0\xff", bytes), ([1, 2], list[int]), ((1, "a", None), tuple[int, str, float | None]),
    ({"a": (1.5,)}, dict[str, tuple[float, ...]]), ((np.int64(3), np.bool_(1)), tuple[int, bool]),
    (7, int | float), (7.0, int | float), ({b"key": float("-inf")}, dict[bytes, float]),
])  # fmt: skip
def test_plain_values_come_back(value, kind):
    found = through_a_file(value, kind)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize("array", [
    np.arange(6, dtype=np.int32).reshape(2, 3), np.array([np.nan, 1.0]), np.zeros((0, 4), np.int64),
    np.array(["a", "ß"]), np.array(2.5), np.array([[True]]),
])  # fmt: skip
def test_arrays_come_back_with_their_types_and_shapes(array):
    found = through_a_file(array, np.ndarray)
    assert found.dtype == array.dtype and found.shape == array.shape
    np.testing.assert_array_equal(found, array)


def test_records_come_back():
    structure = Structure.parse("x:C--y:N, y-[binds]->z:C")
    # what was worked out of a structure is not a part of it
    assert structure.key
    record = Found(structure, np.arange(6).reshape(2, 3), 2.5, {b"\xff": float("inf")})
    (found,) = through_a_file((record,), tuple[Found])
    assert found.structure.key == structure.key and found.structure.roles == structure.roles
    assert found.known == record.known and found.bits == 2.5
    np.testing.assert_array_equal(found.copies, record.copies)


def test_many_small_arrays_take_little_room_and_equal_values_are_equal_files():
    small = [np.arange(3), np.arange(3)]
    files = []
    for value in (small * 500, [array.copy() for array in small * 500]):
        file = io.BytesIO()
        write_value(file, value)
        files.append(file.getvalue())
    # 24 bytes each, and 10 for its place; NumPy's head alone has 128
    assert files[0] == files[1] and len(files[0]) < 40 * 1000
    found = read_value(io.BytesIO(files[0]), list[np.ndarray])
    assert len(found) == 1000 and all(array.tolist() == [0, 1, 2] for array in found)


def test_what_is_not_plain_is_not_written():
    for value, error in [({1, 2} and print, TypeError), (np.array([print]), ValueError)]:
        with pytest.raises(error):
            write_value(io.BytesIO(), value)


def archive_of(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return file.getvalue()


def pickled_array():
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([print], dtype=object), allow_pickle=True)
    return file.getvalue()


def plain_array():
    file = io.BytesIO()
    np.lib.format.write_array(file, np.arange(3))
    return file.getvalue()


@pytest.mark.parametrize("content", [
    b"", b"PK\x03\x04 and no more", pickle.dumps({"value": 1}), archive_of(other="1"),
    archive_of(value_json="{"), archive_of(value_json="3"), archive_of(value_json="[" * 100_000),
    archive_of(value_json=json.dumps({"structure": 1, "copies": 0, "bits": 1.0})),
    archive_of(value_json=json.dumps({"copies": [0, 0]}), arrays=pickled_array()),
    archive_of(value_json=json.dumps({"copies": [0, 0]}), arrays=b"\x93NUMPY"),
    archive_of(value_json=json.dumps({"copies": [0, 0]}), arrays=b""),
    archive_of(value_json=json.dumps({"copies": 0}), arrays=plain_array()),
    archive_of(value_json=json.dumps({"copies": "ab"}), arrays=plain_array()),
    archive_of(value_json=json.dumps({"copies": [0]}), arrays=plain_array()),
    archive_of(value_json=json.dumps({"copies": [1, 0]}), arrays=plain_array()),
    archive_of(value_json=json.dumps({"copies": [0, 3]}), arrays=plain_array()),
])  # fmt: skip
def test_other_files_are_damaged(content):
    for kind in (dict[str, np.ndarray], Found):
        with pytest.raises(DamagedValueError):
            read_value(io.BytesIO(content), kind)


def test_a_structure_without_links_is_damaged():
    file = io.BytesIO()
    write_value(file, {"channels": np.zeros((2, 2), bool)})
    with pytest.raises(DamagedValueError, match="links"):
        read_value(file, Structure)
