"""A finished mining run: everything that its folder and its report show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn.mining.filters.filters_run import FiltersRun
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.patterns.role_table import with_names as with_role_names
from gomkcn.mining.patterns.run_tables import tables_of
from gomkcn.mining.plots.graph_map import GraphMap
from gomkcn.mining.repeats.block_finding import RepeatedBlocks
from gomkcn.mining.structures.descriptions import describe_structure
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn.mining.structures.marked_graph import marked_graph
from gomkcn.mining.structures.pattern import SCHEMA_VERSION, ClassSearch, Pattern
from gomkcn.mining.structures.truth import MotifRecovery
from gomkcn_dgl.checks import check_choice
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_unweighted, with_attributes
from gomkcn_dgl.graphs.shapes import count, tell_apart
from gomkcn_dgl.runtime import html_module_of, html_of
from gomkcn_dgl.runtime.output_folder import describe_provenance
from gomkcn_dgl.runtime.saved_run import SavedRun
from gomkcn_dgl.runtime.tabular import Table


@dataclass(frozen=True, repr=False)
class MiningRun(SavedRun):
    """The result of a run.

    Attributes
    ----------
    graph : GraphSummary
    patterns : list of Pattern
        The motifs, then what differs most from random graphs, then what else was seen.
    motif_set : MotifSet
        What the graph is made of.
    filters : FiltersRun or None
        The filters, as a run of their own; None where they are left out.
    settings : dict
        The resolved settings.
    provenance : dict
        Versions, commit, seed, device, times.
    recovery : list of MotifRecovery or None
        Planted motifs and whether they were recovered; None where no truth is known.
    map : GraphMap or None
        What the page shows of the graph.
    is_partial : bool
        Whether the time limit ended the run early: there are fewer random graphs.
    command : str
        What continues a partial run, as a user types it; empty where it is not known.
    notes : tuple of str
        What of the input was changed or left out.
    warnings : tuple of str
        Sentences on what the comparison with random graphs does not tell.
    null_models : mapping from str to str
        What the random graphs of each null model keep, in words, by its name.
    random_graphs : mapping from str to str
        How many random graphs of each null model were drawn, and why, a sentence.
    others : tuple of Pattern
        What was counted beside the patterns, in the same order, without motifs.
    roles : Table or None
        Which node stands where in how many occurrences of the motifs and of what is
        over-represented: a row for each node and role. None for a collection, and without any.
    class_search : ClassSearch or None
        What was searched for differences between the classes; None where graphs have none.
    blocks : RepeatedBlocks or None
        Repeated blocks of more nodes than a motif has; None where none is called.
    """

    graph: GraphSummary
    patterns: list[Pattern]
    motif_set: MotifSet
    settings: dict[str, Any]
    provenance: dict[str, Any]
    recovery: list[MotifRecovery] | None = None
    map: GraphMap | None = None
    is_partial: bool = False
    command: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    null_models: Mapping[str, str] = field(default_factory=dict)
    random_graphs: Mapping[str, str] = field(default_factory=dict)
    others: tuple[Pattern, ...] = ()
    filters: FiltersRun | None = None
    roles: Table | None = None
    class_search: ClassSearch | None = None
    blocks: RepeatedBlocks | None = None

    @property
    def counted(self) -> list[Pattern]:
        """All structures that were counted: the patterns, then the others."""
        return [*self.patterns, *self.others]

    def __repr__(self) -> str:
        """What was mined, the motif set, and how many patterns are reported."""
        patterns = count(len(self.patterns), "pattern")
        return f"MiningRun({self.graph.source!r}: {self.motif_set}, {patterns})"

    @classmethod
    def of(
        cls,
        miner: PatternMiner,
        graph: Any,
        *,
        settings: RunSettings | None = None,
        seconds: float = 0.0,
        recovery: Sequence[MotifRecovery] | None = None,
        filters: FiltersRun | None = None,
        has_map: bool = True,
        command: str = "",
    ) -> MiningRun:
        """Collect the results of a fitted miner, with a description of each pattern.

        Parameters
        ----------
        miner : PatternMiner
            Fitted to ``graph``.
        graph : anything :func:`gomkcn.as_csr` takes
        settings : RunSettings, optional
            The settings of the run; by default the parameters of the miner.
        seconds : float
            Duration of the run.
        recovery : sequence of MotifRecovery, optional
            Planted motifs and whether they were recovered.
        filters : FiltersRun, optional
            The run of the miner of filters; by default it is made.
        has_map : bool
            Whether the graph is drawn, which takes seconds for thousands of nodes.
        command : str
            What continues the run if it is partial, as a user types it.

        Returns
        -------
        MiningRun

        Raises
        ------
        InputError
            If the miner was fitted to another graph, or not yet.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> miner = PatternMiner(null=None).fit(rings)
        >>> run = MiningRun.of(miner, rings)
        >>> [pattern.description for pattern in run.patterns]
        ['cycle of 4 nodes']
        """
        fitted = getattr(miner, "graph_", None)
        csr = _as_fitted(graph, miner.weight)
        if fitted is None or not _same_edges(fitted, csr):
            raise InputError(
                "graph",
                "must be the one that the miner was fitted to, with its nodes in the same order",
                way_out="fit the miner to it",
            )
        settings = settings or RunSettings.of(miner)
        if filters is None and miner.filters_ is not None:
            filters = FiltersRun.of(miner.filters_, csr)
        found = miner.motif_set_
        located = [
            replace(pattern, inside=_inside(pattern, found, csr)) for pattern in miner.patterns_
        ]
        described = _described([*located, *miner.others_], csr.feature_names)
        patterns = described[: len(located)]
        others = described[len(located) :]
        return cls(
            graph=GraphSummary.of(csr, settings.graph.path),
            patterns=patterns,
            motif_set=with_names(found, patterns, csr.feature_names),
            settings=settings.to_dict(),
            provenance=describe_provenance(miner.random_state_, seconds),
            recovery=None if recovery is None else list(recovery),
            map=GraphMap.of(csr, found.shown, patterns, miner.graph_classes_) if has_map else None,
            is_partial=miner.is_partial_,
            command=command if miner.is_partial_ else "",
            # of the graph, and of what mining leaves out
            notes=tuple(dict.fromkeys((*csr.notes, *miner.notes_))),
            warnings=miner.warnings_,
            null_models=miner.null_models_,
            random_graphs=miner.random_graphs_,
            others=tuple(others),
            filters=filters,
            roles=None if miner.roles_ is None else with_role_names(miner.roles_, patterns),
            class_search=miner.class_search_,
            blocks=miner.blocks_,
        )

    @cached_property
    def record(self) -> dict[str, Any]:
        """The same as ``to_dict``, made once for the file and the page, which only read it."""
        return self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """The record of ``patterns.json``."""
        return {
            "schema": SCHEMA_VERSION,
            "feature_names": list(self.graph.feature_names),
            "motif_set": self.motif_set.to_dict(),
            "patterns": [pattern.to_dict() for pattern in self.patterns],
            # the relations of the graph are in each pattern and in run.json
            "others": [pattern.to_dict() for pattern in self.others],
        }

    def table(self, which: str = "structures") -> Table:
        """What the run found, as a table.

        Parameters
        ----------
        which : {"structures", "motifs", "occurrences", "copies", ...}
            A row for each structure that was counted, for each motif of the set, for each listed
            occurrence of a pattern, or for each copy of a motif; also "copies_other" (given the
            other base), "features" (at nodes of the motifs) and "blocks" (of each node) where there
            are any. The page on reading a report says what the columns are.

        Returns
        -------
        Table

        Raises
        ------
        InputError
            For another name, or what the run does not have.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> run = MiningRun.of(PatternMiner(null=None).fit(rings), rings)
        >>> run.table("motifs").columns()["copies"], len(run.table("copies").to_pandas())
        ([8], 8)
        """
        tables = tables_of(
            self.counted, self.patterns, self.motif_set, self.graph.graph_names, self.roles
        )
        check_choice("which", which, tables)
        return tables[which]

    def plot(
        self,
        which: str = "motifs",
        path: str | Path | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
        ax: Any = None,
        null: str | None = None,
        most: int | None = None,
        num_nodes: int | None = None,
        with_kinds: bool = False,
    ) -> Any:
        """Draw a figure of the run, for a notebook or a paper.

        Parameters
        ----------
        which : {"motifs", "profile", "table"}
            The motifs of the set, each with its copies and the bits that it saves; the significance
            profile of a size, z of each structure over the length of all z, with the name of the
            tallest bar; or the table of structures, what the test calls first.
        path : path, optional
            A file to write as well, which ends in .pdf, .svg or .png.
        width, height : float, optional
            In inches. By default a profile is as wide as one column of a journal, or as both; a
            width alone keeps the proportions.
        ax : matplotlib.axes.Axes, optional
            An axis of a figure of your own, for a profile or a table.
        null : str, optional
            The null model; by default the first one.
        most : int, optional
            Bars of a profile, those of the largest z, by default as many as have room for their
            drawings, up to 24; or rows of a table, by default 20.
        num_nodes : int, optional
            The size of the structures of a profile; by default the largest.
        with_kinds : bool
            Whether it is the profile of structures with the types of their edges and the categories
            of their nodes, and not of structures alone; in a graph without the latter it is.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        InputError
            For another name, a size of what has none, a run without random graphs, or if
            Matplotlib and seaborn are not installed.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> run = MiningRun.of(PatternMiner(pattern_size=4, null_samples=99).fit(rings), rings)
        >>> run.plot("profile", width=3.5, height=2).get_size_inches().tolist()
        [3.5, 2.0]
        """
        # figures need igraph, which nothing else here does
        from gomkcn.mining.patterns.run_figures import plot_run
        from gomkcn.mining.plots.paper_figure import FigureSize

        return plot_run(
            which,
            self.counted,
            self.motif_set,
            list(self.null_models),
            self.graph.kinds,
            FigureSize(path, width, height, ax),
            null=null,
            most=most,
            num_nodes=num_nodes,
            with_kinds=with_kinds,
        )

    def to_networkx(self, graph: Any) -> Any:
        """The graph with the copies of motifs and the listed occurrences of patterns as attributes.

        Nodes and edges in copies have ``motif``, ``copy`` and ``motif_role`` as in
        :meth:`MotifSet.to_networkx`, those of the set that the page shows. Those in listed
        occurrences of patterns have ``patterns``, their numbers, such as ``"0 3"``, and for each of
        them ``pattern_3_role``, all roles that they have in it, such as ``"A B/C"``, and
        ``pattern_3_occurrences``, the number of listed occurrences that they are in. The graph has
        the names of motifs and patterns as ``motif_0`` and ``pattern_3``. Nodes have their
        ``block`` where a description by blocks was looked at.

        Parameters
        ----------
        graph : anything :func:`gomkcn.as_csr` takes
            The graph that was mined.

        Returns
        -------
        networkx.Graph
            A ``DiGraph`` where edges have a direction, and then those without go both ways; a
            multigraph where there are several relations. In a collection node 3 of graph 7 is
            ``"7/3"``.

        Raises
        ------
        InputError
            If the graph lacks a node of a copy or of an occurrence.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> miner = PatternMiner(null=None).fit(rings)
        >>> MiningRun.of(miner, rings).to_networkx(rings).nodes[5]["motif_role"]
        'A/B/C/D'
        """
        found = self.motif_set
        return marked_graph(
            as_unweighted(graph), found.shown.motifs, self.patterns, found.known_blocks
        )

    def methods(self) -> str:
        """How the run was made, as a paragraph of methods for a paper.

        Returns
        -------
        str
            The graph and its size, the structures that were counted, null models and numbers of
            random graphs, the correction, the motif set, the seed, and the version and the commit
            of the package. The folder of a run has it in ``methods.txt``, with BibTeX.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> MiningRun.of(PatternMiner(null=None).fit(rings), rings).methods()
        "The graph 'graph' has 32 nodes and 32 edges, undirected. The motif set is ..."
        """
        return str(html_module_of(self).methods_text(self))

    def bibtex(self) -> str:
        """BibTeX of the package, of the paper it implements, and of what :meth:`methods` cites.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> run = MiningRun.of(PatternMiner(null=None).fit(rings), rings)
        >>> "@software{gomkcn_dgl," in run.bibtex(), "fosdick2018" in run.bibtex()
        (True, False)
        """
        return str(html_module_of(self).citations(self))

    def explore(self) -> Any:
        """Show the page of the run in a notebook: as the last line of a cell.

        Returns
        -------
        anywidget.AnyWidget
            What is selected on the page is its trait ``selected``, which can be set and observed:
            ``{"motif": 0}``, ``{"motif": 0, "copy": 2, "nodes": [7, 9, 4]}``,
            ``{"pattern": 3, "occurrence": 5, "nodes": [4, 6, 8]}``, ``{"node": 7}``,
            ``{"graph": 12}`` in a collection, or None. Numbers count from 0, as in tables, and
            nodes have the input's own ids; where a graph of a collection is meant, it has the key
            ``graph`` too. Without the package anywidget, the page alone.

        Raises
        ------
        InputError
            If ``selected`` is set to what the page does not have.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> miner = PatternMiner(null=None).fit(rings)
        >>> explorer = MiningRun.of(miner, rings).explore()
        >>> explorer.selected = {"motif": 0, "copy": 2}
        >>> explorer.selected["copy"], len(explorer.selected["nodes"])
        (2, 4)
        """
        return html_module_of(self).explore(self)

    def _repr_html_(self) -> str | None:
        """The motif set and the patterns, for a notebook."""
        return html_of(self)


def with_names(
    found: MotifSet, patterns: Sequence[Pattern], feature_names: Sequence[str]
) -> MotifSet:
    """The set with what the patterns say of its motifs; those of the other base get a name."""
    other = found.other
    if other is not None:
        other = replace(other, motifs=tuple(_described(other.motifs, feature_names)))
    return replace(found.with_patterns(patterns), other=other)


def _described(patterns: Sequence[Pattern], feature_names: Sequence[str]) -> list[Pattern]:
    """The patterns with descriptions, no two alike."""
    told = [describe_structure(pattern.structure, feature_names) for pattern in patterns]
    apart = tell_apart(told, [pattern.structure for pattern in patterns])
    return [
        replace(pattern, description=text) for pattern, text in zip(patterns, apart, strict=True)
    ]


def _as_fitted(graph: Any, weight: str | None) -> CSRGraph:
    """The graph as it was fitted, without a note that its weights are not used where they are."""
    if weight is None:
        return as_unweighted(graph)
    # the attributes of a graph that was read from a file are elsewhere
    if isinstance(graph, CSRGraph):
        return replace(graph, weights=None)
    return with_attributes(graph, (weight,))[0]


def _same_edges(a: CSRGraph, b: CSRGraph) -> bool:
    """Whether two graphs have the same graphs, nodes and edges, with their links."""
    return a is b or (
        np.array_equal(a.graph_ptr, b.graph_ptr)
        and np.array_equal(a.indptr, b.indptr)
        and np.array_equal(a.indices, b.indices)
        and (a.links is None) == (b.links is None)
        and (a.links is None or b.links is None or np.array_equal(a.links, b.links))
    )


def _inside(pattern: Pattern, found: MotifSet, graph: CSRGraph) -> tuple[int, ...]:
    """Listed occurrences inside a copy of each motif; each counts for the first that holds it."""
    rows = pattern.occurrences.rows_in(graph)
    size = rows.shape[1]
    numbers = []
    left = np.ones(len(rows), bool)
    for in_set in found:
        assert in_set.motif is not None, "a motif has copies"
        copies = in_set.motif.copies.rows_in(graph)
        # 1. the copies that each node is in, where they begin among those of all nodes
        copy = np.argsort(copies, axis=None) // copies.shape[1]
        counts_of = np.bincount(copies.ravel(), minlength=graph.num_nodes)
        start_of = np.cumsum(counts_of) - counts_of
        # 2. each node of an occurrence with each copy that it is in
        counts, start = counts_of[rows.ravel()], start_of[rows.ravel()]
        entries = np.arange(counts.sum()) + np.repeat(start - np.cumsum(counts) + counts, counts)
        occurrence = np.repeat(np.arange(rows.size) // size, counts)
        # 3. an occurrence is inside a copy that all its nodes are in
        pairs, shared = np.unique(occurrence * len(copies) + copy[entries], return_counts=True)
        held = left & np.isin(np.arange(len(rows)), pairs[shared == size] // len(copies))
        numbers.append(int(held.sum()))
        left &= ~held
    return tuple(numbers)
