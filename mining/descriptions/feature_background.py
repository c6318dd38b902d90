"""The distribution of the features in a whole graph, and at the occurrences of a pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.csr import CSRGraph
from gomkcn_dgl.errors import InputError
from mining.occurrences import Occurrences
from mining.pattern import Pattern

# the elements of organic molecules and their usual salts
_ELEMENTS = {
    "H": "hydrogen", "Li": "lithium", "B": "boron", "C": "carbon", "N": "nitrogen",
    "O": "oxygen", "F": "fluorine", "Na": "sodium", "Mg": "magnesium", "Al": "aluminium",
    "Si": "silicon", "P": "phosphorus", "S": "sulfur", "Cl": "chlorine", "K": "potassium",
    "Ca": "calcium", "Fe": "iron", "Cu": "copper", "Zn": "zinc", "As": "arsenic",
    "Se": "selenium", "Br": "bromine", "Sn": "tin", "I": "iodine", "Hg": "mercury",
    "Pb": "lead",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class FeatureBackground:
    """The distribution of the features over all nodes of a graph or collection.

    Attributes
    ----------
    names : tuple of str
        One name per column.
    mean, std : numpy.ndarray
        ``[D]`` over all nodes.
    is_binary : numpy.ndarray
        bool ``[D]``, columns of zeros and ones.
    label_groups : tuple of tuple of int
        Groups of columns of which each node has exactly one: one-hot encoded labels.
    """

    names: tuple[str, ...]
    mean: np.ndarray
    std: np.ndarray
    is_binary: np.ndarray
    label_groups: tuple[tuple[int, ...], ...]

    @classmethod
    def fit(cls, graph: CSRGraph) -> FeatureBackground:
        """Measure the features of a graph or a collection.

        Examples
        --------
        >>> import networkx as nx
        >>> from gomkcn_dgl.graph import as_csr
        >>> edge = as_csr(nx.path_graph(2), features=np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 5.0]]))
        >>> background = FeatureBackground.fit(edge)
        >>> background.label_groups, background.mean.tolist()
        (((0, 1),), [0.5, 0.5, 4.0])
        """
        values = graph.stored_features
        binary = ((values == 0) | (values == 1)).all(axis=0)
        # one-hot columns of one label share the name before "="
        families: dict[str, list[int]] = {}
        for column in np.flatnonzero(binary).tolist():
            families.setdefault(graph.feature_names[column].rpartition("=")[0], []).append(column)
        groups = [
            tuple(columns)
            for columns in families.values()
            if len(columns) > 1 and (values[:, columns].sum(axis=1) == 1).all()
        ]
        return cls(
            names=graph.feature_names,
            mean=values.mean(axis=0, dtype=np.float64),
            std=values.std(axis=0, dtype=np.float64),
            is_binary=binary,
            label_groups=tuple(groups),
        )

    def label_names(self) -> list[str]:
        """Names of the labels in the first group: chemical elements, or as the data call them."""
        codes = [self.names[column].rpartition("=")[2] for column in self.label_groups[0]]
        if all(code in _ELEMENTS for code in codes):
            return [_ELEMENTS[code] for code in codes]
        return [code if any(map(str.isalpha, code)) else f"labelled {code}" for code in codes]


def measure_occurrences(pattern: Pattern, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation ``[M, D]`` of each pattern node's features over the occurrences.

    A pattern node without any occurrence has the pattern's own features and no deviation.
    """
    mapping = Occurrences.of(pattern.occurrences, pattern.num_nodes).rows_in(graph)  # [K, M]
    if (mapping == -2).any():
        raise InputError(
            f"source must be the graph that was mined: it lacks a node of an occurrence of "
            f"pattern {pattern.id}."
        )
    mean, std = np.array(pattern.features, np.float64), np.zeros(pattern.features.shape)
    for node, rows in enumerate(mapping.T):
        matched = graph.features[rows[rows >= 0]]
        if len(matched):
            mean[node] = matched.mean(axis=0, dtype=np.float64)
            std[node] = matched.std(axis=0, dtype=np.float64)
    return mean, std
