"""Fragments that hold a part of an aromatic ring, shown with the whole ring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.structures.fragments import (
    cuts_a_ring,
    holds_molecules,
    molecule_of,
    set_charges,
    to_smarts,
)
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import WholeRings
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.molecules import load_rdkit, without_log

# molecules of which a place of a fragment is completed, to see what its rings are
_MOST_COMPLETED = 100
# completed fragments, the most frequent of these, that are looked for in all molecules: a ring and
# those that are fused with another
_MOST_TRIED = 3
# nitrogen atoms of a piece that may have a hydrogen, as in an imidazole: two of them tell purines
_MOST_HYDROGENS = 2

# the aromatic rings of a molecule: atoms and bonds of each
_Rings = list[tuple[tuple[int, ...], tuple[int, ...]]]


class _Molecule(NamedTuple):
    """A graph as a molecule of RDKit, with the charges of nitro groups as well, and its rings."""

    mol: Any
    charged: Any
    rings: _Rings


@dataclass(frozen=True, eq=False)
class RingCompletion:
    """The molecules of a collection, in which the rings of a fragment are completed."""

    mined: MinedGraph

    def complete(self, structure: Structure, graphs: Iterable[int]) -> WholeRings | None:
        """A fragment with its aromatic rings, as most molecules that contain it have them.

        The ``graphs`` are all that contain it. What its rings are is seen at a place of it in some,
        and in all of them it is counted which molecules have the fragment with these rings. None
        where no aromatic ring is cut, and for what is no piece of a molecule.
        """
        piece = molecule_of(structure) if holds_molecules(structure.relations) else None
        if piece is None or not cuts_a_ring(piece):
            return None
        numbers = [*graphs]
        query = load_rdkit().MolFromSmarts(to_smarts(structure))
        seen = Counter[str]()
        for number in numbers[:_MOST_COMPLETED]:
            molecule = self._molecule(number)
            match = molecule.mol.GetSubstructMatch(query)
            smiles = _completed(molecule, query, match) if match else None
            if smiles is not None:
                seen[smiles] += 1
        # of as many the first by name
        best: WholeRings | None = None
        for smiles in sorted(seen, key=lambda smiles: (-seen[smiles], smiles))[:_MOST_TRIED]:
            found = WholeRings(smiles, self._count(smiles, numbers), len(numbers))
            if best is None or found.graphs > best.graphs:
                best = found
            if best.graphs == len(numbers):
                break
        return best

    def _count(self, smiles: str, numbers: Iterable[int]) -> int:
        """How many molecules contain a completed fragment, of all that contain the fragment."""
        # what has the whole has each of its fragments, so that the number is the same for all
        if smiles not in self._counts:
            query = load_rdkit().MolFromSmiles(smiles)
            holds = (self._molecule(number).charged.HasSubstructMatch(query) for number in numbers)
            self._counts[smiles] = sum(holds)
        return self._counts[smiles]

    @cached_property
    def _counts(self) -> dict[str, int]:
        return {}

    @cached_property
    def _molecules(self) -> dict[int, _Molecule]:
        return {}

    def _molecule(self, number: int) -> _Molecule:
        """A graph as a molecule of RDKit."""
        if number not in self._molecules:
            graph = self.mined.graph
            first, last = graph.graph_ptr[number : number + 2].tolist()
            rows = np.arange(first, last)
            source = np.repeat(rows, graph.degrees[rows])
            entries = np.arange(graph.indptr[first], graph.indptr[last])
            target = graph.indices[entries]
            bonds = np.zeros(len(entries), np.int64)
            if graph.links is not None:
                bonds = graph.relations.links[graph.links[entries]].argmax(axis=1)
            once = source < target
            colors = self.mined.colors
            assert colors is not None, "atoms have elements"
            mol = molecule_of(
                SimpleNamespace(
                    relations=graph.relations,
                    edges=(np.stack([source, target], axis=1)[once] - first).tolist(),
                    edge_relations=bonds[once].tolist(),
                    categories=self.mined.palette_of(colors[rows]),
                )
            )
            chem = load_rdkit()
            chem.GetSymmSSSR(mol)
            # nitro groups have their charges in a SMILES, and where it is looked for
            charged = chem.Mol(mol)
            set_charges(charged)
            self._molecules[number] = _Molecule(mol, charged, _aromatic_rings(mol))
        return self._molecules[number]


def _aromatic_rings(mol: Any) -> _Rings:
    aromatic = load_rdkit().BondType.AROMATIC
    known = mol.GetRingInfo()
    return [
        (atoms, bonds)
        for atoms, bonds in zip(known.AtomRings(), known.BondRings(), strict=True)
        if all(mol.GetBondWithIdx(bond).GetBondType() == aromatic for bond in bonds)
    ]


def _completed(molecule: _Molecule, query: Any, match: tuple[int, ...]) -> str | None:
    """The SMILES of a match with each aromatic ring that has an aromatic bond of it.

    Atoms that a double bond joins to such a ring belong to it, as in a pyridone. None where RDKit
    reads no molecule, as without the substituent of a pyridinium.
    """
    chem = load_rdkit()
    mol = molecule.mol
    # 1. the bonds of the match, of the rings, and of what is double beside these
    bonds = {
        mol.GetBondBetweenAtoms(match[bond.GetBeginAtomIdx()], match[bond.GetEndAtomIdx()]).GetIdx()
        for bond in query.GetBonds()
    }
    aromatic = {bond for bond in bonds if mol.GetBondWithIdx(bond).GetIsAromatic()}
    for of_atoms, of_bonds in molecule.rings:
        if aromatic.isdisjoint(of_bonds):
            continue
        bonds.update(of_bonds)
        bonds |= {
            bond.GetIdx()
            for atom in of_atoms
            for bond in mol.GetAtomWithIdx(atom).GetBonds()
            if bond.GetBondType() == chem.BondType.DOUBLE
        }
    # 2. the piece that these are; aromatic bonds make their atoms aromatic
    piece = chem.RWMol()
    place: dict[int, int] = {}
    for bond in map(mol.GetBondWithIdx, sorted(bonds)):
        for atom in (bond.GetBeginAtom(), bond.GetEndAtom()):
            if atom.GetIdx() not in place:
                copy = chem.Atom(atom.GetSymbol())
                copy.SetFormalCharge(atom.GetFormalCharge())
                place[atom.GetIdx()] = piece.AddAtom(copy)
        ends = place[bond.GetBeginAtomIdx()], place[bond.GetEndAtomIdx()]
        piece.AddBond(*ends, bond.GetBondType())
    piece.UpdatePropertyCache(strict=False)
    set_charges(piece)
    return _smiles_of(piece)


def _smiles_of(piece: Any) -> str | None:
    """The SMILES of a piece with whole rings; None where RDKit reads no molecule.

    Which nitrogen of a ring has a hydrogen, or what the piece leaves out, is not known: the fewest
    that do.
    """
    chem = load_rdkit()
    nitrogens = [
        atom.GetIdx()
        for atom in piece.GetAtoms()
        if atom.GetSymbol() == "N" and atom.GetIsAromatic() and atom.GetDegree() == 2
    ]
    for number in range(_MOST_HYDROGENS + 1):
        for chosen in combinations(nitrogens, number):
            tried = chem.RWMol(piece)
            for atom in chosen:
                tried.GetAtomWithIdx(atom).SetNumExplicitHs(1)
            if without_log(_sanitized, tried) is not None:
                return str(chem.MolToSmiles(tried))
    return None


def _sanitized(mol: Any) -> Any:
    """A molecule that RDKit has sanitised, in place; None where it has not."""
    chem = load_rdkit()
    return None if chem.SanitizeMol(mol, catchErrors=True) else mol
