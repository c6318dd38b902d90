"""A long job beside its user: signals and a time limit that end it, and a bar that shows it."""

from __future__ import annotations

import contextlib
import logging
import math
import signal
import sys
import threading
import time
from contextlib import ExitStack
from types import FrameType
from typing import TYPE_CHECKING, Any

from gomkcn_dgl.bounds import LONGEST
from gomkcn_dgl.checks import check_float
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.messages import Argument, Text
from gomkcn_dgl.runtime.processes import gather_objects

if TYPE_CHECKING:
    from tqdm import tqdm

TIME_LIMIT = "time limit"
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
# the end of a mining counts and lists what was found, draws it and writes the page, which takes
# some seconds whatever the search took: of a short time limit a third is kept for it, and of a long
# one so many seconds
_SHARE_OF_END = 1 / 3
_SECONDS_OF_END = 10.0
# the library's own log, and that which its lines go on to
_OWN, _ROOT = logging.getLogger("gomkcn_dgl"), logging.getLogger()
_BAR = "{desc}: {n_fmt}/{total_fmt} |{bar}| {elapsed}<{remaining}{postfix}"
_NO_BAR = "{desc} … {elapsed}{postfix}"
_SHARE_BAR = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}<{remaining}{postfix}"
# where nobody knows what is left
_UNSTEADY_BAR = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}{postfix}"
# between two lines of a log, in a job of up to five minutes, as the mining of a million edges is;
# later they are so far apart that thirty fit into the time that has passed: an hour has some 100, a
# day 200
SECONDS_BETWEEN_LINES = 10.0
_PAUSES_IN_A_JOB = 30

# what has a bar on the terminal
_shown = set["JobProgress"]()


def way_to_go_on(is_kept: bool, command: str = "") -> Text:
    """What to do after a job was ended: where nothing of it is kept there is nothing to resume."""
    if not is_kept:
        return "start again"
    return f"to go on: {command}" if command else ("go on with ", Argument("resume", True))


class RunInterruptedError(GomkcnError):
    """A signal, such as ``"SIGTERM"``, ended a run that got so far.

    It can be resumed if something ``is_kept``; ``command`` is what goes on, where it is known.
    """

    def __init__(
        self, reason: str, progress: str, command: str = "", *, is_kept: bool = True
    ) -> None:
        way_on = way_to_go_on(is_kept, command)
        super().__init__(f"stopped by {reason} {progress}", way_out=way_on)
        if is_kept and command:
            # so that it can be copied
            self.full_stop = ""
        # the exit code that a shell reports for a process ended by this signal
        self.exit_code = 128 + signal.Signals[reason]


class TimeUpError(Exception):
    """Time was up before a result was there; who asked for it goes on without it."""


class Interrupts:
    """SIGTERM, SIGINT and a time limit in seconds from now, turned into a reason to stop.

    Within a ``with`` block the first signal is noted and the second one kills. Outside the main
    thread only the time limit counts, because Python delivers signals to the main thread.

    With ``is_partial_at_signal``, a signal is as if time were up: what is known by then is kept.
    With ``has_end``, a part of the time limit is kept for what the job ends with, such as the page
    that it writes: there is a reason to stop when the rest of it is over. ``command`` is what a
    user types to go on with the job; empty where it is not known.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        *,
        is_partial_at_signal: bool = False,
        has_end: bool = False,
    ) -> None:
        self.is_partial_at_signal = is_partial_at_signal
        self._deadline = math.inf
        self.has_end = has_end
        # seconds of the time limit that are kept for the end
        self._kept = 0.0
        if time_limit is not None:
            limit = check_float("time_limit", time_limit, 0.0, LONGEST, open_minimum=True)
            self._deadline = time.monotonic() + limit
            if has_end:
                self._kept = min(_SHARE_OF_END * limit, _SECONDS_OF_END)
        # that came first, by its name
        self.signal = ""
        self.command = ""
        self._old_handlers: dict[signal.Signals, Any] = {}
        # blocks within each other: a run and a part of it may both ask to be stopped
        self._num_blocks = 0

    def __getstate__(self) -> tuple[float, float, bool]:
        """The seconds that are left: a worker has its own clock, and its own signals."""
        return self.seconds_left, self._kept, self.has_end

    def __setstate__(self, state: tuple[float, float, bool]) -> None:
        left, self._kept, self.has_end = state
        self.is_partial_at_signal = False
        self._deadline = time.monotonic() + left
        self.signal = ""
        self.command = ""
        self._old_handlers = {}
        self._num_blocks = 0

    def __enter__(self) -> Interrupts:
        self._num_blocks += 1
        if self._num_blocks == 1 and threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                self._old_handlers[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        self._num_blocks -= 1
        if self._num_blocks:
            return
        for number, handler in self._old_handlers.items():
            # None: the handler was not set from Python and cannot be set again
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._old_handlers = {}

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.signal = signal.Signals(number).name
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_DFL)

    @property
    def reason(self) -> str:
        """``"SIGTERM"``, ``"SIGINT"``, ``"time limit"``, or ``""`` to go on."""
        if self.signal:
            return TIME_LIMIT if self.is_partial_at_signal else self.signal
        return TIME_LIMIT if self.seconds_left <= self._kept else ""

    @property
    def seconds_left(self) -> float:
        """Until the time limit, also for the end; infinite without one."""
        return self._deadline - time.monotonic()

    def keep_for_end(self, seconds: float) -> None:
        """Keep so many seconds of the time limit for the end, if there is one; never fewer."""
        if self.has_end:
            self._kept = max(self._kept, seconds)

    def agree(self) -> str:
        """Return the reason that all processes share; every process must ask at the same point."""
        reasons = [reason for reason in gather_objects(self.reason) if reason]
        # a signal to one process takes precedence over a time limit
        return min(reasons, key=lambda reason: reason == TIME_LIMIT, default="")


class JobProgress:
    """On stderr, what a job does now and how much of it is done.

    ``form`` is ``"bar"``, for a terminal or a notebook, below what is logged; ``"lines"``, for a
    file of a log: one for a stage that has lasted :data:`SECONDS_BETWEEN_LINES`, and then more,
    ever further apart; or empty for nothing.

    A thread of its own writes them, so that the time goes on also in a stage that tells nothing.
    """

    def __init__(self, form: str = "") -> None:
        assert form in ("bar", "lines", ""), form
        self._form = form
        self._bar: tqdm | None = None
        self._log = ExitStack()
        self._lines = _Lines()
        self._is_over = threading.Event()
        self._ticker: threading.Thread | None = None
        # where lines go, also while a part of the job has another stderr
        self._screen = sys.stderr

    @classmethod
    def of_command(cls, *, quiet: bool) -> JobProgress:
        """A bar where stderr is a terminal, else lines; nothing if it is to be ``quiet``."""
        return cls("" if quiet else "bar" if sys.stderr.isatty() else "lines")

    def begin(self, stage: str, total: float | None = None, is_steady: bool = True) -> None:
        """Begin a stage of so many items, or of a share of 1.0; the one before is over.

        Unless it ``is_steady``, a share does not tell how much time is left.
        """
        if not self._form:
            return
        if self._ticker is None:
            self._is_over.clear()
            self._screen = sys.stderr
            self._ticker = threading.Thread(target=self._tick, name="progress", daemon=True)
            self._ticker.start()
        if self._form == "lines":
            self._lines.begin(stage, total, time.monotonic())
            return
        from tqdm import tqdm
        from tqdm.contrib.logging import logging_redirect_tqdm

        if self._bar is None:
            self._log.enter_context(logging_redirect_tqdm(_logs_on_terminal()))
            _shown.add(self)
        else:
            self._bar.close()
        form = _BAR if total is not None and total > 1 else _NO_BAR
        if isinstance(total, float):
            form = _SHARE_BAR if is_steady else _UNSTEADY_BAR
        self._bar = tqdm(desc=stage, total=total, file=sys.stderr, bar_format=form, leave=False)

    def move(self, count: float, note: str | None = None) -> None:
        """So many more items are done, or such a share, up to all.

        A ``note`` is behind the bar until there is another, or the stage is over.
        """
        self._lines.done += count
        if note is not None:
            self._lines.note = note
        if self._bar is not None:
            left = math.inf if self._bar.total is None else self._bar.total - self._bar.n
            if note is not None:
                self._bar.set_postfix_str(note, refresh=not count)
            self._bar.update(min(count, left))

    def _tick(self) -> None:
        """Each second, until the job is over: the time of the bar, or a line that is due."""
        while not self._is_over.wait(1.0):
            # whoever closed stderr wants to see nothing
            with contextlib.suppress(OSError, ValueError):
                if self._bar is not None:
                    self._bar.refresh()
                elif line := self._lines.due(time.monotonic()):
                    print(line, file=self._screen, flush=True)

    def __reduce__(self) -> tuple[Any, ...]:
        """A worker shows nothing."""
        return JobProgress, ()

    def __enter__(self) -> JobProgress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        self._is_over.set()
        if self._ticker is not None:
            self._ticker.join()
            self._ticker = None
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        _shown.discard(self)
        self._log.close()


def note_on_bar(note: str) -> None:
    """Say behind the bar that is shown, if there is one, what its stage does or waits for."""
    for progress in _shown:
        progress.move(0, note)


class _Lines:
    """What is written of a job in lines, by the clock."""

    def __init__(self) -> None:
        self.done, self.note = 0.0, ""
        self._stage = ""
        self._total: float | None = None
        self._job_began: float | None = None
        self._began = self._last = 0.0
        # a first note is news
        self._is_noted = False

    def begin(self, stage: str, total: float | None, now: float) -> None:
        """A stage begins; its first line is due after a while."""
        if self._job_began is None:
            self._job_began = self._last = now
        self.done, self.note, self._is_noted = 0.0, "", False
        self._stage, self._total, self._began = stage, total, now

    def due(self, now: float) -> str:
        """The line of the stage, if it is time for one, or its first note is there."""
        if self._job_began is None:
            return ""
        pause = max(SECONDS_BETWEEN_LINES, (now - self._job_began) / _PAUSES_IN_A_JOB)
        is_news = bool(self.note) and not self._is_noted
        if now - self._last < pause and not is_news:
            return ""
        self._last, self._is_noted = now, is_news or self._is_noted
        share = ""
        if isinstance(self._total, float):
            share = f"{100 * min(self.done / self._total, 1.0):.0f}%, "
        elif self._total is not None and self._total > 1:
            share = f"{min(self.done, self._total):,.0f} of {self._total:,}, "
        note = f", {self.note}" if self.note else ""
        return f"gomkcn: {self._stage}: {share}{now - self._began:.0f} s{note}"


def _logs_on_terminal() -> list[logging.Logger]:
    """The logs whose handlers write to the terminal."""
    # without any handler, Python does for warnings
    if not _OWN.hasHandlers():
        return [_OWN]
    screen = sys.stdout, sys.stderr
    return [
        log
        for log in (_OWN, _ROOT)
        if any(getattr(handler, "stream", None) in screen for handler in log.handlers)
    ]
