"""A whole job of filters: learnt, assigned, counted, and made into a run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.filters.filters_run import FiltersRun, count_filters
from gomkcn.mining.filters.filters_settings import FiltersSettings
from gomkcn.mining.settings.job_identity import job_identity
from gomkcn.mining.structures.mined_graph import refuse_no_edges
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.job import Interrupts, JobProgress
from gomkcn_dgl.runtime.steps import Steps

# settings that do not change the result
_WITHOUT_EFFECT = {"learning": ("backend",), "filters": ("device",)}


def run_filters_job(
    settings: FiltersSettings,
    graph: CSRGraph,
    folder: Path | None = None,
    interrupts: Interrupts | None = None,
    progress: JobProgress | None = None,
    *,
    classes: GraphClasses | None = None,
    truth: dict[str, Any] | None = None,
) -> tuple[Any, FiltersRun]:
    """Do what ``gomkcn filters`` does between reading a graph and writing its run.

    It is resumed from what is in ``folder``. ``interrupts`` tell when to stop; ``classes`` are
    those of the graphs, and ``truth`` the planted motifs. Returns the fitted miner and its run.
    Raises an InputError for a setting out of range.
    """
    start = time.perf_counter()
    refuse_no_edges(graph)
    progress = JobProgress() if progress is None else progress
    identity = None
    if folder is not None:
        identity = job_identity(settings.to_dict(), _WITHOUT_EFFECT, graph)
    steps = Steps(folder, identity, interrupts=interrupts, progress=progress)
    miner = settings.miner().fit(graph, steps=steps)
    run = counted_run(miner, graph, settings, steps, start, classes=classes, truth=truth)
    return miner, run


def counted_run(
    miner: FilterMiner,
    graph: CSRGraph,
    settings: FiltersSettings,
    steps: Steps,
    start: float,
    *,
    classes: GraphClasses | None,
    truth: dict[str, Any] | None,
) -> FiltersRun:
    """Count the structures of a fitted miner and collect its run, of a job that began at ``start``.

    Where time is up some are not counted, and the run is a part.
    """
    counts = count_filters(
        miner.filters_, as_unweighted(graph), settings.filters.count_seconds, steps
    )
    miner.is_partial_ = steps.is_partial
    steps.progress.begin("drawing the page")
    return FiltersRun.of(
        miner,
        graph,
        settings=settings,
        seconds=time.perf_counter() - start,
        truth=truth,
        classes=classes,
        occurrences=counts,
        has_map=steps.seconds_left > 0,
        command=steps.resuming_command,
    )
