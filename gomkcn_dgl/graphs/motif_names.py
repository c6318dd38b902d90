"""Names of small directed graphs, as the literature on network motifs has them.

The names follow Milo et al. (2002), "Network motifs: simple building blocks of complex networks",
and Kashtan et al. (2004), "Topological generalizations of network motifs"; the kinds of signed
feed-forward loops follow Mangan and Alon (2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import numpy as np

from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN, relations_of

Arcs = list[tuple[int, int]]
_ARCS = relations_of([PLAIN], [True])

# motifs of more nodes that have arcs between most of them are not named
_MOST_DENSE = 12
# directed triads that belong to no family below
_TRIADS: dict[str, Arcs] = {
    "mutual pair with a target of one of them": [(0, 1), (1, 0), (1, 2)],
    "mutual pair with a source of one of them": [(0, 1), (1, 0), (2, 1)],
    "mutual pair with a common source": [(0, 1), (1, 0), (2, 0), (2, 1)],
    "mutual pair with a common target": [(0, 1), (1, 0), (0, 2), (1, 2)],
    "three-cycle with one mutual pair": [(0, 1), (1, 0), (1, 2), (2, 0)],
    "triangle with two mutual pairs": [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0)],
}
# sign of what a relation of a regulatory network does
_SIGNS = dict.fromkeys(
    ("activates", "activation", "activator", "activate", "positive", "+", "+1", "1"), 1
) | dict.fromkeys(
    ("represses", "repression", "repressor", "repress", "inhibits", "inhibition", "inhibitor",
     "negative", "-", "-1", "−"), -1
)  # fmt: skip
# signs of A → B, B → C and A → C of each kind of feed-forward loop
_SIGNED_LOOPS = {
    (1, 1, 1): "coherent feed-forward loop of type 1",
    (-1, 1, -1): "coherent feed-forward loop of type 2",
    (1, -1, -1): "coherent feed-forward loop of type 3",
    (-1, -1, 1): "coherent feed-forward loop of type 4",
    (1, -1, 1): "incoherent feed-forward loop of type 1",
    (-1, -1, -1): "incoherent feed-forward loop of type 2",
    (1, 1, -1): "incoherent feed-forward loop of type 3",
    (-1, 1, 1): "incoherent feed-forward loop of type 4",
}


def name_motif(arcs: np.ndarray) -> str | None:
    """Name a directed graph from its adjacency, bool ``[M, M]``; None where it has no name.

    >>> name_motif(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], bool))
    'feed-forward loop'
    """
    return motif_names(len(arcs)).get(_key(arcs))


def name_signed_loop(signs: tuple[int | None, int | None, int | None]) -> str:
    """Name a feed-forward loop from the signs of A → B, B → C and A → C; None for no sign."""
    return _SIGNED_LOOPS.get(signs, "feed-forward loop")  # type: ignore[arg-type]


def sign_of(relation: str) -> int | None:
    """1 for a relation that activates, -1 for one that represses, None for any other."""
    return _SIGNS.get(relation.strip().lower())


@cache
def motif_names(size: int) -> dict[bytes, str]:
    """Names of the directed graphs of ``size`` nodes that have one, by their keys."""
    names: dict[bytes, str] = {}
    for name, arcs in _named_arcs(size):
        matrix = np.zeros((size, size), dtype=bool)
        matrix[tuple(np.array(arcs).T)] = True
        # the first of two names of one graph is the better known one
        names.setdefault(_key(matrix), name)
    return names


def _named_arcs(size: int) -> Iterator[tuple[str, Arcs]]:
    """Name and arcs of each motif of some nodes."""
    if size == 2:
        yield "directed edge", [(0, 1)]
        yield "mutual pair", [(0, 1), (1, 0)]
    if size < 3:
        return
    last, path = size - 1, [(i, i + 1) for i in range(size - 1)]
    yield f"cascade of {size} nodes", path
    yield f"single-input module with {last} targets", [(0, i) for i in range(1, size)]
    yield f"common target of {last} sources", [(i, 0) for i in range(1, size)]
    cycle = "three-cycle" if size == 3 else f"directed cycle of {size} nodes"
    yield cycle, [*path, (last, 0)]
    if size > _MOST_DENSE:
        return
    order = "feed-forward loop" if size == 3 else f"transitive tournament of {size} nodes"
    yield order, list(combinations(range(size), 2))
    if size == 3:
        yield from _TRIADS.items()
    else:
        yield from _larger_motifs(size)


def _larger_motifs(size: int) -> Iterator[tuple[str, Arcs]]:
    """Motifs of four nodes or more: several nodes that play the same part."""
    others, number = range(2, size), size - 2
    # both ends of the arc 0 → 1 stand for one node of the feed-forward loop, the others for many
    yield (
        f"feed-forward loop with {number} targets",
        [(0, 1), *product((0, 1), others)],
    )
    yield (
        f"feed-forward loop with {number} sources",
        [(0, 1), *product(others, (0, 1))],
    )
    between = [arc for i in others for arc in ((0, i), (i, 1))]
    yield f"feed-forward loop with {number} intermediates", [(0, 1), *between]
    parallel = "bi-parallel" if size == 4 else f"{number} parallel paths of two edges"
    yield parallel, between
    shared = [arc for i in others for arc in ((1, i), (i, 0))]
    many = "two" if number == 2 else str(number)
    yield f"{many} three-cycles that share an edge", [(0, 1), *shared]
    for sources in range(2, size - 1):
        name = f"{sources} sources with {size - sources} common targets"
        arcs = list(product(range(sources), range(sources, size)))
        yield "bi-fan" if size == 4 else name, arcs


def _key(arcs: np.ndarray) -> bytes:
    return Structure(np.stack([arcs, arcs.T], axis=2), _ARCS).key
