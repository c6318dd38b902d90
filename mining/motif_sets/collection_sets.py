"""The connected node sets of a collection, size by size, grouped by what they look like.

All sets of two nodes are there, and each grows by one neighbour at a time. Sets whose nodes have
the same links and categories in the order of their numbers are brought to canonical form at once,
so that the nodes of all sets of a structure stand in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mining.candidates.shapes import Rows, Seen, Shape, find_shapes, links_of
from mining.motif_sets.collection_code import CollectionCode, Covering
from mining.motif_sets.collection_loops import describe_sets, grow_rows
from mining.motif_sets.copy_choice import Least, choose

# sets that are looked at, of one size; and sets that grow on
MOST_SETS, MOST_GROWN = 400_000, 120_000
# sets before equal ones are merged
_MOST_CHILDREN = 2_000_000
# a structure is seen so often, a motif has so many copies, and both are in so many graphs
LEAST_OCCURRENCES, LEAST_COPIES, LEAST_GRAPHS = 10, 2, 3
# bits that a candidate alone may cost, about
LEAST_GAIN = -80.0


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
    least = Least(LEAST_COPIES, min(LEAST_GRAPHS, graphs))
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
