"""Kernel machines of whole graphs: what they learn, what they choose, and scikit-learn's rules."""

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from gomkcn_dgl import GOMKClassifier, GOMKGram, GOMKKernel, as_csr, kernel_machine
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.gram import gomk_gram
from gomkcn_dgl.runtime.steps import Steps

SMALL = {"num_levels": (1, 2), "tau": (0.3,), "gamma": (None, 3.0), "C": (1.0, 100.0)}


def rings_and_trees(number, seed=0):
    """Random trees, of which every second one has the ends of a longest path joined."""
    rng = np.random.default_rng(seed)
    graphs = []
    for label in [0, 1] * (number // 2):
        graph = nx.random_labeled_tree(int(rng.integers(6, 12)), seed=int(rng.integers(10**6)))
        if label:
            graph.add_edge(*nx.periphery(graph)[:2])
        graphs.append(graph)
    return graphs, np.array([0, 1] * (number // 2))


def loops_and_cycles(number):
    """Feed-forward loops or three-cycles, on directed paths: only directions tell the class."""
    graphs, labels = [], [0, 1] * (number // 2)
    for size, label in enumerate(labels):
        graph = nx.path_graph(4 + size // 2 % 4, create_using=nx.DiGraph)
        graph.add_edges_from([(0, "a"), ("a", "b"), ("b", 0) if label else (0, "b")])
        graphs.append(nx.convert_node_labels_to_integers(graph))
    return graphs, np.array(labels)


@pytest.fixture(scope="module")
def trees():
    return rings_and_trees(60)


def test_the_classifier_learns_and_says_what_it_chose(trees):
    graphs, labels = trees
    model = GOMKClassifier(**SMALL).fit(graphs, labels)
    assert model.best_score_ > 0.9
    assert set(model.best_params_) == {"num_levels", "tau", "aggregation", "gamma", "C"}
    new, truth = rings_and_trees(20, seed=7)
    assert model.score(new, truth) >= 0.9
    assert model.decision_function(new).shape == (20,)
    assert model.classes_.tolist() == [0, 1]


def test_directions_and_names_of_classes():
    graphs, labels = loops_and_cycles(40)
    names = np.array(["loop", "cycle"])[labels]
    model = GOMKClassifier(**SMALL).fit(graphs[:30], names[:30])
    assert model.predict(graphs[30:]).tolist() == names[30:].tolist()
    # without directions the two are the same
    undirected = [graph.to_undirected() for graph in graphs]
    assert GOMKClassifier(**SMALL).fit(undirected, names).best_score_ < 0.7


def test_the_score_is_that_of_graphs_held_out(trees):
    """As scikit-learn finds it, with the same kernel and the same folds."""
    graphs, labels = trees
    one = {"num_levels": (2,), "tau": (0.3,), "gamma": (3.0,), "C": (10.0,)}
    # classes that nothing tells: a graph that is seen in the training would
    random = np.random.default_rng(0).permutation(labels)
    model = GOMKClassifier(**one).fit(graphs, random)
    kernel = GOMKGram(2, 0.3, gamma=3.0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    machine = SVC(C=10.0, kernel="precomputed")
    scores = cross_val_score(machine, kernel.fit_transform(graphs), random, cv=folds)
    assert model.best_score_ == pytest.approx(scores.mean())
    # new graphs are compared by the kernel that was chosen
    new, _ = rings_and_trees(10, seed=5)
    machine.fit(kernel.fit_transform(graphs), random)
    expected = machine.decision_function(kernel.transform(new))
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-4)


def molecules(number):
    """Rings of six whose class is the element of one node, the others being carbon."""
    graphs, labels = [], ["N", "O"] * (number // 2)
    for element in labels:
        graph = nx.cycle_graph(6)
        nx.set_node_attributes(graph, "C", "element")
        graph.nodes[0]["element"] = element
        graphs.append(graph)
    return graphs, np.array(labels)


def test_features_are_those_of_the_training_graphs():
    """A category may be missing, as in a graph all of carbon; the order does not matter."""
    ends = np.array([0]), np.array([1])
    names = ("el=C", "el=N", "size")

    def make(features, names):
        return csr_from_edges(*ends, 2, features=np.array(features, float), feature_names=names)

    kernel = GOMKGram(1).fit([make([[1, 0, 2], [0, 1, 5]], names)])
    whole = make([[1, 0, 3], [1, 0, 4]], names)
    fewer = make([[3, 1], [4, 1]], ("size", "el=C"))
    np.testing.assert_array_equal(kernel.transform(whole), kernel.transform(fewer))
    for wrong in (("el=C", "el=N"), ("el=C", "el=N", "size", "el=O")):
        with pytest.raises(InputError, match=r"training graphs, el=C, el=N, size, of which a cat"):
            kernel.transform(make(np.ones((2, len(wrong))), wrong))
    with pytest.raises(InputError, match="got constant"):
        kernel.transform([nx.path_graph(2)])


def test_features_without_names_are_taken_in_order(caplog):
    ends, values = (np.array([0]), np.array([1])), np.array([[1.0, 2], [0, 5]])
    named = csr_from_edges(*ends, 2, features=values, feature_names=("el=C", "size"))
    unnamed = csr_from_edges(*ends, 2, features=values)
    kernel = GOMKGram(1).fit([named])
    assert unnamed.feature_names == ("x0", "x1")
    np.testing.assert_array_equal(kernel.transform(unnamed), kernel.transform(named))
    assert "in the order of the training graphs, el=C, size" in caplog.text
    # one column is not the constant 1 of graphs without features
    with pytest.raises(InputError, match="training graphs, constant, .* got x0"):
        GOMKGram(1).fit([nx.path_graph(3)]).transform(as_csr(unnamed, features=values[:, :1]))


def test_attributes_that_could_tell_classes_are_named(caplog):
    """Once for a whole cross-validation, with what makes features of them."""
    graphs, labels = molecules(20)
    for graph in graphs:
        nx.set_edge_attributes(graph, 2.5, "length")
    model = GOMKClassifier(1, 0.3, gamma=None, C=1.0, num_folds=2)
    kernel_machine._warn_once.cache_clear()
    with caplog.at_level("WARNING", "gomkcn_dgl"):
        assert cross_val_score(model, graphs, labels, cv=2).mean() < 0.8
    (said,) = caplog.messages
    assert said.startswith("not used: node attribute element; edge attribute length; as_csr(")
    assert "as_csr(graphs, features=NAME)" in said and "as_csr(graphs, weight=NAME)" in said
    # with the attribute, and where a collection was made before, there is nothing to say
    caplog.clear()
    kernel_machine._warn_once.cache_clear()
    with caplog.at_level("WARNING", "gomkcn_dgl"):
        collection = as_csr(graphs, features="element")
        assert cross_val_score(model, collection, labels, cv=2).mean() == 1
        model.fit(as_csr(graphs), labels)
    assert not caplog.messages


def test_a_graph_without_some_categories_is_classified():
    graphs, labels = molecules(20)
    model = GOMKClassifier(1, 0.3, gamma=None, C=1.0).fit(
        as_csr(graphs, features="element"), labels
    )
    assert model.predict(as_csr(graphs[:1], features="element")).tolist() == ["N"]
    carbon = nx.cycle_graph(6)
    nx.set_node_attributes(carbon, "C", "element")
    assert model.predict_proba(as_csr([carbon], features="element")).shape == (1, 2)


def test_the_gram_matrix_is_that_of_the_kernel(trees):
    graphs, others = trees[0][:6], trees[0][6:10]
    maker = GOMKGram(2, 0.5).fit(graphs)
    kernel = GOMKKernel(2, tau=0.5, aggregation="mean", padding="mask")
    prepared = (maker.preparation_.apply(as_csr(one)) for one in (others, graphs))
    expected = gomk_gram(*prepared, kernel=kernel)
    np.testing.assert_allclose(maker.transform(others), expected, atol=1e-5)
    sharp = GOMKGram(2, 0.5, gamma=2.0).fit(graphs).transform(others)
    np.testing.assert_allclose(sharp, np.exp(2 * (expected - 1)), atol=1e-5)
    with pytest.raises(InputError, match="^gamma must be greater than 0, got 0"):
        GOMKGram(gamma=0.0).fit(graphs)


def test_features_are_scaled_by_the_training_graphs_alone():
    def make(seed, scale):
        rng = np.random.default_rng(seed)
        values = np.column_stack([rng.normal(5, scale, 12), rng.integers(2, size=12), [3] * 12])
        edges = np.array(nx.cycle_graph(12).edges)
        return csr_from_edges(*edges.T, 12, features=values.astype(np.float32))

    train, test = as_csr([make(seed, 2.0) for seed in range(5)]), make(9, 50.0)
    maker = GOMKGram(1, 1.0).fit(train)
    own = maker.known_.features
    # the constant column is left out, and so are degrees, which are all 2
    assert own.shape[1] == 2
    assert own[:, 0].mean() == pytest.approx(0, abs=1e-5)
    assert own[:, 0].std() == pytest.approx(1, abs=1e-5)
    assert set(own[:, 1]) == {0, 1}
    # new graphs take the scale of the training graphs, not one of their own
    values = train.features[:, 0]
    scaled = np.column_stack([(test.features[:, 0] - values.mean()) / values.std(), own[:12, 1]])
    scaled[:, 1] = test.features[:, 1]
    np.testing.assert_allclose(maker.preparation_.apply(test).features, scaled, atol=1e-4)


def test_one_value_is_one_of_a_list(trees):
    graphs, labels = trees
    single = {"num_levels": 2, "tau": 0.3, "aggregation": "sum", "gamma": None, "C": 10}
    lists = {name: [value] for name, value in single.items()}
    models = [GOMKClassifier(**options).fit(graphs, labels) for options in (single, lists)]
    assert models[0].best_params_ == models[1].best_params_ == single
    new, _ = rings_and_trees(10, seed=3)
    np.testing.assert_array_equal(*(model.predict_proba(new) for model in models))


@pytest.mark.parametrize("num_classes", [2, 3])
def test_probabilities_are_those_of_graphs_that_were_not_seen(trees, num_classes):
    """They agree with the classes, and a class of which they say p is right in p of the cases."""
    graphs, truth = trees
    rng = np.random.default_rng(0)
    # a third of the classes says nothing, so that no machine may be sure
    noisy = np.where(rng.random(60) < 1 / 3, rng.integers(num_classes, size=60), truth)
    labels = np.array(["few", "more", "other"])[noisy]
    model = GOMKClassifier(2, 0.3, gamma=3.0, C=1000).fit(graphs, labels)
    new, _ = rings_and_trees(200, seed=5)
    probabilities = model.predict_proba(new)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert probabilities.shape == (200, len(model.classes_))
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(new)).all()
    # the machine has learnt some noise by heart; the mean of what it says is near to what is right
    truth = np.where(rng.random(200) < 1 / 3, rng.integers(num_classes, size=200), [0, 1] * 100)
    right = (probabilities.argmax(axis=1) == truth).mean()
    assert probabilities.max(axis=1).mean() == pytest.approx(right, abs=0.15)
    assert 0.5 < probabilities.max(axis=1).mean() < 0.95


def test_probabilities_tell_certain_graphs_from_uncertain_ones():
    """Of three classes one is told apart, and nothing tells the other two."""
    trees, structures = rings_and_trees(90, seed=1)
    rng = np.random.default_rng(0)
    labels = np.where(structures == 0, 0, rng.integers(1, 3, size=90))
    model = GOMKClassifier(2, 0.3, gamma=3.0, C=10).fit(trees, labels)
    new, structures = rings_and_trees(100, seed=5)
    probabilities = model.predict_proba(new)
    highest = probabilities.max(axis=1)
    assert highest[structures == 0].mean() > 0.8
    assert highest[structures == 1].mean() < 0.6
    # nothing tells the classes 1 and 2, so that their decisions count for nothing
    hot = model.temperatures_
    np.testing.assert_array_equal(hot, hot.T)
    assert hot[1, 2] > 3 * max(hot[0, 1], hot[0, 2])
    # 1 / p is, but for a factor of the graph, the sum over classes j of 1 / p(i | i or j) - 1
    decisions = model.machine_.decision_function(model.kernel_.transform(new[:5]))
    for row, (first, second, third) in zip(probabilities, decisions, strict=False):
        odds = np.array([[0, first, second], [-first, 0, third], [-second, -third, 0]])
        expected = 1 / np.exp(-odds / hot).sum(axis=1)
        np.testing.assert_allclose(row, expected / expected.sum(), rtol=1e-6)
    scores = model.decision_function(new)
    assert (scores.argmax(axis=1) == model.predict(new)).all()
    np.testing.assert_allclose(np.diff(scores), np.diff(np.log(probabilities)), atol=1e-6)


def test_scikit_learn_divides_a_collection_that_was_read(trees):
    graphs, labels = trees
    collection = as_csr(graphs)
    assert len(collection) == 60
    with pytest.raises(IndexError):
        collection[60]
    model = GOMKClassifier(num_levels=2, tau=0.3, num_folds=3)
    scores = [cross_val_score(model, given, labels, cv=3) for given in (collection, graphs)]
    assert scores[0].tolist() == scores[1].tolist()
    search = GridSearchCV(model, {"most_nodes": [4, 8]}, cv=3).fit(collection, labels)
    assert search.predict_proba(collection[:2]).shape == (2, 2)


def test_scikit_learn_takes_them(trees):
    graphs, labels = trees
    pipeline = make_pipeline(GOMKGram(1), SVC(kernel="precomputed"))
    search = GridSearchCV(pipeline, {"gomkgram__tau": [0.3, 1.0], "svc__C": [1, 100]}, cv=3)
    assert search.fit(graphs, labels).best_score_ > 0.8
    one = {name: values[:1] for name, values in SMALL.items()}
    model = clone(GOMKClassifier(**one, num_folds=2, most_nodes=4, random_state=3))
    assert model.num_folds == 2 and "GOMKClassifier" in repr(model)
    assert cross_val_score(model, graphs, labels, cv=2).mean() > 0.8
    # options reach the kernel
    kernel = model.fit(graphs, labels).kernel_
    assert (kernel.most_nodes, kernel.random_state) == (4, 3)


def test_bags_of_patterns_count_and_match_nodes(trees):
    graphs, others = trees[0][:8], trees[0][8:12]
    maker = GOMKGram(2, num_patterns=5).fit(graphs)
    # 1. each node has the nearest centre of its depth; here one graph and one node at a time
    kernel = GOMKKernel(2, aggregation="mean", padding="mask")
    prepared = maker.preparation_.apply(as_csr(graphs))
    bags = []
    for levels in kernel.embed_graphs(prepared, prepared.relations, "float32"):
        counts = [np.zeros(len(centers), int) for centers in maker.codebook_.centers]
        for node in range(levels.shape[1]):
            for depth, centers in enumerate(maker.codebook_.centers):
                own = levels[: depth + 1, node].flatten().numpy()
                counts[depth][((centers - own) ** 2).sum(axis=1).argmin()] += 1
        bags.append(np.concatenate(counts))
    np.testing.assert_array_equal(maker.known_, bags)
    # 2. as many nodes match as both graphs have of a pattern
    similarities = maker.similarities(graphs)
    for g, h in [(0, 1), (2, 7), (3, 3)]:
        sizes = len(graphs[g]) * len(graphs[h])
        expected = np.minimum(bags[g], bags[h]).sum() / (3 * sizes**0.5)
        assert similarities[g, h] == pytest.approx(expected)
    gram = maker.fit_transform(graphs)
    np.testing.assert_allclose(np.diag(gram), 1)
    assert np.linalg.eigvalsh(gram)[0] > -1e-9
    # 3. a graph has the same values whatever it comes with
    np.testing.assert_array_equal(maker.transform(others)[2:3], maker.transform(others[2:3]))
    assert maker.transform([nx.empty_graph(1)]).shape == (1, 8)


def test_patterns_are_compared_where_matching_takes_long(trees, caplog):
    graph = as_csr(trees[0])
    # 60 graphs of about 9 nodes and two kernels, of which one node each is matched at most
    for most_nodes, size in ((128, 8.5), (1, 1)):
        model = GOMKClassifier(**SMALL, most_nodes=most_nodes)
        seconds = 3e-8 * 60**2 / 2 * size**2 * 2
        assert model.resolve_patterns(graph, most_seconds=1.3 * seconds) == 0
        with caplog.at_level("INFO", "gomkcn_dgl"):
            assert model.resolve_patterns(graph, most_seconds=seconds / 1.3) == 64
    assert "the same of 64 patterns, whatever tau and most_nodes are" in caplog.text


@pytest.mark.parametrize(("number", "num_kernels"), [(0, 6), (8, 2)])
def test_what_was_judged_is_not_judged_again(trees, tmp_path, monkeypatch, number, num_kernels):
    graphs, labels = trees
    options = {key: value for key, value in SMALL.items() if key != "tau"}
    calls, judge = [], kernel_machine.judge_kernel

    def counted(*given):
        calls.append(1)
        return judge(*given)

    monkeypatch.setattr(kernel_machine, "judge_kernel", counted)
    models = [
        GOMKClassifier(**options, num_patterns=number).fit(
            graphs, labels, steps=Steps(tmp_path, {})
        )
        for _ in range(2)
    ]
    # of two values of gamma and two costs
    assert len(calls) == 4 * num_kernels
    assert models[0].best_params_ == models[1].best_params_
    new, _ = rings_and_trees(10, seed=3)
    np.testing.assert_array_equal(*(model.decision_function(new) for model in models))


# ---------------------------------------------------------------- weights

ONE = {"num_levels": 1, "tau": 0.3, "gamma": None, "C": 1.0, "num_folds": 3}


@pytest.fixture(scope="module")
def noisy():
    """Trees and rings, of which a third has the other class, and few have the second."""
    graphs, labels = rings_and_trees(60, seed=2)
    labels = np.where(np.random.default_rng(0).random(60) < 0.3, 1 - labels, labels)
    kept = np.flatnonzero((labels == 0) | (np.arange(60) % 3 == 0))
    return [graphs[row] for row in kept], labels[kept]


def test_a_graph_of_weight_0_is_left_out(noisy):
    graphs, labels = noisy
    weights = np.arange(len(labels)) % 4 > 0
    weighed = GOMKClassifier(**SMALL).fit(graphs, labels, weights)
    without = GOMKClassifier(**SMALL).fit(
        [graph for graph, kept in zip(graphs, weights, strict=True) if kept], labels[weights]
    )
    assert weighed.best_params_ == without.best_params_
    assert weighed.training_values_.shape == (weights.sum(), weights.sum())
    np.testing.assert_array_equal(weighed.predict_proba(graphs), without.predict_proba(graphs))


def test_weights_of_classes_are_those_of_their_graphs(noisy):
    graphs, labels = noisy
    counts = np.bincount(labels)
    assert counts[1] < counts[0] / 2
    balanced = len(labels) / (2 * counts)
    usual = GOMKClassifier(**ONE).fit(graphs, labels)
    for class_weight, of_class in (
        ({1: 4}, np.array([1.0, 4.0])),
        ("balanced", balanced),
    ):
        given = GOMKClassifier(**ONE, class_weight=class_weight).fit(graphs, labels)
        same = GOMKClassifier(**ONE).fit(graphs, labels, sample_weight=of_class[labels])
        expected = same.predict_proba(graphs)
        np.testing.assert_allclose(given.predict_proba(graphs), expected, rtol=1e-5)
        # the machine is that of scikit-learn
        machine = SVC(C=1.0, kernel="precomputed", class_weight=class_weight)
        decisions = machine.fit(given.training_values_, labels).decision_function(
            given.training_values_
        )
        np.testing.assert_allclose(given.decision_function(graphs), decisions, atol=1e-3)
        # more graphs are of the class that weighs more
        assert (given.predict(graphs) == 1).sum() > (usual.predict(graphs) == 1).sum()
    # and scores are accuracies of graphs that weigh alike, whatever classes weigh
    given = GOMKClassifier(**ONE, class_weight="balanced").fit(graphs, labels)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    machine = SVC(C=1.0, kernel="precomputed", class_weight=dict(enumerate(balanced)))
    scores = cross_val_score(machine, given.training_values_, labels, cv=folds)
    assert given.best_score_ == pytest.approx(scores.mean())


def test_the_score_weighs_graphs(noisy):
    graphs, labels = noisy
    weights = np.where(labels == 1, 5.0, 1.0)
    model = GOMKClassifier(**ONE).fit(graphs, labels, weights)
    values, scores = model.training_values_, []
    for known, held in StratifiedKFold(3, shuffle=True, random_state=0).split(values, labels):
        machine = SVC(C=1.0, kernel="precomputed")
        machine.fit(values[np.ix_(known, known)], labels[known], weights[known])
        right = machine.predict(values[np.ix_(held, known)]) == labels[held]
        scores.append(np.average(right, weights=weights[held]))
    assert model.best_score_ == pytest.approx(np.mean(scores))
    # as many times as much of each graph changes a cost, and no probability
    doubled = GOMKClassifier(**{**ONE, "C": 0.5}).fit(graphs, labels, 2 * weights)
    np.testing.assert_allclose(
        doubled.decision_function(graphs), model.decision_function(graphs), atol=1e-3
    )


def test_probabilities_follow_the_weights(noisy):
    graphs, labels = noisy
    weights = np.where(labels == 1, 6.0, 1.0)
    model = GOMKClassifier(**ONE).fit(graphs, labels, weights)
    # of the weight, and not of the graphs, so much is in each class
    mean = np.average(model.predict_proba(graphs)[:, 1], weights=weights)
    assert abs(mean - np.average(labels, weights=weights)) < 0.1


@pytest.mark.parametrize(
    ("change", "weights", "message"),
    [
        ({}, [1.0] * 9, r"^sample_weight must have a number for each of the 10 graphs, got shape"),
        ({}, [-1.0] + [1.0] * 9, "^sample_weight must be at least 0, got -1"),
        ({}, [np.nan] * 10, "^sample_weight must be finite, got nan in row 0"),
        ({}, ["a"] * 10, "^sample_weight must be numbers"),
        ({}, [0, 1] * 5, "^y must have at least two classes, got 1"),
        ({"class_weight": "even"}, None, "^class_weight must be 'balanced', or a .*, got 'even'"),
        ({"class_weight": 3}, None, "^class_weight must be 'balanced', or a .*, got 3"),
        ({"class_weight": {2: 1}}, None, r"^class_weight must name classes, \[0, 1\], got 2"),
        ({"class_weight": {1: 0}}, None, "^class_weight of 1 must be greater than 0, got 0"),
    ],
)
def test_weights_that_are_refused(trees, change, weights, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        GOMKClassifier(**{**SMALL, **change}).fit(trees[0][:10], [0, 1] * 5, weights)


@pytest.mark.parametrize(
    ("change", "labels", "message"),
    [
        ({}, [0, 1] * 10, r"^y must have a class for each of the 10 graphs, got shape \(20,\)"),
        ({}, [0] * 10, "^y must have at least two classes, got 1"),
        ({}, [0] * 8 + [1] * 2, "^num_folds must be at most .* 2 of 1, got 5"),
        ({"tau": ()}, [0, 1] * 5, "^tau must be a value, or some to choose from, got none"),
        ({"C": (1, 0)}, [0, 1] * 5, "^C must be greater than 0, got 0"),
        ({"most_nodes": 0}, [0, 1] * 5, "^most_nodes must be at least 1, got 0"),
        ({"tau": "wide"}, [0, 1] * 5, "^tau must be a number, got 'wide'"),
        ({"num_levels": (1, -1)}, [0, 1] * 5, "^num_levels must be at least 0, got -1"),
        ({}, [0.25, 1.5] * 5, r"^y must hold classes, text or whole numbers, got 0\.25; make"),
    ],
)
def test_refusals(trees, change, labels, message):
    # some are of a wrong type
    with pytest.raises((InputError, InputTypeError), match=message):
        GOMKClassifier(**{**SMALL, **change}).fit(trees[0][:10], labels)


def test_a_kernel_refuses_its_settings_before_it_sees_graphs(trees):
    for options, message in [
        ({"tau": "wide"}, "^tau must be a number, got 'wide'"),
        ({"num_levels": -1}, "^num_levels must be at least 0, got -1"),
        ({"tau": (0.1, 0.2)}, r"^tau must be one number or num_levels \+ 1 = 4 of them, got 2"),
        ({"most_nodes": 0}, "^most_nodes must be at least 1, got 0"),
    ]:
        with pytest.raises((InputError, InputTypeError), match=message):
            GOMKGram(**options).fit(trees[0][:2])
    # a width for each level
    widths = GOMKGram(1, (0.1, 5.0)).fit_transform(trees[0][:4])
    assert not np.allclose(widths, GOMKGram(1, 0.1).fit_transform(trees[0][:4]))


def test_chosen_numbers_are_those_of_python(trees):
    model = GOMKClassifier(1, 0.3, gamma=None, C=np.array([1.0, 10.0])).fit(*trees)
    assert type(model.best_params_["C"]) is float
