"""Without DGL, or PyTorch, all works that needs none, and the sentences say what to install."""

import os
import subprocess
import sys

import pytest

# a library that is not installed, for all imports of a process
MISSING = """
import importlib.metadata
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

MISSING = sys.argv[1].split(",")
sys.meta_path.insert(0, Missing())
version = importlib.metadata.version

def version_of(name):
    if name in MISSING:
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)

importlib.metadata.version = version_of
"""
WITHOUT_DGL = """
import warnings

import torch
from command_line import gomkcn
from gomkcn import GOMKConv, MotifClassificationDataset, MotifMiningDataset
from gomkcn_dgl.errors import MissingDGLError
from gomkcn import PlantingSettings, as_csr

# 1. a layer
edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
scores = GOMKConv(2, 3, 3, 1)(torch.rand(3, 2), edges)
assert scores.shape == (3, 3)
# 2. training on a TU folder, and predicting
gomkcn(f"train {sys.argv[2]} --out trained --num-epochs 1 --num-filters 2 --quiet")
assert "0" in gomkcn(f"predict trained {sys.argv[2]}")
# 3. graphs of PyTorch Geometric
warnings.simplefilter("ignore")
data = MotifClassificationDataset(40, settings=PlantingSettings("constant"))
graphs = data.to_pyg()
assert [one.y.item() for one in graphs] == data.labels.tolist()
assert as_csr(graphs).num_edges == data.planted.to_csr().num_edges
mining = MotifMiningDataset(20, copies=1)
[batch] = GOMKConv(3, 4).sampler().node_loader(mining.to_pyg(), [3, 1], batch_size=2)
assert batch.n_id[batch.subgraph_root].tolist() == [3, 1]
# 4. files of DGL
gomkcn("generate planted --out planted.bin --nodes 40 --motif wheel=6")
assert "occurrences 6" in gomkcn("count wheel planted.bin")
assert "wheel" in gomkcn("mine planted.bin --out run --null none --quiet")
gomkcn("filters planted.bin --out filters --quiet")
gomkcn("generate classification --out motifs.bin --num-graphs 40")
gomkcn("train motifs.bin --out learnt --num-epochs 1 --num-filters 2 --quiet")
gomkcn("explain learnt")
# 5. graphs of DGL
way_out = "pip install dgl=="
for ask in (data.planted.to_dgl, lambda: data[0], lambda: mining[0]):
    try:
        ask()
    except MissingDGLError as error:
        assert way_out in str(error)
    else:
        raise AssertionError
assert "dgl" not in sys.modules
"""
WITHOUT_TORCH = """
import networkx as nx
from command_line import gomkcn, refused
from gomkcn import FilterMiner, GOMKConv, GOMKKernel
from gomkcn_dgl.errors import MissingTorchError
from gomkcn import MotifClassificationDataset
from gomkcn_dgl.gram import gomk_gram

# 1. counts, census, motif sets, filters, runs
gomkcn("generate planted --out planted.graph --nodes 40 --motif wheel=6")
gomkcn("generate planted --out file.bin --nodes 40 --motif wheel=6")
assert "triangle" in gomkcn("census planted.graph --sizes 3-4")
for name in ("planted.graph", "file.bin"):
    assert "occurrences 6" in gomkcn(f"count wheel {name}")
assert "wheel" in gomkcn("mine planted.graph --out run --null none --quiet")
assert "wheel" in gomkcn("filters planted.graph --out filters --quiet")
assert "wheel" in gomkcn("mine planted.graph --sources filters --null none --out seen --quiet")
gomkcn("report run")
gomkcn("export run --out tables")
GOMKKernel(tau=0.5)
graph = nx.cycle_graph(5)
miner = FilterMiner(1, 5, contrast=False).fit(graph)
assert miner.filters_[0].instances.value == 1 and miner.predict(graph).tolist() == [0] * 5
# 2. training, layers, kernels, classifiers
way_out = "pip install torch."
for line in ("filters planted.graph --num-epochs 2 --out new", f"train {sys.argv[2]} --out new",
             "filters planted.graph --paper --out new",
             "mine planted.graph --num-epochs 2 --out new"):
    assert way_out in refused(line), line
for ask in (
    lambda: GOMKConv(2, 3, 3, 1),
    lambda: gomk_gram([graph, graph]),
    lambda: miner.to_conv(),
    lambda: miner.set_params(learning__num_epochs=1).fit(graph),
    lambda: MotifClassificationDataset(40),
):
    try:
        ask()
    except MissingTorchError as error:
        assert way_out in str(error)
    else:
        raise AssertionError
"""


def run_without(library, program, folder, *arguments):
    """Run a program in a process that cannot import a library."""
    subprocess.run(
        [sys.executable, "-c", MISSING + program, library, *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )


def test_what_needs_no_tensors_works_without_torch(tmp_path, request):
    mutag = request.config.rootpath / "tests/data/MUTAG"
    run_without("torch,dgl", WITHOUT_TORCH, tmp_path, mutag)


def test_all_but_graphs_of_dgl_works_without_dgl(tmp_path, request):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    run_without("dgl", WITHOUT_DGL, tmp_path, request.config.rootpath / "tests/data/MUTAG")
