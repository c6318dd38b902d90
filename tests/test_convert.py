"""Converting a file in pieces gives, array for array, what reading the whole file gives."""

import logging
import signal
import sys

import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, invoke, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import StoredNames, read_graph_folder, write_graph_folder
from gomkcn_dgl.io import large_edges
from gomkcn_dgl.io.large_edges import convert_edges
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.files import GIB, MIB


@pytest.fixture(params=["in memory", "on disk", "on disk, in small pieces"])
def pieces(request, monkeypatch):
    """Convert in memory, or as a file that does not fit."""
    if request.param != "in memory":
        pytest.importorskip("duckdb", reason="sorting on disk needs the extra [large]")
        monkeypatch.setattr(large_edges, "_memory_of", lambda path: 2**62)
    if "small" in request.param:
        monkeypatch.setattr(large_edges, "_BLOCK_BYTES", 40)
        monkeypatch.setattr(large_edges, "_ROWS", 3)


def files_of(folder):
    """What the files hold; names may stand in pieces of any size."""
    return {
        path.name: path.read_bytes() if path.suffix != ".arrow" else StoredNames(path).tolist()
        for path in sorted(folder.iterdir())
    }


def assert_as_read(path, caplog, **options):
    """Assert that both ways write the same bytes and the same log."""
    caplog.set_level(logging.INFO, logger="gomkcn_dgl")
    read, converted = path.with_name("read"), path.with_name("converted")
    caplog.clear()
    graph = read_graph(path, **options)
    # the last line tells what was read
    messages = [one for one in caplog.messages if not one.startswith("read ")]
    write_graph_folder(read, graph, force=True)
    caplog.clear()
    header = convert_edges(path, converted, force=True, **options)
    assert [one for one in caplog.messages if not one.startswith("read ")] == messages
    assert files_of(converted) == files_of(read)
    assert (header.num_nodes, header.num_edges) == (graph.num_nodes, graph.num_edges)
    assert not list(path.parent.glob(".*"))
    return read_graph_folder(converted)


def random_edges(names, num_edges=60, weighted=False):
    """Draw edges with self-loops, duplicates and mirror images among them."""
    rng = np.random.default_rng(0)
    rows = [[names[u], names[v]] for u, v in rng.integers(0, len(names), (num_edges, 2))]
    weights = rng.integers(0, 5, num_edges) / 4
    return [[*row, w] for row, w in zip(rows, weights, strict=True)] if weighted else rows


def lines(rows, separator=" ", end="\n"):
    return "".join(separator.join(map(str, row)) + end for row in rows)


ROWS = list(range(12))
SPARSE = [-(2**63), -7, 3, 10**6, 2**40, 2**63 - 1]
# digits that are no integer of 64 bits, too
TEXT = ["b", "a", "é", "C#", "日本", "99999999999999999999", "07", "7", "😀"]
ASCII = ["b", "a", "C-1", "07", "7", "Z", "x" * 900]

FILES = {
    "rows.txt.gz": lines(random_edges(ROWS)),
    "sparse.el": lines(random_edges(SPARSE)),
    "text.edges": lines(random_edges(TEXT)),
    "weighted.tsv": lines(random_edges(ROWS, weighted=True), "\t"),
    "weighted_text.txt": lines(random_edges(ASCII, weighted=True)),
    "comments.txt": "# head\n\n% more\n  2 1 # tail\n\t1 0\n#\n1 2\n",
    "windows.txt": lines(random_edges(ROWS), end="\r\n"),
    "mac.txt": lines(random_edges(ROWS), end="\r"),
    "mark.txt": b"\xef\xbb\xbf0 1\n1 2",
    "large_first.txt": "9223372036854775808 1\n1 2\n",
    "late_text.txt": lines(random_edges(ROWS)) + "1 one\n",
    "blanks.txt": "a\x0bb\n\x0cc d\n",
    "loops.txt": "3 3\n4 4\n",
    "zeros.txt": "0 1 0\n1 2 1e-60\n",
    "plus.txt": "+1 2\n02 3\n",
    "header.txt": "# c\nsource target\n1 2\n2 x\n",
    "half_header.txt": "source 1\n2 3\n4 x\n",
    "sparse.csv.gz": "\n\nu,v\n" + lines(random_edges(SPARSE), ","),
    "text.csv": "from,to\n" + lines(random_edges(TEXT), ","),
    "ascii.csv": "from,to\n" + lines(random_edges(ASCII), " , "),
    "columns.csv": "Weight,target,note,source\n2,5,a,7\n0.5,7,,9\n1,9,b c,7\n",
    "quotes.csv": 'a,b,weight\n1,2,0.5\n"Smith, J",  Li ,1\n"two\nlines",Li,2\n3,4,1\n',
    "quoted_header.csv": '"the ""source""",target\n1,2\n2,3\n',
    "late_text.csv": "u,v\n1,2\n\n\n2,3\n3,x\n",
}


@pytest.mark.parametrize("name", FILES)
def test_equals_reading_the_whole_file(write, name, pieces, caplog):
    assert_as_read(write(name, FILES[name]), caplog)


@pytest.mark.parametrize("names", [ROWS, SPARSE, TEXT])
def test_parquet(tmp_path, names, pieces, caplog):
    for weighted in (False, True):
        frame = pd.DataFrame(random_edges(names, weighted=weighted))
        frame.columns = ["source", "target", "weight"][: frame.shape[1]]
        frame.to_parquet(tmp_path / "g.parquet", row_group_size=7)
        assert assert_as_read(tmp_path / "g.parquet", caplog).num_nodes == len(names)


def typed_rows(num_edges=40, num_nodes=7):
    """Edges of four relations, one of them mostly both ways, with repeats and self-loops."""
    rng = np.random.default_rng(1)
    rows = [[u, name, v, w / 4, x / 8, x] for (u, v), name, w, x in zip(
        rng.integers(0, num_nodes, (num_edges, 2)).tolist(),
        rng.choice(["a", "b", "c"], num_edges).tolist(),
        rng.integers(0, 6, num_edges).tolist(),
        rng.integers(-9, 9, num_edges).tolist(),
        strict=True,
    )]  # fmt: skip
    pairs = [(u, v) for u in range(num_nodes) for v in range(num_nodes) if u < v]
    rows += [[*end, k % 7, 0, 1] for k, (u, v) in enumerate(pairs)
             for end in ([u, "near", v], [v, "near", u])][1:]  # fmt: skip
    rng.shuffle(rows)
    return [["head", "relation", "tail", "weight", "x", "y"], *rows]


TYPED = {
    "relations": {},
    "no weights": {"weight": "none"},
    "one relation": {"relation": "none", "directed": True},
    "directed": {"directed": True, "weight": "none"},
    "undirected": {"directed": False},
    "numbers": {"relation": "y", "weight": "none"},
}


@pytest.mark.parametrize("options", TYPED.values(), ids=TYPED)
def test_relations_and_directions(write, pieces, caplog, options):
    path = write("g.tsv", lines(typed_rows(), "\t"))
    # a graph folder keeps notes, so that both ways note the same
    graph = assert_as_read(path, caplog, **options)
    assert graph.is_directed == (options.get("directed") is not False)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("source,target,type\n0,1,directed\n1,0,directed\n1,2,directed\n", {}),
        ("source,target,type\n0,1,Directed\n1,0,Undirected\n1,2,Directed\n", {}),
        ("source,target,type\n0,1,undirected\n1,1,undirected\n", {}),
        ("source,target,type,note\n0,0,is,x\n1,1,has,y\n", {}),
        ("source,target,type\n0,1,binds\n1,0,binds\n", {}),
        ('source,target,type\n"a, b",é,"x y"\né,c,ü\n', {}),
        ("a,b\n0,1\n2,1\n", {"directed": True}),
    ],
)
def test_small_tables_with_relations(write, pieces, caplog, text, options):
    assert_as_read(write("g.csv", text), caplog, **options)


def test_parquet_with_relations(tmp_path, pieces, caplog):
    header, *rows = typed_rows()
    frame = pd.DataFrame(rows, columns=header)
    frame.to_parquet(tmp_path / "g.parquet", row_group_size=7)
    assert_as_read(tmp_path / "g.parquet", caplog)


ids = st.one_of(
    st.integers(-(2**65), 2**65).map(str),
    st.integers(0, 9).map(str),
    st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=3),
)
contents = st.one_of(
    st.lists(st.tuples(ids, ids)).map(lines),
    st.lists(st.tuples(ids, ids, st.floats().map(str))).map(
        lambda rows: "u,v,weight\n" + lines(rows, ",")
    ),
    st.lists(st.tuples(ids, st.sampled_from("pqr"), ids)).map(lines),
    st.text('01 a#\n\r,"\x0b', max_size=40),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=contents, name=st.sampled_from(["g.txt", "g.csv"]))
def test_any_content_is_accepted_or_refused_as_by_reading(tmp_path, content, name, pieces):
    path = tmp_path / name
    path.write_bytes(content.encode())
    try:
        write_graph_folder(tmp_path / "read", read_graph(path), force=True)
    except InputError:
        with pytest.raises(InputError):
            convert_edges(path, tmp_path / "converted", force=True)
        return
    convert_edges(path, tmp_path / "converted", force=True)
    assert files_of(tmp_path / "converted") == files_of(tmp_path / "read")


@pytest.mark.parametrize("shape", [(3,), (3, 2), (11, 2), (20, 1)])
@pytest.mark.parametrize("order", "CF")
def test_features_in_an_array(write, shape, order, pieces, monkeypatch, caplog):
    monkeypatch.setattr(large_edges, "_ROWS", 1)
    edges = write("g.txt", "10 3\n3 5\n5 10\n")
    path = edges.with_name("x.npy")
    np.save(path, np.arange(np.prod(shape)).reshape(shape, order=order).astype(np.int8))
    graph = assert_as_read(edges, caplog, feature_file=path, features=["x0"])
    assert graph.num_nodes == shape[0]


def test_features_in_a_csv_file(write, pieces, caplog):
    edges = write("g.txt", "10 3\n3 5\n5 10\n")
    for text in ("a,b\n1,2\n3,4\n5,6\n", 'id,a\n"10",1\n 3 ,2\n5,3\n'):
        write("g.features.csv", text)
        assert_as_read(edges, caplog, features=("a",))
    edges = write("t.csv", "u,v\né,b\nb," + "a" * 900 + "\n")
    file = write("x.csv.gz", "node,f\n" + "a" * 900 + ",1\nb,2\né,3\n")
    graph = assert_as_read(edges, caplog, feature_file=file)
    assert graph.features.tolist() == [[1], [2], [3]]
    write("x.csv.gz", "node,f\nb,2\né,3\n")
    with pytest.raises(InputError, match="must have a row for every node, got none for 'aaa"):
        convert_edges(edges, edges.with_name("out"), feature_file=file)


def test_a_memory_limit_that_is_too_small(write, tmp_path, monkeypatch):
    path, out = write("g.txt", lines(random_edges(ROWS))), tmp_path / "out"
    with pytest.raises(InputError, match=r"^memory_limit must be at least .+ for reading"):
        convert_edges(path, out, memory_limit=MIB)
    monkeypatch.setattr(large_edges, "_memory_of", lambda path: 3 * GIB)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    words = r"^g\.txt needs about 3\.0 GiB .* or install DuckDB, .* 'gomkcn-dgl\[large\]'\.$"
    with pytest.raises(InputError, match=words):
        convert_edges(path, out)
    assert list(tmp_path.iterdir()) == [path]


def test_the_command_reports_what_it_wrote(folder):
    (folder / "edges").write_text("u,v\n0,1\n")
    (folder / "x.csv").write_text("a,b\n1,2\n3,4\n")
    command = "convert edges out --format csv --feature-file x.csv --features b --quiet"
    assert gomkcn(command).startswith("wrote out: 2 nodes, 1 edges, ")
    assert read_graph_folder("out").features.tolist() == [[2], [4]]
    assert "overwrite it with --force" in refused(command)
    gomkcn(command + " --force")
    (folder / "t.txt").write_text("a likes b\nb likes a\nb knows c\n")
    assert ", 2 edges, " in gomkcn("convert t.txt t.graph --quiet")
    assert read_graph_folder("t.graph").relations.names == ("knows", "likes")
    gomkcn("convert t.txt t.graph --relation none --directed --target 3 --force --quiet")
    assert read_graph_folder("t.graph").num_edges == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("g.npz out", "g.npz: the format of a file to convert must be one of edges, csv"),
        ("g.txt out --memory-limit 1MB", "--memory-limit must be at least "),
        ("g.txt g.txt", "out folder '"),
    ],
)
def test_refusals_of_the_command(folder, arguments, sentence):
    (folder / "g.txt").write_text("0 1\n")
    (folder / "g.npz").write_text("0 1\n")
    assert refused(f"convert {arguments} --quiet").startswith(sentence)
    assert sorted(path.name for path in folder.iterdir()) == ["g.npz", "g.txt"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_nothing(folder, monkeypatch, number):
    (folder / "g.txt").write_text("0 1\n")
    # where the tests run in the background, Ctrl-C is ignored from the start
    monkeypatch.setattr(large_edges, "read_graph", lambda *_, **__: signal.raise_signal(number))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert invoke("convert g.txt out").exit_code != 0
    finally:
        signal.signal(signal.SIGINT, before)
    assert [path.name for path in folder.iterdir()] == ["g.txt"]
