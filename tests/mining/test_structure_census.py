"""The census of a graph as a record, a table and a command; directions, kinds, categories."""

import json
from collections import Counter
from itertools import combinations, product
from pathlib import Path

import igraph
import networkx as nx
import numba
import numpy as np
import pandas as pd
import pytest
from command_line import gomkcn, refused
from random_graphs import random_graph

from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.io.reading import read_graph
from mining.categories import Categories
from mining.counting.exact_search import count_by_graph
from mining.counting.graphlets import graphlets
from mining.counting.structure_counts import (
    census_steps,
    count_connected_sets,
    count_structures,
    directed_structures,
    set_steps,
)
from mining.orbit_features import OrbitCounts
from mining.structure_census import census, graphlet_agreement, orbit_counts, orbit_table, to_graph6

DIRECTED = Path(__file__).parents[3] / "shared/data/directed"


def sets_of(graph, size):
    """How many connected sets of nodes look the same, as a structure, by looking at each."""
    links = np.zeros((graph.num_nodes, graph.num_nodes), np.int64)
    rows = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    links[rows, graph.indices] = 1 if graph.links is None else graph.links
    categories = Categories.find(graph.features, graph.feature_names)
    colors = categories.colors(graph.features)
    found = Counter()
    for nodes in map(list, combinations(range(graph.num_nodes), size)):
        own = links[np.ix_(nodes, nodes)]
        if nx.is_connected(nx.from_numpy_array((own > 0).astype(int))):
            names = categories.names_of(colors[nodes] if categories else None, graph.feature_names)
            found[Structure(graph.relations.links[own], graph.relations, names).key] += 1
    return dict(found)


def parts_of(structure):
    """The structures on all nodes that have some of the edges of one, with how many there are."""
    edges = list(zip(structure.edges, structure.edge_relations, strict=True))
    found = Counter()
    for kept in product([False, True], repeat=len(edges)):
        channels = np.zeros_like(structure.channels)
        for ((u, v), relation), one in zip(edges, kept, strict=True):
            out = structure.relations.outgoing[relation]
            channels[u, v, out] |= one
            channels[v, u, structure.relations.opposite[out]] |= one
        if nx.is_connected(nx.from_numpy_array(channels.any(axis=2).astype(int))):
            found[Structure(channels, structure.relations, structure.categories).key] += 1
    return found


def with_categories(graph, seed):
    """The same with one of three categories for each node."""
    kind = np.random.default_rng(seed).integers(0, 3, graph.num_nodes)
    return as_csr(graph, features=pd.DataFrame({"kind": [f"k{one}" for one in kind]}))


@pytest.mark.parametrize("has_categories", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_sets_of_a_graph_with_directions_kinds_and_categories(seed, has_categories):
    graph, _ = random_graph(np.random.default_rng(seed), 11, 16)
    graph = with_categories(graph, seed) if has_categories else graph
    categories = Categories.find(graph.features, graph.feature_names)
    assert bool(categories) == has_categories
    for size in (3, 4):
        counts = count_connected_sets(graph, size, categories)
        assert {one.key: count for one, count in counts.items()} == sets_of(graph, size)
        # a bound
        assert sum(counts.values()) <= set_steps(graph, size)
        again = count_connected_sets(graph, size, categories)
        assert list(again) == list(counts)


@pytest.mark.parametrize("seed", range(50))
def test_sets_of_directed_graphs(seed):
    rng = np.random.default_rng(seed)
    number = int(rng.integers(1, 10))
    graph = as_csr(nx.gnp_random_graph(number, rng.uniform(0.05, 0.6), seed=seed, directed=True))
    for size in (3, 4):
        counts = count_structures(graph, range(size, size + 1))
        assert len(counts) == {3: 13, 4: 199}[size]
        present = {one.key: count for one, count in counts.items() if count}
        assert present == sets_of(graph, size)


@pytest.mark.parametrize("seed", range(4))
def test_subgraphs_with_directions_kinds_and_categories(seed):
    graph, _ = random_graph(np.random.default_rng(seed), 9, 10)
    graph = with_categories(graph, seed) if seed % 2 else graph
    categories = Categories.find(graph.features, graph.feature_names)
    for size in (3, 4):
        expected = Counter()
        for one, count in count_connected_sets(graph, size, categories).items():
            for key, number in parts_of(one).items():
                expected[key] += number * count
        found = count_structures(graph, range(size, size + 1), "subgraph", categories)
        assert {one.key: count for one, count in found.items()} == dict(expected)


def test_a_hub_has_many_sets():
    star = as_csr(nx.DiGraph([(0, k) for k in range(1, 201)]))
    (count,) = count_connected_sets(star, 4).values()
    assert count == set_steps(star, 4) == 200 * 199 * 198 // 6


def test_many_kinds_of_sets_fit_into_a_table_that_grows():
    number = 120
    graph = as_csr(
        nx.gnm_random_graph(number, 500, seed=1),
        features=pd.DataFrame({"kind": [f"k{k % 60:02}" for k in range(number)]}),
    )
    counts = count_connected_sets(graph, 4, Categories.find(graph.features, graph.feature_names))
    assert len(counts) > 10_000
    plain = count_structures(as_csr(nx.gnm_random_graph(number, 500, seed=1)), range(4, 5))
    assert sum(counts.values()) == sum(plain.values())


def test_threads_do_not_matter(monkeypatch):
    graph = as_csr(nx.gnm_random_graph(600, 6000, seed=2, directed=True))
    results = []
    for number in (1, 2):
        monkeypatch.setattr(numba, "get_num_threads", lambda number=number: number)
        results.append(count_connected_sets(graph, 4))
    assert results[0] == results[1]


def igraph_counts(graph, size):
    """The counts of igraph, by the key of the structure."""
    source, target, _ = graph.edges()
    arcs = np.stack([source, target], axis=1).tolist()
    numbers = igraph.Graph(graph.num_nodes, arcs, directed=True).motifs_randesu(size)
    kinds = [igraph.Graph.Isoclass(size, kind, directed=True) for kind in range(len(numbers))]
    return {
        Structure.of_edges(size, one.get_edgelist(), directed=True).key: int(number)
        for one, number in zip(kinds, numbers, strict=True)
        if one.is_connected(mode="weak")
    }


@pytest.mark.parametrize("name", ["e_coli", "c_elegans"])
def test_directed_networks_are_counted_as_by_igraph(name, ecoli):
    if name == "e_coli":
        graph = read_graph(ecoli, directed=True, relation="none")
    elif DIRECTED.is_dir():
        graph = read_graph(DIRECTED / "celegansneural.gml")
    else:
        pytest.skip("needs ../shared/data/directed")
    found = census(graph)
    assert found.sizes == range(3, 5)
    keys = [one.key for one in found.structures]
    expected = igraph_counts(graph, 3) | igraph_counts(graph, 4)
    assert dict(zip(keys, found.counts.tolist(), strict=True)) == expected
    assert len(expected) == 13 + 199
    assert len({to_graph6(one) for one in found.structures}) == len(expected)


def test_all_directed_structures_are_different():
    for size, number in ((3, 13), (4, 199)):
        assert len({one.key for one in directed_structures(size)}) == number


def test_a_table_has_a_row_for_each_structure():
    table = census(nx.complete_graph(4), (2, 5)).to_pandas()
    assert list(table.columns) == ["size", "graph6", "name", "count"]
    assert table["size"].tolist() == [2] + 2 * [3] + 6 * [4] + 21 * [5]
    assert table["count"].sum() == 6 + 4 + 1
    for code, one in zip(table["graph6"], graphlets(), strict=True):
        assert Structure.from_networkx(nx.from_graph6_bytes(code.encode())).edges == one.edges


def test_names_are_those_of_the_reports_and_no_two_are_alike():
    names = [one.name for one in graphlets()]
    assert [describe_shape(one) for one in graphlets()] == names
    assert census(nx.complete_graph(4), (2, 5)).names == names
    directed = census(nx.DiGraph([(0, 1), (1, 2), (2, 3)]), (3, 4)).names
    assert len(set(directed)) == 13 + 199


def test_both_readings():
    k4 = nx.complete_graph(4)
    for reading, squares in (("induced", 0), ("subgraph", 3)):
        found = census(k4, 4, reading)
        assert found.reading == reading
        assert dict(zip(found.names, found.counts, strict=True))["cycle of 4 nodes"] == squares
        rings = count_by_graph(as_csr(k4), Structure.parse("ring-4"), reading=reading)
        assert rings.tolist() == [squares]


@pytest.mark.parametrize("seed", range(6))
def test_a_search_for_subgraphs_counts_as_the_census(seed):
    graph = as_csr(nx.gnp_random_graph(14, 0.2 + seed / 10, seed=seed))
    for one, count in count_structures(graph, range(2, 6), "subgraph").items():
        assert count_by_graph(graph, one, reading="subgraph").sum() == count
    six = Structure.parse("ring-6")
    pairs = igraph.Graph(n=14, edges=graph.adjacent_pairs().tolist())
    number = pairs.count_subisomorphisms_vf2(igraph.Graph.Ring(6))
    assert count_by_graph(graph, six, reading="subgraph").sum() == number // 12


def test_graphs_of_a_collection_are_added_up():
    parts = [nx.complete_graph(5), nx.cycle_graph(5), nx.empty_graph(2)]
    both = census(parts, (3, 5))
    np.testing.assert_array_equal(both.counts, sum(census(part, (3, 5)).counts for part in parts))
    squares = count_by_graph(as_csr(parts), Structure.parse("ring-4"), reading="subgraph")
    assert squares.tolist() == [15, 0, 0]


def test_loops_and_double_edges_count_as_elsewhere():
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 0), (2, 2)])
    assert census(graph, 3).counts.tolist() == [0, 1]


@pytest.mark.parametrize("nodes", [1, 4])
def test_graphs_without_edges_have_no_structures(nodes):
    assert census(nx.empty_graph(nodes)).counts.tolist() == [0] * 29
    directed = nx.empty_graph(nodes, create_using=nx.DiGraph)
    assert not census(directed).counts.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": 6}, "sizes must be at most 5, got 6."),
        ({"sizes": (5, 3)}, "sizes must have the smallest number first, as in '3-5'"),
        ({"sizes": 1}, "sizes must be at least 2, got 1."),
        ({"sizes": (3, 4, 5)}, "sizes must be a number of nodes, or the smallest and the largest"),
        ({"sizes": "a-b"}, "sizes must be a number of nodes, or the smallest and the largest"),
        ({"sizes": 3.0}, "sizes must be an integer, got 3.0."),
        ({"sizes": (3.0, 4)}, "sizes must be an integer, got 3.0."),
        ({"reading": "all"}, "reading must be one of 'induced', 'subgraph', got 'all'."),
    ],
)
def test_what_cannot_be_counted_is_refused(arguments, message):
    with pytest.raises((InputError, InputTypeError), match=f"^{message}".replace("(", r"\(")):
        census(nx.path_graph(3), **arguments)


def test_directions_allow_three_and_four_nodes_and_no_orbits():
    arcs = nx.DiGraph([(0, 1)])
    with pytest.raises(InputError, match="^sizes must be at most 4, got 5"):
        census(arcs, (3, 5))
    with pytest.raises(InputError, match="^graph must have edges without directions and kinds"):
        census(arcs, orbits=True)
    with pytest.raises(InputError, match="^reading must be 'induced' where edges have directions"):
        count_by_graph(as_csr(arcs), Structure.parse("a->b"), reading="subgraph")


def test_steps_do_not_need_a_census():
    # it would take hours
    hubs = as_csr(nx.complete_bipartite_graph(2, 20_000))
    assert census_steps(hubs, range(3, 6)) > 10**8
    arcs = as_csr(nx.DiGraph([(0, k) for k in range(1, 20_000)]))
    assert census_steps(arcs, range(3, 5)) > 10**12 > census_steps(arcs, range(3, 4))


def test_orbits_beside_the_census():
    graph = nx.les_miserables_graph()
    found = census(graph, (2, 5), orbits=True)
    np.testing.assert_array_equal(found.orbits, orbit_counts(graph))
    assert census(graph, 3, orbits=True).orbits.shape == (77, 15)
    assert census(graph).orbits is None
    table = orbit_table(graph, 4)
    assert list(table.columns) == ["node", *(f"orbit{k}" for k in range(15))]
    assert dict(zip(table["node"], table["orbit0"], strict=True)) == dict(graph.degree)
    assert list(orbit_table([graph, graph], 4).columns[:2]) == ["graph", "node"]


def test_orbit_counts_are_features_of_graphs_and_nodes():
    graphs = [nx.les_miserables_graph(), nx.cycle_graph(6)]
    by_node = OrbitCounts(level="node")
    assert by_node.fit_transform(graphs).shape == (83, 73)
    np.testing.assert_array_equal(by_node.transform(graphs[1]), orbit_counts(graphs[1]))
    means = OrbitCounts(size=4).fit(graphs).transform(graphs)
    np.testing.assert_allclose(means, [orbit_counts(one, 4).mean(axis=0) for one in graphs])
    assert by_node.get_feature_names_out().tolist() == [f"orbit{k}" for k in range(73)]
    for wrong in ({"size": 3}, {"level": "edge"}):
        with pytest.raises(InputError):
            OrbitCounts(**wrong).fit(graphs)


def test_agreement_of_graphs():
    path, star = nx.path_graph(3), nx.star_graph(3)
    assert graphlet_agreement(star, star) == 1
    # degrees 1, 1, 2 have the shares .8 and .2 by weight; 1, 1, 1, 3 have .9 and .1
    far = [np.sqrt((0.1**2 + 0.2**2 + 0.1**2) / 2)]
    # at the ends of paths of three 1, 1, and 2, 2, 2; in the middle 1, and 3;
    # and of a star of three
    far += [1, 1, np.sqrt(0.5), np.sqrt(0.5)]
    assert graphlet_agreement(path, star, 4) == pytest.approx(1 - sum(far) / 15)


def test_the_command_prints_and_writes_tables(folder):
    nx.write_edgelist(nx.wheel_graph(6), "wheel.txt", data=False)
    lines = gomkcn("census wheel.txt --size 3").splitlines()
    assert [line.split() for line in lines] == [
        ["size", "graph6", "name", "count", "reading"],
        ["3", "BW", "path", "of", "3", "nodes", "10", "induced"],
        ["3", "Bw", "triangle", "5", "induced"],
    ]
    expected = census(nx.wheel_graph(6), (3, 5), "subgraph").to_pandas()
    expected["reading"] = "subgraph"
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet, "json": pd.read_json}
    for ending, one in read.items():
        said = gomkcn(f"census wheel.txt --reading subgraph --out table.{ending}")
        assert said == f"wrote table.{ending}: 29 rows\n"
        pd.testing.assert_frame_equal(one(f"table.{ending}"), expected, check_dtype=False)
    gomkcn("census wheel.txt --orbits --size 2-4 --out orbits.csv")
    table = pd.read_csv("orbits.csv")
    assert table["orbit0"].tolist() == [5, 3, 3, 3, 3, 3]
    assert len(table.columns) == 16


def test_the_command_writes_numbers_of_any_size(folder):
    nx.write_edgelist(nx.star_graph(130_000), "star.txt", data=False)
    gomkcn("census star.txt --size 5 --out star.json")
    number = 130_000 * 129_999 * 129_998 * 129_997 // 24
    assert number > 2**63
    counts = [row["count"] for row in json.loads(Path("star.json").read_text())]
    assert sorted(counts)[-2:] == [0, number]
    assert "--out must end in .csv or .json" in refused("census star.txt --size 5 --out s.parquet")


def test_the_command_takes_directions_and_kinds(folder, ecoli):
    table = gomkcn(f"census {ecoli} --size 3 --directed --relation none")
    assert table.splitlines()[0].split()[:2] == ["size", "digraph6"]
    kinds = gomkcn(f"census {ecoli} --size 3 --directed")
    assert "0-[activates]->" in kinds
    assert kinds.splitlines()[0].split()[:2] == ["size", "edges"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--size 6", "--size must be at most 5, got 6."),
        (
            "--size a-b",
            "--size must be a number of nodes, or the smallest and the largest number as in "
            "(3, 5) or '3-5', got 'a-b'.",
        ),
        ("--out x.txt", "--out must end in .csv, .parquet, .json, got 'x.txt'."),
        ("--reading all", "--reading must be one of 'induced', 'subgraph', got 'all'."),
        ("--orbits --size 3-5", "--size must be 2-4 or 2-5 with --orbits, got 3-5."),
        ("--orbits --reading subgraph", "--reading must be induced with --orbits, got 'subgraph'."),
    ],
)
def test_the_command_refuses(folder, options, message):
    nx.write_edgelist(nx.path_graph(4), "path.txt", data=False)
    assert refused(f"census path.txt {options}") == message


def test_count_takes_the_reading(folder, ecoli):
    nx.write_edgelist(nx.complete_graph(6), "k6.txt", data=False)
    for pattern, number in (("ring-4", 45), ("ring-6", 60), ("path-2", 15)):
        lines = gomkcn(f"count {pattern} k6.txt --reading subgraph").splitlines()
        assert lines[-2:] == ["reading     subgraph", f"occurrences {number}, counted exactly"]
        assert "occurrences 0" in gomkcn(f"count {pattern} k6.txt") or pattern == "path-2"
    text = f"count 'a->b, b->c' {ecoli} --directed --relation none"
    # 40 of them in a triangle
    assert "occurrences 162," in gomkcn(text)
    assert "occurrences 202," in gomkcn(f"{text} --reading subgraph")
    assert refused("count ring-4 k6.txt --reading subgraph --list 3") == (
        "--reading subgraph is for patterns without categories, and not for --list."
    )
    assert refused("count ring-4 k6.txt --reading any").startswith("--reading must be one of")
    sentence = refused(f"count 'a->b' {ecoli} --directed --relation none --reading subgraph")
    assert sentence.startswith("--reading must be 'induced' where edges have directions or kinds")
