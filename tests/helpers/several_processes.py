"""What test_processes.py runs: two processes as torchrun starts them; the first writes the outcome.

    python tests/helpers/several_processes.py out.pt run

Both are forks of one, which has imported all that takes long. The second is killed in the third
epoch of the command, and torchrun's agent starts both again. No page is drawn of the run.
"""

import os
import signal
import sys
from dataclasses import replace

import networkx as nx
import numpy as np
import torch
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

import gomkcn_dgl.runtime.job
import gomkcn_dgl.training.training_loop
from gomkcn.commands.main import main as gomkcn
from gomkcn.mining.runs import train
from gomkcn_dgl import (
    GOMKCN,
    GraphCollection,
    SubgraphSettings,
    TrainingSettings,
    as_csr,
    train_classifier,
)
from gomkcn_dgl.runtime.job import Interrupts
from gomkcn_dgl.runtime.processes import (
    all_reduce_sum,
    broadcast_object,
    gather_objects,
    is_first,
    join_processes,
    rank,
    was_restarted,
    world_size,
)

COMMAND = (
    "train TU --num-epochs 4 --num-hops 1 --filter-size 3 --num-filters 2 "
    "--num-levels 1 --batch-size 16 "
)
COMMAND += "--init random --quiet --force --out"


def train_twins():
    """Losses and model where the shares of two processes are the same graph twice.

    Then the statistics of batch norm and the gradients are those of all rows.
    """
    half = nx.barbell_graph(4, 3)
    graph, rows = as_csr(nx.disjoint_union(half, half)), np.arange(len(half))
    graph.features[:] = np.tile(np.random.default_rng(1).random(len(half)), 2)[:, None]
    data = GraphCollection(graph, SubgraphSettings(1, 5))
    twins = np.column_stack([rows, rows + len(half)]).reshape(-1)
    labels = torch.tensor([int(4 <= node < 7) for node in range(len(half))] * 2)
    torch.manual_seed(2)
    # without an input layer, whose batch norm leaves gradients that are rounding errors only
    model = GOMKCN(1, 2, num_filters=3, num_layers=2, hidden_feats=0, max_nodes=5)
    history = train_classifier(model, data, labels, twins, twins, TrainingSettings(4))
    return history.train_loss, dict(model.named_parameters())


def small_parts():
    """Each function's answer in each process."""
    interrupts = Interrupts()
    if rank() == 1:
        interrupts.signal = "SIGTERM"
    answers = {
        "rank": rank(),
        "first": is_first(),
        "sum": all_reduce_sum(torch.tensor([1.0, float(rank())])).tolist(),
        "broadcast": broadcast_object({"from": rank()}),
        "reason": interrupts.agree(),
    }
    return gather_objects(answers)


class KilledInTheThirdEpoch(Interrupts):
    epochs = 0

    def agree(self):
        self.epochs += 1
        if self.epochs == 3 and rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().agree()


def draw_no_page(run):
    return "no page"


def main(path, run):
    train.TRAIN = replace(train.TRAIN, render=draw_no_page)
    with join_processes():
        gomkcn_dgl.training.training_loop.SECONDS_BETWEEN = 0
        if not was_restarted():
            gomkcn_dgl.runtime.job.Interrupts = KilledInTheThirdEpoch
        gomkcn([*COMMAND.split(), run], standalone_mode=False)
        assert was_restarted()
        outcome = {"size": world_size(), "parts": small_parts()}
        outcome["twins"] = train_twins()
        (_, first), (_, second) = gather_objects(outcome["twins"])
        outcome["equal"] = all(torch.equal(first[name], second[name]) for name in first)
        if is_first():
            torch.save(outcome, path)


if __name__ == "__main__":
    settings = LaunchConfig(
        1, 1, 2, rdzv_backend="c10d", max_restarts=1, monitor_interval=0.1, start_method="fork"
    )
    elastic_launch(settings, main)(*sys.argv[1:])
