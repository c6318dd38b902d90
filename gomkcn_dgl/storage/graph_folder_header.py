"""The file ``graph.json`` of a graph folder, which tells what the arrays beside it must be."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import SIMPLE, relations_to_record
from gomkcn_dgl.runtime.files import parse_json

HEADER = "graph.json"
_FORMAT = "gomkcn-graph"
# version 2 has relations
_VERSIONS = (1, 2)
_LARGEST_HEADER = 2**24
_NODE_IDS = ("rows", "integers", "text")
_TYPES = {"int": int, "bool": bool, "list[str]": list, "str": str, "dict[str, Any]": dict}


@dataclass(frozen=True)
class FolderHeader:
    """Content of ``graph.json`` beside format and version.

    ``num_edges`` counts edges as they were given. With ``constant_features`` the one feature is 1
    for all nodes and there is no ``features.npy``. ``node_ids`` is "rows" (0, 1, 2, … within each
    graph, without a file), "integers" or "text". What has a default is written where it differs.
    """

    num_nodes: int
    num_edges: int
    num_graphs: int
    weighted: bool
    feature_names: list[str]
    constant_features: bool
    node_ids: str
    relations: dict[str, Any] = field(default_factory=lambda: relations_to_record(SIMPLE))
    linked: bool = False
    notes: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        """Write ``graph.json``."""
        record = {
            name: value
            for name, value in asdict(self).items()
            if name not in _DEFAULTS or value != _DEFAULTS[name]()
        }
        version = _VERSIONS["relations" in record]
        record = {"format": _FORMAT, "version": version, **record}
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        (folder / HEADER).write_text(text, encoding="utf-8")


_DEFAULTS: dict[str, Any] = {
    each.name: each.default_factory if each.default is MISSING else bool
    for each in fields(FolderHeader)
    if each.default is not MISSING or each.default_factory is not MISSING
}


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
    if not isinstance(record, dict) or record.get("format") != _FORMAT:
        raise InputError(f"{HEADER} must have the format {_FORMAT!r}; convert the graph anew.")
    if record.get("version") not in _VERSIONS:
        raise InputError(
            f"{HEADER} must have the version {' or '.join(map(str, _VERSIONS))}; convert the graph "
            "anew."
        )
    values = {}
    for each in fields(FolderHeader):
        default = _DEFAULTS.get(each.name, lambda: None)()
        value = values[each.name] = record.get(each.name, default)
        # In Python a bool is an int as well.
        if type(value) is not _TYPES[str(each.type)]:
            raise InputError(f"{each.name} in {HEADER} must be {each.type}, got {value!r:.40}.")
    header = FolderHeader(**values)
    if not all(isinstance(one, str) for one in header.notes):
        raise InputError(f"notes in {HEADER} must be a list of text.")
    if record.get("edge_feature_names"):
        header.notes.append("not used: the edge features of the folder")
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
