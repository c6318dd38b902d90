"""Categories of nodes, which are exact, told from numeric features, which are similar or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure, category_value

# colours of the nodes of a structure and of a graph, int64 `[M]` and `[V]`
Colors = tuple[np.ndarray, np.ndarray]
# values of one attribute: more are taken for names, which hardly two nodes share. A round number
# above what labels have, such as the 118 elements; no result is known to depend on it
MOST_CATEGORIES = 256
# names that a message lists
_MOST_LISTED = 20


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

    # the columns of each attribute, in their order
    groups: tuple[tuple[int, ...], ...] = ()
    # attributes with more values than are compared, and how many values each has
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
        # of the columns that are in no group yet, their names cut at each "="
        ungrouped = {column: names[column].split("=") for column in binary}
        most_signs = max((len(parts) - 1 for parts in ungrouped.values()), default=-1)
        groups: list[tuple[int, ...]] = []
        too_many: list[tuple[str, int]] = []
        for num_signs in range(1 + most_signs):
            columns_of: dict[str, list[int]] = {}
            for column, parts in ungrouped.items():
                # the name up to sign number `num_signs`, or up to its last one
                attribute = "=".join(parts[: min(1 + num_signs, len(parts) - 1)])
                columns_of.setdefault(attribute, []).append(column)
            for attribute, columns in columns_of.items():
                is_one_hot = (features[:, columns].sum(axis=1) == 1).all()
                if len(columns) == 1 or not is_one_hot:
                    continue
                if len(columns) <= MOST_CATEGORIES:
                    groups.append(tuple(columns))
                else:
                    too_many.append((attribute, len(columns)))
                for column in columns:
                    del ungrouped[column]
        return cls(tuple(sorted(groups)), tuple(too_many))

    @property
    def notes(self) -> list[str]:
        """What is not compared, a sentence each."""
        return [
            f"not used as categories: the {number:,} values of {attribute or 'the features'}; at "
            f"most {MOST_CATEGORIES} are compared"
            for attribute, number in self.too_many
        ]

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns of all groups."""
        return tuple(column for group in self.groups for column in group)

    def colors(self, features: np.ndarray) -> np.ndarray:
        """Colour of each row of ``[…, D]``, int64 ``[…]``: the largest column of each group.

        The positions of these columns in their groups are the digits of the colour.
        """
        color = np.zeros(features.shape[:-1], np.int64)
        for group in self.groups:
            color = color * len(group) + features[..., list(group)].argmax(axis=-1)
        return color

    def two_sides(self, graph: CSRGraph) -> np.ndarray | None:
        """The colours of the nodes ``[V]``, where all edges are plain and join two colours.

        None where edges have a direction or are of several relations, join nodes of one colour, or
        there are more than two.

        >>> import networkx as nx
        >>> from gomkcn_dgl import as_csr
        >>> wheel = as_csr(nx.star_graph(3), features=np.array([[1, 0], [0, 1], [0, 1], [0, 1]]))
        >>> Categories(((0, 1),)).two_sides(wheel).tolist()
        [0, 1, 1, 1]
        """
        if graph.links is not None or not self:
            return None
        colors = self.colors(graph.features)
        # a colour that no node has is none
        if len(np.unique(colors)) > 2:
            return None
        rows = np.repeat(colors, graph.degrees)
        return None if (rows == colors[graph.indices]).any() else colors

    def colors_of(self, structure: Structure, feature_names: Sequence[str]) -> np.ndarray:
        """Colours of the nodes of a structure, whose categories are columns of a graph, ``[M]``."""
        features = np.zeros((structure.num_nodes, len(feature_names)), np.float32)
        for row, names in zip(features, structure.categories, strict=True):
            row[[feature_names.index(name) for name in names]] = 1
        return self.colors(features)

    def names_of(
        self, colors: np.ndarray | None, feature_names: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        """Names of the categories that colours ``[M]`` stand for; the inverse of :meth:`colors`."""
        names_of_nodes = []
        for color in [] if colors is None else colors.tolist():
            names: list[str] = []
            # the last group is the last digit
            for group in reversed(self.groups):
                color, position = divmod(color, len(group))
                names.insert(0, feature_names[group[position]])
            names_of_nodes.append(tuple(names))
        return tuple(names_of_nodes)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.groups)


NO_CATEGORIES = Categories()


def find_category(name: str, columns: Sequence[int], names: Sequence[str]) -> int:
    """Which of some columns a category is, by its name or its value: what follows an "=".

    >>> find_category("C", [0, 1], ["label=C", "label=N"])
    0
    """
    # the full name goes before the value, and the value before the end of a name, which is the
    # value of an attribute that has the sign "=" in its own name
    matching = [c for c in columns if names[c] == name]
    matching = matching or [c for c in columns if category_value(names[c]) == name]
    matching = matching or [c for c in columns if names[c].endswith(f"={name}")]
    if len(matching) != 1:
        offered = list(matching or columns)[:_MOST_LISTED]
        known = ", ".join(names[c] for c in offered) or "none"
        raise InputError(
            "pattern", f"must have categories of the graph, which are {known}", got=repr(name)
        )
    return matching[0]


def colors_in(graph: CSRGraph, structure: Structure) -> tuple[Structure, Colors | None]:
    """A structure with the names of the graph, and the colours of its nodes and of the graph.

    None where the structure has no categories, which then do not count.
    """
    if not structure.categories:
        return structure, None
    names = graph.feature_names
    named, kinds = in_categories(structure, Categories.find(graph.features, names), names)
    return named, (kinds.colors_of(named, names), kinds.colors(graph.features))


def in_categories(
    structure: Structure, categories: Categories, names: Sequence[str]
) -> tuple[Structure, Categories]:
    """The structure with the full names of its categories, and the groups that they are of.

    ``names`` are those of all columns. Each node has a category of the same groups; a structure
    without categories is of no group.

    >>> categories = Categories(groups=((0, 1),))
    >>> named, kinds = in_categories(
    ...     Structure.parse("a:C--b:N"), categories, ["label=C", "label=N"])
    >>> named.categories, kinds == categories
    ((('label=C',), ('label=N',)), True)
    """
    if not structure.categories:
        return structure, NO_CATEGORIES
    try:
        rows = [
            [find_category(name, categories.columns, names) for name in labels]
            for labels in structure.categories
        ]
    except InputError as error:
        if categories.notes:
            notes = "; ".join(categories.notes)
            raise InputError.of(replace(error.message, way_out=notes)) from None
        raise
    kinds = [[group for group in categories.groups if set(group) & set(row)] for row in rows]
    roles = structure.roles or tuple(map(str, range(structure.num_nodes)))
    for node, row, used in zip(roles, rows, kinds, strict=True):
        if used != kinds[0] or len(used) != len(row):
            raise InputError(
                "pattern",
                (
                    "must give each node a category of the same kinds, or none to any, as in "
                    "'a:C--b:C, b--c:N'"
                ),
                way_out=f"{node!r} differs from {roles[0]!r}",
            )
    named = structure.with_categories(tuple(tuple(names[c] for c in row) for row in rows))
    return named, Categories(tuple(kinds[0]))
