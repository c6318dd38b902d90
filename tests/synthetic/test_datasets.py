"""The ready-made data sets: sizes, truth, split, indices."""

import subprocess
import sys
from functools import partial

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn.mining import FilterMiner
from gomkcn.synthetic import (
    MOTIFS,
    MotifClassificationDataset,
    MotifMiningDataset,
    PlantingSettings,
    planted_motif_graph,
)
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.graph import as_csr


def test_the_mining_graph_has_the_stated_size_and_balance():
    planted = planted_motif_graph()
    graph = planted.to_dgl()
    assert (graph.num_nodes(), graph.num_edges()) == (1000, 2278)
    # a vector for each node, as in the paper
    assert torch.unique(graph.ndata["feat"], dim=0).shape == (1000, 3)
    assert 0 <= graph.ndata["feat"].min() < 0.01 and 0.99 < graph.ndata["feat"].max() <= 1
    assert torch.bincount(graph.ndata["node_type"]).tolist() == [760, 60, 60, 60, 60]
    assert planted.motif_names == ("house6", "cup", "wheel", "crown")
    assert [row["copies"] for row in planted.truth()["motifs"]] == [10] * 4


def test_the_paper_set_has_the_stated_sizes():
    dataset = MotifClassificationDataset(seed=1)
    assert len(dataset) == 8000
    assert torch.bincount(dataset.labels).tolist() == [2000] * 4
    assert dataset.planted.num_nodes == 8000 * 31
    parts = (dataset.train_idx, dataset.val_idx, dataset.test_idx)
    assert [len(part) for part in parts] == [6400, 800, 800]
    assert torch.equal(torch.cat(parts).sort().values, torch.arange(8000))
    for part in parts:
        assert torch.bincount(dataset.labels[part]).tolist() == [len(part) // 4] * 4
    assert dataset.motif_names == ("book", "diamond6", "circle", "email")
    assert dataset.num_classes == 4


# importing PyTorch Geometric calls what torch deprecates
def test_the_graphs_of_pyg_are_those_of_dgl():
    settings = PlantingSettings("constant", directed=True, relations=2)
    dataset = MotifClassificationDataset(41, motifs=("bi-fan", "house6"), settings=settings)
    for one, (graph, label) in zip(dataset.to_pyg(), dataset, strict=True):
        assert one.y.tolist() == [label]
        assert one.edge_index.tolist() == [ends.tolist() for ends in graph.edges(order="eid")]
        assert one.x.tolist() == graph.ndata["feat"].tolist()
        for name in ("node_type", "node_mask", "node_instance", "node_role"):
            assert one[name].tolist() == graph.ndata[name].tolist()
        assert one.edge_mask.tolist() == graph.edata["edge_mask"].tolist()
        assert one.edge_type.tolist() == graph.edata["relation"].tolist()


def test_it_is_a_data_set_of_pyg_in_memory():
    from torch_geometric.data import Batch, InMemoryDataset
    from torch_geometric.transforms import Constant

    data = MotifClassificationDataset(40, settings=PlantingSettings("constant"))
    graphs = data.to_pyg()
    assert isinstance(graphs, InMemoryDataset)
    assert (len(graphs), graphs.num_classes, graphs.num_node_features) == (40, 4, 1)
    assert torch.equal(graphs.y, data.labels)
    # a part, by numbers, is a data set again
    part = graphs[data.test_idx]
    assert isinstance(part, InMemoryDataset) and torch.equal(part.y, data.labels[data.test_idx])
    whole = Batch.from_data_list(list(graphs))
    assert torch.equal(whole.ptr, torch.from_numpy(data.node_offsets))
    assert whole.num_edges == data.planted.to_pyg().num_edges
    graphs.transform = Constant()
    assert graphs[3].num_node_features == 2
    assert graphs[3].node_mask.sum() == 6


def test_it_is_a_data_set_of_dgl_that_writes_no_file(folder, monkeypatch):
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(folder / "dgl"))
    options = {"settings": PlantingSettings("constant"), "num_graphs": 40}
    dataset = MotifClassificationDataset(**options, transform=dgl.transforms.AddSelfLoop())
    assert isinstance(dataset, dgl.data.DGLDataset)
    assert list(folder.iterdir()) == []
    assert repr(dataset).startswith("MotifClassificationDataset(40 graphs, classes ('book', ")
    graph, label = dataset[7]
    plain, _ = MotifClassificationDataset(**options)[7]
    assert graph.num_edges() == plain.num_edges() + 31 and label == dataset.labels[7]
    # the graphs themselves stay as they are
    assert dataset[7][0].num_edges() == graph.num_edges()
    adapted = dgl.data.AsGraphPredDataset(dataset, (0.8, 0.1, 0.1))
    assert (adapted.num_classes, len(adapted.train_idx)) == (4, 32)
    batches = list(dgl.dataloading.GraphDataLoader(dataset, batch_size=16))
    assert [batch.batch_size for batch, _ in batches] == [16, 16, 8]


def test_the_mining_graph_is_a_data_set_of_dgl_too(folder, monkeypatch):
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(folder / "dgl"))
    options = {"num_base_nodes": 40, "copies": 2, "motifs": ("wheel", "square"), "seed": 3}
    dataset = MotifMiningDataset(**options)
    assert isinstance(dataset, dgl.data.DGLDataset) and list(folder.iterdir()) == []
    assert repr(dataset) == "MotifMiningDataset(60 nodes, motifs ('wheel', 'square'))"
    assert (len(dataset), dataset.num_classes, dataset.motif_names) == (1, 3, ("wheel", "square"))
    # it is the graph that the function makes, with its truth
    planted = planted_motif_graph(**options)
    [graph] = dataset
    own = planted.to_dgl()
    assert dataset.planted.truth() == planted.truth()
    assert torch.equal(torch.stack(graph.edges()), torch.stack(own.edges()))
    for name, values in own.ndata.items():
        assert torch.equal(graph.ndata[name], values)
    assert torch.equal(graph.ndata["label"], own.ndata["node_type"])
    assert torch.equal(graph.edata["edge_mask"], own.edata["edge_mask"])
    data = dataset.to_pyg()
    assert torch.equal(data.x, own.ndata["feat"]) and torch.equal(data.y, graph.ndata["label"])
    for number in (1, -2):
        with pytest.raises(IndexError, match=f"one graph, 0, got {number}"):
            dataset[number]
    # DGL's split of the nodes, and its transforms
    adapted = dgl.data.AsNodePredDataset(dataset, (0.6, 0.2, 0.2))
    assert adapted.num_classes == 3 and int(adapted[0].ndata["train_mask"].sum()) == 36
    looped = MotifMiningDataset(**options, transform=dgl.transforms.AddSelfLoop())
    assert looped[0].num_edges() == looped[0].num_edges() == graph.num_edges() + 60


def test_the_mining_graph_as_a_data_set_is_mined():
    dataset = MotifMiningDataset(60, copies=4, motifs=("wheel",), seed=1)
    csr, own = as_csr(dataset), as_csr(dataset.planted)
    for name in ("indptr", "indices", "features", "graph_ptr"):
        assert np.array_equal(getattr(csr, name), getattr(own, name))
    found, same = (FilterMiner(num_filters=2).fit(one) for one in (dataset, dataset.planted))
    assert np.array_equal(found.labels_, same.labels_) and len(found.labels_) == 84


def test_importing_the_package_imports_no_dgl():
    program = (
        "import sys; from gomkcn import synthetic; synthetic.planted_motif_graph(30, copies=1); "
    )
    program += "assert not {'dgl', 'torch'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("motifs", "options"),
    [
        (("book", "diamond6", "circle", "email"), {}),
        # of different sizes
        (("square", "wheel8"), {"features": "per_node"}),
        (("feed-forward-loop", "three-cycle"), {"directed": True, "relations": 2}),
        (("book", "circle"), {"embedded": True}),
    ],
)
def test_each_graph_has_the_motif_of_its_label_and_is_else_a_tree(motifs, options):
    make = partial(MotifClassificationDataset, settings=PlantingSettings(**options), num_graphs=40,
                   num_base_nodes=25, motifs=motifs)  # fmt: skip
    dataset = make(seed=1)
    copies = []
    for graph, label in dataset:
        motif = MOTIFS[motifs[int(label)]]
        inside = graph.ndata["node_mask"].nonzero().squeeze(1).tolist()
        copies += set(graph.ndata["node_instance"][inside].tolist())
        assert dataset.planted.instances[copies[-1]][0] == motif.name
        size = motif.num_nodes
        assert graph.num_nodes() == 25 + (0 if "embedded" in options else size)
        assert sorted(graph.ndata["node_role"][inside].tolist()) == list(range(size))
        # a tree, and the edge that attaches the copy
        others = graph.num_edges() - int(graph.edata["edge_mask"].sum())
        if "embedded" not in options:
            assert others == 25 * (1 if "directed" in options else 2)
        found = graph.edge_subgraph(graph.edata["edge_mask"], relabel_nodes=False).to_networkx()
        found = nx.DiGraph(found.subgraph(inside))
        wanted = motif.to_networkx().to_directed()
        assert nx.is_isomorphic(found, nx.DiGraph(wanted))
    assert sorted(copies) == list(range(40))
    # a seed repeats, and another differs
    again, other = make(seed=1).planted, make(seed=2).planted
    assert np.array_equal(dataset.planted.features, again.features)
    assert np.array_equal(dataset.planted.edges, again.edges)
    assert dataset.planted.edges.tolist() != other.edges.tolist()
