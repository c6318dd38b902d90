"""The numeric features of filters: one copy, the mean over the copies, and gradients beside them.

The graphs are those of the paper: a Barabási–Albert graph of 760 nodes and ten copies each of four
motifs of six nodes. Nodes of a motif have the same features in all copies but for noise, clipped to
[0, 1]: one vector for all nodes of the motif ("of the motif"), as ``generate planted`` makes them,
or one for each of its nodes ("of its node"). A filter is compared with the motif whose structure it
has, under the isomorphism that fits best, and so is each planted copy: a filter that were a single
subgraph would differ as much as they do. What the mean over the ten planted copies differs from the
truth is the least that averaging can reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import networkx as nx
import numpy as np
from record import Bench

from gomkcn.mining import FilterLearning, FilterMiner
from gomkcn.mining.filters.mined_filter import MinedFilter
from gomkcn.synthetic import PlantingSettings, planted_motif_graph
from gomkcn.synthetic.planted_graph import PlantedGraph
from gomkcn_dgl.graphs.structure import Structure

FIRST_SEED = 9700
NOISES = (0.1, 0.2, 0.3)
OF_MOTIF, OF_NODE = "of the motif", "of its node"
# the default, and the gradients of the paper beside it
EPOCHS = (0, 60)


def main(bench: Bench) -> None:
    """Errors of the features of filters, without and with epochs of gradients."""
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else bench.repeats))
    table = bench.table(
        f"Mean absolute error of a filter's features in [0, 1], seeds {seeds[0]} to {seeds[-1]}",
        {"noise": ".1f", "planted features": "", "motifs": "", "one copy": ".3f",
         "filter": ".3f", f"after {EPOCHS[1]} epochs": ".3f", "mean of the copies": ".3f",
         "filter / one copy (range over graphs)": "", "mean of the copies / one copy": ".2f",
         "same structures after the epochs": ""},
    )  # fmt: skip
    for noise in NOISES[1:2] if bench.quick else NOISES:
        for kind in (OF_MOTIF, OF_NODE):
            rows = []
            same = found = wanted = 0
            for seed in seeds:
                planted, truth = with_noise(seed, noise, kind)
                start, trained = (fit(planted, epochs, seed) for epochs in EPOCHS)
                errors = list(errors_of(planted, truth, start, trained))
                same += keys(start) == keys(trained)
                found += len(errors)
                wanted += len(planted.motifs)
                if errors:
                    rows.append(np.mean(errors, axis=0))
            one, plain, learnt, mean = np.mean(rows, axis=0)
            ratios = [row[1] / row[0] for row in rows]
            spread = f"{plain / one:.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
            table.add(
                noise, kind, f"{found} of {wanted}", one, plain, learnt, mean, spread, mean / one,
                f"{same} of {len(seeds)}",
            )  # fmt: skip


def fit(planted: PlantedGraph, num_epochs: int, seed: int) -> tuple[MinedFilter, ...]:
    """The filters of the defaults, after so many epochs."""
    learning = FilterLearning(num_epochs=num_epochs)
    miner = FilterMiner(learning=learning, device="cpu", random_state=seed)
    return miner.fit(planted.to_csr()).filters_


def keys(filters: tuple[MinedFilter, ...]) -> list[bytes]:
    """The structures of filters, in any order."""
    return sorted(one.structure.key for one in filters)


def with_noise(seed: int, noise: float, kind: str) -> tuple[PlantedGraph, dict[str, np.ndarray]]:
    """A graph with noisy features, and the features without noise of the nodes of each motif."""
    if kind == OF_MOTIF:
        planted, plain = (
            planted_motif_graph(settings=PlantingSettings(mode, noise=own), seed=seed)
            for mode, own in (("per_type_noise", noise), ("per_type", 0.0))
        )
        return planted, {name: plain.features[list(nodes)] for name, nodes in plain.instances}
    planted = planted_motif_graph(settings=PlantingSettings("per_node"), seed=seed)
    rng = np.random.default_rng([seed, 3])
    own = planted.features.astype(np.float64)
    truth = {motif.name: rng.random((motif.num_nodes, own.shape[1])) for motif in planted.motifs}
    for name, nodes in planted.instances:
        drawn = noise * rng.standard_normal(truth[name].shape)
        own[list(nodes)] = np.clip(truth[name] + drawn, 0, 1)
    return replace(planted, features=own.astype(np.float32)), truth


def errors_of(
    planted: PlantedGraph,
    truth: dict[str, np.ndarray],
    start: tuple[MinedFilter, ...],
    trained: tuple[MinedFilter, ...],
) -> Iterator[tuple[float, float, float, float]]:
    """Of each motif that is a filter both times: errors of a copy, of both, and of the mean."""
    for motif in planted.motifs:
        both = [
            next((one for one in filters if one.structure.key == motif.key), None)
            for filters in (start, trained)
        ]
        if None in both:
            continue
        wanted = truth[motif.name]
        nodes = np.array([own for name, own in planted.instances if name == motif.name])
        copies = planted.features[nodes]  # [copies, M, D]
        yield (
            float(np.mean([least_error(motif, copy, motif, wanted) for copy in copies])),
            *(least_error(one.structure, one.features, motif, wanted) for one in both),
            float(np.abs(copies.mean(axis=0) - wanted).mean()),
        )


def least_error(
    structure: Structure, features: np.ndarray, motif: Structure, wanted: np.ndarray
) -> float:
    """The mean absolute error of the features ``[M, D]`` by the best of all isomorphisms."""
    pair = nx.Graph(structure.edges), nx.Graph(motif.edges)
    mappings = nx.isomorphism.GraphMatcher(*pair).isomorphisms_iter()
    orders = ([mapping[node] for node in range(motif.num_nodes)] for mapping in mappings)
    return min(float(np.abs(features - wanted[order]).mean()) for order in orders)
