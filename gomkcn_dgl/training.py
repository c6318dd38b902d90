"""The one training loop: a classifier of nodes or graphs, its best epoch by validation."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.collection import GraphCollection
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.model import GOMKCN


@dataclass(frozen=True)
class TrainingSettings:
    """How a classifier is trained.

    Attributes
    ----------
    num_epochs : int
        Most epochs.
    patience : int or None
        Stop after this many epochs without a better one.
    learning_rate, weight_decay : float
        Of Adam. Filters are not decayed: a filter's 0 means an edge of 1/2, not none.
    batch_size : int
        Graphs of a step; nodes are classified all at once.
    seed : int
        Of the order of the graphs and of what is dropped. The model is drawn before.
    """

    num_epochs: int = 200
    patience: int | None = None
    learning_rate: float = 0.01
    weight_decay: float = 0.0
    batch_size: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        check_int("num_epochs", self.num_epochs, 0)
        check_int("batch_size", self.batch_size, 1)
        check_int("seed", self.seed, 0)
        if self.patience is not None:
            check_int("patience", self.patience, 1)
        check_float("learning_rate", self.learning_rate, 0.0, open_minimum=True)
        check_float("weight_decay", self.weight_decay, 0.0)


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
    """

    train_loss: list[float] = field(default_factory=list)
    validation: list[Evaluation] = field(default_factory=list)
    best_epoch: int = 0

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
            self.best_epoch = len(self.validation)
        return better


def train_classifier(
    model: GOMKCN,
    data: GraphCollection,
    labels: Tensor,
    train: np.ndarray,
    validation: np.ndarray,
    settings: TrainingSettings | None = None,
    on_epoch: Callable[[int, History], None] | None = None,
) -> History:
    """Train with Adam and cross-entropy, and set the model back to its best epoch.

    Parameters
    ----------
    model : GOMKCN
        Classifies graphs if it pools, else nodes.
    data : GraphCollection
        Graphs with their subgraphs, on the model's device.
    labels : Tensor
        int64, a class for each graph or node.
    train, validation : numpy.ndarray
        Which of them to learn from and to choose the epoch by.
    settings : TrainingSettings, optional
        Epochs, patience, rates, batch size, seed.
    on_epoch : callable, optional
        Called with the number of each epoch, from 1, and the history.

    Returns
    -------
    History
        Losses and validation of each epoch.

    Raises
    ------
    InputError
        For a part without members.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> graphs = [nx.cycle_graph(5), nx.star_graph(4)] * 8
    >>> data = GraphCollection(as_csr(graphs), num_hops=1, max_nodes=4)
    >>> model = GOMKCN(1, 2, filter_size=4, num_filters=2, pooling="mean")
    >>> classes = torch.tensor([0, 1] * 8)
    >>> settings = TrainingSettings(num_epochs=3)
    >>> done = train_classifier(model, data, classes, np.arange(8), np.arange(8, 16), settings)
    >>> len(done.train_loss)
    3
    """
    settings = settings or TrainingSettings()
    for name, part in (("train", train), ("validation", validation)):
        if len(part) == 0:
            raise InputError(f"{name} must have at least one member, got none.")
    optimizer = torch.optim.Adam(_parameter_groups(model, settings), lr=settings.learning_rate)
    generator = np.random.default_rng(settings.seed)
    history = History()
    best_state = copy.deepcopy(model.state_dict())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        for epoch in range(1, settings.num_epochs + 1):
            loss = _train_epoch(model, data, labels, train, settings, optimizer, generator)
            measured = evaluate_classifier(model, data, labels, validation, settings.batch_size)
            if history.add(loss, measured):
                best_state = copy.deepcopy(model.state_dict())
            if on_epoch is not None:
                on_epoch(epoch, history)
            patience = settings.patience
            if patience is not None and epoch - history.best_epoch >= patience:
                break
    model.load_state_dict(best_state)
    return history


def _train_epoch(
    model: GOMKCN,
    data: GraphCollection,
    labels: Tensor,
    train: np.ndarray,
    settings: TrainingSettings,
    optimizer: torch.optim.Optimizer,
    generator: np.random.Generator,
) -> float:
    """Mean loss over the training part."""
    model.train()
    total = 0.0
    order = generator.permutation(train) if model.pooling is not None else train
    for logits, rows in _predictions(model, data, order, settings.batch_size):
        loss = nn.functional.cross_entropy(logits, labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    return total / len(train)


@torch.no_grad()
def predict_logits(
    model: GOMKCN, data: GraphCollection, rows: np.ndarray, batch_size: int = 128
) -> Tensor:
    """Logits ``[len(rows), C]`` of some graphs, or nodes, with dropout and batch norm at rest."""
    model.eval()
    return torch.cat([logits for logits, _ in _predictions(model, data, rows, batch_size)])


def evaluate_classifier(
    model: GOMKCN,
    data: GraphCollection,
    labels: Tensor,
    rows: np.ndarray,
    batch_size: int = 128,
) -> Evaluation:
    """Accuracy and mean cross-entropy on some graphs, or nodes."""
    logits = predict_logits(model, data, rows, batch_size)
    wanted = labels[torch.from_numpy(np.asarray(rows)).to(labels.device)]
    accuracy = float((logits.argmax(dim=1) == wanted).double().mean())
    return Evaluation(accuracy, float(nn.functional.cross_entropy(logits, wanted)))


def _predictions(
    model: GOMKCN, data: GraphCollection, rows: np.ndarray, batch_size: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Logits and the rows that they belong to, batch after batch."""
    if model.pooling is None:
        index = torch.from_numpy(np.asarray(rows)).to(data.feat.device)
        whole = data.whole()
        yield model(whole.subgraphs, whole.feat, rows=index), index
        return
    for begin in range(0, len(rows), batch_size):
        chosen = np.asarray(rows[begin : begin + batch_size])
        batch = data.batch(chosen)
        yield model(*batch), torch.from_numpy(chosen).to(data.feat.device)


def _parameter_groups(model: GOMKCN, settings: TrainingSettings) -> list[dict[str, object]]:
    """Everything but the filters is decayed."""
    filters = [parameter for conv in model.convs for parameter in conv.parameters()]
    of_filters = {id(parameter) for parameter in filters}
    others = [parameter for parameter in model.parameters() if id(parameter) not in of_filters]
    return [
        {"params": others, "weight_decay": settings.weight_decay},
        {"params": filters, "weight_decay": 0.0},
    ]
