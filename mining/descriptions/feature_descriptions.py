"""A short description of a pattern: its shape, its labels, and the features that differ.

- A *label* is named for a pattern node if at least 80 % of the occurrences agree on it; the node
  counts as "mixed" otherwise.
- A *binary feature* differs where its share over the occurrences is at least one half away from
  its share in the graph.
- A *number* differs where its mean over the occurrences is at least one standard deviation of the
  graph away from the mean of the graph, and its standard deviation over the occurrences is at most
  half of that of the graph.

The limits were chosen on MUTAG and ENZYMES. Where features are drawn at random for each node, about
2 % of the numbers are reported although they mean nothing: among nodes that are equal in structure,
the matching assigns the largest value to the same pattern node.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.graphs.structure import Structure
from mining.descriptions.feature_background import FeatureBackground, measure_occurrences
from mining.pattern import Pattern

_LABEL_SHARE = 0.8
_BINARY_DIFFERENCE = 0.5
# in standard deviations of the graph
_LEAST_DISTANCE, _LARGEST_SPREAD = 1.0, 0.5
_MOST_DIFFERENCES = 3


@dataclass(frozen=True)
class FeatureDifference:
    """A feature that is higher, or lower, at some pattern nodes than in the graph.

    ``low`` and ``high`` are the least and the largest mean over the occurrences among ``nodes``, in
    the input's units; ``graph_mean`` is the mean over all nodes of the graph.
    """

    name: str
    nodes: tuple[int, ...]
    low: float
    high: float
    graph_mean: float

    def __str__(self) -> str:
        """Such as "size 3 to 4 (graph mean 2) at nodes 0, 2"."""
        low, high = f"{self.low:.2g}", f"{self.high:.2g}"
        values = low if low == high else f"{low} to {high}"
        where = f"node{'s' * (len(self.nodes) > 1)} {', '.join(map(str, self.nodes))}"
        return f"{self.name} {values} (graph mean {self.graph_mean:.2g}) at {where}"


@dataclass(frozen=True)
class FeatureDescription:
    """A short description of a pattern.

    Attributes
    ----------
    shape : str
        Such as "cycle of 6 nodes", or "cascade of 3 nodes: 0 activates 1, 1 represses 2".
    labels : tuple of (str or None)
        Label of each pattern node, None for a mixed one; empty where the data have no labels.
    differences : tuple of FeatureDifference
        Furthest from the mean of the graph first, at most three.
    """

    shape: str
    labels: tuple[str | None, ...]
    differences: tuple[FeatureDifference, ...]

    def __str__(self) -> str:
        """Such as "cycle of 6 nodes: 6 carbon"."""
        counts = Counter(label or "mixed" for label in self.labels).most_common()
        listed = ", ".join(f"{number} {label}" for label, number in counts)
        head = f"{self.shape}: {listed}" if listed else self.shape
        if listed and ": " in self.shape:
            # the relations follow the first colon
            head = f"{self.shape} ({listed})"
        return "; ".join([head, *map(str, self.differences)])


def describe_features(
    pattern: Pattern, source: Any, *, background: FeatureBackground | None = None
) -> FeatureDescription:
    """Describe a pattern by its shape, its labels and the features that differ.

    Parameters
    ----------
    pattern : Pattern
    source : anything :func:`gomkcn.as_csr` takes
        The graph that was mined: the features at the pattern's occurrences are compared with those
        of all nodes.
    background : FeatureBackground, optional
        Of ``source``, to measure it only once for several patterns.

    Returns
    -------
    FeatureDescription

    Raises
    ------
    InputError
        For a graph with another number of features, or one that lacks an occurrence.

    Examples
    --------
    >>> import networkx as nx
    >>> from gomkcn_dgl.graph import csr_from_edges
    >>> from mining import PatternMiner
    >>> rings = nx.disjoint_union_all([nx.cycle_graph(6)] * 5)
    >>> atoms = np.eye(2)[[0, 0, 0, 0, 0, 1] * 5]
    >>> graph = csr_from_edges(*np.array(rings.edges).T, 30, features=atoms,
    ...                        feature_names=["label=C", "label=N"])
    >>> (pattern,) = PatternMiner(1, (6, 6), sources="filters", null="none").fit(graph).patterns_
    >>> str(describe_features(pattern, graph))
    'cycle of 6 nodes: 5 carbon, 1 nitrogen'
    """
    graph = as_csr(source)
    background = FeatureBackground.fit(graph) if background is None else background
    if len(background.names) != pattern.features.shape[1]:
        raise InputError(
            f"source must have the {pattern.features.shape[1]} features of the pattern, "
            f"got {len(background.names)}."
        )
    mean, std = measure_occurrences(pattern, graph)
    return FeatureDescription(
        describe_shape(pattern.structure),
        _labels(mean, background),
        _differences(mean, std, background),
    )


def describe_structure(structure: Structure, background: FeatureBackground) -> FeatureDescription:
    """Describe a structure that was counted by its shape and its labels."""
    labels: tuple[str | None, ...] = ()
    if structure.categories and background.label_groups:
        columns = background.label_groups[0]
        words = dict(
            zip((background.names[c] for c in columns), background.label_names(), strict=True)
        )
        labels = tuple(
            next((words[name] for name in names if name in words), None)
            for names in structure.categories
        )
    return FeatureDescription(describe_shape(structure), labels, ())


def _labels(mean: np.ndarray, background: FeatureBackground) -> tuple[str | None, ...]:
    """Label of each pattern node on which enough occurrences agree."""
    if not background.label_groups:
        return ()
    names = background.label_names()
    shares = mean[:, background.label_groups[0]]  # [M, labels]
    return tuple(names[row.argmax()] if row.max() >= _LABEL_SHARE else None for row in shares)


def _differences(
    mean: np.ndarray, std: np.ndarray, background: FeatureBackground
) -> tuple[FeatureDifference, ...]:
    """Features that differ from the graph, by column and direction."""
    # a constant column differs nowhere
    unit = np.where(background.std > 1e-9, background.std, np.inf)
    distance = (mean - background.mean) / unit  # [M, D]
    differs = np.where(
        background.is_binary,
        np.abs(mean - background.mean) >= _BINARY_DIFFERENCE,
        (np.abs(distance) >= _LEAST_DISTANCE) & (std / unit <= _LARGEST_SPREAD),
    )
    if background.label_groups:
        differs[:, background.label_groups[0]] = False
    # one entry for each column and direction, ranked by the distance summed over the nodes
    ranked = []
    for column, name in enumerate(background.names):
        for direction in (1, -1):
            nodes = np.flatnonzero(differs[:, column] & (direction * distance[:, column] > 0))
            if len(nodes):
                values, usual = mean[nodes, column], float(background.mean[column])
                low, high = float(values.min()), float(values.max())
                difference = FeatureDifference(name, tuple(nodes.tolist()), low, high, usual)
                ranked.append((-np.abs(distance[nodes, column]).sum(), difference))
    ranked.sort(key=lambda entry: entry[0])
    return tuple(difference for _, difference in ranked[:_MOST_DIFFERENCES])
