"""Exact counts: against every set of nodes, NetworkX, igraph, the files, and by formulas."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from by_networkx import induced
from exact_counts import count_by_graph
from random_graphs import channels_of_graph, connected_part, random_graph

from gomkcn.mining.counting.occurrence_search import (
    USUAL_PACE,
    OccurrenceSearch,
    SearchLimits,
    SearchPace,
    find_candidates,
    find_graphs,
)
from gomkcn.mining.counting.query import READINGS, SUBGRAPH, Comparison, Query, may_hold
from gomkcn.mining.structures.graph_relations import channels_in, edges_among
from gomkcn_dgl import as_csr, read_graph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.structure import Structure, edges_of
from gomkcn_dgl.relations import edge_channels, relations_of

GRAPHS = [g for g in nx.graph_atlas_g()[1:] if len(g) <= 6 and nx.is_connected(g)]
CLIQUE = {size: Structure.of_channels(1 - np.eye(size)) for size in (1, 3, 8)}


def search_for(graph, structure, pace=USUAL_PACE):
    return OccurrenceSearch(Query.of_structure(graph, structure), pace)


def count_subgraphs(graph, structure):
    search = OccurrenceSearch(Query.of_structure(graph, structure, reading=SUBGRAPH))
    search.run()
    return search.count.sum()


@pytest.mark.parametrize(("edge_prob", "seed"), [(0.3, 0), (0.6, 1)])
def test_every_structure_of_up_to_six_nodes(edge_prob, seed):
    graph = nx.gnp_random_graph(9, edge_prob, seed=seed)
    rng, truth = np.random.default_rng(seed), {}
    for size in range(1, 7):
        for nodes in itertools.combinations(graph, size):
            part = graph.subgraph(nodes)
            if nx.is_connected(part):
                key = Structure.from_networkx(part).key
                truth[key] = truth.get(key, 0) + 1
    for small in GRAPHS:
        order = rng.permutation(len(small))
        structure = Structure.of_channels(nx.to_numpy_array(small)[np.ix_(order, order)])
        count = count_by_graph(as_csr(graph), structure).sum()
        assert count == truth.get(structure.key, 0), small.edges
        if len(small) <= 4:
            matcher = nx.isomorphism.GraphMatcher(graph, small)
            mappings = sum(1 for _ in matcher.subgraph_monomorphisms_iter())
            found = count_subgraphs(as_csr(graph), structure)
            assert found * structure.num_automorphisms == mappings


# the bits of a pattern's nodes are stored in 16, and beyond that in 64
@pytest.mark.parametrize("size", [14, 15, 17, 30])
def test_patterns_of_many_nodes(size):
    cliques, ring = nx.complete_graph(size + 2), nx.cycle_graph(size + 2)
    path = Structure.from_networkx(nx.path_graph(size))
    assert count_by_graph(as_csr(ring), path).sum() == size + 2
    if size <= 17:
        clique = Structure.from_networkx(nx.complete_graph(size))
        assert count_by_graph(as_csr(cliques), clique).sum() == math.comb(size + 2, 2)


@pytest.mark.parametrize("directed", [False, True])
def test_counts_of_each_graph_and_which_hold_an_occurrence(directed):
    rng, some = np.random.default_rng(3), 0
    graphs = [nx.gnp_random_graph(9, 0.25, seed=seed, directed=directed) for seed in range(40)]
    graph = as_csr(graphs)
    colors = rng.integers(0, 2, graph.num_nodes)
    for seed in range(12):
        part = nx.gnp_random_graph(4, 0.5, seed=seed, directed=directed)
        if not nx.is_connected(part.to_undirected()):
            continue
        structure = Structure.from_networkx(part)
        truth = [len(induced(one, part)) for one in graphs]
        for own in (None, (rng.integers(0, 2, 4), colors)):
            counts = count_by_graph(graph, structure, own)
            assert own is not None or counts.tolist() == truth
            assert find_graphs(graph, structure, own)[0].tolist() == (counts > 0).tolist()
            some += 0 < (counts > 0).sum() < 40
    assert some > 3
    assert count_by_graph(graph, CLIQUE[1]).tolist() == [9] * 40 if not directed else True


def test_searches_that_are_not_finished():
    # the symmetries of 8 equal nodes, 40320, are all broken
    assert count_by_graph(as_csr(nx.complete_graph(12)), CLIQUE[8]).sum() == 495
    # C(200, 8) cliques
    search = search_for(as_csr(nx.complete_graph(200)), CLIQUE[8])
    search.run(max_steps=10_000_000)
    assert search.unfinished and 1_000_000 < search.count.sum() < 100_000_000
    assert count_by_graph(search.graph, CLIQUE[8], max_steps=10_000_000) is None
    # a clique of 8 is in neither, which takes many steps to see in the second
    graph = as_csr([nx.complete_graph(3), nx.gnp_random_graph(40, 0.5, seed=0)])
    search = search_for(graph, CLIQUE[8], SearchPace(steps_until_seen=10))
    assert search.find_graphs(max_steps=30).tolist() == [False, False]
    assert search.unfinished


def as_networkx(channels, colors):
    """A digraph whose arcs hold the channels that they leave by."""
    graph = nx.DiGraph()
    graph.add_nodes_from((node, {"color": color}) for node, color in enumerate(colors.tolist()))
    for u, v in np.argwhere(channels.any(axis=2)).tolist():
        graph.add_edge(u, v, channels=channels[u, v].tolist())
    return graph


@pytest.mark.parametrize("with_colors", [False, True])
def test_networkx_finds_as_many_typed_and_coloured(with_colors):
    rng, total = np.random.default_rng(int(with_colors)), 0
    for _ in range(100):
        graph, colors = random_graph(rng, 9, int(rng.integers(10, 30)))
        channels = channels_of_graph(graph)
        # a connected part of the graph in another order, sometimes with an edge turned round
        structure, order = connected_part(rng, graph, int(rng.integers(1, 5)))
        pattern = structure.channels.copy()
        if len(order) > 1 and rng.random() < 0.3:
            u, v = np.argwhere(pattern.any(axis=2))[0]
            pattern[[u, v], [v, u]] = pattern[[v, u], [u, v]]
        kinds = colors if with_colors else np.zeros(9, np.int64)
        whole, part = as_networkx(channels, kinds), as_networkx(pattern, kinds[order])
        truth = len(induced(whole, part, "color", "channels"))
        own = (kinds[order], kinds) if with_colors else None
        structure = Structure.of_channels(pattern, graph.relations)
        assert count_by_graph(graph, structure, colors=own).sum() == truth
        assert count_subgraphs(graph, structure) >= truth or with_colors
        total += truth > 1
    assert total > 10


def test_nodes_that_no_occurrence_can_hold_are_ruled_out():
    """From the end of a tail on, one node after the other."""
    graph = as_csr(nx.lollipop_graph(3, 4))
    candidates = find_candidates(Query.of_structure(graph, Structure.parse("triangle")))
    assert candidates.tolist() == [7] * 3 + [0] * 4


def test_a_pattern_has_the_relations_of_the_graph():
    graph = relations_of(["stops", "acts", "binds"], [True, True, False])
    own = relations_of(["acts", "unused"], [True, False])
    translated = channels_in(
        graph, Structure.of_channels(edge_channels(2, [(0, 1)], [0], own), own)
    )
    assert np.argwhere(translated).tolist() == [[0, 1, 2], [1, 0, 3]]
    # edges both ways are edges without direction, where the graph has such
    bound = channels_in(graph, Structure.parse("a-[binds]->b, b-[binds]->a"))
    assert np.argwhere(bound).tolist() == [[0, 1, 4], [1, 0, 4]]
    # an edge without a name is of the only relation
    named, arc = relations_of(["cites"], [True]), Structure.parse("b->a")
    assert np.argwhere(channels_in(named, arc)).tolist() == [[0, 1, 0], [1, 0, 1]]
    with pytest.raises(InputError, match="name the relation.*'stops' .directed.*none"):
        channels_in(graph, arc)
    with pytest.raises(InputError, match="with a direction, as .* got some without .* write a->b"):
        channels_in(named, Structure.parse("a--b"))
    arcs = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 3, directed=True)
    with pytest.raises(InputError, match="^pattern must have at most 62 nodes, got 63"):
        count_by_graph(as_csr(nx.path_graph(3)), Structure.from_networkx(nx.path_graph(63)))
    with pytest.raises(InputError, match="^colors must be whole numbers for the 2 nodes"):
        count_by_graph(arcs, arc, colors=(np.zeros(2, int), np.zeros(3)))


@pytest.mark.parametrize("directed", [[False], [True], [False, True, True]], ids=str)
def test_edges_among_some_nodes(directed):
    rng = np.random.default_rng(len(directed))
    graph = csr_from_edges(
        *rng.integers(0, 12, (2, 40)),
        12,
        directed=directed,
        relation=rng.integers(0, len(directed), 40),
        relation_names=[f"r{i}" for i in range(len(directed))],
    )
    rows = rng.permutation(12)[:7]

    def named(edges):
        ends = ((u, v, r) if directed[r] else (*sorted((u, v)), r) for u, v, r in edges)
        return sorted(ends)

    edges = list(map(tuple, edges_among(graph, rows).tolist()))
    every = np.column_stack(graph.edges()).tolist()
    inside = [edge for edge in every if {*edge[:2]} <= {*rows.tolist()}]
    assert named((rows[u], rows[v], r) for u, v, r in edges) == named(inside)
    ends, numbers = [edge[:2] for edge in edges], [relation for *_, relation in edges]
    channels = edge_channels(len(rows), ends, numbers, graph.relations)
    assert edges_of(channels, graph.relations) == sorted(edges)


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

    def count(text, colors=None):
        return count_by_graph(graph, Structure.parse(text), colors=colors).sum()

    ring = ", ".join(f"{i}-[aromatic]-{(i + 1) % 6}" for i in range(6))
    assert count(ring) == len(rings) == 434
    of_carbon = sum((atoms[one] == 0).all() for one in rings)
    assert count(ring, (np.zeros(6, np.int64), atoms)) == of_carbon == 420
    colors = (np.array([1, 2, 2]), atoms)
    assert count("n-[double]-o, n-[single]-p", colors) == nitro == 272


def test_a_pattern_that_does_not_fit_occurs_nowhere_and_needs_no_steps():
    """More nodes, edges or neighbours than a graph of the collection, or a component, has."""
    path, star = Structure.parse("path-29"), Structure.parse("star-29")
    parts = [nx.complete_graph(25), nx.random_labeled_tree(29, seed=0), nx.cycle_graph(30)]
    graphs = [*parts, nx.disjoint_union_all(parts)]
    for one, counts in ((path, [0, 0, 30, 30]), (star, [0] * 4)):
        for reading in READINGS:
            query = Query.of_structure(as_csr(graphs[:2]), one, reading=reading)
            search = OccurrenceSearch(query)
            search.run(max_steps=1)
            assert (search.unfinished, search.count.sum(), len(search.roots)) == (False, 0, 0)
        assert count_by_graph(as_csr(graphs), one).tolist() == counts
    # one edge too few, and one node with enough neighbours too few
    ring, two_hubs = Structure.parse("ring-6"), Structure.parse("a--b, a--c, a--d, b--e, b--f")
    assert not may_hold(as_csr(nx.path_graph(6)), ring.joined).any()
    assert not may_hold(as_csr(nx.star_graph(9)), two_hubs.joined).any()
    assert may_hold(as_csr([nx.path_graph(6), nx.cycle_graph(6)]), ring.joined).tolist() == (
        [False] * 6 + [True] * 6
    )


def test_sizes_rule_nothing_out_that_occurs():
    for seed in range(30):
        graph = nx.gnm_random_graph(14, 20, seed=seed)
        own = max(nx.connected_components(graph), key=len)
        for size in (3, 6, 9, 12):
            nodes = list(nx.bfs_tree(graph, min(own)))[:size]
            part = graph.subgraph(nodes)
            one = Structure.from_networkx(nx.convert_node_labels_to_integers(part))
            assert may_hold(as_csr(graph), one.joined)[nodes].all()
            assert count_by_graph(as_csr(graph), one)[0] > 0


def test_a_root_is_left_after_so_many_occurrences_or_steps():
    graph = as_csr(nx.barabasi_albert_graph(60, 4, seed=1))
    search = search_for(graph, Structure.parse("house"))
    search.run()
    every = search.count.copy()
    roots = np.random.default_rng(0).permutation(60)
    for most in (1, 3, 20):
        limits = SearchLimits(occurrences_of_root=most)
        places = search.list_places(10**6, 10**9, roots, limits=limits)
        # what one root leaves behind does not change what another one finds
        assert search.count.tolist() == np.minimum(every, most).tolist()
        assert len(places) == len(np.unique(np.sort(places, axis=1), axis=0)) == search.count.sum()
        assert search.unfinished
    places = search.list_places(10**6, 10**9, roots, limits=SearchLimits(steps_of_root=40))
    assert search.unfinished and 0 < len(places) < every.sum()
    whole = search.list_places(10**6, 10**9, limits=SearchLimits(steps_of_root=10**6))
    assert not search.unfinished and len(whole) == every.sum()
    assert {tuple(row) for row in places.tolist()} < {tuple(row) for row in whole.tolist()}


def test_a_search_ends_with_one_occurrence_more_than_it_may_meet():
    search = search_for(as_csr(nx.complete_graph(9)), CLIQUE[3])
    for most, is_over in ((83, True), (84, False)):
        search.list_places(10, 10**9, limits=SearchLimits(occurrences=most))
        assert (search.unfinished, search.count.sum()) == (is_over, 84)


def test_each_occurrence_is_as_likely_in_a_sample():
    search = search_for(as_csr(nx.complete_graph(7)), CLIQUE[3])
    times = {}
    for seed in range(700):
        for row in search.list_places(5, 10**9, seed=seed).tolist():
            times[tuple(row)] = times.get(tuple(row), 0) + 1
    # 35 triangles, each 100 times on average
    deviation = (np.array(list(times.values())) - 100) / np.sqrt(100 * (1 - 5 / 35))
    assert len(times) == 35 and (deviation**2).sum() < 66


def test_numbers_of_two_nodes_are_compared():
    """Of the edges of a clique of five: how many have a smaller, an equal, a larger number."""
    graph = as_csr(nx.complete_graph(5))
    numbers = np.array([0.0, 1.0, 1.0, 2.0, np.nan])
    arc = Structure.of_edges(2, [(0, 1)], ["first"], {"first"})
    every = Query.of_structure(graph, Structure.parse("a--b"))
    # of the 12 ordered pairs of nodes with numbers two are equal
    for sign, truth in (("<", 5), ("<=", 7), ("=", 2), ("!=", 10), (">=", 7), (">", 5)):
        comparison = Comparison(0, 1, sign, numbers, numbers)
        query = Query(graph, arc, every.allowed, every.eligible, (comparison,))
        search = OccurrenceSearch(query)
        search.run()
        assert search.count.sum() == truth, sign
        assert not query.joins_alone
