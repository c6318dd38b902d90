"""Both matching kernels beside the definition and brute force, and what the CPU kernel adds."""

from itertools import permutations

import numpy as np
import pytest
import torch
from random_graphs import CPU, KINDS, SHAPES, Shape, assert_valid, draw, problem, uneven_sizes
from tiny_graphs import random_cases, with_kernel
from tolerances import GRADIENTS, VALUES
from torch.utils._python_dispatch import TorchDispatchMode

from gomkcn_dgl import SubgraphSettings, extract_subgraphs, kernels
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.errors import BackendError, InputError
from gomkcn_dgl.kernel_settings import AGGREGATIONS, MATCHINGS
from gomkcn_dgl.kernels import load_backend, matching_arrays
from gomkcn_dgl.kernels.matching_loops import match_fwd_kernel
from gomkcn_dgl.kernels.vectors_numba import (
    exp2,
    gather,
    lanes_of,
    load,
    load_few,
    store,
    store_few,
)
from gomkcn_dgl.matching import GOMKKernel, gomk
from gomkcn_dgl.runtime.compiled import compiled

FAST = tuple(name for name in CPU if name != "reference")
DTYPES = {"float32": torch.float32, "float64": torch.float64}


def run(backend, inputs, upstream, **options):
    """Scores, matching and the gradients of all four inputs."""
    leaves = [tensor.clone().requires_grad_() for tensor in inputs]
    scores, matching = gomk(*leaves, backend=backend, return_matching=True, **with_kernel(options))
    (scores * upstream).sum().backward()
    return scores.detach(), matching, [leaf.grad for leaf in leaves]


AXES = (
    FAST,
    tuple(SHAPES),
    tuple(DTYPES),
    MATCHINGS,
    (False, True),
    ("none", "match", "mask"),
    AGGREGATIONS,
)


@pytest.mark.parametrize(
    ("backend", "shape", "dtype", "matching", "anchor_root", "padding", "aggregation"),
    random_cases(50, *AXES),
)
@pytest.mark.usefixtures("nan_filled_memory")
def test_a_fast_kernel_equals_the_reference(
    backend, shape, dtype, matching, anchor_root, padding, aggregation
):
    shape, dtype = SHAPES[shape], DTYPES[dtype]
    inputs = problem(shape, dtype)
    options = {
        "num_levels": 2,
        "tau": (1.0, 0.5, 2.0),
        "aggregation": aggregation,
        "level_scale": 1.5,
        "matching": matching,
        "anchor_root": anchor_root,
    }
    rows = [shape.N] * shape.S
    if padding != "none":
        sizes = uneven_sizes(shape)
        rows = sizes.tolist() if padding == "mask" else rows
        options |= {"padding": padding, "num_nodes": sizes}
    upstream = torch.linspace(-1, 2, shape.S * shape.F, dtype=dtype).reshape(shape.S, shape.F)
    scores, matched, grads = run(backend, inputs, upstream, **options)
    expected = run("reference", inputs, upstream, **options)
    expected, expected_matched, expected_grads = expected

    assert (scores.dtype, matched.dtype) == (dtype, torch.int64)
    torch.testing.assert_close(scores, expected, **VALUES[dtype])
    for grad, expected_grad in zip(grads, expected_grads, strict=True):
        torch.testing.assert_close(grad, expected_grad, **GRADIENTS[dtype])
    assert_valid(matched, rows, shape.M, anchor_root)
    if padding != "match":
        # otherwise padded nodes are alike and may swap places
        assert torch.equal(matched, expected_matched)


LAYOUTS = {
    # as many filters as fill vectors of both types, fewer, and more; rows in every kind of tile
    "a_vector_of_filters": Shape(3, 16, 12, 12, 16),
    "filters_in_two_vectors": Shape(5, 19, 7, 6, 33),
    "in_one_tile": Shape(5, 5, 4, 9, 17),
    # subgraphs of all sizes below each other, in more than two groups
    "in_several_groups": Shape(70, 9, 6, 4, 3),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("matching", MATCHINGS)
@pytest.mark.parametrize(
    ("shape", "aggregation", "channels", "padding"),
    [
        *((shape, "sum", 1, "match") for shape in SHAPES | LAYOUTS),
        *((shape, "sum", 3, "mask") for shape in LAYOUTS),
        ("eleven_nodes", "mean", 1, "mask"),
        ("eleven_nodes", "sym", 2, "match"),
        ("wide_features", "mean", 3, "none"),
        ("fewer_nodes_than_the_filter", "sym", 1, "none"),
    ],
)
@pytest.mark.usefixtures("nan_filled_memory")
def test_graphs_whose_edges_need_no_gradient_equal_the_reference(
    shape, aggregation, channels, padding, matching, dtype
):
    shape, dtype = (SHAPES | LAYOUTS)[shape], DTYPES[dtype]
    adj, feat, filter_adj, filter_feat = problem(shape, dtype)
    # half of the edges, in each channel others
    draw = torch.rand(*adj.shape, channels, generator=torch.Generator().manual_seed(0))
    adj = (adj.unsqueeze(3) * (draw < 0.5)).squeeze(3)
    filter_adj = filter_adj.unsqueeze(3).repeat(1, 1, 1, channels).squeeze(3)
    options = {"aggregation": aggregation, "level_scale": 1.5, "matching": matching}
    if padding != "none":
        sizes = uneven_sizes(shape) if shape.S > 3 else torch.full((shape.S,), shape.N)
        options |= {"padding": padding, "num_nodes": sizes}
        # what padding holds is ignored
        for s, size in enumerate(sizes.tolist()):
            adj[s, size:] = torch.nan
            adj[s, :, size:] = torch.nan
            feat[s, size:] = torch.nan
    upstream = torch.linspace(-1, 2, shape.S * shape.F, dtype=dtype).reshape(shape.S, shape.F)
    results = []
    for backend in ("numba", "reference"):
        leaves = [tensor.clone().requires_grad_() for tensor in (feat, filter_adj, filter_feat)]
        scores = gomk(adj, *leaves, backend=backend, **with_kernel(options))
        (scores * upstream).sum().backward()
        results.append([scores.detach(), *(leaf.grad for leaf in leaves)])
    (scores, *gradients), (expected, *expected_gradients) = results
    torch.testing.assert_close(scores, expected, **VALUES[dtype])
    for gradient, other in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(gradient, other, **GRADIENTS[dtype])


@pytest.mark.parametrize("anchor_root", [False, True])
@pytest.mark.parametrize("backend", FAST)
def test_greedy_ties_go_to_the_first_column_also_where_all_underflows(backend, anchor_root):
    # whole numbers: two nodes are equal at a level, or their similarity there is 0
    inputs = [tensor.round() for tensor in problem(Shape(20, 19, 6, 8, 4), torch.float32)]
    options = {"tau": 0.001, "matching": "greedy", "anchor_root": anchor_root}
    ours, expected = (
        gomk(*inputs, backend=name, return_matching=True, **with_kernel(options))[1]
        for name in (backend, "reference")
    )
    assert torch.equal(ours, expected)


@pytest.mark.parametrize(
    ("N", "M", "anchor_root"),
    [(1, 1, True), (2, 6, False), (6, 2, True), (4, 5, True), (6, 6, False)],
)
@pytest.mark.parametrize("backend", CPU)
def test_optimal_is_the_best_of_all_matchings(backend, N, M, anchor_root):
    inputs = problem(Shape(3, 2, N, M, 2), torch.float64, seed=1)
    options = {"num_levels": 2, "tau": 0.7, "anchor_root": anchor_root}
    scores = gomk(*inputs, backend=backend, **with_kernel(options))
    expected = [
        [best_of_all(subgraph, graph_filter, **options) for graph_filter in filters(inputs)]
        for subgraph in zip(inputs.adj.numpy(), inputs.feat.numpy(), strict=True)
    ]
    np.testing.assert_allclose(scores.numpy(), expected, **VALUES[torch.float64])


def filters(inputs):
    return zip(inputs.filter_adj.numpy(), inputs.filter_feat.numpy(), strict=True)


def best_of_all(subgraph, graph_filter, num_levels, tau, anchor_root):
    """Score by the formula and every injective matching in turn, sharing no code with the kernels.

    The smaller of both graphs is matched completely: similarities are >= 0.
    """
    (adj, x), (filter_adj, z) = subgraph, graph_filter
    table = np.zeros((len(x), len(z)))
    for _ in range(num_levels + 1):
        for u, v in np.ndindex(*table.shape):
            squared = sum((x[u] - z[v]) ** 2)
            table[u, v] += np.exp(-squared / (len(x[u]) * tau))
        x, z = adj @ x, filter_adj @ z
    if table.shape[0] > table.shape[1]:
        table = table.T
    matchings = permutations(range(table.shape[1]), table.shape[0])
    if anchor_root:
        matchings = (chosen for chosen in matchings if chosen[0] == 0)
        if table.shape[0] == 0:
            return 0.0
    return max(sum(table[u, v] for u, v in enumerate(chosen)) for chosen in matchings)


@pytest.mark.parametrize(
    ("backend", "matching", "aggregation"),
    [("numba", "optimal", "sym"), ("numba", "greedy", "sum"), ("reference", "optimal", "mean")],
)
def test_gradients_equal_finite_differences(backend, matching, aggregation):
    inputs = [t.requires_grad_() for t in problem(Shape(2, 2, 3, 4, 2), torch.float64, seed=2)]
    kernel = GOMKKernel(2, 1.0, aggregation, 1.7, matching=matching, padding="mask")

    def scores(*tensors):
        return gomk(*tensors, kernel=kernel, num_nodes=torch.tensor([3, 2]), backend=backend)

    assert torch.autograd.gradcheck(scores, inputs)


@pytest.mark.parametrize("backend", FAST)
def test_embeddings_need_not_be_contiguous(backend):
    inputs = problem(SHAPES["fewer_nodes_than_the_filter"], torch.float64)
    kernel = GOMKKernel(1)
    levels = [kernel.embed(*inputs[:2]), kernel.embed(*inputs[2:])]
    strided = [one.transpose(0, 3).contiguous().transpose(0, 3) for one in levels]
    assert not strided[0].is_contiguous()
    scores, expected = (kernel.match(*given, None, backend).scores for given in (strided, levels))
    assert torch.equal(scores, expected)


@pytest.mark.parametrize(
    ("installed", "device", "expected"),
    [
        ("3.7.1", "cpu", "numba"),
        ("3.7.1", "cuda", "triton"),
        ("3.6.0", "mps", "reference"),
        # a Triton that cannot compile the kernels, and none
        ("3.0.0", "cuda", "reference"),
        (None, "cuda", "reference"),
    ],
)
def test_auto_takes_the_fastest_that_runs_there(monkeypatch, installed, device, expected):
    if expected == "triton":
        pytest.importorskip("triton", minversion="3.6", reason="there is no Triton")

    def version(name):
        if installed is None:
            raise kernels.importlib.metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(kernels.importlib.metadata, "version", version)
    monkeypatch.setattr(kernels, "HAS_TRITON", kernels._has_triton())
    name = load_backend("auto", device).__name__
    assert name == f"gomkcn_dgl.kernels.matching_{expected}"


def test_a_backend_that_does_not_run_is_refused():
    with pytest.raises(InputError, match="backend must be one of 'auto', 'numba', 'reference'"):
        load_backend("cuda")
    with pytest.raises(BackendError, match="backend 'numba' runs on the CPU alone.*backend='auto'"):
        load_backend("numba", "cuda")


# ---------------------------------------------------------------- what the CPU kernel does itself


def test_many_filters_go_in_several_chunks():
    inputs, kernel = problem(Shape(3, 150, 20, 20, 2), torch.float32), GOMKKernel(1)
    scores, expected = (gomk(*inputs, kernel=kernel, backend=name) for name in CPU[::-1])
    torch.testing.assert_close(scores, expected, **VALUES[torch.float32])


@compiled(_nrt=False)
def powers_of_two(values, powers):
    for k in range(0, len(values), lanes_of(values.dtype)):
        store(powers, k, exp2(load(values, k)))


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 3e-7), (np.float64, 1e-15)])
def test_powers_of_two_keep_their_stated_error(dtype, error):
    values = np.linspace(-126.4, 0, 20_000, dtype=dtype)
    powers = np.empty_like(values)
    powers_of_two(values, powers)
    assert np.abs(powers / np.exp2(values.astype(np.float64)) - 1).max() < error
    assert powers[-1] == 1
    few = np.full(lanes_of(dtype), -np.inf, dtype)
    few[:3] = -127, np.nan, 0
    powers_of_two(few, powers)
    assert powers[0] == (0 if dtype == np.float32 else 2.0**-127)
    assert powers[3] == 0
    assert np.isnan(powers[1])
    assert powers[2] == 1


@compiled(_nrt=False)
def move_few(numbers, start, count, places, given, found, written):
    others = load(given, 0)
    store(found, 0, load_few(numbers, start, count, others))
    store(found, len(given), gather(given, 0, load(places, 0)))
    store_few(written, start, count, others)


@pytest.mark.parametrize("kind", [np.int16, np.int32, "as the vector"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_of_vectors_are_read_and_written_and_nothing_behind_them(dtype, kind):
    lanes = lanes_of(dtype)
    numbers = np.arange(-40, 40).astype(dtype if isinstance(kind, str) else kind)
    given = np.arange(lanes).astype(dtype) - 3
    places = np.roll(given, 5) + 3
    for count in (0, 1, 3, lanes - 1, lanes):
        found, written = np.empty(2 * lanes, dtype), numbers.copy()
        move_few(numbers, 60, count, places, given, found, written)
        expected = np.append(numbers[60 : 60 + count], given[count:])
        np.testing.assert_array_equal(found[:lanes], expected)
        np.testing.assert_array_equal(found[lanes:], np.roll(given, 5))
        np.testing.assert_array_equal(written[60 : 60 + count], given[:count])
        written[60 : 60 + count] = numbers[60 : 60 + count]
        np.testing.assert_array_equal(written, numbers)


@pytest.mark.parametrize("matching", MATCHINGS)
def test_scores_of_a_subgraph_do_not_depend_on_those_beside_it(matching):
    shape = LAYOUTS["in_several_groups"]
    inputs, sizes = problem(shape, torch.float32), uneven_sizes(shape)
    kernel = GOMKKernel(2, matching=matching, padding="mask")

    def matched(rows):
        return gomk(
            inputs.adj[rows], inputs.feat[rows], *inputs[2:], num_nodes=sizes[rows], kernel=kernel,
            return_matching=True, backend="numba",
        )  # fmt: skip

    scores, matching = matched(torch.arange(shape.S))
    for row in torch.randperm(shape.S).split(1)[:9]:
        alone, matching_alone = matched(row)
        assert torch.equal(alone, scores[row])
        assert torch.equal(matching_alone, matching[row])


@pytest.mark.parametrize("backend", CPU)
def test_what_is_too_far_to_be_alike_gives_no_gradient_and_no_nan(backend):
    # the difference of two such numbers is infinite, and their similarity 0
    feat = torch.full((2, 3, 2), 3e38).requires_grad_()
    filter_feat = torch.full((2, 3, 2), -3e38).requires_grad_()
    given = torch.zeros(2, 3, 3), feat, torch.zeros(2, 3, 3), filter_feat
    scores = gomk(*given, kernel=GOMKKernel(0), backend=backend)
    assert (scores == 0).all()
    gradients = torch.autograd.grad(scores.sum(), (feat, filter_feat))
    assert all((gradient == 0).all() for gradient in gradients)


class _Sizes(TorchDispatchMode):
    """The numbers of elements of all tensors that are made."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        self.seen += [result.numel()] if isinstance(result, torch.Tensor) else []
        return result


def test_the_backward_pass_makes_nothing_as_large_as_what_was_kept():
    shape = Shape(70, 9, 6, 4, 3)
    leaves = [tensor.requires_grad_() for tensor in problem(shape, torch.float32)[1:]]
    adj, num_levels = problem(shape, torch.float32).adj, 3
    scores = gomk(adj, *leaves, kernel=GOMKKernel(num_levels - 1), backend="numba")
    with _Sizes() as sizes:
        torch.autograd.grad(scores.sum(), leaves)
    assert 0 < max(sizes.seen) < shape.S * shape.N * num_levels * shape.F


@pytest.mark.parametrize(("N", "M"), [(16, 16), (33, 20), (20, 33), (64, 64)])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_where_many_matchings_are_equal_the_score_is_that_of_scipy(N, M, dtype):
    # features of whole numbers: many nodes are alike
    inputs = [tensor.round() for tensor in problem(Shape(6, 5, N, M, 2), dtype)]
    scores, expected = (
        gomk(*inputs, kernel=GOMKKernel(1), backend=name) for name in ("numba", "reference")
    )
    torch.testing.assert_close(scores, expected, **VALUES[dtype])


def test_a_nan_decides_nothing_and_ends():
    inputs = problem(Shape(2, 2, 4, 4, 1), torch.float32)
    inputs.feat[0, 1] = torch.nan
    scores, matched = gomk(*inputs, kernel=GOMKKernel(num_levels=0), return_matching=True)
    assert scores[0].isnan().all()
    assert scores[1].isfinite().all()
    assert all(sorted(row) == [0, 1, 2, 3] for row in matched.flatten(0, 1).tolist())


def test_rows_that_are_not_there_are_refused():
    graph = csr_from_edges(*np.triu_indices(12, 1), 12)
    subgraphs = SubgraphTensors.of_batch(extract_subgraphs(graph, SubgraphSettings(2, 5)))
    kernel = GOMKKernel(1)
    z = torch.rand(1, 2, 4, 2)
    with pytest.raises(InputError, match=r"feat must have a row for each node .* got 11 rows\.$"):
        kernel.match_subgraphs(subgraphs, torch.rand(11, 2), z, "numba")
    with pytest.raises(InputError, match=r"num_nodes must be \[12\] numbers from 0 to 5\.$"):
        GOMKKernel(1, padding="mask").match_subgraphs(
            subgraphs._replace(num_nodes=subgraphs.num_nodes + 5), torch.rand(12, 2), z, "numba"
        )


# ---------------------------------------------------------------- arrays, without PyTorch


@pytest.fixture
def nan_filled_arrays(monkeypatch):
    """What holds the results is filled, so that an element that nobody writes shows."""
    make = matching_arrays.new_results

    def make_filled(*given):
        scores, assignment, similarities = make(*given)
        scores.fill(np.nan)
        assignment.fill(-7)
        return scores, assignment, similarities

    monkeypatch.setattr(matching_arrays, "new_results", make_filled)


def assert_same_bits(arrays, matched):
    for array, tensor in zip(arrays, matched, strict=True):
        np.testing.assert_array_equal(array, tensor.numpy(), strict=True)


@pytest.mark.parametrize(
    ("shape", "dtype", "matching", "anchor_root", "padding"),
    [
        *((shape, "float32", "optimal", True, "mask") for shape in SHAPES | LAYOUTS),
        *((shape, "float64", "greedy", False, "match") for shape in SHAPES | LAYOUTS),
        *random_cases(20, SHAPES | LAYOUTS, DTYPES, MATCHINGS, (False, True), ("match", "mask")),
    ],
)
@pytest.mark.usefixtures("nan_filled_arrays")
def test_levels_as_arrays_are_matched_as_tensors_are(shape, dtype, matching, anchor_root, padding):
    shape, dtype = (SHAPES | LAYOUTS)[shape], DTYPES[dtype]
    inputs = problem(shape, dtype)
    kernel = GOMKKernel(
        2, (1.0, 0.5, 2.0), matching=matching, anchor_root=anchor_root, padding=padding
    )
    x, z = kernel.embed(*inputs[:2]), kernel.embed(*inputs[2:])
    sizes = uneven_sizes(shape) if shape.S <= 5 else torch.full((shape.S,), shape.N)
    scores, matched = kernel.match_levels(x.numpy(), z.numpy(), sizes.numpy())
    assert_same_bits((scores, matched), kernel.match(x, z, sizes, "numba"))
    rows = sizes.tolist() if padding == "mask" else [shape.N] * shape.S
    assert_valid(matched, rows, shape.M, anchor_root)
    expected = kernel.match(x, z, sizes, "reference").scores
    np.testing.assert_allclose(scores, expected.numpy(), **VALUES[dtype])


# most nodes, filters, their nodes, and roots
SIZES = {
    "more_nodes_than_the_filter": (7, 3, 4, 11),
    "filters_in_two_vectors": (5, 17, 5, 11),
    "fewer_nodes_than_the_filter": (4, 2, 9, 11),
    "single_nodes": (1, 2, 1, 11),
    "no_filters": (6, 0, 3, 11),
    "no_subgraphs": (6, 2, 3, 0),
}


@pytest.mark.parametrize(
    ("kinds", "sizes", "weighted"),
    [
        *(({"binds": False}, sizes, False) for sizes in SIZES),
        *random_cases(24, [*KINDS, dict.fromkeys("abcdefgh", True)], SIZES, (False, True)),
    ],
)
@pytest.mark.usefixtures("nan_filled_arrays")
def test_a_batch_of_arrays_is_matched_as_tensors_are(kinds, sizes, weighted):
    max_nodes, num_filters, filter_size, num_roots = SIZES[sizes]
    rng = np.random.default_rng(0)
    # many edges for each pair of nodes, and a node or two with few or none
    weights = rng.uniform(0.5, 2, 90) if weighted else None
    graph, *_ = draw(kinds, 1, 11, 90, weights=weights, features=rng.random((11, 3)))
    batch = extract_subgraphs(graph, SubgraphSettings(2, max_nodes), np.arange(num_roots))
    channels = [] if graph.relations.is_simple else [len(graph.relations.channels)]
    filter_adj = rng.random((num_filters, filter_size, filter_size, *channels))
    filter_feat = rng.random((num_filters, filter_size, 3))
    subgraphs = SubgraphTensors.of_batch(batch)
    options = [("optimal", False, "match"), ("greedy", True, "mask"), ("optimal", True, "mask")]
    for aggregation, (matching, *others) in zip(AGGREGATIONS, options, strict=True):
        kernel = GOMKKernel(2, 0.7, aggregation, 1.5, matching, *others)
        for dtype in (np.float32, np.float64):
            feat = graph.features.astype(dtype)
            z = kernel.embed(filter_adj.astype(dtype), filter_feat.astype(dtype))
            scores, matched = kernel.match_arrays(batch, feat, z)
            assert scores.dtype == z.dtype == dtype
            given = subgraphs, torch.from_numpy(feat), torch.from_numpy(z)
            assert_same_bits((scores, matched), kernel.match_subgraphs(*given, "numba"))
            expected = kernel.match_subgraphs(*given, "reference").scores
            np.testing.assert_allclose(scores, expected.numpy(), **VALUES[expected.dtype])


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_may_be_strided_or_read_only_and_nothing_is_compiled_for_them(order):
    graph = csr_from_edges(*np.triu_indices(12, 1), 12)
    batch = extract_subgraphs(graph, SubgraphSettings(2, 5))
    kernel, feat = GOMKKernel(1, padding="mask"), np.random.default_rng(0).random((12, 2))
    x = kernel.embed(batch.adjacency().astype(np.float64), batch.gather(feat))
    subgraphs, *tensors = SubgraphTensors.of_batch(batch), *map(torch.from_numpy, (feat, x))
    expected = (
        kernel.match_subgraphs(subgraphs, tensors[0], tensors[1][:3], "numba"),
        kernel.match(tensors[1], tensors[1][:3], subgraphs.num_nodes, "numba"),
    )
    number = len(getattr(match_fwd_kernel, "signatures", ()))
    feat, x, num_nodes = feat.copy(order), x.copy(order), batch.num_nodes.copy()
    for array in (feat, x, num_nodes):
        array.setflags(write=False)
    assert_same_bits(kernel.match_arrays(batch, feat, x[:3]), expected[0])
    assert_same_bits(kernel.match_levels(x, x[:3], num_nodes), expected[1])
    assert len(getattr(match_fwd_kernel, "signatures", ())) == number


def test_arrays_that_do_not_fit_are_refused():
    graph = csr_from_edges(*np.triu_indices(12, 1), 12)
    batch = extract_subgraphs(graph, SubgraphSettings(2, 5))
    kernel, z = GOMKKernel(1, padding="mask"), np.ones((1, 2, 4, 2))
    with pytest.raises(InputError, match=r"feat must have a row for each node .* got 11 rows\.$"):
        kernel.match_arrays(batch, np.ones((11, 2)), z)
    for sizes in ([6, 5], [-1, 5], [5]):
        with pytest.raises(InputError, match=r"num_nodes must be \[2\] numbers from 0 to 5\.$"):
            kernel.match_levels(np.ones((2, 2, 5, 2)), z, np.array(sizes))


def test_arrays_take_as_many_threads_as_pytorch_was_told_to_use(monkeypatch):
    seen = []
    monkeypatch.setattr(
        matching_arrays, "run_blocks", lambda *_, most_threads, **__: seen.append(most_threads)
    )
    for number in (3, 5):
        monkeypatch.setattr(torch, "get_num_threads", lambda number=number: number)
        GOMKKernel(0).match_levels(np.ones((2, 1, 3, 2)), np.ones((2, 1, 3, 2)))
    assert seen == [3, 5]
