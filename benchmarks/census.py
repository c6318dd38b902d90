"""How often each structure occurs in a graph, and in its null-model graphs: what others count.

All connected structures of a size are counted by igraph (RAND-ESU without sampling, S. Wernicke,
IEEE/ACM TCBB 3, 2006), a single one of any size by its own search. None of it mines.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import igraph
import numpy as np

from gomkcn_dgl import CSRGraph
from gomkcn_dgl.relations import Relations, edge_channels, relations_of
from mining.null_models.null_models import sample_null
from mining.records.counted_structure import CountedStructure
from mining.records.pattern import Pattern
from mining.structures.graph_relations import certificate_by_name
from synthetic import Motif

# least standard deviation of a count over the samples: structures that chance never makes
LEAST_STD = 1.0
# what "shown" means throughout
SHOWN = 5.0

Structure = tuple[object, bytes]


@dataclass(frozen=True)
class Score:
    """A count in a graph beside those in null-model graphs."""

    observed: float
    mean: float
    std: float

    @classmethod
    def of(cls, observed: float, samples: Sequence[float]) -> Score:
        return cls(observed, float(np.mean(samples)), float(np.std(samples, ddof=1)))

    @property
    def z(self) -> float:
        return (self.observed - self.mean) / max(self.std, LEAST_STD)


def null_graphs(graph: CSRGraph, number: int, null: str = "degree") -> list[CSRGraph]:
    """Samples of a null model; their seeds are none that the miner draws from."""
    return [sample_null(graph, null, 10**6 + seed) for seed in range(number)]


def count_all(graph: CSRGraph, size: int) -> dict[Structure, int]:
    """Induced occurrences of each connected structure of ``size`` nodes, by igraph.

    Directions count; graphs of several relations are refused.
    """
    if len(graph.relations.names) > 1:
        raise ValueError("igraph counts the structures of graphs of one relation only")
    counts = as_igraph(graph).motifs_randesu(size)
    structures = _structures(size, graph.is_directed, graph.relations)
    # igraph gives no number for structures that are not connected
    return {
        structure: int(count)
        for structure, count in zip(structures, counts, strict=True)
        if not np.isnan(count)
    }


def score_all(
    graph: CSRGraph, nulls: Iterable[CSRGraph], sizes: Iterable[int]
) -> dict[Structure, Score]:
    """Each structure of these sizes, in the graph and in samples of a null model."""
    nulls, scores = list(nulls), {}
    for size in sizes:
        observed, samples = count_all(graph, size), [count_all(null, size) for null in nulls]
        for structure, count in observed.items():
            scores[structure] = Score.of(count, [sample[structure] for sample in samples])
    return scores


def highest(scores: Mapping[Structure, Score], number: int) -> list[Structure]:
    """The structures with the highest z, of those that occur."""
    occurring = [structure for structure, score in scores.items() if score.observed > 0]
    return sorted(occurring, key=lambda structure: -scores[structure].z)[:number]


def structures_of(patterns: Iterable[Pattern | CountedStructure | Motif]) -> list[Structure]:
    """The structure of each pattern, counted structure or motif."""
    return [certificate_by_name(one.channels(), one.relations) for one in patterns]


def as_igraph(graph: CSRGraph) -> igraph.Graph:
    """The graph as igraph takes it."""
    source, target, _ = graph.edges()
    ends = np.column_stack([source, target]).tolist()
    return igraph.Graph(n=graph.num_nodes, edges=ends, directed=graph.is_directed)


@functools.cache
def _structures(size: int, directed: bool, relations: Relations) -> list[Structure]:
    """The structure of each of igraph's classes of this size, in their order."""
    own = relations_of([relations.names[0]], [directed])
    structures, number = [], 0
    while True:
        try:
            one = igraph.Graph.Isoclass(size, number, directed=directed)
        except igraph.InternalError:
            return structures
        channels = edge_channels(size, one.get_edgelist(), [0] * one.ecount(), own)
        structures.append(certificate_by_name(channels, own))
        number += 1
