"""A structure that may become a motif, with the copies of it among which a search chooses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mining.candidates.shapes import Shape, find_shapes
from mining.motif_sets.copy_loops import Addresses

_NO_EDGES = np.zeros((0, 0), np.int64)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A structure in canonical order, with copies of it, the best of those that were found."""

    shape: Shape
    copies: np.ndarray  # int32 [K, M], the node of the mined graph at each node
    edges: np.ndarray  # [K, P], which edge of one graph, or entry of a collection, each edge is
    sources: tuple[str, ...]  # what saw it
    is_complete: bool = True  # whether all copies were looked at
    addresses: Addresses | None = None  # of one graph, what says where each copy is

    @property
    def key(self) -> bytes:
        """Equal for candidates of one structure."""
        return self.shape.key

    def bare(self) -> Candidate:
        """The structure and the copies alone, from which the rest can be found again."""
        return Candidate(self.shape, self.copies, _NO_EDGES, self.sources, self.is_complete)

    @cached_property
    def rank(self) -> tuple[int, int, bytes]:
        """Where it stands in a set: structures of most edges, and then of most nodes, first."""
        return -len(self.shape.edges), -self.shape.num_nodes, self.key

    @cached_property
    def parts(self) -> frozenset[bytes]:
        """Keys of its parts with one or two nodes less, joined or not."""
        return parts_of(self.shape)

    @cached_property
    def _ascending(self) -> tuple[np.ndarray, np.ndarray]:
        rows = _as_bytes(self.copies)
        order = np.argsort(rows)
        return rows[order], order

    def rows_of(self, copies: np.ndarray) -> np.ndarray:
        """The rows of ``copies`` that some of them ``[k, M]`` are, int64 ``[k]``."""
        ascending, order = self._ascending
        return order[np.searchsorted(ascending, _as_bytes(copies.astype(np.int32)))]


class Choice(NamedTuple):
    """Copies of a candidate that save most beside the motifs of a description."""

    candidate: Candidate
    copies: np.ndarray  # int64 [k, M], those that the motif had before first
    num_new: int  # how many of them, the last ones, it did not have before
    gain: float  # bits that the new ones save, about

    def per_edge(self, bits: float, exponent: float) -> float:
        """Bits, divided by the number of new edges to the power of an exponent."""
        return bits / float(self.num_new * len(self.candidate.shape.edges)) ** exponent


def parts_of(shape: Shape) -> frozenset[bytes]:
    """Keys of the parts of a structure with one or two nodes less, joined or not."""
    keys: set[bytes] = set()
    for size in range(max(2, shape.num_nodes - 2), shape.num_nodes):
        kept = np.array([*combinations(range(shape.num_nodes), size)])
        links = shape.links[kept[:, :, None], kept[:, None, :]]
        keys.update(part.key for part in find_shapes(links, shape.colors[kept]).shapes)
    return frozenset(keys)


def _as_bytes(rows: np.ndarray) -> np.ndarray:
    """Rows ``[K, M]`` as one value each, which can be sorted."""
    rows = np.ascontiguousarray(rows)
    return rows.view(f"V{rows.itemsize * rows.shape[1]}").reshape(-1)
