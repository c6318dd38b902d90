"""The kind of run of ``gomkcn filters``: filters that are learnt, assigned and counted.

| file             | holds                                                                |
|------------------|----------------------------------------------------------------------|
| `settings.toml`  | the resolved settings; `gomkcn filters --settings` takes it          |
| `run.json`       | graph, what filters were chosen by, planted motifs, provenance       |
| `filters.json`   | the filters                                                          |
| `filters.npz`    | the fitted miner, which `gomkcn.FilterMiner.load` reads              |
| `nodes.parquet`  | one row per node that was compared: its nearest filter, how similar  |
| `map.json`       | what the page shows of the graph                                     |
| `drawn.json`     | what is known of the nodes that the page shows                       |
| `filters.html`   | the same for a person                                                |

Each JSON file is a record with types, by which it is checked when it is read.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.filters.filters_records import ColorsRecord, DrawnRecord, FiltersRecord
from gomkcn.mining.filters.filters_run import (
    FILTERS_VERSION,
    PAGE,
    RECORD,
    DrawnNodes,
    FiltersRun,
    count_filters,
)
from gomkcn.mining.filters.filters_settings import FiltersSettings
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.plots.filter_drawing import FeatureColors
from gomkcn.mining.runs.graph_inputs import GraphInputs, RunRecord, compact_json, map_of
from gomkcn.mining.settings.job_identity import job_identity
from gomkcn.mining.structures.mined_graph import refuse_no_edges
from gomkcn.mining.structures.pattern import UNCOUNTED
from gomkcn.mining.structures.records import read_as
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.runtime.output_folder import Content, read_json, to_json
from gomkcn_dgl.runtime.run import Run, RunKind, Work
from gomkcn_dgl.runtime.steps import Steps

# settings that do not change the result
_WITHOUT_EFFECT = {"learning": ("backend",), "filters": ("device",)}
_MINER = "filters.npz"
_NODES = "nodes.parquet"
_MAP = "map.json"
_DRAWN = "drawn.json"


def learn_filters(
    settings: FiltersSettings, inputs: GraphInputs, work: Work | None = None
) -> Run[FiltersRun]:
    """Do what ``gomkcn filters`` does between reading a graph and writing its run.

    Raises an InputError for a setting out of range.
    """
    start = time.perf_counter()
    work = Work() if work is None else work
    refuse_no_edges(inputs.graph)
    steps = work.steps(lambda: job_identity(settings.to_dict(), _WITHOUT_EFFECT, inputs.graph))
    miner = settings.miner().fit(inputs.graph, steps=steps)
    return run_of_filters(counted_run(miner, inputs, settings, steps, start))


def counted_run(
    miner: FilterMiner, inputs: GraphInputs, settings: FiltersSettings, steps: Steps, start: float
) -> FiltersRun:
    """Count the structures of a fitted miner and collect its run, of a job that began at ``start``.

    Where time is up some are not counted, and the run is a part.
    """
    graph = as_unweighted(inputs.graph)
    counts = count_filters(miner.filters_, graph, settings.filters.count_seconds, steps)
    miner.is_partial_ = steps.is_partial
    steps.progress.begin("drawing the page")
    return FiltersRun.of(
        miner,
        inputs.graph,
        settings=settings,
        seconds=time.perf_counter() - start,
        truth=inputs.truth,
        classes=inputs.classes,
        occurrences=counts,
        has_map=steps.seconds_left > 0,
        command=steps.resuming_command,
    )


def run_of_filters(found: FiltersRun) -> Run[FiltersRun]:
    """A run of filters with the record of ``run.json``: what is said of it as a whole."""
    record = {
        "graph": asdict(found.graph),
        "partial": found.is_partial,
        "command": found.command,
        "notes": list(found.notes),
        "note": found.note,
        "num_random_graphs": found.num_random_graphs,
        "loss_curve": found.loss_curve,
        "recovery": None if found.recovery is None else list(map(asdict, found.recovery)),
        "settings": found.settings,
        "provenance": found.provenance,
    }
    return Run(found, record)


def _tables(run: Run[FiltersRun]) -> dict[str, Content]:
    found = run.found
    assert found.miner is not None, "what was read from a folder is written already"
    return {
        RECORD: to_json(found.to_dict()),
        _MINER: found.miner.write_to,
        _NODES: found.nodes.write_to,
        _MAP: compact_json(found.map and found.map.to_dict()),
        _DRAWN: compact_json(found.drawn and found.drawn.to_dict()),
    }


def _render(run: Run[FiltersRun]) -> str:
    from gomkcn.mining.show.filters_page import render_filters

    return render_filters(run.found)


def _text(run: Run[FiltersRun]) -> str:
    from gomkcn.mining.show.filters_text import format_filters

    return format_filters(run.found)


def _read(folder: Path, record: Mapping[str, Any]) -> FiltersRun:
    """Read the files of a run, each of which has its types; they must fit each other."""
    filters = read_json(folder / RECORD)
    # the version comes first: an older run may lack files, and need not have the types of today
    version = filters.get("schema") if isinstance(filters, dict) else None
    if isinstance(version, int) and version != FILTERS_VERSION:
        raise InputError(
            f"run folder {str(folder)!r} was written by another version of gomkcn, in format "
            f"{version}, and this one reads format {FILTERS_VERSION}; run gomkcn filters again."
        )
    drawn = read_json(folder / _DRAWN)
    try:
        return _run_of(
            folder,
            read_as(RunRecord, record, "run.json"),
            read_as(FiltersRecord, filters, RECORD),
            None if drawn is None else read_as(DrawnRecord, drawn, _DRAWN),
        )
    except InputError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"run folder {str(folder)!r} holds a damaged filters.json, run.json, map.json or "
            f"drawn.json ({reason_of(error)}); run gomkcn filters again."
        ) from None


def _run_of(
    folder: Path, run: RunRecord, filters: FiltersRecord, drawn: DrawnRecord | None
) -> FiltersRun:
    names = filters.feature_names
    summary = replace(run.graph, feature_names=names)
    graph_map = map_of(folder, _MAP, len(summary.relations))
    nodes = None
    if drawn is not None and graph_map is not None:
        nodes = DrawnNodes.of_record(drawn, len(graph_map.names), len(filters.filters))
    return FiltersRun(
        graph=summary,
        filters=tuple(MinedFilter.of_record(record, names) for record in filters.filters),
        occurrences=tuple(
            UNCOUNTED if record.occurrences is None else record.occurrences
            for record in filters.filters
        ),
        highest=tuple(
            tuple((near.graph, near.response) for near in record.graphs)
            for record in filters.filters
        ),
        num_assigned=filters.num_assigned,
        colors=_colors_of(filters.colors, names),
        loss_curve=run.loss_curve,
        nodes=_read_nodes(folder / _NODES),
        settings=run.settings,
        provenance=run.provenance,
        note=run.note,
        num_random_graphs=run.num_random_graphs,
        recovery=None if run.recovery is None else tuple(run.recovery),
        map=graph_map,
        drawn=nodes,
        is_partial=run.partial,
        command=run.command,
        notes=run.notes,
    )


def _colors_of(record: ColorsRecord, feature_names: tuple[str, ...]) -> FeatureColors:
    """The colours of features; refuses those of a feature that the graph lacks."""
    if max(record.columns, default=0) >= max(1, len(feature_names)):
        raise ValueError("a colour is of a feature that the graph lacks")
    return FeatureColors(
        record.columns,
        tuple(feature_names[column] for column in record.columns),
        np.array(record.low, np.float64),
        np.array(record.high, np.float64),
        record.hidden,
    )


def _read_nodes(path: Path) -> Any:
    """The table of the nodes that were compared."""
    import pyarrow as pa

    from gomkcn_dgl.runtime.tabular import Table, read_parquet

    try:
        table = read_parquet(path)
        return Table({name: table[name].to_pylist() for name in table.column_names})
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({reason_of(error)}); run gomkcn filters again."
        ) from None


FILTERS = RunKind(
    "filters", (RECORD, PAGE, _MINER, _NODES, _MAP, _DRAWN), PAGE,
    learn_filters, _tables, _render, _text, _read,
)  # fmt: skip
