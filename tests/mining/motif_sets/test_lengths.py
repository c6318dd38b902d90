"""Lengths of graphs and collections with given motifs: committed ones, by hand, exact counts."""

import json
from collections import Counter, defaultdict
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import lgamma, log, log2
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from coded_graphs import RECORDS, mined_of, motif_of

from gomkcn.mining.motif_sets import collection_copies, small_graphs
from gomkcn.mining.motif_sets.blocks import (
    Blocks,
    bits_without,
    block_bits,
    find_blocks,
    find_shared_blocks,
)
from gomkcn.mining.motif_sets.collection_candidates import GrownStructures
from gomkcn.mining.motif_sets.collection_code import CollectionCode
from gomkcn.mining.motif_sets.collection_copies import _takings, choose_each, gains_of_each
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.collection_loops import split_bits
from gomkcn.mining.motif_sets.graph_code import ADDRESSES, GraphCode, edges_between
from gomkcn.mining.motif_sets.graph_copies import candidate_of, edge_gains
from gomkcn.mining.motif_sets.graph_count import (
    count_graphs,
    count_graphs_of_blocks,
    count_two_sided_graphs,
)
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.integer_codes import histogram_bits, integer_bits
from gomkcn.mining.motif_sets.small_graphs import (
    CountedGraphs,
    count_small_digraphs,
    count_small_graphs,
)
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure

CODES = dict(zip("UWHNM", ADDRESSES, strict=True))


def coded(record):
    """The graph of a record as it is mined, and its code."""
    mined = mined_of(record)
    code = GraphCode.of(mined)
    if record["blocks"] is not None:
        code = code.given(np.array(record["blocks"])[mined.order.nodes])
    return mined, code


def described(record, motifs):
    """The graph of a record with some of its motifs."""
    mined, code = coded(record)
    description = GraphDescription.of(code)
    for motif in motifs:
        description = description.add(*motif_of(mined, code, motif, record["directed"]))
    return description


@pytest.mark.parametrize("record", RECORDS, ids=[one["name"] for one in RECORDS])
def test_lengths_are_those_that_are_committed(record):
    for expected in record["sets"]:
        description = described(record, expected["motifs"])
        for known, motif in zip(expected["motifs"], description.motifs, strict=True):
            assert motif.cost == pytest.approx(sum(known["parts"]), abs=1e-6)
            assert motif.address == CODES[known["code"]]
            assert not len(motif.edits)
        assert description.length == pytest.approx(expected["total"], abs=1e-6)
        # whichever motif is left out, what is left is as if it had not come
        for number in range(len(description.motifs)):
            others = expected["motifs"][:number] + expected["motifs"][number + 1 :]
            fewer = description.without(number)
            assert fewer.length == pytest.approx(described(record, others).length, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "num_blocks"),
    [
        ("prisms and cliques on a tree", 0),
        ("prisms and cliques on a tree", 3),
        ("mixed arcs", 0),
        ("typed tournaments", 0),
    ],
)
def test_what_a_copy_saves_to_first_order_is_nearly_what_it_saves(name, num_blocks):
    record = next(one for one in RECORDS if one["name"] == name)
    mined, code = coded(record)
    if num_blocks:
        code = code.given(mined.order.nodes.astype(int) % num_blocks)
    motif = record["sets"][1]["motifs"][0]
    shape, copies = motif_of(mined, code, motif, record["directed"])
    empty = GraphDescription.of(code)
    candidate = candidate_of(code, shape, copies.astype(np.int32))
    gains = edge_gains(empty, candidate, np.arange(len(copies)))
    for number in range(len(copies)):
        after = empty.add(shape, copies[number : number + 1])
        saved = empty.residual.bits - after.residual.bits
        assert gains[number] == pytest.approx(saved, rel=0.15)
    # and giving them back leaves the graph
    left = empty.add(shape, copies).without(0)
    np.testing.assert_array_equal(left.degrees, code.degrees)
    assert not left.used.any()


def length_of(graph):
    return GraphDescription.of(GraphCode.of(MinedGraph.of(graph))).length


def test_a_list_of_relations_by_hand():
    """Layers of their own for each relation, and for the pairs that two relations join."""
    source, target = np.array([0, 1, 2, 3, 4, 4, 0, 1]), np.array([1, 2, 3, 4, 5, 0, 2, 3])
    relation = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    # 2 and 3 are joined by both
    source, target, relation = (
        np.r_[column, extra] for column, extra in ((source, 2), (target, 3), (relation, 1))
    )
    csr = csr_from_edges(source, target, 6, relation=relation, relation_names=("a", "b"))
    code = GraphCode.of(MinedGraph.of(csr))
    alone = []
    for kind in ([(0, 1), (1, 2), (3, 4), (4, 5)], [(4, 0), (0, 2), (1, 3)], [(2, 3)]):
        layer = csr_from_edges(*np.array(kind).T, 6)
        alone.append(length_of(layer))
    # each says that it has no motifs, once in all
    none = 2 * integer_bits(0)
    assert length_of(csr) == pytest.approx(sum(alone) - none, abs=1e-6)
    # the drawing says the kind of each pair: three kinds, three pairs, of which two are joined
    structure = Structure.of_edges(3, [(0, 1), (0, 2)], ["a", "b"])
    shape = code.shape_of(Structure.of_channels(structure.channels, csr.relations))
    drawing = integer_bits(3) + 3 * log2(4) + log2(6) - log2(6)
    assert code.head_bits(shape) == pytest.approx(drawing + log2(len(ADDRESSES)))


def test_blocks_are_found_where_there_are_some():
    blocks = nx.planted_partition_graph(4, 25, 0.6, 0.02, seed=0)
    mined = MinedGraph.of(blocks)
    found = find_blocks(GraphCode.of(mined))
    given = np.empty(100, int)
    given[mined.order.nodes] = found
    assert len(np.unique(given)) == 4
    assert all(len(np.unique(given[25 * i : 25 * i + 25])) == 1 for i in range(4))
    sides = find_blocks(GraphCode.of(MinedGraph.of(nx.complete_bipartite_graph(5, 6))))
    assert sorted(np.bincount(sides).tolist()) == [5, 6]
    assert find_blocks(GraphCode.of(MinedGraph.of(nx.cycle_graph(20)))) is None
    # not where the time is over at any of the looks at it
    for looks in range(12):
        is_late = iter([False] * looks + [True]).__next__
        assert find_blocks(GraphCode.of(mined), is_late=is_late) is None


@pytest.mark.parametrize(("number", "rounds"), [(58, 6 * 5), (59, 1)])
def test_rounds_go_on_while_the_largest_blocks_hold_half_of_the_nodes(number, rounds):
    looks = []
    # cliques, of which 29 are half of 58
    cliques = nx.disjoint_union_all([nx.complete_graph(4)] * number)
    code = GraphCode.of(MinedGraph.of(cliques))
    assert find_blocks(code, is_late=lambda: looks.append(0) is not None) is not None
    # one look before all rounds, and one before each
    assert len(looks) == 1 + rounds


def test_blocks_of_a_collection_by_hand():
    """Two triangles, each with a node apart: nodes by their block, edges by shared densities."""
    graph = as_csr([nx.disjoint_union(nx.complete_graph(3), nx.empty_graph(1))] * 2)
    labels = np.array([0, 0, 0, 1] * 2)

    def sequence(*counts):
        """Each symbol by those before it."""
        symbols = [one for one, times in enumerate(counts) for _ in range(times)]
        seen = [(symbols[:place].count(one), place) for place, one in enumerate(symbols)]
        return -sum(log2((same + 0.5) / (place + len(counts) / 2)) for same, place in seen)

    # all six pairs in the first block, none of six between the two
    expected = 1.5185 + 1 + 3.7679 + sequence(6, 2) + 1 + 2 * sequence(6, 0)
    assert block_bits(graph, labels, 2) == pytest.approx(expected, abs=1e-3)
    # without the triangles' block all are in the other one: six of twelve pairs
    grown = 1.5185 + 1 + 3.7679 + sequence(8, 0) + 1 + sequence(6, 6) - expected
    blocks = Blocks(labels, block_bits(graph, labels, 2))
    nodes = np.flatnonzero(labels == 0).reshape(2, 3)
    assert bits_without(graph, blocks, nodes) == pytest.approx(grown, abs=1e-3)
    # those that are found have the length that is said
    densities = [[0.8, 0.1], [0.1, 0.05]]
    drawn = [nx.stochastic_block_model([6, 14], densities, seed=k) for k in range(30)]
    graph = as_csr([nx.Graph(one.edges) for one in drawn])
    found = find_shared_blocks(graph)
    assert found.bits == pytest.approx(block_bits(graph, found.labels, found.number))


def test_pairs_of_blocks_that_edges_join_are_counted():
    whole = nx.disjoint_union_all([nx.complete_graph(5)] * 3 + [nx.empty_graph(2)])
    whole.add_edges_from([(0, 5), (1, 6)])
    mined = MinedGraph.of(whole)
    # three cliques, two of which are joined, and two nodes without an edge
    blocks = mined.order.nodes.astype(int) // 5
    code = GraphCode.of(mined).given(blocks)
    assert np.count_nonzero(np.triu(edges_between(code.edges, blocks))) == 4


@cache
def number_of_graphs(degrees):
    """Simple graphs with these degrees of their nodes: the last node takes its neighbours."""
    if not degrees:
        return 1
    *rest, last = degrees
    total = 0
    for chosen in combinations(range(len(rest)), last):
        left = [degree - (node in chosen) for node, degree in enumerate(rest)]
        if min(left, default=0) >= 0:
            total += number_of_graphs(tuple(sorted(left)))
    return total


@cache
def number_of_two_sided(rows, columns):
    """0/1 matrices with these sums of rows and columns."""
    if not rows:
        return int(not any(columns))
    total = 0
    for chosen in combinations(range(len(columns)), rows[0]):
        left = tuple(sum_ - (place in chosen) for place, sum_ in enumerate(columns))
        if min(left) >= 0:
            total += number_of_two_sided(rows[1:], left)
    return total


def test_all_sequences_of_seven_nodes():
    errors = []
    for degrees in combinations_with_replacement(range(7), 7):
        exact = number_of_graphs(degrees)
        if exact:
            errors.append(count_graphs(np.array(degrees)).bits - log2(exact))
    assert len(errors) == 342
    assert abs(np.mean(errors)) <= 0.1 and np.std(errors) <= 0.5


def test_two_sides():
    errors, rng = [], np.random.default_rng(0)
    for _ in range(60):
        matrix = rng.random((7, 6)) < rng.uniform(0.2, 0.6)
        rows, columns = matrix.sum(axis=1), matrix.sum(axis=0)
        exact = number_of_two_sided(tuple(sorted(rows.tolist())), tuple(columns.tolist()))
        errors.append(count_two_sided_graphs(rows, columns, False).bits - log2(exact))
    # too many by a bit or two in small ones, hardly ever too few
    assert 0 <= np.mean(errors) <= 2 and np.std(errors) <= 0.6


def test_blocks_divide_the_graphs():
    """Summed over the numbers of edges between blocks, the graphs are those of the degrees."""
    degrees, blocks = np.full(12, 3), np.repeat([0, 1], 6)
    whole = log2(number_of_graphs(tuple(degrees.tolist())))
    bits = []
    for between in range(2, 18, 2):
        inside = (18 - between) // 2
        edges = np.array([[inside, between], [between, inside]])
        bits.append(count_graphs_of_blocks(degrees, blocks, edges).bits)
    assert log2(np.exp2(bits).sum()) == pytest.approx(whole, abs=0.5)
    # most have as many between the blocks as in them
    assert np.argmax(bits) == 4
    one = count_graphs_of_blocks(degrees, np.zeros(12, int), np.array([[18]])).bits
    assert one == pytest.approx(whole, abs=0.3)


def test_many_degrees_are_grouped_and_the_error_is_bounded():
    # of a graph in which i and j are joined with a probability of about w_i w_j
    weights = np.random.default_rng(0).pareto(1.2, 1500) + 0.5
    odds = np.outer(weights, weights) / 20
    joined = np.triu(np.random.default_rng(1).random(odds.shape) < odds / (1 + odds), 1)
    degrees = (joined | joined.T).sum(axis=0)
    number = len(np.unique(degrees))
    own, arcs = count_graphs(degrees), count_two_sided_graphs(degrees, degrees[::-1], True)
    half = number // 2
    for each, grouped in (
        (own, count_graphs(degrees, half)),
        (arcs, count_two_sided_graphs(degrees, degrees[::-1], True, half)),
    ):
        assert each.error == 0
        # a step of Newton's method for each degree takes off nearly all of it
        assert 0 < abs(grouped.bits - each.bits) < 0.05 * grouped.error
        assert grouped.error < 1e-4 * each.bits
        # and each degree keeps a multiplier of its own
        logs = [one.sides[0].of(np.unique(degrees)) for one in (each, grouped)]
        assert (np.diff(logs[1]) > 0).all()
        np.testing.assert_allclose(*logs, atol=0.05)
    # degrees of which only a few are too many keep nearly all an unknown
    assert abs(count_graphs(degrees, number - 10).bits - own.bits) < 0.01


# made once with the program that the plan names as the definition of a length
KNOWN = json.loads((Path(__file__).parents[2] / "data/collection_lengths.json").read_text())
LENGTHS = KNOWN["lengths"]


@cache
def collection(name):
    """A graph and the categories of its nodes."""
    graphs = KNOWN["collections"][name]
    sizes = [len(one["categories"]) for one in graphs]
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    edges = np.array(
        [
            (u + first, v + first, kind)
            for one, first in zip(graphs, ptr, strict=False)
            for u, v, kind in one["edges"]
        ]
    )
    kinds = int(edges[:, 2].max()) + 1
    graph = csr_from_edges(
        edges[:, 0], edges[:, 1], int(ptr[-1]), graph_ptr=ptr,
        relation=edges[:, 2] if kinds > 1 else None,
        relation_names=[f"kind{k}" for k in range(kinds)] if kinds > 1 else ("edge",),
    )  # fmt: skip
    return graph, np.concatenate([one["categories"] for one in graphs])


def shape_of(code, copies):
    (links,), (colors,) = code.rows.links_of(copies[:1]), code.rows.colors[copies[:1]]
    return code.structure(links, colors)


def empty_collection(known):
    """The collection of a record without motifs, in its base."""
    code = CollectionCode(*collection(known["collection"]), known["base"])
    return CollectionDescription.of(code)


def cover(description, motifs):
    """Cover copies, each given in the order of the nodes of its motif."""
    for one in motifs:
        copies = np.array(one["copies"])
        description = description.add(shape_of(description.code, copies), copies)
    return description


def test_directed_edges_are_seen_from_both_ends():
    """A cycle of three nodes: each has one arc out and one in, and there are two such graphs."""
    edges = np.array([0, 1, 2]), np.array([1, 2, 0])
    code = CollectionCode(csr_from_edges(*edges, 3, directed=True), None, "typed")
    assert code.num_links == 2
    assert code.opposite.tolist() == [1, 0]
    assert code.degrees.tolist() == [[1, 1, 1], [1, 1, 1]]
    # that two arcs may not lie between the same nodes makes fewer of the two
    without = CollectionDescription.of(code)
    overlaps = 0.5 * (3 * 3 - 3) / 9 / np.log(2)
    assert without.graph_bits.tolist() == [pytest.approx(1 - overlaps)]
    total = CollectionDescription.of(CollectionCode(code.graph, None, "total"))
    # each of the three edges says where it begins, and nothing else
    assert total.link_bits == pytest.approx(3)
    assert total.graph_bits.tolist() == [0]


@pytest.mark.parametrize("base", ["typed", "total"])
def test_covering_directed_edges_leaves_none(base):
    edges = [(0, 1), (1, 2), (0, 2), (2, 3), (4, 3), (5, 4), (5, 3)]
    shifted = np.concatenate([np.array(edges) + 6 * k for k in range(5)])
    graph = csr_from_edges(*shifted.T, 30, directed=True, graph_ptr=np.arange(0, 31, 6))
    code = CollectionCode(graph, None, base)
    loops = [np.array([0, 1, 2]) + 6 * k for k in range(5)]
    loops += [np.array([5, 4, 3]) + 6 * k for k in range(5)]
    covering = cover(CollectionDescription.of(code), [{"copies": loops}])
    # the arc from 2 to 3 of each graph
    assert covering.residual.sum() == 10
    assert covering.joints.sum() == 5


def test_numbers_of_graphs_of_single_arcs():
    """All graphs of four nodes, of which many have more arcs than are listed."""
    arcs = [(u, v) for u in range(4) for v in range(4) if u != v]
    number = {}
    for joined in product([0, 1], repeat=len(arcs)):
        degrees = np.zeros((4, 2), int)
        for (u, v), one in zip(arcs, joined, strict=True):
            degrees[u, 0] += one
            degrees[v, 1] += one
        key = tuple(sorted(tuple(pair) for pair in degrees.tolist() if any(pair)))
        ordered = number.setdefault(key, {})
        ordered[degrees.tobytes()] = ordered.get(degrees.tobytes(), 0) + 1
    for key, counts in number.items():
        assert len(set(counts.values())) == 1
        # those of many arcs leave few out
        assert count_small_digraphs(key)[0] == pytest.approx(log2(next(iter(counts.values()))))


def test_numbers_of_graphs_of_more_arcs_are_near():
    rng, errors = np.random.default_rng(0), []
    while len(errors) < 40:
        arcs = rng.random((12, 12)) < 0.08
        np.fill_diagonal(arcs, False)
        pairs = zip(arcs.sum(axis=1).tolist(), arcs.sum(axis=0).tolist(), strict=True)
        degrees = tuple(pair for pair in pairs if any(pair))
        if 8 <= arcs.sum() <= 13:
            exact = log2(small_graphs._list_digraphs(tuple(sorted(degrees))))
            errors.append(count_small_digraphs(degrees)[0] - exact)
    assert abs(np.mean(errors)) < 0.15
    assert np.std(errors) < 0.3


@pytest.mark.parametrize("known", LENGTHS, ids=lambda one: f"{one['collection']}, {one['base']}")
def test_lengths_of_collections_are_those_of_the_definition(known):
    empty = empty_collection(known)
    code = empty.code
    assert empty.length == pytest.approx(known["bits_base"], abs=1e-6)
    covering = cover(empty, known["motifs"])
    assert covering.length == pytest.approx(known["bits_total"], abs=1e-6)
    assert sum(covering.class_bits) == pytest.approx(known["signatures"], abs=1e-6)
    assert covering.graph_bits.sum() == pytest.approx(known["graphs"], abs=1e-6)
    assert covering.link_bits == pytest.approx(known["types"], abs=1e-6)
    for number, motif in enumerate(known["motifs"]):
        before, copies = cover(empty, known["motifs"][:number]), np.array(motif["copies"])
        counts = np.bincount(code.graph_of[copies[:, 0]], minlength=code.graph.num_graphs)
        parts = before.motif_parts(shape_of(code, copies), counts)
        expected = [motif["drawing"], motif["counts"], motif["addresses"]]
        np.testing.assert_allclose(parts, expected, atol=1e-6)


def test_numbers_of_graphs_are_near_those_of_all_of_five_and_six_nodes():
    few, errors = (
        [
            count_small_graphs(tuple(np.bincount(degrees).tolist()))[0]
            - log2(number_of_graphs(degrees))
            for degrees in combinations_with_replacement(range(size), size)
            if number_of_graphs(degrees)
        ]
        for size in (5, 6)
    )
    assert max(map(abs, few)) < 0.2
    assert abs(np.mean(errors)) < 0.1 and np.std(errors) < 0.5


def test_links_are_coded_for_each_two_categories_among_those_that_these_can_have():
    """An arc within a category is one link, whichever way it reads; between two it is one of two.

    The same numbers of edges come more than once, between some and within others.
    """
    arcs = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, directed=True)
    code = CollectionCode(arcs, np.array([0, 1, 1]), "total")
    possible = code.possible
    assert possible[0, 0].sum() < possible[0, 1].sum()
    rng = np.random.default_rng(0)
    for _ in range(40):
        joints = rng.integers(2, size=possible.shape) * possible[0, 0]
        expected = sum(
            histogram_bits(joints[a, b][possible[a, b]]) for a, b in ((0, 0), (0, 1), (1, 1))
        )
        assert code.link_bits(joints) == expected


@pytest.mark.parametrize("most", [1 << 18, 2])
def test_each_graph_has_the_bits_that_it_has_alone(most, monkeypatch):
    """Whatever was counted before, and where what is kept was forgotten."""
    monkeypatch.setattr(small_graphs, "_MOST_COUNTED", most)
    monkeypatch.setattr(small_graphs, "_ROOM", 1)
    counted, rng = CountedGraphs(), np.random.default_rng(0)
    for _ in range(5):
        graphs = [nx.gnm_random_graph(6, int(rng.integers(9)), seed=k) for k in range(4)]
        times = [np.bincount([d for _, d in graph.degree], minlength=6) for graph in graphs]
        ranges = [(6 * k, 6 * k + 6) for k in range(4)]
        numbers = counted.numbers_of(np.concatenate(times), ranges)
        for number, of_graph in zip(numbers.tolist(), times, strict=True):
            bits, multipliers = count_small_graphs(tuple(of_graph.tolist()))
            first = counted.first[number]
            assert counted.bits[number] == bits
            assert counted.multipliers[first : first + 6].tolist() == multipliers.tolist()


def test_what_has_no_code_is_refused():
    code = GraphCode.of(MinedGraph.of(nx.complete_graph(4)))
    with pytest.raises(InputError, match="edges without direction, as the graph has"):
        code.shape_of(Structure.parse("a->b, b->c"))
    directed = GraphCode.of(MinedGraph.of(nx.gnm_random_graph(20, 60, seed=0, directed=True)))
    assert find_blocks(directed) is None
    with pytest.raises(InputError, match="blocks must be None"):
        directed.given(np.zeros(20, int))
    # too many kinds of edges have no typed base
    edges = np.array(list(combinations(range(40), 2)))
    names = [f"kind{k}" for k in range(39)]
    many = csr_from_edges(*edges.T, 40, relation=np.arange(780) % 39, relation_names=names)
    assert not CollectionCode(many, None, "typed").is_possible
    assert CollectionCode(many, None, "total").is_possible


def test_a_link_more_costs_what_is_said():
    """By the base of total degrees, in a graph of arcs and edges and of two categories."""
    rng = np.random.default_rng(0)
    colors, kinds = np.arange(12) % 2, {"relation_names": ("p", "q"), "directed": [True, False]}
    arcs = rng.permutation(list(combinations(range(12), 2)))[:40]
    codes = []
    for k in range(20, 41):
        graph = csr_from_edges(*arcs[:k].T, 12, relation=np.arange(k) % 2, **kinds)
        codes.append(CollectionCode(graph, colors, "total"))
    for (u, v), before, after in zip(arcs[20:], codes, codes[1:], strict=False):
        (links,) = after.rows.links_of(np.array([[u, v]], np.int32))
        least = CollectionDescription.of(before)
        cost = CollectionDescription.of(after).link_bits - least.link_bits
        for first, second, link in ((u, v, links[0, 1]), (v, u, links[1, 0])):
            assert cost == pytest.approx(least.joint_bits[colors[first], colors[second], link])


def test_a_signature_costs_what_all_others_say():
    """In its graph, and with the weight of alpha in all graphs."""
    code = CollectionCode(*collection("three categories, three types"), "total")
    covering = CollectionDescription.of(code)
    _, symbol_of = covering.signatures
    for node, bits in enumerate(covering.signature_bits):
        others = np.flatnonzero(code.colors == code.colors[node])
        others = others[others != node]
        same, here = symbol_of[others] == symbol_of[node], code.graph_of[others]
        here = here == code.graph_of[node]
        _, alpha, number = covering.coded.classes[code.colors[node]]
        # the share in all graphs counts the node itself as well
        share = (same.sum() + 1.5) / (len(others) + 1 + number / 2)
        likely = ((same & here).sum() + alpha * share) / (here.sum() + alpha)
        assert bits == pytest.approx(-log2(likely))


@pytest.mark.parametrize("num_graphs", [3, 130, 400])
def test_numbers_of_copies_cost_their_histogram_or_their_share(num_graphs):
    """Many graphs, so that their terms are added up in parts."""
    rng = np.random.default_rng(num_graphs)
    graphs = [nx.path_graph(int(size)) for size in rng.integers(2, 30, num_graphs)]
    code = CollectionCode(as_csr(graphs), None, "total")
    for most in (1, 2, 12):
        counts = np.minimum(rng.poisson(most / 2, num_graphs), code.sizes)
        total, times = counts.sum(), np.bincount(counts)
        half = len(times) / 2
        histogram = integer_bits(counts.max()) * log(2) + lgamma(num_graphs + half) - lgamma(half)
        histogram -= sum(lgamma(number + 0.5) - lgamma(0.5) for number in times)
        ways = zip(counts.tolist(), (code.sizes / code.sizes.sum()).tolist(), strict=True)
        split = sum(lgamma(count + 1) - count * log(share) for count, share in ways)
        bits = integer_bits(total) + 1 + min(histogram, split - lgamma(total + 1)) / log(2)
        assert split_bits(counts, code.lengths) == pytest.approx(bits, abs=1e-6)


@pytest.mark.parametrize("base", ["typed", "total"])
def test_copies_that_are_chosen_together_are_those_of_each_alone(base, monkeypatch):
    """Whatever nodes are freed, and however many are looked at together."""
    code = CollectionCode(*collection("three categories, three types"), base)
    empty = CollectionDescription.of(code)
    found = GrownStructures(MinedGraph.of(code.graph), (empty,), range(2, 5), 0).found
    assert len({one.copies.shape[1] for one in found}) == 3
    some = np.arange(code.graph.num_nodes) % 9 == 0
    for freed in (None, some, ~np.isin(np.arange(len(some)), found[0].copies)):
        alone = [choose_each(empty, [one], 3, freed)[0] for one in found]
        assert len({choice.num_new for choice in alone}) > 1
        for most in (1 << 13, 40):
            monkeypatch.setattr(collection_copies, "_MOST_TOGETHER", most)
            together = choose_each(empty, found, 3, freed)
            assert [choice.gain for choice in together] == [choice.gain for choice in alone]
            for choice, own in zip(together, alone, strict=True):
                assert choice.candidate is own.candidate
                assert choice.copies.tolist() == own.copies.tolist()
    gains = gains_of_each(empty, found, 2)
    assert gains == [choice.gain for choice in choose_each(empty, found, 2)]


def test_a_choice_gains_what_its_best_round_does_which_is_not_always_the_last():
    code = CollectionCode(*collection("three categories, three types"), "total")
    empty = CollectionDescription.of(code)
    found = GrownStructures(MinedGraph.of(code.graph), (empty,), range(2, 5), 0).found
    saved = np.array([one.saved for one in map(deepcopy, _takings(empty, found, 3, None))])
    assert (saved[-1] < saved.max(axis=0)).any()
    assert gains_of_each(empty, found, 3) == saved.max(axis=0).tolist()
    assert [choice.gain for choice in choose_each(empty, found, 3)] == saved.max(axis=0).tolist()


@pytest.mark.parametrize("base", ["typed", "total"])
@pytest.mark.parametrize("name", ["three categories, three types", "no labels"])
def test_a_choice_of_copies_is_that_of_loops(name, base):
    """In one round: by falling value, in each graph as many as pay for their places."""
    code = CollectionCode(*collection(name), base)
    empty = CollectionDescription.of(code)
    degrees, symbol_of = empty.signatures
    grown = GrownStructures(MinedGraph.of(code.graph), (empty,), range(2, 4), 0)
    found = grown.found
    assert found
    for one in found:
        shape, rows = one.structure, one.copies.tolist()
        # 1. the edges and signatures of each copy, less those that it then has
        keys = [list(zip(shape.orbits, symbol_of[row], strict=True)) for row in rows]
        times = Counter(key for own in keys for key in own)
        known, each = Counter(orbit for orbit, _ in times), Counter(shape.orbits.tolist())
        worth = []
        for row, own in zip(rows, keys, strict=True):
            worth.append(empty.signature_bits[row].sum())
            for (u, v), link in zip(shape.pairs, shape.pair_links, strict=True):
                ends = (link, row[u]), (code.reverse[link], row[v])
                odds = np.prod(
                    [empty.coded.multipliers[code.layer_of[way], node] for way, node in ends]
                )
                worth[-1] += (
                    log2(1 + 1 / odds) + empty.joint_bits[shape.colors[u], shape.colors[v], link]
                )
            for key in own:
                total = len(rows) * each[key[0]] + known[key[0]] / 2
                worth[-1] += log2((times[key] + 0.5) / total)
        # 2. disjoint ones, and the number in each graph
        busy, of_graph = set(), defaultdict(list)
        for k in np.argsort(-np.array(worth), kind="stable"):
            if busy.isdisjoint(rows[k]):
                busy.update(rows[k])
                of_graph[code.graph_of[rows[k][0]]].append(worth[k])
        saved, counts = 0.0, np.zeros(code.graph.num_graphs, int)
        for graph, own in of_graph.items():
            total = best = 0.0
            left = empty.free_of_color[graph].copy()
            for number, value in enumerate(own, start=1):
                total += value + log2(number * shape.num_automorphisms)
                for color in shape.colors:
                    total -= log2(left[color])
                    left[color] -= 1
                if total > best:
                    best, counts[graph] = total, number
            saved += best
        # 3. drawing, alphabets and numbers of copies
        costs = code.drawing_bits_of(shape) + 6 * shape.num_orbits
        inside = code.inside(shape.links)
        if len(degrees) == 1:
            costs += 4 * shape.num_orbits
        else:
            place = {orbit: k for k, orbit in enumerate(shape.orbits)}
            after = (degrees[:, symbol] - inside[:, place[orbit]] for orbit, symbol in times)
            costs += sum(integer_bits(int(degree)) for own in after for degree in own)
        (choice,) = choose_each(empty, [one], 1)
        if counts.sum() < 2 or (counts > 0).sum() < 3:
            assert choice.gain == -np.inf and not len(choice.copies)
            continue
        assert len(choice.copies) == counts.sum()
        costs += split_bits(counts, code.lengths)
        assert choice.gain == pytest.approx(saved - costs, abs=1e-6)
        # two graphs are too few
        some = np.isin(code.graph_of[one.copies[:, 0]], np.flatnonzero(counts)[:2])
        fewer = replace(one, copies=one.copies[some], edges=one.edges[some])
        gains = [found.gain for found in choose_each(empty, [fewer, one], 1)]
        assert gains == [-np.inf, pytest.approx(choice.gain)]
