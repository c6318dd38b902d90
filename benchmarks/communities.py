"""The motif adjacency matrix beside products of sparse matrices: the same numbers, and seconds.

The products are SciPy's, A² at the edges for triangles, and those of motifcluster 0.2.3, which is
to be installed apart. One that is not there is left out.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
from census_speed import graphs_of, measured
from record import Bench
from scipy.sparse import csr_matrix

from gomkcn.mining.counting.motif_adjacency import motif_adjacency
from gomkcn_dgl.csr import CSRGraph

# what motifcluster calls a pattern of a graph whose pairs are all mutual
THEIR_NAMES = {"triangle": "M4", "path-3": "M13"}


def matrix_of(graph: CSRGraph) -> csr_matrix:
    """Which nodes are adjacent, int64 ``[V, V]``."""
    pairs = graph.adjacent_pairs()
    rows, columns = np.concatenate([pairs, pairs[:, ::-1]]).T
    return csr_matrix((np.ones(len(rows), np.int64), (rows, columns)), (graph.num_nodes,) * 2)


def products(pattern: str) -> dict[str, Callable[[csr_matrix], Any]]:
    """Who else makes the matrix of a pattern, of those that are there."""
    calls: dict[str, Callable[[csr_matrix], Any]] = {}
    if pattern == "triangle":
        calls["SciPy: A² at the edges"] = lambda matrix: (matrix @ matrix).multiply(matrix)
    if importlib.util.find_spec("motifcluster"):
        from motifcluster.motifadjacency import build_motif_adjacency_matrix

        calls["motifcluster"] = lambda matrix: build_motif_adjacency_matrix(
            matrix, THEIR_NAMES[pattern], motif_type="struc"
        )
    return calls


def main(bench: Bench) -> None:
    """Compare the matrices of two patterns, and the seconds that they take."""
    table = bench.table(
        "Processor seconds",
        {
            "graph": "",
            "pattern": "",
            "occurrences": ",",
            "ours": "",
            "beside": "",
            "theirs": "",
            "ratio": ".2f",
            "equal": "",
        },
    )
    for name, graph in graphs_of(bench).items():
        matrix = matrix_of(graph)
        for pattern in THEIR_NAMES:
            ours, spent = measured(
                graph, bench.repeats, lambda one, pattern=pattern: motif_adjacency(one, pattern)
            )
            # each has three pairs, which stand in both triangles of the matrix
            occurrences = int(ours.sum()) // 6
            for who, call in products(pattern).items():
                found, theirs = measured(matrix, bench.repeats, call)
                equal = "yes" if abs(found - ours).sum() == 0 else "NO"
                ratio = theirs.median / spent.median
                table.add(name, pattern, occurrences, spent, who, theirs, ratio, equal)
    if not importlib.util.find_spec("motifcluster"):
        bench.note("motifcluster: not installed.")
