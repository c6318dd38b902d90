"""The figure of a motif set: its motifs, drawn by Matplotlib in the style of seaborn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gomkcn.mining.motif_sets.motif_columns import MotifRow
from gomkcn.mining.plots.structure_figure import draw_on_axis, structures_figure
from gomkcn.mining.plots.styles import LETTER_COLORS, MOTIF_COLORS, relation_lines
from gomkcn.mining.structures.pattern import MotifPart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_motifs(rows: Sequence[MotifRow], note: str) -> Figure:
    """Draw the motifs of a set, each with its copies and the bits that it saves.

    Returns
    -------
    matplotlib.figure.Figure
        The ``note`` where there is no motif.

    Raises
    ------
    InputError
        If Matplotlib and seaborn are not installed.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import motif_set
    >>> graph = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    >>> plot_motifs(motif_set(graph).rows(), "").axes[0].get_title()
    '0: clique of 4 nodes'
    """
    lines = relation_lines((), [row.pattern.structure for row in rows])

    def draw(axis: Axes, number: int) -> None:
        row = rows[number]
        at = min(number, len(MOTIF_COLORS) - 1)
        color = MOTIF_COLORS[at]
        draw_on_axis(
            axis,
            row.pattern.structure,
            lines,
            title=f"{number}: {row.pattern.name}",
            note=_copies_text(row.part),
            color=color,
            style={"--c": color, "--t": LETTER_COLORS[at]},
            **row.part.often(row.pattern.structure),
        )

    return structures_figure(len(rows), draw, note)


def _copies_text(part: MotifPart) -> str:
    """The copies of a motif, and the bits that it saves."""
    noun = "copy" if part.num_copies == 1 else "copies"
    return f"{part.num_copies:,} {noun}\n{part.share:,.0f} bits saved"
