"""A set of motifs while it is searched: the copies that are taken, what they leave, its length."""

from __future__ import annotations

import numpy as np

from mining.motif_sets.code_length import GraphCode, Residual
from mining.motif_sets.copy_loops import Left, move_copies
from mining.motif_sets.integer_codes import integer_bits
from mining.motif_sets.listed_copies import Taken


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

    def bits_with(self, taken: Taken) -> float:
        """The length of the set with a motif, in place of fewer copies of it."""
        before = self.add(taken)
        bits = self.bits()
        self.remove(taken.listed.shape.key)
        if before is not None:
            self.add(before)
        return bits

    def add(self, taken: Taken) -> Taken | None:
        """Take copies of a motif, and return those of it that were taken before."""
        key = taken.listed.shape.key
        before = self.motifs.get(key)
        if before is not None:
            self.remove(key)
        self.motifs[key] = taken
        self._move(taken, -1)
        return before

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
                self.add(taken)
        # in the order of the other
        self.motifs = dict(motifs)

    def _move(self, taken: Taken, sign: int) -> None:
        listed = taken.listed
        self.used[listed.edges[taken.rows]] = sign < 0
        move_copies(self.degrees, listed.copies[taken.rows], listed.listed.places.terms, sign)

    def _fit(self) -> Residual:
        self._residual = self._code.residual(self.degrees, self.used, self._residual)
        return self._residual
