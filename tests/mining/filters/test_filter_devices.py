"""Filters that are learnt on a GPU are those that are learnt on a CPU, and so are responses.

On a CPU the kernels for a GPU run in Triton's interpreter, for a few epochs on a small graph; with
a GPU (`tox -e gpu`) a whole training runs there. What a graph on a device responds is tried with
plain PyTorch on a CPU, too.
"""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from planted_copies import CUBE, HOUSE6, K33, MOEBIUS_LADDER, PRISM, plant, side_by_side, tree
from tolerances import VALUES

from gomkcn.mining import FilterLearning, FilterMiner
from gomkcn.mining.filters.discrete_filters import DiscreteFilters
from gomkcn.mining.filters.filter_bank import FilterBank, respond_everywhere
from gomkcn.mining.filters.graph_on_device import GraphOnDevice
from gomkcn.mining.structures.categories import Categories
from gomkcn.synthetic import planted_motif_graph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.feature_scaling import FeatureScaling
from gomkcn_dgl.kernels import load_backend
from gomkcn_dgl.matching import GOMKKernel
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs


def assert_equal(one, other):
    """The same filters, labels and losses, but for rounding.

    Where nodes of a filter are alike, rounding decides which of two equal matchings is found, so
    that a filter is compared in each of the orders that leave its structure as it is.
    """
    assert [a.structure.key for a in one.filters_] == [b.structure.key for b in other.filters_]
    for a, b in zip(one.filters_, other.filters_, strict=True):
        assert (a.instances, a.exact, a.nearest_nodes) == (b.instances, b.exact, b.nearest_nodes)
        assert (a.size, a.exceeds, a.random_instances) == (b.size, b.exceeds, b.random_instances)
        orders = [a.structure.isomorphism(b.structure)[way] for way in a.structure.symmetries]
        assert any(
            np.allclose(a.features, b.features[order], atol=2e-3)
            and np.allclose(a.weights, b.weights[np.ix_(order, order)], atol=2e-3)
            for order in orders
        )
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(one.similarities_, other.similarities_, atol=1e-3)
    np.testing.assert_allclose(one.loss_curve_, other.loss_curve_, atol=1e-4)
    assert one.n_iter_ == other.n_iter_


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("options", [{}, {"num_filters": 8, "contrast": False}])
def test_a_training_on_a_gpu_equals_that_on_a_cpu(options):
    planted = planted_motif_graph()
    results = []
    for device in ("cpu", "cuda"):
        miner = FilterMiner(device=device, learning=FilterLearning(num_epochs=30), **options)
        results.append(miner.fit(planted))
    assert_equal(*results)


@pytest.mark.parametrize("contrast", [True, False])
def test_matching_by_pytorch_equals_that_of_arrays(contrast):
    """By the plain implementation here, and by the kernels of a GPU where there is one."""
    graph = plant(tree(60), [(PRISM, 5), (nx.complete_graph(4), 5)], seed=2)[0]
    # all nodes differ, so that no two matchings are as good
    for node, value in enumerate(np.random.default_rng(0).random(len(graph)).tolist()):
        graph.nodes[node]["feat"] = [value]
    size = "3-6" if contrast else 5
    results = [
        FilterMiner(3, size, contrast=contrast, learning=FilterLearning(backend=backend)).fit(graph)
        for backend in ("auto", "reference")
    ]
    assert_equal(*results)
    np.testing.assert_array_equal(results[1].predict(graph), results[0].labels_)


@pytest.mark.interpret
def test_a_training_by_the_kernels_for_a_gpu_equals_that_by_the_kernel_for_a_cpu():
    triton = pytest.importorskip("triton", minversion="3.6", reason="there is no Triton")
    if isinstance(load_backend("triton").match_fwd_kernel, triton.JITFunction):
        pytest.skip("TRITON_INTERPRET=1 is not set")
    graph = nx.disjoint_union(nx.cycle_graph(4), nx.complete_graph(4))
    for node in graph:
        graph.nodes[node]["feat"] = [0.1 * (node % 3)]
    results = []
    for backend in ("numba", "triton"):
        learning = FilterLearning(num_epochs=1, backend=backend)
        miner = FilterMiner(2, 4, contrast=False, learning=learning, device="cpu")
        results.append(miner.fit(graph))
    assert_equal(*results)
    assert len(results[0].loss_curve_) == 2


@pytest.fixture
def device():
    """A GPU, or the CPU, where plain PyTorch stands for it."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def read(graph, num_features=1, **columns):
    """A graph of NetworkX with features that tell all of its nodes apart."""
    features = np.random.default_rng(0).random((len(graph), num_features), np.float32)
    edges = np.array(graph.edges).reshape(-1, 2)
    return csr_from_edges(*edges.T, len(graph), features=features, **columns)


def typed():
    """Edges of two relations, of which one has a direction."""
    graph = plant(tree(25), [(PRISM, 2), (HOUSE6, 2)], seed=1)[0]
    relation = np.arange(graph.number_of_edges()) % 2
    return read(graph, relation=relation, relation_names=["up", "by"], directed=[True, False])


def categorical():
    """Nodes of three categories, of which filters have some, and a number."""
    graph = read(plant(tree(20), [(K33, 2), (PRISM, 2)], seed=3)[0], num_features=4)
    graph.features[:, :3] = np.eye(3)[np.arange(graph.num_nodes) % 11 % 3]
    return replace(graph, feature_names=("kind=a", "kind=b", "kind=c", "size"))


def small_components():
    """Components of fewer nodes than subgraphs, and nodes without an edge."""
    parts = [(nx.path_graph(2), 2), (nx.cycle_graph(4), 2), (nx.empty_graph(3), 1), (K33, 1)]
    return read(side_by_side(*parts))


def plain():
    """Without features, where structure is all there is: K3,3 is as similar as the prism."""
    graph = side_by_side((K33, 2), (PRISM, 2), (CUBE, 1), (MOEBIUS_LADDER, 1), (tree(30), 1))
    return csr_from_edges(*np.array(graph.edges).T, len(graph))


def bank_of(graph, sizes, kernel, backend="auto", step=5):
    """Filters that are the subgraphs of some sizes around every fifth node of a graph."""
    settings = SubgraphSettings(2, max(sizes), "dense", seed=3)
    scaling = FeatureScaling.fit(graph.features, 0.8)
    parts = []
    for size in sizes:
        roots = np.arange(size % 3, graph.num_nodes, step)
        batch = extract_subgraphs(graph, replace(settings, max_nodes=size), roots)
        feat = scaling.scale(batch.gather(graph.features))
        feat[batch.nodes < 0] = 0
        adj = batch.adjacency()
        parts.append(DiscreteFilters(adj, feat, adj, tuple(batch.num_nodes.tolist())))
    return FilterBank(
        DiscreteFilters.join(parts),
        tuple(size for size, part in zip(sizes, parts, strict=True) for _ in range(len(part))),
        scaling,
        settings,
        kernel,
        backend,
        graph.relations,
        tuple(graph.feature_names),
        Categories.find(graph.features, graph.feature_names),
    )


def assert_as_arrays(bank, graph, placed, *, is_unique=True, most=None):
    """What a graph on a device responds is what it responds as arrays, which is returned."""
    roots = np.random.default_rng(1).permutation(graph.num_nodes)[:most]
    expected = replace(bank, backend="auto").respond(graph, roots)
    found = bank.respond(placed, roots)
    assert isinstance(placed, GraphOnDevice)
    for name, values in found._asdict().items():
        wanted = getattr(expected, name)
        assert (values.dtype, values.shape) == (wanted.dtype, wanted.shape), name
        if name == "similarity":
            np.testing.assert_allclose(values, wanted, **VALUES[torch.float32])
        elif name != "matching" or is_unique:
            np.testing.assert_array_equal(values, wanted, name)
    return expected


@pytest.mark.parametrize(
    ("graph", "sizes"),
    [
        (plain, (6, 8)),
        (typed, (3, 6)),
        (categorical, (4, 6)),
        # 9 nodes are more than are compared on a device
        (typed, (9,)),
        (categorical, (9,)),
        (small_components, (3, 5, 7)),
    ],
)
@pytest.mark.parametrize("padding", ["match", "mask"])
def test_a_graph_on_a_device_responds_as_arrays_do(device, graph, sizes, padding):
    csr, is_unique = graph(), graph is not plain
    bank = bank_of(csr, sizes, GOMKKernel(padding=padding, level_scale=2.0), "reference")
    placed = bank.place(csr, device)
    assert (placed.colors is None) == (graph is not categorical)
    expected = assert_as_arrays(bank, csr, placed, is_unique=is_unique)
    # some are exact, some are not, and several filters have labels
    assert 0 < expected.is_exact.mean() < 1
    assert len(np.unique(expected.labels)) > 2


def test_what_a_device_cannot_sample_is_sampled_here(device):
    graph = read(nx.circulant_graph(50, [1, 2, 5]))
    bank = bank_of(graph, (33,), GOMKKernel(level_scale=9.0, matching="greedy"), "reference", 25)
    assert_as_arrays(bank, graph, bank.place(graph, device))


def test_links_and_colours_that_a_graph_lacks_are_those_of_no_subgraph(device):
    """A filter of another graph: both of its relations join nodes, and a category is missing."""
    graph = categorical()
    bank = bank_of(graph, (4,), GOMKKernel(), "reference")
    is_a = graph.features[:, 0] > 0
    graph.features[is_a, :2] = [0, 1]
    without_a = [not bool((bank._colors(k) == 0).any()) for k in range(len(bank))]
    expected = assert_as_arrays(bank, graph, bank.place(graph, device))
    shown = expected.is_exact.any(axis=0)
    assert shown[without_a].any() and not shown[~np.array(without_a)].any()
    # and the other way round: nodes of a category that no filter has
    bank = bank_of(graph, (4,), GOMKKernel(), "reference")
    placed = bank.place(categorical(), device)
    assert placed.colors.max() == len(placed.palette) == 2
    expected = assert_as_arrays(bank, categorical(), placed)
    shows_a = np.isin(expected.nodes[:, 0], np.flatnonzero(is_a)).any(axis=1)
    assert expected.is_exact.any() and not expected.is_exact[shows_a].any()
    # a pair of nodes that both relations join is in no subgraph
    graph = typed()
    bank = bank_of(graph, (3,), GOMKKernel(), "reference")
    adj = bank.filters.adj.copy()
    adj[0][adj[0].any(axis=2)] = 1
    bank = replace(bank, filters=replace(bank.filters, adj=adj))
    assert bank.structures[0].links.max() == len(graph.relations.links)
    expected = assert_as_arrays(bank, graph, bank.place(graph, device))
    assert not expected.is_exact[:, 0].any() and expected.is_exact[:, 1:].any()


def test_no_more_leaves_a_device_than_is_returned(device, monkeypatch):
    graph = typed()
    bank = bank_of(graph, (4, 6), GOMKKernel(matching="greedy"), "reference")
    placed, shapes = bank.place(graph, device), []
    copies = {name: getattr(torch.Tensor, name) for name in ("cpu", "numpy", "tolist")}
    for name, copy in copies.items():

        def record(tensor, *, copy=copy):
            shapes.append(tuple(tensor.shape))
            return copy(tensor)

        monkeypatch.setattr(torch.Tensor, name, record)
    roots = np.arange(graph.num_nodes)
    found = bank.respond(placed, roots)
    num_filters = [int((np.array(bank.sizes) == size).sum()) for size in (4, 6)]
    of_label = np.bincount(np.array(bank.sizes)[found.labels])[[4, 6]]
    expected = {
        (len(roots), width) for pair in zip((4, 6), num_filters, strict=True) for width in pair
    } | set(zip(of_label.tolist(), (4, 6), strict=True))
    assert set(shapes) == expected


def test_a_graph_is_copied_to_a_device_once(device, monkeypatch):
    graph = categorical()
    bank = bank_of(graph, (4, 6), GOMKKernel(), "reference")
    monkeypatch.setattr("gomkcn.mining.filters.filter_bank.PART_SIZE", 10)
    placed = []
    of = GraphOnDevice.of
    monkeypatch.setattr(GraphOnDevice, "of", lambda *given: placed.append(given) or of(*given))
    order = NodeOrder.of(graph)
    found = respond_everywhere(bank, order, device, graph.num_nodes, Steps())
    expected = respond_everywhere(
        replace(bank, backend="auto"), order, "cpu", graph.num_nodes, Steps()
    )
    assert len(placed) == 1
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.matching, expected.matching)


def test_no_filters_and_no_roots(device):
    graph = small_components()
    bank = bank_of(graph, (3,), GOMKKernel(), "reference")
    nothing = bank.respond(bank.place(graph, device), np.zeros(0, np.int64))
    assert nothing.similarity.shape == (0, len(bank)) and nothing.matching.shape == (0, 3)
    none = bank.take(np.zeros(0, np.int64))
    found = none.respond(none.place(graph, device), np.arange(2))
    assert found.labels.tolist() == [-1, -1] and found.nodes.shape == (2, 0, 1)


@pytest.mark.parametrize(
    ("graph", "sizes"),
    [
        (small_components, (2,)),
        pytest.param(typed, (4,), marks=pytest.mark.interpret),
        pytest.param(categorical, (5,), marks=pytest.mark.interpret),
    ],
)
def test_subgraphs_are_sampled_and_matched_by_the_kernels_for_a_gpu(device, graph, sizes):
    triton = pytest.importorskip("triton", minversion="3.6", reason="there is no Triton")
    from gomkcn_dgl.kernels import bfs_triton

    if device == "cpu" and isinstance(bfs_triton.extract_kernel, triton.JITFunction):
        pytest.skip("TRITON_INTERPRET=1 is not set")
    csr = graph()
    bank = bank_of(csr, sizes, GOMKKernel(), "triton", step=9)
    placed = replace(bank.place(csr, device), rows=bfs_triton.DeviceGraph.of(csr, device))
    # each takes a second or more in the interpreter
    assert_as_arrays(bank, csr, placed, most=4)
