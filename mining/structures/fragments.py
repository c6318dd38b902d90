"""Patterns of molecules as chemists write them: names of fragments, SMILES, SMARTS, depictions.

A structure is a piece of a molecule where each node has an element among its categories and each
edge is a bond. RDKit is asked only then, and where it is not installed such patterns are described
and drawn as all others are. Hydrogens are not known of a piece, so that names are of heavy atoms,
and an atom without an aromatic bond in the piece may have some in the molecule.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.named_structures import MOST_NODES
from gomkcn_dgl.graphs.structure import Structure, category_value
from gomkcn_dgl.io.molecules import from_molecules, load_rdkit, without_log
from gomkcn_dgl.relations import Relations

log = logging.getLogger("gomkcn_dgl")

# relations of edges that are bonds, as the reader of molecules names them
BOND_TYPES = ("single", "double", "triple", "aromatic")
# elements that have a name
_NUM_ELEMENTS = 118
# names of pieces of molecules, and the pieces as SMILES
FRAGMENTS = {
    # groups
    "carbonyl group": "C=O",
    "nitrile group": "C#N",
    "nitroso group": "N=O",
    "carboxyl group": "OC=O",
    "amide group": "NC=O",
    "nitro group": "ON=O",
    "nitro group on carbon": "CN(=O)O",
    "acyl group": "CC=O",
    "carboxyl group on carbon": "CC(=O)O",
    "amide group on carbon": "CC(=O)N",
    "ketone": "CC(=O)C",
    "ester group": "COC=O",
    "N-substituted amide": "CNC=O",
    "dipeptide backbone": "NCC(=O)NCC(=O)O",
    "carbamate": "NC(=O)O",
    "urea": "NC(=O)N",
    "imide": "O=CNC=O",
    "amidine": "NC=N",
    "guanidine": "NC(=N)N",
    "ether": "COC",
    "acetal": "OCO",
    "thioether": "CSC",
    "tertiary amine": "CN(C)C",
    "ethanolamine": "NCCO",
    "isopropylaminoethanol": "CC(C)NCCO",
    "isopropyl group": "CC(C)C",
    "tert-butyl group": "CC(C)(C)C",
    "trifluoromethyl group": "FC(F)F",
    "trifluoromethyl group on carbon": "CC(F)(F)F",
    "sulfonyl group": "O=S=O",
    "sulfonamide": "NS(=O)=O",
    "phosphate": "OP(=O)(O)O",
    # rings
    "benzene ring": "c1ccccc1",
    "pyridine ring": "n1ccccc1",
    "pyrimidine ring": "n1cnccc1",
    "pyrrole ring": "n1cccc1",
    "imidazole ring": "n1cncc1",
    "pyrazole ring": "n1nccc1",
    "triazole ring": "n1ncnc1",
    "thiazole ring": "n1cscc1",
    "thiophene ring": "s1cccc1",
    "furan ring": "o1cccc1",
    "cyclopropane ring": "C1CC1",
    "cyclopentane ring": "C1CCCC1",
    "cyclohexane ring": "C1CCCCC1",
    "cyclohexene ring": "C1=CCCCC1",
    "pyrrolidine ring": "N1CCCC1",
    "piperidine ring": "N1CCCCC1",
    "N-methylpiperidine": "CN1CCCCC1",
    "piperazine ring": "N1CCNCC1",
    "morpholine ring": "N1CCOCC1",
    "β-lactam": "N1CCC1=O",
    # rings with a neighbour
    "benzene ring on carbon": "Cc1ccccc1",
    "phenol or phenyl ether": "Oc1ccccc1",
    "aniline": "Nc1ccccc1",
    "nitrobenzene": "ON(=O)c1ccccc1",
    "chlorobenzene": "Clc1ccccc1",
    "fluorobenzene": "Fc1ccccc1",
    "anisole": "COc1ccccc1",
    "naphthalene": "c1ccc2ccccc2c1",
}
# as in "[NH2]": RDKit writes hydrogens of atoms with more bonds than usual, and a piece has none
_HYDROGENS = re.compile(r"\[([A-Z][a-z]?)H\d?\]")
# in one molecule, in place of RDKit's limit of 1,000: a search that gives more has no use, and
# SMARTS of parts that no bond joins have so many in a salt or a box of water
_MOST_MATCHES = 1_000_000
# neighbours of an atom: around one of 8 a symmetric SMARTS has at most 8! = 40,320 mappings; where
# an atom has more, they may be too many for RDKit to try, and are counted first up to the limit
_USUAL_DEGREE = 8
# the colour in which RDKit draws without colours of elements
_BLACK = re.compile("#000000", re.IGNORECASE)


def holds_molecules(relations: Relations) -> bool:
    """Whether all edges are bonds, by their names.

    >>> from gomkcn_dgl.relations import SIMPLE
    >>> holds_molecules(structure_of("CC=O").relations), holds_molecules(SIMPLE)
    (True, False)
    """
    return {*relations.kinds} <= {(name, False) for name in BOND_TYPES}


@cache
def elements() -> frozenset[str]:
    """The symbols of all elements; none where RDKit is not installed."""
    try:
        table = load_rdkit().GetPeriodicTable()
    except InputError:
        return frozenset()
    return frozenset(table.GetElementSymbol(1 + number) for number in range(_NUM_ELEMENTS))


def molecule_of(structure: Any) -> Any:
    """The piece of a molecule that a structure is; None where it is none, or RDKit is missing.

    >>> amine = Structure.parse("0:C-[single]-1:N, 1-[single]-2:C")
    >>> [atom.GetSymbol() for atom in molecule_of(amine).GetAtoms()]
    ['C', 'N', 'C']
    """
    relations = [structure.relations.kinds[number] for number in structure.edge_relations]
    if not relations or not {*relations} <= {(name, False) for name in BOND_TYPES}:
        return None
    attributes = [
        {name.partition("=")[0]: category_value(name) for name in categories}
        for categories in structure.categories
    ]
    charges = [values.pop("charge", "0") for values in attributes]
    # the first of the others, whatever it is called, is the element
    symbols = [next(iter(values.values()), "") for values in attributes]
    if not symbols or not {*symbols} <= elements():
        return None
    chem = load_rdkit()
    mol = chem.RWMol()
    for symbol, charge in zip(symbols, charges, strict=True):
        atom = chem.Atom(symbol)
        atom.SetFormalCharge(int(charge))
        mol.AddAtom(atom)
    for (u, v), (bond_type, _) in zip(structure.edges, relations, strict=True):
        mol.AddBond(u, v, getattr(chem.BondType, bond_type.upper()))
        if bond_type == "aromatic":
            mol.GetAtomWithIdx(u).SetIsAromatic(True)
            mol.GetAtomWithIdx(v).SetIsAromatic(True)
    # what sanitising would do beside, of valences and rings; a piece cannot be sanitised
    mol.UpdatePropertyCache(strict=False)
    chem.FastFindRings(mol)
    return mol


def structure_of(smiles: str) -> Structure:
    """The structure of a SMILES, whose nodes have elements and whose edges are bonds.

    What RDKit cannot sanitise, such as a piece of an aromatic ring, is taken as it is written.
    Hydrogens, charges, stereo and isotopes are not compared; where some are written, the log says
    so.

    >>> structure_of("CC#N").to_text()
    'A:C-[single]-B:C, B-[triple]-C:N'
    """
    chem = load_rdkit()
    mol = without_log(chem.MolFromSmiles, smiles)
    if mol is None:
        mol = without_log(lambda text: chem.MolFromSmiles(text, sanitize=False), smiles)
    if mol is None or not mol.GetNumAtoms():
        raise InputError("pattern", "must be a SMILES after 'smiles:'", got=repr(smiles))
    if mol.GetNumAtoms() > MOST_NODES:
        raise InputError(
            "pattern",
            f"must be a SMILES of at most {MOST_NODES} atoms",
            got=mol.GetNumAtoms(),
            way_out="count longer ones as 'smarts:'",
        )
    if _says_more(mol):
        left_out = "hydrogens, charges, stereo and isotopes"
        log.warning("%s of a SMILES are not compared; smarts: compares them", left_out)
    content = from_molecules([mol])
    symbols = content.nodes["element"].tolist()
    return Structure.of_edges(
        content.num_nodes,
        list(zip(content.source.tolist(), content.target.tolist(), strict=True)),
        [content.relation_names[code] for code in content.codes],
        categories=tuple((symbol,) for symbol in symbols),
        name=smiles,
        roles=tuple(f"{symbol}{number}" for number, symbol in enumerate(symbols)),
    )


def is_smiles(text: str) -> bool:
    """Whether RDKit, if it is there, reads a text as a molecule of two atoms or more.

    >>> is_smiles("NS(=O)=O"), is_smiles("feed-forward-lop")
    (True, False)
    """
    try:
        mol = without_log(load_rdkit().MolFromSmiles, text)
    except InputError:
        return False
    return mol is not None and mol.GetNumAtoms() > 1


def _says_more(mol: Any) -> bool:
    """Whether a SMILES has more than a structure: atoms in brackets, or directions of bonds.

    The hydrogen of an aromatic atom, as in ``[nH]``, must be written and counts as nothing more.
    """
    atoms_say_more = any(
        atom.GetFormalCharge()
        or atom.GetIsotope()
        or int(atom.GetChiralTag())
        or (atom.GetNumExplicitHs() and not atom.GetIsAromatic())
        for atom in mol.GetAtoms()
    )
    bonds_say_more = any(int(bond.GetBondDir()) or int(bond.GetStereo()) for bond in mol.GetBonds())
    return atoms_say_more or bonds_say_more


def find_smarts(smarts: str, mols: Sequence[Any]) -> np.ndarray:
    """The sets of atoms that a SMARTS matches, found by RDKit, int64 ``[K, 1 + M]``.

    A row is the number of the molecule, then the atom at each of the M atoms of the SMARTS. Stereo
    and isotopes that the SMARTS has are compared.

    >>> from rdkit.Chem import MolFromSmiles
    >>> find_smarts("C=O", [MolFromSmiles("CCO"), MolFromSmiles("CC=O")]).tolist()
    [[1, 1, 2]]
    """
    chem = load_rdkit()
    query = without_log(chem.MolFromSmarts, smarts)
    if query is None or not query.GetNumAtoms():
        raise InputError("pattern", "must be a SMARTS after 'smarts:'", got=repr(smarts))
    if _has_recursive_stereo(smarts):
        # [$([C@@H](N)(O)C)] matches the other form than [C@@H](N)(O)C, and / and \\ are left out
        raise InputError(
            "pattern",
            "must have the stereo signs @, / and \\ of a SMARTS outside of $(…), in which RDKit "
            "does not compare them rightly",
            got=repr(smarts),
        )
    parts = chem.GetMolFrags(query, asMols=True, sanitizeFrags=False)
    rows = [np.empty((0, 1 + query.GetNumAtoms()), np.int64)]
    for number, mol in enumerate(mols):
        degrees = [atom.GetDegree() for atom in mol.GetAtoms()]
        # RDKit tries all mappings before it leaves out those of the same atoms. Where they may be
        # very many, mappings of each part are counted first; most molecules do without
        if len(parts) > 1 or max(degrees, default=0) > _USUAL_DEGREE:
            num_mappings = [len(_matches(mol, part, uniquify=False)) for part in parts]
            _check_matches(number, math.prod(num_mappings), smarts)
            if 0 in num_mappings:
                continue
        matches = _matches(mol, query)
        _check_matches(number, len(matches), smarts)
        if matches:
            rows.append(np.insert(np.array(matches, np.int64), 0, number, axis=1))
    return np.concatenate(rows)


def _matches(mol: Any, query: Any, *, uniquify: bool = True) -> Sequence[tuple[int, ...]]:
    """The atoms at those of a query, for each match; one more than the limit is enough."""
    matches: Sequence[tuple[int, ...]] = mol.GetSubstructMatches(
        query, uniquify=uniquify, useChirality=True, maxMatches=_MOST_MATCHES + 1
    )
    return matches


def _check_matches(number: int, num_matches: int, smarts: str) -> None:
    """Refuse a SMARTS with more matches in molecule ``number`` than are of use."""
    if num_matches > _MOST_MATCHES:
        raise InputError(
            "pattern",
            f"must have at most {_MOST_MATCHES:,} matches in a molecule, and {smarts!r} has more "
            f"in molecule {number}, from 0",
            way_out="join its parts by bonds, or leave the molecule out",
        )


def _has_recursive_stereo(smarts: str) -> bool:
    """Whether a sign of stereo stands within ``$(…)``; an @ that is not of an atom is of a ring."""
    # the brackets that are open, below them nothing; "$" stands for that of a recursive SMARTS
    opened = [""]
    for before, letter in pairwise(f" {smarts}"):
        if letter in "([":
            opened.append("$" if before == "$" else letter)
        elif letter in ")]":
            opened.pop()
        elif "$" in opened and (letter in "/\\" or (letter == "@" and opened[-1] == "[")):
            return True
    return False


def to_smarts(structure: Any) -> str | None:
    """A structure of a molecule as SMARTS: elements and types of bonds; None of any other.

    >>> to_smarts(structure_of("CC=O"))
    '[#6]-[#6]=[#8]'
    """
    mol = molecule_of(structure)
    return None if mol is None else str(load_rdkit().MolToSmarts(mol))


def describe_fragment(structure: Structure) -> str | None:
    """A structure of a molecule by its name, or its atoms and rings, and its SMILES.

    That which cuts an aromatic ring is no SMILES, and has its SMARTS.

    >>> describe_fragment(structure_of("Nc1ccccc1")), describe_fragment(structure_of("CCCC"))
    ('aniline: Nc1ccccc1', 'chain of 4 atoms: CCCC')
    >>> describe_fragment(Structure.parse("a:C-[aromatic]-b:C, b-[single]-c:N"))
    'chain of 3 atoms: [#6]:[#6]-[#7]'
    """
    mol = molecule_of(structure)
    if mol is None:
        return None
    name = _names_by_smiles().get(_smiles_of_piece(mol))
    text = str(load_rdkit().MolToSmarts(mol)) if cuts_a_ring(mol) else _charged(mol)
    return f"{name or _describe_unnamed(structure)}: {text}"


def cuts_a_ring(piece: Any) -> bool:
    """Whether an aromatic bond of a piece of a molecule is in no ring of it."""
    aromatic = load_rdkit().BondType.AROMATIC
    return any(bond.GetBondType() == aromatic and not bond.IsInRing() for bond in piece.GetBonds())


def _charged(mol: Any) -> str:
    """The SMILES of a piece with the charges of nitro groups and such, which it then has."""
    set_charges(mol)
    return _smiles_of_piece(mol)


@cache
def _names_by_smiles() -> dict[str, str]:
    """The name of each fragment by its canonical SMILES."""
    pieces = {name: molecule_of(structure_of(smiles)) for name, smiles in FRAGMENTS.items()}
    return {_smiles_of_piece(piece): name for name, piece in pieces.items()}


def _smiles_of_piece(mol: Any) -> str:
    """The canonical SMILES, without hydrogens, which are not known."""
    return _HYDROGENS.sub(r"\1", load_rdkit().MolToSmiles(mol))


def set_charges(mol: Any) -> None:
    """Give nitro groups and other nitrogen of four bonds their charges, in place."""
    for atom in mol.GetAtoms():
        valence = sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds())
        if atom.GetSymbol() != "N" or valence != 4 or atom.GetIsAromatic():
            continue
        atom.SetFormalCharge(1)
        for bond in atom.GetBonds():
            other = bond.GetOtherAtom(atom)
            is_single = bond.GetBondTypeAsDouble() == 1
            # the oxygen of a nitro group that has no other bond
            if other.GetSymbol() == "O" and other.GetDegree() == 1 and is_single:
                other.SetFormalCharge(-1)
    mol.UpdatePropertyCache(strict=False)


def _describe_unnamed(structure: Structure) -> str:
    """A piece without a name, such as "aromatic ring of 6 atoms"."""
    degrees = structure.joined.sum(axis=1)
    num_atoms = structure.num_nodes
    num_rings = int(degrees.sum()) // 2 - num_atoms + 1
    bond_types = {structure.relations.names[number] for number in structure.edge_relations}
    aromatic = "aromatic " if bond_types == {"aromatic"} else ""
    if num_atoms == 2:
        return f"{aromatic}bond"
    if num_rings == 0:
        chain = "chain" if degrees.max() == 2 else "branched chain"
        return f"{aromatic}{chain} of {num_atoms} atoms"
    if degrees.max() == 2:
        return f"{aromatic}ring of {num_atoms} atoms"
    return f"{num_atoms} atoms with {'a ring' if num_rings == 1 else f'{num_rings} rings'}"


def draw_fragment(
    structure: Any,
    width: int,
    height: int,
    *,
    letters: Sequence[str] = (),
    missing: Sequence[tuple[int, int]] = (),
    label: str = "",
) -> Markup | None:
    """Draw a structure of a molecule as chemists do; None where it is none.

    ``letters`` stand beside the atoms, and ``missing`` bonds are dotted. The colour is that of the
    style around it, as in :func:`gomkcn.mining.plots.structure_drawing.draw_structure`.
    """
    mol = molecule_of(structure)
    if mol is None:
        return None
    from rdkit.Chem.Draw import rdMolDraw2D

    chem = load_rdkit()
    set_charges(mol)
    for atom in mol.GetAtoms():
        # no hydrogens are drawn, since they are not known
        atom.SetNoImplicit(True)
        if letters:
            atom.SetProp("atomNote", letters[atom.GetIdx()])
    for u, v in missing:
        bond = mol.GetBondBetweenAtoms(u, v)
        if bond is None:
            mol.AddBond(u, v, chem.BondType.ZERO)
        else:
            bond.SetBondType(chem.BondType.ZERO)
    try:
        prepared = rdMolDraw2D.PrepareMolForDrawing(mol, kekulize=True, addChiralHs=False)
    # a piece of an aromatic ring has no Kekulé structure
    except ValueError:
        prepared = rdMolDraw2D.PrepareMolForDrawing(mol, kekulize=False, addChiralHs=False)
    picture = rdMolDraw2D.MolDraw2DSVG(width, height)
    options: Any = picture.drawOptions()
    options.clearBackground = False
    # sizes for the cards of the page: larger ones read better, and fewer pieces fit. Pixels: bonds
    # of all pieces are equally long, and shorter only where a piece does not fit
    options.fixedBondLength = 20
    # pixels, the least that can be read
    options.minFontSize = 9
    # of the width and the height, on each side
    options.padding = 0.04
    # letters beside the atoms, against those of the elements
    options.annotationFontScale = 0.8
    options.useBWAtomPalette()
    picture.DrawMolecule(prepared)
    picture.FinishDrawing()
    shapes = shapes_of(picture)
    return Markup(
        f'<svg role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{shapes}</svg>'
    )


def shapes_of(picture: Any) -> str:
    """The shapes of a drawing, without RDKit's header and end, in the colour around it."""
    shapes = picture.GetDrawingText().partition("<!-- END OF HEADER -->")[2].rpartition("</svg>")[0]
    return _BLACK.sub("var(--c)", shapes)
