"""Planted graphs of any size: written to a graph folder piece by piece, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from tqdm import tqdm

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.conversion.edge_stream import write_edges
from gomkcn_dgl.relations import SIMPLE
from gomkcn_dgl.storage.graph_folder_checks import chunks
from synthetic.copy_placement import attach_copies
from synthetic.hashed_attachment import attachment_edges, num_attachment_edges
from synthetic.planted_graph import motif_truth
from synthetic.planted_relations import draw_copy_edges
from synthetic.planting import check_motifs

_EDGES_AT_ONCE = 2**20
# nodes are numbered in 32 bits
_MOST_NODES = 2**31 - 1


def plant_to_folder(
    out: str | os.PathLike[str],
    num_base_nodes: int,
    num_base_edges_per_node: int,
    motifs: Mapping[str | Structure, int],
    *,
    edges_per_motif: int = 1,
    seed: int,
    force: bool = False,
    progress: bool = False,
) -> dict[str, Any]:
    """Plant motifs in a graph grown by preferential attachment, and write it as a graph folder.

    As :func:`gomkcn.plant_motifs` into a Barabási–Albert graph, with the constant feature. But
    edges are made and sorted piece by piece: memory is 8 bytes a node, what the copies take, and at
    most half a gigabyte for sorting, however many edges there are. The folder takes 8 bytes a node
    and an edge, and 16 an edge while it is written. The background is that of
    :func:`gomkcn.attachment_edges`.

    Parameters
    ----------
    out : path
        The folder, which appears when it is complete.
    num_base_nodes, num_base_edges_per_node : int
        Of the background.
    motifs : mapping from str or Structure to int
        Number of copies of each motif; edges of a motif have no direction and no type.
    edges_per_motif : int
        Edges that join a copy to the background.
    seed : int
        The same seed gives the same graph.
    force, progress : bool
        Whether to replace a graph folder, and to show a progress bar.

    Returns
    -------
    dict
        The truth, as ``PlantedGraph.truth()`` gives it.

    Raises
    ------
    InputError
        For a value out of range, or a motif whose edges have directions or types.

    Examples
    --------
    >>> import tempfile
    >>> from gomkcn_dgl import read_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     truth = plant_to_folder(f"{folder}/big.graph", 100, 2, {"house": 3}, seed=0)
    ...     read_graph(f"{folder}/big.graph").num_nodes
    118
    >>> truth["motifs"][0]["copies"]
    3
    """
    # 1. where the copies go: all of it is small beside the background
    table = check_motifs(motifs, Mapping)
    for motif in table:
        if motif.relations != SIMPLE:
            raise InputError(
                f"motifs must have no directions and types in a graph that is written in pieces, "
                f"got {motif.name!r}."
            )
    copies = [
        check_int(f"motifs[{motif.name!r}]", count, 0)
        for motif, count in zip(table, motifs.values(), strict=True)
    ]
    rng = np.random.default_rng(check_int("seed", seed, 0))
    sizes = np.repeat([motif.num_nodes for motif in table], copies).astype(np.int64)
    hosts = np.tile([0, check_int("num_base_nodes", num_base_nodes, 1)], (sum(copies), 1))
    placement = attach_copies(num_base_nodes, sizes, hosts, edges_per_motif, rng)
    check_int("num_base_nodes and nodes of copies", placement.num_nodes, 1, _MOST_NODES)
    nodes = placement.nodes_of_motifs([motif.num_nodes for motif in table], copies)
    within = [
        draw_copy_edges(motif, own, SIMPLE, (0.0, 0.0), rng)[0]
        for motif, own in zip(table, nodes, strict=True)
    ]
    # 2. the edges of the background, then those of the copies
    num_edges = num_attachment_edges(num_base_nodes, num_base_edges_per_node)

    def pieces() -> Iterator[np.ndarray]:
        parts = list(chunks(0, num_edges, _EDGES_AT_ONCE))
        for first, last in tqdm(parts, desc="edges", disable=not progress):
            yield attachment_edges(first, last, num_base_nodes, num_base_edges_per_node, seed)
        for edges in (*within, placement.attaching):
            for first, last in chunks(0, len(edges), _EDGES_AT_ONCE):
                yield edges[first:last]

    write_edges(out, pieces(), placement.num_nodes, force=force)
    return {"motifs": [motif_truth(m, own.tolist()) for m, own in zip(table, nodes, strict=True)]}
