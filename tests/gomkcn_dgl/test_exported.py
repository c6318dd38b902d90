"""What torch.export writes is read in another process, and says the same."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
import torch
from random_graphs import draw

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.exported import dynamic_shapes, load_exported
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.layer import GOMKConv, GraphBatch
from gomkcn_dgl.model import GOMKCN, GraphCollection

READ = """
import sys, torch
from gomkcn import load_exported
for program, given in zip(sys.argv[1::2], sys.argv[2::2]):
    module, known = load_exported(program), torch.load(given, weights_only=False)
    assert torch.equal(module(*known["arguments"]), known["scores"])
"""


def test_exported_programs_say_the_same_in_another_process(tmp_path):
    # of several channels, so that a program has the operator of their matrices, too
    graph, *_ = draw({"acts": True, "binds": False}, 0, 12, 30)
    feat, options = torch.rand(12, 2), {"filter_size": 4, "relations": graph.relations}
    conv = GOMKConv(2, 3, **options).eval()
    model = GOMKCN(2, 3, pooling="max", **options).eval()
    subgraphs = conv.subgraphs(graph, feat=feat)
    batch = GraphBatch(subgraphs, feat, torch.tensor([5, 7]))
    files = []
    for name, module, arguments in (("conv", conv, (subgraphs, feat)), ("model", model, (batch,))):
        with torch.no_grad():
            program = torch.export.export(module, arguments)
            scores = module(*arguments)
        files += [str(tmp_path / f"{name}.pt2"), str(tmp_path / f"{name}.pt")]
        torch.export.save(program, files[-2])
        torch.save({"arguments": arguments, "scores": scores}, files[-1])
    done = subprocess.run(
        [sys.executable, "-c", READ, *files], check=True, capture_output=True, text=True
    )
    # the arguments in the file are not unpickled as anything that they might be
    assert "weights_only" not in done.stderr


KINDS = {"simple": {"edge": False}, "several": {"acts": True, "binds": False}}


def batches_of(kinds, settings):
    """Two graphs, one, two of which one is a node alone, and that node."""
    first, second, third = (draw(kinds, k, n, 2 * n)[0] for k, n in enumerate((12, 9, 7)))
    none = np.zeros(0, np.int64)
    node = csr_from_edges(
        none, none, 1, directed=[*kinds.values()], relation=none, relation_names=[*kinds]
    )
    collections = ([first, second], [third], [second, node], [node])
    return [GraphCollection(as_csr(graphs), settings).whole() for graphs in collections]


@pytest.fixture
def torch_version(request, monkeypatch):
    if request.param == "before 2.6":
        monkeypatch.delattr(torch.export.Dim, "DYNAMIC", raising=False)


@pytest.mark.parametrize(
    ("kinds", "pooling", "torch_version"),
    [
        ("simple", None, "as it is"),
        ("simple", "mean", "as it is"),
        ("several", "max", "as it is"),
        ("several", "sum", "before 2.6"),
    ],
    indirect=["torch_version"],
)
def test_a_program_with_open_sizes_takes_other_graphs(kinds, pooling, torch_version):
    kinds = KINDS[kinds]
    relations = draw(kinds, 0, 12, 24)[0].relations
    options = {"filter_size": 4, "num_hops": 2, "relations": relations}
    model = GOMKCN(1, 2, num_layers=2, pooling=pooling, **options).eval()
    conv = GOMKConv(1, 3, **options)
    batches = batches_of(kinds, conv.settings)
    for module, known in (
        (model, [(batch,) for batch in batches]),
        (conv, [(batch.subgraphs, batch.feat) for batch in batches]),
    ):
        with torch.no_grad():
            shapes = dynamic_shapes(*known[0])
            program = torch.export.export(module, known[0], dynamic_shapes=shapes).module()
            for given in known:
                assert torch.equal(program(*given), module(*given))


def test_weights_and_sampled_nodes_have_open_sizes():
    model = GOMKCN(1, 2, filter_size=4).eval()
    batches = []
    for size, count in ((12, 6), (9, 4)):
        ring = nx.cycle_graph(size)
        nx.set_edge_attributes(ring, {edge: 1.0 + sum(edge) % 3 for edge in ring.edges}, "w")
        subgraphs = model.first_conv.subgraphs(as_csr(ring, weight="w"))
        seeds = subgraphs.select(torch.arange(count))
        batches.append(GraphBatch(seeds, torch.rand(size, 1), torch.tensor([size])))
    assert all(batch.subgraphs.weights is not None for batch in batches)
    with torch.no_grad():
        shapes = dynamic_shapes(batches[0])
        program = torch.export.export(model, (batches[0],), dynamic_shapes=shapes).module()
        assert torch.equal(program(batches[1]), model(batches[1]))


def test_what_no_program_takes_has_no_sizes():
    graph, *_ = draw(KINDS["simple"], 0, 5, 6)
    with pytest.raises(
        InputTypeError, match=r"^arguments must be subgraphs .*, got CSRGraph; give conv.subgraphs"
    ):
        dynamic_shapes(graph, torch.rand(5, 2))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="nothing.pt2"):
        load_exported(tmp_path / "nothing.pt2")
