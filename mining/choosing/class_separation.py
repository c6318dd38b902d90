"""How well patterns separate the classes of the graphs of a collection."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from gomkcn_dgl.runtime.steps import Steps
from mining.class_contrasts import class_differences, rank_by_classes
from mining.counting.exact_counts import find_graphs
from mining.mined_graph import MinedGraph
from mining.records.pattern import Pattern

log = logging.getLogger("gomkcn_dgl")

# most seconds to look for a pattern in all graphs
_SECONDS = 5.0


def separate_classes(
    mined: MinedGraph, patterns: Sequence[Pattern], steps: Steps
) -> tuple[list[Pattern], list[Pattern], list[Pattern]]:
    """Compare how many graphs of each class contain each pattern; q is over all patterns.

    All processes share the work. Returns the patterns with their ``classes``; those that separate
    the classes, most first; and those that are in the same graphs as one of these.
    """
    classes = mined.classes
    assert classes is not None, "the graphs have classes"

    def find_one(pattern: Pattern) -> dict[str, np.ndarray]:
        colors = mined.colors_of(pattern.structure)
        found, is_complete = find_graphs(mined.graph, pattern.structure, colors, _SECONDS)
        return {"contains": found, "is_complete": np.array(is_complete)}

    found = steps.each("counting in each class", find_one, patterns, attrgetter("key"))
    contains = np.zeros((mined.graph.num_graphs, len(patterns)), bool)
    num_cut = 0
    for column, result in enumerate(found):
        contains[:, column] = result["contains"]
        num_cut += not result["is_complete"]
    if num_cut:
        log.warning("%d structures were not searched in all graphs, for want of time", num_cut)
    differences = class_differences(contains, classes.labels, classes.names)
    ranked, repeated = rank_by_classes(
        differences, contains, [pattern.num_nodes for pattern in patterns]
    )
    compared = [
        replace(one, classes=difference)
        for one, difference in zip(patterns, differences, strict=True)
    ]
    return compared, [compared[i] for i in ranked], [compared[i] for i in repeated]
