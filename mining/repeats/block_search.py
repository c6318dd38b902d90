"""The search for repeated blocks: seeds grow, the best candidates are completed, the rest is left.

Two blocks that share most of their edges say the same, and the one that is worth more is kept. Both
are kept where the larger consists of several copies of the smaller, as adders of full adders do:
what a block consists of is looked for within it, since the whole graph may have a piece across its
parts that is worth more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gomkcn.mining.repeats.growth import BlockGraph, Candidate
from gomkcn.mining.repeats.seeds import Seed, find_seeds
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.job import TimeUpError

# seeds by refined colours, and by kinds alone: of a block each of its edges is one, so that few of
# each block are enough
MOST_SEEDS, MOST_PLAIN = 24, 8
# blocks that share more of the edges of one of them say the same
_SAME = 0.5
# a seed whose edges are mostly in a candidate of nearly as many copies grows into the same
_AS_MANY = 0.8
# copies of a smaller block in each of a larger one, for both to be kept
_LEAST_INSIDE = 2


class SearchSettings(NamedTuple):
    """What is searched for: disjoint copies, nodes of a block, and what a copy may lack or have.

    With ``grows_again`` the block that is worth most grows once more from its parts.
    """

    least_copies: int
    least_nodes: int
    most_nodes: int
    most_errors: int
    most_blocks: int
    grows_again: bool = True


def search_blocks(
    graph: CSRGraph,
    kinds: np.ndarray,
    settings: SearchSettings,
    check_time: Callable[[], None],
    *,
    in_time: bool = True,
) -> list[Candidate]:
    """The blocks of a graph with ``kinds [V]`` of nodes, those that are worth most first.

    ``check_time`` raises a TimeUpError when time is up. With ``in_time``, what was found by then is
    returned.
    """
    if not len(graph.indices):
        return []
    searched = BlockGraph.of(graph, kinds)
    candidates: list[Candidate] = []
    kept: list[_Kept] = []
    try:
        _grow_seeds(searched, settings, check_time, candidates)
        candidates.sort(key=lambda block: -block.worth)
        for block in candidates:
            if not _adds(_Kept.of(searched, block), kept):
                continue
            limits = settings.least_copies, settings.most_nodes, settings.most_errors, check_time
            better = searched.improve(block, *limits)
            if not kept and settings.grows_again:
                # p is that of the block that is worth most, which is looked for longest
                better = searched.grow_from_parts(better, *limits)
            entry = _Kept.of(searched, better)
            if not _adds(entry, kept):
                # what it has grown into is there already; it may stand for itself
                entry = _Kept.of(searched, block)
            kept.append(entry)
            if len(kept) == settings.most_blocks:
                break
        kept = _with_parts(searched, kept, settings, check_time)
    except TimeUpError:
        if not in_time:
            raise
        # as they have grown
        candidates.sort(key=lambda block: -block.worth)
        for block in candidates:
            entry = _Kept.of(searched, block)
            if len(kept) < settings.most_blocks and _adds(entry, kept):
                kept.append(entry)
    return [entry.block for entry in kept]


def _with_parts(
    searched: BlockGraph,
    kept: list[_Kept],
    settings: SearchSettings,
    check_time: Callable[[], None],
) -> list[_Kept]:
    """Blocks with those that they consist of, without what lies across these and covers less."""
    parts: list[_Kept] = []
    for entry in kept:
        for block in _parts_of(searched, entry.block, settings, check_time):
            part = _Kept.of(searched, block)
            if block.worth > 0 and _adds(part, parts):
                parts.append(part)
    whole = [
        entry
        for entry in kept
        if all(
            entry.block.covered > part.block.covered or not _are_alike(entry, part)
            for part in parts
        )
    ]
    return [*whole, *(part for part in parts if _adds(part, whole))]


def _parts_of(
    searched: BlockGraph,
    block: Candidate,
    settings: SearchSettings,
    check_time: Callable[[], None],
) -> list[Candidate]:
    """The largest block of which several copies make up most of a block, and its own parts."""
    most_nodes = len(block.kinds) // _LEAST_INSIDE
    if most_nodes < settings.least_nodes:
        return []
    _, kinds = np.unique(block.kinds, return_inverse=True)
    inside = BlockGraph.of(_graph_of_links(searched.graph, block.links), kinds)
    found: list[Candidate] = []
    for seed in find_seeds(inside.graph, inside.ways, _LEAST_INSIDE, MOST_PLAIN, MOST_SEEDS):
        found += inside.grow(seed.edges, _LEAST_INSIDE, most_nodes, check_time)
    able = [
        one
        for one in found
        if len(one.kinds) >= settings.least_nodes and one.covered > _SAME * block.num_edges
    ]
    if not able:
        return []
    best = max(able, key=lambda one: (one.covered, len(one.kinds)))
    part = replace(
        best,
        copies=block.copies[:, best.copies].reshape(-1, len(best.kinds)),
        kinds=block.kinds[best.copies[0]],
    )
    part = searched.with_more_copies(part)
    return [part, *_parts_of(searched, part, settings, check_time)]


def _graph_of_links(graph: CSRGraph, links: np.ndarray) -> CSRGraph:
    """The graph of a block, ``links [M, M]``, with the relations of the graph that it is in."""
    row, column = np.nonzero(links)
    size = len(links)
    return CSRGraph(
        indptr=np.concatenate([[0], np.cumsum(np.bincount(row, minlength=size))]),
        indices=column.astype(graph.indices.dtype),
        features=np.zeros((size, 0), np.float32),
        weights=None,
        graph_ptr=np.array([0, size]),
        node_ids=None,
        feature_names=(),
        relations=graph.relations,
        links=None if graph.links is None else links[row, column].astype(graph.links.dtype),
    )


def _grow_seeds(
    searched: BlockGraph,
    settings: SearchSettings,
    check_time: Callable[[], None],
    found: list[Candidate],
) -> None:
    """Add to ``found`` what grows from each seed, and is worth something."""
    graph = searched.graph
    least = settings.least_copies
    # the most copies of a candidate that has the entry
    covered = np.zeros(len(graph.indices), np.int64)
    for seed in find_seeds(graph, searched.ways, least, MOST_PLAIN, MOST_SEEDS):
        check_time()
        if _is_covered(seed, covered):
            continue
        for block in searched.grow(seed.edges, least, settings.most_nodes, check_time):
            if block.worth > 0 and len(block.kinds) >= settings.least_nodes:
                found.append(block)
                entries = entries_of(searched, block)
                covered[entries] = np.maximum(covered[entries], len(block.copies))


def _is_covered(seed: Seed, covered: np.ndarray) -> bool:
    there = covered[seed.entries] >= _AS_MANY * len(seed.entries)
    return bool(there.mean() > _SAME)


def entries_of(searched: BlockGraph, block: Candidate) -> np.ndarray:
    """The entries of the edges of all copies of a block, both ways, without those it lacks."""
    pairs = np.argwhere(block.links)
    entries = searched.view.entries_of(block.copies, pairs).reshape(-1)
    return entries[entries >= 0]


class _Kept(NamedTuple):
    """A block with its edges, and the copy that each node is in, -1 for none."""

    block: Candidate
    entries: np.ndarray
    owner: np.ndarray

    @classmethod
    def of(cls, searched: BlockGraph, block: Candidate) -> _Kept:
        owner = np.full(searched.graph.num_nodes, -1)
        owner[block.copies] = np.arange(len(block.copies))[:, None]
        return cls(block, entries_of(searched, block), owner)


def _adds(entry: _Kept, kept: list[_Kept]) -> bool:
    """Whether a block says something that those that are kept do not."""
    return all(not _are_alike(entry, other) for other in kept)


def _are_alike(entry: _Kept, other: _Kept) -> bool:
    shared = len(np.intersect1d(entry.entries, other.entries, assume_unique=True))
    if shared <= _SAME * min(len(entry.entries), len(other.entries)):
        return False
    small, large = sorted((entry, other), key=lambda one: len(one.block.kinds))
    inside = copies_inside(small.block.copies, large.owner)
    return int(inside.sum()) < _LEAST_INSIDE * len(large.block.copies)


def copies_inside(copies: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Which copies ``[K, M]`` lie in a single copy of another block, by ``owner [V]``; bool."""
    owners = owner[copies]
    inside: np.ndarray = (owners[:, 0] >= 0) & (owners == owners[:, :1]).all(axis=1)
    return inside
