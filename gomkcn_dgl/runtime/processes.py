"""The processes of one training, started by torchrun: rank, sums and values of all processes.

Without torchrun there is one process, and every function here returns what it was given. Torch is
imported where there are several.

Where there are several, a function that adds, gathers or broadcasts waits for all processes: each
of them must call it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from gomkcn_dgl.errors import GomkcnError, InputError
from gomkcn_dgl.messages import Argument

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")
# Seconds before the process group is destroyed. The threads of gloo need Python's interpreter lock
# to release the last tensors, and torch 2.4 waits for these threads while it holds the lock. How
# long they need is not known: a longer wait is safer, and this one is not noticed at the end of a
# training.
_GLOO_RELEASE = 0.05


class LostProcessError(GomkcnError):
    """Another process of this run was killed, cannot be reached, or cannot do its part."""

    # of the command: not 2, since the input is no fault of it
    exit_code = 1


@contextlib.contextmanager
def join_processes() -> Iterator[None]:
    """Join the other processes of a run, if torchrun has started any, until the block ends."""
    if os.environ.get("WORLD_SIZE", "1") == "1":
        yield
        return
    for name in ("RANK", "MASTER_ADDR", "MASTER_PORT"):
        if name not in os.environ:
            raise InputError(
                f"WORLD_SIZE is set in the environment but {name} is not; "
                "start with torchrun, or unset WORLD_SIZE."
            )
    import torch
    import torch.distributed as dist
    from torch.distributed import PrefixStore  # type: ignore[attr-defined]
    from torch.distributed.rendezvous import rendezvous

    # the caller has joined them, and leaves them
    if dist.is_initialized():
        yield
        return
    if torch.cuda.is_available():
        # the processes of a machine take its GPUs in turn
        gpu = int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count()
        torch.cuda.set_device(gpu)
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    try:
        store, number, num_processes = next(rendezvous("env://"))
        if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
            # the store of torchrun outlives a restart and then holds the addresses of killed
            # processes, so that each start has names of its own there
            store = PrefixStore(os.environ["TORCHELASTIC_RESTART_COUNT"], store)
        dist.init_process_group(backend, store=store, rank=number, world_size=num_processes)
        yield
    except RuntimeError as error:
        # gloo has no class of its own for its errors
        if isinstance(error, dist.DistError) or "gloo" in str(error).lower():
            raise LostProcessError(
                "another process of this run has ended or cannot be reached",
                way_out=(
                    "go on with ",
                    Argument("resume", True),
                    ", or let torchrun restart what has ended",
                ),
            ) from error
        raise
    finally:
        if dist.is_initialized():
            time.sleep(_GLOO_RELEASE)
            dist.destroy_process_group()


def _group() -> Any:
    """``torch.distributed`` where it connects this process with others, else None."""
    # a process that has not imported it is not connected, and need not wait for the import
    dist = sys.modules.get("torch.distributed")
    is_connected = dist is not None and dist.is_available() and dist.is_initialized()
    return dist if is_connected else None


def world_size() -> int:
    """Number of processes of this run."""
    group = _group()
    return 1 if group is None else int(group.get_world_size())


def rank() -> int:
    """Number of this process, from 0."""
    group = _group()
    return 0 if group is None else int(group.get_rank())


def is_first() -> bool:
    """Whether this is the process that writes and prints."""
    return rank() == 0


def was_restarted() -> bool:
    """Whether torchrun restarted the processes; all must ask."""
    # only the machine where a process was lost counts it, so that one that knows is enough
    restarts = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
    return any(gather_objects(restarts > 0))


def all_reduce_sum(tensor: Tensor) -> Tensor:
    """Return the sum of a tensor over all processes, computed in place."""
    if world_size() > 1:
        _group().all_reduce(tensor)
    return tensor


def gather_objects(value: T) -> list[T]:
    """Return the plain values of all processes, in the order of their ranks."""
    if world_size() == 1:
        return [value]
    values: list[T | None] = [None] * world_size()
    _group().all_gather_object(values, value)
    return values  # type: ignore[return-value]


def broadcast_object(value: T) -> T:
    """Return the first process's plain value to all processes."""
    if world_size() == 1:
        return value
    values = [value]
    _group().broadcast_object_list(values)
    return values[0]
