"""What a chemist asks: compounds by their names, on the page, in lists and in tables."""

import base64
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, invoke, refused

from gomkcn.mining import count, load
from gomkcn.mining.structures.pattern import differing_groups
from gomkcn_dgl import read_graph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure

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
    gomkcn(f"mine acids.smi --out run --filters none --quiet --given '{ACID}'")
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
    table = pd.read_csv("drugs.csv")
    # all that are active, and as many others
    chosen = (table["activity"] == "active") | (table.index % 6 == 0)
    table[chosen].to_csv("few.csv", index=False)
    options = "--filters none --quiet --null none --pattern-size 3-4 --exact-copies"
    text = gomkcn(f"mine few.csv --out run {options}")
    head, table, *_ = text.split("\n\n")
    assert re.match(r"\d+ of \d+ structures differ between the classes", head)
    # the titles of columns take three lines
    first, second, *_ = table.splitlines()[3:]
    assert first.startswith("sulfonamide: NS(=O)=O") and re.search(r"19 of 40  \d of 4\d", first)
    assert second.startswith(("– part of it: ", "– only with it in "))
    said = "subgraphs of 3 to 4 nodes in as many graphs as 10% of the smallest class"
    assert said in " ".join(text.split())
    run = load("run")
    leader, *others = differing_groups(run.counted)[0]
    assert leader.name == "sulfonamide: NS(=O)=O" and leader.classes.strongest.p < 1e-5
    # what differs most follows from it
    assert len(others) > 5
    # its places are listed, so that the page shows them at first
    assert leader.id >= 0 and len(leader.occurrences) == leader.frequency.count > 19
    record = page_record(drugs / "run" / "report.html")
    assert record["start"] == leader.id
    assert {"celecoxib", "topiramate"} <= set(record["graphNames"].values())


def test_counts_and_subgraphs_are_compared_between_classes(drugs):
    for pattern in ("smarts:[NX3]S(=O)=O", "smiles:NS(=O)=O"):
        lines = gomkcn(f"count '{pattern}' drugs.csv").splitlines()
        at = lines.index("graphs      22 of 300 contain it")
        head, active, inactive = (re.split(r"\s\s+", line) for line in lines[at + 2 : at + 5])
        assert head == ["class", "contain it", "share", "odds ratio", "95% interval", "p (Fisher)"]
        assert active == ["active", "19 of 40", "48%", "66.7", "19.7 to 226", "3e-16"]
        assert inactive[:2] == ["inactive", "3 of 260"] and inactive[-1] == "3e-16"
    # not where nobody wants them
    assert "active" not in gomkcn(f"count '{pattern}' drugs.csv --class-column none")
    gomkcn("frequent drugs.csv --support .2 --sizes 3-4 --closed --per-class --out found")
    table = pd.read_csv("found/subgraphs.csv")
    first = table.iloc[0]
    assert first["structure"] == "sulfonamide: NS(=O)=O"
    assert first[["graphs_active", "graphs_inactive"]].tolist() == [19, 3]
    assert first["p_exact"] == pytest.approx(3.034e-16, rel=1e-3) and first["p_classes"] < 1e-11
    assert table["p_exact"].is_monotonic_increasing
    # small numbers are printed as such
    text = gomkcn("frequent drugs.csv --support .1 --sizes 2-4 --per-class --out many")
    head, _, *lines = text.splitlines()
    assert re.match(
        r"\d+ frequent subgraphs; \d+ differ between the classes \(adjusted p ≤ 0.05\)", head
    )
    assert head.endswith("; here the first 40; subgraphs.csv has all, with all columns")
    rows = [line for line in lines if " of 40 " in line]
    assert len(rows) == 40 and max(map(len, lines)) <= 100
    # a bond of it is in the same graphs, and is smaller; of two classes one odds ratio is shown
    assert rows[0].startswith("sulfonamide: NS(=O)=O ") and "3.03e-16" in rows[0]
    names = " ".join(lines[: lines.index(rows[0])]).split()
    assert names.count("odds") == 1 and "0.015" in rows[0]
    assert "give it, or leave them out" in refused("frequent drugs.csv --threshold 6")


def test_a_structure_with_categories_is_counted_with_them_in_python(drugs):
    graph = read_graph("drugs.csv")
    text = "a:N-[single]-b:S, b-[double]-c:O, b-[double]-d:O"
    structure = Structure.parse(text)
    assert (count(graph, structure, by="graph") > 0).sum() == 22
    assert "22 of 300 contain it" in gomkcn(f"count '{text}' drugs.csv")
    assert count(graph, structure).value == count(graph, structure, by="graph").sum()
    assert count(graph, structure, errors=0).counts[0].value == 23
    # without categories it is of any atoms
    plain = Structure.parse(text.replace(":N", "").replace(":S", "").replace(":O", ""))
    assert (count(graph, plain, by="graph") > 0).sum() > 22
    with pytest.raises(InputError, match="must have categories of the graph, which are element=Br"):
        count(graph, Structure.parse("a:Xx--b:N"), by="graph")


def test_a_molecule_without_its_prefix_is_told_which(acids):
    for command in ("count {} acids.smi", "mine acids.smi --out run --filters none --given {}"):
        for text in ("sulfonamide", "'NS(=O)=O'"):
            said = refused(command.format(text))
            assert "give smiles:NS(=O)=O, or smarts:NS(=O)=O" in said and len(said) < 250
    assert "give smiles:n1ccccc1" in refused("count pyridine acids.smi")
    assert "the nearest is 'triangle'" in refused("count triangel acids.smi")
    gomkcn("mine acids.smi --out run --filters none --quiet --given smiles:CC=O")
    assert "Given: acyl group: CC=O" in gomkcn("report run")


@pytest.fixture
def assay(drugs):
    """The same with a measured activity: those that are active have more than 6.5."""
    table = pd.read_csv("drugs.csv")
    rng = np.random.default_rng(1)
    active = table["activity"] == "active"
    table["activity"] = np.where(active, rng.uniform(6.6, 9, 300), rng.uniform(3, 6.4, 300))
    table.round(2).to_csv("assay.csv", index=False)
    return drugs


def test_a_measured_activity_needs_a_threshold(assay):
    sentence = refused("mine assay.csv --out run --quiet")
    assert sentence.startswith("assay.csv: 'activity' holds numbers, such as ")
    assert (
        "; --threshold 5.07, median or 75%, makes classes of them" in sentence
        and ", and --class-column none leaves them out" in sentence
    )
    assert not Path("run").exists()
    said = invoke("info assay.csv").stdout.splitlines()[-1]
    assert said.startswith("classes            assay.csv: 'activity' holds numbers")
    said = gomkcn("info assay.csv --threshold 6.5").splitlines()[-1]
    assert said == "classes            activity < 6.5 260, activity ≥ 6.5 40"
    # a count goes on without classes, and says the way out
    result = invoke("count smarts:NS(=O)=O assay.csv")
    assert "no classes are compared: assay.csv: 'activity' holds numbers" in result.stderr
    assert result.exit_code == 0 and "contain it  share" not in result.stdout
    text = gomkcn("count smarts:NS(=O)=O assay.csv --threshold 6.5")
    assert re.search(r"^activity ≥ 6.5 +19 of 40 ", text, re.MULTILINE)


def test_a_threshold_makes_classes_and_is_kept_with_the_run(assay):
    # all that are active, and as many others
    table = pd.read_csv("assay.csv")
    few = table.sort_values("activity", ascending=False, kind="stable").iloc[:80]
    few.to_csv("few.csv", index=False)
    options = "--filters none --quiet --null none --pattern-size 3 --exact-copies"
    text = gomkcn(f"mine few.csv --out run --threshold 6.5 {options}")
    assert re.search(r"19 of 40 +\d of 40", text) and "activity ≥" in text
    assert "threshold = 6.5" in Path("run/settings.toml").read_text()
    again = gomkcn("mine --settings run/settings.toml --out again --quiet")
    assert again.partition("done in")[0] == text.partition("done in")[0]
    gomkcn(f"mine few.csv --out none --class-column none {options}")
    assert "class" not in Path("none/patterns.json").read_text().replace('"classes": null', "")


def test_molecules_are_compared_with_random_graphs_where_that_is_asked_for(acids):
    said = "Molecules are not compared with random graphs, in which atoms have neighbours that"
    options = "--filters none --quiet --pattern-size 3"
    text = gomkcn(f"mine acids.smi --out run {options}")
    assert said in text and "a null model that is named does it" in " ".join(text.split())
    assert said in Path("run/report.html").read_text()
    assert not load("run").null_models
    # whoever asks gets it, and whoever does not want it reads nothing of it
    text = gomkcn(f"mine acids.smi --out asked --null degree --null-samples 99 {options}")
    assert said not in text and list(load("asked").null_models) == ["degree"]
    assert said not in gomkcn(f"mine acids.smi --out none --null none {options}")
