"""Every colour of the figures and drawings: of nodes, patterns, labels, filters and marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mining.descriptions.feature_background import FeatureBackground
from mining.explanation.classifier_explanation import LearntFilter

# on a page this colour becomes the colour of the page's text, so that dark pages work as well
INK = "#1f2328"
# of a node that has neither a label nor features that differ
PLAIN = "#4c72b0"
# what differs from a pattern, and an observed count; told from blue and green by every reader
MARK = "#d55e00"
# of a node that was planted
PLANTED = "#d1495b"
GREY, NONE_COLOR, OTHERS_COLOR = "#8a8a8a", "#c4c4c4", "#6e6e6e"
# name of the colour map of responses to a filter
RESPONSE_COLORS = "viridis"
# of the ten colours that every reader can tell apart, without the greys
MOST_COLORS = 8
# feature columns of filters that get a colour of their own
_MOST_COLUMNS = 9
# features that differ by less have one colour
_EQUAL = 0.05


def pattern_palette() -> list[str]:
    """Colours of up to eight patterns or labels that every reader can tell apart."""
    import seaborn as sns

    colors = sns.color_palette("colorblind")
    return hex_colors([*colors[:7], colors[9]])


@dataclass(frozen=True, eq=False)
class FeatureScale:
    """A scale of node features: their first principal component after standardising.

    A node with the features x has the value ``(x - mean) · axis``, with ``mean`` and ``axis [D]``;
    the scale runs from ``low`` to ``high``. A single feature is its own scale.
    """

    mean: np.ndarray
    axis: np.ndarray
    low: float
    high: float

    @classmethod
    def fit(cls, rows: np.ndarray) -> FeatureScale | None:
        """Fit a scale to nodes with the features ``rows [n, D]``; None where all are equal."""
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

    def positions(self, rows: np.ndarray) -> np.ndarray:
        """Positions of nodes on the scale, ``[n, D]`` → ``[n]`` in [0, 1]."""
        numbers = (rows - self.mean) @ self.axis
        return np.asarray(np.clip((numbers - self.low) / max(self.high - self.low, 1e-12), 0, 1))


@dataclass(frozen=True, eq=False)
class NodeColors:
    """The node colours of a page.

    ``legend`` holds each label with its colour and ``columns`` the feature columns of the labels.
    Without labels ``scale`` decides; without a scale all nodes have one colour.
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

        return tuple(
            hex_colors(sns.color_palette("crest", as_cmap=True)(self.scale.positions(rows)))
        )


@dataclass(frozen=True)
class FilterColors:
    """Colours of each node of each filter, what a colour means, and names with their colours."""

    faces: list[list[str]]
    meaning: str
    legend: tuple[tuple[str, str], ...] = ()


def filter_colors(filters: Sequence[LearntFilter]) -> FilterColors:
    """Colour nodes by their features: as red, green and blue, or by their largest column."""
    rows = np.concatenate([one.features for one in filters])
    width = rows.shape[1]
    legend: dict[str, str] = {}
    if np.ptp(rows, axis=0).max() < _EQUAL:
        faces, meaning = [PLAIN] * len(rows), "The features of all nodes are equal."
    elif width <= 3:
        low, high = min(0.0, float(rows.min())), max(1.0, float(rows.max()))
        channels = np.full((len(rows), 3), 0.5)
        channels[:, :width] = (rows - low) / (high - low)
        faces = hex_colors(channels)
        meaning = (
            "A node's feature is the red of its colour.",
            "A node's 2 features are the red and the green of its colour.",
            "A node's 3 features are the red, green and blue of its colour.",
        )[width - 1]
    else:
        faces, legend = _colors_by_column(rows.argmax(axis=1))
        meaning = f"A node's colour is the largest of its {width} feature columns."
    ends = np.cumsum([len(one.features) for one in filters])[:-1]
    parts = [part.tolist() for part in np.split(np.array(faces), ends)]
    return FilterColors(parts, meaning, tuple(legend.items()))


def _colors_by_column(largest: np.ndarray) -> tuple[list[str], dict[str, str]]:
    """A colour for each node with the largest column ``[n]``, and the legend."""
    import seaborn as sns

    columns, counts = np.unique(largest, return_counts=True)
    shown = np.sort(columns[np.argsort(-counts, kind="stable")][:_MOST_COLUMNS]).tolist()
    palette = hex_colors(sns.color_palette("husl", len(shown), desat=0.85))
    color_of = dict(zip(shown, palette, strict=True))
    legend = {f"column {column}": color for column, color in color_of.items()}
    if len(columns) > len(shown):
        legend["another"] = OTHERS_COLOR
    return [color_of.get(column, OTHERS_COLOR) for column in largest.tolist()], legend


def response_colors(responses: np.ndarray, scale: tuple[float, float]) -> list[str]:
    """Colours of responses ``[n]``, from the lowest to the highest of a scale."""
    from matplotlib import colormaps

    low, high = scale
    share = (responses - low) / (high - low) if high > low else np.full(len(responses), 0.5)
    return hex_colors(colormaps[RESPONSE_COLORS](share))


def hex_colors(colors: Sequence[Sequence[float]] | np.ndarray) -> list[str]:
    """Write colours as ``#rrggbb``."""
    return ["#" + "".join(f"{round(255 * part):02x}" for part in color[:3]) for color in colors]


def is_light(face: str) -> bool:
    """Whether black is easier to read than white on a colour ``#rrggbb``."""
    parts = [int(face[start : start + 2], 16) for start in (1, 3, 5)]
    return float(np.dot(parts, (0.299, 0.587, 0.114))) > 127
