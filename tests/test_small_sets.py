"""All connected sets of three and four nodes: each once, and every structure among the candidates.

The number of sets, and of those of each structure, is compared with igraph's motif census.
"""

from dataclasses import replace

import igraph
import networkx as nx
import numpy as np
import pytest
from random_graphs import random_graph

from gomkcn_dgl.graph import as_csr
from mining.candidates.candidates import gather_candidates
from mining.candidates.small_sets import SMALL_SIZES, all_small_sets
from mining.candidates.structures import SeenSets
from mining.mined_graph import MinedGraph


@pytest.mark.parametrize("size", SMALL_SIZES)
@pytest.mark.parametrize("seed", range(4))
def test_every_connected_set_is_listed_once_under_its_structure(size, seed):
    graph, _ = random_graph(np.random.default_rng(seed), 30, 60)
    sets = all_small_sets(graph, None)
    nodes, _ = sets.of_size(size)
    assert len(np.unique(np.sort(nodes, axis=1), axis=0)) == len(nodes)
    pairs = igraph.Graph(n=graph.num_nodes, edges=graph.adjacent_pairs().tolist())
    assert len(nodes) == pairs.motifs_randesu_no(size)
    # each set is connected, node by node
    for row in nodes.tolist():
        assert pairs.induced_subgraph(row).is_connected()
    seen = SeenSets(replace(MinedGraph.of(graph), graph=graph), sets, size)
    found = [len(one.sight.node_sets) for _, one in seen.patterns(seen.frequent(1, 10**6))]
    assert sum(found) == len(nodes)


def test_triads_of_a_directed_graph_are_those_of_a_census():
    graph = nx.gnp_random_graph(40, 0.08, directed=True, seed=1)
    mined = MinedGraph.of(graph)
    seen = SeenSets(mined, all_small_sets(mined.graph, None), 3)
    counts = sorted(len(one.sight.node_sets) for _, one in seen.patterns(seen.frequent(1, 100)))
    numbers = igraph.Graph.from_networkx(graph).motifs_randesu(3)
    assert counts == sorted(int(one) for one in numbers if one > 0)


def test_too_many_sets_are_not_listed():
    star = as_csr(nx.star_graph(50))
    number = len(all_small_sets(star, None).nodes)
    assert number >= 50 * 49 * 48 // 6
    assert all_small_sets(star, None, most=number - 1) is None
    assert len(all_small_sets(star, None, most=number).nodes) == number


def test_rare_structures_of_a_directed_graph_are_candidates():
    graph = nx.gnp_random_graph(60, 0.1, directed=True, seed=3)
    present = sum(count >= 3 for count in igraph.Graph.from_networkx(graph).motifs_randesu(4))
    candidates = gather_candidates(MinedGraph.of(graph), [4], most=200)
    assert len(candidates) == present > 60
