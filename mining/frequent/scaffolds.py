"""The Bemis–Murcko scaffolds of molecules: their rings, and what joins these.

G. W. Bemis and M. A. Murcko, The properties of known drugs. 1. Molecular frameworks, Journal of
Medicinal Chemistry 39, 1996, as RDKit makes them: with elements and bonds, and with the atoms that
a double bond joins to a ring or a chain between rings. A molecule without rings has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.frequent.frequent_columns import columns_of_classes, least_p
from gomkcn.mining.significance.verdicts import adjust_for_family, class_contrasts
from gomkcn.mining.structures.pattern import ClassContrast
from gomkcn.mining.structures.table_column import TableColumn, tabulate
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.io.molecules import load_rdkit
from gomkcn_dgl.runtime.tabular import Tabular

# what stands for the scaffold of molecules without rings
NO_RINGS = "no rings"


class ScaffoldRow(NamedTuple):
    """A scaffold: its SMILES, heavy atoms and molecules, of so many, and how classes differ."""

    smiles: str
    num_atoms: int
    molecules: int
    num_molecules: int
    contrasts: Sequence[ClassContrast]
    p_adjusted: float | None

    @property
    def p(self) -> float | None:
        """That of the class that differs most."""
        return least_p(self.contrasts)


SCAFFOLD_COLUMNS: tuple[TableColumn[ScaffoldRow], ...] = (
    TableColumn(
        "scaffold",
        "Scaffold",
        f'its SMILES, without stereo; "{NO_RINGS}" of molecules that have none',
        lambda row: row.smiles,
        is_left=True,
        is_name=True,
    ),
    TableColumn("num_atoms", "Atoms", "heavy atoms", lambda row: row.num_atoms),
    TableColumn("molecules", "Molecules", "molecules of this scaffold", lambda row: row.molecules),
    TableColumn(
        "share",
        "Share",
        "the same as a share of all",
        lambda row: row.molecules / row.num_molecules,
        lambda row: f"{row.molecules / row.num_molecules:.1%}",
    ),
    TableColumn(
        "p_exact",
        "p",
        "Fisher's exact p of the class that differs most",
        lambda row: row.p,
        lambda row: None if row.p is None else f"{row.p:.2g}",
        is_optional=True,
    ),
    TableColumn(
        "p_classes",
        "Adjusted p",
        "p of the classes, adjusted for all scaffolds that could have differed (Tarone)",
        lambda row: row.p_adjusted,
        lambda row: None if row.p_adjusted is None else f"{row.p_adjusted:.2g}",
        is_optional=True,
    ),
)


@dataclass(frozen=True, eq=False, repr=False)
class Scaffolds(Tabular):
    """The scaffolds of molecules, those of most molecules first; with classes the surest first.

    Attributes
    ----------
    of_molecules : list of str
        The SMILES of the scaffold of each molecule, or "no rings".
    classes : GraphClasses or None
        Those of the molecules.
    """

    of_molecules: list[str]
    classes: GraphClasses | None = None

    @cached_property
    def rows(self) -> list[ScaffoldRow]:
        """The rows of the table."""
        names, number_of, molecules = np.unique(
            np.array(self.of_molecules), return_inverse=True, return_counts=True
        )
        contrasts: Sequence[Sequence[ClassContrast]] = [()] * len(names)
        p_adjusted: Sequence[float | None] = [None] * len(names)
        if self.classes is not None:
            labels = self.classes.labels
            of_scaffold = number_of.ravel()[:, None] == np.arange(len(names))
            contrasts = class_contrasts(of_scaffold, labels, self.classes.names)
            least = np.array([min(contrast.p for contrast in row) for row in contrasts])
            support = of_scaffold[labels >= 0].sum(axis=0)
            p_adjusted = adjust_for_family(least, support, self.classes.sizes).tolist()
        rows = [
            ScaffoldRow(name, _num_atoms(name), number, len(self.of_molecules), of_classes, p)
            for name, number, of_classes, p in zip(
                names.tolist(), molecules.tolist(), contrasts, p_adjusted, strict=True
            )
        ]
        return sorted(rows, key=lambda row: (row.p or 0.0, -row.molecules, row.smiles))

    @property
    def table_columns(self) -> tuple[TableColumn[ScaffoldRow], ...]:
        """The columns of the table, those of each class included."""
        names = () if self.classes is None else self.classes.names
        return (*SCAFFOLD_COLUMNS, *columns_of_classes(names))

    def columns(self) -> dict[str, list[Any]]:
        """A row for each scaffold."""
        return tabulate(self.table_columns, self.rows).columns()


def find_scaffolds(mols: Sequence[Any], classes: GraphClasses | None = None) -> Scaffolds:
    """The Bemis–Murcko scaffolds of molecules of RDKit, and how classes differ in them.

    >>> from rdkit.Chem import MolFromSmiles
    >>> found = find_scaffolds([MolFromSmiles(text) for text in ("Cc1ccccc1", "Oc1ccccc1", "CCO")])
    >>> [(row.smiles, row.molecules) for row in found.rows]
    [('c1ccccc1', 2), ('no rings', 1)]
    """
    from rdkit.Chem.Scaffolds import MurckoScaffold

    chem = load_rdkit()
    if classes is not None and len(classes.labels) != len(mols):
        raise InputError("classes", f"must be of {len(mols)} molecules", got=len(classes.labels))
    cores = map(MurckoScaffold.GetScaffoldForMol, mols)
    return Scaffolds(
        [chem.MolToSmiles(core, isomericSmiles=False) or NO_RINGS for core in cores], classes
    )


def _num_atoms(smiles: str) -> int:
    """Heavy atoms of a scaffold."""
    if smiles == NO_RINGS:
        return 0
    return int(load_rdkit().MolFromSmiles(smiles, sanitize=False).GetNumAtoms())
