"""Signals and a time limit, turned into a reason to stop that a loop can ask for."""

from __future__ import annotations

import math
import signal
import threading
import time
from types import FrameType
from typing import Any

from gomkcn_dgl.checks import check_float
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.runtime.processes import gather_objects

TIME_LIMIT = "time limit"
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class RunInterruptedError(GomkcnError):
    """A signal, such as ``"SIGTERM"``, ended a run that can be resumed; it got so far."""

    def __init__(self, reason: str, progress: str) -> None:
        super().__init__(f"stopped by {reason} {progress}; go on with --resume.")
        # the exit code that a shell reports for a process ended by this signal
        self.exit_code = 128 + signal.Signals[reason]


class Interrupts:
    """SIGTERM, SIGINT and a time limit in seconds from now, turned into a reason to stop.

    Within a ``with`` block the first signal is noted and the second one kills. Outside the main
    thread only the time limit counts, because Python delivers signals to the main thread.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self._deadline = math.inf
        if time_limit is not None:
            limit = check_float("time_limit", time_limit, 0.0, open_minimum=True)
            self._deadline = time.monotonic() + limit
        self._signal = ""
        self._old_handlers: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                self._old_handlers[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._old_handlers.items():
            # None: the handler was not set from Python and cannot be set again
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._old_handlers = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._signal = signal.Signals(number).name
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_DFL)

    @property
    def reason(self) -> str:
        """``"SIGTERM"``, ``"SIGINT"``, ``"time limit"``, or ``""`` to go on."""
        if self._signal:
            return self._signal
        return TIME_LIMIT if time.monotonic() >= self._deadline else ""

    def agree(self) -> str:
        """Return the reason that all processes share; every process must ask at the same point."""
        reasons = [reason for reason in gather_objects(self.reason) if reason]
        # a signal to one process takes precedence over a time limit
        return min(reasons, key=lambda reason: reason == TIME_LIMIT, default="")
