"""The limits of this machine, measured in the run that is compared with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from measure import time_interleaved, use_threads

# side of the matrices, and bytes of the array to copy: past every cache
_SIDE = {"cpu": 2048, "cuda": 8192}
_COPIED = {"cpu": 2**28, "cuda": 2**32}
_REPEATS = 7


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
