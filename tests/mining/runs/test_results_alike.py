"""Miners, motif sets and runs have their tables and pictures by the same names."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from gomkcn import (
    FilterMiner,
    FiltersRun,
    MiningRun,
    MotifSet,
    PatternMiner,
    Structure,
    motif_set,
)
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.plain_values import save_value

GRAPH = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
NAMES = ("FilterMiner", "FiltersRun", "PatternMiner", "MotifSet", "MiningRun")


@pytest.fixture(scope="module")
def results():
    filters = FilterMiner(2, 4, contrast=False).fit(GRAPH)
    miner = PatternMiner("3-4", null=None, filters="none").fit(GRAPH)
    run = MiningRun.of(miner, GRAPH)
    found = (filters, FiltersRun.of(filters, GRAPH), miner, miner.motif_set_, run)
    return {type(result).__name__: result for result in found}


@pytest.mark.parametrize("name", NAMES)
def test_a_result_has_a_frame_and_a_picture(name, results):
    result = results[name]
    frame = result.to_pandas()
    pd.testing.assert_frame_equal(frame, result.table().to_pandas())
    assert len(frame) > 0 and result.to_polars().columns == frame.columns.tolist()
    assert result.plot().axes
    # in a notebook the structures are there
    assert "cycle of 4 nodes" in result._repr_html_()


@pytest.mark.parametrize(
    ("name", "which"), [("FiltersRun", "nodes"), ("PatternMiner", "copies"), ("MotifSet", "copies")]
)
def test_other_tables_are_frames_by_their_names(name, which, results):
    frame = results[name].to_pandas(which)
    pd.testing.assert_frame_equal(frame, results[name].table(which).to_pandas())
    with pytest.raises(InputError, match="which must be one of"):
        results[name].to_pandas("other")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_is_loaded_as_it_was(name, results, tmp_path):
    result = results[name]
    result.save(tmp_path / "saved")
    loaded = type(result).load(tmp_path / "saved")
    assert repr(loaded) == repr(result) and loaded._repr_html_() == result._repr_html_()
    pd.testing.assert_frame_equal(loaded.to_pandas(), result.to_pandas())
    if hasattr(result, "transform"):
        np.testing.assert_array_equal(loaded.transform(GRAPH), result.transform(GRAPH))
    for other in (other for other in NAMES if other != name):
        with pytest.raises(InputError, match="saved"):
            type(results[other]).load(tmp_path / "saved")
    with pytest.raises(InputError, match="nothing"):
        type(result).load(tmp_path / "nothing")


def named(graph):
    return nx.relabel_nodes(graph, {node: f"n{node}" for node in graph})


TYPED = nx.DiGraph()
for number in range(6):
    nodes = [f"{number}{letter}" for letter in "abc"]
    for u, v, relation in ((0, 1, "acts"), (1, 2, "binds"), (2, 0, "acts")):
        TYPED.add_edge(nodes[u], nodes[v], relation=relation)
RINGS_AND_CLIQUES = nx.disjoint_union_all([nx.cycle_graph(4)] * 8 + [nx.complete_graph(5)] * 3)
FILTERS = FilterMiner(2, 4, contrast=False)
GIVEN = ("ring-5", Structure.parse("a--b, b--c"))


@pytest.mark.parametrize(
    ("graph", "y", "params"),
    [
        (named(RINGS_AND_CLIQUES), None, {"null_samples": 20, "given": GIVEN, "values": "log"}),
        (RINGS_AND_CLIQUES, None, {"pattern_size": (3, 4), "null": None, "filters": FILTERS}),
        ([nx.cycle_graph(4), nx.complete_graph(4)] * 5, ["a", "b"] * 5, {"null": None}),
        (TYPED, None, {"pattern_size": 3, "null_samples": 9, "values": "occurrences"}),
    ],
)
def test_a_loaded_miner_is_the_miner(graph, y, params, tmp_path):
    miner = PatternMiner(**{"filters": "none", "random_state": 5, **params}).fit(graph, y)
    miner.save(tmp_path / "miner")
    loaded = PatternMiner.load(tmp_path / "miner")
    assert repr(loaded) == repr(miner) and loaded.random_state_ == 5
    # a motif is one record, in the set and among the patterns
    assert all(loaded.patterns_[motif.id] is motif for motif in loaded.motif_set_)
    np.testing.assert_array_equal(loaded.transform(graph), miner.transform(graph))
    assert loaded.get_feature_names_out().tolist() == miner.get_feature_names_out().tolist()
    tables = ("structures", "motifs", "occurrences", "copies")
    for which in tables:
        pd.testing.assert_frame_equal(loaded.to_pandas(which), miner.to_pandas(which))
    assert (loaded.roles_ is None) == (miner.roles_ is None)
    if miner.roles_ is not None:
        pd.testing.assert_frame_equal(loaded.roles_.to_pandas(), miner.roles_.to_pandas())
    for name in ("notes_", "warnings_", "null_models_", "random_graphs_", "class_search_"):
        assert getattr(loaded, name) == getattr(miner, name)
    assert (loaded.graph_classes_ is None) == (y is None) and loaded.graph_ is None
    assert loaded.filters_ is None or len(loaded.filters_.filters_) == 2
    # the set alone
    miner.motif_set_.save(tmp_path / "set")
    found = MotifSet.load(tmp_path / "set")
    assert repr(found) == repr(miner.motif_set_)
    for which in ("motifs", "copies"):
        pd.testing.assert_frame_equal(found.to_pandas(which), miner.motif_set_.to_pandas(which))


def test_a_set_whose_motifs_were_not_counted_is_loaded(tmp_path):
    found = motif_set(RINGS_AND_CLIQUES)
    found.save(tmp_path / "set")
    loaded = MotifSet.load(tmp_path / "set")
    assert loaded.to_dict() == found.to_dict() and len(loaded) == 2
    assert [one.frequency for one in loaded] == [one.frequency for one in found]


def test_what_a_file_cannot_hold_is_refused(results, tmp_path):
    with pytest.raises(InputError, match="call fit first"):
        PatternMiner().save(tmp_path / "miner")
    miner = PatternMiner("3", null=lambda g, _: g, null_samples=3, filters="none").fit(GRAPH)
    with pytest.raises(InputError, match="null must be names of null models"):
        miner.save(tmp_path / "miner")
    assert not (tmp_path / "miner").exists()
    # occurrences of a pattern of another size, and of nodes that are not there
    stored = results["MotifSet"].stored
    places = stored.copies
    for nodes in (places.nodes[0][:, :2], places.nodes[0] - 1):
        save_value(tmp_path / "set", replace(stored, copies=replace(places, nodes=[nodes])))
        with pytest.raises(InputError, match="must be a file that MotifSet.save wrote"):
            MotifSet.load(tmp_path / "set")


def test_a_folder_is_replaced_only_where_it_is_told(results, tmp_path):
    run = results["MiningRun"]
    run.save(tmp_path / "run")
    with pytest.raises(InputError, match="already holds a run .*force=True"):
        run.save(tmp_path / "run")
    run.save(tmp_path / "run", force=True)
    # what was read has not all of its filters
    miner = PatternMiner("3-4", null=None, filters=FILTERS).fit(GRAPH)
    MiningRun.of(miner, GRAPH).save(tmp_path / "filters")
    loaded = MiningRun.load(tmp_path / "filters")
    with pytest.raises(InputError, match="copy the folder"):
        loaded.save(tmp_path / "again")
    assert not (tmp_path / "again").exists()
