"""Is the motif set of one graph what was planted in it, and is it empty where nothing was?

Graphs are drawn from seeds from 8000 on, which nothing was chosen by. Where a planted set is not
found, its length is compared with that of the set that was: if it is shorter the search missed it,
else the code itself prefers another set.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from given_sets import bits_of_set, search_once
from level import by_igraph
from planted_graphs import MOTIFS_OF_SIZE, make_planted
from record import Bench

from gomkcn.mining.motif_sets.finding import motif_set
from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.synthetic import PlantingSettings, get_motif, plant_motifs
from gomkcn.synthetic.base_graphs import barabasi_albert
from gomkcn.synthetic.base_models import BASE_GRAPHS
from gomkcn.synthetic.planted_graph import PlantedGraph
from gomkcn_dgl import CSRGraph, as_csr, read_graph
from gomkcn_dgl.graphs.structure import Structure

FIRST_SEED = 8000
SIZES = (3, 8)
# nodes of a host, and edges of it a node
NODES, DENSITY = 1000, 2
# a planted set that saves less is not asked for
LEAST_PLANTED = 20.0
# of the clock, of a start in a real graph
MOST_SECONDS = 60


class Drawn(NamedTuple):
    """A graph, and each motif in it with its copies ``[k, M]``."""

    graph: CSRGraph
    planted: Sequence[tuple[Structure, np.ndarray]] = ()


# None where a graph does not count
Verdict = bool | None


@dataclass(frozen=True)
class Row:
    """Graphs of one kind, and how many of them must turn out as they should."""

    name: str
    number: int
    draw: Callable[[int], Drawn]
    passes: Callable[[Drawn, MotifSet], Verdict]
    sizes: tuple[int, int] = SIZES


# what is drawn


def drawn_of(planted: PlantedGraph) -> Drawn:
    """A planted graph with the copies of each of its motifs."""
    copies: dict[str, list[tuple[int, ...]]] = {motif.name: [] for motif in planted.motifs}
    for name, nodes in planted.instances:
        copies[name].append(nodes)
    return Drawn(planted.to_csr(), [(one, np.array(copies[one.name])) for one in planted.motifs])


def hidden(motifs: Sequence[Structure], copies: int, seed: int) -> Drawn:
    """Four motifs, drawn from some, each copy hung by one edge; hosts of 1 and 2 edges a node."""
    rng = np.random.default_rng(seed)
    chosen = [motifs[number] for number in rng.choice(len(motifs), 4, replace=False)]
    _, planted = make_planted(chosen, 1 + seed % 2, seed, copies=copies, features="constant")
    return drawn_of(planted)


def embedded(motifs: Sequence[Structure], seed: int) -> Drawn:
    """Twenty-five copies of one motif on nodes that keep their edges, in one of three hosts."""
    rng = np.random.default_rng(seed)
    host, number = divmod(seed - FIRST_SEED, len(motifs))
    blocks = nx.planted_partition_graph(4, NODES // 4, 0.0136, 0.0008, seed=seed)
    base = (
        BASE_GRAPHS["er"](2 * DENSITY / NODES).draw(NODES, seed=rng),
        np.array(blocks.edges),
        barabasi_albert(NODES, DENSITY, rng),
    )[host % 3]
    options = {"settings": PlantingSettings("constant", embedded=True), "seed": rng}
    return drawn_of(plant_motifs(base, NODES, {motifs[number]: 25}, **options))


def directed(motifs: Sequence[Structure], copies: int, seed: int) -> Drawn:
    """1,000 random arcs and 60 random mutual pairs on 500 nodes, and copies hung by one arc."""
    rng = np.random.default_rng(seed)
    arcs = {*nx.gnm_random_graph(500, 1000, seed=seed, directed=True).edges}
    for pair in rng.permutation(500)[:120].reshape(-1, 2).tolist():
        arcs |= {(pair[0], pair[1]), (pair[1], pair[0])}
    wanted = dict.fromkeys(motifs, copies)
    options = {"settings": PlantingSettings("constant", directed=True), "seed": rng}
    return drawn_of(plant_motifs(np.array(sorted(arcs)), 500, wanted, **options))


def directed_kind(motifs: Sequence[Structure], seed: int) -> Drawn:
    """The same with one of some motifs, 12 or 25 times."""
    number = seed - FIRST_SEED
    return directed([motifs[number // 2 % len(motifs)]], (12, 25)[number % 2], seed)


def categories(seed: int) -> Drawn:
    """Forty triangles of categories A, A, B among 60 whose categories are drawn, as all others."""
    rng = np.random.default_rng(seed)
    base = nx.gnm_random_graph(600, 900, seed=seed)
    options = {"settings": PlantingSettings("constant"), "seed": rng}
    planted = plant_motifs(np.array(base.edges), 600, {triangle(): 100}, **options)
    kinds = rng.integers(3, size=planted.num_nodes)
    copies = np.array([nodes for _, nodes in planted.instances[:40]])
    kinds[copies] = [0, 0, 1]
    names = [f"kind={name}" for name in "ABC"]
    features = np.eye(3, dtype=np.float32)[kinds]
    return Drawn(replace(planted.to_csr(), features=features, feature_names=names))


def relations(seed: int) -> Drawn:
    """Two motifs whose edges have three relations, 12 copies each, in a random host."""
    rng = np.random.default_rng(seed)
    base = nx.gnm_random_graph(600, 900, seed=seed)
    wanted = {get_motif("house"): 12, get_motif("clique4"): 12}
    options = {"settings": PlantingSettings("constant", relations=3), "seed": rng}
    return drawn_of(plant_motifs(np.array(base.edges), 600, wanted, **options))


def rewired(graph: nx.Graph | CSRGraph, seed: int) -> Drawn:
    """A random graph of the same degrees."""
    return Drawn(by_igraph(as_csr(graph), seed))


def hubs(seed: int) -> Drawn:
    """A random graph of 400 nodes with hubs of up to 100 neighbours."""
    degrees = [100, 60, 60, 40, 40, 30, 20, 20, *[3] * 100, *[2] * 120, *[1] * 172]
    degrees[-1] += sum(degrees) % 2
    return rewired(nx.havel_hakimi_graph(degrees), seed)


def of_networkx(draw: Callable[..., nx.Graph], *sizes: object) -> Callable[[int], Drawn]:
    """Random graphs of a generator."""
    return lambda seed: Drawn(as_csr(draw(*sizes, seed=seed)))


# how it should turn out


def copies_of(found: MotifSet) -> dict[bytes, set[frozenset[int]]]:
    """The nodes of the copies of each motif that was found, by its key."""
    copies = {one.key: one.motif.copies.nodes.tolist() for one in found if one.motif}
    return {key: {*map(frozenset, rows)} for key, rows in copies.items()}


def is_exact(drawn: Drawn, found: MotifSet) -> Verdict:
    """Whether the set is the planted motifs, with the planted copies."""
    truth = {one.key: {*map(frozenset, rows.tolist())} for one, rows in drawn.planted}
    return copies_of(found) == truth


def leads(drawn: Drawn, found: MotifSet) -> Verdict:
    """Whether the planted motif is listed first."""
    return bool(found.motifs) and found.motifs[0].key == drawn.planted[0][0].key


def are_found(drawn: Drawn, found: MotifSet) -> Verdict:
    """Whether all planted motifs are in the set, where they would save some bits."""
    if saved_by_planted(drawn) < LEAST_PLANTED:
        return None
    return {one.key for one, _ in drawn.planted} <= {one.key for one in found}


def leads_aab(drawn: Drawn, found: MotifSet) -> Verdict:
    """Whether the triangle of categories A, A, B is listed first."""
    if not found.motifs:
        return False
    first = found.motifs[0].structure
    kinds = sorted(name for names in first.categories for name in names)
    return kinds == ["kind=A", "kind=A", "kind=B"] and len(first.edges) == 3


def is_aab(drawn: Drawn, found: MotifSet) -> Verdict:
    """Whether that triangle is the only motif."""
    return len(found.motifs) == 1 and leads_aab(drawn, found)


def is_empty(drawn: Drawn, found: MotifSet) -> Verdict:
    """Whether no motif is found."""
    return not found.motifs


def is_blocks(drawn: Drawn, found: MotifSet) -> Verdict:
    """Whether no motif is found, and blocks are said to explain the graph."""
    return not found.motifs and found.base == "blocks"


def planted_bits(drawn: Drawn) -> tuple[float, float]:
    """Bits of a graph without motifs, and with those that were planted."""
    return bits_of_set(drawn.graph, drawn.planted)


def saved_by_planted(drawn: Drawn) -> float:
    """Bits that the planted motifs save."""
    base, total = planted_bits(drawn)
    return base - total


# the tables


def triangle() -> Structure:
    return Structure.parse("a--b, b--c, a--c", name="triangle")


def of_size(sizes: Iterable[int]) -> list[Structure]:
    """The motifs that can be planted, of some sizes, with at least two independent cycles."""
    found = [get_motif(name) for size in sizes for name in MOTIFS_OF_SIZE[size]]
    return [one for one in found if len(one.edges) > one.num_nodes]


def planted_rows() -> list[Row]:
    """Motifs of one undirected relation."""
    small, large = of_size(range(4, 9)), of_size((7, 8))
    large += [
        Structure.from_networkx(nx.convert_node_labels_to_integers(graph), name)
        for name, graph in (("grid9", nx.grid_2d_graph(3, 3)), ("wheel9", nx.wheel_graph(9)))
    ]
    seven = [
        get_motif(name) for name in ("clique5", "wheel5", "wheel", "crown", "diamond6", "cube")
    ]
    seven.append(Structure.from_networkx(nx.complete_bipartite_graph(3, 3), "K3,3"))
    joined = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4))
    joined.add_edge(0, 4)
    double = [Structure.from_networkx(joined, "two joined K4")]
    return [
        Row("four of 4 to 8 nodes, × 10", 20, partial(hidden, small, 10), is_exact),
        Row("four of 4 to 8 nodes, × 5", 20, partial(hidden, small, 5), is_exact),
        Row("four of 7 to 9 nodes, × 10", 10, partial(hidden, large, 10), is_exact,
            (3, 9)),
        Row("one of seven × 25 embedded: first", 21, partial(embedded, seven), leads),
        Row("two joined K4 × 25 embedded: first", 3, partial(embedded, double), leads),
    ]  # fmt: skip


def links_rows() -> list[Row]:
    """Motifs of directed graphs, of nodes with categories, and of several relations."""
    kinds = [
        Structure.of_edges(size, [(int(one[0]), int(one[1])) for one in edges.split()],
                           directed=True, name=name)
        for name, size, edges in (
            ("tournament", 4, "01 02 03 12 13 23"),
            ("mutual triangle", 3, "01 10 02 20 12 21"),
            ("led bi-fan", 5, "01 02 03 04 13 14 23 24"),
            ("fed ring", 6, "01 12 23 34 40 50 51 52 53 54"),
        )
    ]  # fmt: skip
    every = partial(directed, kinds, 25)
    return [
        Row("one of four directed × 12 or 25", 20, partial(directed_kind, kinds),
            are_found),
        Row("all four directed × 25", 5, every, are_found),
        Row("triangle A, A, B × 40 among 60: alone", 10, categories, is_aab),
        Row("the same graphs: listed first", 10, categories, leads_aab),
        Row("two of three relations × 12", 10, relations, is_exact),
    ]  # fmt: skip


def nothing_rows(data: Path) -> list[Row]:
    """Graphs in which nothing was planted."""
    partition = nx.planted_partition_graph
    draws: dict[str, Callable[[int], Drawn]] = {
        "ER, mean degree 4": of_networkx(nx.gnm_random_graph, 500, 1000),
        "ER, mean degree 12": of_networkx(nx.gnm_random_graph, 300, 1800),
        **{f"BA, {m} a node": of_networkx(nx.barabasi_albert_graph, 500, m) for m in (1, 2, 3)},
        "3-regular": of_networkx(nx.random_regular_graph, 3, 500),
        "4 blocks, .06 and .02": of_networkx(partition, 4, 100, 0.06, 0.02),
        "2 blocks, .05 and .01": of_networkx(partition, 2, 150, 0.05, 0.01),
        "hubs to a quarter of the nodes": hubs,
        "Les Misérables, rewired": partial(rewired, nx.Graph(nx.les_miserables_graph().edges)),
        "karate club, rewired": partial(rewired, nx.Graph(nx.karate_club_graph().edges)),
    }
    regulation = data / "directed" / "ecoli_regulation.csv"
    if regulation.is_file():
        for name, has_arcs in (("E. coli, rewired", False), ("E. coli directed, rewired", True)):
            graph = read_graph(regulation, relation="none", directed=has_arcs)
            draws[name] = partial(rewired, graph)
    rows = [Row(name, 10, draw, is_empty) for name, draw in draws.items()]
    eight = of_networkx(partition, 8, 50, 0.3, 0.01)
    return [*rows, Row("8 blocks, .3 and .01: blocks said", 10, eight, is_blocks)]


def measure(bench: Bench, rows: Iterable[Row]) -> None:
    """Draw the graphs of each row, find their sets and say how many are as they should be."""
    table = bench.table(
        "Graphs whose motif set is as it should be",
        {"graphs": "", "as it should be": "", "the search missed it": "",
         "processor s, median": ".2f"},
    )  # fmt: skip
    failed, silent = [], []
    # compiled
    motif_set(nx.karate_club_graph())
    for row in rows:
        verdicts, missed, seconds = [], 0, []
        for seed in range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else row.number)):
            drawn = row.draw(seed)
            start = time.process_time()
            found = motif_set(drawn.graph, row.sizes, random_state=seed)
            seconds.append(time.process_time() - start)
            verdict = row.passes(drawn, found)
            if row.passes is is_empty:
                silent.append(verdict)
            if verdict is not None:
                verdicts.append(verdict)
            if verdict is False:
                failed.append(f"{row.name}, seed {seed}: {found!r}")
                if drawn.planted:
                    missed += planted_bits(drawn)[1] < found.bits_total - 1e-6
        # of what was not planted there is no set to be missed
        misses = str(missed) if drawn.planted else None
        ratio = f"{sum(verdicts)} of {len(verdicts)}"
        table.add(row.name, ratio, misses, float(np.median(seconds)))
    if silent:
        bench.note(
            f"A set of 10 bits or more where nothing was planted: {silent.count(False)} of "
            f"{len(silent)} graphs."
        )
    for line in failed:
        bench.note(f"- {line}")


def real(bench: Bench) -> None:
    """What one start saves in real graphs."""
    table = bench.table(
        f"One start with exact copies, at most {MOST_SECONDS} s of the clock, given the degrees",
        {"graph": "", "seed": "", "bits": ",.0f", "saved": ",.0f", "motifs": "d",
         "processor s": ".1f", "ended by itself": ""},
    )  # fmt: skip
    for name, graph, starts in real_graphs(bench.data):
        if bench.quick and name != "Les Misérables":
            continue
        mined = MinedGraph.of(graph)
        for seed in range(starts):
            start = time.process_time()
            found = search_once(mined, range(SIZES[0], SIZES[1] + 1), seed, MOST_SECONDS)
            table.add(
                name, str(seed), found.bits_base, found.bits_saved, len(found.motifs),
                time.process_time() - start, found.cut or "yes",
            )  # fmt: skip


def real_graphs(data: Path) -> Iterable[tuple[str, CSRGraph, int]]:
    """Real graphs: name, graph, starts."""
    yield "Les Misérables", as_csr(nx.Graph(nx.les_miserables_graph().edges)), 1
    yield "karate club", as_csr(nx.Graph(nx.karate_club_graph().edges)), 1
    arcs, snap = data / "directed", data / "snap"
    one_relation = {"relation": "none"}
    files: tuple[tuple[str, Path, dict[str, Any], int], ...] = (
        ("E. coli", arcs / "ecoli_regulation.csv", {"directed": False, **one_relation}, 1),
        ("E. coli, directed", arcs / "ecoli_regulation.csv", {"directed": True, **one_relation}, 1),
        ("C. elegans, directed", arcs / "celegansneural.gml", {"directed": True}, 1),
        ("s420, directed", arcs / "s420.tsv", {"directed": True}, 1),
        ("ca-GrQc", snap / "ca-GrQc.txt.gz", {}, 3),
        ("ego-Facebook", snap / "facebook_combined.txt.gz", {}, 1),
    )
    for name, path, options, starts in files:
        if path.is_file():
            yield name, read_graph(path, **options), starts


def large(bench: Bench) -> None:
    """Four of the motifs, 500 copies each, hung on a graph of 10^6 edges, 2 a node."""
    table = bench.table(
        "2,000 hidden copies in a graph of a million edges, one start",
        {"seed": "", "motifs found": "", "copies found": "d", "others in the set": "d",
         "saved": ",.0f", "processor s": ".0f", "GiB at most": ".1f", "ended by itself": ""},
    )  # fmt: skip
    nodes, copies = (5_000, 10) if bench.quick else (500_000, 500)
    for seed in range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else 2)):
        rng = np.random.default_rng(seed)
        motifs = of_size(range(4, 9))
        chosen = [motifs[number] for number in rng.choice(len(motifs), 4, replace=False)]
        base, wanted = barabasi_albert(nodes, DENSITY, rng), dict.fromkeys(chosen, copies)
        drawn = drawn_of(plant_motifs(base, nodes, wanted, PlantingSettings("constant"), seed=rng))
        mined, start = MinedGraph.of(drawn.graph), time.process_time()
        found = search_once(mined, range(SIZES[0], SIZES[1] + 1), seed)
        seconds = time.process_time() - start
        places = {
            one.structure.key: {frozenset(mined.order.nodes[row].tolist()) for row in one.copies}
            for one in found.motifs
        }
        right = [len(places.get(one.key, set()) & {*map(frozenset, rows.tolist())})
                 for one, rows in drawn.planted]  # fmt: skip
        others = len(places.keys() - {one.key for one, _ in drawn.planted})
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        ended = found.cut or "yes"
        table.add(str(seed), f"{sum(map(bool, right))} of 4", sum(right), others,
                  found.bits_saved, seconds, peak, ended)  # fmt: skip


def planted(bench: Bench) -> None:
    measure(bench, planted_rows())


def links(bench: Bench) -> None:
    measure(bench, links_rows())


def nothing(bench: Bench) -> None:
    measure(bench, nothing_rows(bench.data))
