"""The scaffolds of molecules as one page without network or script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from gomkcn.mining.frequent.scaffolds import NO_RINGS, Scaffolds
from gomkcn.mining.plots.molecule_drawing import draw_molecule
from gomkcn.mining.show.frequent_page import POLICY
from gomkcn.mining.show.page import flatten, render_page
from gomkcn.mining.show.page_table import PageTable, plain_number
from gomkcn.mining.structures.pattern import LEVEL
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.io.molecules import load_rdkit
from gomkcn_dgl.runtime.output_folder import describe_provenance

# rows of a page, each with a drawing of some ten thousand bytes
_MOST_SHOWN = 100
# of a drawing: scaffolds have three times as many atoms as a fragment
_WIDTH, _HEIGHT = 150, 104


def scaffolds_lead(found: Scaffolds) -> str:
    """How many scaffolds there are, and how many differ between classes."""
    parts = [count(len(found.rows), "scaffold")]
    if found.classes is not None:
        called = sum(row.p_adjusted is not None and row.p_adjusted <= LEVEL for row in found.rows)
        parts.append(
            f"{called:,} {'differs' if called == 1 else 'differ'} between the classes "
            f"(adjusted p ≤ {LEVEL}), the surest first"
        )
    return "; ".join(parts)


def render_scaffolds(
    found: Scaffolds, source: str, options: Mapping[str, Any], seconds: float
) -> str:
    """Return the page of the scaffolds of the molecules of a file, read with some options."""
    shown = found.rows[:_MOST_SHOWN]
    table = PageTable.of(found.table_columns, shown)
    rows = [
        {
            "svg": _drawing(row.smiles),
            "name": _name(row.smiles),
            "below": table.below_name(row, plain_number),
            "cells": table.cells(row, plain_number),
        }
        for row in shown
    ]
    note = (
        "Bemis–Murcko scaffolds: the rings of a molecule and the chains between them, as RDKit "
        "makes them, without stereo."
    )
    return render_page(
        "frequent.html.jinja",
        policy=POLICY,
        script="",
        data="",
        what="Scaffolds",
        heading="Scaffolds",
        explanation=note,
        note="",
        family="scaffolds",
        source=source,
        facts=[count(len(found.of_molecules), "molecule")],
        lead=scaffolds_lead(found),
        left_out="",
        table=table,
        rows=rows,
        num_hidden=len(found.rows) - len(rows),
        file="the table of gomkcn scaffolds",
        has_classes=found.classes is not None,
        settings=flatten({"molecules": {"path": source, **options}}),
        provenance=flatten(describe_provenance(0, seconds)),
    )


def _name(smiles: str) -> Markup | str:
    """A SMILES in as many lines as it needs, each of some letters at least."""
    if smiles == NO_RINGS:
        return smiles
    return Markup('<code style="display: inline-block; min-width: 9em">{}</code>').format(smiles)


def _drawing(smiles: str) -> Markup | str:
    """The molecule of a scaffold; nothing of molecules without rings."""
    if smiles == NO_RINGS:
        return ""
    chem = load_rdkit()
    mol = chem.MolFromSmiles(smiles, sanitize=False)
    # a scaffold that RDKit has cut may have a ring that is no aromatic one any more
    if not chem.SanitizeMol(mol, catchErrors=True):
        chem.Kekulize(mol, clearAromaticFlags=True)
    return draw_molecule(mol, _WIDTH, _HEIGHT, label=smiles)
