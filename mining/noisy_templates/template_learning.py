"""Learn noisy templates by expectation-maximisation: edges, features, rates, and merges.

One round computes the responsibilities of all templates (expectation), then maximises the expected
log-likelihood of each template by itself: its edges by a greedy search over single edits, its
features and its rates in closed form. An edit of one edge changes the likelihood of a copy by a
factor that depends only on the probability that the copy has an edge there. So one pass over the
alignments gives the exact gain of every edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from mining.noisy_templates.alignments import EDGE, NO_EDGE, PADDING, AlignmentPosterior, align
from mining.noisy_templates.template_mixture import (
    MIN_VARIANCE,
    Observations,
    Posterior,
    Template,
    component_log_likelihoods,
    expectation_step,
    fit_weights,
)

# a template's rates and variance are drawn towards its defaults, as if by so many observations
_PRIOR_COUNT = 60.0
_RATE_RANGE = (0.005, 0.4)
_MAX_VARIANCE = 0.2
# copies with a smaller responsibility do not take part in the maximisation
_MIN_RESPONSIBILITY = 1e-3
# in nats: an edit that gains less is not made, and two templates are not merged where the
# likelihood of a copy would fall by more
_MIN_GAIN = 1e-6
_MAX_LOSS_PER_COPY = 3.0
# rounds of expectation-maximisation, and those in which templates are merged
_NUM_ROUNDS = 6
_MERGE_ROUNDS = (2, 4)


def fit_mixture(data: Observations, initial: Sequence[Template]) -> list[Template]:
    """Learn templates from initial ones, which are edited and merged."""
    templates, weight = list(initial), None
    for number in range(_NUM_ROUNDS):
        table = component_log_likelihoods(data, templates)
        # expectation: which subgraphs are copies of which template
        weight = fit_weights(table, 1, weight)
        posterior = expectation_step(table, weight)
        if number in _MERGE_ROUNDS:
            templates, posterior = merge_templates(data, templates, posterior)
            weight = posterior.weight
        # maximisation: each template is learnt from its own copies
        responsibility = posterior.of_copies(data)
        templates = [
            maximization_step(data, responsibility[:, j], template)
            for j, template in enumerate(templates)
        ]
    return templates


def maximization_step(
    data: Observations, responsibility: np.ndarray, template: Template, features_only: bool = False
) -> Template:
    """Maximise the expected log-likelihood of the copies, subgraph u by ``responsibility [U]``.

    With ``features_only`` the edges and the rates stay as they are.
    """
    rows = np.flatnonzero(responsibility > _MIN_RESPONSIBILITY)
    if len(rows) == 0:
        return template
    copies, responsibility = data.take(rows), responsibility[rows]
    aligned = align_copies(copies, template)
    # edges first: one edit at a time, the best of all, until none raises the likelihood
    while not features_only:
        edited = _best_edit(template, aligned, responsibility)
        if edited is None:
            break
        template, aligned = edited, align_copies(copies, edited)
    # then the features; they change the alignments, over which the rates are counted last
    template = _fit_features(copies, responsibility, template, aligned)
    fitted = _fit_noise(copies, responsibility, template, align_copies(copies, template))
    return replace(template, variance=fitted.variance) if features_only else fitted


def align_copies(copies: Observations, template: Template) -> AlignmentPosterior:
    """Align subgraphs with a template in all ways."""
    return align(template.log_fit(copies), copies.pairs, template.pairs, template.log_factors())


def edit_gains(
    template: Template, aligned: AlignmentPosterior, responsibility: np.ndarray
) -> np.ndarray:
    """What adding or removing each edge adds to the log-likelihood of the copies, ``[P]``."""
    factors = np.exp(template.log_factors())
    flipped = _flip(template.pairs)
    # by which factor the likelihood of an alignment changes, if the copy has an edge there or not
    with_edge = factors[flipped, EDGE] / factors[template.pairs, EDGE]
    without = factors[flipped, NO_EDGE] / factors[template.pairs, NO_EDGE]
    # nothing changes where one of the copy's nodes is padding
    change = aligned.on_edge * with_edge
    change += (aligned.on_real - aligned.on_edge) * without + (1 - aligned.on_real)
    gains: np.ndarray = responsibility @ np.log(change)
    return gains


def _flip(pairs: np.ndarray) -> np.ndarray:
    return np.array([EDGE, NO_EDGE, PADDING], np.int8)[pairs]


def _best_edit(
    template: Template, aligned: AlignmentPosterior, responsibility: np.ndarray
) -> Template | None:
    """Flip the pair that gains most and leaves the template connected; None if none gains."""
    gains = edit_gains(template, aligned, responsibility)
    for pair in np.argsort(-gains, kind="stable"):
        if gains[pair] <= _MIN_GAIN:
            break
        pairs = template.pairs.copy()
        pairs[pair] = _flip(pairs)[pair]
        edited = replace(template, pairs=pairs)
        if edited.is_connected():
            return edited
    return None


def edge_shares(data: Observations, responsibility: np.ndarray, template: Template) -> np.ndarray:
    """Share of the copies that have an edge where the template has one, ``[N, N]``."""
    rows = np.flatnonzero(responsibility > _MIN_RESPONSIBILITY)
    aligned = align_copies(data.take(rows), template)
    on_edge, on_real = (
        responsibility[rows] @ aligned.on_edge,
        responsibility[rows] @ aligned.on_real,
    )
    size = len(template.features)
    matrix = np.zeros((size, size))
    # a pair counts only where both of its nodes are in the copy
    share = np.divide(on_edge, on_real, out=np.zeros_like(on_edge), where=on_real > 0)
    matrix[np.triu_indices(size, 1)] = share
    # an edge weight above one half is an edge, also where fewer of the copies have it
    weights: np.ndarray = np.maximum(matrix + matrix.T, 0.501) * template.adjacency()
    return weights


def _fit_features(
    copies: Observations,
    responsibility: np.ndarray,
    template: Template,
    aligned: AlignmentPosterior,
) -> Template:
    """Mean features of the nodes that are mapped to each node of the template.

    They are the same for all nodes of the template, unless features of its own for each node raise
    the likelihood by more than the Bayesian information criterion asks for so many parameters.
    """
    size, width = template.num_nodes, template.features.shape[1]
    if width == 0:
        return template
    mapping = aligned.node_mapping * copies.is_real[:, :, None] * responsibility[:, None, None]
    # how much the nodes that are mapped to each node of the template count in all, [M]
    mass = mapping.sum(axis=(0, 1))[:size]
    mean = np.einsum("rim,rid->md", mapping, copies.features)[:size]
    mean /= np.maximum(mass, 1e-9)[:, None]
    # features of its own for each node, or the mean of all nodes
    own, shared = template.features.copy(), template.features.copy()
    own[:size] = np.where(mass[:, None] > 1e-6, mean, own[:size])
    shared[:size] = mass @ own[:size] / max(mass.sum(), 1e-9)
    with_own, with_shared = replace(template, features=own), replace(template, features=shared)
    gain = responsibility @ (with_own.log_likelihood(copies) - with_shared.log_likelihood(copies))
    penalty = 0.5 * np.log(max(mass.sum(), 2.0)) * (size - 1) * width
    return with_own if gain > penalty else with_shared


def _fit_noise(
    copies: Observations,
    responsibility: np.ndarray,
    template: Template,
    aligned: AlignmentPosterior,
) -> Template:
    """Rates and variance from the expected counts and the prior."""
    on_edge, on_real = responsibility @ aligned.on_edge, responsibility @ aligned.on_real
    edges, others = template.pairs == EDGE, template.pairs == NO_EDGE
    # expected numbers of deleted and of inserted edges
    deleted, inserted = (on_real - on_edge)[edges], on_edge[others]
    size, width = template.num_nodes, template.features.shape[1]
    mapping = aligned.node_mapping * copies.is_real[:, :, None] * responsibility[:, None, None]
    mapping = mapping[:, :, :size]
    squared = (mapping * template.squared_distance(copies)[:, :, :size]).sum()
    squared += _PRIOR_COUNT * Template.variance
    variance = squared / (mapping.sum() * width + _PRIOR_COUNT)
    return replace(
        template,
        deletion_rate=_fit_rate(deleted, on_real[edges], Template.deletion_rate),
        insertion_rate=_fit_rate(inserted, on_real[others], Template.insertion_rate),
        variance=float(np.clip(variance, MIN_VARIANCE, _MAX_VARIANCE)),
    )


def _fit_rate(changed: np.ndarray, all_pairs: np.ndarray, prior: float) -> float:
    rate = (changed.sum() + _PRIOR_COUNT * prior) / (all_pairs.sum() + _PRIOR_COUNT)
    return float(np.clip(rate, *_RATE_RANGE))


def description_length(data: Observations) -> float:
    """What it takes to describe one more template, in nats (minimum description length).

    One bit for each pair of nodes, and half the logarithm of the number of subgraphs for each
    feature and for the template's mixing weight.
    """
    width = data.features.shape[2]
    return float(data.pairs.shape[1] * np.log(2) + 0.5 * np.log(len(data)) * (1 + width))


def merge_templates(
    data: Observations, templates: Sequence[Template], posterior: Posterior
) -> tuple[list[Template], Posterior]:
    """Merge two templates, again and again, where that shortens the description of the data.

    The smaller template is removed and the larger one learnt anew on the copies of both. That saves
    the description of a template and costs likelihood.
    """
    saved = description_length(data)
    templates, table = list(templates), posterior.log_likelihood.copy()
    mass = np.column_stack([posterior.of_copies(data), posterior.responsibility[:, -1]])
    rejected: set[tuple[Template, Template]] = set()
    while (pair := _closest_pair(templates, table, mass, saved, rejected)) is not None:
        larger, smaller = pair
        both = mass[:, larger] + mass[:, smaller]
        # learn the larger template on the copies of both; the gain is one description less, minus
        # the likelihood that the copies lose
        merged = maximization_step(data, both, templates[larger])
        likelihood = merged.log_likelihood(data)
        gain = saved + _expected_log_joint(both, likelihood)
        gain -= sum(_expected_log_joint(mass[:, j], table[:, j]) for j in pair)
        if gain <= 0:
            rejected.add((templates[larger], templates[smaller]))
            continue
        templates[larger], mass[:, larger], table[:, larger] = merged, both, likelihood
        templates.pop(smaller)
        table, mass = np.delete(table, smaller, axis=1), np.delete(mass, smaller, axis=1)
    weight = np.maximum(mass.mean(axis=0), 1e-6)
    return templates, expectation_step(table, fit_weights(table, 1, weight / weight.sum()))


def _closest_pair(
    templates: Sequence[Template],
    table: np.ndarray,
    mass: np.ndarray,
    saved: float,
    rejected: set[tuple[Template, Template]],
) -> tuple[int, int] | None:
    """The larger and the smaller template whose copies lose least under the larger, if any."""
    total = mass.sum(axis=0)
    best, closest = np.inf, None
    for j, k in permutations(range(len(templates)), 2):
        larger, smaller = templates[j], templates[k]
        if (total[j], -j) < (total[k], -k) or larger.num_nodes != smaller.num_nodes:
            continue
        # what the copies of the smaller lose, less what relearning may win back
        loss = mass[:, k] @ (table[:, k] - table[:, j]) - _MAX_LOSS_PER_COPY * total[k]
        if loss <= saved and loss < best and (larger, smaller) not in rejected:
            best, closest = loss, (j, k)
    return closest


def _expected_log_joint(responsibility: np.ndarray, log_likelihood: np.ndarray) -> float:
    """Expected log-likelihood of a component's copies, and of their being its copies."""
    total = float(responsibility.sum())
    return float(responsibility @ log_likelihood) + total * np.log(max(total, 1e-9))
