"""The census and the orbits beside ESCAPE and ORCA: the same numbers, and what they take.

Both are C++ programs, to be built apart and put on the PATH as `count_five` and `orca`: ESCAPE from
github.com/cgradwohl/escape_code, ORCA from github.com/thocevar/orca. One that is not there is left
out.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from measure import Timing
from record import Bench

from gomkcn.mining.counting.census import subgraphs_of
from gomkcn.mining.counting.census_formulas import count_graphlets, count_orbits
from gomkcn.mining.counting.graphlets import graphlets
from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph

GRAPHS = {
    "ca-GrQc": "ca-GrQc.txt.gz",
    "ego-Facebook": "facebook_combined.txt.gz",
    "email-Enron": "email-Enron.txt.gz",
}
# seconds for one run of a peer
MOST_SECONDS = 400
# place of each size in its list, disconnected structures before the others, and in ours
IN_ESCAPE = ((0, 4, 2, 1), (4, 15, 5, 3), (15, 49, 13, 9))


def graphs_of(bench: Bench) -> dict[str, CSRGraph]:
    """The graphs of SNAP that are there; a small one for a quick run."""
    if bench.quick:
        return {"Les Misérables": as_csr(nx.les_miserables_graph())}
    paths = {name: bench.data / "snap" / file for name, file in GRAPHS.items()}
    return {name: read_graph(path) for name, path in paths.items() if path.is_file()}


def measured(graph: CSRGraph, repeats: int, call: Callable[[CSRGraph], Any]) -> tuple[Any, Timing]:
    """What a call returns, and its processor seconds."""
    result, seconds = call(graph), []
    for _ in range(repeats):
        start = time.process_time()
        call(graph)
        seconds.append(time.process_time() - start)
    return result, Timing(tuple(seconds))


def run_peer(command: list[str], folder: Path) -> Timing | None:
    """Processor seconds of a program; None if it takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timing((spent,))


def write_edges(graph: CSRGraph, path: Path) -> None:
    """Nodes and edges, then an edge a line, as both programs read them."""
    pairs = graph.adjacent_pairs()
    np.savetxt(path, np.concatenate([[[graph.num_nodes, len(pairs)]], pairs]), "%d")


def same_as_escape(path: Path, counts: np.ndarray) -> bool:
    """Whether ESCAPE's subgraph counts of each size are ours."""
    theirs = [float(line) for line in path.read_text().split()[2:]]
    ours = list(subgraphs_of(dict(zip(graphlets(), counts.tolist(), strict=True))).values())
    bounds = [*(first for *_, first in IN_ESCAPE), len(ours)]
    return all(
        sorted(ours[bounds[k] : bounds[k + 1]]) == sorted(map(int, theirs[start + skip : stop]))
        for k, (start, stop, skip, _) in enumerate(IN_ESCAPE)
    )


def same_as_orca(path: Path, orbits: np.ndarray) -> bool:
    """Whether ORCA's counts of each node at each orbit are ours."""
    return np.array_equal(np.loadtxt(path, np.int64), orbits)


def main(bench: Bench) -> None:
    """Compare counts by formulas with those of ESCAPE and ORCA."""
    table = bench.table(
        "Processor seconds, without reading and compiling; theirs with reading",
        {
            "graph": "",
            "nodes": ",",
            "edges": ",",
            "census": "",
            "ESCAPE": "",
            "ratio": ".1f",
            "equal": "",
            "73 orbits": "",
            "ORCA": "",
            "ratio of that": ".1f",
            "equal at every node": "",
        },
    )
    small = as_csr(nx.les_miserables_graph())
    # compiled, and the maps of the formulas known
    count_graphlets([small]), count_orbits(small)
    for name, graph in graphs_of(bench).items():
        counts, census = measured(graph, bench.repeats, lambda one: count_graphlets([one])[:, 0])
        orbits, at_nodes = measured(graph, bench.repeats, count_orbits)
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            write_edges(graph, folder / "edges.txt")
            theirs: list[Any] = []
            for program, command, out, ours, same, found in (
                ("count_five", ["edges.txt"], "out.txt", census, same_as_escape, counts),
                ("orca", ["node", "5", "edges.txt", "orbits.txt"], "orbits.txt", at_nodes,
                 same_as_orca, orbits),
            ):  # fmt: skip
                path = shutil.which(program)
                spent = None if path is None else run_peer([path, *command], folder)
                theirs += [ours]
                if spent is None:
                    theirs += [None if path is None else f"> {MOST_SECONDS} s", None, None]
                    continue
                equal = "yes" if same(folder / out, found) else "NO"
                theirs += [spent, spent.median / ours.median, equal]
        table.add(name, graph.num_nodes, graph.num_edges, *theirs)
    bench.note(
        "Other jobs ran on the same processors; a program that takes over "
        f"{MOST_SECONDS} s of the clock is ended."
    )
