"""A whole mining job: patterns, then how they compare with chance and how stable they are."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.checkpoint import digest_of
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from gomkcn_dgl.runtime.interrupts import Interrupts
from mining.assessment.significance import add_significance, check_samples
from mining.assessment.stability import add_stability
from mining.miner import PatternMiner
from mining.settings import RunSettings

# settings that do not change the result
_WITHOUT_EFFECT = ("progress", "backend", "memory_limit")


class MiningJob:
    """What `gomkcn mine` does between reading a graph and writing its run.

    Parameters
    ----------
    settings : RunSettings
    progress : bool
        Show progress bars.

    Raises
    ------
    InputError
        For a setting out of range.
    """

    def __init__(self, settings: RunSettings, *, progress: bool = False) -> None:
        self.miner = PatternMiner(**{**settings.miner, "progress": progress})
        self.settings = settings.override({}, self.miner.get_params())
        self.progress = progress
        chance, again = settings.null, settings.stability
        check_samples(chance.models, chance.samples, chance.decoys)
        for runs in (again.restarts, again.bootstrap):
            check_int("num_runs", runs, 0)

    def run(
        self, graph: CSRGraph, folder: Path | None = None, interrupts: Interrupts | None = None
    ) -> tuple[PatternMiner, float]:
        """Do the job, or go on with what is in the folder.

        Parameters
        ----------
        graph : CSRGraph
        folder : path, optional
            Keeps what was done.
        interrupts : Interrupts, optional
            When to stop.

        Returns
        -------
        PatternMiner
            Fitted.
        float
            Seconds that it took, without those of an earlier process.
        """
        start = time.perf_counter()
        chance, again = self.settings.null, self.settings.stability
        with CheckpointStore(folder, interrupts) as steps:
            if folder is not None:
                steps.identify(self._identity(graph))
            self.miner.fit(graph, steps=steps)
            add_significance(
                self.miner,
                graph,
                chance.models,
                num_samples=chance.samples,
                num_decoys=chance.decoys,
                progress=self.progress,
                steps=steps,
            )
            add_stability(
                self.miner,
                graph,
                num_restarts=again.restarts,
                num_bootstrap=again.bootstrap,
                progress=self.progress,
                steps=steps,
            )
            self.miner.is_partial_ = steps.time_is_up
        return self.miner, time.perf_counter() - start

    def _identity(self, graph: CSRGraph) -> dict[str, object]:
        """What decides the result."""
        miner = {
            name: value
            for name, value in self.settings.miner.items()
            if name not in _WITHOUT_EFFECT
        }
        arrays = (graph.indptr, graph.indices, graph.features, graph.graph_ptr)
        return {
            "settings": {
                "miner": miner,
                "null": asdict(self.settings.null),
                "stability": asdict(self.settings.stability),
                "part": self.miner.part_size(graph),
            },
            "data": digest_of(*arrays),
        }
