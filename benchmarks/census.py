"""How often each structure occurs in a graph, and in its null-model graphs: what others count.

All connected structures of a size are counted by igraph (RAND-ESU without sampling, S. Wernicke,
IEEE/ACM TCBB 3, 2006), a single one of any size by its own search. None of it mines.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import igraph
import numpy as np

from gomkcn_dgl import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.null_models.null_models import sample_null
from mining.records.pattern import Pattern

# least standard deviation of a count over the samples: structures that chance never makes
LEAST_STD = 1.0
# what "shown" means throughout
SHOWN = 5.0

# of a structure, without categories
Key = bytes


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


def count_all(graph: CSRGraph, size: int) -> dict[Key, int]:
    """Induced occurrences of each connected structure of ``size`` nodes, by igraph.

    Directions count; graphs of several relations are refused.
    """
    if len(graph.relations.names) > 1:
        raise ValueError("igraph counts the structures of graphs of one relation only")
    counts = as_igraph(graph).motifs_randesu(size)
    structures = _structures(size, graph.is_directed, graph.relations.names[0])
    # igraph gives no number for structures that are not connected
    return {structure: int(counts[number]) for number, structure in structures.items()}


def score_all(graph: CSRGraph, nulls: Iterable[CSRGraph], sizes: Iterable[int]) -> dict[Key, Score]:
    """Each structure of these sizes, in the graph and in samples of a null model."""
    nulls, scores = list(nulls), {}
    for size in sizes:
        observed, samples = count_all(graph, size), [count_all(null, size) for null in nulls]
        for structure, count in observed.items():
            scores[structure] = Score.of(count, [sample[structure] for sample in samples])
    return scores


def highest(scores: Mapping[Key, Score], number: int) -> list[Key]:
    """The structures with the highest z, of those that occur."""
    occurring = [structure for structure, score in scores.items() if score.observed > 0]
    return sorted(occurring, key=lambda structure: -scores[structure].z)[:number]


def structures_of(patterns: Iterable[Pattern | Structure]) -> list[Key]:
    """The structure of each pattern or motif."""
    own = (one if isinstance(one, Structure) else one.structure for one in patterns)
    return [replace(one, categories=()).key for one in own]


def as_igraph(graph: CSRGraph) -> igraph.Graph:
    """The graph as igraph takes it."""
    source, target, _ = graph.edges()
    ends = np.column_stack([source, target]).tolist()
    return igraph.Graph(n=graph.num_nodes, edges=ends, directed=graph.is_directed)


@functools.cache
def _structures(size: int, directed: bool, relation: str) -> dict[int, Key]:
    """The structure of each of igraph's connected classes of this size, by its number."""
    structures = {}
    for number in itertools.count():
        try:
            one = igraph.Graph.Isoclass(size, number, directed=directed)
        except igraph.InternalError:
            return structures
        if one.is_connected(mode="weak"):
            kinds = [relation] * one.ecount()
            made = Structure.of_edges(size, one.get_edgelist(), kinds, directed)
            structures[number] = made.key
