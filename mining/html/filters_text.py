"""A run of filters in the terminal: a row for each filter."""

from __future__ import annotations

from gomkcn_dgl.graphs.shapes import count
from mining.filters_run import FiltersRun
from mining.html.page import percent
from mining.html.text_table import TextTable, paragraphs
from mining.pattern import UNCOUNTED, OccurrenceCount


def filters_table(run: FiltersRun) -> TextTable:
    """One row per filter, the most frequent first."""
    columns = {
        "filter": [str(one.id) for one in run.filters],
        "structure": [one.name for one in run.filters],
        "nodes": [str(one.structure.num_nodes) for one in run.filters],
        "frequency": [str(one.frequency) for one in run.filters],
        "share": [percent(run.share(one.id)) for one in run.filters],
        "exact": [_said(one.exact) for one in run.filters],
        "similarity": [
            f"{one.similarity[2]:.2f}" if one.similarity else "-" for one in run.filters
        ],
        "occurrences": [_said(one) for one in run.occurrences],
    }
    if run.recovery is not None:
        columns["planted"] = [run.planted_as(one.id) or "-" for one in run.filters]
    return TextTable(columns, {"structure", "planted"})


def _said(number: OccurrenceCount) -> str:
    """A number; an estimate without its interval, which has no room."""
    if number == UNCOUNTED:
        return "-"
    return f"≈ {number.short}" if number.state == "estimated" else number.short


def filters_sentence(run: FiltersRun) -> str:
    """How many filters there are for how many neighbourhoods, and what the columns mean."""
    assigned = count(run.num_assigned, "node")
    if run.num_assigned < run.graph.num_nodes:
        assigned += f" of {run.graph.num_nodes:,}, drawn at random"
    return (
        f"{count(len(run.filters), 'filter')} for the neighbourhoods of {assigned}. Frequency: "
        "nodes whose subgraph is most similar to the filter; exact: those whose subgraph is its "
        "structure; similarity: their median."
    )


def partial_sentence(command: str) -> str:
    """That the time limit ended a run, and what continues it, where that is known."""
    sentence = "The time limit ended the run."
    # on a line of its own and without a full stop, since it is copied
    return f"{sentence} To continue it:\n{command}" if command else sentence


def format_filters(run: FiltersRun) -> str:
    """What filters a graph has, and which planted motifs are among them."""
    if not run.filters:
        return "The graph has no node."
    parts = [filters_sentence(run), str(filters_table(run))]
    if run.recovery is not None:
        found = sum(one.recovered for one in run.recovery)
        total = count(len(run.recovery), "planted motif")
        parts.append(
            f"{found} of {total} {'is' if found == 1 else 'are'} the structure of a filter."
        )
    if run.is_partial:
        parts.append(partial_sentence(run.command))
    return paragraphs(parts)
