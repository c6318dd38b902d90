"""The view of a graph that compiled code takes."""

import numpy as np

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.kernels.compiled_graph import CompiledGraph
from gomkcn_dgl.kernels.components_numba import name_components


def test_a_view_only_reads_and_leaves_the_graph_as_it_is():
    """A function is compiled for it once, wherever the arrays of the graph come from."""
    graph = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 4)
    colors = np.zeros(4, np.int64)
    for given in (graph.indptr, graph.indices, colors):
        assert given.flags.writeable
    view = CompiledGraph.of(graph, colors)
    assert not any(array.flags.writeable for array in view)
    for given in (graph.indptr, graph.indices, colors):
        assert given.flags.writeable
    for array in (graph.indptr, graph.indices):
        array.flags.writeable = False
    number = len(getattr(name_components, "signatures", []))
    name_components(view, np.empty(4, np.int32))
    name_components(CompiledGraph.of(graph), np.empty(4, np.int32))
    assert len(getattr(name_components, "signatures", [])) <= max(number, 1)
