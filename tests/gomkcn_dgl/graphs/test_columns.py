"""Attributes become feature columns and relations; what cannot is refused in one sentence."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_content import pick_columns, relation_codes


def kinases():
    graph = nx.DiGraph([("a", "b"), ("b", "c")])
    nx.set_node_attributes(graph, {"a": "kinase", "b": "ligase", "c": "kinase"}, "kind")
    nx.set_node_attributes(graph, {"a": 1, "b": 2.5, "c": 0}, "mass")
    return graph


def test_text_and_numbers_in_the_order_given():
    graph = as_csr(kinases(), features=["mass", "kind"])
    assert graph.feature_names == ("mass", "kind=kinase", "kind=ligase")
    assert graph.features.tolist() == [[1, 1, 0], [2.5, 0, 1], [0, 1, 0]]
    assert as_csr(kinases(), features="kind").notes == ("not used: node attribute mass",)


def test_a_list_of_graphs_shares_its_categories():
    other = nx.DiGraph([("x", "y")])
    nx.set_node_attributes(other, {"x": "lyase", "y": "kinase"}, "kind")
    both = as_csr([kinases(), other], features="kind")
    assert both.feature_names == ("kind=kinase", "kind=ligase", "kind=lyase")
    assert both.features.argmax(axis=1).tolist() == [0, 1, 0, 2, 0]


def test_a_table_of_features_is_matched_by_its_index():
    table = pd.DataFrame({"kind": ["p", "q", "p"], "mass": [1, 2, 3]}, index=["c", "b", "a"])
    graph = as_csr(kinases(), features=table)
    assert graph.feature_names == ("kind=p", "kind=q", "mass")
    assert graph.features.tolist() == [[1, 0, 3], [0, 1, 2], [1, 0, 1]]
    with pytest.raises(InputError, match="node a is not there once"):
        as_csr(kinases(), features=table.iloc[:2])


@pytest.mark.parametrize(
    ("values", "names", "codes"),
    [
        (np.array(["-", "+", "-"]), ("+", "-"), [1, 0, 1]),
        (np.array([10, 9, 10]), ("9", "10"), [1, 0, 1]),
        (np.array([[2.0], [1.0], [2.0]]), ("1", "2"), [1, 0, 1]),
        (np.array([[0, 0, 1], [1, 0, 0], [0, 0, 1]]), ("0", "2"), [1, 0, 1]),
    ],
)
def test_relations(values, names, codes):
    numbers, found = relation_codes("sign", values)
    assert (numbers.tolist(), found) == (codes, names)


@pytest.mark.parametrize("values", [np.array([0.5, 1]), np.array([[1, 1], [0, 1]])])
def test_other_numbers_are_no_relations(values):
    with pytest.raises(InputError, match="^edge_type 'sign' must"):
        relation_codes("sign", values)


def test_names_are_no_categories():
    table = {"name": [f"n{k}" for k in range(1001)], "pair": np.array([["a", "b"]])}
    with pytest.raises(InputError, match="at most 1000 different values .* got 1001; leave out"):
        pick_columns(["name"], table, "a table")
    with pytest.raises(InputError, match="'pair' must be one value each, got 2"):
        pick_columns(["pair"], table, "a table")
