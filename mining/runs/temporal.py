"""The kind of run of ``gomkcn temporal``: motifs of three events in the order of time.

| file            | holds                                                                 |
|-----------------|-----------------------------------------------------------------------|
| `settings.toml` | the resolved settings; `gomkcn temporal --settings` takes it          |
| `run.json`      | what was counted in, provenance                                       |
| `found.zip`     | the census, which `gomkcn.load` reads                                 |
| `motifs.csv`    | a row for each of the 36 motifs                                       |
| `temporal.html` | the same for a person                                                 |
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from gomkcn.mining.runs.found_file import FOUND, read_found, writer_of
from gomkcn.mining.settings.temporal_settings import TemporalSettings
from gomkcn.mining.show.temporal_page import render_temporal_page
from gomkcn.mining.show.text_table import paragraphs, text_table
from gomkcn.mining.temporal.temporal_columns import TEMPORAL_COLUMNS
from gomkcn.mining.temporal.temporal_motifs import TemporalCensus, temporal_census
from gomkcn_dgl.io.temporal_edges import TemporalEdges
from gomkcn_dgl.runtime.output_folder import Content, describe_provenance
from gomkcn_dgl.runtime.run import Run, RunKind, Work
from gomkcn_dgl.runtime.steps import identity_of_job

_MOTIFS = "motifs.csv"
PAGE = "temporal.html"


def count_motifs(
    settings: TemporalSettings, inputs: TemporalEdges, work: Work | None = None
) -> Run[TemporalCensus]:
    """Do what ``gomkcn temporal`` does between reading events and writing its run."""
    start = time.perf_counter()
    work = Work() if work is None else work
    table = settings.temporal
    assert table.window is not None, "the command asks for it"
    decisive = {"window": str(table.window), "null": table.null, "seed": table.seed}
    steps = work.steps(
        lambda: identity_of_job(decisive, inputs.source, inputs.target, inputs.times)
    )
    found = temporal_census(
        inputs,
        table.window,
        null=table.null,
        null_samples=table.null_samples,
        seed=table.seed,
        steps=steps,
    )
    record = {
        "source": Path(table.path).name,
        "num_nodes": found.num_nodes,
        "num_edges": found.num_edges,
        "notes": list(found.notes),
        "partial": steps.is_partial,
        "command": steps.resuming_command if steps.is_partial else "",
        "settings": settings.to_dict(),
        "provenance": describe_provenance(table.seed, time.perf_counter() - start),
    }
    return Run(found, record)


def _tables(run: Run[TemporalCensus]) -> dict[str, Content]:
    return {FOUND: writer_of(run.found), _MOTIFS: partial(run.found.write_to, format="csv")}


def _render(run: Run[TemporalCensus]) -> str:
    window = run.settings["temporal"]["window"]
    return render_temporal_page(run.found, run.record["source"], str(window))


def _text(run: Run[TemporalCensus]) -> str:
    parts = [str(text_table(TEMPORAL_COLUMNS, run.found.rows)), run.found.finding]
    if run.is_partial:
        parts.append(f"partial: {run.found.notes[-1]}")
    return paragraphs(filter(None, parts))


def _read(folder: Path, record: Mapping[str, Any]) -> TemporalCensus:
    return read_found(folder, TemporalCensus)


TEMPORAL = RunKind(
    "temporal", (FOUND, _MOTIFS, PAGE), PAGE, count_motifs, _tables, _render, _text, _read
)
