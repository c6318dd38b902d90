"""Which graph nodes can stand for a pattern node: beside the same rule in plain Python."""

import itertools

import networkx as nx
import numpy as np
from random_graphs import connected_part, random_graph

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.counter import list_places
from mining.counting.exact_search import find_candidates
from mining.counting.sought import Sought


def candidates_by_rule(links, colors, pattern, own):
    """bool [V, M]: rule out what has too few neighbours of a kind, until nothing changes."""
    can_be = colors[:, None] == own[None, :]
    changed = True
    while changed:
        before = can_be.copy()
        for v, i in itertools.product(range(len(links)), range(len(pattern))):
            supported = [
                u
                for u in np.flatnonzero(links[v])
                if any(before[u, j] and links[v, u] == pattern[i, j] > 0 for j in range(len(own)))
            ]
            can_be[v, i] &= len(supported) >= np.count_nonzero(pattern[i])
        changed = (can_be != before).any()
    return can_be


def test_candidates_of_all_kinds():
    rng = np.random.default_rng(3)
    for number in range(10):
        graph, kinds = random_graph(rng, 12, int(rng.integers(12, 30)))
        pattern, order = connected_part(rng, graph, int(rng.integers(2, 6)))
        links = np.zeros((12, 12), np.int64)
        links[np.repeat(np.arange(12), graph.degrees), graph.indices] = graph.links
        colors = kinds if number % 2 else np.zeros(12, np.int64)
        given = (colors[order], colors)
        sought = Sought.of(graph, pattern, given)
        found = find_candidates(graph, sought)[:, None] >> np.arange(len(order)) & 1
        rule = candidates_by_rule(links, colors, sought.links, colors[order])
        np.testing.assert_array_equal(found, rule)
        # nothing that occurs is ruled out
        places, _ = list_places(graph, pattern, given)
        assert rule[places, np.arange(len(order))].all()


def test_cliques_are_in_cores_and_rings_not_in_trees():
    graph = nx.lollipop_graph(5, 4)
    for pattern, core in ((nx.complete_graph(4), 3), (nx.cycle_graph(4), 2)):
        sought = Sought.of(as_csr(graph), Structure.from_networkx(pattern), None)
        found = find_candidates(as_csr(graph), sought)
        assert set(np.flatnonzero(found)) == set(nx.k_core(graph, core))
