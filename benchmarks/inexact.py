"""Is a motif whose copies differ found as one motif, and nothing where nothing was hidden?

Copies stand on random disjoint nodes, which keep their other edges. At noise e each edge of a copy
is lost with probability e, and as many others are put in, in expectation. Seeds are 9100 and on,
which nothing was chosen by.

The *truth* is the hidden drawings at the hidden places, each in the order of nodes that hides most
of its noise. M-Jaccard pairs each hidden motif with one that was found, and compares the nodes that
they cover; alone it says little, as "every node" has .35. A copy counts as found where one of the
copies that were reported has a Jaccard of .8 with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from given_sets import bits_of_set
from motif_set import hubs, of_networkx
from motif_set_collections import NOTHING
from record import Bench
from scipy.optimize import linear_sum_assignment

from gomkcn.mining import PatternMiner
from gomkcn.mining.motif_sets.finding import motif_set
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn_dgl import CSRGraph, as_csr, read_graph
from gomkcn_dgl.graphs.structure import Structure

FIRST_SEED = 9100
NODES, COPIES, SIZES = 1000, 30, (3, 8)
# bits that the truth must save to be asked for
LEAST_TRUTH = 300
# a copy is found by one that shares so much of the union of both
SAME = 0.8
# a node of each graph, and of the copy
Places = list[frozenset[Any]]


class Hidden(NamedTuple):
    """A graph, the motifs hidden in it, and the nodes ``[K, M]`` of the copies of each."""

    graph: nx.Graph
    motifs: list[np.ndarray]
    copies: list[np.ndarray]


def draw_motif(rng: np.random.Generator, size: int = 8, density: float = 0.6) -> np.ndarray:
    """A connected random graph, bool ``[M, M]``."""
    while True:
        graph = nx.gnp_random_graph(size, density, seed=int(rng.integers(2**31)))
        if nx.is_connected(graph):
            return nx.to_numpy_array(graph, dtype=bool)


def damaged(motif: np.ndarray, lost: float, put_in: float, rng: np.random.Generator) -> np.ndarray:
    """A copy each of whose edges is lost, and each other pair joined, with these probabilities."""
    draw = np.triu(rng.random(motif.shape), 1)
    draw += draw.T
    joined: np.ndarray = np.where(motif, draw >= lost, draw < put_in)
    np.fill_diagonal(joined, False)
    return joined


def hide(
    seed: int, base: str, noise: float, number: int, motifs: list[np.ndarray] | None = None
) -> Hidden:
    """Some motifs, 30 copies each, in a random graph of 1,000 nodes and mean degree 6."""
    rng = np.random.default_rng(seed)
    if base == "ER":
        host = nx.gnp_random_graph(NODES, 6 / (NODES - 1), seed=seed)
    else:
        host = nx.barabasi_albert_graph(NODES, 3, seed=seed)
    joined = nx.to_numpy_array(host, dtype=bool)
    motifs = motifs or [draw_motif(rng) for _ in range(number)]
    free, places = rng.permutation(NODES), []
    for motif in motifs:
        size, edges = len(motif), motif.sum() // 2
        rows, free = free[: size * COPIES].reshape(COPIES, size), free[size * COPIES :]
        for row in rows:
            rate = noise * edges / (size * (size - 1) // 2 - edges)
            joined[np.ix_(row, row)] = damaged(motif, noise, rate, rng)
        places.append(rows)
    return Hidden(nx.from_numpy_array(joined), motifs, places)


# what was hidden beside what was found


def places_of(found: MotifSet) -> list[Places]:
    """The nodes of the copies of each motif that was found."""
    return [[frozenset(row) for row in one.motif.copies.nodes.tolist()] for one in found
            if one.motif]  # fmt: skip


def jaccard(one: frozenset[Any], other: frozenset[Any]) -> float:
    return len(one & other) / max(1, len(one | other))


def m_jaccard(found: Sequence[Places], hidden: Sequence[Places]) -> float:
    """Mean over the hidden motifs of the Jaccard of the nodes, each paired with one motif."""
    covered = [[frozenset().union(*one) for one in side] for side in (hidden, found)]
    table = np.array([[jaccard(one, other) for other in covered[1]] for one in covered[0]])
    if not table.size:
        return 0.0
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].sum() / len(hidden))


def share_found(wanted: Sequence[Places], among: Sequence[Places]) -> float:
    """The share of the copies of one side that one of the other side is."""
    others = [one for side in among for one in side]
    of_node: dict[Any, list[frozenset[Any]]] = {}
    for one in others:
        for node in one:
            of_node.setdefault(node, []).append(one)
    every = [one for side in wanted for one in side]
    same = [
        any(jaccard(one, other) >= SAME for node in one for other in of_node.get(node, ()))
        for one in every
    ]
    return float(np.mean(same)) if every else 0.0


def aligned(motif: np.ndarray, seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An order of a copy's nodes that hides most of its noise: swaps from 20 random orders."""
    size = len(motif)
    swaps = np.array([np.arange(size), *[np.arange(size)] * (size * (size - 1) // 2)])
    for row, (i, j) in zip(swaps[1:], combinations(range(size), 2), strict=True):
        row[[i, j]] = row[[j, i]]
    best, least = swaps[0], np.inf
    for start in range(20):
        order = rng.permutation(size) if start else np.arange(size)
        while True:
            tried = order[swaps]
            edits = (seen[tried[:, :, None], tried[:, None, :]] != motif).sum(axis=(1, 2))
            if edits.min() == edits[0]:
                break
            order = tried[edits.argmin()]
        if edits[0] < least:
            best, least = order, edits[0]
        if not least:
            break
    return best


def saved_by_truth(hidden: Hidden) -> float:
    """Bits that the hidden motifs save at their hidden places."""
    rng = np.random.default_rng(0)
    joined = nx.to_numpy_array(hidden.graph, nodelist=range(NODES), dtype=bool)
    motifs = []
    for motif, rows in zip(hidden.motifs, hidden.copies, strict=True):
        ordered = [row[aligned(motif, joined[np.ix_(row, row)], rng)] for row in rows]
        motifs.append((Structure.of_channels(motif), np.array(ordered)))
    without, total = bits_of_set(as_csr(hidden.graph), motifs)
    return without - total


def equal_drawings(motifs: Sequence[np.ndarray], found: MotifSet) -> int:
    """How many hidden motifs have the drawing of one that was found."""
    drawn = {one.structure.key for one in found}
    return sum(Structure.of_channels(motif).key in drawn for motif in motifs)


def timed(graph: Any, sizes: tuple[int, int] | None, **options: Any) -> tuple[MotifSet, float]:
    start = time.process_time()
    found = motif_set(graph, sizes, **options)
    return found, time.process_time() - start


def hidden_motifs(bench: Bench) -> None:
    """One, two and four motifs in one graph."""
    table = bench.table(
        f"{COPIES} copies of each motif of 8 nodes, density .6, in {NODES} nodes",
        {"base": "", "motifs": "", "noise": ".2f", "seed": "", "edges": "", "truth, bits": ",.0f",
         "exact, bits": ",.0f", "found": "", "bits": ",.0f", "M-Jaccard": ".2f",
         "copies": ".2f", "right": ".2f", "drawings equal": "", "s / exact": ".1f", "s": ".1f"},
    )  # fmt: skip
    cells = [
        ("ER", 1, 0.1, 10), ("BA", 1, 0.1, 10), ("ER", 2, 0.05, 10), ("ER", 1, 0.2, 4),
        ("ER", 2, 0.1, 4), ("ER", 4, 0.1, 3), ("ER", 4, 0.2, 3),
    ]  # fmt: skip
    # compiled
    motif_set(nx.karate_club_graph())
    for base, number, noise, wanted in cells[:1] if bench.quick else cells:
        rows: list[tuple[float, MotifSet, float, float, float, int]] = []
        seed = FIRST_SEED
        while len(rows) < (1 if bench.quick else wanted):
            hidden, seed = hide(seed, base, noise, number), seed + 1
            truth = saved_by_truth(hidden)
            if truth < LEAST_TRUTH:
                continue
            exact, of_exact = timed(hidden.graph, SIZES, exact_copies=True)
            found, seconds = timed(hidden.graph, SIZES)
            truly = [[frozenset(row) for row in rows.tolist()] for rows in hidden.copies]
            there = places_of(found)
            equal = equal_drawings(hidden.motifs, found)
            jaccards, copies = m_jaccard(there, truly), share_found(truly, there)
            table.add(
                base, str(number), noise, str(seed - 1),
                " + ".join(str(motif.sum() // 2) for motif in hidden.motifs), truth,
                exact.bits_saved, sizes_of(found),
                found.bits_saved, jaccards, copies, share_found(there, truly),
                f"{equal} of {number}", seconds / of_exact, seconds,
            )  # fmt: skip
            rows.append((truth, found, jaccards, copies, seconds / of_exact, equal))
        one_each = [
            len(found) == number and jaccards >= (0.9 if number == 1 else 0.85)
            and (copies >= 0.85 or number > 1)
            for _, found, jaccards, copies, _, _ in rows
        ]  # fmt: skip
        bench.note(
            f"{base}, {number} motif{'s' * (number > 1)}, noise {noise:g}, {len(rows)} graphs: as "
            f"hidden (one each, M-Jaccard ≥ {0.9 if number == 1 else 0.85}"
            f"{', .85 of the copies' * (number == 1)}) in {sum(one_each)}; bits at least .98 of "
            f"the truth's in {sum(found.bits_saved >= 0.98 * truth for truth, found, *_ in rows)}; "
            f"every drawing equal in {sum(row[5] == number for row in rows)}; processor time "
            f"{np.median([row[4] for row in rows]):.1f} times the exact set's, at the median."
        )


def sizes_of(found: MotifSet) -> str:
    """Nodes, edges and copies of each motif of a set."""
    parts = [(one.structure.num_nodes, len(one.structure.edges), one.motif.num_copies)
             for one in found if one.motif]  # fmt: skip
    return ", ".join("{} nodes, {} edges × {}".format(*part) for part in parts) or "silent"


def told(found: MotifSet) -> str:
    """The motifs of a set with their copies."""
    kinds = [f"{one.name} × {one.motif.num_copies}" for one in found if one.motif]
    return ", ".join(kinds) or "silent"


def nothing(bench: Bench) -> None:
    """Graphs in which nothing is hidden."""
    draws: dict[str, Callable[[int], Any]] = {
        "ER, N = 400, mean degree 6": of_networkx(nx.gnm_random_graph, 400, 1200),
        "BA, 3 a node": of_networkx(nx.barabasi_albert_graph, 400, 3),
        "hubs to a quarter of the nodes": hubs,
        "8 blocks of 50, .3 and .01": of_networkx(nx.planted_partition_graph, 8, 50, 0.3, 0.01),
        "degrees 3 and 12": of_networkx(nx.configuration_model, [3] * 300 + [12] * 100),
        "bipartite, 200 and 200, .03": of_networkx(nx.bipartite.random_graph, 200, 200, 0.03),
    }
    made = {name: partial(simple, draw) for name, draw in draws.items()}
    expect_nothing(bench, made, SIZES, FIRST_SEED, 20)


def silence(bench: Bench) -> None:
    """Collections of 60 graphs in which nothing is hidden."""

    def drawn(draw: Callable[[np.random.Generator], nx.Graph], seed: int) -> list[nx.Graph]:
        rng = np.random.default_rng(seed)
        return [draw(rng) for _ in range(60)]

    made = {name: partial(drawn, draw) for name, draw in NOTHING.items()}
    # what counts as a clique was decided after a first table, with seeds from 9100
    expect_nothing(bench, made, None, FIRST_SEED + 200, 4)


def expect_nothing(
    bench: Bench,
    draws: dict[str, Callable[[int], Any]],
    sizes: tuple[int, int] | None,
    first: int,
    number: int,
) -> None:
    """Count the sets that are found, and tell of each."""
    table = bench.table(
        "A set where nothing is hidden",
        {"graphs": "", "number": "d", "a set": "d", "s, median": ".1f"},
    )
    told_of, total = [], 0
    for name, draw in [*draws.items()][: 1 if bench.quick else None]:
        found = [
            timed(draw(seed), sizes, random_state=seed)
            for seed in range(first, first + (1 if bench.quick else number))
        ]
        some = [one for one, _ in found if len(one)]
        told_of += [f"{name}: {told(one)}, {one.bits_saved:.0f} bits" for one in some]
        total += len(found)
        seconds = float(np.median([spent for _, spent in found]))
        table.add(name, len(found), len(some), seconds)
    bench.note(f"A set in {len(told_of)} of {total}.")
    for line in told_of:
        bench.note(f"- {line}")


def simple(draw: Callable[[int], Any], seed: int) -> CSRGraph:
    """The graph of a seed, without loops and double edges."""
    return as_csr(draw(seed).graph)


def lost_edges(bench: Bench) -> None:
    """How much of the answer for a real graph comes back where a tenth of its edges is missing."""
    table = bench.table(
        "Regulation of E. coli, one relation, undirected: ten times without a tenth of its edges",
        {"copies": "", "of all edges": "", "bits of all": ",.0f", "bits, mean": ",.0f",
         "some set": "", "nodes of its copies, M-Jaccard": "",
         "called structures that come back": ""},
    )  # fmt: skip
    path = bench.data / "directed" / "ecoli_regulation.csv"
    regulation = read_graph(path, relation="none", directed=False)
    ends = np.repeat(np.arange(regulation.num_nodes), regulation.degrees), regulation.indices
    whole = nx.Graph(np.column_stack(ends).tolist())
    for way, exact_copies in (("exact", True), ("may differ", False)):
        first = mine(whole, exact_copies)
        called, covered = called_of(first), covered_by(first.motif_set_)
        bits, jaccards, back = [], [], []
        for seed in range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else 10)):
            rng = np.random.default_rng(seed)
            edges = [*whole.edges]
            lost = rng.choice(len(edges), len(edges) // 10, replace=False)
            graph = whole.copy()
            graph.remove_edges_from([edges[one] for one in lost])
            again = mine(graph, exact_copies)
            bits.append(again.motif_set_.bits_saved)
            jaccards.append(jaccard(covered_by(again.motif_set_), covered))
            back.append(len(called & called_of(again)))
        table.add(
            way, told(first.motif_set_), first.motif_set_.bits_saved, float(np.mean(bits)),
            f"{sum(one > 0 for one in bits)} of {len(bits)}",
            f"{np.mean(jaccards):.2f} ({min(jaccards):.2f}–{max(jaccards):.2f})",
            f"{np.mean(back):.1f} of {len(called)}",
        )  # fmt: skip


def mine(graph: nx.Graph, exact_copies: bool) -> PatternMiner:
    return PatternMiner(pattern_size="3-8", exact_copies=exact_copies).fit(graph)


def covered_by(found: MotifSet) -> frozenset[Any]:
    return frozenset().union(*[copy for one in places_of(found) for copy in one])


def called_of(miner: PatternMiner) -> set[bytes]:
    """Structures that are more or less frequent than in random graphs."""
    return {
        one.key
        for one in miner.patterns_
        if any(way.is_called for way in one.significance.values())
    }
