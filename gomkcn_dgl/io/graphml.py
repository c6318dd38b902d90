"""GraphML files ↔ graphs.

The file is parsed here and not by NetworkX, which would add the unknown end of an edge as a new
node and names no line for a bad value. Document types and entity declarations, with which a small
file can expand without bound, are refused.
"""

from __future__ import annotations

import io
import re
import xml.parsers.expat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.edge_table import edge_frame, has_features
from gomkcn_dgl.io.tables import check_weight, line_error
from gomkcn_dgl.runtime.file_bytes import read_bytes, reason_of

_WEIGHT = "weight"
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_NUMBERS: dict[str, Any] = {"int": int, "long": int, "integer": int, "float": float}
_NUMBERS |= {"double": float}
_PARSERS = {**_NUMBERS, "string": str, "boolean": lambda text: _BOOLEANS[text.strip().lower()]}


@dataclass(eq=False)
class _Element:
    """An XML element: its tag, attributes, line, parent, text, and the values of a node or edge."""

    tag: str
    attributes: dict[str, str]
    line: int
    parent: _Element | None
    text: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> str:
        if name not in self.attributes:
            raise InputError(f"line {self.line}: <{self.tag}> must have the attribute {name!r}.")
        return self.attributes[name]


def read_graphml(path: Path, features: Sequence[str] | None) -> CSRGraph:
    """Read a GraphML file with the named numeric node attributes as features.

    Without names, every node gets the constant feature, even when an attribute is called ``feat``.
    """
    elements = _parse_xml(read_bytes(path))
    _check_structure(elements)
    _assign_values(elements, features or ())
    nodes = {element["id"]: element for element in elements if element.tag == "node"}
    edges = [element for element in elements if element.tag == "edge"]
    whole = all(_CANONICAL_INTEGER.fullmatch(node) for node in nodes)
    name_of = {node: int(node) if whole else node for node in nodes}
    (header,) = (element for element in elements if element.tag == "graph")
    directed = header.attributes.get("edgedefault") == "directed"
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(
        (name_of[node], {} if features is None else element.values)
        for node, element in nodes.items()
    )
    graph.add_edges_from(
        (name_of[edge["source"]], name_of[edge["target"]], edge.values) for edge in edges
    )
    weighted = any(_WEIGHT in edge.values for edge in edges)
    return as_csr(graph, features=features, edge_weight=_WEIGHT if weighted else None)


def graphml_bytes(graph: CSRGraph) -> bytes:
    """Return the content of a GraphML file, with the features as node attributes."""
    ids = graph.original_ids(np.arange(graph.num_nodes))
    result = nx.Graph()
    result.add_nodes_from(ids)
    if has_features(graph):
        for name, values in zip(ids, graph.features.tolist(), strict=True):
            result.nodes[name].update(zip(graph.feature_names, values, strict=True))
    for u, v, *weight in edge_frame(graph)[: graph.num_edges].itertuples(index=False):
        result.add_edge(u, v, **dict(zip((_WEIGHT,), map(float, weight), strict=False)))
    content = io.BytesIO()
    nx.write_graphml_xml(result, content)
    return content.getvalue()


def _parse_xml(data: bytes) -> list[_Element]:
    """Return all elements in the order of the file."""
    elements: list[_Element] = []
    ancestors: list[_Element] = []
    parser = xml.parsers.expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        parent = ancestors[-1] if ancestors else None
        element = _Element(tag.rpartition(":")[2], attributes, parser.CurrentLineNumber, parent)
        elements.append(element)
        ancestors.append(element)

    def end(_: str) -> None:
        ancestors.pop()

    def characters(text: str) -> None:
        ancestors[-1].text.append(text)

    def refuse_declaration(*_: Any) -> None:
        raise InputError(
            f"line {parser.CurrentLineNumber}: document types and entities are refused in GraphML, "
            "for safety; remove the declaration."
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.buffer_text = characters, True
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse_declaration
    try:
        parser.Parse(data, True)
    except xml.parsers.expat.ExpatError as error:
        reason = xml.parsers.expat.errors.messages[error.code]
        raise InputError(f"line {error.lineno}: the XML is malformed ({reason}).") from None
    except InputError:
        raise
    # an encoding that Python does not know or cannot use here
    except (LookupError, ValueError) as error:
        raise InputError(f"line 1: the XML cannot be decoded ({reason_of(error)}).") from None
    return elements


def _check_structure(elements: Sequence[_Element]) -> None:
    """Refuse several graphs, hyperedges, repeated nodes, and edges to unknown nodes."""
    num_graphs = sum(element.tag == "graph" for element in elements)
    if num_graphs != 1:
        raise InputError(f"a GraphML file must hold one <graph>, got {num_graphs}.")
    nodes: set[str] = set()
    for element in elements:
        if element.tag == "hyperedge":
            raise InputError(f"line {element.line}: hyperedges are not supported; remove them.")
        if element.tag == "node":
            if element["id"] in nodes:
                raise line_error(element.line, "a node must be listed once", element["id"])
            nodes.add(element["id"])
    for edge in (element for element in elements if element.tag == "edge"):
        for end in (edge["source"], edge["target"]):
            if end not in nodes:
                raise line_error(edge.line, "an edge must join nodes of the file", end)


def _assign_values(elements: Sequence[_Element], features: Sequence[str]) -> None:
    """Give each node and edge its values, and the default of each feature and of the weight."""
    keys = {element["id"]: element for element in elements if element.tag == "key"}
    defaults: dict[str, dict[str, Any]] = {"node": {}, "edge": {}}
    for element in elements:
        parent = element.parent
        if element.tag == "data" and parent is not None:
            key = keys.get(element["key"])
            if key is None:
                rule = "the key of a value must be declared"
                raise line_error(element.line, rule, element["key"])
            parent.values[_name(key)] = _parse_value(key, element, parent.tag)
        if element.tag == "default" and parent is not None and parent.tag == "key":
            kind = parent.attributes.get("for", "")
            if _name(parent) in {"node": features, "edge": (_WEIGHT,)}.get(kind, ()):
                defaults[kind][_name(parent)] = _parse_value(parent, element, kind)
    for element in elements:
        if element.tag in defaults:
            element.values = {**defaults[element.tag], **element.values}


def _name(key: _Element) -> str:
    return key.attributes.get("attr.name", key["id"])


def _parse_value(key: _Element, element: _Element, kind: str) -> Any:
    """Return the value of a ``node`` or ``edge`` as the type that its key declares."""
    name, text = _name(key), "".join(element.text)
    type_name = key.attributes.get("attr.type", "string")
    if type_name not in _PARSERS:
        raise line_error(element.line, f"the type of {name!r} must be known", type_name)
    try:
        value = _PARSERS[type_name](text)
    except (KeyError, ValueError):
        rule = f"the value of {name!r} must be of type {type_name}"
        raise line_error(element.line, rule, text) from None
    if kind == "edge" and name == _WEIGHT:
        if type_name not in _NUMBERS:
            rule = f"an edge weight must be a number, not a {type_name}"
            raise line_error(element.line, rule, text)
        check_weight(element.line, text)
    return value
