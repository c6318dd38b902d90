"""Planting with directions and relations: what a copy is, and what joins it to the background."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from synthetic import (
    MOTIFS,
    MotifClassificationDataset,
    PlantingSettings,
    barabasi_albert,
    orient_edges,
    plant_motifs,
    planted_motif_graph,
)

COUNTS = {"feed-forward-loop": 3, "bi-fan": 2, "house": 2}
SIGNED = {"incoherent-feed-forward-loop-1": 4, "coherent-feed-forward-loop-1": 3}


def plant(counts=COUNTS, *, seed=0, directed=True, **options):
    edges = barabasi_albert(60, 1, seed=1)
    if directed:
        edges = orient_edges(edges, seed=2)
    return plant_motifs(
        edges, 60, counts, PlantingSettings(directed=directed, **options), seed=seed
    )


def arcs_inside(planted, nodes):
    """Arcs within a set of nodes as indices into it, with the names of their relations."""
    position = {node: i for i, node in enumerate(nodes)}
    rows = zip(planted.edges.tolist(), planted.edge_relation.tolist(), strict=True)
    arcs = set()
    for ends, relation in rows:
        if set(ends) <= set(position):
            ends = [position[node] for node in ends]
            ends = ends if planted.relations.is_directed else sorted(ends)
            arcs.add((*ends, planted.relations.names[relation]))
    return arcs


def arcs_of(motif):
    names = [motif.relations.names[number] for number in motif.edge_relations]
    return {(*ends, name) for ends, name in zip(motif.edges, names, strict=True)}


@pytest.mark.parametrize("relabelled", [False, True])
@pytest.mark.parametrize(
    ("counts", "options"),
    [
        (COUNTS, {}),
        (COUNTS, {"relations": 3}),
        (SIGNED, {}),
        (SIGNED, {"relations": 4}),
        ({"triangle-001": 3, "square": 2}, {"directed": False, "relations": 2}),
    ],
)
def test_every_copy_is_its_motif_node_by_node(counts, options, relabelled):
    planted = plant(counts, **options)
    if relabelled:
        planted = planted.relabel(np.random.default_rng(0).permutation(planted.num_nodes))
    motifs = {motif.name: motif for motif in planted.motifs}
    assert planted.relations.directed == (options.get("directed", True),) * len(
        planted.relations.names
    )
    assert len(planted.instances) == sum(counts.values())
    for name, nodes in planted.instances:
        assert arcs_inside(planted, nodes) == arcs_of(motifs[name])
        assert planted.node_role[list(nodes)].tolist() == list(range(motifs[name].num_nodes))
        # the motif of the table, with what it leaves open
        table = MOTIFS[name]
        if table.relations.is_directed or not planted.relations.is_directed:
            assert sorted(motifs[name].edges) == sorted(table.edges)
        assert motifs[name].joined.tolist() == table.joined.tolist()
        if table.relations.names != ("edge",):
            assert arcs_of(motifs[name]) == arcs_of(table)


def test_names_of_relations():
    assert plant(SIGNED).relations.names == ("activates", "represses")
    assert plant(SIGNED, relations=3).relations.names == ("activates", "represses", "relation0")
    assert plant(relations=2).relations.names == ("relation0", "relation1")
    assert plant().relations.names == ("edge",)
    with pytest.raises(InputError, match="directed must be True for motif 'bi-fan', .* got False"):
        plant({"bi-fan": 1}, directed=False)


def test_base_and_attaching_edges_have_relations_like_the_background():
    planted = plant({"three-cycle": 2000}, relations=2)
    attaching = np.flatnonzero(~planted.edge_mask)[59:]
    assert len(attaching) == 2000
    share = planted.edge_relation[:59].mean()
    assert planted.edge_relation[attaching].mean() == pytest.approx(share, abs=0.05)
    # half of them lead to the copy
    assert 0.45 < (planted.edges[attaching, 0] < 60).mean() < 0.55
    drawn = plant({"three-cycle": 1}, relations=4).edge_relation[:59]
    assert set(drawn.tolist()) == {0, 1, 2, 3}


def test_mutual_arcs_of_the_background_are_two_edges():
    planted = plant_motifs(
        [[0, 1], [1, 0]], 2, {"three-cycle": 1}, PlantingSettings(directed=True), seed=0
    )
    assert planted.edges[:2].tolist() == [[0, 1], [1, 0]]
    with pytest.raises(InputError, match="base_edges must hold each edge once, got 1 repeated"):
        plant_motifs(
            [[0, 1], [0, 1]], 2, {"three-cycle": 1}, PlantingSettings(directed=True), seed=0
        )


def test_perturbation_adds_edges_of_any_direction_and_relation():
    planted = plant({"bi-fan": 3000}, relations=2, remove_prob=0.3, add_prob=0.2)
    (motif,) = planted.motifs
    inside = np.flatnonzero(planted.edge_mask)
    roles = planted.node_role[planted.edges[inside]]
    counts = np.zeros((2, 4, 4))
    np.add.at(counts, (planted.edge_relation[inside], roles[:, 0], roles[:, 1]), 1)
    expected = np.zeros((2, 4, 4))
    # two pairs are not joined, and an edge there has two directions and two relations
    for i, j in ((0, 1), (1, 0), (2, 3), (3, 2)):
        expected[:, i, j] = 3000 * 0.2 / 4
    for i, j, name in arcs_of(motif):
        expected[planted.relations.names.index(name), i, j] = 3000 * 0.7
    # within five standard errors
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected)).all()


def test_every_container_holds_the_same_graph():
    for planted in (plant(relations=3), plant({"square": 2}, directed=False, relations=2)):
        csr = planted.to_csr()
        assert csr.num_edges == len(planted.edges)
        hetero = as_csr(planted.to_heterograph(), features="feat")
        flat = planted.to_dgl()
        numbers = flat.edata["relation"].numpy()
        names = np.array(planted.relations.names)[numbers]
        dgl_graph = as_csr(flat, features="feat", edge_type=names)
        for other in (hetero, dgl_graph):
            assert named_edges(other) == named_edges(csr)
            np.testing.assert_array_equal(other.features, csr.features)
        assert hetero.relations.directed == csr.relations.directed
        graph = planted.to_heterograph()
        inside = sum(int(graph.edges[name].data["edge_mask"].sum()) for name in graph.etypes)
        assert inside == planted.edge_mask.sum() * (1 if planted.relations.is_directed else 2)


def named_edges(graph):
    source, target, relation = graph.edges()
    names = np.array(graph.relations.names)[relation]
    return set(zip(source.tolist(), target.tolist(), names.tolist(), strict=True))


def test_a_directed_graph_without_relations_has_each_arc_once():
    planted = plant()
    graph = planted.to_dgl()
    assert torch.stack(graph.edges(), dim=1).tolist() == planted.edges.tolist()
    assert set(graph.edata) == {"edge_mask"}
    assert named_edges(as_csr(graph, features="feat")) == named_edges(planted.to_csr())


def test_data_sets_with_directions_and_relations():
    options = {"seed": 3, "settings": PlantingSettings(directed=True, relations=2)}
    graph = planted_motif_graph(30, 1, 2, ("bi-fan", "three-cycle"), **options).to_dgl()
    assert graph.num_edges() == 29 + 2 * 4 + 2 * 3 + 4
    assert set(graph.edata) == {"edge_mask", "relation"}
    motifs = ("feed-forward-loop", "three-cycle")
    graphs = MotifClassificationDataset(40, 10, motifs=motifs, **options)
    for graph, label in graphs:
        inside = graph.edge_subgraph(graph.edata["edge_mask"], relabel_nodes=True)
        arcs = nx.DiGraph(inside.to_networkx())
        triad = {0: "030T", 1: "030C"}[int(label)]
        assert nx.triadic_census(arcs)[triad] == 1
        assert graph.num_edges() == 9 + 3 + 1
