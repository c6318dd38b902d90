"""Filters that start as real subgraphs: those that tell the classes apart."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.layer import GraphKernelConv
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.subgraph_tensors import SubgraphTensors
from gomkcn_dgl.training.collection import GraphBatch, GraphCollection

# how alike a subgraph and a chosen one may be, as a share of a perfect score
_TOO_ALIKE = 0.999


@torch.no_grad()
def initialize_from_classes(
    model: GOMKCN,
    data: GraphCollection,
    labels: Tensor,
    train: np.ndarray,
    *,
    num_samples: int = 40,
    num_candidates: int = 200,
    seed: int = 0,
) -> None:
    """Set the filters of every convolution to subgraphs that are typical of one class.

    Candidates are subgraphs of a sample of the training part. Each is scored against that sample; a
    graph's score is that of its best subgraph. A candidate of class c is worth the mean score in
    class c less the mean score in the best other class. Filters take the most worthy candidates,
    class after class in turn, leaving out those that are like a chosen one. A random start reaches
    the same accuracy with filters that mean nothing.

    Parameters
    ----------
    model : GOMKCN
        Not trained yet.
    data, labels, train
        As in :func:`gomkcn_dgl.train_classifier`.
    num_samples : int
        Graphs (or nodes) of each class in the sample.
    num_candidates : int
        Subgraphs that may become filters, of all classes together.
    seed : int
        Of the sample, the candidates and what is dropped.
    """
    check_int("num_samples", num_samples, 1)
    check_int("num_candidates", num_candidates, 1)
    rng = np.random.default_rng(seed)
    classes = labels.cpu().numpy()
    sample = _sample_of_each_class(classes, np.asarray(train), num_samples, rng)
    if model.pooling is None:
        batch, roots = data.whole(), sample
        group, class_of_group = np.arange(len(sample)), classes[sample]
    else:
        batch = data.batch(sample)
        roots = np.arange(len(batch.subgraphs.num_nodes) // batch.subgraphs.num_views)
        group = np.repeat(np.arange(len(sample)), batch.graph_sizes.cpu().numpy())
        class_of_group = classes[sample]
    candidates = rng.permutation(len(roots))[:num_candidates]
    model.train()
    # the input layer may drop features
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for level, conv in enumerate(model.convs):
            assert isinstance(conv, GraphKernelConv)
            hidden = _input_of(model, batch, level)
            rows = _first_views(batch.subgraphs, torch.from_numpy(roots))
            adj, feat = _as_filters(rows, hidden, candidates, conv.filter_size)
            scores = conv.kernel.score(rows, hidden, adj, feat, conv.backend, conv.pair_weight)
            scores = conv.kernel.normalize(scores, rows, hidden, adj, feat)
            worth = _worth(scores, group, class_of_group)
            alike = scores[torch.from_numpy(candidates)]
            owner = class_of_group[group[candidates]]
            chosen = _choose(worth, alike, owner, conv.num_filters)
            conv.filters.set(slice(None), adj[chosen], feat[chosen])


def _sample_of_each_class(
    classes: np.ndarray, train: np.ndarray, num_samples: int, rng: np.random.Generator
) -> np.ndarray:
    parts = []
    for label in np.unique(classes[train]):
        members = train[classes[train] == label]
        parts.append(rng.permutation(members)[:num_samples])
    return np.concatenate(parts)


def _input_of(model: GOMKCN, batch: GraphBatch, level: int) -> Tensor:
    """What a convolution sees, ``[V, W]``."""
    levels = model.levels(batch.subgraphs, batch.feat)
    return levels[0] if level == 0 else model.activate(levels[level])


def _first_views(subgraphs: SubgraphTensors, roots: Tensor) -> SubgraphTensors:
    """One subgraph for each root."""
    first = roots.to(subgraphs.nodes.device) * subgraphs.num_views
    return subgraphs._replace(num_views=1).select(first)


def _as_filters(
    rows: SubgraphTensors, hidden: Tensor, candidates: np.ndarray, filter_size: int
) -> tuple[Tensor, Tensor]:
    """Adjacency ``[K, M, M]`` and features ``[K, M, W]``: cut, or filled up with zeros, to M."""
    chosen = _first_views(rows, torch.from_numpy(candidates))
    adj, feat = chosen.adjacency(hidden.dtype), chosen.gather(hidden)
    missing = max(0, filter_size - adj.shape[1])
    adj = torch.nn.functional.pad(adj, (0, missing, 0, missing))[:, :filter_size, :filter_size]
    feat = torch.nn.functional.pad(feat, (0, 0, 0, missing))[:, :filter_size]
    return adj.clamp(max=1), feat


def _worth(scores: Tensor, group: np.ndarray, class_of_group: np.ndarray) -> Tensor:
    """Mean best score in each class less that in the best other class: ``[C, K]``."""
    num_groups, owner = len(class_of_group), torch.from_numpy(group).to(scores.device)
    index = owner.unsqueeze(1).expand_as(scores)
    best = scores.new_zeros(num_groups, scores.shape[1])
    best = best.scatter_reduce(0, index, scores, "amax", include_self=False)  # [G, K]
    labels = torch.from_numpy(class_of_group).to(scores.device)
    means = torch.stack([best[labels == label].mean(dim=0) for label in labels.unique()])
    others = means.repeat(len(means), 1, 1)
    others[torch.arange(len(means)), torch.arange(len(means))] = -torch.inf
    return means - others.amax(dim=1) if len(means) > 1 else means


def _choose(worth: Tensor, alike: Tensor, owner: np.ndarray, num_filters: int) -> list[int]:
    """Candidates, class after class in turn; `owner` is the class that each comes from."""
    labels = np.unique(owner)
    order = {
        place: [k for k in worth[place].argsort(descending=True).tolist() if owner[k] == label]
        for place, label in enumerate(labels)
    }
    chosen: list[int] = []
    largest = float(alike.max())
    for turn in range(num_filters):
        left = [k for k in order[turn % len(labels)] if k not in chosen] or list(range(len(owner)))
        fresh = [k for k in left if all(alike[k, j] < _TOO_ALIKE * largest for j in chosen)]
        chosen.append((fresh or left)[0])
    return chosen
