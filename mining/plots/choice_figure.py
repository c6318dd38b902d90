"""A figure of what the miner chose by itself: how good each candidate was, and which it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mining.plots.figures import mark_value, whole_numbers
from mining.plots.plots import label_axes, styled_axes
from mining.records.choice import Choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLES = {"pattern_size": "How large patterns are", "num_patterns": "How many patterns there are"}
_CANDIDATES = {"pattern_size": "Most nodes of a pattern", "num_patterns": "Patterns"}


def draw_choice(choice: Choice, ax: Axes | None = None) -> Axes:
    """Draw the criterion of each candidate with its standard error, and mark the chosen one.

    Parameters
    ----------
    choice : Choice
        Of ``PatternMiner.choices_`` or ``MiningRun.choices``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default in a figure of its own.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> choice = Choice("pattern_size", (3, 4, 5), (0.0, 9.0, 4.0), (0.0, 3.0, 2.0), 4, True)
    >>> draw_choice(choice).texts[0].get_text()
    '4 chosen'
    """
    import seaborn as sns

    ax = styled_axes(ax, 5.0, 2.9)
    criterion, error = np.array(choice.criterion), np.array(choice.error)
    (color,) = sns.color_palette("colorblind", 1)
    sns.lineplot(
        x=list(choice.candidates), y=criterion, ax=ax, color=color, linewidth=2, marker="o"
    )
    ax.fill_between(
        choice.candidates, criterion - error, criterion + error, color=color, alpha=0.2, linewidth=0
    )
    middle = (choice.candidates[0] + choice.candidates[-1]) / 2
    said = (
        f"{choice.chosen} chosen" if choice.decided else f"none stands out:\n{choice.chosen} taken"
    )
    mark_value(ax, choice.chosen, said, left=choice.chosen > middle)
    # room for the words above the curve
    ax.set_ylim(0, 1.25 * max(float((criterion + error).max()), 1.0))
    whole_numbers(ax, "x")
    label_axes(
        ax,
        _TITLES[choice.parameter],
        _CANDIDATES[choice.parameter],
        "Cycles closed beyond chance",
    )
    return ax
