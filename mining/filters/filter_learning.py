"""Filters are initialised, trained as cluster centres and discretised.

This is the frequent pattern mining of section VI-B of the GOMKCN paper. Each subgraph belongs to
its most similar filter; the loss is the mean distance to it (the paper's equation for L_frq). An
epoch scores all pairs without gradient, and then differentiates only the pairs of a subgraph and
its own filter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.matching import GOMKKernel, check_kernel
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import MAX_HOPS
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
# subgraphs in a gradient step, those compared with all filters at once, and those compared with
# each other to initialise the filters
_BATCH_SIZE, _PART_SIZE, _MOST_COMPARED = 1024, 4096, 1000


@dataclass(frozen=True)
class FilterLearning:
    """How graph filters are learnt, and which of their patterns a miner reports.

    Attributes
    ----------
    num_filters : int
        Filters, of which there are fewer where no more subgraphs differ; a miner reports at most so
        many of their patterns, or of frequent subgraphs.
    num_epochs : int
        Gradient epochs; 0 keeps the initial filters.
    min_occurrences : int
        A miner drops patterns of filters and frequent subgraphs that have fewer occurrences.
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

    num_filters: int = 12
    num_epochs: int = 60
    min_occurrences: int = 5
    policy: str = "dense"
    num_hops: int | None = None
    init: str = "facility_location"
    learning_rate: float = 0.1
    relocate: bool = True
    feature_contrast: float = 0.3
    kernel: GOMKKernel = DEFAULT_KERNEL
    backend: str = "auto"

    def __post_init__(self) -> None:
        check_int("num_filters", self.num_filters, 1)
        check_int("num_epochs", self.num_epochs, 0)
        check_int("min_occurrences", self.min_occurrences, 0)
        check_kernel(self.kernel, None)
        check_float("learning_rate", self.learning_rate, 0, 1e6, open_minimum=True)
        check_choice("policy", self.policy, POLICIES)
        check_choice("init", self.init, INITIALIZATIONS)
        if self.num_hops is not None:
            check_int("num_hops", self.num_hops, 0, MAX_HOPS)
        check_float("feature_contrast", self.feature_contrast, 0, 1, open_minimum=True)


def check_learning(learning: FilterLearning | None) -> FilterLearning:
    """Return ``learning``, or the default where it is None; refuse what is none."""
    learning = FilterLearning() if learning is None else learning
    if not isinstance(learning, FilterLearning):
        raise InputTypeError(f"learning must be a gomkcn.FilterLearning, got {learning!r}.")
    return learning


def learn_filters(
    subgraphs: RootedSubgraphs, learning: FilterLearning, seed: int, steps: Steps
) -> tuple[DiscreteFilters, list[float]]:
    """Learn filters; return them as graphs, and the loss before the training and after each epoch.

    When time is up, training ends.
    """
    from gomkcn_dgl.filters import GraphFilters

    def learn() -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        # a generator of its own leaves the global random numbers of torch as they are
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        number, size, width = subgraphs.feat.shape
        number, chosen = min(number, learning.num_filters), None
        if learning.init != "random":
            chosen = choose_initial(subgraphs, learning, rng)
            number = len(chosen)
        directed = subgraphs.relations.directed
        filters = GraphFilters(number, size, width, generator=generator, directed=directed)
        if chosen is not None:
            filters.set(slice(None), subgraphs.adj[chosen], subgraphs.feat[chosen])
        curve: list[float] = []

        def on_epoch(loss: float) -> bool:
            curve.append(loss)
            return steps.is_late()

        # a filter with edges between 0 and 1 can have a small loss without resembling any graph, so
        # the filters before and after the training are judged as discrete ones
        on_epoch(mean_distance(subgraphs, filters.adj(), filters.feat(), learning))
        candidates = [discretize(filters)]
        FilterTraining(subgraphs, filters, learning, generator).run(on_epoch)
        candidates.append(discretize(filters))
        best = min(
            candidates, key=lambda one: mean_distance(subgraphs, one.adj, one.feat, learning)
        )
        arrays = {name: getattr(best, name).numpy() for name in ("adj", "feat", "weights")}
        return arrays | {"num_nodes": np.array(best.num_nodes), "curve": np.array(curve)}

    found = steps.once("learning filters", learn)
    adj, feat, weights = (torch.from_numpy(found[name]) for name in ("adj", "feat", "weights"))
    filters = DiscreteFilters(adj, feat, weights, tuple(found["num_nodes"].tolist()))
    return filters, found["curve"].tolist()


def choose_initial(
    subgraphs: RootedSubgraphs, learning: FilterLearning, rng: np.random.Generator
) -> np.ndarray:
    """Choose the subgraphs that the filters are initialised with, int64 ``[Q]``.

    Greedy facility location among at most 1,000 of them. None is chosen that is as another one, so
    that there may be fewer than ``num_filters``.
    """
    rows, kernel = np.arange(len(subgraphs.feat)), learning.kernel
    if len(rows) > _MOST_COMPARED:
        rows = np.sort(rng.choice(rows, _MOST_COMPARED, replace=False))
    index = torch.from_numpy(rows)
    x, num_nodes = subgraphs.levels[index], subgraphs.num_nodes[index]
    with torch.no_grad():
        blocks = [
            kernel.match(x[part], x, num_nodes[part], learning.backend).scores
            for part in torch.arange(len(rows)).split(128)
        ]
    similarity = torch.cat(blocks).numpy() / kernel.largest_score(x.shape[2])
    return rows[_facility_location(similarity, learning.num_filters)]


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
    rows = torch.arange(len(subgraphs.feat)) if rows is None else rows
    kernel = learning.kernel
    z, largest = kernel.embed(adj, feat), kernel.largest_score(adj.shape[1])
    parts = []
    for part in rows.split(_PART_SIZE):
        scores, matching = kernel.match(
            subgraphs.levels[part], z, subgraphs.num_nodes[part], learning.backend
        )
        best, index = scores.argmax(dim=1), torch.arange(len(part))
        parts.append((best, scores[index, best] / largest, matching[index, best]))
    return Assignment(*(torch.cat(column) for column in zip(*parts, strict=True)))


def mean_distance(
    subgraphs: RootedSubgraphs, adj: Tensor, feat: Tensor, learning: FilterLearning
) -> float:
    """1 - the mean similarity of a subgraph to its most similar filter."""
    return 1 - float(assign(subgraphs, adj, feat, learning).similarity.double().mean())


class FilterTraining:
    """Trains graph filters, in place, on U subgraphs."""

    def __init__(
        self,
        subgraphs: RootedSubgraphs,
        filters: GraphFilters,
        learning: FilterLearning,
        generator: torch.Generator,
    ) -> None:
        self.subgraphs, self.filters, self.learning = subgraphs, filters, learning
        self.generator, self.optimizer = generator, FilterAdam(filters.parameters())

    def run(self, on_epoch: Callable[[float], bool]) -> None:
        """Run gradient epochs; ``on_epoch`` gets the loss of each and returns whether to stop."""
        learning, number = self.learning, len(self.subgraphs.feat)
        for epoch in range(learning.num_epochs):
            # the learning rate falls from its full value to 0 along half a cosine
            cosine = math.cos(math.pi * epoch / learning.num_epochs)
            rate = learning.learning_rate * (1 + cosine) / 2
            loss, sizes = 0.0, torch.zeros(len(self.filters.free_adj), dtype=torch.int64)
            for batch in torch.randperm(number, generator=self.generator).split(_BATCH_SIZE):
                assignment = self.assign(batch)
                sizes += torch.bincount(assignment.filter_of, minlength=len(sizes))
                loss += self.step(batch, assignment, rate)
            if on_epoch(loss / number):
                break
            if learning.relocate and epoch < _RELOCATION_SHARE * learning.num_epochs:
                self.relocate_idle(sizes)

    def assign(self, rows: Tensor | None = None) -> Assignment:
        """Most similar filter of all or some subgraphs."""
        adj, feat = self.filters.adj(), self.filters.feat()
        return assign(self.subgraphs, adj, feat, self.learning, rows)

    def step(self, rows: Tensor, assignment: Assignment, rate: float) -> float:
        """Take one gradient step; return the summed loss of ``rows`` before it."""
        kernel = self.learning.kernel
        z = kernel.embed(self.filters.adj(), self.filters.feat())
        # index_select, because the backward pass of indexing sums in no fixed order
        z = z.index_select(0, assignment.filter_of)
        scores = kernel.score_pairs(self.subgraphs.levels[rows], z, assignment.matching)
        loss = (1 - scores / kernel.largest_score(self.filters.filter_size)).sum()
        self.optimizer.step(loss / len(rows), rate)
        return float(loss.detach())

    def relocate_idle(self, sizes: Tensor) -> None:
        """Move idle filters to subgraphs that are drawn by their squared distances to their filter.

        So they move to where many are represented badly (D. Arthur and S. Vassilvitskii, k-means++,
        SODA 2007). ``sizes`` are the numbers of subgraphs of the filters.
        """
        idle = torch.nonzero(sizes < _IDLE_SHARE * sizes.double().mean()).flatten()
        if len(idle) == 0:
            return
        distance = (1 - self.assign().similarity).clamp(min=1e-6) ** 2
        idle = idle[: len(distance)]
        drawn = torch.multinomial(distance, len(idle), generator=self.generator)
        self.filters.set(idle, self.subgraphs.adj[drawn], self.subgraphs.feat[drawn])
        # the old momentum would carry the filter away from its new place
        self.optimizer.reset(idle)


class FilterAdam:
    """Adam with its default rates, whose state can be reset for single filters.

    ``torch.optim.Adam`` gives the same numbers, but loads the compiler of torch, which takes
    seconds; its function ``adam`` does not. The first axis of each parameter counts filters.
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
        """Clear the momentum of the filters with these numbers."""
        for one in (*self.mean, *self.square):
            one[filters] = 0
