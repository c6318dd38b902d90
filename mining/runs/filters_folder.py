"""A run of filters ↔ its folder, each file written whole or not at all.

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

Each JSON file has a schema in this package, which it is checked with when it is read.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn.mining.filters.filters_run import FILTERS_VERSION, PAGE, RECORD, DrawnNodes, FiltersRun
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.plots.filter_drawing import FeatureColors
from gomkcn.mining.plots.graph_map import GraphMap
from gomkcn.mining.schemas import validator
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn.mining.structures.pattern import UNCOUNTED, OccurrenceCount
from gomkcn.mining.structures.truth import MotifRecovery
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import open_file, reason_of, to_toml
from gomkcn_dgl.runtime.output_folder import (
    PROGRESS,
    Content,
    begin_run,
    read_json,
    refuse_foreign,
    to_json,
    with_record,
    write_files,
    write_run_files,
)

# the last file that is written: a folder that has it holds a finished run
_RUN = "run.json"
_SETTINGS = "settings.toml"
_MINER = "filters.npz"
_NODES = "nodes.parquet"
_MAP = "map.json"
_DRAWN = "drawn.json"
FILTERS_FILES = (RECORD, _RUN, _SETTINGS, PAGE, _MINER, _NODES, _MAP, _DRAWN)


def prepare_filters_folder(
    folder: str | Path, force: bool = False, resume: bool = False
) -> Path | None:
    """Make the folder of a run; return the folder of its progress, None if it is finished.

    See :func:`gomkcn_dgl.runtime.output_folder.begin_run`.
    """
    return begin_run(folder, FILTERS_FILES, _RUN, PROGRESS, force=force, resume=resume)


def write_filters_run(folder: Path, run: FiltersRun) -> None:
    """Write a finished run into a folder made by :func:`prepare_filters_folder`.

    All contents are made before the first file is written: a run that fails before that leaves the
    folder as it was.
    """
    write_run_files(folder, files_of_filters(run))


def files_of_filters(run: FiltersRun) -> dict[str, Content]:
    """The files of a finished run, by name."""
    from gomkcn.mining.show.filters_page import render_filters

    assert run.miner is not None, "what was read from a folder is written already"
    files: dict[str, Content] = {
        _SETTINGS: to_toml(run.settings),
        RECORD: to_json(run.to_dict()),
        _MINER: run.miner.write_to,
        _NODES: run.nodes.write_to,
        _MAP: _compact_json(None if run.map is None else run.map.to_dict()),
        _DRAWN: _compact_json(None if run.drawn is None else run.drawn.to_dict()),
        PAGE: render_filters(run),
    }
    return with_record(files, _RUN, _run_record(run))


def _compact_json(record: Any) -> str:
    """Without spaces: a map has a number for each node and edge, which nobody reads."""
    return json.dumps(record, separators=(",", ":")) + "\n"


def _run_record(run: FiltersRun) -> dict[str, Any]:
    """The record of ``run.json``: what is said of the run as a whole."""
    return {
        "graph": asdict(run.graph),
        "partial": run.is_partial,
        "command": run.command,
        "notes": list(run.notes),
        "note": run.note,
        "num_random_graphs": run.num_random_graphs,
        "loss_curve": run.loss_curve,
        "recovery": None if run.recovery is None else [asdict(entry) for entry in run.recovery],
        "settings": run.settings,
        "provenance": run.provenance,
    }


def write_filters_page(folder: Path, run: FiltersRun) -> Path:
    """Write the page of a run anew; return its path."""
    from gomkcn.mining.show.filters_page import render_filters

    refuse_foreign(folder, [PAGE])
    write_files(folder, {PAGE: render_filters(run)})
    return folder / PAGE


def read_filters_run(folder: str | Path) -> FiltersRun:
    """Read a finished run of filters back.

    Parameters
    ----------
    folder : path
        The folder of a run, as ``gomkcn filters --out`` names it.

    Returns
    -------
    FiltersRun

    Raises
    ------
    InputError
        If the folder holds no run of filters, one of another version, or a file of it is damaged.
    """
    folder = Path(folder)
    records = {"filters": read_json(folder / RECORD), "run": read_json(folder / _RUN)}
    filters = records["filters"]
    # the version comes first: an older run may lack files, and need not fit the schemas of today
    version = filters.get("schema") if isinstance(filters, dict) else None
    if isinstance(version, int) and version != FILTERS_VERSION:
        raise InputError(
            f"run folder {str(folder)!r} was written by another version of gomkcn, in format "
            f"{version}, and this one reads format {FILTERS_VERSION}; run gomkcn filters again."
        )
    records |= {"map": read_json(folder / _MAP), "drawn": read_json(folder / _DRAWN)}
    try:
        for name, record in records.items():
            validator(name)(record)
        return _run_of(folder, **records)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"run folder {str(folder)!r} holds a damaged filters.json, run.json, map.json or "
            f"drawn.json ({reason_of(error)}); run gomkcn filters again."
        ) from None


def _run_of(
    folder: Path,
    filters: dict[str, Any],
    run: dict[str, Any],
    map: dict[str, Any] | None,
    drawn: dict[str, Any] | None,
) -> FiltersRun:
    """The run of the records of its files; each fits its schema, and they must fit each other."""
    feature_names = tuple(filters["feature_names"])
    summary = GraphSummary.from_dict(run["graph"], feature_names)
    filter_records = filters["filters"]
    colors = filters["colors"]
    if max(colors["columns"], default=0) >= max(1, len(feature_names)):
        raise ValueError("a colour is of a feature that the graph lacks")
    graph_map = None if map is None else GraphMap.from_dict(map)
    if graph_map is not None and graph_map.edge_relations.max(initial=0) >= max(
        1, len(summary.relations)
    ):
        raise ValueError("an edge of the map has a relation that the graph lacks")
    drawn_nodes = None
    if drawn is not None and graph_map is not None:
        drawn_nodes = DrawnNodes.from_dict(drawn, len(graph_map.names), len(filter_records))
    recovery = None
    if run["recovery"] is not None:
        recovery = tuple(
            MotifRecovery(**{**motif, "pattern_ids": tuple(motif["pattern_ids"])})
            for motif in run["recovery"]
        )
    return FiltersRun(
        graph=summary,
        filters=tuple(MinedFilter.from_dict(record, feature_names) for record in filter_records),
        occurrences=tuple(
            UNCOUNTED if record["occurrences"] is None else OccurrenceCount(**record["occurrences"])
            for record in filter_records
        ),
        highest=tuple(
            tuple((entry["graph"], entry["response"]) for entry in record["graphs"])
            for record in filter_records
        ),
        num_assigned=filters["num_assigned"],
        colors=FeatureColors(
            tuple(colors["columns"]),
            tuple(feature_names[column] for column in colors["columns"]),
            np.array(colors["low"], np.float64),
            np.array(colors["high"], np.float64),
            colors["hidden"],
        ),
        loss_curve=[float(loss) for loss in run["loss_curve"]],
        nodes=_read_nodes(folder / _NODES),
        settings=run["settings"],
        provenance=run["provenance"],
        note=run["note"],
        num_random_graphs=run["num_random_graphs"],
        recovery=recovery,
        map=graph_map,
        drawn=drawn_nodes,
        is_partial=run["partial"],
        command=run["command"],
        notes=tuple(run["notes"]),
    )


def _read_nodes(path: Path) -> Any:
    """The table of the nodes that were compared."""
    import pyarrow as pa
    from pyarrow import parquet

    from gomkcn_dgl.runtime.tabular import Table

    try:
        # opened here: pyarrow would read a folder as a table of many files, and wait for a pipe
        with open_file(path) as file:
            table = parquet.read_table(file)
        return Table({name: table[name].to_pylist() for name in table.column_names})
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{str(path)!r} cannot be read ({reason_of(error)}); run gomkcn filters again."
        ) from None
