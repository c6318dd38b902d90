"""Edges checked, tidied and merged, and gathered into rows of neighbours, each with its link.

Edges without directions and types are packed into one number each; all others become links.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.checks import as_float32
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.relations import Relations, number_links

log = logging.getLogger("gomkcn_dgl")


# what can be done to a graph to tidy it, in the words of the log
LOOPS = "dropped {:,} self-loops"
ZEROS = "dropped {:,} edges of weight 0"
DUPLICATES = "merged {:,} duplicate edges"
MIRRORED = "read {:,} edges as undirected"
CONFLICTS = "kept the largest of several values of the edges of {:,} ordered pairs of nodes"
CONSTANT = "no node features; using the constant 1 ({:,} nodes)"
# of an int64 that holds two node rows
_LOW_HALF = 2**32 - 1


def log_repairs(repairs: Counter[str]) -> tuple[str, ...]:
    """Write one line to the log for each kind of repair, and return these lines."""
    lines = tuple(message.format(count) for message, count in repairs.items() if count)
    for line in lines:
        log.info("%s", line)
    return lines


def check_endpoints(
    source: np.ndarray, target: np.ndarray, num_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    source, target = np.asarray(source), np.asarray(target)
    if source.ndim != 1 or source.shape != target.shape:
        raise InputError(
            "edge_index must hold one source and one target for each edge, "
            f"got the shapes {source.shape} and {target.shape}."
        )
    if len(source) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if source.dtype.kind not in "iu" or target.dtype.kind not in "iu":
        wrong = source.dtype if source.dtype.kind not in "iu" else target.dtype
        raise InputTypeError(f"edge_index must hold integers, got {wrong}.")
    low = min(int(source.min()), int(target.min()))
    high = max(int(source.max()), int(target.max()))
    if low < 0 or high >= num_nodes:
        raise InputError(
            f"edge_index must name nodes from 0 to {num_nodes - 1}, "
            f"got {low if low < 0 else high}; raise num_nodes or renumber the nodes."
        )
    return source.astype(np.int64, copy=False), target.astype(np.int64, copy=False)


def check_graph_ptr(
    graph_ptr: np.ndarray | None, source: np.ndarray, target: np.ndarray, num_nodes: int
) -> np.ndarray:
    if graph_ptr is None:
        return np.array([0, num_nodes], dtype=np.int64)
    graph_ptr = np.asarray(graph_ptr, dtype=np.int64)
    if graph_ptr[0] != 0 or graph_ptr[-1] != num_nodes or (np.diff(graph_ptr) < 0).any():
        raise InputError(f"graph_ptr must rise from 0 to the number of nodes, {num_nodes}.")
    # both ends of an edge must lie between the same two boundaries
    owner = np.searchsorted(graph_ptr, source, side="right")
    crossing = np.flatnonzero(owner != np.searchsorted(graph_ptr, target, side="right"))
    if len(crossing):
        edge = crossing[0]
        raise InputError(
            f"an edge must stay within one graph of the collection, got an edge from node "
            f"{source[edge]} to node {target[edge]} of another graph."
        )
    return graph_ptr


def check_weights(weights: np.ndarray, num_edges: int) -> np.ndarray:
    weights = as_float32("edge weights", weights)
    if weights.shape != (num_edges,):
        raise InputError(
            f"edge weights must be one number for each of the {num_edges} edges, "
            f"got an array of shape {weights.shape}."
        )
    if num_edges and weights.min() < 0:
        worst = int(weights.argmin())
        raise InputError(
            f"edge weights must be at least 0, got {weights[worst]:g} for edge {worst}."
        )
    return weights


def kept_edges(
    source: np.ndarray, target: np.ndarray, weights: np.ndarray | None, repairs: Counter[str]
) -> np.ndarray:
    """Which edges are neither self-loops nor of weight 0, bool ``[E]``."""
    keep: np.ndarray = source != target
    repairs[LOOPS] += len(source) - int(keep.sum())
    if weights is not None:
        repairs[ZEROS] += int((keep & (weights == 0)).sum())
        keep &= weights > 0
    return keep


def count_edges(
    source: np.ndarray, target: np.ndarray, relation: np.ndarray | None, num_relations: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return how many different edges each relation has, and how many of them are there both ways.

    ``relation`` is None where all edges are of one.

    >>> count_edges(np.array([0, 1, 1]), np.array([1, 0, 2]), None, 1)
    (array([3]), array([2]))
    """
    no_loop = source != target
    parts: list[Any] = [slice(None) if no_loop.all() else no_loop]
    if relation is not None:
        rows = np.flatnonzero(no_loop)
        rows = rows[np.argsort(relation[rows], kind="stable")]
        parts = np.split(rows, np.searchsorted(relation[rows], np.arange(1, num_relations)))
    counts = np.zeros((2, num_relations), np.int64)
    for number, rows in enumerate(parts):
        u, v = source[rows], target[rows]
        num_different = len(sorted_distinct(pack(u, v)))
        num_pairs = len(sorted_distinct(pack(np.minimum(u, v), np.maximum(u, v))))
        counts[:, number] = num_different, 2 * (num_different - num_pairs)
    return counts[0], counts[1]


def merge_duplicates(
    source: np.ndarray, target: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return each undirected edge once, packed, ``low < high``, with its largest weight."""
    # a pair of nodes is one number, so that equal edges are equal numbers
    pairs = pack(np.minimum(source, target), np.maximum(source, target))
    if weights is None:
        return sorted_distinct(pairs), None
    unique, inverse = np.unique(pairs, return_inverse=True)
    # of equal edges, the largest weight counts
    largest = np.zeros(len(unique), dtype=np.float32)
    np.maximum.at(largest, inverse, weights)
    return unique, largest


def compress(
    pairs: np.ndarray, weights: np.ndarray | None, num_nodes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return indptr, indices and weights of edges that are packed once each."""
    # sorted by (row, column), the entries of each row stand together in order
    entries = np.concatenate([pairs, pack(pairs & _LOW_HALF, pairs >> 32)])
    if weights is None:
        entries.sort()
    else:
        order = np.argsort(entries)
        entries, weights = entries[order], np.concatenate([weights, weights])[order]
    indices = (entries & _LOW_HALF).astype(np.int32)
    entries >>= 32
    # the number of entries in each row gives the boundaries of the rows
    indptr = np.zeros(num_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(entries, minlength=num_nodes), out=indptr[1:])
    return indptr, indices, weights


class LinkedRows(NamedTuple):
    """Rows of neighbours, and where their entries come from; an entry has one or more edge ends."""

    indptr: np.ndarray  # int64 [V + 1]
    indices: np.ndarray  # int32 [E]
    links: np.ndarray  # uint8 or uint16 [E]
    relations: Relations  # with the links that occur
    start: np.ndarray  # int64 [E], first edge end of each entry, among those below
    edge: np.ndarray  # int64, edge of each edge end
    outgoing: np.ndarray  # bool, whether the edge leads from the row's node or has no direction


def pack(row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Put two node rows into one int64, which sorts as the pair does."""
    packed = row << 32
    packed |= column
    return packed


def sorted_distinct(values: np.ndarray) -> np.ndarray:
    """Return what ``np.unique`` returns, without its hash table, which is several times slower."""
    values = np.sort(values)
    keep = np.ones(len(values), dtype=bool)
    keep[1:] = values[1:] != values[:-1]
    return values[keep]


def check_relations(
    relation: np.ndarray | None,
    num_edges: int,
    names: Sequence[str],
    directed: bool | Sequence[bool | None] | None,
) -> tuple[np.ndarray | None, Sequence[bool | None]]:
    """Check the relation of each edge; return also the direction that is said of each relation."""
    if relation is not None:
        relation = np.asarray(relation)
        _check_codes(relation, num_edges, len(names))
    elif len(names) != 1:
        raise InputError(f"relation_names must be one name without relation, got {len(names)}.")
    if directed is None or isinstance(directed, bool):
        directed = [directed] * len(names)
    if len(directed) != len(names):
        raise InputError(
            f"directed must be one value for each of the {len(names)} relations, "
            f"got {len(directed)}."
        )
    return relation, directed


def _check_codes(relation: np.ndarray, num_edges: int, num_relations: int) -> None:
    if relation.shape != (num_edges,):
        raise InputError(
            f"relation must be one number for each of the {num_edges} edges, "
            f"got an array of shape {relation.shape}."
        )
    if num_edges and relation.dtype.kind not in "iu":
        raise InputTypeError(f"relation must hold integers, got {relation.dtype}.")
    if num_edges and not (relation.min() >= 0 and relation.max() < num_relations):
        worst = relation.min() if relation.min() < 0 else relation.max()
        raise InputError(
            f"relation must be numbers of relation_names, 0 to {num_relations - 1}, got {worst}."
        )


def link_edges(
    source: np.ndarray,
    target: np.ndarray,
    relation: np.ndarray,
    relations: Relations,
    num_nodes: int,
) -> LinkedRows:
    """Merge duplicates and gather all that joins two nodes into one entry of each one's row."""
    # 1. both ends of each edge: the pair of nodes as seen from the row's node, and the channel
    pairs = np.concatenate([pack(source, target), pack(target, source)])
    out = relations.outgoing[relation]
    channels = np.concatenate([out, relations.opposite[out]])
    # 2. sorted by pair and channel: the ends of one pair form one entry
    order = np.lexsort((channels, pairs))
    pairs, channels = pairs[order], channels[order]
    first = np.ones(len(pairs), dtype=bool)
    first[1:] = pairs[1:] != pairs[:-1]
    start = np.flatnonzero(first)
    entries = pairs[start]
    # 3. the different channels of an entry form its link
    new = first.copy()
    new[1:] |= channels[1:] != channels[:-1]
    links, numbered = number_links((np.cumsum(first) - 1)[new], channels[new], relations)
    indptr = np.zeros(num_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(entries >> 32, minlength=num_nodes), out=indptr[1:])
    return LinkedRows(
        indptr=indptr,
        indices=(entries & 2**32 - 1).astype(np.int32),
        links=links,
        relations=numbered,
        start=start,
        edge=order % max(len(source), 1),
        outgoing=~relations.incoming[channels],
    )


def weights_of_entries(weights: np.ndarray, rows: LinkedRows) -> tuple[np.ndarray, int]:
    """Largest weight that leads to each neighbour, or comes, and how many entries had several."""
    ends = weights[rows.edge]
    if not len(ends):
        return ends, 0
    best = np.maximum.reduceat(np.where(rows.outgoing, ends, -np.inf), rows.start)
    worst = np.minimum.reduceat(np.where(rows.outgoing, ends, np.inf), rows.start)
    leads = ~np.isneginf(best)
    largest = np.where(leads, best, np.maximum.reduceat(ends, rows.start))
    return largest.astype(np.float32), int(((best > worst) & leads).sum())
