"""The relations of a graph, and of what is compared with it: patterns, filters, other graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gomkcn_dgl.checks import nearest
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.named_structures import is_name
from gomkcn_dgl.graphs.shapes import sign_of
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations


def in_words(relations: Relations) -> str:
    """The relations of a graph, for a message."""
    if relations.names == (PLAIN,):
        return f"edges {'with a direction' if relations.is_directed else 'without direction'}"
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
            "graph",
            f"must have relations that the miner was fitted on, {in_words(relations)}",
            got=in_words(graph.relations),
            way_out=(
                "say with ",
                Argument("directed"),
                " and ",
                Argument("relation"),
                " how to read it",
            ),
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
        return replace(graph, links=None, relations=SIMPLE, loops=None)
    leaving = relations.outgoing
    arriving = relations.opposite[leaving]
    # out is the first channel, so links in ascending order are: none, in, out, both
    code = 2 * relations.links[:, leaving].any(axis=1) + relations.links[:, arriving].any(axis=1)
    table = np.array([[False, False], [False, True], [True, False], [True, True]])
    return replace(
        graph,
        links=code[graph.links].astype(np.uint8),
        relations=Relations((PLAIN,), (True,), table),
        loops=None,
    )


def without_directions(graph: CSRGraph) -> CSRGraph:
    """The graph of one relation whose edges lead both ways, without weights and self-loops.

    >>> import networkx as nx
    >>> from gomkcn_dgl.graph import as_csr
    >>> without_directions(as_csr(nx.DiGraph([(0, 1), (1, 0), (1, 2)]))).num_edges
    2
    """
    return replace(graph, links=None, relations=SIMPLE, weights=None, loops=None)


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
    the graph, and a structure that is known by its name has the graph's words of signs. A structure
    with other relations is refused.
    """
    if is_name(structure.name):
        structure = with_signs_of(graph, structure)
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
            raise InputError.of(unlike_graph(graph, name, has_direction=directed))
    return translated


def with_signs_of(graph: Relations, structure: Structure) -> Structure:
    """The structure with the words of a graph for what activates and what represses.

    A relation of the structure that the graph lacks, but whose sign one relation of the graph has,
    becomes that one. Others stay as they are.

    >>> from gomkcn_dgl.relations import relations_of
    >>> signed = relations_of(["+", "-"], [True, True])
    >>> with_signs_of(signed, Structure.parse("coherent-feed-forward-loop-3")).to_text()
    'A-[+]->B, A-[-]->C, B-[-]->C'
    """
    names = [_word_of_graph(graph, name) for name in structure.relations.names]
    return replace(structure, relations=replace(structure.relations, names=tuple(names)))


def _word_of_graph(graph: Relations, name: str) -> str:
    """The only relation of a graph with the sign of a relation that it lacks, else the name."""
    sign = None if name in graph.names else sign_of(name)
    same = [other for other in graph.names if sign is not None and sign_of(other) == sign]
    return same[0] if len(same) == 1 else name


def unlike_graph(graph: Relations, name: str, *, has_direction: bool, given: str = "") -> Message:
    """What is wrong with an edge of a pattern that the graph cannot have, and what to do about it.

    ``name`` is its relation, and ``given`` how it was written, where that is known.
    """
    if name not in (PLAIN, *graph.names):
        got = f"{name!r} in {given!r}" if given else repr(name)
        if graph.names == (PLAIN,):
            rule = "must have edges without relations, as the graph has"
            way_out = f"write {'a->b' if graph.is_directed else 'a--b'}"
            return Message(rule, "pattern", got, way_out)
        word = _word_of_graph(graph, name)
        like = nearest(name, graph.names) if word == name else word
        hint = "" if like is None else f"the nearest is {like!r}"
        rule = f"must have relations of the graph, {in_words(graph)}"
        return Message(rule, "pattern", got, hint)
    if name == PLAIN and len(graph.names) > 1 and not given:
        arc = "->" if graph.directed[0] else "-"
        rule = (
            f"must name the relation of each edge, as in a-[{graph.names[0]}]{arc}b, where the "
            f"graph has {in_words(graph)}"
        )
        without = ("or read the graph with ", Argument("relation", "none"))
        return Message(rule, "pattern", way_out=without)
    kind = "without direction" if has_direction else "with a direction"
    which = "" if name == PLAIN else f"{name!r} "
    plain = ("a--b", "a->b") if name == PLAIN else (f"a-[{name}]-b", f"a-[{name}]->b")
    read = ("read the graph with ", Argument("directed", has_direction))
    return Message(
        f"must have edges {which}{kind}, as the graph has",
        "pattern",
        repr(given) if given else f"some {'with a' if has_direction else 'without'} direction",
        way_out=(read, f", or write {plain[not has_direction]}"),
    )


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
