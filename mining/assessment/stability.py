"""Stability: whether the same patterns are found when mining is repeated.

``"restarts"``
    on the same subgraphs, with another seed and an initialization that is chosen among a random
    half of them. The best initialization among all of them would be the same every time.
``"bootstrap"``
    on as many roots as before, drawn with replacement. In a collection whole graphs are drawn,
    since the roots of a graph are not independent. Initialization and training see what was drawn.

A pattern returned if a filter of the run has its structure, whatever the features. The subgraphs
are extracted and compared once; a run gives their classes other weights. Consensus patterns
(``mining/learning/consensus.py``) and structures without a filter get no stability.
"""

from __future__ import annotations

import copy
import logging
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore, shared_store
from mining.job_stages import again_stage
from mining.miner import PatternMiner, learn_distinct_filters
from mining.records.stability import Stability
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
    checkpoints: CheckpointStore | None = None,
) -> None:
    """Repeat mining with restarts and on resampled roots; each pattern gets its ``stability``.

    Parameters
    ----------
    miner : PatternMiner
        Fitted to ``graph``; its ``patterns_`` are replaced.
    graph : anything :func:`gomkcn.as_csr` takes
    num_restarts, num_bootstrap : int
        Runs of each kind; 0 leaves a kind out.
    checkpoints : CheckpointStore, optional
        Stores intermediate results, as in :meth:`PatternMiner.fit`. When time is up, the runs so
        far count.

    Raises
    ------
    InputError
        For a number out of range, or a graph with other features than the miner was fitted on.

    Examples
    --------
    >>> import networkx as nx
    >>> from mining import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6 + [nx.complete_graph(5)] * 6)
    >>> miner = PatternMiner(num_patterns=2, pattern_size=(5, 5), num_epochs=2).fit(rings)
    >>> add_stability(miner, rings, num_restarts=3, num_bootstrap=4)
    >>> miner.patterns_[0].stability["bootstrap"]
    Stability(returned=4, runs=4)
    """
    check_is_fitted(miner)
    num_runs = {
        "restarts": check_int("num_restarts", num_restarts, 0),
        "bootstrap": check_int("num_bootstrap", num_bootstrap, 0),
    }
    csr = miner.source_.read(graph)
    if not miner.patterns_ or not any(num_runs.values()):
        return
    subgraphs = miner.source_.training_subgraphs(csr)
    certificates = miner.filters_.certificates()
    records: list[dict[str, Stability]] = [{} for _ in certificates]

    def repeat(kind: str, number: int) -> dict[str, np.ndarray]:
        learnt = set(_learn_again(miner, subgraphs, kind, number).certificates())
        return {"returned": np.array([certificate in learnt for certificate in certificates])}

    with shared_store(checkpoints) as checkpoints:
        for kind in filter(num_runs.get, KINDS):
            checkpoints.progress.begin(again_stage(kind))
            numbers = range(num_runs[kind])
            runs = checkpoints.do_all(f"stability-{kind}", numbers, partial(repeat, kind))
            if not runs:
                log.warning("time was up before the first run of stability over %s", kind)
                continue
            returned = np.sum([run["returned"] for run in runs], axis=0)
            for record, count in zip(records, returned.tolist(), strict=True):
                record[kind] = Stability(count, len(runs))
    miner.patterns_ = [
        replace(pattern, stability={} if pattern.noisy or not pattern.num_filters else record)
        for pattern, record in zip(miner.patterns_, records, strict=True)
    ]


def _learn_again(
    miner: PatternMiner, subgraphs: RootedSubgraphs, kind: str, number: int
) -> DiscreteFilters:
    """Filters of one run."""
    rng = np.random.default_rng([miner.random_state, KINDS.index(kind), number])
    again = copy.copy(miner).set_params(random_state=int(rng.integers(2**31)))
    classes = subgraphs.classes
    if kind == "restarts":
        # initialize from a random half of the subgraphs, train on all of them
        half = rng.permutation(len(subgraphs.batch))[: -(-len(subgraphs.batch) // 2)]
        init_weight = np.bincount(classes.class_of[half], minlength=len(classes))
        return learn_distinct_filters(again, subgraphs, classes, init_weight)[0]
    # initialize from and train on what was drawn, each class weighted by its number of draws
    drawn = _bootstrap(subgraphs, rng)
    weight = np.bincount(classes.class_of, drawn, len(classes)).astype(np.int64)
    rows = np.flatnonzero(weight)
    return learn_distinct_filters(again, subgraphs, classes.take(rows, weight[rows]))[0]


def _bootstrap(subgraphs: RootedSubgraphs, rng: np.random.Generator) -> np.ndarray:
    """How often each subgraph is drawn, int64 ``[S]``; those of a sampling unit together."""
    graph, roots = subgraphs.graph, subgraphs.batch.roots
    # the unit is a graph of a collection, or a root with all its views
    if graph.num_graphs > 1:
        unit, num_units = graph.graph_of(roots), graph.num_graphs
    else:
        unit, num_units = roots, graph.num_nodes
    return np.bincount(rng.integers(num_units, size=num_units), minlength=num_units)[unit]
