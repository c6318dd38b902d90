"""Planted graphs: the truth is true, whatever the directions, relations, alterations and hosts."""

import math

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn.synthetic import MOTIFS, PlantingSettings, plant_motifs
from gomkcn.synthetic.base_graphs import barabasi_albert, orient_edges
from gomkcn.synthetic.base_models import BASE_GRAPHS
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure

NUM_NODES = 120
PLAIN = {"house6": 3, "square": 2, "wheel8": 2}
ARCS = {"feed-forward-loop": 3, "bi-fan": 2, "house6": 2}
SIGNED = {"incoherent-feed-forward-loop-1": 4, "coherent-feed-forward-loop-1": 3}
KINDS = [
    (PLAIN, {}),
    (ARCS, {"directed": True}),
    (ARCS, {"directed": True, "relations": 3}),
    (SIGNED, {"directed": True}),
    (SIGNED, {"directed": True, "relations": 4}),
    ({"triangle-001": 3, "square": 2}, {"relations": 2}),
]


def plant(counts, seed=0, embedded=False, **options):
    """Copies in a tree, or on nodes of a random graph; the background, and the planted graph."""
    if embedded:
        edges = BASE_GRAPHS["er"](0.12).draw(NUM_NODES, seed=3)
    else:
        edges = barabasi_albert(NUM_NODES, 1, seed=1)
    if options.get("directed"):
        edges = orient_edges(edges, seed=2)
    settings = PlantingSettings(embedded=embedded, **options)
    return edges, plant_motifs(edges, NUM_NODES, counts, settings, seed=seed)


def rows(edges, relation, relations):
    """Edges with the names of their relations; those without direction from the smaller node."""
    ends = edges if relations.is_directed else np.sort(edges, axis=1)
    names = np.array(relations.names)[relation].tolist()
    return {(*pair, name) for pair, name in zip(ends.tolist(), names, strict=True)}


def assert_true(planted, counts):
    """Each copy is its motif, node by node, and no node is in two copies."""
    names = [name for name, _ in planted.instances]
    assert {name: names.count(name) for name in counts} == counts
    members = [node for _, nodes in planted.instances for node in nodes]
    assert sorted(members) == np.flatnonzero(planted.node_mask).tolist()
    motifs = {motif.name: motif for motif in planted.motifs}
    for number, (name, nodes) in enumerate(planted.instances):
        motif, nodes = motifs[name], np.array(nodes)
        inside = np.isin(planted.edges, nodes).all(axis=1)
        kinds = [planted.relations.names.index(motif.relations.names[k])
                 for k in motif.edge_relations]  # fmt: skip
        found = rows(planted.edges[inside], planted.edge_relation[inside], planted.relations)
        assert found == rows(nodes[np.array(motif.edges)], kinds, planted.relations)
        assert planted.edge_mask[inside].all()
        assert planted.node_role[nodes].tolist() == list(range(motif.num_nodes))
        assert set(planted.node_instance[nodes]) == {number}
        assert set(planted.node_type[nodes]) == {1 + planted.motif_names.index(name)}
        # the motif of the table, with what it leaves open
        table = MOTIFS[name]
        assert motif.joined.tolist() == table.joined.tolist()
        if table.relations.is_directed or not planted.relations.is_directed:
            assert sorted(motif.edges) == sorted(table.edges)
        if table.relations.names != ("edge",):
            names = [[one.relations.names[k] for k in one.edge_relations] for one in (motif, table)]
            assert names[0] == names[1]


@pytest.mark.parametrize("embedded", [False, True])
@pytest.mark.parametrize(("counts", "options"), KINDS)
def test_copies_are_their_motifs_and_all_other_edges_stay(counts, options, embedded):
    edges, planted = plant(counts, embedded=embedded, **options)
    assert planted.relations.directed == (options.get("directed", False),) * len(
        planted.relations.names
    )
    assert_true(planted, counts)
    # all other edges are those of the background between nodes that are not of one copy
    none = plant(dict.fromkeys(counts, 0), embedded=embedded, **options)[1]
    owner = planted.node_instance[edges]
    outside = (owner[:, 0] < 0) | (owner[:, 0] != owner[:, 1])
    assert outside.all() != embedded
    others = np.flatnonzero(~planted.edge_mask)
    others, attaching = np.split(others, [outside.sum()])
    relation = planted.edge_relation[others], none.edge_relation[outside]
    assert rows(planted.edges[others], relation[0], planted.relations) == rows(
        edges[outside], relation[1], planted.relations
    )
    # and one for each copy that has nodes of its own
    assert planted.num_nodes == NUM_NODES + (not embedded) * planted.node_mask.sum()
    owners = np.sort(planted.node_instance[planted.edges[attaching]], axis=1).tolist()
    assert owners == ([] if embedded else [[-1, k] for k in range(sum(counts.values()))])
    # a graph with other names of its nodes is as true
    new_id = np.random.default_rng(0).permutation(planted.num_nodes)
    moved = planted.relabel(new_id)
    assert_true(moved, counts)
    moved_edges = new_id[planted.edges], planted.edge_relation, planted.relations
    assert rows(moved.edges, moved.edge_relation, moved.relations) == rows(*moved_edges)
    np.testing.assert_array_equal(moved.features[new_id], planted.features)


def test_a_small_case_by_hand():
    planted = plant_motifs([[1, 0], [1, 2]], 3, {"square": 1, "diamond": 1}, seed=0)
    assert planted.num_nodes == 11
    assert planted.motif_names == ("square", "diamond")
    assert planted.node_type.tolist() == [0] * 3 + [1] * 4 + [2] * 4
    assert planted.node_instance.tolist() == [-1] * 3 + [0] * 4 + [1] * 4
    assert planted.node_role.tolist() == [-1] * 3 + [0, 1, 2, 3] * 2
    assert planted.edge_mask.tolist() == [False] * 2 + [True] * 9 + [False] * 2
    assert planted.instances == (("square", (3, 4, 5, 6)), ("diamond", (7, 8, 9, 10)))
    square, diamond = [[3, 4], [3, 6], [4, 5], [5, 6]], [[7, 8], [7, 9], [8, 9], [8, 10], [9, 10]]
    assert planted.edges[:11].tolist() == [[0, 1], [1, 2], *square, *diamond]
    # a background without edges, and a motif of your own
    own = Structure.parse("a--b, b--c", name="path")
    planted = plant_motifs(np.empty((0, 2), int), 1, {own: 2, "square": 1}, seed=0)
    assert [name for name, _ in planted.instances] == ["path", "path", "square"]
    assert nx.is_connected(nx.Graph(planted.edges.tolist()))
    # mutual arcs of the background are two edges
    settings = PlantingSettings(directed=True)
    planted = plant_motifs([[0, 1], [1, 0]], 2, {"three-cycle": 1}, settings, seed=0)
    assert planted.edges[:2].tolist() == [[0, 1], [1, 0]]


def test_a_tree_background_completes_no_further_copy():
    planted = plant({"house6": 2, "crown": 2})[1]
    for name in ("house6", "crown"):
        motif = MOTIFS[name].to_networkx()
        graph = nx.Graph(planted.edges.tolist())
        matcher = nx.algorithms.isomorphism.GraphMatcher(graph, motif)
        found = {frozenset(match) for match in matcher.subgraph_isomorphisms_iter()}
        assert found == {frozenset(nodes) for n, nodes in planted.instances if n == name}


def test_attaching_edges_are_drawn_like_those_of_the_background():
    edges, planted = plant({"three-cycle": 2000}, directed=True, relations=2)
    base, attaching = np.split(np.flatnonzero(~planted.edge_mask), [len(edges)])
    share = planted.edge_relation[base].mean()
    assert planted.edge_relation[attaching].mean() == pytest.approx(share, abs=0.05)
    # half of them lead to the copy, to any of its nodes and from any node of the background
    ends = planted.edges[attaching]
    assert 0.45 < (ends[:, 0] < NUM_NODES).mean() < 0.55
    roles = np.bincount(planted.node_role[ends.max(axis=1)]) / 2000
    np.testing.assert_allclose(roles, 1 / 3, atol=0.05)
    assert len(np.unique(ends.min(axis=1))) == NUM_NODES
    drawn = plant({"three-cycle": 1}, directed=True, relations=4)[1].edge_relation[: len(edges)]
    assert set(drawn.tolist()) == {0, 1, 2, 3}


def test_names_of_relations():
    def names(counts, **options):
        return plant(counts, directed=True, **options)[1].relations.names

    assert names(SIGNED) == ("activates", "represses")
    assert names(SIGNED, relations=3) == ("activates", "represses", "relation0")
    assert names(ARCS, relations=2) == ("relation0", "relation1")
    assert names(ARCS) == ("edge",)


def test_embedded_copies_are_on_nodes_of_few_edges():
    edges = barabasi_albert(400, 2, seed=1)
    settings = PlantingSettings(embedded=True)
    planted = plant_motifs(edges, 400, {"circle": 20}, settings, seed=0)
    degrees = np.bincount(edges.reshape(-1), minlength=400)
    taken = degrees[planted.node_mask]
    assert taken.max() == np.median(degrees) + 2 < degrees.max()
    assert taken.min() == degrees.min()


# ---------------------------------------------------------------- alterations and features


def test_alterations_delete_and_add_at_the_rates_asked_for():
    planted = plant({"house6": 400}, remove_prob=0.2, add_prob=0.1)[1]
    roles = planted.node_role[planted.edges[planted.edge_mask]]
    kept = np.zeros((6, 6))
    np.add.at(kept, (roles[:, 0], roles[:, 1]), 1)
    i, j = np.triu_indices(6, 1)
    is_edge = MOTIFS["house6"].joined[i, j] == 1
    # each of the 15 pairs has its own rate, within five standard errors
    assert np.abs(kept[i, j][is_edge] - 320).max() < 5 * math.sqrt(400 * 0.2 * 0.8)
    assert np.abs(kept[i, j][~is_edge] - 40).max() < 5 * math.sqrt(400 * 0.1 * 0.9)
    owner = planted.node_instance[planted.edges[planted.edge_mask]]
    assert np.array_equal(*owner.T)
    # they change neither the nodes nor the features of the copies, and the truth is the motif's
    whole = plant({"house6": 400})[1]
    assert whole.instances == planted.instances
    assert np.array_equal(whole.features, planted.features)
    (row,) = planted.truth()["motifs"]
    assert (row["copies"], row["edges"]) == (400, list(map(list, MOTIFS["house6"].edges)))


def test_perturbation_adds_edges_of_any_direction_and_relation():
    options = {"directed": True, "relations": 2, "remove_prob": 0.3, "add_prob": 0.2}
    planted = plant({"bi-fan": 3000}, **options)[1]
    (motif,) = planted.motifs
    inside = np.flatnonzero(planted.edge_mask)
    roles = planted.node_role[planted.edges[inside]]
    counts = np.zeros((2, 4, 4))
    np.add.at(counts, (planted.edge_relation[inside], roles[:, 0], roles[:, 1]), 1)
    expected = np.zeros((2, 4, 4))
    # two pairs are not joined, and an edge there has two directions and two relations
    for i, j in ((0, 1), (1, 0), (2, 3), (3, 2)):
        expected[:, i, j] = 3000 * 0.2 / 4
    for (i, j), number in zip(motif.edges, motif.edge_relations, strict=True):
        name = motif.relations.names[number]
        expected[planted.relations.names.index(name), i, j] = 3000 * 0.7
    # within five standard errors
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected)).all()


def test_features_of_every_mode():
    per_type = plant(PLAIN, features="per_type", feature_dim=4)[1]
    assert per_type.features.shape == (per_type.num_nodes, 4)
    types = [np.unique(per_type.features[per_type.node_type == t], axis=0) for t in range(4)]
    assert [len(vectors) for vectors in types] == [1] * 4
    assert len(np.unique(np.concatenate(types), axis=0)) == 4
    assert len(np.unique(plant(PLAIN, features="per_node")[1].features)) > 200
    # one that tells nothing apart is none
    constant = plant(PLAIN, features="constant")[1].to_csr()
    assert constant.notes == ("no node features; using the constant 1 (162 nodes)",)
    wild = plant(PLAIN, features="per_type_noise", noise=3.0)[1].features
    assert (wild.min(), wild.max()) == (0.0, 1.0)


def test_feature_noise_deviates_as_much_as_was_asked_for(noise=0.05):
    edges = barabasi_albert(5000, 1, seed=0)
    settings = PlantingSettings("per_type_noise", feature_dim=8, noise=noise)
    values = plant_motifs(edges, 5000, {}, settings, seed=0).features
    mean = values.mean(axis=0)
    # what would leave [0, 1] is clipped
    values = values[:, (mean > 5 * noise) & (mean < 1 - 5 * noise)]
    assert values.size >= 20_000
    assert values.std(axis=0) == pytest.approx(noise, rel=0.03)


def test_a_seed_repeats_and_another_differs():
    options = {"features": "per_node", "remove_prob": 0.2}
    first, again, other = (plant(PLAIN, seed, **options)[1] for seed in (5, 5, 6))
    assert np.array_equal(first.edges, again.edges)
    assert np.array_equal(first.features, again.features)
    assert first.edges.tolist() != other.edges.tolist()


# ---------------------------------------------------------------- containers and refusals


@pytest.mark.parametrize(
    ("counts", "options"),
    [(PLAIN, {}), (ARCS, {"directed": True}), *((KINDS[k]) for k in (2, 5))],
)
def test_every_container_holds_the_same_graph(counts, options):
    planted = plant(counts, **options)[1]
    csr, flat, data = planted.to_csr(), planted.to_dgl(), planted.to_pyg()
    assert csr.num_edges == len(planted.edges)
    several = len(planted.relations.names) > 1
    kinds = planted.edge_relation[planted.arcs()[1]]
    types = {"relation": np.array(planted.relations.names)[kinds]} if several else {}
    other = as_csr(flat, features="feat", **types)
    assert rows(*columns(other)) == rows(*columns(csr))
    assert other.relations.directed == csr.relations.directed
    np.testing.assert_array_equal(other.features, csr.features)
    # PyG has the edges and the data of DGL
    assert data.edge_index.tolist() == torch.stack(flat.edges()).tolist()
    assert data.x.tolist() == flat.ndata["feat"].tolist()
    for name in ("node_type", "node_mask", "node_instance", "node_role"):
        assert data[name].tolist() == flat.ndata[name].tolist() == getattr(planted, name).tolist()
    inside = planted.edge_mask[planted.arcs()[1]].tolist()
    assert data.edge_mask.tolist() == flat.edata["edge_mask"].tolist() == inside
    of_types = [flat.edata["relation"], data.edge_type] if several else []
    assert [one.tolist() for one in of_types] == [kinds.tolist()] * len(of_types)
    assert ("relation" in flat.edata) == ("edge_type" in data) == several


def columns(graph):
    source, target, relation = graph.edges()
    return np.column_stack([source, target]), relation, graph.relations


EMBEDDED = {
    "base_edges": BASE_GRAPHS["er"](0.12).draw(NUM_NODES, seed=3),
    "num_base_nodes": NUM_NODES,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_edges": [[0, 3]]}, "base_edges must hold node ids from 0 to 2, got 0 to 3"),
        ({"motifs": ["house6"]}, "motifs must map motifs to numbers of copies"),
        ({"base_edges": [[0, 1], [2, 2]]}, "base_edges must have no self-loop, got one in row 1"),
        ({"base_edges": [[0, 1], [1, 0]]}, "base_edges must hold each edge once, got 1 repeated"),
        ({"base_edges": [[0, 1], [0, 1]], "directed": True}, "each edge once, got 1 repeated"),
        ({"base_edges": [0, 1, 2]}, r"base_edges must have the shape \[E, 2\], got \[3\]"),
        ({"motifs": {"house6": 1, MOTIFS["house6"]: 1}}, "motifs must .*have different names"),
        ({"motifs": {"house6": -1}}, "must be at least 0, got -1"),
        ({"motifs": {Structure.parse("a--b"): 1}}, "motifs must have names and edges; give"),
        ({"motifs": {"bi-fan": 1}}, "directed must be True for motif 'bi-fan', .* got False"),
        ({"noise": 0.1}, "noise must be 0 with features='per_node', got 0.1; use"),
        ({"motifs": {"square": 31}, "embedded": True, **EMBEDDED},
         "motifs must have at most .* got 124; plant fewer copies"),
    ],
)  # fmt: skip
def test_what_cannot_be_planted_is_refused(change, message):
    options = {"base_edges": [[0, 1]], "num_base_nodes": 3, "motifs": {"house6": 1}, **change}
    given = [options.pop(name) for name in ("base_edges", "num_base_nodes", "motifs")]
    with pytest.raises((InputError, InputTypeError), match=message):
        plant_motifs(*given, PlantingSettings(**options), seed=0)
