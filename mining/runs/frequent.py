"""The kind of run of ``gomkcn frequent``: all frequent subgraphs of a collection or graph.

| file             | holds                                                                |
|------------------|----------------------------------------------------------------------|
| `settings.toml`  | the resolved settings; `gomkcn frequent --settings` takes it         |
| `run.json`       | the collection, whether the search was complete, provenance          |
| `found.zip`      | the subgraphs and the graphs with each, which `gomkcn.load` reads    |
| `subgraphs.csv`  | a row for each subgraph                                              |
| `frequent.html`  | the first of them for a person                                       |
"""

from __future__ import annotations

import time
from dataclasses import asdict
from functools import partial

from gomkcn.mining.frequent.gspan import FrequentSubgraphs, frequent_subgraphs
from gomkcn.mining.runs.found_file import FOUND, reader_of, writer_of
from gomkcn.mining.runs.graph_inputs import GraphInputs
from gomkcn.mining.settings.frequent_settings import FrequentSettings
from gomkcn.mining.settings.job_identity import job_identity
from gomkcn.mining.show.frequent_page import format_subgraphs, render_subgraphs
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn_dgl.runtime.output_folder import Content
from gomkcn_dgl.runtime.run import Run, RunKind, Work, record_of

_SUBGRAPHS = "subgraphs.csv"
PAGE = "frequent.html"


def find_subgraphs(
    settings: FrequentSettings, inputs: GraphInputs, work: Work | None = None
) -> Run[FrequentSubgraphs]:
    """Do what ``gomkcn frequent`` does between reading graphs and writing its run."""
    start = time.perf_counter()
    work = Work() if work is None else work
    graph, classes = inputs.graph, inputs.classes
    table = settings.frequent
    steps = work.steps(lambda: job_identity(settings.to_dict(), {}, graph, classes))
    found = frequent_subgraphs(
        graph,
        table.support,
        table.sizes,
        closed=table.closed,
        maximal=table.maximal,
        y=None if classes is None else classes.called,
        steps=steps,
    )
    if steps.is_partial and not len(found):
        # nothing is known that could be written
        steps.raise_signal()
    record = {
        "graph": asdict(GraphSummary.of(graph, settings.graph.path)),
        "num_subgraphs": len(found),
        "left_out": found.left_out,
        **record_of(settings.to_dict(), steps, 0, start),
    }
    return Run(found, record)


def _tables(run: Run[FrequentSubgraphs]) -> dict[str, Content]:
    return {
        FOUND: writer_of(run.found),
        _SUBGRAPHS: partial(run.found.write_to, format="csv"),
    }


def _render(run: Run[FrequentSubgraphs]) -> str:
    return render_subgraphs(run.found, run.record, _SUBGRAPHS)


def _text(run: Run[FrequentSubgraphs]) -> str:
    return format_subgraphs(run.found, _SUBGRAPHS)


FREQUENT = RunKind(
    "frequent",
    (FOUND, _SUBGRAPHS, PAGE),
    PAGE,
    find_subgraphs,
    _tables,
    _render,
    _text,
    reader_of(FrequentSubgraphs),
)
