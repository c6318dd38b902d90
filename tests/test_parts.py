"""Parts: where one structure lies in another, beside NetworkX."""

import networkx as nx
import numpy as np
from networkx.algorithms.isomorphism import GraphMatcher

from gomkcn_dgl.graphs.structure import Structure
from mining.judging.parts import find_part


def test_parts_are_those_that_networkx_finds():
    graphs = [graph for graph in nx.graph_atlas_g()[3:120] if nx.is_connected(graph)]
    found = []
    for whole in graphs[30::4]:
        for part in graphs[:60:7]:
            mapping = find_part(Structure.from_networkx(whole), Structure.from_networkx(part))
            assert (mapping is not None) == GraphMatcher(whole, part).subgraph_is_isomorphic()
            if mapping is not None:
                induced = nx.to_numpy_array(whole)[np.ix_(mapping, mapping)]
                np.testing.assert_array_equal(induced, nx.to_numpy_array(part))
            found.append(mapping is not None)
    assert 0.1 < np.mean(found) < 0.9
    path = Structure.parse("a:5--b:6, b--c:7")
    assert find_part(path, Structure.parse("a:7--b:6")).tolist() == [2, 1]
    assert find_part(path, Structure.parse("a:7--b:5")) is None
