"""The tables of a run, by the names that they have as files."""

from __future__ import annotations

from collections.abc import Sequence

from gomkcn.mining.motif_sets.motif_columns import copies_table, feature_table, motif_table
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.structures.pattern import Pattern
from gomkcn.mining.structures.pattern_columns import occurrence_table, structure_table
from gomkcn_dgl.runtime.tabular import Table


def tables_of(
    counted: Sequence[Pattern],
    patterns: Sequence[Pattern],
    found: MotifSet,
    graph_names: Sequence[str] = (),
    roles: Table | None = None,
) -> dict[str, Table]:
    """The tables of what was counted, what is reported, and the motif set.

    ``structures``, ``motifs``, ``occurrences`` and ``copies``, and where there are any
    ``copies_other`` (given the other base), ``features``, ``blocks`` and ``roles``.
    """
    tables = {
        "structures": structure_table(counted),
        "motifs": motif_table(found.rows()),
        "occurrences": occurrence_table(patterns, graph_names),
        "copies": copies_table(found.motifs, graph_names),
    }
    if found.other is not None and found.other.motifs:
        tables["copies_other"] = copies_table(found.other.motifs, graph_names)
    if (features := feature_table(found.motifs)).columns()["motif"]:
        tables["features"] = features
    if found.known_blocks is not None:
        tables["blocks"] = found.known_blocks
    if roles is not None:
        tables["roles"] = roles
    return tables
