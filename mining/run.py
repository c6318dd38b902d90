"""A finished mining run: everything that its folder and its report show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mining.evaluation import MotifRecovery
from mining.patterns import Pattern


@dataclass(frozen=True)
class GraphSummary:
    """What was mined.

    Attributes
    ----------
    source : str
        Where the graph came from.
    num_graphs, num_nodes, num_edges : int
        Graphs in the collection, nodes and undirected edges in all.
    feature_names : tuple of str
        One name per feature column.
    num_subgraphs : int
        Subgraphs that were compared.
    truncated_share : float
        Share of them that were cut to the pattern size.
    """

    source: str
    num_graphs: int
    num_nodes: int
    num_edges: int
    feature_names: tuple[str, ...]
    num_subgraphs: int
    truncated_share: float


@dataclass(frozen=True)
class MiningRun:
    """The result of a run.

    Attributes
    ----------
    graph : GraphSummary
    patterns : list of Pattern
        Most frequent first.
    loss_curve : list of float
        Loss at the start, then after each epoch.
    settings : dict
        The resolved settings.
    provenance : dict
        Versions, commit, seed, device, times.
    recovery : list of MotifRecovery or None
        Planted motifs and what became of them; None where no truth is known.
    """

    graph: GraphSummary
    patterns: list[Pattern]
    loss_curve: list[float]
    settings: dict[str, Any]
    provenance: dict[str, Any]
    recovery: list[MotifRecovery] | None = None
