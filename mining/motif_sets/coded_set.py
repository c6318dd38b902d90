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
    records = [one and {**vars(one), "missing": _hex(one.missing)} for one in sets]
    return {"sets": np.array(json.dumps(records, default=_as_json))}


def unpack(arrays: Arrays) -> tuple[CodedSet, CodedSet | None]:
    """What was packed: an answer, and the set of the other base."""
    answer, other = json.loads(arrays["sets"].item())
    return _set_of(answer), other and _set_of(other)


def _hex(missing: Mapping[bytes, float]) -> dict[str, float]:
    return {key.hex(): bits for key, bits in missing.items()}


def _as_json(value: Any) -> Any:
    """An array, a structure or a motif."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.to_dict() if isinstance(value, Structure) else vars(value)


def _set_of(record: dict[str, Any]) -> CodedSet:
    closest, blocks = record["closest"], record["blocks"]
    changed = {
        "motifs": tuple(map(_motif_of, record["motifs"])),
        "closest": closest and _motif_of(closest),
        "blocks": blocks and np.array(blocks, np.int64),
        "missing": {bytes.fromhex(key): bits for key, bits in record["missing"].items()},
    }
    return CodedSet(**{**record, **changed})


def _motif_of(record: dict[str, Any]) -> CodedMotif:
    structure = Structure.from_dict(record["structure"])
    rows = {"copies": structure.num_nodes, "edits": 4}
    arrays = {name: np.array(record[name], np.int64).reshape(-1, m) for name, m in rows.items()}
    changed = {"structure": structure, "sources": tuple(record["sources"]), **arrays}
    return CodedMotif(**{**record, **changed})
