"""Repeated blocks: are planted ones found exactly, and is nothing called where nothing is?

Netlists have gates of seven kinds with one input or two, each of which reads from a random gate,
but within the copies of a block. Seeds are 7000 and on, which nothing was chosen by. Whether blocks
are called is asked with 19 random graphs.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np
from record import Bench

from gomkcn import repeated_blocks

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS / "helpers"))

from netlists import Netlist, draw_block, draw_netlist, kept_back  # noqa: E402

FIRST_SEED = 7000
# netlists with blocks, and without any
NUM_PLANTED, NUM_EMPTY = 20, 20
EMPTY_GATES = 600
LARGE = 100_000
LARGE_BLOCK, LARGE_COPIES = 30, 500


def main(bench: Bench) -> None:
    exact = bench.table(
        "Planted blocks",
        {"netlist": "", "gates": ",", "planted": "", "exact copies": "", "seconds": ".1f"},
    )
    for seed in range(FIRST_SEED, FIRST_SEED + NUM_PLANTED):
        net = kept_back(seed)
        add_exact(exact, f"kept back {seed}", net, null_samples=0)
    rng = np.random.default_rng(FIRST_SEED)
    block = draw_block(rng, LARGE_BLOCK)
    large = draw_netlist(FIRST_SEED, [(block, LARGE_COPIES)], LARGE - LARGE_BLOCK * LARGE_COPIES)
    add_exact(exact, "large, with random graphs", large, null_samples=19)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    bench.note(f"The most memory of all: {peak:.1f} GiB.")
    empty = bench.table(
        "Netlists without blocks", {"seed": "d", "blocks": "d", "called": "d", "least p": ".2f"}
    )
    for seed in range(FIRST_SEED, FIRST_SEED + NUM_EMPTY):
        found = repeated_blocks(draw_netlist(seed, [], EMPTY_GATES).graph, random_state=seed)
        least = min((block.p for block in found.blocks if block.p is not None), default=1.0)
        empty.add(seed, len(found), len(found.called), least)


def add_exact(table, name: str, net: Netlist, null_samples: int) -> None:
    """Search a netlist, and count the planted copies that are found as they are."""
    start = time.process_time()
    found = repeated_blocks(net.graph, null_samples=null_samples)
    seconds = time.process_time() - start
    sets = {frozenset(copy) for block in found.blocks for copy in block.copies.tolist()}
    exact = [sum(frozenset(copy) in sets for copy in truth.tolist()) for truth in net.truth]
    planted = ", ".join(f"{len(truth)} × {truth.shape[1]}" for truth in net.truth)
    total = sum(map(len, net.truth))
    table.add(name, net.graph.num_nodes, planted, f"{sum(exact)} of {total}", seconds)
