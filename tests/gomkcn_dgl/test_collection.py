"""GraphCollection: a batch holds the subgraphs of its graphs, with new ids."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import GraphCollection, SubgraphSettings, as_csr

GRAPHS = [nx.cycle_graph(4), nx.star_graph(5), nx.empty_graph(1), nx.path_graph(3)]


def collection(graphs):
    feat = np.concatenate([np.full((len(graph), 2), len(graph), np.float32) for graph in graphs])
    return GraphCollection(replace(as_csr(graphs), features=feat), SubgraphSettings(2, 3))


@pytest.mark.parametrize("chosen", [[0], [3, 1], [2], [1, 1], []])
def test_a_batch_has_the_subgraphs_of_its_graphs(chosen):
    batch = collection(GRAPHS).batch(chosen)
    sizes = [len(GRAPHS[number]) for number in chosen]
    assert batch.graph_sizes.tolist() == sizes
    assert batch.feat.shape == (sum(sizes), 2)
    first = 0
    for number, size in zip(chosen, sizes, strict=True):
        rows = slice(first, first + size)
        nodes = batch.subgraphs.nodes[rows]
        # the first node of each subgraph is its root
        assert nodes[:, 0].tolist() == list(range(first, first + size))
        inside = nodes[nodes >= 0]
        assert bool(((inside >= first) & (inside < first + size)).all())
        adjacency = batch.subgraphs.adjacency(torch.float32)[rows]
        adjacency_of_graph = nx.to_numpy_array(GRAPHS[number])
        for row, edges in zip(nodes.tolist(), adjacency, strict=True):
            real = [node - first for node in row if node >= 0]
            expected = torch.from_numpy(adjacency_of_graph[np.ix_(real, real)]).float()
            torch.testing.assert_close(edges[: len(real), : len(real)], expected)
        assert (batch.feat[first : first + size] == size).all()
        first += size


def test_a_batch_of_sparse_features_has_the_rows_of_its_graphs():
    feat = np.zeros((9, 300), np.float32)
    feat[np.arange(9), np.arange(9) * 30] = 1
    graphs = GraphCollection(
        replace(as_csr([GRAPHS[0], GRAPHS[3], nx.path_graph(2)]), features=feat),
        SubgraphSettings(1, 3),
    )
    batch = graphs.batch([2, 0])
    assert batch.feat.layout == torch.sparse_csr
    assert batch.feat.to_dense().argmax(dim=1).tolist() == [210, 240, 0, 30, 60, 90]
