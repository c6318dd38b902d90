"""What runs of a graph are made of, and what their files have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn.mining.structures.pattern import ClassSearch
from gomkcn.mining.structures.records import Count, read_as
from gomkcn.mining.structures.truth import MotifRecovery
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.runtime.output_folder import read_json

if TYPE_CHECKING:
    from gomkcn.mining.patterns.annotations import Annotations
    from gomkcn.mining.plots.graph_map import GraphMap
    from gomkcn.mining.settings.graph_settings import GraphSettings

Plain = str | int | float | bool | None
# plain values and lists by name, in at most one more table
Table = dict[str, Plain | list[Plain] | dict[str, Plain | list[Plain]]]


class GraphInputs(NamedTuple):
    """A graph, the classes of its graphs, and the motifs that were planted in it.

    ``annotations`` are what null models permute, or permute within, where that is asked for.
    """

    graph: CSRGraph
    classes: GraphClasses | None = None
    truth: dict[str, Any] | None = None
    annotations: Annotations | None = None

    @classmethod
    def read(
        cls,
        settings: GraphSettings,
        truth: str | Path | None = None,
        weight: str | None = None,
        within: str | None = None,
    ) -> GraphInputs:
        """Read the graph that settings name, its classes, and the file of planted motifs.

        ``weight`` and ``within`` name columns of its edges and its nodes.
        """
        from gomkcn.mining.structures.truth import read_truth

        planted = None if truth is None else read_truth(truth)
        if weight is None and within is None:
            return cls(settings.read_graph(), settings.read_classes(), planted)
        from gomkcn.mining.patterns.annotations import Annotations

        found = settings.read_annotated(weight, within)
        annotations = Annotations.of(*found, weight, within)
        return cls(found.graph, settings.read_classes(), planted, annotations)


def compact_json(record: Any) -> str:
    """Without spaces: a map has a number for each node and edge, which nobody reads."""
    return json.dumps(record, separators=(",", ":")) + "\n"


class RunRecord(msgspec.Struct):
    """``run.json``: the graph, the settings and the course of a run of mine or of filters."""

    graph: GraphSummary
    # whether the time limit ended the run early
    partial: bool
    # what continues a partial run, as it is typed; empty where it is not known
    command: str
    # planted motifs and the patterns that recover them; None if no truth is known
    recovery: list[MotifRecovery] | None
    settings: Table
    provenance: Table
    # what of the input was changed or left out
    notes: tuple[str, ...]
    # of filters: what they were chosen by, random graphs that they were compared with, and losses
    note: str = ""
    num_random_graphs: Count = 0
    loss_curve: list[float] = []
    # of mine: what the comparison with random graphs does not tell, and what these keep and how
    # many were drawn, in words
    warnings: tuple[str, ...] = ()
    null_models: dict[str, str] = {}
    random_graphs: dict[str, str] = {}
    # of mine: what was searched for differences between classes
    class_search: ClassSearch | None = None


def map_of(folder: Path, file: str, num_relations: int) -> GraphMap | None:
    """The map of a run; refuses one with an edge of a relation that the graph lacks."""
    from gomkcn.mining.plots.graph_map import GraphMap, MapRecord

    content = read_json(folder / file)
    if content is None:
        return None
    record = read_as(MapRecord, content, file)
    if max(record.edge_relations, default=0) >= max(1, num_relations):
        raise ValueError("an edge of the map has a relation that the graph lacks")
    return GraphMap.of_record(record)
