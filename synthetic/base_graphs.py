"""Random base graphs, each an int64 array of edges ``[E, 2]``, without direction or with one.

Edges without direction have ``u < v``; arcs lead from the first node to the second. Rows are
unique, and no node is joined to itself. ``seed`` is an integer, which gives the same graph each
time, or what else :func:`gomkcn_dgl.checks.as_seed` takes. Sizes and probabilities out of range
raise an InputError.

Barabási–Albert graphs, the background of the GOMKCN paper, are grown by a compiled loop, because
ten million nodes must not take minutes; other models are NetworkX's, and listed in
:mod:`gomkcn.synthetic.base_models`.
"""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.checks import RandomState, as_seed, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.compiled import compiled
from gomkcn_dgl.runtime.files import reason_of
from gomkcn_dgl.runtime.memory import check_memory

Seed = RandomState
# about the bytes that a node and an edge take until a planted graph is written, as was measured: of
# the compiled loop, and of the dictionaries of NetworkX
_COMPILED, _BY_NETWORKX = (40, 80), (200, 250)


def as_generator(seed: Seed) -> np.random.Generator:
    """Return a generator as it is, or a new one for what else :func:`as_seed` takes."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(as_seed("seed", seed))


def barabasi_albert(
    num_nodes: int, num_edges_per_node: int, seed: Seed, *, num_graphs: int = 1
) -> np.ndarray:
    """Grow a graph by preferential attachment (Barabási and Albert, Science 286, 1999).

    As in NetworkX: a star on ``num_edges_per_node + 1`` nodes, then each new node links to
    ``num_edges_per_node`` different nodes drawn in proportion to their degree. With 1 edge a node
    the graph is a tree.

    Parameters
    ----------
    num_nodes : int
        Number of nodes V, more than ``num_edges_per_node``.
    num_edges_per_node : int
        Edges that each new node brings, m >= 1.
    num_graphs : int
        Number of graphs G, grown one after the other. Graph g has the nodes ``g V`` to
        ``g V + V - 1`` and the g-th of the blocks of m (V - m) rows.

    Examples
    --------
    >>> barabasi_albert(5, 1, seed=0).shape
    (4, 2)
    >>> barabasi_albert(3, 2, seed=0, num_graphs=2).tolist()
    [[0, 1], [0, 2], [3, 4], [3, 5]]
    """
    num_graphs = check_int("num_graphs", num_graphs, 1)
    per_node = check_int("num_edges_per_node", num_edges_per_node, 1)
    num_nodes = check_int("num_nodes", num_nodes, per_node + 1)
    _check_memory(num_graphs * num_nodes, num_graphs * per_node * (num_nodes - per_node), _COMPILED)
    ends = _grow_by_attachment(num_graphs, num_nodes, per_node, as_generator(seed))
    return ends.reshape(-1, 2)


# Without fast mathematics: a seed gives the same graph compiled or not, and on every machine.
@compiled(fastmath=False)
def _grow_by_attachment(num_graphs, num_nodes, per_node, rng):  # type: ignore[no-untyped-def]
    """Return the edge ends ``[G, 2 m (V - m)]``, two neighbouring entries an edge."""
    num_ends = 2 * per_node * (num_nodes - per_node)
    ends = np.empty((num_graphs, num_ends), dtype=np.int64)
    for g in range(num_graphs):
        first = g * num_nodes
        # The star that the graph grows from: its centre is the first node.
        filled = 0
        for leaf in range(1, per_node + 1):
            ends[g, filled] = first
            ends[g, filled + 1] = first + leaf
            filled += 2
        for source in range(first + per_node + 1, first + num_nodes):
            # A node is in the list once for each of its edges, so a uniform entry of the edges
            # that were there before is a draw in proportion to the degree.
            num_choices = start = filled
            while filled < start + 2 * per_node:
                target = ends[g, rng.integers(0, num_choices)]
                # A target that this node is joined to already is drawn again.
                is_new = True
                for k in range(start, filled, 2):
                    is_new = is_new and ends[g, k] != target
                if is_new:
                    ends[g, filled] = target
                    ends[g, filled + 1] = source
                    filled += 2
    return ends


def networkx_edges(model: str, *arguments: float, seed: Seed) -> np.ndarray:
    """Edges of a random graph that NetworkX draws, sorted, without self-loops and repeated ones.

    Parameters
    ----------
    model : str
        Name of a function of NetworkX that takes these ``arguments`` and a seed.

    Raises
    ------
    InputError
        With the reason that NetworkX gives, where it refuses the arguments.

    Examples
    --------
    >>> networkx_edges("fast_gnp_random_graph", 3, 1.0, seed=0).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    import networkx as nx

    try:
        graph = getattr(nx, model)(*arguments, seed=as_generator(seed))
    except (nx.NetworkXException, ValueError) as error:
        raise InputError(f"{model} of NetworkX cannot be drawn: {reason_of(error)}.") from None
    edges = np.array(list(graph.edges()), dtype=np.int64).reshape(-1, 2)
    return _simple(edges if graph.is_directed() else np.sort(edges, axis=1))


def check_size(num_nodes: int, num_edges: float) -> None:
    """Refuse a graph without nodes, or one that NetworkX has no memory to draw."""
    check_int("num_nodes", num_nodes, 1)
    _check_memory(num_nodes, num_edges, _BY_NETWORKX)


def _check_memory(num_nodes: int, num_edges: float, bytes_of: tuple[int, int]) -> None:
    """Refuse a graph that is too large for the memory of the machine."""
    size = bytes_of[0] * num_nodes + bytes_of[1] * num_edges
    what = f"a base graph of {num_nodes:,} nodes and about {num_edges:,.0f} edges"
    check_memory(what, size, "give fewer nodes or edges")


def orient_edges(edges: np.ndarray, seed: Seed) -> np.ndarray:
    """Give each edge a random direction.

    Parameters
    ----------
    edges : numpy.ndarray
        Integer ``[E, 2]``.

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
