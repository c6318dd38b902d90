"""What filters end with: features that are means over the copies of their structure.

Gradients lead the features of a filter towards those of all subgraphs that belong to it, also of
those that are another structure. Afterwards only the subgraphs count that the matching lays onto
the filter edge by edge: one step of Lloyd's k-means, in which the matching says which node of a
subgraph is which node of the filter.

Edges are left as they were trained. The matching pairs nodes by their level embeddings and not by
their edges, so that nodes which these cannot tell apart are matched in any order: on structure
alone the majority of matched edges keeps three of four planted motifs where all four are there.
"""

from __future__ import annotations

from gomkcn_dgl._torch import Tensor, torch

# means of fewer nodes are not drawn together, since their common mean is as uncertain as they are
_LEAST_SHRUNK = 4


def refine_features(
    adj: Tensor,
    feat: Tensor,
    subgraph_adj: Tensor,
    subgraph_feat: Tensor,
    num_nodes: Tensor,
    filter_of: Tensor,
    matching: Tensor,
) -> Tensor:
    """Make the features of F filters the means over the subgraphs that are as they are.

    Those are the members of a filter whose matching preserves every edge and non-edge. What differs
    between the means of the nodes of one filter by no more than chance is drawn to their common
    mean: a copy is seen from each of its nodes, so that n subgraphs are n / M' copies, and the mean
    over them still varies by the variance over the copies divided by their number. The differences
    keep the share that exceeds this, column by column.

    Parameters
    ----------
    adj : Tensor
        ``[F, M, M]`` or ``[F, M, M, C]`` of zeros and ones; a node without edges is padding.
    feat : Tensor
        ``[F, M, D]``.
    subgraph_adj, subgraph_feat, num_nodes : Tensor
        ``[U, N, N]`` or ``[U, N, N, C]``, ``[U, N, D]`` and ``[U]``, on the device of the filters;
        N = M.
    filter_of, matching : Tensor
        Integers ``[U]`` and ``[U, N]``: the filter that each subgraph belongs to, and the filter
        node that each of its nodes is matched to, -1 = unmatched.

    Returns
    -------
    Tensor
        ``[F, M, D]``. A filter that fewer than two subgraphs are as keeps its features, as padding
        does.

    References
    ----------
    S. P. Lloyd, Least squares quantization in PCM, 1982; for means that are drawn together:
    B. Efron and C. Morris, Data analysis using Stein's estimator, 1975.

    Examples
    --------
    Two edges with noisy features, and a filter that began as the first of them:

    >>> edge = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    >>> subgraphs = torch.tensor([[[0.0], [1.0]], [[0.8], [0.2]]])
    >>> matching = torch.tensor([[0, 1], [1, 0]])
    >>> sizes, owner = torch.tensor([2, 2]), torch.tensor([0, 0])
    >>> both = edge.expand(2, 2, 2)
    >>> refine_features(edge, subgraphs[:1], both, subgraphs, sizes, owner, matching)
    tensor([[[0.1000],
             [0.9000]]])
    """
    is_node = _joined(adj).any(dim=2)  # [F, M]
    filter_sizes = is_node.sum(dim=1)
    # 1. the subgraph in the order of the nodes of its filter
    places = _places(filter_of, matching, is_node)
    ordered = torch.take_along_dim(subgraph_feat, places.clamp(min=0).unsqueeze(2), dim=1).double()
    # 2. those that are the filter: with as many nodes, and its edges, which nodes that are not
    # matched, or to padding, lack
    is_exact = num_nodes == filter_sizes[filter_of]
    is_exact &= (_reordered(subgraph_adj, places) == adj[filter_of]).flatten(1).all(dim=1)
    # 3. mean and variance of each node over them, by products: sums without order differ on a GPU
    numbers = torch.arange(len(adj), device=adj.device)
    members = ((filter_of == numbers[:, None]) & is_exact).double()  # [F, U]
    count = members.sum(dim=1)
    shares = members / count.clamp(min=1)[:, None]
    mean = torch.einsum("fu,umd->fmd", shares, ordered)
    variance = torch.einsum("fu,umd->fmd", shares, (ordered - mean[filter_of]) ** 2)
    # 4. draw together what differs by chance
    mean = _drawn_together(mean, variance, count, is_node)
    is_refined = ((count >= 2)[:, None] & is_node).unsqueeze(2)
    return torch.where(is_refined, mean.to(feat.dtype), feat)


def _joined(adj: Tensor) -> Tensor:
    """Whether two nodes are joined in any channel, bool ``[F, M, M]``."""
    return adj > 0 if adj.dim() == 3 else (adj > 0).any(dim=3)


def _places(filter_of: Tensor, matching: Tensor, is_node: Tensor) -> Tensor:
    """Which node of a subgraph is each node of its filter, int64 ``[U, M]``; -1 = none."""
    num_filter_nodes = is_node.shape[1]
    row = torch.arange(matching.shape[1], device=matching.device).expand_as(matching)
    # unmatched nodes are written to a column beyond the last, which is cut off
    column = torch.where(matching >= 0, matching, num_filter_nodes).long()
    places = row.new_full((len(row), num_filter_nodes + 1), -1)
    places = places.scatter(1, column, row)[:, :num_filter_nodes]
    return torch.where(is_node[filter_of], places, -1)


def _reordered(adj: Tensor, places: Tensor) -> Tensor:
    """Each matrix with rows and columns in another order; zero where there is no node."""
    there = places >= 0
    rows = torch.arange(len(adj), device=adj.device)[:, None, None]
    order = places.clamp(min=0)
    chosen = adj[rows, order.unsqueeze(2), order.unsqueeze(1)]
    both = there.unsqueeze(2) & there.unsqueeze(1)
    return chosen * (both if adj.dim() == 3 else both.unsqueeze(3))


def _drawn_together(mean: Tensor, variance: Tensor, count: Tensor, is_node: Tensor) -> Tensor:
    """Shrink means ``[F, M, D]`` of the nodes of each filter towards their common mean."""
    inside = is_node.unsqueeze(2).double()
    size = inside.sum(dim=1, keepdim=True)
    center = (mean * inside).sum(dim=1, keepdim=True) / size.clamp(min=1)
    between = ((mean - center) ** 2 * inside).sum(dim=1, keepdim=True) / (size - 1).clamp(min=1)
    within = (variance * inside).sum(dim=1, keepdim=True) / size.clamp(min=1)
    # of n / M' copies; the variance over k of them is (k - 1) / k of that of which they are drawn
    copies = count[:, None, None] / size.clamp(min=1)
    chance = within / (copies - 1).clamp(min=1)
    kept = (1 - chance / between.clamp(min=torch.finfo(torch.float64).tiny)).clamp(min=0)
    kept = torch.where(size >= _LEAST_SHRUNK, kept, 1.0)
    return center + kept * (mean - center)
