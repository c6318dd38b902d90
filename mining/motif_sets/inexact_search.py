"""The search for motifs whose copies may differ from them by some edges.

It starts from drawings, those of the motifs that the exact search found and of dense sets, and each
step is judged by the length of the whole description:

1. A drawing is *fitted*: near each of many sets the best node for each role is looked for, disjoint
   sets are taken by falling worth, and what most of them have is the next drawing.
2. The best motif is *polished*: a node more, a pair joined or not.
3. In the set, a motif is *split* by how its copies differ, each is polished on what the others
   leave, and one is dropped whose copies the others take.

The work is bounded by numbers of sets, rounds and tries, so that the same seed gives the same set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import log2
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.compiled import run_blocks
from mining.candidates.grown_sets import distinct, grow, hash_sets
from mining.candidates.shapes import Shape, find_shapes
from mining.motif_sets.alignment_loops import align_sets, neighbors_of, new_scratch, thin_sets
from mining.motif_sets.coded_set import CodedMotif, CodedSet
from mining.motif_sets.copy_loops import choose_disjoint
from mining.motif_sets.edited_copies import EditedCollection, EditedGraph

# a set of exact copies says more plainly what a graph is made of: one with edits must save so many
# times what it saves
_SHARE_OF_EDITS = 1.05
# nodes of a motif with edits, at least
_LEAST_NODES = 4
# a motif with edits saves so many bits, and has so many copies
LEAST_BITS, LEAST_COPIES = 10.0, 3
# sets of one size that drawings are fitted to; to find the promising ones; and in how many of them
# a node may be
_MOST_SETS, _FEW_SETS, _SETS_OF_NODE = 3000, 300, 4
# dense sets of one size that are drawings, and fits that are repeated with all sets
_DENSE_DRAWINGS, _MOST_FITTED = 4, 4
# sets that a motif is polished with
_MOST_POLISHED = 1200
# rates of missing and added edges before any is known, and the least and largest
_FIRST_RATES, _LEAST_RATE, _MOST_RATE = (0.15, 0.1), 0.01, 0.45
# rounds of Lloyd's algorithm for two clusters
_CLUSTER_ROUNDS = 15
# rounds of a soft alignment; the share of all pairs counts as so many copies in it
_SOFT_ROUNDS, _PRIOR = 8, 3.0
# soft alignments of one motif, and of those that do not help in a row; one that saves so much less
# is not polished
_MOST_SHAKEN, _MOST_FAILED, _LEAST_PROMISING = 12, 3, 20.0
# copies that save less are not looked at
_LEAST_WORTH = -15.0
# a drawing that saves less by the estimate is given up; and one that saves less than this share of
# what it must: lengths are up to a third shorter than estimates
_HOPELESS, _LEAST_SHARE = -40.0, 0.7
# a set that saves so many times what the exact one does is not looked for in its place
_FAR_SHORTER = 1.1
# a move is made that saves half a bit, and this share of what is saved
_SHARE_OF_MOVE = 0.005
# several motifs that together save less than this share of what they must are given up
_LEAST_JOINT = 0.9
# motifs of a set, and rounds of moves; graphs that are kept with some motifs covered
_MOST_MOTIFS, _MOST_MOVES, _MOST_KEPT = 8, 24, 16
# nanoseconds, about: of a set that is aligned, of a length and that for each entry, and of the
# whole search for each entry and node of the largest motif, and at least
_ALIGN_TIME, _LENGTH_TIME, _ENTRY_TIME = 15_000, 1_500_000, 60
# a length where a block is joined to another takes so many times as long for each such pair
_JOINED_TIME = 0.1
_WORK, _LEAST_WORK = 30_000, 6e9


def is_worth_edits(length: float, exact: float, empty: float) -> bool:
    """Whether a set with edits replaces one without, by the bits of both and of no set.

    >>> is_worth_edits(length=900.0, exact=1000.0, empty=2000.0)
    True
    >>> is_worth_edits(length=990.0, exact=1000.0, empty=2000.0)
    False
    """
    return empty - length > _SHARE_OF_EDITS * (empty - exact)


# with the copies of some motifs covered
Covered = EditedGraph | EditedCollection


class Drawing(NamedTuple):
    """A structure, and sets of nodes that are near it, in the order of its nodes."""

    shape: Shape
    copies: np.ndarray  # int64 [K, M]


@dataclass(frozen=True, eq=False)
class Fit:
    """A motif while it is searched."""

    shape: Shape
    copies: np.ndarray
    rates: tuple[float, float]
    gain: float


def search_inexact(
    empty: Covered,
    sizes: range,
    exact: Sequence[Drawing],
    seed: int,
    is_over: Callable[[], bool],
    structure_of: Callable[[Shape], Structure],
    drawings: Sequence[Drawing] = (),
    grows: bool = True,
) -> CodedSet | None:
    """Search for the motifs of some ``sizes`` whose copies may differ from them.

    Parameters
    ----------
    empty : Covered
        The graph or the collection without motifs.
    sizes : range
        Numbers of nodes of a motif; of one graph at least four.
    exact : sequence of Drawing
        The motifs of the set without edits, with their copies.
    seed : int
        The same seed gives the same set.
    is_over : callable
        Whether the time is up.
    drawings : sequence of Drawing
        What others propose, as trained filters do.
    grows : bool
        Whether dense sets propose drawings as well.

    Returns
    -------
    CodedSet or None
        Motifs of at least three copies that save at least 10 bits each; None where there are none,
        or none has edits.
    """
    sizes = range(max(_LEAST_NODES, sizes[0]), sizes[-1] + 1)
    if not len(sizes):
        return None
    search = InexactSearch(empty, sizes, seed, is_over)
    proposed = [one for one in drawings if one.shape.num_nodes in sizes]
    covered = search.run(exact, proposed, grows)
    placed, motifs = covered.motifs, []
    if not any(one.edits.missing.any() or one.edits.added.any() for one in placed):
        return None
    for place, one in enumerate(placed):
        fewer = empty
        for other in placed[:place] + placed[place + 1 :]:
            fewer = fewer.add(other.shape, other.copies)
        # canonical order, as all motifs have
        (shape,), (order,), _ = find_shapes(one.shape.links[None], one.shape.colors[None])
        marks = [(one.edits.missing, -1), (one.edits.added, 1)]
        rows = [np.append(each, sign) for mask, sign in marks for each in np.argwhere(mask)]
        edits = np.array(rows, np.int64).reshape(-1, 4)
        edits[:, 1:3] = np.argsort(order)[edits[:, 1:3]]
        bits, copies = fewer.length - covered.length, one.copies[:, order]
        motifs.append(CodedMotif(structure_of(shape), copies, bits, one.address, edits=edits))
    ordered = tuple(sorted(motifs, key=lambda one: (-one.bits, one.structure.key)))
    cut = "The search for copies with edits was cut." if search.is_cut else ""
    return CodedSet(ordered, empty.length, covered.length, cut=cut)


class InexactSearch:
    """The search in one graph or collection, from one start."""

    def __init__(
        self, empty: Covered, sizes: range, seed: int, is_over: Callable[[], bool]
    ) -> None:
        self.empty, self.sizes, self.is_over = empty, sizes, is_over
        # what is left of the nanoseconds that the work may take, about; and whether it was cut
        entries = len(empty.view.is_free)
        self.work = float(max(_LEAST_WORK, _WORK * entries * sizes[-1]))
        self._length_time = _LENGTH_TIME * (1 + _JOINED_TIME * empty.joined_blocks)
        self._length_time += _ENTRY_TIME * entries
        self.is_cut = False
        self.rng, self.seed = np.random.default_rng([seed, 41]), np.uint64(seed)
        rows = empty.view.rows
        self.num_nodes = len(rows.colors)
        # dense sets of the whole graph
        self.sets = _dense_sets(empty, sizes, seed)
        self._shapes: dict[bytes, Shape | None] = {}
        # the same motifs are covered again and again
        self._add = lru_cache(_MOST_KEPT)(_add)
        self._scratch = cache(lambda thread, size: new_scratch(self.num_nodes, size))
        # motifs that were split before
        self._split: set[tuple[bytes, int]] = set()

    def run(
        self, exact: Sequence[Drawing], drawings: Sequence[Drawing] = (), grows: bool = True
    ) -> Covered:
        """Search from nothing, and from the motifs of a set; the graph with the shorter set."""
        proposed = [*exact, *drawings]
        start = [Fit(one.shape, one.copies, _FIRST_RATES, 0.0) for one in exact]
        # 1. the set stays if no move makes it shorter, and there is nothing beside it
        whole, shorter = self.cover(start), self.shorter(start)
        if start and not shorter and not self.best_motif(whole, proposed, grows):
            return whole
        # 2. from nothing
        found: list[Fit] = []
        while len(found) < _MOST_MOTIFS and not self.late():
            one = self.best_motif(self.cover(found), proposed, grows)
            if one is None:
                break
            found = self.moved([*found, one])
        # 3. from the set
        saved, as_well = (self.empty.length - one.length for one in (self.cover(found), whole))
        other = self.moved(shorter) if shorter and saved < _FAR_SHORTER * as_well else []
        return min((self.cover(self.pruned(one)) for one in (found, other)), key=_length)

    def late(self) -> bool:
        """Whether the time or the work is up."""
        self.is_cut = self.is_cut or self.work <= 0 or self.is_over()
        return self.is_cut

    # what a set is worth

    def cover(self, found: Sequence[Fit], state: Covered | None = None) -> Covered:
        """The graph with these motifs covered as well, after those of a state."""
        state = self.empty if state is None else state
        for one in found:
            self.work -= self._length_time
            state = self._add(state, one.shape, one.copies.tobytes())
        return state

    def length(self, found: Sequence[Fit]) -> float:
        """Bits of the description with these motifs."""
        return self.cover(found).length

    def pruned(self, found: list[Fit]) -> list[Fit]:
        """The set without motifs that do not save enough."""
        while found:
            total = self.length(found)
            worth = [self.length(found[:k] + found[k + 1 :]) - total for k in range(len(found))]
            least = int(np.argmin(worth))
            if worth[least] >= LEAST_BITS:
                break
            found = found[:least] + found[least + 1 :]
        return found

    # a drawing and its copies

    def shape(self, links: np.ndarray, colors: np.ndarray) -> Shape | None:
        """The shape of a drawing, None where it is not connected."""
        key = np.concatenate([colors, links.reshape(-1)], dtype=np.int64).tobytes()
        if key not in self._shapes:
            self._shapes[key] = Shape.of(links, colors) if _is_connected(links > 0) else None
        return self._shapes[key]

    def align(
        self,
        state: Covered,
        weights: np.ndarray,
        colors: np.ndarray,
        starts: np.ndarray,
        kept: bool,
        seed: int = 0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The best node for each role near each start, and the bits of edges and edits."""
        self.work -= len(starts) * _ALIGN_TIME
        out, worth = np.empty(starts.shape, np.int64), np.empty(len(starts))
        own_seed = np.uint64(int(self.seed) + seed)
        arguments = state.view, weights, colors, starts, kept, own_seed, out, worth
        with np.errstate(over="ignore"):
            run_blocks(self._align_block, len(starts), len(starts) * _ALIGN_TIME, *arguments)
        return out, worth

    def _align_block(self, first: int, last: int, *arguments: Any) -> None:
        """Give each thread scratch of its own."""
        align_sets(first, last, *arguments, self._scratch(get_ident(), arguments[3].shape[1]))

    def copies(
        self,
        state: Covered,
        shape: Shape,
        rates: tuple[float, float],
        starts: np.ndarray,
        warm: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sets that are worth something, with their values by two addresses and their edges."""
        weights = _weights(shape, rates, len(state.view.reverse), state.num_links)
        parts = [
            self.align(state, weights, shape.colors, rows, kept)
            for rows, kept in ((warm, True), (starts, False))
            if len(rows)
        ]
        if not parts:
            size = shape.num_nodes
            return starts, np.zeros((2, 0)), np.zeros((0, size * (size - 1) // 2), np.int64)
        rows, worth = (np.concatenate(column) for column in zip(*parts, strict=True))
        kept = np.flatnonzero(worth > -500)
        kept = kept[_first_of_each(np.sort(rows[kept], axis=1))]
        rows, worth = rows[kept], worth[kept]
        links, edges = state.links_and_edges(rows)
        values = state.values(shape, rows, links, worth)
        good = values.max(axis=0, initial=-np.inf) > _LEAST_WORTH
        return rows[good], values[:, good], edges[good]

    def choices(
        self, state: Covered, shape: Shape, rows: np.ndarray, values: np.ndarray, edges: np.ndarray
    ) -> Iterator[tuple[float, np.ndarray, list[int]]]:
        """Disjoint sets by falling value: about what the best number saves, and sensible ones."""
        ways = [rows] if state.nodes_apart else [rows, edges]
        for own in values:
            order = np.argsort(-own, kind="stable")
            for members in ways:
                chosen = self._disjoint(order, members)
                if len(chosen) < LEAST_COPIES:
                    continue
                number = np.arange(1, len(chosen) + 1)
                saved = np.cumsum(own[chosen]) + state.order_bits(number) - state.head(shape)
                best = int(saved[LEAST_COPIES - 1 :].argmax()) + LEAST_COPIES
                cuts = {best, int((own[chosen] > 0).sum()), len(chosen)}
                yield float(saved[best - 1]), chosen, [best, *sorted(cuts - {best})]

    def _disjoint(self, order: np.ndarray, members: np.ndarray) -> np.ndarray:
        """The rows, in an order, that have no node or edge in common with one before."""
        marks = np.zeros(max(self.num_nodes, len(self.empty.view.is_free)), bool)
        chosen: np.ndarray = choose_disjoint(order, members.astype(np.int32), marks)
        return chosen

    def fit(
        self,
        state: Covered,
        shape: Shape,
        starts: np.ndarray,
        warm: np.ndarray,
        rates: tuple[float, float],
        rounds: int,
        exact: bool,
        least: float = -np.inf,
    ) -> Fit | None:
        """Copies of a drawing, what most of them have as the next drawing, and again.

        The best one, by the length of the description if ``exact``, else by an estimate; it is
        given up where it is far from saving ``least`` bits.
        """
        best: Fit | None = None
        hopeless = _HOPELESS
        if exact:
            # of a collection, estimates say little
            hopeless = -np.inf if state.nodes_apart else _HOPELESS + _LEAST_SHARE * least
        seen = set()
        drawn: Shape | None = shape
        for _ in range(rounds):
            if drawn is None:
                break
            shape = drawn
            rows, values, edges = self.copies(state, shape, rates, starts, warm)
            choices = [*self.choices(state, shape, rows, values, edges)]
            if not choices:
                break
            estimate, chosen, cuts = max(choices, key=lambda one: one[0])
            if estimate < hopeless:
                break
            if exact:
                # the sensible numbers of the best way, and the best number of those as good
                tried = [chosen[:cut] for cut in cuts]
                tried += [
                    own[: numbers[0]]
                    for saved, own, numbers in choices
                    if own is not chosen and saved > estimate - _LEAST_PROMISING
                ]
                for own in tried:
                    if len(own) < LEAST_COPIES:
                        continue
                    one = Fit(shape, rows[own], rates, 0.0)
                    gain = state.length - self.cover([one], state).length
                    if best is None or gain > best.gain + 1e-6:
                        best = replace(one, gain=gain)
            elif best is None or estimate > best.gain + 1e-6:
                best = Fit(shape, rows[chosen[: cuts[0]]], rates, estimate)
            # the next drawing is looked for where this one is worth something
            warm, starts = rows[chosen[: cuts[0]]], rows[:0]
            if len(rows) > len(warm):
                starts = rows[np.argsort(-values.max(axis=0), kind="stable")[:_FEW_SETS]]
            links, rates = self.majority(state, warm, shape.colors)
            drawn = self.shape(links, shape.colors)
            key = links.tobytes(), round(rates[0], 2), round(rates[1], 2)
            if key in seen:
                break
            seen.add(key)
        return best

    def majority(
        self, state: Covered, rows: np.ndarray, colors: np.ndarray
    ) -> tuple[np.ndarray, tuple[float, float]]:
        """The link that most sets have at each pair, and the rates at which they differ."""
        links, _ = state.links_and_edges(rows)
        shares = _shares(links, len(state.view.reverse))
        drawn = shares.argmax(axis=2)
        # both ends of a pair read the same
        lower = np.tril(drawn)
        drawn = lower + np.asarray(state.view.reverse)[lower].T
        return drawn, _rates(drawn, links)

    def softened(self, state: Covered, one: Fit) -> Fit | None:
        """Copies in the orders that agree most, with the drawing that most of them then have.

        They are aligned to a soft drawing, as a filter is one: the share of them that have each
        link at each pair. It is made anew from the aligned ones, and again.
        """
        rows, colors = one.copies, one.shape.colors
        for number in range(_SOFT_ROUNDS):
            links, _ = state.links_and_edges(rows)
            weights = _soft_weights(links, len(state.view.reverse))
            (own, value), (other, worth) = (
                self.align(state, weights, colors, rows, kept, number) for kept in (True, False)
            )
            after = np.where((worth > value + 1e-9)[:, None], other, own)
            if (after == rows).all():
                break
            rows = after
        drawn, rates = self.majority(state, rows, colors)
        shape = self.shape(drawn, colors)
        return None if shape is None else Fit(shape, rows, rates, -np.inf)

    # steps

    def shaken(self, state: Covered, one: Fit) -> Fit:
        """A motif after its copies were put into other orders and aligned softly, some times."""
        failed, larger = 0, True
        for number in range(_MOST_SHAKEN):
            if failed == _MOST_FAILED or self.late():
                break
            failed += 1
            # 1. half of the copies with two nodes exchanged, at first none
            rows = one.copies.copy()
            for row in np.flatnonzero(self.rng.random(len(rows)) < 0.5 * (number > 0)):
                ends = self.rng.choice(one.shape.num_nodes, 2, replace=False)
                if np.ptp(one.shape.colors[ends]) == 0:
                    rows[row, ends] = rows[row, ends[::-1]]
            tried = [replace(one, copies=rows)]
            # 2. or with a node more
            if larger and one.shape.num_nodes < self.sizes[-1]:
                more = self._extended(state, one)
                tried += [replace(one, shape=shape, copies=copies) for shape, copies in more]
            larger = False
            # 3. aligned to what they agree on; polished where that is promising
            for other in tried:
                soft = self.softened(state, other)
                none = other.copies[:0]
                after = soft and self.fit(
                    state, soft.shape, none, soft.copies, soft.rates, 3, True, one.gain
                )
                if after is None or after.gain < one.gain - _LEAST_PROMISING:
                    continue
                after = self.polish(state, after, {})
                if after.gain > one.gain + 0.5:
                    one, failed, larger = after, 0, True
        return one

    def best_motif(self, state: Covered, drawings: Sequence[Drawing], grows: bool) -> Fit | None:
        """The motif that saves most in what a set leaves over."""
        sets = _dense_sets(state, self.sizes, int(self.seed)) if state.motifs else self.sets
        # 1. drawings: dense sets and given ones, fitted to few sets
        quick: dict[bytes, Fit] = {}
        dense = sets if grows else {}
        for shape, warm in self._drawings(state, dense, drawings):
            starts = sets.get(shape.num_nodes, np.zeros((0, shape.num_nodes), np.int64))
            one = self.fit(state, shape, starts[:_FEW_SETS], warm, _FIRST_RATES, 3, False)
            if one is not None:
                key = one.shape.key
                # shapes of equal keys may have another order of nodes
                if key not in quick or one.gain > quick[key].gain:
                    quick[key] = one
        # 2. the best ones, fitted to all sets
        ranked = sorted(quick.values(), key=lambda one: -one.gain)[:_MOST_FITTED]
        fits = []
        for one in ranked:
            starts = sets.get(one.shape.num_nodes, one.copies)
            again = self.fit(state, one.shape, starts, one.copies, one.rates, 4, True)
            if again is not None:
                fits.append(again)
        if not fits:
            return None
        # 3. the best of these, polished
        best = max(fits, key=lambda one: one.gain)
        best = self.shaken(state, self.polish(state, best, sets))
        return best if best.gain >= LEAST_BITS else None

    def _drawings(
        self, state: Covered, sets: dict[int, np.ndarray], drawings: Sequence[Drawing]
    ) -> Iterator[tuple[Shape, np.ndarray]]:
        """The drawings to start from, each with sets that are near."""
        for one in drawings:
            yield one.shape, one.copies.astype(np.int64)
        colors = state.view.rows.colors
        for rows in sets.values():
            chosen = self._disjoint(np.arange(len(rows)), rows)[:_DENSE_DRAWINGS]
            links, _ = state.links_and_edges(rows[chosen])
            for own, row in zip(links, rows[chosen], strict=True):
                shape = self.shape(own, colors[row])
                if shape is not None:
                    yield shape, np.zeros((0, len(row)), np.int64)

    def polish(self, state: Covered, one: Fit, sets: dict[int, np.ndarray]) -> Fit:
        """Change a motif by a node or a pair, as long as it saves more."""
        tried: set[Any] = set()
        changed = True
        while changed and not self.late():
            changed = False
            for shape, warm, wide in self._changes(state, one):
                if (shape.key, wide) in tried:
                    continue
                tried.add((shape.key, wide))
                none = np.zeros((0, shape.num_nodes), np.int64)
                starts = sets.get(shape.num_nodes, none)[:_MOST_POLISHED] if wide else none
                rounds = 4 if wide else 3
                after = self.fit(state, shape, starts, warm, one.rates, rounds, True, one.gain)
                if after is not None and after.gain > one.gain + 0.5:
                    one, changed = after, True
                    break
        return one

    def _changes(self, state: Covered, one: Fit) -> Iterator[tuple[Shape, np.ndarray, bool]]:
        """Motifs like one, with copies to begin with; whether others are looked for."""
        size = one.shape.num_nodes
        # 1. the same
        yield one.shape, one.copies, True
        # 2. a node more
        if size < self.sizes[-1]:
            for shape, warm in self._extended(state, one):
                yield shape, warm, False
        # 3. a pair on which the copies do not agree, as many others have it
        links, _ = state.links_and_edges(one.copies)
        shares = _shares(links, len(state.view.reverse))
        reverse = np.asarray(state.view.reverse)
        own = np.take_along_axis(shares, one.shape.links[..., None].astype(int), axis=2)[..., 0]
        np.put_along_axis(shares, one.shape.links[..., None].astype(int), -1, axis=2)
        other, share = shares.argmax(axis=2), shares.max(axis=2)
        pairs = sorted(
            (abs(own[i, j] - 0.5), i, j)
            for i in range(size)
            for j in range(i)
            if share[i, j] > 0.15
        )
        for _, i, j in pairs[:6]:
            changed = one.shape.links.astype(np.int64)
            changed[i, j], changed[j, i] = other[i, j], reverse[other[i, j]]
            other_shape = self.shape(changed, one.shape.colors)
            if other_shape is not None:
                yield other_shape, one.copies, False

    def _extended(self, state: Covered, one: Fit) -> Iterator[tuple[Shape, np.ndarray]]:
        """Drawings with one node more: how nodes beside the copies are joined to them."""
        size, view = one.shape.num_nodes, state.view
        owner, nodes, links, bits = neighbors_of(view, one.copies, int(self.seed))
        busy = np.zeros(self.num_nodes, bool)
        busy[one.copies] = True
        kept = ~busy[nodes]
        owner, nodes, links, bits = owner[kept], nodes[kept], links[kept], bits[kept]
        if not len(nodes):
            return
        # 1. ways to be joined, most promising first
        ways = np.column_stack([view.rows.colors[nodes], links])
        ways, number = np.unique(ways, axis=0, return_counts=True)
        joined = (ways[:, 1:] > 0).sum(axis=1)
        order = np.argsort(-number * np.maximum(0, joined - 1.0), kind="stable")[:40]
        # 2. what the best node of each copy saves in each
        rates = max(one.rates[0], 0.08), max(one.rates[1], 0.05)
        found: list[tuple[float, int, np.ndarray, np.ndarray]] = []
        for way in ways[order]:
            color, drawn = way[0], way[1:]
            weights = _pair_weights(drawn, rates, len(view.reverse), state.num_links)
            worth = weights[np.arange(size), links].sum(axis=1) + bits - log2(self.num_nodes)
            worth[view.rows.colors[nodes] != color] = -np.inf
            ascending = np.argsort(worth, kind="stable")
            best = np.full(len(one.copies), -1)
            best[owner[ascending]] = ascending
            saved = np.where(best >= 0, np.maximum(worth[best], -6), -6).sum()
            found.append((-saved, len(found), way, best))
        for _, _, way, best in sorted(found, key=lambda each: each[:2])[:3]:
            links_of = np.zeros((size + 1, size + 1), np.int64)
            links_of[:size, :size] = one.shape.links
            links_of[size, :size] = way[1:]
            links_of[:size, size] = np.asarray(view.reverse)[way[1:]]
            larger = self.shape(links_of, np.append(one.shape.colors, way[0]))
            if larger is not None:
                some = best >= 0
                yield larger, np.column_stack([one.copies[some], nodes[best[some]]])

    # several motifs

    def together(
        self, state: Covered, found: Sequence[Fit], rounds: int, least: float = 0.0
    ) -> list[Fit] | None:
        """Fit several drawings at once: each place goes to the one that saves most there.

        They are given up where they are far from saving ``least`` bits.
        """
        best: tuple[float, list[Fit]] | None = None
        for number in range(rounds):
            # 1. the sets of each drawing, with what they save there
            rows, value, which, edges = [], [], [], []
            for place, one in enumerate(found):
                size = one.shape.num_nodes
                alike = [other.copies for other in found if other.copies.shape[1] == size]
                starts = np.concatenate([*alike, self.sets.get(size, one.copies)[:600]])
                own, values, used = self.copies(state, one.shape, one.rates, starts, one.copies)
                rows += [*own]
                edges += [pairs[pairs >= 0] for pairs in used]
                value.append(values.max(axis=0, initial=-np.inf) + log2(max(2, len(one.copies))))
                which.append(np.full(len(own), place))
            values, places = np.concatenate(value), np.concatenate(which)
            # 2. disjoint ones by falling value
            members = rows if state.nodes_apart else edges
            busy = np.zeros(max(self.num_nodes, len(state.view.is_free)), bool)
            taken: list[list[np.ndarray]] = [[] for _ in found]
            for row in np.argsort(-values, kind="stable"):
                if values[row] < 0:
                    break
                if not busy[members[row]].any():
                    busy[members[row]] = True
                    taken[places[row]].append(rows[row])
            if min(map(len, taken)) < LEAST_COPIES:
                break
            made = [
                replace(one, copies=np.array(own)) for one, own in zip(found, taken, strict=True)
            ]
            gain = state.length - self.cover(made, state).length
            if gain < _LEAST_JOINT * least:
                break
            drawn = [self.majority(state, one.copies, one.shape.colors) for one in made]
            made = [replace(one, rates=rates) for one, (_, rates) in zip(made, drawn, strict=True)]
            if best is not None and gain <= best[0] + 0.1 and number > 2:
                break
            if best is None or gain > best[0]:
                best = gain, made
            # 3. what most copies have is the next drawing
            shapes = [
                self.shape(links, one.shape.colors)
                for one, (links, _) in zip(made, drawn, strict=True)
            ]
            if None in shapes:
                break
            found = [
                replace(one, shape=shape) for one, shape in zip(made, shapes, strict=True) if shape
            ]
        return None if best is None else best[1]

    def halves(self, state: Covered, one: Fit) -> list[Fit] | None:
        """Two motifs in place of one: its copies in two clusters by their edges."""
        size, number = one.shape.num_nodes, len(one.copies)
        if number < 2 * LEAST_COPIES:
            return None
        links, _ = state.links_and_edges(one.copies)
        i, j = np.tril_indices(size, -1)
        kinds = np.arange(1, len(state.view.reverse))
        points = (links[:, i, j, None] == kinds).reshape(number, -1).astype(float)
        # 1. clusters, from twelve starts; the closest ones first
        clusters = []
        for _ in range(12):
            means = points[self.rng.choice(number, 2, replace=False)]
            for _ in range(_CLUSTER_ROUNDS):
                own = ((points[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
                sizes = np.bincount(own, minlength=2)
                if not sizes.all():
                    break
                means = np.stack([points[own == one].mean(axis=0) for one in (0, 1)])
            if sizes.min() >= LEAST_COPIES:
                spread = float(((points - means[own]) ** 2).sum())
                # the same clusters, whichever comes first
                own = own ^ own[0]
                clusters.append((round(spread, 6), own.tobytes(), own))
        # 2. both halves fitted together
        best: tuple[float, list[Fit]] | None = None
        for _, _, own in sorted(
            {key: (s, key, c) for s, key, c in clusters}.values(), key=lambda e: e[:2]
        )[:3]:
            made = []
            for cluster in (0, 1):
                rows = one.copies[own == cluster]
                drawn, rates = self.majority(state, rows, one.shape.colors)
                shape = self.shape(drawn, one.shape.colors)
                if shape is not None:
                    made.append(Fit(shape, rows, (max(rates[0], 0.05), max(rates[1], 0.05)), 0.0))
            both = self.together(state, made, 6) if len(made) == 2 else None
            if both is not None:
                after = self.cover(both, state).length
                if best is None or after < best[0]:
                    best = after, both
        return None if best is None else best[1]

    def moved(self, found: list[Fit]) -> list[Fit]:
        """The set after moves that make it shorter."""
        for _ in range(_MOST_MOVES):
            after = None if self.late() else self.shorter(found)
            if after is None:
                break
            found = after
        return found

    def shorter(self, found: list[Fit]) -> list[Fit] | None:
        """The set after the first move that makes it shorter."""
        return next(self._moves(found, self.length(found)), None)

    def _moves(self, found: list[Fit], before: float) -> Iterator[list[Fit]]:
        """Sets that are shorter than one of a length."""
        least = self.empty.length - before
        enough = before - max(0.5, _SHARE_OF_MOVE * least)
        # 1. a motif split in two
        for place, one in enumerate(found):
            key = one.shape.key, len(one.copies)
            if key in self._split:
                continue
            self._split.add(key)
            others = found[:place] + found[place + 1 :]
            both = self.halves(self.cover(others), one)
            if both is None or self.length(others + both) > before + _LEAST_PROMISING:
                continue
            made = others + both
            for _ in range(2):
                made = self.polished(made, len(others))
            joint = self.together(self.cover(others), made[len(others) :], 4)
            best = made if joint is None else min(made, others + joint, key=self.length)
            if self.length(best) < enough:
                yield best
        # 2. one polished on what the others leave
        for place in range(len(found)):
            made = self.polished(found, place)
            if self.length(made) < enough:
                yield made
        # 3. one dropped, whose copies the others may take
        for place in range(len(found) if len(found) > 1 else 0):
            fewer = found[:place] + found[place + 1 :]
            joint = self.together(self.empty, fewer, 3, least)
            best = fewer if joint is None else min(fewer, joint, key=self.length)
            if self.length(best) < enough:
                yield best

    def polished(self, found: list[Fit], place: int) -> list[Fit]:
        """The set with one motif, now the last one, polished on what the others leave."""
        others = found[:place] + found[place + 1 :]
        state = self.cover(others)
        one = found[place]
        gain = state.length - self.cover([one], state).length
        return [*others, self.polish(state, replace(one, gain=gain), self.sets)]


# parts


def _length(state: Covered) -> float:
    return state.length


def _add(state: Covered, shape: Shape, copies: bytes) -> Covered:
    return state.add(shape, np.frombuffer(copies, np.int64).reshape(-1, shape.num_nodes))


def _first_of_each(rows: np.ndarray) -> np.ndarray:
    """The first of all equal rows ``[K, M]``, in the order of what they hold."""
    order = np.lexsort(rows.T[::-1])
    differs = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    return np.concatenate([order[:1], order[1:][differs]])


def _is_connected(joined: np.ndarray) -> bool:
    reached = np.zeros(len(joined), bool)
    reached[0] = True
    for _ in range(len(joined)):
        reached |= joined[reached].any(axis=0)
    return bool(reached.all())


def _pair_weights(
    drawn: np.ndarray, rates: tuple[float, float], num_kinds: int, num_links: int
) -> np.ndarray:
    """Bits of each link where one is drawn, ``[..., T + 1]`` for ``[...]``."""
    missing, added = rates
    extra = log2(added) - log2(num_links)
    kinds = np.arange(num_kinds)
    link = np.asarray(drawn)[..., None]
    apart = np.where(kinds == 0, log2(1 - added), extra)
    joined = np.where(kinds == 0, log2(missing), log2(missing) + extra)
    joined = np.where(kinds == link, log2(1 - missing), joined)
    return np.where(link == 0, apart, joined)


def _weights(
    shape: Shape, rates: tuple[float, float], num_kinds: int, num_links: int
) -> np.ndarray:
    weights = _pair_weights(shape.links.astype(np.int64), rates, num_kinds, num_links)
    weights[np.diag_indices(shape.num_nodes)] = 0
    return np.ascontiguousarray(weights)


def _soft_weights(links: np.ndarray, num_kinds: int) -> np.ndarray:
    """Bits of each link at each pair by the share of the sets that have it, ``[M, M, T + 1]``."""
    shares = _shares(links, num_kinds)
    size = len(shares)
    apart = ~np.eye(size, dtype=bool)
    usual = shares[apart].mean(axis=0) + 1e-9
    number = len(links)
    weights = np.log2((number * shares + _PRIOR * usual) / (number + _PRIOR))
    weights[np.diag_indices(size)] = 0
    return np.ascontiguousarray(weights)


def _shares(links: np.ndarray, num_kinds: int) -> np.ndarray:
    """The share of sets that have each link at each pair, float64 ``[M, M, T + 1]``."""
    return np.stack([(links == one).mean(axis=0) for one in range(num_kinds)], axis=2)


def _rates(drawn: np.ndarray, links: np.ndarray) -> tuple[float, float]:
    """How often an edge of a drawing is missing, and another one is there."""
    lower = np.tril(np.ones(drawn.shape, bool), -1)
    joined, apart = lower & (drawn > 0), lower & (drawn == 0)
    missing = (links[:, joined] != drawn[joined]).sum() + 0.5
    added = (links[:, apart] > 0).sum() + 0.5
    number = len(links)
    rates = missing / (number * joined.sum() + 1), added / (number * apart.sum() + 1)
    first, second = (min(_MOST_RATE, max(_LEAST_RATE, float(one))) for one in rates)
    return first, second


def _dense_sets(state: Covered, sizes: range, seed: int) -> dict[int, np.ndarray]:
    """Sets of each size that are worth most bits, each node in a few of them."""
    rows, view = state.view.rows, state.view
    nodes, _, values = grow(state.graph, rows, view.is_free, sizes[-1], seed)
    found, hashes = {}, hash_sets(nodes)
    for size in sizes:
        some = np.flatnonzero(nodes[:, size - 1] >= 0)
        some = some[distinct(hashes[some, size - 1])]
        some = some[np.argsort(-values[some, size - 1], kind="stable")[: 4 * _MOST_SETS]]
        sets = nodes[some, :size]
        kept = thin_sets(sets, _SETS_OF_NODE, _MOST_SETS)
        found[size] = sets[kept].astype(np.int64)
    return found
