"""A whole mining job: patterns, exact counts, comparison with null models, stability."""

from __future__ import annotations

import time
from pathlib import Path

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.checkpoint import digest_of
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.interrupts import Interrupts
from gomkcn_dgl.runtime.processes import is_first
from mining.assessment.significance import add_significance, check_samples
from mining.assessment.stability import add_stability
from mining.counting.topology import MOST_PATTERN_NODES
from mining.locating.build_patterns import add_exact_counts
from mining.miner import PatternMiner
from mining.settings import RunSettings

# settings of the miner that do not change the result
_WITHOUT_EFFECT = ("backend", "memory_limit")


class MiningJob:
    """What ``gomkcn mine`` does between reading a graph and writing its run.

    Raises an InputError for a setting out of range.
    """

    def __init__(self, settings: RunSettings, *, progress: bool = False) -> None:
        self.settings, self.progress = settings, progress
        self.miner = settings.make_miner()
        check_samples(settings.null.models, settings.null.samples, settings.null.decoys)
        for name, num_runs in vars(settings.stability).items():
            check_int(name, num_runs, 0)
        if settings.exact.seconds is not None:
            check_float("seconds", settings.exact.seconds, 0, open_minimum=True)
            size = self.miner.pattern_size
            if isinstance(size, int) and size > MOST_PATTERN_NODES:
                raise InputError(
                    f"exact counts are for patterns of at most {MOST_PATTERN_NODES} nodes, got a "
                    f"pattern_size of {size}; leave one of them out."
                )

    def run(
        self, graph: CSRGraph, folder: Path | None = None, interrupts: Interrupts | None = None
    ) -> tuple[PatternMiner, float]:
        """Do the job, or resume it from the checkpoints in ``folder``.

        ``interrupts`` tell when to stop. Returns the fitted miner and the seconds that it took,
        without those of an earlier process.
        """
        start = time.perf_counter()
        miner, settings = self.miner, self.settings
        with CheckpointStore(folder, interrupts) as checkpoints:
            if folder is not None:
                checkpoints.identify(self._identity(graph))
            miner.fit(graph, checkpoints=checkpoints, progress=self.progress)
            if settings.exact.seconds is not None and is_first():
                miner.patterns_ = add_exact_counts(miner.patterns_, graph, settings.exact.seconds)
            add_significance(
                miner,
                graph,
                settings.null.models,
                num_samples=settings.null.samples,
                num_decoys=settings.null.decoys,
                exact_seconds=settings.exact.seconds,
                progress=self.progress,
                checkpoints=checkpoints,
            )
            add_stability(
                miner,
                graph,
                num_restarts=settings.stability.restarts,
                num_bootstrap=settings.stability.bootstrap,
                progress=self.progress,
                checkpoints=checkpoints,
            )
            miner.is_partial_ = checkpoints.time_is_up
        return miner, time.perf_counter() - start

    def _identity(self, graph: CSRGraph) -> dict[str, object]:
        """What decides the result: the settings, the size of a part, and the graph."""
        tables = self.settings.to_dict()
        del tables["graph"]
        # null models compare exact counts where there are any
        if not self.settings.null.models:
            del tables["exact"]
        for name in _WITHOUT_EFFECT:
            del tables["miner"][name]
        part_size = self.miner.make_budget(graph.features.shape[1], graph.relations).part_size
        arrays = [graph.indptr, graph.indices, graph.features, graph.graph_ptr]
        if graph.links is not None:
            arrays += [graph.links, graph.relations.links]
            tables["relations"] = graph.relations.kinds
        return {"settings": {**tables, "part": part_size}, "data": digest_of(*arrays)}
