"""The table of roles: which node stands where in how many occurrences of what a run reports."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from gomkcn.mining.counting.node_roles import RoleCounts, count_roles, orbits_of, roles_by_orbits
from gomkcn.mining.counting.watching import STEPS_PER_SECOND
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.occurrences import node_columns
from gomkcn.mining.structures.pattern import MORE, Pattern
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table

log = logging.getLogger("gomkcn_dgl")

# steps to list the occurrences of all structures again, of which a sample is known: ten seconds of
# one thread, and of each at least a tenth of a second
_MOST_STEPS = 10 * STEPS_PER_SECOND
_LEAST_STEPS = STEPS_PER_SECOND // 10
# rows of the table, at most, which a spreadsheet takes
MOST_ROWS = 1_000_000
EXACT, ESTIMATED = "exact", "estimated"


def has_roles(pattern: Pattern) -> bool:
    """Whether the roles of a pattern are counted: a motif, or what is over-represented.

    Hardly a node set is what a dense group has for its structure.
    """
    first = next(iter(pattern.significance.values()), None)
    is_more = first is not None and first.verdict == MORE
    return is_more or (pattern.motif is not None and not pattern.is_dense_group)


def table_of_roles(
    mined: MinedGraph,
    patterns: Sequence[Pattern],
    seed: int,
    steps: Steps,
    most_rows: int = MOST_ROWS,
) -> Table | None:
    """The roles of the nodes in the motifs and in what is over-represented.

    A row for each node that has a role of a structure in an occurrence: ``node``, ``pattern``,
    ``structure``, ``role`` (letters of the drawing, as "B/C"), ``position`` ("source",
    "intermediate", "sink", "mutual", or ""), ``occurrences`` and ``occurrences_are``, "exact" or
    "estimated". Rows of a role begin with the node that has it most often. None for a collection,
    whose nodes nobody looks for, and where no pattern has roles. Structures whose rows would be
    more than ``most_rows`` with those before are left out.
    """
    chosen = [pattern for pattern in patterns if has_roles(pattern)]
    if mined.graph.num_graphs > 1 or not chosen:
        return None
    parts: list[tuple[Pattern, RoleCounts]] = []
    num_rows = 0
    for pattern, counts in zip(chosen, _counts_of(mined, chosen, seed, steps), strict=True):
        num_rows += np.count_nonzero(counts.counts)
        if num_rows > most_rows:
            break
        parts.append((pattern, counts))
    if left := len(chosen) - len(parts):
        log.warning("roles of the last %d of %d structures are left out", left, len(chosen))
    return _table(mined, parts) if parts else None


def with_names(table: Table, patterns: Sequence[Pattern]) -> Table:
    """The table with the names that a run gives to its patterns."""
    names = {pattern.id: pattern.name for pattern in patterns}
    columns = table.columns()
    numbers = columns["pattern"].tolist()
    return Table(columns | {"structure": np.array([names[number] for number in numbers], str)})


def _counts_of(
    mined: MinedGraph, patterns: Sequence[Pattern], seed: int, steps: Steps
) -> list[RoleCounts]:
    """The counts of each pattern, whose rows are those of ``mined.graph``."""
    late = steps.is_late()
    max_steps = max(_LEAST_STEPS, _MOST_STEPS // len(patterns))
    sampled = [pattern.structure for pattern in patterns if not _are_all_listed(pattern)]
    orbits = {} if late else orbits_of(mined.graph, sampled, max_steps)

    def count_one(pattern: Pattern) -> tuple[np.ndarray, bool]:
        structure: Structure = pattern.structure
        if not _are_all_listed(pattern):
            if structure.key in orbits:
                found = roles_by_orbits(structure, *orbits[structure.key])
                return found.counts, found.is_exact
            if not late:
                colors = mined.colors_of(structure)
                found = count_roles(
                    mined.graph,
                    structure,
                    colors,
                    max_steps=max_steps,
                    known=pattern.frequency.occurrences.low,
                    seed=seed,
                )
                return found.counts, found.is_exact
        total = None if _are_all_listed(pattern) else pattern.frequency.count
        rows = mined.rows_of(pattern.occurrences)
        found = RoleCounts.of_places(structure, rows, mined.graph.num_nodes, total)
        return found.counts, found.is_exact

    counted = steps.each(
        "counting roles", tuple[np.ndarray, bool], count_one, patterns, attrgetter("key")
    )
    return [
        RoleCounts.of_counts(pattern.structure, counts, is_exact)
        for pattern, (counts, is_exact) in zip(patterns, counted, strict=True)
    ]


def _are_all_listed(pattern: Pattern) -> bool:
    found = pattern.frequency.occurrences
    return found.is_exact and found.value == pattern.frequency.listed


def _table(mined: MinedGraph, parts: Sequence[tuple[Pattern, RoleCounts]]) -> Table:
    """The rows of some patterns."""
    given = mined.order.given(np.arange(mined.graph.num_nodes)).astype(np.int64)
    rows: list[np.ndarray] = []
    values: list[np.ndarray] = []
    names: dict[str, list[Any]] = {key: [] for key in ("pattern", "structure", "role", "position")}
    names["occurrences_are"] = []
    for pattern, found in parts:
        for role, counts in zip(found.roles, found.counts.T, strict=True):
            held = np.flatnonzero(counts)
            # the nodes of the graph as given, those of equal counts in their order
            nodes = given[held]
            order = np.lexsort((nodes, -counts[held].astype(np.float64)))
            rows.append(nodes[order])
            values.append(counts[held][order])
            state = EXACT if found.is_exact else ESTIMATED
            of_role = (pattern.id, pattern.name, role.letters, role.position, state)
            for column, value in zip(names.values(), of_role, strict=True):
                column += [value] * len(held)
    is_exact = all(found.is_exact for _, found in parts)
    columns = {
        **node_columns(mined.given, np.concatenate(rows)),
        "pattern": np.array(names["pattern"], np.int64),
        **{key: np.array(names[key], str) for key in ("structure", "role", "position")},
        "occurrences": np.concatenate(values).astype(np.int64 if is_exact else np.float64),
        "occurrences_are": np.array(names["occurrences_are"], str),
    }
    return Table(columns)
