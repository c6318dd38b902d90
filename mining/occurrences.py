"""Step 5: where the patterns occur.

Under the rule ``"isomorphic"`` a subgraph shows a pattern when its structure is exactly the
pattern's, whatever its features; among patterns of the same structure it counts for the most
similar one. Under ``"similar"`` it does when the pattern is its nearest and at least
``min_similarity`` similar, so that inexact occurrences count as well. Subgraphs with the same nodes
are one occurrence; so are, under ``"similar"``, those that share more than half of their nodes. How
often that is, ``mining/frequencies.py`` says.

A pattern of which few copies are intact (``mining/noise/noisy_patterns.py``) has similar
occurrences under both rules: under ``"isomorphic"`` the subgraphs of which it is the nearest such
pattern, and that show none of the other patterns exactly.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import torch

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.matching import GOMKSettings
from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.patterns import Medoid, Occurrence, SnappedFilters
from mining.roles import find_roles
from mining.subgraph_types import SubgraphTypes
from mining.topology import CanonicalForms

log = logging.getLogger("gomkcn_dgl")

OCCURRENCE_RULES = ("isomorphic", "similar")

# scores closer to a perfect match than this are the kernel's word for "the same"
_INDISTINCT = 1e-3
# what decides between two patterns of equal similarity
_TIE = 1e-5


@dataclass(frozen=True)
class PatternPlaces:
    """Where one pattern occurs.

    Attributes
    ----------
    roots : numpy.ndarray
        Different roots assigned to the pattern, ``[R]`` nodes of the graph.
    occurrences : tuple of Occurrence
        One for each distinct node set, most similar first.
    node_sets : numpy.ndarray
        ``[K, N]`` nodes of the graph in each occurrence, row for row; -1 = padding.
    medoid : Medoid
        The nearest real subgraph.
    min_similarity : float
        The threshold that was applied.
    """

    roots: np.ndarray
    occurrences: tuple[Occurrence, ...]
    node_sets: np.ndarray
    medoid: Medoid
    min_similarity: float

    @property
    def assigned(self) -> int:
        """Roots assigned to the pattern."""
        return len(self.roots)


@dataclass(frozen=True)
class Shares:
    """How several patterns share the subgraphs of a graph.

    Attributes
    ----------
    assigned : list of numpy.ndarray
        Subgraphs assigned to each pattern.
    shown : list of numpy.ndarray
        Subgraphs that show each pattern, one for each node set.
    """

    assigned: list[np.ndarray]
    shown: list[np.ndarray]


class OccurrenceFinder:
    """Find the occurrences of snapped filters among the subgraphs of a graph.

    Parameters
    ----------
    graph : CSRGraph
    features : numpy.ndarray
        ``[V, D]`` scaled features.
    batch : SubgraphBatch
        The subgraphs of ``graph``, without weights.
    types : SubgraphTypes
        Types of ``batch``.
    kernel : GOMKSettings
    backend : str
    """

    def __init__(
        self,
        graph: CSRGraph,
        features: np.ndarray,
        batch: SubgraphBatch,
        types: SubgraphTypes,
        kernel: GOMKSettings,
        backend: str,
    ) -> None:
        self.graph, self.features, self.batch = graph, features, batch
        self.types, self.kernel, self.backend = types, kernel, backend
        self.forms = CanonicalForms(batch)
        self.node_sets = batch.node_sets()

    def find(
        self, snapped: SnappedFilters, rule: str, min_similarity: float | np.ndarray
    ) -> list[PatternPlaces]:
        """Return the places of each pattern, in the order of ``snapped``."""
        return self.find_frequent(snapped, rule, min_similarity, min_support=0)[1]

    def find_frequent(
        self,
        snapped: SnappedFilters,
        rule: str,
        min_similarity: float | np.ndarray,
        min_support: int,
    ) -> tuple[SnappedFilters, list[PatternPlaces]]:
        """Drop the patterns with fewer than ``min_support`` occurrences; find those of the rest.

        ``min_similarity`` is one threshold, or one for each pattern ``[F]``. The rarest pattern is
        dropped first, and then all are counted anew: a pattern of the same structure takes over the
        occurrences of the one dropped.
        """
        least = np.broadcast_to(min_similarity, len(snapped.num_nodes))
        certificates, noisy = snapped.certificates(), np.array(snapped.noisy, bool)
        similarity, own = self.similarity(snapped), self._have(certificates)
        kept = list(range(len(certificates)))
        while kept:
            # the patterns left compete for every subgraph
            shares = self._share(
                [certificates[number] for number in kept],
                rule,
                least[kept],
                similarity[:, kept],
                own[:, kept],
                noisy[kept],
            )
            counts = [len(rows) for rows in shares.shown]
            if min(counts) >= min_support:
                break
            kept.pop(counts.index(min(counts)))
        if len(kept) < len(least):
            log.info(
                "dropped %d patterns with fewer than %d distinct occurrences",
                len(least) - len(kept),
                min_support,
            )
        places = [
            self._places(
                snapped.take([number]),
                shares.assigned[i],
                shares.shown[i],
                similarity[:, number],
                best=int((similarity[:, number] + _TIE * own[:, number]).argmax()),
                min_similarity=float(least[number]),
            )
            for i, number in enumerate(kept)
        ]
        return snapped.take(kept), places

    def count(
        self,
        snapped: SnappedFilters,
        rule: str,
        min_similarity: np.ndarray,
        typical: np.ndarray,
    ) -> np.ndarray:
        """Count the distinct occurrences of each pattern that are at least ``typical [F]`` similar.

        The patterns compete for the subgraphs as in :meth:`find`.
        """
        certificates = snapped.certificates()
        similarity, own = self.similarity(snapped), self._have(certificates)
        noisy = np.array(snapped.noisy, bool)
        shown = self._share(certificates, rule, min_similarity, similarity, own, noisy).shown
        return np.array(
            [
                (similarity[rows, number] >= typical[number] - _TIE).sum()
                for number, rows in enumerate(shown)
            ],
            dtype=np.int64,
        )

    def same_structure(self, snapped: SnappedFilters) -> np.ndarray:
        """Which subgraphs have exactly the structure of which pattern, bool ``[S, F]``."""
        return self._have(snapped.certificates())

    def _have(self, certificates: list[bytes]) -> np.ndarray:
        return np.stack([self.forms.has(certificate) for certificate in certificates], axis=1)

    def nearest(self, similarity: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Nearest pattern of each subgraph, ``[S]``.

        Patterns that the kernel cannot tell apart are told apart by their structure.
        """
        return (similarity + _TIE * own).argmax(axis=1)

    def _share(
        self,
        certificates: list[bytes],
        rule: str,
        min_similarity: np.ndarray,
        similarity: np.ndarray,
        own: np.ndarray,
        noisy: np.ndarray,
    ) -> Shares:
        nearest = self.nearest(similarity, own)
        held = np.take_along_axis(similarity, nearest[:, None], axis=1)[:, 0]
        held = held >= min_similarity[nearest]
        assigned = [np.flatnonzero((nearest == i) & held) for i in range(similarity.shape[1])]
        if rule == "isomorphic":
            shown = self._isomorphic_rows(certificates, own, similarity)
            free = ~own[:, ~noisy].any(axis=1)
            for i in np.flatnonzero(noisy):
                rows = free & (similarity[:, i] >= min_similarity[i])
                rows &= similarity[:, i] >= similarity[:, noisy].max(axis=1)
                shown[i] = self.one_of_each_place(np.flatnonzero(rows), similarity[rows, i])
        else:
            shown = [
                self.one_of_each_place(row, similarity[row, i]) for i, row in enumerate(assigned)
            ]
        return Shares(assigned, shown)

    def _places(
        self,
        pattern: SnappedFilters,
        assigned: np.ndarray,
        shown: np.ndarray,
        similarity: np.ndarray,
        best: int,
        min_similarity: float,
    ) -> PatternPlaces:
        """Describe the subgraphs that show a pattern, and the one that is nearest to it."""
        shown = shown[np.argsort(-similarity[shown], kind="stable")]
        *found, nearest = self._describe(np.append(shown, best), pattern, similarity)
        return PatternPlaces(
            roots=np.unique(self.batch.roots[assigned]),
            occurrences=tuple(found),
            node_sets=self.batch.nodes[shown],
            medoid=self._medoid(best, nearest),
            min_similarity=min_similarity,
        )

    def add_lookalikes(self, snapped: SnappedFilters) -> SnappedFilters:
        """Add the structures that the kernel cannot tell from a filter's own.

        With constant features, graphs whose walk counts agree score alike with every filter (the
        paper's Proposition 6 asks for full rank), and a filter has the structure of one of them.
        """
        similarity = self.similarity(snapped)
        known = set(snapped.certificates())
        added = [snapped]
        for number, size in enumerate(snapped.num_nodes):
            alike = similarity[:, number] > 1 - _INDISTINCT
            for row in self.forms.first_rows(alike & (self.batch.num_nodes == size)):
                if self.forms.certificate(row) in known:
                    continue
                known.add(self.forms.certificate(row))
                one = self.batch.take(np.array([row]))
                adj = torch.from_numpy(one.adjacency())
                feat = torch.from_numpy(one.gather(self.features))
                added.append(SnappedFilters(adj, feat, adj, (size,)))
        return SnappedFilters.join(added)

    def similarity(self, snapped: SnappedFilters) -> np.ndarray:
        """Normalised score of every subgraph with every pattern, ``[S, F]``."""
        z = self.kernel.embed(snapped.adj, snapped.feat)
        sizes = torch.tensor(snapped.num_nodes)
        parts = zip(self.types.levels.split(4096), self.types.num_nodes.split(4096), strict=True)
        per_type = [
            self.kernel.similarity(x, num_nodes, z, sizes, self.backend) for x, num_nodes in parts
        ]
        return torch.cat(per_type).numpy()[self.types.type_of]

    def _isomorphic_rows(
        self, certificates: list[bytes], own: np.ndarray, similarity: np.ndarray
    ) -> list[np.ndarray]:
        """Subgraphs of exactly a pattern's structure, each node set for its most similar pattern.

        ``own [S, F]`` says which subgraphs have the structure of which pattern.
        """
        shown = [np.empty(0, np.int64)] * len(certificates)
        for certificate in dict.fromkeys(certificates):
            numbers = [i for i, other in enumerate(certificates) if other == certificate]
            rows = np.flatnonzero(own[:, numbers[0]])
            among = similarity[rows][:, numbers]
            rows = self._distinct(rows, among.max(axis=1))
            best = similarity[rows][:, numbers].argmax(axis=1)
            for position, number in enumerate(numbers):
                shown[number] = rows[best == position]
        return shown

    def _distinct(self, rows: np.ndarray, similarity: np.ndarray) -> np.ndarray:
        """One row for each node set, the most similar one; ``similarity`` is that of the rows."""
        order = rows[np.argsort(-similarity, kind="stable")]
        _, first = np.unique(self.node_sets[order], return_index=True)
        return np.sort(order[first])

    def one_of_each_place(self, rows: np.ndarray, similarity: np.ndarray) -> np.ndarray:
        """One row for each place: of those that share more than half their nodes, the most similar.

        The subgraphs around the nodes of one inexact occurrence are seldom the same node set.
        """
        kept: list[int] = []
        # kept rows at each node
        at: dict[int, list[int]] = defaultdict(list)
        nodes_of: dict[int, list[int]] = {}
        often = np.bincount(self.batch.nodes[rows][self.batch.nodes[rows] >= 0], minlength=1)
        for row in rows[np.argsort(-similarity, kind="stable")].tolist():
            size = int(self.batch.num_nodes[row])
            nodes = self.batch.nodes[row, :size]
            # what shares more than half of the nodes stands at one of the rarer half as well
            rare = nodes[np.argsort(often[nodes], kind="stable")][: size - size // 2].tolist()
            mine = set(nodes.tolist())
            near = {other for node in rare for other in at[node]}
            if any(2 * len(mine.intersection(nodes_of[other])) > size for other in near):
                continue
            kept.append(row)
            nodes_of[row] = nodes.tolist()
            for node in mine:
                at[node].append(row)
        return np.sort(np.array(kept, np.int64))

    def _describe(
        self, rows: np.ndarray, pattern: SnappedFilters, similarity: np.ndarray
    ) -> list[Occurrence]:
        """List which graph node plays which pattern node, for each of the rows."""
        roles = find_roles(
            self.batch, rows, self.features, self.forms, pattern, self.kernel, self.backend
        )
        size = pattern.num_nodes[0]
        found = []
        for row, role in zip(rows.tolist(), roles, strict=True):
            players: list[int | str | None] = [None] * size
            ids = self.graph.original_ids(self.batch.nodes[row, : len(role)])
            for node, pattern_node in zip(ids, role.tolist(), strict=True):
                if 0 <= pattern_node < size:
                    players[pattern_node] = node
            found.append(Occurrence(tuple(players), float(similarity[row]), self._graph_of(row)))
        return found

    def _graph_of(self, row: int) -> int:
        return int(self.graph.graph_of(self.batch.roots[row]))

    def _medoid(self, row: int, place: Occurrence) -> Medoid:
        root = self.graph.original_ids(self.batch.roots[[row]])[0]
        return Medoid(place.nodes, place.similarity, place.graph, root=root)
