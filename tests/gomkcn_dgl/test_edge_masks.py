"""Layers and networks under the explainers of PyTorch Geometric."""

import pytest
import torch
from random_graphs import draw

from gomkcn import MotifClassificationDataset, PlantingSettings
from gomkcn_dgl.edge_masks import explainable
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.model import GOMKCN

explain = pytest.importorskip("torch_geometric.explain", reason="PyTorch Geometric is not there")
nn = pytest.importorskip("torch_geometric.nn", reason="PyTorch Geometric is not there")
TASK = {"mode": "multiclass_classification", "task_level": "graph", "return_type": "raw"}


def edges_of(kinds, seed=0):
    csr, *_ = draw(kinds, seed, 10, 24)
    source, target, _ = csr.edges()
    ends = torch.stack([torch.from_numpy(source), torch.from_numpy(target)])
    both = ends if kinds["edge"] else torch.cat([ends, ends.flip(0)], dim=1)
    return csr, both, torch.rand(10, 2)


@pytest.mark.parametrize("directed", [False, True])
def test_it_is_the_model_without_a_mask_and_weighs_edges_with_one(directed):
    from torch_geometric.explain.algorithm.utils import clear_masks, set_masks

    csr, ends, feat = edges_of({"edge": directed})
    model = GOMKCN(2, 3, filter_size=4, pooling="mean", relations=csr.relations).eval()
    module, weight = explainable(model), torch.rand(ends.shape[1])
    assert torch.equal(module(feat, ends), model(feat, ends))
    assert torch.equal(module(feat, ends, weight), model(feat, ends, weight))
    mask = torch.randn(ends.shape[1], requires_grad=True)
    set_masks(module, mask, ends, apply_sigmoid=True)
    values = mask.sigmoid()
    if not directed:
        # the two listings of an edge stand one half of all edges apart
        half = len(mask) // 2
        values = ((values[:half] + values[half:]) / 2).repeat(2)
    expected = model(feat, ends, edge_weight=values * weight)
    scores = module(feat, ends, weight)
    torch.testing.assert_close(scores, expected)
    torch.testing.assert_close(module(feat, ends), model(feat, ends, edge_weight=values))
    [gradient] = torch.autograd.grad(scores.square().sum(), mask)
    assert (gradient != 0).any()
    clear_masks(module)
    assert torch.equal(module(feat, ends), model(feat, ends))


@pytest.mark.parametrize("algorithm", ["GNNExplainer", "Saliency"])
def test_explainers_find_the_motif_that_a_network_reads(algorithm):
    """A filter that is the motif, and a class for graphs that have it: its edges explain these."""
    if algorithm == "Saliency":
        pytest.importorskip("captum", reason="Captum is not installed")
        made = explain.CaptumExplainer("Saliency")
    else:
        torch.manual_seed(0)
        made = explain.GNNExplainer(epochs=60, lr=0.05)
    data = MotifClassificationDataset(
        40, motifs=("clique5", "circle"), settings=PlantingSettings("constant")
    )
    graphs = [graph for graph in data.to_pyg() if int(graph.y) == 0][:6]
    model = GOMKCN(
        1, 2, num_filters=1, filter_size=5, num_hops=1, hidden_feats=None, pooling="max",
        read_input=False,
    ).eval()  # fmt: skip
    with torch.no_grad():
        clique = torch.ones(1, 5, 5) - torch.eye(5)
        model.first_conv.filters.set(slice(None), clique, torch.ones(1, 5, 1))
        model.heads[1].weight.copy_(torch.tensor([[9.0], [-9.0]]))
    explainer = explain.Explainer(
        explainable(model),
        made,
        explanation_type="model",
        edge_mask_type="object",
        model_config=TASK,
    )
    inside, outside = [], []
    for graph in graphs:
        mask = explainer(graph.x, graph.edge_index).edge_mask
        of_motif = graph.edge_mask.bool()
        inside.append(mask[of_motif].mean())
        outside.append(mask[~of_motif].mean())
    assert torch.stack(inside).mean() > 2 * torch.stack(outside).mean()


def test_a_layer_is_explained_node_by_node():
    _, ends, feat = edges_of({"edge": False})
    conv = GOMKConv(2, 3, 4, 1)
    explainer = explain.Explainer(
        explainable(conv),
        explain.GNNExplainer(epochs=3),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config={**TASK, "task_level": "node"},
    )
    found = explainer(feat, ends, index=4)
    assert found.edge_mask.shape == (ends.shape[1],) and found.node_mask.shape == feat.shape
    # an edge between nodes that the subgraph of the node does not have explains nothing of it
    seen = set(conv.subgraphs((ends, 10), feat=feat).nodes[4].tolist())
    outside = [not {u, v} <= seen for u, v in ends.T.tolist()]
    assert (found.edge_mask[torch.tensor(outside)] == 0).all()


class Network(torch.nn.Module):
    """A user's own, with layers of both libraries, one of ours used twice, and a network."""

    def __init__(self, width=2, relations=None):
        super().__init__()
        options = {"filter_size": 4, "num_hops": 1, "relations": relations}
        self.first = GOMKConv(width, 3, **options)
        self.between = nn.GCNConv(3, 3)
        self.twice = torch.nn.ModuleList([GOMKConv(3, 3, **options)] * 2)
        self.classes = GOMKCN(3, 2, pooling="mean", **options)

    def forward(self, x, edge_index, weight=None):
        hidden = self.first(x, edge_index, weight)
        hidden = self.between(hidden, edge_index, weight).relu()
        for conv in self.twice:
            hidden = conv(hidden, edge_index)
        return self.classes(hidden, edge_index, edge_weight=weight)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_layers_of_a_module_of_a_user_are_masked(directed, weighted):
    from torch_geometric.explain.algorithm.utils import clear_masks, set_masks

    torch.manual_seed(0)
    csr, ends, feat = edges_of({"edge": directed})
    model = Network(relations=csr.relations).eval()
    module = explainable(model)
    weight = torch.rand(ends.shape[1]) if weighted else None
    plain = model(feat, ends, weight)
    assert torch.equal(module(feat, ends, weight), plain)
    mask = torch.rand(ends.shape[1], requires_grad=True)
    set_masks(module, mask, ends, apply_sigmoid=False)
    half = len(mask) // 2
    ours = mask if directed else ((mask[:half] + mask[half:]) / 2).repeat(2)
    # layers of PyG multiply messages, and are masked by their own library
    hidden = model.first(feat, ends, ours if weight is None else weight * ours)
    hidden = model.between(hidden, ends, weight).relu()
    for conv in model.twice:
        hidden = conv(hidden, ends, ours)
    expected = model.classes(hidden, ends, ours if weight is None else weight * ours)
    scores = module(feat, ends, weight)
    torch.testing.assert_close(scores, expected)
    assert not torch.allclose(scores, plain)
    [gradient] = torch.autograd.grad(scores.square().sum(), mask)
    assert (gradient != 0).any()
    clear_masks(module)
    # the model is as it was
    assert torch.equal(model(feat, ends, weight), plain)
    assert not any(part._forward_pre_hooks for part in model.modules())


def test_an_explainer_finds_the_motif_that_a_module_of_a_user_reads():
    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = GOMKConv(1, 1, 5, 1, bounded_feats=True)
            with torch.no_grad():
                clique = torch.ones(1, 5, 5) - torch.eye(5)
                self.conv.filters.set(slice(None), clique, torch.ones(1, 5, 1))

        def forward(self, x, edge_index):
            highest = 9 * self.conv(x, edge_index).amax(dim=0)
            return torch.stack([highest, -highest], dim=1)

    torch.manual_seed(0)
    data = MotifClassificationDataset(
        40, motifs=("clique5", "circle"), settings=PlantingSettings("constant")
    )
    explainer = explain.Explainer(
        explainable(Reader().eval()),
        explain.GNNExplainer(epochs=60, lr=0.05),
        explanation_type="model",
        edge_mask_type="object",
        model_config=TASK,
    )
    graph = next(graph for graph in data.to_pyg() if int(graph.y) == 0)
    mask, of_motif = explainer(graph.x, graph.edge_index).edge_mask, graph.edge_mask.bool()
    assert mask[of_motif].mean() > 2 * mask[~of_motif].mean()


def test_edges_that_a_mask_is_not_of_are_refused():
    from torch_geometric.data import Data
    from torch_geometric.explain.algorithm.utils import set_masks

    class Calling(torch.nn.Module):
        def __init__(self, arguments):
            super().__init__()
            self.conv, self.arguments = GOMKConv(2, 3, 4, 1), arguments

        def forward(self, x, edge_index):
            return self.conv(*self.arguments(self.conv, x, edge_index))

    _, ends, feat = edges_of({"edge": False})
    count = ends.shape[1]
    matrix = torch.eye(10).to_sparse()
    for arguments, came in (
        (lambda conv, x, edges: (x, edges[:, 1:]), rf"\[2, {count - 1}\]"),
        (lambda conv, x, edges: (x, matrix), r"\[10, 10\]"),
        (lambda conv, x, edges: (Data(x, edges), x), "a Data"),
        (lambda conv, x, edges: (conv.subgraphs((edges, 10)), x), "a SubgraphTensors"),
    ):
        module = explainable(Calling(arguments))
        module(feat, ends)
        set_masks(module, torch.rand(count), ends)
        with pytest.raises(InputError, match=rf"edge_index \[2, {count}\], got {came}.$"):
            module(feat, ends)


@pytest.mark.parametrize("model", [torch.nn.Linear(2, 3), "network"])
def test_what_has_no_layer_is_refused(model):
    words = f"^model must be a torch.nn.Module with a GOMKConv .*, got {type(model).__name__}"
    with pytest.raises(InputTypeError, match=words):
        explainable(model)
