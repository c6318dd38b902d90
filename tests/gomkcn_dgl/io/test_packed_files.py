"""Packed files and streams: read as the plain file is, once, and never more than there is room."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

from gomkcn.commands.main import main
from gomkcn.mining.temporal.temporal_motifs import temporal_census
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io import input_file
from gomkcn_dgl.io.formats import FORMATS
from gomkcn_dgl.io.input_file import InputFile, ending_of_content
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.writing import write_graph
from gomkcn_dgl.runtime import packed_files
from gomkcn_dgl.runtime.files import called, is_stream

READINGS = Path(__file__).parents[2] / "data" / "readings"
# of files whose format no other one could be
_TOLD_BY_CONTENT = {
    *(".graphml", ".gml", ".gexf", ".net", ".paj", ".json", ".cyjs", ".mtx", ".csv", ".tsv"),
    *(".bin", ".npz", ".parquet", ".sdf", ".dimacs", ".col", ".txt", ".gz"),
}
# whose columns must be named
_ASKED = {"snap_bitcoin.csv"}
TABLE = b"source,target\na,b\nb,c\n"


def zipped(members):
    """An archive of files by name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


PACKINGS = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda data: zipped({"d/g.csv": data}),
}


def ids_of(graph):
    return list(graph.original_ids(np.arange(graph.num_nodes)))


def typed(monkeypatch, data):
    """Put bytes into the standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_packed_file_is_what_is_in_it(tmp_path, monkeypatch, packing):
    packed = PACKINGS[packing](TABLE)
    path = tmp_path / (f"g.csv{packing}" if packing != ".zip" else "any.zip")
    path.write_bytes(packed)
    file = InputFile(path)
    assert (file.ending, file.packing, file.head, file.data) == (".csv", packing, TABLE, TABLE)
    assert ids_of(read_graph(path)) == ["a", "b", "c"]
    # a stream is packed where its first bytes say so
    typed(monkeypatch, packed)
    assert ids_of(read_graph("-")) == ["a", "b", "c"]


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_packed_file_that_is_cut_is_refused(tmp_path, monkeypatch, packing):
    data = bytes(np.random.default_rng(0).integers(32, 127, 10_000, np.uint8))
    cut = PACKINGS[packing](data)[:-100]
    path = tmp_path / f"g.csv{packing}"
    path.write_bytes(cut)
    with pytest.raises(InputError, match=r"^g.csv\.\w+: the packed file is not complete \("):
        read_graph(path)
    typed(monkeypatch, cut)
    with pytest.raises(InputError, match=r"^the standard input: the packed file is not complete"):
        read_graph("-")


@pytest.mark.parametrize("packing", PACKINGS)
def test_what_unpacks_to_more_than_there_is_room_is_refused_before(tmp_path, monkeypatch, packing):
    monkeypatch.setattr(packed_files, "_PIECE_BYTES", 1000)
    monkeypatch.setattr(packed_files, "readable_bytes", lambda: 10_000)
    path = tmp_path / f"g.txt{packing}"
    path.write_bytes(PACKINGS[packing](b"0 1\n" * 10**6))
    rule = "the file of .* unpacks to more than 9.8 KiB, half of the memory that is available; use"
    with pytest.raises(InputError, match=rule):
        read_graph(path)


def test_an_endless_stream_is_refused(tmp_path, monkeypatch):
    class Endless(io.RawIOBase):
        taken = 0

        def read(self, size=-1):
            self.taken += size
            return b"0 1\n" * (size // 4)

    endless = Endless()
    monkeypatch.setattr(packed_files, "_PIECE_BYTES", 1000)
    monkeypatch.setattr(packed_files, "readable_bytes", lambda: 10_000)
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": endless})())
    with pytest.raises(
        InputError, match=r"^the standard input: the stream holds more than 9.8 KiB"
    ):
        read_graph("-")
    assert endless.taken <= 11_000


def test_an_archive_of_several_files_names_them(tmp_path):
    path = tmp_path / "g.zip"
    path.write_bytes(zipped({"a.csv": TABLE, "b.csv": TABLE}))
    with pytest.raises(InputError) as caught:
        read_graph(path)
    assert str(caught.value) == (
        "g.zip: a zip archive must hold one file, got 2: a.csv, b.csv; unpack it, and name the "
        "file or the folder."
    )
    path.write_bytes(zipped({}))
    with pytest.raises(InputError, match="must hold one file, got 0; unpack it"):
        read_graph(path)
    # what macOS adds is none, and a folder is none
    path.write_bytes(zipped({"d/": b"", "d/a.csv": TABLE, "__MACOSX/d/a.csv": b"x"}))
    with zipfile.ZipFile(path) as archive:
        assert len(archive.namelist()) == 3
    assert ids_of(read_graph(path)) == ["a", "b", "c"]


def test_an_encrypted_archive_is_refused(tmp_path):
    data = bytearray(zipped({"g.csv": TABLE}))
    # the bit that says so, in both headers
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path = tmp_path / "g.zip"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"^g.zip: the zip archive cannot be unpacked \(File"):
        read_graph(path)


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(READINGS.iterdir())
        if path.is_file() and path.suffix in _TOLD_BY_CONTENT and path.name not in _ASKED
    ],
    ids=lambda path: path.name,
)
def test_a_stream_is_read_as_the_file_of_the_same_content(path, monkeypatch):
    """Of each tool: the format is told by the content."""
    expected = read_graph(path)
    typed(monkeypatch, path.read_bytes())
    found = read_graph("-")
    assert ids_of(found) == ids_of(expected)
    assert found.num_edges == expected.num_edges
    assert found.relations.kinds == expected.relations.kinds


def test_a_format_that_the_content_does_not_say_is_named(monkeypatch):
    typed(monkeypatch, b"CCO\nCCN\n")
    assert read_graph("-", format="smiles").num_graphs == 2
    typed(monkeypatch, b"A?\n")
    assert read_graph("-", format="graph6").num_nodes == 2
    typed(monkeypatch, TABLE)
    with pytest.raises(InputError, match="format must be one of"):
        read_graph("-", format="xml")


def test_how_a_stream_is_read_is_said(monkeypatch, caplog):
    caplog.set_level("INFO")
    typed(monkeypatch, TABLE)
    read_graph("-")
    said = "the standard input is read as csv, as its content says; format names another format"
    assert said in caplog.messages
    assert any(line.startswith("read the standard input: graphs: 1") for line in caplog.messages)


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_an_empty_stream_is_refused(monkeypatch, content):
    typed(monkeypatch, content)
    with pytest.raises(InputError, match=r"^the standard input: the file is empty"):
        read_graph("-")
    monkeypatch.setattr(sys, "stdin", io.StringIO("a b"))
    with pytest.raises(InputError, match="cannot be read .there is no standard input"):
        read_graph("-")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="the shell opens no pipes so")
def test_a_pipe_of_the_shell_is_read_once_however_often_it_is_asked_for():
    reading, writing = os.pipe()
    try:
        os.write(writing, TABLE)
        os.close(writing)
        path = f"/dev/fd/{reading}"
        assert called(path) == f"the stream {path}"
        # the second time from what is known: nothing is left in the pipe
        assert [ids_of(read_graph(path)) for _ in range(2)] == [["a", "b", "c"]] * 2
        assert os.read(reading, 1) == b""
    finally:
        os.close(reading)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_that_somebody_put_there_is_not_waited_for(tmp_path):
    (tmp_path / "g.csv").write_bytes(TABLE)
    for name in ("pipe", "x.npy"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="it is a pipe or a device"):
        read_graph(tmp_path / "pipe", format="csv")
    with pytest.raises(InputError, match="it is a pipe or a device"):
        read_graph(tmp_path / "g.csv", feature_file=tmp_path / "x.npy")
    assert is_stream("-") and is_stream("/dev/stdin")
    for path in (tmp_path / "pipe", tmp_path, "no\0name", os.devnull, "/dev/fd/9999", "-x"):
        assert not is_stream(path)
    assert called("-") == called("/dev/stdin") == "the standard input"
    assert called("a/b.csv") == "b.csv"


COMMANDS = {
    "info": ["info", "-"],
    "convert": ["convert", "-", "OUT"],
    "census": ["census", "-", "--sizes", "3"],
    "count": ["count", "path-3", "-"],
    "where": ["count", "A->B, A.degree > 1", "-"],
    "motifs of time": ["temporal", "-", "--window", "9", "--null-samples", "0", "--out", "OUT"],
    "filters": ["filters", "-", "--out", "OUT"],
    "mine": ["mine", "-", "--null", "none", "--pattern-size", "3", "--out", "OUT"],
    "compare": ["compare", "-", "FILE", "--out", "OUT"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_read_a_stream(tmp_path, command):
    """Those that look at a graph twice, too: for its classes, attributes, or once more."""
    table = b"source,target,time\n" + b"".join(
        f"n{at},n{(at * 5 + 1) % 12},{at}\n".encode() for at in range(12)
    )
    file = tmp_path / "g.csv"
    file.write_bytes(table)
    words = {"OUT": str(tmp_path / "out"), "FILE": str(file)}
    asked = [words.get(word, word) for word in COMMANDS[command]]
    run = CliRunner().invoke(main, asked, input=table)
    assert run.exit_code == 0, run.output


def test_a_collection_of_molecules_is_read_from_a_stream(tmp_path):
    table = b"smiles,y\n" + b"".join(
        b"C%bO,%b\n" % (b"C" * at, b"ab"[at % 2 :][:1]) for at in range(6)
    )
    asked = ["frequent", "-", "--support", "2", "--sizes", "2-3", "--per-class"]
    asked += ["--class-column", "y", "--out", str(tmp_path / "out")]
    run = CliRunner().invoke(main, asked, input=table)
    assert run.exit_code == 0, run.output


@pytest.mark.parametrize("name", ["/dev/stdin", "-", "<(cat {file})", "<(gzip -c {file})"])
def test_a_shell_gives_a_stream(tmp_path, name):
    file = tmp_path / "g.csv"
    file.write_bytes(TABLE)
    command = f"cat {file} | {sys.executable} -m gomkcn info {name.format(file=file)}"
    run = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "nodes              3" in run.stdout


def test_the_folder_of_a_run_has_a_name_without_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(
        main, ["temporal", "-", "--window", "9", "--null-samples", "0"],
        input=b"source,target,time\na,b,1\nb,a,2\n",
    )  # fmt: skip
    assert run.exit_code == 0, run.output
    assert (tmp_path / "runs" / "stream" / "run.json").exists()


def test_events_in_time_are_read_from_a_stream(monkeypatch):
    typed(monkeypatch, b"source,target,time\na,b,1\nb,a,2\na,b,4\n")
    assert temporal_census("-", 9, null_samples=0).counts.sum() == 1


@pytest.mark.parametrize("row", [row for row in FORMATS.values() if row.write is not None])
def test_what_is_written_is_told_by_its_content(tmp_path, row):
    if row.is_folder:
        pytest.skip("a folder is no stream")
    path = tmp_path / f"g{row.endings[0]}"
    write_graph(path, as_csr(nx.path_graph(4)))
    ending = ending_of_content(path.read_bytes())
    assert ending == path.suffix or {ending, path.suffix} <= {".csv", ".txt", ".tsv"}


def test_comments_and_blanks_stand_before_what_tells_a_format():
    for text, ending in (
        (b"% a project\n\n*Vertices 2\n", ".net"),
        (b'Creator "me"\nVersion 1\ngraph\n[\n', ".gml"),
        (b"c a comment\nc\np edge 3 2\n", ".dimacs"),
        (b"# c,d\na b\n", ".txt"),
        (b"# c d\na,b\n", ".csv"),
        (b"graph word\n", ".txt"),
        (b"<x>\n", ".txt"),
        ("a\tb\n".encode("utf-16"), ".csv"),
        (b"#\n" * 3, ".txt"),
    ):
        assert ending_of_content(text) == ending, text
    assert not set(input_file._BEGIN) & set(input_file._BEGIN_TEXT)
