"""Colours: by label where there are labels, by features otherwise, told apart by everyone."""

import numpy as np
import pytest

from gomkcn_dgl.graph import csr_from_edges
from mining.descriptions.feature_background import FeatureBackground
from mining.plots.node_colors import (
    OTHERS_COLOR,
    PLAIN,
    NodeColors,
    is_light,
    pattern_palette,
)


def background_of(rows, names):
    graph = csr_from_edges(
        np.array([0]), np.array([1]), len(rows), features=rows, feature_names=names
    )
    return FeatureBackground.fit(graph)


def test_labels_have_the_colours_of_the_legend():
    rows = np.eye(3)[[0, 0, 1, 2]]
    colors = NodeColors.choose(background_of(rows, ["label=C", "label=N", "label=O"]), rows)
    palette = pattern_palette()
    assert colors.legend == (
        ("carbon", palette[0]),
        ("nitrogen", palette[1]),
        ("oxygen", palette[2]),
    )
    assert colors.faces(rows) == (palette[0], palette[0], palette[1], palette[2])
    # what is no label for the most part has no colour of one
    assert colors.faces(np.array([[0.4, 0.3, 0.3]])) == (OTHERS_COLOR,)


def test_the_eight_most_frequent_labels_have_colours():
    rows = np.eye(10)[[*range(10), *range(1, 9)]]
    colors = NodeColors.choose(background_of(rows, [f"label={i}" for i in range(10)]), rows)
    assert [name for name, _ in colors.legend] == [
        *(f"label {i}" for i in range(1, 9)), "another label"
    ]  # fmt: skip
    faces = colors.faces(np.eye(10))
    assert faces[0] == faces[9] == OTHERS_COLOR
    assert len(set(faces)) == 9


def test_without_labels_similar_features_have_similar_colours():
    rows = np.array([[0.0, 5.0], [0.1, 5.0], [1.0, 5.0]])
    colors = NodeColors.choose(background_of(rows, ["a", "b"]), rows)
    assert colors.legend == ()
    first, second, third = (
        np.array([int(face[i : i + 2], 16) for i in (1, 3, 5)]) for face in colors.faces(rows)
    )
    assert np.abs(first - second).sum() < np.abs(first - third).sum() / 3


@pytest.mark.parametrize("rows", [np.ones((4, 2)), np.zeros((0, 2))])
def test_equal_nodes_have_one_colour(rows):
    assert NodeColors.of_patterns(rows).faces(np.ones((3, 2))) == (PLAIN,) * 3


def test_numbers_can_be_read_on_their_colours():
    assert is_light("#ffffff") and not is_light("#000000")
    assert is_light("#ece133") and not is_light("#0173b2")
    assert len(set(pattern_palette())) == 8
