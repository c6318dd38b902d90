"""Time calls against each other: interleaved repeats on pinned CPUs, median and range.

Beside them stand the limits of the machine, measured in the same run.
"""

from __future__ import annotations

import gc
import math
import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numba
import torch
from threadpoolctl import threadpool_limits

Call = Callable[[], Any]

# a sample of a short call holds as many calls as fill this many seconds
LEAST_SAMPLE = 0.02
# a call that takes LONG_CALL seconds is repeated LONG_REPEATS times at most
LONG_CALL = 1.0
LONG_REPEATS = 5
# a call that takes less runs once, untimed, before each sample: a slow one before it left the
# caches, and on a virtual machine the memory, cold
SHORT_CALL = 0.5
# side of the matrices, and bytes of the array to copy: past every cache
_SIDE = {"cpu": 2048, "cuda": 8192}
_COPIED = {"cpu": 2**28, "cuda": 2**32}
_REPEATS = 7
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))
_SIZE_OF_UNIT = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


@dataclass(frozen=True)
class Timing:
    """Seconds of one call, once a repeat."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def __truediv__(self, count: float) -> Timing:
        """The time of one out of ``count`` things done by the call."""
        return self * (1 / count)

    def __mul__(self, factor: float) -> Timing:
        return Timing(tuple(second * factor for second in self.seconds))

    def __format__(self, spec: str) -> str:
        """``12.3 ms (12.0–12.9)``: the median and the range."""
        unit = next(name for least, name in _UNITS if self.median >= least)
        size = _SIZE_OF_UNIT[unit]
        low, middle, high = (
            _three_digits(value / size)
            for value in (min(self.seconds), self.median, max(self.seconds))
        )
        return f"{middle} {unit} ({low}–{high})"


def _three_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:#.3g}"


def pin(count: int) -> int:
    """Keep this process and its threads on so many CPUs, or as many as it may use; how many."""
    if hasattr(os, "sched_setaffinity"):
        cpus = sorted(os.sched_getaffinity(0))[:count]
        os.sched_setaffinity(0, cpus)
        count = len(cpus)
    use_threads(count)
    return count


def use_threads(count: int) -> None:
    """Let torch, Numba and the linear algebra of NumPy use ``count`` threads."""
    threadpool_limits(count)
    # first, since it starts Numba's threads and tells OpenMP, PyTorch's too, how many they are
    numba.set_num_threads(count)
    torch.set_num_threads(count)


def time_interleaved(
    calls: Mapping[str, Call],
    repeats: int,
    *,
    prepare: Callable[[str], Any] = lambda name: None,
    wait: Call = lambda: None,
) -> dict[str, Timing]:
    """Time all calls in turn, ``repeats`` times over, so that a slow minute affects all of them.

    ``prepare`` gets the name before each sample and is not timed; ``wait`` ends each sample (a GPU
    goes on after the call came back) and is.
    """
    # what is there already (a peer's graph of a million objects) is never looked through again
    gc.collect()
    gc.freeze()
    try:
        sizes: dict[str, int] = {}
        longest: dict[str, float] = {}
        for name, call in calls.items():
            prepare(name)
            sizes[name], longest[name] = _warm_up(call, wait)
        seconds: dict[str, list[float]] = {name: [] for name in calls}
        for repeat in range(repeats):
            for name, call in calls.items():
                if repeat < LONG_REPEATS or longest[name] < LONG_CALL:
                    prepare(name)
                    if longest[name] < SHORT_CALL:
                        call()
                    seconds[name].append(_sample(call, sizes[name], wait))
    finally:
        gc.unfreeze()
    return {name: Timing(tuple(samples)) for name, samples in seconds.items()}


def _warm_up(call: Call, wait: Call) -> tuple[int, float]:
    """Run a call once, which compiles it; return how many fill a sample, and the seconds of one."""
    _sample(call, 1, wait)
    seconds = _sample(call, 1, wait)
    return max(1, math.ceil(LEAST_SAMPLE / seconds)), seconds


def _sample(call: Call, size: int, wait: Call) -> float:
    """Seconds a call, averaged over ``size`` of them, without garbage collection in between."""
    gc.collect()
    gc.disable()
    try:
        wait()
        start = time.perf_counter()
        for _ in range(size):
            call()
        wait()
        return (time.perf_counter() - start) / size
    finally:
        gc.enable()


@dataclass(frozen=True)
class Limits:
    """What the machine can do at most with ``threads`` threads; the fastest repeat of each."""

    device: str
    threads: int
    dtype: str
    product: float  # operations a second of a matrix product, by the faster library
    copy: float  # bytes a second of a copy, those read and those written

    def __str__(self) -> str:
        where = f"{self.threads} thread{'s' * (self.threads > 1)}"
        return (
            f"{self.product / 1e9:,.0f} GFLOP/s ({self.dtype} matrix product) and "
            f"{self.copy / 1e9:,.1f} GB/s (copy) "
            + (f"with {where}" if self.device == "cpu" else f"on {self.device}")
        )


def measure_limits(
    threads: int, device: str = "cpu", dtype: torch.dtype = torch.float32, quick: bool = False
) -> Limits:
    use_threads(threads)
    side, size = (256, 2**22) if quick else (_SIDE[device], _COPIED[device])
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    source = torch.zeros(size // 4, device=device)
    target = torch.empty_like(source)
    calls = {**_products(side, device, dtype), "copy": lambda: target.copy_(source)}
    timings = time_interleaved(calls, 1 if quick else _REPEATS, wait=wait)
    best = {name: min(timing.seconds) for name, timing in timings.items()}
    copy = best.pop("copy")
    name = torch.cuda.get_device_name() if device == "cuda" else device
    return Limits(
        name, threads, str(dtype).split(".")[-1], 2 * side**3 / min(best.values()), 2 * size / copy
    )


def _products(side: int, device: str, dtype: torch.dtype) -> dict[str, Callable[[], object]]:
    """Matrix products; on a CPU also oneDNN's, which uses AVX-512 where the default does not."""
    left, right = (torch.rand(side, side, device=device).to(dtype) for _ in range(2))
    out = torch.empty_like(left)
    calls: dict[str, Callable[[], object]] = {"mm": lambda: torch.mm(left, right, out=out)}
    if device == "cpu" and torch.backends.mkldnn.is_available():
        blocked = left.to_mkldnn(), right.to_mkldnn()
        calls["oneDNN"] = lambda: torch.nn.functional.linear(*blocked)
    return calls
