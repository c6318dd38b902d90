"""The learnable graph filters as a layer, one nn.Module over steps 2 to 4, for any kernel."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.checks import check_int, to_numpy
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import SubgraphTensors, refuse_overflow
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.matching import GOMKKernel, check_kernel
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.subgraphs import MAX_SUBGRAPH_NODES, SubgraphSettings, extract_subgraphs


@runtime_checkable
class GraphKernel(Protocol):
    """What a layer asks of its kernel, a frozen settings object such as ``GOMKKernel``."""

    def score(
        self, subgraphs: SubgraphTensors, feat: Tensor, filter_adj: Tensor, filter_feat: Tensor
    ) -> Tensor:
        """Scores ``[S, F]`` of subgraphs with features ``[V, D]`` against filters.

        They lie in a range that graphs and filters of all sizes share.
        """


def tensors_as_graph(feat: Tensor, edge_index: Any, batch: Any) -> Any:
    """What layers of PyG take, as a graph that :func:`gomkcn.as_csr` reads."""
    return SimpleNamespace(num_nodes=len(feat), edge_index=edge_index, batch=batch)


class GOMKConv(torch.nn.Module):
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
    kernel : GraphKernel, optional
        ``GOMKKernel()`` when left out; any object with the methods of :class:`gomkcn.GraphKernel`
        will do.
    max_nodes : int, optional
        Most nodes of a subgraph, N; ``filter_size`` when left out.
    policy, seed
        How subgraphs are truncated, see :class:`gomkcn.SubgraphSettings`.
    bounded_feats : bool
        Keep the filters' features in (0, 1); set it when the input features lie in [0, 1].
    relations : Relations, optional
        What the filters tell apart: the relations of a graph, ``as_csr(graph).relations``, by name
        and direction. Filters then have a weight for each ordered pair of nodes and relation. None:
        edges have no direction and no type, those of a directed graph are mirrored.

    Attributes
    ----------
    filters : GraphFilters
        The graph filters.
    settings : SubgraphSettings
        How it takes subgraphs.

    Examples
    --------
    >>> import dgl, torch
    >>> graph = dgl.to_bidirected(dgl.graph(([0, 1, 2], [1, 2, 3])))
    >>> conv = GOMKConv(in_feats=2, num_filters=5, filter_size=3, num_hops=1)
    >>> conv(graph, torch.rand(4, 2)).shape
    torch.Size([4, 5])

    The same with tensors, as in PyTorch Geometric:

    >>> conv(torch.rand(4, 2), torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])).shape
    torch.Size([4, 5])

    Filters that tell directions apart, and edge weights:

    >>> from gomkcn_dgl import as_csr
    >>> arcs = dgl.graph(([0, 1, 2], [1, 2, 3]))
    >>> arcs.edata["w"] = torch.tensor([1.0, 2.0, 1.0])
    >>> weighted = as_csr(arcs, weight="w")
    >>> conv = GOMKConv(2, 5, filter_size=3, num_hops=1, relations=weighted.relations)
    >>> conv(weighted, torch.rand(4, 2)).shape, conv.filters.adj().shape
    (torch.Size([4, 5]), torch.Size([5, 3, 3, 2]))
    """

    def __init__(
        self,
        in_feats: int,
        num_filters: int,
        filter_size: int,
        num_hops: int,
        *,
        kernel: GraphKernel | None = None,
        max_nodes: int | None = None,
        policy: str = "bfs",
        seed: int = 0,
        bounded_feats: bool = False,
        relations: Relations | None = None,
    ) -> None:
        super().__init__()
        self.in_feats = check_int("in_feats", in_feats, 1)
        self.num_filters = check_int("num_filters", num_filters, 1)
        self.filter_size = check_int("filter_size", filter_size, 1, MAX_SUBGRAPH_NODES)
        max_nodes = filter_size if max_nodes is None else max_nodes
        self.settings = SubgraphSettings(num_hops, max_nodes, policy, seed)
        if not isinstance(relations, Relations | None):
            raise InputTypeError(
                "relations must be those of a graph, as_csr(graph).relations, "
                f"got {type(relations).__name__}."
            )
        self.relations = SIMPLE if relations is None else relations
        self.kernel: GraphKernel = check_kernel(kernel, GOMKKernel(), GraphKernel)
        self.filters = GraphFilters(
            num_filters, filter_size, in_feats, bounded_feats, directed=self.relations.directed
        )

    def forward(
        self,
        graph: Any,
        feat: Tensor,
        edge_type: Tensor | None = None,
        batch: Tensor | None = None,
    ) -> Tensor:
        """Score the subgraph of every node against every filter.

        Call it as layers of DGL are called, ``conv(graph, feat)``, or as those of PyTorch
        Geometric are, ``conv(x, edge_index)``, ``conv(x, edge_index, edge_type, batch)``.

        Parameters
        ----------
        graph : DGLGraph, PyG Data, CSRGraph, SubgraphTensors, or Tensor
            A graph, a batch or a heterograph, on the CPU whatever the device of ``feat``; or what
            :meth:`subgraphs` returned, on the device of ``feat``. Edge weights, and edge types of
            a graph that is no heterograph, are those of :func:`gomkcn.as_csr`. In the second form
            the features ``[V, D]``.
        feat : Tensor
            ``[V, D]`` on the layer's device; of a heterograph the rows of all types of nodes, one
            type after the other in the order of ``graph.ntypes``. In the second form the edges,
            int64 ``[2, E]``, each without direction in both.
        edge_type : Tensor, optional
            int64 ``[E]``: the relation that ``relations`` calls by this number.
        batch : Tensor, optional
            int64 ``[V]``, ascending: the graph of each node; None for a single graph.

        Returns
        -------
        Tensor
            ``[V, F]``, a row for each root.

        Raises
        ------
        InputError
            For shapes that do not fit each other, or finite features so large that a score
            overflows (on the CPU; a feature that is NaN gives a score that is).
        """
        if isinstance(graph, torch.Tensor):
            graph, feat = tensors_as_graph(graph, feat, batch), graph
        if not isinstance(feat, torch.Tensor):
            kind = type(feat).__name__
            raise InputTypeError(f"feat must be a tensor [V, {self.in_feats}], got {kind}.")
        # 1. the subgraphs: given, or extracted now
        if isinstance(graph, SubgraphTensors):
            subgraphs, num_nodes = graph, feat.shape[0]
            self._check_subgraphs(subgraphs)
        else:
            subgraphs = self.subgraphs(self.read(graph, edge_type), feat.device)
            num_nodes = len(subgraphs.nodes)
        if feat.shape != (num_nodes, self.in_feats):
            raise InputError(
                f"feat must have the shape [{num_nodes}, {self.in_feats}], got {list(feat.shape)}."
            )
        # 2. one score for each subgraph and filter
        inputs = (subgraphs, feat, self.filters.adj(), self.filters.feat())
        scores = self.kernel.score(*inputs)
        refuse_overflow(scores, *inputs[1:])
        return scores

    def subgraphs(self, graph: Any, device: torch.device | str = "cpu") -> SubgraphTensors:
        """Return the subgraphs of a graph or batch.

        Pass them to :meth:`forward` in place of the graph to extract them once for many epochs.
        """
        return SubgraphTensors.of_batch(extract_subgraphs(self.read(graph), self.settings), device)

    def read(self, graph: Any, edge_type: Tensor | None = None) -> CSRGraph:
        """Return a graph as the layer sees it: with its relations, without features."""
        if edge_type is not None and self.relations.is_simple:
            raise InputError(
                "edge_type is for a layer that has relations; give relations to the layer, or "
                "leave edge_type out."
            )
        if not hasattr(graph, "num_nodes"):
            graph = as_csr(graph)
        # a method of DGL's graphs
        num_nodes = graph.num_nodes() if callable(graph.num_nodes) else graph.num_nodes
        csr = as_csr(
            graph,
            # features do not matter for the extraction, so a constant is used
            features=np.ones(num_nodes),
            directed=False if self.relations.is_simple else None,
            relation=None if edge_type is None else to_numpy(edge_type),
        ).with_relations(self.relations)
        types = getattr(graph, "ntypes", getattr(graph, "node_types", ()))
        if csr.num_graphs > 1 and len(types) > 1:
            raise InputError(
                f"a batch of graphs with {len(types)} types of nodes must be given as "
                "as_csr(graph), the rows of feat graph by graph."
            )
        return csr

    def _check_subgraphs(self, subgraphs: SubgraphTensors) -> None:
        """Refuse subgraphs that were not taken as the layer takes them."""
        size = subgraphs.nodes.shape[1]
        if size != self.settings.max_nodes:
            raise InputError(
                f"max_nodes must be that of the given subgraphs, {size}, "
                f"got {self.settings.max_nodes}."
            )
        channels, own = subgraphs.num_channels, self.filters.num_channels
        if channels != own:
            raise InputError(
                "the given subgraphs and the layer must agree on relations, "
                f"got {channels} and {own} channels."
            )
