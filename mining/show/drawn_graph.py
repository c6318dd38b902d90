"""What the script of a page with a graph works on: the graph, in one block, and the script itself.

The block is JSON, compressed and in base64, so that ten thousand nodes take little room and no text
of the data can end it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from gomkcn.mining.plots.graph_map import GraphMap
from gomkcn.mining.plots.styles import Kind, is_blunt
from gomkcn.mining.show.page import read_text
from gomkcn.mining.structures.graph_summary import GraphSummary
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import visible

# graph and id of a node
Node = tuple[int, Any]


@cache
def page_script(script: str) -> str:
    """The scripts that pages share, of graphs and of figures, and then the one of a page."""
    return "\n".join(map(read_text, ("page.js", "molecules.js", "figures.js", script)))


@cache
def content_policy(script: str) -> str:
    """The policy that lets a page run its script and load nothing."""
    digest = base64.b64encode(hashlib.sha256(page_script(script).encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def pack(record: Mapping[str, Any]) -> str:
    """A record as the block that the script unpacks."""
    text = json.dumps(record, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def graph_record(
    graph: GraphSummary, shown: GraphMap, nodes: Sequence[Node], lines: Mapping[Kind, str]
) -> dict[str, Any]:
    """The fields that the script reads of any graph.

    ``nodes`` are those of the map, and then those that are named without being drawn.
    """
    return {
        "collection": graph.num_graphs > 1,
        "numNodes": graph.num_nodes,
        "numGraphs": graph.num_graphs,
        "names": [name if isinstance(name, int) else visible(name) for _, name in nodes],
        "graphs": [number for number, _ in nodes],
        # of those that are named here
        "graphNames": {
            number: visible(graph.graph_names[number])
            for number in (sorted({number for number, _ in nodes}) if graph.graph_names else [])
            if graph.graph_names[number]
        },
        "x": shown.positions[:, 0].tolist(),
        "y": shown.positions[:, 1].tolist(),
        "from": shown.edges[:, 0].tolist(),
        "to": shown.edges[:, 1].tolist(),
        "relation": shown.edge_relations.tolist(),
        "relations": [
            {
                "name": visible(name),
                "directed": directed,
                "line": line,
                "blunt": directed and is_blunt(name),
            }
            for name, directed, line in (
                (*kind, lines.get(kind, "solid"))
                for kind in [(relation.name, relation.directed) for relation in graph.relations]
                or [(PLAIN, False)]
            )
        ],
        "kinds": [visible(name) for name in shown.kinds],
        "kindOf": shown.kind_of.tolist(),
        "sides": shown.sides.tolist(),
        "degrees": shown.degrees.tolist(),
        "classes": [visible(name) for name in shown.classes],
        "classOf": shown.class_of.tolist(),
        "molecules": None if shown.molecules is None else shown.molecules.to_dict(),
    }
