"""The shares of a structure in two graphs as bars, with their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

# pixels of a drawing; of the part that bars and errors may fill, the text stands to the right
_WIDTH, _FILLED = 210.0, 140.0
_BAR, _GAP = 13.0, 4.0
# of a bar of nearly 0
_LEAST = 1.5
# half as high as the end of an error
_END = 3.5


class ShareBar(NamedTuple):
    """A share, and its standard error; NaN without one."""

    share: float
    error: float


def draw_shares(bars: Sequence[ShareBar], texts: Sequence[str]) -> Markup:
    """Draw shares below each other, each with its text behind it and a line of one error each way.

    The first has the colour ``--m0``, the second ``--m1``. The longest of bars and errors fills the
    drawing, since shares of different structures differ by a factor of a thousand.

    >>> drawn = draw_shares([ShareBar(0.2, 0.1), ShareBar(0.4, float("nan"))], ["20%", "40%"])
    >>> drawn.count('class="share"'), drawn.count('class="error"')
    (2, 1)
    """
    longest = max((bar.share + _known(bar.error) for bar in bars), default=0.0) or 1.0
    scale = _FILLED / longest
    shapes = ""
    for number, (bar, text) in enumerate(zip(bars, texts, strict=True)):
        top = number * (_BAR + _GAP)
        middle = top + _BAR / 2
        end = bar.share * scale
        shapes += (
            f'<rect class="share" x="0" y="{top:g}" width="{max(_LEAST, end):.1f}" '
            f'height="{_BAR:g}" fill="var(--m{number})"/>'
        )
        reached = end
        if error := _known(bar.error):
            low, reached = max(0.0, bar.share - error) * scale, (bar.share + error) * scale
            shapes += (
                f'<path class="error" stroke="var(--ink)" fill="none" d="M{low:.1f} {middle:g}'
                f"H{reached:.1f}M{low:.1f} {middle - _END:g}v{2 * _END:g}"
                f'M{reached:.1f} {middle - _END:g}v{2 * _END:g}"/>'
            )
        shapes += (
            f'<text x="{max(_LEAST, reached) + 6:.1f}" y="{middle + 4.5:g}" font-size="13" '
            f'fill="var(--ink)">{escape(text)}</text>'
        )
    height = len(bars) * (_BAR + _GAP) - _GAP
    named = escape(f"first {texts[0]}, second {texts[-1]}")
    return Markup(
        f'<svg class="shares" role="img" aria-label="{named}" width="{_WIDTH:g}" '
        f'height="{height:g}" viewBox="0 0 {_WIDTH:g} {height:g}">{shapes}</svg>'
    )


def _known(error: float) -> float:
    return 0.0 if math.isnan(error) else error
