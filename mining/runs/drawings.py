"""What the report draws beyond the patterns: places in the graph, similarities, the map.

It is gathered once, while the graph is at hand, and kept in ``drawings.json``, so that a report can
be written anew from the folder of a run alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from mining.plots.figures import count_similarities
from mining.plots.graph_map import MOST_NODES
from mining.plots.node_colors import NodeColors
from mining.records.pattern import Pattern
from mining.plots.surroundings import Surroundings, cut_out, find_rows
from mining.descriptions.feature_background import FeatureBackground

if TYPE_CHECKING:
    from mining.miner import PatternMiner

_HEX = re.compile("#[0-9a-f]{6}")


@dataclass(frozen=True)
class PatternDrawing:
    """What is drawn of one pattern.

    Attributes
    ----------
    faces : tuple of str
        Colour of each pattern node, ``#rrggbb``.
    medoid : Surroundings
        The nearest real subgraph.
    occurrences : mapping from int to Surroundings
        By position among the pattern's occurrences: the most similar one, the middle one and the
        least similar one.
    """

    faces: tuple[str, ...]
    medoid: Surroundings
    occurrences: Mapping[int, Surroundings]

    def to_dict(self) -> dict[str, Any]:
        """The record of ``drawings.json``."""
        return {
            "faces": list(self.faces),
            "medoid": self.medoid.to_dict(),
            "occurrences": {str(at): place.to_dict() for at, place in self.occurrences.items()},
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> PatternDrawing:
        """Read a record of ``drawings.json``; the inverse of :meth:`to_dict`."""
        places = record["occurrences"].items()
        return cls(
            tuple(record["faces"]),
            Surroundings.from_dict(record["medoid"]),
            {int(at): Surroundings.from_dict(place) for at, place in places},
        )


@dataclass(frozen=True, eq=False)
class GraphMap:
    """A graph small enough for a map.

    Attributes
    ----------
    edges : numpy.ndarray
        int64 ``[E / 2, 2]``.
    pattern_of : numpy.ndarray
        int64 ``[V]`` position of the pattern that each node is assigned to; -1 for none.
    """

    edges: np.ndarray
    pattern_of: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """The record of ``drawings.json``."""
        return {"edges": self.edges.tolist(), "pattern_of": self.pattern_of.tolist()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> GraphMap:
        """Read a record of ``drawings.json``; the inverse of :meth:`to_dict`."""
        edges = np.array(record["edges"], dtype=np.int64).reshape(-1, 2)
        pattern_of = np.array(record["pattern_of"], dtype=np.int64)
        if len(edges) and not 0 <= edges.min() <= edges.max() < len(pattern_of):
            raise ValueError(f"an edge leaves the {len(pattern_of)} nodes of the map")
        return cls(edges, pattern_of)


@dataclass(frozen=True)
class RunDrawings:
    """What the report of a run draws beyond its patterns.

    Attributes
    ----------
    patterns : tuple of PatternDrawing
        One for each pattern of the run; empty where the graph was not at hand.
    legend : tuple of (str, str)
        Label and its colour; empty where nodes have no labels.
    similarities : tuple of tuple of int
        For each pattern, how many nodes that are nearest to it have a similarity in each of 40
        equal parts of [0, 1].
    map : GraphMap or None
        None for a graph of 5000 nodes or more, and where nothing was found.
    """

    patterns: tuple[PatternDrawing, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    similarities: tuple[tuple[int, ...], ...] = ()
    map: GraphMap | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The record of ``drawings.json``."""
        return {
            "patterns": [drawing.to_dict() for drawing in self.patterns],
            "legend": [list(entry) for entry in self.legend],
            "similarities": [list(counts) for counts in self.similarities],
            "map": None if self.map is None else self.map.to_dict(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> RunDrawings:
        """Read a record of ``drawings.json``; the inverse of :meth:`to_dict`."""
        drawings = cls(
            tuple(PatternDrawing.from_dict(entry) for entry in record["patterns"]),
            tuple((str(name), color) for name, color in record["legend"]),
            tuple(tuple(map(int, counts)) for counts in record["similarities"]),
            None if record["map"] is None else GraphMap.from_dict(record["map"]),
        )
        for color in drawings._colors():
            if not _HEX.fullmatch(color):
                raise ValueError(f"{color!r} is no colour")
        return drawings

    def _colors(self) -> list[str]:
        found = [color for _, color in self.legend]
        for drawing in self.patterns:
            found += drawing.faces
            for place in (drawing.medoid, *drawing.occurrences.values()):
                found += place.faces
        return found


def gather_drawings(
    miner: PatternMiner, graph: CSRGraph, background: FeatureBackground
) -> RunDrawings:
    """Gather what the report of a fitted miner draws.

    Parameters
    ----------
    miner : PatternMiner
        Fitted to ``graph``.
    graph : CSRGraph
    background : FeatureBackground
        Of ``graph``.

    Returns
    -------
    RunDrawings
    """
    patterns = miner.patterns_
    if not patterns:
        return RunDrawings()
    rows = np.concatenate([pattern.features for pattern in patterns])
    colors = NodeColors.choose(background, rows)
    chosen = [_choose_places(len(pattern.occurrences)) for pattern in patterns]
    row_of = find_rows(
        graph,
        [
            place
            for pattern, numbers in zip(patterns, chosen, strict=True)
            for place in (pattern.medoid, *(pattern.occurrences[at] for at in numbers))
        ],
    )

    def draw(pattern: Pattern, numbers: list[int]) -> PatternDrawing:
        return PatternDrawing(
            colors.faces(pattern.features),
            cut_out(graph, pattern.medoid, row_of, colors),
            {at: cut_out(graph, pattern.occurrences[at], row_of, colors) for at in numbers},
        )

    nearest, best = miner.nearest_, miner.nearest_similarity_
    assigned = best >= np.array([pattern.min_similarity for pattern in patterns])[nearest]
    return RunDrawings(
        tuple(draw(*pair) for pair in zip(patterns, chosen, strict=True)),
        colors.legend,
        tuple(map(tuple, count_similarities(best, nearest, len(patterns)).tolist())),
        GraphMap(graph.undirected_edges(), np.where(assigned, nearest, -1))
        if len(nearest) == graph.num_nodes < MOST_NODES
        else None,
    )


def _choose_places(number: int) -> list[int]:
    """The first, the middle and the last of so many, which are ordered by similarity."""
    return sorted({0, (number - 1) // 2, number - 1}) if number else []
