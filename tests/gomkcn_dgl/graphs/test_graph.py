"""One graph in the containers of all libraries is one CSRGraph; what each does by itself."""

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch
import torch_geometric.data as pyg
from graph_files import assert_same, named_edges

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr, graph_labels
from gomkcn_dgl.graph_content import pick_columns
from gomkcn_dgl.graph_html import describe_graph
from gomkcn_dgl.io.reading import read_graph

# arcs with a relation and a weight, one of them in both directions; node 4 has none
SOURCE, TARGET = np.array([[0, 1, 1, 2, 0], [1, 0, 2, 3, 3]])
SIGNS, WEIGHTS = ["+", "+", "-", "-", "+"], [1.0, 2.0, 0.5, 3.0, 4.0]
SIZES, KINDS = [0.5, 1.0, 1.5, 2.0, 2.5], ["p", "q", "p", "q", "q"]
FEATURES = [[size, kind == "p", kind == "q"] for size, kind in zip(SIZES, KINDS, strict=True)]
LAYOUTS = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")


def with_attributes(graph):
    """The five nodes and arcs in a graph of NetworkX."""
    for node, (size, kind) in enumerate(zip(SIZES, KINDS, strict=True)):
        graph.add_node(node, size=size, kind=kind)
    columns = (SOURCE.tolist(), TARGET.tolist(), WEIGHTS, SIGNS)
    for number, (u, v, weight, sign) in enumerate(zip(*columns, strict=True)):
        graph.add_edge(u, v, weight=weight, sign=sign, since=number)
    return graph


def igraph_graph(directed):
    graph = igraph.Graph(5, list(zip(SOURCE.tolist(), TARGET.tolist(), strict=True)), directed)
    graph.vs["size"], graph.vs["kind"] = SIZES, KINDS
    graph.es["weight"], graph.es["sign"] = WEIGHTS, SIGNS
    return graph


def dgl_graph(layout="coo"):
    graph = dgl.graph((SOURCE, TARGET), num_nodes=5).formats(layout)
    graph.edata["weight"] = torch.tensor(WEIGHTS)[:, None]
    graph.ndata["size"] = torch.tensor(SIZES, requires_grad=True)
    return graph


def pyg_graph():
    ends = torch.from_numpy(np.stack([SOURCE, TARGET]))
    return pyg.Data(
        edge_index=ends, size=torch.tensor(SIZES), weight=torch.tensor(WEIGHTS)[:, None],
        num_nodes=5, y=torch.tensor(1),
    )  # fmt: skip


def edge_table():
    return pd.DataFrame({"source": SOURCE, "sign": SIGNS, "target": TARGET, "weight": WEIGHTS})


def expected(typed=False, features=None, directed=True, num_nodes=5, weighted=True):
    """The same graph made of arrays."""
    relation = {"relation": np.array([0, 0, 1, 1, 0]), "relation_names": ["+", "-"]}
    return csr_from_edges(
        SOURCE,
        TARGET,
        num_nodes,
        weights=WEIGHTS if weighted else None,
        features=features,
        feature_names=("size", "kind=p", "kind=q")[: len(features[0])] if features else None,
        directed=directed,
        **(relation if typed else {}),
    )


NAMED = {"weight": "weight", "features": ["size", "kind"]}
SIGNED = {**NAMED, "relation": "sign"}
MASS = [[size] for size in SIZES]
MATRIX = np.zeros((5, 5))
MATRIX[SOURCE, TARGET] = WEIGHTS
PLAIN = expected(weighted=False)


@pytest.mark.parametrize(
    ("make", "options", "same"),
    [
        (lambda: with_attributes(nx.DiGraph()), NAMED, expected(False, FEATURES)),
        (lambda: with_attributes(nx.MultiDiGraph()), SIGNED, expected(True, FEATURES)),
        (lambda: with_attributes(nx.MultiGraph()), SIGNED, expected(True, FEATURES, False)),
        (lambda: with_attributes(nx.DiGraph()), {"directed": False}, expected(directed=False,
                                                                              weighted=False)),
        (lambda: igraph_graph(True), SIGNED, expected(True, FEATURES)),
        (lambda: igraph_graph(False), SIGNED, expected(True, FEATURES, False)),
        (dgl_graph, {"weight": "weight", "features": "size"}, expected(False, MASS)),
        (lambda: dgl_graph("csr"), {"weight": "weight"}, expected()),
        (lambda: dgl_graph("csc"), {"weight": "weight", "relation": np.array(SIGNS)},
         expected(True)),
        (pyg_graph, {"weight": "weight", "features": "size"}, expected(False, MASS)),
        (lambda: ([SOURCE.tolist(), TARGET.tolist()], 5), {}, PLAIN),
        (lambda: (torch.from_numpy(np.stack([SOURCE, TARGET])), 5), {"relation": SIGNS},
         expected(True, weighted=False)),
        (lambda: MATRIX, {}, expected()),
        *((lambda layout=layout: sp.csr_array(MATRIX).asformat(layout), {}, expected())
          for layout in LAYOUTS),
        (lambda: MATRIX > 0, {"directed": False}, expected(directed=False, weighted=False)),
        (edge_table, {"relation": "sign"}, expected(True, num_nodes=4)),
        (lambda: pa.Table.from_pandas(edge_table()), {"relation": "none", "weight": "none"},
         expected(num_nodes=4, weighted=False)),
        (lambda: expected(True, FEATURES), {"directed": True}, expected(True, FEATURES)),
    ],
)  # fmt: skip
def test_a_graph_is_the_same_in_every_container(make, options, same):
    assert_same(as_csr(make(), **options), same)


def test_a_list_of_different_containers_is_a_collection_and_logs_once(log):
    parts = [nx.path_graph(2), (np.array([[0, 0], [1, 1]]), 3), dgl.graph(([0], [1]))]
    result = as_csr(parts)
    assert result.graph_ptr.tolist() == [0, 2, 5, 7]
    # the edge without direction is there both ways
    assert [column.tolist() for column in result.edges()[:2]] == [[0, 1, 2, 5], [1, 0, 3, 6]]
    constant = "no node features; using the constant 1 (7 nodes)"
    directed = "directed, as some edges are there in one direction only; directed=False"
    directed += " leaves directions out"
    assert log() == [constant, "merged 1 duplicate edge", directed]
    assert result.notes == (constant, "merged 1 duplicate edge")
    assert as_csr([*parts[:1] * 2]).links is None
    # batches, pairs of graph and label, and data sets
    batch = dgl.batch([dgl.graph(([0], [1])), dgl.graph(([0, 1], [1, 2]))])
    assert as_csr(batch).graph_ptr.tolist() == [0, 2, 5]
    assert as_csr([batch, parts[0]]).graph_ptr.tolist() == [0, 2, 5, 7]
    pairs = [(nx.grid_2d_graph(1, 2), torch.tensor(1)), (nx.path_graph(2), 0)]
    assert as_csr(pairs).original_ids(np.arange(4)) == ["(0, 0)", "(0, 1)", "0", "1"]
    assert as_csr(torch.utils.data.Subset(pairs, [1])).graph_ptr.tolist() == [0, 2]
    data = [pyg_graph(), pyg.Data(edge_index=torch.empty((2, 0), dtype=torch.int64), num_nodes=2)]
    assert as_csr(data, weight="none").graph_ptr.tolist() == [0, 5, 7]
    batch = as_csr(pyg.Batch.from_data_list([data[0]] * 2), weight="weight", features="size")
    assert_same(batch, as_csr([data[0]] * 2, weight="weight", features="size"))


def test_graphs_in_an_array_or_a_series_are_a_collection():
    graphs = [nx.path_graph(size) for size in (2, 3)]
    for given in (np.array(graphs, dtype=object), pd.Series(graphs)):
        assert_same(as_csr(given), as_csr(graphs))


def test_a_collection_has_a_direction_if_one_of_its_graphs_says_so():
    """The edges of an edge index, which are there both ways, do not say it."""
    mutual, both_ways = nx.DiGraph([(0, 1), (1, 0)]), (np.array([[0, 1], [1, 0]]), 2)
    assert as_csr([both_ways, mutual]).num_edges == 4
    assert not as_csr([both_ways, nx.path_graph(2)]).is_directed


class Molecules(pyg.InMemoryDataset):
    """A data set of PyG, of rings and paths with a class each."""

    def __init__(self, labels):
        super().__init__(None)
        makers = {0: nx.cycle_graph, 1: nx.path_graph}
        graphs = []
        for size, label in enumerate(labels, 3):
            edges = np.array(makers[label](size).to_directed().edges).T
            graphs.append(pyg.Data(edge_index=torch.from_numpy(edges), num_nodes=size, y=label))
        self.data, self.slices = self.collate(graphs)


@pytest.mark.filterwarnings("ignore:It is not recommended")
def test_collections_of_pyg_hold_their_classes():
    labels = [0, 1, 1, 0, 1]
    dataset = Molecules(labels)
    several = list(dataset)
    csr = as_csr(dataset)
    assert csr.graph_ptr.tolist() == [0, 3, 7, 12, 18, 25]
    for graphs in (several, pyg.Batch.from_data_list(several)):
        assert_same(as_csr(graphs), csr)
        assert graph_labels(graphs).tolist() == labels
    assert graph_labels(dataset).tolist() == labels
    assert graph_labels(dataset[[4, 0]]).tolist() == [1, 0]
    # those of data sets of DGL, and what has none
    assert graph_labels([(dgl.graph(([0], [1])), torch.tensor(3))]).tolist() == [3]
    nodes = pyg.Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2, y=torch.tensor([0, 1]))
    table = pd.DataFrame({"x": [0], "y": [1]})
    for none in (nodes, [nodes], several[0], csr, [nx.path_graph(2)], [table], table,
                 [(np.array([[0], [1]]), 2)], [(nx.path_graph(2), {"a": 1})]):  # fmt: skip
        assert graph_labels(none) is None


def test_batch_tells_the_graphs_of_one_object_of_pyg_apart():
    edge_index = torch.tensor([[0, 3], [1, 4]])
    batch = torch.tensor([0, 0, 2, 3, 3])
    data = pyg.Data(edge_index=edge_index, num_nodes=5, batch=batch)
    assert as_csr(data).graph_ptr.tolist() == [0, 2, 2, 3, 5]
    for wrong in (batch.flip(0), batch[:4], batch - 1, batch.double()):
        data.batch = wrong
        with pytest.raises(InputError, match="^batch must number the graph of each of the 5 nodes"):
            as_csr(data)


def test_a_csr_graph_passes_through_and_takes_features():
    graph = as_csr(nx.path_graph(3))
    assert as_csr(graph) is graph
    features = np.arange(3.0)
    featured = as_csr(graph, features=features)
    features[:] = 7
    assert featured.features.tolist() == [[0], [1], [2]]
    assert featured.indices is graph.indices
    wide = as_csr(graph, features=np.arange(6).reshape(3, 2))
    assert as_csr(wide, features=["x1"]).features.tolist() == [[1], [3], [5]]
    # what is read anew is the same, and directions can be left out or put in
    typed = expected(True, FEATURES)
    assert_same(as_csr(typed, weight="weight"), typed)
    mirrored = as_csr(typed, directed=False)
    assert_same(mirrored, expected(True, FEATURES, directed=False))
    assert as_csr(mirrored, directed=False) is mirrored
    assert as_csr(mirrored, directed=True).num_edges == 2 * mirrored.num_edges


@pytest.mark.parametrize(
    ("nodes", "ids"),
    [
        ([10, 30, 20], [10, 30, 20]),
        ([(0, 1), (1, 0)], ["(0, 1)", "(1, 0)"]),
        ([np.int64(4), 7], [4, 7]),
        ([2**70, 1], [str(2**70), "1"]),
    ],
)
def test_names_of_nodes(nodes, ids):
    assert as_csr(nx.empty_graph(nodes)).node_ids.tolist() == ids
    named = igraph.Graph(len(nodes))
    named.vs["name"] = nodes
    assert as_csr(named).node_ids.tolist() == ids


def test_attributes_that_are_not_used_are_a_note(log):
    graph = with_attributes(nx.MultiDiGraph())
    note = "not used: node attributes size, kind; edge attributes weight, since"
    assert note in as_csr(graph, relation="sign").notes
    assert note in log()
    some = as_csr(graph, features="size", relation="sign", weight="weight")
    assert "not used: node attribute kind; edge attribute since" in some.notes
    # attributes of nodes and edges are not told apart by PyG
    assert as_csr(pyg_graph()).notes[-1] == "not used: attributes y, size, weight"


def test_keys_of_a_multigraph_are_an_attribute():
    graph = nx.MultiGraph([(0, 1, "road"), (0, 1, "rail"), (1, 2, "road")])
    typed = as_csr(graph, relation="key")
    assert named_edges(typed) == [(0, 1, "rail"), (0, 1, "road"), (1, 2, "road")]
    assert not typed.is_directed
    assert "not used: edge attribute key" in as_csr(graph).notes


# ---------------------------------------------------------------- columns of nodes and edges


def test_features_of_any_kind_in_the_order_given():
    graph = dgl.graph(([0], [1]))
    graph.ndata["feat"] = torch.tensor([[1.0, 2], [3, 4]])
    graph.ndata["metal"] = torch.tensor([True, False])
    graph.ndata["point"] = torch.tensor([[0.5, 1], [2, 3]]).bfloat16()
    # the default name
    default = as_csr(graph)
    assert (default.feature_names, default.features.tolist()) == (("x0", "x1"), [[1, 2], [3, 4]])
    named = as_csr(graph, features=["point", "metal"])
    assert named.features.tolist() == [[0.5, 1, 1], [2, 3, 0]]
    assert named.feature_names == ("point0", "point1", "metal")
    # graphs of a list share their categories, also those that have no such column
    bare = as_csr([nx.Graph([(0, 1, {"kind": "x"})]), nx.empty_graph(1)], relation="kind")
    assert bare.relations.names == ("x",)
    one, other = nx.path_graph(2), nx.path_graph(2)
    nx.set_node_attributes(one, {0: "kinase", 1: "ligase"}, "kind")
    nx.set_node_attributes(other, {0: "lyase", 1: "kinase"}, "kind")
    both = as_csr([one, other], features="kind")
    assert both.feature_names == ("kind=kinase", "kind=ligase", "kind=lyase")
    assert both.features.argmax(axis=1).tolist() == [0, 1, 2, 0]


def test_relations_are_integers_in_their_order():
    for values in ([10, 9, 10], [[10.0], [9.0], [10.0]]):
        graph = as_csr(([[0, 1, 2], [1, 2, 3]], 4), relation=np.array(values), directed=True)
        assert named_edges(graph) == [(0, 1, "10"), (1, 2, "9"), (2, 3, "10")]
        assert graph.relations.names == ("9", "10")


def mixed():
    """A graph of NetworkX whose attributes are of several kinds."""
    graph = nx.Graph()
    graph.add_node("a", mass=1, name=3, point=[1])
    graph.add_node("b", name="y", point=[1, 2])
    graph.add_edge("a", "b", strength="strong")
    return graph


@pytest.mark.parametrize(
    ("make", "options", "rule"),
    [
        (nx.Graph, {}, "the graph is empty"),
        (lambda: [], {}, "the collection is empty"),
        (lambda: [nx.path_graph(2), nx.Graph()], {}, "graph 1 of the list"),
        (lambda: [3], {}, "graph 0 of the list: graph must be "),
        (lambda: None, {}, "graph must be a DGLGraph, a networkx.Graph"),
        (lambda: "graph.txt", {}, "read a file with gomkcn.read_graph"),
        (lambda: np.ones((2, 3)), {}, "an adjacency matrix must be square"),
        (dgl_graph, {"features": ["kind"]}, "a DGLGraph has no 'kind'; it holds ['size']."),
        (dgl_graph, {"weight": "w"}, "a DGLGraph has no 'w'; it holds ['weight']."),
        (dgl_graph, {"features": []}, "features must name at least one"),
        (mixed, {"features": "mass"}, "'mass' must be set everywhere, and 'b' does"),
        (mixed, {"features": "name"}, "'name' must hold numbers or text, not both"),
        (mixed, {"features": "point"}, "'point' must have the same shape"),
        (lambda: [mixed(), nx.Graph([("a", "b", {"strength": 1})])], {"relation": "strength"},
         "'strength' must hold numbers everywhere or text everywhere"),
        (mixed, {"weight": "w"}, "a networkx Graph has no 'w'; it"),
        (mixed, {"weight": "strength"}, "got the text 'strong'; weight='none'"),
        (lambda: nx.compose(mixed(), nx.Graph([("a", "c")])), {"relation": "strength"},
         "'strength' must be set everywhere, and ('a', 'c') does"),
        (dgl_graph, {"relation": np.eye(5)}, "must be one value for each edge, got 5"),
        (dgl_graph, {"relation": np.full(5, 0.5)}, "must hold text or integers, got other"),
        (lambda: expected(True), {"relation": "w"}, "whose edges have the types +, -"),
    ],
)  # fmt: skip
def test_what_is_no_graph_and_no_column_is_refused(make, options, rule):
    with pytest.raises((InputError, InputTypeError)) as raised:
        as_csr(make(), **options)
    assert rule in str(raised.value)


def test_names_are_no_categories():
    table = {"name": [f"n{k}" for k in range(1001)], "pair": np.array([["a", "b"]])}
    with pytest.raises(InputError, match="at most 1000 different values .* got 1001; leave out"):
        pick_columns(["name"], table, "a table")
    with pytest.raises(InputError, match="'pair' must be one value each, got 2"):
        pick_columns(["pair"], table, "a table")


# ---------------------------------------------------------------- directions


def test_a_matrix_is_directed_unless_it_is_symmetric(log):
    one_way = np.array([[0, 2.0, 0], [0, 0, 3], [0, 0, 0]])
    assert as_csr(one_way).is_directed
    assert log()[-1].startswith("directed, as some edges are there in one direction only")
    symmetric = as_csr(one_way + one_way.T)
    assert (symmetric.is_directed, symmetric.weights.tolist()) == (False, [2, 2, 3, 3])
    assert log()[-1].startswith("undirected, as its edges are there both ways; directed=True")
    assert as_csr(one_way + one_way.T, directed=True).num_edges == 4
    # an entry that is listed twice is a sum, as in toarray(), and a stored 0 is no edge
    entries = ([0.5, 2.0, 0.0, 0.25], ([0, 1, 0, 0], [1, 0, 2, 1]))
    graph = as_csr(sp.coo_array(entries, shape=(3, 3)), features=np.ones(3))
    assert (graph.is_directed, graph.weights.tolist()) == (True, [0.75, 2])
    # weights that differ by direction make edges of two directions, rounding does not
    assert "directed: the weights of the two directions of an edge differ" in log()
    assert not as_csr(np.array([[0, 3.0], [3 + 1e-9, 0]])).is_directed
    assert as_csr(np.array([[0, 3.0], [8, 0]]), directed=False).weights.tolist() == [8, 8]


ROWS = [("a", "b", 2.0, "is"), ("b", "a", 3.0, "is"), ("a", "c", 1.0, "is"), ("c", "d", 1.0, "has")]


@pytest.mark.parametrize(
    ("header", "options", "kinds"),
    [
        ("u,v", {}, [("edge", False)]),
        ("Sender,Recipient", {}, [("edge", True)]),
        ("regulator,gene", {}, [("edge", True)]),
        ("parent,child", {"directed": False}, [("edge", False)]),
        ("gene,protein", {"directed": True}, [("edge", True)]),
        ("source,target,weight", {}, [("edge", True)]),
        ("from,to,weight", {"weight": "none"}, [("edge", True)]),
        ("u,v,weight,type", {}, [("has", True), ("is", True)]),
        ("u,v,age,how", {"relation": "how", "weight": "age"}, [("has", True), ("is", True)]),
    ],
)
def test_a_table_is_one_graph_in_any_form(tmp_path, header, options, kinds):
    """A file and a table in memory have one direction and one weight."""
    names = header.split(",")
    table = pd.DataFrame([row[: len(names)] for row in ROWS], columns=names)
    table.to_csv(tmp_path / "g.csv", index=False)
    table.to_parquet(tmp_path / "g.parquet")
    graph = read_graph(tmp_path / "g.csv", **options)
    assert list(graph.relations.kinds) == kinds
    assert_same(read_graph(tmp_path / "g.parquet", **options), graph)
    for one in (table, [table]):
        assert_same(as_csr(one, **options), graph)


def test_it_is_said_why_a_table_has_a_direction(log):
    note = "directed, as its columns are called sender, recipient"
    graph = as_csr(pd.DataFrame({"sender": ["a", "b"], "recipient": ["b", "c"]}))
    assert note in graph.notes
    assert f"{note}; directed=False leaves directions out" in log()
    said = "undirected, as {}; directed=True gives edges a direction"
    as_csr(pd.DataFrame({"left": ["a"], "right": ["b"]}), directed=True)
    assert not any(line.startswith("undirected") for line in log())
    as_csr(pd.DataFrame({"left": ["a"], "right": ["b"]}))
    assert said.format("its columns are called left, right") in log()
    # a list of neighbours has each edge twice
    near = pd.DataFrame({"source": [0, 1, 1, 2], "target": [1, 0, 2, 1]})
    assert as_csr(near).relations.directed == (False,)
    assert said.format("its edges are there both ways") in log()


# ---------------------------------------------------------------- types of nodes and edges

EDGES = {
    ("author", "writes", "paper"): ([0, 0, 1], [0, 1, 1]),
    ("paper", "cites", "paper"): ([0], [1]),
    ("author", "knows", "author"): ([0, 1], [1, 0]),
}


def citations():
    graph = dgl.heterograph(EDGES, {"author": 2, "paper": 3})
    for kind in graph.ntypes:
        graph.nodes[kind].data["feat"] = torch.zeros(graph.num_nodes(kind), 1)
    return graph


def citations_of_pyg():
    graph = pyg.HeteroData()
    for kind, size in (("author", 2), ("paper", 3)):
        graph[kind].x = torch.zeros(size, 1)
    graph["paper"].y = torch.zeros(3)
    for kind, ends in EDGES.items():
        graph[kind].edge_index = torch.tensor(ends)
    return graph


@pytest.mark.parametrize("make", [citations, citations_of_pyg])
def test_types_of_nodes_are_features_and_those_of_edges_relations(make, log):
    graph = as_csr(make())
    name = "feat" if make is citations else "x"
    assert graph.feature_names == ("type=author", "type=paper", name)
    assert graph.features.argmax(axis=1).tolist() == [0, 0, 1, 1, 1]
    kinds = dict(zip(graph.relations.names, graph.relations.directed, strict=True))
    assert kinds == {"knows": False, "cites": True, "writes": True}
    assert named_edges(graph) == [
        (0, 1, "knows"), (0, 2, "writes"), (0, 3, "writes"), (1, 3, "writes"), (2, 3, "cites")
    ]  # fmt: skip
    assert any(line.startswith("directed, as some edges of writes, cites are") for line in log())
    # a batch is a collection
    several = dgl.batch if make is citations else pyg.Batch.from_data_list
    assert_same(as_csr(several([make(), make()])), as_csr([make(), make()]))


def test_an_edge_type_that_is_used_twice_is_called_by_its_ends():
    graph = dgl.heterograph({("a", "to", "b"): ([0], [0]), ("b", "to", "a"): ([0], [1])})
    assert set(as_csr(graph).relations.names) == {"a:to:b", "b:to:a"}
    graph = as_csr(dgl.heterograph({("n", "a", "n"): ([0], [1]), ("n", "b", "n"): ([1], [0])}))
    # one type of nodes is no feature
    assert (graph.feature_names, graph.relations.names) == (("constant",), ("a", "b"))


def test_features_and_weights_of_all_types():
    graph = citations()
    for kind in graph.ntypes:
        graph.nodes[kind].data["feat"] = torch.rand(graph.num_nodes(kind), 2)
    graph.nodes["author"].data["age"] = torch.tensor([30, 40])
    for kind in graph.etypes:
        graph.edges[kind].data["w"] = torch.arange(graph.num_edges(kind)) + 1.0
    result = as_csr(graph, weight="w")
    assert result.feature_names == ("type=author", "type=paper", "x0", "x1")
    assert "not used: node attribute age" in result.notes
    with pytest.raises(InputError, match="the node type 'paper' has no 'age'; it holds"):
        as_csr(graph, features="age")
    graph.nodes["paper"].data["feat"] = torch.rand(3, 5)
    words = "'feat' must have the same width everywhere, got 2 for the node type 'author', 5 for"
    with pytest.raises(InputError, match=words):
        as_csr(graph)
    assert as_csr(graph, features="type").feature_names == ("type=author", "type=paper")


# ---------------------------------------------------------------- in words


def test_a_graph_in_words():
    """What `gomkcn info` says, which is a table in a notebook."""
    graph = csr_from_edges(
        np.array([0, 1, 0]),
        np.array([1, 2, 2]),
        4,
        features=np.ones(4),
        feature_names=["<b>bold</b>"],
        relation=np.array([0, 0, 1]),
        relation_names=["binds", "cuts"],
        directed=[False, True],
    )
    said = describe_graph(graph)
    assert said["relations"] == "binds 2 (undirected), cuts 1 (directed)"
    assert said["edges"] == "3 (directed, unweighted)"
    assert said["components"] == "2, the largest with 3 nodes"
    page = graph._repr_html_()
    assert "<b>" not in page and "1 (&lt;b&gt;bold&lt;/b&gt;)" in page
    # eight nodes of degree 1, one of 2 and one of 8: nine of ten have at most 2
    tree = nx.Graph([*((0, leaf) for leaf in range(1, 9)), (1, 9)])
    said = "median 1, 90% at most 2, largest 8, 0 nodes without an edge"
    assert describe_graph(as_csr(tree))["degrees"] == said


def test_who_gives_each_edge_once_is_told_that_it_is_directed():
    edges = torch.tensor([[0, 1, 2], [1, 2, 0]])
    note = "directed, as not all its edges are there both ways"
    both = torch.cat([edges, edges.flip(0)], dim=1)
    of_index, of_list = lambda ends: (ends, 3), lambda ends: [(ends, 3)]
    for make in (of_index, of_list, lambda ends: dgl.graph((*ends,))):
        graph = as_csr(make(edges))
        assert graph.is_directed and note in graph.notes
        assert as_csr(make(edges), directed=False).notes[-1] == "read 3 edges as undirected"
        assert note not in as_csr(make(both)).notes
