"""Learnable graph filters: edges in (0, 1), features in (0, 1) or free."""

from __future__ import annotations

import torch
from torch import Tensor, nn

# where a real subgraph's 0 and 1 start out: far enough into the sigmoid that one large step of
# Adam does not flip an edge
EDGE_LOGIT = 6.0
FEATURE_MARGIN = 0.02


class GraphFilters(nn.Module):
    """F graph filters of M nodes with D features, their edges and features learnable.

    Parameters
    ----------
    num_filters, filter_size, feature_width : int
        F, M and D.
    bounded_feats : bool
        Features are a sigmoid of the parameters, as edges always are; set it when the features of
        the graph lie in [0, 1]. Otherwise features are the parameters.
    generator : torch.Generator, optional
        Source of the first parameters; torch's global one when left out.

    Attributes
    ----------
    free_adj : torch.nn.Parameter
        ``[F, M (M - 1) / 2]`` logits of the upper triangle.
    free_feat : torch.nn.Parameter
        ``[F, M, D]``.

    Examples
    --------
    >>> filters = GraphFilters(2, 3, 1)
    >>> filters.adj().shape, filters.feat().shape
    (torch.Size([2, 3, 3]), torch.Size([2, 3, 1]))
    """

    upper: Tensor

    def __init__(
        self,
        num_filters: int,
        filter_size: int,
        feature_width: int,
        bounded_feats: bool = True,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.filter_size = filter_size
        self.bounded_feats = bounded_feats
        pairs = filter_size * (filter_size - 1) // 2
        self.free_adj = nn.Parameter(torch.empty(num_filters, pairs))
        self.free_feat = nn.Parameter(torch.empty(num_filters, filter_size, feature_width))
        upper = torch.triu_indices(filter_size, filter_size, offset=1)
        self.register_buffer("upper", upper, persistent=False)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all parameters anew from a standard normal distribution."""
        with torch.no_grad():
            self.free_adj.normal_(generator=generator)
            self.free_feat.normal_(generator=generator)

    def adj(self) -> Tensor:
        """Edge weights in (0, 1): ``[F, M, M]``, symmetric, zero diagonal."""
        weights = torch.sigmoid(self.free_adj)
        adj = weights.new_zeros(len(weights), self.filter_size, self.filter_size)
        row, column = self.upper
        adj[:, row, column] = weights
        return adj + adj.transpose(1, 2)

    def feat(self) -> Tensor:
        """Features ``[F, M, D]``."""
        return torch.sigmoid(self.free_feat) if self.bounded_feats else self.free_feat

    @torch.no_grad()
    def set(self, rows: Tensor | slice, adj: Tensor, feat: Tensor) -> None:
        """Make the filters in ``rows`` equal to given subgraphs, ``[R, M, M]`` and ``[R, M, D]``.

        An edge weight w in [0, 1] becomes the logit (2 w - 1) * 6; bounded features are first moved
        into [0.02, 0.98].
        """
        row, column = self.upper
        self.free_adj[rows] = (2 * adj[:, row, column].clamp(0, 1) - 1) * EDGE_LOGIT
        if self.bounded_feats:
            feat = feat.clamp(FEATURE_MARGIN, 1 - FEATURE_MARGIN).logit()
        self.free_feat[rows] = feat
