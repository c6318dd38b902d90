"""The pictures of the page on the paper, drawn from the committed results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import paper_results
import seaborn as sns
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator
from paper import frequent, sensitivity

from gomkcn.mining.plots.layout import node_positions

BLUE, ORANGE, GREY = "#0072b2", "#e69f00", "#8b949e"
INK = "#24292f"
# an edge is one above this weight
EDGE = 0.5
# weights below are not drawn
FAINT = 0.1
OURS = paper_results.OURS


def draw_paper_pictures(folder: Path) -> None:
    """Write ``NAME.svg`` for each picture of the page, with the fingerprint of the results."""
    made_of = {"Date": None, "Source": paper_results.fingerprint()}
    style = {"svg.hashsalt": "gomkcn", "svg.fonttype": "path", "font.size": 10}
    with plt.rc_context({**sns.axes_style("whitegrid"), **style}):
        for name, draw in PICTURES.items():
            figure = draw()
            figure.savefig(folder / f"{name}.svg", metadata=made_of, facecolor="white")
            plt.close(figure)


def draw_graph(
    ax: plt.Axes,
    weights: Any,
    colors: Sequence[Any],
    positions: np.ndarray | None = None,
    size: float = 90,
) -> None:
    """A filter: edges as dark as their weight, nodes in the colours given."""
    weights = np.asarray(weights, float)
    if positions is None:
        joined = np.argwhere(np.triu(weights > EDGE, 1))
        positions = node_positions(len(weights), tuple(map(tuple, joined.tolist())))
    ends = np.argwhere(np.triu(weights >= FAINT, 1))
    edges = LineCollection(
        positions[ends],
        colors=[(0.14, 0.16, 0.18, weights[u, v]) for u, v in ends],
        linewidths=2,
        zorder=1,
    )
    ax.add_collection(edges)
    ax.scatter(*positions.T, s=size, c=colors, edgecolors=INK, linewidths=0.8, zorder=2)
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
    ax.axis("off")


def colors_of(features: Any) -> np.ndarray:
    """Three features as red, green and blue, one as a scale from black to white."""
    features = np.clip(np.asarray(features, float), 0, 1)
    return features if features.shape[1] == 3 else np.repeat(features[:, :1], 3, axis=1)


def _circle(size: int) -> np.ndarray:
    angle = np.pi / 2 + 2 * np.pi * np.arange(size) / size
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _drawings(drawing: str) -> dict[str, dict[str, Any]]:
    return {
        line["name"]: line for line in paper_results.lines("drawings") if line["drawing"] == drawing
    }


def _course() -> plt.Figure:
    """Figure 7b: one filter on its way, for both kernels; the target is on the left."""
    courses = _drawings("course")
    frames = len(next(iter(courses.values()))["filters"])
    figure, axes = plt.subplots(len(courses), frames + 1, figsize=(8.4, 3.0), layout="constrained")
    for row, (name, course) in zip(axes, courses.items(), strict=True):
        target = course["target"]
        circle = _circle(len(target["weights"]))
        draw_graph(row[0], target["weights"], colors_of(target["features"]), circle)
        row[0].set_title("target", fontsize=9)
        row[0].text(-1.75, 0, name, rotation=90, va="center", ha="center", fontsize=10)
        for ax, frame in zip(row[1:], course["filters"], strict=True):
            draw_graph(ax, frame["weights"], colors_of(frame["features"]), circle)
            ax.set_title(f"epoch {frame['epoch']}", fontsize=9)
    return figure


def _targets() -> plt.Figure:
    """Figure 7c: targets, and the filters that learnt them."""
    drawn = _drawings("targets")
    columns = max(len(line["pairs"]) for line in drawn.values())
    figure, axes = plt.subplots(2 * len(drawn), columns, figsize=(8.4, 4.4), layout="constrained")
    for number, (features, line) in enumerate(drawn.items()):
        for column, pair in enumerate(line["pairs"]):
            for part, which in enumerate(("target", "learnt")):
                ax, graph = axes[2 * number + part, column], pair[which]
                draw_graph(
                    ax,
                    graph["weights"],
                    colors_of(graph["features"]),
                    _circle(len(graph["weights"])),
                    50,
                )
                if column == 0:
                    text = f"{which},\n{features}"
                    ax.text(-1.8, 0, text, rotation=90, va="center", ha="center", fontsize=8)
    return figure


def _isomorphic() -> plt.Figure:
    """How many of 100 targets are learnt, by their density."""
    names = {"uniform": "features at random", "constant": "constant features"}
    table = pd.DataFrame(
        {
            "edge probability": line["probability"],
            "targets learnt, of 100": line["isomorphic"],
            "kernel": line["kernel"],
            "features": names[line["features"]],
        }
        for line in paper_results.lines("isomorphic")
        if line["kernel"] in ("GOMK", "RWK+")
    )
    figure, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    sns.lineplot(
        table,
        x="edge probability",
        y="targets learnt, of 100",
        hue="kernel",
        style="features",
        palette=[BLUE, ORANGE],
        markers=True,
        ax=ax,
    )
    sns.move_legend(ax, "center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return figure


def _mined() -> plt.Figure:
    """Figure 8b: the filters of the planted graph, with their frequencies."""
    mined = _drawings("mined")
    columns = max(len(line["filters"]) for line in mined.values())
    figure, axes = plt.subplots(
        len(mined), columns, figsize=(8.4, 3.3), layout="constrained", squeeze=False
    )
    for row, (name, line) in zip(axes, mined.items(), strict=True):
        for ax in row:
            ax.axis("off")
        for ax, one in zip(row, line["filters"], strict=False):
            draw_graph(ax, one["weights"], colors_of(one["features"]), size=60)
            color = BLUE if one["motif"] else INK
            ax.set_title(one["motif"] or " ", fontsize=9, color=color)
            counts = f"{one['frequency']:.0f}\n{one['exact']:.0f} exactly"
            ax.text(0, -1.35, counts, ha="center", va="top", fontsize=8, color=color)
        row[0].text(-1.8, 0, name, rotation=90, va="center", ha="center", fontsize=9)
    return figure


def _frequencies() -> plt.Figure:
    """How many nodes belong to the filter of each motif, over the graphs."""
    groups = paper_results.frequent_groups()
    table = pd.DataFrame(
        {
            "motif": motif,
            "nodes": count,
            "counted": counted,
        }
        for line in groups["per_node", "defaults"]
        for counted, key in (("most similar to its filter", "assigned"), ("exactly it", "exact"))
        for motif, count in line[key].items()
    )
    figure, ax = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
    sns.stripplot(
        table, x="motif", y="nodes", hue="counted", dodge=True, palette=[GREY, BLUE], ax=ax, size=4
    )
    line = groups["per_node", "defaults"][0]
    copies = line["settings"]["graph"]["copies"]
    for place, motif in enumerate(line["assigned"]):
        planted = copies * frequent.MOTIFS[motif].num_nodes
        ax.plot([place - 0.4, place + 0.4], [planted] * 2, color=ORANGE, lw=2, zorder=0)
    ax.set(ylim=(0, None), xlabel="", ylabel="nodes")
    sns.move_legend(ax, "center left", bbox_to_anchor=(1, 0.5), frameon=False, title=None)
    return figure


def _responses() -> plt.Figure:
    """Figure 9: a graph of each class, the filter that speaks for it, and its responses."""
    (line,) = _drawings("classifier").values()
    classes = line["classes"]
    figure, axes = plt.subplots(3, len(classes), figsize=(8.4, 6.4), layout="constrained")
    for column, one in enumerate(classes):
        size = len(one["mask"])
        weights = np.zeros((size, size))
        weights[tuple(np.array(one["edges"]).T)] = 1
        weights = np.maximum(weights, weights.T)
        inside = np.array(one["mask"], bool)
        draw_graph(axes[0, column], weights, np.where(inside, ORANGE, "#d0d7de"), size=45)
        axes[0, column].set_title(one["motif"], fontsize=10)
        graph = one["filter"]
        # features were brought near one half for training: the colours are stretched back
        features = np.asarray(graph["features"])
        spread = np.ptp(features) or 1
        draw_graph(
            axes[1, column], graph["weights"], colors_of((features - features.min()) / spread)
        )
        response = np.array(one["response"])
        low, high = response.min(), response.max()
        colors = plt.get_cmap("viridis")((response - low) / (high - low))
        draw_graph(axes[2, column], weights, colors, size=45)
    for ax, text in zip(axes[:, 0], ("test graph", "filter", "response"), strict=True):
        ax.text(-1.6, 0, text, rotation=90, va="center", ha="center", fontsize=10)
    return figure


def _accuracy_picture(name: str) -> plt.Figure:
    """What the paper prints of each model beside what it reached here."""
    experiment, by_key, _ = paper_results.accuracy(name)
    models = paper_results.paper_models(experiment)
    table = pd.DataFrame(
        {
            "data": data,
            "model": model,
            "printed": experiment.printed[model][data][0],
            "here": by_key[model, data].mean,
        }
        for data in experiment.data_sets
        for model in models
        if (model, data) in by_key and data in experiment.printed[model]
    )
    grid = sns.relplot(
        table,
        x="printed",
        y="here",
        hue="model",
        style="model",
        col="data",
        col_wrap=3,
        height=2.3,
        s=60,
        palette=[INK, *sns.color_palette("colorblind", len(models) - 1)],
        facet_kws={"sharex": False, "sharey": False},
    )
    grid.set_titles("{col_name}")
    for ax in grid.axes.flat:
        # one scale for both axes, with room around the marks
        bounds = [*ax.get_xlim(), *ax.get_ylim()]
        room = 0.06 * (max(bounds) - min(bounds))
        low, high = min(bounds) - room, max(bounds) + room
        ax.plot([low, high], [low, high], color=GREY, lw=1, ls="--", zorder=0)
        ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(4))
    return grid.figure


def _size() -> plt.Figure:
    """Figure 10: accuracy by nodes of a subgraph, and the subgraphs that are whole."""
    sets = paper_results.settings("sensitivity")["data"]
    figure, axes = plt.subplots(1, len(sets), figsize=(8.4, 3), layout="constrained")
    whole = {line["data"]: line["held_whole"] for line in paper_results.lines("data_sets")}
    for ax, data in zip(axes, sets, strict=True):
        shares = ax.twinx()
        sizes = np.arange(1, 1 + len(whole[data]))
        shares.bar(sizes, 100 * np.array(whole[data]), color="#d8e6f0", width=0.8)
        shares.set(ylim=(0, 100), ylabel="one-hop subgraphs held whole, %")
        shares.grid(False)
        # the line stands in front of the bars
        ax.set_zorder(shares.get_zorder() + 1)
        ax.patch.set_visible(False)
        points = _accuracies("size", data, "max_nodes")
        table = pd.DataFrame(
            [(size, value) for (size,), values in points.items() for value in values],
            columns=["nodes of a subgraph", "test accuracy, %"],
        )
        errors = {"color": BLUE, "marker": "o", "errorbar": ("pi", 100)}
        sns.lineplot(table, x="nodes of a subgraph", y="test accuracy, %", **errors, ax=ax)
        ax.set_title(data)
    return figure


def _depth() -> plt.Figure:
    """Figure 11: accuracy by layers and levels; what was not run is left white."""
    settings = paper_results.settings("sensitivity")
    grid = settings["figures"]["depth"]
    figure, axes = plt.subplots(1, len(settings["data"]), figsize=(8.4, 3.2), layout="constrained")
    for ax, data in zip(axes, settings["data"], strict=True):
        points = _accuracies("depth", data, "num_layers", "num_steps")
        table = pd.DataFrame(np.nan, grid["num_layers"], grid["num_steps"])
        for (layers, levels), values in points.items():
            table.loc[layers, levels] = np.mean(values)
        # a scale needs two values
        if table.notna().sum(axis=None) > 1:
            sns.heatmap(table, annot=True, fmt=".1f", cmap="viridis", ax=ax, annot_kws={"size": 9})
        title = f"{data}: test accuracy, %" if points else f"{data}: not run"
        ax.set(title=title, xlabel="levels t", ylabel="layers L")
        ax.axis("on" if points else "off")
    return figure


def _accuracies(figure: str, data: str, *names: str) -> dict[tuple[Any, ...], list[float]]:
    return sensitivity.accuracies(paper_results.lines("sensitivity"), figure, data, *names)


def _time() -> plt.Figure:
    """Figure 12: seconds of an epoch."""
    table = pd.DataFrame(
        {"model": line["model"], "data": line["data"], "seconds of an epoch": seconds}
        for line in paper_results.lines("epoch_time")
        if line["model"] != paper_results.epoch_time.EXTRACTION
        for seconds in line["measured"]
    )
    figure, ax = plt.subplots(figsize=(7.4, 3), layout="constrained")
    sns.barplot(
        table,
        x="model",
        y="seconds of an epoch",
        hue="data",
        palette=[BLUE, ORANGE],
        errorbar=("pi", 100),
        ax=ax,
    )
    ax.set(yscale="log", xlabel="")
    sns.move_legend(ax, "upper left", frameon=False, title=None)
    return figure


PICTURES = {
    "course": _course,
    "targets": _targets,
    "isomorphic": _isomorphic,
    "mined": _mined,
    "frequencies": _frequencies,
    "responses": _responses,
    "nodes": lambda: _accuracy_picture("node_classification"),
    "graphs": lambda: _accuracy_picture("graph_classification"),
    "size": _size,
    "depth": _depth,
    "time": _time,
}
