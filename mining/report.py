"""Step 6: patterns → a sentence, a table for the terminal, and a web page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import jinja2
import numpy as np
from markupsafe import Markup

from mining.evaluation import MotifRecovery
from mining.patterns import Pattern
from mining.plots import draw_frequencies, draw_loss, draw_pattern, feature_colors, figure_to_svg
from mining.run import MiningRun
from mining.shapes import describe_shape

__all__ = [
    "align_columns",
    "describe_shape",
    "format_table",
    "pattern_card",
    "patterns_html",
    "render_report",
    "summary_sentence",
]

_MOST_OCCURRENCES = 10
_MOST_FEATURES = 6
_TABLE_WIDTH = 100


def summary_sentence(run: MiningRun) -> str:
    """Say in one sentence what was found.

    Parameters
    ----------
    run : MiningRun

    Returns
    -------
    str
        Such as "In the 1000-node graph, 8 patterns cover the surroundings of 883 nodes (88%); the
        most frequent is a star with 5 leaves, found 165 times; 4 of 4 planted motifs were
        recovered."
    """
    parts = [f"{_where(run)}, {_coverage(run)}", *_leader(run.patterns)]
    if run.recovery:
        found = sum(motif.recovered for motif in run.recovery)
        noun = "motif" if len(run.recovery) == 1 else "motifs"
        verb = "was" if found == 1 else "were"
        parts.append(f"{found} of {len(run.recovery)} planted {noun} {verb} recovered")
    return "; ".join(parts) + "."


def format_table(run: MiningRun) -> str:
    """Lay out the patterns, and the planted motifs where they are known, for a terminal.

    Parameters
    ----------
    run : MiningRun

    Returns
    -------
    str
        Lines of at most 100 characters.
    """
    nulls = list(run.patterns[0].significance) if run.patterns else []
    header = ["pattern", "shape", "nodes", "edges", "distinct", "assigned"]
    header += [f"{letter} {null}" for null in nulls for letter in "zq"]
    rows = [
        [
            str(pattern.id),
            describe_shape(pattern),
            str(pattern.num_nodes),
            str(len(pattern.edges)),
            str(pattern.frequency.distinct),
            str(pattern.frequency.assigned),
            *_judgements(pattern),
        ]
        for pattern in run.patterns
    ]
    if run.recovery is None:
        return align_columns(header, rows, left={1})
    header.append("planted")
    for row, pattern in zip(rows, run.patterns, strict=True):
        motifs = [f"{m.name} × {m.copies}" for m in _planted_as(pattern, run.recovery)]
        row.append(", ".join(motifs) or "-")
    planted = [[motif.name, str(motif.copies), _fate(motif)] for motif in run.recovery]
    truth = align_columns(["planted motif", "copies", "recovered"], planted, left={0, 2})
    return align_columns(header, rows, left={1, len(header) - 1}) + "\n\n" + truth


def render_report(run: MiningRun) -> str:
    """Render a run as one self-contained HTML page.

    It needs no network and no script, follows the reader's light or dark setting, and can be
    printed. Its numbers are those of ``patterns.json``.

    Parameters
    ----------
    run : MiningRun

    Returns
    -------
    str
    """
    collection = run.graph.num_graphs > 1
    figures = {}
    if run.loss_curve:
        figures["loss"] = _svg(draw_loss(run.loss_curve).figure, "loss")
    if run.patterns:
        figures["frequencies"] = _svg(draw_frequencies(run.patterns).figure, "frequencies")
    return page_template("report.html.jinja").render(
        part="page",
        run=run,
        summary=summary_sentence(run),
        cards=_cards(run.patterns, run.recovery, collection=collection, page=True),
        figures=figures,
        colored=_colored(run.patterns),
        cut=_percent(run.graph.truncated_share),
        settings=flatten(run.settings),
        provenance=flatten(run.provenance),
        page_style=page_style(),
    )


def pattern_card(pattern: Pattern) -> str:
    """Render one pattern as HTML, for Jupyter.

    Parameters
    ----------
    pattern : Pattern

    Returns
    -------
    str
    """
    return patterns_html([pattern])


def patterns_html(patterns: Sequence[Pattern]) -> str:
    """Render several patterns as a grid of cards, for Jupyter.

    Parameters
    ----------
    patterns : sequence of Pattern

    Returns
    -------
    str
    """
    return page_template("report.html.jinja").render(
        part="cards", cards=_cards(patterns, None), colored=_colored(patterns)
    )


def _where(run: MiningRun) -> str:
    graph = run.graph
    if graph.num_graphs > 1:
        return f"In {graph.num_graphs} graphs with {graph.num_nodes} nodes in all"
    return f"In the {graph.num_nodes}-node graph"


def _coverage(run: MiningRun) -> str:
    number = len(run.patterns)
    if not number:
        return "no pattern was found"
    counted = "1 pattern" if number == 1 else f"{number} patterns"
    # with several subgraphs a node, it can be assigned to several patterns
    if run.graph.num_subgraphs != run.graph.num_nodes:
        return f"{counted} {'was' if number == 1 else 'were'} found"
    covered = sum(pattern.frequency.assigned for pattern in run.patterns)
    share = _percent(covered / run.graph.num_nodes)
    nodes = "1 node" if covered == 1 else f"{covered} nodes"
    return f"{counted} {'covers' if number == 1 else 'cover'} the surroundings of {nodes} ({share})"


def _leader(patterns: Sequence[Pattern]) -> list[str]:
    """Say which pattern is most frequent; nothing where there is none."""
    if not patterns:
        return []
    top = max(pattern.frequency.distinct for pattern in patterns)
    if top == 0:
        return ["none of them has an occurrence of its own"]
    leaders = [pattern for pattern in patterns if pattern.frequency.distinct == top]
    times = "once" if top == 1 else f"{top} times"
    if len(leaders) > 1:
        return [f"the most frequent {len(leaders)} were found {times} each"]
    shape = describe_shape(leaders[0])
    article = "a graph of" if shape[0].isdigit() else "an" if shape[0] in "aeiou" else "a"
    subject = "it" if len(patterns) == 1 else "the most frequent"
    return [f"{subject} is {article} {shape}, found {times}"]


def _percent(share: float) -> str:
    """Round down, so that 100% means all."""
    return "under 1%" if 0 < share < 0.01 else f"{int(100 * share + 1e-9)}%"


def _planted_as(pattern: Pattern, recovery: Sequence[MotifRecovery] | None) -> list[MotifRecovery]:
    return [motif for motif in recovery or [] if pattern.id in motif.pattern_ids]


def _judgements(pattern: Pattern) -> list[str]:
    """List z and q of each null model that was asked for."""
    return [
        text
        for entry in pattern.significance.values()
        for text in (f"{entry.z:.1f}", f"{entry.q:.3f}")
    ]


def _fate(motif: MotifRecovery) -> str:
    if not motif.recovered:
        return "no"
    noun = "pattern" if len(motif.pattern_ids) == 1 else "patterns"
    numbers = ", ".join(map(str, motif.pattern_ids))
    return f"yes ({noun} {numbers}, planted copies found {motif.planted_found}/{motif.copies})"


def align_columns(header: list[str], rows: list[list[str]], left: set[int]) -> str:
    """Align columns, cutting the widest text until a line has at most 100 characters."""
    # a name may hold line breaks or terminal codes
    table = [["".join(c if c.isprintable() else "�" for c in cell) for cell in row] for row in rows]
    table.insert(0, header)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    gaps = 2 * (len(widths) - 1)
    excess = sum(widths) + gaps - _TABLE_WIDTH
    while excess > 0:
        widest = max(left, key=lambda column: widths[column])
        others = [widths[column] for column in left if column != widest]
        cut = min(excess, max(1, widths[widest] - max(others, default=0)))
        widths[widest] -= cut
        excess -= cut
    lines = []
    for row in table:
        cells = [_cut(cell, width) for cell, width in zip(row, widths, strict=True)]
        padded = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


@cache
def page_style() -> Markup:
    """Style that all pages share."""
    return Markup(resources.files("mining").joinpath("page.css").read_text("utf-8"))


@cache
def page_template(name: str) -> jinja2.Template:
    """A template of this package."""
    text = resources.files("mining").joinpath(name).read_text("utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(text)


def _cards(
    patterns: Sequence[Pattern],
    recovery: Sequence[MotifRecovery] | None,
    *,
    collection: bool = False,
    page: bool = False,
) -> list[dict[str, Any]]:
    """Collect what the cards show."""
    if not patterns:
        return []
    columns = _telling_columns(patterns)
    cards = []
    for pattern, colors in zip(patterns, feature_colors(patterns), strict=True):
        ax = draw_pattern(pattern, colors=colors)
        # the card's heading says it
        ax.set_title("")
        record = pattern.to_dict()
        places = [record["medoid"], *record["occurrences"]]
        cards.append(
            {
                "record": record,
                "shape": describe_shape(pattern),
                "svg": _svg(ax.figure, f"pattern{pattern.id}" if page else None),
                "motifs": _planted_as(pattern, recovery),
                "columns": columns,
                "names": pattern.feature_names,
                "same": _same_for_all(record["features"]),
                "shown": record["occurrences"][:_MOST_OCCURRENCES],
                "show_graph": collection or any(place["graph"] for place in places),
            }
        )
    return cards


def _same_for_all(features: list[list[float]]) -> bool:
    """Whether there is a single feature with a single value, which one line can say."""
    return len(features[0]) == 1 and all(row == features[0] for row in features)


def _telling_columns(patterns: Sequence[Pattern]) -> list[int]:
    """Return the columns where a node differs most from the mean over all nodes, in spreads."""
    rows = np.concatenate([pattern.features for pattern in patterns])
    if rows.shape[1] <= _MOST_FEATURES:
        return list(range(rows.shape[1]))
    spread = rows.std(axis=0)
    far = np.abs(rows - rows.mean(axis=0)).max(axis=0) / np.where(spread > 1e-6, spread, np.inf)
    return sorted(np.argsort(-far, kind="stable")[:_MOST_FEATURES].tolist())


def _colored(patterns: Sequence[Pattern]) -> bool:
    return bool(patterns) and feature_colors(patterns)[0] is not None


def _svg(figure: Any, name: str | None) -> Markup:
    # only matplotlib wrote this, and it escapes text itself
    return Markup(figure_to_svg(figure, name=name, inline=True))


def flatten(values: Mapping[str, Any], start: str = "") -> list[tuple[str, str]]:
    """List nested settings as ``section.key`` and text."""
    rows = []
    for key, value in values.items():
        name = f"{start}{key}"
        if isinstance(value, Mapping):
            rows += flatten(value, f"{name}.")
        elif isinstance(value, str):
            rows.append((name, value))
        else:
            rows.append((name, json.dumps(value, default=str, ensure_ascii=False)))
    return rows
