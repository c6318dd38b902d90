"""How well the structures of a pool separate the classes of the graphs of a collection."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.steps import Steps
from mining.class_contrasts import class_differences, rank_by_classes
from mining.counting.exact_counts import find_graphs
from mining.records.class_difference import ClassDifference
from mining.structures.categories import Categories

log = logging.getLogger("gomkcn_dgl")

# most seconds to look for a structure in all graphs
_SECONDS = 5.0
# largest q of what separates classes
_LEVEL = 0.05


@dataclass(frozen=True)
class ClassSeparation:
    """The difference of each structure, and positions of the structures.

    ``ranked`` separate the classes most first; ``repeated`` are in the same graphs as one of these.
    """

    differences: list[ClassDifference]
    ranked: list[int]
    repeated: list[int]

    def choose(self, most: int, only_different: bool) -> list[int]:
        """Positions of what to report; ``only_different``: to q ≤ .05 and nothing repeated."""
        if only_different:
            return [i for i in self.ranked if self.differences[i].q <= _LEVEL][:most]
        return [*self.ranked, *self.repeated][:most]


def separate_classes(
    graph: CSRGraph,
    structures: Sequence[Structure],
    categories: Categories,
    classes: GraphClasses,
    steps: Steps,
) -> ClassSeparation:
    """Compare how many graphs of each class contain each structure; q is over all structures.

    All processes share the work.
    """

    def find_one(structure: Structure) -> dict[str, np.ndarray]:
        colors = categories.colors_in(structure, graph)
        found, is_complete = find_graphs(graph, structure, colors, _SECONDS)
        return {"contains": found, "is_complete": np.array(is_complete)}

    found = steps.each("counting in each class", find_one, structures, attrgetter("key"))
    contains = np.zeros((graph.num_graphs, len(structures)), bool)
    num_cut = 0
    for column, result in enumerate(found):
        contains[:, column] = result["contains"]
        num_cut += not result["is_complete"]
    if num_cut:
        log.warning("%d structures were not searched in all graphs, for want of time", num_cut)
    differences = class_differences(contains, classes.labels, classes.names)
    sizes = [structure.num_nodes for structure in structures]
    return ClassSeparation(differences, *rank_by_classes(differences, contains, sizes))
