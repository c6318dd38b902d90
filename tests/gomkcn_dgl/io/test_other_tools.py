"""Tables, matrices and objects as other people have them: the right nodes, edges and directions."""

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from graph_files import named_edges, refuse

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.io.reading import read_graph
from gomkcn_dgl.io.temporal_edges import read_temporal_edges

PATH = [("a", "b"), ("b", "c")]


def pairs_of(graph):
    return sorted(
        (u, v) if graph.is_directed else tuple(sorted((u, v))) for u, v, _ in named_edges(graph)
    )


# ---------------------------------------------------------------- the ends of edges


@pytest.mark.parametrize(
    ("header", "rows", "is_directed"),
    [
        # a source of the row, and no end
        ("bait,prey,source", ["a,b,x", "b,c,y"], False),
        ("tf,target,source", ["a,b,x", "b,c,y"], True),
        ("source,tf,target", ["x,a,b", "y,b,c"], True),
        ("source,target,ligand,receptor", ["a,b,x,y", "b,c,v,w"], True),
        # an end of a stretch, and a size of an effect
        ("TF,start,end,target_gene", ["a,1,2,b", "b,3,4,c"], True),
        ("TF,effect,regulated_gene", ["a,1,b", "b,-1,c"], True),
        # one word, and words beside others
        ("miRTarBase ID,miRNA,Species (miRNA),Target Gene", ["m1,a,h,b", "m2,b,h,c"], True),
        # who does, and to whom it is done
        ("blocker_id,day,blocked_id", ["a,1,b", "b,2,c"], True),
        ("retweeter,text,retweeted", ["a,x,b", "b,y,c"], True),
        ("trainee,trainer,year", ["b,a,1990", "c,b,1991"], True),
        ("SRC,TGT,VOT", ["a,b,1", "b,c,-1"], True),
        ("calling_number,called_number,seconds", ["a,b,1", "b,c,5"], True),
        ("synapse,pre_id,post_id", ["s1,a,b", "s2,b,c"], True),
        # each says which end it is, in either order
        ("i_source,j_target", ["a,b", "b,c"], True),
        ("j_target,i_source", ["b,a", "c,b"], True),
        # columns of dates are no ends, and a time is no word
        ("logged,one,other", ["2020-01-01,a,b", "2020-01-02,b,c"], False),
        ("h,r,t", ["a,r1,b", "b,r2,c", "a,r1,b", "c,r1,b"], False),
    ],
)
def test_the_ends_beside_other_columns(write, header, rows, is_directed):
    graph = read_graph(write("g.csv", "\n".join([header, *rows, ""])))
    assert pairs_of(graph) == PATH
    assert graph.is_directed == is_directed


def test_numbers_of_nodes_behind_the_names_of_edges(write):
    graph = read_graph(write("g.csv", "synapse,pre_id,post_id\ns1,1,2\ns2,2,3\n"))
    assert graph.is_directed
    assert pairs_of(graph) == [(1, 2), (2, 3)]


def test_numbers_of_which_an_id_is_no_row_but_nodes_follow(write):
    graph = read_graph(write("g.csv", "osm_id,u,v,length\n7,10,20,5.5\n9,20,30,6.5\n"))
    assert pairs_of(graph) == [(10, 20), (20, 30)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # what genes have, which share values by chance
        ("gene,in_degree,out_degree\nA,1,2\nB,2,1\nC,0,3\n", "nothing tells"),
        ("patient,pre,post\np1,1,2\np2,2,3\n", "nothing tells"),
        ("animal,head_length,tail_length\nA,1,2\nB,2,3\n", "nothing tells"),
        ("station,start_time,end_time\nA,10:00,11:00\nB,11:00,12:00\n", "nothing tells"),
        # a node with its name, and not the number of a row
        ("id,name,group\n1,ann,x\n2,bob,y\n3,cy,x\n", "nothing tells"),
        # what genes have, beside their names
        ("gene,length\nA,1500\nB,2500\n", "the column length holds numbers such as 1500, which"),
        ("selfies,y\n[C][=O],1\n[C][N],0\n", "the column y holds numbers such as 1, which are no"),
        ("source,target\na,\"['b', 'c']\"\n", "the column target holds lists of nodes"),
        ("node,neighbors\na,b;c\nb,c\n", "the column neighbors holds lists of nodes, such as b;c"),
    ],
)
def test_tables_that_are_no_edges_are_refused(write, text, sentence):
    refuse(write("g.csv", text), sentence)


@pytest.mark.parametrize(
    "name",
    [
        *("relationship", "relation_name", "Relation Type", "edge_label", "linkType", ":TYPE"),
        *("Interaction Type", "interaction_type", "edgeType", "rel_type", "metaedge"),
    ],
)
def test_types_of_edges_under_other_names(write, name):
    graph = read_graph(write("g.csv", f"source,{name},target\na,p,b\nb,q,c\na,p,c\n"))
    assert named_edges(graph) == [("a", "b", "p"), ("a", "c", "p"), ("b", "c", "q")]


def test_comments_say_that_edges_have_no_direction(write, log):
    text = (
        "# Undirected graph: amazon.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n1\t2\n1\t3\n"
    )
    graph = read_graph(write("g.txt", text))
    assert not graph.is_directed
    assert pairs_of(graph) == [(1, 2), (1, 3)]
    assert "undirected, as a comment in the file says so" in "\n".join(log())


def test_columns_of_konect_are_known_by_their_places(write):
    path = write(
        "g.txt", "% asym positive\n% 3 4 4\n1 2 5 1082040961\n1 3 1 1082040962\n2 4 1 1082040999\n"
    )
    graph = read_graph(path)
    assert graph.is_directed
    assert pairs_of(graph) == [(1, 2), (1, 3), (2, 4)]
    assert sorted(set(graph.weights.tolist())) == [1, 5]
    assert (np.diff(read_temporal_edges(path).times)).tolist() == [1, 37]


def test_a_column_that_pandas_calls_0_has_a_header(write):
    groups = pd.DataFrame({"u": ["a", "b"], "v": ["b", "c"]}).groupby(["u", "v"]).size()
    graph = read_graph(write("g.csv", groups.to_csv()))
    assert (pairs_of(graph), graph.num_nodes) == (PATH, 3)
    # an edge of weight 0 may stand first
    assert read_graph(write("h.csv", "a,b,0\nc,d,0\n")).num_nodes == 4


def test_numbers_that_ascend_before_self_loops_alone_are_nodes(write):
    assert pairs_of(read_graph(write("g.txt", "1 0 0\n2 0 0\n"), weight="none")) == [(0, 1), (0, 2)]


# ---------------------------------------------------------------- frames


def test_levels_of_an_index_are_ends():
    table = pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "weight": [2, 3], "n": [1, 1]})
    for columns in (["from", "to"], "from"):
        graph = as_csr(table.set_index(columns))
        assert pairs_of(graph) == PATH
        assert graph.is_directed
        assert sorted(set(graph.weights.tolist())) == [2, 3]
    plain = table.rename(columns={"from": "one", "to": "other"}).set_index(["one", "other"])
    assert pairs_of(as_csr(plain[["weight"]])) == PATH
    # and are not, where columns are
    other = table.assign(day=[1, 2], hour=[3, 4]).set_index(["day", "hour"])
    assert pairs_of(as_csr(other)) == PATH
    named = plain.reset_index("other")
    assert pairs_of(as_csr(named, source="one", target="other")) == PATH


def test_a_matrix_of_correlations_has_no_nodes_that_are_numbers():
    table = pd.DataFrame([[1, 2, 3], [2, 1, 3], [5, 5, 1], [1, 9, 2]]).corr().abs()
    assert pairs_of(as_csr(table)) == [(0, 1), (0, 2), (1, 2)]


def test_an_adjacency_frame_of_numbers():
    for graph in (nx.path_graph(3), nx.complete_graph(5), nx.DiGraph([(0, 1), (1, 2), (2, 3)])):
        found = as_csr(nx.to_pandas_adjacency(graph))
        assert found.is_directed == graph.is_directed()
        assert pairs_of(found) == sorted(graph.edges)


# ---------------------------------------------------------------- matrices

SQUARE = pd.DataFrame([[0, 1, 0], [0, 0, 1], [0, 0, 0]], list("abc"), list("abc"))
LARGE = pd.DataFrame(np.eye(4, k=1, dtype=int))
NAMED_BY_R = '"","V1","V2","V3","V4"\n"1",0,1,0,0\n"2",0,0,1,0\n"3",0,0,0,1\n"4",0,0,0,0\n'


@pytest.mark.parametrize(
    ("name", "text", "edges"),
    [
        ("g.csv", SQUARE[["c", "a", "b"]].to_csv(), PATH),
        ("g.csv", SQUARE.to_csv(index_label="node"), PATH),
        ("g.csv", (SQUARE * 0.5).to_csv(index_label="gene"), PATH),
        ("g.csv", NAMED_BY_R, [(1, 2), (2, 3), (3, 4)]),
        ("g.csv", NAMED_BY_R.replace("V", "X"), [(1, 2), (2, 3), (3, 4)]),
        ("g.csv", LARGE.to_csv(index=False), [(0, 1), (1, 2), (2, 3)]),
        ("g.csv", ",a.b,c.d\na b,0,1\nc d,0,0\n", [("a b", "c d")]),
        ("g.txt", '"e1" "e2"\n"ann" 1 0\n"bob" 0 1\n', [("ann", "e1"), ("bob", "e2")]),
    ],
)
def test_matrices_of_other_tools(write, name, text, edges):
    assert pairs_of(read_graph(write(name, text))) == edges


BOTH = SQUARE.assign(Total=SQUARE.sum(axis=1))
BOTH.loc["Total"] = BOTH.sum()
EVENTS = pd.DataFrame([[1, 0, 1], [1, 1, 0]], ["ann", "bob"], ["e1", "e2", "e3"])


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (BOTH, "the row Total holds the sums of the others, and is no node; leave out the totals"),
        (EVENTS.assign(SUM=[2, 2]), "the column SUM holds the sums of the others"),
        (pd.concat([EVENTS, EVENTS.sum().to_frame("All").T]), "the row All holds the sums"),
        (
            SQUARE.assign(Degree=[1, 1, 0]),
            "must have the names of its rows, each once, got 'Degree'",
        ),
        (SQUARE.astype(str).replace("0", "-"), "a matrix must hold finite numbers, got '-'"),
    ],
)
def test_matrices_with_more_than_numbers_are_refused(write, table, sentence):
    refuse(write("g.csv", table.to_csv()), sentence)


def test_a_node_that_is_called_total_without_sums_is_one(write):
    graph = read_graph(write("g.csv", ",ann,bob,Total\nann,0,1,0\nbob,1,0,1\nTotal,0,1,0\n"))
    assert pairs_of(graph) == [("Total", "bob"), ("ann", "bob")]


def test_frames_of_totals_are_refused():
    people, events = pd.Series(["a", "a", "b"], name="p"), pd.Series(["x", "y", "y"], name="e")
    with pytest.raises(InputError, match="holds the sums of the others"):
        as_csr(pd.crosstab(people, events, margins=True))


# ---------------------------------------------------------------- lists of neighbours


@pytest.mark.parametrize("name", ["g.adjlist", "g.txt"])
def test_adjacency_lists_of_several_lines_and_other_separators(tmp_path, name):
    graph = nx.Graph([("a", "b", {"weight": 2}), ("b", "c")])
    graph.add_node("d")
    path = tmp_path / name
    nx.write_multiline_adjlist(graph, path)
    found = read_graph(path)
    assert (pairs_of(found), found.num_nodes) == (PATH, 4)
    for mark in ",;|\t":
        nx.write_adjlist(graph, path, delimiter=mark)
        found = read_graph(path)
        assert (pairs_of(found), found.num_nodes) == (PATH, 4)
    path = tmp_path / "bad.adjlist"
    path.write_text("a 2\nb {}\n")
    refuse(path, "line 1: a node must stand before the number of its neighbours")
    path.write_text("# comments\n")
    refuse(path, "the file holds comments only, and no row")


# ---------------------------------------------------------------- times

SOME = ("2024-01-30 10:00", "2024-01-30 11:00", "2024-01-31 10:00")


@pytest.mark.parametrize(
    "form",
    [
        *("%m/%d/%Y %I:%M:%S %p", "%m/%d/%Y %I:%M %p", "%Y-%m-%d %H:%M:%S UTC"),
        *("%a, %d %b %Y %H:%M:%S +0100", "%a %b %d %H:%M:%S +0000 %Y", "%d-%b-%Y %H:%M"),
        *("%d/%b/%Y:%H:%M:%S +0000", "%Y%m%d%H%M", "%Y%m%d%H%M%S", "%Y-%m-%d %H:%M:%S GMT"),
    ],
)
def test_times_as_programs_write_them(write, form):
    times = [pd.Timestamp(time).strftime(form) for time in SOME]
    rows = "".join(f'a,b,"{time}"\n' for time in times)
    found = read_temporal_edges(write("g.csv", f"source,target,created_at\n{rows}"))
    assert (np.diff(found.times) / found.ticks).tolist() == [3600, 82800]


def test_afternoons_are_12_hours_later(write):
    rows = "a,b,1/30/2024 11:00 AM\na,b,1/30/2024 1:00 PM\n"
    found = read_temporal_edges(write("g.csv", f"source,target,time\n{rows}"))
    assert np.diff(found.times) / found.ticks == 7200


def test_one_time_of_another_form_is_refused(write):
    rows = "a,b,30-Jan-2024\na,b,2024-01-31\n"
    path = write("g.csv", f"source,target,time\n{rows}")
    with pytest.raises(InputError, match="line 3: a number or a timestamp was expected"):
        read_temporal_edges(path)


# ---------------------------------------------------------------- tables of nodes


def test_empty_columns_of_a_table_of_nodes_are_left_out(write, log):
    path = write("g.csv", "source,target\na,b\nb,c\n")
    write("g.features.csv", "Id,Label,timeset,mass\nc,Cy,,3\na,Ann,,1\nb,Bob,,2\n")
    graph = read_graph(path, features=["mass"])
    assert graph.features[:, 0].tolist() == [1, 2, 3]
    assert "empty columns of the feature file g.features.csv are not used: timeset" in log()


def test_two_columns_that_may_both_name_the_nodes_are_refused(write):
    path = write("g.csv", "source,target\n10,20\n20,30\n")
    table = write("g.features.csv", "rank,uid,mass\n10,30,3\n20,10,1\n30,20,2\n")
    refuse(path, "one column alone may hold the names of the nodes, got rank, uid")
    # the same names twice are no doubt
    table.write_text("symbol,gene,mass\n30,30,3\n10,10,1\n20,20,2\n")
    assert read_graph(path, features=["mass"]).features[:, 0].tolist() == [1, 2, 3]


# ---------------------------------------------------------------- molecules


def test_molecules_beside_measurements_and_one_that_is_none(write):
    rows = "m1,0.5,1.5,CCO\nm2,0.7,1.7,CCN\nm3,0.1,1.2,CCC\n"
    assert read_graph(write("a.csv", f"mol_id,A,B,structure\n{rows}")).num_graphs == 3
    path = write("b.csv", f"mol_id,A,B,structure\n{rows}m4,0.1,0.2,C1CC\n")
    refuse(path, "line 5: RDKit cannot read the molecule")
    assert read_graph(path, skip_invalid=True).num_graphs == 3


def test_a_column_of_molecules_in_a_text_is_not_one_of_nodes(write):
    for mark in (" ", "\t"):
        text = "".join(
            f"{mark.join(row)}\n" for row in (["smiles", "id"], ["CCO", "z1"], ["CN", "z2"])
        )
        path = write("z.txt", text)
        refuse(path, "the column smiles holds molecules, and no nodes; format='smiles' reads them")
        assert read_graph(path, format="smiles").num_graphs == 2


# ---------------------------------------------------------------- graphs in XML and JSON


def test_types_of_tinkerpop_and_cytoscape_in_graphml(write):
    for key in ("labelE", "shared interaction"):
        text = (
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
            f'<key id="k" for="edge" attr.name="{key}" attr.type="string"/>'
            '<graph edgedefault="directed"><node id="a"/><node id="b"/>'
            '<edge source="a" target="b"><data key="k">knows</data></edge></graph></graphml>'
        )
        graph = read_graph(write("g.graphml", text))
        assert named_edges(graph) == [("a", "b", "knows")]


def test_keys_of_networkx_in_gexf(tmp_path):
    graph = nx.MultiDiGraph()
    graph.add_edges_from([("a", "b", "likes"), ("a", "b", "knows"), ("b", "c", "likes")])
    path = tmp_path / "g.gexf"
    nx.write_gexf(graph, path)
    found = read_graph(path, relation="key")
    assert named_edges(found) == [("a", "b", "knows"), ("a", "b", "likes"), ("b", "c", "likes")]
    assert found.num_edges == 3


def test_hyperedges_are_refused(write):
    graph = {"nodes": {"a": {}, "b": {}}, "hyperedges": [{"nodes": ["a", "b"]}]}
    refuse(write("g.json", json.dumps({"graph": graph})), "got hyperedges")
