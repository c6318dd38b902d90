"""A training run: labelled data and settings in; a trained classifier, in a folder of files, out.

| file            | content                                                         |
|-----------------|-----------------------------------------------------------------|
| `settings.toml` | the resolved settings, for `gomkcn train --settings`            |
| `checkpoint.pt` | the network or kernel machine and the split, no pickled code    |
| `metrics.json`  | accuracy of each part, how it came about, data, provenance      |
| `unfinished.pt` | only in an unfinished run: the state of the network             |
| `unfinished/`   | only in an unfinished run: the kernel values so far             |
"""

from __future__ import annotations

import io
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.output_folder import begin_run, to_json, write_files
from gomkcn_dgl.runtime.processes import is_first
from gomkcn_dgl.training.checkpoint import Checkpoint, read_state
from gomkcn_dgl.training.labelled_data import LabelledData, read_labelled
from gomkcn_dgl.training.machine_run import TrainedMachine, restore_machine, run_machine
from gomkcn_dgl.training.network_run import TrainedNetwork, restore_network, run_network
from gomkcn_dgl.training.train_settings import DataSettings, TrainSettings, read_train_settings
from gomkcn_dgl.training.training_metrics import METRICS, read_metrics

_UNFINISHED = {"network": "unfinished.pt", "kernel": "unfinished"}
_CHECKPOINT, _SETTINGS = "checkpoint.pt", "settings.toml"
_RUN_FILES = (METRICS, _SETTINGS, _CHECKPOINT, "run.json")

TrainedClassifier = TrainedNetwork | TrainedMachine


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """A finished training run; ``metrics`` is the record of ``metrics.json``."""

    classifier: TrainedClassifier
    metrics: dict[str, Any]


def read_training_data(settings: DataSettings) -> LabelledData:
    """Read the data that the settings name."""
    if not settings.path:
        raise InputError("PATH of a data set must be given, here or in the settings file.")
    return read_labelled(
        settings.path,
        task=settings.task,
        features=settings.features,
        node_label=settings.node_label,
        directed=settings.directed,
        relation=settings.relation,
        label_names=settings.label_names,
        class_names=settings.class_names,
    )


def run_training(
    settings: TrainSettings,
    data: LabelledData,
    *,
    progress: bool = False,
    checkpoint: Checkpoint | Path | None = None,
    interrupts: Interrupts | None = None,
) -> TrainingRun:
    """Resolve the settings, split, train and evaluate, by the method of the settings.

    ``checkpoint`` is what :func:`prepare_training_folder` returned.
    """
    if settings.method == "kernel":
        assert not isinstance(checkpoint, Checkpoint)
        return TrainingRun(*run_machine(settings, data, folder=checkpoint, interrupts=interrupts))
    assert not isinstance(checkpoint, Path)
    return TrainingRun(
        *run_network(
            settings, data, progress=progress, checkpoint=checkpoint, interrupts=interrupts
        )
    )


def prepare_training_folder(
    folder: str | Path,
    method: str,
    force: bool = False,
    resume: bool = False,
    every: int | None = None,
) -> Checkpoint | Path | None:
    """Create the folder of a run; return what an unfinished one is kept in.

    None: the run to resume is finished.
    """
    own = _UNFINISHED[method]
    # what a run of the other method left is in the way as well
    ((other_method, other),) = [one for one in _UNFINISHED.items() if one[0] != method]
    if resume and not force and (Path(folder) / other).exists():
        raise InputError(
            f"method must be {other_method!r} to go on with the unfinished run in the folder "
            f"{str(folder)!r}, got {method!r}."
        )
    resume_it = begin_run(folder, (*_RUN_FILES, other), METRICS, own, force=force, resume=resume)
    if resume_it is None:
        return None
    if method == "kernel":
        return Path(folder) / own
    return Checkpoint(Path(folder) / own, resume=resume_it, every=every)


def write_training(folder: Path, run: TrainingRun) -> None:
    """Write a run into a folder made by :func:`prepare_training_folder`."""
    if not is_first():
        return
    state = io.BytesIO()
    torch.save(run.classifier.state(), state)
    files: dict[str, str | bytes] = {
        _SETTINGS: run.classifier.settings.to_toml(),
        _CHECKPOINT: state.getvalue(),
        # last, because a folder with this file counts as a finished run
        METRICS: to_json(run.metrics),
    }
    write_files(folder, files, mark=METRICS)
    if not run.metrics["partial"]:
        (folder / _UNFINISHED["network"]).unlink(missing_ok=True)
        shutil.rmtree(folder / _UNFINISHED["kernel"], ignore_errors=True)


def load_classifier(folder: str | Path) -> TrainedClassifier:
    """Read the trained network or kernel machine of a finished run."""
    folder = Path(folder)
    read_metrics(folder)
    settings = read_train_settings(folder / _SETTINGS)
    state = read_state(folder / _CHECKPOINT)
    restore = restore_machine if settings.method == "kernel" else restore_network
    try:
        return restore(settings, state)
    # a damaged state may lack anything, or hold anything else
    except Exception as error:
        raise InputError(
            f"checkpoint {str(folder / _CHECKPOINT)!r} cannot be read ({reason_of(error)})."
        ) from None
