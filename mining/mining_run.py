"""A finished mining run: everything that its folder and its report show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.shapes import tell_apart
from gomkcn_dgl.runtime import html_of
from gomkcn_dgl.runtime.output_folder import describe_provenance
from mining.descriptions.feature_background import FeatureBackground
from mining.descriptions.feature_descriptions import describe_features, describe_structure
from mining.miner import PatternMiner
from mining.motif_sets.motif_set import MotifSet
from mining.pattern import Pattern
from mining.plots.graph_map import GraphMap
from mining.settings import RunSettings
from mining.truth import MotifRecovery


@dataclass(frozen=True)
class RelationSummary:
    """A kind of edges: its name, whether they have a direction, and how many there are."""

    name: str
    directed: bool
    num_edges: int


@dataclass(frozen=True)
class GraphSummary:
    """What was mined.

    Attributes
    ----------
    source : str
        Name of the file or folder of the graph.
    num_graphs, num_nodes, num_edges : int
        Graphs in the collection, nodes and edges in all.
    feature_names : tuple of str
        One name per feature column.
    relations : tuple of RelationSummary
        The kinds of edges; empty where they are not known.
    """

    source: str
    num_graphs: int
    num_nodes: int
    num_edges: int
    feature_names: tuple[str, ...]
    relations: tuple[RelationSummary, ...] = ()


@dataclass(frozen=True)
class MiningRun:
    """The result of a run.

    Attributes
    ----------
    graph : GraphSummary
    patterns : list of Pattern
        The motifs, then what differs most from random graphs, then what else was seen.
    motif_set : MotifSet
        What the graph is made of.
    loss_curve : list of float
        Loss after initialization, then after each epoch.
    settings : dict
        The resolved settings.
    provenance : dict
        Versions, commit, seed, device, times.
    recovery : list of MotifRecovery or None
        Planted motifs and whether they were recovered; None where no truth is known.
    map : GraphMap or None
        What the page shows of the graph; None where there are no patterns.
    is_partial : bool
        Whether the time limit ended the run early: there are fewer random graphs.
    notes : tuple of str
        What of the input was changed or left out.
    warnings : tuple of str
        Sentences on what the comparison with random graphs does not tell.
    null_models : mapping from str to str
        What the random graphs of each null model keep, in words, by its name.
    others : tuple of Pattern
        What was counted beside the patterns, the largest z first.
    """

    graph: GraphSummary
    patterns: list[Pattern]
    motif_set: MotifSet
    loss_curve: list[float]
    settings: dict[str, Any]
    provenance: dict[str, Any]
    recovery: list[MotifRecovery] | None = None
    map: GraphMap | None = field(default=None, repr=False)
    is_partial: bool = False
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    null_models: Mapping[str, str] = field(default_factory=dict)
    others: tuple[Pattern, ...] = ()

    @classmethod
    def of(
        cls,
        miner: PatternMiner,
        graph: Any,
        *,
        settings: RunSettings | None = None,
        seconds: float = 0.0,
        recovery: Sequence[MotifRecovery] | None = None,
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

        Returns
        -------
        MiningRun

        Examples
        --------
        >>> import networkx as nx
        >>> from mining import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> miner = PatternMiner(null=None).fit(rings)
        >>> run = MiningRun.of(miner, rings)
        >>> [pattern.description for pattern in run.patterns]
        ['cycle of 4 nodes']
        """
        csr = as_csr(graph)
        settings = settings or RunSettings.of(miner)
        background = FeatureBackground.fit(csr)
        told = [
            *(describe_features(one, csr, background=background) for one in miner.patterns_),
            *(describe_structure(one.structure, background) for one in miner.others_),
        ]
        every = [*miner.patterns_, *miner.others_]
        described = [
            replace(one, description=text)
            for one, text in zip(
                every, tell_apart(map(str, told), [one.structure for one in every]), strict=True
            )
        ]
        number = len(miner.patterns_)
        return cls(
            graph=_summarize(miner, csr, settings.graph.path),
            patterns=described[:number],
            motif_set=miner.motif_set_.with_patterns(described[:number]),
            loss_curve=miner.loss_curve_,
            settings=settings.to_dict(),
            provenance=describe_provenance(miner.random_state, seconds),
            recovery=None if recovery is None else list(recovery),
            map=GraphMap.of(csr, miner.patterns_, background) if miner.patterns_ else None,
            is_partial=miner.is_partial_,
            # of the graph, and of what mining leaves out
            notes=tuple(dict.fromkeys((*csr.notes, *miner.notes_))),
            warnings=miner.warnings_,
            null_models=miner.null_models_,
            others=tuple(described[number:]),
        )

    def show(self) -> RunView:
        """Show the page of the run in a notebook: as the last line of a cell.

        >>> import networkx as nx
        >>> from mining import PatternMiner
        >>> rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
        >>> miner = PatternMiner(null=None).fit(rings)
        >>> MiningRun.of(miner, rings).show()
        RunView('graph')
        """
        return RunView(self)

    def _repr_html_(self) -> str | None:
        """Summary and cards, for a notebook."""
        return html_of(self)


@dataclass(frozen=True)
class RunView:
    """The page of a run, in a frame of a notebook."""

    run: MiningRun

    def __repr__(self) -> str:
        """What was mined."""
        return f"RunView({self.run.graph.source!r})"

    def _repr_html_(self) -> str | None:
        """The page, in a frame."""
        return html_of(self)


def _summarize(miner: PatternMiner, csr: CSRGraph, path: str | None) -> GraphSummary:
    """What was mined, and how much of it was looked at."""
    relations = csr.relations
    counts = [csr.num_edges]
    if csr.links is not None:
        ends = np.bincount(csr.links, minlength=len(relations.links)) @ relations.links
        # both ends of an edge without direction are in the same channel
        counts = (ends[relations.outgoing] // np.where(relations.directed, 1, 2)).tolist()
    kinds = zip(relations.names, relations.directed, counts, strict=True)
    return GraphSummary(
        source=Path(path).resolve().name if path else "graph",
        num_graphs=csr.num_graphs,
        num_nodes=csr.num_nodes,
        num_edges=csr.num_edges,
        feature_names=csr.feature_names,
        relations=tuple(RelationSummary(*kind) for kind in kinds),
    )


@dataclass(frozen=True)
class RunComparison:
    """What two runs have in common.

    Attributes
    ----------
    first, second : MiningRun
        The runs.
    shared : tuple of (Pattern, Pattern)
        In the order of the first run; a pattern has at most one partner.
    only_first, only_second : tuple of Pattern
        Patterns without a partner.
    """

    first: MiningRun
    second: MiningRun
    shared: tuple[tuple[Pattern, Pattern], ...]
    only_first: tuple[Pattern, ...]
    only_second: tuple[Pattern, ...]

    @property
    def agreement(self) -> float:
        """Share of the patterns that have a partner, in [0, 1]; 1 for two runs without any."""
        total = len(self.first.patterns) + len(self.second.patterns)
        return 2 * len(self.shared) / total if total else 1.0

    def _repr_html_(self) -> str | None:
        """The shared patterns and their counts, for a notebook."""
        return html_of(self)


def compare_runs(first: MiningRun, second: MiningRun) -> RunComparison:
    """Pair the patterns of two runs that have the same structure, categories included.

    Parameters
    ----------
    first, second : MiningRun
        As :func:`gomkcn.read_run` returns them.

    Returns
    -------
    RunComparison

    Examples
    --------
    >>> from mining import GraphSummary
    >>> from mining import MotifSet
    >>> summary = GraphSummary("graph.txt", 1, 9, 9, ("constant",))
    >>> empty = MiningRun(summary, [], MotifSet((), 0.0, 0.0), [], {}, {})
    >>> compare_runs(empty, empty).agreement
    1.0
    """
    left = {pattern.key: pattern for pattern in second.patterns}
    shared = [(one, left[one.key]) for one in first.patterns if one.key in left]
    keys = {one.key for one, _ in shared}
    only_first = tuple(pattern for pattern in first.patterns if pattern.key not in keys)
    only_second = tuple(pattern for pattern in second.patterns if pattern.key not in keys)
    return RunComparison(first, second, tuple(shared), only_first, only_second)
