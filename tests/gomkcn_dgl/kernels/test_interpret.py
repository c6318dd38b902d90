"""The GPU kernels: on a GPU (`tox -e gpu`), or in Triton's interpreter on a CPU.

A part runs with all other tests; the slow rest, and the compilation for an H100, in
`tox -e interpret`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from random_graphs import SHAPES, Shape, assert_valid, problem, uneven_sizes
from scipy.optimize import linear_sum_assignment
from tiny_graphs import random_cases
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.kernel_settings import MATCHINGS
from gomkcn_dgl.kernels import matching_reference
from gomkcn_dgl.matching import GOMKKernel

triton = pytest.importorskip(
    "triton", minversion="3.6", reason="there is no Triton: the [gpu] extra"
)

import triton.language as tl  # noqa: E402

from gomkcn_dgl.kernels import matching_triton  # noqa: E402
from gomkcn_dgl.kernels.matching_triton import match_fwd_kernel, match_optimally  # noqa: E402

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
LARGE_SHAPES = {
    "64 nodes": Shape(1, 1, 64, 64, 2),
    "not powers of 2": Shape(1, 2, 33, 20, 2),
    "wide": Shape(2, 2, 3, 4, matching_triton._FEATURES + 3),
    "no nodes": Shape(3, 2, 0, 5, 2),
}
# cases that take seconds in the interpreter
SLOW = pytest.mark.interpret
INTERPRETED = not isinstance(match_fwd_kernel, triton.JITFunction)
# a bfloat16 gradient is a float32 one that lost its last bits: the interpreter cuts them off
CUT_OFF = {"rtol": 2**-7, "atol": 1e-5}


@pytest.fixture
def device():
    if torch.cuda.is_available():
        return "cuda"
    if not INTERPRETED:
        pytest.skip("there is no GPU, and TRITON_INTERPRET=1 is not set")
    return "cpu"


def embedded(shape, device, dtype=torch.float32, seed=0):
    """Level embeddings x [S, L, N, D] and z [F, L, M, D], L = 3."""
    kernel = GOMKKernel(2, level_scale=1.5)
    inputs = problem(shape, torch.float32, seed)
    x, z = kernel.embed(*inputs[:2]), kernel.embed(*inputs[2:])
    return x.to(device, dtype), z.to(device, dtype)


def run(module, x, z, rows, matching="optimal", anchor_root=False):
    """Scores, matching and the gradients of x and z, on the CPU."""
    x, z = x.detach().requires_grad_(), z.detach().requires_grad_()
    rows = torch.tensor(rows, dtype=torch.int64, device=x.device)
    widths = [x.shape[3] * tau for tau in (1.0, 0.5, 2.0)]
    scores, matched = module.match(x, z, widths, rows, matching, anchor_root)
    upstream = torch.linspace(-1, 2, scores.numel(), device=x.device).reshape(scores.shape)
    (scores * upstream).sum().backward()
    return [tensor.cpu() for tensor in (scores.detach(), matched, x.grad, z.grad)]


CASES = random_cases(18, SHAPES, DTYPES, MATCHINGS, (False, True), (0, 1))


@pytest.mark.parametrize(
    ("shape", "dtype", "matching", "anchor_root", "masked"),
    [
        *CASES[:6],
        *(pytest.param(*case, marks=SLOW) for case in CASES[6:]),
        pytest.param("64 nodes", "float32", "optimal", False, False, marks=SLOW),
        ("64 nodes", "bfloat16", "greedy", True, True),
        pytest.param("not powers of 2", "float32", "optimal", False, False, marks=SLOW),
        pytest.param("wide", "float32", "greedy", False, False, marks=SLOW),
        ("no nodes", "float32", "optimal", False, False),
    ],
)
@pytest.mark.usefixtures("nan_filled_memory")
def test_values_and_gradients_equal_the_reference(
    device, shape, dtype, matching, anchor_root, masked
):
    shape = {**SHAPES, **LARGE_SHAPES}[shape]
    x, z = embedded(shape, device, DTYPES[dtype])
    rows = uneven_sizes(shape).tolist() if masked else [shape.N] * shape.S
    options = (matching, anchor_root)
    result = run(matching_triton, x, z, rows, *options)
    expected = run(matching_reference, x.cpu().float(), z.cpu().float(), rows, *options)
    assert [tensor.dtype for tensor in result] == [torch.float32, torch.int16, x.dtype, z.dtype]
    torch.testing.assert_close(result[0], expected[0], **VALUES[torch.float32])
    assert torch.equal(result[1].long(), expected[1])
    close = GRADIENTS[torch.float32] if x.dtype == torch.float32 else CUT_OFF
    for grad, expected_grad in zip(result[2:], expected[2:], strict=True):
        torch.testing.assert_close(grad.float(), expected_grad, **close)


# more filters than a program takes at once, of which several are alike
MANY_FILTERS = Shape(4, 9, 7, 11, 2)


@pytest.mark.parametrize(
    ("shape", "matching", "anchor_root"),
    [
        (MANY_FILTERS, "optimal", False),
        (MANY_FILTERS, "greedy", True),
        (Shape(3, 2, 1, 1, 2), "optimal", False),
        (Shape(3, 1, 5, 1, 2), "greedy", False),
        (Shape(0, 2, 4, 3, 2), "optimal", False),
        pytest.param(Shape(5, 40, 6, 6, 3), "optimal", True, marks=SLOW),
        pytest.param(Shape(2, 3, 33, 20, 2), "optimal", False, marks=SLOW),
    ],
)
@pytest.mark.usefixtures("nan_filled_memory")
def test_the_best_filter_is_that_of_the_reference(device, shape, matching, anchor_root):
    x, z = embedded(shape, device)
    # each filter twice: of the best two, the first is the answer
    z = torch.cat([z, z])
    widths = [shape.D * tau for tau in (1.0, 0.5, 2.0)]
    rows = uneven_sizes(shape)
    options = (widths, rows, matching, anchor_root)
    expected = matching_reference.match_best(x.cpu(), z.cpu(), *options)
    found = matching_triton.match_best(x, z, widths, rows.to(device), matching, anchor_root)
    assert [tensor.dtype for tensor in found] == [torch.int64, torch.float32, torch.int16]
    assert torch.equal(found.filters.cpu(), expected.filters)
    assert bool((expected.filters < shape.F).all())
    torch.testing.assert_close(found.scores.cpu(), expected.scores, **VALUES[torch.float32])
    assert torch.equal(found.matching.cpu().long(), expected.matching)


@pytest.mark.parametrize(
    ("aggregation", "size", "width"),
    [
        ("sum", 5, 1),
        ("mean", 6, 17),
        pytest.param("sym", 3, 2, marks=SLOW),
        pytest.param("mean", 1, 1, marks=SLOW),
    ],
)
@pytest.mark.usefixtures("nan_filled_memory")
def test_subgraphs_are_embedded_in_the_launch_that_matches_them(device, aggregation, size, width):
    rng = np.random.default_rng(0)
    kernel = GOMKKernel(2, aggregation=aggregation, level_scale=1.5, padding="mask")
    links = np.triu(rng.integers(0, 2, (4, size, size)), 1)
    nodes = rng.permutation(4 * size).reshape(4, size)
    nodes[1, size // 2 + 1 :] = -1
    links[(nodes < 0)[:, :, None] | (nodes < 0)[:, None, :]] = 0
    subgraphs = SubgraphTensors(
        torch.from_numpy(nodes).int(),
        torch.from_numpy((nodes >= 0).sum(axis=1)),
        torch.from_numpy(links + links.swapaxes(1, 2)).to(torch.uint8),
        torch.tensor([[False], [True]]),
    )
    feat = torch.from_numpy(rng.random((4 * size, width), np.float32))
    z = kernel.embed(*problem(Shape(0, 5, 1, 4, width), torch.float32)[2:])
    expected = kernel.match_best(subgraphs, feat, z, "reference")
    tensors = [one.to(device) for one in subgraphs[:4]]
    found = kernel.match_best(SubgraphTensors(*tensors), feat.to(device), z.to(device), "triton")
    assert torch.equal(found.filters.cpu(), expected.filters)
    torch.testing.assert_close(found.scores.cpu(), expected.scores, **VALUES[torch.float32])
    assert torch.equal(found.matching.cpu().long(), expected.matching)


def test_a_score_that_is_not_a_number_is_best_only_where_all_are(device):
    x, z = embedded(Shape(2, 3, 4, 4, 2), device)
    z[0] = torch.nan
    rows = torch.full((2,), 4, device=device)
    some, all_of_them = (
        matching_triton.match_best(x, filters, [2.0, 1.0, 4.0], rows, "greedy", False)
        for filters in (z, z[:1].repeat(20, 1, 1, 1))
    )
    expected = matching_reference.match_best(
        x.cpu(), z[1:].cpu(), [2.0, 1.0, 4.0], rows.cpu(), "greedy", False
    )
    assert torch.equal(some.filters.cpu(), expected.filters + 1)
    assert torch.equal(some.matching.cpu().long(), expected.matching)
    assert all_of_them.filters.tolist() == [0, 0]
    assert bool(all_of_them.scores.isnan().all())


@SLOW
@pytest.mark.parametrize("matching", MATCHINGS)
def test_every_run_gives_the_same_bits(device, matching):
    x, z = embedded(Shape(9, 3, 6, 5, 3), device)
    first, second = (run(matching_triton, x, z, [6] * 9, matching=matching) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize(
    ("matching", "value"),
    [("optimal", torch.nan), ("greedy", torch.nan), ("optimal", torch.inf)],
)
def test_a_feature_that_is_not_finite_leaves_a_valid_matching(device, matching, value):
    x, z = embedded(Shape(2, 2, 5, 4, 2), device)
    x[0, :, 2] = value
    rows = torch.full((2,), 5, device=device)
    widths = [2.0, 1.0, 4.0]
    scores, matched = matching_triton.match(x, z, widths, rows, matching, False)
    assert_valid(matched.cpu(), [5, 5], 4, anchor_root=False)
    expected = run(matching_triton, x[1:], z, [5], matching=matching)
    assert torch.equal(scores[1:].cpu(), expected[0])


# tables whose optimum is hard to find: ties, long paths, entries far apart
SIZE = 12
RANDOM = np.random.default_rng(0)
TABLES = {
    "equal": np.ones((SIZE, SIZE)),
    "zero": np.zeros((SIZE, SIZE)),
    "products": np.outer(np.arange(SIZE), np.arange(SIZE)) / SIZE,
    "few_values": RANDOM.integers(0, 3, (SIZE, SIZE)).astype(float),
    "one_column": np.eye(SIZE)[[0] * SIZE] + RANDOM.uniform(0, 1e-3, (SIZE, SIZE)),
    "far_apart": 10.0 ** RANDOM.uniform(-12, 0, (SIZE, SIZE)),
    "close": 3 + RANDOM.uniform(0, 1e-5, (SIZE, SIZE)),
    "tiny": RANDOM.uniform(0, 1e-20, (SIZE, SIZE)),
}


@triton.jit
def tables_kernel(
    table_ptr, owner_ptr, N: tl.constexpr, M: tl.constexpr, BLOCK: tl.constexpr, P: tl.constexpr
):  # fmt: skip
    n = tl.arange(0, BLOCK)[:, None, None]
    p = tl.arange(0, P)[:, None]
    m = tl.arange(0, BLOCK)[None, :]
    place = (p * M + m)[None, :, :] + n * P * M
    table = tl.load(table_ptr + place, mask=(n < N) & (m < M)[None, :, :], other=0.0)
    num_rows = tl.full([], N, tl.int32)
    owner = match_optimally(table, num_rows, tl.arange(0, P) >= 0, M, 0, BLOCK, P, BLOCK)
    tl.store(owner_ptr + p * BLOCK + m, owner)


@pytest.mark.parametrize(
    ("N", "M"), [(12, 7), pytest.param(12, 12, marks=SLOW), pytest.param(8, 12, marks=SLOW)]
)
def test_hard_tables_are_solved_within_the_stated_bound(device, N, M):
    tables = np.stack([table[:N, :M] for table in TABLES.values()]).astype(np.float32)  # [P, N, M]
    owner = torch.full((len(tables), 16), -1, dtype=torch.int32, device=device)
    source = torch.tensor(tables.transpose(1, 0, 2).copy(), device=device)  # [N, P, M]
    tables_kernel[(1,)](source, owner, N=N, M=M, BLOCK=16, P=len(tables), num_warps=1)
    for table, name, owners in zip(tables.astype(float), TABLES, owner.tolist(), strict=True):
        pairs = [(row - 1, column) for column, row in enumerate(owners[:M]) if row > 0]
        assert len({row for row, _ in pairs}) == len(pairs) == min(N, M), name
        best = table[linear_sum_assignment(table, maximize=True)].sum()
        bound = min(N, M) * (table.max() - table.min()) * 2.0**-21
        assert best - sum(table[pair] for pair in pairs) <= bound, name


@pytest.mark.parametrize(
    ("dtype", "num_nodes", "sentence"),
    [
        (torch.float64, 1, "backend 'triton' takes float32 and bfloat16"),
        (torch.float32, 65, "backend 'triton' takes graphs of at most 64 nodes"),
    ],
)
def test_what_a_gpu_kernel_cannot_take_is_refused(device, dtype, num_nodes, sentence):
    x = torch.ones(1, 1, num_nodes, 1, dtype=dtype, device=device)
    with pytest.raises(BackendError, match=sentence):
        matching_triton.match(x, x, [1.0], torch.tensor([1]), "optimal", False)


def test_a_machine_without_triton_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)
    monkeypatch.delitem(sys.modules, "gomkcn_dgl.kernels.matching_triton")
    sentence = (
        r"backend 'triton' needs Triton; install gomkcn-dgl\[gpu\], or use backend='reference'\.$"
    )
    with pytest.raises(BackendError, match=sentence):
        __import__("gomkcn_dgl.kernels.matching_triton")


@SLOW
def test_every_kernel_compiles_for_an_h100_without_spilling(tmp_path):
    script = Path(__file__).parents[2] / "helpers" / "compile_ahead.py"
    try:
        from triton.backends.nvidia import compiler  # noqa: F401
    except ImportError as error:
        pytest.skip(f"this Triton compiles for no NVIDIA GPU: {error}")
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path)}
    environment.pop("TRITON_INTERPRET", None)
    result = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    kernels = [json.loads(line) for line in result.stdout.splitlines()]
    assert {kernel["kernel"] for kernel in kernels} == {
        "match_fwd_kernel",
        "match_bwd_kernel",
        "match_best_kernel",
        "embed_and_match_best_kernel",
        "extract_kernel",
    }
    assert [kernel for kernel in kernels if kernel["spilled"]] == []
