"""Which copies of a structure are worth covering in a collection.

A copy is worth the bits of its edges and of the signatures of its nodes, less those of its new
signatures. Copies of falling value that share no node are taken, in each graph as many as pay for
their addresses. What a new signature costs depends on those of all copies, and the number of copies
of a graph on those of the others, so that the choice is repeated with what came out before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gomkcn.mining.motif_sets.candidate import LEAST_COPIES, Candidate, Choice
from gomkcn.mining.motif_sets.collection_code import (
    CollectionCode,
    histograms,
    rank_in_group,
    split_bits,
)
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.copy_loops import choose_disjoint
from gomkcn.mining.motif_sets.integer_codes import integer_lengths, log2_factorials
from gomkcn_dgl.graphs.structure import Structure

# rounds of a choice, of which the third still changes some copies
ROUNDS = 3
# numbers in a table of a choice, which bounds its memory: 32 MiB
_MOST_CELLS = 1 << 22
# a motif has so many copies, in so many graphs
LEAST_GRAPHS = 3
# bits of the alphabet of an orbit, about: that of its code, and of degrees where there is one each
_ORBIT_BITS = 6.0
_DEGREE_BITS = 4.0
# a number of copies that no graph has costs so many bits more than the largest that one has
_UNSEEN_NUMBER_BITS = 2.0
# values that differ by less are equal
_EQUAL = 1e-12


def least_graphs(code: CollectionCode) -> int:
    """A motif has copies in three graphs, or in all where there are fewer."""
    return min(LEAST_GRAPHS, code.graph.num_graphs)


def choose_each(
    description: CollectionDescription, candidates: Sequence[Candidate], rounds: int = ROUNDS
) -> list[Choice]:
    """Choose copies of each of some candidates of one size, as if it alone were covered next.

    A choice without copies gains -inf: they are too few.
    """
    choices: list[Choice] = []
    size = candidates[0].structure.num_nodes if candidates else 1
    cells = max(description.code.graph.num_nodes, size * description.signatures[0].shape[1])
    most = max(1, _MOST_CELLS // cells)
    for first in range(0, len(candidates), most):
        choices += _choose_in_rounds(description, candidates[first : first + most], rounds)
    return choices


def _choose_in_rounds(
    description: CollectionDescription, candidates: Sequence[Candidate], rounds: int
) -> list[Choice]:
    code = description.code
    num_symbols = description.signatures[0].shape[1]
    structures = [candidate.structure for candidate in candidates]
    number = len(candidates)
    # 1. copies of free nodes, and the bits of their edges and signatures as they are now
    rows, which, saved = _free_copies(description, candidates)
    # 2. the signatures that occur in each orbit
    num_orbits = np.array([structure.num_orbits for structure in structures])
    orbits = np.stack([structure.orbits for structure in structures])
    orbits += (np.cumsum(num_orbits) - num_orbits)[:, None]
    keys = orbits[which] * num_symbols + description.signatures[1][rows]
    cells = num_symbols * int(num_orbits.sum())
    expected = np.bincount(keys.ravel(), minlength=cells).reshape(-1, num_symbols)
    num_known = np.count_nonzero(expected, axis=1)
    costs = _costs(description, structures, orbits, expected)
    gains = np.full(number, -np.inf)
    chosen = np.zeros(len(rows), bool)
    goes_on = np.ones(number, bool)
    number_bits = np.zeros((number, 1))
    for _ in range(rounds):
        # 3. what the signatures cost in the orbits, if copies are as those of the round before
        total = expected.sum(axis=1) + num_known / 2
        new_bits = -np.log2((expected + 0.5) / np.maximum(total, 0.5)[:, None])
        worth = saved - new_bits.ravel()[keys].sum(axis=1)
        # 4. disjoint copies by falling value, in each graph as many as pay
        taken, counts, gain = _numbers_that_pay(
            description, structures, rows, which, worth, number_bits
        )
        goes_on &= counts.sum(axis=1) >= LEAST_COPIES
        goes_on &= (counts > 0).sum(axis=1) >= least_graphs(code)
        if not goes_on.any():
            break
        gain -= split_bits(counts, code.sizes) + costs
        better = goes_on & (gain > gains)
        gains = np.where(better, gain, gains)
        chosen = np.where(better[which], taken, chosen)
        # 5. what the next round expects
        expected = np.bincount(keys[taken].ravel(), minlength=cells).reshape(-1, num_symbols)
        number_bits = _bits_of_numbers(counts)
    some = np.flatnonzero(chosen)
    copies = np.split(
        rows[some].astype(np.int64), np.searchsorted(which[some], np.arange(1, number))
    )
    return [
        Choice(candidate, copies_of, len(copies_of), gain)
        for candidate, copies_of, gain in zip(candidates, copies, gains.tolist(), strict=True)
    ]


def _free_copies(
    description: CollectionDescription, candidates: Sequence[Candidate]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Copies of free nodes ``[K, M]``, which candidate each is of, and its bits as it is now."""
    is_free = description.is_free
    free = [np.flatnonzero(is_free[candidate.copies].all(axis=1)) for candidate in candidates]
    which = np.repeat(np.arange(len(candidates)), [len(rows) for rows in free])
    some = [
        replace(candidate, copies=candidate.copies[rows], edges=candidate.edges[rows])
        for candidate, rows in zip(candidates, free, strict=True)
    ]
    rows = np.concatenate([candidate.copies for candidate in some])
    return rows, which, values(description, some)


def _costs(
    description: CollectionDescription,
    structures: Sequence[Structure],
    orbits: np.ndarray,
    expected: np.ndarray,
) -> np.ndarray:
    """What each structure costs beside its copies: drawing and alphabets, float64 ``[J]``.

    Of the ``orbits [J, M]``, numbers in all, signatures are ``expected`` so often.
    """
    code = description.code
    degrees = description.signatures[0]
    number = len(structures)
    num_orbits = np.array([structure.num_orbits for structure in structures])
    drawings = np.array([code.drawing_bits_of(structure) for structure in structures])
    costs: np.ndarray = drawings + _ORBIT_BITS * num_orbits
    if len(degrees) == 1:
        return costs + _DEGREE_BITS * num_orbits
    orbit, symbol = np.nonzero(expected)
    inside = np.empty((len(degrees), len(expected)), np.int64)
    inside[:, orbits] = code.inside(np.stack([structure.links for structure in structures]))
    bits = code.integers[degrees[:, symbol] - inside[:, orbit]].sum(axis=0)
    structure_of = np.repeat(np.arange(number), num_orbits)[orbit]
    return costs + np.bincount(structure_of, bits, number)


def _bits_of_numbers(counts: np.ndarray) -> np.ndarray:
    """Bits of each number of copies of a graph, from those ``[J, G]`` of all graphs.

    The last one is of numbers that no graph has.
    """
    number, num_graphs = counts.shape
    most = counts.max(axis=1)
    times = histograms(counts, int(most.max()) + 2)
    bits = -np.log2((times + 0.5) / (num_graphs + (most + 1) / 2)[:, None])
    last = bits[np.arange(number), most]
    is_more = np.arange(times.shape[1]) > most[:, None]
    known: np.ndarray = np.where(is_more, last[:, None] + _UNSEEN_NUMBER_BITS, bits)
    return known


def choose_in_collection(
    description: CollectionDescription, candidates: Sequence[Candidate], freed: np.ndarray | None
) -> list[Choice | None]:
    """The free copies of each candidate, all of one size, that save most, None where too few.

    Where nodes are ``freed``, bool ``[V]``, one of these must be in a copy.
    """
    return [
        choice if len(choice.copies) and (freed is None or freed[choice.copies].any()) else None
        for choice in choose_each(description, candidates)
    ]


def values(description: CollectionDescription, candidates: Sequence[Candidate]) -> np.ndarray:
    """Bits of the edges and signatures of all copies as they are now, float64 ``[K]``."""
    entries = np.concatenate([candidate.edges.ravel() for candidate in candidates])
    sizes = np.concatenate([np.full(*candidate.edges.shape) for candidate in candidates])
    starts = np.cumsum(sizes) - sizes
    edges: np.ndarray = np.add.reduceat(description.entry_bits[entries], starts)
    rows = np.concatenate([candidate.copies for candidate in candidates])
    return edges + description.signature_bits[rows].sum(axis=1)


def _places(
    description: CollectionDescription,
    structures: Sequence[Structure],
    structure_of: np.ndarray,
    graph_of: np.ndarray,
    rank: np.ndarray,
) -> np.ndarray:
    """Bits that say where copies are, each the one of its rank in its graph, float64 ``[K]``.

    Each is at some of the nodes that are left, which its symmetries exchange.
    """
    code = description.code
    log_factorial = log2_factorials(int(code.sizes.max(initial=0)))
    of_color = np.array(
        [np.bincount(structure.colors, minlength=code.num_colors) for structure in structures]
    )[structure_of]
    symmetry = np.array([structure.automorphism_bits for structure in structures])[structure_of]
    left = description.free_of_color[graph_of] - of_color * rank[:, None]
    places: np.ndarray = (log_factorial[left] - log_factorial[left - of_color]).sum(axis=1)
    return places - symmetry


def _numbers_that_pay(
    description: CollectionDescription,
    structures: Sequence[Structure],
    rows: np.ndarray,
    which: np.ndarray,
    worth: np.ndarray,
    number_bits: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which copies are taken, bool ``[K]``, how many of each graph ``[J, G]``, what they save, [J].

    Copies ``[K, M]`` of structures ``which [K]`` are ``worth`` so many bits beside their places.
    The number of copies of a graph costs ``number_bits``, the last one for all that are larger.
    """
    code = description.code
    number = len(structures)
    num_graphs = code.graph.num_graphs
    graph_of = code.graph_of[rows[:, 0]]
    # 1. disjoint ones by falling value, in each graph
    members = (rows + (which * code.graph.num_nodes)[:, None]).astype(np.int32)
    marks = np.zeros(number * code.graph.num_nodes, bool)
    at = choose_disjoint(np.argsort(-worth, kind="stable"), members, marks)
    group = which[at] * num_graphs + graph_of[at]
    order = np.argsort(group, kind="stable")
    at, group = at[order], group[order]
    rank = rank_in_group(group)
    structure_of = which[at]
    # 2. what they save, added up
    saved = worth[at] + np.log2(rank + 1.0)
    saved -= _places(description, structures, structure_of, graph_of[at], rank)
    starts = np.flatnonzero(rank == 0)
    of_group = np.cumsum(rank == 0) - 1
    # of each structure by itself, so that it does not matter which others are there
    bounds = np.searchsorted(structure_of, np.arange(1, number))
    total = np.concatenate([np.cumsum(part) for part in np.split(saved, bounds)])
    total -= (total - saved)[starts][of_group]
    # 3. the number of each graph that saves most
    if num_graphs == 1:
        costs = integer_lengths(len(at) + 1)[rank + 1]
    else:
        number_of = np.minimum(rank + 1, number_bits.shape[1] - 1)
        costs = number_bits[structure_of, number_of] - number_bits[structure_of, 0]
    paid = total - costs
    best = np.maximum.reduceat(paid, starts)[of_group] if len(at) else paid
    pays = (paid > 0) & (paid >= best - _EQUAL)
    counts = np.zeros(number * num_graphs, np.int64)
    np.maximum.at(counts, group[pays], rank[pays] + 1)
    taken = np.zeros(len(worth), bool)
    taken[at[rank < counts[group]]] = True
    is_last = rank + 1 == counts[group]
    gain = np.bincount(structure_of[is_last], total[is_last], number)
    return taken, counts.reshape(number, num_graphs), gain
