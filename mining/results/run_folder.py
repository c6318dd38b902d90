"""Step 6: a mining run ↔ its folder, each file written whole or not at all.

| file                     | holds                                                      |
|--------------------------|------------------------------------------------------------|
| `settings.toml`          | the resolved settings; `gomkcn mine --settings` takes it   |
| `run.json`               | graph, loss curve, planted truth, provenance               |
| `patterns.json`          | the patterns; `patterns.schema.json` in this package       |
| `patterns/*.graphml`     | one graph a pattern                                        |
| `occurrences.parquet`    | a row an occurrence                                        |
| `drawings.json`          | what the report draws beyond the patterns                  |
| `figures/*.svg`          | all patterns, their frequencies, similarities, map, loss   |
| `report.html`            | the same for a person                                      |
| `checkpoint.pt`          | the fitted miner, without pickled code                     |
"""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import reason_of
from gomkcn_dgl.runtime.file_names import visible
from gomkcn_dgl.runtime.run_files import Content, begin_run, read_json, to_json, write_files
from gomkcn_dgl.runtime.torch_file import read_state
from mining.assessment.evaluation import MotifRecovery
from mining.html.report import FIGURES, render_report, run_figures
from mining.miner import PatternMiner
from mining.plots.plots import draw_patterns, figure_to_svg
from mining.records.choice import Choice
from mining.records.pattern import Pattern
from mining.results.occurrence_file import read_occurrences, write_occurrences
from mining.results.schema import check_record
from mining.runs.drawings import RunDrawings
from mining.runs.mining_run import GraphSummary, MiningRun
from mining.settings import RunSettings
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.feature_scaling import FeatureScaling

SCHEMA_VERSION = 2
REPORT = "report.html"
_PROGRESS = ".progress"
_RUN_FILES = ("patterns.json", "run.json", "settings.toml", REPORT)


def prepare_folder(folder: str | Path, force: bool = False, resume: bool = False) -> Path | None:
    """Make the folder of a run, see :func:`gomkcn_dgl.runtime.run_files.begin_run`.

    Returns
    -------
    Path or None
        Where the progress of the run is kept; None if it is finished and to be gone on with.
    """
    going_on = begin_run(folder, _RUN_FILES, "run.json", _PROGRESS, force=force, resume=resume)
    return None if going_on is None else Path(folder) / _PROGRESS


def remove_progress(folder: Path) -> None:
    """Remove what an unfinished run needs to go on."""
    shutil.rmtree(folder / _PROGRESS, ignore_errors=True)


def write_run(folder: Path, run: MiningRun, settings: RunSettings, miner: PatternMiner) -> None:
    """Write a finished run into a folder made by :func:`prepare_folder`.

    Everything is drawn up first, and only then written: a run that fails before that leaves what
    the folder held.
    """
    graphs = {f"patterns/pattern_{p.id:02d}.graphml": _graphml(p) for p in run.patterns}
    files: dict[str, Content] = {
        "settings.toml": settings.to_toml(),
        "patterns.json": to_json(_patterns_record(run)),
        **graphs,
        "occurrences.parquet": partial(write_occurrences, patterns=run.patterns),
        "drawings.json": json.dumps(run.drawings.to_dict(), separators=(",", ":")) + "\n",
        "checkpoint.pt": _checkpoint(miner),
        **_report_files(run),
        # last: what run.json describes is complete
        "run.json": to_json(_run_record(run)),
    }
    # a run that is killed while it replaces another must not look finished
    write_files(folder, files, mark="run.json")
    # of an older run
    drawn = [*(folder / "patterns").glob("pattern_*.graphml")]
    drawn += [folder / "figures" / f"{name}.svg" for name in FIGURES]
    for old in drawn:
        if f"{old.parent.name}/{old.name}" not in files:
            old.unlink(missing_ok=True)


def write_report(folder: Path, run: MiningRun) -> Path:
    """Draw the figures and the report of a run; return the path of the report."""
    write_files(folder, _report_files(run))
    return folder / REPORT


def _report_files(run: MiningRun) -> dict[str, str]:
    figures = run_figures(run)
    return {
        "figures/patterns.svg": figure_to_svg(draw_patterns(run.patterns)),
        **{f"figures/{name}.svg": figure_to_svg(figure) for name, figure in figures.items()},
        REPORT: render_report(run, figures),
    }


def read_run(folder: str | Path) -> MiningRun:
    """Read a finished run back.

    Raises
    ------
    InputError
        If the folder holds no run, or a file of it is damaged.
    """
    folder = Path(folder)
    record = read_json(folder / "run.json")
    patterns = read_json(folder / "patterns.json")
    drawings = read_json(folder / "drawings.json")
    try:
        check_record("run", record)
        check_record("patterns", patterns)
        check_record("drawings", drawings)
        names = patterns["feature_names"]
        for entry in patterns["patterns"]:
            _check_lengths(entry, len(names))
        counts = [entry["frequency"]["distinct"] for entry in patterns["patterns"]]
        found = read_occurrences(folder / "occurrences.parquet", counts)
        graph = GraphSummary(**{**record["graph"], "feature_names": tuple(names)})
        recovery = record["recovery"]
        run = MiningRun(
            graph=graph,
            patterns=[
                Pattern.from_dict(entry, names, places)
                for entry, places in zip(patterns["patterns"], found, strict=True)
            ],
            loss_curve=[float(loss) for loss in record["loss_curve"]],
            settings=record["settings"],
            provenance=record["provenance"],
            recovery=None if recovery is None else [_recovery(entry) for entry in recovery],
            drawings=RunDrawings.from_dict(drawings),
            is_partial=record["partial"],
            choices=tuple(Choice.from_dict(entry) for entry in record["choices"]),
        )
        _check_drawings(run)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"run folder {str(folder)!r} holds a damaged run.json, patterns.json or drawings.json "
            f"({reason_of(error)}); mine again."
        ) from None
    return run


def _check_lengths(entry: dict[str, Any], width: int) -> None:
    """Check that the lists of a pattern go together."""
    size = entry["num_nodes"]
    places = [entry["medoid"], *entry["occurrences"]]
    fits = (
        len(entry["features"]) == size
        and all(len(row) == width for row in entry["features"])
        and len(entry["edge_weights"]) == len(entry["edges"])
        and all(len(place["nodes"]) == size for place in places)
    )
    if not fits or not np.isfinite(entry["features"]).all():
        raise ValueError(f"pattern {entry['id']} is not of {size} nodes with {width} features")


def _check_drawings(run: MiningRun) -> None:
    """Check that what is drawn belongs to the patterns."""
    drawings, number = run.drawings, len(run.patterns)
    drawn = zip(drawings.patterns, run.patterns, strict=False)
    fits = (
        len(drawings.patterns) in (0, number)
        and len(drawings.similarities) in (0, number)
        and (drawings.map is None or drawings.map.pattern_of.max(initial=-1) < number)
        and all(
            len(drawing.faces) == pattern.num_nodes
            and all(
                role is None or role < pattern.num_nodes
                for place in (drawing.medoid, *drawing.occurrences.values())
                for role in place.roles
            )
            and all(at < len(pattern.occurrences) for at in drawing.occurrences)
            for drawing, pattern in drawn
        )
    )
    if not fits:
        raise ValueError("what is drawn does not belong to the patterns")


def load_miner(folder: str | Path) -> PatternMiner:
    """Read the fitted miner of a run, ready to ``transform`` and ``predict``.

    Its ``patterns_`` are those of ``patterns.json``.
    """
    folder = Path(folder)
    run = read_run(folder)
    state = read_state(folder / "checkpoint.pt", way_out="mine again")
    try:
        _check_state(state)
        miner = PatternMiner(**state["params"])
        miner.filters_ = DiscreteFilters(
            state["adj"],
            state["feat"],
            state["weights"],
            tuple(state["num_nodes"]),
            tuple(state["merged"]),
            noisy=tuple(state["noisy"]),
        )
        scaling = (state[name].numpy() for name in ("offset", "spread", "contrast"))
        miner.scaling_ = FeatureScaling(*scaling)
        miner.n_features_in_ = state["feat"].shape[2]
        miner.num_patterns_, miner.pattern_size_ = state["num_patterns"], state["pattern_size"]
    # a state may lack anything, or hold anything else
    except Exception as error:
        raise InputError(
            f"checkpoint {str(folder / 'checkpoint.pt')!r} cannot be read ({reason_of(error)})."
        ) from None
    miner.patterns_ = run.patterns
    miner.choices_, miner.is_partial_ = list(run.choices), run.is_partial
    miner.loss_curve_ = run.loss_curve
    miner.num_subgraphs_ = run.graph.num_subgraphs
    miner.truncated_share_ = run.graph.truncated_share
    return miner


def _check_state(state: dict[str, Any]) -> None:
    """Check that the filters of a checkpoint have one size and one number."""
    F, M, D = state["feat"].shape
    shapes: dict[str, tuple[int, ...]] = {"adj": (F, M, M), "weights": (F, M, M)}
    shapes |= dict.fromkeys(("offset", "spread", "contrast"), (D,))
    wrong = [name for name, shape in shapes.items() if tuple(state[name].shape) != shape]
    wrong += [name for name in ("num_nodes", "merged", "noisy") if len(state[name]) != F]
    if wrong or not all(1 <= int(size) <= M for size in state["num_nodes"]):
        raise ValueError(f"{(wrong or ['num_nodes'])[0]} does not go with the {F} filters")


def _checkpoint(miner: PatternMiner) -> bytes:
    filters, scaling = miner.filters_, miner.scaling_
    content = io.BytesIO()
    torch.save(
        {
            "params": {**miner.get_params(), "progress": False},
            "adj": filters.adj,
            "feat": filters.feat,
            "weights": filters.weights,
            "num_nodes": list(filters.num_nodes),
            "merged": list(filters.merged),
            "noisy": list(filters.noisy),
            "num_patterns": miner.num_patterns_,
            "pattern_size": miner.pattern_size_,
            "offset": torch.from_numpy(scaling.offset),
            "spread": torch.from_numpy(scaling.spread),
            "contrast": torch.from_numpy(scaling.contrast),
        },
        content,
    )
    return content.getvalue()


def _patterns_record(run: MiningRun) -> dict[str, Any]:
    return {
        "schema": SCHEMA_VERSION,
        "feature_names": list(run.graph.feature_names),
        "patterns": [pattern.to_dict() for pattern in run.patterns],
    }


def _graphml(pattern: Pattern) -> bytes:
    graph = pattern.to_networkx()
    for _, values in graph.nodes(data=True):
        for name in [name for name in values if not name.isprintable()]:
            # XML cannot hold control characters
            values[visible(name)] = values.pop(name)
    content = io.BytesIO()
    nx.write_graphml_xml(graph, content)
    return content.getvalue()


def _run_record(run: MiningRun) -> dict[str, Any]:
    return {
        "graph": asdict(run.graph),
        "partial": run.is_partial,
        "choices": [choice.to_dict() for choice in run.choices],
        "loss_curve": run.loss_curve,
        "recovery": None if run.recovery is None else [asdict(entry) for entry in run.recovery],
        "settings": run.settings,
        "provenance": run.provenance,
    }


def _recovery(entry: dict[str, Any]) -> MotifRecovery:
    return MotifRecovery(**{**entry, "pattern_ids": tuple(entry["pattern_ids"])})
