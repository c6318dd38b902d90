"""The figure of a motif set: its motifs, drawn by Matplotlib in the style of seaborn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gomkcn.mining.motif_sets.motif_columns import MotifRow
from gomkcn.mining.plots.paper_figure import FigureSize, line_handles
from gomkcn.mining.plots.structure_figure import draw_on_axis, structures_figure
from gomkcn.mining.plots.styles import LETTER_COLORS, MOTIF_COLORS, line_key, relation_lines
from gomkcn.mining.structures.pattern import MotifPart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_motifs(rows: Sequence[MotifRow], note: str, size: FigureSize) -> Figure:
    """Draw the motifs of a set, each with its copies and the bits that it saves.

    Letters keep their share of the width.

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
    >>> plot_motifs(motif_set(graph).rows(), "", FigureSize()).axes[0].get_title()
    '0: clique of 4 nodes'
    """
    size.check()
    structures = [row.pattern.structure for row in rows]
    lines = relation_lines((), structures)

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

    figure = structures_figure(len(rows), draw, note)
    handles = line_handles(line_key(lines, structures))
    if handles:
        figure.legend(
            handles=handles, loc="outside lower center", ncols=min(len(handles), 4), frameon=False
        )
    usual, high = figure.get_size_inches().tolist()
    figure.set_size_inches(size.of(usual, high))
    wide = figure.get_size_inches()[0]
    letters: list[Any] = figure.findobj(lambda artist: hasattr(artist, "set_fontsize"))
    for text in letters:
        text.set_fontsize(text.get_fontsize() * wide / usual)
    return size.write(figure)


def _copies_text(part: MotifPart) -> str:
    """The copies of a motif, and the bits that it saves."""
    noun = "copy" if part.num_copies == 1 else "copies"
    return f"{part.num_copies:,} {noun}\n{part.share:,.0f} bits saved"
