"""Files that libraries read: GraphML, GML, GEXF, Pajek, JSON, SciPy's ``.npz``, DGL's ``.bin``.

What the readers of NetworkX let pass is refused here: several graphs, or several lists of edges, in
one file.
``dgl.load_graphs`` aborts the process on some damaged files (55 to 60 of 300 with a few bytes
changed, DGL 1.1.3). So a child process loads the file first, and the caller only what the child has
survived.
"""

from __future__ import annotations

import io
import os
import re
import struct
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import GraphContent, join_contents
from gomkcn_dgl.graph_objects import from_dgl, from_matrix, from_networkx, node_names
from gomkcn_dgl.runtime.archives import load_arrays
from gomkcn_dgl.runtime.files import atomic_write, parse_json, read_bytes, reason_of

if TYPE_CHECKING:
    import torch

# attribute that holds what a node is called in the formats below
_LABEL, _LABELLED = "label", ("gml", "gexf")
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_GRAPH = re.compile(rb"<(?:\w+:)?graph[\s>/]")
_PAJEK_SECTIONS = ("*network", "*vertices", "*arcs", "*edges", "*matrix")
# names of graph labels that hold classes
_CLASS_LABELS = ("labels", "label")
# nodes of planted motifs, say
_NODE_MASK = "node_mask"
_MAGIC = struct.pack("<Q", 0xDD2E4FF046B4A13F)
# nodes without edges and features take no room in a file, but in memory
_MAX_BARE_NODES = 2**20


def read_networkx_file(path: Path, format: str) -> GraphContent:
    """Read a file of a format in ``_PARSERS``.

    Edges have a direction if the file says so. Nodes are called by their labels, where each has one
    of its own, or else by their ids. Unless features are named, the constant 1 is the only
    feature, even when an attribute is called ``feat``.
    """
    data = read_bytes(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            graph = _PARSERS[format](data)
        except InputError:
            raise
        # whatever else a damaged file leads a reader into
        except Exception as error:
            reason = f"unknown {error}" if isinstance(error, KeyError) else reason_of(error)
            raise InputError(f"the file is not valid {format.upper()} ({reason}).") from None
    names = _take_names(graph, format in _LABELLED)
    return replace(
        from_networkx(graph),
        owner="the file",
        default_features=(),
        node_ids=node_names(names),
        notes=tuple(dict.fromkeys(str(each.message) for each in caught)),
    )


def _take_names(graph: nx.Graph, labelled: bool) -> list[int | str]:
    """Names of the nodes: labels that differ, or else ids; as integers if all are."""
    names = list(graph.nodes)
    labels = [data.get(_LABEL) for data in graph.nodes.values()]
    if labelled and None not in labels and len(set(labels)) == len(labels):
        names = labels
        for data in graph.nodes.values():
            del data[_LABEL]
    texts = [str(name) for name in names]
    whole = all(_CANONICAL_INTEGER.fullmatch(text) for text in texts)
    return [int(text) for text in texts] if whole else names


def _parse_graphml(data: bytes) -> nx.Graph:
    _refuse_several(data)
    return _with_defaults(nx.read_graphml(io.BytesIO(data), force_multigraph=True))


def _parse_gexf(data: bytes) -> nx.Graph:
    _refuse_several(data)
    return _with_defaults(nx.read_gexf(io.BytesIO(data)))


def _refuse_several(data: bytes) -> None:
    """Refuse more than one graph, of which only the first would be read."""
    number = len(_GRAPH.findall(data))
    if number > 1:
        raise InputError(f"the file must hold one <graph>, got {number}.")


def _with_defaults(graph: nx.Graph) -> nx.Graph:
    """Give nodes and edges the default values that the file declares, and drop empty ones."""
    edges = [data for _, _, data in graph.edges(data=True)]
    for kind, records in (("node", list(graph.nodes.values())), ("edge", edges)):
        defaults = graph.graph.get(f"{kind}_default", {})
        for record in records:
            values = {**defaults, **record}
            record.clear()
            record.update({name: value for name, value in values.items() if value is not None})
    return graph


def _parse_gml(data: bytes) -> nx.Graph:
    text = data.decode("utf-8-sig")
    try:
        return nx.parse_gml(text, label="id")
    except nx.NetworkXError as error:
        # edges are listed twice in many files that do not say so
        if "is duplicated" not in str(error) or "multigraph" in text:
            raise
        several = re.sub(r"\bgraph\s*\[", lambda match: f"{match[0]} multigraph 1 ", text, count=1)
        return nx.parse_gml(several, label="id")


def _parse_pajek(data: bytes) -> nx.Graph:
    lines = [line for line in data.decode("utf-8-sig").splitlines() if not line.startswith("%")]
    headers = [line.split()[0].lower() for line in lines if line.startswith("*")]
    unknown = [header for header in headers if header not in _PAJEK_SECTIONS]
    edges = [header for header in headers if header in _PAJEK_SECTIONS[2:]]
    if unknown or len(edges) > 1 or headers.count("*vertices") != 1:
        raise InputError(
            "a Pajek file must hold *Vertices and one list of *Arcs, of *Edges or a *Matrix, got "
            f"{', '.join(headers)}; list edges without direction both ways among the arcs."
        )
    graph = nx.parse_pajek(lines)
    for attributes in graph.nodes.values():
        attributes.pop("id", None)
    return graph if edges == ["*arcs"] or edges == ["*matrix"] else nx.MultiGraph(graph)


def _parse_node_link(data: bytes) -> nx.Graph:
    record = parse_json(data)
    if not isinstance(record, dict) or not {"nodes"} < set(record) & {"nodes", "links", "edges"}:
        raise InputError("a JSON file must hold nodes and links, as networkx.node_link_data does.")
    edges = "links" if "links" in record else "edges"
    return nx.node_link_graph({**record, "graph": {}}, edges=edges)


_PARSERS: dict[str, Callable[[bytes], nx.Graph]] = {
    "graphml": _parse_graphml,
    "gml": _parse_gml,
    "gexf": _parse_gexf,
    "pajek": _parse_pajek,
    "json": _parse_node_link,
}


def read_npz(path: Path) -> GraphContent:
    """Read a SciPy matrix."""
    import scipy.sparse as sp

    data = read_bytes(path)
    # a damaged archive can raise nearly anything
    try:
        held = sum(values.nbytes for values in load_arrays(data).values())
        matrix = sp.load_npz(io.BytesIO(data))
        if max(matrix.shape) > _MAX_BARE_NODES + held:
            raise ValueError(f"it announces {max(matrix.shape):,} nodes, more than it could hold")
        matrix = matrix.tocsr()
        # of a matrix with less than no entry SciPy looks at no row
        if (matrix.indptr[1:] < matrix.indptr[:-1]).any():
            raise ValueError("indptr does not ascend")
        matrix.check_format(full_check=True)
        if matrix.dtype.kind not in "biuf":
            raise ValueError(f"data is {matrix.dtype}")
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"the file must be one that scipy.sparse.save_npz writes ({reason_of(error)})."
        ) from None
    return replace(from_matrix(matrix), owner="the file")


def read_dgl(path: Path) -> GraphContent:
    """Read the graphs of a DGL ``.bin``; labels are ignored.

    Types of nodes and edges are kept as :func:`gomkcn_dgl.as_csr` does.
    """
    contents = _load(path)[1]
    if len(contents) == 1:
        return contents[0]
    return join_contents(contents, [f"graph {number}" for number in range(len(contents))])


def read_dgl_classes(path: Path) -> np.ndarray | None:
    """Read the labels of a DGL ``.bin`` that have a row for each graph."""
    labels, contents = _load(path)
    found = [labels.get(name, np.empty(0)) for name in _CLASS_LABELS]
    return next((one for one in found if len(one) == len(contents)), None)


def read_dgl_node_mask(path: Path) -> np.ndarray | None:
    """Read the node data ``node_mask`` of a DGL ``.bin``, bool ``[V]``; None if no node has it.

    Values other than 0 and 1 are something else.
    """
    masks = []
    for content in _load(path)[1]:
        mask = to_numpy(content.nodes.get(_NODE_MASK, np.zeros(content.num_nodes, bool)))
        # DGL stores no bool
        if mask.shape != (content.num_nodes,) or not np.isin(mask, (0, 1)).all():
            return None
        masks.append(mask.astype(bool))
    whole = np.concatenate(masks)
    return whole if whole.any() else None


def write_dgl_graphs(
    path: str | os.PathLike[str], graphs: Sequence[Any], labels: torch.Tensor | None = None
) -> None:
    """Write DGLGraphs with their data, and the class of each graph, ``[G]``, as ``labels``."""
    from gomkcn_dgl._dgl import dgl

    path = Path(path)
    if path.suffix.lower() != ".bin":
        raise InputError(f"DGL graphs are written to a name that ends in .bin, got {path.name!r}.")
    try:
        # DGL can only write to a file
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graphs.bin"
            dgl.save_graphs(str(file), list(graphs), None if labels is None else {"labels": labels})
            # where a disk fills up at the very end, DGL cuts the file short without an error
            _load(file)
            data = file.read_bytes()
    except (dgl.DGLError, InputError, OSError) as error:
        # DGL puts a time and a trace of its calls around the reason
        reason = str(error).strip().splitlines()[0].rpartition("] ")[2]
        raise InputError(
            f"the folder for temporary files cannot take the graphs ({reason}); make room there, "
            "or name another in TMPDIR."
        ) from None
    atomic_write(path, data)


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
