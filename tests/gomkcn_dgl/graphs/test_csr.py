"""csr_from_edges as a loop over the edges has it; relations, collections, refusals."""

import itertools
import re
from collections import Counter, defaultdict
from dataclasses import fields

import networkx as nx
import numpy as np
import pytest
from graph_files import assert_same, edges, named_edges
from random_graphs import KINDS, draw, link_matrix

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.relations import MAX_RELATIONS, SIMPLE, relations_of


def tidied(kinds, rows):
    """Edges, the weight of each entry, and notes, of rows of source, target, relation, weight."""
    names, directed = list(kinds), list(kinds.values())
    counts, kept, leading = Counter(), [], defaultdict(set)
    for u, v, r, weight in rows:
        kind = "loop" if u == v else "zero" if weight == 0 else "kept"
        counts[kind] += 1
        if kind == "kept":
            kept.append((u, v, r))
            leading[u, v].add(weight)
            leading[v, u] |= set() if directed[r] else {weight}
    arcs = set(kept)
    one_way = sum(not directed[r] and (v, u, r) not in arcs for u, v, r in arcs)
    opposite = sum(not directed[r] and u < v and (v, u, r) in arcs for u, v, r in arcs)
    several = sum(len(one) > 1 for one in leading.values()) if directed != [False] else 0
    notes = [
        (counts["loop"], "dropped {} self-loop{}"),
        (counts["zero"], "dropped {} edge{} of weight 0"),
        (len(kept) - len(arcs), "merged {} duplicate edge{}"),
        (one_way, "read {} edge{} as undirected"),
        (opposite if one_way else 0, "merged {} pair{} of opposite edges"),
        (several,
         "kept the largest of several values of the edges of {} ordered pair{} of nodes"),
    ]  # fmt: skip
    found = {(*((u, v) if directed[r] else sorted((u, v))), names[r]) for u, v, r in arcs}
    weights = {(u, v): max(leading[u, v] or leading[v, u]) for u, v in list(leading)}
    return (
        found,
        weights,
        [text.format(number, "s" * (number > 1)) for number, text in notes if number],
    )


def test_edges_that_are_all_there_both_ways_need_no_word():
    graph = csr_from_edges(np.array([0, 1]), np.array([1, 0]), 2)
    assert graph.num_edges == 1 and len(graph.notes) == 1
    some = csr_from_edges(np.array([0, 1, 1]), np.array([1, 0, 2]), 3)
    assert some.notes[1:] == ("read 1 edge as undirected", "merged 1 pair of opposite edges")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kinds", KINDS)
def test_a_graph_is_what_a_loop_over_its_edges_makes(kinds, weighted, seed, log):
    weights = np.random.default_rng(seed).integers(0, 5, 30) / 4 if weighted else None
    graph, *columns = draw(kinds, seed, weights=weights, features=np.ones(8))
    rows = list(zip(*(one.tolist() for one in columns), weights if weighted else [1] * 30,
                    strict=True))  # fmt: skip
    expected, entries, notes = tidied(kinds, rows)
    assert set(named_edges(graph)) == expected
    assert graph.num_edges == len(expected)
    assert graph.is_directed == any(kinds.values())
    assert edges(graph) == sorted({(min(pair), max(pair)) for pair in entries})
    row = np.repeat(np.arange(8), graph.degrees).tolist()
    stored = list(zip(row, graph.indices.tolist(), strict=True))
    assert stored == sorted(entries)
    if weighted:
        assert graph.weights.tolist() == [entries[pair] for pair in stored]
    assert list(graph.notes) == notes == log()
    # what joins two nodes is the same seen from both
    if graph.links is not None:
        dense = link_matrix(graph)
        np.testing.assert_array_equal(graph.relations.reverse[dense], dense.T)
    # and the order of the edges does not matter
    order = np.random.default_rng(seed).permutation(30)
    source, target, relation = (one[order] for one in columns)
    again = csr_from_edges(
        source,
        target,
        8,
        relation=relation,
        weights=None if weights is None else weights[order],
        features=np.ones(8),
        relation_names=list(kinds),
        directed=list(kinds.values()),
    )
    assert_same(again, graph)


EDGE = ([0], [1], 2)


@pytest.mark.parametrize(
    ("arguments", "options", "rule"),
    [
        (([], [], 0), {}, "the graph is empty: it has no nodes."),
        (([], [], 2**31), {}, "a graph must have fewer than 2^31"),
        (([0], [5], 3), {}, "edge_index must name nodes from 0 to 2"),
        (([0], [1.0], 2), {}, "edge_index must hold integers"),
        (([0, 1], [1], 2), {}, "edge_index must hold one source and"),
        (EDGE, {"weights": [1, 2]}, "edge weights must be one number for"),
        (EDGE, {"weights": [-2]}, "edge weights must be at least 0"),
        (EDGE, {"weights": [np.nan]}, "edge weights must be finite"),
        (EDGE, {"features": np.zeros((3, 1))}, "features must have one row for each"),
        (EDGE, {"features": [1j, 2j]}, "features must be numbers"),
        (EDGE, {"features": [1.0, 1e300]}, "features must be at most 3.4e38 in"),
        (EDGE, {"feature_names": ["a", "b"], "features": [1, 2]}, "feature_names must have one"),
        (EDGE, {"node_ids": np.array([7])}, "node_ids must name all 2 nodes"),
        (EDGE, {"graph_ptr": [0, 1]}, "graph_ptr must rise from 0 to the"),
        (EDGE, {"relation": np.zeros(0, int)}, "relation must be one number for each"),
    ],
)  # fmt: skip
def test_edges_that_make_no_graph_are_refused(arguments, options, rule):
    source, target, num_nodes = arguments
    with pytest.raises((InputError, TypeError), match=re.escape(rule)):
        csr_from_edges(np.array(source), np.array(target), num_nodes, **options)


@pytest.mark.parametrize(
    ("source", "target", "directed"),
    [([0, 1], [1, 0], False), ([0, 1, 1], [1, 0, 2], True), ([], [], False)],
)
def test_a_relation_is_undirected_when_every_edge_is_there_both_ways(source, target, directed):
    ends = np.array(source, np.int64), np.array(target, np.int64)
    graph = csr_from_edges(*ends, 3, directed=None)
    assert graph.is_directed == directed
    # said to be directed, each arc is an edge of its own
    assert csr_from_edges(*ends, 3, directed=True).num_edges == len(source)


def test_a_relation_is_known_in_terms_of_others():
    graph, *_ = draw({"b": True, "a": False}, 0)
    more = relations_of(["a", "b", "c"], [False, True, True])
    assert named_edges(graph.with_relations(more)) == named_edges(graph)
    assert graph.with_relations(SIMPLE).links is None
    mirrored = graph.with_relations(relations_of(["a", "b"], [False, False]))
    either = {(min(u, v), max(u, v), name) for u, v, name in named_edges(graph)}
    assert set(named_edges(mirrored)) == either
    with pytest.raises(InputError, match="relations must include 'b'"):
        graph.with_relations(relations_of(["a", "c"], [False, True]))
    with pytest.raises(InputError, match=f"up to {MAX_RELATIONS} relations"):
        relations_of([f"r{i}" for i in range(MAX_RELATIONS + 1)], [True] * (MAX_RELATIONS + 1))


def test_every_set_of_relations_between_two_nodes_is_a_link():
    sets = list(itertools.product([False, True], repeat=5))[1:]
    # channel of an edge from the smaller node: relation, and whether it leads back
    channels = [(0, False), (0, True), (1, False), (1, True), (2, False)]
    rows = [
        ((2 * number + back, 2 * number + 1 - back), relation)
        for number, one in enumerate(sets)
        for has, (relation, back) in zip(one, channels, strict=True)
        if has
    ]
    ends, relation = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    kinds = {"relation_names": ["a", "b", "c"], "directed": [True, True, False]}
    graph = csr_from_edges(*ends.T, 2 * len(sets), relation=relation, **kinds)
    assert len(graph.relations.links) == 2**5
    assert graph.relations.links[graph.links[::2]].tolist() == [list(one) for one in sets]


def test_collections_unite_their_relations():
    one, *_ = draw({"b": True, "a": False}, 0)
    two, *_ = draw({"c": True, "a": False}, 1)
    both = as_csr([one, two, csr_from_edges(np.array([0]), np.array([1]), 2)])
    assert both.relations.names == ("b", "a", "c", "edge")
    first, second, third = list(both)
    assert named_edges(first) == named_edges(one)
    assert named_edges(second) == named_edges(two)
    assert named_edges(third) == [(0, 1, "edge")]


def test_graphs_of_a_collection_are_taken_as_numpy_takes_values():
    collection = as_csr([nx.path_graph(size) for size in range(2, 7)])
    sizes = np.arange(2, 7)
    for index in (
        slice(1, 4),
        [3, 1],
        [],
        np.array([4, -1]),
        sizes > 3,
        [True, False] * 2 + [True],
    ):
        taken = collection[index]
        assert [graph.num_nodes for graph in taken] == sizes[index].tolist()
    assert collection[np.int64(1)].num_nodes == 3
    for beyond in (5, [0, 5], [True, False]):
        with pytest.raises(IndexError):
            collection[beyond]


def test_a_graph_says_how_large_it_is():
    assert repr(as_csr([nx.path_graph(3)] * 2)) == "CSRGraph(2 graphs, 6 nodes, 4 edges, 1 feature)"
    assert repr(as_csr(nx.path_graph(2))) == "CSRGraph(1 graph, 2 nodes, 1 edge, 1 feature)"


def test_a_collection_is_split_and_joined_again():
    rng = np.random.default_rng(0)
    source, target, relation = rng.integers(0, 6, (3, 30))
    first = np.repeat([0, 8], 15)
    graph = csr_from_edges(
        source + first,
        target + first,
        14,
        weights=rng.random(30) + 0.1,
        features=rng.random((14, 2)),
        graph_ptr=np.array([0, 6, 8, 14]),
        node_ids=np.array([f"n{i}" for i in range(14)]),
        directed=[True, False],
        relation=relation % 2,
        relation_names=["a", "b"],
    )
    parts = list(graph)
    assert [(part.num_nodes, part.num_edges > 0) for part in parts] == [
        (6, True), (2, False), (6, True)
    ]  # fmt: skip
    again = as_csr(parts)
    # whose self-loops are not known, since only edges are joined
    assert len(graph.loops) and again.loops is None
    for field in (one for one in fields(graph) if one.name != "loops"):
        left, right = getattr(graph, field.name), getattr(again, field.name)
        if isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right)
            assert left.dtype == right.dtype
    # in another order, each graph still has its own edges
    turned = as_csr(parts[::-1])[::-1]
    assert list(map(named_edges, turned)) == list(map(named_edges, parts))
    # a collection of collections is one of all their graphs
    assert as_csr([again, parts[0]]).graph_ptr.tolist() == [0, 6, 8, 14, 20]


def test_graphs_that_do_not_fit_together_are_refused():
    ends = np.array([0]), np.array([1]), 2
    plain, wide = csr_from_edges(*ends), csr_from_edges(*ends, features=np.ones((2, 2)))
    for other, rule in ((wide, "feature"), (csr_from_edges(*ends, weights=[1]), "edge weights")):
        with pytest.raises(InputError, match=f"all graphs must have the same {rule}"):
            as_csr([plain, other])
