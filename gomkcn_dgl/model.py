"""GOMKCN: an input layer and graph kernel convolutions, each level read out into the logits.

It takes graphs of DGL or PyTorch Geometric, or batches of a collection whose subgraphs were
extracted once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gomkcn_dgl._torch import Tensor, not_compiled, torch
from gomkcn_dgl.bounds import MOST_FILTERS, MOST_LAYERS
from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.embeddings import SubgraphTensors, refuse_overflow
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.layer import EdgeValues, GOMKConv, GraphBatch, refuse_not_finite
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.subgraph_transform import block_subgraphs, is_block, is_sampled
from gomkcn_dgl.subgraphs import SubgraphSettings

POOLINGS = ("max", "mean", "sum")


class GraphCollection:
    """A graph or a collection whose subgraphs are extracted once, for many epochs.

    Parameters
    ----------
    graph : CSRGraph
        With features; see :func:`gomkcn.as_csr`.
    settings : SubgraphSettings
        How subgraphs are taken; ``conv.settings`` of a layer.
    device : str or torch.device
        Device of the batches.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import SubgraphSettings, as_csr
    >>> pair = as_csr([nx.path_graph(3), nx.cycle_graph(4)])
    >>> graphs = GraphCollection(pair, SubgraphSettings(num_hops=1, max_nodes=3))
    >>> batch = graphs.batch([1])
    >>> batch.subgraphs.nodes.tolist(), batch.graph_sizes.tolist()
    ([[0, 1, 3], [1, 0, 2], [2, 1, 3], [3, 0, 2]], [4])
    """

    def __init__(
        self,
        graph: CSRGraph,
        settings: SubgraphSettings,
        device: str | torch.device = "cpu",
    ) -> None:
        self.graph = graph
        self.subgraphs = SubgraphTensors.extract(graph, settings, device=device)
        self.feat = torch.tensor(graph.features).to(device)
        self.graph_sizes = torch.from_numpy(np.diff(graph.graph_ptr)).to(device)

    def whole(self) -> GraphBatch:
        """Return all graphs."""
        return GraphBatch(self.subgraphs, self.feat, self.graph_sizes)

    def batch(self, chosen: np.ndarray | list[int]) -> GraphBatch:
        """Return some graphs, in the order given."""
        chosen = np.asarray(chosen, np.int64)
        first = self.graph.graph_ptr[chosen]
        sizes = self.graph.graph_ptr[chosen + 1] - first
        begin = np.cumsum(sizes) - sizes
        # [V] old node id minus new one, the same for all nodes of a graph
        shift = np.repeat(first - begin, sizes)
        rows = self._bring(np.arange(len(shift)) + shift)
        subgraphs = self.subgraphs.select(rows)
        nodes = subgraphs.nodes  # [V, N], -1 for padding
        nodes = torch.where(nodes < 0, nodes, nodes - self._bring(shift).to(nodes.dtype)[:, None])
        graph_sizes = self._bring(sizes)
        return GraphBatch(subgraphs._replace(nodes=nodes), self.feat[rows], graph_sizes)

    def _bring(self, numbers: np.ndarray) -> Tensor:
        """Numbers on the device, for which the computation there is not waited for."""
        return torch.from_numpy(numbers).to(self.feat.device, non_blocking=True)


class InputLayer(torch.nn.Module):
    """Dropout, a linear map, batch norm, and a sigmoid where filters' features lie in (0, 1).

    Another module may stand in the place of its ``norm``.
    """

    norm: torch.nn.Module

    def __init__(self, in_feats: int, out_feats: int, bounded: bool, dropout: float) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(in_feats, out_feats))
        self.norm = torch.nn.BatchNorm1d(out_feats)
        self.dropout = torch.nn.Dropout(dropout)
        self.bounded = bounded
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew (Glorot and Bengio, 2010)."""
        torch.nn.init.xavier_uniform_(self.weight)

    def extra_repr(self) -> str:
        """Name the widths, as PyTorch prints a module."""
        return f"{self.weight.shape[0]}, {self.weight.shape[1]}, bounded={self.bounded}"

    def forward(self, feat: Tensor) -> Tensor:
        """``[V, in_feats]`` → ``[V, out_feats]``."""
        product = self.dropout(feat) @ self.weight
        refuse_overflow(product, feat, self.weight)
        hidden: Tensor = self.norm(product)
        return torch.sigmoid(hidden) if self.bounded else hidden


class GOMKCN(torch.nn.Module):
    """Graph optimal matching kernel convolutional network, for graphs or nodes (section V).

    The features go through an input layer, then through one or more graph kernel convolutions.
    Every level is read out, and a linear map of what is read is added to the logits. Where one of
    ``heads`` is replaced by an ``Identity``, what is read are logits, and none of them is dropped.

    Parameters
    ----------
    in_feats, num_classes : int
        Feature width and number of classes.
    hidden_feats : int
        Width D that filters have. 0: no input layer, filters see the features as they are.
    num_filters : int
        Filters F of each convolution.
    filter_size : int
        Nodes of a filter, M.
    num_layers : int
        Convolutions.
    pooling : {"sum", "mean", "max"} or None
        How the nodes of a graph are read out; None: nodes are classified.
    read_input : bool
        Read out the input layer, too.
    input_dropout, dropout : float
        Shares dropped from the input features and from what is read out.
    **conv_options
        Every other parameter of :class:`GOMKConv`. ``num_hops`` is 1 when left out, and
        ``bounded_feats`` True: features that reach a filter lie in (0, 1), as the filters' do.

    Examples
    --------
    >>> import dgl, torch
    >>> graphs = [dgl.rand_graph(8, 20), dgl.rand_graph(5, 12)]
    >>> batch = dgl.batch([dgl.to_bidirected(graph) for graph in graphs])
    >>> model = GOMKCN(in_feats=3, num_classes=4, pooling="sum")
    >>> model(batch, torch.rand(13, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        in_feats: int,
        num_classes: int,
        *,
        hidden_feats: int = 32,
        num_filters: int = 16,
        filter_size: int = 6,
        num_layers: int = 1,
        pooling: str | None = None,
        read_input: bool = True,
        input_dropout: float = 0.0,
        dropout: float = 0.0,
        **conv_options: Any,
    ) -> None:
        super().__init__()
        self.in_feats = check_int("in_feats", in_feats, 1)
        check_int("num_classes", num_classes, 1)
        check_int("num_filters", num_filters, 1, MOST_FILTERS)
        check_int("num_layers", num_layers, 1, MOST_LAYERS)
        check_float("dropout", dropout, 0.0, 1.0)
        check_float("input_dropout", input_dropout, 0.0, 1.0)
        if pooling is not None:
            check_choice("pooling", pooling, POOLINGS)
        conv_options = {"num_hops": 1, "bounded_feats": True, **conv_options}
        self.pooling = pooling
        self.bounded: bool = conv_options["bounded_feats"]
        self.input: torch.nn.Module
        if not hidden_feats:
            self.input, first_width = torch.nn.Dropout(input_dropout), in_feats
        else:
            self.input = InputLayer(in_feats, hidden_feats, self.bounded, input_dropout)
            first_width = hidden_feats
        widths = [first_width] + [num_filters] * num_layers
        # each convolution takes as many features as the level before it gives
        self.convs = torch.nn.ModuleList(
            GOMKConv(width, filters, filter_size, **conv_options)
            for width, filters in itertools.pairwise(widths)
        )
        for conv in self.convs:
            assert isinstance(conv, GOMKConv)
            conv.is_inner = True
        # a head for the input layer and for each convolution
        self.norms = torch.nn.ModuleList(torch.nn.BatchNorm1d(width) for width in widths[1:])
        self.heads = torch.nn.ModuleList(torch.nn.Linear(width, num_classes) for width in widths)
        if not read_input:
            self.heads[0] = torch.nn.Identity()
        self.read_input = read_input
        self.dropout = torch.nn.Dropout(dropout)

    def reset_parameters(self) -> None:
        """Draw all parameters anew, and forget what batch norms have seen."""
        for module in self.modules():
            reset = getattr(module, "reset_parameters", None)
            if module is not self and reset is not None:
                reset()

    def extra_repr(self) -> str:
        """Name what the modules do not show, as PyTorch prints a module."""
        return f"pooling={self.pooling!r}, read_input={self.read_input}, bounded={self.bounded}"

    def forward(
        self,
        graph: Any,
        feat: Any = None,
        edge_value: Tensor | None = None,
        batch: Tensor | None = None,
        *,
        edge_weight: Tensor | None = None,
        edge_type: Tensor | None = None,
        rows: Tensor | None = None,
    ) -> Tensor:
        """Classify.

        Parameters
        ----------
        graph : GraphBatch, list of blocks, or what a layer takes
            Some graphs of a :class:`GraphCollection`; or a graph or a batch, as with its features
            in :meth:`GOMKConv.forward`: ``model(graph, feat)``, ``model(x, edge_index,
            batch=batch)``; or a message-flow block for each convolution, of
            :meth:`SubgraphTransform.message_flow`, with the features of the sources of the first.
        feat, edge_value, batch, edge_weight, edge_type : Tensor, optional
            As there; a GraphBatch has its own.
        rows : Tensor, optional
            int64 ``[R]`` the nodes to classify, where nodes are; all when left out.

        Returns
        -------
        Tensor
            Logits: ``[G, C]`` with pooling, ``[V, C]`` or ``[R, C]`` without; of blocks, a row for
            each destination of the last.

        Raises
        ------
        InputError, InputTypeError
            As in :meth:`GOMKConv.forward`, for blocks of another number than convolutions, and for
            ``batch`` where nodes are classified, as they are without ``pooling``.
        """
        values = EdgeValues(edge_value, edge_weight, edge_type)
        if isinstance(graph, GraphBatch):
            values.refuse()
            refuse_not_finite(graph.feat)
        else:
            graph = self._batch(graph, feat, values, batch)
        # every level is read out, and the logits are the sum over levels
        levels = self.levels(graph.subgraphs, graph.feat, rows, graph.later)
        start = 0 if self.read_input else 1
        logits: Any = 0
        for level, head in list(zip(levels, self.heads, strict=True))[start:]:
            read = level
            if self.pooling is not None:
                read = pool_nodes(level, graph.graph_sizes, self.pooling)
            is_plain = isinstance(head, torch.nn.Identity)
            logits = logits + head(read if is_plain else self.dropout(read))
        assert isinstance(logits, torch.Tensor)
        return logits

    @property
    def first_conv(self) -> GOMKConv:
        """The convolution that sees what the input layer gives."""
        first = self.convs[0]
        assert isinstance(first, GOMKConv)
        return first

    @not_compiled
    def _batch(self, graph: Any, feat: Any, values: EdgeValues, batch: Any) -> GraphBatch:
        """What the model is called with, with the subgraphs that the convolutions see."""
        is_list = isinstance(graph, list) and any(map(is_block, graph))
        blocks = graph if is_list else [graph] if is_block(graph) else []
        if batch is not None and self.pooling is None:
            raise InputError(
                "batch",
                "is for classes of graphs, and without pooling nodes are classified",
                way_out=(
                    "make the model with ",
                    Argument("pooling"),
                    ' "max", "mean" or "sum", or leave batch out',
                ),
            )
        conv, first = self.first_conv, blocks[0] if blocks else graph
        read = conv.read_batch(first, feat, self.in_feats, values, batch)
        sampled = not blocks and is_sampled(graph)
        if self.pooling is not None and (blocks or sampled):
            what = "blocks" if blocks else "batches of SubgraphSampler"
            way_out = ("make the model with ", Argument("pooling", None))
            raise InputError(f"{what} hold nodes to classify", way_out=way_out)
        if sampled and len(self.convs) > 1:
            raise InputError(
                "a batch of SubgraphSampler holds what one convolution sees, and the model has "
                f"{len(self.convs)}",
                way_out=(
                    "make it with ",
                    Argument("num_layers", 1),
                    ", or give it blocks of SubgraphTransform.message_flow",
                ),
            )
        if not blocks:
            return read
        if len(blocks) != len(self.convs):
            raise InputError(
                "blocks", f"must be as many as convolutions, {len(self.convs)}", got=len(blocks)
            )
        for before, block in itertools.pairwise(blocks):
            if before.num_dst_nodes() != block.num_src_nodes():
                raise InputError(
                    "the sources of a block must be the destinations of the one before it, got "
                    f"{block.num_src_nodes()} and {before.num_dst_nodes()} nodes."
                )
        device = read.feat.device
        return read._replace(later=tuple(block_subgraphs(later, device) for later in blocks[1:]))

    def levels(
        self,
        subgraphs: SubgraphTensors,
        feat: Tensor,
        rows: Tensor | None = None,
        later: Sequence[SubgraphTensors] = (),
    ) -> list[Tensor]:
        """Embed the nodes, or some, at every level: the input layer, each convolution, normed.

        All convolutions see the same subgraphs, unless ``later`` has those of all but the first.
        """
        # features of fewer bits are widened, as by a convolution
        hidden = self.input(feat.to(self.first_conv.filters.free_feat.dtype))
        levels = [hidden]
        for number, (conv, norm) in enumerate(zip(self.convs, self.norms, strict=True)):
            seen = later[number - 1] if later and number else subgraphs
            # a shape, unlike len, stays open in a program that is exported with open sizes
            is_part = seen.nodes.shape[0] < hidden.shape[0]
            if rows is not None and conv is self.convs[-1]:
                # no convolution looks at the other nodes any more
                seen, is_part = seen.select(rows), True
            if is_part:
                # of some nodes, seeds, or the destinations of a block, each is read out as a root
                roots = seen.nodes[:, 0].long()
                levels = [level[roots] for level in levels]
            levels.append(norm(conv(seen, hidden)))
            hidden = self.activate(levels[-1])
        return levels

    def activate(self, level: Tensor) -> Tensor:
        """Turn a normed level into the features that the next convolution sees."""
        return torch.sigmoid(level) if self.bounded else torch.relu(level)


def pool_nodes(nodes: Tensor, graph_sizes: Tensor, pooling: str) -> Tensor:
    """Read out the nodes of each graph: ``[V, W]`` → ``[G, W]``; a graph without nodes reads 0."""
    # the graph of each node, then one reduction over the nodes of each graph
    num_nodes, width = nodes.shape
    num_graphs = graph_sizes.shape[0]
    numbers = torch.arange(num_graphs, device=nodes.device)
    # with its length given, a GPU is not waited for
    graph_of = numbers.repeat_interleave(graph_sizes, output_size=num_nodes)
    pooled = nodes.new_zeros(num_graphs, width)
    if pooling == "max":
        index = graph_of.unsqueeze(1).expand_as(nodes)
        return pooled.scatter_reduce(0, index, nodes, "amax", include_self=False)
    pooled = pooled.index_add(0, graph_of, nodes)
    if pooling == "mean":
        pooled = pooled / graph_sizes.clamp(min=1).unsqueeze(1)
    return pooled
