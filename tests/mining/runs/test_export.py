"""Occurrences as arrays and in files, patterns as tables; which places are disjoint."""

import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from tiny_runs import difference_of, pattern_of, run_of, run_with_variant, significance_of

from gomkcn.mining import MiningRun, PatternMiner, load
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.mining_settings import GraphSettings, RunSettings
from gomkcn.mining.runs.export import read_places, write_tables
from gomkcn.mining.runs.mine import MINE, run_of_mining
from gomkcn.mining.structures.occurrences import NONE, Occurrence, Occurrences, pick_disjoint
from gomkcn.mining.structures.pattern import Frequency, OccurrenceCount, Pattern
from gomkcn.mining.structures.pattern_columns import Patterns, occurrence_table, structure_table
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.run import prepare_folder, write_run
from gomkcn_dgl.runtime.tabular import Table

# edges of a feed-forward loop, with their relations
TYPED = ((0, 1, "a"), (0, 2, "b"), (1, 2, "a"))
ROWS = np.array([[0, 1, 2], [4, 3, 5]])
PLAIN = as_csr(nx.path_graph(6))
# by kind of ids, a graph and the ids of the rows above
GRAPHS = {
    "rows": (PLAIN, [(0, 1, 2), (4, 3, 5)]),
    "numbers": (replace(PLAIN, node_ids=np.arange(10, 16)), [(10, 11, 12), (14, 13, 15)]),
    "text": (
        replace(PLAIN, node_ids=np.array(list("abcdef"))), [("a", "b", "c"), ("e", "d", "f")]
    ),
    "collection": (as_csr([nx.path_graph(3)] * 2), [(0, 1, 2), (1, 0, 2)]),
}  # fmt: skip


@pytest.fixture(params=GRAPHS)
def kind(request):
    return request.param


def test_ids_are_those_of_the_input_as_arrays_and_as_records(kind):
    graph, ids = GRAPHS[kind]
    occurrences = Occurrences.at(ROWS, graph)
    assert [one.nodes for one in occurrences] == ids
    assert [one.graph for one in occurrences] == ([0, 1] if kind == "collection" else [0, 0])
    assert {type(node) for node in occurrences[0].nodes} == {str if kind == "text" else int}
    np.testing.assert_array_equal(occurrences.rows_in(graph), ROWS)
    listed = Occurrences.of(tuple(occurrences), 3)
    assert listed == occurrences == tuple(occurrences)
    np.testing.assert_array_equal(listed.rows_in(graph), ROWS)
    # a node or graph that is missing has row -1
    first = ids[0][0]
    records = [
        Occurrence((first, "z" if kind == "text" else 99, first)),
        Occurrence((first,) * 3, graph=7),
    ]
    assert Occurrences.of(records, 3).rows_in(graph).tolist() == [[0, -1, 0], [-1, -1, -1]]


def test_occurrences_are_a_sequence():
    occurrences = Occurrences.at(ROWS, PLAIN)
    assert occurrences[:1] == (occurrences[0],)
    assert occurrences[-1] == Occurrence((4, 3, 5))
    assert occurrences != [occurrences[1], occurrences[0]]
    assert list(Occurrences.of((), 3)) == []
    with pytest.raises(IndexError):
        occurrences[2]


def write_and_read(path, parts):
    """Write the occurrences of patterns with as many nodes as they have, and read them."""
    patterns = [
        Pattern(Structure.of_edges(size, [(0, u) for u in range(1, size)]), part, id=i)
        for i, (part, size) in enumerate(parts)
    ]
    with open(path, "wb") as file:
        occurrence_table(patterns).write_to(file)
    return read_places(path, [(len(part), size) for part, size in parts])


def test_a_file_gives_them_back(kind, tmp_path):
    graph, _ = GRAPHS[kind]
    triples = Occurrences.at(ROWS[[0, 1, 0]], graph)
    pairs = Occurrences.at(ROWS[:1, :2], graph)
    stored = write_and_read(tmp_path / "occurrences", [(triples, 3), (pairs, 2), (NONE, 2)])
    assert stored == [triples, pairs, ()]
    np.testing.assert_array_equal(stored[0].rows_in(graph), ROWS[[0, 1, 0]])


def test_a_file_that_does_not_belong_to_the_patterns_is_refused(tmp_path):
    path = tmp_path / "occurrences.parquet"
    write_and_read(path, [(Occurrences.at(ROWS, PLAIN), 3)])
    for sizes in ([(3, 3)], [(1, 3), (1, 3)], [(2, 2)]):
        with pytest.raises(InputError, match=r"cannot be read .*patterns\.json.*; mine again"):
            read_places(path, sizes)
    path.write_bytes(path.read_bytes()[:40])
    for broken in (path, tmp_path / "missing"):
        with pytest.raises(InputError, match=r"cannot be read .*; mine again"):
            read_places(broken, [(2, 3)])


ESTIMATE = OccurrenceCount(20.5, 18.0, 23.0, is_exact=False)


def path_pattern(number=0, count=ESTIMATE, nodes=((4, 5, 6), (9, 8, 7))):
    return replace(
        pattern_of(nx.path_graph(3), number),
        frequency=Frequency(count, graphs=1, listed=2, disjoint=1),
        occurrences=Occurrences.of([Occurrence(row, i) for i, row in enumerate(nodes)], 3),
    )


def test_the_table_of_structures():
    first = replace(
        path_pattern(0),
        significance={"joint-degree": significance_of(z=1.5, p_adjusted=0.3)},
        classes=difference_of("toxic", "harmless"),
    )
    known = {
        "pattern": 0, "finding": "counted", "structure": "path of 3 nodes", "num_nodes": 3,
        "edges": "A--B, B--C", "graphlet": "G1",
        "occurrences": 20.5, "occurrences_are": "estimated", "occurrences_low": 18.0,
        "occurrences_high": 23.0, "graphs": 1, "listed": 2, "disjoint": 1,
        "null_joint_degree_mean": 0.5, "null_joint_degree_sd": 0.75, "null_joint_degree_z": 1.5,
        "null_joint_degree_p": 0.04, "null_joint_degree_p_adjusted": 0.3,
        "null_joint_degree_verdict": "not shown to differ",
        "graphs_toxic": 9, "of_graphs_toxic": 10, "odds_ratio_toxic": 46.75,
        "odds_ratio_toxic_low": 5.75, "odds_ratio_toxic_high": 383.0, "p_exact_toxic": 3e-5,
        "graphs_harmless": 2, "of_graphs_harmless": 20, "odds_ratio_harmless": 0.0215,
        "odds_ratio_harmless_low": 0.0026, "odds_ratio_harmless_high": 0.174,
        "p_exact_harmless": 3e-5, "p_classes": 0.001,
    }  # fmt: skip
    table = structure_table([first, path_pattern(1, OccurrenceCount.exact(2))]).to_pandas()
    assert table.iloc[0].to_dict() == known
    columns = ["occurrences", "occurrences_are", "occurrences_low", "occurrences_high"]
    assert table.iloc[1][columns].tolist() == [2, "exact", 2, 2]
    assert table.iloc[1][["null_joint_degree_z", "p_classes"]].isna().all()
    # what was counted and not located has no number, and nothing that its places would tell
    (row,) = structure_table([replace(first, id=-1)]).to_arrow().to_pylist()
    of_places = ["pattern", "graphs", "listed", "disjoint"]
    assert row == known | dict.fromkeys(of_places)


def test_measures_have_the_names_and_values_of_the_table():
    run = run_of(
        [pattern_of(nx.cycle_graph(4))], motifs=[(pattern_of(nx.cycle_graph(4)), [[0, 1, 2, 3]])]
    )
    (motif,) = run.motif_set
    found = replace(motif, significance={"joint-degree": significance_of(z=1.5)})
    (row,) = structure_table([found]).to_arrow().to_pylist()
    assert found.measures.items() <= row.items()
    # what is no measure: the shape
    shape = {"structure", "num_nodes", "edges", "graphlet"}
    assert row.keys() - found.measures.keys() == shape


def test_one_table_says_what_is_a_motif_what_is_called_and_what_was_counted(tmp_path):
    calling = {"degree": significance_of(verdict="less frequent")}
    patterns = [pattern_of(nx.cycle_graph(4)), pattern_of(nx.star_graph(3), 1),
                pattern_of(nx.path_graph(3), 2), pattern_of(nx.complete_graph(3), 3)]  # fmt: skip
    run = run_of(patterns, motifs=[(patterns[0], [[0, 1, 2, 3]]), (patterns[1], [[4, 5, 6, 7]])])
    motifs = [*run.motif_set]
    run = replace(
        run,
        patterns=[
            motifs[0],
            replace(motifs[1], significance=calling),
            replace(patterns[2], significance=calling),
            patterns[3],
        ],
        others=(replace(pattern_of(nx.path_graph(4)), id=-1),),
    )
    write_tables(tmp_path, run, "csv")
    table = pd.read_csv(tmp_path / "structures.csv")
    said = ["motif", "motif and called", "called", "counted", "counted"]
    assert table["finding"].tolist() == said
    assert table["pattern"].tolist()[:4] == [0, 1, 2, 3] and np.isnan(table["pattern"][4])
    # both numbers of bits: shares, which add up, and what is lost without the motif
    assert table["bits_saved"].tolist()[:2] == [90.25, 89.25]
    assert table["bits_longer_without"].tolist()[:2] == [100.5, 99.5]
    assert table["copies"].isna().tolist() == [False, False, True, True, True]


def test_a_table_that_a_result_does_not_have_is_refused():
    run = run_with_variant(3)
    for result, names in (
        (run, "'copies', 'motifs', 'occurrences', 'structures'"),
        (run.motif_set, "'blocks', 'copies', 'features', 'motifs'"),
        (Patterns(run.patterns), "'occurrences', 'structures'"),
    ):
        with pytest.raises(InputError, match=f"^which must be one of {names}, got 'colours'"):
            result.table("colours")
    with pytest.raises(InputError, match="no node of this set is in a block"):
        run.motif_set.table("blocks")


def test_the_table_of_occurrences():
    table = occurrence_table([path_pattern(2)]).to_pandas()
    assert list(table.columns) == ["pattern", "occurrence", "graph", "A", "B", "C"]
    assert table["A"].dtype == "int64"
    assert table.values.tolist() == [[2, 0, 0, 4, 5, 6], [2, 1, 1, 9, 8, 7]]
    # a smaller pattern has fewer nodes, and numbers stay whole
    pair = replace(
        pattern_of(nx.path_graph(2), 1), occurrences=Occurrences.of([Occurrence((3, 4))], 2)
    )
    table = occurrence_table([path_pattern(), pair])
    assert str(table.to_pandas()["C"].dtype) == "Int64"
    assert table.to_arrow()["C"].to_pylist() == [6, 7, None]
    # ids are text unless all are integers
    table = occurrence_table([path_pattern(), path_pattern(1, nodes=((1, "b", 3),)), pair])
    assert table.to_arrow()["B"].to_pylist() == ["5", "8", "b", "4"]
    assert table.to_arrow()["C"].to_pylist() == ["6", "7", "3", None]


@pytest.mark.parametrize("patterns", [[], [path_pattern(0), path_pattern(1)]])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_written_tables_can_be_read_back(tmp_path, format, patterns):
    run = run_of(patterns, motifs=[(one, [[1, 2, 3]]) for one in patterns])
    written = write_tables(tmp_path / "a" / "b", run, format)
    names = ("structures", "motifs", "occurrences", "copies")
    assert [path.name for path in written] == [f"{name}.{format}" for name in names]
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}[format]
    for path, name in zip(written, names, strict=True):
        table = run.table(name)
        # in CSV an empty and a missing text are the same
        found = read(path).drop(columns="edits", errors="ignore")
        table = table.to_pandas().drop(columns="edits", errors="ignore")
        pd.testing.assert_frame_equal(found, table, check_dtype=False)


def test_copies_of_the_other_base_are_written_and_read_back(tmp_path):
    ring = pattern_of(nx.cycle_graph(4))
    edits = np.array([[1, 0, 1, -1]])
    other = run_of([ring], motifs=[(ring, [[0, 1, 2, 3], [4, 5, 6, 7]], {"edits": edits})])
    nodes = [7 * node for node in range(run_of([]).graph.num_nodes)]
    blocks = Table({"node": nodes, "block": [node % 3 for node in nodes]})
    empty = MotifSet((), 90.0, 90.0, "blocks", 3, blocks, other=other.motif_set)
    run = run_of([ring], motif_set=empty)
    names = [path.stem for path in write_tables(tmp_path / "tables", run, "csv")]
    assert names == ["structures", "motifs", "occurrences", "copies", "copies_other", "blocks"]
    table = pd.read_csv(tmp_path / "tables/blocks.csv")
    assert table.to_dict("list") == blocks.columns()
    table = pd.read_csv(tmp_path / "tables/copies_other.csv", keep_default_na=False)
    assert table[[*"ABCD"]].values.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    # which a spreadsheet would take for a formula
    assert table["edits"].tolist() == ["", "'-A-B"]
    write_run(
        MINE,
        prepare_folder(MINE, tmp_path / "run").parent,
        run_of_mining(replace(run, settings={})),
    )
    (back,) = load(tmp_path / "run").motif_set.other
    assert back.motif.copies.ids.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert back.motif.edits.tolist() == edits.tolist()
    found = load(tmp_path / "run").motif_set
    assert found.blocks.to_pandas().to_dict("list") == blocks.columns()
    assert found.other.blocks is None
    # of another graph, or gone
    Table({"node": nodes[1:], "block": nodes[1:]}).save(tmp_path / "run/blocks.parquet")
    with pytest.raises(InputError, match=r"blocks\.parquet' cannot be read .*; mine again"):
        load(tmp_path / "run")
    (tmp_path / "run/blocks.parquet").unlink()
    with pytest.raises(InputError, match=r"blocks\.parquet' cannot be read .*; mine again"):
        load(tmp_path / "run")


def test_disjoint_places_are_a_maximal_set():
    # the middle of three in a chain overlaps both others; where all overlap, the first is taken
    for rows, picked in (([[1, 2], [0, 1], [2, 3]], [1, 2]), ([[0, 1], [0, 2], [0, 3]], [0])):
        assert np.flatnonzero(pick_disjoint(np.array(rows))).tolist() == picked
    rows = np.random.default_rng(0).integers(40, size=(60, 3))
    chosen = set(np.flatnonzero(pick_disjoint(rows)).tolist())
    conflicts = nx.Graph()
    conflicts.add_nodes_from(range(60))
    conflicts.add_edges_from(
        (i, j) for i in range(60) for j in range(i) if set(rows[i].tolist()) & set(rows[j].tolist())
    )
    assert nx.is_dominating_set(conflicts, chosen)
    assert conflicts.subgraph(chosen).number_of_edges() == 0


def test_places_of_several_sizes_are_read_back_and_others_refused(tmp_path):
    path = tmp_path / "places"
    pair = Occurrences.at(ROWS[:1, :2], PLAIN)
    triples = Occurrences.at(ROWS, PLAIN)
    assert write_and_read(path, [(triples, 3), (pair, 2)]) == [triples, pair]
    for sizes in ([(2, 2), (1, 3)], [(2, 3), (1, 3)], [(2, 2), (1, 2)]):
        with pytest.raises(InputError, match="cannot be read .*; mine again"):
            read_places(path, sizes)
    # more nodes than the structure has
    write_and_read(path, [(triples, 3), (triples[:1], 3)])
    with pytest.raises(InputError, match="a place does not have 2 nodes"):
        read_places(path, [(2, 2), (1, 3)])


def test_edges_of_several_relations_have_ids_of_their_own(tmp_path):
    path = tmp_path / "g.csv"
    rows = [f"{3 * k + u},{3 * k + v},{kind}" for k in range(4) for u, v, kind in TYPED]
    path.write_text("\n".join(["source,target,type", *rows]))
    graph = read_graph(path)
    miner = PatternMiner("3-3", null=None).fit(graph)
    settings = RunSettings(GraphSettings(str(path)), miner)
    write_tables(tmp_path, MiningRun.of(miner, graph, settings=settings), "graphml")
    ids = re.findall(r'<edge [^>]*id="([^"]+)"', (tmp_path / "graph.graphml").read_text())
    assert len({*ids}) == len(ids) == graph.num_edges == 12
    assert len(nx.read_graphml(tmp_path / "graph.graphml").nodes) == 12
