"""OccurrenceExplanation: an occurrence beside its pattern, as data and as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime import html_of
from mining.records.pattern import Pattern

# both slots of an edge, and its relation
_Row = tuple[int, int, int]
# names listed before "and 2 more"
_MAX_NAMED = 4


@dataclass(frozen=True)
class FeatureGap:
    """The feature in which a node differs most from the pattern, both in the input's units."""

    name: str
    value: float
    expected: float


@dataclass(frozen=True)
class MatchedPair:
    """A pattern node and its graph node.

    Attributes
    ----------
    pattern_node : int
        Position in the pattern.
    node : int, str or None
        The input's own id; None where the pattern node has no graph node.
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


@dataclass(frozen=True)
class OccurrenceExplanation:
    """An occurrence of a pattern, node by node and edge by edge.

    Edges are pairs of *slots*: slot ``i < M`` is pattern node ``i`` and its graph node, slot
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
        Normalised score of the occurrence with the pattern, in [0, 1].
    pairs : tuple of MatchedPair
        One for each pattern node, in order.
    extra_nodes : tuple of (int or str)
        Nodes of the occurrence beyond the pattern.
    shared_edges, missing_edges, extra_edges : tuple of (int, int)
        Edges that both have, that the occurrence lacks, and that it has beyond the pattern; from
        the first slot to the second where they have a direction.
    shared_relations, missing_relations, extra_relations : tuple of int
        The relation of each of these edges, a number of ``pattern.relations.names``.

    Notes
    -----
    The node mapping is the one under which most edges agree among those within 5 % of the kernel's
    best, so the mean of the pairs may be that much lower than ``similarity``.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import PatternMiner, explain_node
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(num_patterns=1, pattern_size=(5, 5), num_epochs=2).fit(rings)
    >>> explain_node(miner, rings, 7).levels.shape
    (5, 4)
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
    shared_relations: tuple[int, ...] = ()
    missing_relations: tuple[int, ...] = ()
    extra_relations: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for kind in ("shared", "missing", "extra"):
            if not getattr(self, f"{kind}_relations"):
                alike = (0,) * len(getattr(self, f"{kind}_edges"))
                object.__setattr__(self, f"{kind}_relations", alike)

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
    def missing_nodes(self) -> tuple[int, ...]:
        """Pattern nodes without a graph node."""
        return tuple(pair.pattern_node for pair in self.pairs if pair.node is None)

    @property
    def sentence(self) -> str:
        """The explanation in one sentence."""
        name = f"pattern {self.pattern.id} ({describe_shape(self.pattern.structure)})"
        return f"{self._subject(name)}, similarity {self.similarity:.2f}: {self._differences()}."

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence

    def _repr_html_(self) -> str | None:
        """Pattern and occurrence side by side, the sentence and the levels, for a notebook."""
        return html_of(self)

    def _subject(self, name: str) -> str:
        where = f" of graph {self.graph}" if self.num_graphs > 1 else ""
        if self.root is None:
            nodes = [pair.node for pair in self.pairs if pair.node is not None]
            return f"The occurrence at {_listed(nodes, most=9)}{where} shows {name}"
        for pair in self.pairs:
            if pair.node == self.root:
                return f"Node {self.root}{where} is pattern node {pair.pattern_node} of {name}"
        return f"Node {self.root}{where} is next to {name} and no part of it"

    def _differences(self) -> str:
        # edges of nodes that are missing or beyond the pattern go without saying
        missing = [
            row
            for row in _rows(self.missing_edges, self.missing_relations)
            if not set(row[:2]) & set(self.missing_nodes)
        ]
        size = len(self.pairs)
        extra = [
            row
            for row in _rows(self.extra_edges, self.extra_relations)
            if row[0] < size and row[1] < size
        ]
        any_differs = bool(missing or extra)
        reversed_, changed = self._take_pairs(missing, extra)
        parts = [
            _clause("pattern node", self.missing_nodes, "without a graph node"),
            _clause("node", self.extra_nodes, "beyond the pattern"),
            _clause("edge", list(map(self._edge_name, reversed_)), "reversed"),
            *changed,
            _clause("edge", list(map(self._edge_name, missing)), "missing"),
            _clause("edge", list(map(self._edge_name, extra)), "beyond the pattern"),
        ]
        if not any_differs:
            parts.append(f"all {'other ' if any(parts) else ''}edges agree")
        features = [
            f"{pair.node} ({pair.feature.name} is {pair.feature.value:.3g}, "
            f"{pair.feature.expected:.3g} in the pattern)"
            for pair in self.pairs
            if pair.node is not None and pair.feature is not None
        ]
        parts.append(_clause("node", features, "different in features (level 0)"))
        if not (features or self.missing_edges or self.extra_edges):
            names = [pair.node for pair in self.pairs if pair.first_difference is not None]
            parts.append(_clause("node", names, f"different from level {self.first_level} on"))
        return "; ".join(part for part in parts if part)

    def _take_pairs(self, missing: list[_Row], extra: list[_Row]) -> tuple[list[_Row], list[str]]:
        """Take out edges that are there in the other direction, or with another relation."""
        directed, names = self.pattern.relations.directed, self.pattern.relations.names
        reversed_ = [(u, v, r) for u, v, r in missing if directed[r] and (v, u, r) in extra]
        for u, v, r in reversed_:
            missing.remove((u, v, r))
            extra.remove((v, u, r))
        changed = []
        for u, v, r in missing[:]:
            # of two relations of one direction kind, edges between the same nodes
            same = [row for row in extra if row[:2] == (u, v) and directed[row[2]] == directed[r]]
            if same:
                missing.remove((u, v, r))
                extra.remove(same[0])
                name = self._edge_name((u, v, r), relation=False)
                changed.append(f"edge {name} is “{names[same[0][2]]}”, not “{names[r]}”")
        return reversed_, changed

    def _edge_name(self, row: _Row, *, relation: bool = True) -> str:
        """Such as "7–8", "7→8" with a direction, or "7→8 (activates)" with a relation."""
        u, v, number = row
        relations, nodes = self.pattern.relations, [pair.node for pair in self.pairs]
        arrow = "→" if relations.directed[number] else "–"
        name = f"{nodes[u]}{arrow}{nodes[v]}"
        named = relation and relations.names != (PLAIN,)
        return f"{name} ({relations.names[number]})" if named else name


def _rows(edges: Sequence[tuple[int, int]], relations: Sequence[int]) -> list[_Row]:
    return [(u, v, relation) for (u, v), relation in zip(edges, relations, strict=True)]


def _clause(noun: str, names: Sequence[object], text: str) -> str:
    """Such as "edges 1–2 and 2–3 are missing"; nothing without names."""
    if not names:
        return ""
    one = len(names) == 1
    return f"{noun}{'' if one else 's'} {_listed(names)} {'is' if one else 'are'} {text}"


def _listed(names: Sequence[object], most: int = _MAX_NAMED) -> str:
    words = [str(name) for name in names]
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
