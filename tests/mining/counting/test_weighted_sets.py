"""Intensity and coherence against a brute force with NetworkX, and against published numbers."""

from itertools import combinations, permutations
from math import prod

import networkx as nx
import numpy as np
import pytest

from gomkcn.mining.counting.census import count_structures
from gomkcn.mining.counting.listed_sets import list_sets
from gomkcn.mining.counting.structure_census import census
from gomkcn.mining.counting.watching import UncountableError
from gomkcn.mining.counting.weighted_sets import weigh_sets, weigh_subgraphs
from gomkcn.mining.structures.categories import Categories
from gomkcn.mining.structures.edge_weights import EdgeWeights
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr, with_attributes
from gomkcn_dgl.graph_content import EdgeTable


def random_graph(seed, *, directed, kinds=1, categories=0, num_nodes=9, share=0.4):
    """Weights of five orders of magnitude; a pair may be joined by several kinds of edges."""
    rng = np.random.default_rng(seed)
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    for node in range(num_nodes):
        values = {"kind": "abc"[rng.integers(categories)]} if categories else {}
        graph.add_node(node, **values)
    for u, v in (
        permutations(range(num_nodes), 2) if directed else combinations(range(num_nodes), 2)
    ):
        for kind in range(kinds):
            if rng.random() < share / kinds:
                graph.add_edge(u, v, kind=f"r{kind}", w=float(10 ** rng.uniform(-3, 2)))
    return graph


def read(graph, *, kinds, categories):
    """The graph as it is mined, and its weights."""
    plain, _, _ = with_attributes(graph, ("w",))
    csr = as_csr(
        graph,
        weight="none",
        relation="kind" if kinds > 1 else None,
        features=["kind"] if categories else None,
        directed=graph.is_directed(),
    )
    number = {name: place for place, name in enumerate(csr.relations.names)}
    edges = list(graph.edges(data=True))
    table = EdgeTable(
        np.array([u for u, _, _ in edges], np.int64),
        np.array([v for _, v, _ in edges], np.int64),
        np.array([number[d["kind"]] if kinds > 1 else 0 for _, _, d in edges], np.int64),
        {"w": [d["w"] for _, _, d in edges]},
    )
    assert plain.num_nodes == csr.num_nodes
    return csr, EdgeWeights.of(csr, table, "w")


def least_form(nodes, edges, kind_of, is_directed):
    """The same for isomorphic graphs alone: the least of all ways to number the nodes."""
    forms = []
    for order in permutations(range(len(nodes))):
        place = dict(zip(nodes, order, strict=True))
        rows = []
        for u, v, relation in edges:
            ends = place[u], place[v]
            rows.append((*(ends if is_directed else sorted(ends)), relation))
        kinds = sorted((place[node], kind_of(node)) for node in nodes)
        forms.append((tuple(sorted(rows)), tuple(kinds)))
    return min(forms)


def brute_force(graph, size, *, kinds, categories):
    """Count, intensity and mean coherence of each form, over all sets of nodes."""
    found = {}
    for nodes in combinations(graph, size):
        part = graph.subgraph(nodes)
        if not nx.is_connected(nx.Graph(part)):
            continue
        edges = [(u, v, d["kind"] if kinds > 1 else "") for u, v, d in part.edges(data=True)]
        weights = [d["w"] for _, _, d in part.edges(data=True)]
        form = least_form(
            nodes,
            edges,
            lambda node: graph.nodes[node]["kind"] if categories else "",
            graph.is_directed(),
        )
        mean = prod(weight ** (1 / len(weights)) for weight in weights)
        of_form = found.setdefault(form, [0, 0.0, 0.0])
        of_form[0] += 1
        of_form[1] += mean
        of_form[2] += mean / np.mean(weights)
    return found


def form_of(structure, kinds, is_directed):
    edges = [
        (u, v, structure.relations.names[relation] if kinds > 1 else "")
        for (u, v), relation in zip(structure.edges, structure.edge_relations, strict=True)
    ]
    nodes = range(structure.num_nodes)

    def kind_of(node):
        return structure.categories[node][0].partition("=")[2] if structure.categories else ""

    return least_form(nodes, edges, kind_of, is_directed)


GRAPHS = [
    *({"directed": False, "seed": seed, "share": share} for seed, share in enumerate((0.2, 1.0))),
    *({"directed": True, "seed": seed, "share": share} for seed, share in enumerate((0.1, 0.4))),
    *({"directed": True, "seed": seed, "share": 1.0, "num_nodes": 7} for seed in range(2)),
    *({"directed": True, "seed": seed, "kinds": 2} for seed in range(3)),
    *({"directed": False, "seed": seed, "kinds": 3} for seed in range(2)),
    *({"directed": False, "seed": seed, "categories": 2} for seed in range(3)),
    *({"directed": True, "seed": seed, "categories": 3} for seed in range(2)),
    *({"directed": True, "seed": seed, "kinds": 2, "categories": 2} for seed in range(2)),
    *({"directed": True, "seed": seed, "num_nodes": 4, "share": 0.9} for seed in range(2)),
]


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("given", GRAPHS, ids=str)
def test_intensity_and_coherence_are_those_of_a_brute_force(given, size):
    of_kinds = {"kinds": given.get("kinds", 1), "categories": given.get("categories", 0)}
    graph = random_graph(**given)
    wanted = brute_force(graph, size, **of_kinds)
    csr, weights = read(graph, **of_kinds)
    categories = Categories.find(csr.stored_features, csr.feature_names)
    assert bool(categories) == bool(of_kinds["categories"])
    sets = list_sets(csr, size, categories)
    sums = weigh_sets(sets, weights.pairs_in(csr), weights.values[None])[0]
    found = {
        form_of(structure, of_kinds["kinds"], given["directed"]): row
        for structure, *row in zip(sets.structures, sets.counts.tolist(), *sums, strict=True)
    }
    assert found.keys() == wanted.keys()
    for form, row in found.items():
        assert row == pytest.approx(wanted[form], rel=1e-9)


@pytest.mark.parametrize(
    "given",
    [one for one in GRAPHS if one.get("share", 0) < 1 and one["seed"] == 1],
    ids=str,
)
def test_subgraphs_that_need_not_be_induced_are_those_of_a_brute_force(given):
    """All sets of edges that connect three or four nodes, with weights ^ (1 / edges)."""
    of_kinds = {"kinds": given.get("kinds", 1), "categories": given.get("categories", 0)}
    graph = random_graph(**{"num_nodes": 6, **given})
    csr, weights = read(graph, **of_kinds)
    categories = Categories.find(csr.stored_features, csr.feature_names)
    for size in (3, 4):
        wanted = {}
        for nodes in combinations(graph, size):
            edges = list(graph.subgraph(nodes).edges(keys=True))
            for number in range(size - 1, len(edges) + 1):
                for chosen in combinations(edges, number):
                    part = graph.edge_subgraph(chosen)
                    if len(part) < size:
                        continue
                    for form, row in brute_force(part, size, **of_kinds).items():
                        sums = wanted.setdefault(form, np.zeros(3))
                        sums += row
        sets = list_sets(csr, size, categories)
        found = {
            form_of(structure, of_kinds["kinds"], given["directed"]): row
            for structure, row in weigh_subgraphs(sets, weights.finder(csr), weights.values).items()
        }
        assert found.keys() == wanted.keys()
        for form, (number, intensity, coherence) in wanted.items():
            assert found[form] == pytest.approx((intensity, coherence / number), rel=1e-9)


def test_a_census_with_weights_has_both_measures_in_either_reading():
    graph = random_graph(1, directed=True, num_nodes=7, share=0.3)
    for reading in ("induced", "subgraph"):
        found = census(graph, (3, 4), reading, weight="w")
        table = found.table().columns()
        for number, intensity, coherence in zip(
            table["count"], table["intensity"], table["coherence"], strict=True
        ):
            assert (number == 0) == (intensity is None) == (coherence is None)
    assert "intensity" not in census(graph, 3).table().columns()
    plain = census(nx.les_miserables_graph(), (3, 5), weight="weight").table().columns()
    sizes = zip(plain["size"], plain["intensity"], plain["count"], strict=True)
    assert all((value is None) == (size == 5 or not count) for size, value, count in sizes)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_sets_are_those_that_a_census_counts(size):
    graph = as_csr(random_graph(5, directed=True, num_nodes=20, share=0.15), weight="none")
    sets = list_sets(graph, size)
    assert len({tuple(sorted(nodes)) for nodes in sets.nodes.tolist()}) == len(sets.nodes)
    if size == 2:
        assert len(sets.nodes) == len(graph.adjacent_pairs())
        return
    counted = count_structures(graph, range(size, size + 1))
    listed = dict(zip((one.key for one in sets.structures), sets.counts.tolist(), strict=True))
    assert listed == {one.key: number for one, number in counted.items() if number}


def test_nodes_of_a_set_stand_where_the_nodes_of_its_structure_do():
    graph = as_csr(random_graph(7, directed=True, num_nodes=12, share=0.2), weight="none")
    sets = list_sets(graph, 4)
    arcs = {(u, v) for u, v, _ in zip(*(column.tolist() for column in graph.edges()), strict=True)}
    for number, nodes in zip(sets.number.tolist(), sets.nodes.tolist(), strict=True):
        edges = sets.structures[number].edges
        assert {(nodes[u], nodes[v]) for u, v in edges} == {
            (u, v) for u, v in permutations(nodes, 2) if (u, v) in arcs
        }


def test_more_sets_than_are_listed_are_refused_with_the_way_out():
    graph = as_csr(nx.complete_graph(8))
    with pytest.raises(UncountableError, match="at most 55 connected sets of 3 nodes"):
        list_sets(graph, 3, most=55)
    assert len(list_sets(graph, 3, most=56).nodes) == 56
    with pytest.raises(UncountableError, match="leave weak edges out with minimum"):
        list_sets(graph, 4, most=69)


def test_weights_of_any_size_do_not_overflow():
    graph = as_csr(nx.complete_graph(3))
    sets = list_sets(graph, 3)
    huge = np.array([[1e300, 1e300, 1e-300], [1.0, 1.0, 1.0]])
    first, second = weigh_sets(sets, np.arange(3), huge)
    assert first[:, 0] == pytest.approx([1e100, 1.5e-200])
    assert second[:, 0].tolist() == pytest.approx([1.0, 1.0])


def weights_of(graph, name="w"):
    csr, _, edges = with_attributes(graph, (name,))
    return EdgeWeights.of(csr, edges, name)


def test_a_mutual_pair_has_two_weights_and_parallel_edges_are_added_up():
    cells = nx.MultiDiGraph()
    cells.add_edge("a", "b", w=2)
    cells.add_edge("a", "b", w=3.5)
    cells.add_edge("b", "a", w=7)
    cells.add_edge("a", "a", w=9)
    found = weights_of(cells)
    assert found.values.tolist() == [5.5, 7.0]
    assert found.notes == ("added up the weights 'w' of 1 parallel edge",)


def test_an_edge_without_direction_that_is_listed_both_ways_has_the_larger_weight():
    both = nx.DiGraph([(0, 1, {"w": 2}), (1, 0, {"w": 3}), (1, 2, {"w": 4}), (2, 1, {"w": 4})])
    csr = as_csr(both, weight="none", directed=False)
    _, _, edges = with_attributes(both, ("w",))
    found = EdgeWeights.of(csr, edges, "w")
    assert found.values.tolist() == [3.0, 4.0]
    assert found.notes == ("took the larger of the two weights 'w' of 1 pair of opposite edges",)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, r"got 0 at 1 edge; minimum=\('w=2',\) leaves"),
        (-1.5, r"got -1\.5 at 1 edge; minimum=\('w=2',\) leaves"),
        (None, r"got none at 1 edge; minimum"),
        (float("inf"), "got inf at 1 edge; name another column"),
        ("much", "must hold numbers"),
    ],
)
def test_what_is_no_positive_weight_is_refused_with_the_way_out(value, said):
    with pytest.raises(InputError, match=said):
        weights_of(nx.DiGraph([(0, 1, {"w": 2}), (1, 2, {"w": value}), (2, 3, {"w": 3})]))
