"""The kind of run of ``gomkcn train``: a classifier, its accuracy, and what it learnt.

| file                           | holds                                                          |
|--------------------------------|----------------------------------------------------------------|
| `settings.toml`                | the resolved settings; `gomkcn train --settings` takes it      |
| `run.json`                     | accuracy of each part, how it came about, data, provenance     |
| `checkpoint.pt`                | the network or kernel machine and the split, no pickled code   |
| `explanation/explanation.html` | what it learnt, for a person                                   |

Several processes may share a training: each of them calls ``make``, and the first one writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gomkcn.mining.show.explanation_page import explain_run, judge_accuracy
from gomkcn_dgl.runtime.output_folder import Content
from gomkcn_dgl.runtime.run import Run, RunKind, Work
from gomkcn_dgl.training import training_run
from gomkcn_dgl.training.checkpoint import state_bytes
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.labelled_data import LabelledData
from gomkcn_dgl.training.training_run import TrainedClassifier, format_results, load_classifier

EXPLANATION = "explanation/explanation.html"


class TrainingInputs(NamedTuple):
    """The data to learn from, and the device that learns."""

    data: LabelledData
    device: str = "auto"


def train_classifier_of_run(
    settings: ClassifierSettings, inputs: TrainingInputs, work: Work | None = None
) -> Run[TrainedClassifier]:
    """Do what ``gomkcn train`` does between reading data and writing its run."""
    classifier, metrics = training_run.run_training(settings, inputs.data, work, inputs.device)
    return Run(classifier, metrics, inputs.data)


def _tables(run: Run[TrainedClassifier]) -> dict[str, Content]:
    return {training_run.CHECKPOINT: state_bytes(run.found.state())}


def _render(run: Run[TrainedClassifier]) -> str:
    return explain_run(run.found, run.record, data=run.inputs)[1]


def _text(run: Run[TrainedClassifier]) -> str:
    return f"{format_results(run.record)}\n{judge_accuracy(run.record)}"


def _read(folder: Path, record: Mapping[str, Any]) -> TrainedClassifier:
    return load_classifier(folder)


TRAIN = RunKind(
    training_run.TRAIN, (training_run.CHECKPOINT, EXPLANATION), EXPLANATION,
    train_classifier_of_run, _tables, _render, _text, _read,
)  # fmt: skip
