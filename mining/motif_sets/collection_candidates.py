"""Structures that may become motifs of a collection, with their occurrences.

All connected sets of two nodes are there, and each grows by one neighbour at a time. Sets whose
nodes have the same links and categories, in an order that these give, are brought to canonical form
at once, so that the nodes of all sets of a structure stand in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gomkcn.mining.counting.occurrence_search import OccurrenceSearch, SearchLimits
from gomkcn.mining.counting.query import Query
from gomkcn.mining.motif_sets.blocks import never
from gomkcn.mining.motif_sets.candidate import Candidate, Choice
from gomkcn.mining.motif_sets.collection_code import CollectionCode, rank_in_group
from gomkcn.mining.motif_sets.collection_copies import (
    choose_in_collection,
    gains_of_each,
    least_graphs,
    values,
)
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.proposals import Proposals
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.node_sets import distinct_structures
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, find_entry, link_at
from gomkcn_dgl.kernels.search_numba import SEARCH_JIT, mix
from gomkcn_dgl.runtime.compiled import compiled, subroutine


@dataclass(frozen=True)
class GrowthLimits:
    """What bounds the sets that grow in a collection."""

    # sets that are looked at, of one size, and those that grow on: some seconds a size
    sets: int = 400_000
    grown: int = 120_000
    # sets before equal ones are merged, which bounds memory
    children: int = 2_000_000
    # sets that each graph keeps at least where a part of them is looked at
    least_of_graph: int = 20
    # a structure is seen at least so often
    least_occurrences: int = 10
    # bits that a candidate alone may cost, about: beside others it may pay
    least_gain: float = -80.0
    # candidates of one base
    candidates: int = 300
    # occurrences of a candidate: in all graphs, in each at least, and so many times more before any
    # go, since choosing takes time in proportion to them
    occurrences: int = 20_000
    occurrences_of_graph: int = 25
    spare: int = 4
    # a search for all occurrences of a structure ends after so many steps of some 10 ns, or so many
    steps: int = 1 << 30
    listed: int = 2_000_000


LIMITS = GrowthLimits()
# rounds of a choice that is an estimate
_FEW_ROUNDS = 2
# candidates whose copies are chosen together: one by one they take twice as long, and of more of
# them those that nobody asks for take longer
_CHOSEN_TOGETHER = 16
# rounds in which a node of a set is told from others by its neighbours: of ten nodes of a molecule,
# three leave an eighth of the orders that one does, and more hardly fewer
_ROUNDS_OF_KEYS = 3


@dataclass(frozen=True, eq=False)
class CollectionProposals(Proposals):
    """What proposes structures of some sizes for a collection in one base.

    They are seen at once, in the collection without motifs, by all bases together: ``shared`` has
    the structures with what each saves in the base of each number.
    """

    empty: CollectionDescription
    base: int
    shared: GrownStructures

    def __call__(
        self, description: CollectionDescription, number: int, known: Mapping[bytes, Candidate]
    ) -> list[Candidate]:
        """The structures that may pay, the most promising first; all in the round of number 0."""
        if number:
            return []
        limits = self.shared.limits
        ranked = sorted(self.shared.found, key=lambda candidate: -candidate.gains[self.base])
        best = [candidate for candidate in ranked if candidate.gains[self.base] > limits.least_gain]
        return [
            most_valuable(self.empty, candidate, limits) for candidate in best[: limits.candidates]
        ]

    def give(self, structure: Structure, sources: tuple[str, ...]) -> list[Candidate]:
        """A given structure with its occurrences; without categories these may be of several."""
        code = self.empty.code
        limits = self.shared.limits
        sets = occurrences_of(self.shared.mined, structure, limits)
        # those of too few copies as well, so that this can be said of them
        seen, _ = sightings(code, sets, 1, 1)
        given = [replace(_with_edges(code, candidate), sources=sources) for candidate in seen]
        return [most_valuable(self.empty, candidate, limits) for candidate in given]

    def choose(
        self,
        description: CollectionDescription,
        candidate: Candidate,
        freed: np.ndarray | None,
        least_worth: float,
    ) -> Choice | None:
        """The free copies of a candidate that save most, see :func:`choose_in_collection`.

        Copies of any worth are taken where they pay together: ``least_worth`` is of one graph.
        """
        (choice,) = choose_in_collection(description, [candidate], freed)
        return choice

    def choices(
        self,
        description: CollectionDescription,
        candidates: Sequence[Candidate],
        freed: np.ndarray | None,
        least_worth: float,
    ) -> Iterator[Choice | None]:
        """What :meth:`choose` chooses of each candidate, of some of them at a time."""
        for first in range(0, len(candidates), _CHOSEN_TOGETHER):
            some = candidates[first : first + _CHOSEN_TOGETHER]
            yield from choose_in_collection(description, some, freed)

    def redrawn(self, description: CollectionDescription, number: int) -> Iterator[Choice]:
        """No other drawing: copies are exact."""
        return iter(())

    def completed(self, candidate: Candidate) -> Candidate:
        """A candidate of which only the structure and the copies were kept."""
        code = self.empty.code
        return _with_edges(code, replace(candidate, structure=code.named(candidate.structure)))


@dataclass(frozen=True, eq=False)
class GrownStructures:
    """The structures of some sizes that recur in a collection, in all bases."""

    mined: MinedGraph
    empty: tuple[CollectionDescription, ...]  # the collection without motifs, in each base
    sizes: range
    seed: int
    is_late: Callable[[], bool] = never
    grows: bool = True
    limits: GrowthLimits = LIMITS

    @property
    def found(self) -> list[Candidate]:
        """The structures, and about what each saves."""
        return self._grown[0]

    @property
    def cut(self) -> str:
        """What cut the growth, a sentence; empty where all sets were looked at."""
        return self._grown[1]

    @cached_property
    def _grown(self) -> tuple[list[Candidate], str]:
        if not self.grows:
            return [], ""
        limits = self.limits
        code = self.empty[0].code
        rng = np.random.default_rng([self.seed, 13])
        rows = code.rows
        num_graphs = code.graph.num_graphs
        found: list[Candidate] = []
        cut = ""
        sets = np.arange(code.graph.num_nodes, dtype=np.int32)[:, None]
        for size in range(2, max(self.sizes) + 1):
            # 1. one node more, in as many sets as can be looked at
            number = most_grown(rows, sets)
            if number > limits.children:
                cut = cut or _cut_from(size)
                most = len(sets) * limits.children // number // num_graphs
                sets = thin(sets, code.graph_of, most, rng)
            sets = grow_by_a_node(rows, sets)
            if len(sets) > limits.sets:
                cut = cut or _cut_from(size)
                most = max(limits.least_of_graph, limits.sets // num_graphs)
                sets = thin(sets, code.graph_of, most, rng)
            # 2. what they show, and what it would save
            seen, goes_on = sightings(code, sets, limits.least_occurrences, least_graphs(code))
            valued = self._valued(seen)
            if size in self.sizes:
                found += [
                    candidate for candidate in valued if max(candidate.gains) > limits.least_gain
                ]
            if size == max(self.sizes):
                break
            # 3. the sets that grow on: all, or those of the structures nearest to paying
            sets = sets[goes_on]
            if sum(len(candidate.copies) for candidate in seen) > limits.grown:
                cut = cut or _cut_from(size + 1)
                sets = _nearest_to_paying(code, valued, limits, rng)
            if not len(sets):
                break
            if self.is_late():
                cut = f"Time was up after structures of {size} nodes."
                break
        return found, cut

    def _valued(self, seen: Sequence[Candidate]) -> list[Candidate]:
        """Structures of one size, each with about what it alone would save in each base."""
        candidates = [_with_edges(self.empty[0].code, candidate) for candidate in seen]
        in_bases = [gains_of_each(empty, candidates, _FEW_ROUNDS) for empty in self.empty]
        gains = zip(*in_bases, strict=True)
        return [
            replace(candidate, gains=saved)
            for candidate, saved in zip(candidates, gains, strict=True)
        ]


def _with_edges(code: CollectionCode, candidate: Candidate) -> Candidate:
    """The same with the entries of the edges of its copies."""
    entries = code.rows.entries_of(candidate.copies, candidate.structure.pairs)
    return replace(candidate, edges=entries)


def most_valuable(
    empty: CollectionDescription, candidate: Candidate, limits: GrowthLimits = LIMITS
) -> Candidate:
    """With the occurrences of highest value in each graph, if there are many, by their nodes."""
    graph_of = empty.code.graph_of
    # of equal copies, the first is taken
    order = np.lexsort(np.sort(candidate.copies, axis=1).T[::-1])
    most = max(limits.occurrences_of_graph, limits.occurrences // empty.code.graph.num_graphs)
    if len(order) > limits.spare * most:
        graph = graph_of[candidate.copies[order, 0]]
        order = order[np.lexsort((-values(empty, candidate)[order], graph))]
        order = order[rank_in_group(graph_of[candidate.copies[order, 0]]) < most]
    return replace(candidate, copies=candidate.copies[order], edges=candidate.edges[order])


def _cut_from(size: int) -> str:
    return f"Of the node sets of {size} nodes and more, a part was looked at."


def _nearest_to_paying(
    code: CollectionCode, grown: Sequence[Candidate], limits: GrowthLimits, rng: np.random.Generator
) -> np.ndarray:
    """Sets of the structures of highest gain, some of each graph, nodes ascending."""
    most = max(limits.least_of_graph, limits.grown // code.graph.num_graphs // 4)
    kept = []
    total = 0
    for candidate in sorted(grown, key=lambda candidate: max(candidate.gains), reverse=True):
        kept.append(thin(candidate.copies, code.graph_of, most, rng))
        total += len(kept[-1])
        if total > limits.grown:
            break
    return np.sort(np.concatenate(kept), axis=1)


def occurrences_of(
    mined: MinedGraph, structure: Structure, limits: GrowthLimits = LIMITS
) -> np.ndarray:
    """All induced occurrences of a structure, int32 ``[K, M]``, in the order of its nodes."""
    names = {name for categories in structure.categories for name in categories}
    nothing = np.zeros((0, structure.num_nodes), np.int32)
    if not names <= set(mined.graph.feature_names) or structure.num_nodes < 2:
        return nothing
    search = OccurrenceSearch(
        Query.of_structure(mined.graph, structure, mined.colors_of(structure))
    )
    return search.list_places(
        limits.listed, limits.steps, limits=SearchLimits(occurrences=limits.listed)
    )


def most_grown(rows: CompiledGraph, sets: np.ndarray) -> int:
    """How many sets of one node more there are, at most: edges that lead out of a set."""
    # inside is a tree at least
    inside = len(sets) * 2 * (sets.shape[1] - 1)
    return int(np.diff(rows.indptr)[sets].sum()) - inside


@np.errstate(over="ignore")
def grow_by_a_node(rows: CompiledGraph, sets: np.ndarray) -> np.ndarray:
    """Each set ``[K, M]`` with one neighbour more, ``[K', M + 1]``; every set once."""
    children, keys = grow_rows(rows, sets, most_grown(rows, sets))
    order = np.argsort(keys)
    children, keys = children[order], keys[order]
    # a key is a hash, so that sets with one key are compared
    new = np.ones(len(keys), bool)
    new[1:] = keys[1:] != keys[:-1]
    for nodes in children.T:
        new[1:] |= nodes[1:] != nodes[:-1]
    return children[new]


def thin(sets: np.ndarray, graph_of: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many sets of each graph, at random."""
    drawn = sets[rng.permutation(len(sets))]
    graph = graph_of[drawn[:, 0]]
    order = np.argsort(graph, kind="stable")
    return drawn[order[rank_in_group(graph[order]) < most]]


def sightings(
    code: CollectionCode, sets: np.ndarray, least_times: int, least_graphs: int
) -> tuple[list[Candidate], np.ndarray]:
    """The structures that sets ``[K, M]`` show, at least so often and in so many graphs.

    Returns also which sets may grow on, bool ``[K]``: those of structures in enough graphs.
    """
    rows = code.rows
    num_graphs = code.graph.num_graphs
    # 1. sets that look alike in the order of their nodes are looked at once
    sets = sets.copy()
    codes = np.empty(len(sets), np.uint64)
    with np.errstate(over="ignore"):
        describe_sets(rows, sets, codes)
    first, code_of = _places_of(codes)
    links, colors = rows.links_of(sets[first]), rows.colors[sets[first]]
    structures, order, number_of = distinct_structures(
        links, colors, code.graph.relations, code.palette
    )
    # 2. sets of one structure, in canonical order
    number = number_of[code_of]
    aligned = np.take_along_axis(sets, order[code_of], axis=1)
    # 3. those of structures that are seen so often, and in so many graphs
    pairs = np.unique(number * num_graphs + code.graph_of[sets[:, 0]])
    goes_on = np.bincount(pairs // num_graphs, minlength=len(structures)) >= least_graphs
    times = np.bincount(number, minlength=len(structures))
    ends = np.cumsum(times)
    # small numbers are sorted in fewer steps
    by_number = np.argsort(number.astype(np.min_scalar_type(len(structures))), kind="stable")
    found = [
        Candidate(structures[at], aligned[by_number[ends[at] - times[at] : ends[at]]])
        for at in np.flatnonzero(goes_on & (times >= least_times))
    ]
    return found, goes_on[number]


def _places_of(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A place of each code that occurs, in ascending order, and which of these codes each is."""
    order = np.argsort(codes)
    ascending = codes[order]
    is_first = np.ones(len(codes), bool)
    is_first[1:] = ascending[1:] != ascending[:-1]
    code_of = np.empty(len(codes), np.int64)
    code_of[order] = np.cumsum(is_first) - 1
    return order[is_first], code_of


@compiled()
def grow_rows(rows, sets, most):  # [K, M] -> int32 [K', M + 1], uint64 [K']
    """Each set with each of its neighbours, at most `most`, nodes ascending, and a hash of it."""
    size = sets.shape[1]
    grown = np.empty((most, size + 1), np.int32)
    keys = np.empty(most, np.uint64)
    count = 0
    for row in range(len(sets)):
        key_of_set = np.uint64(0)
        for k in range(size):
            key_of_set += mix(np.uint64(sets[row, k]))
        for place in range(size):
            node = sets[row, place]
            for entry in range(rows.indptr[node], rows.indptr[node + 1]):
                new = np.int32(rows.indices[entry])
                if not _is_new(rows, sets[row], place, new):
                    continue
                at = size
                for k in range(size):
                    grown[count, k + (sets[row, k] > new)] = sets[row, k]
                    if sets[row, k] > new:
                        at = min(at, k)
                grown[count, at] = new
                keys[count] = key_of_set + mix(np.uint64(new))
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


@compiled()
def describe_sets(rows, sets, codes):  # int32 [K, M], uint64 [K]
    """Order each set by categories and links inside it, and write a hash of these in this order.

    The order is one that nearly all sets of a structure share.
    """
    size = sets.shape[1]
    links = np.empty((size, size), np.uint64)
    place = np.empty(size, np.int64)
    keys = np.empty(size, np.uint64)
    wider = np.empty(size, np.uint64)
    joined = np.empty((size * size, 2), np.int64)
    for row in range(len(sets)):
        nodes, num_joined = sets[row], 0
        # 1. what each node is in the set, whatever the order: its category, and in some rounds what
        #    it is joined to
        for u in range(size):
            place[u] = u
            keys[u] = mix(np.uint64(rows.colors[nodes[u]]))
            links[u, u] = 0
            for v in range(u):
                links[u, v] = _link(rows, nodes[u], nodes[v])
                links[v, u] = links[u, v]
                if links[u, v] != 0:
                    links[v, u] = _link(rows, nodes[v], nodes[u])
                    joined[num_joined, 0], joined[num_joined, 1] = u, v
                    num_joined += 1
        for _ in range(_ROUNDS_OF_KEYS):
            for u in range(size):
                wider[u] = mix(keys[u])
            for k in range(num_joined):
                u, v = joined[k, 0], joined[k, 1]
                wider[u] += mix(keys[v] ^ links[u, v])
                wider[v] += mix(keys[u] ^ links[v, u])
            for u in range(size):
                keys[u] = wider[u]
        for u in range(1, size):
            for v in range(u, 0, -1):
                if keys[v - 1] <= keys[v]:
                    break
                keys[v - 1], keys[v] = keys[v], keys[v - 1]
                nodes[v - 1], nodes[v] = nodes[v], nodes[v - 1]
                place[v - 1], place[v] = place[v], place[v - 1]
        # 2. links and categories in this order
        code = np.uint64(0)
        for u in range(size):
            code = mix(code ^ np.uint64(rows.colors[nodes[u]]))
            for v in range(u):
                code = mix(code ^ links[place[u], place[v]])
        codes[row] = code


@subroutine(**SEARCH_JIT)
def _link(rows, u, v):
    entry = find_entry(rows, np.uint64(u), np.uint64(v))
    return np.uint64(link_at(rows, entry)) if entry >= 0 else np.uint64(0)
