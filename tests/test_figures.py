"""Figures: the data are in what is drawn, no text lies on another, and SVG is reproducible."""

import itertools
import re
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from mining.plots.axes import figure_to_svg
from mining.plots.figures import (
    count_similarities,
    draw_intervals,
    draw_loss,
    draw_similarity_counts,
)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def has_separate_texts(ax):
    """No two texts of a figure overlap, and all are within it."""
    figure = ax.figure
    figure.draw_without_rendering()
    written = [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        written += [tick.label1 for tick in ticks if ax.axison]
    if ax.get_legend() is not None:
        written += ax.get_legend().get_texts()
    boxes = [text.get_window_extent() for text in written if text.get_text()]
    frame = figure.bbox
    inside = all(
        box.x0 >= -1 and box.y0 >= -1 and box.x1 <= frame.x1 + 1 and box.y1 <= frame.y1 + 1
        for box in boxes
    )
    return inside and not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))


def test_similarities_are_counted_and_drawn():
    # rounding may leave a similarity slightly outside [0, 1]
    best = np.array([0.11, 0.12, 0.51, 0.51, 0.51, 1 + 1e-6])
    nearest = np.array([0, 0, 0, 1, 1, 1])
    counts = count_similarities(best, nearest, 2)
    assert counts.shape == (2, 40)
    assert counts[:, [4, 20, 39]].tolist() == [[2, 1, 0], [0, 2, 1]]
    ax = draw_similarity_counts(counts)
    for one, heights in zip(ax.containers, counts, strict=True):
        assert [bar.get_height() for bar in one] == heights.tolist()
    # bars of the second pattern stand on those of the first
    assert [bar.get_y() for bar in ax.containers[1]] == counts[0].tolist()
    assert legend(ax) == ["Pattern 0 (3)", "Pattern 1 (3)"]
    assert has_separate_texts(ax)


def test_counts_are_points_and_intervals_bars():
    nan = np.nan
    counts = {"occurrences": [(10, 8, 13), (4, 2, 5)], "roots": [(11, nan, nan), (nan, nan, nan)]}
    ax = draw_intervals(["Pattern 0", "Pattern 1"], counts)
    (points, _, (bars,)), (roots, *_) = ax.containers
    assert points.get_xdata().tolist() == [10, 4]
    assert [line[:, 0].tolist() for line in bars.get_segments()] == [[8, 13], [2, 5]]
    assert roots.get_xdata()[0] == 11 and np.isnan(roots.get_xdata()[1])
    assert points.get_ydata()[0] < roots.get_ydata()[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Pattern 0", "Pattern 1"]
    assert legend(ax) == ["occurrences", "roots"]
    assert ax.get_xlabel() == "Count (bars: 95 % intervals)"
    assert draw_intervals(["a"], {"roots": [(3, nan, nan)]}).get_xlabel() == "Count"


def test_counts_of_many_sizes_have_a_logarithmic_axis():
    rows = [(0, 0, 2), *((10.0 * i + 1, 5.0 * i, 20.0 * i + 2) for i in range(11))]
    names = ("occurrences", "disjoint", "roots", "graphs")
    ax = draw_intervals([f"Pattern {i}" for i in range(12)], dict.fromkeys(names, rows))
    assert ax.get_xscale() == "symlog"
    assert ax.get_xlim()[0] < 0 and ax.get_xlim()[1] > 202
    assert has_separate_texts(ax)


@pytest.mark.parametrize("curve", [[0.25], [0.5, 0.25, 0.125]])
def test_the_loss_is_drawn_from_zero_up(curve):
    ax = draw_loss(curve)
    assert ax.lines[0].get_xydata().tolist() == [[i, value] for i, value in enumerate(curve)]
    assert ax.get_ylim()[0] == 0
    assert has_separate_texts(ax)


DRAWN = {
    "similarities": lambda: draw_similarity_counts(np.eye(2, 40, dtype=int)),
    "intervals": lambda: draw_intervals(["a"], {"occurrences": [(3, 1, 5)]}),
    "loss": lambda: draw_loss([0.5, 0.25]),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_is_the_same_svg_every_time(name):
    svg = figure_to_svg(DRAWN[name]().figure)
    assert figure_to_svg(DRAWN[name]().figure) == svg
    ElementTree.fromstring(svg)
    assert "<metadata" not in svg and "currentColor" not in svg
    inline = figure_to_svg(DRAWN[name]().figure, inline=True)
    assert inline.startswith("<svg") and "currentColor" in inline and "fill: #ffffff" not in inline


def test_ids_of_several_svgs_differ_and_references_are_kept():
    others = set()
    for draw, name in ((DRAWN["loss"], None), (DRAWN["intervals"], None), (DRAWN["loss"], "named")):
        svg = figure_to_svg(draw().figure, name=name, inline=True)
        ids = re.findall(r'\bid="([^"]+)"', svg)
        assert len(ids) == len(set(ids))
        assert not others & set(ids)
        others |= set(ids)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) <= set(ids)


def test_drawing_leaves_no_global_state():
    before = dict(mpl.rcParams)
    with mpl.rc_context({"svg.hashsalt": "mine"}):
        figure_to_svg(draw_loss([1.0, 0.5]).figure)
        assert mpl.rcParams["svg.hashsalt"] == "mine"
    assert dict(mpl.rcParams) == before
    assert not plt.get_fignums()
