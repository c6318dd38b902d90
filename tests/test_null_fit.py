"""Fit of null models: a warning where triangles are the reason, and none where a motif is."""

import networkx as nx
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps
from mining.null_models.null_fit import WHAT_IS_KEPT, count_triangles, fit_of
from mining.null_models.null_models import NULL_MODELS
from mining.null_models.null_samples import NullSamples
from synthetic import barabasi_albert, plant_motifs

POINTS = as_csr(nx.Graph(nx.random_geometric_graph(300, 0.08, seed=1).edges))


def test_all_null_models_are_described():
    assert set(WHAT_IS_KEPT) == set(NULL_MODELS)


def test_triangles_are_those_of_networkx():
    graph = nx.gnp_random_graph(60, 0.2, seed=1)
    csr = as_csr(graph)
    expected = list(nx.triangles(graph).values())
    assert count_triangles(csr.indptr, csr.indices).tolist() == expected


def test_points_in_space_have_many_times_the_triangles_that_degrees_explain():
    fit = fit_of(NullSamples(POINTS, "degree"))
    assert fit.triangles > 5 * fit.mean
    assert "This graph has " in fit.warning
    assert "times the triangles of the random graphs that it is compared with" in fit.warning
    assert fit_of(NullSamples(POINTS, "features")).fits


def test_a_collection_is_said_to_be_several_graphs():
    graphs = as_csr([nx.random_geometric_graph(150, 0.11, seed=seed) for seed in range(2)])
    assert fit_of(NullSamples(graphs, "degree")).warning.startswith("These graphs have ")


def test_a_random_graph_has_the_triangles_that_degrees_explain_and_one_of_two_sides_too_few():
    graph = as_csr(nx.gnp_random_graph(300, 0.02, seed=1))
    assert fit_of(NullSamples(graph, "degree")).warning == ""
    sides = as_csr(nx.bipartite.random_graph(60, 60, 0.2, seed=1))
    assert "This graph has 0 triangles and not" in fit_of(NullSamples(sides, "degree")).warning


def test_planted_triangles_are_a_motif_and_no_reason_for_a_warning():
    motifs = {"wheel": 12}
    base = barabasi_albert(250, 1, 0)
    graph = plant_motifs(base, 250, motifs, features="constant", seed=0).to_csr()
    fit = fit_of(NullSamples(graph, "degree"))
    assert fit.triangles > 5 * fit.mean
    assert fit.warning == ""


def test_no_random_graph_is_drawn_when_time_is_up(monkeypatch):
    drawn = NullSamples(POINTS, "degree")
    monkeypatch.setattr(drawn, "draw", lambda number: pytest.fail("drawn"))
    assert fit_of(drawn, Steps(interrupts=Interrupts(time_limit=1e-9))) is None
