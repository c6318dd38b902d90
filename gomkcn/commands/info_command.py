"""`gomkcn info`: what would be read from a file, and what subgraphs would hold of it."""

from __future__ import annotations

import click

from gomkcn.commands.base import Command, show_log
from gomkcn.commands.graph_options import graph_options, read_graph_at

# The libraries are imported inside the command, so that --help answers at once.


@click.command(cls=Command)
@graph_options
@click.option("--hops", "num_hops", type=int, help="[3, or half the size]")
@click.option("--size", "max_nodes", type=int, default=6, show_default=True)
def info(
    path: str | None,
    features: str | None,
    feature_file: str | None,
    label_names: str | None,
    format: str | None,
    num_hops: int | None,
    max_nodes: int,
) -> None:
    """Say what would be read from PATH, and how much of it the subgraphs can hold.

    \b
    gomkcn info friends.txt.gz --hops 2 --size 8
    """
    show_log(quiet=False)
    from gomkcn_dgl.graph_html import describe_graph
    from gomkcn_dgl.subgraphs import extract_subgraphs, usual_hops
    from mining.settings import GraphSettings

    names = None if features is None else tuple(features.split(","))
    graph = read_graph_at(GraphSettings(path or "", format, names, feature_file, label_names))
    num_hops = usual_hops(max_nodes) if num_hops is None else num_hops
    batch = extract_subgraphs(graph, num_hops, max_nodes)
    for name, value in describe_graph(graph).items():
        click.echo(f"{name:<18} {value}")
    share = f"{batch.truncated.mean():.1%} of the {num_hops}-hop subgraphs have more than "
    click.echo(f"{'truncated':<18} {share}{max_nodes} nodes")
