"""Copies that may differ from a drawing: where they are, and what most of them have.

A *drawing* is a structure that sets of nodes need not equal. It is *fitted*: near each of many sets
the best node for each role is looked for, disjoint sets are taken by falling worth, and what most
of them have is the next drawing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import log2
from threading import get_ident
from typing import Any

import numpy as np

from gomkcn.mining.motif_sets.alignment_loops import (
    align_sets,
    describe_free,
    neighbors_of,
    new_scratch,
    thin_sets,
)
from gomkcn.mining.motif_sets.candidate import NO_EDGES, Candidate, Choice
from gomkcn.mining.motif_sets.copy_loops import choose_disjoint
from gomkcn.mining.motif_sets.description import Description
from gomkcn.mining.motif_sets.grown_sets import distinct, grow_from_roots, hash_sets
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.compiled import run_blocks

# lengths that differ by less are equal
_EQUAL = 1e-6
# an aligned set with a node of another colour than its role is worth less than this
_WRONG_COLOR = -500.0
# the share of a link that no pair has, so that its logarithm is a number
_NEVER = 1e-9
# nanoseconds that one set takes to be aligned, about, to share work among threads
_ALIGN_NANOSECONDS = 15_000


@dataclass(frozen=True)
class NearSettings:
    """What the search for copies that differ looks at. All lengths are in bits."""

    # a set of exact copies says more plainly what a graph is made of: one whose copies differ must
    # save so many times what it saves
    times_exact: float = 1.05
    # nodes of a motif, at least: three nodes that differ by an edge are another structure
    least_nodes: int = 4
    # a motif has so many copies
    least_copies: int = 3
    # sets of one size that drawings are fitted to; to find the promising ones; to polish one; and
    # in how many of them a node may be
    sets: int = 3000
    few_sets: int = 300
    sets_to_polish: int = 1200
    sets_of_node: int = 4
    # dense sets of one size that are drawings, and fits that are repeated with all sets
    dense_drawings: int = 4
    refitted: int = 8
    # sets of a drawing that are kept, among which copies are chosen
    kept: int = 1000
    # rounds of a fit: to find the promising ones, and of those that are measured
    few_rounds: int = 3
    rounds: int = 4
    # rates of missing and added edges before any is known, and the least and largest
    first_rates: tuple[float, float] = (0.15, 0.1)
    least_rate: float = 0.01
    most_rate: float = 0.45
    # a copy that saves less is not looked at
    least_worth: float = -15.0
    # a drawing that saves less by its estimate is given up
    hopeless: float = -40.0
    # … and one that saves less than this share of what it must: lengths are up to a third shorter
    # than estimates
    least_share: float = 0.7
    # another way to choose copies is measured if its estimate is so near the best one
    nearly_best: float = 20.0
    # a drawing is changed where that saves so many bits
    least_change: float = 0.5
    # drawings that are aligned softly before they are proposed; soft alignments of each, at most
    # and that do not help in a row; each time such a share of its copies has two nodes exchanged
    shaken_drawings: int = 4
    shaken: int = 12
    most_failed: int = 3
    share_shaken: float = 0.5
    # rounds of a soft alignment; the share of all pairs counts as so many copies in it
    soft_rounds: int = 8
    prior: float = 3.0
    # pairs of a motif that are tried otherwise, if such a share of the copies has it otherwise
    pairs: int = 6
    least_share_of_pair: float = 0.15
    # ways to join one node more that are looked at, and that are tried
    ways: int = 40
    tried_ways: int = 3
    # a copy without the node costs so many bits in the choice of a way
    without_node: float = 6.0
    # the rates that a node more is judged by, at least
    least_rates_of_node: tuple[float, float] = (0.08, 0.05)


NEAR = NearSettings()


class DrawingFits:
    """Fits drawings of some sizes to the edges that a description leaves over."""

    def __init__(
        self, empty: Description, sizes: range, seed: int, settings: NearSettings = NEAR
    ) -> None:
        self.empty = empty
        self.sizes = range(max(settings.least_nodes, sizes[0]), sizes[-1] + 1)
        self.seed = seed
        self.settings = settings
        self.rows = empty.free_edges.rows
        self.reverse = np.asarray(empty.free_edges.reverse)
        self.num_nodes = len(self.rows.colors)
        # the fits to one description, which changes of a drawing come to again
        self._fitted_to: Description | None = None
        self._fits: dict[tuple[Any, ...], Choice | None] = {}
        self._scratch = cache(lambda thread, size: new_scratch(self.num_nodes, size))

    def dense_sets(self, description: Description) -> dict[int, np.ndarray]:
        """Sets of each size that are worth most bits, each node in a few of them."""
        if not description.motifs:
            return self._sets_of_all
        return self._find_dense_sets(description)

    @cached_property
    def _sets_of_all(self) -> dict[int, np.ndarray]:
        return self._find_dense_sets(self.empty)

    def _find_dense_sets(self, description: Description) -> dict[int, np.ndarray]:
        # patterns may be smaller than all drawings
        if not self.sizes:
            return {}
        settings = self.settings
        is_free = description.free_edges.is_free
        nodes, _, values = grow_from_roots(
            description.graph, self.rows, is_free, self.sizes[-1], self.seed
        )
        hashes = hash_sets(nodes)
        sets = {}
        for size in self.sizes:
            some = np.flatnonzero(nodes[:, size - 1] >= 0)
            some = some[distinct(hashes[some, size - 1])]
            most = settings.sets_of_node * settings.sets
            some = some[np.argsort(-values[some, size - 1], kind="stable")[:most]]
            best = nodes[some, :size]
            thinned = best[thin_sets(best, settings.sets_of_node, settings.sets)]
            sets[size] = thinned.astype(np.int64)
        return sets

    def drawings_of(self, description: Description, sets: np.ndarray) -> Iterator[Candidate]:
        """The drawings of the first disjoint ones of some sets."""
        apart = self._disjoint(np.arange(len(sets)), sets)[: self.settings.dense_drawings]
        links, _ = self.links_and_edges(description, sets[apart])
        for links_of_set, row in zip(links, sets[apart], strict=True):
            structure = self.structure(links_of_set, self.rows.colors[row])
            if structure is not None:
                yield drawing_of(structure)

    # a drawing and its copies

    def structure(self, links: np.ndarray, colors: np.ndarray) -> Structure | None:
        """The structure of a drawing, None where it is not connected."""
        return self.empty.code.structure(links, colors) if _is_connected(links > 0) else None

    def links_and_edges(
        self, description: Description, copies: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What is left among the nodes of sets, see :func:`describe_free`."""
        free = description.free_edges
        return describe_free(self.rows, self.reverse, free.is_free, description.edge_of, copies)

    def fit(
        self,
        description: Description,
        drawing: Candidate,
        starts: np.ndarray,
        rounds: int,
        least: float | None = None,
    ) -> Choice | None:
        """Copies of a drawing, what most of them have as the next drawing, and again.

        Copies are looked for near those of the drawing, whose nodes are in order already, and near
        the sets ``starts``. The best choice is by an estimate; where it must save at ``least`` so
        many bits it is by the length of the description, and is given up if it is far from that.
        """
        if description is not self._fitted_to:
            self._fitted_to = description
            self._fits.clear()
        structure = drawing.structure
        arrays = structure.links, structure.colors, drawing.copies, starts
        content = tuple(array.tobytes() for array in arrays)
        key = content, structure.name, drawing.rates, drawing.sources, rounds, least
        if key not in self._fits:
            self._fits[key] = self._fit(description, drawing, starts, rounds, least)
        return self._fits[key]

    def _fit(
        self,
        description: Description,
        drawing: Candidate,
        starts: np.ndarray,
        rounds: int,
        least: float | None,
    ) -> Choice | None:
        best: Choice | None = None
        seen = set()
        hopeless = self._hopeless(description, least)
        rates = drawing.rates
        assert rates is not None, "a drawing has rates of edits"
        for _ in range(rounds):
            structure = drawing.structure
            rows, values, edges = self.copies(description, drawing, starts)
            choices = [*self._choices(description, structure, rows, values, edges)]
            if not choices:
                break
            estimate, chosen, numbers = max(choices, key=lambda choice: choice[0])
            if estimate < hopeless:
                break
            most_valuable = np.argsort(-values.max(axis=0), kind="stable")
            fitted = replace(drawing, copies=rows[most_valuable[: self.settings.kept]])
            taken = rows[chosen[: numbers[0]]]
            if least is None:
                found = Choice(fitted, taken, len(taken), estimate)
            else:
                found = self._measured(description, fitted, rows, choices)
            if best is None or found.gain > best.gain + _EQUAL:
                best = found
            # the next drawing is looked for where this one is worth something
            starts = rows[:0]
            if len(rows) > len(taken):
                starts = rows[most_valuable[: self.settings.few_sets]]
            links, rates = self.majority(description, taken, structure.colors)
            drawn = self.structure(links, structure.colors)
            key = links.tobytes(), round(rates[0], 2), round(rates[1], 2)
            if drawn is None or key in seen:
                break
            seen.add(key)
            drawing = replace(drawing, structure=drawn, copies=taken, rates=rates)
        return best

    def _hopeless(self, description: Description, least: float | None) -> float:
        """The estimate below which a drawing is given up that must save so many bits."""
        if description.nodes_apart:
            # of a collection, estimates say little
            return -np.inf
        hopeless = self.settings.hopeless
        return hopeless if least is None else hopeless + self.settings.least_share * least

    def _measured(
        self,
        description: Description,
        drawing: Candidate,
        rows: np.ndarray,
        choices: list[tuple[float, np.ndarray, list[int]]],
    ) -> Choice:
        """The copies that save most by the length of the description.

        Tried are the sensible numbers of the best way, and the best number of those nearly as good;
        of the best of all, copies go or come as long as that saves more.
        """
        estimate, best, numbers = max(choices, key=lambda choice: choice[0])
        tried = [(best, number) for number in numbers]
        tried += [
            (other, other_numbers[0])
            for value, other, other_numbers in choices
            if other is not best and value > estimate - self.settings.nearly_best
        ]
        least = self.settings.least_copies

        def gain_of(way: np.ndarray, number: int) -> float:
            if not least <= number <= len(way):
                return -np.inf
            return description.length - description.add(structure, rows[way[:number]]).length

        structure = drawing.structure
        gains = [gain_of(way, number) for way, number in tried]
        gain = max(gains)
        way, number = tried[gains.index(gain)]
        for step in (-1, 1):
            while (after := gain_of(way, number + step)) > gain + _EQUAL:
                gain = after
                number += step
        return Choice(drawing, rows[way[:number]], number, gain)

    def copies(
        self, description: Description, drawing: Candidate, starts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sets that are worth something, with their values by each address and their edges."""
        structure = drawing.structure
        assert drawing.rates is not None, "a drawing has rates of edits"
        drawn = structure.links.astype(np.int64)
        weights = self._pair_weights(drawn, drawing.rates, description.num_links)
        weights[np.diag_indices(structure.num_nodes)] = 0
        parts = [
            self._align(description, weights, structure.colors, sets, in_order)
            for sets, in_order in ((drawing.copies, True), (starts, False))
            if len(sets)
        ]
        if not parts:
            num_pairs = structure.num_nodes * (structure.num_nodes - 1) // 2
            return starts, np.zeros((2, 0)), np.zeros((0, num_pairs), np.int64)
        rows, worth = (np.concatenate(column) for column in zip(*parts, strict=True))
        kept = np.flatnonzero(worth > _WRONG_COLOR)
        kept = kept[_first_of_each(np.sort(rows[kept], axis=1))]
        rows = rows[kept]
        links, edges = self.links_and_edges(description, rows)
        values = description.copy_values(structure, rows, links, worth[kept])
        good = values.max(axis=0, initial=-np.inf) > self.settings.least_worth
        return rows[good], values[:, good], edges[good]

    def _align(
        self,
        description: Description,
        weights: np.ndarray,
        colors: np.ndarray,
        starts: np.ndarray,
        in_order: bool,
        number: int = 0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The best node for each role near each start, and the bits of edges and edits."""
        aligned = np.empty(starts.shape, np.int64)
        worth = np.empty(len(starts))
        arguments = (
            description.free_edges,
            np.ascontiguousarray(weights),
            colors,
            # by columns is another type
            np.ascontiguousarray(starts),
            in_order,
            np.uint64(self.seed + number),
            aligned,
            worth,
        )
        with np.errstate(over="ignore"):
            work = len(starts) * _ALIGN_NANOSECONDS
            run_blocks(self._align_block, len(starts), work, *arguments)
        return aligned, worth

    def _align_block(self, first: int, last: int, *arguments: Any) -> None:
        """Give each thread scratch of its own."""
        align_sets(first, last, *arguments, self._scratch(get_ident(), arguments[3].shape[1]))

    def _choices(
        self,
        description: Description,
        structure: Structure,
        rows: np.ndarray,
        values: np.ndarray,
        edges: np.ndarray,
    ) -> Iterator[tuple[float, np.ndarray, list[int]]]:
        """Disjoint sets by falling value: about what the best number saves, and sensible ones."""
        least = self.settings.least_copies
        ways = [rows] if description.nodes_apart else [rows, edges]
        for of_address in values:
            order = np.argsort(-of_address, kind="stable")
            for members in ways:
                chosen = self._disjoint(order, members)
                if len(chosen) < least:
                    continue
                numbers = np.arange(1, len(chosen) + 1)
                saved = np.cumsum(of_address[chosen]) + description.order_bits(numbers)
                saved -= description.head_bits(structure)
                best = int(saved[least - 1 :].argmax()) + least
                others = {int((of_address[chosen] > 0).sum()), len(chosen)} - {best}
                yield float(saved[best - 1]), chosen, [best, *sorted(others)]

    def _disjoint(self, order: np.ndarray, members: np.ndarray) -> np.ndarray:
        """The rows, in an order, that have no node or edge in common with one before."""
        marks = np.zeros(max(self.num_nodes, len(self.rows.indices)), bool)
        chosen: np.ndarray = choose_disjoint(order, members.astype(np.int32), marks)
        return chosen

    def majority(
        self, description: Description, rows: np.ndarray, colors: np.ndarray
    ) -> tuple[np.ndarray, tuple[float, float]]:
        """The link that most sets have at each pair, and the rates at which they differ."""
        links, _ = self.links_and_edges(description, rows)
        drawn = self._shares(links).argmax(axis=2)
        # both ends of a pair read the same
        lower = np.tril(drawn)
        drawn = lower + self.reverse[lower].T
        return drawn, self._rates(drawn, links)

    # other drawings of a motif

    def exchanged(self, drawing: Candidate, rng: np.random.Generator) -> Candidate:
        """A drawing whose copies have two nodes exchanged, some of them, that could play either."""
        rows = drawing.copies.copy()
        for row in np.flatnonzero(rng.random(len(rows)) < self.settings.share_shaken):
            ends = rng.choice(drawing.structure.num_nodes, 2, replace=False)
            if np.ptp(drawing.structure.colors[ends]) == 0:
                rows[row, ends] = rows[row, ends[::-1]]
        return replace(drawing, copies=rows)

    def softened(self, description: Description, drawing: Candidate) -> Candidate | None:
        """Copies in the orders that agree most, with the drawing that most of them then have.

        They are aligned to a soft drawing, as a filter is one: the share of them that have each
        link at each pair. It is made anew from the aligned ones, and again.
        """
        rows = drawing.copies
        colors = drawing.structure.colors
        for number in range(self.settings.soft_rounds):
            links, _ = self.links_and_edges(description, rows)
            weights = self._soft_weights(links)
            in_order, value = self._align(description, weights, colors, rows, True, number)
            anew, worth = self._align(description, weights, colors, rows, False, number)
            after = np.where((worth > value + _EQUAL)[:, None], anew, in_order)
            if (after == rows).all():
                break
            rows = after
        return self.drawn(description, rows, colors)

    def drawn(
        self, description: Description, rows: np.ndarray, colors: np.ndarray
    ) -> Candidate | None:
        """What most of some sets have, as a drawing; None where it is not connected."""
        links, rates = self.majority(description, rows, colors)
        structure = self.structure(links, colors)
        return None if structure is None else drawing_of(structure, rows, rates)

    def with_a_pair(self, description: Description, drawing: Candidate) -> Iterator[Candidate]:
        """Drawings with a pair on which the copies do not agree, as many others have it."""
        links, _ = self.links_and_edges(description, drawing.copies)
        shares = self._shares(links)
        drawn = drawing.structure.links[..., None].astype(int)
        agreeing = np.take_along_axis(shares, drawn, axis=2)[..., 0]
        np.put_along_axis(shares, drawn, -1, axis=2)
        other = shares.argmax(axis=2)
        has_other = np.tril(shares.max(axis=2) > self.settings.least_share_of_pair, -1)
        pairs = sorted((abs(agreeing[i, j] - 0.5), i, j) for i, j in np.argwhere(has_other))
        for _, i, j in pairs[: self.settings.pairs]:
            changed = drawing.structure.links.astype(np.int64)
            changed[i, j] = other[i, j]
            changed[j, i] = self.reverse[other[i, j]]
            structure = self.structure(changed, drawing.structure.colors)
            if structure is not None:
                yield replace(drawing, structure=structure)

    def with_a_node(self, description: Description, drawing: Candidate) -> Iterator[Candidate]:
        """Drawings with one node more: how nodes beside the copies are joined to them."""
        settings = self.settings
        size = drawing.structure.num_nodes
        if size == self.sizes[-1]:
            return
        node_colors = self.rows.colors
        owner, nodes, links, bits = neighbors_of(description.free_edges, drawing.copies, self.seed)
        busy = np.zeros(self.num_nodes, bool)
        busy[drawing.copies] = True
        kept = ~busy[nodes]
        owner, nodes, links, bits = owner[kept], nodes[kept], links[kept], bits[kept]
        if not len(nodes):
            return
        # 1. ways to be joined, most promising first
        ways = np.column_stack([node_colors[nodes], links])
        ways, number = np.unique(ways, axis=0, return_counts=True)
        num_joined = (ways[:, 1:] > 0).sum(axis=1)
        promise = number * np.maximum(0, num_joined - 1.0)
        order = np.argsort(-promise, kind="stable")[: settings.ways]
        # 2. what the best node of each copy saves in each
        assert drawing.rates is not None, "a drawing has rates of edits"
        missing, added = map(max, drawing.rates, settings.least_rates_of_node)
        scored: list[tuple[float, int, np.ndarray, np.ndarray]] = []
        for way in ways[order]:
            weights = self._pair_weights(way[1:], (missing, added), description.num_links)
            worth = weights[np.arange(size), links].sum(axis=1) + bits - log2(self.num_nodes)
            worth[node_colors[nodes] != way[0]] = -np.inf
            ascending = np.argsort(worth, kind="stable")
            best = np.full(len(drawing.copies), -1)
            best[owner[ascending]] = ascending
            least = -settings.without_node
            saved = np.where(best >= 0, np.maximum(worth[best], least), least).sum()
            scored.append((-saved, len(scored), way, best))
        for _, _, way, best in sorted(scored, key=lambda row: row[:2])[: settings.tried_ways]:
            larger = self._joined(drawing.structure, way)
            if larger is not None:
                some = best >= 0
                rows = np.column_stack([drawing.copies[some], nodes[best[some]]])
                yield replace(drawing, structure=larger, copies=rows)

    def _joined(self, structure: Structure, way: np.ndarray) -> Structure | None:
        """A structure with one node more: its colour, and what joins it to each of the others."""
        size = structure.num_nodes
        drawn = np.zeros((size + 1, size + 1), np.int64)
        drawn[:size, :size] = structure.links
        drawn[size, :size] = way[1:]
        drawn[:size, size] = self.reverse[way[1:]]
        return self.structure(drawn, np.append(structure.colors, way[0]))

    # what edits cost

    def _pair_weights(
        self, drawn: np.ndarray, rates: tuple[float, float], num_links: int
    ) -> np.ndarray:
        """Bits of each link where one is drawn, ``[..., T + 1]`` for ``[...]``."""
        missing, added = rates
        extra = log2(added) - log2(num_links)
        kinds = np.arange(len(self.reverse))
        link = np.asarray(drawn)[..., None]
        apart = np.where(kinds == 0, log2(1 - added), extra)
        joined = np.where(kinds == 0, log2(missing), log2(missing) + extra)
        joined = np.where(kinds == link, log2(1 - missing), joined)
        return np.where(link == 0, apart, joined)

    def _soft_weights(self, links: np.ndarray) -> np.ndarray:
        """Bits of each link at each pair by the share of sets that have it, ``[M, M, T + 1]``."""
        shares = self._shares(links)
        size = len(shares)
        prior = self.settings.prior
        usual = shares[~np.eye(size, dtype=bool)].mean(axis=0) + _NEVER
        weights = np.log2((len(links) * shares + prior * usual) / (len(links) + prior))
        weights[np.diag_indices(size)] = 0
        return weights

    def _shares(self, links: np.ndarray) -> np.ndarray:
        """The share of sets that have each link at each pair, float64 ``[M, M, T + 1]``."""
        return np.stack([(links == kind).mean(axis=0) for kind in range(len(self.reverse))], axis=2)

    def _rates(self, drawn: np.ndarray, links: np.ndarray) -> tuple[float, float]:
        """How often an edge of a drawing is missing, and another one is there."""
        lower = np.tril(np.ones(drawn.shape, bool), -1)
        joined = lower & (drawn > 0)
        apart = lower & (drawn == 0)
        num_missing = (links[:, joined] != drawn[joined]).sum() + 0.5
        num_added = (links[:, apart] > 0).sum() + 0.5
        missing = float(num_missing / (len(links) * joined.sum() + 1))
        added = float(num_added / (len(links) * apart.sum() + 1))
        least = self.settings.least_rate
        most = self.settings.most_rate
        return min(most, max(least, missing)), min(most, max(least, added))


def drawing_of(
    structure: Structure,
    copies: np.ndarray | None = None,
    rates: tuple[float, float] = NEAR.first_rates,
    sources: tuple[str, ...] = ("grown",),
) -> Candidate:
    """A structure as a drawing, with sets that are near it if some are known."""
    rows = np.zeros((0, structure.num_nodes), np.int64) if copies is None else copies
    return Candidate(structure, rows, NO_EDGES, sources, rates=rates)


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
