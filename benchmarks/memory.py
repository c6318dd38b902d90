"""Peak extra memory of a forward and backward pass, beside plain PyTorch.

    python benchmarks/memory.py

Each way to compute has a process of its own: a tiny call first, so that imports and compilation are
done; then the inputs; then the call, and what its peak adds to what was there before.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path
from unittest import mock

from inputs import MatchingInputs, MatchingShape, draw_matching
from matching import CPU_SHAPES, QUICK_SHAPE
from measure import peak_memory, use_threads
from peers import matching as matrix_products
from record import Bench, bench_command
from torch import Tensor

from gomkcn_dgl.runtime import compiled

REPEATS = 3
MIB = 2**20
PEER = "peer"


@dataclass(frozen=True)
class Task:
    """One way to compute scores and gradients, for a process of its own."""

    shape: MatchingShape
    backend: str
    matching: str
    repeats: int
    threads: int

    @property
    def name(self) -> str:
        is_peer = self.backend == PEER
        return matrix_products.NAME if is_peer else f"{self.backend}, {self.matching}"

    def compute(self, inputs: MatchingInputs) -> tuple[Tensor, ...]:
        if self.backend == PEER:
            return matrix_products.forward_backward(inputs)
        return inputs.forward_backward(self.backend, self.matching)


def child(task: Task) -> None:
    """Print the bytes that each call adds at its peak, and those of its inputs and outputs."""
    use_threads(task.threads)
    # the loop over threads, too, is compiled before anything is measured
    with mock.patch.object(compiled, "_LEAST_NANOSECONDS", 1):
        task.compute(draw_matching(QUICK_SHAPE))
    inputs = draw_matching(task.shape)
    extra = []
    for _ in range(task.repeats):
        gc.collect()
        # freed memory goes back, or the call could use it and seem to need none
        ctypes.CDLL(None).malloc_trim(0)
        # ru_maxrss cannot be used: a child inherits that of its parent, and it is never reset
        Path("/proc/self/clear_refs").write_text("5")
        before = peak_memory()
        outputs = task.compute(inputs)
        extra.append(peak_memory() - before)
        size = sum(tensor.nbytes for tensor in outputs)
        del outputs
    tensors = (inputs.adj, inputs.feat, inputs.filter_adj, inputs.filter_feat, inputs.num_nodes)
    print(json.dumps([extra, sum(tensor.nbytes for tensor in tensors), size]))


def run_child(task: Task) -> list:
    answer = subprocess.run(
        [sys.executable, __file__, "--child", json.dumps(astuple(task))],
        capture_output=True,
        text=True,
    )
    if answer.returncode:
        raise RuntimeError(f"the process for {task} failed:\n{answer.stderr}")
    return json.loads(answer.stdout)


def all_answers(bench: Bench) -> Iterator[tuple[Task, list]]:
    """Every task with the answer of its process; as many run at a time as there are CPUs."""
    tasks = [
        Task(shape, backend, matching, bench.repeats, bench.threads)
        for shape in ((QUICK_SHAPE,) if bench.quick else CPU_SHAPES)
        for backend, matching in (
            ("reference", "greedy"),
            (PEER, "greedy"),
            ("numba", "greedy"),
            ("numba", "optimal"),
        )
    ]
    with ThreadPoolExecutor(bench.threads) as pool:
        yield from zip(tasks, pool.map(run_child, tasks), strict=True)


@bench_command("memory", REPEATS, "calls in a process of their own, the largest counts")
def main(bench: Bench) -> None:
    """Measure the memory that scores and gradients take, beside plain PyTorch."""
    if not os.access("/proc/self/clear_refs", os.W_OK):
        bench.note("Nothing is measured: the peak can be reset through Linux's /proc alone.")
        return
    table = bench.table(
        "Peak extra memory of forward and backward, MiB",
        {
            "(S, F, N = M, D, L)": "",
            "who": "",
            "extra": ",.1f",
            "range": "",
            "reference / it": ".1f",
            "inputs": ",.1f",
            "outputs": ",.1f",
        },
    )
    reference = 0.0
    for task, (extra, inputs, outputs) in all_answers(bench):
        largest = max(extra)
        if task.backend == "reference":
            reference = largest
        table.add(
            str(task.shape),
            task.name,
            largest / MIB,
            f"{min(extra) / MIB:,.1f}–{largest / MIB:,.1f}",
            reference / largest if largest else None,
            inputs / MIB,
            outputs / MIB,
        )
    bench.note("Inputs were there before and are not counted; outputs, scores and gradients, are.")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        sizes, *rest = json.loads(sys.argv[2])
        child(Task(MatchingShape(*sizes), *rest))
    else:
        main()
