"""Random base graphs whose edges have a direction, each an int64 array of arcs ``[E, 2]``.

Arcs lead from the first node to the second; there are no self-loops and no repeated arcs.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from gomkcn_dgl.checks import check_float, check_int
from gomkcn_dgl.errors import InputError
from synthetic.base_graphs import Seed, as_generator


def directed_configuration(num_nodes: int, edges_per_node: float, seed: Seed) -> np.ndarray:
    """Draw a directed configuration model in which in- and out-degrees are geometric.

    The degrees of each node are drawn independently. Self-loops and repeated arcs of the model are
    erased (Newman, Strogatz and Watts, Physical Review E 64, 2001).

    Parameters
    ----------
    num_nodes : int
        Number of nodes V, at least 2.
    edges_per_node : float
        Mean of both degrees before anything is erased, above 0.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[E, 2]``, sorted.

    Raises
    ------
    InputError
        For sizes out of range.

    Examples
    --------
    >>> directed_configuration(3, 1.0, seed=0).tolist()
    [[0, 2], [1, 2], [2, 1]]
    """
    num_nodes = check_int("num_nodes", num_nodes, 2)
    edges_per_node = check_float("edges_per_node", edges_per_node, 0.0)
    if edges_per_node == 0:
        raise InputError("edges_per_node must be above 0, got 0.")
    rng = as_generator(seed)
    outgoing, incoming = rng.geometric(1 / (1 + edges_per_node), size=(2, num_nodes)) - 1
    # as many arcs come in as lead out: random nodes get the ends that are missing
    missing = int(outgoing.sum() - incoming.sum())
    fewer = incoming if missing > 0 else outgoing
    np.add.at(fewer, rng.integers(num_nodes, size=abs(missing)), 1)
    sources = np.repeat(np.arange(num_nodes), outgoing)
    targets = rng.permutation(np.repeat(np.arange(num_nodes), incoming))
    return _simple(np.stack([sources, targets], axis=1))


def directed_scale_free(num_nodes: int, seed: Seed) -> np.ndarray:
    """Grow a graph whose in- and out-degrees follow power laws (Bollobás et al., SODA 2003).

    NetworkX's ``scale_free_graph`` with its defaults, without self-loops and repeated arcs.

    Parameters
    ----------
    num_nodes : int
        Number of nodes V, at least 3.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[E, 2]``, sorted.

    Raises
    ------
    InputError
        When ``num_nodes`` is under 3.

    Examples
    --------
    >>> directed_scale_free(3, seed=0).tolist()
    [[0, 1], [1, 2], [2, 0]]
    """
    num_nodes = check_int("num_nodes", num_nodes, 3)
    import networkx as nx

    graph = nx.scale_free_graph(num_nodes, seed=as_generator(seed))
    return _simple(np.array(list(graph.edges()), dtype=np.int64))


def layered(num_nodes: int, num_layers: int, edges_per_node: int, seed: Seed) -> np.ndarray:
    """Draw a graph whose arcs lead from each layer to the next, as in a food web or a hierarchy.

    Parameters
    ----------
    num_nodes : int
        Number of nodes V; the layers are of equal size, or differ by one node.
    num_layers : int
        At least 2.
    edges_per_node : int
        Different nodes of the next layer that each node leads to; at most the size of a layer.
    seed : int or numpy.random.Generator
        The same seed gives the same graph.

    Returns
    -------
    numpy.ndarray
        int64 ``[E, 2]``, sorted; nodes are numbered layer by layer.

    Raises
    ------
    InputError
        For sizes out of range.

    Examples
    --------
    >>> layered(5, 2, 1, seed=0).shape
    (3, 2)
    """
    num_layers = check_int("num_layers", num_layers, 2)
    num_nodes = check_int("num_nodes", num_nodes, num_layers)
    layers = np.array_split(np.arange(num_nodes), num_layers)
    edges_per_node = check_int("edges_per_node", edges_per_node, 1, num_nodes // num_layers)
    rng = as_generator(seed)
    rows = [
        np.stack([np.full(edges_per_node, node), rng.choice(below, edges_per_node, replace=False)])
        for above, below in pairwise(layers)
        for node in above.tolist()
    ]
    return _simple(np.concatenate(rows, axis=1).T)


def orient_edges(edges: np.ndarray, seed: Seed) -> np.ndarray:
    """Give each edge a random direction.

    Parameters
    ----------
    edges : numpy.ndarray
        Integer ``[E, 2]``.
    seed : int or numpy.random.Generator
        The same seed gives the same directions.

    Returns
    -------
    numpy.ndarray
        ``[E, 2]``, the same edges in the same order, about half of them turned.

    Examples
    --------
    >>> orient_edges(np.array([[0, 1], [1, 2], [2, 3]]), seed=0).tolist()
    [[0, 1], [2, 1], [3, 2]]
    """
    edges = np.asarray(edges)
    turned = as_generator(seed).random(len(edges)) < 0.5
    return np.where(turned[:, None], edges[:, ::-1], edges)


def _simple(arcs: np.ndarray) -> np.ndarray:
    """Sorted arcs without self-loops and repeated ones."""
    return np.unique(arcs[arcs[:, 0] != arcs[:, 1]], axis=0)


DIRECTED_BASE_GRAPHS: dict[str, Callable[..., np.ndarray]] = {
    "configuration": directed_configuration,
    "scale-free": directed_scale_free,
    "layered": layered,
}
