"""The census of a bipartite graph: its structures of up to five nodes, by the sides of these."""

from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from networkx.algorithms.isomorphism import categorical_node_match

from gomkcn import as_csr, census
from gomkcn.mining.counting.census import SET_SIZES, count_connected_sets, count_in_each
from gomkcn.mining.significance.null_models import NULL_MODELS, null_model
from gomkcn.mining.structures.categories import Categories
from gomkcn_dgl.errors import InputError

SAME = categorical_node_match("side", None)


def drawn(seed, users=7, items=6, share=0.4):
    graph = nx.bipartite.random_graph(users, items, share, seed=seed)
    return pd.DataFrame(sorted(graph.edges), columns=["user", "item"])


def of_networkx(frame):
    graph = nx.Graph()
    for user, item in frame.itertuples(index=False):
        graph.add_node(("user", user), side="side=user")
        graph.add_node(("item", item), side="side=item")
        graph.add_edge(("user", user), ("item", item))
    return graph


def by_hand(graph, size):
    """Each connected structure of nodes with sides, and how often it is induced."""
    found = []
    for nodes in combinations(graph, size):
        part = graph.subgraph(nodes)
        if not nx.is_connected(part):
            continue
        for known in found:
            if nx.is_isomorphic(known[0], part, SAME):
                known[1] += 1
                break
        else:
            found.append([part, 1])
    return found


def as_networkx(structure):
    graph = nx.Graph(list(structure.edges))
    for node, (side,) in enumerate(structure.categories):
        graph.nodes[node]["side"] = side
    return graph


FRAMES = {
    "thin": drawn(0, 9, 8, 0.2),
    "even": drawn(1),
    "dense": drawn(2, 5, 7, 0.8),
    "complete": drawn(3, 4, 5, 1.0),
    "one user": pd.DataFrame([(0, i) for i in range(6)], columns=["user", "item"]),
    "one edge": pd.DataFrame([(3, 3)], columns=["user", "item"]),
}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_all_structures_are_those_of_networkx(name, size):
    frame = FRAMES[name]
    expected = by_hand(of_networkx(frame), size)
    found = census(as_csr(frame), size)
    counts = dict(zip(found.structures, found.counts.tolist(), strict=True))
    assert sorted(counts.values()) == sorted(number for _, number in expected)
    for structure, number in counts.items():
        mine = as_networkx(structure)
        (same,) = [n for part, n in expected if nx.is_isomorphic(part, mine, SAME)]
        assert number == same, structure.to_text()


@pytest.mark.parametrize("seed", range(4))
def test_they_are_those_that_are_counted_by_kinds(seed):
    graphs = [as_csr(drawn(10 * seed + k, 12, 10, 0.3)) for k in range(3)]
    categories = Categories.find(graphs[0].features, graphs[0].feature_names)
    for size in SET_SIZES:
        mine = count_in_each(graphs, range(size, size + 1), categories)
        other = count_connected_sets(graphs, size, categories)
        assert mine.rows() == other.rows()


def test_three_users_of_two_items_are_not_two_users_of_three_items():
    frame = pd.DataFrame([(u, i) for u in range(3) for i in range(2)], columns=["user", "item"])
    found = census(as_csr(frame), 5)
    ((structure, number),) = zip(found.structures, found.counts.tolist(), strict=True)
    assert number == 1
    assert sorted(sum(structure.categories, ())) == ["side=item"] * 2 + ["side=user"] * 3


@pytest.mark.parametrize("null", [one for one in NULL_MODELS if not NULL_MODELS[one].permutes])
@pytest.mark.parametrize("directed", [False, True])
def test_random_graphs_keep_the_sides(null, directed):
    # and of ids by which items come before users
    named = FRAMES["even"].apply(lambda column: f"{column.name[::-1]}" + column.astype(str))
    for frame in (*FRAMES.values(), named):
        graph = as_csr(frame, directed=directed)
        model = null_model(null, graph)
        second = graph.two_sides.second
        assert "two sides" in model.keeps
        for seed in range(3):
            sample = model.sample(graph, seed)
            assert sample.num_edges == graph.num_edges
            rows = np.repeat(np.arange(graph.num_nodes), sample.degrees)
            assert (second[rows] != second[sample.indices]).all()
            if directed:
                # each edge still leads from a user
                assert {*sample.links[~second[rows]].tolist()} == {
                    *graph.links[~second[np.repeat(np.arange(graph.num_nodes), graph.degrees)]]
                }


def test_categories_are_permuted_on_each_side_alone():
    frame = FRAMES["even"]
    sides_alone = as_csr(frame)
    with pytest.raises(
        InputError, match="permutes the categories of nodes, and the graph has none"
    ):
        null_model("categories", sides_alone)
    ages = np.arange(sides_alone.num_nodes) % 2
    features = np.column_stack([sides_alone.features, ages == 0, ages == 1]).astype(np.float32)
    names = (*sides_alone.feature_names, "age=old", "age=young")
    graph = replace(sides_alone, features=features, feature_names=names)
    model = null_model("categories", graph)
    assert "on each of the two sides" in model.keeps
    samples = [model.sample(graph, seed).features for seed in range(5)]
    second = graph.two_sides.second
    for sample in samples:
        assert np.array_equal(sample[:, :2], features[:, :2])
        for side in (second, ~second):
            assert sample[side].sum(axis=0).tolist() == features[side].sum(axis=0).tolist()
    assert any(not np.array_equal(sample, features) for sample in samples)


def test_edges_between_random_nodes_of_both_sides_are_all_as_likely():
    frame = pd.DataFrame([(0, 0), (0, 1), (1, 1)], columns=["user", "item"])
    graph = as_csr(frame)
    model = null_model("erdos-renyi", graph)
    seen = np.zeros((4, 4))
    for seed in range(2000):
        sample = model.sample(graph, seed)
        np.add.at(seen, (np.repeat(np.arange(4), sample.degrees), sample.indices), 1)
    # three of four pairs
    assert np.abs(seen[:2, 2:] / 2000 - 0.75).max() < 0.05 and not seen[:2, :2].any()


def test_three_kinds_of_nodes_are_no_two_sides():
    graph = nx.complete_multipartite_graph(3, 1, 2)
    graph.remove_edges_from([(0, 3), (1, 3)])
    for node, kind in graph.nodes(data="subset"):
        graph.nodes[node]["kind"] = f"k{kind}"
    csr = as_csr(graph, features="kind")
    categories = Categories.find(csr.features, csr.feature_names)
    assert categories and categories.two_sides(csr) is None
    with pytest.raises(InputError, match="sizes"):
        census(csr, 5)
    # nor are two kinds with an edge in one
    merged = as_csr(graph, features=np.eye(2)[[0, 0, 0, 1, 1, 1]].astype(np.float32))
    assert Categories(((0, 1),)).two_sides(merged) is None


def test_a_null_model_that_breaks_the_sides_is_refused_at_five_nodes():
    graph = as_csr(drawn(1))
    categories = Categories.find(graph.features, graph.feature_names)
    other = as_csr((np.array([[0, 1, 1], [1, 0, 2]]), graph.num_nodes), features=graph.features)
    with pytest.raises(InputError, match="null must draw graphs whose edges join nodes"):
        count_in_each([other], range(3, 6), categories)
