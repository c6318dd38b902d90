"""Which copies of a structure are worth covering in a collection.

A copy is worth the bits of its edges and of the signatures of its nodes, less those of its new
signatures. Copies of falling value that share no node are taken, in each graph as many as pay for
their addresses. What a new signature costs depends on those of all copies, and the number of copies
of a graph on those of the others, so that the choice is repeated with what came out before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gomkcn.mining.motif_sets.candidate import LEAST_COPIES, Candidate, Choice
from gomkcn.mining.motif_sets.collection_code import CollectionCode
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.collection_loops import take_copies, value_copies, weigh_copies

# rounds of a choice, of which the third still changes some copies
ROUNDS = 3
# a motif has so many copies, in so many graphs
LEAST_GRAPHS = 3
# bits of the alphabet of an orbit, about: that of its code, and of degrees where there is one each
_ORBIT_BITS = 6.0
_DEGREE_BITS = 4.0
# a number of copies that no graph has costs so many bits more than the largest that one has
_UNSEEN_NUMBER_BITS = 2.0


def least_graphs(code: CollectionCode) -> int:
    """A motif has copies in three graphs, or in all where there are fewer."""
    return min(LEAST_GRAPHS, code.graph.num_graphs)


def choose_each(
    description: CollectionDescription, candidates: Sequence[Candidate], rounds: int = ROUNDS
) -> list[Choice]:
    """Choose copies of each of some candidates, as if it alone were covered next.

    A choice without copies gains -inf: they are too few.
    """
    return [choose_copies(description, candidate, None, rounds) for candidate in candidates]


def choose_copies(
    description: CollectionDescription,
    candidate: Candidate,
    freed: np.ndarray | None = None,
    rounds: int = ROUNDS,
) -> Choice:
    """Choose copies of a candidate, one of which has a node that is ``freed``, bool ``[V]``.

    A choice without copies gains -inf: they are too few.
    """
    code = description.code
    copies = candidate.copies
    parts = code.parts_of(candidate.structure)
    same = parts, description.uncovered, code.lengths
    gain = -np.inf
    chosen = np.zeros(0, np.int64)
    # 1. copies of free nodes, their bits as they are now, and the signatures of each orbit
    some = description.is_free if freed is None else freed
    rows, values, keys, orbit_of, alphabets, shares = weigh_copies(
        copies, candidate.edges, some, *same
    )
    if not len(rows):
        return Choice(candidate, copies[chosen].astype(np.int64), 0, gain)
    num_orbits = parts.inside.shape[1]
    costs = parts.drawing_bits + _ORBIT_BITS * num_orbits
    costs += alphabets if len(code.degrees) > 1 else _DEGREE_BITS * num_orbits
    least = LEAST_COPIES, least_graphs(code)
    unseen = 0.0
    for _ in range(rounds):
        # 2. disjoint copies by falling value, if signatures and numbers of copies are as before
        is_taken, saved, shares = take_copies(
            copies, rows, values, keys, orbit_of, np.log2(shares), unseen, costs, least, *same
        )
        if saved == -np.inf:
            break
        if saved > gain:
            gain = saved
            chosen = rows[is_taken]
        unseen = _UNSEEN_NUMBER_BITS
    return Choice(candidate, copies[chosen].astype(np.int64), len(chosen), gain)


def choose_in_collection(
    description: CollectionDescription, candidate: Candidate, freed: np.ndarray | None
) -> Choice | None:
    """The free copies of a candidate that save most, None where too few.

    Where nodes are ``freed``, bool ``[V]``, one of these must be in a copy.
    """
    choice = choose_copies(description, candidate, freed)
    if not len(choice.copies) or (freed is not None and not freed[choice.copies].any()):
        return None
    return choice


def values(description: CollectionDescription, candidate: Candidate) -> np.ndarray:
    """Bits of the edges and signatures of all copies as they are now, float64 ``[K]``."""
    bits: np.ndarray = value_copies(candidate.copies, candidate.edges, description.uncovered)
    return bits
