"""Locating the structures that were chosen: places, counts and graphs, by hand and by NetworkX."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
from test_neighbourhoods import filters_of, source_of

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from mining.counting.exact_counts import count_exact
from mining.locating import locating
from mining.locating.locating import ChosenStructure, locate_patterns
from mining.records.occurrence import Occurrences
from mining.records.occurrence_count import OccurrenceCount

TRIANGLE, PATH, RING = nx.complete_graph(3), nx.path_graph(3), nx.cycle_graph(5)
BOWTIE = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)])


def chosen_from(csr, *patterns, filters=None):
    """Patterns given as networkx graphs, with their exact counts."""
    rows = []
    for pattern in patterns:
        structure = Structure.from_networkx(pattern)
        count = OccurrenceCount.exact(count_exact(csr, structure).count)
        rows.append(ChosenStructure(structure, count, filters))
    return rows


def locate(graph, patterns, filters=None, min_support=1, features=None, most=99, **options):
    csr, steps = as_csr(graph, features=features), Steps()
    chosen = chosen_from(csr, *patterns, filters=filters)
    at = partial(Occurrences.at, graph=csr)
    source = source_of(6, **options)
    return locate_patterns(source, csr, chosen, most, min_support, steps, at)


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
    found = locate(graph, patterns)
    assert list(map(node_sets, found.located)) == expected
    for one, own, sets in zip(found.located, disjoint, expected, strict=True):
        frequency = one.frequency
        assert (frequency.count, frequency.listed, frequency.disjoint) == (
            len(sets),
            len(sets),
            own,
        )
        assert frequency.graphs == bool(sets)
    assert [one.frequency.roots for one in found.located] == roots
    assert found.filters.num_nodes == tuple(map(len, patterns))


def test_all_structures_of_four_nodes_are_where_networkx_finds_them():
    graph = nx.powerlaw_cluster_graph(30, 2, 0.5, seed=3)
    shapes = [g for g in nx.graph_atlas_g() if len(g) == 4 and nx.is_connected(g)]
    for shape, one in zip(shapes, locate(graph, shapes).located, strict=True):
        matcher = nx.algorithms.isomorphism.GraphMatcher(graph, shape)
        expected = {frozenset(found) for found in matcher.subgraph_isomorphisms_iter()}
        assert node_sets(one) == sorted(map(sorted, expected))
        # the nodes of a place are in the order of those of the pattern
        for place in one.occurrences:
            copy = nx.relabel_nodes(shape, dict(enumerate(place.nodes)))
            assert nx.utils.graphs_equal(nx.Graph(copy.edges), nx.Graph(graph.subgraph(copy).edges))
        if expected:
            assert one.medoid.nodes == one.occurrences[0].nodes


def test_a_collection_has_the_graph_and_ids_local_to_it(monkeypatch):
    graphs = [PATH, TRIANGLE, nx.disjoint_union(PATH, TRIANGLE), nx.complete_graph(5)]
    (triangle,) = locate(graphs, [TRIANGLE]).located
    nodes = {one.graph: sorted(one.nodes) for one in triangle.occurrences if one.graph < 3}
    assert nodes == {1: [0, 1, 2], 2: [3, 4, 5]}
    assert (triangle.frequency.count, triangle.frequency.graphs) == (12, 3)
    # where only some places are listed, all graphs are counted nevertheless
    monkeypatch.setattr(locating, "MOST_LISTED", 2)
    (some,) = locate(graphs, [TRIANGLE]).located
    assert (some.frequency.count, some.frequency.listed, some.frequency.graphs) == (12, 2, 3)


def test_patterns_of_one_structure_share_its_occurrences():
    # triangles of feature 0, of feature 1, and one between them that is nearer to 1
    values = np.repeat([0.0, 1.0, 0.0, 0.7], 3)[:, None]
    graph, filters = (
        nx.disjoint_union_all([TRIANGLE] * 4),
        filters_of([TRIANGLE] * 2, 3, [0.0, 1.0]),
    )
    low, high = locate(graph, [TRIANGLE], filters=filters, features=values).located
    assert (node_sets(low), node_sets(high)) == ([[0, 1, 2], [6, 7, 8]], [[3, 4, 5], [9, 10, 11]])
    assert (low.frequency.occurrences, low.origin) == (OccurrenceCount.exact(2), 0)
    # the mean of both is as near to either
    assert high.medoid.similarity == pytest.approx(high.occurrences[1].similarity)
    # no more patterns than were asked for
    (first,) = locate(graph, [TRIANGLE], filters=filters, features=values, most=1).located
    assert node_sets(first) == node_sets(low)
    (both,) = locate(graph, [TRIANGLE], filters=filters, features=values, min_support=3).located
    assert (both.frequency.count, both.frequency.listed) == (4, 4)


def test_a_share_of_a_sample_is_an_estimate():
    nodes = np.zeros((25, 3), np.int32)
    some = locating.Places(nodes, np.zeros((3, 1)), 0.25, is_complete=False)
    share = locating._share_of(OccurrenceCount.exact(4000), some)
    # 25 of 100 drawn: the share is .25 ± .043
    assert share.value == 1000 and not share.is_exact
    error = 1.96 * np.sqrt(0.75 / 0.25 / 100)
    assert (share.low, share.high) == pytest.approx((1000 * (1 - error), 1000 * (1 + error)))
    whole = locating.Places(nodes, np.zeros((3, 1)), 1.0, is_complete=False)
    count = OccurrenceCount(50.0, 40.0, 60.0, is_exact=False)
    assert locating._share_of(count, whole) is count


def test_roots_of_a_sample_stand_for_all():
    graph = nx.disjoint_union_all([TRIANGLE] * 100)
    found = locate(graph, [TRIANGLE], sample_error=0.2)
    # 2 ln(200) / 0.08 = 66.2
    assert len(found.neighbourhoods.roots) == 67
    (triangle,) = found.located
    assert (triangle.frequency.count, triangle.frequency.roots) == (100, 300)
