"""Tables of edges and nodes of any engine: one graph, whoever holds the table."""

import datetime
import decimal
import re

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from graph_files import assert_same

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph

# what offers a table as a stream; Polars and DuckDB hand on text in other types of Arrow
ENGINES = {
    "pandas": lambda table: table.to_pandas(),
    "pandas categories": lambda table: table.to_pandas().astype("category"),
    "polars": pl.from_arrow,
    "polars categories": lambda table: pl.from_arrow(table).with_columns(
        pl.col(pl.String).cast(pl.Categorical)
    ),
    "pyarrow": lambda table: table,
    "pyarrow in batches": lambda table: pa.RecordBatchReader.from_batches(
        table.schema, table.to_batches(100)
    ),
    "duckdb": lambda table: duckdb.from_arrow(table),
}


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param]


@pytest.fixture(scope="module")
def regulation(ecoli):
    return pa.Table.from_pandas(pd.read_csv(ecoli), preserve_index=False)


@pytest.mark.parametrize("options", [{}, {"relation": "none", "directed": False}])
def test_regulation_is_one_graph_in_every_engine(ecoli, regulation, engine, options, log):
    assert_same(as_csr(engine(regulation), **options), read_graph(ecoli, **options))
    assert log()[0].startswith("columns: source = ")


DAY = datetime.date(2024, 1, 2)


@pytest.mark.parametrize(
    ("source", "target", "ids"),
    [
        ([5, 7], [7, 9], [5, 7, 9]),
        ([decimal.Decimal(5), decimal.Decimal(7)], [7, 9], [5, 7, 9]),
        ([decimal.Decimal("1.00")], ["b"], ["1.00", "b"]),
        ([5, 7], ["7", "b"], ["5", "7", "b"]),
        (
            [DAY, None],
            ["b", "c"],
            "row 2: the column 'source' must hold a value, and it is null; fill it in",
        ),
        ([DAY], ["b"], ["2024-01-02", "b"]),
        ([True, False], [1.5, 2.5], ["1.5", "2.5", "false", "true"]),
        # too large for an integer of 64 bits, in one of two batches
        (pa.array([1, 2**63], pa.uint64()), [2, 3], ["1", "2", "3", str(2**63)]),
        (["a", "b"], [b"\xff", b"c"], "the column 'target' must hold text, or what can be written"),
        (["a", "b"], [[1], [2]], "the column 'target' must hold text, or what can be written"),
        (
            ["a", "b"],
            ["b", ""],
            "row 2: a node id must have 1 to 1000 characters, and the cell is empty; fill it in",
        ),
        ([], [], "a table of edges must have a row, got none."),
    ],
)
def test_ids_of_any_type_keep_their_text(source, target, ids):
    table = pa.table({"source": source, "target": target})
    batches = table.to_batches(1)
    stream = pa.RecordBatchReader.from_batches(table.schema, batches)
    if isinstance(ids, str):
        with pytest.raises(InputError, match=re.escape(ids)):
            as_csr(stream)
    else:
        assert as_csr(stream).node_ids.tolist() == ids


def test_weights_and_relations_of_any_type():
    rows = "VALUES ('a', 'b', 2, true), ('a', 'b', 1, true), ('b', 'c', 4, false)) t(u, v, w, how)"
    query = f"SELECT u, v, sum(w) AS n, how FROM ({rows} GROUP BY u, v, how ORDER BY u"
    graph = as_csr(
        duckdb.sql(query), source="u", target="v", weight="n", relation="how", directed=True
    )
    assert graph.relations.names == ("false", "true")
    assert graph.weights.tolist() == [3, 3, 4, 4]
    # numbers alone are weights
    with pytest.raises(InputError, match="^the column 'how' must hold numbers, got bool"):
        as_csr(duckdb.sql(query), weight="how")
    with pytest.raises(InputError, match="^source must name a column among u, v, n, how, got 'x'"):
        as_csr(duckdb.sql(query), source="x")


NODES = pa.table({"Name": ["c", "a", "b"], "kind": ["p", "q", "p"], "mass": [3, 1, 2],
                  "core": [True, False, True]})  # fmt: skip


CHAIN = pa.table({"u": ["a", "b"], "v": ["b", "c"]})


def test_nodes_are_matched_by_their_names(engine):
    graph = as_csr(CHAIN, nodes=engine(NODES.drop_columns("core")))
    assert graph.feature_names == ("kind=p", "kind=q", "mass")
    assert graph.features.tolist() == [[0, 1, 1], [1, 0, 2], [1, 0, 3]]


def test_nodes_by_index_by_number_and_in_part(log):
    graph = as_csr(CHAIN, nodes=NODES)
    assert (graph.feature_names[3], graph.features[:, 3].tolist()) == ("core", [0, 1, 1])
    # an index of pandas is a column of names, and any graph takes a table of its nodes
    frame = NODES.to_pandas().set_index("Name")
    # also where rows were sorted, which leaves an index of numbers beside the names
    for own in (NODES.to_pandas()[::-1], frame, frame.rename_axis(None), frame.rename_axis("gene")):
        assert_same(as_csr(nx.path_graph(["a", "b", "c"]), nodes=own), graph)
    graph = as_csr(CHAIN, nodes=NODES, features="kind=q")
    assert (graph.feature_names, graph.features.tolist()) == (("kind=q",), [[1], [0], [0]])
    assert "not used: node attributes mass, core" in graph.notes
    assert graph.notes[0] in log()
    # row i is node i, also of one without an edge
    numbered = pa.table({"u": [0, 1], "v": [1, 3]})
    graph = as_csr(numbered, nodes=pl.DataFrame({"mass": [1, 2, 3, 4, 5]}))
    assert (graph.num_nodes, graph.features[:, 0].tolist()) == (5, [1, 2, 3, 4, 5])


@pytest.mark.parametrize(
    ("graph", "options", "words"),
    [
        (
            CHAIN,
            {"nodes": NODES.slice(1), "features": "kind"},
            "the node table must have a row for every node where 'kind' is a feature, got none for "
            "'c' (1 in all)",
        ),
        (
            nx.path_graph(["a", "b"]),
            {"nodes": NODES},
            "'Name' must hold nodes that the graph lists",
        ),
        (CHAIN, {"nodes": NODES, "features": ["age"]}, "with the node table has no 'age'; it"),
        (CHAIN, {"nodes": NODES, "features": []}, "features must name at least one attribute, got"),
        (CHAIN, {"nodes": NODES, "features": np.eye(3)}, "features must name columns of nodes, or"),
        (
            nx.path_graph(3),
            {"nodes": pa.table({"mass": [1, None, 2]})},
            "row 2: the column 'mass' must hold",
        ),
        (
            CHAIN,
            {"nodes": NODES.select(["mass"])},
            "hold the names of the nodes of the graph, such",
        ),
        (nx.path_graph(2), {"nodes": NODES.select(["mass"])}, "must be a row for each of 2 nodes"),
        (CHAIN, {"nodes": [1, 2, 3]}, "nodes must be a table with __arrow_c_stream__"),
        (CHAIN, {"relation": np.array([0, 1])}, "relation must name a column of the edge table, "),
        (nx.path_graph(3), {"source": "u"}, "source and target name columns of a table of edges"),
        (CHAIN.append_column("weight", [[1, -1]]), {}, "row 2: an edge weight must be"),
        (pl.Series([1, 2]), {}, "the edge table cannot be read ("),
        (pa.table([[1], [2]], names=["u", "u"]), {}, "columns of different names, got 'u' twice"),
    ],
)
def test_refusals(graph, options, words):
    with pytest.raises((InputError, InputTypeError), match=re.escape(words)):
        as_csr(graph, **options)
