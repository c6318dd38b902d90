"""A fitted miner says the same of a node however the nodes of its graph are numbered."""

import numpy as np
import pytest
from renumbered_graphs import GRAPHS, numbered

from gomkcn import FilterMiner

# of the responses of a graph, and of the filters that its nodes are assigned to
MOST = 0.01


def assert_same(name, features=0, **options):
    graph, _ = numbered(name, features=features)
    other, nodes = numbered(name, 7, features)
    miner = FilterMiner(random_state=0, **options).fit(graph)
    assert len(miner.filters_)
    changed = np.abs(miner.transform(graph)[nodes] - miner.transform(other)) > 1e-4
    assert changed.mean() <= MOST
    assert (miner.predict(graph)[nodes] != miner.predict(other)).mean() <= MOST


@pytest.mark.parametrize("name", GRAPHS)
def test_numbers_of_nodes_change_no_response(name):
    assert_same(name, contrast=False)


@pytest.mark.parametrize("name", ["ba1", "typed_ws", "tree0", "grid", "directed_hubs"])
def test_nor_do_they_where_nodes_have_features(name):
    assert_same(name, 2, contrast=False)


@pytest.mark.parametrize("name", ["in_space", "ws_0.05", "grid", "caveman"])
def test_nor_do_they_to_filters_that_random_graphs_lack(name):
    assert_same(name)
