"""The search: copies that are listed, sets that grow, what is found, and nothing elsewhere."""

from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from random_graphs import link_matrix, random_graph

from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.candidates.shapes import Shape, find_shapes
from mining.mined_graph import MinedGraph
from mining.motif_sets import collection_search, search
from mining.motif_sets.blocks import find_shared_blocks
from mining.motif_sets.code_length import CodedGraph, GraphCode
from mining.motif_sets.coded_set import CodedMotif, CodedSet
from mining.motif_sets.collection_code import CollectionCode
from mining.motif_sets.collection_copies import grow, parts_of, sightings, thin
from mining.motif_sets.collection_search import LEAST_BITS, search_collection
from mining.motif_sets.copy_loops import choose_disjoint
from mining.motif_sets.listed_copies import list_structure, plan_of
from mining.motif_sets.search import Cover, num_starts, search_graph
from mining.pattern import Pattern
from synthetic import MOTIFS, PlantingSettings, barabasi_albert, plant_motifs


def coded(kind):
    """A small random graph: plain, or with directions, relations and categories."""
    if kind == "plain":
        return CodedGraph.of(MinedGraph.of(nx.gnp_random_graph(24, 0.2, seed=1)))
    graph, colors = random_graph(np.random.default_rng(3), 22, 90)
    categories = {"features": np.eye(2)[colors], "feature_names": ("kind=a", "kind=b")}
    return CodedGraph.of(MinedGraph.of(replace(graph, **categories)))


def shape_at(graph, nodes):
    """The induced structure of some nodes, in canonical order."""
    links, colors = link_matrix(graph.mined.graph)[np.ix_(nodes, nodes)], graph.colors[nodes]
    return find_shapes(links[None].astype(np.uint16), colors[None]).shapes[0]


def shapes_of(graph, size):
    """At most four structures of connected sets of a size, each once."""
    joined, found = nx.Graph(graph.edges.tolist()), {}
    for root in sorted(joined):
        nodes = np.array(list(nx.bfs_tree(joined, root))[:size])
        shape = shape_at(graph, nodes)
        found.setdefault(shape.key, shape)
    return [*found.values()][:4]


def copies_by_brute_force(graph, shape):
    """All sets of nodes with the canonical form of a structure."""
    sets = np.array(list(combinations(range(len(graph.colors)), shape.num_nodes)))
    links = link_matrix(graph.mined.graph)[sets[:, :, None], sets[:, None, :]]
    found = find_shapes(links.astype(np.uint16), graph.colors[sets])
    same = np.array([one.key == shape.key for one in found.shapes])[found.number]
    return {frozenset(row) for row in sets[same].tolist()}


def list_all(graph, shape):
    code = GraphCode(graph)
    left = Cover(code).left()
    none = np.zeros((0, shape.num_nodes), np.int32)
    return list_structure(code, shape, none, ("given",), left, 0), left


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("kind", ["plain", "typed"])
def test_all_copies_are_listed_once(kind, size):
    graph = coded(kind)
    links = link_matrix(graph.mined.graph)
    for shape in shapes_of(graph, size):
        listed = list_all(graph, shape)[0]
        sets = [frozenset(row) for row in listed.copies.tolist()]
        assert listed.is_complete
        assert len(set(sets)) == len(sets)
        assert set(sets) == copies_by_brute_force(graph, shape)
        for row in listed.copies:
            assert (links[np.ix_(row, row)] == shape.links).all()
        assert (listed.edges == graph.edge_numbers(shape, listed.copies)).all()


@pytest.mark.parametrize("whole", [nx.cycle_graph(6), nx.complete_graph(5), nx.petersen_graph()])
def test_symmetry_leaves_one_mapping_of_each_copy(whole):
    graph = CodedGraph.of(MinedGraph.of(whole))
    shape = shape_at(graph, np.arange(len(whole)))
    assert len(list_all(graph, shape)[0].copies) == 1
    order, plan = plan_of(shape)
    assert sorted(order.tolist()) == list(range(len(whole)))
    # each node but the first is joined to one before it
    assert all((plan.links[:k, k] > 0).any() for k in range(1, len(whole)))


@pytest.mark.parametrize("kind", ["plain", "typed"])
def test_bits_of_the_best_copies_are_those_of_the_code(kind):
    graph = coded(kind)
    code = GraphCode(graph)
    for shape in shapes_of(graph, 3):
        listed, left = list_all(graph, shape)
        everything, none = np.ones(graph.num_edges, bool), np.zeros(0, np.int64)
        found = listed.best_copies(left, none, everything, -np.inf)
        if found is None:
            assert len(listed.copies) < 2
            continue
        # two, though one alone may cost less
        assert len(found.rows) >= 2
        bits, address = code.motif_bits(shape, found.copies)
        assert abs(found.bits - bits) < 1e-9
        assert found.address == address
        saved = listed.gains(found.rows, left).sum()
        assert abs(found.gain - (saved - found.bits)) < 1e-9


def test_the_best_copies_share_no_edge_and_keeps_to_what_is_free():
    whole = nx.disjoint_union_all([nx.complete_graph(4)] * 6 + [nx.cycle_graph(30)])
    graph = CodedGraph.of(MinedGraph.of(whole))
    clique = next(
        np.array(one) for one in nx.find_cliques(nx.Graph(graph.edges.tolist())) if len(one) == 4
    )
    listed, left = list_all(graph, shape_at(graph, clique))
    every, none = np.ones(graph.num_edges, bool), np.zeros(0, np.int64)
    best = listed.best_copies(left, none, every)
    assert len(best.rows) == 6
    assert best.address == "without replacement"
    left.used[listed.edges[0]] = True
    assert set(listed.best_copies(left, none, every).rows) == {1, 2, 3, 4, 5}
    # nothing new, and not enough
    assert listed.best_copies(left, none, ~every) is None
    left.used[listed.edges[1:5]] = True
    assert listed.best_copies(left, none, every) is None
    assert listed.best_copies(left, np.array([0]), every).rows.tolist() == [0, 5]


def test_a_residual_degree_that_no_other_copy_has_is_as_good_as_excluded():
    whole = nx.disjoint_union_all([nx.complete_graph(3)] * 5)
    whole.add_edges_from((0, leaf) for leaf in range(15, 23))
    graph = CodedGraph.of(MinedGraph.of(whole))
    hub = int(graph.num_neighbors.argmax())
    (clique,) = (
        np.array(one)
        for one in nx.find_cliques(nx.Graph(graph.edges.tolist()))
        if hub in one and len(one) == 3
    )
    listed, _ = list_all(graph, shape_at(graph, clique))
    has_hub = (listed.copies == hub).any(axis=1)
    bits = listed._bits_by_residual_degree(np.arange(5), np.flatnonzero(~has_hub))
    # 14 nodes have two neighbours, of which nothing is left; of the hub's ten, eight are
    assert bits[~has_hub] == pytest.approx(3 * np.log2(14))
    assert bits[has_hub] == pytest.approx(2 * np.log2(14) + 3 * np.log2(8))


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
        found = search_graph(MinedGraph.of(whole), SIZES, seed=0)
        assert (found.motifs, found.bits_total) == ((), found.bits_base)
        assert found.closest is not None and found.closest.bits < 10


def test_given_structures_enter_the_set_or_miss_it():
    others = map(Structure.parse, ("ring-4", "clique-6", "path-3"))
    given = [Pattern(one, sources=("given",)) for one in (MOTIFS["wheel"], *others)]
    mined, other = planted("wheel"), Pattern(Structure.parse("clique-5"), sources=("filters",))
    found = search_graph(mined, SIZES, seed=0, proposed=[*given, other], grows=False)
    (motif,) = found.motifs
    assert motif.structure.key == given[0].key
    assert motif.sources == ("given",)
    # what filters have shown was not asked for
    assert found.missing.keys() == {one.key for one in given[1:]}
    ring, clique, path = (found.missing[one.key] for one in given[1:])
    assert ring == clique == np.inf and 0 < path < np.inf
    both = search_graph(mined, SIZES, seed=0, proposed=given[:1])
    assert set(both.motifs[0].sources) == {"given", "grown"}


def test_a_search_that_is_cut_says_so_and_a_large_graph_is_searched_once(monkeypatch):
    mined = planted("wheel", "crown")
    found = search_graph(mined, SIZES, seed=0, is_over=lambda: True)
    assert found.cut == "Time was up before the search ended."
    monkeypatch.setattr("mining.motif_sets.search._MOST_STEPS", 3)
    found = search_graph(mined, SIZES, seed=0)
    assert found.cut == "The search ended after 3 steps." and found.motifs
    assert num_starts(MinedGraph.of(nx.path_graph(50)), SIZES) == 3
    whole = nx.circulant_graph(60_000, range(1, 4))
    assert num_starts(MinedGraph.of(whole), SIZES) == 1


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
    """Forty random trees, to each of which a copy of a typed ring is joined by an edge."""
    rng, graphs = np.random.default_rng(0), []
    for _ in range(40):
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
    found, other = search_collection(MinedGraph.of(graphs), range(2, 5), seed=0)
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
    found, _ = search_collection(MinedGraph.of(graphs), range(2, 5), seed=0)
    assert found.base == "blocks"
    assert counts_of(found) == {Structure.parse("clique-8").key: 30}


GRAPHS = [nx.gnp_random_graph(9, 0.3, seed=seed) for seed in range(6)]
ONCE = 1, 1


def grown(code, size):
    """All connected sets of a size."""
    sets = np.arange(code.graph.num_nodes, dtype=np.int32)[:, None]
    while sets.shape[1] < size:
        sets = grow(code.rows, sets)
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
        Shape.of(*one) for one in zip(code.rows.links_of(sets), code.rows.colors[sets], strict=True)
    ]


def test_parts_have_one_or_two_nodes_less():
    code = CollectionCode(as_csr([nx.cycle_graph(5)]), None, "total")
    (ring,) = induced_shapes(code, np.arange(5)[None])
    # four nodes of it are a path; three a path, or an edge and a node
    assert len(parts_of(ring)) == 3
    (path,) = sightings(code, grown(code, 4), *ONCE)[0]
    assert path.shape.key in parts_of(ring)
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
    return mined, search_collection(mined, range(2, 8), seed=0)


def test_a_planted_typed_ring_is_found_with_its_bits_and_nothing_else(collection):
    mined, (best, other) = collection
    (ring,) = best.motifs
    assert (ring.structure.num_nodes, len(ring.structure.edges)) == (5, 5)
    # after the ten nodes of a tree come those of the ring
    places = {frozenset(range(first + 10, first + 15)) for first in range(0, 600, 15)}
    assert set(map(frozenset, mined.order.given(ring.copies.astype(np.int32)).tolist())) == places
    assert not best.cut and best.bits_saved > 100
    assert {best.base, other.base} == {"typed", "total"}
    code = CollectionCode(mined.graph, mined.colors, best.base)
    (links,), (colors,) = code.rows.links_of(ring.copies[:1]), code.rows.colors[ring.copies[:1]]
    length = code.without_motifs().add(Shape.of(links, colors), ring.copies).length
    assert length == pytest.approx(best.bits_total, abs=1e-6)
    assert ring.bits == pytest.approx(code.without_motifs().length - length, abs=1e-6)
    # without motifs the shorter base is the base
    alone = [CollectionCode(mined.graph, mined.colors, base) for base in ("typed", "total")]
    shortest = min(one.without_motifs().length for one in alone)
    assert best.bits_base == pytest.approx(shortest, abs=1e-6)


def test_what_is_given_enters_the_set_of_a_collection_or_misses_it(collection):
    mined, (best, _) = collection
    ring = best.motifs[0].structure
    clique = Structure.of_edges(4, list(combinations(range(4), 2)), ["x"] * 6)
    proposed = [Pattern(ring, sources=("given",)), Pattern(clique, sources=("given",))]
    found, _ = search_collection(mined, range(2, 8), seed=0, proposed=proposed)
    assert found.motifs[0].sources == ("grown", "given")
    assert found.missing == {clique.key: np.inf}
    options = {"seed": 0, "proposed": proposed[:1], "grows": False}
    assert search_collection(mined, range(2, 8), **options, is_over=lambda: True)[0].cut
    alone, _ = search_collection(mined, range(2, 8), **options)
    assert [one.sources for one in alone.motifs] == [("given",)]
    assert alone.bits_total == pytest.approx(best.bits_total, abs=1e-6)


def test_random_collections_have_no_motif():
    rng = np.random.default_rng(3)
    trees = [nx.random_labeled_tree(16, seed=k) for k in range(30)]
    labelled = [with_labels(nx.gnp_random_graph(14, 0.15, k), rng) for k in range(30)]
    for graphs in (trees, as_csr(labelled, features="kind", relation="relation")):
        found, _ = search_collection(MinedGraph.of(graphs), range(2, 7), seed=0)
        assert found.motifs == ()
        assert found.closest is None or found.closest.bits < LEAST_BITS


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
            np.testing.assert_array_equal(joined, one.shape.links)
    # no structure stands twice
    shapes = [nx.from_numpy_array(one.shape.links) for one in seen]
    for first, second in combinations(shapes, 2):
        assert not nx.is_isomorphic(first, second)


def test_what_a_set_saves_is_told_from_the_shorter_base():
    ring = CodedMotif(RING, np.zeros((2, 5), int), 20.0)
    typed, total = CodedSet((), 100.0, 100.0, "typed"), CodedSet((ring,), 104.0, 80.0, "total")
    best, other = collection_search._answer([typed, total])
    assert (best.base, best.bits_base, best.bits_saved) == ("total", 100.0, 20.0)
    assert other.base == "typed"
    # no motifs where they save less than ten bits of that
    best, _ = collection_search._answer([typed, replace(total, bits_total=91.0)])
    assert (best.base, best.motifs) == ("typed", ())


def test_blocks_are_no_answer_where_motifs_lie_beyond_them(monkeypatch):
    ring = CodedMotif(Structure.parse("ring-4"), np.zeros((2, 4), int), 20.0)
    blocks, mined = np.arange(34) % 2, MinedGraph.of(nx.karate_club_graph())
    for motifs, answer in (((ring,), "degrees"), ((), "blocks")):
        sets = CodedSet((), 1e6, 90.0), CodedSet(motifs, 99.0, 80.0, "blocks", blocks)
        monkeypatch.setattr(search, "find_blocks", lambda *_, **__: blocks)
        monkeypatch.setattr(
            search,
            "search_graph",
            lambda *_, blocks=None, sets=sets, **__: sets[blocks is not None],
        )
        found, other = search.motif_set_of_graph(mined, range(3, 5), seed=0)
        assert {found.base, other.base} == {"degrees", "blocks"} and found.base == answer


def test_nothing_grows_when_the_time_is_over_before_the_search(monkeypatch):
    monkeypatch.setattr(search.Proposals, "grow", lambda *_: pytest.fail("it grows"))
    mined = MinedGraph.of(nx.barbell_graph(6, 0))
    found = search.search_graph(mined, range(3, 6), seed=0, is_over=lambda: True)
    assert found.cut == "Time was up before the search ended."
    assert found.motifs == ()
