"""`gomkcn count`: the number of occurrences of a given pattern, and where they are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gomkcn.commands.base import Command, file_options, option_table, reading_option, show_log
from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from gomkcn_dgl.csr import CSRGraph
    from gomkcn_dgl.graphs.pattern_text import PatternText
    from gomkcn_dgl.graphs.structure import Structure
    from gomkcn_dgl.relations import Relations
    from mining.categories import Colors
    from mining.counting.conditional_search import ConditionalSearch
    from mining.inexact_counts import InexactCounts
    from mining.pattern import OccurrenceCount


class _Search(NamedTuple):
    """Where is counted, and how well: the error of an estimate, the work, the seed."""

    graph: CSRGraph
    error: float
    max_steps: int
    seed: int

    @property
    def limits(self) -> dict[str, int]:
        return {"max_steps": self.max_steps, "seed": self.seed}


_EXACTLY = "counted exactly"
# entries of a small graph, and steps of a short search by joins
_FEW_ENTRIES, _FEW_STEPS = 1 << 20, 1 << 24
# each text of edges has one of these
_JOINS = ("->", "--", "-[")
_SMARTS, _SMILES = "smarts:", "smiles:"


@click.command(cls=Command)
@click.argument("pattern", metavar="PATTERN")
@click.argument("path", metavar="GRAPH")
@option_table("""
Options
    --errors max_edits  N        Also count with up to N edges missing or added
    --seed              N=0      Random seed
Output
    --list most         N=0      List up to N occurrences; a random sample if there are more
Limits
    --count-error       X=0.02   Target relative error of the estimate, if exact counting takes too
        long
    --count-seconds     X=10.0   Work limit of the exact count, then of the estimate: X · 10⁸ steps,
        about X seconds of one thread; a step checks a node
    --jobs n_jobs       N        Processes that share the structures within --errors [1]
""")
@reading_option
@file_options
def count(
    pattern: str,
    path: str,
    count_error: float,
    count_seconds: float,
    most: int,
    max_edits: int | None,
    n_jobs: int | None,
    seed: int,
    reading: str,
    **options: Any,
) -> None:
    """Count the occurrences of a pattern in a whole graph.

    The count of PATTERN in GRAPH is exact, or an estimate with its 95% interval. PATTERN is a name
    (triangle, house, clique-6, ring-6, path-5, star-4, feed-forward-loop, benzene, …; house and
    diamond have 5 and 4 nodes, not 6 as the planted motifs of these names), its edges ('a->b, b->c'
    with directions, 'a--b, b--c' without, 'a-[activates]->b' with relations, 'a:C--b:N' with the
    categories of the nodes), a file with an edge a line, RUN:ID for a pattern of a finished
    run, or 'smiles:CC=O' and 'smarts:[OH]' for molecules; RDKit matches SMARTS. An occurrence is a
    set of nodes with exactly its edges, and with its categories where it has some; with --reading
    subgraph there may be more edges, and K4 has three rings of four nodes. With --errors 2 up to
    two edges may be missing or added, as long as the nodes are connected. Edges may be followed by
    conditions: edges that must be absent ('a !> c', 'a !- c'), 'b.kind = "kinase"', 'a.size >
    b.size', 'a.degree >= 10', 'b.kind in ("x", "y")', and 'not' in front of any.

    \b
    gomkcn count clique-6 friends.txt.gz --count-error .01
    gomkcn count feed-forward-loop regulation.csv --list 40
    gomkcn count "a-[activates]->b, a-[represses]->c" regulation.csv
    gomkcn count "a:N--b:O, a--c:O" MUTAG/
    gomkcn count run:3 ENZYMES/
    gomkcn count smarts:c1ccccc1 drugs.smi --list 40
    gomkcn count house friends.txt.gz --errors 2 --list 40 --jobs 4
    gomkcn count 'a -> b, b -> c, a !> c, a.degree >= 10' regulation.csv
    """
    show_log(quiet=True)
    from gomkcn_dgl.checks import check_choice, check_float, check_int
    from gomkcn_dgl.io.reading import read_graph
    from gomkcn_dgl.relations import PLAIN
    from mining.counting.sought import READINGS, SUBGRAPH, steps_in
    from mining.graph_relations import channels_in, joined_relations

    check_float("count_error", count_error, 0, open_minimum=True)
    max_steps = steps_in(check_float("count_seconds", count_seconds, 0, open_minimum=True))
    check_int("most", most, 0)
    check_choice("reading", reading, READINGS)
    if n_jobs is not None and max_edits is None:
        raise InputError("--jobs shares the structures within --errors; leave it out.")
    if pattern.startswith(_SMARTS):
        if reading == SUBGRAPH or max_edits is not None:
            raise InputError("--reading subgraph and --errors are not for SMARTS; leave them out.")
        _count_smarts(pattern, path, most, seed, **options)
        return
    said = _conditions_in(pattern)
    if said is not None:
        if max_edits is not None:
            raise InputError("--errors is for patterns without conditions; leave it out.")
        _count_where(said, path, reading, max_steps, most, seed, **options)
        return
    graph = read_graph(path, **options)
    search = _Search(graph, count_error, max_steps, seed)
    given = read_pattern(pattern, graph)
    size = _sizes(node=given.num_nodes, edge=len(given.edges))
    rows = {"pattern": f"{pattern}: {size}", "graph": _graph_said(path, graph)}
    given, colors = in_categories(given, graph)
    if given.categories:
        rows["nodes"] = ", ".join(map(" ".join, given.categories))
    if len(graph.relations.names) > 1 and given.relations.names == (PLAIN,):
        rows["edges"] = f"of any relation: {', '.join(graph.relations.names)}"
        search = search._replace(graph=joined_relations(graph))
        graph = search.graph
    _check_directions(given.relations, graph.relations)
    # refuses relations that the graph lacks
    channels_in(graph.relations, given)
    rows["reading"] = reading
    if reading == SUBGRAPH:
        if max_edits is not None:
            raise InputError(
                "--errors, by which edges may be added, is for --reading induced; leave one out."
            )
        from mining.counting.conditional_search import ConditionalSearch, text_of

        joins = ConditionalSearch(graph, text_of(given), reading)
        _count_by_joins(joins, rows, max_steps, most, seed, given.node_names)
        return
    inexact = None
    if max_edits is not None:
        from mining.inexact_counts import count_inexact

        inexact = count_inexact(
            graph, given, colors,
            max_edits=max_edits, error=count_error, n_jobs=n_jobs, **search.limits,
        )  # fmt: skip
        rows |= _said_by_edits(inexact)
    else:
        rows |= _said(graph, *_find_occurrences(search, given, colors))
    _show(rows)
    if most:
        _list(search, given, colors, inexact, most)


def _count_smarts(pattern: str, path: str, most: int, seed: int, **options: Any) -> None:
    """Print the sets of atoms that a SMARTS matches in the molecules of a file."""
    import numpy as np

    from gomkcn_dgl.io.reading import read_molecule_file
    from mining.fragments import find_smarts

    reading = {name: options[name] for name in ("format", "smiles", "skip_invalid")}
    mols = read_molecule_file(path, **reading)
    places = find_smarts(pattern.removeprefix(_SMARTS), mols)
    _show(
        {
            "pattern": f"{pattern}: {_sizes(atom=places.shape[1] - 1)}",
            "graph": f"{path}: {_sizes(molecule=len(mols))}",
            "reading": "SMARTS, matched by RDKit",
            "occurrences": f"{len(places):,}, {_EXACTLY}",
            "graphs": f"{len(np.unique(places[:, 0]))} of {len(mols)} contain it",
        }
    )
    if most:
        complete = len(places) <= most
        if not complete:
            rows = np.random.default_rng(seed).choice(len(places), most, replace=False)
            places = places[np.sort(rows)]
        click.echo(f"{'listed':<11} {len(places)}, {'all' if complete else 'a random sample'}\n")
        for row in [("graph", *range(places.shape[1] - 1)), *places.tolist()]:
            click.echo("\t".join(map(str, row)))


def _graph_said(path: str, graph: CSRGraph) -> str:
    """The sizes of a graph or a collection."""
    graphs = {"graph": graph.num_graphs} if graph.num_graphs > 1 else {}
    return f"{path}: {_sizes(**graphs, node=graph.num_nodes, edge=graph.num_edges)}"


def _sizes(**numbers: int) -> str:
    """Numbers of things, such as "3 nodes, 1 edge"."""
    from gomkcn_dgl.graphs.shapes import count as counted

    return ", ".join(counted(number, noun) for noun, number in numbers.items())


def _conditions_in(pattern: str) -> PatternText | None:
    """What a text of edges and conditions says; None where it has no conditions, or is a name."""
    from gomkcn_dgl.graphs.named_structures import is_name
    from gomkcn_dgl.graphs.pattern_text import PatternText

    of_run = os.path.isdir(pattern.rpartition(":")[0])
    is_text = any(sign in pattern for sign in _JOINS)
    if not is_text or is_name(pattern) or of_run or os.path.isfile(pattern):
        return None
    said = PatternText.read(pattern)
    return said if said.absent or said.conditions else None


def _count_where(
    said: PatternText, path: str, reading: str, max_steps: int, most: int, seed: int, **options: Any
) -> None:
    """Print the occurrences of a pattern with conditions."""
    from gomkcn_dgl.io.reading import read_with_attributes
    from mining.counting.conditional_search import ConditionalSearch

    graph, attributes = read_with_attributes(path, **options)
    num_conditions = len(said.absent) + len(said.conditions)
    size = _sizes(node=len(said.nodes), edge=len(said.edges), condition=num_conditions)
    rows = {
        "pattern": f"{' '.join(said.text.split())}: {size}",
        "graph": _graph_said(path, graph),
        "reading": reading,
    }
    search = ConditionalSearch(graph, said, reading, attributes)
    _count_by_joins(search, rows, max_steps, most, seed, search.names)


def _count_by_joins(
    search: ConditionalSearch,
    rows: dict[str, str],
    max_steps: int,
    most: int,
    seed: int,
    names: Sequence[str],
) -> None:
    """Print the occurrences that a search by joins finds."""
    found = search.total(max_steps, seed)
    _show(rows | _said(search.graph, found, search.graphs))
    if most:
        places, complete = search.sample(most, max_steps, seed)
        _show_places(search.graph, places, complete, names)


def _show(rows: dict[str, str]) -> None:
    for name, value in rows.items():
        click.echo(f"{name:<11} {value}")


def read_pattern(text: str, graph: CSRGraph) -> Structure:
    """The structure that PATTERN names, for a graph that decides what benzene is."""
    from gomkcn_dgl.graphs.named_structures import FAMILIES, SMALL, is_name
    from gomkcn_dgl.graphs.structure import Structure
    from synthetic import MOTIFS

    run, colon, number = text.rpartition(":")
    # the house and the diamond of the usual names are not those that are planted
    if text in MOTIFS and not is_name(text):
        return MOTIFS[text]
    if text == "benzene":
        bond = "-[aromatic]-" if "aromatic" in graph.relations.names else "--"
        return Structure.parse(", ".join(f"{i}:C{bond}{(i + 1) % 6}" for i in range(6)))
    if text.startswith(_SMILES):
        from mining.fragments import structure_of

        return structure_of(text.removeprefix(_SMILES))
    # names stay what they are beside a file or folder of the same name
    if not is_name(text) and colon and Path(run).is_dir():
        return _find_pattern_of_run(run, number)
    if not is_name(text) and Path(text).is_file():
        return Structure.read(text)
    if is_name(text) or any(sign in text for sign in _JOINS):
        return Structure.parse(text)
    words = sorted(name for name in {*SMALL, *MOTIFS} if " " not in name)
    raise InputError(
        "PATTERN must be a file, RUN:ID, edges such as 'a->b, b->c', benzene, "
        f"{', '.join(FAMILIES)} of N nodes, or one of {', '.join(words)}, got {text!r}."
    )


def _find_pattern_of_run(run: str, number: str) -> Structure:
    from mining.run_folder import read_patterns

    patterns = {str(pattern.id): pattern for pattern in read_patterns(run)}
    if number not in patterns:
        raise InputError(
            f"PATTERN must name one of the {len(patterns)} patterns of {run}, as in {run}:0, "
            f"got {number!r}."
        )
    return patterns[number].structure


def in_categories(given: Structure, graph: CSRGraph) -> tuple[Structure, Colors | None]:
    """The structure with the categories of the graph that it names, and the colours by these."""
    from mining.categories import Categories, find_category

    if not given.categories:
        return given, None
    names, found = graph.feature_names, Categories.find(graph.features, graph.feature_names)
    rows = [[find_category(name, found.columns, names) for name in row] for row in given.categories]
    groups = [[group for group in found.groups if set(group) & set(row)] for row in rows]
    roles = given.roles or tuple(map(str, range(given.num_nodes)))
    for node, row, used in zip(roles, rows, groups, strict=True):
        if used != groups[0] or len(used) != len(row):
            raise InputError(
                "PATTERN must give each node a category of the same kinds, or none to any, as in "
                f"'a:C--b:C, b--c:N'; {node!r} differs from {roles[0]!r}."
            )
    given = replace(given, categories=tuple(tuple(names[c] for c in row) for row in rows))
    kinds = Categories(tuple(groups[0]))
    return given, (kinds.numbers_of(given, names), kinds.colors(graph.features))


def _said(graph: CSRGraph, found: OccurrenceCount, contains: np.ndarray) -> dict[str, str]:
    """What is printed of the occurrences, and of the graphs of a collection that have some."""
    rows = {"occurrences": f"{found}, {_EXACTLY if found.is_exact else 'a 95% interval'}"}
    if graph.num_graphs > 1:
        least = "" if found.is_exact else "at least "
        rows["graphs"] = f"{least}{contains.sum()} of {graph.num_graphs} contain it"
    return rows


def _said_by_edits(found: InexactCounts) -> dict[str, str]:
    """What is printed of inexact occurrences: together, and those of each number of edits."""
    import numpy as np

    from mining.pattern import OccurrenceCount

    contains = np.any([one.graphs for one in found.variants], axis=0)
    rows = _said(found.graph, OccurrenceCount.sum(found.counts), contains)
    return rows | {f"edits {number}": str(count) for number, count in enumerate(found.counts)}


def _find_occurrences(
    search: _Search, given: Structure, colors: Colors | None
) -> tuple[OccurrenceCount, np.ndarray]:
    """How many occurrences there are, and in which graphs some were found, bool ``[G]``."""
    from mining.counting.conditional_search import ConditionalSearch, text_of
    from mining.pattern import OccurrenceCount

    if given.num_nodes > 1 and len(search.graph.indices) <= _FEW_ENTRIES:
        # takes less than it takes to load the compiled search
        joins = ConditionalSearch(search.graph, text_of(given))
        joins.run(max_steps=_FEW_STEPS)
        if not joins.unfinished:
            return OccurrenceCount.exact(int(joins.count.sum())), joins.graphs
    from mining.counting.counter import count_and_find

    return count_and_find(search.graph, given, colors, *search[1:])


def _list(
    search: _Search,
    given: Structure,
    colors: Colors | None,
    inexact: InexactCounts | None,
    most: int,
) -> None:
    """Print a table of occurrences, with their edits where there may be some."""
    from mining.counting.counter import list_places

    graph, edits = search.graph, list[str]()
    if inexact is None:
        places, complete = list_places(graph, given, colors, most=most, **search.limits)
    else:
        places, of, complete = inexact.list_places(most, **search.limits)
        edits = [", ".join(inexact.variants[number].edits) or "none" for number in of]
    _show_places(graph, places, complete, given.node_names, None if inexact is None else edits)


def _show_places(
    graph: CSRGraph,
    places: np.ndarray,
    complete: bool,
    names: Sequence[str],
    edits: list[str] | None = None,
) -> None:
    """Print occurrences: the input's ids of their nodes, below the pattern's, and edits."""
    click.echo(f"{'listed':<11} {len(places)}, {'all' if complete else 'a random sample'}\n")
    several, size = graph.num_graphs > 1, len(names)
    columns = ["graph"] * several + [*names] + ["edits"] * (edits is not None)
    click.echo("\t".join(columns))
    ids = graph.original_ids(places.reshape(-1))
    for k, number in enumerate(graph.graph_of(places[:, 0]).tolist()):
        row = [*ids[k * size : (k + 1) * size], *(edits or [])[k : k + 1]]
        click.echo("\t".join(map(str, [*([number] if several else []), *row])))


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
