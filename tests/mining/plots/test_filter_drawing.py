"""Drawings of filters, colours of features and responses, and the curve of a loss."""

from xml.etree import ElementTree

import numpy as np
import pytest

from gomkcn.mining.plots.filter_drawing import (
    PLAIN_FILL,
    VIRIDIS,
    FeatureColors,
    draw_filter,
    draw_loss_curve,
    draw_scale,
    response_fills,
    viridis,
)
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.fragments import structure_of
from gomkcn_dgl.graphs.structure import Structure

PATH = Structure.parse("a--b, b--c")


def parts(drawing, tag):
    return [one for one in ElementTree.fromstring(drawing).iter() if one.tag == tag]


def rgb(color):
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def test_a_response_has_the_colour_of_matplotlib_s_viridis():
    matplotlib = pytest.importorskip("matplotlib")
    known = matplotlib.colormaps["viridis"]
    for share in np.linspace(0, 1, 101):
        expected = 255 * np.array(known(float(share))[:3])
        np.testing.assert_allclose(rgb(viridis(share)), expected, atol=4)
    # clipped to the scale, and all alike where nothing differs
    assert response_fills(np.array([-1, 3.0]), 0, 1) == [VIRIDIS[0], VIRIDIS[-1]]
    assert response_fills(np.array([0.5, 0.5]), 0.5, 0.5) == [VIRIDIS[0]] * 2


def test_three_features_are_red_green_and_blue_over_their_ranges_in_the_graph():
    features = np.array([[0, 10, -1], [1, 20, 1], [0.5, 12, 0]])
    colors = FeatureColors.find(features, ["a", "b", "c"])
    assert [rgb(one) for one in colors.fills(features)] == [
        [0, 0, 0],
        [255, 255, 255],
        [128, 51, 128],
    ]
    # a filter beyond the range is as far as the range goes
    assert colors.fills(np.array([[2, 0, 0]])) == ["#ff0080"]
    for words in ("red a 0 ", "green b 10 ", "blue c -1 "):
        assert words in colors.legend()


def test_one_feature_is_a_scale_and_others_are_not_shown():
    features = np.array([[3, 7.0], [3, 8], [3, 9]])
    # a column that is the same everywhere says nothing
    colors = FeatureColors.find(features, ["constant", "size"])
    assert colors.names == ("size",)
    assert colors.fills(features) == ["#000000", "#808080", "#ffffff"]
    for columns, hidden in ((np.ones((3, 2)), 0), (np.diag([1, 2, 3.0])[:, :2], 2)):
        colors = FeatureColors.find(columns, ["a", "b"])
        assert colors.fills(columns) == [PLAIN_FILL] * 3
        assert (f"{hidden} numeric features have no colours" in colors.legend()) == bool(hidden)
    assert FeatureColors.find(np.empty((0, 2)), ["a", "b"]).fills(np.ones((1, 2))) == [PLAIN_FILL]


def test_categories_are_letters_and_leave_the_colour_to_numbers():
    features = np.array([[1, 0, 0.25], [0, 1, 0.75]])
    names = ["label=C", "label=N", "charge"]
    found = Categories.find(features, names)
    colors = FeatureColors.find(features, names, found)
    assert colors.names == ("charge",)
    pair = Structure.of_channels(
        np.array([[0, 1], [1, 0]]), categories=(("label=C",), ("label=N",))
    )
    drawing = draw_filter(pair, np.ones((2, 2)), features, colors)
    # each letter is readable on its node, black and white
    assert [(one.text, one.get("fill")) for one in parts(drawing, "text")] == [
        ("C", "#ffffff"),
        ("N", "#15181c"),
    ]
    long = Structure.of_channels(
        np.array([[0, 1], [1, 0]]), categories=(("kind=person",), ("kind=place",))
    )
    # what is long has a short name
    drawing = draw_filter(long, np.ones((2, 2)), features, colors)
    assert [one.text for one in parts(drawing, "text")] == ["pers", "plac"]


def test_edges_are_as_dark_as_their_weights():
    weights = np.zeros((3, 3))
    weights[0, 1] = weights[1, 0] = 0.625
    weights[1, 2] = weights[2, 1] = 0.875
    features = np.array([[0.0], [0.5], [1]])
    colors = FeatureColors.find(features, ["size"])
    drawing = draw_filter(PATH, weights, features, colors, label="filter 3")
    shown = [float(one.get("opacity")) for one in parts(drawing, "g")]
    np.testing.assert_allclose(shown, [weights[u, v] for u, v in PATH.edges], atol=0.005)
    said = ElementTree.fromstring(drawing).get("aria-label")
    assert said == ("filter 3: edges A–B 0.62, B–C 0.88; size of nodes A 0, B 0.5, C 1")
    assert [one.get("fill") for one in parts(drawing, "circle")] == colors.fills(features)


def test_weights_of_directions_and_relations_are_those_of_their_channels():
    """A mutual pair, a direction and an edge without: by hand, from the channels out, in, both."""
    loop = Structure.parse("a-[acts]->b, b-[acts]->a, b-[binds]-c")
    assert [name for name, _ in loop.relations.kinds] == ["acts", "binds"]
    weights = np.zeros((3, 3, 3))
    weights[0, 1, 0] = weights[1, 0, 1] = 0.75
    weights[1, 0, 0] = weights[0, 1, 1] = 0.25
    weights[1, 2, 2] = weights[2, 1, 2] = 0.5
    colors = FeatureColors.find(np.ones((3, 1)), ["constant"])
    drawing = draw_filter(loop, weights, np.ones((3, 1)), colors)
    # the pair is one line, as dark as the larger weight
    assert [float(one.get("opacity")) for one in parts(drawing, "g")] == [0.75, 0.5]
    said = ElementTree.fromstring(drawing).get("aria-label")
    assert said == "edges A→B acts 0.75, B→A acts 0.25, B–C binds 0.50"


def test_nodes_have_rings_and_more_than_26_have_numbers():
    ring = Structure.parse("ring-40")
    drawing = draw_structure(ring, 300, 300, ringed={3, 39}, letters=True)
    assert len([one for one in parts(drawing, "circle") if one.get("class") == "ring"]) == 2
    assert [one.text for one in parts(drawing, "text")][25:28] == ["Z", "27", "28"]
    assert "–40" in ElementTree.fromstring(drawing).get("aria-label")


def test_a_loss_falls_from_left_to_right_and_has_its_best_epoch():
    drawing = draw_loss_curve([1, 0.5, 0.25], first=1, validation=[2, 1, 1.5], marked=2)
    said = ElementTree.fromstring(drawing).get("aria-label")
    assert said == (
        "loss: 1 at epoch 1, 0.25 at epoch 3; validation loss: 2 at epoch 1, 1.5 at epoch 3"
    )
    curves = [one.get("d") for one in parts(drawing, "path")[1:]]
    points = [[tuple(map(float, at.split())) for at in one[1:].split("L")] for one in curves]
    assert [x for x, _ in points[0]] == [4, 130, 256]
    # one scale for both: half as much is half as high above zero of the frame
    heights = np.array([y for _, y in points[0] + points[1]])
    values = np.array([1, 0.5, 0.25, 2, 1, 1.5])
    np.testing.assert_allclose(np.polyfit(values, heights, 1, full=True)[1], 0, atol=0.02)
    (dot,) = parts(drawing, "circle")
    assert (float(dot.get("cx")), float(dot.get("cy"))) == points[1][1]


def test_losses_that_are_not_finite_leave_a_gap():
    drawing = draw_loss_curve([1, float("inf"), 0.5, 0.25])
    path = parts(drawing, "path")[1].get("d")
    assert path.count("M") == 2 and path.count("L") == 1
    assert draw_loss_curve([]) == draw_loss_curve([float("nan")]) == ""
    # one epoch is a dot of the line, and a mark that is not there is none
    assert "h0" in draw_loss_curve([0.5], marked=7)


def test_a_legend_is_safe_whatever_a_feature_is_called():
    text = draw_scale(0, 1, name="<script>")
    assert "<script>" not in text and "&lt;script&gt; 0" in text


def test_a_piece_of_a_molecule_is_drawn_as_one_where_nothing_else_is_shown():
    pytest.importorskip("rdkit")
    structure = structure_of("CC(=O)N")
    joined = np.zeros((4, 4, len(structure.relations.channels)))
    joined[:] = 1
    plain = FeatureColors.find(np.ones((4, 1)), ["constant"])
    colored = FeatureColors.find(np.array([[0.0], [4.0]]), ["charge"])
    values = np.array([[0.0], [1], [2], [4]])
    as_molecule = draw_filter(structure, joined, values, plain, label="filter 3")
    # no circles with letters, and what is read out stays
    assert "<circle" not in as_molecule and 'aria-label="filter 3: edges ' in as_molecule
    # a weight that is not whole, or a feature with a colour, has no place in such a drawing
    assert "<circle" in draw_filter(structure, 0.9 * joined, values, plain)
    assert "<circle" in draw_filter(structure, joined, values, colored)
    assert "<circle" in draw_filter(Structure.parse("triangle"), np.ones((3, 3)), values[:3], plain)
    assert draw_filter(structure, 0.96 * joined, values, plain).count("<circle") == 0
