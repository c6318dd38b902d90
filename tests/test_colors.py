"""Colours: by label where there are labels, by features otherwise."""

import numpy as np
import pytest

from gomkcn_dgl.graph import csr_from_edges
from mining.descriptions.feature_background import FeatureBackground
from mining.explanation.classifier_explanation import LearntFilter
from mining.plots.colors import (
    OTHERS_COLOR,
    PLAIN,
    FeatureScale,
    NodeColors,
    filter_colors,
    is_light,
    pattern_palette,
    response_colors,
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


def test_similar_features_have_similar_colours():
    rows = np.array([[0.0, 5.0], [0.1, 5.0], [1.0, 5.0]])
    colors = NodeColors.choose(background_of(rows, ["a", "b"]), rows)
    assert colors.legend == ()
    first, second, third = (
        np.array([int(face[i : i + 2], 16) for i in (1, 3, 5)]) for face in colors.faces(rows)
    )
    assert np.abs(first - second).sum() < np.abs(first - third).sum() / 3


def test_a_scale_is_the_feature_or_the_common_direction():
    scale = FeatureScale.fit(np.array([[1.0], [3.0]]))
    assert scale.positions(np.array([[2.0], [9.0]])).tolist() == [0.5, 1.0]
    rows = np.array([[0.0, 0.0, 7.0], [1.0, 2.0, 7.0], [2.0, 4.0, 7.0]])
    assert FeatureScale.fit(rows).positions(rows) == pytest.approx([0, 0.5, 1])


@pytest.mark.parametrize("rows", [np.ones((4, 2)), np.zeros((0, 2))])
def test_equal_nodes_have_one_colour(rows):
    assert NodeColors.of_patterns(rows).faces(np.ones((3, 2))) == (PLAIN,) * 3


def test_light_and_dark():
    assert is_light("#ffffff") and is_light("#ece133")
    assert not is_light("#000000") and not is_light("#0173b2")


def filter_of(features):
    return LearntFilter(((0, 1), (1, 2)), (0.9, 1.0), np.array(features, dtype=float), ())


def test_filters_are_coloured_by_channels_or_by_their_largest_column():
    equal = filter_colors([filter_of([[0.5], [0.51], [0.5]])])
    assert equal.faces == [[PLAIN] * 3] and "equal" in equal.meaning
    three = filter_colors([filter_of([[1, 0, 0], [0, 1, 0], [0, 0, 1]])])
    assert three.faces == [["#ff0000", "#00ff00", "#0000ff"]]
    columns = filter_colors([filter_of(np.eye(5)[[0, 4, 0]]), filter_of(np.eye(5)[[2, 2, 4]])])
    first, second = columns.faces
    assert first[0] == first[2] != first[1] == second[2] != second[0]
    assert [name for name, _ in columns.legend] == ["column 0", "column 2", "column 4"]
    many = filter_colors([filter_of(np.eye(30)[k : k + 3]) for k in range(0, 30, 3)])
    assert len(many.legend) == 10 and many.legend[-1] == ("another", OTHERS_COLOR)


def test_responses_run_from_dark_to_yellow():
    low, high = response_colors(np.array([0.2, 0.8]), (0.2, 0.8))
    assert (low, high) == ("#440154", "#fde725")
    assert response_colors(np.array([0.5]), (0.5, 0.5)) == ["#21918c"]
