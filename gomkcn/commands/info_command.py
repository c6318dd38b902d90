"""`gomkcn info`: what would be read from a file or left out, and how much is truncated."""

from __future__ import annotations

from typing import Any

import click

from gomkcn.commands.base import Command, add_options, graph_options, read_graph_at, show_log
from gomkcn_dgl.errors import InputError

# The libraries are imported inside the command, so that --help answers at once.


@click.command(cls=Command)
@graph_options
@add_options(
    ("--size max_nodes", int, "Say how many neighbourhoods have more than N nodes."),
    ("--hops num_hops", int, "Take neighbourhoods of N steps. [3, or half the size]"),
)
def info(num_hops: int | None, max_nodes: int | None, **graph_settings: Any) -> None:
    """Show what would be read from a file, and what not.

    With --size, the last line says how many neighbourhoods of the graph at PATH are cut.

    \b
    gomkcn info friends.txt.gz --hops 2 --size 8
    gomkcn info regulation.csv --relation effect --directed
    """
    show_log(quiet=False)
    if num_hops is not None and max_nodes is None:
        raise InputError("--hops is for --size, which was not given.")
    from gomkcn_dgl.graph_html import describe_graph

    graph = read_graph_at(**graph_settings)
    for name, value in describe_graph(graph).items():
        click.echo(f"{name:<18} {value}")
    if max_nodes is not None:
        from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs, usual_hops

        num_hops = usual_hops(max_nodes) if num_hops is None else num_hops
        batch = extract_subgraphs(graph, SubgraphSettings(num_hops, max_nodes))
        share = f"{batch.truncated.mean():.1%} of the {num_hops}-hop subgraphs have more than "
        click.echo(f"{'truncated':<18} {share}{max_nodes} nodes")
