"""Which structures come back apart from each other, and more often than chance makes them.

Overlapping subgraphs of one place are many, and the larger they are the more of them there are. So
every node is used once: the structure that stands out most takes its occurrences, the next one what
is left, until none comes back often enough. A structure stands out by the independent cycles that
its occurrences close beyond what its occurrences in a graph of chance do. Trees close none: how
often a tree comes back the degrees nearly say alone, and those are kept in the graph of chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.structures.canonical_forms import CanonicalForms
from mining.structures.overlaps import pick_disjoint


@dataclass(frozen=True)
class Recurring:
    """A structure that comes back.

    Attributes
    ----------
    certificate : bytes
        Its isomorphism class.
    num_cycles : int
        Independent cycles: edges - nodes + 1.
    num_apart : int
        Occurrences that share no node with each other or with those of structures before it.
    by_chance : float
        Mean number of its occurrences, apart from each other, in a graph of chance.
    """

    certificate: bytes
    num_cycles: int
    num_apart: int
    by_chance: float

    @property
    def excess(self) -> float:
        """Cycles that its occurrences close beyond those of chance."""
        return self.num_cycles * (self.num_apart - self.by_chance)

    @property
    def error(self) -> float:
        """Standard error of the excess, both counts taken to vary as rare events do."""
        return self.num_cycles * float(np.sqrt(self.num_apart + self.by_chance))

    @property
    def stands_out(self) -> bool:
        """Whether it comes back more often than by chance, by a standard error."""
        return self.excess > self.error


def find_recurring(
    batch: SubgraphBatch,
    chance: Sequence[SubgraphBatch],
    num_nodes: int,
    min_support: int,
) -> list[Recurring]:
    """Find the structures that come back.

    Parameters
    ----------
    batch : SubgraphBatch
        Subgraphs of a graph.
    chance : sequence of SubgraphBatch
        Those of graphs of chance with as many nodes, at least one.
    num_nodes : int
        Nodes of the graph, V.
    min_support : int
        Least occurrences apart from each other.

    Returns
    -------
    list of Recurring
        What stands out most comes first.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr, extract_subgraphs
    >>> rings = as_csr(nx.disjoint_union_all([nx.cycle_graph(5)] * 6))
    >>> path = as_csr(nx.path_graph(30))
    >>> batches = [extract_subgraphs(graph, 3, 5) for graph in (rings, path)]
    >>> [(r.num_cycles, r.num_apart) for r in find_recurring(batches[0], batches[1:], 30, 5)]
    [(1, 6)]
    """
    groups = _group(batch)
    expected = dict.fromkeys(groups, 0.0)
    for sample in chance:
        for certificate, (_, node_sets) in _group(sample).items():
            if certificate in expected:
                count = pick_disjoint(node_sets, num_nodes).sum()
                expected[certificate] += float(count) / len(chance)
    alone = {
        certificate: Recurring(
            certificate,
            num_cycles,
            int(pick_disjoint(node_sets, num_nodes).sum()),
            expected[certificate],
        )
        for certificate, (num_cycles, node_sets) in groups.items()
        if len(node_sets) >= max(1, min_support)
    }
    found = []
    taken = np.zeros(num_nodes + 1, dtype=bool)
    for one in sorted(alone.values(), key=lambda one: -one.excess):
        node_sets = groups[one.certificate][1]
        # -1, the padding, is the last entry, which is never taken
        node_sets = node_sets[~taken[node_sets].any(axis=1)]
        node_sets = node_sets[pick_disjoint(node_sets, num_nodes)]
        left = Recurring(one.certificate, one.num_cycles, len(node_sets), one.by_chance)
        if left.num_apart >= max(1, min_support) and left.excess > 0:
            found.append(left)
            taken[node_sets[node_sets >= 0]] = True
    return sorted(found, key=lambda one: -one.excess)


def _group(batch: SubgraphBatch) -> dict[bytes, tuple[int, np.ndarray]]:
    """Independent cycles and distinct node sets ``[K, N]`` of each structure with a cycle."""
    distinct = np.unique(batch.node_sets(), return_index=True)[1]
    batch = batch.take(np.sort(distinct))
    forms = CanonicalForms(batch)
    num_edges = batch.adjacency().sum(axis=(1, 2)).astype(np.int64) // 2
    num_cycles = num_edges - batch.num_nodes + 1
    rows: dict[bytes, list[int]] = {}
    for row in np.flatnonzero(num_cycles > 0).tolist():
        rows.setdefault(forms.certificate(row), []).append(row)
    return {
        certificate: (int(num_cycles[some[0]]), batch.nodes[some])
        for certificate, some in rows.items()
    }
