"""A folder in the TU text format → a collection of graphs, and its graph labels.

The format is a handful of text files that begin with the name of the set: ``NAME_A.txt`` (one
edge ``u, v`` a line, nodes counted from 1 over all graphs), ``NAME_graph_indicator.txt`` (the graph
of each node), and maybe ``NAME_node_labels.txt``, ``NAME_node_attributes.txt``,
``NAME_edge_labels.txt``, ``NAME_edge_attributes.txt`` and ``NAME_graph_labels.txt``. Edges have no
direction. DGL's own reader is not used, because it fails beside new versions of pandas and NumPy
and writes a cache into the folder. A README that lists what labels mean, as that of MUTAG does
("0  C"), gives them their names.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_content import NONE, ColumnChoice
from gomkcn_dgl.io.input_file import InputFile
from gomkcn_dgl.io.table_form import TableForm, rows_of
from gomkcn_dgl.io.tables import InputTable, is_int64, text_table
from gomkcn_dgl.messages import Argument, Message
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import listed, named

log = logging.getLogger("gomkcn_dgl")

_EDGES = "_A.txt"
_INDICATOR = "_graph_indicator.txt"
_FEATURES = {"attributes": "_node_attributes.txt", "labels": "_node_labels.txt"}
_EDGE_LABELS, _EDGE_ATTRIBUTES = "_edge_labels.txt", "_edge_attributes.txt"
_GRAPH_LABELS = "_graph_labels.txt"
# different labels, each of which becomes a column of features; more are names or numbers
_MAX_LABELS = 4096
# graphs without nodes that a note names, a line of them
_MOST_NAMED = 10
_READMES = ("README.txt", "readme.txt", "README.md", "{name}_label_readme.txt", "label_readme.txt")
# a line such as "0  C"; then the name, one word or a few
_NAMED_CODE = re.compile(r"(-?\d{1,19})(?:\s*[:=]\s*|\s+)(\S.{0,39})")
# of a text that says what labels mean; longer ones are papers
_MAX_README_BYTES = 1_000_000


def read_tu_folder(folder: Path, choice: ColumnChoice) -> CSRGraph:
    """Read the graphs of a TU folder; features are ``attributes``, ``labels`` or both.

    Edge labels are relations, unless ``choice.relation`` is "none"; edge attributes are not used.
    """
    prefix = find_tu_prefix(folder)
    numbers, graph_ptr = _read_graphs(prefix)
    num_nodes = int(graph_ptr[-1])
    edges = _read_edges(prefix, numbers, graph_ptr)
    features = choice.features
    present: list[str] = []
    if features is None:
        present = [kind for kind in _FEATURES if _file(prefix, _FEATURES[kind]).is_file()]
        features = present[:1]
    elif list(features) == [NONE]:
        features = []
    blocks = [_read_block(prefix, kind, num_nodes) for kind in features]
    for kind, (_, names) in zip(features, blocks, strict=True):
        log.info("features: %d columns from the node %s", len(names), kind)
    relation, relation_names = _read_relations(prefix, len(edges), choice.relation)
    is_choice = choice.features is None and len(present) > 1
    messages = _graphs_left_out(prefix, numbers)
    messages += _unused_files(prefix, features, relation is None, is_choice)
    for message in messages:
        log.info("%s", message)
    graph = csr_from_edges(
        edges[:, 0] - 1,
        edges[:, 1] - 1,
        num_nodes,
        features=np.concatenate([block for block, _ in blocks], axis=1) if blocks else None,
        feature_names=[name for _, names in blocks for name in names] if blocks else None,
        graph_ptr=graph_ptr,
        directed=bool(choice.directed),
        relation=relation,
        relation_names=relation_names,
    )
    return replace(graph, notes=(*(message.note for message in messages), *graph.notes))


def _read_relations(
    prefix: Path, num_edges: int, chosen: Any
) -> tuple[np.ndarray | None, list[str]]:
    """Return the edge labels, numbered, and their names; None where there are none."""
    if chosen not in (None, NONE):
        rule = f"of a TU folder must be {NONE!r} or left out"
        raise InputError("relation", rule, got=repr(chosen))
    if chosen == NONE or not _file(prefix, _EDGE_LABELS).is_file():
        return None, [PLAIN]
    labels, _ = _read(prefix, _EDGE_LABELS)
    if labels.shape != (num_edges, 1):
        raise InputError(
            f"{_file(prefix, _EDGE_LABELS).name} must have one label for each of the {num_edges} "
            "edges",
            got=f"the shape {labels.shape}",
            way_out=(Argument("relation", NONE), " leaves them out"),
        )
    codes, number = np.unique(labels[:, 0], return_inverse=True)
    meanings = _read_label_names(prefix, "edge labels")
    named = all(code in meanings for code in codes.tolist())
    names = [meanings[code] if named else f"edge={code}" for code in codes.tolist()]
    return number, names


def _unused_files(
    prefix: Path, features: Sequence[str], no_relations: bool, is_choice: bool
) -> tuple[Message, ...]:
    """Say which files of a set are not used, and that there is a choice of features."""
    unused = [ending for kind, ending in _FEATURES.items() if kind not in features]
    unused += [_EDGE_LABELS] * no_relations + [_EDGE_ATTRIBUTES]
    names = [path.name for path in (_file(prefix, ending) for ending in unused) if path.is_file()]
    both = (Argument("features", tuple(_FEATURES)), " takes the labels, too")
    fact = f"files that are not used: {listed(names)}"
    return (Message(fact, way_out=both if is_choice else ""),) if names else ()


def _graphs_left_out(prefix: Path, numbers: np.ndarray) -> tuple[Message, ...]:
    """Say which graphs have no nodes: numbers that are missing, and labels beyond the last."""
    last = numbers[-1]
    if _file(prefix, _GRAPH_LABELS).is_file():
        with named(_file(prefix, _GRAPH_LABELS)):
            last = max(last, sum(1 for _ in rows_of(*_open(prefix, _GRAPH_LABELS))))
    num_missing = int(last) - len(numbers)
    if not num_missing:
        return ()
    # the first few; a gap may be huge
    few = min(int(last), len(numbers) + _MOST_NAMED)
    first = np.setdiff1d(np.arange(1, few + 1), numbers)[:_MOST_NAMED].tolist()
    if num_missing == 1:
        sentence = f"graph {first[0]} has no nodes and is left out"
    else:
        more = ", …" if num_missing > len(first) else ""
        sentence = (
            f"{num_missing} graphs have no nodes and are left out: {', '.join(map(str, first))}"
        )
        sentence += more
    return (Message(f"{sentence}; the others are numbered anew"),)


def read_tu_classes(folder: Path) -> np.ndarray | None:
    """Read the code of the class of each graph of a TU folder, int64 ``[G]``, if it has some.

    Those of graphs without nodes are left out as their graphs are.
    """
    prefix = find_tu_prefix(folder)
    if not _file(prefix, _GRAPH_LABELS).is_file():
        return None
    codes, _ = _read(prefix, _GRAPH_LABELS)
    numbers, _ = _read_graphs(prefix)
    if len(codes) < numbers[-1] or codes.shape[1] != 1:
        raise InputError(
            f"{_file(prefix, _GRAPH_LABELS).name} must have one class for each of the "
            f"{numbers[-1]} graphs, got the shape {codes.shape}."
        )
    return codes[numbers - 1, 0]


def find_tu_prefix(folder: Path) -> Path:
    """Return ``folder/NAME`` for the one ``NAME_A.txt`` in a folder or one level below."""
    found = sorted(folder.glob("*" + _EDGES)) or sorted(folder.glob("*/*" + _EDGES))
    if len(found) != 1:
        names = ", ".join(str(path.relative_to(folder)) for path in found) or "none"
        raise InputError(f"a TU folder must hold one file NAME_A.txt, got {names}.")
    return found[0].with_name(found[0].name.removesuffix(_EDGES))


def _file(prefix: Path, ending: str) -> Path:
    return prefix.with_name(prefix.name + ending)


def _read(prefix: Path, ending: str, *, whole: bool = True) -> tuple[np.ndarray, InputTable]:
    """Read lines of comma-separated numbers, ``[rows, D]``, whole ones or any."""
    with named(_file(prefix, ending)):
        data, form = _open(prefix, ending)
        first = next(rows_of(data, form), None)
        if first is None:
            raise InputError("the file holds comments only, and no row.")
        table = text_table(data, replace(form, names=("",) * len(first.cells)))
        columns = range(len(table.names))
        values = [_integers(table, at) if whole else table.numbers(at) for at in columns]
    return np.stack(values, axis=1), table


def _open(prefix: Path, ending: str) -> tuple[bytes, TableForm]:
    return InputFile(_file(prefix, ending)).text, TableForm(",", marks="#%")


def _integers(table: InputTable, at: int) -> np.ndarray:
    values = table.integers(at)
    if values is None:
        cells = table.columns[at].to_pylist()
        row = next(row for row, cell in enumerate(cells) if not is_int64(cell))
        table.refuse(row, at, "an integer was expected")
    return values


def _line_error(prefix: Path, ending: str, table: InputTable, row: int, rule: str) -> InputError:
    return InputError(f"{_file(prefix, ending).name}: {table.place(row)}: {rule}.")


def _read_graphs(prefix: Path) -> tuple[np.ndarray, np.ndarray]:
    """The numbers in the file of the graphs that have nodes, and the first node of each.

    They are int64 ``[G]``, from 1, and ``[G + 1]``. A number that no node has is that of a graph
    without nodes.
    """
    indicator, table = _read(prefix, _INDICATOR)
    owner = indicator[:, 0]
    # each graph has its nodes in one run; the first number may be any from 1
    before = np.concatenate([[1], owner[:-1]])
    wrong = np.flatnonzero(owner < before)
    if len(wrong):
        rule = f"graphs must be numbered 1, 2, … in ascending order, got {owner[wrong[0]]}"
        raise _line_error(prefix, _INDICATOR, table, int(wrong[0]), rule)
    numbers, first = np.unique(owner, return_index=True)
    return numbers, np.append(first, len(owner)).astype(np.int64)


def _read_edges(prefix: Path, numbers: np.ndarray, graph_ptr: np.ndarray) -> np.ndarray:
    """Return the edges between nodes of one graph each, counted from 1, int64 ``[E, 2]``."""
    (edges, table) = _read(prefix, _EDGES)
    num_nodes = graph_ptr[-1]
    if edges.shape[1] != 2:
        rule = f"an edge must be 'u, v', got {edges.shape[1]} numbers"
        raise _line_error(prefix, _EDGES, table, 0, rule)
    outside = np.flatnonzero(((edges < 1) | (edges > num_nodes)).any(axis=1))
    if len(outside):
        u, v = edges[outside[0]]
        rule = f"nodes must be numbered 1 to {num_nodes}, got the edge {u}, {v}"
        raise _line_error(prefix, _EDGES, table, outside[0], rule)
    owner = np.searchsorted(graph_ptr, edges - 1, side="right")
    crossing = np.flatnonzero(owner[:, 0] != owner[:, 1])
    if len(crossing):
        graphs = numbers[owner[crossing[0]] - 1]
        rule = f"an edge must stay within one graph, got graphs {graphs[0]} and {graphs[1]}"
        raise _line_error(prefix, _EDGES, table, crossing[0], rule)
    return edges


def _read_block(prefix: Path, kind: str, num_nodes: int) -> tuple[np.ndarray, list[str]]:
    """Return node attributes, or node labels one-hot, ``[V, D]``, with the names of the columns."""
    if kind not in _FEATURES:
        raise InputError(
            "features", f"of a TU folder must be among {sorted(_FEATURES)}", got=repr(kind)
        )
    values, _ = _read(prefix, _FEATURES[kind], whole=kind != "attributes")
    file = _file(prefix, _FEATURES[kind]).name
    if len(values) != num_nodes:
        raise InputError(
            f"{file} must have one line for each of the {num_nodes} nodes, got {len(values)} lines."
        )
    if kind == "attributes":
        return values, [f"x{column}" for column in range(values.shape[1])]
    blocks = []
    names = []
    single = values.shape[1] == 1
    meanings = _read_label_names(prefix, "node labels") if single else {}
    for column in range(values.shape[1]):
        codes, position = np.unique(values[:, column], return_inverse=True)
        if len(codes) > _MAX_LABELS:
            raise InputError(
                f"{file} must have at most {_MAX_LABELS} different labels, which become one column "
                f"each, got {len(codes)}."
            )
        blocks.append(position[:, None] == np.arange(len(codes)))
        labels = codes.tolist()
        if all(code in meanings for code in labels):
            labels = [meanings[code] for code in labels]
        names += [f"{'label' if single else f'label{column}'}={label}" for label in labels]
    return np.concatenate(blocks, axis=1).astype(np.float32), names


def _read_label_names(prefix: Path, kind: str) -> dict[int, str]:
    """Return what a README beside the files says that labels mean; empty without one."""
    for name in _READMES:
        path = prefix.with_name(name.format(name=prefix.name))
        if path.is_file() and path.stat().st_size < _MAX_README_BYTES:
            names = _find_label_names(path.read_text(encoding="utf-8", errors="replace"), kind)
            if names:
                log.info("names of %s: taken from %s", kind, path.name)
                return names
    return {}


def _find_label_names(text: str, kind: str) -> dict[int, str]:
    """Find the list of codes and names after a line that starts with "node labels", say."""
    lines = iter(text.splitlines())
    if not any(line.strip().lower().startswith(kind) for line in lines):
        return {}
    names: dict[int, str] = {}
    for line in lines:
        entry = _NAMED_CODE.fullmatch(line.strip())
        if entry is not None and entry[2].isprintable() and int(entry[1]) not in names:
            names[int(entry[1])] = entry[2]
        elif entry is not None:
            return {}
        # words and blank lines may stand before the list, nothing within it
        elif names or line.startswith("="):
            break
    return names if len(set(names.values())) == len(names) else {}
