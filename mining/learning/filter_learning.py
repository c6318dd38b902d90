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

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import MAX_HOPS
from mining.learning.discrete_filters import DiscreteFilters, discretize
from mining.learning.rooted_subgraphs import RootedSubgraphs, SubgraphClasses

INITIALIZATIONS = ("facility_location", "random")
# a filter is idle when the weight of its subgraphs is less than this share of the mean over filters
_IDLE_SHARE = 0.01
# idle filters are moved in this share of the epochs; in the others the filters converge
_RELOCATION_SHARE = 0.75
# subgraphs compared with all filters at once
_PART_SIZE = 4096


@dataclass(frozen=True)
class FilterLearning:
    """How the filters of a :class:`gomkcn.PatternMiner` are learnt, beyond its own parameters.

    Attributes
    ----------
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
    batch_size : int
        Subgraphs in a gradient step.
    relocate : bool
        Move filters that represent almost no subgraph to the subgraphs that are represented worst.
    sample_size : int
        Most subgraphs compared with each other to initialise the filters; at least as many as there
        are filters.
    train_size : int
        Most different subgraphs trained on; all of them are counted in the end.
    sample_error : float
        In (0, 1): filters are trained on so many roots that with 99 % confidence every share of
        them is right to within this (Hoeffding): on 105,967 roots by default, or on all of fewer.
    feature_contrast : float
        In (0, 1]: how much of the unit interval the scaled features fill. Lower it when features
        differ from node to node at random, so that the structure counts for more.

    Raises
    ------
    InputError
        For a number out of range.

    Examples
    --------
    >>> FilterLearning(sample_error=0.01).batch_size
    1024
    """

    policy: str = "dense"
    num_hops: int | None = None
    init: str = "facility_location"
    learning_rate: float = 0.1
    batch_size: int = 1024
    relocate: bool = True
    sample_size: int = 1000
    train_size: int = 5000
    sample_error: float = 0.005
    feature_contrast: float = 0.3

    def __post_init__(self) -> None:
        check_float("learning_rate", self.learning_rate, 0, 1e6, open_minimum=True)
        check_choice("policy", self.policy, POLICIES)
        check_choice("init", self.init, INITIALIZATIONS)
        if self.num_hops is not None:
            check_int("num_hops", self.num_hops, 0, MAX_HOPS)
        for name in ("batch_size", "sample_size", "train_size"):
            check_int(name, getattr(self, name), 1)
        for name in ("sample_error", "feature_contrast"):
            check_float(name, getattr(self, name), 0, 1, open_minimum=True)


def learn_filters(
    subgraphs: RootedSubgraphs,
    num_filters: int,
    learning: FilterLearning,
    *,
    num_epochs: int,
    seed: int,
    steps: Steps,
) -> tuple[DiscreteFilters, list[float]]:
    """Learn filters; return them as graphs, and the loss before the training and after each epoch.

    When time is up, training ends.
    """

    def learn() -> dict[str, np.ndarray]:
        clustering = _initialize(subgraphs, num_filters, learning, seed)
        return _train(clustering, learning, num_epochs, seed, steps)

    found = steps.once("learning filters", learn)
    adj, feat, weights = (torch.from_numpy(found[name]) for name in ("adj", "feat", "weights"))
    filters = DiscreteFilters(adj, feat, weights, tuple(found["num_nodes"].tolist()))
    return filters, found["curve"].tolist()


def _initialize(
    subgraphs: RootedSubgraphs, num_filters: int, learning: FilterLearning, seed: int
) -> FilterClustering:
    """Draw the classes to train on, and set the filters to some of them."""
    rng, num_filters = np.random.default_rng([seed, 0]), min(num_filters, len(subgraphs.batch))
    classes = subgraphs.classes
    classes = classes.take(*classes.sample(learning.train_size, rng))
    batch = subgraphs.batch.take(classes.first)
    adj = torch.from_numpy(batch.adjacency())
    feat = torch.from_numpy(batch.gather(subgraphs.features))
    # a generator of its own leaves the global random numbers of torch as they are
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    kernel, backend, filter_size = subgraphs.kernel, subgraphs.backend, batch.max_nodes
    directed = batch.relations.directed
    if learning.init == "random":
        filters = GraphFilters(
            num_filters, filter_size, feat.shape[2], generator=generator, directed=directed
        )
    else:
        chosen = choose_initial(classes, num_filters, kernel, learning.sample_size, rng, backend)
        filters = GraphFilters(
            len(chosen), filter_size, feat.shape[2], generator=generator, directed=directed
        )
        filters.set(torch.arange(len(chosen)), adj[chosen], feat[chosen])
    return FilterClustering(classes, adj, feat, filters, kernel, backend)


def _train(
    clustering: FilterClustering,
    learning: FilterLearning,
    num_epochs: int,
    seed: int,
    steps: Steps,
) -> dict[str, np.ndarray]:
    """The better of the initial and the trained filters, and the curve of the run."""
    curve: list[float] = []

    def on_epoch(loss: float) -> bool:
        curve.append(loss)
        return steps.is_over()

    # a filter with edges between 0 and 1 can have a small loss without resembling any graph, so
    # both candidates are judged as discrete filters
    on_epoch(clustering.loss())
    candidates = [discretize(clustering.filters)]
    generator = torch.Generator().manual_seed(seed)
    clustering.train(
        num_epochs,
        learning.learning_rate,
        learning.batch_size,
        learning.relocate,
        generator,
        on_epoch,
    )
    candidates.append(discretize(clustering.filters))
    best = min(candidates, key=clustering.loss)
    arrays = {name: getattr(best, name).numpy() for name in ("adj", "feat", "weights")}
    return arrays | {"num_nodes": np.array(best.num_nodes), "curve": np.array(curve)}


def choose_initial(
    classes: SubgraphClasses,
    num_filters: int,
    kernel: GOMKKernel,
    sample_size: int,
    rng: np.random.Generator,
    backend: str,
) -> np.ndarray:
    """Choose the subgraph classes that the filters are initialised with, int64 ``[Q]``.

    Greedy facility location. Of more than ``sample_size`` classes a sample is compared, so that the
    cost does not grow with U squared. Classes without weight are not chosen, and fewer than
    ``num_filters`` are returned when there are fewer. Rows of ``classes``, in the order chosen.
    """
    rows, drawn = classes.sample(sample_size, rng)
    rows, weight = rows[drawn > 0], drawn[drawn > 0].astype(np.float64)
    num_filters = min(num_filters, len(rows))
    similarity = _pairwise_similarity(classes, rows, kernel, backend)
    return rows[_facility_location(similarity, weight, num_filters)]


def _pairwise_similarity(
    classes: SubgraphClasses, rows: np.ndarray, kernel: GOMKKernel, backend: str
) -> np.ndarray:
    """Normalised scores among classes, ``[U', U']``."""
    index = torch.from_numpy(rows)
    x, num_nodes = classes.levels[index], classes.num_nodes[index]
    with torch.no_grad():
        blocks = [
            kernel.match(x[part], x, num_nodes[part], backend).scores
            for part in torch.arange(len(rows)).split(128)
        ]
    return torch.cat(blocks).numpy() / kernel.largest_score(x.shape[2])


def _facility_location(similarity: np.ndarray, weight: np.ndarray, num_chosen: int) -> list[int]:
    """Greedily add the class that most raises the sum of similarities to the nearest chosen."""
    # similarity of each class to the nearest one that is chosen
    covered = np.zeros(len(similarity))
    chosen: list[int] = []
    for _ in range(num_chosen):
        # how much each candidate would add, summed over all subgraphs
        gain = weight @ np.maximum(similarity - covered[:, None], 0)
        gain[chosen] = -np.inf
        chosen.append(int(gain.argmax()))
        covered = np.maximum(covered, similarity[:, chosen[-1]])
    return chosen


@dataclass(frozen=True)
class Assignment:
    """The most similar filter of U classes: its number, the similarity and the node matching.

    ``filter_of`` and ``similarity`` are ``[U]``, ``matching`` is int64 ``[U, N]``: the filter node
    of each subgraph node, -1 = unmatched.
    """

    filter_of: Tensor
    similarity: Tensor
    matching: Tensor


class FilterClustering:
    """Trains graph filters, in place, on U classes of subgraphs.

    ``adj [U, N, N]``, or ``[U, N, N, C]`` for several channels, and ``feat [U, N, D]`` are a
    subgraph of each class with its scaled features.
    """

    def __init__(
        self,
        classes: SubgraphClasses,
        adj: Tensor,
        feat: Tensor,
        filters: GraphFilters,
        kernel: GOMKKernel,
        backend: str,
    ) -> None:
        self.classes, self.adj, self.feat = classes, adj, feat
        self.filters, self.kernel, self.backend = filters, kernel, backend
        self.weight = torch.from_numpy(classes.weight).float()

    @torch.no_grad()
    def assign(
        self, rows: Tensor | None = None, discrete: DiscreteFilters | None = None
    ) -> Assignment:
        """Most similar filter of the classes in ``rows``, or of all.

        The filters are those being trained, or ``discrete`` ones.
        """
        rows = torch.arange(len(self.classes)) if rows is None else rows
        filters = (self.filters.adj(), self.filters.feat())
        z = self.kernel.embed(*(filters if discrete is None else (discrete.adj, discrete.feat)))
        parts = [self._assign_part(part, z) for part in rows.split(_PART_SIZE)]
        return Assignment(*(torch.cat(column) for column in zip(*parts, strict=True)))

    def _assign_part(self, rows: Tensor, z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores, matching = self.kernel.match(
            self.classes.levels[rows], z, self.classes.num_nodes[rows], self.backend
        )
        best = scores.argmax(dim=1)
        index = torch.arange(len(rows))
        similarity = scores[index, best] / self.kernel.largest_score(self.filters.filter_size)
        return best, similarity, matching[index, best]

    def loss(self, discrete: DiscreteFilters | None = None) -> float:
        """1 - the mean similarity of a subgraph to its most similar filter."""
        similarity = self.assign(discrete=discrete).similarity
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
        """Run gradient epochs; ``on_epoch`` gets the loss of each and returns whether to stop."""
        optimizer = FilterAdam(self.filters.parameters())
        for epoch in range(num_epochs):
            # the learning rate falls from its full value to 0 along half a cosine
            cosine = math.cos(math.pi * epoch / num_epochs)
            optimizer.learning_rate = learning_rate * (1 + cosine) / 2
            loss = 0.0
            filter_weight = torch.zeros(len(self.filters.free_adj))
            for batch in torch.randperm(len(self.classes), generator=generator).split(batch_size):
                assignment = self.assign(batch)
                filter_weight.index_add_(0, assignment.filter_of, self.weight[batch])
                loss += self._step(optimizer, batch, assignment)
            if on_epoch(loss / float(self.weight.sum())):
                break
            if relocate and epoch < _RELOCATION_SHARE * num_epochs:
                self._relocate_idle(filter_weight, optimizer)

    def _step(self, optimizer: FilterAdam, rows: Tensor, assignment: Assignment) -> float:
        """Take one gradient step; return the summed loss of ``rows`` before it."""
        z = self.kernel.embed(self.filters.adj(), self.filters.feat())
        # index_select, because the backward pass of indexing sums in no fixed order
        z = z.index_select(0, assignment.filter_of)
        scores = self.kernel.score_pairs(self.classes.levels[rows], z, assignment.matching)
        similarity = scores / self.kernel.largest_score(self.filters.filter_size)
        loss = ((1 - similarity) * self.weight[rows]).sum()
        optimizer.zero_grad()
        (loss / self.weight[rows].sum()).backward()
        optimizer.step()
        return float(loss.detach())

    def _relocate_idle(self, filter_weight: Tensor, optimizer: FilterAdam) -> None:
        """Move idle filters to the classes with the largest weighted distance to their filter."""
        idle = torch.nonzero(filter_weight < _IDLE_SHARE * filter_weight.mean()).flatten()
        if len(idle) == 0:
            return
        distance = (1 - self.assign().similarity) * self.weight
        worst = distance.argsort(descending=True)[: len(idle)]
        idle = idle[: len(worst)]
        self.filters.set(idle, self.adj[worst], self.feat[worst])
        # the old momentum would carry the filter away from its new class
        optimizer.reset(idle)


class FilterAdam:
    """Adam with its default rates, whose state can be reset for single filters.

    ``torch.optim.Adam`` gives the same numbers, but loads the compiler of torch, which takes
    seconds; its function ``adam`` does not. The first axis of each parameter counts filters.
    """

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        self.parameters = [one for one in parameters if one.requires_grad]
        self.learning_rate = 0.0
        self.mean = [torch.zeros_like(one) for one in self.parameters]
        self.square = [torch.zeros_like(one) for one in self.parameters]
        self.num_steps = [torch.tensor(0.0) for _ in self.parameters]

    def zero_grad(self) -> None:
        """Clear the gradients."""
        for one in self.parameters:
            one.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Take one step along the gradients."""
        from torch.optim.adam import adam

        for one, mean, square, count in zip(
            self.parameters, self.mean, self.square, self.num_steps, strict=True
        ):
            if one.grad is not None:
                adam(
                    [one], [one.grad], [mean], [square], [], [count],
                    amsgrad=False, beta1=0.9, beta2=0.999, lr=self.learning_rate,
                    weight_decay=0.0, eps=1e-8, maximize=False,
                )  # fmt: skip

    def reset(self, filters: Tensor) -> None:
        """Clear the momentum of the filters with these numbers."""
        for one in (*self.mean, *self.square):
            one[filters] = 0
