"""What is to be known of the molecules of a file: salts, molecules that are there twice, tautomers.

Two molecules are the same where RDKit writes the same SMILES of both, with stereo. Tautomers have
the same heavy atoms, joined in the same way, and as many hydrogens: only molecules that share these
are brought to the canonical tautomer of RDKit, which takes 36 ms of a drug and of few a second.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.messages import Argument, Message

log = logging.getLogger("gomkcn_dgl")

# molecules that are compared: of drugs four seconds
_MOST_COMPARED = 10_000
# molecules of which the canonical tautomer is made: of drugs seven seconds
_MOST_TAUTOMERS = 200


def largest_fragments(mols: Sequence[Any]) -> tuple[list[Any], int]:
    """Of each molecule the part of most atoms, with its properties, and how many had others.

    >>> from rdkit.Chem import MolFromSmiles, MolToSmiles
    >>> found, number = largest_fragments([MolFromSmiles("CCN.Cl"), MolFromSmiles("CO")])
    >>> [MolToSmiles(mol) for mol in found], number
    (['CCN', 'CO'], 1)
    """
    from rdkit import rdBase
    from rdkit.Chem.MolStandardize import rdMolStandardize

    chooser = rdMolStandardize.LargestFragmentChooser()
    found = []
    for mol in mols:
        part = mol
        if _has_parts(mol):
            with rdBase.BlockLogs():
                part = chooser.choose(mol)
            for name in mol.GetPropNames(includePrivate=True):
                part.SetProp(name, mol.GetProp(name))
        found.append(part)
    return found, sum(part is not mol for part, mol in zip(found, mols, strict=True))


def same_molecules(mols: Sequence[Any], most_tautomers: int = _MOST_TAUTOMERS) -> list[str]:
    """A phrase on molecules of several parts, that are there twice, and that are tautomers.

    >>> from rdkit.Chem import MolFromSmiles
    >>> mols = [MolFromSmiles(text) for text in ("CCO", "OCC", "CC(=O)C", "CC(O)=C", "CCN.Cl")]
    >>> for phrase in same_molecules(mols):
    ...     print(phrase)
    1 molecule of several parts, such as a salt
    1 molecule is there before, with the same SMILES of RDKit
    1 molecule is a tautomer of one before
    """
    phrases = []
    num_salts = sum(map(_has_parts, mols))
    if num_salts:
        phrase = f"{count(num_salts, 'molecule')} of several parts, such as a salt"
        phrases.append(phrase)
        way_out = (Argument("largest_fragment", True), " keeps the largest part of each")
        log.info("%s", Message(phrase, way_out=way_out))
    if len(mols) > _MOST_COMPARED:
        told = [f"more than {_MOST_COMPARED:,} molecules: not looked for duplicates and tautomers"]
    else:
        told = _repeated(mols, most_tautomers)
    for phrase in told:
        log.info("%s", phrase)
    return [*phrases, *told]


def _repeated(mols: Sequence[Any], most_tautomers: int) -> list[str]:
    """The phrases on duplicates and tautomers."""
    from rdkit.Chem import MolToSmiles

    phrases = []
    num_same = len(mols) - len({MolToSmiles(mol) for mol in mols})
    if num_same:
        number = count(num_same, "molecule")
        phrases.append(
            f"{number} {'is' if num_same == 1 else 'are'} there before, with the same SMILES of "
            "RDKit"
        )
    # forms of one molecule that differ in stereo alone are no tautomers
    skeletons = defaultdict[Hashable, dict[str, Any]](dict)
    for mol in mols:
        skeletons[_skeleton(mol)].setdefault(MolToSmiles(mol, isomericSmiles=False), mol)
    alike = [[*forms.values()] for forms in skeletons.values() if len(forms) > 1]
    tried = 0
    num_tautomers = 0
    for forms in alike:
        if tried + len(forms) > most_tautomers:
            break
        tried += len(forms)
        num_tautomers += len(forms) - len({_canonical_tautomer(mol) for mol in forms})
    left = sum(map(len, alike)) - tried
    if num_tautomers:
        number = count(num_tautomers, "molecule")
        verb = "is a tautomer" if num_tautomers == 1 else "are tautomers"
        phrases.append(f"{number} {verb} of one before")
    if left:
        phrases.append(f"{count(left, 'molecule')} not looked at for tautomers, which takes long")
    return phrases


def _has_parts(mol: Any) -> bool:
    from rdkit.Chem import GetMolFrags

    return len(GetMolFrags(mol)) > 1


def _skeleton(mol: Any) -> Hashable:
    """What tautomers share: the heavy atoms and how they are joined, hydrogens and charge."""
    from rdkit.Chem import GetFormalCharge, Mol, RemoveStereochemistry, rdMolHash

    # which a tautomer may have lost
    flat = Mol(mol)
    RemoveStereochemistry(flat)
    graph = rdMolHash.MolHash(flat, rdMolHash.HashFunction.ElementGraph)
    num_hydrogens = sum(atom.GetTotalNumHs() for atom in mol.GetAtoms())
    return graph, num_hydrogens, GetFormalCharge(mol)


def _canonical_tautomer(mol: Any) -> str:
    """The SMILES of the canonical tautomer, without stereo, which tautomers may lose."""
    from rdkit import rdBase
    from rdkit.Chem import MolToSmiles
    from rdkit.Chem.MolStandardize import rdMolStandardize

    with rdBase.BlockLogs():
        tautomer = rdMolStandardize.TautomerEnumerator().Canonicalize(mol)
    return str(MolToSmiles(tautomer, isomericSmiles=False))
