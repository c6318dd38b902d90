"""`gomkcn compare`: runs and graphs, in any pair; tables and a page."""

import os
import signal
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest
from command_line import gomkcn, invoke, refused

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
    assert refused("compare run") == "A and B must be given, here or in the settings file."
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
