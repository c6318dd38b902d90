"""The settings of a run of frequent subgraphs: what is read, and what is frequent."""

from __future__ import annotations

from dataclasses import dataclass, field

from gomkcn.mining.settings.graph_settings import GraphSettings
from gomkcn_dgl.bounds import LARGEST_COUNT
from gomkcn_dgl.settings import Settings, SettingsTable, setting

# subgraphs of more nodes are not searched for
MOST_SUBGRAPH_NODES = 20


@dataclass(frozen=True)
class FrequentTable(SettingsTable):
    """The table ``[frequent]``: what :func:`gomkcn.frequent_subgraphs` is told."""

    support: float = setting(
        0.1,
        "Least support: below 1 a share of the graphs, else a number of graphs; of one graph, of "
        "its nodes",
        least=0,
        most=LARGEST_COUNT,
    )
    sizes: int | str | tuple[int, int] = setting(
        "2-8", "Size of the subgraphs in nodes", least=2, most=MOST_SUBGRAPH_NODES
    )
    closed: bool = setting(False, "Leave out what a larger subgraph of equal support contains")
    maximal: bool = setting(False, "Leave out what a larger frequent subgraph contains")
    per_class: bool = setting(
        False, "Ask for the support in at least one class, and compare the classes"
    )


@dataclass(frozen=True)
class FrequentSettings(Settings):
    """Everything that decides the result of a run of frequent subgraphs."""

    graph: GraphSettings = field(default_factory=GraphSettings)
    frequent: FrequentTable = field(default_factory=FrequentTable)
