"""Filters that are learnt on a GPU are those that are learnt on a CPU.

On a CPU the kernels for a GPU run in Triton's interpreter, for a few epochs on a small graph; with
a GPU (`tox -e gpu`) a whole training runs there.
"""

import networkx as nx
import numpy as np
import pytest
import torch

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
        assert (a.frequency, a.exact) == (b.frequency, b.exact)
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
def test_a_training_on_a_gpu_equals_that_on_a_cpu():
    planted = planted_motif_graph()
    results = []
    for device in ("cpu", "cuda"):
        miner = FilterMiner(device=device, learning=FilterLearning(num_epochs=30))
        results.append(miner.fit(planted))
    assert_equal(*results)


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
        results.append(FilterMiner(2, 4, learning=learning, device="cpu").fit(graph))
    assert_equal(*results)
    assert len(results[0].loss_curve_) == 3
