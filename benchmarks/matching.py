"""Forward and backward of the kernel beside plain PyTorch, on a CPU (Numba) or a GPU (Triton)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import torch
from inputs import MatchingInputs, MatchingShape, draw_matching
from measure import Limits, measure_limits, time_interleaved, use_threads
from peers import matching as matrix_products
from record import Bench, ResultTable

CPU_SHAPES = (
    MatchingShape(5000, 16, 10, 16, 3),
    MatchingShape(2708, 7, 16, 32, 3),
    MatchingShape(1000, 7, 32, 32, 3),
    MatchingShape(2000, 8, 6, 3, 4),
)
GPU_SHAPE = MatchingShape(20_000, 16, 16, 32, 4)
QUICK_SHAPE = MatchingShape(40, 3, 6, 3, 3)
# operations of an exponential and of adding it to the table, in the count of operations
EXPONENTIAL = 20
REFERENCE = "reference, greedy"
DIRECTED = "numba, greedy, edges with direction"


def operations(shape: MatchingShape) -> int:
    """Of the similarities alone: a subtraction, a product and a sum a feature, an exponential."""
    table = shape.S * shape.F * shape.N**2 * shape.L
    return table * (3 * shape.D + EXPONENTIAL)


def results_table(bench: Bench) -> ResultTable:
    return bench.table(
        "Forward and backward, gradients to features and filters",
        {
            "(S, F, N = M, D, L)": "",
            "dtype": "",
            "padding": ".0%",
            "who": "",
            "time": "",
            "reference / it": ",.1f",
            "it / our greedy": ",.2f",
            "GFLOP/s": ",.1f",
            "share of the limit": ".1%",
        },
    )


def compare(
    bench: Bench,
    table: ResultTable,
    inputs: MatchingInputs,
    shape: MatchingShape,
    limits: Limits,
    others: dict[str, Callable[[], Any]],
    backend: str,
) -> None:
    """Add a row for each way to compute the same scores and gradients."""
    ours = {
        f"{backend}, {matching}": lambda matching=matching: inputs.forward_backward(
            backend, matching
        )
        for matching in ("greedy", "optimal")
    }
    wait = torch.cuda.synchronize if bench.device != "cpu" else lambda: None
    timings = time_interleaved(others | ours, bench.repeats, wait=wait)
    greedy = timings[f"{backend}, greedy"].median
    for who, timing in timings.items():
        rate = operations(shape) / timing.median
        table.add(
            str(shape),
            limits.dtype,
            inputs.padding(),
            who,
            timing,
            timings[REFERENCE].median / timing.median,
            timing.median / greedy,
            rate / 1e9,
            rate / limits.product,
        )


def on_cpu(bench: Bench) -> None:
    """Score subgraphs against filters and differentiate, on a CPU."""
    limits = bench.add_limits(measure_limits(bench.threads, quick=bench.quick))
    table = results_table(bench)
    furthest = 0.0
    for shape in (QUICK_SHAPE,) if bench.quick else CPU_SHAPES:
        inputs = draw_matching(shape)
        others = {
            REFERENCE: lambda inputs=inputs: inputs.forward_backward("reference", "greedy"),
            matrix_products.NAME: lambda inputs=inputs: matrix_products.forward_backward(inputs),
            DIRECTED: inputs.directed(),
        }
        compare(bench, table, inputs, shape, limits, others, "numba")
        furthest = max(furthest, largest_difference(inputs, "numba"))
    bench.note(
        "Largest relative difference of a greedy score from the reference's in double precision: "
        f"{furthest:.1e}."
    )
    note_operations(bench)
    on_one_thread(bench)


def on_one_thread(bench: Bench) -> None:
    """Add a table of ours beside matrix products where both have one thread."""
    use_threads(1)
    table = bench.table(
        "On one thread",
        {
            "(S, F, N = M, D, L)": "",
            matrix_products.NAME: "",
            "numba, greedy": "",
            "numba, optimal": "",
            "matrix products / our greedy": ".1f",
        },
    )
    for shape in (QUICK_SHAPE,) if bench.quick else CPU_SHAPES:
        inputs = draw_matching(shape)
        calls = {
            "products": lambda inputs=inputs: matrix_products.forward_backward(inputs),
            "greedy": lambda inputs=inputs: inputs.forward_backward("numba", "greedy"),
            "optimal": lambda inputs=inputs: inputs.forward_backward("numba", "optimal"),
        }
        timings = time_interleaved(calls, bench.repeats)
        ratio = timings["products"].median / timings["greedy"].median
        table.add(str(shape), *timings.values(), ratio)


def largest_difference(inputs: MatchingInputs, backend: str) -> float:
    """Relative difference of a greedy score from the reference's in double precision.

    In single precision the reference decides about one near tie in 100,000 pairs otherwise.
    """
    ours = inputs.forward_backward(backend, "greedy")[0].detach().double()
    reference = inputs.double().forward_backward("reference", "greedy")[0].detach()
    return float(((ours - reference).abs() / reference).max())


def on_gpu(bench: Bench) -> None:
    """The same on a GPU."""
    if not torch.cuda.is_available():
        raise click.UsageError("matching_cuda needs a CUDA GPU that torch can use; there is none.")
    bench.device = torch.cuda.get_device_name()
    table = results_table(bench)
    shape = QUICK_SHAPE if bench.quick else GPU_SHAPE
    for dtype in (torch.float32, torch.bfloat16):
        limits = bench.add_limits(measure_limits(bench.threads, "cuda", dtype, bench.quick))
        inputs = draw_matching(shape, "cuda", dtype)
        parts = parts_that_fit(inputs, shape)
        others = {
            REFERENCE: lambda parts=parts: in_parts(parts),
            matrix_products.NAME: lambda inputs=inputs: matrix_products.forward_backward(inputs),
        }
        compare(bench, table, inputs, shape, limits, others, "triton")
        bench.note(f"{limits.dtype}: the reference ran in {len(parts)} parts, for want of memory.")
    note_operations(bench)


def parts_that_fit(inputs: MatchingInputs, shape: MatchingShape) -> list[MatchingInputs]:
    """Subgraphs in as many parts as the reference needs to stay in half of the free memory."""
    # autograd keeps about two tables of differences, float32 [S, F, N, M, D], a level
    size = 2 * 4 * shape.S * shape.F * shape.N**2 * shape.L * shape.D
    free, _ = torch.cuda.mem_get_info()
    rows = max(1, min(shape.S, int(shape.S * free / 2 / size)))
    return [inputs.part(slice(start, start + rows)) for start in range(0, shape.S, rows)]


def in_parts(parts: list[MatchingInputs]) -> None:
    for part in parts:
        part.forward_backward("reference", "greedy")


def note_operations(bench: Bench) -> None:
    bench.note(
        f"Operations are counted as S F N M L (3 D + {EXPONENTIAL}): the similarities of the "
        "forward pass alone, an exponential as "
        f"{EXPONENTIAL}; the matching and the backward pass come on top, in time but not in the "
        "count. `tau` 1, `level_scale` 3."
    )
