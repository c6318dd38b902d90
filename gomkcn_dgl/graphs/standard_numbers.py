"""Triads and the numbers of directed structures: what the literature calls them, and their edges.

Directed structures of three nodes are triads (P. W. Holland and S. Leinhardt, 1970), called by
their numbers of mutual, asymmetric and null pairs, and a letter where several have the same:
``030T`` is the feed-forward loop. Those of three and four nodes have the numbers of mfinder and of
the motif dictionary of R. Milo et al. (Science 298, 2002): the adjacency matrix as a number, row by
row from the lowest bit on, the smallest over all orders of the nodes. The feed-forward loop is 38,
the three-cycle 98 and the bi-fan 204.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import permutations, product

import numpy as np

from gomkcn_dgl.errors import InputError

# edges as pairs of digits; mutual, asymmetric and null pairs, and Down, Up, Transitive or Cyclic
TRIADS = {
    "021D": "01 02",
    "021U": "10 20",
    "021C": "01 12",
    "111D": "01 10 21",
    "111U": "01 10 12",
    "030T": "01 02 12",
    "030C": "01 12 20",
    "201": "01 10 12 21",
    "120D": "01 10 20 21",
    "120U": "01 10 02 12",
    "120C": "01 10 12 20",
    "210": "01 10 12 21 20",
    "300": "01 10 02 20 12 21",
}
# the sizes that have numbers
SIZES = (3, 4)
MFINDER = "mfinder"
_MFINDER = re.compile(rf"{MFINDER}([{SIZES[0]}{SIZES[-1]}]?)-(\d{{1,5}})")

Arcs = tuple[tuple[int, int], ...]


def smallest_number(arcs: np.ndarray) -> int:
    """The adjacency matrix of a structure, bool ``[M, M]``, as the smallest number of any order.

    >>> smallest_number(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], bool))
    38
    """
    size = len(arcs)
    orders = np.array(list(permutations(range(size))))
    bits = 1 << np.arange(size * size, dtype=np.int64).reshape(size, size)
    matrices = arcs[orders[:, :, None], orders[:, None, :]]
    return int((matrices * bits).sum(axis=(1, 2)).min())


@cache
def triad_of_number() -> dict[int, str]:
    """The name of each connected triad, by its number.

    >>> triad_of_number()[98]
    '030C'
    """
    return {smallest_number(_matrix(arcs)): name for name, arcs in _triads().items()}


def arcs_of_name(name: str) -> Arcs | None:
    """The edges of a triad such as "030T", or of a number such as "mfinder-204"; None for others.

    Three numbers are of a structure of three nodes and of one of four: ``mfinder3-14`` and
    ``mfinder4-14`` say which.

    >>> arcs_of_name("030C"), arcs_of_name("mfinder-98"), arcs_of_name("house")
    (((0, 1), (1, 2), (2, 0)), ((0, 1), (1, 2), (2, 0)), None)
    """
    if name in TRIADS:
        return _triads()[name]
    found = _MFINDER.fullmatch(name)
    if found is None:
        return None
    sizes = [int(found[1])] if found[1] else list(SIZES)
    number = int(found[2])
    fitting = [size for size in sizes if _is_number(size, number)]
    if not fitting:
        of = " or ".join(map(str, sizes))
        raise InputError(
            "pattern",
            f"must have the smallest number of a connected structure of {of} nodes behind "
            f"{MFINDER}-, as in {MFINDER}-38 and {MFINDER}-204",
            got=repr(name),
        )
    if len(fitting) > 1:
        both = " or ".join(f"{MFINDER}{size}-{number}" for size in fitting)
        raise InputError(
            "pattern",
            f"must say how many nodes it has, since structures of {' and '.join(map(str, SIZES))} "
            "nodes have this number",
            got=repr(name),
            way_out=f"write {both}",
        )
    return _arcs_of_number(fitting[0], number)


def is_standard(name: str) -> bool:
    """Whether a text names a triad or a number of mfinder, though perhaps one that is not there."""
    return name in TRIADS or _MFINDER.fullmatch(name) is not None


@cache
def _triads() -> dict[str, Arcs]:
    return {
        name: tuple((int(arc[0]), int(arc[1])) for arc in text.split())
        for name, text in TRIADS.items()
    }


def _matrix(arcs: Arcs) -> np.ndarray:
    size = 1 + max(map(max, arcs))
    matrix = np.zeros((size, size), bool)
    matrix[tuple(np.array(arcs).T)] = True
    return matrix


def _arcs_of_number(size: int, number: int) -> Arcs:
    """The edges whose bits a number has; those from a node to itself are none of a structure."""
    return tuple((u, v) for u, v in product(range(size), repeat=2) if number >> (u * size + v) & 1)


def _is_number(size: int, number: int) -> bool:
    """Whether a number is the smallest of a connected structure without self-loops."""
    arcs = _arcs_of_number(size, number)
    if number >> (size * size) or not arcs or any(u == v for u, v in arcs):
        return False
    joined = np.eye(size, dtype=bool)
    joined[tuple(np.array(arcs).T)] = True
    joined |= joined.T
    reached = np.linalg.matrix_power(joined.astype(np.int64), size) > 0
    matrix = np.zeros((size, size), bool)
    matrix[tuple(np.array(arcs).T)] = True
    return bool(reached.all()) and smallest_number(matrix) == number
