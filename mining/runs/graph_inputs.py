"""What runs of a graph are made of, and what their files have in common."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses

if TYPE_CHECKING:
    from gomkcn.mining.plots.graph_map import GraphMap
    from gomkcn.mining.settings.graph_settings import GraphSettings
    from gomkcn.mining.structures.truth import MotifRecovery


class GraphInputs(NamedTuple):
    """A graph, the classes of its graphs, and the motifs that were planted in it."""

    graph: CSRGraph
    classes: GraphClasses | None = None
    truth: dict[str, Any] | None = None

    @classmethod
    def read(cls, settings: GraphSettings, truth: str | Path | None = None) -> GraphInputs:
        """Read the graph that settings name, its classes, and the file of planted motifs."""
        from gomkcn.mining.structures.truth import read_truth

        graph, classes = settings.read_graph(), settings.read_classes()
        return cls(graph, classes, None if truth is None else read_truth(truth))


def compact_json(record: Any) -> str:
    """Without spaces: a map has a number for each node and edge, which nobody reads."""
    return json.dumps(record, separators=(",", ":")) + "\n"


def map_of(record: dict[str, Any] | None, num_relations: int) -> GraphMap | None:
    """The map of a record; refuses one with an edge of a relation that the graph lacks."""
    from gomkcn.mining.plots.graph_map import GraphMap

    if record is None:
        return None
    if max(record["edge_relations"], default=0) >= max(1, num_relations):
        raise ValueError("an edge of the map has a relation that the graph lacks")
    return GraphMap.from_dict(record)


def recovery_of(record: Sequence[dict[str, Any]] | None) -> list[MotifRecovery] | None:
    """Planted motifs and whether they were recovered; None where no truth is known."""
    from gomkcn.mining.structures.truth import MotifRecovery

    if record is None:
        return None
    return [
        MotifRecovery(**{**entry, "pattern_ids": tuple(entry["pattern_ids"])}) for entry in record
    ]
