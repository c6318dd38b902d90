"""A whole step of training a layer, extraction included, and a whole training of filters."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import click
import torch
from inputs import LEVEL_SCALE, barabasi_albert_graph
from measure import Timing, time_interleaved
from record import Bench
from torch import Tensor

from gomkcn.mining import FilterLearning, FilterMiner
from gomkcn.synthetic import planted_motif_graph
from gomkcn_dgl import CSRGraph, GOMKConv, GOMKKernel
from gomkcn_dgl.embeddings import SubgraphTensors

NOT_MEASURED = "not yet measured"
EDGES_PER_NODE = 3


@dataclass(frozen=True)
class StepShape:
    """Sizes of one step: a subgraph of M nodes around each of V nodes, and F filters."""

    V: int  # nodes of the graph
    D: int  # features
    F: int  # filters
    M: int  # nodes of a filter and of a subgraph
    num_hops: int
    num_levels: int

    def __str__(self) -> str:
        return f"({self.V}, {self.D}, {self.F}, {self.M}, {self.num_hops}, {self.num_levels})"


SHAPES = (
    # as many nodes as some 60 graphs of ENZYMES have, and a large graph
    StepShape(2_000, 16, 16, 8, 2, 2),
    StepShape(20_000, 16, 16, 8, 2, 2),
)
QUICK_SHAPES = (StepShape(60, 2, 3, 4, 1, 1),)


class Training:
    """A layer that is trained to tell two halves of the nodes of a graph apart, on a device."""

    def __init__(self, shape: StepShape, graph: CSRGraph, device: str) -> None:
        torch.manual_seed(0)
        self.graph = graph
        self.device = device
        kernel = GOMKKernel(shape.num_levels, level_scale=LEVEL_SCALE)
        self.conv = GOMKConv(shape.D, shape.F, shape.M, shape.num_hops, kernel=kernel).to(device)
        self.head = torch.nn.Linear(shape.F, 2).to(device)
        self.parameters = [*self.conv.parameters(), *self.head.parameters()]
        self.optimizer = torch.optim.Adam(self.parameters, lr=0.01)
        self.feat = torch.from_numpy(graph.features).float().to(device)
        self.target = (torch.arange(shape.V, device=device) % 2).long()
        self.kept = self.extract()

    def extract(self) -> SubgraphTensors:
        """The subgraphs around all nodes, on the device."""
        return self.conv.subgraphs(self.graph, self.device)

    def step(self, subgraphs: SubgraphTensors) -> Tensor:
        """One step of Adam; its loss stays on the device."""
        scores = self.head(self.conv(subgraphs, self.feat))
        loss = torch.nn.functional.cross_entropy(scores, self.target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def calls(self) -> dict[str, Callable[[], Any]]:
        """What is timed."""
        return {
            "extraction": self.extract,
            "step": lambda: self.step(self.kept),
            "whole": lambda: self.step(self.extract()),
        }


def devices(bench: Bench) -> list[str]:
    """The devices that are measured: with a GPU, the CPU beside it."""
    if bench.device == "cpu":
        return ["cpu"]
    if not torch.cuda.is_available():
        raise click.UsageError("--device cuda needs a GPU that torch can use; there is none.")
    bench.device = torch.cuda.get_device_name()
    return ["cpu", "cuda"]


def main(bench: Bench) -> None:
    """Time steps of a layer, and a whole training of filters, on each device."""
    measured = devices(bench)
    wait = torch.cuda.synchronize if "cuda" in measured else lambda: None
    steps_of_a_layer(bench, measured, wait)
    trainings_of_filters(bench, measured, wait)
    bench.note(
        "A Barabási–Albert graph with three edges a node; subgraphs are extracted on the CPU by "
        "one thread and copied to the device. `step` is forward, backward and Adam on subgraphs "
        "that are there, `whole` is both. *Processor* is that of one more call, which other work "
        "changes less."
    )
    bench.note(
        f"In the last quarter of an hour {os.getloadavg()[2]:.1f} processes wanted its "
        f"{os.cpu_count()} cores."
    )


def steps_of_a_layer(bench: Bench, measured: list[str], wait: Callable[[], Any]) -> None:
    """A step of training, with and without the extraction of its subgraphs."""
    columns = {"(V, D, F, M, hops, t)": "", "device": ""}
    columns |= dict.fromkeys(("extraction", "step", "whole"), "")
    columns |= {"whole, processor": "", "CPU / it, step": ",.1f"}
    table = bench.table("A step of training of GOMKConv", columns)
    for shape in QUICK_SHAPES if bench.quick else SHAPES:
        graph = barabasi_albert_graph(shape.V, EDGES_PER_NODE, shape.D)
        trainings = {device: Training(shape, graph, device) for device in measured}
        calls = {
            f"{device} {name}": call
            for device, training in trainings.items()
            for name, call in training.calls().items()
        }
        timings = time_interleaved(calls, bench.repeats, wait=wait)
        for device in ("cpu", "cuda"):
            own = [timings.get(f"{device} {name}") for name in ("extraction", "step", "whole")]
            spent = processor(calls.get(f"{device} whole"))
            table.add(str(shape), device, *_row(own), spent, _times(timings["cpu step"], own[1]))


def trainings_of_filters(bench: Bench, measured: list[str], wait: Callable[[], Any]) -> None:
    """Whole trainings with all defaults but the device, from the graph to the assigned nodes."""
    columns = {"graph": "", "device": "", "fit": "", "processor": ""}
    columns |= {"CPU / it": ",.1f", "filters": ""}
    table = bench.table("FilterMiner().fit", columns)
    for name, graph in graphs(bench.quick):
        learning = FilterLearning(num_epochs=2 if bench.quick else 60)
        miners = {device: FilterMiner(device=device, learning=learning) for device in measured}
        calls = {
            device: (lambda miner=miner, graph=graph: miner.fit(graph))
            for device, miner in miners.items()
        }
        timings = time_interleaved(calls, bench.repeats, wait=wait)
        for device in ("cpu", "cuda"):
            own = timings.get(device)
            same = "as on the CPU"
            if device in miners and keys(miners[device]) != keys(miners["cpu"]):
                same = "DIFFERENT"
            found = f"{len(keys(miners[device]))} {same}" if device == "cuda" and own else None
            found = f"{len(keys(miners['cpu']))}" if device == "cpu" else found
            spent = processor(calls.get(device))
            table.add(name, device, *_row([own]), spent, _times(timings["cpu"], own), found)


def graphs(quick: bool) -> Iterator[tuple[str, Any]]:
    """Name and graph: the planted one, and a larger one without motifs."""
    if quick:
        yield "Barabási–Albert, 60 nodes", barabasi_albert_graph(60, EDGES_PER_NODE)
        return
    yield "planted, 1,000 nodes", planted_motif_graph()
    yield "Barabási–Albert, 20,000 nodes", barabasi_albert_graph(20_000, EDGES_PER_NODE)


def keys(miner: FilterMiner) -> list[bytes]:
    """The structures that a miner found, in any order."""
    return sorted(one.structure.key for one in miner.filters_)


def processor(call: Callable[[], Any] | None) -> Timing | None:
    """Seconds of processor of one call."""
    if call is None:
        return None
    start = time.process_time()
    call()
    return Timing((time.process_time() - start,))


def _row(timings: list[Timing | None]) -> list[Timing | str]:
    return [NOT_MEASURED if one is None else one for one in timings]


def _times(cpu: Timing, own: Timing | None) -> float | None:
    return None if own is None else cpu.median / own.median
