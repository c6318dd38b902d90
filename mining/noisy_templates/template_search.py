"""Learn noisy templates: single-edge edits, features, rates, and merges of pairs.

Expectation maximisation over the model of ``noisy_templates.py``. An edit of one edge changes the
likelihood of a copy by a factor that depends only on how likely the copy has an edge there, so that
one pass over the alignments tells the gain of every edit exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import igraph
import numpy as np

from mining.noisy_templates.alignment_sums import (
    EDGE,
    NO_EDGE,
    PADDING,
    AlignmentSums,
    align_in_all_ways,
)
from mining.noisy_templates.template_mixture import (
    LEAST_VARIANCE,
    Explanation,
    Template,
    Units,
    copies_apart,
    explain,
    fit_weight,
    tabulate,
)

# a template's rates and variance are drawn towards these, as if by so many observations
_PRIOR = Template(np.empty(0, np.int8), np.empty((0, 0)), 0)
_PRIOR_COUNT = 60.0
_RATES = (0.005, 0.4)
_MOST_VARIANCE = 0.2
# copies less likely than this do not take part in an edit
_LEAST_SHARE = 1e-3
# gains in nats: an edit that wins less is not made; templates that differ by more a copy are not
# tried as a pair
_LEAST_GAIN = 1e-6
_FAR = 3.0
# rounds of expectation maximisation, and those before which templates are merged
_ROUNDS = 6
_MERGE_BEFORE = (2, 4)


def fit_mixture(units: Units, starts: Sequence[Template]) -> list[Template]:
    """Learn templates from ``starts``, which are edited and merged."""
    templates, weight = list(starts), np.full(len(starts) + 1, 1 / (len(starts) + 1))
    for number in range(_ROUNDS):
        table = tabulate(units, templates)
        weight = fit_weight(table, weight, 1)
        found = explain(table, weight)
        if number in _MERGE_BEFORE:
            templates, found = merge_templates(units, templates, found)
            weight = found.weight
        share = copies_apart(units, found)
        templates = [refit(units, share[:, j], one) for j, one in enumerate(templates)]
    return templates


def refit(units: Units, share: np.ndarray, template: Template, learn: bool = True) -> Template:
    """Maximise the expected likelihood of the copies, subgraph u to ``share [U]``.

    What is not to be learnt keeps its edges and its rates.
    """
    rows = np.flatnonzero(share > _LEAST_SHARE)
    if len(rows) == 0:
        return template
    copies, share = units.take(rows), share[rows]
    sums = align(copies, template)
    while learn:
        edited = _best_edit(template, sums, share)
        if edited is None:
            break
        template = edited
        sums = align(copies, template)
    template = _fit_features(copies, share, template, sums)
    fitted = _fit_rates(copies, share, template, align(copies, template))
    return fitted if learn else replace(fitted, lost=template.lost, added=template.added)


def align(copies: Units, template: Template) -> AlignmentSums:
    """Align subgraphs with a template in all ways."""
    return align_in_all_ways(
        template.log_fit(copies), copies.pairs, template.pairs, template.log_factors()
    )


def edit_gains(template: Template, sums: AlignmentSums, share: np.ndarray) -> np.ndarray:
    """What adding or removing each edge adds to the log-likelihood of the copies, ``[P]``."""
    factors = np.exp(template.log_factors())
    flipped = _flip(template.pairs)
    with_edge = factors[flipped, EDGE] / factors[template.pairs, EDGE]
    without = factors[flipped, NO_EDGE] / factors[template.pairs, NO_EDGE]
    # a copy whose nodes there are not both real says nothing
    change = sums.joined * with_edge + (sums.seen - sums.joined) * without + (1 - sums.seen)
    gains: np.ndarray = share @ np.log(change)
    return gains


def _flip(pairs: np.ndarray) -> np.ndarray:
    return np.array([EDGE, NO_EDGE, PADDING], np.int8)[pairs]


def _best_edit(template: Template, sums: AlignmentSums, share: np.ndarray) -> Template | None:
    """Add or remove the edge that gains most and leaves the template connected, if any does."""
    gains = edit_gains(template, sums, share)
    for pair in np.argsort(-gains, kind="stable"):
        if gains[pair] <= _LEAST_GAIN:
            break
        pairs = template.pairs.copy()
        pairs[pair] = _flip(pairs)[pair]
        edited = replace(template, pairs=pairs)
        if is_connected(edited):
            return edited
    return None


def adjacency_of(template: Template) -> np.ndarray:
    """Adjacency matrix, padded as the template is, bool ``[N, N]``."""
    size = len(template.features)
    matrix = np.zeros((size, size), bool)
    matrix[np.triu_indices(size, 1)] = template.pairs == EDGE
    return matrix | matrix.T


def is_connected(template: Template) -> bool:
    """Whether a template is one piece."""
    edges = np.argwhere(np.triu(adjacency_of(template)))
    return bool(igraph.Graph(n=template.num_nodes, edges=edges.tolist()).is_connected())


def copies_with_edges(units: Units, share: np.ndarray, template: Template) -> np.ndarray:
    """Share of the copies that have an edge where the template has one, ``[N, N]``."""
    rows = np.flatnonzero(share > _LEAST_SHARE)
    sums = align(units.take(rows), template)
    joined, seen = share[rows] @ sums.joined, share[rows] @ sums.seen
    size = len(template.features)
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size, 1)] = np.divide(joined, seen, out=joined * 0, where=seen > 0)
    # an edge stays one where fewer than half of its copies have it
    weights: np.ndarray = np.maximum(matrix + matrix.T, 0.501) * adjacency_of(template)
    return weights


def _fit_features(
    copies: Units, share: np.ndarray, template: Template, sums: AlignmentSums
) -> Template:
    """Mean features of what plays each node; the same for all nodes unless that says too little."""
    size, width = template.num_nodes, template.features.shape[1]
    if width == 0:
        return template
    seats = sums.seats * copies.real[:, :, None] * share[:, None, None]
    mass = seats.sum(axis=(0, 1))[:size]
    mean = np.einsum("rim,rid->md", seats, copies.features)[:size]
    mean /= np.maximum(mass, 1e-9)[:, None]
    own, alike = template.features.copy(), template.features.copy()
    own[:size] = np.where(mass[:, None] > 1e-6, mean, own[:size])
    alike[:size] = mass @ own[:size] / max(mass.sum(), 1e-9)
    each, same = replace(template, features=own), replace(template, features=alike)
    gain = share @ (each.log_likelihood(copies) - same.log_likelihood(copies))
    # Schwarz's criterion for the numbers that own features take
    price = 0.5 * np.log(max(mass.sum(), 2.0)) * (size - 1) * width
    return each if gain > price else same


def _fit_rates(
    copies: Units, share: np.ndarray, template: Template, sums: AlignmentSums
) -> Template:
    """Rates and variance from the expected counts and the prior."""
    joined, seen = share @ sums.joined, share @ sums.seen
    edges, others = template.pairs == EDGE, template.pairs == NO_EDGE
    rates = [
        np.clip((hits.sum() + _PRIOR_COUNT * prior) / (of.sum() + _PRIOR_COUNT), *_RATES)
        for hits, of, prior in (
            ((seen - joined)[edges], seen[edges], _PRIOR.lost),
            (joined[others], seen[others], _PRIOR.added),
        )
    ]
    size, width = template.num_nodes, template.features.shape[1]
    seats = (sums.seats * copies.real[:, :, None] * share[:, None, None])[:, :, :size]
    squared = (seats * template.squared_distance(copies)[:, :, :size]).sum()
    squared += _PRIOR_COUNT * _PRIOR.variance
    variance = squared / (seats.sum() * width + _PRIOR_COUNT)
    variance = float(np.clip(variance, LEAST_VARIANCE, _MOST_VARIANCE))
    return replace(template, lost=float(rates[0]), added=float(rates[1]), variance=variance)


def describing_price(units: Units) -> float:
    """What it takes to describe one more template, in nats (minimum description length).

    One bit a pair of nodes, and half the logarithm of the number of subgraphs for each feature and
    for the template's share.
    """
    width = units.features.shape[2]
    return float(units.pairs.shape[1] * np.log(2) + 0.5 * np.log(len(units)) * (1 + width))


def merge_templates(
    units: Units, templates: Sequence[Template], found: Explanation
) -> tuple[list[Template], Explanation]:
    """Merge pairs of templates where the likelihood loses less than a description takes."""
    price = describing_price(units)
    templates, table = list(templates), found.log_likelihood.copy()
    share = np.column_stack([copies_apart(units, found), found.share[:, -1]])
    apart: set[tuple[int, int]] = set()
    # a template that is merged gets a new number, so that its pairs are tried again
    numbers = list(range(len(templates)))
    while (pair := _most_alike(templates, table, share, price, numbers, apart)) is not None:
        kept, gone = pair
        both = share[:, kept] + share[:, gone]
        merged = refit(units, both, templates[kept])
        likelihood = merged.log_likelihood(units)
        gain = price + both @ likelihood + _entropy(both)
        for j in pair:
            gain -= share[:, j] @ table[:, j] + _entropy(share[:, j])
        if gain <= 0:
            apart.add((numbers[kept], numbers[gone]))
            continue
        templates[kept], share[:, kept], table[:, kept] = merged, both, likelihood
        numbers[kept] = max(numbers) + 1
        templates.pop(gone)
        numbers.pop(gone)
        table, share = np.delete(table, gone, axis=1), np.delete(share, gone, axis=1)
    start = np.maximum(share.mean(axis=0), 1e-6)
    return templates, explain(table, fit_weight(table, start / start.sum(), 1))


def _most_alike(
    templates: Sequence[Template],
    table: np.ndarray,
    share: np.ndarray,
    price: float,
    numbers: Sequence[int],
    apart: set[tuple[int, int]],
) -> tuple[int, int] | None:
    """The pair of which the copies of the smaller lose least under the larger, if any is left."""
    held = share.sum(axis=0)
    best, pair = np.inf, None
    for j, template in enumerate(templates):
        for k, other in enumerate(templates):
            larger = (held[j], -j) > (held[k], -k)
            if not larger or template.num_nodes != other.num_nodes:
                continue
            if (numbers[j], numbers[k]) in apart:
                continue
            loss = share[:, k] @ (table[:, k] - table[:, j])
            if loss <= price + _FAR * held[k] and loss - _FAR * held[k] < best:
                best, pair = loss - _FAR * held[k], (j, k)
    return pair


def _entropy(share: np.ndarray) -> float:
    held = float(share.sum())
    return held * np.log(max(held, 1e-9))
