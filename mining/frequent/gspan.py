"""All frequent subgraphs of a collection or of one graph: gSpan (X. Yan and J. Han, ICDM 2002).

A subgraph is contained in a graph that has its nodes and edges, with their categories, relations
and directions, and perhaps more between the same nodes. Its support is the number of graphs that
contain it, and in one graph the minimum node image, see :mod:`gomkcn.mining.frequent.one_graph`.
Subgraphs grow by an edge at a time, only in the way of the least code of a depth-first
search, so that each is met once; one that is not frequent has no frequent one around it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.counting.watching import Spend, spend_freely
from gomkcn.mining.frequent.codes import (
    Code,
    Labels,
    arcs_by_kind,
    groups_of,
    plain_interrupt,
)
from gomkcn.mining.frequent.frequent_columns import FrequentRow, frequent_columns
from gomkcn.mining.frequent.gspan_loops import find_extensions
from gomkcn.mining.frequent.one_graph import (
    ImageSearch,
    InOneGraph,
    count_found,
    search_graph,
)
from gomkcn.mining.significance.verdicts import adjust_for_family, class_contrasts
from gomkcn.mining.structures.fragments import describe_fragment
from gomkcn.mining.structures.graph_estimator import GraphEstimator
from gomkcn.mining.structures.mined_graph import classes_of
from gomkcn.mining.structures.pattern import ClassContrast, OccurrenceCount
from gomkcn.mining.structures.table_column import TableColumn, tabulate
from gomkcn_dgl.bounds import LARGEST_COUNT, MOST_STEPS
from gomkcn_dgl.checks import check_bool, check_int, check_sizes
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_unweighted
from gomkcn_dgl.graphs.shapes import count, describe_shapes
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.features import take_features
from gomkcn_dgl.io.graph_classes import GraphClasses
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.runtime.job import Interrupts, TimeUpError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.runtime.tabular import Tabular

log = logging.getLogger("gomkcn_dgl")

# bytes of all embeddings that a search holds at once: half the memory of a small machine
MOST_BYTES = 4 << 30
# bytes of an arc that an embedding may be extended by: its key, its row and its node take 20, and
# three times as many while their arrays are copied into longer ones
_BYTES_OF_EXTENSION = 60
# of a node of an embedding, int32
_BYTES_OF_NODE = 4
# steps of a subgraph that is visited; a step is an occurrence with an edge more, of which there are
# some millions a second
_STEPS_OF_SUBGRAPH = 2_000
# nodes of a subgraph
_MOST_NODES = 20
# arcs of a subgraph, each of which is a level of Python's recursion: all pairs of 20 nodes are 190
_MOST_ARCS = 200
# seconds that a subgraph takes when the search is over: its words, its lines and its entry in the
# file of the run (2 ms were measured with molecules of 20 atoms)
_SECONDS_OF_ROW = 3e-3
# seconds of a search after which somebody who set no limit is told of it: long beside that of MUTAG
_LONG_SEARCH = 30.0


class _StepsUpError(Exception):
    """The steps of a search are up."""


@dataclass(frozen=True, eq=False, repr=False)
class FrequentSubgraphs(Tabular):
    """The frequent subgraphs of a collection or of one graph, those of most support first.

    With classes, those that tell them apart most surely come first.

    Attributes
    ----------
    structures : list of Structure
        Each with its edges, and perhaps more between its nodes in a graph.
    contains : numpy.ndarray
        bool ``[G, S]``, the graphs that contain each; of one graph True.
    classes : GraphClasses or None
        Where the support was asked for in each class.
    family : numpy.ndarray
        int64 ``[K]``, the support of all subgraphs of these sizes in as many graphs as the smallest
        class asks for, whichever these are: what is compared between classes is compared with all.
    left_out : str
        Why these may not be all, in a sentence; "" where they are.
    codes : list
        The code of each, in terms of ``labels``.
    labels : object
        Relations, categories and their numbers in the graphs in which they were found.
    in_one_graph : InOneGraph or None
        Of one graph: its nodes, and of each subgraph support, occurrences and disjoint copies.

    Examples
    --------
    >>> import networkx as nx
    >>> frequent_subgraphs(nx.star_graph(4), 1, (2, 3)).to_pandas()[["edges", "support"]].values
    array([['A--B', 5],
           ['A--B, B--C', 1]], dtype=object)
    """

    structures: list[Structure]
    contains: np.ndarray
    classes: GraphClasses | None
    family: np.ndarray
    left_out: str
    codes: list[Code]
    labels: Labels
    in_one_graph: InOneGraph | None = None

    def __repr__(self) -> str:
        """How many there are in how many graphs, and why these may not be all."""
        number = count(len(self), "subgraph")
        incomplete = f"; {self.left_out}" if self.left_out else ""
        where = count(len(self.contains), "graph")
        if self.in_one_graph is not None:
            where = f"a graph of {count(self.in_one_graph.num_nodes, 'node')}"
        return f"FrequentSubgraphs({number} of {where}{incomplete})"

    @property
    def is_complete(self) -> bool:
        """Whether these are all."""
        return not self.left_out

    @property
    def note(self) -> str:
        """What is not known of these for want of time, in a sentence; "" where all is."""
        return "" if self.in_one_graph is None else self.in_one_graph.note

    @property
    def support(self) -> np.ndarray:
        """Graphs that contain each subgraph, or its minimum node image, int64 ``[S]``."""
        if self.in_one_graph is not None:
            return self.in_one_graph.support
        return self.contains.sum(axis=0)

    def __len__(self) -> int:
        return len(self.structures)

    @cached_property
    def contrasts(self) -> list[tuple[ClassContrast, ...]]:
        """Each class beside the others, for each subgraph; none without classes."""
        if self.classes is None:
            return []
        return class_contrasts(self.contains, self.classes.labels, self.classes.names)

    @cached_property
    def p_adjusted(self) -> list[float]:
        """Of each subgraph, for all that could have differed; none without classes."""
        if self.classes is None:
            return []
        least = np.array([min(contrast.p for contrast in row) for row in self.contrasts])
        return adjust_for_family(least, self.family, self.classes.sizes).tolist()

    # a table, a page and a text show them, and names take as long as the search
    @cached_property
    def rows(self) -> list[FrequentRow]:
        """The rows of the table."""
        shapes = describe_shapes(self.structures)
        fragments = [describe_fragment(structure) for structure in self.structures]
        unknown: list[None] = [None] * len(self)
        contrasts = self.contrasts or [()] * len(self)
        p_adjusted = self.p_adjusted if self.classes is not None else unknown
        occurrences: Sequence[OccurrenceCount | None] = unknown
        disjoint: Sequence[int | None] = unknown
        most = len(self.contains)
        if self.in_one_graph is not None:
            occurrences, disjoint = self.in_one_graph.occurrences, self.in_one_graph.disjoint
            most = self.in_one_graph.num_nodes
        return [
            FrequentRow(
                structure,
                fragment or shape,
                fragment is not None,
                support,
                most,
                of_classes,
                p,
                number,
                copies,
            )
            for structure, fragment, shape, support, of_classes, p, number, copies in zip(
                self.structures,
                fragments,
                shapes,
                self.support.tolist(),
                contrasts,
                p_adjusted,
                occurrences,
                disjoint,
                strict=True,
            )
        ]

    @property
    def table_columns(self) -> tuple[TableColumn[FrequentRow], ...]:
        """The columns of the table, those of each class included."""
        return frequent_columns(() if self.classes is None else self.classes.names)

    def columns(self) -> dict[str, list[Any]]:
        """A row for each subgraph: its name, edges as ``gomkcn count`` takes them, and support.

        With classes, also how many graphs of each contain it, with odds ratios, and of the class
        that differs most the exact p (Fisher) and that for all subgraphs that could have differed
        (Tarone); of pieces of molecules, also the SMARTS; in one graph, also the occurrences, with
        the interval of an estimate, and disjoint copies.
        """
        return tabulate(self.table_columns, self.rows).columns()

    def transform(self, graphs: Any) -> np.ndarray:
        """Whether each graph contains each subgraph, bool ``[G, S]``.

        ``graphs`` is anything :func:`gomkcn.as_csr` takes, with the relations and features of the
        graphs in which the subgraphs were found.
        """
        graph = take_features(as_unweighted(graphs), self.labels.feature_names)
        search = _SubgraphSearch(graph, self.labels)
        column = {code.name: at for at, code in enumerate(self.codes)}
        wanted = {name for code in self.codes for name in code.prefixes}
        contains = np.zeros((search.graph.num_graphs, len(self)), bool)
        for code, inside in search.run(lambda code, _: code.name in wanted):
            if code.name in column:
                contains[inside, column[code.name]] = True
        if search.num_cut:
            log.warning("some subgraphs were not looked for: %s", search.left_out)
        return contains


def frequent_subgraphs(
    graphs: Any,
    support: float = 0.1,
    sizes: int | str | tuple[int, int] = (2, 8),
    *,
    closed: bool = False,
    maximal: bool = False,
    y: Any = None,
    time_limit: float | None = None,
    steps: Steps | None = None,
    most_bytes: int = MOST_BYTES,
) -> FrequentSubgraphs:
    """Find all connected subgraphs that at least so many graphs contain, or that one graph repeats.

    In one graph the support is the minimum node image: each node of the subgraph is mapped to at
    least so many different nodes, over all its occurrences, which need not be induced (B. Bringmann
    and S. Nijssen, PAKDD 2008). A dense graph has millions of subgraphs of eight nodes:
    ``time_limit`` ends the search.

    Parameters
    ----------
    graphs : anything :func:`gomkcn.as_csr` takes
        One graph, a list of graphs or a collection, with directions, relations and categories.
    support : float
        Below 1 a share of the graphs, else a number of graphs; of one graph, of its nodes.
    sizes : int, (int, int) or str
        Numbers of nodes: one, or the least and the most, also as "3-6"; of 2 to 20.
    closed : bool
        Leave out each subgraph that another one of these sizes and of the same support contains
        with one edge more.
    maximal : bool
        Leave out each subgraph that another one that is found contains with one edge more.
    y : array-like, optional
        Classes of the graphs. The support is then asked for in at least one class: as a share of
        its graphs, or a number of them. Subgraphs that are rarer in each class and together in as
        many graphs as the smallest class asks for are searched as well, so that the p of those
        that are found can be adjusted.
    time_limit : float, optional
        Seconds of the search. What is found by then is returned, and ``left_out`` says so, in one
        graph with the sizes that are complete.
    steps : Steps, optional
        Those of a job, which shows how much is done and has a limit of its own.
    most_bytes : int
        Memory of all occurrences that are held at once. A subgraph whose occurrences with one edge
        more might take more is not extended, and ``left_out`` says so. In one graph, of the images
        that are held: without these the search takes longer.

    Returns
    -------
    FrequentSubgraphs
        ``left_out`` says why they may not be all.

    Raises
    ------
    InputError
        For a support or sizes that cannot be, and for classes of one graph.

    Examples
    --------
    >>> import networkx as nx
    >>> found = frequent_subgraphs([nx.cycle_graph(5), nx.path_graph(5), nx.star_graph(4)], 2, 4)
    >>> found.structures[0].to_text(), found.support.tolist()
    ('A--B, B--C, C--D', [2])
    >>> found = frequent_subgraphs(nx.wheel_graph(9), 8, 3)
    >>> [(one.to_text(), support) for one, support in zip(found.structures, found.support.tolist())]
    [('A--B, B--C', 9), ('A--B, A--C, B--C', 9)]
    """
    check_int("most_bytes", most_bytes, 0, MOST_STEPS)
    closed, maximal = check_bool("closed", closed), check_bool("maximal", maximal)
    csr = as_unweighted(graphs)
    check_search(csr, support, sizes, has_classes=y is not None)
    if csr.num_graphs == 1:
        return _search_one_graph(
            csr, support, sizes, closed=closed, maximal=maximal, time_limit=time_limit,
            steps=steps, most_bytes=most_bytes,
        )  # fmt: skip
    classes = classes_of(y, csr) if y is not None else None
    return search_subgraphs(
        csr, classes, support, sizes, closed=closed, maximal=maximal, time_limit=time_limit,
        steps=steps, most_bytes=most_bytes,
    )  # fmt: skip


def search_subgraphs(
    csr: CSRGraph,
    classes: GraphClasses | None,
    support: float,
    sizes: int | str | tuple[int, int],
    *,
    closed: bool,
    maximal: bool = False,
    time_limit: float | None = None,
    steps: Steps | None = None,
    most_bytes: int = MOST_BYTES,
    most_steps: float = inf,
) -> FrequentSubgraphs:
    """Find the frequent subgraphs of a collection, see :func:`frequent_subgraphs`.

    After ``most_steps`` the search ends, wherever it is, and ``left_out`` says so.
    """
    num_nodes = check_search(csr, support, sizes)
    labels = np.zeros(csr.num_graphs, np.int64) if classes is None else classes.labels
    least = _least_support(support, np.bincount(labels[labels >= 0]))
    has_limit = time_limit is not None or steps is not None
    if steps is None:
        steps = Steps(interrupts=Interrupts(time_limit))
    search = _SubgraphSearch(csr, Labels.of(csr), num_nodes[-1], most_bytes, most_steps)
    branches = _search_branches(
        search, labels, least, num_nodes, steps, keeps_parts=closed or maximal, warns=not has_limit
    )
    rows: list[_Row] = [row for branch in branches for row in branch.rows]
    family = [number for branch in branches for number in branch.family]
    search.num_cut = sum(branch.num_cut for branch in branches)
    covered = [key for branch in branches for key in branch.covered]
    if covered:
        keys = [(row[1].key(search.labels.opposite), len(row[2])) for row in rows]
        kept = _uncovered(keys, covered, closed=closed, maximal=maximal)
        rows = [row for row, is_kept in zip(rows, kept, strict=True) if is_kept]
    rows = [row for row in rows if row[0].num_nodes in num_nodes]
    rows.sort(key=lambda row: (-len(row[2]), row[0].num_nodes, len(row[0].edges)))
    contains = np.zeros((csr.num_graphs, len(rows)), bool)
    for column, (*_, inside) in enumerate(rows):
        contains[inside, column] = True
    if classes is not None and rows:
        contrasts = class_contrasts(contains, classes.labels, classes.names)
        # of several in the same graphs the largest comes first
        sizes_of = [-structure.num_nodes for structure, *_ in rows]
        order = np.lexsort((sizes_of, [min(contrast.p for contrast in row) for row in contrasts]))
        rows = [rows[at] for at in order.tolist()]
        contains = contains[:, order]
    return FrequentSubgraphs(
        [structure for structure, *_ in rows],
        contains,
        classes,
        np.array(family, np.int64),
        "; ".join(filter(None, ["the search ended early" * steps.is_partial, search.left_out])),
        [code for _, code, _ in rows],
        search.labels,
    )


def check_search(
    graph: CSRGraph,
    support: float,
    sizes: int | str | tuple[int, int],
    *,
    has_classes: bool = False,
) -> range:
    """The sizes of a search; refuses what cannot be, and classes of one graph."""
    num_nodes = check_sizes("sizes", sizes, 2, _MOST_NODES)
    if graph.num_graphs == 1:
        _least_support(support, np.array([graph.num_nodes]), "nodes")
        if has_classes:
            raise InputError(
                "y",
                "must be left out of one graph: classes of graphs are compared in a collection",
            )
    else:
        _least_support(support, np.array([graph.num_graphs]))
    return num_nodes


def _uncovered(
    keys: Sequence[tuple[bytes, int]],
    covered: Iterable[tuple[bytes, int]],
    *,
    closed: bool,
    maximal: bool,
) -> list[bool]:
    """Which subgraphs, of a key and a support, are left.

    ``covered`` has those that another one contains with one edge more, and its support.
    """
    known = {*covered}
    names = {key for key, _ in known} if maximal else set[bytes]()
    return [key[0] not in names and not (closed and key in known) for key in keys]


def _search_one_graph(
    csr: CSRGraph,
    support: float,
    sizes: int | str | tuple[int, int],
    *,
    closed: bool,
    maximal: bool,
    time_limit: float | None,
    steps: Steps | None,
    most_bytes: int,
) -> FrequentSubgraphs:
    """Find the frequent subgraphs of one graph, see :func:`frequent_subgraphs`."""
    num_nodes = check_sizes("sizes", sizes, 2, _MOST_NODES)
    least = int(_least_support(support, np.array([csr.num_nodes]), "nodes")[0])
    has_limit = time_limit is not None or steps is not None
    if steps is None:
        steps = Steps(interrupts=Interrupts(time_limit))
    labels = Labels.of(csr)
    search = ImageSearch(csr, labels, num_nodes[-1], most_bytes)
    # 1. all that are frequent, from the smallest on
    found, complete = search_graph(search, least, steps, _Tally(steps, warns=not has_limit).tell)
    rows = [(row.code.structure(labels), *row) for row in found]
    # 2. those that are asked for
    if closed or maximal:
        covered = {
            (key, row[2])
            for row in rows
            for key in row[1].keys_of_parts(labels.opposite, num_nodes[0])
        }
        keys = [(row[1].key(labels.opposite), row[2]) for row in rows]
        kept = _uncovered(keys, covered, closed=closed, maximal=maximal)
        rows = [row for row, is_kept in zip(rows, kept, strict=True) if is_kept]
    rows = [row for row in rows if row[0].num_nodes in num_nodes]
    rows.sort(key=lambda row: (-row[2], row[0].num_nodes, len(row[0].edges)))
    # 3. how often these occur
    codes = [code for _, code, _ in rows]
    left_out = ""
    if steps.is_partial:
        left_out = "the search ended early"
        if complete >= num_nodes[0]:
            left_out += f"; of up to {count(complete, 'node')} these are all"
    occurrences, disjoint = count_found(search, codes, steps)
    return FrequentSubgraphs(
        [structure for structure, *_ in rows],
        np.ones((1, len(rows)), bool),
        None,
        np.zeros(0, np.int64),
        left_out,
        codes,
        labels,
        InOneGraph(
            csr.num_nodes, np.array([row[2] for row in rows], np.int64), occurrences, disjoint
        ),
    )


class _Tally:
    """How many subgraphs a search has found, and what follows from that.

    With ``warns``, somebody who set no limit is told, once, that it takes long.
    """

    def __init__(self, steps: Steps, *, warns: bool) -> None:
        self._steps = steps
        self._warns = warns
        self._began = time.monotonic()

    def tell(self, num_found: int) -> None:
        """Keep time for the lines of so many, and warn where the search has taken long."""
        self._steps.keep_for_end(num_found * _SECONDS_OF_ROW)
        if self._warns and time.monotonic() - self._began > _LONG_SEARCH:
            self._warns = False
            slow = Message(
                f"{num_found:,} frequent subgraphs after {_LONG_SEARCH:.0f} s, and the "
                "search goes on; a larger support or fewer nodes end sooner",
                way_out=(Argument("time_limit", 60), " returns what is found in a minute"),
            )
            log.warning("%s", slow)


def _search_branches(
    search: _SubgraphSearch,
    labels: np.ndarray,
    least: np.ndarray,
    num_nodes: range,
    steps: Steps,
    *,
    keeps_parts: bool,
    warns: bool,
) -> list[_Branch]:
    """Search all that grows from each edge alone; a step for each, so that a killed job goes on."""
    name = "searching for frequent subgraphs"
    tally = _Tally(steps, warns=warns)
    opposite = search.labels.opposite
    num_found = 0
    done = 0.0

    def is_wanted(code: Code, inside: np.ndarray) -> bool:
        # without a look at the classes, so that these can be compared
        return bool(len(inside) >= least.min()) and code.is_minimal(search.labels)

    def grow(root: _Root) -> _Branch:
        nonlocal done, num_found
        show = steps.stage(name)

        def spend(share: float) -> None:
            nonlocal done
            done += share
            show(done)
            steps.check_time()

        branch = _Branch([], [], 0, [])
        # the largest support with which a subgraph is contained in one of an edge more
        supports: dict[bytes, int] = {}
        search.num_cut = 0
        try:
            for code, inside in search.grow(root, is_wanted, spend):
                if len(code.colors) in num_nodes:
                    branch.family.append(int((labels[inside] >= 0).sum()))
                known = labels[inside]
                if (np.bincount(known[known >= 0], minlength=len(least)) >= least).any():
                    structure = code.structure(search.labels)
                    branch.rows.append((structure, code, inside))
                    num_found += 1
                    tally.tell(num_found)
                    parts = code.keys_of_parts(opposite, num_nodes[0]) if keeps_parts else ()
                    for key in parts:
                        supports[key] = max(supports.get(key, 0), len(inside))
                        steps.check_time()
        except (TimeUpError, _StepsUpError):
            # time is up, and so what is returned is not kept; or the steps are, for all edges
            search.forget()
        return replace(branch, num_cut=search.num_cut, covered=[*supports.items()])

    roots = search.roots()
    keys = {id(root): f"{number}" for number, root in enumerate(roots)}
    return steps.each(
        name, _Branch, grow, roots, key=lambda root: keys[id(root)], in_time=True,
        weight=lambda _: 0,
    )  # fmt: skip


def _least_support(support: float, sizes: np.ndarray, what: str = "graphs") -> np.ndarray:
    """The support in graphs that each class asks for, or in nodes of one graph."""
    is_number = isinstance(support, Real) and not isinstance(support, bool)
    if not (is_number and 0 < support < inf):
        raise InputError(
            "support",
            f"must be a share of the {what} between 0 and 1, or a number of {what} from 1",
            got=repr(support),
        )
    if support >= 1:
        if support != int(support):
            raise InputError("support", f"must be a whole number of {what} from 1 on", got=support)
        # so many graphs that no collection has are as good as more
        return np.full(len(sizes), min(int(support), LARGEST_COUNT))
    # a share of .1 of 30 graphs is 3, whatever the rounding
    return np.array([max(1, ceil(support * size - 1e-9)) for size in sizes])


class _SubgraphSearch:
    """The search of one collection: embeddings of codes, and the graphs that have them."""

    def __init__(
        self,
        graph: CSRGraph,
        labels: Labels,
        most_nodes: int | None = None,
        most_bytes: int = MOST_BYTES,
        most_steps: float = inf,
    ) -> None:
        self.graph = graph
        self.labels = labels
        self._most_bytes = most_bytes
        self._most_steps = most_steps
        self._num_steps = 0
        # subgraphs that were not extended
        self.num_cut = 0
        # bytes that embeddings may still take
        self._room = most_bytes
        self.most_nodes = graph.num_nodes if most_nodes is None else most_nodes
        self.graph_of = graph.graph_of(np.arange(graph.num_nodes))
        self.arcs = labels.arcs_of(graph)
        self._degrees = np.diff(self.arcs.indptr).astype(np.int64)

    def run(self, accepts: Callable[[Code, np.ndarray], bool]) -> Iterator[tuple[Code, np.ndarray]]:
        """Yield each code that is accepted, as are all before it, and the graphs with it."""
        for root in self.roots():
            yield from self.grow(root, accepts, spend_freely)

    def roots(self) -> list[_Root]:
        """All edges alone, by their kinds and those of their nodes."""
        kinds = arcs_by_kind(self.arcs, self.labels)
        return [
            _Root(Code.begin(label, (first, second)), nodes, len(nodes) / len(self.arcs.indices))
            for (first, label, second), nodes in kinds.items()
        ]

    def grow(
        self, root: _Root, accepts: Callable[[Code, np.ndarray], bool], spend: Spend
    ) -> Iterator[tuple[Code, np.ndarray]]:
        """Yield the codes that grow from an edge and are accepted, and the graphs with each."""
        with plain_interrupt():
            yield from self._grow(root.code, root.nodes, accepts, root.share, spend)

    def forget(self) -> None:
        """Forget the embeddings of a search that was not finished."""
        self._room = self._most_bytes

    @property
    def left_out(self) -> str:
        """What was not looked at, for want of steps or memory; "" where nothing was left out."""
        if self._num_steps > self._most_steps:
            return f"the search ended after {self._most_steps:,.0f} steps"
        if not self.num_cut:
            return ""
        cut = count(self.num_cut, "subgraph")
        return (
            f"{cut} had so many occurrences that larger ones were not looked for; ask for fewer "
            "nodes or a larger support, or leave the largest graphs out"
        )

    def _grow(
        self,
        code: Code,
        nodes: np.ndarray,
        accepts: Callable[[Code, np.ndarray], bool],
        share: float,
        spend: Spend,
    ) -> Iterator[tuple[Code, np.ndarray]]:
        """Yield a code and those that grow from it, a ``share`` of all work."""
        # looks at the clock
        spend(0.0)
        self._take_steps(_STEPS_OF_SUBGRAPH)
        graphs = self.graph_of[nodes[:, 0]]
        inside = graphs[np.concatenate([[True], graphs[1:] != graphs[:-1]])]
        if not accepts(code, inside):
            spend(share)
            return
        yield code, inside
        used = code.used(self.labels.opposite)
        grows = len(code.colors) < self.most_nodes
        needed = self._bytes_of(nodes, code.path if grows else code.path[-1:])
        is_cut = needed > self._room or len(code.arcs) == _MOST_ARCS
        if is_cut and grows:
            # without a new node, an arc back
            grows, needed = False, self._bytes_of(nodes, code.path[-1:])
        self.num_cut += is_cut
        if needed > self._room or len(code.arcs) == _MOST_ARCS:
            spend(share)
            return
        # a bound of those that are found, before they take their time
        self._take_steps(needed // _BYTES_OF_EXTENSION)
        self._room -= needed
        key, row, new = find_extensions(
            self.arcs, self.labels.num_colors, nodes, code.path, used, grows
        )
        # millions of embeddings take a second
        spend(0.0)
        for value, at in groups_of(key):
            longer = nodes[row[at]]
            if new[at[0]] >= 0:
                longer = np.concatenate([longer, new[at, None]], axis=1)
            part = share * len(at) / len(key)
            yield from self._grow(code.extended(value, self.labels), longer, accepts, part, spend)
        self._room += needed
        if not len(key):
            spend(share)

    def _take_steps(self, number: int) -> None:
        self._num_steps += number
        if self._num_steps > self._most_steps:
            raise _StepsUpError

    def _bytes_of(self, nodes: np.ndarray, path: np.ndarray) -> int:
        """Most bytes of the embeddings with one arc more, from some nodes of the path."""
        number = sum(int(self._degrees[nodes[:, place]].sum()) for place in path)
        return number * (_BYTES_OF_EXTENSION + _BYTES_OF_NODE * (nodes.shape[1] + 1))


_Row = tuple[Structure, Code, np.ndarray]


class _Root(NamedTuple):
    """An edge alone: its code, all its embeddings, and its share of all arcs."""

    code: Code
    nodes: np.ndarray
    share: float


@dataclass(frozen=True, eq=False)
class _Branch:
    """What was found from an edge on: what is frequent, the support of all, and what was cut.

    ``covered``: the keys of what is contained in one of its subgraphs with one edge less, with the
    largest support of such a subgraph.
    """

    rows: list[_Row]
    family: list[int]
    num_cut: int
    covered: list[tuple[bytes, int]]


class SubgraphFeatures(GraphEstimator):
    """Frequent subgraphs as a transformer of scikit-learn: which of them each graph contains.

    Parameters
    ----------
    support, sizes, closed
        See :func:`gomkcn.frequent_subgraphs`.

    Attributes
    ----------
    found_ : FrequentSubgraphs

    Examples
    --------
    >>> import networkx as nx
    >>> rings, trees = [nx.cycle_graph(n) for n in (3, 4)], [nx.star_graph(n) for n in (3, 4)]
    >>> features = SubgraphFeatures(support=2, sizes=(2, 4)).fit(rings + trees)
    >>> features.transform([nx.path_graph(3)]).tolist()
    [[1.0, 0.0]]
    """

    def __init__(
        self, support: float = 0.1, sizes: int | str | tuple[int, int] = (2, 6), closed: bool = True
    ) -> None:
        self.support = support
        self.sizes = sizes
        self.closed = closed

    def fit(self, graphs: Any, y: object = None) -> SubgraphFeatures:
        """Find the frequent subgraphs of some graphs; classes are not looked at."""
        graphs = as_unweighted(graphs)
        if graphs.num_graphs == 1:
            raise InputError("graphs", "must be two or more, to be told apart", got="one")
        self.found_ = frequent_subgraphs(graphs, self.support, self.sizes, closed=self.closed)
        return self

    def transform(self, graphs: Any) -> np.ndarray:
        """Return 1 where a graph contains a subgraph, else 0, float64 ``[G, S]``."""
        self._check_fitted()
        return self.found_.transform(graphs).astype(np.float64)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """The edges of each subgraph, as ``gomkcn count`` takes them."""
        self._check_fitted()
        return np.array([structure.to_text() for structure in self.found_.structures], dtype=object)
