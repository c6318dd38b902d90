"""A run of filters in the terminal: a row for each filter."""

from __future__ import annotations

from collections.abc import Sequence

from gomkcn.mining.filters.filter_columns import FILTER_COLUMNS
from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.show.text_table import paragraphs, text_table
from gomkcn.mining.structures.pattern import UNCOUNTED, OccurrenceCount
from gomkcn.mining.structures.table_column import Medium, meanings
from gomkcn.mining.structures.truth import MotifRecovery
from gomkcn_dgl.graphs.shapes import count, counted_size

# columns of the table that need no explanation
PLAIN_COLUMNS = ("filter", "structure", "num_nodes", "instances_interval", "planted")
# filters, or planted motifs, that a sentence names
MOST_NAMED = 4


def short_count(number: OccurrenceCount) -> str:
    """A number; an estimate without its interval, which has no room."""
    if number == UNCOUNTED:
        return "-"
    return f"≈ {number.short}" if number.state == "estimated" else number.short


def filters_sentence(run: FiltersRun) -> str:
    """What the filters are and how many instances they have, or that there are none."""
    if not run.filters:
        return run.note
    named = [
        f"{without_degrees(mined)} ({instances_of(mined)})" for mined in run.filters[:MOST_NAMED]
    ]
    if more := len(run.filters) - len(named):
        named.append(f"and {more} more")
    found = f"{count(len(run.filters), 'filter')}: {'; '.join(named)}."
    return " ".join(filter(None, [found, run.note, sample_sentence(run)]))


def without_degrees(mined: MinedFilter) -> str:
    """The name of a filter without what else tells it from others, as a sentence has it.

    Of what has no name it is the size, and the drawing says the rest.
    """
    return counted_size(mined.name) or mined.name.partition(" (")[0]


def sample_sentence(run: FiltersRun) -> str:
    """How many nodes numbers are estimated from; empty where all were looked at."""
    if not run.is_sample:
        return ""
    nodes = f"{run.num_assigned:,} of {count(run.graph.num_nodes, 'node')}"
    return f"Instances and nearest nodes are estimates from {nodes}, drawn at random."


def instances_of(mined: MinedFilter) -> str:
    """Such as "46 instances"."""
    return f"{short_count(mined.instances)} {noun_of(mined.instances)}"


def noun_of(number: OccurrenceCount) -> str:
    """What is said after a number of instances."""
    return "instance" if number.is_exact and number.value == 1 else "instances"


def columns_sentence(run: FiltersRun) -> str:
    """What the columns of the table mean."""
    texts = meanings(Medium.TERMINAL, FILTER_COLUMNS, run.rows, PLAIN_COLUMNS)
    return " ".join(f"{text}." for text in texts)


def planted_sentence(run: FiltersRun) -> str:
    """How many planted motifs are filters, and how many instances those have."""
    motifs = run.recovery or ()
    total = count(len(motifs), "planted motif")
    found = [motif for motif in motifs if motif.recovered]
    if not found:
        return f"None of the {total} is the structure of a filter." if motifs else ""
    verb = "is" if len(found) == 1 else "are"
    named = [f"{motif.name} ({_beside_copies(run, motif)})" for motif in found[:MOST_NAMED]]
    if more := len(found) - len(named):
        named.append(f"and {more} more")
    return f"{len(found)} of {total} {verb} the structure of a filter: {'; '.join(named)}."


def _beside_copies(run: FiltersRun, motif: MotifRecovery) -> str:
    """The instances of the filters that a planted motif is, and its copies."""
    instances = " and ".join(instances_of(run.filters[number]) for number in motif.pattern_ids)
    return f"{instances}, {motif.copies:,} planted"


def partial_sentence(command: str) -> str:
    """That the time limit ended a run, and what continues it, where that is known."""
    sentence = "The time limit ended the run."
    # on a line of its own and without a full stop, since it is copied
    return f"{sentence} To continue it:\n{command}" if command else sentence


def filters_paragraphs(run: FiltersRun) -> list[str]:
    """The filters in a sentence and a table; where there are none the sentence alone."""
    if not run.filters:
        return [filters_sentence(run)]
    return [filters_sentence(run), str(text_table(FILTER_COLUMNS, run.rows)), columns_sentence(run)]


def format_filters(run: FiltersRun) -> str:
    """What filters a graph has, and which planted motifs are among them."""
    parts: Sequence[str] = [
        *filters_paragraphs(run),
        planted_sentence(run),
        partial_sentence(run.command) if run.is_partial else "",
    ]
    return paragraphs(filter(None, parts))
