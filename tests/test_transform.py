"""AttachSubgraphs: what it writes, what survives batching and saving, what is refused."""

import re

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.subgraphs import extract_subgraphs
from gomkcn_dgl.transform import AttachSubgraphs, attached_subgraphs

FIELDS = ("nodes", "num_nodes", "truncated", "bits", "weights")


def to_dgl(graph):
    converted = dgl.from_networkx(nx.convert_node_labels_to_integers(graph))
    source, target = converted.edges()
    converted.edata["w"] = 1.0 + (source + target) % 3
    return converted


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
def test_batching_moves_the_nodes_along(options):
    whole = attached_subgraphs(dgl.batch([attach(graph, **options) for graph in GRAPHS]))
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


@with_options
def test_unbatching_brings_them_back(options):
    transformed = [attach(graph, **options) for graph in GRAPHS]
    for graph, back in zip(GRAPHS, dgl.unbatch(dgl.batch(transformed)), strict=True):
        assert_same(attached_subgraphs(back), extracted(graph, **options))


@with_options
def test_saved_graphs_keep_their_subgraphs(tmp_path, options):
    path = str(tmp_path / "graphs.bin")
    dgl.save_graphs(path, [attach(graph, **options) for graph in GRAPHS])
    loaded, _ = dgl.load_graphs(path)
    for graph, back in zip(GRAPHS, loaded, strict=True):
        assert_same(attached_subgraphs(back), extracted(graph, **options))


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
    sentence = "the subgraphs attached to this graph"
    with pytest.raises(InputError, match=re.escape(sentence)):
        attached_subgraphs(stale)


def test_transforming_again_without_weights_leaves_none_behind():
    once = attach(to_dgl(nx.path_graph(4)), edge_weight="w")
    assert attached_subgraphs(attach(once)).weights is None


def test_it_composes_with_the_transforms_of_dgl():
    both = dgl.transforms.Compose([dgl.AddReverse(), AttachSubgraphs(num_hops=1, max_nodes=3)])
    directed = dgl.graph(([0, 1], [1, 2]))
    assert attached_subgraphs(both(directed)).nodes.tolist() == [[0, 1, -1], [1, 0, 2], [2, 1, -1]]


class TwoPaths(dgl.data.DGLDataset):
    def __init__(self, transform):
        super().__init__(name="two_paths", transform=transform)

    def process(self):
        self.graphs = [to_dgl(nx.path_graph(size)) for size in (2, 3)]

    def __getitem__(self, index):
        graph = self.graphs[index]
        return graph if self._transform is None else self._transform(graph)

    def __len__(self):
        return len(self.graphs)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"num_hops": -1}, "num_hops must be at least 0"),
        ({"max_nodes": 0}, "max_nodes must be at least 1"),
        ({"policy": "dfs"}, "policy must be one of 'bfs', 'dense',"),
        ({"num_views": 0}, "num_views must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_a_bad_setting_is_refused_when_the_transform_is_made(change, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        AttachSubgraphs(**{"num_hops": 1, "max_nodes": 3, **change})
