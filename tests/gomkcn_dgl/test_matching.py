"""gomk and GOMKKernel: hand-worked scores, the laws of the kernel, refusals, extreme numbers."""

from functools import partial

import networkx as nx
import numpy as np
import pytest
import torch
from random_graphs import CPU, Shape, problem
from tiny_graphs import ONES, SCORES, TRIANGLE, with_kernel
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl.errors import GomkcnError, InputError, InputTypeError
from gomkcn_dgl.gram import gomk_gram
from gomkcn_dgl.kernel_settings import AGGREGATIONS, MATCHINGS
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.matching import GOMKKernel, gomk

F64 = torch.float64
backends = pytest.mark.parametrize("backend", CPU)


def double(*batches):
    return [torch.tensor(batch, dtype=F64) for batch in batches]


@backends
@pytest.mark.parametrize("case", SCORES, ids=lambda case: case.name)
def test_a_hand_worked_case(case, backend):
    tensors = double([case.adj], [case.feat], [case.filter_adj], [case.filter_feat])
    settings = dict(case.settings)
    if "num_nodes" in settings:
        settings["num_nodes"] = torch.tensor(settings["num_nodes"])
    scores, matching = gomk(
        *tensors, **with_kernel(settings), return_matching=True, backend=backend
    )
    torch.testing.assert_close(scores, double([[case.score]])[0], **VALUES[F64])
    if case.matching is not None:
        assert matching.tolist() == [[case.matching]]


@backends
@pytest.mark.parametrize("padding", ["match", "mask"])
def test_relabelling_nodes_relabels_the_matching_and_keeps_the_score(backend, padding):
    adj, feat, filter_adj, filter_feat = problem(Shape(4, 3, 6, 5, 2), F64)
    options = {"num_levels": 2, "padding": padding, "return_matching": True, "backend": backend}
    scores, matching = gomk(adj, feat, filter_adj, filter_feat, **with_kernel(options))
    p = torch.randperm(6, generator=torch.Generator().manual_seed(2))
    q = torch.randperm(5, generator=torch.Generator().manual_seed(3))
    moved_scores, moved = gomk(
        adj[:, p][:, :, p],
        feat[:, p],
        filter_adj[:, q][:, :, q],
        filter_feat[:, q],
        **with_kernel(options),
    )
    torch.testing.assert_close(moved_scores, scores, **VALUES[F64])
    # new filter node m is old filter node q[m]; -1 stays -1
    old_name = torch.cat([q, torch.tensor([-1])])
    assert torch.equal(old_name[moved], matching[:, :, p])


@backends
@pytest.mark.parametrize("padding", ["match", "mask"])
def test_what_padding_holds_is_ignored_by_scores_and_gradients(backend, padding):
    num_nodes = torch.tensor([2, 4, 0])
    results = []
    for filling in (0.0, torch.nan):
        adj, feat, *filter_graphs = problem(Shape(3, 2, 4, 4, 2), F64)
        for s, size in enumerate(num_nodes.tolist()):
            feat[s, size:] = filling
            adj[s, size:] = filling
            adj[s, :, size:] = filling
        leaves = [t.clone().requires_grad_() for t in (adj, feat, *filter_graphs)]
        scores = gomk(
            *leaves, kernel=GOMKKernel(padding=padding), num_nodes=num_nodes, backend=backend
        )
        scores.sum().backward()
        results.append([scores.detach(), *(leaf.grad for leaf in leaves)])
    for clean, dirty in zip(*results, strict=True):
        torch.testing.assert_close(dirty, clean, **GRADIENTS[F64])
        assert dirty.isfinite().all()


@backends
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_a_graph_scores_n_times_levels_with_itself(backend, aggregation, num_levels=3):
    graphs = problem(Shape(4, 0, 5, 1, 2), F64)[:2]
    options = {"num_levels": num_levels, "aggregation": aggregation, "backend": backend}
    scores = gomk(*graphs, *graphs, **with_kernel(options))
    shares = gomk(*graphs, *graphs, normalize=True, **with_kernel(options))
    same = torch.full((4,), 5.0 * (num_levels + 1), dtype=F64)
    torch.testing.assert_close(scores.diagonal(), same, **VALUES[F64])
    torch.testing.assert_close(shares, scores / (5 * (num_levels + 1)), **VALUES[F64])
    # different graphs score less, since their features differ
    assert (shares[~torch.eye(4, dtype=bool)] < 0.999).all()
    assert (shares > 0).all()


@backends
def test_greedy_is_never_better_than_optimal_and_sometimes_worse(backend):
    graphs = problem(Shape(8, 8, 6, 6, 2), F64)
    options = {"num_levels": 2, "backend": backend}
    best = gomk(*graphs, **with_kernel(options))
    greedy = gomk(*graphs, **with_kernel({**options, "matching": "greedy"}))
    anchored = gomk(*graphs, **with_kernel({**options, "anchor_root": True}))
    margin = VALUES[F64]["atol"]
    assert (greedy <= best + margin).all()
    assert (anchored <= best + margin).all()
    assert (greedy < best - 0.01).any()
    assert (anchored < best - 0.01).any()


def arguments(**change):
    triangle, ones = double([TRIANGLE], [ONES])
    tensors = {"adj": triangle, "feat": ones, "filter_adj": triangle, "filter_feat": ones}
    return {**tensors, **change}


NO_FEATURES = dict.fromkeys(("feat", "filter_feat"), torch.ones(1, 3, 0, dtype=F64))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"tau": float("inf")}, "tau must be finite"),
        ({"adj": [[0.0]]}, "adj must be a tensor of float32, float64, bfloat16 or"),
        ({"adj": torch.ones(3, 3, dtype=F64)}, "adj must have 3 axes"),
        ({"filter_feat": torch.ones(1, 3, 1)}, "filter_feat must have the dtype and"),
        ({"adj": torch.ones(1, 3, 2, dtype=F64)}, "adj .B, N, N. and feat .B, N, D. must"),
        ({"feat": torch.ones(1, 3, 2, dtype=F64)}, "feat and filter_feat must have the"),
        (NO_FEATURES, "feat and filter_feat must have the same number of features, at least 1"),
        ({"num_nodes": torch.tensor([4])}, "num_nodes must be from 0 to N = 3"),
        ({"num_nodes": torch.tensor([3.0])}, "num_nodes must be integers of shape"),
    ],
)
def test_a_bad_argument_is_refused(change, rule):
    with pytest.raises(GomkcnError, match=rule):
        gomk(**with_kernel(arguments(**change)))


def test_what_is_no_kernel_is_refused():
    calls = partial(gomk, **arguments()), partial(gomk_gram, []), partial(GOMKConv, 2, 3, 4, 1)
    for call in calls:
        with pytest.raises(InputTypeError, match="kernel must be a gomkcn.GOMKKernel"):
            call(kernel="rbf")


# ---------------------------------------------------------------- numbers at their limits

COMPLETE = torch.ones(1, 5, 5) - torch.eye(5)
# five nodes, features from the smallest to the largest that single precision has
SCALES = [[1e30, 1e-30], [1.0, 1e-38], [0.0, 1.0], [1e10, 1e-45], [3.0, 1e38]]


def scored(feat, filter_feat, backend, **options):
    """Score of complete graphs of five nodes with each other, and its gradients."""
    feat, filter_feat = (
        torch.tensor(one, dtype=torch.float32).reshape(1, 5, -1).requires_grad_()
        for one in (feat, filter_feat)
    )
    score = gomk(COMPLETE, feat, COMPLETE, filter_feat, backend=backend, **with_kernel(options))
    score.sum().backward()
    return score.item(), feat.grad, filter_feat.grad


@backends
def test_features_of_any_scale(backend):
    for value in (0.0, 1e-45, 1e-38, 1e17):
        score, *gradients = scored([value] * 10, [value] * 10, backend, num_levels=2)
        assert score == pytest.approx(15, rel=1e-6)
        assert all(gradient.isfinite().all() for gradient in gradients)
    # an infinite distance
    score, *gradients = scored([3e38] * 10, [-3e38] * 10, backend, num_levels=0)
    assert score == 0
    assert all((gradient == 0).all() for gradient in gradients)
    for matching in MATCHINGS:
        with pytest.raises(InputError, match="^features and edge weights must be"):
            scored([1e38] * 10, [1e38] * 10, backend, num_levels=3, matching=matching)


@backends
def test_scores_that_overflow_are_refused_whatever_padding_holds(backend):
    feat = torch.full((1, 5, 1), 1e38)
    feat[0, 4] = torch.nan
    with pytest.raises(InputError, match="^features and edge weights must be"):
        gomk(
            COMPLETE, feat, COMPLETE, torch.full((1, 5, 1), 1e38), backend=backend,
            kernel=GOMKKernel(num_levels=3), num_nodes=torch.tensor([4]),
        )  # fmt: skip


@pytest.mark.parametrize("matching", MATCHINGS)
def test_features_of_very_different_scales_equal_the_reference(matching):
    changed = np.array(SCALES)
    changed[:, 1] *= 0.5
    options = {"num_levels": 2, "matching": matching, "aggregation": "mean"}
    score, *gradients = scored(SCALES, changed, "numba", **options)
    expected, *expected_gradients = scored(SCALES, changed, "reference", **options)
    assert 0 < expected < 15
    assert score == pytest.approx(expected, rel=1e-6)
    for gradient, other in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(gradient, other, rtol=1e-5, atol=1e-5)
        assert gradient.isfinite().all()


@backends
@pytest.mark.parametrize(("tau", "expected"), [(1e-30, 10.0), (1e30, 20.0)])
def test_the_smallest_and_the_largest_tau(tau, expected, backend):
    # equal features on level 0; on level 1 they differ by the degree alone
    ring = torch.tensor(nx.to_numpy_array(nx.cycle_graph(10)), dtype=torch.float32)[None]
    kernel, ones = GOMKKernel(num_levels=1, tau=tau), torch.ones(1, 10, 1)
    score = gomk(ring, ones, 0 * ring, ones, kernel=kernel, backend=backend)
    assert score.item() == expected
