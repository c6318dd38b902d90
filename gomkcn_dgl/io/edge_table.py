"""Edges as files name them: rows of text → ids and weights; a graph → the text of its edges."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gomkcn_dgl.csr import CONSTANT_FEATURE, CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.tables import (
    check_weight,
    data_lines,
    decode,
    line_error,
)
from gomkcn_dgl.runtime.file_bytes import most_bytes

_NODE_COLUMNS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("u", "v"),
    ("id_1", "id_2"),
    ("node_1", "node_2"),
)
_WEIGHT_COLUMN = "weight"
LONGEST_ID = 1000

# number of the line, the two ids as text, and the weight, if there are weights
EdgeRow = tuple[int, str, str, float | None]


@dataclass(frozen=True)
class EdgeTable:
    """Edges as a file names them: ids ``[E]``, int64 or text; weights, float64 ``[E]``, >= 0."""

    source: np.ndarray
    target: np.ndarray
    weights: np.ndarray | None


def edge_columns(header: list[str]) -> list[int]:
    """Return the positions of the two node columns and of ``weight``, if there is one."""
    names = [name.lower() for name in header]
    weight = [names.index(_WEIGHT_COLUMN)] if _WEIGHT_COLUMN in names else []
    for u, v in _NODE_COLUMNS:
        if u in names and v in names:
            return [names.index(u), names.index(v), *weight]
    others = [column for column in range(len(names)) if column not in weight]
    if len(others) < 2:
        rule = "the header must name two node columns, such as source,target"
        raise line_error(1, rule, ",".join(header))
    return [*others[:2], *weight]


def scan_edge_list(
    data: bytes, first: int = 1, like: tuple[int, int] | None = None
) -> Iterator[EdgeRow]:
    """Yield the edges of an edge list whose first line has the number ``first``.

    ``like`` is the number and the width of the file's first edge, if that comes before.
    """
    for number, line in data_lines(data, first):
        tokens = [decode(token, number) for token in line.split()]
        like = like or (number, len(tokens))
        if not 2 <= len(tokens) <= 3:
            raise line_error(number, "an edge must have the form 'u v' or 'u v weight'", line)
        if len(tokens) != like[1]:
            rule = f"every line must have {like[1]} columns like line {like[0]}"
            raise line_error(number, rule, line)
        yield edge_row(number, tokens)


def edge_row(number: int, cells: Sequence[str]) -> EdgeRow:
    """Return the edge of line ``number``, whose cells are two ids and perhaps a weight."""
    for name in cells[:2]:
        if not 1 <= len(name) <= LONGEST_ID:
            raise line_error(number, f"a node id must have 1 to {LONGEST_ID} characters", name)
    return number, cells[0], cells[1], check_weight(number, cells[2]) if len(cells) == 3 else None


def refuse_wide(lengths: Sequence[int], size: int) -> None:
    """Refuse a long id among many short ones, in a file with so many bytes of ids.

    In an array of text each has the room of the longest.
    """
    # 4 bytes a letter
    if 4 * max(lengths) * len(lengths) > most_bytes(size):
        raise InputError(
            f"the longest node id, of {max(lengths)} characters, is too long beside the others of "
            f"{len(lengths) // 2} edges; give that node a shorter id."
        )


def has_features(graph: CSRGraph) -> bool:
    """Whether a graph has other features than the constant 1."""
    return graph.feature_names != (CONSTANT_FEATURE,)


def edge_frame(graph: CSRGraph) -> pd.DataFrame:
    """Return each edge once, then each isolated node as a self-loop of weight 1."""
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    upper, isolated = rows < graph.indices, np.flatnonzero(graph.degrees == 0)
    frame = pd.DataFrame(
        {
            name: graph.original_ids(np.concatenate([nodes[upper], isolated]))
            for name, nodes in (("source", rows), ("target", graph.indices))
        }
    )
    if graph.weights is not None:
        frame[_WEIGHT_COLUMN] = np.append(graph.weights[upper], np.ones(len(isolated), np.float32))
    return frame


def edge_list_text(graph: CSRGraph) -> str:
    """Return the content of an edge list."""
    rows = list(edge_frame(graph).itertuples(index=False))
    for name in itertools.chain.from_iterable(row[:2] for row in rows):
        if isinstance(name, str) and (len(name.split()) != 1 or name[0] in "#%"):
            raise InputError(
                f"an edge list cannot hold the node id {name!r}, which is empty, has a blank or "
                "starts like a comment; write a .csv file."
            )
    lines = [f"# {graph.num_nodes} nodes, {graph.num_edges} undirected edges"]
    lines += [" ".join(map(str, row)) for row in rows]
    return "\n".join(lines) + "\n"


def edge_csv_text(graph: CSRGraph) -> str:
    """Return the content of a CSV file of edges."""
    return str(edge_frame(graph).to_csv(index=False, lineterminator="\n"))
