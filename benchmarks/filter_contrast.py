"""Do filters say the truth: what is frequent beyond chance, of which size, and how many there are?

All with the defaults of ``FilterMiner()``, on graphs that NetworkX made (``made_graphs.py``), from
seeds that nothing was chosen by. A motif is found if a filter is isomorphic to it, by NetworkX.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from level import by_igraph
from made_graphs import BASES, LIKE_EACH_OTHER, MOTIFS, OF_SIZE, PAPER, MadeGraph, make_graph
from record import Bench

from gomkcn.mining import FilterMiner
from gomkcn.mining.filters.filter_bank import Responses, respond_everywhere
from gomkcn_dgl import CSRGraph, as_csr, read_graph
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.runtime.steps import Steps

FIRST_SEED = 11
SETS = {"paper": tuple(PAPER), "alike": tuple(LIKE_EACH_OTHER)}
COPIES = 10
FEW_AND_MANY = (3, 5, 10, 30)
# where nothing is hidden
NODES, EDGES, GRAPHS = 1000, (1500, 3000), 10
HOSTS = (*BASES, "ba1", "er3", "sbm")
# of copies that differ
NOISES, NOISY_COPIES, NOISY_HOSTS, NOISY_SEEDS = (0.05, 0.1, 0.2), (10, 30), ("ba1", "er3"), 3
# of a tiny size
FEW_NODES, FEW_BASES = 120, ("ba1", "grid")


@dataclass(frozen=True)
class Mined:
    """A graph with its filters, and the seconds of processor that they took."""

    made: MadeGraph
    csr: CSRGraph
    miner: FilterMiner
    seconds: float

    @classmethod
    def of(cls, made: MadeGraph) -> Mined:
        csr = as_csr(made.graph)
        start = time.process_time()
        miner = FilterMiner().fit(csr)
        return cls(made, csr, miner, time.process_time() - start)

    @cached_property
    def drawings(self) -> list[nx.Graph]:
        """The filters as graphs of NetworkX."""
        return [nx.Graph(one.structure.edges) for one in self.miner.filters_]

    @cached_property
    def number_of(self) -> dict[str, int]:
        """Each motif that was found, and the number of its filter."""
        found = {}
        for name in self.made.copies:
            for number, drawn in enumerate(self.drawings):
                if nx.is_isomorphic(drawn, MOTIFS[name]):
                    found[name] = number
        return found

    @property
    def trees(self) -> int:
        """Filters that are trees."""
        return sum(map(nx.is_tree, self.drawings))

    def node_sets(self, name: str) -> set[frozenset[int]]:
        """The instances of a motif that was found, which are as many as its filter says."""
        number = self.number_of[name]
        bank, one = self.miner.bank_, self.miner.filters_[number]
        found = self.responses
        place = bank.subgraph_sizes.index(bank.sizes[number])
        nodes = found.nodes[found.is_exact[:, number], place, : one.structure.num_nodes]
        sets = {frozenset(row) for row in nodes.tolist()}
        if len(sets) != one.instances.value:
            raise AssertionError(f"{len(sets)} node sets, and {one.instances} instances")
        return sets

    @cached_property
    def responses(self) -> Responses:
        """What the subgraphs around all nodes are."""
        order = NodeOrder.of(self.csr)
        return respond_everywhere(self.miner.bank_, order, "cpu", self.csr.num_nodes, Steps())


def occurrences(graph: nx.Graph, motif: nx.Graph) -> set[frozenset[int]]:
    """The node sets at which a graph has a motif, induced, by igraph's VF2.

    No node of the motif has a single neighbour, so that it lies within the 2-core.
    """
    core = nx.k_core(graph, 2)
    known = list(core)
    whole, part = (
        igraph.Graph(len(one), list(nx.convert_node_labels_to_integers(one).edges))
        for one in (core, motif)
    )
    # VF2 finds what has all edges of the motif; induced is what has no others
    some = {frozenset(nodes) for nodes in whole.get_subisomorphisms_vf2(part)}
    induced = (nodes for nodes in some if whole.subgraph(nodes).ecount() == part.ecount())
    return {frozenset(known[node] for node in nodes) for nodes in induced}


def found(bench: Bench) -> None:
    """Motifs among the filters: four of six nodes, and five of as many sizes."""
    compile_all()
    recovery(bench)
    sizes(bench)


def compile_all() -> None:
    """What is compiled at its first call is compiled."""
    Mined.of(make_graph("ba1", {"wheel": 3}, 0, num_nodes=FEW_NODES))


def maker(bench: Bench) -> Callable[..., MadeGraph]:
    """:func:`make_graph`, of a tiny size where that is asked for."""
    return partial(make_graph, num_nodes=FEW_NODES) if bench.quick else make_graph


def recovery(bench: Bench) -> None:
    """Motifs among the filters, and what else is."""
    make = maker(bench)
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else 2))
    table = bench.table(
        f"Four motifs of six nodes, {COPIES} copies each, in 760 nodes, seeds {said(seeds)}",
        {"base graph": "", "motifs": "", "found": "", "filters": "", "trees": "", "others": "d",
         "processor s": ".2f"},
    )  # fmt: skip
    every: list[Mined] = []
    for base in BASES if not bench.quick else FEW_BASES:
        for kind, names in SETS.items():
            mined = [Mined.of(make(base, dict.fromkeys(names, COPIES), seed)) for seed in seeds]
            table.add(base, kind, *summary(mined, ", "))
            every += mined
    table.add("all", "", *summary(every, ""))
    bench.note(
        f"*paper* is {', '.join(PAPER)}; *alike* is {', '.join(LIKE_EACH_OTHER)}. Base graphs: "
        "Barabási–Albert with one and two edges a node (ba1, ba2), small world (ws4), random with "
        "a mean degree of 3 (er3), random tree, square grid, and eight blocks (sbm). *Others* are "
        "filters that are neither a planted motif nor a tree: a small world and a grid have "
        "structures of their own that random graphs have not."
    )


def summary(mined: list[Mined], between: str) -> tuple[str, str, str, int, float]:
    """Motifs found, filters of each graph or their range, trees, others, and the median time."""
    found = sum(len(one.number_of) for one in mined)
    counts = [len(one.drawings) for one in mined]
    trees = sum(one.trees for one in mined)
    return (
        f"{found} of {sum(len(one.made.copies) for one in mined)}",
        between.join(map(str, counts)) if between else f"{min(counts)} to {max(counts)}",
        f"{trees} of {sum(counts)}",
        sum(counts) - trees - found,
        float(np.median([one.seconds for one in mined])),
    )


@dataclass
class Instances:
    """Counts over the motifs that were found."""

    motifs: int = 0
    found: int = 0
    copies: int = 0
    planted: int = 0  # copies that are instances
    beyond: int = 0  # instances that are no copy
    induced: int = 0  # of these, induced occurrences by NetworkX
    outside: int = 0  # occurrences that are no copy, by igraph

    def add(self, mined: Mined) -> None:
        """Count the instances of each motif of a graph."""
        graph = mined.made.graph
        for name, nodes in mined.made.copies.items():
            self.motifs += 1
            if name not in mined.number_of:
                continue
            copies, seen = set(nodes), mined.node_sets(name)
            beyond = seen - copies
            self.found += 1
            self.copies += len(copies)
            self.planted += len(copies & seen)
            self.beyond += len(beyond)
            self.induced += sum(
                nx.is_isomorphic(graph.subgraph(one), MOTIFS[name]) for one in beyond
            )
            self.outside += len(occurrences(graph, MOTIFS[name]) - copies)

    def cells(self) -> tuple[str, str, int, str, int, str | None]:
        """What a row says."""
        share = f"{self.beyond / self.outside:.0%}" if self.outside else None
        return (
            f"{self.found} of {self.motifs}",
            f"{self.planted} of {self.copies}",
            self.beyond,
            f"{self.induced} of {self.beyond}",
            self.outside,
            share,
        )


def instances(bench: Bench) -> None:
    """The instances of motifs beside the planted copies, and beside all occurrences."""
    make = maker(bench)
    table = bench.table(
        f"Instances of the motifs that are found, 3 to 30 copies each, seed {FIRST_SEED}",
        {"graphs": "", "motifs found": "", "planted copies among them": "", "other instances": ",",
         "are occurrences, by NetworkX": "", "other occurrences, by igraph": ",",
         "share that is seen": ""},
    )  # fmt: skip
    every = FEW_AND_MANY[:1] if bench.quick else FEW_AND_MANY
    bases = FEW_BASES if bench.quick else tuple(BASES)
    counted = {row: Instances() for row in (*(f"{copies} copies" for copies in every), *bases)}
    for copies in every:
        for base in bases:
            for names in SETS.values():
                mined = Mined.of(make(base, dict.fromkeys(names, copies), FIRST_SEED))
                for row in (f"{copies} copies", base):
                    counted[row].add(mined)
    for row, numbers in counted.items():
        table.add(row, *numbers.cells())
    bench.note(
        "An instance is seen if it is the subgraph of its size around one of its nodes. Where "
        "occurrences overlap many times, as in a grid, most are the subgraph of no node: their "
        "number is what `gomkcn count` gives."
    )


def nothing(bench: Bench) -> None:
    """Graphs in which nothing is hidden."""
    compile_all()
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else GRAPHS))
    table = bench.table(
        f"Nothing hidden, seeds {said(seeds)}",
        {"graphs": "", "without a filter": "", "filters in the others": "", "processor s": ".2f"},
    )
    said_of_none = ""
    for name, draw in random_graphs(bench):
        mined = [Mined.of(MadeGraph(draw(seed), {})) for seed in seeds]
        some = [one for one in mined if one.drawings]
        names = [filter_.name for one in some for filter_ in one.miner.filters_]
        silent = f"{len(mined) - len(some)} of {len(mined)}"
        seconds = float(np.median([one.seconds for one in mined]))
        table.add(name, silent, ", ".join(names) or None, seconds)
        said_of_none = next((one.miner.note_ for one in mined if not one.drawings), said_of_none)
    bench.note(f"What is said where there is none: “{said_of_none}”")


def random_graphs(bench: Bench) -> Iterator[tuple[str, Callable[[int], nx.Graph]]]:
    """Names of random graphs, and how to draw one from a seed."""
    for edges in EDGES[:1] if bench.quick else EDGES:
        yield (
            f"Erdős–Rényi, {NODES:,} nodes, {edges:,} edges",
            lambda seed, edges=edges: nx.gnm_random_graph(NODES, edges, seed=seed),
        )
    path: Path = bench.data / "snap" / "ca-GrQc.txt.gz"
    if path.is_file() and not bench.quick:
        graph = read_graph(path)
        yield "the degrees of ca-GrQc, rewired by igraph", partial(by_igraph, graph)


def sizes(bench: Bench) -> None:
    """A motif of each of five sizes in one graph."""
    make = maker(bench)
    table = bench.table(
        f"Motifs of 4, 5, 6, 7 and 8 nodes together, {COPIES} copies each",
        {"base graph": "", "seed": "d", "motifs": "", "found": "", "filters": "d", "trees": "d"},
    )
    missed: list[str] = []
    whole = 0
    hosts = HOSTS[:1] if bench.quick else HOSTS
    for seed, base in enumerate(hosts, start=FIRST_SEED):
        rng = np.random.default_rng(seed)
        names = [str(rng.choice(list(motifs))) for motifs in OF_SIZE.values()]
        mined = Mined.of(make(base, dict.fromkeys(names, COPIES), seed))
        number = len(mined.number_of)
        whole += number == len(names)
        missed += [f"{name} in {base}" for name in names if name not in mined.number_of]
        table.add(
            base, seed, ", ".join(names), f"{number} of {len(names)}", len(mined.drawings),
            mined.trees,
        )  # fmt: skip
    bench.note(
        f"All five are found in {whole} of {len(hosts)} graphs; missed: "
        f"{', '.join(missed) or 'none'}."
    )


def noise(bench: Bench) -> None:
    """Motifs of which each copy is another."""
    make = maker(bench)
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if bench.quick else NOISY_SEEDS))
    table = bench.table(
        "The motifs of the paper, where edges of the copies are changed, seeds " + said(seeds),
        {"copies": "d", "edges changed": ".0%", "motifs found": "",
         **{f"in {host}": "" for host in NOISY_HOSTS}, "filters": ".1f", "trees": ".1f"},
    )  # fmt: skip
    for copies in NOISY_COPIES[:1] if bench.quick else NOISY_COPIES:
        for changed in NOISES[:1] if bench.quick else NOISES:
            motifs = dict.fromkeys(PAPER, copies)
            of_host = {
                host: [Mined.of(make(host, motifs, seed, changed=changed)) for seed in seeds]
                for host in NOISY_HOSTS
            }
            every = [one for mined in of_host.values() for one in mined]
            table.add(
                copies,
                changed,
                *(
                    f"{sum(len(one.number_of) for one in some)} of {len(some) * len(motifs)}"
                    for some in (every, *of_host.values())
                ),
                float(np.mean([len(one.drawings) for one in every])),
                float(np.mean([one.trees for one in every])),
            )


def said(seeds: range) -> str:
    """Some seeds in words."""
    return f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 2 else " and ".join(map(str, seeds))
