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
    """A structure whose copies are named instead of their edges."""

    structure: Structure
    copies: np.ndarray  # int64 [k, M], the node of the mined graph at each node
    bits: float  # what the description grows by when it is dropped
    address: str = ""  # the code that says cheapest where the copies are
    sources: tuple[str, ...] = ("grown",)
    edits: np.ndarray = field(default_factory=lambda: NO_EDITS)  # as in `MotifPart`


@dataclass(frozen=True, eq=False)
class CodedSet:
    """What a search finds in one base, in nodes of the mined graph.

    Motifs of one graph, and those with edits, come most bits first; exact ones of a collection in
    the order in which their copies are covered.
    """

    motifs: tuple[CodedMotif, ...]
    bits_base: float  # length of the description without motifs
    bits_total: float
    # what the bits are given: "degrees", or "blocks" as well; of a collection, the degrees of each
    # type of edge, "typed", or all together, "total"
    base: str = "degrees"
    blocks: np.ndarray | None = None  # int64 [V], the block of each node
    cut: str = ""  # where the search was cut, a sentence
    closest: CodedMotif | None = None  # without motifs, what comes closest to saving bits
    # bits that the total would grow by with each given structure that is not in the set, by key;
    # infinite where it has fewer copies than a motif must have
    missing: Mapping[bytes, float] = field(default_factory=dict)
    error: float = 0.0  # what grouped degrees change the lengths by at most, about

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
