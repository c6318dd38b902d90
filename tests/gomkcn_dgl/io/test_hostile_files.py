"""Files made to do harm: bombs, pipes, impossible names, text that a page or a terminal obeys."""

import os
import struct
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import invoke
from self_contained import assert_loads_nothing

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.features import read_label_names
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.files import read_toml
from gomkcn_dgl.training.checkpoint import read_state
from mining import read_truth

MEGABYTES = 1 << 20


def header_of(shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


def write_feature_array(path):
    path.with_name("g.features.npy").write_bytes(header_of("(1000000000000,)") + bytes(16))
    path.write_text("0 1\n")


def write_isolated_nodes(path):
    dgl.save_graphs(str(path), [dgl.graph(([0], [1]), num_nodes=2 * 10**6)])


def write_long_text(path):
    names = pa.DictionaryArray.from_arrays([0, 1] * 20_000, ["a", "x" * 10**6])
    pq.write_table(pa.table({"u": names, "v": names}), path)


# the name of a small file that announces much, its writer, the reason, and the megabytes to read it
BOMBS = [
    ("g.txt", write_feature_array, "the array cannot be read (", 1),
    # the import of the reader takes two
    ("g.bin", write_isolated_nodes, "announces 2,000,000 nodes, more than it could", 4),
    ("g.parquet", write_long_text, "row 2: a node id must have 1 to 1000", 300),
]


@pytest.mark.parametrize(("name", "write_bomb", "words", "megabytes"), BOMBS)
def test_small_files_that_announce_much(tmp_path, name, write_bomb, words, megabytes):
    write_bomb(tmp_path / name)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as error:
            read_graph(tmp_path / name)
        assert words in str(error.value)
        # what Python and NumPy had taken
        assert tracemalloc.get_traced_memory()[1] < megabytes * MEGABYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("s.toml", "a = " + "[" * 10_000, "is nested too deeply"),
        ("t.json", "[" * 100_000, "it is nested too deeply"),
        ("t.json", '{"1": 1' + "0" * 400 + "}", "it holds a number of 401 digits"),
        ("t.json", '{"motifs": NaN}', "it holds a number that is not finite, NaN"),
        ("t.json", '{"motifs": 1e400}', "it holds a number that is not finite, 1e400"),
        ("t.json", '{"1": "\\ud800"}', "it holds half a character"),
    ],
)
def test_numbers_and_nesting_of_json_and_toml(write, name, text, reason):
    with pytest.raises(InputError, match=reason):
        READERS[name](write(name, text))


READERS = {
    "g.txt": read_graph,
    "g.graphml": read_graph,
    "g.bin": read_graph,
    "g.npz": read_graph,
    "g.parquet": read_graph,
    "n.csv": read_label_names,
    "s.toml": read_toml,
    "m.txt": Structure.read,
    "t.json": read_truth,
    "c.pt": lambda path: read_state(path, dict),
}


@pytest.mark.parametrize("name", READERS)
def test_pipes_devices_folders_and_impossible_names(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(InputError, match="it is a pipe or a device"):
        READERS[name](path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="it is a pipe or a device"):
        READERS[name](path)
    path.unlink()
    path.mkdir()
    for prefix in ("", "no", "a\0b", "\ud800", "a" * 5000):
        with pytest.raises(InputError) as error:
            READERS[name](Path(prefix + name))
        assert str(error.value).isprintable()


def test_names_cannot_steer_the_terminal(folder, write):
    write("g.txt", "0 1\n")
    write("f.csv", "id,a\x1b[31m\n0,1\n1,2\n")
    result = invoke("info g.txt --feature-file f.csv")
    assert "a�[31m" in result.stdout
    assert "\x1b" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    "page", ["<img src=http://x/y>", "<p onclick=a()>", "<p style='fill: url(http://x)'>"]
)
def test_pages_that_load_or_run_something_are_recognized(page):
    with pytest.raises(AssertionError):
        assert_loads_nothing(page)
