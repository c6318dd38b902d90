"""The compiled walk equals a plain one; it reaches what it may reach, and everything as often."""

import collections
import itertools

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from mining.degree_walk import TURNS, walk
from mining.null_models import null_model

# kinds of pairs: not joined, joined without direction, u to v, v to u
NONE, BOTH, OUT, IN = range(4)
ONE_WAY = np.array([False, False, True, True])
REVERSE = [NONE, BOTH, IN, OUT]


def plain_walk(edges, kinds, one_way, group_of, num_attempts, rng):
    """What ``walk`` does, without a table of pairs: an edge is looked for among all edges."""
    ends = edges.tolist()

    def read(reading):
        edge, side = divmod(reading, 2)
        return ends[edge][side], ends[edge][1 - side]

    def find(u, v):
        """The reading that leads from u to v, or None."""
        return next((r for r in range(2 * len(ends)) if read(r) == (u, v)), None)

    def kind(reading):
        return NONE if reading is None else kinds[reading]

    def lead(reading, u, v):
        if reading is not None:
            edge, side = divmod(reading, 2)
            ends[edge][side], ends[edge][1 - side] = u, v

    count = 0
    for _ in range(num_attempts):
        first = int(rng.random() * len(group_of))
        members = [r for r in range(len(group_of)) if group_of[r] == group_of[first]]
        second = members[int(rng.random() * len(members))]
        turns = rng.random() < TURNS
        (u, v), (x, y) = read(first), read(second)
        if not (turns and one_way[kinds[first]]):
            there, back = find(u, y), find(x, v)
            apart = len({u, v, x, y}) == 4
            if apart and kind(there) == kind(back) != kinds[first]:
                for reading, pair in zip(
                    (first, second, there, back), ((u, y), (x, v), (u, v), (x, y)), strict=True
                ):
                    lead(reading, *pair)
                count += 1
        elif v == x:
            third = find(y, u)
            if third is not None and group_of[third] == group_of[first]:
                for reading, pair in zip(
                    (first, second, third), ((v, u), (y, v), (u, y)), strict=True
                ):
                    lead(reading, *pair)
                count += 1
        else:
            third, there, back = find(v, x), find(x, u), find(v, y)
            same = third is not None and group_of[third] == group_of[first]
            if same and kind(there) == kind(back) and not one_way[kind(there)]:
                moves = {first: (u, x), second: (v, y), third: (x, v), there: (v, u), back: (x, y)}
                for reading, pair in moves.items():
                    lead(reading, *pair)
                count += 1
    return np.array(ends), count


def groups_of(edges, kinds, colors):
    rows = [
        (colors[edges[e, s]], colors[edges[e, 1 - s]], kinds[2 * e + s])
        for e in range(len(edges))
        for s in (0, 1)
    ]
    number = {row: k for k, row in enumerate(sorted(set(rows)))}
    return np.array([number[row] for row in rows])


def run(edges, kinds, colors, attempts, rng):
    """The compiled walk and its groups; the edges that were given stay as they were."""
    edges = edges.copy()
    groups = groups_of(edges, kinds, colors)
    ends = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    members = np.argsort(groups, kind="stable")
    return edges, walk(edges, kinds, ONE_WAY, groups, ends, members, attempts, rng)


@pytest.mark.parametrize("num_colors", [1, 2])
@pytest.mark.parametrize("weights", [(0, 1, 0), (0, 0, 1), (3, 1, 2), (0, 1, 1)])
def test_it_walks_like_a_plain_one_that_draws_the_same_numbers(weights, num_colors):
    """Random graphs with pairs that are joined without direction, with one, and not."""
    rng, num_made = np.random.default_rng(3), 0
    for size in (4, 5, 8, 12):
        pairs = np.array(list(itertools.combinations(range(size), 2)))
        drawn = rng.choice(3, len(pairs), p=np.array(weights) / sum(weights))
        edges = pairs[drawn != NONE]
        edges = np.where(rng.random((len(edges), 1)) < 0.5, edges, edges[:, ::-1])
        kinds = np.array([(kind, REVERSE[kind]) for kind in drawn[drawn != NONE]]).reshape(-1)
        colors = rng.integers(num_colors, size=size)
        seed = int(rng.integers(1000))
        got, count = run(edges, kinds, colors, 400, np.random.default_rng(seed))
        wanted, plain_count = plain_walk(
            edges,
            kinds,
            ONE_WAY,
            groups_of(edges, kinds, colors),
            400,
            np.random.default_rng(seed),
        )
        assert got.tolist() == wanted.tolist()
        assert count == plain_count
        num_made += count
        # of each kind and color as many neighbours as before
        for of_kind in (BOTH, OUT, IN):
            for color in range(num_colors):
                before, after = (
                    np.bincount(
                        one.reshape(-1)[
                            (kinds == of_kind) & (colors[one[:, ::-1].reshape(-1)] == color)
                        ],
                        minlength=size,
                    ).tolist()
                    for one in (edges, got)
                )
                assert before == after
    # in complete graphs of one kind without direction nothing can be done
    assert (num_made > 50) == (weights != (0, 1, 0))


def test_many_edges_are_found_and_lost_again():
    """The table of pairs fills and empties: after a long walk no pair is joined twice."""
    graph = nx.barabasi_albert_graph(300, 4, seed=1)
    edges = np.array(graph.edges)
    kinds = np.ones(2 * len(edges), np.int64)
    got, count = run(edges, kinds, np.zeros(300, int), 200_000, np.random.default_rng(0))
    assert count > 100_000
    assert len({frozenset(pair) for pair in got.tolist()}) == len(edges)
    assert (got[:, 0] != got[:, 1]).all()
    assert np.bincount(got.reshape(-1)).tolist() == np.bincount(edges.reshape(-1)).tolist()


def spaces(size, kinds):
    """All graphs of so many nodes by the degrees of their nodes in each kind, in order."""
    pairs = list(itertools.combinations(range(size), 2))
    found = collections.defaultdict(set)
    for joined in itertools.product(kinds, repeat=len(pairs)):
        degrees = [[0] * 4 for _ in range(size)]
        for (u, v), kind in zip(pairs, joined, strict=True):
            degrees[u][kind] += 1
            degrees[v][REVERSE[kind]] += 1
        rows = tuple(tuple(row[1:]) for row in degrees)
        # the order of the nodes does not matter
        if list(rows) == sorted(rows):
            found[rows].add(joined)
    return list(found.values())


def joined_of(edges, kinds, size):
    of_pair = {
        tuple(edges[e, [s, 1 - s]].tolist()): int(kinds[2 * e + s])
        for e in range(len(edges))
        for s in (0, 1)
    }
    return tuple(of_pair.get(pair, NONE) for pair in itertools.combinations(range(size), 2))


def visits(space, size, num_attempts, number, seed):
    """Graphs at the ends of successive walks from the first graph of a space."""
    start = np.array(min(space))
    pairs = np.array(list(itertools.combinations(range(size), 2)))
    edges = pairs[start != NONE]
    kinds = np.array([(kind, REVERSE[kind]) for kind in start[start != NONE]]).reshape(-1)
    rng, seen = np.random.default_rng(seed), collections.Counter()
    for _ in range(number):
        edges, _ = run(edges, kinds, np.zeros(size, int), num_attempts, rng)
        seen[joined_of(edges, kinds, size)] += 1
    return seen


@pytest.mark.parametrize(
    ("size", "kinds", "number"),
    [(5, (NONE, BOTH), 15), (4, (NONE, OUT, IN), 15), (4, (NONE, BOTH, OUT, IN), 48)],
    ids=["undirected", "one way", "one way and both"],
)
def test_every_graph_of_small_degrees_is_reached(size, kinds, number):
    several = [space for space in spaces(size, kinds) if len(space) > 1]
    assert len(several) == number
    for space in several:
        assert set(visits(space, size, 40, 60 * len(space), 0)) == space


@pytest.mark.parametrize(
    ("size", "kinds"), [(5, (NONE, BOTH)), (4, (NONE, BOTH, OUT, IN))], ids=["plain", "directed"]
)
def test_all_graphs_of_some_degrees_are_equally_likely(size, kinds):
    """Of the largest space: chi-square at a level of 1 in 10,000."""
    space = max(spaces(size, kinds), key=len)
    number = 200 * len(space)
    seen = visits(space, size, 60, number, 1)
    assert set(seen) == space
    expected = number / len(space)
    chi_square = sum((seen[one] - expected) ** 2 / expected for one in space)
    freedom = len(space) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5 + 8


def test_a_star_and_a_clique_cannot_change_and_a_ring_can():
    star, ring = as_csr(nx.star_graph(50)), as_csr(nx.cycle_graph(50))
    assert null_model("degree", star).walked(star, 0)[1] == 0
    assert null_model("degree", ring).walked(ring, 0)[1] > 0.8


def test_two_edges_join_their_four_nodes_in_each_way_as_often():
    """a-b, c-d becomes a-c, b-d as often as a-d, b-c: the second edge is turned round or not."""
    edges = csr_from_edges(np.array([0, 2]), np.array([1, 3]), 4)
    model = null_model("degree", edges)
    seen = collections.Counter(
        frozenset(map(tuple, model.sample(edges, seed).adjacent_pairs().tolist()))
        for seed in range(600)
    )
    assert len(seen) == 3
    assert 140 < min(seen.values()) <= max(seen.values()) < 260
