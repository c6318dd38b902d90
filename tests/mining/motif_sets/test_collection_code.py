"""The length of a collection with given motifs, against fixed numbers and by itself."""

import json
from functools import cache
from itertools import combinations, product
from math import comb, log2
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.io.reading import read_graph
from mining.candidates.shapes import Shape, links_of
from mining.categories import Categories
from mining.motif_sets import collection_code
from mining.motif_sets.collection_code import (
    CollectionCode,
    count_small_digraphs,
    count_small_graphs,
)
from mining.motif_sets.integer_codes import integer_bits

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
    (links,), (colors,) = links_of(code.rows, copies[:1])
    return Shape.of(links, colors)


def cover(code, motifs):
    """Cover copies, each given in the order of the nodes of its motif."""
    rows = [np.array(one["copies"]) for one in motifs]
    return code.cover([(shape_of(code, copies), copies) for copies in rows])


@pytest.mark.parametrize("known", LENGTHS, ids=lambda one: f"{one['collection']}, {one['base']}")
def test_lengths_are_those_of_the_definition(known):
    code = CollectionCode(*collection(known["collection"]), known["base"])
    assert code.without_motifs().length == pytest.approx(known["bits_base"], abs=1e-6)
    covering = cover(code, known["motifs"])
    assert covering.length == pytest.approx(known["bits_total"], abs=1e-6)
    assert sum(covering.class_bits) == pytest.approx(known["signatures"], abs=1e-6)
    assert covering.graph_bits.sum() == pytest.approx(known["graphs"], abs=1e-6)
    assert covering.link_bits == pytest.approx(known["types"], abs=1e-6)


@pytest.mark.parametrize(
    "known", [one for one in LENGTHS if one["motifs"]], ids=lambda one: one["collection"]
)
def test_parts_of_a_motif_are_those_of_the_definition(known):
    code = CollectionCode(*collection(known["collection"]), known["base"])
    for number, motif in enumerate(known["motifs"]):
        before = cover(code, known["motifs"][:number])
        copies = np.array(motif["copies"])
        counts = np.bincount(code.graph_of[copies[:, 0]], minlength=code.graph.num_graphs)
        parts = before.motif_parts(shape_of(code, copies), counts)
        expected = [motif["drawing"], motif["counts"], motif["addresses"]]
        np.testing.assert_allclose(parts, expected, atol=1e-6)


@pytest.mark.parametrize(("base", "bits"), [("typed", 13080.160010), ("total", 15337.819224)])
def test_molecules_without_motifs(mutag, base, bits):
    graph = read_graph(mutag)
    colors = Categories.find(graph.features, graph.feature_names).colors(graph.features)
    assert CollectionCode(graph, colors, base).without_motifs().length == pytest.approx(
        bits, abs=1e-6
    )


def test_one_triangle_by_hand():
    """The degrees are all 2, and then there is one graph."""
    code = CollectionCode(as_csr([nx.cycle_graph(3)]), None, "total")
    signatures = integer_bits(2) + log2(7)
    # 2 is one of three degrees: 1/3, and then with alpha = 0.5 nearly certain
    first = log2(3)
    second = -log2((1 + 0.5 * 1.5 / 2.5) / 1.5)
    third = -log2((2 + 0.5 * 2.5 / 3.5) / 2.5)
    length = integer_bits(0) + signatures + first + second + third
    assert code.without_motifs().length == pytest.approx(length)


def test_a_motif_costs_its_drawing_its_number_and_its_places():
    graphs = [nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(3)) for _ in range(4)]
    code = CollectionCode(as_csr(graphs), None, "total")
    copies = np.arange(4) + 7 * np.arange(4)[:, None]
    covering = cover(code, [{"copies": copies}])
    # 4 nodes, 4 of 6 pairs; 4 copies, one in each graph; 4 of 7 nodes in 8 automorphisms
    drawing = integer_bits(4) + integer_bits(4) + log2(comb(6, 4))
    # which of the four graphs, of equal size, has each of them
    split = 1 + log2(4**4 / (4 * 3 * 2))
    address = 4 * (log2(7 * 6 * 5 * 4) - log2(8))
    assert covering.motif_bits == pytest.approx(drawing + integer_bits(4) + split + address)
    assert not covering.residual[0, copies].any()


def test_directed_edges_are_seen_from_both_ends():
    """A cycle of three nodes: each has one arc out and one in, and there are two such graphs."""
    edges = np.array([0, 1, 2]), np.array([1, 2, 0])
    code = CollectionCode(csr_from_edges(*edges, 3, directed=True), None, "typed")
    assert code.num_links == 2
    assert code.opposite.tolist() == [1, 0]
    assert code.degrees.tolist() == [[1, 1, 1], [1, 1, 1]]
    # that two arcs may not lie between the same nodes makes fewer of the two
    without = code.without_motifs()
    overlaps = 0.5 * (3 * 3 - 3) / 9 / np.log(2)
    assert without.graph_bits.tolist() == [pytest.approx(1 - overlaps)]
    total = CollectionCode(code.graph, None, "total").without_motifs()
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
    covering = cover(code, [{"copies": loops}])
    # the arc from 2 to 3 of each graph
    assert covering.residual.sum() == 10
    assert covering.joints.sum() == 5


def test_numbering_types_otherwise_changes_nothing():
    graph, colors = collection("two types, no categories")
    source, target, relation = graph.edges()
    other = csr_from_edges(
        source, target, graph.num_nodes, graph_ptr=graph.graph_ptr,
        relation=1 - relation, relation_names=["first", "second"],
    )  # fmt: skip
    for base in ("typed", "total"):
        lengths = [
            CollectionCode(one, own, base).without_motifs().length
            for one, own in ((graph, colors), (other, 5 - colors))
        ]
        assert lengths[0] == pytest.approx(lengths[1], abs=1e-6)


def test_too_many_kinds_of_edges_have_no_typed_base():
    edges = np.array(list(combinations(range(40), 2)))
    graph = csr_from_edges(
        *edges.T, 40, relation=np.arange(len(edges)) % 39,
        relation_names=[f"kind{k}" for k in range(39)],
    )  # fmt: skip
    assert not CollectionCode(graph, None, "typed").is_possible
    assert CollectionCode(graph, None, "total").is_possible


def graphical(size):
    """How many graphs of so many nodes have each degree sequence, ascending."""
    pairs = list(combinations(range(size), 2))
    number = {}
    for joined in product([0, 1], repeat=len(pairs)):
        degrees = [0] * size
        for (u, v), one in zip(pairs, joined, strict=True):
            degrees[u] += one
            degrees[v] += one
        number[tuple(degrees)] = number.get(tuple(degrees), 0) + 1
    return number


def test_numbers_of_graphs_are_near_those_of_all_of_six_nodes():
    errors = [
        count_small_graphs(tuple(np.bincount(degrees).tolist()))[0] - log2(number)
        for degrees, number in graphical(6).items()
        if list(degrees) == sorted(degrees)
    ]
    few = [
        count_small_graphs(tuple(np.bincount(degrees).tolist()))[0] - log2(number)
        for degrees, number in graphical(5).items()
    ]
    assert max(map(abs, few)) < 0.2
    assert abs(np.mean(errors)) < 0.1
    assert np.std(errors) < 0.5


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
            exact = log2(collection_code._list_digraphs(tuple(sorted(degrees))))
            errors.append(count_small_digraphs(degrees)[0] - exact)
    assert abs(np.mean(errors)) < 0.15
    assert np.std(errors) < 0.3
