"""Copies of a block that grow in lockstep, a role at a time, from the edges of a class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from gomkcn.mining.repeats.chance import ChanceTable
from gomkcn.mining.repeats.growth_loops import (
    choose_nodes,
    grow_rims,
    pick_copies,
    tally_keys,
    weigh_keys,
)
from gomkcn.mining.repeats.matching_loops import match_block
from gomkcn.mining.repeats.seeds import refine
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from gomkcn_dgl.kernels.search_numba import mix64

# neighbours of a node up to which they are walked: those of a clock or a bus are not, which every
# gate of a kind may have
MOST_DEGREE = 256
# new roles that are tried at each step, those that might be worth most: with fewer disjoint copies
# than copies, the first is not always the best
_MOST_TRIED = 4


@dataclass(frozen=True, eq=False)
class Candidate:
    """A block as the search has it.

    Attributes
    ----------
    copies : numpy.ndarray
        int32 ``[K, M]``, disjoint, the node of the graph at each role.
    links : numpy.ndarray
        int64 ``[M, M]``, what joins each two roles.
    kinds : numpy.ndarray
        int64 ``[M]``.
    worth : float
        See :mod:`~gomkcn.mining.repeats.chance`.
    """

    copies: np.ndarray
    links: np.ndarray
    kinds: np.ndarray
    worth: float

    @property
    def num_edges(self) -> int:
        """Pairs of roles that are joined."""
        return int(np.count_nonzero(self.links)) // 2

    @property
    def covered(self) -> int:
        """Joined pairs that its copies cover."""
        return len(self.copies) * self.num_edges


@dataclass(frozen=True, eq=False)
class _State:
    """Copies with their rims, and what is known of the roles."""

    copies: np.ndarray
    ptr: np.ndarray
    nodes: np.ndarray
    signatures: np.ndarray
    links: np.ndarray
    kinds: np.ndarray
    # of all roles but the first
    bits: float


@dataclass(eq=False)
class BlockGraph:
    """A graph as the search sees it: kinds of nodes, refined colours, chances, scratch."""

    graph: CSRGraph
    view: CompiledGraph
    ways: list[np.ndarray]
    chance: ChanceTable
    # refined colours of all ways, int64 [R, V]
    colors: np.ndarray
    _tallies: np.ndarray = field(repr=False)
    _uses: np.ndarray = field(repr=False)

    @classmethod
    def of(cls, graph: CSRGraph, kinds: np.ndarray) -> BlockGraph:
        """Look at a graph, with ``kinds [V]`` from 0 without gaps."""
        view = CompiledGraph.of(graph, kinds)
        ways = refine(graph, kinds)
        colors = np.ascontiguousarray(np.concatenate([rounds[1:] for rounds in ways]))
        return cls(
            graph,
            view,
            ways,
            ChanceTable.of(view, len(graph.relations.links)),
            colors,
            np.zeros(colors.shape, np.int64),
            np.zeros(graph.num_nodes, np.int64),
        )

    def pick(self, copies: np.ndarray) -> np.ndarray:
        """See ``pick_copies``."""
        return np.asarray(pick_copies(copies, self._uses))

    def disjoint(self, copies: np.ndarray) -> np.ndarray:
        """Those of some copies that share no node."""
        return copies[self.pick(copies) == 2]

    def grow(
        self, copies: np.ndarray, least: int, most_nodes: int, check_time: Callable[[], None]
    ) -> list[Candidate]:
        """Grow copies while there are ``least`` disjoint ones; return where they are worth most.

        These are the states that are worth more than those before and after.
        """
        beam = [self._begin(np.ascontiguousarray(copies, np.int32))]
        states: list[Candidate] = []
        worth = -np.inf
        best: Candidate | None = None
        while beam:
            here = max(map(self._candidate, beam), key=lambda one: one.worth)
            if here.worth > worth:
                best = here
            elif best is not None:
                states.append(best)
                best = None
            worth = here.worth
            check_time()
            if len(here.kinds) == most_nodes:
                break
            beam = self._step(beam, least)
        if best is not None:
            states.append(best)
        return [self._by_itself(block) for block in states]

    def _by_itself(self, block: Candidate) -> Candidate:
        """The block with what it is worth by its own copies, whatever it has grown from.

        To say which pairs of a copy are joined otherwise takes bits.
        """
        size = len(block.kinds)
        errors = self._errors_of(block.copies, block.links)
        exact = block.copies[errors == 0]
        if not len(exact):
            return replace(block, worth=-np.inf)
        state = self._begin(exact)
        worth = self.worth(len(block.copies), int(state.kinds[0]), state.bits)
        return replace(block, worth=worth - float(errors.sum() * np.log2(size * size)))

    def improve(
        self,
        block: Candidate,
        least: int,
        most_nodes: int,
        most_errors: int,
        check_time: Callable[[], None],
    ) -> Candidate:
        """The block with all its copies, and with what these have in common beyond it.

        In lockstep a copy takes one of several nodes that look alike, and may have to be given up
        for it later. Here it is there in each way to place the roles.
        """
        for _ in range(_MOST_ROUNDS):
            # exact ones first, whose links are those of the block
            copies = np.concatenate([self.match(block, 0), block.copies])
            if most_errors:
                copies = np.concatenate([copies, self.match(block, most_errors)])
            better = self._grown_again(block, copies, least, most_nodes, most_errors, check_time)
            if better.worth <= block.worth:
                break
            block = better
        return self.complete(block, most_errors)

    def grow_from_parts(
        self,
        block: Candidate,
        least: int,
        most_nodes: int,
        most_errors: int,
        check_time: Callable[[], None],
    ) -> Candidate:
        """The block, or what is worth more and grows from a part of it.

        What a copy took early may be in the way of what comes late. Here a part around a role
        stays, late roles among it, and the rest is chosen again.
        """
        number = in_vain = 0
        while in_vain < _MOST_PARTS:
            size = len(block.kinds)
            # around roles that lie apart in the order of growth
            first = number % _MOST_PARTS * size // _MOST_PARTS
            part = _around(block.links > 0, first)[: max(2, int(_PART * size))]
            exact_first = np.argsort(self._errors_of(block.copies, block.links), kind="stable")
            copies = block.copies[exact_first][:, part]
            better = self._grown_again(block, copies, least, most_nodes, most_errors, check_time)
            number += 1
            in_vain += 1
            if better.worth >= block.worth + _LEAST_GAIN:
                block, in_vain = better, 0
        return self.complete(block, most_errors)

    def _grown_again(
        self,
        block: Candidate,
        copies: np.ndarray,
        least: int,
        most_nodes: int,
        most_errors: int,
        check_time: Callable[[], None],
    ) -> Candidate:
        """What grows from some copies and is worth most; the block, where nothing does."""
        grown = self.grow(copies, least, most_nodes, check_time)
        if most_errors:
            grown = [self.complete(one, most_errors) for one in grown]
        return max(grown, key=lambda one: one.worth, default=block)

    def complete(self, block: Candidate, most_errors: int) -> Candidate:
        """The block with all disjoint copies, of several in a place that which most look like.

        Exact copies come before those with errors, which have what these leave.
        """
        wanted = self._looks_of(block).T[:, None]
        taken = np.empty((0, len(block.kinds)), np.int32)
        for errors in sorted({0, most_errors}):
            copies = np.concatenate([self.match(block, errors), block.copies])
            if not errors:
                copies = copies[self._errors_of(copies, block.links) == 0]
            copies = copies[~np.isin(copies, taken).any(axis=1)]
            looks = (self.colors[:, copies] == wanted).sum(axis=(0, 2))
            copies = self.disjoint(copies[np.argsort(-looks, kind="stable")])
            taken = np.concatenate([taken, copies])
        if len(taken) < len(block.copies):
            return block
        return self._by_itself(replace(block, copies=taken))

    def with_more_copies(self, block: Candidate) -> Candidate:
        """The block with its copies, and with the exact ones that share no node with these."""
        others = self.match(block, 0)
        others = self.disjoint(others[~np.isin(others, block.copies).any(axis=1)])
        return self._by_itself(replace(block, copies=np.concatenate([block.copies, others])))

    def _errors_of(self, copies: np.ndarray, links: np.ndarray) -> np.ndarray:
        """Pairs of nodes of each copy that are joined otherwise, int64 ``[K]``."""
        here = self.view.links_of(copies)
        errors: np.ndarray = np.count_nonzero(here != links, axis=(1, 2)) // 2
        return errors

    def _looks_of(self, block: Candidate) -> np.ndarray:
        """The colours that most nodes at each role have, int64 ``[M, R]``."""
        # [R, K, M], ascending
        looks = np.sort(self.colors[:, block.copies], axis=1)
        place = np.arange(looks.shape[1])[:, None]
        is_first = np.ones(looks.shape, bool)
        is_first[:, 1:] = looks[:, 1:] != looks[:, :-1]
        # how many equal ones stand before each; of runs of one length the first is taken
        equal = place - np.maximum.accumulate(np.where(is_first, place, 0), axis=1)
        wanted = np.take_along_axis(looks, equal.argmax(axis=1)[:, None], axis=1)[:, 0]
        return np.ascontiguousarray(wanted.T)

    def worth(self, num_copies: int, kind: int, bits: float) -> float:
        """What a block of so many disjoint copies is worth."""
        first = float(np.log2(num_copies / self.chance.kind_sizes[kind]))
        return num_copies * first + (num_copies - 1) * bits

    def match(self, block: Candidate, most_errors: int) -> np.ndarray:
        """Copies of a block, int32 ``[K, M]``; up to so many pairs may be joined otherwise.

        With errors, the search begins at several roles, since each is found by those before it.
        """
        joined, degrees = block.links > 0, self.graph.degrees
        able = [
            np.flatnonzero((self.view.colors == kind) & (degrees >= number - most_errors))
            for kind, number in zip(block.kinds, joined.sum(axis=1), strict=True)
        ]
        # those of fewest nodes
        firsts = sorted(range(len(able)), key=lambda role: (len(able[role]), role))
        looks = self._looks_of(block)
        found = [
            self._match_from(block, able[first], _connected(joined, first), looks, most_errors)
            for first in firsts[: 1 + 2 * most_errors]
        ]
        return np.concatenate(found)

    def _match_from(
        self,
        block: Candidate,
        starts: np.ndarray,
        order: list[int],
        looks: np.ndarray,
        most_errors: int,
    ) -> np.ndarray:
        """Copies whose roles are looked for in an order."""
        # each is looked for through one role more than there may be errors
        links = np.ascontiguousarray(block.links[np.ix_(order, order)])
        anchors = np.full((len(order), 1 + most_errors), -1)
        for role in range(1, len(order)):
            known = np.flatnonzero(links[role, :role])[: 1 + most_errors]
            anchors[role, : len(known)] = known
        found = match_block(
            self.view, links, block.kinds[order], anchors, starts, self.colors, looks[order],
            most_errors, MOST_DEGREE, _MOST_EACH, _MOST_STEPS,
        )  # fmt: skip
        copies = np.empty_like(found)
        copies[:, order] = found
        return copies

    def _begin(self, copies: np.ndarray) -> _State:
        """The state of some copies, as if they had grown role by role."""
        kinds = self.view.colors[copies[0]]
        state = _State(
            copies[:, :1],
            np.zeros(len(copies) + 1, np.int64),
            np.empty(0, np.int32),
            np.empty(0, np.uint64),
            np.zeros((1, 1), np.int64),
            kinds[:1].copy(),
            0.0,
        )
        rows = np.arange(len(copies))
        state = self._with_rims(state, rows)
        for role in range(1, copies.shape[1]):
            bits, joined = self._weigh(
                state, np.zeros(1, np.int64), copies[:1, role], np.array([len(copies)])
            )
            state = self._longer(
                _Option(
                    0.0,
                    0.0,
                    0,
                    state,
                    rows,
                    copies[:, role],
                    joined[0],
                    int(kinds[role]),
                    float(bits[0]),
                )
            )
        return state

    def _candidate(self, state: _State) -> Candidate:
        copies = self.disjoint(state.copies)
        worth = self.worth(len(copies), int(state.kinds[0]), state.bits)
        return Candidate(copies, state.links, state.kinds, worth)

    def _weigh(
        self, state: _State, owner: np.ndarray, nodes: np.ndarray, counts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        chance = self.chance
        bits, joined = weigh_keys(
            self.view, state.copies, owner, nodes, counts, state.links, state.kinds,
            chance.keys, chance.table, chance.kind_sizes, chance.num_links,
        )  # fmt: skip
        return bits, joined

    def _with_rims(self, state: _State, rows: np.ndarray) -> _State:
        ptr, nodes, signatures = grow_rims(
            self.view, state.copies, rows, state.ptr, state.nodes, state.signatures, MOST_DEGREE
        )
        return replace(state, ptr=ptr, nodes=nodes, signatures=signatures)

    def _longer(self, option: _Option) -> _State:
        """The state with a role more, at some nodes of some copies."""
        state = option.state
        size = len(state.kinds)
        links = np.zeros((size + 1, size + 1), np.int64)
        links[:size, :size] = state.links
        links[:size, size] = option.joined
        links[size, :size] = self.graph.relations.reverse[option.joined]
        copies = np.concatenate([state.copies[option.rows], option.nodes[:, None]], axis=1)
        longer = _State(
            np.ascontiguousarray(copies), state.ptr, state.nodes, state.signatures, links,
            np.append(state.kinds, option.kind), state.bits + option.bits,
        )  # fmt: skip
        return self._with_rims(longer, option.rows)

    def _step(self, beam: list[_State], least: int) -> list[_State]:
        """The states with a role more that are worth most, up to three."""
        options = [option for state in beam for option in self._options(state, least)]
        options.sort(key=lambda option: option.name)
        chosen: dict[int, _Option] = {}
        # the best with all copies, with the disjoint ones, and the next one with all
        for worth in (lambda o: o.worth, lambda o: o.worth_apart, lambda o: o.worth):
            left = [option for option in options if option.name not in chosen]
            if left:
                best = max(left, key=worth)
                chosen[best.name] = best
        return [self._longer(option) for option in chosen.values()]

    def _options(self, state: _State, least: int) -> list[_Option]:
        """Ways to add a role to some copies, of which ``least`` stay disjoint."""
        which, hashes, counts, first, owner = tally_keys(
            self.view, state.ptr, state.nodes, state.signatures, least
        )
        bits, joined = self._weigh(state, owner, state.nodes[first], counts)
        kind = int(state.kinds[0])
        # no role is worth more than with different nodes for each copy
        firsts = np.log2(counts / self.chance.kind_sizes[kind])
        bounds = counts * firsts + (counts - 1) * (state.bits + bits)
        options: list[_Option] = []
        for at in np.lexsort((hashes, -bounds))[:_MOST_TRIED].tolist():
            # neither with all copies, nor with those that are disjoint
            if options and bounds[at] <= min(
                max(option.worth for option in options),
                max(option.worth_apart for option in options),
            ):
                break
            rows, nodes = choose_nodes(
                at, which, state.ptr, state.nodes, self.colors, self._tallies
            )
            copies = np.concatenate([state.copies[rows], nodes[:, None]], axis=1)
            picked = self.pick(copies)
            if (picked == 2).sum() < least:
                continue
            more = state.bits + float(bits[at])
            worth = self.worth(int((picked > 0).sum()), kind, more)
            apart = self.worth(int((picked == 2).sum()), kind, more)
            sums = mix64(copies.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
            name = int(mix64(np.unique(sums)).sum(dtype=np.uint64))
            options.append(
                _Option(
                    worth,
                    apart,
                    name,
                    state,
                    rows,
                    nodes,
                    joined[at],
                    int(self.view.colors[nodes[0]]),
                    float(bits[at]),
                )
            )
        return options


class _Option(NamedTuple):
    """A role that may be added to a state: what it is worth then, and a name for its node sets."""

    worth: float
    worth_apart: float
    name: int
    state: _State
    rows: np.ndarray
    nodes: np.ndarray
    joined: np.ndarray
    kind: int
    bits: float


def _connected(joined: np.ndarray, first: int) -> list[int]:
    """The roles, joined by bool ``[M, M]``, from one on: next is who is joined to most of them."""
    order = [first]
    while len(order) < len(joined):
        to_known = joined[order].sum(axis=0)
        to_known[order] = -1
        order.append(int(to_known.argmax()))
    return order


def _around(joined: np.ndarray, first: int) -> list[int]:
    """The roles, joined by bool ``[M, M]``, from one on, the nearest to it first."""
    order = [first]
    for role in order:
        order += [near for near in np.flatnonzero(joined[role]).tolist() if near not in order]
    return order


# of matching and growing again
_MOST_ROUNDS = 8
# the share of a block that stays where it grows from a part of it: 0.5 to 0.7 were equally good in
# ten numberings of a circuit, 0.3 was worse
_PART = 0.6
# parts in a row that bring nothing; half as many more bring hardly anything
_MOST_PARTS = 32
# bits that growth from a part must bring, so that it ends
_LEAST_GAIN = 1.0
# copies that begin at a node, which differ in what may be exchanged
_MOST_EACH = 4
# nodes that are tried for a start, forty times as many as a large block has roles
_MOST_STEPS = 4_000
