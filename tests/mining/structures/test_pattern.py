"""Filters → discrete patterns, and the record of a pattern."""

import dataclasses
import json

import networkx as nx
import numpy as np
import pytest
import torch
from tiny_runs import difference_of, significance_of

from gomkcn.mining.filters.discrete_filters import discretize
from gomkcn.mining.structures.occurrences import NONE, Occurrence, Occurrences
from gomkcn.mining.structures.pattern import (
    LESS,
    MORE,
    NOT_SHOWN,
    Frequency,
    MotifPart,
    NullComparison,
    OccurrenceCount,
    Pattern,
    PatternRecord,
    in_order,
)
from gomkcn.mining.structures.records import read_as
from gomkcn_dgl.filters import GraphFilters
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import edge_channels, relations_of


def filters_of(*edge_weights, size=5):
    """Filters with these edge weights; the other pairs have weight 0.1."""
    filters = GraphFilters(len(edge_weights), size, 1)
    adj = torch.full((len(edge_weights), size, size), 0.1)
    for number, weights in enumerate(edge_weights):
        for (u, v), weight in weights.items():
            adj[number, u, v] = adj[number, v, u] = weight
    with torch.no_grad():
        row, column, *_ = filters.place
        filters.free_adj[:] = adj[:, row, column].logit()
        # node i has the feature (i + 1) / 10
        filters.free_feat[:] = (torch.arange(1.0, size + 1) / 10).reshape(1, size, 1).logit()
    return filters


def test_an_edge_is_a_weight_above_one_half_and_the_largest_component_comes_first():
    discrete = discretize(filters_of({(0, 1): 0.51, (1, 2): 0.5, (0, 2): 0.99}, size=3))
    assert discrete.adj[0].tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    # the weights stay as they were learnt, below one half as well
    expected = [[0, 0.51, 0.99], [0.51, 0, 0.5], [0.99, 0.5, 0]]
    np.testing.assert_allclose(discrete.weights[0], expected, rtol=1e-5)
    discrete = discretize(filters_of({(0, 3): 0.9, (1, 4): 0.8, (2, 4): 0.7}, {}))
    # 1, 2 and 4 become 0, 1 and 2, in their old order; without edges one node stays
    edges = [np.argwhere(np.triu(adj)).tolist() for adj in discrete.adj]
    assert edges == [[[0, 2], [1, 2]], []]
    assert discrete.num_nodes == (3, 1)
    features = [[0.2, 0.3, 0.5, 0, 0], [0.1, 0, 0, 0, 0]]
    np.testing.assert_allclose(discrete.feat[:, :, 0], features, rtol=1e-5)
    expected = np.zeros((5, 5))
    expected[:3, :3] = [[0, 0.1, 0.8], [0.1, 0, 0.7], [0.8, 0.7, 0]]
    np.testing.assert_allclose(discrete.weights[0], expected, rtol=1e-5)


PATH = Structure.of_edges(
    3, [(0, 1), (1, 2)], categories=(("kind=a",), ("kind=b", "side=left"), ("kind=a",))
)
PATTERN = Pattern(
    PATH,
    Occurrences.of(
        [
            Occurrence(nodes=("a", "b", "c"), graph=2),
            Occurrence(nodes=("d", "e", 12)),
        ],
        3,
    ),
    id=3,
    sources=("filters", "given"),
    frequency=Frequency(OccurrenceCount(5.5, 4.25, 7.0, is_exact=False), 2, 3, 2),
    significance={
        "degree": NullComparison(
            "degree", 100, 2, 0.5, 0.75, 3, 2.0, 0.04, 0.08, "not shown to differ"
        )
    },
    description="path of 3 nodes",
    classes=difference_of("toxic", "harmless"),
)


def test_arcs_and_relations_are_kept():
    """A and B act on each other, A on C by two relations, and B and C are bound."""
    relations = relations_of(["acts", "stops", "binds"], [True, True, False])
    ends, kinds = [(0, 1), (1, 0), (0, 2), (0, 2), (1, 2)], [0, 0, 0, 1, 2]
    structure = Structure.of_channels(edge_channels(3, ends, kinds, relations), relations)
    pattern = dataclasses.replace(PATTERN, structure=structure)
    record = pattern.to_dict()
    back = read_pattern(json.loads(json.dumps(record)))
    assert (back.edges, back.edge_relations) == (pattern.edges, pattern.edge_relations)
    assert back.relations.kinds == relations.kinds
    graph = pattern.to_networkx()
    assert isinstance(graph, nx.MultiDiGraph)
    names = sorted((u, v, name) for u, v, name in graph.edges(data="relation"))
    assert names == [(0, 1, "acts"), (0, 2, "acts"), (0, 2, "stops"), (1, 0, "acts"),
                     (1, 2, "binds"), (2, 1, "binds")]  # fmt: skip
    for wrong in ([0, 0, 0, 0, 2], [0, 0, 0, 1, 3]):
        with pytest.raises(ValueError, match="pattern 3: an edge"):
            read_pattern(record | {"edge_relations": wrong})
    # one directed relation is a digraph
    arcs = Structure.of_edges(3, [(1, 0), (1, 2)], directed=True)
    graph = dataclasses.replace(PATTERN, structure=arcs).to_networkx()
    assert isinstance(graph, nx.DiGraph) and not graph.is_multigraph()
    assert list(graph.edges(data=True)) == [(1, 0, {}), (1, 2, {})]


def read_pattern(record):
    return Pattern.of_record(read_as(PatternRecord, record))


def test_a_record_is_read_back_from_json():
    record = json.loads(json.dumps(PATTERN.to_dict()))
    back = read_pattern(record)
    assert back.to_dict() == PATTERN.to_dict()
    assert back.key == PATTERN.key and back.structure.categories == PATH.categories
    for name in {field.name for field in dataclasses.fields(Pattern)} - {"structure"}:
        assert getattr(back, name) == getattr(PATTERN, name), name
    record["edges"] = [[0, 3]]
    with pytest.raises(ValueError, match="pattern 3: an edge leaves its 3 nodes"):
        read_pattern(record)


def test_other_records_are_refused_with_the_place():
    frequency = dataclasses.asdict(PATTERN.frequency)
    judged = dataclasses.asdict(PATTERN.significance["degree"])
    for change, place in (
        ({"extra": 1}, "unknown field `extra`"),
        ({"edges": [[0, 0]], "edge_relations": [0]}, "an edge joins a node to itself"),
        ({"edges": [[0, 1, 2]]}, r"`\$\.edges"),
        ({"frequency": frequency | {"graphs": 0.5}}, r"`\$\.frequency\.graphs`"),
        ({"frequency": frequency | {"occurrences": {"value": 1}}}, r"frequency\.occurrences`"),
        ({"significance": {"degree": judged | {"verdict": "?"}}}, r"\.verdict`"),
        ({"significance": {"degree": judged | {"p": 1.5}}}, r"<= 1\.0 - at .*\.p`"),
        ({"classes": {"contrasts": [], "p_adjusted": 1.0}}, r"`\$\.classes\.contrasts`"),
        ({"occurrences": [{"nodes": [1], "graph": -1}]}, r"occurrences\[0\]\.graph`"),
        ({"occurrences": [{"nodes": [1], "graph": 0}]}, "does not have 3 nodes"),
        ({"sources": ["guessed"]}, r"sources\[0\]`"),
        ({"num_nodes": 0}, r"num_nodes`"),
        ({"relations": []}, r"relations`"),
        ({"id": -2}, r"\.id`"),
    ):
        with pytest.raises(ValueError, match=place):
            read_pattern({**json.loads(json.dumps(PATTERN.to_dict())), **change})


def test_a_pattern_as_a_networkx_graph():
    graph = PATTERN.to_networkx()
    assert list(graph.edges(data=True)) == [(0, 1, {}), (1, 2, {})]
    required = {"pattern": 3, "finding": "counted"}
    required |= {"occurrences": 5.5, "occurrences_are": "estimated"}
    required |= {"occurrences_low": 4.25, "occurrences_high": 7.0}
    required |= {"graphs": 2, "listed": 3, "disjoint": 2}
    optional = {"mean": 0.5, "sd": 0.75, "z": 2.0, "p": 0.04, "p_adjusted": 0.08}
    optional["verdict"] = "not shown to differ"
    optional = {f"null_degree_{name}": value for name, value in optional.items()}
    assert graph.graph == required | optional
    # what is not known is no attribute
    assert dataclasses.replace(PATTERN, significance={}).to_networkx().graph == required


def test_what_a_part_says_of_its_edits_by_hand():
    """A path of four nodes, three copies: one lacks an edge and has another, one has a turned."""
    path = Structure.parse("a--b, b--c, c--d")
    edits = np.array([[0, 2, 1, -1], [0, 3, 0, 1], [2, 1, 0, -1], [2, 1, 0, 1]])
    part = MotifPart(NONE, 9.0, "uniform", num_copies=3, edits=edits)
    assert (part.missing, part.added, part.copies_exact) == (2, 2, 1)
    assert part.rates(path) == (2 / 9, 2 / 9)
    assert sorted(part.pairs(path).tolist()) == [
        [0, 0, 1, 0], [0, 0, 3, 1], [0, 1, 2, -1], [0, 2, 3, 0],
        [1, 0, 1, 0], [1, 1, 2, 0], [1, 2, 3, 0],
        [2, 0, 1, -1], [2, 0, 1, 1], [2, 1, 2, 0], [2, 2, 3, 0],
    ]  # fmt: skip
    assert part.pairs(path)[:, 0].tolist() == [0] * 4 + [1] * 3 + [2] * 4
    # of a clique no edge can be beside
    clique = MotifPart(NONE, 9.0, "uniform", num_copies=2, edits=edits[:1])
    assert clique.rates(Structure.parse("clique-4")) == (1 / 12, 0)


def test_an_edit_of_three_in_twenty_copies_is_drawn_and_one_of_two_is_not():
    rows = [[copy, 1, 0, -1] for copy in range(3)] + [[copy, 2, 1, -1] for copy in range(2)]
    rows += [[copy, 0, 2, 1] for copy in range(5, 8)]
    part = MotifPart(NONE, 9.0, "uniform", num_copies=20, edits=np.array(rows))
    assert part.often(Structure.parse("path-3")) == {"missing": [(0, 1)], "added": [(0, 2)]}


def test_patterns_are_listed_by_result_kinds_nodes_and_z():
    def pattern(text, verdict, z):
        found = Pattern(Structure.parse(text))
        return dataclasses.replace(
            found, significance={"degree": significance_of(verdict=verdict, z=z)}
        )

    kinds = "a:x->b:y, a->c:y, b->c"
    listed = [
        pattern("030T", MORE, 3.0),
        pattern("021C", MORE, 2.0),
        pattern("bi-fan", MORE, 90.0),
        pattern(kinds, MORE, 99.0),
        pattern("021D", LESS, -100.0),
        pattern("021U", NOT_SHOWN, 1.0),
        Pattern(Structure.parse("021U")).counted(OccurrenceCount.exact(9)),
        Pattern(Structure.parse("021U")).counted(OccurrenceCount.exact(2)),
    ]
    assert in_order(listed[::-1], "degree") == listed
