"""GOMKConv: the learnable graph filters as a DGL layer, one nn.Module over steps 2 to 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernels import load_backend
from gomkcn_dgl.kernels.bfs_reference import POLICIES
from gomkcn_dgl.matching import GOMKSettings
from gomkcn_dgl.subgraph_tensors import SubgraphTensors
from gomkcn_dgl.subgraphs import (
    MAX_HOPS,
    MAX_SUBGRAPH_NODES,
    extract_subgraphs,
)
from gomkcn_dgl.transform import attached_subgraphs


class GOMKConv(nn.Module):
    """Graph optimal matching kernel convolution (section IV of the GOMKCN paper).

    Each node's output is the score of the subgraph around it against every graph filter.

    Parameters
    ----------
    in_feats : int
        Feature width D.
    num_filters : int
        Graph filters F, the width of the output.
    filter_size : int
        Nodes of a filter, M.
    num_hops : int
        Radius of the subgraphs.
    num_levels : int
        The paper's t.
    max_nodes : int, optional
        Most nodes of a subgraph, N; ``filter_size`` when left out.
    policy, num_views, seed
        How subgraphs are truncated, see :func:`gomkcn_dgl.extract_subgraphs`. Scores are averaged
        over the views of a root.
    bounded_feats : bool
        Keep the filters' features in (0, 1); set it when the input features lie in [0, 1].
    normalize : bool
        Divide scores by a filter's score with itself, so that they lie in [0, 1].
    edge_weight : str, optional
        Name of the edge weights in ``edata``.
    tau, solid, aggregation, level_scale, matching, anchor_root, padding
        The kernel, see :class:`gomkcn_dgl.GOMKSettings`.
    backend : str
        As in :func:`gomkcn_dgl.gomk`.

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.to_bidirected(dgl.graph(([0, 1, 2], [1, 2, 3])))
    >>> conv = GOMKConv(in_feats=2, num_filters=5, filter_size=3, num_hops=1, num_levels=2)
    >>> conv(graph, torch.rand(4, 2)).shape
    torch.Size([4, 5])
    """

    def __init__(
        self,
        in_feats: int,
        num_filters: int,
        filter_size: int,
        num_hops: int,
        num_levels: int,
        *,
        max_nodes: int | None = None,
        policy: str = "bfs",
        num_views: int = 1,
        seed: int = 0,
        bounded_feats: bool = False,
        normalize: bool = True,
        edge_weight: str | None = None,
        tau: float | Sequence[float] = 1.0,
        solid: str = "rbf",
        aggregation: str = "sum",
        level_scale: float = 1.0,
        matching: str = "optimal",
        anchor_root: bool = False,
        padding: str = "match",
        backend: str = "auto",
    ) -> None:
        super().__init__()
        self.in_feats = check_int("in_feats", in_feats, 1)
        self.num_filters = check_int("num_filters", num_filters, 1)
        self.filter_size = check_int("filter_size", filter_size, 1, MAX_SUBGRAPH_NODES)
        self.num_hops = check_int("num_hops", num_hops, 0, MAX_HOPS)
        max_nodes = filter_size if max_nodes is None else max_nodes
        self.max_nodes = check_int("max_nodes", max_nodes, 1, MAX_SUBGRAPH_NODES)
        self.policy = check_choice("policy", policy, POLICIES)
        self.num_views = check_int("num_views", num_views, 1)
        self.seed = check_int("seed", seed, 0)
        self.normalize = normalize
        self.edge_weight = edge_weight
        self.backend = backend
        self.kernel = GOMKSettings(
            num_levels, tau, solid, aggregation, level_scale, matching, anchor_root, padding
        )
        self.filters = GraphFilters(num_filters, filter_size, in_feats, bounded_feats)

    def reset_parameters(self) -> None:
        """Draw the filters anew."""
        self.filters.reset_parameters()

    def forward(self, graph: Any, feat: Tensor) -> Tensor:
        """Score the subgraph of every node against every filter.

        Parameters
        ----------
        graph : DGLGraph or SubgraphTensors
            A graph or a batch, on the CPU whatever the device of ``feat``. Subgraphs attached by
            :class:`gomkcn_dgl.AttachSubgraphs` are used; otherwise they are extracted here. Or what
            :meth:`subgraphs` returned, on the device of ``feat``.
        feat : Tensor
            ``[V, D]`` on the layer's device.

        Returns
        -------
        Tensor
            ``[V, F]``, a row for each root.
        """
        if not isinstance(feat, Tensor):
            kind = type(feat).__name__
            raise InputTypeError(f"feat must be a tensor [V, {self.in_feats}], got {kind}.")
        if isinstance(graph, SubgraphTensors):
            subgraphs, num_nodes = graph, feat.shape[0]
        else:
            subgraphs, num_nodes = self.subgraphs(graph, feat.device), graph.num_nodes()
        self._check_subgraphs(subgraphs)
        if feat.shape != (num_nodes, self.in_feats):
            raise InputError(
                f"feat must have the shape [{num_nodes}, {self.in_feats}], got {list(feat.shape)}."
            )
        z = self.kernel.embed(self.filters.adj(), self.filters.feat())
        scores = self.kernel.match_subgraphs(subgraphs, feat, z, self.backend).scores
        if self.normalize:
            scores = scores / self.kernel.largest_score(self.filter_size)
        num_views = subgraphs.num_views
        return scores.reshape(len(scores) // num_views, num_views, self.num_filters).mean(dim=1)

    def subgraphs(self, graph: Any, device: torch.device | str = "cpu") -> SubgraphTensors:
        """Return the subgraphs of a graph or batch, the attached ones if there are.

        Pass them to :meth:`forward` in place of the graph to extract them once for many epochs, or
        under ``torch.compile``, which cannot look into DGL.
        """
        batch = attached_subgraphs(graph)
        if batch is None:
            csr = as_csr(graph, features=np.ones(graph.num_nodes()), edge_weight=self.edge_weight)
            batch = extract_subgraphs(
                csr,
                self.num_hops,
                self.max_nodes,
                policy=self.policy,
                num_views=self.num_views,
                seed=self.seed,
            )
        # torch.compile cannot follow an import: it finds the backend loaded
        load_backend("matching", self.backend, torch.device(device).type)
        return batch.to_tensors(device)

    def _check_subgraphs(self, subgraphs: SubgraphTensors) -> None:
        size = subgraphs.nodes.shape[1]
        if size != self.max_nodes:
            raise InputError(
                f"max_nodes must be that of the attached subgraphs, {size}, "
                f"got {self.max_nodes}; give AttachSubgraphs and GOMKConv the same value."
            )
        if (self.edge_weight is None) != (subgraphs.weights is None):
            raise InputError(
                "the attached subgraphs and the layer must agree on edge weights, got "
                f"edge_weight={self.edge_weight!r} here; give AttachSubgraphs the same."
            )

    def extra_repr(self) -> str:
        """Sizes, for ``print(layer)``."""
        return (
            f"in_feats={self.in_feats}, num_filters={self.num_filters}, "
            f"filter_size={self.filter_size}, num_hops={self.num_hops}, "
            f"num_levels={self.kernel.num_levels}, max_nodes={self.max_nodes}"
        )
