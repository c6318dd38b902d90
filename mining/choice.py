"""What is reported: the motif set, and all structures of a census that differ from random graphs.

All structures of three to five nodes (of three and four, where edges or nodes are of several kinds)
are counted in the graph and in the same way in random graphs. Larger motifs, and what filters or
the user have shown, were chosen in this graph alone: a comparison of what was chosen because it is
frequent here would call too many. So they are counted, and not compared.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Arrays, Steps
from mining.categories import Categories
from mining.counting.census import (
    Counts,
    census_sizes,
    census_steps,
    count_in_each,
    exact_array,
)
from mining.counting.counter import count_occurrences
from mining.counting.exact_search import find_graphs
from mining.counting.sought import STEPS_PER_SECOND, Spend, UncountableError, spend_freely
from mining.mined_graph import MinedGraph
from mining.null_models import ATTEMPTS_PER_EDGE, NullModel, RandomGraphs, null_model
from mining.pattern import NullComparison, OccurrenceCount, Pattern, merge
from mining.significance import class_differences, compare_with_random

log = logging.getLogger("gomkcn_dgl")

# fewer random graphs cannot tell what is rare
LEAST_SAMPLES = 99
# steps that one thread takes in about two minutes: a census of the graph and, where no null model
# is asked for by its name, those of all random graphs; an attempt of a walk is as many steps
_MOST_STEPS, _MINUTES, _STEPS_OF_AN_ATTEMPT = 4e10, 2, 25
# most steps that are looked for what can be counted, and counted, when time is up: seconds
_LATE_STEPS, _TIME_UP = 5e8, "the count ended early."
# random graphs whose structures are counted together, and entries that these have
_MOST_TOGETHER, _ENTRIES_TOGETHER = 16, 1 << 16
# most steps to look for a pattern in all graphs of a collection
_GRAPH_STEPS = 5 * STEPS_PER_SECOND


@dataclass(frozen=True)
class ChoiceRules:
    """What is reported: how many, beside which random graphs of which sizes, how exactly.

    ``most_seen`` patterns of filters or frequent subgraphs are reported where nothing else calls
    for them, the most frequent.
    """

    sizes: range
    most_seen: int
    nulls: tuple[Any, ...]
    # whether sizes that take long are left out of the comparison
    is_quick: bool
    null_samples: int
    count_error: float
    count_steps: int
    seed: int


@dataclass(frozen=True, eq=False)
class Choice:
    """The patterns that are reported, in their order, and the others, the largest z first.

    ``null_models`` says in words what the random graphs of each keep, and ``warnings`` what the
    comparison does not tell.
    """

    patterns: list[Pattern]
    others: list[Pattern]
    null_models: Mapping[str, str]
    warnings: tuple[str, ...]


def choose_patterns(
    mined: MinedGraph,
    motifs: Sequence[Pattern],
    seen: Sequence[Pattern],
    rules: ChoiceRules,
    steps: Steps,
) -> Choice:
    """What is reported: the motif set, what differs from random graphs, and what else was seen.

    ``seen`` are patterns that the user gave, which all are reported, and those of filters.
    """
    # 1. all structures of few nodes, in the graph and in the random graphs of each null model
    census, null_models, warnings = _compare_small(mined, rules, steps)
    # 2. the motifs, and what else was seen: counts are those of the census, or are made
    joined = merge([*motifs, *seen])
    beyond = [one for one in joined if one.key not in census]
    counted = {one.key: one for one in _count_together(mined, beyond, rules, steps)}
    known = []
    for one in joined:
        own = counted.get(one.key) or census.pop(one.key)
        known.append(replace(one, frequency=own.frequency, significance=own.significance))
    in_set, more = known[: len(motifs)], known[len(motifs) :]
    # 3. order: the set, what is called, then the given ones and those of filters, by their number
    called = [one for one in (*census.values(), *more) if _is_called(one)]
    called.sort(key=_distance, reverse=True)
    rest = [one for one in more if not _is_called(one)]
    rest.sort(key=lambda one: ("given" not in one.sources, -one.frequency.count))
    given = [one for one in rest if "given" in one.sources]
    frequent = [one for one in rest[len(given) :] if one.frequency.count > 0]
    reported = [*in_set, *called, *given, *frequent[: rules.most_seen]]
    keys = {one.key for one in reported}
    others = [
        one for one in (*census.values(), *rest) if one.key not in keys and one.frequency.count > 0
    ]
    others.sort(key=_distance, reverse=True)
    # 4. compare the graphs of each class
    if mined.classes is not None:
        both = _compare_classes(mined, [*reported, *others], steps)
        reported, others = both[: len(reported)], both[len(reported) :]
    return Choice(reported, others, null_models, tuple(warnings))


def _compare_small(
    mined: MinedGraph, rules: ChoiceRules, steps: Steps
) -> tuple[dict[bytes, Pattern], dict[str, str], list[str]]:
    """All structures of few nodes by their keys, beside random graphs of each null model.

    Also what the null models keep, by their names, and what the comparison does not tell.
    """
    models = [null_model(one, mined.graph) for one in rules.nulls]
    spend = _with_grace(steps)
    sizes, compared, refused, warnings = _sizes_to_compare(mined, models, rules, spend)
    null_models: dict[str, str] = {}
    census, left_out = _count_sizes(mined, sizes, steps, spend)
    left_out |= refused
    for reason in dict.fromkeys(left_out[size] for size in sorted(left_out)):
        of = _numbers(sorted(size for size in left_out if left_out[size] == reason))
        warnings.append(f"Structures of {of} nodes are not counted: {reason}")
    compared = range(compared.start, min([compared.stop, *left_out]))
    if sizes and not left_out and not any(census.values()):
        head = "The graphs have" if mined.graph.num_graphs > 1 else "The graph has"
        warnings.append(f"{head} no connected structure of {_numbers(sizes)} nodes.")
    verdicts: dict[Structure, dict[str, NullComparison]] = {one: {} for one in census}
    for model in models if compared else ():
        found = _compare(mined, model, census, compared, rules, steps)
        for structure, verdict in found.items():
            verdicts.setdefault(structure, {})[model.name] = verdict
        if found:
            null_models[model.name] = model.keeps
            looked = steps.each(
                f"looking at {model.name}",
                lambda model: {"doubt": np.array(model.doubt(mined.graph))},
                [model],
                attrgetter("name"),
                in_time=True,
            )
            warnings += filter(None, (one["doubt"].item() for one in looked))
    patterns = {
        one.key: Pattern(one, sources=("census",), significance=significance).counted(
            OccurrenceCount.exact(census.get(one, 0))
        )
        for one, significance in verdicts.items()
    }
    return patterns, null_models, warnings


def _sizes_to_compare(
    mined: MinedGraph,
    models: Sequence[NullModel],
    rules: ChoiceRules,
    spend: Spend = spend_freely,
) -> tuple[range, range, dict[int, str], list[str]]:
    """Sizes of which all structures are counted, those that are compared, and what to say of it.

    Also, by size, why others cannot be counted.
    """
    able = census_sizes(mined.graph, rules.sizes, mined.categories)
    steps = np.full(len(able), np.inf)
    refused: dict[int, str] = {}
    for place, size in enumerate(able):
        try:
            sizes = range(able[0], size + 1)
            steps[place] = census_steps(mined.graph, sizes, mined.categories, spend)
        except (UncountableError, TimeUpError) as error:
            # larger ones take more
            refused = dict.fromkeys(able[place:], str(error) or _TIME_UP)
            break
    able = able[: int(np.isfinite(steps).sum())]
    steps = steps[: len(able)]
    counted = able[: int((steps <= _MOST_STEPS).sum())]
    said: list[str] = []
    if not models:
        return counted, able[:0], refused, said
    # as many censuses and walks as there are random graphs
    walk = _STEPS_OF_AN_ATTEMPT * ATTEMPTS_PER_EDGE * mined.graph.num_edges
    total = steps + len(models) * rules.null_samples * (steps + walk)
    compared = able[: int((total <= _MOST_STEPS).sum())] if rules.is_quick else able
    late = able[len(compared) :]
    if late:
        minutes = max(1, round(total[-1] / _MOST_STEPS * _MINUTES))
        said.append(
            f"Structures of {_numbers(late)} nodes are not compared with random graphs, which "
            f"would take about {minutes:,} minutes of one thread: --null {models[0].name} does it."
        )
    return counted if late else able, compared, refused, said


def _numbers(sizes: Iterable[int]) -> str:
    """Sizes in a sentence: "3", or "3 to 5"."""
    first, *_, last = [*sizes] * 2
    return f"{first} to {last}" if first != last else f"{first}"


def _count_sizes(
    mined: MinedGraph, sizes: range, steps: Steps, spend: Spend
) -> tuple[Counts, dict[int, str]]:
    """The counts of all structures of some sizes, and why those of a size are not among them."""

    def take(size: int) -> Arrays:
        try:
            return _take_censuses([mined.graph], range(size, size + 1), mined.categories, spend)
        except TimeUpError:
            return {"refused": np.array(_TIME_UP)}

    found = steps.each("census", take, sizes)
    census: Counts = {}
    left_out: dict[int, str] = {}
    for size, own in zip(sizes, found, strict=True):
        if own["refused"].item():
            left_out[size] = own["refused"].item()
        else:
            census |= _read_censuses(own)[0]
    return census, left_out


def _with_grace(steps: Steps) -> Spend:
    """What ends a count when time is up, but not within its first seconds."""
    spent = 0.0

    def spend(work: float) -> None:
        nonlocal spent
        spent += work
        if spent > _LATE_STEPS:
            steps.check_time()

    return spend


def _take_censuses(
    graphs: Sequence[CSRGraph], sizes: range, categories: Categories, spend: Spend
) -> Arrays:
    """Occurrences of each structure in each graph, as a text that can be kept."""
    try:
        censuses = count_in_each(graphs, sizes, categories, spend)
    except UncountableError as error:
        return {"refused": np.array(str(error))}
    rows = [
        (_record_of(one), [own.get(one, 0) for own in censuses])
        for one in dict.fromkeys(one for own in censuses for one in own)
    ]
    number = np.array(len(graphs))
    return {"refused": np.array(""), "graphs": number, "censuses": np.array(json.dumps(rows))}


def _record_of(structure: Structure) -> str:
    return json.dumps(structure.to_dict())


def _read_censuses(found: Arrays) -> list[Counts]:
    rows = [(_structure_of(record), own) for record, own in json.loads(found["censuses"].item())]
    return [{one: own[k] for one, own in rows} for k in range(int(found["graphs"]))]


@cache
def _structure_of(record: str) -> Structure:
    """The same structure in the census of every graph is one object, with one key."""
    return Structure.from_dict(json.loads(record))


def _compare(
    mined: MinedGraph,
    model: NullModel,
    census: Mapping[Structure, int],
    sizes: range,
    rules: ChoiceRules,
    steps: Steps,
) -> dict[Structure, NullComparison]:
    """All structures of the graph, or of any random graph, beside those of the random graphs."""
    drawn, categories = RandomGraphs(model, mined.graph, rules.seed), mined.categories
    # once, and not by every worker
    _ = drawn.graph if steps.is_late() else drawn.hub
    # small graphs take less time together
    number = max(1, min(_MOST_TOGETHER, _ENTRIES_TOGETHER // (1 + len(mined.graph.indices))))
    numbers = range(rules.null_samples)
    together = [numbers[k : k + number] for k in numbers[::number]]
    found = steps.each(
        f"counting in random graphs ({model.name})",
        lambda numbers: _take_censuses(
            [drawn.draw(k) for k in numbers], sizes, categories, steps.check_time
        ),
        together,
        itemgetter(0),
        in_time=True,
    )
    refused = [one["refused"].item() for one in found if one["refused"].item()]
    if refused:
        log.warning("null model %s is left out: in a random graph, %s", model.name, refused[0])
        return {}
    censuses = [census for one in found for census in _read_censuses(one)]
    if len(censuses) < LEAST_SAMPLES:
        log.warning("time was up before null model %s had enough random graphs", model.name)
        return {}
    own = {one: count for one, count in census.items() if one.num_nodes in sizes}
    return compare_censuses(model.name, [own, *censuses])


def compare_censuses(
    null: str, censuses: Sequence[Mapping[Structure, int]]
) -> dict[Structure, NullComparison]:
    """Compare the census of a graph, the first, with those of random graphs.

    What one of them lacks occurs there never.
    """
    family = list(dict.fromkeys(one for census in censuses for one in census))
    counts = exact_array([[census.get(one, 0) for one in family] for census in censuses])
    return dict(zip(family, compare_with_random(null, counts), strict=True))


def _is_called(pattern: Pattern) -> bool:
    """Whether the first null model calls it more or less frequent."""
    return any(one.is_called for one in list(pattern.significance.values())[:1])


def _distance(pattern: Pattern) -> float:
    """How far it is from what random graphs of the first null model have: |z|."""
    first: NullComparison | None = next(iter(pattern.significance.values()), None)
    if first is None:
        return -1.0
    return inf if first.z is None and first.is_called else abs(first.z or 0.0)


def _count_together(
    mined: MinedGraph, patterns: Sequence[Pattern], rules: ChoiceRules, steps: Steps
) -> list[Pattern]:
    """Count each pattern in the whole graph; return them with their counts."""

    def count_one(structure: Structure) -> Arrays:
        count = count_occurrences(
            mined.graph,
            structure,
            mined.colors_of(structure),
            error=rules.count_error,
            max_steps=rules.count_steps,
            seed=rules.seed,
        )
        return {key: np.array(value) for key, value in vars(count).items()}

    structures = [one.structure for one in patterns]
    found = steps.each("counting patterns", count_one, structures, attrgetter("key"))
    return [
        one.counted(OccurrenceCount(**{key: value.item() for key, value in own.items()}))
        for one, own in zip(patterns, found, strict=True)
    ]


def _compare_classes(mined: MinedGraph, patterns: Sequence[Pattern], steps: Steps) -> list[Pattern]:
    """The patterns with how many graphs of each class contain them."""
    classes = mined.classes
    assert classes is not None, "the graphs have classes"

    def find_one(structure: Structure) -> Arrays:
        colors = mined.colors_of(structure)
        found, is_complete = find_graphs(mined.graph, structure, colors, _GRAPH_STEPS)
        return {"contains": found, "is_complete": np.array(is_complete)}

    structures = [one.structure for one in patterns]
    found = steps.each("counting in each class", find_one, structures, attrgetter("key"))
    num_cut = sum(not one["is_complete"] for one in found)
    if num_cut:
        log.warning("%d structures were not searched in all graphs: too many steps", num_cut)
    contains = np.zeros((mined.graph.num_graphs, len(patterns)), bool)
    for column, result in enumerate(found):
        contains[:, column] = result["contains"]
    differences = class_differences(contains, classes.labels, classes.names)
    return [
        replace(one, classes=difference)
        for one, difference in zip(patterns, differences, strict=True)
    ]
