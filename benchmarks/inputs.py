"""The graphs, subgraphs and filters that the commands measure on; the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from gomkcn.synthetic.base_graphs import barabasi_albert
from gomkcn_dgl import CSRGraph, GOMKKernel, SubgraphSettings, extract_subgraphs, gomk, read_graph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.graph import as_csr

# scores stay far from 0 with it, see GOMKKernel
LEVEL_SCALE = 3.0
# a filter starts as a real subgraph whose edges and gaps are not quite 1 and 0
_EDGE, _GAP = 0.95, 0.02


def barabasi_albert_graph(
    num_nodes: int, edges_per_node: int, feature_width: int = 1, directed: bool = False
) -> CSRGraph:
    edges = barabasi_albert(num_nodes, edges_per_node, seed=0)
    features = np.random.default_rng(0).random((num_nodes, feature_width), np.float32)
    return csr_from_edges(edges[:, 0], edges[:, 1], num_nodes, features=features, directed=directed)


def star_graph(num_leaves: int) -> CSRGraph:
    leaves = np.arange(1, num_leaves + 1)
    features = np.ones((num_leaves + 1, 1), np.float32)
    return csr_from_edges(
        np.zeros_like(leaves), leaves, num_leaves + 1, features=features, undirected=True
    )


def tu_folder(data: Path, name: str) -> Path | None:
    """Folder of a TU set below ``data``, or None; DGL puts 8 hex digits behind its name."""
    return next(iter(sorted(data.glob(f"{name}_????????/{name}"))), None)


def read_tu(data: Path, name: str, **options: object) -> CSRGraph | None:
    folder = tu_folder(data, name)
    return None if folder is None else read_graph(folder, **options)


@dataclass(frozen=True)
class MatchingShape:
    """Sizes of one call: S subgraphs and F filters of N nodes, D features, L levels."""

    S: int
    F: int
    N: int
    D: int
    L: int

    def __str__(self) -> str:
        return f"({self.S}, {self.F}, {self.N}, {self.D}, {self.L})"


@dataclass(frozen=True)
class MatchingInputs:
    """Subgraphs of a Barabási–Albert graph, and filters that start at some of them."""

    adj: Tensor  # [S, N, N]
    feat: Tensor  # [S, N, D], needs a gradient
    filter_adj: Tensor  # [F, N, N], needs a gradient
    filter_feat: Tensor  # [F, N, D], needs a gradient
    num_nodes: Tensor  # [S]
    num_levels: int

    def forward_backward(self, backend: str, matching: str) -> tuple[Tensor, ...]:
        """Scores and the gradients of their sum."""
        scores = gomk(
            self.adj,
            self.feat,
            self.filter_adj,
            self.filter_feat,
            kernel=GOMKKernel(self.num_levels, level_scale=LEVEL_SCALE, matching=matching),
            num_nodes=self.num_nodes,
            backend=backend,
        )
        assert isinstance(scores, Tensor)
        parameters = (self.feat, self.filter_adj, self.filter_feat)
        return (scores, *torch.autograd.grad(scores.sum(), parameters))

    def directed(self) -> Callable[[], tuple[Tensor, ...]]:
        """Return ``forward_backward`` on the same edges, each from its first node to the other.

        The subgraphs come as links, as those of a graph with direction do.
        """
        links = (self.adj.triu() > 0).to(torch.uint8) + 2 * (self.adj.tril() > 0).to(torch.uint8)
        nodes = torch.arange(self.feat[..., 0].numel(), dtype=torch.int32).view_as(links[:, 0])
        nodes[torch.arange(nodes.shape[1]) >= self.num_nodes.unsqueeze(1)] = -1
        channels = torch.tensor([[False, False], [True, False], [False, True]])
        subgraphs = SubgraphTensors(nodes, self.num_nodes.long(), links, channels)
        filter_adj = torch.stack([self.filter_adj.triu(), self.filter_adj.tril()], dim=3)
        filter_adj = filter_adj.detach().requires_grad_()
        kernel = GOMKKernel(self.num_levels, level_scale=LEVEL_SCALE, matching="greedy")

        def call() -> tuple[Tensor, ...]:
            z = kernel.embed(filter_adj, self.filter_feat)
            feat = self.feat.flatten(0, 1)
            scores = kernel.match_subgraphs(subgraphs, feat, z, "numba").scores
            parameters = (self.feat, filter_adj, self.filter_feat)
            return (scores, *torch.autograd.grad(scores.sum(), parameters))

        return call

    def part(self, rows: slice | np.ndarray) -> MatchingInputs:
        """Some of the subgraphs, against all filters."""
        feat = self.feat.detach()[rows].requires_grad_()
        return MatchingInputs(
            self.adj[rows],
            feat,
            self.filter_adj,
            self.filter_feat,
            self.num_nodes[rows],
            self.num_levels,
        )

    def double(self) -> MatchingInputs:
        """The same in double precision."""
        tensors = [
            tensor.detach().double().requires_grad_(tensor.requires_grad)
            for tensor in (self.adj, self.feat, self.filter_adj, self.filter_feat)
        ]
        return MatchingInputs(*tensors, self.num_nodes, self.num_levels)

    def padding(self) -> float:
        """Share of the subgraphs' rows that are padding."""
        return 1 - float(self.num_nodes.double().mean()) / self.adj.shape[1]


def draw_matching(
    shape: MatchingShape, device: str = "cpu", dtype: torch.dtype = torch.float32
) -> MatchingInputs:
    """Half of the roots from a graph with 1 edge a node, half from one with 2, within 2 hops."""
    halves = (shape.S // 2, shape.S - shape.S // 2)
    graph = as_csr(
        [barabasi_albert_graph(size, m, shape.D) for size, m in zip(halves, (1, 2), strict=True)]
    )
    batch = extract_subgraphs(graph, SubgraphSettings(2, shape.N))
    adj = torch.from_numpy(batch.adjacency())
    feat = torch.from_numpy(batch.gather(graph.features))
    chosen = torch.from_numpy(np.random.default_rng(1).choice(shape.S, shape.F, replace=False))
    gap = _GAP * (1 - torch.eye(shape.N))
    filter_adj, filter_feat = adj[chosen] * (_EDGE - _GAP) + gap, feat[chosen].clone()
    options = {"device": device, "dtype": dtype}
    return MatchingInputs(
        adj.to(**options),
        feat.to(**options).requires_grad_(),
        filter_adj.to(**options).requires_grad_(),
        filter_feat.to(**options).requires_grad_(),
        torch.from_numpy(batch.num_nodes).to(device),
        shape.L - 1,
    )
