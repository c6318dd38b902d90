"""The structures of node sets: how many different sets there are of each, and one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.hashing import mix64
from mining.candidates.node_sets import NodeSets, links_of_sets
from mining.structures.canonical_forms import canonical_form

# rounds of colour refinement, after which few small structures have the invariant of another one
_ROUNDS = 3
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class SeenStructure:
    """A structure with the node sets ``[K, M]`` that show it, and the adjacency of the first."""

    certificate: bytes
    adjacency: np.ndarray
    colors: np.ndarray | None
    node_sets: np.ndarray


class SeenSets:
    """The distinct sets of one size that are seen in a graph, grouped by invariant."""

    def __init__(
        self, graph: CSRGraph, colors: np.ndarray | None, sets: NodeSets, size: int
    ) -> None:
        self._graph, self._colors = graph, colors
        self._nodes, codes = sets.of_size(size)
        # equal codes, equal adjacency: each is looked at once
        _, self._first, self._code_of = np.unique(codes, return_index=True, return_inverse=True)
        self._links = links_of_sets(graph, self._nodes[self._first])
        self._invariant = _invariants(graph, self._links, self._colors_of(self._first))
        self._num_sets = np.bincount(self._code_of, minlength=len(self._first))

    def _colors_of(self, rows: np.ndarray) -> np.ndarray | None:
        return None if self._colors is None else self._colors[self._nodes[rows]]

    def frequent(self, least: int, most: int) -> np.ndarray:
        """Invariants of at least ``least`` sets, of the ``most`` most frequent structures."""
        values, group = np.unique(self._invariant, return_inverse=True)
        total = np.bincount(group, self._num_sets, minlength=len(values)).astype(np.int64)
        order = np.argsort(-total, kind="stable")[:most]
        return values[order[total[order] >= least]]

    def structures(self, invariants: np.ndarray) -> Iterator[SeenStructure]:
        """The structures with one of these invariants."""
        codes = np.flatnonzero(np.isin(self._invariant, invariants))
        by_code = np.argsort(self._code_of, kind="stable")
        ends = np.concatenate([[0], np.cumsum(self._num_sets)])
        codes_of: dict[bytes, list[int]] = {}
        for code in codes.tolist():
            codes_of.setdefault(self._certificate(code), []).append(code)
        for certificate, same in codes_of.items():
            rows = np.concatenate([by_code[ends[code] : ends[code + 1]] for code in same])
            # the adjacency is that of the first code, so that its set is the first one
            yield SeenStructure(
                certificate,
                self._adjacency(same[0]),
                None if self._colors is None else self._colors[self._nodes[self._first[same[0]]]],
                self._nodes[rows],
            )

    def _adjacency(self, code: int) -> np.ndarray:
        """Bool ``[M, M]``, with links ``[M, M, C]``."""
        links = self._links[code]
        return links > 0 if self._graph.links is None else self._graph.relations.links[links]

    def _certificate(self, code: int) -> bytes:
        colors = None if self._colors is None else self._colors[self._nodes[self._first[code]]]
        return canonical_form(self._adjacency(code), colors).certificate


def _invariants(graph: CSRGraph, links: np.ndarray, colors: np.ndarray | None) -> np.ndarray:
    """The same number for isomorphic structures with links ``[U, M, M]``, uint64 ``[U]``."""
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
    return mix64(color).sum(axis=1, dtype=np.uint64)
