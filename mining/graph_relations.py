"""The relations of a graph, and of what is compared with it: patterns, filters, other graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations


def in_words(relations: Relations) -> str:
    """The relations of a graph, for a message."""
    shown = [
        f"{name!r} ({'directed' if directed else 'undirected'})"
        for name, directed in relations.kinds[:5]
    ]
    more = len(relations.names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def with_relations(graph: CSRGraph, relations: Relations) -> CSRGraph:
    """The graph with the channels of ``relations``; refuse relations that are not among them."""
    if graph.relations.kinds == relations.kinds:
        return graph
    if graph.relations.is_simple and relations.is_simple:
        return graph
    if not set(graph.relations.kinds) <= set(relations.kinds):
        raise InputError(
            f"graph must have relations that the miner was fitted on, {in_words(relations)}, got "
            f"{in_words(graph.relations)}; say with directed and relations how to read it."
        )
    return graph.with_relations(relations)


def joined_relations(graph: CSRGraph) -> CSRGraph:
    """The graph with all its relations as one; refuse some with a direction and some without."""
    relations = graph.relations
    if len(set(relations.directed)) > 1:
        raise InputError(
            "a pattern must name its relations where some have a direction and some have none, "
            f"{in_words(relations)}; write a-[NAME]->b or a-[NAME]-b."
        )
    if graph.links is None or not relations.is_directed:
        return replace(graph, links=None, relations=SIMPLE)
    leaving = relations.outgoing
    arriving = relations.opposite[leaving]
    # out is the first channel, so links in ascending order are: none, in, out, both
    code = 2 * relations.links[:, leaving].any(axis=1) + relations.links[:, arriving].any(axis=1)
    table = np.array([[False, False], [False, True], [True, False], [True, True]])
    return replace(
        graph,
        links=code[graph.links].astype(np.uint8),
        relations=Relations((PLAIN,), (True,), table),
    )


def links_in(graph: Relations, structure: Structure) -> np.ndarray:
    """The links of a graph that join the nodes of a structure, int64 ``[M, M]``.

    0 where nodes are not joined, -1 where they are joined as no two nodes of the graph are.
    """
    if structure.relations is graph:
        return structure.links.astype(np.int64)
    channels = channels_in(graph, structure)
    sets = np.concatenate([graph.links, channels.reshape(-1, channels.shape[-1])])
    _, codes = np.unique(sets, axis=0, return_inverse=True)
    codes = codes.reshape(-1)
    size = len(graph.links)
    link_of = np.full(int(codes.max()) + 1, -1)
    link_of[codes[:size]] = np.arange(size)
    return np.asarray(link_of[codes[size:]].reshape(channels.shape[:-1]))


def channels_in(graph: Relations, structure: Structure) -> np.ndarray:
    """The edges of a structure as channels of a graph, bool ``[M, M, C]``.

    Relations are the same when name and direction agree; edges that all go both ways have no
    direction where those of the graph have none. Edges without a name are of the only relation of
    the graph. A structure with other relations is refused.
    """
    channels = structure.channels
    relations = structure.relations
    if graph.kinds == relations.kinds:
        return channels
    used = np.asarray(channels.any(axis=(0, 1)))
    found = {(kind, side): c for c, (kind, side) in enumerate(_named_channels(graph))}
    if len(graph.names) == 1:
        found |= {((PLAIN, graph.directed[0]), side): c for (_, side), c in found.items()}
    translated = np.zeros((*channels.shape[:2], len(graph.channels)), dtype=bool)
    both_ways = (channels == channels[:, :, relations.opposite]).all(axis=(0, 1))
    for column, key in enumerate(_named_channels(relations)):
        if key not in found and both_ways[column]:
            key = ((key[0][0], False), "both")
        if key in found:
            translated[:, :, found[key]] |= channels[:, :, column]
        elif used[column]:
            (name, directed), _ = key
            kind = "with a direction" if directed else "without direction"
            found_in_words = f"edges {kind}" if name == PLAIN else f"{name!r} {kind}"
            raise InputError(
                f"a pattern must have edges of the graph's relations, {in_words(graph)}, got "
                f"{found_in_words}; {_way_out(graph, name, has_direction=directed)}."
            )
    return translated


def _way_out(graph: Relations, name: str, *, has_direction: bool) -> str:
    """What to do about an edge of a pattern that the graph cannot have."""
    if graph.names == (PLAIN,):
        write = "write a->b for an edge from a to b, a--b for one without direction"
        return f"{write}, or {other_directions(has_direction=has_direction)}"
    if name in graph.names:
        write = "write a-[NAME]->b for an edge from a to b, a-[NAME]-b for one without direction"
        return f"{write}, or {other_directions(has_direction=has_direction)}"
    arc = "->" if graph.directed[0] else "-"
    write = f"name the relation of each edge, as in a-[{graph.names[0]}]{arc}b"
    return f"{write}, or read the graph without relations, relation='none' (--relation none)"


def other_directions(*, has_direction: bool) -> str:
    """What to do where a pattern has directions and the graph none, or the other way round."""
    option = "directed=True (--directed)" if has_direction else "directed=False (--undirected)"
    return f"read the graph with {option}"


def in_relations_of(graph: Relations, structure: Structure) -> Structure:
    """The same structure with all relations of a graph; refused as by :func:`channels_in`."""
    return structure.with_channels(channels_in(graph, structure), graph, structure.name)


def _named_channels(relations: Relations) -> list[tuple[tuple[str, bool], str]]:
    return [(relations.kinds[number], side) for number, side in relations.channels]


def edges_among(graph: CSRGraph, rows: np.ndarray) -> np.ndarray:
    """Edges among the nodes ``rows``, int64 ``[E, 3]``: positions of both ends, and the relation.

    Without direction, the first end is that which comes first in ``rows``.

    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> arcs = csr_from_edges(np.array([0, 2]), np.array([1, 1]), 3, directed=True)
    >>> edges_among(arcs, np.array([1, 2])).tolist()
    [[1, 0, 0]]
    """
    # 1. entries between two of the nodes
    parts = [np.arange(*graph.indptr[row : row + 2]) for row in rows]
    order = np.argsort(rows)
    entries = np.concatenate(parts)
    source = np.repeat(np.arange(len(rows)), [len(part) for part in parts])
    place = np.searchsorted(rows, graph.indices[entries], sorter=order)
    target = order[np.minimum(place, len(rows) - 1)]
    inside = rows[target] == graph.indices[entries]
    source = source[inside]
    target = target[inside]
    entries = entries[inside]
    # 2. their channels, each edge from one side
    relations = graph.relations
    links = np.ones(len(entries), np.int64) if graph.links is None else graph.links[entries]
    at, channel = np.nonzero(relations.links[links])
    numbers, sides = (np.array(column) for column in zip(*relations.channels, strict=True))
    ends = np.stack([source[at], target[at], numbers[channel]], axis=1)
    side = sides[channel]
    return ends[(side == "out") | ((side == "both") & (ends[:, 0] < ends[:, 1]))]
