"""`gomkcn info`, `convert`, `census` and `temporal`: parse, call one function, print."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from cloup import option, option_group

from gomkcn.commands.base import (
    Command,
    classes_of_file,
    inputs_of,
    inputs_of_run,
    limited_steps,
    say_missing,
)
from gomkcn.commands.option_types import InputPath
from gomkcn.commands.options import (
    BOUND_OPTIONS,
    CLASS_OPTIONS,
    class_options,
    file_options,
    folder_options,
    force_option,
    jobs_option,
    quiet_option,
    reading_option,
    run_limits,
    setting_options,
    settings_of_options,
    settings_option,
    table_option,
    time_limit_option,
    weight_option,
)
from gomkcn.commands.printing import held_log, print_table, say, say_values, show_log
from gomkcn.commands.run_command import (
    import_igraph,
    refuse_torchrun,
    required_path,
    run_into_folder,
)
from gomkcn.commands.spelling import spelling_here
from gomkcn.mining.settings.frequent_settings import FrequentTable
from gomkcn.mining.settings.temporal_settings import TemporalTable
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    from gomkcn.mining.structures.edge_weights import EdgeWeights
    from gomkcn_dgl.csr import CSRGraph
    from gomkcn_dgl.runtime.job import Interrupts
    from gomkcn_dgl.runtime.steps import Steps
    from gomkcn_dgl.runtime.tabular import Table


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
    from gomkcn_dgl.csr import ZERO_WEIGHT
    from gomkcn_dgl.graph_content import NONE
    from gomkcn_dgl.graph_html import describe_graph
    from gomkcn_dgl.io.reading import read_graph

    of_classes = {name: options.pop(name) for name in CLASS_OPTIONS}
    graph = None
    of_weights = ""
    # where weights are given, this is the only reading
    with held_log(holds=options["weight"] is None) as held:
        try:
            graph = read_graph(path, **options)
            zeros = [note for note in graph.notes if _is_of(note, ZERO_WEIGHT)]
            of_weights = f"{zeros[0]} where weights are used" if zeros else ""
        except InputError as error:
            if options["weight"] is not None:
                raise
            of_weights = error.spelled(spelling_here())
    # unless weights are asked for, the graph has the edges that counting and mining see, which use
    # none; whatever is wrong without them, too, is no matter of weights
    if graph is None or (of_weights and options["weight"] is None):
        graph = read_graph(path, **{**options, "weight": NONE})
    else:
        for record in held:
            logging.getLogger("gomkcn_dgl").handle(record)
    rows = describe_graph(graph)
    if of_weights:
        rows["weights"] = of_weights
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


def _is_of(note: str, message: str) -> bool:
    """Whether a note is made of a message with a number."""
    start, _, end = message.partition("{:,}")
    return note.startswith(start) and note.endswith(end.rpartition("{s}")[2])


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
        "--sizes",
        help="Size of the structures in nodes [3-5; with directions or types 3-4]",
    ),
    option(
        "--orbits",
        is_flag=True,
        help="Counts of each node: 15 orbits (--sizes 2-4) or 73 (2-5)",
    ),
    option(
        "--weight",
        help="Column of edge weights: intensity and coherence of structures of up to 4 nodes",
    ),
    reading_option,
)
@option_group("Output", table_option, force_option, quiet_option)
@option_group("Limits", time_limit_option)
def census(
    path: str,
    sizes: str | None,
    orbits: bool,
    weight: str | None,
    reading: str,
    out: str | None,
    force: bool,
    time_limit: float | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Count all connected structures of some sizes.

    Structures of 2 to 5 nodes, or of 3 and 4 where edges have directions or kinds, or nodes
    categories, unless these are two sides. All counts are exact. When time is up, or at Ctrl-C, the
    sizes that are counted are printed, and the others are said to be missing. With --reading
    subgraph there may be more edges between the nodes of a structure: K4 has three rings of four
    nodes. With --orbits, a row for each node has the number of induced structures in which it is in
    each orbit, numbered as by Pržulj (2007). With --weight, intensity is the sum of the geometric
    means of the weights of each occurrence, and coherence the mean of these over the arithmetic
    ones (Onnela et al. 2005); gomkcn mine compares both with permuted weights.

    \b
    gomkcn census friends.txt.gz
    gomkcn census regulation.csv --sizes 3 --directed --out triads.csv
    gomkcn census friends.txt.gz --sizes 2-5 --orbits --out orbits.parquet
    gomkcn census synapses.gml --sizes 3 --weight value
    """
    show_log(quiet, brief=True)
    from gomkcn.mining.counting.census_columns import CENSUS_COLUMNS
    from gomkcn.mining.counting.structure_census import census as count
    from gomkcn.mining.show.text_table import text_table

    if orbits and weight is not None:
        raise InputError("--weight is for structures, and --orbits counts at nodes; leave one out.")
    missing: dict[int, str] = {}
    steps, interrupts = limited_steps(time_limit, quiet)
    with steps.progress:
        steps.progress.begin("reading the graph")
        graph, weights = _read_weighted(path, options, weight)
    with steps.progress, interrupts:
        if orbits:
            table = _count_orbits(graph, sizes, reading, steps, interrupts)
        else:
            found = count(graph, sizes, reading, weight=weights, steps=steps)
            missing = found.missing
            table = found.table()
    if out is not None:
        table.save(out)
        say(f"wrote {out}: {len(table):,} rows")
    elif orbits:
        print_table(table)
    else:
        say(str(text_table(CENSUS_COLUMNS, found.rows)))
    reasons = [
        f"structures of {of} nodes are not counted: {reason}"
        for reason, of in _by_reason(missing).items()
    ]
    say_missing(interrupts, "; ".join(reasons))


def _read_weighted(
    path: str, options: dict[str, Any], weight: str | None
) -> tuple[CSRGraph, EdgeWeights | None]:
    """A graph, and the weights of its edges where a column of them is named."""
    from gomkcn_dgl.graph_content import NONE
    from gomkcn_dgl.io.reading import read_graph, read_with_attributes

    if weight is None:
        return read_graph(path, **options, weight=NONE), None
    from gomkcn.mining.structures.edge_weights import EdgeWeights

    read = read_with_attributes(path, **options, weight=NONE, edge_attributes=(weight,))
    assert read.edges is not None, "they were asked for"
    return read.graph, EdgeWeights.of(read.graph, read.edges, weight)


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
        raise InputError(f"--sizes must be 2-4 or 2-5 with --orbits, got {sizes}.")
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
@click.argument("path", type=InputPath(), metavar="GRAPHS", required=False)
@option_group("Input", file_options, class_options)
@option_group(
    "Options",
    setting_options(FrequentTable, shown=("support", "sizes", "closed", "maximal", "per_class")),
)
@option_group("Output", folder_options)
@option_group("Limits", run_limits)
@option_group("Other details", settings_option)
@click.pass_context
def frequent(
    ctx: click.Context,
    /,
    settings_file: str | None,
    out: str | None,
    time_limit: float | None,
    force: bool,
    resume: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Find all frequent subgraphs of a collection or of one graph.

    All connected subgraphs that at least a tenth of the GRAPHS contain, by gSpan: complete, with
    the categories of nodes, the types and the directions of edges. Between the nodes of a subgraph
    there may be more edges. In one graph the support is the minimum node image: each node of the
    subgraph is mapped to at least so many different nodes. With --per-class, odds ratios say how
    classes differ, the surest first, and p (Fisher's exact test) is adjusted for all subgraphs that
    could have differed. When time is up, or after Ctrl-C, those that were found are reported, and
    it is said that there may be more. The screen has the first 40; subgraphs.csv in the folder has
    all.

    \b
    gomkcn frequent MUTAG/ --support 19 --sizes 3-6
    gomkcn frequent drugs.smi --support .05 --closed --out subgraphs
    gomkcn frequent citations.txt --support 100 --sizes 2-5
    gomkcn frequent ENZYMES/ --support .4 --sizes 3-5 --per-class
    gomkcn frequent assay.csv --per-class --class-column pIC50 --threshold 6.5
    """
    refuse_torchrun("frequent", "runs in one process")
    show_log(quiet, brief=True)
    import_igraph()
    from gomkcn.mining.frequent.gspan import check_search
    from gomkcn.mining.runs.frequent import FREQUENT
    from gomkcn.mining.runs.graph_inputs import GraphInputs
    from gomkcn.mining.settings.frequent_settings import FrequentSettings
    from gomkcn_dgl.runtime.job import Interrupts

    settings = settings_of_options(FrequentSettings(), settings_file, options)
    path = required_path(ctx, settings.graph.path)
    per_class = settings.frequent.per_class
    if any(getattr(settings.graph, name) for name in CLASS_OPTIONS) and not per_class:
        raise InputError("options of classes are for --per-class; give it, or leave them out.")

    def read_inputs() -> GraphInputs:
        graph = settings.graph.read_graph()
        check_search(graph, settings.frequent.support, settings.frequent.sizes)
        if graph.num_graphs == 1 and per_class:
            raise InputError(
                f"--per-class is for collections, and {path!r} is one graph; leave it out."
            )
        if not per_class:
            return GraphInputs(graph)
        classes = settings.graph.read_classes(needed=True)
        if classes is None:
            raise InputError(f"--per-class is for graphs with classes, and {path!r} has none.")
        return GraphInputs(graph, classes)

    run_into_folder(
        ctx,
        FREQUENT,
        settings,
        Interrupts(time_limit, is_partial_at_signal=True, has_end=True),
        read_inputs,
        path=path,
        files=inputs_of_run(ctx, settings.graph, settings_file if resume else None),
        out=out,
        force=force,
        resume=resume,
        quiet=quiet,
    )


@click.command(cls=Command)
@click.argument("path", type=InputPath(), metavar="GRAPH", required=False)
@option_group(
    "Input",
    setting_options(
        TemporalTable,
        *("time", "source", "target", "bipartite", "time_unit", *BOUND_OPTIONS),
        shown=("time", "source", "target"),
    ),
)
@option_group(
    "Options",
    setting_options(
        TemporalTable, "window", "pattern", "list", shown=("window", "pattern", "list")
    ),
)
@option_group(
    "Random graphs and counts",
    setting_options(
        TemporalTable, "null", "null_samples", "seed", shown=("null", "null_samples", "seed")
    ),
)
@option_group("Output", folder_options)
@option_group(
    "Limits",
    run_limits,
    jobs_option("Processes that share the random graphs"),
)
@option_group("Other details", settings_option)
@click.pass_context
def temporal(
    ctx: click.Context,
    /,
    settings_file: str | None,
    out: str | None,
    time_limit: float | None,
    force: bool,
    resume: bool,
    quiet: bool,
    n_jobs: int | None,
    **options: Any,
) -> None:
    """Count motifs of edges in the order of time, or list the occurrences of one.

    GRAPH is a table of edges with a column of times: numbers or timestamps. The 36 motifs of two
    or three nodes and three edges are counted exactly, and compared with random graphs, which keep
    all times at which two nodes have an event, and draw which of these goes which way. --null names
    others. Rows and columns are those of Paranjape, Benson and Leskovec (2017). When
    time is up, the comparison is with the random graphs that are counted by then.

    With --pattern, two to six edges that follow each other in time as they are written, its
    occurrences alone are counted and listed: a row for each event, with its row and all columns of
    the table, in occurrences.csv. Edges may have conditions, as in gomkcn count, and a window
    behind them. Conditions that compare times, as x.time <= y.time, replace the order as written.
    When time is up before all is counted, the count is an estimate.

    \b
    gomkcn temporal messages.txt.gz --window 1h
    gomkcn temporal payments.csv --window 7d --time booked --out payments
    gomkcn temporal messages.txt.gz --window 1h --null gaps
    gomkcn temporal calls.parquet --window 1h --n-jobs 4
    gomkcn temporal payments.csv --pattern 'A -> B, B -> C, C -> A within 7d' --null times
    gomkcn temporal payments.csv --pattern 'A -> B as x, B -> A as y, y.amount >= .9 * x.amount'
    --window 1d --list 50
    """
    refuse_torchrun("temporal", "is shared by --n-jobs 4")
    show_log(quiet)
    import_igraph()
    from gomkcn.mining.runs.temporal import TEMPORAL
    from gomkcn.mining.settings.temporal_settings import TemporalSettings
    from gomkcn.mining.temporal.event_pattern import read_event_pattern
    from gomkcn.mining.temporal.temporal_motifs import check_temporal_options
    from gomkcn.mining.temporal.temporal_occurrences import window_of
    from gomkcn_dgl.io.temporal_edges import read_temporal_edges
    from gomkcn_dgl.runtime.job import Interrupts

    settings = settings_of_options(TemporalSettings(), settings_file, options)
    table = settings.temporal
    path = required_path(ctx, table.path)
    window: Any = table.window
    if table.pattern is not None:
        window = window_of(read_event_pattern(table.pattern), window)
    elif table.list is not None:
        raise InputError("--list is for the occurrences of a --pattern; give one, or leave it out.")
    if window is None:
        raise InputError("--window must be given, such as --window 1h.")
    check_temporal_options(window, table.null, table.null_samples, n_jobs)
    files = [name for name in inputs_of(ctx, path) if not resume or name != settings_file]
    run_into_folder(
        ctx,
        TEMPORAL,
        settings,
        Interrupts(time_limit, is_partial_at_signal=True, has_end=True),
        lambda: read_temporal_edges(
            path,
            source=table.source,
            target=table.target,
            bipartite=table.bipartite,
            time=table.time,
            time_unit=table.time_unit,
            minimum=table.minimum,
            maximum=table.maximum,
            with_columns=table.pattern is not None,
        ),
        path=path,
        files=files,
        out=out,
        force=force,
        resume=resume,
        quiet=quiet,
        n_jobs=n_jobs,
    )
