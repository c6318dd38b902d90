"""The repeated blocks of a graph beside its motifs: those that are larger than any motif.

They are looked for in one graph whose edges have directions or types, or whose nodes have
categories, in seconds: ``gomkcn blocks`` is the search that takes its time. Where the graph has no
such block, no random graph is drawn.
"""

from __future__ import annotations

import time
from dataclasses import replace

from gomkcn.mining.patterns.choice import ChoiceRules
from gomkcn.mining.patterns.permuted import permutes
from gomkcn.mining.repeats.block_finding import RepeatedBlocks, blocks_of
from gomkcn.mining.repeats.block_search import SearchSettings
from gomkcn.mining.settings.block_settings import BlockTable
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.runtime.job import TIME_LIMIT, Interrupts
from gomkcn_dgl.runtime.steps import Steps

# of the clock, for random graphs: some seconds, since nobody asked for them
SECONDS = 20.0
# of a larger graph one search alone may take longer
MOST_EDGES = 20_000
# nodes of a block at least: a motif has up to eight where nobody gives sizes
LEAST_NODES = 9


class _Share(Interrupts):
    """Some seconds of a job, from when they are first asked for; the job may end before."""

    def __init__(self, seconds: float, whole: Interrupts | None) -> None:
        super().__init__()
        self.command = "" if whole is None else whole.command
        self._whole = whole
        self._seconds = seconds
        self._end: float | None = None

    @property
    def reason(self) -> str:
        if self._end is None:
            self._end = time.monotonic() + self._seconds
        of_whole = "" if self._whole is None else self._whole.reason
        return of_whole or (TIME_LIMIT if time.monotonic() >= self._end else "")


def blocks_beside(mined: MinedGraph, rules: ChoiceRules, steps: Steps) -> RepeatedBlocks | None:
    """The blocks of more nodes than a motif has, where one is called.

    None of a graph that has no kinds, and where no block is called. A large graph is not searched:
    a note says so. So does one where the seconds were over before all random graphs were searched.
    """
    drawing = [null for null in rules.nulls if not permutes(null)]
    if not (drawing and _has_kinds(mined)) or steps.is_late():
        return None
    null = drawing[0]
    if mined.given.num_edges > MOST_EDGES:
        note = f"repeated blocks are not looked for beside motifs in more than {MOST_EDGES:,} edges"
        return _without_blocks(mined, null, f"{note}; gomkcn blocks does it")

    settings = SearchSettings(
        BlockTable.copies,
        max(LEAST_NODES, rules.sizes[-1] + 1),
        BlockTable.most_nodes,
        BlockTable.errors,
        BlockTable.most,
    )
    of_random = Steps(interrupts=_Share(SECONDS, steps.interrupts), progress=steps.progress)
    samples = BlockTable.null_samples
    found = blocks_of(mined, settings, null, samples, rules.seed, steps, of_random)
    if of_random.is_partial and not steps.is_late():
        note = f"blocks beside motifs are compared for {SECONDS:.0f} s; gomkcn blocks takes longer"
        return replace(found, notes=(*found.notes, note))
    # a job whose time is up says so itself
    return found if found.called else None


def _has_kinds(mined: MinedGraph) -> bool:
    """Whether it is one graph whose edges or nodes are not all alike."""
    relations = mined.given.relations
    has_kinds = any(relations.directed) or len(relations.names) > 1 or mined.colors is not None
    return mined.given.num_graphs == 1 and has_kinds


def _without_blocks(mined: MinedGraph, null: object, note: str) -> RepeatedBlocks:
    given = mined.given
    return RepeatedBlocks(
        [], given.relations.names, given.relations.directed, null_model(null, given).keeps, 0,
        given.num_graphs, given.num_nodes, given.num_edges, (note,),
    )  # fmt: skip
