"""Subgraphs around nodes: which are isomorphic, NetworkX being the judge, and on which nodes."""

import itertools

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import (
    DiGraphMatcher,
    categorical_edge_match,
    categorical_node_match,
)

from gomkcn.mining.filters.neighbourhoods import Neighbourhoods, count_node_sets, structure_codes
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import SubgraphSettings

# what joins two nodes, as seen from the first and from the other end
ENDS = {0: 0, 1: 2, 2: 1, 3: 3, 700: 65535}


def in_other_order(rng, links, colors, width):
    """The same graph with its nodes in another order, and padding behind them."""
    size = len(links)
    order = rng.permutation(size)
    wide, color = np.zeros((width, width), np.uint16), np.full(width, -1)
    wide[:size, :size] = links[np.ix_(order, order)]
    color[:size] = colors[order]
    return wide, color


def test_codes_are_equal_for_isomorphic_graphs_alone():
    """All connected graphs of the atlas of NetworkX, which are no two isomorphic."""
    atlas = [one for one in nx.graph_atlas_g() if 1 <= len(one) <= 6 and nx.is_connected(one)]
    assert len(atlas) == 143
    rng = np.random.default_rng(0)
    numbers = rng.permutation(np.repeat(np.arange(len(atlas)), 4))
    links, sizes = [], []
    for number in numbers.tolist():
        matrix = nx.to_numpy_array(atlas[number], dtype=np.uint16)
        links.append(in_other_order(rng, matrix, np.zeros(len(matrix), int), 8)[0])
        sizes.append(len(matrix))
    codes = structure_codes(np.array(links), np.array(sizes))
    pairs = {*zip(numbers.tolist(), (code.tobytes() for code in codes), strict=True)}
    assert len(pairs) == len({number for number, _ in pairs}) == len({code for _, code in pairs})


def random_typed_graph(rng):
    """Links with and without directions, of up to five nodes that have one of two colours."""
    size = int(rng.integers(3, 6))
    links = np.zeros((size, size), np.uint16)
    for u, v in itertools.combinations(range(size), 2):
        # a path at least, so that it is connected; few links, so that some are isomorphic
        if v == u + 1 or rng.random() < 0.2:
            links[u, v] = rng.choice([*ENDS][1:])
            links[v, u] = ENDS[int(links[u, v])]
    return links, 3 * rng.integers(2, size=size)


def as_networkx(links, colors):
    graph = nx.DiGraph()
    graph.add_nodes_from((node, {"color": color}) for node, color in enumerate(colors.tolist()))
    graph.add_edges_from((u, v, {"link": int(links[u, v])}) for u, v in np.argwhere(links))
    return graph


def test_codes_tell_colours_and_directions_apart():
    rng = np.random.default_rng(1)
    drawn = [random_typed_graph(rng) for _ in range(40)]
    drawn += [(links.T, colors) for links, colors in drawn[:20]]
    # the same links by other numbers
    drawn += [(np.where(links > 0, links + 256, 0), colors) for links, colors in drawn[:10]]
    graphs, links, colors, sizes = [], [], [], []
    for one in drawn:
        for _ in range(2):
            graphs.append(as_networkx(*one))
            wide, color = in_other_order(rng, *one, 6)
            links.append(wide)
            colors.append(color)
            sizes.append(len(one[0]))
    codes = structure_codes(np.array(links), np.array(sizes), np.array(colors))
    same = categorical_node_match("color", None), categorical_edge_match("link", None)
    found = 0
    for i, j in itertools.combinations(range(len(graphs)), 2):
        is_same = DiGraphMatcher(graphs[i], graphs[j], *same).is_isomorphic()
        assert (codes[i] == codes[j]) == is_same, (i, j)
        found += is_same
    # more than the pairs that were made so
    assert found > len(drawn)
    # without colours fewer differ
    without = structure_codes(np.array(links), np.array(sizes))
    assert len({one.tobytes() for one in without}) < len({one.tobytes() for one in codes})


@pytest.mark.parametrize("colors", [None, np.zeros((0, 4), int)])
def test_codes_of_no_graph_are_none(colors):
    assert len(structure_codes(np.zeros((0, 4, 4), np.uint16), np.zeros(0, int), colors)) == 0


def test_node_sets_are_counted_once_whatever_their_order():
    nodes = np.array([[4, 2, 7, -1], [7, 4, 2, -1], [0, 1, 2, -1], [2, 4, 7, -1]])
    sets, hits = count_node_sets(nodes, np.full(4, 3))
    assert sets.tolist() == [[0, 1, 2], [2, 4, 7]] and hits.tolist() == [1, 3]
    sets, hits = count_node_sets(nodes[:0], np.zeros(0, int))
    assert len(sets) == len(hits) == 0


def test_subgraphs_around_nodes_have_the_code_of_what_they_induce():
    graph = nx.gnm_random_graph(40, 36, seed=3)
    colors = np.arange(40) % 2
    nx.set_node_attributes(graph, dict(enumerate(colors.tolist())), "color")
    roots = np.arange(40)
    shown = Neighbourhoods.sample(as_csr(graph), SubgraphSettings(2, 4), roots, colors)
    match = categorical_node_match("color", None)
    assert {*shown.batch.num_nodes.tolist()} == {1, 2, 3, 4}
    induced = []
    for root, row, own in zip(roots.tolist(), shown.batch.nodes, shown.colors, strict=True):
        nodes = [node for node in row.tolist() if node >= 0]
        assert nodes[0] == root
        assert own.tolist() == [colors[node] for node in nodes] + [-1] * (4 - len(nodes))
        induced.append(graph.subgraph(nodes))
    for i, j in itertools.product(range(len(roots)), repeat=2):
        is_same = nx.is_isomorphic(induced[i], induced[j], match)
        assert (shown.codes[i] == shown.codes[j]) == is_same
