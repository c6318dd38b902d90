"""What gather_candidates sees: embedded copies, directions, types and colours."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.node_order import NodeOrder
from mining.candidates.candidates import Candidate, gather_candidates


def embed(base: nx.Graph, motif: nx.Graph, num_copies: int, seed: int) -> nx.Graph:
    """Put copies of a motif onto existing nodes, which keep their other edges."""
    rng = np.random.default_rng(seed)
    degree = np.array([d for _, d in base.degree()])
    free = rng.permutation(np.flatnonzero(degree <= np.median(degree) + 2))
    graph = base.copy()
    for copy in free[: num_copies * len(motif)].reshape(num_copies, -1).tolist():
        graph.remove_edges_from([(u, v) for u in copy for v in copy])
        graph.add_edges_from((copy[u], copy[v]) for u, v in motif.edges)
    return graph


def place_of(motif: np.ndarray, candidates: list[Candidate]) -> int:
    """Position of a motif among the candidates."""
    key = Structure(motif).key
    return [Structure(one.adjacency).key for one in candidates].index(key)


MOTIFS = {
    "K5": nx.complete_graph(5),
    "K3,3": nx.complete_bipartite_graph(3, 3),
    "cube": nx.convert_node_labels_to_integers(nx.hypercube_graph(3)),
    "3x3 grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3)),
}


@pytest.mark.parametrize("name", list(MOTIFS))
def test_first_candidate_is_the_embedded_motif(name: str) -> None:
    base = nx.gnp_random_graph(600, 4 / 600, seed=40)
    graph = as_csr(embed(base, MOTIFS[name], 15, seed=41))
    candidates = gather_candidates(graph, sizes=range(3, 10))
    adjacency = nx.to_numpy_array(MOTIFS[name])
    assert place_of(adjacency, candidates) == 0
    assert candidates[0].num_disjoint >= 10
    # copies with a node that dangles from them stand behind
    assert {len(one.example) for one in candidates} == set(range(3, 10))


def test_examples_have_the_structure() -> None:
    graph = as_csr(nx.gnp_random_graph(200, 0.03, seed=2))
    adjacency = nx.to_numpy_array(nx.gnp_random_graph(200, 0.03, seed=2)) > 0
    colors = np.arange(200) % 2
    for one in gather_candidates(graph, colors, range(3, 6)):
        assert (adjacency[np.ix_(one.example, one.example)] == one.adjacency).all()
        assert one.colors is not None
        assert (colors[one.example] == one.colors).all()


def feed_forward_loops() -> CSRGraph:
    """Twelve feed-forward loops of two types in a random graph with directions."""
    rng = np.random.default_rng(3)
    source, target = rng.integers(400, size=(2, 700))
    loops = rng.permutation(400)[:36].reshape(12, 3)
    a, b, c = loops.T
    source = np.concatenate([source, a, b, a])
    target = np.concatenate([target, b, c, c])
    kind = np.concatenate([rng.integers(2, size=700), np.repeat([0, 0, 1], 12)])
    return csr_from_edges(
        source, target, 400, directed=True, relation=kind, relation_names=["on", "off"]
    )


def test_candidates_have_directions_and_types() -> None:
    graph = feed_forward_loops()
    first = gather_candidates(graph, sizes=(3, 4))[0]
    assert first.adjacency.shape == (3, 3, 4)
    relation = {tuple(channel) for channel in np.argwhere(first.adjacency).tolist()}
    leaving = graph.relations.outgoing
    arcs = [(u, v, list(leaving).index(c)) for u, v, c in relation if c in list(leaving)]
    assert sorted(kind for _, _, kind in arcs) == [0, 0, 1]
    assert first.num_seen >= 12


def test_most_frequent_structures_are_among_few_candidates() -> None:
    graph = as_csr(nx.barabasi_albert_graph(300, 2, seed=4))
    everything = gather_candidates(graph, sizes=(4, 5), most=10_000)
    few = gather_candidates(graph, sizes=(4, 5), most=10)
    sizes = [len(one.adjacency) for one in few]
    # few trees are chosen, even where there is nothing else; all of four nodes are
    assert 7 < sizes.count(5) <= 10
    assert sizes.count(4) == sum(len(one.adjacency) == 4 for one in everything)
    top = max(everything, key=lambda one: one.num_seen)
    assert top.num_seen in [one.num_seen for one in few]


def test_roots_limit_what_is_looked_at() -> None:
    graph = as_csr(nx.disjoint_union(nx.complete_graph(6), nx.cycle_graph(40)))
    candidates = gather_candidates(graph, sizes=(3,), roots=np.arange(6, 46), min_support=1)
    assert [one.adjacency.sum() for one in candidates] == [4]


def test_a_graph_without_edges_has_no_candidates() -> None:
    graph = csr_from_edges(np.empty(0, int), np.empty(0, int), 5)
    assert gather_candidates(graph) == []


def test_the_same_seed_gives_the_same_candidates() -> None:
    graph = as_csr(nx.gnp_random_graph(300, 0.02, seed=6))
    one, other = (gather_candidates(graph, sizes=(4, 5), seed=7) for _ in range(2))
    assert [x.num_seen for x in one] == [x.num_seen for x in other]
    assert all((x.example == y.example).all() for x, y in zip(one, other, strict=True))


def test_numbering_nodes_anew_changes_no_candidate_of_a_graph_in_its_order() -> None:
    base = nx.gnp_random_graph(300, 0.015, seed=8)
    graph = embed(base, MOTIFS["K3,3"], 8, seed=9)
    number = np.random.default_rng(10).permutation(300)
    other = nx.relabel_nodes(graph, dict(enumerate(number.tolist())))
    renumbered = nx.empty_graph(300)
    renumbered.add_edges_from(other.edges)
    found = [
        {Structure(one.adjacency).key: one.num_seen for one in candidates}
        for candidates in (
            gather_candidates(NodeOrder.of(as_csr(one)).graph, sizes=(4, 5, 6), most=60)
            for one in (graph, renumbered)
        )
    ]
    shared = set(found[0]) & set(found[1])
    assert len(shared) >= 0.95 * len(set(found[0]) | set(found[1]))
    counts = np.array([[one[key] for key in shared] for one in found])
    assert np.corrcoef(counts)[0, 1] > 0.999


def test_squares_far_from_the_triangles_of_a_geometric_graph_are_seen() -> None:
    base = nx.random_geometric_graph(600, 0.055, seed=11)
    graph = as_csr(embed(base, MOTIFS["cube"], 12, seed=12))
    candidates = gather_candidates(graph, sizes=range(3, 9))
    one = candidates[place_of(nx.to_numpy_array(MOTIFS["cube"]), candidates)]
    assert one.num_disjoint >= 10
    assert one.num_expected < 1
