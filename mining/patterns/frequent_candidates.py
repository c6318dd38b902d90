"""Frequent subgraphs of a collection as a source of patterns."""

from __future__ import annotations

import logging

from gomkcn.mining.frequent.gspan import frequent_subgraphs
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import Pattern
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.steps import Steps

log = logging.getLogger("gomkcn_dgl")

# least share of the graphs; the most patterns, those of most edges in most graphs
_SUPPORT, _MOST = 0.1, 100
# larger ones are many, and motifs grow from them
_MOST_NODES = 6


def check_collection(graph: CSRGraph) -> None:
    """Refuse a single graph, in which no subgraph is frequent."""
    if graph.num_graphs == 1:
        raise InputError(
            "sources",
            'must be "grown" or "filters" for a single graph',
            way_out='"frequent" subgraphs are those of many graphs of a collection',
        )


def patterns_of_subgraphs(mined: MinedGraph, sizes: range, steps: Steps) -> list[Pattern]:
    """The closed subgraphs that a tenth of the graphs contain, of ``sizes`` up to six nodes."""
    largest = min(sizes[-1], _MOST_NODES)
    least = max(2, min(sizes[0], largest))
    found = frequent_subgraphs(mined.graph, _SUPPORT, (least, largest), closed=True, steps=steps)
    if found.left_out:
        log.warning("frequent subgraphs are not complete: %s", found.left_out)
    pairs = zip(found.structures, found.support.tolist(), strict=True)
    best = sorted(pairs, key=lambda pair: -pair[1] * len(pair[0].edges))[:_MOST]
    return [Pattern(structure, sources=("frequent",)) for structure, _ in best]
