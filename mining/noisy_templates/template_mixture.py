"""A mixture model of noisy copies: each subgraph is a damaged copy of a template, or background.

A copy loses each edge of its template with the deletion rate and gains each missing edge with the
insertion rate; with probability .02 a node of the template is left out, or another node is taken
in. Node features are normal around those of the template. It is unknown which node is mapped to
which, so the likelihood is the mean over all alignments (``alignments.py``). A background subgraph
has edges at the mean density of its size, and the features of any node.

The posterior probability that a subgraph is a copy of a template is called its responsibility, as
is usual for mixtures. With it a template can be learnt of which no intact copy exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import igraph
import numpy as np
from scipy.sparse import csr_matrix, triu
from scipy.special import logsumexp

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import Relations
from mining.noisy_templates.alignments import EDGE, NO_EDGE, PADDING, log_mean_over_alignments

# probability of a template's node that a copy leaves out, or of a node that the template lacks
_UNMATCHED_NODE = 0.02
# a likelihood below that of another component by this factor, e^-25, is not computed exactly
_NEGLIGIBLE = 25.0
# of the features, so that equal features do not have an infinite density
MIN_VARIANCE = 1e-4
# least share of a component, so that its logarithm is finite
_MIN_WEIGHT = 1e-6


@dataclass(frozen=True)
class Observations:
    """The U subgraphs that the mixture describes.

    ``pairs [U, P]`` int8 are the states of the pairs of nodes, in the order of
    ``numpy.triu_indices``: 0 no edge, 1 an edge, 2 a node is padding. ``features [U, N, D]`` are in
    the unit interval, ``num_nodes [U]`` counts nodes, ``pairs_id [U]`` is equal for equal
    ``pairs``, and ``overlaps [K, 2]`` are subgraphs that share more than half of their nodes.
    """

    pairs: np.ndarray
    features: np.ndarray
    num_nodes: np.ndarray
    pairs_id: np.ndarray
    overlaps: np.ndarray

    @classmethod
    def of(
        cls,
        adj: np.ndarray,
        features: np.ndarray,
        num_nodes: np.ndarray,
        nodes: np.ndarray | None = None,
    ) -> Observations:
        """Take adjacency ``[U, N, N]``, features ``[U, N, D]`` and sizes ``[U]``.

        ``nodes [U, N]`` are the nodes of the graph, -1 for padding; None: no subgraphs overlap.
        """
        first, second = np.triu_indices(adj.shape[1], 1)
        pairs = (adj[:, first, second] > 0).astype(np.int8)
        # the second node of a pair is the later one
        pairs[second >= num_nodes[:, None]] = PADDING
        # one more column, since subgraphs of one node have no pairs
        key = np.concatenate([pairs, np.zeros((len(pairs), 1), np.int8)], axis=1)
        pairs_id = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
        overlaps = np.empty((0, 2), np.int64) if nodes is None else _find_overlaps(nodes)
        return cls(pairs, features.astype(np.float64), num_nodes, pairs_id, overlaps)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def is_real(self) -> np.ndarray:
        """Which nodes are no padding, bool ``[U, N]``."""
        is_real: np.ndarray = np.arange(self.features.shape[1]) < self.num_nodes[:, None]
        return is_real

    def take(self, rows: np.ndarray) -> Observations:
        """Return the subgraphs in ``rows``."""
        position = np.full(len(self), -1)
        position[rows] = np.arange(len(rows))
        overlaps = position[self.overlaps]
        return Observations(
            self.pairs[rows],
            self.features[rows],
            self.num_nodes[rows],
            self.pairs_id[rows],
            overlaps[(overlaps >= 0).all(axis=1)],
        )


def _find_overlaps(nodes: np.ndarray) -> np.ndarray:
    """Pairs of rows ``[K, 2]`` that share more than half of the nodes of the smaller."""
    # a sparse matrix of subgraphs and nodes; its product with itself counts shared nodes
    row, _ = np.nonzero(nodes >= 0)
    column = nodes[nodes >= 0]
    contains = csr_matrix((np.ones(len(row), np.int64), (row, column)))
    shared = triu(contains @ contains.T, 1).tocoo()
    size = np.asarray(contains.sum(axis=1)).reshape(-1)
    overlapping = 2 * shared.data > np.minimum(size[shared.row], size[shared.col])
    return np.stack([shared.row, shared.col], axis=1)[overlapping].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Template:
    """A component of the mixture: a graph with ``num_nodes`` nodes, and the noise of its copies.

    ``pairs [P]`` and ``features [N, D]`` are as in :class:`Observations`, with padding at the end;
    ``variance`` is that of a feature around the template's.
    """

    pairs: np.ndarray
    features: np.ndarray
    num_nodes: int
    deletion_rate: float = 0.1
    insertion_rate: float = 0.05
    variance: float = 0.01

    def adjacency(self) -> np.ndarray:
        """Adjacency matrix with its padding, bool ``[N, N]``."""
        size = len(self.features)
        matrix = np.zeros((size, size), bool)
        matrix[np.triu_indices(size, 1)] = self.pairs == EDGE
        return matrix | matrix.T

    def is_connected(self) -> bool:
        """Whether the graph has one component."""
        edges = np.argwhere(np.triu(self.adjacency()))
        return bool(igraph.Graph(n=self.num_nodes, edges=edges.tolist()).is_connected())

    def key(self, relations: Relations) -> bytes:
        """The key of its structure, in the relations of the graph."""
        return Structure(self.adjacency()[: self.num_nodes, : self.num_nodes], relations).key

    def log_factors(self) -> np.ndarray:
        """Log-likelihood of a pair by its state in the template and in a copy, ``[3, 3]``."""
        factors = np.zeros((3, 3))
        factors[NO_EDGE, :PADDING] = np.log([1 - self.insertion_rate, self.insertion_rate])
        factors[EDGE, :PADDING] = np.log([self.deletion_rate, 1 - self.deletion_rate])
        # a node that the template lacks has an edge as often as not
        factors[PADDING, :PADDING] = np.log(0.5)
        return factors

    def log_fit(self, data: Observations) -> np.ndarray:
        """Log-likelihood of node i of each subgraph as the template's node m, ``[U, N, N]``."""
        size, width = self.features.shape
        in_template, in_subgraph = np.arange(size) < self.num_nodes, data.is_real[:, :, None]
        squared = self.squared_distance(data)
        normal = -0.5 * (squared / self.variance + width * np.log(2 * np.pi * self.variance))
        unmatched = np.where(in_subgraph | in_template, np.log(_UNMATCHED_NODE), 0.0)
        matched = normal + np.log(1 - _UNMATCHED_NODE)
        return np.where(in_subgraph & in_template, matched, unmatched)

    def squared_distance(self, data: Observations) -> np.ndarray:
        """Squared distance of the features of node i and the template's node m, ``[U, N, N]``."""
        squared = (data.features**2).sum(axis=2)[:, :, None] + (self.features**2).sum(axis=1)
        return np.maximum(squared - 2 * data.features @ self.features.T, 0)

    def log_likelihood(self, data: Observations, floor: np.ndarray | float = -np.inf) -> np.ndarray:
        """Log-likelihood of each subgraph as a copy, ``[U]``.

        An upper bound where that cannot reach ``floor [U]``, which saves the sum over alignments.
        """
        log_fit = self.log_fit(data)
        # each node mapped to the node that it fits best: a bound, and a constant of the mean
        best_fit = log_fit.max(axis=2, keepdims=True)
        likelihood = best_fit.sum(axis=(1, 2))
        rows = np.flatnonzero(likelihood >= floor)
        log_fit = (log_fit - best_fit)[rows]
        first = inverse = np.arange(len(rows))
        if not log_fit.any():
            # features make no difference: subgraphs with the same edges have the same likelihood
            ids = data.pairs_id[rows]
            _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
        pairs = data.pairs[rows[first]]
        means = log_mean_over_alignments(log_fit[first], pairs, self.pairs, self.log_factors())
        likelihood[rows] += means[inverse]
        return likelihood


def background_log_likelihood(data: Observations, fitted: Observations | None = None) -> np.ndarray:
    """Log-likelihood of each subgraph as background, ``[U]``, with the parameters of ``fitted``."""
    fitted = data if fitted is None else fitted
    features = fitted.features[fitted.is_real]
    width = features.shape[1]
    likelihood = np.zeros(len(data))
    if width:
        # features: one normal distribution for all nodes
        variance = max(float(features.var(axis=0).mean()), MIN_VARIANCE)
        squared = ((data.features - features.mean(axis=0)) ** 2).sum(axis=2) * data.is_real
        likelihood -= 0.5 * squared.sum(axis=1) / variance
        likelihood -= 0.5 * width * np.log(2 * np.pi * variance) * data.num_nodes
    # edges: independent, with the mean density of the subgraphs of that size
    for size in np.unique(data.num_nodes):
        rows, known = data.num_nodes == size, fitted.pairs[fitted.num_nodes == size]
        density = ((known == EDGE).sum() + 0.5) / ((known != PADDING).sum() + 1)
        edges = (data.pairs[rows] == EDGE).sum(axis=1)
        missing = (data.pairs[rows] == NO_EDGE).sum(axis=1)
        likelihood[rows] += edges * np.log(density) + missing * np.log(1 - density)
    return likelihood


@dataclass(frozen=True)
class Posterior:
    """Subgraphs under a mixture of J templates and the background, which comes last.

    ``log_likelihood [U, J + 1]`` is that under each component, ``responsibility [U, J + 1]`` the
    posterior probability of each, ``weight [J + 1]`` the mixing weights, and ``log_evidence [U]``
    the log-likelihood under the mixture.
    """

    log_likelihood: np.ndarray
    responsibility: np.ndarray
    weight: np.ndarray
    log_evidence: np.ndarray

    def of_copies(self, data: Observations) -> np.ndarray:
        """Responsibility of each template, 0 for all but the best of overlapping subgraphs.

        Of subgraphs that overlap, only the one that is most like a template can be a copy of it;
        the others hold a part of the copy and nodes beside it. ``[U, J]``.
        """
        responsibility = self.responsibility[:, :-1].copy()
        # how much more like the template than like the background
        log_ratio = self.log_likelihood[:, :-1] - self.log_likelihood[:, -1:]
        first, second = data.overlaps.T
        first_is_better = log_ratio[first] >= log_ratio[second]
        for rows, is_worse in ((first, ~first_is_better), (second, first_is_better)):
            pair, template = np.nonzero(is_worse)
            responsibility[rows[pair], template] = 0
        return responsibility


def component_log_likelihoods(
    data: Observations, templates: Sequence[Template], fitted: Observations | None = None
) -> np.ndarray:
    """Log-likelihood of each subgraph under each template and the background, ``[U, J + 1]``."""
    background = background_log_likelihood(data, fitted)
    # a template that is far less likely than the best one so far gets an upper bound only
    columns, best = [], background
    for template in templates:
        columns.append(template.log_likelihood(data, best - _NEGLIGIBLE))
        best = np.maximum(best, columns[-1])
    return np.stack([*columns, background], axis=1)


def expectation_step(log_likelihood: np.ndarray, weight: np.ndarray) -> Posterior:
    """Responsibilities ``[U, J + 1]`` from the likelihoods and the mixing weights ``[J + 1]``."""
    # Bayes' rule, in logarithms
    joint = log_likelihood + np.log(weight)
    log_evidence = logsumexp(joint, axis=1)
    responsibility = np.exp(joint - log_evidence[:, None])
    return Posterior(log_likelihood, responsibility, weight, log_evidence)


def fit_weights(
    log_likelihood: np.ndarray, num_steps: int, weight: np.ndarray | None = None
) -> np.ndarray:
    """Mixing weights ``[J + 1]`` after steps of expectation-maximisation, by default from equal."""
    if weight is None:
        weight = np.full(log_likelihood.shape[1], 1 / log_likelihood.shape[1])
    for _ in range(num_steps):
        responsibility = expectation_step(log_likelihood, weight).responsibility
        # the new weight of a component is its mean responsibility
        weight = np.maximum(responsibility.mean(axis=0), _MIN_WEIGHT)
        weight = weight / weight.sum()
    return weight
