"""What is mined of graphs of any kind: directions, relations, categories, extremes of numbers."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from by_networkx import induced

import gomkcn
from gomkcn.mining import FilterLearning, FilterMiner, PatternMiner
from gomkcn.mining.counting.counter import count_query
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.structure_census import census
from gomkcn.mining.frequent.gspan import frequent_subgraphs
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.structures.categories import Categories, find_category, in_categories
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl import GOMKKernel, as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure

LOOP, CYCLE = ((0, 1), (0, 2), (1, 2)), ((0, 1), (1, 2), (2, 0))


def planted(motifs, num_copies, seed=0, num_nodes=150):
    """Copies of motifs on a tree whose edges have random directions, by an edge each."""
    rng = np.random.default_rng(seed)
    edges = list(nx.barabasi_albert_graph(num_nodes, 1, seed=seed).edges)
    relations = rng.integers(2, size=len(edges)).tolist()
    size = num_nodes
    for arcs, types in motifs:
        for _ in range(num_copies):
            edges += [(size + u, size + v) for u, v in arcs]
            edges.append((size + int(rng.integers(3)), int(rng.integers(num_nodes))))
            relations += [*types, int(rng.integers(2))]
            size += 3
    edges = [edge[:: rng.choice([-1, 1])] if max(edge) < num_nodes else edge for edge in edges]
    return np.array(edges), np.array(relations), size


def in_networkx(edges, relations, kinds):
    graph = nx.DiGraph()
    graph.add_nodes_from((node, {"kind": kind}) for node, kind in enumerate(kinds))
    for (u, v), relation in zip(edges, relations, strict=True):
        graph.add_edge(int(u), int(v), relation=int(relation))
    return graph


def test_a_feed_forward_loop_and_a_cycle_are_two_patterns():
    edges, _, size = planted([(LOOP, (0,) * 3), (CYCLE, (0,) * 3)], 30)
    graph = csr_from_edges(*edges.T, size, directed=True)
    miner = PatternMiner(3, null_samples=99).fit(graph)
    whole, found = nx.DiGraph(edges.tolist()), set()
    for pattern in miner.patterns_:
        drawn = pattern.to_networkx()
        assert isinstance(drawn, nx.DiGraph)
        places = {frozenset(one.nodes) for one in pattern.occurrences}
        assert places == induced(whole, drawn) != set()
        assert pattern.frequency.count == len(places)
        # each listed occurrence has the arcs of the pattern, at the nodes that they are mapped to
        for one in pattern.occurrences:
            arcs = {(one.nodes[u], one.nodes[v]) for u, v in pattern.edges}
            assert arcs == set(whole.subgraph(one.nodes).edges)
        if len(pattern.edges) == 3:
            found.add(not nx.is_directed_acyclic_graph(drawn))
            assert pattern.frequency.listed == pattern.frequency.disjoint == 30
            assert pattern.significance["degree"].verdict == "more frequent"
    assert found == {False, True}


def test_counts_and_places_with_directions_relations_and_categories_are_those_of_networkx():
    edges, relations, size = planted([(LOOP, (0, 1, 1))], 8, seed=3, num_nodes=40)
    # no node has the third label
    labels = np.random.default_rng(3).integers(2, size=size)
    names = ("label=C", "label=N", "label=O")
    given = {"relation": relations, "relation_names": ["acts", "binds"], "directed": [True, True]}
    graph = csr_from_edges(*edges.T, size, features=np.eye(3)[labels], feature_names=names, **given)
    whole = in_networkx(edges, relations, [names[label] for label in labels])
    learning = FilterLearning(num_epochs=1)
    filters = FilterMiner(40, filter_size=4, contrast=False, learning=learning).fit(graph)
    given = tuple({one.structure.key: one.structure for one in filters.filters_}.values())
    options = {"sources": "grown", "filters": "none", "null": "none"}
    miner = PatternMiner("3-4", given=given, **options).fit(graph)
    assert len(miner.patterns_) >= 12
    for pattern in miner.patterns_:
        kinds = [kind for (kind,) in pattern.categories]
        drawn = in_networkx(pattern.edges, pattern.edge_relations, kinds)
        expected = induced(whole, drawn, "kind", "relation")
        assert {frozenset(one.nodes) for one in pattern.occurrences} == expected
        assert pattern.frequency.count == pattern.frequency.listed == len(expected) > 0
        for one in pattern.occurrences:
            copy = nx.relabel_nodes(drawn, dict(enumerate(one.nodes)))
            assert nx.utils.graphs_equal(copy, nx.DiGraph(whole.subgraph(one.nodes)))
    # a graph whose relations are in another order is compared as well
    kinds = {"features": np.eye(3)[labels], "feature_names": names, "directed": [True, True]}
    turned = {"relation": 1 - relations, "relation_names": ["binds", "acts"]}
    other = csr_from_edges(*edges.T, size, **kinds, **turned)
    miner.set_params(values="occurrences")
    np.testing.assert_array_equal(miner.transform(graph), miner.transform(other))
    with pytest.raises(InputError, match="^graph must have relations that the miner was fitted on"):
        miner.transform(csr_from_edges(*edges.T, size, **kinds | {"directed": True}))


def test_edges_both_ways_are_the_undirected_graph():
    """Directions that say nothing change no pattern."""
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 8 + [nx.wheel_graph(5)] * 8)
    edges = np.array(graph.edges)
    plain = csr_from_edges(*edges.T, len(graph))
    both = csr_from_edges(*np.concatenate([edges, edges[:, ::-1]]).T, len(graph), directed=True)
    options = {"pattern_size": (5, 5), "null": "none"}
    found = [
        sorted(
            (Structure.of_channels(p.structure.joined).key, p.frequency.count)
            for p in PatternMiner(**options).fit(one).patterns_
        )
        for one in (plain, both)
    ]
    assert found[0] == found[1] and len(found[0]) == 2


# six rings of four nodes
RINGS = np.array(nx.disjoint_union_all([nx.cycle_graph(4)] * 6).edges)


def rings(features=None):
    return csr_from_edges(*RINGS.T, 24, features=features)


def mine_one(graph, size=4, **options):
    """The nodes, edges and occurrences of the only filter; all losses are finite."""
    learning = FilterLearning(num_epochs=2, **options)
    filters = FilterMiner(1, size, contrast=False, learning=learning)
    miner = PatternMiner((size, size), null="none", sources="grown", filters=filters).fit(graph)
    assert np.isfinite(miner.filters_.loss_curve_).all()
    (found,) = miner.filters_.filters_
    counted = gomkcn.count(graph, found.structure)
    return found.structure.num_nodes, len(found.structure.edges), counted.value


EDGE = csr_from_edges(np.array([0]), np.array([1]), 2)


@pytest.mark.parametrize(
    ("graph", "options", "expected"),
    [
        (EDGE, {}, (2, 1, 1)),
        (as_csr([EDGE] * 20), {}, (2, 1, 20)),
        (
            rings(),
            {"num_hops": 2**31 - 1, "kernel": GOMKKernel(3, tau=1e-30)},
            (4, 4, 6),
        ),
        (rings(), {"kernel": GOMKKernel(3, tau=1e30, level_scale=1e30)}, (4, 4, 6)),
        # features of the largest scale beside the smallest
        (rings(np.outer(np.arange(24) % 5, [7e37, 1e-45])), {}, (4, 4, 6)),
    ],
)
def test_extreme_graphs_and_settings(graph, options, expected):
    assert mine_one(graph, **options) == expected


def test_groups_are_the_one_hot_columns_of_one_name():
    features = np.array([[1, 0, 0, 1, 2.0], [0, 1, 0, 1, 1.0], [0, 1, 1, 0, 0.0]])
    names = ["kind=a", "kind=b", "side=left", "side=right", "size"]
    found = Categories.find(features, names)
    assert found.groups == ((0, 1), (2, 3))
    assert found.colors(features).tolist() == [1, 3, 2]
    colors = found.colors(features)
    named = (("kind=a", "side=right"), ("kind=b", "side=right"), ("kind=b", "side=left"))
    assert found.names_of(colors, names) == named
    assert found.names_of(None, names) == ()


def test_what_is_no_category():
    for features, names in (
        (np.ones((3, 1)), ["constant"]),
        # nodes without a label, numbers, and a name for every node
        ([[1.0, 0], [0, 0]], ["kind=a", "kind=b"]),
        ([[1.0, 0], [1, 1]], ["x0", "x1"]),
        (np.eye(300), [f"gene={number}" for number in range(300)]),
    ):
        assert not Categories.find(np.array(features), names)
    assert Categories().colors(np.zeros((4, 2))).tolist() == [0, 0, 0, 0]


def test_a_category_is_found_by_its_value():
    names = ["kind=of=c", "c=d", "e"]
    asked = ("c", "of=c", "d", "e", "c=d")
    assert [find_category(name, range(3), names) for name in asked] == [0, 0, 1, 2, 1]
    # the whole value comes before the end of one
    assert find_category("O", range(2), ["group=C=O", "group=O"]) == 1


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        # the sign in values, in the names of attributes, and in both
        (["kind=C=O", "kind=CC", "side=C=O", "side=C=N"], ((0, 1), (2, 3))),
        (["a=b=x", "a=b=y", "a=c=x", "a=c=y"], ((0, 1), (2, 3))),
        (["a=b=x=1", "a=b=y", "a=c=x", "a=c=x=1=="], ((0, 1), (2, 3))),
        (["=x", "=y", "b==", "b="], ((0, 1), (2, 3))),
        (["x0", "x1", "a=b", "a=c=d"], ((0, 1), (2, 3))),
    ],
)
def test_the_sign_may_stand_in_values_and_in_the_names_of_attributes(names, groups):
    features = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1]])
    assert Categories.find(features, names).groups == groups


def test_values_with_the_sign_are_what_is_said_of_patterns():
    plain = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    kinds = {"C=O": "CA", "CC": "CC"}
    ends = [list(kinds)[node % 2] for node in plain]
    with_sign = as_csr(plain, nodes=pd.DataFrame({"group": ends}))
    without = as_csr(plain, nodes=pd.DataFrame({"group": [kinds[one] for one in ends]}))
    miner = PatternMiner(null=None, filters="none", pattern_size=4)
    runs = [MiningRun.of(miner.fit(one), one) for one in (with_sign, without)]
    described = [[one.description for one in run.patterns] for run in runs]
    assert [text.replace("C=O", "CA") for text in described[0]] == described[1]
    assert described[0] == ["clique of 4 nodes: 2 C=O, 2 CC"]
    structure = runs[0].patterns[0].structure
    mined = MinedGraph.of(with_sign)
    structure, kinds = in_categories(structure, mined.categories, with_sign.feature_names)
    assert kinds == mined.categories
    query = Query.of_structure(mined.graph, structure, mined.colors_of(structure))
    assert count_query(query)[0].value == 6


def test_an_attribute_with_too_many_values_is_named_where_it_is_left_out(caplog):
    graph = nx.cycle_graph(600)
    many = as_csr(graph, nodes=pd.DataFrame({"gene": [f"g{node % 300}" for node in graph]}))
    said = "not used as categories: the 300 values of gene; at most 256 are compared"
    assert Categories.find(many.features, many.feature_names).notes == [said]
    for use in (lambda: census(many, 3), lambda: frequent_subgraphs([many] * 2, 1, 2)):
        caplog.clear()
        use()
        assert said in caplog.text
    miner = PatternMiner(null=None, filters="none", pattern_size=3).fit(many)
    assert said in MiningRun.of(miner, many).notes


def test_a_structure_has_the_colours_of_its_categories_in_a_graph():
    features = np.array([[1, 0, 7], [0, 1, 8], [0, 1, 9]], np.float32)
    graph = csr_from_edges(
        np.array([0, 1]), np.array([1, 2]), 3, features=features, feature_names=["a", "b", "size"]
    )
    categories = Categories(((0, 1),))
    structure = Structure.parse("x:b--y:a, y--z:b")
    assert categories.colors_of(structure, graph.feature_names).tolist() == [1, 0, 1]
    mined = MinedGraph.of(graph)
    own, of_graph = mined.colors_of(structure)
    assert (own.tolist(), mined.order.given(np.flatnonzero(of_graph == 0)).tolist()) == (
        [1, 0, 1],
        [0],
    )
    assert mined.colors_of(Structure.parse("x--y")) is None
    assert replace(mined, colors=None).colors_of(structure) is None


def test_types_tell_patterns_apart():
    """Two triangles that differ by the relation of one edge; one relation has no direction."""
    edges, relations, size = planted(
        [(LOOP, (0, 0, 1)), (LOOP, (0, 1, 1))], 20, seed=1, num_nodes=60
    )
    given = {"relation": relations, "relation_names": ["acts", "binds"]}
    graph = csr_from_edges(*edges.T, size, directed=[True, False], **given)
    filters = FilterMiner(40, filter_size=3).fit(graph)
    given = tuple({one.structure.key: one.structure for one in filters.filters_}.values())
    options = {"sources": "grown", "null": "none", "filters": "none"}
    miner = PatternMiner(3, given=given, **options).fit(graph)
    triangles = [p for p in miner.patterns_ if len(p.edges) == 3]
    assert sorted(sorted(p.edge_relations) for p in triangles) == [[0, 0, 1], [0, 1, 1]]
    for pattern in triangles:
        assert pattern.relations.names == ("acts", "binds")
        assert pattern.frequency.count == pattern.frequency.listed == 20
        typed = zip(pattern.edges, pattern.edge_relations, strict=True)
        assert all(u < v for (u, v), relation in typed if relation)
