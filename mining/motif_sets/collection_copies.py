"""Structures that may become motifs of a collection, and which of their copies are worth covering.

All connected sets of two nodes are there, and each grows by one neighbour at a time. Sets whose
nodes have the same links and categories, in an order that these give, are brought to canonical form
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
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, find_entry, link_at
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine
from mining.candidates.shapes import Seen, Shape, find_shapes
from mining.counting.exact_search import ExactSearch
from mining.mined_graph import MinedGraph
from mining.motif_sets.collection_code import (
    CollectionCode,
    Covering,
    histograms,
    rank_in_group,
    split_bits,
)
from mining.motif_sets.copy_loops import choose_disjoint
from mining.motif_sets.integer_codes import integer_lengths, log2_factorials
from mining.pattern import Pattern

# rounds of a choice that is kept, and of one that is an estimate
_ROUNDS, _FEW_ROUNDS = 3, 2
# numbers in a table of a choice
_MOST_CELLS = 1 << 22
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


@dataclass(frozen=True, eq=False)
class Candidate:
    """A structure that may become a motif in one base."""

    shape: Shape
    occurrences: np.ndarray  # int32 [K, M], those among which copies are chosen
    entries: np.ndarray  # int64 [K, P], the entry of each edge of each
    sources: tuple[str, ...]  # what saw it
    gain: float = -np.inf  # bits that it saves alone, about

    @cached_property
    def rank(self) -> tuple[int, int, bytes]:
        """Where it stands in a set: structures of most edges, and then of most nodes, first."""
        return -len(self.shape.edges), -self.shape.num_nodes, self.shape.key

    @cached_property
    def parts(self) -> frozenset[bytes]:
        """Keys of its parts with one or two nodes less."""
        return parts_of(self.shape)


class Choice(NamedTuple):
    """Copies that are worth covering; none where they are too few."""

    gain: float  # bits, about
    copies: np.ndarray  # int64 [k, M]


def choose(
    covering: Covering, candidates: Sequence[Candidate], rounds: int = _ROUNDS
) -> list[Choice]:
    """Choose copies of each of some candidates of one size, as if it alone were covered next."""
    found: list[Choice] = []
    size = candidates[0].shape.num_nodes if candidates else 1
    cells = max(covering.code.graph.num_nodes, size * covering.signatures[0].shape[1])
    most = max(1, _MOST_CELLS // cells)
    for first in range(0, len(candidates), most):
        found += _choose(covering, candidates[first : first + most], rounds)
    return found


def _choose(covering: Covering, candidates: Sequence[Candidate], rounds: int) -> list[Choice]:
    code, (degrees, symbol_of) = covering.code, covering.signatures
    shapes, number, num_symbols = [one.shape for one in candidates], len(candidates), len(degrees.T)
    # 1. copies of free nodes, and the bits of their edges and signatures as they are now
    rows = np.concatenate([one.occurrences for one in candidates])
    which = np.repeat(np.arange(number), [len(one.occurrences) for one in candidates])
    saved = values(covering, candidates)
    free = covering.is_free[rows].all(axis=1)
    rows, which, saved = rows[free], which[free], saved[free]
    # 2. the signatures that occur in each orbit
    num_orbits = np.array([one.num_orbits for one in shapes])
    orbits = np.stack([one.orbits for one in shapes])
    orbits += (np.cumsum(num_orbits) - num_orbits)[:, None]
    keys = orbits[which] * num_symbols + symbol_of[rows]
    cells = num_symbols * int(num_orbits.sum())
    expected = np.bincount(keys.ravel(), minlength=cells).reshape(-1, num_symbols)
    # 3. what each structure costs beside its copies: drawing and alphabets
    orbit, symbol = np.nonzero(expected)
    num_known = np.bincount(orbit, minlength=len(expected))
    costs = np.array([code.drawing_bits_of(one) for one in shapes]) + 6.0 * num_orbits
    if len(degrees) == 1:
        costs += 4.0 * num_orbits
    else:
        inside = np.empty((len(degrees), len(expected)), np.int64)
        inside[:, orbits] = code.inside(np.stack([one.links for one in shapes]))
        said = code.integers[degrees[:, symbol] - inside[:, orbit]].sum(axis=0)
        costs += np.bincount(np.repeat(np.arange(number), num_orbits)[orbit], said, number)
    gains, chosen = np.full(number, -np.inf), np.zeros(len(rows), bool)
    goes_on, number_bits = np.ones(number, bool), np.zeros((number, 1))
    for _ in range(rounds):
        # 4. what the signatures cost in the orbits, if copies are as those of the round before
        total = expected.sum(axis=1) + num_known / 2
        new_bits = -np.log2((expected + 0.5) / np.maximum(total, 0.5)[:, None])
        worth = saved - new_bits.ravel()[keys].sum(axis=1)
        # 5. disjoint copies by falling value, in each graph as many as pay
        taken, counts, gain = _numbers_that_pay(covering, shapes, rows, which, worth, number_bits)
        goes_on &= (counts.sum(axis=1) >= LEAST_COPIES) & (
            (counts > 0).sum(axis=1) >= least_graphs(code)
        )
        if not goes_on.any():
            break
        gain -= split_bits(counts, code.sizes) + costs
        better = goes_on & (gain > gains)
        gains, chosen = np.where(better, gain, gains), np.where(better[which], taken, chosen)
        # 6. what the next round expects
        expected = np.bincount(keys[taken].ravel(), minlength=cells).reshape(-1, num_symbols)
        most = counts.max(axis=1)
        times = histograms(counts, int(most.max()) + 2)
        number_bits = -np.log2((times + 0.5) / (len(code.sizes) + (most + 1) / 2)[:, None])
        last = number_bits[np.arange(number), most]
        is_more = np.arange(times.shape[1]) > most[:, None]
        number_bits = np.where(is_more, last[:, None] + 2, number_bits)
    some = np.flatnonzero(chosen)
    ends = np.searchsorted(which[some], np.arange(1, number))
    copies = np.split(rows[some].astype(np.int64), ends)
    return [Choice(*one) for one in zip(gains.tolist(), copies, strict=True)]


def values(covering: Covering, candidates: Sequence[Candidate]) -> np.ndarray:
    """Bits of the edges and signatures of all occurrences as they are now, float64 ``[K]``."""
    entries = np.concatenate([one.entries.ravel() for one in candidates])
    sizes = np.concatenate([np.full(*one.entries.shape) for one in candidates])
    starts = np.cumsum(sizes) - sizes
    edges: np.ndarray = np.add.reduceat(covering.entry_bits[entries], starts)
    rows = np.concatenate([one.occurrences for one in candidates])
    return edges + covering.signature_bits[rows].sum(axis=1)


def _numbers_that_pay(
    covering: Covering,
    shapes: Sequence[Shape],
    rows: np.ndarray,
    which: np.ndarray,
    worth: np.ndarray,
    number_bits: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which copies are taken, bool ``[K]``, how many of each graph ``[J, G]``, what they save, [J].

    Copies ``[K, M]`` of structures ``which [K]`` are ``worth`` so many bits beside their places.
    The number of copies of a graph costs ``number_bits``, the last one for all that are larger.
    """
    code, number = covering.code, len(shapes)
    num_graphs, graph_of = code.graph.num_graphs, code.graph_of[rows[:, 0]]
    # 1. disjoint ones by falling value, in each graph
    members = (rows + (which * code.graph.num_nodes)[:, None]).astype(np.int32)
    marks = np.zeros(number * code.graph.num_nodes, bool)
    at = choose_disjoint(np.argsort(-worth, kind="stable"), members, marks)
    group = which[at] * num_graphs + graph_of[at]
    order = np.argsort(group, kind="stable")
    at, group = at[order], group[order]
    rank, own = rank_in_group(group), which[at]
    # 2. each is at some of the nodes that are left, in any order of the copies
    log_factorial = log2_factorials(int(code.sizes.max(initial=0)))
    of_color = np.array([np.bincount(one.colors, minlength=code.num_colors) for one in shapes])[own]
    symmetry = np.array([one.automorphism_bits for one in shapes])[own]
    left = covering.free_of_color[graph_of[at]] - of_color * rank[:, None]
    places = (log_factorial[left] - log_factorial[left - of_color]).sum(axis=1)
    saved = worth[at] + np.log2(rank + 1.0) + symmetry - places
    starts = np.flatnonzero(rank == 0)
    of_group = np.cumsum(rank == 0) - 1
    total = np.cumsum(saved)
    total -= (total - saved)[starts][of_group]
    # 3. the number of each graph that saves most
    if num_graphs == 1:
        costs = integer_lengths(len(at) + 1)[rank + 1]
    else:
        number_of = np.minimum(rank + 1, number_bits.shape[1] - 1)
        costs = number_bits[own, number_of] - number_bits[own, 0]
    paid = total - costs
    best = np.maximum.reduceat(paid, starts)[of_group] if len(at) else paid
    pays = (paid > 0) & (paid >= best - 1e-12)
    counts = np.zeros(number * num_graphs, np.int64)
    np.maximum.at(counts, group[pays], rank[pays] + 1)
    taken = np.zeros(len(worth), bool)
    taken[at[rank < counts[group]]] = True
    is_last = rank + 1 == counts[group]
    gain = np.bincount(own[is_last], total[is_last], number)
    return taken, counts.reshape(number, num_graphs), gain


def most_grown(rows: CompiledGraph, sets: np.ndarray) -> int:
    """How many sets of one node more there are, at most: edges that lead out of a set."""
    # inside is a tree at least
    inside = len(sets) * 2 * (sets.shape[1] - 1)
    return int(np.diff(rows.indptr)[sets].sum()) - inside


@np.errstate(over="ignore")
def grow(rows: CompiledGraph, sets: np.ndarray) -> np.ndarray:
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


def sightings(
    code: CollectionCode, sets: np.ndarray, least_times: int, least_graphs: int
) -> tuple[list[Seen], np.ndarray]:
    """The structures that sets ``[K, M]`` show, at least so often and in so many graphs.

    Returns also which sets may grow on, bool ``[K]``: those of structures in enough graphs.
    """
    rows, num_graphs = code.rows, code.graph.num_graphs
    # 1. sets that look alike in the order of their nodes are looked at once
    sets, codes = sets.copy(), np.empty(len(sets), np.uint64)
    with np.errstate(over="ignore"):
        describe_sets(rows, sets, np.empty(sets.shape[1], np.uint64), codes)
    _, first, code_of = np.unique(codes, return_index=True, return_inverse=True)
    shapes, order, shape_of = find_shapes(rows.links_of(sets[first]), rows.colors[sets[first]])
    # 2. sets of one structure, in canonical order
    number = shape_of[code_of]
    aligned = np.take_along_axis(sets, order[code_of], axis=1)
    # 3. those of structures that are seen so often, and in so many graphs
    pairs = np.unique(number * num_graphs + code.graph_of[sets[:, 0]])
    goes_on = np.bincount(pairs // num_graphs, minlength=len(shapes)) >= least_graphs
    times = np.bincount(number, minlength=len(shapes))
    ends = np.cumsum(times)
    by_number = np.argsort(number, kind="stable")
    found = [
        Seen(shapes[one], aligned[by_number[ends[one] - times[one] : ends[one]]])
        for one in np.flatnonzero(goes_on & (times >= least_times))
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
) -> tuple[list[tuple[Candidate, ...]], str]:
    """The structures that recur, a candidate in each base, and what cut the search.

    ``empty`` is the collection without motifs in each base.
    """
    code, rng = empty[0].code, np.random.default_rng([seed, 13])
    rows, graphs = code.rows, code.graph.num_graphs
    found: list[tuple[Candidate, ...]] = []
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
        seen, goes_on = sightings(code, sets, LEAST_OCCURRENCES, least_graphs(code))
        own = valued(empty, seen, ("grown",))
        if size in sizes:
            found += [each for each in own if _best_gain(each) > LEAST_GAIN]
        if size == max(sizes):
            break
        # 3. the sets that grow on: all, or those of the structures nearest to paying
        sets = sets[goes_on]
        if sum(len(each.copies) for each in seen) > MOST_GROWN:
            cut = cut or _cut(size + 1)
            sets = _nearest_to_paying(code, own, rng)
        if not len(sets):
            break
        if is_over():
            cut = f"Time was up after structures of {size} nodes."
            break
    return found, cut


def valued(
    empty: Sequence[Covering], seen: Sequence[Seen], sources: tuple[str, ...]
) -> list[tuple[Candidate, ...]]:
    """Structures of one size as candidates, each with about what it alone would save in a base."""
    plain = []
    for one in seen:
        entries = empty[0].code.rows.entries_of(one.copies, one.shape.edges[:, :2])
        plain.append(Candidate(one.shape, one.copies, entries, sources))
    in_bases = [
        [
            replace(own, gain=choice.gain)
            for own, choice in zip(plain, choose(one, plain, _FEW_ROUNDS), strict=True)
        ]
        for one in empty
    ]
    return list(zip(*in_bases, strict=True))


def _best_gain(each: tuple[Candidate, ...]) -> float:
    return max(one.gain for one in each)


def _cut(size: int) -> str:
    return f"Of the node sets of {size} nodes and more, a part was looked at."


def _nearest_to_paying(
    code: CollectionCode, found: Sequence[tuple[Candidate, ...]], rng: np.random.Generator
) -> np.ndarray:
    """Sets of the structures of highest gain, some of each graph, nodes ascending."""
    most = max(20, MOST_GROWN // code.graph.num_graphs // 4)
    kept, total = [], 0
    for each in sorted(found, key=_best_gain, reverse=True):
        kept.append(thin(each[0].occurrences, code.graph_of, most, rng))
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
def describe_sets(rows, sets, keys, codes):  # int32 [K, M], uint64 [M], uint64 [K]
    """Order each set by categories and links inside it, and write a hash of these in this order.

    The order is one that many sets of a structure share.
    """
    size = sets.shape[1]
    for row in range(len(sets)):
        nodes = sets[row]
        # 1. what each node is in the set, whatever the order
        for u in range(size):
            keys[u] = mix(np.uint64(rows.colors[nodes[u]]))
            for v in range(size):
                keys[u] += mix(_link(rows, nodes[u], nodes[v]))
        for u in range(1, size):
            for v in range(u, 0, -1):
                if keys[v - 1] <= keys[v]:
                    break
                keys[v - 1], keys[v] = keys[v], keys[v - 1]
                nodes[v - 1], nodes[v] = nodes[v], nodes[v - 1]
        # 2. links and categories in this order
        code = np.uint64(0)
        for u in range(size):
            code = mix(code ^ np.uint64(rows.colors[nodes[u]]))
            for v in range(u):
                code = mix(code ^ _link(rows, nodes[u], nodes[v]))
        codes[row] = code


@subroutine(**SEARCH_JIT)
def _link(rows, u, v):
    entry = find_entry(rows, np.uint64(u), np.uint64(v))
    return np.uint64(link_at(rows, entry)) if entry >= 0 else np.uint64(0)


def least_graphs(code: CollectionCode) -> int:
    """A motif has copies in three graphs, or in all where there are fewer."""
    return min(LEAST_GRAPHS, code.graph.num_graphs)


class Given(NamedTuple):
    """A structure that was proposed, and what it is in the collection, in each base.

    Without categories, its occurrences may be of several shapes.
    """

    key: bytes
    sources: tuple[str, ...]
    candidates: list[tuple[Candidate, ...]]


def sightings_of(
    mined: MinedGraph, empty: Sequence[Covering], proposed: Sequence[Pattern]
) -> list[Given]:
    """What occurs of the structures that were proposed."""
    code, found = empty[0].code, []
    for one in proposed:
        sets = occurrences_of(mined, one.structure)
        seen, _ = sightings(code, sets, LEAST_COPIES, least_graphs(code))
        found.append(Given(one.key, one.sources, valued(empty, seen, one.sources)))
    return found


def occurrences_of(mined: MinedGraph, structure: Structure) -> np.ndarray:
    """All induced occurrences of a structure, int32 ``[K, M]``, in the order of its nodes."""
    names = {name for own in structure.categories for name in own}
    nothing = np.zeros((0, structure.num_nodes), np.int32)
    if not names <= set(mined.graph.feature_names) or structure.num_nodes < 2:
        return nothing
    search = ExactSearch(mined.graph, structure, mined.colors_of(structure))
    return search.list_places(_MOST_LISTED, _MOST_STEPS)


def candidates_of(
    empty: Covering, grown: Sequence[Candidate], given: Sequence[Candidate]
) -> list[Candidate]:
    """The structures that may pay in one base, the most promising first."""
    best = sorted(grown, key=lambda one: -one.gain)[:_MOST_CANDIDATES]
    # the same structure from several sources is one candidate
    candidates: dict[bytes, Candidate] = {}
    for one in [*(one for one in best if one.gain > LEAST_GAIN), *given]:
        key = one.shape.key
        known = candidates[key] if key in candidates else _most_valuable(empty, one)
        sources = tuple(dict.fromkeys(known.sources + one.sources))
        candidates[key] = replace(known, sources=sources)
    return sorted(candidates.values(), key=lambda one: -one.gain)


def _most_valuable(empty: Covering, one: Candidate) -> Candidate:
    """With the occurrences of highest value in each graph, if there are many, by their nodes."""
    graph_of = empty.code.graph_of
    # of equal copies, the first is taken
    order = np.lexsort(np.sort(one.occurrences, axis=1).T[::-1])
    most = max(_LEAST_OF_GRAPH, _MOST_OCCURRENCES // empty.code.graph.num_graphs)
    if len(order) > _SPARE * most:
        graph = graph_of[one.occurrences[order, 0]]
        order = order[np.lexsort((-values(empty, [one])[order], graph))]
        order = order[rank_in_group(graph_of[one.occurrences[order, 0]]) < most]
    return replace(one, occurrences=one.occurrences[order], entries=one.entries[order])
