"""Every colour of the figures and drawings: of nodes, labels, responses and marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mining.descriptions.feature_background import FeatureBackground

# on a page this colour becomes the colour of the page's text, so that dark pages work as well
INK = "#1f2328"
# of a node that has neither a label nor features that differ
PLAIN = "#4c72b0"
# what differs from a pattern, and an observed count; told from blue and green by every reader
MARK = "#d55e00"
# of a node that was planted
PLANTED = "#d1495b"
GREY, OTHERS_COLOR = "#8a8a8a", "#6e6e6e"
# name of the colour map of responses to a filter
RESPONSE_COLORS = "viridis"
# of the ten colours that every reader can tell apart, without the greys
MOST_COLORS = 8


def pattern_palette() -> list[str]:
    """Colours of up to eight labels that every reader can tell apart."""
    # the colorblind palette of seaborn, without grey and yellow
    return [
        "#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc", "#ca9161", "#fbafe4", "#56b4e9",
    ]  # fmt: skip


def fit_feature_scale(rows: np.ndarray) -> Pipeline | None:
    """Fit a scale of features to nodes ``[n, D]``; None where all nodes have the same features.

    The scale, ``[n, D]`` → ``[n, 1]`` in [0, 1], is the first principal component after
    standardising. A single feature is its own scale.
    """
    # differences that patterns.json rounds away are not drawn
    if not (rows.std(axis=0) > 1e-6).any():
        return None
    return make_pipeline(
        VarianceThreshold(1e-12),
        StandardScaler(),
        PCA(1, svd_solver="full"),
        MinMaxScaler(clip=True),
    ).fit(rows)


@dataclass(frozen=True, eq=False)
class NodeColors:
    """The node colours of a page.

    ``legend`` holds each label with its colour and ``columns`` the feature columns of the labels.
    Without labels ``scale`` decides; without a scale all nodes have one colour.
    """

    legend: tuple[tuple[str, str], ...] = ()
    columns: tuple[int, ...] = ()
    scale: Pipeline | None = None

    @classmethod
    def of_patterns(cls, pattern_rows: np.ndarray) -> NodeColors:
        """Choose a scale for patterns whose nodes have the features ``pattern_rows [n, D]``."""
        return cls(scale=fit_feature_scale(pattern_rows) if len(pattern_rows) else None)

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

        positions = self.scale.transform(rows)[:, 0]
        return tuple(hex_colors(sns.color_palette("crest", as_cmap=True)(positions)))


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
