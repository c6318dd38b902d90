"""The motif set of a collection: what is planted is found, and nothing where nothing is."""

from itertools import combinations
from math import inf

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.shapes import Shape, links_of
from mining.mined_graph import MinedGraph
from mining.motif_sets.blocks import find_shared_blocks
from mining.motif_sets.collection_code import CollectionCode
from mining.motif_sets.collection_search import LEAST_BITS, search_collection
from mining.pattern import Pattern

RING = Structure.parse(
    "a:kind=0-[x]-b:kind=0, b-[y]-c:kind=1, c-[x]-d:kind=0, d-[y]-e:kind=0, e-[x]-a"
)


def with_labels(graph, rng):
    """Random categories and types where there are none yet."""
    for node in graph:
        graph.nodes[node].setdefault("kind", int(rng.integers(2)))
    for u, v in graph.edges:
        graph.edges[u, v].setdefault("relation", "xy"[rng.integers(2)])
    return graph


def typed_collection(seed, num_graphs=40, planted=1):
    """Random trees, to which copies of a typed ring are joined by an edge."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(num_graphs):
        graph = nx.random_labeled_tree(10, seed=int(rng.integers(2**31)))
        for _ in range(planted):
            first = len(graph)
            for node in range(5):
                graph.add_node(first + node, kind=int(node == 2))
            for (u, v), relation in zip(RING.edges, RING.edge_relations, strict=True):
                name = RING.relations.names[relation]
                graph.add_edge(first + u, first + v, relation=name)
            graph.add_edge(first, int(rng.integers(10)))
        graphs.append(with_labels(graph, rng))
    return graphs


def mined_of(graphs):
    """A collection with the categories and types of its graphs, if they have any."""
    ptr = np.concatenate([[0], np.cumsum([len(graph) for graph in graphs])])
    kinds, edges, types = [], [], []
    for graph, first in zip(graphs, ptr.tolist(), strict=False):
        place = {node: first + k for k, node in enumerate(graph)}
        kinds += [graph.nodes[node].get("kind", 0) for node in graph]
        edges += [(place[u], place[v]) for u, v in graph.edges]
        types += [data.get("relation", "x") == "y" for *_, data in graph.edges(data=True)]
    edges, has_types = np.array(edges), any(types)
    graph = csr_from_edges(
        edges[:, 0],
        edges[:, 1],
        int(ptr[-1]),
        graph_ptr=ptr,
        features=np.eye(2)[kinds] if any(kinds) else None,
        feature_names=["kind=0", "kind=1"] if any(kinds) else None,
        relation=np.array(types, int) if has_types else None,
        relation_names=["x", "y"] if has_types else ["edge"],
    )
    return MinedGraph.of(graph)


def described(found):
    """All that a set says, but for its candidates."""
    return [
        (one.structure.key, one.copies.tobytes(), one.bits, one.sources) for one in found.motifs
    ] + [found.bits_base, found.bits_total, found.base, found.cut]


@pytest.fixture(scope="module")
def mined():
    return mined_of(typed_collection(0))


@pytest.fixture(scope="module")
def answer(mined):
    return search_collection(mined, range(2, 8), seed=0)


def test_a_planted_typed_ring_is_found_and_nothing_else(answer):
    best, other = answer
    assert [len(one.copies) for one in best.motifs] == [40]
    assert (best.motifs[0].structure.num_nodes, len(best.motifs[0].structure.edges)) == (5, 5)
    assert not best.cut
    assert best.bits_saved > 100
    assert {best.base, other.base} == {"typed", "total"}


def test_bits_are_differences_of_lengths(mined, answer):
    best, _ = answer
    code = CollectionCode(mined.graph, mined.colors, best.base)
    motifs = []
    for one in best.motifs:
        (links,), (colors,) = links_of(code.rows, one.copies[:1])
        motifs.append((Shape.of(links, colors), one.copies))
    assert code.cover(motifs).length == pytest.approx(best.bits_total, abs=1e-6)
    # nothing else is in the set, so that without it there are no motifs
    length = code.without_motifs().length
    assert best.motifs[0].bits == pytest.approx(length - best.bits_total, abs=1e-6)


def test_all_copies_are_isomorphic_to_the_motif(mined, answer):
    motif = answer[0].motifs[0]
    for copy in motif.copies:
        order = {node: place for place, node in enumerate(copy.tolist())}
        edges = set()
        for node in copy.tolist():
            first, last = mined.graph.indptr[node : node + 2]
            for other in mined.graph.indices[first:last].tolist():
                if other in order and node < other:
                    edges.add(frozenset((order[node], order[other])))
        assert edges == {frozenset(edge) for edge in motif.structure.edges}
    assert len(np.unique(motif.copies)) == motif.copies.size


def test_same_seed_same_set(mined, answer):
    again = search_collection(mined, range(2, 8), seed=0)
    assert [described(one) for one in again] == [described(one) for one in answer]


def test_other_numbers_of_nodes_and_graphs_change_nothing(answer):
    rng, renumbered = np.random.default_rng(1), []
    for graph in typed_collection(0):
        names = dict(zip(graph, rng.permutation(len(graph)).tolist(), strict=True))
        other = nx.Graph()
        other.add_nodes_from((names[node], graph.nodes[node]) for node in graph)
        other.add_edges_from((names[u], names[v], data) for u, v, data in graph.edges(data=True))
        renumbered.append(other)
    order = rng.permutation(len(renumbered))
    found, _ = search_collection(mined_of([renumbered[k] for k in order]), range(2, 8), seed=0)
    assert [one.structure.key for one in found.motifs] == [
        one.structure.key for one in answer[0].motifs
    ]
    assert found.bits_base == pytest.approx(answer[0].bits_base, abs=3)


def test_what_is_given_enters_the_set_or_misses_it(mined, answer):
    ring = answer[0].motifs[0].structure
    clique = Structure.of_edges(4, list(combinations(range(4), 2)), ["x"] * 6)
    proposed = [Pattern(ring, sources=("given",)), Pattern(clique, sources=("given",))]
    found, _ = search_collection(mined, range(2, 8), seed=0, proposed=proposed)
    assert found.motifs[0].sources == ("grown", "given")
    assert found.missing == {clique.key: inf}
    alone, _ = search_collection(mined, range(2, 8), seed=0, proposed=proposed[:1], grows=False)
    assert [one.sources for one in alone.motifs] == [("given",)]
    assert alone.bits_total == pytest.approx(answer[0].bits_total, abs=1e-6)


def test_time_that_is_up_is_said(mined):
    found, _ = search_collection(mined, range(2, 8), seed=0, is_over=lambda: True)
    assert found.cut


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_have_no_motif(seed):
    graphs = [nx.random_labeled_tree(16, seed=100 * seed + k) for k in range(30)]
    found, _ = search_collection(MinedGraph.of(graphs), range(2, 7), seed=seed)
    assert found.motifs == ()
    assert found.bits_total == found.bits_base
    assert found.closest is None or found.closest.bits < LEAST_BITS


@pytest.mark.parametrize("labels", [False, True])
def test_random_graphs_have_no_motif(labels):
    rng = np.random.default_rng(3)
    graphs = [nx.gnp_random_graph(14, 0.15, seed=k) for k in range(30)]
    if labels:
        graphs = [with_labels(graph, rng) for graph in graphs]
    found, _ = search_collection(mined_of(graphs), range(2, 6), seed=0)
    assert found.motifs == ()


def test_blocks_are_the_answer_where_nothing_else_is():
    sizes, densities = [8, 8, 8], np.full((3, 3), 0.05) + np.eye(3) * 0.45
    graphs = [
        nx.Graph(nx.stochastic_block_model(sizes, densities.tolist(), seed=k)) for k in range(60)
    ]
    found, other = search_collection(MinedGraph.of(graphs), range(2, 5), seed=0)
    assert (found.base, found.motifs, other.base) == ("blocks", (), "total")
    assert len(found.blocks) == 60 * 24
    assert found.bits_total < other.bits_total


def test_a_block_with_all_its_edges_is_named():
    graphs = []
    for k in range(30):
        sparse = nx.gnp_random_graph(15, 0.1, seed=k)
        graphs.append(nx.disjoint_union(nx.complete_graph(8), sparse))
        graphs[-1].add_edge(k % 8, 8 + k % 15)
    found, _ = search_collection(MinedGraph.of(graphs), range(2, 5), seed=0)
    assert found.base == "blocks"
    assert [one.structure.to_text() for one in found.motifs] == [
        Structure.parse("clique-8").to_text()
    ]
    assert len(found.motifs[0].copies) == 30


def test_graphs_of_one_density_have_no_blocks():
    graphs = [nx.gnp_random_graph(20, 0.2, seed=k) for k in range(40)]
    assert find_shared_blocks(MinedGraph.of(graphs).graph) is None


def test_a_list_of_one_graph():
    ring = nx.disjoint_union_all([nx.cycle_graph(6) for _ in range(12)])
    graph = nx.disjoint_union(ring, nx.random_labeled_tree(40, seed=0))
    rng = np.random.default_rng(0)
    graph.add_edges_from((6 * k, 72 + int(rng.integers(40))) for k in range(12))
    found, _ = search_collection(MinedGraph.of([graph]), range(2, 8), seed=0)
    assert [len(one.copies) for one in found.motifs] == [12]


def test_directed_motifs_are_found():
    rng, graphs = np.random.default_rng(0), []
    for _ in range(40):
        graph = nx.DiGraph(list(nx.random_labeled_tree(12, seed=int(rng.integers(2**31))).edges))
        loop = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3)]
        graph.add_edges_from((12 + u, 12 + v) for u, v in loop)
        graph.add_edge(12 + int(rng.integers(4)), int(rng.integers(12)))
        graphs.append(graph)
    found, other = search_collection(MinedGraph.of(graphs), range(2, 6), seed=0)
    assert [(one.structure.num_nodes, len(one.copies)) for one in found.motifs] == [(4, 40)]
    assert len(found.motifs[0].structure.edges) == 6
    assert other is not None
