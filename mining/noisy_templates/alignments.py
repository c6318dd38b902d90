"""How well subgraphs fit a template, summed over all alignments of their nodes.

An alignment maps the nodes of a subgraph one to one to the nodes of the template. The best
alignment alone would favour sparse templates: the fewer edges a template has, the easier it is to
embed in a subgraph. So the likelihood is the mean over all N! alignments, and N is at most 6.

The log-likelihood of an alignment is a sum over nodes and pairs of nodes. It is linear in what a
subgraph is (how well node i fits template node m, and which pairs have an edge), so the
log-likelihoods of all alignments of many subgraphs are one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

# states of a pair of nodes
NO_EDGE, EDGE, PADDING = 0, 1, 2

MAX_TEMPLATE_NODES = 6
# subgraphs in one matrix product, so that their alignments stay in cache
_BLOCK = 256


@dataclass(frozen=True)
class AlignmentPosterior:
    """All alignments of subgraphs with one template, weighted by their likelihood.

    ``log_mean [U]`` is the logarithm of the mean likelihood, ``node_mapping [U, N, N]`` the
    probability that node i is mapped to template node m, and ``on_edge``, ``on_real [U, P]`` those
    that the template's pair p falls on an edge, and on two nodes that are no padding; pairs in the
    order of ``numpy.triu_indices(N, 1)``.
    """

    log_mean: np.ndarray
    node_mapping: np.ndarray
    on_edge: np.ndarray
    on_real: np.ndarray


def log_mean_over_alignments(
    log_fit: np.ndarray, pairs: np.ndarray, template: np.ndarray, log_factors: np.ndarray
) -> np.ndarray:
    """Logarithm of the mean likelihood of an alignment, float64 ``[U]``.

    ``log_fit [U, N, N]`` is the log-likelihood of node i as template node m, ``pairs [U, P]`` and
    ``template [P]`` are the states of the pairs, and ``log_factors [3, 3]`` is the log-likelihood
    of a pair by its state in the template and in the subgraph: 0 for padding in the subgraph.
    """
    means = [
        largest[:, 0] + np.log(np.exp(scores - largest).mean(axis=1))
        for _, scores, largest in _score_blocks(log_fit, pairs, template, log_factors)
    ]
    return np.concatenate([np.empty(0), *means])


def align(
    log_fit: np.ndarray, pairs: np.ndarray, template: np.ndarray, log_factors: np.ndarray
) -> AlignmentPosterior:
    """The same with the posterior; arguments as in :func:`log_mean_over_alignments`."""
    num_subgraphs, size, _ = log_fit.shape
    design = _list_alignments(size)
    posterior = AlignmentPosterior(
        np.empty(num_subgraphs),
        np.empty((num_subgraphs, size, size)),
        np.empty(pairs.shape),
        np.empty(pairs.shape),
    )
    for rows, scores, largest in _score_blocks(log_fit, pairs, template, log_factors):
        # the probability of each alignment, [R, N!]
        probability = np.exp(scores - largest)
        total = probability.sum(axis=1, keepdims=True)
        probability /= total
        posterior.log_mean[rows] = largest[:, 0] + np.log(total[:, 0] / len(design.pair))
        mapping = probability @ design.node_to_node.T
        posterior.node_mapping[rows] = mapping.reshape(len(probability), size, size)
        # the probability that pair p of the subgraph falls on pair q of the template, [R, P, P]
        pair_to_pair = probability @ design.pair_to_pair
        pair_to_pair = pair_to_pair.reshape(len(probability), pairs.shape[1], pairs.shape[1])
        posterior.on_edge[rows] = np.einsum("rp,rpq->rq", pairs[rows] == EDGE, pair_to_pair)
        posterior.on_real[rows] = np.einsum("rp,rpq->rq", pairs[rows] != PADDING, pair_to_pair)
    return posterior


class _Alignments(NamedTuple):
    """All alignments of N nodes, as the matrices of the sums over nodes and pairs."""

    # int64 [N!, P]: the template's pair that each pair falls on
    pair: np.ndarray
    # float64 [N², N!]: 1 where node i is mapped to node m
    node_to_node: np.ndarray
    # float64 [N!, P²]: 1 where a pair of the subgraph falls on a pair of the template
    pair_to_pair: np.ndarray


@lru_cache(maxsize=MAX_TEMPLATE_NODES)
def _list_alignments(size: int) -> _Alignments:
    # row a is an alignment: node i of the subgraph is mapped to node mapping[a, i]
    mapping = np.array(list(permutations(range(size))))
    first, second = np.triu_indices(size, 1)
    number = np.zeros((size, size), np.int64)
    number[first, second] = number[second, first] = np.arange(len(first))
    pair = number[mapping[:, first], mapping[:, second]]
    nodes = (mapping[:, :, None] == np.arange(size)).reshape(len(mapping), -1).T.astype(float)
    pairs = (pair[:, :, None] == np.arange(len(first))).reshape(len(mapping), -1).astype(float)
    return _Alignments(pair, np.ascontiguousarray(nodes), pairs)


def _score_blocks(
    log_fit: np.ndarray, pairs: np.ndarray, template: np.ndarray, log_factors: np.ndarray
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Log-likelihood of every alignment ``[R, N!]`` of a block of subgraphs, and the largest."""
    num_subgraphs, size, _ = log_fit.shape
    design = _list_alignments(size)
    # The score of an alignment is the sum of log_fit over its nodes and of a factor over its
    # pairs: as one product, [R, N² + 2 P] @ [N² + 2 P, N!].
    # [2, P, N!]: what a pair adds if it has no edge, and if it has one
    factors = log_factors[template].T[: EDGE + 1, design.pair.T]
    coefficients = np.concatenate([design.node_to_node, *factors])
    observed = np.concatenate(
        [log_fit.reshape(num_subgraphs, size * size), pairs == NO_EDGE, pairs == EDGE], axis=1
    )
    for start in range(0, num_subgraphs, _BLOCK):
        rows = slice(start, start + _BLOCK)
        scores = observed[rows] @ coefficients
        yield rows, scores, scores.max(axis=1, keepdims=True)
