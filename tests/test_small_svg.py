"""Lean drawings: all that is there is drawn, nothing lies on anything, names never enter."""

import re
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from tiny_runs import pattern_of

from mining.plots.small_svg import PatternSketch, draw_chance
from mining.plots.surroundings import Surroundings

FACE = "#4c72b0"


def parts(svg, tag):
    return list(ElementTree.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def circles(svg):
    return np.array(
        [[float(c.get(name)) for name in ("cx", "cy", "r")] for c in parts(svg, "circle")]
    )


def sketch_of(graph):
    pattern = pattern_of(graph)
    return PatternSketch(pattern, [FACE] * pattern.num_nodes)


def place_of(roles, edges):
    return Surroundings(tuple(roles), tuple(edges), (FACE,) * len(roles))


@pytest.mark.parametrize(
    "graph",
    [nx.empty_graph(1), nx.path_graph(10), nx.wheel_graph(6), nx.complete_graph(10)],
    ids=str,
)
def test_a_pattern_is_drawn_within_its_box(graph):
    svg = sketch_of(graph).draw()
    assert [text.text for text in parts(svg, "text")] == [str(node) for node in graph]
    assert len(parts(svg, "path")) == graph.number_of_edges()
    left, top, width, height = map(float, ElementTree.fromstring(svg).get("viewBox").split())
    dots = circles(svg)
    assert (dots[:, 0] - dots[:, 2] >= left).all() and (dots[:, 1] - dots[:, 2] >= top).all()
    assert (dots[:, 0] + dots[:, 2] <= left + width).all()
    assert (dots[:, 1] + dots[:, 2] <= top + height).all()
    apart = np.linalg.norm(dots[:, None, :2] - dots[None, :, :2], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert (apart > dots[:, None, 2] + dots[None, :, 2]).all()


def test_widths_follow_weights():
    # weights .611111 and .987654
    widths = [
        float(line.get("stroke-width"))
        for line in parts(sketch_of(nx.path_graph(3)).draw(), "path")
    ]
    assert widths == [2.5, 5.9]


def test_a_place_keeps_the_layout_of_its_pattern():
    sketch = sketch_of(nx.cycle_graph(4))
    place = place_of([2, 0, 1, 3, None], [(0, 2), (0, 3), (1, 2), (1, 3), (1, 4)])
    own = {text.text: (text.get("x"), text.get("y")) for text in parts(sketch.draw(), "text")}
    drawn = {
        text.text: (text.get("x"), text.get("y"))
        for text in parts(sketch.draw_place(place), "text")
    }
    assert drawn == own
    assert len(parts(sketch.draw_place(place), "circle")) == 5
    assert len(parts(sketch.draw_place(place, neighbors=False), "circle")) == 4
    assert len(parts(sketch.draw_place(place, neighbors=False), "path")) == 4


def test_what_differs_from_the_pattern_is_seen():
    sketch = sketch_of(nx.path_graph(3))
    # 0-1 is there, 1-2 is not, 0-2 is no edge of the pattern
    svg = sketch.draw_place(place_of([0, 1, 2], [(0, 1), (0, 2)]))
    foreign = [line for line in parts(svg, "path") if line.get("stroke") == "#d55e00"]
    missing = [line for line in parts(svg, "path") if line.get("stroke-dasharray") == "1 6"]
    assert (len(parts(svg, "path")), len(foreign), len(missing)) == (3, 1, 1)


@pytest.mark.parametrize("number", [1, 2, 7, 12])
@pytest.mark.parametrize("graph", [nx.star_graph(5), nx.cycle_graph(6), nx.path_graph(10)], ids=str)
def test_neighbours_lie_around_and_apart(graph, number):
    sketch, size = sketch_of(graph), len(graph)
    roles = [*range(size), *[None] * number]
    # all of them on one node, the hardest case
    edges = [*graph.edges, *((0, size + i) for i in range(number))]
    dots = circles(sketch.draw_place(place_of(roles, edges)))
    around, inside = dots[:number], dots[number:]
    assert len(inside) == size
    reach = (np.abs(inside[:, :2]) / [140, 120]).max()
    assert (np.linalg.norm(around[:, :2] / [140, 120], axis=1) > min(0.9, reach)).all()
    apart = np.linalg.norm(around[:, None, :2] - dots[None, :, :2], axis=2)
    apart[np.arange(number), np.arange(number)] = np.inf
    assert (apart > around[:, None, 2] + dots[None, :, 2]).all()


def test_a_drawing_is_the_same_on_every_call():
    sketch = sketch_of(nx.petersen_graph())
    assert sketch.draw() == sketch.draw()


@pytest.mark.parametrize(
    ("observed", "mean", "std"), [(10, 2.0, 1.0), (0, 5.0, 2.0), (0, 0.0, 0.0), (10**6, 1.0, 0.0)]
)
def test_a_count_beside_chance_stays_on_its_strip(observed, mean, std):
    svg = draw_chance(observed, mean, std)
    assert "nan" not in svg
    (bar,) = parts(svg, "rect")
    assert float(bar.get("x")) >= 0
    assert float(bar.get("x")) + float(bar.get("width")) <= 240
    diamond = float(re.search(r"M([\d.]+) 4l7", svg)[1])
    assert 8 <= diamond <= 232
    assert (diamond == 232) == (observed > mean)


def test_a_colour_cannot_leave_its_attribute():
    pattern = pattern_of(nx.empty_graph(1))
    assert "<script" not in PatternSketch(pattern, ['#000000"><script>']).draw()
