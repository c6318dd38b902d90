"""Estimators of graphs do what scikit-learn asks of one, and do not import it before."""

import forked
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone, is_clusterer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from gomkcn.mining import FilterMiner, OrbitCounts, PatternMiner, SubgraphFeatures
from gomkcn_dgl.errors import InputError

GRAPHS = [nx.cycle_graph(5), nx.star_graph(4), nx.complete_graph(4)]
NAMES = [f"orbit{k}" for k in range(15)]


def test_it_is_imported_and_fitted_without_scikit_learn():
    program = """
import json, sys
import networkx as nx
from gomkcn import FilterMiner, OrbitCounts, PatternMiner, SubgraphFeatures

rings = [nx.cycle_graph(5)] * 4
SubgraphFeatures(2, 3).fit_transform(rings), OrbitCounts(4).fit_transform(rings)
FilterMiner(2, filter_size=4, contrast=False).fit_predict(rings)
PatternMiner(null=None, filters="none").fit(rings)
print(json.dumps("sklearn" in sys.modules))
"""
    assert forked.run(program) is False


def test_rows_are_in_what_was_asked_for():
    counts = OrbitCounts(4)
    rows = counts.transform(GRAPHS)
    assert type(rows) is np.ndarray
    frame = counts.set_output(transform="pandas").transform(GRAPHS)
    assert isinstance(frame, pd.DataFrame) and frame.columns.tolist() == NAMES
    np.testing.assert_array_equal(frame, rows)
    # None leaves it as it is, and a clone has it, too
    assert isinstance(clone(counts).set_output().fit_transform(GRAPHS), pd.DataFrame)
    assert type(counts.set_output(transform="default").transform(GRAPHS)) is np.ndarray
    with config_context(transform_output="pandas"):
        assert type(counts.transform(GRAPHS)) is np.ndarray
        assert isinstance(OrbitCounts(4).transform(GRAPHS), pd.DataFrame)
    with pytest.raises(InputError, match="transform must be one of"):
        counts.set_output(transform="lists")


def test_rows_are_a_frame_of_polars_where_that_is_asked_for():
    pl = pytest.importorskip("polars")
    frame = OrbitCounts(4).set_output(transform="polars").transform(GRAPHS)
    assert isinstance(frame, pl.DataFrame) and frame.columns == NAMES
    np.testing.assert_array_equal(frame.to_numpy(), OrbitCounts(4).transform(GRAPHS))


def test_parameters_are_set_by_name_also_those_of_a_part():
    miner = PatternMiner("3-4", filters=FilterMiner(3))
    assert miner.get_params()["filters__num_filters"] == 3
    assert "filters__num_filters" not in miner.get_params(deep=False)
    copied = clone(miner).set_params(filters__num_filters=2, null=None)
    assert (copied.filters.num_filters, copied.null) == (2, None)
    assert (miner.filters.num_filters, miner.null) == (3, "auto")
    assert repr(miner) == "PatternMiner(pattern_size='3-4', filters=FilterMiner(num_filters=3))"
    assert repr(OrbitCounts()) == "OrbitCounts()"
    with pytest.raises(InputError, match="a parameter of PatternMiner must be one of"):
        miner.set_params(sizes=3)


def test_scikit_learn_knows_what_it_is():
    assert is_clusterer(FilterMiner()) and not is_clusterer(PatternMiner())
    for estimator in (FilterMiner(), PatternMiner(), OrbitCounts(), SubgraphFeatures()):
        tags = get_tags(estimator)
        assert tags.no_validation and not tags.input_tags.two_d_array
        assert tags.transformer_tags is not None and not tags.target_tags.required
        assert tags.requires_fit == (type(estimator) is not OrbitCounts)
    # a fitted one is, and another one is not, by its own check and by that of scikit-learn
    with pytest.raises(NotFittedError, match="this SubgraphFeatures is not fitted"):
        SubgraphFeatures().transform(GRAPHS)
    with pytest.raises(NotFittedError):
        check_is_fitted(SubgraphFeatures())
    check_is_fitted(SubgraphFeatures(2, 3).fit(GRAPHS))


def test_it_is_a_step_of_a_pipeline():
    model = make_pipeline(OrbitCounts(4), LogisticRegression()).set_output(transform="pandas")
    assert "OrbitCounts" in model._repr_html_()
    model.fit(GRAPHS * 3, [0, 1, 1] * 3)
    assert model.predict(GRAPHS).tolist() == [0, 1, 1]
    assert model[-1].feature_names_in_.tolist() == NAMES
