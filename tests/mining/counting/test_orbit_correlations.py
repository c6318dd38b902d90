"""Graphlet correlations: those of SciPy on the orbits of ORCA, with the node that is added."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy.stats import spearmanr

from gomkcn.mining.counting.census_formulas import count_orbits
from gomkcn.mining.counting.graphlets import orbits_by_enumeration
from gomkcn.mining.counting.orbit_correlations import GCD_ORBITS, ORBIT_PAIRS, orbit_correlations
from gomkcn_dgl import as_csr

TRUTH = json.loads((Path(__file__).parents[2] / "data/gcd11.json").read_text())


def test_distances_are_those_of_orca_and_scipy():
    found = [
        orbit_correlations(count_orbits(as_csr(nx.Graph(edges)), 4))
        for edges in TRUTH["graphs"].values()
    ]
    apart = [[np.linalg.norm(one - other) for other in found] for one in found]
    np.testing.assert_allclose(apart, TRUTH["gcd11"], atol=1e-9, rtol=0)
    assert np.min(np.array(apart)[np.triu_indices(4, 1)]) > 0.3


@pytest.mark.parametrize("seed", range(4))
def test_correlations_are_spearmans_with_a_node_of_ones(seed):
    orbits = orbits_by_enumeration(as_csr(nx.gnp_random_graph(9, 0.4, seed=seed)))[:, :15]
    known = np.vstack([orbits[:, GCD_ORBITS], np.ones(len(GCD_ORBITS), int)])
    matrix = spearmanr(known).statistic
    expected = [matrix[pair] for pair in ORBIT_PAIRS]
    np.testing.assert_allclose(orbit_correlations(orbits), expected, atol=1e-12)


def test_an_orbit_at_which_no_node_is_has_correlations():
    """A star has no path of four nodes: without the added node its ranks would be equal."""
    star = count_orbits(as_csr(nx.star_graph(6)), 4)
    assert not star[:, 4].any()
    assert not np.isnan(orbit_correlations(star)).any()
    # of the two without any node the ranks are the same
    assert orbit_correlations(star)[ORBIT_PAIRS.index((3, 4))] == pytest.approx(1)


def test_correlations_are_missing_where_all_nodes_and_the_added_one_are_alike():
    pairs = count_orbits(as_csr(nx.Graph([(0, 1), (2, 3)])), 4)
    found = orbit_correlations(pairs)
    of_degree = [place for place, pair in enumerate(ORBIT_PAIRS) if 0 in pair]
    assert np.isnan(found[of_degree]).all() and not np.isnan(np.delete(found, of_degree)).any()


def test_counts_beyond_int64_are_ranked():
    orbits = np.array([[2**70 + row * column for column in range(15)] for row in range(4)], object)
    small = np.array([[2 + row * column for column in range(15)] for row in range(4)])
    small[:, 0] = orbits[:, 0] = [5, 6, 7, 8]
    np.testing.assert_allclose(orbit_correlations(orbits), orbit_correlations(small))
