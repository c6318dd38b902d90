"""How well the structures of a pool separate the classes of the graphs of a collection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.checkpoint_store import CheckpointStore
from mining.class_contrasts import class_differences
from mining.pattern_counts import count_in_graphs
from mining.records.class_difference import ClassDifference
from mining.structures.categories import Categories
from mining.structures.structure import Structure

# most seconds to count a structure exactly in all graphs
_SECONDS = 2.0


def separate_classes(
    graph: CSRGraph,
    structures: Sequence[Structure],
    categories: Categories,
    classes: GraphClasses,
    seed: int,
    checkpoints: CheckpointStore,
) -> list[ClassDifference]:
    """Compare how many graphs of each class contain each structure; q is over all structures.

    All processes share the work. Where a structure cannot be counted in time, a graph contains it
    if an estimate finds an occurrence.
    """

    def find_one(number: int) -> dict[str, np.ndarray]:
        structure = structures[number]
        colors = structure.colors_in(graph, categories)
        counts, _ = count_in_graphs(graph, structure.adjacency, colors, _SECONDS, seed)
        return {"contains": counts > 0}

    tasks = {f"graphs-with-{i}": partial(find_one, i) for i in range(len(structures))}
    checkpoints.share(tasks, least=len(tasks))
    contains = np.zeros((graph.num_graphs, len(structures)), bool)
    for column, task in enumerate(tasks):
        contains[:, column] = checkpoints.take(task, dict)["contains"]
    return class_differences(contains, classes.labels, classes.names)
