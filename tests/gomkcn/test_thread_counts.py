"""Results do not depend on the number of threads, and mining leaves that of PyTorch as it was.

They are 1, 2 or 8, on however few processors.
"""

import os

import networkx as nx
import numpy as np
import pytest
import torch
from forked import run

from gomkcn.mining import PatternMiner
from gomkcn_dgl import GOMKKernel, SubgraphSettings, as_csr, extract_subgraphs, gomk
from gomkcn_dgl.runtime import compiled


def extraction():
    graph = as_csr(nx.barabasi_albert_graph(12_000, 2, seed=1))
    batches = [extract_subgraphs(graph, SubgraphSettings(3, 8, name)) for name in ("bfs", "dense")]
    return [array for batch in batches for array in (batch.nodes, batch.links)]


def matching():
    """Scores, matched nodes and gradients."""
    draw = np.random.default_rng(0).random
    upper = np.triu(draw((2000, 8, 8)) < 0.4, 1)
    adj = torch.from_numpy((upper | upper.transpose(0, 2, 1)).astype(np.float32))
    others = [draw((2000, 8, 8)), adj[:8].numpy(), draw((8, 8, 8))]
    others = [torch.tensor(other, dtype=torch.float32, requires_grad=True) for other in others]
    scores, matched = gomk(adj, *others, kernel=GOMKKernel(num_levels=2), return_matching=True)
    return [scores.detach(), matched, *torch.autograd.grad(scores.sum(), others)]


def matching_of_arrays():
    graph = as_csr(nx.barabasi_albert_graph(2000, 2, seed=1))
    batch = extract_subgraphs(graph, SubgraphSettings(3, 8))
    kernel, feat = GOMKKernel(num_levels=2), np.ones((2000, 1), np.float32)
    z = kernel.embed(batch.adjacency()[:8], batch.gather(feat)[:8])
    return kernel.match_arrays(batch, feat, z)


def mining():
    graph = nx.barabasi_albert_graph(100, 2, seed=1)
    miner = PatternMiner(pattern_size=5, null_samples=99).fit(graph)
    return [str(one.to_dict()) for one in miner.patterns_] + [miner.transform(graph)]


@pytest.mark.parametrize("work", [extraction, matching, matching_of_arrays, mining])
def test_one_two_and_eight_threads_give_the_same_bits(work, monkeypatch):
    results = []
    for threads in (1, 2, 8):
        # the matching is an operator of PyTorch, and takes no more threads than its others
        for owner, name in ((compiled, "num_threads"), (torch, "get_num_threads")):
            monkeypatch.setattr(owner, name, lambda threads=threads: threads)
        results.append([np.asarray(one).tobytes() for one in work()])
    assert results[1] == results[2] == results[0] != []


# numba.get_num_threads would start eight threads, and OpenMP, PyTorch's too, would use as many
MINING = """
import json, os
import networkx as nx
import numba
import torch
from gomkcn.mining import FilterLearning, FilterMiner

if TOLD:
    torch.set_num_threads(TOLD)
graph = nx.barabasi_albert_graph(400, 3, seed=0)
number, threads = torch.get_num_threads(), len(os.listdir("/proc/self/task"))
FilterMiner(4, 6, learning=FilterLearning(num_epochs=2)).fit(graph).transform(graph)
# a product that PyTorch shares among its threads
torch.rand(600, 600) @ torch.rand(600, 600)
started = len(os.listdir("/proc/self/task")) - threads
try:
    layer = numba.threading_layer()
except ValueError:
    layer = None
left = torch.get_num_threads()
# the number of Numba, now that it is asked
print(json.dumps([number, left, started, layer, numba.get_num_threads()]))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="this system lists no threads")
@pytest.mark.parametrize("told", ["torch.set_num_threads", "OMP_NUM_THREADS"])
def test_mining_starts_no_threads_of_numba_and_leaves_the_number_of_pytorch(monkeypatch, told):
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    given = {"NUMBA_NUM_THREADS": "8"}
    number = "1"
    if told == "OMP_NUM_THREADS":
        given |= {"OMP_NUM_THREADS": "1"}
        number = "None"
    before, left, started, layer, numbas = run(MINING.replace("TOLD", number), **given)
    assert (before, left, layer, numbas) == (1, 1, None, 8)
    # our own: none for work as small as this
    assert started == 0
