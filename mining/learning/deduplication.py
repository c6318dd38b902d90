"""Deduplication: of several filters that learnt the same pattern one remains.

Two filters of one structure are the same pattern when the kernel gives them almost the score of a
perfect match, or when their features differ less than those of their subgraphs do: the squared
distance of their mean features is smaller than the variance around either mean. Filters of
different structures stay apart, however much their occurrences overlap: in planted graphs, MUTAG,
ENZYMES, ego-Facebook and ca-GrQc hardly two structures an edge apart shared most of their
occurrences, and where they did one was a planted motif.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.matching_reference import similarity_table
from mining.graph_relations import links_in
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.rooted_subgraphs import RootedSubgraphs

# entries of the table of isomorphisms that are in memory at once
_TABLE_SIZE = 2_000_000
# two filters of the same structure with a larger normalised score are one pattern
_SAME_PATTERN = 0.99
# most subgraphs of a filter whose features are measured
_MAX_MEASURED = 500


def map_nodes(subgraphs: RootedSubgraphs, rows: np.ndarray, pattern: DiscreteFilters) -> np.ndarray:
    """Pattern node of each node of the subgraphs in ``rows [R]``, int64 ``[R, N]``; -1 for none.

    It is the matching of the kernel. Where a subgraph is isomorphic to the pattern, it is the most
    similar isomorphism: with symmetric nodes several matchings are optimal, and not all of them
    preserve the edges.
    """
    kernel, batch = subgraphs.kernel, subgraphs.batch.take(rows)
    x = subgraphs.embed(batch)
    z = kernel.embed(pattern.adj, pattern.feat)
    matched = kernel.match(x, z, torch.from_numpy(batch.num_nodes), subgraphs.backend)
    mapping = matched.matching[:, 0].numpy().astype(np.int64)
    # padding of the subgraph or of the pattern corresponds to nothing
    size = pattern.num_nodes[0]
    padding = np.arange(batch.max_nodes) >= batch.num_nodes[:, None]
    mapping[(mapping >= size) | padding] = -1
    # of the isomorphic subgraphs, those whose matching does not preserve the edges
    target = pattern.structure(0, batch.relations)
    same = (batch.num_nodes == size) & subgraphs.forms.has(target.key)[rows]
    broken = np.flatnonzero(same)
    links = links_in(batch.relations, target)
    structure = batch.structure()[broken, :size, :size]
    preserved = _preserves_edges(structure, links, mapping[broken, :size])
    broken = broken[~preserved]
    if len(broken):
        widths = kernel.bandwidth(x.shape[3])
        table = similarity_table(x[torch.from_numpy(broken)], z, widths)[:, 0]
        positions = subgraphs.forms.positions(rows[broken])[:, :size]
        mapping[broken, :size] = _best_isomorphisms(positions, target, table.numpy())
    return mapping


def _best_isomorphisms(positions: np.ndarray, target: Structure, table: np.ndarray) -> np.ndarray:
    """Most similar isomorphism to a pattern of nodes at canonical ``positions [R, N]``, ``[R, N]``.

    ``table [R, N, M]`` are the node similarities.
    """
    node_at = target.symmetries[:, target.form.order]  # [P, N]
    best = np.empty_like(positions)
    step = max(1, _TABLE_SIZE // node_at.size)
    for start in range(0, len(positions), step):
        part = slice(start, start + step)
        candidates = node_at[:, positions[part]].transpose(1, 0, 2)  # [R, P, N]
        row = np.arange(len(candidates))[:, None, None]
        similarity = table[part][row, np.arange(positions.shape[1]), candidates].sum(axis=2)
        best[part] = candidates[row[:, 0, 0], similarity.argmax(axis=1)]
    return best


def _preserves_edges(structure: np.ndarray, links: np.ndarray, mapping: np.ndarray) -> np.ndarray:
    """Which of the ``mapping [R, N]`` take ``structure [R, N, N]`` to ``links``, bool ``[R]``."""
    mapped = links[mapping[:, :, None], mapping[:, None, :]]
    complete = (mapping >= 0).all(axis=1)
    preserved: np.ndarray = complete & (structure == mapped).all(axis=(1, 2))
    return preserved


@dataclass(frozen=True)
class _FeatureMoments:
    """Mean and variance ``[M, D]`` of the node features of ``count`` subgraphs."""

    count: int
    mean: np.ndarray
    variance: np.ndarray

    def is_near(self, other: _FeatureMoments) -> bool:
        """Whether the means differ less than the features around either."""
        distance = ((self.mean - other.mean) ** 2).sum()
        return bool(distance <= min(self.variance.sum(), other.variance.sum()))

    def with_mean_of(self, other: _FeatureMoments) -> _FeatureMoments:
        """Move the mean to that of both; the variance stays."""
        count = self.count + other.count
        mean = (self.count * self.mean + other.count * other.mean) / count
        return _FeatureMoments(count, mean, self.variance)


def deduplicate(filters: DiscreteFilters, subgraphs: RootedSubgraphs) -> DiscreteFilters:
    """Merge the filters that learnt the same pattern into the one with the most subgraphs.

    Returns at most F filters in their old order; ``merged`` tells how many each one stands for,
    and its features are the mean over all of them.
    """
    kernel, sizes = subgraphs.kernel, torch.tensor(filters.num_nodes, dtype=torch.int64)
    z = kernel.embed(filters.adj, filters.feat)
    among_filters = kernel.similarity(z, sizes, z, sizes, subgraphs.backend).numpy()
    similarity = subgraphs.similarity(filters)
    # filters of one structure are a group
    groups: dict[bytes, list[int]] = {}
    for number, key in enumerate(filters.structure_keys(subgraphs.batch.relations)):
        groups.setdefault(key, []).append(number)
    feat, merged = filters.feat.clone(), list(filters.merged)
    remaining: list[int] = []
    for key, numbers in groups.items():
        # the subgraphs of this structure go to the most similar filter of the group
        rows = np.flatnonzero(subgraphs.forms.has(key))
        nearest = similarity[rows][:, numbers].argmax(axis=1)
        rows_of = {number: rows[nearest == i] for i, number in enumerate(numbers)}
        own: dict[int, _FeatureMoments | None] = {}
        total: dict[int, _FeatureMoments | None] = {}
        # the filter with the most subgraphs first; others are merged into the first that is near
        for number in sorted(numbers, key=lambda number: -len(rows_of[number])):
            for first in own:
                # measured in the node order of the filter that may take this one in
                moments = _measure_features(filters, first, rows_of[number], subgraphs)
                before, sum_so_far = own[first], total[first]
                near = before is not None and moments is not None and before.is_near(moments)
                if among_filters[number, first] >= _SAME_PATTERN or near:
                    merged[first] += merged[number]
                    if sum_so_far is not None and moments is not None:
                        total[first] = sum_so_far.with_mean_of(moments)
                    break
            else:
                own[number] = _measure_features(filters, number, rows_of[number], subgraphs)
                total[number] = own[number]
        # a filter that others were merged into gets the mean features of all
        for number, moments in total.items():
            if moments is not None and moments is not own[number]:
                feat[number, : len(moments.mean)] = torch.from_numpy(moments.mean).float()
        remaining += own
    remaining.sort()
    joined = replace(filters, feat=feat, merged=tuple(merged))
    return joined.take(remaining)


def _measure_features(
    filters: DiscreteFilters, number: int, rows: np.ndarray, subgraphs: RootedSubgraphs
) -> _FeatureMoments | None:
    """Moments of subgraphs of the structure of filter ``number``, in its node order."""
    if not len(rows):
        return None
    spaced = np.linspace(0, len(rows) - 1, min(len(rows), _MAX_MEASURED)).astype(np.int64)
    sample = rows[spaced]
    size = filters.num_nodes[number]
    mapping = map_nodes(subgraphs, sample, filters.take([number]))[:, :size]
    nodes = np.empty((len(sample), size), np.int64)
    np.put_along_axis(nodes, mapping, subgraphs.batch.nodes[sample, :size], axis=1)
    features = subgraphs.features[nodes].astype(np.float64)  # [R, M, D]
    return _FeatureMoments(len(rows), features.mean(axis=0), features.var(axis=0))
