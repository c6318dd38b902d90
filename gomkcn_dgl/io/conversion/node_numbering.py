"""The ids of nodes, collected block by block, and the row of each node: ascending by id."""

from __future__ import annotations

import numpy as np

from gomkcn_dgl.edges import sorted_distinct


class IntegerIds:
    """Distinct integer ids; the code of an id in scratch files is the id itself."""

    # While ids are merged: the old, the new, and all of them.
    bytes_per_id = 24

    def __init__(self) -> None:
        self._merged: np.ndarray = np.empty(0, np.int64)
        self._recent: list[np.ndarray] = []

    def __len__(self) -> int:
        """Return the number of ids, or more before they are merged."""
        return len(self._merged) + sum(map(len, self._recent))

    def encode(self, ids: np.ndarray) -> np.ndarray:
        """Take ids, int64 ``[n]``, and return their codes ``[n]``."""
        self._recent.append(sorted_distinct(ids))
        # Merging only when the number of ids may have doubled costs as much as one merge.
        if len(self) > 2 * len(self._merged):
            self.ascending()
        return ids

    def ascending(self) -> np.ndarray:
        """Return the ids in ascending order, ``[V]``."""
        self._merged = sorted_distinct(np.concatenate([self._merged, *self._recent]))
        self._recent = []
        return self._merged

    def rows_of(self, codes: np.ndarray) -> np.ndarray:
        """Return the rows of nodes, found in the order of their ids to use the cache well."""
        order = np.argsort(codes)
        rows = np.empty(len(codes), np.int64)
        rows[order] = np.searchsorted(self._merged, codes[order])
        return rows


class TextIds:
    """Distinct text ids; the code of an id is its position in the order of the file."""

    # A short text, and its entries in a dict, a list and arrays while the ids are sorted.
    bytes_per_id = 200

    def __init__(self) -> None:
        self._code_of: dict[str, int] = {}
        self._rows: np.ndarray = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._code_of)

    @property
    def names(self) -> list[str]:
        """The ids in the order of the file."""
        return list(self._code_of)

    def encode(self, ids: np.ndarray) -> np.ndarray:
        """Take ids, str ``[n]``, and return their codes, int64 ``[n]``."""
        import pandas as pd

        positions, names = pd.factorize(ids)
        codes = [self._code_of.setdefault(name, len(self._code_of)) for name in names]
        return np.array(codes, np.int64)[positions]

    def ascending(self) -> list[str]:
        """Return the ids in the order of their code points, ``[V]``."""
        names = sorted(self._code_of)
        self._rows = np.empty(len(names), np.int64)
        self._rows[[self._code_of[name] for name in names]] = np.arange(len(names))
        return names

    def rows_of(self, codes: np.ndarray) -> np.ndarray:
        """Return the rows of nodes."""
        return self._rows[codes]


def is_first(values: np.ndarray) -> np.ndarray:
    """Whether each of the ascending values differs from the one before it, bool ``[n]``."""
    first = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first
