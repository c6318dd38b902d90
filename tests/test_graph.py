"""Every container → CSRGraph: literal results, every repair logged, every refusal a sentence."""

import logging
import re
import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr, concatenate, csr_from_edges


def says(sentence):
    return re.escape(sentence)


def edges(graph):
    return [tuple(edge) for edge in graph.undirected_edges().tolist()]


@pytest.fixture
def log(caplog):
    """Give the messages that the conversion has logged so far."""
    caplog.set_level(logging.INFO, logger="gomkcn_dgl")
    return lambda: [record.getMessage() for record in caplog.records]


CONSTANT = "no node features: every node gets the constant feature 1 ({} nodes)".format


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
        "mirrored 2 edges that were given in one direction",
    ]


def test_the_largest_weight_stays_and_weight_zero_is_no_edge(log):
    graph = csr_from_edges(
        np.array([0, 1, 1, 2]),
        np.array([1, 0, 2, 0]),
        3,
        weights=[0.5, 2, 3, 0],
        features=np.ones((3, 1)),
    )
    assert edges(graph) == [(0, 1), (1, 2)]
    assert graph.weights.tolist() == [2, 2, 3, 3]
    assert log() == [
        "dropped 1 edges of weight 0",
        "mirrored 1 edges that were given in one direction",
    ]


def test_input_arrays_are_not_shared():
    features = np.ones((2, 1), np.float32)
    graph = csr_from_edges(np.array([0]), np.array([1]), 2, features=features)
    features[:] = 7
    assert graph.features.tolist() == [[1], [1]]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "sentence"),
    [
        (([], [], 0), {}, InputError, "the graph is empty: it has no nodes."),
        (([], [], 2**31), {}, InputError, "a graph must have fewer than 2^31"),
        (([0], [5], 3), {}, InputError, "edge_index must name nodes from 0 to 2"),
        (([-1], [5], 3), {}, InputError, "edge_index must name nodes from 0 to 2"),
        (([0.0], [1.0], 2), {}, InputTypeError, "edge_index must hold integers"),
        (([0], [1.0], 2), {}, InputTypeError, "edge_index must hold integers"),
        (([0, 1], [1], 2), {}, InputError, "edge_index must hold one source and"),
        (([0], [1], 2), {"weights": [1, 2]}, InputError, "edge weights must be one number for"),
        (([0, 1], [1, 0], 2), {"weights": [1, -2]}, InputError, "edge weights must be at least 0"),
        (([0], [1], 2), {"weights": [np.nan]}, InputError, "edge weights must be finite"),
        (([0], [1], 2), {"weights": ["a"]}, InputTypeError, "edge weights must be numbers"),
        (
            ([0], [1], 2),
            {"features": np.zeros((3, 1))},
            InputError,
            "features must have one row for each",
        ),
        (
            ([0], [1], 2),
            {"features": np.zeros((2, 0))},
            InputError,
            "features must have one row for each",
        ),
        (([0], [1], 2), {"features": [1j, 2j]}, InputTypeError, "features must be numbers"),
        (
            ([0], [1], 2),
            {"features": [1.0, 1e300]},
            InputError,
            "features must be at most 3.4e38 in",
        ),
        (
            ([0], [1], 2),
            {"features": np.ones((2, 2)), "feature_names": ["a"]},
            InputError,
            "feature_names must have one name for",
        ),
        (([0], [1], 2), {"node_ids": np.array([7])}, InputError, "node_ids must name all 2 nodes"),
        (([0], [1], 2), {"graph_ptr": [0, 1]}, InputError, "graph_ptr must rise from 0 to the"),
        (
            ([0], [1], 2),
            {"graph_ptr": [0, 1, 2]},
            InputError,
            "an edge must stay within one graph of",
        ),
    ],
)
def test_csr_from_edges_refuses(arguments, options, error, sentence):
    source, target, num_nodes = arguments
    with pytest.raises(error, match=says(sentence)):
        csr_from_edges(np.array(source), np.array(target), num_nodes, **options)


def test_dgl_with_default_features(log):
    graph = dgl.graph(([0, 1], [1, 2]))
    graph.ndata["feat"] = torch.tensor([[1.0, 2], [3, 4], [5, 6]], requires_grad=True)
    result = as_csr(graph)
    assert edges(result) == [(0, 1), (1, 2)]
    assert result.features.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert result.feature_names == ("x0", "x1")
    assert log() == ["mirrored 2 edges that were given in one direction"]


def test_dgl_with_named_features_of_any_type():
    graph = dgl.graph(([0], [1]))
    graph.ndata["mass"] = torch.tensor([1, 2])
    graph.ndata["metal"] = torch.tensor([True, False])
    graph.ndata["place"] = torch.tensor([[0.5, 1], [2, 3]]).bfloat16()
    result = as_csr(graph, features=["place", "mass", "metal"])
    assert result.features.tolist() == [[0.5, 1, 1, 1], [2, 3, 2, 0]]
    assert result.feature_names == ("place0", "place1", "mass", "metal")
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
    two_types = dgl.heterograph({("a", "to", "b"): ([0], [1])})
    with pytest.raises(InputTypeError, match=r"must be homogeneous, got .*'a', 'b'"):
        as_csr(two_types)
    with pytest.raises(InputError, match=says("the graph is empty: it has no nodes.")):
        as_csr(dgl.graph(([], [])))
    graph = dgl.graph(([0], [1]))
    graph.ndata["mass"] = torch.ones(2)
    with pytest.raises(InputError, match=says("ndata has no 'size'")):
        as_csr(graph, features=["size"])
    with pytest.raises(InputError, match=says("edata has no 'w'; it holds [].")):
        as_csr(graph, edge_weight="w")
    with pytest.raises(InputError, match=says("features must name at least one")):
        as_csr(graph, features=[])


def test_networkx_undirected_keeps_its_ids(log):
    graph = nx.Graph([(10, 20), (20, 30)])
    result = as_csr(graph)
    assert result.node_ids.tolist() == [10, 20, 30]
    assert result.original_ids(np.array([2, 0])) == [30, 10]
    assert edges(result) == [(0, 1), (1, 2)]
    assert log() == [CONSTANT(3)]


@pytest.mark.parametrize(
    ("nodes", "ids"),
    [
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
    found = as_csr(graph).node_ids
    assert ids == (None if found is None else found.tolist())


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
    with pytest.raises(InputError, match=says("the graph is empty: it has no nodes.")):
        as_csr(nx.Graph())
    graph = nx.Graph()
    graph.add_node("a", mass=1, name="x", place=[1])
    graph.add_node("b", name="y", place=[1, 2])
    graph.add_edge("a", "b", strength="strong")
    with pytest.raises(InputError, match=says("features names the node attribute")):
        as_csr(graph, features="mass")
    with pytest.raises(InputTypeError, match="node attributes 'name' must hold numbers, got <U1"):
        as_csr(graph, features="name")
    with pytest.raises(InputError, match=says("the node attribute 'place' must have")):
        as_csr(graph, features="place")
    with pytest.raises(InputError, match=says("edge_weight 'w' must be set on every")):
        as_csr(graph, edge_weight="w")
    with pytest.raises(InputTypeError, match="edge_weight 'strength' must be numbers, got <U6"):
        as_csr(graph, edge_weight="strength")


def test_scipy_values_are_weights_and_stored_zeros_are_no_edges(log):
    data, rows, columns = [0.5, 2.0, 0.0, 0.25], [0, 1, 0, 0], [1, 0, 2, 1]
    # an entry that is listed twice is a sum, as in toarray()
    matrix = sp.coo_array((data, (rows, columns)), shape=(3, 3))
    result = as_csr(matrix, features=np.ones(3))
    assert edges(result) == [(0, 1)]
    assert result.weights.tolist() == [2, 2]
    stored_zero = sp.csr_array((np.array([1, 0]), ([0, 1], [1, 2])), shape=(3, 3))
    assert as_csr(stored_zero).weights is None
    assert edges(as_csr(stored_zero)) == [(0, 1)]


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_every_scipy_layout(layout):
    matrix = sp.csr_array(np.array([[0, 2, 0], [2, 0, 3], [0, 3, 0]])).asformat(layout)
    result = as_csr(matrix)
    assert edges(result) == [(0, 1), (1, 2)]
    assert result.weights.tolist() == [2, 2, 3, 3]


def test_scipy_refusals():
    with pytest.raises(InputError, match=says("an adjacency matrix must be square")):
        as_csr(sp.csr_matrix((2, 3)))
    square = sp.csr_matrix(np.array([[0, 1], [1, 0]]))
    sentence = "features must be an array [V, D] for"
    for names in ("feat", ["feat"]):
        with pytest.raises(InputError, match=says(sentence)):
            as_csr(square, features=names)
    with pytest.raises(InputError, match=says("edge_weight cannot be given for a")):
        as_csr(square, edge_weight="w")
    with pytest.raises(InputError, match="edge weights must be at least 0, got -1"):
        as_csr(-square)


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
def test_edge_index(kind):
    result = as_csr((kind([[0, 1], [1, 2]]), 4), features=np.arange(8).reshape(4, 2))
    assert edges(result) == [(0, 1), (1, 2)]
    assert result.features[3].tolist() == [6, 7]


def test_edge_index_refusals():
    with pytest.raises(InputError, match=says("edge_index must have the shape [2, E]")):
        as_csr((np.zeros((3, 2), int), 4))
    with pytest.raises(InputError, match=says("edge_index must have the shape [2, E]")):
        as_csr(([[0], [1, 2]], 4))
    with pytest.raises(InputError, match=says("num_nodes must be at least 0")):
        as_csr((np.zeros((2, 1), int), -1))


@pytest.fixture(scope="module")
def pyg():
    """The classes of PyG, an optional package that warns while it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("torch_geometric.data", reason="PyG is not installed")


def a_path(pyg, both_ways):
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
    result = as_csr(a_path(pyg, both_ways), features=["pos", "x"], edge_weight="edge_attr")
    assert result.features.tolist() == [[7, 0.5, 1], [8, 2, 3], [9, 4, 5]]
    assert result.feature_names == ("pos", "x0", "x1")
    assert result.weights.tolist() == [2, 2, 3, 3]


def test_a_list_and_a_batch_of_pyg_data_are_collections(pyg):
    lone = pyg.Data(edge_index=torch.empty((2, 0), dtype=torch.int64), x=torch.ones(2, 2))
    graphs = [a_path(pyg, True), lone, a_path(pyg, False)]
    listed = as_csr(graphs)
    assert listed.graph_ptr.tolist() == [0, 3, 5, 8]
    assert edges(listed) == [(0, 1), (1, 2), (5, 6), (6, 7)]
    batch = as_csr(pyg.Batch.from_data_list([graphs[0], graphs[0]]), edge_weight="edge_attr")
    assert batch.graph_ptr.tolist() == [0, 3, 6]
    assert edges(batch) == [(0, 1), (1, 2), (3, 4), (4, 5)]
    assert batch.weights.tolist() == [2, 2, 3, 3] * 2
    assert batch.features.tolist() == [[0.5, 1], [2, 3], [4, 5]] * 2


def test_pyg_refusals(pyg):
    with pytest.raises(InputError, match=says("edge_index of a PyG graph must be set")):
        as_csr(pyg.Data(num_nodes=3))
    with pytest.raises(InputError, match="a PyG graph has no 'mass'; it holds "):
        as_csr(a_path(pyg, True), features="mass")
    with pytest.raises(InputError, match="a PyG graph has no 'edge_mass'; it holds "):
        as_csr(a_path(pyg, True), edge_weight="edge_mass")
    wide = a_path(pyg, True)
    wide.edge_attr = torch.ones(4, 2)
    sentence = "edge weights must be one number for"
    with pytest.raises(InputError, match=sentence):
        as_csr(wide, edge_weight="edge_attr")
    several = pyg.HeteroData()
    several["author"].x, several["paper"].x = torch.ones(2, 1), torch.ones(3, 1)
    with pytest.raises(InputTypeError, match=says("graph must be homogeneous")):
        as_csr(several)


def test_a_list_of_unlike_containers_logs_once(log):
    result = as_csr([nx.path_graph(2), (np.array([[0, 0], [1, 1]]), 3), dgl.graph(([0], [1]))])
    assert result.graph_ptr.tolist() == [0, 2, 5, 7]
    assert edges(result) == [(0, 1), (2, 3), (5, 6)]
    assert log() == [
        CONSTANT(7),
        "merged 1 duplicate edges",
        "mirrored 2 edges that were given in one direction",
    ]


def test_a_labelled_data_set_gives_its_graphs():
    class Tiny(dgl.data.DGLDataset):
        def __init__(self):
            super().__init__("tiny")

        def process(self):
            self.graphs = [dgl.graph(([0], [1])), dgl.graph(([0, 1], [1, 2]))]

        def __getitem__(self, index):
            return self.graphs[index], index

        def __len__(self):
            return len(self.graphs)

    data_set = Tiny()
    assert as_csr(data_set).graph_ptr.tolist() == [0, 2, 5]
    part = torch.utils.data.Subset(data_set, [1])
    assert as_csr(part).graph_ptr.tolist() == [0, 3]
    # torch tensors as labels, grid nodes that are pairs
    pairs = [(nx.grid_2d_graph(1, 2), torch.tensor(1)), (nx.grid_2d_graph(2, 1), 0)]
    assert as_csr(pairs).original_ids(np.arange(4)) == ["(0, 0)", "(0, 1)", "(0, 0)", "(1, 0)"]


def test_list_refusals():
    with pytest.raises(InputError, match=says("the collection is empty")):
        as_csr([])
    with pytest.raises(InputError, match=says("graph 1 of the list")):
        as_csr([nx.path_graph(2), nx.Graph()])
    with pytest.raises(InputTypeError, match=r"graph 0 of the list: graph must be .*, got int"):
        as_csr([3])
    with pytest.raises(InputError, match=says("features must be attribute names when")):
        as_csr([nx.path_graph(2)], features=np.ones((2, 1)))
    featured = dgl.graph(([0], [1]))
    featured.ndata["feat"] = torch.ones(2, 1)
    with pytest.raises(InputError, match=says("all graphs must have the same features")):
        as_csr([featured, nx.path_graph(2)])


@pytest.mark.parametrize("thing", [None, 3, np.eye(2), {"a": 1}, b"ab", object()])
def test_other_objects_are_refused(thing):
    kind = type(thing).__name__
    with pytest.raises(InputTypeError, match=f"graph must be a DGLGraph, .* got {kind}"):
        as_csr(thing)


def test_a_path_is_sent_to_read_graph():
    with pytest.raises(InputTypeError, match=says("graph must be a graph")):
        as_csr("x.txt")


def test_a_csr_graph_passes_through():
    graph = as_csr(nx.path_graph(3))
    assert as_csr(graph) is graph
    featured = as_csr(graph, features=np.arange(3))
    assert isinstance(featured, CSRGraph)
    assert featured.features.tolist() == [[0], [1], [2]]
    assert featured.indices is graph.indices
    with pytest.raises(InputError, match=says("features must be an array [V, D] for")):
        as_csr(graph, features="feat")
    with pytest.raises(InputError, match=says("edge_weight cannot be given for a")):
        as_csr(graph, edge_weight="w")


def test_concatenate_keeps_ids_and_weights():
    parts = [
        csr_from_edges(np.array([0]), np.array([1]), 2, weights=[2], node_ids=np.array([5, 6])),
        csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, weights=[3, 4]),
    ]
    both = concatenate(parts)
    assert both.indptr.tolist() == [0, 1, 2, 3, 5, 6]
    assert both.indices.tolist() == [1, 0, 3, 2, 4, 3]
    assert both.weights.tolist() == [2, 2, 3, 3, 4, 4]
    assert both.original_ids(np.arange(5)) == [5, 6, 0, 1, 2]
    assert both.indices.dtype == np.int32
    assert concatenate(parts[:1]) is parts[0]
    four = concatenate([both, both])
    assert four.graph_ptr.tolist() == [0, 2, 5, 7, 10]


def test_concatenate_refuses_unlike_graphs():
    plain = csr_from_edges(np.array([0]), np.array([1]), 2)
    wide = csr_from_edges(np.array([0]), np.array([1]), 2, features=np.ones((2, 2)))
    weighted = csr_from_edges(np.array([0]), np.array([1]), 2, weights=[1])
    with pytest.raises(InputError, match=says("all graphs must have the same feature")):
        concatenate([plain, wide])
    with pytest.raises(InputError, match=says("either all graphs must have edge")):
        concatenate([plain, weighted])


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_and_relabelled_edges_give_the_same_graph(seed):
    rng = np.random.default_rng(seed)
    num_nodes = 12
    source, target = rng.integers(num_nodes, size=(2, 40))
    weights = rng.random(40)
    graph = csr_from_edges(source, target, num_nodes, weights=weights)
    shuffle = rng.permutation(40)
    again = csr_from_edges(source[shuffle], target[shuffle], num_nodes, weights=weights[shuffle])
    assert np.array_equal(graph.indices, again.indices)
    assert np.array_equal(graph.weights, again.weights)
    rename = rng.permutation(num_nodes)
    renamed = csr_from_edges(rename[source], rename[target], num_nodes, weights=weights)

    def dense(part):
        shape = (num_nodes, num_nodes)
        return sp.csr_array((part.weights, part.indices, part.indptr), shape=shape).toarray()

    assert np.array_equal(dense(graph), dense(renamed)[np.ix_(rename, rename)])
    assert np.array_equal(dense(graph), dense(graph).T)
