"""Patterns of which few copies are intact: whether a graph has any, and which.

Where noise has deleted and inserted edges, most copies of a pattern have a structure of their own,
and a filter that resembles one of them keeps its damage. So noisy templates
(``template_mixture.py``) are learnt beside the patterns that are frequent as they are:

1. Unless the user asks for noisy patterns, they are searched for only where at least a tenth of the
   different subgraphs have a structure that occurs fewer than five times.
2. The graph is divided into small regions, a third of which are held out. Templates are learnt on
   the subgraphs in the other regions, and selected one by one while they raise the held-out
   likelihood. If none does, there are no noisy patterns.
3. Otherwise templates are learnt again on all subgraphs, from those selected and from real
   subgraphs, and selected while each raises the likelihood by more than its description length.
4. A selected template is a pattern if it explains at least ``min_support`` subgraphs, fewer than
   half of which are intact.

The frequent patterns stay as they are, so nothing is lost where noisy templates gain nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra

from gomkcn_dgl.csr import CSRGraph
from mining.learning.initialization import choose_initial
from mining.noisy_templates.alignments import MAX_TEMPLATE_NODES
from mining.noisy_templates.template_learning import (
    description_length,
    edge_shares,
    fit_mixture,
    maximization_step,
)
from mining.noisy_templates.template_mixture import (
    Observations,
    Template,
    component_log_likelihoods,
    expectation_step,
    fit_weights,
)
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.rooted_subgraphs import RootedSubgraphs

NOISY_COPIES = ("auto", "no", "yes")
MOST_NOISY_NODES = MAX_TEMPLATE_NODES

# a structure that occurs less often is rare; from this share of subgraphs with a rare structure on,
# noisy patterns are searched for
_RARE = 5
_RARE_SHARE = 0.1
# most subgraphs that templates are learnt from
_MAX_OBSERVATIONS = 2000
# mean number of nodes in a region, and the share of all nodes that is held out
_REGION_SIZE = 12
_HELD_OUT_SHARE = 1 / 3
# deletion and insertion rate of a frequent pattern: it stands for its intact copies
_FREQUENT_RATE = 0.01
# steps to fit mixing weights, and rounds to learn the selected templates on all subgraphs
_NUM_WEIGHT_STEPS = 20
_NUM_ROUNDS = 3


def may_be_noisy(subgraphs: RootedSubgraphs) -> bool:
    """Whether the subgraphs are small enough for noisy templates and many structures are rare."""
    if subgraphs.batch.max_nodes > MOST_NOISY_NODES:
        return False
    keys = [subgraphs.forms.key(row) for row in _distinct_rows(subgraphs)]
    count = Counter(keys)
    num_rare = sum(count[key] < _RARE for key in keys)
    return num_rare >= _RARE_SHARE * len(keys)


def add_noisy_patterns(
    frequent: DiscreteFilters,
    subgraphs: RootedSubgraphs,
    num_initial: int,
    sample_size: int,
    min_support: int,
    seed: int,
) -> DiscreteFilters:
    """Add the patterns of which the subgraphs are noisy copies, if there are any.

    Templates start from ``num_initial`` real subgraphs, chosen by facility location among
    ``sample_size``. A pattern explains at least ``min_support`` subgraphs. Of ``frequent``, what
    is learnt anew is left out.
    """
    if not 2 < subgraphs.batch.max_nodes <= MOST_NOISY_NODES:
        return frequent
    rng = np.random.default_rng([seed, 6])
    rows = _distinct_rows(subgraphs)
    # the mixture describes a sample of the different subgraphs
    if len(rows) > _MAX_OBSERVATIONS:
        rows = np.sort(rng.choice(rows, size=_MAX_OBSERVATIONS, replace=False))
    types = subgraphs.classes
    sample_size = max(num_initial, min(sample_size, _MAX_OBSERVATIONS))
    chosen = choose_initial(
        "facility_location", types, num_initial, subgraphs.kernel, sample_size, rng,
        subgraphs.backend,
    )  # fmt: skip
    selection = _TemplateSelection(subgraphs, rows, frequent, min_support)
    templates = selection.select(types.first[chosen], rng)
    if not templates:
        return frequent
    # a noisy pattern replaces the frequent one with the same structure
    relations = subgraphs.batch.relations
    keys = {template.key(relations) for template in templates}
    others = [i for i, own in enumerate(frequent.structure_keys(relations)) if own not in keys]
    return DiscreteFilters.join([frequent.take(others), selection.as_filters(templates)])


def held_out_nodes(graph: CSRGraph, rng: np.random.Generator) -> np.ndarray:
    """Draw the nodes of about a third of the regions of a graph, bool ``[V]``.

    Centres are drawn at random. A region is the nodes nearest to a centre, or a connected component
    without one.
    """
    size = graph.num_nodes
    adjacency = csr_matrix((np.ones(len(graph.indices)), graph.indices, graph.indptr), (size, size))
    centres = np.flatnonzero(rng.random(size) < 1 / _REGION_SIZE)
    region = size + connected_components(adjacency)[1]
    if len(centres):
        distance, _, nearest = dijkstra(
            adjacency, indices=centres, unweighted=True, min_only=True, return_predecessors=True
        )
        region = np.where(np.isfinite(distance), nearest, region)
    # regions in random order, until a third of the nodes is held out
    _, region = np.unique(region, return_inverse=True)
    order = rng.permutation(region.max() + 1)
    num_nodes = np.cumsum(np.bincount(region)[order])
    held_out: np.ndarray = np.isin(region, order[num_nodes <= _HELD_OUT_SHARE * size])
    return held_out


def _distinct_rows(subgraphs: RootedSubgraphs) -> np.ndarray:
    """One subgraph of each node set."""
    return np.unique(subgraphs.node_sets, return_index=True)[1]


class _TemplateSelection:
    """Learns templates that explain the subgraphs in ``rows``, and selects among them."""

    def __init__(
        self,
        subgraphs: RootedSubgraphs,
        rows: np.ndarray,
        frequent: DiscreteFilters,
        min_support: int,
    ) -> None:
        self.subgraphs, self.rows, self.min_support = subgraphs, rows, min_support
        low, high = subgraphs.features.bounds()
        # a feature that is constant distinguishes no nodes
        self.columns = np.flatnonzero(low < high)
        self.offset, self.spread = low[self.columns], (high - low)[self.columns]
        self.data = self._observations(rows)
        self.frequent = self._frequent_templates(frequent)
        self.relations = subgraphs.batch.relations
        self.known = {template.key(self.relations) for template in self.frequent}

    def select(self, initial: np.ndarray, rng: np.random.Generator) -> list[Template]:
        """Return the templates of noisy patterns; ``initial`` are rows of subgraphs to start from.

        These are steps 2 to 4 of the procedure above.
        """
        # Step 2: a subgraph is for testing if all of its nodes are held out, and for learning if
        # none is. Those in between are left out.
        held_out = held_out_nodes(self.subgraphs.graph, rng)
        num_held_out = self._count_nodes(self.rows, held_out)
        test = self.data.take(np.flatnonzero(num_held_out == self.data.num_nodes))
        train = self.data.take(np.flatnonzero(num_held_out == 0))
        # templates must not come from what is held out
        allowed = initial[self._count_nodes(initial, held_out) == 0]
        if not min(len(test), len(train), len(allowed)):
            return []
        learnt = fit_mixture(train, self._templates_at(allowed))
        selected = self._select_beside_frequent(train, test, learnt, min_gain=0.0)
        if not selected:
            return []
        # Step 3: noisy patterns exist, so learn them from all subgraphs. Learning and testing now
        # use the same data, so a gain must exceed the description length.
        learnt = fit_mixture(self.data, [*selected, *self._templates_at(initial)])
        min_gain = description_length(self.data)
        return self._patterns(self._select_beside_frequent(self.data, self.data, learnt, min_gain))

    def as_filters(self, templates: Sequence[Template]) -> DiscreteFilters:
        """The templates as filters, weighted by the share of the copies that have an edge."""
        size, width = self.data.features.shape[1], self.subgraphs.features.shape[1]
        feat = np.zeros((len(templates), size, width), np.float32)
        for row, template in zip(feat, templates, strict=True):
            row[: template.num_nodes] = self.subgraphs.features[0]
            scaled = self.offset + self.spread * template.features[: template.num_nodes]
            row[: template.num_nodes, self.columns] = scaled
        adj = np.stack([template.adjacency() for template in templates]).astype(np.float32)
        # the weight of an edge is the share of the copies that have it
        copies = responsibilities(self.data, [*self.frequent, *templates])[:, len(self.frequent) :]
        weights = np.stack(
            [edge_shares(self.data, copies[:, j], one) for j, one in enumerate(templates)]
        )
        return DiscreteFilters(
            torch.from_numpy(adj),
            torch.from_numpy(feat),
            torch.from_numpy(weights.astype(np.float32)),
            tuple(template.num_nodes for template in templates),
            noisy=(True,) * len(templates),
        )

    def _observations(self, rows: np.ndarray) -> Observations:
        batch = self.subgraphs.batch.take(rows)
        features = self._unit_features(batch.gather(self.subgraphs.features))
        return Observations.of(batch.adjacency(), features, batch.num_nodes, batch.nodes)

    def _unit_features(self, scaled: np.ndarray) -> np.ndarray:
        """The columns that vary, each over the whole unit interval, ``[U, N, D']``."""
        return (scaled[:, :, self.columns] - self.offset) / self.spread

    def _count_nodes(self, rows: np.ndarray, marked: np.ndarray) -> np.ndarray:
        """How many nodes of each subgraph are marked, bool ``[V]``."""
        nodes = self.subgraphs.batch.nodes[rows]
        count: np.ndarray = (marked[nodes] & (nodes >= 0)).sum(axis=1)
        return count

    def _templates_at(self, rows: np.ndarray) -> list[Template]:
        """Templates that equal real subgraphs."""
        return _as_templates(self._observations(rows), range(len(rows)))

    def _frequent_templates(self, frequent: DiscreteFilters) -> list[Template]:
        """Templates of the patterns of which enough copies are intact."""
        features = self._unit_features(frequent.feat.numpy())
        data = Observations.of(frequent.adj.numpy(), features, np.array(frequent.num_nodes))
        distinct = _distinct_rows(self.subgraphs)
        rows = [
            i
            for i, key in enumerate(frequent.structure_keys(self.subgraphs.batch.relations))
            if self.subgraphs.forms.has(key)[distinct].sum() >= self.min_support
        ]
        return _as_templates(data, rows, _FREQUENT_RATE, _FREQUENT_RATE)

    def _select_beside_frequent(
        self, train: Observations, test: Observations, learnt: Sequence[Template], min_gain: float
    ) -> list[Template]:
        """Of the templates learnt on ``train``, those that explain more of ``test``."""
        candidates = [one for one in learnt if one.key(self.relations) not in self.known]
        frequent = learn_jointly(train, self.frequent)
        return select_greedily(train, test, frequent, candidates, min_gain)

    def _patterns(self, selected: Sequence[Template]) -> list[Template]:
        """Learn the selected templates on all subgraphs; keep those with enough damaged copies."""
        # Step 4: a subgraph is a copy of the template that explains it with more than one half
        templates = learn_jointly(self.data, self.frequent, selected)
        is_copy = responsibilities(self.data, templates) > 0.5
        structure = [self.subgraphs.forms.key(row) for row in self.rows]
        patterns: dict[bytes, Template] = {}
        for j in range(len(self.frequent), len(templates)):
            key = templates[j].key(self.relations)
            copies = [structure[row] for row in np.flatnonzero(is_copy[:, j])]
            mostly_damaged = 2 * copies.count(key) < len(copies)
            if len(copies) >= self.min_support and mostly_damaged and key not in self.known:
                patterns.setdefault(key, templates[j])
        return list(patterns.values())


def _as_templates(data: Observations, rows: Sequence[int], *rates: float) -> list[Template]:
    return [
        Template(data.pairs[row], data.features[row], int(data.num_nodes[row]), *rates)
        for row in rows
    ]


def responsibilities(data: Observations, templates: Sequence[Template]) -> np.ndarray:
    """Probability that each subgraph is a copy of each template, ``[U, J]``, without overlaps."""
    table = component_log_likelihoods(data, templates)
    return expectation_step(table, fit_weights(table, _NUM_WEIGHT_STEPS)).of_copies(data)


def learn_jointly(
    data: Observations, frequent: Sequence[Template], noisy: Sequence[Template] = ()
) -> list[Template]:
    """Learn the features of all templates, and the edges and rates of the noisy ones."""
    templates = [*frequent, *noisy]
    for _ in range(_NUM_ROUNDS):
        copies = responsibilities(data, templates)
        templates = [
            maximization_step(data, copies[:, j], template, features_only=j < len(frequent))
            for j, template in enumerate(templates)
        ]
    return templates


def select_greedily(
    train: Observations,
    test: Observations,
    frequent: Sequence[Template],
    candidates: Sequence[Template],
    min_gain: float,
) -> list[Template]:
    """Add the candidate that raises the log-likelihood of ``test`` most, while above ``min_gain``.

    The mixing weights are those of ``train``.
    """
    # all likelihoods are computed once; each trial below takes some of the columns
    templates = [*frequent, *candidates]
    of_train = component_log_likelihoods(train, templates)
    of_test = component_log_likelihoods(test, templates, fitted=train)

    def test_likelihood(rows: list[int]) -> float:
        # column -1 is the background
        components = [*rows, -1]
        weight = fit_weights(of_train[:, components], _NUM_WEIGHT_STEPS)
        return float(expectation_step(of_test[:, components], weight).log_evidence.sum())

    selected = list(range(len(frequent)))
    best, remaining = test_likelihood(selected), list(range(len(frequent), len(templates)))
    while remaining:
        # try each candidate beside those selected so far, and take the best
        likelihoods = [test_likelihood([*selected, j]) for j in remaining]
        winner = int(np.argmax(likelihoods))
        if likelihoods[winner] - best <= min_gain:
            break
        best = likelihoods[winner]
        selected.append(remaining.pop(winner))
    return [templates[j] for j in selected[len(frequent) :]]
