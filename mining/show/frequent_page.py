"""Frequent subgraphs in a terminal, and as one page without network or script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gomkcn.mining.frequent.gspan import FrequentSubgraphs
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import relation_lines
from gomkcn.mining.show.page import flatten, render_page
from gomkcn.mining.show.tabular_text import format_cell, format_table
from gomkcn.mining.structures.pattern import LEVEL
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.runtime.tabular import Table

# nothing but the style in the page itself
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
# rows of a terminal, and of a page, each with a drawing of one or two thousand bytes
_MOST_ON_SCREEN = 40
_MOST_ON_PAGE = 300
# what stands beside the drawing of a row
_IN_DRAWINGS = {"pattern", "smarts", "name"}


def lead(found: FrequentSubgraphs) -> str:
    """How many subgraphs there are, and how many differ between classes."""
    parts = [count(len(found), "frequent subgraph")]
    if found.classes is not None:
        called = sum(p <= LEVEL for p in found.columns()["adjusted p"])
        parts.append(
            f"{called:,} differ between the classes (adjusted p ≤ {LEVEL}), the surest first"
        )
    return "; ".join(parts)


def _needless(found: FrequentSubgraphs, columns: Mapping[str, Any]) -> set[str]:
    """Columns that say what others say."""
    needless = set()
    if found.classes is not None and len(found.classes.names) == 2:
        # of two classes one odds ratio is the inverse of the other
        needless.add(f"odds ratio {found.classes.names[0]}")
    if "smarts" in columns:
        # the name of a piece of a molecule has its SMILES
        needless |= {"pattern", "smarts"}
    return needless


def format_subgraphs(found: FrequentSubgraphs, file: str) -> str:
    """A screen of subgraphs, how many there are, and which file has the others."""
    columns = found.columns()
    hidden = {"share", *_needless(found, columns)}
    text = lead(found)
    if len(found) > _MOST_ON_SCREEN:
        text += f"; here the first {_MOST_ON_SCREEN}; {file} has all, with all columns"
    if len(found):
        rows = {
            name: column[:_MOST_ON_SCREEN] for name, column in columns.items() if name not in hidden
        }
        text += f"\n\n{format_table(Table(rows))}"
    return f"{text}\n\nnot complete: {found.left_out}" if found.left_out else text


def render_subgraphs(found: FrequentSubgraphs, record: Mapping[str, Any], file: str) -> str:
    """Return the page of some subgraphs, whose run has a record and a ``file`` with all."""
    columns = found.columns()
    lines = relation_lines((), found.structures)
    needless = _needless(found, columns)
    titles = [name for name in columns if name not in _IN_DRAWINGS | needless]
    rows = [
        {
            "svg": draw_structure(structure, lines=lines, letters=False),
            "name": columns["name"][number],
            "text": "" if "pattern" in needless else columns["pattern"][number],
            "cells": [format_cell(title, columns[title][number]) for title in titles],
        }
        for number, structure in enumerate(found.structures[:_MOST_ON_PAGE])
    ]
    return render_page(
        "frequent.html.jinja",
        policy=_POLICY,
        script="",
        data="",
        source=record["graph"]["source"],
        num_graphs=record["graph"]["num_graphs"],
        lead=lead(found),
        left_out=found.left_out,
        titles=titles,
        rows=rows,
        num_hidden=len(found) - len(rows),
        file=file,
        has_classes=found.classes is not None,
        settings=flatten(record["settings"]),
        provenance=flatten(record["provenance"]),
    )
