"""A move of the motif search: motifs whose copies differ from them by some edges.

A set of exact copies breaks a motif into pieces where edges of its copies have changed. So the
search also goes the other way round, from *drawings*: structures that sets of nodes need not equal.

1. A drawing is *fitted*: near each of many sets the best node for each role is looked for, disjoint
   sets are taken by falling worth, and what most of them have is the next drawing.
2. The best motif is *polished*: a node more, a pair joined or not.
3. It joins the set, the motifs of which are polished in turn on what the others leave, until
   nothing saves enough. One that is not worth its bits goes.

Each step is judged by the length of the whole description. The work is bounded by numbers of sets,
rounds and tries, so that the same seed gives the same set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import log2
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.motif_sets.alignment_loops import (
    align_sets,
    describe_free,
    neighbors_of,
    new_scratch,
    thin_sets,
)
from gomkcn.mining.motif_sets.copy_loops import choose_disjoint
from gomkcn.mining.motif_sets.description import Description
from gomkcn.mining.motif_sets.grown_sets import distinct, grow, hash_sets
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.compiled import run_blocks
from gomkcn_dgl.runtime.steps import Steps

# lengths that differ by less are equal
_EQUAL = 1e-6
# an aligned set with a node of another colour than its role is worth less than this
_WRONG_COLOR = -500.0
# the share of a link that no pair has, so that its logarithm is a number
_NEVER = 1e-9


@dataclass(frozen=True)
class NearSettings:
    """What the search for copies that differ looks at. All lengths are in bits."""

    # a set of exact copies says more plainly what a graph is made of: one whose copies differ must
    # save so many times what it saves
    times_exact: float = 1.05
    # nodes of a motif, at least: three nodes that differ by an edge are another structure
    least_nodes: int = 4
    # a motif saves so many bits, and has so many copies
    least_bits: float = 10.0
    least_copies: int = 3
    # motifs of a set: each is searched for in the whole graph
    most_motifs: int = 8
    # sets of one size that drawings are fitted to; to find the promising ones; to polish one; and
    # in how many of them a node may be
    sets: int = 3000
    few_sets: int = 300
    sets_to_polish: int = 1200
    sets_of_node: int = 4
    # dense sets of one size that are drawings, and fits that are repeated with all sets
    dense_drawings: int = 4
    refitted: int = 4
    # of these, the best ones are polished, and a set begins with each: most of the time goes there
    polished: int = 4
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
    # a change is made that saves so many bits, and one of a whole set that saves this share as well
    least_change: float = 0.5
    least_share_of_change: float = 0.005
    # soft alignments of a motif, and of those that do not help in a row; each time such a share of
    # its copies has two nodes exchanged
    most_shaken: int = 12
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
# nanoseconds that one set takes to be aligned, about, to share work among threads
_ALIGN_NANOSECONDS = 15_000


class Drawing(NamedTuple):
    """A structure, and sets of nodes that are near it, in the order of its nodes."""

    structure: Structure
    copies: np.ndarray  # int64 [K, M]


class Fit(NamedTuple):
    """A drawing with its copies, while it is searched."""

    structure: Structure
    copies: np.ndarray  # int64 [k, M]
    rates: tuple[float, float]  # of edges that copies lack, and of pairs that they have beside
    gain: float  # bits that it saves beside the motifs of a description


class NearCopies:
    """The search for a set of motifs of some sizes whose copies may differ from them."""

    def __init__(
        self,
        empty: Description,
        sizes: range,
        seed: int,
        steps: Steps,
        settings: NearSettings = NEAR,
    ) -> None:
        self.empty = empty
        self.sizes = range(max(settings.least_nodes, sizes[0]), sizes[-1] + 1)
        self.seed = seed
        self.is_late = steps.is_late
        self.report = steps.stage(
            "looking for copies that differ from their motif", is_steady=False
        )
        self.settings = settings
        self.rows = empty.free_edges.rows
        self.reverse = np.asarray(empty.free_edges.reverse)
        self.num_nodes = len(self.rows.colors)
        self.rng = np.random.default_rng([seed, 41])
        self._scratch = cache(lambda thread, size: new_scratch(self.num_nodes, size))

    def improve(self, exact: Description, structures: Sequence[Structure] = ()) -> Description:
        """The set whose copies may differ, where it is worth it; else that of exact copies.

        Beside the motifs of the exact set, given ``structures`` are fitted.
        """
        if not len(self.sizes):
            return exact
        drawings = [Drawing(motif.structure, motif.copies) for motif in exact.motifs]
        drawings += [Drawing(structure, _no_sets(structure)) for structure in structures]
        drawings = [one for one in drawings if one.structure.num_nodes in self.sizes]
        # 1. several true motifs save more together than any one does, but the pieces of one motif
        #    save less than that motif
        saved_by_exact = self.empty.length - exact.length
        fits = self.best_fits(self.empty, drawings)
        if max((fit.gain for fit in fits), default=0.0) <= saved_by_exact:
            return exact
        # 2. a set from nothing, or the exact one with its motifs polished
        tried = [self.polish_all(exact)]
        for first in self.polished(self.empty, fits):
            tried.append(self.search(first, drawings))
        best = min(map(self.pruned, tried), key=lambda one: one.length)
        saved = self.empty.length - best.length
        return best if saved > self.settings.times_exact * saved_by_exact else exact

    def search(self, first: Fit, drawings: Sequence[Drawing]) -> Description:
        """A set that begins with a motif: the best one joins, and all are polished, in turn."""
        found = self.empty
        best = first
        while not self.is_late():
            found = self.polish_all(found.add(best.structure, best.copies))
            self.report(len(found.motifs) / (len(found.motifs) + 1))
            if len(found.motifs) == self.settings.most_motifs:
                break
            others = self.polished(found, self.best_fits(found, drawings))
            if not others:
                break
            best = others[0]
        return found

    def polish_all(self, description: Description) -> Description:
        """The set after each motif in turn was polished on what the others leave."""
        number = 0
        while number < len(description.motifs) and not self.is_late():
            motif = description.motifs[number]
            others = description.without(number)
            gain = others.length - others.add(motif.structure, motif.copies).length
            fit = Fit(motif.structure, motif.copies, self.settings.first_rates, gain)
            polished = self.polish(others, fit, self.dense_sets(self.empty))
            saved = self.empty.length - description.length
            least = max(self.settings.least_change, self.settings.least_share_of_change * saved)
            after = others.add(polished.structure, polished.copies, motif.sources)
            if after.length < description.length - least:
                # the polished one is now the last
                description = after
                number = 0
            else:
                number += 1
        return description

    def pruned(self, description: Description) -> Description:
        """The set without motifs that do not save enough."""
        while description.motifs:
            fewer = [description.without(number) for number in range(len(description.motifs))]
            shortest = min(fewer, key=lambda one: one.length)
            if shortest.length >= description.length + self.settings.least_bits:
                break
            description = shortest
        return description

    # the best motif beside others

    def polished(self, description: Description, fits: Sequence[Fit]) -> list[Fit]:
        """Some fits polished, those that save enough, the best first and each structure once."""
        sets = self.dense_sets(description)
        best: dict[tuple[bytes, bytes], Fit] = {}
        for fit in sorted(fits, key=lambda fit: -fit.gain)[: self.settings.polished]:
            after = self.shaken(description, self.polish(description, fit, sets))
            known = best.setdefault(_drawing_of(after.structure), after)
            best[_drawing_of(after.structure)] = max(known, after, key=lambda one: one.gain)
        ranked = sorted(best.values(), key=lambda fit: -fit.gain)
        return [fit for fit in ranked if fit.gain >= self.settings.least_bits]

    def best_fits(self, description: Description, drawings: Sequence[Drawing]) -> list[Fit]:
        """The drawings that save most in what a set leaves over, fitted and measured."""
        settings = self.settings
        sets = self.dense_sets(description)
        # 1. drawings, those of dense sets and given ones, fitted to few sets
        quick: dict[tuple[bytes, bytes], Fit] = {}
        for structure, warm in self._drawings(description, drawings, sets):
            if self.is_late():
                return []
            starts = sets[structure.num_nodes][: settings.few_sets]
            fit = self.fit(
                description, structure, starts, warm, settings.first_rates, settings.few_rounds
            )
            if fit is not None:
                known = quick.setdefault(_drawing_of(fit.structure), fit)
                quick[_drawing_of(fit.structure)] = max(known, fit, key=lambda one: one.gain)
        # 2. the best ones, fitted to all sets and measured
        ranked = sorted(quick.values(), key=lambda fit: -fit.gain)[: settings.refitted]
        fits = [
            self.fit(
                description,
                fit.structure,
                sets[fit.structure.num_nodes],
                fit.copies,
                fit.rates,
                settings.rounds,
                least=0.0,
            )
            for fit in ranked
        ]
        return [fit for fit in fits if fit is not None]

    def dense_sets(self, description: Description) -> dict[int, np.ndarray]:
        """Sets of each size that are worth most bits, each node in a few of them."""
        if not description.motifs:
            return self._sets_of_all
        return self._find_dense_sets(description)

    @cached_property
    def _sets_of_all(self) -> dict[int, np.ndarray]:
        return self._find_dense_sets(self.empty)

    def _find_dense_sets(self, description: Description) -> dict[int, np.ndarray]:
        settings = self.settings
        is_free = description.free_edges.is_free
        nodes, _, values = grow(description.graph, self.rows, is_free, self.sizes[-1], self.seed)
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

    def _drawings(
        self,
        description: Description,
        given: Sequence[Drawing],
        sets: dict[int, np.ndarray],
    ) -> Iterator[Drawing]:
        """The drawings to start from: given ones, and those of dense sets."""
        yield from given
        for rows in sets.values():
            apart = self._disjoint(np.arange(len(rows)), rows)[: self.settings.dense_drawings]
            links, _ = self.links_and_edges(description, rows[apart])
            for links_of_set, row in zip(links, rows[apart], strict=True):
                structure = self.structure(links_of_set, self.rows.colors[row])
                if structure is not None:
                    yield Drawing(structure, _no_sets(structure))

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
        structure: Structure,
        starts: np.ndarray,
        warm: np.ndarray,
        rates: tuple[float, float],
        rounds: int,
        least: float | None = None,
    ) -> Fit | None:
        """Copies of a drawing, what most of them have as the next drawing, and again.

        Copies are looked for near the sets ``starts``, and near those of ``warm``, whose nodes are
        in order already. The best fit is by an estimate; where it must save at ``least`` so many
        bits it is by the length of the description, and is given up if it is far from that.
        """
        settings = self.settings
        hopeless = settings.hopeless
        if description.nodes_apart:
            # of a collection, estimates say little
            hopeless = -np.inf
        elif least is not None:
            hopeless += settings.least_share * least
        best: Fit | None = None
        seen = set()
        drawn: Structure | None = structure
        for _ in range(rounds):
            if drawn is None:
                break
            structure = drawn
            rows, values, edges = self.copies(description, structure, rates, starts, warm)
            choices = [*self._choices(description, structure, rows, values, edges)]
            if not choices:
                break
            estimate, chosen, numbers = max(choices, key=lambda choice: choice[0])
            if estimate < hopeless:
                break
            taken = rows[chosen[: numbers[0]]]
            if least is None:
                if best is None or estimate > best.gain + _EQUAL:
                    best = Fit(structure, taken, rates, estimate)
            else:
                # the sensible numbers of the best way, and the best number of those nearly as good
                tried = [chosen[:number] for number in numbers]
                tried += [
                    other[: other_numbers[0]]
                    for value, other, other_numbers in choices
                    if other is not chosen and value > estimate - settings.nearly_best
                ]
                for some in tried:
                    if len(some) < settings.least_copies:
                        continue
                    gain = description.length - description.add(structure, rows[some]).length
                    if best is None or gain > best.gain + _EQUAL:
                        best = Fit(structure, rows[some], rates, gain)
            # the next drawing is looked for where this one is worth something
            warm = taken
            starts = rows[:0]
            if len(rows) > len(warm):
                most_valuable = np.argsort(-values.max(axis=0), kind="stable")
                starts = rows[most_valuable[: settings.few_sets]]
            links, rates = self.majority(description, warm, structure.colors)
            drawn = self.structure(links, structure.colors)
            key = links.tobytes(), round(rates[0], 2), round(rates[1], 2)
            if key in seen:
                break
            seen.add(key)
        return best

    def copies(
        self,
        description: Description,
        structure: Structure,
        rates: tuple[float, float],
        starts: np.ndarray,
        warm: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sets that are worth something, with their values by each address and their edges."""
        weights = self._pair_weights(structure.links.astype(np.int64), rates, description.num_links)
        weights[np.diag_indices(structure.num_nodes)] = 0
        parts = [
            self._align(description, weights, structure.colors, sets, in_order)
            for sets, in_order in ((warm, True), (starts, False))
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
            starts,
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

    # changes of a motif

    def shaken(self, description: Description, fit: Fit) -> Fit:
        """A motif after its copies were put into other orders and aligned softly, some times."""
        settings = self.settings
        failed = 0
        is_larger = True
        for number in range(settings.most_shaken):
            if failed == settings.most_failed or self.is_late():
                break
            failed += 1
            # 1. the copies, half of them with two nodes exchanged; at first as they are, or with a
            #    node more
            tried = [fit]
            if number:
                tried = [fit._replace(copies=self._exchanged(fit))]
            if is_larger and fit.structure.num_nodes < self.sizes[-1]:
                more = self._with_a_node(description, fit)
                tried += [
                    fit._replace(structure=structure, copies=copies) for structure, copies in more
                ]
            is_larger = False
            # 2. aligned to what they agree on; polished where that is promising
            for other in tried:
                after = self._aligned_softly(description, other, fit.gain)
                if after is not None and after.gain > fit.gain + settings.least_change:
                    fit = after
                    failed = 0
                    is_larger = True
        return fit

    def _exchanged(self, fit: Fit) -> np.ndarray:
        """The copies of a motif, some with two nodes exchanged that could play either role."""
        rows = fit.copies.copy()
        for row in np.flatnonzero(self.rng.random(len(rows)) < self.settings.share_shaken):
            ends = self.rng.choice(fit.structure.num_nodes, 2, replace=False)
            if np.ptp(fit.structure.colors[ends]) == 0:
                rows[row, ends] = rows[row, ends[::-1]]
        return rows

    def _aligned_softly(self, description: Description, fit: Fit, least: float) -> Fit | None:
        """A motif aligned softly and polished, where it comes near what it must save."""
        soft = self.softened(description, fit)
        if soft is None:
            return None
        rounds = self.settings.few_rounds
        starts = _no_sets(soft.structure)
        after = self.fit(
            description, soft.structure, starts, soft.copies, soft.rates, rounds, least
        )
        if after is None or after.gain < least - self.settings.nearly_best:
            return None
        return self.polish(description, after, {})

    def softened(self, description: Description, fit: Fit) -> Fit | None:
        """Copies in the orders that agree most, with the drawing that most of them then have.

        They are aligned to a soft drawing, as a filter is one: the share of them that have each
        link at each pair. It is made anew from the aligned ones, and again.
        """
        rows = fit.copies
        colors = fit.structure.colors
        for number in range(self.settings.soft_rounds):
            links, _ = self.links_and_edges(description, rows)
            weights = self._soft_weights(links)
            in_order, value = self._align(description, weights, colors, rows, True, number)
            anew, worth = self._align(description, weights, colors, rows, False, number)
            after = np.where((worth > value + _EQUAL)[:, None], anew, in_order)
            if (after == rows).all():
                break
            rows = after
        drawn, rates = self.majority(description, rows, colors)
        structure = self.structure(drawn, colors)
        return None if structure is None else Fit(structure, rows, rates, -np.inf)

    def polish(self, description: Description, fit: Fit, sets: dict[int, np.ndarray]) -> Fit:
        """Change a motif by a node or a pair, as long as it saves more."""
        settings = self.settings
        tried: set[tuple[tuple[bytes, bytes], bool]] = set()
        changed = True
        while changed and not self.is_late():
            changed = False
            for structure, warm, is_wide in self._changes(description, fit):
                drawing = _drawing_of(structure)
                if (drawing, is_wide) in tried:
                    continue
                tried.add((drawing, is_wide))
                starts = _no_sets(structure)
                if is_wide:
                    starts = sets.get(structure.num_nodes, starts)[: settings.sets_to_polish]
                rounds = settings.rounds if is_wide else settings.few_rounds
                after = self.fit(description, structure, starts, warm, fit.rates, rounds, fit.gain)
                if after is not None and after.gain > fit.gain + settings.least_change:
                    fit = after
                    changed = True
                    break
        return fit

    def _changes(
        self, description: Description, fit: Fit
    ) -> Iterator[tuple[Structure, np.ndarray, bool]]:
        """Motifs like one, with copies to begin with; whether others are looked for."""
        # 1. the same
        yield fit.structure, fit.copies, True
        # 2. a node more
        if fit.structure.num_nodes < self.sizes[-1]:
            for structure, warm in self._with_a_node(description, fit):
                yield structure, warm, False
        # 3. a pair on which the copies do not agree, as many others have it
        links, _ = self.links_and_edges(description, fit.copies)
        shares = self._shares(links)
        drawn = fit.structure.links[..., None].astype(int)
        agreeing = np.take_along_axis(shares, drawn, axis=2)[..., 0]
        np.put_along_axis(shares, drawn, -1, axis=2)
        other = shares.argmax(axis=2)
        has_other = np.tril(shares.max(axis=2) > self.settings.least_share_of_pair, -1)
        pairs = sorted((abs(agreeing[i, j] - 0.5), i, j) for i, j in np.argwhere(has_other))
        for _, i, j in pairs[: self.settings.pairs]:
            changed = fit.structure.links.astype(np.int64)
            changed[i, j] = other[i, j]
            changed[j, i] = self.reverse[other[i, j]]
            other_structure = self.structure(changed, fit.structure.colors)
            if other_structure is not None:
                yield other_structure, fit.copies, False

    def _with_a_node(
        self, description: Description, fit: Fit
    ) -> Iterator[tuple[Structure, np.ndarray]]:
        """Drawings with one node more: how nodes beside the copies are joined to them."""
        settings = self.settings
        size = fit.structure.num_nodes
        node_colors = self.rows.colors
        owner, nodes, links, bits = neighbors_of(description.free_edges, fit.copies, self.seed)
        busy = np.zeros(self.num_nodes, bool)
        busy[fit.copies] = True
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
        least_missing, least_added = settings.least_rates_of_node
        rates = max(fit.rates[0], least_missing), max(fit.rates[1], least_added)
        scored: list[tuple[float, int, np.ndarray, np.ndarray]] = []
        for way in ways[order]:
            color = way[0]
            weights = self._pair_weights(way[1:], rates, description.num_links)
            worth = weights[np.arange(size), links].sum(axis=1) + bits - log2(self.num_nodes)
            worth[node_colors[nodes] != color] = -np.inf
            ascending = np.argsort(worth, kind="stable")
            best = np.full(len(fit.copies), -1)
            best[owner[ascending]] = ascending
            least = -settings.without_node
            saved = np.where(best >= 0, np.maximum(worth[best], least), least).sum()
            scored.append((-saved, len(scored), way, best))
        for _, _, way, best in sorted(scored, key=lambda row: row[:2])[: settings.tried_ways]:
            drawn = np.zeros((size + 1, size + 1), np.int64)
            drawn[:size, :size] = fit.structure.links
            drawn[size, :size] = way[1:]
            drawn[:size, size] = self.reverse[way[1:]]
            larger = self.structure(drawn, np.append(fit.structure.colors, way[0]))
            if larger is not None:
                some = best >= 0
                yield larger, np.column_stack([fit.copies[some], nodes[best[some]]])

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


def _drawing_of(structure: Structure) -> tuple[bytes, bytes]:
    """Equal for structures whose nodes are alike in their order.

    An isomorphic drawing in another order of its nodes may be fitted otherwise.
    """
    return structure.links.tobytes(), structure.colors.tobytes()


def _no_sets(structure: Structure) -> np.ndarray:
    return np.zeros((0, structure.num_nodes), np.int64)


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
