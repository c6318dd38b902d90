"""Where patterns occur and how often, on graphs whose occurrences can be counted by hand."""

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from mining.counting.locating import locate_patterns
from mining.counting.occurrence_assignment import OccurrenceRule
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling
from mining.structures.memory_budget import MemoryBudget
from mining.structures.subgraph_source import SubgraphSource

TRIANGLE, PATH3, STAR3 = nx.complete_graph(3), nx.path_graph(3), nx.star_graph(3)
RING, PATH6 = nx.cycle_graph(6), nx.path_graph(6)
BOWTIE = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)])


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
    kernel = GOMKKernel(3) if kernel is None else kernel
    budget = MemoryBudget(limit, size, 4, 1, 1)
    return SubgraphSource(kernel, unscaled, budget, size, num_hops, **options)


def locate(graph, patterns, size, rule="isomorphic", least=0.0, *, features=None, **options):
    """Locate patterns, at once and in parts of one root, with the same result; in their order."""
    csr = as_csr(graph, features=features)
    filters = patterns if isinstance(patterns, DiscreteFilters) else filters_of(patterns, size)
    # the patterns are located in the order of their frequency: a mark tells which is which
    marked = replace(filters, merged=tuple(range(len(filters.num_nodes))))
    results = []
    for limit in (2**30, 1):
        source = source_of(size, limit=limit, **options)
        roots = None if limit > 1 else np.array([0])
        sample = source.subgraphs_around(csr, roots)
        chosen = OccurrenceRule(rule, least, min_support=0)
        results.append(locate_patterns(source, csr, sample, marked, chosen, CheckpointStore()))
    at_once, in_parts = results
    assert at_once.located == in_parts.located
    assert at_once.nearest.tolist() == in_parts.nearest.tolist()
    return [at_once.located[at_once.filters.merged.index(i)] for i in range(len(marked.merged))]


def node_sets(located):
    return sorted(sorted(n for n in one.nodes if n is not None) for one in located.occurrences)


def assert_isomorphisms(located, pattern, graph):
    for one in located.occurrences:
        assert len(set(one.nodes)) == len(pattern)
        for i, j in itertools.combinations(range(len(pattern)), 2):
            assert graph.has_edge(one.nodes[i], one.nodes[j]) == pattern.has_edge(i, j), one


def test_two_triangles_and_a_path():
    graph = nx.disjoint_union_all([TRIANGLE, PATH3, TRIANGLE])
    triangle, path = locate(graph, [TRIANGLE, PATH3], 3, least=0.99)
    assert node_sets(triangle) == [[0, 1, 2], [6, 7, 8]]
    assert (triangle.frequency.assigned, triangle.frequency.distinct) == (6, 2)
    assert (node_sets(path), path.frequency.assigned) == ([[3, 4, 5]], 3)
    assert path.occurrences[0].nodes[1] == 4
    assert triangle.medoid.root in triangle.medoid.nodes


def test_a_node_may_be_in_two_occurrences_but_only_induced_ones_count():
    (triangle,) = locate(BOWTIE, [TRIANGLE], 3, least=0.99)
    assert node_sets(triangle) == [[0, 1, 2], [2, 3, 4]]
    assert (triangle.frequency.assigned, triangle.frequency.disjoint) == (5, 1)
    # every three nodes of a clique are a triangle and never a path
    (path,) = locate(nx.complete_graph(4), [PATH3], 3)
    assert (len(path.occurrences), path.frequency.assigned) == (0, 4)


def test_patterns_smaller_than_the_filters():
    patterns = [TRIANGLE, nx.path_graph(2), nx.empty_graph(1)]
    located = locate(nx.disjoint_union_all(patterns), patterns, 4, least=0.99)
    assert list(map(node_sets, located)) == [[[0, 1, 2]], [[3, 4]], [[5]]]
    assert [one.frequency.assigned for one in located] == [3, 2, 1]


def test_thresholds_of_the_assignment():
    graph = nx.disjoint_union(TRIANGLE, PATH3)
    assigned = [locate(graph, [TRIANGLE], 3, least=t)[0].frequency.assigned for t in (0.0, 0.999)]
    assert assigned == [6, 3]
    # one for each pattern: the path takes what the triangle does not reach
    located = locate(graph, [TRIANGLE, PATH3], 3, least=np.array([1 - 1e-6, 0.0]))
    assert [one.frequency.assigned for one in located] == [3, 3]


def test_views_of_a_root_count_as_one_root():
    # a star with six leaves: the views of the hub are different stars with three
    (star,) = locate(nx.star_graph(6), [STAR3], 4, least=0.99, num_views=5, policy="random")
    assert star.frequency.assigned == 7
    assert 7 <= len(star.occurrences) <= 20
    assert len({frozenset(one.nodes) for one in star.occurrences}) == len(star.occurrences)


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [(RING, "greedy"), (nx.complete_graph(5), "optimal"), (nx.circular_ladder_graph(3), "greedy"),
     (nx.complete_bipartite_graph(3, 3), "optimal"), (nx.octahedral_graph(), "greedy")],
)  # fmt: skip
@pytest.mark.parametrize("padded", [0, 1])
def test_symmetric_patterns_are_mapped_by_isomorphisms(pattern, matching, padded):
    union = nx.disjoint_union_all([pattern] * 5)
    order = np.random.default_rng(1).permutation(len(union)).tolist()
    graph = nx.empty_graph(len(union))
    graph.add_edges_from((order[u], order[v]) for u, v in union.edges)
    size = len(pattern) + padded
    (located,) = locate(graph, [pattern], size, least=0.5, kernel=GOMKKernel(3, matching=matching))
    assert len(located.occurrences) == 5
    assert_isomorphisms(located, pattern, graph)


@pytest.mark.parametrize("values", [[0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 0, 1], [0, 1, 1, 1, 1, 1]])
def test_mappings_keep_edges_and_features(values):
    # every node has a twin in the ring, so a matching alone need not keep the edges
    graph = nx.disjoint_union_all([RING] * 4)
    feature = np.concatenate([np.roll(values, shift) for shift in range(4)]).astype(float)[:, None]
    filters = filters_of([RING], 6, [values])
    (located,) = locate(graph, filters, 6, least=0.5, features=feature)
    assert len(located.occurrences) == 4
    assert_isomorphisms(located, RING, graph)
    for one in located.occurrences:
        assert feature[list(one.nodes), 0].tolist() == values


@pytest.mark.parametrize(("policy", "size"), [("dense", 4), ("bfs", 5), ("random", 4)])
def test_distinct_equals_a_count_with_networkx(policy, size):
    graph = nx.powerlaw_cluster_graph(50, 2, 0.5, seed=3)
    shapes = [g for g in nx.graph_atlas_g() if len(g) == size and nx.is_connected(g)]
    located = locate(graph, shapes, size, least=0.5, num_hops=2, policy=policy)
    batch = source_of(size, num_hops=2, policy=policy).extract(as_csr(graph))
    covered = {frozenset(row) - {-1} for row in batch.nodes.tolist()}
    for shape, one in zip(shapes, located, strict=True):
        expected = [s for s in covered if nx.is_isomorphic(graph.subgraph(s), shape)]
        assert sorted(map(sorted, expected)) == node_sets(one)
        assert_isomorphisms(one, shape, graph)


def test_patterns_of_one_structure_share_its_occurrences_by_features():
    # triangles of feature 0, of feature 1, and one between them that is nearer to 1
    values = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0, 0.7], 3)[:, None]
    filters = filters_of([TRIANGLE] * 2, 3, [0.0, 1.0])
    low, high = locate(nx.disjoint_union_all([TRIANGLE] * 6), filters, 3, features=values)
    assert node_sets(low) == [[0, 1, 2], [6, 7, 8]]
    assert node_sets(high) == [[3, 4, 5], [9, 10, 11], [12, 13, 14], [15, 16, 17]]
    assert sorted(high.occurrences[-1].nodes) == [15, 16, 17]
    assert high.occurrences[-1].similarity < high.occurrences[0].similarity == pytest.approx(1)


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
    triangle, path = locate(nx.disjoint_union(TRIANGLE, PATH3), [TRIANGLE, PATH3], 3, "similar")
    assert (node_sets(triangle), node_sets(path)) == ([[0, 1, 2]], [[3, 4, 5]])


@pytest.mark.parametrize(
    ("graph", "pattern", "count"),
    [
        # the subgraphs of a ring of six share four of five nodes with each other
        (RING, nx.path_graph(5), 1),
        # triangles at an edge share two of three nodes, those of a bowtie one
        (nx.Graph([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]), TRIANGLE, 1),
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


@pytest.mark.parametrize("names", [("anna", "bo", "cy"), (100, 20, 7)])
def test_ids_are_those_of_the_input(names):
    graph = nx.relabel_nodes(TRIANGLE, dict(enumerate(names)))
    (triangle,) = locate(graph, [TRIANGLE], 3, least=0.9)
    assert sorted(triangle.occurrences[0].nodes) == sorted(names)
    assert {type(node) for node in triangle.occurrences[0].nodes} == {type(names[0])}
    assert triangle.medoid.root in names


def test_the_medoid_is_the_most_similar_subgraph_even_without_occurrences():
    graph, square = nx.disjoint_union(PATH3, STAR3), nx.cycle_graph(4)
    (located,) = locate(graph, [square], 4, least=0.9)
    assert located.occurrences == ()
    subgraphs = source_of(4).subgraphs_around(graph)
    best = subgraphs.similarity(filters_of([square], 4))[:, 0].argmax()
    assert located.medoid.root == int(subgraphs.batch.roots[best])
    assert located.medoid.similarity < 0.9


@pytest.mark.parametrize("rule", ["isomorphic", "similar"])
def test_a_noisy_pattern_has_similar_occurrences(rule):
    # three rings lack an edge, one is whole; stars are a pattern of their own
    star = nx.star_graph(5)
    graph = nx.disjoint_union_all([RING, PATH6, PATH6, PATH6, star, star])
    both = filters_of([RING, star], 6)
    counts = [len(one.occurrences) for one in locate(graph, both, 6, least=0.5, num_hops=5)]
    assert counts == [1, 2]
    noisy = replace(both, noisy=(True, False))
    located = locate(graph, noisy, 6, rule, 0.5, num_hops=5)
    assert [len(one.occurrences) for one in located] == [4, 2]
    cut = locate(graph, noisy, 6, rule, 0.999, num_hops=5)
    assert node_sets(cut[0]) == [[0, 1, 2, 3, 4, 5]]


def test_what_is_isomorphic_to_another_pattern_is_no_noisy_occurrence():
    graph = nx.disjoint_union_all([RING, PATH6, PATH6])
    both = replace(filters_of([RING, PATH6], 6), noisy=(True, False))
    assert [len(one.occurrences) for one in locate(graph, both, 6, num_hops=5)] == [1, 2]
