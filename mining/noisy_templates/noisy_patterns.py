"""Patterns of which few copies are intact: whether the subgraphs speak for them, and which.

Where noise has deleted and added edges, most copies of a pattern have a structure of their own, and
a filter that resembles one real subgraph keeps its damage. Noisy templates (``noisy_templates.py``)
are learnt instead, beside the patterns that are frequent as they are:

1. Unless they are asked for, they are looked for only where at least a tenth of the different
   subgraphs have a structure that comes fewer than five times.
2. The graph is cut into small regions, a third of which are held out. Templates are learnt on the
   subgraphs that lie in the others, and taken one by one while they raise the likelihood of the
   held-out subgraphs. If none does, there are no noisy patterns.
3. Otherwise they are learnt again on all subgraphs, from those taken and from real subgraphs, and
   taken while each raises the likelihood by more than its description takes.
4. What was taken is a pattern if it explains at least ``min_support`` subgraphs, fewer than half of
   which are intact.

The frequent patterns stay what they are, so that nothing is lost where there is nothing to win.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra

from gomkcn_dgl.csr import CSRGraph
from mining.learning.initialization import choose_initial
from mining.noisy_templates.alignment_sums import MOST_EXACT_NODES
from mining.noisy_templates.template_mixture import (
    Template,
    Units,
    copies_apart,
    explain,
    fit_weight,
    tabulate,
)
from mining.noisy_templates.template_search import (
    adjacency_of,
    copies_with_edges,
    describing_price,
    fit_mixture,
    refit,
)
from mining.structures.canonical_forms import canonical_form
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.rooted_subgraphs import RootedSubgraphs

log = logging.getLogger("gomkcn_dgl")

NOISY_COPIES = ("auto", "no", "yes")

# alignments of larger subgraphs are too many
MOST_NOISY_NODES = 10
# a structure that comes less often is rare; the share of subgraphs with a rare one that speaks for
# noisy copies
_RARE = 5
_RARE_SHARE = 0.1
# most subgraphs that templates are learnt from
_MOST_UNITS = 2000
# nodes of a region, and the share of the nodes that is held out
_REGION = 12
_HELD_OUT = 1 / 3
# rates at which a frequent pattern loses and gains edges: it stands for its intact copies
_DAMAGE = 0.01
# steps to weigh the templates, and rounds to learn the accepted ones on all subgraphs
_WEIGHT_STEPS = 20
_ROUNDS = 3


def may_be_noisy(around: RootedSubgraphs) -> bool:
    """Whether it is quick to look for noisy copies, and many subgraphs have a rare structure."""
    if around.batch.nodes.shape[1] > MOST_EXACT_NODES:
        return False
    own = [around.forms.certificate(row) for row in _one_of_each_node_set(around)]
    count = Counter(own)
    return sum(count[one] < _RARE for one in own) >= _RARE_SHARE * len(own)


def add_noisy_patterns(
    regular: DiscreteFilters,
    around: RootedSubgraphs,
    num_starts: int,
    sample_size: int,
    min_support: int,
    seed: int,
) -> DiscreteFilters:
    """Add the patterns that the subgraphs show in noisy copies, if any.

    Parameters
    ----------
    regular : DiscreteFilters
        Patterns found so far.
    around : RootedSubgraphs
        Of the graph.
    num_starts : int
        Real subgraphs from which templates start, chosen by facility location.
    sample_size : int
        Subgraphs compared to choose them.
    min_support : int
        Fewest subgraphs that a pattern explains.
    seed : int

    Returns
    -------
    DiscreteFilters
        ``regular``, less those that are found anew, and the noisy ones.
    """
    rng = np.random.default_rng([seed, 6])
    rows = _one_of_each_node_set(around)
    if not 2 < around.batch.nodes.shape[1] <= MOST_NOISY_NODES:
        return regular
    if len(rows) > _MOST_UNITS:
        rows = np.sort(rng.choice(rows, size=_MOST_UNITS, replace=False))
    types = around.types
    sample_size = max(num_starts, min(sample_size, _MOST_UNITS))
    chosen = choose_initial(
        "facility_location", types, num_starts, around.kernel, sample_size, rng, around.backend
    )
    search = _Search(around, rows, regular, min_support)
    found = search.learn_and_judge(types.first[chosen], rng)
    log.info("%d patterns of which few copies are intact", len(found))
    if not found:
        return regular
    certificates = {_certificate(template) for template in found}
    kept = [i for i, own in enumerate(regular.certificates()) if own not in certificates]
    return DiscreteFilters.join([regular.take(kept), search.snap(found)])


def hold_out(graph: CSRGraph, rng: np.random.Generator) -> np.ndarray:
    """Draw the nodes of about a third of the regions of a graph, bool ``[V]``.

    A region is what is nearest to one of the nodes drawn as centres, or a component without one.
    """
    size = graph.num_nodes
    joined = csr_matrix((np.ones(len(graph.indices)), graph.indices, graph.indptr), (size, size))
    centres = np.flatnonzero(rng.random(size) < 1 / _REGION)
    region = size + connected_components(joined)[1]
    if len(centres):
        reached, _, nearest = dijkstra(
            joined, indices=centres, unweighted=True, min_only=True, return_predecessors=True
        )
        region = np.where(np.isfinite(reached), nearest, region)
    _, region = np.unique(region, return_inverse=True)
    order = rng.permutation(region.max() + 1)
    filled = np.cumsum(np.bincount(region)[order])
    held: np.ndarray = np.isin(region, order[filled <= _HELD_OUT * size])
    return held


def _one_of_each_node_set(around: RootedSubgraphs) -> np.ndarray:
    return np.unique(around.node_sets, return_index=True)[1]


def _certificate(template: Template) -> bytes:
    size = template.num_nodes
    return canonical_form(adjacency_of(template)[:size, :size]).certificate


class _Search:
    """The subgraphs of a graph, and templates that explain them."""

    def __init__(
        self, around: RootedSubgraphs, rows: np.ndarray, regular: DiscreteFilters, min_support: int
    ) -> None:
        self.around, self.rows, self.min_support = around, rows, min_support
        low, high = around.features.bounds()
        # what never changes tells no node from another
        self.columns = np.flatnonzero(low < high)
        self.offset, self.spread = low[self.columns], (high - low)[self.columns]
        self.units = self._units_at(rows)
        self.structure = [around.forms.certificate(row) for row in rows]
        self.frequent = self._frequent_among(regular)
        self.known = {_certificate(template) for template in self.frequent}

    def _held_nodes(self, rows: np.ndarray, held: np.ndarray) -> np.ndarray:
        """How many nodes of each subgraph are held out."""
        nodes = self.around.batch.nodes[rows]
        count: np.ndarray = (held[nodes] & (nodes >= 0)).sum(axis=1)
        return count

    def _templates_at(self, rows: np.ndarray) -> list[Template]:
        """Templates that are real subgraphs."""
        units = self._units_at(rows)
        return [
            Template(units.pairs[i], units.features[i], int(units.num_nodes[i]))
            for i in range(len(units))
        ]

    def learn_and_judge(self, starts: np.ndarray, rng: np.random.Generator) -> list[Template]:
        """Return the templates that earn their place; ``starts`` are subgraphs to begin with."""
        held = hold_out(self.around.graph, rng)
        inside, size = self._held_nodes(self.rows, held), self.units.num_nodes
        test = self.units.take(np.flatnonzero(inside == size))
        train = self.units.take(np.flatnonzero(inside == 0))
        # what is held out must not be where templates come from
        allowed = starts[self._held_nodes(starts, held) == 0]
        if not min(len(test), len(train), len(allowed)):
            return []
        learnt = fit_mixture(train, self._templates_at(allowed))
        taken = self._take(train, test, learnt, price=0.0)
        if not taken:
            return []
        learnt = fit_mixture(self.units, [*taken, *self._templates_at(starts)])
        price = describing_price(self.units)
        return self._patterns(self._take(self.units, self.units, learnt, price))

    def _take(
        self, train: Units, test: Units, learnt: Sequence[Template], price: float
    ) -> list[Template]:
        """Of the templates learnt on ``train``, those that ``test`` wants beside the frequent."""
        rivals = [one for one in learnt if _certificate(one) not in self.known]
        frequent = learn_together(train, self.frequent)
        return take_greedily(train, test, frequent, rivals, price)

    def snap(self, templates: Sequence[Template]) -> DiscreteFilters:
        """The templates as the kernel takes them; weights are shares of copies with an edge."""
        around = self.around
        size, width = around.batch.nodes.shape[1], around.features.shape[1]
        feat = np.zeros((len(templates), size, width), np.float32)
        for row, template in zip(feat, templates, strict=True):
            row[: template.num_nodes] = around.features[0]
            scaled = self.offset + self.spread * template.features[: template.num_nodes]
            row[: template.num_nodes, self.columns] = scaled
        adj = np.stack([adjacency_of(template) for template in templates]).astype(np.float32)
        share = explain_all(self.units, [*self.frequent, *templates])[:, len(self.frequent) :]
        weights = np.stack(
            [copies_with_edges(self.units, share[:, j], one) for j, one in enumerate(templates)]
        )
        return DiscreteFilters(
            torch.from_numpy(adj),
            torch.from_numpy(feat),
            torch.from_numpy(weights.astype(np.float32)),
            tuple(template.num_nodes for template in templates),
            noisy=(True,) * len(templates),
        )

    def _units_at(self, rows: np.ndarray) -> Units:
        batch = self.around.batch.take(rows)
        return Units.of(
            batch.adjacency(), self._unit_features(batch.gather(self.around.features)),
            batch.num_nodes, batch.nodes,
        )  # fmt: skip

    def _unit_features(self, scaled: np.ndarray) -> np.ndarray:
        """Columns that tell, each over the whole unit interval, ``[U, N, D']``."""
        return (scaled[:, :, self.columns] - self.offset) / self.spread

    def _frequent_among(self, regular: DiscreteFilters) -> list[Template]:
        """Templates of the patterns of which enough copies are intact."""
        units = Units.of(
            regular.adj.numpy(), self._unit_features(regular.feat.numpy()),
            np.array(regular.num_nodes),
        )  # fmt: skip
        every = _one_of_each_node_set(self.around)
        kept = [
            i
            for i, certificate in enumerate(regular.certificates())
            if self.around.forms.has(certificate)[every].sum() >= self.min_support
        ]
        return [
            Template(units.pairs[i], units.features[i], int(units.num_nodes[i]), _DAMAGE, _DAMAGE)
            for i in kept
        ]

    def _patterns(self, taken: Sequence[Template]) -> list[Template]:
        """Learn the last on all subgraphs, and keep what explains enough that is not intact."""
        both = learn_together(self.units, self.frequent, taken)
        sure = explain_all(self.units, both) > 0.5
        kept: dict[bytes, Template] = {}
        for j in range(len(self.frequent), len(both)):
            certificate = _certificate(both[j])
            copies = [self.structure[row] for row in np.flatnonzero(sure[:, j])]
            intact = copies.count(certificate)
            enough = len(copies) >= self.min_support and 2 * intact < len(copies)
            if enough and certificate not in self.known:
                kept.setdefault(certificate, both[j])
        return list(kept.values())


def explain_all(units: Units, templates: Sequence[Template]) -> np.ndarray:
    """Probability that each subgraph is the copy of a template at its place, ``[U, J]``."""
    table = tabulate(units, templates)
    weight = fit_weight(table, _evenly(len(templates) + 1), _WEIGHT_STEPS)
    return copies_apart(units, explain(table, weight))


def learn_together(
    units: Units, frequent: Sequence[Template], noisy: Sequence[Template] = ()
) -> list[Template]:
    """Learn the features of all templates, and edges and rates of the noisy ones."""
    templates = [*frequent, *noisy]
    for _ in range(_ROUNDS):
        share = explain_all(units, templates)
        templates = [
            refit(units, share[:, j], template, learn=j >= len(frequent))
            for j, template in enumerate(templates)
        ]
    return templates


def take_greedily(
    train: Units,
    test: Units,
    frequent: Sequence[Template],
    rivals: Sequence[Template],
    price: float,
) -> list[Template]:
    """Take the rival that raises the log-likelihood of ``test`` most, while by more than a price.

    The shares are those of ``train``.
    """
    every = [*frequent, *rivals]
    known, unseen = tabulate(train, every), tabulate(test, every, fitted=train)

    def reach(columns: list[int]) -> float:
        chosen = [*columns, -1]
        weight = fit_weight(known[:, chosen], _evenly(len(chosen)), _WEIGHT_STEPS)
        return float(explain(unseen[:, chosen], weight).total.sum())

    taken = list(range(len(frequent)))
    best, left = reach(taken), list(range(len(frequent), len(every)))
    while left:
        reached = [reach([*taken, j]) for j in left]
        winner = int(np.argmax(reached))
        if reached[winner] - best <= price:
            break
        best = reached[winner]
        taken.append(left.pop(winner))
    return [every[j] for j in taken[len(frequent) :]]


def _evenly(count: int) -> np.ndarray:
    return np.full(count, 1 / count)
