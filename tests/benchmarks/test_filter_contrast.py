"""What the tables of filters count, beside a plain search."""

from itertools import combinations
from types import SimpleNamespace

import networkx as nx
import pytest
from filter_contrast import Instances, Mined, occurrences, summary
from made_graphs import MOTIFS, MadeGraph, make_graph


@pytest.mark.parametrize("name", ["cup", "house", "diamond", "two triangles"])
@pytest.mark.parametrize("graph", [nx.grid_2d_graph(3, 4), nx.gnm_random_graph(14, 26, seed=3)])
def test_occurrences_are_those_of_a_plain_search(graph, name):
    graph = nx.convert_node_labels_to_integers(graph)
    graph.add_edge(0, len(graph))  # a node outside the 2-core
    motif = MOTIFS[name]
    expected = {
        frozenset(nodes)
        for nodes in combinations(graph, len(motif))
        if nx.is_isomorphic(graph.subgraph(nodes), motif)
    }
    assert occurrences(graph, motif) == expected


def test_instances_beside_copies_and_occurrences():
    # a grid has dominoes of its own; there is no wheel but the planted ones
    mined = Mined.of(make_graph("grid", {"cup": 4, "wheel": 4}, seed=3, num_nodes=100))
    assert mined.number_of.keys() == {"cup", "wheel"}
    wheels = mined.node_sets("wheel")
    assert wheels == set(mined.made.copies["wheel"])
    number = mined.number_of["cup"]
    cups = mined.node_sets("cup")
    assert len(cups) == mined.miner.filters_[number].instances.value
    every = occurrences(mined.made.graph, MOTIFS["cup"])
    assert set(mined.made.copies["cup"]) < cups < every
    counted = Instances()
    counted.add(mined)
    assert counted == Instances(
        motifs=2, found=2, copies=8, planted=8, beyond=len(cups) - 4, induced=len(cups) - 4,
        outside=len(every) - 4,
    )  # fmt: skip
    # 9 · 8 dominoes that stand, and as many that lie
    assert counted.outside == 144
    share = f"{(len(cups) - 4) / 144:.0%}"
    assert counted.cells() == (
        "2 of 2", "8 of 8", len(cups) - 4, f"{len(cups) - 4} of {len(cups) - 4}", 144, share,
    )  # fmt: skip


def test_a_motif_that_is_no_filter_is_not_found():
    mined = Mined.of(make_graph("tree", {"wheel": 5, "K4": 1}, seed=4, num_nodes=100))
    assert "wheel" in mined.number_of and "K4" not in mined.number_of
    counted = Instances()
    counted.add(mined)
    assert (counted.motifs, counted.found, counted.copies) == (2, 1, 5)
    (found, filters, trees, others, _) = summary([mined], ", ")
    drawn = [nx.Graph(one.structure.edges) for one in mined.miner.filters_]
    number = sum(len(one.edges) == len(one) - 1 for one in drawn)
    assert (found, filters) == ("1 of 2", str(len(drawn)))
    assert (trees, others) == (f"{number} of {len(drawn)}", len(drawn) - number - 1)


def test_motifs_trees_and_others_are_counted_apart():
    drawn = (nx.wheel_graph(6), nx.star_graph(4), nx.path_graph(3), nx.cycle_graph(7))
    filters = [SimpleNamespace(structure=SimpleNamespace(edges=[*one.edges])) for one in drawn]
    made = MadeGraph(nx.empty_graph(), {"wheel": [], "K4": []})
    mined = Mined(made, None, SimpleNamespace(filters_=filters), seconds=2.0)
    assert mined.number_of == {"wheel": 0}
    assert summary([mined, mined], ", ") == ("2 of 4", "4, 4", "4 of 8", 2, 2.0)
    assert summary([mined], "") == ("1 of 2", "4 to 4", "2 of 4", 1, 2.0)
