"""What a trained classifier's filters mean, beside planted truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gomkcn.mining.filters.discrete_filters import discretize
from gomkcn_dgl import GOMKCN
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import SIMPLE


def filters_of_classes(model: GOMKCN) -> np.ndarray:
    """The filter that speaks most for each class, ``[C]``: the largest weight of the last head.

    The weight is that of the normed score, so batch norm's own factor, which may be negative, goes
    into it. Two classes may have the same filter.
    """
    weight = model.heads[-1].weight.detach() * model.norms[-1].weight.detach()
    return weight.argmax(dim=1).numpy()


def are_motifs(model: GOMKCN, motifs: Sequence[Structure]) -> np.ndarray:
    """Which filter of the last convolution, cut at ½, is isomorphic to which motif: ``[F, C]``."""
    filters = discretize(model.convs[-1].filters).structure_keys(SIMPLE)
    return np.array([[own == motif.key for motif in motifs] for own in filters])


def points_inside(response: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Whether the highest of a graph's responses is at a node of the motif, bool ``[G]``.

    Both are ``[G, V]``; a tie with a node elsewhere counts as outside.
    """
    inside = np.where(mask, response, -np.inf).max(axis=1)
    outside = np.where(mask, -np.inf, response).max(axis=1)
    return inside > outside


def response_auc(response: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Chance that a motif's node has a higher response than another node of its graph, ``[G]``.

    Ties count half.
    """
    higher = np.sign(response[:, :, None] - response[:, None, :])
    pairs = mask[:, :, None] & ~mask[:, None, :]  # [G, V, V]
    return 0.5 + 0.5 * (higher * pairs).sum(axis=(1, 2)) / pairs.sum(axis=(1, 2))
