"""GOMKConv as a DGL layer: beside gomk, batches, training, directions and edge types."""

import warnings

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
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.matching import GOMKKernel, gomk
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch_geometric.data as pyg


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
    "options",
    [
        {},
        {"max_nodes": 3, "policy": "bfs", "seed": 3},
        {"max_nodes": 3, "policy": "dense"},
        {"padding": "mask", "matching": "greedy"},
        {"anchor_root": True, "aggregation": "mean", "tau": (1, 2, 3), "level_scale": 2.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_the_layer_is_gomk_of_the_extracted_subgraphs(tree, options, weight):
    # most balls of 2 hops are truncated
    conv = layer(num_hops=2, **options)
    csr = as_csr(tree, weight=weight)
    scores = conv(tree if weight is None else csr, tree.ndata["feat"])
    batch = extract_subgraphs(
        csr,
        SubgraphSettings(
            num_hops=2,
            max_nodes=options.get("max_nodes", 4),
            policy=options.get("policy", "bfs"),
            seed=options.get("seed", 0),
        ),
    )
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


@pytest.mark.parametrize("pooling", [None, "mean"])
@pytest.mark.parametrize("kinds", [{"edge": False}, {"edge": True}, {"0": True, "1": False}])
def test_tensors_as_in_pyg_give_the_scores_and_gradients_of_a_dgl_graph(kinds, pooling):
    rng = np.random.default_rng(0)
    sizes = [12, 1, 9]
    parts = [draw(kinds, k, size, 3 * size)[0] for k, size in enumerate(sizes)]
    source, target, relation = as_csr(parts).edges()
    # both ways, where an edge has no direction
    back = ~np.array(list(kinds.values()))[relation]
    ends = np.array([np.append(source, target[back]), np.append(target, source[back])])
    edge_index = torch.from_numpy(ends)
    edge_type = torch.from_numpy(np.append(relation, relation[back]))
    batch = torch.arange(3).repeat_interleave(torch.tensor(sizes))
    graph = dgl.graph((edge_index[0], edge_index[1]), num_nodes=22)
    graph.edata["kind"] = edge_type
    graph.set_batch_num_nodes(torch.tensor(sizes))
    graph.set_batch_num_edges(torch.bincount(batch[edge_index[0]], minlength=3))
    data = pyg.Data(edge_index=edge_index, edge_type=edge_type, batch=batch, num_nodes=22)
    if len(kinds) == 1:
        edge_type = None
    named = None if edge_type is None else "kind"
    feat = torch.from_numpy(rng.random((22, 3), np.float32)).requires_grad_()
    relations = relations_of(list(kinds), list(kinds.values()))
    torch.manual_seed(0)
    options = {"num_hops": 2, "relations": relations, "policy": "bfs"}
    model = GOMKCN(3, 2, filter_size=4, num_layers=2, pooling=pooling, **options)
    model.eval()
    conv = GOMKConv(3, 4, 4, **options)
    for module in (conv, model):
        called = [
            (as_csr(graph, relation=named, directed=None), feat),
            (feat, edge_index, edge_type, batch),
        ]
        if named is None:
            called += [(graph, feat), (data, feat)]
        results = []
        for arguments in called:
            scores = module(*arguments)
            wanted = [feat, *module.parameters()]
            gradients = torch.autograd.grad(scores.square().sum(), wanted, allow_unused=True)
            results.append([scores, *gradients])
        assert len(results[0][0]) == (3 if module is model and pooling else 22)
        for other in results[1:]:
            for one, same in zip(results[0], other, strict=True):
                assert (one is None and same is None) or torch.equal(one, same)
    # which nodes of a ball stay depends on where a graph begins
    assert not torch.equal(
        conv(feat, edge_index, edge_type, batch), conv(feat, edge_index, edge_type)
    )


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kinds", [{"edge": False}, {"a": True, "b": False}])
def test_the_layer_maps_a_collection_as_it_maps_its_graphs(policy, kinds):
    rng = np.random.default_rng(0)
    graphs = [draw(kinds, k, 25, 60, features=rng.random((25, 3)))[0] for k in range(3)]
    graphs.append(draw(kinds, 4, 31, 30, features=rng.random((31, 3)))[0])
    torch.manual_seed(0)
    relations = relations_of(list(kinds), list(kinds.values()))
    conv = GOMKConv(3, 4, 4, num_hops=2, max_nodes=5, policy=policy, relations=relations)
    with torch.no_grad():
        alone = [conv(graph, torch.from_numpy(graph.features)) for graph in graphs]
        order = [2, 0, 3, 1]
        whole = as_csr([graphs[k] for k in order])
        batched = conv(whole, torch.from_numpy(whole.features))
    torch.testing.assert_close(batched, torch.cat([alone[k] for k in order]), atol=1e-6, rtol=0)


# ---------------------------------------------------------------- directions and edge types

ARCS = [0, 0, 1, 2, 3, 4], [1, 2, 2, 3, 4, 2]


def conv_of(graph):
    torch.manual_seed(0)
    return GOMKConv(2, 3, 3, 2, kernel=GOMKKernel(num_levels=2), relations=as_csr(graph).relations)


def kinds_of(graph):
    """The graph with its edge types."""
    return as_csr(graph, relation="kind")


def test_directions_count_where_the_layer_has_relations():
    graph = dgl.graph(ARCS)
    feat = torch.rand(5, 2)
    directed = conv_of(graph)
    assert directed.filters.directed == (True,)
    assert not torch.allclose(directed(graph, feat), directed(dgl.reverse(graph), feat))
    torch.manual_seed(0)
    mirrored = GOMKConv(2, 3, 3, 2, kernel=GOMKKernel(num_levels=2))
    both = dgl.to_bidirected(graph)
    torch.testing.assert_close(mirrored(graph, feat), mirrored(both, feat))


def test_heterographs_are_graphs_with_edge_types():
    data = {
        ("gene", "activates", "gene"): ([0, 1], [1, 2]),
        ("gene", "binds", "site"): ([0, 2], [0, 1]),
    }
    hetero = dgl.heterograph(data, num_nodes_dict={"gene": 3, "site": 2})
    conv = conv_of(hetero)
    assert conv.relations.names == ("activates", "binds")
    feat = torch.rand(5, 2)
    out = conv(hetero, feat)
    assert out.shape == (5, 3)
    # the same graph with its types in edata
    plain = dgl.graph(([0, 1, 0, 2], [1, 2, 3, 4]))
    plain.edata["kind"] = torch.tensor([0, 0, 1, 1])
    typed = conv_of(kinds_of(plain))
    typed.load_state_dict(conv.state_dict())
    torch.testing.assert_close(out, typed(kinds_of(plain), feat))


def test_types_change_the_scores_and_filters_learn_them():
    graph = dgl.graph(([0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]))
    graph.edata["kind"] = torch.tensor([0, 0, 1, 1, 1, 1])
    conv = conv_of(kinds_of(graph))
    assert conv.filters.directed == (False, False)
    feat = torch.ones(3, 2)
    before = conv(kinds_of(graph), feat)
    other = graph.clone()
    other.edata["kind"] = torch.tensor([1, 1, 1, 1, 0, 0])
    # another edge of the triangle is of the first type: the same subgraph
    torch.testing.assert_close(conv(kinds_of(other), feat), before)
    other.edata["kind"] = torch.tensor([0, 0, 0, 0, 1, 1])
    assert not torch.allclose(conv(kinds_of(other), feat), before)
    before.sum().backward()
    assert (conv.filters.free_adj.grad != 0).any()


def test_a_relation_that_the_layer_does_not_know_is_refused():
    graph = dgl.graph(ARCS)
    graph.edata["kind"] = torch.tensor([0, 0, 1, 1, 1, 2])
    conv = GOMKConv(2, 3, 3, 2, relations=relations_of(["0", "1"], [True, True]))
    with pytest.raises(InputError, match="relations must include '2'"):
        conv(kinds_of(graph), torch.rand(5, 2))
    with pytest.raises(TypeError, match="relations must be those of a graph"):
        GOMKConv(2, 3, 3, 2, relations=["a"])
