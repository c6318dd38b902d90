"""A whole mining job: patterns with their counts and verdicts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.job import Interrupts, JobProgress
from gomkcn_dgl.runtime.steps import Steps, identity_of_job
from mining.miner import Miner
from mining.settings import RunSettings

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
    classes: GraphClasses | None = None,
) -> tuple[Miner, float]:
    """Do what ``gomkcn mine`` does between reading a graph and writing its run.

    It is resumed from what is in ``folder``. ``interrupts`` tell when to stop; ``classes`` are
    those of the graphs. Returns the fitted miner and the seconds that it took, without those of an
    earlier process. Raises an InputError for a setting out of range.
    """
    start, progress = time.perf_counter(), JobProgress() if progress is None else progress
    progress.begin("preparing")
    miner = settings.make_miner()
    identity = None if folder is None else _identity(settings, graph, classes)
    steps = Steps(folder, identity, interrupts=interrupts, progress=progress, n_jobs=miner.n_jobs)
    y = None if classes is None else np.array(classes.names)[classes.labels]
    miner.fit(graph, y, steps=steps)
    progress.begin("drawing the page")
    return miner, time.perf_counter() - start


def _identity(
    settings: RunSettings, graph: CSRGraph, classes: GraphClasses | None
) -> dict[str, object]:
    """What decides the result: the settings, the graph, its classes."""
    tables: dict[str, Any] = dict(settings.to_dict())
    del tables["graph"]
    for table, names in _WITHOUT_EFFECT.items():
        for name in names:
            del tables[table][name]
    arrays = [graph.indptr, graph.indices, graph.features, graph.graph_ptr]
    if graph.links is not None:
        arrays += [graph.links, graph.relations.links]
        tables["relations"] = graph.relations.kinds
    if classes is not None:
        arrays.append(classes.labels)
        tables["classes"] = classes.names
    return identity_of_job(tables, *arrays)
