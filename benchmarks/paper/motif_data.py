"""Graphs whose class is the planted motif, where only directions or types of edges tell which.

All motifs of a set are rings of four nodes, hung by one edge onto a random tree of 20 nodes whose
edges have random directions, or types as often as the rings. Without these all graphs are alike,
and features are constant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gomkcn.synthetic import MotifClassificationDataset, PlantingSettings
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.training.labelled_data import Split
from paper.data import GraphData

NUM_SEEDS = 10
_NUM_GRAPHS, _NUM_BASE_NODES = 300, 20


def _ring(name: str, edges: str, kinds: str = "") -> Structure:
    pairs = [(int(edge[0]), int(edge[1])) for edge in edges.split()]
    return Structure.of_edges(4, pairs, kinds, not kinds, name=name)


MOTIFS = {
    # the four ways to give the edges of a ring directions
    "directed rings": (
        _ring("cycle", "01 12 23 30"),
        _ring("two paths of two", "01 12 03 32"),
        _ring("paths of three and one", "01 12 23 03"),
        _ring("sources and targets in turn", "01 03 21 23"),
    ),
    # two edges of each type, side by side or in turn
    "typed rings": (
        _ring("side by side", "01 12 23 03", "aabb"),
        _ring("in turn", "01 12 23 03", "abab"),
    ),
}
MOTIF_DATA = tuple(MOTIFS)


@dataclass(frozen=True, eq=False)
class MotifData(GraphData):
    """Ten sets of graphs side by side, one for each split, which holds graphs of its set alone."""

    motifs: tuple[Structure, ...]

    def motif_keys(self) -> list[bytes]:
        """That of each motif, whose relations have the names of those of the graphs."""
        return [motif.key for motif in self.motifs]


def load_motif_data(name: str, num_graphs: int = _NUM_GRAPHS) -> MotifData:
    """Generate the ten sets of a name, split 8:1:1, with the seeds 0 to 9."""
    motifs = MOTIFS[name]
    is_directed = motifs[0].relations.is_directed
    parts, labels, splits, first = [], [], [], 0
    for seed in range(NUM_SEEDS):
        dataset = MotifClassificationDataset(
            num_graphs,
            _NUM_BASE_NODES,
            settings=PlantingSettings("constant", directed=is_directed),
            motifs=motifs,
            seed=seed,
        )
        parts.append(replace(dataset.planted.to_csr(), graph_ptr=dataset.node_offsets))
        labels.append(dataset.labels.numpy())
        rows = (dataset.train_idx, dataset.val_idx, dataset.test_idx)
        splits.append(Split(*(np.sort(part.numpy()) + first for part in rows)))
        first += num_graphs
    graph = as_csr(parts)
    zeros = np.zeros(graph.num_nodes, np.int64)
    return MotifData(name, graph, np.concatenate(labels), len(motifs), splits, 0, zeros, motifs)
