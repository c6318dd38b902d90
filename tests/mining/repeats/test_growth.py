"""Growth in lockstep equals plain Python, role by role."""

import numpy as np
import pytest
from blocks_reference import all_copies, bits_of, keys_of, rim
from netlists import draw_block, draw_netlist

from gomkcn.mining.repeats.growth import MOST_DEGREE, BlockGraph, Candidate
from gomkcn.mining.repeats.growth_loops import grow_rims, pick_copies, tally_keys
from gomkcn.mining.repeats.seeds import find_seeds
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph


def _small(seed, directed):
    """A graph of 40 nodes of two kinds with a hub, and the kinds."""
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, 40, (2, 70))
    hub = np.arange(1, 30)
    graph = csr_from_edges(
        np.append(source, 0 * hub), np.append(target, hub), 40, directed=directed
    )
    return graph, rng.integers(0, 2, 40)


@pytest.mark.parametrize("directed", [True, False])
def test_rims_and_keys_are_those_of_plain_python(directed):
    graph, kinds = _small(1, directed)
    view = CompiledGraph.of(graph, kinds)
    rng = np.random.default_rng(2)
    copies = np.array([rng.permutation(40)[:4] for _ in range(12)], np.int32)
    most_degree = 12
    ptr, nodes = np.zeros(13, np.int64), np.empty(0, np.int32)
    signatures = np.empty(0, np.uint64)
    for size in range(1, 5):
        ptr, nodes, signatures = grow_rims(
            view, copies[:, :size].copy(), np.arange(12), ptr, nodes, signatures, most_degree
        )
    for k, copy in enumerate(copies.tolist()):
        around = rim(copy, graph, kinds, most_degree).values()
        expected = sorted(node for some in around for node in some)
        assert nodes[ptr[k] : ptr[k + 1]].tolist() == expected
    which, _, counts, first, owner = tally_keys(view, ptr, nodes, signatures, 2)
    keys = keys_of(copies, graph, kinds, most_degree, 2)
    assert sorted(counts.tolist()) == sorted(keys.values()) != []
    # a number is that of a key, in all copies
    key_of = [
        {node: key for key, some in rim(copy, graph, kinds, most_degree).items() for node in some}
        for copy in copies.tolist()
    ]
    named = [key_of[k][int(nodes[at])] for at, k in zip(first, owner, strict=True)]
    assert {key: int(number) for key, number in zip(named, counts, strict=True)} == keys
    for k in range(12):
        for at in range(ptr[k], ptr[k + 1]):
            key = key_of[k][int(nodes[at])]
            assert which[at] == (named.index(key) if key in keys else -1)


def test_a_hub_among_the_roles_is_in_signatures_but_brings_nobody_in():
    # 0 is the hub of 1 … 5, 1 and 2 are joined
    graph = csr_from_edges(np.array([0, 0, 0, 0, 0, 1]), np.array([1, 2, 3, 4, 5, 2]), 6)
    view = CompiledGraph.of(graph, np.zeros(6, np.int64))
    ptr, nodes, signatures = np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.uint64)
    copies = np.array([[0, 1]], np.int32)
    for size in (1, 2):
        ptr, nodes, signatures = grow_rims(
            view, copies[:, :size].copy(), np.arange(1), ptr, nodes, signatures, 3
        )
    assert nodes.tolist() == [2]
    # the same role reached without a hub has the same signature
    other = grow_rims(
        view, copies[:, :1].copy(), np.arange(1), np.zeros(2, np.int64), np.empty(0, np.int32),
        np.empty(0, np.uint64), 9,
    )  # fmt: skip
    other = grow_rims(view, copies, np.arange(1), *other, 9)
    assert other[1].tolist() == [2, 3, 4, 5] and other[2][0] == signatures[0]


def test_bits_are_those_of_plain_python():
    net = draw_netlist(4, [(draw_block(np.random.default_rng(4), 8), 4)], 30)
    searched = BlockGraph.of(net.graph, net.kinds)
    seed = find_seeds(net.graph, searched.ways, 3, 4, 4)[0]
    state = searched._begin(seed.edges.astype(np.int32))
    num_checked = 0
    for _ in range(4):
        _, hashes, counts, first, owner = tally_keys(
            searched.view, state.ptr, state.nodes, state.signatures, 3
        )
        bits, joined = searched._weigh(state, owner, state.nodes[first], counts)
        for at in range(len(hashes)):
            key = int(net.kinds[state.nodes[first[at]]]), tuple(joined[at].tolist())
            expected = bits_of(key, counts[at], state.links, state.kinds, net.graph, net.kinds)
            assert bits[at] == pytest.approx(expected)
            num_checked += 1
        state = searched._step([state], 3)[0]
        links = searched.view.links_of(state.copies)
        assert (links == state.links).all()
    assert num_checked >= 8


def test_disjoint_copies_are_disjoint_and_none_could_be_added():
    rng = np.random.default_rng(3)
    copies = np.array([rng.permutation(30)[:3] for _ in range(60)], np.int32)
    copies = np.concatenate([copies, copies[:5, ::-1]])
    uses = np.zeros(30, np.int64)
    picked = pick_copies(copies, uses)
    assert not uses.any()
    assert not picked[60:].any()
    chosen = copies[picked == 2]
    assert len(np.unique(chosen)) == chosen.size
    taken = set(chosen.reshape(-1).tolist())
    assert all(taken & set(copy) for copy in copies[picked == 1].tolist())


@pytest.mark.parametrize("errors", [0, 1])
def test_all_copies_are_found(errors):
    block = draw_block(np.random.default_rng(7), 5)
    net = draw_netlist(7, [(block, 4)], 25, num_errors=errors)
    searched = BlockGraph.of(net.graph, net.kinds)
    state = searched._begin(net.truth[0][:1].astype(np.int32)[:, [0]])
    links = np.zeros((5, 5), np.int64)
    relations = net.graph.relations
    out = int(np.flatnonzero(relations.links[:, 0] & ~relations.links[:, 1])[0])
    for u, v in block.wires.tolist():
        links[u, v], links[v, u] = out, relations.reverse[out]
    whole = searched._candidate(state)
    whole = type(whole)(net.truth[0].astype(np.int32), links, block.kinds, 0.0)
    found = {frozenset(copy) for copy in searched.match(whole, errors).tolist()}
    expected = all_copies(links.tolist(), block.kinds.tolist(), net.graph, net.kinds, errors)
    # up to four for each start, and where a wire is missing a node that hangs by it is not met
    assert {frozenset(copy) for copy in net.truth[0].tolist()} <= expected or errors
    assert found <= expected
    if not errors:
        assert {frozenset(copy) for copy in net.truth[0].tolist()} <= found


@pytest.mark.parametrize("num_copies", [1, 2, 9])
def test_the_looks_of_a_role_are_those_of_most_of_its_nodes(num_copies):
    graph, kinds = _small(5, True)
    searched, rng = BlockGraph.of(graph, kinds), np.random.default_rng(num_copies)
    copies = rng.permutation(40)[: 4 * num_copies].reshape(num_copies, 4).astype(np.int32)
    none = np.zeros((4, 4), np.int64)
    looks = searched._looks_of(Candidate(copies, none, np.zeros(4, np.int64), 0.0))
    for role, nodes in enumerate(copies.T.tolist()):
        for colors, found in zip(searched.colors.tolist(), looks[role].tolist(), strict=True):
            here = [colors[node] for node in nodes]
            # of several the smallest
            assert found == min(here, key=lambda color: (-here.count(color), color))
    assert looks.shape == (4, len(searched.colors)) and looks.flags.c_contiguous


def test_growth_ends_with_the_whole_block_whatever_it_begins_with():
    net = draw_netlist(11, [(draw_block(np.random.default_rng(11), 20), 8)], 300)
    searched = BlockGraph.of(net.graph, net.kinds)
    truth = {frozenset(copy) for copy in net.truth[0].tolist()}
    whole = 0
    for seed in find_seeds(net.graph, searched.ways, 3, 0, 6):
        grown = searched.grow(seed.edges, 3, 60, lambda: None)
        best = max(grown, key=lambda block: block.worth)
        best = searched.improve(best, 3, 60, 0, lambda: None)
        whole += {frozenset(copy) for copy in best.copies.tolist()} == truth
    assert whole >= 5
    assert MOST_DEGREE > 20


@pytest.mark.parametrize("kinds", [[0, 1, 2], [0, 2, 1]])
def test_a_kind_is_not_taken_for_what_joins_it(kinds):
    graph = csr_from_edges(np.array([0, 2]), np.array([1, 0]), 3, directed=True)
    view = CompiledGraph.of(graph, np.array(kinds))
    start = np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.uint64)
    rims = grow_rims(view, np.array([[0]], np.int32), np.arange(1), *start, 9)
    assert len(tally_keys(view, *rims, 1)[1]) == 2


@pytest.mark.parametrize("seed", [3, 4])
def test_a_block_that_grows_from_its_parts_is_worth_no_less(seed):
    """In an undirected graph without kinds, where nearly all nodes look alike."""
    net = draw_netlist(seed, [(draw_block(np.random.default_rng(seed), 25), 4)], 150)
    graph = csr_from_edges(net.wires[:, 0], net.wires[:, 1], len(net.kinds), directed=False)
    searched = BlockGraph.of(graph, np.zeros(len(net.kinds), np.int64))
    gains = []
    for found in find_seeds(searched.graph, searched.ways, 3, 4, 4):
        for block in searched.grow(found.edges, 3, 60, lambda: None):
            if block.worth <= 0:
                continue
            better = searched.grow_from_parts(block, 3, 60, 0, lambda: None)
            gains.append(better.worth - block.worth)
            assert len(np.unique(better.copies)) == better.copies.size
            links = searched.view.links_of(better.copies)
            assert (links == better.links).all()
            assert better.copies.shape[1] <= 60 and len(better.copies) >= 3
    assert min(gains) > -1e-6
    assert max(gains) > 1
