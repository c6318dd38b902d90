"""Results do not depend on the number of threads, 1, 2 or 8, on however few processors."""

import os
import subprocess
import sys

# in a process of its own: Numba takes the most threads there may be from the environment
PROGRAM = """
import hashlib, json
import networkx as nx, numba, numpy as np, torch
from gomkcn_dgl import GOMKKernel, SubgraphSettings, as_csr, extract_subgraphs, gomk
from mining import PatternMiner

draw = np.random.default_rng(0).random
graph = as_csr(nx.barabasi_albert_graph(12_000, 2, seed=1))
small = nx.barabasi_albert_graph(100, 2, seed=1)
upper = np.triu(draw((2000, 8, 8)) < 0.4, 1)
adj = torch.from_numpy((upper | upper.transpose(0, 2, 1)).astype(np.float32))
others = [draw((2000, 8, 8)), adj[:8].numpy(), draw((8, 8, 8))]
others = [torch.tensor(other, dtype=torch.float32, requires_grad=True) for other in others]


def sign(*arrays):
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


for threads in (1, 2, 8):
    numba.set_num_threads(threads)
    batches = [extract_subgraphs(graph, SubgraphSettings(3, 8, name)) for name in ("bfs", "dense")]
    scores, matched = gomk(adj, *others, kernel=GOMKKernel(num_levels=2), return_matching=True)
    gradients = torch.autograd.grad(scores.sum(), others)
    miner = PatternMiner(5, null_samples=99).fit(small)
    print(json.dumps({
        "extraction": sign(*(array for batch in batches for array in (batch.nodes, batch.bits))),
        "scores": sign(scores.detach(), matched),
        "gradients": sign(*gradients),
        "mining": sign(miner.loss_curve_, miner.transform(small)),
        "patterns": [str(pattern.to_dict()) for pattern in miner.patterns_],
    }))
"""


def test_one_two_and_eight_threads_give_the_same_bits():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "NUMBA_NUM_THREADS": "8"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert rest == [first, first]
