"""DGL .bin files: every layout as DGL reads it, and damaged ones."""

import struct

import pytest
import torch
from graph_files import assert_same, edges, refuse

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph


@pytest.fixture(scope="module")
def dgl_bytes(tmp_path_factory):
    """Give the bytes of a DGL file with two weighted, featured graphs."""
    graphs = []
    for num_nodes in (3, 4):
        graph = dgl.graph((list(range(num_nodes - 1)), [num_nodes - 1] * (num_nodes - 1)))
        graph.ndata["feat"] = torch.arange(2.0 * num_nodes).reshape(-1, 2)
        graph.ndata["mass"] = torch.arange(num_nodes)
        graph.edata["weight"] = torch.arange(1.0, num_nodes)
        graphs.append(graph)
    path = tmp_path_factory.mktemp("dgl") / "two.bin"
    dgl.save_graphs(str(path), graphs, {"label": torch.tensor([1, 0])})
    return path.read_bytes()


class TestDGL:
    def test_a_collection(self, write, dgl_bytes, log):
        path = write("two.bin", dgl_bytes)
        graph = read_graph(path)
        assert graph.graph_ptr.tolist() == [0, 3, 7]
        assert edges(graph) == [(0, 2), (1, 2), (3, 6), (4, 6), (5, 6)]
        assert graph.features[:3].tolist() == [[0, 1], [2, 3], [4, 5]]
        assert graph.feature_names == ("x0", "x1")
        assert "mirrored 5 edges that were given in one direction" in log()
        mass = read_graph(path, features=("mass",))
        assert mass.features[:, 0].tolist() == [0, 1, 2, 0, 1, 2, 3]
        refuse(path, "graph 0: ndata has no 'size'", features=("size",))

    @pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
    @pytest.mark.parametrize("id_type", [torch.int32, torch.int64])
    def test_every_layout_reads_as_dgl_reads_it(self, tmp_path, layout, id_type):
        graphs = []
        generator = torch.Generator().manual_seed(0)
        for num_nodes in (1, 4, 6):
            source, target = torch.randint(num_nodes, (2, 9), generator=generator)
            graph = dgl.graph((source, target), num_nodes=num_nodes, idtype=id_type)
            graph = graph.formats(layout)
            graph.ndata["feat"] = torch.rand(num_nodes, 2, 2, generator=generator)
            graph.ndata["half"] = torch.rand(num_nodes, generator=generator).bfloat16()
            graph.ndata["on"] = torch.rand(num_nodes, generator=generator) > 0.5
            graph.edata["weight"] = torch.rand(9, 1, generator=generator, dtype=torch.float64)
            graphs.append(graph)
        path = tmp_path / "g.bin"
        dgl.save_graphs(str(path), graphs)
        loaded, _ = dgl.load_graphs(str(path))
        for features in (None, ["half", "on"]):
            expected = as_csr(loaded, features=features, edge_weight="weight")
            assert_same(read_graph(path, features=features), expected)

    def test_other_files_are_refused(self, write, dgl_bytes, tmp_path):
        refuse(write("g.bin", b"no graph at all"), "the file is not a DGL graph file")
        old = dgl_bytes[:8] + struct.pack("<Q", 1) + dgl_bytes[16:]
        refuse(write("g.bin", old), "must be a DGL graph file of version 2, got version 1")
        none = dgl_bytes[:24] + struct.pack("<Q", 0) + dgl_bytes[32:]
        refuse(write("g.bin", none), "the file holds no graph.")
        two = {("a", "to", "b"): ([0], [1]), ("a", "of", "b"): ([0], [1])}
        dgl.save_graphs(str(tmp_path / "types.bin"), [dgl.heterograph(two)])
        refuse(tmp_path / "types.bin", "the graphs must have one edge type, got 2; ")
        dgl.save_graphs(
            str(tmp_path / "types.bin"), [dgl.heterograph({("a", "to", "b"): ([0], [1])})]
        )
        refuse(tmp_path / "types.bin", "the graphs must have one node type, got 2; ")

    @pytest.mark.parametrize("length", [4, 40, 4096, 4104, 4500, 5000])
    def test_a_cut_file_is_refused(self, write, dgl_bytes, length):
        refuse(write("g.bin", dgl_bytes[:length]), "damaged, cut off or of an unknown layout near")

    coo, csr, unit = (
        struct.pack("<Q", magic)
        for magic in (0xDD61FFD305DFF127, 0xDD6CD31205DFF127, 0xDD2E60F0F6B4A127)
    )
    # an array: magic, reserved, device [16 + 8], axes [4], type [4], shape [8 each], bytes [8]

    @pytest.mark.parametrize(
        ("layout", "after", "offset", "patch"),
        [
            ("coo", unit, 8, struct.pack("<I", 7)),  # an unknown layout
            ("coo", coo, 8, struct.pack("<q", 9)),  # another number of nodes
            ("coo", coo, 24, b"\0"),  # no array
            ("coo", coo, 48, struct.pack("<i", 99)),  # an array of 99 axes
            ("coo", coo, 48, struct.pack("<i", -1)),
            ("coo", coo, 52, b"\x09"),  # an unknown type
            ("coo", coo, 56, struct.pack("<q", -1)),  # a negative length
            ("coo", coo, 64, struct.pack("<q", 2**62)),  # more bytes than there are
            ("csr", csr, 8, struct.pack("<q", 9)),  # more rows than indptr has
            ("csr", csr, 8, struct.pack("<q", -1)),
            ("csr", csr, 72, struct.pack("<q", 1)),  # indptr does not start at 0
        ],
    )
    def test_fields_that_contradict_each_other(self, tmp_path, layout, after, offset, patch):
        path = tmp_path / "g.bin"
        dgl.save_graphs(str(path), [dgl.graph(([0], [1])).formats(layout)])
        data = bytearray(path.read_bytes())
        position = data.rindex(after) + offset
        data[position : position + len(patch)] = patch
        path.write_bytes(data)
        refuse(path, "unknown")
