"""The figure of noisy_copies.py: one heat map a way, damage by features, motifs recovered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

# features, edges deleted and added in per cent, mean number of motifs
Mean = tuple[str, float, float, float]


def draw_recovery(means: Mapping[str, Sequence[Mean]], path: Path) -> None:
    """Draw one heat map a way and write them as SVG, the same for the same numbers."""
    figure = Figure(figsize=(3.2 * len(means) + 2, 3.6), layout="constrained")
    axes = figure.subplots(1, len(means), sharey=True, squeeze=False)[0]
    for ax, (way, rows) in zip(axes, means.items(), strict=True):
        frame = pd.DataFrame(
            [(features, f"{lost:g}, {added:g}", mean) for features, lost, added, mean in rows],
            columns=["features", "damage", "recovered"],
        )
        table = frame.pivot_table("recovered", "features", "damage", sort=False)
        last = ax is axes[-1]
        sns.heatmap(
            table, annot=True, fmt=".2f", vmin=0, vmax=4, cmap="viridis", ax=ax, cbar=last,
            cbar_kws={"label": "motifs recovered of 4 (mean)"} if last else None,
        )  # fmt: skip
        ax.set(title=way, xlabel="edges deleted, added (%)", ylabel="features")
        ax.tick_params(axis="y", rotation=0)
        ax.tick_params(axis="x", rotation=0)
        ax.label_outer()
    with matplotlib.rc_context({"svg.hashsalt": "noisy_copies", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})
