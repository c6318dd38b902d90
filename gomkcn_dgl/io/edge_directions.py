"""Which relations a table of edges has, and which of them have a direction.

A table says it by a column of relations or of the words directed and undirected, by the names of
its columns, or by its edges: those of a relation without direction are there both ways.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.edge_layout import EdgeLayout
from gomkcn_dgl.relations import MAX_RELATIONS, PLAIN, Relations
from gomkcn_dgl.runtime.files import listed, printable

log = logging.getLogger("gomkcn_dgl")

# share of the edges of an undirected relation that are there both ways
_NEARLY_ALL = 0.95
_DIRECTIONS = {"directed": True, "undirected": False}


def direction_notes(layout: EdgeLayout, is_directed: bool) -> tuple[str, ...]:
    """Say in the log why a table without relations has directions or none; note the names."""
    if layout.dialect is not None and not layout.header:
        return ()
    ends = listed([layout.names[end] for end in layout.ends])
    if is_directed:
        note = f"directed, as its columns are called {ends}"
        log.info("%s; directed=False (--undirected) leaves the directions out", note)
        return (note,)
    why = "its edges are there both ways"
    if not layout.has_directed_ends:
        why = f"its columns are called {ends}"
    log.info("undirected, as %s; directed=True (--directed) gives edges a direction", why)
    return ()


def find_directions(
    layout: EdgeLayout,
    found: Sequence[str] | None,
    directed: bool | None,
    count: Callable[[int], tuple[np.ndarray, np.ndarray]],
) -> tuple[list[str], list[bool], tuple[str, ...]]:
    """Return the relations of a table, whether they have a direction, and what is to be noted.

    ``found`` are the relations that a column names; the words directed and undirected alone are no
    types, they say the direction. A table without relations is undirected, unless the caller or the
    names of its columns say that it is not. ``count`` is asked where nothing says a direction: it
    gets the number of relations and returns what :func:`gomkcn_dgl.edges.count_edges` does.

    >>> from gomkcn_dgl.io.edge_layout import EdgeLayout
    >>> layout = EdgeLayout(("u", "v", "type"), {"source": 0, "target": 1, "relation": 2})
    >>> find_directions(layout, ["Directed"], None, lambda number: None)
    (['edge'], [True], ())
    """
    names, notes = list(found or [PLAIN]), tuple[str, ...]()
    directions: list[bool] | None = None
    if found is None and not layout.has_directed_ends:
        directions = [False]
    elif found is not None:
        check_num_relations(names, layout.names[layout.roles["relation"]])
        said = [_DIRECTIONS.get(name.lower()) for name in names]
        if None not in said:
            names = [PLAIN] if len(set(said)) == 1 else names
            directions = [bool(one) for one in said[: len(names)]]
    if directed is not None:
        directions = [directed] * len(names)
    if directions is None:
        directions, notes = seen_directions(names, *count(len(names)))
    if found is None and directed is None:
        notes += direction_notes(layout, directions[0])
    return names, directions, notes


def seen_directions(
    names: Sequence[str], edges: np.ndarray, both_ways: np.ndarray
) -> tuple[list[bool], tuple[str, ...]]:
    """Tell which relations have a direction, and what is to be noted of that.

    A relation has none if nearly all of its edges are there both ways: a list of neighbours, or
    the part of one that was kept for training, lacks some.

    >>> seen_directions(["near", "in"], np.array([100, 50]), np.array([98, 0]))
    ([False, True], ('taken as undirected: near, 98 of whose 100 edges are there both ways',))
    """
    directed = (both_ways < _NEARLY_ALL * edges).tolist()
    notes = [
        f"taken as undirected: {name}, {both} of whose {num} edges are there both ways"
        for name, num, both, one in zip(names, edges, both_ways, directed, strict=True)
        if not one and both < num
    ]
    for note in notes:
        log.info("%s", note)
    return directed, tuple(notes)


def log_relations(relations: Relations) -> None:
    """Say which relations there are, and which of them have a direction."""
    if relations.names != (PLAIN,):
        words = [
            f"{printable(name)} ({'directed' if one else 'undirected'})"
            for name, one in relations.kinds
        ]
        log.info("relations: %s", listed(words))


def check_num_relations(names: Sequence[str], column: str) -> None:
    """Refuse a column of so many different relations that they must be something else."""
    if len(names) > MAX_RELATIONS:
        raise InputError(
            f"the column {column!r} holds more than {MAX_RELATIONS} different relations, among "
            f"them {names[0]!r}; relation must be another column, or none."
        )
