"""Batches of the subgraphs around seeds: what they hold, their scores, loaders, training."""

import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
import torch
from library_graphs import KINDS, convolution, graphs_of, to_pyg
from tolerances import GRADIENTS, VALUES
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import NodeLoader

from gomkcn.synthetic import MotifMiningDataset, PlantingSettings
from gomkcn_dgl import subgraph_sampler
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.subgraph_sampler import SubgraphSampler
from gomkcn_dgl.subgraph_transform import kept_subgraphs
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

SEEDS = [33, 0, 12, 5, 0, 39, 14]


def whole_of(kinds):
    """The graphs side by side, with a self-loop and an edge that is there twice."""
    graph = dgl.batch(graphs_of(kinds))
    source, target = graph.edges()
    extra = {name: values[:1] for name, values in graph.edata.items()}
    graph.add_edges(5, 5, extra)
    graph.add_edges(source[:1], target[:1], extra)
    return graph


def seeds_of(batch):
    return batch.ndata[dgl.NID][batch.ndata["subgraph_root"]]


def names_of(kinds, weight=None):
    return {"weight": weight, "relation": "kind" if len(kinds) > 1 else None}


# ---------------------------------------------------------------- what a batch holds


@pytest.mark.parametrize("policy", ["bfs", "dense"])
@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("idtype", [torch.int32, torch.int64])
def test_a_batch_is_that_of_the_induced_subgraphs(kinds, policy, idtype):
    graph = whole_of(kinds).astype(idtype)
    sampler = convolution(kinds, policy=policy).sampler(**names_of(kinds))
    batch = sampler.sample(graph, torch.tensor(SEEDS))
    csr = as_csr(graph, **names_of(kinds))
    nodes = extract_subgraphs(csr, sampler.settings, np.array(SEEDS)).nodes
    assert batch.idtype == idtype and batch.batch_size == len(SEEDS)
    assert seeds_of(batch).tolist() == SEEDS
    assert batch.batch_num_edges().sum() == batch.num_edges()
    assert batch.batch_num_nodes().tolist() == (nodes >= 0).sum(axis=1).tolist()
    for part, row in zip(dgl.unbatch(batch), nodes, strict=True):
        # what DGL makes of the same nodes, edges in another order
        own = torch.from_numpy(row[row >= 0]).to(idtype)
        induced = dgl.node_subgraph(graph, own)
        assert torch.equal(part.ndata[dgl.NID], own)
        assert torch.equal(*(one.edata[dgl.EID].sort().values for one in (part, induced)))
        source, target = part.edges(order="eid")
        ends = graph.find_edges(part.edata[dgl.EID])
        assert torch.equal(own[source.long()], ends[0]) and torch.equal(own[target.long()], ends[1])
        assert torch.equal(part.ndata["feat"], graph.ndata["feat"][own.long()])
        for name in ("w", "kind"):
            assert torch.equal(part.edata[name], graph.edata[name][part.edata[dgl.EID].long()])
        # the root is the first node, and levels are distances within the subgraph
        assert part.ndata["subgraph_root"].tolist() == [True] + [False] * (len(own) - 1)
        reach = nx.Graph(zip(source.tolist(), target.tolist(), strict=True))
        hops = nx.single_source_shortest_path_length(reach, 0) if len(own) > 1 else {0: 0}
        assert part.ndata["subgraph_level"].tolist() == [hops[k] for k in range(len(own))]


def test_a_self_loop_and_parallel_edges_are_in_a_batch():
    graph = whole_of(KINDS[0])
    batch = convolution(KINDS[0]).sampler().sample(graph, graph.nodes())
    loop, again = graph.num_edges() - 2, graph.num_edges() - 1
    assert loop in batch.edata[dgl.EID] and {0, again} <= set(batch.edata[dgl.EID].tolist())


def test_an_edge_of_weight_0_is_none():
    graph = dgl.graph(([0, 1, 1, 2], [1, 0, 2, 1]))
    graph.edata["w"] = torch.tensor([1.0, 1.0, 0.0, 0.0])
    batch = SubgraphSampler(weight="w").sample(graph, [1])
    assert batch.ndata[dgl.NID].tolist() == [1, 0]
    assert sorted(batch.edata[dgl.EID].tolist()) == [0, 1]


def test_the_batches_of_both_libraries_are_one():
    graph = whole_of(KINDS[2])
    data = to_pyg(graph)
    data.y, data.names = torch.arange(40), [f"v{k}" for k in range(40)]
    data.rank, data.name = np.arange(40), "collection"
    sampler = convolution(KINDS[2]).sampler(**names_of(KINDS[2]))
    of_dgl, of_pyg = (sampler.sample(one, torch.tensor(SEEDS)) for one in (graph, data))
    assert of_pyg.num_graphs == len(SEEDS) and of_pyg.num_nodes == of_dgl.num_nodes()
    assert torch.equal(of_pyg.ptr.diff(), of_dgl.batch_num_nodes())
    assert torch.equal(of_pyg.batch.bincount(), of_dgl.batch_num_nodes())
    assert torch.equal(of_pyg.edge_index, torch.stack(of_dgl.edges(order="eid")))
    assert torch.equal(of_pyg.n_id, of_dgl.ndata[dgl.NID])
    assert torch.equal(of_pyg.e_id, of_dgl.edata[dgl.EID])
    assert torch.equal(of_pyg.x, of_dgl.ndata["feat"])
    assert torch.equal(of_pyg.w, of_dgl.edata["w"])
    for name in ("subgraph_root", "subgraph_level", "subgraph_links"):
        assert torch.equal(of_pyg[name], of_dgl.ndata[name])
    # attributes of nodes that are no tensors, and one of the graph
    assert torch.equal(of_pyg.y, of_pyg.n_id) and of_pyg.rank.tolist() == of_pyg.n_id.tolist()
    assert of_pyg.names == [f"v{k}" for k in of_pyg.n_id.tolist()]
    assert of_pyg.name == "collection"


def test_extraction_both_libraries_and_the_kernel_share_memory(monkeypatch):
    taken = []

    def extract(*arguments):
        taken.append(extract_subgraphs(*arguments))
        return taken[-1]

    monkeypatch.setattr(subgraph_sampler, "extract_subgraphs", extract)
    ring = nx.circulant_graph(30, [1, 2])
    graph = dgl.from_networkx(ring).int()
    sampler = SubgraphSampler(SubgraphSettings(num_hops=3, max_nodes=6))
    for one in (graph, Data(edge_index=torch.stack(graph.edges()).long(), num_nodes=30)):
        batch = sampler.sample(one, torch.arange(7))
        [arrays], taken[:] = list(taken), []
        table = batch.ndata if one is graph else batch
        # nothing is padded: what joins the nodes lies where the search has written it
        where = arrays.links.__array_interface__["data"][0]
        assert table["subgraph_links"].data_ptr() == where
        read = kept_subgraphs(batch, torch.device("cpu"))
        assert read.links.data_ptr() == where
        tensors = SubgraphTensors.of_batch(arrays)
        assert tensors.links.data_ptr() == where
        assert tensors.nodes.data_ptr() == arrays.nodes.__array_interface__["data"][0]
        # and so do the numbers of the nodes, where DGL's are as wide
        if one is graph:
            nodes = batch.ndata[dgl.NID]
            assert nodes.data_ptr() == arrays.nodes.__array_interface__["data"][0]


# ---------------------------------------------------------------- scores


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("policy", ["bfs", "dense"])
@pytest.mark.parametrize("kinds", KINDS)
def test_a_batch_has_the_scores_of_the_whole_graph(kinds, policy, weight, no_extraction):
    graph, conv = whole_of(kinds), convolution(kinds, policy=policy)
    names = names_of(kinds, weight)
    feat = graph.ndata["feat"]
    expected = conv(as_csr(graph, **names), feat)[SEEDS]
    sampler = conv.sampler(**names)
    no_extraction()
    batch = sampler.sample(graph, torch.tensor(SEEDS))
    of_pyg = sampler.sample(to_pyg(graph), np.array(SEEDS))
    assert torch.equal(conv(batch, batch.ndata["feat"]), expected)
    assert torch.equal(conv(of_pyg, of_pyg.x), expected)
    # what other kernels and devices would see, padding too
    read = kept_subgraphs(batch, torch.device("cpu"))
    own = extract_subgraphs(as_csr(graph, **names), conv.settings, np.array(SEEDS))
    assert torch.equal(read.adjacency(torch.float32), torch.from_numpy(own.adjacency()))
    assert torch.equal(read.gather(batch.ndata["feat"]), torch.from_numpy(own.gather(feat.numpy())))
    assert read.num_nodes.tolist() == own.num_nodes.tolist()
    # one graph of a batch, and several batches as one
    first = dgl.unbatch(batch)[0]
    both = dgl.batch([batch, first])
    assert torch.equal(conv(first, first.ndata["feat"]), expected[:1])
    assert torch.equal(conv(both, both.ndata["feat"]), torch.cat([expected, expected[:1]]))


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("kinds", KINDS)
def test_a_loader_of_dgl_yields_them(kinds, num_workers, no_extraction):
    graph, conv = whole_of(kinds), convolution(kinds)
    expected = conv(as_csr(graph, **names_of(kinds)), graph.ndata["feat"])
    sampler = conv.sampler(
        **names_of(kinds), prefetch_node_feats=["feat"], prefetch_edge_feats=["w"]
    )
    assert isinstance(sampler, dgl.dataloading.Sampler)
    alone = sampler.sample(graph, SEEDS)
    for column in (alone.ndata["feat"], alone.edata["w"]):
        assert isinstance(column, dgl.frame.LazyFeature)
    order = torch.randperm(40, generator=torch.Generator().manual_seed(0))
    options = {"batch_size": 16, "num_workers": num_workers, "device": "cpu"}
    sampler.read(graph)
    no_extraction()
    seen = []
    for batch in dgl.dataloading.DataLoader(graph, order, sampler, **options):
        seen.append(seeds_of(batch))
        assert torch.equal(conv(batch, batch.ndata["feat"]), expected[seen[-1]])
        # prefetched, and fetched when used
        assert torch.equal(batch.edata["w"], graph.edata["w"][batch.edata[dgl.EID]])
        assert torch.equal(batch.edata["kind"], graph.edata["kind"][batch.edata[dgl.EID]])
    # DGL lets each worker take a part of the batches
    found = torch.cat(seen)
    assert torch.equal(found, order) if num_workers == 0 else set(found.tolist()) == {*range(40)}


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("kinds", KINDS)
def test_a_loader_of_pyg_yields_them(kinds, num_workers, no_extraction):
    data, conv = to_pyg(whole_of(kinds)), convolution(kinds)
    expected = conv(as_csr(data, **names_of(kinds)), data.x)
    order = torch.randperm(40, generator=torch.Generator().manual_seed(0))
    sampler = conv.sampler(**names_of(kinds))
    loader = sampler.node_loader(data, order, batch_size=16, num_workers=num_workers)
    assert isinstance(loader, NodeLoader)
    no_extraction()
    seen = []
    for batch in loader:
        seen.append(batch.n_id[batch.subgraph_root])
        assert torch.equal(conv(batch, batch.x), expected[seen[-1]])
        assert torch.equal(order[batch.input_id], seen[-1])
    assert torch.cat(seen).tolist() == order.tolist()


def test_a_mask_or_nothing_names_the_seeds_of_a_loader_of_pyg():
    data, sampler = to_pyg(whole_of(KINDS[0])), convolution(KINDS[0]).sampler()
    for nodes, expected in ((torch.arange(40) % 3 == 0, range(0, 40, 3)), (None, range(40))):
        [batch] = sampler.node_loader(data, nodes, batch_size=40)
        assert batch.n_id[batch.subgraph_root].tolist() == [*expected]


@pytest.mark.parametrize("kinds", KINDS)
def test_gradients_are_those_of_the_whole_graph(kinds):
    graph, conv = whole_of(kinds), convolution(kinds)
    csr, sampler = as_csr(graph, **names_of(kinds)), conv.sampler(**names_of(kinds))
    feat = graph.ndata["feat"].clone().requires_grad_()
    batch = sampler.sample(graph, torch.tensor(SEEDS))
    found = []
    for scores in (conv(csr, feat)[SEEDS], conv(batch, feat[batch.ndata[dgl.NID]])):
        loss = (scores * torch.arange(4)).square().sum()
        found.append(torch.autograd.grad(loss, [feat, *conv.parameters()]))
    for one, same in zip(*found, strict=True):
        assert one.abs().max() > 0
        torch.testing.assert_close(same, one, **GRADIENTS[torch.float32])


def test_edge_types_of_dgl_with_one_type_of_nodes():
    rng = torch.Generator().manual_seed(0)
    likes, knows = (tuple(torch.randint(12, (2, 30), generator=rng)) for _ in range(2))
    graph = dgl.heterograph({("v", "likes", "v"): likes, ("v", "knows", "v"): knows}, {"v": 12})
    graph.ndata["feat"] = torch.rand(12, 3, generator=rng)
    graph.edges["likes"].data["w"] = torch.rand(30, generator=rng)
    torch.manual_seed(0)
    for relations in (as_csr(graph).relations, None):
        conv = GOMKConv(3, 4, relations=relations)
        batch = conv.sampler().sample(graph, {"v": torch.tensor([7, 3])})
        assert batch.canonical_etypes == graph.canonical_etypes
        expected = conv(graph, graph.ndata["feat"])[[7, 3]]
        assert torch.equal(conv(batch, batch.ndata["feat"]), expected)
        for part in dgl.unbatch(batch):
            induced = dgl.node_subgraph(graph, part.ndata[dgl.NID])
            for kind in graph.etypes:
                ids = [one.edges[kind].data[dgl.EID].sort().values for one in (part, induced)]
                assert torch.equal(*ids)
        ids = batch.edges["likes"].data[dgl.EID]
        assert torch.equal(batch.edges["likes"].data["w"], graph.edges["likes"].data["w"][ids])


def test_single_nodes_no_seeds_and_no_features():
    graph, conv = dgl.graph(([1, 2], [2, 1]), num_nodes=4), convolution(KINDS[0])
    feat = torch.rand(4, 3)
    expected = conv(graph, feat)
    sampler = conv.sampler()
    batch = sampler.sample(graph, [3, 1, 0])
    assert "feat" not in batch.ndata and batch.batch_num_nodes().tolist() == [1, 2, 1]
    assert torch.equal(conv(batch, feat[batch.ndata[dgl.NID]]), expected[[3, 1, 0]])
    data = Data(edge_index=torch.stack(graph.edges()), num_nodes=4)
    for one in (graph, data):
        for none in ([], torch.empty(0, dtype=torch.int64)):
            empty = sampler.sample(one, none)
            scores = conv(empty, torch.empty(0, 3))
            assert scores.shape == (0, 4)
            scores.sum().backward()
    # no subgraph of a collection without edges has one
    alone = dgl.graph(([], []), num_nodes=3)
    batch = SubgraphSampler().sample(alone, [2, 2])
    assert (batch.batch_size, batch.num_edges(), batch.num_nodes()) == (2, 0, 2)
    conv = GOMKConv(3, 4)
    assert torch.equal(conv(batch, feat[:2]), conv(alone, feat[:3])[:2])


def test_a_model_of_one_convolution_classifies_the_seeds():
    graph = whole_of(KINDS[0])
    torch.manual_seed(0)
    for options in ({}, {"hidden_feats": 0}, {"read_input": False}):
        model = GOMKCN(3, 4, num_hops=2, filter_size=5, **options).eval()
        expected = model(graph, graph.ndata["feat"])[SEEDS]
        batch = model.first_conv.sampler().sample(graph, torch.tensor(SEEDS))
        logits = model(batch, batch.ndata["feat"])
        torch.testing.assert_close(logits, expected, **VALUES[torch.float32])
        for rows in (torch.tensor([4, 1]), torch.arange(len(SEEDS)).flip(0)):
            some = model(batch, batch.ndata["feat"], rows=rows)
            torch.testing.assert_close(some, expected[rows], **VALUES[torch.float32])
    for options, words in (
        ({"num_layers": 2}, "holds what one convolution sees, and the model has 2; make it with"),
        ({"pooling": "sum"}, "batches of SubgraphSampler hold nodes to classify; make .*=None"),
    ):
        with pytest.raises(InputError, match=words):
            GOMKCN(3, 4, num_hops=2, filter_size=5, **options)(batch, batch.ndata["feat"])


# ---------------------------------------------------------------- training


class Network(torch.nn.Module):
    """A layer between two linear maps; nothing depends on what else is in a batch."""

    def __init__(self, in_feats, num_classes):
        super().__init__()
        self.reduce = torch.nn.Linear(in_feats, 16)
        self.conv = GOMKConv(16, 16)
        self.head = torch.nn.Linear(16, num_classes)

    def forward(self, graph, feat):
        return self.head(self.conv(graph, self.reduce(feat).sigmoid()))


def network(in_feats, num_classes):
    torch.manual_seed(0)
    return Network(in_feats, num_classes)


def train(model, batches):
    """A step for each pair of logits and labels; the losses."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for logits, labels in batches:
        loss = torch.nn.functional.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def batches_of_dgl(model, graph, seeds, num_epochs, **options):
    sampler = model.conv.sampler(prefetch_node_feats=["feat", "label"])
    loader = dgl.dataloading.DataLoader(graph, seeds, sampler, **options)
    for _ in range(num_epochs):
        for batch in loader:
            labels = batch.ndata["label"][batch.ndata["subgraph_root"]]
            yield model(batch, batch.ndata["feat"]), labels


def batches_of_pyg(model, data, seeds, num_epochs, **options):
    loader = model.conv.sampler().node_loader(data, seeds, **options)
    for _ in range(num_epochs):
        for batch in loader:
            yield model(batch, batch.x), batch.y[batch.subgraph_root]


def batches_of_whole(model, graph, seeds, num_epochs, batch_size):
    for _ in range(num_epochs):
        for rows in seeds.split(batch_size):
            yield model(graph, graph.ndata["feat"])[rows], graph.ndata["label"][rows]


def test_training_by_mini_batches_is_that_on_the_whole_graph():
    dataset = MotifMiningDataset(60, copies=3, settings=PlantingSettings("per_type"))
    graph = dataset[0]
    order = torch.randperm(graph.num_nodes(), generator=torch.Generator().manual_seed(0))
    results = []
    for batches, one in (
        (batches_of_whole, graph),
        (batches_of_dgl, graph),
        (batches_of_pyg, dataset.to_pyg()),
    ):
        model = network(3, dataset.num_classes)
        losses = train(model, batches(model, one, order, 5, batch_size=32))
        results.append([torch.tensor(losses), model(graph, graph.ndata["feat"]).detach()])
    losses = results[0][0]
    assert len(losses) == 5 * -(-len(order) // 32) and losses[-1] < 0.9 * losses[0]
    # steps of Adam multiply what sums in another order differ by
    for result in results[1:]:
        for one, same in zip(results[0], result, strict=True):
            torch.testing.assert_close(same, one, rtol=1e-3, atol=1e-4)


def test_a_layer_learns_cora_by_mini_batches(shared_data, tmp_path):
    # DGL writes beside the files, where nobody else may
    folder = tmp_path / "cora_v2_d697a464"
    folder.mkdir()
    for file in (shared_data / folder.name).iterdir():
        (folder / file.name).symlink_to(file)
    with warnings.catch_warnings():
        # of the pickled matrices
        warnings.simplefilter("ignore")
        dataset = dgl.data.CoraGraphDataset(raw_dir=str(tmp_path), verbose=False)
    graph = dataset[0]
    # whether a paper has each word
    feat = graph.ndata["feat"] = (graph.ndata["feat"] > 0).float()
    data = Data(x=feat, edge_index=torch.stack(graph.edges()), y=graph.ndata["label"])
    seeds = graph.ndata["train_mask"].nonzero().squeeze(1)
    for batches, one in ((batches_of_dgl, graph), (batches_of_pyg, data)):
        model = network(feat.shape[1], dataset.num_classes)
        losses = train(model, batches(model, one, seeds, 6, batch_size=35, num_workers=2))
        assert len(losses) == 24 and sum(losses[-4:]) < 0.9 * sum(losses[:4])
    # the scores of all nodes, batch by batch, are those of the whole graph
    conv = model.conv
    with torch.no_grad():
        hidden = model.reduce(feat).sigmoid()
        whole = conv(graph, hidden)
        for num_workers in (0, 2):
            options = {"batch_size": 1000, "num_workers": num_workers}
            found = torch.full_like(whole, torch.nan)
            loader = dgl.dataloading.DataLoader(graph, graph.nodes(), conv.sampler(), **options)
            for batch in loader:
                found[seeds_of(batch)] = conv(batch, hidden[batch.ndata[dgl.NID]])
            assert torch.equal(found, whole)
            loader = conv.sampler().node_loader(data, **options)
            found = [conv(batch, hidden[batch.n_id]) for batch in loader]
            assert torch.equal(torch.cat(found), whole)


# ---------------------------------------------------------------- reading once, again, elsewhere


def test_a_graph_is_read_once_until_it_changes(monkeypatch):
    read = []

    def reading(*arguments):
        read.append(arguments)
        return subgraph_sampler_read(*arguments)

    subgraph_sampler_read = subgraph_sampler.read_for
    monkeypatch.setattr(subgraph_sampler, "read_for", reading)
    graph = dgl.batch(graphs_of(KINDS[2]))
    sampler = convolution(KINDS[2]).sampler(**names_of(KINDS[2], "w"))

    def times(one):
        before = len(read)
        for _ in range(3):
            sampler.sample(one, SEEDS)
        return len(read) - before

    assert times(graph) == 1
    # what is not read may change
    graph.ndata["feat"] = graph.ndata["feat"] + 1
    graph.edata["other"] = graph.edata["w"]
    assert times(graph) == 0
    for change in (
        lambda: graph.edata["w"].mul_(2),
        lambda: graph.edata.update({"w": torch.ones(graph.num_edges())}),
        lambda: graph.edata.update({"kind": 1 - graph.edata["kind"]}),
        lambda: graph.remove_edges(0),
        lambda: graph.add_edges(0, 7, {"w": torch.ones(1), "kind": torch.ones(1).long()}),
        lambda: graph.add_nodes(1),
    ):
        change()
        assert times(graph) == 1
    data = to_pyg(graph)
    assert times(data) == 1
    data.edge_index[0, 0] += 1
    data.edge_index[0, 0] -= 1
    assert times(data) == 1
    data.num_nodes = 45
    assert times(data) == 1
    # and the scores are those of the changed graph
    conv = convolution(KINDS[2])
    batch = sampler.sample(graph, SEEDS)
    expected = conv(as_csr(graph, **names_of(KINDS[2], "w")), graph.ndata["feat"])[SEEDS]
    assert torch.equal(conv(batch, batch.ndata["feat"]), expected)


class OwnSampler(SubgraphSampler):
    """One that a user derives."""


def test_a_sampler_is_pickled_without_the_graph():
    graph, conv = whole_of(KINDS[2]), convolution(KINDS[2])
    options = {"prefetch_node_feats": ["feat"], "output_device": "cpu"}
    for sampler in (
        conv.sampler(**names_of(KINDS[2], "w"), **options),
        OwnSampler(conv.settings, relation="kind", prefetch_edge_feats=["w"]),
    ):
        batch = sampler.sample(graph, SEEDS)
        stored = pickle.dumps(sampler)
        assert len(stored) < 2000
        again = pickle.loads(stored)
        assert isinstance(again, dgl.dataloading.Sampler)
        assert type(again) is type(sampler) and repr(again) == repr(sampler)
        links = again.sample(graph, SEEDS).ndata["subgraph_links"]
        assert torch.equal(links, batch.ndata["subgraph_links"])
    assert isinstance(again, OwnSampler)


def test_a_batch_goes_to_the_output_device():
    data = to_pyg(whole_of(KINDS[0]))
    batch = convolution(KINDS[0]).sampler(output_device="meta").sample(data, SEEDS)
    assert {batch.x.device.type, batch.subgraph_links.device.type} == {"meta"}
    # DGL itself has the CPU alone where it was not built for CUDA
    graph = whole_of(KINDS[0])
    batch = convolution(KINDS[0]).sampler(output_device=torch.device("cpu")).sample(graph, SEEDS)
    assert batch.device.type == "cpu"


# ---------------------------------------------------------------- refusals


def test_what_a_sampler_does_not_take_is_refused():
    graph, sampler = whole_of(KINDS[0]), convolution(KINDS[0]).sampler()
    hetero = dgl.heterograph({("a", "to", "b"): ([0], [0])})
    [block] = dgl.dataloading.NeighborSampler([-1]).sample(graph, torch.arange(3))[2]
    pyg = HeteroData(a={"x": torch.ones(1, 1)})
    for one, seeds, words in (
        (as_csr(graph), [0], "^SubgraphSampler takes a DGLGraph or a PyG Data.* got CSRGraph"),
        (pyg, [0], "^SubgraphSampler takes .* got HeteroData"),
        (hetero, [0], "^SubgraphSampler takes graphs with one type of nodes, got 2"),
        (block, [0], "^a message-flow block lacks .*conv.sampler"),
        (graph, [0, 40], "^seed_nodes must be nodes from 0 to 39, got 40.$"),
        (graph, torch.tensor([-1]), "^seed_nodes must be nodes from 0 to 39, got -1.$"),
        (graph, torch.ones(40, dtype=torch.bool), "^seed_nodes must be a list of node numbers"),
        (graph, {"other": torch.tensor([0])}, "^seed_nodes must be a list of node numbers"),
        (graph, 3, "^seed_nodes must be a list of node numbers"),
        (Data(num_nodes=3), [0], "^edge_index or adj_t of a PyG graph must be set"),
    ):
        with pytest.raises(GomkcnError, match=words):
            sampler.sample(one, seeds)
    with pytest.raises(GomkcnError, match="at most 8 channels, .* got 10"):
        SubgraphSampler(relations=relations_of(list("abcde"), [True] * 5))
    with pytest.raises(GomkcnError, match="'none'"):
        convolution(KINDS[2]).sampler(relation="none").sample(graph, [0])


def test_batches_that_were_changed_or_are_of_another_layer_are_refused():
    graph, conv = whole_of(KINDS[0]), convolution(KINDS[0])
    batch = conv.sampler().sample(graph, SEEDS)
    resized = batch.clone()
    resized.set_batch_num_nodes(torch.tensor([batch.num_nodes()]))
    for part in (
        batch.subgraph(range(1, batch.num_nodes())),
        batch.subgraph(torch.arange(batch.num_nodes()).flip(0)),
        # a graph of the batch, with its root in the last place
        dgl.unbatch(batch)[0].subgraph([2, 1, 0]),
        resized,
    ):
        with pytest.raises(InputError, match="^a batch of SubgraphSampler must keep its subgraphs"):
            conv(part, part.ndata["feat"])
    feat = batch.ndata["feat"]
    for other, words in (
        (convolution(KINDS[0], max_nodes=4), "max_nodes must be that of the given subgraphs, 5"),
        (convolution(KINDS[1]), "must agree on relations, got 1 and 2 channels"),
    ):
        with pytest.raises(InputError, match=words):
            other(batch, feat)
    with pytest.raises(InputError, match=rf"feat must have the shape \[{len(feat)}, 3\], got"):
        conv(batch, feat[: len(SEEDS)])
    with pytest.raises(InputError, match="cannot be given with subgraphs"):
        conv(batch, feat, edge_weight=torch.ones(batch.num_edges()))


def test_what_was_kept_before_does_not_matter():
    graph, conv = whole_of(KINDS[0]), convolution(KINDS[0])
    transform, sampler = conv.transform(), conv.sampler()
    expected = conv(graph, graph.ndata["feat"])[SEEDS]
    for one in (transform(graph), transform(to_pyg(graph))):
        # a graph that keeps the subgraphs of all nodes is sampled
        batch = sampler.sample(one, SEEDS)
        table = batch.ndata if hasattr(batch, "ndata") else batch
        assert "subgraph_nodes" not in table
        feat = graph.ndata["feat"][table[dgl.NID if hasattr(batch, "ndata") else "n_id"]]
        assert torch.equal(conv(batch, feat), expected)
        # a batch that was sampled is a graph, of which all nodes are roots
        again = transform(batch)
        assert conv(again, feat).shape == (len(feat), 4)
        # and one that is sampled again
        resampled = sampler.sample(batch, [0])
        rows = resampled.ndata if hasattr(batch, "ndata") else resampled
        assert rows["subgraph_root"].tolist()[0] and rows["subgraph_level"][0] == 0
        assert conv(resampled, feat[: len(rows["subgraph_root"])]).shape == (1, 4)
