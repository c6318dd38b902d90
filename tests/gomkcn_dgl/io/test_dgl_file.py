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

DAMAGED = "the DGL file is damaged or cut off; DGL cannot load it."


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
        expected = as_csr(loaded, features=features, weight="weight")
        assert_same(read_graph(path, features=features), expected)
    refuse(
        path, "the collection has no 'size'; it holds ['feat', 'half', 'on']", features=("size",)
    )


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: b"no graph" + data[8:], "the file is not a DGL graph file"),
        (lambda data: data[:24] + struct.pack("<Q", 0) + data[32:], "the file holds no graph."),
        *((lambda data, end=end: data[:end], DAMAGED) for end in (40, 4100, 5000)),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, damage, words):
    path = tmp_path / "g.bin"
    dgl.save_graphs(str(path), random_graphs())
    path.write_bytes(damage(path.read_bytes()))
    refuse(path, words)


def test_what_kills_dgl_does_not_kill_the_caller(tmp_path, monkeypatch):
    path = tmp_path / "g.bin"
    dgl.save_graphs(str(path), random_graphs())
    monkeypatch.setattr(dgl, "load_graphs", lambda name: os.kill(os.getpid(), signal.SIGKILL))
    refuse(path, DAMAGED)


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
    expected = as_csr(dgl.load_graphs(str(path))[0], weight="weight")
    assert_same(read_graph(path), expected)
    assert expected.feature_names == ("type=author", "type=paper", "type=reader", "x0", "x1")
    assert "author:knows:author" in expected.relations.names
    assert not read_graph(path, directed=False, weight="none").is_directed
    (plain := dgl.graph(([0, 1, 1], [1, 0, 2]))).edata["kind"] = torch.tensor([1, 1, 2])
    dgl.save_graphs(str(path), [plain])
    assert read_graph(path, relation="kind").relations.kinds == [("1", False), ("2", True)]
