"""Occurrences that are set apart: against all places, and what they say where counts do not."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining import PatternMiner
from mining.counting.occurrence_lists import list_places
from mining.counting.set_apart import MOST_LEAVING, list_apart
from mining.records.significance import Significance
from synthetic import MOTIFS

FAN = nx.to_numpy_array(nx.wheel_graph(5)) * 1
FAN[1, 2] = FAN[2, 1] = 0


def planted(seed=0):
    """Ten copies of a fan, each joined by one edge to a graph that is full of them."""
    rng = np.random.default_rng(seed)
    base = nx.barabasi_albert_graph(300, 4, seed=seed)
    for copy in range(10):
        fan = nx.relabel_nodes(nx.from_numpy_array(FAN), {i: 300 + 5 * copy + i for i in range(5)})
        base.update(fan)
        base.add_edge(int(rng.integers(300)), 300 + 5 * copy)
    return as_csr(base)


@pytest.mark.parametrize("name", ["diamond4", "house5", "wheel", "four-cycle"])
def test_they_are_the_places_that_hardly_an_edge_leaves(name):
    structure = Structure(MOTIFS[name].joined)
    graph = as_csr(nx.connected_watts_strogatz_graph(60, 4, 0.3, seed=1))
    places, complete = list_places(graph, structure, most=100_000, seconds=60)
    assert complete
    leaving = graph.degrees[places].sum(axis=1) - structure.joined.sum()
    wanted = {frozenset(place) for place in places[leaving <= MOST_LEAVING].tolist()}
    found = [frozenset(place) for place in list_apart(graph, structure).tolist()]
    # of those that share nodes, one is taken
    assert set(found) <= wanted
    assert all(any(place & one for one in found) for place in wanted)
    assert sum(map(len, found)) == len(frozenset().union(*found))


def test_modules_stand_out_where_chance_makes_more_of_the_same():
    graph = planted()
    miner = PatternMiner(4, (4, 5), num_epochs=0).fit(graph)
    first = miner.patterns_[0]
    found = first.significance["degree"]
    assert sorted(first.structure.joined.sum(axis=0).tolist()) == sorted(FAN.sum(axis=0).tolist())
    assert found.apart.observed == 10 and found.apart.mean < 1
    assert found.stands_out and abs(found.z) < 5
    if found.verdict != "more frequent":
        assert found.label == "more set apart"
    # there are far more occurrences than copies
    assert first.frequency.count > 50
    record = found.to_dict()
    assert Significance.from_dict(record).to_dict() == record
