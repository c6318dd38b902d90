"""Every colour of the figures and drawings: of nodes, labels, responses and marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from gomkcn_dgl.relations import PLAIN as PLAIN_RELATION
from gomkcn_dgl.relations import Relations
from mining.descriptions.feature_background import FeatureBackground
from mining.pattern import Pattern

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
# after Paul Tol's bright colours, without the light ones: told apart by every reader, also on dark
_COLORS = ("#4477aa", "#ee6677", "#228833", "#b3478f", "#a0820f", "#3a9fbf")
# dashes and gaps; dots mark what an occurrence lacks and are not among them
_DASHES = (None, "9 5", "10 4 2 4", "5 4")
_MOST_STYLES = len(_COLORS) * len(_DASHES)
_OTHERS = "another kind"


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


@dataclass(frozen=True)
class RelationStyle:
    """Name, direction, colour and dashes (SVG, None: solid) of the edges of one relation."""

    name: str
    directed: bool
    color: str = "currentColor"
    dashes: str | None = None


@dataclass(frozen=True)
class RelationStyles:
    """Styles of the relations that are drawn, most used first; from the 25th on they are grey."""

    styles: tuple[RelationStyle, ...]

    @classmethod
    def of(
        cls, patterns: Iterable[Pattern], others: Sequence[tuple[str, bool]] = ()
    ) -> RelationStyles:
        """Style the relations of some patterns, then ``others``, names with their directions.

        A single relation has the colour of the text.
        """
        used: Counter[tuple[str, bool]] = Counter()
        known = dict.fromkeys(others)
        for pattern in patterns:
            kinds = pattern.relations.kinds
            known |= dict.fromkeys(kinds)
            used.update(kinds[number] for number in pattern.edge_relations)
        ranked = [kind for kind, _ in used.most_common()]
        ranked += [kind for kind in known if kind not in used]
        if len(ranked) < 2:
            return cls(tuple(RelationStyle(*kind) for kind in ranked))
        return cls(tuple(RelationStyle(*kind, *_look(i)) for i, kind in enumerate(ranked)))

    @property
    def is_plain(self) -> bool:
        """Whether colour and dashes say nothing, since there is one relation."""
        return len(self.styles) < 2

    def in_order(self, relations: Relations) -> list[RelationStyle]:
        """Style of each relation of a graph."""
        style_of = {(style.name, style.directed): style for style in self.styles}
        kinds = relations.kinds
        return [style_of.get(kind, RelationStyle(*kind, GREY)) for kind in kinds]

    def legend(self, shown: Iterable[RelationStyle] | None = None) -> list[RelationStyle]:
        """Those of the ``shown`` relations (None: all) that a legend has to explain, in order.

        Grey ones are one entry.
        """
        if [style.name for style in self.styles] == [PLAIN_RELATION]:
            return []
        wanted = set(self.styles if shown is None else shown)
        entries = [style for style in self.styles if style in wanted and style.color != GREY]
        others = {style.directed for style in wanted if style.color == GREY}
        return entries + [RelationStyle(_OTHERS, any(others), GREY)] * bool(others)


def _look(number: int) -> tuple[str, str | None]:
    """Colour and dashes of a relation; the dashes change where the colours begin anew."""
    if number >= _MOST_STYLES:
        return GREY, None
    turn = number // len(_COLORS)
    return _COLORS[number % len(_COLORS)], _DASHES[(number + turn) % len(_DASHES)]
