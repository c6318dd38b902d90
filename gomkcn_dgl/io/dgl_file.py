"""DGL ``.bin`` files ↔ graphs, read and written by DGL.

``dgl.load_graphs`` aborts the process on some damaged files (55 to 60 of 300 with a few bytes
changed, DGL 1.1.3). So a child process loads the file first, and the caller only what the child has
survived.
"""

from __future__ import annotations

import os
import struct
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import GraphContent, join_contents
from gomkcn_dgl.graph_objects import from_dgl
from gomkcn_dgl.runtime.files import atomic_write, read_bytes

if TYPE_CHECKING:
    import torch

_MAGIC = struct.pack("<Q", 0xDD2E4FF046B4A13F)
# nodes without edges and features take no room in a file, but in memory
_MAX_BARE_NODES = 2**20


@dataclass(frozen=True)
class DGLColumns:
    """Named arrays of a ``.bin``."""

    # the labels that dgl.save_graphs was given, each [G] or [G, …]
    graph_labels: dict[str, np.ndarray]
    # the node data that all graphs have, [V, …] over all of them
    node_data: dict[str, np.ndarray]
    num_graphs: int


def read_dgl(path: Path) -> GraphContent:
    """Read the graphs of a DGL ``.bin``; labels are ignored.

    Types of nodes and edges are kept as :func:`gomkcn_dgl.as_csr` does.
    """
    contents = _load(path)[1]
    if len(contents) == 1:
        return contents[0]
    return join_contents(contents, [f"graph {number}" for number in range(len(contents))])


def read_dgl_columns(path: Path) -> DGLColumns:
    """Read the graph labels of a DGL ``.bin`` and the node data that all graphs have."""
    labels, contents = _load(path)
    columns = {}
    # nodes of several types have no data in common
    tables = [content.nodes if content.node_type is None else {} for content in contents]
    for name in sorted(set.intersection(*map(set, tables))):
        parts = [to_numpy(table[name]) for table in tables]
        if len({part.shape[1:] for part in parts}) == 1:
            columns[name] = np.concatenate(parts)
    return DGLColumns(labels, columns, len(contents))


def write_dgl_graphs(
    path: str | os.PathLike[str], graphs: Sequence[Any], labels: torch.Tensor | None = None
) -> None:
    """Write DGLGraphs with their data, and the class of each graph, ``[G]``, as ``labels``."""
    path = Path(path)
    if path.suffix.lower() != ".bin":
        raise InputError(f"DGL graphs are written to a name that ends in .bin, got {path.name!r}.")
    atomic_write(path, dgl_bytes(graphs, labels))


def dgl_bytes(graphs: Sequence[Any], labels: torch.Tensor | None = None) -> bytes:
    """Return what DGL writes, which it can only write to a file."""
    from gomkcn_dgl._dgl import dgl

    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graphs.bin"
            dgl.save_graphs(str(file), list(graphs), None if labels is None else {"labels": labels})
            # where a disk fills up at the very end, DGL cuts the file short without an error
            _load(file)
            return file.read_bytes()
    except (dgl.DGLError, InputError, OSError) as error:
        # DGL puts a time and a trace of its calls around the reason
        reason = str(error).strip().splitlines()[0].rpartition("] ")[2]
        raise InputError(
            f"the folder for temporary files cannot take the graphs ({reason}); make room there, "
            "or name another in TMPDIR."
        ) from None


def _load(path: Path) -> tuple[dict[str, np.ndarray], list[GraphContent]]:
    """Return the graph labels and the graphs of a file."""
    data = read_bytes(path)
    if not data.startswith(_MAGIC):
        raise InputError("the file is not a DGL graph file; dgl.save_graphs writes one.")

    def load() -> tuple[dict[str, np.ndarray], list[GraphContent]]:
        graphs, labels = dgl.load_graphs(str(path))
        if not graphs:
            raise InputError("the file holds no graph.")
        if sum(graph.num_nodes() for graph in graphs) > _MAX_BARE_NODES + len(data):
            raise InputError("the file announces more nodes than it could hold.")
        contents = [from_dgl(graph) for graph in graphs]
        for content in contents:
            for table in (content.nodes, content.edges):
                # whatever reads past the end of an array does so here
                _ = [table[name] for name in table]
        return {name: to_numpy(values) for name, values in labels.items()}, contents

    from gomkcn_dgl._dgl import dgl

    if not _survives(load):
        raise InputError("the DGL file is damaged or cut off; DGL cannot load it.")
    return load()


def _survives(work: Callable[[], object]) -> bool:
    """Whether a child process does the work without a crash or an error of DGL's.

    Where the system cannot fork, the work is taken to be done.
    """
    if not hasattr(os, "fork"):
        return True
    with warnings.catch_warnings():
        # threads of torch and others, which the child does not use
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        # DGL writes the trace of a crash
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        code = 1
        try:
            work()
            code = 0
        except InputError:
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0
