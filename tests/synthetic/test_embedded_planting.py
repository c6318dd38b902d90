"""Planting onto nodes of the background: copies are motifs, and nothing else changes."""

import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from synthetic import (
    BASE_GRAPHS,
    MOTIFS,
    MotifClassificationDataset,
    PlantingSettings,
    barabasi_albert,
    orient_edges,
    plant_motifs,
)

NUM_NODES = 120
KINDS = [
    ({"clique4": 5, "circle": 4, "wheel8": 2}, {}),
    ({"feed-forward-loop": 6, "bi-fan": 3, "house": 2}, {"directed": True}),
    ({"incoherent-feed-forward-loop-1": 6, "bi-fan": 2}, {"directed": True, "relations": 3}),
    ({"triangle-001": 6, "square": 4}, {"relations": 2}),
]


def background(directed=False):
    edges = BASE_GRAPHS["er"](NUM_NODES, 0.12, seed=3)
    return orient_edges(edges, seed=4) if directed else edges


def plant(counts, seed=0, **options):
    edges = background(options.get("directed", False))
    settings = PlantingSettings(**{"embedded": True, **options})
    # relations are drawn before any copy is planted
    none = plant_motifs(edges, NUM_NODES, dict.fromkeys(counts, 0), settings, seed=seed)
    planted = plant_motifs(edges, NUM_NODES, counts, settings, seed=seed)
    return edges, none.edge_relation, planted


def rows(edges, relation, chosen):
    """The chosen edges with their relations, as a set."""
    return set(map(tuple, np.column_stack([edges, relation])[chosen].tolist()))


@pytest.mark.parametrize(("counts", "options"), KINDS)
def test_copies_are_their_motifs_and_all_other_edges_stay(counts, options):
    edges, relation, planted = plant(counts, **options)
    assert planted.num_nodes == NUM_NODES
    names = [name for name, _ in planted.instances]
    assert {name: names.count(name) for name in counts} == counts
    # no node is in two copies
    members = [node for _, nodes in planted.instances for node in nodes]
    assert len(set(members)) == len(members)
    # the subgraph that a copy induces is its motif, node by node
    motifs = {motif.name: motif for motif in planted.motifs}
    directed = planted.relations.is_directed
    for name, nodes in planted.instances:
        inside = np.isin(planted.edges, nodes).all(axis=1)
        kinds = motifs[name].relations.names
        wanted = {
            (*(ends if directed else sorted(ends)), planted.relations.names.index(kinds[number]))
            for ends, number in zip(
                np.array(nodes)[np.array(motifs[name].edges)].tolist(),
                motifs[name].edge_relations,
                strict=True,
            )
        }
        assert rows(planted.edges, planted.edge_relation, inside) == wanted
        assert planted.edge_mask[inside].all()
        assert planted.node_role[list(nodes)].tolist() == list(range(len(nodes)))
    # all other edges are those of the background between nodes that are not of one copy
    owner = planted.node_instance[edges]
    outside = (owner[:, 0] < 0) | (owner[:, 0] != owner[:, 1])
    assert 0 < outside.sum() < len(edges)
    others = ~planted.edge_mask
    assert others.sum() == outside.sum()
    assert rows(planted.edges, planted.edge_relation, others) == rows(edges, relation, outside)


@pytest.mark.parametrize("extra_degree", [0, 2])
def test_copies_are_on_nodes_of_few_edges(extra_degree):
    edges = barabasi_albert(400, 2, seed=1)
    planted = plant_motifs(
        edges,
        400,
        {"circle": 20},
        PlantingSettings(embedded=True, extra_degree=extra_degree),
        seed=0,
    )
    degrees = np.bincount(edges.reshape(-1), minlength=400)
    taken = degrees[planted.node_mask]
    assert taken.max() == np.median(degrees) + extra_degree < degrees.max()
    assert taken.min() == degrees.min()


def test_truth_mask_and_noise_are_those_of_the_motifs():
    counts = {"clique4": 10}
    _, _, whole = plant(counts)
    _, _, altered = plant(counts, remove_prob=0.5)
    # alterations change neither the nodes nor the features of the copies
    assert whole.instances == altered.instances
    assert np.array_equal(whole.features, altered.features)
    assert whole.edge_mask.sum() == 60 > altered.edge_mask.sum() > 10
    (row,) = whole.truth()["motifs"]
    assert row["copies"] == 10
    assert row["edges"] == [list(edge) for edge in MOTIFS["clique4"].edges]
    assert sorted(np.concatenate(row["instances"])) == np.flatnonzero(whole.node_mask).tolist()
    assert len(np.unique(whole.features[whole.node_mask], axis=0)) == 1


def test_each_graph_of_a_data_set_has_its_copy():
    dataset = MotifClassificationDataset(
        settings=PlantingSettings(embedded=True, extra_degree=3), num_graphs=40
    )
    planted = dataset.planted
    assert planted.num_nodes == 40 * 25
    graph_of = np.arange(planted.num_nodes) // 25
    for number, (name, nodes) in enumerate(planted.instances):
        (graph,) = set(graph_of[list(nodes)].tolist())
        assert dataset.motif_names[dataset.labels[graph]] == name
        assert (planted.node_instance[list(nodes)] == number).all()
    assert sorted(graph_of[nodes[0]] for _, nodes in planted.instances) == list(range(40))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"embedded": False, "extra_degree": 3}, "extra_degree must be left at 2 without embed"),
        ({"extra_degree": -1}, "extra_degree must be at least 0, got -1"),
        ({"motifs": {"square": 31}}, "motifs must have at most .* got 124; plant fewer copies"),
    ],
)
def test_what_cannot_be_planted_is_refused(options, message):
    options = {"motifs": {"square": 1}, "embedded": True, **options}
    with pytest.raises(InputError, match=message):
        motifs = options.pop("motifs")
        plant_motifs(background(), NUM_NODES, motifs, PlantingSettings(**options), seed=0)
