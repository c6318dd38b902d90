"""How two nodes of a graph can be joined: relations with a direction or none, and their links.

A *relation* is a kind of edge: a name, and whether its edges have a direction. A *channel* is a
relation seen from one end: ``out`` and ``in`` for a relation with a direction, one channel for a
relation without. A *link* is all that joins one node to another: a set of channels. Links are
numbered, 0 for "not joined", so that an adjacency matrix of whole numbers holds direction and
types, and parallel edges of different types are one entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError

# more kinds of edges than this are names of something else, such as nodes
MAX_RELATIONS = 1000
# links are stored in at most 16 bits
MAX_LINKS = 2**16
# name of the relation of a graph whose edges have no type
PLAIN = "edge"


# arrays compare elementwise, so equality is defined below
@dataclass(frozen=True, eq=False)
class Relations:
    """The relations of a graph, and the links that occur in it.

    Attributes
    ----------
    names : tuple of str
        Name of each of the R relations.
    directed : tuple of bool
        Whether the edges of each relation have a direction.
    links : numpy.ndarray
        bool ``[K, C]``, which of the C channels each of the K links consists of; link 0 of none.

    Examples
    --------
    >>> SIMPLE.names, SIMPLE.directed, SIMPLE.links.tolist()
    (('edge',), (False,), [[False], [True]])
    """

    names: tuple[str, ...]
    directed: tuple[bool, ...]
    links: np.ndarray

    @cached_property
    def channels(self) -> tuple[tuple[int, str], ...]:
        """Relation and direction (``"out"``, ``"in"`` or ``"both"``) of each channel."""
        found: list[tuple[int, str]] = []
        for number, directed in enumerate(self.directed):
            found += [(number, "out"), (number, "in")] if directed else [(number, "both")]
        return tuple(found)

    @property
    def kinds(self) -> list[tuple[str, bool]]:
        """Name of each relation, and whether its edges have a direction."""
        return list(zip(self.names, self.directed, strict=True))

    @cached_property
    def incoming(self) -> np.ndarray:
        """Whether an edge arrives by each channel, bool ``[C]``."""
        return np.array([side == "in" for _, side in self.channels], dtype=bool)

    @cached_property
    def outgoing(self) -> np.ndarray:
        """Channels that an edge leaves by, ``out`` and ``both``, one a relation, int64 ``[R]``."""
        return np.flatnonzero(~self.incoming)

    @cached_property
    def opposite(self) -> np.ndarray:
        """The same edge seen from its other end: channel of each channel, int64 ``[C]``."""
        step = {"out": 1, "in": -1, "both": 0}
        return np.array([c + step[side] for c, (_, side) in enumerate(self.channels)])

    @cached_property
    def reverse(self) -> np.ndarray:
        """The same edges seen from the other node: link of each link, int64 ``[K]``."""
        number = {row.tobytes(): k for k, row in enumerate(self.links)}
        return np.array([number[row[self.opposite].tobytes()] for row in self.links])

    @cached_property
    def ranks(self) -> np.ndarray:
        """The place of each link in an order that follows from names alone, int64 ``[K]``.

        It is that of the sets of their channels by name, which does not depend on how relations
        are numbered, nor on links or relations that others have beside.
        """
        kinds = self.kinds
        columns = sorted(
            range(len(self.channels)), key=lambda column: (kinds[self.channels[column][0]], column)
        )
        # of two links, the one without the first channel in which they differ comes first, as
        # where the links of a graph are numbered
        order = np.lexsort(self.links[:, columns].T[::-1])
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        return ranks

    @cached_property
    def is_simple(self) -> bool:
        """Whether all edges are alike: one relation, without direction."""
        return self.directed == (False,)

    @property
    def is_directed(self) -> bool:
        """Whether the edges of some relation have a direction."""
        return any(self.directed)

    @property
    def code_type(self) -> type:
        """The smallest type of array that holds the links."""
        return np.uint8 if len(self.links) <= 256 else np.uint16

    def __eq__(self, other: object) -> bool:
        """Whether relations and links agree, in the same order."""
        if not isinstance(other, Relations):
            return NotImplemented
        same = self.names == other.names and self.directed == other.directed
        return same and np.array_equal(self.links, other.links)

    def __hash__(self) -> int:
        """Hash of names and directions."""
        return hash((self.names, self.directed))

    def within(self, target: Relations) -> Relations:
        """The same links in terms of the relations of ``target``, which may have more of them.

        Relations are the same when their names agree; of two with one name, the one with the same
        direction. An edge without direction is two edges with direction, and an edge with direction
        loses it where the relation of ``target`` has none. The names of two single relations do not
        matter. A relation that ``target`` lacks is refused.
        """
        kinds = dict(enumerate(target.kinds))
        links = np.zeros((len(self.links), len(target.channels)), dtype=bool)
        for channel, (number, side) in enumerate(self.channels):
            name, directed = self.names[number], self.directed[number]
            same = [k for k, (other, _) in kinds.items() if other == name]
            if len(self.names) == len(target.names) == 1:
                same = [0]
            if not same:
                raise InputError(
                    "relations",
                    f"must include {name!r}, which the graph has",
                    way_out=f"they are {', '.join(map(repr, target.names))}",
                )
            found = min(same, key=lambda k: kinds[k][1] != directed)
            sides = {side, "both"} if directed else {"out", "in", "both"}
            for other, (k, other_side) in enumerate(target.channels):
                if k == found and other_side in sides:
                    links[:, other] |= self.links[:, channel]
        return Relations(target.names, target.directed, links)


SIMPLE = Relations((PLAIN,), (False,), np.array([[False], [True]]))


def relations_of(names: Sequence[str], directed: Sequence[bool]) -> Relations:
    """Relations with the links of a single channel: what each edge alone gives.

    >>> relations_of(["activates", "binds"], [True, False]).links.astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    if len(names) > MAX_RELATIONS:
        raise InputError(
            f"a graph may have up to {MAX_RELATIONS} relations, got {len(names)}, among them "
            f"{names[0]!r}; is this the column of the relations?"
        )
    num_channels = sum(2 if is_directed else 1 for is_directed in directed)
    links = np.concatenate([np.zeros((1, num_channels)), np.eye(num_channels)]).astype(bool)
    return Relations(tuple(names), tuple(bool(is_directed) for is_directed in directed), links)


def number_links(
    groups: np.ndarray, channels: np.ndarray, relations: Relations
) -> tuple[np.ndarray, Relations]:
    """Number the sets of channels that join pairs of nodes.

    ``groups [E]`` is ascending, the number of the ordered pair that each edge end joins, and
    ``channels [E]`` its channel, ascending in each group and without repeats. Returns the link of
    each group, and the relations with all links that occur and their opposites.

    >>> one_way = relations_of(["edge"], [True])
    >>> codes, relations = number_links(np.array([0, 1, 1]), np.array([1, 0, 1]), one_way)
    >>> codes.tolist(), relations.links.astype(int).tolist()
    ([1, 3], [[0, 0], [0, 1], [1, 0], [1, 1]])
    """
    num_channels = len(relations.channels)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.concatenate([starts, [len(groups)]]))
    # 1. a set is numbered one channel after the other: the set before it and the next channel
    #    give the number of the larger set
    codes = np.zeros(len(starts), np.int64)
    sets: list[frozenset[int]] = [frozenset()]
    for step in range(int(sizes.max(initial=0))):
        longer = np.flatnonzero(sizes > step)
        joined = codes[longer] * num_channels + channels[starts[longer] + step]
        keys, codes[longer] = np.unique(joined, return_inverse=True)
        codes[longer] += len(sets)
        sets += [sets[key // num_channels] | {key % num_channels} for key in keys.tolist()]
    # 2. links in ascending order of their channels, whatever the order of the edges
    occurring = {sets[code] for code in np.unique(codes).tolist()}
    occurring |= {
        frozenset(relations.opposite[list(channel_set)].tolist()) for channel_set in occurring
    }
    table = np.zeros((len(occurring | {frozenset()}), num_channels), dtype=bool)
    for row, channel_set in zip(table[1:], occurring - {frozenset()}, strict=True):
        row[list(channel_set)] = True
    table = table[np.lexsort(table.T[::-1])]
    if len(table) > MAX_LINKS:
        raise InputError(
            f"pairs of nodes may be joined in up to {MAX_LINKS} different ways, got {len(table)}; "
            "use fewer relations."
        )
    number = {frozenset(np.flatnonzero(row).tolist()): k for k, row in enumerate(table)}
    final = np.array([number.get(channel_set, 0) for channel_set in sets])
    numbered = Relations(relations.names, relations.directed, table)
    return final[codes].astype(numbered.code_type), numbered


def edge_channels(
    num_nodes: int,
    edges: Sequence[tuple[int, int]],
    edge_relations: Sequence[int],
    relations: Relations,
) -> np.ndarray:
    """Edges as a matrix for each channel, bool ``[N, N, C]``; each has a number of its relation.

    >>> edge_channels(2, [(0, 1)], [0], relations_of(["cites"], [True])).tolist()
    [[[False, False], [True, False]], [[False, True], [False, False]]]
    """
    channels = np.zeros((num_nodes, num_nodes, len(relations.channels)), dtype=bool)
    for (u, v), relation in zip(edges, edge_relations, strict=True):
        channel = relations.outgoing[relation]
        channels[u, v, channel] = channels[v, u, relations.opposite[channel]] = True
    return channels


def channel_adjacency(
    links: np.ndarray, weights: np.ndarray | None, relations: Relations
) -> np.ndarray:
    """Adjacency of each channel, float32 ``[…, N, N, C]``, from links and weights ``[…, N, N]``.

    >>> one_way = relations_of(["cites"], [True])
    >>> channel_adjacency(np.array([[0, 1], [2, 0]]), None, one_way).tolist()
    [[[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]]
    """
    adj = relations.links[links].astype(np.float32)
    if weights is not None:
        # an edge that comes in has the weight that stands at the other node
        there = weights[..., None]
        adj *= np.where(relations.incoming, there.swapaxes(-3, -2), there)
    return adj


def relations_to_record(relations: Relations) -> dict[str, Any]:
    """Names, directions, and the numbers of the channels of each link."""
    return {
        "names": list(relations.names),
        "directed": list(relations.directed),
        "links": [np.flatnonzero(row).tolist() for row in relations.links],
    }


def relations_from_record(record: Any, where: str) -> Relations:
    """Read what :func:`relations_to_record` wrote; a record that is none is refused."""
    try:
        names, directed, links = (record[name] for name in ("names", "directed", "links"))
        plain = relations_of(names, directed)
        table = np.zeros((len(links), len(plain.channels)), dtype=bool)
        for row, channels in zip(table, links, strict=True):
            row[channels] = True
        kinds = {(type(name), type(is_directed)) for name, is_directed in plain.kinds}
        rows = {row.tobytes() for row in table}
        opposite = {row[plain.opposite].tobytes() for row in table}
        fits = kinds == {(str, bool)} and rows == opposite and not table[0].any()
        if fits and len(rows) == len(table) <= MAX_LINKS:
            return Relations(plain.names, plain.directed, table)
    except (TypeError, KeyError, ValueError, IndexError):
        pass
    raise InputError(
        f"relations in {where} must hold names, a direction for each, and links, which differ, "
        "begin with an empty one and have their opposites."
    )
