"""Drawings of structures can be told apart: categories, directions, and edges beside nodes."""

import io
from functools import cache
from itertools import combinations, pairwise, permutations
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining.plots.structure_drawing import draw_structure
from gomkcn.mining.plots.styles import relation_lines, short_names
from gomkcn.mining.plots.svg_axes import draw_svg
from gomkcn_dgl.graphs.structure import Structure


@cache
def directed_structures(num_nodes):
    """All connected structures whose edges have a direction, of the least code of each."""
    pairs = np.array(list(permutations(range(num_nodes), 2)))
    codes = np.arange(1 << len(pairs))
    bits = (codes[:, None] >> np.arange(len(pairs))) & 1
    place = {tuple(pair): at for at, pair in enumerate(pairs.tolist())}
    least = codes.copy()
    for order in permutations(range(num_nodes)):
        moved = [place[order[u], order[v]] for u, v in pairs.tolist()]
        least = np.minimum(least, bits @ (1 << np.array(moved)))
    graphs = [pairs[row.astype(bool)].tolist() for row in bits[least == codes]]
    return [
        Structure.of_edges(num_nodes, [(u, v) for u, v in edges], directed=True)
        for edges in graphs
        if len({node for edge in edges for node in edge}) == num_nodes
        and nx.is_connected(nx.Graph(edges))
    ]


def connected_of_atlas():
    """The connected graphs of 3 to 6 nodes."""
    graphs = [graph for graph in nx.graph_atlas_g() if 3 <= len(graph) <= 6]
    return [
        Structure.of_edges(len(graph), list(graph.edges))
        for graph in graphs
        if nx.is_connected(graph)
    ]


def shapes(drawing, tag):
    return [one for one in ElementTree.fromstring(drawing).iter() if one.tag == tag]


def segments(drawing):
    """The lines of edges, float ``[E, 2, 2]``; heads are filled and are none of them."""
    lines = [one.get("d") for one in shapes(drawing, "path") if one.get("fill") == "none"]
    return np.array([[point.split() for point in line[1:].split("L")] for line in lines], float)


def circles(drawing):
    """Centre and radius of each node, float ``[M, 3]``."""
    return np.array(
        [[float(one.get(name)) for name in ("cx", "cy", "r")] for one in shapes(drawing, "circle")]
    )


def texts(drawing):
    return [one.text for one in shapes(drawing, "text")]


def distances(points, ends):
    """From each point to a segment, by the nearest of many points on it."""
    along = np.linspace(0, 1, 400)[:, None]
    path = ends[0] + along * (ends[1] - ends[0])
    return np.linalg.norm(points[:, None] - path, axis=2).min(axis=1)


@pytest.mark.parametrize("size", [(82, 66), (44, 36), (124, 108)])
def test_no_edge_passes_behind_a_third_node(size):
    structures = connected_of_atlas()
    assert len(structures) == 2 + 6 + 21 + 112
    for structure in structures:
        drawing = draw_structure(structure, *size)
        dots = circles(drawing)
        # that are not so small that their letters cannot be read
        assert dots[:, 2].min() >= min(size) / 22
        for (u, v), ends in zip(structure.edges, segments(drawing), strict=True):
            others = [node for node in range(len(dots)) if node not in (u, v)]
            near = distances(dots[others, :2], ends)
            assert (near > dots[others, 2]).all(), structure


def test_nodes_are_smaller_where_edges_pass_them():
    clique = Structure.parse("clique-8")
    drawing = draw_structure(clique)
    dots = circles(drawing)
    for (u, v), ends in zip(clique.edges, segments(drawing), strict=True):
        others = [node for node in range(8) if node not in (u, v)]
        assert (distances(dots[others, :2], ends) > dots[others, 2]).all()


def raster(structure, pixels):
    """A drawing of so many pixels as grey values, ``[pixels, pixels]``, of 16 points a pixel."""
    drawing = draw_structure(structure, pixels, pixels, letters=False)
    at = (np.arange(4 * pixels) + 0.5) / 4
    points = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    dark = np.zeros(len(points), bool)
    for x, y, radius in circles(drawing):
        dark |= np.hypot(*(points - [x, y]).T) < radius
    for one in shapes(drawing, "path"):
        corners = np.array([p.split() for p in one.get("d").strip("Mz").split("L")], float)
        if one.get("fill") == "none":
            along = corners[1] - corners[0]
            share = np.clip((points - corners[0]) @ along / (along @ along), 0, 1)[:, None]
            away = np.linalg.norm(points - corners[0] - share * along, axis=1)
            dark |= away < float(one.get("stroke-width")) / 2
        else:
            sides = np.roll(corners, -1, axis=0) - corners
            gaps = points[:, None] - corners
            turns = sides[:, 0] * gaps[..., 1] - sides[:, 1] * gaps[..., 0]
            dark |= (turns > 0).all(axis=1) | (turns < 0).all(axis=1)
    return dark.reshape(pixels, 4, pixels, 4).mean(axis=(1, 3))


def test_differently_directed_structures_differ_at_the_size_of_a_letter():
    structures = directed_structures(4)
    assert len(structures) == 199
    rasters = np.array([raster(one, 24).ravel() for one in structures])
    for at, grey in enumerate(rasters[:-1]):
        # as much as one pixel and a half that are black in one drawing and white in the other
        assert np.abs(rasters[at + 1 :] - grey).sum(axis=1).min() > 1.5


@pytest.mark.parametrize("pixels", [24, 36, 66])
def test_the_heads_of_an_edge_do_not_meet_and_leave_its_line_free(pixels):
    for structure in directed_structures(3) + directed_structures(4)[::7]:
        drawing = draw_structure(structure, pixels, pixels, letters=False)
        dots = circles(drawing)
        heads = [one.get("d") for one in shapes(drawing, "path") if one.get("fill") != "none"]
        corners = np.array([[p.split() for p in head[1:-1].split("L")] for head in heads], float)
        assert len(corners) == len(structure.edges)
        tips, bases = corners[:, 0], corners[:, 1:].mean(axis=1)
        for u, v in structure.edges:
            start, end = dots[u, :2], dots[v, :2]
            length = np.linalg.norm(end - start)
            way = (end - start) / length
            # the head of this edge: its tip is at the node that it leads to
            own = np.argmin(np.linalg.norm(tips - (end - way * (dots[v, 2] + 0.5)), axis=1))
            along = (bases[own] - start) @ way
            both = (v, u) in structure.edges
            assert along > (length / 2 if both else dots[u, 2])
            assert np.linalg.norm(tips[own] - end) < dots[v, 2] + 0.7


def test_a_drawing_has_one_alphabet():
    gates = Structure.parse("a:NAND->b:OR, b->c:OR, a->d:FLIPFLOP, d->e:NOT")
    shown = texts(draw_structure(gates))
    assert sorted(shown) == sorted(["NAND", "OR", "OR", "FLIP", "NOT"])
    # also where there are no letters
    assert texts(draw_structure(gates, letters=False)) == shown
    # of some nodes nothing is known
    some = Structure.parse("a:OR->b, b->c:AND")
    assert sorted(texts(draw_structure(some))) == ["*", "AND", "OR"]
    assert texts(draw_structure(Structure.parse("a->b, b->c"))) == ["A", "B", "C"]
    assert texts(draw_structure(Structure.parse("a->b, b->c"), letters=False)) == []
    # place letters stand beside all nodes or none
    beside = texts(draw_structure(some, beside=True))
    assert sorted(beside) == sorted(["*", "A", "AND", "B", "C", "OR"])


def test_names_of_categories_are_short_and_differ():
    values = ["OR", "NOR", "kinase", "kinases", "kinase 2", "kin2", "protein_1", "protein_2", "Ω"]
    values += [f"type of enzyme {number}" for number in range(30)]
    names = short_names([(f"kind={value}",) for value in values])
    assert len({*names.values()}) == len(values)
    assert all(1 <= len(name) <= 4 for name in names.values())
    assert names[("kind=OR",)] == "OR" and names[("kind=kin2",)] == "kin2"
    # a second category counts
    two = short_names([("element=C", "charge=0"), ("element=C", "charge=1")])
    assert len({*two.values()}) == 2


@pytest.mark.parametrize("letters", [True, False])
def test_structures_that_differ_in_categories_look_different(letters):
    names = ["receptor_kinase", "receptor_phosphatase", "receptor", "OR"]
    structures = [
        Structure.parse(f"0:{one}--1:{other}, 1--2:OR")
        for one, other in combinations([*names, *names], 2)
    ]
    different = list({one.key: one for one in structures}.values())
    lines = relation_lines((), different)
    drawn = [draw_structure(one, 44, 36, lines=lines, letters=letters) for one in different]
    # without what is read out
    seen = {drawing.partition(">")[2] for drawing in drawn}
    assert len(seen) == len(different) > 8


def test_categories_are_read_out():
    drawing = draw_structure(Structure.parse("a:OR->b:NAND"))
    said = ElementTree.fromstring(drawing).get("aria-label")
    assert said == "edges A→B; nodes A OR, B NAND" or said == "edges B→A; nodes A NAND, B OR"


def test_a_drawing_on_an_axis_has_all_its_shapes():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axis = figure.subplots()
    loop = Structure.parse("a->b, b->c, a->c, c->a")
    drawing = draw_structure(loop, 90, 70)
    draw_svg(axis, drawing, {"--c": "#0f5fae", "--t": "#ffffff"})
    elements = sum(len(shapes(drawing, tag)) for tag in ("path", "circle", "text"))
    assert len(axis.patches) == elements == 3 + 4 + 3 + 3
    # a node is where it is in the drawing
    boxes = [patch.get_path().get_extents() for patch in axis.patches]
    for x, y, radius in circles(drawing):
        assert any(
            np.allclose([box.x0, box.x1, box.y0, box.y1],
                        [x - radius, x + radius, y - radius, y + radius], atol=0.02)
            for box in boxes
        )  # fmt: skip
    # lines are as wide as the axis is large
    widths = []
    for inches in (2, 4):
        figure.set_size_inches(inches, inches)
        figure.savefig(io.BytesIO(), format="pdf")
        widths.append(max(patch.get_linewidth() for patch in axis.patches))
    assert widths[1] == pytest.approx(2 * widths[0], rel=0.02)


def test_drawn_lines_of_bonds_and_dashes_reach_the_axis():
    axis = pytest.importorskip("matplotlib.figure").Figure().subplots()
    signed = Structure.parse("a-[activates]->b, b-[represses]->c")
    draw_svg(axis, draw_structure(signed, lines=relation_lines((), [signed])))
    styles = {str(patch.get_linestyle()) for patch in axis.patches if patch.get_linewidth()}
    assert len(styles) == 2
    for one, other in pairwise(sorted(styles)):
        assert one != other
