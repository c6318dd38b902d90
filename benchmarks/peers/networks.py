"""What the PyG peers share: the two forms of a graph's edges, and the training loop."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable

import numpy as np
import torch
from paper.data import NodeData, Split
from paper.protocol import BestEpoch, Params, TrialOutcome, timed
from torch import Tensor, nn

PYG = "torch_geometric"


def edge_list(
    indptr: np.ndarray, indices: np.ndarray, channels: np.ndarray | None = None
) -> Tensor:
    """Edges as int64 ``[2, E]``, all alike."""
    source = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return torch.from_numpy(np.stack([source, indices.astype(np.int64)]))


def typed_edge_list(
    indptr: np.ndarray, indices: np.ndarray, channels: np.ndarray | None = None
) -> Tensor:
    """Edges as int64 ``[3, E]``: where they lead from and to, and their channel.

    ``channels`` are bool ``[E, C]``; a direction and its opposite are two channels.
    """
    source, target = edge_list(indptr, indices).numpy()
    channels = np.ones((len(target), 1), bool) if channels is None else channels
    entry, channel = np.nonzero(channels)
    return torch.from_numpy(np.stack([source[entry], target[entry], channel]))


def sparse_rows(
    indptr: np.ndarray, indices: np.ndarray, channels: np.ndarray | None = None
) -> Tensor:
    """The adjacency ``[V, V]`` as compressed sparse rows, all edges alike.

    With it PyG multiplies instead of gathering a row for each edge: forward and backward of a GCN
    layer on Squirrel take 25 ms instead of 250.
    """
    rows, columns = (torch.from_numpy(part.astype(np.int64)) for part in (indptr, indices))
    with warnings.catch_warnings():
        # torch calls its sparse rows a beta
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(
            rows, columns, torch.ones(len(indices)), (len(rows) - 1,) * 2
        )


def outgoing_rows(indptr: np.ndarray, indices: np.ndarray, channels: np.ndarray) -> Tensor:
    """The adjacency ``[V, V]`` of a graph with directions: where a row's edges lead to."""
    leaves = channels[:, 0]
    ends = np.concatenate([[0], np.cumsum(leaves)])
    return sparse_rows(ends[indptr], indices[leaves])


def fit_network(
    network: nn.Module,
    predict: Callable[[np.ndarray], Tensor],
    batches: Callable[[], Iterable[np.ndarray]],
    data: NodeData,
    split: Split,
    params: Params,
    patience: int,
) -> TrialOutcome:
    """Train until validation has not improved for ``patience`` epochs, and test the best epoch.

    ``predict`` returns the logits ``[rows, C]`` of some nodes or graphs by the network, and
    ``batches`` the rows of each step of an epoch.
    """
    labels = torch.from_numpy(data.labels)
    optimizer = torch.optim.Adam(
        network.parameters(), lr=params["lr"], weight_decay=params.get("weight_decay", 0.0)
    )

    def evaluate(rows: np.ndarray) -> tuple[float, float]:
        """Accuracy and mean cross-entropy."""
        network.eval()
        with torch.no_grad():
            logits = predict(rows)
        accuracy = (logits.argmax(dim=1) == labels[rows]).double().mean()
        return float(accuracy), float(nn.functional.cross_entropy(logits, labels[rows]))

    best, best_state, epoch = BestEpoch(), {}, 0
    for epoch in range(1, params["epochs"] + 1):
        network.train()
        for rows in batches():
            loss = nn.functional.cross_entropy(predict(rows), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if best.improves(*evaluate(split.val), epoch):
            best_state = copy.deepcopy(network.state_dict())
        elif epoch - best.epoch >= patience:
            break
    network.load_state_dict(best_state)
    (test, _), seconds = timed(lambda: evaluate(split.test))
    return TrialOutcome(best.val, best.val_loss, test, best.epoch, epoch, predict_seconds=seconds)
