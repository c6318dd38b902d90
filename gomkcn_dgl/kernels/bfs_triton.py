"""Rooted subgraphs on a GPU, from a graph that lies there: the same bits as ``bfs_numba`` gives.

``bfs_numba`` says what a subgraph is, and which nodes of a large one stay. A program takes one
root. What it keeps are a few vectors in registers: the nodes that are selected, and those that ever
were, with their depths. There is no list of the nodes that were met, and no hash table: the nodes
on offer are read anew from the rows each time that one is chosen, and whether they are joined to a
selected node is searched in its row. That costs N times as many reads as a list would, all of rows
that lie in the cache, and leaves nothing to store, to clear, or to wait for. It is worth it for
small subgraphs: N is at most 32.

A node on offer may be read from several rows. Its rank is the same in all of them, so that the
least rank needs no list without repeats; only the row of the root counts links among the root's
neighbours, and a rank without them is never less. Where a hop is listed, a node counts in the first
row of the layer that has it.

Where nodes are alike, as in a lattice, the plain order of colours does not say which goes first.
Such a root is told, and its subgraph is taken again on the CPU, whose search marks all nodes that
it met; the result is waited for once.

A row of up to ``hub_degree(N)`` neighbours is one vector, and so are the draws that a hub offers;
both are named *offers* here, and B is their length. Random numbers are those of ``search_numba``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.kernels import POLICIES, bfs_numba
from gomkcn_dgl.kernels.bfs_numba import MOST_RANKED_DEGREE, hub_degree
from gomkcn_dgl.kernels.colors_numba import FEATURE_BITS, NODE
from gomkcn_dgl.kernels.search_numba import mix64

try:
    import triton
    import triton.language as tl
except ImportError as error:
    raise BackendError(
        "subgraphs are extracted on a GPU by Triton: install gomkcn-dgl[gpu], or extract them on "
        "the CPU."
    ) from error

MAX_NODES = 32
# offers times selected nodes that a warp looks up at once, 16 a lane; and most warps of a program
_WARP_TILE, _MOST_WARPS = 512, 4

_DENSE = tl.constexpr(POLICIES["dense"])
# a rank, least first, as in `bfs_numba`
_LINK, _AMONG, _DEGREE = (tl.constexpr(2**bits) for bits in (52, 39, 19))
_RANDOM = tl.constexpr(45)
_MOST_AMONG = tl.constexpr(2**12)
_MOST_DEGREE = tl.constexpr(MOST_RANKED_DEGREE)
# a rank of no node, and a number above those of all nodes
_TAKEN = tl.constexpr(2**62)
_NO_NODE = tl.constexpr(2**31 - 1)
# of an entry of the rows in the order of colours
_NODE = tl.constexpr(NODE)
_FEATURE_BITS = tl.constexpr(FEATURE_BITS)
_HALF = tl.constexpr(32)
_GOLDEN = tl.constexpr(0x9E3779B97F4A7C15)
_MIX_A = tl.constexpr(0xBF58476D1CE4E5B9)
_MIX_B = tl.constexpr(0x94D049BB133111EB)


class DeviceGraph(NamedTuple):
    """A graph or a collection on a device, as the sampler reads it.

    Attributes
    ----------
    indptr, indices : Tensor
        int64 ``[V + 1]`` and int32 ``[E]``, the rows; those of a ``CSRGraph``.
    links : Tensor or None
        uint8 or int32 ``[E]``, what joins the node of a row to each neighbour; None where all are
        link 1.
    rows : Tensor
        int32 ``[E]``, the rows in the order of colours; below 0 where a node is alike to the one
        before.
    colors : Tensor
        int64 ``[V]``, the bits of the nodes' colours.
    graph : CSRGraph
        The graph on the CPU.
    """

    indptr: Tensor
    indices: Tensor
    links: Tensor | None
    rows: Tensor
    colors: Tensor
    graph: Any

    @classmethod
    def of(cls, graph: Any, device: torch.device | str) -> DeviceGraph:
        """Copy the rows of a ``CSRGraph`` to a device."""
        links = graph.links
        if links is not None and links.itemsize > 1:
            # PyTorch can do little with uint16
            links = links.astype(np.int32)
        # copies of arrays that may be those of a file, which cannot be written
        return cls(
            torch.tensor(graph.indptr, device=device),
            torch.tensor(graph.indices, device=device),
            None if links is None else torch.tensor(links, device=device),
            torch.tensor(graph.colored_rows.rows.view(np.int32), device=device),
            torch.tensor(graph.colored_rows.colors.view(np.int64), device=device),
            graph,
        )


class ExtractedTensors(NamedTuple):
    """What is extracted."""

    nodes: Tensor  # int32 [S, N], -1 = padding
    num_nodes: Tensor  # int64 [S]
    truncated: Tensor  # bool [S]
    links: Tensor  # uint8 or int32 [S, N, N], 0 = not joined


def extract(
    graph: DeviceGraph, roots: Tensor, num_hops: int, max_nodes: int, policy: str, seed: int
) -> ExtractedTensors:
    """Extract the subgraph around each of S roots, int64 ``[S]`` on the device of the graph.

    ``bfs_numba.extract`` defines the result. Roots are not checked. Graphs without weights alone,
    and at most 32 nodes a subgraph.
    """
    _check(graph, max_nodes)
    total, device = len(roots), roots.device
    links_type = torch.uint8 if graph.links is None else graph.links.dtype
    out = ExtractedTensors(
        torch.empty(total, max_nodes, dtype=torch.int32, device=device),
        torch.empty(total, dtype=torch.int64, device=device),
        torch.empty(total, dtype=torch.bool, device=device),
        torch.empty(total, max_nodes, max_nodes, dtype=links_type, device=device),
    )
    if not total:
        return out
    alike = torch.zeros(total, dtype=torch.bool, device=device)
    limit = hub_degree(max_nodes)
    block_n, block_b = triton.next_power_of_2(max_nodes), triton.next_power_of_2(limit)
    with torch.cuda.device_of(roots):
        extract_kernel[(total,)](
            graph.indptr,
            graph.indices,
            # not read where all links are 1
            out.links if graph.links is None else graph.links,
            roots,
            graph.rows,
            graph.colors,
            *out,
            alike,
            num_hops,
            _hash_of_seed(seed),
            N=max_nodes,
            LIMIT=limit,
            POLICY=POLICIES[policy],
            HAS_LINKS=graph.links is not None,
            BLOCK_N=block_n,
            BLOCK_B=block_b,
            num_warps=max(1, min(_MOST_WARPS, block_n * block_b // _WARP_TILE)),
        )
    rows = alike.nonzero()[:, 0]
    if len(rows):
        settings = num_hops, max_nodes, policy, seed
        _extract_again(graph.graph, out, rows, roots[rows].cpu().numpy(), *settings)
    return out


def _extract_again(
    graph: Any, out: ExtractedTensors, rows: Tensor, roots: np.ndarray, *settings: Any
) -> None:
    """Write the subgraphs around some roots, taken on the CPU, to some rows."""
    colored = graph.colored_rows
    keys = colored.colors[roots] >> np.uint64(FEATURE_BITS)
    arrays = graph.indptr, graph.indices, None, graph.links, graph.relations.reverse, colored
    found = bfs_numba.extract(*arrays, roots, keys, *settings)
    for name, tensor in out._asdict().items():
        values = getattr(found, name)
        if values.dtype == np.uint16:
            values = values.astype(np.int32)
        tensor[rows] = torch.from_numpy(values).to(tensor.device, tensor.dtype)


def _hash_of_seed(seed: int) -> int:
    """The first of the three hashes that name a stream, as the int64 of its bits."""
    state = np.array([seed], np.uint64) + np.array([_GOLDEN.value], np.uint64)
    return int(mix64(state).view(np.int64)[0])


def _check(graph: DeviceGraph, max_nodes: int) -> None:
    needs_gpu = isinstance(extract_kernel, triton.JITFunction)
    if needs_gpu and not graph.indptr.is_cuda:
        raise BackendError(
            f"subgraphs are extracted by Triton on a GPU, got a graph on "
            f"{graph.indptr.device.type!r}; use extract_subgraphs there, or start with "
            "TRITON_INTERPRET=1 to try it."
        )
    if max_nodes > MAX_NODES:
        raise BackendError(
            f"subgraphs of at most {MAX_NODES} nodes are extracted on a GPU, got max_nodes "
            f"{max_nodes}; use extract_subgraphs."
        )


@triton.jit(do_not_specialize=["num_hops", "seed"])
def extract_kernel(
    indptr_ptr,  # [V + 1]
    indices_ptr,  # [E]
    links_ptr,  # [E]
    roots_ptr,  # [S]
    rows_ptr,  # [E]
    colors_ptr,  # [V]
    nodes_ptr,  # [S, N]
    num_nodes_ptr,  # [S]
    truncated_ptr,  # [S]
    dense_ptr,  # [S, N, N]
    alike_ptr,  # [S]
    num_hops,
    seed,  # its hash
    N: tl.constexpr,
    LIMIT: tl.constexpr,
    POLICY: tl.constexpr,
    HAS_LINKS: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_B: tl.constexpr,
):
    s = tl.program_id(0).to(tl.int64)
    n = tl.arange(0, BLOCK_N)
    root = tl.load(roots_ptr + s).to(tl.int32)
    key = _structure(colors_ptr, root, root >= 0)
    stream = _mix(_mix(tl.cast(seed, tl.int64).to(tl.uint64, bitcast=True) + key))
    selected, cut, alike = _whole_hops(
        indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, num_hops,
        N, LIMIT, POLICY, BLOCK_N, BLOCK_B,
    )  # fmt: skip
    # the first condition is one of the compiler, which leaves the rest out
    if POLICY == _DENSE:  # noqa: SIM102
        if cut:
            selected, alike = _grow_dense(
                indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, num_hops,
                N, LIMIT, BLOCK_N, BLOCK_B,
            )  # fmt: skip
            selected = _in_breadth_first_order(indptr_ptr, indices_ptr, selected, BLOCK_N)
    tl.store(nodes_ptr + s * N + n, selected, mask=n < N)
    tl.store(num_nodes_ptr + s, tl.sum((selected >= 0).to(tl.int64), axis=0))
    tl.store(truncated_ptr + s, cut)
    tl.store(alike_ptr + s, cut & alike)
    # what joins each node to all others
    first, length = _rows(indptr_ptr, selected, selected >= 0)
    entry = _places_in_row(
        indices_ptr, first[:, None], length[:, None], selected[None, :]
    )  # [N, N]
    link = (entry >= 0).to(tl.int32)
    if HAS_LINKS:
        link = tl.load(links_ptr + entry, mask=entry >= 0, other=0).to(tl.int32)
    place = s * N * N + n[:, None] * N + n[None, :]
    inside = (n < N)[:, None] & (n < N)[None, :]
    tl.store(dense_ptr + place, link.to(dense_ptr.dtype.element_ty), mask=inside)


# ---------------------------------------------------------------- rows and random numbers


@triton.jit
def _at(vector, k, BLOCK: tl.constexpr):
    """One number of a vector."""
    return tl.sum(tl.where(tl.arange(0, BLOCK) == k, vector, 0), axis=0)


@triton.jit
def _is_among(nodes, others):
    """Whether each of some nodes [B] is one of others [N]."""
    return tl.max((nodes[:, None] == others[None, :]).to(tl.int32), axis=1) > 0


@triton.jit
def _rows(indptr_ptr, nodes, there):
    """The first entry of the row of each node that is there, and its length; else 0."""
    first = tl.load(indptr_ptr + nodes, mask=there, other=0)
    return first, tl.load(indptr_ptr + nodes + 1, mask=there, other=0) - first


@triton.jit
def _places_in_row(indices_ptr, first, length, nodes):
    """Where each node stands in a row of its own, or -1; -1 is no node, and stands nowhere."""
    row_ptr = indices_ptr + first
    left = tl.zeros_like(nodes) + length.to(tl.int32)
    low = tl.zeros_like(left)
    longest = tl.max(left)
    while longest > 1:
        half = left // 2
        below = tl.load(row_ptr + low + half - 1, mask=half > 0, other=_NO_NODE) < nodes
        low += tl.where(below, half, 0)
        left -= half
        longest -= longest // 2
    found = tl.load(row_ptr + low, mask=(left > 0) & (nodes >= 0), other=-1)
    return tl.where((found == nodes) & (nodes >= 0), first + low, -1)


@triton.jit
def _first_of_color(rows_ptr, colors_ptr, first, length, color, number):
    """The first place in an ordered row that is not before a colour and a number."""
    low, high = tl.full([], 0, tl.int64), length
    while low < high:
        middle = (low + high) // 2
        node = tl.load(rows_ptr + first + middle) & _NODE
        here = tl.load(colors_ptr + node).to(tl.uint64, bitcast=True)
        if (here < color) | ((here == color) & (node < number)):
            low = middle + 1
        else:
            high = middle
    return low


@triton.jit
def _root_first(indices_ptr, rows_ptr, colors_ptr, first, length, root, place):
    """Places in an ordered row where the root goes first among those of its colour."""
    if (
        tl.max(_places_in_row(indices_ptr, first, length, tl.zeros([1], tl.int32) + root), axis=0)
        >= 0
    ):
        color = tl.load(colors_ptr + root).to(tl.uint64, bitcast=True)
        start = _first_of_color(rows_ptr, colors_ptr, first, length, color, 0)
        stands = _first_of_color(rows_ptr, colors_ptr, first, length, color, root)
        moved = tl.where((start < place) & (place <= stands), place - 1, place)
        place = tl.where(place == start, stands, moved)
    return place


@triton.jit
def _count_links(indptr_ptr, indices_ptr, nodes, others, there):
    """How many of others [N] that are there each node [B] is joined to: [B]."""
    first, length = _rows(indptr_ptr, others, there)
    entry = _places_in_row(indices_ptr, first[None, :], length[None, :], nodes[:, None])
    return tl.sum((entry >= 0).to(tl.int32), axis=1)


@triton.jit
def _mix(value):
    """The next number of SplitMix64 in a state."""
    value += tl.cast(_GOLDEN, tl.uint64)
    value = (value ^ (value >> 30)) * tl.cast(_MIX_A, tl.uint64)
    value = (value ^ (value >> 27)) * tl.cast(_MIX_B, tl.uint64)
    return value ^ (value >> 31)


@triton.jit
def _structure(colors_ptr, node, there):
    """The bits of a node's colour that are those of the structure around it."""
    color = tl.load(colors_ptr + node, mask=there, other=0)
    return color.to(tl.uint64, bitcast=True) >> _FEATURE_BITS


# ---------------------------------------------------------------- whole hops


@triton.jit
def _whole_hops(
    indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, num_hops,
    N: tl.constexpr, LIMIT: tl.constexpr, POLICY: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_B: tl.constexpr,
):  # fmt: skip
    """The nodes of whole hops while they fit, filled up for `bfs`, and whether one did not.

    Then also whether nodes are alike in the rows that were listed.
    """
    n = tl.arange(0, BLOCK_N)
    selected = tl.where(n == 0, root, -1)
    begin, size, hop = tl.full([], 0, tl.int32), tl.full([], 1, tl.int32), tl.full([], 0, tl.int32)
    cut, alike = size < 0, size < 0
    while (hop < num_hops) & (begin < size) & (cut == 0):
        in_layer = (n >= begin) & (n < size)
        _, degrees = _rows(indptr_ptr, selected, in_layer)  # [N]
        if tl.max(degrees, axis=0) > LIMIT:
            # next to a hub the cap is certain to be exceeded, so that no row is listed
            cut, alike = size > 0, size < 0
            if POLICY != _DENSE:
                selected = _draw_rest(
                    indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, selected,
                    in_layer, size, N, BLOCK_N,
                )  # fmt: skip
        else:
            listed, count, marked = _list_hop(
                indptr_ptr, indices_ptr, rows_ptr, selected, begin, size, n - size,
                BLOCK_N, BLOCK_B,
            )  # fmt: skip
            alike = alike | marked
            if size + count <= N:
                selected, begin, size = listed, size, size + count
            else:
                cut = size > 0
                if POLICY != _DENSE:
                    wanted = _draw_places(stream, size, count, N, BLOCK_N)
                    selected, count, marked = _list_hop(
                        indptr_ptr, indices_ptr, rows_ptr, selected, begin, size, wanted,
                        BLOCK_N, BLOCK_B,
                    )  # fmt: skip
        hop += 1
    return selected, cut, alike


@triton.jit
def _list_hop(
    indptr_ptr, indices_ptr, rows_ptr, selected, begin, size, wanted,
    BLOCK_N: tl.constexpr, BLOCK_B: tl.constexpr,
):  # fmt: skip
    """Put those nodes of the next hop behind the selected ones whose places in it are `wanted [N]`.

    Return how many nodes the hop has, too, and whether some of a row are alike.
    """
    n, b = tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_B)
    listed, count, marks = selected, tl.full([], 0, tl.int32), tl.full([], 0, tl.int32)
    for owner in range(begin, size):
        # 1. the row of a node, without what is selected and what an earlier row of the layer has
        first, length = _rows(indptr_ptr, _at(selected, owner, BLOCK_N), owner >= 0)
        there = b < length
        entry = tl.load(rows_ptr + first + b, mask=there, other=0)  # [B]
        marks += tl.sum((entry < 0).to(tl.int32), axis=0)
        node = tl.where(there, entry & _NODE, -1)
        earlier = (n >= begin) & (n < owner)
        again = _count_links(indptr_ptr, indices_ptr, node, selected, earlier)
        is_new = there & (again == 0) & (_is_among(node, selected) == 0)
        # 2. the others go on where the row before ended
        listed += _picked(node, is_new, count, wanted)
        count += tl.sum(is_new.to(tl.int32), axis=0)
    return listed, count, marks > 0


@triton.jit
def _picked(nodes, is_new, count, wanted):
    """The new ones of nodes [B] where their number, from `count`, is `wanted [N]`, plus 1; else 0.

    What is added to -1.
    """
    place = count + tl.cumsum(is_new.to(tl.int32), axis=0) - 1  # [B]
    chosen = is_new[:, None] & (place[:, None] == wanted[None, :])  # [B, N]
    return tl.sum(tl.where(chosen, nodes[:, None] + 1, 0), axis=0)


@triton.jit
def _draw_places(stream, size, count, N: tl.constexpr, BLOCK_N: tl.constexpr):
    """Which nodes of a listed hop are taken, by their places in the list, -1 before `size`: [N].

    The list itself is not there: where the last node of it moves into the place of one that was
    taken, this is remembered.
    """
    n = tl.arange(0, BLOCK_N)
    wanted = tl.full([BLOCK_N], -1, tl.int32)
    # a place in the list, and the one that the node there came from
    moved, came_from = tl.full([BLOCK_N], -1, tl.int32), tl.full([BLOCK_N], -1, tl.int32)
    for k in range(size, N):
        left = count - (k - size)
        pick = _mix(stream + (k - size).to(tl.uint64)) % left.to(tl.uint64)
        pick = pick.to(tl.int32)
        wanted = tl.where(n == k, _origin(pick, moved, came_from), wanted)
        last = _origin(left - 1, moved, came_from)
        # the latest move into a place counts
        moved = tl.where(moved == pick, -1, moved)
        moved = tl.where(n == k, pick, moved)
        came_from = tl.where(n == k, last, came_from)
    return wanted


@triton.jit
def _origin(place, moved, came_from):
    """Where the node came from that is at a place of the list now."""
    origin = tl.max(tl.where(moved == place, came_from, -1), axis=0)
    return tl.where(origin < 0, place, origin)


@triton.jit
def _draw_rest(
    indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, selected, in_layer, size,
    N: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    """Fill up with nodes drawn from the rows of the layer, which ends at `size`."""
    n = tl.arange(0, BLOCK_N)
    first, length = _rows(indptr_ptr, selected, in_layer)
    ends, total = tl.cumsum(length, axis=0), tl.sum(length, axis=0)
    draw = tl.full([], 0, tl.uint64)
    while size < N:
        # 1. draw an entry of all rows together, and find the row that it lies in
        place = (_mix(stream + draw) % total.to(tl.uint64)).to(tl.int64)
        draw += tl.full([], 1, tl.uint64)
        owner = tl.min(tl.where(in_layer & (place < ends), n, BLOCK_N), axis=0)
        # all rows of the layer together, up to this one
        place -= _at(ends - length, owner, BLOCK_N)
        begin, count = _at(first, owner, BLOCK_N), _at(length, owner, BLOCK_N)
        place = _root_first(indices_ptr, rows_ptr, colors_ptr, begin, count, root, place)
        node = tl.load(rows_ptr + begin + place) & _NODE
        # 2. draw again if the node is selected, or stands in an earlier row as well
        earlier = tl.where(n < owner, length, 0)
        again = _places_in_row(indices_ptr, first, earlier, tl.zeros_like(selected) + node) >= 0
        is_new = tl.max(((selected == node) | again).to(tl.int32), axis=0) == 0
        selected = tl.where((n == size) & is_new, node, selected)
        size += is_new.to(tl.int32)
    return selected


# ---------------------------------------------------------------- grown subgraphs


@triton.jit
def _grow_dense(
    indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, num_hops,
    N: tl.constexpr, LIMIT: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_B: tl.constexpr,
):  # fmt: skip
    """Add the node with most links to the selected ones at a time, then replace leaves.

    Nodes are -1 behind the last. Where several are the best, they are alike, which is returned too.
    """
    n = tl.arange(0, BLOCK_N)
    # all that were ever selected, those that gave way too, and their depths: there are fewer
    # exchanges than nodes
    e = tl.arange(0, 2 * BLOCK_N)
    selected, ever = tl.where(n == 0, root, -1), tl.where(e == 0, root, -1)
    depths = tl.zeros([2 * BLOCK_N], tl.int32)
    size, count = tl.full([], 1, tl.int32), tl.full([], 1, tl.int32)
    among = _links_among(
        indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, LIMIT, BLOCK_B
    )  # [B]
    best, alike = tl.full([], 0, tl.int64), size < 0
    # what is alike is decided on the CPU
    while (size < N) & (best < _TAKEN) & (alike == 0):
        best, node, alike = _best_offer(
            indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, num_hops, selected, -1,
            ever, depths, count, among, N, LIMIT, BLOCK_N, BLOCK_B,
        )  # fmt: skip
        if best < _TAKEN:
            depth = _depth_of(indptr_ptr, indices_ptr, node, ever, depths)
            depths, ever = tl.where(e == count, depth, depths), tl.where(e == count, node, ever)
            selected = tl.where(n == size, node, selected)
            size, count = size + 1, count + 1
    # leaves are looked for from the last one on, anew after each exchange
    grown, place = selected, tl.where(size == N, N - 1, 0)
    while (place > 0) & (alike == 0):
        leaf = _at(selected, place, BLOCK_N)
        place -= 1
        if _is_leaf(indptr_ptr, indices_ptr, leaf, selected, LIMIT):
            best, node, several = _best_offer(
                indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, num_hops, selected,
                leaf, ever, depths, count, among, N, LIMIT, BLOCK_N, BLOCK_B,
            )  # fmt: skip
            # one with two links or more to the others
            _, length = _rows(indptr_ptr, node, best < (N - 1) * _LINK)
            # of several another may be no hub
            alike = (length > 0) & several
            if (length > 0) & (length <= LIMIT):
                depth = _depth_of(indptr_ptr, indices_ptr, node, ever, depths)
                depths, ever = tl.where(e == count, depth, depths), tl.where(e == count, node, ever)
                count += 1
                # those behind the leaf move up, and the new node is the last
                selected = _without(selected, leaf, BLOCK_N)
                selected = tl.where(n == N - 1, node, selected)
                place = tl.full([], N - 1, tl.int32)
    # a root that is a leaf hangs from what came in, and is no part of it
    hangs = _is_leaf(indptr_ptr, indices_ptr, root, selected, _NO_NODE)
    return tl.where(hangs, grown, selected), alike


@triton.jit
def _is_leaf(indptr_ptr, indices_ptr, node, selected, LIMIT: tl.constexpr):
    """Whether a node with at most `LIMIT` neighbours is joined to one selected node."""
    first, length = _rows(indptr_ptr, node, node >= 0)
    num_links = tl.sum(
        (_places_in_row(indices_ptr, first, length, selected) >= 0).to(tl.int32), axis=0
    )
    return (num_links == 1) & (length <= LIMIT)


@triton.jit
def _depth_of(indptr_ptr, indices_ptr, node, ever, depths):
    """One more than the least depth of the neighbours of a node."""
    # in the rows of the others: there may be many in its own
    first, length = _rows(indptr_ptr, ever, ever >= 0)
    is_joined = _places_in_row(indices_ptr, first, length, tl.zeros_like(ever) + node) >= 0
    return tl.min(tl.where(is_joined, depths, _NO_NODE), axis=0) + 1


@triton.jit
def _without(selected, leaf, BLOCK_N: tl.constexpr):
    """The nodes without one of them, those behind it one place nearer; -1 at the end."""
    n = tl.arange(0, BLOCK_N)
    return _picked(selected, selected != leaf, 0, n) - 1


@triton.jit
def _offers(
    indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, node, stream,
    LIMIT: tl.constexpr, BLOCK_B: tl.constexpr,
):  # fmt: skip
    """The neighbours of a node, or draws from those of a hub, -1 behind the last: [B]."""
    b = tl.arange(0, BLOCK_B)
    first, length = _rows(indptr_ptr, node, node >= 0)
    entry = b.to(tl.int64)
    if length > LIMIT:
        # a stream of their own, so that they do not depend on the order of nodes
        of_node = _mix(stream ^ _mix(_structure(colors_ptr, node, node >= 0)))
        draws = _mix(of_node + b.to(tl.uint64)) >> _HALF
        entry = ((draws * length.to(tl.uint64)) >> _HALF).to(tl.int64)
        entry = _root_first(indices_ptr, rows_ptr, colors_ptr, first, length, root, entry)
    there = b < tl.minimum(length, LIMIT)
    # a mark is left out, and -1 of what is not there stays
    return tl.where(there, tl.load(rows_ptr + first + entry, mask=there, other=0) & _NODE, -1)


@triton.jit
def _links_among(
    indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream,
    LIMIT: tl.constexpr, BLOCK_B: tl.constexpr,
):  # fmt: skip
    """How many other neighbours of the root each is joined to, hubs left out: [B]."""
    offers = _offers(
        indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, root, stream, LIMIT, BLOCK_B
    )
    b = tl.arange(0, BLOCK_B)
    among = tl.zeros([BLOCK_B], tl.int32)
    for k in range(tl.sum((offers >= 0).to(tl.int32), axis=0)):
        other = _at(offers, k, BLOCK_B)
        first, length = _rows(indptr_ptr, other, other >= 0)
        # the draws of a hub may repeat a node, which counts once
        is_first = tl.max(((offers == other) & (b < k)).to(tl.int32), axis=0) == 0
        if is_first & (length <= LIMIT):
            among += (_places_in_row(indices_ptr, first, length, offers) >= 0).to(tl.int32)
    return among


@triton.jit
def _best_offer(
    indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, stream, num_hops, selected, leaf, ever,
    depths, count, among, N: tl.constexpr, LIMIT: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_B: tl.constexpr,
):  # fmt: skip
    """The least rank of the nodes on offer, its smallest node, and whether it has others.

    Links to `leaf` do not count; -1 = there is none.
    """
    counted = (selected >= 0) & (selected != leaf)
    best, best_node = tl.full([], _TAKEN, tl.int64), tl.full([], _NO_NODE, tl.int32)
    other_node = tl.full([], -1, tl.int32)
    for k in range(count):
        if _at(depths, k, 2 * BLOCK_N) < num_hops:
            # 1. the nodes of a row that were never selected
            owner = _at(ever, k, 2 * BLOCK_N)
            node = _offers(
                indptr_ptr, indices_ptr, rows_ptr, colors_ptr, root, owner, stream, LIMIT, BLOCK_B
            )  # [B]
            on_offer = (node >= 0) & (_is_among(node, ever) == 0)
            # 2. missing links, degree and random bits in one number, so that one minimum decides
            links = _count_links(indptr_ptr, indices_ptr, node, selected, counted).to(tl.int64)
            missing = _MOST_AMONG - tl.where(k == 0, among, 0).to(tl.int64)
            _, degree = _rows(indptr_ptr, node, on_offer)
            degree = tl.minimum(degree, _MOST_DEGREE)
            place = _structure(colors_ptr, node, on_offer) + 1
            priority = _mix(stream + place * tl.cast(_GOLDEN, tl.uint64))
            rank = (N - links) * _LINK + missing * _AMONG + degree * _DEGREE
            rank += (priority >> _RANDOM).to(tl.int64)
            # 3. the least of them all
            rank = tl.where(on_offer, rank, _TAKEN)
            least = tl.min(rank, axis=0)
            least_node = tl.min(tl.where(rank == least, node, _NO_NODE), axis=0)
            last_node = tl.max(tl.where(rank == least, node, -1), axis=0)
            if least < best:
                best_node, other_node = least_node, last_node
            if least == best:
                best_node = tl.minimum(best_node, least_node)
                other_node = tl.maximum(other_node, last_node)
            best = tl.minimum(best, least)
    return best, best_node, (best < _TAKEN) & (other_node != best_node)


@triton.jit
def _in_breadth_first_order(indptr_ptr, indices_ptr, selected, BLOCK_N: tl.constexpr):
    """The nodes in breadth-first order over the edges among them; that of growth breaks ties."""
    n = tl.arange(0, BLOCK_N)
    ordered, count = tl.where(n == 0, selected, -1), tl.full([], 1, tl.int32)
    for k in range(tl.sum((selected >= 0).to(tl.int32), axis=0)):
        first, length = _rows(indptr_ptr, _at(ordered, k, BLOCK_N), k >= 0)
        is_joined = _places_in_row(indices_ptr, first, length, selected) >= 0
        is_new = is_joined & (_is_among(selected, ordered) == 0)
        ordered += _picked(selected, is_new, count, n)
        count += tl.sum(is_new.to(tl.int32), axis=0)
    return ordered
