"""The neighbourhoods of nodes beside patterns: which pattern is nearest to each node.

A pattern of M nodes is compared with the subgraph of at most M nodes around a root, so that a
similarity of 1 means that the neighbourhood is the pattern, whatever its size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from gomkcn_dgl._torch import torch
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.steps import Steps
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.rooted_subgraphs import RootedSubgraphs, ScaledFeatures
from mining.learning.subgraph_source import SubgraphSource
from mining.pattern import Pattern

# for each node of a pattern that a neighbourhood is isomorphic to, a similarity counts as larger by
# this: between equals the structure decides, and the pattern that says most
TIE = 1e-5
# roots of one task
_TASK_SIZE = 16_384
# rounds of turning places and taking the mean
_ROUNDS = 3
# entries of the table of places and symmetries that are in memory at once
_TABLE_SIZE = 2**22


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """R roots compared with P patterns, of several profiles with the most similar one.

    ``roots`` is int64 ``[R]``, ``sizes`` int64 ``[P]`` the nodes of each pattern; ``similarity`` is
    float32 ``[R, P]``, and ``same`` bool ``[R, P]`` says which have exactly its structure.
    """

    roots: np.ndarray
    sizes: np.ndarray
    similarity: np.ndarray
    same: np.ndarray

    @property
    def nearest(self) -> np.ndarray:
        """Position of the nearest of at least one pattern, int64 ``[R]``.

        Ties are decided by the structure.
        """
        more = (TIE * self.sizes).astype(np.float32)
        return np.asarray((self.similarity + more * self.same).argmax(axis=1))


def compare_neighbourhoods(
    source: SubgraphSource,
    graph: CSRGraph,
    patterns: Sequence[Pattern],
    roots: np.ndarray | None,
    steps: Steps | None = None,
) -> Neighbourhoods:
    """Compare the subgraphs around some roots, or around all nodes, with patterns of any sizes.

    All processes share the work, and all get the result.
    """
    steps = Steps() if steps is None else steps
    roots = np.arange(graph.num_nodes) if roots is None else roots
    size = min(_TASK_SIZE, source.part_size)
    parts = steps.each(
        "comparing neighbourhoods",
        lambda start: _compare_part(source, graph, patterns, roots[start : start + size]),
        range(0, max(1, len(roots)), size),
        key=lambda start: b"%d of %d" % (start, size),
    )
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    sizes = np.array([one.num_nodes for one in patterns])
    return Neighbourhoods(roots, sizes, **joined)


def _compare_part(
    source: SubgraphSource, graph: CSRGraph, patterns: Sequence[Pattern], roots: np.ndarray
) -> dict[str, np.ndarray]:
    """The arrays of :class:`Neighbourhoods` for some roots."""
    similarity = np.zeros((len(roots), len(patterns)), np.float32)
    same = np.zeros(similarity.shape, bool)
    for size in sorted({one.num_nodes for one in patterns}):
        subgraphs = source.resized(size).subgraphs_around(graph, roots)
        for number in [i for i, one in enumerate(patterns) if one.num_nodes == size]:
            own = filters_of(patterns[number], source)
            similarity[:, number] = subgraphs.similarity(own).max(axis=1)
            same[:, number] = _have_structure(source, subgraphs, patterns[number].structure)
    return {"similarity": similarity, "same": same}


def filters_of(pattern: Pattern, source: SubgraphSource) -> DiscreteFilters:
    """The profiles of a pattern as the kernel takes them."""
    channels = pattern.structure.channels.astype(np.float32)
    matrix = torch.from_numpy(channels[..., 0] if channels.shape[2] == 1 else channels)
    feat = torch.from_numpy(
        np.stack([source.scaling.scale(one.features) for one in pattern.profiles])
    )
    adj = matrix.expand(len(feat), *matrix.shape)
    return DiscreteFilters(adj, feat, adj, (pattern.num_nodes,) * len(feat))


def _have_structure(
    source: SubgraphSource, subgraphs: RootedSubgraphs, structure: Structure
) -> np.ndarray:
    """Which subgraphs have a structure of their size, categories included, bool ``[S]``."""
    same = subgraphs.forms.has(replace(structure, categories=()).key)
    if not structure.categories:
        return same
    # of those with its edges, each kind is compared once
    rows, graph = np.flatnonzero(same), subgraphs.graph
    batch = subgraphs.batch.take(rows)
    colors = source.categories.colors(graph.features[batch.nodes[:, : structure.num_nodes]])
    known: dict[bytes, bool] = {}
    for row, adj, own in zip(rows.tolist(), batch.adjacency(), colors, strict=True):
        kind = adj.tobytes() + own.tobytes()
        if kind not in known:
            names = source.categories.names_of(own, graph.feature_names)
            known[kind] = Structure(adj > 0, batch.relations, names).key == structure.key
        same[row] = known[kind]
    return same


@dataclass(frozen=True, eq=False)
class Places:
    """Places of a pattern: ``nodes`` int32 ``[K, M]``, and what features they have.

    ``owner [K]`` is the number of the center that each place is nearest to, and ``means`` has, by
    that number, the mean scaled features ``[M, D]`` of the places of each, most places first.
    ``joined`` says of each center that was given which of these took its places.
    """

    nodes: np.ndarray
    owner: np.ndarray
    means: dict[int, np.ndarray]
    joined: dict[int, int]


def turn_places(
    nodes: np.ndarray,
    structure: Structure,
    features: ScaledFeatures,
    centers: Sequence[np.ndarray] = (),
    min_occurrences: int = 1,
) -> Places:
    """Turn the places ``nodes [K, M]`` of a structure by their features.

    ``centers [M, D]`` are the features that filters learnt for it, in the order of its nodes;
    without any there is one, of the features that the places have. The places of a center with
    fewer than ``min_occurrences``, or which differs from another one less than their places do, go
    to the others.
    """
    owner, joined = np.zeros(len(nodes), np.int64), dict.fromkeys(range(len(centers) or 1), 0)
    if not len(nodes):
        blank = np.zeros((structure.num_nodes, features.shape[1]), np.float32)
        return Places(nodes, owner, {0: np.asarray([*centers, blank][0], np.float32)}, joined)
    low, high = features.bounds()
    symmetries = structure.symmetries
    if (low == high).all() or (len(symmetries) == 1 and len(centers) < 2):
        # no features to go by, or only one way to lay the structure onto a place
        mean = features[nodes].mean(axis=0, dtype=np.float64)
        return Places(nodes, owner, {0: mean.astype(np.float32)}, joined)
    values = features[nodes].astype(np.float64)  # [K, M, D]
    means = dict(enumerate(np.asarray(one, np.float64) for one in centers)) or {0: values[0]}
    joined, rounds = {i: i for i in means}, 0
    while rounds < _ROUNDS:
        # each place in the turn, and at the center, that leaves the least distance
        owner, turn = _nearest_turns(values, means, symmetries)
        turned = np.take_along_axis(values, symmetries[turn][:, :, None], axis=1)
        places = {i: turned[owner == i] for i in means}
        pair = _idle_center(places, means, symmetries, max(1, min_occurrences))
        if pair is not None:
            joined = {i: pair[1] if to == pair[0] else to for i, to in joined.items()}
            del means[pair[0]]
            continue
        means = {i: own.mean(axis=0) for i, own in places.items()}
        rounds += 1
    order = sorted(means, key=lambda i: -len(places[i]))
    return Places(
        np.take_along_axis(nodes, symmetries[turn], axis=1),
        owner,
        {i: means[i].astype(np.float32) for i in order},
        joined,
    )


def _idle_center(
    places: Mapping[int, np.ndarray],
    means: Mapping[int, np.ndarray],
    symmetries: np.ndarray,
    least: int,
) -> tuple[int, int] | None:
    """A center of few ``places [k, M, D]``, or as near to another as these are; and that one."""

    def distance(one: np.ndarray, other: np.ndarray) -> float:
        return float(((one[symmetries] - other) ** 2).sum(axis=(1, 2)).min())

    rarest, *others = sorted(means, key=lambda i: len(places[i]))
    if others and len(places[rarest]) < least:
        return rarest, min(others, key=lambda i: distance(means[i], means[rarest]))
    middle = {i: own.mean(axis=0) for i, own in places.items()}
    spread = {i: float(own.var(axis=0).sum()) for i, own in places.items()}
    for one, other in combinations([rarest, *others], 2):
        if distance(middle[one], middle[other]) <= min(spread[one], spread[other]):
            return one, other
    return None


def _nearest_turns(
    values: np.ndarray, means: Mapping[int, np.ndarray], symmetries: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Number of the nearest mean ``[M, D]`` of each place, and of the turn that is nearest to it.

    Under a turn, pattern node i is at node ``symmetries[turn, i]`` of the place.
    """
    best = np.full(len(values), np.inf)
    owner, turn = np.zeros((2, len(values)), np.int64)
    size = symmetries.shape[1]
    step = max(1, _TABLE_SIZE // (len(symmetries) + values[0].size * size))
    # which node of the place is at which of the pattern under each turn, [M M, P]
    at = np.zeros((size, size, len(symmetries)))
    at[symmetries.T, np.arange(size)[:, None], np.arange(len(symmetries))] = 1
    for start in range(0, len(values), step):
        part = slice(start, start + step)
        for number, mean in means.items():
            # squared distance of each node of the place and each node of the pattern, [k, M, M]
            gap = ((values[part, :, None] - mean[None, None]) ** 2).sum(axis=3)
            # turns that are equally near are told apart by their order, not by rounding
            total = np.round(gap.reshape(len(gap), -1) @ at.reshape(size**2, -1), 9)  # [k, P]
            least = total.argmin(axis=1)
            distance = total[np.arange(len(total)), least]
            nearer = distance < best[part]
            best[part] = np.where(nearer, distance, best[part])
            owner[part] = np.where(nearer, number, owner[part])
            turn[part] = np.where(nearer, least, turn[part])
    return owner, turn


def similarity_of_places(kernel: GOMKKernel, values: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """How similar the scaled features of places ``[K, M, D]`` are to a profile's, float32 ``[K]``.

    Places are joined as the pattern is: it is the mean similarity of each node and that of the
    pattern, as the kernel has it at level 0.
    """
    square = ((values - mean) ** 2).sum(axis=2)
    similarity = np.exp(-square / kernel.bandwidth(values.shape[2])[0]).mean(axis=1)
    return np.asarray(similarity, np.float32)
