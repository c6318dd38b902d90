"""Where blocks begin: classes of edges whose ends look alike, more often than chance would have it.

Nodes are coloured by their kinds and refined by the colours of their neighbours (B. Weisfeiler and
A. Leman, 1968), for a few rounds: by all of them, and in graphs with directions also by those that
edges come from alone, and by those that they lead to. Colours follow from the graph, not from how
its nodes are numbered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.search_numba import mix64

# rounds of refinement; in the next one hardly two nodes that have neighbours outside look alike
ROUNDS = 3
# edges of a class by kinds alone that copies grow from
MOST_EDGES = 4096
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Seed:
    """Edges of a class: the nodes ``[K, 2]`` and the entry ``[K]`` of each, and what it is worth.

    ``worth`` is the logarithm of the likelihood ratio, in bits, of so many edges of the class.
    """

    edges: np.ndarray
    entries: np.ndarray
    worth: float


def refine(graph: CSRGraph, kinds: np.ndarray) -> list[np.ndarray]:
    """Colours from 0, int64 ``[ROUNDS + 1, V]``, the kinds first, for each way to refine them."""
    relations = graph.relations
    channels = relations.links
    ways = [np.ones(channels.shape[1], bool)]
    if relations.is_directed:
        both = np.array([side == "both" for _, side in relations.channels])
        ways += [relations.incoming | both, ~relations.incoming]
    number = np.arange(1, channels.shape[1] + 1, dtype=np.uint64)
    found = []
    for way in ways:
        # what an entry is worth by the channels that are looked at; nothing without any
        hashes = ((channels & way) * mix64(number * _ODD)).sum(axis=1, dtype=np.uint64)
        links = np.ones(len(graph.indices), np.int64) if graph.links is None else graph.links
        over = hashes[links]
        counts = over != 0
        rounds = [kinds]
        for _ in range(ROUNDS):
            color = mix64(rounds[-1].astype(np.uint64) + np.uint64(1))
            arriving = np.where(counts, mix64(color[graph.indices] ^ over), np.uint64(0))
            total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(arriving, dtype=np.uint64)])
            around = total[graph.indptr[1:]] - total[graph.indptr[:-1]]
            refined = mix64(color * _ODD + around)
            rounds.append(np.unique(refined, return_inverse=True)[1].reshape(-1))
        found.append(np.array(rounds))
    return found


def find_seeds(
    graph: CSRGraph, ways: list[np.ndarray], least: int, most_plain: int, most: int
) -> list[Seed]:
    """The classes of at least so many edges, the most surprising first, then the plain ones.

    Parameters
    ----------
    ways : list of numpy.ndarray
        Those of :func:`refine`.
    least : int
        Edges of a class.
    most_plain : int
        Classes by the kinds of nodes alone, those of most edges.
    most : int
        Classes by refined colours.
    """
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    column = graph.indices.astype(np.int64)
    links = np.ones(len(row), np.int64) if graph.links is None else graph.links.astype(np.int64)
    # links in an order that follows from their names, so that it is the same for all graphs
    ranks = graph.relations.ranks
    forth, back = ranks[links], ranks[graph.relations.reverse[links]]
    # each edge as it reads from one end; from both, where it reads alike
    there = np.flatnonzero(forth <= back)
    row, column, forth, back = row[there], column[there], forth[there], back[there]
    seeds: list[Seed] = []
    seen = set[int]()
    for rounds in ways:
        for step in range(1, len(rounds)):
            ends = row, column, forth, back
            for seed in _surprising(rounds[step - 1], rounds[step], *ends, least, most):
                # ways and rounds may make the same class
                name = int(mix64(seed.entries.astype(np.uint64)).sum(dtype=np.uint64))
                if name not in seen:
                    seen.add(name)
                    seeds.append(replace(seed, entries=there[seed.entries]))
    seeds.sort(key=lambda seed: -seed.worth)
    kinds = ways[0][0]
    plain = [
        Seed(np.column_stack([row[entries], column[entries]]), there[entries], 0.0)
        for entries in _classes(kinds, row, column, forth, back, least)[0]
    ]
    # from edges of which there are very many, copies grow into what is common
    plain = [seed for seed in plain if len(seed.entries) <= MOST_EDGES]
    plain.sort(key=lambda seed: -len(seed.entries))
    return seeds[:most] + plain[:most_plain]


def _classes(
    color: np.ndarray,
    row: np.ndarray,
    column: np.ndarray,
    forth: np.ndarray,
    back: np.ndarray,
    least: int,
) -> tuple[list[np.ndarray], np.ndarray]:
    """The entries of each class of edges, and where they stand in all that are looked at.

    Of an edge the end comes first from which link and colours read as less; both, where they read
    alike.
    """
    left, right = color[row], color[column]
    reads = (forth < back) | ((forth == back) & (left <= right))
    entries = np.flatnonzero(reads)
    size = int(color.max(initial=0)) + 1
    pairs = left[entries] * size + right[entries]
    names = np.unique(pairs, return_inverse=True)[1].reshape(-1) * (int(forth.max(initial=0)) + 1)
    names = names + forth[entries]
    order = np.argsort(names, kind="stable")
    ordered = names[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    sizes = np.diff(np.concatenate([starts, [len(ordered)]]))
    kept = np.flatnonzero(sizes >= least)
    groups = [entries[order[starts[at] : starts[at] + sizes[at]]] for at in kept.tolist()]
    return groups, kept


def _surprising(
    before: np.ndarray,
    color: np.ndarray,
    row: np.ndarray,
    column: np.ndarray,
    forth: np.ndarray,
    back: np.ndarray,
    least: int,
    most: int,
) -> Iterator[Seed]:
    """Classes by refined colours that have more edges than by chance, the most surprising ones.

    Of the N edges between two colours of the round before, A have the refined colour at their first
    end and B at the second: by chance A B / N have both.
    """
    groups, _ = _classes(color, row, column, forth, back, least)
    if not groups:
        return
    size = int(color.max(initial=0)) + 1
    num_links = int(forth.max(initial=0)) + 1

    def counted(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """How many entries have the colours and the link of each entry."""
        names = np.unique(left * size + right, return_inverse=True)[1].reshape(-1)
        names = names * num_links + forth
        _, at, counts = np.unique(names, return_inverse=True, return_counts=True)
        return counts[at.reshape(-1)]

    of_both = counted(before[row], before[column])
    of_first = counted(color[row], before[column])
    of_second = counted(before[row], color[column])
    first = np.array([entries[0] for entries in groups])
    numbers = np.array([len(entries) for entries in groups])
    worth = numbers * np.log2(numbers * of_both[first] / (of_first[first] * of_second[first]))
    for at in np.argsort(-worth, kind="stable")[:most].tolist():
        if worth[at] > 0:
            entries = groups[at]
            edges = np.column_stack([row[entries], column[entries]])
            yield Seed(edges, entries, float(worth[at]))
