"""Structures: made and refused, isomorphic exactly where their keys agree, their symmetries."""

import dataclasses
import itertools
import math
from string import ascii_uppercase

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining.structures.node_sets import distinct_structures
from gomkcn.synthetic import MOTIFS
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import SIMPLE, edge_channels, relations_of

ARCS = relations_of(["edge"], [True])
CLIQUE = 1 - np.eye(3)
MIXED = relations_of(["binds", "activates"], [False, True])


def of_graph(graph):
    """A structure without the names of the nodes of a NetworkX graph."""
    return Structure.of_channels(nx.to_numpy_array(graph) > 0)


def turned(one, order):
    """The same structure with node ``order[i]`` in place i."""
    categories = tuple(one.categories[node] for node in order if one.categories)
    return Structure.of_channels(one.channels[np.ix_(order, order)], one.relations, categories)


def random_structures(relations, names, count, size, share=0.25, seed=0):
    """Connected structures with edges of all relations, and a category of each node if named."""
    rng, made = np.random.default_rng(seed), []
    while len(made) < count:
        edges = np.argwhere(rng.random((size, size, len(relations.names))) < share).tolist()
        edges = [(u, v, r) for u, v, r in edges if u < v or (relations.directed[r] and u != v)]
        channels = edge_channels(size, [e[:2] for e in edges], [e[2] for e in edges], relations)
        own = tuple((str(name),) for name in rng.choice(names, size)) if names else ()
        if nx.is_connected(nx.from_numpy_array(channels.any(axis=2))):
            made.append(Structure.of_channels(channels, relations, own))
    return made


KINDS = pytest.mark.parametrize("names", [[], ["C", "N"]], ids=["plain", "categories"])
RELATIONS = pytest.mark.parametrize(
    "relations", [SIMPLE, ARCS, MIXED], ids=["edges", "arcs", "mixed"]
)


def as_networkx(one):
    """All that an isomorphism keeps, for NetworkX."""
    graph = nx.MultiDiGraph()
    for node in range(one.num_nodes):
        graph.add_node(node, own=one.categories[node] if one.categories else ())
    for u, v, channel in np.argwhere(one.channels).tolist():
        graph.add_edge(u, v, channel=channel)
    return graph


def are_isomorphic(one, other):
    def channels(edges):
        return sorted(values["channel"] for values in edges.values())

    return nx.is_isomorphic(
        as_networkx(one),
        as_networkx(other),
        node_match=lambda a, b: a["own"] == b["own"],
        edge_match=lambda a, b: channels(a) == channels(b),
    )


@KINDS
@RELATIONS
def test_keys_agree_exactly_where_networkx_finds_an_isomorphism(relations, names):
    made = [
        *random_structures(relations, names, 12, 3),
        *random_structures(relations, names, 12, 4, seed=1),
    ]
    num_equal = 0
    for one, other in itertools.combinations(made, 2):
        same = are_isomorphic(one, other)
        assert (one.key == other.key) == same
        num_equal += same
    assert num_equal > 0


@KINDS
@RELATIONS
def test_symmetries_and_isomorphisms_by_trying_all_permutations(relations, names):
    rng = np.random.default_rng(1)
    sparse = random_structures(relations, names, 12, 5, share=0.12)
    for one in [*sparse, *random_structures(relations, names, 6, 4, share=0.9)]:
        size = one.num_nodes
        found = [
            list(order)
            for order in itertools.permutations(range(size))
            if (one.channels[np.ix_(order, order)] == one.channels).all()
            and turned(one, order).categories == one.categories
        ]
        assert one.symmetries.tolist() == found
        assert one.num_automorphisms == len(found)
        first = np.min(found, axis=0)
        assert one.orbits.tolist() == np.unique(first, return_inverse=True)[1].tolist()
        # orbits of the automorphisms that fix the nodes before, and what carries a node there
        assert sorted(one.order) == list(range(size))
        for k, (node, orbit) in enumerate(zip(one.order, one.stabilizers, strict=True)):
            fixing = [way for way in found if all(way[v] == v for v in one.order[:k])]
            assert set(orbit) == {way[node] for way in fixing}
            assert all(carry.tolist() in fixing and carry[node] == v for v, carry in orbit.items())
        order = rng.permutation(size)
        other = turned(one, order)
        assert one.key == other.key
        mapped = one.isomorphism(other)
        assert sorted(mapped.tolist()) == list(range(size))
        np.testing.assert_array_equal(other.channels[np.ix_(mapped, mapped)], one.channels)
        assert [other.categories[node] for node in mapped if names] == list(one.categories)


SHRIKHANDE = nx.Graph(
    ((a, b), ((a + x) % 4, (b + y) % 4))
    for a, b in itertools.product(range(4), repeat=2)
    for x, y in [(0, 1), (1, 0), (1, 1)]
)


@pytest.mark.parametrize(
    ("graph", "count"),
    [
        (nx.empty_graph(1), 1),
        (nx.path_graph(4), 2),
        (nx.complete_graph(6), 720),
        (nx.complete_graph(62), math.factorial(62)),
        (nx.star_graph(61), math.factorial(61)),
        (nx.complete_bipartite_graph(8, 8), 2 * math.factorial(8) ** 2),
        (nx.petersen_graph(), 120),
        (nx.frucht_graph(), 1),
        # strongly regular with the same numbers, so that refinement does not tell them apart
        (nx.line_graph(nx.complete_bipartite_graph(4, 4)), 1152),
        (SHRIKHANDE, 192),
    ],
    ids=str,
)
def test_the_automorphisms_of_graphs_with_many(graph, count):
    one = of_graph(graph)
    assert one.num_automorphisms == count
    size, ways = one.num_nodes, one.symmetries
    assert ways.shape == (count if count <= 1000 else 1, size)
    assert len(np.unique(ways, axis=0)) == len(ways)
    assert all((one.joined[np.ix_(way, way)] == one.joined).all() for way in ways)
    other = turned(one, np.random.default_rng(0).permutation(size))
    assert one.key == other.key
    mapped = one.isomorphism(other)
    np.testing.assert_array_equal(other.joined[np.ix_(mapped, mapped)], one.joined)


def test_graphs_that_look_alike_to_every_node_are_told_apart():
    rook = of_graph(nx.line_graph(nx.complete_bipartite_graph(4, 4)))
    assert of_graph(SHRIKHANDE).key != rook.key
    prism, ring = nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)
    assert of_graph(prism).key != of_graph(ring).key


def test_a_key_is_made_of_names():
    # the same edges in a graph with more relations, in another order
    text = "a-[binds]-b, b-[activates]->c"
    wide = relations_of(["activates", "cites", "binds"], [True, True, False])
    other = Structure.of_channels(edge_channels(3, [(1, 0), (0, 2)], [2, 0], wide), wide)
    one = Structure.parse(text)
    assert one.key == other.key
    for different in ("a-[binds]->b, b-[activates]->c", "a-[cites]-b, b-[activates]->c"):
        assert Structure.parse(different).key != one.key
    assert Structure.parse("a--b").key != Structure.parse("a->b").key
    # the categories of a node in another order, and others
    own = Structure.parse("a:C:+--b:N:-")
    assert own.key == Structure.parse("a:-:N--b:+:C").key
    assert len({own.key, *(Structure.parse(text).key for text in ("a:C:+--b:N:+", "a--b"))}) == 3
    # no text of two categories is that of one
    assert Structure.parse("a:C--b:N").key != Structure.parse("a:N--b:N").key


def test_nodes_in_another_order_leave_the_key_and_fewer_nodes_do_not():
    whole = Structure.parse("a:C-[acts]->b:N, b-[stops]->c:C")
    assert whole.key == whole.with_nodes(np.array([2, 0, 1])).key
    part = whole.with_nodes(np.array([1, 0]))
    assert part.key == Structure.parse("a:C-[acts]->b:N").key != whole.key


def test_structures_that_differ_in_kinds_are_one_alone():
    signed = [Structure.parse(f"a-[{one}]->b, b-[{two}]->c")
              for one, two in (("acts", "stops"), ("stops", "acts"))]  # fmt: skip
    colored = Structure.parse("a:C--b:N, b--c:C")
    assert signed[0].key != signed[1].key
    # the same object, made once
    assert signed[0].alone is signed[1].alone and signed[0].alone is not signed[0]
    assert signed[0].alone.key == Structure.parse("a->b, b->c").key
    assert colored.alone.key == Structure.parse("a--b, b--c").key
    assert colored.alone.alone is colored.alone


def test_orders_and_pairs_by_hand():
    assert Structure.parse("path-4").order == [1, 2, 0, 3]
    # roles are names where they tell the nodes apart, else letters are
    assert Structure.parse("b--a, a--c").node_names == ("b", "a", "c")
    assert Structure.of_channels(CLIQUE, roles=("a", "b", "b")).node_names == ("A", "B", "C")
    # a pair joined both ways is one pair
    both = Structure.parse("a->b, b->a")
    assert both.edges == ((0, 1), (1, 0))


@KINDS
@RELATIONS
def test_text_is_read_back(relations, names):
    for one in random_structures(relations, names, 8, 5):
        again = Structure.parse(one.to_text())
        assert again.key == one.key
        # nodes are numbered in the order in which the edges name them
        order = [ascii_uppercase.index(role) for role in again.roles]
        assert [again.edges.index((i, j)) >= 0 for i, j in again.edges]
        np.testing.assert_array_equal(again.joined, one.joined[np.ix_(order, order)])


TEXTS = [
    ("ring-2", "pattern ring-N must have from 3 to 62 nodes, got 2"),
    ("clique-63", "from 2 to 62 nodes, got 63"),
    ("", r"pattern must have edges like a->b, a--b, .* got ''"),
    ("a->b, c", "must have edges like .* got 'c'"),
    ("a->b, b--c", "all edges of one relation a direction, or none, got 'b--c'"),
    ("a:1--b:1, b:0--c:1", "gives 'b' two categories, in 'b:0--c:1'"),
    ("a->b, c->d", "must be connected, got 2 pieces"),
    ("a--a", "between two different nodes, got 'a--a'"),
    ("a--b, b--a", "that no earlier one joins, got 'b--a'"),
    ("a->b, a->b", "that no earlier one joins, got 'a->b'"),
]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        *((lambda text=text: Structure.parse(text), message) for text, message in TEXTS),
        (lambda: Structure.of_channels(np.zeros((0, 0))), "at least one node"),
        (lambda: Structure.of_channels(np.ones((2, 3))), r"must be \[M, M, 1\]"),
        (lambda: Structure.of_channels(CLIQUE, ARCS), r"\[M, M, 2\] .*got the shape \(3, 3, 1\)"),
        (lambda: Structure.of_channels(np.eye(2)), "no self-loop .*got one on node 0"),
        (lambda: Structure.of_channels(np.triu(CLIQUE)), "must be symmetric"),
        (
            lambda: Structure.of_channels(np.kron(np.eye(2), 1 - np.eye(2))),
            "be connected, got 2 pieces",
        ),
        (
            lambda: Structure.of_channels(CLIQUE, roles=("a", "b")),
            "roles must be of all 3 nodes or none",
        ),
        (
            lambda: Structure.of_channels(CLIQUE, categories=(("C",),)),
            "categories must be of all 3 nodes or",
        ),
        (lambda: Structure.of_edges(3, [(0, 1), (2, 3)]), r"0 <= i, j < 3, .*got \(2, 3\)"),
        (lambda: Structure.of_edges(3, [(0, 1), (-1, 2)]), r"0 <= i, j < 3, .*got \(-1, 2\)"),
        (lambda: Structure.of_edges(3, [(0, 1), (1, 2)], ["cites"]), "one for each of the 2 edges"),
        (lambda: Structure.of_edges(3, [(0, 1), (1, 2)], "aa", ["likes"]), "edges, got 'likes'"),
        (lambda: Structure.of_edges(3, [(0, 1), (1, 0), (1, 2)]), "each edge once"),
        (lambda: Structure.from_networkx(nx.MultiGraph([(0, 1), (0, 1)])), "each edge once"),
        (lambda: Structure.from_networkx([(0, 1)]), "must be a networkx.Graph, got list"),
    ],
)
def test_what_is_no_structure_is_refused(make, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        make()


def test_relations_with_and_without_direction():
    kinds = ["neighbour", "located in", "located in"]
    one = Structure.of_edges(3, [(1, 0), (0, 2), (1, 2)], kinds, ["located in"])
    assert one.relations.kinds == [("neighbour", False), ("located in", True)]
    # channels: neighbour, located in (out), located in (in)
    assert np.argwhere(one.channels).tolist() == [
        *([0, 1, 0], [0, 2, 1], [1, 0, 0], [1, 2, 1]),
        *([2, 0, 2], [2, 1, 2]),
    ]
    graph = one.to_networkx()
    assert isinstance(graph, nx.MultiDiGraph)
    assert sorted(graph.edges(data="relation")) == [
        (0, 1, "neighbour"),
        (0, 2, "located in"),
        (1, 0, "neighbour"),
        (1, 2, "located in"),
    ]
    assert one.joined.tolist() == (1 - np.eye(3) > 0).tolist()
    assert one.edge_relations == (0, 1, 1)


def test_networkx_and_back_is_the_same_structure():
    for name, motif in MOTIFS.items():
        again = Structure.from_networkx(motif.to_networkx(), name)
        assert (again.name, again.edges) == (name, motif.edges)
        assert again.relations.directed == motif.relations.directed
        assert again.channels.tolist() == motif.channels.tolist()


@pytest.mark.parametrize(
    ("text", "roles", "edges", "kinds"),
    [
        (
            "tf -[activates]-> gene\ntf-[represses]->other  # a comment\ngene -[binds]- other",
            ("tf", "gene", "other"),
            ((0, 1), (0, 2), (1, 2)),
            [("activates", True), ("represses", True), ("binds", False)],
        ),
        # integers are in their order, and words in that of their first
        ("3 -> 1\n1 -> 2\n2 -> 1\n", ("1", "2", "3"), ((0, 1), (1, 0), (2, 0)), [("edge", True)]),
        (
            "# a kite\n10 2\n\n2 1  # tail\n1 10\n10 30\n",
            ("1", "2", "10", "30"),
            ((0, 1), (0, 2), (1, 2), (2, 3)),
            [("edge", False)],
        ),
        ("tail head\nhead body\n", ("tail", "head", "body"), ((0, 1), (1, 2)), [("edge", False)]),
    ],
)
def test_a_structure_in_a_file(write, text, roles, edges, kinds):
    one = Structure.read(write("kite.txt", text))
    assert (one.name, one.roles, one.edges) == ("kite", roles, edges)
    assert one.relations.kinds == kinds


def test_a_file_that_is_no_structure_quotes_the_line_at_fault(write):
    with pytest.raises(InputError, match="at least one edge, got none"):
        Structure.read(write("bad.txt", "# nothing"))
    with pytest.raises(InputError, match=r"bad\.txt: .* no earlier one joins, got '1--0'\.$"):
        Structure.read(write("bad.txt", "0 1\n1 2\n1 0\n"))


@RELATIONS
@KINDS
def test_many_structures_at_a_time_are_what_each_is_alone(relations, names):
    made = random_structures(relations, names, 60, 4, share=0.4, seed=5)
    # all links that these have, and some that none has, under one numbering
    rows = np.concatenate([one.channels.reshape(16, -1) for one in made])
    rows = np.unique(np.concatenate([np.zeros_like(rows[:1]), rows]), axis=0)
    numbers = {row.tobytes(): link for link, row in enumerate(rows)}
    table = dataclasses.replace(relations, links=rows)
    palette = tuple((name,) for name in reversed(names)) or ((),)
    links = [[numbers[row.tobytes()] for row in one.channels.reshape(16, -1)] for one in made]
    colors = [[palette.index(own) for own in one.categories or [()] * 4] for one in made]
    links, colors = np.array(links).reshape(-1, 4, 4), np.array(colors)
    found = distinct_structures(links, colors, table, palette)
    assert len({one.key for one in found.structures}) == len(found.structures)
    assert len({one.code for one in found.structures}) == len(found.structures)
    for k, one in enumerate(made):
        same = found.structures[found.number[k]]
        assert same.key == one.key
        assert same.code == Structure.of_links(links[k], colors[k], table, palette).code
        # its nodes are those of this order
        assert (same.channels == one.channels[np.ix_(found.order[k], found.order[k])]).all()
        assert same.categories == tuple(one.categories[v] for v in found.order[k] if names)
    for same in found.structures:
        alone = dataclasses.replace(same, known_form=None)
        assert same.form.order.tolist() == alone.form.order.tolist()
        assert same.orbits.tolist() == alone.orbits.tolist()
        assert same.num_automorphisms == alone.num_automorphisms == len(same.symmetries)
        assert same.num_orbits == len({*same.orbits.tolist()})


def test_nodes_outside_the_2_core_are_pendant():
    for text, number in (("path-5", 5), ("star-6", 6), ("ring-5", 0), ("house", 0), ("bull", 2)):
        assert Structure.parse(text).num_pendant == number
    # a tail of three nodes, of which one after the other has one edge
    assert Structure.parse("a--b, b--c, c--a, c--d, d--e, e--f").num_pendant == 3
    for one in random_structures(SIMPLE, [], 40, 7, share=0.15, seed=8):
        core = nx.k_core(nx.from_numpy_array(one.joined), 2)
        assert one.num_pendant == 7 - len(core)


@pytest.mark.parametrize("relations", [SIMPLE, ARCS, MIXED], ids=["simple", "arcs", "mixed"])
def test_a_part_is_what_networkx_finds(relations):
    """Small structures with two categories, each beside each; nodes in any order."""
    rng = np.random.default_rng(0)
    structures = []
    while len(structures) < 40:
        size = int(rng.integers(2, 6))
        graph = nx.gnp_random_graph(size, 0.6, seed=int(rng.integers(2**31)))
        if not nx.is_connected(graph):
            continue
        channels = np.zeros((size, size, len(relations.opposite)), bool)
        for u, v in graph.edges:
            channel = int(rng.integers(len(relations.opposite)))
            channels[u, v, channel] = channels[v, u, relations.opposite[channel]] = True
        names = tuple((f"c{rng.random() < 0.7}",) for _ in range(size))
        structures.append(Structure.of_channels(channels, relations, names))
    graphs = [nx.DiGraph() for _ in structures]
    for graph, one in zip(graphs, structures, strict=True):
        graph.add_nodes_from((node, {"names": names}) for node, names in enumerate(one.categories))
        graph.add_edges_from(
            (u, v, {"channels": {*np.flatnonzero(one.channels[u, v]).tolist()}})
            for u, v in np.argwhere(one.channels.any(axis=2)).tolist()
        )
    found = [[one.is_part_of(other) for other in structures] for one in structures]
    expected = [
        [
            nx.algorithms.isomorphism.DiGraphMatcher(
                other,
                one,
                node_match=lambda whole, part: whole["names"] == part["names"],
                edge_match=lambda whole, part: part["channels"] <= whole["channels"],
            ).subgraph_is_monomorphic()
            for other in graphs
        ]
        for one in graphs
    ]
    assert found == expected and 50 < np.sum(found) < 1000
