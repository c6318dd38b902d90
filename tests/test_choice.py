"""What is reported: a whole census beside random graphs, and larger structures without verdicts."""

import logging

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining import MiningRun, PatternMiner, choice
from mining.counting.structure_counts import count_structures
from mining.html.report import render_report
from mining.html.tables import format_run
from mining.random_graphs import RandomGraphs, null_model
from synthetic import MOTIFS, plant_motifs

OPTIONS = {"num_epochs": 0, "null_samples": 99, "random_state": 1}
CLIQUE = Structure.parse("clique-4").key


def with_cliques(seed=0, copies=6):
    graph = nx.gnm_random_graph(150, 400, seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(copies):
        graph.add_edges_from(nx.complete_graph(rng.choice(150, 4, replace=False)).edges)
    return as_csr(graph)


@pytest.fixture(scope="module")
def mined():
    graph = with_cliques()
    return graph, PatternMiner(3, "3-6", **OPTIONS).fit(graph)


def test_every_structure_of_the_census_is_there_with_its_count(mined):
    graph, miner = mined
    found = {one.key: one for one in (*miner.patterns_, *miner.others_)}
    for structure, count in count_structures(graph, range(3, 6)).items():
        if count:
            assert found[structure.key].frequency.occurrences.value == count
            assert found[structure.key].frequency.occurrences.is_exact


def test_what_is_called_comes_first_and_the_rest_is_not_compared(mined):
    _, miner = mined
    called = [one for one in miner.patterns_ if one.significance]
    assert miner.patterns_[: len(called)] == called
    assert all(one.significance["degree"].p_adjusted <= 0.05 for one in called)
    distances = [abs(one.significance["degree"].z) for one in called]
    assert distances == sorted(distances, reverse=True)
    assert CLIQUE in {one.key for one in called}
    larger = miner.patterns_[len(called) :]
    assert 0 < len(larger) <= 3 and {one.num_nodes for one in larger} == {6}
    # all that was compared and not called is beside the patterns
    assert all(
        one.significance["degree"].p_adjusted > 0.05 for one in miner.others_ if one.significance
    )
    assert miner.null_models_ == {"degree": "the degree of each node"}


def test_printed_numbers_are_those_of_the_drawn_counts(mined):
    _, miner = mined
    clique = next(one for one in miner.patterns_ if one.key == CLIQUE)
    # nothing that is drawn depends on the numbers of the nodes
    from gomkcn_dgl.node_order import NodeOrder

    drawn = RandomGraphs(null_model("degree", mined[0]), NodeOrder.of(mined[0]).graph, 1)
    counts = []
    for number in range(99):
        census = count_structures(drawn.draw(number), range(4, 5))
        counts.append(next(v for k, v in census.items() if k.key == CLIQUE))
    judged = clique.significance["degree"]
    assert judged.observed == clique.frequency.count
    assert judged.mean == pytest.approx(np.mean(counts))
    assert judged.sd == pytest.approx(np.std(counts, ddof=1))
    assert judged.largest == max(counts)
    assert judged.num_samples == 99


def test_counts_beyond_64_bits_are_compared_exactly():
    # NumPy makes doubles of numbers on both sides of 2^63, which are all alike
    star, path = Structure.parse("star-4"), Structure.parse("path-4")
    drawn = [{star: 2**63 + number, path: 2} for number in (1, 2, 3, 4)]
    found = choice.compare_censuses("degree", [{star: 2**63 + 5, path: 1}, *drawn])
    assert found[star].sd == pytest.approx(np.std([1, 2, 3, 4], ddof=1))
    assert found[star].z == pytest.approx(2.5 / np.std([1, 2, 3, 4], ddof=1))


def test_sizes_that_take_long_are_counted_and_said(monkeypatch):
    graph = with_cliques()
    steps = choice.census_steps(graph, range(3, 5)) * 100 + 100 * 25 * 10 * graph.num_edges
    monkeypatch.setattr(choice, "_MOST_STEPS", 1.2 * steps)
    miner = PatternMiner(3, "3-5", **OPTIONS).fit(graph)
    found = [*miner.patterns_, *miner.others_]
    assert {one.num_nodes for one in found if one.significance} == {3, 4}
    assert len([one for one in found if one.num_nodes == 5]) > 10
    (said,) = miner.warnings_
    assert said.startswith("Structures of 5 nodes are not compared with random graphs, which would")
    assert said.endswith("of one thread: --null degree does it.")
    # a null model that is named is compared at all sizes
    miner = PatternMiner(3, "3-5", null="degree", **OPTIONS).fit(graph)
    assert {one.num_nodes for one in miner.patterns_ if one.significance} == {3, 4, 5}
    assert not miner.warnings_


def test_structures_that_only_random_graphs_hold_are_called_less_frequent():
    # no three of these steps lead back, and there are odd cycles
    without = as_csr(nx.circulant_graph(60, [1, 10, 18]))
    miner = PatternMiner(1, "3-4", **OPTIONS).fit(without)
    found = next(one for one in miner.patterns_ if one.key == Structure.parse("triangle").key)
    assert found.frequency.count == 0 and not len(found.occurrences)
    judged = found.significance["degree"]
    assert (judged.verdict, judged.observed) == ("less frequent", 0)


def test_without_random_graphs_the_search_decides():
    graph = with_cliques()
    miner = PatternMiner(4, "3-5", null=None, **OPTIONS).fit(graph)
    assert len(miner.patterns_) == 4 and not miner.null_models_
    assert not any(one.significance for one in (*miner.patterns_, *miner.others_))
    counted = {one.key for one in (*miner.patterns_, *miner.others_)}
    census = count_structures(graph, range(3, 6))
    assert counted >= {one.key for one, count in census.items() if count}


def test_where_nothing_differs_the_page_says_so_and_lists_what_was_counted():
    graph = as_csr(nx.gnm_random_graph(60, 120, seed=1))
    miner = PatternMiner(3, "3-4", **OPTIONS).fit(graph)
    assert not miner.patterns_ and len(miner.others_) > 5
    run = MiningRun.of(miner, graph)
    said = f"{len(run.others)} structures were counted, and none differs from random graphs"
    page = render_report(run)
    assert said in format_run(run) and said in page
    assert "<details open><summary>What else was counted" in page


def test_too_few_random_graphs_say_nothing(caplog):
    from gomkcn_dgl.runtime.job import TIME_LIMIT, Interrupts
    from gomkcn_dgl.runtime.steps import Steps

    class Late(Interrupts):
        reason = TIME_LIMIT

    caplog.set_level(logging.WARNING, "gomkcn_dgl")
    steps = Steps(interrupts=Late(None))
    miner = PatternMiner(3, "3-4", **OPTIONS).fit(with_cliques(), steps=steps)
    assert miner.is_partial_ and not miner.null_models_
    assert "time was up before null model degree had enough random graphs" in caplog.text
    assert len(miner.patterns_) == 3


def test_a_null_model_of_ones_own(mined):
    def shuffled(graph, seed):
        """the number of edges"""
        return nx.gnm_random_graph(graph.num_nodes, graph.num_edges, seed=seed)

    miner = PatternMiner(1, "3-4", null=shuffled, **OPTIONS).fit(with_cliques())
    assert miner.null_models_ == {"shuffled": "the number of edges"}
    assert miner.patterns_[0].significance["shuffled"].num_samples == 99


def test_motifs_come_before_what_hangs_on_them():
    rng = np.random.default_rng(3)
    edges = np.stack([np.arange(1, 400), rng.integers(0, np.arange(1, 400))], axis=1)
    truth = plant_motifs(edges, 400, {"wheel": 8, "crown": 8}, features="constant", seed=3)
    miner = PatternMiner(6, "3-7", **OPTIONS).fit(truth.to_csr())
    larger = [one for one in miner.patterns_ if not one.significance]
    motifs = {MOTIFS[name].key for name in ("wheel", "crown")}
    assert motifs == {one.key for one in larger[:2]}
    hangs = [bool((one.structure.joined.sum(axis=1) == 1).any()) for one in larger]
    assert hangs == sorted(hangs)
