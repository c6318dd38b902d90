"""The roles of nodes: in how many occurrences of a structure each node is at each place of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from gomkcn.mining.counting.census_formulas import count_orbits, formula_steps
from gomkcn.mining.counting.counter import count_query, list_query
from gomkcn.mining.counting.graphlets import ORBITS, graphlets
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.watching import STEPS_PER_SECOND, UncountableError
from gomkcn.mining.structures.categories import Colors
from gomkcn.mining.structures.pattern_reading import as_structure
from gomkcn.mining.structures.roles import Role, roles_of
from gomkcn_dgl.bounds import MOST_LISTED, MOST_STEPS
from gomkcn_dgl.checks import check_int
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.structure import Structure

# occurrences that are held at once: 8 MB for each node of the structure
_MOST_PLACES = 2_000_000
# of structures whose orbits have formulas
_LEAST_ORBITS, _MOST_ORBITS = 4, 5


@dataclass(frozen=True, eq=False)
class RoleCounts:
    """In how many induced occurrences of a structure each node has each of its roles.

    Attributes
    ----------
    structure : Structure
    roles : list of Role
        R roles: nodes of the structure that its symmetries exchange have one.
    counts : numpy.ndarray
        int64 ``[V, R]``; float64 where they are estimates.
    is_exact : bool
        Whether all occurrences were counted.
    """

    structure: Structure
    roles: list[Role]
    counts: np.ndarray
    is_exact: bool

    @classmethod
    def of_places(
        cls,
        structure: Structure,
        places: np.ndarray,
        num_nodes: int,
        total: float | None = None,
    ) -> RoleCounts:
        """The counts of all places, int ``[K, M]``, or of a sample of ``total`` places.

        >>> counts = RoleCounts.of_places(Structure.parse("path-3"), np.array([[1, 0, 2]]), 3)
        >>> [str(role) for role in counts.roles], counts.counts.tolist()
        (['A/C', 'B'], [[0, 1], [1, 0], [1, 0]])
        """
        counts = np.column_stack(
            [
                np.bincount(places[:, role.nodes].reshape(-1), minlength=num_nodes)
                for role in roles_of(structure)
            ]
        )
        if total is None:
            return cls.of_counts(structure, counts, is_exact=True)
        return cls.of_counts(structure, counts * (total / max(1, len(places))), is_exact=False)

    @classmethod
    def of_counts(cls, structure: Structure, counts: np.ndarray, is_exact: bool) -> RoleCounts:
        """The counts of the roles of a structure, ``[V, R]``."""
        return cls(structure, roles_of(structure), counts, is_exact)


def node_roles(
    graph: Any,
    structures: Sequence[Structure | str],
    *,
    max_steps: int = 5 * STEPS_PER_SECOND,
    max_places: int = _MOST_PLACES,
    seed: int = 0,
) -> list[RoleCounts]:
    """Count in how many induced occurrences of each structure each node has each role.

    Structures of up to five nodes without directions, relations and categories are counted by
    formulas; occurrences of others are listed. Where there are too many, the counts are estimates
    from a uniform sample of them, which ``is_exact`` says.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        One graph or a collection of V nodes.
    structures : sequence of Structure or str
        As :meth:`gomkcn.Structure.parse` takes them.
    max_steps : int
        Most steps for each structure, and for the formulas of all. A step takes about 10 ns.
    max_places : int
        Most occurrences of a structure that are listed.
    seed : int
        Of the samples.

    Returns
    -------
    list of RoleCounts

    Raises
    ------
    InputError
        If the graph lacks a relation or a category of a structure, or a limit is out of range.

    Examples
    --------
    >>> import networkx as nx
    >>> loops = nx.DiGraph([("x", "y"), ("y", "z"), ("x", "z"), ("x", "w"), ("w", "z")])
    >>> (found,) = node_roles(loops, ["030T"])
    >>> [str(role) for role in found.roles]
    ['A source', 'B intermediate', 'C sink']
    >>> dict(zip(loops, found.counts.tolist()))
    {'x': [2, 0, 0], 'y': [0, 1, 0], 'z': [0, 0, 2], 'w': [0, 1, 0]}
    """
    check_int("max_steps", max_steps, 1, MOST_STEPS)
    check_int("max_places", max_places, 1, MOST_LISTED)
    csr = as_unweighted(graph)
    chosen = [as_structure(structure, csr.relations) for structure in structures]
    by_formula = orbits_of(csr, chosen, max_steps)
    return [
        roles_by_orbits(structure, *by_formula[structure.key])
        if structure.key in by_formula
        else count_roles(csr, structure, max_steps=max_steps, max_places=max_places, seed=seed)
        for structure in chosen
    ]


def orbits_of(
    graph: CSRGraph, structures: Sequence[Structure], max_steps: int
) -> dict[bytes, tuple[int, np.ndarray]]:
    """The number and the counts ``[V, O]`` of structures that formulas count, by their keys.

    None where edges have directions or relations, or formulas take more steps.
    """
    if graph.links is not None:
        return {}
    known = {graphlet.key: number for number, graphlet in enumerate(graphlets())}
    sizes = {one.key: one.num_nodes for one in structures if one.key in known}
    # where those of five nodes take too long, those of up to four
    for limit in (_MOST_ORBITS, _LEAST_ORBITS):
        counted = [key for key, size in sizes.items() if size <= limit]
        size = max(_LEAST_ORBITS, *(sizes[key] for key in counted), 0)
        with suppress(UncountableError):
            if counted and formula_steps(graph, size) <= max_steps:
                counts = count_orbits(graph, size)
                return {key: (known[key], counts) for key in counted}
    return {}


def roles_by_orbits(structure: Structure, number: int, counts: np.ndarray) -> RoleCounts:
    """The counts of the graphlet of this number from those of all orbits."""
    graphlet = graphlets()[number]
    # nodes of both at the same canonical positions
    orbit_at = np.array(ORBITS[number])[graphlet.form.order]
    orbit_of = dict(zip(structure.form.order.tolist(), orbit_at.tolist(), strict=True))
    columns = [orbit_of[role.nodes[0]] for role in roles_of(structure)]
    return RoleCounts.of_counts(structure, counts[:, columns], is_exact=True)


def count_roles(
    graph: CSRGraph,
    structure: Structure,
    colors: Colors | None = None,
    *,
    max_steps: int,
    max_places: int = _MOST_PLACES,
    known: float = 0.0,
    seed: int = 0,
) -> RoleCounts:
    """The counts of all occurrences, or estimates from a sample of them.

    There are at least as many as are ``known``.
    """
    query = Query.of_structure(graph, structure, colors)
    places, is_complete = list_query(
        query, most=max_places, max_steps=max_steps, known=known, seed=seed
    )
    total = None
    if not is_complete:
        total = count_query(query, max_steps=max_steps, seed=seed)[0].value
    return RoleCounts.of_places(structure, places, graph.num_nodes, total)
