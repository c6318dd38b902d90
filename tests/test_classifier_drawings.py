"""Drawings of a classifier: every filter and every node of a graph, at every size."""

from xml.etree import ElementTree

import numpy as np
import pytest

from mining.explanation.classifier_explanation import LearntFilter, Response
from mining.html.explanation_report import favoured_class
from mining.plots.classifier_drawings import draw_filters, draw_response, draw_root
from mining.plots.colors import PLANTED, response_colors


def parts(drawing, tag):
    tree = ElementTree.fromstring(drawing.to_file())
    return list(tree.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def filter_of(features, means=(0.1, 0.9)):
    return LearntFilter(((0, 1), (1, 2)), (0.9, 1.0), np.array(features, dtype=float), means)


@pytest.mark.parametrize("number", [1, 9])
def test_filters_show_their_weights_and_a_legend(number):
    drawing = draw_filters([filter_of(np.eye(5)[:3])] * number)
    texts = [text.text for text in parts(drawing, "text")]
    assert texts[:3] == ["Filter 0", ".90", "1"]
    assert texts[-3:] == ["column 0", "column 1", "column 2"]
    assert len(parts(drawing, "circle")) == 3 * number + 3


@pytest.mark.parametrize("num_filters", [1, 9])
@pytest.mark.parametrize(("edges", "size"), [((), 1), (((0, 1), (1, 2)), 3)])
def test_responses_colour_every_node(num_filters, edges, size):
    scores = np.linspace(0.2, 0.8, size * num_filters).reshape(size, num_filters)
    planted = np.arange(size) == 0
    scale = (scores.min(), scores.max())
    for task, draw, panels in (("graph", draw_response, num_filters), ("node", draw_root, 1)):
        response = Response(4, tuple(range(size)), edges, scores, 0, 1, planted, task)
        drawing = draw(response, scale)
        dots = [dot for dot in parts(drawing, "circle") if dot.get("fill") != "none"]
        shown = scores if task == "graph" else scores[:, [response.best_filter]]
        colors = response_colors(shown.T.reshape(-1), scale)
        assert [dot.get("fill") for dot in dots] == colors
        assert sum(dot.get("stroke") == PLANTED for dot in dots) == panels
        assert "kernel response" in [text.text for text in parts(drawing, "text")]


def test_the_favoured_class():
    assert favoured_class(filter_of(np.eye(3), (0.1, 0.9, 0.3))) == 1
    assert favoured_class(filter_of(np.eye(3), (0.5, 0.5))) is None
    assert favoured_class(filter_of(np.eye(3), (np.nan, 0.2))) is None
