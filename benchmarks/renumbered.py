"""Does what is reported depend on the numbers of the nodes, or on the order of the graphs?"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
from planted_graphs import mine
from record import Bench

from gomkcn_dgl import CSRGraph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from mining import Pattern
from synthetic import PlantingSettings, barabasi_albert, plant_motifs

RELABELLINGS = 5


def to_renumber(folder: Path) -> Iterator[tuple[str, Callable[[], CSRGraph]]]:
    """Five graphs: made and real, with features, directions, types, and many graphs."""
    shapes = {
        "K4": nx.complete_graph(4), "prism": nx.circular_ladder_graph(3), "C6": nx.cycle_graph(6)
    }  # fmt: skip
    some = {Structure.from_networkx(one, name): 15 for name, one in shapes.items()}
    near = np.array(nx.random_geometric_graph(600, 0.07, seed=0).edges)
    yield (
        "BA, embedded K4, prism, C6",
        lambda: plant_motifs(
            barabasi_albert(600, 2, seed=0),
            600,
            some,
            PlantingSettings(embedded=True, features="constant"),
            seed=0,
        ).to_csr(),
    )
    yield (
        "geometric, with features",
        lambda: plant_motifs(
            near, 600, some, PlantingSettings("per_type_noise", noise=0.1), seed=0
        ).to_csr(),
    )
    if folder.is_dir():
        yield (
            "E. coli regulation, signed",
            lambda: read_graph(folder / "directed" / "ecoli_regulation.csv", directed=True),
        )
        yield "ca-GrQc", lambda: read_graph(folder / "snap" / "ca-GrQc.txt.gz")
        yield (
            "MUTAG",
            lambda: read_graph(next(folder.glob("MUTAG_*")) / "MUTAG", features=["labels"]),
        )


def renumber(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """The same graphs in another order, and in each of them other numbers for the nodes."""
    ptr = graph.graph_ptr
    graphs = rng.permutation(graph.num_graphs)
    sizes = np.diff(ptr)[graphs]
    order = np.concatenate(
        [ptr[g] + rng.permutation(n) for g, n in zip(graphs, sizes, strict=True)]
    )
    new = np.argsort(order)
    source, target, relation = graph.edges()
    return csr_from_edges(
        new[source],
        new[target],
        graph.num_nodes,
        features=graph.features[order],
        feature_names=graph.feature_names,
        graph_ptr=np.concatenate([[0], np.cumsum(sizes)]),
        directed=graph.relations.directed,
        relation=relation,
        relation_names=graph.relations.names,
        undirected=True,
    )


@dataclass
class Agreement:
    """How the patterns of renumbered graphs agree with those of the graph."""

    jaccard: list[float]
    same_first: int = 0  # the first four patterns are the same
    exact: int = 0
    exact_equal: int = 0
    estimates: int = 0
    overlapping: int = 0  # estimates whose intervals overlap
    verdicts: int = 0
    verdicts_equal: int = 0

    def add(self, own: Sequence[Pattern], other: Sequence[Pattern]) -> None:
        """Compare the patterns of one more graph."""
        first, second = ({one.structure.key: one for one in some} for some in (own, other))
        union = len(first.keys() | second.keys())
        self.jaccard.append(len(first.keys() & second.keys()) / union if union else 1.0)
        self.same_first += set(list(first)[:4]) == set(list(second)[:4])
        for key in first.keys() & second.keys():
            a, b = first[key].frequency.occurrences, second[key].frequency.occurrences
            if a.is_exact and b.is_exact:
                self.exact += 1
                self.exact_equal += a.value == b.value
            else:
                self.estimates += 1
                self.overlapping += a.low <= b.high and b.low <= a.high
            for null, one in first[key].significance.items():
                self.verdicts += 1
                self.verdicts_equal += one.verdict == second[key].significance[null].verdict


def main(bench: Bench) -> None:
    """Mine each graph and its renumbered copies, and compare the patterns."""
    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    number = 2 if bench.quick else RELABELLINGS
    table = bench.table(
        f"{number} other numberings of each graph, defaults",
        {
            "graph": "",
            "patterns": "",
            "Jaccard, mean": ".3f",
            "Jaccard, least": ".3f",
            "same first four": "",
            "exact counts equal": "",
            "intervals of estimates overlap": "",
            "same verdicts": "",
            "CPU s": ".1f",
        },
    )
    cases = list(to_renumber(bench.data))
    for name, make in cases[:1] if bench.quick else cases:
        graph = make()
        miner, seconds = mine(graph)
        agreement, rng = Agreement([]), np.random.default_rng(0)
        for _ in range(number):
            other, _ = mine(renumber(graph, rng))
            agreement.add(miner.patterns_, other.patterns_)
        table.add(
            name,
            len(miner.patterns_),
            float(np.mean(agreement.jaccard)),
            min(agreement.jaccard),
            f"{agreement.same_first}/{number}",
            f"{agreement.exact_equal}/{agreement.exact}",
            f"{agreement.overlapping}/{agreement.estimates}" if agreement.estimates else None,
            f"{agreement.verdicts_equal}/{agreement.verdicts}",
            seconds,
        )
