"""Peers of the sampler: graph in, a function from some roots to their subgraphs out.

Beside those of other libraries, our sampler as a user of DGL calls it, whose result is a graph of
DGL as theirs is.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gomkcn_dgl import CSRGraph, SubgraphSampler, SubgraphSettings

Extract = Callable[[list[int]], Any]
# roots of a batch, as loaders for training have them
BATCH = 1024
_WHOLE_BALL = "returns the whole ball, it has no cap"
NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Peer:
    """Something else that extracts subgraphs."""

    name: str  # the function, as its users know it
    distribution: str  # on PyPI
    module: str
    # takes a graph, the hops and the cap; returns what takes the subgraphs of some roots
    prepare: Callable[[CSRGraph, int, int], Extract]
    remark: str = ""  # what it does otherwise than we do
    at_once: int = 1  # roots of a call
    needs: tuple[str, ...] = ()  # modules, of which it needs one beside its own

    def version(self) -> str | None:
        """Installed version, or None."""
        if importlib.util.find_spec(self.module) is None or not self.has_needs():
            return None
        return importlib.metadata.version(self.distribution)

    def has_needs(self) -> bool:
        return not self.needs or any(map(importlib.util.find_spec, self.needs))

    def missing(self) -> str:
        """Why there is no version."""
        there = importlib.util.find_spec(self.module) is not None
        return f"without {' or '.join(self.needs)}" if there else NOT_INSTALLED


def _dgl_graph(graph: CSRGraph) -> Any:
    import torch

    from gomkcn_dgl._dgl import dgl

    empty = torch.empty(0, dtype=torch.int64)
    csr = (torch.from_numpy(graph.indptr), torch.from_numpy(graph.indices).long(), empty)
    return dgl.graph(("csr", csr), num_nodes=graph.num_nodes)


def _fan_out(num_hops: int, max_nodes: int) -> list[int]:
    """Neighbours a hop, as many as keep all nodes of a root within the cap."""
    number = 1
    while sum((number + 1) ** hop for hop in range(num_hops + 1)) <= max_nodes:
        number += 1
    return [number] * num_hops


def _ours(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import torch

    whole = _dgl_graph(graph)
    sampler = SubgraphSampler(SubgraphSettings(num_hops, max_nodes))
    return lambda roots: sampler.sample(whole, torch.tensor(roots))


def _shadow(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import torch

    from gomkcn_dgl._dgl import dgl

    whole = _dgl_graph(graph)
    sampler = dgl.dataloading.ShaDowKHopSampler(_fan_out(num_hops, max_nodes))
    return lambda roots: sampler.sample(whole, torch.tensor(roots))


def _neighbors(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import torch

    from gomkcn_dgl._dgl import dgl

    whole = _dgl_graph(graph)
    sampler = dgl.dataloading.NeighborSampler(_fan_out(num_hops, max_nodes))
    return lambda roots: sampler.sample(whole, torch.tensor(roots))


def _neighbor_loader(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import torch
    from torch_geometric.data import Data
    from torch_geometric.loader import NeighborLoader

    data = Data(edge_index=_edge_index(graph), num_nodes=graph.num_nodes)
    fan_out = _fan_out(num_hops, max_nodes)

    def extract(roots: list[int]) -> Any:
        nodes = torch.tensor(roots)
        return [*NeighborLoader(data, fan_out, nodes, batch_size=len(roots))]

    return extract


def _edge_index(graph: CSRGraph) -> Any:
    import torch

    source = torch.arange(graph.num_nodes).repeat_interleave(torch.from_numpy(graph.degrees))
    return torch.stack([source, torch.from_numpy(graph.indices).long()])


def _dgl(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    from gomkcn_dgl._dgl import dgl

    whole = _dgl_graph(graph)
    return lambda roots: dgl.khop_in_subgraph(whole, roots, num_hops)


def _pyg(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    from torch_geometric.utils import k_hop_subgraph

    edge_index = _edge_index(graph)
    return lambda roots: k_hop_subgraph(
        roots, num_hops, edge_index, relabel_nodes=True, num_nodes=graph.num_nodes
    )


def _igraph(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import igraph

    whole = igraph.Graph(graph.num_nodes, graph.adjacent_pairs())

    def extract(roots: list[int]) -> Any:
        (root,) = roots
        # breadth-first order, so that the cap keeps the nearest nodes
        return whole.induced_subgraph(whole.neighborhood(root, num_hops)[:max_nodes])

    return extract


def _networkx(graph: CSRGraph, num_hops: int, max_nodes: int) -> Extract:
    import networkx as nx

    whole = nx.empty_graph(graph.num_nodes)
    whole.add_edges_from(graph.adjacent_pairs().tolist())
    return lambda roots: nx.ego_graph(whole, *roots, radius=num_hops)


SAMPLING_PEERS = (
    Peer(
        f"ours, SubgraphSampler for DGL, {BATCH:,} roots a call",
        "dgl",
        "dgl",
        _ours,
        "one DGL graph of all subgraphs",
        BATCH,
    ),
    Peer("DGL khop_in_subgraph", "dgl", "dgl", _dgl, _WHOLE_BALL),
    Peer("DGL ShaDowKHopSampler", "dgl", "dgl", _shadow, "so many neighbours a hop as fit the cap"),
    Peer(
        f"DGL NeighborSampler, {BATCH:,} roots a call",
        "dgl",
        "dgl",
        _neighbors,
        "a block a hop for all roots together, not a subgraph each",
        BATCH,
    ),
    Peer(
        f"PyG NeighborLoader, {BATCH:,} roots a call",
        "torch-geometric",
        "torch_geometric",
        _neighbor_loader,
        "a graph of all roots together, not a subgraph each",
        BATCH,
        ("pyg_lib", "torch_sparse"),
    ),
    Peer("PyG k_hop_subgraph", "torch-geometric", "torch_geometric", _pyg, _WHOLE_BALL),
    Peer("igraph neighborhood + induced_subgraph", "igraph", "igraph", _igraph, "ball cut at cap"),
    Peer("networkx ego_graph", "networkx", "networkx", _networkx, _WHOLE_BALL),
)
