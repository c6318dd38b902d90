"""The search for the occurrences of a query in a graph: one for all that are counted or listed.

A backtracking search maps the nodes of the pattern one after the other, each to a neighbour of a
node that is mapped. Of the mappings that differ by a symmetry one is met, by the conditions of J.
A. Grochow and M. Kellis (Network motif discovery using subgraph enumeration and symmetry-breaking,
RECOMB 2007, section 3). No occurrence is stored unless it is asked for.

Each graph node stores the mapped nodes that it is adjacent to, one bit for each. One comparison
then tells whether it fits the next pattern node. The node that was mapped last has not set its bits
yet: most branches end right after it, and checking a few edges costs less. All state is in arrays,
so that the search can be interrupted and continued.

Which pattern node comes next is decided on the way: one that is adjacent to two mapped nodes or
more, if there is one, and of these the one with the shortest row of candidates. In a graph with
hubs a fixed order would walk their rows again and again. Edges with directions or types, and the
numbers of two nodes, are compared after that.

The tests compare it with all mappings, igraph and NetworkX.
"""

from __future__ import annotations

from threading import local
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.counting.query import Query, may_hold
from gomkcn.mining.counting.watching import (
    STEPS_PER_SECOND,
    Spend,
    Watch,
    spend_freely,
    to_the_end,
)
from gomkcn.mining.structures.categories import Colors
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import (
    CompiledGraph,
    bounds,
    degree,
    first_at_least,
    link_at,
)
from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT, random
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine

# nodes whose candidates are ruled out at once, by one thread: some microseconds
NODES_OF_A_BLOCK = 1024
# the most nodes of a pattern whose bits are int16, of which a graph of millions of nodes is read
# faster than of int64; and one more bit, of a node that is itself mapped, and none is the sign
_FEW_NODES = 14
# what ends nothing: more than any search makes
_ENDLESS = 1 << 62
# log2 of how many edges between two nodes are compared in the time of a step
_ROWS_OF_A_STEP = 2
# a row that is so many times as long as another is searched for each node of that one
_LONGER = 8
# candidates whose rows are loaded at once: more than a processor loads at the same time
_TOUCHED = 16
# how the two numbers of a comparison may stand to each other: bits of less, equal, more
_LESS, _EQUAL, _MORE = 1, 2, 4
_SIGNS = {
    "<": _LESS,
    "<=": _LESS | _EQUAL,
    "=": _EQUAL,
    "!=": _LESS | _MORE,
    ">=": _MORE | _EQUAL,
    ">": _MORE,
}
_NO_PLACES = np.empty((0, 0), np.int32)


class SearchPace(NamedTuple):
    """How often a search looks up from its work. No count that comes to its end depends on it."""

    # steps between two looks at the limit: some 20 milliseconds
    steps_of_a_look: int = 1 << 21
    # steps between two looks whether a graph has an occurrence: few, since most have one at once
    steps_until_seen: int = 1 << 14
    # steps of a piece of the roots, which one thread takes at a time: a millisecond, so that
    # threads end at about the same time
    steps_of_a_piece: int = STEPS_PER_SECOND // 1000
    # pieces at most: enough for any number of threads, and each takes microseconds to begin
    most_pieces: int = 4096
    # most passes in which candidates are ruled out: as many as a path of 12 nodes is long
    most_passes: int = 12
    # a pass that changes a smaller share of nodes is the last one: the next saves less than it
    # takes
    least_share: float = 0.002


USUAL_PACE = SearchPace()


class SearchLimits(NamedTuple):
    """What ends a search, or what it does at one root, before it is through."""

    occurrences: int = _ENDLESS  # that are met before it ends: it does with one more
    occurrences_of_root: int = _ENDLESS  # at one root, which is then left
    steps_of_root: int = _ENDLESS  # likewise


NO_LIMITS = SearchLimits()


def find_graphs(
    graph: CSRGraph,
    structure: Structure,
    colors: Colors | None = None,
    max_steps: int | None = None,
) -> tuple[np.ndarray, bool]:
    """Which graphs of a collection hold an occurrence, bool ``[G]``, and whether all are decided.

    Much quicker than counting where there are very many: each graph is searched until the first. A
    graph that is not decided within ``max_steps`` for all counts as one that holds none.
    """
    search = OccurrenceSearch(Query.of_structure(graph, structure, colors))
    found = search.find_graphs(max_steps)
    return found, not search.unfinished


class OccurrenceSearch:
    """The search for a query.

    ``count`` is the number of occurrences that were met at each root, int64 ``[V]``, ``steps`` what
    the search made, and ``unfinished`` says that a limit ended it.
    """

    def __init__(self, query: Query, pace: SearchPace = USUAL_PACE) -> None:
        self.query = query
        self.graph = query.graph
        self.structure = query.structure
        self.pace = pace
        able = may_hold(self.graph, query.joined)
        self.candidates = np.zeros(self.graph.num_nodes, np.int64)
        if able.any():
            self.candidates = np.where(able, find_candidates(query, pace), 0)
        self._plan = plan_of(query, self.candidates)
        if query.edges and self.structure.num_nodes == 1:
            # no search looks at them
            roots = self.roots
            is_kept = np.zeros(len(roots), np.bool_)
            keep_roots(self._plan, self._new_search(), roots, is_kept)
            self.candidates[roots[~is_kept]] = 0
        self.count = np.zeros(self.graph.num_nodes, np.int64)
        self.steps = 0
        self.unfinished = False
        # of a search for one occurrence at each root, which is asked for again and again
        self._state: SearchState | None = None

    @property
    def first(self) -> int:
        """The pattern node that roots are mapped to."""
        return int(self._plan.order[0])

    @property
    def roots(self) -> np.ndarray:
        """The nodes that a search begins at, int64 ``[R]``."""
        return np.flatnonzero(self.candidates >> self.first & 1)

    @property
    def count_by_graph(self) -> np.ndarray:
        """The number of occurrences that were met in each graph, int64 ``[G]``."""
        before = np.concatenate([[0], np.cumsum(self.count)])
        return np.diff(before[self.graph.graph_ptr])

    def run(
        self,
        roots: np.ndarray | None = None,
        *,
        max_steps: int | None = None,
        watch: Watch = to_the_end,
    ) -> None:
        """Search until the end, or until the search takes over ``max_steps``, or ``watch`` ends it.

        With ``roots``, those occurrences are counted that begin at one of these. Whether so many
        steps are enough does not depend on the threads.
        """
        self.count[:] = 0
        self.steps = 0
        self.unfinished = False
        roots = self._roots_among(roots)
        if self.structure.num_nodes == 1:
            self.count[roots] = 1
            return
        if not len(roots):
            return
        of_thread = local()
        searches: list[SearchState] = []
        steps = self.pace.steps_of_a_look
        if max_steps is not None:
            steps = min(steps, max_steps)

        def num_steps() -> int:
            """What all threads together have made."""
            return int(sum(search.position[_STEPS] for search in searches))

        def is_over() -> bool:
            if max_steps is None:
                return False
            share = num_steps() / max_steps
            return share > 1 or not watch(share)

        def search_roots(first: int, last: int) -> None:
            # what one thread searches; the limit is looked at after a number of steps
            if not hasattr(of_thread, "search"):
                of_thread.search = self._new_search()
                searches.append(of_thread.search)
            of_thread.search.position[_ROOT] = 0
            arguments = self._arguments(of_thread.search, roots[first:last])
            while not is_over() and advance(*arguments, _NO_PLACES, NO_LIMITS, steps):
                pass

        # the first roots tell whether threads are worth waking
        num_first = min(len(roots), 64)
        search_roots(0, num_first)
        rest = len(roots) - num_first
        work = num_steps() / num_first * rest
        wanted = work / self.pace.steps_of_a_piece + 1
        num_pieces = int(min(rest, wanted, self.pace.most_pieces))
        pieces = np.linspace(num_first, len(roots), num_pieces + 1).astype(np.int64)

        def search_pieces(first: int, last: int) -> None:
            for piece in range(first, last):
                search_roots(pieces[piece], pieces[piece + 1])

        if rest:
            run_blocks(search_pieces, len(pieces) - 1, 1e9 / STEPS_PER_SECOND * work)
        self.steps, self.unfinished = num_steps(), is_over()

    def list_places(
        self,
        most: int,
        max_steps: int,
        roots: np.ndarray | None = None,
        *,
        seed: int = 0,
        limits: SearchLimits = NO_LIMITS,
        watch: Watch = to_the_end,
    ) -> np.ndarray:
        """A uniform sample of up to ``most`` of the occurrences that are met, or all of them.

        Returns int32 ``[K, M]`` in the order of the pattern's nodes; all are in the order in which
        they are met. With ``roots``, for the occurrences that begin at one of these, in their
        order. What ``limits``, ``max_steps`` or ``watch`` end is unfinished.
        """
        self.count[:] = 0
        self.steps = 0
        self.unfinished = False
        roots = self._roots_among(roots)
        if self.structure.num_nodes == 1:
            self.count[roots] = 1
            self.unfinished = len(roots) > limits.occurrences
            if len(roots) > most:
                roots = np.random.default_rng(seed).choice(roots, most, replace=False)
            return roots[:, None].astype(np.int32)
        places = np.empty((most, self.structure.num_nodes), np.int32)
        search = self._new_search(seed)
        steps = min(self.pace.steps_of_a_look, max_steps)
        arguments = self._arguments(search, roots)

        def is_over() -> bool:
            self.steps = int(search.position[_STEPS])
            if search.position[_MET] > limits.occurrences or self.steps >= max_steps:
                return True
            return not watch(self.steps / max_steps)

        goes_on = len(roots) > 0
        while goes_on and not is_over():
            # 64-bit sums of the random numbers wrap, of which plain Python would warn
            with np.errstate(over="ignore"):
                goes_on = advance(*arguments, places, limits, steps)
        self.unfinished = bool(goes_on or search.position[_IS_CUT])
        return places[: min(search.position[_MET], most)]

    def meet_each(self, node: int, roots: np.ndarray, spend: Spend = spend_freely) -> np.ndarray:
        """An occurrence at each of some roots that has one, int32 ``[K, M]``.

        ``node`` of the pattern is mapped to the roots, whichever of its symmetric nodes it is, and
        ``count`` is 1 at those with an occurrence and 0 at the others. ``spend`` is told of steps.
        The pattern has two nodes or more. Roots must be candidates of the node; what has been ruled
        out since, in ``candidates``, is not met.
        """
        order = np.concatenate([[node], self._plan.order[self._plan.order != node]])
        # of symmetric nodes any may be the one that is mapped to a root
        anywhere = np.zeros_like(self._plan.above)
        plan = self._plan._replace(order=order, above=anywhere, below=anywhere)
        self.count[roots] = 0
        # what ``spend`` ends leaves marks, and is not used again
        state, self._state = self._state or self._new_search(), None
        state.position[:] = 0
        places = np.empty((len(roots), self.structure.num_nodes), np.int32)
        graph, limits = CompiledGraph.of(self.graph), SearchLimits(occurrences_of_root=1)
        steps = self.pace.steps_of_a_look
        arguments = graph, plan, state, roots, self.count, places, limits, steps
        goes_on = len(roots) > 0
        while goes_on:
            before = state.position[_STEPS]
            goes_on = advance(*arguments)
            spend(float(state.position[_STEPS] - before))
        self._state = state
        return places[: state.position[_MET]]

    def find_graphs(self, max_steps: int | None) -> np.ndarray:
        """Search each graph until its first occurrence, bool ``[G]``."""
        roots = self.roots
        found = np.zeros(self.graph.num_graphs, bool)
        if self.structure.num_nodes == 1:
            found[self.graph.graph_of(roots)] = True
            return found
        search = self._new_search()
        starts = np.searchsorted(roots, self.graph.graph_ptr)
        for number in np.flatnonzero(np.diff(starts)).tolist():
            first, last = starts[number : number + 2]
            # a search that is not at its end has left marks, at nodes of its own graph
            search.position[:_MET] = 0
            search.is_marked[:] = False
            arguments = self._arguments(search, roots[first:last])
            goes_on = True
            while goes_on and not found[number] and not self.unfinished:
                goes_on = advance(*arguments, _NO_PLACES, NO_LIMITS, self.pace.steps_until_seen)
                found[number] = self.count[roots[first:last]].any()
                is_over = max_steps is not None and search.position[_STEPS] > max_steps
                self.unfinished = is_over and goes_on and not found[number]
        return found

    def _roots_among(self, roots: np.ndarray | None) -> np.ndarray:
        """All roots, or those of some nodes, in their order."""
        if roots is None:
            return self.roots
        return np.asarray(roots[self.candidates[roots] >> self.first & 1 == 1], np.int64)

    def _new_search(self, seed: int = 0) -> SearchState:
        size = self.structure.num_nodes
        return new_search(self.graph.num_nodes, size, seed, len(self.query.edges))

    def _arguments(self, search: SearchState, roots: np.ndarray) -> tuple[Any, ...]:
        return CompiledGraph.of(self.graph), self._plan, search, roots, self.count


def find_candidates(query: Query, pace: SearchPace = USUAL_PACE) -> np.ndarray:
    """Pattern nodes that each graph node can stand for, ``[V]``: bit i is node i."""
    # 1. each by itself: what the query says, and its number of neighbours
    graph = query.graph
    size = query.structure.num_nodes
    num_nodes = graph.num_nodes
    degrees = query.joined.sum(axis=1)
    able = np.zeros(int(degrees.max(initial=0)) + 1, np.int64)
    for least in range(len(able)):
        able[least] = (1 << np.flatnonzero(degrees <= least)).sum()
    candidates = query.eligible & able[np.minimum(graph.degrees, len(able) - 1)]
    candidates = candidates.astype(bits_type(size))
    # 2. by neighbours, again and again; bits of the neighbours of each pattern node, by link
    bits = 1 << np.arange(size, dtype=np.int64)
    must = query.allowed & query.joined[:, :, None]
    neighbors = np.ascontiguousarray(np.tensordot(must, bits, axes=([1], [0])))
    changes = np.zeros(-(-num_nodes // NODES_OF_A_BLOCK), np.int64)
    is_due = np.ones(num_nodes, np.uint8)
    is_due_next = np.ones(num_nodes, np.uint8)
    for _ in range(pace.most_passes):
        before = candidates
        candidates = np.empty_like(candidates)
        # after the first pass, only of those with a neighbour that was ruled out
        is_due_next[:] = 0
        pattern = CompiledGraph.of(graph), neighbors, degrees
        work = 2.0 * (num_nodes + len(graph.indices))
        nodes = before, candidates, is_due, is_due_next, changes
        run_blocks(rule_out, len(changes), work, *pattern, *nodes)
        is_due, is_due_next = is_due_next, is_due
        if changes.sum() <= pace.least_share * num_nodes:
            break
    return candidates


def bits_type(size: int) -> type[np.signedinteger[Any]]:
    """The type of a bit for each node of a pattern, and of one more."""
    return np.int16 if size <= _FEW_NODES else np.int64


def _bit_of_mapped(bits: np.ndarray) -> int:
    """The bit of a node that is itself mapped: no pattern node has it, and it is not the sign."""
    return 1 << (8 * bits.itemsize - 2)


class PatternPlan(NamedTuple):
    """The pattern; a bit stands for each of its nodes."""

    order: np.ndarray  # int64 [M], roots are mapped to the first; else it decides between equals
    adjacent: np.ndarray  # int64 [M], the nodes that each must be adjacent to
    decided: np.ndarray  # int64 [M], those, and the nodes that it must not be adjacent to
    compared: np.ndarray  # int64 [M], the nodes that not all links may join it to
    above: np.ndarray  # int64 [M], symmetric nodes that are mapped to smaller graph nodes
    below: np.ndarray  # int64 [M], and to larger ones
    allowed: np.ndarray  # bool [M, M, K], the links that may join two nodes
    candidates: np.ndarray  # int16 or int64 [V], the pattern nodes that a graph node can stand for
    ends: np.ndarray  # int64 [Q, 2], the nodes whose numbers are compared
    signs: np.ndarray  # int64 [Q], how these may stand to each other, as bits
    numbers: np.ndarray  # float64 [Q, 2, V], of each graph node as the first, and as the second
    edge_ends: np.ndarray  # int64 [N, 2], the nodes of the edges that are compared
    edge_keys: np.ndarray  # int64 [N, R], source · V + target of their rows, ascending
    edge_rows: np.ndarray  # int64 [N], how many rows each has
    edge_pairs: np.ndarray  # int64 [P, 4], edge, its row of `edge_values`, and those of the other
    edge_signs: np.ndarray  # int64 [P], how these may stand to each other, as bits
    edge_values: np.ndarray  # float64 [K, R]


def plan_of(query: Query, candidates: np.ndarray) -> PatternPlan:
    """A query in bits: what joins its nodes, and the conditions that break its symmetry."""
    structure = query.structure
    bits = 1 << np.arange(structure.num_nodes, dtype=np.int64)
    joined = query.joined
    is_apart = ~query.allowed[:, :, 1:].any(axis=2)
    has_all = query.allowed[:, :, 1:].all(axis=2)
    is_smaller = query.is_mapped_below
    # roots are mapped to the node with fewest candidates
    order = np.array(structure.order)
    able = candidates[candidates != 0]
    number = [np.count_nonzero(able >> node & 1) for node in order]
    root = order[int(np.argmin(number))]
    order = np.concatenate([[root], order[order != root]])
    comparisons = query.comparisons
    return PatternPlan(
        order=order,
        adjacent=joined @ bits,
        decided=(joined | is_apart) @ bits | _bit_of_mapped(candidates),
        compared=(~is_apart & ~has_all) @ bits,
        above=is_smaller.T @ bits,
        below=is_smaller @ bits,
        allowed=np.ascontiguousarray(query.allowed),
        candidates=candidates,
        ends=np.array([row[:2] for row in comparisons], np.int64).reshape(-1, 2),
        signs=np.array([_SIGNS[row.sign] for row in comparisons], np.int64),
        numbers=np.array([row[3:] for row in comparisons], np.float64).reshape(
            -1, 2, query.graph.num_nodes
        ),
        **_edges_of_plan(query),
    )


def _edges_of_plan(query: Query) -> dict[str, np.ndarray]:
    """The edges that are compared, filled up to one number of rows."""
    edges, compared = query.edges, query.edge_comparisons
    most = max((len(rows.source) for rows in edges), default=0)
    keys = np.zeros((len(edges), most), np.int64)
    first_value = np.cumsum([0, *(len(rows.values) for rows in edges)])
    values = np.zeros((first_value[-1], most))
    for number, rows in enumerate(edges):
        size = len(rows.source)
        keys[number, :size] = rows.source * query.graph.num_nodes + rows.target
        values[first_value[number] : first_value[number + 1], :size] = rows.values
    pairs = [
        (
            one.first,
            first_value[one.first] + one.first_column,
            one.second,
            first_value[one.second] + one.second_column,
        )
        for one in compared
    ]
    return {
        "edge_ends": np.array([rows[:2] for rows in edges], np.int64).reshape(-1, 2),
        "edge_keys": keys,
        "edge_rows": np.array([len(rows.source) for rows in edges], np.int64),
        "edge_pairs": np.array(pairs, np.int64).reshape(-1, 4),
        "edge_signs": np.array([_SIGNS[one.sign] for one in compared], np.int64),
        "edge_values": values,
    }


# what `position` of a search has
_ROOT, _LEVEL, _MET, _STEPS, _STEPS_BEFORE, _IS_CUT, _ROWS, _SEEN = range(8)


class SearchState(NamedTuple):
    """The state of a search: a pattern node at each level, and what it is mapped to."""

    # int64 [8]: number of the root, level, occurrences met, steps, steps before this root, whether
    # a root was left early, rows of compared edges that were looked at and are no steps yet, and
    # what nothing reads
    position: np.ndarray
    stream: np.ndarray  # uint64 [1], of the random numbers that choose what is listed
    # int16 or int64 [V], the pattern nodes that are mapped to a neighbour, and marked
    adjacent: np.ndarray
    mapped: np.ndarray  # int64 [M], graph node of each pattern node
    is_marked: np.ndarray  # bool [M], whether `adjacent` has the bit of this pattern node
    order: np.ndarray  # int64 [M], pattern node of each level
    before: np.ndarray  # int64 [M], the pattern nodes of the levels before each
    base: np.ndarray  # int64 [M], the pattern node whose graph node's row holds the candidates
    next: np.ndarray  # int64 [M], position of the next candidate in `indices`
    stop: np.ndarray  # int64 [M], where the candidates end
    # int64 [N], of each edge that is compared the row that is tried, and where those that it may be
    # begin and end
    edge_row: np.ndarray
    edge_first: np.ndarray
    edge_last: np.ndarray
    is_joined: np.ndarray  # bool [N], whether both of its ends are mapped


def new_search(num_nodes: int, pattern_size: int, seed: int = 0, num_edges: int = 0) -> SearchState:
    """Return the state of a search that has not begun."""
    return SearchState(
        position=np.zeros(8, np.int64),
        # streams of seeds that follow each other do not overlap in fewer than 2^40 numbers
        stream=np.array([seed << 40 & (1 << 64) - 1], np.uint64),
        adjacent=np.zeros(num_nodes, bits_type(pattern_size)),
        mapped=np.zeros(pattern_size, np.int64),
        is_marked=np.zeros(pattern_size, np.bool_),
        order=np.zeros(pattern_size, np.int64),
        before=np.zeros(pattern_size, np.int64),
        base=np.zeros(pattern_size, np.int64),
        next=np.zeros(pattern_size, np.int64),
        stop=np.zeros(pattern_size, np.int64),
        edge_row=np.zeros(num_edges, np.int64),
        edge_first=np.zeros(num_edges, np.int64),
        edge_last=np.zeros(num_edges, np.int64),
        is_joined=np.zeros(num_edges, np.bool_),
    )


@compiled(**SEARCH_JIT)
def rule_out(
    first, last, graph, neighbors, degrees, candidates, remaining, is_due, is_due_next, changes,
):  # fmt: skip
    """Keep the pattern nodes whose neighbours have candidates among the neighbours of a node."""
    for block in range(first, last):
        changes[block] = 0
        stop = min((block + 1) * NODES_OF_A_BLOCK, len(candidates))
        for v in range(block * NODES_OF_A_BLOCK, stop):
            kept = candidates[v]
            remaining[v] = kept
            if kept == 0 or not is_due[v]:
                continue
            start, end = bounds(graph, v)
            for i in range(len(degrees)):
                if candidates[v] >> i & 1:
                    missing = degrees[i]
                    k = start
                    while missing > 0 and k < end:
                        if candidates[graph.indices[k]] & neighbors[i, link_at(graph, k)]:
                            missing -= 1
                        k += 1
                    if missing > 0:
                        kept ^= 1 << i
            remaining[v] = kept
            if kept != candidates[v]:
                changes[block] += 1
                for k in range(start, end):
                    is_due_next[graph.indices[k]] = 1


@compiled(**SEARCH_JIT)
def advance(graph, plan, search, roots, count, places, limits, steps):
    """Check about ``steps`` more nodes; return whether any are left.

    Occurrences are added to ``count [V]`` by root. ``places [K, M]`` has up to K of all that were
    met, each with the same probability. The pattern has at least two nodes.
    """
    last = len(plan.adjacent) - 1
    first = plan.order[0]
    number, level = search.position[_ROOT], search.position[_LEVEL]
    met, spent = search.position[_MET], search.position[_STEPS]
    steps_before = search.position[_STEPS_BEFORE]
    until = spent + steps
    search.order[0] = first
    while spent < until and number < len(roots) and met <= limits.occurrences:
        spent += 1
        root = roots[number]
        is_enough = False
        if level == 0:
            # 1. the next root
            steps_before = spent
            search.mapped[first] = root
            # no literal, of each of which Numba compiles a version
            level = np.int64(1)
            _open(graph, plan, search, level)
        elif search.next[level] == search.stop[level]:
            # 2. no candidates are left: backtrack
            level -= 1
            if search.is_marked[search.order[level]]:
                _mark(graph, search, search.order[level])
            if level == 0:
                number += 1
        elif level == last:
            # 3. each candidate that fits the last pattern node is an occurrence
            stop = search.stop[level]
            if len(plan.edge_ends):
                # one at a time: to compare its edges may take many steps
                stop = search.next[level] + 1
                spent -= 1
            spent += stop - search.next[level]
            k = np.int64(search.next[level] - 1)
            while True:
                k = _next_able(graph, plan, search, level, k + 1, stop)
                if k == stop:
                    break
                if not _fits(graph, plan, search, level, k):
                    continue
                count[root] += 1
                if len(places):
                    search.mapped[search.order[last]] = graph.indices[k]
                    _list(search, places, met)
                met += 1
                is_enough = count[root] >= limits.occurrences_of_root
                if is_enough or met > limits.occurrences:
                    break
            search.next[level] = stop
        else:
            # 4. one level down, by the next candidate that may fit; each that is tried is a step
            most = min(until, steps_before + limits.steps_of_root + 1) - spent
            if len(plan.edge_ends):
                most = 0
            start = search.next[level]
            stop = min(search.stop[level], start + max(most, 0) + 1)
            k = _next_able(graph, plan, search, level, start, stop)
            search.next[level] = min(k + 1, stop)
            spent += search.next[level] - start - 1
            if k < stop and _fits(graph, plan, search, level, k):
                if not search.is_marked[search.order[level - 1]]:
                    spent += _mark(graph, search, search.order[level - 1])
                search.mapped[search.order[level]] = graph.indices[k]
                level += 1
                _open(graph, plan, search, level)
        spent += search.position[_ROWS] >> _ROWS_OF_A_STEP
        search.position[_ROWS] &= (1 << _ROWS_OF_A_STEP) - 1
        if level > 0 and (is_enough or spent - steps_before > limits.steps_of_root):
            # 5. enough of this root
            search.position[_IS_CUT] = 1
            while level > 0:
                level -= 1
                if search.is_marked[search.order[level]]:
                    _mark(graph, search, search.order[level])
            number += 1
    search.position[_ROOT], search.position[_LEVEL] = number, level
    search.position[_MET], search.position[_STEPS] = met, spent
    search.position[_STEPS_BEFORE] = steps_before
    return number < len(roots)


@subroutine(**SEARCH_JIT)
def _list(search, places, met):
    """List what is mapped, or not: each of all that are met with the same probability."""
    # algorithm R of J. S. Vitter, Random sampling with a reservoir, ACM TOMS 11, 1985
    row = np.int64(met)
    if met >= len(places):
        row = random(search.stream[0], np.uint64(met), met + 1)
    if row < len(places):
        for i in range(len(search.mapped)):
            places[row, i] = search.mapped[i]


@subroutine(**SEARCH_JIT)
def _open(graph, plan, search, level):
    """Begin a level: choose its pattern node, whose candidates are the row of a mapped neighbour.

    Candidates are above or below the graph nodes of symmetric pattern nodes.
    """
    previous = search.order[level - 1]
    mapped = search.before[level - 1] | 1 << previous
    # 1. the pattern node: adjacent to two mapped nodes or more, and the row a short one
    chosen, base, best, shortest = -1, -1, False, len(graph.indices) + 1
    for i in plan.order:
        near = plan.adjacent[i] & mapped
        if near and not mapped >> i & 1:
            closes = near & (near - 1) != 0
            if closes >= best:
                for j in range(len(plan.adjacent)):
                    if near >> j & 1:
                        length = degree(graph, search.mapped[j])
                        if length < shortest or closes > best:
                            chosen, base, best, shortest = i, j, closes, length
    search.order[level], search.base[level], search.before[level] = chosen, base, mapped
    # 2. its candidates
    low, high = -1, len(graph.indptr) - 1
    for j in range(len(plan.adjacent)):
        if mapped >> j & 1:
            if plan.above[chosen] >> j & 1:
                low = max(low, search.mapped[j])
            if plan.below[chosen] >> j & 1:
                high = min(high, search.mapped[j])
    start, end = bounds(graph, search.mapped[base])
    search.next[level], search.stop[level] = start, end
    if low >= 0:
        search.next[level] = first_at_least(graph.indices, start, end, low + 1)
    if high < len(graph.indptr) - 1:
        search.stop[level] = first_at_least(graph.indices, search.next[level], end, high)
    if not best and level < len(plan.adjacent) - 1:
        # most fit, and their rows are next
        _touch(graph, search, search.next[level], search.stop[level])
    # 3. to mark the previous node pays when there are more candidates than it has neighbours
    if search.stop[level] - search.next[level] > degree(graph, search.mapped[previous]):
        _mark(graph, search, previous)


@subroutine(**INLINE_JIT)
def _touch(graph, search, first, last):
    """Load the first entry of the rows of some candidates: here cache misses overlap."""
    num_entries = np.uint64(len(graph.indices))
    seen = np.uint32(0)
    for k in range(first, min(last, first + _TOUCHED)):
        start = graph.indptr[graph.indices[k]]
        if start < num_entries:
            seen |= graph.indices[start]
    # stored, in a place that nothing reads, or the loop would be optimised away
    search.position[_SEEN] = seen


@subroutine(**INLINE_JIT)
def _next_able(graph, plan, search, level, k, stop):
    """The first candidate from ``k`` on that is adjacent to what it should be, or ``stop``.

    Some of those that it skips over do not fit either; most candidates are skipped.
    """
    pattern_node, previous = search.order[level], search.order[level - 1]
    wanted = plan.adjacent[pattern_node] & search.before[level]
    decided = plan.decided[pattern_node]
    closes = wanted >> previous & 1 and search.base[level] != previous
    if search.is_marked[previous] or not closes:
        # 1. by the marks
        if not search.is_marked[previous]:
            wanted &= ~(1 << previous)
        while k < stop and search.adjacent[graph.indices[k]] & decided != wanted:
            k += 1
        return k
    # 2. those that are in the row of the node that was mapped last, too: along both rows
    wanted ^= 1 << previous
    near, end = bounds(graph, search.mapped[previous])
    is_long = end - near > _LONGER * (stop - k)
    while k < stop and near < end:
        node = graph.indices[k]
        if is_long:
            near = first_at_least(graph.indices, near, end, node)
            if near == end:
                break
        other = graph.indices[near]
        if node == other and search.adjacent[node] & decided == wanted:
            return k
        # without a branch that none could foresee
        k += node <= other
        near += other <= node
    return stop


@subroutine(**INLINE_JIT)
def _fits(graph, plan, search, level, k):
    """Whether the pattern node of a level can be mapped to the candidate at ``k``."""
    node = graph.indices[k]
    pattern_node, base = search.order[level], search.base[level]
    if not plan.candidates[node] >> pattern_node & 1:
        return False
    # the edge to the base is at hand, and rules most candidates out
    compared = plan.compared[pattern_node] & search.before[level]
    if compared >> base & 1 and not plan.allowed[base, pattern_node, link_at(graph, k)]:
        return False
    if not _is_adjacent(graph, plan, search, level, node):
        return False
    if compared and not _has_links(graph, plan, search, level, node):
        return False
    if len(plan.ends) and not _holds(plan, search, level, node):
        return False
    return len(plan.edge_ends) == 0 or _edges_hold(plan, search, level, node)


@subroutine(**SEARCH_JIT)
def _has_links(graph, plan, search, level, node):
    """Whether the links to the mapped nodes are allowed where not all are."""
    pattern_node = search.order[level]
    for before in range(level):
        i = search.order[before]
        if plan.compared[pattern_node] >> i & 1 and i != search.base[level]:
            # search the shorter row
            other = np.int64(search.mapped[i])
            row, target = np.int64(node), other
            if degree(graph, other) < degree(graph, node):
                row, target = other, np.int64(node)
            start, end = bounds(graph, row)
            k = first_at_least(graph.indices, start, end, target)
            link = 0
            if k < end and graph.indices[k] == target:
                link = link_at(graph, k)
            # the link as seen from the node of the row
            if row == other and not plan.allowed[i, pattern_node, link]:
                return False
            if row != other and not plan.allowed[pattern_node, i, link]:
                return False
    return True


@subroutine(**SEARCH_JIT)
def _holds(plan, search, level, node):
    """Whether the comparisons with the numbers of mapped nodes hold."""
    pattern_node = search.order[level]
    mapped = search.before[level]
    for q in range(len(plan.ends)):
        first, second = plan.ends[q, 0], plan.ends[q, 1]
        left, right = np.nan, np.nan
        if first == pattern_node and mapped >> second & 1:
            left, right = plan.numbers[q, 0, node], plan.numbers[q, 1, search.mapped[second]]
        elif second == pattern_node and mapped >> first & 1:
            left, right = plan.numbers[q, 0, search.mapped[first]], plan.numbers[q, 1, node]
        else:
            continue
        if not plan.signs[q] & _relation_of(left, right):
            return False
    return True


@subroutine(**INLINE_JIT)
def _relation_of(left, right):
    """How two numbers stand to each other, as a bit; none with NaN."""
    if left < right:
        return _LESS
    if left == right:
        return _EQUAL
    return _MORE if left > right else 0


@subroutine(**SEARCH_JIT)
def _edges_hold(plan, search, level, node):
    """Whether edges between the mapped nodes and a candidate meet all comparisons of edges."""
    pattern_node = search.order[level]
    mapped = search.before[level] | 1 << pattern_node
    search.mapped[pattern_node] = node
    return _find_edges(plan, search, mapped, pattern_node, level == len(plan.order) - 1)


@subroutine(**SEARCH_JIT)
def _find_edges(plan, search, mapped, pattern_node, is_last):
    """Whether there is a row of each compared edge among the mapped nodes so that all holds.

    Nothing new is to be found where no such edge reaches the pattern node; at last all are tried.
    """
    # 1. the rows that each edge may be; of one whose ends are not mapped, any
    num_edges = len(plan.edge_ends)
    is_new = is_last
    for e in range(num_edges):
        first, second = plan.edge_ends[e, 0], plan.edge_ends[e, 1]
        search.is_joined[e] = bool(mapped >> first & 1 and mapped >> second & 1)
        reaches = first == pattern_node or second == pattern_node
        if not search.is_joined[e]:
            search.edge_first[e], search.edge_last[e] = 0, 1
        elif reaches or first == second:
            # those of other edges are known from the level at which they were joined
            is_new = is_new or reaches
            key = search.mapped[first] * len(search.adjacent) + search.mapped[second]
            keys = plan.edge_keys[e]
            low = first_at_least(keys, np.int64(0), plan.edge_rows[e], key)
            search.edge_first[e] = low
            search.edge_last[e] = first_at_least(keys, low, plan.edge_rows[e], key + 1)
            if search.edge_first[e] == search.edge_last[e]:
                return False
    if not is_new:
        return True
    # 2. one of each, depth first
    e = np.int64(0)
    search.edge_row[0] = search.edge_first[0]
    while e >= 0:
        while search.edge_row[e] < search.edge_last[e] and not _row_holds(plan, search, e):
            search.edge_row[e] += 1
            search.position[_ROWS] += 1
        if search.edge_row[e] == search.edge_last[e]:
            e -= 1
            if e >= 0:
                search.edge_row[e] += 1
        elif e == num_edges - 1:
            return True
        else:
            e += 1
            search.edge_row[e] = search.edge_first[e]
    return False


@subroutine(**SEARCH_JIT)
def _row_holds(plan, search, edge):
    """Whether the row of an edge meets the comparisons with those of the edges before it."""
    for q in range(len(plan.edge_pairs)):
        first, second = plan.edge_pairs[q, 0], plan.edge_pairs[q, 2]
        if max(first, second) == edge and search.is_joined[first] and search.is_joined[second]:
            left = plan.edge_values[plan.edge_pairs[q, 1], search.edge_row[first]]
            right = plan.edge_values[plan.edge_pairs[q, 3], search.edge_row[second]]
            if not plan.edge_signs[q] & _relation_of(left, right):
                return False
    return True


@compiled(**SEARCH_JIT)
def keep_roots(plan, search, roots, is_kept):
    """Whether the self-loops at each root meet the comparisons, for a pattern of one node."""
    for number in range(len(roots)):
        search.mapped[0] = roots[number]
        is_kept[number] = _find_edges(plan, search, 1, 0, True)


@subroutine(**INLINE_JIT)
def _is_adjacent(graph, plan, search, level, node):
    """Whether a candidate is adjacent to the mapped nodes that it should be, and is none of them.

    And not to those that it should not be adjacent to.
    """
    pattern_node, previous = search.order[level], search.order[level - 1]
    adjacent = plan.adjacent[pattern_node] & search.before[level]
    marks = search.adjacent[node] & plan.decided[pattern_node]
    is_marked = search.is_marked[previous]
    if marks != (adjacent if is_marked else adjacent & ~(1 << previous)):
        return False
    if is_marked or search.base[level] == previous:
        return True
    # search the edge to the previous node in the shorter row
    other = search.mapped[previous]
    if node == other:
        return False
    if not plan.decided[pattern_node] >> previous & 1:
        return True
    is_wanted = bool(adjacent >> previous & 1)
    row, sought = np.int64(node), other
    if degree(graph, other) < degree(graph, node):
        row, sought = other, np.int64(node)
    start, end = bounds(graph, row)
    k = first_at_least(graph.indices, start, end, sought)
    return (k < end and graph.indices[k] == sought) == is_wanted


@subroutine(**SEARCH_JIT)
def _mark(graph, search, i):
    """Set or unset the bit of a mapped pattern node at its neighbours; return their number."""
    node = search.mapped[i]
    start, end = bounds(graph, node)
    for k in range(start, end):
        search.adjacent[graph.indices[k]] ^= 1 << i
    search.adjacent[node] ^= 1 << (8 * search.adjacent.itemsize - 2)
    search.is_marked[i] = not search.is_marked[i]
    return end - start
