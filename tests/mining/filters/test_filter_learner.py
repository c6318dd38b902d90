"""How filters are learnt: the sample, the start, the training, and what time leaves of it."""

import networkx as nx
import numpy as np
import pytest
from ends_after import EndsAfter
from planted_copies import HOUSE6, K33, PRISM, plant, side_by_side, tree

from gomkcn.mining.filters import filter_learner
from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.filters.neighbourhoods import Neighbourhoods
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.steps import Steps

RING, CLIQUE, STAR = nx.cycle_graph(5), nx.complete_graph(4), nx.star_graph(4)


def keys(miner):
    return [one.structure.key for one in miner.filters_]


def key(graph):
    return Structure.from_networkx(graph).key


def test_without_contrast_filters_are_the_most_frequent_structures_first():
    graph = side_by_side((RING, 5), (CLIQUE, 9), (STAR, 2))
    for number in (1, 2, 3, 9):
        miner = FilterMiner(number, 5, contrast=False).fit(graph)
        # 36 nodes are in cliques, 25 in rings, 10 in stars
        assert keys(miner) == [key(one) for one in (CLIQUE, RING, STAR)[:number]]
    assert [one.instances.value for one in miner.filters_] == [9, 5, 2]
    # where nobody says how many, there are 8
    graph = nx.gnm_random_graph(200, 340, seed=0)
    assert len(FilterMiner(filter_size=5, contrast=False).fit(graph).filters_) == 8


def test_of_many_subgraphs_some_are_compared(monkeypatch):
    compared = []
    match = GOMKKernel.match_levels
    monkeypatch.setattr(filter_learner, "MOST_COMPARED", 30)
    monkeypatch.setattr(
        GOMKKernel,
        "match_levels",
        lambda *given: compared.append(len(given[1])) or match(*given),
    )
    graph = nx.gnm_random_graph(200, 340, seed=0)
    miners = [
        FilterMiner(4, 6, contrast=False, random_state=seed).fit(graph) for seed in (3, 3, 0, 1)
    ]
    assert max(compared) <= 30 and all(len(one.filters_) == 4 for one in miners)
    assert keys(miners[0]) == keys(miners[1])
    assert any(keys(miners[0]) != keys(other) for other in miners[2:])


@pytest.mark.parametrize("contrast", [True, False])
def test_subgraphs_are_sampled_around_as_many_roots_as_may_be(contrast, monkeypatch):
    seen = []
    sample = Neighbourhoods.sample

    def watched(graph, settings, roots, colors):
        seen.append((settings.max_nodes, roots.tolist()))
        return sample(graph, settings, roots, colors)

    monkeypatch.setattr(Neighbourhoods, "sample", watched)
    graph = nx.gnm_random_graph(120, 180, seed=0)
    size = "3-4" if contrast else 4
    learning = FilterLearning(max_subgraphs=50)
    miner = FilterMiner(filter_size=size, contrast=contrast, learning=learning).fit(graph)
    # the same roots in the graph and in each random graph, for each size
    assert [one for one, _ in seen] == ([3, 4] * 11 if contrast else [4])
    assert len({tuple(roots) for _, roots in seen}) == 1
    roots = seen[0][1]
    assert len({*roots}) == 50 and roots == sorted(roots) and roots[-1] > 60
    assert "around 50 of 120 nodes" in miner.note_
    seen.clear()
    FilterMiner(filter_size=size, contrast=contrast).fit(graph)
    assert seen[0][1] == [*range(120)]


def test_wide_features_leave_fewer_subgraphs(monkeypatch):
    graph = as_csr(tree(60), features=np.random.default_rng(0).random((60, 50)))
    # 16 entries of a matrix, and 4 nodes with 50 features at 4 levels
    monkeypatch.setattr(filter_learner, "MOST_ENTRIES", 7 * (16 + 4 * 50 * 4))
    miner = FilterMiner(2, 4, contrast=False).fit(graph)
    assert "around 7 of 60 nodes" in miner.note_
    # random graphs are compared by structure alone
    assert "around 60 nodes" in FilterMiner(2, 4, contrast=True).fit(graph).note_


@pytest.mark.parametrize("contrast", [True, False])
def test_walk_counts_that_are_too_large_are_refused(contrast):
    learning = FilterLearning(kernel=GOMKKernel(60, level_scale=1e-30))
    miner = FilterMiner(filter_size=4, contrast=contrast, learning=learning)
    with pytest.raises(InputError, match="^num_levels and level_scale must keep walk counts"):
        miner.fit(side_by_side((nx.complete_graph(5), 5)))


def featured(seed=0):
    """Prisms and cliques in a tree, whose nodes have a number that depends on their degree."""
    graph, _ = plant(tree(60, seed), [(PRISM, 6), (CLIQUE, 6)], seed)
    rng = np.random.default_rng(seed)
    degrees = np.array([graph.degree(node) for node in range(len(graph))])
    return as_csr(graph, features=(degrees + 0.3 * rng.standard_normal(len(graph)))[:, None])


@pytest.mark.parametrize(("contrast", "lower"), [(True, 0.05), (False, 0.001)])
def test_epochs_lower_the_loss_of_filters_of_one_size(contrast, lower):
    graph = nx.gnm_random_graph(200, 340, seed=0)
    start, trained = (
        FilterMiner(2, 5, contrast=contrast, learning=FilterLearning(num_epochs=epochs)).fit(graph)
        for epochs in (0, 20)
    )
    assert len(start.loss_curve_) == 1 and len(trained.loss_curve_) == 21
    assert trained.n_iter_ == 20
    assert trained.loss_curve_[-1] < trained.loss_curve_[0] - lower
    # the start is that without a training, but for edges of .998
    assert trained.loss_curve_[0] == pytest.approx(start.loss_curve_[0], abs=0.02)


def test_a_training_keeps_what_exceeds_random_graphs():
    graph = featured(1)
    start = FilterMiner().fit(graph)
    trained = FilterMiner(learning=FilterLearning(num_epochs=3)).fit(graph)
    assert {key(PRISM), key(CLIQUE)} <= {*keys(trained)} <= {*keys(start)}
    known = {one.structure.key: one for one in start.filters_}
    for one in trained.filters_:
        before = known[one.structure.key]
        assert (one.instances, one.size) == (before.instances, before.size)
        assert one.random_instances == before.random_instances and one.exceeds
    assert len(trained.loss_curve_) == 4


def test_what_training_made_another_structure_of_does_not_exceed_random_graphs(monkeypatch):
    graph, _ = plant(tree(60), [(PRISM, 6)], seed=1)
    assert keys(FilterMiner(1, 6).fit(graph)) == [key(PRISM)]

    def end_with_stars(subgraphs, filters, *_):
        adj = nx.to_numpy_array(nx.star_graph(5), dtype=np.float32)[None]
        return type(filters)(adj, filters.feat, adj, (6,)), [0.5, 0.25]

    monkeypatch.setattr("gomkcn.mining.filters.filter_training.train_filters", end_with_stars)
    miner = FilterMiner(1, 6, learning=FilterLearning(num_epochs=1)).fit(graph)
    (one,) = miner.filters_
    assert one.name == "star with 5 leaves" and not one.exceeds and one.instances.value
    assert one.random_instances.mean > 0 and "6 nodes. Of 0 of 1 the graph has" in miner.note_


def test_a_random_start_learns_real_structures():
    graph = side_by_side((RING, 6), (nx.complete_graph(5), 6))
    learning = FilterLearning(num_epochs=60, init="random", learning_rate=0.3)
    miner = FilterMiner(2, 5, learning=learning).fit(graph)
    assert miner.num_random_graphs_ == 0 and "filters start at random" in miner.note_
    assert miner.loss_curve_[-1] < miner.loss_curve_[0] / 2
    assert {key(RING), key(nx.complete_graph(5))} & {*keys(miner)}


def test_what_no_node_is_nearest_to_and_nobody_shows_is_left_out():
    """Random filters that nothing belongs to."""
    learning = FilterLearning(num_epochs=1, init="random", relocate=False)
    miner = FilterMiner(8, 5, learning=learning).fit(side_by_side((RING, 10)))
    assert 1 <= len(miner.filters_) < 8
    assert all(one.nearest_nodes.value or one.instances.value for one in miner.filters_)
    assert [one.id for one in miner.filters_] == [*range(len(miner.filters_))]
    assert miner.responses_.shape == (50, len(miner.filters_))
    assert sum(one.nearest_nodes.value for one in miner.filters_) == 50


@pytest.mark.parametrize("contrast", [True, False])
def test_a_training_ends_with_the_time(contrast):
    """What there is by then are filters, and it is said that it is a part."""
    graph = featured()
    learning = FilterLearning(num_epochs=50)
    steps = Steps(interrupts=EndsAfter(20 if contrast else 3))
    miner = FilterMiner(4, 6, contrast=contrast, learning=learning).fit(graph, steps=steps)
    assert miner.is_partial_ and 0 < miner.n_iter_ < 50 and len(miner.filters_) > 1


def test_a_job_that_was_killed_goes_on_with_what_it_has_learnt(tmp_path, monkeypatch):
    graph, _ = plant(tree(60), [(HOUSE6, 5), (K33, 5)], seed=1)
    identity = {"of": "this test"}
    whole = FilterMiner().fit(graph)

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("gomkcn.mining.filters.filter_miner.respond_everywhere", die)
        with pytest.raises(KeyboardInterrupt):
            FilterMiner().fit(graph, steps=Steps(tmp_path, identity))
    # nothing is learnt again
    monkeypatch.setattr(filter_learner.FilterLearner, "learn", die)
    resumed = FilterMiner().fit(graph, steps=Steps(tmp_path, identity))
    assert [one.to_dict() for one in resumed.filters_] == [one.to_dict() for one in whole.filters_]
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)
    assert (resumed.note_, resumed.num_random_graphs_) == (whole.note_, 10)
