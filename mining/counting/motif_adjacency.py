"""Which nodes share occurrences of a pattern, as a matrix, from which communities are found."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn.mining.counting.conditions import Attributes
from gomkcn.mining.counting.counts import read_query
from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.counting.query import INDUCED, Query
from gomkcn.mining.counting.watching import STEPS_PER_SECOND, Watch, half_of, to_the_end
from gomkcn_dgl.bounds import MOST_STEPS
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.files import atomic_write

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# occurrences that are held at once: 4 MB for each node of the pattern
_MOST_PLACES = 1_000_000


def motif_adjacency(
    graph: Any,
    pattern: Structure | str,
    *,
    where: str | None = None,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
    max_steps: int = 10 * STEPS_PER_SECOND,
) -> csr_array:
    """Count how many occurrences of a pattern hold both nodes of each pair.

    A method for weighted graphs then sees communities of the pattern: of this matrix, spectral
    clustering finds sets of nodes whose border cuts few occurrences (Benson, Gleich and Leskovec
    2016, of which this is the motif adjacency matrix). Pairs that the pattern does not join count
    too: in a path of three nodes, both ends.

    Parameters
    ----------
    graph, pattern, where, reading, attributes
        As for :func:`gomkcn.count`.
    max_steps : int
        Most steps of the search, which is made twice. A step takes about 10 ns.

    Returns
    -------
    scipy.sparse.csr_array
        int64 ``[V, V]``, symmetric, with zeros on the diagonal. Rows and columns are the nodes in
        the order of :func:`gomkcn.as_csr`, so that of several graphs it has blocks.

    Raises
    ------
    InputError
        As :func:`gomkcn.count` does, and if ``max_steps`` do not find all occurrences: a matrix of
        some of them would not say which pairs they are missing of.

    References
    ----------
    Benson, Gleich and Leskovec, Higher-order organization of complex networks, Science 353, 2016,
    163-166.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import motif_adjacency
    >>> two_triangles = nx.Graph([("a", "b"), ("b", "c"), ("a", "c"), ("b", "d"), ("c", "d")])
    >>> motif_adjacency(two_triangles, "triangle").toarray()
    array([[0, 1, 1, 0],
           [1, 0, 2, 1],
           [1, 2, 0, 1],
           [0, 1, 1, 0]])
    """
    query = read_query(graph, pattern, where, reading, attributes)
    check_int("max_steps", max_steps, 1, MOST_STEPS)
    return adjacency_of_query(query, max_steps)


def adjacency_of_query(query: Query, max_steps: int, watch: Watch = to_the_end) -> csr_array:
    """The matrix of :func:`motif_adjacency` for a query.

    Raises
    ------
    InputError
        If ``max_steps`` or ``watch`` end the search.
    """
    from scipy.sparse import csr_array

    num_nodes = query.graph.num_nodes
    # 1. how many occurrences begin at each root
    search = OccurrenceSearch(query)
    search.run(max_steps=max_steps, watch=half_of(watch, 0))
    _refuse_unfinished(search)
    # 2. their nodes, as many at once as have room, as pairs of which the first is smaller
    roots = search.roots[search.count[search.roots] > 0]
    numbers = search.count[roots]
    matrix = csr_array((num_nodes, num_nodes), dtype=np.int64)
    steps = 0

    def watch_list(share: float) -> bool:
        # a share of the steps that are left
        return half_of(watch, 1)((steps + share * (max_steps - steps)) / max_steps)

    for block in np.split(np.arange(len(roots)), _starts_of_blocks(numbers)):
        most = int(numbers[block].sum())
        if most == 0:
            continue
        places = search.list_places(most, max_steps - steps, roots[block], watch=watch_list)
        _refuse_unfinished(search)
        steps += search.steps
        matrix += _count_pairs(places, num_nodes)
    return csr_array(matrix + matrix.T)


def save_adjacency(path: str, matrix: csr_array, names: list[int | str]) -> None:
    """Write a matrix as ``scipy.sparse.load_npz`` reads it, with ``names`` of its rows ``[V]``."""
    from scipy.sparse import save_npz

    content = io.BytesIO()
    save_npz(content, matrix)
    # the file is a zip of arrays, of which SciPy reads those that it knows
    with (
        zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as arrays,
        arrays.open("names.npy", "w") as file,
    ):
        np.save(file, np.array(names))
    atomic_write(path, content.getvalue())


def _starts_of_blocks(numbers: np.ndarray) -> np.ndarray:
    """Where blocks of roots begin that have about as many occurrences as are held at once.

    >>> _starts_of_blocks(np.array([600_000, 300_000, 200_000, 2_000_000])).tolist()
    [2, 3]
    """
    of_block = np.cumsum(numbers) // _MOST_PLACES
    return np.flatnonzero(np.diff(of_block)) + 1


def _count_pairs(places: np.ndarray, num_nodes: int) -> csr_array:
    """How many of some places ``[K, M]`` hold both nodes of each pair, the smaller one's rows."""
    from scipy.sparse import coo_array, csr_array

    first, second = np.triu_indices(places.shape[1], 1)
    low = np.minimum(places[:, first], places[:, second]).reshape(-1)
    high = np.maximum(places[:, first], places[:, second]).reshape(-1)
    ones = np.ones(len(low), np.int64)
    return csr_array(coo_array((ones, (low, high)), shape=(num_nodes, num_nodes)))


def _refuse_unfinished(search: OccurrenceSearch) -> None:
    if search.unfinished:
        raise InputError(
            "max_steps",
            "must be enough to find all occurrences, since a matrix of some is none of the graph",
            way_out="give more steps or more time, or a rarer pattern",
        )
