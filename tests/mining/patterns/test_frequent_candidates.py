"""Frequent subgraphs as candidates of the motif set of a collection."""

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining import PatternMiner
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure


def graphs_with_prisms():
    """Random trees, of which each holds a prism of its own."""
    graphs = []
    for seed in range(30):
        tree = nx.random_labeled_tree(20, seed=seed)
        graph = nx.disjoint_union(tree, nx.circular_ladder_graph(3))
        graph.add_edge(int(np.random.default_rng(seed).integers(20)), 20)
        graphs.append(graph)
    return graphs


def test_frequent_subgraphs_alone_show_the_motif():
    miner = PatternMiner(sources="frequent", null=None).fit(graphs_with_prisms())
    (motif,) = miner.motif_set_
    prism = Structure.from_networkx(nx.circular_ladder_graph(3))
    assert (motif.structure.key, len(motif.motif.copies)) == (prism.key, 30)
    assert "frequent" in motif.sources


def test_a_single_graph_has_no_frequent_subgraphs():
    with pytest.raises(InputError, match="sources must be"):
        PatternMiner(sources="grown,frequent").fit(nx.cycle_graph(5))
