"""A set of motifs with their copies, and how many bits the graph takes with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Arrays
from mining.pattern import NO_EDITS


@dataclass(frozen=True, eq=False)
class CodedMotif:
    """A structure whose copies are named instead of their edges.

    Attributes
    ----------
    structure : Structure
        Its nodes and edges.
    copies : numpy.ndarray
        int64 ``[k, M]``, the node of the mined graph at each of its M nodes.
    bits : float
        What the description grows by when it is dropped.
    address : str
        The code that says cheapest where the copies are.
    sources : tuple of str
        What saw it: "grown" sets, trained "filters", or the user ("given").
    edits : numpy.ndarray
        int64 ``[E, 4]``, where copies differ: the copy, two nodes of the structure, and -1 for an
        edge that is missing or 1 for one that is added.
    """

    structure: Structure
    copies: np.ndarray
    bits: float = 0.0
    address: str = ""
    sources: tuple[str, ...] = ("grown",)
    edits: np.ndarray = field(default_factory=lambda: NO_EDITS)


@dataclass(frozen=True, eq=False)
class CodedSet:
    """What a search finds in one base, in nodes of the mined graph.

    Attributes
    ----------
    motifs : tuple of CodedMotif
        In the order in which their copies are covered.
    bits_base, bits_total : float
        Length of the description without motifs, and with these.
    base : {"degrees", "blocks", "typed", "total"}
        What the bits are given: the degrees; the degrees and a partition into blocks; for
        collections, the degrees of each type of edge, or all together.
    blocks : numpy.ndarray or None
        int64 ``[V]``, the block of each node.
    complete, cut : bool, str
        Whether the search ended by itself; else a sentence that says where it was cut.
    closest : CodedMotif or None
        Where there is no motif, the structure that comes closest to saving bits.
    missing : mapping from bytes to float
        Bits that the total would grow by with each given structure that is not in the set, by key;
        infinite where it has fewer copies than a motif must have.
    error : float
        Bits by which the lengths are off at most, about, where degrees are grouped.
    """

    motifs: tuple[CodedMotif, ...]
    bits_base: float
    bits_total: float
    base: str = "degrees"
    blocks: np.ndarray | None = None
    complete: bool = True
    cut: str = ""
    closest: CodedMotif | None = None
    missing: Mapping[bytes, float] = field(default_factory=dict)
    error: float = 0.0

    @property
    def bits_saved(self) -> float:
        """How much shorter the description is with the motifs."""
        return self.bits_base - self.bits_total


def pack(sets: Sequence[CodedSet | None]) -> Arrays:
    """Some sets as arrays that a job keeps; :func:`unpack` reads them."""
    return {"sets": np.array(json.dumps([one and _record(one) for one in sets]))}


def unpack(arrays: Arrays) -> tuple[CodedSet, CodedSet | None]:
    """What was packed: an answer, and the set of the other base."""
    answer, other = json.loads(arrays["sets"].item())
    return _set_of(answer), other and _set_of(other)


def _record(one: CodedSet) -> dict[str, Any]:
    motifs = [*one.motifs, *([] if one.closest is None else [one.closest])]
    return {
        **vars(one),
        "motifs": [
            {
                **vars(own),
                "structure": own.structure.to_dict(),
                "copies": own.copies.tolist(),
                "edits": own.edits.tolist(),
            }
            for own in motifs
        ],
        "closest": one.closest is not None,
        "blocks": None if one.blocks is None else one.blocks.tolist(),
        "missing": [(key.hex(), bits) for key, bits in one.missing.items()],
    }


def _set_of(record: dict[str, Any]) -> CodedSet:
    motifs = [
        CodedMotif(
            **{
                **own,
                "structure": Structure.from_dict(own["structure"]),
                "copies": np.array(own["copies"], np.int64).reshape(
                    -1, own["structure"]["num_nodes"]
                ),
                "sources": tuple(own["sources"]),
                "edits": np.array(own["edits"], np.int64).reshape(-1, 4),
            }
        )
        for own in record["motifs"]
    ]
    changed = {
        "closest": motifs.pop() if record["closest"] else None,
        "motifs": tuple(motifs),
        "blocks": None if record["blocks"] is None else np.array(record["blocks"], np.int64),
        "missing": {bytes.fromhex(key): bits for key, bits in record["missing"]},
    }
    return CodedSet(**{**record, **changed})
