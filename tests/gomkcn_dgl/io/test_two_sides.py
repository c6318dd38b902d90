"""Tables whose two columns number nodes of two kinds, with ids that both use."""

import itertools
import logging
from math import comb

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from gomkcn import (
    as_csr,
    census,
    count,
    read_temporal_edges,
    temporal_census,
    temporal_occurrences,
)
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph_html import describe_graph
from gomkcn_dgl.io.column_names import are_two_kinds
from gomkcn_dgl.io.reading import read_graph

RNG = np.random.default_rng(5)
# 12 users and 9 items, of which nine numbers are the same
PAIRS = sorted({tuple(row) for row in (RNG.random((55, 2)) * [12, 9]).astype(int).tolist()})
WRITTEN = {
    "integers": lambda number: number,
    "text": lambda number: f"n{number}",
    "wide": lambda number: 10**12 * number - 7,
}


def table_of(form="integers", names=("user", "item")):
    write = WRITTEN[form]
    return pd.DataFrame([(write(u), write(i)) for u, i in PAIRS], columns=names)


def of_networkx():
    graph = nx.Graph()
    graph.add_edges_from((("user", u), ("item", i)) for u, i in PAIRS)
    return graph


def edges_of(graph):
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    ends = [graph.original_ids(nodes) for nodes in (rows, graph.indices)]
    return {frozenset(pair) for pair in zip(*ends, strict=True)}


@pytest.fixture(params=["frame", "csv", "txt", "parquet"])
def read(request, tmp_path):
    def read_as(frame, **options):
        if request.param == "frame":
            return as_csr(frame, **options)
        path = tmp_path / f"table.{request.param}"
        if request.param == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False, sep="\t" if request.param == "txt" else ",")
        return read_graph(path, **options)

    return read_as


@pytest.mark.parametrize("form", WRITTEN)
def test_an_id_of_both_columns_is_two_nodes(read, form):
    graph = read(table_of(form))
    write = WRITTEN[form]
    assert edges_of(graph) == {
        frozenset((f"user {write(u)}", f"item {write(i)}")) for u, i in PAIRS
    }
    assert str(graph.two_sides) == "12 nodes of 'user' and 9 of 'item'"
    assert graph.feature_names == ("side=item", "side=user")
    assert graph.features[:, 0].tolist() == graph.two_sides.second.tolist()
    # users come before items, and numbers by their size
    if form == "integers":
        names = [*(f"user {u}" for u in range(12)), *(f"item {i}" for i in range(9))]
        assert graph.original_ids(np.arange(21)) == names
    assert any("9 ids in common" in note and "different nodes" in note for note in graph.notes)


def test_ids_of_one_column_stay_as_they_are(read):
    frame = pd.DataFrame([(u, 100 + i) for u, i in PAIRS], columns=["user", "item"])
    graph = read(frame)
    assert edges_of(graph) == {frozenset((u, 100 + i)) for u, i in PAIRS}
    assert graph.feature_names == ("side=item", "side=user")
    assert not any("in common" in note for note in graph.notes)


@pytest.mark.parametrize("names", [("baker", "bread"), ("a1", "thing"), ("miRNA", "gene")])
def test_what_names_leave_open_is_told_and_chosen(read, names, caplog):
    frame = table_of(names=names)
    merged = read(frame)
    assert merged.num_nodes == 12 and merged.sides is None
    assert any("9 ids in common" in note and "the same nodes" in note for note in merged.notes)
    assert [record.levelno for record in caplog.records if "in common" in record.getMessage()] == [
        logging.WARNING
    ]
    apart = read(frame, bipartite=True)
    first, second = names
    assert edges_of(apart) == {frozenset((f"{first} {u}", f"{second} {i}")) for u, i in PAIRS}
    same = read(frame, bipartite=False)
    assert same.num_nodes == 12 and not any("in common" in note for note in same.notes)


def test_columns_without_a_common_id_are_two_sides_unless_they_name_one_kind():
    rows = [(f"b{u}", f"c{i}") for u, i in PAIRS]
    for names, features in (
        (["baker", "bread"], ("side=baker", "side=bread")),
        (["source", "target"], ("constant",)),
        (["gene_a", "gene_b"], ("constant",)),
    ):
        assert as_csr(pd.DataFrame(rows, columns=names)).feature_names == features
    # a tree may be part of any graph
    tree = pd.DataFrame([("b0", f"c{i}") for i in range(9)], columns=["baker", "bread"])
    assert as_csr(tree).feature_names == ("constant",)


@pytest.mark.parametrize(
    "names",
    [
        *("source,target", "from,to", "u,v", "a,b", "id1,id2", "node1,node2", "friend1,friend2"),
        *("follower,followee", "caller,callee", "citing,cited", "child,parent", "gene_a,gene_b"),
        *("src,dst", "regulator,target", "person_1,person_2", "user_id,friend_id", "bait,prey"),
    ],
)
def test_columns_of_one_kind_of_nodes_are_one_graph(names, caplog):
    graph = as_csr(table_of(names=names.split(",")))
    assert graph.num_nodes == 12 and graph.sides is None
    assert "in common" not in caplog.text + str(graph.notes)
    assert are_two_kinds(*names.split(",")) is False


@pytest.mark.parametrize(
    "names",
    [
        *(
            "user,item",
            "userId,movieId",
            "customer_id,product_id",
            "author,paper",
            "Plant,Pollinator",
        ),
        *("Users,Items", "product,customer", "drug,disease", "host,parasite"),
        *("user_name,song_id", "word,document"),
    ],
)
def test_columns_of_two_kinds_of_nodes_are_two_sides(names):
    assert are_two_kinds(*names.split(",")) is True
    graph = as_csr(table_of(names=names.split(",")))
    assert graph.num_nodes == 21


def test_one_word_in_both_names_tells_nothing_apart():
    assert not are_two_kinds("user_item", "item")
    assert not are_two_kinds("drug_source", "drug_target")
    assert not are_two_kinds("actor1_movie", "actor2_movie")


def test_the_same_ids_are_one_graph_where_that_is_chosen(read):
    graph = read(table_of(), bipartite=False)
    merged = {frozenset(pair) for pair in PAIRS if pair[0] != pair[1]}
    assert edges_of(graph) == merged and graph.num_nodes == 12


def test_columns_without_names_are_two_sides_where_that_is_chosen(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("".join(f"{u} {i}\n" for u, i in PAIRS))
    assert read_graph(path).num_nodes == 12
    graph = read_graph(path, bipartite=True)
    assert edges_of(graph) == {frozenset((f"1 {u}", f"2 {i}")) for u, i in PAIRS}


@pytest.mark.parametrize("form", ["integers", "text"])
def test_events_in_time_have_the_same_nodes(tmp_path, form):
    frame = table_of(form).assign(time=range(len(PAIRS)))
    path = tmp_path / "events.csv"
    frame.to_csv(path, index=False)
    write = WRITTEN[form]
    for given in (frame, path):
        edges = read_temporal_edges(given)
        names = [[edges.names[end] for end in ends] for ends in (edges.source, edges.target)]
        assert [*zip(*names, strict=True)] == [
            (f"user {write(u)}", f"item {write(i)}") for u, i in PAIRS
        ]
        assert edges.num_nodes == 21 and "9 ids in common" in edges.notes[0]
        assert read_temporal_edges(given, bipartite=False).num_nodes == 12
    # a user takes two items, and an item never does anything
    found = temporal_occurrences(path, "A -> B, A -> C within 4", null_samples=0)
    steps = itertools.combinations(range(len(PAIRS)), 2)
    near = [(a, b) for a, b in steps if PAIRS[a][0] == PAIRS[b][0] and b - a <= 4]
    assert found.count.value == len(near)
    assert temporal_occurrences(path, "A -> B, B -> C within 4", null_samples=0).count.value == 0
    together = {"null_samples": 0, "bipartite": False}
    assert temporal_occurrences(path, "A -> B, B -> C within 40", **together).count.value
    assert temporal_census(path, 40, null_samples=0).num_edges == len(PAIRS)
    assert temporal_census(path, 40, **together).num_edges < len(PAIRS)


def test_counts_tell_the_sides_apart():
    graph, drawn = as_csr(table_of()), of_networkx()
    sides = {side: [node for node in drawn if node[0] == side] for side in ("user", "item")}

    def stars(side, leaves):
        return sum(comb(drawn.degree(node), leaves) for node in sides[side])

    cycles = sum(
        comb(len({*drawn[a]} & {*drawn[b]}), 2) for a, b in itertools.combinations(sides["user"], 2)
    )
    expected = {
        "a:user--x:item, b:user--x": stars("item", 2),
        "a:item--x:user, b:item--x": stars("user", 2),
        "a:user--x:item, b:user--x, c:user--x": stars("item", 3),
        "a:item--x:user, b:item--x, c:item--x": stars("user", 3),
        "a:user--x:item, a--y:item, b:user--x, b--y": cycles,
        "star-4": stars("item", 3) + stars("user", 3),
    }
    assert {text: count(graph, text).value for text in expected} == expected
    # the ends of a path of four nodes are not joined, or it is four of a cycle
    ways = sum((drawn.degree(u) - 1) * (drawn.degree(i) - 1) for u, i in drawn.edges)
    counts = [*[*expected.values()][:5], ways - 4 * cycles]
    assert sorted(census(graph, (3, 4)).counts.tolist()) == sorted(counts)


def test_a_table_of_nodes_joins_by_the_names_of_both_sides():
    nodes = pd.DataFrame({"name": [f"user {u}" for u in range(12)], "age": range(12)})
    graph = as_csr(table_of(), nodes=nodes)
    # items have no age, so that it is no feature, and sides stay
    assert graph.feature_names == ("side=item", "side=user")
    every = [*(f"user {u}" for u in range(12)), *(f"item {i}" for i in range(9)), "user 77"]
    graph = as_csr(table_of(), nodes=pd.DataFrame({"name": every, "age": range(22)}))
    assert graph.num_nodes == 21
    assert graph.features[0].tolist() == [0, 1, 0] or graph.features[0].tolist() == [0, 0, 1]
    assert any("left out 1 row" in note for note in graph.notes)


def test_edges_that_are_left_out_leave_no_nodes():
    frame = table_of().assign(stars=[1 + (u + i) % 5 for u, i in PAIRS])
    from gomkcn_dgl.graph_content import ColumnChoice, EdgeBounds, make_csr
    from gomkcn_dgl.io.edge_tables import from_edge_table

    choice = ColumnChoice(bounds=EdgeBounds.read({"stars": 4}, None))
    graph = make_csr(from_edge_table(frame, choice), choice)
    kept = [(u, i) for u, i in PAIRS if 1 + (u + i) % 5 >= 4]
    assert edges_of(graph) == {frozenset((f"user {u}", f"item {i}")) for u, i in kept}
    assert graph.num_nodes == len({u for u, _ in kept}) + len({i for _, i in kept})
    assert graph.features[:, 0].sum() == len({i for _, i in kept})


def test_one_edge_has_two_sides(read):
    graph = read(pd.DataFrame({"user": [1], "item": [1]}))
    assert graph.num_nodes == 2 and graph.num_edges == 1 and not len(graph.loops)
    assert describe_graph(graph)["sides"] == "bipartite: 1 node of 'user' and 1 of 'item'"


@pytest.mark.parametrize("given", [nx.path_graph(3), np.eye(3)])
def test_what_has_no_columns_has_no_sides_to_choose(given):
    with pytest.raises(InputError, match="bipartite is for a table of edges"):
        as_csr(given, bipartite=True)


def test_what_is_no_answer_is_refused():
    with pytest.raises(TypeError, match="bipartite must be True, False or None, got 'yes'"):
        as_csr(table_of(), bipartite="yes")
