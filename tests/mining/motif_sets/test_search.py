"""The search: copies that are listed, sets that grow, what is found, and nothing elsewhere."""

from dataclasses import replace
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from choosing import choose
from copies_reference import bits_by_residual_degree, choose_plainly, plain_gains
from motif_searches import late, search_many, search_one, search_starts
from random_graphs import link_matrix, random_graph

from gomkcn.mining.motif_sets import collection_search
from gomkcn.mining.motif_sets.blocks import find_shared_blocks
from gomkcn.mining.motif_sets.candidate import parts_of
from gomkcn.mining.motif_sets.coded_set import CodedSet
from gomkcn.mining.motif_sets.collection_candidates import grow_by_a_node, sightings, thin
from gomkcn.mining.motif_sets.collection_code import CollectionCode
from gomkcn.mining.motif_sets.collection_description import CollectionDescription
from gomkcn.mining.motif_sets.copy_loops import choose_disjoint, find_free
from gomkcn.mining.motif_sets.graph_code import GraphCode
from gomkcn.mining.motif_sets.graph_copies import (
    ListingLimits,
    edge_gains,
    list_candidate,
)
from gomkcn.mining.motif_sets.graph_description import GraphDescription
from gomkcn.mining.motif_sets.graph_search import answer_of_graph
from gomkcn.mining.motif_sets.placed_motif import PlacedMotif
from gomkcn.mining.motif_sets.search_settings import SearchSettings
from gomkcn.mining.motif_sets.searching import LEAST_SAVED, Question
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.node_sets import distinct_structures
from gomkcn.mining.structures.pattern import Pattern
from gomkcn.synthetic import MOTIFS, PlantingSettings, plant_motifs
from gomkcn.synthetic.base_graphs import barabasi_albert
from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.steps import Steps


def coded(kind):
    """The code of a small random graph: plain, or with directions, relations and categories."""
    if kind == "plain":
        return GraphCode.of(MinedGraph.of(nx.gnp_random_graph(24, 0.2, seed=1)))
    graph, colors = random_graph(np.random.default_rng(3), 22, 90)
    categories = {"features": np.eye(2)[colors], "feature_names": ("kind=a", "kind=b")}
    return GraphCode.of(MinedGraph.of(replace(graph, **categories)))


def distinct_in(code, links, colors):
    relations = code.mined.graph.relations
    return distinct_structures(links.astype(np.uint16), colors, relations, code.palette)


def shape_at(code, nodes):
    """The induced structure of some nodes, in canonical order."""
    links, colors = link_matrix(code.mined.graph)[np.ix_(nodes, nodes)], code.colors[nodes]
    return distinct_in(code, links[None], colors[None]).structures[0]


def shapes_of(code, size):
    """At most four structures of connected sets of a size, each once."""
    joined, found = nx.Graph(code.edges.tolist()), {}
    for root in sorted(joined):
        nodes = np.array(list(nx.bfs_tree(joined, root))[:size])
        shape = shape_at(code, nodes)
        found.setdefault(shape.code, shape)
    return [*found.values()][:4]


def copies_by_brute_force(code, shape):
    """All sets of nodes with the canonical form of a structure."""
    sets = np.array(list(combinations(range(len(code.colors)), shape.num_nodes)))
    links = link_matrix(code.mined.graph)[sets[:, :, None], sets[:, None, :]]
    found = distinct_in(code, links, code.colors[sets])
    same = np.array([one.code == shape.code for one in found.structures])[found.number]
    return {frozenset(row) for row in sets[same].tolist()}


def list_all(code, shape, **limits):
    """The graph without motifs, and the copies of a structure in it."""
    empty = GraphDescription.of(code)
    none = np.zeros((0, shape.num_nodes), np.int32)
    return empty, list_candidate(empty, shape, none, ("given",), 0, ListingLimits(**limits))


def as_sets(rows):
    return [frozenset(row) for row in rows.tolist()]


def cliques_at(code, size):
    """The nodes of the cliques of a size."""
    found = nx.find_cliques(nx.Graph(code.edges.tolist()))
    return [np.array(one) for one in found if len(one) == size]


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("kind", ["plain", "typed"])
def test_all_copies_are_listed_once(kind, size):
    code = coded(kind)
    links = link_matrix(code.mined.graph)
    for shape in shapes_of(code, size):
        _, listed = list_all(code, shape)
        sets = as_sets(listed.copies)
        assert listed.is_complete
        assert len(set(sets)) == len(sets)
        assert set(sets) == copies_by_brute_force(code, shape)
        for row in listed.copies:
            assert (links[np.ix_(row, row)] == shape.links).all()
        assert (listed.edges == code.edge_numbers(shape, listed.copies)).all()


def test_what_one_search_listed_others_do_not_list_again():
    code = coded("plain")
    blocks = np.arange(len(code.colors)) % 2
    for shape in shapes_of(code, 3):
        first, again = (list_all(one, shape)[1] for one in (code, code.given(blocks)))
        assert first.copies is again.copies
        # another seed or limit may list others
        none = np.zeros((0, shape.num_nodes), np.int32)
        other = list_candidate(GraphDescription.of(code), shape, none, ("given",), 1)
        assert other.copies is not first.copies
        assert len(list_all(code, shape, copies=1)[1].copies) == 1


def test_structures_that_differ_in_categories_alone_have_copies_of_their_own():
    code = coded("typed")
    shapes = {shape.code: shape for shape in (shape_at(code, edge) for edge in code.edges)}
    for shape in shapes.values():
        copies = list_all(code, shape)[1].copies
        assert set(as_sets(copies)) == copies_by_brute_force(code, shape)
    assert len({shape.links.tobytes() for shape in shapes.values()}) < len(shapes)


def test_of_too_many_copies_the_best_are_kept_and_it_is_said():
    code = coded("plain")
    shape = max(shapes_of(code, 3), key=lambda one: len(list_all(code, one)[1].copies))
    empty, every = list_all(code, shape)
    most = len(every.copies) // 2
    # 1. what saves most alone is kept
    _, best = list_all(code, shape, kept=most, kept_of_node=0)
    assert len(best.copies) == most and not best.is_complete
    kept = set(as_sets(best.copies))
    assert kept < set(as_sets(every.copies))
    addresses = every.addresses
    values = edge_gains(empty, every, np.arange(len(every.copies)))
    values -= np.minimum(addresses.uniform, addresses.by_degree)
    is_kept = np.array([one in kept for one in as_sets(every.copies)])
    assert values[is_kept].min() >= values[~is_kept].max() - 1e-5
    # 2. a listing that ends early has some copies, and those that were seen
    few = {"copies": 5, "copies_of_root": 2, "copies_of_roots": 0}
    seen = every.copies[-3:]
    some = list_candidate(empty, shape, seen, ("grown",), 0, ListingLimits(**few))
    assert not some.is_complete and 5 <= len(some.copies) <= 8
    assert set(as_sets(seen)) <= set(as_sets(some.copies)) <= set(as_sets(every.copies))
    assert len(set(as_sets(some.copies))) == len(some.copies)
    # 3. so has one that takes too many steps
    assert not list_all(code, shape, steps_of_root=3, steps_of_roots=0)[1].is_complete


@pytest.mark.parametrize("whole", [nx.cycle_graph(6), nx.complete_graph(5), nx.petersen_graph()])
def test_symmetry_leaves_one_mapping_of_each_copy(whole):
    code = GraphCode.of(MinedGraph.of(whole))
    shape = shape_at(code, np.arange(len(whole)))
    assert len(list_all(code, shape)[1].copies) == 1


@pytest.mark.parametrize("kind", ["plain", "typed"])
def test_an_estimate_is_what_edges_save_less_what_a_motif_costs(kind):
    code = coded(kind)
    some_chosen = False
    for shape in shapes_of(code, 3):
        empty, listed = list_all(code, shape)
        choice = choose(empty, listed, None, -np.inf)
        if choice is None:
            assert len(listed.copies) < 2
            continue
        some_chosen = True
        # two, though one alone may cost less
        assert choice.num_new == len(choice.copies) >= 2
        roles = code.inside(shape.links, shape.colors)
        inside = np.tile(roles, (len(choice.copies), 1, 1))
        bits, _ = code.motif_bits(shape, choice.copies, inside)
        saved = edge_gains(empty, listed, listed.rows_of(choice.copies)).sum()
        assert choice.gain == pytest.approx(saved - bits, abs=1e-9)
        # the code of the motif is that of the description with it
        assert empty.add(shape, choice.copies).motifs[0].cost == pytest.approx(bits, abs=1e-9)
    assert some_chosen


def test_copies_more_save_what_they_add_to_the_motif():
    """Four cliques of eight are there; the others save their edges, less what the motif grows."""
    whole = nx.disjoint_union_all([nx.complete_graph(4)] * 8 + [nx.cycle_graph(30)])
    code = GraphCode.of(MinedGraph.of(whole))
    empty, listed = list_all(code, shape_at(code, cliques_at(code, 4)[0]))
    few = empty.add(listed.structure, listed.copies[:4].astype(np.int64))
    choice = choose(few, listed, None, -15.0)
    assert choice.num_new == 4 and len(choice.copies) == 8
    new = listed.rows_of(choice.copies)[4:]
    every = empty.add(listed.structure, choice.copies)
    grown = every.motifs[0].cost - few.motifs[0].cost
    assert choice.gain == pytest.approx(edge_gains(few, listed, new).sum() - grown, abs=1e-9)


def test_the_best_copies_share_no_edge_and_keep_to_what_is_free():
    whole = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    code = GraphCode.of(MinedGraph.of(whole))
    empty, listed = list_all(code, shape_at(code, cliques_at(code, 4)[0]))
    triangle = shape_at(code, cliques_at(code, 4)[0][:3])
    every = np.ones(code.num_edges, bool)
    best = choose(empty, listed, every, -15.0)
    assert len(best.copies) == 6
    assert empty.add(listed.structure, best.copies).motifs[0].address == "without replacement"
    # a triangle takes edges of the first clique
    taken = empty.add(triangle, listed.copies[:1, :3].astype(np.int64))
    chosen = choose(taken, listed, every, -15.0)
    assert set(listed.rows_of(chosen.copies)) == {1, 2, 3, 4, 5}
    assert choose(taken, listed, None, -15.0).copies.tolist() == chosen.copies.tolist()
    # where nothing new is freed, and where one copy is left, there is no choice
    assert choose(empty, listed, ~every, -15.0) is None
    taken = empty.add(triangle, listed.copies[:5, :3].astype(np.int64))
    assert choose(taken, listed, every, -15.0) is None
    # but one copy more is one for a motif that has some
    more = empty.add(listed.structure, listed.copies[:1].astype(np.int64))
    more = more.add(triangle, listed.copies[1:5, :3].astype(np.int64))
    chosen = choose(more, listed, every, -15.0)
    assert listed.rows_of(chosen.copies).tolist() == [0, 5] and chosen.num_new == 1


def test_a_choice_needs_a_copy_with_something_freed():
    whole = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    code = GraphCode.of(MinedGraph.of(whole))
    empty, listed = list_all(code, shape_at(code, cliques_at(code, 4)[0]))
    triangle = shape_at(code, cliques_at(code, 4)[0][:3])
    taken = empty.add(triangle, listed.copies[:1, :3].astype(np.int64))
    for row, is_offered in ((0, False), (1, True)):
        freed = np.zeros(code.num_edges, bool)
        freed[listed.edges[row, 0]] = True
        # an edge of a copy that is not free frees none
        choice = choose(taken, listed, freed, -15.0)
        assert (choice is not None) == is_offered
        if is_offered:
            assert len(choice.copies) == 5


def test_copies_that_are_worth_too_little_are_not_taken():
    """A wheel at a hub of many neighbours says more of where it is than it saves."""
    code = coded("plain")
    for shape in shapes_of(code, 3):
        empty, listed = list_all(code, shape)
        if len(listed.copies) < 5:
            continue
        every = choose(empty, listed, None, -np.inf)
        gains = edge_gains(empty, listed, np.arange(len(listed.copies)))
        symmetry = shape.automorphism_bits - 6 * shape.num_pendant
        cheapest = np.minimum(listed.addresses.uniform, listed.addresses.by_degree)
        worth = gains + symmetry - cheapest
        # the least worth is that of a copy under the address that it has
        least = float(np.sort(worth)[len(worth) // 2])
        some = choose(empty, listed, None, least)
        none = choose(empty, listed, None, float(worth.max()) + 100)
        assert none is None
        if some is not None:
            assert len(some.copies) <= len(every.copies)
            rows = listed.rows_of(some.copies)
            by_residual = bits_by_residual_degree(listed, rows, rows)
            most = gains[rows] + symmetry
            most -= np.minimum(cheapest[rows], by_residual)
            assert (most >= least - 1e-5).all()


def test_a_residual_degree_that_no_other_copy_has_is_as_good_as_excluded():
    whole = nx.disjoint_union_all([nx.complete_graph(3)] * 5)
    whole.add_edges_from((0, leaf) for leaf in range(15, 23))
    code = GraphCode.of(MinedGraph.of(whole))
    hub = int(code.num_neighbors.argmax())
    (clique,) = (one for one in cliques_at(code, 3) if hub in one)
    _, listed = list_all(code, shape_at(code, clique))
    has_hub = (listed.copies == hub).any(axis=1)
    bits = bits_by_residual_degree(listed, np.arange(5), np.flatnonzero(~has_hub))
    # 14 nodes have two neighbours, of which nothing is left; of the hub's ten, eight are
    assert bits[~has_hub] == pytest.approx(3 * np.log2(14))
    assert bits[has_hub] == pytest.approx(2 * np.log2(14) + 3 * np.log2(8))


@pytest.mark.parametrize("kind", ["plain", "typed", "cliques"])
def test_chosen_copies_are_those_of_the_plain_way(kind):
    """Copies and their gains, beside other motifs and more copies of the same."""
    if kind == "cliques":
        whole = nx.disjoint_union_all(
            [nx.complete_graph(5)] * 7 + [nx.gnp_random_graph(20, 0.3, seed=2)]
        )
        code = GraphCode.of(MinedGraph.of(whole))
        shapes = [shape_at(code, cliques_at(code, size)[0]) for size in (3, 5)]
    else:
        code = coded(kind)
        shapes = [shape for size in (3, 4) for shape in shapes_of(code, size)]
    num_chosen = 0
    for shape in shapes:
        empty, listed = list_all(code, shape)
        few = empty.add(shape, listed.copies[:1].astype(np.int64))
        descriptions = [empty, few]
        for other in shapes[:2]:
            others = list_all(code, other)[1].copies[:1].astype(np.int64)
            descriptions.append(empty.add(other, others))
        for description in descriptions:
            rows = np.arange(len(listed.copies))
            gains = edge_gains(description, listed, rows)
            np.testing.assert_allclose(gains, plain_gains(description, listed, rows))
            part = np.arange(code.num_edges) < code.num_edges // 4
            for freed, least_worth in product((None, part), (-np.inf, -15.0)):
                found = choose(description, listed, freed, least_worth)
                expected = choose_plainly(description, listed, freed, least_worth)
                assert (found is None) == (expected is None)
                if expected is not None:
                    num_chosen += 1
                    assert set(as_sets(found.copies)) == set(as_sets(expected.copies))
                    assert found.num_new == expected.num_new
                    assert found.gain == pytest.approx(expected.gain, abs=1e-9)
    assert num_chosen > 5


def test_free_rows_are_found_whatever_was_looked_at_before():
    rng = np.random.default_rng(0)
    members = rng.integers(0, 12, (40, 3)).astype(np.int32)
    watched = members[:, 0].copy()
    for _ in range(50):
        used, freed = rng.random((2, 12)) < [[0.4], [0.1]]
        free = np.flatnonzero(~used[members].any(axis=1))
        rows, has_freed = find_free(members, watched, used, freed, True)
        assert rows.tolist() == free.tolist()
        assert has_freed == freed[members[free]].any()
        # where nothing needs to be freed
        rows, has_freed = find_free(members, watched, used, used, False)
        assert rows.tolist() == free.tolist() and has_freed


def test_rows_that_share_a_member_are_not_chosen_together():
    members = np.array([[0, 1, -1], [0, 2, -1], [2, 3, -1]], np.int32)
    assert choose_disjoint(np.arange(3), members, np.zeros(4, bool)).tolist() == [0, 2]


SIZES = range(3, 7)


def planted(*names):
    """Eight copies of each of some motifs on a tree."""
    base, copies = barabasi_albert(80, 1, 0), dict.fromkeys(names, 8)
    made = plant_motifs(base, 80, copies, PlantingSettings("constant"), seed=0)
    return MinedGraph.of(made.to_csr())


def counts_of(found):
    return {one.structure.key: len(one.copies) for one in found.motifs}


def test_nothing_is_found_where_nothing_is_planted():
    hubs = nx.Graph(nx.configuration_model([2] * 150 + [3] * 80 + [30] * 8, seed=0))
    hubs.remove_edges_from(list(nx.selfloop_edges(hubs)))
    for whole in (
        hubs,
        nx.gnp_random_graph(80, 0.06, seed=2),
        nx.random_regular_graph(3, 60, seed=4),
        nx.karate_club_graph(),
    ):
        found = search_one(MinedGraph.of(whole), SIZES)
        assert (found.motifs, found.bits_total) == ((), found.bits_base)
        assert found.closest is not None and found.closest.bits < 10


def test_given_structures_enter_the_set_or_miss_it():
    others = map(Structure.parse, ("ring-4", "clique-6", "path-3"))
    given = [Pattern(one, sources=("given",)) for one in (MOTIFS["wheel"], *others)]
    mined, other = planted("wheel"), Pattern(Structure.parse("clique-5"), sources=("filters",))
    found = search_one(mined, SIZES, proposed=[*given, other], grows=False)
    (motif,) = found.motifs
    assert motif.structure.key == given[0].key
    assert motif.sources == ("given",)
    # what filters have shown was not asked for
    assert found.given.keys() == {one.key for one in given}
    wheel, ring, clique, path = (found.given[one.key] for one in given)
    assert wheel.is_in_set and ring.bits is None and path.bits > 0
    assert clique.reason == "is not in the set: it has no copy, 2 are needed"
    both = search_one(mined, SIZES, proposed=given[:1])
    assert set(both.motifs[0].sources) == {"given", "grown"}


def test_a_search_that_is_cut_says_so():
    mined = planted("wheel", "crown")
    found = search_one(mined, SIZES, steps=late())
    assert found.cut == "Time was up before the search ended."
    found = search_one(mined, SIZES, settings=SearchSettings(most_steps=3))
    assert found.cut == "The search ended after 3 steps." and found.motifs
    found = search_one(mined, SIZES, settings=SearchSettings(most_rounds=1, least_of_round=-1.0))
    assert found.cut == "Shorter sets were still found after 1 rounds." and len(found.motifs) == 2
    assert not search_one(mined, SIZES).cut


RING = Structure.parse(
    "a:kind=0-[x]-b:kind=0, b-[y]-c:kind=1, c-[x]-d:kind=0, d-[y]-e:kind=0, e-[x]-a"
)


def with_labels(graph, rng):
    """Random categories and types where there are none yet."""
    for node in graph:
        graph.nodes[node].setdefault("kind", "01"[rng.integers(2)])
    for u, v in graph.edges:
        graph.edges[u, v].setdefault("relation", "xy"[rng.integers(2)])
    return graph


def typed_collection():
    """Random trees, to each of which a copy of a typed ring is joined by an edge."""
    rng, graphs = np.random.default_rng(0), []
    for _ in range(24):
        graph = nx.random_labeled_tree(10, seed=int(rng.integers(2**31)))
        graph.add_nodes_from((10 + node, {"kind": "01"[node == 2]}) for node in range(5))
        for (u, v), relation in zip(RING.edges, RING.edge_relations, strict=True):
            graph.add_edge(10 + u, 10 + v, relation=RING.relations.names[relation])
        graph.add_edge(10, int(rng.integers(10)))
        graphs.append(with_labels(graph, rng))
    return as_csr(graphs, features="kind", relation="relation")


def test_blocks_are_the_answer_where_nothing_else_is():
    sizes, densities = [8, 8, 8], np.full((3, 3), 0.05) + np.eye(3) * 0.45
    graphs = [
        nx.Graph(nx.stochastic_block_model(sizes, densities.tolist(), seed=k)) for k in range(60)
    ]
    found, other = search_many(MinedGraph.of(graphs), range(2, 5))
    assert (found.base, found.motifs, other.base) == ("blocks", (), "total")
    assert len(found.blocks) == 60 * 24
    assert found.bits_total < other.bits_total
    # not where there is one density
    graphs = [nx.gnp_random_graph(20, 0.2, seed=k) for k in range(40)]
    assert find_shared_blocks(MinedGraph.of(graphs).graph) is None


def test_a_block_with_all_its_edges_is_named():
    graphs = []
    for k in range(30):
        sparse = nx.gnp_random_graph(15, 0.1, seed=k)
        graphs.append(nx.disjoint_union(nx.complete_graph(8), sparse))
        graphs[-1].add_edge(k % 8, 8 + k % 15)
    found, _ = search_many(MinedGraph.of(graphs), range(2, 5))
    assert found.base == "blocks"
    assert counts_of(found) == {Structure.parse("clique-8").key: 30}


GRAPHS = [nx.gnp_random_graph(9, 0.3, seed=seed) for seed in range(6)]
ONCE = 1, 1


def grown(code, size):
    """All connected sets of a size."""
    sets = np.arange(code.graph.num_nodes, dtype=np.int32)[:, None]
    while sets.shape[1] < size:
        sets = grow_by_a_node(code.rows, sets)
    return sets


def connected_sets(graphs, size):
    union = nx.disjoint_union_all(graphs)
    sets, first = [], 0
    for graph in graphs:
        nodes = range(first, first + len(graph))
        sets += [one for one in combinations(nodes, size) if nx.is_connected(union.subgraph(one))]
        first += len(graph)
    return union, sets


def induced_shapes(code, sets):
    return [
        code.structure(*one)
        for one in zip(code.rows.links_of(sets), code.rows.colors[sets], strict=True)
    ]


def test_parts_have_one_or_two_nodes_less():
    code = CollectionCode(as_csr([nx.cycle_graph(5)]), None, "total")
    (ring,) = induced_shapes(code, np.arange(5)[None])
    # four nodes of it are a path; three a path, or an edge and a node
    assert len(parts_of(ring)) == 3
    (path,) = sightings(code, grown(code, 4), *ONCE)[0]
    assert path.structure.code in parts_of(ring)
    # of one structure the parts are those of any of its orders
    turned = induced_shapes(code, np.array([[2, 0, 4, 1, 3]]))[0]
    assert parts_of(turned) == parts_of(ring)


def test_sets_of_structures_in_too_few_graphs_do_not_grow():
    graphs = [nx.cycle_graph(3), nx.path_graph(3), nx.path_graph(3), nx.path_graph(3)]
    code = CollectionCode(as_csr(graphs), None, "total")
    sets = grown(code, 3)
    seen, goes_on = sightings(code, sets, 1, 2)
    assert len(seen) == 1
    assert sets[~goes_on].tolist() == [[0, 1, 2]]


def test_thinning_leaves_so_many_of_each_graph():
    sets, graph_of = np.arange(20)[:, None], np.repeat([0, 1, 2], [3, 7, 10])
    left = thin(sets, graph_of, 5, np.random.default_rng(0))
    assert np.bincount(graph_of[left[:, 0]]).tolist() == [3, 5, 5]
    assert len(np.unique(left)) == len(left)


@pytest.fixture(scope="module")
def collection():
    """Random trees with a typed ring each, and the set of it in either base."""
    mined = MinedGraph.of(typed_collection())
    return mined, search_many(mined, range(2, 8))


def test_a_planted_typed_ring_is_found_with_its_bits_and_nothing_else(collection):
    mined, (best, other) = collection
    (ring,) = best.motifs
    assert (ring.structure.num_nodes, len(ring.structure.edges)) == (5, 5)
    # after the ten nodes of a tree come those of the ring
    places = {frozenset(range(first + 10, first + 15)) for first in range(0, 24 * 15, 15)}
    assert set(map(frozenset, mined.order.given(ring.copies.astype(np.int32)).tolist())) == places
    assert not best.cut and best.bits_saved > 100
    assert {best.base, other.base} == {"typed", "total"}
    code = CollectionCode(mined.graph, mined.colors, best.base)
    (links,), (colors,) = code.rows.links_of(ring.copies[:1]), code.rows.colors[ring.copies[:1]]
    empty = CollectionDescription.of(code)
    length = empty.add(code.structure(links, colors), ring.copies).length
    assert length == pytest.approx(best.bits_total, abs=1e-6)
    assert ring.bits == pytest.approx(empty.length - length, abs=1e-6)
    # without motifs the shorter base is the base
    alone = [CollectionCode(mined.graph, mined.colors, base) for base in ("typed", "total")]
    shortest = min(CollectionDescription.of(one).length for one in alone)
    assert best.bits_base == pytest.approx(shortest, abs=1e-6)


def test_what_is_given_enters_the_set_of_a_collection_or_misses_it(collection):
    mined, (best, _) = collection
    ring = best.motifs[0].structure
    clique = Structure.of_edges(4, list(combinations(range(4), 2)), ["x"] * 6)
    proposed = [Pattern(ring, sources=("given",)), Pattern(clique, sources=("given",))]
    found, _ = search_many(mined, range(4, 6), proposed=proposed)
    assert set(found.motifs[0].sources) == {"given", "grown"}
    assert found.given[ring.key].is_in_set and found.given[clique.key].bits is None
    assert found.given[clique.key].reason == "is not in the set: it has no copy, 2 are needed"
    options = {"proposed": proposed[:1], "grows": False}
    assert search_many(mined, range(2, 8), **options, steps=late())[0].cut
    alone, _ = search_many(mined, range(2, 8), **options)
    assert [one.sources for one in alone.motifs] == [("given",)]
    assert alone.bits_total == pytest.approx(best.bits_total, abs=1e-6)


def test_random_collections_have_no_motif():
    rng = np.random.default_rng(3)
    trees = [nx.random_labeled_tree(16, seed=k) for k in range(30)]
    labelled = [with_labels(nx.gnp_random_graph(14, 0.15, k), rng) for k in range(30)]
    for graphs in (trees, as_csr(labelled, features="kind", relation="relation")):
        found, _ = search_many(MinedGraph.of(graphs), range(2, 7))
        assert found.motifs == ()
        assert found.closest is None or found.closest.bits < LEAST_SAVED


@pytest.mark.parametrize("size", [3, 4])
def test_all_connected_sets_are_there_once_grouped_by_their_structure(size):
    code = CollectionCode(as_csr(GRAPHS), None, "total")
    sets, (union, expected) = grown(code, size), connected_sets(GRAPHS, size)
    assert sorted(map(tuple, sets.tolist())) == sorted(expected)
    seen, _ = sightings(code, sets, *ONCE)
    assert sum(len(one.copies) for one in seen) == len(expected)
    for one in seen:
        for nodes in one.copies.tolist():
            joined = nx.to_numpy_array(union, nodelist=nodes)
            np.testing.assert_array_equal(joined, one.structure.links)
    # no structure stands twice
    shapes = [nx.from_numpy_array(one.structure.links) for one in seen]
    for first, second in combinations(shapes, 2):
        assert not nx.is_isomorphic(first, second)


def test_what_a_set_saves_is_told_from_the_shorter_base():
    ring = PlacedMotif(RING, np.zeros((2, 5), int), 20.0)
    typed, total = CodedSet((), 100.0, 100.0, "typed"), CodedSet((ring,), 104.0, 80.0, "total")
    best, other = collection_search._shortest([typed, total])
    assert (best.base, best.bits_base, best.bits_saved) == ("total", 100.0, 20.0)
    assert other.base == "typed"
    # no motifs where they save less than ten bits of that
    best, _ = collection_search._shortest([typed, replace(total, bits_total=91.0)])
    assert (best.base, best.motifs) == ("typed", ())


def test_blocks_are_no_answer_where_motifs_lie_beyond_them():
    """Five dense blocks; and the same with cliques that no density explains."""
    chances = np.where(np.eye(5, dtype=bool), 0.35, 0.01)
    dense = nx.Graph(nx.stochastic_block_model([30] * 5, chances.tolist(), seed=1).edges)
    found, other = answer_of_graph(Question(MinedGraph.of(dense), range(3, 5)), Steps())
    assert (found.base, found.motifs, other.base) == ("blocks", (), "degrees") and other.motifs
    assert found.bits_total < other.bits_total
    rng = np.random.default_rng(0)
    for _ in range(20):
        dense.add_edges_from(combinations(rng.choice(150, 6, replace=False).tolist(), 2))
    found, other = answer_of_graph(Question(MinedGraph.of(dense), range(3, 7)), Steps())
    assert (found.base, other.base) == ("degrees", "blocks") and other.motifs
    assert other.bits_base < found.bits_base and "decides" in other.cut


def test_nothing_grows_when_the_time_is_over_before_the_search():
    found = search_one(MinedGraph.of(nx.barbell_graph(6, 0)), range(3, 6), steps=late())
    assert found.cut == "Time was up before the search ended."
    # no structure was proposed, of which one came closest
    assert found.motifs == () and found.closest is None


# giving


def small_hosts():
    """Thirty small graphs of six kinds."""
    chances = np.where(np.eye(3, dtype=bool), 0.4, 0.03).tolist()
    for seed in range(5):
        yield nx.gnm_random_graph(40, 80, seed=seed)
        yield nx.barabasi_albert_graph(40, 2, seed=seed)
        yield nx.watts_strogatz_graph(40, 4, 0.2, seed=seed)
        yield nx.random_geometric_graph(40, 0.2, seed=seed)
        yield nx.random_labeled_tree(40, seed=seed)
        yield nx.stochastic_block_model([13] * 3, chances, seed=seed)


@pytest.mark.parametrize("number", range(30))
def test_giving_a_pattern_never_lengthens_the_description(number):
    host = nx.Graph(list(small_hosts())[number].edges)
    kite, wheel = nx.lollipop_graph(4, 1), nx.wheel_graph(5)
    mined = MinedGraph.of(nx.disjoint_union_all([host, *[kite] * 3, *[wheel] * 3]))
    # copies may differ in some graphs, whose search takes longer
    options = {"exact_copies": number % 15 != 10}
    before = search_starts(mined, range(3, 6), **options)
    for some in ((kite, wheel), (nx.cycle_graph(4), nx.complete_graph(3))):
        shapes = [Structure.from_networkx(shape) for shape in some]
        given = [Pattern(shape, sources=("given",)) for shape in shapes]
        found = search_starts(mined, range(3, 6), proposed=given, **options)
        assert found.bits_total <= before.bits_total + 1e-6
        assert len(found.given) == len(some) and found.bits_base == before.bits_base
        inside = {motif.structure.key for motif in found.motifs}
        for pattern in given:
            result = found.given[pattern.key]
            assert result.is_in_set == (pattern.key in inside)
            # one with which the description is shorter is in the set
            assert result.is_in_set or result.bits is None or result.bits > -LEAST_SAVED
