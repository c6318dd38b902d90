"""The roles of nodes on a page: which node stands where in how many occurrences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.role_table import EXACT
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import Kind
from gomkcn.mining.show.drawn_graph import Node
from gomkcn.mining.show.leading import leading_structures
from gomkcn.mining.structures.pattern import Pattern, digits
from gomkcn.mining.structures.roles import Role, roles_of
from gomkcn_dgl.graphs.shapes import count

# structures, and roles in all, that a table beside the graph has room for
_MOST_STRUCTURES = 3
_MOST_ROLES = 7
# nodes that are listed, which a reader searches, and those that are shown before
MOST_NODES = 200
FIRST_NODES = 12
# the drawing in the head, with letters
_PICTURE = 66, 56


@dataclass(frozen=True)
class ShownRoles:
    """A structure in the head of the table: its drawing, its name and its roles."""

    pattern: Pattern
    svg: Markup
    roles: list[Role]


def roles_part(
    run: MiningRun, number_of: Mapping[Node, int], lines: Mapping[Kind, str], file: str
) -> dict[str, Any] | None:
    """The table of roles; None where no node has one.

    ``number_of`` are the nodes that the explorer of the page knows, and ``file`` has all rows.
    """
    if run.roles is None:
        return None
    columns = {name: np.asarray(values).tolist() for name, values in run.roles.columns().items()}
    shown = _shown_patterns(run, set(columns["pattern"]))
    if not shown:
        return None
    # 1. the counts of each node at each role that is shown
    places = [
        (pattern.id, role.letters) for pattern in shown for role in roles_of(pattern.structure)
    ]
    at = {place: column for column, place in enumerate(places)}
    counts: dict[Any, np.ndarray] = {}
    estimated = False
    rows = zip(
        *(columns[name] for name in ("node", "pattern", "role", "occurrences", "occurrences_are")),
        strict=True,
    )
    for node, pattern, role, number, state in rows:
        column = at.get((pattern, role))
        if column is not None:
            counts.setdefault(node, np.zeros(len(places)))[column] = number
            estimated |= state != EXACT
    # 2. the nodes that have most of the first structure, then of the others
    first = len(roles_of(shown[0].structure))
    order = sorted(counts, key=lambda node: (*_sorting(counts[node], first), str(node)))
    listed = [
        {
            "node": node,
            "number": number_of.get((0, node)),
            "cells": [digits(value) if value else "" for value in counts[node]],
            "csv": [node, *counts[node].tolist()],
        }
        for node in order[:MOST_NODES]
    ]
    return {
        "structures": [_shown(pattern, lines) for pattern in shown],
        "rows": listed,
        "first": FIRST_NODES,
        "note": _note(run, shown, len(counts), file, estimated=estimated),
        "head": "|".join(["node", *(f"{pattern} {letters}" for pattern, letters in places)]),
    }


def _shown_patterns(run: MiningRun, known: set[int]) -> list[Pattern]:
    """The structures of the first sentence, else the motifs, as many as there is room for."""
    every = [*leading_structures(run), *(one for one in run.patterns if one.motif is not None)]
    shown: list[Pattern] = []
    room = _MOST_ROLES
    for pattern in {pattern.id: pattern for pattern in every}.values():
        room -= len(roles_of(pattern.structure))
        if pattern.id in known and (room >= 0 or not shown) and len(shown) < _MOST_STRUCTURES:
            shown.append(pattern)
    return shown


def _sorting(counts: np.ndarray, first: int) -> tuple[float, ...]:
    """Most occurrences at the first role of the first structure, at its others, and in all."""
    return *(-counts[:first]).tolist(), -float(counts.sum())


def _shown(pattern: Pattern, lines: Mapping[Kind, str]) -> ShownRoles:
    svg = draw_structure(pattern.structure, *_PICTURE, lines=lines, beside=True)
    return ShownRoles(pattern, svg, roles_of(pattern.structure))


def _note(
    run: MiningRun, shown: Sequence[Pattern], num_nodes: int, file: str, *, estimated: bool
) -> str:
    """What the numbers are, and where all are."""
    assert run.roles is not None, "the table has rows"
    total = len(set(run.roles.columns()["pattern"]))
    listed = (
        f" The first {MOST_NODES} of {count(num_nodes, 'node')}." if num_nodes > MOST_NODES else ""
    )
    others = f" of all {total} structures" if total > len(shown) else ""
    are = (
        "Numbers are estimates from a sample where not all occurrences could be counted."
        if estimated
        else "Numbers are exact."
    )
    return (
        "In how many occurrences a node stands where: letters are those of the drawings, joined "
        f"where a symmetry exchanges them. {are}{listed} {file} has the roles{others}."
    )
