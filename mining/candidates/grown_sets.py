"""Candidates for patterns: structures of several sizes that recur, most surprising first.

Connected node sets grow from edges, each growth through all sizes (``node_sets.py``). The
structures that they show are compared with those that are seen in the same way in two random
graphs, so that what is usual in any such graph does not stand first. How often a candidate occurs
in the whole graph is for the counting to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.bfs_reference import hub_degree
from gomkcn_dgl.kernels.search_numba import Rows, mix64, new_scratch
from gomkcn_dgl.runtime.compiled import run_blocks
from mining.candidates.choosing import choose
from mining.candidates.growth_loops import (
    describe_sets,
    grow_sets,
    links_among,
    mark_triangles,
    rows_of,
)
from mining.candidates.small_graphs import degree_preserving, is_large, small_configuration
from mining.mined_graph import MinedGraph
from mining.occurrences import pick_disjoint
from mining.pattern import Pattern, Sight

# nanoseconds of one growth, about
_GROWTH_TIME = 5000
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# and of the links of two nodes
_LINKS_TIME = 50
# growths of each kind, in each graph
_MOST_GROWTHS = 20_000
# graphs of more than ``LARGE`` entries are not searched for triangles, and are compared with one
# null-model graph
_NUM_NULL_GRAPHS, _NUM_LARGE_NULL_GRAPHS = 2, 1
# structures of one size that are compared with those of the null-model graphs
_MOST_FREQUENT = 500
# of graphs of more edges a part is drawn, since a walk takes longer than all else
_MOST_REWIRED = 1_000_000


@dataclass(frozen=True)
class NodeSets:
    """Growths: the first m of a row of ``nodes`` ``[K, M]``, -1 = none, are a connected set.

    Sets of m nodes with equal ``codes[:, m - 1]`` have the same links and colours in that order.
    """

    nodes: np.ndarray
    codes: np.ndarray

    def spread(self, num_nodes: int, num_copies: int, rng: np.random.Generator) -> NodeSets:
        """The same sets in so many copies of a graph of ``num_nodes``, each in a random one.

        Node v of copy c is ``v + c * num_nodes``.
        """
        shift = rng.integers(num_copies, size=(len(self.nodes), 1)) * num_nodes
        return NodeSets(np.where(self.nodes < 0, -1, self.nodes + shift), self.codes)

    def of_size(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Distinct sets of a size ``[K', size]`` and their codes ``[K']``."""
        nodes = self.nodes[self.nodes[:, size - 1] >= 0, :size]
        codes = self.codes[self.nodes[:, size - 1] >= 0, size - 1]
        # a sum of hashes stands for a set
        keys = mix64((nodes + 1).astype(np.uint64) * _GOLDEN).sum(axis=1, dtype=np.uint64)
        _, first = np.unique(keys, return_index=True)
        return nodes[first], codes[first]


def without_triangles(graph: CSRGraph) -> Rows:
    """The rows of a graph without the edges of its triangles."""
    kept = np.ones(len(graph.indices), np.bool_)
    run_blocks(mark_triangles, graph.num_nodes, len(kept) * _GROWTH_TIME, rows_of(graph), kept)
    ends = np.concatenate([[0], np.cumsum(kept)])[graph.indptr]
    return Rows(ends.view(np.uint64), graph.indices[kept].view(np.uint32))


def draw_pairs(rows: Rows, most: int, rng: np.random.Generator) -> np.ndarray:
    """Pairs of joined nodes, int64 ``[K, 2]``: at most ``most``, at random.

    What it takes in memory does not grow with the graph.
    """
    total = len(rows.indices)
    entry = np.arange(total) if total <= 2 * most else rng.integers(total, size=2 * most)
    source = np.searchsorted(rows.indptr.view(np.int64)[1:], entry, side="right")
    pairs = np.stack([source, rows.indices[entry].astype(np.int64)], axis=1)
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    if len(pairs) > most:
        pairs = pairs[np.sort(rng.choice(len(pairs), most, replace=False))]
    return pairs


def grow_from(
    graph: CSRGraph,
    search: Rows,
    colors: np.ndarray | None,
    starts: np.ndarray,
    max_nodes: int,
    at_random: bool,
    seed: int,
) -> NodeSets:
    """Grow each connected row of ``starts`` (int ``[K, s]``, -1 = none) to ``max_nodes`` nodes.

    ``search`` are the rows that sets grow along; their links are those of the graph.
    """
    nodes = np.empty((len(starts), max_nodes), np.int32)
    codes = np.empty((len(starts), max_nodes), np.uint64)
    color = np.empty(0, np.int64) if colors is None else colors
    arguments = (
        rows_of(graph), search, graph.links, color, starts.astype(np.int32), at_random,
        np.uint64(seed), hub_degree(max_nodes), nodes, codes,
    )  # fmt: skip
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        run_blocks(_grow_block, len(starts), len(starts) * _GROWTH_TIME, *arguments)
    return NodeSets(nodes, codes)


def _grow_block(first: int, last: int, graph: Rows, *arguments: Any) -> None:
    """Give each block a scratch of its own."""
    limit, nodes = arguments[-3], arguments[-2]
    scratch = new_scratch(nodes.shape[1], limit, len(graph.indptr) - 1)
    grow_sets(first, last, graph, *arguments, scratch)


def links_of_sets(graph: CSRGraph, nodes: np.ndarray) -> np.ndarray:
    """Link of each pair of nodes of some sets ``[K, M]``, uint16 ``[K, M, M]``; 0 = not joined."""
    out = np.zeros((*nodes.shape, nodes.shape[1]), np.uint16)
    links_among(rows_of(graph), graph.links, np.ascontiguousarray(nodes, np.int32), out)
    return out


class SeenSets:
    """The distinct sets of one size that are seen in a graph, grouped by what they look like.

    A structure has one group, or several where refinement does not order its nodes. The sets may be
    in several copies of the graph, see :meth:`NodeSets.spread`.
    """

    def __init__(self, mined: MinedGraph, sets: NodeSets, size: int) -> None:
        self._mined, graph, colors = mined, mined.graph, mined.colors
        self._nodes, codes = sets.of_size(size)
        # equal codes, equal links: each is looked at once
        _, first, code_of = np.unique(codes, return_index=True, return_inverse=True)
        nodes = self._nodes[first] % graph.num_nodes
        order, invariant, keys = _describe(graph, colors, nodes)
        _, first, group_of = np.unique(keys, return_index=True, return_inverse=True)
        self._group_of = group_of[code_of]
        self._invariant = invariant[first]
        self._examples = np.take_along_axis(nodes[first], order[first], axis=1)
        self._num_sets = np.bincount(self._group_of, minlength=len(first))
        by_group = np.argsort(self._group_of, kind="stable")
        self._rows = np.split(by_group, np.cumsum(self._num_sets)[:-1])

    def frequent(self, least: int, most: int) -> list[int]:
        """Invariants of at least ``least`` sets, at most the ``most`` most frequent ones."""
        values, number = np.unique(self._invariant, return_inverse=True)
        total = np.bincount(number, self._num_sets, minlength=len(values)).astype(np.int64)
        order = np.argsort(-total, kind="stable")[:most]
        chosen: list[int] = values[order[total[order] >= least]].tolist()
        return chosen

    def sets_with(self, invariants: list[int]) -> dict[int, np.ndarray]:
        """The node sets ``[K, M]`` with each of these invariants."""
        return {
            invariant: self._nodes[np.concatenate([self._rows[group] for group in groups])]
            for invariant, groups in self._groups_with(invariants).items()
        }

    def patterns(self, invariants: list[int]) -> Iterator[tuple[int, Pattern]]:
        """The structures with one of these invariants, which stands beside each, and their sets."""
        graph, colors = self._mined.graph, self._mined.colors
        for invariant, groups in self._groups_with(invariants).items():
            examples = self._examples[groups]
            channels = graph.relations.links[links_of_sets(graph, examples)]
            structures = [
                self._mined.structure(own, None if colors is None else colors[example])
                for own, example in zip(channels, examples, strict=True)
            ]
            same: dict[bytes, list[int]] = {}
            for number, one in enumerate(structures):
                same.setdefault(one.key, []).append(number)
            for numbers in same.values():
                rows = np.concatenate([self._rows[groups[number]] for number in numbers])
                yield (
                    invariant,
                    Pattern(
                        structures[numbers[0]],
                        sources=("grown",),
                        feature_names=graph.feature_names,
                        sight=Sight(self._nodes[rows], examples[numbers[0]]),
                    ),
                )

    def _groups_with(self, invariants: list[int]) -> dict[int, list[int]]:
        wanted = np.isin(self._invariant, np.array(invariants, np.uint64))
        groups_of: dict[int, list[int]] = {}
        for group in np.flatnonzero(wanted).tolist():
            groups_of.setdefault(int(self._invariant[group]), []).append(group)
        return groups_of


def _describe(
    graph: CSRGraph, colors: np.ndarray | None, nodes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An order of the nodes of each set ``[K, M]``, its invariant ``[K]`` and its key ``[K]``."""
    channels = graph.relations.links
    # a number for each link that follows from its channels alone
    power = mix64(np.arange(1, channels.shape[1] + 1, dtype=np.uint64) * _GOLDEN)
    salts = mix64((channels * power).sum(axis=1, dtype=np.uint64)) | np.uint64(1)
    salts[0] = 0
    order = np.empty(nodes.shape, np.int64)
    invariants, keys = np.empty((2, len(nodes)), np.uint64)
    arguments = (
        rows_of(graph), graph.links, np.asarray(graph.relations.reverse, np.int64), salts,
        np.empty(0, np.int64) if colors is None else colors, nodes, order, invariants, keys,
    )  # fmt: skip
    with np.errstate(over="ignore"):
        cost = nodes.size * nodes.shape[1] * _LINKS_TIME
        run_blocks(_describe_block, len(nodes), cost, *arguments)
    return order, invariants, keys


def _describe_block(first: int, last: int, *arguments: Any) -> None:
    """Give each block a scratch of its own."""
    size = arguments[5].shape[1]
    scratch = np.empty((size, size), np.uint64), np.empty((2, size), np.uint64)
    describe_sets(first, last, *arguments, *scratch)


def gather_candidates(
    mined: MinedGraph,
    sizes: Sequence[int] = tuple(range(3, 9)),
    *,
    seed: int = 0,
    most: int = 200,
    min_occurrences: int = 3,
) -> list[Pattern]:
    """Gather structures that recur, the most surprising first.

    They are at most ``most`` of more than four nodes, and beside them those of up to four, of which
    there are few where edges and nodes are of few kinds.

    A pattern is seen in ``min_occurrences`` different node sets, see its ``sight``. Every size, the
    most frequent structures of each, and the most surprising ones are among them.
    """
    graph, rng = mined.graph, np.random.default_rng([seed, 11])
    number = _NUM_LARGE_NULL_GRAPHS if is_large(graph) else _NUM_NULL_GRAPHS
    drawn = [mined, *(_null_graph(mined, rng) for _ in range(number))]
    looks = [_look(one, max(sizes), rng) for one in drawn]
    # a small null-model graph stands for one as large as the graph, where sets are as far apart
    looks = [
        look.spread(one.graph.num_nodes, graph.num_nodes // one.graph.num_nodes, rng)
        if one.graph.num_nodes < graph.num_nodes
        else look
        for one, look in zip(drawn, looks, strict=True)
    ]
    compared: list[Pattern] = []
    for size in sizes:
        seen, *null_seen = [SeenSets(one, own, size) for one, own in zip(drawn, looks, strict=True)]
        compared += _compare(seen, null_seen, graph.num_nodes, min_occurrences)
    return choose(graph, compared, most, min_occurrences)


def _compare(
    seen: SeenSets, null_seen: list[SeenSets], num_nodes: int, min_occurrences: int
) -> list[Pattern]:
    """The frequent structures of one size, and how often the null-model graphs show them."""
    invariants = seen.frequent(min_occurrences, _MOST_FREQUENT)
    nulls = [null.sets_with(invariants) for null in null_seen]
    none = np.empty((0, 1), np.int32)
    compared = []
    for invariant, one in seen.patterns(invariants):
        assert one.sight is not None, "node sets have shown it"
        node_sets = one.sight.node_sets
        if len(node_sets) < min_occurrences:
            continue
        expected = [
            pick_disjoint(sets_of.get(invariant, none), num_nodes).sum() for sets_of in nulls
        ]
        sight = replace(
            one.sight,
            num_disjoint=int(pick_disjoint(node_sets, num_nodes).sum()),
            num_expected=float(np.mean(expected)),
        )
        compared.append(replace(one, sight=sight))
    return compared


def _null_graph(mined: MinedGraph, rng: np.random.Generator) -> MinedGraph:
    """A null-model graph."""
    graph = mined.graph
    if graph.num_edges > _MOST_REWIRED:
        return mined.with_graph(small_configuration(graph, rng)[0])
    return mined.with_graph(degree_preserving(graph, rng))


def _look(mined: MinedGraph, max_nodes: int, rng: np.random.Generator) -> NodeSets:
    """Connected node sets of a graph that have grown from its edges."""
    graph = mined.graph
    views = [(rows_of(graph), False), (rows_of(graph), True)]
    if not is_large(graph):
        # edges outside of triangles lead around what is clustered, to motifs of squares and rings
        views.append((without_triangles(graph), False))
    parts = []
    for rows, at_random in views:
        starts = draw_pairs(rows, _MOST_GROWTHS, rng)
        seed = int(rng.integers(2**63))
        parts.append(grow_from(graph, rows, mined.colors, starts, max_nodes, at_random, seed))
    columns = ([one.nodes for one in parts], [one.codes for one in parts])
    return NodeSets(*map(np.concatenate, columns))
