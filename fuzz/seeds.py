"""Small valid files of every kind of graph and features that is read, made anew each time."""

from __future__ import annotations

import dataclasses
import gzip
import io
import pickle
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp
import torch
from mutate import pack

from gomkcn_dgl._dgl import dgl
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import write_dgl_graphs, write_graph
from gomkcn_dgl.storage.graph_folder import ARRAYS, write_graph_folder

EDGES = "0 1\n1 2\n2 3\n3 0\n"
# the files of each folder that is read
MEMBERS = {
    "tu": [
        f"T_{name}.txt"
        for name in ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes")
    ]
    + ["README.txt"],
    "planetoid": [
        f"ind.t.{part}" for part in ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
    ],
    "folder": [f"{name}.npy" for name in ARRAYS] + ["graph.json"],
}


def edge_lists() -> list[bytes]:
    """Integer and text ids, weights, comments."""
    texts = (EDGES, "# c\n10\t20 0.5\n20 30 1e3\n% d\n\n30 10 2\n", "a b\nb c # d\nc a\né a\n")
    return [text.encode() for text in texts]


def compressed() -> list[bytes]:
    """Edge lists as gzip files."""
    return [gzip.compress(data, mtime=0) for data in edge_lists()]


def edge_csvs() -> list[bytes]:
    """Plain and quoted cells, weights, other columns."""
    texts = (
        "source,target\n0,1\n1,2\n",
        "u,v,weight\n0,1,0.5\n1,2,3\n",
        'note,from,to\n"a, b",x,y\n"c\nd",y,z\n',
    )
    return [text.encode() for text in texts]


def edge_parquets() -> list[bytes]:
    """Integer and text ids, weights, dictionaries."""
    tables = (
        {"source": [0, 1, 2], "target": [1, 2, 0]},
        {"u": ["a", "b", "é"], "v": ["b", "é", "a"], "weight": [0.5, 1.0, 2.0]},
    )
    found = []
    for columns, compression in zip(tables, ("none", "snappy"), strict=True):
        content = io.BytesIO()
        pq.write_table(pa.table(columns), content, compression=compression)
        found.append(content.getvalue())
    return found


def graph_folders() -> list[bytes]:
    """A plain graph, and one with all that a folder can hold."""
    ring = as_csr(nx.cycle_graph(4))
    whole = dataclasses.replace(
        ring,
        features=np.eye(4, dtype=np.float32),
        feature_names=("a", "b", "c", "d"),
        weights=np.full(8, 0.5, np.float32),
        node_ids=np.array(["a", "é", "c", "dd"]),
    )
    found = []
    for graph in (ring, whole):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "ring.graph"
            write_graph_folder(folder, graph)
            found.append(pack({path.name: path.read_bytes() for path in folder.iterdir()}))
    return found


def graphmls() -> list[bytes]:
    """Node attributes of several types, weights, text ids, a directed graph."""
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 0.5, 1: 1.0, 2: -1.0}, "x0")
    nx.set_node_attributes(graph, True, "on")
    nx.set_edge_attributes(graph, 2.5, "weight")
    found = []
    for one in (graph, nx.DiGraph([("b", "a"), ("b", "c")])):
        content = io.BytesIO()
        nx.write_graphml_xml(one, content)
        found.append(content.getvalue())
    return found


def _graph_files(suffix: str) -> list[bytes]:
    ring = as_csr(nx.cycle_graph(4))
    featured = dataclasses.replace(
        ring, features=np.eye(4, dtype=np.float32), feature_names=("a", "b", "c", "d")
    )
    weighted = dataclasses.replace(ring, weights=np.full(8, 0.5, np.float32))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"graph{suffix}"
        found = []
        for graph in (ring, featured, weighted):
            write_graph(path, graph)
            found.append(path.read_bytes())
    return found


def npz_files() -> list[bytes]:
    """Of SciPy and of ours, with features, names and ids."""
    content = io.BytesIO()
    sp.save_npz(content, sp.csr_matrix(np.eye(3, k=1)), compressed=False)
    content_of_ours = io.BytesIO()
    np.savez(
        content_of_ours,
        indptr=np.array([0, 1, 2]),
        indices=np.array([1, 0]),
        data=np.ones(2),
        shape=np.array([2, 2]),
        format=np.array(b"csr"),
        features=np.eye(2),
        feature_names=np.array(["a", "b"]),
        node_ids=np.array(["x", "y"]),
    )
    return [content.getvalue(), content_of_ours.getvalue(), *_graph_files(".npz")]


def dgl_files() -> list[bytes]:
    """One graph and several, labels, features, weights, masks, compressed rows."""
    graphs = [dgl.graph(([0, 1, 2], [1, 2, 0])), dgl.graph(([0, 1], [1, 2])).formats("csr")]
    for graph in graphs:
        graph.create_formats_()
        graph.ndata["feat"] = torch.ones(3, 2)
        graph.ndata["label"] = torch.tensor([0, 1, 0])
        graph.edata["weight"] = torch.ones(graph.num_edges())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graphs.bin"
        write_dgl_graphs(path, graphs, torch.tensor([0, 1]))
        labelled = path.read_bytes()
    return [labelled, *_graph_files(".bin")]


def tu_folders() -> list[bytes]:
    """Two graphs with labels and attributes, and without."""
    files = {
        "T_A.txt": b"1, 2\n2, 1\n3, 4\n4, 3\n",
        "T_graph_indicator.txt": b"1\n1\n2\n2\n",
        "T_graph_labels.txt": b"1\n-1\n",
    }
    more = {
        "T_node_labels.txt": b"0\n1\n0\n2\n",
        "T_node_attributes.txt": b"0.5, 1\n1, 2\n-1, 3\n1e3, 4\n",
        "README.txt": b"Node labels:\n  0  C\n  1  N\n  2  O\n",
    }
    labels_alone = {name: data for name, data in more.items() if "attributes" not in name}
    return [pack(files), pack({**files, **more}), pack({**files, **labels_alone})]


def planetoid_folders() -> list[bytes]:
    """A set of six nodes; the public split validates on the nodes after the first two."""
    neighbours = {node: [(node + 1) % 6, (node - 1) % 6] for node in range(6)}
    eye = np.eye(2, dtype=np.float32)
    rows = sp.csr_matrix(np.ones((4, 3), np.float32))
    parts = {
        "x": rows[:2],
        "tx": rows[:2],
        "allx": rows,
        "y": eye,
        "ty": eye,
        "ally": np.concatenate([eye, eye]),
        "graph": neighbours,
    }
    files = {f"ind.t.{name}": _old_pickle(value) for name, value in parts.items()}
    return [pack({**files, "ind.t.test.index": b"4\n5\n"})]


def _old_pickle(value: object) -> bytes:
    """Pickle as the files of the field are, with the names that modules had then."""
    data = pickle.dumps(value, protocol=3)
    names = {b"scipy.sparse._csr": b"scipy.sparse.csr", b"numpy._core.": b"numpy.core."}
    for new, old in names.items():
        data = data.replace(new, old)
    return data


def feature_arrays() -> list[bytes]:
    """Of several types."""
    found = []
    for values in (np.ones((4, 2), np.float32), np.arange(4), np.ones((2, 4), ">f8").T):
        content = io.BytesIO()
        np.save(content, values)
        found.append(content.getvalue())
    return found


def feature_tables() -> list[bytes]:
    """With and without ids."""
    texts = ("a,b\n1,2\n3,4\n5,6\n7,8\n", 'id,"x, y"\n3,1\n2,1\n1,0.5\n0,1e3\n')
    return [text.encode() for text in texts]
