"""Would the patterns be found again? The same miner from other starts and on resampled roots.

``"restarts"``
    the same subgraphs, another seed, and a start that is chosen among a random half of them: the
    best start of all is the same every time, which would say nothing.
``"bootstrap"``
    as many roots as there were, drawn with repeats; in a collection whole graphs are drawn, since
    the roots of one graph do not come alone. Start and training know only what was drawn.

A pattern came back when a filter of the run snapped to its structure, whatever its features. The
subgraphs are extracted and compared once; a run starts from their types, with other weights.
Patterns of noisy copies (``mining/noisy_templates``) are not learnt again and get no
stability.
"""

from __future__ import annotations

import copy
import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted
from tqdm import tqdm

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore, shared_store
from mining.records.stability import Stability

if TYPE_CHECKING:
    from mining.miner import PatternMiner
    from mining.structures.discrete_filters import DiscreteFilters
    from mining.structures.rooted_subgraphs import RootedSubgraphs

log = logging.getLogger("gomkcn_dgl")

KINDS = ("restarts", "bootstrap")


def add_stability(
    miner: PatternMiner,
    graph: Any,
    *,
    num_restarts: int = 10,
    num_bootstrap: int = 10,
    progress: bool = False,
    steps: CheckpointStore | None = None,
) -> None:
    """Mine again from other starts and on resampled roots; each pattern gets its ``stability``.

    Parameters
    ----------
    miner : PatternMiner
        Fitted to ``graph``; its ``patterns_`` are replaced.
    graph : anything :func:`gomkcn_dgl.as_csr` takes
    num_restarts, num_bootstrap : int
        Runs of each kind, see above; 0 leaves a kind out.
    progress : bool
        Show a progress bar.
    steps : CheckpointStore, optional
        Keeps what was done, as in :meth:`PatternMiner.fit`. When time is up, the runs so far count.

    Raises
    ------
    InputError
        For a number out of range, or a graph with other features than the miner was fitted on.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 6)
    >>> miner = PatternMiner(num_patterns=2, pattern_size=5, num_epochs=2).fit(rings)
    >>> add_stability(miner, rings, num_restarts=3, num_bootstrap=4)
    >>> miner.patterns_[0].stability["bootstrap"]
    Stability(returned=4, runs=4)
    """
    check_is_fitted(miner)
    check_int("num_restarts", num_restarts, 0)
    check_int("num_bootstrap", num_bootstrap, 0)
    csr = miner.source_.read(graph)
    asked = {"restarts": num_restarts, "bootstrap": num_bootstrap}
    stable = {name: count for name, count in asked.items() if count}
    if not miner.patterns_ or not stable:
        return
    around = miner.source_.training_subgraphs(csr)
    certificates = miner.filters_.certificates()
    found: list[dict[str, Stability]] = [{} for _ in certificates]

    def mine(name: str, number: int) -> dict[str, np.ndarray]:
        again = set(_mine_again(miner, around, name, number).certificates())
        return {"returned": np.array([certificate in again for certificate in certificates])}

    with (
        shared_store(steps) as steps,
        tqdm(total=sum(stable.values()), desc="stability", disable=not progress) as bar,
    ):
        for name, count in stable.items():
            runs = steps.do_all(f"stability-{name}", count, partial(mine, name), bar.update)
            if not runs:
                log.warning("time was up before a run to see how stable patterns are over %s", name)
                continue
            returned = np.sum([run["returned"] for run in runs], axis=0)
            for entry, times in zip(found, returned.tolist(), strict=True):
                entry[name] = Stability(times, len(runs))
    miner.patterns_ = [
        replace(pattern, stability={} if pattern.noisy else entry)
        for pattern, entry in zip(miner.patterns_, found, strict=True)
    ]


def _mine_again(
    miner: PatternMiner, around: RootedSubgraphs, name: str, number: int
) -> DiscreteFilters:
    """Filters of one run."""
    rng = np.random.default_rng([miner.random_state, KINDS.index(name), number])
    again = copy.copy(miner).set_params(random_state=int(rng.integers(2**31)))
    types = around.classes
    if name == "restarts":
        half = rng.permutation(len(around.batch))[: -(-len(around.batch) // 2)]
        candidates = np.bincount(types.class_of[half], minlength=len(types))
        return again.learn(around, types, candidates)[0]
    weight = np.bincount(types.class_of, _draw(around, rng), len(types)).astype(np.int64)
    rows = np.flatnonzero(weight)
    return again.learn(around, types.take(rows, weight[rows]))[0]


def _draw(around: RootedSubgraphs, rng: np.random.Generator) -> np.ndarray:
    """How often each subgraph is drawn, int64 ``[S]``, those of one unit together."""
    graph, roots = around.graph, around.batch.roots
    # the views of a root are one unit as well
    unit = graph.graph_of(roots) if graph.num_graphs > 1 else roots
    num_units = graph.num_graphs if graph.num_graphs > 1 else graph.num_nodes
    drawn = np.bincount(rng.integers(num_units, size=num_units), minlength=num_units)
    return drawn[unit]
