"""GraphML, GML, GEXF, Pajek, node-link JSON and SciPy's ``.npz`` → graphs, read by their libraries.

What the readers of NetworkX let pass is refused here: document types and entities, with which a
small file can expand without bound; several graphs, or several lists of edges, in one file.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.parsers.expat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
from networkx.readwrite.gexf import GEXFReader
from networkx.readwrite.graphml import GraphMLReader

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import GraphContent
from gomkcn_dgl.graph_objects import from_matrix, from_networkx, node_names
from gomkcn_dgl.runtime.files import parse_json, read_bytes, reason_of

# attribute that holds what a node is called in the formats below
_LABEL, _LABELLED = "label", ("gml", "gexf")
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_GRAPHML_HEADER = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
_PAJEK_SECTIONS = ("*network", "*vertices", "*arcs", "*edges", "*matrix")


def read_networkx_file(path: Path, format: str) -> GraphContent:
    """Read a file of one of :data:`NETWORKX_FORMATS`.

    Edges have a direction if the file says so. Nodes are called by their labels, where each has one
    of its own, or else by their ids. Unless features are named, the constant 1 is the only
    feature, even when an attribute is called ``feat``.
    """
    data = read_bytes(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            graph = NETWORKX_FORMATS[format](data)
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
    _scan_xml(data)
    reader = GraphMLReader(force_multigraph=True)
    (graph,) = reader(string=data.replace(b"<graphml>", _GRAPHML_HEADER, 1))
    return _with_defaults(graph)


def _parse_gexf(data: bytes) -> nx.Graph:
    _scan_xml(data)
    return _with_defaults(GEXFReader()(io.BytesIO(data)))


def _scan_xml(data: bytes) -> None:
    """Refuse malformed XML with its line, declarations of entities, and several graphs."""
    parser = xml.parsers.expat.ParserCreate()
    num_graphs = 0

    def refuse(*_: Any) -> None:
        raise InputError(
            f"line {parser.CurrentLineNumber}: document types and entities are refused, for "
            "safety; remove the declaration."
        )

    def count(tag: str, _: Any) -> None:
        nonlocal num_graphs
        num_graphs += tag.rpartition(":")[2] == "graph"

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.StartElementHandler = count
    try:
        parser.Parse(data, True)
    except xml.parsers.expat.ExpatError as error:
        reason = xml.parsers.expat.errors.messages[error.code]
        raise InputError(f"line {error.lineno}: the XML is malformed ({reason}).") from None
    if num_graphs != 1:
        raise InputError(f"the file must hold one <graph>, got {num_graphs}.")


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


NETWORKX_FORMATS: dict[str, Callable[[bytes], nx.Graph]] = {
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
        matrix = sp.load_npz(io.BytesIO(data)).tocsr()
        matrix.check_format(full_check=True)
        if matrix.dtype.kind not in "biuf":
            raise ValueError(f"data is {matrix.dtype}")
    except Exception as error:
        raise InputError(
            f"the file must be one that scipy.sparse.save_npz writes ({reason_of(error)})."
        ) from None
    return replace(from_matrix(matrix), owner="the file")
