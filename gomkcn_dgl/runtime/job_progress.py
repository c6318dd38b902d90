"""One progress bar for a whole job of several stages, with the time that is left."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from contextlib import ExitStack

from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

# the library's own log, and that which its lines go on to
_LOGS = ("gomkcn_dgl", None)
_FORMAT = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}{postfix}"
# where nothing is planned
_WORDS = "{desc} …"
# how fast a machine is shows only after a while: until then the plan is taken at its word, as if
# this share of it had gone as planned
_SHARE_AS_PLANNED = 0.1


class JobProgress:
    """What a job does now, how much of it is done, and how long the rest will take.

    Each stage has about its seconds. What is left takes as long as what is done took for a planned
    second. With a bar, what is logged is written above it.

    Parameters
    ----------
    show : bool
        Whether there is a bar, on stderr.

    Examples
    --------
    >>> with JobProgress(show=False) as progress:
    ...     progress.plan({"counting": 40, "listing": 20})
    ...     progress.begin("counting")
    ...     progress.move(0.5)
    >>> round(progress.share_done, 3)
    0.333
    """

    def __init__(self, show: bool = False) -> None:
        self._show = show
        self._bar: tqdm | None = None
        self._log = ExitStack()
        # seconds of the stages that are not begun, of those that are over, and of the one now
        self._ahead: dict[str, float] = {}
        self._over = self._own = self._part = self._left_out = 0.0

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

    def seconds_left(self, elapsed: float) -> float:
        """How long the rest will take, where so many seconds have gone.

        >>> progress = JobProgress()
        >>> progress.plan({"counting": 10, "listing": 10})
        >>> progress.begin("counting"), progress.begin("listing")
        (None, None)
        >>> round(progress.seconds_left(20), 1)  # twice as long as planned, up to now
        18.3
        """
        as_planned = _SHARE_AS_PLANNED * self._planned
        if not as_planned:
            return 0.0
        pace = (elapsed + as_planned) / (self._done + as_planned)
        return pace * (self._planned - self._done)

    def plan(self, seconds: Mapping[str, float]) -> None:
        """Set about how long some stages will take; they come before those planned so far."""
        self._ahead = {**seconds, **self._ahead}
        self._draw()

    def begin(self, stage: str) -> None:
        """Begin a stage; the one before is over, and those planned before it are left out.

        One that was not planned takes no time.
        """
        self._over += self._own * (1 - self._left_out)
        self._own = self._part = self._left_out = 0.0
        if stage in self._ahead:
            names = list(self._ahead)
            for name in names[: names.index(stage)]:
                del self._ahead[name]
            self._own = self._ahead.pop(stage)
        if self._show and self._bar is None:
            logs = [one for one in map(logging.getLogger, _LOGS) if _writes_here(one)]
            self._log.enter_context(logging_redirect_tqdm(logs))
            self._bar = tqdm(desc=stage, file=sys.stderr, bar_format=_WORDS, leave=False)
        if self._bar is not None:
            self._bar.set_description_str(stage, refresh=False)
        self._draw()

    def move(self, part: float, left_out: float = 0.0) -> None:
        """Set the parts of the stage, from 0 to 1, that are done, and that need not be done.

        Neither ever gets less.
        """
        self._part = max(self._part, min(part, 1.0))
        self._left_out = max(self._left_out, min(left_out, 1.0))
        self._draw()

    def __enter__(self) -> JobProgress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._log.close()

    def _draw(self) -> None:
        if self._bar is not None:
            self._bar.total, self._bar.n = self._planned, self._done
            self._bar.bar_format = _FORMAT if self._planned else _WORDS
            left = self.seconds_left(self._bar.format_dict["elapsed"])
            # tqdm puts a comma before it
            self._bar.set_postfix_str(f"about {tqdm.format_interval(left)} left")


def _writes_here(log: logging.Logger) -> bool:
    """Whether what is logged goes to the terminal."""
    streams = (getattr(handler, "stream", None) for handler in log.handlers)
    return any(stream in (sys.stdout, sys.stderr) for stream in streams)
