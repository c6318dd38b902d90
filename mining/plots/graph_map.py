"""The part of a graph that the page shows: which nodes, where they lie, and what they are like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from mining.descriptions.feature_background import FeatureBackground
from mining.graph_relations import edges_among
from mining.occurrences import Occurrences
from mining.pattern import Pattern
from mining.plots.layout import map_positions
from mining.plots.styles import NodeColors

# larger graphs are shown in part
MOST_NODES, MOST_EDGES = 50_000, 100_000
# of these: nodes of places, and at most as many of their neighbours
_NODES_OF_PLACES = 3000
# neighbours of one node that are looked at
_NEAR = 50
_MOST_FEATURES = 6


@dataclass(frozen=True, eq=False)
class GraphMap:
    """Nodes of a graph or a collection, with their edges and positions.

    ``names`` are the input's own ids of the V nodes and ``graphs`` int64 ``[V]`` the index of the
    graph of each; ``positions`` is ``[V, 2]``. ``edges`` is int64 ``[E, 2]``, from the first node
    to the second where they have a direction, ``edge_relations`` int64 ``[E]`` their relations by
    number. ``colors`` are colours ``#rrggbb`` and ``color_of`` int64 ``[V]`` says which of them a
    node has; ``texts`` and ``text_of`` say the same of its features in words. ``legend`` has labels
    and their colours, and ``faces`` the colours of the nodes of each pattern.
    """

    names: Sequence[int | str]
    graphs: np.ndarray
    positions: np.ndarray
    edges: np.ndarray
    edge_relations: np.ndarray
    colors: Sequence[str]
    color_of: np.ndarray
    texts: Sequence[str]
    text_of: np.ndarray
    legend: Sequence[tuple[str, str]]
    faces: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        size = len(self.names)
        by_node = (self.graphs, self.positions, self.color_of, self.text_of)
        if any(len(values) != size for values in by_node):
            raise ValueError(f"a list of the map does not have the length of its {size} nodes")
        if self.edges.max(initial=-1) >= size:
            raise ValueError(f"an edge leaves the {size} nodes of the map")
        if len(self.edge_relations) != len(self.edges):
            raise ValueError(
                f"{len(self.edge_relations)} relations for the {len(self.edges)} edges of the map"
            )
        if self.color_of.max(initial=-1) >= len(self.colors):
            raise ValueError(f"a node has none of the {len(self.colors)} colours of the map")
        if self.text_of.max(initial=-1) >= len(self.texts):
            raise ValueError(f"a node has none of the {len(self.texts)} texts of the map")

    @classmethod
    def of(
        cls, graph: CSRGraph, patterns: Sequence[Pattern], background: FeatureBackground
    ) -> GraphMap:
        """Map a graph of at most 50,000 nodes and 100,000 edges; of a larger one, some places.

        Of a larger graph there are places of each pattern, and the neighbours that have most edges
        to them.
        """
        if graph.num_nodes <= MOST_NODES and graph.num_edges <= MOST_EDGES:
            rows = np.arange(graph.num_nodes)
            source, target, relation = graph.edges()
        else:
            rows, (source, target, relation) = _choose_part(graph, patterns)
        colors = NodeColors.choose(background, np.concatenate([one.features for one in patterns]))
        ones = np.ones(len(rows))
        # several edges of two nodes are one line of the map
        pairs = np.unique(np.sort(np.stack([source, target], axis=1), axis=1), axis=0)
        plain = csr_from_edges(pairs[:, 0], pairs[:, 1], len(rows), features=ones, undirected=True)
        features = graph.features[rows]
        # nodes with the same features share a colour and a text
        kinds, kind_of = np.unique(features, axis=0, return_inverse=True)
        shades, color_of = np.unique(np.array(colors.faces(kinds)), return_inverse=True)
        kind_of = kind_of.reshape(-1)
        return cls(
            names=graph.original_ids(rows),
            graphs=graph.graph_of(rows),
            positions=np.round(map_positions(plain), 2),
            edges=np.column_stack([source, target]),
            edge_relations=relation,
            colors=shades.tolist(),
            color_of=color_of[kind_of],
            texts=_describe(kinds, background),
            text_of=kind_of,
            legend=colors.legend,
            faces=[colors.faces(pattern.features) for pattern in patterns],
        )

    def to_dict(self) -> dict[str, Any]:
        """The record of ``map.json``."""
        lists = {
            name: value.tolist() if isinstance(value, np.ndarray) else list(value)
            for name, value in vars(self).items()
        }
        return {**lists, "legend": dict(self.legend), "faces": [list(one) for one in self.faces]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> GraphMap:
        """Read a record of ``map.json``; refuse lists that do not belong together."""
        lists = ("names", "colors", "texts", "faces")
        parts: dict[str, Any] = {
            name: record[name] if name in lists else np.array(record[name], dtype=np.int64)
            for name in cls.__annotations__
            if name not in ("positions", "edges", "legend")
        }
        return cls(
            legend=tuple(record["legend"].items()),
            positions=np.array(record["positions"], dtype=float).reshape(-1, 2),
            edges=np.array(record["edges"], dtype=np.int64).reshape(-1, 2),
            **parts,
        )


def _choose_part(
    graph: CSRGraph, patterns: Sequence[Pattern]
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Rows of nodes around the places of some patterns, and the edges among them."""
    places = [
        Occurrences.of(pattern.occurrences, pattern.num_nodes).rows_in(graph)
        for pattern in patterns
    ]
    number = _NODES_OF_PLACES
    while True:
        inside = [rows[: number // (rows.shape[1] * len(places))].ravel() for rows in places]
        taken = np.unique(np.concatenate(inside)) if inside else np.empty(0, np.int64)
        rows = taken = taken[taken >= 0]
        if len(taken):
            starts, ends = graph.indptr[taken], graph.indptr[taken + 1]
            ends = np.minimum(ends, starts + _NEAR)
            near = [graph.indices[at:end] for at, end in zip(starts, ends, strict=True)]
            around, ties = np.unique(np.concatenate(near), return_counts=True)
            outside = np.flatnonzero(~np.isin(around, taken))
            outside = outside[np.argsort(-ties[outside], kind="stable")][:number]
            rows = np.sort(np.concatenate([taken, around[outside]]))
        edges = np.array(edges_among(graph, rows), dtype=np.int64).reshape(-1, 3)
        if len(edges) <= MOST_EDGES:
            return rows, tuple(edges.T)
        # a dense graph: fewer places
        number //= 2


def _describe(rows: np.ndarray, background: FeatureBackground) -> list[str]:
    """Say which features nodes have, such as "label=C" or "x0 = 0.25", six at most."""
    is_label = [
        "=" in name and bool(binary)
        for name, binary in zip(background.names, background.is_binary, strict=True)
    ]
    varies = np.flatnonzero(background.std > 1e-6).tolist()
    texts = []
    for row in rows.tolist():
        said = [
            background.names[column]
            if is_label[column]
            else f"{background.names[column]} = {row[column]:.3g}"
            for column in varies
            if row[column] or not is_label[column]
        ]
        texts.append(
            ", ".join(said[:_MOST_FEATURES]) + (", …" if len(said) > _MOST_FEATURES else "")
        )
    return texts
