"""Fit of null models: a warning where triangles are the reason, and none where a motif is."""

import networkx as nx

from gomkcn_dgl.graph import as_csr
from mining.null_models.null_fit import count_triangles, fit_of
from mining.null_models.null_samples import NullSamples

POINTS = as_csr(nx.Graph(nx.random_geometric_graph(300, 0.08, seed=1).edges))


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
