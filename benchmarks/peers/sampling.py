"""Peers of the sampler: graph in, a function from a root to its subgraph out."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gomkcn_dgl import CSRGraph

Extract = Callable[[int], Any]
_WHOLE_BALL = "returns the whole ball, it has no cap"
NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Peer:
    """Something else that extracts subgraphs."""

    name: str  # the function, as its users know it
    distribution: str  # on PyPI
    module: str
    # takes a graph, the hops and the cap; returns what takes the subgraph of a root
    prepare: Callable[[CSRGraph, int, int], Extract]
    remark: str = ""  # what it does otherwise than we do

    def version(self) -> str | None:
        """Installed version, or None."""
        if importlib.util.find_spec(self.module) is None:
            return None
        return importlib.metadata.version(self.distribution)


def _dgl(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import torch

    from gomkcn_dgl._dgl import dgl

    empty = torch.empty(0, dtype=torch.int64)
    csr = (torch.from_numpy(graph.indptr), torch.from_numpy(graph.indices).long(), empty)
    whole = dgl.graph(("csr", csr), num_nodes=graph.num_nodes)
    return lambda root: dgl.khop_in_subgraph(whole, [root], num_hops)


def _pyg(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import torch
    from torch_geometric.utils import k_hop_subgraph

    source = torch.arange(graph.num_nodes).repeat_interleave(torch.from_numpy(graph.degrees))
    edge_index = torch.stack([source, torch.from_numpy(graph.indices).long()])
    return lambda root: k_hop_subgraph(
        root, num_hops, edge_index, relabel_nodes=True, num_nodes=graph.num_nodes
    )


def _igraph(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import igraph

    whole = igraph.Graph(graph.num_nodes, graph.adjacent_pairs())

    def extract(root: int) -> Any:
        # breadth-first order, so that the cap keeps the nearest nodes
        return whole.induced_subgraph(whole.neighborhood(root, num_hops)[:max_nodes])

    return extract


def _networkx(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import networkx as nx

    whole = nx.empty_graph(graph.num_nodes)
    whole.add_edges_from(graph.adjacent_pairs().tolist())
    return lambda root: nx.ego_graph(whole, root, radius=num_hops)


SAMPLING_PEERS = (
    Peer("DGL khop_in_subgraph", "dgl", "dgl", _dgl, _WHOLE_BALL),
    Peer("PyG k_hop_subgraph", "torch-geometric", "torch_geometric", _pyg, _WHOLE_BALL),
    Peer("igraph neighborhood + induced_subgraph", "igraph", "igraph", _igraph, "ball cut at cap"),
    Peer("networkx ego_graph", "networkx", "networkx", _networkx, _WHOLE_BALL),
)
