"""The figure of a repeated block, drawn by Matplotlib, and its drawing on a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gomkcn.mining.plots.block_drawing import draw_block
from gomkcn.mining.plots.paper_figure import FigureSize
from gomkcn.mining.plots.svg_axes import draw_svg

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

    from gomkcn.mining.repeats.block_finding import RepeatedBlock, RepeatedBlocks

# inches
_WIDTH, _HEIGHT = 7.2, 5.0


def drawing_of(found: RepeatedBlocks, block: RepeatedBlock) -> Markup:
    """A block in layers; nodes that are joined to the rest of the graph are hollow."""
    return draw_block(
        block.num_nodes,
        [(u, v) for u, v, _ in block.edges],
        [found.directed[relation] for *_, relation in block.edges],
        block.kinds,
        block.ports,
    )


def plot_block(
    found: RepeatedBlocks,
    block: RepeatedBlock,
    path: str | Path | None,
    *,
    width: float | None,
    height: float | None,
) -> Figure:
    """Draw a block, with its copies and the edges that they cover above it."""
    size = FigureSize(path, width, height)
    axis = size.axis(_WIDTH, _HEIGHT)
    draw_svg(axis, drawing_of(found, block))
    axis.set_title(
        f"{block.num_nodes} nodes in {len(block.copies):,} copies: {block.covered:,} edges"
    )
    figure = axis.figure
    return size.write(figure)  # type: ignore[arg-type]
