"""Which method learns better from these graphs: compared by cross-validation, test part unseen."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

from gomkcn_dgl._torch import torch
from gomkcn_dgl.bounds import SEEDS_OF_SKLEARN
from gomkcn_dgl.runtime.job import Interrupts, TimeUpError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.classifiers import TrainedMachine, TrainedNetwork
from gomkcn_dgl.training.labelled_data import LabelledData, Split

log = logging.getLogger("gomkcn_dgl")

KINDS: dict[str, type[TrainedMachine] | type[TrainedNetwork]] = {
    "kernel": TrainedMachine,
    "network": TrainedNetwork,
}


@dataclass(frozen=True)
class ComparisonLimits:
    """What bounds the work of a comparison of both methods, whatever the clock says.

    ``num_folds``: each method is trained so many times more; three leave two thirds to learn from.
    ``most_nodes``: of larger data a sample of graphs with about so many nodes is compared, with
    which 200 epochs in each fold take about three minutes of a core. ``most_graphs``: of more
    graphs a kernel machine would have a matrix of over 200 MB, and choose among its settings in
    hours, so that a network is trained without a comparison.
    """

    num_folds: int = 3
    most_nodes: int = 10_000
    most_graphs: int = 5_000


@dataclass(frozen=True)
class MethodChoice:
    """The method that is taken, why, and the accuracies of both methods in each fold.

    ``num_graphs`` of the ``num_known`` graphs of the training and validation part were compared, 0
    where nothing was.
    """

    method: str
    reason: str
    num_known: int
    num_graphs: int = 0
    accuracy: dict[str, list[float]] | None = None

    def __str__(self) -> str:
        if self.accuracy is None:
            return f"method: {self.method}; {self.reason}"
        other = "network" if self.method == "kernel" else "kernel"
        taken, left = (
            f"{name} {100 * np.mean(scores):.1f} ± {100 * np.std(scores, ddof=1):.1f}%"
            for name, scores in ((name, self.accuracy[name]) for name in (self.method, other))
        )
        of_all = "" if self.num_graphs == self.num_known else f" of the {self.num_known:,}"
        folds = len(self.accuracy[self.method])
        return (
            f"method: {taken}, against {left}, in {folds} folds of {self.num_graphs:,}{of_all} "
            "graphs without the test part"
        )


def choose_method(
    settings: ClassifierSettings,
    data: LabelledData,
    split: Split,
    steps: Steps,
    device: torch.device,
    limits: ComparisonLimits | None = None,
) -> MethodChoice:
    """The method that is right more often in a cross-validation without the test part.

    In each fold both are trained as they would be in the end: the kernel machine chooses its
    settings inside the fold, and the network its epoch by a validation part of it. Of equal ones
    the kernel machine is taken, which takes less time. ``steps`` keeps the accuracy of each fold;
    half of a time limit is for the comparison, and when that is over the kernel machine is taken.
    """
    limits = ComparisonLimits() if limits is None else limits
    known = np.sort(np.concatenate([split.train, split.val]))
    size = len(known)
    if size > limits.most_graphs:
        reason = f"for more than {limits.most_graphs:,} graphs both methods are not compared"
        return MethodChoice("network", reason, size)
    rows = _sample(data, known, limits.most_nodes, settings.seed)
    least = int(np.bincount(data.labels[rows], minlength=data.num_classes).min())
    # in each fold the machine needs a graph of each class in each fold of its own
    if (least - -(-least // limits.num_folds)) < settings.machine.num_folds:
        reason = f"both methods are not compared where a class has {least} graphs"
        return MethodChoice("network", reason, size)
    seed = settings.seed % SEEDS_OF_SKLEARN
    folds = StratifiedKFold(limits.num_folds, shuffle=True, random_state=seed)
    pairs = list(folds.split(rows, data.labels[rows]))
    splits = [_inner_split(settings, data, rows[train], rows[test]) for train, test in pairs]
    resolved = {
        method: kind.resolve(settings.override({"method": method}), data, split)
        for method, kind in KINDS.items()
    }
    left = steps.seconds_left
    # time that is over ends the comparison before its first fold
    interrupts = Interrupts(max(left / 2, 1e-3) if left < np.inf else None)
    judge = partial(judge_method, resolved, data, splits, interrupts, device)
    items = [(method, fold) for method in KINDS for fold in range(limits.num_folds)]
    scores = steps.each(
        "comparison of both methods",
        float,
        judge,
        items,
        lambda item: f"{item[0]}-{item[1]}",
        in_time=True,
    )
    if len(scores) < len(items):
        reason = "the time limit came before both methods were compared"
        return MethodChoice("kernel", reason, size)
    by_method = dict(zip(KINDS, np.array(scores).reshape(len(KINDS), -1).tolist(), strict=True))
    means = {method: float(np.mean(found)) for method, found in by_method.items()}
    # of equal ones max takes the first
    best = max(means, key=lambda method: round(means[method], 9))
    is_tie = len({round(mean, 9) for mean in means.values()}) == 1
    reason = "right more often in cross-validation without the test part"
    if is_tie:
        reason = "both are right as often in cross-validation, and the kernel machine is faster"
    return MethodChoice(best, reason, size, len(rows), by_method)


def _sample(data: LabelledData, known: np.ndarray, most_nodes: int, seed: int) -> np.ndarray:
    """All known graphs, or so many, of each class alike, as have about that number of nodes."""
    num_nodes = int(np.diff(data.graph.graph_ptr)[known].sum())
    if num_nodes <= most_nodes:
        return known
    number = max(data.num_classes, round(len(known) * most_nodes / num_nodes))
    labels = data.labels[known]
    if number > len(known) - data.num_classes or np.bincount(labels).min() < 2:
        return known
    rows, _ = train_test_split(
        known, train_size=number, stratify=labels, random_state=seed % SEEDS_OF_SKLEARN
    )
    return np.sort(rows)


def _inner_split(
    settings: ClassifierSettings, data: LabelledData, rows: np.ndarray, held_out: np.ndarray
) -> Split:
    """The parts of a fold: the held-out graphs are its test part."""
    train, validation, _ = settings.data.split
    size = max(data.num_classes, round(len(rows) * validation / (train + validation)))
    learnt, val = train_test_split(
        rows,
        test_size=size,
        stratify=data.labels[rows],
        random_state=settings.seed % SEEDS_OF_SKLEARN,
    )
    return Split(np.sort(learnt), np.sort(val), held_out)


def judge_method(
    settings: dict[str, ClassifierSettings],
    data: LabelledData,
    splits: list[Split],
    interrupts: Interrupts,
    device: torch.device,
    item: tuple[str, int],
) -> float:
    """The share of the held-out graphs of a fold that a method classifies rightly."""
    method, fold = item
    steps = Steps(interrupts=interrupts)
    steps.check_time()
    _, record = KINDS[method].fit(settings[method], data, splits[fold], steps, device)
    if record["partial"]:
        raise TimeUpError
    accuracy = float(record["accuracy"]["test"])
    log.info("fold %d of %d: %s %.1f%%", fold + 1, len(splits), method, 100 * accuracy)
    return accuracy
