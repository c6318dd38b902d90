"""Nodes of a graph beside a pattern, as the kernel compares them: similarity and node mapping."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations, permutations

import numpy as np
import torch
from torch import Tensor

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.matching_reference import rbf, similarity_table
from gomkcn_dgl.relations import edge_channels
from mining.locating.neighbourhoods import TIE
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.edges_among import edges_among
from mining.structures.subgraph_source import SubgraphSource

# similarity that may be given up, as a share of a perfect match, so that more edges agree: with one
# edge removed or added the kernel's optimum disagreed in up to 9 edges and the best mapping in 1,
# for at most .04 less
_SLACK = 0.05
# similarities that are closer than this are equal
_TIE = 1e-5
# all mappings to patterns of so many nodes are compared; to larger ones, exchanges of two nodes
_MAX_ENUMERATED = 8


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
        """Similarity as ``mining/locating/neighbourhoods.py`` compares it between patterns."""
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
