"""What the CPU kernel does beyond the definition: subgraphs as bits, integers, operators."""

import numpy as np
import pytest
import torch
from random_graphs import Shape, problem, subgraphs_of
from scipy.optimize import linear_sum_assignment
from table_assignment import assign
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.kernels.vectors_numba import exp2, lanes_of, load, store
from gomkcn_dgl.matching import GOMKKernel, gomk
from gomkcn_dgl.runtime.compiled import compiled

FLOAT64 = torch.float64


def scores_and_gradients(kernel, subgraphs, feat, z, backend):
    feat, z = (tensor.clone().requires_grad_() for tensor in (feat, z))
    scores, matching = kernel.match_subgraphs(subgraphs, feat, z, backend)
    (scores * torch.linspace(-1, 2, scores.numel()).reshape(scores.shape)).sum().backward()
    return scores.detach(), matching, feat.grad, z.grad


@pytest.mark.parametrize(
    ("max_nodes", "aggregation", "weight", "padding"),
    [
        (1, "sym", "weight", "mask"),
        (7, "sum", None, "match"),
        (7, "mean", "weight", "mask"),
        (7, "sym", None, "mask"),
        (70, "sum", "weight", "match"),
        (70, "mean", None, "mask"),
    ],
)
def test_subgraphs_of_one_graph_share_the_features(max_nodes, aggregation, weight, padding):
    torch.manual_seed(0)
    subgraphs = subgraphs_of(90, max_nodes, weight)
    kernel = GOMKKernel(2, aggregation=aggregation, level_scale=3.0, padding=padding)
    feat = torch.rand(90, 3, dtype=FLOAT64)
    z = torch.rand(2, 3, 5, 3, dtype=FLOAT64)
    result = scores_and_gradients(kernel, subgraphs, feat, z, "numba")
    expected = scores_and_gradients(kernel, subgraphs, feat, z, "reference")
    torch.testing.assert_close(result[0], expected[0], **VALUES[FLOAT64])
    for grad, expected_grad in zip(result[2:], expected[2:], strict=True):
        torch.testing.assert_close(grad, expected_grad, **GRADIENTS[FLOAT64])
    if padding == "mask":
        # otherwise padded nodes are alike and may swap places
        assert torch.equal(result[1], expected[1])


def test_many_filters_go_in_several_chunks():
    kernel = GOMKKernel(1)
    inputs = problem(Shape(3, 150, 20, 20, 2), torch.float32)
    result = gomk(*inputs, kernel=GOMKKernel(num_levels=1), backend="numba")
    one_by_one = [
        gomk(
            *inputs[:2], inputs[2][f : f + 1], inputs[3][f : f + 1], kernel=GOMKKernel(num_levels=1)
        )
        for f in range(150)
    ]
    torch.testing.assert_close(result, torch.cat(one_by_one, dim=1), **VALUES[torch.float32])
    assert kernel.largest_score(20) >= result.max()


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


@pytest.mark.parametrize(
    ("N", "M", "dtype", "kind"),
    [
        (0, 3, np.float64, "uniform"),
        (3, 0, np.float64, "uniform"),
        (1, 9, np.float64, "ties"),
        (5, 5, np.float32, "ties"),
        (3, 7, np.float32, "negative"),
        (7, 3, np.float64, "ties"),
        (16, 16, np.float64, "negative"),
        (33, 20, np.float32, "ties"),
        (64, 64, np.float32, "uniform"),
    ],
)
def test_assignments_are_as_good_as_those_of_scipy(N, M, dtype, kind):
    tables = np.random.default_rng(N * 100 + M).random((40, N, M))
    if kind == "ties":
        tables = np.round(3 * tables)
    elif kind == "negative":
        tables -= 0.7
    tables = tables.astype(dtype)
    for table, chosen in zip(tables, assign(tables), strict=True):
        rows = np.flatnonzero(chosen >= 0)
        assert len(rows) == len(set(chosen[rows])) == min(N, M)
        best = table[linear_sum_assignment(table, maximize=True)].sum(dtype=np.float64)
        assert table[rows, chosen[rows]].sum(dtype=np.float64) == pytest.approx(best, abs=1e-9)


def test_a_nan_decides_nothing_and_ends():
    table = np.array([[[np.nan, 0.2], [0.1, np.nan]]])
    assert assign(table).tolist() == [[1, 0]]
    inputs = problem(Shape(2, 2, 4, 4, 1), torch.float32)
    inputs.feat[0, 1] = torch.nan
    scores, matched = gomk(*inputs, kernel=GOMKKernel(num_levels=0), return_matching=True)
    assert scores[0].isnan().all()
    assert scores[1].isfinite().all()
    assert all(sorted(row) == [0, 1, 2, 3] for row in matched.flatten(0, 1).tolist())


def test_rows_that_are_not_there_are_refused():
    kernel, subgraphs = GOMKKernel(1), subgraphs_of(12, 5)
    z = torch.rand(1, 2, 4, 2)
    with pytest.raises(InputError, match=r"feat must have a row for each node .* got 11 rows\.$"):
        kernel.match_subgraphs(subgraphs, torch.rand(11, 2), z, "numba")
    with pytest.raises(InputError, match=r"num_nodes must be \[12\] numbers from 0 to 5\.$"):
        GOMKKernel(1, padding="mask").match_subgraphs(
            subgraphs._replace(num_nodes=subgraphs.num_nodes + 5), torch.rand(12, 2), z, "numba"
        )
