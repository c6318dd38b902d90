"""Figures of findings: the data are in what is drawn, and nothing lies on anything else."""

import itertools
import random

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.colors import to_hex

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining.plots.count_figures import draw_intervals, draw_null_distributions
from mining.plots.figures import (
    count_similarities,
    draw_heat_map,
    draw_similarities,
    draw_similarity_counts,
)
from mining.plots.graph_map import (
    MOST_NODES,
    NONE_COLOR,
    draw_graph_map,
    draw_node_values,
    layout_graph,
)
from mining.plots.node_colors import pattern_palette
from mining.plots.plots import figure_to_svg, new_figure


def texts(ax):
    return [text.get_text() for text in ax.texts]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def is_clean(ax):
    """No two texts of a figure lie on one another, and all are within it."""
    figure = ax.figure
    figure.draw_without_rendering()
    written = [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        written += [tick.label1 for tick in ticks if ax.axison]
    if ax.get_legend() is not None:
        written += ax.get_legend().get_texts()
    boxes = [text.get_window_extent() for text in written if text.get_text()]
    frame = figure.bbox
    inside = all(
        box.x0 >= -1 and box.y0 >= -1 and box.x1 <= frame.x1 + 1 and box.y1 <= frame.y1 + 1
        for box in boxes
    )
    return inside and not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))


class TestSimilarities:
    def similarity(self, best, patterns):
        rows = np.zeros((len(best), max(patterns) + 1))
        rows[np.arange(len(best)), patterns] = best
        return rows

    def test_heights_are_the_counts(self):
        best = [0.11, 0.12, 0.51, 0.51, 0.51, 1.0]
        ax = draw_similarities(self.similarity(best, [0, 0, 0, 1, 1, 1]))
        tops = np.zeros(40)
        for bar in ax.patches:
            tops[round(bar.get_x() * 40)] += bar.get_height()
        expected = np.zeros(40)
        expected[[4, 20, 39]] = [2, 3, 1]
        assert tops.tolist() == expected.tolist()
        assert legend(ax) == ["Pattern 0 (3)", "Pattern 1 (3)"]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("Similarity", "Nodes")
        assert is_clean(ax)

    @pytest.mark.parametrize(("threshold", "reached"), [(0.8, 2), (0.2, 3)])
    def test_the_threshold_is_counted(self, threshold, reached):
        best = self.similarity([0.1, 0.5, 0.8, 0.9], [0, 1, 0, 0])
        ax = draw_similarities(best, threshold=threshold)
        assert texts(ax) == [f"at least {threshold:.2f}:\n{reached} of 4 nodes"]
        assert [line.get_xdata()[0] for line in ax.lines] == [threshold]
        assert is_clean(ax)

    def test_many_patterns(self):
        patterns = list(range(12)) + list(range(8))
        ax = draw_similarities(self.similarity([0.9] * 20, patterns))
        assert legend(ax) == [*(f"Pattern {i} (2)" for i in range(8)), "4 others (4)"]
        colors = {to_hex(bar.get_facecolor()) for bar in ax.patches if bar.get_height()}
        assert len(colors) == 9
        assert is_clean(ax)

    @pytest.mark.parametrize("shape", [(0, 3), (5, 0)])
    def test_nothing(self, shape):
        assert texts(draw_similarities(np.zeros(shape))) == ["There are no similarities to show."]

    def test_counts_alone_draw_the_same(self):
        similarity = self.similarity([0.1, 0.5, 0.8, 0.9], [0, 1, 0, 2])
        counts = count_similarities(similarity.max(axis=1), similarity.argmax(axis=1), 3)
        assert counts.sum(axis=1).tolist() == [2, 1, 1]
        whole, counted = draw_similarities(similarity), draw_similarity_counts(counts)
        assert figure_to_svg(whole.figure) == figure_to_svg(counted.figure)

    def test_a_value_outside_by_rounding_counts_at_the_end(self):
        counts = count_similarities(np.array([-1e-9, 1 + 1e-6]), np.array([0, 0]), 1)
        assert np.flatnonzero(counts[0]).tolist() == [0, 39]

    def test_refusal(self):
        with pytest.raises(InputError, match=r"the shape \[V, P\], got \(3,\)"):
            draw_similarities(np.zeros(3))


class TestIntervals:
    def test_points_and_bars(self):
        readings = {"distinct": [(10, 8, 13), (4, 2, 5)], "exact": [(11, None, None), None]}
        ax = draw_intervals(["Pattern 0", "Pattern 1"], readings)
        distinct, exact = ax.containers
        points, _, (bars,) = distinct
        assert points.get_xdata().tolist() == [10, 4]
        ends = [segment[:, 0].tolist() for segment in bars.get_segments()]
        assert ends == [[8, 13], [2, 5]]
        assert exact[0].get_xdata().tolist() == [11]
        # the readings of a row stand under each other
        assert points.get_ydata()[0] < exact[0].get_ydata()[0]
        assert points.get_marker() != exact[0].get_marker()
        assert [label.get_text() for label in ax.get_yticklabels()] == ["Pattern 0", "Pattern 1"]
        assert ax.get_xlim()[0] <= 0
        assert legend(ax) == ["distinct", "exact"]
        assert is_clean(ax)

    def test_far_apart(self):
        ax = draw_intervals(
            ["a", "b", "c"], {"distinct": [(5000, 4000, 6000), (3, 1, 5), (0, 0, 2)]}
        )
        assert ax.get_xscale() == "symlog"
        assert ax.get_xlim()[0] < 0
        assert ax.get_xlim()[1] > 6000
        assert is_clean(ax)

    def test_without_intervals(self):
        ax = draw_intervals(["a"], {"exact": [(3, None, None)]}, label="Induced occurrences")
        assert ax.get_xlabel() == "Induced occurrences"

    @pytest.mark.parametrize("number", [1, 4, 12])
    def test_clean_at_every_size(self, number):
        rows = [(10.0 * i + 1, 5.0 * i, 20.0 * i + 2) for i in range(number)]
        readings = dict.fromkeys(("assigned", "distinct", "disjoint", "exact"), rows)
        ax = draw_intervals([f"Pattern {i}" for i in range(number)], readings)
        assert is_clean(ax)

    def test_nothing(self):
        assert texts(draw_intervals([], {"a": []})) == ["There are no frequencies to show."]

    def test_refusal(self):
        with pytest.raises(InputError, match="each of the 2 rows, got 1 for 'exact'"):
            draw_intervals(["a", "b"], {"exact": [(1, 1, 1)]})


class TestNullDistributions:
    def test_the_samples_and_the_observed_count(self):
        ax = draw_null_distributions(["a", "b"], [9, 2], [[1, 2, 3], [2, 4, 6]])
        samples, observed = (one for one in ax.collections if isinstance(one, PathCollection))
        assert samples.get_offsets()[:, 0].tolist() == [1, 2, 3, 2, 4, 6]
        assert np.rint(samples.get_offsets()[:, 1]).tolist() == [0, 0, 0, 1, 1, 1]
        assert observed.get_offsets().tolist() == [[9, 0], [2, 1]]
        assert texts(ax) == ["z = +7.0", "z = −1.0"]
        assert legend(ax) == ["observed", "3 random graphs"]
        assert is_clean(ax)

    def test_z_of_ones_own_and_none(self):
        ax = draw_null_distributions(["a", "b"], [1, 1], [[0, 0], [0, 2]], z_scores=[None, 2.34])
        assert texts(ax) == ["z not defined", "z = +2.3"]
        assert texts(draw_null_distributions(["a"], [1], [[0, 0]])) == ["z not defined"]

    @pytest.mark.parametrize("number", [1, 12])
    def test_clean_at_every_size(self, number):
        counts = [[i * 100, i * 100 + 7, i] for i in range(number)]
        names = [f"Pattern {i}" for i in range(number)]
        ax = draw_null_distributions(names, list(range(number)), counts)
        assert is_clean(ax)

    def test_nothing(self):
        ax = draw_null_distributions([], [], [])
        assert texts(ax) == ["There are no patterns to compare with chance."]

    def test_refusal(self):
        with pytest.raises(InputError, match="each of the 1 rows, got 2 and 1"):
            draw_null_distributions(["a"], [1, 2], [[1]])


class TestHeatMap:
    def table(self):
        return pd.DataFrame(
            [[0.5, 1.0], [0.25, np.nan]],
            index=pd.Index([5, 10], name="Copies"),
            columns=pd.Index([0.0, 0.1], name="Noise σ"),
        )

    def test_numbers_are_in_the_cells(self):
        ax = draw_heat_map(self.table(), label="F1", title="Recovery")
        assert texts(ax) == ["0.50", "1.00", "0.25"]
        (mesh,) = (one for one in ax.collections if isinstance(one, QuadMesh))
        assert mesh.get_array().compressed().tolist() == [0.5, 1.0, 0.25]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("Noise σ", "Copies")
        assert mesh.colorbar.ax.get_ylabel() == "F1"
        assert is_clean(ax)

    def test_limits_and_decimals(self):
        ax = draw_heat_map(self.table(), label="F1", decimals=1, limits=(0, 2))
        assert texts(ax) == ["0.5", "1.0", "0.2"]
        assert ax.collections[0].get_clim() == (0, 2)

    def test_nothing(self):
        ax = draw_heat_map(pd.DataFrame(), label="F1")
        assert texts(ax) == ["There are no results to show."]


class TestGraphMap:
    def test_dots_and_lines_are_nodes_and_edges(self):
        graph = nx.cycle_graph(5)
        ax = draw_graph_map(graph, np.array([1, 1, 0, -1, -1]))
        (lines,) = (one for one in ax.collections if isinstance(one, LineCollection))
        groups = [one for one in ax.collections if isinstance(one, PathCollection)]
        places = layout_graph(as_csr(graph))
        drawn = [np.array(segment) for segment in lines.get_segments()]
        assert np.allclose(drawn, places[as_csr(graph).undirected_edges()])
        none, zero, one = groups
        assert np.allclose(none.get_offsets(), places[3:])
        assert np.allclose(zero.get_offsets(), places[2:3])
        assert np.allclose(one.get_offsets(), places[:2])
        assert to_hex(none.get_facecolor()[0]) == NONE_COLOR
        assert to_hex(one.get_facecolor()[0]) == to_hex(pattern_palette()[1])
        assert legend(ax) == ["Pattern 0 (1)", "Pattern 1 (2)", "none (2)"]
        assert is_clean(ax)

    def test_the_most_frequent_have_colours(self):
        pattern_of = np.repeat(np.arange(12), [1, *[3] * 4, 1, 1, *[3] * 4, 1])
        names = [f"the {i}th" for i in range(12)]
        ax = draw_graph_map(nx.path_graph(len(pattern_of)), pattern_of, names=names)
        shown = [f"the {i}th (3)" for i in (1, 2, 3, 4, 7, 8, 9, 10)]
        assert legend(ax) == [*shown, "4 others (4)"]
        assert len({to_hex(color) for color in pattern_palette()}) == 8

    def test_a_collection_lies_side_by_side(self):
        rings = [nx.cycle_graph(size) for size in (3, 9, 70, 4, 5)] + [nx.empty_graph(3)]
        graph = as_csr(rings)
        places = layout_graph(graph)
        owner = np.array(
            [nx.node_connected_component(nx.disjoint_union_all(rings), n) for n in range(94)]
        )
        boxes = {min(nodes): places[list(nodes)] for nodes in owner.tolist()}
        assert len(boxes) == 8
        for one, other in itertools.combinations(boxes.values(), 2):
            apart = np.maximum(one.min(0) - other.max(0), other.min(0) - one.max(0))
            assert apart.max() > 0.1

    def test_the_layout_is_always_the_same(self):
        graph = as_csr(nx.random_regular_graph(3, 200, seed=1))
        assert np.array_equal(layout_graph(graph), layout_graph(graph))

    def test_neighbours_are_near(self):
        graph = as_csr(nx.grid_2d_graph(12, 12))
        places = layout_graph(graph)
        ends = places[graph.undirected_edges()]
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        assert np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean() < 0.3 * apart.mean()

    def test_random_numbers_of_others_go_on(self):
        random.seed(3)
        expected = random.random()
        random.seed(3)
        layout_graph(as_csr(nx.star_graph(80)))
        assert random.random() == expected

    def test_twins_do_not_lie_on_one_another(self):
        graph = as_csr(nx.star_graph(80))
        places = layout_graph(graph)
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        assert apart[np.triu_indices(81, 1)].min() > 1e-3

    def test_values(self):
        ax = draw_node_values(nx.path_graph(3), np.array([0.5, 0.1, 0.9]), label="similarity to 2")
        (dots,) = (one for one in ax.collections if isinstance(one, PathCollection))
        # high values lie on top
        assert dots.get_array().tolist() == [0.1, 0.5, 0.9]
        places = layout_graph(as_csr(nx.path_graph(3)))
        assert np.allclose(dots.get_offsets(), places[[1, 0, 2]])
        assert dots.colorbar.ax.get_ylabel() == "similarity to 2"
        assert dots.get_cmap().name == "viridis"

    def test_refusals(self):
        with pytest.raises(InputError, match="at most 5000 nodes for a map, got 5001"):
            draw_graph_map(nx.empty_graph(MOST_NODES + 1), np.zeros(MOST_NODES + 1, int))
        with pytest.raises(InputError, match=r"for each of the 3 nodes, got the shape \(2,\)"):
            draw_node_values(nx.path_graph(3), np.zeros(2))
        for wrong in (np.zeros(3), np.array([0, -2, 0])):
            with pytest.raises(InputError, match="positions of patterns from 0, or -1 for none"):
                draw_graph_map(nx.path_graph(3), wrong)


DRAWN = {
    "similarities": lambda ax: draw_similarities(np.array([[0.3, 0.9]] * 5), ax, threshold=0.8),
    "intervals": lambda ax: draw_intervals(["a"], {"distinct": [(3, 1, 5)]}, ax),
    "null": lambda ax: draw_null_distributions(["a"], [4], [[1, 2]], ax),
    "heat map": lambda ax: draw_heat_map(pd.DataFrame([[1.0]]), ax, label="F1"),
    "graph map": lambda ax: draw_graph_map(nx.path_graph(3), np.array([0, 1, -1]), ax),
    "values": lambda ax: draw_node_values(nx.path_graph(3), np.arange(3), ax),
    "nothing": lambda ax: draw_similarities(np.zeros((0, 1)), ax),
}


@pytest.mark.parametrize("name", DRAWN)
def test_axes_of_ones_own_or_new_ones(name):
    ax = new_figure(5, 4).add_subplot()
    assert DRAWN[name](ax) is ax
    made = DRAWN[name](None)
    assert isinstance(made, Axes)
    assert figure_to_svg(made.figure) == figure_to_svg(DRAWN[name](None).figure)
