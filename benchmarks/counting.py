"""Occurrences in whole graphs: estimates beside the truth, and what they take.

- Real graphs: estimates beside exact counts, as far as these can be had.
- Random pairs of a pattern and a graph, of all kinds: exact counts beside those of a slow counter
  of its own, and how estimates differ from them in units of their own standard errors.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

import networkx as nx
import numpy as np
from counted_pairs import KINDS, Pair, TooManyError, draw_pair
from measure import Timing
from numba import njit
from record import Bench

from gomkcn.mining.counting.counter import estimate_occurrences
from gomkcn.mining.counting.occurrence_search import OccurrenceSearch
from gomkcn.mining.counting.query import Query
from gomkcn.mining.counting.watching import steps_in
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph

SEED = 0
NUM_PAIRS = 200
ERRORS = (0.05, 0.2)
# seconds for a count that an estimate is compared with
MOST_EXACT = 20.0
NAMES = ("undirected", "directed"), ("", "typed"), ("", "categorical")
GRAPHS = {
    "ego-Facebook": "facebook_combined.txt.gz",
    "ca-GrQc": "ca-GrQc.txt.gz",
    "email-Enron": "email-Enron.txt.gz",
}


def patterns() -> list[Structure]:
    graphs = {"triangle": nx.cycle_graph(3)}
    graphs |= {f"K{size}": nx.complete_graph(size) for size in (4, 5, 6)}
    graphs["K6 less an edge"] = nx.complete_graph(6)
    graphs["K6 less an edge"].remove_edge(0, 1)
    graphs |= {"path of 6": nx.path_graph(6)}
    graphs |= {f"cycle of {size}": nx.cycle_graph(size) for size in (5, 6)}
    return [Structure.from_networkx(graph, name) for name, graph in graphs.items()]


def random_pairs(bench: Bench) -> None:
    """Exact and estimated counts of random pairs beside the truth."""
    num_pairs = 16 if bench.quick else NUM_PAIRS
    rng = np.random.default_rng(SEED)
    # rows of kind, error, (estimate - truth) / standard error, whether the interval covers it
    found: list[tuple[int, float, float, bool]] = []
    equal = np.zeros(len(KINDS), np.int64)
    same = 0
    for number in range(num_pairs):
        kind = number % len(KINDS)
        pair, truth = draw_counted_pair(rng, KINDS[kind])
        own = pair.pattern[1]
        colors = (own, pair.colors) if KINDS[kind][2] else None
        search = OccurrenceSearch(Query.of_structure(pair.graph, pair.structure, colors))
        search.run()
        equal[kind] += search.count.sum() == truth
        for error in ERRORS:
            for seed in range(bench.repeats):
                one = estimate_occurrences(search, error, steps_in(60), 1000 * number + seed)
                deviation = (one.value - truth) * 2 * 1.96 / (one.high - one.low)
                if abs(one.value - truth) < 1e-9 * truth:
                    same += 1
                else:
                    found.append((kind, error, deviation, one.low <= truth <= one.high))
    columns = {"estimates": ",", "mean": "+.3f", "variance": ".3f", "covered, %": ".1f"}
    table = bench.table(
        f"{num_pairs} random pairs: (estimate - truth) / standard error, and 95 % intervals",
        {"kind": "", "pairs": "", "exact counts equal": "", "wanted error": "", **columns},
    )
    array = np.array(found, dtype=float)
    for error in ERRORS:
        rows = array[array[:, 1] == error]
        counts = num_pairs, f"{equal.sum()} of {num_pairs}"
        table.add("all", f"{counts[0]}", counts[1], f"{error:g}", *_summary(rows))
    for kind, flags in enumerate(KINDS):
        pairs = len(range(kind, num_pairs, len(KINDS)))
        words = " ".join(name[flag] for name, flag in zip(NAMES, flags, strict=True)).split()
        rows = array[array[:, 0] == kind]
        table.add(", ".join(words), f"{pairs}", f"{equal[kind]} of {pairs}", "all", *_summary(rows))
    bench.note(
        f"Not among them: {same:,} estimates that are the truth itself, where all draws have the "
        f"same share. Seeds {SEED}; other seeds were used to develop."
    )


def draw_counted_pair(rng: np.random.Generator, kind: tuple[bool, ...]) -> tuple[Pair, int]:
    """A pair and its count; one with very many mappings is drawn anew."""
    while True:
        with contextlib.suppress(TooManyError):
            pair = draw_pair(rng, *kind)
            return pair, pair.count()


def _summary(rows: np.ndarray) -> tuple[int, float | None, float | None, float | None]:
    deviations = rows[:, 2]
    if not len(rows):
        return 0, None, None, None
    return len(rows), deviations.mean(), deviations.var(), 100 * rows[:, 3].mean()


def real_graphs(bench: Bench) -> None:
    """Estimates of patterns in real graphs, each to 1 % or as far as five seconds go."""
    table = bench.table(
        "Estimates to ±1 %, or for 20 s: the first seed, and processor seconds over all seeds",
        {
            "graph": "",
            "pattern": "",
            "occurrences": "",
            "± %": ".2f",
            "processor seconds": "",
            "exact count": "",
            "processor seconds of that": "",
            "intervals that cover it": "",
        },
    )
    chosen = {"ca-GrQc": GRAPHS["ca-GrQc"]} if bench.quick else GRAPHS
    for name, file in chosen.items():
        path = bench.data / "snap" / file
        if not path.is_file():
            bench.note(f"{name} is not in the folder of the data.")
            continue
        graph = read_graph(path)
        for structure in patterns():
            compare_pattern(table, name, graph, structure, bench.repeats, bench.quick)
    bench.note(
        "Estimates here come from draws alone, even where an exact count is quicker. Exact cliques "
        "are counted by bit sets in an ordering by degeneracy, the others by `OccurrenceSearch`; – "
        f"is not done within {MOST_EXACT:.0f} s. The preparation of the graph is in the seconds."
    )


def compare_pattern(
    table: Any,
    name: str,
    graph: CSRGraph,
    structure: Structure,
    repeats: int,
    quick: bool,
) -> None:
    found, seconds = [], []
    for seed in range(repeats):
        # other work on the machine does not count; all threads do
        start = time.process_time()
        search = OccurrenceSearch(Query.of_structure(graph, structure))
        found.append(estimate_occurrences(search, 0.01, steps_in(0.2 if quick else 20), seed))
        seconds.append(time.process_time() - start)
    start = time.process_time()
    size = structure.num_nodes
    truth = None
    if structure.joined.sum() == size * (size - 1):
        truth = count_cliques(graph, size)
    else:
        most = steps_in(1.0 if quick else MOST_EXACT)
        search = OccurrenceSearch(Query.of_structure(graph, structure))
        search.run(max_steps=most)
        truth = None if search.unfinished else search.count.sum()
    exact = Timing((time.process_time() - start,))
    first = found[0]
    covering = [one for one in found if truth is not None and one.low <= truth <= one.high]
    table.add(
        name,
        structure.name,
        str(first),
        50 * (first.high - first.low) / first.value if first.value else None,
        format(Timing(tuple(seconds)), ""),
        None if truth is None else f"{truth:,}",
        None if truth is None else f"{exact.median:.1f}",
        None if truth is None else f"{len(covering)} of {repeats}",
    )


def count_cliques(graph: CSRGraph, size: int) -> int:
    """Cliques, by a search among the later neighbours of each node in an ordering by degeneracy."""
    whole = nx.from_edgelist(graph.adjacent_pairs().tolist())
    order = {}
    # the node of least degree first, again and again: peel the k-cores
    cores = nx.core_number(whole)
    rest = dict(whole.degree())
    buckets: list[set[int]] = [set() for _ in range(max(rest.values()) + 1)]
    for node, degree in rest.items():
        buckets[degree].add(node)
    least = 0
    while len(order) < len(rest):
        while not buckets[least]:
            least += 1
        node = buckets[least].pop()
        order[node] = len(order)
        for other in whole[node]:
            if other not in order:
                buckets[rest[other]].discard(other)
                rest[other] -= 1
                buckets[rest[other]].add(other)
        least = max(least - 1, 0)
    words = max(cores.values()) // 64 + 1
    total = 0
    for node in whole:
        later = [other for other in whole[node] if order[other] > order[node]]
        number = {other: k for k, other in enumerate(later)}
        rows = np.zeros((len(later), words), np.uint64)
        for k, other in enumerate(later):
            for third in whole[other]:
                if number.get(third, -1) > k:
                    rows[k, number[third] // 64] |= np.uint64(1 << number[third] % 64)
        if len(later) >= size - 1:
            total += _cliques_among(rows, size - 1)
    return total


@njit(cache=False)
def _cliques_among(rows: np.ndarray, size: int) -> int:
    """Cliques of ``size >= 2`` nodes, whose joined later nodes are the bits of each row."""
    num_nodes, words = rows.shape
    # the nodes that are joined to all of the levels before, and the next one to look at
    common = np.zeros((size, words), np.uint64)
    position = np.zeros(size, np.int64)
    for k in range(num_nodes):
        common[0, k // 64] |= np.uint64(1) << np.uint64(k % 64)
    total, level = 0, 0
    while level >= 0:
        k = position[level]
        while k < num_nodes and not common[level, k // 64] >> np.uint64(k % 64) & np.uint64(1):
            k += 1
        if k == num_nodes:
            level -= 1
            continue
        position[level] = k + 1
        if level == size - 2:
            for word in range(words):
                bits = common[level, word] & rows[k, word]
                while bits:
                    bits &= bits - np.uint64(1)
                    total += 1
        else:
            for word in range(words):
                common[level + 1, word] = common[level, word] & rows[k, word]
            position[level + 1] = k + 1
            level += 1
    return total
