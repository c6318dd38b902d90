"""What do trained filters find that grown sets do not, and at what cost?

    python benchmarks/sources.py            all cells, written to results/sources.*
    python benchmarks/sources.py --quick    one small graph, nothing written

Ten copies of each of four motifs of six nodes stand in a tree or in a graph of two edges a node:
intact, or damaged, so that few or none are; filters have six nodes as well. A damaged motif cannot
be in the motif set, whose copies are exact, but may be among the patterns, as what noisy copies
agree on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from planted_graphs import MOTIFS_OF_SIZE, make_planted, mine
from record import Bench, bench_command

from synthetic import get_motif

WAYS = ("grown", "filters", "grown,filters")
# edges a node; edges deleted, edges added; options of the features
CELLS: tuple[tuple[int, float, float, dict[str, Any]], ...] = (
    (1, 0.0, 0.0, {"features": "constant"}),
    (2, 0.0, 0.0, {"features": "constant"}),
    (1, 0.0, 0.0, {"features": "per_type_noise", "noise": 0.05}),
    (2, 0.0, 0.0, {"features": "per_type_noise", "noise": 0.05}),
    (1, 0.15, 0.05, {"features": "constant"}),
    (1, 0.15, 0.05, {"features": "per_type_noise", "noise": 0.05}),
    (1, 0.2, 0.1, {"features": "per_type_noise", "noise": 0.05}),
)


@dataclass
class Found:
    """Of the graph of each seed: motifs in the set, others in it, motifs among all, seconds."""

    in_set: list[int] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    reported: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


@bench_command("sources", usual_repeats=5, how="graphs a cell")
def main(bench: Bench) -> None:
    """Mine the same graphs with grown sets, with filters, and with both."""
    table = bench.table(
        "Of 4 planted motifs, mean over the graphs; seconds of processor, median",
        {
            "edges a node": "",
            "edges deleted, added": "",
            "features": "",
            "sources": "",
            "in the set": "",
            "others in it": "",
            "among the patterns": "",
            "s": ".1f",
        },
    )
    keys = {get_motif(name).key for name in MOTIFS_OF_SIZE[6]}
    for edges, deleted, added, features in CELLS[:1] if bench.quick else CELLS:
        found = {way: Found() for way in WAYS}
        for seed in range(1 if bench.quick else bench.repeats):
            graph, _ = make_planted(
                MOTIFS_OF_SIZE[6], edges, seed,
                copies=20 if deleted else 10, num_nodes=300 if bench.quick else 1000,
                remove_prob=deleted, add_prob=added, **features,
            )  # fmt: skip
            for way, one in found.items():
                miner, seconds = mine(
                    graph, pattern_size="3-6", sources=way, null="none", min_occurrences=1
                )
                in_set = [motif.key in keys for motif in miner.motif_set_]
                one.in_set.append(sum(in_set))
                one.others.append(len(in_set) - sum(in_set))
                one.reported.append(len(keys & {pattern.key for pattern in miner.patterns_}))
                one.seconds.append(seconds)
        for way, one in found.items():
            table.add(
                str(edges),
                f"{100 * deleted:g} %, {100 * added:g} %",
                "constant" if features["features"] == "constant" else "per type, noise 0.05",
                way,
                *(f"{np.mean(values):.2f}" for values in (one.in_set, one.others, one.reported)),
                float(np.median(one.seconds)),
            )


if __name__ == "__main__":
    main()
