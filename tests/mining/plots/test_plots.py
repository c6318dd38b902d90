"""Drawings, layouts and the map of a graph: all edges are drawn, and nothing overlaps."""

import itertools
import random
import re
from dataclasses import replace
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from random_graphs import rings_and_cliques
from tiny_runs import pattern_of, typed_pattern_of

from gomkcn.mining.motif_sets.motif_set import MotifSet
from gomkcn.mining.patterns.pattern_miner import PatternMiner
from gomkcn.mining.plots import layout
from gomkcn.mining.plots.graph_map import GraphMap, MapLimits
from gomkcn.mining.plots.layout import map_positions, node_positions, structure_positions
from gomkcn.mining.plots.profile import DRAWING, WIDTH, ProfileColumn, draw_profile
from gomkcn.mining.plots.structure_drawing import draw_structure, edge_names
from gomkcn.mining.plots.styles import relation_lines
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure


def parts(drawing, tag):
    return [one for one in ElementTree.fromstring(drawing).iter() if one.tag == tag]


@pytest.mark.parametrize("graph", [nx.wheel_graph(6), nx.complete_graph(8), nx.path_graph(10)])
def test_nodes_do_not_touch_and_all_edges_are_drawn(graph):
    drawing = draw_structure(pattern_of(graph).structure)
    dots = np.array(
        [[float(c.get(k)) for k in ("cx", "cy", "r")] for c in parts(drawing, "circle")]
    )
    far = np.linalg.norm(dots[:, None, :2] - dots[:, :2], axis=2) + 99 * np.eye(len(dots))
    assert (far > dots[:, 2] + dots[:, None, 2]).all()
    assert len(parts(drawing, "path")) == graph.number_of_edges()
    assert [text.text for text in parts(drawing, "text")] == list("ABCDEFGHIJ")[: len(graph)]
    # nothing is outside of the frame
    assert (dots[:, :2] - dots[:, 2:] >= 0).all() and (dots[:, 0] + dots[:, 2] <= 82).all()


def test_the_profile_has_a_bar_for_each_structure():
    columns = [
        ProfileColumn("triangle", "#pattern-0", "<svg></svg>", (0.8,), "z +8.0"),
        ProfileColumn("path <3>", "#other-1", "<svg></svg>", (-0.4,), "z -4.0", is_called=False),
        # what random graphs alone have is in no row of the table
        ProfileColumn("star", "", "<svg></svg>", (-0.2,), "z -2.0"),
    ]
    drawing = draw_profile(columns, "3 nodes", WIDTH, DRAWING)
    links = [one.get("href") for one in parts(drawing, "a")]
    assert links == ["#pattern-0", "#other-1"]
    bars = [one for one in parts(drawing, "rect") if one.get("class") == "entry"]
    heights = [float(one.get("height")) for one in bars]
    assert len(heights) == 3 and heights[0] == pytest.approx(2 * heights[1], abs=0.2)
    # a scale, and what is drawn
    texts = [text.text for text in parts(drawing, "text")]
    assert texts[0] == "z / length of all z: 3 nodes" and {"0", "+0.5"} <= {*texts}


@pytest.mark.parametrize("graph", [nx.star_graph(80), nx.random_regular_graph(3, 200, seed=1)])
def test_a_map_is_the_same_every_time_and_leaves_python_s_random_numbers_alone(graph):
    random.seed(3)
    expected = random.random()
    random.seed(3)
    positions = map_positions(as_csr(graph))
    assert random.random() == expected
    assert np.array_equal(map_positions(as_csr(graph)), positions)
    # twins do not lie on one another
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    assert apart[np.triu_indices(len(graph), 1)].min() > 1e-3


def test_components_of_a_map_lie_side_by_side():
    graphs = [nx.cycle_graph(size) for size in (3, 9, 70, 4, 5)] + [nx.empty_graph(3)]
    positions = map_positions(as_csr(graphs))
    components = nx.connected_components(nx.disjoint_union_all(graphs))
    boxes = [positions[list(nodes)] for nodes in components]
    assert len(boxes) == 8
    for one, other in itertools.combinations(boxes, 2):
        gap = np.maximum(one.min(axis=0) - other.max(axis=0), other.min(axis=0) - one.max(axis=0))
        assert gap.max() > 0.1


def test_a_layout_does_not_depend_on_those_before_it():
    ring = ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4))
    tailed = ((0, 1), (1, 2), (0, 2), (2, 3), (3, 4))
    found = []
    for order in ((ring, tailed), (tailed, ring)):
        for cached in (node_positions, layout._starts_of):
            cached.cache_clear()
        found.append({edges: node_positions(5, edges) for edges in order})
    for edges in (ring, tailed):
        np.testing.assert_array_equal(found[0][edges], found[1][edges])
    # of a ring the circle, in whose order no two edges cross
    away = layout._distances(found[0][ring])
    assert np.allclose(np.sort(away)[:5].std(), 0, atol=0.1)


def test_sources_stand_above_targets_where_all_nodes_are_one_of_both():
    """A bi-fan; not a feed-forward loop, whose middle node is both, nor an undirected square."""
    fan = Structure.parse("a->c, a->d, b->c, b->d")
    points = structure_positions(fan)
    assert all(points[u, 1] > points[v, 1] for u, v in fan.edges)
    assert len({tuple(point) for point in points.tolist()}) == 4
    for text in ("a->b, a->c, b->c", "ring-4"):
        one = Structure.parse(text)
        assert (structure_positions(one) == node_positions(one.num_nodes, one.edges)).all()


@pytest.fixture(scope="module")
def graph():
    return as_csr(rings_and_cliques())


@pytest.fixture(scope="module")
def miner(graph):
    return PatternMiner(pattern_size=5, null="none").fit(graph)


def test_of_a_large_graph_copies_and_their_neighbours_are_shown(graph, miner):
    limits = MapLimits(most_nodes=40, nodes_of_places=20)
    part = GraphMap.of(graph, miner.motif_set_, miner.patterns_, limits=limits)
    copies = [{*one.nodes} for motif in miner.motif_set_ for one in motif.motif.copies]
    assert 10 <= len(part.names) < 45
    # whole copies, whose components have no other node
    assert all(copy <= {*part.names} or not copy & {*part.names} for copy in copies)
    # where they have too many edges, half as many are shown, again and again
    limits = replace(limits, most_edges=25)
    part = GraphMap.of(graph, miner.motif_set_, miner.patterns_, limits=limits)
    assert len(part.edges) <= 25


def test_edges_are_drawn_as_they_are():
    loop = Structure.parse("a->b, b->c, a->c, c->a")
    # a mutual pair is one line with two heads
    assert len(parts(draw_structure(loop), "path")) == 3 + 4
    bonds = typed_pattern_of(3, [("double", 0, 1), ("single", 1, 2)],
                             {"double": False, "single": False})  # fmt: skip
    drawing = draw_structure(bonds.structure, lines=relation_lines((), [bonds.structure]))
    assert len(parts(drawing, "path")) == 3
    # relations have lines by the alphabet, whatever is shown, and whatever is known of the graph
    edges = [("b", 0, 1), ("b", 1, 2), ("b", 0, 2)]
    pattern = typed_pattern_of(3, edges, {"b": True, "a": True})
    of_graph = [("b", True), ("a", True)]
    lines = {("a", True): "solid", ("b", True): "dashed"}
    for structures in ((), [pattern.structure], [Structure.parse("x->y"), pattern.structure]):
        assert lines.items() <= relation_lines(of_graph, structures).items()
    assert relation_lines((), [pattern.structure]) == lines
    # edges of any of them have a line of their own
    assert relation_lines(of_graph, [Structure.parse("x->y")])["edge", True] == "any"
    assert relation_lines([("edge", True)])["edge", True] == "solid"
    # what represses ends in a bar, of four corners
    signed = Structure.parse("a-[activates]->b, b-[represses]->c")
    heads = [one.count("L") for one in re.findall(r'd="(M[^"]*z)"', draw_structure(signed))]
    assert sorted(heads) == [2, 3]
    assert edge_names(pattern.structure)[0] == "A→B b"
    # an edge that many copies lack is dotted in its place, and one that they have beside is thin
    ring = Structure.parse("ring-4")
    (gone, *_), added = ring.edges, next(iter({(0, 1), (0, 2), (0, 3)} - set(ring.edges)))
    drawing = draw_structure(ring, missing=[gone], added=[added])
    lines = [(one.get("stroke-dasharray"), float(one.get("stroke-width")))
             for one in parts(drawing, "path")]  # fmt: skip
    assert sorted(width for dashes, width in lines if not dashes) == [0.8, 2, 2, 2]
    assert len(lines) == 5
    said = ElementTree.fromstring(drawing).get("aria-label")
    names = ["–".join("ABCD"[node] for node in pair) for pair in (gone, added)]
    assert said.endswith(f"; dotted: {names[0]}; thin: {names[1]}")


def test_nodes_of_a_map_say_their_category():
    features = np.array([[1, 0, 0.25], [0, 1, 0.5], [1, 0, 0.25]])
    names = ["kind=a", "kind=b", "weight"]
    ends = np.array([0, 1, 1]), np.array([1, 0, 2])
    graph = csr_from_edges(*ends, 3, features=features, feature_names=names, directed=True)
    shown = GraphMap.of(graph, MotifSet((), 0.0, 0.0), [])
    assert [shown.kinds[number] for number in shown.kind_of] == ["a", "b", "a"]
    assert shown.degrees.tolist() == [1, 2, 1]
    # both edges of a pair, which are drawn as one
    assert len(shown.edges) == 3
