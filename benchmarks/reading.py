"""Files read to a graph, beside igraph, pandas, NetworkX, DGL and RDKit for the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import igraph
import networkx as nx
import numpy as np
import pandas as pd
from inputs import tu_folder
from measure import time_interleaved
from record import Bench

from gomkcn_dgl import read_graph
from gomkcn_dgl.graph_objects import TypedGraph
from gomkcn_dgl.io import molecules, same_molecules
from gomkcn_dgl.io.dgl_files import write_dgl_graphs

DRUGS = Path(__file__).parents[1] / "docs" / "data" / "drugs.smi"
# edges of the made tables; nodes are drawn from a fifth as many
NUM_EDGES, QUICK_EDGES = 1_000_000, 2_000
NODES_PER_EDGE = 0.2


class Reading(NamedTuple):
    """A file, and how a peer reads it; None where none reads such a file to a graph."""

    name: str
    path: Path
    peer: str
    by_peer: Callable[[], Any] | None


def main(bench: Bench) -> None:
    """Read each file in turn by this package and by a peer."""
    columns = {"file": "", "edges": ",", "read_graph": "", "peer": "", "peer reads": ""}
    columns |= {"peer / ours": ",.1f", "equal": ""}
    table = bench.table("Files of edges to a graph", columns)
    with tempfile.TemporaryDirectory() as folder:
        for reading in readings(bench, Path(folder)):
            calls: dict[str, Callable[[], Any]] = {
                "ours": lambda path=reading.path: read_anew(path)
            }
            if reading.by_peer is not None:
                calls["peer"] = reading.by_peer
            timings = time_interleaved(calls, bench.repeats)
            ours, theirs = timings["ours"], timings.get("peer")
            graph = read_graph(reading.path)
            table.add(
                reading.name,
                graph.num_edges,
                ours,
                reading.peer,
                theirs,
                None if theirs is None else theirs.median / ours.median,
                None if reading.by_peer is None else same(graph, reading.by_peer()),
            )
    bench.note(
        "Equal: as many edges between different nodes, each counted once. No peer reads a TU "
        "folder to a graph. Of molecules the peer parses alone, and looks for none that is there "
        "twice; what is kept of those parsed before is dropped."
    )


def readings(bench: Bench, folder: Path) -> Iterator[Reading]:
    """The files: real ones where the data lie, and two tables of random edges."""
    grqc = bench.data / "snap" / "ca-GrQc.txt.gz"
    if grqc.is_file() and not bench.quick:
        yield Reading("ca-GrQc.txt.gz", grqc, "NetworkX", lambda: nx.read_edgelist(grqc))
    mutag = tu_folder(bench.data, "MUTAG")
    if mutag is not None and not bench.quick:
        yield Reading("MUTAG, a TU folder", mutag, "–", None)
    number = QUICK_EDGES if bench.quick else NUM_EDGES
    pairs = np.random.default_rng(0).integers(0, int(NODES_PER_EDGE * number), (number, 2))
    numbers, names = folder / "numbers.txt", folder / "names.csv"
    np.savetxt(numbers, pairs, fmt="%d", delimiter="\t")
    frame = pd.DataFrame(pairs, columns=["gene_a", "gene_b"])
    frame = frame.apply(lambda column: "g" + column.astype(str))
    frame.assign(score=np.arange(number) % 997).to_csv(names, index=False)
    yield Reading(
        "numbers between tabs", numbers, "igraph", lambda: igraph.Graph.Read_Edgelist(str(numbers))
    )
    yield Reading(
        "names in a CSV file",
        names,
        "pandas and igraph",
        lambda: igraph.Graph.DataFrame(
            pd.read_csv(names)[["gene_a", "gene_b"]], directed=False, use_vids=False
        ),
    )
    # as DGL keeps an undirected graph
    ends = tuple(np.concatenate([pairs, pairs[:, ::-1]]).T)
    binary = folder / "numbers.bin"
    write_dgl_graphs(binary, [TypedGraph.of_one_type(ends, int(pairs.max()) + 1, {}, {})])
    yield Reading("DGL .bin", binary, "DGL", lambda: load_by_dgl(binary))
    yield Reading("SMILES of drugs", DRUGS, "RDKit, parsing", parse_by_rdkit)


def read_anew(path: Path) -> Any:
    """Read a graph without what is kept of molecules for the classes of their file."""
    molecules._molecule_of.cache_clear()
    same_molecules._canonical_tautomer.cache_clear()
    return read_graph(path)


def load_by_dgl(path: Path) -> Any:
    """The first graph of a file of DGL."""
    from gomkcn_dgl._dgl import dgl

    return dgl.load_graphs(str(path))[0][0]


def parse_by_rdkit() -> list[Any]:
    """The molecules of the drugs, one by one."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        lines = DRUGS.read_text().splitlines()
        return [Chem.MolFromSmiles(line.split()[0]) for line in lines if line[:1] not in ("", "#")]


def same(graph: Any, other: Any) -> str:
    """Whether a peer has the same edges between different nodes, each once."""
    if isinstance(other, list):
        number = sum(mol.GetNumBonds() for mol in other if mol is not None)
    elif hasattr(other, "edges") and hasattr(other, "ntypes"):
        ends = np.stack([end.numpy() for end in other.edges()])
        number = len(np.unique(np.sort(ends[:, ends[0] != ends[1]], axis=0), axis=1).T)
    elif isinstance(other, nx.Graph):
        number = other.number_of_edges() - nx.number_of_selfloops(other)
    else:
        number = other.as_undirected().simplify().ecount()
    return "yes" if number == graph.num_edges else "NO"
