"""GOMKConv as a DGL layer: beside gomk, batches, training, directions and edge types."""

import copy

import networkx as nx
import numpy as np
import pytest
import torch
from random_graphs import draw
from tiny_graphs import with_kernel
from tolerances import GRADIENTS, VALUES

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import GomkcnError, InputError, InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.layer import GOMKConv, GraphBatch
from gomkcn_dgl.matching import gomk
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.subgraph_sampler import SubgraphSampler
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs


def to_dgl(graph, width=2, seed=0):
    """Give a graph random features ``feat`` and symmetric edge weights ``w``."""
    graph = nx.convert_node_labels_to_integers(graph)
    converted = dgl.from_networkx(graph)
    generator = torch.Generator().manual_seed(seed)
    converted.ndata["feat"] = torch.rand(len(graph), width, generator=generator)
    source, target = converted.edges()
    converted.edata["w"] = 1.0 + (source + target) % 3
    return converted


@pytest.fixture
def tree():
    return to_dgl(nx.balanced_tree(2, 3))


def layer(**change):
    torch.manual_seed(0)
    sizes = {"in_feats": 2, "out_feats": 3, "filter_size": 4, "num_hops": 1, "num_levels": 2}
    return GOMKConv(**with_kernel({**sizes, **change}))


@pytest.mark.parametrize(
    ("sampling", "kernel"),
    [
        ({}, {}),
        ({"max_nodes": 3, "policy": "bfs", "seed": 3}, {}),
        ({"max_nodes": 3, "policy": "dense"}, {}),
        ({}, {"padding": "mask", "matching": "greedy"}),
        ({}, {"anchor_root": True, "aggregation": "mean", "tau": (1, 2, 3), "level_scale": 2.0}),
    ],
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_the_layer_is_gomk_of_the_extracted_subgraphs(tree, sampling, kernel, weight):
    # most balls of 2 hops are truncated
    conv = layer(num_hops=2, **sampling, **kernel)
    csr = as_csr(tree, weight=weight)
    scores = conv(tree if weight is None else csr, tree.ndata["feat"])
    batch = extract_subgraphs(csr, SubgraphSettings(2, **{"max_nodes": 4, **sampling}))
    expected = gomk(
        torch.from_numpy(batch.adjacency()),
        torch.from_numpy(batch.gather(csr.features)),
        conv.filters.adj(),
        conv.filters.feat(),
        num_nodes=torch.from_numpy(batch.num_nodes),
        normalize=True,
        kernel=conv.kernel,
    )
    torch.testing.assert_close(scores, expected, **VALUES[torch.float32])


def test_sizes_and_hops_have_the_usual_defaults(tree):
    conv = GOMKConv(2, 5)
    # those of the paper: filters of 6 nodes, subgraphs of 6 nodes within 3 hops
    assert (conv.out_feats, conv.filter_size) == (5, 6)
    assert conv.settings == SubgraphSettings(num_hops=3, max_nodes=6) == SubgraphSampler().settings
    assert conv(tree, tree.ndata["feat"]).shape == (15, 5)
    # some node of a larger pattern sees it whole
    assert GOMKConv(in_feats=2, out_feats=5, filter_size=11).settings.num_hops == 5
    assert GOMKConv(2, 5, 3, 1).settings == SubgraphSettings(1, 3)
    with pytest.raises(InputError, match="out_feats must be .*1"):
        GOMKConv(2, 0)


def test_given_subgraphs_are_used_and_not_extracted_again(tree):
    # two hops instead of the layer's one
    given = layer(num_hops=2).subgraphs(tree)
    expected = layer(num_hops=2)(tree, tree.ndata["feat"])
    scores = layer(num_hops=1)(given, tree.ndata["feat"])
    assert torch.equal(scores, expected)
    assert not torch.equal(scores, layer(num_hops=1)(tree, tree.ndata["feat"]))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_nodes": 5}, "max_nodes must be that of the given subgraphs, 5, got 4"),
        ({"relations": relations_of(["edge"], [True])}, "agree on relations, got 2 and 1 channels"),
    ],
)
def test_subgraphs_of_another_layer_are_refused(tree, options, words):
    with pytest.raises(InputError, match=words):
        layer()(layer(**options).subgraphs(tree), tree.ndata["feat"])


def test_features_that_do_not_fit_are_refused(tree):
    ones = torch.ones
    for feat in (ones(15, 3), ones(14, 2), ones(15), ones(15, 2).numpy(), None):
        with pytest.raises(GomkcnError, match=r"feat must (have the shape \[15, 2\]|be a tensor)"):
            layer()(tree, feat)


@pytest.mark.parametrize("kinds", [{"edge": False}, {"edge": True}, {"0": True, "1": False}])
def test_tensors_as_in_pyg_give_the_scores_and_gradients_of_a_collection(kinds):
    sizes = [12, 1, 9]
    csr = as_csr([draw(kinds, k, size, 3 * size)[0] for k, size in enumerate(sizes)])
    source, target, relation = csr.edges()
    # both ways, where an edge has no direction
    back = ~np.array(list(kinds.values()))[relation]
    ends = np.array([np.append(source, target[back]), np.append(target, source[back])])
    edge_index = torch.from_numpy(ends)
    edge_type = torch.from_numpy(np.append(relation, relation[back])) if len(kinds) > 1 else None
    batch = torch.arange(3).repeat_interleave(torch.tensor(sizes))
    torch.manual_seed(0)
    feat = torch.rand(22, 3, requires_grad=True)
    options = {"num_hops": 2, "relations": csr.relations, "policy": "bfs"}
    model = GOMKCN(3, 2, filter_size=4, num_layers=2, pooling="mean", **options).eval()
    conv = GOMKConv(3, 4, 4, **options)
    for module, num_rows in ((conv, 22), (model, 3)):
        results = []
        for arguments in ((csr, feat), (feat, edge_index, edge_type, batch)):
            scores = module(*arguments)
            wanted = [feat, *module.parameters()]
            gradients = torch.autograd.grad(scores.square().sum(), wanted, allow_unused=True)
            results.append([scores, *gradients])
        assert len(scores) == num_rows
        for one, same in zip(*results, strict=True):
            assert (one is None and same is None) or torch.equal(one, same)
    with pytest.raises(InputError, match="^edge_type is for a layer that has relations"):
        GOMKConv(3, 4, 4, 2)(feat, edge_index, torch.zeros(len(ends[0]), dtype=torch.int64))
    # truncated balls keep the same nodes where nobody says which nodes are whose
    given = feat, edge_index, edge_type
    assert torch.equal(conv(*given, batch), conv(*given))


# ---------------------------------------------------------------- edge weights


def test_edge_weights_are_given_as_to_layers_of_dgl_and_of_pyg(tree):
    conv, feat, weight = layer(num_hops=2), tree.ndata["feat"], tree.edata["w"].float()
    expected = conv(as_csr(tree, weight="w"), feat)
    assert not torch.allclose(expected, conv(tree, feat))
    edge_index = torch.stack(tree.edges())
    for given in (weight, weight.double(), weight[:, None]):
        for scores in (
            conv(tree, feat, edge_weight=given),
            conv(tree, feat, given),
            conv(feat, edge_index, given),
            conv(feat, edge_index, edge_weight=given),
        ):
            assert torch.equal(scores, expected)
    torch.manual_seed(0)
    model = GOMKCN(2, 3, filter_size=4, pooling="mean").eval()
    logits = model(tree, feat, edge_weight=weight)
    assert torch.equal(model(feat, edge_index, weight), logits)
    assert torch.equal(model(as_csr(tree, weight="w"), feat), logits)
    # weights and types, in any place
    kind = (tree.edges()[0] + tree.edges()[1]) % 2
    tree.edata["kind"] = kind
    csr = as_csr(tree, weight="w", relation="kind")
    conv = layer(relations=csr.relations)
    expected = conv(csr, feat)
    assert torch.equal(conv(feat, edge_index, kind, edge_weight=weight), expected)
    assert torch.equal(conv(feat, edge_index, weight, edge_type=kind), expected)
    assert torch.equal(conv(tree, feat, edge_weight=weight, edge_type=kind), expected)


def test_edge_weights_that_are_none_are_refused(tree):
    feat, weight = tree.ndata["feat"], tree.edata["w"].float()
    typed = layer(relations=relations_of(["0", "1"], [False, False]))
    kind = torch.zeros(len(weight), dtype=torch.int64)
    for conv, graph, options, words in (
        (layer(), tree, {"edge_weight": weight.long()}, "must be a tensor .* got torch.int64"),
        (layer(), tree, {"edge_weight": weight.tolist()}, "must be a tensor .* got list"),
        (layer(), tree, {"edge_weight": -weight.detach()}, "edge weights must be at least 0"),
        (layer(), tree, {"edge_weight": weight[1:].detach()}, "one number for each of the 28"),
        (layer(), tree, {"edge_value": kind}, "^edge_type is for a layer that has relations"),
        (layer(), as_csr(tree), {"edge_weight": weight.detach()}, "of a CSRGraph are its own"),
        (layer(), tree, {"batch": kind}, "batch goes with tensors"),
        (layer(), tree, {"edge_value": weight.detach(), "edge_weight": weight}, "given once"),
        (typed, tree, {"edge_value": kind, "edge_type": kind}, "edge_type must be given once"),
    ):
        with pytest.raises(GomkcnError, match=words):
            conv(graph, feat, **options)


# ---------------------------------------------------------------- sparse matrices, wrong types


class SparseTensor:
    """What a layer reads of the SparseTensor of torch_sparse."""

    def __init__(self, row, col, value, size):
        self.parts, self.size = (row, col, value), size

    def sparse_sizes(self):
        return self.size

    def coo(self):
        return self.parts


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_coo, "torch_sparse"])
@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_sparse_adj_t_is_read_as_its_edges(layout, weighted):
    from torch_geometric.data import Data
    from torch_geometric.transforms import ToSparseTensor

    csr, *_ = draw({"edge": True}, 0, 12, 30)
    source, target, _ = (torch.from_numpy(column) for column in csr.edges())
    ends, feat = torch.stack([source, target]), torch.rand(12, 2)
    weight = 1 + torch.rand(len(source)) if weighted else None
    data = Data(x=feat, edge_index=ends, edge_weight=weight)
    if layout == "torch_sparse":
        data = Data(x=feat, adj_t=SparseTensor(target, source, weight, (12, 12)))
    else:
        data = ToSparseTensor(layout=layout)(data)
    conv = layer(relations=csr.relations)
    plain = conv(feat, ends)
    expected = conv(feat, ends, edge_weight=weight)
    # a matrix that is transposed gives other scores
    assert not torch.allclose(plain, conv(feat, ends.flip(0)))
    assert torch.equal(conv(feat, data.adj_t), expected)
    model = GOMKCN(2, 3, filter_size=4, pooling="max", relations=csr.relations).eval()
    assert torch.equal(model(feat, data.adj_t), model(feat, ends, edge_weight=weight))
    if weighted:
        with pytest.raises(
            InputError, match="^edge_weight must be given once, got it beside the v"
        ):
            conv(feat, data.adj_t, edge_weight=weight)
        assert torch.equal(conv(as_csr(data, weight="edge_weight"), feat), expected)
    # and wherever a Data is taken
    assert torch.equal(conv(data, feat), plain)
    assert as_csr(data).num_edges == len(source)
    if layout != "torch_sparse":
        assert torch.equal(conv(conv.transform()(data), feat), plain)
        batch = conv.sampler().sample(data, torch.arange(12))
        assert torch.equal(conv(batch, batch.x), plain) and "adj_t" not in batch
        # and rows of an adjacency are sources
        assert as_csr(data.adj_t, directed=True).edges()[0].tolist() == target.sort()[0].tolist()


def test_a_sparse_matrix_that_is_no_adjacency_is_refused():
    feat = torch.rand(3, 2)
    for matrix, words in (
        (torch.ones(2, 4).to_sparse(), r"^adj_t must be square, \[V, V\], got \[2, 4\]"),
        (
            torch.ones(3, 3, 2).to_sparse(2),
            r"^adj_t must hold one number for each edge, got \[9, 2",
        ),
    ):
        with pytest.raises(InputError, match=words):
            layer()(feat, matrix)


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_sparse_matrix_of_other_nodes_is_refused(size):
    from torch_geometric.data import Data

    feat, matrix = torch.rand(3, 2), torch.eye(size).to_sparse_csr()
    words = rf"^adj_t must have a row for each of the 3 nodes, got \[{size}, {size}\]"
    data = Data(x=feat, adj_t=matrix)
    model = GOMKCN(2, 3, filter_size=4, pooling="max")
    for module, given in (
        (layer(), (feat, matrix)),
        (model, (feat, matrix)),
        (layer(), (data, feat)),
    ):
        with pytest.raises(InputError, match=words):
            module(*given)
    with pytest.raises(InputError, match=words):
        as_csr(data)


@pytest.mark.parametrize("dtype", [torch.float64, torch.int64, torch.bool, torch.complex64])
def test_features_of_another_type_than_the_filters_are_refused(tree, dtype):
    feat, ends = torch.ones(15, 2, dtype=dtype), torch.stack(tree.edges())
    given = f"layer's filters, torch.float32, got {dtype}; give feat.to\\(torch.float32\\)"
    for module in (layer(), GOMKCN(2, 3, filter_size=4), GOMKCN(2, 3, hidden_feats=None)):
        for arguments in ((tree, feat), (feat, ends)):
            with pytest.raises(InputTypeError, match=f"^feat must have the dtype of the {given}"):
                module(*arguments)
    with pytest.raises(InputTypeError, match=r"^feat must have the dtype"):
        layer()(layer().subgraphs(tree), feat)
    # of fewer bits they are widened
    assert layer().double()(tree, torch.ones(15, 2)).dtype == torch.float64
    assert layer()(tree, torch.ones(15, 2, dtype=torch.bfloat16)).dtype == torch.float32


HALVES = [torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_layer_of_half_precision_has_the_scores_and_gradients_of_one_of_float32(
    tree, dtype, weighted
):
    ends = torch.stack(tree.edges())
    weight = tree.edata["w"].to(dtype) if weighted else None
    torch.manual_seed(0)
    network = GOMKCN(2, 3, filter_size=4, num_layers=2, pooling="mean").eval()
    for module in (layer(num_hops=2), network):
        half = module.to(dtype)
        whole = copy.deepcopy(half).float()
        feat = tree.ndata["feat"].to(dtype).requires_grad_()
        same = feat.detach().float().requires_grad_()
        found, expected = half(feat, ends, weight), whole(same, ends, weight)
        assert found.dtype == dtype and expected.dtype == torch.float32
        torch.testing.assert_close(found.float(), expected, **VALUES[dtype])
        for scores in (found, expected):
            scores.float().square().sum().backward()
        assert feat.grad.dtype == dtype
        torch.testing.assert_close(feat.grad.float(), same.grad, **GRADIENTS[dtype])
        for one, other in zip(half.parameters(), whole.parameters(), strict=True):
            assert one.grad.dtype == dtype
            torch.testing.assert_close(one.grad.float(), other.grad, **GRADIENTS[dtype])


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("hidden_feats", [0, 4])
def test_half_features_are_widened_to_the_filters_of_a_layer_and_a_network(
    tree, dtype, hidden_feats
):
    ends, feat = torch.stack(tree.edges()), tree.ndata["feat"].to(dtype)
    network = GOMKCN(2, 3, hidden_feats=hidden_feats, filter_size=4, pooling="max").eval()
    for module in (layer(), network, network.double()):
        assert torch.equal(module(feat, ends), module(feat.float(), ends))


@pytest.mark.parametrize(
    ("of_layer", "dtype"),
    [
        (half, other)
        for half in HALVES
        for other in (torch.float32, torch.float64, *HALVES)
        if other != half
    ],
)
def test_features_that_a_half_layer_does_not_hold_are_refused(tree, of_layer, dtype):
    words = f"^feat must have .* filters, {of_layer}, got {dtype}; give feat.to\\({of_layer}\\) or"
    for module in (layer().to(of_layer), GOMKCN(2, 3, filter_size=4).to(of_layer)):
        with pytest.raises(InputTypeError, match=words):
            module(tree, tree.ndata["feat"].to(dtype))


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_features_that_are_not_finite_are_refused(tree, value, dtype):
    conv, network = layer(), GOMKCN(2, 3, filter_size=4, num_hops=1, pooling="max").eval()
    feat = tree.ndata["feat"].to(dtype)
    subgraphs, sizes = conv.subgraphs(tree), torch.tensor([15])
    whole = GraphBatch(subgraphs, feat, sizes)
    feat[3, 1] = value
    words = rf"^feat must be finite, got {value} in row 3, column 1 \(1 such"
    for call in (
        lambda: conv(tree, feat),
        lambda: conv(feat, torch.stack(tree.edges())),
        lambda: conv(subgraphs, feat),
        lambda: conv.subgraphs(tree, feat=feat),
        lambda: network(tree, feat),
        lambda: network(whole),
    ):
        with pytest.raises(InputError, match=words):
            call()
    # numbers whose sum is no number of the type are finite
    large = torch.full((15, 2), torch.finfo(dtype).max / 4, dtype=dtype)
    assert layer(num_levels=0)(tree, large).isfinite().all()


def test_a_network_whose_parameters_are_not_finite_has_logits_that_are_not(tree):
    # which a loop of training sees in its loss, where no feature is to blame
    network = GOMKCN(2, 3, filter_size=4, pooling="max").eval()
    torch.nn.init.constant_(network.input.weight, torch.nan)
    assert network(tree, tree.ndata["feat"]).isnan().all()


def test_weights_in_the_place_of_edges_are_refused(tree):
    ends = torch.stack(tree.edges()).float()
    with pytest.raises(
        InputTypeError, match="^edge_index must be .* int64, got torch.float32; give"
    ):
        layer()(tree.ndata["feat"], ends)


# ---------------------------------------------------------------- as a module of PyTorch


def test_it_prints_its_sizes_and_is_drawn_anew():
    conv = layer(num_hops=2, relations=relations_of(["a", "b"], [True, False]))
    assert repr(conv).splitlines()[1:3] == [
        "  2, 3, num_hops=2, max_nodes=4, policy='bfs', relations=('a', 'b')",
        "  (filters): GraphFilters(3, filter_size=4, feature_width=2, bounded_feats=False, "
        "directed=(True, False))",
    ]
    before = {name: one.clone() for name, one in conv.state_dict().items()}
    torch.manual_seed(1)
    conv.reset_parameters()
    drawn = {name: one.clone() for name, one in conv.state_dict().items()}
    assert [name for name, one in before.items() if not torch.equal(drawn[name], one)] == [
        "filters.free_adj",
        "filters.free_feat",
    ]
    torch.manual_seed(1)
    conv.reset_parameters()
    assert all(torch.equal(drawn[name], one) for name, one in conv.state_dict().items())


def test_it_is_part_of_a_sequential_of_pyg(tree):
    from torch_geometric.nn import GCNConv, Sequential

    torch.manual_seed(0)
    steps = [
        (layer(), "x, edge_index, w -> x"),
        torch.nn.ReLU(),
        (GCNConv(3, 2), "x, edge_index, w -> x"),
        (layer(), "x, edge_index -> x"),
    ]
    network = Sequential("x, edge_index, w", steps)
    feat, edge_index, weight = tree.ndata["feat"], torch.stack(tree.edges()), tree.edata["w"]
    hidden = steps[2][0](steps[0][0](tree, feat, weight.float()).relu(), edge_index, weight.float())
    expected = steps[3][0](tree, hidden)
    torch.testing.assert_close(network(feat, edge_index, weight.float()), expected)
    # and of subgraphs that were extracted once
    conv = layer()
    once = Sequential("x, subgraphs", [(conv, "x, subgraphs -> x")])
    assert torch.equal(once(feat, conv.subgraphs(tree)), conv(tree, feat))


# ---------------------------------------------------------------- directions and edge types


def test_directions_count_where_the_layer_has_relations():
    graph = dgl.graph(([0, 0, 1, 2, 3, 4], [1, 2, 2, 3, 4, 2]))
    feat = torch.rand(5, 2)
    directed = layer(relations=as_csr(graph).relations)
    assert directed.filters.directed == (True,)
    assert not torch.allclose(directed(graph, feat), directed(dgl.reverse(graph), feat))
    both = dgl.to_bidirected(graph)
    torch.testing.assert_close(layer()(graph, feat), layer()(both, feat))


def test_relations_are_those_of_a_graph():
    with pytest.raises(TypeError, match="relations must be those of a graph"):
        layer(relations=["a"])


def test_features_that_no_filter_is_similar_to_are_told_once(tree, caplog):
    far, conv = 100 + torch.rand(15, 2), layer()
    # nodes with padding, which has the feature 0, have scores of it, and all others none
    assert len(conv(tree, far).unique(dim=0)) < 5
    conv(tree, far)
    [line] = caplog.messages
    assert "no node is similar to a node of a filter" in line
    assert "go from 100 to 101" in line and "scale the features to [0, 1]" in line
    # another layer says it again
    layer()(tree, far)
    assert len(caplog.messages) == 2
    # one that its features reach does not, nor one whose kernel is wide, nor one without nodes
    some = torch.cat([far[1:], far[:1] - 100])
    for feat in (far - 100, some):
        layer()(tree, feat)
    layer(tau=1e5)(tree, far)
    assert len(caplog.messages) == 2


def test_features_for_subgraphs_must_fit_the_graph(tree):
    conv, bare = layer(), as_csr(nx.balanced_tree(2, 3))
    assert conv.subgraphs(bare, feat=tree.ndata["feat"]).nodes.shape == (15, 4)
    for feat in (torch.rand(3, 2), torch.rand(15, 3)):
        with pytest.raises(InputError, match=r"^feat must have the shape \[15, 2\], got \["):
            conv.subgraphs(bare, feat=feat)
    with pytest.raises(InputTypeError, match=r"^feat must be a tensor \[V, 2\], got list"):
        conv.subgraphs(bare, feat=[1.0, 2.0])
