"""Figures: the data are in what is drawn, all of it is inside, and SVG is reproducible."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from mining.plots.charts import draw_intervals, draw_loss, figure_to_svg, styled_axes
from mining.plots.styles import INK

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(drawing):
    return [part.text for part in ElementTree.fromstring(drawing.to_file()).iter(f"{SVG}text")]


def shapes_of(drawing, tag):
    return [part.attrib for part in ElementTree.fromstring(drawing.to_file()).iter(f"{SVG}{tag}")]


def is_inside(drawing):
    """All points of lines, dots and texts are within the figure."""
    points = [(p["cx"], p["cy"]) for p in shapes_of(drawing, "circle")]
    points += [(p["x"], p["y"]) for p in shapes_of(drawing, "text")]
    for path in shapes_of(drawing, "path"):
        points += re.findall(r"(-?[\d.]+) (-?[\d.]+)", path["d"])
    return all(
        0 <= float(x) <= drawing.width and 0 <= float(y) <= drawing.height for x, y in points
    )


def test_counts_are_points_and_intervals_lines():
    nan = np.nan
    counts = {"occurrences": [(10, 8, 13), (4, 2, 5)], "roots": [(11, nan, nan), (nan, nan, nan)]}
    drawing = draw_intervals(["Pattern 0", "Pattern 1"], counts)
    # one of each kind in the legend
    filled = [one for one in shapes_of(drawing, "circle") if one["fill"] == INK][1:]
    empty = [one for one in shapes_of(drawing, "circle") if one["fill"] == "none"][1:]
    assert len(filled) == 2 and len(empty) == 1
    first, second, root = (float(one["cx"]) for one in (*filled, *empty))
    assert (first - second) / (root - first) == pytest.approx(6, rel=0.01)
    texts = texts_of(drawing)
    assert {"Pattern 0", "Pattern 1", "occurrences", "roots"} < {*texts}
    assert "Count (lines: 95 % intervals)" in texts and is_inside(drawing)
    assert "Count" in texts_of(draw_intervals(["a"], {"roots": [(3, nan, nan)]}))


def test_counts_of_many_sizes_have_a_logarithmic_axis():
    rows = [(0, 0, 2), *((10.0**i, 5.0 * 10.0 ** (i - 1), 2 * 10.0**i) for i in range(12))]
    names = ("occurrences", "disjoint", "roots", "graphs")
    drawing = draw_intervals([f"Pattern {i}" for i in range(13)], dict.fromkeys(names, rows))
    assert is_inside(drawing)
    texts = texts_of(drawing)
    assert {"0", "10", "1k", "10¹¹"} < {*texts}
    dots = [float(one["cx"]) for one in shapes_of(drawing, "circle") if one["fill"] == INK][1:]
    # zero is visible, and from decade to decade there is the same way
    assert dots[0] == 90.0
    assert np.diff(dots[3:]) == pytest.approx(np.full(9, np.diff(dots[3:]).mean()), abs=1.5)


@pytest.mark.parametrize("curve", [[0.25], [0.5, 0.25, 0.125]])
def test_the_loss_is_drawn_from_zero_up(curve):
    drawing = draw_loss(curve)
    first, last = shapes_of(drawing, "circle")
    if len(curve) == 1:
        assert first == last
    else:
        bottom = 200.0
        ratio = (bottom - float(first["cy"])) / (bottom - float(last["cy"]))
        assert ratio == pytest.approx(4, rel=0.01)
    assert is_inside(drawing) and "0" in texts_of(drawing)


def simple_figure(height):
    ax = styled_axes(3, height, "title", "x", "y")
    ax.plot([0, 1], [0, 1])
    return ax.figure


def test_a_figure_is_the_same_svg_every_time():
    svg = figure_to_svg(simple_figure(2))
    assert figure_to_svg(simple_figure(2)) == svg
    ElementTree.fromstring(svg)
    assert "<metadata" not in svg and "currentColor" not in svg
    inline = figure_to_svg(simple_figure(2), inline=True)
    assert inline.startswith("<svg") and "currentColor" in inline and "fill: #ffffff" not in inline


def test_ids_of_several_svgs_differ_and_references_are_kept():
    others = set()
    for height, name in ((2, None), (3, None), (2, "named")):
        svg = figure_to_svg(simple_figure(height), name=name, inline=True)
        ids = re.findall(r'\bid="([^"]+)"', svg)
        assert len(ids) == len(set(ids))
        assert not others & set(ids)
        others |= set(ids)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) <= set(ids)
