"""Exact counts with directions, relations and colours: against networkx and igraph."""

import itertools

import igraph
import networkx as nx
import numpy as np
import pytest
from random_graphs import channels_of_graph, random_graph

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.relations import edge_channels, relations_of
from mining.counting.exact_search import count_by_graph
from mining.counting.sought import join_by_graph
from mining.graph_relations import channels_in


def of_arcs(arcs, size):
    """A structure of arcs."""
    return Structure.of_edges(size, list(arcs), directed=True)


def as_networkx(channels, colors):
    """A digraph whose arcs hold the channels that they leave by."""
    graph = nx.DiGraph()
    graph.add_nodes_from((node, {"color": color}) for node, color in enumerate(colors.tolist()))
    for u, v in np.argwhere(channels.any(axis=2)).tolist():
        graph.add_edge(u, v, channels=channels[u, v].tolist())
    return graph


def node_sets_by_networkx(graph, pattern):
    matcher = nx.algorithms.isomorphism.DiGraphMatcher(
        graph, pattern, lambda a, b: a["color"] == b["color"], lambda a, b: a == b
    )
    return {frozenset(mapping) for mapping in matcher.subgraph_isomorphisms_iter()}


@pytest.mark.parametrize("with_colors", [False, True])
def test_networkx_finds_as_many_typed_and_coloured(with_colors):
    rng = np.random.default_rng(int(with_colors))
    total = 0
    for _ in range(100):
        graph, colors = random_graph(rng, 9, int(rng.integers(10, 30)))
        channels = channels_of_graph(graph)
        # a connected part of the graph in another order, sometimes with an edge turned round
        whole = nx.Graph(np.argwhere(channels.any(axis=2)).tolist())
        start = int(rng.choice(list(whole)))
        part = list(nx.bfs_tree(whole, start))[: int(rng.integers(2, 5))]
        order = rng.permutation(part)
        pattern = channels[np.ix_(order, order)]
        if rng.random() < 0.3:
            u, v = np.argwhere(pattern.any(axis=2))[0]
            pattern[[u, v], [v, u]] = pattern[[v, u], [u, v]]
        kinds = colors if with_colors else np.zeros(9, np.int64)
        truth = node_sets_by_networkx(
            as_networkx(channels, kinds), as_networkx(pattern, kinds[order])
        )
        own = (kinds[order], kinds) if with_colors else None
        structure = Structure(pattern, graph.relations)
        assert count_by_graph(graph, structure, colors=own).sum() == len(truth)
        assert join_by_graph(graph, structure, own).tolist() == [len(truth)]
        total += len(truth) > 1
    assert total > 10


def test_colours_in_a_graph_without_directions():
    whole = nx.gnp_random_graph(12, 0.4, seed=2)
    colors = np.arange(12) % 3
    graph = as_csr(whole)
    small, large = igraph.Graph.Ring(4), igraph.Graph(12, list(whole.edges))
    square = Structure.parse("ring-4")
    for own in ([0, 1, 0, 1], [0, 0, 1, 2], [2, 2, 2, 2]):
        mappings = [
            nodes
            for nodes in large.get_subisomorphisms_lad(small, induced=True)
            if colors[nodes].tolist() == own
        ]
        count = count_by_graph(graph, square, colors=(np.array(own), colors)).sum()
        assert count == len(set(map(frozenset, mappings)))
    one, own = Structure(np.zeros((1, 1))), (np.array([2]), colors)
    assert count_by_graph(graph, one, colors=own).tolist() == [4]
    assert join_by_graph(graph, one, own).tolist() == [4]


def triads():
    """The 13 connected triads, by igraph's number of the motif."""
    pairs = list(itertools.permutations(range(3), 2))
    found = {}
    for chosen in itertools.product([False, True], repeat=6):
        arcs = [pair for pair, one in zip(pairs, chosen, strict=True) if one]
        graph = igraph.Graph(3, arcs, directed=True)
        if graph.is_connected(mode="weak"):
            found[graph.isoclass()] = arcs
    return found


def test_all_triads_are_as_many_as_igraph_counts():
    whole = nx.gnp_random_graph(60, 0.1, directed=True, seed=1)
    arcs = np.array(whole.edges)
    graph = csr_from_edges(*arcs.T, len(whole), directed=True)
    counts = igraph.Graph(len(whole), arcs.tolist(), directed=True).motifs_randesu(3)
    assert len(triads()) == 13
    for number, own in triads().items():
        assert count_by_graph(graph, of_arcs(own, 3)).sum() == counts[number], own


def test_a_collection_and_what_it_does_not_have():
    parts = [nx.DiGraph([(0, 1), (1, 2), (2, 0)]), nx.DiGraph([(0, 1), (0, 2), (1, 2)])]
    both = nx.disjoint_union_all([*parts, parts[0]])
    graph = csr_from_edges(
        *np.array(both.edges).T, 9, directed=True, graph_ptr=np.array([0, 3, 6, 9])
    )
    cycle = count_by_graph(graph, of_arcs(parts[0].edges, 3))
    assert cycle.tolist() == [1, 0, 1]
    assert count_by_graph(graph, of_arcs(parts[1].edges, 3)).sum() == 1
    # no two nodes are joined in both directions
    assert not count_by_graph(graph, of_arcs([(0, 1), (1, 0)], 2)).any()


def test_other_directions_are_refused():
    directed = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, directed=True)
    with pytest.raises(InputError, match=r"'edge' \(directed\), got edges without direction"):
        count_by_graph(directed, Structure.parse("triangle"))
    with pytest.raises(InputError, match=r"'edge' \(undirected\), got edges with a direction"):
        count_by_graph(as_csr(nx.path_graph(3)), of_arcs([(0, 1)], 2))
    with pytest.raises(InputError, match="^colors must be whole numbers for the 2 nodes"):
        count_by_graph(directed, of_arcs([(0, 1)], 2), colors=(np.zeros(2, int), np.zeros(3)))


def test_a_pattern_has_the_relations_of_the_graph():
    graph = relations_of(["stops", "acts", "binds"], [True, True, False])
    own = relations_of(["acts", "unused"], [True, False])
    translated = channels_in(graph, Structure(edge_channels(2, [(0, 1)], [0], own), own))
    assert np.argwhere(translated).tolist() == [[0, 1, 2], [1, 0, 3]]
    # edges both ways are edges without direction, where the graph has such
    bound = channels_in(graph, Structure.parse("a-[binds]->b, b-[binds]->a"))
    assert np.argwhere(bound).tolist() == [[0, 1, 4], [1, 0, 4]]
    # an edge without a name is of the only relation
    named = relations_of(["cites"], [True])
    assert np.argwhere(channels_in(named, of_arcs([(1, 0)], 2))).tolist() == [
        [0, 1, 1],
        [1, 0, 0],
    ]
    with pytest.raises(InputError, match="'stops' .directed.*got edges with a direction"):
        channels_in(graph, of_arcs([(1, 0)], 2))
    with pytest.raises(InputError, match="write a-.NAME.->b"):
        channels_in(named, Structure.parse("a--b"))


def test_aromatic_rings_and_nitro_groups_of_mutag(mutag):
    """Against a direct count from the files: bond codes 0, 1, 2 are aromatic, single, double."""
    bonds = nx.Graph()
    pairs = np.loadtxt(mutag / "MUTAG_A.txt", dtype=int, delimiter=",") - 1
    codes = np.loadtxt(mutag / "MUTAG_edge_labels.txt", dtype=int)
    bonds.add_edges_from(
        (u, v, {"bond": b}) for (u, v), b in zip(pairs.tolist(), codes.tolist(), strict=True)
    )
    atoms = np.loadtxt(mutag / "MUTAG_node_labels.txt", dtype=int)
    aromatic = nx.Graph((u, v) for u, v, bond in bonds.edges(data="bond") if bond == 0)
    rings = [
        ring
        for ring in nx.simple_cycles(aromatic, length_bound=6)
        if len(ring) == 6 and bonds.subgraph(ring).number_of_edges() == 6
    ]
    # an N (code 1) with a double and a single bond to two O (code 2) that are not joined
    nitro = sum(
        atoms[one] == atoms[other] == 2
        and {bonds[node][one]["bond"], bonds[node][other]["bond"]} == {1, 2}
        for node in np.flatnonzero(atoms == 1).tolist()
        for one, other in itertools.combinations(bonds[node], 2)
    )
    graph = read_graph(mutag)
    number = {name: c for c, name in enumerate(graph.relations.names)}

    def count(edges, colors=None):
        size = max(max(edge[:2]) for edge in edges) + 1
        names = [number[name] for *_, name in edges]
        ends = [edge[:2] for edge in edges]
        channels = edge_channels(size, ends, names, graph.relations)
        return count_by_graph(graph, Structure(channels, graph.relations), colors=colors)

    ring = [(i, (i + 1) % 6, "aromatic") for i in range(6)]
    assert count(ring).sum() == len(rings) == 434
    of_carbon = sum((atoms[one] == 0).all() for one in rings)
    assert count(ring, (np.zeros(6, np.int64), atoms)).sum() == of_carbon == 420
    colors = (np.array([1, 2, 2]), atoms)
    assert count([(0, 1, "double"), (0, 2, "single")], colors).sum() == nitro == 272
