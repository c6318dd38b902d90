"""A column is written once: pages, terminal, files, notebooks and the documentation have it."""

import re
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest
from click.testing import CliRunner
from column_tables import TABLES, fill_columns
from tiny_runs import difference_of, pattern_of, run_of, significance_of

from gomkcn.commands.main import main
from gomkcn.mining import (
    FilterMiner,
    FiltersRun,
    MiningRun,
    PatternMiner,
    census,
    compare,
    frequent_subgraphs,
    motif_set,
    repeated_blocks,
    temporal_census,
)
from gomkcn.mining.counting import census_columns, structure_census
from gomkcn.mining.filters import filter_columns
from gomkcn.mining.frequent import frequent_columns
from gomkcn.mining.motif_sets import motif_columns
from gomkcn.mining.patterns import compared_structure, graph_distances
from gomkcn.mining.repeats import block_columns, block_finding
from gomkcn.mining.runs.export import write_tables
from gomkcn.mining.show import (
    blocks_page,
    comparison_text,
    distances_page,
    distances_text,
    filters_page,
    filters_text,
    frequent_page,
    notebook,
    report,
    terminal,
)
from gomkcn.mining.show.comparison_page import render_comparison
from gomkcn.mining.show.temporal_page import render_temporal_page
from gomkcn.mining.show.text_table import text_table
from gomkcn.mining.structures import class_columns, pattern_columns
from gomkcn.mining.structures.pattern import MORE
from gomkcn.mining.structures.table_column import Below, Medium, Number, TableColumn, tabulate
from gomkcn.mining.temporal import temporal_columns, temporal_motifs

DOCS = Path(__file__).resolve().parents[3] / "docs"
RING, PATH = nx.cycle_graph(4), nx.path_graph(4)
# what each place must show of a column that nobody wrote there
ADDED = TableColumn("added_{}", "Added", "a column of a test", lambda row: 4321)
KEY, TITLE, MEANING, VALUE = "added", "Added", "a column of a test", "4,321"


def add(monkeypatch, name, *modules):
    """Put a column at the end of a list, wherever a module holds the list."""
    columns = (*getattr(modules[0], name), replace(ADDED, key=ADDED.key.format("").rstrip("_")))
    for module in modules:
        monkeypatch.setattr(module, name, columns)


def mined():
    """A run with a motif, and a structure that is called and differs between classes."""
    ring = pattern_of(RING, 0)
    called = replace(
        pattern_of(PATH, 1),
        significance={"degree": significance_of(verdict=MORE, p_adjusted=0.01)},
        classes=difference_of("toxic", "harmless"),
    )
    return run_of([ring, called], motifs=[(ring, [[0, 1, 2, 3]])], num_graphs=30)


def assert_on_page(page, table):
    """The title is in the heads of a table of a page, the value in each of its rows."""
    body = re.search(rf'<table id="{table}"[^>]*>(.*?)</table>', page, re.S)[1]
    assert f">{TITLE}</th>" in body
    rows = re.findall(r"<tr[^>]*data-csv.*?</tr>", body, re.S)
    assert rows and all(f">{VALUE}</td>" in row and "4321" in row for row in rows)
    assert f"|{KEY}" in page


def assert_in_files(folder, run, name):
    """The column is in CSV and in Parquet."""
    for format, read in {"csv": pd.read_csv, "parquet": pd.read_parquet}.items():
        write_tables(folder, run, format)
        assert set(read(folder / f"{name}.{format}")[KEY]) == {4321}


def assert_documented(name):
    """The documentation has a page with the list, and there the column."""
    pages = [page for page in DOCS.rglob("*.md") if f"<!-- columns: {name} -->" in page.read_text()]
    assert len(pages) == 1
    assert f"| `{KEY}` | {TITLE} | {MEANING} |" in fill_columns(pages[0].read_text())


def test_a_column_of_structures_is_everywhere(monkeypatch, tmp_path):
    add(monkeypatch, "STRUCTURE_COLUMNS", pattern_columns)
    run = mined()
    assert_on_page(report.render_report(run), "t-b0")
    assert "added" in str(terminal.called_table(run, "degree"))
    assert VALUE in str(terminal.called_table(run, "degree"))
    # on a narrow page p stands below z, and there alone
    assert re.search('<small class="only-narrow">p <data', report.render_report(run))
    # columns of files alone are in files alone
    for shown in (report.render_report(run), str(terminal.called_table(run, "degree"))):
        assert "low end" not in shown.lower()
    assert f"<th>{TITLE}</th>" in notebook.patterns_html(run.patterns)
    assert f"<td>{VALUE}</td>" in notebook.patterns_html(run.patterns)
    assert_in_files(tmp_path, run, "structures")
    assert run.table().columns()[KEY] == [4321, 4321]
    assert_documented("structures")


def test_a_column_of_a_null_model_is_there_for_each(monkeypatch, tmp_path):
    columns = (*pattern_columns.COMPARISON_COLUMNS, replace(ADDED, key="{}_added"))
    monkeypatch.setattr(pattern_columns, "COMPARISON_COLUMNS", columns)
    run = mined()
    page = report.render_report(run)
    assert "|null_degree_added" in page and f">{VALUE}</td>" in page
    assert VALUE in str(terminal.called_table(run, "degree"))
    assert run.table().columns()["null_degree_added"] == [None, 4321]


def test_a_column_of_motifs_is_everywhere(monkeypatch, tmp_path):
    add(monkeypatch, "MOTIF_COLUMNS", motif_columns, report, terminal, notebook)
    run = mined()
    assert_on_page(report.render_report(run), "t-a")
    assert VALUE in str(terminal.motif_table(run.motif_set))
    assert f"<td>{VALUE}</td>" in run.motif_set._repr_html_()
    assert_in_files(tmp_path, run, "motifs")
    assert run.motif_set.table().columns()[KEY] == [4321]
    assert_documented("motifs")


def test_a_column_of_classes_is_everywhere(monkeypatch):
    add(monkeypatch, "CLASS_COLUMNS", class_columns, report, terminal)
    run = mined()
    assert_on_page(report.render_report(run), "t-c")
    assert VALUE in str(terminal.class_table(run))
    assert_documented("classes")


def test_a_column_of_filters_is_everywhere(monkeypatch, tmp_path):
    add(monkeypatch, "FILTER_COLUMNS", filter_columns, filters_page, filters_text)
    monkeypatch.setattr(
        "gomkcn.mining.filters.filters_run.FILTER_COLUMNS", filter_columns.FILTER_COLUMNS
    )
    graph = nx.complete_graph(5)
    miner = FilterMiner(1, filter_size=3, contrast=False).fit(graph)
    run = FiltersRun.of(miner, graph)
    assert_on_page(filters_page.render_filters(run), "t-a")
    said = filters_text.format_filters(run)
    assert VALUE in said and f"{TITLE}: {MEANING}." in " ".join(said.split())
    assert miner.table().columns()[KEY] == run.table().columns()[KEY] == [4321]
    for ending, read in {"csv": pd.read_csv, "parquet": pd.read_parquet}.items():
        run.table().save(tmp_path / f"filters.{ending}")
        assert read(tmp_path / f"filters.{ending}")[KEY].tolist() == [4321]
    assert_documented("filters")


def test_a_column_of_each_run_is_everywhere_in_a_comparison(monkeypatch, tmp_path):
    columns = (*compared_structure.SIDE_COLUMNS, ADDED)
    monkeypatch.setattr(compared_structure, "SIDE_COLUMNS", columns)
    found = compare(mined(), mined())
    page = render_comparison(found)
    assert page.count(f">{TITLE}</th>") == 2
    assert page.count(f">{VALUE}</td>") == 2 * len(found.structures)
    assert comparison_text.format_comparison(found).count(VALUE) == 2 * len(found.structures)
    found.save(tmp_path / "compared.csv")
    assert set(pd.read_csv(tmp_path / "compared.csv")["added_second"]) == {4321}
    assert "| `added_first` | Added | a column of a test |" in fill_columns(
        "<!-- columns: comparison -->"
    )


def test_a_column_of_many_graphs_is_everywhere(monkeypatch):
    add(monkeypatch, "GRAPH_COLUMNS", graph_distances, distances_page, distances_text)
    found = compare([nx.gnm_random_graph(20, 40, seed=seed) for seed in range(3)], null="none")
    record = {"settings": {}, "provenance": {}}
    page = distances_page.render_distances(found, record)
    assert f">{TITLE}</th>" in page and page.count(VALUE) == 3
    assert distances_text.format_distances(found).count(VALUE) == 3
    assert found.table("graphs").columns()[KEY] == [4321] * 3
    assert_documented("graphs")


def test_a_column_of_events_in_time_is_everywhere(monkeypatch, tmp_path):
    add(monkeypatch, "TEMPORAL_COLUMNS", temporal_columns, temporal_motifs)
    monkeypatch.setattr(
        "gomkcn.mining.show.temporal_page.TEMPORAL_COLUMNS", temporal_columns.TEMPORAL_COLUMNS
    )
    mail = pd.DataFrame({"from": ["a", "b", "a"], "to": ["b", "a", "b"], "time": [1, 2, 4]})
    found = temporal_census(mail, 9, null_samples=2)
    assert render_temporal_page(found, "mail", "9").count(VALUE) == 36
    assert str(text_table(temporal_columns.TEMPORAL_COLUMNS, found.rows)).count(VALUE) == 36
    found.save(tmp_path / "t.parquet")
    assert set(pd.read_parquet(tmp_path / "t.parquet")[KEY]) == {4321}
    assert_documented("temporal")


def test_a_column_of_a_census_is_everywhere(monkeypatch, folder):
    add(monkeypatch, "CENSUS_COLUMNS", census_columns, structure_census)
    found = census(nx.complete_graph(4), 3)
    assert found.columns()[KEY] == [4321, 4321]
    nx.write_edgelist(nx.complete_graph(4), "graph.txt", data=False)
    said = CliRunner().invoke(main, ["census", "graph.txt", "--sizes", "3"]).stdout
    assert said.splitlines()[0].endswith("added") and said.count(VALUE) == 2
    assert_documented("census")


def test_a_column_of_frequent_subgraphs_is_everywhere(monkeypatch, tmp_path):
    add(monkeypatch, "FREQUENT_COLUMNS", frequent_columns)
    found = frequent_subgraphs([RING, PATH], 2, 4, y=["a", "b"])
    record = {"graph": {"source": "", "num_graphs": 2}, "settings": {}, "provenance": {}}
    page = frequent_page.render_subgraphs(found, record, "f.csv")
    assert f">{TITLE}</th>" in page and page.count(f">{VALUE}</td>") == len(found) == 1
    assert VALUE in frequent_page.format_subgraphs(found, "f.csv")
    found.save(tmp_path / "f.csv")
    assert pd.read_csv(tmp_path / "f.csv")[KEY].tolist() == [4321]
    assert_documented("frequent")


def test_a_column_of_blocks_is_everywhere(monkeypatch, tmp_path):
    add(monkeypatch, "BLOCK_COLUMNS", block_columns, block_finding, blocks_page)
    found = repeated_blocks(nx.disjoint_union_all([nx.ladder_graph(5)] * 4), null_samples=0)
    record = {"source": "", "settings": {}, "provenance": {}}
    page = blocks_page.render_blocks(found, record, "p.csv")
    assert f">{TITLE}</th>" in page and page.count(f">{VALUE}</td>") == len(found) >= 1
    assert VALUE in blocks_page.format_blocks(found, "p.csv")
    found.table().save(tmp_path / "b.csv")
    assert set(pd.read_csv(tmp_path / "b.csv")[KEY]) == {4321}
    assert_documented("blocks")


@pytest.mark.parametrize("name", TABLES)
def test_keys_and_meanings_of_a_list_tell_its_columns_apart(name):
    columns = list(TABLES[name]())
    keys = [column.key for column in columns]
    assert len({*keys}) == len(keys)
    assert all(column.meaning and "|" not in column.meaning for column in columns)
    # a terminal tells columns by their titles
    titles = [
        column.title.lower()
        for column in columns
        if column.media & Medium.TERMINAL
        and not (column.below and column.below.media & Medium.TERMINAL)
    ]
    assert len({*titles}) == len(titles)
    # what stands below a column stands below one of the list
    assert {column.below.key for column in columns if column.below} <= {*keys}


def test_no_template_has_a_head_of_a_table_by_hand():
    templates = DOCS.parent.joinpath("mining/show").glob("*.jinja")
    written = [
        (path.name, head)
        for path in templates
        for head in re.findall(r'<th scope="col"[^>]*>([A-Z][^<]*)', path.read_text())
    ]
    # what stands beside letters of nodes, beside the roles of each node, and above each copy
    known = {
        "filters.html.jinja": ["Feature"],
        "report.html.jinja": ["Node"],
        "blocks.html.jinja": ["Node", "Copy {{ head }}"],
    }
    for name in {name for name, _ in written} - {"explanation.html.jinja"}:
        assert [head for other, head in written if other == name] == known[name]


def test_numbers_have_their_path_and_what_is_below_its_place():
    inner = TableColumn[int](
        "{}_n", "N", "a number", lambda row: row, lambda row: ("≈ ", Number(str(row), ("n",)))
    )
    outer = inner.part_of("first_n", lambda row: row[0], "first")
    assert outer.parts([7, 8]) == ("≈ ", Number("7", ("first", "n")))
    assert outer.parts([None, 8]) == () and outer.value([None, 8]) is None
    # in a terminal a text stands below another one; an optional column without a text is left out
    below = TableColumn[list](
        "m",
        "M",
        "another one",
        lambda row: row[1],
        media=Medium.TERMINAL,
        is_optional=True,
        below=Below("first_n", "of {}"),
    )
    assert text_table([outer, below], [[7, 8]]).columns == {"n": [("≈ 7", "of 8")]}
    assert text_table([outer, below], [[7, None]]).columns == {"n": ["≈ 7"]}
    assert tabulate([outer, below], [[7, 8]]).columns() == {"first_n": [7]}


def test_results_have_a_table_a_picture_and_a_file(tmp_path):
    graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    miner = PatternMiner("3-4", null=None, filters="none").fit(graph)
    run = MiningRun.of(miner, graph)
    for result in (miner, run, miner.motif_set_):
        (axis,) = [axis for axis in result.plot().axes if axis.get_title()]
        assert axis.get_title() == "0: clique of 4 nodes"
        assert axis.get_xlabel().startswith("6 copies\n")
        result.table().save(tmp_path / "t.csv")
        columns = result.table().columns()
        assert list(pd.read_csv(tmp_path / "t.csv")) == list(columns)
    copies = miner.table("copies").columns()
    assert {node // 4 for node in copies["A"].tolist()} == {*range(6)}
    assert {*run.table("motifs").columns()["copies"]} == {6}
    # where there is no motif the picture says so
    (text,) = motif_set(nx.path_graph(5)).plot().texts
    assert "No set of motifs" in text.get_text() or "degrees" in text.get_text()


def test_what_is_not_used_is_said_once():
    run = mined()
    not_used = ("dropped 2 self-loops", "edge weights are not used")
    run = replace(run, motif_set=replace(run.motif_set, not_used=not_used))
    said = " ".join(terminal.format_run(run).split())
    assert "Not used: 2 self-loops (gomkcn count" in said and "; edge weights." in said
    assert "are not used" not in said


def test_a_page_of_a_random_graph_says_one_number_of_structures():
    held = replace(pattern_of(PATH, -1), significance={"degree": significance_of()})
    none = significance_of(observed=0.0, mean=0.0)
    nowhere = replace(
        pattern_of(RING, -1, count=0), significance={"degree": replace(none, largest=0.0)}
    )
    run = replace(run_of([]), others=(held, nowhere), null_models={"degree": "degrees"})
    page = report.render_report(run)
    assert "None of 1 structure that the graph or random graphs have" in page
    assert "Not shown to differ: 1 of 1" in page
