"""The figure of hyperparameters.py: accuracy over size, with the degrees; over depth and level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.figure import Figure

Lines = list[dict[str, Any]]
_BLUE, _GREY = "#1f77b4", "#dfe3e6"


def draw_sweeps(
    sizes: Mapping[tuple[Any, ...], Lines],
    depths: Mapping[tuple[Any, ...], Lines],
    degrees: Mapping[str, np.ndarray],
) -> Figure:
    """One row for each data set: a curve over the size, and a heat map of layers and levels."""
    figure = Figure(figsize=(10, 3.6 * len(degrees)), layout="constrained")
    axes = figure.subplots(len(degrees), 2, squeeze=False)
    for (curve, heat), (name, degree) in zip(axes, degrees.items(), strict=True):
        _draw_degrees(curve.twinx(), degree, max(key[1] for key in sizes))
        _draw_curve(curve, name, {key[1]: group for key, group in sizes.items() if key[0] == name})
        _draw_heat(heat, name, {key[1:]: group for key, group in depths.items() if key[0] == name})
    return figure


def _test(lines: Lines) -> np.ndarray:
    return 100 * np.array([line["test"] for line in lines])


def _draw_curve(axes: Any, name: str, groups: Mapping[int, Lines]) -> None:
    sizes = sorted(groups)
    mean = np.array([_test(groups[size]).mean() for size in sizes])
    spread = np.array([_test(groups[size]).std() for size in sizes])
    axes.plot(sizes, mean, color=_BLUE, marker="o")
    axes.fill_between(sizes, mean - spread, mean + spread, color=_BLUE, alpha=0.2)
    axes.set(title=name, xlabel="nodes of a subgraph, at most", ylabel="test accuracy, %")
    # in front of the bars of the other axes
    axes.set_zorder(2)
    axes.patch.set_visible(False)


def _draw_degrees(axes: Any, degree: np.ndarray, largest: int) -> None:
    """Share of the nodes whose 1-hop subgraph has a size; the last bar holds all larger ones."""
    count = np.bincount(np.minimum(degree + 1, largest), minlength=largest + 1)[1:]
    axes.bar(range(1, largest + 1), 100 * count / count.sum(), color=_GREY)
    axes.set_ylabel("nodes with such a 1-hop subgraph, %")


def _draw_heat(axes: Any, name: str, groups: Mapping[tuple[Any, ...], Lines]) -> None:
    layers, levels = (sorted({key[part] for key in groups}) for part in (0, 1))
    table = [[_test(groups[layer, level]).mean() for level in levels] for layer in layers]
    sns.heatmap(
        table, annot=True, fmt=".1f", cmap="viridis", ax=axes, xticklabels=levels,
        yticklabels=layers, cbar_kws={"label": "test accuracy, %"},
    )  # fmt: skip
    axes.set(title=name, xlabel="levels t", ylabel="convolutions")
