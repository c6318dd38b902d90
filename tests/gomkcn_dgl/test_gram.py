"""gomk_gram: literal values, blocks beside single pairs, and a job that goes on."""

from math import exp

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.gram import gomk_gram
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.runtime.plain_values import write_value
from gomkcn_dgl.runtime.steps import Steps

EXACT = {"rtol": 1e-10, "atol": 1e-10}


def with_features(graph, seed, width=2):
    rng = np.random.default_rng(seed)
    nx.set_node_attributes(graph, {node: rng.random(width) for node in graph}, "feat")
    return graph


def masked(num_levels, tau=1.0):
    return GOMKKernel(num_levels, tau, padding="mask")


def test_hand_worked_values():
    graphs = [nx.cycle_graph(3), nx.path_graph(3)]
    raw = gomk_gram(graphs, kernel=masked(1), normalize=False)
    kappa = 4 + 2 * exp(-1)
    np.testing.assert_allclose(raw, [[6, kappa], [kappa, 6]], **EXACT)
    cosine = gomk_gram(graphs, kernel=masked(1))
    np.testing.assert_allclose(cosine, [[1, kappa / 6], [kappa / 6, 1]], **EXACT)
    assert cosine.dtype == np.float64


@pytest.mark.parametrize("padding", ["mask", "match"])
def test_a_graph_is_like_itself_alone(padding):
    gram = gomk_gram(random_graphs(8), kernel=GOMKKernel(2, padding=padding))
    np.testing.assert_allclose(np.diag(gram), 1, **EXACT)
    assert gram[~np.eye(8, dtype=bool)].max() < 1


def test_greedy_matrices_are_made_symmetric():
    graphs = [with_features(nx.gnp_random_graph(5, 0.5, seed=seed), seed) for seed in range(6)]
    greedy = GOMKKernel(1, matching="greedy", padding="mask")
    gram = gomk_gram(graphs, kernel=greedy)
    one_way = gomk_gram(graphs, graphs, kernel=greedy)
    assert not np.allclose(one_way, one_way.T)
    np.testing.assert_allclose(gram, (one_way + one_way.T) / 2, **EXACT)


def test_gram_matrices_see_directions_and_types():
    cycle = nx.DiGraph([(0, 1), (1, 2), (2, 0)])
    loop = nx.DiGraph([(0, 1), (1, 2), (0, 2)])
    gram = gomk_gram([cycle, loop], kernel=GOMKKernel(num_levels=2, padding="mask"))
    assert gram[0, 1] < 0.95
    np.testing.assert_allclose(np.diag(gram), 1)
    # against another list, also one whose only graph has all its arcs both ways
    mutual = nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 1)])
    both = gomk_gram([cycle, loop, mutual], kernel=GOMKKernel(num_levels=2, padding="mask"))
    apart = gomk_gram([cycle, loop], [mutual], kernel=GOMKKernel(num_levels=2, padding="mask"))
    np.testing.assert_allclose(apart[:, 0], both[:2, 2], rtol=1e-6)


def random_graphs(number, smallest=1):
    sizes = np.random.default_rng(0).integers(smallest, 9, number)
    return [
        with_features(nx.gnp_random_graph(int(size), 0.5, seed=seed), seed)
        for seed, size in enumerate(sizes)
    ]


@pytest.mark.parametrize("padding", ["mask", "match"])
def test_blocks_of_pairs_give_the_scores_of_each_pair(padding):
    """Symmetric or not, whatever the sizes."""
    # filled up to the largest, all have the same size in every call
    smallest = 8 if padding == "match" else 1
    graphs, others = random_graphs(9, smallest), random_graphs(13, smallest)[9:]
    options = {"kernel": GOMKKernel(2, padding=padding), "normalize": False}
    square = gomk_gram(graphs, **options)
    shares = gomk_gram(graphs, **{**options, "normalize": True})
    sizes = np.diag(square)
    np.testing.assert_allclose(shares, square / np.sqrt(np.outer(sizes, sizes)), **EXACT)
    rectangle = gomk_gram(others, graphs, **options)
    for i, one in enumerate(graphs):
        for j, other in enumerate(graphs):
            pair = gomk_gram([one], [other], **options).item()
            assert square[i, j] == pytest.approx(pair, rel=1e-10)
        for j, other in enumerate(others):
            pair = gomk_gram([other], [one], **options).item()
            assert rectangle[j, i] == pytest.approx(pair, rel=1e-10)
    # so many of each size that they are matched in several blocks
    number = np.arange(99) % 9
    many = gomk_gram([graphs[k] for k in number], **options)
    np.testing.assert_allclose(many, square[np.ix_(number, number)], **EXACT)


def test_single_precision_agrees():
    graphs = random_graphs(12)
    exact = gomk_gram(graphs, kernel=masked(3))
    single = gomk_gram(graphs, kernel=masked(3), dtype="float32")
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, exact, atol=2e-6)
    assert (single != exact).any()
    with pytest.raises(InputError, match="^dtype must be one of 'float32', 'float64'"):
        gomk_gram(graphs, dtype="float16")


def test_a_job_goes_on_with_the_blocks_that_are_there(tmp_path, monkeypatch):
    graphs = random_graphs(10)
    whole = gomk_gram(graphs, kernel=masked(1))
    steps = Steps(tmp_path, {})
    np.testing.assert_array_equal(gomk_gram(graphs, kernel=masked(1), steps=steps), whole)
    # one job may make several matrices
    other = gomk_gram(graphs, kernel=masked(1, 0.1), steps=Steps(tmp_path, {}))
    assert (other != whole).any()
    blocks = sorted(tmp_path.glob("kernel-matrix-*.zip"))
    assert len(blocks) > 3
    blocks[0].unlink()
    matched = []
    match = GOMKKernel.match
    monkeypatch.setattr(GOMKKernel, "match", lambda *given: matched.append(1) or match(*given))
    for tau in (1.0, 0.1):
        again = gomk_gram(graphs, kernel=masked(1, tau), steps=Steps(tmp_path, {}))
        assert (again == whole).all() == (tau == 1)
    assert len(matched) == 1
    for path in blocks:
        with path.open("wb") as file:
            write_value(file, np.zeros((2, 2)))
    with pytest.raises(InputError, match=r"a stored part of the kernel matrix must have the shape"):
        gomk_gram(graphs, kernel=masked(1), steps=Steps(tmp_path, {}))


def test_some_nodes_stand_for_large_graphs():
    graphs = [nx.cycle_graph(n) for n in (5, 30, 60)]
    gram = gomk_gram(graphs, kernel=masked(2), most_nodes=5)
    np.testing.assert_allclose(gram, 1, rtol=1e-12)
