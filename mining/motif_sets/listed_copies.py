"""Structures that are tried as motifs of one graph, each with its copies and those that pay best.

They are those that grown sets show, and given ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import log, log1p, log2

import numpy as np

from gomkcn_dgl.graphs.canonical_form import canonical_forms
from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.grown_sets import distinct, hash_sets, seen_structures
from mining.candidates.shapes import PENDANT_BITS, Seen, Shape, find_shapes
from mining.motif_sets.code_length import ADDRESSES, GraphCode
from mining.motif_sets.copy_loops import (
    Left,
    Limits,
    Places,
    Plan,
    choose_disjoint,
    list_copies,
    prefix_addresses,
)
from mining.motif_sets.integer_codes import integer_lengths, log2_factorials

# of one structure: copies that are listed, and steps for it
_MOST_COPIES, _MOST_STEPS = 20_000, 30_000_000
# of each node that a copy can begin at, at least and in all of these together
_COPIES_OF_ROOT, _COPIES_OF_ROOTS = 20, 60_000
_STEPS_OF_ROOT, _STEPS_OF_ROOTS = 3_000, 8_000_000
# the best copies that are kept, at least, and for each node of the graph
_KEPT, _KEPT_OF_NODE = 3_000, 2
# copies of less worth are not tried
_LEAST_WORTH = -15.0
# copies that are tried; worths that differ by less are equal, to so many decimals
_MOST_TRIED, _EQUAL, _DECIMALS = 60_000, 1e-6, 6
# structures that are listed at a time, and of one size
MOST_STRUCTURES, MOST_AGAIN = 48, 24
# one whose sets would cost so many bits more than they save is not
_LEAST_SCORE = -10.0 - log2(len(ADDRESSES))
# the largest share of the nodes for which sets without common nodes are told from others
_MOST_COVERED = 0.999


@dataclass(frozen=True, eq=False)
class ListedCopies:
    """A structure in canonical order with its copies, the best of those that were found."""

    code: GraphCode
    shape: Shape
    copies: np.ndarray  # int32 [K, M]
    edges: np.ndarray  # int32 [K, P], the edges of each
    sources: tuple[str, ...]  # what saw it
    is_complete: bool  # whether all copies were looked at

    @cached_property
    def places(self) -> Places:
        """Where the nodes of copies can be."""
        return self.code.places(self.shape, self.copies)

    @cached_property
    def head(self) -> float:
        """Bits of the structure, and of the choice of an address."""
        return self.code.head(self.shape) + log2(len(ADDRESSES))

    @cached_property
    def symmetry(self) -> float:
        """Bits that each copy saves since its order is free, less its pendant nodes."""
        return self.shape.automorphism_bits - PENDANT_BITS * self.shape.num_pendant

    @cached_property
    def log_factorial(self) -> np.ndarray:
        """log2 n!, n up to the number of nodes, and of copies."""
        return log2_factorials(max(len(self.code.graph.colors), len(self.copies)))

    def gains(self, rows: np.ndarray, left: Left) -> np.ndarray:
        """Bits that taking the edges of some copies out saves, to first order, without addresses.

        An edge of nodes i and j saves -log2 x_i x_j, see `Left`; a node that has q of its d edges
        in a copy, q log2 d - log2 d (d - 1) ... (d - q + 1) for each slot.
        """
        gains: np.ndarray = left.edge_bits[self.edges[rows]].sum(axis=1)
        roles, slots, numbers = self.places.terms[self.places.terms[:, 2] > 1].T
        degrees = left.degrees[slots, self.copies[rows][:, roles]]
        falling = self.log_factorial[degrees] - self.log_factorial[degrees - numbers]
        return gains + (numbers * np.log2(degrees) - falling).sum(axis=1)

    def best_copies(
        self,
        left: Left,
        taken: np.ndarray,
        freed: np.ndarray,
        least_worth: float = _LEAST_WORTH,
    ) -> Taken | None:
        """The free copies that save most beside those that are ``taken``, and these.

        A motif has at least two copies, each of at least ``least_worth`` bits. None where there are
        not enough, and where no free copy has an edge that is ``freed``, bool ``[num_edges]``.

        Copies are tried by falling worth, under three of the addresses; so that no two share an
        edge, and so that no two share a node; and the best number of them is taken.
        """
        best: Taken | None = None
        free = np.flatnonzero(~left.used[self.edges].any(axis=1))
        if len(free) < 2 - min(1, len(taken)) or not freed[self.edges[free]].any():
            return None
        gains = np.zeros(len(self.copies))
        gains[free] = self.gains(free, left)
        for way in range(3):
            # 1. free copies by falling worth
            costs = self.places.uniform if way == 0 else self.places.by_degree[free]
            if way == 2:
                if best is None:
                    break
                costs = self._bits_by_residual_degree(free, best.rows[len(taken) :])
            worth = np.rint((costs - gains[free] - self.symmetry) / _EQUAL)
            order = np.argsort(worth, kind="stable")
            rows = free[order[worth[order] < -least_worth / _EQUAL]][:_MOST_TRIED]
            # 2. those that share no edge, and of these those that share no node
            chosen = choose_disjoint(rows, self.edges, np.zeros(len(left.used), bool))
            apart = choose_disjoint(chosen, self.copies, self._no_nodes())
            for own in [chosen] if len(apart) == len(chosen) else [chosen, apart]:
                found = self._best_number(taken, own, gains[own])
                if found is not None and (best is None or found.gain > best.gain):
                    best = found
        return best

    def _best_number(self, taken: np.ndarray, new: np.ndarray, gains: np.ndarray) -> Taken | None:
        """The copies ``taken`` and as many of the new ones, in their order, as save most."""
        before, rows = len(taken), np.concatenate([taken, new])
        bits, codes = prefix_addresses(
            rows, self.copies, self.places, self.log_factorial, self._no_nodes()
        )
        number = np.arange(1, len(rows) + 1)
        bits += self.head + integer_lengths(len(rows))[1:]
        bits -= self.log_factorial[number] + number * self.symmetry
        saved = np.cumsum(np.append(bits[before - 1] if before else 0.0, gains))[1:] - bits[before:]
        # a motif has two copies
        least = 0 if before else 1
        if len(saved) <= least:
            return None
        last = least + int(saved[least:].argmax())
        total, address = float(bits[before + last]), ADDRESSES[codes[before + last]]
        return Taken(self, rows[: before + last + 1], last + 1, float(saved[last]), total, address)

    def _bits_by_residual_degree(self, rows: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Bits of the address of each copy by the histogram of some, each bin with ½ more."""
        places = self.places
        of_near = places.degrees[self.copies[near]] - places.inside
        counts = np.bincount(of_near.reshape(-1)) + 0.5
        costs, top = np.log2(counts.sum() / counts), len(counts) - 1
        nodes = self.copies[rows]
        left = places.degrees[nodes] - places.inside
        bits = costs[np.minimum(left, top)] + np.log2(places.class_sizes[places.classes[nodes]])
        # a degree beyond the histogram is as good as excluded
        bits += np.where(left > top, 3 * np.log2(np.maximum(left, 1)), 0.0)
        total: np.ndarray = bits.sum(axis=1)
        return total

    def _no_nodes(self) -> np.ndarray:
        return np.zeros(len(self.code.graph.colors), bool)


@dataclass(frozen=True, eq=False)
class Taken:
    """Some copies of a structure, as a motif of a set."""

    listed: ListedCopies
    rows: np.ndarray  # int64 [k], which of its copies
    num_new: int  # how many of them, the last ones, were not in the set before
    gain: float  # about the bits that the new ones save
    bits: float  # length of the motif with its copies
    address: str

    @property
    def copies(self) -> np.ndarray:
        """The nodes of the copies, int64 ``[k, M]``."""
        return self.listed.copies[self.rows].astype(np.int64)

    @property
    def motif(self) -> tuple[Shape, np.ndarray]:
        """Shape and copies, as the code takes them."""
        return self.listed.shape, self.copies

    def per_edge(self, bits: float, exponent: float) -> float:
        """Bits, divided by the number of new edges to the power of an exponent."""
        return bits / float(self.num_new * len(self.listed.shape.edges)) ** exponent


def list_structure(
    code: GraphCode,
    shape: Shape,
    seen: np.ndarray,
    sources: tuple[str, ...],
    left: Left,
    seed: int,
) -> ListedCopies:
    """List the copies of a structure, the best ones in the graph ``left`` where there are too many.

    Copies that were ``seen`` are among them; the seed orders those that are looked for.
    """
    graph = code.graph
    number = len(graph.colors)
    order, plan = plan_of(shape)
    roots = np.random.default_rng([seed, 12]).permutation(number)
    limits = Limits(
        _MOST_COPIES,
        max(_COPIES_OF_ROOT, _COPIES_OF_ROOTS // number),
        max(_STEPS_OF_ROOT, _STEPS_OF_ROOTS // number),
        _MOST_STEPS,
    )
    found, is_complete = list_copies(graph.rows, plan, roots, limits)
    copies = np.empty_like(found)
    copies[:, order] = found
    if not is_complete:
        copies = np.concatenate([copies, seen.astype(np.int32)])
        copies = copies[distinct(hash_sets(copies)[:, -1])]
    edges = graph.edge_numbers(shape, copies)
    listed = ListedCopies(code, shape, copies, edges, sources, is_complete)
    most = max(_KEPT, _KEPT_OF_NODE * number)
    if len(copies) > most:
        worth = listed.gains(np.arange(len(copies)), left) + listed.symmetry
        worth -= np.minimum(listed.places.uniform, listed.places.by_degree)
        best = np.sort(np.argsort(-np.round(worth, _DECIMALS), kind="stable")[:most])
        listed = ListedCopies(code, shape, copies[best], edges[best], sources, False)
    return listed


def plan_of(shape: Shape) -> tuple[np.ndarray, Plan]:
    """The order in which the nodes of a structure are mapped, and the structure in this order.

    First a node of most edges; then the one with most edges to those before it. Each is mapped to
    the smallest of the nodes that the automorphisms carry it to that fix those before it.
    """
    size, joined = shape.num_nodes, shape.links > 0
    degrees = joined.sum(axis=1)
    order = [int(degrees.argmax())]
    while len(order) < size:
        inside = joined[:, order].sum(axis=1) * size + degrees
        inside[order] = -1
        order.append(int(inside.argmax()))
    links = shape.links[np.ix_(order, order)].astype(np.uint16)
    colors = shape.colors[order]
    # two nodes are carried to each other where they are in one orbit with those before fixed
    levels = np.arange(size)
    singled = np.tile(colors, (size, 1))
    fixed = levels < levels[:, None]
    singled[fixed] = (colors.max() + 1 + np.tile(levels, (size, 1)))[fixed]
    _, _, orbits = canonical_forms(np.tile(links, (size, 1, 1)), singled)
    is_less = (orbits == orbits[levels, levels][:, None]) & (levels > levels[:, None])
    return np.array(order), Plan(links, colors, degrees[order], is_less)


class Proposals:
    """The structures that are tried, by key, with all of their copies."""

    def __init__(self, code: GraphCode, whole: Left, seed: int) -> None:
        self._code, self._seed = code, seed
        # a cover changes its arrays
        self._whole = whole._replace(used=whole.used.copy(), degrees=whole.degrees.copy())
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
        places = listed.places
        worth = listed.gains(np.arange(len(copies)), left) + listed.symmetry
        order_bits = log2_factorials(len(copies))[1:]
        by_degree = np.cumsum(np.sort(worth - places.by_degree)[::-1]) + order_bits
        # copies without common nodes cost less: about so many bits each, of the share of the
        # nodes that they cover
        num_covered = np.count_nonzero(np.bincount(copies.reshape(-1)))
        share = min(_MOST_COVERED, num_covered / len(self._code.graph.colors))
        relief = shape.num_nodes * (1 + (1 - share) / share * log1p(-share)) / log(2)
        uniform = np.cumsum(np.sort(worth - places.uniform + relief)[::-1]) + order_bits
        return float(max(0.0, by_degree.max(), uniform.max())) - listed.head
