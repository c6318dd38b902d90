"""How often a given structure occurs in a graph, exactly, by a search that may have a limit.

An occurrence is a set of nodes whose induced subgraph is isomorphic to the structure, with the
directions and relations of its edges. igraph lists all mappings of the structure onto the graph
(LAD) in memory and without a time limit. So :func:`count_by_graph` has a search of its own, which
the tests compare with igraph: a backtracking search, pattern node by pattern node.

Each graph node stores the mapped nodes that it is adjacent to, one bit for each. One comparison
then tells whether it fits the next pattern node. The node that was mapped last has not set its bits
yet: most branches end right after it, and checking a few edges costs less. All state is in arrays,
so that the search can be interrupted and continued.

Which pattern node comes next is decided on the way: one that is adjacent to two mapped nodes or
more, if there is one, and of these the one with the shortest row of candidates. In a graph with
hubs a fixed order would walk their rows again and again. Edges with directions or types are
compared after that.
"""

from __future__ import annotations

from itertools import pairwise
from threading import local
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import (
    CompiledGraph,
    bounds,
    degree,
    first_at_least,
    link_at,
)
from gomkcn_dgl.kernels.search_numba import INLINE_JIT, SEARCH_JIT
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine
from mining.categories import Colors
from mining.counting.sought import STEPS_PER_SECOND, Sought, Watch, may_hold, to_the_end

# nodes whose candidates are ruled out at once, by one thread: some microseconds
NODES_OF_A_BLOCK = 1024
# the bit of a node that is itself mapped: no pattern node has it, and it is not the sign
_MAPPED = 1 << 62
# most passes in which candidates are ruled out: as many as a path of 12 nodes is long
MOST_PASSES = 12
# a pass that changes a smaller share of nodes is the last one: the next saves less than it takes
_LEAST_SHARE = 0.002
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


USUAL_PACE = SearchPace()


def find_candidates(graph: CSRGraph, sought: Sought) -> np.ndarray:
    """Pattern nodes that each graph node can stand for, ``[V]``: bit i is node i.

    int16 for patterns of up to 15 nodes, which a graph of millions of nodes notices, else int64.
    """
    # 1. by colour
    size, num_nodes = sought.structure.num_nodes, graph.num_nodes
    bits_type = np.int16 if size <= 15 else np.int64
    if sought.colors is None:
        candidates = np.full(num_nodes, (1 << size) - 1, bits_type)
    else:
        candidates = np.zeros(num_nodes, bits_type)
        for color in np.unique(sought.colors):
            bits = 1 << np.flatnonzero(sought.colors == color)
            candidates[sought.colors_of_graph == color] = bits.sum()
    degrees = sought.structure.joined.sum(axis=1)
    # 2. by neighbours, again and again; bits of the neighbours of each pattern node, by link
    num_links = len(graph.relations.links)
    neighbors = np.zeros((size, num_links), np.int64)
    for i, j in np.argwhere(sought.links > 0):
        neighbors[i, sought.links[i, j]] |= 1 << j
    changes = np.zeros(-(-num_nodes // NODES_OF_A_BLOCK), np.int64)
    asked, ask_next = np.ones((2, num_nodes), np.uint8)
    for _ in range(MOST_PASSES):
        before, candidates = candidates, np.empty_like(candidates)
        # after the first pass, only of those with a neighbour that was ruled out
        ask_next[:] = 0
        pattern = CompiledGraph.of(graph), neighbors, degrees
        work = 2.0 * (num_nodes + len(graph.indices))
        nodes = before, candidates, asked, ask_next, changes
        run_blocks(rule_out, len(changes), work, *pattern, *nodes)
        asked, ask_next = ask_next, asked
        if changes.sum() <= _LEAST_SHARE * num_nodes:
            break
    return candidates


def count_by_graph(
    graph: CSRGraph,
    structure: Structure,
    colors: Colors | None = None,
    max_steps: int | None = None,
) -> np.ndarray | None:
    """Count the induced occurrences of a structure in each graph: node sets.

    A backtracking search maps the nodes of the structure one after the other. Of the mappings that
    differ by a symmetry of the structure one is counted, by the conditions of J. A. Grochow and M.
    Kellis (Network motif discovery using subgraph enumeration and symmetry-breaking, RECOMB 2007,
    section 3). No occurrence is stored, so memory is O(V).

    Parameters
    ----------
    graph : CSRGraph
        One graph or a collection; weights and features are not used.
    structure : Structure
        Of up to 62 nodes. Its relations are those of ``graph`` with the same names and directions;
        edges without a name are of its only relation.
    colors : (array, array), optional
        Whole numbers ``[M]`` and ``[V]``: a node of the structure is mapped to nodes of its colour.
        Without them categories do not count.
    max_steps : int, optional
        Steps after which the search is stopped; None: never. A step checks a node, and takes about
        10 ns.

    Returns
    -------
    numpy.ndarray or None
        int64 ``[G]``; None where the search was stopped.

    Raises
    ------
    InputError
        If relations or ``colors`` do not fit to the graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> rings = as_csr([nx.cycle_graph(3), nx.complete_graph(4), nx.path_graph(3)])
    >>> count_by_graph(rings, Structure.parse("triangle")).tolist()
    [1, 4, 0]
    >>> from synthetic import MOTIFS
    >>> order = as_csr(nx.DiGraph([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]))
    >>> count_by_graph(order, MOTIFS["feed-forward-loop"]).tolist()
    [4]
    """
    search = ExactSearch(graph, structure, colors)
    search.run(max_steps=max_steps)
    if search.unfinished:
        return None
    before = np.concatenate([[0], np.cumsum(search.count)])
    return np.diff(before[graph.graph_ptr])


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
    search = ExactSearch(graph, structure, colors)
    found = search.find_graphs(max_steps)
    return found, not search.unfinished


class ExactSearch:
    """A search for all occurrences of a structure: ``count [V]`` has them by root."""

    def __init__(
        self,
        graph: CSRGraph,
        structure: Structure,
        colors: Colors | None = None,
        pace: SearchPace = USUAL_PACE,
    ) -> None:
        if not isinstance(graph, CSRGraph):
            raise InputError(
                f"graph must be a CSRGraph, got {type(graph).__name__}; convert it with as_csr."
            )
        self.graph = graph
        self.pace = pace
        self.sought = Sought.of(graph, structure, colors)
        self.structure = self.sought.structure
        able = may_hold(graph, self.structure.joined)
        self.candidates = np.zeros(graph.num_nodes, np.int64)
        if able.any():
            self.candidates = np.where(able, find_candidates(graph, self.sought), 0)
        self.count = np.zeros(graph.num_nodes, np.int64)
        self.steps = 0
        self.unfinished = False

    @property
    def roots(self) -> np.ndarray:
        """The nodes that a search begins at, int64 ``[R]``."""
        return np.flatnonzero(self.candidates >> self.structure.order[0] & 1)

    def run(
        self,
        roots: np.ndarray | None = None,
        *,
        max_steps: int | None = None,
        watch: Watch = to_the_end,
    ) -> None:
        """Search until the end, or until the search takes over ``max_steps``, or ``watch`` ends it.

        With ``roots``, ascending, those occurrences are counted that begin at one of these. Whether
        so many steps are enough does not depend on the threads.
        """
        self.count[:] = 0
        self.steps = 0
        self.unfinished = False
        plan = self._plan(roots)
        roots = self.roots if roots is None else roots
        if self.structure.num_nodes == 1:
            self.count[roots] = 1
            return
        if not len(roots):
            return
        own = local()
        searches: list[SearchState] = []
        steps = self.pace.steps_of_a_look
        if max_steps is not None:
            steps = min(steps, max_steps)

        def num_steps() -> int:
            """What all threads together have made."""
            return int(sum(one.position[4] for one in searches))

        def is_over() -> bool:
            if max_steps is None:
                return False
            share = num_steps() / max_steps
            return share > 1 or not watch(share)

        def search_roots(first: int, last: int) -> None:
            # what one thread searches; the limit is looked at after a number of steps
            if not hasattr(own, "search"):
                own.search = self._new_search()
                searches.append(own.search)
            own.search.position[[0, 2]] = roots[first], roots[last - 1] + 1
            arguments = CompiledGraph.of(self.graph), plan, own.search, self.count
            while not is_over() and advance(*arguments, _NO_PLACES, steps):
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
        watch: Watch = to_the_end,
    ) -> np.ndarray:
        """The first occurrences, int32 ``[K, M]`` in the pattern's order, at most ``most``.

        With ``roots``, of those that begin at one of these; ``watch`` may end it.
        """
        # one more, which tells that these are not all
        places = np.empty((most + 1, self.structure.num_nodes), np.int32)
        if self.structure.num_nodes == 1:
            nodes = self.roots if roots is None else roots
            self.unfinished = len(nodes) > most
            return nodes[:most, None].astype(np.int32)
        plan = self._plan(roots)
        arguments = CompiledGraph.of(self.graph), plan
        search = self._new_search()
        self.unfinished = True
        steps = min(self.pace.steps_of_a_look, max_steps)
        while self.unfinished and search.position[3] <= most and search.position[4] < max_steps:
            if not watch(search.position[4] / max_steps):
                break
            self.unfinished = advance(*arguments, search, self.count, places, steps)
        self.unfinished = bool(self.unfinished or search.position[3] > most)
        return places[: min(search.position[3], most)]

    def find_graphs(self, max_steps: int | None) -> np.ndarray:
        """Search each graph until its first occurrence, bool ``[G]``."""
        if self.structure.num_nodes == 1:
            return np.logical_or.reduceat(self.candidates != 0, self.graph.graph_ptr[:-1])
        found, search = np.zeros(self.graph.num_graphs, bool), self._new_search()
        arguments = CompiledGraph.of(self.graph), self._plan(), search, self.count
        for number, (first, last) in enumerate(pairwise(self.graph.graph_ptr)):
            # a search that is not at its end has left marks at nodes of its graph
            search.position[:3] = first, 0, last
            search.is_marked[:] = False
            goes_on = True
            while goes_on and not found[number] and not self.unfinished:
                goes_on = advance(*arguments, _NO_PLACES, self.pace.steps_until_seen)
                found[number] = self.count[first:last].any()
                is_over = max_steps is not None and search.position[4] > max_steps
                self.unfinished = is_over and goes_on and not found[number]
        return found

    def _new_search(self) -> SearchState:
        return new_search(self.graph.num_nodes, self.structure.num_nodes)

    def _plan(self, roots: np.ndarray | None = None) -> PatternPlan:
        """The pattern in bits, with the conditions that break its symmetry."""
        structure, size = self.structure, self.structure.num_nodes
        above = np.zeros((size, size), dtype=bool)
        for node, orbit in zip(structure.order, structure.stabilizers, strict=True):
            above[list(orbit.keys() - {node}), node] = True
        bits = 1 << np.arange(size, dtype=np.int64)
        conditions = above @ bits, above.T @ bits
        candidates = self.candidates
        if roots is not None:
            # no other node can stand for the first pattern node
            is_other = np.ones(len(candidates), np.bool_)
            is_other[roots] = False
            candidates = np.where(is_other, candidates & ~(1 << structure.order[0]), candidates)
        order = np.array(structure.order)
        adjacent = structure.joined @ bits
        return PatternPlan(order, adjacent, *conditions, candidates, self.sought.links)


class PatternPlan(NamedTuple):
    """The pattern; a bit stands for each of its nodes."""

    order: np.ndarray  # int64 [M], roots are mapped to the first; else it decides between equals
    adjacent: np.ndarray  # int64 [M], the neighbours of each node
    above: np.ndarray  # int64 [M], symmetric nodes that are mapped to smaller graph nodes
    below: np.ndarray  # int64 [M], and to larger ones
    candidates: np.ndarray  # int16 or int64 [V], the pattern nodes that a graph node can stand for
    links: np.ndarray  # int64 [M, M]


class SearchState(NamedTuple):
    """The state of a search: a pattern node at each level, and what it is mapped to."""

    position: np.ndarray  # int64 [5]: root, level, the root to end before, places listed, steps
    adjacent: np.ndarray  # int64 [V], the pattern nodes that are mapped to a neighbour, and marked
    mapped: np.ndarray  # int64 [M], graph node of each pattern node
    is_marked: np.ndarray  # bool [M], whether `adjacent` has the bit of this pattern node
    order: np.ndarray  # int64 [M], pattern node of each level
    before: np.ndarray  # int64 [M], the pattern nodes of the levels before each
    base: np.ndarray  # int64 [M], the pattern node whose graph node's row holds the candidates
    next: np.ndarray  # int64 [M], position of the next candidate in `indices`
    stop: np.ndarray  # int64 [M], where the candidates end


def new_search(num_nodes: int, pattern_size: int) -> SearchState:
    """Return the state of a search that has not begun."""
    mapped, order, before, base, following, stop = np.zeros((6, pattern_size), np.int64)
    is_marked = np.zeros(pattern_size, np.bool_)
    adjacent = np.zeros(num_nodes, np.int64)
    position = np.array([0, 0, num_nodes, 0, 0])
    return SearchState(position, adjacent, mapped, is_marked, order, before, base, following, stop)


@compiled(**SEARCH_JIT)
def rule_out(
    first, last, graph, neighbors, degrees, candidates, remaining, asked, ask_next, changes,
):  # fmt: skip
    """Keep the pattern nodes whose neighbours have candidates among the neighbours of a node."""
    for block in range(first, last):
        changes[block] = 0
        stop = min((block + 1) * NODES_OF_A_BLOCK, len(candidates))
        for v in range(block * NODES_OF_A_BLOCK, stop):
            kept = candidates[v]
            start, end = bounds(graph, v)
            for i in range(len(degrees)):
                if asked[v] and candidates[v] >> i & 1:
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
                    ask_next[graph.indices[k]] = 1


@compiled(**SEARCH_JIT)
def advance(graph, plan, search, count, places, steps):
    """Check about ``steps`` more nodes; return whether any are left.

    Occurrences are added to ``count [V]`` by root, and listed in ``places [K, M]`` until it is
    full. The pattern has at least two nodes.
    """
    last = len(plan.adjacent) - 1
    root, level = search.position[0], search.position[1]
    end, listed = search.position[2], search.position[3]
    first, given = plan.order[0], steps
    search.order[0] = first
    while steps > 0 and root < end:
        steps -= 1
        if level == 0:
            # the next root
            if plan.candidates[root] >> first & 1:
                search.mapped[first] = root
                # no literal, of each of which Numba compiles a version
                level = np.int64(1)
                _open(graph, plan, search, level)
            else:
                # not a step: how many there are depends on the pieces that threads search
                root += 1
                steps += 1
        elif search.next[level] == search.stop[level]:
            # no candidates are left: backtrack
            level -= 1
            if search.is_marked[search.order[level]]:
                _mark(graph, search, search.order[level])
            if level == 0:
                root += 1
        elif level == last:
            # each candidate that fits the last pattern node is an occurrence
            steps -= search.stop[level] - search.next[level]
            for k in range(search.next[level], search.stop[level]):
                if _fits(graph, plan, search, level, k):
                    count[root] += 1
                    if listed < len(places):
                        search.mapped[search.order[last]] = graph.indices[k]
                        for i in range(last + 1):
                            places[listed, i] = search.mapped[i]
                        listed += 1
            search.next[level] = search.stop[level]
        else:
            k = search.next[level]
            search.next[level] += 1
            if _fits(graph, plan, search, level, k):
                if not search.is_marked[search.order[level - 1]]:
                    steps -= _mark(graph, search, search.order[level - 1])
                search.mapped[search.order[level]] = graph.indices[k]
                level += 1
                _open(graph, plan, search, level)
    search.position[0], search.position[1], search.position[3] = root, level, listed
    search.position[4] += given - steps
    return root < end


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
    search.next[level] = first_at_least(graph.indices, start, end, low + 1)
    search.stop[level] = first_at_least(graph.indices, search.next[level], end, high)
    # 3. to mark the previous node pays when there are more candidates than it has neighbours
    if search.stop[level] - search.next[level] > degree(graph, search.mapped[previous]):
        _mark(graph, search, previous)


@subroutine(**INLINE_JIT)
def _fits(graph, plan, search, level, k):
    """Whether the pattern node of a level can be mapped to the candidate at ``k``."""
    node, has_links = graph.indices[k], len(graph.links) > 0
    if not plan.candidates[node] >> search.order[level] & 1:
        return False
    # the edge to the base is at hand, and rules most candidates out
    if has_links and graph.links[k] != plan.links[search.base[level], search.order[level]]:
        return False
    if not _is_adjacent(graph, plan, search, level, node):
        return False
    return not has_links or _has_links(graph, plan, search, level, node)


@subroutine(**SEARCH_JIT)
def _has_links(graph, plan, search, level, node):
    """Whether a node is joined to the mapped nodes as the pattern says; it is adjacent to them."""
    start, end = bounds(graph, node)
    own = search.order[level]
    for before in range(level):
        i = search.order[before]
        if plan.adjacent[own] >> i & 1 and i != search.base[level]:
            other = search.mapped[i]
            # search the shorter row
            if degree(graph, other) < end - start:
                first, last = bounds(graph, other)
                k = first_at_least(graph.indices, first, last, node)
                link = plan.links[i, own]
            else:
                k = first_at_least(graph.indices, start, end, other)
                link = plan.links[own, i]
            if graph.links[k] != link:
                return False
    return True


@subroutine(**INLINE_JIT)
def _is_adjacent(graph, plan, search, level, node):
    """Whether a candidate is adjacent to the mapped nodes that it should be, and to no others."""
    previous = search.order[level - 1]
    adjacent = plan.adjacent[search.order[level]] & search.before[level]
    is_marked = search.is_marked[previous]
    if search.adjacent[node] != (adjacent if is_marked else adjacent & ~(1 << previous)):
        return False
    if is_marked or search.base[level] == previous:
        return True
    # search the edge to the previous node in the shorter row
    other = search.mapped[previous]
    if node == other:
        return False
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
    search.adjacent[node] ^= _MAPPED
    search.is_marked[i] = not search.is_marked[i]
    return end - start
