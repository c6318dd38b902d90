"""A residual network with graph kernel convolutions beside means or sums over neighbours."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from gomkcn_dgl import CSRGraph, GOMKConv, GraphCollection
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.layer import GraphKernel
from gomkcn_dgl.model import GraphBatch, InputLayer, pool_nodes
from gomkcn_dgl.relations import Relations


class NeighbourSubgraphs(SubgraphTensors):
    """Subgraphs of all nodes, and a sparse matrix ``[V, V]`` for each channel of the edges."""

    neighbours: tuple[Tensor, ...] = ()


class NeighbourCollection(GraphCollection):
    """Graphs with their subgraphs, and who is whose neighbour in each channel of the edges."""

    def __init__(self, graph: CSRGraph, *args: Any, **options: Any) -> None:
        super().__init__(graph, *args, **options)
        channels = np.ones((len(graph.indices), 1), bool)
        if graph.links is not None:
            channels = graph.relations.links[graph.links]
        self._channels = [
            sp.csr_array((column.astype(np.float32), graph.indices, graph.indptr))
            for column in channels.T
        ]
        self._whole = tuple(map(self._to_tensor, self._channels))

    def whole(self) -> GraphBatch:
        """Return all graphs."""
        return _with_neighbours(super().whole(), self._whole)

    def batch(self, chosen: np.ndarray | list[int]) -> GraphBatch:
        """Return some graphs, in the order given."""
        ends = self.graph.graph_ptr
        parts = [slice(ends[number], ends[number + 1]) for number in chosen]
        blocks = [
            sp.block_diag([matrix[part, part] for part in parts], format="csr")
            for matrix in self._channels
        ]
        return _with_neighbours(super().batch(chosen), tuple(map(self._to_tensor, blocks)))

    def _to_tensor(self, matrix: sp.csr_array) -> Tensor:
        arrays = (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data)
        with warnings.catch_warnings():
            # torch warns that its sparse tensors are in beta
            warnings.filterwarnings("ignore", "Sparse CSR tensor support", UserWarning)
            parts = map(torch.from_numpy, arrays)
            tensor = torch.sparse_csr_tensor(*parts, matrix.shape, check_invariants=False)
        return tensor.to(self.feat.device)


def _with_neighbours(batch: GraphBatch, neighbours: tuple[Tensor, ...]) -> GraphBatch:
    subgraphs = NeighbourSubgraphs(*batch.subgraphs)
    subgraphs.neighbours = neighbours
    return batch._replace(subgraphs=subgraphs)


class _Block(nn.Module):
    """``h ← norm(h + FFN([h, GOMK(h), aggregate(h)]))``, where each branch may be missing."""

    def __init__(
        self,
        width: int,
        conv: GOMKConv | None,
        aggregate: str | None,
        num_channels: int,
        norm: str,
        dropout: float,
    ) -> None:
        super().__init__()
        self.conv, self.aggregate = conv, aggregate
        num_inputs = width
        if conv is not None:
            self.conv_norm = nn.BatchNorm1d(conv.out_feats)
            num_inputs += conv.out_feats
        if aggregate is not None:
            num_inputs += num_channels * width
        self.ffn = nn.Sequential(
            nn.Linear(num_inputs, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, width)
        )
        self.norm = nn.BatchNorm1d(width) if norm == "batch" else nn.LayerNorm(width)

    def forward(self, subgraphs: NeighbourSubgraphs, hidden: Tensor, rows: Tensor | None) -> Tensor:
        """``[V, D]`` → ``[V, D]``, or ``[R, D]`` of some rows."""
        own = hidden if rows is None else hidden[rows]
        parts = [own]
        if self.conv is not None:
            chosen = subgraphs if rows is None else subgraphs.select(rows)
            parts.append(self.conv_norm(self.conv(chosen, hidden)))
        for matrix in subgraphs.neighbours if self.aggregate is not None else ():
            summed = matrix @ hidden
            if self.aggregate == "mean":
                summed = summed / (matrix @ hidden.new_ones(len(hidden), 1)).clamp(min=1)
            parts.append(summed if rows is None else summed[rows])
        combined: Tensor = self.norm(own + self.ffn(torch.cat(parts, dim=1)))
        return combined


class ResidualGOMKCN(nn.Module):
    """An input layer and such blocks; the logits are a linear map of every level, or of the last.

    Without filters it is a residual graph network, without ``aggregate`` ("mean", "sum" or None) a
    network of kernels; without both it looks at no edge. ``norm`` ("batch" or "layer") follows each
    block, ``readout`` is "all" or "last". ``conv_options`` and all else are as in
    :class:`gomkcn.GOMKCN`.
    """

    def __init__(
        self,
        in_feats: int,
        num_classes: int,
        *,
        hidden_feats: int,
        num_blocks: int,
        num_filters: int,
        filter_size: int,
        num_hops: int,
        kernel: GraphKernel,
        relations: Relations,
        aggregate: str | None = "mean",
        norm: str = "batch",
        input_norm: str = "batch",
        readout: str = "all",
        pooling: str | None = None,
        input_dropout: float = 0.0,
        dropout: float = 0.0,
        **conv_options: Any,
    ) -> None:
        super().__init__()
        self.pooling = pooling
        self.input = InputLayer(in_feats, hidden_feats, False, input_dropout)
        if input_norm == "none":
            self.input.norm = nn.Identity()
        sizes = (hidden_feats, num_filters, filter_size, num_hops)
        self.convs = [
            GOMKConv(*sizes, kernel=kernel, relations=relations, **conv_options)
            for _ in range(num_blocks if num_filters else 0)
        ]
        rest = (aggregate, len(relations.channels), norm, dropout)
        self.blocks = nn.ModuleList(
            _Block(hidden_feats, conv, *rest) for conv in self.convs or [None] * num_blocks
        )
        num_read = num_blocks + 1 if readout == "all" else 1
        self.heads = nn.ModuleList(nn.Linear(hidden_feats, num_classes) for _ in range(num_read))
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: GraphBatch, rows: Tensor | None = None) -> Tensor:
        """Logits: ``[G, C]`` with pooling, ``[V, C]`` or, of some nodes, ``[R, C]`` without."""
        logits: Any = 0
        levels = self.levels(batch.subgraphs, batch.feat, rows)[-len(self.heads) :]
        for level, head in zip(levels, self.heads, strict=True):
            read = level
            if self.pooling is not None:
                read = pool_nodes(level, batch.graph_sizes, self.pooling)
            logits = logits + head(self.dropout(read))
        return logits

    def levels(
        self, subgraphs: NeighbourSubgraphs, feat: Tensor, rows: Tensor | None = None
    ) -> list[Tensor]:
        """Embed the nodes, or some, at every level: the input layer, then each block."""
        levels = [self.input(feat)]
        for block in self.blocks:
            # nothing looks at the other nodes of the last block
            own = rows if block is self.blocks[-1] else None
            levels.append(block(subgraphs, levels[-1], own))
        if rows is not None:
            levels = [*(level[rows] for level in levels[:-1]), levels[-1]]
        return levels

    def activate(self, level: Tensor) -> Tensor:
        """What the next convolution sees of a level: all of it."""
        return level
