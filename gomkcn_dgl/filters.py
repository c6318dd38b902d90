"""Learnable graph filters: edges in (0, 1), features in (0, 1) or free."""

from __future__ import annotations

from collections.abc import Sequence

from gomkcn_dgl._torch import Tensor, torch

# where a real subgraph's 0 and 1 start out: far enough into the sigmoid that one large step of
# Adam does not flip an edge
EDGE_LOGIT = 6.0
FEATURE_MARGIN = 0.02


class GraphFilters(torch.nn.Module):
    """F graph filters of M nodes with D features, their edges and features learnable.

    Parameters
    ----------
    num_filters, filter_size, feature_width : int
        F, M and D.
    directed : sequence of bool
        Whether the edges of each relation have a direction; one relation without by default.
    bounded_feats : bool
        Features are a sigmoid of the parameters, as edges always are; set it when the features of
        the graph lie in [0, 1]. Otherwise features are the parameters.
    generator : torch.Generator, optional
        Source of the first parameters; torch's global one when left out.

    Attributes
    ----------
    free_adj : torch.nn.Parameter
        ``[F, P]`` logits of the edges, relation after relation: of one without direction the upper
        triangle, M (M - 1) / 2, of one with direction all ordered pairs, M (M - 1).
    free_feat : torch.nn.Parameter
        ``[F, M, D]``.

    Examples
    --------
    >>> filters = GraphFilters(2, 3, 1)
    >>> filters.adj().shape, filters.feat().shape
    (torch.Size([2, 3, 3]), torch.Size([2, 3, 1]))
    >>> filters
    GraphFilters(2, filter_size=3, feature_width=1, bounded_feats=True)
    """

    place: Tensor

    def __init__(
        self,
        num_filters: int,
        filter_size: int,
        feature_width: int,
        bounded_feats: bool = True,
        generator: torch.Generator | None = None,
        directed: Sequence[bool] = (False,),
    ) -> None:
        super().__init__()
        self.filter_size = filter_size
        self.bounded_feats = bounded_feats
        self.directed = tuple(directed)
        place = _edge_places(filter_size, self.directed)
        self.free_adj = torch.nn.Parameter(torch.empty(num_filters, len(place[0])))
        self.free_feat = torch.nn.Parameter(torch.empty(num_filters, filter_size, feature_width))
        self.register_buffer("place", place, persistent=False)
        self.reset_parameters(generator)

    @property
    def num_channels(self) -> int:
        """Ways in which nodes can be joined, each a direction of a relation."""
        return sum(2 if is_directed else 1 for is_directed in self.directed)

    def extra_repr(self) -> str:
        """Name the sizes, as PyTorch prints a module."""
        num_filters, size, width = self.free_feat.shape
        text = f"{num_filters}, filter_size={size}, feature_width={width}"
        text += f", bounded_feats={self.bounded_feats}"
        return text if self.directed == (False,) else f"{text}, directed={self.directed}"

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all parameters anew from a standard normal distribution."""
        with torch.no_grad():
            self.free_adj.normal_(generator=generator)
            self.free_feat.normal_(generator=generator)

    def adj(self) -> Tensor:
        """Edge weights in (0, 1) with zero diagonal.

        ``[F, M, M]``, symmetric, for one relation without direction; else ``[F, M, M, C]``, a
        matrix for each channel: the edges that leave and those that arrive, or both alike.
        """
        weights = torch.sigmoid(self.free_adj)
        row, column, channel, opposite = self.place
        size, channels = self.filter_size, self.num_channels
        adj = weights.new_zeros(len(weights), size, size, channels)
        # each edge is seen from both of its nodes
        adj[:, row, column, channel] = weights
        adj[:, column, row, opposite] = weights
        return adj.squeeze(3) if self.directed == (False,) else adj

    def feat(self) -> Tensor:
        """Features ``[F, M, D]``."""
        return torch.sigmoid(self.free_feat) if self.bounded_feats else self.free_feat

    @torch.no_grad()
    def set(self, rows: Tensor | slice, adj: Tensor, feat: Tensor) -> None:
        """Make the filters in ``rows`` equal to given subgraphs.

        ``adj`` is shaped as :meth:`adj` returns it, ``feat`` is ``[R, M, D]``. An edge weight w in
        [0, 1] becomes the logit (2 w - 1) * 6; bounded features are first moved into [0.02, 0.98].
        """
        row, column, channel, _ = self.place
        weights = (adj if adj.dim() == 4 else adj.unsqueeze(3))[:, row, column, channel]
        self.free_adj[rows] = (2 * weights.clamp(0, 1) - 1) * EDGE_LOGIT
        if self.bounded_feats:
            feat = feat.clamp(FEATURE_MARGIN, 1 - FEATURE_MARGIN).logit()
        self.free_feat[rows] = feat


def _edge_places(filter_size: int, directed: tuple[bool, ...]) -> Tensor:
    """Row, column, channel, and channel seen from the column, of each weight: int64 ``[4, P]``."""
    upper = torch.triu_indices(filter_size, filter_size, offset=1)
    parts, channel = [], 0
    for is_directed in directed:
        pairs = torch.cat([upper, upper.flip(0)], dim=1) if is_directed else upper
        opposite = channel + int(is_directed)
        parts.append(
            torch.cat([pairs, torch.tensor([[channel], [opposite]]).expand(2, pairs.shape[1])])
        )
        channel = opposite + 1
    return torch.cat(parts, dim=1)
