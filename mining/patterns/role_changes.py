"""Which nodes that two graphs have by name changed their roles most, and which are new or gone.

The role of a node is how often it is at each of the 15 places of the structures of two to four
nodes, N. Pržulj's orbits, whatever the directions and types of edges. Graphs of different size and
density have other numbers everywhere, so that each count is divided by the mean of its graph: with
x such means at a place the node has log2(1 + x) there, 0 for none, 1 for as many as the mean, and
about one more each time that they double. The distance of two roles is the root of the mean of the
squared differences over the places that a node of either graph is at. A node that one graph alone
has is at no place of the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn.mining.counting.census_formulas import count_orbits, formula_steps
from gomkcn.mining.counting.graphlets import NUM_ORBITS
from gomkcn.mining.counting.watching import UncountableError
from gomkcn.mining.patterns.choice import ChoiceRules, with_grace
from gomkcn.mining.structures.number_text import three_digits
from gomkcn.mining.structures.table_column import Medium, TableColumn
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.shapes import count
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps

# places of structures of up to four nodes, which all hubs can be counted at
_SIZE = 4
# the rows of the table, of the nodes that changed most
MOST_ROLES = 100
# places that a row names: those that differ most
_MOST_NAMED = 3
# in the order of the orbits
PLACES = (
    "edge",
    "end of a path of 3 nodes",
    "middle of a path of 3 nodes",
    "triangle",
    "end of a path of 4 nodes",
    "middle of a path of 4 nodes",
    "leaf of a star with 3 leaves",
    "centre of a star with 3 leaves",
    "cycle of 4 nodes",
    "pendant node of a triangle",
    "triangle with a pendant node elsewhere",
    "triangle with a pendant node here",
    "tip of a diamond",
    "middle edge of a diamond",
    "clique of 4 nodes",
)


@dataclass(frozen=True)
class RoleChange:
    """A node of two graphs.

    Attributes
    ----------
    node : int or str
        Its name.
    graphs : str
        Which graphs have it: "both", "first" or "second".
    distance : float
        That of its roles.
    first, second : tuple of int
        Its counts at the 15 orbits in each graph, 0 where it is not.
    means_first, means_second : tuple of float
        The counts, divided by the mean over all nodes of the graph.
    """

    node: int | str
    graphs: str
    distance: float
    first: tuple[int, ...]
    second: tuple[int, ...]
    means_first: tuple[float, ...]
    means_second: tuple[float, ...]

    @property
    def changes(self) -> list[float]:
        """log2(1 + count / mean) at each orbit in the second graph less that in the first."""
        pairs = zip(self.means_first, self.means_second, strict=True)
        return [math.log2((1 + second) / (1 + first)) for first, second in pairs]

    @property
    def most_changed(self) -> list[int]:
        """The orbits that differ most, the first one most."""
        sizes = np.abs(self.changes)
        order = np.argsort(-sizes, kind="stable")[:_MOST_NAMED].tolist()
        return [orbit for orbit in order if sizes[orbit] > 0]


@dataclass(frozen=True)
class RoleChanges:
    """The nodes that changed their roles most, or why none are compared.

    ``num_shared`` nodes have the same name in both graphs, ``rows`` are the first of them by their
    distance. ``num_gone`` nodes have a name that the first graph alone has, ``num_new`` one that
    the second alone has; ``gone`` and ``new`` are the first of these by their distance from a node
    without edges. ``note`` says why there are none, or what to mind.
    """

    rows: tuple[RoleChange, ...] = ()
    num_shared: int = 0
    note: str = ""
    new: tuple[RoleChange, ...] = ()
    gone: tuple[RoleChange, ...] = ()
    num_new: int = 0
    num_gone: int = 0

    @property
    def every_row(self) -> tuple[RoleChange, ...]:
        """Those in both, then those that are new, then those that are gone."""
        return (*self.rows, *self.new, *self.gone)


def changed_roles(
    first: CSRGraph, second: CSRGraph, rules: ChoiceRules, steps: Steps
) -> RoleChanges:
    """Compare the roles of the nodes that two graphs have by name.

    >>> import networkx as nx
    >>> from gomkcn_dgl import as_csr
    >>> from gomkcn.mining.patterns.pattern_miner import PatternMiner
    >>> path, star = nx.path_graph(["a", "b", "c", "d"]), nx.star_graph(["a", "b", "c", "d"])
    >>> rules = PatternMiner().choice_rules(as_csr(path))
    >>> found = changed_roles(as_csr(path), as_csr(star), rules, Steps())
    >>> found.rows[0].node, PLACES[found.rows[0].most_changed[0]]
    ('a', 'middle of a path of 3 nodes')
    """
    graphs = (first, second)
    if any(graph.num_graphs > 1 for graph in graphs):
        return RoleChanges(note="Roles of nodes are compared in single graphs, not in collections.")
    names = [graph.original_ids(np.arange(graph.num_nodes)) for graph in graphs]
    # a file of numbers may stand beside one with words
    rows = [{str(name): row for row, name in enumerate(of_graph)} for of_graph in names]
    shared = [name for name in rows[0] if name in rows[1]]
    if not shared:
        return RoleChanges(
            note="No node of one graph has the name of a node of the other: no roles are compared."
        )
    counts = []
    for which, graph in zip(("first", "second"), graphs, strict=True):
        with steps.part(f"{which} graph"):
            found = _roles(graph, rules, steps)
        if not found.size:
            return RoleChanges(
                note="No roles are compared: time was up, or counting takes over two minutes."
            )
        counts.append(found)
    known = [{str(name): name for name in of_graph} for of_graph in names]
    gone = [name for name in rows[0] if name not in rows[1]]
    new = [name for name in rows[1] if name not in rows[0]]
    # a last row, of zeros, is that of a node which the graph has not
    means = [_with_none(_in_means(of_graph)) for of_graph in counts]
    counts = [_with_none(of_graph) for of_graph in counts]
    is_used = (counts[0].any(axis=0)) | (counts[1].any(axis=0))

    def changed(some: list[str], graphs: str) -> tuple[RoleChange, ...]:
        """The first of some nodes by the distance of their roles."""
        # -1: the last row, of zeros
        at = [np.array([of_graph.get(name, -1) for name in some], np.int64) for of_graph in rows]
        first_counts, second_counts = (c[where] for c, where in zip(counts, at, strict=True))
        first_means, second_means = (m[where] for m, where in zip(means, at, strict=True))
        changes = np.log2((1 + second_means) / (1 + first_means))
        distances = np.sqrt((changes[:, is_used] ** 2).mean(axis=1))
        order = np.argsort(-distances, kind="stable")[:MOST_ROLES].tolist()
        return tuple(
            RoleChange(
                known[graphs == "second"][some[k]],
                graphs,
                float(distances[k]),
                tuple(first_counts[k].tolist()),
                tuple(second_counts[k].tolist()),
                tuple(first_means[k].tolist()),
                tuple(second_means[k].tolist()),
            )
            for k in order
            if distances[k] > 0
        )

    numbered = all(isinstance(name, int) for of_graph in names for name in of_graph)
    return RoleChanges(
        changed(shared, "both"),
        len(shared),
        "Names are numbers: a node is taken for the same where its number is." if numbered else "",
        changed(new, "second"),
        changed(gone, "first"),
        len(new),
        len(gone),
    )


def _roles(graph: CSRGraph, rules: ChoiceRules, steps: Steps) -> np.ndarray:
    """The counts of each node at 15 orbits ``[V, 15]``; empty where they take too long.

    They know neither directions nor types.
    """

    def take(size: int) -> np.ndarray:
        spend = with_grace(steps, rules.late_steps)
        try:
            if formula_steps(graph, size, spend) > rules.most_steps:
                return np.empty(0)
            found = count_orbits(graph, size, spend)
        except (TimeUpError, UncountableError):
            return np.empty(0)
        # numbers beyond int64 are no plain value; what is compared are logarithms
        return found.astype(np.float64) if found.dtype == object else found

    (found,) = steps.each("roles of nodes", np.ndarray, take, [_SIZE])
    return found


def _with_none(values: np.ndarray) -> np.ndarray:
    """Values of nodes, and a last row of zeros."""
    return np.vstack([values, np.zeros_like(values[:1])])


def _in_means(counts: np.ndarray) -> np.ndarray:
    """The counts at each orbit, divided by the mean over all nodes."""
    mean = counts.mean(axis=0)
    in_means: np.ndarray = counts / np.where(mean > 0, mean, 1.0)
    return in_means


def _change_text(row: RoleChange) -> str:
    parts = []
    for orbit in row.most_changed:
        if row.graphs != "both":
            is_first = row.graphs == "first"
            number = (row.first if is_first else row.second)[orbit]
            of_mean = (row.means_first if is_first else row.means_second)[orbit]
            parts.append(f"{PLACES[orbit]} {number:,.0f} ({three_digits(of_mean)} × mean)")
            continue
        means = (three_digits(means[orbit]) for means in (row.means_first, row.means_second))
        counts = f"{row.first[orbit]:,.0f} → {row.second[orbit]:,.0f}"
        parts.append(f"{PLACES[orbit]} {counts} ({' → '.join(means)} × mean)")
    return "; ".join(parts)


def _orbit_columns(which: str) -> list[TableColumn[RoleChange]]:
    def column(orbit: int) -> TableColumn[RoleChange]:
        return TableColumn(
            f"orbit{orbit}_{which}",
            f"Orbit {orbit}",
            f"count in the {which} graph at orbit {orbit}: {PLACES[orbit]}",
            lambda row: getattr(row, which)[orbit],
            media=Medium.FILE,
        )

    return [column(orbit) for orbit in range(NUM_ORBITS[_SIZE])]


ROLE_COLUMNS: tuple[TableColumn[RoleChange], ...] = (
    TableColumn(
        "node",
        "Node",
        "name of the node",
        lambda row: row.node,
        lambda row: str(row.node),
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "graphs",
        "In",
        "which graphs have the node: `both`, `first` or `second`",
        lambda row: row.graphs,
        media=Medium.FILE,
    ),
    TableColumn(
        "distance",
        "Distance",
        "root of the mean squared difference of log2(1 + count / mean of the graph) over 15 orbits",
        lambda row: row.distance,
        lambda row: f"{row.distance:.2f}",
    ),
    TableColumn(
        "degree_first",
        "Neighbours,\nfirst",
        "neighbours in the first graph",
        lambda row: row.first[0],
    ),
    TableColumn(
        "degree_second",
        "Neighbours,\nsecond",
        "neighbours in the second graph",
        lambda row: row.second[0],
    ),
    TableColumn(
        "changed",
        "Places that changed most",
        "places with the largest differences: count in the first → in the second graph, and both "
        "as multiples of the mean over all nodes",
        _change_text,
        is_left=True,
    ),
    *_orbit_columns("first"),
    *_orbit_columns("second"),
)


def roles_sentence(changes: RoleChanges, rows: Sequence[RoleChange]) -> str:
    """What the table of roles has, or why there is none."""
    if not changes.num_shared:
        return changes.note
    changed = f"the {len(rows):,} that changed most" if rows else "none changed its role"
    said = f"{count(changes.num_shared, 'node')} in both by name; {changed}."
    return f"{said} {changes.note}".strip()


def alone_parts(changes: RoleChanges, most: int) -> list[tuple[str, tuple[RoleChange, ...]]]:
    """What is said of the nodes that one graph alone has, and the first rows of their tables."""
    parts = []
    for number, rows, which in (
        (changes.num_new, changes.new, "second graph alone, new there"),
        (changes.num_gone, changes.gone, "first graph alone, gone from the second"),
    ):
        if number:
            shown = rows[:most]
            first = f"; the {len(shown):,} with the largest roles" if len(shown) < number else ""
            parts.append((f"{count(number, 'node')} in the {which}{first}.", shown))
    return parts


def alone_columns() -> tuple[TableColumn[RoleChange], ...]:
    """The columns of nodes that one graph alone has: their neighbours, and places by the mean."""
    return tuple(
        replace(column, title="Largest places") if column.key == "changed" else column
        for column in ROLE_COLUMNS
    )
