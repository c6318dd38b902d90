"""Node mapping: which node of a pattern each node of a subgraph corresponds to."""

from __future__ import annotations

import numpy as np
import torch

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.matching_reference import similarity_table
from mining.structures.discrete_filters import DiscreteFilters
from mining.structures.graph_relations import links_in
from mining.structures.rooted_subgraphs import RootedSubgraphs

# entries of the table of isomorphisms that are in memory at once
_TABLE_SIZE = 2_000_000


def map_nodes(subgraphs: RootedSubgraphs, rows: np.ndarray, pattern: DiscreteFilters) -> np.ndarray:
    """Pattern node of each node of the subgraphs in ``rows [R]``, int64 ``[R, N]``; -1 for none.

    It is the matching of the kernel. Where a subgraph is isomorphic to the pattern, it is the most
    similar isomorphism: with symmetric nodes several matchings are optimal, and not all of them
    preserve the edges.
    """
    kernel, batch = subgraphs.kernel, subgraphs.batch.take(rows)
    x = subgraphs.embed(batch)
    z = kernel.embed(pattern.adj, pattern.feat)
    matched = kernel.match(x, z, torch.from_numpy(batch.num_nodes), subgraphs.backend)
    mapping = matched.matching[:, 0].numpy().astype(np.int64)
    # padding of the subgraph or of the pattern corresponds to nothing
    size = pattern.num_nodes[0]
    padding = np.arange(batch.max_nodes) >= batch.num_nodes[:, None]
    mapping[(mapping >= size) | padding] = -1
    # of the isomorphic subgraphs, those whose matching does not preserve the edges
    target = pattern.structure(0, batch.relations)
    same = (batch.num_nodes == size) & subgraphs.forms.has(target.key)[rows]
    broken = np.flatnonzero(same)
    links = links_in(batch.relations, target)
    structure = batch.structure()[broken, :size, :size]
    preserved = _preserves_edges(structure, links, mapping[broken, :size])
    broken = broken[~preserved]
    if len(broken):
        widths = kernel.bandwidth(x.shape[3])
        table = similarity_table(x[torch.from_numpy(broken)], z, widths)[:, 0]
        positions = subgraphs.forms.positions(rows[broken])[:, :size]
        mapping[broken, :size] = _best_isomorphisms(positions, target, table.numpy())
    return mapping


def _best_isomorphisms(positions: np.ndarray, target: Structure, table: np.ndarray) -> np.ndarray:
    """Most similar isomorphism to a pattern of nodes at canonical ``positions [R, N]``, ``[R, N]``.

    ``table [R, N, M]`` are the node similarities.
    """
    node_at = target.symmetries[:, target.form.order]  # [P, N]
    best = np.empty_like(positions)
    step = max(1, _TABLE_SIZE // node_at.size)
    for start in range(0, len(positions), step):
        part = slice(start, start + step)
        candidates = node_at[:, positions[part]].transpose(1, 0, 2)  # [R, P, N]
        row = np.arange(len(candidates))[:, None, None]
        similarity = table[part][row, np.arange(positions.shape[1]), candidates].sum(axis=2)
        best[part] = candidates[row[:, 0, 0], similarity.argmax(axis=1)]
    return best


def _preserves_edges(structure: np.ndarray, links: np.ndarray, mapping: np.ndarray) -> np.ndarray:
    """Which of the ``mapping [R, N]`` take ``structure [R, N, N]`` to ``links``, bool ``[R]``."""
    mapped = links[mapping[:, :, None], mapping[:, None, :]]
    complete = (mapping >= 0).all(axis=1)
    preserved: np.ndarray = complete & (structure == mapped).all(axis=(1, 2))
    return preserved
