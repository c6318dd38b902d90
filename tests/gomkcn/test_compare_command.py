"""`gomkcn compare`: runs and graphs, in any pair; tables and a page."""

from pathlib import Path

import networkx as nx
import pandas as pd
import pytest
from command_line import gomkcn, refused

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def graphs(folder):
    nx.write_edgelist(nx.watts_strogatz_graph(40, 4, 0.1, seed=0), "small.txt", data=False)
    nx.write_edgelist(nx.watts_strogatz_graph(70, 4, 0.1, seed=1), "large.txt", data=False)
    return folder


def test_a_run_and_a_graph_are_compared(graphs):
    gomkcn("mine small.txt --out run --filters none --exact-copies --quiet")
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
    assert "both are runs; leave it out" in refused("compare run run --no-directed")
    assert refused("compare run") == "A and B must be given, here or in the settings file."
    assert "nothing.txt" in refused("compare run nothing.txt")
