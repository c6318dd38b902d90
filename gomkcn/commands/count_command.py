"""`gomkcn count`: how often a given pattern occurs in a graph, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from gomkcn.commands.base import (
    EXPERT,
    OUTPUT,
    Command,
    add_options,
    edge_options,
    reading_options,
    show_log,
)
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from gomkcn_dgl.csr import CSRGraph
    from gomkcn_dgl.relations import Relations

# the libraries are imported inside the commands, so that --help answers at once


@click.command(cls=Command)
@click.argument("pattern", metavar="PATTERN")
@click.argument("path", metavar="GRAPH")
@add_options(
    ("--list most", 0, "List N places: all, or a random sample."),
    group=OUTPUT,
)
@add_options(
    ("--count-error", 0.02, "Estimate to a relative error of X where exact counting takes long."),
    (
        "--count-seconds",
        10.0,
        "Count exactly for at most X seconds, and then estimate for as long.",
    ),
    ("--seed", 0, "Draw at random from this seed."),
    group=EXPERT,
)
@reading_options
@edge_options
def count(
    pattern: str,
    path: str,
    count_error: float,
    count_seconds: float,
    most: int,
    seed: int,
    **options: Any,
) -> None:
    """Count how often a pattern occurs in a whole graph.

    The count of PATTERN in GRAPH is exact, or an estimate with its 95 % interval. PATTERN is a name
    (triangle, clique-6, ring-6, path-5, star-4, feed-forward-loop, benzene, …), its edges ('a->b,
    b->c' with directions, 'a--b, b--c' without, 'a-[activates]->b' with relations, 'a:C--b:N' with
    the categories of the nodes), a file (an edge list or GraphML), or RUN:ID for a pattern of a
    finished run. An occurrence is a set of nodes with exactly its edges, and with its categories
    where it has some.

    \b
    gomkcn count clique-6 friends.txt.gz --count-error .01
    gomkcn count feed-forward-loop regulation.csv --list 40
    gomkcn count "a-[activates]->b, a-[represses]->c" regulation.csv
    gomkcn count "a:N--b:O, a--c:O" MUTAG/
    gomkcn count run:3 ENZYMES/
    """
    show_log(quiet=True)
    from gomkcn.commands.pattern_argument import read_pattern
    from gomkcn_dgl.checks import check_float, check_int
    from gomkcn_dgl.io.reading import read_graph
    from gomkcn_dgl.relations import PLAIN
    from mining.structures.graph_relations import channels_in, joined_relations

    check_float("count_error", count_error, 0, open_minimum=True)
    check_float("count_seconds", count_seconds, 0, open_minimum=True)
    check_int("most", most, 0)
    graph = read_graph(path, **options)
    given = read_pattern(pattern, graph)
    rows = {
        "pattern": f"{pattern}: {len(given.names)} nodes, {_count_edges(given)} edges",
        "graph": f"{path}: {graph.num_nodes} nodes, {graph.num_edges} edges",
    }
    colors, words = given.colors_in(graph)
    if words:
        rows["nodes"] = words
    if len(graph.relations.names) > 1 and given.relations.names == (PLAIN,):
        rows["edges"] = f"of any relation: {', '.join(graph.relations.names)}"
        graph = joined_relations(graph)
    _check_directions(given.relations, graph.relations)
    channels = channels_in(graph.relations, given.channels, given.relations)
    rows |= _count(graph, channels, colors, count_error, count_seconds, seed)
    for name, value in rows.items():
        click.echo(f"{name:<11} {value}")
    if most:
        for line in _list(graph, channels, colors, given.names, most, count_seconds, seed):
            click.echo(line)


def _count_edges(given: Any) -> int:
    """Edges of a pattern; one without direction stands in its channel twice."""
    outgoing = given.relations.outgoing
    ends = given.channels[:, :, outgoing].sum(axis=(0, 1))
    return int(sum(ends // [1 if one else 2 for one in given.relations.directed]))


def _count(
    graph: CSRGraph, channels: np.ndarray, colors: Any, error: float, seconds: float, seed: int
) -> dict[str, str]:
    """What is printed of the occurrences, and of the graphs of a collection that have some."""
    import numpy as np

    from mining.counting.exact_counts import ExactSearch, count_by_graph
    from mining.counting.occurrence_counts import estimate_occurrences
    from mining.counting.occurrence_lists import list_places

    counts = count_by_graph(graph, channels, colors, seconds)
    if counts is not None:
        rows = {"occurrences": f"{int(counts.sum()):,}, counted exactly"}
        graphs, least = int((counts > 0).sum()), ""
    else:
        search = ExactSearch(graph, channels, colors)
        found = estimate_occurrences(search, error, seconds, seed)
        how = "counted exactly" if found.is_exact else "a 95 % interval"
        rows = {"occurrences": f"{found}, {how}"}
        graphs, least = 1, "at least "
    if counts is None and graph.num_graphs > 1:
        places, _ = list_places(graph, channels, colors, seconds=seconds, seed=seed)
        graphs = len(np.unique(graph.graph_of(places[:, 0])))
    if graph.num_graphs > 1:
        rows["graphs"] = f"{least}{graphs} of {graph.num_graphs} contain it"
    return rows


def _list(
    graph: CSRGraph,
    channels: np.ndarray,
    colors: Any,
    names: tuple[str, ...],
    most: int,
    seconds: float,
    seed: int,
) -> Iterator[str]:
    """A table of occurrences: the input's ids of their nodes, below the pattern's nodes."""
    from mining.counting.occurrence_lists import list_places

    places, complete = list_places(graph, channels, colors, most=most, seconds=seconds, seed=seed)
    what = "all" if complete else "a random sample"
    yield f"{'listed':<11} {len(places)}, {what}"
    yield ""
    several = graph.num_graphs > 1
    yield "\t".join([*(["graph"] if several else []), *names])
    ids = graph.original_ids(places.reshape(-1))
    for k, number in enumerate(graph.graph_of(places[:, 0]).tolist()):
        row = ids[k * len(names) : (k + 1) * len(names)]
        yield "\t".join(map(str, [*([number] if several else []), *row]))


def _check_directions(pattern: Relations, graph: Relations) -> None:
    """Refuse a pattern without directions in a graph with them, or the other way round."""
    if pattern.is_simple and graph.is_directed:
        raise InputError(
            "PATTERN has no directions and GRAPH has: write its edges as 'a->b, b->c', or add "
            "--undirected to count in GRAPH without its directions."
        )
    if pattern.is_directed and not graph.is_directed:
        raise InputError(
            "PATTERN has directions and GRAPH has none: write its edges as 'a--b, b--c', or add "
            "--directed if each edge of GRAPH goes from its first node to its second."
        )
