"""What tells the two ends of edges in a table: names, values, the only two; or a sentence."""

import networkx as nx
import pytest
from graph_files import named_edges, refuse

from gomkcn_dgl.io.reading import read_graph


def pairs_of(graph):
    return sorted({(u, v) if graph.is_directed else tuple(sorted((u, v)))
                   for u, v, _ in named_edges(graph)})  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "edges", "is_directed", "evidence"),
    [
        # ends behind columns of data
        ("g.csv", "tf,confidence,target,mor\nT1,A,g1,1\nT1,A,g2,-1\nT2,B,g1,1\n",
         [("T1", "g1"), ("T1", "g2"), ("T2", "g1")], True, "by their names"),
        ("g.tsv", "# RegulonDB\n#  columns\n1)riId\t2)riType\t3)tfId\t4)tfName\t5)regulatedName\n"
         "R1\ttf-gene\tT1\tAraC\taraA\nR2\ttf-gene\tT1\tAraC\taraB\nR3\ttf-gene\tT2\tCRP\taraA\n",
         [("AraC", "araA"), ("AraC", "araB"), ("CRP", "araA")], True, "by their names"),
        # names that differ in the last letter
        ("g.tsv", "ENTITYA\tTYPEA\tIDA\tENTITYB\tTYPEB\tIDB\nP\tprot\t1\tQ\tprot\t2\n"
         "Q\tprot\t2\tR\tprot\t3\n", [("P", "Q"), ("Q", "R")], False, "by their names"),
        # start and end are places where they have nothing in common
        ("g.csv", "chrom,start,end,gene1,gene2\nc1,100,200,A,B\nc2,150,300,B,C\n",
         [("A", "B"), ("B", "C")], False, "by their names"),
        ("g.csv", "start,end,year\n1,2,1990\n2,3,1991\n", [(1, 2), (2, 3)], True,
         "by their names"),
        ("g.csv", "start_time,end_time,sender,receiver\n1,2,ann,bob\n2,3,bob,cy\n",
         [("ann", "bob"), ("bob", "cy")], True, "by their names"),
        # values that two columns share, and no others
        ("g.csv", "city,who,likes\nrome,ann,bob\nrome,bob,cy\nparis,cy,ann\n",
         [("ann", "bob"), ("ann", "cy"), ("bob", "cy")], False, "which share values"),
        # a comment that holds the names of columns
        ("g.csv", "# source, target, weight, time\n0, 1, 3, 100\n1, 2, 1, 200\n",
         [(0, 1), (1, 2)], True, "by their names"),
        ("g.csv", "# source, target, weight\n0, 1, 3\n1, 2, 1\n", [(0, 1), (1, 2)], True,
         "by their names"),
        # times before two columns of nodes, as SocioPatterns has them
        ("g.txt", "20 1 2\n20 2 3\n40 2 1\n60 3 1\n", [(1, 2), (1, 3), (2, 3)], False,
         "the two behind times"),
        # the only two, behind names of rows and beside weights
        ("g.csv", ",this,that\n0,ann,bob\n1,bob,cy\n", [("ann", "bob"), ("bob", "cy")], False,
         "the only two that are left"),
    ],
)  # fmt: skip
def test_evidence_tells_the_ends(write, log, name, text, edges, is_directed, evidence):
    graph = read_graph(write(name, text))
    assert pairs_of(graph) == edges
    assert graph.is_directed == is_directed
    (line,) = (line for line in log() if line.startswith("columns: "))
    assert evidence in line


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # no name is known, and no two columns share values
        ("who,does,what\nann,eats,soup\nbob,cooks,rice\n",
         "line 1: nothing tells which columns hold the two nodes of an edge, got who, does, what; "
         "name them, such as source='who' target='does'"),
        # two pairs of columns share values
        ("w,x,y,z\nann,bob,red,blue\nbob,ann,blue,red\ncy,ann,red,sea\n", "nothing tells"),
        # a series of columns is no pair
        ("gene,sp1,sp2,sp3\nA,1,0,1\nB,1,1,0\n", "nothing tells which columns"),
        # one end is given, and the other is not known
        ("who,does,what\nann,eats,soup\nbob,cooks,rice\n", "nothing tells"),
        # measurements are no nodes
        ("person,height\nann,1.5\nbob,1.8\n", "holds numbers such as 1.5, which are no nodes"),
        # a part of a table of places
        ("chrom,start,end\nc1,100,200\nc2,150,300\n", "nothing tells which columns"),
        # cells that are no SMILES, by the letters or for RDKit
        # molecules of two columns may be the ends of edges
        ("educt,product,yield\nCCO,CC=O,1\nCCN,CC=N,2\n", "nothing tells which columns"),
        ("drug,dose,unit\nCCO,1,mg\nCXO,2,ml\n", "nothing tells which columns"),
        ("drug,dose,unit\nCCO,1,mg\nC1CO,2,ml\n", "nothing tells which columns"),
    ],
)  # fmt: skip
def test_without_evidence_the_ends_are_asked_for(write, text, sentence):
    refuse(write("g.csv", text), sentence)


def test_numbers_that_all_ascend_are_ends_and_weights(write):
    graph = read_graph(write("g.txt", "10 1 2\n20 2 3\n30 3 4\n"))
    assert pairs_of(graph) == [(1, 10), (2, 20), (3, 30)]
    assert sorted(set(graph.weights.tolist())) == [2, 3, 4]


def test_an_end_that_is_given_leads_to_the_other(write):
    path = write("g.csv", "kind,regulator,score,target\nx,A,1,B\ny,B,2,C\n")
    assert pairs_of(read_graph(path, source="regulator", directed=True)) == [("A", "B"), ("B", "C")]
    asked = write("h.csv", "who,does,what\nann,eats,soup\nbob,cooks,rice\n")
    refuse(asked, "such as target='does'", source="who")
    assert pairs_of(read_graph(asked, source="who", target="what")) == [
        ("ann", "soup"),
        ("bob", "rice"),
    ]


@pytest.mark.parametrize(
    "names",
    [
        "TF,gene", "predator,prey", "kinase,substrate", "caller,callee", "follower,followee",
        "regulator,regulated", "regulator,target_gene", "source_id,destination_id",
        "exporter,importer", "payer,payee", "upstream,downstream", "citing,cited",
        "ligand,receptor", "TF,operon", "lender,borrower", "manager,employee", "cause,effect",
        "pre_id,post_id", "donor,recipient", "controller,controlled", "citer,cited",
    ],
)  # fmt: skip
def test_names_say_a_direction(write, names):
    first, second = names.split(",")
    for header in (f"{first},{second}", f"score,{second},year,{first}"):
        cells = "n1,n2" if header == names else "1,n2,1990,n1"
        others = "n2,n3" if header == names else "2,n3,1991,n2"
        graph = read_graph(write("g.csv", f"{header}\n{cells}\n{others}\n"))
        assert graph.is_directed
        assert pairs_of(graph) == [("n1", "n2"), ("n2", "n3")]


@pytest.mark.parametrize("names", ["gene_a,gene_b", "node1,node2", "bait,prey", "user,item", "u,v"])
def test_names_of_two_that_belong_together_say_no_direction(write, names):
    assert not read_graph(write("g.csv", f"{names}\nn1,n2\nn2,n3\n")).is_directed


def test_an_adjacency_list_is_told_by_its_comments(write, tmp_path):
    graph = nx.circulant_graph(7, [1, 2])
    path = tmp_path / "ring.txt"
    nx.write_adjlist(graph, path)
    found = read_graph(path)
    assert (found.num_nodes, found.num_edges) == (7, 14)
    assert pairs_of(found) == sorted(tuple(sorted(edge)) for edge in graph.edges)
    # lines of different lengths are no table, and the sentence says what they may be
    ragged = write("g.txt", "a b c\nb c\nd\n")
    refuse(ragged, "format='adjlist' reads a node and its neighbours")
    listed = read_graph(ragged, format="adjlist")
    assert pairs_of(listed) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert (listed.num_nodes, len(listed.loops)) == (4, 0)
    loop = read_graph(write("loop.adjlist", "a a b\nc\n"))
    assert (loop.num_nodes, loop.num_edges, loop.loops.tolist()) == (3, 1, [[0, 0]])
    assert pairs_of(read_graph(ragged, format="adjlist", directed=True)) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
