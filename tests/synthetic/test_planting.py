"""Planted graphs: the truth must be true."""

import math

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.structure import Structure
from synthetic import MOTIFS, PlantingSettings, barabasi_albert, plant_motifs

COUNTS = {"house": 3, "square": 2, "wheel8": 4}


def plant(seed=0, num_base_nodes=40, counts=COUNTS, **options):
    edges = barabasi_albert(num_base_nodes, 1, seed=1)
    return plant_motifs(edges, num_base_nodes, counts, PlantingSettings(**options), seed=seed)


def as_networkx(planted):
    """The graph with what each node is, without directions."""
    graph = nx.Graph(planted.edges.tolist())
    for name in ("node_type", "node_role", "node_instance"):
        nx.set_node_attributes(graph, dict(enumerate(getattr(planted, name).tolist())), name)
    return graph


def copies_of(planted, graph=None):
    """Yield each copy's motif, node ids and induced graph, relabelled to the motif's nodes."""
    graph = as_networkx(planted) if graph is None else graph
    for name, nodes in planted.instances:
        inside = graph.subgraph(nodes)
        yield MOTIFS[name], nodes, nx.relabel_nodes(inside, {v: i for i, v in enumerate(nodes)})


def test_a_small_case_by_hand():
    planted = plant_motifs([[1, 0], [1, 2]], 3, {"square": 1, "diamond4": 1}, seed=0)
    assert planted.num_nodes == 11
    assert planted.motif_names == ("square", "diamond4")
    assert planted.node_type.tolist() == [0] * 3 + [1] * 4 + [2] * 4
    assert planted.node_mask.tolist() == [False] * 3 + [True] * 8
    assert planted.node_instance.tolist() == [-1] * 3 + [0] * 4 + [1] * 4
    assert planted.node_role.tolist() == [-1] * 3 + [0, 1, 2, 3] * 2
    assert planted.edge_mask.tolist() == [False] * 2 + [True] * 9 + [False] * 2
    assert planted.instances == (("square", (3, 4, 5, 6)), ("diamond4", (7, 8, 9, 10)))
    square, diamond = [[3, 4], [3, 6], [4, 5], [5, 6]], [[7, 8], [7, 9], [8, 9], [8, 10], [9, 10]]
    assert planted.edges[:11].tolist() == [[0, 1], [1, 2], *square, *diamond]
    assert planted.edges[11:, 0].max() < 3
    assert ((planted.edges[11:, 1] - 3) // 4).tolist() == [0, 1]


@pytest.mark.parametrize("relabelled", [False, True])
def test_every_instance_is_its_motif_node_by_node(relabelled):
    planted = plant()
    if relabelled:
        planted = planted.relabel(np.random.default_rng(0).permutation(planted.num_nodes))
    names = [name for name, _ in planted.instances]
    assert {name: names.count(name) for name in COUNTS} == COUNTS
    for motif, nodes, inside in copies_of(planted):
        assert nx.utils.graphs_equal(nx.Graph(inside.edges), nx.Graph(motif.edges))
        assert planted.node_role[list(nodes)].tolist() == list(range(motif.num_nodes))


def test_a_tree_background_completes_no_further_copy():
    planted = plant(num_base_nodes=30, counts={"house": 2, "crown": 2})
    for name in ("house", "crown"):
        motif = MOTIFS[name].to_networkx()
        matcher = nx.algorithms.isomorphism.GraphMatcher(as_networkx(planted), motif)
        found = {frozenset(match) for match in matcher.subgraph_isomorphisms_iter()}
        assert found == {frozenset(nodes) for n, nodes in planted.instances if n == name}


def test_perturbation_deletes_and_adds_at_the_rates_asked_for():
    planted = plant(counts={"house": 400}, remove_prob=0.2, add_prob=0.1)
    u, v = planted.edges[planted.edge_mask].T
    roles = planted.node_role[np.stack([u, v], axis=1)]
    kept = np.zeros((6, 6))
    np.add.at(kept, (roles[:, 0], roles[:, 1]), 1)
    i, j = np.triu_indices(6, 1)
    is_edge = MOTIFS["house"].joined[i, j] == 1
    # Each of the 15 pairs has its own rate, within five standard errors.
    assert np.abs(kept[i, j][is_edge] - 320).max() < 5 * math.sqrt(400 * 0.2 * 0.8)
    assert np.abs(kept[i, j][~is_edge] - 40).max() < 5 * math.sqrt(400 * 0.1 * 0.9)
    assert np.array_equal(planted.node_instance[u], planted.node_instance[v])


def test_features_of_every_mode():
    per_type = plant(features="per_type", feature_dim=4)
    assert per_type.features.shape == (per_type.num_nodes, 4)
    types = [np.unique(per_type.features[per_type.node_type == t], axis=0) for t in range(4)]
    assert [len(vectors) for vectors in types] == [1] * 4
    assert len(np.unique(np.concatenate(types), axis=0)) == 4
    assert len(np.unique(plant(features="per_node").features)) > 200
    noisy = plant(features="per_type_noise", noise=0.05, feature_dim=4).features
    assert 0.02 < (noisy - per_type.features).std() < 0.06
    wild = plant(features="per_type_noise", noise=3.0).features
    assert (wild.min(), wild.max()) == (0.0, 1.0)


@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_feature_noise_deviates_as_much_as_was_asked_for(noise):
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
    first, again, other = (plant(seed, **options) for seed in (5, 5, 6))
    assert np.array_equal(first.edges, again.edges)
    assert np.array_equal(first.features, again.features)
    assert first.edges.tolist() != other.edges.tolist()


def test_to_dgl_holds_both_directions_and_the_truth():
    planted = plant()
    graph = planted.to_dgl()
    source, target = graph.edges()
    num_edges = len(planted.edges)
    assert graph.num_nodes() == planted.num_nodes
    assert torch.stack([source, target], 1)[:num_edges].tolist() == planted.edges.tolist()
    assert torch.stack([target, source], 1)[num_edges:].tolist() == planted.edges.tolist()
    assert graph.edata["edge_mask"].tolist() == planted.edge_mask.tolist() * 2
    assert graph.ndata["feat"].tolist() == planted.features.tolist()
    for name in ("node_type", "node_mask", "node_instance", "node_role"):
        assert graph.ndata[name].tolist() == getattr(planted, name).tolist()


def test_a_background_without_edges_and_a_motif_of_your_own():
    own = Structure.parse("a--b, b--c", name="path")
    planted = plant_motifs(np.empty((0, 2), int), 1, {own: 2, "square": 1}, seed=0)
    assert [name for name, _ in planted.instances] == ["path", "path", "square"]
    assert nx.is_connected(as_networkx(planted))


def test_relabelling_keeps_the_graph():
    plain = plant()
    shuffled = plain.relabel(np.random.default_rng(0).permutation(plain.num_nodes))
    assert plain.instances != shuffled.instances
    names = ["node_type", "node_role", "node_instance"]
    match = nx.isomorphism.categorical_node_match(names, [None] * 3)
    assert nx.is_isomorphic(as_networkx(plain), as_networkx(shuffled), node_match=match)
    for a, b in zip(plain.instances, shuffled.instances, strict=True):
        assert np.array_equal(plain.features[list(a[1])], shuffled.features[list(b[1])])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_edges": [[0, 3]]}, "base_edges must hold node ids from 0 to 2, got 0 to 3"),
        ({"motifs": ["house"]}, "motifs must map motifs to numbers of copies"),
        ({"base_edges": [[0, 1], [2, 2]]}, "base_edges must have no self-loop, got one in row 1"),
        ({"base_edges": [[0, 1], [1, 0]]}, "base_edges must hold each edge once, got 1 repeated"),
        ({"base_edges": [0, 1, 2]}, r"base_edges must have the shape \[E, 2\], got \[3\]"),
        ({"motifs": {"house": 1, MOTIFS["house"]: 1}}, "motifs must .*have different names"),
        ({"motifs": {Structure.parse("a--b"): 1}}, "motifs must have names and edges; give"),
    ],
)
def test_values_out_of_range_are_refused(change, message):
    options = {"base_edges": [[0, 1]], "num_base_nodes": 3, "motifs": {"house": 1}, "seed": 0}
    with pytest.raises((InputError, InputTypeError), match=message):
        plant_motifs(**{**options, **change})
    with pytest.raises(InputError, match="noise must be 0 with features='per_type', got 0.1; use"):
        PlantingSettings(noise=0.1)
