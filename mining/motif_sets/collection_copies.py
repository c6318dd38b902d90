"""Which copies of a structure are worth covering in a collection.

A copy is worth the bits of its edges and of the signatures of its nodes, less those of its new
signatures. Copies of falling value that share no node are taken, in each graph as many as pay for
their addresses. What a new signature costs depends on those of all copies, and the number of copies
of a graph on those of the others, so that the choice is repeated with what came out before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gomkcn.mining.motif_sets.candidate import LEAST_COPIES, Candidate, Choice
from gomkcn.mining.motif_sets.collection_code import CollectionCode
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.collection_loops import (
    Offered,
    Weighed,
    take_each,
    value_copies,
    weigh_each,
)

# rounds of a choice, of which the third still changes some copies
ROUNDS = 3
# a motif has so many copies, in so many graphs
LEAST_GRAPHS = 3
# copies that are weighed together: what is known of them is a MiB
_MOST_TOGETHER = 1 << 13
# bits of the alphabet of an orbit, about: that of its code, and of degrees where there is one each
_ORBIT_BITS = 6.0
_DEGREE_BITS = 4.0
# a number of copies that no graph has costs so many bits more than the largest that one has
_UNSEEN_NUMBER_BITS = 2.0


def least_graphs(code: CollectionCode) -> int:
    """A motif has copies in three graphs, or in all where there are fewer."""
    return min(LEAST_GRAPHS, code.graph.num_graphs)


def choose_each(
    description: CollectionDescription,
    candidates: Sequence[Candidate],
    rounds: int = ROUNDS,
    freed: np.ndarray | None = None,
) -> list[Choice]:
    """Choose copies of each of some candidates, as if it alone were covered next.

    Where nodes are ``freed``, bool ``[V]``, some free copy has one of these. A choice without
    copies gains -inf: they are too few.
    """
    choices = []
    for some in _by_copies(candidates):
        gains = np.full(len(some), -np.inf)
        chosen = [np.zeros(0, np.int64)] * len(some)
        starts = np.cumsum([0, *(len(candidate.copies) for candidate in some)]).tolist()
        for weighed in _takings(description, some, rounds, freed):
            for at in np.flatnonzero(weighed.saved > gains).tolist():
                free = slice(starts[at], starts[at] + int(weighed.numbers[at, 0]))
                chosen[at] = weighed.rows[free][weighed.is_taken[free]]
            gains = np.maximum(gains, weighed.saved)
        choices += [
            Choice(candidate, candidate.chosen(rows), len(rows), gain)
            for candidate, rows, gain in zip(some, chosen, gains.tolist(), strict=True)
        ]
    return choices


def gains_of_each(
    description: CollectionDescription, candidates: Sequence[Candidate], rounds: int = ROUNDS
) -> list[float]:
    """What :func:`choose_each` says that each candidate gains, without the copies."""
    gains: list[float] = []
    for some in _by_copies(candidates):
        saved = [weighed.saved.copy() for weighed in _takings(description, some, rounds, None)]
        gains += np.max(saved, axis=0).tolist()
    return gains


def _by_copies(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """The candidates in lists of so many copies that their arrays stay in a cache."""
    some: list[Candidate] = []
    number = 0
    for candidate in candidates:
        some.append(candidate)
        number += len(candidate.copies)
        if number > _MOST_TOGETHER:
            yield some
            some, number = [], 0
    if some:
        yield some


def _takings(
    description: CollectionDescription,
    candidates: Sequence[Candidate],
    rounds: int,
    freed: np.ndarray | None,
) -> Iterator[Weighed]:
    """What is taken of some candidates in each round, which the next one writes over."""
    code = description.code
    offered, drawing_bits = _offer(code, candidates)
    weighed = _nothing_weighed(offered)
    same = description.uncovered, code.lengths
    # 1. copies of free nodes, their bits as they are now, and the signatures of each orbit
    weigh_each(offered, description.is_free if freed is None else freed, *same, weighed)
    weighed.saved[weighed.numbers[:, 0] == 0] = -np.inf
    num_orbits = offered.shapes[:, 3]
    costs = drawing_bits + _ORBIT_BITS * num_orbits
    costs += weighed.alphabets if len(code.degrees) > 1 else _DEGREE_BITS * num_orbits
    least = LEAST_COPIES, least_graphs(code)
    unseen = 0.0
    for _ in range(rounds):
        # 2. disjoint copies by falling value, if signatures and numbers of copies are as before
        take_each(offered, weighed, np.log2(weighed.shares), unseen, costs, least, *same)
        yield weighed
        unseen = _UNSEEN_NUMBER_BITS


def _offer(code: CollectionCode, candidates: Sequence[Candidate]) -> tuple[Offered, np.ndarray]:
    """Candidates side by side, and the bits of their drawings."""
    parts = [code.parts_of(candidate.structure) for candidate in candidates]
    shapes = [
        (*candidate.copies.shape, candidate.edges.shape[1], part.inside.shape[1])
        for candidate, part in zip(candidates, parts, strict=True)
    ]
    offered = Offered(
        np.array(shapes),
        np.concatenate([candidate.copies.reshape(-1) for candidate in candidates]),
        np.concatenate([candidate.edges.reshape(-1) for candidate in candidates]),
        np.concatenate([part.orbits for part in parts]),
        np.concatenate([part.inside for part in parts], axis=1),
        np.array([part.of_color for part in parts]),
        np.array([part.symmetry for part in parts]),
    )
    return offered, np.array([part.drawing_bits for part in parts])


def _nothing_weighed(offered: Offered) -> Weighed:
    """Where what is known of copies is written to."""
    number, num_copies = len(offered.shapes), int(offered.shapes[:, 0].sum())
    num_nodes = len(offered.copies)
    return Weighed(
        np.zeros((number, 3), np.int64),
        np.empty(num_copies, np.int64),
        np.empty(num_copies),
        np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int64),
        np.zeros(number),
        np.ones(num_nodes + num_copies + number),
        np.empty(num_copies, bool),
        np.zeros(number),
    )


def choose_in_collection(
    description: CollectionDescription,
    candidates: Sequence[Candidate],
    freed: np.ndarray | None,
) -> list[Choice | None]:
    """The free copies of each candidate that save most, None where too few.

    Where nodes are ``freed``, bool ``[V]``, one of these must be in a copy. A motif of the
    description takes no more: its copies were chosen all at once.
    """
    taken = {motif.structure.code for motif in description.motifs}
    others = [candidate for candidate in candidates if candidate.code not in taken]
    chosen = iter(choose_each(description, others, freed=freed))
    choices = [None if candidate.code in taken else next(chosen) for candidate in candidates]
    return [
        choice
        if choice is not None
        and len(choice.copies)
        and (freed is None or freed[choice.copies].any())
        else None
        for choice in choices
    ]


def values(description: CollectionDescription, candidate: Candidate) -> np.ndarray:
    """Bits of the edges and signatures of all copies as they are now, float64 ``[K]``."""
    bits: np.ndarray = value_copies(candidate.copies, candidate.edges, description.uncovered)
    return bits
