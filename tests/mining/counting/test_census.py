"""All structures of few nodes and their orbits: by formulas, by sets of nodes, as tables.

Small graphs are compared with all of their node sets, large ones with igraph and fixed numbers.
"""

import contextlib
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations, permutations, product
from math import comb

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from ends_after import EndsAfter
from random_graphs import link_matrix, random_graph

from gomkcn.mining import PatternMiner
from gomkcn.mining.counting import census_formulas
from gomkcn.mining.counting.census import (
    CensusTable,
    Forms,
    census_steps,
    count_connected_sets,
    count_in_each,
    count_structures,
    structures_of,
)
from gomkcn.mining.counting.census_columns import to_graph6
from gomkcn.mining.counting.census_formulas import (
    count_graphlets,
    count_orbits,
    count_triangles,
    formula_steps,
)
from gomkcn.mining.counting.graphlets import NUM_ORBITS, ORBITS, graphlets, orbits_by_enumeration
from gomkcn.mining.counting.orbit_features import OrbitCounts
from gomkcn.mining.counting.set_formulas import check_codes, num_trees
from gomkcn.mining.counting.structure_census import (
    census,
    graphlet_agreement,
    orbit_counts,
)
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn.mining.structures.categories import Categories
from gomkcn_dgl import as_csr, read_graph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graphs.shapes import describe_shape
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.relations import relations_of
from gomkcn_dgl.runtime import compiled
from gomkcn_dgl.runtime.job import JobProgress, TimeUpError
from gomkcn_dgl.runtime.steps import Steps

SIZES = {2: 1, 3: 3, 4: 9, 5: 30}


def small_graph(seed):
    """A random graph of up to twelve nodes, sparse or dense, or two of them side by side."""
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(int(rng.integers(1, 12)), rng.uniform(0.05, 1), seed=seed)
    if seed % 7 == 0:
        graph = nx.disjoint_union(graph, nx.barabasi_albert_graph(7, 2, seed=seed))
    return as_csr(graph)


def totals_of(orbits):
    """How often each structure occurs, from the counts at its first orbit."""
    return [int(orbits[:, row[0]].sum()) // row.count(row[0]) for row in ORBITS]


def test_small_graphs_have_what_all_their_sets_show():
    graphs = [small_graph(seed) for seed in range(84)]
    for graph in [*graphs, as_csr(nx.balanced_tree(3, 3)), as_csr(nx.empty_graph(5))]:
        orbits = orbits_by_enumeration(graph)
        np.testing.assert_array_equal(count_orbits(graph), orbits)
        np.testing.assert_array_equal(count_orbits(graph, 4), orbits[:, : NUM_ORBITS[4]])
        for largest, number in SIZES.items():
            assert count_graphlets([graph], largest)[:, 0].tolist() == totals_of(orbits)[:number]


@pytest.mark.parametrize("edge_prob", [0.2, 0.4, 0.8])
def test_subgraphs_are_mappings_over_automorphisms(edge_prob):
    graph = nx.gnp_random_graph(8, edge_prob, seed=1)
    found = count_structures(as_csr(graph), range(2, 6), "subgraph")
    assert [*found] == [*graphlets()]
    for one, count in found.items():
        mappings = sum(
            all(graph.has_edge(nodes[u], nodes[v]) for u, v in one.edges)
            for nodes in permutations(graph, one.num_nodes)
        )
        assert count == mappings // one.num_automorphisms


def test_graphlets_are_all_connected_graphs_and_orbits_their_automorphisms():
    keys = {one.key for one in graphlets()}
    every = [graph for graph in nx.graph_atlas_g() if 2 <= len(graph) <= 5]
    connected = [graph for graph in every if nx.is_connected(graph)]
    assert keys == {Structure.from_networkx(graph).key for graph in connected}
    assert len(keys) == len(graphlets()) == 30
    assert sorted({orbit for row in ORBITS for orbit in row}) == list(range(73))
    for one, row in zip(graphlets(), ORBITS, strict=True):
        same = {(u, v): row[u] == row[v] for u, v in combinations(range(len(row)), 2)}
        assert same == {(u, v): one.orbits[u] == one.orbits[v] for u, v in same}


def test_the_numbers_of_orbits():
    # nodes of each orbit in the figure of Pržulj (2007), told by degree, and by neighbours
    figure = {
        "path of 5 nodes": {15: 1, 16: 2, 17: 2},
        "fork": {18: 1, 19: 1, 20: 2, 21: 3},
        "banner": {35: 1, 36: 2, 37: 2, 38: 3},
        "dart": {39: 1, 40: 2, 41: 3, 42: 4},
        "kite": {45: 1, 46: 2, 47: 3, 48: 3},
        "house": {51: 2, 52: 2, 53: 3},
        "K2,3 with an edge among the three": {62: 2, 63: 3, 64: 3},
        "clique of 5 nodes less 1 edge": {70: 3, 71: 4},
    }
    for one, row in zip(graphlets(), ORBITS, strict=True):
        degrees = dict(zip(row, one.joined.sum(axis=1).tolist(), strict=True))
        assert degrees == figure.pop(one.name, degrees)
    assert not figure


def test_a_star_with_more_leaves_than_64_bits_hold():
    leaves = 130_000
    counts = count_graphlets([as_csr(nx.star_graph(leaves))])[:, 0]
    expected = {"edge": 1, "path of 3 nodes": 2, "star with 3 leaves": 3, "star with 4 leaves": 4}
    for one, count in zip(graphlets(), counts.tolist(), strict=True):
        number = expected.get(one.name)
        product = int(np.prod([leaves - k for k in range(number or 0)], dtype=object))
        assert count == (product // [1, 1, 2, 6, 24][number] if number else 0)
    assert counts.max() > 2**63


def test_wide_integers_are_the_same_numbers():
    graph = small_graph(7)
    counts = count_orbits(graph, too_large=10**5)
    assert counts.dtype == object
    assert counts.tolist() == orbits_by_enumeration(graph).tolist()
    with pytest.raises(InputError, match="^graph must have so few edges and neighbours"):
        count_orbits(graph, too_large=10)


@pytest.mark.parametrize(
    ("graph", "count", "size"),
    [
        (nx.powerlaw_cluster_graph(2000, 8, 0.5, seed=1), count_orbits, 5),
        (
            nx.powerlaw_cluster_graph(2000, 8, 0.5, seed=1),
            lambda one, size: count_graphlets([one], size),
            5,
        ),
        (
            nx.gnm_random_graph(300, 3000, seed=2, directed=True),
            lambda one, size: count_connected_sets([one], size).counts,
            4,
        ),
    ],
    ids=["orbits", "graphlets", "sets"],
)
def test_threads_do_not_matter(monkeypatch, graph, count, size):
    graph, results = as_csr(graph), []
    # threads are used where they are kept busy
    assert census_steps(graph, range(3, size + 1)) > 2_000_000
    for number in (1, 2):
        monkeypatch.setattr(compiled, "num_threads", lambda number=number: number)
        results.append(count(graph, size))
    np.testing.assert_array_equal(*results)


def by_igraph(graph, size):
    """The counts of igraph, by the key of the structure."""
    directed, (source, target, _) = graph.is_directed, graph.edges()
    pairs = np.stack([source, target], axis=1).tolist()
    numbers = igraph.Graph(graph.num_nodes, pairs, directed=directed).motifs_randesu(size)
    kinds = [igraph.Graph.Isoclass(size, kind, directed=directed) for kind in range(len(numbers))]
    return {
        Structure.of_edges(size, one.get_edgelist(), directed=directed).key: int(number)
        for one, number in zip(kinds, numbers, strict=True)
        if one.is_connected(mode="weak")
    }


@pytest.mark.parametrize("name", ["hubs", "E. coli", "C. elegans"])
def test_networks_are_counted_as_by_igraph(name, ecoli, request):
    if name == "hubs":
        graph = as_csr(nx.powerlaw_cluster_graph(300, 4, 0.6, seed=0))
    elif name == "E. coli":
        graph = read_graph(ecoli, directed=True, relation="none")
    else:
        shared = request.getfixturevalue("shared_data")
        graph = read_graph(shared / "directed" / "celegansneural.gml")
    found = census(graph)
    assert found.sizes == (range(3, 5) if graph.is_directed else range(3, 6))
    expected = {key: n for size in found.sizes for key, n in by_igraph(graph, size).items()}
    keys = [one.key for one in found.structures]
    assert dict(zip(keys, found.counts.tolist(), strict=True)) == expected
    assert len(expected) == (13 + 199 if graph.is_directed else 29)
    assert len({to_graph6(one) for one in found.structures}) == len(expected)
    assert len(set(found.names)) == len(expected)


def sets_of(graph, size):
    """How many connected sets of nodes look the same, as a structure, by looking at each."""
    links = link_matrix(graph)
    categories = Categories.find(graph.features, graph.feature_names)
    colors = categories.colors(graph.features)
    found = Counter()
    for nodes in map(list, combinations(range(graph.num_nodes), size)):
        own = links[np.ix_(nodes, nodes)]
        if nx.is_connected(nx.from_numpy_array((own > 0).astype(int))):
            names = categories.names_of(colors[nodes] if categories else None, graph.feature_names)
            found[
                Structure.of_channels(graph.relations.links[own], graph.relations, names).key
            ] += 1
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
            found[
                Structure.of_channels(channels, structure.relations, structure.categories).key
            ] += 1
    return found


def with_categories(graph, seed):
    """The same with one of three categories for each node."""
    kind = np.random.default_rng(seed).integers(0, 3, graph.num_nodes)
    return as_csr(graph, nodes=pd.DataFrame({"kind": [f"k{one}" for one in kind]}))


def kinds_of_graphs(kind):
    """Small random graphs with directions; with relations, and with categories too."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        if kind == "directed":
            number, share = int(rng.integers(1, 10)), rng.uniform(0.05, 0.6)
            yield as_csr(nx.gnp_random_graph(number, share, seed=seed, directed=True))
        else:
            graph, _ = random_graph(rng, 10, 14)
            yield graph if kind == "relations" else with_categories(graph, seed)


@pytest.mark.parametrize("kind", ["directed", "relations", "categories"])
def test_all_sets_of_a_graph_and_the_subgraphs_in_them(kind):
    for graph in kinds_of_graphs(kind):
        categories = Categories.find(graph.features, graph.feature_names)
        assert bool(categories) == (kind == "categories")
        for size in (3, 4):
            counts = count_structures(graph, range(size, size + 1), categories=categories)
            # of directed graphs all structures are there
            assert len(counts) == {3: 13, 4: 199}[size] or kind != "directed"
            present = {one: count for one, count in counts.items() if count}
            assert {one.key: count for one, count in present.items()} == sets_of(graph, size)
            assert sum(counts.values()) <= num_trees(graph, size)
            again = count_structures(graph, range(size, size + 1), categories=categories)
            assert list(again) == list(counts)
            subgraphs = Counter()
            for one, count in present.items():
                for key, number in parts_of(one).items():
                    subgraphs[key] += number * count
            found = count_structures(graph, range(size, size + 1), "subgraph", categories)
            assert {one.key: count for one, count in found.items() if count} == subgraphs


def test_many_kinds_of_sets_fit_into_a_table_that_grows():
    plain, kinds = nx.gnm_random_graph(50, 150, seed=1), [f"k{k % 25:02}" for k in range(50)]
    graph = as_csr(plain, nodes=pd.DataFrame({"kind": kinds}))
    kinds = Categories.find(graph.features, graph.feature_names)
    counts = count_connected_sets([graph], 4, kinds).counts
    # of 1,024 places half may be used
    assert counts.shape[1] > 2000
    assert counts.sum() == sum(count_structures(as_csr(plain), range(4, 5)).values())


def test_steps_grow_with_the_work_and_need_no_census():
    # in a tree each of the counted trees is a set of its own
    arcs = as_csr(nx.DiGraph(list(nx.random_labeled_tree(60, seed=0).edges)))
    for size in (3, 4):
        assert count_connected_sets([arcs], size).counts.sum() == num_trees(arcs, size)
    sparse, dense = (as_csr(nx.gnm_random_graph(500, m, seed=1)) for m in (1000, 20_000))
    steps = [[formula_steps(one, largest) for largest in (3, 4, 5)] for one in (sparse, dense)]
    assert steps[1] == sorted(steps[1])
    assert all(few < many for few, many in zip(*steps, strict=True))
    # beyond the two steps of a square a five-cycle has a third one, to some 80 neighbours
    assert steps[1][2] > 10 * steps[1][1]
    # a census would take hours
    hubs = as_csr(nx.complete_bipartite_graph(2, 20_000))
    assert census_steps(hubs, range(3, 6)) > 10**8
    arcs = as_csr(nx.gnm_random_graph(500, 50_000, seed=1, directed=True))
    assert census_steps(arcs, range(3, 5)) > 20 * census_steps(arcs, range(3, 4))


def test_all_directed_structures_are_met_in_small_random_graphs():
    met = Counter()
    for seed, share in enumerate((0.04, 0.1, 0.3, 0.6, 0.9)):
        graph = as_csr(nx.gnp_random_graph(40, share, seed=seed, directed=True))
        counts = {one.key: count for one, count in count_structures(graph, range(4, 5)).items()}
        assert counts == by_igraph(graph, 4)
        met += counts
    assert len(met) == 199


def test_what_hangs_on_a_hub_is_counted_without_looking_at_it():
    """30,000 edges into a hub and 60,000 out of it, and two of its leaves joined both ways."""
    into, out = 30_000, 60_000
    edges = [(k, 0) for k in range(1, into + 1)] + [(0, into + k) for k in range(1, out + 1)]
    graph = as_csr(nx.DiGraph([*edges, (1, 2), (2, 1)]))
    assert census_steps(graph, range(3, 5)) < 10**8
    counts = count_structures(graph, range(3, 5))
    found = {one.to_text(): count for one, count in counts.items() if count}
    few, pairs = into - 2, comb(into, 2)
    expected = {
        # wedges but for the one that is closed, and the triangle
        3: sorted([pairs - 1, comb(out, 2), into * out, 1]),
        # stars without both of the joined leaves, and the triangle with a leaf
        4: sorted(
            [
                comb(into, 3) - few, comb(out, 3), pairs * out - out, into * comb(out, 2),
                few, out,
            ]
        ),
    }  # fmt: skip
    for size, numbers in expected.items():
        assert sorted(n for one, n in counts.items() if n and one.num_nodes == size) == numbers
    assert len(found) == 10


def test_sets_that_do_not_fit_are_refused_before_they_are_counted():
    star = as_csr(nx.DiGraph([(0, k) for k in range(1, 200)]))
    hub = replace(star, features=np.eye(200), feature_names=tuple(f"kind={k}" for k in range(200)))
    kinds = Categories.find(hub.features, hub.feature_names)
    with pytest.raises(InputError, match="^graph must have fewer kinds .* 4 nodes .* over 524,288"):
        count_connected_sets([hub], 4, kinds)
    # 199 leaves of a colour each
    assert count_connected_sets([hub], 3, kinds).counts.shape[1] == comb(199, 2)
    # a star has as many sets of four nodes as its leaves have of three: from 1.905 million leaves
    # on they are 2**60
    check_codes(made_star(1_900_000), 1, 4)
    with pytest.raises(InputError, match="^graph must have nodes with fewer neighbors"):
        check_codes(made_star(1_910_000), 1, 4)


def made_star(num_leaves):
    ends = np.arange(num_leaves + 1)
    return csr_from_edges(0 * ends[1:], ends[1:], num_leaves + 1)


def test_joined_tables_have_each_structure_once():
    edge, path, ring = map(Structure.parse, ("path-2", "path-3", "triangle"))
    first, second = CensusTable.of({edge: 1, path: 2}), CensusTable.of({path: 5, ring: 7})
    # another object is the same structure
    again = CensusTable.of({Structure.parse("a--b, b--c"): 3})
    found = CensusTable.joined([first, second, again])
    assert found.structures == (edge, path, ring)
    assert found.counts.tolist() == [[1, 2, 0], [0, 5, 7], [0, 3, 0]]


def test_a_table_has_a_row_for_each_structure_with_the_names_of_the_reports():
    found = census(nx.complete_graph(4), (2, 5))
    table = found.to_pandas()
    assert list(table.columns) == ["size", "graph6", "name", "graphlet", "count", "reading"]
    assert table["size"].tolist() == [2] + 2 * [3] + 6 * [4] + 21 * [5]
    assert table["count"].sum() == 6 + 4 + 1
    for code, one in zip(table["graph6"], graphlets(), strict=True):
        assert Structure.from_networkx(nx.from_graph6_bytes(code.encode())).edges == one.edges
    names = [one.name for one in graphlets()]
    assert [describe_shape(one) for one in graphlets()] == names == found.names


def test_a_census_of_collections_loops_and_graphs_without_edges():
    parts = [nx.complete_graph(5), nx.cycle_graph(5), nx.empty_graph(2)]
    for reading, squares in (("induced", 0), ("subgraph", 15)):
        found = census(parts, (3, 5), reading)
        assert found.reading == reading
        each = [census(part, (3, 5), reading).counts for part in parts]
        np.testing.assert_array_equal(found.counts, sum(each))
        assert found.counts[found.names.index("cycle of 4 nodes")] == squares
    twice = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 0), (2, 2)])
    assert census(twice, 3).counts.tolist() == [0, 1]
    assert census(nx.empty_graph(4)).counts.tolist() == [0] * 29
    assert not census(nx.empty_graph(4, create_using=nx.DiGraph)).counts.any()


def test_directions_allow_three_and_four_nodes_and_no_orbits():
    arcs = nx.DiGraph([(0, 1)])
    with pytest.raises(InputError, match="^sizes must be at most 4, got 5"):
        census(arcs, (3, 5))
    with pytest.raises(InputError, match="^graph must have edges without directions and kinds"):
        census(arcs, orbits=True)
    with pytest.raises(InputError, match="^reading must be one of"):
        census(arcs, reading="all")


def test_orbits_beside_the_census_and_as_features_of_graphs_and_nodes():
    graph = nx.les_miserables_graph()
    found = census(graph, (2, 5), orbits=True)
    counted = found.table("orbits").to_pandas().drop(columns="node")
    np.testing.assert_array_equal(counted.to_numpy(), orbit_counts(graph))
    with pytest.raises(InputError, match="^which must be one of 'structures', got 'orbits'"):
        census(graph).table("orbits")
    table = census(graph, 3, orbits=True).table("orbits").to_pandas()
    assert list(table.columns) == ["node", *(f"orbit{k}" for k in range(15))]
    assert dict(zip(table["node"], table["orbit0"], strict=True)) == dict(graph.degree)
    both = census([graph, graph], 3, orbits=True).table("orbits")
    assert list(both.columns())[:2] == ["graph", "node"]
    graphs, by_node = [graph, nx.cycle_graph(6)], OrbitCounts(level="node")
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


@pytest.mark.parametrize("why", ["time limit", "SIGINT"])
@pytest.mark.parametrize("directed", [False, True])
def test_a_census_that_is_ended_has_whole_sizes_and_says_which_are_missing(directed, why):
    graph = as_csr(nx.gnp_random_graph(90, 0.2, seed=1, directed=directed))
    whole = census(graph)
    counted = set()
    for looks in range(0, 400, 3):
        found = census(graph, steps=Steps(interrupts=EndsAfter(looks, why)))
        sizes = {one.num_nodes for one in found.structures}
        assert {*found.sizes} == sizes | {*found.missing}
        assert max(sizes, default=2) < min(found.missing, default=6)
        assert {*found.missing.values()} <= {"the count ended early"}
        is_counted = [one.num_nodes in sizes for one in whole.structures]
        assert found.counts.tolist() == whole.counts[is_counted].tolist()
        counted.add(len(sizes))
        if not found.missing:
            break
    assert counted >= {0, 1, 2}
    assert not found.missing
    ended = census(graph, steps=Steps(interrupts=EndsAfter(0)))
    assert [row["name"] for row in ended.to_arrow().to_pylist()] == ["not counted"] * len(
        whole.sizes
    )
    assert ended.to_pandas()["count"].isna().all()
    if not directed:
        with pytest.raises(TimeUpError):
            orbit_counts(graph, steps=Steps(interrupts=EndsAfter(3)))


def test_a_census_shows_what_share_is_done(monkeypatch):
    shown = []
    monkeypatch.setattr(JobProgress, "begin", lambda self, stage, total=None: shown.append(stage))
    monkeypatch.setattr(JobProgress, "move", lambda self, count, said="": shown.append(count))
    for directed in (False, True):
        shown.clear()
        census(nx.gnp_random_graph(140, 0.5, seed=1, directed=directed), 4)
        assert "counting structures of 4 nodes" in shown
        shares = [one for one in shown if isinstance(one, float)]
        assert len(shares) > 10
        assert 0.5 < sum(shares) <= 1.001


def test_triangles_that_do_not_fit_into_the_memory_are_counted_and_not_listed(monkeypatch):
    clique = nx.complete_graph(60)
    triangles = comb(60, 3)
    monkeypatch.setattr(census_formulas, "total_memory", lambda: 72 * triangles - 1)
    found = census(clique, (3, 5))
    assert found.counts.tolist() == [0, triangles]
    said = f"got {triangles:,}, for which 1.2 MiB of memory are needed and 1.2 MiB may be used"
    assert [*found.missing] == [4, 5]
    assert said in found.missing[4]
    with pytest.raises(InputError, match="^graph must have fewer triangles for structures of 4 no"):
        census(clique, 4)
    assert count_triangles(as_csr(clique)).tolist() == [comb(59, 2)] * 60
    monkeypatch.setattr(census_formulas, "total_memory", lambda: 72 * triangles)
    assert census(clique, 4).counts.tolist() == [0] * 5 + [comb(60, 4)]


def test_more_relations_than_a_structure_has_room_for_are_refused():
    numbers = np.arange(70)
    for directed, most in ((False, 62), (True, 31)):
        for kinds in (most, most + 1):
            graph = csr_from_edges(
                numbers, numbers + 1, 71,
                directed=[directed] * kinds, relation=numbers % kinds,
                relation_names=[f"r{kind}" for kind in range(kinds)],
            )  # fmt: skip
            if kinds == most:
                assert sum(census(graph, 3).counts) == 69
            else:
                with pytest.raises(
                    InputError, match=f"^graph must have at most 62 .* got {kinds};"
                ):
                    census(graph, 3)
                with pytest.raises(
                    InputError, match=f"^graph must have at most 62 .* got {kinds};"
                ):
                    PatternMiner().fit(graph)


@pytest.mark.parametrize("kind", ["directed", "relations", "categories"])
def test_random_graphs_that_are_counted_together_have_their_counts_alone(kind):
    for graph in kinds_of_graphs(kind):
        categories = Categories.find(graph.features, graph.feature_names)
        drawn = RandomGraphs(null_model("erdos-renyi", graph), graph, 0)
        graphs = [graph, *map(drawn.draw, range(4))]
        together = count_in_each(graphs, range(3, 5), categories)
        assert len({one.key for one in together.structures}) == together.counts.shape[1]
        for each, row in zip(graphs, together.rows(), strict=True):
            alone = count_structures(each, range(3, 5), categories=categories)
            assert {one.key: number for one, number in row.items() if number} == {
                one.key: number for one, number in alone.items() if number
            }


def test_a_structure_is_one_object_in_every_thread(monkeypatch):
    both, made = threading.Barrier(2), []
    of_channels = Structure.of_channels

    def slow(*arguments):
        # were both to make it, they would meet here
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(timeout=0.3)
        made.append(arguments)
        return of_channels(*arguments)

    monkeypatch.setattr(Structure, "of_channels", slow)
    # by a name that no other test has
    relations = relations_of(["in two threads"], [False])
    edge = Forms(np.array([[[0, 1], [1, 0]]]), np.zeros((1, 2), np.int64))
    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(structures_of, edge, relations, lambda _: ()) for _ in range(2)]
        first, second = (call.result()[0] for call in calls)
    assert first is second and len(made) == 1
