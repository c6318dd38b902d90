"""Trained filters and their frequencies, as in section VI-B of the paper."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.structure import Structure
from mining import FilterLearning, train_filters
from synthetic import MOTIFS, PlantingSettings, planted_motif_graph

COPIES = 8
RING, CLIQUE = (Structure.parse(one).key for one in ("ring-5", "clique-4"))


def rings_and_cliques(rings, cliques):
    """Rings of five nodes, whose feature is 3, and cliques of four, whose feature is 7."""
    parts = [nx.cycle_graph(5)] * rings + [nx.complete_graph(4)] * cliques
    source, target = np.array(nx.disjoint_union_all(parts).edges).T
    values = np.repeat([3.0, 7.0], [5 * rings, 4 * cliques]).astype(np.float32)
    return csr_from_edges(source, target, len(values), features=values[:, None])


def test_each_subgraph_belongs_to_the_filter_that_it_is():
    found = train_filters(rings_and_cliques(6, 10), 5, FilterLearning(num_filters=2))
    assert [one.structure.key for one in found] == [CLIQUE, RING]
    assert [one.frequency for one in found] == [40, 30]
    # in the units of the input
    assert np.allclose(found.filters[0].features, 7, atol=0.1)
    assert np.allclose(found.filters[1].features, 3, atol=0.1)
    for one in found:
        joined = one.structure.joined
        assert (one.weights[joined] > 0.5).all()
        assert one.weights.shape == joined.shape
    assert len(found.loss_curve) == 61
    assert found.loss_curve[-1] < 0.02


def test_filters_that_training_made_worse_are_those_before():
    learning = FilterLearning(num_filters=2, num_epochs=3, learning_rate=1e3, relocate=False)
    found = train_filters(rings_and_cliques(6, 10), 5, learning)
    assert [one.structure.key for one in found] == [CLIQUE, RING]
    assert found.loss_curve[-1] > found.loss_curve[0] + 0.1


def test_frequencies_of_a_sample_are_those_of_all_nodes():
    learning = FilterLearning(num_filters=2, num_epochs=0)
    found = train_filters(rings_and_cliques(400, 250), 5, learning)
    assert sum(one.frequency for one in found) == pytest.approx(3000)
    rings = {one.structure.key: one.frequency for one in found}[RING]
    # 2,000 of 3,000 nodes are drawn: four standard deviations of a share of 2/3
    assert abs(rings - 2000) < 4 * 3000 * np.sqrt(2 / 9 / 2000 / 3)


def test_planted_motifs_are_found_about_as_often_as_they_are_there():
    settings = PlantingSettings(features="per_type")
    planted = planted_motif_graph(200, copies=COPIES, settings=settings)
    found = train_filters(as_csr(planted.to_dgl()))
    for name in ("house", "cup", "wheel", "crown"):
        motif = MOTIFS[name]
        frequency = sum(one.frequency for one in found if one.structure.key == motif.key)
        assert 0.6 < frequency / (COPIES * motif.num_nodes) < 1.4, (name, frequency)


def test_weights_of_edges_are_left_out_and_that_is_said(log):
    graph = csr_from_edges([0, 1, 2], [1, 2, 0], 3, weights=[1.0, 2.0, 3.0])
    found = train_filters(graph, size=3)
    assert [(len(one.structure.edges), one.frequency) for one in found] == [(3, 3)]
    assert any("weights are not used" in line for line in log())


def test_numbers_out_of_range_are_refused():
    for name, value in {"num_filters": 0, "num_epochs": -1, "kernel": None}.items():
        with pytest.raises((InputError, InputTypeError), match=name):
            FilterLearning(**{name: value})
    with pytest.raises(InputError, match="size"):
        train_filters(nx.cycle_graph(5), size=1)
    with pytest.raises(InputTypeError, match="learning"):
        train_filters(nx.cycle_graph(5), learning={"num_hops": 2})


def test_directions_and_relations_are_those_of_the_graph():
    arcs = nx.disjoint_union_all([nx.DiGraph([(0, 1), (1, 2), (2, 0)])] * 5)
    (found,) = train_filters(arcs, size=3).filters
    assert found.structure.key == Structure.parse("a->b, b->c, c->a").key
    assert found.frequency == 15 and found.weights.shape == (3, 3, 2)
