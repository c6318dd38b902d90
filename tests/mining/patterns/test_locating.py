"""Where chosen structures are: places and counts by hand."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from exact_counts import count_by_graph

from gomkcn.mining.patterns import locating
from gomkcn.mining.patterns.locating import LocatingLimits, locate_patterns
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import MotifPart, OccurrenceCount, Pattern
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps

TRIANGLE, PATH = nx.complete_graph(3), nx.path_graph(3)
BOWTIE = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)])


def locate(graph, shapes, **limits):
    """Patterns given as networkx graphs, with exact counts."""
    mined = MinedGraph.of(as_csr(graph))
    patterns = []
    for shape in shapes:
        structure = Structure.from_networkx(shape)
        count = OccurrenceCount.exact(count_by_graph(mined.graph, structure).sum())
        patterns.append(Pattern(structure).counted(count))
    return locate_patterns(mined, patterns, 0, Steps(), LocatingLimits(**limits))


def node_sets(located):
    return sorted(sorted(one.nodes) for one in located.occurrences)


@pytest.mark.parametrize(
    ("graph", "patterns", "expected", "disjoint"),
    [
        (nx.disjoint_union_all([TRIANGLE, PATH, TRIANGLE]), [TRIANGLE, PATH],
         [[[0, 1, 2], [6, 7, 8]], [[3, 4, 5]]], [2, 1]),
        # a node may be in two places
        (BOWTIE, [TRIANGLE], [[[0, 1, 2], [2, 3, 4]]], [1]),
        # three nodes of a clique induce a triangle and never a path
        (nx.complete_graph(4), [PATH], [[]], [0]),
    ],
)  # fmt: skip
def test_places_and_counts_by_hand(graph, patterns, expected, disjoint):
    located = locate(graph, patterns)
    assert list(map(node_sets, located)) == expected
    for one, own, sets in zip(located, disjoint, expected, strict=True):
        found = one.frequency
        assert found.count == found.listed == len(sets)
        assert (found.disjoint, found.graphs) == (own, bool(sets))


def test_a_collection_has_the_graph_and_ids_local_to_it(monkeypatch):
    graphs = [PATH, TRIANGLE, nx.disjoint_union(PATH, TRIANGLE), nx.complete_graph(5)]
    (triangle,) = locate(graphs, [TRIANGLE])
    nodes = {one.graph: sorted(one.nodes) for one in triangle.occurrences if one.graph < 3}
    assert nodes == {1: [0, 1, 2], 2: [3, 4, 5]}
    assert (triangle.frequency.count, triangle.frequency.graphs) == (12, 3)
    # where only some places are listed, all graphs are counted nevertheless
    (some,) = locate(graphs, [TRIANGLE], most_listed=2)
    assert (some.frequency.count, some.frequency.listed, some.frequency.graphs) == (12, 2, 3)
    # if no other graph is decided, those of the places that are listed are known
    monkeypatch.setattr(locating, "find_graphs", lambda graph, *_: (np.zeros(4, bool), False))
    (some,) = locate(graphs, [TRIANGLE], most_listed=2)
    assert some.frequency.graphs == len({one.graph for one in some.occurrences}) > 0


def test_fewer_places_are_listed_when_time_is_up():
    mined = MinedGraph.of(nx.barabasi_albert_graph(2000, 4, seed=0))
    structure = Structure.parse("path-4")
    count = OccurrenceCount.exact(int(count_by_graph(mined.graph, structure).sum()))
    pattern = Pattern(structure).counted(count)
    listed = [
        locate_patterns(mined, [pattern], 0, Steps(interrupts=interrupts))[0].frequency.listed
        for interrupts in (None, Interrupts(time_limit=1e-9))
    ]
    assert listed[0] == 10_000 and 0 < listed[1] < 2_000


def test_copies_stand_for_places_that_the_search_does_not_reach():
    clique = nx.complete_graph(4)
    graph = nx.disjoint_union_all([nx.complete_bipartite_graph(100, 100), clique, clique])
    # the second copy lacks an edge of the clique
    graph.remove_edge(204, 205)
    mined = MinedGraph.of(as_csr(graph))
    copies = mined.occurrences(mined.order.position[np.arange(200, 208).reshape(2, 4)])
    motif = MotifPart(copies, 9.0, "uniform", num_copies=2, edits=np.array([[1, 0, 1, -1]]))
    pattern = replace(Pattern(Structure.from_networkx(clique)), motif=motif)
    pattern = pattern.counted(OccurrenceCount.exact(1))
    (located,) = locate_patterns(mined, [pattern], 0, Steps(), LocatingLimits(list_steps=1))
    assert node_sets(located) == [[200, 201, 202, 203]]
    assert located.frequency.listed == 1
