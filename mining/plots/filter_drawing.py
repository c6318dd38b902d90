"""Filters with their weights and features, responses of nodes, and the loss of a training.

What the page of filters and the page of a classifier share: :class:`FeatureColors` is one rule
for all nodes of a page, :func:`draw_filter` draws a filter by it, :func:`viridis` is the colour of
a response, and :func:`draw_scale` the legend of a range of colours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape

from gomkcn.mining.plots.layout import Drawable
from gomkcn.mining.plots.structure_drawing import draw_structure, edge_names
from gomkcn.mining.plots.styles import Kind
from gomkcn.mining.structures.categories import NO_CATEGORIES, Categories
from gomkcn.mining.structures.fragments import draw_fragment
from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.graphs.structure import Structure, node_letter

# from low (blue) to high (yellow), by equal steps; between them colours are mixed. By S. van der
# Walt and N. Smith (BIDS 2015), from Matplotlib: told apart by every reader and in grey
VIRIDIS = (
    "#440154", "#481467", "#482576", "#463480", "#414487", "#3b528b", "#355f8d", "#2f6c8e",
    "#2a788e", "#25848e", "#21918c", "#1e9c89", "#22a884", "#2fb47c", "#42be71", "#5cc863",
    "#7ad151", "#9bd93c", "#bddf26", "#dde318", "#fde725",
)  # fmt: skip
# the fill of a node without a colour of its own
PLAIN_FILL = "var(--node, #aeb7c1)"
# of one column, and of each of three, from its lowest to its highest value
_ONE_SCALE = (("", "#000000", "#ffffff"),)
_THREE_SCALES = (
    ("red", "#000000", "#ff0000"),
    ("green", "#000000", "#00ff00"),
    ("blue", "#000000", "#0000ff"),
)
# pixels around a curve: at its sides
_SIDE = 4.0
# below it, where the numbers of the epochs are
_BELOW = 15.0
_ABOVE = 6.0
# at its left, for the numbers of the losses
_NUMBERS = 40.0
# height of letters
_LETTERS = 10.0


def viridis(value: float) -> str:
    """The colour of a value in [0, 1], which is clipped to it: blue low, yellow high.

    >>> viridis(0), viridis(0.5), viridis(1)
    ('#440154', '#21918c', '#fde725')
    """
    stops = np.array([[int(color[at : at + 2], 16) for at in (1, 3, 5)] for color in VIRIDIS])
    place = np.linspace(0, 1, len(stops))
    return _hex([float(np.interp(value, place, stops[:, part])) for part in range(3)])


def response_fills(responses: np.ndarray, low: float, high: float) -> list[str]:
    """The colour of the response of each node, ``[V]``, on a scale from ``low`` to ``high``.

    >>> response_fills(np.array([0.25, 0.75]), 0.25, 0.75)
    ['#440154', '#fde725']
    """
    # of responses that are all alike none is high
    span = max(high - low, 1e-9)
    return [viridis((float(value) - low) / span) for value in responses]


# weight of an edge from which it is drawn as a bond: what is lacking could not be seen
_WHOLE_WEIGHT = 0.95


@dataclass(frozen=True, eq=False)
class FeatureColors:
    """How numeric features are shown as colours: one rule for all nodes and filters of a page.

    Of three numeric columns the first is red, the second green and the third blue; one column is a
    scale from black to white. Each column goes from its lowest to its highest value in the graph.
    Other numbers of columns have no colours, and :meth:`legend` says so; columns that are the same
    for all nodes, and categories, which are letters, do not count.

    Attributes
    ----------
    columns : tuple of int
        The columns that are shown, one or three; empty for none.
    names : tuple of str
        Their names.
    low, high : numpy.ndarray
        float64 ``[len(columns)]``, their ranges.
    num_hidden : int
        Numeric columns that vary and have no colour.

    Examples
    --------
    >>> features = np.array([[0, 1, 0.5], [1, 0, 2.5]])
    >>> colors = FeatureColors.find(features, ["a", "b", "c"])
    >>> colors.fills(features)
    ['#00ff00', '#ff00ff']
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    num_hidden: int = 0

    @classmethod
    def find(
        cls, features: np.ndarray, names: Sequence[str], categories: Categories = NO_CATEGORIES
    ) -> FeatureColors:
        """The rule of the nodes of a graph, of ``features [V, D]`` with D ``names``."""
        varying = np.flatnonzero(np.ptp(features, axis=0)).tolist() if len(features) else []
        numeric = [column for column in varying if column not in categories.columns]
        shown = numeric if len(numeric) in (1, 3) else []
        values = np.asarray(features, np.float64)[:, shown]
        return cls(
            tuple(shown),
            tuple(names[column] for column in shown),
            values.min(axis=0, initial=np.inf),
            values.max(axis=0, initial=-np.inf),
            len(numeric) - len(shown),
        )

    def fills(self, features: np.ndarray) -> list[str]:
        """The colour of each node of ``features [M, D]``; a grey where there is no rule."""
        if not self.columns:
            return [PLAIN_FILL] * len(features)
        values = np.asarray(features, np.float64)[:, list(self.columns)]
        shares = np.clip((values - self.low) / (self.high - self.low), 0, 1)
        # a single column is as much red as green and blue
        return [_hex(row) for row in np.broadcast_to(255 * shares, (len(values), 3)).tolist()]

    def words(self, features: np.ndarray) -> list[str]:
        """The shown values of each node, to be read out; empty texts where there are none."""
        values = np.asarray(features, np.float64)[:, list(self.columns)]
        return [", ".join(f"{value:.3g}" for value in row) for row in values.tolist()]

    def legend(self) -> Markup:
        """What colours mean, one line of HTML; empty where all nodes are alike."""
        if self.num_hidden:
            return Markup('<p class="cap">{} numeric features have no colours.</p>').format(
                self.num_hidden
            )
        if not self.columns:
            return Markup()
        scales = _ONE_SCALE if len(self.columns) == 1 else _THREE_SCALES
        parts = [
            draw_scale(float(low), float(high), colors, f"{color} {name}".strip())
            for (color, *colors), name, low, high in zip(
                scales, self.names, self.low, self.high, strict=True
            )
        ]
        return Markup('<p class="cap">Colour of a node: {}</p>').format(Markup(" ").join(parts))


def draw_filter(
    structure: Structure,
    weights: np.ndarray,
    features: np.ndarray,
    colors: FeatureColors,
    width: int = 84,
    height: int = 76,
    *,
    lines: Mapping[Kind, str] | None = None,
    label: str = "",
) -> Markup:
    """Draw a filter: edges as dark as their weights, nodes in the colours of their features.

    The layout is that of :func:`gomkcn.mining.plots.structure_drawing.draw_structure`. Nodes have
    the short names of their categories as letters. A piece of a molecule is drawn as such, see
    :func:`draw_as_molecule`.

    Parameters
    ----------
    structure : Structure
        Of M nodes.
    weights : numpy.ndarray
        ``[M, M]``, or ``[M, M, C]`` for the channels of its relations, in [0, 1].
    features : numpy.ndarray
        ``[M, D]``, in the units of the graph that ``colors`` were found in.
    colors : FeatureColors
        The rule of the page.
    width, height : int
        In pixels.
    lines : mapping, optional
        Those of :func:`gomkcn.mining.plots.styles.line_styles`.
    label : str
        What is read out before the weights of the edges and the features of the nodes.

    Returns
    -------
    Markup
        An SVG whose lines have the colour ``--c`` of the style around it.

    Examples
    --------
    >>> path = Structure.parse("a--b, b--c")
    >>> rule = FeatureColors.find(np.array([[0.0], [4.0]]), ["size"])
    >>> drawing = draw_filter(path, np.full((3, 3), 0.9), np.array([[0.0], [2], [4]]), rule)
    >>> print(drawing[:92])
    <svg role="img" aria-label="edges A–B 0.90, B–C 0.90; size of nodes A 0, B 2, C 4" width="84
    """
    shades = edge_weights(structure, weights)
    caption = "edges " + ", ".join(
        f"{name} {weight:.2f}" for name, weight in zip(edge_names(structure), shades, strict=True)
    )
    if colors.columns:
        values = ", ".join(
            f"{node_letter(node)} {text}" for node, text in enumerate(colors.words(features))
        )
        caption += f"; {', '.join(colors.names)} of nodes {values}"
    caption = f"{label}: {caption}" if label else caption
    molecule = draw_as_molecule(structure, weights, colors, width, height, label=caption)
    if molecule is not None:
        return molecule
    return draw_structure(
        structure,
        width,
        height,
        lines=lines,
        # a name that says which edge is of which relation needs them
        letters=names_nodes(describe_shape(structure)),
        fills=colors.fills(features),
        weights=shades,
        label=caption,
    )


def draw_as_molecule(
    structure: Structure,
    weights: np.ndarray,
    colors: FeatureColors,
    width: int,
    height: int,
    *,
    letters: Sequence[str] = (),
    label: str = "",
) -> Markup | None:
    """Draw a filter as chemists draw a piece of a molecule.

    None where it is none, or shows what such a drawing has not: features as colours, or bonds of
    less than their whole weight. The arguments are those of :func:`draw_filter`; ``letters`` stand
    beside the atoms.
    """
    if colors.columns or min(edge_weights(structure, weights), default=0.0) < _WHOLE_WEIGHT:
        return None
    return draw_fragment(structure, width, height, letters=letters, label=label)


def names_nodes(text: str) -> bool:
    """Whether a text names nodes by their letters.

    >>> names_nodes("feed-forward loop: A activates B, both repress C"), names_nodes("star")
    (True, False)
    """
    return re.search(r"\b[A-J]\b", text) is not None


def has_letters(structure: Drawable) -> bool:
    """Whether nodes have categories, whose short names stand on them."""
    return any(structure.categories)


def edge_weights(structure: Structure, weights: np.ndarray) -> list[float]:
    """The weight of each edge, in their order, from ``[M, M]`` or ``[M, M, C]``.

    >>> path = Structure.parse("a->b, b->c")
    >>> channels = np.arange(18).reshape(3, 3, 2) / 20
    >>> edge_weights(path, channels)
    [0.1, 0.5]
    """
    by_channel = weights.reshape(structure.num_nodes, structure.num_nodes, -1)
    outgoing = structure.relations.outgoing
    rows = zip(structure.edges, structure.edge_relations, strict=True)
    return [float(by_channel[u, v, outgoing[number]]) for (u, v), number in rows]


def draw_scale(low: float, high: float, colors: Sequence[str] = VIRIDIS, name: str = "") -> Markup:
    """A range of colours with its ends, as HTML of one line; by default that of responses.

    >>> print(draw_scale(0, 1, ["#000000", "#ffffff"], "size"))
    <span class="scale">size 0 <i style="background:linear-gradient(90deg,#000000,#ffffff)"></i> \
1</span>
    """
    before = f"{name} " if name else ""
    ends = [_to_span(value, high - low) for value in (low, high)]
    return Markup(
        '<span class="scale">{}{} <i style="background:linear-gradient(90deg,{})"></i> {}</span>'
    ).format(before, ends[0], ",".join(colors), ends[1])


def _to_span(value: float, span: float) -> str:
    """A number to a thousandth of a range.

    >>> _to_span(3.6e-6, 1.0), _to_span(0.4112, 0.5), _to_span(1234.5, 800)
    ('0', '0.411', '1234')
    """
    decimals = max(3 - int(np.ceil(np.log10(span))), 0) if span > 0 else 3
    # adding 0 turns -0.0 into 0.0
    text = f"{round(value, decimals) + 0.0:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def draw_loss_curve(
    losses: Sequence[float],
    width: int = 300,
    height: int = 76,
    *,
    first: int = 0,
    validation: Sequence[float] = (),
    marked: int | None = None,
) -> Markup:
    """Draw the loss of each epoch, and its highest and lowest value.

    Parameters
    ----------
    losses : sequence of float
        One an epoch; a loss that is not finite leaves a gap.
    width, height : int
        In pixels.
    first : int
        The epoch of the first one: 0 where it is the loss before the training.
    validation : sequence of float
        Losses of as many epochs, drawn as a dashed line.
    marked : int, optional
        An epoch with a dot on the last line, such as the best one.

    Returns
    -------
    Markup
        An SVG; empty without any finite loss.

    Examples
    --------
    >>> print(draw_loss_curve([0.5, 0.25, 0.2])[:80])
    <svg role="img" aria-label="loss: 0.5 at epoch 0, 0.2 at epoch 2" width="300" he
    """
    series = [("", losses), ("5 3", validation)]
    finite = [value for _, values in series for value in values if np.isfinite(value)]
    if not finite:
        return Markup()
    low = min(finite)
    high = max(finite)
    size = max(len(losses), len(validation))
    right = width - _SIDE - _NUMBERS
    across = (right - _SIDE) / max(size - 1, 1)
    down = (height - _BELOW - _ABOVE) / max(high - low, 1e-12)

    def point(epoch: int, value: float) -> str:
        return f"{_SIDE + across * epoch:.1f} {_ABOVE + down * (high - value):.1f}"

    base = height - _BELOW + 3
    shapes = f'<path stroke="var(--rule-2, #b9c1ca)" d="M{_SIDE} {base}H{right}"/>'
    dot = ""
    captions = []
    for name, (dashes, values) in zip(("loss", "validation loss"), series, strict=True):
        known = [at for at, value in enumerate(values) if np.isfinite(value)]
        if not known:
            continue
        path = "".join(("L" if at - 1 in known else "M") + point(at, values[at]) for at in known)
        look = f' stroke-dasharray="{dashes}"' if dashes else ""
        shapes += (
            f'<path fill="none" stroke="var(--ink, currentColor)" stroke-width="1.6"{look} '
            f'stroke-linecap="round" d="{path}{"h0" * (len(known) == 1)}"/>'
        )
        ends = [f"{values[at]:.3g} at epoch {first + at}" for at in (known[0], known[-1])]
        captions.append(f"{name}: {', '.join(dict.fromkeys(ends))}")
        if marked is not None and marked - first in known:
            x, y = point(marked - first, values[marked - first]).split()
            dot = f'<circle cx="{x}" cy="{y}" r="3.2" fill="var(--ink, currentColor)"/>'
    letters = (
        f'<text x="{_SIDE}" y="{height - 2}">{first}</text>'
        f'<text x="{(_SIDE + right) / 2}" y="{height - 2}" text-anchor="middle">epoch</text>'
        f'<text x="{right}" y="{height - 2}" text-anchor="end">{first + size - 1}</text>'
        f'<text x="{right + 6}" y="{_ABOVE + 4}">{_to_span(high, high - low)}</text>'
    )
    if high > low:
        letters += f'<text x="{right + 6}" y="{base}">{_to_span(low, high - low)}</text>'
    return Markup(
        f'<svg role="img" aria-label="{escape("; ".join(captions))}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}">{shapes}{dot}'
        f'<g fill="var(--soft, currentColor)" font-size="{_LETTERS:g}">{letters}</g></svg>'
    )


def _hex(parts: Sequence[float]) -> str:
    """Red, green and blue between 0 and 255 as "#rrggbb"."""
    return "#" + "".join(f"{round(part):02x}" for part in parts)
