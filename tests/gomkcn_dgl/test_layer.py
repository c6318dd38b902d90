"""GOMKConv as a DGL layer: beside gomk, batches, training, directions and edge types."""

import networkx as nx
import numpy as np
import pytest
import torch
from random_graphs import draw
from tiny_graphs import with_kernel
from tolerances import VALUES

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.matching import gomk
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs


def to_dgl(graph, width=2, seed=0):
    """Give a graph random features ``feat`` and symmetric edge weights ``w``."""
    graph = nx.convert_node_labels_to_integers(graph)
    converted = dgl.from_networkx(graph)
    generator = torch.Generator().manual_seed(seed)
    converted.ndata["feat"] = torch.rand(len(graph), width, generator=generator)
    source, target = converted.edges()
    converted.edata["w"] = 1.0 + (source + target) % 3
    return converted


@pytest.fixture
def tree():
    return to_dgl(nx.balanced_tree(2, 3))


def layer(**change):
    torch.manual_seed(0)
    sizes = {"in_feats": 2, "num_filters": 3, "filter_size": 4, "num_hops": 1, "num_levels": 2}
    return GOMKConv(**with_kernel({**sizes, **change}))


@pytest.mark.parametrize(
    ("sampling", "kernel"),
    [
        ({}, {}),
        ({"max_nodes": 3, "policy": "bfs", "seed": 3}, {}),
        ({"max_nodes": 3, "policy": "dense"}, {}),
        ({}, {"padding": "mask", "matching": "greedy"}),
        ({}, {"anchor_root": True, "aggregation": "mean", "tau": (1, 2, 3), "level_scale": 2.0}),
    ],
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_the_layer_is_gomk_of_the_extracted_subgraphs(tree, sampling, kernel, weight):
    # most balls of 2 hops are truncated
    conv = layer(num_hops=2, **sampling, **kernel)
    csr = as_csr(tree, weight=weight)
    scores = conv(tree if weight is None else csr, tree.ndata["feat"])
    batch = extract_subgraphs(csr, SubgraphSettings(2, **{"max_nodes": 4, **sampling}))
    expected = gomk(
        torch.from_numpy(batch.adjacency()),
        torch.from_numpy(batch.gather(csr.features)),
        conv.filters.adj(),
        conv.filters.feat(),
        num_nodes=torch.from_numpy(batch.num_nodes),
        normalize=True,
        kernel=conv.kernel,
    )
    torch.testing.assert_close(scores, expected, **VALUES[torch.float32])


def test_given_subgraphs_are_used_and_not_extracted_again(tree):
    # two hops instead of the layer's one
    given = layer(num_hops=2).subgraphs(tree)
    expected = layer(num_hops=2)(tree, tree.ndata["feat"])
    scores = layer(num_hops=1)(given, tree.ndata["feat"])
    assert torch.equal(scores, expected)
    assert not torch.equal(scores, layer(num_hops=1)(tree, tree.ndata["feat"]))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_nodes": 5}, "max_nodes must be that of the given subgraphs, 5, got 4"),
        ({"relations": relations_of(["edge"], [True])}, "agree on relations, got 2 and 1 channels"),
    ],
)
def test_subgraphs_of_another_layer_are_refused(tree, options, words):
    with pytest.raises(InputError, match=words):
        layer()(layer(**options).subgraphs(tree), tree.ndata["feat"])


def test_features_that_do_not_fit_are_refused(tree):
    ones = torch.ones
    for feat in (ones(15, 3), ones(14, 2), ones(15), ones(15, 2).numpy(), None):
        with pytest.raises(GomkcnError, match=r"feat must (have the shape \[15, 2\]|be a tensor)"):
            layer()(tree, feat)


@pytest.mark.parametrize("kinds", [{"edge": False}, {"edge": True}, {"0": True, "1": False}])
def test_tensors_as_in_pyg_give_the_scores_and_gradients_of_a_collection(kinds):
    sizes = [12, 1, 9]
    csr = as_csr([draw(kinds, k, size, 3 * size)[0] for k, size in enumerate(sizes)])
    source, target, relation = csr.edges()
    # both ways, where an edge has no direction
    back = ~np.array(list(kinds.values()))[relation]
    ends = np.array([np.append(source, target[back]), np.append(target, source[back])])
    edge_index = torch.from_numpy(ends)
    edge_type = torch.from_numpy(np.append(relation, relation[back])) if len(kinds) > 1 else None
    batch = torch.arange(3).repeat_interleave(torch.tensor(sizes))
    torch.manual_seed(0)
    feat = torch.rand(22, 3, requires_grad=True)
    options = {"num_hops": 2, "relations": csr.relations, "policy": "bfs"}
    model = GOMKCN(3, 2, filter_size=4, num_layers=2, pooling="mean", **options).eval()
    conv = GOMKConv(3, 4, 4, **options)
    for module, num_rows in ((conv, 22), (model, 3)):
        results = []
        for arguments in ((csr, feat), (feat, edge_index, edge_type, batch)):
            scores = module(*arguments)
            wanted = [feat, *module.parameters()]
            gradients = torch.autograd.grad(scores.square().sum(), wanted, allow_unused=True)
            results.append([scores, *gradients])
        assert len(scores) == num_rows
        for one, same in zip(*results, strict=True):
            assert (one is None and same is None) or torch.equal(one, same)
    with pytest.raises(InputError, match="^edge_type is for a layer that has relations"):
        GOMKConv(3, 4, 4, 2)(feat, edge_index, torch.zeros(len(ends[0]), dtype=torch.int64))
    # which nodes of a ball stay depends on where a graph begins
    given = feat, edge_index, edge_type
    assert not torch.equal(conv(*given, batch), conv(*given))


# ---------------------------------------------------------------- directions and edge types


def test_directions_count_where_the_layer_has_relations():
    graph = dgl.graph(([0, 0, 1, 2, 3, 4], [1, 2, 2, 3, 4, 2]))
    feat = torch.rand(5, 2)
    directed = layer(relations=as_csr(graph).relations)
    assert directed.filters.directed == (True,)
    assert not torch.allclose(directed(graph, feat), directed(dgl.reverse(graph), feat))
    both = dgl.to_bidirected(graph)
    torch.testing.assert_close(layer()(graph, feat), layer()(both, feat))


def test_relations_are_those_of_a_graph():
    with pytest.raises(TypeError, match="relations must be those of a graph"):
        layer(relations=["a"])
