"""Random graphs that stand for those of a graph which is too large to be drawn as a whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gomkcn_dgl.csr import CSRGraph, concatenate, split_graphs
from mining.random_graphs import null_model

# a graph of more entries is looked at in parts, and its random graphs are small ones
LARGE = 1 << 24
# nodes of such a graph, and entries of these at most
_MOST_NODES, _MOST_ENTRIES = 1 << 18, 1 << 23


def is_large(graph: CSRGraph) -> bool:
    """Whether a graph has more entries than are looked at as a whole."""
    return isinstance(graph, CSRGraph) and len(graph.indices) > LARGE


def small_configuration(graph: CSRGraph, rng: np.random.Generator) -> tuple[CSRGraph, np.ndarray]:
    """Join random nodes of a graph at random: each keeps its number of edges of each kind.

    This is the erased configuration model on a sample of the nodes, with their features. A walk
    along its edges meets nodes with as many neighbours as one in such a graph of full size. Short
    cycles are more frequent, by about the factor that the graph is smaller, unless few hubs have
    most of the edges; so what recurs here more often than there stands out all the more. Of a
    collection random graphs are taken, and each keeps its nodes and degrees.

    Returns the graph and the nodes that were taken, int64.
    """
    if graph.num_graphs > 1:
        entries = np.diff(graph.indptr[graph.graph_ptr])
        order = rng.permutation(graph.num_graphs)
        chosen = np.sort(order[np.cumsum(entries[order]) <= _MOST_ENTRIES])
        if len(chosen):
            parts, ends = split_graphs(graph), graph.graph_ptr
            nodes = np.concatenate([np.arange(ends[one], ends[one + 1]) for one in chosen])
            some = concatenate([parts[one] for one in chosen])
            return degree_preserving(some, rng), nodes
    number = min(_MOST_NODES, graph.num_nodes)
    nodes = np.sort(rng.choice(graph.num_nodes, number, replace=False))
    degrees = graph.degrees_of(nodes)
    # in random order as many as there is room for, so that a hub is as likely as in the graph
    order = rng.permutation(number)
    taken = np.sort(order[np.cumsum(degrees[order]) <= _MOST_ENTRIES])
    nodes, degrees = nodes[taken], degrees[taken]
    # 1. the ends of their edges, and what each is an end of
    owner = np.repeat(np.arange(len(nodes)), degrees)
    links = np.ones(len(owner), np.int64)
    if graph.links is not None:
        links = graph.links[graph.entries_of(nodes)].astype(np.int64)
    # 2. ends that fit are joined at random
    pairs, kinds = [], []
    reverse = graph.relations.reverse
    for link in np.unique(links):
        back = int(reverse[link])
        ends = rng.permutation(owner[links == link])
        if link == back:
            half = len(ends) // 2
            joined = ends[:half], ends[half : 2 * half]
        elif link < back:
            others = rng.permutation(owner[links == back])
            half = min(len(ends), len(others))
            joined = ends[:half], others[:half]
        else:
            continue
        pairs.append(np.stack(joined, axis=1))
        kinds.append(np.full(half, link))
    ends = np.concatenate(pairs) if pairs else np.empty((0, 2), np.int64)
    kind = np.concatenate(kinds) if kinds else np.empty(0, np.int64)
    # 3. loops and what would be there twice are erased
    keys = ends.min(axis=1) * len(nodes) + ends.max(axis=1)
    _, first = np.unique(keys, return_index=True)
    first = first[ends[first, 0] != ends[first, 1]]
    ends, kind = ends[first], kind[first]
    row, column = np.concatenate([ends, ends[:, ::-1]]).T
    entry = np.lexsort((column, row))
    own: np.ndarray = np.concatenate([kind, reverse[kind]])[entry].astype(graph.relations.code_type)
    small = replace(
        graph,
        indptr=np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(nodes)))]),
        indices=column[entry].astype(np.int32),
        features=graph.features[nodes],
        graph_ptr=np.array([0, len(nodes)]),
        weights=None,
        links=None if graph.links is None else own,
        node_ids=None,
    )
    return small, nodes


def degree_preserving(graph: CSRGraph, rng: np.random.Generator) -> CSRGraph:
    """A random graph whose nodes have the degrees of this one, as many edges between each two."""
    return null_model("joint-degree", graph).sample(graph, int(rng.integers(2**32)))
