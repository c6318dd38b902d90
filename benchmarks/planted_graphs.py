"""Planted graphs whose motifs are known, and a miner whose time is taken."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from gomkcn.mining import PatternMiner
from gomkcn.synthetic import PlantingSettings, plant_motifs
from gomkcn.synthetic.base_graphs import barabasi_albert
from gomkcn.synthetic.planted_graph import PlantedGraph
from gomkcn_dgl import CSRGraph, as_csr
from gomkcn_dgl.graphs.structure import Structure

NUM_NODES = 1000
MOTIFS_OF_SIZE = {
    4: ("square", "diamond", "clique4"),
    5: ("house", "bowtie", "wheel5", "basket"),
    6: ("house6", "cup", "wheel", "crown"),
    7: ("wheel7", "fan7", "windmill7", "theta7"),
    8: ("wheel8", "ladder8", "cube", "sun8"),
}


def make_planted(
    motifs: Sequence[Structure],
    edges_per_node: int,
    seed: int,
    copies: int,
    num_base: int | None = None,
    **options: Any,
) -> tuple[CSRGraph, PlantedGraph]:
    """Plant copies of motifs into a Barabási–Albert graph.

    ``num_base`` is the number of nodes outside the copies; without it all nodes are 1,000.
    """
    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    rng = np.random.default_rng(seed)
    if num_base is None:
        num_base = NUM_NODES - copies * sum(motif.num_nodes for motif in motifs)
    base = barabasi_albert(num_base, edges_per_node, rng)
    wanted = dict.fromkeys(motifs, copies)
    planted = plant_motifs(base, num_base, wanted, PlantingSettings(**options), seed=rng)
    return as_csr(planted.to_dgl()), planted


def mine(graph: CSRGraph, **settings: Any) -> tuple[PatternMiner, float]:
    """A fitted miner, and its seconds of processor time, whatever else the machine does."""
    start = time.process_time()
    miner = PatternMiner(**settings).fit(graph)
    return miner, time.process_time() - start
