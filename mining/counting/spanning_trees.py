"""Spanning trees of a pattern, and the order in which its nodes are drawn along one of them.

How often a tree can be mapped into a graph without regard to what else its nodes are joined to (its
homomorphisms) differs between the spanning trees of one pattern by orders of magnitude, and the
share of these mappings that show the whole pattern with it: a star has many more than a path where
a graph has hubs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from gomkcn_dgl.graphs.structure import Structure, canonical_form

_NUM_TRIES = 200


@dataclass(frozen=True)
class SpanningTree:
    """A rooted spanning tree of a pattern.

    ``nodes [M]`` are the pattern's nodes in an order in which each follows its parent, whose place
    in the order is in ``parents [M]``, -1 for the root. The last node is a leaf.
    """

    nodes: np.ndarray
    parents: np.ndarray

    @classmethod
    def rooted(cls, structure: Structure, tree: np.ndarray, root: int) -> SpanningTree:
        """Order the nodes of ``tree [M, M]``: each next one has most edges to those before it."""
        joined, order, parents = structure.joined, [root], [-1]
        while len(order) < len(tree):
            next_to = [v for v in range(len(tree)) if v not in order and tree[v, order].any()]
            best = max(next_to, key=lambda v: (joined[v, order].sum(), joined[v].sum()))
            parents.append(int(np.flatnonzero(tree[best, order])[0]))
            order.append(best)
        return cls(np.array(order), np.array(parents))

    @property
    def inner(self) -> np.ndarray:
        """Nodes of the tree with children, by their place in the order."""
        return np.unique(self.parents[1:])


def spanning_trees(structure: Structure, degrees: np.ndarray) -> Iterator[SpanningTree]:
    """Different spanning trees of a pattern, the rarest ones in a graph of these degrees first.

    The number of mappings of a tree is judged by the graph's degrees alone, as if its edges were
    joined at random: the product of the moments of the degrees.
    """
    trees = structure.recall("trees", partial(_random_trees, structure.joined))
    # by the nodes of each degree, which are far fewer than the nodes
    number = np.bincount(degrees)
    degree = np.arange(len(number), dtype=np.float64)
    moments = [number @ degree**k / number.sum() for k in range(structure.num_nodes)]
    expected = np.log(moments)[trees.sum(axis=2)].sum(axis=1)
    seen = set()
    for number in np.argsort(expected, kind="stable").tolist():
        tree = trees[number]
        # trees that an automorphism of the pattern maps to each other are one
        form = structure.recall(("form of tree", number), partial(_form_of, structure, tree))
        if form not in seen:
            seen.add(form)
            yield structure.recall(("tree", number), partial(_rooted_tree, structure, tree))


def _form_of(structure: Structure, tree: np.ndarray) -> tuple[int, ...]:
    """Equal for trees that an automorphism of the pattern maps to each other."""
    rows = zip(structure.codes, tree.tolist(), strict=True)
    codes = [[2 * code + chosen for code, chosen in zip(*row, strict=True)] for row in rows]
    return canonical_form(codes, structure.colors).values


def _rooted_tree(structure: Structure, tree: np.ndarray) -> SpanningTree:
    """Rooted where the first nodes that are drawn have most edges among themselves."""
    rooted = [SpanningTree.rooted(structure, tree, root) for root in range(len(tree))]
    return max(rooted, key=lambda one: _early_edges(structure.joined, one.nodes))


def _random_trees(joined: np.ndarray) -> np.ndarray:
    """Different spanning trees of least weight for random weights, bool ``[T, M, M]``."""
    size = len(joined)
    weights = np.random.default_rng(0).random((_NUM_TRIES, size, size))
    weights = np.where(joined, weights, np.inf)
    trees = np.zeros(weights.shape, dtype=bool)
    number = np.arange(_NUM_TRIES)
    inside = np.zeros((_NUM_TRIES, size), dtype=bool)
    inside[:, 0] = True
    # Prim's algorithm, all trees at a time: the lightest edge that leaves what is inside
    for _ in range(size - 1):
        leaves = inside[:, :, None] & ~inside[:, None, :]
        lightest = np.where(leaves, weights, np.inf).reshape(_NUM_TRIES, -1).argmin(axis=1)
        u, v = np.divmod(lightest, size)
        trees[number, u, v] = trees[number, v, u] = inside[number, v] = True
    different: np.ndarray = np.unique(trees, axis=0)
    return different


def _early_edges(joined: np.ndarray, nodes: np.ndarray) -> tuple[int, ...]:
    """Edges among the first 3, 4, … nodes of an order."""
    among = np.tril(joined[np.ix_(nodes, nodes)]).sum(axis=1)
    return tuple(np.cumsum(among).tolist())
