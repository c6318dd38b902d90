"""The two sides of a bipartite graph, as of users and items: what the columns of a table number.

They are told without compiled code, which takes longer to load than this to run.
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
    number, _ = _components(indptr, indices)
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
    number, component = _components(indptr, indices)
    # every node twice, each edge from one to the other: two sides are two components
    twice = np.concatenate([indptr, indptr[-1] + indptr[1:]])
    doubled, member = _components(twice, np.concatenate([indices + size, indices]))
    if doubled != 2 * number:
        return None
    order = np.lexsort((np.arange(size), -np.diff(indptr)))
    _, at = np.unique(component[order], return_index=True)
    head = member[:size][order[at]]
    second: np.ndarray = member[:size] != head[component]
    return second


def _components(indptr: np.ndarray, indices: np.ndarray) -> tuple[int, np.ndarray]:
    import scipy.sparse as sp

    size = len(indptr) - 1
    entries = np.ones(len(indices), np.int8)
    rows = sp.csr_array((entries, indices, indptr), shape=(size, size))
    number, component = sp.csgraph.connected_components(rows, directed=False)
    return int(number), component
