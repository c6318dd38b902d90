"""Discretisation: trained filters with edge weights between 0 and 1 become graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import Relations

if TYPE_CHECKING:
    from gomkcn_dgl.filters import GraphFilters


@dataclass(frozen=True)
class DiscreteFilters:
    """F filters turned into graphs, each still padded to M nodes for the kernel.

    ``adj`` float32 ``[F, M, M]`` of zeros and ones, with the nodes of the pattern first, or
    ``[F, M, M, C]`` for the channels of several relations or directions; ``feat [F, M, D]`` scaled
    features, zero for padding; ``weights``, shaped as ``adj``, the learnt edge weights;
    ``num_nodes`` of each filter; ``noisy`` whether it is the consensus of noisy copies, see
    ``mining/learning/consensus.py``.
    """

    adj: Tensor
    feat: Tensor
    weights: Tensor
    num_nodes: tuple[int, ...]
    noisy: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if not self.noisy:
            object.__setattr__(self, "noisy", (False,) * len(self.num_nodes))

    @classmethod
    def join(cls, parts: Sequence[DiscreteFilters]) -> DiscreteFilters:
        """Put filters of the same size one after the other."""
        arrays = [part.to_arrays() for part in parts]
        return cls.from_arrays(
            {name: np.concatenate([one[name] for one in arrays]) for name in arrays[0]}
        )

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Arrays by name, from which :meth:`from_arrays` makes the same filters."""
        types = {"num_nodes": np.int64, "noisy": np.bool_}
        return {
            name: np.array(column, types[name]) if name in types else column.numpy()
            for name, column in vars(self).items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> DiscreteFilters:
        """The inverse of :meth:`to_arrays`; arrays of other names are left out."""
        values: list[Any] = [arrays[entry.name] for entry in fields(cls)]
        tensors: list[Any] = [torch.from_numpy(array) for array in values[:3]]
        lists: list[Any] = [tuple(array.tolist()) for array in values[3:]]
        return cls(*tensors, *lists)

    def take(self, rows: Sequence[int]) -> DiscreteFilters:
        """Return the filters in ``rows``, in that order."""
        index = np.array(rows, dtype=np.int64)
        return self.from_arrays({name: array[index] for name, array in self.to_arrays().items()})

    def trimmed(self, size: int) -> DiscreteFilters:
        """The same filters with padding to ``size`` nodes, or without."""
        own = self.adj.shape[1]
        if size == own:
            return self
        arrays = self.to_arrays()
        for name, axes in (("adj", (1, 2)), ("weights", (1, 2)), ("feat", (1,))):
            for axis in axes:
                widths = [(0, 0)] * arrays[name].ndim
                widths[axis] = (0, max(0, size - own))
                arrays[name] = np.pad(arrays[name], widths).take(range(size), axis=axis)
        return self.from_arrays(arrays)

    def structure(
        self, number: int, relations: Relations, categories: tuple[tuple[str, ...], ...] = ()
    ) -> Structure:
        """The structure of one filter, in the relations of the graph that it was trained on."""
        size = self.num_nodes[number]
        return Structure(self.adj[number, :size, :size].numpy(), relations, categories)

    def structure_keys(self, relations: Relations) -> list[bytes]:
        """The key of the structure of each filter."""
        return [self.structure(number, relations).key for number in range(len(self.num_nodes))]


def discretize(filters: GraphFilters) -> DiscreteFilters:
    """Make a graph of each filter: its edges of weight above ½, without isolated parts.

    A subgraph is connected, so whatever is not in the largest component of a filter imitates
    padding and is pruned.
    """
    with torch.no_grad():
        weights, feat = filters.adj().clone(), filters.feat().clone()
    adj = (weights > 0.5).float()
    sizes = []
    for number in range(len(adj)):
        joined = adj[number] if adj.dim() == 3 else adj[number].amax(dim=2)
        graph = nx.from_numpy_array(joined.numpy())
        component = max((sorted(part) for part in nx.connected_components(graph)), key=len)
        size = len(component)
        sizes.append(size)
        # the nodes of the component come first, and the others become padding
        order = torch.tensor(component + sorted(set(graph) - set(component)))
        for matrix in (adj, weights):
            matrix[number] = matrix[number][order][:, order]
            matrix[number, size:] = 0
            matrix[number, :, size:] = 0
        feat[number] = feat[number][order]
        feat[number, size:] = 0
    return DiscreteFilters(adj, feat, weights, tuple(sizes))
