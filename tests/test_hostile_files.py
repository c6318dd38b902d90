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
from fuzzed import TARGETS, read_or_refuse, seeds_of
from mutate import pack, unpack
from self_contained import assert_loads_nothing

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.label_names import read_label_names
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.torch_file import read_state
from mining import read_truth
from mining.results.occurrence_file import read_occurrences
from mining.results.run_folder import read_run
from mining.settings import read_toml
from synthetic import read_motif

MEGABYTES = 1 << 20
EVIL = "<script>alert('x')</script>\"&{{7*7}}"


def peak_of(read):
    """Bytes that Python and NumPy hold at most, and the sentence of the refusal."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as error:
            read()
        return tracemalloc.get_traced_memory()[1], str(error.value)
    finally:
        tracemalloc.stop()


def header_of(shape, descr="<f8"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


class TestBombs:
    """Small files that say they are large."""

    def test_gzip(self, tmp_path):
        path = tmp_path / "g.txt.gz"
        path.write_bytes(gzip.compress(b"0 1\n" * (64 * MEGABYTES)))
        assert path.stat().st_size < MEGABYTES
        peak, sentence = peak_of(lambda: read_graph(path))
        assert peak < 300 * MEGABYTES
        assert sentence.startswith("g.txt.gz: the file would become more than ")

    @pytest.mark.parametrize("shape", ["(1000000000000,)", "(1000000, 1000000)", "(-1, -1)"])
    def test_header_of_an_array(self, tmp_path, shape):
        (tmp_path / "g.txt").write_text("0 1\n")
        (tmp_path / "f.npy").write_bytes(header_of(shape) + bytes(16))
        peak, sentence = peak_of(
            lambda: read_graph(tmp_path / "g.txt", feature_file=tmp_path / "f.npy")
        )
        assert peak < MEGABYTES
        assert "bytes were announced, and there are 16" in sentence

    def test_header_in_an_archive(self, tmp_path):
        path = tmp_path / "g.npz"
        parts = {f"{n}.npy": header_of("(1000000000000,)") for n in ("indptr", "indices", "data")}
        path.write_bytes(pack(parts))
        peak, sentence = peak_of(lambda: read_graph(path))
        assert peak < MEGABYTES
        assert sentence.startswith("g.npz: the arrays cannot be read (8000000000000 bytes were")

    def test_archive(self, tmp_path):
        path = tmp_path / "g.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(
                "indices.npy", header_of(f"({16 * MEGABYTES},)") + bytes(128 * MEGABYTES)
            )
        peak, sentence = peak_of(lambda: read_graph(path))
        assert peak < 2 * MEGABYTES
        assert sentence == (
            "g.npz: the arrays cannot be read (it would become 128 MiB, which is too much for its "
            "size)."
        )

    def test_checkpoint(self, tmp_path):
        path = tmp_path / "a.pt"
        torch.save({"a": torch.zeros(1).expand(10**6, 10**6)}, path)
        assert read_refusal(path) == "a tensor in it announces more than it holds"
        torch.save({"a": torch.zeros(10**6)}, path)
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        assert read_refusal(path) == "it announces more than it holds"

    def test_nodes_that_take_no_room(self, tmp_path):
        path = tmp_path / "g.bin"
        dgl.save_graphs(str(path), [dgl.graph(([0], [1]), num_nodes=10**6)])
        assert read_graph(path).num_nodes == 10**6
        dgl.save_graphs(str(path), [dgl.graph(([0], [1]), num_nodes=2 * 10**6)])
        peak, sentence = peak_of(lambda: read_graph(path))
        assert peak < MEGABYTES
        assert sentence == "g.bin: the file announces more nodes than it could hold."

    def test_parquet(self, tmp_path):
        path = tmp_path / "g.parquet"
        zeros = pa.array(np.zeros(10**7, np.int64))
        pq.write_table(pa.table({"u": zeros, "v": zeros}), path)
        assert path.stat().st_size < MEGABYTES
        peak, sentence = peak_of(lambda: read_graph(path))
        assert peak < MEGABYTES
        assert sentence == "g.parquet: the file announces 10000000 edges, more than it could hold."
        for length in (1000, 10**6):
            # the long text is there once
            names = pa.DictionaryArray.from_arrays([0, 1] * 20_000, ["a", "x" * length])
            pq.write_table(pa.table({"u": names, "v": names}), path)
            peak, sentence = peak_of(lambda: read_graph(path))
            assert peak < 300 * MEGABYTES
            assert ("row 2: a node id must" if length > 1000 else "too long beside") in sentence

    def test_occurrences(self, tmp_path):
        path = tmp_path / "o.parquet"
        zeros = np.zeros(10**6, np.int64)
        columns = {"pattern": zeros.astype(np.int32), "occurrence": zeros, "graph": zeros}
        starts = pa.array(np.arange(0, 10 * 10**6 + 1, 10, dtype=np.int32))
        nodes = pa.ListArray.from_arrays(starts, np.zeros(10 * 10**6, np.int64))
        pq.write_table(pa.table({**columns, "similarity": zeros * 0.5, "nodes": nodes}), path)
        peak, sentence = peak_of(lambda: read_occurrences(path, [10**6]))
        assert peak < MEGABYTES
        assert "it announces more than it could hold" in sentence

    def test_one_long_name(self, tmp_path):
        path = tmp_path / "g.txt"
        path.write_text("a b\n" * 50_000 + "a " + "x" * 1000 + "\n")
        peak, sentence = peak_of(lambda: read_graph(path))
        assert peak < 64 * MEGABYTES
        assert "the longest node id, of 1000 characters, is too long" in sentence

    @pytest.mark.parametrize(
        "text",
        ["a" + ".a" * 30_000 + " = 1", "a = " + "[" * 30_000, "a = " + "[" * 101 + "]" * 101],
    )
    def test_nested_toml(self, tmp_path, text):
        path = tmp_path / "s.toml"
        path.write_text(text)
        with pytest.raises(InputError, match="is not valid TOML: it is nested too deeply"):
            read_toml(path)

    @pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 500 + "]" * 500])
    def test_nested_json(self, tmp_path, text):
        path = tmp_path / "t.json"
        path.write_text(text)
        with pytest.raises(InputError, match=r"\(it is nested too deeply\)\.$"):
            read_truth(path)
        with pytest.raises(InputError, match=r"not valid JSON: it is nested too deeply\.$"):
            read_label_names(path)

    def test_spaces_in_a_readme(self, tmp_path):
        members = unpack(seeds_of("tu")[1])
        for name, data in members.items():
            (tmp_path / name).write_bytes(data)
        readme = "Node labels:\n0" + " " * 300_000 + "x" * 50 + "\n" + "1" * 5000 + " N\n"
        (tmp_path / "README.txt").write_text(readme)
        assert "label=0" in read_graph(tmp_path, features="labels").feature_names


def read_refusal(path):
    with pytest.raises(InputError) as error:
        read_state(path)
    return str(error.value).partition(" cannot be read (")[2].rpartition(")")[0]


READERS = {
    "g.txt": read_graph,
    "g.csv": read_graph,
    "g.graphml": read_graph,
    "g.bin": read_graph,
    "g.npz": read_graph,
    "n.json": read_label_names,
    "n.toml": read_label_names,
    "n.csv": read_label_names,
    "s.toml": read_toml,
    "m.txt": read_motif,
    "t.json": read_truth,
    "c.pt": read_state,
}


@pytest.mark.parametrize("name", READERS)
class TestWhatIsNoFile:
    def test_a_pipe_is_not_waited_for(self, tmp_path, name):
        os.mkfifo(tmp_path / name)
        with pytest.raises(InputError, match="it is a pipe or a device"):
            READERS[name](tmp_path / name)

    def test_a_device_is_not_read(self, tmp_path, name):
        (tmp_path / name).symlink_to("/dev/zero")
        with pytest.raises(InputError, match="it is a pipe or a device"):
            READERS[name](tmp_path / name)

    def test_a_folder(self, tmp_path, name):
        (tmp_path / name).mkdir()
        with pytest.raises(InputError, match=r"\.$"):
            READERS[name](tmp_path / name)

    @pytest.mark.parametrize("path", ["a\0b", "\ud800", "a" * 5000, ""])
    def test_names_that_cannot_be(self, tmp_path, monkeypatch, name, path):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError) as error:
            READERS[name](Path(path + name))
        assert str(error.value).isprintable()


def test_a_number_that_no_float_can_hold(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('{"motifs": 1' + "0" * 400 + "}")
    with pytest.raises(InputError, match=r"\(it holds a number of 401 digits\)\.$"):
        read_truth(path)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400"])
def test_a_number_that_is_not_finite(tmp_path, number):
    path = tmp_path / "t.json"
    path.write_text(f'{{"motifs": {number}}}')
    with pytest.raises(InputError, match=rf"\(it holds a number that is not finite, {number}\)\.$"):
        read_truth(path)


def test_half_a_character_is_no_name(tmp_path):
    path = tmp_path / "n.json"
    path.write_text('{"1": "\\ud800"}')
    with pytest.raises(InputError, match="it holds half a character"):
        read_label_names(path)


class TestPaths:
    """No name in a file becomes a path."""

    @pytest.mark.parametrize("name", ["../../evil", "/tmp/evil", "a/b"])
    def test_of_a_run(self, tmp_path, name):
        members = unpack(seeds_of("run")[0])
        choice = {"parameter": name, "candidates": [3], "criterion": [1.0], "error": [0.0]}
        record = json.loads(members["run.json"])
        record["choices"] = [{**choice, "chosen": 3, "decided": True}]
        members["run.json"] = json.dumps(record).encode()
        folder = tmp_path / "deep" / "run"
        folder.mkdir(parents=True)
        for file, data in members.items():
            (folder / file).write_bytes(data)
        before = sorted(tmp_path.rglob("*"))
        assert "run.choices[0].parameter" in refused(f"report {folder}").replace("data.", "run.")
        assert sorted(tmp_path.rglob("*")) == before

    def test_of_patterns(self, tmp_path):
        members = unpack(seeds_of("run")[0])
        record = json.loads(members["patterns.json"])
        record["patterns"][0]["id"] = "../../evil"
        data = pack({**members, "patterns.json": json.dumps(record).encode()})
        assert "id must be integer" in read_or_refuse("run", tmp_path, data)


class TestTerminal:
    def test_names_of_columns(self, tmp_path):
        (tmp_path / "g.txt").write_text("0 1\n")
        (tmp_path / "f.csv").write_text("id,a\x1b[31m\n0,1\n1,2\n")
        result = invoke(f"info {tmp_path}/g.txt --feature-file {tmp_path}/f.csv")
        assert result.exit_code == 0
        assert "a�[31m" in result.stdout
        assert "\x1b" not in result.stdout + result.stderr

    def test_name_of_a_graph(self, tmp_path):
        members = unpack(seeds_of("run")[0])
        source = json.dumps("a\x1b[31m\nb").encode()
        members["run.json"] = (
            members["run.json"].replace(b'"graph"', source).replace(source + b":", b'"graph":')
        )
        for name, data in members.items():
            (tmp_path / name).write_bytes(data)
        shown = invoke(f"compare {tmp_path} {tmp_path}").stdout
        assert "first   a�[31m�b: 32 nodes" in shown
        assert "\x1b" not in shown


class TestPages:
    def test_names_of_data_are_text(self, tmp_path, monkeypatch):
        """Names of columns, nodes, labels and the file itself, from the command to the page."""
        monkeypatch.chdir(tmp_path)
        name = EVIL.replace("/", "").replace('"', "")
        rows = [f'"{i}{EVIL}","{(i + 1) % 8}{EVIL}"' for i in range(8)]
        rows = [row.replace("x')</script>\"&", 'x\')</script>""&') for row in rows]
        Path(f"{name}.csv").write_text("u,v\n" + "\n".join(rows) + "\n")
        nodes = [row.split('","')[0] for row in rows]
        table = [f'{node}",{i % 2},1' for i, node in enumerate(nodes)]
        header = '"label=' + EVIL.replace('"', '""') + '","\'><img src=http://x/y>"'
        Path("f.csv").write_text(f"id,{header}\n" + "\n".join(table) + "\n")
        result = invoke(
            f"mine {json.dumps(name + '.csv')} --feature-file f.csv --out run --epochs 0 --quiet "
            "--size 4 --patterns 2"
        )
        assert result.exit_code == 0, result.stderr
        page = Path("run/report.html").read_text()
        assert_loads_nothing(page)
        assert "&lt;script&gt;" in page
        for figure in Path("run/figures").glob("*.svg"):
            assert_loads_nothing(figure.read_text().partition("<svg")[2].partition(">")[2])

    def test_names_of_a_hostile_run(self, tmp_path):
        members = unpack(seeds_of("report")[0])
        for file in ("run.json", "patterns.json", "drawings.json"):
            # texts in the files, but for those that the schemas choose from
            data = members[file]
            text = data.decode().replace("cycle of 4 nodes", "<script src=//x>")
            text = text.replace('"constant"', json.dumps(EVIL)).replace('"ring"', json.dumps(EVIL))
            text = text.replace('"source": "graph"', '"source": ' + json.dumps(EVIL))
            text = text.replace('"cpu"', json.dumps("<img src=http://x/y>"))
            members[file] = text.encode()
        read = TARGETS["report"].read
        assert read(tmp_path, pack(members)) is None
        assert read_run(tmp_path / "run").patterns[0].words == "<script src=//x>"

    @pytest.mark.parametrize(
        "page",
        [
            "<img src=http://x/y>",
            "<a href=http://x>a</a>",
            "<p style='background: url(http://x)'>",
            "<style>@import 'x';</style>",
            "<p onclick=a()>",
            "<svg><rect fill='url(//x)'/></svg>",
            "<script>1</script>",
            "a\x1b[31m",
        ],
    )
    def test_the_check_sees_what_it_should(self, page):
        with pytest.raises(AssertionError):
            assert_loads_nothing(page)


@pytest.mark.parametrize(
    ("name", "data", "command"),
    [
        ("g.txt", b"0\n", "info {path}"),
        ("g.txt.gz", b"\x1f\x8b", "info {path}"),
        ("g.csv", b"\xff", "info {path}"),
        ("g.graphml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "info {path}"),
        ("g.bin", b"\0", "info {path}"),
        ("g.npz", b"PK", "info {path}"),
        ("s.toml", b"a" * 5000, "mine --settings {path} --out run"),
        ("s.toml", b"[model]\nnum_filters = '\x1b'", "train --settings {path} --out run"),
        ("m.txt", b"a a\n", "count {path} {path}"),
        ("g.bin", b"\0", "train {path} --out run"),
    ],
)
def test_a_command_ends_in_one_sentence(tmp_path, monkeypatch, name, data, command):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_bytes(data)
    assert refused(command.format(path=path)).isprintable()
    assert not Path("run").exists()


def test_records_beside_the_edges(tmp_path):
    records = [{"x": 1, "source": 2}, {"x": 2, "source": 1}]
    edges = {"source": ["a", "b"], "target": ["b", "c"], "more": records, "lists": [[1], [2]]}
    pq.write_table(pa.table(edges), tmp_path / "g.parquet")
    assert read_graph(tmp_path / "g.parquet").node_ids.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("before", ["\n", "\r", "\r\n", "\r \r"])
def test_blank_lines_before_a_header(tmp_path, before, end):
    (tmp_path / "g.csv").write_bytes((before + end.join(["u,v", "0,1", "1,2", ""])).encode())
    assert read_graph(tmp_path / "g.csv").indptr.tolist() == [0, 1, 3, 4]


@pytest.mark.parametrize("code", [0xD800, 0x110000, 2**32 - 1])
def test_text_of_what_is_no_character(tmp_path, code):
    names = np.array([code, 65], dtype="<u4").view("<U1")
    edge = {"indptr": [0, 1, 2], "indices": [1, 0], "data": [1, 1], "shape": [2, 2]}
    np.savez(tmp_path / "g.npz", **edge, node_ids=names)
    with pytest.raises(InputError, match="its text holds what is no character"):
        read_graph(tmp_path / "g.npz")


@pytest.mark.parametrize("name", ["adj", "num_nodes", "offset", "feat"])
def test_a_checkpoint_whose_parts_do_not_go_together(tmp_path, name):
    members = unpack(seeds_of("run_checkpoint")[0])
    state = torch.load(io.BytesIO(members["checkpoint.pt"]), weights_only=True)
    state[name] = state[name][:-1]
    content = io.BytesIO()
    torch.save(state, content)
    data = pack({**members, "checkpoint.pt": content.getvalue()})
    assert " does not go with the " in read_or_refuse("run_checkpoint", tmp_path, data)
