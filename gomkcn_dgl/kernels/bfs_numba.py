"""Rooted subgraphs of at most N nodes, compiled for CPU.

A subgraph starts at its root. Breadth-first search adds one hop after the other while they fit.
When they all fit, that is the subgraph whatever the policy. When a hop does not fit, the subgraph
is truncated, and the policy decides which nodes stay:

``bfs``
    the whole hops that fit, then a uniform sample of the hop that does not (the paper's choice).
``dense``
    grown from the root; the next node is the one with most edges into the selected set, then
    the one that most other neighbours of the root are joined to, then the one of lower degree,
    then a random one. So a clique around the root is entered, and not left for a leaf. At the
    end leaves of the selected set give way, the last one first, while a node on offer has two
    edges or more into the others: a growth that entered a side branch comes back. Where that
    leaves the root itself a leaf, the grown set stays: the root hangs from what it is no part of.

A search follows edges whatever their direction. The subgraph is induced, with all edges of its
nodes; grown nodes are put in breadth-first order over these.

Growing never leaves the ball of ``num_hops``: a node's depth is one more than the least depth among
its selected neighbours, and the neighbours of a node at depth ``num_hops`` are not on offer.

Randomness is counter-based: ``(seed, key)`` names a stream of random numbers, where the key is the
colour of the root (``colors_numba.py``), which says what it is and has around it. Rows are walked
in the order of the colours. So nothing depends on the order in which roots are visited, on what
else stands in the graph or the collection, nor on how nodes are numbered.

Where a row has nodes of one colour that are no twins, as in a lattice, their order says nothing.
Then the nodes that were met are marked by their colours, those that are selected by their places as
well, and the marks are refined among them. What is drawn at random is drawn from the order of
marks, and so is the next node where several have the least rank. Nodes with equal marks are taken
by number: mostly a symmetry exchanges them. Rows of hubs are not refined. The ends of edges among
the nodes that were met are listed once, and only new ones after each choice.

A hub is a node with more than ``hub_degree(N)`` neighbours. Next to one the cap is certain to be
reached, and listing its row at every root would cost its degree each time. ``bfs`` draws positions
in the rows instead: a node counts in the first row that holds it, so that it is as likely as any
other, and a drawn node that is selected already, or stands in an earlier row, is drawn again. The
sample is as uniform as one from a list. ``dense`` ranks all nodes on offer, so a
hub offers ``hub_degree(N)`` draws from its row.

Each subgraph is independent, so threads share nothing and any number of them gives the same result.

What costs time here is waiting, for memory and for mispredicted branches, and the loops are written
against both. A row is walked without a branch in it: each node is written to the end of the list,
which grows only if the node was new. Before rows are read, a short loop loads from each of them
(``touch``), so that these cache misses overlap.

Edges among the nodes of a subgraph are read off short rows only, since one that joins a hub to a
short row stands in the short one; two hubs are tested by binary search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.kernels.colors_numba import FEATURE_BITS, MARK, NODE, ColoredRows
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph, degree, find_edge, find_entry, link_at
from gomkcn_dgl.kernels.search_numba import (
    INLINE_JIT,
    SEARCH_JIT,
    enter,
    find,
    mix,
    new_scratch,
    random,
    slot_of,
    touch,
)
from gomkcn_dgl.runtime.compiled import compiled, run_blocks, subroutine

# larger degrees count as this one where nodes are ranked by degree
MOST_RANKED_DEGREE = 2**20 - 1
# typed: a plain 0 is another type to the compiler, and a function more to compile
_ZERO, _ONE = np.int64(0), np.int64(1)
_U0, _U1 = np.uint64(0), np.uint64(1)
# -1 in the int32 output
_PADDING = np.uint32(2**32 - 1)
_DENSE = POLICIES["dense"]
# `_whole_hops` reached a hub and listed nothing
_HUB = 2**31
# a node's rank when growing densely, least first:
# missing links | missing links among the root's neighbours | 20 bits of degree | 19 random bits
_LINK, _AMONG, _DEGREE, _RANDOM = 2**52, 2**39, 2**19, np.uint64(45)
# at most as many neighbours as a root offers, 4 * 1024
_MOST_AMONG = 2**12
# ranks from here on are not on offer: selected nodes, and those that no row has offered yet
_TAKEN, _UNRANKED = 2**62, 2**63 - 1
_NOT_OFFERED = 2**31
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# halves of a number
_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)
_NODE, _MARK, _FEATURE_BITS = np.uint32(NODE), np.uint32(MARK), np.uint64(FEATURE_BITS)
# rounds of refinement of the nodes that were met, where some on offer are alike: with 2, a share of
# .07 of the subgraphs of 9 nodes in a grid still changed with its numbers
_ROUNDS = 4
# ends of edges among the nodes that a search meets, which are as many as the graph is dense: where
# there is no room for them, the search is made again with room for twice as many
_FIRST_ENDS = 1 << 14


class ExtractedArrays(NamedTuple):
    """What is extracted."""

    nodes: np.ndarray  # int32 [S, N], -1 = padding
    num_nodes: np.ndarray  # int32 [S]
    truncated: np.ndarray  # bool [S]
    links: np.ndarray  # uint8 or uint16 [S, N, N], 0 = not joined
    weights: np.ndarray | None  # float32 [S, N, N]


def hub_degree(max_nodes: int) -> int:
    """Degree above which a node's neighbours are sampled instead of listed."""
    # with 4 N neighbours, at least 3 of 4 are not selected yet, so that few draws are in vain
    return max(64, 4 * max_nodes)


def extract(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray | None,
    links: np.ndarray | None,
    reverse: np.ndarray,
    colored: ColoredRows,
    roots: np.ndarray,
    keys: np.ndarray,
    num_hops: int,
    max_nodes: int,
    policy: str,
    seed: int,
) -> ExtractedArrays:
    """Extract the subgraph around each of S roots.

    ``links [E]``, which are all 1 where they are None, and ``weights [E]`` go along with
    ``indices``; ``reverse [K]`` is each link seen from the other node. ``colored`` are the colours
    of nodes and the rows in their order. ``keys [S]`` are numbers of the roots' random streams.
    """
    total = len(roots)
    weighted, code_type = weights is not None, np.uint8 if links is None else links.dtype
    out = ExtractedArrays(
        nodes=np.empty((total, max_nodes), np.int32),
        num_nodes=np.empty(total, np.int32),
        truncated=np.empty(total, np.bool_),
        links=np.zeros((total, max_nodes, max_nodes), code_type),
        weights=np.zeros((total, max_nodes, max_nodes), np.float32) if weighted else None,
    )
    graph = CompiledGraph.of_arrays(indptr, indices, links, colored.colors.view(np.int64))
    # as plain Python (NUMBA_DISABLE_JIT=1), 64-bit products wrap with a warning
    with np.errstate(over="ignore"):
        # measured: 30 to 150 ns for a node and its edges
        run_blocks(
            _extract_block, total, total * max_nodes * 50,
            graph,
            hub_degree(max_nodes),
            graph._replace(indices=colored.rows),
            weights if weighted else np.empty(0, np.float32),
            reverse,
            roots.astype(np.int64),
            keys.astype(np.uint64),
            num_hops,
            POLICIES[policy],
            np.uint64(seed),
            out.nodes.view(np.uint32),
            out.num_nodes,
            out.truncated,
            out.links,
            out.weights if out.weights is not None else np.empty((0, 0, 0), np.float32),
        )  # fmt: skip
    return out


def _extract_block(
    first: int, last: int, graph: CompiledGraph, limit: int, *arguments: Any
) -> None:
    """Give each block a scratch of its own, and a larger one where there is no room in it."""
    max_nodes, num_ends = arguments[-5].shape[1], _FIRST_ENDS
    while first < last:
        scratch = new_scratch(max_nodes, limit, len(graph.indptr) - 1, num_ends)
        first = _extract_kernel(first, last, graph, limit, *arguments, scratch)
        num_ends *= 2


@compiled(**SEARCH_JIT)
def _extract_kernel(
    first, last, graph, limit, walk, weights, reverse, roots, keys, num_hops, policy,
    seed, nodes, num_nodes, truncated, dense_links, dense_weights, scratch,
):  # fmt: skip
    """Extract the subgraphs from `first` to `last`; return the first for which there is no room."""
    era = _ONE
    for row in range(first, last):
        root, stream = np.uint32(roots[row]), mix(mix(mix(seed) + keys[row]))
        size, cut, era = _search(
            graph, walk, reverse, root, stream, num_hops, limit, policy, nodes[row], scratch, era
        )
        if scratch.listed[1] > len(scratch.ends):
            return row
        num_nodes[row], truncated[row] = size, cut
        touch(graph, nodes[row], _ZERO, size, scratch)
        num_ends = _find_edges(graph, nodes[row], size, limit, scratch, era)
        era += len(scratch.met)
        _write_links(graph, reverse, num_ends, dense_links[row], scratch)
        if cut and policy == _DENSE:
            _reorder(nodes[row], size, num_ends, dense_links[row], scratch)
            _write_links(graph, reverse, num_ends, dense_links[row], scratch)
        if len(dense_weights) > 0:
            _write_weights(graph, weights, nodes[row], size, dense_links[row], dense_weights[row])
    return last


@subroutine(**SEARCH_JIT)
def _search(graph, walk, reverse, root, stream, num_hops, limit, policy, selected, scratch, era):
    """Write the nodes of one subgraph; return their number, whether it was truncated, the era."""
    begin, size, reached, alike = _whole_hops(
        walk, root, num_hops, limit, len(selected), scratch, era
    )
    cut = reached > len(selected)
    # a truncated subgraph of the policy dense is grown anew from the root; for bfs the whole hops
    # stay, and a sample of the next hop fills them up
    if cut and policy == _DENSE:
        era += len(scratch.met)
        size = _grow_dense(
            graph, walk, reverse, root, stream, num_hops, limit, selected, scratch, era
        )
    else:
        for k in range(size):
            selected[k] = scratch.met[k]
        if reached == _HUB:
            size = _draw_rest(graph, walk, stream, begin, selected, size, scratch, era)
        elif cut and alike:
            size = _take_alike(graph, reverse, stream, selected, size, reached, limit, scratch, era)
        elif cut:
            size = _take_rest(stream, selected, size, scratch.met, reached)
    for k in range(size, len(selected)):
        selected[k] = _PADDING
    return size, cut, era + len(scratch.met)


@subroutine(**INLINE_JIT)
def _whole_hops(walk, root, num_hops, limit, max_nodes, scratch, era):
    """Layer `begin:size` of `met` is the last that fits; with the next hop there are `reached`.

    Also whether a row that was read has nodes that are alike, so that their order says nothing.
    """
    begin, size, marks = _ZERO, enter(root, _ZERO, scratch, era) + 1, np.uint32(0)
    for _ in range(num_hops):
        if begin == size:
            break
        # a hub in the layer is certain to exceed the limit, so that its row is not listed
        hub = False
        for k in range(begin, size):
            hub |= degree(walk, scratch.met[k]) > limit
        if hub:
            return begin, size, _HUB, False
        # append the nodes of the next hop to `met`, those that are new
        touch(walk, scratch.met, begin, size, scratch)
        reached = size
        for k in range(begin, size):
            node = scratch.met[k]
            for edge in range(walk.indptr[node], walk.indptr[node + 1]):
                entry = walk.indices[edge]
                marks |= entry
                position = enter(np.uint32(entry & _NODE), reached, scratch, era)
                reached += position == reached
        if reached > max_nodes:
            return begin, size, reached, (marks & _MARK) > 0
        begin, size = size, reached
    return begin, size, size, False


@subroutine(**INLINE_JIT)
def _take_rest(stream, selected, size, met, reached):
    """Fill up with nodes taken at random from those at `size:reached`."""
    for k in range(size, len(selected)):
        pick = size + random(stream, np.uint64(k - size), reached - size)
        reached -= 1
        selected[k], met[pick] = met[pick], met[reached]
    return len(selected)


@subroutine(**SEARCH_JIT)
def _take_alike(graph, reverse, stream, selected, size, reached, limit, scratch, era):
    """Fill up with nodes taken at random from those at `size:reached`, in the order of their marks.

    A mark says what a node is beside those selected before it.
    """
    met, order = scratch.met, scratch.waiting
    scratch.listed[0] = scratch.listed[1] = 0
    _list_ends(graph, reverse, reached, limit, scratch, era)
    for k in range(size, reached):
        order[k] = k
    for k in range(size, len(selected)):
        # 1. the root and each node that was taken are told apart, those of the whole hops are not
        _start_marks(graph, reached, scratch)
        for i in range(k):
            place = _ONE if 0 < i < size else np.int64(i)
            scratch.marks[find(selected[i], scratch, era)] ^= mix(np.uint64(place))
        _refine_marks(reached, scratch)
        # 2. one of those that are left
        pick = k + random(stream, np.uint64(k - size), reached - k)
        _put_in_place(scratch.marks, met, order, k, reached, pick)
        order[k], order[pick] = order[pick], order[k]
        selected[k] = met[order[k]]
    return len(selected)


@subroutine(**INLINE_JIT)
def _start_marks(graph, count, scratch):
    """Mark the nodes that were met by their colours."""
    for position in range(count):
        scratch.marks[position] = np.uint64(graph.colors[scratch.met[position]])


@subroutine(**SEARCH_JIT)
def _list_ends(graph, reverse, count, limit, scratch, era):
    """List the ends of edges among the nodes that were met, those in rows of hubs left out."""
    known = scratch.listed[0]
    for position in range(known, count):
        node = scratch.met[position]
        if degree(graph, node) > limit:
            # a hub stands in the rows of those before it
            for other in range(known):
                if degree(graph, scratch.met[other]) <= limit:
                    entry = find_entry(graph, scratch.met[other], node)
                    if entry >= 0:
                        _list_end(other, position, link_at(graph, entry), scratch)
            continue
        for edge in range(graph.indptr[node], graph.indptr[node + 1]):
            other = find(graph.indices[edge], scratch, era)
            if other >= 0:
                link = link_at(graph, edge)
                _list_end(position, other, link, scratch)
                # the rows of those before were read before
                if other < known and degree(graph, scratch.met[other]) <= limit:
                    _list_end(other, position, reverse[link], scratch)
    scratch.listed[0] = count


@subroutine(**INLINE_JIT)
def _list_end(position, other, link, scratch):
    """List one end of an edge, if there is room."""
    number = scratch.listed[1]
    if number < len(scratch.ends):
        scratch.ends[number] = (np.uint64(position) << _HALF) | np.uint64(other)
        scratch.kinds[number] = np.uint64(link)
    scratch.listed[1] = number + 1


@subroutine(**SEARCH_JIT)
def _refine_marks(count, scratch):
    """Refine the marks of the nodes that were met by those of their neighbours among them."""
    marks, totals = scratch.marks, scratch.refined
    num_ends = min(scratch.listed[1], len(scratch.ends))
    for _ in range(_ROUNDS):
        for position in range(count):
            totals[position] = _U0
        for end in range(num_ends):
            position, other = scratch.ends[end] >> _HALF, scratch.ends[end] & _LOW
            totals[position] += mix(marks[other] ^ scratch.kinds[end])
        for position in range(count):
            marks[position] = mix(marks[position] + totals[position])


@subroutine(**SEARCH_JIT)
def _put_in_place(marks, met, order, first, last, wanted):
    """Move the position at `wanted` in the order of marks and numbers there: Hoare's selection."""
    while last - first > 1:
        # what is before the pivot stands from `first` to `place`
        pivot, place = order[wanted], first
        order[wanted] = order[last - 1]
        for k in range(first, last - 1):
            here = order[k]
            if marks[here] < marks[pivot] or (
                marks[here] == marks[pivot] and met[here] < met[pivot]
            ):
                order[k], order[place] = order[place], here
                place += 1
        order[last - 1], order[place] = order[place], pivot
        if place == wanted:
            break
        if place < wanted:
            first = place + 1
        else:
            last = place


@subroutine(**SEARCH_JIT)
def _draw_rest(graph, walk, stream, begin, selected, size, scratch, era):
    """Fill up with nodes drawn from the rows of `begin:size`; the table holds those selected."""
    end, total, draw = size, _ZERO, _U0
    for k in range(begin, end):
        total += degree(graph, selected[k])
    while size < len(selected):
        # 1. draw an entry of all rows together, and find the row that it lies in
        place, owner = random(stream, draw, total), begin
        draw += _U1
        while place >= degree(graph, selected[owner]):
            place -= degree(graph, selected[owner])
            owner += 1
        node = _entry_at(walk, selected[owner], place)
        if graph.colors[node] == graph.colors[selected[0]]:
            start, stands = _root_in_row(graph, walk, selected[owner], selected[0])
            node = _entry_at(walk, selected[owner], _root_first(place, start, stands))
        # 2. draw again if the node is selected, or if it also stands in an earlier row: a node
        #    counts in the first row that has it, so that all nodes are equally likely
        if find(node, scratch, era) >= 0:
            continue
        first = begin
        while first < owner and find_edge(graph, selected[first], node) < 0:
            first += 1
        if first == owner:
            enter(node, size, scratch, era)
            selected[size] = node
            size += 1
    return size


@subroutine(**INLINE_JIT)
def _entry_at(walk, node, place):
    """The node at a place of a row in the order of colours."""
    return np.uint32(walk.indices[walk.indptr[node] + np.uint64(place)] & _NODE)


@subroutine(**SEARCH_JIT)
def _root_in_row(graph, walk, node, root):
    """Where the colour of the root begins in the ordered row of a node, and the root's own place.

    -1 where it is not in the row.
    """
    if find_edge(graph, node, root) < 0:
        return -_ONE, -_ONE
    color = np.uint64(graph.colors[root])
    start, last = _ZERO, degree(graph, node)
    stands, end = _ZERO, last
    while start < last:
        middle = (start + last) >> 1
        if np.uint64(graph.colors[_entry_at(walk, node, middle)]) < color:
            start = middle + 1
        else:
            last = middle
    # of one colour by number
    while stands < end:
        middle = (stands + end) >> 1
        other = _entry_at(walk, node, middle)
        here = np.uint64(graph.colors[other])
        if here < color or (here == color and other < root):
            stands = middle + 1
        else:
            end = middle
    return start, stands


@subroutine(**INLINE_JIT)
def _root_first(place, start, stands):
    """A place in a row where the root goes first among those of its colour.

    Else it would depend on numbers which draws meet the root, and are in vain.
    """
    if place == start:
        return stands
    return place - 1 if start < place <= stands else place


@subroutine(**SEARCH_JIT)
def _grow_dense(graph, walk, reverse, root, stream, num_hops, limit, selected, scratch, era):
    """Add the node with most links to the selected ones at a time; return their number."""
    met, depths, ranks = scratch.met, scratch.depths, scratch.ranks
    scratch.listed[0] = scratch.listed[1] = 0
    count = enter(root, _ZERO, scratch, era) + 1
    depths[0], ranks[0] = 0, _UNRANKED
    selected[0] = root
    size, depth, hubs = _ONE, _ZERO, _ZERO
    while True:
        # 1. the node selected last adds a link to each of its neighbours, which are then on offer
        node = selected[size - 1]
        hub = degree(graph, node) > limit
        if hub:
            _link_hub(graph, node, depth, count, scratch)
        old = count
        count, fresh = _offer(
            graph, walk, root, node, depth, num_hops, limit, stream, count, scratch, era
        )
        touch(graph, met, old, count, scratch)
        _rank(graph, fresh, hubs, stream, len(selected), scratch)
        if size == 1:
            _link_among(graph, fresh, limit, scratch, era)
        if hub:
            scratch.rows[hubs], scratch.row_depths[hubs] = node, depth
            hubs += 1
        if size == len(selected):
            break
        # 2. the least rank is the next node
        best, node = _best_offer(
            graph, reverse, stream, selected, size, count, limit, _TAKEN, scratch, era
        )
        if best == _TAKEN:
            break
        # 3. select it; the rank of a selected node is never the least again
        chosen = find(node, scratch, era)
        selected[size], depth = node, depths[chosen]
        ranks[chosen] = _UNRANKED
        size += 1
    if size == len(selected):
        _replace_leaves(
            graph, walk, reverse, root, stream, num_hops, limit, selected, count, hubs, scratch, era
        )
    return size


@subroutine(**INLINE_JIT)
def _least_rank(count, bound, scratch):
    """The least rank that is below `bound`, or this."""
    least = bound
    for position in range(count):
        least = min(least, scratch.ranks[position])
    return least


@subroutine(**SEARCH_JIT)
def _best_offer(graph, reverse, stream, selected, size, count, limit, bound, scratch, era):
    """The least rank that is below `bound`, or this, and its node.

    Of several nodes it is a random one, in the order of their marks.
    """
    best, node, alike = _least_rank(count, bound, scratch), _PADDING, _ZERO
    if best == bound:
        return best, node
    # without a branch
    for position in range(count):
        is_best = scratch.ranks[position] == best
        scratch.waiting[alike] = position
        alike += is_best
        node = min(node, scratch.met[position] if is_best else _PADDING)
    if alike > 1 and not _are_twin_leaves(graph, alike, scratch):
        # each of the selected nodes has a place of its own
        _start_marks(graph, count, scratch)
        for i in range(size):
            scratch.marks[find(selected[i], scratch, era)] ^= mix(np.uint64(i))
        _list_ends(graph, reverse, count, limit, scratch, era)
        _refine_marks(count, scratch)
    if alike > 1:
        pick = random(stream, np.uint64(size), alike)
        _put_in_place(scratch.marks, scratch.met, scratch.waiting, _ZERO, alike, pick)
        node = scratch.met[scratch.waiting[pick]]
    return best, node


@subroutine(**SEARCH_JIT)
def _are_twin_leaves(graph, count, scratch):
    """Whether nodes that wait hang from one node, so that their marks are equal, and are written.

    Beside a hub they often do. What joins them to it is in their colours.
    """
    first = scratch.met[scratch.waiting[0]]
    entry = graph.indptr[first]
    for k in range(count):
        node = scratch.met[scratch.waiting[k]]
        other = graph.indptr[node]
        if (
            degree(graph, node) != 1
            or graph.colors[node] != graph.colors[first]
            or graph.indices[other] != graph.indices[entry]
        ):
            return False
        scratch.marks[scratch.waiting[k]] = _U0
    return True


@subroutine(**SEARCH_JIT)
def _replace_leaves(
    graph, walk, reverse, root, stream, num_hops, limit, selected, count, hubs, scratch, era
):
    """Let leaves of the selected set give way to nodes with two links or more to the others.

    Each exchange adds a link at least. A node that came in lies on a cycle and is never a leaf, so
    that there are fewer exchanges than nodes. Hubs stay, and none comes in.
    """
    depths, ranks = scratch.depths, scratch.ranks
    size = len(selected)
    for k in range(size):
        scratch.entries[k] = np.int64(selected[k])
    # a rank below this has two links or more
    enough = (size - 1) * _LINK
    place = size - 1
    # a leaf that leaves takes links from nodes on offer, and gives none
    is_any_enough = _least_rank(count, enough, scratch) < enough
    while place > 0 and is_any_enough:
        leaf = selected[place]
        if degree(graph, leaf) > limit or not _is_leaf(graph, selected, leaf):
            place -= 1
            continue
        # 1. the leaf takes its links along
        _move_links(graph, leaf, np.int64(_LINK), scratch, era)
        best, node = _best_offer(
            graph, reverse, stream, selected, size, count, limit, enough, scratch, era
        )
        if best == enough or degree(graph, node) > limit:
            _move_links(graph, leaf, np.int64(-_LINK), scratch, era)
            place -= 1
            continue
        # 2. the new node is the last, and the search for leaves begins anew
        for k in range(place, size - 1):
            selected[k] = selected[k + 1]
        place = size - 1
        chosen = find(node, scratch, era)
        selected[place] = node
        ranks[chosen] = _UNRANKED
        count, fresh = _offer(
            graph, walk, root, node, depths[chosen], num_hops, limit, stream, count, scratch, era
        )
        _rank(graph, fresh, hubs, stream, size, scratch)
        is_any_enough = _least_rank(count, enough, scratch) < enough
    # 3. a root that is a leaf hangs from what came in, and is no part of it
    if _is_leaf(graph, selected, root):
        for k in range(size):
            selected[k] = np.uint32(scratch.entries[k])


@subroutine(**INLINE_JIT)
def _is_leaf(graph, selected, node):
    """Whether a selected node is joined to no more than one of them."""
    num_links, k = _ZERO, _ZERO
    while k < len(selected) and num_links < 2:
        num_links += find_edge(graph, selected[k], node) >= 0
        k += 1
    return num_links < 2


@subroutine(**INLINE_JIT)
def _move_links(graph, node, change, scratch, era):
    """Change the rank of the neighbours of a node that are not selected."""
    for edge in range(graph.indptr[node], graph.indptr[node + 1]):
        position = find(graph.indices[edge], scratch, era)
        if position < 0:
            continue
        if scratch.ranks[position] < _TAKEN or scratch.depths[position] == _NOT_OFFERED:
            scratch.ranks[position] += change


@subroutine(**INLINE_JIT)
def _link_hub(graph, hub, depth, count, scratch):
    """Count the links of a hub to the nodes on offer; those offered later look at `rows`."""
    for position in range(count):
        # skip selected nodes and those that no row has offered
        if scratch.depths[position] == _NOT_OFFERED or scratch.ranks[position] >= _TAKEN:
            continue
        if find_edge(graph, hub, scratch.met[position]) >= 0:
            scratch.ranks[position] -= _LINK
            scratch.depths[position] = min(scratch.depths[position], depth + 1)


@subroutine(**INLINE_JIT)
def _offer(graph, walk, root, node, depth, num_hops, limit, stream, count, scratch, era):
    """Link a selected node to its row; offer the row unless the node is at the last hop."""
    depths, ranks = scratch.depths, scratch.ranks
    length, first = degree(graph, node), graph.indptr[node]
    hub, inner = length > limit, depth < num_hops
    key = mix(stream ^ mix(_structure(graph, node)))
    offers = length
    # a hub offers `limit` random entries of its row, another node offers its whole row
    if hub:
        offers = limit if inner else 0
        start, stands = _root_in_row(graph, walk, node, root)
        for draw in range(offers):
            slot = ((mix(key + np.uint64(draw)) >> _HALF) * np.uint64(length)) >> _HALF
            place = _root_first(np.int64(slot), start, stands)
            scratch.pairs[draw] = _entry_at(walk, node, place)
    fresh = 0
    for k in range(offers):
        other = np.uint32(scratch.pairs[k]) if hub else graph.indices[first + np.uint64(k)]
        position = enter(other, count, scratch, era)
        if position == count:
            depths[position], ranks[position] = _NOT_OFFERED, _UNRANKED
            count += 1
        # a link is counted once; `_link_hub` and `_rank` count those between a node and a hub
        new = depths[position] == _NOT_OFFERED
        if new or not hub:
            ranks[position] -= _LINK
        if inner:
            scratch.waiting[fresh] = position
            fresh += new
            depths[position] = min(depths[position], depth + 1)
    return count, fresh


@subroutine(**INLINE_JIT)
def _rank(graph, fresh, hubs, stream, max_nodes, scratch):
    """Rank the nodes that were put on offer just now; their links to small rows are counted."""
    for k in range(fresh):
        position = scratch.waiting[k]
        node = scratch.met[position]
        for hub in range(hubs):
            if find_edge(graph, scratch.rows[hub], node) >= 0:
                scratch.ranks[position] -= _LINK
                depth = scratch.row_depths[hub] + 1
                scratch.depths[position] = min(scratch.depths[position], depth)
        # missing links, degree and random bits in one number, so that one minimum decides
        place = _structure(graph, node) + _U1
        priority = np.int64(mix(stream + _GOLDEN * place) >> _RANDOM)
        length = min(degree(graph, node), MOST_RANKED_DEGREE)
        rank = max_nodes * _LINK + _MOST_AMONG * _AMONG + length * _DEGREE + priority
        scratch.ranks[position] += rank - _UNRANKED


@subroutine(**INLINE_JIT)
def _structure(graph, node):
    """The bits of a node's colour that are those of the structure around it."""
    return np.uint64(graph.colors[node]) >> _FEATURE_BITS


@subroutine(**INLINE_JIT)
def _link_among(graph, fresh, limit, scratch, era):
    """Count how many of the other neighbours of the root each is joined to, hubs left out."""
    for k in range(fresh):
        node = scratch.met[scratch.waiting[k]]
        if degree(graph, node) > limit:
            continue
        for edge in range(graph.indptr[node], graph.indptr[node + 1]):
            # the root stands at 0
            position = find(graph.indices[edge], scratch, era)
            if position > 0:
                scratch.ranks[position] -= _AMONG


@subroutine(**INLINE_JIT)
def _find_edges(graph, selected, size, limit, scratch, era):
    """Put the edges among the selected nodes into ``scratch.pairs``; return how many there are.

    Most stand there once for each of their ends. Where links differ, their entries in
    `indices` stand in ``scratch.entries``.
    """
    # 1. enter the selected nodes into the hash table
    table, pairs, has_links = scratch.table, scratch.pairs, len(graph.links) > 0
    for i in range(size):
        enter(selected[i], i, scratch, era)
    # 2. list the row entries that may be selected nodes: those whose slot of the table is taken
    count = _U0
    for i in range(size):
        node = selected[i]
        owner = np.uint64(i)
        if degree(graph, node) > limit:
            # its edges to short rows stand there
            for j in range(i):
                pairs[count] = (np.uint64(selected[j]) << _HALF) | owner
                if degree(graph, selected[j]) > limit:
                    entry = find_entry(graph, node, selected[j])
                    if has_links:
                        scratch.entries[count] = entry
                    count += np.uint64(entry >= 0)
            continue
        for edge in range(graph.indptr[node], graph.indptr[node + 1]):
            other = graph.indices[edge]
            pairs[count] = (np.uint64(other) << _HALF) | owner
            if has_links:
                scratch.entries[count] = edge
            count += np.uint64(table[slot_of(other, scratch)] >= era)
    # 3. look each of them up; of those that are edges, position in place of the node
    num_ends = _U0
    for k in range(count):
        position = find(np.uint32(pairs[k] >> _HALF), scratch, era)
        if position >= 0:
            pairs[num_ends] = (np.uint64(position) << _HALF) | (pairs[k] & _LOW)
            if has_links:
                scratch.entries[num_ends] = scratch.entries[k]
            num_ends += _U1
    return num_ends


@subroutine(**INLINE_JIT)
def _write_links(graph, reverse, num_ends, dense, scratch):
    """Write what joins the nodes of each edge, seen from both of them."""
    for k in range(num_ends):
        i, j = scratch.pairs[k] & _LOW, scratch.pairs[k] >> _HALF
        link = link_at(graph, scratch.entries[k])
        dense[i, j], dense[j, i] = link, reverse[link]


@subroutine(**SEARCH_JIT)
def _reorder(selected, size, num_ends, dense, scratch):
    """Put nodes and edges in breadth-first order of their subgraph; grown order breaks ties."""
    grown, order, rank, pairs = scratch.met, scratch.row_depths, scratch.depths, scratch.pairs
    # 1. breadth-first search: rank[k] is the new position of the k-th grown node
    for k in range(size):
        rank[k] = -1
    order[0], rank[0], num_ordered, k = 0, 0, 1, 0
    while num_ordered < size:
        for other in range(1, size):
            if dense[order[k], other] > 0 and rank[other] < 0:
                order[num_ordered], rank[other] = other, num_ordered
                num_ordered += 1
        k += 1
    # 2. move the nodes and the ends of edges to the new positions
    for k in range(size):
        selected[rank[k]] = grown[k]
    for k in range(num_ends):
        pairs[k] = (np.uint64(rank[pairs[k] >> _HALF]) << _HALF) | np.uint64(rank[pairs[k] & _LOW])
    dense[:] = 0


@subroutine(**SEARCH_JIT)
def _write_weights(graph, weights, selected, size, links, dense):
    """Write the weight of each edge; each direction has its own."""
    for i in range(size):
        for j in range(size):
            if links[i, j] > 0:
                dense[i, j] = weights[find_entry(graph, selected[i], selected[j])]
