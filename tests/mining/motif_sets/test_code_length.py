"""The length of one graph with given motifs: committed lengths, sums by hand, what it refuses."""

from math import log2

import networkx as nx
import numpy as np
import pytest
from coded_graphs import RECORDS, mined_of, motif_of

from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from mining.mined_graph import MinedGraph
from mining.motif_sets.blocks import find_blocks
from mining.motif_sets.code_length import ADDRESSES, CodedGraph, GraphCode, terms_of
from mining.motif_sets.copy_loops import Left, move_copies
from mining.motif_sets.integer_codes import histogram_bits, integer_bits
from mining.motif_sets.listed_copies import ListedCopies

CODES = dict(zip("UWHNM", ADDRESSES, strict=True))


@pytest.mark.parametrize("record", RECORDS, ids=[one["name"] for one in RECORDS])
def test_lengths_are_those_that_are_committed(record):
    mined = mined_of(record)
    graph, blocks = CodedGraph.of(mined), None
    if record["blocks"] is not None:
        blocks = np.array(record["blocks"])[mined.order.nodes]
    code = GraphCode(graph, blocks)
    for expected in record["sets"]:
        motifs = [motif_of(mined, graph, one, record["directed"]) for one in expected["motifs"]]
        found = code.length(motifs)
        for one, motif in zip(expected["motifs"], motifs, strict=True):
            bits, address = code.motif_bits(*motif)
            assert bits == pytest.approx(sum(one["parts"]), abs=1e-6)
            assert address == CODES[one["code"]]
        assert found.total == pytest.approx(expected["total"], abs=1e-6)


@pytest.mark.parametrize(
    ("name", "num_blocks"),
    [
        ("prisms and cliques on a tree", 0),
        ("prisms and cliques on a tree", 3),
        ("mixed arcs", 0),
        ("typed tournaments", 0),
    ],
)
def test_the_residual_goes_on_from_a_similar_graph(name, num_blocks):
    record = next(one for one in RECORDS if one["name"] == name)
    mined = mined_of(record)
    graph, blocks = CodedGraph.of(mined), None
    if num_blocks:
        blocks = mined.order.nodes.astype(int) % num_blocks
    code, used = GraphCode(graph, blocks), np.zeros(graph.num_edges, bool)
    whole = code.residual(graph.degrees, used)
    motif = record["sets"][1]["motifs"][0]
    shape, copies = motif_of(mined, graph, motif, record["directed"])

    def take(some):
        degrees, taken = graph.degrees.copy(), used.copy()
        move_copies(degrees, some.astype(np.int32), terms_of(graph.roles(shape)), -1)
        taken[graph.edge_numbers(shape, some)] = True
        return degrees, taken

    left = take(copies)
    warm, cold = code.residual(*left, whole), code.residual(*left)
    assert warm.bits == pytest.approx(cold.bits, abs=1e-5)
    # what a copy saves to first order is nearly what it saves
    everything = Left(used, graph.degrees, code.edge_bits(whole, graph.degrees))
    edges = graph.edge_numbers(shape, copies)
    listed = ListedCopies(code, shape, copies.astype(np.int32), edges, (), True)
    gains = listed.gains(np.arange(len(copies)), everything)
    for one in range(len(copies)):
        saved = whole.bits - code.residual(*take(copies[one : one + 1])).bits
        assert gains[one] == pytest.approx(saved, rel=0.15)
    # and giving them back leaves the graph
    move_copies(left[0], copies.astype(np.int32), terms_of(graph.roles(shape)), 1)
    np.testing.assert_array_equal(left[0], graph.degrees)


def test_a_list_of_relations_by_hand():
    """Layers of their own for each relation, and for the pairs that two relations join."""
    source, target = np.array([0, 1, 2, 3, 4, 4, 0, 1]), np.array([1, 2, 3, 4, 5, 0, 2, 3])
    relation = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    # 2 and 3 are joined by both
    source, target, relation = (
        np.r_[column, extra] for column, extra in ((source, 2), (target, 3), (relation, 1))
    )
    csr = csr_from_edges(source, target, 6, relation=relation, relation_names=("a", "b"))
    graph = CodedGraph.of(MinedGraph.of(csr))
    code = GraphCode(graph)
    alone = []
    for kind in ([(0, 1), (1, 2), (3, 4), (4, 5)], [(4, 0), (0, 2), (1, 3)], [(2, 3)]):
        layer = csr_from_edges(*np.array(kind).T, 6)
        own = CodedGraph.of(MinedGraph.of(layer))
        alone.append(GraphCode(own).length([]).total)
    # each says that it has no motifs, once in all
    none = 2 * integer_bits(0)
    assert code.length([]).total == pytest.approx(sum(alone) - none, abs=1e-6)
    # the drawing says the kind of each pair: three kinds, three pairs, of which two are joined
    structure = Structure.of_edges(3, [(0, 1), (0, 2)], ["a", "b"])
    shape = graph.shape_of(Structure(structure.channels, csr.relations))
    assert code.head(shape) == pytest.approx(integer_bits(3) + 3 * log2(4) + log2(6) - log2(6))


def test_the_order_of_the_nodes_changes_nothing():
    graph = nx.karate_club_graph()
    turned = nx.relabel_nodes(graph, dict(enumerate(np.random.default_rng(0).permutation(34))))
    lengths = []
    for one in (graph, turned):
        coded = CodedGraph.of(MinedGraph.of(nx.Graph(one.edges)))
        lengths.append(GraphCode(coded).length([]).total)
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-6)
    assert lengths[0] == pytest.approx(175.361213, abs=1e-6)


def test_a_motif_has_the_relations_of_the_graph():
    graph = CodedGraph.of(MinedGraph.of(nx.complete_graph(4)))
    with pytest.raises(InputError, match="relations"):
        graph.shape_of(Structure.parse("a->b, b->c"))


def test_blocks_are_found_where_there_are_some():
    blocks = nx.planted_partition_graph(4, 25, 0.6, 0.02, seed=0)
    mined = MinedGraph.of(blocks)
    found = find_blocks(CodedGraph.of(mined))
    given = np.empty(100, int)
    given[mined.order.nodes] = found
    assert len(np.unique(given)) == 4
    assert all(len(np.unique(given[25 * i : 25 * i + 25])) == 1 for i in range(4))
    sides = find_blocks(CodedGraph.of(MinedGraph.of(nx.complete_bipartite_graph(5, 6))))
    assert sorted(np.bincount(sides).tolist()) == [5, 6]
    assert find_blocks(CodedGraph.of(MinedGraph.of(nx.cycle_graph(20)))) is None
    directed = as_csr(nx.gnm_random_graph(20, 60, seed=0, directed=True))
    assert find_blocks(CodedGraph.of(MinedGraph.of(directed))) is None
    with pytest.raises(InputError, match="blocks must be None"):
        GraphCode(CodedGraph.of(MinedGraph.of(directed)), np.zeros(20, int))


@pytest.mark.parametrize(
    ("number", "bits"),
    [(0, 1.5185), (1, 2.5185), (2, 3.7679), (3, 4.5185), (6, 6.3897), (10, 7.6089), (100, 12.9011)],
)
def test_the_code_of_whole_numbers(number, bits):
    assert integer_bits(number) == pytest.approx(bits, abs=1e-4)


def test_the_code_of_a_histogram():
    # two bins, one count: the Krichevsky-Trofimov estimator gives 1/2; then 3/4 for the same again
    assert histogram_bits(np.array([1, 0])) == pytest.approx(1.0)
    assert histogram_bits(np.array([2, 0])) == pytest.approx(1.0 - log2(3 / 4))


def test_pairs_of_blocks_that_edges_join_are_counted():
    whole = nx.disjoint_union_all([nx.complete_graph(5)] * 3 + [nx.empty_graph(2)])
    whole.add_edges_from([(0, 5), (1, 6)])
    mined = MinedGraph.of(whole)
    # three cliques, two of which are joined, and two nodes without an edge
    blocks = mined.order.nodes.astype(int) // 5
    assert GraphCode(CodedGraph.of(mined), blocks).joined_blocks == 4
