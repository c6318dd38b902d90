"""Estimates from a search at random nodes: exact where all are searched, unbiased where not."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining import count_by_graph
from mining.counting import counter
from mining.counting.counter import (
    draw_roots,
    estimate_from_roots,
    estimate_from_share,
    estimate_occurrences,
)
from mining.counting.exact_search import ExactSearch
from synthetic import MOTIFS, PlantingSettings, barabasi_albert, plant_motifs

PRISM = Structure.from_networkx(nx.circular_ladder_graph(3))


@pytest.fixture(scope="module")
def wheels():
    """60 wheels on a large tree-like graph."""
    edges = barabasi_albert(20_000, 1, 0)
    planted = plant_motifs(edges, 20_000, {"wheel": 60}, PlantingSettings("constant"), seed=0)
    return planted.to_csr()


@pytest.fixture
def few_roots(monkeypatch):
    monkeypatch.setattr(counter, "_NUM_FIRST", 64)


def test_all_roots_are_an_exact_count(wheels):
    search = ExactSearch(wheels, MOTIFS["wheel"])
    count = estimate_from_roots(search, 0, 10**9)
    assert count.is_exact and count.value == 60
    # the same search again, of all roots
    search.run()
    assert search.count.sum() == 60


def test_estimates_are_unbiased_and_intervals_hold(few_roots):
    graph = as_csr(nx.random_geometric_graph(1500, 0.04, seed=1))
    clique = Structure.parse("clique-4")
    everything = count_by_graph(graph, clique).sum()
    search = ExactSearch(graph, clique)
    counts = []
    for seed in range(200):
        search.run(draw_roots(search, 0.25, seed))
        counts.append(estimate_from_share(search, 0.25))
    known = [one for one in counts if one is not None]
    assert len(known) > 190 and not any(one.is_exact for one in known)
    errors = np.array([one.value for one in known]) / everything - 1
    assert abs(errors.mean()) < 3 * errors.std() / np.sqrt(len(errors)) + 0.01
    assert 0.01 < errors.std() < 0.5
    covered = [one.low <= everything <= one.high for one in known]
    assert np.mean(covered) > 0.9


def test_nothing_found_or_too_long_is_none(few_roots):
    search = ExactSearch(as_csr(nx.random_regular_graph(3, 4000, seed=0)), PRISM)
    assert len(search.roots) > 1000
    search.run(draw_roots(search, 0.1, 0))
    assert estimate_from_share(search, 0.1) is None
    assert estimate_from_roots(search, 0, 1) is None


def test_what_no_draw_hits_is_counted_at_random_nodes(monkeypatch):
    """Cubes in a random regular graph: one mapping of a tree in ten million shows one."""
    parts = [nx.random_regular_graph(3, 6000, seed=0), *[nx.cubical_graph()] * 60]
    graph = as_csr(nx.disjoint_union_all(parts))
    cube = Structure.from_networkx(nx.cubical_graph())
    monkeypatch.setattr(counter, "_estimate_share", lambda *_: (0.0, 0.0, 1e-7))
    count = estimate_occurrences(ExactSearch(graph, cube), 0.1, 10**9, 0)
    assert count.is_exact and count.value == 60
