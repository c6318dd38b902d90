"""What a chemist asks: compounds by their names, on the page, in lists and in tables."""

import base64
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn

from mining import read_run
from mining.pattern import differing_groups

Chem = pytest.importorskip("rdkit.Chem")

DRUGS = Path(__file__).parents[2] / "docs" / "data" / "drugs.smi"
NAMED = "smiles name\nNCC(=O)O glycine\nCC(N)C(=O)O alanine\nCCO\nOCC(N)C(=O)O serine\n"
ACID = "0:element=C-[single]-1:element=C, 1-[double]-2:element=O, 1-[single]-3:element=O"


@pytest.fixture
def acids(folder):
    (folder / "acids.smi").write_text(NAMED)
    return folder


def page_record(page):
    """What the script of a page works on."""
    block = re.search(r'id="run-data">([^<]*)<', page.read_text())[1]
    return json.loads(zlib.decompress(base64.b64decode(block)))


def test_lists_name_the_compounds(acids):
    for pattern in ("smarts:[NX3][CX4]", "smiles:NC"):
        lines = gomkcn(f"count {pattern} acids.smi --list 9").splitlines()
        head, *rows = [line.split("\t") for line in lines if "\t" in line]
        assert head[:2] == ["graph", "name"]
        assert [row[:2] for row in rows] == [["0", "glycine"], ["1", "alanine"], ["3", "serine"]]


def test_a_page_and_tables_name_the_compounds(acids):
    gomkcn(f"mine acids.smi --out run --no-filters --quiet --given '{ACID}'")
    record = page_record(acids / "run" / "report.html")
    assert record["graphNames"] == {"0": "glycine", "1": "alanine", "3": "serine"}
    assert json.loads((acids / "run" / "run.json").read_text())["graph"]["graph_names"][2] == ""
    # the page that is made anew has them as well
    gomkcn("report run")
    assert page_record(acids / "run" / "report.html") == record
    gomkcn("export run --out tables")
    table = pd.read_csv(acids / "tables" / "occurrences.csv")
    names = {0: "glycine", 1: "alanine", 3: "serine"}
    assert len(table) and table["graph_name"].tolist() == table["graph"].map(names).tolist()
    assert list(table)[:4] == ["pattern", "occurrence", "graph", "graph_name"]
    copies = pd.read_csv(acids / "tables" / "copies.csv")
    assert list(copies)[:4] == ["motif", "copy", "graph", "graph_name"]


@pytest.fixture
def drugs(folder):
    """The drugs of the docs; 19 of their 22 sulfonamides and 21 others are active."""
    rows = [line.split()[:2] for line in DRUGS.read_text().splitlines()[1:]]
    sulfonamide = Chem.MolFromSmarts("[NX3]S(=O)=O")
    has_it = [Chem.MolFromSmiles(row[0]).HasSubstructMatch(sulfonamide) for row in rows]
    rng = np.random.default_rng(0)
    active = [*rng.choice(np.flatnonzero(has_it), 19, replace=False),
              *rng.choice(np.flatnonzero(~np.array(has_it)), 21, replace=False)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["smiles", "name"])
    table["activity"] = np.where(table.index.isin(active), "active", "inactive")
    table.to_csv("drugs.csv", index=False)
    return folder


def test_the_planted_cause_leads_and_its_parts_follow(drugs):
    text = gomkcn("mine drugs.csv --out run --no-filters --quiet --null none --size 3-4")
    head, table, *_ = text.split("\n\n")
    assert re.match(r"\d+ of \d+ structures differ between the classes", head)
    first, second, *_ = table.splitlines()[1:]
    assert first.startswith("sulfonamide: NS(=O)=O") and "19 of 40  3 of 260" in first
    assert second.startswith("– part of it: ")
    run = read_run("run")
    (leader, *others), *more = differing_groups(run.counted)
    assert leader.name == "sulfonamide: NS(=O)=O" and leader.classes.strongest.p < 1e-14
    # all that differs follows from it
    assert len(others) > 9 and not more
    # its places are listed, so that the page shows them at first
    assert leader.id >= 0 and len(leader.occurrences) == 23
    record = page_record(drugs / "run" / "report.html")
    assert record["start"] == leader.id
    assert {"celecoxib", "topiramate"} <= set(record["graphNames"].values())
