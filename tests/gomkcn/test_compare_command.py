"""`gomkcn compare`: runs and graphs, in any pair; tables and a page."""

import os
import re
import signal
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, invoke, refused

import gomkcn as gomkcn_package
from gomkcn.mining.significance.random_graphs import RandomGraphs

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def graphs(folder):
    nx.write_edgelist(nx.watts_strogatz_graph(40, 4, 0.1, seed=0), "small.txt", data=False)
    nx.write_edgelist(nx.watts_strogatz_graph(70, 4, 0.1, seed=1), "large.txt", data=False)
    return folder


def test_a_run_and_a_graph_are_compared(graphs):
    gomkcn("mine small.txt --out run --filters none --exact-copies --null-samples 199 --quiet")
    said = gomkcn("compare run large.txt --quiet --out both")
    assert said.startswith("first   small.txt: 40 nodes, ")
    assert "The profiles correlate by" in said and "Over-represented in both" in said
    assert said.endswith("page: both/comparison.html\n")
    page = Path("both/comparison.html").read_text()
    assert "<h1>small.txt and large.txt</h1>" in page
    # the graph alone gives what its run gives
    assert gomkcn("compare small.txt large.txt --quiet").startswith(
        "folder of this run: runs/small-large\n"
    )
    columns = [
        "structure",
        "count_first",
        "z_first",
        "p_adjusted_first",
        "count_second",
        "z_second",
    ]
    by_run, by_graph = (
        pd.read_csv(name).sort_values("edges")[columns].reset_index(drop=True)
        for name in ("both/structures.csv", "runs/small-large/structures.csv")
    )
    few = by_run[by_run["z_first"].notna()].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        few,
        by_graph[by_graph["structure"].isin(few["structure"])].reset_index(drop=True),
        check_dtype=False,
    )
    # what the other has of it is no dash
    assert len(few) > 20 and few["count_second"].notna().all()
    for option in ("--no-directed", "--null-samples 5", "--null degree"):
        assert "both are runs; leave it out" in refused(f"compare run run {option}")
    assert "there are no random graphs" in gomkcn("compare run run --null none --quiet --out none")
    # a run has errors, and roles of its nodes, as long as its graph is there
    table = pd.read_csv("both/structures.csv")
    assert table["difference_error"].notna().any()
    assert pd.read_csv("both/roles.csv")["node"].notna().all()
    assert "40 nodes in both by name; the 5 that changed most" in said
    Path("small.txt").rename("gone.txt")
    said = gomkcn("compare run large.txt --quiet --out gone")
    assert "of the first graph no counts at nodes are known" in " ".join(said.split())
    assert "difference_error" not in pd.read_csv("gone/structures.csv").dropna(axis=1, how="all")
    assert refused("compare") == "GRAPHS must be given, here or in the settings file."
    said = "GRAPHS must be graphs where they are not two, got a run of 'run'; give the graph that "
    assert said in refused("compare run") and said in refused("compare run large.txt large.txt")
    assert "nothing.txt" in refused("compare run nothing.txt")


def test_counts_are_printed_and_kept_when_a_signal_comes_and_the_rest_follows(graphs, monkeypatch):
    command = "compare small.txt large.txt --null-samples 60 --quiet"
    gomkcn(f"{command} --out whole")
    drawn = []
    draw = RandomGraphs.draw

    def stop_later(self, number):
        # in the random graphs of the first graph, which are drawn together, or later
        drawn.append(number)
        if len(drawn) == 70:
            os.kill(os.getpid(), signal.SIGINT)
        return draw(self, number)

    with monkeypatch.context() as patch:
        patch.setattr(RandomGraphs, "draw", stop_later)
        result = invoke(f"{command} --out part")
    assert result.exit_code == 128 + signal.SIGINT
    early = "partial: it ended early: the second graph has no random graphs"
    assert f"{early}; to go on: gomkcn {command} --out part --resume" in (
        " ".join(result.stdout.split())
    )
    # counts and differences are whole, and only random graphs are missing
    part, whole = (pd.read_csv(f"{name}/structures.csv") for name in ("part", "whole"))
    both = part.merge(whole, on="edges", suffixes=("", "_of_whole"))
    assert len(both) == len(part) > 20
    for name in ("count_first", "count_second", "share_second", "difference_z", "p_difference"):
        pd.testing.assert_series_equal(
            both[name], both[f"{name}_of_whole"], check_names=False, check_dtype=False
        )
    # those of the first graph are there
    assert "z_second" not in part.dropna(axis=1, how="all")
    pd.testing.assert_series_equal(both["z_first"], both["z_first_of_whole"], check_names=False)
    assert both["z_first"].notna().sum() > 20
    assert "no null model in common" not in result.stdout
    assert early in Path("part/comparison.html").read_text()
    # the rest follows: nothing that was kept is drawn again
    drawn.clear()
    with monkeypatch.context() as patch:
        patch.setattr(RandomGraphs, "draw", lambda self, k: drawn.append(k) or draw(self, k))
        said = gomkcn(f"{command} --out part --resume")
    assert len(drawn) == 60 and "partial" not in said
    for name in ("structures.csv", "roles.csv", "found.zip"):
        assert Path("part", name).read_bytes() == Path("whole", name).read_bytes()


def test_graphs_are_compared_without_random_graphs(graphs):
    said = gomkcn("compare small.txt large.txt --null none --quiet --out none")
    table = pd.read_csv("none/structures.csv")
    assert "z_first" not in table and table["difference_z"].notna().any()
    assert "structures differ in their share" in said or "differs surely" in said


@pytest.fixture
def many(folder):
    for seed in range(2):
        nx.write_graphml(nx.watts_strogatz_graph(40, 6, 0.1, seed=seed), f"ws {seed}.graphml")
        nx.write_graphml(nx.gnm_random_graph(40, 120, seed=seed), f"er {seed}.graphml")
    return folder


NAMES = ["er 0", "er 1", "ws 0", "ws 1"]
MANY = "compare 'er 0.graphml' 'er 1.graphml' 'ws 0.graphml' 'ws 1.graphml' --null-samples 20"


def test_many_graphs_give_distances_tables_and_a_heat_map(many):
    said = gomkcn(f"{MANY} --quiet --out many")
    assert said.startswith("Of 4 graphs, the nearest by GCD-11: ")
    assert "z is of 20 random graphs of each graph (degree, which keep the degree of" in said
    matrix = pd.read_csv("many/distances.csv", index_col=0)
    assert list(matrix) == list(matrix.index) == NAMES
    graphs = [gomkcn_package.read_graph(f"{name}.graphml") for name in NAMES]
    found = gomkcn_package.compare(dict(zip(NAMES, graphs, strict=True)), null_samples=20)
    np.testing.assert_array_equal(matrix, found.gcd)
    read = gomkcn_package.load("many")
    assert repr(read) == repr(found) and read.names == found.names
    np.testing.assert_array_equal(read.profile_distances, found.profile_distances)
    for table in ("pairs", "graphs", "profiles"):
        written = pd.read_csv(f"many/{table}.csv")
        expected = found.table(table).to_pandas()
        pd.testing.assert_frame_equal(
            written, expected, check_dtype=False, rtol=1e-12, check_exact=False
        )
    page = Path("many/comparison.html").read_text()
    assert page.count('<svg class="heat"') == 2 and "Heat map of the GCD-11 of 4 graphs" in page
    # letters have the colour of the page; the squares of each map are a picture in it
    assert "currentColor" in page and page.count("data:image/png") >= 2
    # but for the names of SVG nothing has an address
    assert set(re.findall(r"https?://[^/]*", page)) == {"http://www.w3.org"}
    for name in NAMES:
        assert f'<th scope="row">{name}</th>' in page
    assert gomkcn("report many").startswith("Of 4 graphs, ")
    assert Path("many/comparison.html").read_text() == page
    assert gomkcn(f"{MANY} --quiet").startswith("folder of this run: runs/er 0-3-others\n")


def test_a_page_without_seaborn_says_what_is_missing(many, monkeypatch):
    monkeypatch.setitem(sys.modules, "seaborn", None)
    gomkcn(f"{MANY} --null none --quiet --out many")
    page = Path("many/comparison.html").read_text()
    assert "a plot needs seaborn; pip install gomkcn-dgl[notebooks]." in page
    assert '<svg class="heat"' not in page


def test_one_file_of_a_collection_is_its_graphs(folder):
    smiles = {"ethanol": "CCO", "phenol": "c1ccccc1O", "isopentane": "CC(C)CC"}
    Path("few.smi").write_text("".join(f"{text} {name}\n" for name, text in smiles.items()))
    gomkcn("compare few.smi --quiet --out few")
    assert list(pd.read_csv("few/distances.csv", index_col=0)) == list(smiles)
    # molecules have no random graphs unless a model is named
    assert list(pd.read_csv("few/pairs.csv")) == ["first", "second", "gcd"]
    Path("one.txt").write_text("0 1\n1 2\n")
    said = "GRAPHS must be two or more, or one collection of them, got 1."
    assert refused("compare one.txt") == said


def test_files_of_one_name_are_told_apart(many):
    os.mkdir("old")
    graph = nx.gnm_random_graph(20, 50, seed=3)
    nx.write_edgelist(graph, "old/net.txt", data=False)
    nx.write_edgelist(graph, "net.txt", data=False)
    nx.write_graphml(graph, "net.graphml")

    def names(paths):
        gomkcn(f"compare {paths} --null none --quiet --force --out told")
        matrix = pd.read_csv("told/distances.csv", index_col=0)
        assert (matrix.to_numpy()[0, 1], list(matrix.index)) == (0, list(matrix))
        return list(matrix)

    assert names("net.txt net.graphml 'er 0.graphml'") == ["net.txt", "net.graphml", "er 0.graphml"]
    assert names("net.txt old/net.txt 'er 0.graphml'") == [
        "net.txt", "old/net.txt", "er 0.graphml",
    ]  # fmt: skip
    assert names("net.txt net.txt 'er 0.graphml'") == ["net", "net (2)", "er 0"]


def test_graphs_with_and_without_directions_are_refused(many):
    nx.write_graphml(nx.gnm_random_graph(20, 50, seed=0, directed=True), "arcs.graphml")
    command = "compare 'er 0.graphml' arcs.graphml 'ws 0.graphml' --null none --out mixed"
    assert refused(command) == (
        "GRAPHS must all have directions or none, got 'arcs' with and 'er 0' without; "
        "read them with --no-directed."
    )
    assert "Of 3 graphs" in gomkcn(f"{command} --no-directed --quiet")


def test_many_graphs_that_were_stopped_go_on(many, monkeypatch):
    command = f"{MANY} --quiet"
    gomkcn(f"{command} --out whole")
    drawn = []
    draw = RandomGraphs.draw

    def stop_later(self, number):
        drawn.append(number)
        if len(drawn) == 25:
            os.kill(os.getpid(), signal.SIGINT)
        return draw(self, number)

    with monkeypatch.context() as patch:
        patch.setattr(RandomGraphs, "draw", stop_later)
        result = invoke(f"{command} --out part")
    assert result.exit_code == 128 + signal.SIGINT
    said = " ".join(result.stdout.split())
    assert "partial: it ended early: " in said and "of 4 graphs have no profile; to go on" in said
    assert "no profile distance: time was up" in Path("part/graphs.csv").read_text()
    # the distances by orbits are whole
    first = Path("part/distances.csv").read_bytes()
    assert first == Path("whole/distances.csv").read_bytes()
    drawn.clear()
    with monkeypatch.context() as patch:
        patch.setattr(RandomGraphs, "draw", lambda self, k: drawn.append(k) or draw(self, k))
        assert "partial" not in gomkcn(f"{command} --out part --resume")
    # nothing that was kept is drawn again
    assert len(drawn) in (40, 60)
    for file in ("distances.csv", "pairs.csv", "graphs.csv", "profiles.csv", "found.zip"):
        assert Path("part", file).read_bytes() == Path("whole", file).read_bytes()


def test_two_processes_find_what_one_does(many):
    gomkcn(f"{MANY} --quiet --out one")
    gomkcn(f"{MANY} --quiet --out two --n-jobs 2")
    assert Path("one/found.zip").read_bytes() == Path("two/found.zip").read_bytes()


def test_settings_of_many_graphs_make_the_same(many):
    gomkcn(f"{MANY} --quiet --out one")
    gomkcn("compare --settings one/settings.toml --quiet --out two")
    assert Path("one/found.zip").read_bytes() == Path("two/found.zip").read_bytes()
