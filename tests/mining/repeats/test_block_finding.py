"""Blocks that were planted are found exactly, whatever the nodes are called, and nothing else."""

import networkx as nx
import numpy as np
import pytest
from netlists import BlockPlan, as_graph, chain, draw_block, draw_netlist

from gomkcn import repeated_blocks
from gomkcn.mining.repeats.block_finding import compare_worth
from gomkcn_dgl import as_csr
from gomkcn_dgl.errors import InputError


@pytest.fixture(scope="module")
def net():
    rng = np.random.default_rng(21)
    adder = chain(rng, draw_block(rng, 7), 3)
    return draw_netlist(21, [(adder, 8), (draw_block(rng, 16), 6)], 200)


@pytest.fixture(scope="module")
def found(net):
    return repeated_blocks(net.graph, random_state=1)


def _sets(block):
    return {frozenset(copy) for copy in block.copies.tolist()}


def test_planted_blocks_are_found_with_all_copies_and_called(net, found):
    called = [_sets(block) for block in found.called]
    for truth in net.truth:
        assert {frozenset(copy) for copy in truth.tolist()} in called
    assert all(block.p == pytest.approx(0.05) for block in found.called)
    assert found.num_random_graphs == 19


def test_a_block_within_a_block_is_nested_in_it(found):
    sizes = [block.num_nodes for block in found.blocks]
    assert sizes[0] == 21
    nested = [block for block in found.blocks if block.parent == 1]
    assert nested and all(len(block.copies) >= 16 for block in nested)


def test_copies_of_a_block_are_alike_and_its_numbers_are_theirs(net, found):
    wires = set(map(tuple, net.wires.tolist()))
    for block in found.blocks:
        used = block.copies.reshape(-1)
        assert len(np.unique(used)) == len(used)
        kinds = net.kinds[block.copies]
        assert (kinds == kinds[0]).all()
        for copy in block.copies.tolist():
            inner = {(u, v) for u, v in wires if u in copy and v in copy}
            assert inner == {(copy[u], copy[v]) for u, v, _ in block.edges}
            for role, node in enumerate(copy):
                joined = {u for u, v in wires if v == node} | {v for u, v in wires if u == node}
                if role not in block.ports:
                    assert joined <= set(copy)
        assert block.covered == len(block.copies) * block.num_edges
        assert not block.errors.any()


def test_a_block_is_drawn_as_a_figure(found, tmp_path):
    figure = found.plot(1, tmp_path / "block.svg")
    assert figure.axes[0].get_title().startswith("21 nodes in 8 copies")
    # a line and a head for each edge, and a ring for each node
    block = found.blocks[0]
    assert len(figure.axes[0].patches) >= 2 * block.num_edges + block.num_nodes
    assert (tmp_path / "block.svg").stat().st_size > 0


def test_numbers_of_nodes_do_not_matter(net):
    order = np.random.default_rng(5).permutation(len(net.kinds))
    kinds = np.empty_like(net.kinds)
    kinds[order] = net.kinds
    found = repeated_blocks(net.graph, null_samples=2, random_state=1)
    again = repeated_blocks(as_graph(order[net.wires], kinds), null_samples=2, random_state=1)
    here = [
        (block.num_nodes, block.covered, block.p, block.parent, sorted(map(sorted, _sets(block))))
        for block in again.blocks
    ]
    there = [
        (
            block.num_nodes,
            block.covered,
            block.p,
            block.parent,
            sorted(sorted(order[list(copy)].tolist()) for copy in _sets(block)),
        )
        for block in found.blocks
    ]
    assert here == there


def test_of_netlists_without_blocks_hardly_any_has_one_that_is_called():
    # one in twenty is by chance
    called = [
        bool(repeated_blocks(draw_netlist(seed, [], 200).graph, random_state=seed).called)
        for seed in range(12)
    ]
    assert sum(called) <= 2


def test_copies_with_errors_are_found_where_they_may_differ():
    block = draw_block(np.random.default_rng(34), 20)
    whole = draw_netlist(34, [(block, 6)], 200)
    # one more copy lacks a wire between two of its gates that have others
    order = whole.truth[0][-1]
    u, v = next(
        (u, v)
        for u, v in block.wires.tolist()
        if min((block.wires == u).sum(), (block.wires == v).sum()) > 2
    )
    wires = whole.wires[~((whole.wires == [order[u], order[v]]).all(axis=1))]
    graph = as_graph(wires, whole.kinds)
    exact = repeated_blocks(graph, null_samples=0).blocks[0]
    loose = repeated_blocks(graph, errors=1, null_samples=0).blocks[0]
    assert len(exact.copies) == 5 or exact.num_nodes < 20
    assert _sets(loose) == {frozenset(copy) for copy in whole.truth[0].tolist()}
    assert sorted(loose.errors.tolist()) == [0, 0, 0, 0, 0, 1]
    assert loose.covered == 6 * loose.num_edges - 1


def test_graphs_without_directions_and_categories_have_blocks_too():
    ladders = nx.disjoint_union_all([nx.ladder_graph(6)] * 5 + [nx.gnm_random_graph(60, 80, 1)])
    block = repeated_blocks(ladders).blocks[0]
    assert block.copies.shape == (5, 12) and block.is_called
    assert block.kinds == [()] * 12 and not block.ports


def test_a_collection_says_which_graph_a_copy_is_in():
    part = nx.circular_ladder_graph(5)
    graphs = [nx.disjoint_union(part, nx.path_graph(number)) for number in (3, 4, 5, 6)]
    found = repeated_blocks(graphs)
    assert sorted(found.blocks[0].graphs.tolist()) == [0, 1, 2, 3]
    assert set(found.table("places").columns()) == {
        "block", "copy", "graph", "node_of_block", "node",
    }  # fmt: skip


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(2),
        nx.star_graph(40),
        nx.complete_graph(40),
        nx.complete_bipartite_graph(20, 30),
        nx.gnp_random_graph(30, 0.5, seed=1),
    ],
    ids=["tiny", "star", "complete", "bipartite", "dense"],
)
def test_a_graph_without_blocks_says_so(graph):
    found = repeated_blocks(graph)
    assert not found.called
    assert found.table().columns()["block"] == [row.number for row in found.rows]


def test_hubs_are_said_and_blocks_at_them_are_found():
    clocked = nx.disjoint_union_all([nx.circular_ladder_graph(6)] * 30)
    clocked.add_edges_from((0, node) for node in range(12, 312))
    found = repeated_blocks(clocked, null_samples=0)
    assert "1 node has more than 256 neighbours" in found.notes[0]
    assert len(found.blocks[0].copies) >= 25


def test_the_time_limit_is_kept_and_said(net):
    found = repeated_blocks(net.graph, time_limit=1e-9)
    assert "the time limit ended the search" in found.notes[0]
    assert found.num_random_graphs == 0
    assert all(block.p is None for block in found.blocks)


def test_p_is_the_share_of_graphs_whose_best_block_is_worth_as_much():
    here = np.array([[20, 200, 50.0], [6, 60, 9.0]])
    random = [np.array([[5, 33, 6.0], [9, 27, 9.0]]), np.array([[7, 14, 3.0]]), np.empty((0, 3))]
    means, p = compare_worth(here, random)
    assert means.tolist() == [0, (27 + 14) / 3]
    assert p.tolist() == [1 / 4, 2 / 4]


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("copies", 1),
        ("least_nodes", 2),
        ("most_nodes", 4),
        ("errors", -1),
        ("most", 0),
        ("null", "none"),
        ("null_samples", -1),
        ("random_state", -1),
        ("time_limit", 0),
    ],
)
def test_what_cannot_be_is_refused(argument, value):
    with pytest.raises(InputError, match=argument):
        repeated_blocks(nx.path_graph(9), **{argument: value})


def test_a_graph_without_edges_is_refused():
    with pytest.raises(InputError, match="must have an edge"):
        repeated_blocks(as_csr(nx.empty_graph(3)))


def ripple_adder(num_bits):
    """Full adders (two XOR, two AND, an OR) of which each reads the carry of the one before it."""
    # XOR, XOR, AND, AND, OR
    kinds = np.tile([4, 4, 0, 0, 3], num_bits)
    wires, free = [], []
    for first in range(0, 5 * num_bits, 5):
        wires += [(first, first + 1), (first, first + 3), (first + 2, first + 4)]
        wires += [(first + 3, first + 4)]
        free += [first, first, first + 2, first + 2]
        if first:
            wires += [(first - 1, first + 1), (first - 1, first + 3)]
        else:
            free += [1, 3]
    outputs = np.array([*range(1, 5 * num_bits, 5), 5 * num_bits - 1])
    return BlockPlan(kinds, np.array(wires), np.array(free), outputs)


def test_an_adder_consists_of_full_adders_and_not_of_what_lies_across_them():
    """Across two full adders lie five gates with an edge more, which fewer copies have."""
    net = draw_netlist(4, [(ripple_adder(4), 10)], 300)
    found = repeated_blocks(net.graph, null_samples=0)
    whole, halves, full_adders = found.blocks[:3]
    assert [block.num_nodes for block in (whole, halves, full_adders)] == [20, 10, 5]
    assert [len(block.copies) for block in (whole, halves)] == [10, 20]
    assert len(full_adders.copies) >= 40 and full_adders.num_edges == 4
    assert (halves.parent, full_adders.parent) == (1, 2)
    planted = net.truth[0].reshape(-1, 5)
    assert {frozenset(rows) for rows in planted.tolist()} <= _sets(full_adders)
