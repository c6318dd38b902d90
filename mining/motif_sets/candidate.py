"""A structure that may become a motif, with the copies of it among which a search chooses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.copy_loops import Addresses
from gomkcn.mining.structures.node_sets import distinct_structures
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.search_numba import mix64
from gomkcn_dgl.relations import SIMPLE

# a motif has so many copies
LEAST_COPIES = 2
NO_EDGES = np.zeros((0, 0), np.int64)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A structure in canonical order, with copies of it, the best of those that were found."""

    structure: Structure
    # int32 [K, M], the node of the mined graph at each node: thousands of candidates are held
    copies: np.ndarray
    # [K, P], which edge of one graph, or entry of a collection, each edge is, if it is known
    edges: np.ndarray = field(default_factory=lambda: NO_EDGES)
    sources: tuple[str, ...] = ("grown",)  # what saw it
    is_complete: bool = True  # whether all copies were looked at
    addresses: Addresses | None = None  # of one graph, what says where each copy is
    # of a drawing, from which copies may differ: how often they lack an edge, and have another
    rates: tuple[float, float] | None = None
    gains: tuple[float, ...] = ()  # of a collection, about what it alone would save in each base

    @property
    def code(self) -> bytes:
        """Equal for candidates of one structure."""
        return self.structure.code

    def bare(self) -> Candidate:
        """The structure and the copies alone, from which the rest can be found again."""
        return replace(self, structure=bare(self.structure), edges=NO_EDGES, addresses=None)

    @cached_property
    def rank(self) -> tuple[int, int, bytes]:
        """Where it stands in a set: structures of most edges, and then of most nodes, first."""
        return -len(self.structure.pairs), -self.structure.num_nodes, self.code

    @cached_property
    def parts(self) -> frozenset[bytes]:
        """Codes of its parts with one or two nodes less, joined or not."""
        return parts_of(self.structure)

    @cached_property
    def watched(self) -> np.ndarray:
        """The edge of each copy to look at first, int32 ``[K]``, see `find_free`."""
        if not self.edges.shape[1]:
            return np.zeros(len(self.copies), np.int32)
        return self.edges[:, 0].astype(np.int32)

    @cached_property
    def _ascending(self) -> tuple[np.ndarray, np.ndarray]:
        keys = _keys_of(self.copies)
        order = np.argsort(keys)
        return keys[order], order

    def chosen(self, rows: np.ndarray) -> np.ndarray:
        """Some of the copies as a description has them, int64 ``[k, M]``."""
        return self.copies[rows].astype(np.int64)

    def rows_of(self, copies: np.ndarray) -> np.ndarray:
        """The rows of ``copies`` that some chosen ones ``[k, M]`` are, int64 ``[k]``."""
        ascending, order = self._ascending
        return order[np.searchsorted(ascending, _keys_of(copies))]


class Choice(NamedTuple):
    """Copies of a candidate that save most beside the motifs of a description."""

    candidate: Candidate
    copies: np.ndarray  # int64 [k, M], those that the motif had before first
    num_new: int  # how many of them, the last ones, it did not have before
    gain: float  # bits that the new ones save, about

    def per_edge(self, bits: float, exponent: float) -> float:
        """Bits, divided by the number of new edges to the power of an exponent."""
        return bits / float(self.num_new * len(self.candidate.structure.pairs)) ** exponent


def bare(structure: Structure) -> Structure:
    """A structure without the names of its graph, which knows them for all of its structures."""
    return Structure.of_links(structure.links, structure.colors, SIMPLE, form=structure.known_form)


def parts_of(structure: Structure) -> frozenset[bytes]:
    """Codes of the parts of a structure with one or two nodes less, joined or not."""
    codes: set[bytes] = set()
    for size in range(max(2, structure.num_nodes - 2), structure.num_nodes):
        kept = np.array([*combinations(range(structure.num_nodes), size)])
        links = structure.links[kept[:, :, None], kept[:, None, :]]
        parts = distinct_structures(
            links, structure.colors[kept], structure.relations, structure.palette
        )
        codes.update(part.code for part in parts.structures)
    return frozenset(codes)


def _keys_of(rows: np.ndarray) -> np.ndarray:
    """A number for each of some rows ``[K, M]``, which no two of them share, as good as surely."""
    return rows.astype(np.uint64) @ _factors(rows.shape[1])


@lru_cache
def _factors(size: int) -> np.ndarray:
    """Of so many nodes in the number of a row."""
    return mix64(np.arange(1, size + 1, dtype=np.uint64))
