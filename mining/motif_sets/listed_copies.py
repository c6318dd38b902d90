"""A structure with its copies in one graph, and the first of them that pay best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log2

import numpy as np

from mining.candidates.canonical_loops import canonical_orders
from mining.candidates.grown_sets import distinct
from mining.candidates.shapes import PENDANT_BITS, Shape
from mining.motif_sets.code_length import ADDRESSES, GraphCode
from mining.motif_sets.coded_graph import CodedGraph
from mining.motif_sets.copy_loops import (
    Limits,
    Places,
    Plan,
    choose_disjoint,
    free_copies,
    gains_of_copies,
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
# copies of less worth are not tried, and no more than so many
_LEAST_WORTH, _MOST_TRIED = -15.0, 60_000
# worths that differ by less are equal, to so many decimals
_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class Left:
    """The graph that the copies of a set leave over.

    Attributes
    ----------
    used : numpy.ndarray
        bool ``[num_edges]``.
    degrees : numpy.ndarray
        int64 ``[S, V]``.
    edge_bits : numpy.ndarray
        float64 ``[num_edges]``, what taking each edge out saves, to first order.
    """

    used: np.ndarray
    degrees: np.ndarray
    edge_bits: np.ndarray


class Marks:
    """Which nodes and edges are met; all are forgotten with each new era."""

    def __init__(self, graph: CodedGraph) -> None:
        self.nodes = np.zeros(len(graph.colors), np.int64)
        self.edges = np.zeros(graph.num_edges, np.int64)
        self._era = 0

    def new_era(self) -> int:
        """A number that marks nothing yet."""
        self._era += 1
        return self._era


@dataclass(frozen=True, eq=False)
class ListedCopies:
    """A structure with its copies.

    Attributes
    ----------
    code : GraphCode
        Of the graph.
    shape : Shape
        The structure, in canonical order.
    copies : numpy.ndarray
        int32 ``[K, M]``, the best of those that were found.
    edges : numpy.ndarray
        int32 ``[K, P]``, the edges of each.
    sources : tuple of str
        What saw it.
    is_complete : bool
        Whether all copies were looked at.
    """

    code: GraphCode
    shape: Shape
    copies: np.ndarray
    edges: np.ndarray
    sources: tuple[str, ...]
    is_complete: bool

    @cached_property
    def terms(self) -> np.ndarray:
        """See :meth:`CodedGraph.terms`."""
        return self.code.graph.terms(self.shape)

    @cached_property
    def places(self) -> Places:
        """Where its copies can be."""
        return self.code.places(self.shape, self.copies)

    @cached_property
    def head(self) -> float:
        """Bits of the structure, and of the choice of an address."""
        return self.code.head(self.shape) + log2(len(ADDRESSES))

    @cached_property
    def symmetry(self) -> float:
        """Bits that each copy saves since its order does not matter, less its pendant nodes."""
        return self.shape.automorphism_bits - PENDANT_BITS * self.shape.num_pendant

    def worth(self, rows: np.ndarray, left: Left) -> np.ndarray:
        """Bits that each of some copies saves, to first order, without its address."""
        table = log2_factorials(int(self.code.graph.num_neighbors.max()))
        arguments = self.edges, left.edge_bits, self.terms, left.degrees, table
        gains: np.ndarray = gains_of_copies(rows, self.copies, *arguments)
        return gains + self.symmetry

    def best_copies(
        self,
        left: Left,
        taken: np.ndarray,
        freed: np.ndarray,
        marks: Marks,
        least_worth: float = _LEAST_WORTH,
    ) -> Taken | None:
        """The free copies that save most beside those that are ``taken``, and these.

        A motif has at least two copies, each of at least ``least_worth`` bits. None where there are
        not enough, and where no free copy has an edge that is ``freed``, bool ``[num_edges]``.

        Copies are tried by falling worth, under three of the addresses; so that no two share an
        edge, and so that no two share a node; and the best number of them is taken.
        """
        least = 1 if len(taken) else 2
        free, is_new = free_copies(self.edges, left.used, freed)
        if not is_new or len(free) < least:
            return None
        worth = self.worth(free, left)
        gains = np.zeros(len(self.copies))
        gains[free] = worth - self.symmetry
        best = None
        for address in ("uniform", "by degree", "by residual degree"):
            if address == "uniform":
                value = worth - self.places.uniform
            elif address == "by degree":
                value = worth - self.places.by_degree[free]
            elif best is not None:
                value = worth - self._by_residual_degree(free, best.rows[len(taken) :])
            else:
                break
            order = np.argsort(-np.round(value, _DECIMALS), kind="stable")[:_MOST_TRIED]
            order = free[order[value[order] > least_worth]]
            by_edges = choose_disjoint(order, self.edges, marks.edges, marks.new_era())
            by_nodes = choose_disjoint(by_edges, self.copies, marks.nodes, marks.new_era())
            orders = [by_edges] if len(by_nodes) == len(by_edges) else [by_edges, by_nodes]
            for rows in orders:
                if len(rows) >= least:
                    found = self._best_number(rows, gains, taken, least, marks)
                    if best is None or found.gain > best.gain:
                        best = found
        return best

    def _by_residual_degree(self, rows: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Bits of the address of each copy by the histogram of some, each bin with ½ more."""
        copies, places = self.copies[rows], self.places
        counts = np.bincount((places.degrees[self.copies[near]] - places.inside).reshape(-1))
        shares = (counts + 0.5) / (counts + 0.5).sum()
        in_bin = -np.log2(shares)
        left = places.degrees[copies] - places.inside
        # a degree beyond the histogram is as good as excluded
        beyond = 3 * np.log2(np.maximum(left, 1)) * (left >= len(counts))
        bits = in_bin[np.minimum(left, len(counts) - 1)] + beyond
        bits += np.log2(places.class_sizes)[places.classes[copies]]
        total: np.ndarray = bits.sum(axis=1)
        return total

    def _best_number(
        self, rows: np.ndarray, gains: np.ndarray, taken: np.ndarray, least: int, marks: Marks
    ) -> Taken:
        """With the number of the first copies that saves most, at least ``least``."""
        every = np.concatenate([taken, rows])
        bits, codes = self.bits_of_prefixes(every, marks)
        before = bits[len(taken) - 1] if len(taken) else 0.0
        saved = np.cumsum(gains[rows]) - (bits[len(taken) :] - before)
        number = least + int(np.argmax(saved[least - 1 :]))
        last = len(taken) + number - 1
        return Taken(
            self, every[: last + 1], number, float(saved[number - 1]), float(bits[last]),
            ADDRESSES[codes[last]],
        )  # fmt: skip

    def bits_of_prefixes(self, rows: np.ndarray, marks: Marks) -> tuple[np.ndarray, np.ndarray]:
        """Length of the motif with the first 1, 2, … copies, and the number of its address code.

        The same as :meth:`~mining.motif_sets.code_length.GraphCode.motif_bits`, of all at once.
        """
        addresses = prefix_addresses(rows, self.copies, self.places, marks.nodes, marks.new_era())
        numbers = np.arange(1, len(rows) + 1)
        bits = addresses[0] + integer_lengths(len(rows))[1:] - log2_factorials(len(rows))[1:]
        bits += self.head - numbers * self.symmetry
        return bits, addresses[1]


@dataclass(frozen=True, eq=False)
class Taken:
    """Some copies of a structure, as a motif of a set.

    Attributes
    ----------
    listed : ListedCopies
        The structure, and all copies.
    rows : numpy.ndarray
        int64 ``[k]``, which of these.
    num_new : int
        How many of them, the last ones, were not in the set before.
    gain : float
        About the bits that the new ones save.
    bits, address : float, str
        Length of the motif with its copies, and its address code.
    """

    listed: ListedCopies
    rows: np.ndarray
    num_new: int
    gain: float
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
    """List the copies of a structure.

    Parameters
    ----------
    code : GraphCode
        Of the graph.
    shape : Shape
        The structure, in canonical order.
    seen : numpy.ndarray
        int32 ``[K, M]``, copies that are known already.
    sources : tuple of str
        What saw it.
    left : Left
        The whole graph: where there are too many copies, the best are kept.
    seed : int
        Of the order in which copies are looked for, where not all are.
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
        copies = copies[distinct(copies)]
    edges = graph.edge_numbers(shape, copies)
    listed = ListedCopies(code, shape, copies, edges, sources, is_complete)
    most = max(_KEPT, _KEPT_OF_NODE * number)
    if len(copies) > most:
        worth = listed.worth(np.arange(len(copies)), left)
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
    _, _, orbits = canonical_orders(np.tile(links, (size, 1, 1)), singled)
    is_less = (orbits == orbits[levels, levels][:, None]) & (levels > levels[:, None])
    return np.array(order), Plan(links, colors, degrees[order], is_less)
