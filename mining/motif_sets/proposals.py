"""Structures that are tried as motifs of one graph: those that grown sets show, and given ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import log, log1p, log2

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.grown_sets import seen_structures
from mining.candidates.shapes import Seen, Shape, find_shapes
from mining.motif_sets.code_length import ADDRESSES, GraphCode
from mining.motif_sets.copy_loops import Left, Marks
from mining.motif_sets.integer_codes import log2_factorials
from mining.motif_sets.listed_copies import ListedCopies, list_structure

# structures that are listed at a time, and of one size
MOST_STRUCTURES, MOST_AGAIN = 48, 24
# one whose sets would cost so many bits more than they save is not
_LEAST_SCORE = -10.0 - log2(len(ADDRESSES))
# the largest share of the nodes for which sets without common nodes are told from others
_MOST_COVERED = 0.999


class Proposals:
    """The structures that are tried, by key, with all of their copies."""

    def __init__(self, code: GraphCode, whole: Left, seed: int) -> None:
        self._code, self._whole, self._seed = code, whole, seed
        number, num_edges = len(code.graph.colors), code.graph.num_edges
        self.marks = Marks(*(np.zeros(size, np.int64) for size in (number, num_edges, 1)))
        self.listed: dict[bytes, ListedCopies] = {}

    def grow(self, left: Left, sizes: range, turn: int, most: int) -> None:
        """Try the structures of some sizes that sets show in what a cover leaves over."""
        graph = self._code.graph
        free = ~left.used[graph.edge_of]
        seed = 10 * self._seed + turn
        seen = seen_structures(graph.mined.graph, graph.colors, free, sizes, seed)
        for shape, copies in self._best(seen, left, most):
            self._add(shape, copies, ("grown",))

    def give(self, structure: Structure, sources: tuple[str, ...]) -> bytes | None:
        """Try a given structure; its key here, None where the graph has no such edges or nodes."""
        shape = self._code.graph.shape_of(structure)
        if shape is None:
            return None
        (shape,), *_ = find_shapes(shape.links[None], shape.colors[None])
        return self._add(shape, np.zeros((0, shape.num_nodes), np.int32), sources)

    def _add(self, shape: Shape, seen: np.ndarray, sources: tuple[str, ...]) -> bytes:
        """List the copies of a structure, unless they are."""
        key = shape.key
        if key not in self.listed:
            listing = self._code, shape, seen, sources, self._whole, self._seed
            self.listed[key] = list_structure(*listing)
        self._see(key, sources)
        return key

    def _see(self, key: bytes, sources: tuple[str, ...]) -> None:
        """Add to what saw a structure."""
        listed = self.listed[key]
        if not set(sources) <= {*listed.sources}:
            every = tuple(dict.fromkeys(listed.sources + sources))
            self.listed[key] = replace(listed, sources=every)

    def _best(
        self, seen: dict[int, list[Seen]], left: Left, most: int
    ) -> Iterator[tuple[Shape, np.ndarray]]:
        """The structures whose sets save most bits, with these sets."""
        scored = []
        for structures in seen.values():
            for one in structures:
                if one.shape.key in self.listed:
                    self._see(one.shape.key, ("grown",))
                    continue
                scored.append((-self._score(one, left), one.shape.key, one.shape, one.copies))
        scored.sort(key=lambda row: row[:2])
        # the best one in any case: it may come closest to saving something
        number = max(1, sum(-score > _LEAST_SCORE for score, *_ in scored))
        of_size: Counter[int] = Counter()
        chosen = []
        for _, _, shape, copies in scored[:number]:
            of_size[shape.num_nodes] += 1
            if of_size[shape.num_nodes] <= most // 3 + 2:
                chosen.append((shape, copies))
        yield from chosen[:most]

    def _score(self, seen: Seen, left: Left) -> float:
        """Bits that the best of some sets save together, though they may overlap."""
        shape, copies = seen.shape, seen.copies
        edges = self._code.graph.edge_numbers(shape, copies)
        listed = ListedCopies(self._code, shape, copies, edges, (), False)
        worth, places = listed.worth(np.arange(len(copies)), left), listed.listed.places
        order_bits = log2_factorials(len(copies))[1:]
        by_degree = np.cumsum(np.sort(worth - places.by_degree)[::-1]) + order_bits
        # copies without common nodes cost less: about so many bits each, of the share of the
        # nodes that they cover
        num_covered = np.count_nonzero(np.bincount(copies.reshape(-1)))
        share = min(_MOST_COVERED, num_covered / len(self.marks.nodes))
        relief = shape.num_nodes * (1 + (1 - share) / share * log1p(-share)) / log(2)
        uniform = np.cumsum(np.sort(worth - places.uniform + relief)[::-1]) + order_bits
        return float(max(0.0, by_degree.max(), uniform.max())) - listed.listed.head
