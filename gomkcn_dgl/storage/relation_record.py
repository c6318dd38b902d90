"""Relations and links of a graph ↔ plain lists, for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import MAX_LINKS, Relations, relations_of

_SIDES = ("names", "directed", "links")


def relations_to_record(relations: Relations) -> dict[str, Any]:
    """Names, directions, and the numbers of the channels of each link.

    >>> from gomkcn_dgl.relations import SIMPLE
    >>> relations_to_record(SIMPLE)
    {'names': ['edge'], 'directed': [False], 'links': [[], [0]]}
    """
    return {
        "names": list(relations.names),
        "directed": list(relations.directed),
        "links": [np.flatnonzero(row).tolist() for row in relations.links],
    }


def relations_from_record(record: Any, where: str) -> Relations:
    """Read what :func:`relations_to_record` wrote; a record that is none is refused."""
    if not isinstance(record, dict) or set(record) != set(_SIDES):
        raise InputError(f"relations in {where} must hold {', '.join(_SIDES)}.")
    names, directed, links = (record[name] for name in _SIDES)
    if not all(isinstance(one, list) for one in (names, directed, links)) or not names:
        raise InputError(f"relations in {where} must hold lists, and at least one name.")
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"the names of relations in {where} must be text.")
    if len(directed) != len(names) or not all(isinstance(one, bool) for one in directed):
        raise InputError(f"each relation in {where} must be directed or not, true or false.")
    plain = relations_of(names, directed)
    table = np.zeros((len(links), len(plain.channels)), dtype=bool)
    for row, channels in zip(table, links, strict=True):
        known = isinstance(channels, list) and all(
            type(channel) is int and 0 <= channel < table.shape[1] for channel in channels
        )
        if not known:
            raise InputError(
                f"a link in {where} must be numbers of channels, 0 to {table.shape[1] - 1}, "
                f"got {channels!r:.40}."
            )
        row[channels] = True
    rows = {row.tobytes() for row in table}
    opposite = {row[plain.opposite].tobytes() for row in table}
    is_numbered = len(rows) == len(table) <= MAX_LINKS and len(table) and not table[0].any()
    if not is_numbered or rows != opposite:
        raise InputError(
            f"the links in {where} must differ, begin with an empty one, and have their opposites."
        )
    return Relations(plain.names, plain.directed, table)
