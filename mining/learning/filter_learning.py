"""Filters are initialised, trained as cluster centres and discretised; the best are returned.

This is the frequent pattern mining of section VI-B of the GOMKCN paper, from several
initialisations where the user asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import MAX_HOPS
from mining.learning.clustering import FilterClustering
from mining.learning.discrete_filters import DiscreteFilters, discretize
from mining.learning.rooted_subgraphs import RootedSubgraphs, SubgraphClasses

INITIALIZATIONS = ("facility_location", "random")


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
    n_init : int
        Number of initialisations; the one with the best discrete filters is used.
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
    n_init: int = 1
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
        for name in ("n_init", "batch_size", "sample_size", "train_size"):
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
    steps: Steps | None = None,
) -> tuple[DiscreteFilters, list[float]]:
    """Learn filters from each initialisation; return the best ones and their loss curve.

    The curve has the loss before the training, then after each epoch. Each initialisation is a
    step; when time is up, training ends.
    """
    steps = Steps() if steps is None else steps
    best: dict[str, np.ndarray] = {}
    for number in range(learning.n_init):
        if best and steps.is_over():
            break

        def learn(number: int = number) -> dict[str, np.ndarray]:
            clustering = _initialize(subgraphs, num_filters, learning, [seed, number])
            return _train(clustering, learning, num_epochs, seed + number, steps)

        result = dict(steps.once(f"learning filters {number + 1}", learn))
        if not best or result["loss"] < best["loss"]:
            best = result
    return DiscreteFilters.from_arrays(best), best["curve"].tolist()


def _initialize(
    subgraphs: RootedSubgraphs, num_filters: int, learning: FilterLearning, seed: list[int]
) -> FilterClustering:
    """Draw the classes to train on, and set the filters to some of them."""
    rng = np.random.default_rng(seed)
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
    """The better of the initial and the trained filters, their loss, and the curve of the run."""
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
    candidates = [clustering.with_mean_features(filters) for filters in candidates]
    losses = [clustering.loss(filters) for filters in candidates]
    best = int(np.argmin(losses))
    return {
        **candidates[best].to_arrays(),
        "loss": np.array(losses[best]),
        "curve": np.array(curve),
    }
