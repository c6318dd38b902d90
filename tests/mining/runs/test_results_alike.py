"""Miners, motif sets and runs have their tables and pictures by the same names."""

import networkx as nx
import pandas as pd
import pytest

from gomkcn import FilterMiner, FiltersRun, MiningRun, PatternMiner
from gomkcn_dgl.errors import InputError

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
def test_a_result_has_a_frame_a_picture_and_files(name, results, tmp_path):
    result = results[name]
    frame = result.to_pandas()
    pd.testing.assert_frame_equal(frame, result.table().to_pandas())
    assert len(frame) > 0 and result.to_polars().columns == frame.columns.tolist()
    result.save(tmp_path / "table.csv")
    assert pd.read_csv(tmp_path / "table.csv").columns.tolist() == frame.columns.tolist()
    result.save(tmp_path / "table.parquet")
    assert len(pd.read_parquet(tmp_path / "table.parquet")) == len(frame)
    result.save(tmp_path / "picture.svg")
    assert "<svg" in (tmp_path / "picture.svg").read_text()
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


def test_an_ending_says_what_is_saved(results, tmp_path):
    for name in NAMES[1:]:
        with pytest.raises(InputError, match="the ending of path must be one of .* got 'txt'"):
            results[name].save(tmp_path / "result.txt")
    # a miner of filters is stored itself, to be loaded, where no table or picture is asked for
    results["FilterMiner"].save(tmp_path / "miner.npz")
    loaded = FilterMiner.load(tmp_path / "miner.npz")
    pd.testing.assert_frame_equal(loaded.to_pandas(), results["FilterMiner"].to_pandas())
