"""Step 4: filters trained from one start or several, snapped; the best of all that was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tqdm import tqdm

from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from mining.learning.clustering import FilterClustering
from mining.learning.initialization import choose_initial
from mining.structures.discrete_filters import DiscreteFilters, snap
from mining.structures.rooted_subgraphs import RootedSubgraphs
from mining.structures.subgraph_classes import SubgraphClasses

if TYPE_CHECKING:
    from mining.miner import PatternMiner


def find_best(
    miner: PatternMiner,
    around: RootedSubgraphs,
    types: SubgraphClasses,
    candidates: np.ndarray | None = None,
    steps: CheckpointStore | None = None,
) -> tuple[DiscreteFilters, list[float]]:
    """Run all restarts of a miner.

    Parameters
    ----------
    miner : PatternMiner
        Its settings count, and the number and size of patterns that it settled.
    around : RootedSubgraphs
        Of the graph.
    types : SubgraphClasses
        U of its types, with any weights.
    candidates : numpy.ndarray, optional
        int64 ``[U]`` weights by which the start is chosen; by default those of ``types``.
    steps : CheckpointStore, optional
        Keeps each restart; when time is up, the training ends.

    Returns
    -------
    DiscreteFilters
        Of the start or of the training, whichever fits best.
    list of float
        The loss at the start of that run, then after each epoch.
    """
    steps = CheckpointStore() if steps is None else steps
    total = (1 + miner.num_epochs) * miner.n_init
    best: dict[str, np.ndarray] = {}
    with tqdm(total=total, desc="mining", unit="epoch", disable=not miner.progress) as bar:
        for restart in range(miner.n_init):
            if best and steps.is_over():
                break

            def run(restart: int = restart) -> dict[str, np.ndarray]:
                clustering = _start(miner, restart, around, types, candidates)
                return _run(miner, clustering, restart, steps, bar)

            found = dict(steps.take_together(f"filters-{restart}", run))
            if not best or found["loss"] < best["loss"]:
                best = found
    return DiscreteFilters.from_arrays(best), best["curve"].tolist()


def _run(
    miner: PatternMiner,
    clustering: FilterClustering,
    restart: int,
    steps: CheckpointStore,
    bar: tqdm[Any],
) -> dict[str, np.ndarray]:
    """The better of a start and what is trained from it, with its loss and the curve of the run."""
    curve: list[float] = []

    def on_step(loss: float) -> bool:
        curve.append(loss)
        bar.set_postfix_str(f"loss {loss:.4f}")
        bar.update()
        return steps.is_over()

    best: dict[str, np.ndarray] = {}
    for snapped in _train(miner, clustering, restart, on_step):
        snapped = clustering.settle_features(snapped)
        # a soft filter can score high without being any graph: judge the snapped one
        loss = clustering.loss(snapped)
        if not best or loss < best["loss"]:
            best = {**snapped.to_arrays(), "loss": np.array(loss)}
    return {**best, "curve": np.array(curve)}


def _start(
    miner: PatternMiner,
    restart: int,
    around: RootedSubgraphs,
    types: SubgraphClasses,
    candidates: np.ndarray | None,
) -> FilterClustering:
    """Choose what is trained on and where the filters start."""
    rng = np.random.default_rng([miner.random_state, restart])
    rows, weight = types.sample(miner.train_size, rng)
    types = types.take(rows, weight)
    some = around.batch.take(types.first)
    adj, feat = torch.from_numpy(some.adjacency()), torch.from_numpy(some.gather(around.features))
    # a generator of its own: the user's random numbers go on as if nothing had happened
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    num_filters, kernel, backend = miner.num_patterns_, around.kernel, around.backend
    if miner.init != "random":
        among = types if candidates is None else replace(types, weight=candidates[rows])
        chosen = choose_initial(
            miner.init, among, num_filters, kernel, miner.sample_size, rng, backend
        )
        num_filters = len(chosen)
    filters = GraphFilters(num_filters, miner.pattern_size_, feat.shape[2], generator=generator)
    if miner.init != "random":
        filters.set(torch.arange(num_filters), adj[chosen], feat[chosen])
    return FilterClustering(types, adj, feat, filters, kernel, backend)


def _train(
    miner: PatternMiner,
    clustering: FilterClustering,
    restart: int,
    on_step: Callable[[float], bool],
) -> Iterator[DiscreteFilters]:
    """Train; yield the snapped filters of the start, and after the training."""
    generator = torch.Generator().manual_seed(miner.random_state + restart)
    on_step(clustering.loss())
    yield snap(clustering.filters)
    clustering.train(
        miner.num_epochs,
        miner.learning_rate,
        miner.batch_size,
        miner.relocate,
        generator,
        on_step,
    )
    yield snap(clustering.filters)
