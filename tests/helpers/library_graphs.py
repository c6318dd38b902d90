"""Small graphs of DGL and PyG with a relation, a weight and features, and a layer for them."""

import numpy as np
import torch
from random_graphs import draw
from torch_geometric.data import Data

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.relations import relations_of

SIZES = [12, 1, 20, 7]
# one relation without direction; two channels; a relation of each kind
KINDS = [{"edge": False}, {"edge": True}, {"0": True, "1": False}]


def graphs_of(kinds):
    """Graphs of DGL with a relation, a weight and features, most balls of which are truncated."""
    found = []
    for seed, size in enumerate(SIZES):
        source, target, relation = draw(kinds, seed, size, 3 * size)[0].edges()
        back = ~np.array(list(kinds.values()))[relation]
        ends = np.append(source, target[back]), np.append(target, source[back])
        graph = dgl.graph(ends, num_nodes=size)
        rng = torch.Generator().manual_seed(seed)
        graph.ndata["feat"] = torch.rand(size, 3, generator=rng)
        graph.edata["kind"] = torch.from_numpy(np.append(relation, relation[back]))
        weight = torch.rand(len(relation), generator=rng)
        graph.edata["w"] = torch.cat([weight, weight[torch.from_numpy(back)]])
        found.append(graph)
    return found


def to_pyg(graph):
    return Data(
        x=graph.ndata["feat"],
        edge_index=torch.stack(graph.edges()),
        kind=graph.edata["kind"],
        w=graph.edata["w"],
    )


def convolution(kinds, **options):
    torch.manual_seed(0)
    relations = None if kinds == KINDS[0] else relations_of(list(kinds), list(kinds.values()))
    sizes = {"in_feats": 3, "out_feats": 4, "filter_size": 5, "num_hops": 2}
    return GOMKConv(**{**sizes, **options}, relations=relations)
