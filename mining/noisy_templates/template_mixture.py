"""A model of noisy copies: each subgraph is a damaged copy of a template, or background.

A copy of a template of n nodes loses each of its edges with one probability and gains each missing
one with another; a node is left out, or a strange one taken in, with probability .02; features are
normal around those of the template's node. Nobody knows which node plays which part, so the
likelihood is the mean over all alignments. A background subgraph has edges at the mean density of
its size and the features of any node. The mixture says for each subgraph how likely it is a copy of
which template, and so a template can be learnt of which no intact copy exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, triu
from scipy.special import logsumexp

from mining.noisy_templates.alignment_sums import EDGE, NO_EDGE, PADDING, log_mean_over_alignments

# a template's node that a copy leaves out, or a node of the copy that the template lacks
_STRANGE_NODE = 0.02
# what is this much less likely than another explanation is not looked at: e^-25
_NEGLIGIBLE = 25.0
LEAST_VARIANCE = 1e-4


@dataclass(frozen=True)
class Units:
    """The subgraphs to be explained.

    Attributes
    ----------
    pairs : numpy.ndarray
        int8 ``[U, P]`` state of each pair of nodes: 0 no edge, 1 an edge, 2 a node is padding.
    features : numpy.ndarray
        float64 ``[U, N, D]``, scaled to the unit interval.
    num_nodes : numpy.ndarray
        int64 ``[U]``.
    kind : numpy.ndarray
        int64 ``[U]``, equal for subgraphs with equal ``pairs``.
    overlaps : numpy.ndarray
        int64 ``[K, 2]`` pairs of subgraphs that share more than half of their nodes.
    """

    pairs: np.ndarray
    features: np.ndarray
    num_nodes: np.ndarray
    kind: np.ndarray
    overlaps: np.ndarray

    @classmethod
    def of(
        cls,
        adj: np.ndarray,
        features: np.ndarray,
        num_nodes: np.ndarray,
        nodes: np.ndarray | None = None,
    ) -> Units:
        """Take adjacency ``[U, N, N]``, features ``[U, N, D]`` and sizes ``[U]``.

        ``nodes [U, N]`` are those of the graph; left out, no subgraphs overlap.
        """
        first, second = np.triu_indices(adj.shape[1], 1)
        pairs = (adj[:, first, second] > 0).astype(np.int8)
        # the second node of a pair is the later one
        pairs[second >= num_nodes[:, None]] = PADDING
        # a column for a subgraph of one node, which has no pairs
        key = np.concatenate([pairs, np.zeros((len(pairs), 1), np.int8)], axis=1)
        kind = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
        overlaps = np.empty((0, 2), np.int64) if nodes is None else _find_overlaps(nodes)
        return cls(pairs, features.astype(np.float64), num_nodes.astype(np.int64), kind, overlaps)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def real(self) -> np.ndarray:
        """Which nodes are no padding, bool ``[U, N]``."""
        real: np.ndarray = np.arange(self.features.shape[1]) < self.num_nodes[:, None]
        return real

    def take(self, rows: np.ndarray) -> Units:
        """Return the subgraphs in ``rows``."""
        position = np.full(len(self), -1)
        position[rows] = np.arange(len(rows))
        overlaps = position[self.overlaps]
        return Units(
            self.pairs[rows],
            self.features[rows],
            self.num_nodes[rows],
            self.kind[rows],
            overlaps[(overlaps >= 0).all(axis=1)],
        )


def _find_overlaps(nodes: np.ndarray) -> np.ndarray:
    """Pairs of rows ``[K, 2]`` that share more than half of the nodes of the smaller."""
    row, _ = np.nonzero(nodes >= 0)
    column = nodes[nodes >= 0]
    holds = csr_matrix((np.ones(len(row), np.int64), (row, column)))
    shared = triu(holds @ holds.T, 1).tocoo()
    size = np.asarray(holds.sum(axis=1)).reshape(-1)
    overlapping = 2 * shared.data > np.minimum(size[shared.row], size[shared.col])
    return np.stack([shared.row, shared.col], axis=1)[overlapping].astype(np.int64)


@dataclass(frozen=True)
class Template:
    """What noisy copies are copies of.

    Attributes
    ----------
    pairs : numpy.ndarray
        int8 ``[P]`` as in :class:`Units`; the real nodes come first.
    features : numpy.ndarray
        float64 ``[N, D]``.
    num_nodes : int
    lost, added : float
        Probability that an edge is deleted, and that one is added.
    variance : float
        Of a feature around the template's.
    """

    pairs: np.ndarray
    features: np.ndarray
    num_nodes: int
    lost: float = 0.1
    added: float = 0.05
    variance: float = 0.01

    def log_factors(self) -> np.ndarray:
        """Log-likelihood of a pair by its state in the template and in a copy, ``[3, 3]``."""
        factors = np.zeros((3, 3))
        factors[NO_EDGE, :PADDING] = np.log([1 - self.added, self.added])
        factors[EDGE, :PADDING] = np.log([self.lost, 1 - self.lost])
        # whether a strange node is joined says nothing
        factors[PADDING, :PADDING] = np.log(0.5)
        return factors

    def log_fit(self, units: Units) -> np.ndarray:
        """Log-likelihood of node i of each subgraph as the template's node m, ``[U, N, N]``."""
        size, width = self.features.shape
        mine, real = np.arange(size) < self.num_nodes, units.real[:, :, None]
        squared = self.squared_distance(units)
        normal = -0.5 * (squared / self.variance + width * np.log(2 * np.pi * self.variance))
        strange = np.where(real | mine, np.log(_STRANGE_NODE), 0.0)
        return np.where(real & mine, normal + np.log(1 - _STRANGE_NODE), strange)

    def squared_distance(self, units: Units) -> np.ndarray:
        """Squared distance of the features of node i and the template's node m, ``[U, N, N]``."""
        squared = (units.features**2).sum(axis=2)[:, :, None] + (self.features**2).sum(axis=1)
        return np.maximum(squared - 2 * units.features @ self.features.T, 0)

    def log_likelihood(self, units: Units) -> np.ndarray:
        """Log-likelihood of each subgraph as a copy, ``[U]``."""
        return self.log_likelihood_above(units, np.full(len(units), -np.inf))

    def log_likelihood_above(self, units: Units, floor: np.ndarray) -> np.ndarray:
        """The same, with an upper bound for what cannot reach ``floor [U]``."""
        log_fit = self.log_fit(units)
        largest = log_fit.max(axis=2, keepdims=True)
        found = largest.sum(axis=(1, 2))
        rows = np.flatnonzero(found >= floor)
        # what does not depend on the alignment comes out of the mean
        apart = (log_fit - largest)[rows]
        where = np.arange(len(rows))
        if not apart.any():
            # then subgraphs of the same edges are the same
            _, first, where = np.unique(units.kind[rows], return_index=True, return_inverse=True)
            rows_of_kind = rows[first]
            apart = apart[first]
        else:
            rows_of_kind = rows
        pairs = units.pairs[rows_of_kind]
        means = log_mean_over_alignments(apart, pairs, self.pairs, self.log_factors())
        found[rows] += means[where]
        return found


def background_log_likelihood(units: Units, fitted: Units | None = None) -> np.ndarray:
    """Log-likelihood of each subgraph as background, ``[U]``; measured on ``fitted`` ones."""
    fitted = units if fitted is None else fitted
    known = fitted.features[fitted.real]
    width = known.shape[1]
    mean, variance = known.mean(axis=0), 0.0
    if width:
        variance = max(float(known.var(axis=0).mean()), LEAST_VARIANCE)
    squared = ((units.features - mean) ** 2).sum(axis=2) * units.real
    found = np.zeros(len(units))
    if width:
        found -= 0.5 * squared.sum(axis=1) / variance
        found -= 0.5 * width * np.log(2 * np.pi * variance) * units.num_nodes
    for size in np.unique(units.num_nodes):
        mine, rows = units.num_nodes == size, fitted.num_nodes == size
        joined = (fitted.pairs[rows] == EDGE).sum()
        seen = (fitted.pairs[rows] != PADDING).sum()
        density = (joined + 0.5) / (seen + 1)
        edges = (units.pairs[mine] == EDGE).sum(axis=1)
        missing = (units.pairs[mine] == NO_EDGE).sum(axis=1)
        found[mine] += edges * np.log(density) + missing * np.log(1 - density)
    return found


@dataclass(frozen=True)
class Explanation:
    """What a mixture says about subgraphs.

    Attributes
    ----------
    log_likelihood : numpy.ndarray
        float64 ``[U, J + 1]`` under each template, and last under the background.
    share : numpy.ndarray
        float64 ``[U, J + 1]`` probability that a subgraph is a copy of each.
    weight : numpy.ndarray
        float64 ``[J + 1]`` share of all subgraphs.
    total : numpy.ndarray
        float64 ``[U]`` log-likelihood under the mixture.
    """

    log_likelihood: np.ndarray
    share: np.ndarray
    weight: np.ndarray
    total: np.ndarray


def tabulate(
    units: Units, templates: Sequence[Template], fitted: Units | None = None
) -> np.ndarray:
    """Log-likelihood of each subgraph under each template and the background, ``[U, J + 1]``."""
    columns = [background_log_likelihood(units, fitted)]
    best = columns[0]
    for template in templates:
        columns.append(template.log_likelihood_above(units, best - _NEGLIGIBLE))
        best = np.maximum(best, columns[-1])
    return np.stack([*columns[1:], columns[0]], axis=1)


def explain(table: np.ndarray, weight: np.ndarray) -> Explanation:
    """Weigh a table of :func:`tabulate` with the share of each template."""
    scores = table + np.log(weight)
    total = logsumexp(scores, axis=1)
    share = np.exp(scores - total[:, None])
    return Explanation(table, share, weight, total)


def copies_apart(units: Units, found: Explanation) -> np.ndarray:
    """Probability to be a copy of each template, 0 for all but one of those at a place ``[U, J]``.

    Of subgraphs that overlap only the one that is most like a template can be a copy of it; the
    others hold a part of the copy and what is next to it.
    """
    share = found.share[:, :-1].copy()
    likeness = found.log_likelihood[:, :-1] - found.log_likelihood[:, -1:]
    first, second = units.overlaps.T
    better = likeness[first] >= likeness[second]
    for rows, loses in ((first, ~better), (second, better)):
        place, template = np.nonzero(loses)
        share[rows[place], template] = 0
    return share


def fit_weight(table: np.ndarray, weight: np.ndarray, steps: int) -> np.ndarray:
    """Share of each template after some steps of expectation maximisation."""
    for _ in range(steps):
        weight = np.maximum(explain(table, weight).share.mean(axis=0), 1e-6)
        weight = weight / weight.sum()
    return weight
