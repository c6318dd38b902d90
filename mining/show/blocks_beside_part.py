"""The repeated blocks of a mining run, in the terminal and on its page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from markupsafe import Markup

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.repeats.block_columns import BLOCK_COLUMNS, BlockRow
from gomkcn.mining.repeats.block_figure import drawing_of
from gomkcn.mining.repeats.block_finding import RepeatedBlocks
from gomkcn.mining.repeats.repeated_block import RepeatedBlock
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn.mining.structures.pattern import LEVEL
from gomkcn_dgl.graphs.shapes import count

# blocks that are drawn, and that a line of the terminal names: a summary beside the motifs
_MOST = 3


def blocks_sentence(found: RepeatedBlocks) -> str:
    """How many blocks are called, and the first of them; empty where none is."""
    called = found.called
    if not called:
        return ""
    are, each = ("is", "its") if len(called) == 1 else ("are", "their")
    first = "; ".join(
        f"{count(block.num_nodes, 'node')} in {len(block.copies):,} copies "
        f"({count(block.covered, 'edge')})"
        for block in called[:_MOST]
    )
    more = f"; and {len(called) - _MOST} more" if len(called) > _MOST else ""
    return (
        f"{count(len(called), 'repeated block')} {are} worth more than all blocks of "
        f"{count(found.num_random_graphs, 'random graph')} (adjusted p ≤ {LEVEL}): {first}{more}. "
        f"gomkcn blocks lists {each} places."
    )


def blocks_paragraphs(run: MiningRun) -> list[str]:
    """The sentence, and what was not searched; nothing where no block is called."""
    if run.blocks is None or not run.blocks.called:
        return []
    notes = [f"note: {note}" for note in _notes(run.blocks, run)]
    return [blocks_sentence(run.blocks), *notes]


def blocks_part(run: MiningRun) -> dict[str, Any] | None:
    """The section of the page; without ``rows`` there are only notes, and None without these."""
    found = run.blocks
    if found is None:
        return None
    called = found.called
    # they are the first; no row leads to a block that is not shown
    shown = [
        BlockRow(number, replace(block, parent=_shown_parent(block)))
        for number, block in enumerate(called[:_MOST], 1)
    ]
    table = PageTable.of(BLOCK_COLUMNS, shown)
    return {
        "num_called": len(called),
        "num_random": found.num_random_graphs,
        "keeps": found.keeps,
        "table": table,
        "notes": [f"{note[0].upper()}{note[1:]}." for note in _notes(found, run)],
        "rows": [
            {
                "name": str(row.number),
                "svg": Markup(drawing_of(row.block, found.directed)),
                "num_nodes": row.block.num_nodes,
                "num_copies": len(row.block.copies),
                "below": table.below_name(row, plain_number),
                "cells": table.cells(row, plain_number),
            }
            for row in shown
        ],
    }


def _shown_parent(block: RepeatedBlock) -> int | None:
    parent = block.parent
    return parent if parent is not None and parent <= _MOST else None


def _notes(found: RepeatedBlocks, run: MiningRun) -> list[str]:
    """What was not searched, without what is said of the whole run."""
    return [note for note in found.notes if note not in run.notes]
