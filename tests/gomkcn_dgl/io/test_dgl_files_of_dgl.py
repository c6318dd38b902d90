"""DGL reads the .bin files that are written here, and those that DGL writes are read as it does."""

import numpy as np
import pytest
import torch
from command_line import gomkcn
from graph_files import assert_same, refuse, typed_graph

from gomkcn.synthetic import MotifClassificationDataset, PlantingSettings, planted_motif_graph
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_objects import EdgesOfType, TypedGraph
from gomkcn_dgl.io.dgl_files import load_dgl_graphs, write_dgl_graphs
from gomkcn_dgl.io.graph_classes import read_graph_classes
from gomkcn_dgl.io.reading import read_graph

HEAD = 4096
ALL = ["coo", "csr", "csc"]
LAYOUTS = [("coo", torch.int64), ("csr", torch.int32), ("csc", torch.int64)]
# those that NumPy has as well
TYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


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


def assert_same_values(values, tensor):
    """NumPy has no bfloat16: it is read as float32."""
    tensor = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
    assert str(tensor.dtype) == f"torch.{values.dtype}"
    assert values.shape == tuple(tensor.shape)
    np.testing.assert_array_equal(values, tensor.numpy())


def assert_same_graph(typed, graph):
    """Compare arrays with a DGLGraph: types, ends by edge id, and data."""
    assert list(typed.sizes) == graph.ntypes
    assert [edges.type for edges in typed.edges] == graph.canonical_etypes
    for kind, size in typed.sizes.items():
        assert size == graph.num_nodes(kind)
        assert typed.nodes[kind].keys() == graph.nodes[kind].data.keys()
        for name, values in typed.nodes[kind].items():
            assert_same_values(values, graph.nodes[kind].data[name])
    if not any("coo" in layouts for layouts in graph.formats().values()):
        graph = graph.formats("coo")
    for edges in typed.edges:
        source, target = graph.edges(order="eid", etype=edges.type)
        assert_same_values(edges.source, source)
        assert_same_values(edges.target, target)
        assert edges.columns.keys() == graph.edges[edges.type].data.keys()
        for name, values in edges.columns.items():
            assert_same_values(values, graph.edges[edges.type].data[name])


# ---------------------------------------------------------------- DGL writes


@pytest.mark.parametrize(("layout", "id_type"), LAYOUTS)
def test_every_layout_reads_as_dgl_reads_it(tmp_path, layout, id_type):
    path = tmp_path / "g.bin"
    dgl.save_graphs(str(path), random_graphs(id_type, layout), {"label": torch.tensor([1, 0, 1])})
    loaded, labels = dgl.load_graphs(str(path))
    read, read_labels = load_dgl_graphs(path)
    for typed, graph in zip(read, loaded, strict=True):
        assert_same_graph(typed, graph)
    assert_same_values(read_labels["label"], labels["label"])
    for features in (None, ["half", "on"]):
        expected = as_csr(loaded, features=features, weight="weight")
        assert_same(read_graph(path, features=features), expected)
    assert read_graph_classes(path).labels.tolist() == [1, 0, 1]
    refuse(
        path, "the collection has no 'size'; it holds ['feat', 'half', 'on']", features=("size",)
    )


def test_of_several_stored_layouts_one_is_read(tmp_path):
    path = tmp_path / "g.bin"
    for layouts in (ALL, ["csr", "csc"]):
        dgl.save_graphs(str(path), random_graphs(layout=ALL), formats=layouts)
        loaded, _ = dgl.load_graphs(str(path))
        for typed, graph in zip(load_dgl_graphs(path)[0], loaded, strict=True):
            assert_same_graph(typed, graph)


@pytest.mark.parametrize(("number", "layout"), [(1, "csr"), (2, "coo")])
def test_heterographs_read_as_dgl_reads_them(tmp_path, number, layout):
    generator, path = torch.Generator().manual_seed(0), tmp_path / "g.bin"
    graphs = [citations(generator).formats(layout) for _ in range(number)]
    dgl.save_graphs(str(path), graphs)
    for typed, graph in zip(load_dgl_graphs(path)[0], graphs, strict=True):
        assert_same_graph(typed, graph)
    expected = as_csr(dgl.load_graphs(str(path))[0], weight="weight")
    assert_same(read_graph(path), expected)
    assert expected.feature_names == ("type=author", "type=paper", "type=reader", "x0", "x1")
    assert "author:knows:author" in expected.relations.names
    assert not read_graph(path, directed=False, weight="none").is_directed
    (plain := dgl.graph(([0, 1, 1], [1, 0, 2]))).edata["kind"] = torch.tensor([1, 1, 2])
    dgl.save_graphs(str(path), [plain])
    assert read_graph(path, relation="kind").relations.kinds == [("1", False), ("2", True)]


@pytest.mark.parametrize("name", [*TYPES, "bfloat16", "complex64"])
def test_every_type_of_numbers_reads_as_dgl_reads_it(tmp_path, name):
    path, graph = tmp_path / "g.bin", dgl.graph(([0, 1], [1, 2]))
    graph.ndata["v"] = torch.tensor([[0, 1, 2], [3, 4, 5], [6, 7, 8]]).to(getattr(torch, name))
    graph.ndata["flat"] = torch.zeros(3, 0, 2).to(getattr(torch, name))
    # whose values do not lie one behind the other
    labels = {"turned": graph.ndata["v"].T, "none": graph.ndata["v"][:0]}
    dgl.save_graphs(str(path), [graph], labels)
    ((typed,), read_labels) = load_dgl_graphs(path)
    assert_same_graph(typed, graph)
    for one, values in read_labels.items():
        assert_same_values(values, labels[one])


def test_empty_graphs_read_as_dgl_reads_them(tmp_path):
    path = tmp_path / "g.bin"
    none = {("a", "r", "b"): ([], [])}
    graphs = [
        dgl.graph(([], []), num_nodes=0),
        dgl.graph(([], []), num_nodes=3),
        dgl.heterograph(none, {"a": 0, "b": 0}),
        dgl.heterograph(none, {"a": 2, "b": 0}),
    ]
    for layout in ALL:
        dgl.save_graphs(str(path), [graph.formats(layout) for graph in graphs])
        for typed, graph in zip(load_dgl_graphs(path)[0], graphs, strict=True):
            assert_same_graph(typed, graph)


def test_a_data_set_of_dgl_that_keeps_its_graphs_in_a_file_is_read(tmp_path):
    class Rings(dgl.data.DGLDataset):
        def __init__(self):
            super().__init__("rings", raw_dir=str(tmp_path))

        def process(self):
            numbers = (torch.arange(size) for size in (3, 4, 3, 4))
            self.graphs = [dgl.graph((ring, ring.roll(1))) for ring in numbers]
            self.labels = torch.tensor([0, 1, 0, 1])

        def save(self):
            dgl.save_graphs(self.file, self.graphs, {"labels": self.labels})

        def load(self):
            self.graphs, labels = dgl.load_graphs(self.file)
            self.labels = labels["labels"]

        def has_cache(self):
            return (tmp_path / "rings.bin").exists()

        @property
        def file(self):
            return str(tmp_path / "rings.bin")

        def __getitem__(self, number):
            return self.graphs[number]

        def __len__(self):
            return len(self.graphs)

    made = Rings()
    read, labels = load_dgl_graphs(tmp_path / "rings.bin")
    assert_same(read_graph(tmp_path / "rings.bin"), as_csr(made.graphs))
    # what is written here takes the place of the file
    write_dgl_graphs(tmp_path / "rings.bin", read[::-1], {"labels": labels["labels"][::-1]})
    loaded = Rings()
    assert [graph.num_nodes() for graph in loaded.graphs] == [4, 3, 4, 3]
    assert loaded.labels.tolist() == [1, 0, 1, 0]


# ---------------------------------------------------------------- DGL reads


def test_dgl_reads_types_of_nodes_and_edges(tmp_path):
    """Types stay in the order in which they are given, whatever they are called."""
    rng, path = np.random.default_rng(0), tmp_path / "g.bin"
    sizes = {"z": 3, "a": 0, "m": 4}
    nodes = {kind: {"feat": rng.random((size, 2))} for kind, size in sizes.items()}
    nodes["m"]["année"] = np.arange(4, dtype=np.int32)
    edges = []
    for kind, number in ((("m", "r", "z"), 5), (("z", "q", "z"), 2), (("a", "r", "m"), 0)):
        source, target = (rng.integers(max(sizes[kind[end]], 1), size=number) for end in (0, 2))
        edges.append(EdgesOfType(kind, source, target, {"w": rng.random(number)}))
    typed = TypedGraph(sizes, nodes, edges)
    write_dgl_graphs(path, [typed, typed], {"labels": np.array([2, 3]), "y": np.ones((2, 3, 0))})
    loaded, labels = dgl.load_graphs(str(path))
    assert len(loaded) == 2
    for graph in loaded:
        assert_same_graph(typed, graph)
        # what DGL does with a graph of its own
        assert graph.formats()["created"] == ["coo"]
        assert graph.formats("csc").in_degrees(etype=("m", "r", "z")).sum() == 5
    assert labels.keys() == {"labels", "y"}
    assert labels["labels"].tolist() == [2, 3] and labels["y"].shape == (2, 3, 0)
    # of several graphs one can be read alone
    ((second,), _) = dgl.load_graphs(str(path), [1])
    assert_same_graph(typed, second)


@pytest.mark.parametrize("name", TYPES)
def test_dgl_reads_every_type_of_numbers(tmp_path, name):
    path, values = tmp_path / "g.bin", np.arange(6).reshape(3, 1, 2).astype(name)
    columns = {"v": values, "turned": np.asfortranarray(values[:, 0]), "flat": values[..., :0]}
    typed = typed_graph([(0, 1), (2, 2)], 3, columns, {"w": values[:2]})
    write_dgl_graphs(path, [typed], {"labels": values})
    ((graph,), labels) = dgl.load_graphs(str(path))
    assert_same_graph(typed, graph)
    assert_same_values(values, labels["labels"])


def test_dgl_reads_empty_graphs_and_ids_of_32_bits(tmp_path):
    path = tmp_path / "g.bin"
    source, target = np.array([[2, 0], [0, 1]], np.int32)
    graphs = [
        typed_graph([], 0),
        typed_graph([], 3),
        TypedGraph.of_one_type((source, target), 3, {}, {}),
    ]
    write_dgl_graphs(path, graphs)
    loaded, labels = dgl.load_graphs(str(path))
    assert labels == {}
    for typed, graph in zip(graphs, loaded, strict=True):
        assert_same_graph(typed, graph)
    assert loaded[2].idtype == torch.int32


def test_the_bytes_are_those_of_dgl_but_for_what_it_leaves_in_the_head(tmp_path):
    graphs = [*random_graphs(layout=ALL), citations(torch.Generator().manual_seed(1))]
    for graph in graphs[:-1]:
        # read as float32
        del graph.ndata["half"]
    dgl.save_graphs(str(tmp_path / "theirs.bin"), graphs, {"labels": torch.arange(4)})
    write_dgl_graphs(tmp_path / "ours.bin", *load_dgl_graphs(tmp_path / "theirs.bin"))
    ours, theirs = ((tmp_path / f"{name}.bin").read_bytes() for name in ("ours", "theirs"))
    assert ours[:32] == theirs[:32]
    assert ours[HEAD:] == theirs[HEAD:]


def test_planted_graphs_are_written_as_their_dgl_graphs(folder):
    gomkcn("generate planted --out planted.bin")
    ((graph,), labels) = dgl.load_graphs("planted.bin")
    made = planted_motif_graph().to_dgl()
    assert labels == {} and graph.ndata.keys() == made.ndata.keys()
    assert torch.equal(torch.stack(graph.edges()), torch.stack(made.edges()))
    # DGL reads bool as uint8
    for name, values in [*made.ndata.items(), *made.edata.items()]:
        read = {**graph.ndata, **graph.edata}[name]
        assert torch.equal(read, values.byte() if values.dtype == torch.bool else values)


def test_graphs_with_classes_are_written_as_their_dgl_graphs(tmp_path):
    settings = PlantingSettings("constant", directed=True, relations=2)
    dataset = MotifClassificationDataset(41, motifs=("bi-fan", "house6"), settings=settings)
    for typed, (graph, _) in zip(dataset.to_typed(), dataset, strict=True):
        assert_same_graph(typed, graph)


def test_a_file_of_the_first_version_reads_as_dgl_reads_it(tmp_path):
    """The functions of DGL 0.4 that write it are still there, for DGL's own tests."""
    path, serialize = tmp_path / "g.bin", dgl.data.graph_serialize
    source, target = torch.tensor([3, 0, 2, 0]), torch.tensor([0, 2, 1, 2])
    index = dgl.graph_index.from_coo(5, source, target, True)
    tensors = {"feat": torch.rand(5, 2), "kind": torch.arange(5)}, {"w": torch.rand(4)}
    arrays = (
        {name: dgl.backend.zerocopy_to_dgl_ndarray(values) for name, values in table.items()}
        for table in (*tensors, {"labels": torch.tensor([4, 7])})
    )
    nodes, edges, labels = arrays
    data = serialize._CAPI_MakeGraphData(index, nodes, edges)
    labels = dgl.container.convert_to_strmap(labels)
    serialize._CAPI_SaveDGLGraphs_V0(str(path), [data, data], labels)
    with pytest.warns(dgl.base.DGLWarning, match="saved by old version of dgl"):
        loaded, _ = dgl.load_graphs(str(path))
    read, read_labels = load_dgl_graphs(path)
    assert_same(read_graph(path), as_csr(loaded))
    assert read_labels["labels"].tolist() == [4, 7]
    for (source, target, columns), graph in zip(
        [one.edges[0][1:] for one in read], loaded, strict=True
    ):
        assert [source.tolist(), target.tolist()] == [e.tolist() for e in graph.edges(order="eid")]
        assert_same_values(columns["w"], graph.edata["w"])
    assert_same_values(read[0].nodes["_N"]["feat"], tensors[0]["feat"])
