"""The learnable graph filters as a layer, one nn.Module over steps 2 to 4, for any kernel."""

from __future__ import annotations

import logging
import math
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from gomkcn_dgl._torch import Tensor, has_torch, not_compiled, torch
from gomkcn_dgl.checks import check_finite, check_int, to_numpy
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.edge_gradients import weigh_subgraphs
from gomkcn_dgl.embeddings import SubgraphTensors, overflows, refuse_overflow
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.graph_objects import edges_of_adj_t, is_sparse
from gomkcn_dgl.last_graph import LastGraph, ReadGraph, digest_of
from gomkcn_dgl.matching import GOMKKernel, check_kernel
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.subgraph_sampler import SubgraphSampler
from gomkcn_dgl.subgraph_transform import (
    SubgraphTransform,
    graph_sizes,
    is_block,
    kept_subgraphs,
    num_rows,
    read_for,
    tensors_as_graph,
)
from gomkcn_dgl.subgraphs import (
    MAX_SUBGRAPH_NODES,
    USUAL_SIZE,
    SubgraphSettings,
    usual_hops,
)

log = logging.getLogger("gomkcn_dgl")

# a similarity of nodes in [0, 1] below which a filter hardly learns
LEAST_SIMILARITY = 1e-3
# nodes whose features are compared with those of filters at the first call
_ROWS_LOOKED_AT = 1000


@runtime_checkable
class GraphKernel(Protocol):
    """What a layer asks of its kernel, a frozen settings object such as ``GOMKKernel``."""

    def score(
        self, subgraphs: SubgraphTensors, feat: Tensor, filter_adj: Tensor, filter_feat: Tensor
    ) -> Tensor:
        """Scores ``[S, F]`` of subgraphs with features ``[V, D]`` against filters.

        They lie in a range that graphs and filters of all sizes share.
        """


class GraphBatch(NamedTuple):
    """Some graphs side by side; every node is a root.

    Attributes
    ----------
    subgraphs : SubgraphTensors
        Subgraphs of all nodes, in their order; or of some, each with its root in first place.
    feat : Tensor
        ``[V, D]``.
    graph_sizes : Tensor
        int64 ``[G]`` nodes of each graph.
    later : tuple of SubgraphTensors
        Of message-flow blocks, what the second convolution sees, and the next ones; empty where all
        see the same.
    """

    subgraphs: SubgraphTensors
    feat: Tensor
    graph_sizes: Tensor
    later: tuple[SubgraphTensors, ...] = ()


class EdgeValues(NamedTuple):
    """What a layer is told about edges: in the third place of its arguments, and by name."""

    third: Any = None
    weight: Any = None
    type: Any = None

    def refuse(self) -> None:
        """Refuse them beside subgraphs."""
        if any(value is not None for value in self):
            raise InputError(
                "edge weights and types cannot be given with subgraphs, which have their own; name "
                "the attributes in conv.transform or conv.sampler(weight=…, relation=…)."
            )

    def named(self) -> EdgeValues:
        """The same by name: in the third place weights are floating-point numbers."""
        if self.third is None:
            return self
        name = "weight" if _is_float(self.third) else "type"
        _refuse_second(f"edge_{name}", getattr(self, name))
        return self._replace(third=None, **{name: self.third})

    def read(self, relations: Relations) -> dict[str, np.ndarray]:
        """Those that were given by name, as ``as_csr`` calls them."""
        weight, edge_type = self.weight, self.type
        given = {}
        if edge_type is not None:
            if relations.is_simple:
                raise InputError(
                    "edge_type",
                    "is for a layer that has relations",
                    way_out=(
                        "give relations to the layer, or leave edge_type out; edge weights are "
                        "floating-point numbers"
                    ),
                )
            given["relation"] = to_numpy(edge_type)
        if weight is not None:
            if not _is_float(weight):
                came = getattr(weight, "dtype", type(weight).__name__)
                raise InputTypeError(
                    "edge_weight", "must be a tensor [E] of floating-point numbers", got=came
                )
            given["weight"] = to_numpy(weight)
        return given


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _refuse_second(name: str, value: Any, got: str = "it in the third place and by name") -> None:
    if value is not None:
        raise InputError(name, "must be given once", got=got)


class GOMKConv(torch.nn.Module):
    """Graph optimal matching kernel convolution (section IV of the GOMKCN paper).

    Each node's output is the score of the subgraph around it against every graph filter.

    Parameters
    ----------
    in_feats : int
        Feature width D.
    out_feats : int
        Graph filters F, the width of the output.
    filter_size : int
        Nodes of a filter, M. By default 6, as in the paper's experiments in which filters are
        looked at (sections VI-B and VI-C).
    num_hops : int, optional
        Radius of the subgraphs. Half of ``filter_size`` when left out, but at least 3: within so
        many hops some node of a pattern of that size sees it whole. For 6 nodes that is the paper's
        3.
    kernel : GraphKernel, optional
        ``GOMKKernel()`` when left out; any object with the methods of :class:`GraphKernel` will
        do.
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
    >>> conv = GOMKConv(in_feats=2, out_feats=5)
    >>> conv(graph, torch.rand(4, 2)).shape
    torch.Size([4, 5])
    >>> conv
    GOMKConv(
      2, 5, num_hops=3, max_nodes=6, policy='bfs'
      (filters): GraphFilters(5, filter_size=6, feature_width=2, bounded_feats=False)
    )

    The same with tensors, as in PyTorch Geometric:

    >>> conv(torch.rand(4, 2), torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])).shape
    torch.Size([4, 5])

    Filters that tell directions apart, and edge weights:

    >>> from gomkcn import as_csr
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
        out_feats: int,
        filter_size: int = USUAL_SIZE,
        num_hops: int | None = None,
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
        self.out_feats = check_int("out_feats", out_feats, 1)
        self.filter_size = check_int("filter_size", filter_size, 1, MAX_SUBGRAPH_NODES)
        max_nodes = filter_size if max_nodes is None else max_nodes
        num_hops = usual_hops(filter_size) if num_hops is None else num_hops
        self.settings = SubgraphSettings(num_hops, max_nodes, policy, seed)
        if not isinstance(relations, Relations | None):
            raise InputTypeError(
                "relations",
                "must be those of a graph, as_csr(graph).relations",
                got=type(relations).__name__,
            )
        self.relations = SIMPLE if relations is None else relations
        self.kernel: GraphKernel = check_kernel(kernel, GOMKKernel(), GraphKernel)
        self.is_new = True
        # a convolution of a network sees what layers computed, which is none of a user's features
        self.is_inner = False
        self._last_graph = LastGraph()
        self.filters = GraphFilters(
            out_feats, filter_size, in_feats, bounded_feats, directed=self.relations.directed
        )

    def __getstate__(self) -> dict[str, Any]:
        """All but the graph that was seen last, which a copy or a file has not."""
        return {**self.__dict__, "_last_graph": LastGraph()}

    def reset_parameters(self) -> None:
        """Draw the filters anew from a standard normal distribution."""
        self.filters.reset_parameters()

    def forget_graph(self) -> None:
        """Free the subgraphs of the graph that was seen last; it is read again when it is given."""
        self._last_graph = LastGraph()

    def extra_repr(self) -> str:
        """Name the widths and how subgraphs are taken, as PyTorch prints a module."""
        taken = self.settings
        text = f"{self.in_feats}, {self.out_feats}, num_hops={taken.num_hops}, "
        text += f"max_nodes={taken.max_nodes}, policy={taken.policy!r}"
        names = self.relations.names
        return text if self.relations.is_simple else f"{text}, relations={names}"

    def forward(
        self,
        graph: Any,
        feat: Any,
        edge_value: Tensor | None = None,
        batch: Tensor | None = None,
        *,
        edge_weight: Tensor | None = None,
        edge_type: Tensor | None = None,
    ) -> Tensor:
        """Score the subgraph of every node against every filter.

        Call it as layers of DGL are called, ``conv(graph, feat)``, or as those of PyTorch
        Geometric are, ``conv(x, edge_index)``, ``conv(x, edge_index, edge_weight)``,
        ``conv(x, edge_index, edge_type, batch)``. A sparse ``adj_t`` takes the place of
        ``edge_index``, and its values that of weights.

        Of a graph that is given again, unchanged, the subgraphs are known: those of the last one
        are kept, up to 256 MiB of them, and :meth:`forget_graph` frees them. It is known again by
        its content, edges, types, weights and the features that tell nodes apart, if it is one of
        DGL or PyG with one type of nodes, or a CSRGraph. Features that a gradient leads through,
        as those of a layer before, change with every step, and are read each time.

        Parameters
        ----------
        graph : DGLGraph, PyG Data, CSRGraph, SubgraphTensors, or Tensor
            A graph, a batch or a heterograph, on the CPU whatever the device of ``feat``. Of nodes
            that its structure leaves alike, its ``feat`` (``x`` in PyG), or else those given here,
            say which a truncated subgraph keeps. A batch of ``NeighborLoader`` is refused. Nothing
            is extracted from what :meth:`transform` or :meth:`sampler` gives, nor from what
            :meth:`subgraphs` returns. A message-flow block must be of
            :meth:`SubgraphTransform.message_flow`. In the second form the features ``[V, D]``.
        feat : Tensor
            ``[V, D]`` on the layer's device; of a heterograph the rows of all types of nodes, one
            type after the other in the order of ``graph.ntypes``; of a block the rows of its
            sources, or a pair of those of its sources and its destinations. In the second form the
            edges, int64 ``[2, E]``, each without direction in both; or what :meth:`subgraphs`
            returns.
        edge_value : Tensor, optional
            Edge weights if they are floating-point numbers, edge types if they are integers.
        batch : Tensor, optional
            int64 ``[V]``, ascending: the graph of each node. A layer's scores do not depend on it.
        edge_weight : Tensor, optional
            ``[E]`` in the order of the edges, at least 0; an edge of weight 0 is no edge, and of
            two weights of an edge without direction the larger counts. They may get a gradient,
            which is that of the scores of the subgraphs as they are: weights other than 0 hardly
            change which nodes a subgraph has. Scores of weights of 1 are those without weights.
        edge_type : Tensor, optional
            int64 ``[E]``: the relation that ``relations`` calls by this number.

        Returns
        -------
        Tensor
            ``[V, F]`` of the type of the filters, which may be half precision (``conv.half()``), a
            row for each root; of a batch of :meth:`sampler`, for each seed; of a block, for each
            destination.

        Raises
        ------
        InputError
            For shapes that do not fit each other, weights or types beside subgraphs, and edge
            weights that are not finite. On the CPU, and not in what torch.compile compiles, also
            for features that are not finite, or so large that a score overflows: elsewhere each
            step would wait for the answer, a feature that is NaN gives a score that is, and an
            infinite one is similar to none.
        InputTypeError
            For features or weights that are no tensor of numbers, and for features that the type
            of the filters does not hold: those of fewer bits are widened.
        """
        if isinstance(feat, SubgraphTensors):
            graph, feat = feat, graph
        # 1. the subgraphs: given, kept with the graph, or extracted now
        values = EdgeValues(edge_value, edge_weight, edge_type)
        if isinstance(graph, SubgraphTensors):
            values.refuse()
            self._check_feat(feat, self.in_feats, is_given=not self.is_inner)
            subgraphs = graph
        else:
            read = self.read_batch(graph, feat, self.in_feats, values, batch)
            subgraphs, feat = read.subgraphs, read.feat
        if feat.shape[1:] != (self.in_feats,):
            raise InputError(
                "feat", f"must have the shape [V, {self.in_feats}]", got=list(feat.shape)
            )
        self._check_subgraphs(subgraphs)
        # 2. one score for each subgraph and filter
        of_filters = self.filters.free_feat.dtype
        feat = feat.to(of_filters)
        inputs = (subgraphs, feat, self.filters.adj(), self.filters.feat())
        # on the CPU, where asking is cheap, and not in code that torch.compile compiles
        if self.is_new and feat.device.type == "cpu" and not torch.compiler.is_compiling():
            self.is_new = False
            if isinstance(self.kernel, GOMKKernel):
                warn_out_of_reach(self.kernel, feat, inputs[3])
        scores = self.kernel.score(*inputs)
        refuse_overflow(scores, *inputs[1:])
        # half precision is widened where a kernel sums
        return scores.to(of_filters)

    @not_compiled
    def read_batch(
        self, graph: Any, feat: Any, width: int, values: EdgeValues, batch: Any = None
    ) -> GraphBatch:
        """Read what a layer is called with; ``width`` is D of the features."""
        values = values.named()
        if isinstance(graph, torch.Tensor):
            edges, feat = feat, graph
            if is_sparse(edges):
                edges, weight = edges_of_adj_t(edges, len(feat))
                if weight is not None:
                    _refuse_second("edge_weight", values.weight, "it beside the values of adj_t")
                    values = values._replace(weight=weight)
            graph = tensors_as_graph(feat, edges, batch)
        elif batch is not None:
            raise InputError(
                "batch",
                "goes with tensors, conv(x, edge_index, batch=batch)",
                got=f"it beside a {type(graph).__name__}",
                way_out="a batch of DGL or PyG has its own",
            )
        elif is_block(graph):
            feat = _rows_of_sources(graph, feat)
        self._check_feat(feat, width)
        subgraphs = kept_subgraphs(graph, feat.device)
        if subgraphs is not None:
            values.refuse()
            sizes = graph_sizes(graph)
            num_nodes = num_rows(graph)
            check_shape(feat, num_nodes, width)
            return GraphBatch(subgraphs, feat, sizes.to(feat.device))
        given = values.read(self.relations)
        if isinstance(graph, CSRGraph) and given:
            raise InputError(
                "edge weights and types of a CSRGraph are its own; name them when it is made, "
                "as_csr(graph, weight=…, relation=…)."
            )
        # the subgraphs of the graph that was seen last are known
        device, of_layer = feat.device, (self.settings, self.relations)
        digest = digest_of(graph, feat, values.weight, values.type, device, *of_layer)
        read = self._last_graph.read(digest, lambda: self._read(graph, feat, values, given))
        check_shape(feat, len(read.subgraphs.nodes), width)
        return GraphBatch(read.subgraphs, feat, read.graph_sizes)

    def _read(
        self, graph: Any, feat: Tensor, values: EdgeValues, given: dict[str, np.ndarray]
    ) -> ReadGraph:
        """Read a graph, and extract its subgraphs."""
        csr = read_for(self.relations, graph, **given, feat=feat)
        subgraphs = SubgraphTensors.extract(csr, self.settings, device=feat.device)
        if values.weight is not None and values.weight.requires_grad:
            subgraphs = weigh_subgraphs(subgraphs, csr, graph, values.weight)
        sizes = torch.from_numpy(np.diff(csr.graph_ptr))
        return ReadGraph(subgraphs, sizes.to(feat.device))

    def subgraphs(
        self, graph: Any, device: torch.device | str = "cpu", *, feat: Tensor | None = None
    ) -> SubgraphTensors:
        """Return the subgraphs of a graph or batch.

        Pass them to :meth:`forward` in place of the graph to extract them once for many epochs.
        ``feat [V, D]`` are the features of a graph that keeps none as ``feat``, or ``x`` in PyTorch
        Geometric: of nodes that the structure leaves alike they say which are taken.

        Raises
        ------
        InputError, InputTypeError
            For a graph that is none or lacks edges, such as a batch of neighbours, or for ``feat``
            of another shape.
        """
        if feat is not None:
            self._check_feat(feat, self.in_feats)
        csr = read_for(self.relations, graph, feat=feat)
        if feat is not None:
            check_shape(feat, csr.num_nodes, self.in_feats)
        return SubgraphTensors.extract(csr, self.settings, device=device)

    def transform(
        self, *, weight: str | None = None, relation: str | None = None
    ) -> SubgraphTransform:
        """Return the transform that extracts this layer's subgraphs from graphs of a data set.

        ``weight`` and ``relation`` name attributes of the edges, as in :func:`gomkcn.as_csr`.
        """
        return SubgraphTransform(self.settings, self.relations, weight, relation)

    def sampler(
        self, *, weight: str | None = None, relation: str | None = None, **options: Any
    ) -> SubgraphSampler:
        """Return the sampler of this layer's subgraphs, for the loaders of DGL and PyG.

        ``weight`` and ``relation`` name attributes of the edges, as in :func:`gomkcn.as_csr`;
        ``options`` are others of :class:`gomkcn.SubgraphSampler`.
        """
        return SubgraphSampler(self.settings, self.relations, weight, relation, **options)

    def _check_feat(self, feat: Any, width: int, *, is_given: bool = True) -> None:
        """Refuse features that are no tensor of the numbers that filters have, or of fewer bits.

        Those that a user gave, and no layer computed, must be finite, too.
        """
        if not isinstance(feat, torch.Tensor):
            raise InputTypeError("feat", f"must be a tensor [V, {width}]", got=type(feat).__name__)
        # others of fewer bits are widened, as torch.autocast makes them
        of_filters = self.filters.free_feat.dtype
        is_float = feat.is_floating_point()
        if not is_float or torch.promote_types(feat.dtype, of_filters) != of_filters:
            other = f" or make the layer {feat.dtype}, conv.to({feat.dtype})" if is_float else ""
            raise InputTypeError(
                "feat",
                f"must have the dtype of the layer's filters, {of_filters}",
                got=feat.dtype,
                way_out=f"give feat.to({of_filters}){other}",
            )
        if is_given:
            refuse_not_finite(feat)

    def _check_subgraphs(self, subgraphs: SubgraphTensors) -> None:
        """Refuse subgraphs that were not taken as the layer takes them."""
        size = subgraphs.nodes.shape[1]
        if size != self.settings.max_nodes:
            raise InputError(
                "max_nodes",
                f"must be that of the given subgraphs, {size}",
                got=self.settings.max_nodes,
            )
        channels, of_filters = subgraphs.num_channels, self.filters.num_channels
        if channels != of_filters:
            raise InputError(
                "the given subgraphs and the layer must agree on relations, "
                f"got {channels} and {of_filters} channels."
            )


def warn_out_of_reach(kernel: GOMKKernel, feat: Tensor, filter_feat: Tensor) -> None:
    """Say in the log that the features of no node are similar to those of a filter's node."""
    if not feat.numel():
        return
    width = kernel.bandwidth(feat.shape[1])[0]
    with torch.no_grad():
        # some of them say it of all
        rows = feat[:: -(-len(feat) // _ROWS_LOOKED_AT)].float()
        gaps = torch.cdist(rows, filter_feat.float().flatten(0, 1)).square() / width
        if not bool(gaps.min() > -math.log(LEAST_SIMILARITY)):
            return
        low, high, least, most = (
            value.item() for tensor in (feat, filter_feat) for value in tensor.aminmax()
        )
    log.warning(
        "no node is similar to a node of a filter, so that the layer has no gradient: its features "
        "go from %.3g to %.3g, those of the filters from %.3g to %.3g; scale the features to "
        "[0, 1], or give GOMKKernel a larger tau.",
        low, high, least, most,
    )  # fmt: skip


def refuse_not_finite(feat: Tensor) -> None:
    """Refuse features that are not finite; on the CPU alone, and not in code that is compiled.

    Elsewhere the answer would be waited for at each step.
    """
    if overflows(feat):
        check_finite("feat", to_numpy(feat))


def check_shape(feat: Tensor, num_nodes: int, width: int) -> None:
    """Refuse features of another shape than ``[V, D]``."""
    if feat.shape != (num_nodes, width):
        raise InputError(
            "feat", f"must have the shape [{num_nodes}, {width}]", got=list(feat.shape)
        )


def _rows_of_sources(block: Any, feat: Any) -> Any:
    """Features of all sources of a block, given as one tensor or as (sources, destinations)."""
    if not isinstance(feat, tuple):
        return feat
    sources, destinations = feat
    if len(destinations) != block.num_dst_nodes():
        raise InputError(
            f"feat of the destinations must have {block.num_dst_nodes()} rows, got "
            f"{len(destinations)}."
        )
    # destinations are the first of the sources
    return torch.cat([destinations, sources[len(destinations) :]])


if has_torch():
    # what a program of torch.export is called with has a name in its file
    for _kind in (SubgraphTensors, GraphBatch):
        torch.utils._pytree._register_namedtuple(
            _kind, serialized_type_name=f"gomkcn.{_kind.__name__}"
        )
