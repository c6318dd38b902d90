"""One progress bar for a whole job of several stages, with the time that is left."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from tqdm import tqdm

_FORMAT = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}, about {remaining} left"


class JobProgress:
    """What a job does now, how much of it is done, and how long the rest will take.

    Each stage has about its seconds. What is left takes as long as what is done took for a planned
    second, so that only the ratios of these matter.

    Parameters
    ----------
    show : bool
        Whether there is a bar, on stderr. Without one, nothing is done.

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
        # seconds of the stages that are not begun, of those that are over, and of the one now
        self._ahead: dict[str, float] = {}
        self._over = self._own = self._part = 0.0

    @property
    def share_done(self) -> float:
        """Share of the planned seconds that are over."""
        total = self._over + self._own + sum(self._ahead.values())
        return (self._over + self._part * self._own) / total if total else 0.0

    def plan(self, seconds: Mapping[str, float]) -> None:
        """Set about how long stages that are not begun will take."""
        self._ahead |= seconds
        self._draw()

    def begin(self, stage: str) -> None:
        """Begin a stage; the one before is over. One that was not planned takes no time."""
        self._over += self._own
        self._own, self._part = self._ahead.pop(stage, 0.0), 0.0
        if self._show and self._bar is None:
            self._bar = tqdm(
                desc=stage, file=sys.stderr, bar_format=_FORMAT, smoothing=0, leave=False
            )
        if self._bar is not None:
            self._bar.set_description_str(stage, refresh=False)
        self._draw()

    def move(self, part: float) -> None:
        """Set the part of the stage that is done, from 0 to 1."""
        self._part = min(max(part, 0.0), 1.0)
        self._draw()

    def __enter__(self) -> JobProgress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _draw(self) -> None:
        if self._bar is not None:
            self._bar.total = self._over + self._own + sum(self._ahead.values())
            self._bar.n = self._over + self._part * self._own
            self._bar.refresh()
