"""The motif set of a collection: which structures and copies make its description shortest.

Motifs are added one by one, each time that which saves most; then the nodes are covered anew, the
largest motifs first, and what saves too little is dropped; then others are put in between, or in
the place of one of which they are a part or an extension. Every gain is a difference of lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import NamedTuple

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from mining.candidates.shapes import Shape
from mining.mined_graph import MinedGraph
from mining.motif_sets.blocks import bits_without, cliques_of, find_shared_blocks
from mining.motif_sets.coded_set import CodedMotif, CodedSet
from mining.motif_sets.collection_code import CollectionCode, Covering
from mining.motif_sets.collection_copies import (
    LEAST_GRAPHS,
    Candidate,
    Given,
    candidates_of,
    choose,
    gather,
    sightings_of,
)
from mining.motif_sets.edited_copies import EditedCollection
from mining.motif_sets.inexact_search import Drawing, is_worth_edits, search_inexact
from mining.pattern import Pattern

# bits that a motif must save, and the whole set
LEAST_BITS = 10.0
# lengths that differ by less are equal
_EQUAL = 1e-6
# candidates whose length is computed in a step; that are put in between; and that are tried in
# the place of one motif
_MOST_VERIFIED, _MOST_INSERTED, _MOST_SWAPPED = 8, 40, 8
# sets that are kept with their coverings
_MOST_KEPT = 64
# a round of moves that gains less is the last one
_LEAST_PROGRESS = 1.0
# what an estimate may grow by when the set has changed
_REGAINED = 50.0
# nodes that a motif with edits may have more than the largest that grows
MORE_NODES = 2
# a block with such a share of its edges is a clique that lacks some
_LEAST_OF_CLIQUE = 0.75
# entries of a graph whose blocks are looked for
_MOST_ENTRIES = 1 << 20


class Found(NamedTuple):
    """A set of motifs in the order in which their copies are covered."""

    covering: Covering
    motifs: tuple[Candidate, ...]

    @property
    def length(self) -> float:
        """Bits of the whole description."""
        return self.covering.length


def _never() -> bool:
    return False


def search_collection(
    mined: MinedGraph,
    sizes: Sequence[int],
    *,
    seed: int,
    proposed: Sequence[Pattern] = (),
    grows: bool = True,
    exact_copies: bool = False,
    is_over: Callable[[], bool] = _never,
) -> tuple[CodedSet, CodedSet | None]:
    """Find the motif set of a collection, and that of the other base.

    Structures of some ``sizes`` grow from the collection, where it ``grows``; those that are
    ``proposed`` may have any. The seed decides which node sets are looked at where there are too
    many. ``is_over`` says between steps whether time is up.

    The answer has the shorter total. The bases are "typed" and "total", or "total" alone where all
    edges are alike. If nodes are alike as well, what motifs save must be more than what "blocks"
    save, or these are the answer, with a clique as a motif where most graphs have a block with all
    its edges; or, where copies may differ, with three quarters of them, and .85 over all graphs
    together. Copies may differ from their motif where that is shorter, unless ``exact_copies``, or
    where nothing grows.

    Examples
    --------
    >>> import networkx as nx
    >>> ring = nx.cycle_graph(6)
    >>> trees = [nx.random_labeled_tree(12, seed=k) for k in range(40)]
    >>> graphs = [nx.disjoint_union(ring, tree) for tree in trees]
    >>> answer, other = search_collection(MinedGraph.of(graphs), range(2, 8), seed=0)
    >>> [(one.structure.num_nodes, len(one.copies)) for one in answer.motifs], other
    ([(6, 40)], None)
    """
    empty = _empty_coverings(mined)
    grown, cut = gather(empty, sizes, seed, is_over) if grows else ([], "")
    given = sightings_of(mined, empty, proposed)
    asked = [each for one in given for each in one.candidates]
    searches = []
    for base, covering in enumerate(empty):
        own = ([each[base] for each in some] for some in (grown, asked))
        searches.append(_Search(mined, covering, candidates_of(covering, *own), is_over))
    edits = range(sizes[0], sizes[-1] + MORE_NODES + 1) if grows and not exact_copies else None
    sets = [one.coded_set(cut, given, edits, seed) for one in searches]
    least_share = 1.0 if exact_copies else _LEAST_OF_CLIQUE
    return _answer(sets) if len(sets) > 1 else _blocks_or(mined, sets[0], seed, least_share)


def _empty_coverings(mined: MinedGraph) -> list[Covering]:
    """The collection without motifs, in each base that differs and can be used."""
    typed, total = (CollectionCode(mined.graph, mined.colors, base) for base in ("typed", "total"))
    bases = [typed, total] if typed.two_bases and typed.is_possible else [total]
    return [one.without_motifs() for one in bases]


def _answer(sets: Sequence[CodedSet]) -> tuple[CodedSet, CodedSet | None]:
    """The set with the shortest total, if it is shorter than each base without motifs."""
    shortest = min(sets, key=lambda one: one.bits_base)
    best = min(sets, key=lambda one: one.bits_total)
    if shortest.bits_base - best.bits_total >= LEAST_BITS:
        best = replace(best, bits_base=shortest.bits_base)
    else:
        best = _without_motifs(shortest)
    return best, next((one for one in sets if one.base != best.base), None)


def _without_motifs(found: CodedSet) -> CodedSet:
    """The same without motifs, of which the best is what comes closest."""
    if not found.motifs:
        return found
    closest = max(found.motifs, key=lambda one: one.bits)
    return replace(found, motifs=(), bits_total=found.bits_base, closest=closest)


def _blocks_or(
    mined: MinedGraph, found: CodedSet, seed: int, least_share: float
) -> tuple[CodedSet, CodedSet | None]:
    """The set of a collection whose nodes and edges are alike, or the blocks of its nodes.

    Blocks are the answer where they make the description shorter than all motifs do.
    """
    graph = mined.graph
    blocks = None
    if mined.colors is None and len(graph.indices) <= _MOST_ENTRIES:
        blocks = find_shared_blocks(graph, seed)
    if blocks is None or blocks.bits >= found.bits_base:
        return found, None
    motifs = []
    nodes = cliques_of(graph, blocks, least_share)
    if len(nodes) >= LEAST_GRAPHS:
        clique = Structure.parse(f"clique-{nodes.shape[1]}")
        bits = bits_without(graph, blocks, nodes)
        links = CompiledGraph.of(graph).links_of(nodes)
        missing = np.argwhere(np.tril(links == 0, -1))
        edits = np.column_stack([missing, np.full(len(missing), -1)])
        motifs.append(CodedMotif(clique, nodes, bits, "block", edits=edits))
    in_blocks = CodedSet(
        tuple(motifs), blocks.bits, blocks.bits, "blocks", blocks.labels,
        found.cut, found.closest, found.missing,
    )  # fmt: skip
    if blocks.bits - found.bits_total >= LEAST_BITS:
        return replace(found, bits_base=blocks.bits), in_blocks
    if found.motifs:
        in_blocks = replace(in_blocks, closest=max(found.motifs, key=lambda one: one.bits))
    return in_blocks, found


class _Search:
    """The search for the set of one base."""

    def __init__(
        self,
        mined: MinedGraph,
        empty: Covering,
        candidates: list[Candidate],
        is_over: Callable[[], bool],
    ) -> None:
        self.mined, self.candidates, self.is_over = mined, candidates, is_over
        self.empty = Found(empty, ())
        # about what each would add to the set, as far as is known
        self.gains = {one: one.gain for one in candidates}
        self.is_cut = False
        # sets begin alike
        self.cover = lru_cache(_MOST_KEPT)(self._cover)

    def run(self) -> Found:
        """Add motifs, cover anew, put in others, until no more is gained."""
        found = self.prune(self.extend(self.empty))
        while found.motifs and not self.late():
            before = found.length
            found = self.move(found)
            self.gains = {one: one.gain + _REGAINED for one in self.candidates}
            found = self.prune(self.extend(found))
            if found.length > before - _LEAST_PROGRESS:
                break
        return found

    def late(self) -> bool:
        self.is_cut = self.is_cut or self.is_over()
        return self.is_cut

    def _cover(self, motifs: tuple[Candidate, ...]) -> Found:
        """The set of these, covered in this order; one that does not pay is left out."""
        if not motifs:
            return self.empty
        found, one = self.cover(motifs[:-1]), motifs[-1]
        (choice,) = choose(found.covering, [one])
        if not len(choice.copies):
            return found
        return Found(found.covering.add(one.shape, choice.copies), (*found.motifs, one))

    def extend(self, found: Found) -> Found:
        """Add what saves most, as long as something saves enough."""
        while not self.late():
            tried = [self.cover((*found.motifs, one)) for one in self.most_promising(found)]
            shorter = [one for one in tried if one.length < found.length - LEAST_BITS]
            if not shorter:
                break
            # of equal ones, that whose last motif comes first
            found = min(shorter, key=lambda one: (round(one.length / _EQUAL), one.motifs[-1].rank))
        return found

    def most_promising(self, found: Found) -> list[Candidate]:
        """The candidates of the largest estimated gains."""
        open_ones = [one for one in self.candidates if one not in found.motifs]
        known: list[Candidate] = []
        for one in sorted(open_ones, key=self.gains.__getitem__, reverse=True):
            # an estimate of before is about an upper bound
            if len(known) == _MOST_VERIFIED and self.gains[one] < self.gains[known[-1]]:
                break
            (choice,) = choose(found.covering, [one])
            self.gains[one] = choice.gain
            if len(choice.copies):
                known = sorted([*known, one], key=lambda each: -self.gains[each])[:_MOST_VERIFIED]
        return known

    def prune(self, found: Found) -> Found:
        """Cover anew, the largest first, and drop what saves too little."""
        again = self.cover(tuple(sorted(found.motifs, key=lambda one: one.rank)))
        if again.length < found.length - _EQUAL:
            found = again
        number = len(found.motifs) - 1
        while number >= 0:
            number = min(number, len(found.motifs) - 1)
            fewer = self.without(found, number)
            if fewer.length < found.length + LEAST_BITS:
                found = fewer
            number -= 1
        return found

    def without(self, found: Found, number: int) -> Found:
        """The set without one of its motifs, whose nodes the others may cover."""
        return self.cover(found.motifs[:number] + found.motifs[number + 1 :])

    def move(self, found: Found) -> Found:
        """Put in others at the place of their size, or in the place of one like them."""
        by_gain = sorted(self.candidates, key=lambda one: -one.gain)
        others = [one for one in by_gain if one not in found.motifs]
        moves: list[tuple[Candidate | None, Candidate]] = [
            (None, one) for one in others[:_MOST_INSERTED]
        ]
        for motif in found.motifs:
            alike = [
                one
                for one in others
                if one.shape.key in motif.parts or motif.shape.key in one.parts
            ]
            moves += [(motif, one) for one in alike[:_MOST_SWAPPED]]
        for old, new in moves:
            if self.late():
                break
            if new in found.motifs or (old is not None and old not in found.motifs):
                continue
            tried = self.with_another(found, new, old)
            if tried.length < found.length - (LEAST_BITS if old is None else _EQUAL):
                found = tried
        return found

    def with_another(self, found: Found, new: Candidate, old: Candidate | None = None) -> Found:
        """The set with a motif more, before those that are not larger, or in place of another."""
        motifs = found.motifs
        smaller = (place for place, one in enumerate(motifs) if one.rank >= new.rank)
        first = next(smaller, len(motifs)) if old is None else motifs.index(old)
        return self.cover((*motifs[:first], new, *motifs[first + (old is not None) :]))

    def coded_set(
        self, cut: str, given: Sequence[Given], edits: range | None, seed: int
    ) -> CodedSet:
        """Search, and write down what was found, or the shorter set of other sizes with edits."""
        found = self.run()
        motifs = tuple(
            self.coded(one, copies, self.without(found, number).length - found.length)
            for number, (one, (_, copies)) in enumerate(
                zip(found.motifs, found.covering.motifs, strict=True)
            )
        )
        missing = self.missing(found, given)
        cut = cut or ("Time was up before all moves were tried." if self.is_cut else "")
        base = self.empty.covering.code.base
        if edits is not None and not self.is_cut:
            pairs = zip(found.motifs, found.covering.motifs, strict=True)
            drawings = [Drawing(one.shape, copies) for one, (_, copies) in pairs]
            start = EditedCollection(self.empty.covering)
            other = search_inexact(start, edits, drawings, seed, self.is_over, self.structure)
            if other and is_worth_edits(other.bits_total, found.length, other.bits_base):
                return replace(other, base=base, missing=missing)
        return CodedSet(
            motifs,
            self.empty.length,
            found.length,
            base,
            cut=cut,
            closest=None if motifs else self.closest(),
            missing=missing,
        )

    def coded(self, one: Candidate, copies: np.ndarray, bits: float) -> CodedMotif:
        """The record of a motif, whose nodes come in canonical order."""
        shape = one.shape
        order = self.structure(shape).form.order
        structure = self.structure(Shape.of(shape.links[np.ix_(order, order)], shape.colors[order]))
        return CodedMotif(structure, _sorted(copies[:, order]), bits, sources=one.sources)

    def structure(self, shape: Shape) -> Structure:
        """The structure of a shape."""
        channels = self.mined.graph.relations.links[shape.links]
        code = self.empty.covering.code
        colors = None if self.mined.colors is None else code.known_colors[shape.colors]
        return self.mined.structure(channels, colors)

    def closest(self) -> CodedMotif | None:
        """What comes closest to saving bits alone."""
        tried = [self.cover((one,)) for one in self.candidates[:_MOST_VERIFIED]]
        best = min((one for one in tried if one.motifs), key=lambda one: one.length, default=None)
        if best is None:
            return None
        copies = best.covering.motifs[0][1]
        return self.coded(best.motifs[0], copies, self.empty.length - best.length)

    def missing(self, found: Found, given: Sequence[Given]) -> dict[bytes, float]:
        """Bits that the total would grow by with each given structure that is not in the set."""
        missing = {}
        for one in given:
            keys = {each[0].shape.key for each in one.candidates}
            own = [candidate for candidate in self.candidates if candidate.shape.key in keys]
            if "given" not in one.sources or any(each in found.motifs for each in own):
                continue
            tried = [(each, self.with_another(found, each)) for each in own]
            lengths = [other.length - found.length for each, other in tried if each in other.motifs]
            missing[one.key] = min(lengths, default=inf)
        return missing


def _sorted(rows: np.ndarray) -> np.ndarray:
    return rows[np.lexsort(rows.T[::-1])]
