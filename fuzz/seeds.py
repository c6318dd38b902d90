"""Small valid files of what is read, made anew each time; a folder is an archive of its files."""

from __future__ import annotations

import dataclasses
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse as sp
from mutate import pack

from gomkcn.mining import PatternMiner
from gomkcn.mining.patterns.mining_run import MiningRun
from gomkcn.mining.patterns.mining_settings import RunSettings
from gomkcn.mining.runs.mine import MINE, run_of_mining
from gomkcn.mining.runs.train import TRAIN, TrainingInputs
from gomkcn.mining.structures.occurrences import Occurrence, Occurrences
from gomkcn.mining.structures.pattern import Pattern
from gomkcn.mining.structures.pattern_columns import occurrence_table
from gomkcn.mining.structures.truth import compare_with_truth
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graph_content import ColumnChoice
from gomkcn_dgl.graph_objects import TypedGraph
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.dgl_files import write_dgl_graphs
from gomkcn_dgl.io.formats import Format, find_format
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.writing import write_graph
from gomkcn_dgl.runtime.run import Work, write_run
from gomkcn_dgl.training.classifier_settings import ClassifierSettings
from gomkcn_dgl.training.training_run import read_training_data

READINGS = Path(__file__).parents[1] / "tests/data/readings"
EDGES = "0 1\n1 2\n2 3\n3 0\n"
EDGE_LISTS = (
    EDGES,
    "# c\n10\t20 0.5\n20 30 1e3\n% d\n\n30 10 2\n",
    "a b\nb c # d\nc a\né a\n",
    "head relation tail\na likes b\nb likes a\nb owns c\n",
    "a\tis a\tb c\nb c\tis a\td\nd\tpart of\ta\n",
)
ADJACENCY_TABLES = (
    ",a,b\na,0,1\nb,1,0\n",
    '"a" "b"\n"a" 0 2.5\n"b" NA 0\n',
    "0 1 1 0\n1 0 0 0\n1 0 0 1\n0 0 1 0\n",
    "w,x,y\n0,1,\n1,0,0\n,0,0\n",
)
EDGE_CSVS = (
    "source;target;type;weight\n0;1;directed;1\n1;2;undirected;0.5\n",
    "u,v,weight\n0,1,0.5\n1,2,3\n",
    'note,from,to\n"a, b",x,y\n"c\nd",y,z\n',
)
FEATURE_TABLES = (
    "id,kind,x\n0,tf,1\n1,kinase,2\n2,tf,0\n3,tf,1\n",
    "a,b\n1,2\n3,4\n5,6\n7,8\n",
    'id,"x, y"\n3,1\n2,1\n1,0.5\n0,1e3\n',
)
_VERTICES = '*Vertices 3\n1 "a"\n2 "b c"\n3 d\n'
PAJEK_FILES = (
    f"{_VERTICES}*Arcs\n1 2 2.5\n2 3 1 kind x\n",
    f'%c\n*Network n\n{_VERTICES}*Arcs :1 "likes"\n1 2 1\n*Edges :2 "knows"\n2 3\n',
    f"{_VERTICES}*Arcslist\n1 2 3\n*Arcs\n2: 3 1 1 [1-3]\n",
    "*Vertices 4 2\n*Matrix\n0 1\n2.5 0\n",
    '*Vertices 2\n1 "v1" ic red 0.5 0.3 circle\n2 "v2"\n*Edges\n1 2 1 c black\n'
    "*Partition p\n1\n2\n",
)
DIMACS_FILES = (
    "c x\np edge 4 3\ne 1 2\ne 2 3\ne 3 4\n",
    "p max 4 2\nn 1 s\nn 4 t\na 1 2 5\na 2 4 3.5\n",
    "p sp 3 1\na 1 3 2\n",
)
# nodes and links as D3, ECharts, Graphology, vis.js, Cytoscape.js and others write them
JSON_FILES = (
    '{"nodes": [{"name": "A"}, {"name": "B"}], "links": [{"source": 0, "target": 1, "value": 2}]}',
    '{"data": [{"id": "0", "name": "A"}, {"id": "1", "name": "B"}], '
    '"links": [{"source": "A", "target": "B"}]}',
    '{"options": {"type": "mixed"}, "nodes": [{"key": "a", "attributes": {"label": "A", "x": 1}}, '
    '{"key": "b"}], "edges": [{"source": "a", "target": "b", "attributes": {"weight": 2}}]}',
    '{"nodes": [{"id": 1, "label": "A"}, {"id": 2}], '
    '"edges": [{"from": 1, "to": 2, "arrows": "to"}]}',
    '[{"data": {"id": "a"}}, {"data": {"id": "b"}}, {"data": {"source": "a", "target": "b"}}]',
    '{"graph": {"directed": true, "nodes": {"a": {"label": "A"}, "b": {}}, '
    '"edges": [{"source": "a", "target": "b", "metadata": {"w": 1}}]}}',
)
# occurrences of each pattern in the files of occurrences
COUNTS = (2, 1)
_READ = (".json", ".npy", ".parquet", ".pt", ".toml", ".txt")
INSTANCES = [[0, 1, 2, 3], [4, 5, 6, 7]]
RING = {"name": "ring", "num_nodes": 4, "edges": [[0, 1], [1, 2], [2, 3], [0, 3]], "copies": 2}
TRUTH = {"motifs": [{**RING, "instances": INSTANCES}]}


def saved(write: Callable[..., object], *arguments: object, **options: object) -> bytes:
    """Return what a function writes to a file object."""
    content = io.BytesIO()
    write(content, *arguments, **options)
    return content.getvalue()


def _written(name: str, write: Callable[[Path], object]) -> bytes:
    """Return the file, or the archive of the folder, that a function writes to a path."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return _content(path)


def _content(path: Path) -> bytes:
    """The bytes of a file, or an archive of the files in a folder."""
    if path.is_dir():
        files = [file for file in sorted(path.iterdir()) if file.suffix in _READ]
        return pack({file.name: file.read_bytes() for file in files})
    return path.read_bytes()


def graph_folders() -> list[bytes]:
    """Return a ring, one with names, ids and features, one with weights, and one with types."""
    ring = as_csr(nx.cycle_graph(4))
    named = {"feature_names": tuple("abcd"), "features": np.eye(4, dtype=np.float32)}
    graphs = [ring, dataclasses.replace(ring, node_ids=np.array(["a", "é", "c", "dd"]), **named)]
    graphs += [dataclasses.replace(ring, weights=np.full(8, 0.5, np.float32))]
    graphs += [as_csr(_typed_graph(), relation="kind")]
    return [_written("g.graph", lambda path, g=graph: write_graph(path, g)) for graph in graphs]


def _typed_graph() -> nx.MultiDiGraph:
    graph = nx.MultiDiGraph()
    for u, v, kind in ((0, 1, "+"), (1, 0, "+"), (1, 2, "+"), (1, 2, "-")):
        graph.add_edge(u, v, kind=kind, since=1.5)
    return graph


def networkx_files(write: Callable[[nx.Graph, Any], object]) -> Callable[[], list[bytes]]:
    """Return what NetworkX writes of a path with attributes, and of typed edges."""
    path = nx.path_graph(3)
    nx.set_node_attributes(path, {0: "x", 1: "y", 2: "z"}, "a")
    return lambda: [
        _written("g", lambda file, graph=graph: write(graph, file))
        for graph in (path, _typed_graph())
    ]


def json_files() -> list[bytes]:
    """Return what NetworkX writes as JSON in three forms, and what others write."""
    graphs, forms = (nx.path_graph(3), _typed_graph()), (nx.node_link_data, nx.cytoscape_data)
    records = [form(graph) for graph in graphs for form in (*forms, nx.adjacency_data)]
    return [json.dumps(record).encode() for record in records] + [
        text.encode() for text in JSON_FILES
    ]


def matrix_market_files() -> list[bytes]:
    """Return a pattern, weights, and an array."""
    ring = nx.to_scipy_sparse_array(nx.cycle_graph(4), dtype=float)
    pattern = saved(scipy.io.mmwrite, ring, field="pattern")
    return [pattern, saved(scipy.io.mmwrite, 2.5 * ring), saved(scipy.io.mmwrite, ring.toarray())]


def dgl_files() -> list[bytes]:
    """Return graphs with labels, features and weights."""
    nodes = {"feat": np.ones((3, 2), np.float32), "label": np.array([0, 1, 0])}
    graphs = [
        TypedGraph.of_one_type((source, (source + 1) % 3), 3, nodes, {"weight": source + 0.5})
        for source in (np.arange(3), np.arange(2))
    ]
    labels = {"labels": np.array([0, 1])}
    labelled = _written("g.bin", lambda path: write_dgl_graphs(path, graphs, labels))
    return [labelled]


def npz_files() -> list[bytes]:
    """Return a matrix of SciPy."""
    matrix = sp.csr_matrix(np.eye(3, k=1))
    return [saved(sp.save_npz, matrix, compressed=False)]


def edge_parquets() -> list[bytes]:
    """Return integer ids, and text ids with weights or relations."""
    text = {"u": ["a", "b", "é"], "v": ["b", "é", "a"], "weight": [0.5, 1.0, 2.0]}
    typed = {"head": ["a", "b"], "relation": ["is", "has"], "tail": ["b", "c"]}
    tables = [pa.table({"source": [0, 1, 2], "target": [1, 2, 0]}), pa.table(text), pa.table(typed)]
    return [saved(lambda file, table=table: pq.write_table(table, file)) for table in tables]


def tu_folders() -> list[bytes]:
    """Return two graphs with labels, some with attributes or labels of edges."""
    files = {"A": "1, 2\n2, 1\n3, 4\n4, 3\n", "graph_indicator": "1\n1\n2\n2\n"}
    files |= {"graph_labels": "1\n-1\n", "node_labels": "0\n1\n0\n2\n"}
    folder = {f"T_{name}.txt": text.encode() for name, text in files.items()}
    folder["README.txt"] = b"Node labels:\n  0  C\n  1  N\n  2  O\n"
    attributes = {"T_node_attributes.txt": b"0.5, 1\n1, 2\n-1, 3\n1e3, 4\n"}
    edges = {"T_edge_labels.txt": b"0\n0\n1\n1\n", "T_edge_attributes.txt": b"1\n1\n2\n2\n"}
    return [pack(folder), pack({**folder, **attributes}), pack({**folder, **edges})]


# of formats, beside their examples in `tests/data/readings`
_MORE: dict[str, Callable[[], list[bytes]]] = {
    "edges": lambda: _encoded(EDGE_LISTS),
    "csv": lambda: _encoded(EDGE_CSVS),
    "parquet": edge_parquets,
    "matrix": lambda: _encoded(ADJACENCY_TABLES),
    "folder": graph_folders,
    "graphml": networkx_files(nx.write_graphml),
    "gml": networkx_files(nx.write_gml),
    "gexf": networkx_files(nx.write_gexf),
    "pajek": lambda: _encoded(PAJEK_FILES),
    "json": json_files,
    "mtx": matrix_market_files,
    "sif": lambda: _encoded(("a pp b c\nd\n", "a b\tp p\tc\nc\tp p\ta b\n")),
    "adjlist": lambda: _encoded(("0 1 2\n1 2\n3\n", "#x\n# GMT Sun Nov 1\n#\na b\nb\n")),
    "ncol": lambda: _encoded(("a b 2.5\nb c 1\n", "# c\na b\nb a\n")),
    "lgl": lambda: _encoded(("# a\nb 1\n# d\n", "# a\nb\nc\n")),
    "graph6": lambda: _encoded((">>graph6<<IheA@GUAo\n", "Bg\nCh\n:Bd\n")),
    "sparse6": lambda: _encoded((">>sparse6<<:I`ES@obGkqegW~\n", ":Bd\n:Bd\n")),
    "dimacs": lambda: _encoded(DIMACS_FILES),
    "dgl": dgl_files,
    "npz": npz_files,
    "tu": tu_folders,
}


def of_format(row: Format) -> list[bytes]:
    """The examples of a format, and more where there are some."""
    paths = [path for path in sorted(READINGS.iterdir()) if path.suffix not in (".py", ".gz")]
    files = [InputFile(path) for path in paths if path.name != "__pycache__"]
    examples = [file.path for file in files if find_format(file, ColumnChoice()) is row]
    return [*map(_content, examples), *_MORE.get(row.name, list)()]


def _encoded(texts: Sequence[str]) -> list[bytes]:
    return [text.encode() for text in texts]


def feature_arrays() -> list[bytes]:
    """Return arrays of several types."""
    return [saved(np.save, values) for values in (np.arange(4), np.ones((2, 4), ">f8").T)]


def settings_files() -> list[bytes]:
    """Return what a mining run writes, and a short one."""
    full = RunSettings().to_toml()
    short = '[graph]\npath = "g"\n[miner]\nnull = ["degree"]\n'
    short += "[kernel]\nnum_levels = 1\ntau = [1, 0.5]\n"
    return [full.encode(), short.encode()]


@cache
def run_folders() -> list[bytes]:
    """Return a mining run and its fitted miner."""
    rings = nx.disjoint_union_all([nx.cycle_graph(4)] * 8)
    miner = PatternMiner(pattern_size="4-4", null_samples=99)
    recovery = compare_with_truth(miner.fit(rings).patterns_, json.loads(json.dumps(TRUTH)))
    run = MiningRun.of(miner, rings, recovery=recovery)

    def write(path: Path) -> None:
        path.mkdir()
        write_run(MINE, path, run_of_mining(run))

    return [_written("run", write)]


def occurrence_files() -> list[bytes]:
    """Return integer and text ids."""
    path, files = Structure.parse("a--b, b--c"), []
    for ids in ((0, 1, 2), ("a", "é", "c")):
        patterns = [
            Pattern(path, Occurrences.of([Occurrence(ids)] * count, 3), id=number)
            for number, count in enumerate(COUNTS)
        ]
        files.append(saved(lambda file, found: occurrence_table(found).write_to(file), patterns))
    return files


@cache
def train_folders() -> list[bytes]:
    """Return what a training run leaves."""
    ring, path_of_two = (np.arange(3), np.array([1, 2, 0])), (np.arange(2), np.arange(1, 3))
    graphs = [TypedGraph.of_one_type(ends, 3, {}, {}) for ends in (ring, path_of_two)] * 10
    options = {"num_epochs": 1, "num_filters": 2, "filter_size": 3, "split": (0.6, 0.2, 0.2)}
    options |= {"num_levels": 1, "init": "random"}

    def write(path: Path) -> None:
        path.mkdir()
        file = path / "graphs.bin"
        write_dgl_graphs(file, graphs, {"labels": np.arange(20) % 2})
        settings = ClassifierSettings().override({**options, "path": str(file)})
        run = TRAIN.make(settings, TrainingInputs(read_training_data(settings.data)), Work())
        write_run(TRAIN, path, run)

    return [_written("train", write)]
