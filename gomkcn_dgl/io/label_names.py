"""A file of label names → a graph whose features and relations have these names."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import PLAIN
from gomkcn_dgl.runtime.files import listed, named, read_bytes, reason_of

_LONGEST_NAME = 60


def read_label_names(path: str | Path) -> dict[str, str]:
    """Read the names of labels, or of other features, from a CSV file.

    It has the header ``label,name``. A label is the code in the data, or the whole name of a
    column, such as ``"label=1"`` or ``"x0"``.
    """
    path = Path(path)
    if path.suffix.lower() != ".csv":
        raise InputError(f"label names must be a .csv file, got {path.name!r}.")
    with named(path):
        data = read_bytes(path)
        try:
            rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
        except (ValueError, csv.Error) as error:
            raise InputError(f"the file is not valid CSV: {reason_of(error)}.") from None
        header, *pairs = [[cell.strip() for cell in row] for row in rows if row] or [[]]
        if [cell.lower() for cell in header] != ["label", "name"]:
            raise InputError("the first line must be 'label,name'.")
        for number, row in enumerate(pairs, start=2):
            if len(row) != 2:
                raise InputError(f"row {number} must be a label and a name, got {row}.")
        return _check_pairs([(label, name) for label, name in pairs])


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


def _check_pairs(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    if not pairs:
        raise InputError("at least one label must have a name, got none.")
    refuse_repeated([label for label, _ in pairs], "each label must have one name")
    for label, name in pairs:
        # the sign "=" stands between the kind of label and its name
        if not name.isprintable() or not name.strip() or "=" in name:
            raise InputError(
                f"a name must be printable text without '=', got {name!r} for {label!r}."
            )
        if len(name) > _LONGEST_NAME:
            raise InputError(
                f"a name must have at most {_LONGEST_NAME} letters, got {len(name)} for {label!r}."
            )
    return dict(pairs)
