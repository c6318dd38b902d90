"""The graph with what was found in it, for Cytoscape and Gephi, read back by NetworkX."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from tiny_runs import pattern_of, run_of, run_with_variant

from gomkcn.mining import MiningRun, PatternMiner
from gomkcn.mining.patterns.mining_settings import GraphSettings, RunSettings
from gomkcn.mining.plots.styles import EDGE, MOTIF_COLORS, NODE, SELECTED
from gomkcn.mining.runs.export import write_tables
from gomkcn.mining.show.page import read_text
from gomkcn.mining.structures.marked_graph import marked_graph, node_roles
from gomkcn.mining.structures.occurrences import Occurrences
from gomkcn.mining.structures.pattern import MotifPart, Pattern
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph

ECOLI = Path(__file__).parents[3] / "notebooks" / "ecoli_regulation.csv"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A run without motifs of signed regulation: its folder of tables, and the graph read back."""
    graph = read_graph(ECOLI)
    miner = PatternMiner("3-3", null_samples=99, filters="none", exact_copies=True).fit(graph)
    settings = RunSettings(GraphSettings(str(ECOLI)), miner)
    run = MiningRun.of(miner, graph, settings=settings, has_map=False)
    assert not run.motif_set.motifs
    folder = tmp_path_factory.mktemp("tables")
    for format in ("csv", "graphml"):
        write_tables(folder, run, format)
    return folder, nx.read_graphml(folder / "graph.graphml")


def edges_of(text):
    """The edges of a text: two letters and a relation, None for any."""
    found = re.findall(r"(\w)-(?:\[(\w+)\]-)?>(\w)", text)
    return [(u, v, relation or None) for u, relation, v in found]


def test_all_occurrences_of_what_is_called_are_on_the_graph(exported):
    """Each node and edge of an occurrence says so, and no other, by the tables alone."""
    folder, graph = exported
    structures = pd.read_csv(folder / "structures.csv")
    places = pd.read_csv(folder / "occurrences.csv", dtype=str, keep_default_na=False)
    assert (len(graph), graph.number_of_edges()) == (424, 519)
    relation_of = nx.get_edge_attributes(graph, "relation")
    called = structures[structures["finding"] == "called"]
    # alone, and signed
    signed = "coherent feed-forward loop of type 1: A activates B, both activate C"
    assert {"feed-forward loop", signed} <= {*called["structure"]}
    for row in called.to_dict("records"):
        name = f"pattern_{row['pattern']:.0f}"
        assert graph.graph[name] == row["structure"]
        own = places[places["pattern"] == f"{row['pattern']:.0f}"]
        assert len(own) == row["occurrences"]
        letters = "ABC"
        counts, edges = Counter(own[[*letters]].values.ravel()), Counter()
        for place in own.to_dict("records"):
            for u, v, relation in edges_of(row["edges"]):
                edges.update(
                    ends for ends in relation_of
                    if ends[:2] == (place[u], place[v]) and relation in (None, relation_of[ends])
                )  # fmt: skip
        assert nx.get_node_attributes(graph, f"{name}_occurrences") == counts
        assert nx.get_edge_attributes(graph, f"{name}_occurrences") == edges
        for node, roles in nx.get_node_attributes(graph, f"{name}_role").items():
            here = {letter for letter in letters if node in {*own[letter]}}
            assert here <= {*re.findall(r"\w", roles)}
            assert all(here & {*role.split("/")} for role in roles.split())
    # the list of patterns is that of the roles
    for _, marks in [*graph.nodes(data=True), *((ends, one) for *ends, one in graph.edges.data())]:
        numbers = {key.split("_")[1] for key in marks if key.endswith("_role")}
        assert {*marks.get("patterns", "").split()} == numbers


def test_colours_are_those_of_the_page(exported):
    folder, graph = exported
    # without a motif the page selects the over-represented pattern of fewest nodes
    structures = pd.read_csv(folder / "structures.csv").set_index("pattern")
    more = structures[structures["null_degree_verdict"] == "more frequent"]
    first = f"pattern_{more.index.min():.0f}_role"
    for marks, plain in [*((one, NODE) for _, one in graph.nodes.data()),
                         *((one, EDGE) for *_, one in graph.edges.data())]:  # fmt: skip
        assert marks["color"] == (SELECTED if first in marks else plain)
    for name, color in {"node": NODE, "edge": EDGE, "hit": SELECTED}.items():
        assert re.search(rf"--{name}: (#\w+);", read_text("page.css"))[1] == color


def test_the_style_of_cytoscape_maps_columns_of_the_graph(exported):
    folder, graph = exported
    root = ElementTree.parse(folder / "cytoscape_style.xml").getroot()
    (style,) = root
    assert (root.tag, style.tag) == ("vizmap", "visualStyle")
    kinds = {"node": [own for _, own in graph.nodes.data()],
             "edge": [own for *_, own in graph.edges.data()]}  # fmt: skip
    mapped = {}
    for part, marks in kinds.items():
        for made in style.find(part).iter("visualProperty"):
            for mapping in made:
                column = mapping.get("attributeName")
                # Cytoscape makes the name of the id
                assert column == "name" or all(column in own for own in marks)
                mapped[made.get("name")] = column
                entries = {one.get("attributeValue") for one in mapping}
                assert entries in (set(), {"activates", "represses", "both"})
    assert mapped["NODE_FILL_COLOR"] == mapped["EDGE_STROKE_UNSELECTED_PAINT"] == "color"


def test_gephi_takes_no_attribute_for_a_label(exported):
    """It takes any key whose id is d3 or d7 for the label that yEd writes."""
    folder, _ = exported
    text = (folder / "graph.graphml").read_text()
    ids = re.findall(r'<key id="(\w+)"', text)
    assert len(ids) == len({*ids}) > 8 and not {"d3", "d7"} & {*ids}
    assert {*re.findall(r'<data key="(\w+)"', text)} == {*ids}


def test_motifs_have_their_colours_and_variants_those_of_their_motif(tmp_path):
    run = run_with_variant(5)
    path = tmp_path / "ring.txt"
    nx.write_edgelist(nx.cycle_graph(400), path, data=False)
    run = replace(run, settings={"graph": {"path": str(path)}})
    write_tables(tmp_path, run, "graphml")
    graph = nx.read_graphml(tmp_path / "graph.graphml", node_type=int)
    assert [graph.nodes[node]["motif"] for node in (0, 7, 8, 12)] == [0, 0, 1, 2]
    assert [graph.nodes[node]["color"] for node in (0, 7, 8, 12, 20)] == [
        MOTIF_COLORS[0], MOTIF_COLORS[0], MOTIF_COLORS[1], MOTIF_COLORS[0], NODE
    ]  # fmt: skip
    assert graph.edges[0, 1]["color"] == MOTIF_COLORS[0]
    # an occurrence that is in no copy
    assert graph.nodes[4]["patterns"] == "0"


def test_roles_are_orbits():
    assert node_roles(Structure.parse("A->B, A->C, B->C")) == ["A", "B", "C"]
    assert node_roles(Structure.parse("star-4")) == ["A", "B/C/D", "B/C/D", "B/C/D"]
    typed = Structure.parse("a-[x]->c, b-[y]->c")
    assert node_roles(typed) == ["A", "B", "C"]


def test_the_first_copy_of_the_first_motif_marks_and_edits_are_said():
    """Two copies of a triangle share a node; one lacks an edge, and one of a square has another."""
    triangle, square = Structure.parse("triangle"), Structure.parse("ring-4")
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (5, 6), (6, 7), (5, 8), (7, 8), (5, 7)]
    csr = as_csr(nx.Graph(edges))
    square = square.with_channels(square.channels)
    at = {tuple(sorted(pair)) for pair in square.edges}
    (u, v), *_ = [(u, v) for u in range(4) for v in range(u) if (v, u) not in at]
    # nodes of the square such that its diagonal (u, v) is the edge 5-7
    rows = np.empty(4, int)
    rows[[u, v]] = 5, 7
    rows[[node for node in range(4) if node not in (u, v)]] = 6, 8
    motifs = [
        Pattern(structure, motif=MotifPart(Occurrences.at(np.array(places), csr), 1.0, "uniform",
                                           num_copies=len(places), edits=np.array(edits)))
        for structure, places, edits in [
            (triangle, [[0, 1, 2], [2, 3, 4]], [[1, 0, 2, -1]]), (square, [rows], [[0, v, u, 1]]),
        ]
    ]  # fmt: skip
    drawn = marked_graph(csr, motifs)
    assert [drawn.nodes[node].get("copy") for node in range(9)] == [0, 0, 0, 1, 1, 0, 0, 0, 0]
    assert [drawn.nodes[node]["motif"] for node in range(9)] == [0] * 5 + [1] * 4
    assert drawn.nodes[2]["motif_role"] == "A/B/C"
    assert drawn.edges[2, 3] == {"motif": 0, "copy": 1, "motif_role": "A/B/C--A/B/C"}
    assert drawn.edges[5, 7]["motif_role"].endswith(" added")
    assert not drawn.edges[5, 6]["motif_role"].endswith(" added")


def test_a_motif_in_a_directed_graph_marks_edges_by_their_direction():
    graph = nx.DiGraph([(0, 1), (1, 0), (0, 2), (1, 2)])
    csr = as_csr(graph)
    loop = Structure.parse("A->B, A->C, B->C")
    place = Occurrences.at(np.array([[0, 1, 2]]), csr)
    pattern = Pattern(loop, place, id=4)
    drawn = marked_graph(csr, [], [pattern])
    assert drawn.edges[0, 1]["pattern_4_role"] == "A->B" and drawn.edges[1, 0] == {}
    # two places of the same nodes, in which they have other roles
    twice = replace(pattern, occurrences=Occurrences.at(np.array([[0, 1, 2], [1, 0, 2]]), csr))
    drawn = marked_graph(csr, [], [twice])
    assert drawn.nodes[0] == {"patterns": "4", "pattern_4_role": "A B", "pattern_4_occurrences": 2}
    assert drawn.edges[1, 2]["pattern_4_role"] == "A->C B->C"


def test_parallel_edges_are_marked_by_their_relation():
    structure = Structure.parse("a-[x]->b, a-[y]->b, b-[x]->c")
    csr = csr_from_edges(
        np.array([0, 0, 1]), np.array([1, 1, 2]), 3, relation=np.array([0, 1, 0]),
        relation_names=["x", "y"], directed=[True, True], features=np.ones(3),
    )  # fmt: skip
    place = Occurrences.at(np.array([[0, 1, 2]]), csr)
    drawn = marked_graph(csr, [], [Pattern(structure, place, id=0)])
    said = {own["relation"]: own["pattern_0_occurrences"] for *_, own in drawn.edges(0, data=True)}
    assert said == {"x": 1, "y": 1}
    # alone, edges are of any relation
    drawn = marked_graph(csr, [], [Pattern(structure.alone, place, id=0)])
    roles = [own["pattern_0_role"] for *_, own in drawn.edges(data=True)]
    assert roles == ["A->B", "A->B", "B->C"]


def test_nodes_of_a_collection_and_another_graph():
    ring = pattern_of(nx.cycle_graph(3), 0)
    graphs = [nx.path_graph(3), nx.cycle_graph(3)]
    csr = as_csr(graphs)
    ring = replace(ring, occurrences=Occurrences.at(np.array([[3, 4, 5]]), csr))
    run = run_of([ring])
    drawn = run.to_networkx(graphs)
    assert [node for node, own in drawn.nodes.data() if own] == ["1/0", "1/1", "1/2"]
    with pytest.raises(InputError, match="graph must be the one that was mined, and it lacks"):
        run.to_networkx(graphs[:1])
