"""Results do not depend on the number of threads, 1, 2 or 8, on however few processors."""

import networkx as nx
import numpy as np
import pytest
import torch

from gomkcn_dgl import GOMKKernel, SubgraphSettings, as_csr, extract_subgraphs, gomk
from gomkcn_dgl.runtime import compiled
from mining import PatternMiner


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


def mining():
    graph = nx.barabasi_albert_graph(100, 2, seed=1)
    miner = PatternMiner(pattern_size=5, null_samples=99).fit(graph)
    return [str(one.to_dict()) for one in miner.patterns_] + [miner.transform(graph)]


@pytest.mark.parametrize("work", [extraction, matching, mining])
def test_one_two_and_eight_threads_give_the_same_bits(work, monkeypatch):
    results = []
    for threads in (1, 2, 8):
        # the matching is an operator of PyTorch, and takes no more threads than its others
        for owner, name in ((compiled, "num_threads"), (torch, "get_num_threads")):
            monkeypatch.setattr(owner, name, lambda threads=threads: threads)
        results.append([np.asarray(one).tobytes() for one in work()])
    assert results[1] == results[2] == results[0] != []
