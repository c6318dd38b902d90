"""The protocol: what a trial is, how its parameters are drawn, and how one is chosen.

A trial trains one model on one split with one point of the model's grid. Trial ``i`` of a data set
takes the same point on every split. Each split chooses its own trial, and each trial its own
epoch, by validation accuracy (the lower validation loss where two are equal); the test part is
looked at once, with what was chosen.
"""

from __future__ import annotations

import importlib.util
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Params = dict[str, Any]
# epochs without a better one after which a classifier of graphs stops
PATIENCE = 40


@dataclass(frozen=True)
class TrialOutcome:
    """What a trial found, at its best epoch by validation.

    Attributes
    ----------
    val, test : float
        Accuracies, between 0 and 1.
    val_loss : float or None
        Mean cross-entropy of the validation part; None where a model has none.
    best_epoch, epochs : int
        The epoch that was chosen, and how many were run.
    """

    val: float
    val_loss: float | None
    test: float
    best_epoch: int
    epochs: int


@dataclass(frozen=True)
class Family:
    """A model with its grid.

    Attributes
    ----------
    name : str
        As in the tables.
    grid : dict
        The values of each parameter; ``epochs``, if it is there, is what a smoke run lowers.
    trial : callable
        ``trial(data, split, params, seed)`` trains on ``split.train``, chooses its epoch on
        ``split.val`` and returns a :class:`TrialOutcome`.
    kind : str
        ``"node"`` or ``"graph"``: what it classifies.
    requires : tuple of str
        Distribution and module that must be installed; empty for our own models.
    shapes : sequence of dict
        Parameters that belong together, beside those of the grid; trials take them in turn.
    """

    name: str
    grid: Mapping[str, Sequence[Any]]
    trial: Callable[..., TrialOutcome]
    kind: str
    requires: tuple[str, ...] = ()
    shapes: Sequence[Params] = ({},)

    def is_installed(self) -> bool:
        """Whether what it needs is there."""
        return not self.requires or importlib.util.find_spec(self.requires[1]) is not None

    @property
    def num_points(self) -> int:
        """Number of points of the grid, in all shapes."""
        return len(self.shapes) * math.prod(len(values) for values in self.grid.values())

    def params(self, data_name: str, trial: int) -> Params | None:
        """The next shape, and the next point of the grid in an order that the name seeds.

        No point comes twice; None when there are no more.
        """
        if trial >= self.num_points:
            return None
        turn, shape = divmod(trial, len(self.shapes))
        rng = np.random.default_rng(zlib.crc32(data_name.encode()))
        place = int(rng.permutation(self.num_points // len(self.shapes))[turn])
        chosen = dict(self.shapes[shape])
        for name, values in self.grid.items():
            place, position = divmod(place, len(values))
            chosen[name] = values[position]
        return chosen


@dataclass
class BestEpoch:
    """The best epoch so far, by validation alone.

    Examples
    --------
    >>> best = BestEpoch()
    >>> best.improves(0.5, 1.0, epoch=1), best.improves(0.5, 1.2, epoch=2)
    (True, False)
    >>> best.improves(0.5, 0.9, epoch=3), best.epoch
    (True, 3)
    """

    val: float = -1.0
    val_loss: float = math.inf
    epoch: int = field(default=0)

    def improves(self, val: float, val_loss: float, epoch: int) -> bool:
        """Take the epoch if its accuracy is higher, or as high with a lower loss."""
        better = (-val, val_loss) < (-self.val, self.val_loss)
        if better:
            self.val, self.val_loss, self.epoch = val, val_loss, epoch
        return better


def choose_trial(records: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of one split's trials, the one with the best validation; the first where all is equal."""

    def rank(record: Mapping[str, Any]) -> tuple[float, float, int]:
        loss = record["val_loss"]
        return -record["val"], math.inf if loss is None else loss, record["trial"]

    return min(records, key=rank)
