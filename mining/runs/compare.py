"""The kind of run of ``gomkcn compare``: every structure of two runs or graphs, and their profiles.

| file              | holds                                                               |
|-------------------|---------------------------------------------------------------------|
| `settings.toml`   | the resolved settings; `gomkcn compare --settings` takes it         |
| `run.json`        | the two graphs, provenance                                          |
| `found.zip`       | the comparison, which `gomkcn.load` reads                           |
| `structures.csv`  | a row for each structure, the surest difference first               |
| `roles.csv`       | a row for each of the nodes that changed their roles most           |
| `comparison.html` | the same for a person                                               |
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.patterns.run_comparison import (
    ComparedInput,
    RunComparison,
    compare_inputs,
    is_run,
)
from gomkcn.mining.runs.found_file import FOUND, read_found, writer_of
from gomkcn.mining.runs.mine import MINE
from gomkcn.mining.settings.comparison_settings import ComparisonSettings
from gomkcn.mining.settings.miner_settings import NONE
from gomkcn.mining.show.comparison_page import render_comparison
from gomkcn.mining.show.comparison_text import format_comparison, missing_text
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.runtime.output_folder import Content, describe_provenance
from gomkcn_dgl.runtime.run import SETTINGS, Run, RunKind, Work, read_run
from gomkcn_dgl.runtime.steps import identity_of_job

_STRUCTURES = "structures.csv"
_ROLES = "roles.csv"
PAGE = "comparison.html"


def read_compared(settings: ComparisonSettings, path: str) -> ComparedInput:
    """Read the run of a folder, and its graph where that is still there; or a graph."""
    if not is_run(path):
        return ComparedInput(settings.graph_of(path).read_graph(), path)
    run = read_run(MINE, path).found
    return ComparedInput(run, path, _graph_of_run(Path(path), run))


def _graph_of_run(folder: Path, run: MiningRun) -> CSRGraph | None:
    """The graph that a run was made of; None where its file is gone, or holds another one now."""
    try:
        settings = RunSettings().read(str(folder / SETTINGS)).graph
        graph = settings.read_graph()
    except (GomkcnError, OSError):
        return None
    return graph if GraphSummary.of(graph, settings.path) == run.graph else None


def make_comparison(
    settings: ComparisonSettings,
    inputs: tuple[ComparedInput, ComparedInput],
    work: Work | None = None,
) -> Run[RunComparison]:
    """Do what ``gomkcn compare`` does between reading runs or graphs and writing its run."""
    start = time.perf_counter()
    work = Work() if work is None else work
    table = settings.compare
    miner = PatternMiner(
        filters=NONE,
        null=table.null,
        null_samples=table.null_samples,
        random_state=table.seed,
    )
    decisive = asdict(table)
    steps = work.steps(lambda: identity_of_job(decisive, *_arrays_of(inputs)))
    found = compare_inputs(inputs, miner, steps)
    record = {
        "sources": [found.first.graph.source, found.second.graph.source],
        "partial": steps.is_partial,
        "command": steps.resuming_command if steps.is_partial else "",
        "settings": settings.to_dict(),
        "provenance": describe_provenance(table.seed, time.perf_counter() - start),
    }
    return Run(found, record)


def _arrays_of(inputs: tuple[ComparedInput, ComparedInput]) -> list[Any]:
    """What decides the counts of graphs."""
    arrays: list[Any] = []
    for compared in inputs:
        graph = compared.graph if isinstance(compared.given, MiningRun) else compared.given
        if graph is not None:
            arrays += [graph.indptr, graph.indices, graph.features, graph.graph_ptr, graph.links]
    return arrays


def _tables(run: Run[RunComparison]) -> dict[str, Content]:
    roles = run.found.table("roles")
    return {
        FOUND: writer_of(run.found),
        _STRUCTURES: partial(run.found.write_to, format="csv"),
        _ROLES: partial(roles.write_to, format="csv"),
    }


def _render(run: Run[RunComparison]) -> str:
    return render_comparison(run.found, _missing(run))


def _text(run: Run[RunComparison]) -> str:
    missing = _missing(run)
    return format_comparison(run.found) + (f"\n\n{missing}" if missing else "")


def _missing(run: Run[RunComparison]) -> str:
    """What a partial run says of itself; empty for a whole one."""
    if not run.is_partial:
        return ""
    command = run.record["command"]
    return f"partial: {missing_text(run.found)}{f'; to go on: {command}' if command else ''}"


def _read(folder: Path, record: Mapping[str, Any]) -> RunComparison:
    return read_found(folder, RunComparison)


COMPARE = RunKind(
    "compare",
    (FOUND, _STRUCTURES, _ROLES, PAGE),
    PAGE,
    make_comparison,
    _tables,
    _render,
    _text,
    _read,
)
