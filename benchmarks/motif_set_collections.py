"""Motif sets of collections: are known motifs found, and is nothing found where nothing is?

A collection without motifs has graphs of blocks, cores, hubs or two degrees, random trees, or real
graphs whose edges are exchanged at equal degrees; it is right where no motif is reported. A clique
of ten nodes in each graph is right where it is named, as a motif or as a block with all its edges;
with a twentieth of its pairs flipped, where nine tenths of the nodes of all copies lie inside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
from record import Bench

from gomkcn.mining.motif_sets.finding import find_motif_set
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph

NUM_GRAPHS, CLIQUE = 60, 10
# collections of each row, and most nodes of a motif but in MUTAG
FIRST_SEED, SEEDS, LARGEST = 1000, 20, 5
Draw = Callable[[np.random.Generator], nx.Graph]


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _blocks(sizes: list[int], inside: float, between: float) -> Draw:
    densities = np.full((len(sizes), len(sizes)), between)
    np.fill_diagonal(densities, inside)
    return lambda rng: nx.Graph(
        nx.stochastic_block_model(sizes, densities.tolist(), seed=_seed(rng))
    )


def _pair(first: tuple[int, float], second: tuple[int, float], joins: int) -> Draw:
    def draw(rng: np.random.Generator) -> nx.Graph:
        parts = [nx.gnp_random_graph(*part, seed=_seed(rng)) for part in (first, second)]
        graph = nx.disjoint_union(*parts)
        for _ in range(joins):
            ends = int(rng.integers(first[0])), first[0] + int(rng.integers(second[0]))
            graph.add_edge(*ends)
        return graph

    return draw


def _core(rng: np.random.Generator) -> nx.Graph:
    densities = [[0.8, 0.25], [0.25, 0.03]]
    return nx.Graph(nx.stochastic_block_model([8, 22], densities, seed=_seed(rng)))


def _degrees(*degrees: int) -> Draw:
    def draw(rng: np.random.Generator) -> nx.Graph:
        graph = nx.Graph(nx.configuration_model(degrees, seed=_seed(rng)))
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        return graph

    return draw


def _clique(flipped: float) -> Draw:
    def draw(rng: np.random.Generator) -> nx.Graph:
        clique = nx.complete_graph(CLIQUE)
        clique.remove_edges_from([edge for edge in list(clique.edges) if rng.random() < flipped])
        graph = nx.disjoint_union(clique, nx.gnp_random_graph(20, 0.1, seed=_seed(rng)))
        for _ in range(3):
            graph.add_edge(int(rng.integers(CLIQUE)), CLIQUE + int(rng.integers(20)))
        return graph

    return draw


NOTHING: dict[str, Draw] = {
    "12 nodes .6, 12 nodes .12, one edge": _pair((12, 0.6), (12, 0.12), 1),
    "10 nodes .8, 20 nodes .1, two edges": _pair((10, 0.8), (20, 0.1), 2),
    "two blocks of 12, .5 and .05": _blocks([12, 12], 0.5, 0.05),
    "three blocks of 8, .5 and .05": _blocks([8, 8, 8], 0.5, 0.05),
    "three blocks of 8, .6 and .12": _blocks([8, 8, 8], 0.6, 0.12),
    "core of 8 in 30 nodes": _core,
    "degrees 2 and 8": _degrees(*[2] * 18, *[8] * 6),
    "two hubs": _degrees(*[1] * 12, *[2] * 8, *[3] * 4, 10, 8),
    "random graphs, .2": lambda rng: nx.gnp_random_graph(20, 0.2, seed=_seed(rng)),
    "random trees": lambda rng: nx.random_labeled_tree(18, seed=_seed(rng)),
}
CLIQUES = {"a clique of 10": 0.0, "a clique of 10, .05 flipped": 0.05}


@dataclass(frozen=True)
class Outcome:
    """What one collection gave."""

    found: MotifSet
    is_right: bool
    seconds: float


def search(graph: CSRGraph, largest: int, seed: int) -> tuple[MotifSet, float]:
    start = time.process_time()
    sizes = range(2, largest + 1)
    found = find_motif_set(MinedGraph.of(graph), sizes, seed, is_collection=True)
    return found, time.process_time() - start


def drawn(draw: Draw, seed: int) -> CSRGraph:
    rng = np.random.default_rng(seed)
    return as_csr([draw(rng) for _ in range(NUM_GRAPHS)])


def nothing(graph: CSRGraph, seed: int) -> Outcome:
    found, seconds = search(graph, LARGEST, seed)
    return Outcome(found, not found.motifs, seconds)


def clique(flipped: float, seed: int) -> Outcome:
    found, seconds = search(drawn(_clique(flipped), seed), LARGEST, seed)
    motifs = [(one.structure, one.motif.copies.nodes) for one in found if one.motif]
    if not flipped:
        named = [len(copies) for structure, copies in motifs if structure.num_nodes == CLIQUE]
        return Outcome(found, named == [NUM_GRAPHS], seconds)
    # by the numbers that nodes have in their graph
    covered = np.concatenate([copies.ravel() for _, copies in motifs] or [np.empty(0, int)])
    inside = (covered < CLIQUE).mean() if len(covered) else 1.0
    return Outcome(found, bool(inside >= 0.9), seconds)


def rewired(graph: CSRGraph, seed: int, within_types: bool) -> CSRGraph:
    """Exchange ends of edges of each graph, ten times as often as it has edges.

    Types travel with the edges, or ends of edges of one type alone are exchanged.
    """
    rng = np.random.default_rng(seed)
    source, target, relation = graph.edges()
    graph_of = graph.graph_of(source)
    for number in range(graph.num_graphs):
        own = np.flatnonzero(graph_of == number)
        joined = {frozenset(ends) for ends in zip(source[own], target[own], strict=True)}
        for _ in range(10 * len(own)):
            one, two = rng.choice(own, 2, replace=False) if len(own) > 1 else (0, 0)
            if one == two or (within_types and relation[one] != relation[two]):
                continue
            if rng.random() < 0.5:
                source[one], target[one] = target[one], source[one]
            new = [frozenset((source[one], target[two])), frozenset((source[two], target[one]))]
            if any(len(ends) < 2 or ends in joined for ends in new) or new[0] == new[1]:
                continue
            joined -= {frozenset((source[k], target[k])) for k in (one, two)}
            joined |= set(new)
            target[one], target[two] = target[two], target[one]
    names, has_types = graph.relations.names, len(graph.relations.names) > 1
    return csr_from_edges(
        source, target, graph.num_nodes, graph_ptr=graph.graph_ptr, features=graph.features,
        feature_names=graph.feature_names, relation=relation if has_types else None,
        relation_names=names,
    )  # fmt: skip


def main(bench: Bench) -> None:
    """Search collections of which the answer is known."""
    drawings = range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else SEEDS))
    rows: dict[str, Callable[[int], Outcome]] = {
        name: lambda seed, draw=draw: nothing(drawn(draw, seed), seed)
        for name, draw in NOTHING.items()
    }
    for name, flipped in CLIQUES.items():
        rows[name] = lambda seed, flipped=flipped: clique(flipped, seed)
    folders = {"MUTAG": "MUTAG_47395044/MUTAG", "ENZYMES": "ENZYMES_67bfdeff/ENZYMES"}
    for name, folder in folders.items():
        if bench.quick or not (bench.data / folder).is_dir():
            continue
        graph = read_graph(bench.data / folder)
        for within in (False, True) if name == "MUTAG" else (False,):
            how = "within types" if within else "types travelling"
            rows[f"{name} rewired, {how}"] = lambda seed, graph=graph, within=within: nothing(
                rewired(graph, seed, within), seed
            )
    names = list(rows)
    columns = {"collection": "", "right": "", "base": "", "most bits": ".0f", "CPU s": ".1f"}
    table = bench.table("", columns)
    for name in names[:2] if bench.quick else names:
        outcomes = [rows[name](seed) for seed in drawings]
        bases = sorted({one.found.base for one in outcomes})
        table.add(
            name,
            f"{sum(one.is_right for one in outcomes)}/{len(outcomes)}",
            ", ".join(bases),
            max(sum(each.motif.bits for each in one.found if each.motif) for one in outcomes),
            float(np.median([one.seconds for one in outcomes])),
        )
    if not bench.quick:
        add_molecules(bench, bench.data / folders["MUTAG"])


def add_molecules(bench: Bench, folder: Path) -> None:
    """The motifs of real molecules, sizes 2 to 10."""
    if not folder.is_dir():
        bench.note(f"MUTAG is not at {folder.name}.")
        return
    found, seconds = search(read_graph(folder), 10, 0)
    table = bench.table("MUTAG", {"motif": "", "copies": "d", "bits": ".0f"})
    for one in found:
        if one.motif:
            text = one.structure.to_text().replace("label=", "")
            table.add(text, one.motif.num_copies, one.motif.bits)
    bench.note(
        f"MUTAG: {found.bits_base:,.0f} bits without motifs, {found.bits_total:,.0f} with them, "
        f"base {found.base!r}, {seconds:.1f} s of processor time."
    )
