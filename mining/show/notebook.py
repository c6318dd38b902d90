"""How results appear in a notebook: all HTML representations are registered here, in one place.

Records, runs and the miner are in layers below the pages and do not import them. This module is
imported when a notebook shows the first of them.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

from markupsafe import Markup, escape

from gomkcn.mining.filters.filter_figure import feature_colors
from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.motif_sets.motif_set import MotifSet, summary
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.plots.filter_drawing import FeatureColors
from gomkcn.mining.plots.structure_drawing import color_style, draw_structure
from gomkcn.mining.plots.styles import relation_lines
from gomkcn.mining.show.filters_page import filters_row
from gomkcn.mining.show.report import render_report
from gomkcn.mining.show.terminal import (
    EDITS_NOTE,
    copies_said,
    has_edits,
    other_sentence,
    shown_set,
)
from gomkcn.mining.structures.pattern import LESS, MORE, Pattern, Patterns
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import tell_apart
from gomkcn_dgl.runtime import register_html
from gomkcn_dgl.runtime.files import visible

# rows of patterns that are listed
_MOST_ROWS = 20
# of a row of filters, as page.css has it, where a page is light or dark
_FILTERS_STYLE = (
    ".filters{display:flex;flex-wrap:wrap;gap:12px 18px;padding:0;list-style:none}"
    ".filters li{display:flex;flex-direction:column;width:130px}"
    ".filters .plain-pic{--c:currentColor;--t:Canvas}"
    ".filters .id{font-weight:700;margin-right:.4em}"
    ".scale{white-space:nowrap;margin-right:10px}"
    ".scale i{display:inline-block;width:64px;height:9px}"
)
_NO_WIDGET = "selected needs anywidget; pip install gomkcn-dgl[notebooks]."
_RESULTS = {MORE: "over-represented", LESS: "under-represented"}


def _miner_html(miner: PatternMiner) -> str:
    """The filters, the motif set and the patterns; the parameters before the miner is fitted."""
    if not hasattr(miner, "patterns_"):
        return f"<pre>{html.escape(repr(miner))}</pre>"
    filters = miner.filters_
    row = _filter_miner_html(filters) if isinstance(filters, FilterMiner) else ""
    return row + _motif_set_html(miner.motif_set_) + patterns_html(miner.patterns_)


def _motif_set_html(found: MotifSet) -> Markup:
    """The answer in words, and a row for each motif."""
    shown, _ = shown_set(found)
    rows = [
        (number, one, copies_said(one.motif), f"{one.motif.share:,.0f}")
        for number, one in enumerate(shown)
        if one.motif is not None
    ]
    table = _table(("", "motif", "copies", "bits saved"), rows) if rows else ""
    note = Markup("<p>{}</p>").format(EDITS_NOTE) if has_edits(shown) else ""
    other = Markup("<p>{}</p>").format(other_sentence(shown)) if shown is not found else ""
    return Markup("<p>{}</p>{}{}{}").format(summary(found), other, table, note)


def patterns_html(patterns: Sequence[Pattern]) -> Markup:
    """A row for each pattern, the first twenty of many; nothing where there is none."""
    if not patterns:
        return Markup("")
    rows = []
    for one in patterns[:_MOST_ROWS]:
        results = [result for result in one.significance.values() if result.is_called]
        said = _RESULTS[results[0].verdict] if results else ""
        count = one.frequency.occurrences
        rows.append((None, one, count.short if isfinite(count.high) else "", said))
    left = len(patterns) - len(rows)
    more = Markup(f"<p>{left} more patterns.</p>") if left else Markup("")
    return _table(("", "pattern", "count", "result"), rows) + more


def _table(head: Sequence[str], rows: Sequence[tuple[int | None, Pattern, str, str]]) -> Markup:
    """A drawing, a name and two numbers in each row; a motif has its colour and number."""
    patterns = [one for _, one, *_ in rows]
    lines = relation_lines((), [one.structure for one in patterns])
    names = tell_apart([one.name for one in patterns], [one.structure for one in patterns])
    cells = ""
    for (number, one, first, second), name in zip(rows, names, strict=True):
        edits: dict[str, Any] = {}
        if number is not None and one.motif is not None:
            edits = one.motif.often(one.structure)
        drawing = draw_structure(one.structure, lines=lines, letters=number is not None, **edits)
        badge = "" if number is None else f"{number}: "
        cells += (
            f'<tr><td style="{color_style(number)}">{drawing}</td><td style="text-align: left">'
            f"{badge}{escape(visible(name))}</td><td>{escape(first)}</td><td>{escape(second)}</td></tr>"
        )
    titles = "".join(f"<th>{title}</th>" for title in head)
    return Markup(f"<table><thead><tr>{titles}</tr></thead><tbody>{cells}</tbody></table>")


def _run_html(run: MiningRun) -> str:
    """The filters, the motif set and the patterns, in the order of the page."""
    filters = "" if run.filters is None else _filters_run_html(run.filters)
    return filters + _motif_set_html(run.motif_set) + patterns_html(run.patterns)


def _filter_miner_html(miner: FilterMiner) -> str:
    """The filters as small multiples; the parameters before the miner is fitted."""
    if not hasattr(miner, "filters_"):
        return f"<pre>{html.escape(repr(miner))}</pre>"
    return _filters_html(miner.filters_, miner.note_, feature_colors(miner.bank_, miner.filters_))


def _filters_html(filters: Sequence[MinedFilter], note: str, colors: FeatureColors) -> Markup:
    """What filters were chosen by, and a row of them with the style that it has on a page."""
    said = Markup("<p>{}</p>").format(note)
    if not filters:
        return said
    row = filters_row(filters, colors)
    return Markup("{}<style>{}</style>{}{}").format(
        said, Markup(_FILTERS_STYLE), row, colors.legend()
    )


def _filters_run_html(run: FiltersRun) -> str:
    return _filters_html(run.filters, run.note, run.colors)


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
