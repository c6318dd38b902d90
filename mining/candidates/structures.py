"""The structures of node sets: which different sets show each, and what it looks like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.search_numba import mix64
from gomkcn_dgl.runtime.compiled import run_blocks
from mining.candidates.node_sets import NodeSets, links_of_sets, rows_of
from mining.candidates.shape_loops import describe_sets
from mining.mined_graph import MinedGraph
from mining.records.pattern import Pattern, Sight

# about the time that the links of two nodes take
_NANOSECONDS = 50
_ODD = np.uint64(0x9E3779B97F4A7C15)


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
    power = mix64(np.arange(1, channels.shape[1] + 1, dtype=np.uint64) * _ODD)
    salts = mix64((channels * power).sum(axis=1, dtype=np.uint64)) | np.uint64(1)
    salts[0] = 0
    order = np.empty(nodes.shape, np.int64)
    invariants, keys = np.empty((2, len(nodes)), np.uint64)
    arguments = (
        rows_of(graph), graph.links, np.asarray(graph.relations.reverse, np.int64), salts,
        np.empty(0, np.int64) if colors is None else colors, nodes, order, invariants, keys,
    )  # fmt: skip
    with np.errstate(over="ignore"):
        cost = nodes.size * nodes.shape[1] * _NANOSECONDS
        run_blocks(_describe_block, len(nodes), cost, *arguments)
    return order, invariants, keys


def _describe_block(first: int, last: int, *arguments: Any) -> None:
    """Give each block a scratch of its own."""
    size = arguments[5].shape[1]
    scratch = np.empty((size, size), np.uint64), np.empty((2, size), np.uint64)
    describe_sets(first, last, *arguments, *scratch)
