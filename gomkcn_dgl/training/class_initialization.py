"""Class-discriminative initialization: filters start as subgraphs that tell the classes apart."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl._torch import Tensor, torch
from gomkcn_dgl.checks import RandomState, as_seed, check_int
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.model import GOMKCN, GraphCollection

# two subgraphs count as the same filter from this share of the largest score on
_SAME_SCORE = 0.999


@torch.no_grad()
def initialize_from_classes(
    model: GOMKCN,
    data: GraphCollection,
    labels: Tensor,
    train: np.ndarray,
    *,
    num_samples: int = 40,
    num_candidates: int = 200,
    seed: RandomState = 0,
) -> None:
    """Set the filters of every convolution to subgraphs that are typical of one class.

    Candidates are subgraphs of a sample of the training part. Each is scored against that sample; a
    graph's score is that of its best subgraph. The contrast of a candidate from class c is its mean
    score in class c minus the mean score in the best other class. Filters take the candidates of
    highest contrast, class after class in turn, without duplicates. A random initialization reaches
    the same accuracy with filters that have no meaning.

    Parameters
    ----------
    model : GOMKCN
        Not trained yet.
    data, labels, train
        As in :func:`gomkcn.train_classifier`.
    num_samples : int
        Graphs (or nodes) of each class in the sample.
    num_candidates : int
        Subgraphs that may become filters, of all classes together; at least one of each.
    seed : int
        Seed of the sample, the candidates and dropout.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import SubgraphSettings, as_csr
    >>> graphs = as_csr([nx.cycle_graph(3), nx.path_graph(3)] * 2)
    >>> data = GraphCollection(graphs, SubgraphSettings(num_hops=1, max_nodes=3))
    >>> model = GOMKCN(1, 2, filter_size=3, num_filters=2, pooling="max")
    >>> initialize_from_classes(model, data, torch.tensor([0, 1] * 2), np.arange(4))
    >>> # a triangle for the first class, and the end of a path for the second
    >>> [int(filter.round().sum()) for filter in model.convs[0].filters.adj()]
    [6, 2]
    """
    check_int("num_samples", num_samples, 1)
    check_int("num_candidates", num_candidates, 1)
    seed = as_seed("seed", seed)
    rng = np.random.default_rng(seed)
    classes = labels.cpu().numpy()
    train = np.asarray(train)
    members = [train[classes[train] == label] for label in np.unique(classes[train])]
    sample = np.concatenate([rng.permutation(rows)[:num_samples] for rows in members])
    # roots of the subgraphs, and which graph of the sample (or node) each belongs to
    if model.pooling is None:
        batch = data.whole()
        roots = sample
        owner = np.arange(len(sample))
    else:
        batch = data.batch(sample)
        roots = np.arange(len(batch.subgraphs.num_nodes))
        owner = np.repeat(np.arange(len(sample)), batch.graph_sizes.cpu().numpy())
    order = rng.permutation(len(roots))
    class_of_root = classes[sample][owner]
    candidates = order[:num_candidates]
    missing = np.setdiff1d(class_of_root, class_of_root[candidates])
    further = [order[class_of_root[order] == label][:1] for label in missing]
    candidates = np.concatenate([candidates, *further])
    class_of_candidate = class_of_root[candidates]
    # graphs of a class may be without nodes
    known = np.unique(class_of_candidate)
    has_candidate = np.isin(np.unique(classes[sample]), known)
    model.train()
    # the input layer may drop features
    device = data.feat.device
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        for level, conv in enumerate(model.convs):
            assert isinstance(conv, GOMKConv)
            # layer by layer, because a layer sees the scores of the filters that were just set
            levels = model.levels(batch.subgraphs, batch.feat)
            hidden = levels[0] if level == 0 else model.activate(levels[level])  # [V, W]
            rows = batch.subgraphs.select(torch.from_numpy(roots).to(hidden.device))
            chosen_rows = rows.select(torch.from_numpy(candidates).to(hidden.device))
            adj, feat = _as_filters(chosen_rows, hidden, conv.filter_size)
            scores = conv.kernel.score(rows, hidden, adj, feat)  # [R, K]
            contrast = _contrast(scores, owner, classes[sample])[has_candidate].cpu()
            similarity = scores[torch.from_numpy(candidates).to(scores.device)].cpu()
            turns = known[np.arange(conv.out_feats) % len(known)]
            chosen = _choose_of_classes(contrast, similarity, class_of_candidate, turns)
            conv.filters.set(slice(None), adj[chosen], feat[chosen])


def _as_filters(
    candidates: SubgraphTensors, hidden: Tensor, filter_size: int
) -> tuple[Tensor, Tensor]:
    """Adjacency ``[K, M, M]`` or ``[K, M, M, C]`` and features, cut or padded to M nodes."""
    adj = candidates.adjacency(hidden.dtype)
    feat = candidates.gather(hidden)
    missing = max(0, filter_size - adj.shape[1])
    ends = (0, missing, 0, missing) if adj.dim() == 3 else (0, 0, 0, missing, 0, missing)
    adj = torch.nn.functional.pad(adj, ends)[:, :filter_size, :filter_size]
    feat = torch.nn.functional.pad(feat, (0, 0, 0, missing))[:, :filter_size]
    return adj.clamp(max=1), feat


def _contrast(scores: Tensor, owner: np.ndarray, classes: np.ndarray) -> Tensor:
    """Mean best score in each class minus that in the best other class: ``[R, K]`` → ``[C, K]``."""
    index = torch.from_numpy(owner).to(scores.device).unsqueeze(1).expand_as(scores)
    best = scores.new_zeros(len(classes), scores.shape[1])
    best = best.scatter_reduce(0, index, scores, "amax", include_self=False)  # [G, K]
    labels = torch.from_numpy(classes).to(scores.device)
    means = torch.stack([best[labels == label].mean(dim=0) for label in labels.unique()])
    others = means.repeat(len(means), 1, 1)
    others[torch.arange(len(means)), torch.arange(len(means))] = -torch.inf
    return means - others.amax(dim=1) if len(means) > 1 else means


def _choose_of_classes(
    contrast: Tensor, similarity: Tensor, class_of_candidate: np.ndarray, turns: np.ndarray
) -> list[int]:
    """Numbers of the candidates of highest contrast, one of each class in ``turns``."""
    # candidates of each class in descending order of contrast
    ranked = {
        label: [k for k in row.argsort(descending=True).tolist() if class_of_candidate[k] == label]
        for label, row in zip(np.unique(class_of_candidate), contrast, strict=True)
    }
    chosen: list[int] = []
    limit = _SAME_SCORE * float(similarity.max())
    for label in turns:
        unused = [k for k in ranked[label] if k not in chosen]
        remaining = unused or list(range(len(class_of_candidate)))
        distinct = [k for k in remaining if all(similarity[k, j] < limit for j in chosen)]
        chosen.append((distinct or remaining)[0])
    return chosen
