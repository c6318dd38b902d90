"""PlaceExplanation: a place beside the pattern that it shows, as data and as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from gomkcn_dgl.runtime.notebook import html_of
from mining.descriptions.shapes import describe_shape
from mining.records.pattern import Pattern

# names listed before "and 2 more"
_MOST_NAMED = 4


@dataclass(frozen=True)
class FeatureGap:
    """The feature in which a node differs most from the pattern.

    Attributes
    ----------
    name : str
        Of the column.
    value, expected : float
        Of the node and of the pattern, in the input's units.
    """

    name: str
    value: float
    expected: float


@dataclass(frozen=True)
class MatchedPair:
    """A pattern node and the node of the place that plays it.

    Attributes
    ----------
    pattern_node : int
        Position in the pattern.
    node : int, str or None
        The input's own id; None where the place has no node for it.
    level_similarity : tuple of float
        In [0, 1], one for each level 0..t: of the features, then of the walks of each length.
    first_difference : int or None
        The lowest level that differs noticeably: its similarity is lower than what a difference of
        half the range of one feature would leave.
    feature : FeatureGap or None
        Where level 0 differs noticeably.
    """

    pattern_node: int
    node: int | str | None
    level_similarity: tuple[float, ...]
    first_difference: int | None
    feature: FeatureGap | None

    @property
    def similarity(self) -> float:
        """Mean over the levels, in [0, 1]."""
        return float(np.mean(self.level_similarity))


@dataclass(frozen=True)
class PlaceExplanation:
    """A place of a graph beside the pattern that it shows.

    Edges are pairs of *slots*: slot ``i < M`` is pattern node ``i`` and whoever plays it, slot
    ``M + j`` is ``extra_nodes[j]``.

    Attributes
    ----------
    pattern : Pattern
    root : int, str or None
        The node asked for, by the input's own id; None for an occurrence.
    graph : int
        Index of the graph within the collection.
    num_graphs : int
        Graphs in the collection.
    similarity : float
        Normalised score of the place with the pattern, in [0, 1].
    pairs : tuple of MatchedPair
        One for each pattern node, in order.
    extra_nodes : tuple of (int or str)
        Nodes of the place beyond the pattern.
    shared_edges, missing_edges, extra_edges : tuple of (int, int)
        Edges that both have, that the place lacks, and that it has beyond the pattern.

    Notes
    -----
    The alignment is the one under which most edges agree among those within 5 % of the kernel's
    best, so the mean of the pairs may be that much lower than ``similarity``.
    """

    pattern: Pattern
    root: int | str | None
    graph: int
    num_graphs: int
    similarity: float
    pairs: tuple[MatchedPair, ...]
    extra_nodes: tuple[int | str, ...]
    shared_edges: tuple[tuple[int, int], ...]
    missing_edges: tuple[tuple[int, int], ...]
    extra_edges: tuple[tuple[int, int], ...]

    @property
    def levels(self) -> np.ndarray:
        """Similarity of every pair at every level, ``[M, L]``."""
        return np.array([pair.level_similarity for pair in self.pairs])

    @property
    def first_level(self) -> int | None:
        """The lowest level at which a pair differs noticeably; None where none does."""
        first = [p.first_difference for p in self.pairs if p.first_difference is not None]
        return min(first, default=None)

    @property
    def worst_level(self) -> int | None:
        """The level with the lowest mean similarity; None where no pair differs noticeably."""
        return None if self.first_level is None else int(self.levels.mean(axis=0).argmin())

    @property
    def missing_nodes(self) -> tuple[int, ...]:
        """Pattern nodes that nobody plays."""
        return tuple(pair.pattern_node for pair in self.pairs if pair.node is None)

    @property
    def sentence(self) -> str:
        """What a person would say about the place."""
        return f"{self._subject()}, similarity {self.similarity:.2f}: {self._differences()}."

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence

    def slot_name(self, slot: int) -> str:
        """Id of the node in a slot, or the name of the pattern node that nobody plays."""
        if slot >= len(self.pairs):
            return str(self.extra_nodes[slot - len(self.pairs)])
        node = self.pairs[slot].node
        return f"(pattern node {slot})" if node is None else str(node)

    def _subject(self) -> str:
        where = f" of graph {self.graph}" if self.num_graphs > 1 else ""
        name = f"pattern {self.pattern.id} ({describe_shape(self.pattern)})"
        if self.root is None:
            nodes = _listed(
                [str(pair.node) for pair in self.pairs if pair.node is not None], most=9
            )
            return f"The place at {nodes}{where} shows {name}"
        root = f"Node {self.root}{where}"
        for pair in self.pairs:
            if pair.node == self.root:
                return f"{root} is at {_role(self.pattern, pair.pattern_node)} of {name}"
        return f"{root} is next to {name} and no part of it"

    def _differences(self) -> str:
        parts = []
        if self.missing_nodes:
            absent = _counted("pattern node", self.missing_nodes)
            parts.append(f"nobody plays {absent}")
        if self.extra_nodes:
            beyond = _counted("node", self.extra_nodes)
            parts.append(f"{beyond} {_be(self.extra_nodes)} beyond the pattern")
        parts.append(self._edge_differences())
        features = [p for p in self.pairs if p.node is not None and p.feature is not None]
        if features:
            parts.append(_feature_differences(features))
        elif not (self.missing_edges or self.extra_edges) and self.first_level is not None:
            names = [str(p.node) for p in self.pairs if p.first_difference is not None]
            verb = "differs" if len(names) == 1 else "differ"
            parts.append(f"{_counted('node', names)} {verb} first at level {self.first_level}")
        return "; ".join(parts)

    def _edge_differences(self) -> str:
        # an edge to a node that is not there, or beyond the pattern, goes without saying
        inside = range(len(self.pairs))
        missing = [e for e in self.missing_edges if not set(e) & set(self.missing_nodes)]
        extra = [edge for edge in self.extra_edges if edge[1] in inside]
        if not missing and not extra:
            return f"all {'other ' * bool(self.missing_nodes or self.extra_nodes)}edges agree"
        said = []
        for edges, what in ((missing, "missing"), (extra, "beyond the pattern")):
            if edges:
                names = [f"{self.slot_name(u)}–{self.slot_name(v)}" for u, v in edges]
                said.append(f"{_counted('edge', names)} {_be(names)} {what}")
        return "; ".join(said)

    def _repr_html_(self) -> str | None:
        """Both drawn side by side, the sentence and the levels, for a notebook."""
        return html_of(self)


def _role(pattern: Pattern, node: int) -> str:
    degree = nx.Graph(pattern.edges).degree
    hub = pattern.num_nodes >= 4 and [n for n, d in degree if d == pattern.num_nodes - 1] == [node]
    return f"the hub (pattern node {node})" if hub else f"pattern node {node}"


def _feature_differences(pairs: list[MatchedPair]) -> str:
    said = [
        f"{pair.node} ({pair.feature.name} is {pair.feature.value:.3g}, "
        f"{pair.feature.expected:.3g} in the pattern)"
        for pair in pairs
        if pair.feature is not None
    ]
    verb = "differs in its features" if len(said) == 1 else "differ in their features"
    return f"{_counted('node', said)} {verb} (level 0)"


def _counted(noun: str, names: Sequence[Any]) -> str:
    if noun == "edge":
        return f"the edge{'s' * (len(names) > 1)} {_listed(names)}"
    return f"{noun}{'s' * (len(names) > 1)} {_listed(names)}"


def _listed(names: Sequence[Any], most: int = _MOST_NAMED) -> str:
    words = [str(name) for name in names]
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _be(names: Sequence[Any]) -> str:
    return "is" if len(names) == 1 else "are"
