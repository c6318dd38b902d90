"""Parts: where one structure lies in another, beside NetworkX."""

import networkx as nx
import numpy as np
from networkx.algorithms.isomorphism import GraphMatcher

from mining.judging.parts import find_part
from synthetic import MOTIFS


def test_parts_are_those_that_networkx_finds():
    graphs = [graph for graph in nx.graph_atlas_g()[3:120] if nx.is_connected(graph)]
    found = []
    for whole in graphs[30::4]:
        for part in graphs[:60:7]:
            mapping = find_part(nx.to_numpy_array(whole), nx.to_numpy_array(part))
            assert (mapping is not None) == GraphMatcher(whole, part).subgraph_is_isomorphic()
            if mapping is not None:
                induced = nx.to_numpy_array(whole)[np.ix_(mapping, mapping)]
                np.testing.assert_array_equal(induced, nx.to_numpy_array(part))
            found.append(mapping is not None)
    assert 0.1 < np.mean(found) < 0.9


def test_directions_and_colours_are_kept():
    loop, cycle = (MOTIFS[name].channels() for name in ("feed-forward-loop", "three-cycle"))
    assert find_part(loop, loop).tolist() == [0, 1, 2]
    assert find_part(loop, cycle) is None
    path = nx.to_numpy_array(nx.path_graph(3))
    assert find_part(path, path[:2, :2], np.array([5, 6, 7]), np.array([7, 6])).tolist() == [2, 1]
    assert find_part(path, path[:2, :2], np.array([5, 6, 7]), np.array([7, 5])) is None
