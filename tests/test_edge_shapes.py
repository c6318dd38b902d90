"""Edges as SVG: heads end at the dots, parallel edges lie apart, a plain line is straight."""

import re

import numpy as np
import pytest

from mining.plots.structure_drawing import DrawnEdge, bend, edge_middles, edge_shapes, quadratic

POINTS = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 80.0]])
RADIUS = np.array([10.0, 10.0, 6.0])


def numbers(shape):
    path = re.search(r' d="([^"]*)"', shape)[1]
    return np.array([float(n) for n in re.findall(r"-?[\d.]+", path)]).reshape(-1, 2)


@pytest.mark.parametrize("ends", [(0, 1), (1, 0), (2, 1), (0, 2)])
@pytest.mark.parametrize("width", [1.2, 4.0])
@pytest.mark.parametrize("opposite", [False, True])
def test_the_tip_touches_the_dot_and_the_line_ends_below_the_head(ends, width, opposite):
    edges = [DrawnEdge(ends, width, arrow=True)]
    edges += [DrawnEdge(ends[::-1], width, arrow=True)] * opposite
    line, head, *_ = edge_shapes(POINTS, RADIUS, edges)
    tip, *corners = numbers(head)
    # one pixel for the ring of the dot, and the rounding of the samples along a curve
    touches = RADIUS[ends[1]] + 1
    assert touches - 0.2 <= np.linalg.norm(tip - POINTS[ends[1]]) <= touches + 2
    assert all(np.linalg.norm(corner - POINTS[ends[1]]) > touches for corner in corners)
    stop = numbers(line)[-1]
    assert np.linalg.norm(stop - POINTS[ends[0]]) < np.linalg.norm(tip - POINTS[ends[0]])
    # within the head, so that no gap is left
    assert np.linalg.norm(stop - tip) <= np.linalg.norm(np.mean(corners, axis=0) - tip) + 1


@pytest.mark.parametrize("number", [2, 3, 4])
def test_edges_between_the_same_nodes_lie_apart(number):
    edges = [DrawnEdge((0, 1) if n % 2 else (1, 0), 2.0, arrow=True) for n in range(number)]
    middles = edge_middles(POINTS, edges)
    height = np.sort(middles[:, 1])
    assert (np.diff(height) >= 20).all()
    assert height.sum() == pytest.approx(0)
    # and the curves pass through their middles
    for edge, middle in zip(edges, middles, strict=True):
        ends = POINTS[list(edge.ends)]
        assert quadratic(ends, 2 * middle - ends.mean(axis=0), 0.5) == pytest.approx(middle)


def test_a_bend_is_on_the_same_side_from_both_ends():
    assert bend(POINTS[:2], 1.0, 10).tolist() == bend(POINTS[1::-1], 1.0, 10).tolist() == [50, 10]


def test_nodes_on_one_spot_do_no_harm():
    shapes = edge_shapes(np.zeros((2, 2)), np.ones(2), [DrawnEdge((0, 1), 3.0, arrow=True)] * 2)
    assert not any("nan" in shape for shape in shapes)
