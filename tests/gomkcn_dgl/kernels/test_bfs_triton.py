"""The sampler for a GPU gives the bits of that for a CPU: on a GPU, or in Triton's interpreter.

In the interpreter a subgraph that is grown takes a second or more, so that most cases are in
`tox -e interpret`.
"""

import sys

import bfs_reference
import networkx as nx
import numpy as np
import pytest
import torch
from bfs_reference import plain_subgraphs
from sampled_graphs import GRAPHS, build
from tiny_graphs import SUBGRAPHS, random_cases

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import BackendError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.kernels.colors_numba import FEATURE_BITS, numbered_rows
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs

triton = pytest.importorskip(
    "triton", minversion="3.6", reason="there is no Triton: the [gpu] extra"
)

from gomkcn_dgl.kernels import bfs_triton  # noqa: E402
from gomkcn_dgl.kernels.bfs_triton import DeviceGraph, extract  # noqa: E402

SLOW = pytest.mark.interpret
INTERPRETED = not isinstance(bfs_triton.extract_kernel, triton.JITFunction)


@pytest.fixture
def device():
    if torch.cuda.is_available():
        return "cuda"
    if not INTERPRETED:
        pytest.skip("there is no GPU, and TRITON_INTERPRET=1 is not set")
    return "cpu"


def assert_equals_numba(graph, device, roots, num_hops, max_nodes, policy, seed=0):
    """Return what both gave."""
    roots = np.asarray(roots, np.int64)
    on_device = DeviceGraph.of(graph, device), torch.from_numpy(roots).to(device)
    found = extract(*on_device, num_hops, max_nodes, policy, seed)
    expected = extract_subgraphs(
        graph, SubgraphSettings(num_hops, max_nodes, policy, seed=seed), roots
    )
    for name, tensor in found._asdict().items():
        np.testing.assert_array_equal(tensor.cpu().numpy(), getattr(expected, name), name)
    return expected


@pytest.mark.parametrize("case", SUBGRAPHS, ids=lambda case: case.name)
@pytest.mark.usefixtures("nan_filled_memory")
def test_a_hand_worked_case(device, case):
    csr = build(nx.Graph(sorted(case.edges)))
    # nodes of equal colours are taken in the order of their numbers
    csr.__dict__["colored_rows"] = numbered_rows(csr.indices, np.arange(csr.num_nodes))
    graph = DeviceGraph.of(csr, device)
    root = torch.tensor([case.root], device=device)
    found = extract(graph, root, case.num_hops, case.max_nodes, case.policy, 0)
    assert found.nodes.tolist() == [case.nodes]
    assert found.num_nodes.tolist() == [sum(node >= 0 for node in case.nodes)]
    assert found.truncated.tolist() == [case.truncated]
    dtypes = [tensor.dtype for tensor in found]
    assert dtypes == [torch.int32, torch.int64, torch.bool, torch.uint8]


CASES = random_cases(40, GRAPHS, POLICIES, (0, 1, 3), (1, 3, 6, 9), (False, True))


@pytest.mark.parametrize(
    ("name", "policy", "num_hops", "max_nodes", "linked"),
    [
        ("wheel_with_a_hub", "bfs", 2, 6, True),
        ("two_hubs", "bfs", 2, 5, False),
        ("random", "bfs", 3, 9, False),
        ("torus", "bfs", 3, 9, True),
        ("wheel_with_a_hub", "dense", 2, 4, False),
        ("edgeless", "dense", 3, 4, True),
        *(pytest.param(*case, marks=SLOW) for case in CASES),
    ],
)
def test_every_array_equals_that_of_the_cpu(device, name, policy, num_hops, max_nodes, linked):
    graph = build(GRAPHS[name], linked=linked)
    roots = np.arange(min(graph.num_nodes, 4))
    assert_equals_numba(graph, device, roots, num_hops, max_nodes, policy)


@SLOW
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("max_nodes", [17, bfs_triton.MAX_NODES])
def test_the_largest_subgraphs_are_equal(device, policy, max_nodes):
    # of one hop, since each row on offer takes a second in the interpreter
    graph = build(nx.gnp_random_graph(60, 0.7, seed=0))
    assert assert_equals_numba(graph, device, [5], 1, max_nodes, policy).truncated.all()


def with_hubs(seed):
    """A sparse graph, two nodes of which have many leaves besides."""
    graph = nx.gnp_random_graph(12, 0.25, seed=seed)
    graph.add_edges_from((hub, 100 + 100 * hub + k) for hub in (0, 1) for k in range(70))
    return graph


@pytest.mark.parametrize(
    ("graph", "root", "num_hops"),
    [
        # what came in for a leaf has a depth of its own, and its neighbours are out of reach
        (nx.gnp_random_graph(14, 0.2, seed=1), 3, 2),
        # a hub does not come in for a leaf
        pytest.param(with_hubs(2), 3, 2, marks=SLOW),
        # a hub that is a leaf stays
        pytest.param(with_hubs(15), 11, 3, marks=SLOW),
    ],
)
def test_leaves_give_way_as_on_the_cpu(device, graph, root, num_hops):
    assert_equals_numba(build(graph), device, [root], num_hops, 6, "dense")


@pytest.mark.parametrize("policy", ["bfs", pytest.param("dense", marks=SLOW)])
def test_streams_go_by_seed_and_component(device, policy):
    star = nx.star_graph(8)
    graph = as_csr([build(star), build(nx.empty_graph(2)), build(star)])
    alike = assert_equals_numba(graph, device, [0, 11, 0], 1, 4, policy, 2**63 - 1)
    np.testing.assert_array_equal(alike.nodes[0] + 11, alike.nodes[1])
    assert_equals_numba(graph, device, [], 1, 4, policy)


def test_as_many_links_as_16_bits_hold(device):
    # 300 relations, and so more links than a byte has
    ends = np.array([[0, k] for k in range(1, 301)])
    graph = csr_from_edges(
        *ends.T,
        301,
        relation=np.arange(300),
        relation_names=[f"r{k}" for k in range(300)],
        directed=[False] * 300,
    )
    assert graph.links.dtype == np.uint16
    root = torch.tensor([17], device=device)
    found = extract(DeviceGraph.of(graph, device), root, 2, 3, "bfs", 0)
    # the plain one, since the other is compiled anew for such links
    expected = plain_subgraphs(graph, SubgraphSettings(2, 3), np.array([17]))
    assert found.links.dtype == torch.int32
    assert found.links.max() > 255
    np.testing.assert_array_equal(found.links.cpu().numpy(), expected.links)


def test_what_the_device_cannot_do_is_refused(device, monkeypatch):
    graph = DeviceGraph.of(build(nx.path_graph(3)), device)
    root = torch.tensor([0], device=device)
    with pytest.raises(BackendError, match=r"at most 32 nodes .* got max_nodes 33; use extract_"):
        extract(graph, root, 1, 33, "bfs", 0)
    on_cpu = DeviceGraph.of(build(nx.path_graph(3)), "cpu")
    # not in the interpreter
    monkeypatch.setattr(triton, "JITFunction", object)
    with pytest.raises(BackendError, match="on a GPU, got a graph on 'cpu'; use extract_subgraphs"):
        extract(on_cpu, root, 1, 3, "bfs", 0)


def test_a_machine_without_triton_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)
    monkeypatch.delitem(sys.modules, "gomkcn_dgl.kernels.bfs_triton")
    with pytest.raises(
        BackendError, match=r"install gomkcn-dgl\[gpu\], or extract them on the CPU"
    ):
        __import__("gomkcn_dgl.kernels.bfs_triton")


def test_the_plain_sampler_agrees_on_a_ring_with_chords(device):
    # one comparison with the definition itself, not with what is compared with it elsewhere
    graph = build(nx.circulant_graph(12, [1, 3]))
    rows = graph.indptr, graph.indices, None, None, graph.relations.reverse, graph.colored_rows
    keys = graph.colored_rows.colors[[4]] >> np.uint64(FEATURE_BITS)
    expected = bfs_reference.extract(*rows, np.array([4]), keys, 2, 5, "dense", 7)
    root = torch.tensor([4], device=device)
    found = extract(DeviceGraph.of(graph, device), root, 2, 5, "dense", 7)
    for name in ("nodes", "num_nodes", "truncated", "links"):
        value = getattr(found, name).cpu().numpy()
        np.testing.assert_array_equal(value, getattr(expected, name))
