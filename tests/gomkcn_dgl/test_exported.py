"""What torch.export writes is read in another process, and says the same."""

import subprocess
import sys

import pytest
import torch
from random_graphs import draw

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.exported import load_exported
from gomkcn_dgl.layer import GOMKConv, GraphBatch
from gomkcn_dgl.model import GOMKCN

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
    subprocess.run([sys.executable, "-c", READ, *files], check=True)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="nothing.pt2"):
        load_exported(tmp_path / "nothing.pt2")
