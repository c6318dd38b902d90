"""Many graphs are measured: their names, their orbits, their profiles beside random graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gomkcn.mining.counting.census import CensusTable, count_in_each, directed_structures
from gomkcn.mining.counting.census_formulas import count_orbits
from gomkcn.mining.counting.graphlets import graphlets
from gomkcn.mining.counting.orbit_correlations import ORBIT_PAIRS, orbit_correlations
from gomkcn.mining.counting.watching import UncountableError
from gomkcn.mining.patterns.graph_distances import (
    GRAPH,
    NO_EDGES,
    TIME_UP,
    DistantGraph,
    GraphDistances,
)
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.patterns.random_censuses import graphs_together
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn.mining.significance.verdicts import compare_with_random
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.checks import as_seed
from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.messages import Argument
from gomkcn_dgl.relations import PLAIN, SIMPLE, Relations
from gomkcn_dgl.runtime.steps import Steps

# graphs whose distances are two matrices of 8 MB, two files of 20 MB and a page of 4 MB
MOST_GRAPHS = 1000
_EQUAL_RANKS = "an orbit has equal counts at all nodes"
_NO_Z = "all random graphs have the same counts"
# link of a directed edge that leaves, that arrives, or both
_DIRECTED = Relations((PLAIN,), (True,), np.array([[0, 0], [1, 0], [0, 1], [1, 1]], bool))


class NamedGraph(NamedTuple):
    """A graph that is compared with many, and what it is called."""

    name: str
    graph: CSRGraph


def named_graphs(graphs: Any) -> list[NamedGraph]:
    """The graphs of a list, of a mapping of names, or of a collection, each by itself.

    >>> import networkx as nx
    >>> [one.name for one in named_graphs({"a": nx.path_graph(3), "b": nx.path_graph(4)})]
    ['a', 'b']
    """
    if isinstance(graphs, Mapping) and not hasattr(graphs, "ndim"):
        return tell_names_apart(
            NamedGraph(str(name), _as_graph(graph)) for name, graph in graphs.items()
        )
    if not isinstance(graphs, list):
        return graphs_of_collection(_as_graph(graphs))
    alone = [_as_graph(graph) for graph in graphs]
    return tell_names_apart(
        NamedGraph(f"graph {number}" if graph.graph_names is None else graph.called(0), graph)
        for number, graph in enumerate(alone)
    )


def _as_graph(graph: Any) -> CSRGraph:
    if isinstance(graph, MiningRun):
        refuse_run(graph.graph.source)
    return as_unweighted(graph)


def refuse_run(source: str) -> NoReturn:
    """Refuse a run among many graphs, which keeps no counts at nodes."""
    raise InputError(
        "graphs",
        "must be graphs where they are not two",
        got=f"a run of {source!r}",
        way_out="give the graph that it was made of",
    )


def graphs_of_collection(graph: CSRGraph) -> list[NamedGraph]:
    """The graphs of a collection, by their names or their numbers."""
    return tell_names_apart(
        NamedGraph(graph.called(number), alone) for number, alone in enumerate(graph)
    )


def tell_names_apart(graphs: Iterable[NamedGraph]) -> list[NamedGraph]:
    """The graphs, with a number behind a name that another one has, or the column of names.

    >>> [one.name for one in tell_names_apart([NamedGraph("a", None), NamedGraph("a", None)])]
    ['a', 'a (2)']
    """
    graphs = list(graphs)
    taken = {GRAPH, *(graph.name for graph in graphs)}
    seen = {GRAPH}
    named = []
    for name, graph in graphs:
        free = name
        number = 1
        while free in seen or (free != name and free in taken):
            number += 1
            free = f"{name} ({number})"
        seen.add(free)
        named.append(NamedGraph(free, graph))
    return named


def check_many(graphs: Sequence[NamedGraph]) -> None:
    """Refuse one graph or too many, and some with directions among others without."""
    if len(graphs) < 2:
        rule = "must be two or more, or one collection of them"
        raise InputError("graphs", rule, got=f"{len(graphs)}")
    if len(graphs) > MOST_GRAPHS:
        raise InputError("graphs", f"must be at most {MOST_GRAPHS:,}", got=f"{len(graphs):,}")
    # a graph without edges has no directions, whatever it says
    with_edges = [named for named in graphs if named.graph.num_edges]
    directed = [named.name for named in with_edges if named.graph.is_directed]
    if 0 < len(directed) < len(with_edges):
        other = next(named.name for named in with_edges if not named.graph.is_directed)
        raise InputError(
            "graphs",
            "must all have directions or none",
            got=f"{directed[0]!r} with and {other!r} without",
            way_out=("read them with ", Argument("directed", False)),
        )


@dataclass(frozen=True, eq=False)
class _Orbits:
    """The correlations of the orbits of a graph, or why there are none."""

    number: int
    correlations: np.ndarray
    missing: str = ""


@dataclass(frozen=True, eq=False)
class _Profile:
    """z of each structure of a graph, NaN where there is none, or why there are none at all."""

    number: int
    z: np.ndarray
    num_called: int = 0
    keeps: str = ""
    missing: str = ""


def measure_distances(
    graphs: Sequence[NamedGraph], miner: PatternMiner, steps: Steps
) -> GraphDistances:
    """What :func:`gomkcn.compare` does with many graphs and the miner of their random graphs."""
    # 1. what is left out, and the null model
    check_many(graphs)
    is_directed = any(named.graph.is_directed and named.graph.num_edges for named in graphs)
    rules = [miner.choice_rules(named.graph) for named in graphs]
    nulls = rules[0].nulls if all(of_graph.nulls for of_graph in rules) else ()
    if len(nulls) > 1:
        raise InputError("null", "must be a single model for three graphs or more", got=len(nulls))
    notes = [note for note in dict.fromkeys(of_graph.why_no_null for of_graph in rules) if note]
    plain = [_without_kinds(named.graph, is_directed) for named in graphs]
    if any(_has_kinds(named.graph) for named in graphs):
        notes.append("Types of edges and categories of nodes are left out.")
    # 2. the orbits of each graph, which are known soon
    items = list(enumerate(plain))
    orbits = {
        found.number: found
        for found in steps.each(
            "orbits of each graph",
            _Orbits,
            partial(_orbits_of, steps),
            items,
            itemgetter(0),
            in_time=True,
        )
    }
    # 3. the profile of each graph
    structures = _structures(is_directed)
    profiles: dict[int, _Profile] = {}
    num_random = int(miner.null_samples or 0) if nulls else 0
    if nulls:
        seed = as_seed("random_state", miner.random_state)
        take = partial(_profile_of, steps, nulls[0], num_random, seed, is_directed)
        found = steps.each(
            "random graphs of each graph", _Profile, take, items, itemgetter(0), in_time=True
        )
        profiles = {profile.number: profile for profile in found}
    # 4. what was not done in time is missing
    no_orbits = np.full(len(ORBIT_PAIRS), np.nan)
    no_profile = np.full(len(structures), np.nan)
    late_orbits = _Orbits(-1, no_orbits, TIME_UP)
    late_profile = _Profile(-1, no_profile, missing=TIME_UP if nulls else "")
    of_graphs = [
        (named, orbits.get(number, late_orbits), profiles.get(number, late_profile))
        for number, named in enumerate(graphs)
    ]
    return GraphDistances(
        tuple(
            DistantGraph(
                named.name,
                named.graph.num_nodes,
                named.graph.num_edges,
                0 if profile.missing else num_random,
                profile.num_called,
                of_orbits.missing,
                profile.missing,
            )
            for named, of_orbits, profile in of_graphs
        ),
        is_directed,
        null_model(nulls[0], plain[0]).name if nulls else "",
        tuple(dict.fromkeys(profile.keeps for *_, profile in of_graphs if profile.keeps)),
        num_random,
        structures,
        np.stack([_entries(profile.z) for *_, profile in of_graphs]),
        np.stack([of_orbits.correlations for _, of_orbits, _ in of_graphs]),
        tuple(notes),
    )


def _has_kinds(graph: CSRGraph) -> bool:
    """Whether a graph has several types of edges, or nodes of which not all are alike."""
    features = graph.stored_features
    return len(graph.relations.names) > 1 or bool((features != features[:1]).any())


def _without_kinds(graph: CSRGraph, is_directed: bool) -> CSRGraph:
    """The edges of a graph and their directions; one without direction is one each way."""
    links = None
    if is_directed:
        relations = graph.relations
        sides = np.array([side for _, side in relations.channels])
        given = np.ones(len(graph.indices), np.uint8) if graph.links is None else graph.links
        leaves = relations.links[:, np.isin(sides, ["out", "both"])].any(axis=1)
        arrives = relations.links[:, np.isin(sides, ["in", "both"])].any(axis=1)
        links = (leaves + 2 * arrives).astype(np.uint8)[given]
    return replace(
        graph,
        features=np.broadcast_to(np.ones((1, 1), np.float32), (graph.num_nodes, 1)),
        feature_names=(CONSTANT_FEATURE,),
        relations=_DIRECTED if is_directed else SIMPLE,
        links=links,
        weights=None,
        node_ids=None,
        graph_names=None,
        loops=None,
        atoms=None,
    )


def _structures(is_directed: bool) -> tuple[Structure, ...]:
    """Those of the profiles: the 13 directed ones of three nodes, or the 8 of three and four."""
    if is_directed:
        return directed_structures(3, PLAIN)
    return tuple(structure for structure in graphlets() if structure.num_nodes in (3, 4))


def _entries(z: np.ndarray) -> np.ndarray:
    """The profile: z of each structure, divided by the length of all of them."""
    length = np.sqrt(np.nansum(z**2))
    return z / length if length > 0 else np.full(len(z), np.nan)


def _orbits_of(steps: Steps, item: tuple[int, CSRGraph]) -> _Orbits:
    """The correlations of the orbits of a graph with its number."""
    number, graph = item
    nothing = np.full(len(ORBIT_PAIRS), np.nan)
    if not graph.num_edges:
        return _Orbits(number, nothing, NO_EDGES)
    try:
        found = orbit_correlations(count_orbits(graph, 4, steps.check_time))
    except UncountableError as error:
        return _Orbits(number, nothing, error.message.note)
    return _Orbits(number, found, _EQUAL_RANKS if np.isnan(found).any() else "")


def _profile_of(
    steps: Steps,
    null: Any,
    num_random: int,
    seed: int,
    is_directed: bool,
    item: tuple[int, CSRGraph],
) -> _Profile:
    """The z of each structure in a graph with its number."""
    number, given = item
    structures = _structures(is_directed)
    nothing = np.full(len(structures), np.nan)
    if not given.num_edges:
        return _Profile(number, nothing, missing=NO_EDGES)
    # in an order of its own, so that z does not depend on how nodes are numbered
    graph = MinedGraph.of(given).graph
    model = null_model(null, graph)
    drawn = RandomGraphs(model, graph, seed, steps.check_time)
    sizes = range(structures[0].num_nodes, structures[-1].num_nodes + 1)
    together = graphs_together(graph)
    try:
        tables = [count_in_each([graph], sizes, spend=steps.check_time)]
        for first in range(0, num_random, together):
            numbers = range(first, min(first + together, num_random))
            some = [drawn.draw(k) for k in numbers]
            tables.append(count_in_each(some, sizes, spend=steps.check_time))
    except UncountableError as error:
        return _Profile(number, nothing, missing=error.message.note)
    results = compare_with_random(model.name, CensusTable.joined(tables).counts)
    z = np.array([np.nan if result.z is None else result.z for result in results])
    num_called = sum(result.is_called for result in results)
    missing = _NO_Z if np.isnan(z).all() else ""
    return _Profile(number, z, num_called, model.keeps, missing)
