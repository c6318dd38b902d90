"""Repeated blocks in a terminal, and as one page without network or script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gomkcn.mining.repeats.block_columns import BLOCK_COLUMNS
from gomkcn.mining.repeats.block_figure import drawing_of
from gomkcn.mining.repeats.block_finding import RepeatedBlocks
from gomkcn.mining.repeats.repeated_block import RepeatedBlock
from gomkcn.mining.show.page import flatten, render_page
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn.mining.show.text_table import paragraphs, text_table
from gomkcn_dgl.graphs.structure import category_value

# nothing but the style in the page itself
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# nodes of a copy, and copies, that a page lists of each block
_MOST_NODES, _MOST_COPIES = 100, 50
# blocks that a page draws
_MOST_ON_PAGE = 50


def format_blocks(found: RepeatedBlocks, file: str) -> str:
    """The table of blocks, and which file has their places."""
    parts = [found.lead]
    if len(found):
        parts.append(str(text_table(BLOCK_COLUMNS, found.rows)))
        parts.append(f"{file} has the nodes of each copy")
    parts += [f"note: {note}" for note in found.notes]
    return paragraphs(parts)


def render_blocks(found: RepeatedBlocks, record: Mapping[str, Any], file: str) -> str:
    """Return the page of some blocks, whose run has a record, and a ``file`` with all places."""
    shown = found.rows[:_MOST_ON_PAGE]
    table = PageTable.of(BLOCK_COLUMNS, found.rows)
    return render_page(
        "blocks.html.jinja",
        policy=_POLICY,
        script="",
        data="",
        source=record["source"],
        found=found,
        table=table,
        has_errors=any(row.block.errors.any() for row in found.rows),
        rows=[
            {
                "number": row.number,
                "block": row.block,
                "svg": drawing_of(row.block, found.directed),
                "name": str(row.number),
                "below": table.below_name(row, plain_number),
                "cells": table.cells(row, plain_number),
                "places": _places(row.block),
                "num_hidden": max(0, len(row.block.copies) - _MOST_COPIES),
            }
            for row in shown
        ],
        num_hidden=len(found) - len(shown),
        file=file,
        settings=flatten(record["settings"]),
        provenance=flatten(record["provenance"]),
    )


def _places(block: RepeatedBlock) -> dict[str, Any]:
    """The nodes of the first copies, a row for each node of the block."""
    copies = block.copies[:_MOST_COPIES].tolist()
    ports = set(block.ports)
    return {
        "heads": range(1, len(copies) + 1),
        "rows": [
            (
                ", ".join(map(category_value, block.kinds[role])),
                role in ports,
                [copy[role] for copy in copies],
            )
            for role in range(min(block.num_nodes, _MOST_NODES))
        ],
    }
