"""Filters on a GPU that the graph never leaves, step by step beside the CPU."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from inputs import LEVEL_SCALE, barabasi_albert_graph
from measure import time_interleaved
from record import Bench
from torch import Tensor
from training_step import NOT_MEASURED, devices

from gomkcn.mining.filters.contrast import cover
from gomkcn_dgl import CSRGraph, GOMKKernel, SubgraphSettings, extract_subgraphs
from gomkcn_dgl.embeddings import SubgraphTensors
from gomkcn_dgl.graphs.canonical_form import canonical_forms

SIZES, QUICK_SIZES = (2_000, 20_000), (60,)
EDGES_PER_NODE = 3
NUM_FILTERS, SETTINGS = 8, SubgraphSettings(3, 6, "dense")
# kinds of subgraphs, candidates, random graphs, and how many candidates are chosen
COVER = (3_000, 1_000, 5, 12)
QUICK_COVER = (30, 10, 2, 3)
WHOLE = "all three, copied back"


class OnCpu:
    """What `FilterMiner` does after its filters are there, on a CPU."""

    device = "cpu"

    def __init__(self, graph: CSRGraph, filters: tuple[Tensor, Tensor]) -> None:
        self.graph, self.kernel = graph, GOMKKernel(level_scale=LEVEL_SCALE)
        self.feat = torch.from_numpy(graph.features).to(self.device)
        self.z = self.kernel.embed(*filters).to(self.device)
        self.kept = self.sample()

    def sample(self) -> SubgraphTensors:
        """The subgraphs around all nodes."""
        return SubgraphTensors.of_batch(extract_subgraphs(self.graph, SETTINGS))

    def match(self, subgraphs: SubgraphTensors) -> tuple[Tensor, ...]:
        """The best filter of each subgraph, its score and its matching."""
        return self.kernel.match_best(subgraphs, self.feat, self.z, "auto")

    def structures(self, subgraphs: SubgraphTensors) -> Tensor:
        """A number for the structure of each subgraph."""
        links, colors = subgraphs.links.numpy(), (subgraphs.nodes >= 0).long().numpy()
        order = canonical_forms(links, colors).order
        rows = np.arange(len(order))[:, None, None]
        readings = links[rows, order[:, :, None], order[:, None, :]].reshape(len(order), -1)
        sizes = subgraphs.num_nodes.numpy()[:, None].astype(readings.dtype)
        texts = np.hstack([readings, sizes])
        return torch.from_numpy(np.unique(texts, axis=0, return_inverse=True)[1].ravel())

    def assign(self) -> tuple[Tensor, ...]:
        """All of these, back on the CPU."""
        subgraphs = self.sample()
        found = *self.match(subgraphs), self.structures(subgraphs)
        return tuple(one.cpu() for one in found)


class OnGpu(OnCpu):
    """The same on a GPU."""

    device = "cuda"

    def __init__(self, graph: CSRGraph, filters: tuple[Tensor, Tensor]) -> None:
        from gomkcn_dgl.kernels.bfs_triton import DeviceGraph

        self.on_device = DeviceGraph.of(graph, self.device)
        self.channels = torch.from_numpy(graph.relations.links).to(self.device)
        super().__init__(graph, filters)

    def sample(self) -> SubgraphTensors:
        from gomkcn_dgl.kernels.bfs_triton import extract

        roots = torch.arange(self.graph.num_nodes, device=self.device)
        settings = SETTINGS.num_hops, SETTINGS.max_nodes, SETTINGS.policy, SETTINGS.seed
        found = extract(self.on_device, roots, *settings)
        return SubgraphTensors(found.nodes, found.num_nodes, found.links, self.channels)

    def structures(self, subgraphs: SubgraphTensors) -> Tensor:
        from gomkcn_dgl.kernels.canonical_torch import canonical_hashes

        colors = (subgraphs.nodes >= 0).long() - 1
        return canonical_hashes(subgraphs.links, colors, len(self.channels))


ROADS = {"cpu": OnCpu, "cuda": OnGpu}


def main(bench: Bench) -> None:
    """Time each step on each device, and compare what comes out."""
    measured = devices(bench)
    columns = {"step": "", "size": "", "cpu": "", "cuda": "", "CPU / it": ",.1f", "result": ""}
    table = bench.table("Eight filters of six nodes, around all nodes of a graph", columns)

    def add(step: str, size: str, calls: dict[str, Callable[[], Any]]) -> None:
        wait = torch.cuda.synchronize if "cuda" in calls else lambda: None
        timings = time_interleaved(calls, bench.repeats, wait=wait)
        own = timings.get("cuda")
        times = None if own is None else timings["cpu"].median / own.median
        same = None if own is None else compared(step, calls)
        table.add(step, size, timings["cpu"], own or NOT_MEASURED, times, same)

    for size in QUICK_SIZES if bench.quick else SIZES:
        graph = barabasi_albert_graph(size, EDGES_PER_NODE)
        filters = some_subgraphs(graph)
        roads = {device: ROADS[device](graph, filters) for device in measured}
        text = f"{size:,} subgraphs"
        add("sampling", text, {name: road.sample for name, road in roads.items()})
        add("best filter", text, on_kept(roads, "match"))
        add("structures", text, on_kept(roads, "structures"))
        add(WHOLE, text, {name: road.assign for name, road in roads.items()})
    kinds, candidates, graphs, number = QUICK_COVER if bench.quick else COVER
    text = f"{kinds:,} kinds, {candidates:,} candidates"
    add("facility location", text, covers(measured, bench.quick))
    bench.note(
        "A Barabási–Albert graph with three edges a node; the filters are subgraphs of it. "
        f"Facility location chooses {number} candidates beside {graphs} random graphs."
    )
    bench.note(
        f"In the last quarter of an hour {os.getloadavg()[2]:.1f} processes wanted its "
        f"{os.cpu_count()} cores."
    )


def some_subgraphs(graph: CSRGraph) -> tuple[Tensor, Tensor]:
    """Adjacency and features of filters: subgraphs around nodes that are drawn."""
    roots = np.random.default_rng(1).choice(graph.num_nodes, NUM_FILTERS, replace=False)
    batch = extract_subgraphs(graph, SETTINGS, roots)
    return torch.from_numpy(batch.adjacency()), torch.from_numpy(batch.gather(graph.features))


def on_kept(roads: dict[str, OnCpu], name: str) -> dict[str, Callable[[], Any]]:
    """A step on the subgraphs that each road has."""
    return {
        device: lambda road=road: getattr(road, name)(road.kept) for device, road in roads.items()
    }


def covers(measured: list[str], quick: bool) -> dict[str, Callable[[], Any]]:
    """Facility location by NumPy on the CPU, and by PyTorch on a GPU."""
    kinds, candidates, graphs, number = QUICK_COVER if quick else COVER
    rng = np.random.default_rng(2)
    arrays = (
        rng.random((kinds, candidates)),
        rng.poisson(3, kinds).astype(float),
        rng.poisson(2, (graphs, kinds)).astype(float),
    )
    given = {"cpu": arrays}
    if "cuda" in measured:
        given["cuda"] = tuple(torch.from_numpy(one).to("cuda") for one in arrays)
    return {
        device: lambda inputs=inputs: cover(*inputs, number) for device, inputs in given.items()
    }


def compared(step: str, calls: dict[str, Callable[[], Any]]) -> str:
    """Whether a GPU gives what the CPU does; of equally good filters either may be taken."""
    one, other = calls["cpu"](), calls["cuda"]()
    if step == "facility location":
        same = one == other
    elif step == "sampling":
        same = all(torch.equal(a, b.cpu()) for a, b in zip(one[:3], other[:3], strict=True))
    elif step == "structures":
        same = alike(one, other.cpu())
    else:
        same = torch.allclose(one[1], other[1].cpu(), atol=1e-4)
        same &= step != WHOLE or alike(one[3], other[3])
    return "as on the CPU" if same else "DIFFERENT"


def alike(one: Tensor, other: Tensor) -> bool:
    """Whether two lists of numbers tell the same rows apart."""
    pairs = torch.stack([one, other], dim=1).unique(dim=0)
    return len(pairs) == len(one.unique()) == len(other.unique())
