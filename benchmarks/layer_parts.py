"""Where a step of a layer goes: reading, sampling, matching, backward; beside it a GIN layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from inputs import LEVEL_SCALE, barabasi_albert_graph
from measure import time_interleaved
from record import Bench
from training_step import EDGES_PER_NODE, QUICK_SHAPES, SHAPES, StepShape

from gomkcn_dgl import GOMKConv, GOMKKernel
from gomkcn_dgl.last_graph import digest_of
from gomkcn_dgl.subgraph_transform import read_for, tensors_as_graph
from gomkcn_dgl.subgraphs import extract_subgraphs


class Parts:
    """A layer of a network that is called with the edges and features of one graph."""

    def __init__(self, shape: StepShape) -> None:
        torch.manual_seed(0)
        graph = barabasi_albert_graph(shape.V, EDGES_PER_NODE, shape.D)
        source, target, _ = graph.edges()
        ends = np.array([np.append(source, target), np.append(target, source)])
        self.edge_index = torch.from_numpy(ends)
        self.feat = torch.from_numpy(graph.features)
        kernel = GOMKKernel(shape.num_levels, level_scale=LEVEL_SCALE)
        self.conv = GOMKConv(shape.D, shape.F, shape.M, shape.num_hops, kernel=kernel)
        self.given = tensors_as_graph(self.feat, self.edge_index, None)
        self.csr = self.read()
        self.kept = self.conv.subgraphs(self.given, feat=self.feat)
        # levels, the matching and the gradients of all nodes
        self.scores = self.conv(self.feat, self.kept)
        self.factors = torch.ones_like(self.scores)

    def read(self) -> Any:
        return read_for(self.conv.relations, self.given, feat=self.feat)

    def color(self) -> None:
        vars(self.csr).pop("colored_rows", None)
        _ = self.csr.colored_rows

    def score(self) -> None:
        with torch.no_grad():
            self.conv(self.feat, self.kept)

    def differentiate(self) -> None:
        torch.autograd.grad(self.scores, [*self.conv.parameters()], self.factors, retain_graph=True)

    def step(self, is_known: bool) -> None:
        """Forward and backward from edges and features; of a graph that the layer knows, or not."""
        if not is_known:
            self.conv.forget_graph()
        self.conv(self.feat, self.edge_index).sum().backward()
        self.conv.zero_grad()

    def calls(self) -> dict[str, Callable[[], Any]]:
        """What is timed, by what the table says of it."""
        conv, feat = self.conv, self.feat
        return {
            "digest of edges and features": lambda: digest_of(self.given, feat, None, None),
            "edges read into rows": self.read,
            "colours of nodes": self.color,
            "subgraphs sampled": lambda: extract_subgraphs(self.csr, conv.settings),
            "levels and matching": self.score,
            "backward": self.differentiate,
            "step, graph not known": lambda: self.step(False),
            "step, graph known": lambda: self.step(True),
        }


def gin_step(shape: StepShape, parts: Parts) -> Callable[[], Any] | None:
    """Forward and backward of a GIN layer of the same widths; None where PyG is not there."""
    try:
        from torch_geometric.nn import GINConv
    except ImportError:
        return None
    network = torch.nn.Sequential(
        torch.nn.Linear(shape.D, shape.F), torch.nn.ReLU(), torch.nn.Linear(shape.F, shape.F)
    )
    conv = GINConv(network)

    def step() -> None:
        conv(parts.feat, parts.edge_index).sum().backward()
        conv.zero_grad()

    return step


def main(bench: Bench) -> None:
    """Time the parts of a step, and the step with and without a graph that is known."""
    columns = {"(V, D, F, M, hops, t)": "", "part": "", "time": "", "of a step": ".0%"}
    table = bench.table("Where a step of GOMKConv goes", columns)
    for shape in QUICK_SHAPES if bench.quick else SHAPES[-1:]:
        parts = Parts(shape)
        calls = parts.calls()
        gin = gin_step(shape, parts)
        if gin is not None:
            calls["step of GINConv"] = gin
        timings = time_interleaved(calls, bench.repeats)
        whole = timings["step, graph not known"].median
        for name, timing in timings.items():
            table.add(str(shape), name, timing, timing.median / whole)
        if gin is None:
            bench.note("torch_geometric: not installed")
    bench.note(
        "A Barabási–Albert graph with three edges a node, given as edge_index and x. A step is "
        "forward and backward without an optimizer; *levels and matching* is a forward pass on "
        "subgraphs that are there, without what a backward pass needs. GINConv has two linear "
        "layers of the same widths."
    )
