"""Where chosen structures are: neighbourhoods, places turned by their features, counts by hand."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import gomk
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.steps import Steps
from mining import locating
from mining.categories import Categories
from mining.counting.exact_search import count_by_graph
from mining.learning import neighbourhoods
from mining.learning.neighbourhoods import (
    compare_neighbourhoods,
    filters_of,
    similarity_of_places,
    turn_places,
)
from mining.learning.rooted_subgraphs import FeatureScaling, ScaledFeatures
from mining.learning.subgraph_source import SubgraphSource
from mining.locating import count_roots, locate_patterns
from mining.mined_graph import MinedGraph
from mining.pattern import OccurrenceCount, Pattern, Profile

TRIANGLE, PATH, RING, CLIQUE = (
    nx.complete_graph(3), nx.path_graph(3), nx.cycle_graph(5), nx.complete_graph(4)
)  # fmt: skip


def patterns_of(shapes, features=None):
    """Patterns of networkx graphs with one feature, 1 when left out."""
    found = []
    for number, shape in enumerate(shapes):
        structure = structure_of(shape)
        values = np.ones(len(shape)) if features is None else np.array(features[number])
        profile = Profile(values[:, None], structure.channels.astype(float))
        found.append(Pattern(structure, profiles=(profile,)))
    return found


def source_of(size, num_hops=3, kernel=None, limit=2**30, **options):
    unscaled = FeatureScaling(np.zeros(1), np.ones(1), np.ones(1))
    return SubgraphSource(kernel or GOMKKernel(3), unscaled, size, limit, num_hops, **options)


def compare(graph, patterns, width=6, roots=None, features=None, **options):
    csr = as_csr(graph, features=features)
    return compare_neighbourhoods(source_of(width, **options), csr, patterns_of(patterns), roots)


@pytest.mark.parametrize("policy", ["dense", "bfs"])
def test_a_pattern_of_m_nodes_is_compared_with_subgraphs_of_m_nodes(policy):
    graph = nx.powerlaw_cluster_graph(40, 2, 0.5, seed=3)
    values = np.random.default_rng(0).random((40, 1))
    patterns = [RING, TRIANGLE, CLIQUE, PATH, nx.star_graph(4)]
    near = compare(graph, patterns, features=values, policy=policy, num_hops=2)
    csr = as_csr(graph, features=values)
    for number, pattern in enumerate(patterns):
        size, adj = len(pattern), torch.from_numpy(nx.to_numpy_array(pattern)[None]).float()
        source = source_of(size, num_hops=2, policy=policy)
        batch = source.extract(csr)
        expected = gomk(
            torch.from_numpy(batch.adjacency()), torch.from_numpy(batch.gather(csr.features)),
            adj, torch.ones(1, size, 1),
            num_nodes=torch.from_numpy(batch.num_nodes), kernel=source.kernel, normalize=True,
            backend="reference",
        )  # fmt: skip
        np.testing.assert_allclose(near.similarity[:, number], expected[:, 0], rtol=1e-5, atol=1e-6)
        same = [
            nx.is_isomorphic(graph.subgraph({*row} - {-1}), pattern) for row in batch.nodes.tolist()
        ]
        assert near.same[:, number].tolist() == same
    # of equals the structure decides, and the larger pattern
    value = np.take_along_axis(near.similarity, near.nearest[:, None], axis=1)[:, 0]
    assert (value >= near.similarity.max(axis=1) - 6e-5).all()


def test_of_perfect_matches_the_pattern_that_says_most_is_nearest():
    graph = nx.disjoint_union_all([RING, CLIQUE, PATH])
    for patterns in ([PATH, TRIANGLE, RING, CLIQUE], [CLIQUE, RING, TRIANGLE, PATH]):
        near = compare(graph, patterns, width=5)
        ring, clique, path = (patterns.index(one) for one in (RING, CLIQUE, PATH))
        assert near.nearest.tolist() == [ring] * 5 + [clique] * 4 + [path] * 3
        assert near.similarity.max(axis=1) == pytest.approx(1)
        # a ring is cut into a path around each of its nodes
        assert near.similarity[:5, path] == pytest.approx(1)


def test_a_neighbourhood_has_the_categories_of_a_pattern_as_well():
    # edges of two kinds of nodes: equal ends in the second, a square of the other kind
    graph = nx.disjoint_union_all([nx.path_graph(2), nx.path_graph(2), nx.cycle_graph(4)])
    colors = np.array([0, 1, 1, 1, 0, 0, 1, 1])
    features = np.eye(2)[colors]
    csr = as_csr(graph, features=features)
    edge, square = nx.path_graph(2), nx.cycle_graph(4)
    scaling = FeatureScaling(np.zeros(2), np.ones(2), np.ones(2))
    source = replace(
        source_of(4), scaling=scaling, categories=Categories.find(features, ["kind=a", "kind=b"])
    )
    patterns = []
    for shape, own in (
        (edge, [0, 1]),
        (edge, [1, 1]),
        (square, [1, 1, 0, 0]),
        (square, [0, 1, 0, 1]),
    ):
        named = replace(structure_of(shape), categories=tuple((f"x{kind}",) for kind in own))
        profile = Profile(np.eye(2)[own], named.channels.astype(float))
        patterns.append(Pattern(named, profiles=(profile,)))
    near = compare_neighbourhoods(source, csr, patterns, None)
    first, second, rows, alternating = (np.flatnonzero(one).tolist() for one in near.same.T)
    assert rows == [4, 5, 6, 7] and alternating == []
    # of a square, the first two nodes around each root are compared
    assert first[:2] == [0, 1] and second[:2] == [2, 3]


@pytest.mark.parametrize("size", [1, 7])
def test_parts_and_samples_of_the_roots_give_the_same_rows(size, monkeypatch):
    graph = nx.gnm_random_graph(30, 50, seed=2)
    patterns = [TRIANGLE, RING, nx.star_graph(3)]
    whole = compare(graph, patterns)
    roots = np.array([3, 4, 11, 12, 13, 20, 21, 29])
    monkeypatch.setattr(neighbourhoods, "_TASK_SIZE", size)
    parts, some = compare(graph, patterns), compare(graph, patterns, roots=roots)
    assert some.roots.tolist() == roots.tolist()
    for name in ("similarity", "same"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
        np.testing.assert_array_equal(getattr(some, name), getattr(whole, name)[roots])


UNSCALED = FeatureScaling(np.zeros(1), np.ones(1), np.ones(1))


def structure_of(graph):
    return Structure(nx.to_numpy_array(graph))


def unscaled(values):
    return ScaledFeatures(np.asarray(values, np.float32).reshape(-1, 1), UNSCALED)


def turn(rows, graph, values, *args, **options):
    rows = np.array(rows, np.int32).reshape(-1, len(graph))
    return turn_places(rows, structure_of(graph), unscaled(values), *args, **options)


def test_places_are_turned_until_their_features_agree_by_hand():
    # the second path is listed the other way round
    one = turn([[0, 1, 2], [5, 4, 3]], PATH, [0, 0.5, 1, 0, 0.5, 1])
    assert one.nodes.tolist() == [[0, 1, 2], [3, 4, 5]]
    np.testing.assert_allclose(one.means[0][:, 0], [0, 0.5, 1])
    assert one.owner.tolist() == [0, 0]
    # a colour at one end forbids it
    colored = Structure.parse("0:a--1:a, 1--2:b")
    rows = np.array([[0, 1, 2], [5, 4, 3]])
    kept = turn_places(rows, colored, unscaled([0, 0.5, 1, 0, 0.5, 1]))
    assert kept.nodes.tolist() == rows.tolist()
    np.testing.assert_allclose(kept.means[0][:, 0], [0.5, 0.5, 0.5])


@pytest.mark.parametrize("table_size", [2**22, 1])
def test_noisy_copies_in_any_turn_are_aligned(table_size, monkeypatch):
    monkeypatch.setattr(neighbourhoods, "_TABLE_SIZE", table_size)
    rng, rows, values = np.random.default_rng(0), [], []
    symmetries = structure_of(RING).symmetries
    for copy in range(40):
        rows.append(5 * copy + symmetries[rng.integers(len(symmetries))])
        values += (np.array([0.1, 0.3, 0.9, 0.5, 0.7]) + rng.normal(0, 0.02, 5)).tolist()
    one = turn(rows, RING, values)
    # the first place decides which of the turns it is
    assert (one.nodes % 5 == one.nodes[0] % 5).all()
    for row, given in zip(one.nodes, rows, strict=True):
        assert row.tolist() in given[symmetries].tolist()
    spread = np.array(values)[one.nodes].mean(axis=0)
    np.testing.assert_allclose(one.means[0][:, 0], spread, atol=1e-6)


def test_centers_share_the_places_by_their_features():
    # triangles of feature 0, of feature 1, and one between them that is nearer to 1
    rows, values = np.arange(12).reshape(4, 3), np.repeat([0.0, 1.0, 0.0, 0.7], 3)
    centers = [np.full((3, 1), level) for level in (0.0, 1.0)]
    one = turn(rows, TRIANGLE, values, centers)
    assert one.nodes.tolist() == rows.tolist() and one.owner.tolist() == [0, 1, 0, 1]
    np.testing.assert_allclose(one.means[1], 0.85, atol=1e-6)
    # a center that no place is nearest to is none
    idle = [np.full((3, 1), level) for level in (9.0, 0.0, 1.0)]
    assert [*turn(rows, TRIANGLE, values, idle).means] == [1, 2]


@pytest.mark.parametrize(("min_occurrences", "sizes"), [(2, [7, 2]), (3, [9]), (10, [9])])
def test_the_places_of_a_rare_center_go_to_another(min_occurrences, sizes):
    values = np.repeat([0.0] * 7 + [1.0] * 2, 3)
    centers = [np.full((3, 1), level) for level in (0.0, 1.0)]
    one = turn(np.arange(27), TRIANGLE, values, centers, min_occurrences)
    # most places first
    assert [int((one.owner == number).sum()) for number in one.means] == sizes


def test_centers_that_differ_less_than_their_places_are_one():
    # each node has a feature of its own; then two tight groups, and a tight one beside a wide one
    rng = np.random.default_rng(0)
    tight = np.concatenate([rng.normal(0, 0.1, 100), rng.normal(1, 0.1, 100)])
    wide = np.concatenate([np.full(150, 0.5), 0.5 + 0.5 * rng.random(50)])
    for values, levels, kept in (
        (rng.random(200), (0.45, 0.5, 0.55), 1),
        (tight, (0.2, 0.8), 2),
        (wide, (0.5, 0.9), 2),
    ):
        centers = [np.full((5, 1), level) for level in levels]
        one = turn(np.arange(200), RING, values, centers)
        assert len(one.means) == kept and {*one.joined.values()} == {*one.means}
    # the same center in another turn
    copies = np.tile([0, 0.1, 1], 20) + rng.normal(0, 0.02, 60)
    centers = [np.array([[0], [0.1], [1]]), np.array([[1], [0.1], [0]])]
    assert len(turn(np.arange(60), PATH, copies, centers).means) == 1


def test_without_features_or_places_there_is_one_center():
    centers = [np.full((3, 1), level) for level in (0.0, 1.0)]
    one = turn([[0, 1, 2], [5, 4, 3]], PATH, [0.5] * 6, centers)
    assert one.nodes.tolist() == [[0, 1, 2], [5, 4, 3]] and [*one.means] == [0]
    none = turn([], PATH, [0.5] * 6, centers)
    assert (none.nodes.shape, none.means[0].tolist()) == ((0, 3), [[0.0]] * 3)


def test_the_similarity_of_a_place_is_that_of_its_nodes_at_level_0():
    # squared distances 0 and 0, 0.5 and 0; two features, and widths 0.5 and 9 of two levels
    values = np.array([[[0.0, 1.0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]])
    kernel = GOMKKernel(1, tau=(0.5, 9.0))
    found = similarity_of_places(kernel, values, values[0])
    assert found.tolist() == pytest.approx([1, (np.exp(-0.5) + 1) / 2]) and found[0] == 1
    assert similarity_of_places(kernel, values[:0], values[0]).shape == (0,)


BOWTIE = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)])


def locate(graph, shapes, levels=(), min_occurrences=1, features=None, **options):
    """Patterns given as networkx graphs, with exact counts, and levels that filters learnt."""
    mined = MinedGraph.of(as_csr(graph, features=features))
    patterns = []
    for shape in shapes:
        structure = Structure.from_networkx(shape)
        count = OccurrenceCount.exact(count_by_graph(mined.graph, structure).sum())
        weights = structure.channels.astype(float)
        learnt = (Profile(np.full((len(shape), 1), level), weights, 1) for level in levels)
        patterns.append(Pattern(structure, profiles=tuple(learnt)).counted(count))
    source = source_of(6, **options)
    located = locate_patterns(mined, source, patterns, min_occurrences, Steps())
    return count_roots(mined, source, located, Steps())


def node_sets(located):
    return sorted(sorted(one.nodes) for one in located.occurrences)


@pytest.mark.parametrize(
    ("graph", "patterns", "expected", "roots", "disjoint"),
    [
        (nx.disjoint_union_all([TRIANGLE, PATH, TRIANGLE]), [TRIANGLE, PATH],
         [[[0, 1, 2], [6, 7, 8]], [[3, 4, 5]]], [6, 3], [2, 1]),
        # a node may be in two places
        (BOWTIE, [TRIANGLE], [[[0, 1, 2], [2, 3, 4]]], [5], [1]),
        # three nodes of a clique induce a triangle and never a path
        (nx.complete_graph(4), [PATH], [[]], [0], [0]),
    ],
)  # fmt: skip
def test_places_and_counts_by_hand(graph, patterns, expected, roots, disjoint):
    located = locate(graph, patterns)
    assert list(map(node_sets, located)) == expected
    for one, own, sets in zip(located, disjoint, expected, strict=True):
        found = one.frequency
        assert found.count == found.listed == len(sets)
        assert (found.disjoint, found.graphs) == (own, bool(sets))
    assert [one.frequency.roots for one in located] == roots


def test_a_collection_has_the_graph_and_ids_local_to_it(monkeypatch):
    graphs = [PATH, TRIANGLE, nx.disjoint_union(PATH, TRIANGLE), nx.complete_graph(5)]
    (triangle,) = locate(graphs, [TRIANGLE])
    nodes = {one.graph: sorted(one.nodes) for one in triangle.occurrences if one.graph < 3}
    assert nodes == {1: [0, 1, 2], 2: [3, 4, 5]}
    assert (triangle.frequency.count, triangle.frequency.graphs) == (12, 3)
    # where only some places are listed, all graphs are counted nevertheless
    monkeypatch.setattr(locating, "MOST_LISTED", 2)
    (some,) = locate(graphs, [TRIANGLE])
    assert (some.frequency.count, some.frequency.listed, some.frequency.graphs) == (12, 2, 3)
    # if not, those of the places that are listed are known
    monkeypatch.setattr(locating, "find_graphs", lambda graph, *_: (np.zeros(4, bool), False))
    (some,) = locate(graphs, [TRIANGLE])
    assert some.frequency.graphs == len({one.graph for one in some.occurrences}) > 0


def test_a_pattern_has_a_profile_for_each_kind_of_features_that_filters_learnt():
    # triangles of feature 0, of feature 1, and one between them that is nearer to 1
    values = np.repeat([0.0, 1.0, 0.0, 0.7], 3)[:, None]
    graph = nx.disjoint_union_all([TRIANGLE] * 4)
    (one,) = locate(graph, [TRIANGLE], (0.0, 1.0), features=values)
    assert (one.frequency.count, one.frequency.listed, one.num_filters) == (4, 4, 2)
    low, high = sorted(one.profiles, key=lambda profile: profile.features[0, 0])
    assert (low.share, high.share) == (0.5, 0.5)
    np.testing.assert_allclose(low.features, 0, atol=1e-6)
    np.testing.assert_allclose(high.features, 0.85, atol=1e-6)
    # a filter each, and the nodes around which either is for both
    assert filters_of(one, source_of(6)).num_nodes == (3, 3)
    assert one.frequency.roots == one.frequency.assigned == 12
    # the mean of both is as near to either, and what is as the mean is nearer
    similarity = one.occurrences.similarity
    assert similarity[:2] == pytest.approx(1) and similarity[2] == pytest.approx(similarity[3])
    (rare,) = locate(graph, [TRIANGLE], (0.0, 1.0), features=values, min_occurrences=3)
    assert (rare.frequency.listed, [p.share for p in rare.profiles]) == (4, [1.0])


def test_the_places_most_similar_to_their_mean_come_first():
    rings = nx.disjoint_union_all([nx.complete_graph(3)] * 3)
    (same,) = locate(rings, [TRIANGLE], features=np.full((9, 1), 0.5))
    assert [one.similarity for one in same.occurrences] == [1, 1, 1]
    # the features of the third differ
    (found,) = locate(rings, [TRIANGLE], features=np.repeat([0.2, 0.2, 0.8], 3)[:, None])
    first, second, third = found.occurrences
    assert 1 > first.similarity == second.similarity > third.similarity
    assert sorted(third.nodes) == [6, 7, 8]


def test_roots_of_a_sample_stand_for_all():
    graph = nx.disjoint_union_all([TRIANGLE] * 100)
    # 2 ln(200) / 0.08 = 66.2, so that 67 nodes are looked at
    (triangle,) = locate(graph, [TRIANGLE], sample_error=0.2)
    assert (triangle.frequency.count, triangle.frequency.roots) == (100, 300)
