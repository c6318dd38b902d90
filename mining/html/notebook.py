"""How results appear in a notebook: all HTML representations are registered here, in one place.

Records, runs and the miner are in layers below the pages and do not import them. This module is
imported when a notebook shows the first of them.
"""

from __future__ import annotations

import html

from gomkcn_dgl.runtime import register_html
from mining.explanation.occurrence_explanation import OccurrenceExplanation
from mining.html.page import render_page
from mining.html.report import patterns_html, render_report, run_html
from mining.html.tables import format_comparison, motif_sentences
from mining.miner import PatternMiner
from mining.mining_run import MiningRun, RunComparison, RunView
from mining.motif_sets.motif_set import MotifSet
from mining.pattern import Pattern
from mining.plots.structure_drawing import draw_explanation


def _miner_html(miner: PatternMiner) -> str:
    """The patterns as cards; the parameters before the miner is fitted."""
    if hasattr(miner, "patterns_"):
        return patterns_html(miner.patterns_)
    return f"<pre>{html.escape(repr(miner))}</pre>"


def _pattern_html(pattern: Pattern) -> str:
    """A card; of what is not reported, and has no places, the record alone."""
    if pattern.id >= 0 and pattern.profiles:
        return patterns_html([pattern])
    return f"<pre>{html.escape(repr(pattern))}</pre>"


def _motif_set_html(motif_set: MotifSet) -> str:
    """The answer in words, and a card of each motif."""
    return patterns_html(motif_set.motifs, " ".join(motif_sentences(motif_set)))


def _explanation_html(explanation: OccurrenceExplanation) -> str:
    """Pattern and occurrence side by side, the sentence and the similarity at each level."""
    drawing = draw_explanation(explanation)
    return render_page("occurrence.html.jinja", explanation=explanation, drawing=drawing)


def _view_html(view: RunView) -> str:
    """The page in a frame of its own, whose script cannot reach the notebook."""
    return (
        f'<iframe srcdoc="{html.escape(render_report(view.run))}" title="Patterns" '
        'sandbox="allow-scripts allow-downloads" '
        'style="width: 100%; height: 900px; border: 0"></iframe>'
    )


def _comparison_html(comparison: RunComparison) -> str:
    return f"<pre>{html.escape(format_comparison(comparison))}</pre>"


register_html(Pattern, _pattern_html)
register_html(PatternMiner, _miner_html)
register_html(MotifSet, _motif_set_html)
register_html(MiningRun, run_html)
register_html(RunView, _view_html)
register_html(OccurrenceExplanation, _explanation_html)
register_html(RunComparison, _comparison_html)
