"""An occurrence, or the neighbourhood of a node, beside its pattern: as data and as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from string import ascii_uppercase
from typing import Any

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.graphs.structure import edges_of
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.relations import PLAIN, edge_channels
from gomkcn_dgl.runtime import html_of
from mining.graph_relations import channels_in, edges_among
from mining.miner import PatternMiner
from mining.occurrences import Occurrence
from mining.pattern import Pattern

# all mappings to patterns of so many nodes are compared; to larger ones, exchanges of two nodes
_MAX_ENUMERATED = 8
# names listed before "and 2 more"
_MAX_NAMED = 4
# both pattern nodes of an edge, and its relation
Row = tuple[int, int, int]


@dataclass(frozen=True)
class OccurrenceExplanation:
    """An occurrence of a pattern, node by node and edge by edge.

    Edges are ``(u, v, relation)``: pattern nodes, and a number of ``pattern.relations.names``.

    Attributes
    ----------
    pattern : Pattern
    root : int, str or None
        The node asked for, by the input's own id; None for an occurrence.
    graph : int
        Index of the graph within the collection.
    num_graphs : int
        Graphs in the collection.
    nodes : tuple of (int, str or None)
        The graph node of each pattern node, by the input's own id; None for one without.
    shared, missing, extra : tuple of (int, int, int)
        Edges that both have, that the occurrence lacks, and that it has beyond the pattern.
    features : mapping from int to (str, float, float)
        Of pattern nodes whose graph node differs by half the range of a feature or more: its name,
        the value of the graph node and that of the pattern.

    Notes
    -----
    The node mapping of a neighbourhood is the one under which most edges agree, and of equals the
    one whose features are nearest to the pattern's.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import PatternMiner, explain_node
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(null=None, given=["ring-5"]).fit(rings)
    >>> print(explain_node(miner, rings, 7))
    Node 7 is pattern node A of pattern 0 (cycle of 5 nodes): all edges agree.
    """

    pattern: Pattern
    root: int | str | None
    graph: int
    num_graphs: int
    nodes: tuple[int | str | None, ...]
    shared: tuple[Row, ...]
    missing: tuple[Row, ...]
    extra: tuple[Row, ...]
    features: dict[int, tuple[str, float, float]]

    def __str__(self) -> str:
        """The explanation in one sentence."""
        # 1. what shows which pattern
        name = f"pattern {self.pattern.id} ({describe_shape(self.pattern.structure)})"
        where = f" of graph {self.graph}" if self.num_graphs > 1 else ""
        subject = f"Node {self.root}{where} is next to {name} and no part of it"
        if self.root is None:
            known = [node for node in self.nodes if node is not None]
            subject = f"The occurrence at {_listed(known, most=9)}{where} shows {name}"
        elif self.root in self.nodes:
            letter = ascii_uppercase[self.nodes.index(self.root)]
            subject = f"Node {self.root}{where} is pattern node {letter} of {name}"
        # 2. edges of nodes that are missing or beyond the pattern go without saying
        unmatched = {slot for slot, node in enumerate(self.nodes) if node is None}
        missing = [row for row in self.missing if not {*row[:2]} & unmatched]
        parts = [
            _clause(
                "pattern node", [ascii_uppercase[i] for i in unmatched], "without a graph node"
            ),
            _clause("edge", [self._edge_name(row) for row in missing], "missing"),
            _clause("edge", [self._edge_name(row) for row in self.extra], "beyond the pattern"),
        ]
        if not (missing or self.extra):
            parts.append(f"all {'other ' if any(parts) else ''}edges agree")
        differing = [
            f"{self.nodes[slot]} ({name} is {value:.3g}, {expected:.3g} in the pattern)"
            for slot, (name, value, expected) in self.features.items()
        ]
        parts.append(_clause("node", differing, "different in features"))
        return f"{subject}: {'; '.join(filter(None, parts))}."

    def _repr_html_(self) -> str | None:
        """The sentence and the node mapping, for a notebook."""
        return html_of(self)

    def _edge_name(self, row: Row) -> str:
        """Such as "7–8", "7→8" with a direction, or "7→8 (activates)" with a relation."""
        u, v, number = row
        relations = self.pattern.relations
        name = f"{self.nodes[u]}{'→' if relations.directed[number] else '–'}{self.nodes[v]}"
        return name if relations.names == (PLAIN,) else f"{name} ({relations.names[number]})"


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


def explain_node(
    miner: PatternMiner,
    graph: Any,
    node: int | str,
    *,
    graph_index: int = 0,
    pattern_id: int | None = None,
) -> OccurrenceExplanation:
    """Explain what the neighbourhood of a node has in common with a pattern.

    Parameters
    ----------
    miner : PatternMiner
        Fitted.
    graph : anything :func:`gomkcn.as_csr` takes
        With the features that the miner was fitted on.
    node : int or str
        The input's own id.
    graph_index : int
        Its graph, in a collection.
    pattern_id : int, optional
        The pattern to compare with; by default the one of which fewest edges disagree, and of
        equals the largest.

    Returns
    -------
    OccurrenceExplanation

    Raises
    ------
    InputError
        For a node, graph or pattern that does not exist, or a miner without patterns.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(null=None, given=["ring-5"]).fit(rings)
    >>> len(explain_node(miner, rings, 7).shared)
    5
    """
    csr = _read(miner, graph)
    root, order = _row_of(csr, node, graph_index), NodeOrder.of(csr)
    chosen = miner.patterns_ if pattern_id is None else [_pattern_of(miner, pattern_id)]
    found = []
    for pattern in chosen:
        batch = miner.source_.resized(pattern.num_nodes).extract(
            order.graph, order.position[np.array([root])]
        )
        rows = order.given(batch.nodes[0][: int(batch.num_nodes[0])]).astype(np.int64)
        mapping = _map_nodes(pattern, csr, rows)
        slots = [rows[mapping == slot] for slot in range(pattern.num_nodes)]
        own = _explain(pattern, csr, [int(row[0]) if len(row) else -1 for row in slots])
        found.append(replace(own, root=csr.original_ids(np.array([root]))[0]))
    return min(
        found, key=lambda one: (len(one.missing) + len(one.extra), -len(one.nodes), one.pattern.id)
    )


def explain_occurrence(
    miner: PatternMiner, graph: Any, pattern_id: int, occurrence: int | Occurrence
) -> OccurrenceExplanation:
    """Explain an occurrence of a pattern, with the node mapping of the occurrence.

    Parameters
    ----------
    miner : PatternMiner
        Fitted.
    graph : anything :func:`gomkcn.as_csr` takes
        The graph that was mined.
    pattern_id : int
    occurrence : int or Occurrence
        Position among the pattern's occurrences, one of them, or nodes of your own
        choice.

    Returns
    -------
    OccurrenceExplanation

    Raises
    ------
    InputError
        For a pattern, occurrence or node that does not exist.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(5)] * 6)
    >>> miner = PatternMiner(null=None, given=["ring-5"]).fit(rings)
    >>> explain_occurrence(miner, rings, 0, 0).missing
    ()
    """
    csr, pattern = _read(miner, graph), _pattern_of(miner, pattern_id)
    if not isinstance(occurrence, Occurrence):
        if not len(pattern.occurrences):
            raise InputError(f"occurrence must be one of pattern {pattern_id}, and it has none.")
        last = len(pattern.occurrences) - 1
        occurrence = pattern.occurrences[check_int("occurrence", occurrence, 0, last)]
    nodes = occurrence.nodes
    if len(nodes) != pattern.num_nodes:
        raise InputError(
            f"occurrence must have {pattern.num_nodes} nodes like pattern {pattern_id}, "
            f"got {len(nodes)}."
        )
    rows = [-1 if node is None else _row_of(csr, node, occurrence.graph) for node in nodes]
    known = [row for row in rows if row >= 0]
    if not 0 < len(set(known)) == len(known):
        raise InputError(f"occurrence must hold different nodes, got {list(nodes)}.")
    return _explain(pattern, csr, rows)


def _read(miner: PatternMiner, graph: Any) -> CSRGraph:
    csr = miner.source_.read(graph)
    if not miner.patterns_:
        raise InputError("an explanation needs a pattern, and fit found none.")
    return csr


def _pattern_of(miner: PatternMiner, pattern_id: int) -> Pattern:
    known = [pattern.id for pattern in miner.patterns_]
    if pattern_id not in known:
        raise InputError(f"pattern_id must be one of {known}, got {pattern_id!r}.")
    return miner.patterns_[known.index(pattern_id)]


def _row_of(csr: CSRGraph, node: int | str | None, graph_index: int) -> int:
    check_int("graph_index", graph_index, 0, csr.num_graphs - 1)
    rows = np.arange(csr.graph_ptr[graph_index], csr.graph_ptr[graph_index + 1])
    ids = csr.original_ids(rows)
    if node not in ids:
        raise InputError(
            f"node must be an id of graph {graph_index}, such as {ids[0]!r}, got {node!r}."
        )
    return int(rows[ids.index(node)])


def _adjacency(csr: CSRGraph, rows: np.ndarray) -> np.ndarray:
    """Edges among some nodes by channel, bool ``[N, N, C]``."""
    edges = edges_among(csr, rows)
    return edge_channels(len(rows), edges[:, :2].tolist(), edges[:, 2].tolist(), csr.relations)


def _map_nodes(pattern: Pattern, csr: CSRGraph, rows: np.ndarray) -> np.ndarray:
    """Pattern node of each of N <= M nodes: fewest edges disagree, then the nearest features.

    For patterns of more than 8 nodes pairs are exchanged for as long as that helps.
    """
    size, number = pattern.num_nodes, len(rows)
    own = _adjacency(csr, rows)
    expected = channels_in(csr.relations, pattern.structure)
    far = np.abs(csr.features[rows][:, None] - pattern.features).sum(axis=2)  # [N, M]
    start, mapping = np.arange(number), None
    while mapping is None or not (start == mapping).all():
        mapping = start
        if size <= _MAX_ENUMERATED:
            others = np.array(list(permutations(range(size), number)))
        else:
            others = np.tile(mapping, (number * (number - 1) // 2, 1))
            for row, (i, j) in zip(others, combinations(range(number), 2), strict=True):
                row[[i, j]] = row[[j, i]]
        candidates = np.vstack([mapping, others])
        mapped = expected[candidates[:, :, None], candidates[:, None, :]]
        num_wrong = (own != mapped).reshape(len(candidates), -1).sum(axis=1)
        total = far[np.arange(number), candidates].sum(axis=1).round(5)
        start = candidates[np.lexsort((total, num_wrong))[0]]
    return mapping


def _explain(pattern: Pattern, csr: CSRGraph, rows: list[int]) -> OccurrenceExplanation:
    """Write down what a mapping shows: the row of each pattern node, -1 for none."""
    slots = np.array(rows)
    known = np.flatnonzero(slots >= 0)
    expected = channels_in(csr.relations, pattern.structure)
    present = np.zeros_like(expected)
    present[np.ix_(known, known)] = _adjacency(csr, slots[known])
    # a feature differs by half of its range or more
    half, features = np.ptp(csr.stored_features, axis=0) / 2, {}
    for slot in known.tolist():
        gap = np.where(half > 0, csr.features[slots[slot]] - pattern.features[slot], 0.0)
        column = int((np.abs(gap) / np.maximum(half, 1e-9) + 1e-6 * gap).argmax())
        if half[column] > 0 and np.abs(gap[column]) >= half[column]:
            value = float(csr.features[slots[slot], column])
            told = float(pattern.features[slot, column])
            features[slot] = csr.feature_names[column], value, told
    ids = dict(zip(known.tolist(), csr.original_ids(slots[known]), strict=True))
    relations = csr.relations
    return OccurrenceExplanation(
        pattern=pattern,
        root=None,
        graph=int(csr.graph_of(slots[known[:1]])[0]),
        num_graphs=csr.num_graphs,
        nodes=tuple(ids.get(slot) for slot in range(len(rows))),
        shared=tuple(edges_of(present & expected, relations)),
        missing=tuple(edges_of(expected & ~present, relations)),
        extra=tuple(edges_of(present & ~expected, relations)),
        features=features,
    )
