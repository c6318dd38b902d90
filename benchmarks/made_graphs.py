"""Graphs with hidden motifs, made by NetworkX and NumPy: nothing of the package that they judge.

A base graph of 760 nodes, and copies of motifs that are each joined to it by an edge. The edges of
a copy may be changed: each is left out with a probability, and as many are put in where there is
none, as long as the copy stays connected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import networkx as nx
import numpy as np

BASE_NODES = 760
# of a random graph that is not grown
EDGES_PER_NODE = 1.5


def _crown() -> nx.Graph:
    """A triangle with a triangle on each side."""
    graph = nx.complete_graph(3)
    for top, side in enumerate(combinations(range(3), 2), start=3):
        graph.add_edges_from((top, node) for node in side)
    return graph


def _house_with_triangle() -> nx.Graph:
    """A house with another triangle on a side of its roof."""
    graph = nx.house_graph()
    graph.add_edges_from([(5, 3), (5, 4)])
    return graph


def _theta() -> nx.Graph:
    """Two nodes that three paths join, of one, two and two nodes."""
    return nx.Graph([(0, 2), (2, 1), (0, 3), (3, 4), (4, 1), (0, 5), (5, 6), (6, 1)])


PAPER = {
    "house6": _house_with_triangle(),
    "cup": nx.ladder_graph(3),
    "wheel": nx.wheel_graph(6),
    "crown": _crown(),
}
# the kernel cannot tell the first two apart, nor the cup from the last
LIKE_EACH_OTHER = {
    "K3,3": nx.complete_bipartite_graph(3, 3),
    "prism": nx.circular_ladder_graph(3),
    "octahedron": nx.octahedral_graph(),
    "two triangles": nx.barbell_graph(3, 0),
}
OF_SIZE: dict[int, dict[str, nx.Graph]] = {
    4: {"K4": nx.complete_graph(4), "diamond": nx.diamond_graph()},
    5: {
        "house": nx.house_graph(),
        "bowtie": nx.windmill_graph(2, 3),
        "wheel5": nx.wheel_graph(5),
    },
    6: {**PAPER, **LIKE_EACH_OTHER},
    7: {"wheel7": nx.wheel_graph(7), "windmill7": nx.windmill_graph(3, 3), "theta7": _theta()},
    8: {
        "cube": nx.convert_node_labels_to_integers(nx.hypercube_graph(3)),
        "Möbius ladder": nx.circulant_graph(8, [1, 4]),
        "ladder8": nx.ladder_graph(4),
    },
}
MOTIFS = {name: motif for motifs in OF_SIZE.values() for name, motif in motifs.items()}


def _grid(num_nodes: int, seed: int) -> nx.Graph:
    side = round(num_nodes**0.5)
    return nx.grid_2d_graph(side, side)


def _blocks(num_nodes: int, seed: int) -> nx.Graph:
    """Eight blocks, in which a node has four neighbours, and half a neighbour outside."""
    number = 8
    size = num_nodes // number
    return nx.planted_partition_graph(number, size, 4 / size, 0.5 / num_nodes, seed=seed)


BASES: dict[str, Callable[[int, int], nx.Graph]] = {
    "ba1": lambda number, seed: nx.barabasi_albert_graph(number, 1, seed=seed),
    "ba2": lambda number, seed: nx.barabasi_albert_graph(number, 2, seed=seed),
    "ws4": lambda number, seed: nx.watts_strogatz_graph(number, 4, 0.1, seed=seed),
    "er3": lambda number, seed: nx.gnm_random_graph(
        number, int(EDGES_PER_NODE * number), seed=seed
    ),
    "tree": lambda number, seed: nx.random_labeled_tree(number, seed=seed),
    "grid": _grid,
    "sbm": _blocks,
}


@dataclass(frozen=True)
class MadeGraph:
    """A graph whose nodes are numbered from 0, and the node sets of the copies of each motif."""

    graph: nx.Graph
    copies: dict[str, list[frozenset[int]]]


def make_graph(
    base: str,
    motifs: Mapping[str, int],
    seed: int,
    *,
    changed: float = 0.0,
    num_nodes: int = BASE_NODES,
) -> MadeGraph:
    """Join so many copies of each motif to a base graph, and number all nodes at random.

    ``changed`` is the share of the edges of a copy that are changed.
    """
    rng = np.random.default_rng(seed)
    # 1. the base graph
    host = nx.convert_node_labels_to_integers(BASES[base](num_nodes, seed))
    number = num_host = len(host)
    edges = list(host.edges)
    # 2. the copies
    copies: dict[str, list[range]] = {name: [] for name in motifs}
    for name, times in motifs.items():
        for _ in range(times):
            own = changed_copy(MOTIFS[name], changed, rng)
            edges += [(number + u, number + v) for u, v in own.edges]
            edges.append((number + int(rng.integers(len(own))), int(rng.integers(num_host))))
            copies[name].append(range(number, number + len(own)))
            number += len(own)
    # 3. new numbers
    new = rng.permutation(number).tolist()
    graph = nx.empty_graph(number)
    graph.add_edges_from((new[u], new[v]) for u, v in edges)
    return MadeGraph(
        graph,
        {name: [frozenset(new[node] for node in one) for one in own]
         for name, own in copies.items()},
    )  # fmt: skip


def changed_copy(motif: nx.Graph, changed: float, rng: np.random.Generator) -> nx.Graph:
    """A connected copy of a motif of which a share of the edges is changed."""
    edges, gaps = list(motif.edges), list(nx.non_edges(motif))
    while True:
        kept = rng.random(len(edges)) >= changed
        put = rng.random(len(gaps)) < changed * len(edges) / max(1, len(gaps))
        copy = nx.empty_graph(len(motif))
        copy.add_edges_from(edges[i] for i in np.flatnonzero(kept))
        copy.add_edges_from(gaps[i] for i in np.flatnonzero(put))
        if nx.is_connected(copy):
            return copy
