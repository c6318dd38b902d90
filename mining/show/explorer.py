"""What the script of the page of a mining run works on: the graph, copies and occurrences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.plots.styles import Kind
from gomkcn.mining.show.drawn_graph import Node, graph_record, pack
from gomkcn.mining.show.leading import COMPARISON, MOTIFS, leading_structures, order_of_parts
from gomkcn.mining.show.terminal import shown_set
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn.mining.structures.occurrences import Occurrences
from gomkcn.mining.structures.pattern import Pattern, differing_groups
from gomkcn_dgl.graphs.standard_names import standard_names
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import visible

# occurrences of a pattern that can be selected; of more, a sample, which nobody clicks through
MOST_DRAWN = 250


class DrawnOccurrences(NamedTuple):
    """The places of a list that are drawn, and their numbers in it."""

    numbers: list[int]
    drawn: Occurrences

    @classmethod
    def of(cls, listed: Occurrences, most: int | None = None) -> DrawnOccurrences:
        """All places of a list, or a random sample of so many."""
        rows = np.arange(len(listed))
        if most is not None and len(listed) > most:
            rows = np.sort(np.random.default_rng(0).choice(len(listed), most, replace=False))
        drawn = Occurrences(listed.nodes[rows], listed.graph[rows], listed.names)
        return cls(rows.tolist(), drawn)

    @property
    def nodes(self) -> list[list[Node]]:
        """Graph and id of each node of the drawn places."""
        return [
            [(occurrence.graph, name) for name in occurrence.nodes] for occurrence in self.drawn
        ]


def explorer_data(run: MiningRun, motifs: Sequence[dict[str, Any]], lines: dict[Kind, str]) -> str:
    """The block of a run; empty where there is no graph to show.

    ``motifs`` are rows of the table of the motif set, with their patterns.
    """
    shown = run.map
    if shown is None:
        return ""
    drawn = drawn_places(run)
    number = {node: row for row, node in enumerate(drawn_nodes(run, drawn))}
    copies = [
        {
            "name": visible(row["short"]),
            "said": visible(said_of(row["pattern"])),
            "label": str(row["number"]),
            "color": row["color"],
            "hollow": row["variant_of"] is not None,
            **_places(row["pattern"], drawn["motif"][row["number"]], number),
            "edits": row["pattern"].motif.edits.tolist(),
        }
        for row in motifs
    ]
    patterns = [
        {
            "name": visible(pattern.label),
            "said": visible(said_of(pattern)),
            "listed": len(pattern.occurrences),
            "count": str(pattern.frequency.occurrences),
            "exact": pattern.frequency.occurrences.is_exact,
            "inside": list(pattern.inside),
            **_places(pattern, places, number, is_any=is_alone(pattern, run.graph)),
        }
        for pattern, places in zip(run.patterns, drawn["pattern"], strict=True)
    ]
    return pack(
        {
            **graph_record(run.graph, shown, list(number), lines),
            "motifs": copies,
            "patterns": patterns,
            "start": start_of(run),
        }
    )


def start_of(run: MiningRun) -> int | None:
    """The pattern that is selected at first: the surest of classes, or the first that is called."""
    leading = [group[0].id for group in differing_groups(run.counted)][:1]
    if leading and leading[0] >= 0:
        return leading[0]
    first = [pattern.id for pattern in leading_structures(run)][:1]
    if first and order_of_parts(run).index(COMPARISON) < order_of_parts(run).index(MOTIFS):
        return first[0]
    return None if shown_set(run.motif_set)[0].motifs else next(iter(first), None)


def said_of(pattern: Pattern) -> str:
    """What the details of a pattern say beside its label: its whole name, and standard names."""
    name = pattern.name if pattern.name != pattern.label else ""
    return " · ".join(filter(None, (name, str(standard_names(pattern.structure)))))


def drawn_places(run: MiningRun) -> dict[str, list[DrawnOccurrences]]:
    """The places of each "motif" and of each "pattern" that are drawn, by their numbers."""
    shown, _ = shown_set(run.motif_set)
    copies = [pattern.motif.copies for pattern in shown.motifs if pattern.motif is not None]
    return {
        "motif": [DrawnOccurrences.of(places) for places in copies],
        "pattern": [
            DrawnOccurrences.of(pattern.occurrences, MOST_DRAWN) for pattern in run.patterns
        ],
    }


def drawn_nodes(run: MiningRun, drawn: dict[str, list[DrawnOccurrences]]) -> list[Node]:
    """Graph and id of each node, in order: those of the map, then those that only places name."""
    nodes: list[Node] = []
    if run.map is not None:
        nodes += zip(run.map.graphs.tolist(), run.map.names, strict=True)
    for places in (*drawn["motif"], *drawn["pattern"]):
        nodes += [node for place in places.nodes for node in place]
    return list(dict.fromkeys(nodes))


def is_alone(pattern: Pattern, graph: GraphSummary) -> bool:
    """Whether the edges of a pattern are of any relation of a graph that has several."""
    return len(graph.relations) > 1 and pattern.relations.names == (PLAIN,)


def _places(
    pattern: Pattern, places: DrawnOccurrences, number: dict[Node, int], is_any: bool = False
) -> dict[str, Any]:
    """Edges and places of a structure, its nodes by their numbers; relation -1 is any."""
    edges = zip(pattern.edges, pattern.edge_relations, strict=True)
    return {
        "edges": [[u, v, -1 if is_any else relation] for (u, v), relation in edges],
        "places": [[number[node] for node in place] for place in places.nodes],
    }
