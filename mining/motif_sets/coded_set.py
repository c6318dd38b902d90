"""A set of motifs with their copies, and how many bits the graph takes with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Arrays

_VALUES = ("bits_base", "bits_total", "base", "complete", "cut")


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
    """

    structure: Structure
    copies: np.ndarray
    bits: float = 0.0
    address: str = ""
    sources: tuple[str, ...] = ("grown",)


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

    @property
    def bits_saved(self) -> float:
        """How much shorter the description is with the motifs."""
        return self.bits_base - self.bits_total


def pack(sets: Sequence[CodedSet | None]) -> Arrays:
    """Some sets as arrays that a job keeps; :func:`unpack` reads them."""
    arrays: dict[str, np.ndarray] = {}
    records: list[dict[str, Any] | None] = []
    for number, one in enumerate(sets):
        if one is None:
            records.append(None)
            continue
        motifs = [*one.motifs, *([] if one.closest is None else [one.closest])]
        for place, motif in enumerate(motifs):
            arrays[f"copies-{number}-{place}"] = motif.copies
        if one.blocks is not None:
            arrays[f"blocks-{number}"] = one.blocks
        records.append(
            {
                "motifs": [_record(motif) for motif in motifs],
                "has_closest": one.closest is not None,
                "missing": [(key.hex(), bits) for key, bits in one.missing.items()],
                **{name: getattr(one, name) for name in _VALUES},
            }
        )
    return {"sets": np.array(json.dumps(records)), **arrays}


def unpack(arrays: Arrays) -> list[CodedSet | None]:
    """The inverse of :func:`pack`."""
    found: list[CodedSet | None] = []
    for number, record in enumerate(json.loads(arrays["sets"].item())):
        if record is None:
            found.append(None)
            continue
        motifs = [
            CodedMotif(
                Structure.from_dict(one["structure"]),
                arrays[f"copies-{number}-{place}"],
                one["bits"],
                one["address"],
                tuple(one["sources"]),
            )
            for place, one in enumerate(record["motifs"])
        ]
        found.append(
            CodedSet(
                motifs=tuple(motifs[: len(motifs) - record["has_closest"]]),
                blocks=arrays.get(f"blocks-{number}"),
                closest=motifs[-1] if record["has_closest"] else None,
                missing={bytes.fromhex(key): bits for key, bits in record["missing"]},
                **{name: record[name] for name in _VALUES},
            )
        )
    return found


def _record(motif: CodedMotif) -> dict[str, Any]:
    return {
        "structure": motif.structure.to_dict(),
        "bits": motif.bits,
        "address": motif.address,
        "sources": motif.sources,
    }
