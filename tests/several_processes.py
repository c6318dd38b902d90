"""What each process of tests/test_processes.py runs: every case, its outcome written by the first.

    torchrun --standalone --nproc-per-node 2 --max-restarts 1 tests/several_processes.py out.pt run

The second process is killed in the third epoch of the command; what comes after is run once.
"""

import os
import signal
import sys

import networkx as nx
import numpy as np
import torch

from gomkcn.commands.main import main as gomkcn
from gomkcn_dgl import (
    GOMKCN,
    GraphCollection,
    RandomWalkKernel,
    TrainingSettings,
    as_csr,
    train_classifier,
)
from gomkcn_dgl.runtime.interrupts import Interrupts
from gomkcn_dgl.runtime.processes import (
    all_reduce_sum,
    barrier,
    broadcast_object,
    gather_objects,
    is_first,
    join_processes,
    leave,
    rank,
    share_of,
    turns,
    was_restarted,
    world_size,
)
from gomkcn_dgl.training.global_batch import GlobalBatchNorm, GlobalDropout

COMMAND = "train graphs.bin --epochs 6 --hops 1 --size 3 --filters 2 --levels 1 --batch-size 7 "
COMMAND += "--kernel random-walk --quiet --checkpoint-every 1 --force --out"

ROWS = torch.arange(14.0).reshape(7, 2).sin()
# 11 graphs to train on in batches of 4: the last batch has 3, and in "ones" some have nobody's
CASES = {
    "graphs": {"pooling": "sum", "batch_size": 4, "dropout": 0.3, "input_dropout": 0.2},
    "layers": {"pooling": "max", "batch_size": 4, "num_layers": 2, "dropout": 0.2},
    "ones": {"pooling": "max", "batch_size": 1},
    "raw": {"pooling": "mean", "batch_size": 5, "hidden_feats": None, "input_dropout": 0.2},
    "nodes": {"dropout": 0.3, "input_dropout": 0.5},
    "node_layers": {"num_layers": 2, "dropout": 0.3, "input_dropout": 0.2, "bounded_feats": False},
    "class_filters": {"class_filters": True, "read_input": False, "input_dropout": 0.5},
}


def train(case):
    """Loss curves and parameters after three epochs, and an Adam step of size 0.01 for scale."""
    options = dict(CASES[case])
    batch_size = options.pop("batch_size", 1)
    graphs = [nx.cycle_graph(4 + k % 3) if k % 2 else nx.star_graph(3 + k % 4) for k in range(16)]
    csr = as_csr(graphs if "pooling" in options else nx.disjoint_union_all(graphs))
    csr.features[:] = np.random.default_rng(1).random(csr.features.shape)
    data = GraphCollection(csr, 1, 3)
    rng, count = np.random.default_rng(0), 16 if "pooling" in options else csr.num_nodes
    labels, order = torch.from_numpy(rng.integers(0, 2, count)), rng.permutation(count)
    num_train = count * 11 // 16
    torch.manual_seed(2)
    kernel = RandomWalkKernel(1)
    model = GOMKCN(1, 2, filter_size=3, num_filters=3, kernel=kernel, **options)
    settings = TrainingSettings(3, batch_size=batch_size)
    history = train_classifier(model, data, labels, order[:num_train], order[num_train:], settings)
    return history.train_loss, [epoch.loss for epoch in history.validation], model.state_dict()


def norm_and_dropout():
    """What the sliced modules give, put together again, and the gradients with respect to it."""
    mine = ROWS[share_of(len(ROWS))].clone().requires_grad_()
    norm, dropout = GlobalBatchNorm(2), GlobalDropout(0.5)
    norm.is_sliced = dropout.is_sliced = world_size() > 1
    torch.manual_seed(0)
    dropped = dropout(norm(mine))
    (dropped**3).sum().backward()
    parts = gather_objects((dropped.detach(), mine.grad))
    running = norm.running_mean, norm.running_var, norm.num_batches_tracked
    return [torch.cat(part) for part in zip(*parts, strict=True)], running


def small_parts():
    """Each helper's answer in each process."""
    interrupts = Interrupts()
    if rank() == 1:
        interrupts._signal = "SIGTERM"
    answers = {
        "rank": rank(),
        "first": is_first(),
        "shares": [list(range(count))[share_of(count)] for count in (5, 1, 0)],
        "sum": all_reduce_sum(torch.tensor([1.0, float(rank())])).tolist(),
        "broadcast": broadcast_object({"from": rank()}),
        "reason": interrupts.agree(),
        "turns": [list(turns(7)), list(turns(2)), list(turns(0))],
    }
    barrier()
    return gather_objects(answers)


class KilledInTheThirdEpoch(Interrupts):
    epochs = 0

    def agree(self):
        self.epochs += 1
        if self.epochs == 3 and rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().agree()


def main(path, run):
    with join_processes():
        if not was_restarted():
            import gomkcn_dgl.runtime.interrupts

            gomkcn_dgl.runtime.interrupts.Interrupts = KilledInTheThirdEpoch
        gomkcn([*COMMAND.split(), run], standalone_mode=False)
        assert was_restarted()
        outcome = {"size": world_size(), "parts": small_parts(), "rows": norm_and_dropout()}
        outcome |= {case: train(case) for case in CASES}
        if is_first():
            torch.save(outcome, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
    leave(0)
