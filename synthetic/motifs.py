"""The motifs that can be planted, by name: those of :mod:`gomkcn_dgl.graphs.motif_table`."""

from __future__ import annotations

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.motif_table import MOTIF_ROWS, MotifRow
from gomkcn_dgl.graphs.structure import Structure


def get_motif(motif: str | Structure) -> Structure:
    """Return a motif of the table by name; a motif is returned as it is.

    Parameters
    ----------
    motif : str or Structure
        A key of ``MOTIFS``, or a motif of your own.

    Returns
    -------
    Structure

    Raises
    ------
    InputError
        For an unknown name; the message lists the known ones.
    InputTypeError
        For anything that is neither a name nor a motif.

    Examples
    --------
    >>> get_motif("circle").edges
    ((0, 1), (0, 5), (1, 2), (2, 3), (3, 4), (4, 5))

    """
    if isinstance(motif, Structure):
        return motif
    if not isinstance(motif, str):
        raise InputTypeError("motif", "must be a name or a Structure", got=repr(motif))
    if motif not in MOTIFS:
        raise InputError("motif", f"must be one of {', '.join(sorted(MOTIFS))}", got=repr(motif))
    return MOTIFS[motif]


def _motif_of(row: MotifRow) -> Structure:
    return Structure.of_edges(
        len(row.roles), row.edges, row.relations, row.directed, name=row.name, roles=row.roles
    )


MOTIFS: dict[str, Structure] = {name: _motif_of(row) for name, row in MOTIF_ROWS.items()}
