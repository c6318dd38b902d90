"""A residual network with graph kernel convolutions beside sums over neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_batch import GraphBatch, neighbour_matrices, sizes_for_pooling
from gomkcn_dgl.layer import GraphKernel, GraphKernelConv, check_relations
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.model import POOLINGS, InputLayer, pool_nodes
from gomkcn_dgl.relations import Relations

AGGREGATES = ("mean", "sum")
BLOCK_NORMS = ("batch", "layer")
READOUTS = ("all", "last")


class ResidualBlock(nn.Module):
    """``h ← norm(h + FFN([h, GOMK(h), aggregate(h)]))``, where each branch may be missing.

    Parameters
    ----------
    width : int
        Of the features, D.
    conv : GraphKernelConv or None
        The graph kernel convolution; its scores are brought to mean 0 and variance 1.
    aggregate : {"mean", "sum"} or None
        What is taken of the neighbours.
    num_channels : int
        Channels of the edges, each of which is aggregated by itself.
    norm : {"batch", "layer"}
        What follows the sum.
    dropout : float
        Share dropped inside the FFN.
    """

    def __init__(
        self,
        width: int,
        conv: GraphKernelConv | None,
        aggregate: str | None,
        num_channels: int,
        norm: str,
        dropout: float,
    ) -> None:
        super().__init__()
        self.conv, self.aggregate = conv, aggregate
        num_inputs = width
        if conv is not None:
            self.conv_norm = nn.BatchNorm1d(conv.num_filters)
            num_inputs += conv.num_filters
        if aggregate is not None:
            num_inputs += num_channels * width
        self.ffn = nn.Sequential(
            nn.Linear(num_inputs, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, width)
        )
        self.norm = nn.BatchNorm1d(width) if norm == "batch" else nn.LayerNorm(width)

    def forward(
        self,
        subgraphs: SubgraphTensors | None,
        neighbours: Sequence[Tensor],
        hidden: Tensor,
        rows: Tensor | None = None,
    ) -> Tensor:
        """``[V, D]`` → ``[V, D]``, or ``[R, D]`` of some rows."""
        own = hidden if rows is None else hidden[rows]
        parts = [own]
        if self.conv is not None:
            assert subgraphs is not None
            chosen = subgraphs if rows is None else subgraphs.select(rows)
            parts.append(self.conv_norm(self.conv(chosen, hidden)))
        for matrix in neighbours if self.aggregate is not None else ():
            matrix = matrix.to(hidden.dtype)
            summed = matrix @ hidden
            if self.aggregate == "mean":
                ones = hidden.new_ones(hidden.shape[0], 1)
                summed = summed / (matrix @ ones).clamp(min=1)
            parts.append(summed if rows is None else summed[rows])
        combined: Tensor = self.norm(own + self.ffn(torch.cat(parts, dim=1)))
        return combined


class ResidualGOMKCN(nn.Module):
    """Residual blocks in which a graph kernel convolution stands beside a sum over neighbours.

    An input layer, then blocks ``h ← norm(h + FFN([h, GOMK(h), aggregate(h)]))``. The logits are a
    linear map of every level, summed, or of the last block alone. Without filters it is a residual
    graph network, without the sum over neighbours a network of kernels; without both it looks at no
    edge.

    Parameters
    ----------
    in_feats, num_classes : int
        Feature width and number of classes.
    hidden_feats : int
        Width of the blocks, D.
    num_blocks : int
        Blocks.
    num_filters : int
        Filters of each block; 0: without the convolution.
    filter_size, num_hops, kernel, max_nodes, policy, seed, backend
        As in :class:`GOMKCN`.
    aggregate : {"mean", "sum"} or None
        What is taken of the neighbours; None: nothing.
    norm : {"batch", "layer"}
        What follows each block.
    input_norm : {"batch", "node", "none"}
        As in :class:`GOMKCN`.
    readout : {"all", "last"}
        What the logits are made of: the input layer and all blocks, or the last block.
    pooling : {"sum", "mean", "max"} or None
        How the nodes of a graph are read out; None: nodes are classified.
    input_dropout, dropout : float
        Shares dropped from the input features, and inside the blocks and from what is read out.
    relations, edge_type
        As in :class:`GraphKernelConv`. Each channel is aggregated by itself.

    Examples
    --------
    >>> import dgl, torch
    >>> graphs = [dgl.rand_graph(8, 20), dgl.rand_graph(5, 12)]
    >>> batch = dgl.batch([dgl.to_bidirected(graph) for graph in graphs])
    >>> model = ResidualGOMKCN(in_feats=3, num_classes=4, pooling="sum")
    >>> model(batch, torch.rand(13, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        in_feats: int,
        num_classes: int,
        *,
        hidden_feats: int = 64,
        num_blocks: int = 2,
        num_filters: int = 16,
        filter_size: int = 6,
        num_hops: int = 1,
        kernel: GraphKernel | None = None,
        aggregate: str | None = "mean",
        norm: str = "batch",
        input_norm: str = "batch",
        readout: str = "all",
        pooling: str | None = None,
        input_dropout: float = 0.0,
        dropout: float = 0.0,
        max_nodes: int | None = None,
        policy: str = "bfs",
        seed: int = 0,
        relations: Relations | None = None,
        edge_type: str | None = None,
        backend: str = "auto",
    ) -> None:
        super().__init__()
        check_int("hidden_feats", hidden_feats, 1)
        check_int("num_blocks", num_blocks, 1)
        check_int("num_filters", num_filters, 0)
        check_float("dropout", dropout, 0.0, 1.0)
        check_float("input_dropout", input_dropout, 0.0, 1.0)
        check_choice("norm", norm, BLOCK_NORMS)
        check_choice("readout", readout, READOUTS)
        if aggregate is not None:
            check_choice("aggregate", aggregate, AGGREGATES)
        if pooling is not None:
            check_choice("pooling", pooling, POOLINGS)
        self.pooling, self.edge_type = pooling, edge_type
        self.relations = check_relations(relations)
        self.input = InputLayer(in_feats, hidden_feats, input_norm, False, input_dropout)
        convs = [
            GraphKernelConv(
                hidden_feats,
                num_filters,
                filter_size,
                num_hops,
                GOMKKernel(num_levels=2) if kernel is None else kernel,
                max_nodes=max_nodes,
                policy=policy,
                seed=seed,
                relations=relations,
                edge_type=edge_type,
                backend=backend,
            )
            for _ in range(num_blocks if num_filters else 0)
        ]
        num_channels = len(self.relations.channels)
        self.blocks = nn.ModuleList(
            ResidualBlock(
                hidden_feats, convs[k] if convs else None, aggregate, num_channels, norm, dropout
            )
            for k in range(num_blocks)
        )
        num_read = num_blocks + 1 if readout == "all" else 1
        self.heads = nn.ModuleList(nn.Linear(hidden_feats, num_classes) for _ in range(num_read))
        self.dropout = nn.Dropout(dropout)

    @property
    def convs(self) -> list[GraphKernelConv]:
        """The graph kernel convolutions, block by block; none without filters."""
        return [block.conv for block in self.blocks if block.conv is not None]  # type: ignore[misc]

    def forward(self, graph: Any, feat: Tensor | None = None, rows: Tensor | None = None) -> Tensor:
        """Classify.

        Parameters
        ----------
        graph : DGLGraph or GraphBatch
            A graph or a batch; a GraphBatch has features and sizes of its own.
        feat : Tensor
            ``[V, D]``, dense or sparse CSR.
        rows : Tensor, optional
            int64 ``[R]`` the nodes to classify, where nodes are; all when left out.

        Returns
        -------
        Tensor
            Logits: ``[G, C]`` with pooling, ``[V, C]`` or ``[R, C]`` without.
        """
        batch = graph if isinstance(graph, GraphBatch) else self._batch(graph, feat)
        if len(batch.neighbours) != len(self.relations.channels):
            raise InputError(
                f"graph must have the {len(self.relations.channels)} channels of the model's "
                f"relations, got {len(batch.neighbours)}; give the model the graph's relations."
            )
        logits: Any = 0
        read_levels = self.levels(batch, rows)[-len(self.heads) :]
        for level, head in zip(read_levels, self.heads, strict=True):
            read = level
            if self.pooling is not None:
                read = pool_nodes(level, batch.graph_sizes, self.pooling)
            logits = logits + head(self.dropout(read))
        assert isinstance(logits, Tensor)
        return logits

    def levels(self, batch: GraphBatch, rows: Tensor | None = None) -> list[Tensor]:
        """Embed the nodes, or some, at every level: the input layer, then each block."""
        levels = [self.input(batch.feat)]
        last = self.blocks[-1]
        for block in self.blocks:
            chosen = rows if block is last else None
            levels.append(block(batch.subgraphs, batch.neighbours, levels[-1], chosen))
        if rows is not None:
            levels = [*(level[rows] for level in levels[:-1]), levels[-1]]
        return levels

    def activate(self, level: Tensor) -> Tensor:
        """What the next convolution sees of a level: all of it."""
        return level

    def _batch(self, graph: Any, feat: Tensor | None) -> GraphBatch:
        if feat is None:
            raise InputError("feat must be given with a DGLGraph, got None.")
        csr = as_csr(
            graph,
            features=np.ones(graph.num_nodes()),
            edge_type=self.edge_type,
            directed=False if self.relations.is_simple else None,
        ).with_relations(self.relations)
        convs = self.convs
        subgraphs: Any = convs[0].subgraphs(graph, feat.device) if convs else None
        sizes = None if self.pooling is None else sizes_for_pooling(graph, feat.device)
        matrices = tuple(matrix.to(feat.device) for matrix in neighbour_matrices(csr))
        return GraphBatch(subgraphs, feat, sizes, matrices)
