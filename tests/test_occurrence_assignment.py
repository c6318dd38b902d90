"""Where patterns occur and how often, on graphs whose occurrences can be counted by hand."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from mining.locating.locating import locate_patterns
from mining.locating.occurrence_assignment import OccurrenceRule
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling
from mining.structures.memory_budget import MemoryBudget
from mining.structures.subgraph_source import SubgraphSource

TRIANGLE, PATH3, STAR3 = nx.complete_graph(3), nx.path_graph(3), nx.star_graph(3)
RING, PATH6, STAR5 = nx.cycle_graph(6), nx.path_graph(6), nx.star_graph(5)
EDGE, NODE = nx.path_graph(2), nx.empty_graph(1)
BOWTIE = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)])
DIAMOND = nx.Graph([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])


def filters_of(patterns, size, features=None):
    """Patterns given as networkx graphs, padded to ``size`` nodes; features 1 when left out."""
    adj, feat = torch.zeros(len(patterns), size, size), torch.zeros(len(patterns), size, 1)
    for number, pattern in enumerate(patterns):
        n = len(pattern)
        adj[number, :n, :n] = torch.from_numpy(nx.to_numpy_array(pattern)).float()
        feat[number, :n, 0] = torch.tensor(1.0 if features is None else features[number])
    return DiscreteFilters(adj, feat, adj.clone(), tuple(map(len, patterns)))


def source_of(size, num_hops=3, kernel=None, limit=2**30, **options):
    unscaled = FeatureScaling(np.zeros(1), np.ones(1), np.ones(1))
    budget = MemoryBudget(limit, size, 4, 1, 1)
    return SubgraphSource(kernel or GOMKKernel(3), unscaled, budget, size, num_hops, **options)


def locate(graph, patterns, size, rule="isomorphic", least=0.0, *, features=None, **options):
    """Locate patterns, at once and in parts of one root, with the same result; in their order."""
    csr = as_csr(graph, features=features)
    filters = patterns if isinstance(patterns, DiscreteFilters) else filters_of(patterns, size)
    # patterns are returned in the order of their frequency: `merged` tells which is which
    marked = replace(filters, merged=tuple(range(len(filters.num_nodes))))
    results = []
    for limit, roots in ((2**30, None), (1, np.array([0]))):
        source = source_of(size, limit=limit, **options)
        sample = source.subgraphs_around(csr, roots)
        occurrence_rule = OccurrenceRule(rule, least, min_support=0)
        results.append(
            locate_patterns(source, csr, sample, marked, occurrence_rule, CheckpointStore())
        )
    at_once, in_parts = results
    assert at_once.located == in_parts.located
    assert at_once.nearest.tolist() == in_parts.nearest.tolist()
    return [at_once.located[at_once.filters.merged.index(i)] for i in range(len(marked.merged))]


def node_sets(located):
    return sorted(sorted(n for n in one.nodes if n is not None) for one in located.occurrences)


@pytest.mark.parametrize(
    ("graph", "patterns", "size", "least", "expected", "assigned"),
    [
        (nx.disjoint_union_all([TRIANGLE, PATH3, TRIANGLE]), [TRIANGLE, PATH3], 3, 0.99,
         [[[0, 1, 2], [6, 7, 8]], [[3, 4, 5]]], [6, 3]),
        # a node may be in two occurrences
        (BOWTIE, [TRIANGLE], 3, 0.99, [[[0, 1, 2], [2, 3, 4]]], [5]),
        # three nodes of a clique induce a triangle and never a path
        (nx.complete_graph(4), [PATH3], 3, 0.0, [[]], [4]),
        # patterns smaller than the filters
        (nx.disjoint_union_all([TRIANGLE, EDGE, NODE]), [TRIANGLE, EDGE, NODE], 4, 0.99,
         [[[0, 1, 2]], [[3, 4]], [[5]]], [3, 2, 1]),
        # without a threshold every root is assigned
        (nx.disjoint_union(TRIANGLE, PATH3), [TRIANGLE], 3, 0.0, [[[0, 1, 2]]], [6]),
        (nx.disjoint_union(TRIANGLE, PATH3), [TRIANGLE], 3, 0.999, [[[0, 1, 2]]], [3]),
    ],
)  # fmt: skip
def test_occurrences_counted_by_hand(graph, patterns, size, least, expected, assigned):
    located = locate(graph, patterns, size, least=least)
    assert list(map(node_sets, located)) == expected
    assert [one.frequency.assigned for one in located] == assigned


def test_views_of_a_root_count_as_one_root():
    # a star with six leaves: the views of the hub are different stars with three
    (star,) = locate(nx.star_graph(6), [STAR3], 4, least=0.99, num_views=5, policy="random")
    assert star.frequency.assigned == 7
    assert 7 <= len(star.occurrences) <= 20
    assert len({frozenset(one.nodes) for one in star.occurrences}) == len(star.occurrences)


@pytest.mark.parametrize(("policy", "size"), [("dense", 4), ("bfs", 5), ("random", 4)])
def test_distinct_equals_a_count_with_networkx(policy, size):
    graph = nx.powerlaw_cluster_graph(40, 2, 0.5, seed=3)
    shapes = [g for g in nx.graph_atlas_g() if len(g) == size and nx.is_connected(g)]
    located = locate(graph, shapes, size, least=0.5, num_hops=2, policy=policy)
    batch = source_of(size, num_hops=2, policy=policy).extract(as_csr(graph))
    covered = {frozenset(row) - {-1} for row in batch.nodes.tolist()}
    for shape, one in zip(shapes, located, strict=True):
        expected = [s for s in covered if nx.is_isomorphic(graph.subgraph(s), shape)]
        assert sorted(map(sorted, expected)) == node_sets(one)
        # the nodes of an occurrence are in the order of those of the pattern
        for occurrence in one.occurrences:
            copy = nx.relabel_nodes(shape, dict(enumerate(occurrence.nodes)))
            assert nx.utils.graphs_equal(nx.Graph(copy.edges), nx.Graph(graph.subgraph(copy).edges))


def test_patterns_of_one_structure_share_its_occurrences_by_features():
    # triangles of feature 0, of feature 1, and one between them that is nearer to 1
    values = np.repeat([0.0, 1.0, 0.0, 0.7], 3)[:, None]
    filters = filters_of([TRIANGLE] * 2, 3, [0.0, 1.0])
    low, high = locate(nx.disjoint_union_all([TRIANGLE] * 4), filters, 3, features=values)
    assert (node_sets(low), node_sets(high)) == ([[0, 1, 2], [6, 7, 8]], [[3, 4, 5], [9, 10, 11]])
    assert high.occurrences[1].similarity < high.occurrences[0].similarity == pytest.approx(1)


def test_similar_occurrences_are_inexact_and_most_similar_first():
    ring, chord = nx.cycle_graph(5), nx.cycle_graph(5)
    chord.add_edge(0, 2)
    graph = nx.disjoint_union_all([ring, chord, TRIANGLE])
    assert node_sets(locate(graph, [ring], 5)[0]) == [[0, 1, 2, 3, 4]]
    (similar,) = locate(graph, [ring], 5, "similar")
    assert node_sets(similar) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12]]
    values = [one.similarity for one in similar.occurrences]
    assert values == sorted(values, reverse=True)
    # a node of the pattern without a counterpart is None
    assert sorted(one.nodes.count(None) for one in similar.occurrences) == [0, 0, 2]
    (cut,) = locate(graph, [ring], 5, "similar", (values[1] + values[2]) / 2)
    assert [one.nodes for one in cut.occurrences] == [o.nodes for o in similar.occurrences[:2]]


@pytest.mark.parametrize(
    ("graph", "pattern", "count"),
    [
        # the subgraphs of a ring of six share four of five nodes with each other
        (RING, nx.path_graph(5), 1),
        # triangles at an edge share two of three nodes, those of a bowtie one
        (DIAMOND, TRIANGLE, 1),
        (BOWTIE, TRIANGLE, 2),
    ],
)
def test_similar_subgraphs_that_share_most_nodes_are_one_occurrence(graph, pattern, count):
    (similar,) = locate(graph, [pattern], len(pattern), "similar", 0.5)
    assert len(similar.occurrences) == count


@pytest.mark.parametrize("rule", ["isomorphic", "similar"])
def test_collections_have_the_graph_and_ids_local_to_it(rule):
    graphs = [PATH3, TRIANGLE, nx.disjoint_union(PATH3, TRIANGLE)]
    (triangle,) = locate(graphs, [TRIANGLE], 3, rule, 0.99)
    nodes = {one.graph: sorted(one.nodes) for one in triangle.occurrences}
    assert nodes == {1: [0, 1, 2], 2: [3, 4, 5]}
    assert sorted(triangle.medoid.nodes) == nodes[triangle.medoid.graph]
    assert triangle.frequency.num_graphs == 2


def test_the_medoid_is_the_most_similar_subgraph_even_without_occurrences():
    graph, square = nx.disjoint_union(PATH3, STAR3), nx.cycle_graph(4)
    (located,) = locate(graph, [square], 4, least=0.9)
    assert located.occurrences == ()
    subgraphs = source_of(4).subgraphs_around(graph)
    best = subgraphs.similarity(filters_of([square], 4))[:, 0].argmax()
    assert located.medoid.root == int(subgraphs.batch.roots[best])
    assert located.medoid.similarity < 0.9


@pytest.mark.parametrize(
    ("patterns", "noisy", "rule", "least", "counts"),
    [
        ([RING, STAR5], (False, False), "isomorphic", 0.5, [1, 2]),
        # three rings lack an edge
        ([RING, STAR5], (True, False), "isomorphic", 0.5, [4, 2]),
        ([RING, STAR5], (True, False), "similar", 0.5, [4, 2]),
        ([RING, STAR5], (True, False), "isomorphic", 0.999, [1, 2]),
        # what is isomorphic to another pattern is no occurrence of the noisy one
        ([RING, PATH6], (True, False), "isomorphic", 0.5, [1, 3]),
    ],
)
def test_a_noisy_pattern_has_similar_occurrences(patterns, noisy, rule, least, counts):
    graph = nx.disjoint_union_all([RING, PATH6, PATH6, PATH6, STAR5, STAR5])
    filters = replace(filters_of(patterns, 6), noisy=noisy)
    located = locate(graph, filters, 6, rule, least, num_hops=5)
    assert [len(one.occurrences) for one in located] == counts
