"""One progress bar for a job of several stages: tqdm's, with the name of the stage."""

from __future__ import annotations

import logging
import sys
from contextlib import ExitStack

from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

# the library's own log, and that which its lines go on to
_OWN, _ROOT = logging.getLogger("gomkcn_dgl"), logging.getLogger()
_FORMAT = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}<{remaining}"


class JobProgress:
    """What a job does now, and how much of it is done.

    With a bar, what is logged to the terminal is written above it.

    Parameters
    ----------
    show : bool
        Whether there is a bar, on stderr.
    """

    def __init__(self, show: bool = False) -> None:
        self._show = show
        self._bar: tqdm | None = None
        self._log = ExitStack()

    def begin(self, stage: str) -> None:
        """Begin a stage; the one before is over."""
        if not self._show:
            return
        if self._bar is None:
            self._log.enter_context(logging_redirect_tqdm(_logs_on_terminal()))
        else:
            self._bar.close()
        self._bar = tqdm(desc=stage, total=1, file=sys.stderr, bar_format=_FORMAT, leave=False)

    def move(self, done: float, found: float = 0.0) -> None:
        """Set the parts of the stage, from 0 to 1, that were done, and that were there before."""
        if self._bar is not None:
            # what was there says nothing of the pace, and the bar never goes back
            self._bar.initial = found
            self._bar.update(max(min(done + found, 1.0) - self._bar.n, 0.0))

    def __enter__(self) -> JobProgress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self._log.close()


def _logs_on_terminal() -> list[logging.Logger]:
    """The logs whose handlers write to the terminal."""
    # without any handler, Python does for warnings
    if not _OWN.hasHandlers():
        return [_OWN]
    return [log for log in (_OWN, _ROOT) if any(map(_writes_here, log.handlers))]


def _writes_here(handler: logging.Handler) -> bool:
    return getattr(handler, "stream", None) in (sys.stdout, sys.stderr)
