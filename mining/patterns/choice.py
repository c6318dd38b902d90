"""What is reported: the motif set, and all structures of a census that differ from random graphs.

All structures of three to five nodes (of three and four, where edges or nodes are of several kinds,
unless these are the sides of a bipartite graph)
are counted in the graph and in the same way in random graphs. Where there are kinds, so is each
structure alone: the sum over all kinds of its edges and nodes. Structures of each size, alone or
with their kinds, are a family of their own.

Larger motifs, frequent subgraphs and what the user gave were chosen in this graph alone: a
comparison of what was chosen because it is frequent here would call too many. So they are counted,
and not compared.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.counting.census import (
    CensusTable,
    Counts,
    census_sizes,
    census_steps,
)
from gomkcn.mining.counting.counter import count_query
from gomkcn.mining.counting.occurrence_search import find_graphs
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.watching import STEPS_PER_SECOND, Spend, UncountableError, spend_freely
from gomkcn.mining.patterns.annotations import NO_ANNOTATIONS, Annotations
from gomkcn.mining.patterns.class_search import MOST_FOLLOWING, ClassAnswer
from gomkcn.mining.patterns.permuted import NullResult, compare_permuted, family_of, permutes
from gomkcn.mining.patterns.random_censuses import (
    Censuses,
    compare_censuses,
    count_in_random,
    take_censuses,
)
from gomkcn.mining.significance.looks import (
    FIRST_LEVEL,
    Looks,
    what_few_cannot_tell,
)
from gomkcn.mining.significance.null_draws import ATTEMPTS_PER_EDGE
from gomkcn.mining.significance.null_models import NullModel, null_model
from gomkcn.mining.significance.verdicts import (
    adjust_for_family,
    class_contrasts,
    class_differences,
    correction_of_family,
    group_differences,
)
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import (
    COHERENCE,
    LESS,
    MORE,
    RESULT_WORDS,
    ClassDifference,
    ClassSearch,
    NullComparison,
    OccurrenceCount,
    Pattern,
    differing_groups,
    in_order,
    measure_of,
    merge,
)
from gomkcn.mining.structures.pattern_columns import observed_text
from gomkcn_dgl.graphs.shapes import count as number_of
from gomkcn_dgl.graphs.shapes import counted_size
from gomkcn_dgl.graphs.standard_names import standard_names
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps

log = logging.getLogger("gomkcn_dgl")

# sizes of the subgraphs that are searched for differences between classes, where none is given:
# from a bond on, as C-Br
USUAL_CLASS_SIZES = range(2, 9)
# steps of a census that one thread takes in a minute
_STEPS_A_MINUTE = 2e10
# steps of a census that take as long as an attempt of a walk
_STEPS_OF_AN_ATTEMPT = 25
_TIME_UP = "the count ended early."
# structures that the first answer names: a line of the terminal
_MOST_SAID = 3
# most steps to look for a pattern in all graphs of a collection
_GRAPH_STEPS = 5 * STEPS_PER_SECOND


@dataclass(frozen=True)
class ChoiceRules:
    """What is reported: how many, beside which random graphs of which sizes, how exactly.

    ``most_seen`` frequent subgraphs are reported where nothing else calls for them, those with most
    occurrences.
    """

    sizes: range
    most_seen: int
    nulls: tuple[Any, ...]
    # whether sizes that take long are left out of the comparison
    is_quick: bool
    # None: more where they may tell, see Looks
    null_samples: int | None
    count_error: float
    count_steps: int
    seed: int
    # of the subgraphs that are searched for differences between classes
    class_sizes: range = USUAL_CLASS_SIZES
    # why there is no null model, where nobody said so
    why_no_null: str = ""
    # steps of a census of the graph, and where no null model is asked for by its name of those of
    # all random graphs: two minutes of one thread, which nobody minds who did not ask for it
    most_steps: float = 2 * _STEPS_A_MINUTE
    # steps of the censuses of all random graphs, if more of them may be drawn than those of the
    # first look: half a minute of one thread, where the first took three seconds
    more_steps: float = _STEPS_A_MINUTE / 2
    # sets that are looked at in all permutations where no null model is asked for by its name: two
    # minutes of one thread, as above
    most_sets: float = 12e9
    # and if more permutations may be drawn than those of the first look: half a minute
    more_sets: float = 3e9
    # steps of the census of the graph that are taken when time is up: a third of a second
    late_steps: float = 1e8

    @property
    def looks(self) -> Looks:
        """Random graphs of the first look and of the last one."""
        return Looks() if self.null_samples is None else Looks(self.null_samples, self.null_samples)


@dataclass(frozen=True, eq=False)
class ChosenPatterns:
    """The patterns that are reported, the motifs first, and the others; see :func:`in_order`.

    ``null_models`` says in words what the random graphs of each keep, ``random_graphs`` how many
    were drawn, and why, and ``warnings`` what the comparison does not tell. ``class_search`` says
    what was searched for differences between classes; None without classes.
    """

    patterns: list[Pattern]
    others: list[Pattern]
    null_models: Mapping[str, str]
    random_graphs: Mapping[str, str]
    warnings: tuple[str, ...]
    class_search: ClassSearch | None = None


@dataclass(frozen=True, eq=False)
class ComparedStructures:
    """All structures of few nodes, by their keys, beside the random graphs of each null model.

    ``null_models`` says in words what the random graphs of each keep, ``random_graphs`` how many
    were drawn, and why, and ``warnings`` what is not counted or not compared.
    """

    patterns: Mapping[bytes, Pattern]
    null_models: Mapping[str, str]
    random_graphs: Mapping[str, str]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        """What is called, in a sentence: the first answer of a run, which goes on for longer."""
        null = next(iter(self.null_models), None)
        if null is None:
            return f"{number_of(len(self.patterns), 'structure')} counted, and not compared"
        # larger ones may be counted alone
        compared = [pattern for pattern in self.patterns.values() if null in pattern.significance]
        results = [pattern.significance[null] for pattern in compared]
        words = RESULT_WORDS[measure_of(null)]
        more = sum(result.verdict == MORE for result in results)
        less = sum(result.verdict == LESS for result in results)
        held = sum(result.observed > 0 for result in results)
        # another null model may have some that this one has not
        absent = sum(result.largest > 0 and not result.observed for result in results)
        more_said = f" (and {absent:,} that these alone have)" if absent else ""
        sentence = (
            f"{number_of(held, 'structure')} compared with {results[0].num_samples:,} random graphs"
            f"{more_said}: {more} {words[0]}, {less} {words[1]}"
        )
        called = [pattern for pattern in compared if pattern.significance[null].is_called]
        shown = []
        for pattern in in_order(called, null)[:_MOST_SAID]:
            result = pattern.significance[null]
            name = describe_structure(pattern.structure)
            if size := counted_size(name):
                # as a shape without a name is looked up
                name = f"{size} ({standard_names(pattern.structure)})"
            mean = f"{result.mean:.3f}" if result.measure == COHERENCE else f"{result.mean:,.1f}"
            shown.append(f"{name} {observed_text(result)} (expected {mean})")
        return f"{sentence}; first {', '.join(shown)}" if shown else sentence


def choose_patterns(
    mined: MinedGraph,
    compared: ComparedStructures,
    motifs: Sequence[Pattern],
    seen: Sequence[Pattern],
    rules: ChoiceRules,
    steps: Steps,
    of_classes: ClassAnswer | None = None,
) -> ChosenPatterns:
    """What is reported: the motif set, what differs from random graphs, and what else was seen.

    ``compared`` are all structures of few nodes. ``seen`` are patterns that the user gave, which
    all are reported, and frequent subgraphs. ``of_classes`` is what tells the classes of the graphs
    apart, None without classes.
    """
    # 1. what is not a motif, nor seen
    census = dict(compared.patterns)
    # 2. the motifs, and what else was seen: counts are those of the census, or are made
    joined = merge([*motifs, *seen])
    beyond = [pattern for pattern in joined if pattern.key not in census]
    counted = {pattern.key: pattern for pattern in _count_together(mined, beyond, rules, steps)}
    known = []
    for pattern in joined:
        tested = counted.get(pattern.key) or census.pop(pattern.key)
        known.append(
            replace(
                pattern,
                frequency=tested.frequency,
                significance=tested.significance,
                weighing=tested.weighing,
            )
        )
    in_set = known[: len(motifs)]
    more = known[len(motifs) :]
    # 3. order: the set, what is called, then the given ones and frequent subgraphs, by their number
    null = next(iter(compared.null_models), "")
    called = in_order((one for one in (*census.values(), *more) if one.is_called), null)
    rest = [pattern for pattern in more if not pattern.is_called]
    rest.sort(key=lambda pattern: ("given" not in pattern.sources, -pattern.frequency.count))
    given = [pattern for pattern in rest if "given" in pattern.sources]
    frequent = [pattern for pattern in rest[len(given) :] if pattern.frequency.count > 0]
    reported = [*in_set, *called, *given, *frequent[: rules.most_seen]]
    keys = {pattern.key for pattern in reported}
    others = [
        pattern
        for pattern in (*census.values(), *rest)
        # what random graphs alone have was compared as well
        if pattern.key not in keys and (pattern.significance or pattern.frequency.count > 0)
    ]
    others = in_order(others, null)
    # 4. compare the graphs of each class; what leads a group is reported as well, and some of what
    #    follows
    search = None
    if of_classes is not None:
        both, search = _with_classes(mined, [*reported, *others], of_classes, rules, steps)
        groups = differing_groups(both)
        differing = {pattern.key for group in groups for pattern in group[: 1 + MOST_FOLLOWING]}
        num_reported = len(reported)
        # what was searched for differences alone stands behind the others
        more = [pattern for pattern in both[num_reported:] if pattern.key in differing]
        reported = [*both[:num_reported], *more]
        others = [pattern for pattern in both[num_reported:] if pattern.key not in differing]
    return ChosenPatterns(
        reported,
        others,
        compared.null_models,
        compared.random_graphs,
        compared.warnings,
        search,
    )


def _with_classes(
    mined: MinedGraph,
    patterns: Sequence[Pattern],
    answer: ClassAnswer,
    rules: ChoiceRules,
    steps: Steps,
) -> tuple[list[Pattern], ClassSearch]:
    """The patterns, and behind them what else differs between the classes, and what was searched.

    The patterns that the search did not compare, such as motifs and what was counted, are a family
    of their own. Where a complete search takes too long, all are compared by permutations.
    """
    if not answer.search.is_complete_enough:
        compared = _compare_classes(mined, patterns, steps)
        search = replace(
            answer.search,
            num_compared=len(compared),
            num_differing=sum(map(len, differing_groups(compared))),
        )
        return compared, search
    known = [replace(pattern, classes=answer.difference_of(pattern.key)) for pattern in patterns]
    beside = [pattern for pattern in known if pattern.classes is None]
    differences, num_tests = _compare_beside(mined, beside, steps)
    of_key = {one.key: found for one, found in zip(beside, differences, strict=True)}
    known = [replace(one, classes=of_key.get(one.key, one.classes)) for one in known]
    search = replace(
        answer.search,
        num_beside=len(beside),
        num_beside_tests=num_tests,
        num_beside_differing=sum(difference.differs for difference in differences),
    )
    keys = {pattern.key for pattern in known}
    new = [pattern for pattern in answer.patterns if pattern.key not in keys]
    return [*known, *_count_together(mined, new, rules, steps)], search


def compare_structures(
    mined: MinedGraph,
    rules: ChoiceRules,
    steps: Steps,
    annotations: Annotations = NO_ANNOTATIONS,
) -> ComparedStructures:
    """Count all structures of few nodes, in the graph and in the random graphs of each model.

    Null models that permute what is at edges or nodes look at ``annotations`` of the graph as it
    was given.
    """
    drawing = [null for null in rules.nulls if not permutes(null)]
    models = [null_model(null, mined.graph) for null in drawing]
    spend = with_grace(steps, rules.late_steps)
    sizes = _sizes_to_compare(mined, models, rules, spend)
    warnings = [*filter(None, [rules.why_no_null]), *sizes.warnings]
    census, left_out = _count_sizes(mined, sizes, steps, spend)
    left_out |= sizes.refused
    for reason in dict.fromkeys(left_out[size] for size in sorted(left_out)):
        of = _numbers(sorted(size for size in left_out if left_out[size] == reason))
        warnings.append(f"Structures of {of} nodes are not counted: {reason}")
    compared = range(sizes.compared.start, min([sizes.compared.stop, *left_out]))
    if sizes.counted and not left_out and not any(census.values()):
        head = "The graphs have" if mined.graph.num_graphs > 1 else "The graph has"
        warnings.append(f"{head} no connected structure of {_numbers(sizes.counted)} nodes.")
    # the random graphs of every model are counted before any is compared, so that each has a
    # verdict on the same structures
    observed = CensusTable.of(census)
    looks, why_no_more = _looks_in_time(mined, sizes, compared, len(models), rules)
    drawn = [
        (model, *count_in_random(mined, model, observed, compared, looks, rules.seed, steps))
        for model in (models if compared else ())
    ]
    every = CensusTable.joined([observed, *(random for _, random, _ in drawn)])
    in_graph = CensusTable(every.structures, every.counts[:1])
    totals = in_graph.with_structures_alone()
    in_graph = in_graph.of_sizes(compared)
    compared_with = _Comparisons(rules.null_samples, warnings)
    for model, random, why in drawn:
        number = len(random.counts)
        if not in_graph.structures or not number:
            continue
        results = compare_censuses(model.name, CensusTable.joined([in_graph, random]), looks)
        families = {family_of(one) for one, result in results.items() if _occurs(result)}
        found = NullResult(
            model.name, model.keeps, results, number, why or why_no_more, len(families)
        )
        compared_with.add(found, looks)
        warnings += _doubts_of(model, mined, steps)
    # what stays in the graphs of the other null models is listed, and looked at again
    num_sets = dict.fromkeys((size for size in sizes.counted if size not in left_out), 0)
    for structure, number_of_sets in census.items():
        num_sets[structure.num_nodes] += number_of_sets
    permuted = compare_permuted(
        mined,
        num_sets,
        rules.nulls,
        annotations.ordered(mined.order),
        rules.looks,
        rules.seed,
        steps,
        rules.most_sets if rules.is_quick else np.inf,
        rules.more_sets,
    )
    counts = dict(zip(totals.structures, totals.counts[0].tolist(), strict=True))
    known = {structure.key for structure in counts}
    counts |= {one: count for one, count in permuted.counts.items() if one.key not in known}
    for found in permuted.results:
        compared_with.add(found, rules.looks)
    # in the order in which they were asked for: the first one decides what is reported
    drawn_names = iter([model.name for model in models])
    asked = [null if permutes(null) else next(drawn_names) for null in rules.nulls]
    order = [
        name
        for null in asked
        for name in compared_with.keeps
        if name == null or (permutes(null) and name.startswith(f"{null} "))
    ]
    patterns = {
        structure.key: Pattern(
            structure.with_nodes(structure.reading_order),
            sources=("census",),
            significance={
                name: compared_with.verdicts[name][structure.key]
                for name in order
                if structure.key in compared_with.verdicts[name]
            },
            weighing=permuted.weighings.get(structure.key),
        ).counted(OccurrenceCount.exact(count))
        for structure, count in counts.items()
    }
    return ComparedStructures(
        patterns,
        {name: compared_with.keeps[name] for name in order},
        compared_with.random_graphs,
        (*warnings, *permuted.warnings),
    )


@dataclass(eq=False)
class _Comparisons:
    """What all comparisons say, each by its name, while they are made.

    ``null_samples`` is the number of random graphs that was asked for, and to ``warnings`` is added
    what so few cannot tell.
    """

    null_samples: int | None
    warnings: list[str]
    verdicts: dict[str, dict[bytes, NullComparison]] = field(default_factory=dict)
    keeps: dict[str, str] = field(default_factory=dict)
    random_graphs: dict[str, str] = field(default_factory=dict)

    def add(self, found: NullResult, looks: Looks) -> None:
        """Add what a null model says."""
        self.verdicts[found.name] = {one.key: result for one, result in found.results.items()}
        self.keeps[found.name] = found.keeps
        why = "as many as were asked for" if found.number == self.null_samples else found.why
        said = _how_many(found.number, found.num_families, looks, why)
        self.random_graphs[found.name] = said
        self.warnings += _too_few(found.name, found.number, found.num_families)


def _looks_in_time(
    mined: MinedGraph, sizes: SizesToCount, compared: range, num_models: int, rules: ChoiceRules
) -> tuple[Looks, str]:
    """The looks at random graphs, and why there is only the first, where nobody wants so many."""
    looks = rules.looks
    if not compared or looks.first == looks.most:
        return looks, "as many as were asked for"
    work = num_models * looks.most * (sizes.steps[compared[-1]] + _steps_of_walk(mined))
    if work <= rules.more_steps:
        return looks, ""
    minutes = max(1, round(work / _STEPS_A_MINUTE))
    why = f"since {looks.most:,} would take about {number_of(minutes, 'minute')} of one thread"
    return Looks(looks.first, looks.first), why


def _how_many(number: int, num_families: int, looks: Looks, why: str) -> str:
    """How many random graphs were drawn, and why, and what that means for p."""
    if not num_families:
        return f"{number:,} random graphs were drawn, and no structure that is compared is in any."
    least = num_families / (min(number, looks.first) + 1)
    said = f"{number:,} random graphs were drawn, {why}; the smallest adjusted p is {least:.3g}."
    if number > looks.first:
        said += (
            f" A structure with an adjusted p of at most {FIRST_LEVEL} by the first {looks.first} "
            f"is called and keeps this p; the p of others is by all graphs, plus {FIRST_LEVEL}."
        )
    return said


def _too_few(null: str, number: int, num_families: int) -> list[str]:
    """What so few random graphs cannot tell, a sentence or none."""
    said = what_few_cannot_tell(number, num_families)
    return [f"Null model “{null}”: {said}."] if said else []


def _occurs(result: NullComparison) -> bool:
    return result.observed > 0 or result.largest > 0


def _doubts_of(model: NullModel, mined: MinedGraph, steps: Steps) -> list[str]:
    """What speaks against a null model of the graph, a sentence or none."""
    looked = steps.each(
        f"looking at {model.name}",
        str,
        lambda model: model.doubt(mined.graph),
        [model],
        attrgetter("name"),
        in_time=True,
    )
    return list(filter(None, looked))


class SizesToCount(NamedTuple):
    """Sizes of which all structures are counted, and those that are compared."""

    counted: range
    compared: range
    steps: dict[int, float]  # about, for a census of each size that is counted
    refused: dict[int, str]  # why others cannot be counted
    warnings: tuple[str, ...]  # what is not compared


def _sizes_to_compare(
    mined: MinedGraph,
    models: Sequence[NullModel],
    rules: ChoiceRules,
    spend: Spend = spend_freely,
) -> SizesToCount:
    """Find what can be counted at all, and compared in the time that is wanted."""
    able = census_sizes(mined.graph, rules.sizes, mined.categories)
    steps = np.full(len(able), np.inf)
    refused: dict[int, str] = {}
    for place, size in enumerate(able):
        try:
            sizes = range(able[0], size + 1)
            steps[place] = census_steps(mined.graph, sizes, mined.categories, spend)
        except (UncountableError, TimeUpError) as error:
            # larger ones take more
            reason = error.message.note if isinstance(error, UncountableError) else _TIME_UP
            refused = dict.fromkeys(able[place:], reason)
            break
    able = able[: int(np.isfinite(steps).sum())]
    steps = steps[: len(able)]
    counted = able[: int((steps <= rules.most_steps).sum())]
    of_each = dict(zip(able, steps.tolist(), strict=True))
    if not models:
        return SizesToCount(counted, able[:0], of_each, refused, ())
    # as many censuses and walks as there are random graphs
    total = steps + len(models) * rules.looks.first * (steps + _steps_of_walk(mined))
    compared = able[: int((total <= rules.most_steps).sum())] if rules.is_quick else able
    late = able[len(compared) :]
    if not late:
        return SizesToCount(able, compared, of_each, refused, ())
    minutes = max(1, round(total[-1] / _STEPS_A_MINUTE))
    warning = (
        f"Structures of {_numbers(late)} nodes are not compared with random graphs, which would "
        f"take about {minutes:,} minutes of one thread; a null model that is named does it."
    )
    return SizesToCount(counted, compared, of_each, refused, (warning,))


def _steps_of_walk(mined: MinedGraph) -> float:
    """About how many steps of a census take as long as to draw a random graph."""
    return _STEPS_OF_AN_ATTEMPT * ATTEMPTS_PER_EDGE * mined.graph.num_edges


def _numbers(sizes: Iterable[int]) -> str:
    """Sizes in a sentence: "3", or "3 to 5"."""
    first, *_, last = [*sizes] * 2
    return f"{first} to {last}" if first != last else f"{first}"


def _count_sizes(
    mined: MinedGraph, sizes: SizesToCount, steps: Steps, spend: Spend
) -> tuple[Counts, dict[int, str]]:
    """The counts of all structures of some sizes, and why those of a size are not among them."""

    def take(size: int) -> Censuses:
        alone = range(size, size + 1)
        report = steps.stage(f"counting structures of {size} nodes")
        done = 0.0

        def spend_and_report(work: float) -> None:
            nonlocal done
            spend(work)
            done += work
            report(done / sizes.steps[size])

        try:
            return take_censuses([mined.graph], alone, mined.categories, spend_and_report)
        except TimeUpError:
            return Censuses(refused=_TIME_UP)

    found = steps.each("census", Censuses, take, sizes.counted)
    census: Counts = {}
    left_out: dict[int, str] = {}
    for size, taken in zip(sizes.counted, found, strict=True):
        if taken.refused:
            left_out[size] = taken.refused
        else:
            (counts,) = taken.table.rows()
            census |= counts
    return census, left_out


def with_grace(steps: Steps, late_steps: float) -> Spend:
    """What ends a count when time is up, but not within its first steps."""
    spent = 0.0

    def spend(work: float) -> None:
        nonlocal spent
        spent += work
        if spent > late_steps:
            steps.check_time()

    return spend


def _count_together(
    mined: MinedGraph, patterns: Sequence[Pattern], rules: ChoiceRules, steps: Steps
) -> list[Pattern]:
    """Count each pattern in the whole graph; return them with their counts."""

    def count_one(structure: Structure) -> OccurrenceCount:
        count, _ = count_query(
            Query.of_structure(mined.graph, structure, mined.colors_of(structure)),
            count_error=rules.count_error,
            max_steps=rules.count_steps,
            seed=rules.seed,
        )
        return count

    structures = [pattern.structure for pattern in patterns]
    counts = steps.each(
        "counting patterns", OccurrenceCount, count_one, structures, attrgetter("key")
    )
    return [pattern.counted(count) for pattern, count in zip(patterns, counts, strict=True)]


def _graphs_with(mined: MinedGraph, patterns: Sequence[Pattern], steps: Steps) -> np.ndarray:
    """Which graphs contain each pattern, bool ``[G, F]``."""

    def find_one(structure: Structure) -> tuple[np.ndarray, bool]:
        colors = mined.colors_of(structure)
        return find_graphs(mined.graph, structure, colors, _GRAPH_STEPS)

    structures = [pattern.structure for pattern in patterns]
    found = steps.each(
        "counting in each class",
        tuple[np.ndarray, bool],
        find_one,
        structures,
        attrgetter("key"),
    )
    num_cut = sum(not is_complete for _, is_complete in found)
    if num_cut:
        log.warning("%d structures were not searched in all graphs: too many steps", num_cut)
    contains = np.zeros((mined.graph.num_graphs, len(patterns)), bool)
    for column, (of_pattern, _) in enumerate(found):
        contains[:, column] = of_pattern
    return contains


def _compare_beside(
    mined: MinedGraph, patterns: Sequence[Pattern], steps: Steps
) -> tuple[list[ClassDifference], int]:
    """How classes differ in patterns, by exact p of their family, and over how many tests."""
    classes = mined.classes
    assert classes is not None, "the graphs have classes"
    contains = _graphs_with(mined, patterns, steps)
    contrasts = class_contrasts(contains, classes.labels, classes.names)
    least = np.array([min(contrast.p for contrast in row) for row in contrasts])
    # graphs without a class tell nothing
    family = contains[classes.labels >= 0].sum(axis=0)
    adjusted = adjust_for_family(least, family, classes.sizes).tolist()
    found = [ClassDifference(row, p) for row, p in zip(contrasts, adjusted, strict=True)]
    return found, correction_of_family(family, classes.sizes)


def _compare_classes(mined: MinedGraph, patterns: Sequence[Pattern], steps: Steps) -> list[Pattern]:
    """The patterns with how many graphs of each class contain them."""
    classes = mined.classes
    assert classes is not None, "the graphs have classes"
    contains = _graphs_with(mined, patterns, steps)
    differences = group_differences(
        class_differences(contains, classes.labels, classes.names),
        contains,
        classes.labels,
        [pattern.num_nodes for pattern in patterns],
    )
    return [
        replace(pattern, classes=difference)
        for pattern, difference in zip(patterns, differences, strict=True)
    ]
