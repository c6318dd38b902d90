"""How large patterns are and how many there are, where the user leaves it to the miner.

Both are chosen by what comes back more often than by chance, see ``over_represented.py``.

``pattern_size``
    for each size, the cycles that recurring structures close beyond chance. A part of a motif
    closes fewer than the whole, and with a node more the copies of a motif differ in where that
    node is, so that fewer of them are alike. The smallest size within one standard error of the
    best is chosen.
``num_patterns``
    filters start from subgraphs that greedy facility location chooses one after the other. As many
    are taken as it needs until every structure that comes back more often than by chance, by a
    standard error, has been chosen.

Features have no say in either, and neither have trees. ``benchmarks/results/choosing.md`` shows how
often the planted size is chosen (in all graphs whose copies are intact, in few where each copy is
damaged) and whether the planted motifs are found with the number chosen.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputTypeError
from mining.counting.similarity_thresholds import draw_null_graph
from mining.learning.initialization import choose_initial
from mining.model_selection.over_represented import Recurring, find_recurring
from mining.records.choice import Choice
from mining.structures.rooted_subgraphs import RootedSubgraphs
from mining.structures.subgraph_source import SubgraphSource

log = logging.getLogger("gomkcn_dgl")

AUTO = "auto"
SIZES = tuple(range(3, 11))
MOST_PATTERNS = 40
DEFAULT_SIZE, DEFAULT_NUMBER = 6, 12

_CHANCE_GRAPHS = 2
# all sizes are called the same when the best is fewer standard errors than this above nothing
_SOMETHING = 2.0


def find_size(source: SubgraphSource, graph: CSRGraph, min_support: int) -> Choice:
    """Choose the size of the patterns in a graph without weights."""
    # the roots are the same for all sizes
    roots, chance = source.sample_roots(graph), _chance_graphs(source, graph)
    return choose_size(
        {
            size: _recurring(source.resized(size), graph, chance, roots, min_support)
            for size in SIZES
        }
    )


def find_number(
    source: SubgraphSource, around: RootedSubgraphs, min_support: int, sample_size: int
) -> Choice:
    """Choose the number of patterns among the sampled subgraphs of their size."""
    graph, types, kernel = around.graph, around.classes, around.kernel
    roots, chance = source.sample_roots(graph), _chance_graphs(source, graph)
    found = _recurring(source, graph, chance, roots, min_support)
    recurring = [one for one in found if one.stands_out]
    rng = np.random.default_rng(source.seed)
    order = choose_initial(
        "facility_location", types, MOST_PATTERNS, kernel, sample_size, rng, source.backend
    )
    ranks = []
    for one in recurring:
        own = np.unique(types.class_of[around.forms.has(one.certificate)])
        hits = np.flatnonzero(np.isin(order, own))
        ranks.append(int(hits[0]) + 1 if len(hits) else None)
    return choose_number(recurring, ranks)


def choose_size(recurring: Mapping[int, Sequence[Recurring]]) -> Choice:
    """Choose the size of patterns.

    Parameters
    ----------
    recurring : mapping from int to sequence of Recurring
        What comes back among the subgraphs of each size.

    Returns
    -------
    Choice

    Examples
    --------
    >>> ring, chord = Recurring(b"ring", 1, 20, 0.0), Recurring(b"chord", 2, 20, 0.0)
    >>> choose_size({4: [ring], 5: [chord], 6: []}).chosen
    5
    """
    sizes = tuple(sorted(recurring))
    excess = np.array([sum(one.excess for one in recurring[size]) for size in sizes])
    error = np.array([_joint_error(recurring[size]) for size in sizes])
    best = int(excess.argmax())
    decided = bool(excess[best] > _SOMETHING * error[best])
    near = np.flatnonzero(excess >= excess[best] - error[best])
    chosen = sizes[near[0]] if decided else DEFAULT_SIZE
    if decided:
        log.info("pattern size %d: there most comes back beyond chance", chosen)
    else:
        log.info("no size stands out from chance: %d is taken", chosen)
    return Choice(
        "pattern_size", sizes, tuple(excess.tolist()), tuple(error.tolist()), chosen, decided
    )


def choose_number(recurring: Sequence[Recurring], ranks: Sequence[int | None]) -> Choice:
    """Choose the number of patterns.

    Parameters
    ----------
    recurring : sequence of Recurring
        What comes back.
    ranks : sequence of (int or None)
        At which place of the start, from 1, each structure is chosen; None: not among the first
        40.

    Returns
    -------
    Choice

    Examples
    --------
    >>> found = [Recurring(b"ring", 1, 20, 0.0), Recurring(b"chord", 2, 20, 0.0)]
    >>> choose_number(found, [5, 3]).chosen
    5
    """
    candidates = tuple(range(1, MOST_PATTERNS + 1))
    held = [
        [one for one, rank in zip(recurring, ranks, strict=True) if rank and rank <= number]
        for number in candidates
    ]
    reached = [rank for rank in ranks if rank]
    chosen = max(reached, default=DEFAULT_NUMBER)
    if reached:
        log.info("%d patterns: they hold all %d structures that stand out", chosen, len(reached))
    else:
        log.info("no structure stands out from chance: %d patterns are looked for", chosen)
    if len(reached) < len(ranks):
        log.info("%d more would need over %d patterns", len(ranks) - len(reached), MOST_PATTERNS)
    return Choice(
        "num_patterns",
        candidates,
        tuple(float(sum(one.excess for one in some)) for some in held),
        tuple(_joint_error(some) for some in held),
        chosen,
        bool(reached),
    )


def check_count(name: str, value: object, minimum: int, maximum: int | None = None) -> int | None:
    """Return ``value`` as an int in range, None for "auto", or say why it is neither."""
    if isinstance(value, str):
        if value != AUTO:
            raise InputTypeError(f"{name} must be an integer or 'auto', got {value!r}.")
        return None
    return check_int(name, value, minimum, maximum)


def _chance_graphs(source: SubgraphSource, graph: CSRGraph) -> list[CSRGraph]:
    return [draw_null_graph(graph, source.seed + i) for i in range(_CHANCE_GRAPHS)]


def _recurring(
    source: SubgraphSource,
    graph: CSRGraph,
    chance: Sequence[CSRGraph],
    roots: np.ndarray | None,
    min_support: int,
) -> list[Recurring]:
    batch, *samples = (source.extract(one, roots) for one in (graph, *chance))
    return find_recurring(batch, samples, graph.num_nodes, min_support)


def _joint_error(recurring: Sequence[Recurring]) -> float:
    return float(np.sqrt(sum(one.error**2 for one in recurring)))
