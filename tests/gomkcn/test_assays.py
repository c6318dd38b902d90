"""What a chemist asks of molecules with classes: scaffolds, and molecules as an SD file."""

from pathlib import Path

import pandas as pd
import pytest
from command_line import gomkcn, refused
from rdkit import Chem
from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles
from scipy.stats import fisher_exact
from self_contained import Page

from gomkcn.mining import load
from gomkcn.mining.structures.class_columns import differing

PYRIDINES = [f"{chain}c1cccnc1" for chain in ("CC", "CCC", "CCO", "CCN", "CC(C)", "CCCC", "OCC")]
BENZENES = [f"{chain}c1ccccc1" for chain in ("O", "CO", "N", "CN", "CS", "Cl", "F", "C", "O=C")]
SMILES = PYRIDINES + BENZENES + ["CCO", "CCCN"]
ACTIVE = [1] * 7 + [0] * 11


@pytest.fixture
def assay(folder):
    table = {"smiles": SMILES, "CID": [f"M{at}" for at in range(len(SMILES))], "active": ACTIVE}
    pd.DataFrame(table).to_csv("assay.csv", index=False)


def test_scaffolds_are_those_of_rdkit_and_their_p_that_of_scipy(assay):
    said = gomkcn("scaffolds assay.csv --quiet")
    assert said.startswith("3 scaffolds of 18 molecules\n")
    assert gomkcn("scaffolds assay.csv --out scaffolds.csv").endswith(
        "wrote scaffolds.csv: 3 rows\n"
    )
    table = pd.read_csv("scaffolds.csv").set_index("scaffold")
    expected = pd.Series([MurckoScaffoldSmiles(one) or "no rings" for one in SMILES])
    assert table["molecules"].to_dict() == expected.value_counts().to_dict()
    active = pd.Series(ACTIVE) == 1
    for scaffold, row in table.iterrows():
        has = expected == scaffold
        counts = [int((has & active).sum()), int((has & ~active).sum())]
        assert row[["graphs_1", "graphs_0"]].tolist() == counts
        rest = [[counts[0], 7 - counts[0]], [counts[1], 11 - counts[1]]]
        assert row["p_exact"] == pytest.approx(fisher_exact(rest).pvalue, rel=1e-6)
        assert row["p_exact"] <= row["p_classes"] <= 1
    # the surest first, and without classes the most frequent
    assert table.index[0] == "c1ccncc1" and table["p_exact"].is_monotonic_increasing
    plain = gomkcn("scaffolds assay.csv --class-column none --quiet").splitlines()
    assert [line.split()[0] for line in plain[3:5]] == ["c1ccccc1", "c1ccncc1"]
    assert "no class" not in plain


def test_scaffolds_have_a_page_with_the_drawings_and_numbers_of_the_table(assay):
    assert gomkcn("scaffolds assay.csv --page scaffolds.html --quiet") == "page: scaffolds.html\n"
    page, table = Page(Path("scaffolds.html").read_text()), read_scaffolds()
    called = (table["p_classes"] <= 0.05).sum()
    assert called > 0 and "Scaffolds of assay.csv" in page.words and "18 molecules" in page.words
    assert f"3 scaffolds; {called} differ" in page.words
    # a drawing of each that has rings, with its SMILES
    text = Path("scaffolds.html").read_text()
    assert [text.count(f'aria-label="{one}"') for one in ("c1ccncc1", "c1ccccc1")] == [1, 1]
    assert text.count("<svg") == 2 and "no rings" in page.words
    row = table.loc["c1ccncc1"]
    assert f"{row['p_exact']:.2g}" in page.words and f"{row['p_classes']:.2g}" in page.words
    said = gomkcn("scaffolds assay.csv --class-column none --page plain.html --out t.csv --quiet")
    assert said.splitlines() == ["wrote t.csv: 3 rows", "page: plain.html"]
    plain = Page(Path("plain.html").read_text()).words
    assert (
        "3 scaffolds." in plain and "between the classes" not in plain and "Adjusted" not in plain
    )
    sentence = refused("scaffolds assay.csv --page scaffolds.csv")
    assert sentence.startswith("--page must end in .html")


def read_scaffolds():
    gomkcn("scaffolds assay.csv --out scaffolds.csv --quiet")
    return pd.read_csv("scaffolds.csv").set_index("scaffold")


def test_molecules_are_exported_with_what_was_found(assay):
    options = "--filters none --quiet --null none --pattern-size 2-5 --exact-copies"
    gomkcn(f"mine assay.csv --out run {options}")
    gomkcn("export run --out out --format sdf")
    run = load("run")
    mols = [*Chem.SDMolSupplier("out/molecules.sdf")]
    assert [mol.GetProp("_Name") for mol in mols] == [f"M{at}" for at in range(len(SMILES))]
    assert [Chem.MolToSmiles(mol) for mol in mols] == [
        Chem.CanonSmiles(smiles) for smiles in SMILES
    ]
    assert [mol.GetProp("class") for mol in mols] == [str(one) for one in ACTIVE]
    assert all(mol.GetConformer().GetPositions()[:, :2].any() for mol in mols if mol.GetNumBonds())
    # as many molecules of each class have what leads as the run says
    leaders = [group[0] for group in differing(run.counted)]
    assert leaders
    for row in leaders:
        holds = [int(mol.GetProp(f"contains {row.name}")) for mol in mols]
        best = row.strongest
        own = [
            has for has, mol in zip(holds, mols, strict=True) if mol.GetProp("class") == best.name
        ]
        assert (sum(own), sum(holds)) == (best.containing, best.containing + best.others_containing)
    for number, pattern in enumerate(run.motif_set.shown):
        name = f"copies of motif {number}: {pattern.name}"
        assert sum(int(mol.GetProp(name)) for mol in mols) == pattern.motif.num_copies


def test_an_sd_file_is_of_molecules(folder):
    (folder / "ring.txt").write_text("a b\nb c\nc a\nc d\n")
    gomkcn("mine ring.txt --out run --filters none --quiet --null none")
    said = refused("export run --out out --format sdf")
    assert '--format "sdf" is for a run of a file of molecules' in said
