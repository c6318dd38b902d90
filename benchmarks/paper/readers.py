"""The two formats of node classification: Planetoid, which the core reads, and Geom-GCN."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.planetoid import NodeFiles, read_planetoid

__all__ = ["NodeFiles", "read_geom_gcn", "read_planetoid"]


def read_geom_gcn(folder: Path) -> NodeFiles:
    """Read ``out1_node_feature_label.txt`` and ``out1_graph_edges.txt`` of Geom-GCN.

    Actor lists the columns that are 1; Chameleon and Squirrel list every value.
    """
    lines = (folder / "out1_node_feature_label.txt").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    nodes = np.array([int(row[0]) for row in rows])
    if sorted(nodes) != list(range(len(nodes))):
        raise InputError("out1_node_feature_label.txt must name every node once, from 0.")
    values = [np.array(row[1].split(","), dtype=np.int64) for row in rows]
    widths = {len(value) for value in values}
    features = np.zeros((len(nodes), _geom_gcn_width(values, widths)), dtype=np.float32)
    for node, value in zip(nodes, values, strict=True):
        if len(widths) == 1:
            features[node] = value
        else:
            features[node, value] = 1
    labels = np.empty(len(nodes), dtype=np.int64)
    labels[nodes] = [int(row[2]) for row in rows]
    edges = np.loadtxt(folder / "out1_graph_edges.txt", dtype=np.int64, skiprows=1, ndmin=2)
    return NodeFiles(edges, features, labels, np.ones(len(nodes), dtype=bool))


def _geom_gcn_width(values: list[np.ndarray], widths: set[int]) -> int:
    if len(widths) == 1:
        return len(values[0])
    return 1 + max(int(value.max()) for value in values)
