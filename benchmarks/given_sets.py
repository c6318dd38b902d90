"""Lengths of given sets, and one start of the search: all that benchmarks use of its inside."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from mining.mined_graph import MinedGraph
from mining.motif_sets.code_length import CodedGraph, GraphCode
from mining.motif_sets.coded_set import CodedSet
from mining.motif_sets.edited_copies import EditedGraph
from mining.motif_sets.search import search_graph

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
    code = GraphCode(CodedGraph.of(mined))
    without = described = EditedGraph.of(code)
    for structure, copies in motifs:
        shape = code.graph.shape_of(structure)
        if shape is not None:
            described = described.add(shape, mined.order.position[copies].astype(np.int64))
    return without.length, described.length


def bits_of_exact_set(
    graph: CSRGraph, motifs: Sequence[tuple[Structure, np.ndarray]]
) -> tuple[float, float]:
    """The same where each copy has the edges of its motif and no others."""
    mined = MinedGraph.of(graph)
    code = GraphCode(CodedGraph.of(mined))
    shapes = [(code.graph.shape_of(structure), copies) for structure, copies in motifs]
    placed = [(shape, mined.order.position[copies]) for shape, copies in shapes if shape]
    return code.length([]).total, code.length(placed).total


def search_once(
    mined: MinedGraph, sizes: range, seed: int, is_over: Callable[[], bool] = lambda: False
) -> CodedSet:
    """The motif set of one graph given its degrees, from one start."""
    return search_graph(mined, sizes, seed=seed, is_over=is_over)


def committed_lengths() -> Iterator[Length]:
    """The lengths of ``tests/data``, as their tests compute them."""
    for folder in (TESTS / "helpers", TESTS / "mining" / "motif_sets"):
        sys.path.insert(0, str(folder))
    import coded_graphs
    import test_lengths

    for record in coded_graphs.RECORDS:
        mined, graph, code = test_lengths.coded(record)
        for number, committed in enumerate(record["sets"]):
            motifs = [
                coded_graphs.motif_of(mined, graph, motif, record["directed"])
                for motif in committed["motifs"]
            ]
            yield Length(
                f"{record['name']}, set {number}", committed["total"], code.length(motifs).total
            )
    for known in test_lengths.LENGTHS:
        collection = test_lengths.collection(known["collection"])
        code = test_lengths.CollectionCode(*collection, known["base"])
        name = f"{known['collection']}, {known['base']}"
        yield Length(f"{name}, no motif", known["bits_base"], code.without_motifs().length)
        described = test_lengths.cover(code, known["motifs"])
        yield Length(name, known["bits_total"], described.length)
