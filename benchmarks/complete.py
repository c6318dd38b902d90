"""What is counted completely: frequent subgraphs beside gspan-mining, events beside Raphtory."""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import io
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from record import Bench

from gomkcn.mining.frequent.gspan import frequent_subgraphs
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.temporal.temporal_motifs import temporal_census
from gomkcn_dgl import CSRGraph
from gomkcn_dgl.io.reading import read_graph

COLLECTIONS = (("MUTAG", 19, "3-6"), ("ENZYMES", 120, "3-4"))
WINDOWS = (600, 3600, 86_400)
MESSAGES = "temporal/CollegeMsg.txt.gz"
# equal times become different, in the order of the file: Raphtory and SNAP have orders of their own
SCALE = 100


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
    """Motifs of three events in CollegeMsg: the same counts as Raphtory, and in what time?"""
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


def raphtory_counter(path: Path) -> Callable[[int], list[int]]:
    """Count by Raphtory; the four motifs of two nodes, which it lists from both ends, once."""
    from raphtory import Graph, algorithms

    graph, seen = Graph(), Counter[int]()
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        u, v, when = map(int, line.split())
        graph.add_edge(SCALE * when + seen[when], u, v)
        seen[when] += 1

    def count(window: int) -> list[int]:
        counts = algorithms.global_temporal_three_node_motif(graph, SCALE * window + SCALE // 2)
        return [*counts[:28], *counts[32:]]

    return count
