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
from typing import Any

import numpy as np

from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import visible
from mining.html.page import read_text
from mining.mining_run import MiningRun
from mining.occurrences import Occurrences
from mining.pattern import MORE, Pattern
from mining.plots.styles import Kind

# more occurrences of a pattern are a sample
MOST_DRAWN = 250
Node = tuple[int, Any]


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
    # numbers of nodes: those of the map, then those that only a list of occurrences names
    number: dict[Node, int] = {
        (graph, name): row
        for row, (graph, name) in enumerate(zip(shown.graphs.tolist(), shown.names, strict=True))
    }
    copies = [
        {
            "name": visible(row["name"]),
            "label": str(row["number"]),
            "color": row["color"],
            "hollow": row["variant_of"] is not None,
            **_places(row["pattern"], row["pattern"].motif.copies, number),
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
            **_places(one, one.occurrences, number, MOST_DRAWN),
        }
        for one in run.patterns
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
        "start": None if motifs else _start_of(run),
    }
    text = json.dumps(record, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _start_of(run: MiningRun) -> int | None:
    """The over-represented pattern of fewest nodes, which is selected where there is no motif."""
    null = next(iter(run.null_models), "")
    more = [
        (one.num_nodes, number)
        for number, one in enumerate(run.patterns)
        if null in one.significance and one.significance[null].verdict == MORE
    ]
    return min(more)[1] if more else None


def _places(
    pattern: Pattern, listed: Occurrences, number: dict[Node, int], most: int | None = None
) -> dict[str, Any]:
    """Edges and places of a structure; ``number`` gets the nodes that it does not have yet."""
    drawn = np.arange(len(listed))
    if most is not None and len(listed) > most:
        drawn = np.random.default_rng(0).choice(len(listed), most, replace=False)
        drawn.sort()
    rows = [
        [number.setdefault((graph, name), len(number)) for name in names]
        for graph, names in zip(
            listed.graph[drawn].tolist(), listed.ids[drawn].tolist(), strict=True
        )
    ]
    edges = zip(pattern.edges, pattern.edge_relations, strict=True)
    return {"edges": [[u, v, relation] for (u, v), relation in edges], "places": rows}
