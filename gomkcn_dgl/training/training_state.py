"""All that the next epoch of a training depends on, and its history, as plain values and back."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch

from gomkcn_dgl.model import GOMKCN


class Evaluation(NamedTuple):
    """How well a model does on some graphs or nodes."""

    accuracy: float
    loss: float


@dataclass
class History:
    """What training did.

    Attributes
    ----------
    train_loss : list of float
        Mean loss of each epoch, as trained.
    validation : list of Evaluation
        After each epoch.
    best_epoch : int
        The epoch, from 1, that the model was set back to: highest validation accuracy, then lowest
        loss; 0 before any.
    partial : bool
        A time limit ended training before its last epoch.
    """

    train_loss: list[float] = field(default_factory=list)
    validation: list[Evaluation] = field(default_factory=list)
    best_epoch: int = 0
    partial: bool = False

    @property
    def epochs(self) -> int:
        """Epochs so far."""
        return len(self.validation)

    @property
    def best(self) -> Evaluation:
        """Validation at the best epoch."""
        return self.validation[self.best_epoch - 1]

    def add(self, loss: float, validation: Evaluation) -> bool:
        """Note an epoch; say whether it is the best so far."""
        self.train_loss.append(loss)
        self.validation.append(validation)

        def rank(one: Evaluation) -> tuple[float, float]:
            return -one.accuracy, one.loss

        better = self.best_epoch == 0 or rank(validation) < rank(self.best)
        if better:
            self.best_epoch = self.epochs
        return better


class TrainingState:
    """A training between two epochs.

    Parameters
    ----------
    model : GOMKCN
    optimizer : torch.optim.Optimizer
        Of its parameters.
    generator : numpy.random.Generator
        Draws the order of the graphs. What is dropped is drawn by torch's global generators, which
        belong to the state, too.

    Attributes
    ----------
    history : History
        Of the epochs so far.
    """

    def __init__(
        self, model: GOMKCN, optimizer: torch.optim.Optimizer, generator: np.random.Generator
    ) -> None:
        self.model, self.optimizer, self.generator = model, optimizer, generator
        self.history = History()
        self._best_model = copy.deepcopy(model.state_dict())

    def add(self, loss: float, validation: Evaluation) -> None:
        """Note an epoch, and the model where it is the best so far."""
        if self.history.add(loss, validation):
            self._best_model = copy.deepcopy(self.model.state_dict())

    def set_back_to_best(self) -> None:
        """Set the model back to its best epoch."""
        self.model.load_state_dict(self._best_model)

    def to_plain(self) -> dict[str, Any]:
        """The state as tensors and plain values."""
        history = self.history
        generators = {"numpy": self.generator.bit_generator.state, "cpu": torch.get_rng_state()}
        if self._device.type == "cuda":
            generators["cuda"] = torch.cuda.get_rng_state(self._device)
        return {
            "model": self.model.state_dict(),
            "best_model": self._best_model,
            "optimizer": self.optimizer.state_dict(),
            "generators": generators,
            "train_loss": history.train_loss,
            "validation": [tuple(epoch) for epoch in history.validation],
            "best_epoch": history.best_epoch,
        }

    def set_to(self, plain: dict[str, Any]) -> None:
        """Go back to a state that :meth:`to_plain` gave, bit for bit."""
        self.model.load_state_dict(plain["model"])
        self._best_model = plain["best_model"]
        self.optimizer.load_state_dict(plain["optimizer"])
        generators = plain["generators"]
        self.generator.bit_generator.state = generators["numpy"]
        torch.set_rng_state(generators["cpu"])
        if "cuda" in generators:
            torch.cuda.set_rng_state(generators["cuda"], self._device)
        validation = [Evaluation(*epoch) for epoch in plain["validation"]]
        self.history = History(plain["train_loss"], validation, plain["best_epoch"])

    @property
    def _device(self) -> torch.device:
        return next(self.model.parameters()).device
