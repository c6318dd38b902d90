"""A run of filters in the terminal: a row for each filter."""

from __future__ import annotations

from collections.abc import Sequence

from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.show.text_table import TextTable, paragraphs
from gomkcn.mining.structures.pattern import UNCOUNTED, OccurrenceCount, digits
from gomkcn.mining.structures.truth import MotifRecovery
from gomkcn_dgl.graphs.shapes import count

# filters, or planted motifs, that a sentence names
MOST_NAMED = 4
# of a filter that explains no more nodes than in random graphs, and is there since a number was
# asked for
NO_MORE = "adds no more than by chance"


def filters_table(run: FiltersRun) -> TextTable:
    """One row per filter, in their order."""
    found = run.filters
    columns: dict[str, list[str | tuple[str, ...]]] = {
        "filter": [str(one.id) for one in found],
        "structure": [(one.name, NO_MORE) if adds_no_more(one) else one.name for one in found],
        "nodes": [str(one.structure.num_nodes) for one in found],
        "instances": [_with_interval(one.instances) for one in found],
    }
    if any(map(overlaps, found)):
        columns["disjoint"] = [f"{one.disjoint_instances:,}" for one in found]
    if run.num_random_graphs:
        columns["random graphs"] = [str(one.random_instances) for one in found]
    columns |= {
        "nearest nodes": [short_count(one.nearest_nodes) for one in found],
        "similarity": [f"{one.similarity[2]:.2f}" if one.similarity else "-" for one in found],
        "occurrences": [short_count(one) for one in run.occurrences],
    }
    if run.recovery is not None:
        columns["planted"] = [run.planted_as(one.id) or "-" for one in found]
    return TextTable(columns, {"structure", "planted"})


def adds_no_more(one: MinedFilter) -> bool:
    """Whether a filter explains no more, beside those before it, than in random graphs."""
    return one.random_instances is not None and not one.exceeds


def overlaps(one: MinedFilter) -> bool:
    """Whether instances of a filter share nodes; of a sample, whether they may."""
    return one.disjoint_instances < one.instances.value


def short_count(number: OccurrenceCount) -> str:
    """A number; an estimate without its interval, which has no room."""
    if number == UNCOUNTED:
        return "-"
    return f"≈ {number.short}" if number.state == "estimated" else number.short


def _with_interval(number: OccurrenceCount) -> str | tuple[str, ...]:
    """A number; an estimate above its interval."""
    if number.state != "estimated":
        return number.short
    return short_count(number), f"{digits(number.low)} to {digits(number.high)}"


def filters_sentence(run: FiltersRun) -> str:
    """What the filters are and how many instances they have, or that there are none."""
    if not run.filters:
        return run.note
    named = [f"{without_degrees(one)} ({instances_of(one)})" for one in run.filters[:MOST_NAMED]]
    if more := len(run.filters) - len(named):
        named.append(f"and {more} more")
    found = f"{count(len(run.filters), 'filter')}: {'; '.join(named)}."
    return " ".join(filter(None, [found, run.note, sample_sentence(run)]))


def without_degrees(one: MinedFilter) -> str:
    """The name of a filter without what else tells it from others, as a sentence has it."""
    return one.name.partition(" (")[0]


def sample_sentence(run: FiltersRun) -> str:
    """How many nodes numbers are estimated from; empty where all were looked at."""
    if not run.is_sample:
        return ""
    nodes = f"{run.num_assigned:,} of {count(run.graph.num_nodes, 'node')}"
    return f"Instances and nearest nodes are estimates from {nodes}, drawn at random."


def instances_of(one: MinedFilter) -> str:
    """Such as "46 instances"."""
    return f"{short_count(one.instances)} {noun_of(one.instances)}"


def noun_of(number: OccurrenceCount) -> str:
    """What is said after a number of instances."""
    return "instance" if number.is_exact and number.value == 1 else "instances"


def columns_sentence(run: FiltersRun) -> str:
    """What the columns of the table mean."""
    parts = ["Instances: different node sets that the subgraphs around nodes show the structure at"]
    if run.is_sample:
        parts[0] += ", above their 95 % interval"
    if any(map(overlaps, run.filters)):
        parts.append("disjoint: as many of them as share no node, at least")
    if run.num_random_graphs:
        number = count(run.num_random_graphs, "random graph")
        parts.append(f"random graphs: mean ± standard deviation of the instances in {number}")
    if any(map(adds_no_more, run.filters)):
        parts.append(f"{NO_MORE}: explains no more nodes, beside the others, than in these")
    parts += [
        "nearest nodes: those more similar to this filter than to the others",
        "similarity: their median",
        "occurrences: of the structure in the whole graph, induced",
    ]
    return "; ".join(parts) + "."


def planted_sentence(run: FiltersRun) -> str:
    """How many planted motifs are filters, and how many instances those have."""
    motifs = run.recovery or ()
    total = count(len(motifs), "planted motif")
    found = [one for one in motifs if one.recovered]
    if not found:
        return f"None of the {total} is the structure of a filter." if motifs else ""
    verb = "is" if len(found) == 1 else "are"
    named = [f"{one.name} ({_beside_copies(run, one)})" for one in found[:MOST_NAMED]]
    if more := len(found) - len(named):
        named.append(f"and {more} more")
    return f"{len(found)} of {total} {verb} the structure of a filter: {'; '.join(named)}."


def _beside_copies(run: FiltersRun, one: MotifRecovery) -> str:
    """The instances of the filters that a planted motif is, and its copies."""
    instances = " and ".join(instances_of(run.filters[number]) for number in one.pattern_ids)
    return f"{instances}, {one.copies:,} planted"


def partial_sentence(command: str) -> str:
    """That the time limit ended a run, and what continues it, where that is known."""
    sentence = "The time limit ended the run."
    # on a line of its own and without a full stop, since it is copied
    return f"{sentence} To continue it:\n{command}" if command else sentence


def filters_paragraphs(run: FiltersRun) -> list[str]:
    """The filters in a sentence and a table; where there are none the sentence alone."""
    if not run.filters:
        return [filters_sentence(run)]
    return [filters_sentence(run), str(filters_table(run)), columns_sentence(run)]


def format_filters(run: FiltersRun) -> str:
    """What filters a graph has, and which planted motifs are among them."""
    parts: Sequence[str] = [
        *filters_paragraphs(run),
        planted_sentence(run),
        partial_sentence(run.command) if run.is_partial else "",
    ]
    return paragraphs(filter(None, parts))
