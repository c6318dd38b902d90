"""What the script of the page works on: the graph, copies and occurrences, in one block.

The block is JSON, compressed and in base64, so that ten thousand occurrences take little room and
no text of the data can end it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import visible
from mining.html.page import read_text
from mining.html.terminal import called, shown_set
from mining.mining_run import MiningRun
from mining.occurrences import Occurrences
from mining.pattern import MORE, Pattern
from mining.plots.styles import Kind

# more occurrences of a pattern are a sample
MOST_DRAWN = 250
Node = tuple[int, Any]


class Places(NamedTuple):
    """The places of a list that are drawn, and their numbers in it."""

    numbers: list[int]
    drawn: Occurrences

    @classmethod
    def of(cls, listed: Occurrences, most: int | None = None) -> Places:
        """All places of a list, or a random sample of so many."""
        rows = np.arange(len(listed))
        if most is not None and len(listed) > most:
            rows = np.sort(np.random.default_rng(0).choice(len(listed), most, replace=False))
        drawn = Occurrences(listed.nodes[rows], listed.graph[rows], listed.names)
        return cls(rows.tolist(), drawn)

    @property
    def nodes(self) -> list[list[Node]]:
        """Graph and id of each node of the drawn places."""
        return [[(one.graph, name) for name in one.nodes] for one in self.drawn]


@cache
def page_script() -> str:
    """The script of the page."""
    return read_text("page.js")


@cache
def content_policy() -> str:
    """The policy that lets the page run its own script and load nothing."""
    digest = base64.b64encode(hashlib.sha256(page_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


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
            "name": visible(row["name"]),
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
            "name": visible(one.name),
            "listed": len(one.occurrences),
            "count": str(one.frequency.occurrences),
            "exact": one.frequency.occurrences.is_exact,
            "inside": list(one.inside),
            **_places(one, places, number),
        }
        for one, places in zip(run.patterns, drawn["pattern"], strict=True)
    ]
    record = {
        "collection": run.graph.num_graphs > 1,
        "numNodes": run.graph.num_nodes,
        "numGraphs": run.graph.num_graphs,
        "names": [name if isinstance(name, int) else visible(name) for _, name in number],
        "graphs": [graph for graph, _ in number],
        "x": shown.positions[:, 0].tolist(),
        "y": shown.positions[:, 1].tolist(),
        "from": shown.edges[:, 0].tolist(),
        "to": shown.edges[:, 1].tolist(),
        "relation": shown.edge_relations.tolist(),
        "relations": [
            {"name": visible(name), "directed": directed, "line": line}
            for name, directed, line in (
                (*kind, lines.get(kind, "solid"))
                for kind in [(one.name, one.directed) for one in run.graph.relations]
                or [(PLAIN, False)]
            )
        ],
        "kinds": [visible(name) for name in shown.kinds],
        "kindOf": shown.kind_of.tolist(),
        "degrees": shown.degrees.tolist(),
        "classes": [visible(name) for name in shown.classes],
        "classOf": shown.class_of.tolist(),
        "motifs": copies,
        "patterns": patterns,
        "start": start_of(run),
    }
    text = json.dumps(record, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def start_of(run: MiningRun) -> int | None:
    """The pattern that is selected at first, where there is no motif."""
    return None if shown_set(run.motif_set)[0].motifs else first_called(run)


def first_called(run: MiningRun) -> int | None:
    """The number of the over-represented pattern of fewest nodes."""
    null = next(iter(run.null_models), "")
    more = [at for at, one in enumerate(run.patterns) if called(one, null) == MORE]
    return min(more, key=lambda at: run.patterns[at].num_nodes, default=None)


def drawn_places(run: MiningRun) -> dict[str, list[Places]]:
    """The places of each "motif" and of each "pattern" that are drawn, by their numbers."""
    shown, _ = shown_set(run.motif_set)
    copies = [one.motif.copies for one in shown.motifs if one.motif is not None]
    return {
        "motif": [Places.of(own) for own in copies],
        "pattern": [Places.of(one.occurrences, MOST_DRAWN) for one in run.patterns],
    }


def drawn_nodes(run: MiningRun, drawn: dict[str, list[Places]]) -> list[Node]:
    """Graph and id of each node, in order: those of the map, then those that only places name."""
    nodes: list[Node] = []
    if run.map is not None:
        nodes += zip(run.map.graphs.tolist(), run.map.names, strict=True)
    for places in (*drawn["motif"], *drawn["pattern"]):
        nodes += [node for place in places.nodes for node in place]
    return list(dict.fromkeys(nodes))


def _places(pattern: Pattern, places: Places, number: dict[Node, int]) -> dict[str, Any]:
    """Edges and places of a structure, its nodes by their numbers."""
    edges = zip(pattern.edges, pattern.edge_relations, strict=True)
    return {
        "edges": [[u, v, relation] for (u, v), relation in edges],
        "places": [[number[node] for node in place] for place in places.nodes],
    }
