"""Categories of nodes, which are exact, told from numeric features, which are similar or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure, category_value

# of the nodes of a structure and of a graph, `[M]` and `[V]`
Colors = tuple[np.ndarray, np.ndarray]
# a label that nearly every node has for itself, such as a name, is no category
MOST_CATEGORIES = 256


@dataclass(frozen=True)
class Categories:
    """The categorical features of a graph: groups of columns that are one-hot.

    The colour of a node is one number for its categories in all groups. It depends on the features
    alone, so that a graph, a null-model graph of it and a pattern can be compared.

    >>> labels = np.array([[1, 0, 0.5], [0, 1, 0.7], [0, 1, 0.1]])
    >>> found = Categories.find(labels, ["kind=a", "kind=b", "size"])
    >>> found.groups, found.colors(labels).tolist()
    (((0, 1),), [0, 1, 1])
    """

    groups: tuple[tuple[int, ...], ...] = ()
    # attributes with more values than are compared, and how many
    too_many: tuple[tuple[str, int], ...] = ()

    @classmethod
    def find(cls, features: np.ndarray, names: Sequence[str]) -> Categories:
        """Find the groups of columns of ``features [V, D]`` of which each node has exactly one.

        A column is called ``attribute=value``. Both may have the sign "=" in them, so that columns
        are a group if their names agree up to the first "=", or else up to the second, and so on;
        those without the sign are one as well. An attribute "a=b" is not told from "a" with values
        such as "b=c" where each node has one of these: its group is the same.
        """
        binary = np.flatnonzero(((features == 0) | (features == 1)).all(axis=0)).tolist()
        parts = {column: names[column].split("=") for column in binary}
        found = []
        too_many = []
        for signs in range(max(map(len, parts.values()), default=0)):
            families: dict[str, list[int]] = {}
            for column, part in parts.items():
                # what has fewer signs has all before the last one
                family = "=".join(part[: min(1 + signs, len(part) - 1)])
                families.setdefault(family, []).append(column)
            for family, columns in families.items():
                if len(columns) == 1 or (features[:, columns].sum(axis=1) != 1).any():
                    continue
                if len(columns) <= MOST_CATEGORIES:
                    found.append(tuple(columns))
                else:
                    too_many.append((family, len(columns)))
                for column in columns:
                    del parts[column]
        return cls(tuple(sorted(found)), tuple(too_many))

    @property
    def notes(self) -> list[str]:
        """What is not compared, a sentence each."""
        return [
            f"not used as categories: the {number:,} values of {family or 'the features'}; at most "
            f"{MOST_CATEGORIES} are compared"
            for family, number in self.too_many
        ]

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns of all groups."""
        return tuple(column for group in self.groups for column in group)

    def colors(self, features: np.ndarray) -> np.ndarray:
        """Colour of each row of ``[…, D]``, int64 ``[…]``: the largest column of each group."""
        color = np.zeros(features.shape[:-1], np.int64)
        for group in self.groups:
            color = color * len(group) + features[..., list(group)].argmax(axis=-1)
        return color

    def numbers_of(self, structure: Structure, feature_names: Sequence[str]) -> np.ndarray:
        """Colours of the nodes of a structure, whose categories are columns of a graph, ``[M]``."""
        own = np.zeros((structure.num_nodes, len(feature_names)), np.float32)
        for row, names in zip(own, structure.categories, strict=True):
            row[[feature_names.index(name) for name in names]] = 1
        return self.colors(own)

    def names_of(
        self, colors: np.ndarray | None, feature_names: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        """Names of the categories that colours ``[M]`` stand for; the inverse of :meth:`colors`."""
        named = []
        for color in [] if colors is None else colors.tolist():
            names: list[str] = []
            for group in reversed(self.groups):
                color, position = divmod(color, len(group))
                names.insert(0, feature_names[group[position]])
            named.append(tuple(names))
        return tuple(named)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.groups)


NO_CATEGORIES = Categories()


def find_category(name: str, columns: Sequence[int], names: Sequence[str]) -> int:
    """Which of some columns a category is, by its name or its value: what follows an "=".

    >>> find_category("C", [0, 1], ["label=C", "label=N"])
    0
    """
    same = [c for c in columns if names[c] == name]
    same = same or [c for c in columns if category_value(names[c]) == name]
    # of an attribute with the sign in its own name
    same = same or [c for c in columns if names[c].endswith(f"={name}")]
    if len(same) != 1:
        known = ", ".join(names[c] for c in list(same or columns)[:20]) or "none"
        raise InputError(
            f"pattern must have categories of the graph, which are {known}, got {name!r}."
        )
    return same[0]
