"""A mining run ↔ its folder, each file written whole or not at all.

| file                     | holds                                                      |
|--------------------------|------------------------------------------------------------|
| `settings.toml`          | the resolved settings; `gomkcn mine --settings` takes it   |
| `run.json`               | graph, recovery of planted motifs, provenance              |
| `patterns.json`          | the patterns, and what else was counted                    |
| `occurrences.parquet`    | one row per listed occurrence                              |
| `copies.parquet`         | one row per copy in the motif set                          |
| `blocks.parquet`         | one row per node, where the motif set knows its block      |
| `map.json`               | what the page shows of the graph                           |
| `report.html`            | the same for a person                                      |
| `filters/`               | the filters: a folder of `gomkcn filters`                  |

Each JSON file has a schema in this package, which it is checked with when it is read.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gomkcn.mining.schemas import validator
from gomkcn.mining.structures.pattern import SCHEMA_VERSION, Pattern
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import PLAIN, relations_of
from gomkcn_dgl.runtime.files import reason_of
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

if TYPE_CHECKING:
    from gomkcn.mining.patterns.mining_run import MiningRun
    from gomkcn.mining.patterns.mining_settings import RunSettings
    from gomkcn.mining.structures.occurrences import Occurrences

REPORT = "report.html"
# of the motif set, and of that of the other base
_COPIES = ("copies.parquet", "copies_other.parquet")
# of the one that has some
_BLOCKS = "blocks.parquet"


def run_files() -> list[str]:
    """Names of all files that a run may write into its folder."""
    # numba is loaded with them, which who reads a pattern of a run does without
    from gomkcn.mining.filters.filters_run import FOLDER
    from gomkcn.mining.runs.filters_folder import FILTERS_FILES

    own = ["patterns.json", "run.json", "settings.toml", REPORT, "occurrences.parquet", "map.json"]
    return [*own, *_COPIES, _BLOCKS, *(f"{FOLDER}/{name}" for name in FILTERS_FILES)]


def prepare_folder(folder: str | Path, force: bool = False, resume: bool = False) -> Path | None:
    """Make the folder of a run and return where its progress is stored.

    None if the run to resume is finished; see :func:`gomkcn_dgl.runtime.output_folder.begin_run`.
    """
    return begin_run(folder, run_files(), "run.json", PROGRESS, force=force, resume=resume)


def write_run(folder: Path, run: MiningRun, settings: RunSettings) -> None:
    """Write a finished run into a folder made by :func:`prepare_folder`.

    All contents are made before the first file is written: a run that fails before that leaves the
    folder as it was.
    """
    from gomkcn.mining.filters.filters_run import FOLDER
    from gomkcn.mining.motif_sets.motif_columns import copies_table
    from gomkcn.mining.runs.filters_folder import files_of_filters
    from gomkcn.mining.show.report import render_report
    from gomkcn.mining.structures.pattern_columns import occurrence_table

    sets = zip(_COPIES, (run.motif_set, run.motif_set.other), strict=True)
    copies = {name: copies_table(one.motifs).write_to for name, one in sets if one is not None}
    blocks = run.motif_set.known_blocks
    in_blocks = {} if blocks is None else {_BLOCKS: blocks.write_to}
    filters: dict[str, Content] = {}
    if run.filters is not None and run.filters.miner is not None:
        filters = files_of_filters(run.filters)
    files: dict[str, Content] = {
        # a whole run of its own
        **{f"{FOLDER}/{name}": content for name, content in filters.items()},
        "settings.toml": settings.to_toml(),
        "patterns.json": to_json(run.to_dict()),
        "occurrences.parquet": occurrence_table(run.patterns).write_to,
        **copies,
        **in_blocks,
        "map.json": json.dumps(run.map and run.map.to_dict(), separators=(",", ":")) + "\n",
        REPORT: render_report(run),
    }
    write_run_files(folder, with_record(files, "run.json", _run_record(run)))


def _run_record(run: MiningRun) -> dict[str, Any]:
    return {
        "graph": asdict(run.graph),
        "partial": run.is_partial,
        "command": run.command,
        "notes": list(run.notes),
        "warnings": list(run.warnings),
        "null_models": dict(run.null_models),
        "recovery": None if run.recovery is None else [asdict(entry) for entry in run.recovery],
        "settings": run.settings,
        "provenance": run.provenance,
    }


def write_report(folder: Path, run: MiningRun) -> Path:
    """Write the page of a run anew; return its path."""
    from gomkcn.mining.show.report import render_report

    refuse_foreign(folder, [REPORT])
    write_files(folder, {REPORT: render_report(run)})
    return folder / REPORT


def read_run(folder: str | Path) -> MiningRun:
    """Read a finished run back.

    Parameters
    ----------
    folder : path
        The folder of a run, as ``gomkcn mine --out`` names it.

    Returns
    -------
    MiningRun
        Its patterns have all listed occurrences.

    Raises
    ------
    InputError
        If the folder holds no run, one of another version, or a file of it is damaged.
    """
    with _checked(Path(folder), "map") as records:
        return _run_of(Path(folder), **records)


def read_patterns(folder: str | Path) -> list[Pattern]:
    """Read the patterns of a finished run without their occurrences; raises as :func:`read_run`."""
    with _checked(Path(folder)) as records:
        return _patterns_of(records["patterns"])


@contextlib.contextmanager
def _checked(folder: Path, *others: str) -> Iterator[dict[str, Any]]:
    """Yield what `run.json`, `patterns.json` and others hold; what is wrong inside is damage."""
    records = {name: read_json(folder / f"{name}.json") for name in ("run", "patterns")}
    version = records["patterns"].get("schema") if isinstance(records["patterns"], dict) else None
    if isinstance(version, int) and version != SCHEMA_VERSION:
        raise InputError(
            f"run folder {str(folder)!r} was written by another version of gomkcn, in format "
            f"{version}, and this one reads format {SCHEMA_VERSION}; mine again."
        )
    # a run of another version may have no others
    records |= {name: read_json(folder / f"{name}.json") for name in others}
    try:
        # the schemas check each file by itself; what files say of each other is checked after that
        for name, record in records.items():
            validator(name)(record)
        yield records
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"run folder {str(folder)!r} holds a damaged run.json, patterns.json or map.json "
            f"({reason_of(error)}); mine again."
        ) from None


def _run_of(
    folder: Path, run: dict[str, Any], patterns: dict[str, Any], map: dict[str, Any] | None
) -> MiningRun:
    """Make a run from the records of its files, which fit their schemas."""
    from gomkcn.mining.filters.filters_run import FOLDER
    from gomkcn.mining.motif_sets.motif_set import MotifSet
    from gomkcn.mining.patterns.mining_run import MiningRun, with_names
    from gomkcn.mining.plots.graph_map import GraphMap
    from gomkcn.mining.runs.export import read_edits, read_nodes, read_places
    from gomkcn.mining.runs.filters_folder import read_filters_run
    from gomkcn.mining.structures.graph_summary import GraphSummary
    from gomkcn.mining.structures.truth import MotifRecovery

    names = tuple(patterns["feature_names"])
    listed = [(one["frequency"]["listed"], one["num_nodes"]) for one in patterns["patterns"]]
    occurrences = read_places(folder / "occurrences.parquet", listed)
    summary = GraphSummary.from_dict(run["graph"], names)
    kinds = summary.relations
    found = _patterns_of(patterns, occurrences=occurrences)
    record = patterns["motif_set"]
    copies = []
    edits = []
    for name, one in zip(_COPIES, (record, record["other"]), strict=True):
        if one is not None:
            sizes = [(motif["copies"], motif["num_nodes"]) for motif in one["motifs"]]
            copies.append(read_places(folder / name, sizes, "motif"))
            edits.append(read_edits(folder / name, [size for _, size in sizes]))
    if map is not None and max(map["edge_relations"], default=0) >= max(1, len(kinds)):
        raise ValueError("an edge of the map has a relation that the graph lacks")
    relations = relations_of(
        [one.name for one in kinds] or [PLAIN], [one.directed for one in kinds] or [False]
    )
    blocks = None
    if any(one is not None and one["blocks"] is not None for one in (record, record["other"])):
        blocks = read_nodes(folder / _BLOCKS, "block", summary.num_nodes)
    motif_set = MotifSet.from_dict(record, relations, copies, edits, blocks)
    parts = {one.id: one for one in motif_set.motifs}
    found = [
        replace(one, motif=motif.motif) if (motif := parts.get(one.id)) else one for one in found
    ]
    return MiningRun(
        graph=summary,
        patterns=found,
        motif_set=with_names(motif_set, found, names),
        settings=run["settings"],
        provenance=run["provenance"],
        recovery=run["recovery"]
        and [
            MotifRecovery(**{**entry, "pattern_ids": tuple(entry["pattern_ids"])})
            for entry in run["recovery"]
        ],
        map=None if map is None else GraphMap.from_dict(map),
        is_partial=run["partial"],
        command=run["command"],
        notes=tuple(run["notes"]),
        warnings=tuple(run["warnings"]),
        null_models=run["null_models"],
        others=tuple(_patterns_of(patterns, "others")),
        filters=read_filters_run(folder / FOLDER) if (folder / FOLDER).exists() else None,
    )


def _patterns_of(
    record: dict[str, Any], name: str = "patterns", occurrences: Sequence[Occurrences] | None = None
) -> list[Pattern]:
    """The patterns of a list in `patterns.json`, with all occurrences or those listed there."""
    for entry in record[name]:
        size = entry["num_nodes"]
        if any(len(one["nodes"]) != size for one in entry["occurrences"]):
            raise ValueError(f"an occurrence of pattern {entry['id']} does not have {size} nodes")
    stored: Sequence[Occurrences | None] = occurrences or [None] * len(record[name])
    return [Pattern.from_dict(*pair) for pair in zip(record[name], stored, strict=True)]
