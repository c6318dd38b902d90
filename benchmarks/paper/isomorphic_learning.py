"""Targets in, filters out: one kernel's filters trained on targets of their own, and judged.

Every target has several filters, its restarts. The one whose thresholded graph scores highest with
the target is selected: that is the objective itself, and does not use the target's edges. (A filter
with fractional edges can score well without being isomorphic to anything.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import torch
from peers.random_walks import ImprovedRandomWalkKernel
from torch import Tensor

from gomkcn_dgl import GOMKKernel
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.graphs.structure import Structure

# targets that are scored with each other's filters at a time, for the sake of fewer calls
_CHUNK = 5


@dataclass(frozen=True)
class Targets:
    """G random graphs."""

    adj: Tensor  # [G, N, N] of zeros and ones
    feat: Tensor  # [G, N, D] in [0, 1]


@dataclass(frozen=True)
class Learnt:
    """Filters read as graphs, an edge where the weight is over ½; R restarts for each target."""

    adj: Tensor  # [G, R, N, N] of zeros and ones
    feat: Tensor  # [G, R, N, D] as learnt
    scores: Tensor  # [G, R] with the own target, of the thresholded filter

    def best(self) -> list[int]:
        """The best restart of each target."""
        return self.scores.argmax(dim=1).tolist()


# targets, filters' edges [G R, N, N] and features [G R, N, D] → scores with the own target [G R]
PairScore = Callable[[Targets, Tensor, Tensor], Tensor]


def draw_targets(
    num_targets: int,
    num_nodes: int,
    feature_width: int,
    probability: float,
    constant: bool,
    rng: np.random.Generator,
) -> Targets:
    """Draw graphs with independent edges; the same generator gives the same ones either way."""
    upper = np.triu(rng.random((num_targets, num_nodes, num_nodes)) < probability, 1)
    feat = rng.random((num_targets, num_nodes, feature_width), dtype=np.float32)
    adj = (upper | upper.swapaxes(1, 2)).astype(np.float32)
    if constant:
        feat = np.ones_like(feat)
    return Targets(torch.from_numpy(adj), torch.from_numpy(feat))


def pair_score(kind: str, **options: Any) -> PairScore:
    """How a kernel scores targets with their own filters.

    ``options`` are fields of the kernel; for random walks also ``cosine``, false by default.
    """
    return _KINDS[kind](**options)


def _gomk(**options: Any) -> PairScore:
    kernel = GOMKKernel(**options)

    def score(targets: Targets, filter_adj: Tensor, filter_feat: Tensor) -> Tensor:
        x = kernel.embed(targets.adj, targets.feat)
        z = kernel.embed(filter_adj, filter_feat)
        matching = match_pairs(kernel, x, z)
        return kernel.score_pairs(x.repeat_interleave(len(z) // len(x), dim=0), z, matching)

    return score


@torch.no_grad()
def match_pairs(kernel: GOMKKernel, x: Tensor, z: Tensor) -> Tensor:
    """Match targets ``x [G, L, N, D]`` with their filters ``z [G R, L, N, D]``: ``[G R, N]``."""
    parts = [
        _own(kernel.match(x[first:last], filters, None, "auto").matching)
        for first, last, filters in _chunks(len(x), z)
    ]
    return torch.cat(parts)


def _improved_random_walk(cosine: bool = False, **options: Any) -> PairScore:
    kernel = ImprovedRandomWalkKernel(**options)

    def score(targets: Targets, filter_adj: Tensor, filter_feat: Tensor) -> Tensor:
        each = len(filter_adj) // len(targets.adj)
        own = [part.repeat_interleave(each, dim=0) for part in (targets.adj, targets.feat)]
        filters = (filter_adj, filter_feat)
        scores = kernel.score_pairs(*own, *filters)
        if cosine:
            radii = kernel.score_pairs(*own, *own) * kernel.score_pairs(*filters, *filters)
            # a graph that scores 0 with itself scores 0 with all
            scores = scores * torch.where(radii > 0, radii, 1.0).rsqrt()
        return scores

    return score


_KINDS = {"gomk": _gomk, "improved_random_walk": _improved_random_walk}


def _chunks(num_targets: int, filters: Tensor) -> list[tuple[int, int, Tensor]]:
    """First and last target of each chunk, and the filters that are theirs."""
    each = len(filters) // num_targets
    starts = range(0, num_targets, _CHUNK)
    ends = [min(start + _CHUNK, num_targets) for start in starts]
    return [
        (first, last, filters[first * each : last * each])
        for first, last in zip(starts, ends, strict=True)
    ]


def _own(pairs: Tensor) -> Tensor:
    """Of all pairs ``[C, C R, ...]`` of a chunk, those of a target with its own filters."""
    target = torch.arange(len(pairs)).repeat_interleave(pairs.shape[1] // len(pairs))
    return pairs[target, torch.arange(len(target))]


def learn(
    score: PairScore,
    targets: Targets,
    *,
    num_restarts: int,
    num_epochs: int,
    learning_rate: float,
    generator: torch.Generator,
) -> GraphFilters:
    """Train the filters of all targets side by side, a target's restarts next to each other."""
    num_targets, size, width = targets.feat.shape
    filters = GraphFilters(num_targets * num_restarts, size, width, generator=generator)
    optimizer = torch.optim.Adam(filters.parameters(), lr=learning_rate)
    for _ in range(num_epochs):
        scores = score(targets, filters.adj(), filters.feat())
        optimizer.zero_grad()
        # filters share no parameter: the sum trains each of them separately
        (-scores.sum()).backward()
        optimizer.step()
    return filters


@torch.no_grad()
def threshold(score: PairScore, targets: Targets, filters: GraphFilters, constant: bool) -> Learnt:
    """Read graphs off the filters; constant features are thresholded as well for the score."""
    adj, feat = (filters.adj() > 0.5).float(), filters.feat()
    scores = score(targets, adj, (feat > 0.5).float() if constant else feat)
    count = len(targets.adj)
    return Learnt(*(tensor.unflatten(0, (count, -1)) for tensor in (adj, feat, scores)))


def feature_errors(
    targets: Targets, learnt: Learnt, restarts: list[int]
) -> list[np.ndarray | None]:
    """Absolute differences ``[N, D]`` of features between each target and one of its filters.

    They are taken under the isomorphism that makes their mean smallest; None where the two graphs
    are not isomorphic.
    """
    errors: list[np.ndarray | None] = []
    for k, restart in enumerate(restarts):
        adj, feat = targets.adj[k].numpy(), targets.feat[k].numpy()
        other = learnt.feat[k, restart].numpy()
        order = best_isomorphism(adj, feat, learnt.adj[k, restart].numpy(), other)
        errors.append(None if order is None else np.abs(feat - other[order]))
    return errors


def best_isomorphism(
    adj: np.ndarray, feat: np.ndarray, other_adj: np.ndarray, other_feat: np.ndarray
) -> np.ndarray | None:
    """The node of the other graph that each node is, int64 ``[N]``, features as near as can be.

    None where the graphs ``[N, N]`` with features ``[N, D]`` are not isomorphic.
    """
    own, other = _connect(adj), _connect(other_adj)
    if own.key != other.key:
        return None
    # every isomorphism, [P, N]
    orders = other.symmetries[:, own.isomorphism(other)][:, : len(adj)]
    apart = np.abs(feat - other_feat[orders]).mean(axis=(1, 2))
    order: np.ndarray = orders[apart.argmin()]
    return order


def _connect(adj: np.ndarray) -> Structure:
    """A graph with one more node, of a kind of its own, that is joined to all others."""
    joined = np.pad(adj, (0, 1), constant_values=1)
    joined[-1, -1] = 0
    return Structure.of_channels(joined, categories=(("node",),) * len(adj) + (("hub",),))


def find_ambiguous(targets: Targets, num_levels: int) -> np.ndarray:
    """Say which targets share their walk counts at all levels with another graph, bool ``[G]``.

    With constant features no kernel of walk counts can tell such graphs apart.
    """
    size = targets.adj.shape[1]
    # all graphs of up to 7 nodes, each once
    graphs = [nx.to_numpy_array(g, dtype=np.float32) for g in nx.graph_atlas_g() if len(g) == size]
    kernel = GOMKKernel(num_levels)
    walks = kernel.embed(torch.from_numpy(np.stack(graphs)), torch.ones(len(graphs), size, 1))
    # the same for the same multiset of nodes [N, L]
    counts = [str(sorted(rows)) for rows in walks.squeeze(3).transpose(1, 2).tolist()]
    twins = {
        _connect(graph).key
        for graph, own in zip(graphs, counts, strict=True)
        if counts.count(own) > 1
    }
    return np.array([_connect(adj.numpy()).key in twins for adj in targets.adj])
