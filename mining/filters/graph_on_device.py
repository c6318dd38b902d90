"""A graph on a device, where the subgraphs around its nodes are compared with filters.

Subgraphs are extracted where the graph lies (:mod:`gomkcn_dgl.kernels.bfs_triton`), and which of
them are the structure of a filter is told there (:mod:`gomkcn_dgl.kernels.canonical_torch`), so
that neither has to be copied. :class:`gomkcn.mining.filters.filter_bank.FilterBank` does the same
with arrays on the CPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gomkcn.mining.filters.neighbourhoods import structure_codes
from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.kernels import load_backend
from gomkcn_dgl.subgraphs import SubgraphSettings

if TYPE_CHECKING:
    from gomkcn_dgl.kernels.bfs_triton import DeviceGraph


@dataclass(frozen=True, eq=False)
class GraphOnDevice:
    """A graph without weights, copied to a device once for the subgraphs around all its nodes.

    Attributes
    ----------
    graph : CSRGraph
        The graph on the CPU.
    rows : DeviceGraph or None
        Its rows on the device; None where subgraphs are extracted on the CPU and copied.
    channels : Tensor
        bool ``[K, C]``, the channels of each link.
    feat : Tensor
        float32 ``[V, D]`` scaled features.
    palette : numpy.ndarray or None
        int64, the colours that nodes of filters have, ascending; None without categories.
    colors : Tensor or None
        int64 ``[V]``, the number of each node's colour in the palette; its length for another
        colour, which no filter has.
    """

    graph: CSRGraph
    rows: DeviceGraph | None
    channels: Tensor
    feat: Tensor
    palette: np.ndarray | None
    colors: Tensor | None

    @classmethod
    def of(
        cls,
        graph: CSRGraph,
        device: torch.device | str,
        feat: np.ndarray,
        colors: np.ndarray | None = None,
        palette: np.ndarray | None = None,
    ) -> GraphOnDevice:
        """Copy a graph to a device, with scaled features ``[V, D]`` and colours ``[V]``."""
        device = torch.device(device)
        rows = None
        # its sampler needs what its kernel of the matching needs
        if load_backend("auto", device.type).__name__.endswith("_triton"):
            from gomkcn_dgl.kernels.bfs_triton import DeviceGraph

            rows = DeviceGraph.of(graph, device)
        numbers = None
        if colors is not None and palette is not None:
            numbers = torch.from_numpy(_numbers(colors, palette)).to(device)
        channels = torch.from_numpy(graph.relations.links).to(device)
        return cls(graph, rows, channels, torch.from_numpy(feat).to(device), palette, numbers)

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.feat.device

    def extract(self, settings: SubgraphSettings, roots: np.ndarray) -> SubgraphTensors:
        """The subgraphs around some roots, as :func:`gomkcn.extract_subgraphs` has them."""
        if self.rows is None:
            return SubgraphTensors.extract(self.graph, settings, roots, self.device)
        # here, since it imports Triton
        from gomkcn_dgl.kernels import bfs_triton

        if settings.max_nodes > bfs_triton.MAX_NODES:
            return SubgraphTensors.extract(self.graph, settings, roots, self.device)
        found = bfs_triton.extract(
            self.rows,
            torch.from_numpy(roots).to(self.device),
            settings.num_hops,
            settings.max_nodes,
            settings.policy,
            settings.seed,
        )
        return SubgraphTensors(found.nodes, found.num_nodes, found.links, self.channels)

    def are_exact(
        self,
        subgraphs: SubgraphTensors,
        links: np.ndarray,
        num_nodes: np.ndarray,
        colors: np.ndarray | None,
    ) -> np.ndarray:
        """Whether each of S subgraphs is the structure of each of F filters, bool ``[S, F]``.

        Filters are as :func:`gomkcn.mining.filters.neighbourhoods.structure_codes` takes graphs:
        ``links [F, N, N]``, ``num_nodes [F]`` and ``colors [F, N]``. A link that the graph lacks
        has a number that it lacks.
        """
        wanted = torch.from_numpy(np.minimum(links, len(self.channels)).astype(np.int32))
        wanted = wanted.to(self.device)
        # PyTorch can do little with uint16
        there = subgraphs.links.int()
        # 1. with as many neighbours: nearly all others are told at once
        may_be = (_degrees(there)[:, None] == _degrees(wanted)).all(dim=2)  # [S, F]
        rows = may_be.any(dim=1).nonzero()[:, 0]
        # 2. the others by their codes, beside those of the filters
        of_rows = self._colors(subgraphs.nodes[rows])
        if colors is None or self.palette is None:
            of_filters = np.where(np.arange(links.shape[1]) < num_nodes[:, None], 0, -1)
        else:
            of_filters = _numbers(colors, self.palette)
        codes = self._codes(
            torch.cat([there[rows], wanted]),
            torch.cat([of_rows, torch.from_numpy(of_filters).to(self.device)]),
        )
        same = (codes[: len(rows), None] == codes[None, len(rows) :]).all(dim=2)
        is_exact = torch.zeros_like(may_be)
        is_exact[rows] = same
        return is_exact.cpu().numpy()

    def _colors(self, nodes: Tensor) -> Tensor:
        """The number of the colour of each node, -1 = padding."""
        if self.colors is None:
            return (nodes >= 0).long() - 1
        return torch.where(nodes >= 0, self.colors[nodes.clamp(min=0).long()], -1)

    def _codes(self, links: Tensor, colors: Tensor) -> Tensor:
        """Rows of numbers that are equal for isomorphic graphs and for no others, ``[B, Q]``."""
        # here, since it imports PyTorch
        from gomkcn_dgl.kernels.canonical_torch import MAX_NODES, canonical_codes

        if links.shape[1] <= MAX_NODES:
            num_colors = 1 if self.palette is None else len(self.palette) + 1
            return canonical_codes(links, colors, len(self.channels) + 1, num_colors)
        # larger ones on the CPU
        codes = structure_codes(
            links.cpu().numpy(), (colors >= 0).sum(dim=1).cpu().numpy(), colors.cpu().numpy()
        )
        _, numbers = np.unique(codes, return_inverse=True)
        return torch.from_numpy(numbers.reshape(-1, 1)).to(self.device)


def _degrees(links: Tensor) -> Tensor:
    """The numbers of neighbours of the nodes of each graph, ascending, ``[B, N]``."""
    return (links > 0).sum(dim=2).sort(dim=1).values


def _numbers(colors: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Which of an ascending palette each colour is; its length for none of them, -1 for padding.

    >>> _numbers(np.array([7, 4, 5, -1]), np.array([4, 7]))
    array([ 1,  0,  2, -1])
    """
    numbers = np.where(np.isin(colors, palette), np.searchsorted(palette, colors), len(palette))
    return np.where(colors < 0, -1, numbers)
