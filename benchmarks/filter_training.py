"""What does the training of filters change: their features, their structures, their frequencies?

The graphs are those of the paper: a Barabási–Albert graph of 760 nodes and ten copies each of four
motifs of six nodes. Nodes of a motif have the same features in all copies but for noise, clipped to
[0, 1]: one vector for all nodes of the motif ("of the motif"), as ``generate planted`` makes them,
or one for each of its nodes ("of its node"). A filter is compared with the motif whose structure it
has, under the isomorphism that fits best; the start is compared in the same way. What the mean over
the ten planted copies differs from the truth is the least that averaging can reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import networkx as nx
import numpy as np
from record import Bench

from gomkcn_dgl.graphs.structure import Structure
from mining import FilterLearning, FilterMiner
from mining.filters.mined_filter import MinedFilter
from synthetic import PlantedGraph, PlantingSettings, planted_motif_graph

FIRST_SEED = 9700
NOISES = (0.1, 0.2, 0.3)
OF_MOTIF, OF_NODE = "of the motif", "of its node"
# what is planted: share of the edges of a copy that is deleted, and features
STRUCTURES = tuple((share, kind) for share in (0.0, 0.1, 0.2) for kind in ("none", "per_node"))
# graphs of each kind, but for those without noise and with all edges
FEW_GRAPHS = 4
EPOCHS = {"start": 0, "trained": FilterLearning().num_epochs}
# nodes in the copies of a motif, and what of them a frequency should say
FREQUENCY_BOUNDS, EXACT_BOUNDS = (50, 75), (55, 60)


def main(bench: Bench) -> None:
    """Train on graphs with noisy features, and on graphs with edges deleted."""
    number = 1 if bench.quick else bench.repeats
    features(bench, min(number, FEW_GRAPHS))
    structures(bench, number)


def fit(planted: PlantedGraph, num_epochs: int, seed: int) -> tuple[MinedFilter, ...]:
    """The eight filters of the defaults, after so many epochs."""
    learning = FilterLearning(num_epochs=num_epochs)
    miner = FilterMiner(8, learning=learning, device="cpu", random_state=seed)
    return miner.fit(planted.to_csr()).filters_


def features(bench: Bench, num_graphs: int) -> None:
    """Errors of the features of filters, at the start and trained."""
    table = bench.table(
        f"Mean absolute error of a filter's features in [0, 1], {num_graphs} graphs",
        {"noise": ".1f", "planted features": "", "motifs": "d", "start": ".3f", "trained": ".3f",
         "trained / start (range over graphs)": "", "mean of the copies / start": ".2f"},
    )  # fmt: skip
    for noise in NOISES[1:2] if bench.quick else NOISES:
        for kind in (OF_MOTIF, OF_NODE):
            # a row for each graph: errors of the start, the trained filters and the copies
            rows = []
            number = 0
            for seed in range(FIRST_SEED, FIRST_SEED + num_graphs):
                planted, truth = with_noise(seed, noise, kind)
                found = {name: fit(planted, epochs, seed) for name, epochs in EPOCHS.items()}
                errors = list(errors_of(planted, truth, found))
                number += len(errors)
                if errors:
                    rows.append(np.mean(errors, axis=0))
            start, trained, copies = np.mean(rows, axis=0)
            ratios = [row[1] / row[0] for row in rows]
            spread = f"{trained / start:.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
            table.add(noise, kind, number, start, trained, spread, copies / start)


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
    found: dict[str, tuple[MinedFilter, ...]],
) -> Iterator[tuple[float, float, float]]:
    """Of each motif that is a filter both times: errors of both, and of the mean over copies."""
    for motif in planted.motifs:
        # the most frequent of several filters of a structure is the first
        both = [
            next((one for one in filters if one.structure.key == motif.key), None)
            for filters in found.values()
        ]
        start, trained = both
        if start is None or trained is None:
            continue
        wanted = truth[motif.name]
        copies = [nodes for name, nodes in planted.instances if name == motif.name]
        mean = planted.features[np.array(copies)].mean(axis=0)
        yield (
            least_error(start, motif, wanted),
            least_error(trained, motif, wanted),
            float(np.abs(mean - wanted).mean()),
        )


def least_error(one: MinedFilter, motif: Structure, wanted: np.ndarray) -> float:
    """The mean absolute error of the features of a filter, by the best of all isomorphisms."""
    pair = nx.Graph(one.structure.edges), nx.Graph(motif.edges)
    mappings = nx.isomorphism.GraphMatcher(*pair).isomorphisms_iter()
    orders = ([mapping[node] for node in range(motif.num_nodes)] for mapping in mappings)
    return min(float(np.abs(one.features - wanted[order]).mean()) for order in orders)


@dataclass
class Counts:
    """Over graphs: motifs that are filters, and of each of these its two numbers of nodes."""

    motifs: list[int] = field(default_factory=list)
    frequency: list[int] = field(default_factory=list)
    exact: list[int] = field(default_factory=list)
    same: list[bool] = field(default_factory=list)


def structures(bench: Bench, num_graphs: int) -> None:
    """Motifs among the filters, and how often they are seen, at the start and trained."""
    table = bench.table(
        "Four motifs of 60 nodes each among 8 filters",
        {"edges deleted": ".0%", "features": "", "filters": "", "all four": "", "mean": ".1f",
         "frequency": "", "of 50 to 75": ".0%", "exact": "", "of 55 to 60": ".0%",
         "structures of the start": ""},
    )  # fmt: skip
    for share, kind in STRUCTURES[:1] if bench.quick else STRUCTURES:
        mode = "constant" if kind == "none" else kind
        counts = {name: Counts() for name in EPOCHS}
        seeds = range(FIRST_SEED, FIRST_SEED + min(num_graphs, FEW_GRAPHS if share else num_graphs))
        for seed in seeds:
            settings = PlantingSettings(mode, remove_prob=share)
            planted = planted_motif_graph(settings=settings, seed=seed)
            keys = []
            for name, epochs in EPOCHS.items():
                filters = fit(planted, epochs, seed)
                keys.append(sorted(one.structure.key for one in filters))
                count(counts[name], planted, filters)
                counts[name].same.append(keys[-1] == keys[0])
        for name, own in counts.items():
            number = sum(one == len(planted.motifs) for one in own.motifs)
            table.add(
                share,
                "per node" if kind == "per_node" else kind,
                name,
                f"{number} of {len(seeds)}",
                float(np.mean(own.motifs)),
                *spread_of(own.frequency, FREQUENCY_BOUNDS),
                *spread_of(own.exact, EXACT_BOUNDS),
                f"{sum(own.same)} of {len(seeds)}",
            )


def count(counts: Counts, planted: PlantedGraph, filters: tuple[MinedFilter, ...]) -> None:
    """Add the filters of one graph; those of one motif together."""
    number = 0
    for motif in planted.motifs:
        own = [one for one in filters if one.structure.key == motif.key]
        if own:
            number += 1
            counts.frequency.append(round(sum(one.frequency.value for one in own)))
            counts.exact.append(round(sum(one.exact.value for one in own)))
    counts.motifs.append(number)


def spread_of(values: list[int], bounds: tuple[int, int]) -> tuple[str | None, float | None]:
    """Median and range, and the share within bounds."""
    if not values:
        return None, None
    low, high = bounds
    inside = float(np.mean([low <= value <= high for value in values]))
    return f"{np.median(values):.0f} ({min(values)}–{max(values)})", inside
