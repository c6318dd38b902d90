"""AttachSubgraphs: what it writes, what survives batching and saving, what is refused."""

import networkx as nx
import numpy as np
import pytest
import torch
from test_layer import to_dgl

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from gomkcn_dgl.transform import AttachSubgraphs, attached_subgraphs

FIELDS = ("nodes", "num_nodes", "truncated", "bits", "weights")


GRAPHS = [to_dgl(g) for g in (nx.star_graph(6), nx.empty_graph(1), nx.cycle_graph(5))]
OPTIONS = [
    {},
    {"num_views": 3, "seed": 5},
    {"edge_weight": "w"},
    {"policy": "dense", "num_views": 2, "edge_weight": "w"},
]
with_options = pytest.mark.parametrize("options", OPTIONS, ids=str)


def attach(graph, **options):
    return AttachSubgraphs(num_hops=2, max_nodes=4, **options)(graph)


def assert_same(left, right):
    assert left.num_views == right.num_views
    for field in FIELDS:
        one, other = getattr(left, field), getattr(right, field)
        if one is None or other is None:
            assert one is other, field
            continue
        assert one.dtype == other.dtype, field
        np.testing.assert_array_equal(one, other, err_msg=field)


def extracted(graph, edge_weight=None, **options):
    return extract_subgraphs(as_csr(graph, edge_weight=edge_weight), 2, 4, **options)


@with_options
def test_attached_subgraphs_are_the_extracted_ones(options):
    for graph in GRAPHS:
        assert_same(attached_subgraphs(attach(graph, **options)), extracted(graph, **options))


@with_options
def test_batching_moves_the_nodes_along_and_unbatching_and_saving_keep_them(options, tmp_path):
    batch = dgl.batch([attach(graph, **options) for graph in GRAPHS])
    whole = attached_subgraphs(batch)
    begin = 0
    for graph in GRAPHS:
        alone = extracted(graph, **options)
        rows = np.arange(len(alone)) + begin * alone.num_views
        part = whole.take(rows)
        nodes = np.where(alone.nodes < 0, -1, alone.nodes + begin)
        np.testing.assert_array_equal(part.nodes, nodes)
        for field in FIELDS[1:]:
            np.testing.assert_array_equal(getattr(part, field), getattr(alone, field))
        begin += graph.num_nodes()
    assert whole.num_views == options.get("num_views", 1)
    assert len(whole) == begin * whole.num_views
    path = str(tmp_path / "graphs.bin")
    dgl.save_graphs(path, dgl.unbatch(batch))
    for graph, loaded in zip(GRAPHS, dgl.load_graphs(path)[0], strict=True):
        assert_same(attached_subgraphs(loaded), extracted(graph, **options))


def test_the_input_graph_is_not_modified():
    graph = to_dgl(nx.path_graph(4))
    graph.ndata["feat"] = torch.arange(4.0)
    transformed = attach(graph, edge_weight="w")
    assert set(graph.ndata) == {"feat"}
    assert set(graph.edata) == {"w"}
    assert {"feat", "subgraph_offsets"} < set(transformed.ndata)
    assert attached_subgraphs(graph) is None
    # DGL refuses this once a graph was asked for the sizes of its batch
    graph.remove_nodes([3])
    assert graph.num_nodes() == 3


def test_a_graph_that_lost_nodes_is_refused():
    stale = attach(to_dgl(nx.path_graph(4)))
    stale.remove_nodes([3])
    with pytest.raises(InputError, match="the subgraphs attached to this graph"):
        attached_subgraphs(stale)


def test_transforming_again_without_weights_leaves_none_behind():
    once = attach(to_dgl(nx.path_graph(4)), edge_weight="w")
    assert attached_subgraphs(attach(once)).weights is None


def test_it_composes_with_the_transforms_of_dgl():
    both = dgl.transforms.Compose([dgl.AddReverse(), AttachSubgraphs(num_hops=1, max_nodes=3)])
    directed = dgl.graph(([0, 1], [1, 2]))
    assert attached_subgraphs(both(directed)).nodes.tolist() == [[0, 1, -1], [1, 0, 2], [2, 1, -1]]


@pytest.mark.parametrize(
    ("name", "value"),
    [("num_hops", -1), ("max_nodes", 0), ("policy", "dfs"), ("num_views", 0), ("seed", -1)],
)
def test_a_bad_setting_is_refused_when_the_transform_is_made(name, value):
    with pytest.raises(InputError, match=f"{name} must be (at least|one of)"):
        AttachSubgraphs(**{"num_hops": 1, "max_nodes": 3, name: value})
