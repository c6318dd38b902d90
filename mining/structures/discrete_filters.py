"""Step 5: trained filters → discrete graphs, still as the kernel takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.filters import GraphFilters
from mining.structures.canonical_forms import canonical_form


@dataclass(frozen=True)
class DiscreteFilters:
    """Filters turned into discrete graphs, each still padded to M nodes for the kernel.

    Attributes
    ----------
    adj : Tensor
        float32 ``[F, M, M]`` of zeros and ones; the nodes of the pattern come first.
    feat : Tensor
        float32 ``[F, M, D]`` scaled features, zero for padding.
    weights : Tensor
        float32 ``[F, M, M]`` the learnt edge weights, in the same node order.
    num_nodes : tuple of int
        Nodes of each pattern.
    merged : tuple of int
        Filters that each one stands for, 1 where it stands for itself alone.
    noisy : tuple of bool
        Whether few copies of a pattern are intact, see ``mining/noisy_templates``.
    """

    adj: Tensor
    feat: Tensor
    weights: Tensor
    num_nodes: tuple[int, ...]
    merged: tuple[int, ...] = ()
    noisy: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if not self.merged:
            object.__setattr__(self, "merged", (1,) * len(self.num_nodes))
        if not self.noisy:
            object.__setattr__(self, "noisy", (False,) * len(self.num_nodes))

    @classmethod
    def join(cls, parts: Sequence[DiscreteFilters]) -> DiscreteFilters:
        """Put filters of the same size one after the other."""
        return cls(
            torch.cat([part.adj for part in parts]),
            torch.cat([part.feat for part in parts]),
            torch.cat([part.weights for part in parts]),
            tuple(size for part in parts for size in part.num_nodes),
            tuple(count for part in parts for count in part.merged),
            tuple(noisy for part in parts for noisy in part.noisy),
        )

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Arrays by name, from which :meth:`from_arrays` makes the same filters."""
        return {
            name: column.numpy() if isinstance(column, Tensor) else np.array(column)
            for name, column in vars(self).items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> DiscreteFilters:
        """The inverse of :meth:`to_arrays`."""
        adj, feat, weights = (torch.from_numpy(arrays[n]) for n in ("adj", "feat", "weights"))
        sizes, merged, noisy = (tuple(arrays[n].tolist()) for n in ("num_nodes", "merged", "noisy"))
        return cls(adj, feat, weights, sizes, merged, noisy)

    def certificates(self) -> list[bytes]:
        """Isomorphism class of each pattern."""
        return [
            canonical_form(self.adj[number, :size, :size].numpy()).certificate
            for number, size in enumerate(self.num_nodes)
        ]

    def take(self, rows: Sequence[int]) -> DiscreteFilters:
        """Return the filters in ``rows``, in that order."""
        index = torch.as_tensor(list(rows), dtype=torch.int64)
        return DiscreteFilters(
            self.adj[index],
            self.feat[index],
            self.weights[index],
            tuple(self.num_nodes[row] for row in rows),
            tuple(self.merged[row] for row in rows),
            tuple(self.noisy[row] for row in rows),
        )


def snap(filters: GraphFilters) -> DiscreteFilters:
    """Read a discrete graph off each filter: edges above ½, without the padding.

    A subgraph is connected, so what is not connected to the largest component of a filter imitates
    padding and is pruned.
    """
    with torch.no_grad():
        weights, feat = filters.adj().clone(), filters.feat().clone()
    adj = (weights > 0.5).float()
    sizes = []
    for number in range(len(adj)):
        component = max(nx.connected_components(nx.from_numpy_array(adj[number].numpy())), key=len)
        sizes.append(len(component))
        rest = [node for node in range(filters.filter_size) if node not in component]
        order = torch.tensor(sorted(component) + rest)
        for matrix in (adj, weights):
            matrix[number] = matrix[number][order][:, order]
            matrix[number, len(component) :] = 0
            matrix[number, :, len(component) :] = 0
        feat[number] = feat[number][order]
        feat[number, len(component) :] = 0
    return DiscreteFilters(adj, feat, weights, tuple(sizes))
