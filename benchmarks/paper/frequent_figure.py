"""The figure of frequent.py: every pattern of one graph, named where it is a planted motif."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from mining.plots.plots import INK, draw_pattern, feature_colors
from mining.records.frequency import Frequency
from mining.records.pattern import Pattern

_COLUMNS = 8


def draw_found(found: Sequence[tuple[str, Mapping[str, Any]]]) -> Figure:
    """Draw the patterns of each miner in a block of their own, most frequent first."""
    heights = [0.35 + 1.9 * math.ceil(max(1, line["num_patterns"]) / _COLUMNS) for _, line in found]
    figure = Figure(figsize=(1.6 * _COLUMNS, sum(heights)), layout="constrained")
    blocks = figure.subfigures(len(found), 1, height_ratios=heights, squeeze=False)[:, 0]
    for block, (name, line) in zip(blocks, found, strict=True):
        motifs = line["motifs"]
        block.suptitle(
            f"{name}: {line['recovered']} of {len(motifs)} motifs",
            color=INK, fontsize=11, x=0.01, ha="left",
        )  # fmt: skip
        _draw_block(block, line)
    return figure


def _draw_block(block: Any, line: Mapping[str, Any]) -> None:
    patterns = [
        Pattern.from_dict(_complete(record), _feature_names(record)) for record in line["patterns"]
    ]
    name_of = {number: motif["name"] for motif in line["motifs"] for number in motif["patterns"]}
    rows = math.ceil(max(1, len(patterns)) / _COLUMNS)
    axes = block.subplots(rows, _COLUMNS, squeeze=False)
    for ax in axes.flat:
        ax.set_axis_off()
    colors = feature_colors(patterns) if patterns else []
    for ax, pattern, shades in zip(axes.flat, patterns, colors, strict=False):
        draw_pattern(pattern, ax, colors=shades)
        motif = name_of.get(pattern.id)
        ax.set_title(
            f"{motif or 'not planted'}\n{pattern.frequency.distinct} distinct, "
            f"{pattern.frequency.assigned} assigned",
            color=INK,
            fontsize=8,
            fontweight="bold" if motif else "normal",
        )


def _complete(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a line holds of a pattern, with empty entries for what it does not."""
    counts = Frequency(
        record["frequency"]["assigned"], record["frequency"]["distinct"], 0
    ).to_dict()
    empty = {"min_similarity": 0.0, "significance": {}}
    return {**empty, **record, "occurrences": [], "frequency": counts}


def _feature_names(record: Mapping[str, Any]) -> list[str]:
    return [str(number) for number in range(len(record["features"][0]))]
