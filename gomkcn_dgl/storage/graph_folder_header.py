"""The file ``graph.json`` of a graph folder, which tells what the arrays beside it must be."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import parse_json

HEADER = "graph.json"
_FORMAT = {"format": "gomkcn-graph", "version": 1}
_LARGEST_HEADER = 2**24
_NODE_IDS = ("rows", "integers", "text")
_TYPES = {"int": int, "bool": bool, "list[str]": list, "str": str}


@dataclass(frozen=True)
class FolderHeader:
    """Content of ``graph.json`` beside format and version.

    ``num_edges`` counts undirected edges. With ``constant_features`` the one feature is 1 for all
    nodes and there is no ``features.npy``. ``node_ids`` is "rows" (0, 1, 2, … within each graph,
    without a file), "integers" or "text".
    """

    num_nodes: int
    num_edges: int
    num_graphs: int
    weighted: bool
    feature_names: list[str]
    constant_features: bool
    node_ids: str

    def write(self, folder: Path) -> None:
        """Write ``graph.json``."""
        text = json.dumps(_FORMAT | asdict(self), indent=1, ensure_ascii=False) + "\n"
        (folder / HEADER).write_text(text, encoding="utf-8")


def read_header(folder: Path) -> FolderHeader:
    """Read and check ``graph.json``; whether its numbers are true is seen from the arrays."""
    path = folder / HEADER
    if not path.is_file():
        raise InputError(f"a graph folder must hold {HEADER}, and there is none.")
    try:
        with open(path, "rb") as file:
            record = parse_json(file.read(_LARGEST_HEADER))
    except (OSError, ValueError) as error:
        raise InputError(f"{HEADER} cannot be read ({error}).") from None
    for name, value in _FORMAT.items():
        if not isinstance(record, dict) or record.get(name) != value:
            raise InputError(f"{HEADER} must have the {name} {value!r}; convert the graph anew.")
    for field in fields(FolderHeader):
        value = record.get(field.name)
        # In Python a bool is an int as well.
        if type(value) is not _TYPES[str(field.type)]:
            raise InputError(f"{field.name} in {HEADER} must be {field.type}, got {value!r:.40}.")
    header = FolderHeader(**{field.name: record[field.name] for field in fields(FolderHeader)})
    if not 1 <= header.num_nodes < 2**31:
        raise InputError(f"num_nodes in {HEADER} must be from 1 to 2^31 - 1.")
    if header.node_ids not in _NODE_IDS:
        raise InputError(f"node_ids in {HEADER} must be one of {', '.join(_NODE_IDS)}.")
    names = header.feature_names
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"feature_names in {HEADER} must be a list of names, at least one.")
    if header.constant_features and len(names) > 1:
        raise InputError(f"feature_names in {HEADER} must be one name for the constant feature.")
    return header
