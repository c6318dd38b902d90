"""A layer extracts the subgraphs of an unchanged graph once, and never those of another one."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from random_graphs import draw

from gomkcn_dgl import last_graph
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.model import GOMKCN


@pytest.fixture
def extracted(monkeypatch):
    """Grows by one whenever subgraphs are extracted."""
    calls = []
    extract = SubgraphTensors.extract.__func__

    def counted(cls, *given, **options):
        calls.append(1)
        return extract(cls, *given, **options)

    monkeypatch.setattr(SubgraphTensors, "extract", classmethod(counted))
    return calls


def edges_and_features(seed=0):
    csr, *_ = draw({"edge": True}, seed, 20, 50)
    source, target, _ = csr.edges()
    generator = torch.Generator().manual_seed(seed)
    ends = torch.from_numpy(np.array([source, target]))
    return ends, torch.rand(20, 2, generator=generator)


def forms(ends, feat):
    """What a layer is called with: the graph, and a part of it that may change in place."""
    from torch_geometric.data import Data

    graph = dgl.graph(tuple(ends), num_nodes=20)
    with_feat = dgl.graph(tuple(ends), num_nodes=20)
    with_feat.ndata["feat"] = feat
    data = Data(edge_index=ends, x=feat)
    return [(feat, ends), (graph, feat), (with_feat, feat), (data, feat)]


@pytest.mark.parametrize("form", range(4))
@pytest.mark.parametrize("module", [GOMKConv(2, 3, 4, 2), GOMKCN(2, 3, num_layers=2)])
def test_an_unchanged_graph_is_read_once(form, module, extracted):
    module = copy.deepcopy(module).eval()
    given = forms(*edges_and_features())[form]
    first = module(*given)
    for _ in range(3):
        assert torch.equal(module(*given), first)
    # also a copy of it
    assert torch.equal(module(*forms(*edges_and_features())[form]), first)
    assert len(extracted) == 1
    # parameters are none of the graph
    module.reset_parameters()
    assert not torch.equal(module(*given), first)
    assert len(extracted) == 1
    (module if isinstance(module, GOMKConv) else module.first_conv).forget_graph()
    module(*given)
    assert len(extracted) == 2


def test_what_changes_in_place_is_read_anew(extracted):
    ends, feat = edges_and_features()
    conv, other = GOMKConv(2, 3, 4, 2), edges_and_features(1)[0]
    batch, weight = torch.zeros(20).long(), torch.ones(ends.shape[1])

    def call():
        return conv(feat, ends, weight, batch)

    def change_edges():
        ends[:, :9] = other[:, :9]

    def change_through_numpy():
        ends.numpy()[:] = ends.numpy()[::-1]

    def change_beside_autograd():
        feat.data.mul_(0.5)

    def change_weights():
        weight[3] = 2

    def change_settings():
        conv.settings = replace(conv.settings, seed=9)

    for number, change in enumerate(
        (
            lambda: None,
            change_edges,
            change_through_numpy,
            change_beside_autograd,
            change_weights,
            change_settings,
        ),
        1,
    ):
        change()
        fresh = GOMKConv(2, 3, 4, 2)
        fresh.settings = conv.settings
        fresh.load_state_dict(conv.state_dict())
        expected = fresh(feat, ends, weight, batch)
        for _ in range(2):
            assert torch.equal(call(), expected)
        assert len(extracted) == 2 * number


def test_edges_that_a_dgl_graph_gets_are_seen(extracted):
    ends, feat = edges_and_features()
    graph, conv = dgl.graph(tuple(ends), num_nodes=20), GOMKConv(2, 3, 4, 2)
    before = conv(graph, feat)
    graph.add_edges([0, 1, 2], [17, 18, 19])
    after = conv(graph, feat)
    assert not torch.equal(before, after) and len(extracted) == 2
    # the division into graphs is a part of a batch
    model = GOMKCN(2, 3, pooling="mean").eval()
    two = dgl.batch([graph, graph])
    both = torch.cat([feat, feat])
    assert model(two, both).shape == (2, 3)
    two.set_batch_num_nodes(torch.tensor([40]))
    two.set_batch_num_edges(torch.tensor([two.num_edges()]))
    assert model(two, both).shape == (1, 3)


def test_features_and_weights_that_a_gradient_leads_through_are_not_kept(extracted):
    ends, feat = edges_and_features()
    conv, weight = GOMKConv(2, 3, 4, 2), torch.ones(ends.shape[1], requires_grad=True)
    for given in ((feat, ends, weight), (feat.requires_grad_() * 1, ends)):
        before = len(extracted)
        conv(*given), conv(*given)
        assert len(extracted) == before + 2
    # features that are a leaf are those that somebody gave
    conv(feat, ends), conv(feat, ends)
    assert len(extracted) == 5


def test_a_graph_that_is_not_known_again_is_read_each_time(extracted):
    ends, feat = edges_and_features()
    conv = GOMKConv(2, 3, 4, 2)
    graph = (ends, 20)
    assert torch.equal(conv(graph, feat), conv(graph, feat))
    assert len(extracted) == 2


def test_a_csr_graph_is_known_by_all_that_it_holds(extracted):
    ends, feat = edges_and_features()
    graph = as_csr((ends, 20))
    conv = GOMKConv(2, 3, 4, 2, relations=graph.relations)
    for _ in range(2):
        conv(graph, feat)
    assert len(extracted) == 1
    conv(as_csr((ends.flip(0), 20)), feat)
    assert len(extracted) == 2
    conv(replace(graph, weights=np.full(len(graph.indices), 2, np.float32)), feat)
    assert len(extracted) == 3
    # directions are in the links alone
    conv(replace(graph, links=graph.links[graph.opposite_entries]), feat)
    assert len(extracted) == 4


def test_copies_and_files_have_no_graph(extracted, monkeypatch):
    ends, feat = edges_and_features()
    conv = GOMKConv(2, 3, 4, 2)
    size = len(pickle.dumps(conv))
    expected = conv(feat, ends)
    assert len(pickle.dumps(conv)) == size
    assert torch.equal(copy.deepcopy(conv)(feat, ends), expected)
    assert len(extracted) == 2
    # nor is one kept whose subgraphs take much memory
    monkeypatch.setattr(last_graph, "MOST_KEPT_BYTES", 100)
    other = GOMKConv(2, 3, 4, 2)
    other(feat, ends), other(feat, ends)
    assert len(extracted) == 4
