"""The structures of node sets: which different sets show each, and what it looks like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.hashing import mix64
from mining.candidates.node_sets import NodeSets, links_of_sets
from mining.structures.canonical_forms import canonical_form

# rounds of colour refinement, after which few small structures look like another one
_ROUNDS = 3
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class SeenStructure:
    """A structure with the node sets ``[K, M]`` that show it; ``example`` is one of them.

    ``adjacency`` and ``colors`` are in the order of the example's nodes.
    """

    certificate: bytes
    adjacency: np.ndarray
    colors: np.ndarray | None
    example: np.ndarray
    node_sets: np.ndarray


class SeenSets:
    """The distinct sets of one size that are seen in a graph.

    Sets whose links are the same once their nodes are ordered by colour refinement form a group, so
    that few canonical forms are computed. A structure has one group, or some if it is symmetric.
    """

    def __init__(
        self, graph: CSRGraph, colors: np.ndarray | None, sets: NodeSets, size: int
    ) -> None:
        self._graph, self._colors = graph, colors
        self._nodes, codes = sets.of_size(size)
        # 1. equal codes, equal links: each is looked at once
        _, first, code_of = np.unique(codes, return_index=True, return_inverse=True)
        nodes = self._nodes[first]
        links = links_of_sets(graph, nodes)
        refined = _refine(graph, links, None if colors is None else colors[nodes])
        # 2. the same with the nodes in the order of their refined colours
        order = np.argsort(refined, axis=1, kind="stable")
        links = np.take_along_axis(links, order[:, :, None], axis=1)
        links = np.take_along_axis(links, order[:, None, :], axis=2)
        places = np.arange(1, size * size + 1, dtype=np.uint64).reshape(size, size) * _ODD
        keys = (mix64(places) * links).sum(axis=(1, 2), dtype=np.uint64)
        invariant = mix64(refined).sum(axis=1, dtype=np.uint64)
        _, first, group_of = np.unique(
            mix64(keys) ^ invariant, return_index=True, return_inverse=True
        )
        self._group_of = group_of[code_of]
        self._invariant, self._links = invariant[first], links[first]
        self._examples = np.take_along_axis(nodes[first], order[first], axis=1)
        self._num_sets = np.bincount(self._group_of, minlength=len(first))

    def frequent(self, least: int, most: int) -> np.ndarray:
        """Invariants of at least ``least`` sets, at most the ``most`` most frequent ones."""
        values, number = np.unique(self._invariant, return_inverse=True)
        total = np.bincount(number, self._num_sets, minlength=len(values)).astype(np.int64)
        order = np.argsort(-total, kind="stable")[:most]
        return values[order[total[order] >= least]]

    def structures(self, invariants: np.ndarray) -> Iterator[SeenStructure]:
        """The structures with one of these invariants."""
        groups_of: dict[bytes, list[int]] = {}
        for group in np.flatnonzero(np.isin(self._invariant, invariants)).tolist():
            form = canonical_form(self._adjacency(group), self._colors_of(group))
            groups_of.setdefault(form.certificate, []).append(group)
        by_group = np.argsort(self._group_of, kind="stable")
        ends = np.concatenate([[0], np.cumsum(self._num_sets)])
        for certificate, groups in groups_of.items():
            rows = [by_group[ends[group] : ends[group + 1]] for group in groups]
            yield SeenStructure(
                certificate,
                self._adjacency(groups[0]),
                self._colors_of(groups[0]),
                self._examples[groups[0]],
                self._nodes[np.concatenate(rows)],
            )

    def _adjacency(self, group: int) -> np.ndarray:
        """Bool ``[M, M]``, with links ``[M, M, C]``."""
        links = self._links[group]
        return links > 0 if self._graph.links is None else self._graph.relations.links[links]

    def _colors_of(self, group: int) -> np.ndarray | None:
        return None if self._colors is None else self._colors[self._examples[group]]


def _refine(graph: CSRGraph, links: np.ndarray, colors: np.ndarray | None) -> np.ndarray:
    """A number for each node of structures with links ``[U, M, M]``, uint64 ``[U, M]``.

    It is the same for nodes that an isomorphism takes to each other.
    """
    channels = graph.relations.links
    # a number for each link that follows from its channels alone
    power = mix64(np.arange(1, channels.shape[1] + 1, dtype=np.uint64) * _ODD)
    salt = mix64((channels * power).sum(axis=1, dtype=np.uint64)) | np.uint64(1)
    salt[0] = 0
    weight = salt[links]
    color = np.ones(links.shape[:2], np.uint64) if colors is None else colors.astype(np.uint64) + 2
    color = mix64(color * _ODD)
    for _ in range(_ROUNDS):
        near = (weight * color[:, None, :]).sum(axis=2, dtype=np.uint64)
        color = mix64(color * _ODD + mix64(near))
    return color
