"""Beside classical tools on the same graphs: the same verdicts, and the time of both.

    python benchmarks/classical.py            every graph, written to results/classical.*
    python benchmarks/classical.py --quick    two small graphs, nothing written

Network motifs: igraph counts all structures of 3 or 4 nodes in the graph and in rewired graphs
(`motifs_randesu`, which is RAND-ESU of S. Wernicke with nothing left out), and z says which stand
out. Ours has the same null model and is told the size. Frequent subgraphs: gSpan lists the labelled
subgraphs of molecules that enough of them contain; ours is compared by the graphs of each pattern.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click
import networkx as nx
import numpy as np
from census import SHOWN, Key, Score, highest, null_graphs, score_all, structures_of
from measure import use_threads
from peers.frequent_subgraphs import GSPAN, Frequent
from peers.peer import NOT_INSTALLED
from planted_graphs import make_planted, mine
from record import Bench, bench_command, data_option

from gomkcn_dgl import CSRGraph
from gomkcn_dgl.io.reading import read_graph
from mining import Pattern, PatternMiner

NULL = "degree"
SIZES = (3, 4)
# more than there are structures of 4 nodes, so that all that recur are reported
ALL = 200
FIRST = 10
SPAN = range(3, 7)
LEAST_SHARE = 0.1


@dataclass(frozen=True)
class Verdicts:
    """How the verdicts on the structures of one size agree."""

    occurring: int
    shown: int  # z > 5 by igraph
    shown_reported: int
    agreeing: int  # reported ones on which igraph and the miner say the same
    contradicting: int  # reported ones that igraph shows, or shows as rare, and the miner does not
    reported: int
    first: int  # of igraph's first ten, those among our first ten


def graphs(folder: Path, quick: bool) -> Iterator[tuple[str, CSRGraph]]:
    """Graphs without and with directions, made and real."""
    made, _ = make_planted(
        ["square", "clique4"], 2, 0, copies=10, embedded=True, features="constant"
    )
    yield "BA, 10 K4 and C4 on its nodes", made
    directed, _ = make_planted(
        ["feed-forward-loop", "bi-fan"], 2, 0, copies=10, features="constant", directed=True
    )
    yield "BA with directions, 10 feed-forward loops and bi-fans", directed
    if quick or not folder.is_dir():
        return
    regulation = folder / "directed" / "ecoli_regulation.csv"
    yield "E. coli regulation", read_graph(regulation, relation="none", directed=True)
    neurons = folder / "directed" / "celegansneural.gml"
    yield "C. elegans neurons", read_graph(neurons, relation="none", directed=True)
    yield "ca-GrQc", read_graph(folder / "snap" / "ca-GrQc.txt.gz")


def compare(scores: Mapping[Key, Score], miner: PatternMiner) -> Verdicts:
    """The verdicts of igraph's z and of the miner on structures of one size."""
    occurring = [one for one, score in scores.items() if score.observed > 0]
    reported = dict(zip(structures_of(miner.patterns_), miner.patterns_, strict=True))
    shown = [one for one in occurring if scores[one].z > SHOWN]
    pairs = [(_side(scores[one].z), _verdict(pattern)) for one, pattern in reported.items()]
    top = set(highest(scores, FIRST)) & set(shown)
    return Verdicts(
        len(occurring),
        len(shown),
        sum(one in reported for one in shown),
        sum(classical == own for classical, own in pairs),
        sum(classical != own and classical != 0 for classical, own in pairs),
        len(reported),
        len(top & set(list(reported)[:FIRST])),
    )


def _side(z: float) -> int:
    return int(z > SHOWN) - int(z < -SHOWN)


def _verdict(pattern: Pattern) -> int:
    """1: more frequent than by chance, -1: less frequent, 0: neither."""
    verdict = pattern.significance[NULL].verdict
    return int(verdict == "more frequent") - int(verdict == "less frequent")


def compare_censuses(bench: Bench, folder: Path, samples: int) -> None:
    table = bench.table(
        f"Network motifs: null model `{NULL}`, {samples} rewired graphs for igraph",
        {
            "graph": "",
            "nodes": ",",
            "edges": ",",
            "size": "",
            "structures": "",
            f"igraph: z > {SHOWN:g}": "",
            "of them reported": "",
            "of our first ten, in igraph's": "",
            "reported": "",
            "same verdict": "",
            "opposite": "",
            "igraph, CPU s": ".1f",
            "ours, CPU s": ".1f",
        },
    )
    for name, graph in graphs(folder, bench.quick):
        for size in SIZES:
            start = time.process_time()
            scores = score_all(graph, null_graphs(graph, samples, NULL), [size])
            classical = time.process_time() - start
            miner, seconds = mine(graph, pattern_size=(size, size), num_patterns=ALL)
            one = compare(scores, miner)
            table.add(
                name, graph.num_nodes, graph.num_edges, size, one.occurring, one.shown,
                one.shown_reported, f"{one.first} of {min(FIRST, one.shown)}", one.reported,
                one.agreeing, one.contradicting, classical, seconds,
            )  # fmt: skip
            if one.shown_reported < one.shown or one.contradicting:
                bench.note(f"MISSED: {name}, {size} nodes")
    bench.note(
        f"igraph's verdict is more frequent at z > {SHOWN:g}, less frequent at z < -{SHOWN:g}, and "
        "neither between; ours is by q ≤ .05, so it may decide where igraph's does not. Opposite: "
        "igraph decides, and ours is another verdict."
    )


def compare_frequent(bench: Bench, folder: Path) -> None:
    """MUTAG by gSpan and by the miner: the graphs that contain each pattern."""
    path = next(folder.glob("MUTAG_*"), None)
    if path is None:
        bench.note(f"gSpan is skipped: MUTAG is not in the folder {folder}.")
        return
    graph = read_graph(path / "MUTAG", features=["labels"])
    version = GSPAN.version()
    if version is None:
        bench.note(f"gSpan: {NOT_INSTALLED} (pip install {GSPAN.distribution}).")
        return
    bench.peers[GSPAN.distribution] = version
    colors = graph.features.argmax(axis=1)
    least = int(np.ceil(LEAST_SHARE * graph.num_graphs))
    start = time.process_time()
    frequent = GSPAN.prepare(graph, colors, least, SPAN)()
    classical = time.process_time() - start
    miner, seconds = mine(graph, pattern_size=(SPAN[0], SPAN[-1]), num_patterns=40)
    pairs = list(match_labelled(frequent, miner.patterns_, graph))
    equal = sum(pattern.frequency.graphs == support for pattern, support in pairs)
    fewer = sum(pattern.frequency.graphs < support for pattern, support in pairs)
    often = [one for one in miner.patterns_ if one.frequency.graphs >= least]
    table = bench.table(
        f"Frequent subgraphs: MUTAG with its atoms and bonds, {SPAN[0]} to {SPAN[-1]} nodes, in at "
        f"least {least} of {graph.num_graphs} molecules",
        {
            "gSpan: subgraphs": "",
            "gSpan, CPU s": ".1f",
            "ours: patterns in as many molecules": "",
            "of them gSpan's": "",
            "in as many molecules as gSpan says": "",
            "in fewer: others have it with another bond between its atoms": "",
            "in more": "",
            "ours, CPU s": ".1f",
        },
    )
    more = len(pairs) - equal - fewer
    table.add(len(frequent), classical, len(often), len(pairs), equal, fewer, more, seconds)
    if len(pairs) < len(often) or more:
        bench.note("MISSED: a pattern of ours is not gSpan's, or is in more molecules")


def match_labelled(
    frequent: list[Frequent], patterns: list[Pattern], graph: CSRGraph
) -> Iterator[tuple[Pattern, int]]:
    """The patterns that are among the frequent subgraphs, with their support there."""
    same_node = nx.algorithms.isomorphism.categorical_node_match("label", None)
    same_edge = nx.algorithms.isomorphism.categorical_edge_match("label", None)
    names = list(graph.feature_names)
    for pattern in patterns:
        own = nx.Graph()
        for node, (category,) in enumerate(pattern.categories):
            own.add_node(node, label=names.index(category))
        for (u, v), relation in zip(pattern.edges, pattern.edge_relations, strict=True):
            own.add_edge(u, v, label=relation)
        for other, support in frequent:
            if len(own) == len(other) and nx.is_isomorphic(own, other, same_node, same_edge):
                yield pattern, support
                break


@bench_command("classical", usual_repeats=1, how="run of each, one thread a run")
@click.option("--samples", default=100, help="Rewired graphs that igraph counts in.")
@data_option
def main(bench: Bench, samples: int, data: Path) -> None:
    """Compare with a motif census beside rewired graphs, and with gSpan."""
    use_threads(1)
    logging.getLogger("gomkcn_dgl").setLevel(logging.ERROR)
    # the first graph compiles, which is no part of the time
    mine(next(graphs(data, quick=True))[1])
    compare_censuses(bench, data, 5 if bench.quick else samples)
    if not bench.quick:
        compare_frequent(bench, data)


if __name__ == "__main__":
    main()
