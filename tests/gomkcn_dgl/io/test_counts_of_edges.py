"""Attributes of edges that are counts, as of synapses: the log says what a minimum would keep."""

import logging

import networkx as nx
import numpy as np
import pytest

from gomkcn import as_csr
from gomkcn_dgl.graph_content import COUNTS, counts_of_edges
from gomkcn_dgl.io.reading import read_graph

SYNAPSES = [1, 1, 1, 1, 2, 2, 3, 5, 9, 40]
SAID = "edges carry counts in 'value': 40% have 1, and 3 of 10 have 5 or more"


def chain(values, name="value"):
    graph = nx.DiGraph()
    for at, value in enumerate(values):
        graph.add_edge(at, at + 1, **{name: value})
    return graph


def test_counts_in_a_file_and_in_an_object_are_said_with_a_way_out(tmp_path, caplog):
    nx.write_gml(chain(SYNAPSES), tmp_path / "worm.gml")
    with caplog.at_level(logging.INFO, logger="gomkcn_dgl"):
        graphs = [read_graph(tmp_path / "worm.gml"), as_csr(chain(SYNAPSES))]
    for graph in graphs:
        assert SAID in graph.notes
    assert caplog.text.count(SAID + "; minimum=('value=5',) keeps these") == 2


def test_what_is_proposed_keeps_as_many_edges_as_are_said(tmp_path):
    nx.write_gml(chain(SYNAPSES), tmp_path / "worm.gml")
    kept = read_graph(tmp_path / "worm.gml", minimum={"value": 5})
    assert kept.num_edges == 3
    # who chose a least value is not told of it
    assert not any(note.startswith(COUNTS) for note in kept.notes)


def test_weights_of_a_table_that_are_not_used_are_said_too(tmp_path):
    rows = [f"{at},{at + 1},{value}\n" for at, value in enumerate(SYNAPSES)]
    path = tmp_path / "worm.csv"
    path.write_text("source,target,weight\n" + "".join(rows))
    notes = read_graph(path, weight="none").notes
    assert SAID.replace("value", "weight") in notes
    # where weights are used nothing is proposed
    assert not any(note.startswith(COUNTS) for note in read_graph(path).notes)


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 1, 1, 7],  # no whole numbers
        [0, 1, 1, 7],  # not positive
        [1, 1, 2, 4],  # none of five or more
        [1, 7, 7, 7],  # not mostly small
        [2, 2, 2, 7],  # from another number on
        ["1", "1", "7"],  # text
        [1, 1, np.nan, 7],  # not all known
        [],
    ],
)
def test_other_attributes_are_no_counts(values):
    assert counts_of_edges("value", values) == []
