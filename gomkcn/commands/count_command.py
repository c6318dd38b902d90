"""`gomkcn count`: count a given pattern exactly."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomkcn.commands.base import Command, add_options, edge_options, show_log
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from gomkcn_dgl.relations import Relations

# the libraries are imported inside the commands, so that --help answers at once

GRAPHML = ".graphml"

# a->b, a--b, a-[activates]->b, a-[binds]-b
_EDGE = re.compile(r"\s*([^\s,>\[-]+)\s*-(?:\[([^\]]+)\])?(-?>|-)\s*([^\s,>\[-]+)\s*")


@click.command(cls=Command)
@click.argument("pattern", metavar="PATTERN")
@click.argument("path", metavar="GRAPH")
@add_options(
    ("--format", str, "Of GRAPH: edges, csv, graphml, dgl, npz or tu. [by the name]"),
    ("--time-limit", 60.0, "Seconds until the exact count is stopped."),
)
@edge_options
def count(
    pattern: str,
    path: str,
    format: str | None,
    time_limit: float,
    **edges: Any,
) -> None:
    """Count PATTERN in the graph at GRAPH.

    PATTERN is the name of a motif, its edges ('a->b, b->c' with directions, 'a--b, b--c' without,
    'a-[activates]->b' with relations), a file (an edge list or GraphML), or RUN:ID for a pattern of
    a finished run. An occurrence is a set of nodes with exactly its edges; features are not used.

    \b
    gomkcn count wheel planted.bin
    gomkcn count feed-forward-loop regulation.csv
    gomkcn count "a-[activates]->b, a-[represses]->c" regulation.csv
    gomkcn count mine.txt friends.txt.gz --time-limit 600
    gomkcn count run:3 ENZYMES/
    """
    show_log(quiet=True)
    from gomkcn_dgl.io.reading import read_graph
    from gomkcn_dgl.relations import PLAIN
    from mining.counting.exact_counts import count_exact
    from mining.structures.graph_relations import channels_in, joined_relations

    channels, relations = _read_pattern(pattern)
    graph = read_graph(path, format=format, **edges)
    rows = {
        "pattern": f"{pattern}: {len(channels)} nodes, {channels.sum() // 2} edges",
        "graph": f"{path}: {graph.num_nodes} nodes, {graph.num_edges} edges",
    }
    if len(graph.relations.names) > 1 and relations.names == (PLAIN,):
        rows["edges"] = f"of any relation: {', '.join(graph.relations.names)}"
        graph = joined_relations(graph)
    _check_directions(relations, graph.relations)
    channels = channels_in(graph.relations, channels, relations)
    exact = count_exact(graph, channels, time_limit)
    rows["exact"] = f"not finished in {time_limit:g} s; at least {exact.at_least}"
    if exact.count is not None:
        rows["exact"] = f"{exact.count} ({exact.seconds:.2f} s)"
    if graph.num_graphs > 1:
        more = " or more" if exact.count is None else ""
        rows["graphs"] = f"{exact.num_graphs}{more} of {graph.num_graphs} contain it"
    for name, value in rows.items():
        click.echo(f"{name:<8} {value}")


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


def _read_pattern(text: str) -> tuple[np.ndarray, Relations]:
    """Channels ``[M, M, C]`` of the pattern that PATTERN names, and their relations."""
    from synthetic import MOTIFS, read_motif

    run, colon, number = text.rpartition(":")
    if text in MOTIFS:
        motif: Any = MOTIFS[text]
    elif colon and Path(run).is_dir():
        motif = _find_pattern_of_run(run, number)
    elif Path(text).is_file():
        if Path(text).suffix == GRAPHML:
            return _read_graphml(text)
        motif = read_motif(text)
    elif "-" in text and any(map(_EDGE.fullmatch, text.split(","))):
        motif = _parse_edges(text)
    else:
        raise InputError(
            "PATTERN must be a file, RUN:ID, edges such as 'a->b, b->c' or one of "
            f"{', '.join(sorted(MOTIFS))}, got {text!r}."
        )
    return motif.channels(), motif.relations


def _parse_edges(text: str) -> Any:
    """The motif of edges such as ``a->b, b-[binds]-c``."""
    from gomkcn_dgl.relations import PLAIN
    from synthetic import Motif

    index: dict[str, int] = {}
    edges, names, directed = [], [], dict[str, bool]()
    for part in text.split(","):
        edge = _EDGE.fullmatch(part)
        if edge is None:
            raise InputError(
                "PATTERN must have edges like a->b, a--b, a-[NAME]->b or a-[NAME]-b, separated by "
                f"commas, got {part.strip()!r}."
            )
        first, name, arrow, second = edge.groups()
        name = PLAIN if name is None else name.strip()
        i, j = (index.setdefault(node, len(index)) for node in (first, second))
        if directed.setdefault(name, arrow.endswith(">")) != arrow.endswith(">"):
            raise InputError(
                "PATTERN must give all edges of one relation a direction, or none, got "
                f"{part.strip()!r}; call one of the relations otherwise, as in a-[NAME]->b."
            )
        edges.append((i, j) if directed[name] else (min(i, j), max(i, j)))
        names.append(name)
    with_direction = tuple(name for name, one in directed.items() if one)
    return Motif(
        "PATTERN", tuple(edges), tuple(index), "given as text", with_direction, tuple(names)
    )


def _find_pattern_of_run(run: str, number: str) -> Any:
    from mining.results.run_folder import read_run

    patterns = {str(pattern.id): pattern for pattern in read_run(run).patterns}
    if number not in patterns:
        raise InputError(
            f"PATTERN must name one of the {len(patterns)} patterns of {run}, as in {run}:0, "
            f"got {number!r}."
        )
    return patterns[number]


def _read_graphml(path: str) -> tuple[np.ndarray, Relations]:
    from gomkcn_dgl.io.reading import read_graph
    from gomkcn_dgl.relations import edge_channels
    from mining.counting.topology import MOST_PATTERN_NODES

    try:
        # the attribute that patterns and graphs are written with
        graph = read_graph(path, relation="relation")
    except InputError:
        graph = read_graph(path)
    # before a large graph, given by mistake, becomes a matrix
    if graph.num_nodes > MOST_PATTERN_NODES:
        raise InputError(
            f"PATTERN must have at most {MOST_PATTERN_NODES} nodes, got {path} with "
            f"{graph.num_nodes}."
        )
    source, target, relation = (column.tolist() for column in graph.edges())
    edges = list(zip(source, target, strict=True))
    return edge_channels(graph.num_nodes, edges, relation, graph.relations), graph.relations
