"""Drawings of patterns and occurrences: all that is there is drawn, and nothing overlaps."""

from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from tiny_runs import pattern_of, typed_pattern_of

from mining.plots.structure_drawing import (
    DrawnOccurrence,
    PatternSketch,
    draw_patterns,
)
from mining.plots.styles import INK, MARK

FACE = "#4c72b0"


def parts(drawing, tag):
    tree = ElementTree.fromstring(drawing.__html__())
    return list(tree.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def circles(drawing):
    return np.array(
        [[float(c.get(name)) for name in ("cx", "cy", "r")] for c in parts(drawing, "circle")]
    )


def gaps(one, other):
    """Distance between dots less both radii."""
    distance = np.linalg.norm(one[:, None, :2] - other[None, :, :2], axis=2)
    distance[distance == 0] = np.inf
    return distance - one[:, None, 2] - other[None, :, 2]


def texts(drawing):
    return [text.text for text in parts(drawing, "text")]


def sketch_of(graph):
    return PatternSketch(pattern_of(graph), [FACE] * len(graph))


def occurrence_of(mapping, edges):
    return DrawnOccurrence(tuple(mapping), tuple(edges), (0,) * len(edges))


@pytest.mark.parametrize(
    "graph", [nx.empty_graph(1), nx.path_graph(10), nx.wheel_graph(6), nx.complete_graph(10)]
)
def test_a_pattern_is_drawn_within_its_box(graph):
    drawing = sketch_of(graph).draw()
    assert texts(drawing) == [str(node) for node in graph]
    # learnt weights of at least .611111
    widths = [float(line.get("stroke-width")) for line in parts(drawing, "path")]
    assert len(widths) == graph.number_of_edges() and min(widths, default=2.5) == 2.5
    dots, corner = circles(drawing), np.array([drawing.left, drawing.top])
    assert (dots[:, :2] - dots[:, 2:] >= corner).all()
    size = np.array([drawing.width, drawing.height])
    assert (dots[:, :2] + dots[:, 2:] <= corner + size).all()
    assert (gaps(dots, dots) > 0).all()


def test_an_occurrence_keeps_the_layout_of_its_pattern():
    sketch = sketch_of(nx.cycle_graph(4))
    occurrence = occurrence_of([2, 0, 1, 3, None], [(0, 2), (0, 3), (1, 2), (1, 3), (1, 4)])
    own, drawn = (
        {text.text: (text.get("x"), text.get("y")) for text in parts(drawing, "text")}
        for drawing in (sketch.draw(), sketch.draw_occurrence(occurrence))
    )
    assert drawn == own
    assert len(parts(sketch.draw_occurrence(occurrence), "circle")) == 5


def test_differences_from_the_pattern_are_marked():
    sketch = sketch_of(nx.path_graph(4))
    # 0-1 is there, 1-2 is not, 0-2 is no edge of the pattern, and node 3 has no graph node
    drawing = sketch.draw_occurrence(occurrence_of([0, 1, 2], [(0, 1), (0, 2)]), marked=[1])
    lines = parts(drawing, "path")
    dashes = [(line.get("stroke"), line.get("stroke-dasharray")) for line in lines]
    assert dashes == [("currentColor", None), (MARK, "7 4"), ("currentColor", "1 6")]
    dots = parts(drawing, "circle")
    assert [dot.get("stroke") for dot in dots] == ["currentColor", MARK, *["currentColor"] * 2]
    assert [dot.get("stroke-dasharray") for dot in dots] == [None] * 3 + ["3 4"]


@pytest.mark.parametrize(
    ("graph", "number"), [(nx.star_graph(5), 1), (nx.path_graph(10), 12)], ids=str
)
def test_neighbours_lie_around_and_apart(graph, number):
    size = len(graph)
    # all of them on one node, the hardest case
    edges = [*graph.edges, *((0, size + i) for i in range(number))]
    occurrence = occurrence_of([*range(size), *[None] * number], edges)
    dots = circles(sketch_of(graph).draw_occurrence(occurrence))
    assert len(dots) == size + number
    assert (gaps(dots[:number], dots) > 0).all()


def test_a_file_is_dark_on_white_and_a_page_gives_its_colour():
    drawing = draw_patterns([pattern_of(nx.path_graph(2))])
    assert "currentColor" in drawing.__html__() and INK not in drawing.__html__()
    assert "currentColor" not in drawing.to_file() and INK in drawing.to_file()
    ElementTree.fromstring(drawing.to_file())
    sketch = PatternSketch(pattern_of(nx.empty_graph(1)), ['#000000"><script>'])
    assert "<script" not in sketch.draw().__html__()


SIGNED = {"activates": True, "represses": True, "binds": False}


def test_arcs_have_heads_and_relations_have_colours():
    pattern = typed_pattern_of(
        3, [("activates", 0, 1), ("represses", 1, 0), ("binds", 1, 2)], SIGNED
    )
    sketch = PatternSketch(pattern, [FACE] * 3)
    lines = [part for part in parts(sketch.draw(), "path") if part.get("stroke")]
    heads = [part for part in parts(sketch.draw(), "path") if part.get("fill")]
    assert len(lines) == 3 and len(heads) == 2
    colors = [line.get("stroke") for line in lines]
    assert len(set(colors)) == 3 and [head.get("fill") for head in heads] == colors[:2]
    # opposite arcs are two curves
    assert [("Q" in line.get("d")) for line in lines] == [True, True, False]
    assert [style.name for style in sketch.shown_relations()] == list(SIGNED)
    assert {"activates", "represses", "binds"} < set(texts(draw_patterns([pattern])))
    # a name of any length leaves the drawing as wide as it is
    long = typed_pattern_of(2, [("x" * 500, 0, 1)], {"x" * 500: True, "<": True})
    assert "x" * 40 in texts(draw_patterns([long])) and draw_patterns([long]).width < 500
