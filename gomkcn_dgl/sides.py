"""The two sides of a bipartite graph, as of users and items: what the columns of a table number.

They are told by NumPy alone: compiled code and SciPy take longer to load than this to run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Independent cycles from which on two sides mean something: trees have them, whatever they stand
# for, and a graph with fewer cycles may have even ones alone by chance, one of 32.
LEAST_CYCLES = 5

# attribute of nodes that says their side
SIDE = "side"


def side_category(name: str) -> str:
    """The category of the nodes of a side.

    >>> side_category("user")
    'side=user'
    """
    return f"{SIDE}={name}"


class Sides(NamedTuple):
    """Two sides that all edges join.

    ``names`` are those of the columns of a table, or empty where they have none; ``second`` is bool
    ``[V]``, whether a node is on the second side. ``are_stated`` says that the input has two kinds
    of nodes: then they are sides in a tree, too.
    """

    names: tuple[str, ...]
    second: np.ndarray
    are_stated: bool = False

    def of(self, nodes: np.ndarray) -> Sides:
        """The sides of a graph with the nodes in another order."""
        return self._replace(second=self.second[nodes])

    @property
    def sizes(self) -> tuple[int, int]:
        """Nodes on each side."""
        number = int(self.second.sum())
        return len(self.second) - number, number

    def __str__(self) -> str:
        """Such as "18 and 14 nodes", with the names of the sides where they have some."""
        first, second = self.sizes
        if not self.names:
            return f"{first:,} and {second:,} nodes"
        nodes = "1 node" if first == 1 else f"{first:,} nodes"
        return f"{nodes} of {self.names[0]!r} and {second:,} of {self.names[1]!r}"


def sides_of_ends(
    source: np.ndarray, target: np.ndarray, num_nodes: int, names: tuple[str, ...]
) -> Sides | None:
    """The sides of a table whose two columns number different nodes; None where some are in both.

    >>> print(sides_of_ends(np.array([0, 1]), np.array([2, 2]), 3, ("user", "item")))
    2 nodes of 'user' and 1 of 'item'
    >>> sides_of_ends(np.array([0, 1]), np.array([1, 2]), 3, ("user", "item")) is None
    True
    """
    first, second = np.zeros((2, num_nodes), bool)
    first[source] = True
    second[target] = True
    return None if (first & second).any() else Sides(names, second)


def num_cycles_of(indptr: np.ndarray, indices: np.ndarray) -> int:
    """The number of independent cycles of an undirected graph.

    >>> num_cycles_of(np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1]))
    1
    """
    number, _ = components_of(indptr, indices)
    return len(indices) // 2 - (len(indptr) - 1) + number


def split_in_two(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray | None:
    """Whether each node is on the second of two sides that all edges join; None without such.

    In each component the node with most neighbours is on the first side, the first of several.

    >>> split_in_two(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1])).tolist()
    [True, False, True]
    >>> split_in_two(np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1])) is None
    True
    """
    size = len(indptr) - 1
    number, component = components_of(indptr, indices)
    # every node twice, each edge from one to the other: two sides are two components
    twice = np.concatenate([indptr, indptr[-1] + indptr[1:]])
    doubled, member = components_of(twice, np.concatenate([indices + size, indices]))
    if doubled != 2 * number:
        return None
    order = np.lexsort((np.arange(size), -np.diff(indptr)))
    _, at = np.unique(component[order], return_index=True)
    head = member[:size][order[at]]
    second: np.ndarray = member[:size] != head[component]
    return second


def components_of(indptr: np.ndarray, indices: np.ndarray) -> tuple[int, np.ndarray]:
    """The number of components of an undirected graph, and that of each node, in their order.

    >>> number, component = components_of(np.array([0, 1, 1, 2, 3]), np.array([2, 0, 3]))
    >>> number, component.tolist()
    (3, [0, 1, 0, 2])
    """
    size = len(indptr) - 1
    source, target = np.repeat(np.arange(size, dtype=indices.dtype), np.diff(indptr)), indices
    # the smallest node that is known to be in the component of each node
    least = np.arange(size)
    while True:
        ends = least[source], least[target]
        is_across = ends[0] != ends[1]
        if not is_across.any():
            break
        # edges within what is joined already are not looked at again
        source, target = source[is_across], target[is_across]
        one, other = (end[is_across] for end in ends)
        # whichever of its edges is the last, a larger name gives way to a smaller one
        least[np.maximum(one, other)] = np.minimum(one, other)
        # each path from node to smaller node is followed to its end
        while not np.array_equal(further := least[least], least):
            least = further
    first, component = np.unique(least, return_inverse=True)
    return len(first), component
