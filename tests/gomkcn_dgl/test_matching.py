"""gomk and GOMKKernel: hand-worked scores, the laws of the kernel, every refusal."""

import networkx as nx
import pytest
import torch
from random_graphs import CPU
from tiny_graphs import ONES, SCORES, TRIANGLE, with_kernel
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl.embeddings import AGGREGATIONS
from gomkcn_dgl.errors import GomkcnError, InputTypeError
from gomkcn_dgl.gram import gomk_gram
from gomkcn_dgl.layer import GOMKConv
from gomkcn_dgl.matching import GOMKKernel, gomk

F64 = torch.float64
backends = pytest.mark.parametrize("backend", CPU)


def double(*batches):
    return [torch.tensor(batch, dtype=F64) for batch in batches]


def random_graphs(B, N, D, seed):
    generator = torch.Generator().manual_seed(seed)
    edges = (torch.rand(B, N, N, generator=generator, dtype=F64) < 0.5).double().triu(1)
    return edges + edges.mT, torch.rand(B, N, D, generator=generator, dtype=F64)


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
    adj, feat = random_graphs(4, 6, 2, seed=0)
    filter_adj, filter_feat = random_graphs(3, 5, 2, seed=1)
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
    filter_graphs = random_graphs(2, 4, 2, seed=6)
    results = []
    for filling in (0.0, torch.nan):
        adj, feat = random_graphs(3, 4, 2, seed=7)
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
    graphs = random_graphs(4, 5, 2, seed=10)
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
    left, right = random_graphs(8, 6, 2, seed=15), random_graphs(8, 6, 2, seed=16)
    options = {"num_levels": 2, "backend": backend}
    best = gomk(*left, *right, **with_kernel(options))
    greedy = gomk(*left, *right, **with_kernel({**options, "matching": "greedy"}))
    anchored = gomk(*left, *right, **with_kernel({**options, "anchor_root": True}))
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
        ({"tau": None}, "tau must be a number"),
        ({"aggregation": "max"}, "aggregation must be one of 'mean',"),
        ({"level_scale": 0.0}, "level_scale must be at least 1e-30"),
        ({"padding": "drop"}, "padding must be one of 'mask', 'match'"),
        ({"adj": [[0.0]]}, "adj must be a float32, float64 or"),
        ({"feat": torch.ones(1, 3, 1, dtype=torch.int64)}, "feat must be a float32, float64 or"),
        ({"adj": torch.ones(3, 3, dtype=F64)}, "adj must have 3 axes"),
        ({"filter_feat": torch.ones(1, 3, 1)}, "filter_feat must have the dtype and"),
        ({"adj": torch.ones(1, 3, 2, dtype=F64)}, "adj .B, N, N. and feat .B, N, D. must"),
        ({"filter_feat": torch.ones(2, 3, 1, dtype=F64)}, "filter_adj .B, N, N. and filter_feat"),
        ({"feat": torch.ones(1, 3, 2, dtype=F64)}, "feat and filter_feat must have the"),
        (NO_FEATURES, "feat and filter_feat must have the same number of features, at least 1"),
        ({"filter_adj": torch.ones(1, 0, 0, dtype=F64)}, "filter_adj .B, N, N. and filter_feat"),
        ({"num_nodes": torch.tensor([4])}, "num_nodes must be from 0 to N = 3"),
        ({"num_nodes": torch.tensor([3, 3])}, "num_nodes must be integers of shape"),
        ({"num_nodes": torch.tensor([3.0])}, "num_nodes must be integers of shape"),
    ],
)
def test_a_bad_argument_is_refused(change, rule):
    with pytest.raises(GomkcnError, match=rule):
        gomk(**with_kernel(arguments(**change)))


@pytest.mark.parametrize(
    "call",
    [
        lambda kernel: gomk(**{**arguments(), "kernel": kernel}),
        lambda kernel: gomk_gram([nx.path_graph(3)], kernel=kernel),
        lambda kernel: GOMKConv(2, 3, 4, 1, kernel=kernel),
    ],
    ids=["gomk", "gomk_gram", "GOMKConv"],
)
def test_what_is_no_kernel_is_refused(call):
    with pytest.raises(InputTypeError, match="kernel must be a gomkcn.GOMKKernel"):
        call(kernel="rbf")


@pytest.mark.parametrize(("padding", "expected"), [("mask", 2 / 3), ("match", 0.789293)])
def test_similarity_is_the_share_of_what_the_larger_of_both_could_match(padding, expected):
    """Two isolated nodes beside three; "match" fills up with a node of feature 0, worth exp(-1)."""
    small, large = torch.ones(1, 1, 3, 1), torch.ones(1, 1, 3, 1)
    small[0, 0, 2] = 0
    two, three = torch.tensor([2]), torch.tensor([3])
    kernel = GOMKKernel(0, padding=padding)
    similarity = kernel.similarity(small, two, large, three, "reference")
    torch.testing.assert_close(similarity, torch.tensor([[expected]]))
