"""Consensus of noisy copies: patterns of which few copies are intact, beside the learnt filters.

Where noise deleted and inserted edges, most copies of a pattern have a structure of their own, and
a filter that resembles one of them keeps its damage. A consensus starts from such a subgraph. Each
round takes the better half of its copies, the subgraphs that are likelier damaged copies of it than
background; flips the edge that raises their likelihood most, until none does; and fits rates and
features. Likelihoods are means over all alignments: the best one alone favours sparse structures.

It is kept if its copies gain more likelihood than it takes to describe it and to say which they
are. (A gain on held-out copies would lose a motif of four where a fifth of the edges are deleted.)
Without features there is none: random graphs have centres of many similar subgraphs as well.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import permutations

import networkx as nx
import numpy as np
from scipy.spatial.distance import squareform
from scipy.special import logsumexp, softmax

from gomkcn_dgl._torch import torch
from gomkcn_dgl.csr import CSRGraph
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.filter_learning import choose_initial
from mining.learning.rooted_subgraphs import RootedSubgraphs, ScaledFeatures
from mining.learning.subgraph_source import SubgraphSource

# more nodes have too many alignments
_MOST_NODES = 6
# rare is a structure that occurs less often; from this share of them on, copies may be noisy
_RARE, _RARE_SHARE = 5, 0.1
# most subgraphs that are compared; rounds from each start, least copies and gain of an edge in each
_MOST_SUBGRAPHS, _NUM_ROUNDS, _LEAST_COPIES, _LEAST_GAIN = 2000, 6, 5, 0.01
# rates and variance are drawn towards these, as if by so many pairs of nodes, or numbers
_PRIOR_COUNT, _PRIOR_DELETED, _PRIOR_INSERTED, _PRIOR_VARIANCE = 60.0, 0.1, 0.05, 0.01
# probability that a node of a copy is another one
_OTHER_NODE = 0.02


def add_consensus(
    filters: DiscreteFilters,
    source: SubgraphSource,
    graph: CSRGraph,
    num_starts: int,
    sample_size: int,
    min_occurrences: int,
    seed: int,
) -> DiscreteFilters:
    """Add each consensus of ``min_occurrences`` copies or more that no filter has.

    It has as many nodes as the filters, but at most 6. There is none where edges have directions or
    types, and where few of the different subgraphs have a rare structure.
    """
    size = min(filters.adj.shape[1], _MOST_NODES)
    varies = np.less(*ScaledFeatures(graph.features, source.scaling).bounds()).any()
    if graph.links is not None or not varies or size < 3:
        return filters
    subgraphs = source.resized(size).training_subgraphs(graph)
    different = np.unique(subgraphs.node_sets, return_index=True)[1]
    keys = [subgraphs.forms.key(row) for row in different]
    count = Counter(keys)
    if sum(count[one] < _RARE for one in keys) < _RARE_SHARE * len(keys):
        return filters
    rng, classes, kernel = np.random.default_rng([seed, 6]), subgraphs.classes, subgraphs.kernel
    chosen = choose_initial(classes, num_starts, kernel, sample_size, rng, subgraphs.backend)
    whole = subgraphs.batch.num_nodes == subgraphs.batch.max_nodes
    others = rng.permutation(different)
    starts, others = (one[whole[one]] for one in (classes.first[chosen], others[:_MOST_SUBGRAPHS]))
    if not len(starts):
        return filters
    observed = _Observed(subgraphs, np.concatenate([starts, others]))
    relations = subgraphs.batch.relations
    joined, known = [filters], set(filters.structure_keys(relations))
    for start in range(len(starts)):
        found = observed.consensus_from(start, min_occurrences)
        if found is not None and not known.issuperset(found.structure_keys(relations)):
            known.update(found.structure_keys(relations))
            joined.append(found.trimmed(filters.adj.shape[1]))
    return DiscreteFilters.join(joined)


def _fit(observed: np.ndarray, prior: float) -> float:
    """The mean, drawn towards what is usual as if that had been observed as well."""
    return float((observed.sum() + _PRIOR_COUNT * prior) / (observed.size + _PRIOR_COUNT))


@dataclass(frozen=True)
class _Template:
    """What copies are damaged copies of: edges bool ``[P]``, features ``[D]`` of all its nodes."""

    edges: np.ndarray
    features: np.ndarray
    deleted: float = 2 * _PRIOR_DELETED
    inserted: float = 2 * _PRIOR_INSERTED
    variance: float = _PRIOR_VARIANCE

    def log_factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Log-likelihood of an edge at each pair of nodes, and of none, ``[P]``."""
        edge = np.where(self.edges, 1 - self.deleted, self.inserted)
        return np.log(edge), np.log(1 - edge)


class _Observed:
    """U subgraphs of N nodes: edges ``[U, P]`` of P pairs of nodes, unit features ``[U, N, D]``."""

    def __init__(self, subgraphs: RootedSubgraphs, rows: np.ndarray) -> None:
        batch = subgraphs.batch.take(rows)
        self.nodes, size = batch.nodes, batch.max_nodes
        first, second = np.triu_indices(size, 1)
        # alignments: node of the template for each node, [N!, N]; its pair for each pair, [N!, P]
        self.mapping = np.array(list(permutations(range(size))))
        self.pair = squareform(np.arange(len(first)))[
            self.mapping[:, first], self.mapping[:, second]
        ]
        self.edges = (batch.adjacency()[:, first, second] > 0).astype(np.float32)
        self.scaled, (low, high) = batch.gather(subgraphs.features), subgraphs.features.bounds()
        self.features = ((self.scaled - low) / np.maximum(high - low, 1e-9))[:, :, low < high]
        # background: edges of the mean density, and the features of any node
        density, mean = self.edges.mean(), self.features.mean(axis=(0, 1))
        features = self._log_normal(mean, _fit((self.features - mean) ** 2, _PRIOR_VARIANCE))
        edges = np.log(np.where(self.edges > 0, density, 1 - density))
        self.background = edges.sum(axis=1) + features.sum(axis=1)

    def consensus_from(self, start: int, min_occurrences: int) -> DiscreteFilters | None:
        """The consensus that starts from a subgraph, as a filter; None if it does not gain."""
        template = _Template(self.edges[start] > 0, self.features[start].mean(axis=0))
        for _ in range(_NUM_ROUNDS):
            copies, gain = self._copies_of(template)
            if len(copies) < max(1, min_occurrences):
                return None
            # those of the other half are rather copies of something similar
            copies = copies[: max(_LEAST_COPIES, (len(copies) + 1) // 2)]
            template = self._learn(template, copies)
        # one bit for each pair of nodes, and half the logarithm of the number for each feature
        length = np.log(2) * len(template.edges)
        length += np.log(len(self.edges)) / 2 * len(template.features)
        is_connected = nx.is_connected(nx.from_numpy_array(squareform(template.edges)))
        return self._as_filter(template, copies) if gain > length and is_connected else None

    def _log_normal(self, mean: np.ndarray, variance: float) -> np.ndarray:
        squared = ((self.features - mean) ** 2).sum(axis=2)
        return -0.5 * (squared / variance + len(mean) * np.log(2 * np.pi * variance))

    def _scores(self, template: _Template, rows: np.ndarray | slice) -> np.ndarray:
        """Log-likelihood of the edges under each alignment, ``[R, N!]``."""
        edge, none = template.log_factors()
        return self.edges[rows] @ (edge - none).astype(np.float32)[self.pair.T] + none.sum()

    def _copies_of(self, template: _Template) -> tuple[np.ndarray, float]:
        """Copies, of those that share most of their nodes the likeliest, and what they gain."""
        scores = self._scores(template, slice(None))
        nodes = self._log_normal(template.features, template.variance) + np.log(1 - _OTHER_NODE)
        ratio = np.logaddexp(nodes, np.log(_OTHER_NODE)).sum(axis=1) - self.background
        ratio += logsumexp(scores, axis=1) - np.log(scores.shape[1])
        copies: list[int] = []
        copies_at: dict[int, list[int]] = {}
        for row in np.argsort(-ratio, kind="stable")[: (ratio > 0).sum()].tolist():
            at_nodes = [copies_at.setdefault(node, []) for node in self.nodes[row].tolist()]
            shared = Counter(copy for at_node in at_nodes for copy in at_node)
            if 2 * max(shared.values(), default=0) <= len(at_nodes):
                copies.append(row)
                for at_node in at_nodes:
                    at_node.append(row)
        # it takes the logarithm of the share of copies to say that a subgraph is one
        gain = ratio[copies].sum() + len(copies) * np.log(max(1, len(copies)) / len(ratio))
        return np.array(copies, np.int64), float(gain)

    def _learn(self, template: _Template, copies: np.ndarray) -> _Template:
        """Raise the likelihood of copies: one edge after the other, then rates and features."""
        while True:
            on_edge = self._on_edge(template, copies)
            flipped = replace(template, edges=~template.edges)
            edge, none = np.exp(np.subtract(flipped.log_factors(), template.log_factors()))
            gains = np.log(on_edge * edge + (1 - on_edge) * none).sum(axis=0)
            if gains.max() < _LEAST_GAIN:
                break
            best = np.arange(len(gains)) == gains.argmax()
            template = replace(template, edges=template.edges ^ best)
        mean = self.features[copies].mean(axis=(0, 1))
        deleted = _fit(1 - on_edge[:, template.edges], _PRIOR_DELETED)
        inserted = _fit(on_edge[:, ~template.edges], _PRIOR_INSERTED)
        variance = _fit((self.features[copies] - mean) ** 2, _PRIOR_VARIANCE)
        return _Template(template.edges, mean, deleted, inserted, variance)

    def _on_edge(self, template: _Template, copies: np.ndarray) -> np.ndarray:
        """Probability that each pair of the template falls on an edge of each copy, ``[R, P]``."""
        weight = softmax(self._scores(template, copies), axis=1)
        # of each pair of a copy, the probability that it falls on each pair of the template
        fallen: np.ndarray = np.tensordot(weight, np.eye(self.pair.shape[1])[self.pair], 1)
        return np.einsum("rp,rpq->rq", self.edges[copies], fallen)

    def _as_filter(self, template: _Template, copies: np.ndarray) -> DiscreteFilters:
        """A filter with mean features, each node's own, and the share of copies with each edge."""
        node_at = self.mapping[self._scores(template, copies).argmax(axis=1)].argsort(axis=1)
        features = np.take_along_axis(self.scaled[copies], node_at[:, :, None], axis=1)
        # an edge weight above one half is an edge, also where fewer of the copies have it
        share = np.maximum(self._on_edge(template, copies).mean(axis=0), 0.501) * template.edges
        arrays = (squareform(template.edges), features.mean(axis=0), squareform(share))
        adj, feat, weights = (torch.from_numpy(one[None].astype(np.float32)) for one in arrays)
        return DiscreteFilters(adj, feat, weights, (len(adj[0]),), noisy=(True,))
