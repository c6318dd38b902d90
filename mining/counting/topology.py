"""The structure that is counted: checked, its links numbered, its nodes ordered, its symmetries.

Symmetries are handled as a chain of stabilizers: for each node in turn, the automorphisms that fix
the nodes before it carry it to the nodes of its orbit. Of all mappings of the topology onto one
node set, that differ by automorphisms, one is taken: where each node is mapped to the smallest of
the graph nodes that its orbit is mapped to (J. A. Grochow and M. Kellis, Network motif discovery
using subgraph enumeration and symmetry-breaking, RECOMB 2007, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import igraph
import networkx as nx
import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.relations import Relations
from mining.structures.canonical_forms import as_colored_graph
from mining.structures.graph_relations import in_words, links_of

# what is said of a node is a bit of an int64, whose sign and highest bit have other uses
MOST_PATTERN_NODES = 62

Colors = tuple[np.ndarray, np.ndarray]


# compared by identity, so that what is found out about one can be cached
@dataclass(frozen=True, eq=False)
class Topology:
    """A connected pattern of M nodes in terms of the links of the graph in which it is counted.

    ``links`` is int64 ``[M, M]``: 0 where nodes are not joined, -1 where they are joined as no two
    nodes of the graph are. ``adjacency`` is bool ``[M, M]`` or ``[M, M, C]``, ``colors [M]``.
    """

    adjacency: np.ndarray
    links: np.ndarray
    colors: np.ndarray | None

    @classmethod
    def of(
        cls, graph: CSRGraph, adjacency: np.ndarray, colors: Colors | None
    ) -> tuple[Topology, np.ndarray | None]:
        """Check a pattern and the colours of pattern and graph; return also the latter.

        Of what was counted before, in this graph or in another with the same links, comes the same
        topology, with what is known of it.
        """
        adjacent, own, those_of_graph = np.ascontiguousarray(np.asarray(adjacency) != 0), None, None
        if colors is not None:
            own, those_of_graph = _check_colors(*colors, len(adjacent), graph.num_nodes)
        known = None if own is None else own.tobytes()
        return _topology(adjacent.tobytes(), adjacent.shape, known, graph.relations), those_of_graph

    def __len__(self) -> int:
        """Number of nodes M."""
        return len(self.links)

    @cached_property
    def joined(self) -> np.ndarray:
        """Which nodes are joined in any way, bool ``[M, M]``."""
        return np.asarray(self.links != 0)

    @cached_property
    def num_automorphisms(self) -> int:
        """How many mappings onto itself there are."""
        graph, color = as_colored_graph(self.adjacency, self.colors)
        return int(graph.count_automorphisms(color=color))

    @cached_property
    def generators(self) -> np.ndarray:
        """Automorphisms that make up all, int64 ``[K, M]``: where each carries the nodes."""
        graph, color = as_colored_graph(self.adjacency, self.colors)
        return _generators(graph, color, len(self))

    @cached_property
    def kinds(self) -> list[list[int]]:
        """The nodes that automorphisms carry to each other."""
        rest, kinds = list(range(len(self))), []
        while rest:
            kinds.append(sorted(_orbit(self.generators, rest[0], len(self))))
            rest = [node for node in rest if node not in kinds[-1]]
        return kinds

    @cached_property
    def order(self) -> list[int]:
        """The order of a search that begins with a node of most edges."""
        return self.order_from(int(self.joined.sum(axis=1).argmax()))

    def order_from(self, first: int) -> list[int]:
        """The nodes in the order of a search: each has most edges to those before it."""
        # many edges to mapped nodes leave few candidates, so dead ends are met early
        degrees = self.joined.sum(axis=1)
        order = [first]
        while len(order) < len(self):
            rest = [node for node in range(len(self)) if node not in order]
            order.append(
                max(rest, key=lambda node: (self.joined[node, order].sum(), degrees[node]))
            )
        return order

    @cached_property
    def orbits(self) -> list[dict[int, np.ndarray]]:
        """For each node of ``order``, its orbit under the automorphisms that fix those before it.

        An automorphism ``[M]`` that carries the node there stands beside each member.
        """
        graph, kinds = as_colored_graph(self.adjacency, self.colors)
        color = [0] * graph.vcount() if kinds is None else list(kinds)
        orbits, unused = [], max(color) + 1
        for number, node in enumerate(self.order):
            orbits.append(_orbit(_generators(graph, color, len(self)), node, len(self)))
            # fixed from now on
            color[node] = unused + number
        return orbits

    def choose_mappings(self, nodes: np.ndarray) -> np.ndarray:
        """Of each row ``[K, M]`` and those that differ from it by automorphisms, the chosen one."""
        chosen = nodes.copy()
        for node, orbit in zip(self.order, self.orbits, strict=True):
            members = np.array(list(orbit))
            smallest = members[chosen[:, members].argmin(axis=1)]
            for member in orbit.keys() - {node}:
                rows = np.flatnonzero(smallest == member)
                chosen[rows] = chosen[rows][:, orbit[member]]
        return chosen


def _generators(graph: igraph.Graph, color: list[int] | None, size: int) -> np.ndarray:
    """Automorphisms that make up all, int64 ``[K, size]``, of the first nodes of a graph."""
    found = np.array(graph.automorphism_group(color=color), dtype=np.int64)
    return found.reshape(-1, graph.vcount())[:, :size]


def _orbit(generators: np.ndarray, node: int, size: int) -> dict[int, np.ndarray]:
    """Nodes to which a group of permutations can carry ``node``, and a permutation for each."""
    orbit, stack = {node: np.arange(size)}, [node]
    while stack:
        current = stack.pop()
        for permutation in generators:
            reached = int(permutation[current])
            if reached not in orbit:
                orbit[reached] = permutation[orbit[current]]
                stack.append(reached)
    return orbit


@lru_cache(maxsize=1024)
def _topology(
    adjacency: bytes, shape: tuple[int, ...], colors: bytes | None, relations: Relations
) -> Topology:
    adjacent = _check_adjacency(np.frombuffer(adjacency, bool).reshape(shape), relations)
    links = adjacent.astype(np.int64) if adjacent.ndim == 2 else links_of(adjacent, relations)
    own = None if colors is None else np.frombuffer(colors, np.int64)
    return Topology(adjacent, links, own)


def _check_adjacency(adjacent: np.ndarray, relations: Relations) -> np.ndarray:
    """Return bool ``[M, M]`` or ``[M, M, C]``, or refuse what is no connected simple graph."""
    num_channels = len(relations.channels)
    if adjacent.shape[2:] == (1,):
        adjacent = adjacent[..., 0]
    if adjacent.ndim not in (2, 3) or adjacent.shape[0] != adjacent.shape[1]:
        raise InputError(f"adjacency must be a matrix [M, M], got the shape {adjacent.shape}.")
    if adjacent.shape[2:] != ((num_channels,) if num_channels > 1 else ()):
        raise InputError(
            f"adjacency must be {f'[M, M, {num_channels}]' if num_channels > 1 else '[M, M]'}, a "
            f"matrix for each channel of the relations {in_words(relations)}, got the shape "
            f"{adjacent.shape}; or read the graph with other directions and relations."
        )
    if not 1 <= len(adjacent) <= MOST_PATTERN_NODES:
        raise InputError(
            f"adjacency must have from 1 to {MOST_PATTERN_NODES} nodes, got {len(adjacent)}."
        )
    reverse = adjacent if adjacent.ndim == 2 else adjacent[..., relations.opposite]
    if (adjacent != reverse.swapaxes(0, 1)).any() or adjacent.diagonal().any():
        raise InputError(
            "adjacency must be symmetric with a diagonal of zeros (no self-loops), where an edge "
            "that leaves one node arrives at the other."
        )
    joined = adjacent if adjacent.ndim == 2 else adjacent.any(axis=2)
    num_components = nx.number_connected_components(nx.from_numpy_array(joined))
    if num_components > 1:
        raise InputError(
            f"adjacency must be connected, got {num_components} components; count each by itself."
        )
    return adjacent


def _check_colors(pattern: np.ndarray, graph: np.ndarray, size: int, num_nodes: int) -> Colors:
    """Return both as int64, or refuse what is not one whole number for each node."""
    for colors, length in ((pattern, size), (graph, num_nodes)):
        if np.shape(colors) != (length,) or np.asarray(colors).dtype.kind not in "iu":
            raise InputError(
                f"colors must be whole numbers for the {size} nodes of the topology and for the "
                f"{num_nodes} of the graph, got {np.asarray(colors).dtype} of shape "
                f"{np.shape(colors)}."
            )
    return np.asarray(pattern, np.int64), np.asarray(graph, np.int64)
