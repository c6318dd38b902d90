"""Intensity, coherence and kinds beside permuted weights and categories: exact expectations."""

from functools import partial
from itertools import permutations
from math import prod

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining.counting.census import count_structures
from gomkcn.mining.patterns import permuted
from gomkcn.mining.patterns.annotations import Annotations
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.settings.miner_settings import MinerSettings
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.edge_weights import EdgeWeights
from gomkcn.mining.structures.pattern import NOT_SHOWN
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr

SAMPLES = 999


def mined(graph, **params):
    usual = {"pattern_size": 3, "filters": "none", "null_samples": SAMPLES, "random_state": 1}
    miner = PatternMiner(**{**usual, **params}).fit(graph)
    return {one.structure.to_text(): one for one in (*miner.patterns_, *miner.others_)}, miner


def expected_in_all_orders(graph, of):
    """Mean and standard deviation of a number over all orders of the weights of the edges."""
    edges = list(graph.edges)
    weights = [graph.edges[edge]["w"] for edge in edges]
    found = [of(dict(zip(edges, order, strict=True))) for order in permutations(weights)]
    return np.mean(found), np.std(found)


def test_means_beside_permuted_weights_are_those_of_all_orders():
    """Two cascades of three nodes, and a feed-forward loop beside them."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(
        [(0, 1, 1.0), (1, 2, 8.0), (3, 4, 2.0), (4, 5, 0.5), (3, 5, 30.0)], weight="w"
    )
    found, _ = mined(graph, weight="w", null="weights")
    triples = {
        "A->B, B->C": [[(0, 1), (1, 2)]],
        "A->B, A->C, B->C": [[(3, 4), (4, 5), (3, 5)]],
    }

    def intensity(sets, weights):
        return sum(prod(weights[edge] for edge in edges) ** (1 / len(edges)) for edges in sets)

    def coherence(sets, weights):
        parts = [
            intensity([edges], weights) / np.mean([weights[edge] for edge in edges])
            for edges in sets
        ]
        return np.mean(parts)

    here = {edge: graph.edges[edge]["w"] for edge in graph.edges}
    for text, sets in triples.items():
        for measure, of in (("intensity", intensity), ("coherence", coherence)):
            result = found[text].significance[f"weights {measure}"]
            mean, sd = expected_in_all_orders(graph, partial(of, sets))
            assert getattr(found[text].weighing, measure) == pytest.approx(of(sets, here))
            assert result.observed == pytest.approx(of(sets, here), rel=1e-9)
            assert abs(result.mean - mean) < 3 * sd / SAMPLES**0.5
            assert result.sd == pytest.approx(sd, rel=0.1)
            assert result.measure == measure and result.num_samples == SAMPLES


def test_equal_weights_tell_nothing():
    graph = nx.gnm_random_graph(20, 40, seed=0, directed=True)
    nx.set_edge_attributes(graph, 0.1, "w")
    found, _ = mined(graph, weight="w", null=("weights", "strength"), pattern_size=(3, 4))
    assert len(found) > 20
    for pattern in found.values():
        assert pattern.weighing.intensity == pytest.approx(0.1 * pattern.frequency.count)
        assert pattern.weighing.coherence == pytest.approx(1.0)
        assert len(pattern.significance) == 4
        for result in pattern.significance.values():
            assert (result.p_adjusted, result.z, result.verdict) == (1, None, NOT_SHOWN)


def test_edges_by_kinds_are_as_frequent_as_in_all_permutations():
    graph = nx.gnm_random_graph(40, 100, seed=2)
    rng = np.random.default_rng(0)
    nx.set_node_attributes(graph, {v: "abc"[rng.integers(3)] for v in graph}, "kind")
    csr = as_csr(graph, features=["kind"])
    found, _ = mined(csr, null="categories")
    number = {letter: sum(graph.nodes[v]["kind"] == letter for v in graph) for letter in "abc"}
    pairs = 40 * 39
    seen = 0
    for pattern in found.values():
        if pattern.num_nodes != 2 or not pattern.structure.categories:
            continue
        seen += 1
        first, second = (names[0][-1] for names in pattern.structure.categories)
        mean = 100 * number[first] * (number[second] - (first == second)) / pairs
        mean *= 1 if first == second else 2
        observed = sum(
            sorted(graph.nodes[v]["kind"] for v in edge) == sorted([first, second])
            for edge in graph.edges
        )
        result = pattern.significance["categories"]
        assert result.observed == pattern.frequency.count == observed
        assert abs(result.mean - mean) < 3.5 * result.sd / SAMPLES**0.5
    assert seen == 6


@pytest.mark.parametrize("directed", [False, True])
def test_counts_of_the_listing_are_those_of_a_census_of_each_permuted_graph(directed):
    graph = nx.gnm_random_graph(14, 40, seed=1, directed=directed)
    rng = np.random.default_rng(4)
    nx.set_node_attributes(graph, {v: "ab"[rng.integers(2)] for v in graph}, "kind")
    csr = as_csr(graph, features=["kind"])
    found, miner = mined(csr, null="categories", pattern_size=(3, 4), null_samples=19)
    census = count_structures(
        csr, range(3, 5), categories=Categories.find(csr.stored_features, csr.feature_names)
    )
    counted = {
        one.key: one.frequency.count
        for one in found.values()
        if one.num_nodes > 2 and one.structure.categories and one.frequency.count
    }
    assert counted == {one.key: number for one, number in census.items() if number}
    # what all kinds of a structure have together is the same in each permuted graph
    totals = {}
    for one in found.values():
        if "categories" in one.significance:
            key = one.structure.alone.key
            observed, mean = totals.get(key, (0, 0))
            result = one.significance["categories"]
            totals[key] = observed + result.observed, mean + result.mean
    assert totals
    for observed, mean in totals.values():
        assert observed == pytest.approx(mean)
    assert list(miner.null_models_) == ["categories"]


def test_within_groups_categories_stay_in_their_group():
    # two samples, each of one kind: within them nothing can change
    graph = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(5))
    graph.add_edge(0, 5)
    nx.set_node_attributes(graph, {v: "ab"[v // 5] for v in graph}, "kind")
    nx.set_node_attributes(graph, {v: f"s{v // 5}" for v in graph}, "sample")
    csr = as_csr(graph, features=["kind", "sample"])
    found, miner = mined(csr, null="categories", within="sample", null_samples=39)
    assert "within each group by 'sample'" in miner.null_models_["categories"]
    results = [one.significance["categories"] for one in found.values() if one.structure.categories]
    assert len(results) > 4
    assert {result.sd for result in results} == {0}
    # over both samples they mix, as the graph does not
    across, _ = mined(as_csr(graph, features=["kind"]), null="categories", null_samples=39)
    (mixed,) = (
        one
        for one in across.values()
        if one.num_nodes == 2 and len({*one.structure.categories}) == 2
    )
    assert mixed.significance["categories"].mean > 5 > mixed.frequency.count


def test_what_is_asked_for_with_no_use_or_no_column_is_refused():
    with pytest.raises(
        InputError, match="'weights' permutes.*got no column.*; name it with weight"
    ):
        MinerSettings(null="weights")
    with pytest.raises(InputError, match="within is for the null model 'categories', got 'lab'"):
        MinerSettings(within="lab")
    with pytest.raises(InputError, match="'categories' permutes the categories of nodes"):
        mined(nx.path_graph(4), null="categories")
    with pytest.raises(InputError, match="must be one of those in"):
        mined(nx.path_graph(4), weight="w")


def test_a_column_of_weights_adds_its_null_model_but_to_none():
    assert MinerSettings(weight="w").nulls == ("auto", "weights")
    assert MinerSettings(weight="w", null="degree").nulls == ("degree", "weights")
    assert MinerSettings(weight="w", null=("weights", "degree")).nulls == ("weights", "degree")
    assert MinerSettings(weight="w", null="none").nulls == ()
    assert MinerSettings(null="degree").nulls == ("degree",)


def weighted_graph(num_nodes=20):
    graph = nx.gnm_random_graph(num_nodes, 2 * num_nodes, seed=0)
    rng = np.random.default_rng(0)
    for edge in graph.edges:
        graph.edges[edge]["weight"] = float(rng.integers(1, 9))
    return graph


def test_without_a_null_model_structures_still_have_an_intensity():
    found, miner = mined(weighted_graph(), weight="weight", null=None, pattern_size=(3, 5))
    assert not miner.null_models_
    for pattern in found.values():
        assert (pattern.weighing is None) == (pattern.num_nodes > 4)
        assert not pattern.significance
    assert any("5 nodes have no intensity" in warning for warning in miner.warnings_)
    assert not any("not used" in note for note in miner.notes_)


def test_what_is_mined_beside_weights_does_not_depend_on_them():
    plain, _ = mined(weighted_graph(), null="degree", null_samples=19)
    graph = weighted_graph()
    found, miner = mined(graph, null="degree", weight="weight", null_samples=19)
    # intensities are a family, and so are coherences: two of twenty
    said = miner.random_graphs_
    assert "the smallest adjusted p is 0.05." in said["degree"]
    assert "the smallest adjusted p is 0.1." in said["weights coherence"]
    weighted = as_csr(graph, weight="weight")
    csr, _ = mined(weighted, null="degree", weight="weight", null_samples=19)
    for text, pattern in plain.items():
        for other in (found, csr):
            assert other[text].significance["degree"] == pattern.significance["degree"]
            assert list(other[text].significance) == [
                "degree", "weights intensity", "weights coherence",
            ]  # fmt: skip
        assert found[text].weighing == csr[text].weighing


def test_sizes_with_too_many_sets_are_left_out_and_it_is_said(monkeypatch):
    monkeypatch.setattr(permuted, "most_listed", lambda: 250)
    found, miner = mined(weighted_graph(), weight="weight", null="weights", pattern_size=(3, 4))
    assert all((one.weighing is None) == (one.num_nodes == 4) for one in found.values())
    (warning,) = miner.warnings_
    assert warning.startswith("Structures of 4 nodes are not compared with permuted weights: ")
    assert "at most 250 connected sets of 4 nodes" in warning
    assert "option or argument minimum" in warning


def test_one_relation_keeps_its_weights():
    """Of an edge of each kind that the other kind lacks, weights would differ a thousandfold."""
    graph = nx.MultiDiGraph()
    for number in range(12):
        graph.add_edge(3 * number, 3 * number + 1, kind="acts", w=1.0)
        graph.add_edge(3 * number + 1, 3 * number + 2, kind="stops", w=1000.0)
    csr = as_csr(graph, relation="kind", weight="none", directed=True)
    ends = csr.edges()
    values = np.where(ends[2] == csr.relations.names.index("acts"), 1.0, 1000.0)
    weights = EdgeWeights(*ends, np.ones(24, bool), values)
    miner = PatternMiner(
        pattern_size=3, filters="none", weight="w", null="weights", null_samples=19
    ).fit(csr, annotations=Annotations(weights))
    for pattern in (*miner.patterns_, *miner.others_):
        for result in pattern.significance.values():
            assert result.sd == 0
