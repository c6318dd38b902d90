"""Over-represented structures: more frequent in a graph than in graphs of a null model.

The occurrences of a structure that overlap are many, and the larger the structure, the more there
are. So only occurrences that share no node are counted, across structures as well: the structure
with the largest excess takes its occurrences, the next one takes those that are left, and so on.
The excess is the number of independent cycles in the occurrences, less the number that is expected
under the null model. Trees have no cycles: their frequency follows nearly from the degrees, which
the null model keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.structures.canonical_forms import CanonicalForms
from mining.structures.overlaps import pick_disjoint


@dataclass(frozen=True)
class Structure:
    """An isomorphism class with ``num_cycles`` = edges - nodes + 1 independent cycles.

    It has ``num_disjoint`` occurrences that share no node with each other or with those of the
    structures before it, and ``expected`` disjoint occurrences in the mean null-model graph.
    """

    certificate: bytes
    num_cycles: int
    num_disjoint: int
    expected: float

    @property
    def excess(self) -> float:
        """Independent cycles in the occurrences beyond those expected under the null model."""
        return self.num_cycles * (self.num_disjoint - self.expected)

    @property
    def standard_error(self) -> float:
        """Standard error of the excess, if both counts are Poisson variables."""
        return self.num_cycles * float(np.sqrt(self.num_disjoint + self.expected))

    @property
    def is_over_represented(self) -> bool:
        """Whether the excess is more than its standard error."""
        return self.excess > self.standard_error


def find_structures(
    batch: SubgraphBatch,
    null_batches: Sequence[SubgraphBatch],
    num_nodes: int,
    min_support: int,
) -> list[Structure]:
    """Find the structures with a positive excess, largest first.

    ``batch`` holds subgraphs of a graph with ``num_nodes`` nodes, ``null_batches`` those of
    null-model graphs of it. Each structure has at least ``min_support`` disjoint occurrences.
    """
    min_support = max(1, min_support)
    groups = _group_by_structure(batch)
    # mean number of disjoint occurrences in the null-model graphs
    expected = dict.fromkeys(groups, 0.0)
    for null_batch in null_batches:
        for certificate, (_, node_sets) in _group_by_structure(null_batch).items():
            if certificate in expected:
                count = pick_disjoint(node_sets, num_nodes).sum()
                expected[certificate] += float(count) / len(null_batches)
    # the excess of each structure by itself gives the order
    candidates = []
    for certificate, (num_cycles, node_sets) in groups.items():
        if len(node_sets) >= min_support:
            count = int(pick_disjoint(node_sets, num_nodes).sum())
            candidates.append(Structure(certificate, num_cycles, count, expected[certificate]))
    # then greedily, largest excess first, each node in one occurrence at most
    structures = []
    is_taken = np.zeros(num_nodes + 1, dtype=bool)
    for candidate in sorted(candidates, key=lambda one: -one.excess):
        node_sets = groups[candidate.certificate][1]
        # -1, the padding, is the last entry, which is never taken
        node_sets = node_sets[~is_taken[node_sets].any(axis=1)]
        node_sets = node_sets[pick_disjoint(node_sets, num_nodes)]
        structure = replace(candidate, num_disjoint=len(node_sets))
        if structure.num_disjoint >= min_support and structure.excess > 0:
            structures.append(structure)
            is_taken[node_sets[node_sets >= 0]] = True
    return sorted(structures, key=lambda one: -one.excess)


def _group_by_structure(batch: SubgraphBatch) -> dict[bytes, tuple[int, np.ndarray]]:
    """Number of cycles and distinct node sets ``[K, N]`` of each structure with a cycle."""
    distinct = np.unique(batch.node_sets(), return_index=True)[1]
    batch = batch.take(np.sort(distinct))
    forms = CanonicalForms(batch)
    num_edges = (batch.structure() > 0).sum(axis=(1, 2)) // 2
    num_cycles = num_edges - batch.num_nodes + 1
    rows_of: dict[bytes, list[int]] = {}
    for row in np.flatnonzero(num_cycles > 0).tolist():
        rows_of.setdefault(forms.certificate(row), []).append(row)
    return {
        certificate: (int(num_cycles[rows[0]]), batch.nodes[rows])
        for certificate, rows in rows_of.items()
    }
