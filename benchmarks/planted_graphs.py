"""Planted graphs whose motifs are known, and a miner that is compared with them."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from gomkcn_dgl import CSRGraph, as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining import PatternMiner
from synthetic import (
    PlantedGraph,
    PlantingSettings,
    barabasi_albert,
    get_motif,
    orient_edges,
    plant_motifs,
)

NUM_NODES = 1000
MOTIFS_OF_SIZE = {
    4: ("square", "diamond4", "clique4"),
    5: ("house5", "bowtie", "wheel5", "basket"),
    6: ("house", "cup", "wheel", "crown"),
    7: ("wheel7", "fan7", "windmill7", "theta7"),
    8: ("wheel8", "ladder8", "cube", "sun8"),
}


def make_planted(
    motifs: Iterable[str | Structure],
    edges_per_node: int,
    seed: int,
    *,
    copies: int | None = None,
    num_nodes: int = NUM_NODES,
    num_base: int | None = None,
    **options: Any,
) -> tuple[CSRGraph, PlantedGraph]:
    """Plant copies of motifs into a Barabási–Albert graph.

    Without ``copies`` each motif has 5 to 15 of them, drawn from the seed. ``num_base`` is the
    number of nodes outside the copies; without it all nodes are ``num_nodes``.
    """
    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    rng = np.random.default_rng(seed)
    motifs = [get_motif(motif) if isinstance(motif, str) else motif for motif in motifs]
    counts = {motif: int(rng.integers(5, 16)) if copies is None else copies for motif in motifs}
    if num_base is None:
        num_base = num_nodes - sum(motif.num_nodes * count for motif, count in counts.items())
    base = barabasi_albert(num_base, edges_per_node, rng)
    if options.get("directed"):
        base = orient_edges(base, rng)
    planted = plant_motifs(base, num_base, counts, PlantingSettings(**options), seed=rng)
    if not planted.relations.is_simple:
        return planted.to_csr(), planted
    return as_csr(planted.to_dgl()), planted


def mine(graph: CSRGraph, **settings: Any) -> tuple[PatternMiner, float]:
    """A fitted miner, and its seconds of processor time, whatever else the machine does."""
    start = time.process_time()
    miner = PatternMiner(**settings).fit(graph)
    return miner, time.process_time() - start
