"""One training epoch on ENZYMES: a one-layer GOMKConv classifier beside a GCN and a GIN.

    python benchmarks/layer.py

Subgraphs are extracted once before, in a row of its own; batching is inside everyone's epoch.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from inputs import LEVEL_SCALE, read_enzymes, tu_folder
from measure import time_interleaved
from peers.graph_networks import GRAPH_NETWORKS, HIDDEN
from peers.peer import NOT_INSTALLED
from record import Bench, Table, bench_command, data_option
from torch import Tensor, nn

from gomkcn_dgl import AttachSubgraphs, CSRGraph, GOMKConv, GOMKKernel
from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.io.reading import read_tu_labels

BATCH_SIZE = 64
NUM_HOPS, MAX_NODES, NUM_LEVELS, NUM_FILTERS, WIDTH = 2, 10, 2, 16, 32
OURS, GCN = "ours, one layer", GRAPH_NETWORKS[0].name


class Classifier(nn.Module):
    """Features to width D, scores against the filters, summed over a graph, to classes."""

    def __init__(self, in_feats: int, num_filters: int, num_classes: int) -> None:
        super().__init__()
        self.embed = nn.Linear(in_feats, WIDTH)
        self.conv = GOMKConv(
            WIDTH,
            num_filters,
            MAX_NODES,
            NUM_HOPS,
            kernel=GOMKKernel(NUM_LEVELS, level_scale=LEVEL_SCALE),
            bounded_feats=True,
        )
        self.head = nn.Linear(num_filters, num_classes)

    def forward(self, graph: Any) -> Tensor:
        scores = self.conv(graph, torch.sigmoid(self.embed(graph.ndata["feat"])))
        graph_of = torch.arange(graph.batch_size).repeat_interleave(graph.batch_num_nodes())
        sums = scores.new_zeros(graph.batch_size, scores.shape[1]).index_add(0, graph_of, scores)
        return self.head(sums)


def our_epoch(graphs: list[Any], labels: Tensor, num_filters: int) -> Callable[[], float]:
    torch.manual_seed(0)
    in_feats = graphs[0].ndata["feat"].shape[1]
    model = Classifier(in_feats, num_filters, int(labels.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    def epoch() -> float:
        total = 0.0
        for start in range(0, len(graphs), BATCH_SIZE):
            rows = slice(start, start + BATCH_SIZE)
            loss = nn.functional.cross_entropy(model(dgl.batch(graphs[rows])), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        return total

    return epoch


def as_dgl(graph: CSRGraph) -> list[Any]:
    """One DGLGraph for each graph of the collection, its features in ``feat``."""
    source = torch.arange(graph.num_nodes).repeat_interleave(torch.from_numpy(graph.degrees))
    target, features = torch.from_numpy(graph.indices).long(), torch.from_numpy(graph.features)
    graphs = []
    for low, high in zip(graph.graph_ptr.tolist(), graph.graph_ptr[1:].tolist(), strict=False):
        edges = slice(int(graph.indptr[low]), int(graph.indptr[high]))
        part = dgl.graph((source[edges] - low, target[edges] - low), num_nodes=high - low)
        part.ndata["feat"] = features[low:high]
        graphs.append(part)
    return graphs


def training_part(data: Path, quick: bool) -> list[int]:
    """The graphs of the first fold that are not for testing, in a seeded order."""
    fold = json.loads((data / "splits" / "ENZYMES_splits.json").read_text())[0]
    chosen = fold["model_selection"][0]
    order = np.random.default_rng(0).permutation(chosen["train"] + chosen["validation"]).tolist()
    return order[:2] if quick else order


def compare(bench: Bench, table: Table, graph: CSRGraph, labels: Tensor, order: list[int]) -> None:
    graphs = [as_dgl(graph)[i] for i in order]
    attach = AttachSubgraphs(NUM_HOPS, MAX_NODES)
    extraction = "ours, extraction (once, before training)"
    attached = [attach(one) for one in graphs]
    calls: dict[str, Callable[[], Any]] = {
        extraction: lambda: [attach(one) for one in graphs],
        OURS: our_epoch(attached, labels[order], 2 if bench.quick else NUM_FILTERS),
        "ours, one layer: dgl.batch alone": lambda: [
            dgl.batch(attached[start : start + BATCH_SIZE])
            for start in range(0, len(attached), BATCH_SIZE)
        ],
    }
    absent = []
    for peer in GRAPH_NETWORKS:
        version = peer.version()
        if version is None:
            absent.append(peer.name)
            continue
        bench.peers[peer.distribution] = version
        calls[peer.name] = peer.prepare(graph, labels, order, BATCH_SIZE)
    timings = time_interleaved(calls, bench.repeats)
    gcn = timings.get(GCN)
    for name, timing in timings.items():
        table.add(name, timing, gcn and timing.median / gcn.median)
    for name in absent:
        table.add(name, NOT_INSTALLED, None)


@bench_command("layer")
@data_option
def main(bench: Bench, data: Path) -> None:
    """Train a graph classifier for an epoch, beside graph networks of PyG."""
    graph = read_enzymes(data)
    if graph is None:
        bench.note("Nothing is measured: ENZYMES is not in the folder given by --data.")
        return
    labels = torch.from_numpy(read_tu_labels(tu_folder(data, "ENZYMES")))
    order = training_part(data, bench.quick)
    table = bench.table(
        f"One epoch, ENZYMES, {len(order)} graphs in batches of {BATCH_SIZE}",
        {"who": "", "time": "", f"it / {GCN}": ".1f"},
    )
    compare(bench, table, graph, labels, order)
    bench.note(
        f"Ours: a linear layer to D = {WIDTH}, {NUM_FILTERS} filters of {MAX_NODES} nodes, "
        f"{NUM_HOPS} hops, t = {NUM_LEVELS}, optimal matching, sum, a linear layer. The graph "
        f"networks: {HIDDEN} hidden, sum, a linear layer. An epoch is batching, forward, loss, "
        "backward and a step of Adam for each batch."
    )


if __name__ == "__main__":
    main()
