"""The kind of run of ``gomkcn blocks``: large subgraphs that occur several times.

| file            | holds                                                                 |
|-----------------|-----------------------------------------------------------------------|
| `settings.toml` | the resolved settings; `gomkcn blocks --settings` takes it            |
| `run.json`      | the graph, what was not searched, provenance                          |
| `found.zip`     | the blocks with their copies, which `gomkcn.load` reads               |
| `blocks.csv`    | a row for each block                                                  |
| `places.csv`    | a row for each node of each copy                                      |
| `blocks.html`   | the blocks for a person                                               |
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

from gomkcn.mining.repeats.block_finding import RepeatedBlocks, repeated_blocks
from gomkcn.mining.runs.found_file import FOUND, reader_of, writer_of
from gomkcn.mining.runs.graph_inputs import GraphInputs
from gomkcn.mining.settings.block_settings import BlockSettings
from gomkcn.mining.settings.job_identity import job_identity
from gomkcn.mining.show.blocks_page import format_blocks, render_blocks
from gomkcn_dgl.runtime.output_folder import Content, describe_provenance
from gomkcn_dgl.runtime.run import Run, RunKind, Work, record_of

_BLOCKS, _PLACES = "blocks.csv", "places.csv"
PAGE = "blocks.html"


def find_blocks(
    settings: BlockSettings, inputs: GraphInputs, work: Work | None = None
) -> Run[RepeatedBlocks]:
    """Do what ``gomkcn blocks`` does between reading a graph and writing its run."""
    start = time.perf_counter()
    work = Work() if work is None else work
    table = settings.blocks
    steps = work.steps(lambda: job_identity(settings.to_dict(), {}, inputs.graph))
    found = repeated_blocks(
        inputs.graph,
        copies=table.copies,
        least_nodes=table.least_nodes,
        most_nodes=table.most_nodes,
        errors=table.errors,
        most=table.most,
        null=table.null,
        null_samples=table.null_samples,
        random_state=table.seed,
        steps=steps,
    )
    record = {
        "source": Path(settings.graph.path).name,
        **record_of(settings.to_dict(), steps, table.seed, start),
    }
    return Run(found, {**_said_of(found), **record})


def run_of_blocks(found: RepeatedBlocks) -> Run[RepeatedBlocks]:
    """The run of blocks that Python found; how they were asked for is not known."""
    record = {
        "source": "graph",
        "partial": False,
        "command": "",
        "settings": {},
        "provenance": describe_provenance(0, 0.0),
    }
    return Run(found, {**_said_of(found), **record})


def _said_of(found: RepeatedBlocks) -> dict[str, Any]:
    return {"num_blocks": len(found), "notes": list(found.notes)}


def _tables(run: Run[RepeatedBlocks]) -> dict[str, Content]:
    return {
        FOUND: writer_of(run.found),
        _BLOCKS: partial(run.found.table().write_to, format="csv"),
        _PLACES: partial(run.found.table("places").write_to, format="csv"),
    }


def _render(run: Run[RepeatedBlocks]) -> str:
    return render_blocks(run.found, run.record, _PLACES)


def _text(run: Run[RepeatedBlocks]) -> str:
    return format_blocks(run.found, _PLACES)


BLOCKS = RunKind(
    "blocks",
    (FOUND, _BLOCKS, _PLACES, PAGE),
    PAGE,
    find_blocks,
    _tables,
    _render,
    _text,
    reader_of(RepeatedBlocks),
)
