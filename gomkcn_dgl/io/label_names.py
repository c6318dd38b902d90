"""What labels are called: a file of names → a graph whose columns bear them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.runtime.file_bytes import parse_json, parse_toml, read_bytes, reason_of
from gomkcn_dgl.runtime.file_names import listed, named

_LONGEST_NAME = 60


def read_label_names(path: str | Path) -> dict[str, str]:
    r"""Read what labels, or other features, are called.

    Parameters
    ----------
    path : path
        CSV with the header ``label,name``; JSON such as ``{"1": "helix"}``; or TOML with lines such
        as ``1 = "helix"``, at the top or under ``[labels]``. A label is the code in the data, or
        the whole name of a column, such as ``"label=1"`` or ``"x0"``.

    Returns
    -------
    dict of str to str
        Label → name.

    Raises
    ------
    InputError
        For a file that cannot be read, a label that comes twice, or a name that is empty, too long
        or not printable.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "names.csv"
    >>> _ = file.write_text("label,name\n1,helix\n2,sheet\n")
    >>> read_label_names(file)
    {'1': 'helix', '2': 'sheet'}
    """
    path = Path(path)
    readers = {".csv": _read_csv, ".json": _read_json, ".toml": _read_toml}
    if path.suffix.lower() not in readers:
        raise InputError(f"label names must be a .csv, .json or .toml file, got {path.name!r}.")
    with named(path):
        return _check_pairs(readers[path.suffix.lower()](read_bytes(path)))


def name_columns(graph: CSRGraph, names: Mapping[str, str]) -> CSRGraph:
    """Give the feature columns of a graph names that say what they mean.

    Parameters
    ----------
    graph : CSRGraph
    names : mapping of str to str
        By code or by column, see :func:`read_label_names`.

    Returns
    -------
    CSRGraph
        The same graph; ``label=1`` is called ``label=helix`` in it.

    Raises
    ------
    InputError
        For a name of a label that the graph does not have, or one name for two columns.

    Examples
    --------
    >>> import numpy as np
    >>> from gomkcn_dgl.csr import csr_from_edges
    >>> edge = csr_from_edges(np.array([0]), np.array([1]), 2, features=np.eye(2),
    ...                       feature_names=["label=1", "label=2"])
    >>> name_columns(edge, {"1": "helix", "label=2": "sheet"}).feature_names
    ('label=helix', 'label=sheet')
    """
    codes = [column.rpartition("=")[2] for column in graph.feature_names]
    known = dict.fromkeys([*codes, *graph.feature_names])
    unknown = [label for label in names if label not in known]
    if unknown:
        raise InputError(
            f"label names must be of features that are used, {listed(known)}; got {unknown[0]!r}."
        )
    renamed = []
    for column, code in zip(graph.feature_names, codes, strict=True):
        name = names.get(column, names.get(code, code))
        renamed.append(column.removesuffix(code) + name)
    twice = [column for column, count in Counter(renamed).items() if count > 1]
    if twice:
        raise InputError(f"each feature must have a name of its own, got {twice[0]!r} twice.")
    return replace(graph, feature_names=tuple(renamed))


def _read_csv(data: bytes) -> list[tuple[str, Any]]:
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    # no UTF-8, or a cell without end
    except (ValueError, csv.Error) as error:
        raise InputError(f"the file cannot be read ({reason_of(error)}).") from None
    rows = [row for row in rows if row]
    if not rows or [cell.strip().lower() for cell in rows[0]] != ["label", "name"]:
        raise InputError("the first line must be 'label,name'.")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != 2:
            raise InputError(f"row {number} must be a label and a name, got {row}.")
    return [(row[0].strip(), row[1].strip()) for row in rows[1:]]


def _read_json(data: bytes) -> list[tuple[str, Any]]:
    try:
        # as pairs, so that a label that comes twice is seen
        table = parse_json(data, pairs=tuple)
    except ValueError as error:
        raise InputError(f"the file is not valid JSON: {reason_of(error)}.") from None
    if not isinstance(table, tuple):
        raise InputError('the file must hold names by label, such as {"1": "helix"}.')
    return list(table)


def _read_toml(data: bytes) -> list[tuple[str, Any]]:
    try:
        table = parse_toml(data)
    except ValueError as error:
        raise InputError(f"the file is not valid TOML: {reason_of(error)}.") from None
    labels = table["labels"] if set(table) == {"labels"} else table
    return list(labels.items()) if isinstance(labels, dict) else [("labels", labels)]


def _check_pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, str]:
    if not pairs:
        raise InputError("at least one label must have a name, got none.")
    counts = Counter(label for label, _ in pairs)
    twice = [label for label, count in counts.items() if count > 1]
    if twice:
        raise InputError(f"each label must have one name, got two for {twice[0]!r}.")
    for label, name in pairs:
        # the sign stands between the kind of label and its name
        if not isinstance(name, str) or not name.isprintable() or not name.strip() or "=" in name:
            raise InputError(
                f"a name must be printable text without '=', got {name!r} for {label!r}."
            )
        if len(name) > _LONGEST_NAME:
            raise InputError(
                f"a name must have at most {_LONGEST_NAME} letters, got {len(name)} for {label!r}."
            )
    return dict(pairs)
