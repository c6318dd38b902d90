"""Large planted graphs of the benchmarks, written piece by piece."""

import json

import numpy as np
import pytest
from large_planting import attachment_edges, write_planted_edges

from gomkcn_dgl import read_graph
from gomkcn_dgl.kernels.search_numba import mix64
from synthetic import MOTIFS


def grown(num_nodes, per_node, seed):
    """The same edges, with all ends in a list."""
    key = mix64(np.array([seed + 1], np.uint64))
    ends = [end for leaf in range(1, per_node + 1) for end in (0, leaf)]
    for node in range(per_node + 1, num_nodes):
        num_before = len(ends)
        for _ in range(per_node):
            number = np.array([len(ends) // 2], np.uint64)
            entry = int(mix64(key ^ number)[0] % np.uint64(num_before))
            ends += [ends[entry], node]
    return np.array(ends).reshape(-1, 2)


@pytest.mark.parametrize(("num_nodes", "per_node"), [(2, 1), (60, 1), (60, 3), (9, 8)])
def test_edges_are_those_of_a_list_that_grows(num_nodes, per_node):
    expected = grown(num_nodes, per_node, seed=4)
    number = len(expected)
    np.testing.assert_array_equal(attachment_edges(0, number, per_node, seed=4), expected)
    parts = [attachment_edges(k, min(k + 7, number), per_node, seed=4) for k in range(0, number, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), expected)


def test_copies_are_where_the_truth_says(tmp_path):
    motifs = {"house6": 5, "wheel": 2, "square": 0}
    write_planted_edges(tmp_path / "g.parquet", 300, 2, motifs, seed=1, edges_at_once=11)
    truth = json.loads((tmp_path / "g.truth.json").read_text())
    graph = read_graph(tmp_path / "g.parquet")
    assert graph.num_nodes == 300 + 7 * 6
    edges = {tuple(pair) for pair in graph.adjacent_pairs().tolist()}
    background = {tuple(edge) for edge in attachment_edges(0, 596, 2, seed=1).tolist()}
    assert background == {edge for edge in edges if max(edge) < 300}
    inside, attached = 0, 0
    for entry, (name, copies) in zip(truth["motifs"], motifs.items(), strict=True):
        assert (entry["name"], entry["copies"]) == (name, copies) == (name, len(entry["instances"]))
        for nodes in entry["instances"]:
            own = {(nodes.index(u), nodes.index(v)) for u, v in edges if {u, v} <= {*nodes}}
            assert {tuple(sorted(edge)) for edge in own} == {*MOTIFS[name].edges}
            inside += len(own)
            attached += sum(len({u, v} & {*nodes}) == 1 for u, v in edges)
    assert attached == 7 and len(edges) == len(background) + inside + attached
