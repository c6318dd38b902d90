"""Sorting a file of edges on disk gives, array for array, what reading the whole file gives."""

import logging
import sys

import numpy as np
import pandas as pd
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import write_graph_folder
from gomkcn_dgl.io import large_edges
from gomkcn_dgl.io.large_edges import convert_graph
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.files import GIB, MIB


@pytest.fixture(params=["in one piece", "in small pieces"])
def on_disk(request, monkeypatch):
    """All files are larger than memory."""
    pytest.importorskip("duckdb", reason="sorting on disk needs the extra [large]")
    monkeypatch.setattr(large_edges, "_memory_of", lambda path: 2**62)
    if "small" in request.param:
        monkeypatch.setattr(large_edges, "_PIECE_BYTES", 40)
        monkeypatch.setattr(large_edges, "_BYTES_PER_END", GIB // 7)


def files_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def assert_as_read(path, caplog, **options):
    """Both ways write the same bytes and the same log; return the graph."""
    caplog.set_level(logging.INFO, logger="gomkcn_dgl")
    read, converted = path.with_name("read"), path.with_name("converted")
    caplog.clear()
    graph = read_graph(path, **options)
    messages = list(caplog.messages)
    write_graph_folder(read, graph, force=True)
    caplog.clear()
    convert_graph(path, converted, force=True, **options)
    assert caplog.messages == messages
    assert files_of(converted) == files_of(read)
    assert not list(path.parent.glob(".*"))
    return graph


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
FILES = {
    "rows.txt.gz": lines(random_edges(ROWS)),
    "sparse.el": lines(random_edges(SPARSE)),
    "text.edges": lines(random_edges(TEXT)),
    "weighted.tsv": lines(random_edges(ROWS, weighted=True), "\t"),
    "weighted_text.txt": lines(random_edges(TEXT, weighted=True)),
    "comments.txt": "# head\n\n% more\n  2 1 # tail\n\t1 0\n" + 30 * "# long\n" + "1 2\n",
    "windows.txt": lines(random_edges(ROWS), end="\r\n"),
    "mark.txt": b"\xef\xbb\xbf0 1\n1 2",
    "large_first.txt": "9223372036854775808 1\n1 2\n",
    "late_text.txt": lines(random_edges(ROWS)) + "1 one\n",
    "loops.txt": "3 3\n4 4\n",
    "zeros.txt": "0 1 0\n1 2 1e-60\n",
    "plus.txt": "+1 2\n02 3\n",
    "header.txt": "# c\nsource target\n1 2\n2 x\n",
    "columns.csv": "Weight,target,note,source\n2,5,a,7\n0.5,7,,9\n1,9,b c,7\n",
    "quotes.csv": 'a,b,weight\n1,2,0.5\n"Smith, J",  Li ,1\n"two\nlines",Li,2\n3,4,1\n',
    "directed.csv": "from,to\n" + lines(random_edges(TEXT), ","),
    "words.csv": "source,target,type\n0,1,Directed\n1,0,Undirected\n1,2,directed\n",
    "one_word.csv": "source,target,type\n0,1,directed\n1,0,Directed\n1,2,directed\n",
    "typed_loops.csv": "source,target,type\n0,0,is\n1,1,has\n",
}


@pytest.mark.parametrize("name", FILES)
def test_equals_reading_the_whole_file(write, name, on_disk, caplog):
    assert_as_read(write(name, FILES[name]), caplog)


def typed_rows(num_edges=40, num_nodes=7):
    """Edges of four relations, one of them mostly both ways, with repeats and self-loops."""
    rng = np.random.default_rng(1)
    rows = [
        [u, name, v, w / 4, x]
        for (u, v), name, w, x in zip(
            rng.integers(0, num_nodes, (num_edges, 2)).tolist(),
            rng.choice(["a", "b", "c"], num_edges).tolist(),
            rng.integers(0, 6, num_edges).tolist(),
            rng.integers(-9, 9, num_edges).tolist(),
            strict=True,
        )
    ]
    pairs = [(u, v) for u in range(num_nodes) for v in range(num_nodes) if u < v]
    near = [
        [*one, k % 7, 1]
        for k, (u, v) in enumerate(pairs)
        for one in ([u, "near", v], [v, "near", u])
    ]
    return rng.permutation(np.array([*rows, *near[1:]], object)).tolist()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight": "none"},
        {"relation": "none", "directed": True},
        {"relation": "none"},
        {"directed": True, "weight": "none"},
        {"directed": False},
        {"relation": "y", "weight": "none"},
        {"label_names": {"a": "activates"}},
    ],
)
def test_relations_directions_and_weights(write, on_disk, caplog, options):
    table = [["head", "relation", "tail", "weight", "y"], *typed_rows()]
    assert_as_read(write("g.tsv", lines(table, "\t")), caplog, **options)
    pd.DataFrame(table[1:], columns=table[0]).to_parquet(
        path := write("g.parquet", ""), row_group_size=7
    )
    assert_as_read(path, caplog, **options)


def test_parquet_of_text(tmp_path, on_disk, caplog):
    for names in (TEXT, ["07", "7", "8"]):
        frame = pd.DataFrame(random_edges(names), columns=["source", "target"])
        frame.to_parquet(tmp_path / "g.parquet", row_group_size=7)
        assert assert_as_read(tmp_path / "g.parquet", caplog).num_nodes == len(names)


def test_a_refusal_names_the_line_or_row_of_the_file(write, on_disk):
    path = write("g.txt", 20 * "1 2\n" + "1 2 3\n")
    with pytest.raises(InputError, match=r"^g\.txt: line 21: every line must have 2 columns"):
        convert_graph(path, path.with_name("out"))
    names = ["a"] * 8 + [""]
    path = path.with_name("g.parquet")
    pd.DataFrame({"u": names, "v": names}).to_parquet(path, row_group_size=7)
    with pytest.raises(InputError, match=r"^g\.parquet: row 9: a node id must have 1 to 1000 char"):
        convert_graph(path, path.with_name("out"))
    assert not path.with_name("out").exists()


def test_features(write, on_disk, caplog):
    edges = write("g.txt", "10 3\n3 5\n5 10\n")
    path = edges.with_name("x.npy")
    for num_rows in (3, 11, 20):
        np.save(path, np.arange(2 * num_rows).reshape(num_rows, 2).astype(np.int8))
        graph = assert_as_read(edges, caplog, feature_file=path, features=["x0"])
        assert graph.num_nodes == num_rows
    write("g.features.csv", 'id,a\n"10",1\n 3 ,2\n5,3\n')
    assert assert_as_read(edges, caplog).features.tolist() == [[2], [3], [1]]


def test_a_limit_of_memory_that_is_too_small(write, tmp_path, monkeypatch):
    path, out = write("g.txt", "0 1\n"), tmp_path / "out"
    monkeypatch.setattr(large_edges, "_memory_of", lambda path: 3 * GIB)
    with pytest.raises(InputError, match=r"^memory_limit must be at least .+ for sorting on disk"):
        convert_graph(path, out, memory_limit=MIB)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    words = (
        r"^memory_limit must be at least 3\.0 GiB .* or install DuckDB, .* 'gomkcn-dgl\[large\]'\.$"
    )
    with pytest.raises(InputError, match=words):
        convert_graph(path, out)
    assert list(tmp_path.iterdir()) == [path]
