"""Names of structures and sentences of their edges: each of one graph, and true of it."""

import re
from itertools import combinations, product

import igraph
import networkx as nx
import numpy as np
import pytest
from random_graphs import connected_digraphs
from tiny_runs import pattern_of, typed_pattern_of

from gomkcn_dgl.graphs.named_structures import SMALL
from gomkcn_dgl.graphs.shapes import (
    describe_shape,
    describe_shapes,
    motif_names,
    name_motif,
    name_signed_loop,
    tell_apart,
)
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import relations_of


def test_all_triads_but_those_both_ways_have_their_names():
    """igraph's census tells the triads apart by the names of Holland and Leinhardt."""
    known = {
        "021D": "single-input module with 2 targets",
        "021U": "common target of 2 sources",
        "021C": "cascade of 3 nodes",
        "111D": "mutual pair with a source of one of them",
        "111U": "mutual pair with a target of one of them",
        "030T": "feed-forward loop",
        "030C": "three-cycle",
        "201": None,
        "120D": "mutual pair with a common source",
        "120U": "mutual pair with a common target",
        "120C": "three-cycle with one mutual pair",
        "210": "triangle with two mutual pairs",
        "300": None,
    }
    classes = connected_digraphs(3)
    assert len(classes) == 13
    for arcs in classes:
        graph = nx.from_numpy_array(arcs, create_using=nx.DiGraph)
        (triad,) = (name for name, number in nx.triadic_census(graph).items() if number)
        assert name_motif(arcs) == known.pop(triad)
    assert not known


@pytest.mark.parametrize("size", [4, 5, 7])
def test_names_are_true_of_their_graphs(size):
    """Each name is that of the graph which igraph or the definition gives."""
    assert len(set(motif_names(size).values())) == len(motif_names(size))
    star = igraph.Graph.Star(size, mode="out")
    ring = igraph.Graph.Ring(size, directed=True)
    line = igraph.Graph.Ring(size, directed=True, circular=False)
    full = nx.DiGraph(combinations(range(size), 2))
    fan = nx.DiGraph(product(range(2), range(2, size)))
    graphs = {
        f"single-input module with {size - 1} targets": star.to_networkx(),
        f"common target of {size - 1} sources": star.to_networkx().reverse(),
        f"directed cycle of {size} nodes": ring.to_networkx(),
        f"cascade of {size} nodes": line.to_networkx(),
        f"transitive tournament of {size} nodes": full,
        "bi-fan" if size == 4 else f"2 sources with {size - 2} common targets": fan,
    }
    order = np.random.default_rng(size).permutation(size)
    for name, graph in graphs.items():
        arcs = nx.to_numpy_array(graph, nodelist=range(size)).astype(bool)
        assert name_motif(arcs[np.ix_(order, order)]) == name


def test_a_loop_is_coherent_where_both_ways_have_one_sign():
    for signs in product((1, -1), repeat=3):
        name = name_signed_loop(signs)
        assert name.startswith("coherent") == (signs[0] * signs[1] == signs[2])
        assert name_signed_loop((*signs[:2], None)) == "feed-forward loop"


@pytest.mark.parametrize(
    ("graph", "shape"),
    [
        (nx.empty_graph(1), "single node"),
        (nx.star_graph(5), "star with 5 leaves"),
        (nx.Graph([(0, 1), (1, 2), (2, 3), (1, 4), (4, 5)]), "tree with 6 nodes"),
        (nx.cycle_graph(6), "cycle of 6 nodes"),
        (nx.wheel_graph(6), "wheel with 5 spokes"),
        (nx.complete_bipartite_graph(2, 4), "complete bipartite graph, 2 and 4 nodes"),
        (nx.ladder_graph(3), "6 nodes, 7 edges"),
        (nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5)]),
         "cycle of 4 nodes with a tail of 2 nodes"),
        (nx.Graph([(0, 1), (1, 2), (2, 0), (0, 3), (0, 4), (1, 5)]),
         "triangle with 3 pendant nodes"),
        (nx.Graph([(0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (4, 5)]),
         "triangle with trees of 3 nodes"),
        (nx.Graph([(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (3, 5)]),
         "triangle with trees of 3 nodes"),
        (nx.complement(nx.from_edgelist([(0, 1), (2, 3), (4, 5)])), "6 nodes, 12 edges"),
        (nx.complement(nx.disjoint_union(nx.path_graph(3), nx.empty_graph(3))),
         "clique of 6 nodes less 2 adjacent edges"),
        (nx.complement(nx.compose(nx.empty_graph(6), nx.Graph([(0, 1), (2, 3)]))),
         "clique of 6 nodes less 2 disjoint edges"),
        (nx.complement(nx.compose(nx.empty_graph(6), nx.path_graph(2))),
         "clique of 6 nodes less 1 edge"),
        # a hub on two triangles has the degrees of a wheel and is none
        (nx.full_join(nx.empty_graph(1), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)),
                      rename=("a", "b")), "7 nodes, 12 edges"),
    ],
)  # fmt: skip
def test_describe_shape(graph, shape):
    assert describe_shape(pattern_of(graph).structure) == shape


def atlas(size):
    """All connected structures of a size without directions."""
    graphs = [graph for graph in nx.graph_atlas_g() if len(graph) == size]
    return [pattern_of(graph).structure for graph in graphs if nx.is_connected(graph)]


@pytest.mark.parametrize("size", range(2, 6))
def test_every_small_structure_has_one_name_that_is_read_back(size):
    structures = atlas(size)
    assert len(structures) == [1, 2, 6, 21][size - 2]
    names = [describe_shape(one) for one in structures]
    assert len(set(names)) == len(names)
    assert [Structure.parse(name).key for name in names] == [one.key for one in structures]
    assert names == [next(n for n in SMALL if Structure.parse(n).key == s.key) for s in structures]


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("bowtie", nx.windmill_graph(2, 3)),
        ("bull", nx.bull_graph()),
        ("chair", nx.Graph([(0, 1), (1, 2), (2, 3), (1, 4)])),
        ("claw", nx.star_graph(3)),
        ("cricket", nx.Graph([(0, 1), (1, 2), (2, 0), (0, 3), (0, 4)])),
        ("dart", nx.Graph([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (0, 4)])),
        ("diamond", nx.diamond_graph()),
        ("gem", nx.full_join(nx.path_graph(4), nx.empty_graph(1), rename=("a", "b"))),
        ("house", nx.house_graph()),
        ("kite", nx.Graph([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 4)])),
        ("square", nx.cycle_graph(4)),
        ("triangle with a tail of 2 nodes", nx.lollipop_graph(3, 2)),
        ("wheel with 4 spokes", nx.wheel_graph(5)),
        ("cycle of 9 nodes", nx.cycle_graph(9)),
        ("clique of 7 nodes", nx.complete_graph(7)),
        ("path of 8 nodes", nx.path_graph(8)),
        ("star with 6 leaves", nx.star_graph(6)),
        ("clique-4", nx.complete_graph(4)),
        ("ring-5", nx.cycle_graph(5)),
        ("path-2", nx.path_graph(2)),
        ("star-4", nx.star_graph(3)),
    ],
)
def test_a_name_is_that_of_the_literature(name, graph):
    assert Structure.parse(name).key == pattern_of(graph).structure.key


def rings_with_two_more():
    """Ortho, meta and para: a ring of six with two pendant nodes, as on a benzene ring."""
    ring = "0--1, 1--2, 2--3, 3--4, 4--5, 5--0, 0--6"
    return [Structure.parse(f"{ring}, {node}--7") for node in range(4)]


def test_what_tells_the_rows_of_a_table_apart_is_said():
    rings = rings_with_two_more()
    texts = [f"{describe_shape(one)}; size {at}" for at, one in enumerate(rings)]
    ring = "cycle of 6 nodes with 2 pendant nodes"
    assert tell_apart(texts, rings) == [
        f"{ring} (attached at distance {at}); size {at}" for at in range(4)
    ]
    # one structure twice, in other orders of its nodes, has nothing that tells it apart
    turned = Structure.parse("6--0, 3--2, 4--3, 5--4, 0--5, 1--0, 2--1, 7--1")
    assert describe_shapes([rings[1], turned]) == [ring, ring]
    # one has a cycle of three with two pendant nodes, the other of four with one
    arcs = [Structure.parse("0->1, 1->2, 1->3, 2->3, 1->4"),
            Structure.parse("0->1, 0->2, 1->3, 2->3, 0->4")]  # fmt: skip
    head = "5 nodes, 5 edges, 1 source, 2 sinks, no directed cycle"
    assert describe_shapes(arcs) == [f"{head} ({one.to_text()})" for one in arcs]
    house, other = (Structure.parse(f"a--b, b--c, c--d, d--a, c--e, d--e, e--f, {last}")
                    for last in ("c--f", "b--f"))  # fmt: skip
    assert describe_shapes([house, other, Structure.parse("house")]) == [
        "6 nodes, 8 edges (degrees 4, 3, 3, 2, 2, 2)",
        "6 nodes, 8 edges (degrees 3, 3, 3, 3, 2, 2)",
        "house",
    ]


def test_no_two_of_all_structures_of_a_size_are_described_alike():
    directed = [
        Structure.of_channels(np.stack([arcs, arcs.T], axis=2), relations_of(["edge"], [True]))
        for arcs in connected_digraphs(4)
    ]
    for structures, number in ((atlas(6), 112), (directed, 199)):
        assert len({one.key for one in structures}) == len(structures) == number
        assert len(set(describe_shapes(structures))) == number


def test_nodes_with_categories_are_told_apart_by_edges():
    texts = ("a:atom=N--b:atom=C, b--c:atom=C", "a:C--b:N, b--c:C")
    assert describe_shapes([Structure.parse(text) for text in texts]) == [
        "path of 3 nodes (A:N--B:C, B--C:C)",
        "path of 3 nodes (A:C--B:N, B--C:C)",
    ]


def test_what_is_said_of_each_directed_graph_of_four_nodes_is_true():
    """A name belongs to one class; else the numbers of the sentence are those of the graph."""
    named = []
    for arcs in connected_digraphs(4):
        edges = [("edge", u, v) for u, v in np.argwhere(arcs).tolist()]
        text = describe_shape(typed_pattern_of(4, edges, {"edge": True}).structure)
        if not text.startswith("4 nodes, "):
            named.append(text)
            assert text.endswith("all edges mutual") == (arcs == arcs.T).all()
            continue
        graph = nx.DiGraph(np.argwhere(arcs).tolist())
        claims = {
            noun: int(number) for number, noun in re.findall(r"(\d+) ([a-z ]+?)s?(?:,|$)", text)
        }
        assert claims["edge"] == graph.number_of_edges()
        assert claims.get("mutual pair", 0) == sum(graph.has_edge(v, u) for u, v in graph.edges) / 2
        assert claims.get("source", 0) == sum(degree == 0 for _, degree in graph.in_degree)
        assert claims.get("sink", 0) == sum(degree == 0 for _, degree in graph.out_degree)
        if "directed cycle" in text:
            cyclic = not nx.is_directed_acyclic_graph(graph)
            assert text.endswith("with a directed cycle") == cyclic
    assert len(named) == len(set(named)) == 11 + 6


# ---------------------------------------------------------------- sentences of edges

VERBS = {"activates": True, "represses": True, "binds": False}


@pytest.mark.parametrize(
    ("edges", "text"),
    [
        ([("activates", 2, 0), ("represses", 0, 1), ("represses", 2, 1)],
         "coherent feed-forward loop of type 3: C activates A, both repress B"),
        ([("activates", 0, 1), ("activates", 0, 2), ("represses", 1, 2)],
         "incoherent feed-forward loop of type 1: A activates B and C, B represses C"),
        ([("activates", 0, 2), ("activates", 0, 3), ("activates", 1, 2), ("activates", 1, 3)],
         "bi-fan: A and B activate C and D"),
        ([("activates", 3, 0), ("activates", 3, 1), ("activates", 3, 2), ("represses", 1, 2)],
         "4 nodes, 4 edges, 1 source, 2 sinks, no directed cycle: "
         "D activates A, B and C, B represses C"),
        ([("binds", 0, 1), ("activates", 0, 2), ("activates", 1, 2)],
         "triangle: A binds B, both activate C"),
        ([("binds", 0, 1), ("binds", 1, 2), ("binds", 0, 2)], "triangle, all edges “binds”"),
        ([("activates", 0, 1), ("represses", 0, 2)],
         "single-input module with 2 targets: A activates B and represses C"),
        ([("activates", 0, 1), ("activates", 1, 0), ("represses", 0, 2), ("represses", 1, 2)],
         "mutual pair with a common target: A and B activate each other and repress C"),
        ([("activates", 0, 1), ("activates", 0, 2), ("represses", 1, 3), ("represses", 2, 3)],
         "bi-parallel: A activates B and C, while B and C repress D"),
        ([("activates", 0, 1), ("activates", 0, 2), *(("represses", k, 3) for k in range(3))],
         "feed-forward loop with 2 intermediates: A activates B and C, all repress D"),
        # with more clauses nobody would read them
        ([("activates", 0, 1), ("represses", 1, 2), ("activates", 2, 3), ("represses", 3, 4),
          ("binds", 4, 0)], "cycle of 5 nodes, 2 edges “activates”, 2 “represses”, 1 “binds”"),
    ],
)  # fmt: skip
def test_sentences(edges, text):
    size = 1 + max(max(edge[1:]) for edge in edges)
    assert describe_shape(typed_pattern_of(size, edges, VERBS).structure) == text


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        (
            "d-[stops]->a, a-[acts]->b, b-[acts]->a, b-[stops]->c",
            "A stops B, while B and C act each other, C stops D",
        ),
        (
            "a-[acts]->b, c-[stops]->a, d-[acts]->c, d-[stops]->b",
            "D acts C, C stops A, D stops B, A acts B",
        ),
        (
            "b-[acts]->c, c-[acts]->d, d-[acts]->b, a-[stops]->b",
            "D stops A, A acts B, B acts C, C acts A",
        ),
    ],
)
def test_nodes_are_mentioned_along_the_edges_and_those_of_a_cycle_together(text, clauses):
    assert describe_shape(Structure.parse(text)).endswith(f": {clauses}")
