"""Mining graphs with directions and relations: what is planted is found, and counted exactly."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure
from mining.miner import PatternMiner
from mining.settings import checkpoint_bytes, restore_miner

LOOP, CYCLE = ((0, 1), (0, 2), (1, 2)), ((0, 1), (1, 2), (2, 0))


def planted(motifs, num_copies, seed=0, num_nodes=150):
    """Copies of motifs on a tree whose edges have random directions, by an edge each."""
    rng = np.random.default_rng(seed)
    edges = list(nx.barabasi_albert_graph(num_nodes, 1, seed=seed).edges)
    relations = rng.integers(2, size=len(edges)).tolist()
    size = num_nodes
    for arcs, types in motifs:
        for _ in range(num_copies):
            edges += [(size + u, size + v) for u, v in arcs]
            edges.append((size + int(rng.integers(3)), int(rng.integers(num_nodes))))
            relations += [*types, int(rng.integers(2))]
            size += 3
    edges = [edge[:: rng.choice([-1, 1])] if max(edge) < num_nodes else edge for edge in edges]
    return np.array(edges), np.array(relations), size


def in_networkx(edges, relations, size):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(size))
    for (u, v), relation in zip(edges.tolist(), relations.tolist(), strict=True):
        graph.add_edge(u, v, relation=relation)
    return graph


def count_by_networkx(graph, pattern):
    matcher = nx.algorithms.isomorphism.DiGraphMatcher(
        graph, pattern, edge_match=lambda a, b: a.get("relation") == b.get("relation")
    )
    return len({frozenset(mapping) for mapping in matcher.subgraph_isomorphisms_iter()})


def test_a_feed_forward_loop_and_a_cycle_are_two_patterns():
    edges, relations, size = planted([(LOOP, (0,) * 3), (CYCLE, (0,) * 3)], 30)
    graph = csr_from_edges(*edges.T, size, directed=True)
    miner = PatternMiner(num_patterns=6, pattern_size=3, null_samples=99).fit(graph)
    whole = in_networkx(edges, 0 * relations, size)
    found = set()
    for pattern in miner.patterns_:
        drawn = pattern.to_networkx()
        assert isinstance(drawn, nx.DiGraph)
        for _, _, values in drawn.edges(data=True):
            values["relation"] = 0
        assert pattern.frequency.count == count_by_networkx(whole, drawn) > 0
        assert len({frozenset(one.nodes) for one in pattern.occurrences}) == pattern.frequency.count
        # each listed occurrence has the arcs of the pattern, at the nodes that they are mapped to
        for one in pattern.occurrences:
            arcs = {(one.nodes[u], one.nodes[v]) for u, v in pattern.edges}
            assert arcs == set(whole.subgraph(one.nodes).edges)
        if len(pattern.edges) == 3:
            cyclic = not nx.is_directed_acyclic_graph(drawn)
            found.add(cyclic)
            assert pattern.frequency.listed == pattern.frequency.count == 30
            assert pattern.frequency.disjoint == 30
            assert pattern.significance["degree"].verdict == "more frequent"
    assert found == {False, True}


def test_counts_and_places_with_directions_relations_and_categories_are_those_of_networkx():
    edges, relations, size = planted([(LOOP, (0, 1, 1))], 8, seed=3, num_nodes=40)
    labels = np.random.default_rng(3).integers(2, size=size)
    given = {"relation": relations, "relation_names": ["acts", "binds"]}
    graph = csr_from_edges(
        *edges.T, size, directed=[True, True], features=np.eye(2)[labels], **given
    )
    whole = in_networkx(edges, relations, size)
    nx.set_node_attributes(whole, {node: f"x{label}" for node, label in enumerate(labels)}, "kind")
    options = {"sources": "filters", "num_epochs": 1, "min_occurrences": 1}
    miner = PatternMiner(40, "3-4", null="none", **options).fit(graph)
    assert len(miner.patterns_) > 20
    for pattern in miner.patterns_:
        drawn = nx.DiGraph()
        for node, (kind,) in enumerate(pattern.categories):
            drawn.add_node(node, kind=kind)
        for (u, v), relation in zip(pattern.edges, pattern.edge_relations, strict=True):
            drawn.add_edge(u, v, relation=relation)
        matcher = nx.algorithms.isomorphism.DiGraphMatcher(
            whole, drawn, node_match=lambda a, b: a["kind"] == b["kind"],
            edge_match=lambda a, b: a["relation"] == b["relation"],
        )  # fmt: skip
        expected = {frozenset(mapping) for mapping in matcher.subgraph_isomorphisms_iter()}
        assert {frozenset(one.nodes) for one in pattern.occurrences} == expected
        assert pattern.frequency.count == pattern.frequency.listed == len(expected) > 0
        for one in pattern.occurrences:
            copy = nx.relabel_nodes(drawn, dict(enumerate(one.nodes)))
            assert nx.utils.graphs_equal(copy, nx.DiGraph(whole.subgraph(one.nodes)))


def test_types_tell_patterns_apart_and_a_checkpoint_keeps_them(tmp_path):
    """Two triangles that differ by the relation of one edge; one relation has no direction."""
    edges, relations, size = planted([(LOOP, (0, 0, 1)), (LOOP, (0, 1, 1))], 20, seed=1)
    given = {"relation": relations, "relation_names": ["acts", "binds"]}
    graph = csr_from_edges(*edges.T, size, directed=[True, False], **given)
    options = {"sources": "filters", "null": "none", "values": "similarity"}
    miner = PatternMiner(num_patterns=40, pattern_size=3, **options).fit(graph)
    triangles = [p for p in miner.patterns_ if len(p.edges) == 3]
    assert sorted(sorted(p.edge_relations) for p in triangles) == [[0, 0, 1], [0, 1, 1]]
    for pattern in triangles:
        assert pattern.relations.names == ("acts", "binds")
        assert pattern.frequency.count == pattern.frequency.listed == 20
        assert all(
            u < v for (u, v), one in zip(pattern.edges, pattern.edge_relations, strict=True) if one
        )
    # a graph whose relations are in another order is compared as well
    other = csr_from_edges(
        *edges.T, size, directed=[False, True], relation=1 - relations,
        relation_names=["binds", "acts"],
    )  # fmt: skip
    np.testing.assert_array_equal(miner.transform(graph), miner.transform(other))
    path = tmp_path / "checkpoint.pt"
    path.write_bytes(checkpoint_bytes(miner))
    again = restore_miner(path)
    # patterns and the set are in tables of their own
    again.patterns_, again.motif_set_ = miner.patterns_, miner.motif_set_
    np.testing.assert_array_equal(again.transform(graph), miner.transform(graph))
    with pytest.raises(InputError, match="^graph must have relations that the miner was fitted on"):
        again.transform(csr_from_edges(*edges.T, size, directed=True))


def test_edges_both_ways_are_the_undirected_graph():
    """Directions that say nothing change no pattern."""
    graph = nx.disjoint_union_all([nx.cycle_graph(5)] * 8 + [nx.wheel_graph(5)] * 8)
    edges = np.array(graph.edges)
    plain = csr_from_edges(*edges.T, len(graph))
    both = csr_from_edges(*np.concatenate([edges, edges[:, ::-1]]).T, len(graph), directed=True)
    options = {"num_patterns": 3, "pattern_size": (5, 5), "null": "none"}
    found = [
        sorted(
            (Structure(p.structure.joined).key, p.frequency.count, p.frequency.roots)
            for p in one.patterns_
        )
        for one in (PatternMiner(**options).fit(plain), PatternMiner(**options).fit(both))
    ]
    assert found[0] == found[1] and len(found[0]) == 2
