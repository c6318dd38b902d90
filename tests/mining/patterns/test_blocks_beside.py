"""A mining run names the repeated blocks that are larger than a motif, where there are some."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from netlists import draw_block, draw_netlist

from gomkcn import PatternMiner, load
from gomkcn.mining.patterns import blocks_beside as beside
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.repeats import block_finding
from gomkcn.mining.show.notebook import _miner_html
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.terminal import format_run
from gomkcn_dgl.runtime.job import Interrupts, JobProgress
from gomkcn_dgl.runtime.steps import Steps


def _mine(graph, **parameters):
    usual = {"pattern_size": 3, "null_samples": 2, "filters": "none"}
    return PatternMiner(**{**usual, **parameters})


@pytest.fixture(scope="module")
def net():
    return draw_netlist(5, [(draw_block(np.random.default_rng(5), 16), 6)], 100)


@pytest.fixture(scope="module")
def miner(net):
    return _mine(net.graph).fit(net.graph)


@pytest.fixture(scope="module")
def run(miner, net):
    return MiningRun.of(miner, net.graph)


def _alike(a, b):
    return (
        a.num_random_graphs == b.num_random_graphs
        and a.notes == b.notes
        and a.table().to_pandas().equals(b.table().to_pandas())
        and a.table("places").to_pandas().equals(b.table("places").to_pandas())
    )


def test_a_planted_block_is_named_with_its_numbers(net, miner, run):
    block = miner.blocks_.called[0]
    planted = {frozenset(copy) for copy in net.truth[0].tolist()}
    assert {frozenset(copy) for copy in block.copies.tolist()} == planted
    assert block.p == pytest.approx(0.05) and miner.blocks_.num_random_graphs == 19
    said = f"16 nodes in 6 copies ({block.covered} edges)"
    text = " ".join(format_run(run).split())
    assert said in text and "gomkcn blocks lists" in text
    assert said in _miner_html(miner)
    page = render_report(run)
    assert '<h2 id="h-k">Repeated blocks</h2>' in page
    assert "Block 1: 16 nodes in 6 copies" in page


def test_no_block_is_as_small_as_a_motif(net, miner):
    assert min(block.num_nodes for block in miner.blocks_.blocks) >= beside.LEAST_NODES
    mined, rules, steps = _asked(net)
    # the block has 16 nodes
    larger = replace(rules, sizes=range(3, 17))
    assert beside.blocks_beside(mined, larger, steps) is None


def test_saved_and_loaded_they_are_the_same(miner, run, tmp_path):
    miner.save(tmp_path / "net.miner")
    assert _alike(PatternMiner.load(tmp_path / "net.miner").blocks_, miner.blocks_)
    run.save(tmp_path / "run")
    again = load(tmp_path / "run")
    assert _alike(again.blocks, run.blocks)
    assert render_report(again) == (tmp_path / "run" / "report.html").read_text()


def _searches(monkeypatch):
    """The sizes of the blocks of each graph that is searched."""
    sizes = []
    search = block_finding.search_blocks

    def counted(*args, **more):
        found = search(*args, **more)
        sizes.append([len(block.kinds) for block in found])
        return found

    monkeypatch.setattr(block_finding, "search_blocks", counted)
    return sizes


@pytest.mark.parametrize(
    ("graph", "number"),
    [
        (nx.disjoint_union_all([nx.ladder_graph(6)] * 5), 0),
        ([nx.path_graph(20, nx.DiGraph)] * 5, 0),
        (nx.gnp_random_graph(60, 0.03, seed=1, directed=True), 1),
    ],
    ids=["plain", "collection", "without"],
)
def test_a_graph_without_kinds_is_not_searched_and_one_without_blocks_once(
    monkeypatch, graph, number
):
    sizes = _searches(monkeypatch)
    miner = _mine(graph).fit(graph)
    assert miner.blocks_ is None and len(sizes) == number
    page = render_report(MiningRun.of(miner, graph))
    assert "Repeated blocks" not in page


def test_without_random_graphs_nothing_is_searched(monkeypatch, net):
    sizes = _searches(monkeypatch)
    assert _mine(net.graph, null=None).fit(net.graph).blocks_ is None
    assert not sizes


def test_what_is_no_more_than_chance_is_not_named(monkeypatch, net):
    # all random graphs are the graph itself
    monkeypatch.setattr(block_finding.RandomGraphs, "draw", lambda random, at: random.graph)
    sizes = _searches(monkeypatch)
    assert beside.blocks_beside(*_asked(net)) is None
    # the graph, and the first random graphs
    assert 1 < len(sizes) <= 3


def _asked(net, steps=None):
    miner = _mine(net.graph)
    mined = beside.MinedGraph.of(net.graph)
    return mined, miner.choice_rules(net.graph), steps or Steps(progress=JobProgress())


def test_a_large_graph_is_left_to_the_command(monkeypatch, net):
    monkeypatch.setattr(beside, "MOST_EDGES", 50)
    sizes = _searches(monkeypatch)
    miner = _mine(net.graph).fit(net.graph)
    assert not sizes and not miner.blocks_.blocks
    page = render_report(MiningRun.of(miner, net.graph))
    assert "in more than 50 edges; gomkcn blocks does it." in page
    assert "h-k" not in page


def test_the_seconds_that_ended_it_are_said(monkeypatch, net):
    monkeypatch.setattr(beside, "SECONDS", 1e-9)
    asked = _asked(net)
    found = beside.blocks_beside(*asked)
    assert found.blocks and not found.num_random_graphs and not found.called
    assert found.notes[-1].endswith("gomkcn blocks searches for longer")
    # the run itself is whole
    assert not asked[2].is_partial


def test_a_search_of_too_many_steps_ends_and_draws_no_random_graph(monkeypatch, net):
    monkeypatch.setattr(beside, "MOST_STEPS", 20)
    sizes = _searches(monkeypatch)
    miner = _mine(net.graph).fit(net.graph)
    assert len(sizes) == 1 and not miner.blocks_.called and not miner.is_partial_
    run = MiningRun.of(miner, net.graph)
    assert "ended the search: there may be more blocks" in render_report(run)
    assert "epeated block" not in format_run(run)


def test_the_time_limit_of_the_run_is_kept(monkeypatch, net):
    sizes = _searches(monkeypatch)
    steps = Steps(interrupts=Interrupts(1e-9))
    miner = _mine(net.graph).fit(net.graph, steps=steps)
    assert miner.is_partial_ and miner.blocks_ is None and not sizes


def test_time_that_is_up_in_the_search_ends_it_and_the_run_says_so(monkeypatch, net):
    steps = Steps(interrupts=Interrupts(1e6))
    asked = _asked(net, steps)
    search = block_finding.search_blocks

    def last(*args, **more):
        found = search(*args, **more)
        steps.interrupts._deadline = 0.0
        return found

    monkeypatch.setattr(block_finding, "search_blocks", last)
    assert beside.blocks_beside(*asked) is None
    assert steps.is_partial
