"""The kind of run of ``gomkcn compare``: every structure of two runs or graphs, and their profiles.

| file              | holds                                                               |
|-------------------|---------------------------------------------------------------------|
| `settings.toml`   | the resolved settings; `gomkcn compare --settings` takes it         |
| `run.json`        | the two graphs, provenance                                          |
| `found.zip`       | the comparison, which `gomkcn.load` reads                           |
| `structures.csv`  | a row for each structure                                            |
| `comparison.html` | the same for a person                                               |
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.run_comparison import (
    RunComparison,
    compare_runs,
    is_run,
    mine_structures,
)
from gomkcn.mining.runs.found_file import FOUND, read_found, writer_of
from gomkcn.mining.runs.mine import MINE
from gomkcn.mining.settings.comparison_settings import ComparisonSettings
from gomkcn.mining.show.comparison_page import render_comparison
from gomkcn.mining.show.comparison_text import format_comparison
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.output_folder import Content, describe_provenance
from gomkcn_dgl.runtime.run import Run, RunKind, Work, read_run
from gomkcn_dgl.runtime.steps import Steps, identity_of_job

_STRUCTURES = "structures.csv"
PAGE = "comparison.html"


class ComparedInput(NamedTuple):
    """A finished run, or a graph whose structures are to be counted, and its path."""

    path: str
    given: MiningRun | CSRGraph

    @classmethod
    def read(cls, settings: ComparisonSettings, path: str) -> ComparedInput:
        """Read the run of a folder, or the graph of any other path."""
        if is_run(path):
            return cls(path, read_run(MINE, path).found)
        return cls(path, settings.graph_of(path).read_graph())


def compare_inputs(
    settings: ComparisonSettings,
    inputs: tuple[ComparedInput, ComparedInput],
    work: Work | None = None,
) -> Run[RunComparison]:
    """Do what ``gomkcn compare`` does between reading runs or graphs and writing its run."""
    start = time.perf_counter()
    work = Work() if work is None else work
    graphs = [compared.given for compared in inputs if isinstance(compared.given, CSRGraph)]
    steps = work.steps(lambda: identity_of_job({}, *_arrays_of(graphs)))
    names = ("first", "second")
    found = compare_runs(
        *(_counted(compared, name, steps) for compared, name in zip(inputs, names, strict=True))
    )
    record = {
        "sources": [found.first.graph.source, found.second.graph.source],
        "partial": steps.is_partial,
        "command": steps.resuming_command if steps.is_partial else "",
        "settings": settings.to_dict(),
        "provenance": describe_provenance(0, time.perf_counter() - start),
    }
    return Run(found, record)


def _arrays_of(graphs: list[CSRGraph]) -> list[Any]:
    """What decides the counts of graphs."""
    arrays: list[Any] = []
    for graph in graphs:
        arrays += [graph.indptr, graph.indices, graph.features, graph.graph_ptr, graph.links]
    return arrays


def _counted(compared: ComparedInput, name: str, steps: Steps) -> MiningRun:
    """A run as it is, or one of a graph, whose structures are counted."""
    if isinstance(compared.given, MiningRun):
        return compared.given
    with steps.part(f"{name} graph"):
        return mine_structures(compared.given, compared.path, steps=steps)


def _tables(run: Run[RunComparison]) -> dict[str, Content]:
    return {
        FOUND: writer_of(run.found),
        _STRUCTURES: partial(run.found.write_to, format="csv"),
    }


def _render(run: Run[RunComparison]) -> str:
    return render_comparison(run.found)


def _text(run: Run[RunComparison]) -> str:
    missing = "\n\npartial: the counts ended early" if run.is_partial else ""
    return f"{format_comparison(run.found)}{missing}"


def _read(folder: Path, record: Mapping[str, Any]) -> RunComparison:
    return read_found(folder, RunComparison)


COMPARE = RunKind(
    "compare", (FOUND, _STRUCTURES, PAGE), PAGE, compare_inputs, _tables, _render, _text, _read
)
