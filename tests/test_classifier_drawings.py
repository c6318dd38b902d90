"""Drawings of a classifier: every filter and every node of a graph, at every size."""

from xml.etree import ElementTree

import numpy as np
import pytest

from mining.explanation.classifier_explanation import Response
from mining.plots.classifier_drawings import draw_response
from mining.plots.styles import PLANTED, response_colors


def parts(drawing, tag):
    tree = ElementTree.fromstring(drawing.to_file())
    return list(tree.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


@pytest.mark.parametrize(("num_filters", "task", "size"), [(1, "node", 3), (9, "graph", 1)])
def test_responses_colour_every_node(num_filters, task, size):
    edges = ((0, 1), (1, 2)) if size == 3 else ()
    scores = np.linspace(0.2, 0.8, size * num_filters).reshape(size, num_filters)
    scale = (scores.min(), scores.max())
    planted, relations = np.arange(size) == 0, (0,) * len(edges)
    response = Response(4, tuple(range(size)), edges, scores, 0, 1, planted, task, relations)
    drawing = draw_response(response, scale)
    dots = [dot for dot in parts(drawing, "circle") if dot.get("fill") != "none"]
    assert [dot.get("fill") for dot in dots] == response_colors(scores.T.reshape(-1), scale)
    assert sum(dot.get("stroke") == PLANTED for dot in dots) == num_filters
    # the root of a node's subgraph is circled
    circles = len(parts(drawing, "circle")) - len(dots)
    assert circles == (num_filters if task == "node" else 0)
    texts = [text.text for text in parts(drawing, "text")]
    value = scores[0, 0] if task == "node" else scores[:, 0].max()
    assert texts[0] == f"Filter 0: {'' if task == 'node' else 'up to '}{value:.2f}"
    assert texts[-1] == "kernel response"
