"""The argument PATTERN of a command: a name, edges as text, a file, or a pattern of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from gomkcn_dgl.errors import InputError

if TYPE_CHECKING:
    from gomkcn_dgl.csr import CSRGraph
    from gomkcn_dgl.relations import Relations
    from mining.structures.categories import Categories

# the libraries are imported inside the functions, so that --help answers at once

GRAPHML = ".graphml"
_FAMILIES: dict[str, Callable[[int], nx.Graph]] = {
    "clique": nx.complete_graph,
    "ring": nx.cycle_graph,
    "path": nx.path_graph,
    "star": lambda size: nx.star_graph(size - 1),
}
_FAMILY = re.compile(rf"({'|'.join(_FAMILIES)})-(\d{{1,2}})")

# a->b, a--b, a-[activates]->b, a-[binds]-b; a node is a name, or a name and categories: b:C
_NODE = r"([^\s,:>\[-]+)((?::[^\s,:>\[]+?)*)"
_EDGE = re.compile(rf"\s*{_NODE}\s*-(?:\[([^\]]+)\])?(-?>|-)\s*{_NODE}\s*")


@dataclass(frozen=True)
class PatternArgument:
    """A pattern that was given on the command line.

    ``channels [M, M, C]`` are in terms of ``relations``. A node has categories by name, or, in a
    pattern of a run or of a GraphML file, features ``[M, D]`` from which they are read.
    """

    names: tuple[str, ...]
    channels: np.ndarray
    relations: Relations
    categories: tuple[tuple[str, ...], ...] = ()
    features: np.ndarray | None = None
    feature_names: tuple[str, ...] = ()

    @classmethod
    def of_motif(cls, motif: Any, names: Sequence[str] = (), **more: Any) -> PatternArgument:
        """A motif, or a pattern of a run; its nodes are numbered unless they have names."""
        names = names or [str(node) for node in range(motif.num_nodes)]
        return cls(tuple(names), motif.channels(), motif.relations, **more)

    def colors_in(self, graph: CSRGraph) -> tuple[tuple[np.ndarray, np.ndarray] | None, str]:
        """Colours of the nodes of pattern and graph by their categories, and these in words."""
        from mining.structures.categories import Categories

        if not any(self.categories) and self.features is None:
            return None, ""
        all_categories = Categories.find(graph.features, graph.feature_names)
        if self.features is None:
            rows = self._columns(all_categories, graph.feature_names)
        else:
            rows = self._columns_of_features(all_categories, graph.feature_names)
        used = tuple(group for group in all_categories.groups if set(group) & set(rows[0]))
        if not used:
            return None, ""
        own = np.zeros((len(rows), len(graph.feature_names)), np.float32)
        for node, columns in enumerate(rows):
            own[node, columns] = 1
        words = [" ".join(graph.feature_names[column] for column in columns) for columns in rows]
        categories = Categories(used)
        return (categories.colors(own), categories.colors(graph.features)), ", ".join(words)

    def _columns(self, categories: Categories, names: Sequence[str]) -> list[list[int]]:
        """Columns of the categories that are given by name."""
        rows = [[_find(name, categories, names) for name in row] for row in self.categories]
        groups = [[group for group in categories.groups if set(group) & set(row)] for row in rows]
        for node, row, used in zip(self.names, rows, groups, strict=True):
            if used != groups[0] or len(used) != len(row):
                raise InputError(
                    "PATTERN must give each node a category of the same kinds, or none to any, as "
                    f"in 'a:C--b:C, b--c:N'; {node!r} differs from {self.names[0]!r}."
                )
        return rows

    def _columns_of_features(self, categories: Categories, names: Sequence[str]) -> list[list[int]]:
        """Columns of the categories that pattern and graph have both."""
        assert self.features is not None
        rows: list[list[int]] = [[] for _ in self.names]
        for group in categories.groups:
            shared = [column for column in group if names[column] in self.feature_names]
            if not shared:
                continue
            own = self.features[:, [self.feature_names.index(names[c]) for c in shared]]
            for row, best in zip(rows, own.argmax(axis=1).tolist(), strict=True):
                row.append(shared[best])
        return rows


def _find(name: str, categories: Categories, names: Sequence[str]) -> int:
    """The column of a category, by its name or the part after the last "="."""
    same = [c for c in categories.columns if names[c] == name]
    same = same or [c for c in categories.columns if names[c].rpartition("=")[2] == name]
    if len(same) != 1:
        known = [names[c] for c in same or categories.columns]
        listed = ", ".join(known[:20]) or "none"
        raise InputError(
            f"PATTERN must have categories of GRAPH, which are {listed}, got {name!r}."
        )
    return same[0]


def read_pattern(text: str, graph: CSRGraph) -> PatternArgument:
    """The pattern that PATTERN names, for a graph that decides what benzene is."""
    from synthetic import MOTIFS, read_motif

    run, colon, number = text.rpartition(":")
    family = _FAMILY.fullmatch("clique-3" if text == "triangle" else text)
    if text in MOTIFS:
        motif = MOTIFS[text]
        differ = len(set(motif.roles)) == motif.num_nodes
        return PatternArgument.of_motif(motif, motif.roles if differ else ())
    if text == "benzene":
        bond = "-[aromatic]-" if "aromatic" in graph.relations.names else "--"
        return _parse_edges(", ".join(f"{i}:C{bond}{(i + 1) % 6}" for i in range(6)))
    if family:
        return _of_family(family[1], int(family[2]))
    if colon and Path(run).is_dir():
        pattern = _find_pattern_of_run(run, number)
        more = {"features": pattern.features, "feature_names": tuple(pattern.feature_names)}
        return PatternArgument.of_motif(pattern, **more)
    if Path(text).is_file():
        if Path(text).suffix == GRAPHML:
            return _read_graphml(text)
        motif = read_motif(text)
        return PatternArgument.of_motif(motif, motif.roles)
    if "-" in text and any(map(_EDGE.fullmatch, text.split(","))):
        return _parse_edges(text)
    families = ", ".join(f"{name}-N" for name in _FAMILIES)
    raise InputError(
        f"PATTERN must be a file, RUN:ID, edges such as 'a->b, b->c', triangle, benzene, {families}"
        f" of N nodes, or one of {', '.join(sorted(MOTIFS))}, got {text!r}."
    )


def _of_family(name: str, size: int) -> PatternArgument:
    from gomkcn_dgl.relations import SIMPLE
    from mining.counting.topology import MOST_PATTERN_NODES

    least = 3 if name == "ring" else 2
    if not least <= size <= MOST_PATTERN_NODES:
        raise InputError(
            f"PATTERN {name}-N must have from {least} to {MOST_PATTERN_NODES} nodes, got {size}."
        )
    adjacency = nx.to_numpy_array(_FAMILIES[name](size), dtype=bool)
    return PatternArgument(tuple(map(str, range(size))), adjacency[:, :, None], SIMPLE)


def _parse_edges(text: str) -> PatternArgument:
    """The pattern of edges such as ``a->b, b-[binds]-c, c:N--d:O``."""
    from gomkcn_dgl.relations import PLAIN
    from synthetic import Motif

    categories: dict[str, tuple[str, ...]] = {}
    edges, names, directed = [], [], dict[str, bool]()
    for part in text.split(","):
        edge = _EDGE.fullmatch(part)
        if edge is None:
            raise InputError(
                "PATTERN must have edges like a->b, a--b, a-[NAME]->b or a-[NAME]-b, or with "
                f"categories a:C--b:N, separated by commas, got {part.strip()!r}."
            )
        first, of_first, name, arrow, second, of_second = edge.groups()
        name = PLAIN if name is None else name.strip()
        for node, given in ((first, of_first), (second, of_second)):
            own = tuple(given.split(":")[1:])
            if categories.setdefault(node, own) and own not in ((), categories[node]):
                raise InputError(f"PATTERN gives {node!r} two categories, in {part.strip()!r}.")
            categories[node] = categories[node] or own
        if directed.setdefault(name, arrow.endswith(">")) != arrow.endswith(">"):
            raise InputError(
                "PATTERN must give all edges of one relation a direction, or none, got "
                f"{part.strip()!r}; call one of the relations otherwise, as in a-[NAME]->b."
            )
        i, j = list(categories).index(first), list(categories).index(second)
        edges.append((i, j) if directed[name] else (min(i, j), max(i, j)))
        names.append(name)
    nodes, with_direction = tuple(categories), tuple(name for name, one in directed.items() if one)
    motif = Motif("PATTERN", tuple(edges), nodes, "given as text", with_direction, tuple(names))
    return PatternArgument.of_motif(motif, nodes, categories=tuple(categories.values()))


def _find_pattern_of_run(run: str, number: str) -> Any:
    from mining.results.run_folder import read_run

    patterns = {str(pattern.id): pattern for pattern in read_run(run).patterns}
    if number not in patterns:
        raise InputError(
            f"PATTERN must name one of the {len(patterns)} patterns of {run}, as in {run}:0, "
            f"got {number!r}."
        )
    return patterns[number]


def _read_graphml(path: str) -> PatternArgument:
    from gomkcn_dgl.io.reading import read_graph
    from gomkcn_dgl.relations import edge_channels
    from mining.counting.topology import MOST_PATTERN_NODES

    try:
        # the attribute that patterns and graphs are written with
        relation, graph = "relation", read_graph(path, relation="relation")
    except InputError:
        relation, graph = None, read_graph(path)
    # before a large graph, given by mistake, becomes a matrix
    if graph.num_nodes > MOST_PATTERN_NODES:
        raise InputError(
            f"PATTERN must have at most {MOST_PATTERN_NODES} nodes, got {path} with "
            f"{graph.num_nodes}."
        )
    # now with all of its features, which are not read unless they are named
    attributes = {name for _, row in nx.read_graphml(path).nodes(data=True) for name in row}
    if attributes:
        graph = read_graph(path, relation=relation, features=sorted(attributes))
    source, target, numbers = (column.tolist() for column in graph.edges())
    edges = list(zip(source, target, strict=True))
    names = map(str, graph.original_ids(np.arange(graph.num_nodes)))
    channels = edge_channels(graph.num_nodes, edges, numbers, graph.relations)
    features = graph.features, graph.feature_names
    return PatternArgument(tuple(names), channels, graph.relations, (), *features)
