"""Graphs with motifs: those of `data/code_lengths.json`, and random ones of each kind."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np

from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import PLAIN

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


def motif_of(mined, code, record, directed):
    """Structure and copies of a motif of the data."""
    categories = ()
    if record["categories"] is not None:
        categories = tuple((f"kind={kind}",) for kind in record["categories"])
    edges = record["edges"]
    if not directed:
        edges = sorted({(min(edge), max(edge)) for edge in edges})
    size = len(record["copies"][0])
    structure = Structure.of_edges(size, edges, (PLAIN,) * len(edges), directed)
    structure = Structure.of_channels(structure.channels, mined.graph.relations, categories)
    return code.shape_of(structure), mined.order.position[np.array(record["copies"])]


def kind_of_graph(kind, relation=(), labels=()):
    """What makes a plain graph directed, or of edges or nodes of two kinds."""
    return {
        "plain": {},
        "directed": {"directed": True},
        "relations": {"relation": np.array(relation), "relation_names": ["acts", "binds"],
                      "directed": [False, True]},
        "categories": {"features": np.eye(2)[list(labels)], "feature_names": ("kind=a", "kind=b")},
    }[kind]  # fmt: skip


KINDS = ("plain", "directed", "relations", "categories")


def csr_of(kind, pairs, num_nodes, rng, **options):
    """A graph of some pairs, whose edges or nodes are of random kinds."""
    turned = [pair[:: rng.choice([-1, 1])] for pair in pairs]
    kinds = rng.integers(2, size=len(pairs)), rng.integers(2, size=num_nodes)
    return csr_from_edges(*np.array(turned).T, num_nodes, **options, **kind_of_graph(kind, *kinds))


def random_structure(rng, size, num_links, reverse, code):
    """A ring of some nodes with random chords and kinds, in the numbers of a code."""
    links = np.zeros((size, size), int)
    for i, j in combinations(range(size), 2):
        if j - i in (1, size - 1) or rng.random() < 0.3:
            links[i, j] = rng.integers(1, num_links)
            links[j, i] = reverse[links[i, j]]
    return code.structure(links, rng.integers(code.num_colors, size=size))


def random_copies(rng, structure, colors, number, apart=False, among=True):
    """Random nodes of the colours of a structure; copies share none if they are apart."""
    copies, busy = [], set()
    while len(copies) < number:
        row = [int(rng.choice(np.flatnonzero((colors == one) & among))) for one in structure.colors]
        if len({*row}) == len(row) and not (apart and busy & {*row}):
            copies.append(row)
            busy |= {*row}
    return np.array(copies)
