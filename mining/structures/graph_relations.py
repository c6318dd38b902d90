"""The relations of a graph, and of what is compared with it: patterns, filters, other graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations
from mining.structures.canonical_forms import canonical_form


def in_words(relations: Relations) -> str:
    """The relations of a graph, for a message.

    >>> from gomkcn_dgl.relations import relations_of
    >>> in_words(relations_of(["activates", "binds"], [True, False]))
    "'activates' (directed), 'binds' (undirected)"
    """
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
    """The graph with all its relations as one; refuse some with a direction and some without.

    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> signed = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, directed=True,
    ...                         relation=np.array([0, 1]), relation_names=["up", "down"])
    >>> joined_relations(signed).relations.names, joined_relations(signed).num_edges
    (('edge',), 2)
    """
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


def links_of(channels: np.ndarray, relations: Relations) -> np.ndarray:
    """Link of each set of channels ``[…, C]``, int64; -1 for one that the graph does not have."""
    sets = np.concatenate([relations.links, channels.reshape(-1, channels.shape[-1])])
    _, codes = np.unique(sets, axis=0, return_inverse=True)
    codes, size = codes.reshape(-1), len(relations.links)
    link_of = np.full(int(codes.max()) + 1, -1)
    link_of[codes[:size]] = np.arange(size)
    return np.asarray(link_of[codes[size:]].reshape(channels.shape[:-1]))


def channels_in(graph: Relations, channels: np.ndarray, relations: Relations) -> np.ndarray:
    """The edges of a pattern ``[M, M, C]`` as channels of a graph ``[M, M, C']``.

    Relations are the same when name and direction agree; edges that all go both ways have no
    direction where those of the graph have none. Edges without a name are of the only relation of
    the graph. A pattern with other relations is refused.
    """
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
            translated[:, :, found[key]] = channels[:, :, column]
        elif used[column]:
            raise InputError(
                f"a pattern must have edges of the graph's relations, {in_words(graph)}, got "
                f"{_in_words(*key[0])}; {_way_out(graph)}."
            )
    return translated


def channels_by_name(
    channels: np.ndarray, relations: Relations
) -> tuple[tuple[tuple[str, bool], ...], np.ndarray]:
    """The relations that a pattern ``[M, M, C]`` uses, by name, and its channels in that order.

    Patterns of different graphs are isomorphic when these relations and the canonical forms of
    these channels agree.
    """
    used = np.flatnonzero(channels[:, :, relations.outgoing].any(axis=(0, 1))).tolist()
    named = sorted((kind, number) for number, kind in enumerate(relations.kinds) if number in used)
    columns = [
        column
        for _, number in named
        for column, (own, _) in enumerate(relations.channels)
        if own == number
    ]
    # a pattern of a single node has no relation, and a channel without edges
    return tuple(kind for kind, _ in named), channels[:, :, columns or [0]]


def certificate_by_name(
    channels: np.ndarray, relations: Relations, colors: Sequence[int] | None = None
) -> tuple[object, bytes]:
    """Certificate of a pattern ``[M, M, C]`` that can be compared with those of other graphs."""
    used, ordered = channels_by_name(channels, relations)
    return used, canonical_form(ordered, None if colors is None else np.array(colors)).certificate


def _named_channels(relations: Relations) -> list[tuple[tuple[str, bool], str]]:
    return [(relations.kinds[number], side) for number, side in relations.channels]


def _in_words(name: str, directed: bool) -> str:
    kind = "with a direction" if directed else "without direction"
    return f"edges {kind}" if name == PLAIN else f"{name!r} {kind}"


def _way_out(graph: Relations) -> str:
    if graph.names == (PLAIN,):
        return "write a->b for an edge from a to b, a--b for one without direction"
    return "write a-[NAME]->b for an edge from a to b, a-[NAME]-b for one without direction"
