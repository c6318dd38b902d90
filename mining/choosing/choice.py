"""The choice: count every pattern here and in null-model graphs, and keep what stands out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.runtime.processes import is_first
from gomkcn_dgl.runtime.steps import Arrays, Steps
from mining.choosing.class_separation import separate_classes
from mining.counting.occurrence_counts import count_occurrences, count_roughly
from mining.counting.set_apart import MOST_APART, list_apart
from mining.judging.families import Families
from mining.judging.null_comparison import compare_with_null
from mining.judging.ranking import find_families
from mining.mined_graph import MinedGraph
from mining.null_models.null_fit import fit_of
from mining.null_models.null_samples import NullSamples
from mining.records.occurrence_count import OccurrenceCount
from mining.records.pattern import CONSENSUS, Pattern
from mining.records.significance import LEVEL

log = logging.getLogger("gomkcn_dgl")

# relative error of the counts by which patterns are judged; those that are reported are counted
# anew, as exactly as was asked for
_ROUGH_ERROR = 0.1
# of more occurrences the number is always estimated
_FEW = 1e7
_HARDLY_ANY = 0.01
# graphs of each null model in which all are counted; in further ones what is undecided
_FIRST_SAMPLES = 8


@dataclass(frozen=True)
class ChoiceRules:
    """What is reported: how many patterns, in which order, and how exactly they are counted."""

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
    """The patterns that are reported, in their order, and the others, the largest z first.

    All are counted, and compared with each null model and between classes. ``heads`` has, by key,
    the key of the pattern that explains each; its own for one that stands for itself. ``warnings``
    has a sentence for each null model from which the graph differs as a whole.
    """

    patterns: list[Pattern]
    others: list[Pattern]
    heads: Mapping[bytes, bytes]
    warnings: tuple[str, ...]


def choose_patterns(
    mined: MinedGraph, patterns: Sequence[Pattern], rules: ChoiceRules, steps: Steps
) -> Choice:
    """Choose what to report; all processes share the counting."""
    # 1. count all roughly, and drop rare ones
    rough = partial(_count_roughly, mined, rules)
    only_candidates = rules.rank == "surprise" and not rules.nulls
    if only_candidates:
        # without a null model, the search for candidates decides what stands out: few are counted,
        # and at once as exactly as was asked for; some may be too rare
        patterns = _first(patterns, rules.num_patterns + rules.num_patterns // 4 + 1)
        rough = partial(_count_finely, mined, rules, rules.count_seconds)
    counted = count_together("counting structures", rough, patterns, steps)
    kept = [one for one in counted if one.frequency.occurrences.high >= max(1, rules.min_support)]
    # nothing can be said of what no draw has met
    patterns = [one for one in kept if one.frequency.occurrences.state != "bounded"]
    if len(patterns) < len(kept) and is_first():
        lost = len(kept) - len(patterns)
        log.info("%d structures could not be counted, and are left out", lost)
    # 2. compare their counts with those in graphs of each null model
    drawn = [NullSamples(mined.graph, null, rules.seed) for null in rules.nulls]
    apart = _list_apart(mined, patterns, rules, steps) if drawn else {}
    for samples in drawn:
        patterns = _compare(mined, samples, patterns, apart, rules, steps)
    # 3. compare the graphs of each class
    ranked: list[Pattern] = []
    if mined.classes is not None:
        patterns, ranked, repeated = separate_classes(mined, patterns, steps)
        if rules.only_surprising:
            ranked = [one for one in ranked if one.classes and one.classes.q <= LEVEL]
        else:
            ranked += repeated
    # 4. put what others explain into families, rank all, and keep the first
    families = _find_families(mined, drawn, patterns, apart, steps)
    heads = {one.key: one.key for one in patterns}
    if families is not None:
        heads = {one.key: patterns[i].key for one, i in zip(patterns, families.head, strict=True)}
    order = ranked if rules.rank == "classes" else _rank(patterns, families, rules)
    reported = _first(order, rules.num_patterns)
    others = sorted(
        _without(patterns, reported),
        key=lambda one: -next((own.z for own in one.significance.values()), 0.0),
    )
    # 5. count these as exactly as was asked for; exact counts stay
    if not only_candidates:
        rest = [one for one in reported if not one.frequency.occurrences.is_exact]
        count = partial(_count_anew, mined, rules)
        fine = {one.key: one for one in count_together("counting patterns", count, rest, steps)}
        reported = [fine.get(one.key, one) for one in reported]
    # 6. see whether the null models have such triangles at all
    fits = [fit_of(one, steps) for one in drawn]
    warnings = tuple(fit.warning for fit in fits if fit is not None and not fit.fits)
    return Choice(reported, others, heads, warnings)


def count_together(
    name: str,
    count: Callable[[Pattern], OccurrenceCount],
    patterns: Sequence[Pattern],
    steps: Steps,
) -> list[Pattern]:
    """Share the counting of patterns among all processes; return them with their counts."""

    def count_one(pattern: Pattern) -> Arrays:
        return {key: np.array(value) for key, value in count(pattern).to_dict().items()}

    found = steps.each(name, count_one, patterns, attrgetter("key"))
    return [
        one.counted(OccurrenceCount(**{key: value.item() for key, value in own.items()}))
        for one, own in zip(patterns, found, strict=True)
    ]


def _count_roughly(
    mined: MinedGraph, rules: ChoiceRules, pattern: Pattern, known: OccurrenceCount | None = None
) -> OccurrenceCount:
    """Count within limits of work; the count in a similar graph may be ``known``."""
    structure = pattern.structure
    return count_roughly(
        mined.graph,
        structure,
        mined.colors_of(structure),
        error=_ROUGH_ERROR,
        seed=rules.seed,
        known=known,
    )


def _count_finely(
    mined: MinedGraph, rules: ChoiceRules, exact_seconds: float, pattern: Pattern
) -> OccurrenceCount:
    return count_occurrences(
        mined.graph,
        pattern.structure,
        mined.colors_of(pattern.structure),
        error=rules.count_error,
        seconds=rules.count_seconds,
        exact_seconds=exact_seconds,
        seed=rules.seed,
    )


def _count_anew(mined: MinedGraph, rules: ChoiceRules, pattern: Pattern) -> OccurrenceCount:
    # an exact count is not tried where it would take far too long
    is_rare = pattern.frequency.occurrences.high <= _FEW
    return _count_finely(mined, rules, rules.count_seconds if is_rare else _HARDLY_ANY, pattern)


def _compare(
    mined: MinedGraph,
    drawn: NullSamples,
    patterns: Sequence[Pattern],
    apart: Mapping[bytes, np.ndarray],
    rules: ChoiceRules,
    steps: Steps,
) -> list[Pattern]:
    """The patterns with what a null model says of their counts."""
    if not patterns:
        return []
    with_apart = [one for one in patterns if one.key in apart]

    # the patterns, and after these the places of some that are set apart
    def count(sample: CSRGraph, numbers: np.ndarray) -> list[OccurrenceCount]:
        own = mined.with_graph(sample)
        whole = [patterns[i] for i in numbers if i < len(patterns)]
        rest = [with_apart[i - len(patterns)] for i in numbers[len(whole) :]]
        return [
            *(_count_roughly(own, rules, one, one.frequency.occurrences) for one in whole),
            *(_count_apart(_apart_in(own, one)) for one in rest),
        ]

    clumps = np.ones(len(patterns) + len(with_apart))
    clumps[: len(patterns)] = [1.0 if one.sight is None else one.sight.clump for one in patterns]
    verdicts = compare_with_null(
        drawn,
        count,
        [
            *(one.frequency.occurrences for one in patterns),
            *(_count_apart(apart[one.key]) for one in with_apart),
        ],
        clumps=clumps,
        # places that are set apart share no node
        least_dispersion=np.repeat([0.0, 1.0], [len(patterns), len(with_apart)]),
        least=min(_FIRST_SAMPLES, rules.null_samples),
        most=rules.null_samples,
        steps=steps,
    )
    if not verdicts:
        log.warning("time was up before null model %s had enough samples", drawn.null)
        return list(patterns)
    of_apart = {
        one.key: own for one, own in zip(with_apart, verdicts[len(patterns) :], strict=True)
    }
    return [
        replace(
            one,
            significance={
                **one.significance,
                drawn.null: replace(verdict, apart=of_apart.get(one.key)),
            },
        )
        for one, verdict in zip(patterns, verdicts, strict=False)
    ]


def _list_apart(
    mined: MinedGraph, patterns: Sequence[Pattern], rules: ChoiceRules, steps: Steps
) -> dict[bytes, np.ndarray]:
    """Places that are set apart, by key, of the patterns with a cycle that have several."""

    def list_one(pattern: Pattern) -> dict[str, np.ndarray]:
        places = _apart_in(mined, pattern)
        return {} if places is None else {"places": places}

    with_cycle = [one for one in patterns if one.structure.num_cycles > 0]
    found = steps.each("setting places apart", list_one, with_cycle, attrgetter("key"))
    return {
        one.key: own["places"]
        for one, own in zip(with_cycle, found, strict=True)
        if "places" in own and len(own["places"]) >= max(2, rules.min_support)
    }


def _apart_in(mined: MinedGraph, pattern: Pattern) -> np.ndarray | None:
    return list_apart(mined.graph, pattern.structure, mined.colors_of(pattern.structure))


def _count_apart(places: np.ndarray | None) -> OccurrenceCount:
    return OccurrenceCount.exact(MOST_APART if places is None else len(places))


def _find_families(
    mined: MinedGraph,
    drawn: Sequence[NullSamples],
    patterns: Sequence[Pattern],
    apart: Mapping[bytes, np.ndarray],
    steps: Steps,
) -> Families | None:
    """Families of the patterns, by the first null model that they were compared with."""
    compared = [one for one in drawn if patterns and one.null in patterns[0].significance]
    if not compared:
        return None
    return find_families(mined, compared[0], patterns, apart, steps=steps)


def _rank(
    patterns: Sequence[Pattern], families: Families | None, rules: ChoiceRules
) -> list[Pattern]:
    """The patterns in their order, or those of them that stand out."""
    if rules.rank != "surprise":
        order = sorted(patterns, key=lambda one: -one.frequency.count)
    elif families is None:
        order = list(patterns)
    else:
        order = [patterns[i] for i in families.order()]
    if not rules.only_surprising or families is None:
        return order
    heads = {patterns[i].key for i in families.head}
    standing_out = {one.key for one in patterns if next(iter(one.significance.values())).stands_out}
    return [one for one in order if one.key in heads & standing_out]


def _first(patterns: Sequence[Pattern], most: int) -> list[Pattern]:
    """The first ones; of the rest what noisy copies agree on, which is searched for on its own."""
    return [*patterns[:most], *(one for one in patterns[most:] if CONSENSUS in one.sources)]


def _without(patterns: Sequence[Pattern], some: Sequence[Pattern]) -> list[Pattern]:
    keys = {one.key for one in some}
    return [one for one in patterns if one.key not in keys]
