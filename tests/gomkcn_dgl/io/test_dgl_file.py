"""DGL .bin files: every layout as DGL reads it, and damaged ones."""

import os
import signal
import struct

import pytest
import torch
from graph_files import assert_same, refuse

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph


def random_graphs(id_type=torch.int64, layout="coo"):
    generator = torch.Generator().manual_seed(0)
    graphs = []
    for num_nodes in (1, 4, 6):
        source, target = torch.randint(num_nodes, (2, 9), generator=generator)
        graph = dgl.graph((source, target), num_nodes=num_nodes, idtype=id_type).formats(layout)
        graph.ndata["feat"] = torch.rand(num_nodes, 2, 2, generator=generator)
        graph.ndata["half"] = torch.rand(num_nodes, generator=generator).bfloat16()
        graph.ndata["on"] = torch.rand(num_nodes, generator=generator) > 0.5
        graph.edata["weight"] = torch.rand(9, 1, generator=generator, dtype=torch.float64)
        graphs.append(graph)
    return graphs


@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
@pytest.mark.parametrize("id_type", [torch.int32, torch.int64])
def test_every_layout_reads_as_dgl_reads_it(tmp_path, layout, id_type):
    path = tmp_path / "g.bin"
    dgl.save_graphs(str(path), random_graphs(id_type, layout), {"label": torch.tensor([1, 0, 1])})
    loaded, _ = dgl.load_graphs(str(path))
    for features in (None, ["half", "on"]):
        expected = as_csr(loaded, features=features, edge_weight="weight")
        assert_same(read_graph(path, features=features), expected)
    refuse(
        path, "the collection has no 'size'; it holds ['feat', 'half', 'on']", features=("size",)
    )


# the position of the field, its new value, and the reason
@pytest.mark.parametrize(
    ("position", "value", "words"),
    [
        (0, b"no graph", "the file is not a DGL graph file"),
        (8, struct.pack("<Q", 1), "the DGL file is damaged or cut off; DGL cannot load it."),
        (24, struct.pack("<Q", 0), "the file holds no graph."),
    ],
)
def test_another_header(tmp_path, position, value, words):
    path = tmp_path / "g.bin"
    dgl.save_graphs(str(path), random_graphs())
    data = path.read_bytes()
    path.write_bytes(data[:position] + value + data[position + 8 :])
    refuse(path, words)


@pytest.mark.parametrize("length", [40, 4100, 5000])
def test_a_file_that_is_cut_off_is_refused(tmp_path, length):
    path = tmp_path / "g.bin"
    dgl.save_graphs(str(path), random_graphs())
    path.write_bytes(path.read_bytes()[:length])
    refuse(path, "the DGL file is damaged or cut off; DGL cannot load it.")


def test_what_kills_dgl_does_not_kill_the_caller(tmp_path, monkeypatch):
    path = tmp_path / "g.bin"
    dgl.save_graphs(str(path), random_graphs())
    monkeypatch.setattr(dgl, "load_graphs", lambda name: os.kill(os.getpid(), signal.SIGKILL))
    refuse(path, "the DGL file is damaged or cut off; DGL cannot load it.")


def citations(generator):
    edges = {
        ("author", "writes", "paper"): ([0, 0, 1], [0, 1, 1]),
        ("paper", "cites", "paper"): ([0], [1]),
        ("author", "knows", "author"): ([0, 1], [1, 0]),
        ("reader", "knows", "author"): ([], []),
    }
    graph = dgl.heterograph(edges, {"author": 2, "paper": 3, "reader": 1})
    for kind in graph.ntypes:
        graph.nodes[kind].data["feat"] = torch.rand(graph.num_nodes(kind), 2, generator=generator)
    for kind in graph.canonical_etypes:
        number = graph.num_edges(kind)
        graph.edges[kind].data["weight"] = torch.rand(number, generator=generator)
    return graph


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
def test_heterographs_read_as_dgl_reads_them(tmp_path, number, layout):
    generator, path = torch.Generator().manual_seed(0), tmp_path / "g.bin"
    graphs = [citations(generator).formats(layout) for _ in range(number)]
    dgl.save_graphs(str(path), graphs)
    expected = as_csr(dgl.load_graphs(str(path))[0], edge_weight="weight")
    assert_same(read_graph(path), expected)
    assert expected.feature_names == ("type=author", "type=paper", "type=reader", "x0", "x1")
    assert "author:knows:author" in expected.relations.names
    assert not read_graph(path, directed=False, weight="none").is_directed


def test_edge_types_in_edge_data(tmp_path):
    graph = dgl.graph(([0, 1, 1], [1, 0, 2]))
    graph.edata["kind"] = torch.tensor([1, 1, 2])
    dgl.save_graphs(str(tmp_path / "g.bin"), [graph])
    relations = read_graph(tmp_path / "g.bin", relation="kind").relations
    assert (relations.names, relations.directed) == (("1", "2"), (False, True))
