"""Graphs with motifs whose code lengths are committed in `data/code_lengths.json`."""

import json
from pathlib import Path

import numpy as np

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN
from mining.mined_graph import MinedGraph

RECORDS = json.loads((Path(__file__).parents[1] / "data" / "code_lengths.json").read_text())


def mined_of(record):
    features, names = None, None
    if record["categories"] is not None:
        kinds = np.array(record["categories"])
        features = np.eye(kinds.max() + 1)[kinds]
        names = [f"kind={kind}" for kind in range(kinds.max() + 1)]
    source, target = np.array(record["edges"]).T
    return MinedGraph.of(
        csr_from_edges(
            source,
            target,
            record["num_nodes"],
            directed=record["directed"],
            features=features,
            feature_names=names,
        )
    )


def motif_of(mined, graph, record, directed):
    """Shape and copies of a motif of the data."""
    categories = ()
    if record["categories"] is not None:
        categories = tuple((f"kind={kind}",) for kind in record["categories"])
    edges = record["edges"]
    if not directed:
        edges = sorted({(min(edge), max(edge)) for edge in edges})
    size = len(record["copies"][0])
    structure = Structure.of_edges(size, edges, (PLAIN,) * len(edges), directed)
    structure = Structure.of_channels(structure.channels, mined.graph.relations, categories)
    return graph.shape_of(structure), mined.order.position[np.array(record["copies"])]


def kind_of_graph(kind, relation=(), labels=()):
    """What makes a plain graph directed, or of edges or nodes of two kinds."""
    return {
        "plain": {},
        "directed": {"directed": True},
        "relations": {"relation": np.array(relation), "relation_names": ["acts", "binds"],
                      "directed": [False, True]},
        "categories": {"features": np.eye(2)[list(labels)], "feature_names": ("kind=a", "kind=b")},
    }[kind]  # fmt: skip
