"""The repeated blocks of a graph beside its motifs: those that are larger than any motif.

They are looked for in one graph whose edges have directions or types, or whose nodes have
categories, in some seconds: ``gomkcn blocks`` is the search that takes its time. Where the graph
has no such block, no random graph is drawn.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

from gomkcn.mining.patterns.choice import ChoiceRules
from gomkcn.mining.patterns.permuted import permutes
from gomkcn.mining.repeats.block_finding import RepeatedBlocks, blocks_of
from gomkcn.mining.repeats.block_search import SearchSettings
from gomkcn.mining.settings.block_settings import BlockTable
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.runtime.job import TIME_LIMIT, Interrupts
from gomkcn_dgl.runtime.steps import Steps

# that the search of the graph takes: blocks that stand out take some hundred, and a graph without
# any many thousands; with a number, and no time, the same blocks are found on any machine
MOST_STEPS = 1000
# of the clock, for all random graphs: few, since nobody asked for them
SECONDS = 20.0
# of a larger graph one search alone may take longer
MOST_EDGES = 20_000
# random graphs with a block that is worth as much: beside that of one of 19, p is 0.1
_ENOUGH = 1
# nodes of a block at least: a motif has up to eight where nobody gives sizes
LEAST_NODES = 9
_LIMIT = f"the limit beside motifs, {MOST_STEPS:,} steps and {SECONDS:.0f} s of random graphs,"


class _Share(Interrupts):
    """A part of a job, which may end before: so many steps, and seconds from the first one on."""

    def __init__(self, whole: Interrupts | None, *, steps: float, seconds: float) -> None:
        super().__init__()
        self.command = "" if whole is None else whole.command
        self._whole = whole
        self._steps = steps
        self._seconds = seconds
        self._begun: float | None = None

    @property
    def reason(self) -> str:
        now = time.monotonic()
        self._begun = now if self._begun is None else self._begun
        self._steps -= 1
        is_over = self._steps < 0 or now >= self._begun + self._seconds
        of_whole = "" if self._whole is None else self._whole.reason
        return of_whole or TIME_LIMIT * is_over


def blocks_beside(mined: MinedGraph, rules: ChoiceRules, steps: Steps) -> RepeatedBlocks | None:
    """The blocks of more nodes than a motif has, where one is called.

    None of a graph that has no kinds, and where no block is called. A large graph is not searched:
    a note says so, as it does of a search that the limits ended.
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
        grows_again=False,
    )
    whole, bar = steps.interrupts, steps.progress
    here = Steps(interrupts=_Share(whole, steps=MOST_STEPS, seconds=math.inf), progress=bar)
    of_random = Steps(interrupts=_Share(whole, steps=math.inf, seconds=SECONDS), progress=bar)
    found = blocks_of(
        mined,
        settings,
        null,
        BlockTable.null_samples,
        rules.seed,
        here,
        of_random,
        _LIMIT,
        _ENOUGH,
    )
    if (here.is_partial or of_random.is_partial) and not steps.is_late():
        return replace(found, notes=(*found.notes, "gomkcn blocks searches for longer"))
    # a job whose time is up says so itself
    return found if found.called else None


def _has_kinds(mined: MinedGraph) -> bool:
    """Whether it is one graph whose edges or nodes are not all alike."""
    relations = mined.given.relations
    has_kinds = any(relations.directed) or len(relations.names) > 1 or mined.colors is not None
    return mined.given.num_graphs == 1 and has_kinds


def _without_blocks(mined: MinedGraph, null: Any, note: str) -> RepeatedBlocks:
    given = mined.given
    return RepeatedBlocks(
        [], given.relations.names, given.relations.directed, null_model(null, given).keeps, 0,
        given.num_graphs, given.num_nodes, given.num_edges, (note,),
    )  # fmt: skip
