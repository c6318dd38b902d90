"""Converting edges in pieces gives, array for array, what reading the whole file gives."""

import gzip
import logging
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io import convert
from gomkcn_dgl.io.conversion import edge_sort, text_blocks
from gomkcn_dgl.io.convert import PieceSizes, convert_edges
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.memory import MIB, check_memory, format_size, memory_in_use, parse_size
from gomkcn_dgl.storage.graph_folder import read_graph_folder, write_graph_folder

SIZES = {
    "tiny": PieceSizes(block_bytes=1, edges_at_once=1, entries_at_once=2),
    "small": PieceSizes(block_bytes=40, edges_at_once=3, entries_at_once=7),
    "usual": None,
}


@pytest.fixture
def write(tmp_path):
    """Write a file into a folder of this test and return its path."""

    def write_file(name, content):
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write_file


def files_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def messages(caplog):
    found = [record.getMessage() for record in caplog.records if record.name == "gomkcn_dgl"]
    caplog.clear()
    return found


def assert_as_read(path, sizes, caplog, **options):
    """Assert that both ways write the same bytes and the same log."""
    caplog.set_level(logging.INFO, logger="gomkcn_dgl")
    read, converted = path.with_name("read"), path.with_name("converted")
    caplog.clear()
    graph = read_graph(path, **options)
    # the last line says what was read
    log = messages(caplog)[:-1]
    write_graph_folder(read, graph, force=True)
    done = convert_edges(path, converted, sizes=sizes, force=True, **options)
    assert messages(caplog) == log
    assert files_of(converted) == files_of(read)
    assert (done.num_nodes, done.num_edges) == (graph.num_nodes, graph.num_edges)
    assert done.num_bytes == sum(map(len, files_of(converted).values()))
    assert not list(path.parent.glob(".*"))
    return read_graph_folder(converted)


def random_edges(names, num_edges=60, seed=0):
    """Draw edges with self-loops, duplicates and mirror images among them."""
    rng = np.random.default_rng(seed)
    return [[names[u], names[v]] for u, v in rng.integers(0, len(names), (num_edges, 2))]


def lines(rows, separator=" ", end="\n"):
    return "".join(separator.join(map(str, row)) + end for row in rows)


def weighted(rows, seed=1):
    rng = np.random.default_rng(seed)
    return [
        [*row, weight] for row, weight in zip(rows, rng.integers(0, 5, len(rows)) / 4, strict=True)
    ]


ROWS = list(range(12))
SPARSE = [-(2**63), -7, 3, 10**6, 2**40, 2**63 - 1]
# digits that are no integer of 64 bits, too
TEXT = ["b", "a", "é", "C#", "日本", "99999999999999999999", "07", "7", "😀"]
ASCII = ["b", "a", "C-1", "07", "7", "Z", "x" * 900]

LISTS = {
    "rows.txt": lines(random_edges(ROWS)),
    "rows.txt.gz": lines(random_edges(ROWS)),
    "sparse.el": lines(random_edges(SPARSE)),
    "text.edges": lines(random_edges(TEXT)),
    "ascii.edges": lines(random_edges(ASCII)),
    "weighted.tsv": lines(weighted(random_edges(ROWS)), "\t"),
    "weighted_text.txt": lines(weighted(random_edges(ASCII))),
    "comments.txt": "# head\n\n% more\n  2 1 # tail\n\t1 0\n#\n1 2\n",
    "windows.txt": lines(random_edges(ROWS), end="\r\n"),
    "mac.txt": lines(random_edges(ROWS), end="\r"),
    "mark.txt": b"\xef\xbb\xbf0 1\n1 2\n",
    "no_end.txt": "5 6\n6 7",
    "large_first.txt": "9223372036854775808 1\n1 2\n",
    "late_text.txt": lines(random_edges(ROWS)) + "1 one\n",
    "blanks.txt": "a\x0bb\n\x0cc d\n",
    "loops.txt": "3 3\n4 4\n",
    "zeros.txt": "0 1 0\n1 2 1e-60\n",
    "plus.txt": "+1 2\n02 3\n",
    "one_header.txt": "source target\n",
    "half_header.txt": "source 1\n2 3\n4 x\n",
}
CSVS = {
    "rows.csv": "source,target\n" + lines(random_edges(ROWS), ","),
    "rows.csv.gz": "source,target\n" + lines(random_edges(ROWS), ","),
    "sparse.csv": "\n\nu,v\n" + lines(random_edges(SPARSE), ","),
    "text.csv": "from,to\n" + lines(random_edges(TEXT), ","),
    "ascii.csv": "from,to\n" + lines(random_edges(ASCII), " , "),
    "columns.csv": "Weight,target,note,source\n2,5,a,7\n0.5,7,,9\n1,9,b c,7\n",
    "quotes.csv": 'a,b,weight\n1,2,0.5\n"Smith, J",  Li ,1\n"two\nlines",Li,2\n3,4,1\n',
    "quoted_header.csv": '"the ""source""",target\n1,2\n2,3\n',
    "late_text.csv": "u,v\n1,2\n2,3\n3,x\n",
    "blank_lines.csv": "u,v\n1,2\n\n\n2,3\n",
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*LISTS, *CSVS])
def test_equals_reading_the_whole_file(write, name, size, caplog):
    assert_as_read(write(name, (LISTS | CSVS)[name]), SIZES[size], caplog)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("names", [ROWS, SPARSE, TEXT])
@pytest.mark.parametrize("with_weights", [False, True])
def test_parquet(tmp_path, names, size, with_weights, caplog):
    pytest.importorskip("pyarrow")
    rows = random_edges(names)
    rows = weighted(rows) if with_weights else rows
    header = ["source", "target", "weight"][: len(rows[0])]
    frame = pd.DataFrame(rows, columns=header)
    frame.to_parquet(tmp_path / "g.parquet", row_group_size=7)
    graph = assert_as_read(tmp_path / "g.parquet", SIZES[size], caplog)
    # the same as CSV
    frame.to_csv(tmp_path / "same.csv", index=False)
    write_graph_folder(tmp_path / "same", read_graph(tmp_path / "same.csv"))
    assert files_of(tmp_path / "same") == files_of(tmp_path / "converted")
    assert graph.num_nodes == len(names)


def test_parquet_of_other_types(tmp_path, caplog):
    pytest.importorskip("pyarrow")
    path = tmp_path / "g.parquet"
    ids = pd.array([3, 200, 7], dtype="UInt64")
    pd.DataFrame({"note": "x", "dst": ids, "src": ids[::-1]}).to_parquet(path)
    assert assert_as_read(path, SIZES["tiny"], caplog).node_ids.tolist() == [3, 7, 200]
    names = pd.Categorical(["b", "a", "b"])
    pd.DataFrame({"u": names, "v": names[::-1], "weight": [1, 2, 3]}).to_parquet(path)
    assert_as_read(path, SIZES["tiny"], caplog)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"u": [1, 2], "v": ["a", "b"]}, "the columns 'u' and 'v' must both hold integers or both"),
        ({"u": [1.0], "v": [2.0]}, "the columns 'u' and 'v' must both hold integers or both text"),
        ({"u": [1, 2]}, "line 1: the header must name two node columns, such as source,target"),
        ({"u": pd.array([1, None], "Int64"), "v": [1, 2]}, "row 2: the column 'u' must hold a val"),
        (
            {"u": [1, 2], "v": [3, 4], "weight": [1.0, -2]},
            "row 2: an edge weight must be a finite number of at least 0, got -2.",
        ),
        ({"u": [1], "v": [1], "weight": ["x"]}, "the column 'weight' must hold numbers, got"),
        ({"u": ["a", ""], "v": ["b", "c"]}, "row 2: a node id must have 1 to 1000 characters and "),
        ({"u": ["a"], "v": ["b\0c"]}, "row 1: a node id must have 1 to 1000 characters and no NUL"),
        (
            {"u": np.array([1, 2**63], np.uint64), "v": [1, 2]},
            "row 2: a node id must be less than 2^63, got 9223372036854775808.",
        ),
        ({"u": np.array([], int), "v": np.array([], int)}, "the file holds a header and no edge."),
    ],
)
def test_parquet_refusals(tmp_path, columns, sentence):
    pytest.importorskip("pyarrow")
    path = tmp_path / "g.parquet"
    pd.DataFrame(columns).to_parquet(path)
    for refuse in (lambda: read_graph(path), lambda: convert_edges(path, tmp_path / "out")):
        with pytest.raises(InputError, match=r"^g\.parquet: " + re.escape(sentence)):
            refuse()
    assert [entry.name for entry in tmp_path.iterdir()] == ["g.parquet"]


def test_a_damaged_parquet_file(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "g.parquet"
    for content in (b"", b"PAR1", b"PAR1 and no more PAR1"):
        path.write_bytes(content)
        with pytest.raises(
            InputError, match=r"^g\.parquet: the parquet file cannot be read \(.+\)"
        ):
            convert_edges(path, tmp_path / "out")


BAD = {
    "short.txt": "0 1\n2\n",
    "long.txt": "0 1 2 3\n",
    "wider.txt": "# c\n0 1\n1 2\n1 2 5\n",
    "narrower.txt": "0 1 5\n\n2 1 5\n1 2\n",
    "negative.txt": "0 1 5\n1 2 -1\n",
    "nan.txt": "# c\n0 1 1\n0 1 nan\n",
    "word.txt": "0 1 x\n0 2 3\n",
    "huge.txt": "0 1 1\n0 2 1e39\n",
    "header.txt": "# c\nsource target\n0 1\n1 2\n",
    "comments.txt": "# only\n% comments\n",
    "empty.txt": "",
    "blank.txt": " \n\n",
    "latin.txt": b"0 1\nb c\na\xff b\n",
    "nul.txt": b"0 1\n1 2\n\x00 b\n",
    "long_id.txt": "0 1\n1 2\n0 " + "x" * 1001 + "\n",
    "header_only.csv": "a,b\n",
    "short.csv": "a,b\n0,1\n\n2\n",
    "long.csv": "a,b\n0,1\n0,1,2\n",
    "no_id.csv": "a,b\n1,2\n0,\n",
    "negative.csv": "u,v,weight\n0,1,1\n0,2,-1\n",
    "no_header.csv": "0,1\n1,2\n",
    "one_column.csv": "only\n0\n",
    "twice.csv": "a,b,a\n0,1,2\n",
    "quote.csv": 'a,b\n1,2\n"0"x,1\n',
    "open_quote.csv": 'a,b\n1,2\n"0,1\n3,4\n',
    "latin.csv": b"a,b\n1,2\n\xff,1\n",
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", BAD)
def test_refuses_what_reading_refuses_in_the_same_words(write, tmp_path, name, size):
    path = write(name, BAD[name])
    with pytest.raises(InputError) as wanted:
        read_graph(path)
    with pytest.raises(InputError) as found:
        convert_edges(path, tmp_path / "out", sizes=SIZES[size])
    assert str(found.value) == str(wanted.value)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_gzip_that_is_cut_short(tmp_path):
    path = tmp_path / "g.txt.gz"
    path.write_bytes(gzip.compress(b"0 1\n" * 1000)[:-9])
    with pytest.raises(
        InputError, match=r"g\.txt\.gz: the file is not a complete gzip file \(.+\)"
    ):
        convert_edges(path, tmp_path / "out", sizes=SIZES["small"])
    assert list(tmp_path.iterdir()) == [path]


def test_a_line_without_end(write, tmp_path, monkeypatch):
    monkeypatch.setattr(text_blocks, "LONGEST_LINE", 100)
    path = write("g.txt", "0 1\n# " + "x" * 200 + "\n")
    with pytest.raises(InputError, match="a line must have fewer than 100 bytes"):
        convert_edges(path, tmp_path / "out", sizes=SIZES["small"])


ids = st.one_of(
    st.integers(-(2**65), 2**65).map(str),
    st.integers(0, 9).map(str),
    st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=3),
)
files = st.one_of(
    st.lists(st.tuples(ids, ids)).map(lines),
    st.lists(st.tuples(ids, ids, st.floats().map(str))).map(
        lambda rows: "u,v,weight\n" + lines(rows, ",")
    ),
    st.text('01 a#\n\r,"\x0b', max_size=40),
)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    content=files, name=st.sampled_from(["g.txt", "g.csv"]), size=st.sampled_from(["tiny", "small"])
)
def test_any_content_is_taken_or_refused_as_by_reading(tmp_path, content, name, size):
    path = tmp_path / name
    path.write_bytes(content.encode())
    try:
        write_graph_folder(tmp_path / "read", read_graph(path), force=True)
    except InputError:
        with pytest.raises(InputError):
            convert_edges(path, tmp_path / "converted", sizes=SIZES[size], force=True)
        return
    convert_edges(path, tmp_path / "converted", sizes=SIZES[size], force=True)
    assert files_of(tmp_path / "converted") == files_of(tmp_path / "read")


class TestFeatures:
    @pytest.fixture
    def edges(self, write):
        return write("g.txt", "10 3\n3 5\n5 10\n")

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("shape", [(3,), (3, 2), (11, 2), (20, 1)])
    @pytest.mark.parametrize("kind", [np.float64, np.int8, bool])
    def test_npy(self, edges, shape, kind, size, caplog):
        values = np.arange(np.prod(shape)).reshape(shape).astype(kind)
        np.save(edges.with_name("x.npy"), values)
        options = {"feature_file": edges.with_name("x.npy")}
        assert_as_read(edges, SIZES[size], caplog, **options)
        if shape == (11, 2):
            np.save(edges.with_name("x.npy"), np.asfortranarray(values))
            graph = assert_as_read(edges, SIZES[size], caplog, features=["x1"], **options)
            assert graph.num_nodes == 11
            assert graph.feature_names == ("x1",)

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize(
        "text",
        [
            "a,b\n1,2\n3,4\n5,6\n",
            "id,a,b\n10,1,2\n3,3,4\n5,5,6\n",
            'name,a\n"10",1\n 3 ,2\n5,3\n',
            "a\n" + "0.5\n" * 11,
        ],
    )
    def test_csv_beside_the_graph(self, edges, write, text, size, caplog):
        write("g.features.csv", text)
        assert_as_read(edges, SIZES[size], caplog)
        assert_as_read(edges, SIZES[size], caplog, features=("a",))

    def test_csv_of_text_ids(self, write, tmp_path, caplog):
        edges = write("g.csv", "u,v\né,b\nb,a\n")
        file = write("x.csv.gz", "node,f\na,1\nb,2\né,3\n")
        graph = assert_as_read(edges, SIZES["tiny"], caplog, feature_file=file)
        assert graph.features.tolist() == [[1], [2], [3]]

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("x.csv", "a,b\n1,2\n3,4\n"),
            ("x.csv", "id,a\n10,1\n3,2\n"),
            ("x.csv", "id,a\n10,1\n3,2\n5,1\n3,3\n"),
            ("x.csv", "id,a\n10,1\n3,2\n05,1\n"),
            ("x.csv", "id,a\n10,1\n3,2\n6,1\n"),
            ("x.csv", "id,a\n10,1\n3,2\n99999999999999999999999,1\n"),
            ("x.csv", "id,a\n10,1\n3,\n5,1\n"),
            ("x.csv", "id,a\n10,1\n,2\n5,1\n"),
            ("x.csv", "a\n1\n2\nnan\n"),
            ("x.csv", "id\n1\n"),
            ("x.csv", "id,a\n"),
            ("x.csv", "1,2\n3,4\n"),
            ("x.csv", ""),
            ("x.txt", "1\n"),
            ("x.npy", b""),
            ("x.npy", b"text"),
            ("x.npy", np.zeros((4, 1))),
            ("x.npy", np.zeros((2, 2, 2))),
            ("x.npy", np.array([[1, 2], [3, np.nan], [np.inf, 0]])),
            ("x.npy", np.array([1, 2, 1e39])),
            ("x.npy", np.array(["a", "b", "c"])),
        ],
    )
    def test_refusals(self, edges, tmp_path, name, content, size):
        file = tmp_path / name
        if isinstance(content, np.ndarray):
            np.save(file, content)
        else:
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(InputError) as wanted:
            read_graph(edges, feature_file=file)
        with pytest.raises(InputError) as found:
            convert_edges(edges, tmp_path / "out", feature_file=file, sizes=SIZES[size])
        assert str(found.value) == str(wanted.value)
        assert not (tmp_path / "out").exists()

    def test_names_that_are_not_there(self, edges, write, tmp_path):
        with pytest.raises(
            InputError, match=r"there is none beside the graph; give feature_file\."
        ):
            convert_edges(edges, tmp_path / "out", features=("a",))
        write("g.features.csv", "a,b\n1,2\n")
        with pytest.raises(InputError, match="features must name columns among .*, got 'c'"):
            convert_edges(edges, tmp_path / "out", features=("c",))


def test_a_part_never_outgrows_its_room_by_much(tmp_path, monkeypatch):
    """A hub with most of the edges, each given many times, cut into parts by a sample."""
    rng = np.random.default_rng(0)
    rows = [(0, v) for v in rng.permutation(2000)] + [(5, 6)] * 3000
    path = tmp_path / "g.txt"
    path.write_text(lines([rows[k] for k in rng.permutation(len(rows))]))
    lengths = []
    take = edge_sort._Part.take

    def counted(part):
        entries, weights = take(part)
        lengths.append(len(entries))
        return entries, weights

    monkeypatch.setattr(edge_sort._Part, "take", counted)
    convert_edges(path, tmp_path / "out", sizes=PieceSizes(2000, 100, 1000))
    assert len(lengths) == 15
    assert max(lengths) <= 1000
    write_graph_folder(tmp_path / "read", read_graph(path))
    assert files_of(tmp_path / "out") == files_of(tmp_path / "read")


class TestMemory:
    @pytest.mark.parametrize(
        ("text", "size"),
        [
            ("1", 1),
            ("1000000", 10**6),
            ("12B", 12),
            ("512MiB", 512 * 2**20),
            (" 2gib ", 2 * 2**30),
            ("1.5 GB", 1_500_000_000),
            ("0.5KiB", 512),
            ("3TB", 3 * 10**12),
        ],
    )
    def test_sizes(self, text, size):
        assert parse_size(text) == size

    @pytest.mark.parametrize(
        "text", ["", "0", "-1", "GiB", "2 gigs", "1e9", "0.1B", "1,5GB", "∞", "²"]
    )
    def test_what_is_no_size(self, text):
        with pytest.raises(InputError, match="memory_limit must be a size such as 512MiB, 2GiB or"):
            parse_size(text)

    def test_sizes_read_well(self):
        assert [format_size(n) for n in (0, 1023, 1024, 5 * MIB, 2**40)] == [
            "0 bytes", "1023 bytes", "1.0 KiB", "5.0 MiB", "1.0 TiB",
        ]  # fmt: skip

    def test_what_fits_passes(self):
        check_memory(5, 5, "five bytes")
        with pytest.raises(
            InputError, match="must be at least 6 bytes for five bytes, got 5 bytes"
        ):
            check_memory(6, 5, "five bytes")

    def test_memory_in_use_grows(self):
        before = memory_in_use()
        # more than malloc ever takes from what was freed before
        held = np.ones(16 * MIB)
        assert memory_in_use() - before > 0.9 * held.nbytes

    def test_too_small_a_limit(self, write, tmp_path):
        path = write("g.txt", "0 1\n")
        with pytest.raises(
            InputError, match=r"^memory_limit must be at least .+ for reading a file"
        ):
            convert_edges(path, tmp_path / "out", memory_limit=MIB)

    @pytest.mark.parametrize("names", [range(5000), [f"n{k}" for k in range(5000)]])
    def test_ids_that_do_not_fit(self, tmp_path, names, monkeypatch):
        path = tmp_path / "g.txt"
        path.write_text(lines(random_edges(names, 5000)))
        monkeypatch.setattr(convert, "memory_in_use", lambda: 0)
        limit = convert._LEAST + 50_000
        with pytest.raises(
            InputError, match=r"memory_limit must be .+ for the ids of [0-9],[0-9]{3} nod"
        ):
            convert_edges(path, tmp_path / "out", memory_limit=limit)
        assert list(tmp_path.iterdir()) == [path]

    def test_names_that_cannot_be_looked_up(self, write, tmp_path, monkeypatch):
        path = write("g.txt", "a b\n")
        write("g.features.csv", "id,x\na,1\nb,2\n")
        monkeypatch.setattr(convert, "_BYTES_OF_LOOKUP", 2**40)
        with pytest.raises(
            InputError, match="^memory_limit must be .+ for finding 2 nodes by their"
        ):
            convert_edges(path, tmp_path / "out")


# where the tests run in the background, Ctrl-C is ignored from the start
CONVERT = """
import signal
from gomkcn.commands.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""


class TestCommand:
    def test_says_what_it_wrote(self, folder):
        (folder / "ring.txt").write_text("0 1\n1 2\n2 0\n")
        printed = gomkcn("convert ring.txt ring.graph --memory-limit 4GiB --quiet")
        size = sum(map(len, files_of(folder / "ring.graph").values()))
        assert printed == f"wrote ring.graph: 3 nodes, 3 edges, {size} bytes\n"
        assert "nodes              3\nedges              3 (unweighted)\n" in gomkcn(
            "info ring.graph"
        )
        sentence = refused("convert ring.txt ring.graph --quiet")
        assert sentence.startswith("out folder '")
        assert "overwrite it with --force" in sentence
        gomkcn("convert ring.txt ring.graph --quiet --force")

    def test_options(self, folder):
        (folder / "edges").write_text("u,v\n0,1\n")
        (folder / "x.csv").write_text("a,b\n1,2\n3,4\n")
        gomkcn("convert edges out --format csv --feature-file x.csv --features b --quiet")
        assert read_graph_folder("out").features.tolist() == [[2], [4]]

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ("none.txt out", "none.txt: path must name a file that exists, got 'none.txt'."),
            (
                "g.npz out",
                "g.npz: the format of a file to convert must be one of edges, csv, parquet",
            ),
            ("g.txt out --memory-limit much", "--memory-limit must be a size such as 512MiB, 2GiB"),
            ("g.txt out --memory-limit 1MB", "--memory-limit must be at least "),
            ("g.txt g.txt", "out folder '"),
            ("g.txt none/out", "out folder '"),
            ("g.txt .", "out folder '"),
        ],
    )
    def test_refusals(self, folder, arguments, sentence):
        (folder / "g.txt").write_text("0 1\n")
        (folder / "g.npz").write_text("0 1\n")
        assert refused(f"convert {arguments} --quiet").startswith(sentence)
        assert sorted(path.name for path in folder.iterdir()) == ["g.npz", "g.txt"]

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_a_signal_leaves_nothing(self, tmp_path, number):
        path = tmp_path / "g.txt"
        path.write_text(lines(random_edges([f"n{k}" for k in range(2000)], 400_000)))
        process = subprocess.Popen(
            [sys.executable, "-c", CONVERT, "convert", str(path), str(tmp_path / "out")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".out.*/*/pairs")) and time.monotonic() < deadline:
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(number)
        assert process.wait(60) != 0
        assert list(tmp_path.iterdir()) == [path]
