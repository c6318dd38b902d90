"""Locating the structures that were chosen: places, counts and graphs, by hand and by NetworkX."""

import networkx as nx
import numpy as np
import pytest
from test_neighbourhoods import source_of

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from mining.counting.exact_counts import count_exact
from mining.locating import locating
from mining.locating.locating import locate_patterns
from mining.mined_graph import MinedGraph
from mining.records.occurrence_count import OccurrenceCount
from mining.records.pattern import Pattern, Profile

TRIANGLE, PATH, RING = nx.complete_graph(3), nx.path_graph(3), nx.cycle_graph(5)
BOWTIE = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)])


def locate(graph, shapes, levels=(), min_support=1, features=None, **options):
    """Patterns given as networkx graphs, with their exact counts, and levels that filters learnt."""
    mined = MinedGraph.of(as_csr(graph, features=features))
    patterns = []
    for shape in shapes:
        structure = Structure.from_networkx(shape)
        count = OccurrenceCount.exact(count_exact(mined.graph, structure).count)
        weights = structure.channels.astype(float)
        learnt = (Profile(np.full((len(shape), 1), level), weights, 1) for level in levels)
        patterns.append(Pattern(structure, profiles=tuple(learnt)).counted(count))
    return locate_patterns(mined, source_of(6, **options), patterns, min_support, Steps())


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
    located, filters, _ = locate(graph, patterns)
    assert list(map(node_sets, located)) == expected
    for one, own, sets in zip(located, disjoint, expected, strict=True):
        frequency = one.frequency
        assert (frequency.count, frequency.listed, frequency.disjoint) == (
            len(sets),
            len(sets),
            own,
        )
        assert frequency.graphs == bool(sets)
    assert [one.frequency.roots for one in located] == roots
    assert filters.num_nodes == tuple(map(len, patterns))


def test_all_structures_of_four_nodes_are_where_networkx_finds_them():
    graph = nx.powerlaw_cluster_graph(30, 2, 0.5, seed=3)
    shapes = [g for g in nx.graph_atlas_g() if len(g) == 4 and nx.is_connected(g)]
    for shape, one in zip(shapes, locate(graph, shapes)[0], strict=True):
        matcher = nx.algorithms.isomorphism.GraphMatcher(graph, shape)
        expected = {frozenset(found) for found in matcher.subgraph_isomorphisms_iter()}
        assert node_sets(one) == sorted(map(sorted, expected))
        # the nodes of a place are in the order of those of the pattern
        for place in one.occurrences:
            copy = nx.relabel_nodes(shape, dict(enumerate(place.nodes)))
            assert nx.utils.graphs_equal(nx.Graph(copy.edges), nx.Graph(graph.subgraph(copy).edges))


def test_a_collection_has_the_graph_and_ids_local_to_it(monkeypatch):
    graphs = [PATH, TRIANGLE, nx.disjoint_union(PATH, TRIANGLE), nx.complete_graph(5)]
    (triangle,) = locate(graphs, [TRIANGLE])[0]
    nodes = {one.graph: sorted(one.nodes) for one in triangle.occurrences if one.graph < 3}
    assert nodes == {1: [0, 1, 2], 2: [3, 4, 5]}
    assert (triangle.frequency.count, triangle.frequency.graphs) == (12, 3)
    # where only some places are listed, all graphs are counted nevertheless
    monkeypatch.setattr(locating, "MOST_LISTED", 2)
    (some,) = locate(graphs, [TRIANGLE])[0]
    assert (some.frequency.count, some.frequency.listed, some.frequency.graphs) == (12, 2, 3)


def test_a_pattern_has_a_profile_for_each_kind_of_features_that_filters_learnt():
    # triangles of feature 0, of feature 1, and one between them that is nearer to 1
    values = np.repeat([0.0, 1.0, 0.0, 0.7], 3)[:, None]
    graph = nx.disjoint_union_all([TRIANGLE] * 4)
    (one,), filters, near = locate(graph, [TRIANGLE], (0.0, 1.0), features=values)
    assert (one.frequency.count, one.frequency.listed, one.num_filters) == (4, 4, 2)
    low, high = sorted(one.profiles, key=lambda profile: profile.features[0, 0])
    assert (low.share, high.share) == (0.5, 0.5)
    np.testing.assert_allclose(low.features, 0, atol=1e-6)
    np.testing.assert_allclose(high.features, 0.85, atol=1e-6)
    # a row of the filters each, and a column of the neighbourhoods for both
    assert filters.num_nodes == (3, 3) and near.similarity.shape == (12, 1)
    assert one.frequency.roots == one.frequency.assigned == 12
    # the mean of both is as near to either, and what is as the mean is nearer
    similarity = one.occurrences.similarity
    assert similarity[:2] == pytest.approx(1) and similarity[2] == pytest.approx(similarity[3])
    (rare,), _, _ = locate(graph, [TRIANGLE], (0.0, 1.0), features=values, min_support=3)
    assert (rare.frequency.listed, [p.share for p in rare.profiles]) == (4, [1.0])


def test_roots_of_a_sample_stand_for_all():
    graph = nx.disjoint_union_all([TRIANGLE] * 100)
    (triangle,), _, near = locate(graph, [TRIANGLE], sample_error=0.2)
    # 2 ln(200) / 0.08 = 66.2
    assert len(near.roots) == 67
    assert (triangle.frequency.count, triangle.frequency.roots) == (100, 300)
