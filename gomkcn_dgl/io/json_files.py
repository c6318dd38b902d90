"""Nodes and links in JSON, as NetworkX, D3, ECharts, Gephi, Graphology, vis.js and others write it.

No library reads more than its own form, and ``networkx.node_link_graph`` makes new nodes of ends
that are names or positions. So the forms are told by their keys:

| written by                      | nodes                        | edges                          |
|---------------------------------|------------------------------|--------------------------------|
| ``networkx.node_link_data``, D3 | nodes: id or name            | links or edges: source, target |
| ``networkx.adjacency_data``     | nodes: id                    | adjacency: a list for each     |
| Cytoscape, ``cytoscape_data``   | elements.nodes: data.id      | elements.edges: data.source    |
| ECharts                         | nodes or data: id, name      | links or edges: source, target |
| Gephi, Graphology               | nodes: id or key, attributes | edges: source, target          |
| vis.js                          | nodes: id, label             | edges: from, to                |
| JSON Graph Format               | graph.nodes: label, metadata | graph.edges: source, target    |

The JSON Graph Format has the type of an edge in ``relation``, and may have several ``graphs``;
Cytoscape has it in ``interaction``. A list of rows, as pandas writes records, is a table of edges.

What an end of a link names is told by all ends together: ids, keys, names or labels of nodes, or
else positions in their list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from json import JSONDecoder
from typing import Any

import numpy as np
import pyarrow as pa

from gomkcn_dgl.checks import is_nan
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import ColumnChoice, GraphContent, join_contents
from gomkcn_dgl.graph_objects import from_records
from gomkcn_dgl.io.edge_tables import from_edge_table
from gomkcn_dgl.io.foreign_files import OWNER, reads_bytes, take_types, with_names
from gomkcn_dgl.io.input_file import InputFile, as_utf8
from gomkcn_dgl.runtime.files import parse_json, printable, reason_of

_NODES, _LINKS = ("nodes", "data"), ("links", "edges")
_ENDS = (("source", "target"), ("from", "to"))
# what a node is called, in the order in which ends of links are looked for
_NAMES = ("id", "key", "name", "label")
# parts of a record that hold attributes
_INNER = ("data", "attributes", "metadata")
# files with a row in each line end so
ROWS_BY_LINE = (".jsonl", ".ndjson")
_RULE = (
    "a JSON file must hold nodes and links, as networkx.node_link_data, D3, ECharts, Gephi, "
    "Cytoscape.js and vis.js write them"
)


@reads_bytes("JSON")
def read_json(data: bytes, choice: ColumnChoice) -> GraphContent:
    """Read the bytes of a JSON file; ``choice.directed`` is for edges that differ in direction."""
    record = parse_json(as_utf8(data), parse_constant=float)
    graphs = record.get("graphs") if isinstance(record, dict) else None
    if not isinstance(graphs, list):
        return _read_graph(record, choice)
    contents = [_read_graph({"graph": graph}, choice) for graph in graphs]
    if len(contents) == 1:
        return contents[0]
    if not contents:
        raise InputError("a JSON file must hold a graph, got none.")
    contents = [with_names(content, ("name", "label")) for content in contents]
    joined = join_contents(contents, [f"graph {number}" for number in range(len(contents))])
    names = [graph.get("label", graph.get("id", "")) for graph in graphs]
    return replace(joined, graph_names=np.array(list(map(str, names))) if any(names) else None)


def _read_graph(record: Any, choice: ColumnChoice) -> GraphContent:
    """Read one graph in any of the forms."""
    found = _find_graph(record)
    # a number that is none is a gap of a node; of an edge it may be a weight, which is refused
    nodes = [
        {name: value for name, value in _flat(node).items() if not is_nan(value)}
        for node in found["nodes"]
    ]
    if "adjacency" in found:
        links = _listed_neighbours(nodes, found)
        by_id = True
    else:
        links = [_flat_link(link) for link in found["links"]]
        by_id = "elements" in record
    start, end = _end_names(links)
    names = ("id",) if by_id else _NAMES
    rows = _match_ends(
        nodes, [_id_of(link[name]) for name in (start, end) for link in links], names
    )
    source = rows[: len(links)]
    target = rows[len(links) :]
    default = _default_direction(found["record"])
    has_way = [_has_way(link, default) for link in links]
    for at, link in enumerate(links):
        # the arrow leads back
        if _heads(link) == {"from"}:
            source[at], target[at] = target[at], source[at]
    dropped = {start, end, "undirected", "directed"}
    # numbers of parallel edges
    if all(type(link.get("key", 0)) is int for link in links):
        dropped.add("key")
    edges = [{name: link[name] for name in link if name not in dropped} for link in links]
    name = found["types"]
    has_types = bool(name) and any(name in edge for edge in edges)
    types = take_types(edges, name, choice) if has_types else None
    ids = _take_ids(nodes)
    ends = source, target
    return from_records(OWNER, ids, nodes, ends, edges, has_way or default, types, choice.directed)


def _find_graph(record: Any) -> dict[str, Any]:
    """The part of a file that holds the graph, its nodes, and its links or lists of neighbours."""
    if isinstance(record, list) and record:
        # a list of elements of Cytoscape.js, each of which has data
        record = {"elements": record}
    if not isinstance(record, dict):
        raise InputError(f"{_RULE}, got {type(record).__name__}.")
    inner = record
    for name in ("elements", "graph"):
        part = record.get(name)
        if isinstance(part, dict) and "nodes" in part:
            inner = part
        if name == "elements" and isinstance(part, list):
            inner = _told_by_ends(part)
    series = record.get("series")
    if isinstance(series, list) and inner is record:
        graphs = [part for part in series if isinstance(part, dict) and _first(part, _LINKS)]
        if len(graphs) > 1:
            raise InputError(f"a JSON file must hold one graph, got {len(graphs)} series.")
        inner = graphs[0] if graphs else record
    # what holds the types of edges
    types = "interaction" if "elements" in record else ""
    # JSON Graph Format; its edges have a direction, and it may have none
    if inner is record.get("graph") and "links" not in inner:
        types = "relation"
        inner = {"directed": True, "edges": [], **inner}
    if inner.get("hyperedges"):
        raise InputError("edges of a JSON file must join two nodes, got hyperedges.")
    nodes = _first(inner, _NODES)
    links = _first(inner, _LINKS)
    if all(isinstance(inner.get(name), list) and inner[name] for name in _LINKS):
        raise InputError("a JSON file must hold links or edges, got both.")
    if "adjacency" in inner:
        links = "adjacency"
    if nodes is None or links is None:
        known = ", ".join(map(printable, list(record)[:8])) or "nothing"
        raise InputError(f"{_RULE}, got {known}.")
    found = inner[nodes]
    # and it names each node before its record
    if isinstance(found, dict):
        found = [
            {"id": name, **(_flat(node) if isinstance(node, dict) else {})}
            for name, node in found.items()
        ]
    for name, values in ((nodes, found), (links, inner[links])):
        if not isinstance(values, list):
            raise InputError(f"{name} of a JSON file must be a list, got {type(values).__name__}.")
    whole = inner if inner is record else {**record, **inner}
    part = "adjacency" if links == "adjacency" else "links"
    return {"record": whole, "nodes": found, part: inner[links], "types": types}


# ---------------------------------------------------------------- a table of rows


def holds_rows(file: InputFile) -> bool:
    r"""Whether a file is a list of rows, each of which has the names of its columns.

    Elements of Cytoscape.js have their values in ``data``. Only the first one is looked at.
    """
    head = file.head.decode("utf-8", "replace").lstrip("\ufeff \t\n")
    start = 1 if head[:1] == "[" else 0
    try:
        row, _ = JSONDecoder().raw_decode(head[start:].lstrip())
    # of no JSON, or a row that is longer than the head
    except (ValueError, RecursionError):
        return False
    is_row = isinstance(row, dict) and not isinstance(row.get("data"), dict)
    return is_row and (start == 1 or file.ending in ROWS_BY_LINE)


def read_rows(file: InputFile, choice: ColumnChoice) -> GraphContent:
    """Read a list of rows, or a row in each line, as a table of edges."""
    if file.ending in ROWS_BY_LINE:
        lines = [(f"line {at}", line) for at, line in enumerate(file.text.split(b"\n"), 1)]
        rows = [(place, _parsed(line, place)) for place, line in lines if line.strip()]
    else:
        found = _parsed(file.text, "the file")
        if not isinstance(found, list):
            raise InputError(f"a JSON file of rows must be a list, got {type(found).__name__}.")
        rows = [(f"row {at}", row) for at, row in enumerate(found, 1)]
    for place, row in rows:
        if not isinstance(row, dict):
            got = printable(repr(row))
            raise InputError("a record of values by column was expected", got=got, place=place)
    names = dict.fromkeys(name for _, row in rows for name in row)
    columns = [_as_column([row.get(name) for _, row in rows]) for name in names]
    return from_edge_table(pa.table(columns, list(names)), choice)


def _parsed(data: bytes, what: str) -> Any:
    try:
        return parse_json(data, parse_constant=float)
    except ValueError as error:
        raise InputError(f"{what} is not valid JSON ({reason_of(error)}).") from None


def _as_column(values: list[Any]) -> pa.Array:
    """Values of one type, or all as text; a number that is none is missing."""
    values = [None if is_nan(value) else value for value in values]
    try:
        return pa.array(values)
    # of several types, or integers of more than 64 bits
    except (pa.ArrowException, OverflowError, TypeError):
        return pa.array([None if value is None else str(value) for value in values])


def _told_by_ends(elements: list[Any]) -> dict[str, list[Any]]:
    """Nodes and edges of one list of Cytoscape.js; an edge has a source."""
    groups: dict[str, list[Any]] = {"nodes": [], "edges": []}
    for element in elements:
        if not isinstance(element, dict) or not isinstance(element.get("data"), dict):
            raise InputError(f"{_RULE}, got a list of {type(element).__name__}.")
        groups["edges" if "source" in element["data"] else "nodes"].append(element)
    return groups


def _first(record: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((name for name in names if name in record), None)


def _flat(node: Any) -> dict[str, Any]:
    """The attributes of a node, those of an inner part as well; a plain value is its id."""
    if not isinstance(node, dict):
        return {"id": _hashable(node)}
    flat = {}
    for name, value in node.items():
        if name in _INNER and isinstance(value, dict):
            flat.update({inner: _hashable(part) for inner, part in value.items()})
        elif value is not None:
            flat[name] = _hashable(value)
    return flat


def _flat_link(link: Any) -> dict[str, Any]:
    """The attributes of a link, which may be a pair of ends."""
    if isinstance(link, list) and len(link) == 2:
        return dict(zip(_ENDS[0], map(_hashable, link), strict=True))
    if not isinstance(link, dict):
        raise InputError(f"a link must have a source and a target, got {printable(repr(link))}.")
    return _flat(link)


def _hashable(value: Any) -> Any:
    """Lists as tuples, which NetworkX writes as lists."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _listed_neighbours(nodes: list[dict[str, Any]], found: dict[str, Any]) -> list[dict[str, Any]]:
    """Links of lists of neighbours, one for each node; one without direction is in two of them."""
    lists = found["adjacency"]
    one_way = _default_direction(found["record"])
    seen = set()
    if len(lists) != len(nodes):
        raise InputError(
            f"adjacency must have a list for each of the {len(nodes)} nodes, got {len(lists)}."
        )
    links = []
    for node, neighbours in zip(nodes, lists, strict=True):
        for link in map(_flat_link, neighbours):
            link = {**link, "source": node.get("id"), "target": link.get("id")}
            del link["id"]
            source, target, key = (_exact(link.get(name)) for name in (*_ENDS[0], "key"))
            if one_way or (target, source, key) not in seen:
                links.append(link)
            seen.add((source, target, key))
    return links


def _end_names(links: list[dict[str, Any]]) -> tuple[str, str]:
    """The names under which links keep their ends, which each of them must have."""
    pairs = [pair for pair in _ENDS if links and pair[0] in links[0]]
    start, end = pairs[0] if pairs else _ENDS[0]
    for number, link in enumerate(links, 1):
        if start not in link or end not in link:
            raise InputError(
                f"a link must have a {start} and a {end}, and link {number} has "
                f"{', '.join(map(printable, link)) or 'nothing'}."
            )
    return start, end


def _match_ends(nodes: list[dict[str, Any]], used: list[Any], names: Sequence[str]) -> list[int]:
    """Rows of the nodes that all ends of links name, by what matches all of them."""
    # 1. the very values of the nodes leave no doubt
    by_text = []
    for name in names:
        values = [node.get(name) for node in nodes]
        if name == "id" and None not in values:
            _refuse_twice(values)
        for key in (_exact, str):
            rows = {key(value): row for row, value in enumerate(values) if value is not None}
            if len(rows) == len(nodes):
                if key is _exact and all(key(value) in rows for value in used):
                    return [rows[key(value)] for value in used]
                if key is str:
                    by_text.append(rows)
    # 2. numbers can be ids that are text in the nodes, or positions; ECharts has names beside them
    found = [
        [rows[str(value)] for value in used]
        for rows in by_text
        if all(str(value) in rows for value in used)
    ][:1]
    can_be_rows = all(
        isinstance(end, str) or (type(end) is int and 0 <= end < len(nodes)) for end in used
    )
    if len(names) > 1 and can_be_rows:
        found += [
            [end if type(end) is int else rows[str(end)] for end in used]
            for rows in by_text or [{}]
            if all(type(end) is int or str(end) in rows for end in used)
        ][:1]
    if not found:
        rows = max(by_text, key=lambda rows: sum(str(end) in rows for end in used), default={})
        strange = [end for end in used if str(end) not in rows]
        # a number that is a position would be no surprise
        unknown = next((end for end in strange if end not in range(len(nodes))), strange[0])
        raise InputError(
            "each end of a link must be the id, the name or the position of a node, got "
            f"{printable(str(unknown))!r}."
        )
    if found[0] != found[-1]:
        raise InputError(
            f"the ends of links, such as {used[0]}, can be ids of nodes and positions in their "
            "list; write ids as text in the links, or as numbers in the nodes."
        )
    return found[0]


def _refuse_twice(ids: list[Any]) -> None:
    seen = set()
    for value in map(_exact, ids):
        if value in seen:
            raise InputError(
                f"each node must have an id of its own, got two of {printable(str(value[1]))!r}."
            )
        seen.add(value)


def _id_of(value: Any) -> Any:
    """The id of an end; D3 puts the nodes themselves in its place."""
    return value.get("id", value.get("name")) if isinstance(value, dict) else value


def _exact(value: Any) -> Any:
    """A value as a key that is equal only to values of its type."""
    # what stands in JSON may be a record
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return type(value), repr(value) if isinstance(value, (dict, tuple)) else value


def _take_ids(nodes: list[dict[str, Any]]) -> list[Any]:
    """Take the ids out of the records of nodes, or their keys; or else positions are ids."""
    for name in ("id", "key"):
        values = [node.get(name) for node in nodes]
        texts = {str(value) for value in values}
        if nodes and None not in values and len(texts) == len(values):
            for node in nodes:
                del node[name]
            floats = [value for value in values if isinstance(value, float)]
            whole = len(floats) == len(values) and all(map(float.is_integer, floats))
            return list(map(int, floats)) if whole else values
    return list(range(len(nodes)))


def _default_direction(record: Mapping[str, Any]) -> bool:
    """Whether edges that do not say so have a direction."""
    options = record.get("options")
    kind = options.get("type") if isinstance(options, dict) else None
    if kind is not None:
        # edges of a mixed graph of Graphology have one, unless they say that they have none
        return kind in ("directed", "mixed")
    default = record.get("directed", record.get("edgedefault", False))
    return default.lower() in ("directed", "true") if isinstance(default, str) else bool(default)


def _has_way(link: Mapping[str, Any], default: bool) -> bool:
    """Whether a link has a direction, as it may say itself."""
    if isinstance(link.get("undirected"), bool):
        return not link["undirected"]
    if isinstance(link.get("directed"), bool):
        return bool(link["directed"])
    kind = link.get("type")
    if isinstance(kind, str) and kind.lower() in ("directed", "undirected"):
        return kind.lower() == "directed"
    # what vis.js draws at the ends
    heads = _heads(link)
    return len(heads) == 1 if heads else default


def _heads(link: Mapping[str, Any]) -> set[str]:
    """The ends of a link of vis.js that have an arrow, by a text or a record."""
    arrows = link.get("arrows")
    if isinstance(arrows, str):
        return {"to", "from"} & set(arrows.replace(",", " ").split())
    if not isinstance(arrows, dict):
        return set()
    on = {name for name, arrow in arrows.items() if arrow and arrow != {"enabled": False}}
    return {"to", "from"} & on
