"""All frequent subgraphs of one graph: beside brute force, a citation graph, in a command."""

from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import MultiDiGraphMatcher

from gomkcn.mining.frequent.gspan import frequent_subgraphs
from gomkcn_dgl.csr import csr_from_edges

TRUTH = Path(__file__).parents[4] / "shared" / "truth"


def random_graph(seed, num_nodes, num_edges, *, labels=1, relations=1, directed=False, pieces=1):
    """A random graph whose nodes have one of some labels, and edges one of some relations."""
    rng = np.random.default_rng(seed)
    size = num_nodes // pieces
    edges = set()
    for _ in range(num_edges):
        u, v = rng.choice(size, 2, replace=False) + size * rng.integers(pieces)
        u, v = (u, v) if directed else (min(u, v), max(u, v))
        edges.add((int(u), int(v), int(rng.integers(relations))))
    return labelled(sorted(edges), rng.integers(labels, size=num_nodes), relations, directed)


def labelled(edges, node_labels, relations=1, directed=False):
    """A graph, its labels and its edges, as the brute force takes them."""
    source, target, relation = np.array(edges).T
    named = {"relation": relation, "relation_names": tuple("pqr"[:relations])}
    graph = csr_from_edges(
        source,
        target,
        len(node_labels),
        features=np.eye(3, dtype=np.float32)[node_labels],
        feature_names=["kind=a", "kind=b", "kind=c"],
        directed=directed,
        **(named if relations > 1 else {}),
    )
    return graph, edges, node_labels, directed


def brute_force(edges, node_labels, directed, most_nodes, least):
    """The definition, by monomorphisms of NetworkX: the supports of all connected subgraphs.

    An edge without direction is two arcs. Patterns grow by an edge at a time from those that are
    frequent, and those that are isomorphic are one.
    """
    host = nx.MultiDiGraph()
    host.add_nodes_from((node, {"label": int(label)}) for node, label in enumerate(node_labels))

    def add(graph, u, v, relation):
        graph.add_edge(u, v, relation=relation)
        if not directed:
            graph.add_edge(v, u, relation=relation)

    for u, v, relation in edges:
        add(host, u, v, relation)
    relations = {relation for *_, relation in edges}
    labels = {int(label) for label in node_labels}

    def same_node(one, other):
        return one["label"] == other["label"]

    def has_arcs(one, other):
        # all arcs of the pattern, which is the second
        there = [arc["relation"] for arc in one.values()]
        return all(arc["relation"] in there for arc in other.values())

    def support(pattern):
        images = {node: set() for node in pattern}
        matcher = MultiDiGraphMatcher(host, pattern, same_node, has_arcs)
        for mapping in matcher.subgraph_monomorphisms_iter():
            for node, role in mapping.items():
                images[role].add(node)
        return min(map(len, images.values()))

    def is_same(one, other):
        if len(one) != len(other) or one.size() != other.size():
            return False

        def equal_arcs(first, second):
            kinds = [sorted(arc["relation"] for arc in arcs.values()) for arcs in (first, second)]
            return kinds[0] == kinds[1]

        return nx.is_isomorphic(one, other, same_node, equal_arcs)

    def longer(pattern):
        size = len(pattern)
        for relation in relations:
            ends = [(u, v) for u in pattern for v in pattern if u != v]
            for u, v in ends if directed else combinations(pattern, 2):
                arcs = pattern.get_edge_data(u, v, default={}).values()
                if all(arc["relation"] != relation for arc in arcs):
                    yield [(u, v, relation)], None
            for u in pattern if size < most_nodes else ():
                for label in labels:
                    yield [(u, size, relation)], label
                    if directed:
                        yield [(size, u, relation)], label

    level = []
    for label in labels:
        alone = nx.MultiDiGraph()
        alone.add_node(0, label=label)
        level.append(alone)
    found = []
    while level:
        next_level = []
        for pattern in level:
            for new_edges, label in longer(pattern):
                grown = pattern.copy()
                if label is not None:
                    grown.add_node(len(pattern), label=label)
                for edge in new_edges:
                    add(grown, *edge)
                if any(is_same(grown, other) for other, _ in next_level):
                    continue
                if (number := support(grown)) >= least:
                    next_level.append((grown, number))
        found += next_level
        level = [pattern for pattern, _ in next_level]
    arcs = 1 if directed else 2
    return sorted((len(one), one.size() // arcs, number) for one, number in found)


CASES = {
    "one label": (random_graph(0, 24, 36), 4, 8),
    "two labels": (random_graph(1, 24, 40, labels=2), 4, 4),
    "three labels, directed": (random_graph(2, 30, 60, labels=3, directed=True), 4, 4),
    "directed, mutual pairs": (random_graph(3, 9, 50, directed=True), 3, 6),
    "types": (random_graph(4, 20, 44, labels=2, relations=2), 4, 5),
    "types and directions": (random_graph(5, 16, 60, relations=2, directed=True), 3, 6),
    "several edges between two nodes": (random_graph(6, 7, 70, relations=3), 3, 5),
    "dense": (random_graph(7, 9, 60), 4, 7),
    "in pieces": (random_graph(8, 30, 45, labels=2, pieces=3), 4, 4),
    "bipartite": (
        labelled(
            [(u, 10 + v, 0) for u in range(10) for v in range(8) if (u * v + u) % 3 == 0],
            np.repeat([0, 1], [10, 8]),
        ),
        4,
        4,
    ),
    "a tree": (
        labelled([((v - 1) // 2, v, 0) for v in range(1, 24)], np.arange(24) % 2),
        5,
        3,
    ),
    "tiny": (labelled([(0, 1, 0)], np.array([0, 1, 1])), 4, 1),
}


def supports_of(found):
    rows = zip(found.structures, found.support.tolist(), strict=True)
    return sorted((one.num_nodes, len(one.edges), support) for one, support in rows)


@pytest.mark.parametrize("name", CASES)
def test_all_are_found_with_the_supports_of_the_definition(name):
    (graph, edges, node_labels, directed), most, least = CASES[name]
    found = frequent_subgraphs(graph, least, (2, most))
    expected = brute_force(edges, node_labels, directed, most, least)
    assert supports_of(found) == expected and expected
    assert len({one.key for one in found.structures}) == len(found)
    assert found.is_complete
    # fewer images that are kept, and every order of the nodes
    assert supports_of(frequent_subgraphs(graph, least, (2, most), most_bytes=0)) == expected
    shuffled = np.random.default_rng(0).permutation(graph.num_nodes)
    again = labelled(
        [(shuffled[u], shuffled[v], relation) for u, v, relation in edges],
        node_labels[np.argsort(shuffled)],
        1 + max(relation for *_, relation in edges),
        directed,
    )[0]
    assert supports_of(frequent_subgraphs(again, least, (2, most))) == expected
