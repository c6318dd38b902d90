"""What colour a node is drawn in: that of its label, or its place on a scale of the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mining.descriptions.feature_background import FeatureBackground

PLAIN = "#4c72b0"
OTHERS_COLOR = "#6e6e6e"
# of the ten colours for every kind of colour vision, without the grey, which means no pattern
MOST_COLORS = 8


def pattern_palette() -> list[str]:
    """Colours for up to eight patterns or labels, told apart by every kind of colour vision."""
    import seaborn as sns

    colors = sns.color_palette("colorblind")
    return hex_colors([*colors[:7], colors[9]])


@dataclass(frozen=True, eq=False)
class FeatureScale:
    """One number for the features of a node, close by for similar ones.

    The first principal component of the standardised features, or the feature itself where there is
    only one.

    Attributes
    ----------
    mean, axis : numpy.ndarray
        ``[D]``; a node with the features x has the number ``(x - mean) · axis``.
    low, high : float
        Numbers at the ends of the scale.
    """

    mean: np.ndarray
    axis: np.ndarray
    low: float
    high: float

    @classmethod
    def fit(cls, rows: np.ndarray) -> FeatureScale | None:
        """Fit a scale to nodes with the features ``rows [n, D]``; None where all are alike.

        Examples
        --------
        >>> scale = FeatureScale.fit(np.array([[1.0], [3.0]]))
        >>> scale.place(np.array([[2.0], [9.0]])).tolist()
        [0.5, 1.0]
        """
        spread = rows.std(axis=0)
        # differences that patterns.json rounds away are no differences
        varies = spread > 1e-6
        if not varies.any():
            return None
        mean = rows.mean(axis=0)
        direction = np.linalg.svd((rows - mean)[:, varies] / spread[varies], full_matrices=False)
        axis = np.zeros(rows.shape[1])
        # the sign is arbitrary: the largest share counts as positive
        first = direction[2][0]
        axis[varies] = first * np.sign(first[np.abs(first).argmax()]) / spread[varies]
        numbers = (rows - mean) @ axis
        return cls(mean, axis, float(numbers.min()), float(numbers.max()))

    def place(self, rows: np.ndarray) -> np.ndarray:
        """Place nodes on the scale, ``[n, D]`` → ``[n]`` in [0, 1]."""
        numbers = (rows - self.mean) @ self.axis
        return np.asarray(np.clip((numbers - self.low) / max(self.high - self.low, 1e-12), 0, 1))


@dataclass(frozen=True, eq=False)
class NodeColors:
    """The colours of one page.

    Attributes
    ----------
    legend : tuple of (str, str)
        Label and its colour; empty where nodes have no labels.
    columns : tuple of int
        Feature columns of the labels in ``legend``.
    scale : FeatureScale or None
        What decides where there are no labels; None where all nodes are alike.
    """

    legend: tuple[tuple[str, str], ...] = ()
    columns: tuple[int, ...] = ()
    scale: FeatureScale | None = None

    @classmethod
    def of_patterns(cls, pattern_rows: np.ndarray) -> NodeColors:
        """Choose a scale for patterns whose nodes have the features ``pattern_rows [n, D]``."""
        return cls(scale=FeatureScale.fit(pattern_rows) if len(pattern_rows) else None)

    @classmethod
    def choose(cls, background: FeatureBackground, pattern_rows: np.ndarray) -> NodeColors:
        """Colour by label where the graph has labels, by a scale otherwise.

        The eight most frequent labels have colours of their own.
        """
        if not background.label_groups:
            return cls.of_patterns(pattern_rows)
        group = np.array(background.label_groups[0])
        names = background.label_names()
        common = np.sort(np.argsort(-background.mean[group], kind="stable")[:MOST_COLORS])
        shades = zip(common.tolist(), pattern_palette(), strict=False)
        legend = [(names[position], shade) for position, shade in shades]
        if len(group) > len(common):
            legend.append(("another label", OTHERS_COLOR))
        return cls(tuple(legend), tuple(group[common].tolist()))

    def faces(self, rows: np.ndarray) -> tuple[str, ...]:
        """Colour nodes with the features ``rows [n, D]``, as ``#rrggbb``."""
        if self.columns:
            shares = rows[:, list(self.columns)]
            nearest = np.where(shares.max(axis=1) < 0.5, len(self.columns), shares.argmax(axis=1))
            colors = [color for _, color in self.legend] + [OTHERS_COLOR]
            return tuple(colors[position] for position in nearest)
        if self.scale is None:
            return (PLAIN,) * len(rows)
        import seaborn as sns

        return tuple(hex_colors(sns.color_palette("crest", as_cmap=True)(self.scale.place(rows))))


def hex_colors(colors: Sequence[Sequence[float]] | np.ndarray) -> list[str]:
    """Write colours as ``#rrggbb``."""
    return ["#" + "".join(f"{round(255 * part):02x}" for part in color[:3]) for color in colors]


def is_light(face: str) -> bool:
    """Whether black is easier to read than white on a colour ``#rrggbb``."""
    parts = [int(face[start : start + 2], 16) for start in (1, 3, 5)]
    return float(np.dot(parts, (0.299, 0.587, 0.114))) > 127
