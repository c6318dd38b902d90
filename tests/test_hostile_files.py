"""Files made to do harm: bombs, pipes, paths, code, names that a page or a terminal would obey."""

import gzip
import io
import json
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from command_line import invoke, refused
from fuzzed import TARGETS, assert_loads_nothing, pack, unpack

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.label_names import read_label_names
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.torch_file import read_state
from mining import read_truth
from mining.results.occurrence_file import read_occurrences
from mining.settings import read_toml
from synthetic import read_motif

MEGABYTES = 1 << 20


def refusal_and_peak(read, *arguments):
    """Return the sentence of a refusal, and the most bytes that Python and NumPy had taken."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as error:
            read(*arguments)
        return str(error.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def header_of(shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


class TestBombs:
    """Small files that say they are large."""

    def test_gzip(self, tmp_path):
        path = tmp_path / "g.txt.gz"
        path.write_bytes(gzip.compress(b"0 1\n" * (64 * MEGABYTES), 1))
        sentence, peak = refusal_and_peak(read_graph, path)
        assert sentence.startswith("g.txt.gz: the file would become more than ")
        assert peak < 500 * MEGABYTES

    @pytest.mark.parametrize("shape", ["(1000000000000,)", "(1000000, 1000000)", "(-1, -1)"])
    def test_header_of_an_array(self, tmp_path, shape):
        (tmp_path / "g.txt").write_text("0 1\n")
        (tmp_path / "g.features.npy").write_bytes(header_of(shape) + bytes(16))
        sentence, peak = refusal_and_peak(read_graph, tmp_path / "g.txt")
        assert "the feature file g.features.npy: the array cannot be read (" in sentence
        assert peak < MEGABYTES

    def test_archive(self, tmp_path):
        path = tmp_path / "g.npz"
        names = ("indptr", "indices", "data")
        path.write_bytes(pack({f"{name}.npy": header_of("(1000000000000,)") for name in names}))
        sentence, peak = refusal_and_peak(read_graph, path)
        assert "the arrays cannot be read (8000000000000 bytes were" in sentence
        assert peak < MEGABYTES
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("data.npy", header_of(f"({16 * MEGABYTES},)") + bytes(128 * MEGABYTES))
        sentence, peak = refusal_and_peak(read_graph, path)
        assert "it would become 128 MiB" in sentence
        assert peak < 2 * MEGABYTES

    def test_checkpoint(self, tmp_path):
        path = tmp_path / "a.pt"
        torch.save({"a": torch.zeros(1).expand(10**6, 10**6)}, path)
        with pytest.raises(InputError, match="a tensor in it announces more than it holds"):
            read_state(path)
        torch.save({"a": torch.zeros(10**6)}, path)
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        with pytest.raises(InputError, match=r"\(it announces more than it holds\)"):
            read_state(path)

    def test_nodes_that_take_no_room(self, tmp_path):
        path = tmp_path / "g.bin"
        dgl.save_graphs(str(path), [dgl.graph(([0], [1]), num_nodes=10**6)])
        assert read_graph(path).num_nodes == 10**6
        dgl.save_graphs(str(path), [dgl.graph(([0], [1]), num_nodes=2 * 10**6)])
        sentence, peak = refusal_and_peak(read_graph, path)
        assert sentence == "g.bin: the file announces more nodes than it could hold."
        assert peak < MEGABYTES

    def test_parquet(self, tmp_path):
        path = tmp_path / "g.parquet"
        zeros = pa.array(np.zeros(10**7, np.int64))
        pq.write_table(pa.table({"u": zeros, "v": zeros}), path)
        sentence, peak = refusal_and_peak(read_graph, path)
        assert sentence == "g.parquet: the file announces 10000000 edges, more than it could hold."
        assert peak < MEGABYTES

    @pytest.mark.parametrize(("length", "rule"), [(1000, "too long beside"), (10**6, "row 2: a ")])
    def test_long_text_in_a_parquet_dictionary(self, tmp_path, length, rule):
        names = pa.DictionaryArray.from_arrays([0, 1] * 20_000, ["a", "x" * length])
        pq.write_table(pa.table({"u": names, "v": names}), tmp_path / "g.parquet")
        sentence, peak = refusal_and_peak(read_graph, tmp_path / "g.parquet")
        assert rule in sentence
        assert peak < 300 * MEGABYTES

    def test_occurrences(self, tmp_path):
        path = tmp_path / "o.parquet"
        zeros = np.zeros(10**6, np.int64)
        columns = {"pattern": zeros.astype(np.int32), "occurrence": zeros, "graph": zeros}
        starts = pa.array(np.arange(0, 10 * 10**6 + 1, 10, dtype=np.int32))
        nodes = pa.ListArray.from_arrays(starts, np.zeros(10 * 10**6, np.int64))
        pq.write_table(pa.table({**columns, "similarity": zeros * 0.5, "nodes": nodes}), path)
        sentence, peak = refusal_and_peak(read_occurrences, path, [10**6])
        assert "it announces more than it could hold" in sentence
        assert peak < MEGABYTES

    def test_one_long_name(self, tmp_path):
        path = tmp_path / "g.txt"
        path.write_text("a b\n" * 50_000 + "a " + "x" * 1000 + "\n")
        sentence, peak = refusal_and_peak(read_graph, path)
        assert "the longest node id, of 1000 characters, is too long" in sentence
        assert peak < 64 * MEGABYTES

    @pytest.mark.parametrize(
        "text",
        ["a" + ".a" * 30_000 + " = 1", "a = " + "[" * 30_000, "a = " + "[" * 101 + "]" * 101],
    )
    def test_nested_toml(self, tmp_path, text):
        path = tmp_path / "s.toml"
        path.write_text(text)
        with pytest.raises(InputError, match="is not valid TOML: it is nested too deeply"):
            read_toml(path)

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("[" * 100_000, "it is nested too deeply"),
            ("[" * 101 + "]" * 101, "it is nested too deeply"),
            ('{"motifs": 1' + "0" * 400 + "}", "it holds a number of 401 digits"),
            ('{"motifs": NaN}', "it holds a number that is not finite, NaN"),
            ('{"motifs": 1e400}', "it holds a number that is not finite, 1e400"),
            ('{"1": "\\ud800"}', "it holds half a character"),
        ],
    )
    def test_json(self, tmp_path, text, reason):
        path = tmp_path / "t.json"
        path.write_text(text)
        for read in (read_truth, read_label_names):
            with pytest.raises(InputError, match=reason):
                read(path)

    def test_spaces_in_a_readme(self, tmp_path):
        for name, data in unpack(TARGETS["tu"].seeds[0]).items():
            (tmp_path / name).write_bytes(data)
        readme = "Node labels:\n0" + " " * 300_000 + "x" * 50 + "\n" + "1" * 5000 + " N\n"
        (tmp_path / "README.txt").write_text(readme)
        assert "label=0" in read_graph(tmp_path, features="labels").feature_names


READERS = {
    "g.txt": read_graph,
    "g.csv": read_graph,
    "g.graphml": read_graph,
    "g.bin": read_graph,
    "g.npz": read_graph,
    "g.parquet": read_graph,
    "n.json": read_label_names,
    "s.toml": read_toml,
    "m.txt": read_motif,
    "t.json": read_truth,
    "c.pt": read_state,
}


@pytest.mark.parametrize("name", READERS)
def test_pipes_devices_and_folders_are_refused(tmp_path, name):
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
    with pytest.raises(InputError, match=r"\.$"):
        READERS[name](path)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("prefix", ["a\0b", "\ud800", "a" * 5000, ""])
def test_impossible_and_missing_names_are_refused(tmp_path, monkeypatch, name, prefix):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        READERS[name](Path(prefix + name))
    assert str(error.value).isprintable()


def test_no_name_in_a_run_becomes_a_path(tmp_path):
    members = unpack(TARGETS["run"].seeds[0])
    choice = {"candidates": [3], "criterion": [1.0], "error": [0.0], "chosen": 3, "decided": True}
    record = json.loads(members["run.json"])
    record["choices"] = [{**choice, "parameter": "../../evil"}]
    folder = tmp_path / "deep" / "run"
    folder.mkdir(parents=True)
    for file, data in {**members, "run.json": json.dumps(record).encode()}.items():
        (folder / file).write_bytes(data)
    before = sorted(tmp_path.rglob("*"))
    assert "run.choices[0].parameter" in refused(f"report {folder}").replace("data.", "run.")
    assert sorted(tmp_path.rglob("*")) == before
    record = json.loads(members["patterns.json"])
    record["patterns"][0]["id"] = "../../evil"
    data = pack({**members, "patterns.json": json.dumps(record).encode()})
    assert "id must be integer" in TARGETS["run"].feed(tmp_path, data)


def test_names_cannot_steer_the_terminal(tmp_path):
    (tmp_path / "g.txt").write_text("0 1\n")
    (tmp_path / "f.csv").write_text("id,a\x1b[31m\n0,1\n1,2\n")
    result = invoke(f"info {tmp_path}/g.txt --feature-file {tmp_path}/f.csv")
    assert result.exit_code == 0
    assert "a�[31m" in result.stdout
    assert "\x1b" not in result.stdout + result.stderr
    members = unpack(TARGETS["run"].seeds[0])
    source = json.dumps("a\x1b[31m\nb").encode()
    data = members["run.json"].replace(b'"graph"', source).replace(source + b":", b'"graph":')
    for file, content in {**members, "run.json": data}.items():
        (tmp_path / file).write_bytes(content)
    shown = invoke(f"compare {tmp_path} {tmp_path}").stdout
    assert "first   a�[31m�b: 32 nodes" in shown
    assert "\x1b" not in shown


class TestPages:
    def test_names_of_data_are_text(self, tmp_path, monkeypatch):
        """Names of columns, nodes, labels and the file itself, from the command to the page."""
        monkeypatch.chdir(tmp_path)
        nodes = [f"{number}<script>alert('x')</script>&{{{{7*7}}}}" for number in range(8)]
        name = "<script>alert('x')<b>"
        edges = [f'"{u}","{v}"\n' for u, v in zip(nodes, [*nodes[1:], nodes[0]], strict=True)]
        Path(f"{name}.csv").write_text("u,v\n" + "".join(edges))
        header = "id,label=<script>1</script>,'><img src=http://x/y>\n"
        Path("f.csv").write_text(header + "".join(f'"{n}",{n[0]},1\n' for n in nodes))
        options = "--feature-file f.csv --out run --epochs 0 --quiet --size 4 --patterns 2"
        result = invoke(f"mine {json.dumps(name + '.csv')} {options}")
        assert result.exit_code == 0, result.stderr
        page = Path("run/report.html").read_text()
        assert_loads_nothing(page)
        assert "&lt;script&gt;" in page
        for figure in Path("run/figures").glob("*.svg"):
            assert_loads_nothing(figure.read_text().partition("<svg")[2].partition(">")[2])

    @pytest.mark.parametrize(
        "page",
        [
            "<img src=http://x/y>",
            "<a href=http://x>a</a>",
            "<p style='background: url(http://x)'>",
            "<style>@import 'x';</style>",
            "<p onclick=a()>",
            "<script>1</script>",
            "a\x1b[31m",
        ],
    )
    def test_the_check_of_pages(self, page):
        with pytest.raises(AssertionError):
            assert_loads_nothing(page)


@pytest.mark.parametrize(
    ("name", "data", "command"),
    [
        ("g.txt.gz", b"\x1f\x8b", "info {path}"),
        ("g.csv", b"\xff", "info {path}"),
        ("g.graphml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "info {path}"),
        ("s.toml", b"a" * 5000, "mine --settings {path} --out run"),
        ("s.toml", b"[model]\nnum_filters = '\x1b'", "train --settings {path} --out run"),
        ("m.txt", b"a a\n", "count {path} {path}"),
        ("g.bin", b"\0", "train {path} --out run"),
    ],
)
def test_a_command_ends_in_one_sentence(tmp_path, monkeypatch, name, data, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(data)
    assert refused(command.format(path=tmp_path / name)).isprintable()
    assert not Path("run").exists()


@pytest.mark.parametrize("name", ["adj", "num_nodes", "offset", "feat"])
def test_a_checkpoint_whose_parts_contradict_each_other(tmp_path, name):
    members = unpack(TARGETS["run_checkpoint"].seeds[0])
    state = torch.load(io.BytesIO(members["checkpoint.pt"]), weights_only=True)
    state[name] = state[name][:-1]
    content = io.BytesIO()
    torch.save(state, content)
    data = pack({**members, "checkpoint.pt": content.getvalue()})
    assert " does not belong to the " in TARGETS["run_checkpoint"].feed(tmp_path, data)
