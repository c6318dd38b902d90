"""The training loop of classifiers of nodes or graphs: Adam, early stopping, checkpoints."""

from __future__ import annotations

import contextlib
import copy
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl._torch import Tensor, torch, usual_torch
from gomkcn_dgl.class_weights import weights_of_classes
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.model import GOMKCN, GraphCollection
from gomkcn_dgl.runtime.files import read_file
from gomkcn_dgl.runtime.job import TIME_LIMIT, RunInterruptedError
from gomkcn_dgl.runtime.processes import (
    all_reduce_sum,
    broadcast_object,
    is_first,
    rank,
    world_size,
)
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.training.checkpoint import read_state, state_bytes
from gomkcn_dgl.training.classifier_settings import TrainingSettings

# the file in which the state of a training is kept
_STATE = "training.pt"


class Evaluation(NamedTuple):
    """Accuracy and mean cross-entropy of a model on some graphs or nodes."""

    accuracy: float
    loss: float


@dataclass
class History:
    """Losses of a training.

    ``train_loss`` is the mean loss of each epoch, ``validation`` the evaluation after it.
    ``partial``: a time limit ended the training before its last epoch. ``seconds_before`` is how
    long it took before it was resumed.
    """

    train_loss: list[float] = field(default_factory=list)
    validation: list[Evaluation] = field(default_factory=list)
    partial: bool = False
    seconds_before: float = field(default=0.0, compare=False)

    def __str__(self) -> str:
        return (
            f"loss {self.train_loss[-1]:.4f}, validation {self.validation[-1].accuracy:.1%}, "
            f"best {self.best.accuracy:.1%} in epoch {self.best_epoch}"
        )

    @property
    def epochs(self) -> int:
        """Epochs so far."""
        return len(self.validation)

    @property
    def best(self) -> Evaluation:
        """Validation at the best epoch."""
        return self.validation[self.best_epoch - 1]

    @property
    def best_epoch(self) -> int:
        """The first epoch of highest accuracy, then lowest loss, from 1; 0 before the first."""
        # of equal keys max takes the first
        ranking = [(accuracy, -loss) for accuracy, loss in self.validation]
        return 1 + ranking.index(max(ranking)) if ranking else 0


class _TrainingState:
    """Everything that the next epoch depends on, and the model of the best epoch."""

    def __init__(
        self, model: GOMKCN, optimizer: torch.optim.Optimizer, generator: np.random.Generator
    ) -> None:
        self.model = model
        self.optimizer = optimizer
        self.generator = generator
        self.history = History()
        self._start = time.monotonic()
        self.device = next(model.parameters()).device
        self._best_model = copy.deepcopy(model.state_dict())

    def add(self, loss: float, validation: Evaluation) -> None:
        """Append an epoch, and keep the model if it is the best so far."""
        self.history.train_loss.append(loss)
        self.history.validation.append(validation)
        if self.history.best_epoch == self.history.epochs:
            self._best_model = copy.deepcopy(self.model.state_dict())

    def restore_best(self) -> None:
        """Set the model back to its best epoch, that of the first process on all processes."""
        self.model.load_state_dict(broadcast_object(self._best_model))

    def keep(self, steps: Steps) -> None:
        """Write the state, as tensors and plain values; the first process does."""
        if steps.folder is None or not is_first():
            return
        generators = {"numpy": self.generator.bit_generator.state, "cpu": torch.get_rng_state()}
        if self.device.type == "cuda":
            generators["cuda"] = torch.cuda.get_rng_state(self.device)
        plain = {
            "model": self.model.state_dict(),
            "best_model": self._best_model,
            "optimizer": self.optimizer.state_dict(),
            "generators": generators,
            "train_loss": self.history.train_loss,
            "validation": [tuple(epoch) for epoch in self.history.validation],
            "seconds": self.history.seconds_before + time.monotonic() - self._start,
        }
        steps.write(_STATE, state_bytes(plain))

    def resume(self, steps: Steps) -> bool:
        """Go back to what was kept, bit for bit; return whether there is anything."""
        path = Path() if steps.folder is None else steps.folder / _STATE
        data = None
        # the other processes may stand on other machines
        if is_first() and path.is_file():
            data = read_file(path)
        data = broadcast_object(data)
        if data is not None:
            anew = ("start anew with ", Argument("force", True))
            read_state(path, self._restore, anew, data)
        return data is not None

    def _restore(self, plain: dict[str, Any]) -> None:
        self.model.load_state_dict(plain["model"])
        self._best_model = plain["best_model"]
        self.optimizer.load_state_dict(plain["optimizer"])
        generators = plain["generators"]
        self.generator.bit_generator.state = generators["numpy"]
        torch.set_rng_state(generators["cpu"])
        # what was begun on one device may go on on another
        if "cuda" in generators and self.device.type == "cuda":
            torch.cuda.set_rng_state(generators["cuda"], self.device)
        validation = [Evaluation(*epoch) for epoch in plain["validation"]]
        self.history = History(
            plain["train_loss"], validation, seconds_before=float(plain["seconds"])
        )


@usual_torch()
def train_classifier(
    model: GOMKCN,
    data: GraphCollection,
    labels: Tensor,
    train: np.ndarray,
    validation: np.ndarray,
    settings: TrainingSettings | None = None,
    *,
    steps: Steps | None = None,
) -> History:
    """Train with Adam and cross-entropy, and set the model back to its best epoch.

    Several processes started by torchrun train with ``DistributedDataParallel``: each takes an
    equal share of every batch (a few graphs are drawn twice where the shares would differ), and
    the gradients are averaged. Batch norm and dropout are those of each share, so the losses are
    close to those of one process but not equal.

    Parameters
    ----------
    model : GOMKCN
        Classifies graphs if it pools, else nodes.
    data : GraphCollection
        Graphs with their subgraphs, on the model's device.
    labels : Tensor
        int64, a class for each graph or node; they are brought to that device.
    train, validation : numpy.ndarray
        Numbers of the graphs or nodes to learn from and to choose the best epoch by.
    settings : TrainingSettings, optional
        Epochs, patience, rates, batch size, seed.
    steps : Steps, optional
        Where the state is kept, twice a minute, and gone on from, to the same bits as without the
        interruption; what tells after each epoch whether to stop (a time limit ends training with
        the epochs so far); and the bar that shows epochs.

    Returns
    -------
    History
        Losses and validation of each epoch.

    Raises
    ------
    InputError
        For a part without members, data on another device than the model, a loss that is not
        finite, or a checkpoint that does not belong to this run.
    RunInterruptedError
        If a signal ended training, after a last checkpoint.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import SubgraphSettings, as_csr
    >>> graphs = [nx.cycle_graph(5), nx.star_graph(4)] * 8
    >>> data = GraphCollection(as_csr(graphs), SubgraphSettings(num_hops=1, max_nodes=4))
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
            raise InputError(name, "must have at least one member", got="none")
    device = next(model.parameters()).device
    if device != data.feat.device:
        raise InputError(
            "data",
            f"must be on the device of the model, {device}",
            got=data.feat.device,
            way_out="make them by GraphCollection(graph, settings, device), or move the model",
        )
    labels = labels.to(device)
    weights = _weights_of(labels, train, settings)
    optimizer = torch.optim.Adam(_parameter_groups(model, settings), lr=settings.learning_rate)
    state = _TrainingState(model, optimizer, np.random.default_rng(settings.seed))
    steps = Steps() if steps is None else steps
    stop = ""
    # the caller's random numbers go on as if nothing had been drawn here
    gpus = [state.device] if state.device.type == "cuda" else []
    with torch.random.fork_rng(devices=gpus), steps.interrupts or contextlib.nullcontext():
        torch.manual_seed(settings.seed)
        if not state.resume(steps):
            state.keep(steps)
        kept = time.monotonic()
        steps.progress.begin("training", settings.num_epochs - state.history.epochs)
        parallel = torch.nn.parallel.DistributedDataParallel(model) if world_size() > 1 else model
        while not stop and not _is_finished(state.history, settings):
            loss = _train_epoch(parallel, state, data, labels, train, settings.batch_size, weights)
            measured = Evaluation(0.0, 0.0)
            if is_first():
                measured = evaluate_classifier(
                    model, data, labels, validation, settings.batch_size, weights
                )
            measured = broadcast_object(measured)
            _check_loss(loss, measured.loss, settings, state.history)
            state.add(loss, measured)
            steps.progress.move(1, str(state.history))
            stop = "" if steps.interrupts is None else steps.interrupts.agree()
            if stop or time.monotonic() - kept >= steps.seconds_apart:
                state.keep(steps)
                kept = time.monotonic()
    state.restore_best()
    state.history.partial = not _is_finished(state.history, settings)
    if state.history.partial and stop != TIME_LIMIT:
        raise RunInterruptedError(
            stop, f"after epoch {state.history.epochs}", steps.resuming_command
        )
    return state.history


def _check_loss(
    loss: float, of_validation: float, settings: TrainingSettings, history: History
) -> None:
    """Refuse to go on with a loss that is not finite."""
    if not math.isfinite(loss + of_validation):
        raise InputError(
            "learning_rate",
            "must be so small that the loss stays finite",
            got=(
                f"{settings.learning_rate:g} and the loss {loss:g}, {of_validation:g} of "
                f"validation, in epoch {history.epochs + 1}"
            ),
        )


def _is_finished(history: History, settings: TrainingSettings) -> bool:
    waited = history.epochs - history.best_epoch
    patience = settings.patience
    return history.epochs >= settings.num_epochs or (patience is not None and waited >= patience)


def _train_epoch(
    network: torch.nn.Module,
    state: _TrainingState,
    data: GraphCollection,
    labels: Tensor,
    train: np.ndarray,
    batch_size: int,
    weights: Tensor | None,
) -> float:
    """Train for one epoch; return the mean loss over the training part."""
    network.train()
    pools = state.model.pooling is not None
    order = state.generator.permutation(train) if pools else np.asarray(train)
    # every process takes equally many rows, or DistributedDataParallel would wait for ever
    share = np.resize(order, math.ceil(len(order) / world_size()) * world_size())
    share = share[rank() :: world_size()]
    batches = _batches(share, max(1, batch_size // world_size()) if pools else len(share))
    # of a single node batch norm has no deviation
    if len(batches) > 1 and len(batches[-1]) == 1:
        batches[-2:] = [np.concatenate(batches[-2:])]
    sizes = np.diff(data.graph.graph_ptr)
    for batch in batches if pools else ():
        if sizes[batch].sum() < 2:
            raise InputError(
                "batch_size",
                "must give batches of two nodes at least, and one has a graph of one node alone",
                got=batch_size,
                way_out="take a larger one",
            )
    # the device is asked for the loss once an epoch, since each question waits for all its work
    total = torch.zeros(2, dtype=torch.float64, device=labels.device)
    rows_of_batch = _on_device(np.concatenate(batches), labels).split([len(b) for b in batches])
    for batch, rows in zip(batches, rows_of_batch, strict=True):
        logits = _predict(network, data, batch, pools)
        if weights is None:
            loss = torch.nn.functional.cross_entropy(logits, labels[rows], reduction="sum")
        else:
            losses = torch.nn.functional.cross_entropy(logits, labels[rows], reduction="none")
            loss = losses @ weights[rows]
        state.optimizer.zero_grad()
        (loss / len(batch)).backward()
        state.optimizer.step()
        total[0] += loss.detach()
        total[1] += len(batch)
    loss_sum, count = all_reduce_sum(total).tolist()
    return loss_sum / count


@torch.no_grad()
def predict_logits(
    model: GOMKCN, data: GraphCollection, rows: np.ndarray, batch_size: int = 128
) -> Tensor:
    """Return the logits ``[len(rows), C]`` of some graphs or nodes, with the model in evaluation.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import SubgraphSettings, as_csr
    >>> settings = SubgraphSettings(num_hops=1, max_nodes=4)
    >>> data = GraphCollection(as_csr([nx.cycle_graph(5)] * 3), settings)
    >>> model = GOMKCN(1, 2, filter_size=4, num_filters=2, pooling="mean")
    >>> predict_logits(model, data, np.arange(2)).shape
    torch.Size([2, 2])
    """
    model.eval()
    pools = model.pooling is not None
    batches = _batches(np.asarray(rows), batch_size if pools else len(rows))
    return torch.cat([_predict(model, data, batch, pools) for batch in batches])


def evaluate_classifier(
    model: GOMKCN,
    data: GraphCollection,
    labels: Tensor,
    rows: np.ndarray,
    batch_size: int = 128,
    weights: Tensor | None = None,
) -> Evaluation:
    """Return accuracy and mean cross-entropy on some graphs or nodes, given by their numbers.

    ``weights`` is what each graph or node of the data weighs in these, as ``labels`` is its class.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import SubgraphSettings, as_csr
    >>> settings = SubgraphSettings(num_hops=1, max_nodes=4)
    >>> data = GraphCollection(as_csr([nx.cycle_graph(5)] * 3), settings)
    >>> model = GOMKCN(1, 2, filter_size=4, num_filters=2, pooling="mean")
    >>> evaluate_classifier(model, data, torch.tensor([0, 1, 0]), np.arange(3)).accuracy in (
    ...     1 / 3, 2 / 3)
    True
    """
    logits = predict_logits(model, data, rows, batch_size)
    labels = labels.to(logits.device)
    classes = labels[_on_device(np.asarray(rows), labels)]
    is_right = (logits.argmax(dim=1) == classes).double()
    if weights is None:
        accuracy = is_right.mean()
        loss = torch.nn.functional.cross_entropy(logits, classes).double()
    else:
        shares = weights[_on_device(np.asarray(rows), weights)].double()
        shares = shares / shares.sum()
        accuracy = is_right @ shares
        losses = torch.nn.functional.cross_entropy(logits, classes, reduction="none")
        loss = losses.double() @ shares
    # both at once, for one question to the device
    return Evaluation(*torch.stack([accuracy, loss]).tolist())


def _weights_of(labels: Tensor, train: np.ndarray, settings: TrainingSettings) -> Tensor | None:
    """What each graph or node weighs, 1 on average in the training part; None where all have 1."""
    if settings.class_weight is None:
        return None
    classes = labels.cpu().numpy()
    counts = np.bincount(classes[train], minlength=classes.max() + 1)
    of_class = weights_of_classes(settings.class_weight, range(len(counts)), counts)
    # the learning rate does not depend on how large weights are
    of_class *= counts.sum() / (counts @ of_class)
    return torch.from_numpy(of_class[classes]).float().to(labels.device)


def _on_device(rows: np.ndarray, beside: Tensor) -> Tensor:
    """Numbers where another tensor is, for which the computation there is not waited for."""
    return torch.from_numpy(rows).to(beside.device, non_blocking=True)


def _batches(rows: np.ndarray, size: int) -> list[np.ndarray]:
    """Up to ``size`` rows at a time."""
    return [rows[begin : begin + size] for begin in range(0, len(rows), size)]


def _predict(
    network: torch.nn.Module, data: GraphCollection, rows: np.ndarray, pools: bool
) -> Tensor:
    """Logits of some graphs, or of nodes where the network does not pool."""
    if pools:
        return network(data.batch(rows))
    return network(data.whole(), rows=_on_device(rows, data.feat))


def _parameter_groups(model: GOMKCN, settings: TrainingSettings) -> list[dict[str, object]]:
    """Decay everything but the filters."""
    filters = [parameter for conv in model.convs for parameter in conv.parameters()]
    ids = {id(parameter) for parameter in filters}
    others = [parameter for parameter in model.parameters() if id(parameter) not in ids]
    return [
        {"params": others, "weight_decay": settings.weight_decay},
        {"params": filters, "weight_decay": 0.0},
    ]
