"""Which graphs, or nodes, an explanation shows, and how often predictions are right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.metrics import confusion_matrix

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.training.labelled_data import LabelledData

# drawings of more nodes are unreadable
MOST_DRAWN_NODES = 400


def choose_rows(
    rows: Sequence[int] | None, predicted: np.ndarray, data: LabelledData, test: np.ndarray
) -> list[int]:
    """The given rows; by default the first correctly classified test row of each class.

    ``predicted`` holds a class for each row of the test part at least.
    """
    if rows is None:
        return _default_rows(predicted, data, test)
    sizes = np.diff(data.graph.graph_ptr)
    for row in rows:
        if not 0 <= row < len(data.labels):
            raise InputError(
                f"a {data.task} must be one of 0 to {len(data.labels) - 1}, got {row}."
            )
        if data.task == "graph" and not sizes[row]:
            raise InputError(f"graph {row} has no nodes, and nothing to be drawn.")
        if data.task == "graph" and sizes[row] > MOST_DRAWN_NODES:
            raise InputError(
                f"graph {row} has {sizes[row]} nodes; at most {MOST_DRAWN_NODES} can be drawn."
            )
    return list(rows)


def _default_rows(predicted: np.ndarray, data: LabelledData, test: np.ndarray) -> list[int]:
    """First correctly classified test row of each class that can be drawn; any, if none is."""
    sizes = np.diff(data.graph.graph_ptr)
    small = np.ones(len(test), bool)
    if data.task == "graph":
        small = (sizes[test] > 0) & (sizes[test] <= MOST_DRAWN_NODES)
    right = test[small & (predicted[test] == data.labels[test])]
    first = [right[data.labels[right] == label][:1] for label in range(data.num_classes)]
    rows = np.concatenate(first)
    return (rows if len(rows) else test[small][:1]).tolist()


def confusion_of(
    predicted: np.ndarray, data: LabelledData, test: np.ndarray
) -> tuple[tuple[int, ...], ...]:
    """Rows of the test part by class and predicted class."""
    confusion = confusion_matrix(
        data.labels[test], predicted[test], labels=np.arange(data.num_classes)
    )
    return tuple(tuple(row) for row in confusion.tolist())
