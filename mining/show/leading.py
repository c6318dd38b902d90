"""What comes first in the terminal, on the page and in a notebook: one rule for all of them.

Where edges have directions or types, the question of the field is which structures of three and
four nodes random graphs do not have. Elsewhere it is what recurs.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.structures.pattern import MORE, Pattern, in_order
from gomkcn_dgl.graphs.shapes import counted_size
from gomkcn_dgl.relations import PLAIN

# the parts of a result
COMPARISON, MOTIFS, FILTERS = "comparison", "motif set", "filters"
# over-represented structures that the first sentence names
MOST_LEADING = 3


def order_of_parts(run: MiningRun) -> list[str]:
    """The parts of a run in the order in which they are shown, as :func:`order_of` says."""
    kinds = [(relation.name, relation.directed) for relation in run.graph.relations]
    filters = [] if run.filters is None else run.filters.filters
    return order_of(kinds, run.patterns, run.motif_set, filters)


def order_of(
    kinds: Sequence[tuple[str, bool]],
    patterns: Sequence[Pattern],
    found: MotifSet,
    filters: Sequence[MinedFilter],
) -> list[str]:
    """The parts of a result in the order in which they are shown.

    What random graphs do not have leads where edges have directions or types, and where it is all
    that was found. Filters begin where one stands for what is nearest to it; else they come last.
    ``kinds`` are the names of the relations, and whether their edges have a direction.
    """
    has_kinds = len(kinds) > 1 or any(name != PLAIN or directed for name, directed in kinds)
    has_set = bool(found.motifs) or found.num_blocks is not None
    comparison_leads = any(one.is_called for one in patterns) and (has_kinds or not has_set)
    parts = [COMPARISON, MOTIFS] if comparison_leads else [MOTIFS, COMPARISON]
    asks_field = comparison_leads and has_kinds
    if not asks_field and any(mined.stands_for_nearest for mined in filters):
        return [FILTERS, *parts]
    return [*parts, FILTERS]


def leading_structures(run: MiningRun) -> list[Pattern]:
    """The over-represented structures that the first sentence names.

    Those are structures alone, where there are any: those with kinds have the same names. What has
    a name that people know comes before what has none, else they stand in their usual order.
    """
    null = next(iter(run.null_models), "")
    more = [
        pattern
        for pattern in run.patterns
        if null in pattern.significance and pattern.significance[null].verdict == MORE
    ]
    alone = [pattern for pattern in more if pattern.structure.alone is pattern.structure]
    return sorted(
        in_order(alone or more, null), key=lambda pattern: bool(counted_size(pattern.name))
    )[:MOST_LEADING]


def leading_filter(run: MiningRun) -> int | None:
    """The number of the first filter that may lead a page; None where there is none."""
    filters = [] if run.filters is None else run.filters.filters
    return next((mined.id for mined in filters if mined.stands_for_nearest), None)
