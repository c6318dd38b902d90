"""Counts at the tops of occurrences, for graphs of any size, beside exact ones."""

import networkx as nx
import numpy as np
import pytest
from test_exact_counts_of_links import random_graph
from test_occurrence_counts import connected_part

from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.counting import degree_strata, occurrence_counts, top_sampler
from mining.counting.degree_strata import DegreeStrata
from mining.counting.exact_counts import count_exact
from mining.counting.occurrence_lists import list_places
from mining.counting.top_sampler import TopSampler, estimate_from_tops, list_from_tops
from mining.null_models import small_graphs
from synthetic import MOTIFS, barabasi_albert

SHAPES = {
    "path": nx.path_graph(4),
    "star": nx.star_graph(3),
    "tailed triangle": nx.lollipop_graph(3, 2),
    "square": nx.cycle_graph(4),
    "clique": nx.complete_graph(4),
    "edge": nx.path_graph(2),
}


def attachment(num_nodes=400, per_node=3, seed=0):
    edges = barabasi_albert(num_nodes, per_node, seed=seed)
    return as_csr(nx.from_edgelist(edges.tolist()))


def structure(name):
    return Structure.from_networkx(SHAPES[name])


def brute_force(graph, pattern, colors):
    """Occurrences by the node with most neighbours, of equals that with the largest number."""
    count = np.zeros(graph.num_nodes, int)
    places, complete = list_places(graph, pattern, colors, most=10**6)
    assert complete
    rank = np.lexsort((np.arange(graph.num_nodes), graph.degrees)).argsort()
    for place in places:
        count[place[rank[place].argmax()]] += 1
    return count


@pytest.mark.parametrize("with_colors", [False, True])
def test_each_occurrence_is_counted_at_its_top(with_colors):
    """Directions, types and colours included."""
    rng = np.random.default_rng(int(with_colors))
    for _ in range(12):
        graph, kinds = random_graph(rng, 14, int(rng.integers(20, 60)))
        pattern, order = connected_part(rng, graph, int(rng.integers(2, 6)))
        colors = (kinds[order], kinds) if with_colors else None
        sampler = TopSampler.of(graph, pattern, colors, 0)
        at_tops = brute_force(graph, pattern, colors)
        assert at_tops.sum() > 0
        for number in range(len(sampler.strata.sizes)):
            tops = sampler.look(number, 100, effort=6)
            np.testing.assert_allclose(tops.values, at_tops[tops.roots])
            assert not tops.variances.any()
            if number < sampler.least_class:
                assert not tops.values.any()


@pytest.mark.parametrize("name", SHAPES)
def test_what_can_be_searched_is_exact(name):
    graph = attachment(60, 2)
    truth = count_exact(graph, structure(name)).count
    found = estimate_from_tops(TopSampler.of(graph, structure(name), None, 0), error=1e-9)
    assert (found.value, found.is_exact) == (truth, True)


@pytest.mark.parametrize("name", ["path", "star", "tailed triangle", "square"])
def test_parts_of_a_search_are_unbiased(name, monkeypatch):
    """A search that may take few steps takes random candidates in place of all."""
    monkeypatch.setattr(top_sampler, "_STEPS_OF_A_ROOT", 64)
    graph, values, errors = attachment(200, 2), [], []
    truth = brute_force(graph, structure(name), None)
    for seed in range(40):
        sampler = TopSampler.of(graph, structure(name), None, seed)
        number = len(sampler.strata.sizes) - 1
        tops = sampler.look(number, 100, effort=0)
        assert tops.variances.any()
        values.append(tops.values.sum())
        errors.append(tops.variances.sum())
        expected = truth[tops.roots].sum()
    error = np.std(values, ddof=1) / 40**0.5
    assert abs(np.mean(values) - expected) < 4 * error
    # the variance that it says is that which it has, within a factor
    assert 0.4 < np.mean(errors) / np.var(values, ddof=1) < 2.5


def test_intervals_hold_the_truth(monkeypatch):
    """Of small samples of the nodes."""
    monkeypatch.setattr(top_sampler, "_FIRST_ROOTS", 40)
    monkeypatch.setattr(top_sampler, "_STEPS_OF_A_ROOT", 256)
    inside = dict.fromkeys(("path", "tailed triangle", "square", "star"), 0)
    for seed in range(50):
        graph = attachment(600, 3, seed)
        for name in inside:
            truth = count_exact(graph, structure(name)).count
            found = estimate_from_tops(
                TopSampler.of(graph, structure(name), None, seed), error=0.1, max_steps=20_000
            )
            assert not found.is_exact
            inside[name] += found.low <= truth <= found.high
    # 95 of 100 are wanted; fewer than 40 of 50 come by chance once in 10,000 times
    assert min(inside.values()) >= 40, inside


def test_estimates_vary_as_much_as_their_intervals_say(monkeypatch):
    """Of a look at 64 nodes of each class."""
    monkeypatch.setattr(top_sampler, "_FIRST_ROOTS", 64)
    graphs = [attachment(600), as_csr(nx.random_geometric_graph(600, 0.07, seed=2))]
    deviations = []
    for graph in graphs:
        for name in ("edge", "path", "star"):
            truth = count_exact(graph, structure(name)).count
            for seed in range(60):
                sampler = TopSampler.of(graph, structure(name), None, seed)
                found = estimate_from_tops(sampler, error=1e-9, max_steps=1)
                deviations.append((found.value - truth) / ((found.high - found.low) / 3.92))
    # the variance of so many is 1 ± .08
    assert len(deviations) == 360
    assert 0.7 < np.var(deviations) < 1.4


def test_what_is_not_met_has_an_upper_end(monkeypatch):
    """Ten cliques in a thousand rings: few nodes are looked at, and none is in a clique."""
    monkeypatch.setattr(top_sampler, "_FIRST_ROOTS", 5)
    parts = [nx.cycle_graph(5)] * 1000 + [nx.complete_graph(4)] * 10
    graph = as_csr(nx.disjoint_union_all(parts))
    sampler = TopSampler.of(graph, structure("clique"), None, 1)
    found = estimate_from_tops(sampler, error=0.01, max_steps=1)
    assert found.value == found.low == 0 < 10 <= found.high and not found.is_exact


def test_classes_are_by_number_of_neighbours(monkeypatch):
    monkeypatch.setattr(degree_strata, "_NODES_AT_ONCE", 7)
    monkeypatch.setattr(degree_strata, "_MOST_NODES", 20)
    graph = attachment(300, 2)
    strata = DegreeStrata.of(graph, 3)
    degrees = graph.degrees
    for number, (size, nodes) in enumerate(zip(strata.sizes, strata.nodes, strict=True)):
        inside = (degrees >= 2**number) & (degrees < 2 ** (number + 1))
        assert size == inside.sum()
        assert inside[nodes].all() and len(set(nodes.tolist())) == len(nodes)
        assert min(size, 20) * 0.4 <= len(nodes) <= 20
    # in random order, from all over the graph
    assert (np.diff(strata.nodes[1]) < 0).any() and np.ptp(strata.nodes[1]) > 100
    assert DegreeStrata.of(graph, 3) is strata
    lonely = as_csr(nx.empty_graph(3))
    assert [list(nodes) for nodes in DegreeStrata.of(lonely, 0).nodes] == []


def test_all_places_are_listed_once_where_they_are_few():
    graph = attachment(150, 2)
    for name in ("square", "tailed triangle", "clique"):
        expected, _ = list_places(graph, structure(name))
        places, complete = list_from_tops(TopSampler.of(graph, structure(name), None, 0), 10**6)
        if complete:
            assert sorted(places.tolist()) == sorted(expected.tolist())
        else:
            assert {*map(tuple, places.tolist())} < {*map(tuple, expected.tolist())}
            assert len(places) > len(expected) / 2
    sparse = as_csr(nx.disjoint_union_all([nx.cycle_graph(4)] * 30 + [nx.path_graph(5)] * 9))
    places, complete = list_from_tops(TopSampler.of(sparse, structure("square"), None, 0), 100)
    assert complete and len(places) == 30


def test_a_sample_of_places_is_spread_evenly():
    """Of 66 squares on a hub, of which 16 are kept, and 66 apart, about as many are listed."""
    graph = as_csr(
        nx.disjoint_union_all([nx.complete_bipartite_graph(2, 12), *[nx.cycle_graph(4)] * 66])
    )
    assert count_exact(graph, structure("square")).count == 66 + 66
    shares = []
    for seed in range(40):
        places, complete = list_from_tops(TopSampler.of(graph, structure("square"), None, seed), 20)
        assert not complete and len({*map(tuple, places.tolist())}) == 20
        shares.append((places < 14).any(axis=1).mean())
    assert 0.35 < np.mean(shares) < 0.6


def test_large_graphs_are_counted_at_tops(monkeypatch):
    monkeypatch.setattr(small_graphs, "LARGE", 100)
    monkeypatch.setattr(
        occurrence_counts, "ExactSearch", lambda *_: pytest.fail("searched the whole graph")
    )
    graph = attachment(500, 2)
    house = MOTIFS["house"]
    truth = count_exact(graph, house).count
    rough = occurrence_counts.count_roughly(graph, house)
    fine = occurrence_counts.count_occurrences(graph, house, seconds=5, error=0.01)
    assert rough.low <= truth <= rough.high and fine.low <= truth <= fine.high
    places, _ = list_places(graph, house, most=50)
    assert len(places) == 50
    for place in places:
        pairs = [pair for pair in graph.adjacent_pairs().tolist() if {*pair} <= {*place.tolist()}]
        assert nx.is_isomorphic(nx.from_edgelist(pairs), nx.Graph(MOTIFS["house"].edges))
