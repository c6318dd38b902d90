"""DGL heterographs and PyG HeteroData: node types are features, edge types are relations."""

import warnings

import pytest
import torch

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr

EDGES = {
    ("author", "writes", "paper"): ([0, 0, 1], [0, 1, 1]),
    ("paper", "cites", "paper"): ([0], [1]),
    ("author", "knows", "author"): ([0, 1], [1, 0]),
}


def citations():
    return dgl.heterograph(EDGES, {"author": 2, "paper": 3})


def test_types_of_nodes_and_edges(log):
    graph = as_csr(citations())
    assert graph.feature_names == ("type=author", "type=paper")
    assert graph.features.argmax(axis=1).tolist() == [0, 0, 1, 1, 1]
    kinds = dict(zip(graph.relations.names, graph.relations.directed, strict=True))
    assert kinds == {"knows": False, "cites": True, "writes": True}
    names = [graph.relations.names[number] for number in graph.edges()[2]]
    found = sorted(zip(*(column.tolist() for column in graph.edges()[:2]), names, strict=True))
    assert found == [
        (0, 1, "knows"),
        (0, 2, "writes"),
        (0, 3, "writes"),
        (1, 3, "writes"),
        (2, 3, "cites"),
    ]
    assert any(line.startswith("directed: some edges of writes, cites are") for line in log())


def test_an_edge_type_that_is_used_twice_is_called_by_its_ends():
    graph = dgl.heterograph({("a", "to", "b"): ([0], [0]), ("b", "to", "a"): ([0], [1])})
    assert set(as_csr(graph).relations.names) == {"a:to:b", "b:to:a"}


def test_features_and_weights_of_all_types():
    graph = citations()
    for kind in graph.ntypes:
        graph.nodes[kind].data["feat"] = torch.rand(graph.num_nodes(kind), 2)
    graph.nodes["author"].data["age"] = torch.tensor([30, 40])
    for kind in graph.etypes:
        graph.edges[kind].data["w"] = torch.arange(graph.num_edges(kind)) + 1.0
    result = as_csr(graph, edge_weight="w")
    assert result.feature_names == ("type=author", "type=paper", "x0", "x1")
    assert "not used: node attribute age" in result.notes
    with pytest.raises(InputError, match="the node type 'paper' has no 'age'; it holds"):
        as_csr(graph, features="age")
    graph.nodes["paper"].data["feat"] = torch.rand(3, 5)
    words = "'feat' must have the same width everywhere, got 2 for the node type 'author', 5 for"
    with pytest.raises(InputError, match=words):
        as_csr(graph)
    assert as_csr(graph, features="type").feature_names == ("type=author", "type=paper")
    with pytest.raises(InputError, match="edge_type cannot be given for a DGLGraph, whose edges"):
        as_csr(graph, features="type", edge_type="w")


def test_one_type_of_nodes_needs_no_feature():
    graph = as_csr(dgl.heterograph({("n", "a", "n"): ([0], [1]), ("n", "b", "n"): ([1], [0])}))
    assert graph.feature_names == ("constant",)
    assert graph.relations.names == ("a", "b")


def test_a_batch_of_heterographs_is_a_collection():
    batch = as_csr(dgl.batch([citations(), citations()]))
    listed = as_csr([citations(), citations()])
    assert batch.graph_ptr.tolist() == [0, 5, 10]
    assert batch.features.tolist() == listed.features.tolist()
    assert batch.links.tolist() == listed.links.tolist()


def test_types_in_edge_data():
    graph = dgl.graph(([0, 1, 1, 2], [1, 0, 2, 0]))
    graph.edata["kind"] = torch.tensor([3, 3, 5, 5])
    relations = as_csr(graph, edge_type="kind").relations
    assert (relations.names, relations.directed) == (("3", "5"), (False, True))


def pyg_graph():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch_geometric.data as pyg
    graph = pyg.HeteroData()
    for kind, size in (("author", 2), ("paper", 3)):
        graph[kind].x = torch.rand(size, 1)
    graph["paper"].y = torch.zeros(3)
    for kind, ends in EDGES.items():
        graph[kind].edge_index = torch.tensor(ends)
    return graph


def test_hetero_data():
    graph, like = as_csr(pyg_graph()), as_csr(citations())
    assert graph.feature_names == ("type=author", "type=paper", "x")
    assert graph.features[:, :2].tolist() == like.features.tolist()
    assert set(graph.relations.names) == {"writes", "cites", "knows"}
    assert graph.num_edges == like.num_edges
    assert "not used: node attribute y" in graph.notes


def test_a_batch_of_hetero_data():
    pyg_graph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch_geometric.data import Batch

    graphs = [pyg_graph(), pyg_graph()]
    batch = as_csr(Batch.from_data_list(graphs))
    assert batch.graph_ptr.tolist() == [0, 5, 10]
    assert batch.links.tolist() == as_csr(graphs).links.tolist()


def test_a_batch_in_a_list_keeps_its_graphs():
    pair, ring = dgl.graph(([0, 1], [1, 0])), dgl.graph(([0, 1, 2], [1, 2, 0]))
    graph = as_csr([dgl.batch([pair, ring]), pair])
    assert graph.graph_ptr.tolist() == [0, 2, 5, 7]
