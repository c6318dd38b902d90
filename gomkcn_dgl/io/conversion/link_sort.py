"""Edges with directions and relations → the sorted rows of a graph, in bounded memory.

What :func:`gomkcn_dgl.edges.link_edges` does in memory: an edge has two ends, each a key,
the pair of nodes as seen from one of them, and a code, twice the channel, and one more where the
end is that of the target. Ends with equal keys form an entry and its link.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.edges import CONFLICTS, DUPLICATES, MIRRORED, kept_edges, weights_of_ends
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import append_npy, chunks, map_npy, read_rows
from gomkcn_dgl.io.conversion.external_sort import SortedRuns, count_rows
from gomkcn_dgl.io.conversion.node_numbering import is_first
from gomkcn_dgl.relations import MAX_LINKS, Relations, number_links

# Bytes at the peak for each end of a part, and more for each of its values.
BYTES_PER_END, BYTES_PER_VALUE = 160, 80
_LOW_HALF = 2**32 - 1


class Edges(NamedTuple):
    """Edges between rows, int64 ``[n]``, their weights and the numbers of their relations."""

    source: np.ndarray
    target: np.ndarray
    weights: np.ndarray | None
    relation: np.ndarray


class LinkSort:
    """Sorts edges by means of scratch files in a folder, as ``csr_from_edges`` does in memory."""

    def __init__(self, folder: Path, relations: Relations, weighted: bool) -> None:
        self.repairs: Counter[str] = Counter()
        self._folder, self._relations = folder, relations
        # of equal ends, the largest and the smallest weights stay
        self._runs = SortedRuns(folder, [np.uint16, *[np.float32] * (2 * weighted)])
        self._num_edges = 0

    def add(self, edges: Edges) -> None:
        """Write the ends of edges as a sorted run."""
        keep = kept_edges(edges.source, edges.target, edges.weights, self.repairs)
        source, target = edges.source[keep], edges.target[keep]
        self._num_edges += len(source)
        keys = np.concatenate([source << 32 | target, target << 32 | source])
        out = self._relations.outgoing[edges.relation[keep]]
        codes = np.concatenate([2 * out, 2 * self._relations.opposite[out] + 1]).astype(np.uint16)
        values = [] if edges.weights is None else [np.tile(edges.weights[keep], 2)]
        self._runs.add(*_merge(keys, codes, values * 2))

    def write(
        self, folder: Path, num_nodes: int, keys_at_once: int
    ) -> tuple[np.ndarray, Relations, int]:
        """Write indices, links and values; return ``indptr``, the relations and how many edges."""
        indptr, registry = np.zeros(num_nodes + 1, np.int64), _Links(self._relations)
        given, channels_seen = np.zeros((2, len(self._relations.channels)), np.int64)
        incoming = self._relations.incoming
        for keys, codes, *values in self._runs.parts(keys_at_once):
            keys, codes, *values = _merge(keys, codes, values)
            channels = codes >> 1
            given += np.bincount(channels[codes & 1 == 0], minlength=len(given))
            # the ends of a pair form an entry, its different channels a link
            first = is_first(keys)
            new = first.copy()
            new[1:] |= channels[1:] != channels[:-1]
            channels_seen += np.bincount(channels[new], minlength=len(given))
            links = registry.number((np.cumsum(first) - 1)[new], channels[new].astype(np.int64))
            append_npy(self._folder / "links.npy", links)
            if values:
                weights, conflicts = weights_of_ends(
                    values[0], values[1], ~incoming[channels], np.flatnonzero(first)
                )
                self.repairs[CONFLICTS] += conflicts
                append_npy(folder / "weights.npy", weights)
            keys = keys[first]
            append_npy(folder / "indices.npy", (keys & _LOW_HALF).astype(np.int32))
            count_rows(indptr, keys >> 32)
        np.cumsum(indptr, out=indptr)
        # an edge without direction has two ends of one channel
        both = self._relations.opposite == np.arange(len(given))
        self.repairs[DUPLICATES] = self._num_edges - int(given.sum())
        self.repairs[MIRRORED] = int(channels_seen[both].sum() - given[both].sum())
        # in the order in which such repairs are listed
        self.repairs[CONFLICTS] = self.repairs.pop(CONFLICTS, 0)
        relations = registry.write(self._folder / "links.npy", folder / "links.npy")
        return indptr, relations, int(channels_seen.sum()) // 2


def _merge(keys: np.ndarray, codes: np.ndarray, values: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Sort ends by key and code; of equal ones one stays, with the largest and smallest values."""
    order = np.lexsort((codes, keys))
    keys, codes = keys[order], codes[order]
    new = is_first(keys)
    new[1:] |= codes[1:] != codes[:-1]
    first = np.flatnonzero(new)
    merged = values
    if len(first):
        merged = [
            extreme.reduceat(one[order], first)
            for extreme, one in zip((np.maximum, np.minimum), values, strict=False)
        ]
    return (keys[first], codes[first], *merged)


class _Links:
    """Numbers links as they come, and in the order of their channels at the end."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._numbers: dict[bytes, int] = {}

    def number(self, groups: np.ndarray, channels: np.ndarray) -> np.ndarray:
        """Return the provisional number of the link of each group, uint16."""
        codes, part = number_links(groups, channels, self._relations)
        own = [
            self._numbers.setdefault(row.tobytes(), len(self._numbers))
            for row in np.packbits(part.links, axis=1)
        ]
        if len(self._numbers) > MAX_LINKS:
            raise InputError(
                f"pairs of nodes may be joined in up to {MAX_LINKS} different ways, got "
                f"{len(self._numbers)} or more; use fewer relations."
            )
        return np.array(own, np.uint16)[codes]

    def write(self, provisional: Path, final: Path) -> Relations:
        """Write the final numbers of all links; return the relations with these links."""
        packed = np.frombuffer(b"".join(self._numbers), np.uint8).reshape(len(self._numbers), -1)
        num_channels = len(self._relations.channels)
        table = np.unpackbits(packed, axis=1, count=num_channels).astype(bool)
        order = np.lexsort(table.T[::-1])
        relations = Relations(self._relations.names, self._relations.directed, table[order])
        if not relations.is_simple:
            number: np.ndarray = np.argsort(order).astype(relations.code_type)
            links = map_npy(provisional)
            append_npy(final, number[:0])
            for first, last in chunks(0, len(links)):
                append_npy(final, number[read_rows(links, first, last)])
        return relations


class BothWays:
    """Counts how many different edges each relation has, and how many are there both ways."""

    def __init__(self, folder: Path, num_relations: int) -> None:
        folder.mkdir()
        self._folder, self._num_relations = folder, num_relations
        self._runs = SortedRuns(folder, [np.uint16])

    def add(self, edges: Edges) -> None:
        """Take some edges; the code of one is twice its relation, and one more if it goes down."""
        keep = kept_edges(edges.source, edges.target, edges.weights, Counter())
        source, target = edges.source[keep], edges.target[keep]
        codes = 2 * edges.relation[keep] + (source > target)
        keys = np.minimum(source, target) << 32 | np.maximum(source, target)
        self._runs.add(*_merge(keys, codes.astype(np.uint16), []))

    def count(self, keys_at_once: int) -> tuple[np.ndarray, np.ndarray]:
        """Return both numbers for each relation, int64 ``[R]``."""
        edges, both = np.zeros((2, self._num_relations), np.int64)
        for keys, codes in self._runs.parts(keys_at_once):
            keys, codes = _merge(keys, codes, [])
            relation = codes >> 1
            edges += np.bincount(relation, minlength=len(edges))
            paired = (keys[1:] == keys[:-1]) & (relation[1:] == relation[:-1])
            both += 2 * np.bincount(relation[1:][paired], minlength=len(both))
        return edges, both
