"""What the tests of graph files share."""

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_objects import TypedGraph
from gomkcn_dgl.io.reading import read_graph

ARRAYS = ("indptr", "indices", "features", "weights", "graph_ptr", "links")


def edges(graph):
    return [tuple(edge) for edge in graph.adjacent_pairs().tolist()]


def named_edges(graph):
    """Source, target and relation of each edge, by name; without direction in order of the rows."""
    source, target, relation = graph.edges()
    names = [graph.relations.names[number] for number in relation]
    return sorted(zip(graph.original_ids(source), graph.original_ids(target), names, strict=True))


def random_graph(seed=0, num_nodes=6, **options):
    source, target = np.random.default_rng(seed).integers(0, num_nodes, (2, 2 * num_nodes))
    return csr_from_edges(source, target, num_nodes, **options)


def typed_graph(pairs, num_nodes, nodes=None, edges=None):
    """What a DGL file takes: edges as pairs of nodes, and columns of nodes and edges."""
    source, target = np.array(pairs, np.int64).reshape(-1, 2).T
    return TypedGraph.of_one_type((source, target), num_nodes, nodes or {}, edges or {})


def assert_same(left, right):
    for name in ("feature_names", "relations"):
        assert getattr(left, name) == getattr(right, name), name
    for name in ARRAYS:
        one, other = getattr(left, name), getattr(right, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype == other.dtype, name
            np.testing.assert_array_equal(one, other, err_msg=name)
    nodes = np.arange(right.num_nodes)
    assert left.original_ids(nodes) == right.original_ids(nodes)
    assert (left.node_ids is None) == (right.node_ids is None)


def refuse(path, words, **options):
    """Check that a file is refused in one sentence with its name and these words."""
    with pytest.raises(InputError, match=f"^{re.escape(path.name)}: .*{re.escape(words)}") as error:
        read_graph(path, **options)
    assert str(error.value).endswith(".")


def write_tu(name, graphs, classes, **columns):
    """Write a TU folder of networkx graphs; ``columns`` are the lines of further files."""
    graph = nx.disjoint_union_all(graphs)
    files = {
        "A": [f"{u + 1}, {v + 1}" for u, v in graph.to_directed().edges],
        "graph_indicator": [number for number, one in enumerate(graphs, 1) for _ in one],
        "graph_labels": classes,
        **columns,
    }
    Path(name).mkdir()
    for ending, lines in files.items():
        Path(name, f"{name}_{ending}.txt").write_text("".join(f"{line}\n" for line in lines))
    return name
