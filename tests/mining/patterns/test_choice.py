"""What is reported: a whole census beside random graphs, and larger structures without verdicts."""

import logging
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining import MiningRun, PatternMiner
from gomkcn.mining.counting import census_formulas
from gomkcn.mining.counting.census import CensusTable, count_structures
from gomkcn.mining.counting.pattern_counts import bag_of_patterns
from gomkcn.mining.patterns import choice, random_censuses
from gomkcn.mining.patterns.frequent_candidates import patterns_of_subgraphs
from gomkcn.mining.show.terminal import format_run
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn.mining.structures.graph_relations import joined_relations
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import (
    LESS,
    MORE,
    NOT_SHOWN,
    NullComparison,
    Pattern,
    in_order,
)
from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import Interrupts, JobProgress
from gomkcn_dgl.runtime.steps import Steps

OPTIONS = {"null_samples": 99, "random_state": 1}
CLIQUE = Structure.parse("clique-4").key


def with_cliques(seed=0, copies=6):
    graph = nx.gnm_random_graph(150, 400, seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(copies):
        graph.add_edges_from(nx.complete_graph(rng.choice(150, 4, replace=False)).edges)
    return as_csr(graph)


@pytest.fixture(scope="module")
def mined():
    graph = with_cliques(copies=10)
    return graph, PatternMiner(pattern_size="3-6", given=["ring-6"], **OPTIONS).fit(graph)


def test_every_structure_of_the_census_is_there_with_its_count(mined):
    graph, miner = mined
    found = {one.key: one for one in (*miner.patterns_, *miner.others_)}
    for structure, count in count_structures(graph, range(3, 6)).items():
        if count:
            assert found[structure.key].frequency.occurrences.value == count
            assert found[structure.key].frequency.occurrences.is_exact


def test_the_bar_counts_random_graphs_and_not_how_many_are_counted_together():
    begun = {}

    class Bar(JobProgress):
        def begin(self, stage, total=None, is_steady=True):
            self.stage = stage
            begun[stage] = [total, 0]

        def move(self, count, said=""):
            begun[self.stage][1] += count

    mined = MinedGraph.of(nx.gnm_random_graph(30, 60, seed=1))
    rules = PatternMiner(pattern_size=3, null_samples=101).choice_rules(mined.graph)
    choice.compare_structures(mined, rules, Steps(progress=Bar()))
    assert begun["counting in random graphs (degree)"] == [101, 101]


def test_the_set_comes_first_then_what_is_called_then_what_was_given(mined):
    _, miner = mined
    motifs = list(miner.motif_set_)
    assert motifs and miner.patterns_[: len(motifs)] == motifs
    *called, given = miner.patterns_[len(motifs) :]
    assert all(one.significance["degree"].p_adjusted <= 0.05 for one in called)
    assert called and called == in_order(called, "degree")
    assert miner.others_ == in_order(miner.others_, "degree")
    assert CLIQUE in {one.key for one in (*motifs, *called)}
    # what was chosen in this graph alone is counted, and not compared
    assert (given.key, given.sources) == (Structure.parse("ring-6").key, ("given",))
    assert given.frequency.count > 0
    for one in miner.patterns_:
        assert bool(one.significance) == (one.num_nodes < 6)
    # all that was compared and not called is beside the patterns
    assert all(one.significance["degree"].p_adjusted > 0.05 for one in miner.others_)
    assert miner.null_models_ == {"degree": "the degree of each node"}
    assert [one.id for one in miner.patterns_] == list(range(len(miner.patterns_)))


def test_what_was_given_comes_after_the_motif_set():
    options = {"given": ["ring-6"], "null": None, "filters": "none"}
    miner = PatternMiner("6-6", **options).fit(with_cliques())
    number = len(miner.motif_set_)
    assert all(one.motif is not None for one in miner.patterns_[:number])
    (given,) = miner.patterns_[number:]
    assert (given.key, given.sources) == (Structure.parse("ring-6").key, ("given",))
    every = {one.key for one in (*miner.patterns_, *miner.others_)}
    assert len(every) == len(miner.patterns_) + len(miner.others_)


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


@pytest.fixture(scope="module")
def signed():
    """A signed graph with feed-forward loops, whose signs say nothing, and some of one type."""
    rng = np.random.default_rng(3)
    pairs = [(u, v) for u, v in rng.integers(0, 120, (260, 2)).tolist() if u != v]
    edges = {pair: str(rng.choice(["acts", "stops"])) for pair in pairs}
    for number, (a, b, c) in enumerate(rng.permutation(120).reshape(-1, 3).tolist()):
        for pair in ((a, b), (a, c), (b, c)):
            edges[pair] = "acts" if number < 20 else str(rng.choice(["acts", "stops"]))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(120))
    graph.add_edges_from((u, v, {"sign": sign}) for (u, v), sign in edges.items())
    csr = as_csr(graph, relation="sign")
    return csr, PatternMiner(pattern_size=3, filters="none", **OPTIONS).fit(csr)


def test_a_structure_is_compared_alone_and_with_the_types_of_its_edges(signed):
    graph, miner = signed
    found = {one.key: one for one in (*miner.patterns_, *miner.others_)}
    # 1. alone: counts are those of the graph without relations
    totals = count_structures(joined_relations(graph), range(3, 4))
    for structure, count in totals.items():
        assert not count or found[structure.key].frequency.occurrences.value == count
    loop = found[Structure.parse("a->b, a->c, b->c").key]
    every = [one for one in found.values() if one.structure.alone.key == loop.key]
    typed = [one for one in every if one is not loop]
    assert loop.frequency.occurrences.value == sum(one.frequency.occurrences.value for one in typed)
    assert loop.significance["degree"].verdict == MORE
    # 2. with types: the type that was planted
    planted = found[Structure.parse("a-[acts]->b, a-[acts]->c, b-[acts]->c").key]
    assert planted.significance["degree"].verdict == MORE
    # 3. two families of one size: the smallest p is that of one, twice
    smallest = min(one.significance["degree"].p_adjusted for one in found.values())
    assert smallest == pytest.approx(2 / 100)


def test_the_first_answer_is_said_before_the_search(caplog):
    caplog.set_level(logging.INFO)
    PatternMiner(pattern_size="3-4", filters="none", **OPTIONS).fit(with_cliques(copies=10))
    said = [record.getMessage() for record in caplog.records]
    (first,) = [k for k, one in enumerate(said) if "compared with 99 random graphs" in one]
    # fewer nodes first
    assert "8 structures" in said[first] and "first triangle " in said[first]
    assert "clique of 4 nodes 10 (" in said[first]
    # the motif set is said as soon as it is found, before larger structures are counted
    (second,) = [k for k, one in enumerate(said) if "shortens the description of the graph" in one]
    assert first < second


def test_every_null_model_has_a_verdict_on_every_structure():
    # a matching with one star: its degrees leave no triangle, which other graphs as dense have
    graph = nx.disjoint_union(nx.star_graph(30), nx.from_edgelist([(0, 1), (2, 3), (4, 5)]))
    nulls = ("degree", "erdos-renyi")
    miner = PatternMiner(null=nulls, pattern_size=3, filters="none", **OPTIONS).fit(as_csr(graph))
    (ring,) = [one for one in miner.others_ if one.structure.key == Structure.parse("triangle").key]
    assert [*ring.significance] == [*nulls]
    first, second = ring.significance.values()
    assert (first.mean, first.largest, first.p_adjusted, first.verdict) == (0, 0, 1, NOT_SHOWN)
    assert second.largest > 0
    assert not ring.is_called


def test_the_first_answer_counts_in_words():
    wedge = Structure.parse("path-3")
    result = NullComparison("degree", 99, 5.0, 1.0, 1.0, 2.0, 4.0, 0.01, 0.02, MORE)
    pattern = Pattern(wedge, significance={"degree": result})
    said = str(choice.ComparedStructures({wedge.key: pattern}, {"degree": ""}, {}, ()))
    assert said.startswith("1 structure compared with 99 random graphs: 1 over-represented, 0")


def test_structures_alone_come_first_with_their_places(signed):
    graph, miner = signed
    called = [one for one in miner.patterns_ if one.motif is None]
    places = [
        (one.significance["degree"].verdict == LESS, one.structure.alone is not one.structure)
        for one in called
    ]
    assert places == sorted(places) and len({is_typed for _, is_typed in places}) == 2
    loop = next(one for one in called if one.key == Structure.parse("a->b, a->c, b->c").key)
    assert len(loop.occurrences) == loop.frequency.occurrences.value
    # counted again, in the graph with its relations
    counts = bag_of_patterns(miner.patterns_, graph)
    assert counts[0].tolist() == [one.frequency.occurrences.value for one in miner.patterns_]


def test_counts_beyond_64_bits_are_compared_exactly():
    # NumPy makes doubles of numbers on both sides of 2^63, which are all alike
    star, path = Structure.parse("star-4"), Structure.parse("path-4")
    drawn = [{star: 2**63 + number, path: 2} for number in (1, 2, 3, 4)]
    censuses = CensusTable.of({star: 2**63 + 5, path: 1}, *drawn)
    found = random_censuses.compare_censuses("degree", censuses)
    assert found[star].sd == pytest.approx(np.std([1, 2, 3, 4], ddof=1))
    assert found[star].z == pytest.approx(2.5 / np.std([1, 2, 3, 4], ddof=1))


def choose(mined, seen, rules):
    compared = choice.compare_structures(mined, rules, Steps())
    return choice.choose_patterns(mined, compared, [], seen, rules, Steps())


def chosen(graph, steps=None, seen=(), **options):
    """What is reported of a graph without a motif set; options are those of a miner."""
    rules = PatternMiner(**OPTIONS, **options).choice_rules(graph)
    if steps is not None:
        rules = replace(rules, most_steps=steps)
    return choose(MinedGraph.of(graph), seen, rules)


def test_sizes_that_take_long_are_counted_and_said():
    graph = with_cliques()
    steps = choice.census_steps(graph, range(3, 5)) * 100 + 100 * 25 * 10 * graph.num_edges
    made = chosen(graph, 1.2 * steps, pattern_size="3-5")
    found = [*made.patterns, *made.others]
    assert {one.num_nodes for one in found if one.significance} == {3, 4}
    assert len([one for one in found if one.num_nodes == 5]) > 10
    (said,) = made.warnings
    assert said.startswith("Structures of 5 nodes are not compared with random graphs, which would")
    assert said.endswith("of one thread; a null model that is named does it.")
    # a null model that is named is compared at all sizes
    made = chosen(graph, 1.2 * steps, pattern_size="3-5", null="degree")
    found = [*made.patterns, *made.others]
    assert {one.num_nodes for one in found if one.significance} == {3, 4, 5}
    assert not made.warnings


def test_random_graphs_of_every_null_model_take_time():
    mined = MinedGraph.of(with_cliques())
    models = [null_model(name, mined.graph) for name in ("degree", "erdos-renyi")]
    rules = PatternMiner(pattern_size="3-4", null_samples=99).choice_rules(mined.graph)
    steps = choice.census_steps(mined.graph, range(3, 5)) * 100 + 99 * 250 * mined.graph.num_edges
    rules = replace(rules, most_steps=1.2 * steps)
    compared = [
        choice._sizes_to_compare(mined, models[:number], rules).compared for number in (1, 2)
    ]
    assert 4 in compared[0] and 4 not in compared[1]


def test_the_first_null_model_alone_decides_what_is_called():
    verdicts = {
        null: NullComparison(null, 99, 9, 9, 1, 9, 0.0, 1, 1, verdict)
        for null, verdict in (("degree", NOT_SHOWN), ("erdos-renyi", MORE))
    }
    assert not Pattern(Structure.parse("triangle"), significance=verdicts).is_called


def test_structures_that_only_random_graphs_hold_are_called_less_frequent():
    # no three of these steps lead back, and there are odd cycles
    without = as_csr(nx.circulant_graph(60, [1, 10, 18]))
    miner = PatternMiner(pattern_size="3-4", **OPTIONS).fit(without)
    found = next(one for one in miner.patterns_ if one.key == Structure.parse("triangle").key)
    assert found.frequency.count == 0 and not len(found.occurrences)
    judged = found.significance["degree"]
    assert (judged.verdict, judged.observed) == ("less frequent", 0)


def test_without_random_graphs_the_set_is_all_that_is_reported():
    graph = with_cliques()
    miner = PatternMiner(pattern_size="3-5", null=None, **OPTIONS).fit(graph)
    assert miner.patterns_ == list(miner.motif_set_) and not miner.null_models_
    assert not any(one.significance for one in (*miner.patterns_, *miner.others_))
    counted = {one.key for one in (*miner.patterns_, *miner.others_)}
    census = count_structures(graph, range(3, 6))
    assert counted >= {one.key for one, count in census.items() if count}


def test_where_nothing_differs_nothing_is_reported_and_all_is_counted():
    graph = as_csr(nx.gnm_random_graph(60, 120, seed=1))
    miner = PatternMiner(pattern_size="3-4", **OPTIONS).fit(graph)
    assert not miner.patterns_ and len(miner.others_) > 5
    assert "No set of motifs shortens" in format_run(MiningRun.of(miner, graph))


def test_too_few_random_graphs_say_nothing(caplog):
    from gomkcn_dgl.runtime.job import TIME_LIMIT, Interrupts
    from gomkcn_dgl.runtime.steps import Steps

    class Late(Interrupts):
        reason = TIME_LIMIT

    caplog.set_level(logging.WARNING, "gomkcn_dgl")
    steps = Steps(interrupts=Late(None))
    miner = PatternMiner(pattern_size="3-4", **OPTIONS).fit(with_cliques(), steps=steps)
    assert miner.is_partial_ and not miner.null_models_
    assert "time was up before null model degree had enough random graphs" in caplog.text
    assert miner.patterns_ == list(miner.motif_set_)
    # nor was the search of the set at its end
    assert not miner.motif_set_.complete and miner.motif_set_.cut.endswith(".")


def test_a_null_model_of_ones_own(mined):
    def shuffled(graph, seed):
        """the number of edges"""
        return nx.gnm_random_graph(graph.num_nodes, graph.num_edges, seed=seed)

    miner = PatternMiner(pattern_size="3-4", null=shuffled, **OPTIONS).fit(with_cliques())
    assert miner.null_models_ == {"shuffled": "the number of edges"}
    compared = [one for one in (*miner.patterns_, *miner.others_) if one.significance]
    assert compared and {one.significance["shuffled"].num_samples for one in compared} == {99}


def test_of_what_sources_have_shown_the_most_frequent_are_reported():
    mined = MinedGraph.of([nx.cycle_graph(5), nx.star_graph(4)] * 3)
    rules = PatternMiner("3-4", null=None).choice_rules(mined.graph)
    seen = patterns_of_subgraphs(mined, rules.sizes, Steps())
    made = choose(mined, seen, replace(rules, most_seen=1))
    shown = made.patterns
    others = [one for one in made.others if "frequent" in one.sources]
    assert len(shown) == 1 and others
    assert shown[0].frequency.count >= max(one.frequency.count for one in others)


def test_a_graph_without_connected_structures_of_the_sizes_says_so():
    kinds = csr_from_edges(
        np.array([0, 2]), np.array([1, 3]), 4,
        directed=[True] * 2, relation=np.array([0, 1]), relation_names=["likes", "knows"],
    )  # fmt: skip
    pairs = [nx.path_graph(2)] * 3
    for graph, sizes, head in (
        (kinds, "3 to 4", "The graph has"),
        (nx.disjoint_union_all(pairs), "3 to 5", "The graph has"),
        (pairs, "3 to 5", "The graphs have"),
    ):
        for null in (None, "degree", "erdos-renyi"):
            miner = PatternMiner(null=null, null_samples=99, filters="none").fit(graph)
            assert f"{head} no connected structure of {sizes} nodes." in miner.warnings_
            assert not any(one.num_nodes > 2 for one in miner.patterns_)


def test_what_cannot_be_counted_is_said_and_the_rest_is_compared(monkeypatch):
    graph = with_cliques()
    monkeypatch.setattr(census_formulas, "total_memory", lambda: 2)
    miner = PatternMiner(pattern_size="3-5", null="degree", **OPTIONS).fit(graph)
    found = [*miner.patterns_, *miner.others_]
    assert {one.num_nodes for one in found if one.significance} == {3}
    (said,) = miner.warnings_
    start = "Structures of 4 to 5 nodes are not counted: graph must have fewer triangles"
    assert said.startswith(start)


def test_sizes_that_are_not_counted_in_time_are_left_out():
    mined = MinedGraph.of(with_cliques())
    rules = PatternMiner(pattern_size="3-5", null_samples=99).choice_rules(mined.graph)
    late = Steps(interrupts=Interrupts(time_limit=1e-9))
    # without a grace, and with one in which all is counted
    for grace, sizes in ((0, set()), (1e9, {3, 4, 5})):
        with_grace = replace(rules, late_steps=grace)
        compared = choice.compare_structures(mined, with_grace, late)
        assert {one.num_nodes for one in compared.patterns.values()} == sizes
        said = ("Structures of 3 to 5 nodes are not counted: the count ended early.",)
        assert (compared.warnings, compared.null_models) == (() if sizes else said, {})
