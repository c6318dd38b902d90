"""What all estimators share: features by name, seeds, and PyTorch as it is, whatever was set."""

import contextlib
import dataclasses
import logging

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from sklearn import config_context
from sklearn.base import is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import gomkcn
from gomkcn.mining.counting.inexact_counts import count_inexact
from gomkcn.mining.counting.pattern_counts import bag_of_patterns
from gomkcn.mining.significance.verdicts import compare_classes
from gomkcn_dgl.checks import as_seed
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.labelled_data import LabelledData, stratified_split
from gomkcn_dgl.training.training_run import run_training

REFUSED = r"^features must be those of the training graphs, .*, of which a category \(with =\) may"


def ring(kinds, size=6):
    """A ring whose nodes have elements in turn, and a number."""
    graph = nx.cycle_graph(size)
    nx.set_node_attributes(graph, {node: kinds[node % len(kinds)] for node in graph}, "e")
    nx.set_node_attributes(graph, {node: node % 3 / 2 for node in graph}, "size")
    return graph


def read(*graphs, features=("e", "size")):
    return gomkcn.as_csr(list(graphs), features=list(features))


TRAINING = [ring("CN", 4 + k) for k in range(3)] * 2 + [ring("COO", 4 + k) for k in range(3)] * 2
LABELS = np.repeat([0, 1], 6)


def with_columns(graph, names):
    """The graph with its columns in another order, some left out, or called otherwise."""
    old = [name.removeprefix("new ") for name in names]
    columns = [graph.feature_names.index(name) for name in old]
    return dataclasses.replace(
        graph, features=np.ascontiguousarray(graph.features[:, columns]), feature_names=tuple(names)
    )


def trained(method):
    """What a classifier of `gomkcn train` decides."""

    quick = {"num_folds": 2} if method == "kernel" else {"num_epochs": 2}

    def fit(graph):
        settings = ClassifierSettings().override(
            {"method": method, "split": (0.4, 0.3, 0.3), **quick}
        )
        data = LabelledData(graph, LABELS, ("a", "b"), False)
        classifier, _ = run_training(settings, data, device="cpu")
        return lambda graphs: classifier.decide(graphs)[1]

    return fit


def mined(**options):
    """What a miner of patterns makes of graphs."""

    def fit(graph):
        return gomkcn.PatternMiner("3-4", null=None, filters="none", **options).fit(graph).transform

    return fit


def filters(graph):
    return gomkcn.FilterMiner(3, 4, level="graph", contrast=False).fit(graph)


# each makes a function from graphs to rows of what it learns from graphs
ESTIMATORS = {
    "FilterMiner.transform": lambda graph: filters(graph).transform,
    "FilterMiner.predict": lambda graph: filters(graph).predict,
    "FilterMiner.score": lambda graph: filters(graph).score,
    "PatternMiner of copies": mined(),
    "PatternMiner of occurrences": mined(values="occurrences", given=["ring-4"]),
    "SubgraphFeatures": lambda graph: gomkcn.SubgraphFeatures(2, (2, 4)).fit(graph).transform,
    "GOMKGram": lambda graph: gomkcn.GOMKGram(2).fit(graph).transform,
    "GOMKGram of patterns": lambda graph: gomkcn.GOMKGram(1, num_patterns=3).fit(graph).transform,
    "GOMKClassifier": lambda graph: (
        gomkcn.GOMKClassifier(1, 0.5, C=1.0, gamma=1.0, num_folds=2)
        .fit(graph, LABELS)
        .predict_proba
    ),
    "trained network": trained("network"),
    "trained machine": trained("kernel"),
}


@pytest.fixture(scope="module", params=ESTIMATORS)
def rows_of(request):
    """What an estimator that is fitted makes of graphs."""
    training = read(*TRAINING)
    assert training.feature_names == ("e=C", "e=N", "e=O", "size")
    return ESTIMATORS[request.param](training)


def test_features_in_another_order_give_the_same(rows_of):
    new = read(ring("CNO", 5), ring("CO", 4))
    turned = with_columns(new, ["size", "e=O", "e=C", "e=N"])
    np.testing.assert_array_equal(rows_of(turned), rows_of(new))


def test_a_category_that_no_new_node_has_is_0_at_all_of_them(rows_of):
    alone, beside = read(ring("CN", 5)), read(ring("CN", 5), ring("COO", 5))
    assert "e=O" not in alone.feature_names and "e=O" in beside.feature_names
    row, rows = np.atleast_1d(rows_of(alone)), np.atleast_1d(rows_of(beside))
    if len(rows) > 1:
        np.testing.assert_allclose(row[0], rows[0], rtol=1e-6)


@pytest.mark.parametrize(
    "names",
    [
        ["e=C", "e=N", "e=O"],
        # the same number of columns
        ["e=C", "e=N", "e=O", "new size"],
        ["e=C", "e=N", "e=O", "size", "new size"],
        # an attribute that is missing is no category that no node has
        ["size"],
    ],
)
def test_features_that_are_missing_or_unknown_are_refused(rows_of, names):
    new = with_columns(read(ring("CNO", 5)), names)
    with pytest.raises(InputError, match=REFUSED):
        rows_of(new)


def test_a_category_that_was_not_learnt_is_refused(rows_of):
    # as many columns, so that S would stand in the place of O
    with pytest.raises(InputError, match=rf"{REFUSED} be missing, got e=C, e=N, e=S, size"):
        rows_of(read(ring("CNS", 6)))


def test_a_molecule_has_the_same_row_beside_any_other():
    chem = pytest.importorskip("rdkit.Chem")

    def molecules(*smiles):
        return gomkcn.as_csr([chem.MolFromSmiles(text) for text in smiles])

    learnt = molecules("CCO", "CCCO", "CC(O)C", "CCN", "CCCN", "CC(N)C")
    miner = gomkcn.FilterMiner(3, 3, level="graph").fit(learnt)
    alone = miner.transform(molecules("CCO"))[0]
    np.testing.assert_array_equal(miner.transform(molecules("CCO", "CCN"))[0], alone)
    with pytest.raises(InputError, match=REFUSED):
        miner.transform(molecules("CCO", "CCS"))


def test_patterns_are_looked_for_beside_features_that_they_do_not_have():
    learnt = read(*[nx.disjoint_union(ring("CN", 4), ring("O", 5))] * 8)
    miner = gomkcn.PatternMiner("3-4", null=None, filters="none").fit(learnt)
    found = miner.motif_set_
    assert found.motifs[0].categories == (("e=N",), ("e=N",), ("e=C",), ("e=C",))
    both = with_columns(read(ring("CNO", 4), ring("CN", 4)), ["size", "e=O", "e=N", "e=C"])
    assert found.transform(both)[:, 0].tolist() == [0, 1]
    # no node has the category N of the motif, and then none has an element at all
    without = read(ring("CO", 4))
    assert found.transform(without)[:, 0].tolist() == [0]
    assert bag_of_patterns(miner.patterns_[:1], without).tolist() == [[0]]
    for rows in (found.transform, lambda graph: bag_of_patterns(miner.patterns_, graph)):
        with pytest.raises(InputError, match=REFUSED):
            rows(read(ring("C"), features=["size"]))


# seeds


@pytest.mark.parametrize("seed", [7, np.int64(7), np.uint8(7), np.int32(7)])
def test_an_integer_of_any_kind_is_the_seed(seed):
    assert as_seed("seed", seed) == 7 and type(as_seed("seed", seed)) is int


def test_a_generator_draws_the_next_seed():
    for make in (np.random.RandomState, np.random.default_rng):
        first, second = make(5), make(5)
        drawn = [as_seed("seed", first) for _ in range(3)]
        assert drawn == [as_seed("seed", second) for _ in range(3)] and len({*drawn}) == 3
        assert max(drawn) < 2**32


def test_a_seed_that_nobody_gave_is_drawn_and_told(caplog):
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        drawn = {as_seed("random_state", None) for _ in range(20)}
    assert len(drawn) == 20 and max(drawn) < 2**32
    sentence = caplog.messages[0]
    assert sentence.startswith("random_state was drawn: ") and "gives the same again" in sentence
    assert int(sentence.split("random_state=")[1].split()[0]) in drawn


@pytest.mark.parametrize("wrong", ["3", 1.5, True, [1], object()])
def test_what_is_no_seed_is_refused(wrong):
    with pytest.raises(InputTypeError, match="seed must be an integer, or None, a numpy.random"):
        as_seed("seed", wrong)


def seeded(make, rows):
    """A function from a random_state to rows, and the estimator that made them."""

    def fit(random_state):
        estimator = make(random_state)
        return rows(estimator), estimator

    return fit


CLUSTERS = nx.gnm_random_graph(40, 90, seed=1)
SEEDED = {
    "FilterMiner": seeded(
        lambda seed: gomkcn.FilterMiner(
            3,
            4,
            contrast=False,
            random_state=seed,
            learning=gomkcn.FilterLearning(max_subgraphs=12),
        ).fit(CLUSTERS),
        lambda miner: miner.responses_,
    ),
    "PatternMiner": seeded(
        lambda seed: gomkcn.PatternMiner("3", null=None, random_state=seed).fit(CLUSTERS),
        lambda miner: miner.filters_.responses_,
    ),
    "GOMKGram": seeded(
        lambda seed: gomkcn.GOMKGram(1, num_patterns=3, random_state=seed).fit(TRAINING),
        lambda gram: gram.similarities(),
    ),
    "GOMKClassifier": seeded(
        lambda seed: gomkcn.GOMKClassifier(1, 0.5, C=1.0, num_folds=2, random_state=seed).fit(
            TRAINING, LABELS
        ),
        lambda machine: machine.cv_results_["mean_test_score"],
    ),
}


@pytest.mark.parametrize("fit", SEEDED.values(), ids=SEEDED)
def test_estimators_take_seeds_as_scikit_learn_does(fit):
    np.testing.assert_array_equal(fit(np.int64(3))[0], fit(3)[0])
    np.testing.assert_array_equal(
        fit(np.random.RandomState(3))[0], fit(np.random.RandomState(3))[0]
    )
    fit(2**63 - 1)
    # what was drawn makes the same again
    for source in (None, np.random.RandomState(8), np.random.default_rng(8)):
        rows, estimator = fit(source)
        assert type(estimator.random_state_) is int
        if isinstance(estimator, gomkcn.PatternMiner):
            assert estimator.filters_.random_state_ == estimator.random_state_
        # a parameter stays what was given
        assert estimator.random_state is source
        np.testing.assert_array_equal(fit(estimator.random_state_)[0], rows)


def test_a_fit_with_a_generator_draws_one_seed():
    source, other = np.random.RandomState(4), np.random.RandomState(4)
    miner = gomkcn.PatternMiner("3", null=None, filters="none", random_state=source)
    # looking at the settings draws none
    assert miner.settings.random_state == 0
    first, second = miner.fit(CLUSTERS).random_state_, miner.fit(CLUSTERS).random_state_
    assert [first, second] == [as_seed("seed", other), as_seed("seed", other)]
    assert miner.settings.random_state == second


def test_a_miner_of_filters_is_stored_with_the_seed_that_was_drawn(tmp_path):
    miner = gomkcn.FilterMiner(2, 4, contrast=False, random_state=np.random.RandomState(1))
    miner.fit(CLUSTERS).save(tmp_path / "miner.npz")
    loaded = gomkcn.FilterMiner.load(tmp_path / "miner.npz")
    assert loaded.random_state == loaded.random_state_ == miner.random_state_


LABELLED = np.repeat([0, 1, 2], 8)
FUNCTIONS = {
    "count": lambda seed: gomkcn.count(CLUSTERS, "path-5", max_steps=300, seed=seed).value,
    "count by node": lambda seed: gomkcn.count(
        CLUSTERS, "path-5", by="node", max_steps=300, seed=seed
    ).tolist(),
    "places": lambda seed: gomkcn.places(CLUSTERS, "path-4", most=3, seed=seed)[0].tolist(),
    "inexact": lambda seed: [
        count.value
        for count in gomkcn.count(CLUSTERS, "ring-4", errors=1, max_steps=200, seed=seed).counts
    ],
    "inexact places": lambda seed: (
        count_inexact(gomkcn.as_csr(CLUSTERS), gomkcn.Structure.parse("ring-4"), errors=1)
        .places(3, seed=seed)[0]
        .tolist()
    ),
    "sample_null": lambda seed: gomkcn.sample_null(CLUSTERS, seed=seed).indices.tolist(),
    "motif_set": lambda seed: gomkcn.motif_set(CLUSTERS, 3, random_state=seed).bits_total,
    "compare_classes": lambda seed: compare_classes(
        np.arange(12)[:, None] % 5, np.repeat([0, 1], 6), 9, seed
    ).tolist(),
    "temporal_census": lambda seed: [
        result.mean
        for result in gomkcn.temporal_census(
            pd.DataFrame(
                {"source": [0, 1, 0, 2] * 9, "target": [1, 0, 2, 1] * 9, "time": range(36)}
            ),
            5,
            null_samples=3,
            seed=seed,
        ).comparisons
    ],
    "planted_motif_graph": lambda seed: gomkcn.planted_motif_graph(
        30, 1, 2, ["wheel"], seed=seed
    ).edges.tolist(),
    "stratified_split": lambda seed: stratified_split(LABELLED, seed=seed).train.tolist(),
    "SubgraphSettings": lambda seed: gomkcn.SubgraphSettings(1, 3, seed=seed).seed,
    "TrainingSettings": lambda seed: gomkcn.TrainingSettings(seed=seed).seed,
}


@pytest.mark.parametrize("call", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_take_seeds_as_scikit_learn_does(call):
    assert call(np.int64(3)) == call(3)
    assert call(np.random.RandomState(3)) == call(np.random.RandomState(3))
    # a generator goes on as where it draws, so that a second one is not the first
    assert call(np.random.default_rng(3)) == call(np.random.default_rng(3))
    call(None)
    with pytest.raises(InputTypeError, match="must be an integer, or None, a numpy.random.Random"):
        call("3")


# PyTorch


@contextlib.contextmanager
def double_by_default():
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


@contextlib.contextmanager
def without_memory():
    torch.set_default_device("meta")
    try:
        yield
    finally:
        torch.set_default_device(None)


STATES = {
    "float64": double_by_default,
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
    "another device": without_memory,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
}
FITS = {
    "chosen filters": lambda: gomkcn.FilterMiner(2, 4, contrast=False).fit(CLUSTERS).responses_,
    "trained filters": lambda: (
        gomkcn.FilterMiner(
            2, 4, contrast=False, learning=gomkcn.FilterLearning(num_epochs=1, init="random")
        )
        .fit(CLUSTERS)
        .transform(CLUSTERS)
    ),
    "GOMKGram": ESTIMATORS["GOMKGram"],
    "GOMKGram of patterns": ESTIMATORS["GOMKGram of patterns"],
    "trained network": ESTIMATORS["trained network"],
}


@pytest.fixture(scope="module")
def usual_rows():
    return {name: rows_of_fit(name) for name in FITS}


def rows_of_fit(name):
    fit = FITS[name]
    if name in ESTIMATORS:
        return fit(read(*TRAINING))(read(ring("CNO", 5)))
    return fit()


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_what_a_notebook_has_set_in_pytorch_changes_no_fit(usual_rows, state, name):
    with state():
        before = torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_default_device()
        rows = rows_of_fit(name)
        after = torch.get_default_dtype(), torch.is_grad_enabled(), torch.get_default_device()
    np.testing.assert_array_equal(rows, usual_rows[name])
    assert before == after
    assert torch.get_default_dtype() is torch.float32


# data frames


TRANSFORMERS = {
    "FilterMiner": gomkcn.FilterMiner(2, 4, contrast=False, level="graph"),
    "PatternMiner": gomkcn.PatternMiner("3", null=None, filters="none"),
    "OrbitCounts": gomkcn.OrbitCounts(4),
    "SubgraphFeatures": gomkcn.SubgraphFeatures(2, (2, 3)),
    "GOMKGram": gomkcn.GOMKGram(1),
}


@pytest.mark.parametrize("estimator", TRANSFORMERS.values(), ids=TRANSFORMERS)
def test_rows_of_all_transformers_are_in_a_frame_where_that_is_asked_for(estimator):
    plain = estimator.fit(TRAINING).transform(TRAINING)
    assert type(plain) is np.ndarray
    with config_context(transform_output="pandas"):
        frame = estimator.transform(TRAINING)
    assert isinstance(frame, pd.DataFrame)
    names = estimator.get_feature_names_out()
    assert frame.columns.tolist() == names.tolist() and len(set(names)) == plain.shape[1]
    np.testing.assert_array_equal(frame.to_numpy(), plain)
    rows = estimator.set_output(transform="pandas").fit_transform(TRAINING)
    pd.testing.assert_frame_equal(rows, frame)
    estimator.set_output(transform="default")


def test_a_classifier_and_a_score_do_not_depend_on_frames():
    machine = gomkcn.GOMKClassifier(1, 0.5, C=1.0, num_folds=2)
    miner = gomkcn.FilterMiner(2, 4, contrast=False).fit(CLUSTERS)
    usual = machine.fit(TRAINING, LABELS).predict_proba(TRAINING), miner.score(CLUSTERS)
    with config_context(transform_output="pandas"):
        fitted = machine.fit(TRAINING, LABELS)
        found = fitted.predict_proba(TRAINING), miner.score(CLUSTERS)
        assert fitted.decision_function(TRAINING).shape == (12,)
    np.testing.assert_array_equal(found[0], usual[0])
    assert found[1] == usual[1]


def test_names_of_columns_are_those_of_the_training_graphs():
    gram = gomkcn.GOMKGram(1).fit(TRAINING[:3])
    assert gram.get_feature_names_out().tolist() == ["graph0", "graph1", "graph2"]
    gram = gomkcn.GOMKGram(1, num_patterns=2).fit(TRAINING[:3])
    assert gram.get_feature_names_out().tolist() == ["graph0", "graph1", "graph2"]


# scikit-learn's own checks


PUBLIC = {**TRANSFORMERS, "GOMKClassifier": gomkcn.GOMKClassifier()}


def test_each_public_estimator_is_checked():
    fitted = {name for name in gomkcn.__all__ if hasattr(getattr(gomkcn, name), "fit")}
    assert fitted == set(PUBLIC)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", PUBLIC.values(), ids=PUBLIC)
def test_scikit_learn_passes_estimators_no_arrays(estimator):
    check_estimator(estimator)
    tags = get_tags(estimator)
    assert tags.no_validation and not tags.input_tags.two_d_array
    assert is_classifier(estimator) == isinstance(estimator, gomkcn.GOMKClassifier)
    assert tags.target_tags.required == is_classifier(estimator)
    assert (tags.transformer_tags is None) == is_classifier(estimator)


def test_weights_are_for_the_classifier_alone():
    for fit in (gomkcn.GOMKGram(1).fit, gomkcn.GOMKGram(1).fit_transform):
        with pytest.raises(InputError, match="sample_weight must not be given, .*svc__"):
            fit(TRAINING, LABELS, sample_weight=np.ones(12))
    # and there they count
    gram = make_pipeline(gomkcn.GOMKGram(1), SVC(kernel="precomputed"))
    weighed = gram.fit(TRAINING, LABELS, svc__sample_weight=np.arange(12.0))
    scores = weighed.decision_function(TRAINING)
    assert (scores != gram.fit(TRAINING, LABELS).decision_function(TRAINING)).any()
