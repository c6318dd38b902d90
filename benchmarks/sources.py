"""What do trained filters propose that dense sets do not, where copies differ, and at what cost?

The graphs are those of `inexact.py`: copies of motifs of 8 nodes of which a twentieth or a tenth of
the edges differ. Features are constant, or three numbers: those of a node of a copy are its role's,
give or take a tenth, and those of other nodes are uniform. The search is the same in all ways; what
differs is where its drawings come from: dense sets that are grown, filters, or both.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from inexact import COPIES, NODES, Hidden, hide, m_jaccard, places_of, share_found
from planted_graphs import mine
from record import Bench

from gomkcn_dgl import CSRGraph, as_csr

FIRST_SEED = 9500
WAYS = {"grown": "grown", "filters": "filters", "grown, filters": "grown,filters"}
CELLS = ((1, 0.1, False), (1, 0.1, True), (2, 0.05, False), (2, 0.05, True))


@dataclass
class Found:
    """Of the graph of each seed."""

    bits: list[float] = field(default_factory=list)
    motifs: list[int] = field(default_factory=list)
    jaccards: list[float] = field(default_factory=list)
    copies: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def with_features(hidden: Hidden, of_roles: bool, seed: int) -> CSRGraph:
    """The graph, with features that are constant or typical of the role in a copy."""
    graph, rng = as_csr(hidden.graph), np.random.default_rng([seed, 3])
    if not of_roles:
        return graph
    features = rng.random((NODES, 3))
    for rows in hidden.copies:
        of_role = rng.random((rows.shape[1], 3))
        features[rows] = of_role + 0.1 * rng.standard_normal((*rows.shape, 3))
    return replace(graph, features=features.astype(np.float32), feature_names=list("abc"))


def main(bench: Bench) -> None:
    """Mine the same graphs with drawings of several sources."""
    table = bench.table(
        f"{COPIES} noisy copies of each motif in {NODES} nodes, means; processor seconds, median",
        {"motifs": "", "noise": ".2f", "features": "", "drawings from": "", "motifs found": ".1f",
         "bits": ",.0f", "M-Jaccard": ".2f", "copies": ".2f", "s": ".1f"},
    )  # fmt: skip
    for number, noise, of_roles in CELLS[:1] if bench.quick else CELLS:
        found = {name: Found() for name in WAYS}
        for seed in range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else bench.repeats)):
            hidden = hide(seed, "ER", noise, number)
            graph = with_features(hidden, of_roles, seed)
            truly = [[frozenset(row) for row in rows.tolist()] for rows in hidden.copies]
            for name, sources in WAYS.items():
                miner, seconds = mine(graph, pattern_size="3-8", sources=sources, null="none")
                there, one = places_of(miner.motif_set_), found[name]
                one.bits.append(miner.motif_set_.bits_saved)
                one.motifs.append(len(there))
                one.jaccards.append(m_jaccard(there, truly))
                one.copies.append(share_found(truly, there))
                one.seconds.append(seconds)
        for name, one in found.items():
            means = [float(np.mean(values)) for values in
                     (one.motifs, one.bits, one.jaccards, one.copies)]  # fmt: skip
            features = "typical of the role" if of_roles else "constant"
            table.add(str(number), noise, features, name, *means, float(np.median(one.seconds)))
