"""Random pairs of a pattern and a graph, of all kinds, and a slow counter that shares no code."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import networkx as nx
import numpy as np

from gomkcn_dgl.csr import CSRGraph, csr_from_edges
from gomkcn_dgl.graphs.structure import Structure

# directed, typed, categorical
KINDS = tuple(itertools.product((False, True), repeat=3))
SIZES = (3, 8)
# partial mappings that the slow counter lists
MOST_MAPPINGS = 100_000


class TooManyError(Exception):
    """A pattern with so many mappings is not counted by listing them."""


@dataclass(frozen=True)
class Pair:
    """A graph, and a pattern that is somewhere in it: links and colours of both."""

    graph: CSRGraph
    links: np.ndarray  # [V, V]
    colors: np.ndarray  # [V]
    nodes: np.ndarray  # [M], where the pattern comes from

    @property
    def pattern(self) -> tuple[np.ndarray, np.ndarray]:
        return self.links[np.ix_(self.nodes, self.nodes)], self.colors[self.nodes]

    @property
    def structure(self) -> Structure:
        """The pattern as it is given to the library."""
        links, _ = self.pattern
        return Structure.of_channels(self.graph.relations.links[links], self.graph.relations)

    def count(self) -> int:
        """Induced occurrences, by a table of all partial mappings that grows node by node."""
        own, colors = self.pattern
        mappings = _num_mappings(self.links, self.colors, own, colors)
        return mappings // _num_mappings(own, colors, own, colors)


def _num_mappings(
    links: np.ndarray, colors: np.ndarray, own: np.ndarray, own_colors: np.ndarray
) -> int:
    table = np.flatnonzero(colors == own_colors[0])[:, None]
    for i in range(1, len(own)):
        if len(table) > MOST_MAPPINGS:
            raise TooManyError
        fits = np.tile(colors == own_colors[i], (len(table), 1))
        for j in range(i):
            fits &= (links[table[:, j]] == own[j, i]) & (links.T[table[:, j]] == own[i, j])
            fits[np.arange(len(table)), table[:, j]] = False
        rows, nodes = np.nonzero(fits)
        table = np.column_stack([table[rows], nodes])
    return len(table)


def draw_pair(rng: np.random.Generator, directed: bool, typed: bool, categorical: bool) -> Pair:
    """A random, a scale-free or a clustered graph of 20 to 39 nodes, and a connected part of it."""
    size, seed = int(rng.integers(20, 40)), int(rng.integers(2**31))
    base = (
        nx.gnp_random_graph(size, 4 / size, seed=seed),
        nx.barabasi_albert_graph(size, 2, seed=seed),
        nx.powerlaw_cluster_graph(size, 3, 0.6, seed=seed),
    )[rng.integers(3)]
    edges = np.array(base.edges)
    if directed:
        turned, both = rng.random((2, len(edges)))
        edges[turned < 0.5] = edges[turned < 0.5, ::-1]
        edges = np.concatenate([edges, edges[both < 0.2, ::-1]])
    graph = csr_from_edges(
        *edges.T,
        size,
        directed=directed,
        relation=rng.integers(2, size=len(edges)) if typed else None,
        relation_names=("a", "b") if typed else ("edge",),
    )
    links = np.zeros((size, size), np.int64)
    rows = np.repeat(np.arange(size), graph.degrees)
    links[rows, graph.indices] = 1 if graph.links is None else graph.links
    colors = rng.integers(2, size=size) if categorical else np.zeros(size, np.int64)
    return Pair(graph, links, colors, _draw_part(rng, nx.Graph(np.argwhere(links).tolist())))


def _draw_part(rng: np.random.Generator, joined: nx.Graph) -> np.ndarray:
    """Connected nodes in a random order; their number is drawn, but a small piece may have less."""
    wanted = int(rng.integers(SIZES[0], SIZES[1] + 1))
    largest = max(nx.connected_components(joined), key=len)
    part = [int(rng.choice(sorted(largest)))]
    while len(part) < wanted:
        beside = {v for u in part for v in joined[u]} - set(part)
        part.append(int(rng.choice(sorted(beside))))
    return rng.permutation(part)
