"""A place and a pattern as the kernel sees them: similarity, alignment, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.graph import CSRGraph
from gomkcn_dgl.kernels.matching_reference import NODE_SIMILARITIES, similarity_table
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.subgraphs import SubgraphBatch
from mining.explanation.edge_agreement import align_edges
from mining.explanation.occurrence_explanation import FeatureGap, MatchedPair, PlaceExplanation
from mining.records.pattern import Pattern
from mining.structures.canonical_forms import automorphisms, canonical_form

if TYPE_CHECKING:
    from mining.miner import PatternMiner

# similarity that may be given up, as a share of a perfect match, so that more edges agree: with one
# edge removed or added the kernel's optimum disagreed in up to 9 edges and the best alignment in 1,
# for at most .04 less
_SLACK = 0.05
# patterns more equal than this for a place are told apart by its structure
_TIE = 1e-5


@dataclass(frozen=True)
class Place:
    """Some nodes of a graph and the edges among them.

    Attributes
    ----------
    csr : CSRGraph
    rows : numpy.ndarray
        int64 ``[n]`` the nodes, the root first.
    joined : numpy.ndarray
        bool ``[n, n]``.
    """

    csr: CSRGraph
    rows: np.ndarray
    joined: np.ndarray

    @classmethod
    def of_row(cls, csr: CSRGraph, batch: SubgraphBatch, row: int) -> Place:
        """Take a subgraph of a batch."""
        return cls.of_nodes(csr, batch.nodes[row, : batch.num_nodes[row]].astype(np.int64))

    @classmethod
    def of_nodes(cls, csr: CSRGraph, rows: np.ndarray) -> Place:
        """Take the subgraph that some nodes induce."""
        neighbours = [csr.indices[csr.indptr[v] : csr.indptr[v + 1]] for v in rows]
        return cls(csr, rows, np.array([np.isin(rows, around) for around in neighbours]))


class Comparison:
    """A place and a pattern as the kernel sees them, both padded to the M nodes of a filter."""

    def __init__(self, miner: PatternMiner, place: Place, number: int) -> None:
        self.miner, self.place = miner, place
        self.kernel: GOMKKernel = miner.source_.kernel
        pattern = miner.filters_.take([number])
        self.size, width = pattern.num_nodes[0], pattern.adj.shape[1]
        count = len(place.rows)
        adj, feat = torch.zeros(1, width, width), torch.zeros(1, width, pattern.feat.shape[2])
        adj[0, :count, :count] = torch.from_numpy(place.joined).float()
        self.scaled = miner.source_.scaling.scale(place.csr.features[place.rows])
        feat[0, :count] = torch.from_numpy(self.scaled)
        self.joined, self.edges = adj[0].numpy() > 0, pattern.adj[0].numpy() > 0
        self.scaled_pattern = pattern.feat[0].numpy()
        self.x, self.z = self.kernel.embed(adj, feat), self.kernel.embed(pattern.adj, pattern.feat)
        self.num_nodes = torch.tensor([count])
        self.similarity = float(
            self.kernel.similarity(
                self.x, self.num_nodes, self.z, torch.tensor([self.size]), miner.backend
            )
        )
        certificate = canonical_form(self.edges[: self.size, : self.size]).certificate
        self.same_structure = canonical_form(place.joined).certificate == certificate

    @property
    def rank(self) -> float:
        """Similarity, with the structure to decide between equals."""
        return self.similarity + _TIE * self.same_structure

    def align(self, fixed: dict[int, int] | None = None) -> np.ndarray:
        """Pattern node of every node of the place and of the padding, -1 for none, ``[N]``.

        ``fixed`` gives graph row → pattern node; what it leaves open stays outside the pattern.
        """
        count, width = len(self.place.rows), self.x.shape[2]
        if fixed is not None:
            role = np.array([fixed.get(int(row), -1) for row in self.place.rows])
            unplayed = [node for node in range(width) if node not in fixed.values()]
            # the nodes beyond the pattern face its padding, padding faces what nobody plays
            open_rows = [*np.flatnonzero(role < 0), *range(count, width)]
            role = np.append(role, np.full(width - count, -1))
            role[open_rows] = unplayed[::-1][: len(open_rows)]
            return role
        table = similarity_table(self.x, self.z, self._widths, self.kernel.node_similarity)[
            0, 0
        ].numpy()
        if self.same_structure:
            exact = self._isomorphism(table)
            if exact is not None:
                return exact
        matched = self.kernel.match(self.x, self.z, self.num_nodes, self.miner.backend)
        role = matched.matching[0, 0].numpy().copy()
        used = count if self.kernel.padding == "mask" else width
        role[:used] = align_edges(
            table[:used],
            self.joined[:used, :used],
            self.edges,
            role[:used],
            _SLACK * self.kernel.largest_score(width),
            pinned=self.kernel.anchor_root,
        )
        return role

    def _isomorphism(self, table: np.ndarray) -> np.ndarray | None:
        """The most similar of the alignments that keep all edges."""
        target = self.edges[: self.size, : self.size]
        node_at = np.argsort(canonical_form(target).position)
        roles = automorphisms(target)[
            :, node_at[canonical_form(self.place.joined).position]
        ]  # [P, n]
        if self.kernel.anchor_root:
            roles = roles[roles[:, 0] == 0]
        if not len(roles):
            return None
        fit = table[np.arange(self.size), roles].sum(axis=1)
        padding = np.arange(self.size, len(table))
        return np.append(roles[fit.argmax()], padding)

    def explain(self, pattern: Pattern, role: np.ndarray) -> PlaceExplanation:
        """Write down the alignment that gives each node and padding its ``role [N]``."""
        count = len(self.place.rows)
        ids = self.place.csr.original_ids(self.place.rows)
        row_of = {int(node): row for row, node in enumerate(role) if 0 <= node < self.size}
        pairs = tuple(self._pair(node, row_of.get(node), ids, pattern) for node in range(self.size))
        players = [row_of.get(node) for node in range(self.size)]
        inside = [row if row is not None and row < count else None for row in players]
        beyond = [row for row in range(count) if row not in inside]
        shared, missing, extra = self._edges([*inside, *beyond])
        return PlaceExplanation(
            pattern=pattern,
            root=None,
            graph=int(self.place.csr.graph_of(self.place.rows[:1])[0]),
            num_graphs=self.place.csr.num_graphs,
            similarity=self.similarity,
            pairs=pairs,
            extra_nodes=tuple(ids[row] for row in beyond),
            shared_edges=shared,
            missing_edges=missing,
            extra_edges=extra,
        )

    @property
    def _widths(self) -> list[float]:
        return self.kernel.bandwidth(self.x.shape[3])

    def _pair(
        self, node: int, row: int | None, ids: Sequence[int | str], pattern: Pattern
    ) -> MatchedPair:
        if row is None:
            # padding="mask": what is not there is not compared
            return MatchedPair(node, None, (0.0,) * self.x.shape[1], 0, None)
        x, z = self.x[0, :, row], self.z[0, :, node]  # [L, D]
        node_similarity = NODE_SIMILARITIES[self.kernel.node_similarity]
        similar = tuple(
            float(node_similarity.similarity(x[level], z[level], width)) / node_similarity.largest
            for level, width in enumerate(self._widths)
        )
        differs = np.flatnonzero(np.array(similar) < self._noticeable(z))
        first = int(differs[0]) if len(differs) else None
        if row >= len(ids):
            return MatchedPair(node, None, similar, first, None)
        gap = self._feature_gap(row, node, pattern) if first == 0 else None
        return MatchedPair(node, ids[row], similar, first, gap)

    def _noticeable(self, z: Tensor) -> np.ndarray:
        """Similarity to itself after one scaled feature moved by half its range, ``[L]``."""
        node_similarity = NODE_SIMILARITIES[self.kernel.node_similarity]
        moved = z.clone()
        step = float(self.miner.source_.scaling.contrast[0]) / 2
        moved[:, 0] += step / self.kernel.level_scale ** torch.arange(len(z))
        return np.array(
            [
                float(node_similarity.similarity(moved[level], z[level], width))
                / node_similarity.largest
                for level, width in enumerate(self._widths)
            ]
        )

    def _feature_gap(self, row: int, node: int, pattern: Pattern) -> FeatureGap:
        gap = self.scaled[row] - self.scaled_pattern[node]
        # of a label that was exchanged for another, the one that the node has
        column = int((np.abs(gap) + 1e-6 * gap).argmax())
        value = float(self.place.csr.features[self.place.rows[row], column])
        return FeatureGap(
            pattern.feature_names[column], value, float(pattern.features[node, column])
        )

    def _edges(self, slots: list[int | None]) -> tuple[tuple[tuple[int, int], ...], ...]:
        shared: list[tuple[int, int]] = []
        missing: list[tuple[int, int]] = []
        extra: list[tuple[int, int]] = []
        for v, right in enumerate(slots):
            for u, left in enumerate(slots[:v]):
                there = left is not None and right is not None and self.joined[left, right]
                wanted = v < self.size and self.edges[u, v]
                if there or wanted:
                    (shared if there and wanted else missing if wanted else extra).append((u, v))
        return tuple(sorted(shared)), tuple(sorted(missing)), tuple(sorted(extra))
