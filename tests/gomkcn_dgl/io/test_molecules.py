"""Molecules of RDKit and of files; MUTAG, written as SMILES, is read back."""

import builtins
import gzip
import logging
from collections import Counter

import numpy as np
import pytest
from mutag_molecules import mutag_molecules

from gomkcn_dgl import as_csr, read_graph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_folder import write_graph_folder
from gomkcn_dgl.io.graph_classes import read_graph_classes
from gomkcn_dgl.io.molecules import CLASS_COLUMNS, from_molecules
from gomkcn_dgl.io.reading import read_molecule_file
from gomkcn_dgl.io.same_molecules import find_repeated, same_molecules
from gomkcn_dgl.training.labelled_data import read_labelled

Chem = pytest.importorskip("rdkit.Chem")

LINES = "SMILES name\nCCO ethanol\n\n# a comment\n[NH4+].[Cl-] salt\nC[N+](=O)[O-]\n"
TABLE = 'id,Canonical_SMILES,Activity\n1,CCO,low\n2,"C1CC",high\n3,c1ccccc1,high\n4,CN,low\n'


def bonds(graph):
    """How often two elements are joined by a type of bond, for each graph."""
    values = [name.rpartition("=")[2] for name in graph.feature_names]
    element = [values[column] for column in graph.features.argmax(axis=1)]
    names = graph.relations.names
    source, target, kinds = graph.edges()
    found = [Counter() for _ in range(graph.num_graphs)]
    for graph_of, u, v, kind in zip(graph.graph_of(source), source, target, kinds, strict=True):
        found[graph_of][min(element[u], element[v]), max(element[u], element[v]), names[kind]] += 1
    for graph_of, one in zip(graph.graph_of(np.arange(graph.num_nodes)), element, strict=True):
        found[graph_of][one] += 1
    return found


def test_mutag_as_smiles_is_mutag(mutag, tmp_path):
    given = read_graph(mutag, features=["labels"])
    mols, wrong = mutag_molecules(mutag)
    assert bonds(as_csr(mols)) == bonds(given)
    # two molecules have a carbon of five bonds
    assert wrong == [82, 187]
    file = tmp_path / "mutag.smi"
    file.write_text("".join(f"{Chem.MolToSmiles(mol)} {k}\n" for k, mol in enumerate(mols)))
    with pytest.raises(InputError, match=r"^mutag.smi: line 83: RDKit cannot read the molecule 'O"):
        read_graph(file)
    read = read_graph(file, skip_invalid=True)
    kept = [k for k in range(188) if k not in wrong]
    assert read.relations.names == ("aromatic", "double", "single", "triple")
    assert bonds(read) == [bonds(given)[k] for k in kept]


def test_lines_hold_smiles_and_maybe_a_name(tmp_path):
    path = tmp_path / "a.smi"
    path.write_text(LINES)
    graph = read_graph(path, features=["element", "charge"])
    assert graph.num_graphs == 3 and np.diff(graph.graph_ptr).tolist() == [3, 2, 4]
    assert graph.feature_names[-3:] == ("charge=+1", "charge=-1", "charge=0")
    assert graph.features[:, -3].nonzero()[0].tolist() == [3, 6]
    packed = tmp_path / "b.smi.gz"
    packed.write_bytes(gzip.compress(LINES.encode()))
    assert read_graph(packed).feature_names == ("element=C", "element=Cl", "element=N", "element=O")
    aromatic = as_csr(Chem.MolFromSmiles("Cc1ccccc1"), features="aromatic")
    assert aromatic.feature_names == ("aromatic=False", "aromatic=True")
    assert aromatic.features.sum(axis=0).tolist() == [1, 6]


def test_a_table_has_classes_and_lines_that_are_left_out(tmp_path, caplog):
    path = tmp_path / "a.csv"
    path.write_text(TABLE.replace("C1CC", ""))
    with pytest.raises(InputError, match=r"a\.csv: line 3: the molecule has no atoms; correct it"):
        read_graph(path)
    path.write_text(TABLE)
    with pytest.raises(InputError, match=r"a\.csv: line 3: RDKit cannot read the molecule 'C1CC'"):
        read_graph(path)
    # in commands that show no more than warnings as well
    with caplog.at_level(logging.WARNING, "gomkcn_dgl"):
        graph = read_graph(path, skip_invalid=True)
    assert "left out 1 that RDKit cannot read: line 3" in caplog.text
    assert np.diff(graph.graph_ptr).tolist() == [3, 6, 2]
    classes = read_graph_classes(path, skip_invalid=True)
    assert classes.names == ("high", "low") and classes.labels.tolist() == [1, 0, 1]
    by_name = read_graph_classes(path, skip_invalid=True, class_column="activity")
    assert by_name.labels.tolist() == classes.labels.tolist()
    path.write_text(TABLE.replace("Canonical_SMILES", "mol").replace("C1CC", "CC"))
    assert read_graph(path, smiles="mol").num_graphs == 4


def test_a_molecule_without_a_class_is_not_compared_and_that_is_said(tmp_path, caplog):
    path = tmp_path / "a.csv"
    cells = ["low", "", "high", "Low", "NA", "high", "low", "inconclusive"]
    path.write_text("smiles,activity\n" + "".join(f"CCO,{cell}\n" for cell in cells))
    for options in ({}, {"class_column": "activity"}):
        classes = read_graph_classes(path, **options)
        assert classes.names == ("high", "low") and classes.sizes == [2, 3]
        assert classes.labels.tolist() == [1, -1, 0, 1, -1, 0, 1, -1]
    assert classes.called.tolist() == ["low", None, "high", "low", None, "high", "low", None]
    said = (
        "3 of 8 molecules have no class in the column activity (no class: NA, inconclusive), "
        "and are left out where classes are compared or learnt; the first is in line 3"
    )
    assert said in caplog.text
    # they are not among those that something is learnt from
    data = read_labelled(path)
    assert data.graph.num_graphs == 5
    names = np.array(data.class_names)[data.labels].tolist()
    assert names == ["low", "high", "low", "high", "low"]
    assert "classes that differ in capitals alone are one: Low is low" in caplog.text
    # so with numbers
    cells = ["5.1", "7", "", "NA", "6.5"]
    path.write_text("smiles,pIC50\n" + "".join(f"CCO,{cell}\n" for cell in cells))
    classes = read_graph_classes(path, class_column="pIC50", threshold=6.5)
    assert classes.labels.tolist() == [0, 1, -1, -1, 1]
    path.write_text("smiles,pIC50\nCCO,5.1\nCCO,>10\n")
    with pytest.raises(InputError, match="line 3: 'pIC50' must be .* leave the cell empty"):
        read_graph_classes(path, class_column="pIC50", threshold=6.5)
    path.write_text("smiles,activity\nCCO,\nCCO,NA\n")
    assert read_graph_classes(path) is None
    with pytest.raises(InputError, match="class_column 'activity' must hold classes of molecules"):
        read_graph_classes(path, class_column="activity")


def test_a_column_of_numbers_under_its_own_name_is_named(tmp_path, caplog):
    path = tmp_path / "a.csv"
    path.write_text("name,smiles,pIC50,note\na,CCO,5.1,x\nb,CCN,7,y\nc,CCC,,z\n")
    said = r"; give class_column='pIC50', one of pIC50\.$"
    with pytest.raises(InputError, match=said):
        read_graph_classes(path, threshold=6.5)
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        assert read_graph_classes(path) is None
    assert "classes: none; class_column takes one of the columns pIC50, note" in caplog.text


def test_an_sd_file_has_records_and_properties(tmp_path, capfd):
    path = tmp_path / "a.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for text, kind in (("CCO", "low"), ("Cc1ccccc1", "high"), ("CC=O", "low")):
            mol = Chem.AddHs(Chem.MolFromSmiles(text))
            mol.SetProp("class", kind)
            writer.write(mol)
    graph = read_graph(path)
    assert graph.feature_names == ("element=C", "element=O")
    assert np.diff(graph.graph_ptr).tolist() == [3, 7, 3]
    assert read_graph_classes(path).names == ("high", "low")
    path.write_text(path.read_text().replace("V2000", "V9999", 1))
    with pytest.raises(InputError, match=r"a\.sdf: record 1: RDKit cannot read the molecule; cor"):
        read_graph(path)
    assert read_graph(path, skip_invalid=True).num_graphs == 2
    # RDKit itself is silent
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("a.smi", "CCO ethanol\nCN methylamine\n", ["ethanol", "methylamine"]),
        ("a.smi", "smiles formula name\nCCO C2H6O ethanol\nCN CH5N\n", ["ethanol", ""]),
        ("a.smi", "CCO\nCN\n", None),
        ("a.csv", "smiles,class,Molecule ChEMBL ID\nCCO,a,CHEMBL545\nCN,b,\n", ["CHEMBL545", ""]),
        (
            "a.csv",
            "id,drug_name,smiles\n7,ethanol,CCO\n8,methylamine,CN\n",
            ["ethanol", "methylamine"],
        ),
        ("a.csv", "smiles,class\nCCO,a\nCN,b\n", None),
        # words within a longer name are no name
        ("a.csv", "smiles,label id\nCCO,a\nCN,b\n", None),
        ("a.csv", "smiles,Molecule cyclized degree (MCD),CID\nCCO,1,a\nCN,2,b\n", ["a", "b"]),
        ("a.csv", "smiles,CMPD_CHEMBLID\nCCO,a\nCN,b\n", ["a", "b"]),
        ("a.csv", "SMILES name,class\nCCO,a\nCN,b\n", None),
    ],
)
def test_graphs_have_the_names_of_their_molecules(tmp_path, name, text, names):
    (tmp_path / name).write_text(text)
    graph = read_graph(tmp_path / name)
    assert graph.graph_names is None if names is None else graph.graph_names.tolist() == names


@pytest.mark.parametrize(
    ("name", "text", "column", "names"),
    [
        ("a.csv", "smiles,name,key\nCCO,a,1\nCN,b,2\n", "key", ["1", "2"]),
        ("a.csv", "smiles,name,key\nCCO,a,1\nCN,b,2\n", "none", None),
        ("a.smi", "smiles name key\nCCO a 1\nCN b 2\n", "key", ["1", "2"]),
        ("a.smi", "CCO a\nCN b\n", "none", None),
    ],
)
def test_the_column_of_names_can_be_given(tmp_path, name, text, column, names):
    (tmp_path / name).write_text(text)
    graph = read_graph(tmp_path / name, id_column=column)
    assert graph.graph_names is None if names is None else graph.graph_names.tolist() == names


@pytest.mark.parametrize("name", ["a.csv", "a.smi"])
def test_a_column_of_names_that_is_not_there_is_refused(tmp_path, name):
    text = "smiles,name\nCCO,a\n" if name == "a.csv" else "CCO a\n"
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="id_column must name a column"):
        read_graph(tmp_path / name, id_column="key")


def test_a_property_of_an_sd_file_can_be_the_name(tmp_path):
    path = tmp_path / "a.sdf"
    path.write_bytes(
        b"".join(
            b"title\n" + text.partition(b"\n")[2]
            for text in [
                records_of("CCO")[0] + b">  <key>\n7\n\n$$$$\n",
                records_of("CN")[0] + b"$$$$\n",
            ]
        )
    )
    assert read_graph(path).graph_names.tolist() == ["title", "title"]
    assert read_graph(path, id_column="key").graph_names.tolist() == ["7", ""]


def test_of_a_salt_the_largest_part_is_taken_if_it_is_asked_for(tmp_path, caplog):
    path = tmp_path / "a.csv"
    path.write_text("smiles,name\nCCN.Cl,salt\nCO,plain\n")
    graph = read_graph(path)
    assert graph.num_nodes == 6
    assert "1 molecule of several parts, such as a salt" in graph.notes
    with caplog.at_level("INFO"):
        graph = read_graph(path, largest_fragment=True)
    assert graph.num_nodes == 5 and graph.graph_names.tolist() == ["salt", "plain"]
    assert "took the largest of several parts of 1" in caplog.text
    assert not any("several parts" in note for note in graph.notes)


def test_duplicates_and_tautomers_are_counted(tmp_path):
    path = tmp_path / "a.smi"
    # ethanol twice; both forms of 2-hydroxypyridine; both enantiomers of alanine, which are neither
    # duplicates nor tautomers
    path.write_text("CCO\nOCC\nOc1ccccn1\nO=c1cccc[nH]1\nC[C@H](N)C(O)=O\nC[C@@H](N)C(O)=O\n")
    notes = read_graph(path).notes
    same = "1 molecule is there before, with the same SMILES of RDKit: line 2 is line 1"
    assert same in notes and "1 molecule is a tautomer of one before: line 4 is of line 3" in notes


def test_a_salt_of_a_molecule_is_the_same_without_its_other_part(tmp_path):
    path = tmp_path / "a.smi"
    path.write_text("CCN amine\nCC[NH3+].[Cl-] salt\nCCO alcohol\n")
    assert not any("there before" in note for note in read_graph(path).notes)
    notes = read_graph(path, largest_fragment=True).notes
    assert (
        "1 molecule is there before, with the same SMILES of RDKit, without charges: "
        "line 2 (salt) is line 1 (amine)"
    ) in notes


def test_names_of_different_molecules_and_classes_of_the_same_are_said(tmp_path, caplog):
    path = tmp_path / "a.csv"
    path.write_text(
        "smiles,name,class\nCCO,a,1\nOCC,b,0\nCCN,a,1\nOc1ccccn1,c,0\nO=c1cccc[nH]1,d,1\n"
        "CCN,e,1\nCCC,f,\nCCC,f,0\n"
    )
    assert "1 name is the name of different molecules: a (line 2, line 4)" in read_graph(path).notes
    read_graph_classes(path)
    assert (
        "2 molecules have another class than the same molecule, or a tautomer of it, before: "
        "line 3 (0) and line 2 (1), line 6 (1) and line 5 (0)"
    ) in caplog.text


def test_tautomers_are_looked_for_among_few_molecules():
    mols = [Chem.MolFromSmiles(text) for text in ("Oc1ccccn1", "O=c1cccc[nH]1")]
    assert same_molecules(mols, most_tautomers=1) == [
        "2 molecules not looked at for tautomers, which takes long"
    ]


# isomers, charges, isotopes, stereo, an explicit hydrogen, two parts, and what each may be twice
VARIED = [
    "CCO", "COC", "OCC", "CC=O", "C=CO", "CC[O-]", "[2H]CCO", "C[C@H](O)F", "C[C@@H](O)F",
    "CC(O)F", "CC(F)O", "F[C@@H](O)C", "[H]O[H]", "[H][H]", "CCN.Cl", "Cl.NCC", "CC[NH3+].[Cl-]",
    "CC(N)=O", "CC(O)=N", "CC(=N)O", "c1ccccc1C", "C1=CC=CC=C1C", "C1CC1C", "CC=CC", "C/C=C/C",
    "C\\C=C\\C", "C/C=C\\C", "*C", "C*", "CC(=O)C", "CC(O)=C", "C=C(C)O",
    "Oc1ccccc1", "O=C1C=CC=CC1",
]  # fmt: skip


def test_the_same_molecules_are_those_of_one_smiles():
    """Also those that a formula or numbers of neighbours do not tell apart."""
    mols = [Chem.MolFromSmiles(text) for text in VARIED]
    smiles = list(map(Chem.MolToSmiles, mols))
    found = find_repeated(mols)
    firsts = [(later, smiles.index(one)) for later, one in enumerate(smiles)]
    assert found.same == [pair for pair in firsts if pair[0] != pair[1]]
    assert [(VARIED[later], VARIED[first]) for later, first in found.tautomers] == [
        ("C=CO", "CC=O"), ("CC(O)=N", "CC(N)=O"), ("CC(O)=C", "CC(=O)C"),
        ("O=C1C=CC=CC1", "Oc1ccccc1"),
    ]  # fmt: skip


def test_atoms_and_bonds_are_those_of_rdkit_in_their_order():
    mols = [Chem.MolFromSmiles(text) for text in VARIED]
    content = from_molecules(mols)
    atoms = [atom for mol in mols for atom in mol.GetAtoms()]
    charges = [atom.GetFormalCharge() for atom in atoms]
    assert content.nodes["element"].tolist() == [atom.GetSymbol() for atom in atoms]
    assert list(map(int, content.nodes["charge"])) == charges
    assert content.nodes["aromatic"].tolist() == [str(atom.GetIsAromatic()) for atom in atoms]
    hydrogens = [atom.GetTotalNumHs() for atom in atoms]
    assert content.atoms.tolist() == list(map(list, zip(charges, hydrogens, strict=True)))
    ends = [
        (start + bond.GetBeginAtomIdx(), start + bond.GetEndAtomIdx(), str(bond.GetBondType()))
        for mol, start in zip(mols, content.graph_ptr, strict=False)
        for bond in mol.GetBonds()
    ]
    names = [content.relation_names[code].upper() for code in content.relation]
    assert list(zip(content.source, content.target, names, strict=True)) == ends


def test_names_go_where_their_graphs_go(tmp_path):
    path = tmp_path / "a.smi"
    path.write_text("CCO ethanol\nC1CC broken\nCN methylamine\n")
    graph = read_graph(path, skip_invalid=True)
    assert graph.graph_names.tolist() == ["ethanol", "methylamine"]
    assert [one.graph_names.tolist() for one in list(graph)] == [
        ["ethanol"],
        ["methylamine"],
    ]
    # a list of graphs, of which some have a name
    nameless = as_csr(Chem.MolFromSmiles("CON"))
    assert nameless.graph_names is None
    both = as_csr([*graph, nameless])
    assert both.graph_names.tolist() == ["ethanol", "methylamine", ""]
    # molecules of RDKit that were named by whoever read them
    mol = Chem.MolFromSmiles("CCO")
    mol.SetProp("_Name", "alcohol")
    assert as_csr([mol, mol]).graph_names.tolist() == ["alcohol"] * 2
    # and a folder
    write_graph_folder(tmp_path / "a.graph", graph)
    assert read_graph(tmp_path / "a.graph").graph_names.tolist() == ["ethanol", "methylamine"]
    np.save(tmp_path / "a.graph" / "graph_names.npy", np.arange(2))
    with pytest.raises(InputError, match=r"graph_names\.npy must hold text, got int64"):
        read_graph(tmp_path / "a.graph")


def test_a_smiles_that_is_there_twice_is_two_molecules_with_their_names(tmp_path):
    path = tmp_path / "a.smi"
    path.write_text("CCO ethanol\nCCO alcohol\n")
    assert read_graph(path).graph_names.tolist() == ["ethanol", "alcohol"]
    first, second = read_molecule_file(path)
    assert [one.GetProp("_Name") for one in (first, second)] == ["ethanol", "alcohol"]
    # what is written to one reaches neither the other nor those that are read again
    first.GetAtomWithIdx(0).SetFormalCharge(1)
    first.SetProp("_Name", "cation")
    again = read_molecule_file(path)[0]
    assert [Chem.MolToSmiles(one) for one in (second, again)] == ["CCO", "CCO"]
    assert again.GetProp("_Name") == "ethanol"


def test_an_sd_file_has_titles_or_a_property_with_names(tmp_path):
    path = tmp_path / "a.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for title, prop in (("ethanol", "x"), ("", "methylamine"), ("", "")):
            mol = Chem.MolFromSmiles("CCO")
            mol.SetProp("_Name", title)
            mol.SetProp("Compound ID", prop)
            writer.write(mol)
    assert read_graph(path).graph_names.tolist() == ["ethanol", "methylamine", ""]


def records_of(*texts):
    """SD records of SMILES, and of what is no molecule."""
    made = [Chem.MolFromSmiles(one) if isinstance(one, str) else one for one in texts]
    return [one if isinstance(one, bytes) else Chem.MolToMolBlock(one).encode() for one in made]


NO_ATOMS = b"salt\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n"


@pytest.mark.parametrize(
    ("empty", "fault"),
    [
        (b"", "the record is empty"),
        (b"\n\n\n", "the record is empty"),
        (NO_ATOMS, "the molecule has no atoms"),
        (NO_ATOMS.replace(b"V2000", b"V9999"), "RDKit cannot read the molecule 'salt'"),
    ],
)
def test_an_empty_record_takes_no_other_with_it(tmp_path, caplog, empty, fault):
    path, end = tmp_path / "a.sdf", b"$$$$\n"
    path.write_bytes(end.join([*records_of("CCO", empty, "CN", "CCCC"), b""]))
    with pytest.raises(InputError, match=rf"^a\.sdf: record 2: {fault}; correct it, or give skip_"):
        read_graph(path)
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        graph = read_graph(path, skip_invalid=True)
    assert np.diff(graph.graph_ptr).tolist() == [3, 2, 4]
    assert "left out 1 that RDKit cannot read: record 2" in caplog.text


def test_blank_lines_behind_the_last_record_are_none(tmp_path):
    path = tmp_path / "a.sdf"
    for ends in (("$$$$\n", "$$$$\n"), ("$$$$\n", ""), ("$$$$\r\n", "$$$$ \r\n\r\n \n\n")):
        (first, second), (between, last) = records_of("CCO", "CN"), ends
        path.write_bytes(first + between.encode() + second + last.encode())
        assert np.diff(read_graph(path).graph_ptr).tolist() == [3, 2]


@pytest.mark.parametrize(
    ("name", "text", "sizes"),
    [
        ("a.smi", "smi\nCCO\nCN\n", [3, 2]),
        ("a.smi", "ID\tCanonicalSMILES\n1\tCCO\n2\tCN\n", [3, 2]),
        ("a.smi", "CCO smiles\nCN of smiles\n", [3, 2]),
        ("a.csv", "id,RDKit SMILES\n1,CCO\n2,CN\n", [3, 2]),
        ("a.csv", "smiles_given;smiles\nCC;CCO\nCC;CN\n", [3, 2]),
        ("a.tsv", "id\tIsomeric_SMILES\n1\tCCO\n2\tCN\n", [3, 2]),
    ],
)
def test_a_header_names_the_column_of_smiles(tmp_path, name, text, sizes):
    (tmp_path / name).write_text(text)
    assert np.diff(read_graph(tmp_path / name).graph_ptr).tolist() == sizes


def test_pairs_of_molecules_are_edges(tmp_path):
    (tmp_path / "a.csv").write_text("smiles_1,smiles_2\nCC,CCO\nCC,CN\n")
    assert read_graph(tmp_path / "a.csv").num_nodes == 3


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("a.smi", "C1CC\n", {"skip_invalid": True}, "holds no molecule that RDKit can read"),
        (
            "a.smi",
            "Structure Name\nC a\n",
            {},
            "line 1: RDKit cannot read the molecule 'Structure', "
            "nor does the line name a column smiles",
        ),
        ("a.smi", "C C\n", {"directed": True}, "directed is for edges, csv, parquet"),
        ("a.csv", "a,b\n1,2\n", {"smiles": "c"}, "smiles must name a column, which are a, b"),
        ("a.csv", "a,b\n1,2\n", {"skip_invalid": True}, "skip_invalid is for smiles, sdf, and"),
        ("a.smi", b"\xff\xfe\xff", {}, "the file begins as text in UTF-16-LE, and not all"),
        ("a.csv", "a\nC\n", {"format": "smiles"}, "smiles must name a column, which are a, got n"),
        ("a.csv", "smiles\nC\n", {"features": ["mass"]}, "a molecule has no 'mass'"),
    ],
)
def test_what_is_no_file_of_molecules_is_refused(tmp_path, name, text, options, message):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message):
        read_graph(path, **options)


def test_without_rdkit_the_way_out_is_said(tmp_path, monkeypatch):
    found = builtins.__import__

    def absent(name, *args, **options):
        if name == "rdkit":
            raise ImportError(name)
        return found(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    path = tmp_path / "a.smi"
    path.write_text("CCO\n")
    with pytest.raises(InputError, match=r"not installed; .* 'gomkcn-dgl\[molecules\]'\.$"):
        read_graph(path)


def table_of(path, **columns):
    """A table of methanol, ethanol and so on, with a column of labels or several."""
    labels = list(zip(*columns.values(), strict=True))
    rows = [",".join(["C" * (k + 1) + "O", *map(str, row)]) for k, row in enumerate(labels)]
    path.write_text("\n".join([",".join(["smiles", *columns]), *rows]) + "\n")
    return path


@pytest.mark.parametrize("column", CLASS_COLUMNS)
def test_columns_of_classes_are_known_by_their_names(tmp_path, column):
    path = table_of(tmp_path / "a.csv", **{column.title(): ["in", "out"] * 3})
    classes = read_graph_classes(path)
    assert classes.names == ("in", "out") and classes.labels.tolist() == [0, 1] * 3
    assert read_graph_classes(path, class_column="none") is None


def test_of_several_columns_the_plainest_name_is_taken_and_that_is_said(tmp_path, caplog):
    path = table_of(tmp_path / "a.csv", target=["A", "B"] * 3, activity=["in"] * 3 + ["out"] * 3)
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        classes = read_graph_classes(path)
    assert classes.names == ("in", "out")
    said = "classes: column activity; class_column takes target in its place"
    assert said in caplog.text
    assert read_graph_classes(path, class_column="target").names == ("A", "B")
    # nothing is said of classes where nobody asks for them
    caplog.clear()
    with caplog.at_level(logging.INFO, "gomkcn_dgl"):
        read_graph(path)
    assert "classes" not in caplog.text


MEASURED = [7.1, 4.25, 6.5, 5.0, 8.0, 3.5, 6.4, 7.7]


def test_measured_values_are_no_classes_and_the_way_out_is_said(tmp_path):
    path = table_of(tmp_path / "a.csv", pIC50=MEASURED)
    # a column that nobody calls classes is none
    assert read_graph_classes(path) is None
    message = (
        r"^a\.csv: 'pIC50' holds numbers, such as 7.1, and no classes; threshold=6.45, median or "
        r"75%, makes classes of them, and class_column='none' "
    )
    with pytest.raises(InputError, match=message):
        read_graph_classes(path, class_column="pIC50")
    path = table_of(tmp_path / "a.csv", activity=[*MEASURED[1:], ">10"])
    with pytest.raises(InputError, match=r"such as 4.25, and text, such as '>10', and no"):
        read_graph_classes(path)
    with pytest.raises(InputError, match=r"line 9: 'activity' must be .* got '>10'; correct"):
        read_graph_classes(path, threshold=6)
    # whole numbers: few values are classes, many are none
    for values, is_refused in ([0, 1] * 6, False), (range(12), True), (["1.0", "0.0"] * 6, False):
        path = table_of(tmp_path / "a.csv", outcome=values)
        if is_refused:
            with pytest.raises(InputError, match="'outcome' holds numbers, such as 0, and no cl"):
                read_graph_classes(path)
        else:
            assert len(read_graph_classes(path).names) == 2
    # text with a number in it stays text
    path = table_of(tmp_path / "a.csv", label=["5-HT", "D2", "7"] * 4)
    assert read_graph_classes(path).names == ("5-HT", "7", "D2")


@pytest.mark.parametrize(
    ("threshold", "names", "labels"),
    [
        (6.5, ["y < 6.5", "y ≥ 6.5"], [1, 0, 1, 0, 1, 0, 0, 1]),
        ("median", ["y < 6.45", "y ≥ 6.45"], [1, 0, 1, 0, 1, 0, 0, 1]),
        ("75%", ["y < 7.25", "y ≥ 7.25"], [0, 0, 0, 0, 1, 0, 0, 1]),
        ("7, 5", ["y < 5", "5 ≤ y < 7", "y ≥ 7"], [2, 0, 1, 1, 2, 0, 1, 2]),
    ],
)
def test_a_threshold_makes_classes_of_numbers(tmp_path, threshold, names, labels):
    path = table_of(tmp_path / "a.csv", y=MEASURED)
    classes = read_graph_classes(path, threshold=threshold)
    assert classes.names == tuple(names) and classes.labels.tolist() == labels
    called = read_graph_classes(path, {names[0]: "weak"}, threshold=threshold)
    assert called.names == ("weak", *names[1:])


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ("high", "threshold must be a number, median, a share such as 75%, or several with commas"),
        ("nan", "threshold must be a number"),
        ("100%", "threshold must be a number"),
        ("6,,7", "threshold must be a number"),
        (9, r"must have values of 'y' on each side, which are 3.5 to 8, got 9\."),
        (3.5, "must have values of 'y' on each side"),
    ],
)
def test_thresholds_that_are_none_are_refused(tmp_path, threshold, message):
    path = table_of(tmp_path / "a.csv", y=MEASURED)
    with pytest.raises(InputError, match=message):
        read_graph_classes(path, threshold=threshold)
    (tmp_path / "a.smi").write_text("CCO\nCN\n")
    with pytest.raises(InputError, match="its graphs have none"):
        read_graph_classes(tmp_path / "a.smi", threshold=6)
