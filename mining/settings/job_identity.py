"""What decides the result of a job on a graph, by which a job that was stopped is known again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.steps import identity_of_job


def job_identity(
    settings: Mapping[str, Mapping[str, Any]],
    without_effect: Mapping[str, Sequence[str]],
    graph: CSRGraph,
    classes: GraphClasses | None = None,
    more: Sequence[np.ndarray] = (),
) -> dict[str, Any]:
    """The tables of settings, but for those that have no effect, the graph, and its classes.

    ``more`` is what else of the graph is decisive, such as the weights of its edges. Where the
    graph was read from is not decisive; its nodes, edges, features and relations are.
    """
    tables: dict[str, Any] = {
        name: {
            key: value for key, value in table.items() if key not in without_effect.get(name, ())
        }
        for name, table in settings.items()
        if name != "graph"
    }
    arrays = [graph.indptr, graph.indices, graph.features, graph.graph_ptr, *more]
    if graph.links is not None:
        arrays += [graph.links, graph.relations.links]
        tables["relations"] = graph.relations.kinds
    if classes is not None:
        arrays.append(classes.labels)
        tables["classes"] = classes.names
    return identity_of_job(tables, *arrays)
