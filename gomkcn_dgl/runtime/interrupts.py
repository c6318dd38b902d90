"""Signals and a time limit as one question that a loop asks: whether to stop."""

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
    """A signal ended a run, which can go on from its checkpoint.

    Parameters
    ----------
    reason : str
        Name of the signal.
    progress : str
        How far the run came, such as ``"after epoch 12"``.
    """

    def __init__(self, reason: str, progress: str) -> None:
        super().__init__(f"stopped by {reason} {progress}; go on with --resume.")
        # what a shell says of a process that the signal ended
        self.exit_code = 128 + signal.Signals[reason]


class Interrupts:
    """SIGTERM, SIGINT and a time limit, turned into a reason to stop.

    Inside a ``with`` block the first signal is noted and the second kills at once; behind it the
    old handlers are back. Only the main thread can see signals; in another one there is the time
    limit alone. A signal is noted between two steps of Python, not within a long compiled one.

    Parameters
    ----------
    time_limit : float, optional
        Seconds from now.

    Raises
    ------
    InputError
        If the time limit is not greater than 0.

    Examples
    --------
    >>> import os
    >>> with Interrupts() as interrupts:
    ...     before = interrupts.stop_requested
    ...     os.kill(os.getpid(), signal.SIGTERM)
    ...     before, interrupts.stop_requested, interrupts.reason
    (False, True, 'SIGTERM')
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

    @property
    def stop_requested(self) -> bool:
        """Whether there is a reason to stop."""
        return self.reason != ""

    def agree(self) -> str:
        """Return the reason that all processes of a run share: a signal to one goes to all.

        Every process must ask at the same point.
        """
        reasons = [reason for reason in gather_objects(self.reason) if reason]
        # a signal before a time limit
        return min(reasons, key=lambda reason: reason == TIME_LIMIT, default="")
