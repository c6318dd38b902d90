"""All frequent subgraphs of one graph, by minimum node image.

The support of a subgraph is the least number of different nodes that one of its nodes is mapped to,
over all of its occurrences (B. Bringmann and S. Nijssen, What is frequent in a single graph?, PAKDD
2008). No subgraph with an edge more has a larger one, so that subgraphs grow along the codes of
gSpan as in a collection, and one that is not frequent has no frequent one around it.

Occurrences are not listed. Whether a graph node is in the image of a pattern node is decided by one
occurrence, which settles all of its nodes; what no occurrence settled is a root of the search
(:meth:`OccurrenceSearch.meet_each`), as M. Elseidy et al. do (GraMi, PVLDB 7, 2014). Candidates are
the images in the subgraph with an edge less, without what neighbours rule out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from gomkcn.mining.counting.counter import count_query
from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.counting.query import Query, links_with
from gomkcn.mining.counting.watching import STEPS_PER_SECOND, Spend, spend_freely
from gomkcn.mining.frequent.codes import Code, Labels, arcs_by_kind, plain_interrupt
from gomkcn.mining.structures.occurrences import pick_disjoint
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps

# roots that are searched at first, and twice as many each time: the first occurrences settle most
_FIRST_ROOTS = 16
# the steps for the occurrences of all listed subgraphs together, about 20 seconds, and for those of
# one: fewer than 10 milliseconds tell little, and more than a second is long for one
_STEPS_OF_ALL = 20 * STEPS_PER_SECOND
_LEAST_STEPS = STEPS_PER_SECOND // 100
_MOST_STEPS = STEPS_PER_SECOND
# roots that are searched at a time for disjoint copies, at most
_MOST_AT_A_TIME = 1 << 12
# subgraphs whose occurrences are counted in one step of a job, which is a file: up to some seconds
_ROWS_OF_A_STEP = 8


@dataclass(frozen=True, eq=False)
class InOneGraph:
    """What is known of S frequent subgraphs of one graph.

    Attributes
    ----------
    num_nodes : int
        Nodes of the graph.
    support : numpy.ndarray
        int64 ``[S]``, the minimum node image.
    occurrences : list of OccurrenceCount or None
        Not induced, of those that differ by a symmetry one; None where there was no time.
    disjoint : list of int or None
        Occurrences that share no node, to which no further one can be added; None likewise.
    """

    num_nodes: int
    support: np.ndarray
    occurrences: list[OccurrenceCount | None]
    disjoint: list[int | None]

    @property
    def note(self) -> str:
        """What was not counted, in a sentence; "" where all was."""
        missing = self.occurrences.count(None)
        if not missing:
            return ""
        return f"occurrences were not counted for want of time: {count(missing, 'subgraph')}"


# what an arc leaves, its label, and what it leads to
Kind = tuple[int, int, int]


class FoundCode(NamedTuple):
    """The code of a frequent subgraph, and its support."""

    code: Code
    support: int


@dataclass(frozen=True, eq=False)
class _Level:
    """All frequent subgraphs of a number of nodes."""

    found: list[FoundCode]


@dataclass(frozen=True, eq=False)
class _Counts:
    """Occurrences and disjoint copies of some subgraphs."""

    occurrences: list[OccurrenceCount]
    disjoint: list[int]


def search_graph(
    search: ImageSearch,
    least: int,
    steps: Steps,
    tell: Callable[[int], None],
) -> tuple[list[FoundCode], int]:
    """The frequent subgraphs of one graph, and the number of nodes up to which they are all.

    Each number of nodes is a step, so that a killed job goes on, and so that it is known which
    sizes are complete when time is up. ``tell`` is told of the number found so far, now and then.
    """
    found: list[FoundCode] = []
    parents: list[FoundCode] = []
    for size in range(2, search.most_nodes + 1):
        name = f"searching for frequent subgraphs of {size} nodes"
        grow = partial(_grow_level, search, parents, least, steps, tell, len(found))
        levels = steps.each(name, _Level, grow, [size], in_time=True, weight=lambda _: 0)
        parents = [row for level in levels for row in level.found]
        found += parents
        if steps.is_partial:
            return found, size - 1
        if not parents:
            break
    return found, search.most_nodes


def _grow_level(
    search: ImageSearch,
    parents: list[FoundCode],
    least: int,
    steps: Steps,
    tell: Callable[[int], None],
    num_before: int,
    size: int,
) -> _Level:
    """The frequent codes of a number of nodes, or as many as there is time for."""
    found: list[FoundCode] = []
    show = steps.stage(steps.name)

    def spend(_: float) -> None:
        tell(num_before + len(found))
        steps.check_time()

    try:
        with plain_interrupt():
            for share, row in search.grow(size, parents, least, spend):
                show(share)
                if row is not None:
                    found.append(row)
    except TimeUpError:
        # what is returned is not kept
        pass
    return _Level(found)


class ImageSearch:
    """The search of one graph: which of its nodes are in the image of each node of a code."""

    def __init__(self, graph: CSRGraph, labels: Labels, most_nodes: int, most_bytes: int) -> None:
        self.labels = labels
        self.most_nodes = most_nodes
        if not labels.relations.is_simple:
            graph = graph.with_relations(labels.relations)
        self.graph = graph
        arcs = labels.arcs_of(graph)
        self._colors = arcs.colors
        # the nodes that an arc of each kind leaves
        self._leaving = {
            kind: np.unique(nodes[:, 0]) for kind, nodes in arcs_by_kind(arcs, labels).items()
        }
        # what each graph node may be in a code, as bits; of codes that others grow from
        self._images: dict[tuple[int, ...], np.ndarray] = {}
        self._room = most_bytes

    def grow(
        self, size: int, parents: list[FoundCode], least: int, spend: Spend
    ) -> Iterator[tuple[float, FoundCode | None]]:
        """Yield the frequent codes of a number of nodes, each with the share that is done by then.

        ``parents`` are all those of a node less.
        """
        kinds = self._frequent_kinds(least)
        if size == 2:
            for number, kind in enumerate(kinds):
                images = np.zeros(self.graph.num_nodes, np.int64)
                images[self._leaving[kind]] |= 1
                images[self._leaving[self._opposite(kind)]] |= 2
                code = Code.begin(kind[1], (kind[0], kind[2]))
                if code.is_minimal(self.labels):
                    for row in self._with_arcs_back(code, images, kinds, least, spend):
                        yield number / len(kinds), row
            return
        for number, parent in enumerate(parents):
            images = self._take_images(parent.code)
            yield number / len(parents), None
            for code, eligible in self._with_a_node(parent.code, images, kinds, least):
                for row in self._with_arcs_back(code, eligible, kinds, least, spend):
                    yield number / len(parents), row

    def _opposite(self, kind: Kind) -> Kind:
        """An arc as seen from its other end."""
        first, label, second = kind
        return second, int(self.labels.opposite[label]), first

    def _frequent_kinds(self, least: int) -> list[Kind]:
        """The kinds of arcs that are frequent, ascending: a frequent subgraph has no others."""
        number = {kind: len(nodes) for kind, nodes in self._leaving.items()}
        return [kind for kind in number if min(number[kind], number[self._opposite(kind)]) >= least]

    def _with_a_node(
        self, code: Code, images: np.ndarray, kinds: list[Kind], least: int
    ) -> Iterator[tuple[Code, np.ndarray]]:
        """Yield the codes with one node more that may be frequent, and what nodes may be in them.

        These are least codes, in gSpan's order.
        """
        size, num_labels = len(code.colors), len(self.labels.opposite)
        for rank, position in enumerate(code.path[::-1].tolist()):
            for kind in kinds:
                first, label, second = kind
                if first != code.colors[position]:
                    continue
                leaving = self._leaving[kind]
                has_arc = leaving[images[leaving] >> position & 1 == 1]
                if len(has_arc) < least:
                    continue
                key = (rank * num_labels + label) * self.labels.num_colors + second
                longer = code.extended(key + size * num_labels, self.labels)
                if not longer.is_minimal(self.labels):
                    continue
                eligible = images & ~(1 << position)
                eligible[has_arc] |= 1 << position
                eligible[self._leaving[self._opposite(kind)]] |= 1 << size
                yield longer, eligible

    def _with_arcs_back(
        self, code: Code, eligible: np.ndarray, kinds: list[Kind], least: int, spend: Spend
    ) -> Iterator[FoundCode]:
        """Yield a least code, and those with more arcs between its nodes, that are frequent."""
        num_labels = len(self.labels.opposite)
        waiting = [(code, eligible)]
        while waiting:
            code, eligible = waiting.pop()
            spend(0.0)
            decided = self.decide(code, eligible, least, spend)
            if decided is None:
                continue
            support, images = decided
            self._keep_images(code, images)
            yield FoundCode(code, support)
            used, last = code.used(self.labels.opposite), len(code.colors) - 1
            for position in code.path[:-1].tolist():
                for label in np.flatnonzero(~used[last, position]).tolist():
                    kind = code.colors[last], label, code.colors[position]
                    denser = code.extended(position * num_labels + label, self.labels)
                    if kind in kinds and denser.is_minimal(self.labels):
                        waiting.append((denser, images))

    def decide(
        self, code: Code, eligible: np.ndarray, least: int, spend: Spend = spend_freely
    ) -> tuple[int, np.ndarray] | None:
        """The support of a code, and a bound of its images; None if it has less than ``least``.

        Parameters
        ----------
        eligible : int64 ``[V]``
            The nodes of the code that each graph node may be, as bits.

        Returns
        -------
        support : int
        images : int16 or int64 ``[V]``
            Of each pattern node the image, or as many nodes as were not ruled out.
        """
        structure = code.structure(self.labels)
        search = OccurrenceSearch(self._query(code, structure, eligible))
        candidates = search.candidates
        bits = 1 << np.arange(structure.num_nodes)
        # 1. symmetric nodes have one image
        is_in = structure.orbits == np.arange(structure.num_orbits)[:, None]
        masks = (is_in @ bits).astype(candidates.dtype)
        for mask in masks:
            candidates[candidates & mask != mask] &= ~mask
        sizes = [np.count_nonzero(candidates & mask) for mask in masks]
        if min(sizes) < least:
            return None
        # 2. the image of each, the smallest first: another one counts as far as it is smaller
        met = np.zeros_like(candidates)
        support = self.graph.num_nodes
        for orbit in np.argsort(sizes, kind="stable").tolist():
            mask, node = masks[orbit], int(is_in[orbit].argmax())
            left = np.flatnonzero((candidates & ~met) & mask)
            num_met, num_roots = np.count_nonzero(met & mask), _FIRST_ROOTS
            while len(left) and num_met < support:
                roots, left = left[:num_roots], left[num_roots:]
                num_roots *= 2
                places = search.meet_each(node, roots, spend)
                for number, place in enumerate(places.T):
                    met[place] |= masks[structure.orbits[number]]
                candidates[roots[search.count[roots] == 0]] &= ~mask
                left = left[met[left] & mask == 0]
                num_met = np.count_nonzero(met & mask)
                if num_met + len(left) < least:
                    return None
            support = min(support, int(num_met))
        return support, candidates

    def count(self, code: Code, max_steps: int) -> OccurrenceCount:
        """The occurrences of a code, or their estimate."""
        structure = code.structure(self.labels)
        query = self._query(code, structure, self._by_color(code))
        return count_query(query, max_steps=max_steps)[0]

    def count_disjoint(self, code: Code, spend: Spend = spend_freely) -> int:
        """Occurrences that share no node, taken one after the other until none is left."""
        structure = code.structure(self.labels)
        search = OccurrenceSearch(self._query(code, structure, self._by_color(code)))
        candidates = search.candidates
        found, num_roots, left = 0, _FIRST_ROOTS, search.roots
        while len(left):
            roots, later = left[:num_roots], left[num_roots:]
            places = search.meet_each(search.first, roots, spend)
            picked = places[pick_disjoint(places)]
            candidates[picked] = 0
            found += len(picked)
            # those whose occurrence was in the way may have another one
            again = roots[(search.count[roots] > 0) & (candidates[roots] != 0)]
            left = np.concatenate([again, later[candidates[later] != 0]])
            are_apart = 2 * len(picked) >= len(places)
            num_roots = min(2 * num_roots, _MOST_AT_A_TIME) if are_apart else num_roots // 2 or 1
        return found

    def _query(self, code: Code, structure: Structure, eligible: np.ndarray) -> Query:
        """A code in terms of the graph."""
        channels = code.used(self.labels.opposite)
        allowed = links_with(channels, self.graph.relations.links)
        return Query(self.graph, structure, allowed, eligible)

    def _by_color(self, code: Code) -> np.ndarray:
        """What each node may be by its colour, int64 ``[V]``."""
        bits = np.zeros(self.labels.num_colors, np.int64)
        for position, color in enumerate(code.colors):
            bits[color] |= 1 << position
        return bits[self._colors]

    def _keep_images(self, code: Code, images: np.ndarray) -> None:
        """Keep the images of a code for those that grow from it, as long as there is room."""
        if len(code.colors) < self.most_nodes and images.nbytes <= self._room:
            self._images[code.name] = images
            self._room -= images.nbytes

    def _take_images(self, code: Code) -> np.ndarray:
        """What each node may be in a code by its images, or where these are not kept by colours."""
        images = self._images.pop(code.name, None)
        if images is None:
            return self._by_color(code)
        self._room += images.nbytes
        return images.astype(np.int64)


def count_found(
    search: ImageSearch, codes: list[Code], steps: Steps
) -> tuple[list[OccurrenceCount | None], list[int | None]]:
    """Occurrences and disjoint copies of some codes; None where there was no time."""
    max_steps = min(max(_STEPS_OF_ALL // max(1, len(codes)), _LEAST_STEPS), _MOST_STEPS)
    parts = [codes[at : at + _ROWS_OF_A_STEP] for at in range(0, len(codes), _ROWS_OF_A_STEP)]

    def count_part(part: list[Code]) -> _Counts:
        counts = _Counts([], [])
        for code in part:
            steps.check_time()
            counts.occurrences.append(search.count(code, max_steps))
            counts.disjoint.append(search.count_disjoint(code, steps.check_time))
        return counts

    def key(part: list[Code]) -> bytes:
        return hashlib.sha256(repr([code.name for code in part]).encode()).digest()

    with plain_interrupt():
        done = steps.each(
            "counting occurrences", _Counts, count_part, parts, key, in_time=True, weight=len
        )
    occurrences: list[OccurrenceCount | None] = [row for part in done for row in part.occurrences]
    disjoint: list[int | None] = [row for part in done for row in part.disjoint]
    missing = len(codes) - len(occurrences)
    return occurrences + [None] * missing, disjoint + [None] * missing
