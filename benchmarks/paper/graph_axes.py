"""Small graphs on matplotlib axes, for the figures of the experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from mining.plots.styles import INK


def draw_edges(
    ax: Axes, positions: np.ndarray, edges: Sequence[Sequence[int]], widths: Any, color: str = INK
) -> None:
    """Draw edges ``[E, 2]``; ``widths`` in points is one number or one for each edge."""
    lines = positions[np.array(edges, dtype=int).reshape(-1, 2)]
    ax.add_collection(
        LineCollection(lines, linewidths=widths, colors=color, capstyle="round", zorder=1)
    )


def draw_nodes(
    ax: Axes, positions: np.ndarray, colors: Any, size: float, half_width: float = 1.1
) -> None:
    """Draw nodes, and set the frame in which ``node_positions`` places them."""
    ax.scatter(*positions.T, s=size, c=colors, edgecolors=INK, linewidths=0.7, zorder=2)
    ax.set_xlim(-half_width, half_width)
    ax.set_ylim(-1.0, 1.0)
    ax.set_aspect("equal")
    ax.set_axis_off()


def name_row(ax: Axes, name: str) -> None:
    """Write the name of a row of axes at the left of its first one."""
    ax.text(
        -0.04, 0.5, name, transform=ax.transAxes, rotation=90, ha="right", va="center",
        fontsize=9, color=INK,
    )  # fmt: skip


def strong_edges(adj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges ``[E, 2]`` with a weight over ½, and their widths from 1 point at ½ to 3 at 1."""
    edges = np.argwhere(np.triu(adj > 0.5))
    return edges, 4 * adj[edges[:, 0], edges[:, 1]] - 1
