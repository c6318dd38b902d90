"""A GraphML file → a graph, checked by one pass of expat before NetworkX reads it.

The pass refuses document types and entity declarations, which can make a small file expand without
bound, and knows the line of everything it sees: NetworkX would add the unknown end of an edge as a
new node, and says no line for a bad value.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.parsers.expat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx as nx

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.tables import check_weight, line_error
from gomkcn_dgl.runtime.file_bytes import read_bytes, reason_of

WEIGHT = "weight"

_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_INTEGERS = ("int", "long", "integer")
_FLOATS = ("float", "double")
_BOOLEANS = ("true", "false", "0", "1")


def read_graphml(path: Path, features: Sequence[str] | None) -> CSRGraph:
    """Read a GraphML file with the named numeric node attributes as features."""
    data = read_bytes(path)
    outline = _Outline()
    outline.check(data)
    whole = all(_CANONICAL_INTEGER.fullmatch(node) for node in outline.nodes)
    try:
        # NetworkX warns about keys without a type, which it takes for text
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph = nx.read_graphml(io.BytesIO(data), node_type=int if whole else str)
    # NetworkX raises KeyError, ValueError and its own errors for what the pass let through
    except Exception as error:
        raise InputError(f"NetworkX cannot read the file ({reason_of(error)}).") from None
    _apply_defaults(graph)
    if features is None:
        # without names the constant 1 is used, even when an attribute is called feat
        for _, attributes in graph.nodes(data=True):
            attributes.clear()
    weighted = any(WEIGHT in attributes for _, _, attributes in graph.edges(data=True))
    return as_csr(graph, features=features, edge_weight=WEIGHT if weighted else None)


def _apply_defaults(graph: nx.Graph) -> None:
    """Give nodes and edges the default values of their keys, which NetworkX keeps aside."""
    for _, attributes in graph.nodes(data=True):
        attributes.update({**graph.graph.get("node_default", {}), **attributes})
    for _, _, attributes in graph.edges(data=True):
        attributes.update({**graph.graph.get("edge_default", {}), **attributes})


class _Outline:
    """The nodes, edges and values of a GraphML file, each with its line."""

    def __init__(self) -> None:
        self.nodes: dict[str, int] = {}
        self._edges: list[tuple[str, str, int]] = []
        self._graphs: list[int] = []
        self._types: dict[str, tuple[str, str]] = {}
        self._stack: list[str] = []
        self._key: str | None = None
        self._start = 0
        self._text: list[str] = []
        self._parser = xml.parsers.expat.ParserCreate()
        self._parser.StartElementHandler = self._start_element
        self._parser.EndElementHandler = self._end_element
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._refuse_declaration
        self._parser.EntityDeclHandler = self._refuse_declaration

    def check(self, data: bytes) -> None:
        """Go through the file once; raise at the first thing that is wrong."""
        try:
            self._parser.Parse(data, True)
        except xml.parsers.expat.ExpatError as error:
            what = xml.parsers.expat.errors.messages[error.code]
            raise InputError(f"line {error.lineno}: the XML is malformed ({what}).") from None
        except InputError:
            raise
        # an encoding that Python does not know or cannot use here
        except (LookupError, ValueError) as error:
            raise InputError(f"line 1: the XML cannot be decoded ({reason_of(error)}).") from None
        if len(self._graphs) != 1:
            raise InputError(f"a GraphML file must hold one <graph>, got {len(self._graphs)}.")
        for source, target, line in self._edges:
            for end in (source, target):
                if end not in self.nodes:
                    raise line_error(line, "an edge must join nodes of the file", end)

    def _refuse_declaration(self, *_: Any) -> None:
        line = self._parser.CurrentLineNumber
        raise InputError(
            f"line {line}: document types and entities are refused in GraphML, for safety; "
            "remove the declaration."
        )

    def _start_element(self, tag: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        name = tag.rsplit(":", 1)[-1]
        if name == "graph":
            self._graphs.append(line)
        elif name == "node":
            node = self._attribute(attributes, "id", name)
            if node in self.nodes:
                raise line_error(line, "a node must be listed once", node)
            self.nodes[node] = line
        elif name == "edge":
            ends = [self._attribute(attributes, end, name) for end in ("source", "target")]
            self._edges.append((ends[0], ends[1], line))
        elif name == "key":
            key = self._attribute(attributes, "id", name)
            kind = attributes.get("attr.type", "string")
            self._types[key] = (attributes.get("attr.name", key), kind)
        elif name == "data":
            self._key = self._attribute(attributes, "key", name)
            self._start = line
            self._text = []
        self._stack.append(name)

    def _attribute(self, attributes: dict[str, str], wanted: str, tag: str) -> str:
        if wanted not in attributes:
            line = self._parser.CurrentLineNumber
            raise InputError(f"line {line}: <{tag}> must have the attribute {wanted!r}.")
        return attributes[wanted]

    def _characters(self, text: str) -> None:
        if self._key is not None:
            self._text.append(text)

    def _end_element(self, tag: str) -> None:
        name = self._stack.pop()
        if name != "data" or self._key is None:
            return
        text, key, line = "".join(self._text), self._key, self._start
        self._key = None
        if key not in self._types:
            raise line_error(line, "the key of a value must be declared", key)
        attribute, kind = self._types[key]
        _check_value(line, attribute, kind, text)
        if attribute == WEIGHT and self._stack[-1:] == ["edge"]:
            if kind not in (*_INTEGERS, *_FLOATS):
                raise line_error(line, f"an edge weight must be a number, not a {kind}", text)
            check_weight(line, text)


def _check_value(line: int, name: str, kind: str, text: str) -> None:
    """Refuse a value that does not have the type that its key declares."""
    if kind in _INTEGERS:
        parse: Any = int
    elif kind in _FLOATS:
        parse = float
    elif kind == "boolean":
        parse = _BOOLEANS.index
        text = text.strip().lower()
    elif kind == "string":
        parse = str
    else:
        raise line_error(line, f"the type of {name!r} must be known", kind)
    try:
        parse(text)
    except ValueError:
        raise line_error(line, f"the value of {name!r} must be of type {kind}", text) from None
