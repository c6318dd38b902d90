"""`gomkcn info`, `convert`, `census` and `temporal`: parse, call one function, print."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from cloup import option, option_group

from gomkcn.commands.base import (
    Command,
    classes_of_file,
    inputs_of,
    limited_steps,
    say_missing,
)
from gomkcn.commands.option_types import InputPath, Number, OutputPath, Word
from gomkcn.commands.options import (
    CLASS_OPTIONS,
    TEMPORAL_NULLS,
    class_options,
    file_options,
    force_option,
    only_one,
    quiet_option,
    reading_option,
    seed_option,
    table_option,
    time_limit_option,
    weight_option,
)
from gomkcn.commands.printing import print_table, say, say_values, show_log
from gomkcn.commands.spelling import spelling_here
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    from gomkcn.mining.frequent.gspan import FrequentSubgraphs
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.steps import Steps
    from gomkcn_dgl.runtime.tabular import Table

# rows of a table that are printed: a screen
_MOST_ON_SCREEN = 40


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="PATH")
@option_group("Input", file_options, class_options, weight_option)
def info(path: str, **options: Any) -> None:
    """Show how a graph file is read.

    \b
    gomkcn info friends.txt.gz
    gomkcn info regulation.csv --relation effect --directed
    """
    show_log()
    from gomkcn_dgl.graph_content import NONE
    from gomkcn_dgl.graph_html import describe_graph
    from gomkcn_dgl.io.reading import read_graph

    of_classes = {name: options.pop(name) for name in CLASS_OPTIONS}
    try:
        rows = describe_graph(read_graph(path, **options))
    except InputError as error:
        if options["weight"] is not None:
            raise
        # whatever is wrong without weights, too, is no matter of weights
        rows = describe_graph(read_graph(path, **{**options, "weight": NONE}))
        rows["weights"] = error.spelled(spelling_here())
    try:
        classes = classes_of_file(path, options, of_classes)
        if classes is not None:
            numbers = zip(classes.names, classes.sizes, strict=True)
            rows["classes"] = ", ".join(f"{name} {number}" for name, number in numbers)
    except InputError as error:
        if any(of_classes.values()):
            raise
        rows["classes"] = error.spelled(spelling_here())
    say_values(rows, 18)


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="PATH")
@click.argument("out", metavar="OUT")
@option_group("Input", file_options, weight_option)
@option_group(
    "Output",
    option("--force", is_flag=True, help="Overwrite an existing graph"),
    option("--quiet", is_flag=True, help="Hide the log"),
)
@click.pass_context
def convert(
    ctx: click.Context, /, path: str, out: str, force: bool, quiet: bool, **options: Any
) -> None:
    """Convert a graph file to a graph folder.

    The graph at PATH becomes the folder OUT. Every command takes that folder in place of a graph
    file, and maps it into memory without reading it.

    \b
    gomkcn convert friends.txt.gz friends.graph
    gomkcn convert edges.csv big.graph --feature-file x.npy
    gomkcn convert triples.tsv knowledge.graph --relation 2
    """
    show_log(quiet)
    from gomkcn_dgl.graph_folder import new_folder, store_graph
    from gomkcn_dgl.io.reading import read_graph
    from gomkcn_dgl.runtime.memory import format_size

    with new_folder(out, force, inputs_of(ctx)) as folder:
        graph = read_graph(path, **options)
        store_graph(folder, graph)
    size = format_size(sum(file.stat().st_size for file in Path(out).iterdir()))
    say(f"wrote {out}: {graph.num_nodes:,} nodes, {graph.num_edges:,} edges, {size}")


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="GRAPH")
@option_group("Input", file_options)
@option_group(
    "Options",
    option(
        "--size",
        "sizes",
        help="Size of the structures in nodes [3-5; with directions or types 3-4]",
    ),
    option(
        "--orbits",
        is_flag=True,
        help="Counts of each node: 15 orbits (--size 2-4) or 73 (2-5)",
    ),
    reading_option,
)
@option_group("Output", table_option, force_option, quiet_option)
@option_group("Limits", time_limit_option)
def census(
    path: str,
    sizes: str | None,
    orbits: bool,
    reading: str,
    out: str | None,
    force: bool,
    time_limit: float | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Count all connected structures of some sizes.

    Structures of 2 to 5 nodes, or of 3 and 4 where edges have directions or kinds, or nodes
    categories. All counts are exact. When time is up, or at Ctrl-C, the sizes that are counted are
    printed, and the others are said to be missing. With --reading subgraph there may be more edges
    between the nodes of a structure: K4 has three rings of four nodes. With --orbits, a row for
    each node has the number of induced structures in which it is in each orbit, numbered as by
    Pržulj (2007).

    \b
    gomkcn census friends.txt.gz
    gomkcn census regulation.csv --size 3 --directed --out triads.csv
    gomkcn census friends.txt.gz --size 2-5 --orbits --out orbits.parquet
    """
    show_log(quiet, brief=True)
    from gomkcn.mining.counting.structure_census import census as count
    from gomkcn_dgl.graph_content import NONE
    from gomkcn_dgl.io.reading import read_graph
    from gomkcn_dgl.runtime.tabular import Table

    missing: dict[int, str] = {}
    steps, interrupts = limited_steps(time_limit, quiet)
    with steps.progress:
        steps.progress.begin("reading the graph")
        graph = read_graph(path, **options, weight=NONE)
    with steps.progress, interrupts:
        if orbits:
            table = _count_orbits(graph, sizes, reading, steps, interrupts)
            num_rows = graph.num_nodes
        else:
            found = count(graph, sizes, reading, steps=steps)
            columns = found.columns()
            missing = found.missing
            num_rows = len(columns["size"])
            table = Table({**columns, "reading": [reading] * num_rows})
    if out is None:
        print_table(table)
    else:
        table.save(out)
        say(f"wrote {out}: {num_rows:,} rows")
    reasons = [
        f"structures of {of} nodes are not counted: {reason}"
        for reason, of in _by_reason(missing).items()
    ]
    say_missing(interrupts, "; ".join(reasons))


def _by_reason(missing: Mapping[int, str]) -> dict[str, str]:
    """The sizes that each reason holds for, as in "4, 5"."""
    found: dict[str, list[str]] = {}
    for size, reason in missing.items():
        found.setdefault(reason, []).append(str(size))
    return {reason: ", ".join(sizes) for reason, sizes in found.items()}


def _count_orbits(
    graph: Any, sizes: str | None, reading: str, steps: Steps, interrupts: Interrupts
) -> Table:
    from gomkcn.mining.counting.structure_census import orbit_counts, orbit_table
    from gomkcn_dgl.runtime.job import TimeUpError

    if sizes not in (None, "2-4", "2-5"):
        raise InputError(f"--size must be 2-4 or 2-5 with --orbits, got {sizes}.")
    if reading != "induced":
        raise InputError(f"--reading must be induced with --orbits, got {reading!r}.")
    try:
        counts = orbit_counts(graph, 4 if sizes == "2-4" else 5, steps=steps)
        return orbit_table(graph, counts)
    except TimeUpError:
        if interrupts.signal:
            say_missing(interrupts, "the orbits are known when all are counted")
        raise InputError(
            "--time-limit must be longer for --orbits, which are known when all are counted."
        ) from None


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="GRAPHS")
@option_group("Input", file_options, class_options)
@option_group(
    "Options",
    option(
        "--support",
        type=Number(float),
        default=0.1,
        help="Least support: below 1 a share of the graphs, else a number of graphs [0.1]",
    ),
    option("--size", "sizes", default="2-8", help="Size of the subgraphs in nodes [2-8]"),
    option(
        "--closed",
        is_flag=True,
        help="Leave out what a larger subgraph of equal support contains",
    ),
    option(
        "--per-class",
        is_flag=True,
        help="Ask for the support in at least one class, and compare the classes",
    ),
)
@option_group("Output", table_option, force_option, quiet_option)
@option_group("Limits", time_limit_option)
def frequent(
    path: str,
    support: float,
    sizes: str,
    closed: bool,
    per_class: bool,
    out: str | None,
    force: bool,
    time_limit: float | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Find all frequent subgraphs of a collection.

    All connected subgraphs that at least a tenth of the GRAPHS contain, by gSpan: complete, with
    the categories of nodes, the types and the directions of edges. Between the nodes of a subgraph
    there may be more edges. With --per-class, odds ratios say how classes differ, the surest first,
    and p (Fisher's exact test) is adjusted for all subgraphs that could have differed. When time is
    up, or at Ctrl-C, those that were found are printed, and it is said that there may be more. The
    screen has the first 40; --out has all.

    \b
    gomkcn frequent MUTAG/ --support 19 --size 3-6
    gomkcn frequent drugs.smi --support .05 --closed --out subgraphs.csv
    gomkcn frequent ENZYMES/ --support .4 --size 3-5 --per-class
    gomkcn frequent assay.csv --per-class --class-column pIC50 --threshold 6.5
    """
    show_log(brief=True)
    from gomkcn.mining.frequent.gspan import frequent_subgraphs
    from gomkcn_dgl.graph_content import NONE
    from gomkcn_dgl.io.reading import read_graph

    of_classes = {name: options.pop(name) for name in CLASS_OPTIONS}
    if any(of_classes.values()) and not per_class:
        raise InputError("options of classes are for --per-class; give it, or leave them out.")
    steps, interrupts = limited_steps(time_limit, quiet)
    with steps.progress:
        steps.progress.begin("reading the graphs")
        graph = read_graph(path, **options, weight=NONE)
    classes = classes_of_file(path, options, of_classes, needed=True) if per_class else None
    if per_class and classes is None:
        raise InputError(f"--per-class is for graphs with classes, and {path!r} has none.")
    labels = None if classes is None else classes.called
    with steps.progress, interrupts:
        found = frequent_subgraphs(graph, support, sizes, closed=closed, y=labels, steps=steps)
    if out is None:
        _print_subgraphs(found)
    else:
        found.save(out)
        say(f"wrote {out}: {len(found):,} rows")
    say_missing(interrupts, f"not complete: {found.left_out}" if found.left_out else "")


def _print_subgraphs(found: FrequentSubgraphs) -> None:
    """Print a screen of subgraphs, how many there are, and how to get the rest."""
    from gomkcn.mining.structures.pattern import LEVEL
    from gomkcn_dgl.runtime.tabular import Table

    columns = found.columns()
    number = len(found)
    said = [f"{number:,} frequent subgraph" + "s" * (number != 1)]
    hidden = {"share"}
    if found.classes is not None:
        called = sum(p <= LEVEL for p in columns["adjusted p"])
        said.append(
            f"{called:,} differ between the classes (adjusted p ≤ {LEVEL}), the surest first"
        )
        # of two classes one odds ratio is the inverse of the other
        hidden |= {f"odds ratio {name}" for name in found.classes.names[:1]
                   if len(found.classes.names) == 2}  # fmt: skip
    if "smarts" in columns:
        # the name of a piece of a molecule has its SMILES
        hidden |= {"pattern", "smarts"}
    if number > _MOST_ON_SCREEN:
        said.append(f"here the first {_MOST_ON_SCREEN}; --out table.csv has all, with all columns")
    say("; ".join(said))
    if number:
        say("")
        rows = {name: own[:_MOST_ON_SCREEN] for name, own in columns.items() if name not in hidden}
        print_table(Table(rows))


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="GRAPH")
@option_group(
    "Input",
    option(
        "--time",
        help="Column of times, by name or number [from the header, else the third]",
    ),
    option("--source", help="Column of source nodes, by name or number [from the header]"),
    option("--target", help="Column of target nodes, by name or number [from the header]"),
    option(
        "--time-unit",
        hidden=True,
        help="Unit of times that are numbers: s, ms, us or ns [by their size]",
    ),
)
@option_group(
    "Options",
    option(
        "--window",
        help="Longest time from the first to the last edge: 30s, 5min, 1h, 1d, 1w, or a number in "
        "the unit of the times",
    ),
)
@option_group(
    "Random graphs and counts",
    option(
        "--null",
        type=Word(*TEMPORAL_NULLS),
        multiple=True,
        default=TEMPORAL_NULLS[:1],
        callback=only_one,
        help="What random graphs keep: directions (all times of each two nodes), gaps (times "
        "between their events), timelines (their times, given to two others), or times (no "
        "bursts) [directions]",
    ),
    option(
        "--null-samples",
        type=Number(int),
        default=199,
        help="Number of random graphs; 0 for none [199]",
    ),
    seed_option,
)
@option_group(
    "Output",
    table_option,
    option(
        "--page",
        type=OutputPath(),
        help="Page to write (.html), with a drawing of each motif",
    ),
    force_option,
    quiet_option,
)
@option_group(
    "Limits",
    time_limit_option,
    option(
        "--jobs",
        "n_jobs",
        type=Number(int),
        help="Processes that share the random graphs [1]",
    ),
)
def temporal(
    path: str,
    window: str | None,
    out: str | None,
    page: str | None,
    force: bool,
    quiet: bool,
    time_limit: float | None,
    n_jobs: int | None,
    **options: Any,
) -> None:
    """Count motifs of three edges in the order of time.

    GRAPH is a table of edges with a column of times: numbers or timestamps. The 36 motifs of two
    or three nodes and three edges are counted exactly, and compared with random graphs, which keep
    all times at which two nodes have an event, and draw which of these goes which way. --null names
    others. Rows and columns are those of Paranjape, Benson and Leskovec (2017). When
    time is up, or at Ctrl-C, the comparison is with the random graphs that are counted by then.

    \b
    gomkcn temporal messages.txt.gz --window 1h
    gomkcn temporal payments.csv --window 7d --time booked --page payments.html
    gomkcn temporal messages.txt.gz --window 1h --null gaps
    gomkcn temporal calls.parquet --window 1h --jobs 4
    """
    show_log()
    from gomkcn.mining.show.text_table import paragraphs, text_table
    from gomkcn.mining.temporal.temporal_columns import TEMPORAL_COLUMNS
    from gomkcn.mining.temporal.temporal_motifs import temporal_census
    from gomkcn_dgl.runtime.files import atomic_write

    if window is None:
        raise InputError("--window must be given, such as --window 1h.")
    if page is not None and Path(page).suffix != ".html":
        raise InputError(f"--page must end in .html, got {page!r}.")
    steps, interrupts = limited_steps(time_limit, quiet, n_jobs)
    with steps.progress, interrupts:
        found = temporal_census(path, window, steps=steps, **options)
    if out is not None:
        found.save(out)
        say(f"wrote {out}: 36 rows")
    if page is not None:
        from gomkcn.mining.show.temporal_page import render_temporal_page

        atomic_write(Path(page), render_temporal_page(found, Path(path).name, window))
        say(f"wrote {page}")
    if out is None:
        say(str(text_table(TEMPORAL_COLUMNS, found.rows)))
    if found.finding:
        say(paragraphs([found.finding]))
    say_missing(interrupts, "" if not steps.is_partial else found.notes[-1])
