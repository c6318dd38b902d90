"""What neighbours nodes of a kind have, and so how surely several copies have the same by chance.

A block of M roles with k disjoint copies is worth

    k · (log2(k / n) + sum of the bits of its roles) - sum of log2(choices)

bits: n nodes are of the kind of its first role, of which a share of 2^-bits has each further role
by chance, and each role was chosen among so many that enough copies had. It is the logarithm of the
likelihood of k copies against that of the number that chance would give, less what the search has
chosen from. A role that copies have by chance adds less than it costs: there the block ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.kernels.compiled_graph import CompiledGraph

# neighbours of a sort that are told apart by their number; of more the last chance is taken
_MOST_ALIKE = 8


@dataclass(frozen=True, eq=False)
class ChanceTable:
    """How many nodes of a kind have at least j neighbours by a link and of a kind.

    Attributes
    ----------
    keys : numpy.ndarray
        int64 ``[T]``, ascending: (kind · number of links + link) · number of kinds + kind.
    table : numpy.ndarray
        float64 ``[T, J + 2]``: nodes with at least j = 0 … J such neighbours, and all such
        neighbours of all nodes.
    kind_sizes : numpy.ndarray
        float64 ``[C]``, the nodes of each kind.
    num_links : int
        Numbers of links, 0 included.
    """

    keys: np.ndarray
    table: np.ndarray
    kind_sizes: np.ndarray
    num_links: int

    @classmethod
    def of(cls, graph: CompiledGraph, num_links: int) -> ChanceTable:
        """Count the neighbours of each node of a graph whose colours are kinds."""
        kinds = graph.colors
        num_kinds = int(kinds.max(initial=0)) + 1
        kind_sizes = np.bincount(kinds, minlength=num_kinds).astype(np.float64)
        degrees: np.ndarray = np.diff(graph.indptr.astype(np.int64))
        row = np.repeat(np.arange(len(kinds)), degrees)
        links = graph.links_at(np.arange(len(row))).astype(np.int64)
        # 1. the neighbours of each sort that a node has
        sort = links * num_kinds + kinds[graph.indices]
        pair, counts = np.unique(row * (num_links * num_kinds) + sort, return_counts=True)
        node, sort = np.divmod(pair, num_links * num_kinds)
        # 2. nodes of a kind by that number
        keys, at = np.unique(kinds[node] * (num_links * num_kinds) + sort, return_inverse=True)
        table = np.zeros((len(keys), _MOST_ALIKE + 2))
        table[:, 0] = kind_sizes[keys // (num_links * num_kinds)]
        for j in range(1, _MOST_ALIKE + 1):
            table[:, j] = np.bincount(at[counts >= j], minlength=len(keys))
        table[:, -1] = np.bincount(at, counts, minlength=len(keys))
        return cls(keys, table, kind_sizes, num_links)

    def bits_of_edge(self, kind: int, link: int, other: int) -> float:
        """Bits of a role that comes in through the first one alone."""
        num_kinds = len(self.kind_sizes)
        row = np.searchsorted(self.keys, (kind * self.num_links + link) * num_kinds + other)
        return float(np.log2(self.table[row, 0] / self.table[row, 1]))
