"""Pieces of molecules: counts beside RDKit's own, names, SMARTS, drawings; 300 drugs."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from exact_counts import count_by_graph
from mutag_molecules import mutag_molecules

from gomkcn.commands.main import main
from gomkcn.mining import Pattern
from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.structures.categories import colors_in
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.fragments import FRAGMENTS, find_smarts, structure_of, to_smarts
from gomkcn.mining.structures.graph_relations import joined_relations
from gomkcn.mining.structures.pattern_columns import structure_table
from gomkcn_dgl import as_csr, read_graph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_molecule_file

Chem = pytest.importorskip("rdkit.Chem")
DRUGS = Path(__file__).parents[3] / "docs/data/drugs.smi"
# what elements and bonds alone do not say
SMARTS = ("[OH]", "[NH2]", "[#6][OX2][#6]", "[R]", "[r5]", "[CH3]", "c-c", "a:a", "[N+]", "[$(CO)]",
          "*~*~*", "[!#6]", "[nH]", "[D3]", "C(=O)[O;H,-]", "[#7;R]", "[S,s]", "cC")  # fmt: skip


def counts(graph, structure):
    return count_by_graph(graph, *colors_in(graph, structure), 10**9).tolist()


def test_counts_are_those_of_rdkit():
    graph, mols = read_graph(DRUGS), read_molecule_file(DRUGS)
    known = {name: text for name, text in FRAGMENTS.items() if "P" not in text}
    assert len(known) >= 40
    for text in known.values():
        structure = structure_of(text)
        places = find_smarts(to_smarts(structure), mols)
        expected = [0] * len(mols)
        for number, *atoms in places.tolist():
            bonds = mols[number].GetBonds()
            ends = [{bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()} for bond in bonds]
            # an induced occurrence has no other bond
            is_induced = sum(one <= {*atoms} for one in ends) == len(structure.edges)
            expected[number] += is_induced
        assert counts(graph, structure) == expected, text
    for smarts in (*SMARTS, *map(to_smarts, map(structure_of, known.values()))):
        query = Chem.MolFromSmarts(smarts)
        every = [mol.GetSubstructMatches(query, uniquify=False, maxMatches=10**7) for mol in mols]
        sets = [len({frozenset(one) for one in found}) for found in every]
        found = find_smarts(smarts, mols)
        assert np.bincount(found[:, 0], minlength=len(mols)).tolist() == sets, smarts


def test_mutag_has_its_rings_and_no_limit_cuts(mutag):
    graph = as_csr(mutag_molecules(mutag)[0])
    assert sum(counts(graph, structure_of("c1ccccc1"))) == 420
    ring = Structure.parse(", ".join(f"{i}:C--{(i + 1) % 6}" for i in range(6)))
    assert sum(counts(joined_relations(graph), ring)) == 451
    long = Chem.MolFromSmiles("C" * 1500)
    assert len(find_smarts("CC", [long])) == 1499


def test_fragments_have_names_smarts_and_drawings(mutag):
    for name, text in FRAGMENTS.items():
        assert describe_structure(structure_of(text)).startswith(f"{name}: "), name
    nitro = Structure.parse(
        "0:label=C-[single]-1:label=N, 1-[double]-2:label=O, 1-[single]-3:label=O"
    )
    assert describe_structure(nitro) == "nitro group on carbon: C[N+](=O)[O-]"
    assert describe_structure(structure_of("C1CC1(C)C")) == "5 atoms with a ring: CC1(C)CC1"
    table = structure_table([Pattern(structure_of("CC#N")), Pattern(Structure.parse("a--b"))])
    assert table.columns()["smarts"] == ["[#6]-[#6]#[#7]", None]
    picture = draw_structure(nitro, missing=[(0, 1)], beside=True)
    assert "#000000" not in picture and picture.count("<svg") == 1 and "dotted: A–B" in picture
    # the same letters in categories of other things are no elements
    assert "circle" in draw_structure(Structure.parse("0:C--1:N"))


def test_smarts_and_smiles_are_counted_and_listed(caplog):
    line = ["count", "smarts:[NX3][CX3]=O", str(DRUGS), "--list", "2"]
    said = CliRunner().invoke(main, line).output.splitlines()
    assert said[3].split() == ["occurrences", "141,", "counted", "exactly"]
    assert len(said) == 10 and said[5].startswith("listed      2, a random sample")
    said = CliRunner().invoke(main, ["count", "smiles:N1CCC1=O", str(DRUGS), "--list", "9"]).output
    assert "N0\tC1\tC2\tC3\tO4" in said
    CliRunner().invoke(main, ["count", "smiles:[OH]C", str(DRUGS)])
    assert caplog.text.count("stereo and isotopes of a SMILES are not compared") == 1
    for number, smiles in enumerate(("C[C@H](N)O", "C/C=C/C", "[13C]C"), start=2):
        CliRunner().invoke(main, ["count", f"smiles:{smiles}", str(DRUGS)])
        assert caplog.text.count("stereo and isotopes of a SMILES are not compared") == number
    for pattern in ("smarts:[O", "smiles:[O"):
        said = CliRunner().invoke(main, ["count", pattern, str(DRUGS)])
        assert said.exit_code == 2 and "after 'sm" in said.output


MIRRORED = ("N[C@@H](CO)C=O", "N[C@H](CO)C=O", "NC(CO)C=O", "C/C(F)=C(F)/C",
            "C/C(F)=C(F)\\C", "CC(F)=C(F)C", "[13CH3]C", "[2H]C", "C[NH3+]",
            "[O-]C=O", "c1cc[nH]c1", "C1CC1C")  # fmt: skip
# the molecules that have one match or more
STEREO = {
    "N[C@@H](CO)C=O": [0],
    "N[C@H](CO)C=O": [1],
    "NC(CO)C=O": [0, 1, 2],
    "[C@@H](N)(CO)C=O": [1],
    "C/C(F)=C(F)/C": [3],
    "C/C(F)=C(F)\\C": [4],
    "C\\C(F)=C(F)\\C": [3],
    "CC(F)=C(F)C": [3, 4, 5],
    "[13C]": [6],
    "[13CH3]C": [6],
    "[2H]": [7],
    "[N+]": [8],
    "[O-]": [9],
    "[nH]": [10],
    "[#6]~[#8]": [0, 1, 2, 9],
    "[R;r3]": [11],
    "[$(C(F)=C)]": [3, 4, 5],
    "[!#6;!#9]": [0, 1, 2, 7, 8, 9, 10],
}


@pytest.mark.parametrize("smarts", STEREO)
def test_stereo_isotopes_and_charges_are_compared(smarts, tmp_path):
    (tmp_path / "some.smi").write_text("\n".join(MIRRORED))
    mols = read_molecule_file(tmp_path / "some.smi")
    assert np.unique(find_smarts(smarts, mols)[:, 0]).tolist() == STEREO[smarts]
    query = Chem.MolFromSmarts(smarts)
    of_rdkit = [
        (number, *atoms)
        for number, mol in enumerate(mols)
        for atoms in mol.GetSubstructMatches(query, uniquify=True, useChirality=True)
    ]
    assert list(map(tuple, find_smarts(smarts, mols).tolist())) == of_rdkit


def test_a_smarts_that_rdkit_does_not_compare_is_refused():
    for smarts in ("[$(F/C=C/F)]", "C[$([$(C=C)]\\F)]", "[$([C@@H](N)C)]", "[$(N[C@](C)O)]"):
        with pytest.raises(InputError, match=r"outside of \$\(…\), in which RDKit does not"):
            find_smarts(smarts, [])
    # in a ring
    assert len(find_smarts("[$(C@C)]", [Chem.MolFromSmiles("C1CC1C")])) == 3
    assert len(find_smarts("F/C=C/[$(F)]", [Chem.MolFromSmiles("F/C=C/F")])) == 1


def test_the_number_of_matches_in_a_molecule_is_bounded():
    salt = Chem.MolFromSmiles(".".join(["C"] * 5000 + ["O"]))
    for smarts in ("C.C.C", "*.*.*.*", "C.[$(C)]"):
        with pytest.raises(InputError, match=r"at most 1,000,000 matches .* in molecule 1, from 0"):
            find_smarts(smarts, [Chem.MolFromSmiles("C"), salt])
    # a part that is not there ends the search before it begins
    assert len(find_smarts("C.C.C.N", [salt])) == 0
    assert len(find_smarts("C.O", [salt])) == 5000
    assert len(find_smarts("C.C", [Chem.MolFromSmiles("C.CC")])) == 3
    hub = Chem.MolFromSmiles("*" + "(*)" * 30)
    with pytest.raises(InputError, match="at most 1,000,000 matches"):
        find_smarts("*" + "(*)" * 15, [hub])
    assert len(find_smarts("*(*)*", [hub])) == 435
