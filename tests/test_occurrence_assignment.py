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
from gomkcn_dgl.subgraphs import extract_subgraphs
from mining.assessment.significance import PatternCounter
from mining.counting.match_table import SubgraphStream, match_all
from mining.counting.occurrence_assignment import OccurrenceAssignment, describe_places, map_nodes
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling, ScaledFeatures
from mining.structures.rooted_subgraphs import RootedSubgraphs

TRIANGLE, PATH3, STAR3 = nx.complete_graph(3), nx.path_graph(3), nx.star_graph(3)


class Finder:
    """All of a graph's subgraphs, and where patterns are among them.

    Each search is made of all subgraphs at once and of parts of two roots, with the same result.
    """

    def __init__(self, graph, size, num_hops, features, kernel, num_views, policy):
        self.csr = as_csr(graph, features=features)
        self.kernel, self.num_views = kernel, num_views
        self.extraction = num_hops, size, policy
        self.around = self.subgraphs_around(None)
        self.batch = self.around.batch

    def subgraphs_around(self, roots):
        num_hops, size, policy = self.extraction
        batch = extract_subgraphs(
            self.csr,
            num_hops,
            size,
            roots=roots,
            policy=policy,
            num_views=self.num_views,
            seed=0,
        )
        as_they_are = FeatureScaling(np.zeros(1), np.ones(1), np.ones(1))
        features = ScaledFeatures(self.csr.features, as_they_are)
        return RootedSubgraphs(self.csr, features, batch, self.kernel, "auto")

    def compete(self, whole, snapped, rule, least):
        stream = SubgraphStream(self.csr, self.subgraphs_around, self.num_views, 2, whole)
        (seen,) = match_all(stream, [snapped], CheckpointStore(), memory=0)
        return stream, OccurrenceAssignment(seen, snapped, rule, least)

    def find(self, snapped, rule, least, min_support=0):
        found = []
        for whole in (self.around, None):
            stream, competition = self.compete(whole, snapped, rule, least)
            kept, shares = competition.frequent(min_support)
            patterns = [snapped.take([number]) for number in kept]
            wanted = competition.wanted(kept, shares)
            players = map_nodes(stream, patterns, wanted, CheckpointStore())
            found.append(describe_places(competition, kept, shares, wanted, players, self.csr))
        for at_once, in_parts in zip(*found, strict=True):
            assert at_once.occurrences == in_parts.occurrences
            assert at_once.medoid == in_parts.medoid
            np.testing.assert_array_equal(at_once.roots, in_parts.roots)
            np.testing.assert_array_equal(at_once.node_sets, in_parts.node_sets)
        return found[0]

    def similarity(self, snapped):
        return self.around.similarity(snapped)

    def nearest(self, snapped):
        competition = self.compete(self.around, snapped, "isomorphic", 0.0)[1]
        return competition.nearest(np.arange(len(snapped.num_nodes)))[0]

    def count(self, snapped, rule, least, typical):
        seen = self.compete(self.around, snapped, rule, least)[1].sightings
        return PatternCounter(snapped, rule, least, typical).count(seen)


def finder_of(graph, size, num_hops=3, features=None, kernel=None, num_views=1, policy="dense"):
    kernel = GOMKKernel(3) if kernel is None else kernel
    return Finder(graph, size, num_hops, features, kernel, num_views, policy)


def as_snapped(patterns, size, features=None):
    """Patterns given as networkx graphs, padded to ``size`` nodes; features 1 when left out."""
    if features is None:
        features = [np.ones((len(pattern), 1)) for pattern in patterns]
    width = np.shape(features[0])[1]
    adj = torch.zeros(len(patterns), size, size)
    feat = torch.zeros(len(patterns), size, width)
    for number, (pattern, rows) in enumerate(zip(patterns, features, strict=True)):
        n = len(pattern)
        adj[number, :n, :n] = torch.from_numpy(nx.to_numpy_array(pattern)).float()
        feat[number, :n] = torch.as_tensor(np.asarray(rows, dtype=np.float32))
    return DiscreteFilters(adj, feat, adj.clone(), tuple(len(pattern) for pattern in patterns))


def node_sets(places):
    return sorted(sorted(place.nodes) for place in places.occurrences)


# ---------------------------------------------------------------- counted by hand


def test_two_triangles_and_a_path():
    finder = finder_of(nx.disjoint_union_all([TRIANGLE, PATH3, TRIANGLE]), 3)
    triangle, path = finder.find(as_snapped([TRIANGLE, PATH3], 3), "isomorphic", 0.99)
    assert node_sets(triangle) == [[0, 1, 2], [6, 7, 8]]
    assert triangle.assigned == 6
    assert node_sets(path) == [[3, 4, 5]]
    assert path.assigned == 3
    assert path.occurrences[0].nodes[1] == 4
    assert all(place.similarity == pytest.approx(1) for place in triangle.occurrences)
    assert set(triangle.medoid.nodes) in ({0, 1, 2}, {6, 7, 8})
    assert triangle.medoid.root in triangle.medoid.nodes


def test_a_bowtie_holds_two_triangles():
    # the knot 2 is in both triangles and its subgraph is one of them: five roots, two node sets
    finder = finder_of(nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)]), 3)
    (triangle,) = finder.find(as_snapped([TRIANGLE], 3), "isomorphic", 0.99)
    assert node_sets(triangle) == [[0, 1, 2], [2, 3, 4]]
    assert triangle.assigned == 5


def test_only_induced_occurrences_count():
    # every three nodes of a clique are a triangle and never a path
    finder = finder_of(nx.complete_graph(4), 3)
    (path,) = finder.find(as_snapped([PATH3], 3), "isomorphic", 0.0)
    assert len(path.occurrences) == 0
    # nearest to the only pattern there is, and the threshold is 0
    assert path.assigned == 4


def test_smaller_patterns_are_found_in_smaller_surroundings():
    finder = finder_of(nx.disjoint_union_all([TRIANGLE, nx.path_graph(2), nx.empty_graph(1)]), 4)
    patterns = as_snapped([TRIANGLE, nx.path_graph(2), nx.empty_graph(1)], 4)
    triangle, edge, node = finder.find(patterns, "isomorphic", 0.99)
    assert node_sets(triangle) == [[0, 1, 2]]
    assert node_sets(edge) == [[3, 4]]
    assert [place.nodes for place in node.occurrences] == [(5,)]
    assert (triangle.assigned, edge.assigned, node.assigned) == (3, 2, 1)


def test_the_threshold_of_the_assignment():
    finder = finder_of(nx.disjoint_union(TRIANGLE, PATH3), 3)
    assigned = {
        threshold: finder.find(as_snapped([TRIANGLE], 3), "isomorphic", threshold)[0].assigned
        for threshold in (0.0, 0.999)
    }
    assert assigned == {0.0: 6, 0.999: 3}


def test_views_of_a_root_are_one_root():
    # a star with six leaves: the views of the hub are different stars with three
    finder = finder_of(nx.star_graph(6), 4, num_views=5, policy="random")
    (star,) = finder.find(as_snapped([STAR3], 4), "isomorphic", 0.99)
    assert star.assigned == 7
    assert 7 <= len(star.occurrences) <= 20
    assert len({frozenset(place.nodes) for place in star.occurrences}) == len(star.occurrences)


# ---------------------------------------------------------------- roles


def relabelled(graph, rng):
    order = rng.permutation(len(graph)).tolist()
    return nx.relabel_nodes(graph, dict(zip(graph, order, strict=True)))


def shuffled_copies(pattern, count, seed):
    """Disjoint copies of a pattern with all nodes in random order."""
    rng = np.random.default_rng(seed)
    union = nx.disjoint_union_all([pattern] * count)
    shuffled = relabelled(union, rng)
    graph = nx.empty_graph(len(union))
    graph.add_edges_from(shuffled.edges)
    return graph


SYMMETRIC = {
    "ring of six": nx.cycle_graph(6),
    "clique of five": nx.complete_graph(5),
    "K(3, 3)": nx.complete_bipartite_graph(3, 3),
    "prism": nx.circular_ladder_graph(3),
    "cube": nx.hypercube_graph(3),
    "star": nx.star_graph(5),
    "wheel": nx.wheel_graph(6),
    "path": nx.path_graph(6),
    "domino": nx.ladder_graph(3),
    "octahedron": nx.octahedral_graph(),
    "two triangles": nx.barbell_graph(3, 0),
    "ring of eight": nx.cycle_graph(8),
}


def assert_roles_keep_the_edges(places, pattern, graph):
    for place in places.occurrences:
        assert len(set(place.nodes)) == len(pattern)
        for i, j in itertools.combinations(range(len(pattern)), 2):
            assert graph.has_edge(place.nodes[i], place.nodes[j]) == pattern.has_edge(i, j), place


@pytest.mark.parametrize("matching", ["optimal", "greedy"])
@pytest.mark.parametrize("padded", [0, 1])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_roles_are_an_isomorphism_onto_the_pattern(name, padded, matching):
    pattern = nx.convert_node_labels_to_integers(SYMMETRIC[name])
    graph = shuffled_copies(pattern, 5, seed=1)
    size = len(pattern) + padded
    finder = finder_of(graph, size, num_hops=4, kernel=GOMKKernel(3, matching=matching))
    (places,) = finder.find(as_snapped([pattern], size), "isomorphic", 0.5)
    assert len(places.occurrences) == 5
    assert_roles_keep_the_edges(places, pattern, graph)


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize(
    "values",
    [
        [0, 1, 1, 0, 1, 1],
        [0, 0, 1, 0, 0, 1],
        [0, 1, 0, 1, 0, 1],
        [0, 1, 1, 1, 1, 1],
        [0, 0, 0, 1, 1, 1],
    ],
    ids=str,
)
def test_roles_keep_edges_and_features(values, noise):
    # every node has a twin in the ring, so a matching alone need not keep the edges
    ring, rng = nx.cycle_graph(6), np.random.default_rng(4)
    order = rng.permutation(36)
    graph = nx.empty_graph(36)
    copies = nx.disjoint_union_all([ring] * 6)
    graph.add_edges_from(nx.relabel_nodes(copies, dict(enumerate(order.tolist()))).edges)
    feature = np.empty((36, 1))
    feature[order, 0] = np.tile(values, 6)
    finder = finder_of(graph, 6, features=feature + noise * rng.random((36, 1)))
    played = np.array(values)[:, None] + noise * rng.random((6, 1))
    (places,) = finder.find(as_snapped([ring], 6, features=[played]), "isomorphic", 0.5)
    assert len(places.occurrences) == 6
    assert_roles_keep_the_edges(places, ring, graph)
    for place in places.occurrences:
        assert feature[list(place.nodes), 0].tolist() == values


def test_the_roles_of_a_pendant_pattern():
    # a triangle 0 1 2 with a tail 3 at 2, and the pattern in another order
    graph = nx.Graph([("a", "b"), ("a", "c"), ("b", "c"), ("c", "tail")])
    pattern = nx.Graph([(0, 1), (1, 2), (1, 3), (2, 3)])
    finder = finder_of(graph, 4)
    (places,) = finder.find(as_snapped([pattern], 4), "isomorphic", 0.9)
    (place,) = places.occurrences
    assert place.nodes[:2] == ("tail", "c")
    assert sorted(place.nodes[2:]) == ["a", "b"]


# ---------------------------------------------------------------- against brute force


@pytest.mark.parametrize("size", [4, 5])
@pytest.mark.parametrize("policy", ["dense", "bfs", "random"])
def test_distinct_equals_a_count_with_networkx(policy, size):
    graph = nx.powerlaw_cluster_graph(70, 2, 0.5, seed=3)
    finder = finder_of(graph, size, num_hops=2, policy=policy)
    shapes = [g for g in nx.graph_atlas_g() if len(g) == size and nx.is_connected(g)]
    found = finder.find(as_snapped(shapes, size), "isomorphic", 0.5)
    covered = {frozenset(row) - {-1} for row in finder.batch.nodes.tolist()}
    for shape, places in zip(shapes, found, strict=True):
        expected = [s for s in covered if nx.is_isomorphic(graph.subgraph(s), shape)]
        assert sorted(map(sorted, expected)) == node_sets(places)
        assert_roles_keep_the_edges(places, shape, graph)
    # the shapes are all there are, so that nothing is left over
    whole = [s for s in covered if len(s) == size]
    assert sum(len(places.occurrences) for places in found) == len(whole) > 10


def test_patterns_of_one_structure_share_its_occurrences_by_features():
    # triangles of feature 0, of feature 1, and one between them that is nearer to 1
    values = np.repeat([0.0, 1.0, 0.0, 1.0, 1.0, 0.7], 3)[:, None]
    graph = nx.disjoint_union_all([TRIANGLE] * 6)
    finder = finder_of(graph, 3, features=values)
    pattern = as_snapped([TRIANGLE] * 2, 3, features=[np.zeros((3, 1)), np.ones((3, 1))])
    low, high = finder.find(pattern, "isomorphic", 0.0)
    assert node_sets(low) == [[0, 1, 2], [6, 7, 8]]
    assert node_sets(high) == [[3, 4, 5], [9, 10, 11], [12, 13, 14], [15, 16, 17]]
    assert sorted(high.occurrences[-1].nodes) == [15, 16, 17]
    assert high.occurrences[-1].similarity < high.occurrences[0].similarity == pytest.approx(1)
    assert (low.assigned, high.assigned) == (6, 12)


# ---------------------------------------------------------------- inexact occurrences


def test_similar_lists_what_is_not_exact():
    # a ring of five, one with a chord, a triangle with two tails, and a triangle
    ring, kite = nx.cycle_graph(5), nx.Graph([(0, 1), (0, 2), (1, 2), (1, 3), (2, 4)])
    chord = ring.copy()
    chord.add_edge(0, 2)
    finder = finder_of(nx.disjoint_union_all([ring, chord, kite, TRIANGLE]), 5)
    pattern = as_snapped([ring], 5)
    (exact,) = finder.find(pattern, "isomorphic", 0.0)
    assert node_sets(exact) == [[0, 1, 2, 3, 4]]
    (similar,) = finder.find(pattern, "similar", 0.0)
    assert node_sets_without_gaps(similar) == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
        [10, 11, 12, 13, 14],
        [15, 16, 17],
    ]
    # most similar first, and the threshold cuts the tail
    values = [place.similarity for place in similar.occurrences]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(1)
    threshold = (values[1] + values[2]) / 2
    (cut,) = finder.find(pattern, "similar", threshold)
    assert [place.nodes for place in cut.occurrences] == [p.nodes for p in similar.occurrences[:2]]
    assert cut.assigned == int((finder.similarity(pattern)[:, 0] >= threshold).sum())


def node_sets_without_gaps(places):
    return sorted(sorted(n for n in place.nodes if n is not None) for place in places.occurrences)


def test_a_role_that_nobody_plays_is_none():
    # an edge, beside the triangle that it resembles most
    finder = finder_of(nx.disjoint_union(nx.path_graph(2), TRIANGLE), 3)
    (triangle,) = finder.find(as_snapped([TRIANGLE], 3), "similar", 0.0)
    assert len(triangle.occurrences) == 2
    whole, part = triangle.occurrences
    assert sorted(whole.nodes) == [2, 3, 4]
    assert sorted(part.nodes, key=str) == [0, 1, None]


def test_similar_gives_each_subgraph_to_its_nearest_pattern():
    finder = finder_of(nx.disjoint_union_all([TRIANGLE, PATH3, TRIANGLE]), 3)
    triangle, path = finder.find(as_snapped([TRIANGLE, PATH3], 3), "similar", 0.0)
    assert node_sets(triangle) == [[0, 1, 2], [6, 7, 8]]
    assert node_sets(path) == [[3, 4, 5]]


# ---------------------------------------------------------------- ids


@pytest.mark.parametrize("rule", ["isomorphic", "similar"])
def test_collections_have_the_graph_and_ids_local_to_it(rule):
    finder = finder_of([PATH3, TRIANGLE, nx.disjoint_union(PATH3, TRIANGLE)], 3)
    (triangle,) = finder.find(as_snapped([TRIANGLE], 3), rule, 0.99)
    found = {place.graph: sorted(place.nodes) for place in triangle.occurrences}
    assert found == {1: [0, 1, 2], 2: [3, 4, 5]}
    assert triangle.medoid.graph in (1, 2)
    assert sorted(triangle.medoid.nodes) == found[triangle.medoid.graph]


def test_ids_are_those_of_the_input():
    graph = nx.Graph([("anna", "bo"), ("bo", "cy"), ("anna", "cy")])
    (triangle,) = finder_of(graph, 3).find(as_snapped([TRIANGLE], 3), "isomorphic", 0.9)
    assert sorted(triangle.occurrences[0].nodes) == ["anna", "bo", "cy"]
    assert all(type(node) is str for node in triangle.occurrences[0].nodes)
    assert triangle.medoid.root in ("anna", "bo", "cy")


def test_integer_ids_with_gaps():
    graph = nx.Graph([(100, 20), (20, 7), (100, 7)])
    (triangle,) = finder_of(graph, 3).find(as_snapped([TRIANGLE], 3), "isomorphic", 0.9)
    assert sorted(triangle.occurrences[0].nodes) == [7, 20, 100]
    assert all(type(node) is int for node in triangle.occurrences[0].nodes)


def test_the_medoid_is_the_most_similar_subgraph_even_without_occurrences():
    finder = finder_of(nx.disjoint_union(PATH3, nx.star_graph(3)), 4)
    (square,) = finder.find(as_snapped([nx.cycle_graph(4)], 4), "isomorphic", 0.9)
    assert square.occurrences == ()
    best = finder.similarity(as_snapped([nx.cycle_graph(4)], 4))[:, 0].argmax()
    assert square.medoid.root == int(finder.batch.roots[best])
    assert square.medoid.similarity < 0.9


def test_similar_subgraphs_that_share_most_nodes_are_one_place():
    # the nodes of a ring of six see five of it each, and not all the same five
    finder = finder_of(nx.cycle_graph(6), 5)
    node_sets = {frozenset(row) for row in finder.batch.nodes.tolist()}
    assert len(node_sets) > 1
    pattern = as_snapped([nx.path_graph(5)], 5)
    (exact,) = finder.find(pattern, "isomorphic", 0.0)
    (similar,) = finder.find(pattern, "similar", 0.0)
    assert (len(exact.occurrences), len(similar.occurrences)) == (len(node_sets), 1)
    assert similar.assigned == 6


@pytest.mark.parametrize(
    ("edges", "places"),
    [
        # two triangles that share an edge share two of three nodes, those of a bowtie one
        ([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 1),
        ([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)], 2),
    ],
)
def test_similar_subgraphs_that_share_less_are_several(edges, places):
    (triangle,) = finder_of(nx.Graph(edges), 3).find(as_snapped([TRIANGLE], 3), "similar", 0.99)
    assert len(triangle.occurrences) == places


def test_each_pattern_has_a_threshold_of_its_own():
    finder = finder_of(nx.disjoint_union_all([TRIANGLE, PATH3, STAR3]), 4)
    patterns = as_snapped([TRIANGLE, PATH3], 4)
    similarity = finder.similarity(patterns)
    largest = similarity[similarity < 0.999].max()
    triangle, path = finder.find(patterns, "isomorphic", np.array([1.0 - 1e-6, 0.0]))
    assert (triangle.assigned, triangle.min_similarity) == (3, pytest.approx(1, abs=1e-5))
    # the star resembles one of them
    nearest = finder.nearest(patterns)
    assert path.assigned == (nearest == 1).sum()
    assert largest < 1


def test_node_sets_are_those_of_the_occurrences():
    finder = finder_of(nx.disjoint_union_all([TRIANGLE, PATH3, TRIANGLE]), 3)
    (triangle, _) = finder.find(as_snapped([TRIANGLE, PATH3], 3), "isomorphic", 0.99)
    assert [sorted(row) for row in triangle.node_sets.tolist()] == [
        sorted(place.nodes) for place in triangle.occurrences
    ]
    assert triangle.roots.tolist() == [0, 1, 2, 6, 7, 8]


def test_counting_takes_those_that_are_similar_enough():
    values = np.repeat([0.0, 0.1, 0.5, 1.0], 3)[:, None]
    finder = finder_of(nx.disjoint_union_all([TRIANGLE] * 4), 3, features=values)
    pattern = as_snapped([TRIANGLE], 3, features=[np.zeros((3, 1))])
    similar = np.sort(finder.similarity(pattern)[::3, 0])[::-1]
    for number, typical in enumerate(similar, start=1):
        counts = finder.count(pattern, "isomorphic", np.zeros(1), np.array([typical]))
        assert counts.tolist() == [number]


# ---------------------------------------------------------------- noisy patterns


@pytest.mark.parametrize("rule", ["isomorphic", "similar"])
def test_a_noisy_pattern_is_shown_by_what_is_similar(rule):
    # three rings lack an edge, one is whole; stars are a pattern of their own
    ring, broken, star = nx.cycle_graph(6), nx.path_graph(6), nx.star_graph(5)
    finder = finder_of(nx.disjoint_union_all([ring, broken, broken, broken, star, star]), 6, 5)
    both = as_snapped([ring, star], 6)
    exact = finder.find(both, "isomorphic", 0.5)
    assert [len(places.occurrences) for places in exact] == [1, 2]
    noisy = finder.find(replace(both, noisy=(True, False)), rule, 0.5)
    assert [len(places.occurrences) for places in noisy] == [4, 2]
    assert noisy[0].occurrences[0].similarity == pytest.approx(1)
    # the threshold counts
    (kept,) = (p for p in finder.find(replace(both, noisy=(True, False)), rule, 0.999)[:1])
    assert node_sets(kept) == [[0, 1, 2, 3, 4, 5]]


def test_a_noisy_pattern_leaves_alone_what_shows_another_exactly():
    ring, broken = nx.cycle_graph(6), nx.path_graph(6)
    finder = finder_of(nx.disjoint_union_all([ring, broken, broken]), 6, 5)
    both = replace(as_snapped([ring, broken], 6), noisy=(True, False))
    ring_places, path_places = finder.find(both, "isomorphic", 0.0)
    assert len(ring_places.occurrences) == 1
    assert len(path_places.occurrences) == 2
    certain = np.zeros(2)
    assert finder.count(both, "isomorphic", certain, certain).tolist() == [1, 2]


def test_what_is_noisy_stays_so_when_filters_are_taken_and_joined():
    both = replace(as_snapped([TRIANGLE, PATH3], 3), noisy=(False, True))
    assert both.take([1, 0]).noisy == (True, False)
    assert DiscreteFilters.join([as_snapped([STAR3], 4), as_snapped([PATH3], 4)]).noisy == (
        False,
        False,
    )
    assert DiscreteFilters.join([both, both]).noisy == (False, True, False, True)
