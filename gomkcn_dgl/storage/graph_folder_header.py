"""The file ``graph.json`` of a graph folder: what the arrays beside it must be."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from gomkcn_dgl.errors import InputError

HEADER = "graph.json"
FORMAT = "gomkcn-graph"
VERSION = 1
NODE_IDS = ("rows", "integers", "text")

# a header longer than this is none of ours
_LONGEST_HEADER = 2**24


@dataclass(frozen=True)
class FolderHeader:
    """What ``graph.json`` says beside format and version.

    Attributes
    ----------
    num_nodes, num_edges, num_graphs : int
        V, the number of undirected edges E / 2, and G.
    weighted : bool
        Whether there is ``weights.npy``.
    feature_names : list of str
        One name per column.
    constant_features : bool
        Whether the one feature is 1 everywhere and there is no ``features.npy``.
    node_ids : {"rows", "integers", "text"}
        What the nodes are called; rows: 0, 1, 2, … within each graph, and no ``node_ids.npy``.
    """

    num_nodes: int
    num_edges: int
    num_graphs: int
    weighted: bool
    feature_names: list[str]
    constant_features: bool
    node_ids: str

    def write(self, folder: Path) -> None:
        """Write ``graph.json``, the last file of a folder."""
        record = {"format": FORMAT, "version": VERSION, **asdict(self)}
        with open(folder / HEADER, "x", encoding="utf-8") as file:
            file.write(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())


def read_header(folder: Path) -> FolderHeader:
    """Read and check ``graph.json``."""
    path = folder / HEADER
    try:
        with open(path, "rb") as file:
            content = file.read(_LONGEST_HEADER + 1)
        if len(content) > _LONGEST_HEADER:
            raise InputError(f"{HEADER} must have at most {_LONGEST_HEADER} bytes.")
        record = json.loads(content)
    except FileNotFoundError:
        raise InputError(f"a graph folder must hold {HEADER}, and there is none.") from None
    except InputError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{HEADER} cannot be read ({error}).") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"{HEADER} must name the format {FORMAT!r}.")
    if record.get("version") != VERSION:
        raise InputError(
            f"{HEADER} must be of version {VERSION}, got {record.get('version')!r}; "
            "convert the graph anew."
        )
    wanted = [field.name for field in fields(FolderHeader)]
    missing = [name for name in wanted if name not in record]
    if missing:
        raise InputError(f"{HEADER} must hold {missing[0]!r}.")
    header = FolderHeader(**{name: record[name] for name in wanted})
    _check_header(header)
    return header


def _check_header(header: FolderHeader) -> None:
    names = header.feature_names
    rules: Iterable[tuple[str, bool, str]] = (
        ("num_nodes", _is_count(header.num_nodes, 1, 2**31 - 1), "be a number from 1 to 2^31 - 1"),
        ("num_edges", _is_count(header.num_edges, 0, 2**61), "be a number of at least 0"),
        ("num_graphs", _is_count(header.num_graphs, 1, 2**61), "be a number of at least 1"),
        ("weighted", isinstance(header.weighted, bool), "be true or false"),
        (
            "feature_names",
            isinstance(names, list) and bool(names) and all(isinstance(n, str) for n in names),
            "be a list of names, at least one",
        ),
        ("constant_features", isinstance(header.constant_features, bool), "be true or false"),
        ("node_ids", header.node_ids in NODE_IDS, f"be one of {', '.join(NODE_IDS)}"),
    )
    for name, holds, rule in rules:
        if not holds:
            raise InputError(f"{name} in {HEADER} must {rule}, got {getattr(header, name)!r:.40}.")
    if header.constant_features and len(names) != 1:
        raise InputError(
            f"feature_names in {HEADER} must be one for the constant feature, got {len(names)}."
        )


def _is_count(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
