"""The census of a graph as a record and a table, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.shapes import describe_shapes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN
from mining.counting.sought import INDUCED
from mining.counting.structure_counts import check_reading, check_sizes, count_structures
from mining.orbits import orbit_counts
from mining.structures.categories import Categories

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Census:
    """How often every connected structure of some sizes occurs in a graph.

    Attributes
    ----------
    structures : list of Structure
        Smaller ones first. Without directions, relations and categories they are all of each
        size, in the order of Pržulj's graphlets; with directions alone all, by their numbers of
        arcs; else those that occur.
    counts : numpy.ndarray
        int64 ``[S]``, or Python's integers where one does not fit.
    sizes : range
        Numbers of nodes.
    reading : str
        "induced": sets of nodes between which there are exactly the edges of a structure.
        "subgraph": subgraphs, which are mappings of the structure to the graph, those that differ
        by a symmetry once; there may be more edges between their nodes.
    orbits : numpy.ndarray or None
        ``[V, 15]`` or ``[V, 73]``, see :func:`gomkcn.orbit_counts`; None where not asked for.
    """

    structures: list[Structure]
    counts: np.ndarray
    sizes: range
    reading: str
    orbits: np.ndarray | None = None

    @property
    def names(self) -> list[str]:
        """What each structure is called, no two alike."""
        return describe_shapes(self.structures)

    def to_pandas(self) -> pd.DataFrame:
        """A table with the columns ``size``, ``graph6``, ``name`` and ``count``, a row a structure.

        ``graph6`` is ``digraph6`` with directions, and with relations or categories ``edges``, as
        ``gomkcn count`` takes them.
        """
        import pandas as pd

        return pd.DataFrame(self.columns())

    def columns(self) -> dict[str, list[Any]]:
        """The columns of :meth:`to_pandas`."""
        kinds = {(one.relations.names, any(one.categories)) for one in self.structures}
        is_plain = all(names == (PLAIN,) and not categories for names, categories in kinds)
        is_directed = any(one.relations.is_directed for one in self.structures)
        code = ("digraph6" if is_directed else "graph6") if is_plain else "edges"
        write = to_graph6 if is_plain else Structure.to_text
        return {
            "size": [one.num_nodes for one in self.structures],
            code: [write(one) for one in self.structures],
            "name": self.names,
            "count": self.counts.tolist(),
        }


def census(
    graph: Any,
    sizes: int | tuple[int, int] | None = None,
    reading: str = INDUCED,
    orbits: bool = False,
) -> Census:
    """Count all connected structures of some sizes in a graph.

    Without directions, relations and categories the counts follow from formulas, so that graphs of
    hundreds of thousands of edges take seconds. Else all connected sets of three or four nodes are
    looked at. All counts are exact.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        A graph, or several, whose counts are added up. Categories of its nodes count: features of
        which each node has exactly one.
    sizes : int or (int, int), optional
        One number of nodes, or the first and the last one: 2 to 5, or 3 and 4 with directions,
        relations or categories. None: from 3.
    reading : {"induced", "subgraph"}
        Whether there are exactly the edges of a structure between the nodes, or at least. K4 holds
        one induced K4 and three subgraphs that are cycles of four nodes.
    orbits : bool
        Whether to count at each node as well, induced, see :func:`gomkcn.orbit_counts`.

    Returns
    -------
    Census

    Raises
    ------
    InputError
        For sizes that cannot be counted in this graph, or another reading.

    Examples
    --------
    >>> import networkx as nx
    >>> found = census(nx.complete_graph(4), 4, reading="subgraph")
    >>> dict(zip(found.names, found.counts.tolist()))["cycle of 4 nodes"]
    3
    """
    check_reading(reading)
    csr = as_csr(graph)
    categories = Categories.find(csr.stored_features, csr.feature_names)
    chosen = check_sizes(sizes, csr, categories)
    at_nodes = orbit_counts(csr, max(4, chosen[-1])) if orbits else None
    counts = count_structures(csr, chosen, reading, categories)
    return Census(list(counts), as_int64(list(counts.values())), chosen, reading, at_nodes)


def as_int64(counts: list[int]) -> np.ndarray:
    """The counts as int64, or as they are where one does not fit."""
    return np.array(counts, np.int64 if max(counts, default=0) < 2**63 else object)


def to_graph6(structure: Structure) -> str:
    """Write a structure of up to 62 nodes in B. D. McKay's graph6, with directions in digraph6.

    >>> to_graph6(Structure.parse("triangle")), to_graph6(Structure.parse("a->b"))
    ('Bw', '&AO')
    """
    joined, size = structure.joined, structure.num_nodes
    bits = [bool(joined[u, v]) for v in range(size) for u in range(v)]
    if structure.relations.is_directed:
        leaving = structure.channels[:, :, structure.relations.outgoing].any(axis=2)
        bits = leaving.reshape(-1).tolist()
    bits += [False] * (-len(bits) % 6)
    text = "".join("01"[bit] for bit in bits)
    numbers = [size, *(int(text[k : k + 6], 2) for k in range(0, len(text), 6))]
    return "&" * structure.relations.is_directed + "".join(chr(63 + one) for one in numbers)
