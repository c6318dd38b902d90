"""Fragments that hold a part of an aromatic ring, shown with the whole ring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from gomkcn.mining.structures.fragments import holds_molecules, molecule_of, to_smarts
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import WholeRings
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.molecules import load_rdkit

# molecules in which the rings of a fragment are looked at: a share among them is known to 10%
_MOST_MOLECULES = 100

# the aromatic rings of a molecule: atoms and bonds of each
_Rings = list[tuple[tuple[int, ...], tuple[int, ...]]]


@dataclass(frozen=True, eq=False)
class RingCompletion:
    """The molecules of a collection, in which the rings of a fragment are completed."""

    mined: MinedGraph

    def complete(self, structure: Structure, graphs: Iterable[int]) -> WholeRings | None:
        """A fragment with its aromatic rings, as most molecules that contain it have them.

        Of each of the ``graphs``, which all contain it, the first place of the fragment is looked
        at. None where no aromatic ring is cut, and for what is no piece of a molecule.
        """
        piece = molecule_of(structure) if holds_molecules(structure.relations) else None
        if piece is None or not _cuts_a_ring(piece):
            return None
        chem = load_rdkit()
        query = chem.MolFromSmarts(to_smarts(structure))
        found = Counter[str]()
        for number in [*graphs][:_MOST_MOLECULES]:
            mol, rings = self._molecule(number)
            match = mol.GetSubstructMatch(query)
            if match:
                found[chem.MolFragmentToSmiles(mol, _with_rings(mol, rings, query, match))] += 1
        if not found:
            return None
        # of as many the first by name
        smiles, number = min(found.items(), key=lambda row: (-row[1], row[0]))
        return WholeRings(smiles, number, found.total())

    @cached_property
    def _molecules(self) -> dict[int, tuple[Any, _Rings]]:
        return {}

    def _molecule(self, number: int) -> tuple[Any, _Rings]:
        """A graph as a molecule of RDKit, and its aromatic rings."""
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
            load_rdkit().GetSymmSSSR(mol)
            self._molecules[number] = mol, _aromatic_rings(mol)
        return self._molecules[number]


def _aromatic_rings(mol: Any) -> _Rings:
    aromatic = load_rdkit().BondType.AROMATIC
    known = mol.GetRingInfo()
    return [
        (atoms, bonds)
        for atoms, bonds in zip(known.AtomRings(), known.BondRings(), strict=True)
        if all(mol.GetBondWithIdx(bond).GetBondType() == aromatic for bond in bonds)
    ]


def _cuts_a_ring(piece: Any) -> bool:
    """Whether an aromatic bond of a piece is in no ring of it."""
    aromatic = load_rdkit().BondType.AROMATIC
    return any(bond.GetBondType() == aromatic and not bond.IsInRing() for bond in piece.GetBonds())


def _with_rings(mol: Any, rings: _Rings, query: Any, match: tuple[int, ...]) -> list[int]:
    """The atoms of a match, and of each aromatic ring that has an aromatic bond of it."""
    aromatic = load_rdkit().BondType.AROMATIC
    bonds = {
        mol.GetBondBetweenAtoms(match[bond.GetBeginAtomIdx()], match[bond.GetEndAtomIdx()]).GetIdx()
        for bond in query.GetBonds()
        if bond.GetBondType() == aromatic
    }
    atoms = set(match)
    for of_atoms, of_bonds in rings:
        if not bonds.isdisjoint(of_bonds):
            atoms.update(of_atoms)
    return sorted(atoms)
