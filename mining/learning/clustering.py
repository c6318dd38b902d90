"""Filters as cluster centres: gradient steps and the relocation of idle filters.

Each subgraph belongs to its best filter; the loss is the mean distance to it (the paper's equation
for L_frq). An epoch scores all pairs without gradient and then differentiates only the pairs that
were chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.processes import all_reduce_sum, gather_objects, share_of
from mining.learning.descent import Descent
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.subgraph_classes import SubgraphClasses

# a filter is idle when it holds less than this share of what a filter holds on average
_IDLE_SHARE = 0.01
# the part of a filter's subgraphs, the nearest ones, that its features are the mean of: more would
# mix in what belongs to no filter
_NEARER_SHARE = 0.75


@dataclass(frozen=True)
class Assignment:
    """Each type's best filter.

    Attributes
    ----------
    filter_of : Tensor
        int64 ``[U]``.
    similarity : Tensor
        ``[U]`` normalised score.
    matching : Tensor
        int64 ``[U, N]`` filter node of each subgraph node, -1 = unmatched.
    """

    filter_of: Tensor
    similarity: Tensor
    matching: Tensor


class FilterClustering:
    """Train graph filters on the types of a graph.

    Parameters
    ----------
    types : SubgraphClasses
        What is clustered; U types with weights.
    adj : Tensor
        ``[U, N, N]`` adjacency of each type, for relocation and averages.
    feat : Tensor
        ``[U, N, D]`` scaled features.
    filters : GraphFilters
        Trained in place.
    kernel : GOMKKernel
    backend : str
    """

    def __init__(
        self,
        types: SubgraphClasses,
        adj: Tensor,
        feat: Tensor,
        filters: GraphFilters,
        kernel: GOMKKernel,
        backend: str,
    ) -> None:
        self.types, self.adj, self.feat = types, adj, feat
        self.filters, self.kernel, self.backend = filters, kernel, backend
        self.weight = torch.from_numpy(types.weight).float()

    def assign(
        self, rows: Tensor | None = None, snapped: DiscreteFilters | None = None
    ) -> Assignment:
        """Find the best filter of the types in ``rows`` (all when left out), without gradient.

        The filters are those being trained, or ``snapped`` ones.
        """
        parts = (torch.arange(len(self.types)) if rows is None else rows).split(4096)
        with torch.no_grad():
            if snapped is None:
                z = self.kernel.embed(self.filters.adj(), self.filters.feat())
            else:
                z = self.kernel.embed(snapped.adj, snapped.feat)
            found = [self._assign_part(part, z) for part in parts]
        return Assignment(*(torch.cat(column) for column in zip(*found, strict=True)))

    def _assign_part(self, rows: Tensor, z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores, matching = self.kernel.match(
            self.types.levels[rows], z, self.types.num_nodes[rows], self.backend
        )
        best = scores.argmax(dim=1)
        here = torch.arange(len(rows))
        similarity = scores[here, best] / self.kernel.largest_score(self.filters.filter_size)
        return best, similarity, matching[here, best]

    def loss(self, snapped: DiscreteFilters | None = None) -> float:
        """1 - the mean similarity of a subgraph to its best filter."""
        similarity = self.assign(snapped=snapped).similarity
        return 1 - float((similarity * self.weight).sum() / self.weight.sum())

    def train(
        self,
        num_epochs: int,
        learning_rate: float,
        batch_size: int,
        relocate: bool,
        generator: torch.Generator,
        on_epoch: Callable[[float], bool],
    ) -> None:
        """Run gradient epochs; ``on_epoch`` gets the loss of each and says whether to stop."""
        descent = Descent(self.filters.parameters())
        for epoch in range(num_epochs):
            descent.learning_rate = learning_rate * (1 + math.cos(math.pi * epoch / num_epochs)) / 2
            total = 0.0
            held = torch.zeros(len(self.filters.free_adj))
            for batch in torch.randperm(len(self.types), generator=generator).split(batch_size):
                # of several processes each takes its part of the batch
                rows = batch[share_of(len(batch))]
                assignment = self.assign(rows)
                held.index_add_(0, assignment.filter_of, self.weight[rows])
                total += self._step(descent, rows, assignment, self.weight[batch].sum())
            held = all_reduce_sum(held)
            total = float(all_reduce_sum(torch.tensor(total, dtype=torch.float64)))
            # all stop together
            if any(gather_objects(on_epoch(total / float(self.weight.sum())))):
                break
            # the last quarter is left to settle
            if relocate and epoch < 0.75 * num_epochs:
                self._relocate_idle(held, descent)

    def _step(self, descent: Descent, rows: Tensor, chosen: Assignment, total: Tensor) -> float:
        """One descent step; return the summed loss of the ``rows`` before it.

        ``total`` is the weight of the whole batch, of which other processes may have other rows.
        """
        z = self.kernel.embed(self.filters.adj(), self.filters.feat())
        # index_select and not indexing, whose backward pass adds up in no fixed order
        z = z.index_select(0, chosen.filter_of)
        scores = self.kernel.score_pairs(self.types.levels[rows], z, chosen.matching)
        similarity = scores / self.kernel.largest_score(self.filters.filter_size)
        weight = self.weight[rows]
        summed = ((1 - similarity) * weight).sum()
        descent.zero_grad()
        (summed / total).backward()
        for parameter in self.filters.parameters():
            if parameter.grad is not None:
                all_reduce_sum(parameter.grad)
        descent.step()
        return float(summed.detach())

    def _relocate_idle(self, held: Tensor, descent: Descent) -> None:
        """Move filters that hold almost nothing to the types that are served worst."""
        idle = torch.nonzero(held < _IDLE_SHARE * held.mean()).flatten()
        if len(idle) == 0:
            return
        assignment = self.assign()
        unserved = (1 - assignment.similarity) * self.weight
        worst = unserved.argsort(descending=True)[: len(idle)]
        idle = idle[: len(worst)]
        self.filters.set(idle, self.adj[worst], self.feat[worst])
        # old momentum would carry the filter away from its new place
        descent.forget(idle)

    def settle_features(self, snapped: DiscreteFilters) -> DiscreteFilters:
        """Give snapped filters the mean features of the subgraphs they hold, node by node.

        Features learnt beside edges of .998 make up for what the edges lack; once the edges are
        exactly 1 they would no longer fit.
        """
        assignment = self.assign(snapped=snapped)
        feat = snapped.feat.clone()
        for number, size in enumerate(snapped.num_nodes):
            rows = self._nearer_part(assignment, number)
            mean, presence = self._mean_features(rows, assignment.matching[rows])
            known = presence[:size] > 0
            feat[number, :size][known] = mean[:size][known]
        return replace(snapped, feat=feat)

    def _nearer_part(self, assignment: Assignment, number: int) -> Tensor:
        """Types of the nearer part of what a filter holds."""
        mine = torch.nonzero(assignment.filter_of == number).flatten()
        mine = mine[assignment.similarity[mine].argsort(descending=True)]
        reached = self.weight[mine].cumsum(0)
        # up to and with the type that fills the part
        return mine[: int((reached < _NEARER_SHARE * self.weight[mine].sum()).sum()) + 1]

    def _mean_features(self, rows: Tensor, matching: Tensor) -> tuple[Tensor, Tensor]:
        """Mean features ``[M, D]`` of what is matched with each filter node, and its weight."""
        size = self.filters.filter_size
        place = torch.nn.functional.one_hot(matching + 1, size + 1)[:, :, 1:].float()  # [R, N, M]
        # padding has no features that could be averaged
        num_nodes = self.types.num_nodes[rows].unsqueeze(1)
        real = place * (torch.arange(place.shape[1]) < num_nodes).unsqueeze(2)
        presence = torch.einsum("r,rnm->m", self.weight[rows], real)
        feat = torch.einsum("r,rnm,rnd->md", self.weight[rows], real, self.feat[rows])
        return feat / presence.clamp(min=1e-9).unsqueeze(1), presence
