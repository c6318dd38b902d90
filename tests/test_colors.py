"""Colours: by label where there are labels, by features otherwise."""

import numpy as np
import pytest

from gomkcn_dgl.graph import csr_from_edges
from mining.descriptions.feature_background import FeatureBackground
from mining.plots.styles import (
    OTHERS_COLOR,
    PLAIN,
    NodeColors,
    fit_feature_scale,
    pattern_palette,
)


def background_of(rows, names):
    graph = csr_from_edges(
        np.array([0]), np.array([1]), len(rows), features=rows, feature_names=names
    )
    return FeatureBackground.fit(graph)


def test_nodes_have_the_colours_of_their_labels():
    rows = np.eye(3)[[0, 0, 1, 2]]
    colors = NodeColors.choose(background_of(rows, ["label=C", "label=N", "label=O"]), rows)
    palette = pattern_palette()
    assert [color for _, color in colors.legend] == palette[:3]
    assert colors.faces(rows) == (palette[0], palette[0], palette[1], palette[2])
    # no label has more than half of this node
    assert colors.faces(np.array([[0.4, 0.3, 0.3]])) == (OTHERS_COLOR,)


def test_the_eight_most_frequent_labels_have_colours():
    rows = np.eye(10)[[*range(10), *range(1, 9)]]
    colors = NodeColors.choose(background_of(rows, [f"label={i}" for i in range(10)]), rows)
    assert len(colors.legend) == 9
    assert colors.legend[-1] == ("another label", OTHERS_COLOR)
    faces = colors.faces(np.eye(10))
    assert faces[0] == faces[9] == OTHERS_COLOR
    assert len(set(faces)) == len(set(pattern_palette())) + 1 == 9


def test_a_scale_is_the_feature_or_the_common_direction():
    scale = fit_feature_scale(np.array([[1.0], [3.0]]))
    assert scale.transform(np.array([[2.0], [9.0]]))[:, 0] == pytest.approx([0.5, 1])
    rows = np.array([[0.0, 0.0, 7.0], [1.0, 2.0, 7.0], [2.0, 4.0, 7.0]])
    assert fit_feature_scale(rows).transform(rows)[:, 0] == pytest.approx([0, 0.5, 1])
    first, second, third = NodeColors.choose(background_of(rows, ["a", "b", "c"]), rows).faces(rows)
    assert len({first, second, third}) == 3


@pytest.mark.parametrize("rows", [np.ones((4, 2)), np.zeros((0, 2))])
def test_equal_nodes_have_one_colour(rows):
    assert NodeColors.of_patterns(rows).faces(np.ones((3, 2))) == (PLAIN,) * 3
