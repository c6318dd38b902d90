"""`gomkcn compile`: the usual commands run on small graphs, so that what they compile is kept.

There is no list of functions and of their types, which would have to be kept up: what a command
needs is what it compiles when it runs. A release compiles by this command what its wheels bring.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from cloup import option_group

from gomkcn.commands.base import Command
from gomkcn.commands.options import quiet_option
from gomkcn.commands.printing import say

_GRAPHS = (
    # that of the documentation, in which structures of many occurrences are estimated
    "generate planted --out planted.graph",
    "generate planted --out directed.csv --nodes 150 --directed",
    "generate planted --out typed.graph --nodes 150 --relations 2 --features constant",
)
# what mining comes to last is compiled first, see first_mining.py
_JOBS = (
    "mine planted.graph --out mined --null-samples 99",
    "filters planted.graph --out filters.html",
    "census planted.graph --sizes 2-5 --orbits --out orbits.csv",
    "census planted.graph --reading subgraph",
    "count ring-5 planted.graph",
    "count house planted.graph --reading subgraph --list 5",
    "frequent planted.graph --support 30 --sizes 2-4",
    "mine directed.csv --directed --out mined-directed --filters none --null-samples 99",
    "census directed.csv --directed",
    "count feed-forward-loop directed.csv --directed",
    "blocks directed.csv --directed --out blocks",
    "mine typed.graph --out mined-typed --filters none --null-samples 99",
    "census typed.graph",
    "mine classes --features labels --out mined-classes --null-samples 99",
    "frequent classes --support .5 --sizes 2-5",
    "temporal events.csv --window 10",
    "compare planted.graph typed.graph --relation none --out compared",
)
_JOBS_WITH_TORCH = ("train classes --features labels --num-epochs 2 --out trained",)


@click.command("compile", cls=Command)
@option_group("Output", quiet_option)
@click.pass_context
def compile_ahead(ctx: click.Context, /, quiet: bool) -> None:
    """Compile ahead what the usual commands need.

    Numba compiles functions when a command first comes to them, which takes the first mining some
    30 s of a processor. This command mines and counts small graphs, so that later commands find the
    code. A wheel for this version of Python and this machine brings it, and nothing is compiled.

    \b
    gomkcn compile
    """
    start = time.perf_counter()
    number = compile_usual(ctx.find_root().command, quiet)
    if number:
        seconds = time.perf_counter() - start
        say(f"compiled {number} functions in {seconds:.0f} s, which are kept for later commands")
    else:
        say("nothing to compile: the code of the usual commands is there")


def compile_usual(gomkcn: click.Command, quiet: bool = False) -> int:
    """Run the usual commands on small graphs; return how many functions this process compiled."""
    from gomkcn_dgl.runtime.compiled import compiling
    from gomkcn_dgl.runtime.job import JobProgress

    before = compiling.number
    jobs = [*_GRAPHS, *_JOBS]
    if importlib.util.find_spec("torch"):
        jobs += _JOBS_WITH_TORCH
    with JobProgress.of_command(quiet=quiet) as bar, _empty_folder():
        _write_inputs()
        bar.begin("compiling for this machine", len(jobs))
        for job in jobs:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                gomkcn.main(shlex.split(job), standalone_mode=False)
            bar.move(1)
    return compiling.number - before


@contextlib.contextmanager
def _empty_folder() -> Iterator[None]:
    """Work in a folder that is removed afterwards."""
    before = os.getcwd()
    with TemporaryDirectory(prefix="gomkcn-") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _write_inputs() -> None:
    """A table of events, and a collection of rings with a tail or a chord, of two classes."""
    events = [(i % 7, (3 * i + 1 + i % 2) % 8, 2 * i) for i in range(60)]
    lines = [f"{source},{target},{time}" for source, target, time in events if source != target]
    Path("events.csv").write_text("\n".join(["source,target,time", *lines]) + "\n")
    pairs: list[tuple[int, int]] = []
    num_graphs, num_nodes = 24, 7
    for graph in range(num_graphs):
        ring = [(node, (node + 1) % 6) for node in range(6)]
        extra = [(0, 6), (0, 3)] if graph % 2 else [(0, 6), (6, 1)]
        pairs += [(u + num_nodes * graph, v + num_nodes * graph) for u, v in ring + extra]
    files: dict[str, list[Any]] = {
        "A": [f"{a + 1}, {b + 1}" for u, v in pairs for a, b in ((u, v), (v, u))],
        "graph_indicator": [1 + node // num_nodes for node in range(num_graphs * num_nodes)],
        "graph_labels": [graph % 2 for graph in range(num_graphs)],
        "node_labels": [node % num_nodes % 2 for node in range(num_graphs * num_nodes)],
    }
    Path("classes").mkdir()
    for ending, rows in files.items():
        Path("classes", f"classes_{ending}.txt").write_text("".join(f"{row}\n" for row in rows))
