"""The columns of structures that were counted, and their tables.

Columns of a null model or a class are
written once, and are there for each null model and each class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn.mining.structures.fragments import to_smarts
from gomkcn.mining.structures.number_text import (
    expected,
    percent,
    share_inside,
    signed,
    three_digits,
)
from gomkcn.mining.structures.pattern import (
    COHERENCE,
    COUNT,
    INTENSITY,
    LESS,
    MORE,
    RESULT_WORDS,
    UNCOUNTED,
    ClassContrast,
    NullComparison,
    OccurrenceCount,
    Pattern,
    digits,
    measure_of,
    null_column,
    odds,
)
from gomkcn.mining.structures.standard_columns import standard_columns
from gomkcn.mining.structures.table_column import (
    SHOWN,
    Below,
    Medium,
    Number,
    TableColumn,
    Text,
    tabulate,
)
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.graphs.shapes import counted_size, describe_shapes
from gomkcn_dgl.graphs.standard_names import standard_names
from gomkcn_dgl.graphs.structure import node_letter
from gomkcn_dgl.runtime import html_of
from gomkcn_dgl.runtime.tabular import Table

_FILE = Medium.FILE


def count_text(count: OccurrenceCount, *path: str | int) -> Text:
    """A count whose record is at a path; an estimate is marked, and has its interval elsewhere."""
    if count == UNCOUNTED:
        return None
    if count.state == "bounded":
        return "fewer than ", Number(digits(count.high), (*path, "high"))
    value = Number(count.short, (*path, "value"))
    return value if count.is_exact else ("≈ ", value)


def interval_text(count: OccurrenceCount, *path: str | int) -> Text:
    """The 95% interval of an estimate; nothing for another count."""
    if count == UNCOUNTED or count.state != "estimated":
        return None
    low = Number(digits(count.low), (*path, "low"))
    return low, " to ", Number(digits(count.high), (*path, "high"))


def interval_column(
    of: str,
    count: Callable[[Any], OccurrenceCount],
    *path: str | int,
    media: Medium = SHOWN,
) -> TableColumn[Any]:
    """The column that has the interval of another one, and stands below it."""
    return TableColumn(
        f"{of}_interval",
        "95% CI",
        "the 95% interval of an estimate",
        lambda row: None,
        lambda row: interval_text(count(row), *path),
        media=media,
        is_optional=True,
        below=Below(of, "95% CI {}"),
    )


def estimate_columns(
    count: Callable[[Any], OccurrenceCount | None], *, is_optional: bool = False
) -> tuple[TableColumn[Any], ...]:
    """Whether the occurrences of a row are an estimate, and its interval, for files."""

    def value(part: str) -> Callable[[Any], Any]:
        return lambda row: None if count(row) is None else getattr(count(row), part)

    columns = (
        (
            "are",
            "Occurrences are",
            "`exact`, `estimated`, or `bounded` where random draws found none",
            "state",
        ),
        ("low", "Low end", "lower end of the 95% interval of an estimate", "low"),
        ("high", "High end", "upper end of the 95% interval of an estimate", "high"),
    )
    return tuple(
        TableColumn(
            f"occurrences_{key}",
            title,
            meaning,
            value(part),
            media=_FILE,
            is_optional=is_optional,
        )
        for key, title, meaning, part in columns
    )


def shown_name(pattern: Pattern) -> str:
    """What a table calls a pattern: its label, with relations and categories where it has some."""
    _, colon, more = pattern.name.partition(": ")
    return pattern.label if pattern.is_dense_group else f"{pattern.label}{colon}{more}"


def _measure(key: str) -> Callable[[Pattern], Any]:
    return lambda pattern: pattern.measures.get(key)


def _if_located(value: Callable[[Pattern], Any]) -> Callable[[Pattern], Any]:
    """What is not known of a structure that is not reported, and so not located."""
    return lambda pattern: None if pattern.id < 0 else value(pattern)


def _inside_text(pattern: Pattern) -> Text:
    """The share of the listed occurrences that lie inside copies of the motif set."""
    listed = len(pattern.occurrences)
    if not pattern.inside or not listed:
        return None
    return Number(share_inside(sum(pattern.inside), listed), ("inside",))


def _inside_share(pattern: Pattern) -> float:
    return sum(pattern.inside) / max(1, len(pattern.occurrences))


def _inside_hint(pattern: Pattern) -> str:
    listed = len(pattern.occurrences)
    return f"{sum(pattern.inside):,} of {listed:,} listed" if _inside_text(pattern) else ""


def _result_text(pattern: Pattern) -> str:
    """What the first null model says that calls it."""
    called = [result for result in pattern.significance.values() if result.is_called]
    if not called:
        return ""
    return RESULT_WORDS[called[0].measure][(MORE, LESS).index(called[0].verdict)]


# of every structure that was counted; those of null models and classes come after
STRUCTURE_COLUMNS: tuple[TableColumn[Pattern], ...] = (
    TableColumn(
        "pattern",
        "Pattern",
        "number of what is reported, by which the table `occurrences` names it; motifs come first, "
        "so that a motif has its number in `copies` as well; empty for what was counted and no "
        "more",
        _if_located(_measure("pattern")),
        media=_FILE,
    ),
    TableColumn(
        "finding",
        "Finding",
        "`motif`: in the motif set; `called`: over- or under-represented beside the first null "
        "model; `motif and called`; `counted`: neither",
        _measure("finding"),
        media=_FILE,
    ),
    TableColumn(
        "structure",
        "Structure",
        "its name, no two alike",
        lambda pattern: pattern.name,
        shown_name,
        is_left=True,
        is_name=True,
    ),
    TableColumn(
        "num_nodes",
        "Nodes",
        "number of nodes",
        lambda pattern: pattern.num_nodes,
        media=_FILE,
    ),
    TableColumn(
        "edges",
        "Edges",
        "edges by the letters of the drawing, as `gomkcn count` takes them: `A->B, A->C, B->C`",
        lambda pattern: pattern.structure.to_text(),
        media=_FILE,
    ),
    *standard_columns(lambda pattern: standard_names(pattern.structure), _FILE),
    TableColumn(
        "standard",
        "Also called",
        "triad, number of mfinder and of the motif dictionary, or graphlet",
        lambda pattern: None,
        lambda pattern: str(standard_names(pattern.structure)) or None,
        is_left=True,
        media=SHOWN,
        is_optional=True,
        below=Below("structure"),
    ),
    TableColumn(
        "edges_shown",
        "Edges",
        "edges of what has no name, in place of its drawing",
        lambda pattern: None,
        lambda pattern: pattern.structure.to_text() if counted_size(pattern.name) else None,
        is_left=True,
        media=Medium.TERMINAL,
        is_optional=True,
        below=Below("structure"),
    ),
    TableColumn(
        "occurrences",
        "Count",
        "occurrences in the graph; an estimate is marked, with its interval below",
        _measure("occurrences"),
        lambda pattern: count_text(pattern.frequency.occurrences, "frequency", "occurrences"),
    ),
    interval_column(
        "occurrences",
        lambda pattern: pattern.frequency.occurrences,
        "frequency",
        "occurrences",
    ),
    TableColumn(
        "intensity",
        "Intensity",
        "sum over the occurrences of the geometric mean of the weights of their edges, where edges "
        "have weights and structures three or four nodes",
        lambda pattern: None if pattern.weighing is None else pattern.weighing.intensity,
        lambda pattern: (
            None
            if pattern.weighing is None
            else Number(three_digits(pattern.weighing.intensity), ("weighing", "intensity"))
        ),
        is_optional=True,
    ),
    TableColumn(
        "coherence",
        "Coherence",
        "mean over the occurrences of the geometric mean of these weights over the arithmetic one",
        lambda pattern: None if pattern.weighing is None else pattern.weighing.coherence,
        lambda pattern: (
            None
            if pattern.weighing is None
            else Number(f"{pattern.weighing.coherence:.3f}", ("weighing", "coherence"))
        ),
        is_optional=True,
    ),
    TableColumn(
        "inside",
        "Inside\ncopies",
        "share of the listed occurrences that lie within one copy of the motif set",
        lambda pattern: None,
        _inside_text,
        media=Medium.PAGE | Medium.TERMINAL,
        is_optional=True,
        bar=_inside_share,
        hint=_inside_hint,
        below=Below("occurrences", "{} inside copies", Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "result",
        "Result",
        "over- or under-represented beside a null model; on the page a heading above the rows",
        lambda pattern: None,
        lambda pattern: _result_text(pattern) or None,
        media=Medium.NOTEBOOK,
    ),
    *estimate_columns(lambda pattern: pattern.frequency.occurrences),
    TableColumn(
        "graphs",
        "Graphs",
        "graphs of a collection that contain it",
        _if_located(_measure("graphs")),
        media=_FILE,
    ),
    TableColumn(
        "listed",
        "Listed",
        "occurrences that are listed with their nodes: all, or a random sample of 10,000",
        _if_located(_measure("listed")),
        media=_FILE,
    ),
    TableColumn(
        "disjoint",
        "Disjoint",
        "listed occurrences that share no node, as many as could be found",
        _if_located(_measure("disjoint")),
        media=_FILE,
    ),
    TableColumn(
        "copies",
        "Copies",
        "copies of a motif",
        _measure("copies"),
        media=_FILE,
        is_optional=True,
    ),
    TableColumn(
        "bits_saved",
        "Bits saved",
        "what a motif saves beside the motifs chosen before it; adds up to what the set saves",
        _measure("bits_saved"),
        media=_FILE,
        is_optional=True,
    ),
    TableColumn(
        "bits_longer_without",
        "Bits without",
        "what the description grows by without the motif; does not add up",
        _measure("bits_longer_without"),
        media=_FILE,
        is_optional=True,
    ),
    TableColumn(
        "smarts",
        "SMARTS",
        "of a piece of a molecule",
        lambda pattern: to_smarts(pattern.structure),
        media=_FILE,
        is_optional=True,
    ),
)


def expected_of(result: NullComparison) -> tuple[str, str]:
    """Mean and standard deviation of the random graphs, in the digits of what is compared."""
    if result.measure == COHERENCE:
        return f"{result.mean:.3f}", f"{result.sd:.3f}"
    return expected(result.mean, result.sd)


def observed_text(result: NullComparison) -> str:
    """What the graph itself has, in as many digits."""
    return f"{result.observed:.3f}" if result.measure == COHERENCE else f"{result.observed:,.0f}"


def _expected_text(result: NullComparison) -> Text:
    mean, sd = expected_of(result)
    return Number(mean, ("mean",)), " ± ", Number(sd, ("sd",))


# of the comparison with each null model, such as `null_degree_mean`
COMPARISON_COLUMNS: tuple[TableColumn[NullComparison], ...] = (
    TableColumn(
        "{}_expected",
        "Expected\nmean ± SD",
        "mean and standard deviation of the counts in the random graphs; of the intensity or the "
        "coherence where the name of the comparison ends in it",
        lambda result: None,
        _expected_text,
        media=Medium.PAGE | Medium.TERMINAL,
    ),
    TableColumn(
        "{}_mean",
        "Mean",
        "mean of the counts in the random graphs",
        lambda result: result.mean,
        media=_FILE,
    ),
    TableColumn(
        "{}_sd",
        "SD",
        "standard deviation of the counts in the random graphs",
        lambda result: result.sd,
        media=_FILE,
    ),
    TableColumn(
        "{}_z",
        "z",
        "distance of the count from this mean, in standard deviations; empty where all random "
        "graphs have the same count",
        lambda result: result.z,
        lambda result: None if result.z is None else Number(signed(result.z), ("z",)),
        media=Medium.FILE | Medium.PAGE | Medium.TERMINAL,
    ),
    TableColumn(
        "{}_p",
        "p",
        "p of this structure alone",
        lambda result: result.p,
        media=_FILE,
    ),
    TableColumn(
        "{}_p_adjusted",
        "Adjusted\np",
        "p of its family and all families",
        lambda result: result.p_adjusted,
        lambda result: Number(f"{result.p_adjusted:.3f}", ("p_adjusted",)),
        media=Medium.FILE | Medium.PAGE | Medium.TERMINAL,
        below=Below("{}_z", "p {}", Medium.PAGE, only_narrow=True),
    ),
    TableColumn(
        "{}_verdict",
        "Result",
        "`more frequent`, `less frequent`, `not shown to differ`; `higher` or `lower` of what is "
        "no count",
        lambda result: result.result,
        media=_FILE,
    ),
)


# of each class, such as `graphs_toxic`; the name of the class is in keys and titles of these, or a
# column where a row is a class
CONTRAST_COLUMNS: tuple[TableColumn[ClassContrast], ...] = (
    TableColumn(
        "class",
        "Class",
        "the class",
        lambda contrast: contrast.name,
        is_left=True,
        media=Medium.TERMINAL,
    ),
    TableColumn(
        "graphs_{}",
        "Contain it",
        "graphs of the class that contain the structure",
        lambda contrast: contrast.containing,
        lambda contrast: f"{contrast.containing} of {contrast.num_graphs}",
        media=_FILE | Medium.TERMINAL,
    ),
    TableColumn(
        "share_{}",
        "Share",
        "the same as a share of the class",
        lambda contrast: None,
        lambda contrast: percent(contrast.containing / contrast.num_graphs, 0),
        media=Medium.TERMINAL,
    ),
    TableColumn(
        "of_graphs_{}",
        "Of",
        "all graphs of the class",
        lambda contrast: contrast.num_graphs,
        media=_FILE,
    ),
    TableColumn(
        "odds_ratio_{}",
        "Odds ratio",
        "odds of the class beside those of the others, with ½ added to each of the four numbers of "
        "graphs",
        lambda contrast: contrast.odds_ratio,
        lambda contrast: None if contrast.odds_ratio is None else odds(contrast.odds_ratio),
        media=_FILE | Medium.TERMINAL,
    ),
    TableColumn(
        "odds_ratio_{}_interval",
        "95% interval",
        "that of the odds ratio",
        lambda contrast: None,
        lambda contrast: contrast.interval,
        media=Medium.TERMINAL,
    ),
    TableColumn(
        "odds_ratio_{}_low",
        "Low end",
        "lower end of its 95% interval",
        lambda contrast: contrast.low,
        media=_FILE,
    ),
    TableColumn(
        "odds_ratio_{}_high",
        "High end",
        "upper end of its 95% interval",
        lambda contrast: contrast.high,
        media=_FILE,
    ),
    TableColumn(
        "p_exact_{}",
        "p (Fisher)",
        "Fisher's exact p of this structure alone",
        lambda contrast: contrast.p,
        lambda contrast: f"{contrast.p:.2g}",
        media=_FILE | Medium.TERMINAL,
    ),
)
_P_CLASSES = TableColumn[Pattern](
    "p_classes",
    "Adjusted\np",
    "p of the classes, adjusted for all structures",
    lambda pattern: None if pattern.classes is None else pattern.classes.p_adjusted,
    media=_FILE,
    is_optional=True,
)


def structure_columns(
    patterns: Sequence[Pattern],
    nulls: Iterable[str] | None = None,
    classes: Iterable[str] | None = None,
) -> tuple[TableColumn[Pattern], ...]:
    """The columns of a table of structures, with those of some null models and classes.

    By default these are all with which there is a comparison.
    """
    if nulls is None:
        nulls = dict.fromkeys(name for pattern in patterns for name in pattern.significance)
    if classes is None:
        classes = dict.fromkeys(
            contrast.name
            for pattern in patterns
            if pattern.classes is not None
            for contrast in pattern.classes.contrasts
        )
    nulls = list(nulls)
    of_nulls = [column for null in nulls for column in _columns_of_null(null)]
    of_classes = [column for name in classes for column in _columns_of_class(name)]
    columns = STRUCTURE_COLUMNS
    if len(nulls) == 1:
        columns = tuple(_beside(column, measure_of(nulls[0])) for column in columns)
    return (*columns, *of_nulls, *of_classes, _P_CLASSES)


def _beside(column: TableColumn[Pattern], measure: str) -> TableColumn[Pattern]:
    """A column in the table of one comparison, which has room for what it compares alone."""
    is_other = column.key in (INTENSITY, COHERENCE) and column.key != measure
    if is_other or (column.key == "inside" and measure != COUNT):
        return replace(column, media=column.media & _FILE)
    if column.key == "occurrences" and measure != COUNT:
        return replace(column, below=Below(measure, "over {}", Medium.PAGE))
    return column


def _columns_of_null(null: str) -> list[TableColumn[Pattern]]:
    """The columns of the comparison with a null model."""
    start = null_column(null)

    def result_of(pattern: Pattern) -> NullComparison | None:
        return pattern.significance.get(null)

    columns = []
    for column in COMPARISON_COLUMNS:
        below = column.below and replace(column.below, key=column.below.key.format(start))
        key = column.key.format(start)
        columns.append(column.part_of(key, result_of, "significance", null, below=below))
    return columns


def _columns_of_class(name: str) -> list[TableColumn[Pattern]]:
    """The columns of a class and all others."""

    def contrast_of(pattern: Pattern) -> ClassContrast | None:
        contrasts = () if pattern.classes is None else pattern.classes.contrasts
        return next((contrast for contrast in contrasts if contrast.name == name), None)

    return [
        column.part_of(column.key.format(name), contrast_of, media=_FILE)
        for column in CONTRAST_COLUMNS
        if column.media & _FILE
    ]


def structure_table(patterns: Sequence[Pattern]) -> Table:
    """A row for each structure: what it is, its counts with intervals, and its comparisons.

    What does not apply to a row is missing there. Columns of motifs, null models, classes and
    molecules are there where a structure has them; the page on reading a report says what each is.

    >>> list(structure_table([]).columns())[:5]
    ['pattern', 'finding', 'structure', 'num_nodes', 'edges']
    """
    shapes = describe_shapes([pattern.structure for pattern in patterns])
    named = [
        pattern if pattern.description else replace(pattern, description=shape)
        for pattern, shape in zip(patterns, shapes, strict=True)
    ]
    return tabulate(structure_columns(named), named)


def occurrence_table(patterns: Sequence[Pattern], graph_names: Sequence[str] = ()) -> Table:
    """A row for each listed occurrence of each pattern, with the nodes by their letters.

    ``pattern``, ``occurrence`` (its number within the pattern), ``graph`` (of a collection),
    ``graph_name`` where graphs have names, and a column for each node of the largest pattern,
    ``A``, ``B`` and so on: the input's own id, text unless all ids are integers, of the node that
    has this letter in the drawing and in the ``edges`` of the pattern; missing where a pattern has
    fewer nodes.

    >>> from gomkcn import Structure
    >>> from gomkcn.mining.structures.occurrences import Occurrence, Occurrences
    >>> path = Pattern(Structure.parse("path-3"), Occurrences.of([Occurrence((7, 4, 9))], 3), id=0)
    >>> table = occurrence_table([path]).to_pandas()
    >>> list(table.columns), table.iloc[0].tolist()
    (['pattern', 'occurrence', 'graph', 'A', 'B', 'C'], [0, 0, 0, 7, 4, 9])
    """
    lengths = [len(pattern.occurrences) for pattern in patterns]
    numbers = [np.arange(length) for length in lengths]
    graphs = [pattern.occurrences.graph for pattern in patterns]
    none = np.empty(0, np.int64)
    columns: dict[str, Any] = {
        "pattern": np.repeat(np.array([pattern.id for pattern in patterns], np.int64), lengths),
        "occurrence": np.concatenate([none, *numbers]),
        "graph": np.concatenate([none, *graphs]),
    }
    if len(graph_names):
        columns["graph_name"] = np.array(graph_names, str)[columns["graph"]]
    return Table(columns | _nodes_by_letter(patterns))


def _nodes_by_letter(patterns: Sequence[Pattern]) -> dict[str, np.ndarray]:
    """The ids of the nodes of all occurrences, by letter; masked where a pattern has no such."""
    width = max((pattern.num_nodes for pattern in patterns), default=0)
    listed = [pattern.occurrences.ids for pattern in patterns if len(pattern.occurrences)]
    is_whole = all(isinstance(node, int) for ids in listed for node in ids.ravel().tolist())
    blocks = [np.ma.masked_all((0, width), np.int64)] if not listed else []
    for ids in listed:
        block = np.ma.masked_all((len(ids), width), np.int64 if is_whole else object)
        block[:, : ids.shape[1]] = ids if is_whole else np.array(ids.tolist(), str)
        blocks.append(block)
    nodes = np.ma.concatenate(blocks)
    columns = {}
    for node in range(width):
        column = nodes[:, node] if is_whole else nodes[:, node].astype(str)
        has_gaps = np.ma.getmaskarray(column).any()
        columns[node_letter(node)] = column if has_gaps else column.data
    return columns


class Patterns(list[Pattern]):
    """Patterns that a notebook shows as a table with drawings."""

    def table(self, which: str = "structures") -> Table:
        """A row for each of the "structures", or for each of their "occurrences".

        The page on reading a report says what the columns are.

        >>> from gomkcn import Structure
        >>> table = Patterns([Pattern(Structure.parse("triangle"))]).table()
        >>> table.columns()["edges"]
        ['A--B, A--C, B--C']
        """
        check_choice("which", which, ("structures", "occurrences"))
        return structure_table(self) if which == "structures" else occurrence_table(self)

    def save(self, path: str | Path) -> None:
        """Write the table of structures to a file, as :meth:`Table.save` does."""
        self.table().save(path)

    def _repr_html_(self) -> str | None:
        return html_of(self)
