"""Edges with relations and directions → rows of neighbours, each with the link to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.relations import Relations, number_links, relations_of


class LinkedRows(NamedTuple):
    """Rows of neighbours, and where their entries come from; an entry has one or more edge ends."""

    indptr: np.ndarray  # int64 [V + 1]
    indices: np.ndarray  # int32 [E]
    links: np.ndarray  # uint8 or uint16 [E]
    relations: Relations  # with the links that occur
    start: np.ndarray  # int64 [E], first edge end of each entry, among those below
    edge: np.ndarray  # int64, edge of each edge end
    outgoing: np.ndarray  # bool, whether the edge leads from the row's node or has no direction
    num_edges: int  # edges without duplicates


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


def find_relations(
    source: np.ndarray,
    target: np.ndarray,
    relation: np.ndarray | None,
    names: Sequence[str],
    directed: bool | Sequence[bool | None] | None,
) -> Relations:
    """Check the relation of each edge; find which relations have a direction, where it is None.

    A relation has none when each of its edges is there in both directions.
    """
    names = [str(name) for name in names]
    if relation is not None:
        _check_codes(np.asarray(relation), len(source), len(names))
    elif len(names) != 1:
        raise InputError(f"relation_names must be one name without relation, got {len(names)}.")
    if directed is None or isinstance(directed, bool):
        directed = [directed] * len(names)
    if len(directed) != len(names):
        raise InputError(
            f"directed must be one value for each of the {len(names)} relations, "
            f"got {len(directed)}."
        )
    found = []
    for number, declared in enumerate(directed):
        if declared is None:
            here = slice(None) if relation is None else relation == number
            declared = not _is_symmetric(source[here], target[here])
        found.append(declared)
    return relations_of(names, found)


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


def _is_symmetric(source: np.ndarray, target: np.ndarray) -> bool:
    there, back = sorted_distinct(pack(source, target)), sorted_distinct(pack(target, source))
    return np.array_equal(there, back)


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
        num_edges=int(new.sum()) // 2,
    )


def weights_of_entries(weights: np.ndarray, rows: LinkedRows) -> tuple[np.ndarray, int]:
    """Weight of each entry: the largest of the edges that lead to the neighbour.

    ``weights`` are ``[edges]``; where no edge leads there, one that comes from there counts. Return
    also how many entries had edges of different weights.
    """
    ends = weights[rows.edge]
    return weights_of_ends(ends, ends, rows.outgoing, rows.start)


def weights_of_ends(
    largest: np.ndarray, smallest: np.ndarray, outgoing: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, int]:
    """Weights of entries, ``[entries]``, from those of their edge ends, ``[ends]``.

    An end may stand for several equal ones, of which it has the largest and the smallest weight.
    """
    if not len(start):
        return largest, 0
    best = np.maximum.reduceat(np.where(outgoing, largest, -np.inf), start)
    incoming = np.maximum.reduceat(largest, start)
    worst = np.minimum.reduceat(np.where(outgoing, smallest, np.inf), start)
    leads = ~np.isneginf(best)
    conflicts = (best > worst) & leads
    return np.where(leads, best, incoming).astype(np.float32), int(conflicts.sum())
