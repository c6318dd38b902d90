"""The columns of the table of repeated blocks, and of the table of their places."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gomkcn.mining.structures.table_column import TableColumn
from gomkcn_dgl.graphs.structure import category_value

if TYPE_CHECKING:
    from gomkcn.mining.repeats.repeated_block import RepeatedBlock


class BlockRow(NamedTuple):
    """A block with its number, from 1."""

    number: int
    block: RepeatedBlock


def kinds_text(block: RepeatedBlock) -> str | None:
    """The categories of its nodes, those of most first; None where nodes have none."""
    if not any(block.kinds):
        return None
    counts = Counter(" ".join(map(category_value, kinds)) for kinds in block.kinds)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number} {kinds}" for kinds, number in ranked)


def _p_text(row: BlockRow) -> str | None:
    return None if row.block.p is None else f"{row.block.p:.3g}"


def _parent_text(row: BlockRow) -> str | None:
    return None if row.block.parent is None else f"block {row.block.parent}"


BLOCK_COLUMNS: tuple[TableColumn[BlockRow], ...] = (
    TableColumn(
        "block", "Block", "its number, from 1", lambda row: row.number, is_left=True, is_name=True
    ),
    TableColumn(
        "nested_in",
        "Nested in",
        "number of the smallest block that holds most of its copies",
        lambda row: row.block.parent,
        _parent_text,
        is_optional=True,
        is_left=True,
    ),
    TableColumn("num_nodes", "Nodes", "number of nodes", lambda row: row.block.num_nodes),
    TableColumn("num_edges", "Edges", "number of edges", lambda row: row.block.num_edges),
    TableColumn(
        "num_copies", "Copies", "copies that share no node", lambda row: len(row.block.copies)
    ),
    TableColumn(
        "covered",
        "Edges covered",
        "edges of the graph that these copies cover",
        lambda row: row.block.covered,
        is_main=True,
    ),
    TableColumn(
        "mean",
        "Random",
        "mean of the edges that the best block of at least as many nodes covers in random graphs",
        lambda row: row.block.mean,
        lambda row: None if row.block.mean is None else f"{row.block.mean:,.1f}",
        is_optional=True,
    ),
    TableColumn(
        "worth",
        "Bits",
        "by how many bits so many copies are more likely in such a block than by chance",
        lambda row: row.block.worth,
        lambda row: f"{row.block.worth:,.0f}",
    ),
    TableColumn(
        "p_adjusted",
        "Adjusted p",
        "share of the graphs, this one and the random ones, whose best block is worth as much",
        lambda row: row.block.p,
        _p_text,
        is_optional=True,
    ),
    TableColumn(
        "ports",
        "Ports",
        "nodes that are joined to the rest of the graph, in one copy or more",
        lambda row: len(row.block.ports),
    ),
    TableColumn(
        "errors",
        "Errors",
        "edges that the copies lack or have beside, together",
        lambda row: int(row.block.errors.sum()),
        lambda row: f"{row.block.errors.sum():,}" if row.block.errors.any() else None,
        is_optional=True,
    ),
    TableColumn(
        "kinds",
        "Categories",
        "categories of the nodes",
        lambda row: kinds_text(row.block),
        is_optional=True,
        is_left=True,
    ),
)
