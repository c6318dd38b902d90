"""What gather_candidates sees: embedded copies, directions, types and colours."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.choosing import choose
from mining.candidates.grown_sets import gather_candidates
from mining.mined_graph import MinedGraph
from mining.pattern import Pattern, Sight


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


def place_of(motif: np.ndarray, candidates: list[Pattern]) -> int:
    """Position of a motif among the candidates."""
    return [one.key for one in candidates].index(Structure(motif).key)


def gather(graph: object, *args: object, **options: object) -> list[Pattern]:
    return gather_candidates(MinedGraph.of(graph), *args, **options)  # type: ignore[arg-type]


MOTIFS = {
    "K5": nx.complete_graph(5),
    "K3,3": nx.complete_bipartite_graph(3, 3),
    "cube": nx.convert_node_labels_to_integers(nx.hypercube_graph(3)),
    "3x3 grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3)),
}


@pytest.mark.parametrize("name", list(MOTIFS))
def test_first_candidate_is_the_embedded_motif(name: str) -> None:
    base = nx.gnp_random_graph(600, 4 / 600, seed=40)
    candidates = gather(embed(base, MOTIFS[name], 15, seed=41), range(3, 10))
    adjacency = nx.to_numpy_array(MOTIFS[name])
    assert place_of(adjacency, candidates) == 0
    assert candidates[0].sight.num_disjoint >= 10
    assert candidates[0].sources == ("grown",)
    # copies with a node that dangles from them stand behind
    assert {one.num_nodes for one in candidates} == set(range(3, 10))


def test_examples_have_the_structure() -> None:
    whole = nx.gnp_random_graph(200, 0.03, seed=2)
    kinds = np.eye(2)[np.arange(200) % 2]
    mined = MinedGraph.of(as_csr(whole, features=pd.DataFrame(kinds, columns=["kind=a", "kind=b"])))
    adjacency = nx.to_numpy_array(whole) > 0
    for one in gather_candidates(mined, range(3, 6)):
        example = mined.order.given(one.sight.example)
        assert (adjacency[np.ix_(example, example)] == one.structure.joined).all()
        assert [name for (name,) in one.categories] == [f"kind={'ab'[v % 2]}" for v in example]


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
    wanted = Structure.parse("a-[on]->b, b-[on]->c, a-[off]->c")
    (loop,) = (one for one in gather(graph, (3, 4))[:5] if one.key == wanted.key)
    assert len(loop.sight.node_sets) >= 12


def test_most_frequent_structures_are_among_few_candidates() -> None:
    graph = nx.barabasi_albert_graph(300, 2, seed=4)
    everything = gather(graph, (4, 5), most=10_000)
    few = gather(graph, (4, 5), most=10)
    sizes = [one.num_nodes for one in few]
    # few trees are chosen, even where there is nothing else; all of four nodes are
    assert 7 < sizes.count(5) <= 10
    assert sizes.count(4) == sum(one.num_nodes == 4 for one in everything)
    top = max(everything, key=lambda one: len(one.sight.node_sets))
    assert top.key in {one.key for one in few}


def test_squares_far_from_the_triangles_of_a_geometric_graph_are_seen() -> None:
    base = nx.random_geometric_graph(600, 0.055, seed=11)
    candidates = gather(embed(base, MOTIFS["cube"], 12, seed=12), range(3, 9))
    one = candidates[place_of(nx.to_numpy_array(MOTIFS["cube"]), candidates)]
    assert one.sight.num_disjoint >= 10
    assert one.sight.num_expected < 1


def test_what_is_seen_at_the_same_places_comes_later() -> None:
    graph = as_csr(nx.disjoint_union_all([nx.complete_graph(4)] * 20))
    cliques = np.arange(80, dtype=np.int32).reshape(20, 4)
    # of ten diamonds seven are in cliques of the first; rings are elsewhere
    seen = {"clique-4": cliques[:12], "a--b, b--c, c--d, a--d, a--c": cliques[5:15]}
    seen["ring-4"] = cliques[15:]
    clique, diamond, ring = (
        Pattern(Structure.parse(text), sight=Sight(sets, sets[0])) for text, sets in seen.items()
    )
    assert choose(graph, [diamond, ring, clique], 10, 3) == [clique, ring, diamond]
