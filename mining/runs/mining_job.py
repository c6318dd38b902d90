"""A whole mining job: filters, patterns with their counts and verdicts, and the run of both."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from gomkcn.mining.filters.filters_settings import FiltersSettings
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.runs.filters_job import counted_run
from gomkcn.mining.settings.job_identity import job_identity
from gomkcn.mining.structures.mined_graph import refuse_no_edges
from gomkcn.mining.structures.truth import compare_with_truth
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.job import Interrupts, JobProgress
from gomkcn_dgl.runtime.steps import Steps

# settings that do not change the result
_WITHOUT_EFFECT = {
    "miner": ("values", "n_jobs"),
    "learning": ("backend",),
    "filters": ("device",),
}


def run_job(
    settings: RunSettings,
    graph: CSRGraph,
    folder: Path | None = None,
    interrupts: Interrupts | None = None,
    progress: JobProgress | None = None,
    *,
    classes: GraphClasses | None = None,
    truth: dict[str, Any] | None = None,
) -> tuple[PatternMiner, MiningRun]:
    """Do what ``gomkcn mine`` does between reading a graph and writing its run.

    It is resumed from what is in ``folder``. ``interrupts`` tell when to stop; ``classes`` are
    those of the graphs, and ``truth`` the planted motifs. Returns the fitted miner and its run,
    whose seconds are without those of an earlier process. Raises an InputError for a setting out of
    range.
    """
    start = time.perf_counter()
    refuse_no_edges(graph)
    progress = JobProgress() if progress is None else progress
    progress.begin("preparing")
    miner = settings.make_miner()
    identity = None
    if folder is not None:
        identity = job_identity(settings.to_dict(), _WITHOUT_EFFECT, graph, classes)
    steps = Steps(folder, identity, interrupts=interrupts, progress=progress, n_jobs=miner.n_jobs)
    y = None if classes is None else classes.called
    miner.fit(graph, y, steps=steps)
    filters = None
    if miner.filters_ is not None:
        own = FiltersSettings.of(miner.filters_, settings.graph)
        filters = counted_run(
            miner.filters_, graph, own, steps, start, classes=classes, truth=truth
        )
        # the time may have come to an end since the miner was fitted
        miner.is_partial_ = steps.is_partial
    progress.begin("drawing the page")
    run = MiningRun.of(
        miner,
        graph,
        has_map=steps.seconds_left > 0,
        settings=settings,
        seconds=time.perf_counter() - start,
        recovery=None if truth is None else compare_with_truth(miner.patterns_, truth),
        filters=filters,
        command=steps.resuming_command,
    )
    return miner, run
