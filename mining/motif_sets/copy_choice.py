"""Which copies of a structure are worth covering, and about how many bits that saves.

A copy is worth the bits of its edges and of the signatures of its nodes, less those of its new
signatures. Copies of falling value that share no node are taken, in each graph as many as pay for
their addresses. What a new signature costs depends on those of all copies, and the number of copies
of a graph on those of the others, so that the choice is repeated with what came out before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.candidates.shapes import Shape
from mining.motif_sets.collection_code import Covering
from mining.motif_sets.collection_loops import split_bits
from mining.motif_sets.copy_loops import choose_disjoint, log_star
from mining.motif_sets.integer_codes import log2_factorials

# rounds of a choice that is kept
ROUNDS = 3


class Choice(NamedTuple):
    """Copies that are worth covering; none where they are too few."""

    gain: float  # bits, about
    copies: np.ndarray  # int64 [k, M]


class Least(NamedTuple):
    """Copies that a motif must have, and graphs that must have one."""

    copies: int
    graphs: int


class CoveringArrays(NamedTuple):
    """What a choice of copies asks of a collection whose nodes are covered in part."""

    is_free: np.ndarray  # bool [V]
    graph_of: np.ndarray  # int64 [V]
    sizes: np.ndarray  # int64 [G], nodes of each graph
    free_of_color: np.ndarray  # int64 [G, C], free nodes of each category
    layer_of: np.ndarray  # int64 [T + 1], layer of each link
    reverse: np.ndarray  # int64 [T + 1], the link as the other end sees it
    multipliers: np.ndarray  # float64 [L, V]
    joint_bits: np.ndarray  # float64 [C, C, T + 1], what a link costs, given that there is an edge
    symbol_of: np.ndarray  # int64 [V], number of the signature of each node
    symbol_degrees: np.ndarray  # int64 [L, S], the degrees of each signature
    signature_bits: np.ndarray  # float64 [V], what the signature of a node costs
    integers: np.ndarray  # float64, L_N of the numbers up to the largest degree
    factorials: np.ndarray  # float64, log2 of those of the numbers up to the largest size


class StructureArrays(NamedTuple):
    """What it asks of a structure of M nodes and m edges."""

    edges: np.ndarray  # int64 [m, 3], two nodes, and their link as the first sees it
    colors: np.ndarray  # int64 [M]
    orbits: np.ndarray  # int64 [M]
    automorphism_bits: float
    drawing_bits: float


def choose(
    covering: Covering,
    shape: Shape,
    rows: np.ndarray,
    least: Least,
    rounds: int = ROUNDS,
) -> Choice:
    """Choose among occurrences ``[K, M]`` of a structure."""
    arrays = _arrays_of(covering, shape)
    gain, chosen = choose_copies(rows, *arrays, rounds, *least)
    return Choice(gain, rows[chosen].astype(np.int64))


def values(covering: Covering, shape: Shape, rows: np.ndarray) -> np.ndarray:
    """Bits of the edges and signatures of occurrences ``[K, M]`` as they are now, ``[K]``."""
    return np.asarray(bits_of_copies(rows, *_arrays_of(covering, shape)))


def _arrays_of(covering: Covering, shape: Shape) -> tuple[StructureArrays, CoveringArrays]:
    code = covering.code
    return StructureArrays(
        shape.edges, shape.colors, shape.orbits, shape.automorphism_bits,
        code.drawing_bits_of(shape),
    ), CoveringArrays(
        covering.is_free, code.graph_of, code.sizes, covering.free_of_color, code.layer_of,
        code.reverse, covering.multipliers, covering.joint_bits, covering.symbol_of,
        covering.symbol_degrees, covering.signature_bits, code.integers,
        log2_factorials(int(code.sizes.max(initial=0))),
    )  # fmt: skip


@compiled()
def choose_copies(rows, structure, covering, rounds, least_copies, least_graphs):
    """The node-disjoint copies of a structure whose covering saves most bits, about.

    Of copies `rows [K, M]` those of free nodes count. Returns the estimated gain and the numbers of
    the chosen rows. If they are fewer than `least_copies`, or in fewer graphs than
    `least_graphs`, the gain is minus infinity.
    """
    size, num_orbits = rows.shape[1], structure.orbits.max() + 1
    num_symbols, num_graphs = covering.symbol_degrees.shape[1], len(covering.sizes)
    best_gain, best_chosen = -np.inf, np.empty(0, np.int64)
    # 1. copies of free nodes, and the bits of their edges and signatures as they are now
    free = np.empty(len(rows), np.int64)
    saved, values = np.empty((2, len(rows)))
    keys = np.empty(rows.shape, np.int64)
    expected = np.zeros(num_orbits * num_symbols)
    count = 0
    for row in range(len(rows)):
        is_free = True
        for node in rows[row]:
            is_free = is_free and covering.is_free[node]
        if not is_free:
            continue
        free[count] = row
        count += 1
        saved[row] = _bits_of_copy(rows[row], structure, covering)
        for place in range(size):
            symbol = covering.symbol_of[rows[row, place]]
            keys[row, place] = structure.orbits[place] * num_symbols + symbol
            expected[keys[row, place]] += 1
    free = free[:count]
    if count < least_copies:
        return best_gain, best_chosen
    # 2. the alphabet of each orbit
    known = np.zeros(num_orbits)
    costs = structure.drawing_bits + 6.0 * num_orbits
    own = _degrees_of_orbits(structure, covering, num_orbits)
    for orbit in range(num_orbits):
        for symbol in range(num_symbols):
            if expected[orbit * num_symbols + symbol] > 0:
                known[orbit] += 1
                if len(own) > 1:
                    for layer in range(len(own)):
                        left = covering.symbol_degrees[layer, symbol] - own[layer, orbit]
                        costs += covering.integers[left]
        if len(own) == 1:
            costs += 4.0
    new_bits = np.zeros(num_orbits * num_symbols)
    marks = np.zeros(len(covering.graph_of), np.int64)
    number_bits = np.zeros(1)
    for era in range(1, rounds + 1):
        # 3. what the signatures cost in the orbits, if copies are as those of the round before
        for orbit in range(num_orbits):
            first, last = orbit * num_symbols, (orbit + 1) * num_symbols
            total = expected[first:last].sum() + known[orbit] / 2
            for key in range(first, last):
                new_bits[key] = -np.log2((expected[key] + 0.5) / total)
        for one in free:
            values[one] = saved[one]
            for symbol in keys[one]:
                values[one] -= new_bits[symbol]
        # 4. disjoint copies by falling value, in each graph as many as pay
        order = free[np.argsort(-values[free], kind="mergesort")]
        disjoint = choose_disjoint(order, rows, marks, era)
        counts, gain = _numbers_that_pay(disjoint, values, rows, structure, covering, number_bits)
        if counts.sum() < least_copies or (counts > 0).sum() < least_graphs:
            break
        gain -= split_bits(counts, covering.sizes) + costs
        chosen, taken, expected[:] = np.empty(counts.sum(), np.int64), np.zeros_like(counts), 0
        count = 0
        for one in disjoint:
            graph = covering.graph_of[rows[one, 0]]
            if taken[graph] < counts[graph]:
                taken[graph] += 1
                chosen[count] = one
                count += 1
                # 5. what the next round expects
                for symbol in keys[one]:
                    expected[symbol] += 1
        if gain > best_gain:
            best_gain, best_chosen = gain, chosen
        most = counts.max()
        number_bits = np.empty(most + 2)
        for number in range(most + 1):
            share = ((counts == number).sum() + 0.5) / (num_graphs + (most + 1) / 2)
            number_bits[number] = -np.log2(share)
        number_bits[most + 1] = number_bits[most] + 2
    return best_gain, best_chosen


@subroutine()
def _degrees_of_orbits(structure, covering, num_orbits):
    """Degrees inside a copy of the nodes of each orbit, int64 [L, O]."""
    own = np.zeros((len(covering.symbol_degrees), len(structure.orbits)), np.int64)
    for edge in range(len(structure.edges)):
        u, v, link = structure.edges[edge]
        own[covering.layer_of[link], u] += 1
        own[covering.layer_of[covering.reverse[link]], v] += 1
    degrees = np.zeros((len(own), num_orbits), np.int64)
    for node in range(len(structure.orbits)):
        degrees[:, structure.orbits[node]] = own[:, node]
    return degrees


@compiled()
def bits_of_copies(rows, structure, covering):
    """Bits of the edges and signatures of each copy [K, M] as they are now, float64 [K]."""
    bits = np.empty(len(rows))
    for row in range(len(rows)):
        bits[row] = _bits_of_copy(rows[row], structure, covering)
    return bits


@subroutine()
def _bits_of_copy(nodes, structure, covering):
    """Bits of the edges of a copy, and of the signatures that its nodes have now."""
    bits, product = 0.0, 1.0
    for edge in range(len(structure.edges)):
        u, v, link = structure.edges[edge]
        back = covering.reverse[link]
        odds = covering.multipliers[covering.layer_of[link], nodes[u]]
        odds *= covering.multipliers[covering.layer_of[back], nodes[v]]
        product *= (1 + odds) / max(odds, 1e-12)
        bits += covering.joint_bits[structure.colors[u], structure.colors[v], link]
        if product > 1e200:
            bits += np.log2(product)
            product = 1.0
    for node in nodes:
        bits += covering.signature_bits[node]
    return bits + np.log2(product)


@subroutine()
def _numbers_that_pay(disjoint, values, rows, structure, covering, number_bits):
    """How many of the first copies of each graph save most, and what they save beside their places.

    The number of copies of a graph costs `number_bits`, the last one for all that are larger.
    """
    num_graphs = len(covering.sizes)
    counts, ranks = np.zeros((2, num_graphs), np.int64)
    total, most, best = np.zeros((3, num_graphs))
    of_color = np.zeros(covering.free_of_color.shape[1], np.int64)
    for color in structure.colors:
        of_color[color] += 1
    for row in disjoint:
        graph = covering.graph_of[rows[row, 0]]
        # one of the nodes that are left, in any order of the copies
        total[graph] += values[row] + np.log2(ranks[graph] + 1.0) + structure.automorphism_bits
        for color in range(len(of_color)):
            if of_color[color] > 0:
                left = covering.free_of_color[graph, color] - of_color[color] * ranks[graph]
                total[graph] -= covering.factorials[left]
                total[graph] += covering.factorials[max(left - of_color[color], 0)]
        ranks[graph] += 1
        if num_graphs == 1:
            paid = total[graph] - log_star(ranks[graph])
        else:
            cost = number_bits[min(ranks[graph], len(number_bits) - 1)] - number_bits[0]
            paid = total[graph] - cost
        if paid > 0 and paid >= most[graph] - 1e-12:
            most[graph], best[graph], counts[graph] = paid, total[graph], ranks[graph]
    return counts, best.sum()
