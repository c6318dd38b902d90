"""Lengths of given sets, and one search in one base: all that benchmarks use of their inside."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.coded_set import CodedSet
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.graph_search import search_graph
from gomkcn.mining.motif_sets.searching import Question
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.steps import Steps

TESTS = Path(__file__).parents[1] / "tests"


class Length(NamedTuple):
    """A length that is committed, and what it is now, in bits."""

    name: str
    committed: float
    now: float


def bits_of_set(
    graph: CSRGraph, motifs: Sequence[tuple[Structure, np.ndarray]]
) -> tuple[float, float]:
    """Bits of one graph without motifs, and with some whose copies ``[k, M]`` are given.

    Copies may lack edges of their motif, and have others.
    """
    mined = MinedGraph.of(graph)
    empty = described = GraphDescription.of(GraphCode.of(mined))
    for structure, copies in motifs:
        shape = empty.code.shape_of(structure)
        if shape is not None:
            described = described.add(shape, mined.order.position[copies].astype(np.int64))
    return empty.length, described.length


def search_once(
    mined: MinedGraph, sizes: range, seed: int, seconds: float | None = None
) -> CodedSet:
    """The motif set of one graph of exact copies, given its degrees, in some seconds at most."""
    question = Question(mined, sizes, seed, exact_copies=True)
    with Interrupts(seconds) as interrupts:
        steps = Steps(interrupts=interrupts)
        return search_graph(question, GraphDescription.of(GraphCode.of(mined)), steps)


def committed_lengths() -> Iterator[Length]:
    """The lengths of ``tests/data``, as their tests compute them."""
    for folder in (TESTS / "helpers", TESTS / "mining" / "motif_sets"):
        sys.path.insert(0, str(folder))
    import test_lengths

    for record in test_lengths.RECORDS:
        for number, committed in enumerate(record["sets"]):
            described = test_lengths.described(record, committed["motifs"])
            name = f"{record['name']}, set {number}"
            yield Length(name, committed["total"], described.length)
    for known in test_lengths.LENGTHS:
        name = f"{known['collection']}, {known['base']}"
        empty = test_lengths.empty_collection(known)
        yield Length(f"{name}, no motif", known["bits_base"], empty.length)
        described = test_lengths.cover(empty, known["motifs"])
        yield Length(name, known["bits_total"], described.length)
