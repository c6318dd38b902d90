"""The molecules of MUTAG, made by RDKit from the files of the data set."""

from pathlib import Path
from typing import Any

import numpy as np

ELEMENTS = ("C", "N", "O", "F", "I", "Cl", "Br")
BONDS = ("AROMATIC", "SINGLE", "DOUBLE", "TRIPLE")


def mutag_molecules(folder: Path) -> tuple[list[Any], list[int]]:
    """All 188, with the charges of nitro groups, and the numbers of those that are invalid."""
    from rdkit import Chem, rdBase

    def table(name: str) -> np.ndarray:
        return np.loadtxt(folder / f"MUTAG_{name}.txt", dtype=int, delimiter=",")

    owner, labels, edges = table("graph_indicator") - 1, table("node_labels"), table("A") - 1
    mols = [Chem.RWMol() for _ in range(owner[-1] + 1)]
    row = [
        mols[k].AddAtom(Chem.Atom(ELEMENTS[label])) for k, label in zip(owner, labels, strict=True)
    ]
    for (u, v), label in zip(edges.tolist(), table("edge_labels").tolist(), strict=True):
        if u < v:
            kind = getattr(Chem.BondType, BONDS[label])
            mols[owner[u]].AddBond(row[u], row[v], kind)
            for end in (u, v) if BONDS[label] == "AROMATIC" else ():
                mols[owner[u]].GetAtomWithIdx(row[end]).SetIsAromatic(True)
    wrong = []
    for number, mol in enumerate(mols):
        # of four bonds, as in nitro groups
        for atom in mol.GetAtoms():
            orders = sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds())
            if atom.GetSymbol() == "N" and orders == 4:
                atom.SetFormalCharge(1)
                for other in atom.GetNeighbors():
                    is_charged = other.GetSymbol() == "O" and other.GetDegree() == 1
                    bond = mol.GetBondBetweenAtoms(atom.GetIdx(), other.GetIdx())
                    if is_charged and bond.GetBondTypeAsDouble() == 1:
                        other.SetFormalCharge(-1)
        with rdBase.BlockLogs():
            if Chem.SanitizeMol(mol, catchErrors=True):
                wrong.append(number)
    return mols, wrong
