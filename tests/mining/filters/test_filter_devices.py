"""Filters that are learnt on a GPU are those that are learnt on a CPU.

On a CPU the kernels for a GPU run in Triton's interpreter, for a few epochs on a small graph; with
a GPU (`tox -e gpu`) a whole training runs there.
"""

import networkx as nx
import numpy as np
import pytest
import torch
from planted_copies import PRISM, plant, tree

from gomkcn_dgl.kernels import load_backend
from mining import FilterLearning, FilterMiner
from synthetic import planted_motif_graph


def assert_equal(one, other):
    """The same filters, labels and losses, but for rounding.

    Where nodes of a filter are alike, rounding decides which of two equal matchings is found, so
    that a filter is compared in each of the orders that leave its structure as it is.
    """
    assert [a.structure.key for a in one.filters_] == [b.structure.key for b in other.filters_]
    for a, b in zip(one.filters_, other.filters_, strict=True):
        assert (a.instances, a.exact, a.nearest_nodes) == (b.instances, b.exact, b.nearest_nodes)
        assert (a.size, a.exceeds, a.random_instances) == (b.size, b.exceeds, b.random_instances)
        orders = [a.structure.isomorphism(b.structure)[way] for way in a.structure.symmetries]
        assert any(
            np.allclose(a.features, b.features[order], atol=2e-3)
            and np.allclose(a.weights, b.weights[np.ix_(order, order)], atol=2e-3)
            for order in orders
        )
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(one.similarities_, other.similarities_, atol=1e-3)
    np.testing.assert_allclose(one.loss_curve_, other.loss_curve_, atol=1e-4)
    assert one.n_iter_ == other.n_iter_


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("options", [{}, {"num_filters": 8, "contrast": False}])
def test_a_training_on_a_gpu_equals_that_on_a_cpu(options):
    planted = planted_motif_graph()
    results = []
    for device in ("cpu", "cuda"):
        miner = FilterMiner(device=device, learning=FilterLearning(num_epochs=30), **options)
        results.append(miner.fit(planted))
    assert_equal(*results)


@pytest.mark.parametrize("contrast", [True, False])
def test_matching_by_pytorch_equals_that_of_arrays(contrast):
    """By the plain implementation here, and by the kernels of a GPU where there is one."""
    graph = plant(tree(60), [(PRISM, 5), (nx.complete_graph(4), 5)], seed=2)[0]
    # all nodes differ, so that no two matchings are as good
    for node, value in enumerate(np.random.default_rng(0).random(len(graph)).tolist()):
        graph.nodes[node]["feat"] = [value]
    size = "3-6" if contrast else 5
    results = [
        FilterMiner(3, size, contrast=contrast, learning=FilterLearning(backend=backend)).fit(graph)
        for backend in ("auto", "reference")
    ]
    assert_equal(*results)
    np.testing.assert_array_equal(results[1].predict(graph), results[0].labels_)


def test_a_training_by_the_kernels_for_a_gpu_equals_that_by_the_kernel_for_a_cpu():
    triton = pytest.importorskip("triton", minversion="3.6", reason="there is no Triton")
    if isinstance(load_backend("triton").match_fwd_kernel, triton.JITFunction):
        pytest.skip("TRITON_INTERPRET=1 is not set")
    graph = nx.disjoint_union_all([nx.cycle_graph(4)] * 2 + [nx.complete_graph(4)])
    for node in graph:
        graph.nodes[node]["feat"] = [0.1 * (node % 3)]
    results = []
    for backend in ("numba", "triton"):
        learning = FilterLearning(num_epochs=2, backend=backend)
        miner = FilterMiner(2, 4, contrast=False, learning=learning, device="cpu")
        results.append(miner.fit(graph))
    assert_equal(*results)
    assert len(results[0].loss_curve_) == 3
