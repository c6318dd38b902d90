"""Molecules as chemists draw them: RDKit's coordinates, Kekulé bonds, charges and hydrogens.

:func:`depict` says for a whole collection what a page's script draws, in a few bytes an atom;
:func:`draw_molecule` is one molecule as an SVG whose atoms may have colours. Both make the molecule
of RDKit anew from elements and bonds, so that a collection whose labels are elements is drawn as
one that was read from SMILES. What RDKit read has its charges and hydrogens; of others, nitrogen of
four bonds is charged, and the hydrogens are those that fill the valences. Stereo is not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from markupsafe import Markup, escape
from msgspec import Meta

from gomkcn.mining.plots.layout import DrawnGraph
from gomkcn.mining.structures.fragments import (
    BOND_TYPES,
    elements,
    set_charges,
    shapes_of,
)
from gomkcn.mining.structures.records import Record
from gomkcn_dgl.graphs.structure import category_value
from gomkcn_dgl.io.molecules import load_rdkit
from gomkcn_dgl.relations import Relations

# bonds of metals, which are drawn as single ones
_DATIVE = "dative"
# how a bond is drawn: as so many lines, dashed where an aromatic one has no Kekulé structure, or as
# a double bond whose second line is shorter and lies at the left or right of the way to its end
SINGLE, DOUBLE, TRIPLE, AROMATIC, LEFT, RIGHT = 1, 2, 3, 4, 5, 6
_ORDERS = {"SINGLE": SINGLE, "DOUBLE": DOUBLE, "TRIPLE": TRIPLE, "AROMATIC": AROMATIC}
# angstroms of a bond in RDKit's drawings, and the length of an edge of a map
_BOND_LENGTH = 1.5
_EDGE_LENGTH = 0.6
# aromatic atoms that may need a hydrogen or a charge at once, where none is known: the pyrrole
# nitrogens of a porphyrin are two, and sets of more are many
_MOST_MENDED = 2
# radius of the colour below an atom, in pixels, at the length that bonds have where they fit
_HALO = 0.42
_FIXED_BOND = 24
# variables of the page's style: the colours below atoms that speak for a class, and against it, and
# the opacity of the strongest
FOR_CLASS, AGAINST_CLASS = "var(--match)", "var(--m0)"
STRONGEST = 0.6
# of the width and the height on each side, so that colours below atoms are whole
_PADDING = 0.09
# of a node's ring around its colour, in pixels
_RING_GAP = 2.0


class MoleculesRecord(Record):
    """What ``map.json`` holds of molecules beside nodes, edges and positions."""

    bonds: list[Annotated[int, Meta(ge=SINGLE, le=RIGHT)]]
    charges: list[Annotated[int, Meta(ge=-128, le=127)]]
    hydrogens: list[Annotated[int, Meta(ge=0, le=127)]]


@dataclass(frozen=True, eq=False)
class DepictedMolecules:
    """How the bonds int64 ``[E]`` of a map are drawn, charges and hydrogens of its V atoms."""

    bonds: np.ndarray
    charges: np.ndarray
    hydrogens: np.ndarray

    def to_dict(self) -> dict[str, list[int]]:
        """The record of ``map.json``, and what a page's script reads."""
        return {name: array.tolist() for name, array in vars(self).items()}


def are_molecules(relations: Relations, kinds: Sequence[str]) -> bool:
    """Whether edges are bonds and categories elements, and RDKit is there to draw them.

    >>> from gomkcn.mining.structures.fragments import structure_of
    >>> bonds = structure_of("CC=O").relations
    >>> are_molecules(bonds, ["C", "O"]), are_molecules(bonds, ["person"])
    (True, False)
    """
    known = {(name, False) for name in (*BOND_TYPES, _DATIVE)}
    return {*relations.kinds} <= known and bool(kinds) and {*kinds} <= elements()


def depict(
    symbols: Sequence[str],
    owners: np.ndarray,
    edges: np.ndarray,
    bond_types: Sequence[str],
    atoms: np.ndarray | None = None,
) -> tuple[np.ndarray, DepictedMolecules]:
    """Lay out the molecules of a collection.

    Parameters
    ----------
    symbols : sequence of str
        The element of each of V atoms; those of a molecule stand together.
    owners : numpy.ndarray
        int64 ``[V]``, the number of each atom's molecule, ascending.
    edges : numpy.ndarray
        int64 ``[E, 3]``, the atoms that each bond joins, and its type.
    bond_types : sequence of str
        Names of the types.
    atoms : numpy.ndarray, optional
        int8 ``[V, 2]``, charges and hydrogens.

    Returns
    -------
    positions : numpy.ndarray
        ``[V, 2]``, each molecule as RDKit draws it, with its left upper corner at 0.
    molecules : DepictedMolecules

    Examples
    --------
    >>> symbols, edges = ["C", "C", "O"], np.array([[0, 1, 0], [1, 2, 1]])
    >>> _, drawn = depict(symbols, np.zeros(3, int), edges, ["single", "double"])
    >>> drawn.bonds.tolist(), drawn.hydrogens.tolist()
    ([1, 2], [3, 1, 0])
    """
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    ends = np.append(starts[1:], len(owners))
    # bonds by molecule
    first_of = np.argsort(edges[:, 0], kind="stable")
    cuts = np.searchsorted(edges[first_of, 0], np.append(starts, len(owners)))
    boxes = list[np.ndarray]()
    bonds = np.full(len(edges), SINGLE)
    known = np.zeros((len(owners), 2), np.int64)
    for at, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        rows = first_of[cuts[at] : cuts[at + 1]]
        pairs = edges[rows, :2] - start
        mol = _molecule(
            symbols[start:end],
            pairs.tolist(),
            [bond_types[number] for number in edges[rows, 2].tolist()],
            None if atoms is None else atoms[start:end],
        )
        points = _coordinates(mol)
        box = points * [1, -1] * (_EDGE_LENGTH / _BOND_LENGTH)
        boxes.append(box - box.min(axis=0))
        bonds[rows] = _drawn_bonds(mol, pairs.tolist(), points)
        known[start:end] = [(a.GetFormalCharge(), a.GetTotalNumHs()) for a in mol.GetAtoms()]
    return np.concatenate(boxes), DepictedMolecules(bonds, known[:, 0], known[:, 1])


def _molecule(
    symbols: Sequence[str],
    pairs: Sequence[Sequence[int]],
    bond_types: Sequence[str],
    atoms: np.ndarray | None,
) -> Any:
    """The molecule of RDKit, in its Kekulé structure where it has one."""
    chem = load_rdkit()
    mol = chem.RWMol()
    for number, symbol in enumerate(symbols):
        atom = chem.Atom(symbol)
        if atoms is not None:
            charge, hydrogens = atoms[number].tolist()
            atom.SetFormalCharge(charge)
            atom.SetNumExplicitHs(hydrogens)
            atom.SetNoImplicit(True)
        mol.AddAtom(atom)
    for (u, v), bond_type in zip(pairs, bond_types, strict=True):
        name = "SINGLE" if bond_type == _DATIVE else bond_type.upper()
        mol.AddBond(u, v, getattr(chem.BondType, name))
        if bond_type == "aromatic":
            mol.GetBondBetweenAtoms(u, v).SetIsAromatic(True)
            mol.GetAtomWithIdx(u).SetIsAromatic(True)
            mol.GetAtomWithIdx(v).SetIsAromatic(True)
    mol.UpdatePropertyCache(strict=False)
    if atoms is None:
        set_charges(mol)
    chem.FastFindRings(mol)
    return _kekulized(mol, can_mend=atoms is None)


def _kekulized(mol: Any, *, can_mend: bool) -> Any:
    """The Kekulé structure; as it is where it has none.

    Where hydrogens are not known, aromatic nitrogen is tried with one, as in pyrrole, or with a
    charge, as in pyridinium: first no atom, then each by itself, then each two.
    """
    from rdkit import rdBase

    chem = load_rdkit()
    with rdBase.BlockLogs():
        for mended in _mended(mol) if can_mend else [mol]:
            tried = chem.RWMol(mended)
            try:
                chem.Kekulize(tried, clearAromaticFlags=True)
            except ValueError:
                continue
            tried.UpdatePropertyCache(strict=False)
            chem.FastFindRings(tried)
            return tried
    return mol


def _mended(mol: Any) -> Iterator[Any]:
    """A molecule, and then with more and more of its aromatic nitrogens mended."""
    chem = load_rdkit()
    can_change = [
        atom.GetIdx()
        for atom in mol.GetAtoms()
        if atom.GetIsAromatic() and atom.GetSymbol() == "N" and not atom.GetFormalCharge()
    ]
    for number in range(1 + min(_MOST_MENDED, len(can_change))):
        for chosen in combinations(can_change, number):
            mended = chem.RWMol(mol)
            for at in chosen:
                atom = mended.GetAtomWithIdx(at)
                if atom.GetDegree() == 2:
                    atom.SetNumExplicitHs(1)
                else:
                    atom.SetFormalCharge(1)
            mended.UpdatePropertyCache(strict=False)
            yield mended


def _coordinates(mol: Any) -> np.ndarray:
    """RDKit's coordinates of the atoms, ``[V, 2]``, in angstroms; y is up."""
    from rdkit.Chem import rdDepictor

    rdDepictor.Compute2DCoords(mol, canonOrient=True, useRingTemplates=True)
    # bonds at multiples of 30 degrees, where they can be
    rdDepictor.StraightenDepiction(mol)
    return np.asarray(mol.GetConformer().GetPositions())[:, :2]


def _drawn_bonds(mol: Any, pairs: Sequence[Sequence[int]], points: np.ndarray) -> list[int]:
    """How each bond is drawn, see :data:`SINGLE`; the second line of a ring's bond is inside."""
    rings = sorted(mol.GetRingInfo().AtomRings(), key=lambda ring: abs(len(ring) - 6))
    drawn = []
    for u, v in pairs:
        bond = mol.GetBondBetweenAtoms(u, v)
        order = _ORDERS[bond.GetBondType().name]
        if order in (DOUBLE, AROMATIC):
            of_bond = next((ring for ring in rings if u in ring and v in ring), ())
            around = [
                atom.GetIdx()
                for end in (bond.GetBeginAtom(), bond.GetEndAtom())
                for atom in end.GetNeighbors()
                if atom.GetIdx() not in (u, v)
            ]
            ends_in_two = min(mol.GetAtomWithIdx(at).GetDegree() for at in (u, v)) > 1
            if order == DOUBLE and (of_bond or ends_in_two):
                order = _side_of(points, u, v, of_bond or around) or order
        drawn.append(order)
    return drawn


def _side_of(points: np.ndarray, u: int, v: int, others: Sequence[int]) -> int:
    """On which side of a bond the middle of other atoms lies; 0 for neither.

    Where y is down, as on a page, left is where x cross y is negative.
    """
    along = points[v] - points[u]
    away = points[list(others)].mean(axis=0) - points[u]
    side = float(along[0] * away[1] - along[1] * away[0])
    return 0 if abs(side) < 1e-3 else LEFT if side > 0 else RIGHT


def contribution_colors(values: np.ndarray) -> list[tuple[str, float]]:
    """Colour and opacity below each atom: orange for a class, blue against it.

    >>> contribution_colors(np.array([0.5, -0.25]))
    [('var(--match)', 0.6), ('var(--m0)', 0.3)]
    """
    # of contributions that are all nothing none is strong
    most = max(float(np.abs(values).max(initial=0)), 1e-9)
    return [
        (FOR_CLASS if value > 0 else AGAINST_CLASS, round(STRONGEST * abs(value) / most, 2))
        for value in values.tolist()
    ]


def contribution_legend(name: str, most: float) -> Markup:
    """What the colours say, one line of HTML; ``most`` is the largest contribution.

    >>> print(contribution_legend("toxic", 1.5)[:59])
    Contribution of an atom to toxic: <span class="scale">−1.50
    """
    ends = (AGAINST_CLASS, "transparent", FOR_CLASS)
    return Markup(
        "Contribution of an atom to {}: "
        '<span class="scale">−{:.2f} <i style="background:linear-gradient(90deg,{})"></i> '
        "+{:.2f}</span> Orange speaks for the class, blue against it."
    ).format(name, most, ",".join(ends), most)


def as_molecule(graph: DrawnGraph) -> Any:
    """The molecule of RDKit that a graph is; None where it is none, or RDKit is missing."""
    symbols = [category_value(names[0]) if names else "" for names in graph.categories]
    if not are_molecules(graph.relations, symbols):
        return None
    atoms = np.array(graph.atoms, np.int64) if graph.atoms else None
    bond_types = [graph.relations.names[number] for number in graph.edge_relations]
    return _molecule(symbols, graph.edges, bond_types, atoms)


def draw_molecule(
    mol: Any,
    width: int,
    height: int,
    *,
    colors: Sequence[tuple[str, float]] = (),
    ringed: Sequence[int] = (),
    label: str = "",
) -> Markup:
    """Draw a molecule of :func:`as_molecule`.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
    width, height : int
        In pixels.
    colors : sequence of (str, float)
        The colour below each atom, and its opacity; none by default.
    ringed : sequence of int
        Atoms with a ring around them.
    label : str
        What is read out.

    Returns
    -------
    Markup
        An SVG whose bonds and letters are of the ink of the page.
    """
    from rdkit.Chem.Draw import rdMolDraw2D

    points = _coordinates(mol)
    picture = rdMolDraw2D.MolDraw2DSVG(width, height)
    options: Any = picture.drawOptions()
    options.clearBackground = False
    options.prepareMolsBeforeDrawing = False
    options.fixedBondLength = _FIXED_BOND
    options.padding = _PADDING
    options.useBWAtomPalette()
    picture.DrawMolecule(mol)
    picture.FinishDrawing()
    places = [picture.GetDrawCoords(at) for at in range(mol.GetNumAtoms())]
    drawn = np.array([(place.x, place.y) for place in places])
    # pixels of a bond, which is shorter where the molecule would not fit
    bond = float(_FIXED_BOND)
    if mol.GetNumBonds():
        pairs = [(one.GetBeginAtomIdx(), one.GetEndAtomIdx()) for one in mol.GetBonds()]
        lengths = np.linalg.norm(np.diff(drawn[pairs], axis=1), axis=2)
        wide = np.linalg.norm(np.diff(points[pairs], axis=1), axis=2)
        bond = float(_BOND_LENGTH * lengths.sum() / wide.sum())
    shapes = "".join(
        f'<circle class="halo" cx="{x:.1f}" cy="{y:.1f}" r="{_HALO * bond:.1f}" fill="{color}" '
        f'opacity="{opacity:.2f}"/>'
        for (x, y), (color, opacity) in zip(drawn.tolist() if colors else (), colors, strict=True)
        if opacity > 0
    )
    shapes += "".join(
        f'<circle class="ring" cx="{drawn[at, 0]:.1f}" cy="{drawn[at, 1]:.1f}" '
        f'r="{_HALO * bond + _RING_GAP:.1f}" fill="none" stroke="var(--ink, currentColor)" '
        'stroke-width="1.2"/>'
        for at in ringed
    )
    return Markup(
        f'<svg role="img" aria-label="{escape(label)}" width="{width}" height="{height}" '
        f'style="--c: var(--ink, currentColor)" viewBox="0 0 {width} {height}">'
        f"{shapes}{shapes_of(picture)}</svg>"
    )
