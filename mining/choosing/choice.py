"""The choice: count every structure here and in null-model graphs, and keep what stands out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.checkpoint_store import Arrays, CheckpointStore
from gomkcn_dgl.runtime.processes import is_first
from mining.choosing.class_separation import separate_classes
from mining.choosing.pool import PooledStructure, StructureCounter, count_together
from mining.counting.occurrence_lists import list_places
from mining.counting.set_apart import MOST_APART
from mining.job_stages import (
    APART,
    CLASSES,
    COUNT,
    FIRST_SAMPLES,
    FIT,
    GROUP,
    REFINE,
    are_candidates_reported,
    num_tried,
)
from mining.judging.families import Families
from mining.judging.null_comparison import compare_with_null
from mining.judging.ranking import find_families, order_by_coverage
from mining.locating.build_patterns import record_structure
from mining.locating.locating import LIST_STEPS, MOST_LISTED, ChosenStructure
from mining.null_models.null_fit import fit_of
from mining.null_models.null_samples import NullSamples
from mining.records.class_difference import ClassDifference
from mining.records.counted_structure import CountedStructure
from mining.records.occurrence_count import OccurrenceCount
from mining.records.significance import Significance
from mining.structures.categories import Categories

log = logging.getLogger("gomkcn_dgl")

# relative error of the counts by which structures are judged; those that are reported are counted
# anew, as exactly as was asked for
_ROUGH_ERROR = 0.1
# of more occurrences the number is always estimated
_FEW = 1e7
_HARDLY_ANY = 0.01


@dataclass(frozen=True)
class ChoiceRules:
    """What is reported: how many structures, in which order, and how exactly they are counted."""

    num_patterns: int
    only_surprising: bool
    rank: str
    nulls: tuple[str, ...]
    null_samples: int
    count_error: float
    count_seconds: float
    min_support: int
    seed: int


@dataclass(frozen=True, eq=False)
class Choice:
    """The structures that are reported, in their order, with verdicts by null model.

    ``family`` is the position of the structure that explains each, its own for one that stands for
    itself. ``classes`` are the differences between classes of graphs, None where there are none.
    ``others`` were counted as well, those with the largest z first; their families are positions.
    ``warnings`` has a sentence for each null model from which the graph differs as a whole.
    """

    structures: list[ChosenStructure]
    significance: list[dict[str, Significance]]
    family: list[int]
    classes: list[ClassDifference | None]
    others: list[CountedStructure]
    warnings: tuple[str, ...]


def choose_structures(
    graph: CSRGraph,
    pool: Sequence[PooledStructure],
    categories: Categories,
    rules: ChoiceRules,
    checkpoints: CheckpointStore,
    classes: GraphClasses | None = None,
) -> Choice:
    """Choose what to report; all processes share the counting."""
    # 1. count all structures roughly, and drop rare ones
    counter = StructureCounter(categories, _ROUGH_ERROR, rules.seed)
    only_candidates = are_candidates_reported(rules.rank, rules.nulls)
    if only_candidates:
        # without a null model, the search for candidates decides what stands out: few are counted,
        # and at once as exactly as was asked for
        most = num_tried(rules.num_patterns)
        pool = [*pool[:most], *(one for one in pool[most:] if one.noisy)]
        counter = _fine_counter(categories, rules, rules.count_seconds)
    structures = [one.structure for one in pool]
    checkpoints.progress.begin(COUNT)
    counts = count_together(counter.tasks("count", graph, structures), checkpoints)
    kept = [i for i, one in enumerate(counts) if one.high >= max(1, rules.min_support)]
    # nothing can be said of what no draw has met
    known = [i for i in kept if counts[i].is_exact or counts[i].value > 0]
    if len(known) < len(kept) and is_first():
        log.info("%d structures could not be counted, and are left out", len(kept) - len(known))
    kept = known
    pool, counts = [pool[i] for i in kept], [counts[i] for i in kept]
    structures = [one.structure for one in pool]
    # 2. compare their counts with those in graphs of each null model
    checkpoints.progress.begin(APART)
    drawn = [NullSamples(graph, null, rules.seed) for null in rules.nulls]
    apart = _list_apart(graph, pool, counter, rules, checkpoints) if drawn else {}
    compared = _compare(drawn, pool, counts, apart, counter, rules, checkpoints)
    # 3. compare the graphs of each class
    separation = None
    if classes is not None:
        checkpoints.progress.begin(CLASSES)
        separation = separate_classes(graph, structures, categories, classes, checkpoints)
    # 4. put what others explain into families, rank all, and keep the first
    checkpoints.progress.begin(GROUP)
    families = _find_families(drawn, pool, compared, apart, categories, checkpoints)
    if rules.rank == "classes" and separation is not None:
        order = separation.choose(rules.num_patterns, rules.only_surprising)
    elif rules.rank == "coverage":
        order = _cover(graph, pool, categories, rules, checkpoints)[: rules.num_patterns]
    else:
        order = _rank(pool, counts, compared, families, rules)
    # 5. count these as exactly as was asked for
    checkpoints.progress.begin(REFINE)
    exactly = dict(enumerate(counts))
    if not only_candidates:
        exactly = _count_finely(graph, pool, counts, order, categories, rules, checkpoints)
    # 6. see whether the null models have such triangles at all
    checkpoints.progress.begin(FIT)
    fits = [fit_of(one, checkpoints) for one in drawn]
    warnings = tuple(fit.warning for fit in fits if fit is not None and not fit.fits)
    chosen = [
        ChosenStructure(
            pool[i].structure, exactly[i], pool[i].filters, pool[i].noisy, pool[i].example
        )
        for i in order
    ]
    # what is explained by a structure that is not reported stands for itself
    heads = list(range(len(pool)) if families is None else families.head)
    return Choice(
        chosen,
        [compared[i] for i in order],
        [order.index(heads[i] if heads[i] in order else i) for i in order],
        [None if separation is None else separation.differences[i] for i in order],
        _list_others(graph, pool, categories, counts, compared, heads, order),
        warnings,
    )


def _list_others(
    graph: CSRGraph,
    pool: Sequence[PooledStructure],
    categories: Categories,
    counts: Sequence[OccurrenceCount],
    compared: Sequence[dict[str, Significance]],
    heads: Sequence[int],
    order: Sequence[int],
) -> list[CountedStructure]:
    """What was counted and is not among the structures to report, the largest z first."""
    position = {number: k for k, number in enumerate(order)}
    rest = [i for i in range(len(pool)) if i not in position]
    rest.sort(key=lambda i: -next((one.z for one in compared[i].values()), 0.0))
    return [
        record_structure(
            pool[i].structure, counts[i], compared[i], position.get(heads[i]), graph, categories
        )
        for i in rest
    ]


def _count_finely(
    graph: CSRGraph,
    pool: Sequence[PooledStructure],
    rough: Sequence[OccurrenceCount],
    order: Sequence[int],
    categories: Categories,
    rules: ChoiceRules,
    checkpoints: CheckpointStore,
) -> dict[int, OccurrenceCount]:
    """Counts of the structures to report, by position: exact ones stay, estimates are refined."""
    counts = {i: rough[i] for i in order if rough[i].is_exact}
    few = [i for i in order if i not in counts and rough[i].high <= _FEW]
    many = [i for i in order if i not in counts and i not in few]
    tasks: dict[str, Callable[[], Arrays]] = {}
    # an exact count is not tried where it would take far too long
    for name, numbers, exact_seconds in (
        ("few", few, rules.count_seconds),
        ("many", many, _HARDLY_ANY),
    ):
        counter = _fine_counter(categories, rules, exact_seconds)
        tasks |= counter.tasks(f"count-{name}", graph, [pool[i].structure for i in numbers])
    fine = count_together(tasks, checkpoints)
    return counts | dict(zip([*few, *many], fine, strict=True))


def _fine_counter(
    categories: Categories, rules: ChoiceRules, exact_seconds: float
) -> StructureCounter:
    return StructureCounter(
        categories, rules.count_error, rules.seed, rules.count_seconds, exact_seconds
    )


def _compare(
    drawn: Sequence[NullSamples],
    pool: Sequence[PooledStructure],
    observed: Sequence[OccurrenceCount],
    apart: Mapping[int, np.ndarray],
    counter: StructureCounter,
    rules: ChoiceRules,
    checkpoints: CheckpointStore,
) -> list[dict[str, Significance]]:
    """What each null model says of each count, by its name."""
    compared: list[dict[str, Significance]] = [{} for _ in pool]
    if not pool:
        return compared
    structures, with_apart = [one.structure for one in pool], list(apart)

    # the structures, and after these the places of some that are set apart
    def count(sample: CSRGraph, numbers: np.ndarray) -> list[OccurrenceCount]:
        whole = [int(i) for i in numbers if i < len(pool)]
        rest = [structures[with_apart[i - len(pool)]] for i in numbers[len(whole) :]]
        return [
            *counter.count(sample, [structures[i] for i in whole], [observed[i] for i in whole]),
            *(_count_apart(one) for one in counter.list_apart(sample, rest)),
        ]

    clumps = np.ones(len(pool) + len(apart))
    clumps[: len(pool)] = [one.clump for one in pool]
    # places that are set apart share no node
    least_dispersion = np.repeat([0.0, 1.0], [len(pool), len(apart)])
    for samples in drawn:
        verdicts = compare_with_null(
            samples,
            count,
            [*observed, *(_count_apart(places) for places in apart.values())],
            clumps=clumps,
            least_dispersion=least_dispersion,
            least=min(FIRST_SAMPLES, rules.null_samples),
            most=rules.null_samples,
            checkpoints=checkpoints,
        )
        if not verdicts:
            log.warning("time was up before null model %s had enough samples", samples.null)
            continue
        for record, verdict in zip(compared, verdicts[: len(pool)], strict=True):
            record[samples.null] = verdict
        for i, verdict in zip(with_apart, verdicts[len(pool) :], strict=True):
            compared[i][samples.null] = replace(compared[i][samples.null], apart=verdict)
    return compared


def _list_apart(
    graph: CSRGraph,
    pool: Sequence[PooledStructure],
    counter: StructureCounter,
    rules: ChoiceRules,
    checkpoints: CheckpointStore,
) -> dict[int, np.ndarray]:
    """Places that are set apart, by structure, of those with a cycle that have several."""
    numbers = [i for i, one in enumerate(pool) if one.structure.num_cycles > 0]

    def list_one(number: int) -> dict[str, np.ndarray]:
        (places,) = counter.list_apart(graph, [pool[number].structure])
        return {} if places is None else {"places": places}

    found = checkpoints.finish({f"apart-{i}": partial(list_one, i) for i in numbers})
    return {
        i: one["places"]
        for i, one in zip(numbers, found, strict=True)
        if "places" in one and len(one["places"]) >= max(2, rules.min_support)
    }


def _count_apart(places: np.ndarray | None) -> OccurrenceCount:
    return OccurrenceCount.exact(MOST_APART if places is None else len(places))


def _find_families(
    drawn: Sequence[NullSamples],
    pool: Sequence[PooledStructure],
    compared: Sequence[dict[str, Significance]],
    apart: Mapping[int, np.ndarray],
    categories: Categories,
    checkpoints: CheckpointStore,
) -> Families | None:
    """Families of the structures, by the first null model that they were compared with."""
    first = [next(iter(one.values())) for one in compared if one]
    if not first:
        return None
    (samples,) = (one for one in drawn if one.null == first[0].null)
    structures = [one.structure for one in pool]
    return find_families(samples, structures, categories, first, apart, checkpoints=checkpoints)


def _cover(
    graph: CSRGraph,
    pool: Sequence[PooledStructure],
    categories: Categories,
    rules: ChoiceRules,
    checkpoints: CheckpointStore,
) -> list[int]:
    """Each next structure covers most nodes that those before it do not."""

    def order() -> dict[str, np.ndarray]:
        places = [
            list_places(
                graph,
                one.structure.adjacency,
                one.structure.colors_in(graph, categories),
                most=MOST_LISTED,
                max_steps=LIST_STEPS,
                seed=rules.seed,
            )[0]
            for one in pool
        ]
        return {"order": np.array(order_by_coverage(places, graph.num_nodes), np.int64)}

    numbers: list[int] = checkpoints.take_once("coverage", order)["order"].tolist()
    return numbers


def _rank(
    pool: Sequence[PooledStructure],
    counts: Sequence[OccurrenceCount],
    compared: Sequence[dict[str, Significance]],
    families: Families | None,
    rules: ChoiceRules,
) -> list[int]:
    """Positions of the structures to report, in their order."""
    if rules.rank == "surprise":
        order = list(range(len(pool))) if families is None else families.order()
    else:
        order = np.argsort([-one.value for one in counts], kind="stable").tolist()
    if rules.only_surprising and families is not None:
        first = [next(iter(one.values())) for one in compared]
        order = [i for i in order if first[i].stands_out and families.head[i] == i]
    # what noisy copies agree on is intact too seldom to stand out, and stays
    kept = order[: rules.num_patterns]
    return kept + [i for i in order if pool[i].noisy and i not in kept]
