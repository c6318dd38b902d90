"""gSpan (X. Yan and J. Han, ICDM 2002): frequent labelled subgraphs of a collection."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from gomkcn_dgl import CSRGraph
from peers.peer import Peer

# a subgraph with node and edge labels, and the graphs that contain it, induced or not
Frequent = tuple[nx.Graph, int]


def _gspan(
    graph: CSRGraph, colors: np.ndarray, min_support: int, sizes: range
) -> Callable[[], list[Frequent]]:
    from gspan_mining.gspan import gSpan

    class Collecting(gSpan):  # type: ignore[misc]
        """Its own report is for pandas below 2, and prints."""

        def _report(self, projected: Any) -> None:
            self._frequent_subgraphs.append(None)
            if self._DFScode.get_num_vertices() < self._min_num_vertices:
                return
            found = self._DFScode.to_graph(gid=0, is_undirected=True)
            shown = nx.Graph()
            for node, vertex in found.vertices.items():
                shown.add_node(node, label=int(vertex.vlb))
                for other, edge in vertex.edges.items():
                    shown.add_edge(node, other, label=int(edge.elb))
            collected.append((shown, self._support))

    collected: list[Frequent] = []

    def run() -> list[Frequent]:
        collected.clear()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "graphs.data"
            _write(graph, colors, path)
            Collecting(str(path), min_support, sizes[0], sizes[-1]).run()
        return list(collected)

    return run


def _write(graph: CSRGraph, colors: np.ndarray, path: Path) -> None:
    """A collection in gSpan's format: "t # graph", "v node label", "e node node label"."""
    source, target, relation = graph.edges()
    graph_of = graph.graph_of(source)
    lines = []
    for number, first in enumerate(graph.graph_ptr[:-1].tolist()):
        last, own = int(graph.graph_ptr[number + 1]), graph_of == number
        lines.append(f"t # {number}")
        lines += [f"v {v} {color}" for v, color in enumerate(colors[first:last].tolist())]
        rows = np.column_stack([source[own] - first, target[own] - first, relation[own]])
        lines += [f"e {u} {v} {kind}" for u, v, kind in rows.tolist()]
    path.write_text("\n".join([*lines, "t # -1", ""]), encoding="utf-8")


GSPAN = Peer(
    "gSpan",
    "gspan-mining",
    "gspan_mining",
    _gspan,
    "in Python; counts graphs, and subgraphs that need not be induced",
)
