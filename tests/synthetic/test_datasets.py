"""The ready-made data sets: sizes, truth, split, indices."""

import networkx as nx
import numpy as np
import pytest
import torch

from synthetic import MOTIFS, MotifClassificationDataset, PlantingSettings, planted_motif_graph


@pytest.fixture(scope="module")
def graphs():
    return MotifClassificationDataset(num_graphs=122, seed=3)


def test_the_mining_graph_has_the_stated_size_and_balance():
    planted = planted_motif_graph()
    graph = planted.to_dgl()
    assert (graph.num_nodes(), graph.num_edges()) == (1000, 2278)
    assert graph.ndata["feat"].shape == (1000, 3)
    assert torch.bincount(graph.ndata["node_type"]).tolist() == [760, 60, 60, 60, 60]
    assert planted.motif_names == ("house", "cup", "wheel", "crown")
    assert [row["copies"] for row in planted.truth()["motifs"]] == [10] * 4


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: planted_motif_graph(num_base_nodes=30, copies=1, seed=seed),
        lambda seed: MotifClassificationDataset(num_graphs=40, seed=seed).planted,
    ],
)
def test_a_seed_repeats_and_another_differs(make):
    first, again, other = make(1), make(1), make(2)
    assert np.array_equal(first.edges, again.edges)
    assert np.array_equal(first.features, again.features)
    assert first.edges.tolist() != other.edges.tolist()
    assert not np.array_equal(first.features, other.features)


def test_the_paper_set_has_the_stated_sizes():
    dataset = MotifClassificationDataset(seed=1)
    assert len(dataset) == 8000
    assert torch.bincount(dataset.labels).tolist() == [2000] * 4
    assert dataset.planted.num_nodes == 8000 * 31
    sizes = []
    for part in (dataset.train_idx, dataset.val_idx, dataset.test_idx):
        sizes.append(len(part))
        assert torch.bincount(dataset.labels[part]).tolist() == [len(part) // 4] * 4
    assert sizes == [6400, 800, 800]
    assert dataset.motif_names == ("book", "diamond", "circle", "email")
    assert dataset.num_classes == 4


def test_every_graph_is_a_tree_and_the_motif_of_its_label(graphs):
    for index in range(len(graphs)):
        graph, label = graphs[index]
        assert label.dtype == torch.int64 and label.shape == ()
        plain = nx.Graph(list(zip(*(ends.tolist() for ends in graph.edges()), strict=True)))
        inside = graph.ndata["node_mask"].nonzero().squeeze(1).tolist()
        assert inside == list(range(25, 31))
        motif = MOTIFS[graphs.motif_names[int(label)]]
        found = nx.relabel_nodes(plain.subgraph(inside), lambda node: node - 25)
        assert nx.utils.graphs_equal(nx.Graph(found.edges), nx.Graph(motif.edges))
        assert nx.is_tree(plain.subgraph(range(25)))
        assert plain.number_of_edges() == 24 + len(motif.edges) + 1
        assert nx.is_connected(plain) and len(plain) == 31
        assert (graph.ndata["node_type"][inside] == label + 1).all()


def test_graphs_are_valid_when_motifs_differ_in_size():
    dataset = MotifClassificationDataset(
        settings=PlantingSettings("per_node"),
        num_graphs=40,
        num_base_nodes=8,
        motifs=("square", "wheel8"),
    )
    sizes = dataset.labels * 4 + 12
    for index in range(40):
        graph, label = dataset[index]
        assert graph.num_nodes() == sizes[index]
        assert graph.ndata["node_role"][8:].tolist() == list(range(4 + 4 * int(label)))


@pytest.mark.parametrize("num_graphs", [40, 122])
def test_the_split_is_disjoint_complete_and_stratified(num_graphs):
    dataset = MotifClassificationDataset(num_graphs=num_graphs)
    parts = (dataset.train_idx, dataset.val_idx, dataset.test_idx)
    assert torch.equal(torch.cat(parts).sort().values, torch.arange(num_graphs))
    assert torch.bincount(dataset.labels).tolist() == [
        len(range(label, num_graphs, 4)) for label in range(4)
    ]
    tenth = num_graphs // 40
    for part in parts[1:]:
        assert torch.bincount(dataset.labels[part]).tolist() == [tenth] * 4


def test_indices_count_from_the_end_and_stop(graphs):
    assert graphs[-1][0] is graphs[121][0]
    with pytest.raises(IndexError):
        graphs[122]
