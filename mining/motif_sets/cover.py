"""A set of motifs while it is searched: the copies that are taken, what they leave, its length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mining.candidates.shapes import Shape
from mining.motif_sets.code_length import GraphCode, Residual
from mining.motif_sets.copy_loops import move_copies
from mining.motif_sets.integer_codes import integer_bits
from mining.motif_sets.listed_copies import Left, ListedCopies, Prefix


@dataclass(frozen=True, eq=False)
class Taken:
    """A motif of a set: which of its listed copies, their length, and their address code."""

    listed: ListedCopies
    rows: np.ndarray
    bits: float
    address: str

    @property
    def copies(self) -> np.ndarray:
        """The nodes of the copies, int64 ``[k, M]``."""
        return self.listed.copies[self.rows].astype(np.int64)

    @property
    def motif(self) -> tuple[Shape, np.ndarray]:
        """Shape and copies, as the code takes them."""
        return self.listed.shape, self.copies


class Cover:
    """The motifs of a set, by key, in the order in which they came.

    >>> import networkx as nx
    >>> from mining.mined_graph import MinedGraph
    >>> from mining.motif_sets.coded_graph import CodedGraph
    >>> code = GraphCode(CodedGraph.of(MinedGraph.of(nx.cycle_graph(8))))
    >>> round(Cover(code).bits() - code.length([]).total, 6)
    0.0
    """

    def __init__(self, code: GraphCode) -> None:
        self._code = code
        self.used = np.zeros(code.graph.num_edges, bool)
        self.degrees = code.graph.degrees.copy()
        self.motifs: dict[bytes, Taken] = {}
        # the last fit, from which the next one starts
        self._residual: Residual | None = None

    def left(self) -> Left:
        """The graph that the copies leave over."""
        residual = self._fit()
        bits = self._code.edge_bits(residual, self.degrees)
        return Left(self.used, self.degrees, bits)

    def bits(self) -> float:
        """The length of the set."""
        motifs = sum(one.bits for one in self.motifs.values())
        return self._fit().bits + motifs + integer_bits(len(self.motifs))

    def bits_with(self, listed: ListedCopies, prefix: Prefix) -> float:
        """The length of the set with more copies of a motif."""
        before = self.motifs.get(listed.shape.key)
        self.add(listed, prefix)
        bits = self.bits()
        self.remove(listed.shape.key)
        if before is not None:
            self._put(before)
        return bits

    def add(self, listed: ListedCopies, prefix: Prefix) -> None:
        """Take copies of a motif, beside those that are taken."""
        rows = prefix.rows
        before = self.motifs.get(listed.shape.key)
        if before is not None:
            self.remove(listed.shape.key)
            rows = np.concatenate([before.rows, rows])
        self._put(Taken(listed, rows, prefix.bits, prefix.address))

    def remove(self, key: bytes) -> None:
        """Give back the copies of a motif."""
        self._move(self.motifs.pop(key), 1)

    def restore(self, motifs: dict[bytes, Taken]) -> None:
        """Take the motifs of a set that was found before."""
        for key, taken in [*self.motifs.items()]:
            if motifs.get(key) is not taken:
                self.remove(key)
        for key, taken in motifs.items():
            if key not in self.motifs:
                self._put(taken)
        # in the order of the other
        self.motifs = dict(motifs)

    def _put(self, taken: Taken) -> None:
        self.motifs[taken.listed.shape.key] = taken
        self._move(taken, -1)

    def _move(self, taken: Taken, sign: int) -> None:
        listed = taken.listed
        self.used[listed.edges[taken.rows]] = sign < 0
        move_copies(self.degrees, listed.copies[taken.rows], listed.terms, sign)

    def _fit(self) -> Residual:
        self._residual = self._code.residual(self.degrees, self.used, self._residual)
        return self._residual
