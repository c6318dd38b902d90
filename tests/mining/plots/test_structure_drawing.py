"""Drawings of structures: all edges are drawn, and nothing overlaps."""

from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from tiny_runs import pattern_of, typed_pattern_of

from gomkcn_dgl.graphs.structure import Structure
from mining.plots.profile import draw_profile
from mining.plots.structure_drawing import draw_structure, edge_names
from mining.plots.styles import line_styles


def parts(drawing, tag):
    return [one for one in ElementTree.fromstring(drawing).iter() if one.tag == tag]


@pytest.mark.parametrize("graph", [nx.wheel_graph(6), nx.complete_graph(8), nx.path_graph(10)])
def test_nodes_do_not_touch_and_all_edges_are_drawn(graph):
    drawing = draw_structure(pattern_of(graph).structure)
    dots = np.array(
        [[float(c.get(k)) for k in ("cx", "cy", "r")] for c in parts(drawing, "circle")]
    )
    far = np.linalg.norm(dots[:, None, :2] - dots[:, :2], axis=2) + 99 * np.eye(len(dots))
    assert (far > dots[:, 2] + dots[:, None, 2]).all()
    assert len(parts(drawing, "path")) == graph.number_of_edges()
    assert [text.text for text in parts(drawing, "text")] == list("ABCDEFGHIJ")[: len(graph)]
    # nothing is outside of the frame
    assert (dots[:, :2] - dots[:, 2:] >= 0).all() and (dots[:, 0] + dots[:, 2] <= 82).all()


def test_arrows_bonds_and_missing_edges():
    loop = Structure.parse("a->b, b->c, a->c, c->a")
    # a mutual pair is one line with two heads
    assert len(parts(draw_structure(loop), "path")) == 3 + 4
    bonds = typed_pattern_of(3, [("double", 0, 1), ("single", 1, 2)],
                             {"double": False, "single": False})  # fmt: skip
    lines = line_styles([bonds])
    assert len(parts(draw_structure(bonds.structure, lines=lines), "path")) == 3
    path = Structure.parse("path-3")
    dotted = parts(draw_structure(path, missing=[(0, 2)]), "path")
    assert sum(one.get("stroke-dasharray") is not None for one in dotted) == 1


def test_edits_are_dotted_and_thin():
    # an edge that many copies lack is dotted in its place, and one that they have beside is thin
    ring = Structure.parse("ring-4")
    (gone, *_), added = ring.edges, next(iter({(0, 1), (0, 2), (0, 3)} - set(ring.edges)))
    drawing = draw_structure(ring, missing=[gone], added=[added])
    lines = [(one.get("stroke-dasharray"), float(one.get("stroke-width")))
             for one in parts(drawing, "path")]  # fmt: skip
    assert sorted(width for dashes, width in lines if not dashes) == [0.8, 2, 2, 2]
    assert len(lines) == 5
    said = ElementTree.fromstring(drawing).get("aria-label")
    names = ["–".join("ABCD"[node] for node in pair) for pair in (gone, added)]
    assert said.endswith(f"; dotted: {names[0]}; thin: {names[1]}")


def test_relations_have_lines_by_falling_frequency():
    edges = [("a", 0, 1), ("a", 1, 2), ("b", 0, 2)]
    pattern = typed_pattern_of(3, edges, {"b": True, "a": True})
    assert line_styles([pattern]) == {("a", True): "solid", ("b", True): "dashed"}
    assert edge_names(pattern.structure)[0] == "A→B a"


def test_the_profile_has_a_bar_for_each_structure():
    rows = [("triangle", "#pattern-0", 8.0, True), ("path <3>", "#other-1", -4.0, False)]
    drawing = draw_profile(rows)
    links = [one.get("href") for one in parts(drawing, "a")]
    assert links == ["#pattern-0", "#other-1"]
    heights = [float(one.get("height")) for one in parts(drawing, "rect")[1::2]]
    assert heights[0] == pytest.approx(2 * heights[1])
