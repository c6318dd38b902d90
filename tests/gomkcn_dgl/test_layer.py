"""GOMKConv as a DGL layer: shapes, batches, weights, training, state, refusals."""

import networkx as nx
import pytest
import torch
from tiny_graphs import with_kernel
from tolerances import VALUES

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.matching import GOMKKernel, gomk
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
    csr = as_csr(tree, edge_weight=weight)
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
    given = layer(**options).subgraphs(tree)
    with pytest.raises(InputError, match=words):
        layer()(given, tree.ndata["feat"])


@pytest.mark.parametrize(
    "feat",
    [torch.ones(15, 3), torch.ones(14, 2), torch.ones(15), torch.ones(15, 2).numpy(), None],
    ids=["wide", "short", "flat", "numpy", "none"],
)
def test_features_that_do_not_fit_are_refused(tree, feat):
    with pytest.raises(GomkcnError, match=r"feat must (have the shape \[15, 2\]|be a tensor)"):
        layer()(tree, feat)


def test_layers_stack_in_a_dgl_sequential_and_learn():
    torch.manual_seed(0)
    # the centre of a star against its leaves
    graph = dgl.batch([to_dgl(nx.star_graph(leaves), seed=leaves) for leaves in (3, 4, 5, 6)])
    labels = (graph.in_degrees() > 1).float()
    model = dgl.nn.Sequential(
        GOMKConv(2, 4, 3, num_hops=1, kernel=GOMKKernel(num_levels=1)),
        GOMKConv(4, 1, 3, num_hops=1, kernel=GOMKKernel(num_levels=1)),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(40):
        # the largest raw score of three nodes and two levels
        scores = 6 * model(graph, graph.ndata["feat"])[:, 0]
        loss = torch.nn.functional.mse_loss(scores, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_features_and_filters_may_live_on_a_gpu(tree):
    conv = layer()
    expected = conv(tree, tree.ndata["feat"])
    feat = tree.ndata["feat"].cuda().requires_grad_()
    scores = conv.cuda()(tree, feat)
    scores.sum().backward()
    assert scores.device.type == feat.grad.device.type == "cuda"
    assert tree.device.type == "cpu"
    torch.testing.assert_close(scores.cpu(), expected, **VALUES[torch.float32])


@pytest.mark.parametrize("policy", POLICIES)
def test_the_layer_maps_a_batch_as_it_maps_its_graphs(policy):
    graphs = [
        to_dgl(nx.gnp_random_graph(25, 0.25, seed=1)),
        to_dgl(nx.star_graph(30)),
        to_dgl(nx.random_regular_graph(4, 20, seed=2)),
    ]
    torch.manual_seed(0)
    conv = GOMKConv(3, 4, 4, num_hops=2, max_nodes=5, policy=policy)
    feats = [torch.rand(graph.num_nodes(), 3) for graph in graphs]
    with torch.no_grad():
        alone = [conv(graph, feat) for graph, feat in zip(graphs, feats, strict=True)]
        order = [2, 0, 1]
        batched = conv(dgl.batch([graphs[k] for k in order]), torch.cat([feats[k] for k in order]))
    torch.testing.assert_close(batched, torch.cat([alone[k] for k in order]), atol=1e-6, rtol=0)
