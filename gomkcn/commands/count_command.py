"""`gomkcn count`: the number of occurrences of a given pattern, and where they are."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from cloup import option, option_group

from gomkcn.commands.base import Command, classes_of_file, limited_steps, say_missing
from gomkcn.commands.option_types import InputPath, MatrixPath, Number, PatternName
from gomkcn.commands.options import (
    CLASS_OPTIONS,
    class_options,
    file_options,
    jobs_option,
    quiet_option,
    reading_option,
    seed_option,
    time_limit_option,
)
from gomkcn.commands.printing import say, say_row, say_values, show_log
from gomkcn.commands.spelling import RenamedOption
from gomkcn_dgl.bounds import LONGEST, MOST_LISTED
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from gomkcn.mining.counting.conditions import TextQuery
    from gomkcn.mining.counting.query import Query
    from gomkcn.mining.structures.categories import Colors
    from gomkcn.mining.structures.pattern import OccurrenceCount
    from gomkcn_dgl.csr import CSRGraph
    from gomkcn_dgl.graph_content import EdgeTable
    from gomkcn_dgl.graphs.pattern_text import PatternText
    from gomkcn_dgl.graphs.structure import Structure
    from gomkcn_dgl.io.graph_classes import GraphClasses
    from gomkcn_dgl.relations import Relations
    from gomkcn_dgl.runtime.steps import Steps

_SMARTS = "smarts:"
# what the readings of :mod:`gomkcn.mining.counting.query` say of an occurrence
_READINGS = {
    "induced": "induced: no other edges join its nodes; --reading subgraph allows some",
    "subgraph": "subgraph: other edges may join its nodes",
}
# names of columns, a row for each occurrence that is listed, and whether these are all
Listing = tuple[list[str], list[list[Any]], bool]


class Counted(NamedTuple):
    """The lines that say what was counted, what lists the occurrences, and the graphs with one.

    ``contains`` is bool ``[G]``, None where that is not known of all graphs; ``query`` is what was
    counted, None of edits and SMARTS.
    """

    rows: dict[str, str]
    list_places: Callable[[], Listing]
    contains: np.ndarray | None = None
    query: Query | None = None


@dataclass(frozen=True)
class _Task:
    """What the options ask for: a reading, an error, work, and how many occurrences to list."""

    reading: str
    error: float
    max_steps: int
    seed: int
    most: int
    errors: int | None
    watch: _Watch

    @property
    def limits(self) -> dict[str, Any]:
        """What ends a count or a list, and the seed of its draws."""
        return {"max_steps": self.max_steps, "seed": self.seed, "watch": self.watch}


class _Watch:
    """Shows what share of a count is done, and ends it when its time is up, or at a signal.

    Half of the time limit, ``seconds_of_a_half``, is for the second half of a count, the estimate.
    """

    def __init__(self, steps: Steps, seconds_of_a_half: float) -> None:
        self.steps = steps
        self.seconds_of_a_half = seconds_of_a_half
        self.report: Callable[[float], None] = lambda share: None
        self.narrowest = math.inf

    def begin(self, stage: str) -> None:
        """Begin to show a stage."""
        self.report = self.steps.stage(stage)

    def tell(self, estimate: OccurrenceCount) -> None:
        """Show what is known best of the count so far, behind its bar and in lines of a log."""
        if estimate.high - estimate.low < self.narrowest:
            self.narrowest = estimate.high - estimate.low
            self.steps.progress.move(0, f"so far {estimate}")

    def __call__(self, share: float) -> bool:
        self.report(share)
        if self.steps.is_late():
            return False
        return share >= 0.5 or self.steps.seconds_left > self.seconds_of_a_half


@click.command(cls=Command)
@click.argument("pattern", type=PatternName(), metavar="PATTERN")
@click.argument("path", type=InputPath(), metavar="GRAPH")
@option_group("Input", file_options, class_options)
@option_group(
    "Options",
    option(
        "--errors",
        type=Number(int, 0, 100),
        help="Also count with up to N edges missing or added",
    ),
    seed_option,
    reading_option,
)
@option_group(
    "Output",
    quiet_option,
    option(
        "--list",
        "most",
        type=Number(int, 0, MOST_LISTED),
        default=0,
        help="List up to N occurrences; a random sample if there are more [0]",
    ),
    option(
        "--adjacency",
        type=MatrixPath(),
        help="Write how many occurrences hold both nodes of each pair: a SciPy matrix, .npz",
    ),
    option("--force", is_flag=True, hidden=True, help="Overwrite a matrix that exists"),
)
@option_group(
    "Limits",
    time_limit_option,
    option(
        "--count-error",
        type=Number(float, 0, 1),
        default=0.02,
        help="Target relative error of the estimate, if exact counting takes too long [0.02]",
    ),
    option(
        "--count-seconds",
        cls=RenamedOption,
        parameters=("max_steps",),
        type=Number(float, 0, LONGEST),
        default=10.0,
        help="Work limit of the exact count, then of the estimate: X · 10⁸ steps, about X seconds "
        "of one thread; a step checks a node [10.0]",
    ),
    jobs_option("Processes that share the structures within --errors"),
)
def count(
    pattern: str,
    path: str,
    count_error: float,
    count_seconds: float,
    most: int,
    adjacency: str | None,
    force: bool,
    errors: int | None,
    n_jobs: int | None,
    seed: int,
    reading: str,
    quiet: bool,
    time_limit: float | None,
    **options: Any,
) -> None:
    """Count the occurrences of a pattern in a whole graph.

    The count of PATTERN in GRAPH is exact, or an estimate with its 95% interval. PATTERN is a name
    (triangle, house, clique-6, ring-6, path-5, star-4, feed-forward-loop, benzene, …), a standard
    one (a triad such as 030T, mfinder-204, a graphlet such as G8), its edges
    ('a->b, b->c' with directions, 'a--b, b--c' without, 'a-[activates]->b' with relations,
    'a:C--b:N' with the categories of the nodes), a file with an edge a line, RUN:ID for a pattern
    of a finished run, or 'smiles:CC=O' and 'smarts:[OH]' for molecules; RDKit matches SMARTS. An
    occurrence is a set of nodes with exactly its edges, and with its categories where it has some;
    with --reading subgraph there may be more edges, and K4 has three rings of four nodes. With
    --errors 2 up to two edges may be missing or added, as long as the nodes are connected.

    Edges, or a name, may be followed by conditions: edges that must be absent ('a !> c', 'a !- c'),
    'a.name = "crp"', 'b.kind = "kinase"', 'a.size > b.size', 'a.degree >= 10', 'b.kind in ("x",
    "y")', and 'not' in front of any; 'a -[score >= 700]-> b' compares an attribute of an edge, and
    'a -> b as x, b -> c as y, x.time < y.time' those of two edges. What is missing meets no
    condition. 'a -> a' is a self-loop: how many there are is compared with random graphs, and so is
    a pattern that has some. Without it, self-loops are left out. A table that is read without
    directions needs --directed for arrows. When time is up, or at Ctrl-C, what was drawn by then is
    an estimate. Where graphs have classes, a table says how many of each class contain the pattern,
    with odds ratios and Fisher's exact p.

    \b
    gomkcn count clique-6 friends.txt.gz --count-error .01
    gomkcn count feed-forward-loop ecoli_regulation.csv --list 40
    gomkcn count "a-[activates]->b, a-[represses]->c" ecoli_regulation.csv
    gomkcn count "a:N--b:O, a--c:O" MUTAG/
    gomkcn count run:3 ENZYMES/
    gomkcn count smarts:c1ccccc1 drugs.smi --list 40
    gomkcn count "smarts:NS(=O)=O" assay.csv --class-column pIC50 --threshold 6.5
    gomkcn count house friends.txt.gz --errors 2 --list 40 --n-jobs 4
    gomkcn count 'feed-forward-loop, A.name = "crp"' ecoli_regulation.csv
    gomkcn count 'a -> b, b -> c, a !> c, a.degree >= 10' ecoli_regulation.csv
    gomkcn count 'a -[represses]-> a, a -> b' ecoli_regulation.csv
    gomkcn count feed-forward-loop ecoli_regulation.csv --adjacency loops.npz
    """
    show_log(brief=True)
    from gomkcn.mining.counting.query import READINGS, SUBGRAPH
    from gomkcn.mining.counting.watching import steps_in
    from gomkcn_dgl.checks import check_choice, check_float, check_int

    check_float("count_error", count_error, 0, open_minimum=True)
    max_steps = steps_in(check_float("count_seconds", count_seconds, 0, open_minimum=True))
    check_int("most", most, 0, MOST_LISTED)
    check_choice("reading", reading, READINGS)
    conditions = _conditions_in(pattern)
    is_smarts = pattern.startswith(_SMARTS)
    if n_jobs is not None and errors is None:
        raise InputError("--n-jobs shares the structures within --errors; leave it out.")
    _check_pattern(is_smarts, conditions is not None, reading == SUBGRAPH, errors)
    if adjacency is not None and (is_smarts or errors is not None):
        raise InputError("--adjacency takes a pattern without --errors and SMARTS; leave it out.")
    of_classes = {name: options.pop(name) for name in CLASS_OPTIONS}
    steps, interrupts = limited_steps(time_limit, quiet, n_jobs)
    watch = _Watch(steps, 0.0 if time_limit is None else time_limit / 2)
    task = _Task(reading, count_error, max_steps, seed, most, errors, watch)
    listing: Listing | None = None
    with steps.progress:
        steps.progress.begin("reading the graph")
        graph, attributes, edges = _read(path, options, conditions, is_smarts=is_smarts)
        classes = _read_classes(path, options, of_classes)
    with steps.progress, interrupts:
        watch.begin("counting")
        if is_smarts:
            counted = _count_smarts(pattern, path, graph, task)
        elif conditions:
            from gomkcn.mining.counting.conditions import TextQuery

            conditions = _conditions_in(pattern, graph.relations)
            assert conditions is not None, "the graph names the relations, and no more"
            text = TextQuery.of(graph, conditions, attributes, edges)
            counted = _count_conditions(text, path, task)
        else:
            directed = options["directed"]
            counted = _count_structure(pattern, path, graph, directed, task)
        if most:
            watch.begin("listing occurrences")
            listing = counted.list_places()
    say_values(counted.rows, 11)
    if classes is not None:
        _say_classes(classes, counted.contains)
    if listing is not None:
        names, places, complete = listing
        say(f"{'listed':<11} {len(places)}, {'all' if complete else 'a random sample'}\n")
        for row in [names, *places]:
            say_row(row)
    if adjacency is not None:
        with steps.progress, interrupts:
            watch.begin("finding pairs of nodes")
            written = _write_adjacency(counted, adjacency, task)
        say_values(written, 11)
    say_missing(interrupts, "the count ended early" if steps.is_partial else "")


def _check_pattern(
    is_smarts: bool, has_conditions: bool, is_subgraph: bool, errors: int | None
) -> None:
    """Refuse what a pattern of its kind is not counted with."""
    if errors is not None and (is_smarts or has_conditions or is_subgraph):
        raise InputError(
            "--errors takes a pattern of edges alone, in the induced reading: without conditions, "
            "self-loops and SMARTS. Leave --errors out, or the rest."
        )
    if is_smarts and is_subgraph:
        raise InputError("--reading subgraph is not for SMARTS; leave it out.")


def _read_classes(
    path: str, options: dict[str, Any], of_classes: dict[str, Any]
) -> GraphClasses | None:
    """The classes of the graphs of a file; of numbers that are none, a line says the way out."""
    try:
        return classes_of_file(path, options, of_classes)
    except InputError as error:
        if any(of_classes.values()):
            raise
        logging.getLogger("gomkcn_dgl").warning("no classes are compared: %s", error)
        return None


def _say_classes(classes: GraphClasses, contains: np.ndarray | None) -> None:
    """Print how many graphs of each class contain the pattern."""
    from gomkcn.mining.show.text_table import text_table
    from gomkcn.mining.significance.verdicts import class_contrasts
    from gomkcn.mining.structures.pattern_columns import CONTRAST_COLUMNS

    if contains is None:
        say("classes     not compared: not all graphs were searched")
        return
    (contrasts,) = class_contrasts(contains[:, None], classes.labels, classes.names)
    say("")
    say(str(text_table(CONTRAST_COLUMNS, contrasts)))
    say("")


def _conditions_in(pattern: str, relations: Relations | None = None) -> PatternText | None:
    """What a text of edges and conditions says; None where it has no conditions, or is a name.

    A name before conditions has the words of the ``relations`` of a graph, if they are given.
    """
    from gomkcn.mining.counting.conditions import conditions_of
    from gomkcn.mining.structures.pattern_reading import is_named
    from gomkcn_dgl.relations import SIMPLE

    of_run = not is_named(pattern) and os.path.isdir(pattern.rpartition(":")[0])
    if of_run or pattern.startswith(_SMARTS):
        return None
    return conditions_of(pattern, relations=SIMPLE if relations is None else relations)


def _read(
    path: str, options: dict[str, Any], conditions: PatternText | None, *, is_smarts: bool
) -> tuple[Any, Any, EdgeTable | None]:
    """The molecules of a file, or a graph and, where conditions ask for them, its attributes."""
    from gomkcn_dgl.graph_content import NONE
    from gomkcn_dgl.io.formats import OF_MOLECULES
    from gomkcn_dgl.io.reading import read_graph, read_molecule_file, read_with_attributes

    if is_smarts:
        of_molecules = {name: options[name] for name in ("format", *OF_MOLECULES)}
        return read_molecule_file(path, **of_molecules), None, None
    if conditions is None:
        return read_graph(path, **options, weight=NONE), None, None
    of_edges = (
        conditions.edge_attributes if conditions.edge_attributes or conditions.loops else None
    )
    return read_with_attributes(path, **options, weight=NONE, edge_attributes=of_edges)


def _count_smarts(pattern: str, path: str, mols: Any, task: _Task) -> Counted:
    """The sets of atoms that a SMARTS matches in the molecules of a file."""
    import numpy as np

    from gomkcn.mining.structures.fragments import find_smarts
    from gomkcn.mining.structures.pattern import OccurrenceCount
    from gomkcn_dgl.io.molecules import names_of

    places = find_smarts(pattern.removeprefix(_SMARTS), mols)
    size = places.shape[1] - 1
    graph_names = names_of(mols)
    rows = {
        "pattern": f"{pattern}: {_sizes(atom=size)}",
        "graph": f"{path}: {_sizes(molecule=len(mols))}",
        "reading": "SMARTS, matched by RDKit",
        **_said(OccurrenceCount.exact(len(places)), len(np.unique(places[:, 0])), len(mols)),
    }

    def list_places() -> Listing:
        chosen = np.arange(len(places))
        if len(places) > task.most:
            rng = np.random.default_rng(task.seed)
            chosen = np.sort(rng.choice(len(places), task.most, replace=False))
        rows = [[*_called(graph_names, row[0]), *row[1:]] for row in places[chosen].tolist()]
        head = [*_called_head(graph_names), *map(str, range(size))]
        return head, rows, len(chosen) == len(places)

    contains = np.isin(np.arange(len(mols)), places[:, 0])
    return Counted(rows, list_places, contains)


def _count_conditions(text: TextQuery, path: str, task: _Task) -> Counted:
    """The occurrences of a pattern with conditions or self-loops."""
    pattern = text.pattern
    tests = sum(len(part.tests) for part in [*pattern.edges, *pattern.absent, *pattern.loops])
    absent = [*pattern.absent, *(loop for loop in pattern.loops if loop.is_absent)]
    sizes = {
        "node": len(pattern.nodes),
        "edge": len(pattern.edges),
        "self-loop": sum(not loop.is_absent for loop in pattern.loops),
        "condition": len(absent) + len(pattern.conditions) + len(pattern.edge_conditions) + tests,
    }
    used = {noun: number for noun, number in sizes.items() if number or noun in ("node", "edge")}
    rows = _head(f"{' '.join(pattern.text.split())}: {_sizes(**used)}", path, text.graph)
    found, counted = _count_query(text.query(task.reading), rows, [*pattern.nodes], task)
    if pattern.loops:
        task.watch.begin("placing self-loops at random")
        counted = counted._replace(rows=counted.rows | _said_of_loops(text, found, task))
    return counted


def _said_of_loops(text: TextQuery, found: OccurrenceCount, task: _Task) -> dict[str, str]:
    """The number of self-loops, and the count with these at random nodes."""
    from gomkcn.mining.counting.self_loops import compare_loops

    numbers, placed = compare_loops(text, task.reading, found, **task.limits)
    # the numbers are those of all nodes, and so say nothing of those that meet conditions
    has_conditions = text.pattern.conditions or text.pattern.edge_conditions
    is_of_some = placed is None and (has_conditions or any(text.pattern.nodes.values()))
    sentences = []
    for loop, number in numbers:
        edges = loop.given.removeprefix("not ").replace("!", "-")
        shown = f"{number.loops:,} of {number.edges:,} edges"
        shown += f" {edges}" if len(numbers) > 1 else ""
        if is_of_some:
            sentences.append(f"{shown}; under conditions they are not compared")
            continue
        sentences.append(
            f"{shown}; expected {number.expected:.3g} ± {number.deviation:.2g} if edges join "
            f"random nodes, p = {number.p:.2g}; {number.expected_by_degree:.3g} if nodes keep "
            f"their degrees, p = {number.p_by_degree:.2g}"
        )
    rows = {"self-loops": "; ".join(sentences)}
    if placed is not None:
        nodes = "nodes that an edge leaves" if text.graph.is_directed else "nodes with an edge"
        rows["expected"] = (
            f"{placed.expected:.3g} ± {placed.deviation:.2g} in {placed.placements} graphs with as "
            f"many self-loops, at random ones of the {placed.places:,} {nodes}, p = {placed.p:.2g}"
        )
    return rows


def _count_structure(
    pattern: str, path: str, graph: CSRGraph, directed: bool | None, task: _Task
) -> Counted:
    """The occurrences of a structure, in one of both readings or with edits."""
    from gomkcn.mining.counting.conditions import warn_of_letters
    from gomkcn.mining.counting.query import Query
    from gomkcn.mining.structures.categories import colors_in
    from gomkcn.mining.structures.graph_relations import (
        channels_in,
        joined_relations,
        without_directions,
    )
    from gomkcn.mining.structures.pattern_reading import has_edges, is_named
    from gomkcn_dgl.relations import PLAIN

    # 1. the structure in terms of the graph
    given = _structure_of(pattern, graph)
    rows = _head(f"{pattern}: {_sizes(node=given.num_nodes, edge=len(given.edges))}", path, graph)
    given, colors = colors_in(graph, given)
    if given.categories:
        rows["nodes"] = ", ".join(map(" ".join, given.categories))
    is_plain = given.relations.names == (PLAIN,)
    # the words of the graph for what a name stands for
    edges = [given.to_text()] if is_named(pattern) and not is_plain else []
    if len(graph.relations.names) > 1 and is_plain:
        edges.append(f"of any relation: {', '.join(graph.relations.names)}")
        graph = joined_relations(graph)
    # directions that nobody asked for stand in the way of a pattern without any
    has_direction = graph.is_directed and not any(given.relations.directed)
    if has_direction and is_plain and directed is None:
        edges.append("directions are left out, as the pattern has none (--no-directed)")
        graph = without_directions(graph)
    if edges:
        rows["edges"] = "; ".join(edges)
    # refuses relations that the graph lacks
    channels_in(graph.relations, given)
    # 2. its occurrences
    if task.errors is not None:
        rows["reading"] = f"{task.reading}, with edits"
        return _count_with_edits(graph, given, colors, rows, task)
    if has_edges(pattern) and not is_named(pattern):
        warn_of_letters(graph, given.roles)
    query = Query.of_structure(graph, given, colors, task.reading)
    return _count_query(query, rows, [*given.node_names], task)[1]


def _count_with_edits(
    graph: CSRGraph, given: Structure, colors: Colors | None, rows: dict[str, str], task: _Task
) -> Counted:
    """Inexact occurrences: together, and those of each number of edits."""
    import numpy as np

    from gomkcn.mining.counting.inexact_counts import count_inexact
    from gomkcn.mining.structures.pattern import OccurrenceCount

    assert task.errors is not None
    found = count_inexact(
        graph,
        given,
        colors,
        errors=task.errors,
        count_error=task.error,
        max_steps=task.max_steps,
        seed=task.seed,
        steps=task.watch.steps,
    )
    contains = np.any([variant.graphs for variant in found.variants], axis=0)
    rows |= _said(OccurrenceCount.sum(found.counts), int(contains.sum()), graph.num_graphs)
    rows |= {f"edits {number}": str(count) for number, count in enumerate(found.counts)}

    def list_places() -> Listing:
        places, of, complete = found.places(task.most, **task.limits)
        names, listed, _ = _listing(graph, [*given.node_names], places, complete)
        edits = [", ".join(found.variants[number].edits) or "none" for number in of]
        rows = [[*row, edit] for row, edit in zip(listed, edits, strict=True)]
        return [*names, "edits"], rows, complete

    is_exact = all(counted.is_exact for counted in found.counts)
    return Counted(rows, list_places, contains if is_exact else None)


def _count_query(
    query: Query, rows: dict[str, str], names: list[str], task: _Task
) -> tuple[OccurrenceCount, Counted]:
    """The occurrences of a query in a graph, and what is said of them."""
    from gomkcn.mining.counting.counter import count_query, list_query

    rows["reading"] = _READINGS[task.reading]
    count, graphs = count_query(query, count_error=task.error, tell=task.watch.tell, **task.limits)

    def list_places() -> Listing:
        places, complete = list_query(query, most=task.most, **task.limits)
        return _listing(query.graph, names, places, complete)

    rows = rows | _said(count, int(graphs.sum()), query.graph.num_graphs)
    return count, Counted(rows, list_places, graphs if count.is_exact else None, query)


def _write_adjacency(counted: Counted, path: str, task: _Task) -> dict[str, str]:
    """Write the motif adjacency matrix, and say what it is."""
    import numpy as np

    from gomkcn.mining.counting.motif_adjacency import adjacency_of_query, save_adjacency

    assert counted.query is not None, "edits and SMARTS are refused"
    graph = counted.query.graph
    matrix = adjacency_of_query(counted.query, task.max_steps, task.watch)
    save_adjacency(path, matrix, graph.original_ids(np.arange(graph.num_nodes)))
    return {"adjacency": f"{path}: {_sizes(pair=matrix.nnz // 2)} of nodes share occurrences"}


def _head(pattern: str, path: str, graph: CSRGraph) -> dict[str, str]:
    """The pattern, and the sizes of a graph or a collection."""
    graphs = {"graph": graph.num_graphs} if graph.num_graphs > 1 else {}
    size = _sizes(**graphs, node=graph.num_nodes, edge=graph.num_edges)
    return {"pattern": pattern, "graph": f"{path}: {size}"}


def _sizes(**numbers: int) -> str:
    """Numbers of things, such as "3 nodes, 1 edge"."""
    from gomkcn_dgl.graphs.shapes import count as counted

    return ", ".join(counted(number, noun) for noun, number in numbers.items())


def _said(found: OccurrenceCount, containing: int, num_graphs: int) -> dict[str, str]:
    """The number of occurrences, and of the graphs of a collection that have some."""
    how = "counted exactly" if found.is_exact else "a 95% interval"
    least = "" if found.is_exact else "at least "
    graphs = {"graphs": f"{least}{containing} of {num_graphs} contain it"} if num_graphs > 1 else {}
    return {"occurrences": f"{found}, {how}", **graphs}


def _listing(graph: CSRGraph, names: Sequence[str], places: np.ndarray, complete: bool) -> Listing:
    """The graph of a collection, and the input's ids of the nodes of occurrences ``[K, M]``."""
    several = graph.num_graphs > 1
    size = len(names)
    ids = graph.original_ids(places.reshape(-1))
    rows = [
        [*(_called(graph.graph_names, number) * several), *ids[at * size : (at + 1) * size]]
        for at, number in enumerate(graph.graph_of(places[:, 0]).tolist())
    ]
    return [*(_called_head(graph.graph_names) * several), *names], rows, complete


def _called_head(graph_names: np.ndarray | None) -> list[str]:
    """The names of the columns of :func:`_called`."""
    return ["graph"] if graph_names is None else ["graph", "name"]


def _called(graph_names: np.ndarray | None, number: int) -> list[Any]:
    """The number of a graph, and what it is called where graphs have names."""
    return [number] if graph_names is None else [number, str(graph_names[number])]


def _structure_of(text: str, graph: CSRGraph) -> Structure:
    """The structure that PATTERN stands for in a graph: a pattern of a run, or what is named."""
    from gomkcn.mining.structures.pattern_reading import is_named, read_pattern

    run, colon, number = text.rpartition(":")
    # names stay what they are beside a folder of the same name
    if colon and not is_named(text) and os.path.isdir(run):
        return _find_pattern_of_run(run, number)
    return read_pattern(text, graph.relations)


def _find_pattern_of_run(run: str, number: str) -> Structure:
    from gomkcn.mining.runs.run_patterns import dense_groups, read_patterns

    patterns = {str(pattern.id): pattern for pattern in read_patterns(run)}
    if number not in patterns:
        raise InputError(
            f"PATTERN must name one of the {len(patterns)} patterns of {run}, as in {run}:0, "
            f"got {number!r}."
        )
    if patterns[number].id in dense_groups(run):
        raise InputError(
            f"PATTERN must be a structure that copies equal, and pattern {number} of {run} is a "
            "dense group; give the edges to count."
        )
    return patterns[number].structure
