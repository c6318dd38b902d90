"""Step 2 for DGL: attach the subgraphs to a DGLGraph, so that batches carry them along.

Node ids change when DGL batches graphs, so a subgraph's nodes are stored as offsets from its root,
which do not. Everything is a node feature, one row a root, that ``dgl.batch`` concatenates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.relations import SIMPLE, Relations
from gomkcn_dgl.subgraphs import SubgraphBatch, check_extraction, extract_subgraphs

OFFSETS = "subgraph_offsets"  # int32 [V, views, N]
COUNTS = "subgraph_num_nodes"  # int32 [V, views], negative where truncated
BITS = "subgraph_bits"  # int64 [V, views, N, words]
WEIGHTS = "subgraph_weights"  # float32 [V, views, N, N]
CHANNELS = "subgraph_channels"  # int64 [V, views, N, N], bit c: joined in channel c
# bits of an int64 beside its sign
_MOST_CHANNELS = 63
PADDING = torch.iinfo(torch.int32).min


class AttachSubgraphs(dgl.transforms.BaseTransform):
    """Attach the subgraph around every node as node features; ``GOMKConv`` then reads them.

    Parameters
    ----------
    num_hops, max_nodes, policy, num_views, seed
        As in :func:`gomkcn.extract_subgraphs`.
    edge_weight : str, optional
        Name of the edge weights in ``edata``.
    relations : Relations, optional
        Those of the layer, up to 63 channels; None: edges have no direction and no type.
    edge_type : str, optional
        Name of the edge types in ``edata``.

    Notes
    -----
    The attached subgraphs describe the graph at that moment: apply the transform again after the
    graph's edges change. Cutting a part out of the graph (``dgl.node_subgraph``) invalidates them.

    Examples
    --------
    >>> import dgl
    >>> path = dgl.to_bidirected(dgl.graph(([0, 1], [1, 2])))
    >>> batch = dgl.batch([AttachSubgraphs(num_hops=1, max_nodes=3)(path)] * 2)
    >>> attached_subgraphs(batch).nodes.tolist()[3:]
    [[3, 4, -1], [4, 3, 5], [5, 4, -1]]
    """

    def __init__(
        self,
        num_hops: int,
        max_nodes: int,
        *,
        policy: str = "bfs",
        num_views: int = 1,
        seed: int = 0,
        edge_weight: str | None = None,
        relations: Relations | None = None,
        edge_type: str | None = None,
    ) -> None:
        check_extraction(num_hops, max_nodes, policy, num_views, seed)
        self.relations = SIMPLE if relations is None else relations
        if len(self.relations.channels) > _MOST_CHANNELS:
            raise InputError(
                f"relations must have at most {_MOST_CHANNELS} channels to be attached, "
                f"got {len(self.relations.channels)}; let the layer extract the subgraphs."
            )
        self.edge_type = edge_type
        self.num_hops, self.max_nodes, self.policy = num_hops, max_nodes, policy
        self.num_views, self.seed = num_views, seed
        self.edge_weight = edge_weight

    def __call__(self, graph: Any) -> Any:
        """Return a shallow copy of ``graph`` with the subgraphs in its ``ndata``."""
        csr = as_csr(
            graph,
            features=np.ones(graph.num_nodes()),
            edge_weight=self.edge_weight,
            edge_type=self.edge_type,
            directed=False if self.relations.is_simple else None,
        ).with_relations(self.relations)
        batch = extract_subgraphs(
            csr,
            self.num_hops,
            self.max_nodes,
            policy=self.policy,
            num_views=self.num_views,
            seed=self.seed,
        )
        shape = (csr.num_nodes, self.num_views)
        nodes = torch.from_numpy(batch.nodes)
        # offsets from the root stay valid when dgl.batch renumbers the nodes
        offsets = torch.where(nodes < 0, PADDING, nodes - nodes[:, :1])
        # the sign stores whether a subgraph is truncated, so that it needs no column of its own
        counts = np.where(batch.truncated, -batch.num_nodes, batch.num_nodes)
        graph = graph.local_var()
        graph.ndata[OFFSETS] = offsets.reshape(*shape, -1)
        graph.ndata[COUNTS] = torch.from_numpy(counts).reshape(shape)
        graph.ndata[BITS] = _reshape(batch.bits.view(np.int64), shape)
        channels = None
        if batch.links is not None:
            # a number for each link that does not depend on which links a graph has
            bits = batch.relations.links @ (1 << np.arange(batch.relations.links.shape[1]))
            channels = bits[batch.links]
        for name, values in ((WEIGHTS, batch.weights), (CHANNELS, channels)):
            if values is not None:
                graph.ndata[name] = _reshape(values, shape)
            elif name in graph.ndata:
                # left by an earlier transform
                del graph.ndata[name]
        return graph


def _reshape(array: np.ndarray, shape: tuple[int, int]) -> torch.Tensor:
    return torch.from_numpy(array.reshape(*shape, *array.shape[1:]))


def attached_subgraphs(graph: Any, relations: Relations = SIMPLE) -> SubgraphBatch | None:
    """Return the subgraphs that :class:`AttachSubgraphs` put on a graph or batch, or None.

    ``relations`` are those that the transform was given.

    Raises
    ------
    InputError
        If a subgraph reaches outside the graph: its nodes changed after the transform.
    """
    if OFFSETS not in graph.ndata:
        return None
    offsets = graph.ndata[OFFSETS].cpu()
    # from offsets back to nodes of this graph or batch
    root = torch.arange(graph.num_nodes(), dtype=torch.int32)[:, None, None]
    nodes = torch.where(offsets == PADDING, -1, offsets + root)
    if bool((nodes < -1).any()) or bool((nodes >= graph.num_nodes()).any()):
        raise InputError(
            "the subgraphs attached to this graph name nodes that it does not have; apply "
            "AttachSubgraphs again after changing a graph's nodes."
        )
    counts = graph.ndata[COUNTS].cpu().reshape(-1).numpy()
    weights = graph.ndata.get(WEIGHTS)
    links = None
    if CHANNELS in graph.ndata:
        # the links that occur here, and which of them joins each pair of nodes; 0 is none of them
        bits = graph.ndata[CHANNELS].cpu().flatten(0, 1).numpy()
        occurring, links = np.unique(np.append(bits, 0), return_inverse=True)
        links = links[:-1].reshape(bits.shape)
        table = (occurring[:, None] >> np.arange(len(relations.channels))) & 1
        relations = Relations(relations.names, relations.directed, table.astype(bool))
    return SubgraphBatch(
        nodes=nodes.flatten(0, 1).numpy(),
        num_nodes=np.abs(counts),
        truncated=counts < 0,
        bits=graph.ndata[BITS].cpu().flatten(0, 1).numpy().view(np.uint64),
        weights=None if weights is None else weights.cpu().flatten(0, 1).numpy(),
        num_views=offsets.shape[1],
        links=links,
        relations=relations,
    )
