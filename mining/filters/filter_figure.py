"""The figure of the GOMKCN paper: filters with weights, features and instances, and responses.

Drawn by Matplotlib in the style of seaborn, for a notebook or a paper; the page of a run is made by
:mod:`gomkcn.mining.show.filters_page`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gomkcn.mining.filters.filter_bank import FilterBank
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.plots.filter_drawing import FeatureColors, edge_weights
from gomkcn.mining.plots.layout import map_positions
from gomkcn.mining.plots.structure_figure import (
    GAP,
    HEIGHT,
    IN_A_ROW,
    PLAIN,
    SIDE,
    draw_all,
    draw_on_axis,
    plotting,
    structures_figure,
)
from gomkcn.mining.plots.styles import relation_lines
from gomkcn.mining.plots.svg_axes import INK_STYLE
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# side of a map, two of these
_MAP = 4.2
# a map of more nodes is a grey spot
_MOST_NODES = 20_000
# fill of a node that was not compared
_UNKNOWN = "#e3e7eb"
# filters that colours of seaborn tell apart
_MOST_COLORS = 10


class FiltersOnGraph(NamedTuple):
    """A graph of V nodes and what filters say of it: what a map shows."""

    graph: CSRGraph
    labels: np.ndarray  # int64 [V], the filter that each node is nearest to; -1 for none
    responses: np.ndarray  # float32 [V, F], to each filter; NaN for a node that was not compared


def plot_filters(
    filters: tuple[MinedFilter, ...],
    colors: FeatureColors,
    note: str,
    on_graph: FiltersOnGraph | None = None,
    *,
    response_to: int | None = None,
) -> Figure:
    """Draw filters with their instances, and where they respond.

    Parameters
    ----------
    filters : tuple of MinedFilter
    colors : FeatureColors
        Of the features of nodes, see :func:`feature_colors`.
    note : str
        What is drawn where there are no filters.
    on_graph : FiltersOnGraph, optional
        The graph, which is drawn twice: in the colours of the filters, and in those of the response
        to one. None: the filters alone.
    response_to : int, optional
        The number of that filter; by default the first one that is no tree.

    Returns
    -------
    matplotlib.figure.Figure
        Edges are as dark as their weights, nodes have the colours of their features, and categories
        are letters. Where there are no filters it says so.

    Raises
    ------
    InputError
        For a graph of over 20,000 nodes, a number that is none of a filter, or if Matplotlib and
        seaborn are not installed.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn.mining import FilterMiner
    >>> graph = nx.lollipop_graph(4, 4)
    >>> miner = FilterMiner(2, filter_size=4, contrast=False).fit(graph)
    >>> colors = feature_colors(miner.bank_, miner.filters_)
    >>> len(plot_filters(miner.filters_, colors, miner.note_).axes) >= 4
    True
    """
    number = _first_without_tree(filters) if response_to is None else response_to
    if filters:
        check_int("response_to", number, 0, len(filters) - 1)
    if on_graph is not None:
        _check_drawable(on_graph.graph)
    sns, pyplot = plotting()
    # that of seaborn for more than it tells apart
    palette_name = "colorblind" if len(filters) <= _MOST_COLORS else "husl"
    palette = sns.color_palette(palette_name, len(filters)).as_hex()
    lines = relation_lines((), [mined.structure for mined in filters])

    def draw(axis: Axes, at: int) -> None:
        mined = filters[at]
        fills = [
            found if found.startswith("#") else PLAIN for found in colors.fills(mined.features)
        ]
        draw_on_axis(
            axis,
            mined.structure,
            lines,
            title=f"{mined.id}: {mined.name}",
            note=_instances_text(mined),
            color=palette[at],
            style=INK_STYLE,
            letters=False,
            fills=fills,
            weights=edge_weights(mined.structure, mined.weights),
        )

    if on_graph is None or not filters:
        return structures_figure(len(filters), draw, note)
    heights = [HEIGHT * -(-len(filters) // IN_A_ROW), _MAP]
    with sns.axes_style("white"), sns.plotting_context("paper"):
        figure: Figure = pyplot.figure(
            figsize=(SIDE * IN_A_ROW, sum(heights)), layout="constrained"
        )
        # a notebook shows what a cell returns, and would show what is open once more
        pyplot.close(figure)
        parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False).ravel()
        draw_all(parts[0], len(filters), draw)
        engine: Any = figure.get_layout_engine()
        engine.set(hspace=GAP)
        _draw_maps(parts[1], on_graph, number, palette)
    return figure


def feature_colors(
    bank: FilterBank, filters: tuple[MinedFilter, ...], graph: CSRGraph | None = None
) -> FeatureColors:
    """The colours of features: from the graph, or as far as a bank knows their ranges."""
    names = list(bank.feature_names)
    if graph is not None:
        return FeatureColors.find(graph.stored_features, names, bank.categories)
    ends = np.stack([bank.scaling.offset, bank.scaling.offset + bank.scaling.spread])
    # a column that is the same everywhere has its one value in the middle
    middle = ends.mean(axis=0)
    learnt = np.concatenate([middle[None], *(mined.features for mined in filters)])
    ends = np.where(np.isclose(learnt, middle).all(axis=0), middle, ends)
    return FeatureColors.find(ends, names, bank.categories)


def _first_without_tree(filters: tuple[MinedFilter, ...]) -> int:
    """The first filter that is no tree, or the first one."""
    for mined in filters:
        if int(mined.structure.joined.sum()) // 2 >= mined.structure.num_nodes:
            return mined.id
    return 0


def _check_drawable(graph: CSRGraph) -> None:
    """Refuse a graph of which a drawing shows nothing."""
    if graph.num_nodes > _MOST_NODES:
        raise InputError(
            "graph",
            f"must have at most {_MOST_NODES:,} nodes to be drawn",
            got=f"{graph.num_nodes:,}",
            way_out="leave it out to draw the filters alone",
        )


def _instances_text(mined: MinedFilter) -> str:
    """The instances of a filter, here and in random graphs."""
    is_single = mined.instances.is_exact and mined.instances.value == 1
    about = "≈ " if mined.instances.state == "estimated" else ""
    text = f"{about}{mined.instances.short} {'instance' if is_single else 'instances'}"
    random = mined.random_instances
    return text if random is None else f"{text}\nrandom graphs: {random}"


def _draw_maps(part: Any, on_graph: FiltersOnGraph, number: int, palette: list[str]) -> None:
    """The graph in the colours of the filters, and of the responses to one."""
    from matplotlib.collections import LineCollection

    graph, labels, responses_to_all = on_graph
    pairs = graph.adjacent_pairs()
    ones = np.ones(graph.num_nodes)
    plain = csr_from_edges(
        pairs[:, 0], pairs[:, 1], graph.num_nodes, features=ones, undirected=True
    )
    points = map_positions(plain) * [1, -1]
    first, second = part.subplots(1, 2)
    for axis in (first, second):
        axis.add_collection(
            LineCollection(list(points[pairs]), colors="#cbd2d9", linewidths=0.5, zorder=1)
        )
        axis.set(aspect="equal")
        axis.set_axis_off()
    size = float(np.clip(9000 / max(1, graph.num_nodes), 4, 60))
    fills = np.array([*palette, _UNKNOWN])[labels]
    first.scatter(*points.T, s=size, c=fills, linewidths=0, zorder=2)
    first.set_title("The filter that a node is nearest to")
    responses = responses_to_all[:, number]
    known = np.flatnonzero(~np.isnan(responses))
    # a high response lies on top
    known = known[np.argsort(responses[known], kind="stable")]
    drawn = second.scatter(
        *points[known].T, s=size, c=responses[known], cmap="viridis", linewidths=0, zorder=2
    )
    second.set_title(f"Response to filter {number}")
    part.colorbar(drawn, ax=second, shrink=0.6)
