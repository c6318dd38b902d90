"""The kind of run of ``gomkcn compare``: two graphs or runs side by side, or many by distances.

| file              | holds                                                               |
|-------------------|---------------------------------------------------------------------|
| `settings.toml`   | the resolved settings; `gomkcn compare --settings` takes it         |
| `run.json`        | the graphs, provenance                                              |
| `found.zip`       | the comparison, which `gomkcn.load` reads                           |
| `comparison.html` | the same for a person                                               |

| of two graphs     |                                                                     |
|-------------------|---------------------------------------------------------------------|
| `structures.csv`  | a row for each structure, the surest difference first               |
| `roles.csv`       | a row for each of the nodes that changed their roles most           |

| of three or more  |                                                                     |
|-------------------|---------------------------------------------------------------------|
| `distances.csv`   | the matrix of the distances that lead: names, a column a graph      |
| `pairs.csv`       | a row for each two graphs with all distances, the nearest first     |
| `graphs.csv`      | a row for each graph: its size, the nearest one, what is missing    |
| `profiles.csv`    | a row for each graph: its profile, the correlations of its orbits   |
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from gomkcn.mining.patterns.graph_distances import GraphDistances
from gomkcn.mining.patterns.measured_distances import (
    MOST_GRAPHS,
    NamedGraph,
    check_many,
    graphs_of_collection,
    refuse_run,
    tell_names_apart,
)
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.patterns.run_comparison import (
    ComparedInput,
    RunComparison,
    compare_inputs,
    comparing_miner,
    is_run,
)
from gomkcn.mining.runs.found_file import FOUND, read_found, writer_of
from gomkcn.mining.runs.mine import MINE
from gomkcn.mining.settings.comparison_settings import ComparisonSettings
from gomkcn.mining.show.comparison_page import render_comparison
from gomkcn.mining.show.comparison_text import format_comparison, missing_text
from gomkcn.mining.show.distances_page import render_distances
from gomkcn.mining.show.distances_text import format_distances, missing_distances
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.io.formats import stem
from gomkcn_dgl.runtime.output_folder import Content
from gomkcn_dgl.runtime.run import SETTINGS, Run, RunKind, Work, read_run, record_of
from gomkcn_dgl.runtime.steps import identity_of_job

_STRUCTURES = "structures.csv"
_ROLES = "roles.csv"
# of many graphs: files, and the tables that they hold
_OF_MANY = {
    "distances.csv": "distances",
    "pairs.csv": "pairs",
    "graphs.csv": "graphs",
    "profiles.csv": "profiles",
}
PAGE = "comparison.html"
Compared = RunComparison | GraphDistances


def read_inputs(settings: ComparisonSettings) -> list[ComparedInput]:
    """Read two graphs or runs; more graphs, with names; or the graphs of one collection."""
    paths = settings.compare.graphs
    if len(paths) == 2:
        return [_read_compared(settings, path) for path in paths]
    if len(paths) > MOST_GRAPHS:
        raise InputError("graphs", f"must be at most {MOST_GRAPHS:,}", got=f"{len(paths):,}")
    for path in paths:
        if is_run(path):
            refuse_run(path)
    read = [settings.graph_of(path).read_graph() for path in paths]
    if len(paths) == 1:
        named = graphs_of_collection(read[0])
    else:
        named = tell_names_apart(map(NamedGraph, _names_of(paths), read))
    if len(named) != 2:
        # before a folder is made
        check_many(named)
    return [ComparedInput(graph, name) for name, graph in named]


def _names_of(paths: Sequence[str]) -> Sequence[str]:
    """What graphs are called: their files, with as much of the paths as tells them apart."""
    files = [Path(path).resolve() for path in paths]
    stems = [stem(file) for file in files]
    for names in (stems, [file.name for file in files], paths):
        if len(set(names)) == len(names):
            return names
    return stems


def _read_compared(settings: ComparisonSettings, path: str) -> ComparedInput:
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
    inputs: Sequence[ComparedInput],
    work: Work | None = None,
) -> Run[Compared]:
    """Do what ``gomkcn compare`` does between reading runs or graphs and writing its run."""
    start = time.perf_counter()
    work = Work() if work is None else work
    table = settings.compare
    miner = comparing_miner(inputs, table.null, table.null_samples, table.seed)
    decisive = asdict(table)
    steps = work.steps(lambda: identity_of_job(decisive, *_arrays_of(inputs)))
    found = compare_inputs(inputs, miner, steps)
    record = {
        "sources": _sources(found),
        **record_of(settings.to_dict(), steps, table.seed, start),
    }
    return Run(found, record)


def _sources(found: Compared) -> list[str]:
    if isinstance(found, GraphDistances):
        return list(found.names)
    return [found.first.graph.source, found.second.graph.source]


def _arrays_of(inputs: Sequence[ComparedInput]) -> list[Any]:
    """What decides the counts of graphs."""
    arrays: list[Any] = []
    for compared in inputs:
        graph = compared.graph if isinstance(compared.given, MiningRun) else compared.given
        if graph is not None:
            arrays += [graph.indptr, graph.indices, graph.features, graph.graph_ptr, graph.links]
    return arrays


def _tables(run: Run[Compared]) -> dict[str, Content]:
    found = run.found
    tables = (
        {file: found.table(which) for file, which in _OF_MANY.items()}
        if isinstance(found, GraphDistances)
        else {_STRUCTURES: found.table(), _ROLES: found.table("roles")}
    )
    written = {file: partial(table.write_to, format="csv") for file, table in tables.items()}
    return {FOUND: writer_of(found), **written}


def _render(run: Run[Compared]) -> str:
    found = run.found
    if isinstance(found, GraphDistances):
        return render_distances(found, run.record, _missing(run))
    return render_comparison(found, _missing(run))


def _text(run: Run[Compared]) -> str:
    found = run.found
    missing = _missing(run)
    if isinstance(found, GraphDistances):
        text = format_distances(found)
    else:
        text = format_comparison(found)
    return text + (f"\n\n{missing}" if missing else "")


def _missing(run: Run[Compared]) -> str:
    """What a partial run says of itself; empty for a whole one."""
    if not run.is_partial:
        return ""
    command = run.record["command"]
    found = run.found
    text = missing_distances(found) if isinstance(found, GraphDistances) else missing_text(found)
    return f"partial: {text}{f'; to go on: {command}' if command else ''}"


def _read(folder: Path, record: Mapping[str, Any]) -> Compared:
    # of two graphs there are two sources
    if len(record["sources"]) == 2:
        return read_found(folder, RunComparison)
    return read_found(folder, GraphDistances)


COMPARE = RunKind(
    "compare",
    (FOUND, _STRUCTURES, _ROLES, *_OF_MANY, PAGE),
    PAGE,
    make_comparison,
    _tables,
    _render,
    _text,
    _read,
)
