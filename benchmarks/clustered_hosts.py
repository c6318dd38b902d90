"""Is the motif set as short as with the planted motifs given, in hosts where edges cluster?

Two random motifs of 5 to 8 nodes, each copy joined to one of seven hosts of some 700 nodes by an
edge. In a host that has triangles and rings of its own, sets of nodes that grow at random seldom
are a copy. With the truth given nothing must be guessed, so that a search that saves fewer bits
without it missed something. Seeds are 9800 and on, which nothing was chosen by.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from given_sets import bits_of_set
from inexact import sizes_of
from joblib import Parallel, delayed
from motif_set import Drawn, drawn_of
from record import Bench

from gomkcn.mining.filters.filter_proposals import propose_filters
from gomkcn.mining.motif_sets.finding import motif_set
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.synthetic import PlantingSettings, plant_motifs
from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps

FIRST_SEED = 9800
NODES = 700
# mean degree of a geometric graph
DEGREE = 4
COPIES = (4, 6, 9)
SIZES = (3, 8)
# bits that differ by less are the same but for rounding
SAME_BITS = 1e-3
# what is to be reached: graphs whose set has both motifs, and bits in the graphs of the files,
# which are known from earlier searches with the truth given
LEAST_BOTH = "18 of 21"
FILES = {"geo-8": 3_623, "ws3-5": 1_130, "tree_shared": 295}

HOSTS: dict[str, Callable[[int], nx.Graph]] = {
    "ring of neighbours, .3 rewired": lambda seed: nx.watts_strogatz_graph(NODES, 4, 0.3, seed),
    "ring of neighbours, all rewired": lambda seed: nx.watts_strogatz_graph(NODES, 4, 1.0, seed),
    "10 blocks, .05 and .001": lambda seed: nx.planted_partition_graph(
        10, NODES // 10, 0.05, 0.001, seed
    ),
    "power-law cluster": lambda seed: nx.powerlaw_cluster_graph(NODES, 2, 0.6, seed),
    "random geometric": lambda seed: nx.random_geometric_graph(
        NODES, (DEGREE / (NODES * np.pi)) ** 0.5, seed=seed
    ),
    "random tree": lambda seed: nx.random_labeled_tree(NODES, seed=seed),
    "grid": lambda seed: nx.convert_node_labels_to_integers(nx.grid_2d_graph(26, 27)),
}


class Case(NamedTuple):
    """A graph with planted motifs: how it is drawn, and the nodes of a motif."""

    host: str
    draw: Callable[[], Drawn]
    sizes: tuple[int, int] = SIZES
    # bits that the search is to save
    least: float | None = None


class Found(NamedTuple):
    """The set of a graph, without and with the truth given."""

    planted: Sequence[tuple[Structure, int]]
    bits_planted: float
    by_default: MotifSet
    with_truth: MotifSet
    # processor seconds of both
    seconds: float
    seconds_with_truth: float
    # of the planted motifs, how many filters propose
    num_filters: int

    @property
    def copies_found(self) -> list[int]:
        """Copies that the set has of each planted motif."""
        copies = {one.key: one.motif.num_copies for one in self.by_default if one.motif}
        return [copies.get(structure.key, 0) for structure, _ in self.planted]

    @property
    def has_both(self) -> bool:
        """Whether the set has each planted motif, with at least the planted copies."""
        wanted = [number for _, number in self.planted]
        return all(have >= want for have, want in zip(self.copies_found, wanted, strict=True))

    @property
    def lost(self) -> float:
        """Bits by which the truth makes the set better."""
        return self.with_truth.bits_saved - self.by_default.bits_saved

    @property
    def starts(self) -> str:
        """How many starts of the search found the set by themselves."""
        every = self.by_default.bits_of_starts
        same = sum(bits > self.by_default.bits_saved - SAME_BITS for bits in every)
        return f"{same} of {len(every)}"


def draw_motif(rng: np.random.Generator) -> nx.Graph:
    """A connected random graph of 5 to 8 nodes, without pendant nodes and with two cycles."""
    while True:
        size = int(rng.integers(5, 9))
        most = min(size * (size - 1) // 2, 2 * size)
        number = int(rng.integers(size + 1, most + 1))
        motif = nx.gnm_random_graph(size, number, seed=int(rng.integers(2**31)))
        if nx.is_connected(motif) and min(degree for _, degree in motif.degree) > 1:
            return motif


def draw(host: str, copies: int, seed: int) -> Drawn:
    """A host with so many copies of each of two random motifs, each joined to it by an edge."""
    rng = np.random.default_rng(seed)
    base = HOSTS[host](seed)
    motifs = [draw_motif(rng)]
    while len(motifs) < 2:
        other = draw_motif(rng)
        if not nx.is_isomorphic(motifs[0], other):
            motifs.append(other)
    named = [
        Structure.from_networkx(motif, name)
        for name, motif in zip(("first", "second"), motifs, strict=True)
    ]
    options = {"settings": PlantingSettings("constant"), "seed": rng}
    wanted = dict.fromkeys(named, copies)
    return drawn_of(plant_motifs(np.array(base.edges), len(base), wanted, **options))


def truth_of(path: Path) -> dict[str, Any]:
    """What stands beside the file of a graph: its planted motifs, and the nodes of a motif."""
    truth: dict[str, Any] = json.loads(path.with_suffix(".truth.json").read_text("utf-8"))
    return truth


def read(path: Path) -> Drawn:
    """A graph of a file of edges, with the planted motifs that stand beside it."""
    edges = np.loadtxt(path, dtype=np.int64, usecols=(0, 1))
    nodes, ends = np.unique(edges, return_inverse=True)
    graph = nx.empty_graph(len(nodes))
    graph.add_edges_from(ends.reshape(-1, 2).tolist())
    planted = [
        (Structure.of_edges(one["nodes"], [(u, v) for u, v in one["edges"]]), one["copies"])
        for one in truth_of(path)["motifs"]
    ]
    copies = [(structure, np.searchsorted(nodes, rows)) for structure, rows in planted]
    return Drawn(as_csr(graph), copies)


def search(case: Case) -> Found:
    """The set of a graph by default, and with the planted motifs given."""
    drawn = case.draw()
    planted = [structure for structure, _ in drawn.planted]
    without, total = bits_of_set(drawn.graph, drawn.planted)
    started = time.process_time()
    by_default = motif_set(drawn.graph, case.sizes)
    seconds = time.process_time() - started
    with_truth = motif_set(drawn.graph, case.sizes, given=planted)
    seconds_with_truth = time.process_time() - started - seconds
    sizes = range(case.sizes[0], case.sizes[1] + 1)
    filters = propose_filters(MinedGraph.of(drawn.graph), sizes, 0, Steps())
    proposed = {structure.key for structure in filters}
    return Found(
        [(structure, len(rows)) for structure, rows in drawn.planted],
        without - total,
        by_default,
        with_truth,
        seconds,
        seconds_with_truth,
        sum(structure.key in proposed for structure in planted),
    )


def made_cases() -> Iterator[Case]:
    """The seven hosts, with each number of copies."""
    cells = [(host, copies) for host in HOSTS for copies in COPIES]
    for number, (host, copies) in enumerate(cells):
        yield Case(host, partial(draw, host, copies, FIRST_SEED + number))


def cases_of_files(bench: Bench) -> Iterator[Case]:
    """The graphs of files, which lie in a folder beside that of the real graphs."""
    folder = bench.data.parent / "clustered"
    for name, least in FILES.items():
        path = folder / f"{name}.txt"
        if not path.is_file():
            bench.note(f"{name} is skipped: {path.name} is not in a folder {folder.name} beside "
                       "that of the real graphs.")  # fmt: skip
            continue
        low, high = truth_of(path).get("sizes", SIZES)
        yield Case(name, partial(read, path), (low, high), least)


def main(bench: Bench) -> None:
    """A row for each graph, and what the truth adds where it does."""
    table = bench.table(
        "Two planted motifs in one graph: its set, and with these motifs given",
        {"host": "", "planted": "", "proposed as filters": "", "found copies": "", "both": "",
         "bits": ",.1f", "with the truth given": ",.1f", "planted alone": ",.1f",
         "starts that found it": "", "processor s": ".1f", "with the truth, s": ".1f"},
    )  # fmt: skip
    cases = [*made_cases(), *cases_of_files(bench)]
    if bench.quick:
        # a tree, whose search takes seconds
        cases = [case for case in cases if case.host == "random tree"][:1]
    both, worse, reached = [], [], []
    every = Parallel(n_jobs=bench.threads, return_as="generator")(
        delayed(search)(case) for case in cases
    )
    for case, found in zip(cases, every, strict=True):
        planted = ", ".join(
            f"{one.num_nodes} nodes, {len(one.edges)} edges × {number}"
            for one, number in found.planted
        )
        table.add(
            case.host, planted, f"{found.num_filters} of {len(found.planted)}",
            " and ".join(map(str, found.copies_found)), "yes" if found.has_both else "no",
            found.by_default.bits_saved, found.with_truth.bits_saved, found.bits_planted,
            found.starts, found.seconds, found.seconds_with_truth,
        )  # fmt: skip
        if case.least is None:
            both.append(found.has_both)
        else:
            is_reached = found.by_default.bits_saved >= case.least
            reached.append(f"{case.host} {'yes' if is_reached else 'no'} (≥ {case.least:,})")
        if found.lost > SAME_BITS:
            worse.append(
                f"{case.host}, {planted}: {found.lost:.1f} bits fewer than with the truth given. "
                f"Found: {sizes_of(found.by_default)}. With the truth: {sizes_of(found.with_truth)}"
            )
    bench.note(
        f"Both planted motifs, with all copies, in {sum(both)} of {len(both)} made graphs; at "
        f"least {LEAST_BOTH} are wanted."
    )
    bench.note(
        f"At least as many bits as with the truth given in {len(cases) - len(worse)} of "
        f"{len(cases)} graphs; all are wanted."
    )
    if reached:
        bench.note(f"Bits wanted in the files: {'; '.join(reached)}.")
    for line in worse:
        bench.note(f"- {line}")
