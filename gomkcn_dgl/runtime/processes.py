"""The processes of one run, started by torchrun: who am I, which share is mine, sums over all.

Without torchrun there is one process, and everything here returns what it was given.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, NoReturn, TypeVar

import numba
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import PrefixStore  # type: ignore[attr-defined]
from torch.distributed.rendezvous import rendezvous

from gomkcn_dgl.errors import GomkcnError, InputError

T = TypeVar("T")

_ended: list[Any] = []
_has_joined = False
# where all processes count, and how many counts there were
_store: Any = None
_num_counts = 0
_alone: ContextVar[bool] = ContextVar("alone", default=False)

_NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


class LostProcessError(GomkcnError):
    """Another process of this run was killed, or its machine cannot be reached."""

    exit_code = 1

    def __init__(self) -> None:
        super().__init__(
            "another process of this run has ended or cannot be reached; go on with --resume, or "
            "let torchrun do so with --max-restarts 3."
        )


@contextlib.contextmanager
def join_processes() -> Iterator[None]:
    """Join the other processes of a run for as long as the block lasts.

    Does so where the environment says that there are any (``WORLD_SIZE``, set by torchrun), with
    gloo for tensors on the CPU and nccl for those on a GPU.

    Raises
    ------
    InputError
        If the environment is incomplete.
    LostProcessError
        If another process ends while the block needs it.

    Examples
    --------
    >>> with join_processes():
    ...     rank(), world_size(), is_first(), share_of(10)
    (0, 1, True, slice(0, 10, None))
    """
    if "WORLD_SIZE" not in os.environ or dist.is_initialized():
        yield
        return
    missing = [name for name in _NEEDED if name not in os.environ]
    if missing:
        raise InputError(
            f"WORLD_SIZE is set in the environment but {missing[0]} is not; "
            "start with torchrun, or unset WORLD_SIZE."
        )
    global _has_joined, _store, _num_counts
    _share_cores()
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    try:
        store, own_rank, size = _meet()
        dist.init_process_group(backend, store=store, rank=own_rank, world_size=size)
        _has_joined, _store, _num_counts = True, store, 0
        yield
    except RuntimeError as error:
        # gloo has no class of its own for its errors
        if isinstance(error, dist.DistError) or "gloo" in str(error).lower():
            raise LostProcessError from error
        raise
    finally:
        _store = None
        if dist.is_initialized():
            # kept until this process ends: freed by Python, a group of torch 2.4 waits for its
            # thread, and that for Python
            _ended.append(dist.group.WORLD)
            dist.destroy_process_group()


def _meet() -> tuple[Any, int, int]:
    """Return a store that all living processes share and no other, my rank, and how many we are.

    torchrun keeps one store when it starts processes anew, in which they would find the addresses
    of those that were killed (pytorch issue 135712). So the first process gives this start a name,
    and tells it to each process that says that it is there.
    """
    store, own_rank, size = next(rendezvous("env://"))
    token = secrets.token_hex(8)
    if own_rank > 0:
        store.set(f"here/{own_rank}", token)
        # waits until it is there
        token = store.get(f"start/{token}").decode()
        store.set(f"{token}/knows/{own_rank}", "")
    absent = set(range(1, size)) if own_rank == 0 else set()
    deadline = time.monotonic() + store.timeout.total_seconds()
    while absent:
        for other in sorted(absent):
            if store.check([f"{token}/knows/{other}"]):
                absent.remove(other)
            elif store.check([f"here/{other}"]):
                # perhaps the word of one that was killed: asked again in the next turn
                store.set(f"start/{store.get(f'here/{other}').decode()}", token)
        if time.monotonic() > deadline:
            raise LostProcessError
        time.sleep(0.01)
    return PrefixStore(token, store), own_rank, size


def _share_cores() -> None:
    """Give compiled code this process's part of the machine; torchrun does so for torch."""
    if "NUMBA_NUM_THREADS" not in os.environ:
        beside = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
        numba.set_num_threads(max(1, numba.get_num_threads() // beside))


def leave(code: int) -> NoReturn:
    """End this process at once, after what it has to print.

    For the end of a program that joined others: gloo's threads may still free tensors of Python's
    when Python has begun to end, and then the system ends the process with SIGABRT.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def has_joined() -> bool:
    """Whether this process has ever joined others."""
    return _has_joined


@contextlib.contextmanager
def single_process() -> Iterator[None]:
    """Let this process work by itself for as long as the block lasts."""
    before = _alone.set(True)
    try:
        yield
    finally:
        _alone.reset(before)


def world_size() -> int:
    """Processes of this run."""
    return dist.get_world_size() if dist.is_initialized() and not _alone.get() else 1


def rank() -> int:
    """Number of this process, from 0."""
    return dist.get_rank() if dist.is_initialized() and not _alone.get() else 0


def is_first() -> bool:
    """Whether this is the process that writes and prints."""
    return rank() == 0


def was_restarted() -> bool:
    """Whether torchrun started the processes anew because one of them had died.

    Every process must ask at the same point: only the machine on which it died counts the restart.
    """
    return any(gather_objects(int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")) > 0))


def share_of(count: int) -> slice:
    """Return this process's part of so many things: parts follow each other, sizes differ by 1.

    Examples
    --------
    >>> list(range(5))[share_of(5)]
    [0, 1, 2, 3, 4]
    """
    return slice(count * rank() // world_size(), count * (rank() + 1) // world_size())


def turns(count: int) -> Iterator[int]:
    """Yield the numbers below ``count``, each to one process: the next one to whoever asks first.

    All processes must begin at the same point; each may end before it has no more turns.

    Examples
    --------
    >>> list(turns(3))
    [0, 1, 2]
    """
    if world_size() == 1:
        yield from range(count)
        return
    if _store is None:
        # somebody else joined the processes
        yield from range(rank(), count, world_size())
        return
    global _num_counts
    _num_counts += 1
    key = f"turns/{_num_counts}"
    while (turn := _store.add(key, 1) - 1) < count:
        yield turn


def all_reduce_sum(tensor: Tensor) -> Tensor:
    """Return the sum of a tensor over all processes; the tensor itself becomes the sum."""
    if world_size() > 1:
        dist.all_reduce(tensor)
    return tensor


def gather_objects(value: T) -> list[T]:
    """Return the plain values of all processes, in the order of their ranks."""
    if world_size() == 1:
        return [value]
    values: list[T | None] = [None] * world_size()
    dist.all_gather_object(values, value)
    return values  # type: ignore[return-value]


def broadcast_object(value: T) -> T:
    """Return the first process's plain value, whatever the others give."""
    if world_size() == 1:
        return value
    values = [value]
    dist.broadcast_object_list(values)
    return values[0]


def barrier() -> None:
    """Wait for all processes."""
    if world_size() > 1:
        dist.barrier()
