"""What the report draws beyond the patterns: occurrences and the graph.

All of it is gathered once, while the graph is in memory, and stored in ``drawings.json``, so that a
report can be written again from the folder of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.descriptions.feature_background import FeatureBackground
from mining.miner import PatternMiner
from mining.plots.graph_map import GraphMap
from mining.plots.colors import NodeColors
from mining.plots.surroundings import Surroundings, cut_out, find_rows
from mining.records.pattern import Pattern


@dataclass(frozen=True)
class PatternDrawing:
    """What is drawn of one pattern: node colours ``#rrggbb``, its medoid and some occurrences.

    The keys of ``occurrences`` are positions among the pattern's occurrences: the most similar
    one, the middle one and the least similar one.
    """

    faces: tuple[str, ...]
    medoid: Surroundings
    occurrences: Mapping[int, Surroundings]

    def to_dict(self) -> dict[str, Any]:
        """The entry of ``drawings.json``."""
        return {
            "faces": list(self.faces),
            "medoid": self.medoid.to_dict(),
            "occurrences": {str(at): drawn.to_dict() for at, drawn in self.occurrences.items()},
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> PatternDrawing:
        """Read an entry of ``drawings.json``."""
        occurrences = record["occurrences"].items()
        return cls(
            tuple(record["faces"]),
            Surroundings.from_dict(record["medoid"]),
            {int(at): Surroundings.from_dict(drawn) for at, drawn in occurrences},
        )

    @property
    def all_drawn(self) -> list[Surroundings]:
        """The medoid and the occurrences."""
        return [self.medoid, *self.occurrences.values()]

    @property
    def all_faces(self) -> set[str]:
        """Colours of the pattern, its medoid and its occurrences."""
        return {*self.faces, *(face for one in self.all_drawn for face in one.faces)}


@dataclass(frozen=True)
class RunDrawings:
    """What the report of a run draws beyond its patterns.

    ``patterns`` has one drawing for each pattern, or none; ``legend`` has labels and their colours.
    ``map`` is what the page shows of the graph; None where there are no patterns.
    """

    patterns: tuple[PatternDrawing, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    map: GraphMap | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The record of ``drawings.json``."""
        return {
            "patterns": [drawing.to_dict() for drawing in self.patterns],
            "legend": dict(self.legend),
            "map": self.map and self.map.to_dict(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> RunDrawings:
        """Read the record of ``drawings.json``, which fits its schema.

        Raises ValueError where its parts do not belong together.
        """
        return cls(
            tuple(map(PatternDrawing.from_dict, record["patterns"])),
            tuple(record["legend"].items()),
            record["map"] and GraphMap.from_dict(record["map"]),
        )


def gather_drawings(
    miner: PatternMiner, graph: CSRGraph, background: FeatureBackground
) -> RunDrawings:
    """Gather what the report draws of a miner that was fitted to ``graph``."""
    patterns = miner.patterns_
    if not patterns:
        return RunDrawings()
    colors = NodeColors.choose(background, np.concatenate([p.features for p in patterns]))
    # occurrences are ordered by similarity: the first, the middle and the last one are drawn
    counts = [len(pattern.occurrences) for pattern in patterns]
    drawn = [sorted({0, (count - 1) // 2, count - 1}) if count else [] for count in counts]
    row_of = find_rows(
        graph,
        [
            occurrence
            for pattern, positions in zip(patterns, drawn, strict=True)
            for occurrence in (pattern.medoid, *(pattern.occurrences[at] for at in positions))
        ],
    )

    def draw(pattern: Pattern, positions: list[int]) -> PatternDrawing:
        return PatternDrawing(
            colors.faces(pattern.features),
            cut_out(graph, pattern.medoid, row_of, colors),
            {at: cut_out(graph, pattern.occurrences[at], row_of, colors) for at in positions},
        )

    return RunDrawings(
        tuple(draw(*pair) for pair in zip(patterns, drawn, strict=True)),
        colors.legend,
        GraphMap.of(graph, patterns, colors, background),
    )
