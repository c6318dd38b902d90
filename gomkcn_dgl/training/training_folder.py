"""A training run ↔ its folder, each file written whole or not at all.

| file            | holds                                                          |
|-----------------|----------------------------------------------------------------|
| `settings.toml` | the resolved settings; `gomkcn train --settings` takes it      |
| `checkpoint.pt` | the model at its best epoch, the split, without pickled code   |
| `metrics.json`  | accuracy and loss of each part, every epoch, data, provenance  |
| `unfinished.pt` | while a run is not finished: from where it can go on           |
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.runtime.checkpoint import Checkpoint
from gomkcn_dgl.runtime.file_bytes import reason_of
from gomkcn_dgl.runtime.processes import is_first
from gomkcn_dgl.runtime.run_files import begin_run, read_json, to_json, write_files
from gomkcn_dgl.runtime.torch_file import read_state
from gomkcn_dgl.training.splits import PARTS, Split
from gomkcn_dgl.training.train_settings import TrainSettings, read_train_settings
from gomkcn_dgl.training.training_run import TrainedClassifier, TrainingRun, build_model

METRICS, UNFINISHED = "metrics.json", "unfinished.pt"
_CHECKPOINT, _SETTINGS = "checkpoint.pt", "settings.toml"
_RUN_FILES = (METRICS, _SETTINGS, _CHECKPOINT, "run.json")


def prepare_training_folder(
    folder: str | Path, force: bool = False, resume: bool = False, every: int | None = None
) -> Checkpoint | None:
    """Make the folder of a run, see :func:`gomkcn_dgl.runtime.run_files.begin_run`.

    Returns
    -------
    Checkpoint or None
        From where to go on, and what to write to; None: the run to go on with is finished.
    """
    resume_it = begin_run(folder, _RUN_FILES, METRICS, UNFINISHED, force=force, resume=resume)
    if resume_it is None:
        return None
    return Checkpoint(Path(folder) / UNFINISHED, resume=resume_it, every=every)


def write_training(folder: Path, run: TrainingRun) -> None:
    """Write a run into a folder made by :func:`prepare_training_folder`."""
    if not is_first():
        return
    files: dict[str, str | bytes] = {
        _SETTINGS: run.classifier.settings.to_toml(),
        _CHECKPOINT: _checkpoint(run),
        # last: what it describes is complete
        METRICS: to_json(_metrics(run)),
    }
    # a run that is killed while it replaces another must not look finished
    write_files(folder, files, mark=METRICS)
    if not run.history.partial:
        (folder / UNFINISHED).unlink(missing_ok=True)


def read_metrics(folder: str | Path) -> dict[str, Any]:
    """Read what a finished run reached.

    Raises
    ------
    InputError
        If the folder holds no finished training run.
    """
    folder = Path(folder)
    metrics = read_json(folder / METRICS)
    if not isinstance(metrics, dict) or not {"data", "accuracy"} <= set(metrics):
        raise InputError(f"{str(folder / METRICS)!r} is damaged; train again.")
    return metrics


def load_classifier(folder: str | Path) -> TrainedClassifier:
    """Read the trained model of a run.

    Raises
    ------
    InputError
        If the folder holds no finished run, or a file of it is damaged.
    """
    folder = Path(folder)
    read_metrics(folder)
    settings = read_train_settings(folder / _SETTINGS)
    state = read_state(folder / _CHECKPOINT)
    try:
        model = _build_model(settings, state)
        split = Split(*(state["split"][part].numpy() for part in PARTS))
        offset, spread = state["offset"].numpy(), state["spread"].numpy()
    # a state may lack anything, or hold anything else
    except Exception as error:
        raise InputError(
            f"checkpoint {str(folder / _CHECKPOINT)!r} cannot be read ({reason_of(error)})."
        ) from None
    return TrainedClassifier(model.eval(), settings, split, offset, spread)


def _build_model(settings: TrainSettings, state: dict[str, Any]) -> GOMKCN:
    """Build a model and load its state; memory is taken only for what the state holds."""
    weights, num_classes = state["model"], state["num_classes"]
    if type(num_classes) is not int or settings.model.num_layers > len(weights):
        raise ValueError("its classes or layers are not those of its settings")
    with torch.device("meta"):
        outline = build_model(settings, len(state["offset"]), num_classes)
    outline.load_state_dict(weights, assign=True)
    model = build_model(settings, len(state["offset"]), num_classes)
    model.load_state_dict(weights)
    return model


def _checkpoint(run: TrainingRun) -> bytes:
    classifier = run.classifier
    content = io.BytesIO()
    torch.save(
        {
            "model": classifier.model.state_dict(),
            "num_classes": run.summary["num_classes"],
            "offset": torch.from_numpy(classifier.offset),
            "spread": torch.from_numpy(classifier.spread),
            "split": {
                name: torch.from_numpy(part)
                for name, part in zip(PARTS, classifier.split, strict=True)
            },
        },
        content,
    )
    return content.getvalue()


def _metrics(run: TrainingRun) -> dict[str, Any]:
    history, split = run.history, run.classifier.split
    return {
        "data": run.summary,
        "accuracy": {part: run.results[part].accuracy for part in PARTS},
        "loss": {part: run.results[part].loss for part in PARTS},
        "size": {part: len(rows) for part, rows in zip(PARTS, split, strict=True)},
        "best_epoch": history.best_epoch,
        "epochs": history.epochs,
        "partial": history.partial,
        "seconds": round(run.seconds, 3),
        "history": {
            "train_loss": history.train_loss,
            "val_accuracy": [epoch.accuracy for epoch in history.validation],
            "val_loss": [epoch.loss for epoch in history.validation],
        },
        "provenance": run.provenance,
    }
