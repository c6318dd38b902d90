"""Files in the exact form of each tool: their nodes, names, edges, directions and relations.

The page docs/formats.md lists them by tool: `test_formats.py`.
"""

from pathlib import Path

import numpy as np
import pytest
from format_tables import examples
from graph_files import named_edges

from gomkcn_dgl.io.reading import read_graph

ROOT = Path(__file__).parents[3]
READINGS = ROOT / "tests/data/readings"
ANN, BOB, CY, DD = "ann", "bob", "cy", "dd"
PATH = [(ANN, BOB), (BOB, CY)]
TRIANGLE = [(ANN, BOB), (ANN, CY), (BOB, CY)]
NAMED = [*TRIANGLE, (CY, DD)]
ROWS, NUMBERS = [(0, 1), (0, 2), (1, 2), (2, 3)], [(1, 2), (1, 3), (2, 3), (3, 4)]
LIKES = {(ANN, BOB): "likes", (BOB, CY): "likes", (ANN, CY): "knows", (CY, DD): "knows"}
PLAIN, PP = "edge", "9606.ENSP00000{:06}"


# what an example holds that is not named below, as far as its format allows
USUAL = ([ANN, BOB, CY, DD], NAMED, False, {})
# nodes in any order, edges, whether they have a direction, and options
CASES = {
    **dict.fromkeys(
        [
            *("networkx.g6", "networkx.s6", "igraph.edges", "scipy.mtx", "scipy.npz", "dgl.bin"),
            *("dgl_csr.bin", "dgl_csc.bin", "dgl_version_1.bin", "suitesparse.mtx", "orca.txt"),
            *("pyg", "igraph_adjacency.txt"),
        ],
        ([0, 1, 2, 3], ROWS, False, {}),
    ),
    **dict.fromkeys(("dimacs.col", "konect.txt"), ([1, 2, 3, 4], NUMBERS, False, {})),
    **dict.fromkeys(
        (
            *("pandas.csv", "pandas.tsv", "pandas.parquet"),
            *("pandas_records.json", "pandas_records.jsonl"),
        ),
        ([ANN, BOB, CY, DD], NAMED, True, {}),
    ),
    **dict.fromkeys(
        ("r_csv.csv", "r_table.txt", "excel.csv", "excel_empty.csv", "gephi.gexf"),
        ([ANN, BOB, CY], TRIANGLE, True, {}),
    ),
    **dict.fromkeys(
        ("gephi.json", "gephi.net", "socnetv.graphml", "socnetv.paj", "d3.json", "d3_sankey.json"),
        ([ANN, BOB, CY], PATH, False, {}),
    ),
    "igraph.dimacs": ([1, 2, 3, 4], NUMBERS, True, {}),
    "networkx_relations.graphml": (
        [ANN, BOB, CY],
        [(ANN, BOB, "hates"), (ANN, BOB, "likes"), (CY, ANN, "likes")],
        True,
        {"relation": "type"},
    ),
    "graph_tool.graphml": ([ANN, BOB, CY], [(ANN, BOB), (CY, BOB)], True, {}),
    "netzschleuder.csv": ([0, 1, 2], ROWS[:3], True, {}),
    "cytoscape.sif": (
        [ANN, BOB, CY, DD, "lone"],
        [(ANN, BOB, "pp"), (ANN, CY, "pp"), (BOB, CY, "pp"), (CY, DD, "pd")],
        True,
        {},
    ),
    "cytoscape.cyjs": (
        [ANN, BOB, CY],
        [(ANN, BOB, "pp"), (BOB, CY, "pd")],
        False,
        {},
    ),
    "dgl_relations.bin": (
        [0, 1, 2, 3],
        [(0, 1, "likes"), (1, 2, "likes"), (0, 2, "knows"), (2, 3, "knows")],
        True,
        {},
    ),
    "jgf.json": (
        [ANN, BOB, CY, DD],
        [(ANN, BOB, "likes"), (ANN, BOB, "knows"), (BOB, CY, "likes"), (CY, DD, "knows")],
        False,
        {},
    ),
    "gephi.csv": ([ANN, BOB, CY], TRIANGLE, False, {}),
    "yed.graphml": ([ANN, "bob the second"], [(ANN, "bob the second")], True, {}),
    "echarts.json": ([ANN, BOB, CY], [(ANN, BOB), (ANN, CY)], False, {}),
    "vis.json": ([ANN, BOB, CY], [(ANN, BOB), (CY, BOB)], True, {}),
    "graphology.json": ([ANN, BOB], [(ANN, BOB)], True, {}),
    "newman.gml": (["Ann", "Bob"], [("Ann", "Bob")], False, {}),
    "pajek.net": ([ANN, BOB, CY, DD], [(*edge, LIKES[edge]) for edge in NAMED], True, {}),
    "snap.txt": (
        [937, 3466, 5233, 8579],
        [(937, 3466), (937, 5233), (3466, 5233), (5233, 8579)],
        False,
        {},
    ),
    "snap_bitcoin.csv": (
        [1, 2, 3, 4, 5, 6, 13, 15, 16],
        [(1, 15), (4, 3), (6, 2), (6, 5), (13, 16)],
        True,
        {"source": 1, "target": 2, "directed": True},
    ),
    "snap_messages.txt": (
        [1, 2, 3, 4, 5, 6, 7],
        [(1, 2), (3, 4), (5, 2), (6, 7)],
        True,
        {"directed": True, "weight": "none"},
    ),
    "string.tsv": (
        ["EP300", "MDM2", "TP53"],
        [("EP300", "MDM2"), ("EP300", "TP53"), ("MDM2", "TP53")],
        False,
        {},
    ),
    "string_links.txt": (
        [PP.format(233), PP.format(356607), PP.format(427567)],
        [(PP.format(233), PP.format(356607)), (PP.format(233), PP.format(427567))],
        False,
        {},
    ),
    "biogrid.tab3.txt": (
        ["ACTN2", "FLNC", "MAP2K4", "MYPN"],
        [("ACTN2", "MYPN"), ("FLNC", "MAP2K4")],
        False,
        {},
    ),
    **dict.fromkeys(
        ("rdkit.sdf", "rdkit.smi"),
        ([0, 1, 2], [(0, 1, "single"), (1, 2, "single")], False, {}),
    ),
}


@pytest.mark.parametrize("name", [path.name for path in examples()])
def test_a_file_in_the_form_of_its_tool(name):
    nodes, edges, is_directed, options = CASES.get(name, USUAL)
    graph = read_graph(READINGS / name, **options)
    assert sorted(graph.original_ids(np.arange(graph.num_nodes))) == nodes
    expected = [(*edge, PLAIN)[:3] for edge in edges]
    undirected = {kind for kind, directed in graph.relations.kinds if not directed}
    found = [
        (*sorted(edge[:2]), edge[2]) if edge[2] in undirected else edge
        for edge in named_edges(graph)
    ]
    assert sorted(found) == sorted(expected)
    assert graph.is_directed == is_directed


def test_the_cases_are_files():
    assert CASES.keys() <= {path.name for path in examples()}
