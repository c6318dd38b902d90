"""The connected node sets of a collection, size by size, grouped by what they look like.

All sets of two nodes are there, and each grows by one neighbour at a time. Sets whose nodes have
the same links and categories in the order of their numbers are looked at once; what refinement
cannot tell apart is compared exactly, so that the sets of one group are isomorphic, and their nodes
stand in the order of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mining.motif_sets.collection_code import CollectionCode, Covering, NumberedStructure
from mining.motif_sets.copy_choice import Least, choose
from mining.motif_sets.set_loops import (
    align_sets,
    describe_sets,
    grow_rows,
    invariants_of,
    links_of,
    symmetries_of,
)

# sets that are looked at, of one size; and sets that grow on
MOST_SETS, MOST_GROWN = 400_000, 120_000
# sets before equal ones are merged
_MOST_CHILDREN = 2_000_000
# a structure is seen so often, a motif has so many copies, and both are in so many graphs
LEAST_OCCURRENCES, LEAST_COPIES, LEAST_GRAPHS = 10, 2, 3
# bits that a candidate alone may cost, about
LEAST_GAIN = -80.0


class Rows(NamedTuple):
    """The graph as compiled functions take it."""

    indptr: np.ndarray  # int64 [V + 1]
    indices: np.ndarray  # int32 [E]
    links: np.ndarray  # int64 [E]
    colors: np.ndarray  # int64 [V]


@dataclass(frozen=True, eq=False)
class Sighting:
    """A structure and its occurrences ``[K, M]``, each in the order of its nodes."""

    structure: NumberedStructure
    occurrences: np.ndarray


class Gathered(NamedTuple):
    """Structures that recur, what each alone would save in each base, and what cut the search."""

    seen: list[Sighting]
    gains: np.ndarray  # float64 [K, B]
    cut: str


def rows_of(code: CollectionCode) -> Rows:
    """The graph of a code."""
    return Rows(code.graph.indptr, code.graph.indices, code.links, code.colors)


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


@np.errstate(over="ignore")
def sightings(
    code: CollectionCode, sets: np.ndarray, least: Least
) -> tuple[list[Sighting], np.ndarray]:
    """The structures that sets ``[K, M]`` show, at least so often and in so many graphs.

    Returns also which sets may grow on, bool ``[K]``: those of structures in enough graphs.
    """
    rows, graph_of = rows_of(code), code.graph_of[sets[:, 0]]
    # 1. equal links and categories in the order of the numbers are looked at once
    codes, first, code_of = np.unique(
        describe_sets(rows, sets), return_index=True, return_inverse=True
    )
    examples = sets[first]
    colors, invariants = invariants_of(rows, examples)
    # 2. what looks alike, in enough graphs
    _, group_of_code = np.unique(invariants, return_inverse=True)
    group_of = group_of_code[code_of]
    num_groups = int(group_of_code.max(initial=-1)) + 1
    pairs = np.unique(group_of * code.graph.num_graphs + graph_of)
    in_graphs = np.bincount(pairs // code.graph.num_graphs, minlength=num_groups)
    number = np.bincount(group_of, minlength=num_groups)
    goes_on = in_graphs >= least.graphs
    wanted = np.flatnonzero((goes_on & (number >= least.copies))[group_of_code])
    # 3. the same, exactly
    wanted = wanted[np.argsort(group_of_code[wanted], kind="stable")]
    class_of, order = align_sets(rows, examples[wanted], colors[wanted], group_of_code[wanted])
    class_of_code = np.full(len(codes), -1)
    class_of_code[wanted] = class_of
    order_of_code = np.zeros((len(codes), sets.shape[1]), np.int64)
    order_of_code[wanted] = order
    class_of_set = class_of_code[code_of]
    by_class = np.argsort(class_of_set, kind="stable")
    by_class = by_class[np.count_nonzero(class_of_set < 0) :]
    aligned = np.take_along_axis(sets[by_class], order_of_code[code_of[by_class]], axis=1)
    bounds = np.flatnonzero(np.diff(class_of_set[by_class], prepend=-1, append=-1))
    found = []
    for first, last in pairwise(bounds.tolist()):
        occurrences = aligned[first:last]
        in_graph = code.graph_of[occurrences[:, 0]]
        if last - first >= least.copies and len(np.unique(in_graph)) >= least.graphs:
            found.append(Sighting(structure_of(rows, occurrences[0]), occurrences))
    return found, goes_on[group_of]


@np.errstate(over="ignore")
def structure_of(rows: Rows, nodes: np.ndarray) -> NumberedStructure:
    """The structure of a set of nodes ``[M]``."""
    links, colors = links_of(rows, nodes), rows.colors[nodes]
    orbits, automorphism_bits = symmetries_of(links, colors)
    return NumberedStructure(links, colors, orbits, automorphism_bits)


def gather(
    empty: Sequence[Covering], sizes: Sequence[int], seed: int, is_over: Callable[[], bool]
) -> Gathered:
    """The structures that recur, and about what each alone would save in each base.

    ``empty`` is the collection without motifs in each base.
    """
    code, rng = empty[0].code, np.random.default_rng([seed, 13])
    rows, graphs = rows_of(code), code.graph.num_graphs
    least = Least(LEAST_COPIES, min(LEAST_GRAPHS, graphs))
    found: list[Sighting] = []
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
            [choose(one, each.structure, each.occurrences, least, 2).gain for one in empty]
            for each in seen
        ]
        for each, gain in zip(seen, own, strict=True):
            if size in sizes and max(gain) > LEAST_GAIN:
                found.append(each)
                gains.append(gain)
        if size == max(sizes):
            break
        # 3. the sets that grow on: all, or those of the structures nearest to paying
        sets = sets[goes_on]
        if sum(len(each.occurrences) for each in seen) > MOST_GROWN:
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
    code: CollectionCode, seen: list[Sighting], gains: list[list[float]], rng: np.random.Generator
) -> np.ndarray:
    """Sets of the structures of highest gain, some of each graph, nodes ascending."""
    most = max(20, MOST_GROWN // code.graph.num_graphs // 4)
    kept, total = [], 0
    for number in sorted(range(len(seen)), key=lambda one: -max(gains[one])):
        kept.append(thin(seen[number].occurrences, code.graph_of, most, rng))
        total += len(kept[-1])
        if total > MOST_GROWN:
            break
    return np.sort(np.concatenate(kept), axis=1)
