"""Planted graphs whose motifs are known, and a miner that is compared with them."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gomkcn_dgl import CSRGraph, as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining import MotifRecovery, Pattern, PatternMiner, compare_with_truth
from synthetic import (
    PlantedGraph,
    PlantingSettings,
    barabasi_albert,
    get_motif,
    orient_edges,
    plant_motifs,
)

NUM_NODES = 1000
# patterns that a user may ask for who wants the page short
FEW = 8
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


def recoveries(miner: PatternMiner, planted: PlantedGraph) -> list[MotifRecovery]:
    """What the miner's patterns recover of each planted motif."""
    return compare_with_truth(miner.patterns_, planted.truth())


def patterns_of_motifs(miner: PatternMiner, planted: PlantedGraph) -> dict[str, Pattern]:
    """The first pattern that is isomorphic to each motif that was recovered."""
    pattern_of = {pattern.id: pattern for pattern in reversed(miner.patterns_)}
    return {
        motif.name: pattern_of[motif.pattern_ids[0]]
        for motif in recoveries(miner, planted)
        if motif.recovered
    }


def motifs_lead(miner: PatternMiner, planted: PlantedGraph) -> bool:
    """Whether the motifs are the first patterns, in any order.

    Those that random graphs were searched for are compared among each other, and so are the larger
    ones that follow them.
    """
    motifs, number = patterns_of_motifs(miner, planted).values(), len(planted.motifs)
    is_compared = any(one.significance for one in motifs)
    like = [one for one in miner.patterns_ if bool(one.significance) == is_compared]
    return len(motifs) == number and {one.key for one in motifs} == {
        one.key for one in like[:number]
    }


def count_is_right(pattern: Pattern, exact: int) -> bool:
    """Whether the number of occurrences is the exact one, or its interval holds that."""
    count = pattern.frequency.occurrences
    return count.low <= exact <= count.high


def share_of(values: Sequence[bool]) -> str | None:
    """Such as 29/30; None of nothing."""
    return f"{sum(values)}/{len(values)}" if values else None
