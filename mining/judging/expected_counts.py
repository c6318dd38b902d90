"""How often a structure is expected where edge ends are joined at random (configuration model).

With (d)_k = d (d - 1) … (d - k + 1), a structure whose node i has k_i edges is expected

    Π_i Σ_v (d_v)_{k_i} / (Π_edges number of ends) / |Aut|

times in a sparse graph of degrees d_v (S. Itzkovitz, R. Milo, N. Kashtan, G. Ziv and U. Alon,
Subgraphs in random networks, Physical Review E 68, 026127, 2003). Samples of a null model say it
better where they hold the structure; this says how rare it is where they do not. Edges of each
relation and direction have ends of their own.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.mined_graph import MinedGraph

# of more automorphisms every so many are taken
_MOST_ORDERS = 64


class ExpectedCounts:
    """Expected counts in random graphs with the degrees and categories of a graph."""

    def __init__(self, mined: MinedGraph) -> None:
        self.mined, self.graph = mined, mined.graph
        # degrees [V, C] by channel, and the number of ends in each, [C]
        self.degrees = _channel_degrees(self.graph)
        self._log_ends = np.log(np.maximum(self.degrees.sum(axis=0), 1))

    @cached_property
    def _kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """Distinct rows of degrees and colour, and how many nodes have each."""
        colors = self.mined.colors
        if colors is None:
            colors = np.zeros(self.graph.num_nodes, np.int64)
        rows = np.concatenate([self.degrees, colors[:, None]], axis=1)
        kinds, number = np.unique(rows, axis=0, return_counts=True)
        return kinds, number

    def log_count(self, structure: Structure) -> float:
        """Logarithm of the expected count of a structure."""
        ways = self._log_ways(_ends(structure), self._colors(structure))
        return ways - float(np.log(structure.num_automorphisms))

    def extensions(
        self, places: np.ndarray, part: Structure, whole: Structure, mapping: np.ndarray
    ) -> np.ndarray:
        """Expected number of occurrences of a whole at each of the ``places [P, A]`` of a part.

        ``mapping [A]`` is the node of ``whole`` that each node of ``part`` is. Places keep their
        nodes, and the ends that these have left are joined at random.
        """
        new_ends = _ends(whole)
        new_ends[mapping] -= _ends(part)
        left = self.degrees[places] - _ends(part)
        ways = np.zeros(len(places))
        orders = part.symmetries
        step = -(-len(orders) // _MOST_ORDERS)
        for order in orders[::step]:
            ways += step * _falling(left[:, order], new_ends[mapping]).prod(axis=(1, 2))
        others = np.setdiff1d(np.arange(whole.num_nodes), mapping)
        colors = self._colors(whole)
        log_new = self._log_ways(new_ends[others], None if colors is None else colors[others])
        log_new -= float(new_ends[mapping].sum(axis=0) @ self._log_ends) / 2
        number: np.ndarray = ways * np.exp(log_new) / whole.num_automorphisms
        return number

    def _colors(self, structure: Structure) -> np.ndarray | None:
        colors = self.mined.colors_of(structure)
        return None if colors is None else colors[0]

    def _log_ways(self, ends: np.ndarray, colors: np.ndarray | None) -> float:
        """Log of the ways to map nodes with ends ``[M, C]``, each of which is half an edge."""
        kinds, number = self._kinds
        total = 0.0
        for i, need in enumerate(ends):
            ways = _falling(kinds[:, :-1], need).prod(axis=1) * number
            if colors is not None:
                ways = ways * (kinds[:, -1] == colors[i])
            with np.errstate(divide="ignore"):
                total += float(np.log(ways.sum()))
        return total - float(ends.sum(axis=0) @ self._log_ends) / 2


def _channel_degrees(graph: CSRGraph) -> np.ndarray:
    """Number of neighbours of each node in each channel, int64 ``[V, C]``."""
    if graph.links is None:
        return graph.degrees[:, None]
    links = graph.relations.links.astype(np.int64)
    num_links = len(links)
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    number = np.bincount(row * num_links + graph.links, minlength=graph.num_nodes * num_links)
    return number.reshape(-1, num_links) @ links


def _ends(structure: Structure) -> np.ndarray:
    """Ends at each node in each channel, int64 ``[M, C]``."""
    return structure.channels.astype(np.int64).sum(axis=1)


def _falling(number: np.ndarray, times: np.ndarray) -> np.ndarray:
    """``number (number - 1) …``, so many ``times``; 0 where there are not as many."""
    product = np.ones(np.broadcast_shapes(number.shape, times.shape))
    for k in range(int(times.max(initial=0))):
        product *= np.where(k < times, np.maximum(number - k, 0), 1.0)
    return product
