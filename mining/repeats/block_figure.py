"""A repeated block as it is drawn: on a page, and as a figure by Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gomkcn.mining.plots.block_drawing import draw_block
from gomkcn.mining.plots.paper_figure import FigureSize
from gomkcn.mining.plots.svg_axes import draw_svg

if TYPE_CHECKING:
    from markupsafe import Markup

    from gomkcn.mining.repeats.repeated_block import RepeatedBlock

# inches
_WIDTH, _HEIGHT = 7.2, 5.0


def drawing_of(block: RepeatedBlock, directed: Sequence[bool]) -> Markup:
    """A block in layers; ``directed`` says whether the edges of each relation have a direction.

    Nodes that are joined to the rest of the graph are hollow.
    """
    return draw_block(
        block.num_nodes,
        [(u, v) for u, v, _ in block.edges],
        [directed[relation] for *_, relation in block.edges],
        block.kinds,
        block.ports,
    )


def plot_block(block: RepeatedBlock, directed: Sequence[bool], size: FigureSize) -> Any:
    """Draw a block, with its copies and the edges that they cover above it."""
    axis = size.axis(_WIDTH, _HEIGHT)
    draw_svg(axis, drawing_of(block, directed))
    axis.set_title(
        f"{block.num_nodes} nodes in {len(block.copies):,} copies: {block.covered:,} edges"
    )
    figure: Any = axis.figure
    return size.write(figure)
