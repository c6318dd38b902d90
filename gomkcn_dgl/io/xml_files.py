"""GraphML and GEXF, read by NetworkX after what it loses was put right in the XML.

Several graphs, two nodes of one id, and ends without a node are refused.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import networkx as nx
from networkx.readwrite.gexf import GEXFReader
from networkx.readwrite.graphml import GraphMLReader

from gomkcn_dgl.checks import is_nan
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice, GraphContent
from gomkcn_dgl.graph_objects import from_records
from gomkcn_dgl.io.foreign_files import OWNER, reads_bytes, take_types
from gomkcn_dgl.io.table_form import is_number
from gomkcn_dgl.runtime.files import printable

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
# of drawings of yEd, within GraphML
_YED = "yworks.com"
# types of values that NetworkX knows, and others that are such
_TYPES = ("boolean", "int", "long", "float", "double", "string")
_GEXF_TYPES = ("boolean", "integer", "long", "float", "double", "string", "liststring", "anyURI")
_NUMBERS = {
    "integer": "int",
    "short": "int",
    "int32_t": "int",
    "int64_t": "long",
    "bool": "boolean",
}
# the key of a parallel edge of NetworkX, while the file is read
_KEY = "key of networkx"
# what TinkerPop and Cytoscape call the types of edges
_TYPES_OF_EDGES = ("labelE", "shared interaction")
_GEXF, _VIZ = "http://www.gexf.net/1.2draft", "http://www.gexf.net/1.2draft/viz"


@reads_bytes("GRAPHML")
def read_graphml(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a GraphML file; ``choice.directed`` is for edges that differ."""
    root = fromstring(data)
    for element in root.iter():
        space, name = _split(element)
        # the namespace with another prefix, or left out
        if _YED not in space:
            element.tag = f"{{{_GRAPHML}}}{name}"
    graph = _only_graph(root, _GRAPHML)
    notes = _complete_keys(root)
    default = graph.get("edgedefault") == "directed"
    way_of = {"true": True, "false": False}
    edges = list(graph.iter(f"{{{_GRAPHML}}}edge"))
    has_way = [way_of.get(edge.attrib.pop("directed", ""), default) for edge in edges]
    # what Neo4j calls the type of an edge, beside an attribute of the same name
    labels = [edge.attrib.pop("label", None) for edge in edges]
    names = _number_edges(edges)
    graph.set("edgedefault", "directed")
    reader = GraphMLReader(force_multigraph=True)
    read = reader.make_graph(graph, *reader.find_graphml_keys(root))
    more = {"key": names, "label": labels}
    held = {name for *_, record in read.edges(data=True) for name in record}
    of_types = next((name for name in _TYPES_OF_EDGES if name in held), "")
    of_types = "label" if any(labels) else of_types
    content = _content(read, has_way or default, more, of_types, choice)
    return replace(content, notes=notes)


@reads_bytes("GEXF", ("label",))
def read_gexf(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a GEXF file; ``choice.directed`` is for edges that differ in direction."""
    root = fromstring(data)
    for element in root.iter():
        space, name = _split(element)
        element.tag = f"{{{_VIZ if 'viz' in space else _GEXF}}}{name}"
    graph = _only_graph(root, _GEXF)
    notes = _complete_attributes(graph)
    default = graph.get("defaultedgetype", "undirected")
    types = [edge.get("type", default) for edge in graph.iter(f"{{{_GEXF}}}edge")]
    for parent in list(graph.iter(f"{{{_GEXF}}}edges")):
        _expand_mutual(parent, default, "directed" in types)
    edges = list(graph.iter(f"{{{_GEXF}}}edge"))
    has_way = [edge.attrib.pop("type", default) == "directed" for edge in edges]
    # NetworkX knows neither kinds nor, apart from keys, ids
    kinds = [edge.get("kind") for edge in edges]
    names = _number_edges(edges)
    graph.set("defaultedgetype", "directed")
    reader = GEXFReader(node_type=str)
    reader.simple_graph = False
    read = reader.make_graph(graph)
    records = [record for *_, record in read.edges(data=True)]
    is_weighted = any("weight" in record for record in records)
    for record in records:
        del record["id"]
        # numbers tell parallel edges apart, and say nothing
        if isinstance(key := record.pop(_KEY, None), str):
            record["key"] = key
        # what the format says of an edge that has none
        if is_weighted:
            record.setdefault("weight", 1.0)
    more = {"key": names, "kind": kinds}
    of_types = "kind" if any(kinds) else ""
    content = _content(read, has_way or default == "directed", more, of_types, choice)
    return replace(content, notes=notes)


def _split(element: Element) -> tuple[str, str]:
    """Namespace and name of an element."""
    space, _, name = element.tag.rpartition("}")
    return space.lower(), name


def _only_graph(root: Element, space: str) -> Element:
    """The one graph of a file, whose nodes and ends are as they must be."""
    graphs = list(root.iter(f"{{{space}}}graph"))
    if len(graphs) != 1:
        raise InputError(f"the file must hold one <graph>, got {len(graphs)}.")
    ids = set()
    for node in graphs[0].iter(f"{{{space}}}node"):
        name = node.get("id")
        if name is None or name in ids:
            what = "one without" if name is None else f"two of {printable(name)!r}"
            raise InputError(f"each node must have an id of its own, got {what}.")
        ids.add(name)
    for edge in graphs[0].iter(f"{{{space}}}edge"):
        for end in ("source", "target"):
            name = edge.get(end)
            if name not in ids:
                got = "none" if name is None else repr(printable(name))
                raise InputError(f"the {end} of an edge must be the id of a node, got {got}.")
    return graphs[0]


def _complete_keys(root: Element) -> tuple[str, ...]:
    """Give keys the name that is optional; refuse two of one name, of which one would be lost.

    Types of other tools, such as the vectors of graph-tool, are read as text, which the notes say.
    """
    seen: dict[tuple[str, str], str] = {}
    types: dict[str, str] = {}
    notes = _declare_keys(root)
    for key in root.iter(f"{{{_GRAPHML}}}key"):
        name = key.get("attr.name")
        kind = key.get("for", "all")
        if name is None and key.get("yfiles.type") is None:
            name = key.get("id", "")
            key.set("attr.name", name)
        if (name_of_key := key.get("id", "")) in types:
            raise InputError(f"each key must have an id of its own, got two of {name_of_key!r}.")
        types[name_of_key] = "string"
        for default in list(key):
            # the text "None", for NetworkX
            if not default.text:
                key.remove(default)
        if name is None:
            continue
        kind_of_value = key.get("attr.type", "string")
        kind_of_value = _NUMBERS.get(kind_of_value, kind_of_value)
        if kind_of_value not in _TYPES:
            notes.append(f"{name} is read as text, not as {kind_of_value}")
            kind_of_value = "string"
        key.set("attr.type", kind_of_value)
        types[name_of_key] = kind_of_value
        for other in ("node", "edge", "all") if kind == "all" else (kind, "all"):
            if (name, other) in seen:
                raise InputError(
                    f"each key must have a name of its own, got {name!r} for the keys "
                    f"{seen[name, other]!r} and {key.get('id')!r}; rename one of them."
                )
        seen[name, kind] = name_of_key
    for parent in root.iter():
        # a number that is missing
        for data in parent.findall(f"{{{_GRAPHML}}}data"):
            is_empty = not len(data) and not (data.text or "").strip()
            if is_empty and types.get(data.get("key", ""), "string") != "string":
                parent.remove(data)
    return tuple(notes)


def _declare_keys(root: Element) -> list[str]:
    """Declare the keys of a file that declares none, as Neo4j writes it; note how.

    Where a file declares some, one that is not there is a fault.
    """
    if root.find(f"{{{_GRAPHML}}}key") is not None:
        return []
    texts: dict[str, list[str]] = {}
    for data in root.iter(f"{{{_GRAPHML}}}data"):
        texts.setdefault(data.get("key", ""), []).append(data.text or "")
    notes = []
    for name, values in texts.items():
        kind = "double" if all(map(is_number, values)) else "string"
        root.insert(0, Element(f"{{{_GRAPHML}}}key", {"id": name, "attr.type": kind}))
        what = "numbers" if kind == "double" else "text"
        notes.append(f"{printable(name)} is read as {what}, since the file declares no types")
    return notes


def _complete_attributes(graph: Element) -> tuple[str, ...]:
    """Give types that NetworkX does not know as text, which the notes say."""
    # what the format says where nothing is said; dates are text to NetworkX
    if graph.get("timeformat", "double") not in ("integer", "double"):
        graph.set("timeformat", "string")
    graph.set("timeformat", graph.get("timeformat", "double"))
    notes = []
    for attribute in graph.iter(f"{{{_GEXF}}}attribute"):
        kind = attribute.get("type", "string")
        if kind not in _GEXF_TYPES:
            notes.append(f"{attribute.get('title')} is read as text, not as {kind}")
            kind = "string"
        attribute.set("type", kind)
        # which NetworkX would take for the number of the edge
        if attribute.get("title") == "networkx_key":
            attribute.set("title", _KEY)
        attribute.set("title", attribute.get("title", attribute.get("id", "")))
    return tuple(notes)


def _expand_mutual(parent: Element, default: str, has_directed: bool) -> None:
    """An edge both ways is two among edges with a direction, and else one without."""
    for edge in list(parent):
        if edge.get("type", default) == "mutual":
            edge.set("type", "directed" if has_directed else "undirected")
            if has_directed:
                parent.append(back := copy.deepcopy(edge))
                back.set("source", edge.get("target", ""))
                back.set("target", edge.get("source", ""))


def _number_edges(edges: list[Element]) -> list[str | None]:
    """Number the edges, since NetworkX merges parallel ones of one id; return ids that are types.

    Ids that are numbers, or differ everywhere, say nothing about an edge.
    """
    names = [edge.get("id") for edge in edges]
    for number, edge in enumerate(edges):
        edge.set("id", str(number))
    given = [name for name in names if name is not None]
    if len(set(given)) == len(given) or all(name.lstrip("-").isdigit() for name in given):
        return [None] * len(edges)
    return names


def _content(
    graph: nx.MultiDiGraph,
    has_way: bool | list[bool],
    more: dict[str, list[str | None]],
    of_types: str,
    choice: ColumnChoice,
) -> GraphContent:
    """Read what NetworkX has read; ``more`` are attributes that it does not know, by the edge.

    ``of_types`` is the attribute that holds the types of edges by the format, if there are any.
    """
    ids = list(graph.nodes)
    row_of = {name: row for row, name in enumerate(ids)}
    listed = sorted(graph.edges(data=True, keys=True), key=lambda edge: int(edge[2]))
    for *_, number, record in listed:
        for name, values in more.items():
            if values[int(number)] is not None:
                record.setdefault(name, values[int(number)])
    nodes = list(_records(graph, "node", graph.nodes.values()))
    edges = list(_records(graph, "edge", (record for *_, record in listed)))
    ends = [row_of[edge[0]] for edge in listed], [row_of[edge[1]] for edge in listed]
    types = take_types(edges, of_types, choice) if of_types else None
    return from_records(OWNER, ids, nodes, ends, edges, has_way, types, choice.directed)


def _records(graph: nx.Graph, kind: str, records: Any) -> Iterator[dict[str, Any]]:
    """Attributes with the default values that the file declares.

    A number that is none is a gap of a node: igraph writes one so. That of an edge stays, so that
    a weight that is missing is seen where weights are used.
    """
    defaults = graph.graph.get(f"{kind}_default", {})
    for record in records:
        values = {**defaults, **record}
        yield {
            name: value
            for name, value in values.items()
            if value is not None and not (kind == "node" and is_nan(value))
        }
