"""Weights of edges that get a gradient: beside the definition, and by finite differences."""

import numpy as np
import pytest
import torch
from random_graphs import KINDS as NAMED
from random_graphs import draw
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernel_settings import AGGREGATIONS
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.matching import GOMKKernel, gomk
from gomkcn_dgl.model import GOMKCN

# types of edges are numbers in PyG
KINDS = [{str(k): way for k, way in enumerate(kinds.values())} for kinds in NAMED]


def drawn(kinds, seed=0, num_nodes=12, num_edges=30):
    """Edges of a random graph as tensors, their types, and features; subgraphs are truncated."""
    csr, *_ = draw(kinds, seed, num_nodes, num_edges)
    source, target, relation = csr.edges()
    # both ways, where an edge has no direction
    back = ~np.array(list(kinds.values()))[relation]
    ends = np.array([np.append(source, target[back]), np.append(target, source[back])])
    edge_type = torch.from_numpy(np.append(relation, relation[back])) if len(kinds) > 1 else None
    generator = torch.Generator().manual_seed(seed)
    feat = torch.rand(num_nodes, 2, generator=generator)
    weight = 0.5 + torch.rand(len(ends[0]), generator=generator)
    return csr, torch.from_numpy(ends), edge_type, feat, weight


def layer(csr, **options):
    torch.manual_seed(0)
    relations = None if csr.relations.is_simple else csr.relations
    return GOMKConv(2, 3, 4, 2, relations=relations, **options)


def defined_scores(conv, csr, ends, edge_type, feat, weight):
    """Scores of the layer, from a matrix of each channel of the whole graph."""
    num_nodes, relations = len(feat), csr.relations
    channels = relations.channels
    value = torch.zeros(num_nodes, num_nodes)
    # the weight that leads from one node to another is the largest one, also of those back where
    # an edge has no direction
    for edge, (u, v) in enumerate(ends.T.tolist()):
        kind = 0 if edge_type is None else int(edge_type[edge])
        ways = [(u, v)] if relations.directed[kind] else [(u, v), (v, u)]
        for u, v in ways:
            if weight[edge] > value[u, v]:
                value = value.index_put((torch.tensor(u), torch.tensor(v)), weight[edge])
    matrices = []
    for number, side in channels:
        is_joined = torch.zeros(num_nodes, num_nodes)
        for edge, (u, v) in enumerate(ends.T.tolist()):
            if number == (0 if edge_type is None else int(edge_type[edge])):
                if side in ("out", "both"):
                    is_joined[u, v] = 1
                if side in ("in", "both"):
                    is_joined[v, u] = 1
        matrices.append(is_joined * (value.T if side == "in" else value))
    whole = torch.stack(matrices, dim=2)
    nodes = conv.subgraphs(csr, feat=feat).nodes.long()
    taken = whole[nodes[:, :, None], nodes[:, None, :]]
    is_node = nodes >= 0
    taken = taken * (is_node[:, :, None] & is_node[:, None, :])[..., None]
    return gomk(
        taken.squeeze(3) if relations.is_simple else taken,
        feat[nodes.clamp(min=0)] * is_node[..., None],
        conv.filters.adj(),
        conv.filters.feat(),
        num_nodes=is_node.sum(1),
        kernel=conv.kernel,
        normalize=True,
        backend="reference",
    )


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("kinds", KINDS)
def test_scores_and_gradients_are_those_of_the_definition(kinds, aggregation):
    csr, ends, edge_type, feat, weight = drawn(kinds)
    conv = layer(csr, kernel=GOMKKernel(2, aggregation=aggregation, level_scale=2.0))
    factors = torch.linspace(-1, 2, len(feat) * 3).reshape(-1, 3)
    results = []
    for scores_of in (
        lambda given: defined_scores(conv, csr, ends, edge_type, feat, given),
        lambda given: conv(feat, ends, edge_weight=given, edge_type=edge_type),
    ):
        given = weight.clone().requires_grad_()
        scores = scores_of(given)
        [gradient] = torch.autograd.grad((scores * factors).sum(), given)
        results.append((scores, gradient))
    (expected, of_definition), (scores, gradient) = results
    torch.testing.assert_close(scores, expected, **VALUES[torch.float32])
    torch.testing.assert_close(gradient, of_definition, **GRADIENTS[torch.float32])
    assert (gradient != 0).sum() > len(gradient) / 4
    # and the same scores where no gradient is asked for
    plain = conv(feat, ends, edge_weight=weight, edge_type=edge_type)
    torch.testing.assert_close(scores, plain, **VALUES[torch.float32])


@pytest.mark.parametrize("kinds", KINDS)
def test_scores_of_weights_of_1_are_those_without_weights(kinds):
    csr, ends, edge_type, feat, weight = drawn(kinds, seed=1, num_edges=50)
    for module in (
        layer(csr),
        GOMKCN(2, 3, filter_size=4, num_layers=2, pooling="mean", relations=csr.relations).eval(),
    ):
        without = module(feat, ends, edge_type=edge_type)
        for ones in (torch.ones_like(weight), torch.ones_like(weight).requires_grad_()):
            scores = module(feat, ends, edge_weight=ones, edge_type=edge_type)
            torch.testing.assert_close(scores, without, **VALUES[torch.float32])


def test_weights_hardly_change_the_nodes_of_subgraphs():
    csr, ends, _, feat, weight = drawn({"edge": False}, num_nodes=60, num_edges=200)
    source, target = ends
    graph = dgl.graph((source, target), num_nodes=60)
    conv = layer(csr, max_nodes=5)
    nodes = conv.subgraphs(graph, feat=feat).nodes
    graph.edata["w"] = weight
    weighed = as_csr(graph, weight="w", directed=False)
    assert torch.equal(conv.subgraphs(weighed, feat=feat).nodes, nodes)
    # leaves of a star, which structure leaves alike, stay in the order of their features
    hub, leaves = torch.zeros(20).long(), torch.arange(1, 21)
    star, values = torch.stack([hub, leaves]), torch.rand(21, 2)
    plain = conv.subgraphs((star, 21), feat=values).nodes
    given = dgl.graph((hub, leaves), num_nodes=21)
    given.edata["w"] = 1 + torch.rand(20)
    heavy = as_csr(given, weight="w", directed=False)
    assert torch.equal(conv.subgraphs(heavy, feat=values).nodes, plain)


@pytest.mark.parametrize("kinds", [{"edge": False}, {"edge": True}, {"0": True, "1": False}])
def test_gradients_are_finite_differences(kinds):
    csr, ends, edge_type, feat, weight = drawn(kinds, seed=2, num_nodes=7, num_edges=12)
    conv = layer(csr).double()
    feat, weight = feat.double(), weight.double().requires_grad_()
    torch.autograd.gradcheck(
        lambda given: conv(feat, ends, edge_weight=given, edge_type=edge_type), weight
    )


def test_an_edge_of_weight_0_is_none_and_has_no_gradient():
    csr, ends, _, feat, weight = drawn({"edge": True})
    weight[::3] = 0
    conv = layer(csr)
    given = weight.clone().requires_grad_()
    scores = conv(feat, ends, edge_weight=given)
    scores.square().sum().backward()
    assert (given.grad[::3] == 0).all() and (given.grad != 0).any()
    kept = weight > 0
    without = conv(feat, ends[:, kept], edge_weight=weight[kept])
    torch.testing.assert_close(scores, without, **VALUES[torch.float32])


def test_of_two_weights_of_an_edge_the_larger_has_the_gradient():
    ends = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    feat, conv = torch.rand(3, 2), layer(as_csr((ends, 3)))
    weight = torch.tensor([0.5, 2.0, 1.0, 1.0], requires_grad=True)
    conv(feat, ends, weight).square().sum().backward()
    first, larger, one, other = weight.grad.tolist()
    assert first == 0 and larger != 0
    # of two that are equal, each has the gradient of its way
    assert one != 0 and other != 0
    single = torch.tensor([2.0, 1.0], requires_grad=True)
    conv(feat, ends[:, 1:3], single).square().sum().backward()
    torch.testing.assert_close(single.grad, torch.tensor([larger, one + other]))


def test_graphs_of_dgl_and_pyg_have_the_same_gradients():
    from torch_geometric.data import Data

    _, ends, _, feat, weight = drawn({"edge": False})
    model = GOMKCN(2, 3, filter_size=4, pooling="mean").eval()
    gradients = []
    for arguments in (
        (feat, ends),
        (dgl.graph(tuple(ends), num_nodes=len(feat)), feat),
        (Data(edge_index=ends, num_nodes=len(feat)), feat),
    ):
        given = weight.clone().requires_grad_()
        model(*arguments, edge_weight=given[:, None]).square().sum().backward()
        gradients.append(given.grad)
    assert (gradients[0] != 0).any()
    assert torch.equal(gradients[0], gradients[1]) and torch.equal(gradients[0], gradients[2])
