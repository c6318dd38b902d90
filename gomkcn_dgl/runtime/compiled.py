"""Functions compiled by Numba: their settings and names, what compiling says, blocks and threads.

Numba's cache compares the content of a function's file, but not those of the functions that it
calls, so that it would run old code after one of these has changed, by an upgrade as well. The name
under which a function is cached therefore ends with a hash of all files that it may call functions
of: those of its own folder and of ``gomkcn_dgl/kernels``.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import logging
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import _dynfunc
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from gomkcn_dgl.runtime.job import note_on_bar
from gomkcn_dgl.runtime.machine_code import Cache

log = logging.getLogger("gomkcn_dgl")

_njit: Any = numba.njit
_config: Any = numba.config
_SETTINGS: dict[str, Any] = {
    "nogil": True,
    # they are called from Python and by each other, never from C
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
    # without "nnan" and "ninf", so that NaN and infinity keep their meaning
    "fastmath": {"nsz", "arcp", "contract", "afn", "reassoc"},
}
# passes of Numba's compiler that look for what no function here has, and take a twentieth of the
# time: comprehensions and functions within it, functions that Numba includes by itself, and
# expressions of several operations on whole arrays, which it joins into one loop
_PASSES_LEFT_OUT = {"InlineClosureLikes", "InlineOverloads", "NopythonRewrites"}
_KERNELS = Path(__file__).parents[1] / "kernels"
# what a thread must have to do before it is worth waking
_LEAST_NANOSECONDS = 500_000
# a user wonders where these have gone
_LONG_SECONDS = 2.0
# blocks beside each other often cost alike (a graph's hubs come first), so that there are so many
# pieces for each thread, and each thread takes the next one when it is done with the last
_PIECES_PER_THREAD = 16
# whether a thread is one of those that share blocks of work
_of_thread = threading.local()


def compiled(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function at its first call, with further settings of Numba, and cache its code."""

    def decorate(function: Callable[..., Any]) -> Any:
        options = {**_SETTINGS, "pipeline_class": _Compiler, **settings}
        dispatcher = _njit(**options)(function)
        if not _config.DISABLE_JIT:
            sources = _hash_sources(Path(function.__code__.co_filename).parent)
            function.__qualname__ += f"_{sources}"
            dispatcher._cache = Cache(function)
        return dispatcher

    return decorate


class _Compiling(event.Listener):
    """What this process compiles: no garbage is collected, and a user is told where it takes long.

    Compiling makes so many objects that all those of the program would be walked again and again,
    for a third of the time.
    """

    def __init__(self) -> None:
        self._depth, self._was_enabled = 0, False
        self._start = self._seconds = 0.0
        self._is_told = False
        self.number = 0

    def on_start(self, event: Any) -> None:
        """A function, or one that it calls, begins to compile."""
        if not self._depth:
            self._was_enabled = gc.isenabled()
            gc.disable()
            self._start = time.perf_counter()
            note_on_bar("compiling")
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """It is compiled, or cannot be."""
        self._depth -= 1
        if self._depth:
            return
        if self._was_enabled:
            gc.enable()
        note_on_bar("")
        self.number += 1
        self._seconds += time.perf_counter() - self._start
        if self._seconds > _LONG_SECONDS:
            self.tell()

    def tell(self, seconds: str = "") -> None:
        """Say once why a command takes longer at first; ``seconds`` says how long, if it is known.

        The processes that this one started do not repeat it.
        """
        if not self._is_told and multiprocessing.parent_process() is None:
            log.info("compiling for this machine%s; the code is kept for later", seconds)
        self._is_told = True


# Numba compiles one function at a time, so that no other thread is between the two
compiling = _Compiling()
event.register("numba:compile", compiling)


class _PartLibrary(JITCodeLibrary):
    """Code that is optimized where it is called, with all that is around it.

    By itself it is neither optimized nor handed to the processor, which would call it in the place
    of the optimized one.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Lowering to what a caller includes, of which no machine code is made."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Leave out what Numba does to call the function from Python."""
        context = state.targetctx
        part = _PartLibrary(context.codegen(), state.func_id.func_qualname)
        state["library"] = part
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state.cr
        # what the callers know it by: a function of Python without an address
        function = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), lowered.fndesc.qualname, "", 0, lowered.env, ()
        )
        context.insert_user_function(function, lowered.fndesc, [part])
        state.cr = lowered._replace(cfunc=function)
        return True


class _Compiler(CompilerBase):
    """Numba's compiler of functions, without the passes that ours do not need."""

    lowering: Any = NativeLowering

    def define_pipelines(self) -> list[Any]:
        """The one pipeline."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (self.lowering if step is NativeLowering else step, name)
            for step, name in pipeline.passes
            if step.__name__ not in _PASSES_LEFT_OUT
        ]
        pipeline.finalize()
        return [pipeline]


class _PartCompiler(_Compiler):
    """The same with another end."""

    lowering = _PartLowering


def subroutine(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as a part of the compiled functions that call it; Python cannot call it.

    No machine code is made of it alone, nor what converts Python's arguments.
    """
    options = {**_SETTINGS, "no_cpython_wrapper": True, "pipeline_class": _PartCompiler, **settings}
    decorate: Callable[[Callable[..., Any]], Any] = _njit(**options)
    return decorate


@cache
def _hash_sources(folder: Path, kernels: Path = _KERNELS) -> str:
    digest = hashlib.sha256(f"{np.__version__} {_config.BOUNDSCHECK}".encode())
    # in an order that a checkout has as well as what is installed, where packages lie elsewhere
    for sources in dict.fromkeys([folder, kernels]):
        for path in sorted(sources.glob("*.py")):
            digest.update(path.read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()[:12]


def num_threads() -> int:
    """Most threads of a compiled function.

    As many as ``NUMBA_NUM_THREADS`` says, else ``OMP_NUM_THREADS``, else one for each core; or as
    ``numba.set_num_threads`` said.

    While Numba's own threads do not run it is not asked: ``numba.get_num_threads`` starts them, and
    tells OpenMP their number. PyTorch has its threads from OpenMP as well, and would use that
    number, whatever it was told.
    """
    try:
        numba.threading_layer()
    except ValueError:
        # they do not run
        told = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
        if "NUMBA_NUM_THREADS" not in os.environ and told.isdecimal():
            return max(1, int(told))
        return int(_config.NUMBA_NUM_THREADS)
    return numba.get_num_threads()


def run_blocks(
    function: Callable[..., None],
    num_blocks: int,
    nanoseconds: float,
    *arguments: Any,
    most_threads: int | None = None,
    scratch: Callable[[], Any] | None = None,
) -> None:
    """Call ``function(first, last, *arguments)`` until all blocks of work are done.

    With ``scratch`` each thread calls it once, and gives what it returned as the last argument.

    The function releases Python's lock, and its blocks write to different places. ``nanoseconds``
    is about how long one thread would take: at most ``num_threads()`` are used, or
    ``most_threads``, and only as many as this keeps busy. What a block calls has no further ones.
    """
    pieces = min(num_blocks, int(nanoseconds / _LEAST_NANOSECONDS))
    # plain Python holds its lock; and all threads may have something to do
    alone = _config.DISABLE_JIT or getattr(_of_thread, "shares_blocks", False)
    # how many threads there are takes as long to find as a small graph
    threads = 1 if alone or pieces < 2 else min(pieces, num_threads())
    if most_threads is not None:
        threads = min(threads, most_threads)
    if threads <= 1:
        function(0, num_blocks, *arguments, *_call(scratch))
        return
    pieces = min(pieces, threads * _PIECES_PER_THREAD)
    bounds = np.arange(pieces + 1) * num_blocks // pieces
    left = iter(range(pieces))

    def work() -> None:
        _of_thread.shares_blocks = True
        try:
            more = _call(scratch)
            for piece in left:
                function(bounds[piece], bounds[piece + 1], *arguments, *more)
        finally:
            _of_thread.shares_blocks = False

    others: list[Future[None]] = []
    try:
        # no more threads than the system allows, and none when Python ends; this one does all then
        with contextlib.suppress(RuntimeError):
            for _ in range(threads - 1):
                others.append(_pool().submit(work))
        work()
    finally:
        # after an error, too: what the others have begun writes to the caller's arrays
        for _ in left:
            pass
        errors = [other.exception() for other in others]
    for error in errors:
        if error is not None:
            raise error


def _call(scratch: Callable[[], Any] | None) -> tuple[Any, ...]:
    return () if scratch is None else (scratch(),)


@cache
def _pool() -> ThreadPoolExecutor:
    # work that finds no free thread waits in a queue
    return ThreadPoolExecutor(max(num_threads(), _config.NUMBA_NUM_THREADS), "gomkcn")


if hasattr(os, "register_at_fork"):
    # a process that is forked has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
