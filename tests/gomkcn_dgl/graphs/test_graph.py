"""Every container becomes a CSRGraph: literal results, logged repairs, refusals."""

import warnings
from dataclasses import fields

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.csr import CSRGraph, csr_from_edges, split_graphs
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr


def edges(graph):
    return [tuple(edge) for edge in graph.adjacent_pairs().tolist()]


def refuse(rule, make):
    """``make()`` raises one of our two errors, and its sentence contains the rule."""
    with pytest.raises((InputError, InputTypeError)) as raised:
        make()
    assert rule in str(raised.value)


CONSTANT = "no node features; using the constant 1 ({} nodes)".format


def test_a_path_has_literal_arrays():
    graph = csr_from_edges(np.array([1, 1]), np.array([2, 0]), 4)
    assert graph.indptr.tolist() == [0, 1, 3, 4, 4]
    assert graph.indices.tolist() == [1, 0, 2, 1]
    assert graph.features.tolist() == [[1], [1], [1], [1]]
    assert graph.weights is None
    assert graph.graph_ptr.tolist() == [0, 4]
    assert graph.node_ids is None
    assert graph.feature_names == ("constant",)
    assert (graph.num_nodes, graph.num_edges, graph.num_graphs) == (4, 2, 1)
    assert graph.degrees.tolist() == [1, 2, 1, 0]
    assert edges(graph) == [(0, 1), (1, 2)]


def test_every_repair_is_made_and_logged(log):
    #        mirrored  both ways  duplicate  loop
    source = [0, 1, 2, 3, 3, 2]
    target = [1, 2, 1, 0, 0, 2]
    graph = csr_from_edges(np.array(source), np.array(target), 4)
    assert edges(graph) == [(0, 1), (0, 3), (1, 2)]
    assert log() == [
        CONSTANT(4),
        "dropped 1 self-loops",
        "merged 1 duplicate edges",
        "read 2 edges as undirected",
    ]


def test_the_largest_weight_is_kept_and_weight_zero_is_no_edge(log):
    ends = np.array([[0, 1, 1, 2], [1, 0, 2, 0]])
    graph = csr_from_edges(*ends, 3, weights=[0.5, 2, 3, 0], features=np.ones((3, 1)))
    assert edges(graph) == [(0, 1), (1, 2)]
    assert graph.weights.tolist() == [2, 2, 3, 3]
    assert log() == [
        "dropped 1 edges of weight 0",
        "read 1 edges as undirected",
    ]


EDGE = ([0], [1], 2)


@pytest.mark.parametrize(
    ("arguments", "options", "rule"),
    [
        (([], [], 0), {}, "the graph is empty: it has no nodes."),
        (([], [], 2**31), {}, "a graph must have fewer than 2^31"),
        (([0], [5], 3), {}, "edge_index must name nodes from 0 to 2"),
        (([0], [1.0], 2), {}, "edge_index must hold integers"),
        (([0, 1], [1], 2), {}, "edge_index must hold one source and"),
        (EDGE, {"weights": [1, 2]}, "edge weights must be one number for"),
        (EDGE, {"weights": [-2]}, "edge weights must be at least 0"),
        (EDGE, {"weights": [np.nan]}, "edge weights must be finite"),
        (EDGE, {"features": np.zeros((3, 1))}, "features must have one row for each"),
        (EDGE, {"features": [1j, 2j]}, "features must be numbers"),
        (EDGE, {"features": [1.0, 1e300]}, "features must be at most 3.4e38 in"),
        (EDGE, {"feature_names": ["a", "b"], "features": [1, 2]}, "feature_names must have one"),
        (EDGE, {"node_ids": np.array([7])}, "node_ids must name all 2 nodes"),
        (EDGE, {"graph_ptr": [0, 1]}, "graph_ptr must rise from 0 to the"),
        (EDGE, {"graph_ptr": [0, 1, 2]}, "an edge must stay within one graph of"),
    ],
)
def test_csr_from_edges_refuses(arguments, options, rule):
    source, target, num_nodes = arguments
    refuse(rule, lambda: csr_from_edges(np.array(source), np.array(target), num_nodes, **options))


def test_dgl_features_of_any_type():
    graph = dgl.graph(([0], [1]))
    graph.ndata["feat"] = torch.tensor([[1.0, 2], [3, 4]], requires_grad=True)
    graph.ndata["mass"] = torch.tensor([1, 2])
    graph.ndata["metal"] = torch.tensor([True, False])
    graph.ndata["point"] = torch.tensor([[0.5, 1], [2, 3]]).bfloat16()
    default = as_csr(graph)
    assert default.features.tolist() == [[1, 2], [3, 4]]
    assert default.feature_names == ("x0", "x1")
    named = as_csr(graph, features=["point", "mass", "metal"])
    assert named.features.tolist() == [[0.5, 1, 1, 1], [2, 3, 2, 0]]
    assert named.feature_names == ("point0", "point1", "mass", "metal")
    assert as_csr(graph, features="mass").features.tolist() == [[1], [2]]


@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
def test_dgl_weights_follow_their_edges_in_every_layout(layout):
    graph = dgl.graph(([2, 0], [1, 1])).formats(layout)
    graph.edata["weight"] = torch.tensor([[2.0], [3]])
    result = as_csr(graph, edge_weight="weight")
    assert edges(result) == [(0, 1), (1, 2)]
    assert result.weights.tolist() == [3, 3, 2, 2]


def test_a_batched_dgl_graph_is_a_collection():
    graph = dgl.batch([dgl.graph(([0], [1])), dgl.graph(([0, 1], [1, 2]))])
    result = as_csr(graph)
    assert result.graph_ptr.tolist() == [0, 2, 5]
    assert result.graph_of(np.array([0, 1, 2, 4])).tolist() == [0, 0, 1, 1]
    assert result.original_ids(np.array([0, 1, 2, 4])) == [0, 1, 0, 2]


def test_dgl_refusals():
    graph = dgl.graph(([0], [1]))
    graph.ndata["mass"] = torch.ones(2)
    refuse("the graph is empty", lambda: as_csr(dgl.graph(([], []))))
    refuse("a DGLGraph has no 'size'; it holds ['mass'].", lambda: as_csr(graph, features=["size"]))
    refuse("a DGLGraph has no 'w'; it holds [].", lambda: as_csr(graph, edge_weight="w"))
    refuse("features must name at least one", lambda: as_csr(graph, features=[]))


@pytest.mark.parametrize(
    ("nodes", "ids"),
    [
        ([10, 30, 20], [10, 30, 20]),
        (["b", "a"], ["b", "a"]),
        ([(0, 1), (1, 0)], ["(0, 1)", "(1, 0)"]),
        ([np.int64(4), 7], [4, 7]),
        ([2**70, 1], [str(2**70), "1"]),
        ([0, 1], None),
    ],
)
def test_networkx_ids(nodes, ids):
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    node_ids = as_csr(graph).node_ids
    assert ids == (None if node_ids is None else node_ids.tolist())


def test_networkx_weights_and_features():
    graph = nx.Graph()
    graph.add_edge("a", "b", strength=2)
    graph.add_edge("b", "c", strength=0)
    nx.set_node_attributes(graph, {"a": 1, "b": 2, "c": 3}, "mass")
    nx.set_node_attributes(graph, {n: torch.tensor([0.0, 1.0]) for n in "abc"}, "feat")
    result = as_csr(graph, edge_weight="strength")
    assert (edges(result), result.weights.tolist()) == ([(0, 1)], [2, 2])
    assert result.feature_names == ("x0", "x1")
    assert as_csr(graph, features=("mass",)).features.tolist() == [[1], [2], [3]]
    assert as_csr(graph, features=[[4], [5], [6]]).features.tolist() == [[4], [5], [6]]


def test_networkx_refusals():
    graph = nx.Graph()
    graph.add_node("a", mass=1, name=3, point=[1])
    graph.add_node("b", name="y", point=[1, 2])
    graph.add_edge("a", "b", strength="strong")
    refuse("the graph is empty", lambda: as_csr(nx.Graph()))
    refuse("'mass' must be set everywhere, and 'b' does", lambda: as_csr(graph, features="mass"))
    refuse("'name' must hold numbers or text, not both", lambda: as_csr(graph, features="name"))
    refuse("'point' must have the same shape", lambda: as_csr(graph, features="point"))
    refuse("a networkx Graph has no 'w'; it", lambda: as_csr(graph, edge_weight="w"))
    refuse("edge weights must be numbers", lambda: as_csr(graph, edge_weight="strength"))


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_every_scipy_layout(layout):
    matrix = sp.csr_array(np.array([[0, 2, 0], [2, 0, 3], [0, 3, 0]])).asformat(layout)
    result = as_csr(matrix)
    assert edges(result) == [(0, 1), (1, 2)]
    assert result.weights.tolist() == [2, 2, 3, 3]


def test_scipy_values_are_weights_and_stored_zeros_are_no_edges():
    data, rows, columns = [0.5, 2.0, 0.0, 0.25], [0, 1, 0, 0], [1, 0, 2, 1]
    # an entry that is listed twice is a sum, as in toarray()
    matrix = sp.coo_array((data, (rows, columns)), shape=(3, 3))
    result = as_csr(matrix, features=np.ones(3))
    assert (result.is_directed, result.weights.tolist()) == (True, [0.75, 2])
    mirrored = as_csr(matrix, features=np.ones(3), directed=False)
    assert (edges(mirrored), mirrored.weights.tolist()) == ([(0, 1)], [2, 2])
    stored_zero = as_csr(sp.csr_array((np.array([1, 0]), ([0, 1], [1, 2])), shape=(3, 3)))
    assert (edges(stored_zero), stored_zero.weights) == ([(0, 1)], None)


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
def test_edge_index(kind):
    result = as_csr((kind([[0, 1], [1, 2]]), 4), features=np.arange(8).reshape(4, 2))
    assert edges(result) == [(0, 1), (1, 2)]
    assert result.features[3].tolist() == [6, 7]


@pytest.fixture(scope="module")
def pyg():
    """The classes of PyG, which warns while it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch_geometric.data
    return torch_geometric.data


def pyg_path(pyg, both_ways):
    forth = torch.tensor([[0, 1], [1, 2]])
    edge_index = torch.cat([forth, forth.flip(0)], dim=1) if both_ways else forth
    return pyg.Data(
        x=torch.tensor([[0.5, 1], [2, 3], [4, 5]]),
        edge_index=edge_index,
        edge_attr=torch.tensor([[2.0], [3.0]]).repeat(2 if both_ways else 1, 1),
        pos=torch.tensor([7.0, 8, 9]),
        y=torch.tensor(1),
    )


@pytest.mark.parametrize("both_ways", [True, False])
def test_pyg_attributes_by_name(pyg, both_ways):
    result = as_csr(pyg_path(pyg, both_ways), features=["pos", "x"], edge_weight="edge_attr")
    assert result.features.tolist() == [[7, 0.5, 1], [8, 2, 3], [9, 4, 5]]
    assert result.feature_names == ("pos", "x0", "x1")
    assert result.weights.tolist() == [2, 2, 3, 3]


def test_a_list_and_a_batch_of_pyg_data_are_collections(pyg):
    edgeless = pyg.Data(edge_index=torch.empty((2, 0), dtype=torch.int64), x=torch.ones(2, 2))
    graphs = [pyg_path(pyg, True), edgeless, pyg_path(pyg, False)]
    listed = as_csr(graphs)
    assert listed.graph_ptr.tolist() == [0, 3, 5, 8]
    assert edges(listed) == [(0, 1), (1, 2), (5, 6), (6, 7)]
    batch = as_csr(pyg.Batch.from_data_list([graphs[0], graphs[0]]), edge_weight="edge_attr")
    assert batch.graph_ptr.tolist() == [0, 3, 6]
    assert edges(batch) == [(0, 1), (1, 2), (3, 4), (4, 5)]
    assert batch.weights.tolist() == [2, 2, 3, 3] * 2
    assert batch.features.tolist() == [[0.5, 1], [2, 3], [4, 5]] * 2


def test_a_list_of_different_containers_logs_once(log):
    result = as_csr([nx.path_graph(2), (np.array([[0, 0], [1, 1]]), 3), dgl.graph(([0], [1]))])
    assert result.graph_ptr.tolist() == [0, 2, 5, 7]
    assert edges(result) == [(0, 1), (2, 3), (5, 6)]
    assert log() == [
        CONSTANT(7),
        "merged 1 duplicate edges",
        "directed: some edges are there in one direction only; directed=False mirrors them",
    ]
    assert result.notes == (CONSTANT(7), "merged 1 duplicate edges")
    # the edge without direction is there both ways
    assert [column.tolist() for column in result.edges()[:2]] == [[0, 1, 2, 5], [1, 0, 3, 6]]


def test_a_data_set_and_pairs_of_graph_and_label_give_their_graphs():
    class Tiny(dgl.data.DGLDataset):
        def __init__(self):
            super().__init__("tiny")

        def process(self):
            self.graphs = [dgl.graph(([0], [1])), dgl.graph(([0, 1], [1, 2]))]

        def __getitem__(self, index):
            return self.graphs[index], index

        def __len__(self):
            return len(self.graphs)

    assert as_csr(Tiny()).graph_ptr.tolist() == [0, 2, 5]
    assert as_csr(torch.utils.data.Subset(Tiny(), [1])).graph_ptr.tolist() == [0, 3]
    pairs = [(nx.grid_2d_graph(1, 2), torch.tensor(1)), (nx.grid_2d_graph(2, 1), 0)]
    assert as_csr(pairs).original_ids(np.arange(4)) == ["(0, 0)", "(0, 1)", "(0, 0)", "(1, 0)"]


def test_list_refusals():
    path = nx.path_graph(2)
    refuse("the collection is empty", lambda: as_csr([]))
    refuse("graph 1 of the list", lambda: as_csr([path, nx.Graph()]))
    refuse("graph 0 of the list: graph must be ", lambda: as_csr([3]))


def test_a_csr_graph_passes_through():
    graph = as_csr(nx.path_graph(3))
    assert as_csr(graph) is graph
    features = np.arange(3.0)
    featured = as_csr(graph, features=features)
    features[:] = 7
    assert isinstance(featured, CSRGraph)
    assert featured.features.tolist() == [[0], [1], [2]]
    wide = as_csr(graph, features=np.arange(6).reshape(3, 2))
    assert as_csr(wide, features=["x1"]).features.tolist() == [[1], [3], [5]]
    assert featured.indices is graph.indices


def test_a_list_keeps_ids_and_weights():
    parts = [
        csr_from_edges(np.array([0]), np.array([1]), 2, weights=[2], node_ids=np.array([5, 6])),
        csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, weights=[3, 4]),
    ]
    both = as_csr(parts)
    assert both.indptr.tolist() == [0, 1, 2, 3, 5, 6]
    assert both.indices.tolist() == [1, 0, 3, 2, 4, 3]
    assert both.weights.tolist() == [2, 2, 3, 3, 4, 4]
    assert both.original_ids(np.arange(5)) == [5, 6, 0, 1, 2]
    assert both.indices.dtype == np.int32
    assert as_csr(parts[:1]).weights.tolist() == [2, 2]
    assert as_csr([both, both]).graph_ptr.tolist() == [0, 2, 5, 7, 10]
    several = as_csr([as_csr([parts[1]] * 2), parts[0]])
    assert several.original_ids(np.arange(8)) == [0, 1, 2, 0, 1, 2, 5, 6]


def test_a_list_refuses_graphs_that_do_not_fit_together():
    ends = np.array([0]), np.array([1]), 2
    plain, wide = csr_from_edges(*ends), csr_from_edges(*ends, features=np.ones((2, 2)))
    weighted = csr_from_edges(*ends, weights=[1])
    refuse("all graphs must have the same feature", lambda: as_csr([plain, wide]))
    refuse("all graphs must have the same edge weights", lambda: as_csr([plain, weighted]))


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_and_relabelled_edges_give_the_same_graph(seed):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(12, size=(2, 40))
    weights = rng.random(40)
    graph = csr_from_edges(source, target, 12, weights=weights)
    order, relabelling = rng.permutation(40), rng.permutation(12)
    shuffled = csr_from_edges(source[order], target[order], 12, weights=weights[order])
    assert np.array_equal(graph.indices, shuffled.indices)
    assert np.array_equal(graph.weights, shuffled.weights)
    relabelled = csr_from_edges(relabelling[source], relabelling[target], 12, weights=weights)
    dense, other = (
        sp.csr_array((part.weights, part.indices, part.indptr), shape=(12, 12)).toarray()
        for part in (graph, relabelled)
    )
    assert np.array_equal(dense, other[np.ix_(relabelling, relabelling)])
    assert np.array_equal(dense, dense.T)


def test_a_collection_is_split_and_joined_again():
    rng = np.random.default_rng(0)
    source, target, relation = rng.integers(0, 6, (3, 30))
    graph_ptr = np.array([0, 6, 8, 14])
    first = np.repeat([0, 8], 15)
    graph = csr_from_edges(
        source + first,
        target + first,
        14,
        weights=rng.random(30) + 0.1,
        features=rng.random((14, 2)),
        graph_ptr=graph_ptr,
        node_ids=np.array([f"n{i}" for i in range(14)]),
        directed=[True, False],
        relation=relation % 2,
        relation_names=["a", "b"],
    )
    parts = split_graphs(graph)
    assert [part.num_nodes for part in parts] == [6, 2, 6]
    assert [part.num_edges for part in parts[1:2]] == [0]
    again = as_csr(parts)
    for field in fields(graph):
        left, right = getattr(graph, field.name), getattr(again, field.name)
        if isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right)
            assert left.dtype == right.dtype
    assert again.relations.kinds == graph.relations.kinds
    # in another order, each graph still has its own edges
    turned = as_csr(parts[::-1])
    for part, same in zip(parts, split_graphs(turned)[::-1], strict=True):
        assert [column.tolist() for column in part.edges()] == [
            column.tolist() for column in same.edges()
        ]
