"""Random background graphs, each an int64 array of undirected edges ``[E, 2]`` with ``u < v``.

The loops are compiled by Numba at first use and take their randomness as a state array, so a seed
gives the same graph compiled or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.errors import InputError
from synthetic.base_graph_loops import (
    decode_prufer,
    grow_by_attachment,
    pair_half_edges,
    rewire_ring,
    skip_absent_pairs,
)
from synthetic.random_state import Seed, as_generator, draw_state


def barabasi_albert(num_nodes: int, num_edges_per_node: int, seed: Seed) -> np.ndarray:
    """Grow a graph by preferential attachment (Barabási and Albert, Science 286, 1999).

    As in networkx: a star on ``num_edges_per_node + 1`` nodes, then each new node links to
    ``num_edges_per_node`` different nodes drawn in proportion to their degree. With 1 edge a node
    the graph is a tree.

    Parameters
    ----------
    num_nodes : int
        Number of nodes V, more than ``num_edges_per_node``.
    num_edges_per_node : int
        Edges that each new node brings, m >= 1.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[m (V - m), 2]``, unique rows with ``u < v``.

    Raises
    ------
    InputError
        For sizes out of range.

    Examples
    --------
    >>> barabasi_albert(5, 1, seed=0).shape
    (4, 2)

    """
    return barabasi_albert_batch(1, num_nodes, num_edges_per_node, seed)


def barabasi_albert_batch(
    num_graphs: int, num_nodes: int, num_edges_per_node: int, seed: Seed
) -> np.ndarray:
    """Grow many Barabási–Albert graphs side by side in one compiled pass.

    Parameters
    ----------
    num_graphs : int
        Number of graphs G, at least 1.
    num_nodes, num_edges_per_node : int
        As in :func:`barabasi_albert`, for each graph.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[G m (V - m), 2]``; graph g has the nodes ``g V`` to ``g V + V - 1`` and the g-th
        block of rows.

    Raises
    ------
    InputError
        For sizes out of range.

    Examples
    --------
    >>> barabasi_albert_batch(2, 3, 2, seed=0).tolist()
    [[0, 1], [0, 2], [3, 4], [3, 5]]

    """
    num_graphs = check_int("num_graphs", num_graphs, 1)
    per_node = check_int("num_edges_per_node", num_edges_per_node, 1)
    num_nodes = check_int("num_nodes", num_nodes, per_node + 1)
    state = draw_state(as_generator(seed))
    return grow_by_attachment(num_graphs, num_nodes, per_node, state).reshape(-1, 2)


def erdos_renyi(num_nodes: int, edge_prob: float, seed: Seed) -> np.ndarray:
    """Draw G(n, p): every pair of nodes is an edge with probability ``edge_prob``.

    Runs of absent edges are skipped by a geometric draw (Batagelj and Brandes, Phys. Rev. E 71,
    036113, 2005), so the time is O(V + E).

    Parameters
    ----------
    num_nodes : int
        Number of nodes V, at least 1.
    edge_prob : float
        Between 0 and 1.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[E, 2]``, unique rows with ``u < v``.

    Raises
    ------
    InputError
        For sizes or probabilities out of range.

    Examples
    --------
    >>> erdos_renyi(3, 1.0, seed=0).tolist()
    [[0, 1], [0, 2], [1, 2]]

    """
    num_nodes = check_int("num_nodes", num_nodes, 1)
    edge_prob = check_float("edge_prob", edge_prob, 0.0, 1.0)
    state = draw_state(as_generator(seed))
    num_pairs = num_nodes * (num_nodes - 1) // 2
    if edge_prob == 0.0 or num_pairs == 0:
        return np.empty((0, 2), dtype=np.int64)
    log_absent = math.log1p(-edge_prob) if edge_prob < 1.0 else -math.inf
    # The same walk twice, from the same state: once to count the edges, once to write them.
    num_edges = skip_absent_pairs(num_pairs, log_absent, np.empty((0, 2), np.int64), state.copy())
    edges = np.empty((num_edges, 2), dtype=np.int64)
    skip_absent_pairs(num_pairs, log_absent, edges, state)
    return edges


def watts_strogatz(
    num_nodes: int, num_neighbors: int, rewire_prob: float, seed: Seed
) -> np.ndarray:
    """Draw a small world (Watts and Strogatz, Nature 393, 1998): a ring, some edges rewired.

    As in networkx: every node is joined to its ``num_neighbors`` nearest on a ring, then the far
    end of each edge moves, with probability ``rewire_prob``, to a node drawn uniformly among those
    that keep the graph simple.

    Parameters
    ----------
    num_nodes : int
        Number of nodes V, more than ``num_neighbors``.
    num_neighbors : int
        Ring neighbours k of a node, even and at least 2.
    rewire_prob : float
        Between 0 and 1.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[V k / 2, 2]``, unique rows with ``u < v``.

    Raises
    ------
    InputError
        For sizes or probabilities out of range, or an odd ``num_neighbors``.

    Examples
    --------
    >>> watts_strogatz(4, 2, 0.0, seed=0).tolist()
    [[0, 1], [1, 2], [2, 3], [0, 3]]

    """
    num_neighbors = check_int("num_neighbors", num_neighbors, 2)
    if num_neighbors % 2:
        raise InputError(
            f"num_neighbors must be even, half on each side of the ring, got {num_neighbors}."
        )
    num_nodes = check_int("num_nodes", num_nodes, num_neighbors + 1)
    rewire_prob = check_float("rewire_prob", rewire_prob, 0.0, 1.0)
    state = draw_state(as_generator(seed))
    edges = rewire_ring(num_nodes, num_neighbors // 2, rewire_prob, state)
    return np.sort(edges, axis=1)


def random_regular(num_nodes: int, degree: int, seed: Seed) -> np.ndarray:
    """Draw a graph in which every node has ``degree`` edges, nearly uniformly.

    Half-edges are paired at random, the pairs that would make a loop or a double edge go back, and
    a dead end starts again (Steger and Wormald, Combin. Probab. Comput. 8, 1999; as in networkx).

    Parameters
    ----------
    num_nodes : int
        Number of nodes V, more than ``degree``; ``num_nodes * degree`` must be even.
    degree : int
        At least 0.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[V degree / 2, 2]``, unique rows with ``u < v``.

    Raises
    ------
    InputError
        When no such graph exists.

    Examples
    --------
    >>> sorted(random_regular(3, 2, seed=0).tolist())
    [[0, 1], [0, 2], [1, 2]]

    """
    degree = check_int("degree", degree, 0)
    num_nodes = check_int("num_nodes", num_nodes, degree + 1)
    if num_nodes * degree % 2:
        raise InputError(
            f"num_nodes * degree must be even, got {num_nodes} * {degree}: every edge has two ends."
        )
    state = draw_state(as_generator(seed))
    edges, complete = pair_half_edges(num_nodes, degree, state)
    while not complete:
        edges, complete = pair_half_edges(num_nodes, degree, state)
    return edges


def random_tree(num_nodes: int, seed: Seed) -> np.ndarray:
    """Draw a labelled tree uniformly, by decoding a random Prüfer sequence.

    Parameters
    ----------
    num_nodes : int
        Number of nodes V, at least 1.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[V - 1, 2]``, unique rows with ``u < v``.

    Raises
    ------
    InputError
        When ``num_nodes`` is under 1.

    Examples
    --------
    >>> random_tree(2, seed=0).tolist()
    [[0, 1]]

    """
    num_nodes = check_int("num_nodes", num_nodes, 1)
    rng = as_generator(seed)
    if num_nodes == 1:
        return np.empty((0, 2), dtype=np.int64)
    sequence = rng.integers(0, num_nodes, size=num_nodes - 2)
    return np.sort(decode_prufer(sequence), axis=1)


BASE_GRAPHS: dict[str, Callable[..., np.ndarray]] = {
    "ba": barabasi_albert,
    "er": erdos_renyi,
    "ws": watts_strogatz,
    "regular": random_regular,
    "tree": random_tree,
}
