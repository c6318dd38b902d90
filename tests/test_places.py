"""Places of a structure, turned by their features, and shared by the patterns of the structure."""

import networkx as nx
import numpy as np
import pytest
import torch
from test_neighbourhoods import filters_of, source_of

from gomkcn_dgl import gomk
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.locating import places as places_module
from mining.locating.places import similarity_of_places, turn_places
from mining.structures.feature_scaling import FeatureScaling, ScaledFeatures

PATH, RING, TRIANGLE = nx.path_graph(3), nx.cycle_graph(5), nx.complete_graph(3)
UNSCALED = FeatureScaling(np.zeros(1), np.ones(1), np.ones(1))


def structure_of(graph):
    return Structure(nx.to_numpy_array(graph))


def unscaled(values):
    return ScaledFeatures(np.asarray(values, np.float32).reshape(-1, 1), UNSCALED)


def turn(rows, graph, values, *args, **options):
    rows = np.array(rows, np.int32).reshape(-1, len(graph))
    return turn_places(rows, structure_of(graph), unscaled(values), *args, **options)


def test_places_are_turned_until_their_features_agree_by_hand():
    # the second path is listed the other way round
    one = turn([[0, 1, 2], [5, 4, 3]], PATH, [0, 0.5, 1, 0, 0.5, 1])
    assert one.nodes.tolist() == [[0, 1, 2], [3, 4, 5]]
    np.testing.assert_allclose(one.means[0][:, 0], [0, 0.5, 1])
    assert one.owner.tolist() == [0, 0]
    # a colour at one end forbids it
    colored = Structure.parse("0:a--1:a, 1--2:b")
    rows = np.array([[0, 1, 2], [5, 4, 3]])
    kept = turn_places(rows, colored, unscaled([0, 0.5, 1, 0, 0.5, 1]))
    assert kept.nodes.tolist() == rows.tolist()
    np.testing.assert_allclose(kept.means[0][:, 0], [0.5, 0.5, 0.5])


@pytest.mark.parametrize("table_size", [2**22, 1])
def test_noisy_copies_in_any_turn_are_aligned(table_size, monkeypatch):
    monkeypatch.setattr(places_module, "_TABLE_SIZE", table_size)
    rng, rows, values = np.random.default_rng(0), [], []
    symmetries = structure_of(RING).symmetries
    for copy in range(40):
        rows.append(5 * copy + symmetries[rng.integers(len(symmetries))])
        values += (np.array([0.1, 0.3, 0.9, 0.5, 0.7]) + rng.normal(0, 0.02, 5)).tolist()
    one = turn(rows, RING, values)
    # the first place decides which of the turns it is
    assert (one.nodes % 5 == one.nodes[0] % 5).all()
    for row, given in zip(one.nodes, rows, strict=True):
        assert row.tolist() in given[symmetries].tolist()
    spread = np.array(values)[one.nodes].mean(axis=0)
    np.testing.assert_allclose(one.means[0][:, 0], spread, atol=1e-6)


def test_centers_share_the_places_by_their_features():
    # triangles of feature 0, of feature 1, and one between them that is nearer to 1
    rows, values = np.arange(12).reshape(4, 3), np.repeat([0.0, 1.0, 0.0, 0.7], 3)
    centers = [np.full((3, 1), level) for level in (0.0, 1.0)]
    one = turn(rows, TRIANGLE, values, centers)
    assert one.nodes.tolist() == rows.tolist() and one.owner.tolist() == [0, 1, 0, 1]
    np.testing.assert_allclose(one.means[1], 0.85, atol=1e-6)
    # a center that no place is nearest to is none
    idle = [np.full((3, 1), level) for level in (9.0, 0.0, 1.0)]
    assert [*turn(rows, TRIANGLE, values, idle).means] == [1, 2]


@pytest.mark.parametrize(("min_support", "sizes"), [(2, [7, 2]), (3, [9]), (10, [9])])
def test_the_places_of_a_rare_center_go_to_another(min_support, sizes):
    values = np.repeat([0.0] * 7 + [1.0] * 2, 3)
    centers = [np.full((3, 1), level) for level in (0.0, 1.0)]
    one = turn(np.arange(27), TRIANGLE, values, centers, min_support)
    # most places first
    assert [int((one.owner == number).sum()) for number in one.means] == sizes


def test_without_features_or_places_there_is_one_center():
    centers = [np.full((3, 1), level) for level in (0.0, 1.0)]
    one = turn([[0, 1, 2], [5, 4, 3]], PATH, [0.5] * 6, centers)
    assert one.nodes.tolist() == [[0, 1, 2], [5, 4, 3]] and [*one.means] == [0]
    none = turn([], PATH, [0.5] * 6, centers)
    assert (none.nodes.shape, none.means[0].tolist()) == ((0, 3), [[0.0]] * 3)


@pytest.mark.parametrize("part_size", [4096, 2])
def test_the_similarity_of_a_place_is_that_of_the_kernel(part_size, monkeypatch):
    monkeypatch.setattr(places_module, "_PART_SIZE", part_size)
    rng = np.random.default_rng(0)
    graph = as_csr(nx.disjoint_union_all([RING] * 5), features=rng.random((25, 1)))
    source, pattern = source_of(6), filters_of([RING], 6, [rng.random(5).tolist()])
    rows = np.arange(25, dtype=np.int32).reshape(5, 5)
    found = similarity_of_places(source, unscaled(graph.features), rows, pattern)
    adj = pattern.adj[:, :5, :5]
    expected = gomk(
        adj.expand(5, 5, 5), torch.from_numpy(graph.features[rows]), adj, pattern.feat[:, :5],
        kernel=source.kernel, normalize=True, backend="reference",
    )  # fmt: skip
    np.testing.assert_allclose(found, expected[:, 0], rtol=1e-5)
    assert found.dtype == np.float32
    assert similarity_of_places(source, unscaled(graph.features), rows[:0], pattern).shape == (0,)
    # a place with the features of the pattern
    pattern.feat[0, :5, 0] = torch.from_numpy(graph.features[rows[3], 0])
    found = similarity_of_places(source, unscaled(graph.features), rows, pattern)
    assert found[3] == pytest.approx(1, abs=1e-6) and found.argmax() == 3
