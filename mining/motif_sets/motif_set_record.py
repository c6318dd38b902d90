"""The records of a motif set: in ``patterns.json``, whose copies are in a table, and in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from gomkcn.mining.structures.occurrences import StoredOccurrences
from gomkcn.mining.structures.pattern import OrbitFeature, StoredPatterns
from gomkcn.mining.structures.records import Count, Record, Share
from gomkcn_dgl.relations import Relations


class MotifRecord(Record):
    """A motif of the set: its structure, and what its copies save."""

    # number among the patterns; None for none
    pattern: Count | None
    num_nodes: Annotated[int, Meta(ge=1, le=1024)]
    # [u, v], or [u, v, relation] where there are several relations
    edges: list[Annotated[list[Count], Meta(min_length=2, max_length=3)]]
    categories: list[list[str]]
    sources: tuple[str, ...]
    # of the starts of the search, those whose sets have it; None where it was looked for once
    starts: Count | None
    # how many copies are named in place of their edges, and how many have all and no others
    copies: Count
    copies_exact: Count
    # edges that copies lack, and that they have beside, in all
    missing: Count
    added: Count
    # their shares of the edges of all copies, and of the other pairs of their nodes
    missing_rate: Share
    added_rate: Share
    # what the description grows by without it, and nothing in its place
    bits: float
    # bits that it saves beside those chosen before it; these add up
    share: float
    # the code of the places of its copies
    address: str
    # numeric features at the orbits, those that differ most from all nodes first
    features: tuple[OrbitFeature, ...]


class GivenRecord(Record):
    """A structure that was given to be tried as a motif."""

    # what the description grows by with it: 0 where it is in the set, None where it has too few
    # copies, or none that saves bits
    bits: float | None
    # the same as a phrase
    reason: str


class MotifSetRecord(Record):
    """The few structures whose copies shorten the description of the graph most."""

    # most bits first
    motifs: list[MotifRecord]
    # bits that describe the graph without motifs, and with them
    bits_base: float
    bits_total: float
    bits_saved: float
    base: Annotated[str, Meta(pattern="^(degrees|blocks|typed|total)$")]
    # blocks of the partition that the bits are given; None for none
    blocks: Annotated[int, Meta(ge=1)] | None
    # shares of the nodes and of the edges that lie in copies
    nodes_covered: Share
    edges_covered: Share
    # groups of motifs one edge apart, the one that the others are variants of first
    near: tuple[Annotated[tuple[Count, ...], Meta(min_length=2)], ...]
    # whether the search ended by itself, and where it was cut, in a sentence
    complete: bool
    cut: str
    # bits that the set of each start of the search saves; empty where starts were not told apart
    bits_of_starts: tuple[float, ...]
    # … and what these save crossed, before copies may differ and what is given is tried
    bits_from_starts: float
    # 1 for one graph, more for a collection
    num_graphs: Count
    # where there is no motif, what comes closest to saving bits
    closest: MotifRecord | None
    # what came of each structure that was given, by its name
    given: dict[str, GivenRecord]
    # what the graph has and the description leaves out
    not_used: tuple[str, ...]
    # the set of the other base, where there is one
    other: MotifSetRecord | None


@dataclass(frozen=True, eq=False)
class StoredMotifSet:
    """A motif set as a plain value, which a file holds.

    Attributes
    ----------
    record : MotifSetRecord
    relations : Relations
        Those of the motifs.
    copies : StoredOccurrences
        Of each motif, then of each of the other base.
    edits : list of list of numpy.ndarray
        Of each motif, and of each of the other base.
    known : StoredPatterns
        What else is known of the motifs that were counted.
    blocks : dict from str to numpy.ndarray, or None
        The table of blocks of the set that has some.
    motif_set_format : int
    """

    record: MotifSetRecord
    relations: Relations
    copies: StoredOccurrences
    edits: list[list[np.ndarray]]
    known: StoredPatterns
    blocks: dict[str, np.ndarray] | None
    motif_set_format: Literal[1] = 1
