"""Loops over a collection, compiled: its signatures, and the copies of a structure that save most.

Bits are added up in the order of NumPy's sums: copies that are worth the same in another order of
their nodes stay equal or different as they are there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.kernels.search_numba import SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, subroutine

# sums keep their order
_IN_ORDER = {"fastmath": False}
# values that differ by less are equal
_EQUAL = 1e-12
# numbers that are added up one by one, or in eight sums beside each other, by NumPy
_FEW, _MANY = 8, 128
# times that a number is halved, at most
_MOST_HALVED = 64


class Lengths(NamedTuple):
    """What bits of copies are looked up in; it is the same for all descriptions of a collection."""

    graph_of: np.ndarray  # int64 [V], the graph of each node
    integers: np.ndarray  # float64, L_N of 0, 1, …
    factorials: np.ndarray  # float64, log2 n! for n = 0, 1, …
    ranks: np.ndarray  # float64, log2(n + 1) for n = 0, 1, …
    gammas: np.ndarray  # float64, ln Γ(n / 2) for n = 0, 1, …
    shares: np.ndarray  # float64 [G], ln of the share of all nodes that each graph has


class Parts(NamedTuple):
    """What a structure has in all descriptions of a collection."""

    orbits: np.ndarray  # int64 [M], of each node
    inside: np.ndarray  # int64 [L, orbits], degrees of a node of each orbit inside a copy
    of_color: np.ndarray  # int64 [C], nodes of each category
    symmetry: float  # log2 of the number of automorphisms
    drawing_bits: float


class Offered(NamedTuple):
    """Candidates whose copies are chosen together; all arrays have those of the first one first."""

    shapes: np.ndarray  # int64 [N, 4], copies K, nodes M, edges P and orbits of each
    copies: np.ndarray  # int32 [sum K M]
    edges: np.ndarray  # int64 [sum K P]
    orbits: np.ndarray  # int64 [sum M], of each node
    inside: np.ndarray  # int64 [L, sum of orbits], degrees of a node of each inside a copy
    of_color: np.ndarray  # int64 [N, C], nodes of each category
    symmetry: np.ndarray  # float64 [N], log2 of the number of automorphisms


class Weighed(NamedTuple):
    """What is known of these copies, and which were taken last.

    Of each candidate, what comes first in its part of an array is used.
    """

    numbers: np.ndarray  # int64 [N, 3], copies of free nodes, symbols, and counts with a share
    rows: np.ndarray  # int64 [sum K], which copies have free nodes
    values: np.ndarray  # float64 [sum K], their bits as they are now
    # int32 [sum K M], for each of their nodes the number of its orbit and signature, its symbol
    symbols: np.ndarray
    orbit_of: np.ndarray  # int64 [sum K M], the orbit that each symbol is of
    alphabets: np.ndarray  # float64 [N], bits of the alphabets
    # float64 [sum K M + K + 1], of each symbol in its orbit; of graphs with 0, 1, … copies
    shares: np.ndarray
    is_taken: np.ndarray  # bool [sum K], of the copies of free nodes
    saved: np.ndarray  # float64 [N], bits that they save, -inf where they are too few


class Uncovered(NamedTuple):
    """A description as copies of one motif more are chosen in it."""

    is_free: np.ndarray  # bool [V], whether a node is in no copy
    entry_bits: np.ndarray  # float64 [E], bits of the edge of each entry
    signature_bits: np.ndarray  # float64 [V], bits of the signature of each node
    signature_of: np.ndarray  # int64 [V], its number
    degrees: np.ndarray  # int64 [L, S], those of each signature
    free_of_color: np.ndarray  # int64 [G, C], free nodes of each category


@compiled(**_IN_ORDER)
def split_bits(counts, lengths):
    """Bits of the numbers of copies in each graph, int64 [G].

    The total, then how it is split: a bit says whether by its histogram or in proportion to the
    sizes of the graphs.
    """
    total, most, num_graphs = 0, 0, len(counts)
    for count in counts:
        total += count
        most = max(most, count)
    if num_graphs == 1:
        return lengths.integers[total]
    gammas = lengths.gammas
    # 1. the histogram of the counts
    times = np.zeros(most + 1, np.int64)
    for count in counts:
        times[count] += 1
    terms = np.empty(most + 1)
    for number in range(most + 1):
        terms[number] = gammas[2 * times[number] + 1] - gammas[1]
    by_histogram = lengths.integers[most] * math.log(2.0)
    by_histogram = by_histogram + gammas[2 * num_graphs + most + 1] - gammas[most + 1]
    by_histogram -= _sum(terms, 0, len(terms))
    # 2. in proportion
    terms = np.empty(num_graphs)
    for graph in range(num_graphs):
        terms[graph] = gammas[2 * counts[graph] + 2] - counts[graph] * lengths.shares[graph]
    by_size = _sum(terms, 0, num_graphs) - gammas[2 * total + 2]
    return lengths.integers[total] + 1.0 + min(by_histogram, by_size) / math.log(2.0)


@compiled(**_IN_ORDER)
def value_copies(copies, edges, uncovered):
    """Bits of the edges `[K, P]` and signatures of copies `[K, M]` as they are now, `[K]`."""
    values = np.empty(len(copies))
    terms = np.empty(max(copies.shape[1], edges.shape[1]))
    for row in range(len(copies)):
        values[row] = _value(copies[row], edges[row], uncovered, terms)
    return values


@compiled(**_IN_ORDER)
def weigh_each(offered, freed, uncovered, lengths, weighed):
    """Find the copies of free nodes of each candidate, and what they have, before any is taken.

    There are none where none of them has a node that is `freed`, bool `[V]`.
    """
    row = node = entry = place = orbit = share = 0
    for at in range(len(offered.shapes)):
        shape = offered.shapes[at]
        num_copies, size, num_edges, num_orbits = shape[0], shape[1], shape[2], shape[3]
        last_row, last_node = row + num_copies, node + num_copies * size
        last_entry, last_share = entry + num_copies * num_edges, share + num_copies * (size + 1) + 1
        _weigh(
            size,
            offered.copies[node:last_node],
            offered.edges[entry:last_entry],
            offered.orbits[place : place + size],
            offered.inside[:, orbit : orbit + num_orbits],
            freed,
            uncovered,
            lengths,
            weighed.numbers[at],
            weighed.rows[row:last_row],
            weighed.values[row:last_row],
            weighed.symbols[node:last_node],
            weighed.orbit_of[node:last_node],
            weighed.alphabets[at : at + 1],
            weighed.shares[share:last_share],
        )
        row, node, entry, share = last_row, last_node, last_entry, last_share
        place, orbit = place + size, orbit + num_orbits


@subroutine(**_IN_ORDER)
def _weigh(
    size, copies, edges, orbits, inside, freed, uncovered, lengths,
    numbers, rows, values, symbols, orbit_of, alphabets, shares,
):  # fmt: skip
    """Write what the copies of one candidate have."""
    num_copies, num_signatures = len(rows), uncovered.degrees.shape[1]
    num_edges = len(edges) // num_copies if num_copies else 0
    # 1. free copies
    count, has_freed = 0, False
    for row in range(num_copies):
        is_free = True
        for k in range(row * size, (row + 1) * size):
            if not uncovered.is_free[copies[k]]:
                is_free = False
                break
        if is_free:
            rows[count] = row
            count += 1
            for k in range(row * size, (row + 1) * size):
                has_freed = has_freed or freed[copies[k]]
    # none is looked at any further where none has a node that is freed
    if not has_freed:
        numbers[0] = 0
        return
    # 2. what they are worth, and how often each signature occurs in each orbit
    times = np.zeros(inside.shape[1] * num_signatures, np.int64)
    terms = np.empty(max(size, num_edges))
    for at in range(count):
        row = rows[at]
        copy = copies[row * size : (row + 1) * size]
        values[at] = _value(copy, edges[row * num_edges : (row + 1) * num_edges], uncovered, terms)
        for k in range(size):
            symbol = orbits[k] * num_signatures + uncovered.signature_of[copy[k]]
            symbols[at * size + k] = symbol
            times[symbol] += 1
    # 3. numbers without gaps, and the bits of the degrees that are left
    place = np.empty(len(times), np.int32)
    number = 0
    total = 0.0
    for symbol in range(len(times)):
        if times[symbol] > 0:
            place[symbol] = number
            orbit, signature = divmod(symbol, num_signatures)
            bits = 0.0
            for layer in range(len(uncovered.degrees)):
                left = uncovered.degrees[layer, signature] - inside[layer, orbit]
                bits += lengths.integers[left]
            total += bits
            orbit_of[number] = orbit
            times[number] = times[symbol]
            number += 1
    for k in range(count * size):
        symbols[k] = place[symbols[k]]
    alphabets[0] = total
    # no number of copies costs anything at first
    _share(times[:number], orbit_of, inside.shape[1], shares)
    shares[number] = 1.0
    numbers[0], numbers[1], numbers[2] = count, number, 1


@compiled(**_IN_ORDER)
def take_each(offered, weighed, logs, unseen, costs, least, uncovered, lengths):
    """Take copies of each candidate that saved something so far, see :func:`_take`.

    `logs` are log2 of the shares, which are then those of the copies that are taken.
    """
    marks = np.zeros(len(lengths.graph_of), np.bool_)
    row = node = share = 0
    for at in range(len(offered.shapes)):
        num_copies, size, num_orbits = (
            offered.shapes[at, 0],
            offered.shapes[at, 1],
            offered.shapes[at, 3],
        )
        last_node, last_share = node + num_copies * size, share + num_copies * (size + 1) + 1
        if weighed.saved[at] > -np.inf:
            count, number = weighed.numbers[at, 0], weighed.numbers[at, 1]
            num_counts = weighed.numbers[at, 2]
            _take(
                size,
                offered.copies[node:last_node],
                weighed.rows[row : row + count],
                weighed.values[row : row + count],
                weighed.symbols[node:last_node],
                weighed.orbit_of[node : node + number],
                logs[share : share + number + num_counts],
                unseen,
                costs[at],
                least,
                offered.of_color[at],
                offered.symmetry[at],
                num_orbits,
                uncovered,
                lengths,
                marks,
                weighed.numbers[at],
                weighed.is_taken[row : row + count],
                weighed.saved[at : at + 1],
                weighed.shares[share:last_share],
            )
        row, node, share = row + num_copies, last_node, last_share


@subroutine(**_IN_ORDER)
def _take(
    size, copies, rows, values, symbols, orbit_of, logs, unseen, costs, least, of_color, symmetry,
    num_orbits, uncovered, lengths, marks, numbers, is_taken, saved, shares,
):  # fmt: skip
    """Take disjoint copies by falling value, of each graph as many as pay for their addresses.

    Of the copies in `rows`, nodes get signatures by their `symbols`. `logs` are log2 of the shares
    of these, and then of the numbers of copies that graphs have; a number that none has costs
    `unseen` bits more than the last of them. Writes which are taken; what they save beside the
    `costs`, -inf where they are fewer than the `least` copies and graphs; and the shares if copies
    are as these.
    """
    num_graphs, num_colors = len(uncovered.free_of_color), len(of_color)
    # 1. what each is worth
    worth = np.empty(len(rows))
    terms = np.empty(max(size, num_colors))
    for at in range(len(rows)):
        for k in range(size):
            terms[k] = -logs[symbols[at * size + k]]
        worth[at] = values[at] - _sum_of_few(terms, 0, size)
    # 2. disjoint ones by falling value
    chosen = np.empty(len(rows), np.int64)
    first = np.zeros(num_graphs + 1, np.int64)
    count = 0
    for at in np.argsort(-worth, kind="mergesort"):
        start = rows[at] * size
        is_free = True
        for k in range(start, start + size):
            if marks[copies[k]]:
                is_free = False
                break
        if is_free:
            for k in range(start, start + size):
                marks[copies[k]] = True
            first[lengths.graph_of[copies[start]] + 1] += 1
            chosen[count] = at
            count += 1
    # 3. those of each graph together
    for graph in range(num_graphs):
        first[graph + 1] += first[graph]
    order, place = np.empty(count, np.int64), first.copy()
    for at in chosen[:count]:
        start = rows[at] * size
        for k in range(start, start + size):
            marks[copies[k]] = False
        graph = lengths.graph_of[copies[start]]
        order[place[graph]] = at
        place[graph] += 1
    # 4. the number of each graph that saves most
    number_logs = logs[len(orbit_of) :]
    counts = np.zeros(num_graphs, np.int64)
    totals = np.empty(count)
    total = gain = 0.0
    number, in_graphs, most_of_graph = 0, 0, 0
    for at in range(len(rows)):
        is_taken[at] = False
    for graph in range(num_graphs):
        most = -np.inf
        before = 0.0
        for at in range(first[graph], first[graph + 1]):
            rank = at - first[graph]
            for color in range(num_colors):
                left = uncovered.free_of_color[graph, color] - of_color[color] * rank
                terms[color] = 0.0
                if of_color[color]:
                    of_copy = lengths.factorials[left - of_color[color]]
                    terms[color] = lengths.factorials[left] - of_copy
            bits = worth[order[at]] + lengths.ranks[rank]
            bits -= _sum(terms, 0, num_colors) - symmetry
            total = total + bits if at else bits
            if not rank:
                before = total - bits
            totals[at] = total - before
            cost = _number_cost(rank + 1, number_logs, unseen, num_graphs, lengths)
            most = max(most, totals[at] - cost)
        for at in range(first[graph], first[graph + 1]):
            rank = at - first[graph]
            cost = _number_cost(rank + 1, number_logs, unseen, num_graphs, lengths)
            paid = totals[at] - cost
            if paid > 0 and paid >= most - _EQUAL:
                counts[graph] = rank + 1
        for at in range(first[graph], first[graph] + counts[graph]):
            is_taken[order[at]] = True
        if counts[graph]:
            gain += totals[first[graph] + counts[graph] - 1]
            number += counts[graph]
            in_graphs += 1
            most_of_graph = max(most_of_graph, counts[graph])
    if number < least[0] or in_graphs < least[1]:
        saved[0] = -np.inf
        return
    # 5. the signatures and numbers of copies that they have
    times = np.zeros(len(orbit_of), np.int64)
    for at in range(len(rows)):
        if is_taken[at]:
            for k in range(size):
                times[symbols[at * size + k]] += 1
    _share(times, orbit_of, num_orbits, shares)
    of_numbers = shares[len(orbit_of) : len(orbit_of) + most_of_graph + 1]
    for k in range(len(of_numbers)):
        of_numbers[k] = 0.5
    for graph in range(num_graphs):
        of_numbers[counts[graph]] += 1
    for k in range(len(of_numbers)):
        of_numbers[k] /= num_graphs + len(of_numbers) / 2
    numbers[2] = len(of_numbers)
    saved[0] = gain - (split_bits(counts, lengths) + costs)


@subroutine(**_IN_ORDER)
def _share(times, orbit_of, num_orbits, shares):
    """The share of each signature in its orbit, of which each has half a node more."""
    totals, known = np.zeros(num_orbits, np.int64), np.zeros(num_orbits, np.int64)
    for key in range(len(times)):
        totals[orbit_of[key]] += times[key]
        known[orbit_of[key]] += 1
    for key in range(len(times)):
        orbit = orbit_of[key]
        shares[key] = (times[key] + 0.5) / max(totals[orbit] + known[orbit] / 2, 0.5)


@compiled(**_IN_ORDER)
def rate_signatures(class_of, is_wanted, symbol_of, degrees, alphas, lengths):
    """How likely each signature is after those before it, for nodes of some classes.

    The nodes of a class are in the order of the graphs. Of the classes `[C]` those that `is_wanted`
    says and that have a node are looked at. Returns their numbers, ascending; where the nodes of
    each begin; the symbols of its alphabet, which are all degrees up to the largest, or the
    signatures that occur; the bits of the alphabet; and how likely each node has its signature with
    each of the `alphas`, float64 `[A, n]`.
    """
    # 1. the nodes of each class
    first = np.zeros(len(is_wanted) + 1, np.int64)
    for node_class in class_of:
        if is_wanted[node_class]:
            first[node_class + 1] += 1
    numbers, starts = np.empty(len(is_wanted), np.int64), np.empty(len(is_wanted), np.int64)
    number = 0
    for node_class in range(len(is_wanted)):
        if first[node_class + 1] > 0:
            numbers[number], starts[number] = node_class, first[node_class]
            number += 1
        first[node_class + 1] += first[node_class]
    nodes = np.empty(first[-1], np.int64)
    for node in range(len(class_of)):
        node_class = class_of[node]
        if is_wanted[node_class]:
            nodes[first[node_class]] = node
            first[node_class] += 1
    num_symbols, alphabets = np.zeros(number, np.int64), np.empty(number)
    likely = np.empty((len(alphas), len(nodes)))
    times, here = np.zeros(degrees.shape[1], np.int64), np.zeros(degrees.shape[1], np.int64)
    last_graph = np.empty(degrees.shape[1], np.int64)
    for at in range(number):
        last = starts[at + 1] if at + 1 < number else len(nodes)
        # 2. the alphabet: all degrees up to the largest, or the signatures that occur
        for k in range(starts[at], last):
            times[symbol_of[nodes[k]]] += 1
        bits = 0.0
        for symbol in range(len(times)):
            if not times[symbol]:
                continue
            if len(degrees) == 1:
                num_symbols[at] = max(num_symbols[at], degrees[0, symbol] + 1)
            else:
                num_symbols[at] += 1
                of_symbol = 0.0
                for layer in range(len(degrees)):
                    of_symbol += lengths.integers[degrees[layer, symbol]]
                bits += of_symbol
            times[symbol], last_graph[symbol] = 0, -1
        alphabets[at] = lengths.integers[num_symbols[at] - (len(degrees) == 1)] + bits
        # 3. the sequence: n of n_g in its graph so far, N of all so far
        in_graph, graph = 0, -1
        for k in range(starts[at], last):
            symbol = symbol_of[nodes[k]]
            if lengths.graph_of[nodes[k]] != graph:
                in_graph, graph = 0, lengths.graph_of[nodes[k]]
            if last_graph[symbol] != graph:
                last_graph[symbol], here[symbol] = graph, 0
            share = (times[symbol] + 0.5) / (k - starts[at] + num_symbols[at] / 2)
            for a in range(len(alphas)):
                likely[a, k] = (here[symbol] + alphas[a] * share) / (in_graph + alphas[a])
            in_graph += 1
            here[symbol] += 1
            times[symbol] += 1
        for k in range(starts[at], last):
            times[symbol_of[nodes[k]]] = 0
    return numbers[:number], starts[:number], num_symbols, alphabets, likely


@compiled()
def count_in_graphs(keys, num_keys, graph_ptr):
    """How many nodes of its graph have the key of each node, int64 `[V]`."""
    times, here = np.zeros(num_keys, np.int64), np.empty(len(keys), np.int64)
    for graph in range(len(graph_ptr) - 1):
        for node in range(graph_ptr[graph], graph_ptr[graph + 1]):
            times[keys[node]] += 1
        for node in range(graph_ptr[graph], graph_ptr[graph + 1]):
            here[node] = times[keys[node]]
        for node in range(graph_ptr[graph], graph_ptr[graph + 1]):
            times[keys[node]] = 0
    return here


@compiled()
def count_residual(copy_of, source, target, places, degrees):
    """Add the entries whose ends are not in one copy to `degrees`, each at its place."""
    for entry in range(len(source)):
        if copy_of[source[entry]] != copy_of[target[entry]]:
            degrees[places[entry]] += 1


@compiled(**_IN_ORDER)
def expect_overlaps(residual, opposite, graph_ptr, graphs):
    """How often links of two layers meet in each of some `graphs`, as is expected.

    It is the sum over i and j, and over two layers a < b, of a_i a'_j b_i b'_j / (A B), where a' is
    the layer that the other end of the link sees, without i = j.
    """
    overlaps = np.zeros(len(graphs))
    for at in range(len(graphs)):
        nodes = range(graph_ptr[graphs[at]], graph_ptr[graphs[at] + 1])
        for a in range(len(residual)):
            for b in range(a + 1, len(residual)):
                both, opposed, alone, of_a, of_b = 0, 0, 0, 0, 0
                for node in nodes:
                    here = residual[a, node] * residual[b, node]
                    there = residual[opposite[a], node] * residual[opposite[b], node]
                    both += here
                    opposed += there
                    alone += here * there
                    of_a += residual[a, node]
                    of_b += residual[b, node]
                met = float(both) * float(opposed) - float(alone)
                overlaps[at] += met / max(float(of_a) * float(of_b), 1.0)
    return overlaps


@subroutine(**SEARCH_JIT, **_IN_ORDER)
def _number_cost(number, logs, unseen, num_graphs, lengths):
    """What so many copies of a graph cost, by log2 of the shares of graphs with 0, 1, … copies."""
    if num_graphs == 1:
        return lengths.integers[number]
    last = len(logs) - 1
    cost = -logs[last] + unseen if number > last else -logs[number]
    return cost - -logs[0]


@subroutine(**SEARCH_JIT, **_IN_ORDER)
def _value(copy, edges, uncovered, terms):
    """Bits of the edges and signatures of a copy."""
    bits = 0.0
    if len(edges):
        for k in range(len(edges)):
            terms[k] = uncovered.entry_bits[edges[k]]
        bits = terms[0] + _sum_of_few(terms, 1, len(edges))
    for k in range(len(copy)):
        terms[k] = uncovered.signature_bits[copy[k]]
    return bits + _sum_of_few(terms, 0, len(copy))


@subroutine(**_IN_ORDER)
def _sum(terms, first, last):
    """The sum of some terms, as NumPy adds them up: halves of many by themselves."""
    if last - first <= _MANY:
        return _sum_of_few(terms, first, last)
    ends, sums = np.empty(_MOST_HALVED, np.int64), np.empty(_MOST_HALVED)
    is_second = np.zeros(_MOST_HALVED, np.bool_)
    ends[0], depth = last, 0
    while True:
        # 1. the first half of what is left, and its first half
        while ends[depth] - first > _MANY:
            half = (ends[depth] - first) // 2
            ends[depth + 1] = first + half - half % 8
            is_second[depth + 1] = False
            depth += 1
        total = _sum_of_few(terms, first, ends[depth])
        first = ends[depth]
        # 2. both halves are known
        while depth and is_second[depth]:
            depth -= 1
            total = sums[depth] + total
        if not depth:
            return total
        # 3. the second half comes next
        sums[depth - 1] = total
        ends[depth] = ends[depth - 1]
        is_second[depth] = True


@subroutine(**SEARCH_JIT, **_IN_ORDER)
def _sum_of_few(terms, first, last):
    """The sum of terms, one by one or in eight sums beside each other."""
    if last - first < _FEW:
        total = 0.0
        for at in range(first, last):
            total += terms[at]
        return total
    a, b, c, d = terms[first], terms[first + 1], terms[first + 2], terms[first + 3]
    e, f, g, h = terms[first + 4], terms[first + 5], terms[first + 6], terms[first + 7]
    at = first + 8
    while at + 8 <= last:
        a += terms[at]
        b += terms[at + 1]
        c += terms[at + 2]
        d += terms[at + 3]
        e += terms[at + 4]
        f += terms[at + 5]
        g += terms[at + 6]
        h += terms[at + 7]
        at += 8
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    while at < last:
        total += terms[at]
        at += 1
    return total
