"""Figures: what is drawn is what the pattern says, and nothing lies on anything else."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from gomkcn_dgl.errors import InputError
from mining.plots.layout import place_nodes
from mining.plots.plots import (
    draw_loss,
    draw_pattern,
    draw_patterns,
    feature_colors,
    figure_to_svg,
)
from mining.records.frequency import Frequency
from mining.records.occurrence import Medoid
from mining.records.pattern import Pattern


def pattern_of(graph, number=0, features=None, distinct=10, assigned=20):
    graph = nx.convert_node_labels_to_integers(graph)
    edges = tuple(sorted(tuple(sorted(edge)) for edge in graph.edges))
    features = np.ones((len(graph), 1)) if features is None else features
    return Pattern(
        id=number,
        edges=edges,
        edge_weights=tuple(np.linspace(0.6, 1, len(edges)).tolist()),
        features=features,
        feature_names=tuple(f"x{column}" for column in range(features.shape[1])),
        medoid=Medoid(tuple(range(len(graph))), 0.9, root=0),
        frequency=Frequency(assigned, distinct, min(distinct, 2)),
        min_similarity=0.75,
        occurrences=(),
    )


SHAPES = {
    "single node": nx.empty_graph(1),
    "edge": nx.path_graph(2),
    "path of 12": nx.path_graph(12),
    "star": nx.star_graph(11),
    "cycle": nx.cycle_graph(4),
    "clique": nx.complete_graph(5),
    "clique of 12": nx.complete_graph(12),
    "octahedron": nx.octahedral_graph(),
    "icosahedron": nx.icosahedral_graph(),
    "bipartite": nx.complete_bipartite_graph(3, 3),
    "grid": nx.grid_2d_graph(3, 4),
    "Petersen": nx.petersen_graph(),
    "in pieces": nx.disjoint_union(nx.cycle_graph(3), nx.path_graph(2)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_lines_and_dots_are_the_edges_and_nodes_of_the_pattern(shape):
    pattern = pattern_of(SHAPES[shape])
    ax = draw_pattern(pattern)
    (lines,) = (item for item in ax.collections if isinstance(item, LineCollection))
    dots = [patch.center for patch in ax.patches if isinstance(patch, Circle)]
    assert [text.get_text() for text in ax.texts] == [str(i) for i in range(pattern.num_nodes)]
    drawn = [
        tuple(next(i for i, dot in enumerate(dots) if np.allclose(dot, end)) for end in line)
        for line in lines.get_segments()
    ]
    assert drawn == list(pattern.edges)


def test_widths_follow_weights():
    pattern = pattern_of(nx.path_graph(3))
    (lines,) = draw_pattern(pattern).collections
    assert pattern.edge_weights == (0.6, 1.0)
    assert lines.get_linewidths() == pytest.approx([1.4, 3.0])


@pytest.mark.parametrize(
    ("distinct", "title"),
    [
        (0, "Pattern 3: 0 occurrences"),
        (1, "Pattern 3: 1 occurrence"),
        (10, "Pattern 3: 10 occurrences"),
    ],
)
def test_the_title_tells_the_frequency(distinct, title):
    assert draw_pattern(pattern_of(nx.path_graph(3), 3, distinct=distinct)).get_title() == title


@pytest.mark.parametrize("shape", SHAPES)
def test_dots_keep_apart_and_inside(shape):
    ax = draw_pattern(pattern_of(SHAPES[shape]))
    dots = [patch for patch in ax.patches if isinstance(patch, Circle)]
    for i, dot in enumerate(dots):
        center, radius = np.array(dot.center), dot.radius
        assert (np.abs(center) + radius <= [ax.get_xlim()[1], ax.get_ylim()[1]]).all()
        for other in dots[:i]:
            assert np.linalg.norm(center - other.center) > radius + other.radius


@pytest.mark.parametrize(
    "graph",
    [nx.cycle_graph(6), nx.wheel_graph(6), nx.grid_2d_graph(3, 4), nx.ladder_graph(5)],
    ids=str,
)
def test_easy_planar_graphs_are_drawn_without_crossings(graph):
    pattern = pattern_of(graph)
    places = place_nodes(pattern.num_nodes, pattern.edges)
    for a, b in pattern.edges:
        for c, d in pattern.edges:
            if len({a, b, c, d}) == 4:
                assert not crosses(*places[[a, b, c, d]])


def crosses(a, b, c, d):
    def side(start, end, point):
        return np.sign(np.linalg.det([end - start, point - start]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def test_a_layout_is_the_same_on_every_call():
    edges = tuple(nx.petersen_graph().edges)
    assert (place_nodes(10, edges) == place_nodes(10, edges)).all()


def test_constant_features_have_one_colour():
    pattern = pattern_of(nx.path_graph(3))
    assert feature_colors([pattern, pattern]) == [None, None]
    faces = {patch.get_facecolor() for patch in draw_pattern(pattern).patches}
    assert len(faces) == 1


def test_one_feature_is_its_own_colour_scale_over_all_patterns():
    low = pattern_of(nx.path_graph(2), features=np.array([[1.0], [2.0]]))
    high = pattern_of(nx.path_graph(3), features=np.array([[5.0], [4.0], [3.0]]))
    first, second = feature_colors([low, high])
    assert first == pytest.approx([0, 0.25])
    assert second == pytest.approx([1, 0.75, 0.5])


def test_several_features_are_coloured_by_their_common_direction():
    rows = np.array([[0.0, 0.0, 7.0], [1.0, 2.0, 7.0], [2.0, 4.0, 7.0]])
    (colors,) = feature_colors([pattern_of(nx.path_graph(3), features=rows)])
    assert colors == pytest.approx([0, 0.5, 1])


@pytest.mark.parametrize("number", [1, 2, 5, 16])
def test_the_grid_shows_all_patterns_and_nothing_overlaps(number):
    graphs = [nx.path_graph(1 + i % 12) for i in range(number)]
    figure = draw_patterns([pattern_of(g, i, distinct=10**5) for i, g in enumerate(graphs)])
    assert [ax.get_title() for ax in figure.axes] == [
        f"Pattern {i}: 100000 occurrences" for i in range(number)
    ]
    figure.draw_without_rendering()
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_no_patterns_and_bad_columns():
    (text,) = draw_patterns([]).texts
    assert text.get_text() == "No patterns were found."
    with pytest.raises(InputError, match="columns must be at least 1, got 0"):
        draw_patterns([], columns=0)


@pytest.mark.parametrize("curve", [[0.25], [0.5, 0.25, 0.125], [0.0, 0.0]])
def test_the_loss_curve_is_drawn_from_zero_up(curve):
    ax = draw_loss(curve)
    line = ax.lines[0]
    assert line.get_ydata().tolist() == curve
    assert line.get_xdata().tolist() == list(range(len(curve)))
    assert ax.get_ylim()[0] == 0
    assert ax.get_xlabel() == "Epoch (0 is the start)"
    assert ax.get_ylabel() == "Loss: 1 − mean similarity"


def test_an_empty_loss_curve_is_refused():
    with pytest.raises(InputError, match="loss_curve must hold at least one value"):
        draw_loss([])


def test_figures_are_drawn_into_given_axes():
    axes = Figure().subplots(1, 2)
    pattern = pattern_of(nx.path_graph(3))
    assert draw_pattern(pattern, axes[0]) is axes[0]
    assert draw_loss([0.5, 0.25], axes[1]) is axes[1]


FIGURES = {
    "pattern": lambda: draw_pattern(pattern_of(nx.wheel_graph(6))).figure,
    "patterns": lambda: draw_patterns([pattern_of(nx.path_graph(3)), pattern_of(nx.star_graph(4))]),
    "loss": lambda: draw_loss([0.5, 0.25]).figure,
}


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize("figure", FIGURES)
def test_svg_is_the_same_on_every_run(figure, inline):
    first = figure_to_svg(FIGURES[figure](), inline=inline)
    assert figure_to_svg(FIGURES[figure](), inline=inline) == first
    ElementTree.fromstring(first)
    assert "<metadata" not in first


@pytest.mark.parametrize("name", [None, "named"])
def test_ids_of_several_svgs_differ_and_references_are_kept(name):
    seen = set()
    for number, figure in enumerate(FIGURES.values()):
        svg = figure_to_svg(figure(), name=name and f"{name}{number}", inline=True)
        ids = re.findall(r'\bid="([^"]+)"', svg)
        assert len(ids) == len(set(ids))
        assert not seen & set(ids)
        seen |= set(ids)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) <= set(ids)


def test_an_inline_svg_takes_the_text_colour_of_the_page():
    inline = figure_to_svg(FIGURES["loss"](), inline=True)
    assert inline.startswith("<svg")
    assert "currentColor" in inline
    assert "#ffffff" not in inline
    assert "currentColor" not in figure_to_svg(FIGURES["loss"]())


def test_drawing_leaves_no_global_state():
    code = """
import sys
import mining.plots.plots
assert "seaborn" not in sys.modules, "imported too early"
import matplotlib as mpl
before = dict(mpl.rcParams)
mpl.rcParams["svg.hashsalt"] = before["svg.hashsalt"] = "mine"
svg = mining.plots.plots.figure_to_svg(mining.plots.plots.draw_loss([1.0, 0.5]).figure)
assert dict(mpl.rcParams) == before
from matplotlib import pyplot
assert not pyplot.get_fignums()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
