"""What is to be known of the molecules of a file: salts, molecules that are there twice, tautomers.

Two molecules are the same where RDKit writes the same SMILES of both, with stereo. Tautomers have
the same heavy atoms, joined in the same way, and as many hydrogens: only molecules that share these
are brought to the canonical tautomer of RDKit, which takes 36 ms of a drug and of few a second.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.runtime.files import listed, printable

log = logging.getLogger("gomkcn_dgl")

# molecules that are compared: of drugs four seconds
MOST_COMPARED = 10_000
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


def same_molecules(
    mols: Sequence[Any],
    places: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    *,
    uncharged: bool = False,
    most_tautomers: int = _MOST_TAUTOMERS,
) -> list[str]:
    """A phrase on molecules of several parts, that are there twice, and that are tautomers.

    The phrases say which these are, by their ``places`` and ``names``, and the log names the first
    of them. With ``uncharged``, what differs in charges alone is the same, as an amine and its salt
    are without the other part.

    >>> from rdkit.Chem import MolFromSmiles
    >>> mols = [MolFromSmiles(text) for text in ("CCO", "OCC", "CC(=O)C", "CC(O)=C", "CCN.Cl")]
    >>> for phrase in same_molecules(mols):
    ...     print(phrase)
    1 molecule of several parts, such as a salt
    1 molecule is there before, with the same SMILES of RDKit: molecule 1 is molecule 0
    1 molecule is a tautomer of one before: molecule 3 is of molecule 2
    """
    phrases = []
    num_salts = sum(map(_has_parts, mols))
    if num_salts:
        phrase = f"{count(num_salts, 'molecule')} of several parts, such as a salt"
        phrases.append(phrase)
        way_out = (Argument("largest_fragment", True), " keeps the largest part of each")
        log.info("%s", Message(phrase, way_out=way_out))
    if len(mols) > MOST_COMPARED:
        phrase = f"more than {MOST_COMPARED:,} molecules: not looked for duplicates and tautomers"
        log.info("%s", phrase)
        return [*phrases, phrase]
    names = names or [""] * len(mols)
    places = places or [f"molecule {number}" for number in range(len(mols))]
    called = [
        f"{place} ({printable(name)})" if name else place
        for place, name in zip(places, names, strict=True)
    ]
    found = find_repeated(mols, uncharged=uncharged, most_tautomers=most_tautomers)
    without = ", without charges" * uncharged
    told: list[tuple[str, list[str]]] = [
        (
            f"{count(len(found.same), 'molecule')} {'is' if len(found.same) == 1 else 'are'} there "
            f"before, with the same SMILES of RDKit{without}",
            [f"{called[later]} is {called[first]}" for later, first in found.same],
        ),
        (
            f"{count(len(found.tautomers), 'molecule')} "
            f"{'is a tautomer' if len(found.tautomers) == 1 else 'are tautomers'} of one before",
            [f"{called[later]} is of {called[first]}" for later, first in found.tautomers],
        ),
    ]
    several = _of_several(mols, names, places)
    verb = "is the name" if len(several) == 1 else "are names"
    told.append((f"{count(len(several), 'name')} {verb} of different molecules", several))
    for phrase, each in told:
        if each:
            phrases.append(f"{phrase}: {', '.join(each)}")
            log.info("%s: %s", phrase, listed(each))
    if found.num_left:
        phrase = (
            f"{count(found.num_left, 'molecule')} not looked at for tautomers, which takes long"
        )
        phrases.append(phrase)
        log.info("%s", phrase)
    return phrases


class Repeated(NamedTuple):
    """Molecules that are there before, and tautomers: pairs of the later one and the first.

    ``num_left`` were not looked at for tautomers.
    """

    same: list[tuple[int, int]]
    tautomers: list[tuple[int, int]]
    num_left: int


def find_repeated(
    mols: Sequence[Any], *, uncharged: bool = False, most_tautomers: int = _MOST_TAUTOMERS
) -> Repeated:
    """Find molecules that are there before, and tautomers.

    >>> from rdkit.Chem import MolFromSmiles
    >>> mols = [MolFromSmiles(text) for text in ("CC[NH3+]", "CO", "CCN")]
    >>> find_repeated(mols).same, find_repeated(mols, uncharged=True).same
    ([], [(2, 0)])
    """
    from rdkit.Chem import MolToSmiles

    if uncharged:
        mols = [_without_charges(mol) for mol in mols]
    # a SMILES takes long, and few molecules have the atoms, then the degrees, of another
    numbers = _sharing(mols, _sharing(mols, range(len(mols)), _formula), _degrees)
    firsts: dict[str, int] = {}
    same = []
    skeletons = defaultdict[Hashable, list[int]](list)
    for number in numbers:
        mol = mols[number]
        first = firsts.setdefault(MolToSmiles(mol), number)
        if first == number:
            skeletons[_skeleton(mol)].append(number)
        else:
            same.append((number, first))
    alike = []
    for group in skeletons.values():
        # forms of one molecule that differ in stereo alone are no tautomers
        forms: dict[str, int] = {}
        for number in group if len(group) > 1 else []:
            forms.setdefault(MolToSmiles(mols[number], isomericSmiles=False), number)
        if len(forms) > 1:
            alike.append(forms)
    tried = 0
    tautomers = []
    for forms in alike:
        if tried + len(forms) > most_tautomers:
            break
        tried += len(forms)
        of_tautomer: dict[str, int] = {}
        for smiles, number in forms.items():
            first = of_tautomer.setdefault(_canonical_tautomer(smiles), number)
            if first != number:
                tautomers.append((number, first))
    return Repeated(same, sorted(tautomers), sum(map(len, alike)) - tried)


def _without_charges(mol: Any) -> Any:
    """A molecule without those charges that hydrogens can take away."""
    from rdkit import rdBase
    from rdkit.Chem.MolStandardize import rdMolStandardize

    if not any(atom.GetFormalCharge() for atom in atoms_of(mol)):
        return mol
    with rdBase.BlockLogs():
        return rdMolStandardize.Uncharger().uncharge(mol)


def _of_several(mols: Sequence[Any], names: Sequence[str], places: Sequence[str]) -> list[str]:
    """The names that are given to different molecules, each with their places."""
    from rdkit.Chem import MolToSmiles

    numbers = defaultdict[str, list[int]](list)
    for number, name in enumerate(names):
        if name:
            numbers[name].append(number)
    return [
        f"{printable(name)} ({listed([places[number] for number in named])})"
        for name, named in numbers.items()
        if len(named) > 1 and len({MolToSmiles(mols[number]) for number in named}) > 1
    ]


def atoms_of(mol: Any) -> Iterator[Any]:
    """The atoms of a molecule, in half of the time that ``mol.GetAtoms()`` takes.

    >>> from rdkit.Chem import MolFromSmiles
    >>> [atom.GetSymbol() for atom in atoms_of(MolFromSmiles("CO"))]
    ['C', 'O']
    """
    return map(mol.GetAtomWithIdx, range(mol.GetNumAtoms()))


def _has_parts(mol: Any) -> bool:
    from rdkit.Chem import GetMolFrags

    return len(GetMolFrags(mol)) > 1


def _sharing(
    mols: Sequence[Any], numbers: Sequence[int], key_of: Callable[[Any], Hashable]
) -> list[int]:
    """Those of some molecules whose key another of them has."""
    keys = [key_of(mols[number]) for number in numbers]
    sizes = Counter(keys)
    return [number for number, key in zip(numbers, keys, strict=True) if sizes[key] > 1]


def _formula(mol: Any) -> Hashable:
    """The formula with the charge, which tautomers share."""
    from rdkit.Chem import rdMolDescriptors

    return rdMolDescriptors.CalcMolFormula(mol)


def _degrees(mol: Any) -> Hashable:
    """The formula, and how many atoms have each degree, which tautomers share."""
    from rdkit.Chem import rdMolHash

    return _formula(mol), rdMolHash.MolHash(mol, rdMolHash.HashFunction.DegreeVector)


def _skeleton(mol: Any) -> Hashable:
    """What tautomers share: the heavy atoms and how they are joined, hydrogens and charge."""
    from rdkit.Chem import GetFormalCharge, Mol, RemoveStereochemistry, rdMolHash

    # which a tautomer may have lost
    flat = Mol(mol)
    RemoveStereochemistry(flat)
    graph = rdMolHash.MolHash(flat, rdMolHash.HashFunction.ElementGraph)
    num_hydrogens = sum(atom.GetTotalNumHs() for atom in atoms_of(mol))
    return graph, num_hydrogens, GetFormalCharge(mol)


# the classes of a file are read after its graphs
@lru_cache(maxsize=4 * _MOST_TAUTOMERS)
def _canonical_tautomer(smiles: str) -> str:
    """The SMILES of the canonical tautomer, without stereo, which tautomers may lose."""
    from rdkit import rdBase
    from rdkit.Chem import MolFromSmiles, MolToSmiles

    with rdBase.BlockLogs():
        tautomer = _tautomers().Canonicalize(MolFromSmiles(smiles))
    return str(MolToSmiles(tautomer, isomericSmiles=False))


# its rules are read when it is made, which takes longer than the tautomers of a small drug
@lru_cache
def _tautomers() -> Any:
    from rdkit.Chem.MolStandardize import rdMolStandardize

    return rdMolStandardize.TautomerEnumerator()
