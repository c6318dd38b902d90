"""Model selection: the size and the number of the patterns, where they are "auto".

Both follow from the structures that are over-represented among the subgraphs
(``over_represented.py``); features and trees are not used.

``pattern_size``
    for each size, the sum of the excess of all structures. A part of a motif has fewer cycles than
    the whole, and with one more node the copies of a motif differ, because that node is attached
    at different places. The smallest size within one standard error of the best is selected.
``num_patterns``
    filters start from subgraphs that greedy facility location chooses one after the other. The
    smallest number is selected with which every over-represented structure has been chosen.

``benchmarks/results/choosing.md`` shows how often the planted size is selected (in all graphs with
intact copies, in few where each copy is damaged), and whether the planted motifs are recovered with
the selected number.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputTypeError
from mining.learning.initialization import choose_initial
from mining.locating.similarity_thresholds import draw_null_graph
from mining.model_selection.over_represented import Structure, find_structures
from mining.records.choice import Choice
from mining.structures.rooted_subgraphs import RootedSubgraphs
from mining.structures.subgraph_source import SubgraphSource

log = logging.getLogger("gomkcn_dgl")

AUTO = "auto"
SIZES = tuple(range(3, 11))
MOST_PATTERNS = 40
DEFAULT_SIZE, DEFAULT_NUMBER = 6, 12

_NUM_NULL_GRAPHS = 2
# the default size is taken where the best excess is fewer standard errors than this above zero
_LEAST_ERRORS = 2.0


def find_size(source: SubgraphSource, graph: CSRGraph, min_support: int) -> Choice:
    """Choose the size of the patterns in a graph without weights."""
    graphs = _with_null_graphs(source, graph)
    # the roots are the same for all sizes
    roots = source.sample_roots(graph)
    return choose_size(
        {size: _structures(source.resized(size), graphs, roots, min_support) for size in SIZES}
    )


def find_number(
    source: SubgraphSource, subgraphs: RootedSubgraphs, min_support: int, sample_size: int
) -> Choice:
    """Choose the number of patterns among the sampled subgraphs of their size."""
    graphs, roots = _with_null_graphs(source, subgraphs.graph), subgraphs.batch.roots
    structures = _structures(source, graphs, np.unique(roots), min_support)
    structures = [one for one in structures if one.is_over_represented]
    # the order in which subgraphs would initialize filters
    classes = subgraphs.classes
    rng = np.random.default_rng(source.seed)
    order = choose_initial(
        "facility_location", classes, MOST_PATTERNS, subgraphs.kernel, sample_size, rng,
        source.backend,
    )  # fmt: skip
    # the first filter, counted from 1, that would start from each over-represented structure
    ranks = []
    for structure in structures:
        isomorphic = np.unique(classes.class_of[subgraphs.forms.has(structure.certificate)])
        positions = np.flatnonzero(np.isin(order, isomorphic))
        ranks.append(int(positions[0]) + 1 if len(positions) else None)
    return choose_number(structures, ranks)


def choose_size(structures: Mapping[int, Sequence[Structure]]) -> Choice:
    """Choose the size of patterns from the structures of each size."""
    sizes = tuple(sorted(structures))
    excess = np.array([sum(one.excess for one in structures[size]) for size in sizes])
    error = np.array([_joint_error(structures[size]) for size in sizes])
    # one-standard-error rule: the smallest size that is not clearly worse than the best
    best = int(excess.argmax())
    decided = bool(excess[best] > _LEAST_ERRORS * error[best])
    near_best = np.flatnonzero(excess >= excess[best] - error[best])
    chosen = sizes[near_best[0]] if decided else DEFAULT_SIZE
    if decided:
        log.info("pattern_size %d is selected, by its over-represented structures", chosen)
    else:
        log.info("no structure is over-represented: the default pattern_size %d is taken", chosen)
    return Choice(
        "pattern_size", sizes, tuple(excess.tolist()), tuple(error.tolist()), chosen, decided
    )


def choose_number(structures: Sequence[Structure], ranks: Sequence[int | None]) -> Choice:
    """Choose the number of patterns.

    ``ranks`` tells as which filter, counted from 1, each structure is chosen to start from; None:
    not among the first 40.
    """
    candidates = tuple(range(1, MOST_PATTERNS + 1))
    # as many filters as it takes until each structure has had one
    reached = [rank for rank in ranks if rank]
    chosen = max(reached, default=DEFAULT_NUMBER)
    if reached:
        log.info("num_patterns %d has all %d over-represented structures", chosen, len(reached))
    else:
        log.info("no structure is over-represented: the default num_patterns %d is taken", chosen)
    if len(reached) < len(ranks):
        num_missing = len(ranks) - len(reached)
        log.info("%d structures are not among the first %d", num_missing, MOST_PATTERNS)
    # for the record: the structures that each number of filters would cover
    covered = [
        [one for one, rank in zip(structures, ranks, strict=True) if rank and rank <= number]
        for number in candidates
    ]
    return Choice(
        "num_patterns",
        candidates,
        tuple(float(sum(one.excess for one in some)) for some in covered),
        tuple(_joint_error(some) for some in covered),
        chosen,
        bool(reached),
    )


def check_count(name: str, value: object, minimum: int, maximum: int | None = None) -> int | None:
    """Return ``value`` as an int in range, or None for "auto"; refuse anything else."""
    if isinstance(value, str):
        if value != AUTO:
            raise InputTypeError(f"{name} must be an integer or 'auto', got {value!r}.")
        return None
    return check_int(name, value, minimum, maximum)


def _with_null_graphs(source: SubgraphSource, graph: CSRGraph) -> list[CSRGraph]:
    """The graph itself and graphs of the null model."""
    return [graph, *(draw_null_graph(graph, source.seed + i) for i in range(_NUM_NULL_GRAPHS))]


def _structures(
    source: SubgraphSource, graphs: Sequence[CSRGraph], roots: np.ndarray | None, min_support: int
) -> list[Structure]:
    batch, *null_batches = (source.extract(graph, roots) for graph in graphs)
    return find_structures(batch, null_batches, graphs[0].num_nodes, min_support)


def _joint_error(structures: Sequence[Structure]) -> float:
    return float(np.sqrt(sum(one.standard_error**2 for one in structures)))
