"""Layers and networks under the explainers of PyTorch Geometric."""

import pytest
import torch
from random_graphs import draw

from gomkcn import MotifClassificationDataset, PlantingSettings
from gomkcn_dgl.edge_masks import explainable
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.model import GOMKCN

explain = pytest.importorskip("torch_geometric.explain", reason="PyTorch Geometric is not there")
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


def test_what_is_no_model_is_refused():
    with pytest.raises(InputTypeError, match="^model must be a GOMKConv or a GOMKCN, got Linear"):
        explainable(torch.nn.Linear(2, 3))
