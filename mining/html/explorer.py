"""What the script of the page works on: the graph, the patterns and their places, in one block.

The block is JSON, compressed and in base64, so that ten thousand places take little room and no
text of the data can end it. The script is bundled from ``page/`` into ``page.js``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from functools import cache
from typing import Any

import numpy as np

from gomkcn_dgl.runtime.files import visible
from mining.html.page import read_text
from mining.mining_run import MiningRun
from mining.occurrences import Occurrences
from mining.pattern import Pattern
from mining.plots.graph_map import GraphMap
from mining.plots.styles import RelationStyles


@cache
def page_script() -> str:
    """The bundled script of the page."""
    return read_text("page.js")


@cache
def content_policy() -> str:
    """The policy that lets the page run its own script and load nothing."""
    digest = base64.b64encode(hashlib.sha256(page_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def explorer_data(run: MiningRun, styles: RelationStyles) -> str:
    """The block of a run; empty where there is no graph to show."""
    shown = run.map
    if shown is None or not run.patterns:
        return ""
    # numbers of nodes: those of the map, then those that only a list of places names
    number = {
        (graph, name): row
        for row, (graph, name) in enumerate(zip(shown.graphs.tolist(), shown.names, strict=True))
    }
    patterns = [_pattern_record(pattern, number) for pattern in run.patterns]
    record = {
        "collection": run.graph.num_graphs > 1,
        "names": [name if isinstance(name, int) else visible(name) for _, name in number],
        "graphs": [graph for graph, _ in number],
        **_map_record(shown),
        "relations": [
            {"name": visible(style.name), "directed": style.directed, "color": style.color}
            for style in styles.in_order(run.patterns[0].relations)
        ],
        "patterns": patterns,
    }
    text = json.dumps(record, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _map_record(shown: GraphMap) -> dict[str, Any]:
    """Positions, colours, features and edges of the nodes on the map."""
    return {
        "x": shown.positions[:, 0].tolist(),
        "y": shown.positions[:, 1].tolist(),
        "colors": list(shown.colors),
        "colorOf": shown.color_of.tolist(),
        "texts": [visible(text) for text in shown.texts],
        "textOf": shown.text_of.tolist(),
        "from": shown.edges[:, 0].tolist(),
        "to": shown.edges[:, 1].tolist(),
        "kind": shown.edge_relations.tolist(),
    }


def _pattern_record(pattern: Pattern, number: dict[tuple[int, Any], int]) -> dict[str, Any]:
    """A pattern and its listed places; ``number`` gets the nodes that it does not have yet."""
    listed = Occurrences.of(pattern.occurrences, pattern.num_nodes)
    nodes = np.full(listed.nodes.shape, -1)
    # every different node of every graph once
    graphs = np.broadcast_to(listed.graph[:, None], nodes.shape)
    known = listed.nodes >= 0
    pairs, at = np.unique(
        np.column_stack([graphs[known], listed.nodes[known]]), axis=0, return_inverse=True
    )
    names = listed.ids(pairs[:, 1]).tolist()
    keys = zip(pairs[:, 0].tolist(), names, strict=True)
    numbers = [number.setdefault(key, len(number)) for key in keys]
    nodes[known] = np.array(numbers, dtype=np.int64)[at.reshape(-1)]
    edges = zip(pattern.edges, pattern.edge_relations, strict=True)
    return {
        "id": pattern.id,
        "size": pattern.num_nodes,
        "edges": [[u, v, relation] for (u, v), relation in edges],
        "places": nodes.ravel().tolist(),
        "similarity": [round(value, 3) for value in listed.similarity.tolist()],
    }
