"""Molecules as RDKit draws them: coordinates, Kekulé bonds, charges and hydrogens."""

import msgspec
import numpy as np
import pytest

pytest.importorskip("rdkit")
from molecule_runs import as_names, many_like, run_of_molecules
from rdkit import Chem
from tiny_runs import block_of

from gomkcn.mining.plots.graph_map import GraphMap, MapLimits, MapRecord
from gomkcn.mining.plots.molecule_drawing import AROMATIC, DOUBLE, LEFT, RIGHT, SINGLE, TRIPLE
from gomkcn.mining.show.report import render_report
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph

DRUGS = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "caffeine": "Cn1c(=O)c2c(ncn2C)n(C)c1=O",
    "histamine": "NCCc1c[nH]cn1",
    "betaine": "C[N+](C)(C)CC(=O)[O-]",
    "nitrobenzene": "O=[N+]([O-])c1ccccc1",
    "salt": "[Na+].[Cl-]",
    "cyanide": "CC#N",
}


def molecules(*names):
    names = names or tuple(DRUGS)
    return as_names([Chem.MolFromSmiles(DRUGS[name]) for name in names], names)


def bare(mols):
    """The same graphs as those of a TU folder: elements and bonds, and nothing else of an atom."""
    graph = as_csr(mols)
    source, target, relation = graph.edges()
    return csr_from_edges(
        source, target, graph.num_nodes,
        features=graph.features,
        feature_names=graph.feature_names,
        relation=relation,
        relation_names=graph.relations.names,
        graph_ptr=graph.graph_ptr,
        directed=[False] * len(graph.relations.names),
    )  # fmt: skip


def drawn(graph):
    return GraphMap.of(graph, [], [])


def test_charges_and_hydrogens_are_those_that_rdkit_read():
    mols = molecules()
    shown = drawn(as_csr(mols)).molecules
    atoms = [atom for mol in mols for atom in mol.GetAtoms()]
    assert shown.charges.tolist() == [atom.GetFormalCharge() for atom in atoms]
    assert shown.hydrogens.tolist() == [atom.GetTotalNumHs() for atom in atoms]


def test_bonds_are_a_kekule_structure_of_the_molecule():
    mols = molecules()
    shown = drawn(as_csr(mols))
    lines = {SINGLE: 1, DOUBLE: 2, LEFT: 2, RIGHT: 2, TRIPLE: 3}
    orders = np.array([lines[bond] for bond in shown.molecules.bonds.tolist()])
    first = 0
    for mol in mols:
        # what the lines at each atom add up to, with hydrogens, is the valence of RDKit
        for atom in mol.GetAtoms():
            at = first + atom.GetIdx()
            lines_of = orders[(shown.edges == at).any(axis=1)].sum()
            assert lines_of + shown.molecules.hydrogens[at] == atom.GetTotalValence()
        first += mol.GetNumAtoms()


def test_bonds_of_a_molecule_are_equally_long_and_its_ring_is_round():
    shown = drawn(as_csr(molecules("aspirin", "caffeine")))
    lengths = np.linalg.norm(np.diff(shown.positions[shown.edges], axis=1), axis=2)
    assert lengths.min() > 0.57 and lengths.max() < 0.63
    ring = shown.positions[4:10]
    away = np.linalg.norm(ring - ring.mean(axis=0), axis=1)
    assert np.ptp(away) < 0.02


def test_the_second_line_of_a_ring_bond_is_inside_of_the_ring():
    shown = drawn(as_csr(molecules("nitrobenzene")))
    middle = shown.positions[3:9].mean(axis=0)
    inner = 0
    for (u, v), bond in zip(shown.edges, shown.molecules.bonds, strict=True):
        if bond not in (LEFT, RIGHT):
            continue
        along, away = shown.positions[v] - shown.positions[u], middle - shown.positions[u]
        # y is down on a page: the left of who walks to the right is above
        side = along[0] * away[1] - along[1] * away[0]
        assert bond == (LEFT if side < 0 else RIGHT)
        inner += 1
    assert inner == 3


def test_a_folder_of_elements_and_bonds_is_drawn_as_molecules():
    mols = molecules("aspirin", "caffeine", "histamine", "nitrobenzene", "cyanide")
    shown = drawn(bare(mols)).molecules
    assert AROMATIC not in shown.bonds
    atoms = [atom for mol in mols for atom in mol.GetAtoms()]
    # nitro groups have their charges, and the ring of histamine its hydrogen, at either nitrogen
    assert shown.charges.tolist() == [atom.GetFormalCharge() for atom in atoms]
    assert shown.hydrogens.sum() == sum(atom.GetTotalNumHs() for atom in atoms)


def test_a_piece_without_kekule_structure_keeps_its_aromatic_bonds():
    piece = bare([Chem.MolFromSmiles("c1ccccc1"), Chem.MolFromSmiles("OC")])
    source, target, relation = piece.edges()
    kept = (source != 0) & (target != 0)
    cut = csr_from_edges(
        source[kept], target[kept], piece.num_nodes, features=piece.features,
        feature_names=piece.feature_names, relation=relation[kept],
        relation_names=piece.relations.names, graph_ptr=piece.graph_ptr, directed=[False, False],
    )  # fmt: skip
    assert (drawn(cut).molecules.bonds == AROMATIC).sum() == 4


def test_other_graphs_are_no_molecules():
    graph = bare(molecules("aspirin", "cyanide"))
    people = tuple(name.replace("=C", "=person") for name in graph.feature_names)
    source, target, _ = graph.edges()
    for other in (
        csr_from_edges(source, target, graph.num_nodes, features=graph.features,
                       feature_names=people, graph_ptr=graph.graph_ptr),
        csr_from_edges(source, target, graph.num_nodes, features=graph.features,
                       feature_names=graph.feature_names, graph_ptr=graph.graph_ptr),
    ):  # fmt: skip
        assert drawn(other).molecules is None


def test_a_map_is_read_as_it_was_written():
    shown = drawn(as_csr(molecules()))
    record = msgspec.json.decode(msgspec.json.encode(shown.to_dict()), type=MapRecord)
    assert GraphMap.of_record(record).to_dict() == shown.to_dict()


def test_of_very_many_molecules_the_first_are_drawn_whole():
    graph = as_csr(molecules())
    limits = MapLimits(most_nodes=20, most_atoms=30)
    shown = GraphMap.of(graph, [], [], limits=limits)
    # thirteen atoms of aspirin and fourteen of caffeine; histamine would be too many
    assert len(shown.names) == 27 and set(shown.graphs) == {0, 1}
    assert len(shown.edges) == 28


def test_the_page_has_every_name_once_and_few_bytes_a_molecule():
    mols = many_like(molecules("aspirin", "caffeine", "histamine", "nitrobenzene"), 400)
    page = render_report(run_of_molecules(mols))
    record = block_of(page)
    assert sorted(record["graphNames"].values()) == [f"molecule-{at:04d}" for at in range(400)]
    small = render_report(run_of_molecules(mols[:4]))
    # five megabytes of 1,513 molecules are 3,300 bytes each
    assert (len(page) - len(small)) / 396 < 600


def test_the_matches_on_the_page_are_those_of_rdkit():
    mols = molecules("aspirin", "caffeine", "nitrobenzene")
    record = block_of(render_report(run_of_molecules(mols)))
    starts = np.cumsum([0, *(mol.GetNumAtoms() for mol in mols)])
    for number, smiles in enumerate(("c1ccccc1", "CC=O")):
        query = Chem.MolFromSmarts(smiles)
        truth = [
            sorted(int(start) + at for at in match)
            for mol, start in zip(mols, starts, strict=False)
            for match in mol.GetSubstructMatches(query)
        ]
        places = record["patterns"][number]["places"]
        assert sorted(map(sorted, places)) == sorted(truth) != []


def test_atoms_are_those_of_the_file_in_its_order(tmp_path):
    file = tmp_path / "few.smi"
    file.write_text("".join(f"{smiles} {name}\n" for name, smiles in DRUGS.items()))
    graph = read_graph(file)
    assert graph.atoms.tolist() == as_csr(molecules()).atoms.tolist()
    # those of one molecule, and of a list of some
    assert graph[3].atoms[:, 0].tolist() == [0, 1, 0, 0, 0, 0, 0, -1]
    assert as_csr([graph[5], graph[3]]).atoms[:2].tolist() == [[1, 0], [-1, 0]]
