"""A whole mining job: patterns with their counts and verdicts."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.job import Interrupts, JobProgress
from gomkcn_dgl.runtime.steps import Steps, identity_of_job
from mining.miner import PatternMiner
from mining.settings import RunSettings

# settings of the miner that do not change the result
_WITHOUT_EFFECT = ("backend", "memory_limit", "level", "values")


class MiningJob:
    """What ``gomkcn mine`` does between reading a graph and writing its run.

    Raises an InputError for a setting out of range.
    """

    def __init__(self, settings: RunSettings, progress: JobProgress | None = None) -> None:
        self.settings = settings
        self.progress = JobProgress() if progress is None else progress
        self.miner = settings.make_miner()
        self.miner.check()

    def run(
        self,
        graph: CSRGraph,
        folder: Path | None = None,
        interrupts: Interrupts | None = None,
        classes: GraphClasses | None = None,
    ) -> tuple[PatternMiner, float]:
        """Do the job, or resume it from what is in ``folder``.

        ``interrupts`` tell when to stop; ``classes`` are those of the graphs. Returns the fitted
        miner and the seconds that it took, without those of an earlier process.
        """
        start = time.perf_counter()
        self.progress.begin("preparing")
        identity = None if folder is None else self._identity(graph, classes)
        steps = Steps(folder, identity, interrupts=interrupts, progress=self.progress)
        y = None if classes is None else np.array(classes.names)[classes.labels]
        self.miner.fit(graph, y, steps=steps)
        self.progress.begin("drawing the page")
        return self.miner, time.perf_counter() - start

    def _identity(self, graph: CSRGraph, classes: GraphClasses | None) -> dict[str, object]:
        """What decides the result: the settings, the size of a part, the graph, its classes."""
        tables = self.settings.to_dict()
        del tables["graph"]
        for name in _WITHOUT_EFFECT:
            del tables["miner"][name]
        part_size = self.miner.make_budget(graph.features.shape[1], graph.relations).part_size
        arrays = [graph.indptr, graph.indices, graph.features, graph.graph_ptr]
        if graph.links is not None:
            arrays += [graph.links, graph.relations.links]
            tables["relations"] = graph.relations.kinds
        if classes is not None:
            arrays.append(classes.labels)
            tables["classes"] = classes.names
        return identity_of_job({**tables, "part": part_size}, *arrays)
