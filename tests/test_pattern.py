"""Filters → discrete patterns, and the record of a pattern."""

import dataclasses
import json

import jsonschema
import numpy as np
import pytest
import torch

from gomkcn_dgl.filters import GraphFilters
from mining.records.frequency import Frequency
from mining.records.occurrence import Medoid, Occurrence
from mining.records.pattern import Pattern
from mining.records.significance import Significance
from mining.records.stability import Stability
from mining.results.run_folder import load_schema
from mining.structures.discrete_filters import DiscreteFilters, discretize


def filters_of(*edge_weights, size=5):
    """Filters with these edge weights; the rest of the pairs have weight 0.1."""
    filters = GraphFilters(len(edge_weights), size, 1)
    adj = torch.full((len(edge_weights), size, size), 0.1)
    for number, weights in enumerate(edge_weights):
        for (u, v), weight in weights.items():
            adj[number, u, v] = adj[number, v, u] = weight
    with torch.no_grad():
        row, column = filters.upper
        filters.free_adj[:] = adj[:, row, column].logit()
        # node i has the feature (i + 1) / 10
        filters.free_feat[:] = (torch.arange(1.0, size + 1) / 10).reshape(1, size, 1).logit()
    return filters


def edges_of(discrete, number=0):
    return torch.triu(discrete.adj[number]).nonzero().tolist()


def features_of(discrete, number=0):
    return discrete.feat[number, :, 0].tolist()


def test_an_edge_is_a_weight_above_one_half():
    discrete = discretize(filters_of({(0, 1): 0.51, (1, 2): 0.5, (0, 2): 0.99}, size=3))
    assert edges_of(discrete) == [[0, 1], [0, 2]]
    assert discrete.num_nodes == (3,)
    # the weights stay as they were learnt, below one half as well
    np.testing.assert_allclose(discrete.weights[0, 0], [0, 0.51, 0.99], rtol=1e-5)
    np.testing.assert_allclose(discrete.weights[0, 1, 2], 0.5, rtol=1e-5)
    assert set(discrete.adj.unique().tolist()) == {0.0, 1.0}


def test_only_the_largest_component_stays_and_comes_first():
    discrete = discretize(filters_of({(0, 3): 0.9, (1, 4): 0.8, (2, 4): 0.7}))
    # 1, 2 and 4 become 0, 1 and 2, in their old order
    assert edges_of(discrete) == [[0, 2], [1, 2]]
    assert discrete.num_nodes == (3,)
    np.testing.assert_allclose(features_of(discrete), [0.2, 0.3, 0.5, 0, 0], rtol=1e-5)
    np.testing.assert_allclose(
        discrete.weights[0, :3, :3], [[0, 0.1, 0.8], [0.1, 0, 0.7], [0.8, 0.7, 0]], rtol=1e-5
    )
    assert not discrete.adj[0, 3:].any()
    assert not discrete.adj[0, :, 3:].any()
    assert not discrete.weights[0, 3:].any()
    assert not discrete.weights[0, :, 3:].any()


def test_a_filter_without_edges_is_one_node():
    discrete = discretize(filters_of({}))
    assert discrete.num_nodes == (1,)
    assert edges_of(discrete) == []
    np.testing.assert_allclose(features_of(discrete), [0.1, 0, 0, 0, 0], rtol=1e-5)


@pytest.mark.parametrize("rows", [[2, 0], []])
def test_rows_are_taken_in_order(rows):
    discrete = discretize(filters_of({(0, 1): 0.9}, {}, {(0, 4): 0.9, (4, 2): 0.6}))
    some = discrete.take(rows)
    assert isinstance(some, DiscreteFilters)
    assert some.adj.shape == (len(rows), 5, 5)
    assert some.num_nodes == tuple(discrete.num_nodes[row] for row in rows)
    for position, row in enumerate(rows):
        for name in ("adj", "feat", "weights"):
            assert torch.equal(getattr(some, name)[position], getattr(discrete, name)[row]), name


def test_what_was_merged_goes_along():
    discrete = dataclasses.replace(discretize(filters_of({(0, 1): 0.9}, {})), merged=(3, 1))
    assert discretize(filters_of({}, {})).merged == (1, 1)
    assert discrete.take([1, 0]).merged == (1, 3)
    assert DiscreteFilters.join([discrete, discretize(filters_of({}))]).merged == (3, 1, 1)


PATTERN = Pattern(
    id=3,
    edges=((0, 1), (1, 2)),
    edge_weights=(0.75, 1.0),
    features=np.array([[0.5, -2.0], [0.25, 0.0], [1e-3, 70.5]]),
    feature_names=("x0", "Größe"),
    medoid=Medoid(nodes=("a", "b", "c"), similarity=0.875, graph=2, root="b"),
    frequency=Frequency(
        7, 2, 2, exact=5, exact_state="counted", num_graphs=2, intervals={"distinct": (0, 5)}
    ),
    min_similarity=0.625,
    occurrences=(
        Occurrence(nodes=("a", "b", "c"), similarity=1.0, graph=2),
        Occurrence(nodes=("d", None, 12), similarity=0.5),
    ),
    significance={"degree": Significance("degree", 100, 50, 2, 0.5, 0.75, 1.5, 0.1, 0.04, 0.08)},
    stability={"restarts": Stability(9, 10), "bootstrap": Stability(3, 4)},
    num_filters=2,
    description="path of 3 nodes",
    noisy=True,
)


def test_the_record_of_a_pattern():
    assert PATTERN.num_nodes == 3
    assert PATTERN.to_dict() == {
        "id": 3,
        "num_nodes": 3,
        "edges": [[0, 1], [1, 2]],
        "edge_weights": [0.75, 1.0],
        "features": [[0.5, -2.0], [0.25, 0.0], [0.001, 70.5]],
        "medoid": {"root": "b", "nodes": ["a", "b", "c"], "similarity": 0.875, "graph": 2},
        "frequency": {
            "assigned": 7,
            "distinct": 2,
            "disjoint": 2,
            "exact": 5,
            "exact_state": "counted",
            "num_graphs": 2,
            "intervals": {"distinct": [0, 5]},
        },
        "min_similarity": 0.625,
        "description": "path of 3 nodes",
        "num_filters": 2,
        "noisy": True,
        "stability": {
            "restarts": {"returned": 9, "runs": 10},
            "bootstrap": {"returned": 3, "runs": 4},
        },
        "significance": {
            "degree": {
                "null": "degree",
                "num_samples": 100,
                "num_decoys": 50,
                "observed": 2,
                "mean": 0.5,
                "std": 0.75,
                "z": 1.5,
                "p_count": 0.1,
                "p": 0.04,
                "q": 0.08,
            }
        },
        "occurrences": [
            {"nodes": ["a", "b", "c"], "similarity": 1.0, "graph": 2},
            {"nodes": ["d", None, 12], "similarity": 0.5, "graph": 0},
        ],
    }


def test_a_record_comes_back_from_json_and_fits_the_schema():
    validate(PATTERN.to_dict(), PATTERN.feature_names)
    record = json.loads(json.dumps(PATTERN.to_dict()))
    back = Pattern.from_dict(record, PATTERN.feature_names)
    assert back.to_dict() == PATTERN.to_dict()
    assert back.feature_names == PATTERN.feature_names
    assert back.features.shape == (3, 2)
    # all but the array, which has no single truth value
    for name in ("id", "edges", "edge_weights", "medoid", "frequency", "occurrences"):
        assert getattr(back, name) == getattr(PATTERN, name), name
    for name in (
        "min_similarity",
        "significance",
        "stability",
        "num_filters",
        "description",
        "noisy",
    ):
        assert getattr(back, name) == getattr(PATTERN, name), name


def validate(record, feature_names):
    run = {"schema": 2, "feature_names": list(feature_names), "patterns": [record]}
    jsonschema.Draft202012Validator(load_schema("patterns")).validate(json.loads(json.dumps(run)))


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"num_nodes": 0},
        {"edges": [[0, 1, 2]]},
        {"edges": [[0, 0]]},
        {"edge_weights": [0.4]},
        {"features": []},
        {"frequency": {"assigned": 1}},
        {"num_filters": 0},
        {"stability": {"restarts": {"returned": 1}}},
        {"stability": {"restarts": {"returned": 0, "runs": 0}}},
        {"stability": {"seeds": {"returned": 1, "runs": 1}}},
        {"occurrences": [{"nodes": [1.5], "similarity": 1.0, "graph": 0}]},
        {"occurrences": [{"nodes": [1], "similarity": 1.5, "graph": 0}]},
        {"medoid": {"nodes": [1], "similarity": 1.0, "graph": 0}},
    ],
    ids=str,
)
def test_the_schema_refuses_other_records(change):
    with pytest.raises(jsonschema.ValidationError):
        validate({**PATTERN.to_dict(), **change}, PATTERN.feature_names)


def test_a_pattern_as_a_networkx_graph():
    graph = PATTERN.to_networkx()
    assert dict(graph.nodes(data=True)) == {
        0: {"x0": 0.5, "Größe": -2.0},
        1: {"x0": 0.25, "Größe": 0.0},
        2: {"x0": 1e-3, "Größe": 70.5},
    }
    assert list(graph.edges(data=True)) == [(0, 1, {"weight": 0.75}), (1, 2, {"weight": 1.0})]
    assert graph.graph == {
        "pattern": 3,
        "min_similarity": 0.625,
        "assigned": 7,
        "distinct": 2,
        "disjoint": 2,
        "num_graphs": 2,
        "exact": 5,
        "z_degree": 1.5,
        "q_degree": 0.08,
        "returned_restarts": 0.9,
        "returned_bootstrap": 0.75,
    }


def test_what_is_not_known_is_no_attribute():
    plain = dataclasses.replace(
        PATTERN, frequency=Frequency(7, 2, 2), significance={}, stability={}
    )
    assert set(plain.to_networkx().graph) == {
        "pattern", "min_similarity", "assigned", "distinct", "disjoint", "num_graphs"
    }  # fmt: skip
