"""Structures that may become motifs of a collection, and which of their copies are worth covering.

All connected sets of two nodes are there, and each grows by one neighbour at a time. Sets whose
nodes have the same links and categories in the order of their numbers are brought to canonical form
at once, so that the nodes of all sets of a structure stand in the same order.

A copy is worth the bits of its edges and of the signatures of its nodes, less those of its new
signatures. Copies of falling value that share no node are taken, in each graph as many as pay for
their addresses. What a new signature costs depends on those of all copies, and the number of copies
of a graph on those of the others, so that the choice is repeated with what came out before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, find_entry, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.candidates.shapes import Rows, Seen, Shape, find_shapes, links_of
from mining.counting.exact_search import ExactSearch
from mining.mined_graph import MinedGraph
from mining.motif_sets.collection_code import CollectionCode, Covering, split_bits
from mining.motif_sets.copy_loops import choose_disjoint, log_star
from mining.motif_sets.integer_codes import log2_factorials
from mining.pattern import Pattern

# rounds of a choice that is kept
ROUNDS = 3
# sets that are looked at, of one size; and sets that grow on
MOST_SETS, MOST_GROWN = 400_000, 120_000
# sets before equal ones are merged
_MOST_CHILDREN = 2_000_000
# a structure is seen so often, a motif has so many copies, and both are in so many graphs
LEAST_OCCURRENCES, LEAST_COPIES, LEAST_GRAPHS = 10, 2, 3
# bits that a candidate alone may cost, about
LEAST_GAIN = -80.0
# candidates of one base
_MOST_CANDIDATES = 300
# occurrences of a candidate: in all graphs, in each at least, and so many times more before any go
_MOST_OCCURRENCES, _LEAST_OF_GRAPH, _SPARE = 20_000, 25, 4
# a search for all occurrences of a structure ends after so many steps of some 10 ns, or so many
_MOST_STEPS, _MOST_LISTED = 1 << 30, 2_000_000


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
    number_bits = np.zeros(1)
    for _ in range(rounds):
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
        marks = np.zeros(len(covering.graph_of), np.bool_)
        disjoint = choose_disjoint(order, rows, marks)
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


class Gathered(NamedTuple):
    """Structures that recur, what each alone would save in each base, and what cut the search."""

    seen: list[Seen]
    gains: np.ndarray  # float64 [K, B]
    cut: str


def most_grown(rows: Rows, sets: np.ndarray) -> int:
    """How many sets of one node more there are, at most: edges that lead out of a set."""
    # inside is a tree at least
    inside = len(sets) * 2 * (sets.shape[1] - 1)
    return int(np.diff(rows.indptr)[sets].sum()) - inside


@np.errstate(over="ignore")
def grow(rows: Rows, sets: np.ndarray) -> np.ndarray:
    """Each set ``[K, M]`` with one neighbour more, ``[K', M + 1]``; every set once."""
    children, keys = grow_rows(rows, sets, most_grown(rows, sets))
    order = np.argsort(keys, kind="stable")
    children, keys = children[order], keys[order]
    # a key is a hash, so that sets with one key are compared
    new = np.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (children[1:] != children[:-1]).any(axis=1)
    return children[new]


def thin(sets: np.ndarray, graph_of: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many sets of each graph, at random."""
    drawn = sets[rng.permutation(len(sets))]
    graph = graph_of[drawn[:, 0]]
    order = np.argsort(graph, kind="stable")
    return drawn[order[rank_in_group(graph[order]) < most]]


def rank_in_group(group: np.ndarray) -> np.ndarray:
    """Place of each element among those of its group, which stand together.

    >>> rank_in_group(np.array([4, 4, 7, 7, 7])).tolist()
    [0, 1, 0, 1, 2]
    """
    place = np.arange(len(group))
    first = np.ones(len(group), bool)
    first[1:] = group[1:] != group[:-1]
    return place - np.maximum.accumulate(np.where(first, place, 0))


def sightings(
    code: CollectionCode, sets: np.ndarray, least: Least
) -> tuple[list[Seen], np.ndarray]:
    """The structures that sets ``[K, M]`` show, at least so often and in so many graphs.

    Returns also which sets may grow on, bool ``[K]``: those of structures in enough graphs.
    """
    rows, num_graphs = code.rows, code.graph.num_graphs
    # 1. sets that look alike in the order of their nodes are looked at once
    codes = np.empty(len(sets), np.uint64)
    with np.errstate(over="ignore"):
        describe_sets(rows, sets, codes)
    _, first, code_of = np.unique(codes, return_index=True, return_inverse=True)
    shapes, order, shape_of = find_shapes(*links_of(rows, sets[first]))
    # 2. sets of one structure, in canonical order
    number = shape_of[code_of]
    aligned = np.take_along_axis(sets, order[code_of], axis=1)
    # 3. those of structures that are seen so often, and in so many graphs
    pairs = np.unique(number * num_graphs + code.graph_of[sets[:, 0]])
    goes_on = np.bincount(pairs // num_graphs, minlength=len(shapes)) >= least.graphs
    times = np.bincount(number, minlength=len(shapes))
    ends = np.cumsum(times)
    by_number = np.argsort(number, kind="stable")
    found = [
        Seen(shapes[one], aligned[by_number[ends[one] - times[one] : ends[one]]])
        for one in np.flatnonzero(goes_on & (times >= least.copies))
    ]
    return found, goes_on[number]


def parts_of(shape: Shape) -> frozenset[bytes]:
    """Keys of the parts of a structure with one or two nodes less, joined or not."""
    found: set[bytes] = set()
    for size in range(max(2, shape.num_nodes - 2), shape.num_nodes):
        kept = np.array([*combinations(range(shape.num_nodes), size)])
        links = shape.links[kept[:, :, None], kept[:, None, :]]
        found.update(one.key for one in find_shapes(links, shape.colors[kept]).shapes)
    return frozenset(found)


def gather(
    empty: Sequence[Covering], sizes: Sequence[int], seed: int, is_over: Callable[[], bool]
) -> Gathered:
    """The structures that recur, and about what each alone would save in each base.

    ``empty`` is the collection without motifs in each base.
    """
    code, rng = empty[0].code, np.random.default_rng([seed, 13])
    rows, graphs = code.rows, code.graph.num_graphs
    least = least_of(code)
    found: list[Seen] = []
    gains: list[list[float]] = []
    cut = ""
    sets = np.arange(code.graph.num_nodes, dtype=np.int32)[:, None]
    for size in range(2, max(sizes) + 1):
        # 1. one node more, in as many sets as can be looked at
        number = most_grown(rows, sets)
        if number > _MOST_CHILDREN:
            cut = cut or _cut(size)
            sets = thin(sets, code.graph_of, len(sets) * _MOST_CHILDREN // number // graphs, rng)
        sets = grow(rows, sets)
        if len(sets) > MOST_SETS:
            cut = cut or _cut(size)
            sets = thin(sets, code.graph_of, max(20, MOST_SETS // graphs), rng)
        # 2. what they show, and what it would save
        seen, goes_on = sightings(code, sets, Least(LEAST_OCCURRENCES, least.graphs))
        own = [
            [choose(one, each.shape, each.copies, least, 2).gain for one in empty] for each in seen
        ]
        for each, gain in zip(seen, own, strict=True):
            if size in sizes and max(gain) > LEAST_GAIN:
                found.append(each)
                gains.append(gain)
        if size == max(sizes):
            break
        # 3. the sets that grow on: all, or those of the structures nearest to paying
        sets = sets[goes_on]
        if sum(len(each.copies) for each in seen) > MOST_GROWN:
            cut = cut or _cut(size + 1)
            sets = _nearest_to_paying(code, seen, own, rng)
        elif len(sets) > MOST_GROWN:
            cut = cut or _cut(size + 1)
            sets = thin(sets, code.graph_of, max(20, MOST_GROWN // graphs), rng)
        if not len(sets):
            break
        if is_over():
            cut = f"Time was up after structures of {size} nodes."
            break
    return Gathered(found, np.array(gains).reshape(len(found), len(empty)), cut)


def _cut(size: int) -> str:
    return f"Of the node sets of {size} nodes and more, a part was looked at."


def _nearest_to_paying(
    code: CollectionCode, seen: list[Seen], gains: list[list[float]], rng: np.random.Generator
) -> np.ndarray:
    """Sets of the structures of highest gain, some of each graph, nodes ascending."""
    most = max(20, MOST_GROWN // code.graph.num_graphs // 4)
    kept, total = [], 0
    for number in sorted(range(len(seen)), key=lambda one: -max(gains[one])):
        kept.append(thin(seen[number].copies, code.graph_of, most, rng))
        total += len(kept[-1])
        if total > MOST_GROWN:
            break
    return np.sort(np.concatenate(kept), axis=1)


@compiled()
def grow_rows(rows, sets, most):  # [K, M] -> int32 [K', M + 1], uint64 [K']
    """Each set with each of its neighbours, at most `most`, nodes ascending, and a hash of it."""
    size = sets.shape[1]
    grown = np.empty((most, size + 1), np.int32)
    keys = np.empty(most, np.uint64)
    count = 0
    for row in range(len(sets)):
        for place in range(size):
            node = sets[row, place]
            for entry in range(rows.indptr[node], rows.indptr[node + 1]):
                new = np.int32(rows.indices[entry])
                if not _is_new(rows, sets[row], place, new):
                    continue
                key, at = mix(np.uint64(new)), size
                for k in range(size):
                    key += mix(np.uint64(sets[row, k]))
                    grown[count, k + (sets[row, k] > new)] = sets[row, k]
                    if sets[row, k] > new:
                        at = min(at, k)
                grown[count, at] = new
                keys[count] = key
                count += 1
    return grown[:count], keys[:count]


@subroutine(**SEARCH_JIT)
def _is_new(rows, nodes, place, node):
    """Whether a neighbour of a node of a set is outside, and of none before this one."""
    for k in range(len(nodes)):
        if nodes[k] == node:
            return False
        if k < place and find_entry(rows, np.uint64(nodes[k]), np.uint64(node)) >= 0:
            return False
    return True


@compiled(**SEARCH_JIT)
def describe_sets(rows, sets, codes):  # [K, M], uint64 [K]
    """Write a hash of the links and categories of each set, in the order of its nodes."""
    for row in range(len(sets)):
        code = np.uint64(0)
        for u in range(sets.shape[1]):
            node = np.uint64(sets[row, u])
            code = mix(code ^ np.uint64(rows.colors[node]))
            for v in range(u):
                entry = find_entry(rows, node, np.uint64(sets[row, v]))
                link = np.uint64(rows.links[entry]) if entry >= 0 else np.uint64(0)
                code = mix(code ^ link)
        codes[row] = code


@dataclass(frozen=True, eq=False)
class Candidate:
    """A structure that may become a motif."""

    shape: Shape
    occurrences: np.ndarray  # int32 [K, M], those among which copies are chosen
    gain: float  # bits that it saves alone, about
    sources: tuple[str, ...]  # what saw it

    @cached_property
    def rank(self) -> tuple[int, int, bytes]:
        """Where it stands in a set: structures of most edges, and then of most nodes, first."""
        return -len(self.shape.edges), -self.shape.num_nodes, self.shape.key

    @cached_property
    def parts(self) -> frozenset[bytes]:
        """Keys of its parts with one or two nodes less."""
        return parts_of(self.shape)


def least_of(code: CollectionCode) -> Least:
    """A motif has copies in three graphs, or in all where there are fewer."""
    return Least(LEAST_COPIES, min(LEAST_GRAPHS, code.graph.num_graphs))


@dataclass(frozen=True, eq=False)
class Given:
    """A structure that was proposed, and what it is in the collection.

    Without categories, its occurrences may be of several shapes.
    """

    key: bytes
    sources: tuple[str, ...]
    seen: Sequence[Seen]


def sightings_of(
    mined: MinedGraph, code: CollectionCode, proposed: Sequence[Pattern]
) -> list[Given]:
    """What occurs of the structures that were proposed."""
    least = least_of(code)
    return [
        Given(one.key, one.sources, sightings(code, occurrences_of(mined, one.structure), least)[0])
        for one in proposed
    ]


def occurrences_of(mined: MinedGraph, structure: Structure) -> np.ndarray:
    """All induced occurrences of a structure, int32 ``[K, M]``, in the order of its nodes."""
    names = {name for own in structure.categories for name in own}
    nothing = np.zeros((0, structure.num_nodes), np.int32)
    if not names <= set(mined.graph.feature_names) or structure.num_nodes < 2:
        return nothing
    search = ExactSearch(mined.graph, structure, mined.colors_of(structure))
    return search.list_places(_MOST_LISTED, _MOST_STEPS)


def candidates_of(
    empty: Covering, gathered: Gathered, base: int, given: Sequence[Given]
) -> list[Candidate]:
    """The structures that may pay in one base, the most promising first."""
    gains = gathered.gains[:, base]
    order = np.argsort(-gains, kind="stable")[:_MOST_CANDIDATES]
    rows: list[tuple[Seen, tuple[str, ...]]] = [
        (gathered.seen[number], ("grown",)) for number in order if gains[number] > LEAST_GAIN
    ]
    rows += [(seen, one.sources) for one in given for seen in one.seen]
    # the same structure from several sources is one candidate
    candidates: dict[bytes, Candidate] = {}
    for seen, sources in rows:
        known = candidates.get(seen.shape.key)
        if known is not None:
            sources = tuple(dict.fromkeys(known.sources + sources))
            candidates[seen.shape.key] = replace(known, sources=sources)
            continue
        gain = choose(empty, seen.shape, seen.copies, least_of(empty.code), 2).gain
        occurrences = _most_valuable(empty, seen)
        candidates[seen.shape.key] = Candidate(seen.shape, occurrences, gain, sources)
    return sorted(candidates.values(), key=lambda one: -one.gain)


def _most_valuable(empty: Covering, seen: Seen) -> np.ndarray:
    """The occurrences of highest value in each graph, if there are many, ordered by their nodes."""
    graph_of, occurrences = empty.code.graph_of, seen.copies
    # of equal copies, the first is taken
    occurrences = occurrences[np.lexsort(np.sort(occurrences, axis=1).T[::-1])]
    most = max(_LEAST_OF_GRAPH, _MOST_OCCURRENCES // empty.code.graph.num_graphs)
    if len(occurrences) <= _SPARE * most:
        return occurrences
    graph = graph_of[occurrences[:, 0]]
    order = np.lexsort((-values(empty, seen.shape, occurrences), graph))
    return occurrences[order[rank_in_group(graph[order]) < most]]
