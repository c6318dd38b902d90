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
module, given = load_exported(sys.argv[1]), torch.load(sys.argv[2], weights_only=False)
assert torch.equal(module(*given["arguments"]), given["scores"])
"""


@pytest.mark.parametrize("kinds", [{"edge": False}, {"acts": True, "binds": False}])
def test_an_exported_program_says_the_same_in_another_process(kinds, tmp_path):
    graph, *_ = draw(kinds, 0, 12, 30)
    feat, options = torch.rand(12, 2), {"filter_size": 4, "relations": graph.relations}
    conv = GOMKConv(2, 3, **options).eval()
    model = GOMKCN(2, 3, pooling="max", **options).eval()
    subgraphs = conv.subgraphs(graph, feat=feat)
    batch = GraphBatch(subgraphs, feat, torch.tensor([5, 7]))
    for module, arguments in ((conv, (subgraphs, feat)), (model, (batch,))):
        with torch.no_grad():
            program = torch.export.export(module, arguments)
            scores = module(*arguments)
        torch.export.save(program, tmp_path / "module.pt2")
        torch.save({"arguments": arguments, "scores": scores}, tmp_path / "given.pt")
        files = [str(tmp_path / name) for name in ("module.pt2", "given.pt")]
        subprocess.run([sys.executable, "-c", READ, *files], check=True)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="nothing.pt2"):
        load_exported(tmp_path / "nothing.pt2")
