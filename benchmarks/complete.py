"""What is counted completely: frequent subgraphs beside gspan-mining, events beside others.

Raphtory and SNAP count motifs of events. SNAP's program is no package: built of its source, in
examples/temporalmotifs, it must be on PATH.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import io
import pickle
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from record import Bench

from gomkcn.mining.frequent.codes import Labels
from gomkcn.mining.frequent.gspan import MOST_BYTES, frequent_subgraphs
from gomkcn.mining.frequent.one_graph import ImageSearch, search_graph
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.temporal.temporal_motifs import temporal_census
from gomkcn_dgl import CSRGraph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.runtime.steps import Steps

COLLECTIONS = (("MUTAG", 19, "3-6"), ("ENZYMES", 120, "3-4"))
# a file or a folder, a support in nodes or a share of these, numbers of nodes
ONE_GRAPHS = (
    ("citeseer_*", 160, "2-5"),
    ("snap/ca-GrQc.txt.gz", 0.01, "2-5"),
    ("snap/email-Enron.txt.gz", 0.01, "2-5"),
    ("snap/facebook_combined.txt.gz", 0.01, "2-5"),
)
WINDOWS = (600, 3600, 86_400)
MESSAGES = "temporal/CollegeMsg.txt.gz"
# equal times become different, in the order of the file: Raphtory and SNAP have orders of their own
SCALE = 100
SNAP = "temporalmotifsmain"


def seconds(call: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """What a call returns, and the median of its processor seconds."""
    took = []
    for _ in range(repeats):
        start = time.process_time()
        found = call()
        took.append(time.process_time() - start)
    return found, float(np.median(took))


def frequent(bench: Bench) -> None:
    """All frequent subgraphs of labelled collections: the same ones, and in what time?"""
    table = bench.table(
        "Frequent subgraphs, processor seconds; gspan-mining runs once",
        {
            "collection": "",
            "support": "",
            "nodes": "",
            "subgraphs": "",
            "equal supports": "",
            "ours": ".2f",
            "gspan-mining": ".1f",
            "gspan-mining / ours": ",.0f",
        },
    )
    for name, support, sizes in COLLECTIONS[: 1 if bench.quick else 2]:
        folder = next(bench.data.glob(f"{name}_*"), None)
        if folder is None:
            bench.note(f"{name} is skipped: its folder is not in {bench.data}.")
            continue
        graph = read_graph(folder / name if (folder / name).is_dir() else folder)
        if bench.quick:
            support = 150
        frequent_subgraphs(graph, support, sizes)  # compiled
        found, ours = seconds(
            lambda graph=graph, support=support, sizes=sizes: frequent_subgraphs(
                graph, support, sizes
            ),
            bench.repeats,
        )
        theirs, took = seconds(
            lambda graph=graph, support=support, sizes=sizes: run_gspan(graph, support, sizes), 1
        )
        equal = "yes" if sorted(found.support.tolist()) == theirs else "no"
        table.add(name, support, sizes, len(found), equal, ours, took, took / ours)


def frequent_one_graph(bench: Bench) -> None:
    """All frequent subgraphs of one graph, by minimum node image: how many, and in what time?"""
    table = bench.table(
        "Frequent subgraphs of one graph, processor seconds",
        {
            "graph": "",
            "nodes": ",d",
            "edges": ",d",
            "categories": "",
            "support": ",d",
            "sizes": "",
            "subgraphs": ",d",
            "least support": ",d",
            "search": ".1f",
            "with occurrences": ".1f",
            "estimated": "d",
        },
    )
    for name, share, sizes in ONE_GRAPHS[: 1 if bench.quick else len(ONE_GRAPHS)]:
        path = next(bench.data.glob(name), None)
        if path is None:
            bench.note(f"{name} is skipped: it is not in {bench.data}.")
            continue
        graph, areas = read_citations(path) if path.is_dir() else (read_graph(path), "")
        support = share if share >= 1 else int(np.ceil(share * graph.num_nodes))
        frequent_subgraphs(graph, support, "2-3")  # compiled

        def search(graph: CSRGraph = graph, support: int = support, sizes: str = sizes) -> Any:
            images = ImageSearch(graph, Labels.of(graph), int(sizes[-1]), MOST_BYTES)
            return search_graph(images, support, Steps(), lambda _: None)

        _, alone = seconds(search, bench.repeats)
        found, whole = seconds(
            lambda graph=graph, support=support, sizes=sizes: frequent_subgraphs(
                graph, support, sizes
            ),
            bench.repeats,
        )
        estimated = sum(not row.occurrences.is_exact for row in found.rows)
        table.add(
            path.name.split("_")[0], graph.num_nodes, graph.num_edges, areas or "none", support,
            sizes, len(found), int(found.support.min()), alone, whole, estimated,
        )  # fmt: skip


def read_citations(folder: Path) -> tuple[CSRGraph, str]:
    """Citeseer of Planetoid: its papers that have a citation and an area, and what areas are."""
    graphs = pickle.loads((folder / "ind.citeseer.graph").read_bytes())
    known = [pickle.loads((folder / f"ind.citeseer.{part}").read_bytes(), encoding="latin1")
             for part in ("ally", "ty")]  # fmt: skip
    tested = np.loadtxt(folder / "ind.citeseer.test.index", dtype=int)
    areas = {row: int(area.argmax()) for row, area in enumerate(known[0]) if area.any()}
    areas |= {row: int(area.argmax()) for row, area in zip(tested, known[1], strict=True)}
    edges = {(min(u, v), max(u, v)) for u, others in graphs.items() for v in others if u != v}
    edges = {edge for edge in edges if edge[0] in areas and edge[1] in areas}
    papers = sorted({paper for edge in edges for paper in edge})
    row = {paper: number for number, paper in enumerate(papers)}
    source, target = np.array([(row[u], row[v]) for u, v in sorted(edges)]).T
    labels = [areas[paper] for paper in papers]
    graph = csr_from_edges(
        source, target, len(papers), features=np.eye(6, dtype=np.float32)[labels],
        feature_names=[f"area={number}" for number in range(6)],
    )  # fmt: skip
    return graph, "6 areas"


def run_gspan(graph: CSRGraph, support: int, sizes: str) -> list[int]:
    """The supports of the subgraphs that gspan-mining finds, ascending."""
    from gspan_mining.gspan import gSpan

    categories = Categories.find(graph.stored_features, graph.feature_names)
    colors = categories.colors(graph.stored_features)
    source, target, relation = graph.edges()
    lines = []
    for number, (first, last) in enumerate(
        zip(graph.graph_ptr[:-1], graph.graph_ptr[1:], strict=True)
    ):
        lines.append(f"t # {number}")
        lines += [f"v {node - first} {colors[node]}" for node in range(first, last)]
        for edge in np.flatnonzero((source >= first) & (source < last)):
            u, v = source[edge] - first, target[edge] - first
            lines.append(f"e {u} {v} {relation[edge]}")
    least, _, most = sizes.partition("-")
    # a frame that it fills for display, by a method that pandas has no more
    pd.DataFrame.append = lambda frame, *_, **__: frame  # type: ignore[attr-defined]
    printed = io.StringIO()
    with tempfile.NamedTemporaryFile("w", suffix=".data") as file:
        file.write("\n".join([*lines, "t # -1", ""]))
        file.flush()
        search = gSpan(
            file.name,
            min_support=support,
            min_num_vertices=int(least),
            max_num_vertices=int(most),
        )
        with contextlib.redirect_stdout(printed):
            search.run()
    return sorted(map(int, re.findall(r"^Support: (\d+)", printed.getvalue(), re.M)))


def temporal(bench: Bench) -> None:
    """Motifs of three events in CollegeMsg: the same counts as others, and in what time?"""
    path = bench.data / MESSAGES
    if not path.is_file():
        bench.note(f"skipped: {path} is not there.")
        return
    table = bench.table(
        "The 36 motifs of CollegeMsg (59,835 messages), processor seconds without reading",
        {
            "window": "",
            "occurrences": ",d",
            "equal counts": "",
            "ours": ".3f",
            "Raphtory": ".3f",
            "Raphtory / ours": ".1f",
        },
    )
    from gomkcn_dgl.io.temporal_edges import read_temporal_edges

    edges = read_temporal_edges(path)
    peer = importlib.util.find_spec("raphtory") is not None
    if peer:
        bench.peers["raphtory"] = importlib.metadata.version("raphtory")
        count_theirs = raphtory_counter(path)
    for window in WINDOWS[: 1 if bench.quick else 3]:
        temporal_census(edges, window, null_samples=0)  # compiled
        found, ours = seconds(
            lambda window=window: temporal_census(edges, window, null_samples=0), bench.repeats
        )
        total, row = int(found.counts.sum()), [f"{window} s"]
        if not peer:
            table.add(*row, total, "Raphtory is not installed", ours, "", "")
            continue
        theirs, took = seconds(lambda window=window: count_theirs(window), bench.repeats)
        equal = "yes" if sorted(theirs) == sorted(found.counts.reshape(-1).tolist()) else "no"
        table.add(*row, total, equal, ours, took, took / ours)
    beside_snap(bench, path)


def beside_snap(bench: Bench, path: Path) -> None:
    """The same with reading, as SNAP's program, on one thread, times itself."""
    program = shutil.which(SNAP)
    if program is None:
        bench.note(f"SNAP: its program {SNAP} is not on PATH.")
        return
    from gomkcn_dgl.io.temporal_edges import read_temporal_edges

    table = bench.table(
        "The same beside SNAP, processor seconds with reading a text file, without starting Python",
        {"window": "", "equal counts": "", "ours": ".3f", "SNAP": ".3f", "SNAP / ours": ".2f"},
    )
    with tempfile.TemporaryDirectory() as folder:
        events, counts = Path(folder, "events.txt"), Path(folder, "counts.txt")
        lines = (f"{u} {v} {when}\n" for u, v, when in events_of(path))
        events.write_text("".join(lines), encoding="utf-8")
        for window in WINDOWS[: 1 if bench.quick else 3]:
            wide = SCALE * window + SCALE // 2
            found, ours = seconds(
                lambda wide=wide: temporal_census(
                    read_temporal_edges(events), wide, null_samples=0
                ),
                bench.repeats,
            )
            given = [program, f"-i:{events}", f"-o:{counts}", f"-delta:{wide}", "-nt:1"]
            took = []
            for _ in range(bench.repeats):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(given, check=True, capture_output=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            theirs = sorted(map(int, counts.read_text().split()))
            equal = "yes" if theirs == sorted(found.counts.reshape(-1).tolist()) else "no"
            snap = float(np.median(took))
            table.add(f"{window} s", equal, ours, snap, snap / ours)


def events_of(path: Path) -> Iterator[tuple[int, int, int]]:
    """Sender, receiver and time of each message: times differ, and stay below 2^31 for SNAP."""
    seen = Counter[int]()
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    messages = [tuple(map(int, line.split())) for line in lines]
    first = min(when for _, _, when in messages)
    for u, v, when in messages:
        yield u, v, SCALE * (when - first) + seen[when]
        seen[when] += 1


def raphtory_counter(path: Path) -> Callable[[int], list[int]]:
    """Count by Raphtory; the four motifs of two nodes, which it lists from both ends, once."""
    from raphtory import Graph, algorithms

    graph = Graph()
    for u, v, when in events_of(path):
        graph.add_edge(when, u, v)

    def count(window: int) -> list[int]:
        counts = algorithms.global_temporal_three_node_motif(graph, SCALE * window + SCALE // 2)
        return [*counts[:28], *counts[32:]]

    return count
