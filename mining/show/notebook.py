"""How results appear in a notebook: all HTML representations are registered here, in one place.

Records, runs and the miner are in layers below the pages and do not import them. This module is
imported when a notebook shows the first of them.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from markupsafe import Markup, escape

from gomkcn.mining.filters.filter_figure import feature_colors
from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.motif_sets.motif_columns import MOTIF_COLUMNS
from gomkcn.mining.motif_sets.motif_set import MotifSet, summary
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.plots.filter_drawing import FeatureColors
from gomkcn.mining.plots.paper_figure import FigureSize, plot_drawing
from gomkcn.mining.plots.structure_drawing import color_style, draw_structure, swatch
from gomkcn.mining.plots.styles import Kind, line_key, relation_lines
from gomkcn.mining.show.blocks_beside_part import blocks_sentence
from gomkcn.mining.show.filters_page import filters_row
from gomkcn.mining.show.leading import COMPARISON, FILTERS, MOTIFS, order_of, order_of_parts
from gomkcn.mining.show.methods import citations, methods_text
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.terminal import (
    other_sentence,
    set_notes,
    shown_set,
)
from gomkcn.mining.structures.pattern import Pattern
from gomkcn.mining.structures.pattern_columns import Patterns, structure_columns
from gomkcn.mining.structures.table_column import Medium, Row, TableColumn, columns_in
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import tell_apart
from gomkcn_dgl.runtime import register_html
from gomkcn_dgl.runtime.files import visible

# rows of patterns that are listed
_MOST_ROWS = 20
# pixels of the figure of a structure
_OF_PATTERN = 120, 96
# of a row of filters, as page.css has it, where a page is light or dark
_FILTERS_STYLE = (
    ".filters{display:flex;flex-wrap:wrap;gap:12px 18px;padding:0;list-style:none}"
    ".filters li{display:flex;flex-direction:column;width:130px}"
    ".filters .plain-pic{--c:currentColor;--t:Canvas}"
    ".filters .id{font-weight:700;margin-right:.4em}"
    ".scale{white-space:nowrap;margin-right:10px}"
    ".scale i{display:inline-block;width:64px;height:9px}"
)
# what records of lower layers take from here by their names
__all__ = ["citations", "explore", "methods_text", "patterns_html", "plot_pattern"]
_NO_WIDGET = "selected needs anywidget; pip install gomkcn-dgl[notebooks]."


def _miner_html(miner: PatternMiner) -> str:
    """The parts of the result, in their order; the parameters before the miner is fitted."""
    if not hasattr(miner, "patterns_"):
        return f"<pre>{html.escape(repr(miner))}</pre>"
    filters = miner.filters_
    of_part = {
        COMPARISON: patterns_html(miner.patterns_, miner.relations_.kinds),
        MOTIFS: _motif_set_html(miner.motif_set_, miner.relations_.kinds),
        FILTERS: "" if filters is None else _filter_miner_html(filters),
    }
    found = () if filters is None else filters.filters_
    order = order_of(miner.relations_.kinds, miner.patterns_, miner.motif_set_, found)
    blocks = "" if miner.blocks_ is None else blocks_sentence(miner.blocks_)
    said = Markup("<p>{}</p>").format(blocks) if blocks else ""
    return "".join(of_part[part] for part in order) + said


def _motif_set_html(found: MotifSet, kinds: Iterable[Kind] = ()) -> Markup:
    """The answer in words, and a row for each motif; ``kinds`` are the relations of the graph."""
    shown, _ = shown_set(found)
    rows = shown.rows()
    lines = relation_lines(kinds, [pattern.structure for pattern in shown])
    pictures = [_picture(row.pattern, lines, row.number) for row in rows]
    table = _table(MOTIF_COLUMNS, rows, pictures) + _line_legend(lines, shown) if rows else ""
    notes = Markup("").join(Markup("<p>{}</p>").format(note) for note in set_notes(shown))
    other = Markup("<p>{}</p>").format(other_sentence(shown)) if shown is not found else ""
    return Markup("<p>{}</p>{}{}{}").format(summary(found), other, table, notes)


def patterns_html(patterns: Sequence[Pattern], kinds: Iterable[Kind] = ()) -> Markup:
    """A row for each pattern, the first twenty of many; nothing where there is none.

    ``kinds`` are the relations of the graph, where they are known.
    """
    if not patterns:
        return Markup("")
    shown = patterns[:_MOST_ROWS]
    names = tell_apart(
        [pattern.name for pattern in shown], [pattern.structure for pattern in shown]
    )
    rows = [replace(pattern, description=name) for pattern, name in zip(shown, names, strict=True)]
    left = len(patterns) - len(shown)
    more = Markup(f"<p>{left} more patterns.</p>") if left else Markup("")
    lines = relation_lines(kinds, [pattern.structure for pattern in rows])
    pictures = [_picture(pattern, lines) for pattern in rows]
    return _table(structure_columns(rows), rows, pictures) + more + _line_legend(lines, rows)


def _line_legend(lines: Mapping[Kind, str], drawn: Iterable[Pattern]) -> Markup:
    """The line of each relation of some patterns; nothing where all edges are alike."""
    entries = [
        Markup('<span style="margin-right: 1em; white-space: nowrap">{} {}</span>').format(
            swatch(kind, line), visible(name)
        )
        for name, kind, line in line_key(lines, [pattern.structure for pattern in drawn])
    ]
    text = Markup("").join(entries)
    return Markup('<p style="{}">{}</p>').format(color_style(None), text) if entries else text


def _picture(pattern: Pattern, lines: dict[Kind, str], number: int | None = None) -> Markup:
    """The drawing of a pattern; that of a motif has its colour and its edits."""
    edits: dict[str, Any] = {}
    if number is not None and pattern.motif is not None:
        edits = pattern.motif.often(pattern.structure)
    drawing = draw_structure(pattern.structure, lines=lines, letters=number is not None, **edits)
    return Markup('<td style="{}">{}</td>').format(color_style(number), drawing)


def _table(
    columns: Iterable[TableColumn[Row]], rows: Sequence[Row], pictures: Sequence[Markup]
) -> Markup:
    """A picture in each row, and the columns that notebooks show."""
    shown = columns_in(Medium.NOTEBOOK, columns, rows)
    standing = [
        column
        for column in shown
        if column.below is None or not column.below.media & Medium.NOTEBOOK
    ]
    head = Markup("").join(
        Markup("<th>{}</th>").format(column.title.replace("\n", " ")) for column in standing
    )
    body = Markup("").join(
        Markup("<tr>{}{}</tr>").format(
            picture, Markup("").join(_cell(column, shown, row) for column in standing)
        )
        for row, picture in zip(rows, pictures, strict=True)
    )
    return Markup("<table><thead><tr><th></th>{}</tr></thead><tbody>{}</tbody></table>").format(
        head, body
    )


def _cell(column: TableColumn[Row], columns: Sequence[TableColumn[Row]], row: Row) -> Markup:
    """The text of a cell, and of the columns that stand below it."""
    lines = [escape(visible(column.text_of(row)))]
    for other in columns:
        below = other.below
        if below is not None and below.key == column.key and below.media & Medium.NOTEBOOK:
            text = other.text_of(row)
            lines += [escape(visible(below.label.format(text)))] if text else []
    align = ' style="text-align: left"' if column.is_left else ""
    return Markup("<td{}>{}</td>").format(Markup(align), Markup("<br>").join(lines))


def _run_html(run: MiningRun) -> str:
    """The parts of the run, in the order of the page.

    The table of patterns has motifs too, and stands where the first of both does.
    """
    of_part = {
        COMPARISON: patterns_html(run.patterns, run.graph.kinds),
        MOTIFS: _motif_set_html(run.motif_set, run.graph.kinds),
        FILTERS: "" if run.filters is None else _filters_run_html(run.filters),
    }
    return "".join(of_part[part] for part in order_of_parts(run))


def _filter_miner_html(miner: FilterMiner) -> str:
    """The filters as small multiples; the parameters before the miner is fitted."""
    if not hasattr(miner, "filters_"):
        return f"<pre>{html.escape(repr(miner))}</pre>"
    return _filters_html(miner.filters_, miner.note_, feature_colors(miner.bank_, miner.filters_))


def _filters_html(filters: Sequence[MinedFilter], note: str, colors: FeatureColors) -> Markup:
    """What filters were chosen by, and a row of them with the style that it has on a page."""
    sentence = Markup("<p>{}</p>").format(note)
    if not filters:
        return sentence
    row = filters_row(filters, colors)
    return Markup("{}<style>{}</style>{}{}").format(
        sentence, Markup(_FILTERS_STYLE), row, colors.legend()
    )


def _filters_run_html(run: FiltersRun) -> str:
    return _filters_html(run.filters, run.note, run.colors)


def plot_pattern(pattern: Pattern, *size: Any) -> Any:
    """The drawing of a structure as a figure; the ``size`` is that of its method."""
    lines = relation_lines((), [pattern.structure])
    drawing = draw_structure(pattern.structure, *_OF_PATTERN, lines=lines)
    return plot_drawing(drawing, FigureSize(*size))


def explore(run: MiningRun) -> Any:
    """The page as a widget, or in a frame alone where there are no widgets."""
    try:
        from gomkcn.mining.show.widget import Explorer
    except ModuleNotFoundError:
        return PageFrame(render_report(run))
    return Explorer(run)


@dataclass(eq=False, repr=False)
class PageFrame:
    """A page in a frame of its own, whose script cannot reach the notebook."""

    page: str

    @property
    def selected(self) -> NoReturn:
        """What only a widget knows."""
        raise InputError(_NO_WIDGET)

    @selected.setter
    def selected(self, value: object) -> NoReturn:
        raise InputError(_NO_WIDGET)

    def __repr__(self) -> str:
        """What is missing."""
        return (
            "The page alone: what is selected on it is known in Python with "
            "pip install gomkcn-dgl[notebooks]."
        )

    def _repr_html_(self) -> str:
        return (
            f'<p>{self!r}</p><iframe srcdoc="{html.escape(self.page)}" title="Motifs" '
            'sandbox="allow-scripts allow-downloads" '
            'style="width: 100%; height: 760px; border: 0"></iframe>'
        )


register_html(Pattern, lambda pattern: patterns_html([pattern]))
register_html(Patterns, patterns_html)
register_html(PatternMiner, _miner_html)
register_html(MotifSet, _motif_set_html)
register_html(MiningRun, _run_html)
register_html(FilterMiner, _filter_miner_html)
register_html(FiltersRun, _filters_run_html)
