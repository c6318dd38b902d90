"""Files made to do harm: bombs, pipes, impossible names, text that a page or a terminal obeys."""

import gzip
import io
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from command_line import invoke
from graph_files import typed_graph
from self_contained import assert_loads_nothing

from gomkcn.mining.structures.truth import read_truth
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.io.features import read_label_names
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.files import read_toml
from gomkcn_dgl.training.checkpoint import read_state

MEGABYTES = 1 << 20
# content that does not fit into as much memory
LARGE = 32 * MEGABYTES


def header_of(shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


def write_feature_array(path):
    path.with_name("g.features.npy").write_bytes(header_of("(1000000000000,)") + bytes(16))
    path.write_text("0 1\n")


def write_isolated_nodes(path):
    write_dgl_graphs(path, [typed_graph([(0, 1)], 2 * 10**6)])


def write_long_text(path):
    names = pa.DictionaryArray.from_arrays([0, 1] * 20_000, ["a", "x" * 10**6])
    pq.write_table(pa.table({"u": names, "v": names}), path)


# the name of a small file that announces much, its writer, the reason, and the megabytes to read it
BOMBS = [
    ("g.txt", write_feature_array, "the array cannot be read (", 1),
    ("g.bin", write_isolated_nodes, "announces 2,000,000 nodes, more than it could", 1),
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


# content of 32 MiB, some thousands of bytes packed, of each kind of text that may be packed
PACKED = {
    "g.txt.gz": b"1 2\n" * 2**23,
    "g.csv.gz": b"source,target\n" + b"1,2\n" * 2**23,
    "g.graphml.gz": b"<graphml>" + b" " * LARGE,
    "g.gml.gz": b"graph [" + b" " * LARGE,
    "g.net.gz": b"*Vertices 1\n" + b" " * LARGE,
    "g.json.gz": b" " * LARGE,
    "g.smi.gz": b"CCO\n" * 2**23,
    "g.sdf.gz": b"\n" * LARGE,
}


def limit_memory(monkeypatch, size):
    monkeypatch.setattr("gomkcn_dgl.runtime.memory.available_memory", lambda: size)


@pytest.mark.parametrize("name", PACKED)
def test_what_unpacks_to_more_than_the_memory_is_refused(tmp_path, monkeypatch, name):
    (tmp_path / name).write_bytes(gzip.compress(PACKED[name]))
    limit_memory(monkeypatch, LARGE)
    said = rf"^{name}: the file of .* KiB unpacks to more than 16.0 MiB, half of the memory"
    with pytest.raises(InputError, match=said):
        read_graph(tmp_path / name)


def test_a_plain_file_that_is_larger_than_the_memory_is_refused(tmp_path, monkeypatch):
    (tmp_path / "g.txt").write_bytes(b"1 2\n" * 2**23)
    (tmp_path / "g.toml").write_bytes(b"# 345678\n" * 2**22)
    limit_memory(monkeypatch, LARGE)
    with pytest.raises(InputError, match=r"^g.txt: the file would take 32.0 MiB of mem.* 16.0 M"):
        read_graph(tmp_path / "g.txt")
    with pytest.raises(InputError, match=r"the file would take 36.0 MiB of memory when it is read"):
        read_toml(tmp_path / "g.toml")


def test_edges_that_need_more_than_the_memory_are_refused(tmp_path, monkeypatch):
    zeros = pa.array(np.zeros(10**6, np.int64))
    pq.write_table(pa.table({"source": zeros, "target": zeros}), tmp_path / "g.parquet")
    (tmp_path / "g.txt").write_bytes(b"1 2\n" * 10**6)
    assert (tmp_path / "g.parquet").stat().st_size < 20_000
    limit_memory(monkeypatch, 90 * MEGABYTES)
    for name in ("g.parquet", "g.txt"):
        with pytest.raises(InputError, match=f"^{name}: the table of edges would take 85.8 MiB"):
            read_graph(tmp_path / name)
    # nodes that a first line announces
    (tmp_path / "n.txt").write_text("1000000000000 3\n0 1\n1 2\n2 0\n")
    with pytest.raises(
        InputError, match=r"^n.txt: a graph of the 1,000,000,000,000 nodes of line 1"
    ):
        read_graph(tmp_path / "n.txt")
    # a few long words, which the file has in few bytes
    words = pa.table({"a": ["x" * LARGE], "b": ["y"]})
    pq.write_table(words, tmp_path / "w.parquet", compression="gzip", use_dictionary=False)
    limit_memory(monkeypatch, LARGE)
    with pytest.raises(
        InputError, match=r"^w.parquet: the table of edges would take [3-9]\d.\d MiB"
    ):
        read_graph(tmp_path / "w.parquet")


def archive_of(path, **changes):
    """Write a matrix with some of its arrays as other bytes."""
    plain = io.BytesIO()
    sp.save_npz(plain, sp.csr_matrix(([1.0], ([0], [1])), shape=(3, 3)))
    with (
        zipfile.ZipFile(plain) as old,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, changes.get(name.removesuffix(".npy"), old.read(name)))


def test_a_matrix_that_announces_more_than_it_holds_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "m.npz"
    archive_of(path)
    assert read_graph(path).num_nodes == 3
    for name, shape in (("data", "(1099511627776,)"), ("indptr", "(1048576, 1048576)")):
        archive_of(path, **{name: header_of(shape) + bytes(8)})
        with pytest.raises(InputError, match=rf"{name}.npy announces 8,796,093,.*, and holds 8\)"):
            read_graph(path)
    for kind, shape in (("coo", (2**40, 2**40)), ("dia", (2**40, 2**40)), ("coo", (3, 2**40))):
        matrix = sp.coo_matrix(([1.0], ([0], [1])), shape=shape)
        if kind == "dia":
            matrix = sp.dia_matrix((np.ones((1, 3)), [0]), shape=shape)
        sp.save_npz(path, matrix)
        assert path.stat().st_size < 1000
        with pytest.raises(InputError, match="^m.npz: the file announces 1,099,511,627,776 nodes"):
            read_graph(path)
    # of zeros that unpack to more than there is
    archive_of(path, data=header_of("(4194304,)") + bytes(8 * 2**22))
    limit_memory(monkeypatch, LARGE)
    with pytest.raises(InputError, match=r"^m.npz: the unpacked archive would take 32.0 MiB"):
        read_graph(path)
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(InputError, match="must be one that scipy.sparse.save_npz writes"):
        read_graph(path)


def test_a_lack_of_memory_anywhere_is_one_sentence(tmp_path, monkeypatch):
    path = tmp_path / "g.npz"
    archive_of(path)

    def fail(*arguments, **options):
        raise MemoryError("Unable to allocate 8.00 TiB for an array\nwith a shape")

    # also where readers of other libraries say what is wrong with a file
    for name in ("gomkcn_dgl.io.foreign_files.from_matrix", "scipy.sparse.load_npz"):
        with monkeypatch.context() as patch:
            patch.setattr(name, fail)
            result = invoke(f"info {path}")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(
            "gomkcn: out of memory (Unable to allocate 8.00 TiB for an array); "
        )
        assert result.stderr.endswith(
            "B are available to this process: use a smaller input, or more memory.\n"
        )
        assert result.stderr.count("\n") == 1


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
