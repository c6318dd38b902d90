"""Structures of a graph counted in random graphs, look after look, and compared with these."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gomkcn.mining.counting.census import CensusTable, count_in_each, exact_array
from gomkcn.mining.counting.census_formulas import count_triangles
from gomkcn.mining.counting.watching import Spend, UncountableError
from gomkcn.mining.patterns.permuted import family_of
from gomkcn.mining.settings.miner_settings import LEAST_SAMPLES
from gomkcn.mining.significance.looks import Looks, draw_in_looks
from gomkcn.mining.significance.null_models import NamedModel, NullModel
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn.mining.significance.verdicts import adjust_by_ranks, compare_with_random
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import NullComparison
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.compiled import num_threads
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.memory import total_memory
from gomkcn_dgl.runtime.steps import Steps

log = logging.getLogger("gomkcn_dgl")

# random graphs whose structures are counted and kept together: small graphs take less time so
_MOST_TOGETHER = 64
# entries that these have together at most; larger graphs are counted one by one
_ENTRIES_TOGETHER = 1 << 16
# memory in which a random graph is drawn and counted, for each entry and each triangle
_BYTES_OF_ENTRY, _BYTES_OF_TRIANGLE = 400, 200


@dataclass(frozen=True, eq=False)
class Censuses:
    """How often each structure occurs in each of some graphs; or why they cannot be counted.

    ``counts`` has a row for each graph, in Python's integers: a plain value of any size.
    """

    structures: tuple[Structure, ...] = ()
    counts: list[list[int]] = field(default_factory=list)
    refused: str = ""

    @cached_property
    def table(self) -> CensusTable:
        """The counts by structures."""
        shape = len(self.counts), len(self.structures)
        return CensusTable(self.structures, exact_array(self.counts).reshape(shape))


def take_censuses(
    graphs: Sequence[CSRGraph], sizes: range, categories: Categories, spend: Spend
) -> Censuses:
    """Count all structures of some sizes in each graph."""
    try:
        found = count_in_each(graphs, sizes, categories, spend)
    except UncountableError as error:
        return Censuses(refused=error.message.note)
    return Censuses(found.structures, found.counts.tolist())


def count_in_random(
    mined: MinedGraph,
    model: NullModel,
    observed: CensusTable,
    sizes: range,
    looks: Looks,
    seed: int,
    steps: Steps,
) -> tuple[CensusTable, str]:
    """The counts in each random graph of a model, a row each; without rows where left out.

    And why no more were drawn; empty if the looks are one. ``observed`` is the graph itself.
    """
    together = graphs_together(mined.graph)
    # the hub is drawn here once, and not by every worker; when time is up none is needed, since no
    # graph is drawn then
    drawn: RandomGraphs | None = None
    if not steps.is_late():
        with suppress(TimeUpError):
            drawn = RandomGraphs(model, mined.graph, seed, steps.check_time)

    def take(numbers: range) -> Censuses:
        if drawn is None:
            raise TimeUpError
        graphs = [drawn.draw(k) for k in numbers]
        return take_censuses(graphs, sizes, mined.categories, steps.check_time)

    def refused_in(parts: list[Censuses]) -> list[str]:
        return [outcome.refused for outcome in parts if outcome.refused]

    def is_over(parts: list[Censuses]) -> bool:
        if refused_in(parts):
            return True
        tables = (taken.table for taken in parts)
        return looks_are_over(CensusTable.joined([observed.of_sizes(sizes), *tables]), looks)

    name = f"counting in random graphs ({model.name})"
    # a function of a user's may not be one for several threads
    threads = 1
    if drawn is not None and isinstance(model, NamedModel) and together == 1:
        threads = threads_of_censuses(drawn.hub)
    parts, why = draw_in_looks(name, Censuses, take, is_over, looks, together, steps, threads)
    nothing = CensusTable.joined([])
    refused = refused_in(parts)
    if refused:
        log.warning("null model %s is left out: in a random graph, %s", model.name, refused[0])
        return nothing, ""
    counted = CensusTable.joined([taken.table for taken in parts])
    if len(counted.counts) < LEAST_SAMPLES:
        log.warning("time was up before null model %s had enough random graphs", model.name)
        return nothing, ""
    return counted, why


def graphs_together(graph: CSRGraph) -> int:
    """How many random graphs of a graph are counted together: small ones take less time so."""
    return max(1, min(_MOST_TOGETHER, _ENTRIES_TOGETHER // (1 + len(graph.indices))))


def threads_of_censuses(graph: CSRGraph) -> int:
    """How many random graphs like this one are drawn and counted at a time, each by a thread.

    As many as fit into a quarter of the memory, by the entries and the triangles of this one.
    """
    triangles = int(count_triangles(graph).sum()) // 3
    needed = _BYTES_OF_ENTRY * len(graph.indices) + _BYTES_OF_TRIANGLE * triangles
    return max(1, min(num_threads(), total_memory() // 4 // max(needed, 1)))


def looks_are_over(censuses: CensusTable, looks: Looks) -> bool:
    """Whether more random graphs would call nothing, after the census of the graph, the first."""
    number = len(censuses.counts) - 1
    if number >= looks.most:
        return True
    every = censuses.with_structures_alone()
    families = _families(every)
    at_first = adjust_by_ranks(every.counts[: looks.first + 1], families)
    return looks.are_over(at_first, adjust_by_ranks(every.counts, families), number)


def compare_censuses(
    null: str, censuses: CensusTable, looks: Looks | None = None
) -> dict[Structure, NullComparison]:
    """Compare the census of a graph, the first row, with those of random graphs.

    Structures of each size, and of these those alone and those of kinds, are a family of their own.
    ``looks`` are those at which it was decided to draw more random graphs.
    """
    every = censuses.with_structures_alone()
    compared = compare_with_random(null, every.counts, _families(every), looks)
    return dict(zip(every.structures, compared, strict=True))


def _families(censuses: CensusTable) -> np.ndarray:
    return np.array([family_of(structure) for structure in censuses.structures])
