"""Structures beside graphs that keep all edges: permuted weights of edges, or categories of nodes.

The occurrences of structures of few nodes are listed once. After each permutation of the weights
their intensity and coherence are added up again, after one of the categories their kinds are
counted again.

Under a null model of weights, intensities of the structures of a size, alone or with their kinds,
are a family, and so are coherences; p is corrected for all these families. Under that of categories
structures of a size with their kinds are a family. Counts of structures alone do not change.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.counting.census import CensusTable
from gomkcn.mining.counting.kind_counts import KindTable
from gomkcn.mining.counting.listed_sets import (
    LISTED_SIZES,
    ListedSets,
    list_sets,
    most_listed,
    too_many_sets,
)
from gomkcn.mining.counting.watching import UncountableError
from gomkcn.mining.counting.weighted_sets import COHERENCE as OF_COHERENCE
from gomkcn.mining.counting.weighted_sets import weigh_sets
from gomkcn.mining.patterns.annotations import Annotations
from gomkcn.mining.settings.miner_settings import LEAST_SAMPLES
from gomkcn.mining.significance.looks import Looks, draw_in_looks
from gomkcn.mining.significance.null_models import (
    CATEGORIES,
    NULL_MODELS,
    WEIGHTS,
    PermutedByStrength,
    PermutedCategories,
    PermutedWeights,
)
from gomkcn.mining.significance.permutations import category_groups, weight_groups
from gomkcn.mining.significance.verdicts import adjust_by_ranks, compare_with_random
from gomkcn.mining.structures.categories import NO_CATEGORIES
from gomkcn.mining.structures.edge_weights import EdgeWeights
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import (
    COHERENCE,
    COUNT,
    INTENSITY,
    NullComparison,
    Weighing,
    measure_of,
)
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps

log = logging.getLogger("gomkcn_dgl")

# permutations that are looked at together, and the numbers that are held for them at most: 64 MiB
_MOST_TOGETHER, _HELD_TOGETHER = 64, 1 << 23
# sets that are looked at between two looks at the clock: half a second
_SETS_TOGETHER = 1 << 26
# sets that are looked at in a minute of one thread
_SETS_A_MINUTE = 6e9
_WAY_OUT = (
    "A part of the graph has fewer, such as the graph without its weakest edges (the option or "
    "argument minimum)."
)
MEASURES = (INTENSITY, COHERENCE)
_KEEPS = {model.name: model.keeps for model in (PermutedWeights, PermutedByStrength)}


class NullResult(NamedTuple):
    """What a comparison with a null model says of each structure.

    ``name`` is what it is called in tables, ``number`` how many random graphs were drawn, ``why``
    no more, and ``num_families`` how many families p is corrected for.
    """

    name: str
    keeps: str
    results: Mapping[Structure, NullComparison]
    number: int
    why: str
    num_families: int


def name_of(null: str, measure: str) -> str:
    """What the comparison of a measure with a null model is called.

    >>> name_of("weights", "intensity"), name_of("categories", "count")
    ('weights intensity', 'categories')
    """
    return null if measure == COUNT else f"{null} {measure}"


def family_of(structure: Structure) -> int:
    """The family that a structure is corrected with: its size, alone or with kinds."""
    return 2 * structure.num_nodes + (structure.alone is not structure)


@dataclass(frozen=True, eq=False)
class WeighedStructures:
    """Listed sets of some sizes, and the weights of the edges.

    ``structures`` are those with kinds, and behind them each one alone, ``counts`` ``[S]``.
    """

    sets: tuple[ListedSets, ...]
    edges: EdgeWeights
    pair_of_edge: np.ndarray
    structures: tuple[Structure, ...]
    counts: np.ndarray

    @classmethod
    def of(
        cls, mined: MinedGraph, edges: EdgeWeights, sets: Sequence[ListedSets]
    ) -> WeighedStructures:
        """The structures of listed sets of the graph in its order."""
        known = tuple(structure for some in sets for structure in some.structures)
        counts = np.concatenate([np.empty(0, np.int64), *(some.counts for some in sets)])
        every = CensusTable(known, counts[None]).with_structures_alone()
        return cls(
            tuple(sets), edges, edges.pairs_in(mined.graph), every.structures, every.counts[0]
        )

    def measure(self, weights: np.ndarray) -> np.ndarray:
        """Intensity and mean coherence with some weights ``[W, A]``, float64 ``[W, 2, S]``."""
        sums = [weigh_sets(some, self.pair_of_edge, weights) for some in self.sets]
        joined = np.concatenate([np.empty((len(weights), 2, 0)), *sums], axis=2)
        known = self.structures[: joined.shape[2]]
        flat = CensusTable(known, joined.reshape(-1, len(known)))
        every = flat.with_structures_alone().counts.reshape(len(weights), 2, -1)
        every[:, OF_COHERENCE] /= self.counts
        return every

    @property
    def together(self) -> int:
        """Permutations that are looked at together."""
        num_roots = len({len(structure.edges) for structure in self.structures})
        return _together(num_roots * len(self.edges.values), self.sets)

    def weighings(self) -> dict[bytes, Weighing]:
        """Intensity and coherence in the graph itself, by the key of the structure."""
        found = self.measure(self.edges.values[None])[0]
        return {
            structure.key: Weighing(*row)
            for structure, row in zip(self.structures, found.T.tolist(), strict=True)
        }

    def compare(
        self, null: str, owner: np.ndarray, looks: Looks, seed: int, steps: Steps
    ) -> list[NullResult]:
        """Compare both measures with permuted weights; ``owner`` ``[A]`` is each edge's graph."""
        groups = weight_groups(self.edges, owner, by_strength=null == PermutedByStrength.name)

        def take(numbers: range) -> np.ndarray:
            steps.check_time()
            drawn = [groups.permute(self.edges.values, seed_of(seed, null, k)) for k in numbers]
            return self.measure(np.array(drawn))

        of_measure = np.repeat(np.arange(2), len(self.structures))
        families = 2 * np.tile(list(map(family_of, self.structures)), 2) + of_measure
        observed = self.measure(self.edges.values[None]).reshape(1, -1)

        nothing = np.empty((0, 2, len(self.structures)))

        def is_over(parts: list[np.ndarray]) -> bool:
            return _is_over(_below(observed, np.concatenate([nothing, *parts])), families, looks)

        parts, why = draw_in_looks(
            f"permuting weights ({null})", np.ndarray, take, is_over, looks, self.together, steps
        )
        drawn = np.concatenate([nothing, *parts])
        if len(drawn) < LEAST_SAMPLES:
            return []
        results = compare_with_random(null, _below(observed, drawn), families, looks)
        size = len(self.structures)
        found = []
        for place, measure in enumerate(MEASURES):
            name = name_of(null, measure)
            named = [
                replace(result, null=name, measure=measure)
                for result in results[place * size : (place + 1) * size]
            ]
            pairs = dict(zip(self.structures, named, strict=True))
            number = len(np.unique(families))
            found.append(NullResult(name, _KEEPS[null], pairs, len(drawn), why, number))
        return found


def compare_categories(
    mined: MinedGraph,
    model: PermutedCategories,
    sets: Sequence[ListedSets],
    looks: Looks,
    seed: int,
    steps: Steps,
) -> tuple[list[Structure], np.ndarray, NullResult | None]:
    """Count the kinds of listed sets in the graph, and after permutations of the categories.

    The sets are without categories. Returned are all structures that were met, their counts in the
    graph, and the comparison, None where time was up.
    """
    assert mined.colors is not None, "the graph has categories"
    known, colors = np.unique(mined.colors, return_inverse=True)
    tables = [KindTable.of(some, len(known)) for some in sets]
    groups = category_groups(mined.graph, model.within)
    starts = np.cumsum([0, *(len(table.first) for table in tables)])

    def count_in(colorings: np.ndarray) -> np.ndarray:
        found = [np.empty((0, 3), np.int64)]
        for table, start in zip(tables, starts, strict=False):
            found.append(table.count_sets(colorings) + np.array([0, start, 0]))
        return np.concatenate(found)

    def take(numbers: range) -> np.ndarray:
        steps.check_time()
        drawn = [groups.permute(colors.reshape(-1), seed_of(seed, model.name, k)) for k in numbers]
        # the number of the permutation, in place of its row
        return count_in(np.array(drawn)) + np.array([numbers.start, 0, 0])

    here = count_in(colors.reshape(1, -1))

    def in_rows(parts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All columns that occur, their counts ``[N + 1, S]``, and their families."""
        rows = np.concatenate([here, *(drawn + np.array([1, 0, 0]) for drawn in parts)])
        columns, place = np.unique(rows[:, 1], return_inverse=True)
        # when time is up, some permutations are left out
        drawn_ones, row = np.unique(rows[:, 0], return_inverse=True)
        counts = np.zeros((len(drawn_ones), len(columns)), np.int64)
        counts[row.reshape(-1), place.reshape(-1)] = rows[:, 2]
        return columns, counts, np.searchsorted(starts, columns, side="right")

    def is_over(parts: list[np.ndarray]) -> bool:
        _, counts, families = in_rows(parts)
        return _is_over(counts, families, looks)

    together = _together(int(starts[-1]), sets)
    name = "permuting categories"
    drawn, why = draw_in_looks(name, np.ndarray, take, is_over, looks, together, steps)
    columns, counts, families = in_rows(drawn)
    names = mined.palette_of(known)
    structures = [
        structure
        for table, first, last in zip(tables, starts[:-1], starts[1:], strict=True)
        for structure in table.structures(
            columns[(columns >= first) & (columns < last)] - first, names
        )
    ]
    if len(counts) <= LEAST_SAMPLES:
        return structures, counts[0], None
    results = compare_with_random(model.name, counts, families, looks)
    pairs = dict(zip(structures, results, strict=True))
    number = len(np.unique(families))
    result = NullResult(model.name, model.keeps, pairs, len(counts) - 1, why, number)
    return structures, counts[0], result


def _below(observed: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """A row for the graph, and one for each permutation."""
    return np.concatenate([observed, drawn.reshape(len(drawn), -1)])


def seed_of(seed: int, null: str, number: int) -> int:
    """The seed of a permutation, which has a random stream of its own."""
    key = zlib.crc32(null.encode()), number + 1
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1)[0])


def _is_over(counts: np.ndarray, families: np.ndarray, looks: Looks) -> bool:
    """Whether more permutations would call nothing, after the graph, the first row."""
    number = len(counts) - 1
    if number >= looks.most:
        return True
    at_first = adjust_by_ranks(counts[: looks.first + 1], families)
    return looks.are_over(at_first, adjust_by_ranks(counts, families), number)


def _together(numbers_held: int, sets: Sequence[ListedSets]) -> int:
    """How many permutations are looked at together, with so many numbers held for each."""
    num_sets = sum(len(some.number) for some in sets)
    most = min(_HELD_TOGETHER // (1 + numbers_held), _SETS_TOGETHER // (1 + num_sets))
    return max(1, min(_MOST_TOGETHER, most))


class Permuted(NamedTuple):
    """What is known by listed occurrences: measures, counts and comparisons, and what is not."""

    weighings: Mapping[bytes, Weighing]
    counts: Mapping[Structure, int]
    results: Sequence[NullResult]
    warnings: Sequence[str]


def compare_permuted(
    mined: MinedGraph,
    num_sets: Mapping[int, int],
    nulls: Sequence[Any],
    annotations: Annotations,
    looks: Looks,
    seed: int,
    steps: Steps,
    most_sets: float = np.inf,
    more_sets: float = np.inf,
) -> Permuted:
    """Compare a graph with those of the null models among ``nulls`` that permute.

    ``num_sets`` are the connected sets of each size that was counted, ``annotations`` those of the
    graph in its order. No more than ``most_sets`` are looked at in all permutations of a size, and
    no more permutations are drawn than those of the first look, if that were over ``more_sets``.
    """
    weighings: dict[bytes, Weighing] = {}
    counts: dict[Structure, int] = {}
    results: list[NullResult] = []
    warnings: list[str] = []
    of_weights = [null for null in nulls if permutes(null) == WEIGHTS]
    if annotations.weights is not None:
        sizes = [size for size in num_sets if size in LISTED_SIZES and size > LISTED_SIZES[0]]
        if larger := [size for size in num_sets if size not in LISTED_SIZES]:
            warnings.append(
                f"Structures of {_sizes(larger)} nodes have no intensity and coherence: "
                f"occurrences of more than {LISTED_SIZES[-1]} nodes are not listed."
            )
        most = most_sets if of_weights else np.inf
        sets = _listed(mined, sizes, num_sets, most, "weights", warnings, looks, steps, alone=False)
        weighed = WeighedStructures.of(mined, annotations.weights, sets)
        if weighed.structures:
            weighings = weighed.weighings()
            owner = mined.graph.graph_of(annotations.weights.source)
            some, why = looks_in_time(sets, looks, more_sets)
            for null in of_weights:
                found = weighed.compare(null, owner, some, seed, steps)
                results += [result._replace(why=result.why or why) for result in found]
    if any(permutes(null) == CATEGORIES for null in nulls):
        model = PermutedCategories.of(mined.graph)
        if annotations.within is not None:
            model = model.in_groups(annotations.name, annotations.within)
        pairs = {LISTED_SIZES[0]: len(mined.graph.indices) // 2, **num_sets}
        sizes = [size for size in pairs if size in LISTED_SIZES]
        sets = _listed(
            mined, sizes, pairs, most_sets, "categories", warnings, looks, steps, alone=True
        )
        some, why = looks_in_time(sets, looks, more_sets)
        met, numbers, result = compare_categories(mined, model, sets, some, seed, steps)
        counts = dict(zip(met, numbers.tolist(), strict=True))
        results += [] if result is None else [result._replace(why=result.why or why)]
    for null in dict.fromkeys(filter(permutes, nulls)):
        if not any(result.name.split(" ")[0] == null for result in results) and steps.is_late():
            log.warning("time was up before null model %s had enough random graphs", null)
    return Permuted(weighings, counts, results, warnings)


def looks_in_time(sets: Sequence[ListedSets], looks: Looks, more_sets: float) -> tuple[Looks, str]:
    """The looks at permutations, and why there is only the first, where nobody wants so many."""
    work = looks.most * sum(len(some.number) for some in sets)
    if looks.first == looks.most or work <= more_sets:
        return looks, ""
    minutes = count(max(1, round(work / _SETS_A_MINUTE)), "minute")
    why = f"since {looks.most:,} would take about {minutes} of one thread"
    return Looks(looks.first, looks.first), why


def _listed(
    mined: MinedGraph,
    sizes: Sequence[int],
    num_sets: Mapping[int, int],
    most_sets: float,
    what: str,
    warnings: list[str],
    looks: Looks,
    steps: Steps,
    *,
    alone: bool,
) -> list[ListedSets]:
    """The listed sets of some sizes; of those that are left out a warning says why.

    ``alone``: without the categories of the nodes.
    """
    found = []
    most = most_listed()
    for size in sizes:
        # those of a category each are a table of their own
        kinds = NO_CATEGORIES if alone else mined.categories
        work = num_sets[size] * looks.first
        head = f"Structures of {size} nodes are not compared with permuted {what}"
        if num_sets[size] <= most and work > most_sets:
            minutes = max(1, round(work / _SETS_A_MINUTE))
            warnings.append(
                f"{head}, which would take about {count(minutes, 'minute')} of one thread; a null "
                "model that is named does it."
            )
            continue
        steps.progress.begin(f"listing structures of {size} nodes")
        try:
            if num_sets[size] > most:
                raise too_many_sets(size, most)
            some = list_sets(mined.graph, size, kinds)
            if alone and mined.colors is not None:
                KindTable.check(some, len(np.unique(mined.colors)))
            found.append(some)
        except UncountableError as error:
            warnings.append(f"{head}: {error.message.note}. {_WAY_OUT}")
    return found


def permutes(null: Any) -> str:
    """What a null model permutes over a graph that stays; empty where it draws edges, or is own."""
    return NULL_MODELS[null].permutes if isinstance(null, str) else ""


def permutes_in(name: str) -> str:
    """What the null model of a comparison of this name permutes; empty where it draws edges.

    >>> permutes_in("strength coherence"), permutes_in("degree")
    ('weights', '')
    """
    null = name if measure_of(name) == COUNT else name.rpartition(" ")[0]
    return NULL_MODELS[null].permutes if null in NULL_MODELS else ""


def _sizes(sizes: Sequence[int]) -> str:
    """Sizes in a sentence: "5", or "5 to 8"."""
    return " to ".join(map(str, dict.fromkeys([sizes[0], sizes[-1]])))
