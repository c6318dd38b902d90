"""Frequent subgraphs in a terminal, and as one page without network or script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gomkcn.mining.frequent.gspan import FrequentSubgraphs
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import relation_lines
from gomkcn.mining.show.page import flatten, render_page
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn.mining.show.text_table import text_table
from gomkcn.mining.structures.pattern import LEVEL
from gomkcn_dgl.graphs.shapes import count

# nothing but the style in the page itself
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# rows of a terminal, and of a page, each with a drawing of one or two thousand bytes
_MOST_ON_SCREEN = 40
_MOST_ON_PAGE = 300


def lead(found: FrequentSubgraphs) -> str:
    """How many subgraphs there are, and how many differ between classes."""
    parts = [count(len(found), "frequent subgraph")]
    if found.in_one_graph is not None:
        nodes = count(found.in_one_graph.num_nodes, "node")
        parts[0] += f" of a graph of {nodes}, by minimum node image"
    if found.classes is not None:
        called = sum(p <= LEVEL for p in found.p_adjusted)
        parts.append(
            f"{called:,} {'differs' if called == 1 else 'differ'} between the classes "
            f"(adjusted p ≤ {LEVEL}), the surest first"
        )
    return "; ".join(parts)


def format_subgraphs(found: FrequentSubgraphs, file: str) -> str:
    """A screen of subgraphs, how many there are, and which file has the others."""
    text = lead(found)
    if len(found) > _MOST_ON_SCREEN:
        text += f"; here the first {_MOST_ON_SCREEN}; {file} has all, with all columns"
    if len(found):
        text += f"\n\n{text_table(found.table_columns, found.rows[:_MOST_ON_SCREEN])}"
    if found.left_out:
        text += f"\n\nnot complete: {found.left_out}"
    return f"{text}\n\n{found.note}" if found.note else text


def render_subgraphs(found: FrequentSubgraphs, record: Mapping[str, Any], file: str) -> str:
    """Return the page of some subgraphs, whose run has a record and a ``file`` with all."""
    lines = relation_lines((), found.structures)
    shown = found.rows[:_MOST_ON_PAGE]
    table = PageTable.of(found.table_columns, shown)
    rows = [
        {
            "svg": draw_structure(row.structure, lines=lines, letters=False),
            "name": row.name,
            "below": table.below_name(row, plain_number),
            "cells": table.cells(row, plain_number),
        }
        for row in shown
    ]
    return render_page(
        "frequent.html.jinja",
        policy=POLICY,
        script="",
        data="",
        what="Frequent subgraphs",
        heading="Subgraphs",
        explanation=_support_note(found),
        family="subgraphs",
        source=record["graph"]["source"],
        facts=[count(record["graph"]["num_graphs"], "graph")],
        lead=lead(found),
        left_out=found.left_out,
        note=found.note,
        table=table,
        rows=rows,
        num_hidden=len(found) - len(rows),
        file=file,
        has_classes=found.classes is not None,
        settings=flatten(record["settings"]),
        provenance=flatten(record["provenance"]),
    )


def _support_note(found: FrequentSubgraphs) -> str:
    """What the support of a subgraph is."""
    if found.in_one_graph is None:
        return (
            "Support is the number of graphs that contain the subgraph; between its nodes a graph "
            "may have more edges."
        )
    return (
        "Support is the minimum node image: each node of the subgraph is mapped to at least so "
        "many different nodes. Between its nodes there may be more edges. Disjoint occurrences "
        "share no node."
    )
