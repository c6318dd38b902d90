"""Names of labels → a graph whose features and relations have these names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.tables import check_width, find_dialect, line_error, table_rows, text_blocks
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import listed, named

_LONGEST_NAME = 60
# a mapping, or a file of it
LabelNames = Mapping[str, str] | str | os.PathLike[str]


def read_label_names(names: LabelNames) -> Mapping[str, str]:
    """Read the names of labels, or of other features, from a CSV file; a mapping is returned.

    The file has the header ``label,name``. A label is the code in the data, or the whole name of a
    column, such as ``"label=1"`` or ``"x0"``.
    """
    if isinstance(names, Mapping):
        return names
    path, found = Path(names), dict[str, str]()
    with named(path):
        ((_, data),) = text_blocks(path)
        (first, header), *rows = table_rows(data, find_dialect(data, is_csv=True))
        if [cell.lower() for cell in header] != ["label", "name"]:
            raise InputError("the first line must be 'label,name'.")
        for line, cells in rows:
            check_width(line, cells, (first, 2))
            label, name = cells
            if label in found:
                raise line_error(line, "each label must have one name", label)
            # the sign "=" stands between the kind of label and its name
            if not (name.isprintable() and 0 < len(name) <= _LONGEST_NAME) or "=" in name:
                rule = f"a name must be printable text of 1 to {_LONGEST_NAME} letters without '='"
                raise line_error(line, rule, name)
            found[label] = name
        if not found:
            raise InputError("at least one label must have a name, got none.")
    return found


def name_columns(graph: CSRGraph, names: Mapping[str, str]) -> CSRGraph:
    """Rename feature columns by code or by name: ``label=1`` becomes ``label=helix``.

    Relations are renamed by their whole name.
    """
    # a value may have the sign "=" in it
    codes = [column.partition("=")[2] or column for column in graph.feature_names]
    types = [name for name in graph.relations.names if name != PLAIN]
    known = dict.fromkeys([*codes, *graph.feature_names, *types])
    unknown = [label for label in names if label not in known]
    if unknown:
        raise InputError(
            f"label names must be of features or relations that are used, {listed(known)}; "
            f"got {unknown[0]!r}."
        )
    renamed = [
        column.removesuffix(code) + names.get(column, names.get(code, code))
        for column, code in zip(graph.feature_names, codes, strict=True)
    ]
    refuse_repeated(renamed, "each feature must have a name of its own")
    relations = [names.get(name, name) for name in graph.relations.names]
    refuse_repeated(relations, "each relation must have a name of its own")
    return replace(
        graph,
        feature_names=tuple(renamed),
        relations=replace(graph.relations, names=tuple(relations)),
    )


def refuse_repeated(names: Sequence[str], rule: str) -> None:
    """Refuse names of which one comes twice, with the rule that it breaks."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(f"{rule}, got {repeated[0]!r} twice.")
