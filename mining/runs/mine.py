"""The kind of run of ``gomkcn mine``: filters, patterns with their counts, and the motif set.

| file                     | holds                                                      |
|--------------------------|------------------------------------------------------------|
| `settings.toml`          | the resolved settings; `gomkcn mine --settings` takes it   |
| `run.json`               | graph, recovery of planted motifs, provenance              |
| `patterns.json`          | the patterns, and what else was counted                    |
| `occurrences.parquet`    | one row per listed occurrence                              |
| `copies.parquet`         | one row per copy in the motif set                          |
| `blocks.parquet`         | one row per node, where the motif set knows its block      |
| `roles.parquet`          | one row per node and role in motifs and what is called     |
| `roles.csv`              | the same for a spreadsheet                                 |
| `found.zip`              | the repeated blocks that are larger than motifs, if any    |
| `map.json`               | what the page shows of the graph                           |
| `report.html`            | the same for a person                                      |
| `methods.txt`            | a paragraph of methods for a paper, and BibTeX             |
| `filters/`               | the filters: a folder of `gomkcn filters`                  |

Each JSON file is a record with types, by which it is checked when it is read.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from gomkcn.mining.filters.filters_settings import FiltersSettings
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.motif_sets.motif_set_record import MotifSetRecord
from gomkcn.mining.patterns.mining_run import MiningRun, with_names
from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.repeats.block_finding import RepeatedBlocks
from gomkcn.mining.runs.export import read_edits, read_nodes, read_places, read_roles
from gomkcn.mining.runs.filters import FILTERS, counted_run, run_of_filters
from gomkcn.mining.runs.found_file import FOUND, read_found, writer_of
from gomkcn.mining.runs.graph_inputs import GraphInputs, RunRecord, compact_json, map_of
from gomkcn.mining.runs.run_patterns import (
    PATTERNS,
    PatternsRecord,
    damage_refused,
    patterns_of,
    read_patterns_record,
)
from gomkcn.mining.settings.job_identity import job_identity
from gomkcn.mining.show.methods import citations, methods_text
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.terminal import format_run
from gomkcn.mining.structures.mined_graph import refuse_no_edges
from gomkcn.mining.structures.pattern_columns import Patterns
from gomkcn.mining.structures.records import as_record, read_as
from gomkcn.mining.structures.truth import compare_with_truth
from gomkcn_dgl.relations import PLAIN, Relations, relations_of
from gomkcn_dgl.runtime.output_folder import Content, to_json
from gomkcn_dgl.runtime.run import Run, RunKind, Work, files_of_run, read_run

# settings that do not change the result
_WITHOUT_EFFECT = {
    "miner": ("values", "n_jobs"),
    "learning": ("backend",),
    "filters": ("device",),
}
REPORT = "report.html"
METHODS = "methods.txt"
_MAP = "map.json"
_OCCURRENCES = "occurrences.parquet"
# of the motif set, and of that of the other base
_COPIES = ("copies.parquet", "copies_other.parquet")
# of the one that has some
_BLOCKS = "blocks.parquet"
# of a graph that has motifs, or something over-represented
_ROLES = "roles.parquet"
_ROLES_CSV = "roles.csv"
# the folder of the filters
_FILTERS = "filters"


def mine_graph(
    settings: RunSettings, inputs: GraphInputs, work: Work | None = None
) -> Run[MiningRun]:
    """Do what ``gomkcn mine`` does between reading a graph and writing its run.

    The seconds of the run are without those of an earlier process. Raises an InputError for a
    setting out of range.
    """
    return run_of_mining(fit_and_collect(settings, inputs, work)[1])


def fit_and_collect(
    settings: RunSettings, inputs: GraphInputs, work: Work | None = None
) -> tuple[PatternMiner, MiningRun]:
    """The fitted miner, and what it found; :func:`mine_graph` says the rest."""
    start = time.perf_counter()
    graph, classes, truth, annotations = inputs
    refuse_no_edges(graph)
    miner = settings.make_miner()
    work = replace(Work() if work is None else work, n_jobs=miner.n_jobs)
    work.progress.begin("preparing")
    more = () if annotations is None else annotations.arrays
    steps = work.steps(
        lambda: job_identity(settings.to_dict(), _WITHOUT_EFFECT, graph, classes, more)
    )
    called = None if classes is None else classes.called
    miner.fit(graph, called, steps=steps, annotations=annotations)
    filters = None
    if miner.filters_ is not None:
        of_filters = FiltersSettings.of(miner.filters_, settings.graph)
        filters = counted_run(miner.filters_, inputs, of_filters, steps, start)
        # the time may have come to an end since the miner was fitted
        miner.is_partial_ = steps.is_partial
    work.progress.begin("drawing the page")
    found = MiningRun.of(
        miner,
        graph,
        has_map=steps.seconds_left > 0,
        settings=settings,
        seconds=time.perf_counter() - start,
        recovery=None if truth is None else compare_with_truth(miner.patterns_, truth),
        filters=filters,
        command=steps.resuming_command,
    )
    return miner, found


def run_of_mining(found: MiningRun) -> Run[MiningRun]:
    """A mining run with the record of ``run.json``: what is said of it as a whole."""
    record = {
        "graph": asdict(found.graph),
        "partial": found.is_partial,
        "command": found.command,
        "notes": list(found.notes),
        "warnings": list(found.warnings),
        "null_models": dict(found.null_models),
        "random_graphs": dict(found.random_graphs),
        "class_search": as_record(found.class_search),
        "recovery": None if found.recovery is None else list(map(asdict, found.recovery)),
        "settings": found.settings,
        "provenance": found.provenance,
    }
    return Run(found, record)


def _tables(run: Run[MiningRun]) -> dict[str, Content]:
    found = run.found
    tables: dict[str, Content] = {}
    if found.filters is not None and found.filters.miner is not None:
        # a whole run of its own
        filters = files_of_run(FILTERS, run_of_filters(found.filters))
        tables |= {f"{_FILTERS}/{name}": content for name, content in filters.items()}
    tables[PATTERNS] = to_json(found.record)
    tables[_OCCURRENCES] = Patterns(found.patterns).table("occurrences").write_to
    for name, motif_set in zip(_COPIES, (found.motif_set, found.motif_set.other), strict=True):
        if motif_set is not None:
            tables[name] = motif_set.table("copies").write_to
    if (blocks := found.motif_set.known_blocks) is not None:
        tables[_BLOCKS] = blocks.write_to
    if found.roles is not None:
        tables[_ROLES] = found.roles.write_to
        tables[_ROLES_CSV] = partial(found.roles.write_to, format="csv")
    if found.blocks is not None:
        tables[FOUND] = writer_of(found.blocks)
    tables[_MAP] = compact_json(found.map and found.map.to_dict())
    tables[METHODS] = f"{methods_text(found)}\n\n{citations(found)}"
    return tables


def _render(run: Run[MiningRun]) -> str:
    return render_report(run.found)


def _text(run: Run[MiningRun]) -> str:
    return format_run(run.found)


def _read(folder: Path, record: Mapping[str, Any]) -> MiningRun:
    """Read the files of a run; the patterns have all listed occurrences."""
    with damage_refused(folder):
        patterns = read_patterns_record(folder)
        return _run_of(folder, read_as(RunRecord, record, "run.json"), patterns)


def _run_of(folder: Path, run: RunRecord, patterns: PatternsRecord) -> MiningRun:
    """Make a run from the records of its files, each of which has its types."""
    names = patterns.feature_names
    listed = [(record.frequency.listed, record.num_nodes) for record in patterns.patterns]
    occurrences = read_places(folder / _OCCURRENCES, listed)
    summary = replace(run.graph, feature_names=names)
    graph_map = map_of(folder, _MAP, len(summary.relations))
    relations = relations_of(
        [relation.name for relation in summary.relations] or [PLAIN],
        [relation.directed for relation in summary.relations] or [False],
    )
    record = read_as(MotifSetRecord, patterns.motif_set, f"motif_set of {PATTERNS}")
    motif_set = _motif_set_of(folder, record, relations, summary.num_nodes)
    motifs = {motif.id: motif.motif for motif in motif_set.motifs}
    found = [
        replace(pattern, motif=motifs.get(pattern.id, pattern.motif))
        for pattern in patterns_of(patterns.patterns, occurrences)
    ]
    return MiningRun(
        graph=summary,
        patterns=found,
        motif_set=with_names(motif_set, found, names),
        settings=run.settings,
        provenance=run.provenance,
        recovery=run.recovery,
        map=graph_map,
        is_partial=run.partial,
        command=run.command,
        notes=run.notes,
        warnings=run.warnings,
        null_models=run.null_models,
        random_graphs=run.random_graphs,
        others=tuple(patterns_of(patterns.others)),
        roles=read_roles(folder / _ROLES) if (folder / _ROLES).exists() else None,
        class_search=run.class_search,
        blocks=read_found(folder, RepeatedBlocks) if (folder / FOUND).exists() else None,
        filters=(
            read_run(FILTERS, folder / _FILTERS).found if (folder / _FILTERS).exists() else None
        ),
    )


def _motif_set_of(
    folder: Path, record: MotifSetRecord, relations: Relations, num_nodes: int
) -> MotifSet:
    """The motif set of a record, and that of the other base, with copies, edits and blocks."""
    copies = []
    edits = []
    blocks = None
    for name, of_base in zip(_COPIES, (record, record.other), strict=True):
        if of_base is not None:
            sizes = [(motif.copies, motif.num_nodes) for motif in of_base.motifs]
            copies.append(read_places(folder / name, sizes, "motif"))
            edits.append(read_edits(folder / name, [size for _, size in sizes]))
            if of_base.blocks is not None and blocks is None:
                blocks = read_nodes(folder / _BLOCKS, "block", num_nodes)
    return MotifSet.of_record(record, relations, copies, edits, blocks)


MINE: RunKind[Any] = RunKind(
    "mine",
    (PATTERNS, REPORT, METHODS, _OCCURRENCES, _MAP, *_COPIES, _BLOCKS, _ROLES, _ROLES_CSV, FOUND,
     *(f"{_FILTERS}/{name}" for name in FILTERS.all_files)),
    REPORT, mine_graph, _tables, _render, _text, _read,
)  # fmt: skip
