"""The census of a graph as a record and a table, for people."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gomkcn.mining.counting.census import (
    Counts,
    census_steps,
    count_structures,
    exact_array,
    sizes_of_census,
)
from gomkcn.mining.counting.census_columns import CENSUS_COLUMNS, CensusRow
from gomkcn.mining.counting.census_formulas import count_orbits, formula_steps
from gomkcn.mining.counting.listed_sets import LISTED_SIZES, list_sets
from gomkcn.mining.counting.query import INDUCED, READINGS
from gomkcn.mining.counting.watching import UncountableError
from gomkcn.mining.counting.weighted_sets import COHERENCE, weigh_sets, weigh_subgraphs
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.edge_weights import EdgeWeights
from gomkcn.mining.structures.pattern import Weighing
from gomkcn.mining.structures.table_column import tabulate
from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr, as_unweighted, with_attributes
from gomkcn_dgl.graphs.shapes import count, describe_shapes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.job import RunInterruptedError, TimeUpError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Table, Tabular

log = logging.getLogger("gomkcn_dgl")

# why a size is not counted
TIME_UP = "the count ended early"


def orbit_counts(graph: Any, size: int = 5, *, steps: Steps | None = None) -> np.ndarray:
    """Count the induced occurrences that have each node at each orbit.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        One graph or several, whose edges have neither directions nor kinds. Features do not count.
    size : {4, 5}
        Nodes of the largest structures.
    steps : Steps, optional
        Shows how much is done, and raises a TimeUpError when time is up.

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
    csr = as_unweighted(graph)
    _refuse_links(csr)
    steps = Steps() if steps is None else steps
    total = formula_steps(csr, size, steps.check_time)
    counts = count_orbits(csr, size, steps.share_of("counting at each node", total))
    return exact_array(counts) if counts.dtype == object else counts


def orbit_table(graph: CSRGraph, counts: np.ndarray) -> Table:
    """Counts ``[V, O]`` at each node as a table: ``node``, then ``orbit0``, ``orbit1`` and so on.

    Nodes have the ids of the input; several graphs have a first column ``graph``.

    >>> import networkx as nx
    >>> graph = as_unweighted(nx.path_graph(["a", "b"]))
    >>> orbit_table(graph, orbit_counts(graph, 4)).to_pandas().iloc[:, :2].values.tolist()
    [['a', 1], ['b', 1]]
    """
    nodes = np.arange(graph.num_nodes)
    columns: dict[str, Any] = {"graph": graph.graph_of(nodes)} if graph.num_graphs > 1 else {}
    columns["node"] = graph.original_ids(nodes)
    return Table(columns | {f"orbit{k}": column for k, column in enumerate(counts.T)})


def graphlet_agreement(first: Any, second: Any, size: int = 5) -> float:
    """How far two graphs agree in the distributions of the counts of their nodes at each orbit.

    The arithmetic mean over orbits of N. Pržulj's graphlet degree distribution agreement
    (Bioinformatics 23, 2007, section 2.2, with the distances in [0, 1] of its erratum): 1 for the
    same distributions. Nodes that are not at an orbit do not count, and one that is there k times
    has the weight 1 / k.

    Parameters
    ----------
    first, second : anything :func:`gomkcn.as_csr` takes
        Graphs as for :func:`gomkcn.orbit_counts`.
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
    return float(np.mean([1 - _distance(_shares(left), _shares(right)) for left, right in pairs]))


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
            "graph",
            "must have edges without directions and kinds for orbits to be counted",
            got=f"relations {', '.join(map(repr, graph.relations.names[:5]))}",
            way_out=("read it with ", Argument("directed", False), " and without its relations"),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Census(Tabular):
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
    orbits : Table or None
        A row for each node, with its counts in the 15 or 73 orbits, see
        :func:`gomkcn.orbit_counts`; None where not asked for.
    missing : dict of int to str
        Why structures of a size are not counted, by the size; what is counted is complete.
    weighings : dict of bytes to Weighing
        Intensity and coherence of each structure of up to four nodes that occurs, by its key, where
        weights are asked for.
    """

    structures: list[Structure]
    counts: np.ndarray
    sizes: range
    reading: str
    orbits: Table | None = None
    missing: dict[int, str] = field(default_factory=dict)
    weighings: dict[bytes, Weighing] = field(default_factory=dict)

    def __repr__(self) -> str:
        """How many structures of which sizes are counted, and as what."""
        first, last = self.sizes[0], self.sizes[-1]
        sizes = str(first) if first == last else f"{first} to {last}"
        missing = f", {count(len(self.missing), 'size')} not counted" if self.missing else ""
        number = count(len(self.structures), "structure")
        return f"Census({number} of {sizes} nodes, {self.reading}{missing})"

    @property
    def names(self) -> list[str]:
        """What each structure is called, no two alike."""
        return describe_shapes(self.structures)

    def table(self, which: str = "structures") -> Table:
        """A row for each structure or, if ``which`` is "orbits", for each node.

        >>> import networkx as nx
        >>> found = census(nx.path_graph(["a", "b"]), 4, orbits=True)
        >>> found.table("orbits").to_pandas().iloc[:, :2].values.tolist()
        [['a', 1], ['b', 1]]
        """
        tables = {"structures": Table(self.columns())}
        if self.orbits is not None:
            tables["orbits"] = self.orbits
        check_choice("which", which, tables)
        return tables[which]

    @property
    def rows(self) -> list[CensusRow]:
        """The rows of the table; a size that is not counted has one, without a count."""
        form = self._form
        counted = zip(self.structures, self.names, self.counts.tolist(), strict=True)
        return [
            *(
                CensusRow.of(of, form, name, number, self.reading, self.weighings.get(of.key))
                for of, name, number in counted
            ),
            *(
                CensusRow(size, form, "", "not counted", None, self.reading)
                for size in self.missing
            ),
        ]

    @property
    def _form(self) -> str:
        """The same for all structures: plain ones have a short code."""
        has_kinds = any(
            structure.relations.names != (PLAIN,) or any(structure.categories)
            for structure in self.structures
        )
        is_directed = any(structure.relations.is_directed for structure in self.structures)
        return "edges" if has_kinds else "digraph6" if is_directed else "graph6"

    def columns(self) -> dict[str, list[Any]]:
        """``size``, ``graph6``, ``name``, ``count`` and ``reading``, with a row a structure.

        ``graph6`` is ``digraph6`` with directions, and with relations or categories ``edges``, as
        ``gomkcn count`` takes them. A size that is not counted has one row, without a count.
        """
        return tabulate(CENSUS_COLUMNS, self.rows).columns()


def census(
    graph: Any,
    sizes: int | str | tuple[int, int] | None = None,
    reading: str = INDUCED,
    orbits: bool = False,
    *,
    weight: str | EdgeWeights | None = None,
    steps: Steps | None = None,
) -> Census:
    """Count all connected structures of some sizes in a graph.

    All counts are exact, and follow from formulas, so that graphs of hundreds of thousands of edges
    take seconds, and hubs no longer than other nodes. Directions, relations and categories are
    those of the graph.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        A graph, or several, whose counts are added up. Categories of its nodes count: features of
        which each node has exactly one.
    sizes : int or (int, int), optional
        One number of nodes, or the first and the last one: 2 to 5, or 3 and 4 with directions,
        relations or categories, unless these are the two sides of a bipartite graph. None: from 3.
    reading : {"induced", "subgraph"}
        Whether there are exactly the edges of a structure between the nodes, or at least. K4 holds
        one induced K4 and three subgraphs that are cycles of four nodes.
    orbits : bool
        Whether to count at each node as well, induced, see :func:`gomkcn.orbit_counts`.
    weight : str, optional
        The attribute of edges that holds their weights, positive numbers: structures of up to four
        nodes then have an intensity and a coherence (J.-P. Onnela et al. 2005), in the same
        reading.
    steps : Steps, optional
        Shows how much is done, and tells when time is up: sizes that are not counted by then are
        ``missing``.

    Returns
    -------
    Census
        A size for which there is not enough memory is ``missing``.

    Raises
    ------
    InputError
        For sizes none of which can be counted in this graph, or another reading.

    Examples
    --------
    >>> import networkx as nx
    >>> found = census(nx.complete_graph(4), 4, reading="subgraph")
    >>> dict(zip(found.names, found.counts.tolist()))["cycle of 4 nodes"]
    3
    >>> novel = census(nx.les_miserables_graph(), 3, weight="weight")
    >>> [round(one) for one in novel.table().columns()["intensity"]]
    [3546, 1551]
    """
    check_choice("reading", reading, READINGS)
    csr, weights = _read_weights(graph, weight)
    categories = Categories.find(csr.stored_features, csr.feature_names)
    for note in categories.notes:
        log.warning(note)
    chosen = sizes_of_census(sizes, csr, categories)
    at_nodes = orbit_table(csr, orbit_counts(csr, max(4, chosen[-1]))) if orbits else None
    steps = Steps() if steps is None else steps
    counts: Counts = {}
    missing: dict[int, str] = {}
    for size in chosen:
        try:
            counts |= _count_size(csr, size, reading, categories, steps)
        except UncountableError as error:
            # larger ones take more
            missing = dict.fromkeys(range(size, chosen[-1] + 1), error.message.note)
            if size == chosen[0]:
                raise
            break
        except (TimeUpError, RunInterruptedError):
            missing = dict.fromkeys(range(size, chosen[-1] + 1), TIME_UP)
            break
    numbers = exact_array(list(counts.values()))
    weighings: dict[bytes, Weighing] = {}
    if weights is not None:
        for size in (size for size in chosen if size in LISTED_SIZES and size not in missing):
            steps.progress.begin(f"weighing structures of {size} nodes")
            weighings |= _weigh_size(csr, weights, size, reading, categories)
    return Census(list(counts), numbers, chosen, reading, at_nodes, missing, weighings)


def _read_weights(
    graph: Any, weight: str | EdgeWeights | None
) -> tuple[CSRGraph, EdgeWeights | None]:
    """The graph without weights, and those of its edges, where they are asked for."""
    if weight is None:
        return as_unweighted(graph), None
    if isinstance(weight, EdgeWeights):
        return replace(as_csr(graph), weights=None), weight
    csr, _, edges = with_attributes(graph, (weight,))
    return csr, EdgeWeights.of(csr, edges, weight)


def _weigh_size(
    graph: CSRGraph, weights: EdgeWeights, size: int, reading: str, categories: Categories
) -> dict[bytes, Weighing]:
    """Intensity and coherence of all structures of a size that occur, by their keys."""
    sets = list_sets(graph, size, categories)
    if reading != INDUCED:
        found = weigh_subgraphs(sets, weights.finder(graph), weights.values)
        return {structure.key: Weighing(*row) for structure, row in found.items()}
    sums = weigh_sets(sets, weights.pairs_in(graph), weights.values[None])[0]
    sums[COHERENCE] /= sets.counts
    rows = zip(sets.structures, sums.T.tolist(), strict=True)
    return {structure.key: Weighing(*row) for structure, row in rows}


def _count_size(
    graph: CSRGraph, size: int, reading: str, categories: Categories, steps: Steps
) -> Counts:
    sizes = range(size, size + 1)
    steps.progress.begin("preparing")
    steps.check_time()
    total = census_steps(graph, sizes, categories, steps.check_time)
    spend = steps.share_of(f"counting structures of {size} nodes", total)
    return count_structures(graph, sizes, reading, categories, spend)
