"""Descriptions of patterns: shape, labels on which the occurrences agree, features that differ."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from tiny_runs import pattern_of

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from mining.descriptions.feature_background import FeatureBackground
from mining.descriptions.feature_descriptions import describe_features
from mining.occurrences import Occurrence

CODES = ("label=C", "label=N", "label=O")


def mined(shape, values, names, num_occurrences, **options):
    """A pattern whose occurrences are the first nodes of a graph with these features [V, D]."""
    values, size = np.array(values, float), len(shape)
    edges = [(size * i + u, size * i + v) for i in range(num_occurrences) for u, v in shape.edges]
    graph = csr_from_edges(
        *np.array(edges).T, len(values), features=values, feature_names=names, **options
    )
    nodes = [tuple(range(size * i, size * i + size)) for i in range(num_occurrences)]
    pattern = replace(
        pattern_of(shape, features=values[:size]),
        feature_names=tuple(names),
        occurrences=tuple(Occurrence(mapping, 1.0) for mapping in nodes),
    )
    return pattern, graph


def labelled(labels, names=CODES):
    """Triangles with these labels, ten of them, and 30 other nodes."""
    codes = ["CNO".index(letter) for letter in labels + "CNO" * 10]
    return mined(nx.cycle_graph(3), np.eye(3)[codes], names, 10)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (CODES, "triangle: 2 carbon, 1 nitrogen"),
        (("label=C", "label=N", "label=helix"), "triangle: 2 C, 1 N"),
        (("label=0", "label=1", "label=2"), "triangle: 2 labelled 0, 1 labelled 1"),
    ],
)
def test_labels_are_counted(names, text):
    pattern, graph = labelled("CCN" * 10, names)
    assert str(describe_features(pattern, graph)) == text


@pytest.mark.parametrize(("changed", "label"), [(2, "carbon"), (3, None)])
def test_eight_of_ten_occurrences_must_agree(changed, label):
    pattern, graph = labelled("NCC" * changed + "CCC" * (10 - changed))
    described = describe_features(pattern, graph)
    assert described.labels == (label, "carbon", "carbon")
    assert str(described) == f"triangle: {'3 carbon' if label else '2 carbon, 1 mixed'}"


def test_a_number_differs_if_it_is_far_and_does_not_spread():
    # at node 0 of the occurrences 4.1 and 3.9, elsewhere 2
    shape = nx.path_graph(2)
    pattern, graph = mined(shape, [[4.1], [2], [3.9], [2], *[[2]] * 16], ["size"], 2)
    described = describe_features(pattern, graph)
    (difference,) = described.differences
    assert difference.nodes == (0,)
    assert (difference.low, difference.high) == (pytest.approx(4), pytest.approx(4))
    assert difference.graph_mean == pytest.approx(2.2)
    assert str(described) == "edge; size 4 (graph mean 2.2) at node 0"
    spread, graph = mined(shape, [[2], [2], [6], [2], *[[2]] * 16], ["size"], 2)
    assert str(describe_features(spread, graph)) == "edge"


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([[1, 0], [0, 1]], ((0, 1),)),
        ([[1, 1], [0, 1]], ()),
        ([[0.5, 0.5], [0, 1]], ()),
        ([[1], [1]], ()),
    ],
)
def test_one_hot_columns_are_labels(values, groups):
    graph = as_csr(nx.path_graph(2), features=np.array(values, dtype=float))
    assert FeatureBackground.fit(graph).label_groups == groups
