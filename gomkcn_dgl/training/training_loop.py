"""The one training loop: a classifier of nodes or graphs, its best epoch by validation."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.runtime.checkpoint import Checkpoint
from gomkcn_dgl.runtime.interrupts import TIME_LIMIT, Interrupts, RunInterruptedError
from gomkcn_dgl.runtime.processes import (
    all_reduce_sum,
    broadcast_object,
    is_first,
    share_of,
    world_size,
)
from gomkcn_dgl.training.collection import GraphCollection
from gomkcn_dgl.training.global_batch import GlobalBatchNorm, GlobalDropout
from gomkcn_dgl.training.training_state import Evaluation, History, TrainingState


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
        check_float("learning_rate", self.learning_rate, 0.0, 1e6, open_minimum=True)
        check_float("weight_decay", self.weight_decay, 0.0)


def train_classifier(
    model: GOMKCN,
    data: GraphCollection,
    labels: Tensor,
    train: np.ndarray,
    validation: np.ndarray,
    settings: TrainingSettings | None = None,
    on_epoch: Callable[[int, History], None] | None = None,
    *,
    checkpoint: Checkpoint | None = None,
    interrupts: Interrupts | None = None,
) -> History:
    """Train with Adam and cross-entropy, and set the model back to its best epoch.

    Every process of a run takes its slice of each batch, see :mod:`gomkcn_dgl.runtime.processes`;
    losses, batch norm and dropout are those of the whole batch, so that the result is that of one
    process.

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
    checkpoint : Checkpoint, optional
        Where to go on from, to the same bits as without the interruption, and what to write to.
    interrupts : Interrupts, optional
        Asked after each epoch whether to stop. A time limit ends training with the epochs so far.

    Returns
    -------
    History
        Losses and validation of each epoch.

    Raises
    ------
    InputError
        For a part without members, a loss that is not finite, or a checkpoint that does not
        belong to this run.
    RunInterruptedError
        If a signal ended training, after a last checkpoint.

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
    state = TrainingState(model, optimizer, np.random.default_rng(settings.seed))
    stop = ""
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=[]))
        stack.enter_context(interrupts or contextlib.nullcontext())
        torch.manual_seed(settings.seed)
        if checkpoint is not None:
            _start_from(checkpoint, state)
        parallel = stack.enter_context(_slicing(model))
        while not stop and not _is_finished(state.history, settings):
            loss = _train_epoch(parallel, state, data, labels, train, settings.batch_size)
            measured = None
            if is_first():
                measured = evaluate_classifier(model, data, labels, validation, settings.batch_size)
            measured = broadcast_object(measured)
            assert measured is not None
            if not math.isfinite(loss + measured.loss):
                raise InputError(
                    "learning_rate must be so small that the loss stays finite, got "
                    f"{settings.learning_rate:g} and the loss {loss:g}, {measured.loss:g} of "
                    f"validation, in epoch {state.history.epochs + 1}."
                )
            state.add(loss, measured)
            if on_epoch is not None:
                on_epoch(state.history.epochs, state.history)
            stop = "" if interrupts is None else interrupts.agree()
            if checkpoint is not None and (stop or checkpoint.is_due(state.history.epochs)):
                checkpoint.write(state.to_plain())
    state.set_back_to_best()
    state.history.partial = not _is_finished(state.history, settings)
    if state.history.partial and stop != TIME_LIMIT:
        raise RunInterruptedError(stop, f"after epoch {state.history.epochs}")
    return state.history


def _start_from(checkpoint: Checkpoint, state: TrainingState) -> None:
    """Go back to the checkpoint, or make the first one."""
    saved = checkpoint.read()
    if saved is None:
        checkpoint.write(state.to_plain())
        return
    with checkpoint.applying():
        state.set_to(saved)


def _is_finished(history: History, settings: TrainingSettings) -> bool:
    waited, patience = history.epochs - history.best_epoch, settings.patience
    return history.epochs >= settings.num_epochs or (patience is not None and waited >= patience)


@contextlib.contextmanager
def _slicing(model: GOMKCN) -> Iterator[nn.Module]:
    """Give the model as it takes this process's slice of each batch."""
    if world_size() == 1:
        yield model
        return
    # where nodes are classified, every process sees all of them up to the last convolution
    parts = model.modules() if model.pooling is not None else (model.norms[-1], model.dropout)
    sliced = [part for part in parts if isinstance(part, (GlobalBatchNorm, GlobalDropout))]
    for part in sliced:
        part.is_sliced = True
    try:
        parallel = nn.parallel.DistributedDataParallel(model)
        parallel.register_comm_hook(None, lambda _, bucket: _sum_gradients(bucket))
        yield parallel
    finally:
        for part in sliced:
            part.is_sliced = False


def _sum_gradients(bucket: Any) -> torch.futures.Future[Tensor]:
    """Sum, where DistributedDataParallel would average: each loss is a share of the batch's.

    In float64, so that the order of the sums is not seen: it changes where gradients are packed
    anew, as after a restart.
    """
    gradients: Tensor = bucket.buffer()
    gradients.copy_(all_reduce_sum(gradients.double()))
    devices: list[int | str | torch.device] = [gradients.device] if gradients.is_cuda else []
    future: torch.futures.Future[Tensor] = torch.futures.Future(devices=devices)
    future.set_result(gradients)
    return future


def _train_epoch(
    parallel: nn.Module,
    state: TrainingState,
    data: GraphCollection,
    labels: Tensor,
    train: np.ndarray,
    batch_size: int,
) -> float:
    """Mean loss over the training part."""
    model, optimizer = state.model, state.optimizer
    parallel.train()
    total = torch.zeros(1, dtype=torch.float64)
    order = state.generator.permutation(train) if model.pooling is not None else train
    for batch in _batches(model, order, batch_size):
        logits, rows = _predict(parallel, model, data, batch[share_of(len(batch))])
        loss = nn.functional.cross_entropy(logits, labels[rows], reduction="sum")
        optimizer.zero_grad()
        (loss / len(batch)).backward()
        optimizer.step()
        total += loss.item()
    return all_reduce_sum(total).item() / len(train)


@torch.no_grad()
def predict_logits(
    model: GOMKCN, data: GraphCollection, rows: np.ndarray, batch_size: int = 128
) -> Tensor:
    """Logits ``[len(rows), C]`` of some graphs, or nodes, with dropout and batch norm at rest."""
    model.eval()
    batches = _batches(model, rows, batch_size)
    return torch.cat([_predict(model, model, data, batch)[0] for batch in batches])


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


def _batches(model: GOMKCN, rows: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """So many graphs at a time; nodes all at once."""
    if model.pooling is None:
        yield np.asarray(rows)
        return
    for begin in range(0, len(rows), size):
        yield np.asarray(rows[begin : begin + size])


def _predict(
    parallel: nn.Module, model: GOMKCN, data: GraphCollection, rows: np.ndarray
) -> tuple[Tensor, Tensor]:
    """Logits of some graphs, or nodes, and these as a tensor."""
    index = torch.from_numpy(rows).to(data.feat.device)
    if model.pooling is None:
        whole = data.whole()
        return parallel(whole.subgraphs, whole.feat, rows=index), index
    return parallel(*data.batch(rows)), index


def _parameter_groups(model: GOMKCN, settings: TrainingSettings) -> list[dict[str, object]]:
    """Everything but the filters is decayed."""
    filters = [parameter for conv in model.convs for parameter in conv.parameters()]
    of_filters = {id(parameter) for parameter in filters}
    others = [parameter for parameter in model.parameters() if id(parameter) not in of_filters]
    return [
        {"params": others, "weight_decay": settings.weight_decay},
        {"params": filters, "weight_decay": 0.0},
    ]
