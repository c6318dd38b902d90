"""What a chemist asks: compounds by their names, on the page, in lists and in tables."""

import base64
import json
import re
import zlib

import pandas as pd
import pytest
from command_line import gomkcn

pytest.importorskip("rdkit.Chem")

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
