"""Records that are written to the JSON files of a run, and read back as the types that they have.

Types say what a record holds, and msgspec refuses all others with the place in the file. Values
that belong together are checked by who makes an object of them.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import msgspec
import msgspec.structs
from msgspec import Meta

R = TypeVar("R")

# what a number of JavaScript holds
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Share = Annotated[float, Meta(ge=0, le=1)]
# between 0 and 1, but for rounding
Similarity = Annotated[float, Meta(ge=0, le=1.001)]
Positive = Annotated[float, Meta(ge=0)]
# an exact count is a whole number, which a float cannot hold above 2^53
Amount = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0, le=1e200)]
Thousandths = Annotated[int, Meta(ge=-1, le=1001)]


class Record(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The base of records; a name that is not known is refused."""


class RelationRecord(Record):
    """A kind of edges of the graph, and whether they have a direction."""

    name: str
    directed: bool


class StructureRecord(Record):
    """A structure, without name and roles: edges [i, j] from i to j, or i < j without direction."""

    num_nodes: Annotated[int, Meta(ge=1, le=1024)]
    edges: list[tuple[Count, Count]]
    relations: Annotated[list[RelationRecord], Meta(min_length=1, max_length=1000)]
    # the position of each edge's relation
    edge_relations: list[Count]
    # the categorical features of each node, by name
    categories: list[list[str]]

    def structure(self) -> dict[str, Any]:
        """What :meth:`gomkcn.Structure.from_dict` reads."""
        return {
            "num_nodes": self.num_nodes,
            "edges": self.edges,
            "relations": list(map(msgspec.structs.asdict, self.relations)),
            "edge_relations": self.edge_relations,
            "categories": self.categories,
        }


def read_as(kind: type[R], record: Any, file: str = "") -> R:
    """A record as a type; a ValueError with the place in the file for any other.

    >>> read_as(RelationRecord, {"name": "acts", "directed": 1}, "run.json")
    Traceback (most recent call last):
    ValueError: run.json: Expected `bool`, got `int` - at `$.directed`
    """
    try:
        return msgspec.convert(record, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{file}: {error}" if file else str(error)) from None


def as_record(value: Any) -> Any:
    """Records, and objects with the fields of some, as lists and dictionaries of plain values.

    >>> as_record({"edge": (1, RelationRecord(name="acts", directed=True)), "p": 0.125})
    {'edge': [1, {'name': 'acts', 'directed': True}], 'p': 0.125}
    """
    return _with_lists(msgspec.to_builtins(value))


def _with_lists(value: Any) -> Any:
    """Plain values with lists in the place of tuples, and Python's numbers."""
    if isinstance(value, dict):
        return {name: _with_lists(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(entry) for entry in value]
    # also of NumPy; all digits are kept, so that a run that is read back is the same
    return float(value) if isinstance(value, float) else value
