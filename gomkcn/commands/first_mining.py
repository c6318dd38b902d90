"""The first mining of a new installation: what it must compile, two processes compile.

Mining compiles a function when it first comes to it: those of the comparison with random graphs,
of the filters, of the search for motifs. A second process mines a tiny graph meanwhile and begins
with the search, so that the first one finds it compiled. It needs no list of functions and of their
types, which would have to be kept up.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal


def compile_beside() -> bool:
    """Start the second process, if nothing is compiled yet and there is a core for it.

    It ends with this process. Return whether this mining compiles.
    """
    from gomkcn.mining.motif_sets.alignment_loops import align_sets
    from gomkcn_dgl.runtime.compiled import num_threads
    from gomkcn_dgl.runtime.machine_code import is_kept

    # which is compiled late, and by every mining
    if is_kept(align_sets):
        return False
    if num_threads() > 1:
        # not forked: this process has threads
        process = multiprocessing.get_context("spawn").Process(target=mine_tiny, daemon=True)
        process.start()
    return True


def mine_tiny() -> None:
    """Mine a tiny graph, so that all that mining compiles but for filters is kept on disk."""
    # Ctrl-C is for the first process, with which this one ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.disable()
    import networkx as nx

    from gomkcn.mining.counting.counts import count
    from gomkcn.mining.motif_sets.finding import find_motif_set
    from gomkcn.mining.patterns.pattern_miner import PatternMiner
    from gomkcn.mining.settings.miner_settings import GROWN, NONE
    from gomkcn.mining.structures.mined_graph import MinedGraph
    from gomkcn_dgl.graph import as_csr
    from gomkcn_dgl.graphs.structure import Structure

    # a motif with eight copies in a tree
    wheels = nx.disjoint_union_all([nx.wheel_graph(6)] * 8)
    wheels.add_edges_from((6 * i, 6 * i + 7) for i in range(7))
    graph = as_csr(wheels)
    # what a mining comes to last is compiled first, so that the two seldom wait for each other:
    # a search among sets that grow needs nothing of what filters do, with which a mining begins
    find_motif_set(MinedGraph.of(graph), None, 0, [], sources=(GROWN,))
    count(graph, Structure.parse("a--b, b--c"))
    PatternMiner(filters=NONE, null_samples=99).fit(graph)
