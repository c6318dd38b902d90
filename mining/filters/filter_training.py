"""Gradient training of filters as cluster centres, on a CPU or a GPU, by PyTorch.

This is the training of section VI-B of the GOMKCN paper. Each subgraph belongs to its most similar
filter; the loss is the mean distance to it (the paper's equation for L_frq). An epoch scores all
pairs without gradient, and then differentiates only the pairs of a subgraph and its own filter.

Everything stays on the device of the subgraphs: random numbers are drawn before the first epoch,
so that a training on a GPU has those of one on a CPU, and losses are read after the last one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from gomkcn.mining.filters.discrete_filters import DiscreteFilters, discretize
from gomkcn.mining.filters.rooted_subgraphs import RootedSubgraphs
from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.runtime.steps import Steps

if TYPE_CHECKING:
    from gomkcn.mining.filters.filter_learning import FilterLearning
    from gomkcn_dgl.filters import GraphFilters

# a filter is idle when the number of its subgraphs is less than this share of the mean over filters
_IDLE_SHARE = 0.01
# idle filters are moved in this share of the epochs; in the others the filters converge
_RELOCATION_SHARE = 0.75
# subgraphs that are compared with all filters at once: a table of 4096 x 8 pairs of six nodes
# takes a few MiB
_PART_SIZE = 4096


class Assignment(NamedTuple):
    """The most similar filter of U subgraphs."""

    filter_of: Tensor  # [U]
    similarity: Tensor  # [U], of that filter
    matching: Tensor  # int64 [U, N], filter node of each subgraph node, -1 = unmatched


@torch.no_grad()
def assign(
    subgraphs: RootedSubgraphs,
    adj: Tensor,
    feat: Tensor,
    learning: FilterLearning,
    rows: Tensor | None = None,
) -> Assignment:
    """The most similar of filters ``adj [F, M, M]``, ``feat [F, M, D]`` of all or some rows."""
    kernel = learning.kernel
    device = subgraphs.device
    rows = torch.arange(len(subgraphs.feat), device=device) if rows is None else rows
    z = kernel.embed(adj.to(device), feat.to(device))
    largest = kernel.largest_score(adj.shape[1])
    parts = []
    for part in rows.split(_PART_SIZE):
        scores, matching = kernel.match(
            subgraphs.levels[part], z, subgraphs.num_nodes[part], learning.backend
        )
        best = scores.argmax(dim=1)
        index = torch.arange(len(part), device=device)
        parts.append((best, scores[index, best] / largest, matching[index, best]))
    return Assignment(*(torch.cat(column) for column in zip(*parts, strict=True)))


def mean_distance(
    subgraphs: RootedSubgraphs, adj: Tensor, feat: Tensor, learning: FilterLearning
) -> float:
    """1 - the mean similarity of a subgraph to its most similar filter."""
    return 1 - float(assign(subgraphs, adj, feat, learning).similarity.double().mean())


def train_filters(
    subgraphs: RootedSubgraphs,
    start: DiscreteFilters | None,
    number: int,
    learning: FilterLearning,
    generator: torch.Generator,
    steps: Steps,
) -> tuple[DiscreteFilters, list[float]]:
    """Train filters on U subgraphs, from a start or from random numbers.

    Returns the filters as graphs, and the loss before the training and after each epoch. When time
    is up, training ends.
    """
    from gomkcn_dgl.filters import GraphFilters

    _, size, width = subgraphs.feat.shape
    directed = subgraphs.relations.directed
    filters = GraphFilters(number, size, width, generator=generator, directed=directed)
    filters.to(subgraphs.device)
    if start is not None:
        tensors = (
            torch.from_numpy(array).to(subgraphs.device) for array in (start.adj, start.feat)
        )
        filters.set(slice(None), *tensors)
    # a filter with edges between 0 and 1 can have a small loss without resembling any graph, so the
    # filters before and after the training are judged as discrete ones
    before = mean_distance(subgraphs, filters.adj(), filters.feat(), learning)
    candidates = [discretize(filters)]
    training = FilterTraining(subgraphs, filters, learning, generator)
    steps.progress.begin("training filters", learning.num_epochs)

    def on_epoch() -> bool:
        steps.progress.move(1)
        return steps.is_late()

    losses = training.run(on_epoch)
    candidates.append(discretize(filters))

    def distance(candidate: DiscreteFilters) -> float:
        tensors = torch.from_numpy(candidate.adj), torch.from_numpy(candidate.feat)
        return mean_distance(subgraphs, *tensors, learning)

    return min(candidates, key=distance), [before, *losses]


class FilterTraining:
    """Trains graph filters, in place, on U subgraphs, on the device that both are on.

    ``batch_size``: subgraphs in a gradient step.
    """

    def __init__(
        self,
        subgraphs: RootedSubgraphs,
        filters: GraphFilters,
        learning: FilterLearning,
        generator: torch.Generator,
        batch_size: int = 1024,
    ) -> None:
        self.batch_size = batch_size
        self.subgraphs = subgraphs
        self.filters = filters
        self.learning = learning
        self.generator = generator
        self.optimizer = FilterAdam(filters.parameters())

    def run(self, on_epoch: Callable[[], bool]) -> list[float]:
        """Run gradient epochs and return the loss of each.

        ``on_epoch`` is called after each and returns whether to stop. Nothing is read from the
        device before the last one.
        """
        learning = self.learning
        device = self.subgraphs.device
        num_subgraphs = len(self.subgraphs.feat)
        num_filters = len(self.filters.free_adj)
        # all that is drawn at random: the order of the subgraphs, and where idle filters move
        shape = learning.num_epochs, num_subgraphs
        orders = torch.rand(shape, generator=self.generator).argsort(dim=1).to(device)
        races = torch.empty(shape).exponential_(generator=self.generator).to(device)
        losses = []
        for epoch in range(learning.num_epochs):
            # the learning rate falls from its full value to 0 along half a cosine
            cosine = math.cos(math.pi * epoch / learning.num_epochs)
            rate = learning.learning_rate * (1 + cosine) / 2
            loss = torch.zeros((), device=device)
            sizes = torch.zeros(num_filters, device=device)
            similarity = torch.empty(num_subgraphs, device=device)
            for rows in orders[epoch].split(self.batch_size):
                assignment = self.assign(rows)
                sizes += _count(assignment.filter_of, num_filters)
                similarity[rows] = assignment.similarity
                loss += self.step(rows, assignment, rate)
            losses.append(loss / num_subgraphs)
            if on_epoch():
                break
            if learning.relocate and epoch < _RELOCATION_SHARE * learning.num_epochs:
                self.relocate_idle(sizes, similarity, races[epoch])
        return torch.stack(losses).tolist() if losses else []

    def assign(self, rows: Tensor | None = None) -> Assignment:
        """Most similar filter of all or some subgraphs."""
        adj = self.filters.adj()
        feat = self.filters.feat()
        return assign(self.subgraphs, adj, feat, self.learning, rows)

    def step(self, rows: Tensor, assignment: Assignment, rate: float) -> Tensor:
        """Take one gradient step; return the summed loss of ``rows`` before it."""
        kernel = self.learning.kernel
        z = kernel.embed(self.filters.adj(), self.filters.feat())
        # index_select, because the backward pass of indexing sums in no fixed order
        z = z.index_select(0, assignment.filter_of)
        scores = kernel.score_pairs(self.subgraphs.levels[rows], z, assignment.matching)
        loss = (1 - scores / kernel.largest_score(self.filters.filter_size)).sum()
        self.optimizer.step(loss / len(rows), rate)
        return loss.detach()

    @torch.no_grad()
    def relocate_idle(self, sizes: Tensor, similarity: Tensor, race: Tensor) -> None:
        """Move idle filters to subgraphs that are drawn by their squared distances to their filter.

        So they move to where many are represented badly (D. Arthur and S. Vassilvitskii, k-means++,
        SODA 2007). ``sizes`` are the numbers of subgraphs of the filters, ``similarity`` is that of
        each subgraph to its filter, and ``race`` are exponential times, one a subgraph: those that
        arrive first, each as fast as its squared distance, are a draw without replacement (P. S.
        Efraimidis and P. G. Spirakis, Weighted random sampling with a reservoir, 2006).
        """
        idle = sizes < _IDLE_SHARE * sizes.mean()
        speed = (1 - similarity).clamp(min=1e-6) ** 2
        # as many as there are filters, so that how many are idle need not be read
        first = (speed / race).topk(min(len(idle), len(race))).indices
        place = (idle.cumsum(0) - 1).clamp(min=0, max=len(first) - 1)
        drawn = first[place]
        trained = [tensor.clone() for tensor in self.filters.parameters()]
        self.filters.set(slice(None), self.subgraphs.adj[drawn], self.subgraphs.feat[drawn])
        for parameter, before in zip(self.filters.parameters(), trained, strict=True):
            moves = idle.reshape(-1, *[1] * (before.dim() - 1))
            parameter.copy_(torch.where(moves, parameter, before))
        # the old momentum would carry a filter away from its new place
        self.optimizer.reset(idle)


def _count(numbers: Tensor, size: int) -> Tensor:
    """How often each of the numbers below ``size`` is there, float ``[size]``."""
    counts = torch.zeros(size, device=numbers.device)
    # bincount would read the largest number from the device
    return counts.index_add_(0, numbers, torch.ones(len(numbers), device=numbers.device))


class FilterAdam:
    """Adam with its default rates, whose state can be reset for single filters.

    ``torch.optim.Adam`` gives the same numbers, but its first step imports the compiler of torch,
    which takes four seconds of a processor where all else that is imported takes two; its function
    ``adam`` does not. The first axis of each parameter counts filters.
    """

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        self.parameters = list(parameters)
        self.mean = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.square = [torch.zeros_like(parameter) for parameter in self.parameters]
        self.num_steps = [torch.tensor(0.0) for _ in self.parameters]

    @torch.no_grad()
    def step(self, loss: Tensor, rate: float) -> None:
        """Take one step down the gradient of a loss."""
        from torch.optim.adam import adam

        gradients = list(torch.autograd.grad(loss, self.parameters))
        adam(
            self.parameters, gradients, self.mean, self.square, [], self.num_steps,
            amsgrad=False, beta1=0.9, beta2=0.999, lr=rate, weight_decay=0.0, eps=1e-8,
            maximize=False,
        )  # fmt: skip

    def reset(self, filters: Tensor) -> None:
        """Clear the momentum of some filters, bool ``[F]``."""
        for average in (*self.mean, *self.square):
            average.masked_fill_(filters.reshape(-1, *[1] * (average.dim() - 1)), 0)
