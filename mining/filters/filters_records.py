"""The records of a run of filters: ``filters.json``, and ``drawn.json`` of its page."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from gomkcn.mining.filters.mined_filter import FilterRecord
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn.mining.structures.records import Count, Record, Similarity, Thousandths


class DrawnRecord(Record):
    """``drawn.json``: what a run of filters knows of the nodes of its map."""

    # the filter that each node belongs to; -1 for a node that was not compared
    labels: list[Annotated[int, Meta(ge=-1)]]
    similarities: list[Thousandths]
    # for each filter the response of each node
    responses: list[list[Thousandths]]
    # the nodes of the subgraph around each node, by their places on the map; -1 is no node, -2 one
    # that is not on the map
    subgraphs: list[list[Annotated[int, Meta(ge=-2)]]]
    # the node of its filter that each of them is matched to; -1 is none
    matching: list[list[Annotated[int, Meta(ge=-2)]]]
    # the colour of the features of each node; none where they have no colours
    fills: tuple[Annotated[str, Meta(pattern="^#[0-9a-f]{6}$")], ...]
    # whether the subgraph around each node is the structure of its filter
    exact: list[bool]


class ColorsRecord(Record):
    """The feature columns whose values are colours of nodes, one or three, and their ranges."""

    columns: Annotated[tuple[Count, ...], Meta(max_length=3)]
    low: list[float]
    high: list[float]
    # numeric columns that vary and have no colour
    hidden: Count


class GraphResponse(Record):
    """A graph of a collection, and the highest response of its nodes."""

    graph: Count
    response: Similarity


class CountedFilter(FilterRecord):
    """A filter with what a run knows of it."""

    # of its structure, induced, in the whole graph; None where it was not counted
    occurrences: OccurrenceCount | None
    # the planted motif that its structure is; empty where it is none, or none is known
    planted: str
    # graphs with the highest responses
    graphs: list[GraphResponse]


class FiltersRecord(Record):
    """``filters.json``: the filters of a graph, those furthest beyond random graphs first."""

    schema: int
    feature_names: Annotated[tuple[str, ...], Meta(min_length=1)]
    colors: ColorsRecord
    # nodes whose subgraphs were compared: all, or a random sample; 0 without filters
    num_assigned: Count
    filters: list[CountedFilter]
