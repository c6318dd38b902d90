"""Structures that may become motifs of a collection: grown, or proposed from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.shapes import Seen, Shape
from mining.counting.exact_search import ExactSearch
from mining.mined_graph import MinedGraph
from mining.motif_sets.collection_code import CollectionCode, Covering
from mining.motif_sets.collection_sets import (
    LEAST_COPIES,
    LEAST_GAIN,
    LEAST_GRAPHS,
    Gathered,
    parts_of,
    rank_in_group,
    sightings,
)
from mining.motif_sets.copy_choice import Least, choose, values
from mining.pattern import Pattern

# candidates of one base
_MOST_CANDIDATES = 300
# occurrences of a candidate: in all graphs, in each at least, and so many times more before any go
_MOST_OCCURRENCES, _LEAST_OF_GRAPH, _SPARE = 20_000, 25, 4
# a search for all occurrences of a structure ends after so many steps of some 10 ns, or so many
_MOST_STEPS, _MOST_LISTED = 1 << 30, 2_000_000


@dataclass(frozen=True, eq=False)
class Candidate:
    """A structure that may become a motif.

    Attributes
    ----------
    shape : Shape
        Its nodes and edges.
    occurrences : numpy.ndarray
        int32 ``[K, M]``, those among which copies are chosen.
    gain : float
        Bits that it saves alone, about.
    sources : tuple of str
        What saw it.
    """

    shape: Shape
    occurrences: np.ndarray
    gain: float
    sources: tuple[str, ...]

    @cached_property
    def rank(self) -> tuple[int, int, bytes]:
        """Where it stands in a set: structures of most edges, and then of most nodes, first."""
        return -len(self.shape.edges), -self.shape.num_nodes, self.shape.key

    @cached_property
    def parts(self) -> frozenset[bytes]:
        """Keys of its parts with one or two nodes less."""
        return parts_of(self.shape)


def least_of(code: CollectionCode) -> Least:
    """A motif has copies in three graphs, or in all where there are fewer."""
    return Least(LEAST_COPIES, min(LEAST_GRAPHS, code.graph.num_graphs))


@dataclass(frozen=True, eq=False)
class Given:
    """A structure that was proposed, and what it is in the collection.

    Without categories, its occurrences may be of several shapes.
    """

    key: bytes
    sources: tuple[str, ...]
    seen: Sequence[Seen]


def sightings_of(
    mined: MinedGraph, code: CollectionCode, proposed: Sequence[Pattern]
) -> list[Given]:
    """What occurs of the structures that were proposed."""
    least = least_of(code)
    return [
        Given(one.key, one.sources, sightings(code, occurrences_of(mined, one.structure), least)[0])
        for one in proposed
    ]


def occurrences_of(mined: MinedGraph, structure: Structure) -> np.ndarray:
    """All induced occurrences of a structure, int32 ``[K, M]``, in the order of its nodes."""
    names = {name for own in structure.categories for name in own}
    nothing = np.zeros((0, structure.num_nodes), np.int32)
    if not names <= set(mined.graph.feature_names) or structure.num_nodes < 2:
        return nothing
    search = ExactSearch(mined.graph, structure, mined.colors_of(structure))
    return search.list_places(_MOST_LISTED, _MOST_STEPS)


def candidates_of(
    empty: Covering, gathered: Gathered, base: int, given: Sequence[Given]
) -> list[Candidate]:
    """The structures that may pay in one base, the most promising first."""
    gains = gathered.gains[:, base]
    order = np.argsort(-gains, kind="stable")[:_MOST_CANDIDATES]
    rows: list[tuple[Seen, tuple[str, ...]]] = [
        (gathered.seen[number], ("grown",)) for number in order if gains[number] > LEAST_GAIN
    ]
    rows += [(seen, one.sources) for one in given for seen in one.seen]
    # the same structure from several sources is one candidate
    candidates: dict[bytes, Candidate] = {}
    for seen, sources in rows:
        known = candidates.get(seen.shape.key)
        if known is not None:
            sources = tuple(dict.fromkeys(known.sources + sources))
            candidates[seen.shape.key] = replace(known, sources=sources)
            continue
        gain = choose(empty, seen.shape, seen.copies, least_of(empty.code), 2).gain
        occurrences = _most_valuable(empty, seen)
        candidates[seen.shape.key] = Candidate(seen.shape, occurrences, gain, sources)
    return sorted(candidates.values(), key=lambda one: -one.gain)


def _most_valuable(empty: Covering, seen: Seen) -> np.ndarray:
    """The occurrences of highest value in each graph, if there are many, ordered by their nodes."""
    graph_of, occurrences = empty.code.graph_of, seen.copies
    # of equal copies, the first is taken
    occurrences = occurrences[np.lexsort(np.sort(occurrences, axis=1).T[::-1])]
    most = max(_LEAST_OF_GRAPH, _MOST_OCCURRENCES // empty.code.graph.num_graphs)
    if len(occurrences) <= _SPARE * most:
        return occurrences
    graph = graph_of[occurrences[:, 0]]
    order = np.lexsort((-values(empty, seen.shape, occurrences), graph))
    return occurrences[order[rank_in_group(graph[order]) < most]]
