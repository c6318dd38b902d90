"""One progress bar for a whole job of several stages, with the time that is left."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

# the library's own log, and that which its lines go on to
_OWN, _ROOT = logging.getLogger("gomkcn_dgl"), logging.getLogger()
_FORMAT = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}{postfix}"
# where nothing is planned
_WORDS = "{desc} …"
# the thread that draws the bar again, and after how many seconds
REDRAWING, _REDRAW = "gomkcn-bar", 1.0
# how fast a machine is shows only after a while: until then the plan is taken at its word, as if
# this share of it had gone as planned
_SHARE_AS_PLANNED = 0.1


class JobProgress:
    """What a job does now, how much of it is done, and how long the rest will take.

    Each stage has about its seconds. What is left takes as long as what is done took for a planned
    second. With a bar, what is logged to the terminal is written above it.

    Parameters
    ----------
    show : bool
        Whether there is a bar, on stderr.
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> with JobProgress(show=False) as progress:
    ...     progress.plan({"counting": 40, "listing": 20})
    ...     progress.begin("counting")
    ...     progress.move(0.5)
    >>> round(progress.share_done, 3)
    0.333
    """

    def __init__(self, show: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._show, self._clock = show, clock
        self._bar: tqdm | None = None
        self._log = ExitStack()
        # the bar is drawn by the job, and by a thread while a step takes long
        self._lock, self._is_closed = threading.RLock(), threading.Event()
        # planned seconds of the stages that are not begun, of those that are over, of the one now
        self._ahead: dict[str, float] = {}
        self._over = self._own = self._part = self._left_out = 0.0
        # real seconds of those that are over; when the one now began, and when something changed
        self._spent = 0.0
        self._begun = self._changed = clock()

    @property
    def share_done(self) -> float:
        """Share of the planned seconds that are over."""
        return self._done / self._planned if self._planned else 0.0

    @property
    def _planned(self) -> float:
        """Seconds of all stages."""
        own = self._own * (1 - self._left_out)
        return self._over + own + sum(self._ahead.values())

    @property
    def _done(self) -> float:
        """Planned seconds of what is done."""
        return self._over + self._own * min(self._part, 1 - self._left_out)

    @property
    def seconds_left(self) -> float:
        """How long the rest will take.

        Until something changes, the stage is taken to go on at the pace so far, up to its end.

        >>> now = 0.0
        >>> progress = JobProgress(clock=lambda: now)
        >>> progress.plan({"counting": 10, "listing": 10})
        >>> progress.begin("counting")
        >>> now = 20.0
        >>> progress.begin("listing")
        >>> round(progress.seconds_left, 1)  # twice as long as planned, up to now
        18.3
        >>> now = 25.0
        >>> round(progress.seconds_left, 1)
        13.3
        """
        with self._lock:
            as_planned = _SHARE_AS_PLANNED * self._planned
            if not as_planned:
                return 0.0
            done, now = self._done, self._clock()
            pace = (self._seconds_until(self._changed) + as_planned) / (done + as_planned)
            rest = self._planned - done - sum(self._ahead.values())
            done += min((now - self._changed) / pace, rest)
            pace = (self._seconds_until(now) + as_planned) / (done + as_planned)
            return pace * (self._planned - done)

    def plan(self, seconds: Mapping[str, float]) -> None:
        """Set about how long some stages will take; they come before those planned so far."""
        with self._lock:
            self._ahead = {**seconds, **self._ahead}
            self._change()

    def begin(self, stage: str) -> None:
        """Begin a stage; the one before is over, and those planned before it are left out.

        One that was not planned counts as no time.
        """
        with self._lock:
            now = self._clock()
            self._spent, self._begun = self._seconds_until(now), now
            self._over += self._own * (1 - self._left_out)
            self._own = self._part = self._left_out = 0.0
            if stage in self._ahead:
                names = list(self._ahead)
                for name in names[: names.index(stage)]:
                    del self._ahead[name]
                self._own = self._ahead.pop(stage)
            if self._show:
                self._show_stage(stage)
            self._change()

    def move(self, part: float, left_out: float = 0.0) -> None:
        """Set the parts of the stage, from 0 to 1, that are done, and that need not be done.

        Neither ever gets less.
        """
        with self._lock:
            self._part = max(self._part, min(part, 1.0))
            self._left_out = max(self._left_out, min(left_out, 1.0))
            self._change()

    def __enter__(self) -> JobProgress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._is_closed.set()
            self._redrawing.join()
            self._bar.close()
            self._bar = None
        self._log.close()

    def _seconds_until(self, now: float) -> float:
        """Real seconds of the planned stages."""
        return self._spent + (now - self._begun if self._own else 0.0)

    def _change(self) -> None:
        self._changed = self._clock()
        self._draw()

    def _show_stage(self, stage: str) -> None:
        if self._bar is None:
            self._log.enter_context(logging_redirect_tqdm(_logs_on_terminal()))
            self._bar = tqdm(desc=stage, file=sys.stderr, bar_format=_WORDS, leave=False)
            self._is_closed.clear()
            self._redrawing = threading.Thread(target=self._redraw, name=REDRAWING, daemon=True)
            self._redrawing.start()
        self._bar.set_description_str(stage, refresh=False)

    def _redraw(self) -> None:
        while not self._is_closed.wait(_REDRAW):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        if self._bar is not None:
            self._bar.total, self._bar.n = self._planned, self._done
            self._bar.bar_format = _FORMAT if self._planned else _WORDS
            # tqdm puts a comma before it
            self._bar.set_postfix_str(f"about {tqdm.format_interval(self.seconds_left)} left")


def _logs_on_terminal() -> list[logging.Logger]:
    """The logs whose handlers write to the terminal."""
    # without any handler, Python does for warnings
    if not _OWN.hasHandlers():
        return [_OWN]
    return [log for log in (_OWN, _ROOT) if any(map(_writes_here, log.handlers))]


def _writes_here(handler: logging.Handler) -> bool:
    return getattr(handler, "stream", None) in (sys.stdout, sys.stderr)
