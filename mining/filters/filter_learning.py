"""Filters are initialised, trained as cluster centres and discretised.

This is the frequent pattern mining of section VI-B of the GOMKCN paper. Each subgraph belongs to
its most similar filter; the loss is the mean distance to it (the paper's equation for L_frq). An
epoch scores all pairs without gradient, and then differentiates only the pairs of a subgraph and
its own filter.

Everything stays on the device of the subgraphs: random numbers are drawn before the first epoch,
so that a training on a GPU has those of one on a CPU, and losses are read after the last one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.matching import GOMKKernel, check_kernel
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import MAX_HOPS, SubgraphSettings, usual_hops
from mining.filters.centroids import refine_features
from mining.filters.discrete_filters import DiscreteFilters, discretize
from mining.filters.rooted_subgraphs import RootedSubgraphs

if TYPE_CHECKING:
    from gomkcn_dgl.filters import GraphFilters

DEFAULT_KERNEL = GOMKKernel(3, tau=0.5)
INITIALIZATIONS = ("facility_location", "random")
# a filter is idle when the number of its subgraphs is less than this share of the mean over filters
_IDLE_SHARE = 0.01
# idle filters are moved in this share of the epochs; in the others the filters converge
_RELOCATION_SHARE = 0.75
# another subgraph that is closer than this to one that is chosen is the same but for rounding
_LEAST_GAIN = 1e-4
# subgraphs that are compared with all filters at once: a table of 4096 x 8 pairs of six nodes
# takes a few MiB
_PART_SIZE = 4096


@dataclass(frozen=True)
class FilterLearning:
    """How graph filters are learnt.

    Attributes
    ----------
    num_epochs : int
        Gradient epochs; 0 keeps the initial filters. Where features are numbers that vary from copy
        to copy, training averages them (see the notes of :class:`gomkcn.FilterMiner`). Filters that
        start from real subgraphs keep their structures, so that 0 is enough on structure alone.
    policy : {"dense", "bfs"}
        Which nodes of a larger ball remain in a subgraph, see :func:`gomkcn.extract_subgraphs`; the
        paper uses ``"bfs"``, which rarely leaves a whole occurrence.
    num_hops : int or None
        Radius of the subgraphs. None: half of the pattern size, but at least 3, so that around some
        root a pattern of any shape is complete.
    init : {"facility_location", "random"}
        How filters are initialised: with real subgraphs that represent the others, or with random
        parameters (the paper).
    learning_rate : float
        Of Adam, in the first epoch; it falls to 0 along a cosine.
    relocate : bool
        Move filters that represent almost no subgraph to the subgraphs that are represented worst.
    feature_contrast : float
        In (0, 1]: how much of the unit interval the scaled features fill. Lower it when features
        differ from node to node at random, so that the structure counts for more.
    max_subgraphs : int
        Most subgraphs to learn from; of more nodes so many are drawn. The share of the subgraphs
        that belong to a filter is then uncertain by 2.2 percentage points at most.
    kernel : GOMKKernel
        How similar a subgraph and a filter are.
    backend : str
        As in :func:`gomkcn.gomk`.

    Raises
    ------
    InputError
        For a number out of range.

    Examples
    --------
    >>> FilterLearning(num_hops=2).policy
    'dense'
    """

    num_epochs: int = 60
    policy: str = "dense"
    num_hops: int | None = None
    init: str = "facility_location"
    learning_rate: float = 0.1
    relocate: bool = True
    feature_contrast: float = 0.2
    max_subgraphs: int = 2000
    kernel: GOMKKernel = DEFAULT_KERNEL
    backend: str = "auto"

    def __post_init__(self) -> None:
        check_int("num_epochs", self.num_epochs, 0)
        check_int("max_subgraphs", self.max_subgraphs, 1)
        check_kernel(self.kernel, None)
        check_float("learning_rate", self.learning_rate, 0, 1e6, open_minimum=True)
        check_choice("policy", self.policy, POLICIES)
        check_choice("init", self.init, INITIALIZATIONS)
        if self.num_hops is not None:
            check_int("num_hops", self.num_hops, 0, MAX_HOPS)
        check_float("feature_contrast", self.feature_contrast, 0, 1, open_minimum=True)

    @classmethod
    def paper(cls) -> FilterLearning:
        """What section VI-B of the paper prints; what it does not print is the plainest.

        Printed are 3 hops, 3 steps of aggregation, 500 epochs at a learning rate of .5, and in
        sections III and IV the breadth-first subgraphs, the random start and the greedy matching.

        >>> FilterLearning.paper().num_epochs
        500
        """
        return cls(
            num_epochs=500,
            policy="bfs",
            num_hops=3,
            init="random",
            learning_rate=0.5,
            relocate=False,
            feature_contrast=1.0,
            kernel=GOMKKernel(3, tau=1.0, matching="greedy"),
        )

    def subgraph_settings(self, size: int, seed: int) -> SubgraphSettings:
        """How the subgraphs for filters of ``size`` nodes are taken."""
        hops = usual_hops(size) if self.num_hops is None else self.num_hops
        return SubgraphSettings(hops, size, self.policy, seed)


def check_learning(learning: FilterLearning | None) -> FilterLearning:
    """Return ``learning``, or the default where it is None; refuse what is none."""
    learning = FilterLearning() if learning is None else learning
    if not isinstance(learning, FilterLearning):
        raise InputTypeError(f"learning must be a gomkcn.FilterLearning, got {learning!r}.")
    return learning


class _Learnt(NamedTuple):
    """Filters as :class:`DiscreteFilters`, with arrays in the place of tensors, and the losses."""

    adj: np.ndarray
    feat: np.ndarray
    weights: np.ndarray
    num_nodes: tuple[int, ...]
    losses: list[float]


def learn_filters(
    subgraphs: RootedSubgraphs, num_filters: int, learning: FilterLearning, seed: int, steps: Steps
) -> tuple[DiscreteFilters, list[float]]:
    """Learn filters; return them as graphs, and the loss before the training and after each epoch.

    There are fewer than ``num_filters`` where no more subgraphs differ. When time is up, training
    ends.
    """
    learnt = steps.once(
        "learning filters", _Learnt, _learn, subgraphs, num_filters, learning, seed, steps
    )
    filters = DiscreteFilters(
        torch.from_numpy(learnt.adj),
        torch.from_numpy(learnt.feat),
        torch.from_numpy(learnt.weights),
        learnt.num_nodes,
    )
    return filters, learnt.losses


def _learn(
    subgraphs: RootedSubgraphs, num_filters: int, learning: FilterLearning, seed: int, steps: Steps
) -> _Learnt:
    """Initialise, train and discretise filters."""
    from gomkcn_dgl.filters import GraphFilters

    rng = np.random.default_rng(seed)
    # a generator of its own leaves the global random numbers of torch as they are
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    # 1. the filters as they start: real subgraphs, or random numbers
    num_subgraphs, size, width = subgraphs.feat.shape
    number = min(num_subgraphs, num_filters)
    chosen = None
    if learning.init != "random":
        chosen = choose_initial(subgraphs, num_filters, learning, rng)
        number = len(chosen)
    directed = subgraphs.relations.directed
    filters = GraphFilters(number, size, width, generator=generator, directed=directed)
    filters.to(subgraphs.device)
    if chosen is not None:
        filters.set(slice(None), subgraphs.adj[chosen], subgraphs.feat[chosen])
    # 2. training; a filter with edges between 0 and 1 can have a small loss without resembling any
    # graph, so the filters before and after it are judged as discrete ones
    before = mean_distance(subgraphs, filters.adj(), filters.feat(), learning)
    candidates = [discretize(filters)]
    training = FilterTraining(subgraphs, filters, learning, generator)
    steps.progress.begin("training filters", learning.num_epochs)

    def on_epoch() -> bool:
        steps.progress.move(1)
        return steps.is_late()

    losses = training.run(on_epoch)
    candidates.append(discretize(filters))
    best = min(candidates, key=lambda one: mean_distance(subgraphs, one.adj, one.feat, learning))
    # 3. where there was a training, features are what the copies of a structure have on average
    if learning.num_epochs > 0:
        best = _refine(best, subgraphs, learning)
    return _Learnt(
        best.adj.numpy(),
        best.feat.numpy(),
        best.weights.numpy(),
        best.num_nodes,
        [before, *losses],
    )


def _refine(
    filters: DiscreteFilters, subgraphs: RootedSubgraphs, learning: FilterLearning
) -> DiscreteFilters:
    """Set the features to the means over the subgraphs that have the structure of their filter."""
    found = assign(subgraphs, filters.adj, filters.feat, learning)
    feat = refine_features(
        filters.adj.to(subgraphs.device),
        filters.feat.to(subgraphs.device),
        subgraphs.adj,
        subgraphs.feat,
        subgraphs.num_nodes,
        found.filter_of,
        found.matching,
    )
    return replace(filters, feat=feat.cpu())


def choose_initial(
    subgraphs: RootedSubgraphs,
    num_filters: int,
    learning: FilterLearning,
    rng: np.random.Generator,
    most_compared: int = 1_000,
) -> np.ndarray:
    """Choose the subgraphs that the filters are initialised with, int64 ``[Q]``.

    Greedy facility location among at most ``most_compared`` of them, of which each two are
    compared: a million pairs take about a second of one thread. None is chosen that is as another
    one, so that there may be fewer than ``num_filters``.
    """
    rows = np.arange(len(subgraphs.feat))
    kernel = learning.kernel
    if len(rows) > most_compared:
        rows = np.sort(rng.choice(rows, most_compared, replace=False))
    index = torch.from_numpy(rows).to(subgraphs.device)
    levels, num_nodes = subgraphs.levels[index], subgraphs.num_nodes[index]
    # many are equal where nodes have no features, or few: each kind is compared once
    whole = torch.column_stack([num_nodes.to(levels.dtype), levels.flatten(1)])
    _, kind = torch.unique(whole, dim=0, return_inverse=True)
    first = torch.from_numpy(np.unique(kind.cpu().numpy(), return_index=True)[1]).to(index.device)
    x, kind = levels[first], kind.cpu().numpy()
    with torch.no_grad():
        blocks = [
            kernel.match(own, x, own_nodes, learning.backend).scores
            for own, own_nodes in zip(x.split(128), num_nodes[first].split(128), strict=True)
        ]
    similarity = torch.cat(blocks).cpu().numpy() / kernel.largest_score(x.shape[2])
    return rows[_facility_location(similarity[np.ix_(kind, kind)], num_filters)]


def _facility_location(similarity: np.ndarray, num_chosen: int) -> list[int]:
    """Greedily add the row that most raises the sum of similarities to the nearest chosen."""
    # similarity of each to the nearest one that is chosen
    covered = np.zeros(len(similarity))
    chosen: list[int] = []
    for _ in range(num_chosen):
        # how much each candidate would add
        gain = np.maximum(similarity - covered[:, None], 0).sum(axis=0)
        if chosen and gain.max() < _LEAST_GAIN:
            break
        chosen.append(int(gain.argmax()))
        covered = np.maximum(covered, similarity[:, chosen[-1]])
    return chosen


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
        trained = [one.clone() for one in self.filters.parameters()]
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
        self.mean = [torch.zeros_like(one) for one in self.parameters]
        self.square = [torch.zeros_like(one) for one in self.parameters]
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
        for one in (*self.mean, *self.square):
            one.masked_fill_(filters.reshape(-1, *[1] * (one.dim() - 1)), 0)
