"""Step 6: a mining run ↔ its folder, each file written whole or not at all.

| file                     | holds                                                      |
|--------------------------|------------------------------------------------------------|
| `settings.toml`          | the resolved settings; `gomkcn mine --settings` takes it   |
| `run.json`               | graph, loss curve, planted truth, provenance               |
| `patterns.json`          | the patterns; `patterns.schema.json` in this package       |
| `patterns/*.graphml`     | one graph a pattern                                        |
| `occurrences.csv`        | a row an occurrence and pattern node                       |
| `drawings.json`          | what the report draws beyond the patterns                  |
| `figures/*.svg`          | all patterns, their frequencies, similarities, map, loss   |
| `report.html`            | the same for a person                                      |
| `checkpoint.pt`          | the fitted miner, without pickled code                     |
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import networkx as nx
import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io_folder import prepare_run_folder, read_json, to_json, write_files
from gomkcn_dgl.settings import RunSettings
from mining.chance.choosing import Choice
from mining.drawing.plots import draw_patterns, figure_to_svg
from mining.evaluation import MotifRecovery
from mining.miner import PatternMiner
from mining.pages.report import FIGURES, render_report, run_figures
from mining.patterns import Pattern, SnappedFilters
from mining.results.drawings import RunDrawings
from mining.results.run import GraphSummary, MiningRun
from mining.scaling import FeatureScaling

SCHEMA_VERSION = 2
REPORT = "report.html"
_RUN_FILES = ("patterns.json", "run.json", "settings.toml", REPORT)


def prepare_folder(folder: str | Path, force: bool) -> Path:
    """Make the folder of a run, see :func:`gomkcn_dgl.io_folder.prepare_run_folder`."""
    return prepare_run_folder(folder, _RUN_FILES, force)


def write_run(folder: Path, run: MiningRun, settings: RunSettings, miner: PatternMiner) -> None:
    """Write a finished run into a folder made by :func:`prepare_folder`.

    Everything is drawn up first, and only then written: a run that fails before that leaves what
    the folder held.
    """
    graphs = {f"patterns/pattern_{p.id:02d}.graphml": _graphml(p) for p in run.patterns}
    files: dict[str, str | bytes] = {
        "settings.toml": settings.to_toml(),
        "patterns.json": to_json(_patterns_record(run)),
        **graphs,
        "occurrences.csv": _occurrence_table(run.patterns),
        "drawings.json": json.dumps(run.drawings.to_dict(), separators=(",", ":")) + "\n",
        "checkpoint.pt": _checkpoint(miner),
        **_report_files(run),
        # last: what run.json describes is complete
        "run.json": to_json(_run_record(run)),
    }
    # a run that is killed while it replaces another must not look finished
    (folder / "run.json").unlink(missing_ok=True)
    write_files(folder, files)
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
        names = patterns["feature_names"]
        graph = GraphSummary(**{**record["graph"], "feature_names": tuple(names)})
        recovery = record["recovery"]
        return MiningRun(
            graph=graph,
            patterns=[Pattern.from_dict(entry, names) for entry in patterns["patterns"]],
            loss_curve=[float(loss) for loss in record["loss_curve"]],
            settings=record["settings"],
            provenance=record["provenance"],
            recovery=None if recovery is None else [_recovery(entry) for entry in recovery],
            drawings=RunDrawings.from_dict(drawings),
            choices=tuple(Choice.from_dict(entry) for entry in record["choices"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"run folder {str(folder)!r} holds a damaged run.json, patterns.json or drawings.json "
            f"({type(error).__name__}: {error}); mine again."
        ) from None


def load_miner(folder: str | Path) -> PatternMiner:
    """Read the fitted miner of a run, ready to ``transform`` and ``predict``.

    Its ``patterns_`` are those of ``patterns.json``.
    """
    folder = Path(folder)
    run = read_run(folder)
    try:
        state = torch.load(folder / "checkpoint.pt", weights_only=True)
        miner = PatternMiner(**state["params"])
        miner.filters_ = SnappedFilters(
            state["adj"],
            state["feat"],
            state["weights"],
            tuple(state["num_nodes"]),
            noisy=tuple(state["noisy"]),
        )
        scaling = (state[name].numpy() for name in ("offset", "spread", "contrast"))
        miner.scaling_ = FeatureScaling(*scaling)
        miner.n_features_in_ = state["feat"].shape[2]
        miner.num_patterns_, miner.pattern_size_ = state["num_patterns"], state["pattern_size"]
    except Exception as error:
        # torch.load raises whatever a damaged archive leads it into, with advice of many lines
        reason = [*str(error).splitlines(), type(error).__name__][0].rstrip(".")
        raise InputError(
            f"checkpoint {str(folder / 'checkpoint.pt')!r} cannot be read ({reason})."
        ) from None
    miner.patterns_ = run.patterns
    miner.choices_ = list(run.choices)
    miner.loss_curve_ = run.loss_curve
    miner.num_subgraphs_ = run.graph.num_subgraphs
    miner.truncated_share_ = run.graph.truncated_share
    return miner


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
            printable = "".join(letter if letter.isprintable() else "?" for letter in name)
            values[printable] = values.pop(name)
    content = io.BytesIO()
    nx.write_graphml_xml(graph, content)
    return content.getvalue()


def _occurrence_table(patterns: list[Pattern]) -> str:
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["pattern", "occurrence", "graph", "pattern_node", "node", "similarity"])
    for pattern in patterns:
        for number, place in enumerate(pattern.occurrences):
            for player, node in enumerate(place.nodes):
                table.writerow(
                    [pattern.id, number, place.graph, player, node, round(place.similarity, 6)]
                )
    return text.getvalue()


def _run_record(run: MiningRun) -> dict[str, Any]:
    return {
        "graph": asdict(run.graph),
        "choices": [choice.to_dict() for choice in run.choices],
        "loss_curve": run.loss_curve,
        "recovery": None if run.recovery is None else [asdict(entry) for entry in run.recovery],
        "settings": run.settings,
        "provenance": run.provenance,
    }


def _recovery(entry: dict[str, Any]) -> MotifRecovery:
    return MotifRecovery(**{**entry, "pattern_ids": tuple(entry["pattern_ids"])})
