"""Places of patterns of which few copies are intact: similar subgraphs, without overlaps."""

import networkx as nx
import numpy as np
import pytest
from test_neighbourhoods import filters_of, source_of

from gomkcn_dgl.graph import as_csr
from mining.locating.noisy_places import list_noisy_places, without_overlaps

TRIANGLE, RING5, RING6 = nx.complete_graph(3), nx.cycle_graph(5), nx.cycle_graph(6)
BOWTIE = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)])
DIAMOND = nx.Graph([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])


def places(graph, pattern, roots=None):
    """Places in a graph; the pattern has padding that means nothing."""
    csr, width = as_csr(graph), len(pattern) + 2
    roots = np.arange(csr.num_nodes) if roots is None else np.array(roots, np.int64)
    return list_noisy_places(source_of(width, num_hops=5), csr, filters_of([pattern], width), roots)


def test_inexact_copies_are_places_and_the_most_similar_first():
    chord = nx.cycle_graph(5)
    chord.add_edge(0, 2)
    nodes, similarity = places(nx.disjoint_union_all([chord, RING5, TRIANGLE]), RING5)
    assert [sorted(row) for row in nodes.tolist()] == [
        [5, 6, 7, 8, 9], [-1, -1, 10, 11, 12], [0, 1, 2, 3, 4]
    ]  # fmt: skip
    assert similarity[0] == pytest.approx(1)
    assert (np.diff(similarity) < 0).all()
    # an intact copy is mapped by an isomorphism
    edges = {frozenset((nodes[0, u], nodes[0, v])) for u, v in RING5.edges}
    assert edges == {frozenset((u + 5, v + 5)) for u, v in RING5.edges}
    assert nodes.dtype == np.int32


@pytest.mark.parametrize(
    ("graph", "pattern", "count"),
    [
        # the subgraphs of a ring of six share four of five nodes with each other
        (RING6, nx.path_graph(5), 1),
        # triangles at an edge share two of three nodes, those of a bowtie one
        (DIAMOND, TRIANGLE, 1),
        (BOWTIE, TRIANGLE, 2),
    ],
)
def test_subgraphs_that_share_most_nodes_are_one_place(graph, pattern, count):
    assert len(places(graph, pattern)[0]) == count


def test_only_the_roots_that_are_given_have_places():
    graph = nx.disjoint_union_all([RING5] * 4)
    assert sorted(map(min, places(graph, RING5, [0, 3, 12])[0].tolist())) == [0, 10]
    nodes, similarity = places(graph, RING5, [])
    assert (nodes.shape, similarity.shape) == ((0, 5), (0,))


@pytest.mark.parametrize("seed", range(3))
def test_overlaps_are_those_of_the_plain_definition(seed):
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.permutation(12)[:4] for _ in range(80)])
    rows[::7, 3] = -1
    similarity = rng.integers(0, 6, 80) / 5
    kept = []
    for row in np.argsort(-similarity, kind="stable").tolist():
        own = set(rows[row].tolist()) - {-1}
        if all(2 * len(own & set(rows[other].tolist())) <= len(own) for other in kept):
            kept.append(row)
    assert without_overlaps(rows, similarity).tolist() == kept
