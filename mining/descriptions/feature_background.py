"""What features look like in a whole graph, and where a pattern occurs in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import CSRGraph
from mining.records.occurrence import Occurrences
from mining.records.pattern import Pattern


@dataclass(frozen=True, eq=False)
class FeatureBackground:
    """What features look like in the whole graph.

    Attributes
    ----------
    names : tuple of str
        One name per column.
    mean, std : numpy.ndarray
        ``[D]`` over all nodes.
    is_binary : numpy.ndarray
        bool ``[D]`` columns of zeros and ones.
    label_groups : tuple of tuple of int
        Columns of which each node has exactly one: one-hot labels.
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
        values = graph.features
        binary = ((values == 0) | (values == 1)).all(axis=0)
        families: dict[str, list[int]] = {}
        for column, name in enumerate(graph.feature_names):
            if binary[column]:
                families.setdefault(name.rpartition("=")[0], []).append(column)
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


def measure_places(pattern: Pattern, graph: CSRGraph) -> tuple[np.ndarray, np.ndarray | None]:
    """Measure the features of each pattern node over the occurrences.

    Returns
    -------
    numpy.ndarray
        ``[M, D]`` means; the pattern's own features where it has no occurrence.
    numpy.ndarray or None
        ``[M, D]`` standard deviations; None where it has no occurrence.

    Raises
    ------
    InputError
        For an occurrence that is not in this graph.
    """
    placed = Occurrences.of(pattern.occurrences, pattern.num_nodes).rows_in(graph)
    if (placed == -2).any():
        raise InputError(
            f"source must be the graph that was mined: an occurrence of pattern {pattern.id} "
            "has a node that it lacks."
        )
    rows = [played[played >= 0] for played in placed.T]
    if not all(len(found) for found in rows):
        return np.asarray(pattern.features), None
    values = graph.features
    return (
        np.array([values[found].mean(axis=0, dtype=np.float64) for found in rows]),
        np.array([values[found].std(axis=0, dtype=np.float64) for found in rows]),
    )
