"""Evaluation against planted truth: which motifs were recovered, and where they occur."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import msgspec
import msgspec.structs
from msgspec import Meta

from gomkcn.mining.structures.pattern import Pattern
from gomkcn.mining.structures.records import Count, Positive, RelationRecord, read_as
from gomkcn.mining.structures.table_column import TableColumn, tabulate
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import parse_json, read_file, reason_of
from gomkcn_dgl.runtime.tabular import Table


@dataclass(frozen=True)
class MotifRecovery:
    """Whether one planted motif was recovered.

    Attributes
    ----------
    name : str
        The motif.
    num_nodes, num_edges : int
        Its size.
    copies : int
        Number of planted copies.
    pattern_ids : tuple of int
        Patterns that are isomorphic to it; empty if it was not recovered.
    occurrences : float
        Occurrences of those patterns together in the whole graph, or an estimate.
    planted_found : int
        Planted copies whose node set is among the places that are listed, or a copy of a motif.
    """

    name: str
    num_nodes: Count
    num_edges: Count
    copies: Count
    pattern_ids: tuple[Count, ...]
    occurrences: Positive
    planted_found: Count

    @property
    def recovered(self) -> bool:
        """Whether a pattern is isomorphic to the motif."""
        return bool(self.pattern_ids)


class PlantedRecord(msgspec.Struct):
    """A motif that was planted, as ``gomkcn generate`` writes it, which may say more of it."""

    name: str
    num_nodes: Annotated[int, Meta(ge=1, le=1024)]
    # both nodes of each edge, from the first to the second where it has a direction
    edges: list[tuple[Count, Count]]
    # how many were planted
    copies: int
    # the ids of the nodes of each copy
    instances: list[list[int | str]]
    relations: list[RelationRecord] = []
    # the number of the relation of each edge; by default that of the first
    edge_relations: list[Count] | None = None

    def structure(self) -> Structure:
        """Its structure; a ValueError for edges that its nodes do not have."""
        relations = list(map(msgspec.structs.asdict, self.relations))
        numbers = self.edge_relations
        return Structure.from_dict(
            {
                "num_nodes": self.num_nodes,
                "edges": self.edges,
                "relations": relations or [{"name": PLAIN, "directed": False}],
                "edge_relations": [0] * len(self.edges) if numbers is None else numbers,
                "categories": (),
            }
        )


class TruthRecord(msgspec.Struct):
    """The motifs that were planted into a graph: ``GRAPH.truth.json`` beside it."""

    motifs: list[PlantedRecord]


# of planted motifs
PLANTED_COLUMNS: tuple[TableColumn[MotifRecovery], ...] = (
    TableColumn(
        "name",
        "Planted motif",
        "its name",
        lambda motif: motif.name,
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "copies",
        "Copies",
        "copies that were planted",
        lambda motif: motif.copies,
    ),
    TableColumn(
        "recovered",
        "Recovered",
        "whether a pattern is isomorphic to it",
        lambda motif: motif.recovered,
        is_left=True,
    ),
    TableColumn(
        "planted_found",
        "Copies found",
        "planted copies that are among the listed occurrences, or copies of a motif",
        lambda motif: motif.planted_found,
    ),
)


class Recovery(list[MotifRecovery]):
    """The planted motifs of a graph, and whether each was recovered."""

    def table(self) -> Table:
        """A row for each planted motif.

        Returns
        -------
        Table
            ``name``, planted ``copies``, ``recovered``, and the planted copies that are among the
            listed occurrences and the copies of motifs, ``planted_found``.
        """
        return tabulate(PLANTED_COLUMNS, self)

    def save(self, path: str | Path) -> None:
        """Write the table to a file whose name ends in .csv, .json or .parquet."""
        self.table().save(path)


def compare_with_truth(patterns: Sequence[Pattern], truth: Mapping[str, Any]) -> Recovery:
    """Find the patterns that are isomorphic to each planted motif.

    Parameters
    ----------
    patterns : sequence of Pattern
    truth : mapping
        ``{"motifs": [{"name", "num_nodes", "edges", "copies", "instances"}, …]}``, as
        ``synthetic.PlantedGraph.truth`` gives it; an instance lists node ids of the graph. A motif
        has ``relations`` and ``edge_relations`` as in ``patterns.json``, or edges that are all of
        one undirected relation.

    Raises
    ------
    InputError
        If ``truth`` does not have that form.

    Examples
    --------
    >>> triangle = {"name": "triangle", "num_nodes": 3, "edges": [[0, 1], [0, 2], [1, 2]],
    ...             "copies": 1, "instances": [[4, 5, 6]]}
    >>> compare_with_truth([], {"motifs": [triangle]}).table().columns()["recovered"]
    [False]
    """
    if not (isinstance(patterns, Iterable) and all(isinstance(one, Pattern) for one in patterns)):
        raise InputTypeError(
            "patterns",
            "must be a list of Pattern, such as patterns_ of a fitted PatternMiner",
            got=type(patterns).__name__,
        )
    # motifs are planted without categories, which the nodes of their copies may have
    keys = [pattern.structure.with_categories(()).key for pattern in patterns]
    recoveries = Recovery()
    for motif, planted in _planted(truth):
        isomorphic = [
            pattern for pattern, key in zip(patterns, keys, strict=True) if key == planted.key
        ]
        copies = [pattern.motif.copies for pattern in isomorphic if pattern.motif is not None]
        places = chain(*(pattern.occurrences for pattern in isomorphic), *copies)
        node_sets = {frozenset(place.nodes) for place in places}
        recoveries.append(
            MotifRecovery(
                name=motif.name,
                num_nodes=motif.num_nodes,
                num_edges=len(motif.edges),
                copies=motif.copies,
                pattern_ids=tuple(pattern.id for pattern in isomorphic),
                occurrences=sum(pattern.frequency.count for pattern in isomorphic),
                planted_found=sum(frozenset(copy) in node_sets for copy in motif.instances),
            )
        )
    return recoveries


def read_truth(path: str | Path) -> dict[str, Any]:
    """Read the truth that ``gomkcn generate`` wrote beside a graph, see :func:`compare_with_truth`.

    Raises
    ------
    InputError
        If the file is missing, is not JSON or does not have that form.
    """
    try:
        truth = parse_json(read_file(Path(path)))
    except (OSError, ValueError) as error:
        raise InputError(f"truth file {str(path)!r} cannot be read ({error}).") from None
    _planted(truth)
    return dict(truth)


def _planted(truth: Any) -> list[tuple[PlantedRecord, Structure]]:
    """The motifs of the truth and their structures, or refuse what does not have its form."""
    try:
        motifs = read_as(TruthRecord, truth).motifs
        return [(motif, motif.structure()) for motif in motifs]
    except ValueError as error:
        raise InputError(
            "truth",
            (
                "must be {'motifs': [{'name', 'num_nodes', 'edges', 'copies', 'instances'}, …]}, "
                f"as gomkcn generate writes it ({reason_of(error)})"
            ),
        ) from None
