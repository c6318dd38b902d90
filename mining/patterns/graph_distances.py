"""Many graphs: how far each is from each other one, by two distances, and which are near.

- ``"gcd"``: the graphlet correlation distance GCD-11 of
  :mod:`gomkcn.mining.counting.orbit_correlations`. It says nothing of directions.
- ``"profile"``: 1 − Pearson's correlation of the significance profiles (R. Milo and others,
  Superfamilies of evolved and designed networks, Science 2004). A profile is z of each of the 8
  structures of three and four nodes, with directions of the 13 of three nodes, divided by the
  length of all of them. One length for both sizes: alone, the path and the triangle of three nodes
  would be ±0.71, however small their z.

Types of edges and categories of nodes are left out of both. A graph without edges has neither, and
where all random graphs have the counts of the graph there is no profile: such a distance is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn.mining.counting.orbit_correlations import GCD_ORBITS, ORBIT_PAIRS
from gomkcn.mining.significance.profile_distance import profile_distances
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.number_text import three_digits
from gomkcn.mining.structures.table_column import SHOWN, Medium, TableColumn, tabulate
from gomkcn_dgl.checks import check_choice, check_int
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import count, tell_apart
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.tabular import Table, Tabular

GCD, PROFILE = "gcd", "profile"
# what the distances are called where people read
MEASURES = {GCD: "GCD-11", PROFILE: "profile distance"}
# the column of the names, which no graph is called
GRAPH = "graph"
# why a graph has no distance
NO_EDGES = "it has no edges"
TIME_UP = "time was up"


@dataclass(frozen=True)
class DistantGraph:
    """One of many graphs: its size, and why it has no distances.

    Attributes
    ----------
    name : str
        No other graph has it.
    num_nodes, num_edges : int
    num_random : int
        Random graphs that its profile is of; 0 without one.
    num_called : int
        Structures of the profile that the test calls (adjusted p ≤ .05).
    no_gcd, no_profile : str
        Why there is none; empty where there is one.
    """

    name: str
    num_nodes: int
    num_edges: int
    num_random: int = 0
    num_called: int = 0
    no_gcd: str = ""
    no_profile: str = ""


@dataclass(frozen=True)
class GraphRow:
    """A graph in a table, with the one that is nearest to it."""

    graph: DistantGraph
    nearest: str | None
    distance: float | None
    missing: str


def _number(value: float | None) -> str | None:
    return None if value is None else three_digits(value)


GRAPH_COLUMNS: tuple[TableColumn[GraphRow], ...] = (
    TableColumn(
        GRAPH, "Graph", "name of the graph", attrgetter("graph.name"), is_left=True, is_name=True
    ),
    TableColumn("nodes", "Nodes", "number of nodes", attrgetter("graph.num_nodes")),
    TableColumn("edges", "Edges", "number of edges", attrgetter("graph.num_edges")),
    TableColumn(
        "nearest", "Nearest graph", "the graph with the smallest distance", attrgetter("nearest"),
        is_left=True,
    ),
    TableColumn(
        "distance", "Distance", "the distance from it, by the measure that leads",
        attrgetter("distance"), text=lambda row: _number(row.distance), is_main=True,
    ),
    TableColumn(
        "random_graphs", "Random graphs", "random graphs that its profile is of",
        attrgetter("graph.num_random"), media=Medium.FILE,
    ),
    TableColumn(
        "called", "Called", "structures of its profile that the test calls (adjusted p ≤ .05)",
        lambda row: row.graph.num_called if row.graph.num_random else None, is_optional=True,
    ),
    TableColumn(
        "missing", "Missing", "the distances that it has not, and why",
        lambda row: row.missing or None, is_left=True, is_optional=True, media=SHOWN | Medium.FILE,
    ),
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class GraphDistances(Tabular):
    """How far each of many graphs is from each other one.

    As a table it is the matrix of the distances that lead, a row and a column for each graph.

    Attributes
    ----------
    graphs : tuple of DistantGraph
        In the order that was given.
    directed : bool
        Whether the profiles are of directed structures.
    null : str
        The null model of the profiles; empty where there are none.
    keeps : tuple of str
        What its random graphs keep; several where graphs differ, as with two sides.
    null_samples : int
        Random graphs of each graph.
    structures : tuple of Structure
        Those of the profiles.
    profiles : numpy.ndarray
        float64 ``[G, S]``: z of each structure, divided by the length of all z; NaN without z.
    correlations : numpy.ndarray
        float64 ``[G, 55]``: Spearman's of each pair of the eleven orbits, see
        ``gomkcn.mining.counting.orbit_correlations.ORBIT_PAIRS``; NaN where they are not known.
    notes : tuple of str
        What of the graphs was left out.
    """

    graphs: tuple[DistantGraph, ...]
    directed: bool
    null: str
    keeps: tuple[str, ...]
    null_samples: int
    structures: tuple[Structure, ...]
    profiles: np.ndarray
    correlations: np.ndarray
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """How many graphs there are, and which pair is nearest by the measure that leads."""
        text = f"GraphDistances({count(len(self.graphs), 'graph')}, {MEASURES[self.leading]}"
        pairs = self.nearest_pairs(1)
        for first, second, distance in pairs:
            text += f": {first!r} and {second!r} are nearest, {distance:.3g}"
        return f"{text})"

    def _repr_html_(self) -> str:
        """The table of the graphs, for a notebook: a matrix is too wide."""
        rows: str = self.table("graphs")._repr_html_()
        return rows

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the graphs, in the order of the rows of all matrices."""
        return tuple(graph.name for graph in self.graphs)

    @property
    def leading(self) -> str:
        """The measure that leads: "profile" with directions and random graphs, else "gcd"."""
        return PROFILE if self.directed and self.null else GCD

    @property
    def measures(self) -> tuple[str, ...]:
        """The distances that were computed, the one that leads first."""
        return (self.leading, *({GCD, *([PROFILE] if self.null else [])} - {self.leading}))

    @property
    def distances(self) -> np.ndarray:
        """Those of the measure that leads, float64 ``[G, G]``; NaN where they are not known."""
        return self.gcd if self.leading == GCD else self.profile_distances

    @cached_property
    def gcd(self) -> np.ndarray:
        """The graphlet correlation distances, float64 ``[G, G]``."""
        apart = np.empty((len(self.graphs), len(self.graphs)))
        for row, correlations in enumerate(self.correlations):
            apart[row] = np.sqrt(((correlations - self.correlations) ** 2).sum(axis=1))
        return apart

    @cached_property
    def profile_distances(self) -> np.ndarray:
        """1 − correlation of the profiles, float64 ``[G, G]``."""
        apart = np.empty((len(self.graphs), len(self.graphs)))
        for row, entries in enumerate(self.profiles):
            apart[row] = profile_distances(entries, self.profiles)
        return apart

    def by(self, measure: str | None = None) -> np.ndarray:
        """The distances of a measure, "gcd" or "profile"; of the one that leads for None."""
        if measure is None:
            return self.distances
        check_choice("measure", measure, self.measures)
        return self.gcd if measure == GCD else self.profile_distances

    def clustered(self, measure: str | None = None) -> np.ndarray:
        """The graphs that have a distance from all others here, int64: those that are clustered."""
        apart = self.by(measure)
        kept = np.flatnonzero((~np.isnan(apart)).sum(axis=1) > 1)
        while (missing := np.isnan(apart[np.ix_(kept, kept)]).sum(axis=1)).any():
            # the one that lacks most, of several the last
            kept = np.delete(kept, len(kept) - 1 - int(missing[::-1].argmax()))
        return kept

    def linkage(self, measure: str | None = None) -> np.ndarray:
        """The clustering by average linkage (UPGMA), as SciPy's: float64 ``[K - 1, 4]``.

        Of the K graphs of :meth:`clustered`; without rows where these are fewer than two. How many
        clusters there are is not tested.
        """
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        kept = self.clustered(measure)
        if len(kept) < 2:
            return np.empty((0, 4))
        apart = self.by(measure)[np.ix_(kept, kept)]
        merged: np.ndarray = linkage(squareform(apart, checks=False), "average")
        return merged

    def order(self, measure: str | None = None) -> np.ndarray:
        """The clustered graphs as the leaves of the dendrogram stand, int64 ``[K]``."""
        from scipy.cluster.hierarchy import leaves_list

        merged = self.linkage(measure)
        kept = self.clustered(measure)
        return kept[leaves_list(merged)] if len(merged) else kept

    def clusters(self, num_clusters: int, measure: str | None = None) -> np.ndarray:
        """The cluster of each graph if the dendrogram is cut into so many, int64 ``[G]``.

        Numbers from 0 on, in the order of the graphs; −1 for a graph that is not clustered.

        >>> import networkx as nx
        >>> from gomkcn import compare
        >>> random, star = nx.gnm_random_graph, nx.star_graph
        >>> found = compare(
        ...     [random(20, 40, seed=0), star(9), random(20, 40, seed=1), star(8)], null="none"
        ... )
        >>> found.clusters(2).tolist()
        [0, 1, 0, 1]
        """
        from scipy.cluster.hierarchy import cut_tree

        kept = self.clustered(measure)
        check_int("num_clusters", num_clusters, 1, max(len(kept), 1))
        numbers = np.full(len(self.graphs), -1)
        merged = self.linkage(measure)
        numbers[kept] = cut_tree(merged, num_clusters)[:, 0] if len(merged) else 0
        return numbers

    def nearest_pairs(self, most: int) -> list[tuple[str, str, float]]:
        """The pairs with the smallest distances of the measure that leads, the nearest first."""
        first, second = np.triu_indices(len(self.graphs), 1)
        apart = self.distances[first, second]
        order = np.argsort(apart, kind="stable")[:most]
        return [
            (self.names[first[at]], self.names[second[at]], float(apart[at]))
            for at in order.tolist()
            if not np.isnan(apart[at])
        ]

    @property
    def rows(self) -> list[GraphRow]:
        """A row for each graph, in the order that was given."""
        apart = self.distances.copy()
        np.fill_diagonal(apart, np.nan)
        rows = []
        for graph, distances in zip(self.graphs, apart, strict=True):
            if np.isnan(distances).all():
                nearest, distance = None, None
            else:
                at = int(np.nanargmin(distances))
                nearest, distance = self.names[at], float(distances[at])
            whys = {GCD: graph.no_gcd, PROFILE: graph.no_profile}
            missing = "; ".join(
                f"no {MEASURES[measure]}: {whys[measure]}"
                for measure in self.measures
                if whys[measure]
            )
            rows.append(GraphRow(graph, nearest, distance, missing))
        return rows

    @property
    def structure_names(self) -> list[str]:
        """The names of the structures of the profiles."""
        every = list(self.structures)
        return tell_apart([describe_structure(structure, ()) for structure in every], every)

    def columns(self) -> dict[str, Any]:
        """The matrix of the distances that lead: the names, and a column for each graph."""
        return {GRAPH: list(self.names), **dict(zip(self.names, self.distances, strict=True))}

    def table(self, which: str = "distances") -> Table:
        """The matrix, or another table.

        Parameters
        ----------
        which : {"distances", "pairs", "graphs", "profiles"}
            "pairs" has a row for each two graphs with all distances, the nearest first; "graphs" a
            row for each graph with the one that is nearest; "profiles" a row for each graph with
            the entries of its profile and the correlations of its orbits.
        """
        tables = {
            "distances": lambda: Table(self.columns()),
            "pairs": self._pairs,
            "graphs": lambda: tabulate(GRAPH_COLUMNS, self.rows),
            "profiles": self._profiles,
        }
        check_choice("which", which, tables)
        return tables[which]()

    def _pairs(self) -> Table:
        first, second = np.triu_indices(len(self.graphs), 1)
        order = np.argsort(self.distances[first, second], kind="stable")
        first, second = first[order], second[order]
        names = self.names
        return Table(
            {
                "first": [names[at] for at in first.tolist()],
                "second": [names[at] for at in second.tolist()],
                **{measure: self.by(measure)[first, second] for measure in self.measures},
            }
        )

    def _profiles(self) -> Table:
        entries = dict(zip(self.structure_names, self.profiles.T, strict=True)) if self.null else {}
        pairs = {
            f"orbits {GCD_ORBITS[first]} and {GCD_ORBITS[second]}": column
            for (first, second), column in zip(ORBIT_PAIRS, self.correlations.T, strict=True)
        }
        return Table({GRAPH: list(self.names), **entries, **pairs})

    def plot(
        self,
        path: str | Path | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
        measure: str | None = None,
    ) -> Any:
        """Draw the heat map with its dendrogram, as the page shows it.

        Parameters
        ----------
        path : path, optional
            A file to write as well, which ends in .pdf, .svg or .png.
        width, height : float, optional
            In inches.
        measure : {"gcd", "profile"}, optional
            By default the one that leads.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            If fewer than two graphs have a distance, or Matplotlib and seaborn are not installed.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import compare
        >>> found = compare([nx.gnm_random_graph(30, 60, seed=seed) for seed in range(3)])
        >>> found.plot(width=4).get_size_inches().tolist()
        [4.0, 4.0]
        """
        from gomkcn.mining.plots.heat_map import plot_heat_map
        from gomkcn.mining.plots.paper_figure import FigureSize

        order = self.order(measure)
        if len(order) < 2:
            raise InputError("the heat map needs two graphs with a distance, and there are none.")
        return plot_heat_map(
            self.by(measure)[np.ix_(order, order)],
            [self.names[at] for at in order.tolist()],
            self.linkage(measure),
            MEASURES[measure or self.leading],
            FigureSize(path, width, height),
        )
