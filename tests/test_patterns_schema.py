"""patterns.schema.json: what the miner writes passes, what is broken does not."""

import copy
import json

import jsonschema
import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from mining.miner import PatternMiner
from mining.records.pattern import Pattern
from mining.results.schema import load_schema

VALIDATOR = jsonschema.Draft202012Validator(load_schema())


def record_of(miner):
    names = miner.patterns_[0].feature_names
    patterns = [pattern.to_dict() for pattern in miner.patterns_]
    # through text, as a file holds it
    return json.loads(
        json.dumps(
            {"schema": 2, "feature_names": list(names), "patterns": patterns}, allow_nan=False
        )
    )


def rings_and_cliques():
    return nx.disjoint_union_all([nx.cycle_graph(5)] * 3 + [nx.complete_graph(4)] * 2)


def with_features():
    graph = rings_and_cliques()
    edges = np.array(graph.edges)
    features = np.random.default_rng(0).normal(size=(len(graph), 3)).astype(np.float32)
    return csr_from_edges(edges[:, 0], edges[:, 1], len(graph), features=features)


def collection():
    return [nx.cycle_graph(5), nx.path_graph(3), nx.complete_graph(4), nx.empty_graph(1)]


def named_nodes():
    return nx.relabel_nodes(rings_and_cliques(), lambda node: f"node «{node}»")


GRAPHS = {
    "constant": rings_and_cliques,
    "features": with_features,
    "collection": collection,
    "named nodes": named_nodes,
}


@pytest.mark.parametrize("num_epochs", [0, 3])
@pytest.mark.parametrize("graph", GRAPHS)
def test_what_the_miner_writes_is_valid(graph, num_epochs):
    miner = PatternMiner(
        num_patterns=3,
        pattern_size=6,
        num_hops=1,
        num_epochs=num_epochs,
        min_support=1,
        backend="reference",
    )
    record = record_of(miner.fit(GRAPHS[graph]()))
    assert record["patterns"]
    VALIDATOR.validate(record)


def test_patterns_smaller_than_pattern_size_are_valid():
    miner = PatternMiner(
        num_patterns=1, pattern_size=8, num_epochs=0, min_support=1, backend="reference"
    )
    record = record_of(miner.fit(nx.path_graph(3)))
    assert record["patterns"][0]["num_nodes"] == 3
    VALIDATOR.validate(record)


def test_no_patterns_are_valid():
    VALIDATOR.validate({"schema": 2, "feature_names": ["constant"], "patterns": []})


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(load_schema())


def small_record():
    return {
        "schema": 2,
        "feature_names": ["constant"],
        "patterns": [
            {
                "id": 0,
                "num_nodes": 2,
                "edges": [[0, 1]],
                "edge_weights": [0.75],
                "features": [[1.0], [1.0]],
                "medoid": {"root": "a", "nodes": ["a", None], "similarity": 0.5, "graph": 0},
                "frequency": {
                    "assigned": 2,
                    "distinct": 1,
                    "disjoint": 1,
                    "exact": 3,
                    "exact_state": "counted",
                    "num_graphs": 1,
                    "intervals": {"assigned": [0, 6], "distinct": [0, 3]},
                },
                "min_similarity": 0.4,
                "words": "",
                "num_filters": 1,
                "noisy": False,
                "stability": {"restarts": {"returned": 0, "runs": 5}},
                "significance": {
                    "degree": {
                        "null": "degree",
                        "num_samples": 100,
                        "num_decoys": 60,
                        "observed": 1,
                        "mean": 0.25,
                        "std": 0.5,
                        "z": 0.75,
                        "p_count": 0.247525,
                        "p": 0.3,
                        "q": 0.4,
                    }
                },
                "occurrences": [{"nodes": [4, 5], "similarity": 1.0, "graph": 0}],
            }
        ],
    }


def test_the_small_record_is_valid_and_can_be_read():
    record = small_record()
    VALIDATOR.validate(record)
    assert Pattern.from_dict(record["patterns"][0], ["constant"]).to_dict() == record["patterns"][0]


def change(path, value):
    record = copy.deepcopy(small_record())
    *parents, last = path
    place = record
    for key in parents:
        place = place[key]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return record


FIRST = ("patterns", 0)
BROKEN = [
    (("schema",), 1),
    (("schema",), KeyError),
    (("extra",), 1),
    (("feature_names",), []),
    (("feature_names",), [1]),
    (("patterns",), {}),
    ((*FIRST, "id"), -1),
    ((*FIRST, "id"), "0"),
    ((*FIRST, "num_nodes"), 0),
    ((*FIRST, "num_nodes"), True),
    ((*FIRST, "edges", 0), [0]),
    ((*FIRST, "edges", 0), [1, 1]),
    ((*FIRST, "edges", 0), [-1, 0]),
    ((*FIRST, "edges"), [[0, 1], [0, 1]]),
    ((*FIRST, "edge_weights", 0), 0.4),
    ((*FIRST, "edge_weights", 0), 1.1),
    ((*FIRST, "features"), []),
    ((*FIRST, "features", 0), []),
    ((*FIRST, "features", 0, 0), None),
    ((*FIRST, "medoid"), None),
    ((*FIRST, "medoid", "root"), None),
    ((*FIRST, "medoid", "root"), KeyError),
    ((*FIRST, "medoid", "similarity"), 1.01),
    ((*FIRST, "frequency", "assigned"), 1.5),
    ((*FIRST, "frequency", "distinct"), KeyError),
    ((*FIRST, "frequency", "support"), 3),
    ((*FIRST, "frequency", "disjoint"), KeyError),
    ((*FIRST, "frequency", "exact"), -1),
    ((*FIRST, "frequency", "exact_state"), "no"),
    ((*FIRST, "frequency", "num_graphs"), None),
    ((*FIRST, "frequency", "intervals"), None),
    ((*FIRST, "frequency", "intervals", "exact"), [1, 2]),
    ((*FIRST, "frequency", "intervals", "distinct"), [1]),
    ((*FIRST, "min_similarity"), 1.5),
    ((*FIRST, "min_similarity"), KeyError),
    ((*FIRST, "num_filters"), 0),
    ((*FIRST, "num_filters"), KeyError),
    ((*FIRST, "stability"), KeyError),
    ((*FIRST, "stability", "seeds"), {}),
    ((*FIRST, "significance"), KeyError),
    ((*FIRST, "significance", "chance"), {}),
    ((*FIRST, "significance", "degree", "q"), KeyError),
    ((*FIRST, "significance", "degree", "p"), 1.1),
    ((*FIRST, "significance", "degree", "null"), "none"),
    ((*FIRST, "occurrences", 0, "nodes"), []),
    ((*FIRST, "occurrences", 0, "nodes", 0), 1.5),
    ((*FIRST, "occurrences", 0, "similarity"), -0.1),
    ((*FIRST, "occurrences", 0, "graph"), -1),
    ((*FIRST, "occurrences", 0, "root"), 4),
    ((*FIRST, "occurrences"), KeyError),
]


@pytest.mark.parametrize(("path", "value"), BROKEN)
def test_broken_records_are_refused(path, value):
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(change(path, value))
