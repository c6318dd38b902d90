"""OccurrenceExplanation: an occurrence beside its pattern, as data and as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.graphs.structure import Structure, edges_of
from gomkcn_dgl.kernels.matching_reference import rbf, similarity_table
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.relations import PLAIN, edge_channels
from gomkcn_dgl.runtime import html_of
from mining.graph_relations import edges_among
from mining.learning.discrete_filters import DiscreteFilters
from mining.learning.neighbourhoods import TIE
from mining.learning.subgraph_source import SubgraphSource
from mining.locating import as_filters
from mining.miner import PatternMiner
from mining.occurrences import Occurrence
from mining.pattern import Pattern, Profile

# similarity that may be given up, as a share of a perfect match, so that more edges agree: with one
# edge removed or added the kernel's optimum disagreed in up to 9 edges and the best mapping in 1,
# for at most .04 less
_SLACK = 0.05
# similarities that are closer than this are equal
_TIE = 1e-5
# all mappings to patterns of so many nodes are compared; to larger ones, exchanges of two nodes
_MAX_ENUMERATED = 8
# both slots of an edge, and its relation
_Row = tuple[int, int, int]
# names listed before "and 2 more"
_MAX_NAMED = 4


class Comparison:
    """Nodes ``rows`` of a graph beside one filter, both padded to the M nodes of the filter."""

    def __init__(
        self, source: SubgraphSource, pattern: DiscreteFilters, graph: CSRGraph, rows: np.ndarray
    ) -> None:
        self.kernel, self.backend, scaling = source.kernel, source.backend, source.scaling
        self.graph, self.rows, kernel = graph, rows, self.kernel
        self.size, width = pattern.num_nodes[0], pattern.adj.shape[1]
        count = len(rows)
        # the adjacency of both, [N, N] or [N, N, C], and features as the kernel sees them
        edges = edges_among(graph, rows)
        numbers = [relation for *_, relation in edges]
        channels = edge_channels(width, [(u, v) for u, v, _ in edges], numbers, graph.relations)
        self.adjacency = channels[..., 0] if channels.shape[2] == 1 else channels
        self.pattern_adjacency = pattern.adj[0].numpy() > 0
        self.structure = pattern.structure(0, graph.relations)
        adj = torch.from_numpy(self.adjacency).float()[None]
        feat = torch.zeros(1, width, pattern.feat.shape[2])
        feat[0, :count] = torch.from_numpy(scaling.scale(graph.features[rows]))
        self.feature_gap = feat[0][:, None].numpy() - pattern.feat[0].numpy()  # [N, M, D]
        self.x, self.z = kernel.embed(adj, feat), kernel.embed(pattern.adj, pattern.feat)
        self.num_nodes = torch.tensor([count])
        sizes = torch.tensor([self.size])
        self.similarity = float(
            kernel.similarity(self.x, self.num_nodes, self.z, sizes, self.backend)
        )
        # half the range of one feature, in units of the scaled features
        self.contrast = float(scaling.contrast[0]) / 2

    @property
    def rank(self) -> float:
        """Similarity as ``mining/learning/neighbourhoods.py`` compares it between patterns."""
        return self.similarity + TIE * self.size * (self._isomorphism is not None)

    def map_nodes(self) -> np.ndarray:
        """Pattern node of each node and of the padding, ``[N]``: of the best, most edges agree."""
        width = self.x.shape[2]
        table = similarity_table(self.x, self.z, self.kernel.bandwidth(self.x.shape[3]))
        scores = table[0, 0].numpy()  # [N, M]
        isomorphisms = self._isomorphisms()
        if len(isomorphisms):
            total = scores[np.arange(self.size), isomorphisms].sum(axis=1)
            return np.append(isomorphisms[total.argmax()], np.arange(self.size, width))
        matched = self.kernel.match(self.x, self.z, self.num_nodes, self.backend)
        mapping = matched.matching[0, 0].numpy().copy()
        used = len(self.rows) if self.kernel.padding == "mask" else width
        mapping[:used] = align_edges(
            scores[:used],
            self.adjacency[:used, :used],
            self.pattern_adjacency,
            mapping[:used],
            _SLACK * self.kernel.largest_score(width),
            pinned=self.kernel.anchor_root,
        )
        return mapping

    def complete(self, known: dict[int, int]) -> np.ndarray:
        """Extend a mapping, row → pattern node, to nodes beyond the pattern and to padding."""
        width = self.x.shape[2]
        mapping = np.full(width, -1)
        mapping[: len(self.rows)] = [known.get(int(row), -1) for row in self.rows]
        unmapped = [node for node in range(width) if node not in known.values()]
        # nodes beyond the pattern face its padding, padding faces what is without a graph node
        open_rows = np.flatnonzero(mapping < 0)
        mapping[open_rows] = unmapped[::-1][: len(open_rows)]
        return mapping

    def level_similarity(self, row: int, node: int) -> tuple[float, ...]:
        """Similarity of a node and a pattern node at each level, in [0, 1]."""
        return self._similarity_at_levels(self.x[0, :, row], node)

    def first_difference(self, similar: tuple[float, ...], node: int) -> int | None:
        """The lowest level that is less similar than one feature changed by half its range."""
        z = self.z[0, :, node]
        changed = z.clone()
        changed[:, 0] += self.contrast / self.kernel.level_scale ** torch.arange(len(z))
        noticeable = self._similarity_at_levels(changed, node)
        pairs = enumerate(zip(similar, noticeable, strict=True))
        return next((level for level, (value, least) in pairs if value < least), None)

    def _similarity_at_levels(self, x: Tensor, node: int) -> tuple[float, ...]:
        """Similarity of embeddings ``x [L, D]`` with those of a pattern node at each level."""
        z = self.z[0, :, node]
        return tuple(
            float(rbf(x[level], z[level], width))
            for level, width in enumerate(self.kernel.bandwidth(self.x.shape[3]))
        )

    @cached_property
    def _isomorphism(self) -> np.ndarray | None:
        """One mapping that keeps all edges, ``[n]``; None where the structures differ."""
        count = len(self.rows)
        if count != self.size:
            return None
        try:
            own = Structure(self.adjacency[:count, :count], self.graph.relations)
        except InputError:
            # not connected
            return None
        return own.isomorphism(self.structure) if own.key == self.structure.key else None

    def _isomorphisms(self) -> np.ndarray:
        """The mappings that keep all edges, and the root where it is anchored, ``[P, n]``."""
        if self._isomorphism is None:
            return np.zeros((0, self.size), dtype=np.int64)
        mappings = self.structure.symmetries[:, self._isomorphism]
        return mappings[mappings[:, 0] == 0] if self.kernel.anchor_root else mappings


def align_edges(
    scores: np.ndarray,
    adjacency: np.ndarray,
    pattern: np.ndarray,
    mapping: np.ndarray,
    slack: float,
    *,
    pinned: bool = False,
) -> np.ndarray:
    """Improve a mapping: fewest edges that disagree first, then the highest similarity.

    Where nodes are equal, such as the rim of a wheel, the kernel's optimum is one of many and need
    not keep the edges. Up to 8 pattern nodes the result is the best there is; for more nodes pairs
    are exchanged for as long as that helps.

    ``scores [N, M]`` are the similarities of N nodes and the M nodes of a pattern, N <= M, and
    ``adjacency [N, N]`` and ``pattern [M, M]`` (bool), or ``[N, N, C]`` and ``[M, M, C]``, their
    edges. The result may be less similar than ``mapping [N]`` by ``slack`` in all. ``pinned`` keeps
    the first node where it is.
    """
    num_nodes, size = scores.shape
    if adjacency.ndim == 3:
        # a channel that neither has cannot disagree
        used = adjacency.any(axis=(0, 1)) | pattern.any(axis=(0, 1))
        adjacency, pattern = adjacency[..., used], pattern[..., used]
    free = range(int(pinned), num_nodes)
    while True:
        if size <= _MAX_ENUMERATED:
            others = np.array(list(permutations(range(size), num_nodes)))
            others = others[(others[:, 0] == mapping[0]) | (not pinned)]
        else:
            others = np.tile(mapping, (len(free) * (len(free) - 1) // 2, 1))
            for row, (i, j) in zip(others, combinations(free, 2), strict=True):
                row[[i, j]] = row[[j, i]]
        candidates = np.vstack([mapping, others])  # [C, N], the mapping itself first
        total = scores[np.arange(num_nodes), candidates].sum(axis=1)
        mapped = pattern[candidates[:, :, None], candidates[:, None, :]]
        num_wrong = (adjacency != mapped).reshape(len(candidates), -1).sum(axis=1)
        # rounding must not exclude the mapping itself
        num_wrong[total < total[0] - slack - _TIE] = adjacency.size + 1
        best = candidates[np.lexsort((-total.round(5), num_wrong))[0]]
        slack -= float(total[0] - scores[np.arange(num_nodes), best].sum())
        if size <= _MAX_ENUMERATED or (best == mapping).all():
            return best
        mapping = best


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
    shared_relations: tuple[int, ...]
    missing_relations: tuple[int, ...]
    extra_relations: tuple[int, ...]

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
        The pattern to compare with; by default the most similar one, and of equally similar ones
        the largest with the same structure.

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
    >>> miner = PatternMiner(num_patterns=1, pattern_size=(5, 5), num_epochs=2).fit(rings)
    >>> explanation = explain_node(miner, rings, 7)
    >>> explanation.similarity, explanation.shared_edges == miner.patterns_[0].edges
    (1.0, True)
    """
    csr = _read(miner, graph)
    root, order = _row_of(csr, node, graph_index), NodeOrder.of(csr)
    numbers = range(len(miner.patterns_)) if pattern_id is None else [_number(miner, pattern_id)]
    comparisons = [
        (Comparison(miner.source_, filter_, csr, rows), number, profile)
        for number in numbers
        for profile, filter_ in _filters(miner, number)
        for rows in _subgraph_rows(miner, order, np.array([root]), filter_.num_nodes[0])
    ]
    best, number, profile = max(comparisons, key=lambda item: item[0].rank)
    explanation = _explain(best, miner.patterns_[number], profile, best.map_nodes())
    return replace(explanation, root=csr.original_ids(np.array([root]))[0])


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
    >>> miner = PatternMiner(num_patterns=1, pattern_size=(5, 5), num_epochs=2).fit(rings)
    >>> explain_occurrence(miner, rings, 0, 0).missing_edges
    ()
    """
    csr = _read(miner, graph)
    number = _number(miner, pattern_id)
    pattern = miner.patterns_[number]
    if not isinstance(occurrence, Occurrence):
        if not len(pattern.occurrences):
            raise InputError(f"occurrence must be one of pattern {pattern_id}, and it has none.")
        last = len(pattern.occurrences) - 1
        occurrence = pattern.occurrences[check_int("occurrence", occurrence, 0, last)]
    if len(occurrence.nodes) != pattern.num_nodes:
        raise InputError(
            f"occurrence must have {pattern.num_nodes} nodes like pattern {pattern_id}, "
            f"got {len(occurrence.nodes)}."
        )
    mapping = {
        _row_of(csr, node, occurrence.graph): number_in_pattern
        for number_in_pattern, node in enumerate(occurrence.nodes)
        if node is not None
    }
    if not 0 < len(mapping) == sum(node is not None for node in occurrence.nodes):
        raise InputError(f"occurrence must hold different nodes, got {list(occurrence.nodes)}.")
    # the neighbourhood of these nodes whose similarity is the recorded one, or they alone
    rows = np.array(list(mapping))
    same = [
        one
        for one in _subgraph_rows(miner, NodeOrder.of(csr), rows, pattern.num_nodes)
        if len(one) == len(rows) and np.isin(rows, one).all()
    ]
    comparisons = [
        (Comparison(miner.source_, filter_, csr, one), profile)
        for profile, filter_ in _filters(miner, number)
        for one in same or [rows]
    ]
    similarity = occurrence.similarity
    best, profile = min(comparisons, key=lambda item: abs(item[0].similarity - similarity))
    return _explain(best, pattern, profile, best.complete(mapping))


def _read(miner: PatternMiner, graph: Any) -> CSRGraph:
    csr = miner.source_.read(graph)
    if not miner.patterns_:
        raise InputError(
            "an explanation needs a pattern, and fit found none; lower min_occurrences."
        )
    return csr


def _number(miner: PatternMiner, pattern_id: int) -> int:
    """Position of a pattern by its id."""
    known = [pattern.id for pattern in miner.patterns_]
    if pattern_id not in known:
        raise InputError(f"pattern_id must be one of {known}, got {pattern_id!r}.")
    return known.index(pattern_id)


def _row_of(csr: CSRGraph, node: int | str | None, graph_index: int) -> int:
    check_int("graph_index", graph_index, 0, csr.num_graphs - 1)
    rows = np.arange(csr.graph_ptr[graph_index], csr.graph_ptr[graph_index + 1])
    ids = csr.original_ids(rows)
    if node not in ids:
        raise InputError(
            f"node must be an id of graph {graph_index}, such as {ids[0]!r}, got {node!r}."
        )
    return int(rows[ids.index(node)])


def _filters(miner: PatternMiner, number: int) -> list[tuple[Profile, DiscreteFilters]]:
    """Each profile of a pattern, and what the kernel takes for it, without padding."""
    pattern = miner.patterns_[number]
    filters = as_filters([pattern], miner.source_)
    return [
        (profile, filters.take([row]).trimmed(pattern.num_nodes))
        for row, profile in enumerate(pattern.profiles)
    ]


def _subgraph_rows(
    miner: PatternMiner, order: NodeOrder, roots: np.ndarray, size: int
) -> list[np.ndarray]:
    """Nodes of the neighbourhoods of some roots, of at most ``size`` nodes, as given."""
    batch = miner.source_.resized(size).extract(order.graph, order.position[roots])
    return [
        order.given(nodes[:size]).astype(np.int64)
        for nodes, size in zip(batch.nodes, batch.num_nodes, strict=True)
    ]


def _explain(
    comparison: Comparison, pattern: Pattern, profile: Profile, mapping: np.ndarray
) -> OccurrenceExplanation:
    """Write down what the mapping, pattern node of each node and padding ``[N]``, shows."""
    csr, rows, size = comparison.graph, comparison.rows, comparison.size
    position = {int(node): member for member, node in enumerate(mapping) if 0 <= node < size}
    pairs = tuple(_pair(comparison, profile, node, position.get(node)) for node in range(size))
    # position of the node in each slot: None for a pattern node without a graph node
    slots = [position.get(node) for node in range(size)]
    slots = [member if member is not None and member < len(rows) else None for member in slots]
    extra = [member for member in range(len(rows)) if member not in slots]
    differences: dict[str, Any] = {}
    for name, edges in _compare_edges(comparison, [*slots, *extra]).items():
        differences[f"{name}_edges"] = tuple((u, v) for u, v, _ in edges)
        differences[f"{name}_relations"] = tuple(relation for *_, relation in edges)
    return OccurrenceExplanation(
        pattern=pattern,
        root=None,
        graph=int(csr.graph_of(rows[:1])[0]),
        num_graphs=csr.num_graphs,
        similarity=comparison.similarity,
        pairs=pairs,
        extra_nodes=tuple(csr.original_ids(rows[extra])),
        **differences,
    )


def _pair(comparison: Comparison, profile: Profile, node: int, member: int | None) -> MatchedPair:
    """Compare a pattern node with a node or the padding of the subgraph, or with nothing."""
    if member is None:
        # padding="mask": what is not there is not compared
        return MatchedPair(node, None, (0.0,) * comparison.x.shape[1], 0, None)
    similar = comparison.level_similarity(member, node)
    first = comparison.first_difference(similar, node)
    if member >= len(comparison.rows):
        return MatchedPair(node, None, similar, first, None)
    csr, row = comparison.graph, comparison.rows[member]
    feature = None
    if first == 0:
        gap = comparison.feature_gap[member, node]
        # of a label that was exchanged for another, the one that the node has
        column = int((np.abs(gap) + 1e-6 * gap).argmax())
        value, expected = float(csr.features[row, column]), float(profile.features[node, column])
        feature = FeatureGap(csr.feature_names[column], value, expected)
    return MatchedPair(node, csr.original_ids(np.array([row]))[0], similar, first, feature)


def _compare_edges(
    comparison: Comparison, slots: list[int | None]
) -> dict[str, list[tuple[int, int, int]]]:
    """Edges between slots that both have, that the occurrence lacks, and that it alone has."""
    index = np.array([-1 if member is None else member for member in slots])
    is_node, size = index >= 0, comparison.size
    # a matrix, or one for each channel
    present = comparison.adjacency[np.ix_(index, index)].copy()
    present[~is_node] = present[:, ~is_node] = False
    expected = np.zeros_like(present)
    expected[:size, :size] = comparison.pattern_adjacency[:size, :size]
    relations = comparison.graph.relations
    return {
        "shared": edges_of(present & expected, relations),
        "missing": edges_of(expected & ~present, relations),
        "extra": edges_of(present & ~expected, relations),
    }
