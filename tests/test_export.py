"""Patterns in the forms of other tools: igraph, data frames, CSV, parquet."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, refused

from gomkcn_dgl.errors import InputError
from mining import Medoid, Occurrence, Pattern
from mining.records.frequency import Frequency
from mining.records.significance import Significance
from mining.results.export import occurrence_table, pattern_table, to_igraph, write_tables


def path_pattern(number=0, exact=None, nodes=((4, 5, 6), (9, 8, None)), significance=None):
    return Pattern(
        id=number,
        edges=((0, 1), (1, 2)),
        edge_weights=(0.9, 0.75),
        features=np.array([[0.5, 1.0], [1.5, 2.0], [2.5, 3.0]]),
        feature_names=("mass", "charge"),
        medoid=Medoid((4, 5, 6), 1.0, root=5),
        frequency=Frequency(
            7, 2, 1, exact, "counted" if exact else "not asked", 1, {"distinct": (1, 3)}
        ),
        min_similarity=0.8,
        occurrences=tuple(Occurrence(row, 1 - i / 8, i) for i, row in enumerate(nodes)),
        significance=significance or {},
    )


def test_igraph_has_the_features_and_the_weights():
    graph = to_igraph(path_pattern(3, exact=20))
    assert graph.get_edgelist() == [(0, 1), (1, 2)]
    assert graph.es["weight"] == [0.9, 0.75]
    assert graph.vs["mass"] == [0.5, 1.5, 2.5]
    assert graph.vs["charge"] == [1, 2, 3]
    assert (graph["pattern"], graph["distinct"], graph["exact"]) == (3, 2, 20)


def test_a_single_node_has_no_edges_to_weigh():
    lone = Pattern(
        0, (), (), np.ones((1, 1)), ("x",), Medoid((0,), 1.0), Frequency(1, 1, 1), 0.8, ()
    )
    assert to_igraph(lone).vcount() == 1
    assert pattern_table([lone])["edges"].tolist() == [""]


def test_the_table_of_patterns():
    found = Significance("degree", 20, 40, 2, 0.5, 0.25, 1.5, 0.2, 0.1, 0.3)
    table = pattern_table([path_pattern(0, 20, significance={"degree": found}), path_pattern(1)])
    assert table.iloc[0].to_dict() == {
        "pattern": 0,
        "shape": "path of 3 nodes",
        "words": "",
        "num_nodes": 3,
        "edges": "0-1 1-2",
        "min_similarity": 0.8,
        "num_filters": 1,
        "noisy": False,
        "assigned": 7,
        "distinct": 2,
        "disjoint": 1,
        "exact": 20,
        "exact_state": "counted",
        "num_graphs": 1,
        "distinct_low": 1,
        "distinct_high": 3,
        "z_degree": 1.5,
        "q_degree": 0.3,
    }
    assert table["exact"].dtype == "Int64"
    assert table.iloc[1][["exact", "z_degree"]].isna().all()


def test_the_table_of_occurrences():
    table = occurrence_table([path_pattern(2)])
    assert table["node"].dtype == "Int64"
    rows = [tuple(None if pd.isna(v) else v for v in row) for row in table.itertuples(index=False)]
    assert rows == [
        (2, 0, 0, 0, 4, 1.0),
        (2, 0, 0, 1, 5, 1.0),
        (2, 0, 0, 2, 6, 1.0),
        (2, 1, 1, 0, 9, 0.875),
        (2, 1, 1, 1, 8, 0.875),
        (2, 1, 1, 2, None, 0.875),
    ]


def test_ids_are_text_unless_all_are_integers():
    table = occurrence_table([path_pattern(nodes=((1, "b", None),))])
    assert table["node"].tolist()[:2] == ["1", "b"]
    assert pd.isna(table["node"][2])


def test_tables_of_no_patterns_have_their_columns():
    assert list(pattern_table([]))[:3] == ["pattern", "shape", "words"]
    assert len(pattern_table([])) == len(occurrence_table([])) == 0
    assert list(occurrence_table([]))[-1] == "similarity"


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_is_written_can_be_read_back(tmp_path, format):
    patterns = [path_pattern(0, 20), path_pattern(1)]
    written = write_tables(tmp_path / "a" / "b", patterns, format)
    assert [path.name for path in written] == [f"patterns.{format}", f"occurrences.{format}"]
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}[format]
    for path, table in zip(
        written, (pattern_table(patterns), occurrence_table(patterns)), strict=True
    ):
        # in CSV no words and missing words are the same
        found = read(path)
        if "words" in found:
            found["words"] = found["words"].astype("string").fillna("")
        pd.testing.assert_frame_equal(found, table, check_dtype=False)


def test_a_table_without_rows_is_written(tmp_path):
    first, second = write_tables(tmp_path, [], "csv")
    assert first.read_text().startswith("pattern,shape,")
    assert second.read_text() == "pattern,occurrence,graph,pattern_node,node,similarity\n"


def test_refusals(tmp_path):
    with pytest.raises(InputError, match="format must be one of 'csv', 'parquet', got 'xls'."):
        write_tables(tmp_path, [], "xls")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="folder .* cannot be made"):
        write_tables(tmp_path / "file", [], "csv")


def test_the_command_writes_the_tables_of_a_run(folder):
    nx.write_edgelist(nx.disjoint_union_all([nx.cycle_graph(5)] * 6), "graph.txt", data=False)
    gomkcn("mine graph.txt --out run --patterns 1 --size 5 --epochs 1 --quiet")
    assert gomkcn("export run --out tables") == "tables/patterns.csv\ntables/occurrences.csv\n"
    rows, stored = pd.read_csv("tables/occurrences.csv"), pd.read_parquet("run/occurrences.parquet")
    assert rows["node"].tolist() == [node for nodes in stored["nodes"] for node in nodes]
    assert rows["similarity"].tolist() == np.repeat(stored["similarity"], 5).tolist()
    assert pd.read_csv("tables/patterns.csv")["distinct"].tolist() == [6]
    sentence = "--format must be one of 'csv', 'parquet', got 'xls'."
    assert refused("export run --out tables --format xls") == sentence
    assert refused("export nowhere --out tables").startswith("run folder 'nowhere' holds no")
