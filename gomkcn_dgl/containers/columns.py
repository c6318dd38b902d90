"""Named columns of node or edge attributes → a matrix of numbers, or the relation of each edge."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gomkcn_dgl.checks import to_numpy
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.relations import PLAIN

# name of the features in DGL's data sets; its columns are called x0, x1, …
DEFAULT_FEATURE = "feat"
# a text column of more values is a name or a description, not a category
MAX_CATEGORIES = 1000


class Columns(Mapping[str, Any]):
    """A table whose columns are formed only when they are asked for.

    One without rows has every column.
    """

    def __init__(
        self, names: Iterable[str], column: Callable[[str], Any], is_empty: bool = False
    ) -> None:
        self._names = dict.fromkeys(names)
        self._column = column
        self._is_empty = is_empty

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return self._column(name)

    def __contains__(self, name: object) -> bool:
        return self._is_empty or name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def record_columns(records: Sequence[Mapping[Any, Any]], owner_of: Callable[[int], Any]) -> Columns:
    """Table of attributes that are stored node by node or edge by edge, as NetworkX does.

    >>> record_columns([{"kind": "a"}, {"kind": "b"}], lambda row: "vw"[row])["kind"]
    ['a', 'b']
    """

    def column(name: str) -> list[Any]:
        values = [record.get(name) for record in records]
        missing = [row for row, value in enumerate(values) if value is None]
        if missing:
            raise InputError(
                f"the attribute {name!r} must be set everywhere, and {owner_of(missing[0])!r} does "
                "not have it."
            )
        return values

    names = (str(key) for record in records for key in record)
    return Columns(names, column, is_empty=not records)


def joined_columns(tables: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> Columns:
    """Tables of several graphs, or several types of nodes, one below the other."""

    def column(name: str) -> np.ndarray:
        parts = [
            column_values(name, table, label) for table, label in zip(tables, labels, strict=True)
        ]
        # an empty column has neither a type nor a width
        parts = [part for part in parts if len(part)] or parts[:1]
        if len({part.dtype.kind == "U" for part in parts}) > 1:
            raise InputError(f"{name!r} must hold numbers everywhere or text everywhere.")
        widths = [part.shape[1:] for part in parts]
        if len(set(widths)) > 1:
            found = ", ".join(
                f"{_width(column_values(name, table, label).shape[1:])} for {label}"
                for table, label in zip(tables[:5], labels, strict=False)
            )
            raise InputError(
                f"{name!r} must have the same width everywhere, got {found}; name attributes of "
                "one width with features."
            )
        return np.concatenate(parts)

    return Columns((name for table in tables for name in table), column)


def _width(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "1"


def column_values(name: str, table: Mapping[str, Any], owner: str) -> np.ndarray:
    """One column as an array of numbers or of text."""
    if name not in table:
        raise InputError(f"{owner} has no {name!r}; it holds {sorted(map(str, table))}.")
    values = table[name]
    if isinstance(values, (list, tuple)):
        if len({isinstance(value, str) for value in values}) > 1:
            raise InputTypeError(f"{name!r} must hold numbers or text, not both.")
        try:
            values = np.array([to_numpy(value) for value in values])
        except ValueError:
            raise InputError(f"{name!r} must have the same shape everywhere.") from None
    array = to_numpy(values)
    if array.dtype == object and all(isinstance(value, str) for value in array.flat):
        array = array.astype(str)
    if array.dtype.kind not in "biufU":
        raise InputTypeError(f"{name!r} must hold numbers or text, got {array.dtype}.")
    return array


def pick_columns(
    names: Sequence[str], table: Mapping[str, Any], owner: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Put columns side by side: numbers as they are, and text as one column for each value.

    >>> table = {"kind": ["b", "a"], "mass": [1.5, 2]}
    >>> matrix, names = pick_columns(["mass", "kind"], table, "a table")
    >>> matrix.tolist(), names
    ([[1.5, 0.0, 1.0], [2.0, 1.0, 0.0]], ('mass', 'kind=a', 'kind=b'))
    """
    blocks, titles = [], []
    for name in names:
        values = column_values(name, table, owner)
        values = values.reshape(len(values), math.prod(values.shape[1:]))
        if values.dtype.kind == "U":
            values, categories = _one_hot(name, values)
            titles += [f"{name}={category}" for category in categories]
        else:
            # an attribute of several columns gives each a number
            plain, width = "x" if name == DEFAULT_FEATURE else name, values.shape[1]
            titles += [name] if width == 1 else [f"{plain}{column}" for column in range(width)]
        blocks.append(values)
    return np.concatenate(blocks, axis=1), tuple(titles)


def _one_hot(name: str, values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    if values.shape[1] != 1:
        raise InputError(f"the text {name!r} must be one value each, got {values.shape[1]}.")
    categories, codes = np.unique(values[:, 0], return_inverse=True)
    if len(categories) > MAX_CATEGORIES:
        raise InputError(
            f"the text {name!r} must have at most {MAX_CATEGORIES} different values to become "
            f"features, got {len(categories)}; is it a name?"
        )
    return np.eye(len(categories), dtype=np.float32)[codes], categories.tolist()


def relation_codes(name: str, values: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Number the relations of edges, which text, integers or one column for each relation tell.

    >>> codes, names = relation_codes("sign", np.array(["+", "-", "+"]))
    >>> codes.tolist(), names
    ([0, 1, 0], ('+', '-'))
    """
    if values.ndim == 2 and values.shape[1] > 1 and values.dtype.kind != "U":
        chosen = values == 1
        if not (chosen | (values == 0)).all() or not (chosen.sum(axis=1) == 1).all():
            raise InputError(
                f"edge_type {name!r} must be one value for each edge, or a 1 in one of "
                f"{values.shape[1]} columns and 0 in the others."
            )
        values = chosen.argmax(axis=1)
    values = values.reshape(-1)
    if values.dtype.kind == "f":
        if not (np.isfinite(values).all() and (values == np.round(values)).all()):
            raise InputError(f"edge_type {name!r} must hold text or integers, got other numbers.")
        values = values.astype(np.int64)
    kinds, codes = np.unique(values, return_inverse=True)
    # a graph without edges still has a relation
    return codes, tuple(map(str, kinds.tolist())) or (PLAIN,)
