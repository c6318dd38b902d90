"""Graphs of DGL and PyG → the subgraphs that a layer sees, kept with their nodes.

Two things keep them, and a layer reads both by :func:`kept_subgraphs`:

* :class:`SubgraphTransform` extracts the subgraphs of all nodes once. What is kept is a row for
  each node: the nodes of its subgraph by their places in their own graph, and what joins them.
  Since the first of them is the node itself, a row says how far its graph has been moved: rows that
  are put one below the other, as batches of both libraries do, need no other increments, and
  nothing but tensors is read in a forward.
* :class:`gomkcn.SubgraphSampler` makes a batch of the subgraphs of some nodes. What is kept is a
  row for each node of these, which says what joins it to the others of its subgraph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_content import is_from
from gomkcn_dgl.graph_objects import pyg_edges
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.subgraphs import SubgraphBatch, SubgraphSettings, extract_subgraphs

# what a graph keeps for each node: int32 [V, N], and bool or float32 [V, N, N] or [V, N, N, C]
NODES, LINKS = "subgraph_nodes", "subgraph_links"
# what a batch of subgraphs keeps for each node beside LINKS, there [V, N] or [V, N, C]: whether it
# is the root of its subgraph, bool [V], and how many hops away it is, int32 [V]
ROOT, LEVEL = "subgraph_root", "subgraph_level"
# the number of a link has 8 bits, one for each channel
MOST_CHANNELS = 8


@dataclass(frozen=True)
class SubgraphTransform:
    """Extract the subgraphs of a graph's nodes once, so that a layer extracts none.

    It is a transform for graphs and data sets of DGL and PyTorch Geometric, such as
    ``pre_transform`` of the latter. The graph that it returns has two more attributes of its nodes:

    ===================  ======================================================================
    ``subgraph_nodes``   int32 ``[V, N]``, places in the node's own graph, the root first, -1 =
                         padding
    ``subgraph_links``   ``[V, N, N]``, for several channels ``[V, N, N, C]``: whether nodes are
                         joined, bool; or the weights of their edges, float32
    ===================  ======================================================================

    They are batched with the graph, and a layer that is given the batch scores these subgraphs, on
    the device where they are. Let it be the last of the transforms: what changes edges or nodes
    afterwards does not change the subgraphs.

    Parameters
    ----------
    settings : SubgraphSettings
        How subgraphs are taken; ``conv.transform()`` has those of a layer.
    relations : Relations, optional
        What edges are told apart, as in :class:`gomkcn.GOMKConv`.
    weight, relation : str, optional
        Attributes of the edges, as in :func:`gomkcn.as_csr`.

    Raises
    ------
    InputError
        For more than 8 channels: a relation with a direction has two, one without has one. When it
        is called: for a graph with several types of nodes, and what :func:`gomkcn.as_csr` refuses.
    InputTypeError
        When it is called with another kind of graph.

    Examples
    --------
    >>> import dgl, torch
    >>> from gomkcn import GOMKConv
    >>> conv = GOMKConv(in_feats=2, out_feats=5, filter_size=3, num_hops=1)
    >>> path = dgl.to_bidirected(dgl.graph(([0, 1], [1, 2])))
    >>> graph = conv.transform()(path)
    >>> graph.ndata["subgraph_nodes"].tolist()
    [[0, 1, -1], [1, 0, 2], [2, 1, -1]]
    >>> feat = torch.rand(6, 2)
    >>> torch.allclose(conv(dgl.batch([graph, graph]), feat), conv(dgl.batch([path, path]), feat))
    True
    """

    settings: SubgraphSettings
    relations: Relations | None = None
    weight: str | None = None
    relation: str | None = None

    def __post_init__(self) -> None:
        check_channels(self.relations)

    def __call__(self, graph: Any) -> Any:
        """Return the graph with its subgraphs; the one that is given stays as it is.

        Parameters
        ----------
        graph : DGLGraph, PyG Data or Batch
            A graph, or a batch of them.

        Returns
        -------
        DGLGraph, PyG Data or Batch
            A shallow copy with two more attributes, on the device of the graph.
        """
        is_dgl = check_graph("SubgraphTransform", graph)
        csr = read_for(self.relations or SIMPLE, graph, self.weight, self.relation)
        batch = extract_subgraphs(csr, self.settings)
        # places in the node's own graph
        begin = csr.graph_ptr[csr.graph_of(np.arange(csr.num_nodes))].astype(np.int32)
        nodes = np.where(batch.nodes < 0, -1, batch.nodes - begin[:, None])
        device = graph.device if is_dgl else pyg_edges(graph).edge_index.device
        kept = {
            NODES: torch.from_numpy(nodes).to(device),
            LINKS: torch.from_numpy(kept_links(batch)).to(device),
        }
        copy = graph.local_var() if is_dgl else graph.__copy__()
        table = copy.ndata if is_dgl else copy
        # of a batch that was sampled, all nodes are roots now
        for name in {ROOT, LEVEL} & set(table.keys()):
            del table[name]
        for name, rows in kept.items():
            table[name] = rows
        return copy

    def message_flow(self, graph: Any) -> Any:
        """Return a DGLGraph along whose edges the nodes of subgraphs send their features to roots.

        Message-flow blocks that DGL samples from it, with all neighbours and a block for each
        layer, hold what :class:`gomkcn.GOMKConv` needs, whatever the number of hops. Those of the
        graph itself lack nodes that are more than one hop away.

        Parameters
        ----------
        graph : DGLGraph
            A graph, or a batch.

        Returns
        -------
        DGLGraph
            Nodes and their data as the transform returns them, and an edge from each node of a
            subgraph to its root.

        Examples
        --------
        >>> import dgl, torch
        >>> from dgl.dataloading import DataLoader, NeighborSampler
        >>> from gomkcn import GOMKConv
        >>> graph = dgl.rand_graph(20, 60)
        >>> graph.ndata["feat"] = torch.rand(20, 2)
        >>> conv = GOMKConv(in_feats=2, out_feats=5, filter_size=4, num_hops=2)
        >>> flow = conv.transform().message_flow(graph)
        >>> loader = DataLoader(flow, torch.arange(8), NeighborSampler([-1]), batch_size=8)
        >>> for sources, roots, [block] in loader:
        ...     conv(block, block.srcdata["feat"]).shape
        torch.Size([8, 5])
        """
        if not is_from("dgl", "DGLGraph", graph):
            kind = type(graph).__name__
            raise InputTypeError(f"message_flow is made of a DGLGraph, got {kind}.")
        from gomkcn_dgl._dgl import dgl

        kept = self(graph)
        nodes = placed(kept.ndata[NODES])
        root, column = (nodes >= 0).nonzero(as_tuple=True)
        flow = dgl.graph((nodes[root, column].long(), root), num_nodes=len(nodes))
        flow.ndata.update(kept.ndata)
        return flow


def check_channels(relations: Relations | None) -> None:
    """Refuse relations with more channels than are kept with a graph."""
    num_channels = 1 if relations is None else len(relations.channels)
    if num_channels > MOST_CHANNELS:
        raise InputError(
            "relations",
            f"must have at most {MOST_CHANNELS} channels, where one with a direction has two",
            got=num_channels,
            way_out="give the layer conv.subgraphs(graph) in place of the graph",
        )


def check_graph(name: str, graph: Any) -> bool:
    """Whether a graph is one of DGL, and not of PyG; what cannot keep subgraphs is refused."""
    is_dgl = is_from("dgl", "DGLGraph", graph)
    if not is_dgl and not _is_pyg(graph):
        raise InputTypeError(
            name,
            "takes a DGLGraph or a PyG Data, with one type of nodes",
            got=type(graph).__name__,
            way_out="conv.subgraphs(graph) takes any other",
        )
    _refuse_parts(graph)
    if len(_node_types(graph)) > 1:
        raise InputError(
            name,
            "takes graphs with one type of nodes",
            got=len(graph.ntypes),
            way_out="give the layer conv.subgraphs(graph) in place of the graph",
        )
    return is_dgl


def kept_links(batch: SubgraphBatch) -> np.ndarray:
    """What joins the nodes of subgraphs, as a graph keeps it.

    Weights of edges, float32, or whether there is one, bool: ``[S, N, N]``, which is the memory of
    the batch, and for several channels ``[S, N, N, C]``.
    """
    if batch.weights is not None:
        return batch.adjacency()
    # of one relation without direction a link is 0 or 1
    is_simple = batch.relations.is_simple
    return batch.links.view(bool) if is_simple else batch.relations.links[batch.links]


def read_for(
    relations: Relations,
    graph: Any,
    weight: Any = None,
    relation: Any = None,
    feat: Tensor | None = None,
) -> CSRGraph:
    """Return a graph in terms of ``relations``.

    Features tell nodes of one structure apart: those that the graph keeps, so that it has the same
    subgraphs wherever they are taken, or else ``feat [V, D]``.
    """
    _refuse_parts(graph)
    if not hasattr(graph, "num_nodes"):
        graph = as_csr(graph)
    # a method of DGL's graphs
    num_nodes = graph.num_nodes() if callable(graph.num_nodes) else graph.num_nodes
    csr = as_csr(
        graph,
        features=np.ones(num_nodes),
        weight=weight,
        directed=False if relations.is_simple else None,
        relation=relation,
    ).with_relations(relations)
    kept = kept_features(graph)
    kept = feat if kept is None else kept
    # others are refused where the shape of feat is known
    if kept is not None and len(kept) == csr.num_nodes:
        csr = replace(csr, features=to_numpy(kept).reshape(len(kept), -1).astype(np.float32))
    if csr.num_graphs > 1 and len(_node_types(graph)) > 1:
        raise InputError(
            f"a batch of graphs with {len(_node_types(graph))} types of nodes must be given as "
            "as_csr(graph), the rows of feat graph by graph."
        )
    return csr


def kept_features(graph: Any) -> Any:
    """The features that a graph keeps, those that :func:`gomkcn.as_csr` reads; None without."""
    if isinstance(graph, CSRGraph):
        return None if graph.feature_names == (CONSTANT_FEATURE,) else graph.features
    is_alone = len(_node_types(graph)) < 2
    name = "x" if _is_pyg(graph) else "feat"
    table = _node_table(graph) if is_alone else {}
    # a table of DGL and a graph of PyG alike
    found = table[name] if name in table else None  # noqa: SIM401
    if not isinstance(found, torch.Tensor) or found.layout != torch.strided:
        return None
    return None if found.is_complex() else found


def _node_types(graph: Any) -> Any:
    return getattr(graph, "ntypes", getattr(graph, "node_types", ()))


def tensors_as_graph(feat: Tensor, edge_index: Any, batch: Any) -> Any:
    """What layers of PyG take, as a graph that :func:`gomkcn.as_csr` reads."""
    if isinstance(edge_index, torch.Tensor) and edge_index.dtype.is_floating_point:
        raise InputTypeError(
            "edge_index",
            "must be a tensor of int64",
            got=edge_index.dtype,
            way_out="give edge_index.long(), or weights of edges as edge_weight",
        )
    return SimpleNamespace(num_nodes=len(feat), edge_index=edge_index, batch=batch)


def is_block(graph: Any) -> bool:
    """Whether this is a message-flow block of DGL."""
    return is_from("dgl", "DGLGraph", graph) and bool(graph.is_block)


def _refuse_parts(graph: Any) -> None:
    """Refuse a block, and a batch of neighbours: what was left out of them is not known."""
    if is_block(graph):
        raise InputError(
            "a message-flow block lacks the edges among the neighbours of its nodes, which a "
            "subgraph has; sample subgraphs by conv.sampler(), or blocks of "
            "conv.transform().message_flow(graph)."
        )
    if _is_batch_of_neighbours(graph):
        raise InputError(
            "a batch of NeighborLoader lacks edges among its nodes, which a subgraph has; take "
            "batches of conv.sampler().node_loader(data) instead."
        )


def _is_batch_of_neighbours(graph: Any) -> bool:
    """Whether a loader of PyG sampled neighbours: it numbers the seeds and all nodes."""
    stores = getattr(graph, "node_stores", ())
    of_loader = all(any(name in store for store in stores) for name in ("n_id", "input_id"))
    # the batches of SubgraphSampler have all edges
    return of_loader and not any(ROOT in store for store in stores)


def kept_subgraphs(graph: Any, device: torch.device) -> SubgraphTensors | None:
    """Subgraphs that a transform or a sampler left in a graph; None where neither did.

    The graph may be a batch or a block.
    """
    table = _node_table(graph)
    if ROOT in table:
        return _side_by_side(graph_sizes(graph), table[ROOT], table[LINKS], device)
    if NODES not in table:
        return None
    # blocks of the graph of message_flow have what they need, batches of neighbours have not
    if not is_block(graph):
        _refuse_parts(graph)
    nodes, links = table[NODES].to(device), table[LINKS].to(device)
    return _as_tensors(_among_sources(graph, nodes) if is_block(graph) else placed(nodes), links)


def _node_table(graph: Any) -> Any:
    """Attributes of the nodes that may have subgraphs: all, or the destinations of a block."""
    if not is_from("dgl", "DGLGraph", graph):
        return graph if _is_pyg(graph) else {}
    block = is_block(graph)
    if len(graph.dsttypes if block else graph.ntypes) > 1:
        return {}
    return graph.dstdata if block else graph.ndata


def is_sampled(graph: Any) -> bool:
    """Whether this is a batch of subgraphs of :class:`gomkcn.SubgraphSampler`."""
    return not is_block(graph) and ROOT in _node_table(graph)


def num_rows(graph: Any) -> int:
    """Rows of the features of a graph that keeps subgraphs; those of a block are its sources'."""
    if is_block(graph):
        return int(graph.num_src_nodes())
    return int(graph.num_nodes if _is_pyg(graph) else graph.num_nodes())


def block_subgraphs(block: Any, device: torch.device) -> SubgraphTensors:
    """Subgraphs of a block's destinations, among its sources."""
    subgraphs = kept_subgraphs(block, device)
    if subgraphs is None:
        _refuse_parts(block)
    assert subgraphs is not None
    return subgraphs


def graph_sizes(graph: Any) -> Tensor:
    """Nodes of each graph that keeps subgraphs, int64 ``[G]``; a block is one graph."""
    if is_block(graph):
        return torch.tensor([graph.num_dst_nodes()])
    if not _is_pyg(graph):
        return graph.batch_num_nodes()
    ptr = getattr(graph, "ptr", None)
    return torch.tensor([graph.num_nodes]) if ptr is None else ptr.diff()


def _is_pyg(graph: Any) -> bool:
    """Whether this is a ``Data`` or a ``Batch`` of PyG, whose attributes are its keys."""
    return hasattr(graph, "edge_index") and hasattr(graph, "to_dict")


def placed(nodes: Tensor) -> Tensor:
    """Places in the nodes' own graphs, ``[V, N]`` → nodes of the batch."""
    row = torch.arange(len(nodes), device=nodes.device, dtype=nodes.dtype)
    if nodes.device.type == "cpu":
        # asking is cheap there: each graph begins anew with 0, and has the nodes of its subgraphs
        root = nodes[:, 0]
        follows = (root[1:] == root[:-1] + 1) | (root[1:] == 0)
        moved = nodes + (row - root)[:, None]
        if len(nodes) and not (root[0] == 0 and follows.all() and moved.max() < len(nodes)):
            raise InputError(
                f"{NODES!r} must be that of all nodes of a graph, in their order; nodes were "
                "changed after SubgraphTransform, which must come last."
            )
    return torch.where(nodes < 0, nodes, nodes + (row - nodes[:, 0])[:, None])


def _side_by_side(
    sizes: Tensor, is_root: Tensor, links: Tensor, device: torch.device
) -> SubgraphTensors:
    """Subgraphs of ``sizes [S]`` nodes, each with its root first, as a kernel takes them.

    ``links`` has a row for each node, ``[V, N]`` or ``[V, N, C]``. Without padding the kernel takes
    them as they lie in memory.
    """
    sizes, is_root, links = sizes.to(device), is_root.to(device), links.to(device)
    total, width = links.shape[:2]
    begin = sizes.cumsum(0) - sizes
    if device.type == "cpu":
        # asking is cheap there
        is_begin = torch.zeros(total, dtype=torch.bool)
        fits = bool((sizes > 0).all() and (sizes <= width).all()) and int(sizes.sum()) == total
        if fits:
            is_begin[begin] = True
        if not fits or not torch.equal(is_root, is_begin):
            raise InputError(
                "a batch of SubgraphSampler must keep its subgraphs as they were sampled, each "
                "with its root first; its nodes or the sizes of its graphs were changed."
            )
    # 1. the nodes of each subgraph, one after the other
    place = torch.arange(width, device=device)
    nodes = torch.where(place < sizes[:, None], begin[:, None] + place, -1).to(torch.int32)
    # 2. their links, with rows of padding behind
    if total < len(sizes) * width:
        padded = links.new_zeros(len(sizes) * width, *links.shape[1:])
        number = torch.arange(len(sizes), device=device)
        # with its length given, a GPU is not waited for
        owner = number.repeat_interleave(sizes, output_size=total)
        padded[owner * width + torch.arange(total, device=device) - begin[owner]] = links
        links = padded
    return _as_tensors(nodes, links.view(len(sizes), width, *links.shape[1:]))


def _among_sources(block: Any, nodes: Tensor) -> Tensor:
    """Places in the nodes' own graphs, of destinations ``[S, N]`` → source nodes of a block."""
    from gomkcn_dgl._dgl import dgl

    sources, order = block.srcdata[dgl.NID].to(nodes.device).sort()
    root = block.dstdata[dgl.NID].to(nodes.device)
    # a destination stands in the graph that was sampled as far from its place as its nodes do
    wanted = torch.where(nodes < 0, root[:, None], nodes + (root - nodes[:, 0])[:, None])
    found = torch.searchsorted(sources, wanted).clamp(max=len(sources) - 1)
    lack = (sources[found] != wanted).any(dim=1)
    # blocks are made on the host, so that this question is none too many
    if lack.any():
        raise InputError(
            "the sources of a block must have all nodes of the subgraphs of its destinations, and "
            f"{int(lack.sum())} of {len(nodes)} subgraphs lack some; sample all neighbours, as "
            "NeighborSampler([-1]) does, of conv.transform().message_flow(graph)."
        )
    return torch.where(nodes < 0, nodes, order[found].to(nodes.dtype))


def _as_tensors(nodes: Tensor, links: Tensor) -> SubgraphTensors:
    """Kept rows, of nodes of the batch, as a kernel takes them."""
    weights = links if links.is_floating_point() else None
    num_nodes = (nodes >= 0).sum(dim=1)
    if links.dtype == torch.bool and links.dim() == 3:
        # numbers of links, as they lie in memory
        channels = torch.arange(2, device=links.device).bool()[:, None]
        return SubgraphTensors(nodes, num_nodes, links.view(torch.uint8), channels)
    joined = (links if links.dim() == 4 else links.unsqueeze(3)) > 0  # [S, N, N, C]
    # a link is numbered by a bit for each channel, made here since a list would be copied over
    channel = torch.arange(joined.shape[3], device=links.device)
    number = torch.arange(2 ** joined.shape[3], device=links.device)
    channels = (number[:, None] >> channel) % 2 == 1
    codes = (joined.to(torch.uint8) << channel.to(torch.uint8)).sum(dim=3, dtype=torch.uint8)
    return SubgraphTensors(nodes, num_nodes, codes, channels, weights)
