"""`gomkcn count`: count a given pattern exactly and among the subgraphs of the miner."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomkcn.commands.base import Command, add_options, show_log
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    import numpy as np

# the libraries are imported inside the commands, so that --help answers at once

GRAPHML = ".graphml"


@click.command(cls=Command)
@click.argument("pattern", metavar="PATTERN")
@click.argument("path", metavar="GRAPH")
@add_options(
    ("--format", str, "Of GRAPH: edges, csv, graphml, dgl, npz or tu. [by the name]"),
    ("--time-limit", 60.0, "Seconds until the exact count is stopped."),
    ("--policy", "dense", "Which nodes a large subgraph keeps, as in mine."),
    ("--views num_views", 1, "Subgraphs per node."),
    ("--seed", 0, "Seed of the subgraphs."),
)
def count(pattern: str, path: str, format: str | None, time_limit: float, **sampling: Any) -> None:
    """Count PATTERN in the graph at GRAPH: exactly, and among the subgraphs that mining extracts.

    PATTERN is the name of a motif, a file (an edge list or GraphML), or RUN:ID for a pattern of a
    finished run. An occurrence is a set of nodes with exactly its edges; features are not used.

    \b
    gomkcn count wheel planted.bin
    gomkcn count mine.txt friends.txt.gz --time-limit 600
    gomkcn count run:3 ENZYMES/
    """
    show_log(quiet=True)
    from gomkcn_dgl.io.reading import read_graph
    from mining.counting.exact_counts import count_exact, count_similar

    adjacency = _read_pattern(pattern)
    graph = read_graph(path, format=format)
    exact = count_exact(graph, adjacency, time_limit)
    sampled = count_similar(graph, adjacency, **sampling)
    num_edges = int(adjacency.sum()) // 2
    rows = {
        "pattern": f"{pattern}: {len(adjacency)} nodes, {num_edges} edges",
        "graph": f"{path}: {graph.num_nodes} nodes, {graph.num_edges} edges",
        "exact": f"not finished in {time_limit:g} s; at least {exact.at_least}",
        "sampled": f"{sampled.count} in {sampled.num_subgraphs} subgraphs, a lower bound",
    }
    if exact.count is not None:
        rows["exact"] = f"{exact.count} ({exact.seconds:.2f} s)"
        if exact.count:
            rows["sampled"] += f": {100 * sampled.count / exact.count:.3g}% of the exact"
    if graph.num_graphs > 1:
        known = max(exact.num_graphs, sampled.num_graphs)
        more = " or more" if exact.count is None else ""
        rows["graphs"] = f"{known}{more} of {graph.num_graphs} contain it"
    for name, value in rows.items():
        click.echo(f"{name:<8} {value}")


def _read_pattern(text: str) -> np.ndarray:
    """Adjacency of the pattern that PATTERN names, uint8 ``[M, M]``."""
    from synthetic import MOTIFS, read_motif

    if text in MOTIFS:
        return MOTIFS[text].adjacency()
    run, colon, number = text.rpartition(":")
    if colon and Path(run).is_dir():
        return _read_pattern_of_run(run, number)
    if not Path(text).is_file():
        raise InputError(
            f"PATTERN must be a file, RUN:ID or one of {', '.join(sorted(MOTIFS))}, got {text!r}."
        )
    return _read_graphml(text) if Path(text).suffix == GRAPHML else read_motif(text).adjacency()


def _read_pattern_of_run(run: str, number: str) -> np.ndarray:
    import numpy as np

    from mining.results.run_folder import read_run

    patterns = {str(pattern.id): pattern for pattern in read_run(run).patterns}
    if number not in patterns:
        raise InputError(
            f"PATTERN must name one of the {len(patterns)} patterns of {run}, as in {run}:0, "
            f"got {number!r}."
        )
    return patterns[number].adjacency().astype(np.uint8)


def _read_graphml(path: str) -> np.ndarray:
    import networkx as nx

    from gomkcn_dgl.io.reading import read_graph
    from mining.counting.counting_loops import MOST_PATTERN_NODES
    from synthetic import motif_from_networkx

    graph = read_graph(path)
    # before a large graph, given by mistake, becomes a matrix
    if graph.num_nodes > MOST_PATTERN_NODES:
        raise InputError(
            f"PATTERN must have at most {MOST_PATTERN_NODES} nodes, got {path} with "
            f"{graph.num_nodes}."
        )
    small = nx.empty_graph(graph.num_nodes)
    small.add_edges_from(graph.adjacent_pairs().tolist())
    return motif_from_networkx(small, Path(path).stem).adjacency()
