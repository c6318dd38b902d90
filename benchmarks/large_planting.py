"""Planted graphs of any number of edges, which are made and written piece by piece.

A graph grown by preferential attachment must be held in memory for its draws. Here the draw of an
edge is a hash of its number, so that what an earlier edge drew can be computed again where it is
needed (P. Sanders and C. Schulz, "Scalable generation of scale-free graphs", Information Processing
Letters 116, 2016). An edge looks back about twice, and any part of the edges can be made alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gomkcn.synthetic import MOTIFS
from gomkcn.synthetic.planted_graph import motif_truth
from gomkcn.synthetic.planting import attach_copies, nodes_of_motifs
from gomkcn_dgl.kernels.search_numba import mix64


def attachment_edges(first: int, last: int, per_node: int, seed: int) -> np.ndarray:
    """Edges ``first`` to ``last - 1``, int64 ``[n, 2]``, of a graph with ``per_node`` edges a node.

    A star on ``per_node + 1`` nodes, then each new node links to as many nodes that were there
    before, in proportion to their degree; hardly ever to the same one twice. The ends of all edges
    before a node came are a list without storage, of which each draw takes an entry.
    """

    def newer_end(number: np.ndarray) -> np.ndarray:
        """The node that an edge came with: leaves of the star first, then m edges a node."""
        return np.where(number < per_node, number + 1, number // per_node + per_node)

    key = mix64(np.array([seed + 1], np.uint64))
    number, rows = np.arange(first, last), np.arange(last - first)
    source, target = newer_end(number), np.zeros(last - first, np.int64)
    while len(rows):
        # the older end of an edge of the star is its centre, node 0
        drawn = number >= per_node
        number, rows = number[drawn], rows[drawn]
        num_before = 2 * (number - number % per_node)
        entry = mix64(key ^ number.astype(np.uint64)) % num_before.astype(np.uint64)
        number, is_newer = (entry >> np.uint64(1)).astype(np.int64), entry & np.uint64(1) == 1
        target[rows[is_newer]] = newer_end(number[is_newer])
        # the older end of an earlier edge is found in the same way
        number, rows = number[~is_newer], rows[~is_newer]
    return np.stack([target, source], axis=1)


def write_planted_edges(
    path: Path,
    num_base_nodes: int,
    per_node: int,
    motifs: Mapping[str, int],
    seed: int,
    edges_at_once: int = 2**20,
) -> None:
    """Write the edges as a parquet file, and the places of the motifs' copies beside it."""
    table, rng = [MOTIFS[name] for name in motifs], np.random.default_rng(seed)
    sizes = np.repeat([motif.num_nodes for motif in table], list(motifs.values()))
    hosts = np.tile([0, num_base_nodes], (len(sizes), 1))
    members, attaching = attach_copies(num_base_nodes, sizes, hosts, rng)
    nodes = nodes_of_motifs(members, table, list(motifs.values()))
    copies = [own[:, np.array(motif.edges)] for motif, own in zip(table, nodes, strict=True)]
    num_edges = per_node * (num_base_nodes - per_node)
    schema = pa.schema({"source": pa.int32(), "target": pa.int32()})
    with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:

        def write(edges: np.ndarray) -> None:
            columns = edges.reshape(-1, 2).astype(np.int32).T
            writer.write_table(pa.table([pa.array(column) for column in columns], schema=schema))

        for first in range(0, num_edges, edges_at_once):
            last = min(first + edges_at_once, num_edges)
            write(attachment_edges(first, last, per_node, seed))
        for edges in (*copies, attaching):
            write(edges)
    truth = [motif_truth(motif, own.tolist()) for motif, own in zip(table, nodes, strict=True)]
    path.with_suffix(".truth.json").write_text(json.dumps({"motifs": truth}))
