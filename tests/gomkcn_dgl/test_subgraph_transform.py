"""Subgraphs that are kept with graphs of DGL and PyG: batches, blocks, scores of a layer."""

import copy

import pytest
import torch
from library_graphs import KINDS, convolution, graphs_of, to_pyg
from torch_geometric.data import Batch, HeteroData
from torch_geometric.loader import DataLoader as PyGLoader
from torch_geometric.loader import NodeLoader
from torch_geometric.sampler import SamplerOutput
from torch_geometric.transforms import Compose, ToUndirected

from gomkcn.synthetic import MotifClassificationDataset, PlantingSettings
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.errors import GomkcnError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.model import GOMKCN
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.subgraph_transform import SubgraphTransform
from gomkcn_dgl.subgraphs import SubgraphSettings


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("policy", ["bfs", "dense"])
@pytest.mark.parametrize("kinds", KINDS)
def test_a_batch_of_graphs_that_keep_subgraphs_has_their_scores(
    kinds, policy, weight, no_extraction
):
    graphs, conv = graphs_of(kinds), convolution(kinds, policy=policy)
    named = {"weight": weight, "relation": "kind" if len(kinds) > 1 else None}
    feat = torch.cat([graph.ndata["feat"] for graph in graphs])
    expected = conv(as_csr(graphs, **named), feat)
    transform = conv.transform(**named)
    whole = transform(dgl.batch(graphs))
    kept = [transform(graph) for graph in graphs]
    # what was given keeps nothing
    assert "subgraph_nodes" not in graphs[0].ndata
    pyg = [transform(to_pyg(graph)) for graph in graphs]
    assert (kept[0].ndata["subgraph_links"].dim() == 4) == (kinds != KINDS[0])
    no_extraction()
    joined = dgl.batch(kept)
    for batch in (
        whole,
        joined,
        Batch.from_data_list(pyg),
        dgl.batch([dgl.batch(kept[:2]), *kept[2:]]),
    ):
        assert torch.equal(conv(batch, feat), expected)
    # one graph of a batch again, and one alone
    for batch in (whole, joined):
        again = dgl.unbatch(batch)[2]
        assert torch.equal(conv(again, again.ndata["feat"]), expected[13:33])
    assert torch.equal(conv(pyg[3], pyg[3].x), expected[33:])


def test_loaders_of_both_libraries_and_a_model(no_extraction):
    data = MotifClassificationDataset(40, settings=PlantingSettings("per_node"))
    torch.manual_seed(0)
    model = GOMKCN(3, 4, filter_size=5, num_layers=2, num_hops=2, pooling="mean").eval()
    transform = model.first_conv.transform()
    # equal transforms print alike: PyG writes the text beside what it has processed
    assert transform == model.first_conv.transform() and repr(transform) == repr(
        SubgraphTransform(SubgraphSettings(2, 5), model.first_conv.relations)
    )
    expected = torch.cat([model(graph, graph.ndata["feat"]) for graph, _ in data])
    kept = [(transform(graph), label) for graph, label in data]
    pyg = [Compose([ToUndirected(), transform])(one) for one in data.to_pyg()]
    no_extraction()
    of_dgl = torch.cat(
        [
            model(batch, batch.ndata["feat"])
            for batch, _ in dgl.dataloading.GraphDataLoader(kept, batch_size=16)
        ]
    )
    of_pyg = torch.cat([model(batch, batch.x) for batch in PyGLoader(pyg, batch_size=16)])
    torch.testing.assert_close(of_dgl, expected)
    torch.testing.assert_close(of_pyg, expected)
    # the state of a model, put into another
    other = GOMKCN(3, 4, filter_size=5, num_layers=2, num_hops=2, pooling="mean").eval()
    other.load_state_dict(copy.deepcopy(model.state_dict()))
    torch.testing.assert_close(other(kept[0][0], kept[0][0].ndata["feat"]), expected[:1])


def test_what_a_transform_does_not_take_is_refused():
    conv, path = convolution(KINDS[0]), dgl.graph(([0, 1], [1, 2]))
    transform = conv.transform()
    hetero = dgl.heterograph({("a", "to", "b"): ([0], [0])})
    pyg = HeteroData(a={"x": torch.ones(1, 1)})
    for graph, words in (
        (as_csr(path), "takes a DGLGraph or a PyG Data, with one type of nodes, got CSRGraph"),
        (pyg, "takes a DGLGraph or a PyG Data, with one type of nodes, got HeteroData"),
        (hetero, "takes graphs with one type of nodes, got 2"),
    ):
        with pytest.raises(GomkcnError, match=words):
            transform(graph)
    with pytest.raises(GomkcnError, match="message_flow is made of a DGLGraph, got list"):
        transform.message_flow([path])
    with pytest.raises(GomkcnError, match="at most 8 channels, .* got 10"):
        SubgraphTransform(SubgraphSettings(1, 3), relations_of(list("abcde"), [True] * 5))


def test_subgraphs_of_other_nodes_sizes_or_relations_are_refused():
    conv, (graph, *_) = convolution(KINDS[0]), graphs_of(KINDS[0])
    kept = conv.transform()(graph)
    # nodes removed or put in another order after the transform
    parts = [kept.subgraph(nodes) for nodes in ([3, 1, 2], list(range(11)), [1, 2], [0, 0])]
    for part in parts:
        with pytest.raises(GomkcnError, match="SubgraphTransform, which must come last"):
            conv(part, part.ndata["feat"])
    feat = graph.ndata["feat"]
    for other, words in (
        (convolution(KINDS[0], max_nodes=4), "max_nodes must be that of the given subgraphs, 5"),
        (convolution(KINDS[1]), "must agree on relations, got 1 and 2 channels"),
    ):
        with pytest.raises(GomkcnError, match=words):
            other(kept, feat)
    weight = torch.ones(graph.num_edges())
    for given in ({"edge_weight": weight}, {"edge_value": weight}, {"edge_type": weight.long()}):
        for subgraphs in (kept, conv.subgraphs(graph)):
            with pytest.raises(GomkcnError, match="cannot be given with subgraphs"):
                conv(subgraphs, feat, **given)
    with pytest.raises(GomkcnError, match=r"feat must have the shape \[12, 3\], got \[11, 3\]"):
        conv(kept, feat[:11])


class TwoNeighbours:
    """What NeighborLoader samples, which needs a library of its own: at most two arcs into each."""

    edge_permutation = None

    def __init__(self, edge_index):
        self.edge_index = edge_index

    def sample_from_nodes(self, index, **_):
        source, target = self.edge_index
        kept = torch.cat([(target == node).nonzero()[:2, 0] for node in index.node])
        others = source[kept][~torch.isin(source[kept], index.node)].unique()
        nodes = torch.cat([index.node, others])
        row, col = ((nodes == ends[kept][:, None]).int().argmax(1) for ends in (source, target))
        return SamplerOutput(nodes, row, col, kept, metadata=(index.input_id, index.time))


def neighbours(data):
    """A batch of a loader that samples neighbours."""
    return next(iter(NodeLoader(data, TwoNeighbours(data.edge_index), batch_size=4)))


def test_a_batch_of_neighbours_is_refused():
    data, conv = to_pyg(graphs_of(KINDS[0])[2]), convolution(KINDS[0])
    way_out = r"NeighborLoader lacks edges .*conv\.sampler\(\)\.node_loader\(data\)"
    for given in (data, conv.transform()(data)):
        batch = neighbours(given)
        for call in (lambda one: conv(one, one.x), conv.subgraphs, conv.transform()):
            with pytest.raises(GomkcnError, match=way_out):
                call(batch)
        with pytest.raises(GomkcnError, match=way_out):
            conv.sampler().sample(batch, [0])
    # what the way out gives has all edges
    batch = next(iter(conv.sampler().node_loader(data, batch_size=4)))
    torch.testing.assert_close(conv(batch, batch.x), conv(data, data.x)[:4])
    # and so has a part of a graph that somebody cut out
    part = data.subgraph(torch.arange(9))
    assert conv(part, part.x).shape == conv(data, data.x)[:9].shape


def test_a_batch_of_neighbours_of_several_types_is_refused():
    data, batch = HeteroData(), neighbours(to_pyg(graphs_of(KINDS[0])[2]))
    data["a"].x, data["a", "to", "a"].edge_index = batch.x, batch.edge_index
    conv = convolution(KINDS[0])
    assert len(conv.subgraphs(data).nodes) == len(batch.x)
    data["a"].n_id, data["a"].input_id = batch.n_id, batch.input_id
    with pytest.raises(GomkcnError, match="NeighborLoader lacks edges"):
        conv.subgraphs(data)


# ---------------------------------------------------------------- message-flow blocks


def blocks_of(graph, roots, num_layers=1, fanout=-1, batch_size=8):
    sampler = dgl.dataloading.NeighborSampler([fanout] * num_layers)
    return dgl.dataloading.DataLoader(graph, roots, sampler, batch_size=batch_size)


@pytest.mark.parametrize("num_hops", [1, 3])
@pytest.mark.parametrize("kinds", KINDS)
def test_a_block_gives_the_rows_of_its_destinations(kinds, num_hops):
    graphs, conv = graphs_of(kinds), convolution(kinds, num_hops=num_hops)
    whole = dgl.batch(graphs)
    named = {"relation": "kind", "weight": "w"} if len(kinds) > 1 else {}
    transform = conv.transform(**named)
    kept = transform(whole)
    expected = conv(kept, kept.ndata["feat"])
    roots = torch.randperm(40, generator=torch.Generator().manual_seed(0))[:21]
    seen = 0
    for _, chosen, [block] in blocks_of(transform.message_flow(whole), roots):
        source, target = block.srcdata["feat"], block.dstdata["feat"]
        assert torch.equal(conv(block, source), expected[chosen])
        # what is given for the destinations is what is scored
        assert torch.equal(
            conv(block, (0 * source, target)),
            conv(block, (torch.cat([target, 0 * source[len(target) :]]))),
        )
        with pytest.raises(GomkcnError, match=f"destinations must have {len(chosen)} rows, got 0"):
            conv(block, (source, target[:0]))
        seen += len(chosen)
    assert seen == 21
    # blocks of the graph itself have all nodes that are one hop away, and their edges are kept
    for _, chosen, [block] in blocks_of(kept, roots):
        if num_hops == 1 and kinds == KINDS[0]:
            assert torch.equal(conv(block, block.srcdata["feat"]), expected[chosen])


def test_blocks_that_lack_something_are_refused():
    graph, conv = graphs_of(KINDS[0])[2], convolution(KINDS[0])
    kept, roots = conv.transform()(graph), torch.arange(8)
    for sampled, fanout, words in (
        (graph, -1, "a message-flow block lacks the edges among the neighbours"),
        (kept, 1, r"all nodes of the subgraphs of its destinations, and \d of 8 subgraphs lack"),
    ):
        for _, _, [block] in blocks_of(sampled, roots, fanout=fanout):
            with pytest.raises(GomkcnError, match=words):
                conv(block, block.srcdata["feat"])


def test_a_model_takes_a_block_for_each_convolution():
    graph = graphs_of(KINDS[0])[2]
    torch.manual_seed(0)
    options = {"filter_size": 5, "num_layers": 2, "num_hops": 2}
    model = GOMKCN(3, 4, **options).eval()
    feat = graph.ndata["feat"]
    expected = model(graph, feat)
    flow = model.first_conv.transform().message_flow(graph)
    for _, chosen, blocks in blocks_of(flow, torch.arange(3, 11), num_layers=2, batch_size=5):
        given = blocks, blocks[0].srcdata["feat"]
        torch.testing.assert_close(model(*given), expected[chosen])
        torch.testing.assert_close(
            model(*given, rows=torch.tensor([2, 0])), expected[chosen[[2, 0]]]
        )
        for wrong, words in (
            (blocks[:1], "as many as convolutions, 2, got 1"),
            (blocks[0], "as many as convolutions, 2, got 1"),
            (blocks[:1] * 2, "sources of a block must be the destinations of the one before"),
        ):
            with pytest.raises(GomkcnError, match=words):
                model(wrong, given[1])
        with pytest.raises(GomkcnError, match="pooling=None"):
            GOMKCN(3, 4, pooling="sum", **options)(*given)


def test_subgraphs_that_dgl_samples_whole_have_the_scores_of_the_graph():
    # what the refusal of a block names; nothing is truncated
    graph, conv = graphs_of(KINDS[0])[2], convolution(KINDS[0], max_nodes=20)
    expected = conv(graph, graph.ndata["feat"])
    sampler = dgl.dataloading.ShaDowKHopSampler([-1, -1])
    for _, chosen, part in dgl.dataloading.DataLoader(
        graph, torch.arange(6), sampler, batch_size=3
    ):
        scores = conv(part, part.ndata["feat"])[: len(chosen)]
        torch.testing.assert_close(scores, expected[chosen])
