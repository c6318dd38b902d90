"""The kind of run of ``gomkcn temporal``: motifs of three events, or occurrences of a pattern.

| file            | holds                                                                 |
|-----------------|-----------------------------------------------------------------------|
| `settings.toml` | the resolved settings; `gomkcn temporal --settings` takes it          |
| `run.json`      | what was counted in, provenance                                       |
| `found.zip`     | the census, or the occurrences, which `gomkcn.load` reads             |
| `motifs.csv`    | a row for each of the 36 motifs; or, where a pattern is given,        |
| `occurrences.csv`, `.parquet` | a row for each event of its occurrences                 |
| `temporal.html` | the same for a person                                                 |
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn.mining.runs.found_file import FOUND, read_found, writer_of
from gomkcn.mining.settings.temporal_settings import TemporalSettings
from gomkcn.mining.show.occurrences_page import format_occurrences, render_occurrences
from gomkcn.mining.show.temporal_page import render_temporal_page
from gomkcn.mining.show.text_table import paragraphs, text_table
from gomkcn.mining.temporal.temporal_columns import TEMPORAL_COLUMNS
from gomkcn.mining.temporal.temporal_motifs import TemporalCensus, temporal_census
from gomkcn.mining.temporal.temporal_occurrences import (
    USUAL_LISTED,
    TemporalOccurrences,
    temporal_occurrences,
)
from gomkcn_dgl.io.temporal_edges import TemporalEdges
from gomkcn_dgl.runtime.output_folder import Content
from gomkcn_dgl.runtime.run import Run, RunKind, Work, record_of
from gomkcn_dgl.runtime.steps import identity_of_job

Found = TemporalCensus | TemporalOccurrences

_MOTIFS = "motifs.csv"
_OCCURRENCES, _OCCURRENCES_PARQUET = "occurrences.csv", "occurrences.parquet"
PAGE = "temporal.html"


def count_motifs(
    settings: TemporalSettings, inputs: TemporalEdges, work: Work | None = None
) -> Run[Found]:
    """Do what ``gomkcn temporal`` does between reading events and writing its run."""
    start = time.perf_counter()
    work = Work() if work is None else work
    table = settings.temporal
    names = ("window", "pattern", "list", "null", "seed")
    decisive = {name: str(getattr(table, name)) for name in names}

    def identity() -> dict[str, Any]:
        # the columns that a pattern may ask for
        columns = [np.array([str(cell) for cell in one]) for one in inputs.columns.values()]
        return identity_of_job(decisive, inputs.source, inputs.target, inputs.times, *columns)

    options: dict[str, Any] = {
        "null": table.null,
        "null_samples": table.null_samples,
        "seed": table.seed,
        "steps": (steps := work.steps(identity)),
    }
    found: Found
    if table.pattern is None:
        assert table.window is not None, "the command asks for it"
        found = temporal_census(inputs, table.window, **options)
    else:
        most = USUAL_LISTED if table.list is None else table.list
        found = temporal_occurrences(inputs, table.pattern, table.window, most=most, **options)
    record = {
        "source": Path(table.path).name,
        "num_nodes": found.num_nodes,
        "num_edges": found.num_edges,
        "notes": list(found.notes),
        **record_of(settings.to_dict(), steps, table.seed, start),
    }
    return Run(found, record)


def _tables(run: Run[Found]) -> dict[str, Content]:
    as_csv = partial(run.found.write_to, format="csv")
    found = {FOUND: writer_of(run.found)}
    if isinstance(run.found, TemporalCensus):
        return {**found, _MOTIFS: as_csv}
    return {**found, _OCCURRENCES: as_csv, _OCCURRENCES_PARQUET: run.found.write_to}


def _render(run: Run[Found]) -> str:
    if isinstance(run.found, TemporalOccurrences):
        return render_occurrences(run.found, run.record, _OCCURRENCES)
    window = run.settings["temporal"]["window"]
    return render_temporal_page(run.found, run.record["source"], str(window))


def _text(run: Run[Found]) -> str:
    if isinstance(run.found, TemporalOccurrences):
        parts = [format_occurrences(run.found, _OCCURRENCES)]
    else:
        parts = [str(text_table(TEMPORAL_COLUMNS, run.found.rows)), run.found.finding]
    if run.is_partial:
        parts.append(_missing(run))
    return paragraphs(filter(None, parts))


def _missing(run: Run[Found]) -> str:
    """What a partial run says of itself, and how to go on with it."""
    command = run.record["command"]
    notes = run.found.notes
    said = notes[-1] if notes else "the counts ended early"
    return f"partial: {said}{f'; to go on: {command}' if command else ''}"


def _read(folder: Path, record: Mapping[str, Any]) -> Found:
    # settings without a value are not stored
    if record["settings"]["temporal"].get("pattern") is None:
        return read_found(folder, TemporalCensus)
    return read_found(folder, TemporalOccurrences)


TEMPORAL = RunKind(
    "temporal",
    (FOUND, _MOTIFS, _OCCURRENCES, _OCCURRENCES_PARQUET, PAGE),
    PAGE,
    count_motifs,
    _tables,
    _render,
    _text,
    _read,
)
