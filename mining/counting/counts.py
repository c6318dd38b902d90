"""How often a pattern occurs in a graph, and where: the one door to all ways of counting it.

A pattern is a structure, or a text with or without conditions; :func:`read_query` puts it in terms
of the graph. What is then asked of the query is counted by a function of its own: one number
(:func:`gomkcn.mining.counting.counter.count_query`), one for each graph or node
(:mod:`gomkcn.mining.counting.pattern_counts`), or one for each number of edits
(:func:`gomkcn.mining.counting.inexact_counts.count_inexact`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Literal, overload

import numpy as np

from gomkcn.mining.counting.conditions import Attributes, conditions_of, query_of_text
from gomkcn.mining.counting.counter import count_query, list_query
from gomkcn.mining.counting.inexact_counts import InexactCounts, count_inexact
from gomkcn.mining.counting.pattern_counts import LEVELS, count_at_level
from gomkcn.mining.counting.query import INDUCED, READINGS, Query
from gomkcn.mining.counting.watching import STEPS_PER_SECOND
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn.mining.structures.pattern_reading import as_structure
from gomkcn_dgl.checks import RandomState, as_seed, check_choice
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps

log = logging.getLogger("gomkcn_dgl")

# steps for the counts of all graphs, or of all nodes: about ten seconds of one thread
_STEPS_OF_A_LEVEL = 10 * STEPS_PER_SECOND


@overload
def count(
    graph: Any,
    pattern: Structure | str,
    *,
    by: None = None,
    errors: None = None,
    where: str | None = None,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
    count_error: float = 0.02,
    max_steps: int | None = None,
    seed: RandomState = 0,
    n_jobs: int | None = None,
) -> OccurrenceCount: ...


@overload
def count(
    graph: Any,
    pattern: Structure | str,
    *,
    by: Literal["graph", "node"],
    errors: None = None,
    where: str | None = None,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
    count_error: float = 0.02,
    max_steps: int | None = None,
    seed: RandomState = 0,
    n_jobs: int | None = None,
) -> np.ndarray: ...


@overload
def count(
    graph: Any,
    pattern: Structure | str,
    *,
    by: None = None,
    errors: int,
    where: None = None,
    reading: str = INDUCED,
    attributes: None = None,
    count_error: float = 0.02,
    max_steps: int | None = None,
    seed: RandomState = 0,
    n_jobs: int | None = None,
) -> InexactCounts: ...


def count(
    graph: Any,
    pattern: Structure | str,
    *,
    by: Literal["graph", "node"] | None = None,
    errors: int | None = None,
    where: str | None = None,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
    count_error: float = 0.02,
    max_steps: int | None = None,
    seed: RandomState = 0,
    n_jobs: int | None = None,
) -> OccurrenceCount | np.ndarray | InexactCounts:
    """Count the occurrences of a connected pattern: in all, in each graph or at each node.

    An occurrence is a mapping of the nodes of the pattern to different nodes of the graph for which
    all edges are there, no other edges join the nodes (``reading="induced"``), and all conditions
    hold; mappings that differ by a symmetry of the pattern count once. All are counted if that
    takes no more than ``max_steps``; else their number is estimated, as
    :func:`gomkcn.mining.counting.counter.count_query` says.

    Results depend on ``seed``, ``count_error`` and ``max_steps`` alone, and neither on the number
    of threads nor on the machine. The graph is only read, so that it may be on disk.

    Parameters
    ----------
    graph : anything :func:`gomkcn.as_csr` takes
        One graph or a collection. Attributes in conditions are its features: numbers, or text as
        columns such as ``kind=kinase``; of an object that is no ``CSRGraph``, the attributes of its
        nodes and edges, which may be missing at some. ``degree`` is the number of neighbours,
        ``name`` what the graph calls a node. A ``CSRGraph`` has no attribute of edges but
        ``weight``.
    pattern : Structure or str
        Of up to 62 nodes: a structure, a name such as ``"triangle"``, or edges ``A -> B``,
        ``A -- B``, ``A -[activates]-> B``, with categories of nodes as in ``a:C--b:N``; ``smiles:``
        and a molecule; or a file of edges. An edge without a relation is of any. Edges, or a name,
        may be followed by conditions.
    by : {"graph", "node"}, optional
        Count the occurrences in each graph of the collection, or those that each node is in.
    errors : int, optional
        Count the connected node sets that induce the pattern with at most so many edges missing or
        added, for each number of these edits; see
        :func:`gomkcn.mining.counting.inexact_counts.count_inexact`.
    where : str, optional
        Conditions beside those of the pattern: edges that must be absent ``A !> C``, ``A !- C`` (no
        edge in either direction); ``B.kind = "kinase"``, ``A.size > B.size``, ``A.degree >= 10``,
        ``A.name = "crp"``, ``B.kind in ("a", "b")``, with ``not`` in front of any; self-loops
        ``A -> A``; separated by commas, semicolons or new lines. An edge of the pattern may have a
        condition on its attributes, ``A -[score >= 700]-> B``, and be compared with another one by
        a name, ``A -> B as ab, B -> C as bc, ab.time < bc.time``. What is missing, at nodes or
        edges, meets no condition. The nodes of a name are A, B, C, …
    reading : {"induced", "subgraph"}
        Whether pairs of nodes that no edge of the pattern names must not be joined, or may be.
    attributes : mapping of str to array, or pandas table, optional
        Columns of numbers or text ``[V]`` in the order of the nodes, beside the features. Where a
        value is missing, no condition on it holds, under ``not`` neither.
    count_error : float
        Wanted half-width of the 95 % interval, relative to the estimate.
    max_steps : int, optional
        Most steps to search for all, and then again to estimate: 10⁸ when left out, and 10⁹ by
        graph or by node. A step checks a node and takes about 10 ns.
    seed : int, RandomState, Generator or None
        Of the draws; None, or a generator of NumPy: one is drawn.
    n_jobs : int or None
        Workers that share the structures within ``errors``, see :class:`gomkcn.PatternMiner`.

    Returns
    -------
    OccurrenceCount, numpy.ndarray or InexactCounts
        A number, or its estimate with an interval; with ``by`` an array ``[G]`` or ``[V]``, int64
        where it is exact, and float64 where it is estimated, which the log says; or with ``errors``
        the counts by number of edits.

    Raises
    ------
    InputError
        If the text is wrong, with a caret under the character at fault, if the graph lacks an
        attribute or a relation, or if no estimate can be made within ``max_steps``.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import count
    >>> count(nx.complete_graph(6), "clique-4").value
    15
    >>> count([nx.cycle_graph(3), nx.complete_graph(4), nx.path_graph(3)], "triangle", by="graph")
    array([1, 4, 0])
    >>> [str(number) for number in count(nx.wheel_graph(5), "ring-4", errors=2).counts]
    ['1', '4', '0']
    >>> cells = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "c"), ("d", "b")])
    >>> nx.set_node_attributes(cells, {"a": 3, "b": 2, "c": 5, "d": 1}, "size")
    >>> count(cells, "A -> B, B -> C", where="A !> C").value
    1
    >>> count(cells, "A -> B, A.size > B.size", reading="subgraph").value
    1
    >>> nx.set_edge_attributes(cells, {("a", "b"): 9, ("b", "c"): 4, ("d", "b"): 2}, "weight")
    >>> count(cells, "A -> B as ab, B -> C as bc, ab.weight > bc.weight", reading="subgraph").value
    1
    """
    if n_jobs is not None and errors is None:
        raise InputError(
            "n_jobs", "must be left out without errors, whose structures the workers share"
        )
    seed = as_seed("seed", seed)
    if errors is not None:
        _refuse_beside_errors(errors, pattern, by, where, reading, attributes)
        graph = as_unweighted(graph)
        return count_inexact(
            graph,
            as_structure(pattern, graph.relations),
            errors=errors,
            count_error=count_error,
            max_steps=STEPS_PER_SECOND if max_steps is None else max_steps,
            seed=seed,
            steps=Steps(n_jobs=n_jobs),
        )
    query = read_query(graph, pattern, where, reading, attributes)
    if by is None:
        steps = STEPS_PER_SECOND if max_steps is None else max_steps
        return count_query(query, count_error=count_error, max_steps=steps, seed=seed)[0]
    check_choice("by", by, LEVELS)
    steps = _STEPS_OF_A_LEVEL if max_steps is None else max_steps
    counts, is_exact = count_at_level(
        query, by, count_error=count_error, max_steps=steps, seed=seed
    )
    if not is_exact:
        log.warning("the counts by %s are estimates; a larger max_steps counts exactly", by)
    return counts


def places(
    graph: Any,
    pattern: Structure | str,
    *,
    where: str | None = None,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
    most: int = 10_000,
    max_steps: int = 5 * STEPS_PER_SECOND,
    seed: RandomState = 0,
) -> tuple[np.ndarray, bool]:
    """List the occurrences of a connected pattern: all, or a sample of different ones.

    Parameters
    ----------
    graph, pattern, where, reading, attributes
        As for :func:`gomkcn.count`.
    most : int
        All occurrences are listed if there are at most so many.
    max_steps : int
        Most steps of the search for all, and then again to draw a sample, so that the places are
        the same on any machine. A step takes about 10 ns.
    seed : int, RandomState, Generator or None
        Of the sample.

    Returns
    -------
    nodes : numpy.ndarray
        int32 ``[K, M]``: the graph node of each pattern node, in the order in which the text names
        them. Of the mappings that differ by a symmetry of the pattern it is always the same one.
    complete : bool
        Whether these are all. If not, they are a uniform random sample of ``most`` of them, or of
        as many as were drawn; where none was, those at random nodes.

    Raises
    ------
    InputError
        As :func:`gomkcn.count` does.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn import places
    >>> nodes, complete = places(nx.path_graph(4), "path-3")
    >>> nodes.tolist(), complete
    ([[0, 1, 2], [1, 2, 3]], True)
    >>> nodes, complete = places(nx.path_graph(4), "A -- B, B -- C", where="A.degree = 1")
    >>> nodes.tolist(), complete
    ([[0, 1, 2], [3, 2, 1]], True)
    """
    query = read_query(graph, pattern, where, reading, attributes)
    return list_query(query, most=most, max_steps=max_steps, seed=as_seed("seed", seed))


def read_query(
    graph: Any,
    pattern: Structure | str,
    where: str | None = None,
    reading: str = INDUCED,
    attributes: Attributes | None = None,
) -> Query:
    """A pattern and its conditions in terms of a graph.

    Examples
    --------
    >>> import networkx as nx
    >>> query = read_query(nx.path_graph(4), "path-3", where="A.degree = 1")
    >>> query.structure.num_automorphisms, query.eligible.tolist()
    (1, [7, 6, 6, 7])
    """
    check_choice("reading", reading, READINGS)
    is_table = isinstance(attributes, Mapping) or hasattr(attributes, "columns")
    if attributes is not None and not is_table:
        raise InputTypeError(
            "attributes",
            "must be a mapping from names to lists, or a table of pandas",
            got=type(attributes).__name__,
        )
    if conditions_of(pattern, where) is not None:
        return query_of_text(graph, pattern, where, reading, attributes)
    if attributes is not None:
        raise InputError("attributes", "must be left out for a pattern without conditions")
    graph = as_unweighted(graph)
    return Query.of_structure(graph, as_structure(pattern, graph.relations), reading=reading)


def _refuse_beside_errors(
    errors: int,
    pattern: Structure | str,
    by: str | None,
    where: str | None,
    reading: str,
    attributes: Attributes | None,
) -> None:
    """Edits are counted of a pattern of edges alone, in all and in the induced reading."""
    if by is not None:
        raise InputError("by", "must be left out where errors is given", got=repr(by))
    has_conditions = attributes is not None or conditions_of(pattern, where) is not None
    if has_conditions or reading != INDUCED:
        raise InputError(
            "errors",
            "must be left out beside conditions, self-loops and the subgraph reading",
            got=errors,
        )
