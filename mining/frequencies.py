"""Step 5: where the patterns occur and how often, in readings that do not replace each other.

``assigned``
    roots whose subgraph is nearest to the pattern and at least ``min_similarity`` similar; the
    paper's number, with a threshold. Several roots can stand in one occurrence.
``distinct``
    different node sets that show the pattern. Under the rule ``"isomorphic"`` a subgraph shows the
    pattern when its structure is exactly the pattern's, whatever its features; among patterns of
    the same structure it counts for the most similar one. Under ``"similar"`` it does when the
    pattern is its nearest and at least ``min_similarity`` similar, so that inexact occurrences
    count as well.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
import torch

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.kernels.matching_reference import similarity_table
from gomkcn_dgl.matching import GOMKSettings
from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.patterns import Medoid, Occurrence, SnappedFilters
from mining.subgraph_types import SubgraphTypes
from mining.topology import CanonicalForm, CanonicalForms, automorphisms, canonical_form

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
    assigned : int
        Roots assigned to the pattern.
    occurrences : tuple of Occurrence
        One for each distinct node set, most similar first.
    medoid : Medoid
        The nearest real subgraph.
    """

    assigned: int
    occurrences: tuple[Occurrence, ...]
    medoid: Medoid


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

    def find(
        self, snapped: SnappedFilters, rule: str, min_similarity: float
    ) -> list[PatternPlaces]:
        """Return the places of each pattern, in the order of ``snapped``."""
        return self.find_frequent(snapped, rule, min_similarity, min_support=0)[1]

    def find_frequent(
        self, snapped: SnappedFilters, rule: str, min_similarity: float, min_support: int
    ) -> tuple[SnappedFilters, list[PatternPlaces]]:
        """Drop the patterns with fewer than ``min_support`` occurrences; find those of the rest.

        The rarest is dropped first, and then all are counted anew: a pattern of the same structure
        takes over the occurrences of the one dropped.
        """
        similarity = self._similarity(snapped)  # [S, F]
        certificates = snapped.certificates()
        own = np.stack([self.forms.has(certificate) for certificate in certificates], axis=1)
        # patterns that the kernel cannot tell apart are told apart by their structure
        ranked = similarity + _TIE * own
        kept = list(range(len(certificates)))
        while kept:
            # the patterns left compete for every subgraph
            nearest = ranked[:, kept].argmax(axis=1)
            held = similarity[:, kept].max(axis=1) >= min_similarity
            mine = [np.flatnonzero((nearest == i) & held) for i in range(len(kept))]
            if rule == "isomorphic":
                names = [certificates[number] for number in kept]
                rows = self._isomorphic_rows(names, own[:, kept], similarity[:, kept])
            else:
                rows = [
                    self._distinct(row, similarity[row, number])
                    for row, number in zip(mine, kept, strict=True)
                ]
            counts = [len(shown) for shown in rows]
            if min(counts) >= min_support:
                break
            kept.pop(counts.index(min(counts)))
        if len(kept) < len(certificates):
            log.info(
                "dropped %d patterns with fewer than %d distinct occurrences",
                len(certificates) - len(kept),
                min_support,
            )
        places = [
            self._places(
                snapped.take([number]),
                mine[i],
                rows[i],
                similarity[:, number],
                best=int(ranked[:, number].argmax()),
            )
            for i, number in enumerate(kept)
        ]
        return snapped.take(kept), places

    def _places(
        self,
        pattern: SnappedFilters,
        assigned: np.ndarray,
        shown: np.ndarray,
        similarity: np.ndarray,
        best: int,
    ) -> PatternPlaces:
        """Describe the subgraphs that show a pattern, and the one that is nearest to it."""
        *found, nearest = self._describe(np.append(shown, best), pattern, similarity)
        return PatternPlaces(
            assigned=len(np.unique(self.batch.roots[assigned])),
            occurrences=tuple(sorted(found, key=lambda place: -place.similarity)),
            medoid=self._medoid(best, nearest),
        )

    def add_lookalikes(self, snapped: SnappedFilters) -> SnappedFilters:
        """Add the structures that the kernel cannot tell from a filter's own.

        With constant features, graphs whose walk counts agree score alike with every filter (the
        paper's Proposition 6 asks for full rank), and a filter has the structure of one of them.
        """
        similarity = self._similarity(snapped)
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

    def _similarity(self, snapped: SnappedFilters) -> np.ndarray:
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
        node_sets = np.sort(self.batch.nodes[order], axis=1)
        _, first = np.unique(node_sets, axis=0, return_index=True)
        return np.sort(order[first])

    def _describe(
        self, rows: np.ndarray, pattern: SnappedFilters, similarity: np.ndarray
    ) -> list[Occurrence]:
        """List which graph node plays which pattern node, for each of the rows."""
        batch = self.batch.take(rows)
        adjacency = batch.adjacency()
        x = self.kernel.embed(
            torch.from_numpy(adjacency), torch.from_numpy(batch.gather(self.features))
        )
        z = self.kernel.embed(pattern.adj, pattern.feat)
        matching = self.kernel.match(
            x, z, torch.from_numpy(batch.num_nodes), self.backend
        ).matching[:, 0].numpy()  # fmt: skip
        size = pattern.num_nodes[0]
        target = pattern.adj[0, :size, :size].numpy()
        form, symmetries = canonical_form(target), automorphisms(target)
        widths = self.kernel.bandwidth(x.shape[3])
        found = []
        for position, row in enumerate(rows):
            count = int(batch.num_nodes[position])
            role = matching[position, :count]
            if count == size and not _is_isomorphism(
                adjacency[position, :count, :count], target, role
            ):
                table = similarity_table(x[[position]], z, widths, self.kernel.solid)[0, 0].numpy()
                role = self._keep_edges(int(row), form, symmetries, table, role)
            players: list[int | str | None] = [None] * size
            ids = self.graph.original_ids(batch.nodes[position, :count])
            for node, pattern_node in zip(ids, role.tolist(), strict=True):
                if 0 <= pattern_node < size:
                    players[pattern_node] = node
            found.append(
                Occurrence(tuple(players), float(similarity[row]), self._graph_of(int(row)))
            )
        return found

    def _keep_edges(
        self,
        row: int,
        form: CanonicalForm,
        symmetries: np.ndarray,
        table: np.ndarray,
        role: np.ndarray,
    ) -> np.ndarray:
        """Roles from the isomorphism that fits best, where there is one.

        With symmetric nodes several matchings are optimal and not all of them keep the edges.
        """
        if self.forms.certificate(row) != form.certificate:
            return role
        candidates = symmetries[:, np.argsort(form.place)[self.forms.place(row)]]  # [P, N]
        fit = table[np.arange(len(role)), candidates].sum(axis=1)
        best: np.ndarray = candidates[fit.argmax()]
        return best

    def _graph_of(self, row: int) -> int:
        return int(self.graph.graph_of(self.batch.roots[row]))

    def _medoid(self, row: int, place: Occurrence) -> Medoid:
        root = self.graph.original_ids(self.batch.roots[[row]])[0]
        return Medoid(place.nodes, place.similarity, place.graph, root=root)


def _is_isomorphism(adj: np.ndarray, target: np.ndarray, role: np.ndarray) -> bool:
    if (role < 0).any() or (role >= len(target)).any():
        return False
    return bool(((adj != 0) == (target[np.ix_(role, role)] != 0)).all())
