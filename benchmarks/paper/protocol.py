"""The protocol: what a trial is, how its parameters are drawn, and how one is selected.

A trial trains one model on one split with one point of the model's grid. Trial ``i`` of a data set
takes the same point on every split. Each split selects its own trial, and each trial its own
epoch, by validation accuracy (the lower validation loss where two are equal); only the selected
trial and epoch are evaluated on the test part.

An experiment gives every model the same number of trials, or the same processor time: a random
search that ends with its budget, with its last trial, or with the last point of its grid. A trial
that the end of the budget cuts has no outcome.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from paper.records import Record, read_toml

Params = dict[str, Any]
# epochs without an improvement after which a graph classifier stops
PATIENCE = 40
# with less than these seconds of a budget left no trial is begun
LEAST_SECONDS = 0.1


@dataclass(frozen=True)
class Trial:
    """One line of the results: which model, where, which point of its grid."""

    data: str
    model: str
    split: int
    trial: int


@dataclass(frozen=True)
class Experiment:
    """An accuracy table of the paper, as its .toml describes it."""

    name: str
    title: str
    kind: str  # what is classified, "node" or "graph"; "motif": graphs, by a planted motif
    data_sets: list[str]
    models: list[str]
    splits: int
    trials: int  # for each split, the same number for every model; with a budget, the most
    ours: list[str]  # our models; the first was named as ours before its tests were seen
    # of these, that with the best mean validation accuracy is ours on a data set
    alternatives: list[str] = field(default_factory=list)
    # the models that lack a part of another
    ablations: dict[str, list[str]] = field(default_factory=dict)
    # the paper's figures in percent, {model: {data set: [mean, deviation]}}
    printed: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    # a parameter of our models → what the paper calls it, and the values that it prints
    ranges: dict[str, dict[str, Any]] = field(default_factory=dict)
    # a sentence on a data set, below the table
    notes: dict[str, str] = field(default_factory=dict)
    # the budget of each data set: seconds of processor for each model on each split
    budgets: dict[str, float] = field(default_factory=dict)

    def all_trials(self) -> Iterator[Trial]:
        """All trials; every model has its trial ``i`` before any has ``i + 1``.

        Trial ``i`` is that of every split, but under a budget, where a split is searched to its
        end before the next one.
        """
        for data in self.data_sets:
            pairs = itertools.product(range(self.trials), range(self.splits))
            if data in self.budgets:
                pairs = ((i, split) for split in range(self.splits) for i in range(self.trials))
            for trial, split in pairs:
                for model in self.models:
                    yield Trial(data, model, split, trial)

    def seconds_left(self, data: str, records: Iterable[Record]) -> float:
        """What the records of a model on one split leave of its budget; infinite without one."""
        spent = sum(record["cpu_seconds"] for record in records)
        return self.budgets.get(data, math.inf) - spent

    def is_searched(self, data: str, records: Sequence[Record]) -> bool:
        """Whether a model's search on one split, with these records, is over; without a budget
        any trial is enough.
        """
        if data not in self.budgets:
            return len(records) > 0
        most = min([self.trials, *(record["points"] for record in records)])
        return len(records) >= most or self.seconds_left(data, records) < LEAST_SECONDS


def read_experiment(path: Path) -> Experiment:
    return Experiment(name=path.stem, **read_toml(path))


@dataclass(frozen=True)
class TrialOutcome:
    """Accuracies in [0, 1] of a trial at its best epoch by validation."""

    val: float
    val_loss: float | None  # mean cross-entropy; None for models without one
    test: float
    best_epoch: int
    epochs: int
    # classes whose planted motif is among the filters; None where there are no such
    motifs: int | None = None
    # processor time of predicting the test part; None where a matrix of all kernels was made before
    predict_seconds: float | None = None


def timed(predict: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and the processor time that it took."""
    start = time.process_time()
    return predict(), round(time.process_time() - start, 4)


@dataclass(frozen=True)
class Family:
    """A model with its grid."""

    name: str
    # the values of each parameter; a smoke run lowers ``epochs``, if it is among them
    grid: Mapping[str, Sequence[Any]]
    # ``trial(data, split, params, seed)`` trains on ``split.train``, selects its epoch on
    # ``split.val`` and returns a TrialOutcome
    trial: Callable[..., TrialOutcome]
    # the modules that must be installed; none for our own models
    requires: Sequence[str] = ()
    # parameters that belong together, beside those of the grid; trials take them in turn
    shapes: Sequence[Params] = ({},)
    # the sets that it is for; none: all
    data_sets: Sequence[str] = ()

    def is_installed(self) -> bool:
        return all(importlib.util.find_spec(module) is not None for module in self.requires)

    def is_for(self, trial: Trial) -> bool:
        """Whether its set is one of the model's, and its grid has so many points."""
        is_among = not self.data_sets or trial.data in self.data_sets
        return is_among and trial.trial < self.num_points

    @property
    def num_points(self) -> int:
        """Number of points of the grid, in all shapes."""
        return len(self.shapes) * math.prod(len(values) for values in self.grid.values())

    def params(self, data_name: str, trial: int) -> Params:
        """The next shape, and the next point of the grid in an order that the name seeds.

        No point comes twice; ``trial`` is below ``num_points``.
        """
        turn, shape = divmod(trial, len(self.shapes))
        rng = np.random.default_rng(zlib.crc32(data_name.encode()))
        point = int(rng.permutation(self.num_points // len(self.shapes))[turn])
        params = dict(self.shapes[shape])
        # the digits of the point's number, in the mixed base of the grid's lengths
        for name, values in self.grid.items():
            point, digit = divmod(point, len(values))
            params[name] = values[digit]
        return params


@dataclass
class BestEpoch:
    """The best epoch so far, by validation alone."""

    val: float = -1.0
    val_loss: float = math.inf
    epoch: int = 0

    def improves(self, val: float, val_loss: float, epoch: int) -> bool:
        """Take the epoch if its accuracy is higher, or as high with a lower loss."""
        better = (-val, val_loss) < (-self.val, self.val_loss)
        if better:
            self.val, self.val_loss, self.epoch = val, val_loss, epoch
        return better


def select_trial(records: Sequence[Record]) -> Record:
    """Of one split's trials, the one with the best validation; the first where all is equal."""

    def rank(record: Record) -> tuple[float, float, int]:
        loss = record["val_loss"]
        return -record["val"], math.inf if loss is None else loss, record["trial"]

    return min(records, key=rank)
