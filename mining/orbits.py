"""At which places of the structures of two to five nodes each node of a graph is, and how often.

The places are the 15 orbits of up to four nodes, or the 73 of up to five, numbered as by N. Pržulj
(Biological network comparison using graphlet degree distribution, Bioinformatics 23, 2007).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from mining.counting.census_formulas import count_orbits

if TYPE_CHECKING:
    import pandas as pd


def orbit_counts(graph: Any, size: int = 5) -> np.ndarray:
    """Count the induced occurrences that have each node at each orbit.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        One graph or several, whose edges have neither directions nor kinds. Features do not count.
    size : {4, 5}
        Nodes of the largest structures.

    Returns
    -------
    numpy.ndarray
        int64 ``[V, 15]`` or ``[V, 73]``; Python's integers where one does not fit.

    Raises
    ------
    InputError
        For another size, or for edges with directions or kinds.

    Examples
    --------
    >>> import networkx as nx
    >>> orbit_counts(nx.cycle_graph(4), 4)[0].nonzero()[0].tolist()
    [0, 1, 2, 8]
    """
    check_int("size", size, 4, 5)
    csr = as_csr(graph)
    _refuse_links(csr)
    counts = count_orbits(csr, size)
    if counts.dtype == object and counts.max() < 2**63:
        counts = counts.astype(np.int64)
    return counts


def orbit_table(graph: Any, size: int = 5) -> pd.DataFrame:
    """:func:`orbit_counts` as a table with the columns ``node``, ``orbit0``, ``orbit1`` and so on.

    Nodes have the ids of the input; several graphs have a first column ``graph``.

    >>> import networkx as nx
    >>> orbit_table(nx.path_graph(["a", "b"]), 4).iloc[:, :2].values.tolist()
    [['a', 1], ['b', 1]]
    """
    import pandas as pd

    csr = as_csr(graph)
    return pd.DataFrame(orbit_columns(csr, orbit_counts(csr, size)))


def orbit_columns(graph: CSRGraph, counts: np.ndarray) -> dict[str, Any]:
    """The columns of :func:`orbit_table`."""
    nodes = np.arange(graph.num_nodes)
    columns: dict[str, Any] = {"graph": graph.graph_of(nodes)} if graph.num_graphs > 1 else {}
    columns["node"] = graph.original_ids(nodes)
    return columns | {f"orbit{k}": column for k, column in enumerate(counts.T)}


def graphlet_agreement(first: Any, second: Any, size: int = 5) -> float:
    """How far two graphs agree in the distributions of the counts of their nodes at each orbit.

    The arithmetic mean over orbits of N. Pržulj's graphlet degree distribution agreement
    (Bioinformatics 23, 2007, section 2.2, with the distances in [0, 1] of its erratum): 1 for the
    same distributions. Nodes that are not at an orbit do not count, and one that is there k times
    has the weight 1 / k.

    Parameters
    ----------
    first, second : anything :func:`gomkcn.as_csr` takes
        Graphs as for :func:`orbit_counts`.
    size : {4, 5}
        Nodes of the largest structures.

    Examples
    --------
    >>> import networkx as nx
    >>> graphlet_agreement(nx.cycle_graph(9), nx.cycle_graph(12))
    1.0
    >>> round(graphlet_agreement(nx.cycle_graph(9), nx.star_graph(8)), 2)
    0.87
    """
    pairs = zip(orbit_counts(first, size).T, orbit_counts(second, size).T, strict=True)
    return float(np.mean([1 - _distance(_shares(one), _shares(other)) for one, other in pairs]))


def _shares(counts: np.ndarray) -> dict[int, float]:
    """The share of the nodes with each count above 0, weighted by its inverse."""
    values, nodes = np.unique(counts[counts > 0], return_counts=True)
    weights = nodes / values.astype(np.float64)
    return dict(zip(values.tolist(), (weights / weights.sum()).tolist(), strict=True))


def _distance(first: dict[int, float], second: dict[int, float]) -> float:
    """The Euclidean distance, divided by the square root of 2."""
    squares = [(first.get(k, 0) - second.get(k, 0)) ** 2 for k in first.keys() | second.keys()]
    return float(np.sqrt(np.sum(squares) / 2))


def _refuse_links(graph: CSRGraph) -> None:
    if graph.links is not None:
        raise InputError(
            "graph must have edges without directions and kinds for orbits to be counted, got "
            f"relations {', '.join(map(repr, graph.relations.names[:5]))}; read it with "
            "directed=False and without its relations."
        )
