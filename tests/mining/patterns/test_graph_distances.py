"""Many graphs: their distances, which graphs have none, names, tables, and the heat map."""

import io
import json
import math
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from gomkcn import MiningRun, PatternMiner, compare
from gomkcn.mining.patterns.graph_distances import GraphDistances
from gomkcn.mining.patterns.measured_distances import MOST_GRAPHS, named_graphs
from gomkcn.mining.patterns.run_comparison import RunComparison, mine_structures
from gomkcn.mining.show.distances_page import render_distances
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn_dgl import as_csr
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.relations import relations_of

TRUTH = json.loads((Path(__file__).parents[2] / "data/gcd11.json").read_text())
FEW = {"null_samples": 20}


def drawn(seed, directed=False):
    return nx.gnm_random_graph(30, 80, seed=seed, directed=directed)


def families(num_nodes, each, seed):
    """Erdős–Rényi, Barabási–Albert, geometric and Watts–Strogatz graphs of mean degree 10."""
    radius = math.sqrt(10 / num_nodes / math.pi)
    return {
        f"{name} {k}": draw(seed + k)
        for k in range(each)
        for name, draw in {
            "er": lambda s: nx.gnm_random_graph(num_nodes, 5 * num_nodes, seed=s),
            "ba": lambda s: nx.barabasi_albert_graph(num_nodes, 5, seed=s),
            "geo": lambda s: nx.random_geometric_graph(num_nodes, radius, seed=s),
            "ws": lambda s: nx.watts_strogatz_graph(num_nodes, 10, 0.1, seed=s),
        }.items()
    }


def test_the_matrix_is_that_of_orca_and_scipy():
    found = compare({name: nx.Graph(edges) for name, edges in TRUTH["graphs"].items()}, null="none")
    assert (found.names, found.leading) == (tuple(TRUTH["graphs"]), "gcd")
    np.testing.assert_allclose(found.distances, TRUTH["gcd11"], atol=1e-9, rtol=0)
    assert found.measures == ("gcd",) and not found.null


def test_families_of_random_graphs_are_clusters():
    found = compare(families(1000, 3, seed=0), null="none")
    truth = [name.split()[0] for name in found.names]
    assert adjusted_rand_score(truth, found.clusters(4)) == 1.0
    # the leaves of a family stand together
    leaves = [truth[at] for at in found.order()]
    assert sum(a != b for a, b in pairwise(leaves)) == 3


def test_profiles_are_z_of_the_structures_that_two_graphs_are_compared_by():
    graphs = {"lattice": nx.watts_strogatz_graph(60, 6, 0.1, seed=0), "a": drawn(1), "b": drawn(2)}
    found = compare(graphs, **FEW, seed=3)
    for row, graph in enumerate(graphs.values()):
        run = mine_structures(graph, null_samples=20, seed=3)
        z = {
            pattern.structure.key: pattern.significance["degree"].z
            for pattern in run.others
            if pattern.structure.num_nodes < 5
        }
        expected = np.array([z[one.key] for one in found.structures], float)
        expected /= np.sqrt((expected**2).sum())
        np.testing.assert_allclose(found.profiles[row], expected, rtol=1e-12)
    assert len(found.structures) == 8 and found.keeps == ("the degree of each node",)
    both = found.profile_distances[0, 1]
    assert both == pytest.approx(1 - np.corrcoef(found.profiles[:2])[0, 1])
    # nothing of a lattice is chance, and of a random graph all is
    assert [graph.num_called > 0 for graph in found.graphs] == [True, False, False]


def test_with_directions_profiles_of_triads_lead():
    graphs = [drawn(seed, directed=True) for seed in range(3)]
    found = compare(graphs, **FEW)
    assert (found.leading, found.directed) == ("profile", True)
    assert found.measures == ("profile", "gcd")
    assert [one.num_nodes for one in found.structures] == [3] * 13
    np.testing.assert_array_equal(found.distances, found.profile_distances)
    # GCD-11 says nothing of directions
    plain = compare([graph.to_undirected() for graph in graphs], null="none")
    np.testing.assert_array_equal(found.gcd, plain.gcd)
    assert compare(graphs, null="none").leading == "gcd"


def test_directed_profiles_are_those_of_the_triads_of_a_run():
    graph = drawn(0, directed=True)
    found = compare([graph, drawn(1, directed=True), drawn(2, directed=True)], **FEW)
    run = mine_structures(graph, null_samples=20)
    z = {one.structure.key: one.significance["degree"].z for one in run.others}
    expected = np.array([z[one.key] for one in found.structures], float)
    expected /= np.sqrt(np.nansum(expected**2))
    np.testing.assert_allclose(found.profiles[0], expected, rtol=1e-12)


def test_an_edge_without_direction_is_one_each_way():
    def as_mixed(graph, with_types):
        arcs = nx.MultiDiGraph()
        arcs.add_nodes_from(graph)
        for number, (u, v) in enumerate(graph.edges):
            arcs.add_edge(u, v, kind="arc")
            if number % 3 == 0:
                arcs.add_edge(v, u, kind="arc")
            if number % 5 == 0:
                arcs.add_edges_from([(u, v, {"kind": "pair"}), (v, u, {"kind": "pair"})])
        if not with_types:
            return as_csr(nx.DiGraph(arcs))
        kinds = relations_of(["arc", "pair"], [True, False])
        return as_csr(arcs, relation="kind").with_relations(kinds)

    graphs = [drawn(seed) for seed in range(3)]
    mixed = compare([as_mixed(graph, True) for graph in graphs], **FEW)
    plain = compare([as_mixed(graph, False) for graph in graphs], **FEW)
    np.testing.assert_array_equal(mixed.profile_distances, plain.profile_distances)


def test_a_graph_without_edges_has_no_directions():
    empty = nx.empty_graph(3, create_using=nx.DiGraph)
    assert not compare([drawn(0), empty, drawn(1)], null="none").directed
    empty = nx.empty_graph(3)
    found = compare([drawn(0, directed=True), empty, drawn(1, directed=True)], **FEW)
    assert found.directed and found.clustered().tolist() == [0, 2]


def test_equal_graphs_are_at_0_however_they_are_numbered():
    numbers = np.random.default_rng(0).permutation(30).tolist()
    for directed in (False, True):
        graph = drawn(0, directed)
        other = nx.relabel_nodes(graph, dict(enumerate(numbers)))
        found = compare([graph, other, drawn(1, directed)], **FEW)
        assert found.gcd[0, 1] == found.profile_distances[0, 1] == 0
        assert found.gcd[0, 2] > 0 < found.profile_distances[0, 2]
        assert (found.gcd == found.gcd.T).all()


def test_a_graph_without_an_answer_has_none_and_says_why():
    graphs = {
        "pair": nx.path_graph(2), "no edges": nx.empty_graph(4), "star": nx.star_graph(5),
        "a": drawn(0), "b": drawn(1), "c": drawn(2),
    }  # fmt: skip
    found = compare(graphs, **FEW)
    rows = found.table("graphs").to_pandas().set_index("graph")
    assert rows["missing"].dropna().to_dict() == {
        "pair": "no GCD-11: an orbit has equal counts at all nodes; "
        "no profile distance: all random graphs have the same counts",
        "no edges": "no GCD-11: it has no edges; no profile distance: it has no edges",
        "star": "no profile distance: all random graphs have the same counts",
    }
    known = {measure: ~np.isnan(np.diag(found.by(measure))) for measure in found.measures}
    assert known["gcd"].tolist() == [False, False, True, True, True, True]
    assert known["profile"].tolist() == [False, False, False, True, True, True]
    assert found.clustered().tolist() == [2, 3, 4, 5]
    assert found.clusters(1).tolist() == [-1, -1, 0, 0, 0, 0]
    assert np.isnan(found.profiles[:3]).all()
    nothing = compare([nx.empty_graph(3)] * 3)
    assert len(nothing.order()) == 0 and nothing.clusters(1).tolist() == [-1] * 3
    with pytest.raises(InputError, match="the heat map needs two graphs with a distance"):
        nothing.plot()


def test_graphs_that_lack_a_distance_from_some_are_not_clustered():
    nan = np.nan
    profiles = np.array([
        [1, 2, 3, nan, nan, nan], [nan, nan, nan, 1, 2, 3], [1, 2, 4, 3, 3, 1], [1, 3, 4, 3, 3, 1],
    ])  # fmt: skip
    graphs = compare([drawn(seed) for seed in range(4)], null="none").graphs
    found = GraphDistances(graphs, True, "degree", (), 2, (), profiles, np.zeros((4, 55)))
    # the first two have no structure in common; the last of both is left out
    assert found.clustered().tolist() == [0, 2, 3]


def test_types_and_categories_are_left_out_and_it_is_said():
    def typed(seed):
        graph = drawn(seed)
        for number, (*_, data) in enumerate(graph.edges(data=True)):
            data["kind"] = "ab"[number % 2]
        for node, data in graph.nodes(data=True):
            data["feat"] = [float(node % 2), float(1 - node % 2)]
        return as_csr(graph, relation="kind")

    plain = compare([drawn(seed) for seed in range(3)], **FEW)
    found = compare([typed(seed) for seed in range(3)], **FEW)
    assert found.notes == ("Types of edges and categories of nodes are left out.",)
    assert plain.notes == ()
    np.testing.assert_array_equal(found.gcd, plain.gcd)
    np.testing.assert_array_equal(found.profile_distances, plain.profile_distances)


def test_edges_of_several_types_are_one_edge_with_its_directions():
    graphs = [drawn(seed, directed=True) for seed in range(3)]
    doubled = []
    for graph in graphs:
        both = nx.MultiDiGraph()
        both.add_nodes_from(graph)
        both.add_edges_from((u, v, {"kind": "a"}) for u, v in graph.edges)
        both.add_edges_from((u, v, {"kind": "b"}) for u, v in list(graph.edges)[::2])
        doubled.append(as_csr(both, relation="kind"))
    plain, found = compare(graphs, **FEW), compare(doubled, **FEW)
    np.testing.assert_array_equal(found.profile_distances, plain.profile_distances)


def test_the_two_sides_of_a_graph_are_kept():
    bipartite = [nx.bipartite.gnmk_random_graph(10, 15, 60, seed=seed) for seed in range(2)]
    found = compare([*bipartite, drawn(0)], **FEW)
    assert found.keeps == (
        "the degree of each node and its two sides", "the degree of each node",
    )  # fmt: skip


def test_names_are_told_apart_and_graph_is_the_column_of_names():
    graphs = {"graph": drawn(0), 1: drawn(1), "1": drawn(2)}
    found = compare(graphs, null="none")
    assert found.names == ("graph (2)", "1", "1 (2)")
    assert list(found.columns()) == ["graph", "graph (2)", "1", "1 (2)"]
    assert [one.name for one in named_graphs([drawn(0), drawn(1)])] == ["graph 0", "graph 1"]
    # a number that makes a name free is not one that another graph has
    graphs = [("a", drawn(0)), ("a (2)", drawn(1)), ("b", drawn(2))]
    collection = as_csr([graph for _, graph in graphs])
    names = np.array(["a", "a", "a (2)"])
    object.__setattr__(collection, "graph_names", names)
    assert [one.name for one in named_graphs(collection)] == ["a", "a (3)", "a (2)"]


def test_one_list_or_collection_or_several_arguments_are_the_same():
    graphs = [drawn(seed) for seed in range(3)]
    whole = compare(graphs, null="none")
    for found in (compare(*graphs, null="none"), compare(as_csr(graphs), null="none")):
        np.testing.assert_array_equal(found.gcd, whole.gcd)
    # two of a list are two graphs
    assert isinstance(compare(graphs[:2], null="none"), RunComparison)
    both = compare({"x": graphs[0], "y": graphs[1]}, null="none")
    assert [both.first.graph.source, both.second.graph.source] == ["x", "y"]


def test_tables_hold_the_matrices(tmp_path):
    found = compare({name: drawn(seed) for seed, name in enumerate("abcd")}, **FEW)
    matrix = found.to_pandas().set_index("graph")
    np.testing.assert_array_equal(matrix.to_numpy(), found.distances)
    pairs = found.table("pairs").to_pandas()
    assert list(pairs) == ["first", "second", "gcd", "profile"] and len(pairs) == 6
    assert pairs["gcd"].is_monotonic_increasing
    by_pair = pairs.set_index(["first", "second"])["profile"]
    np.testing.assert_array_equal(
        [by_pair[a, b] for a, b in ("ab", "ac", "ad", "bc", "bd", "cd")],
        squareform(found.profile_distances, checks=False),
    )
    assert found.nearest_pairs(1) == [tuple(pairs.iloc[0, :3])]
    profiles = found.table("profiles").to_pandas()
    assert list(profiles)[:3] == ["graph", "path of 3 nodes", "triangle"]
    assert profiles.shape == (4, 1 + 8 + 55)
    np.testing.assert_array_equal(profiles["orbits 0 and 1"], found.correlations[:, 0])
    rows = found.table("graphs").to_pandas()
    nearest = np.where(np.eye(4, dtype=bool), np.inf, found.distances)
    assert rows["nearest"].tolist() == ["abcd"[at] for at in nearest.argmin(axis=1)]
    assert rows["distance"].tolist() == nearest.min(axis=1).tolist()
    found.save(tmp_path / "distances.csv")
    read = pd.read_csv(tmp_path / "distances.csv", index_col=0)
    np.testing.assert_array_equal(read, found.distances)
    assert "random_graphs" in found._repr_html_()
    assert repr(found).startswith("GraphDistances(4 graphs, GCD-11: '")


def test_the_heat_map_stands_in_the_order_of_the_dendrogram(tmp_path):
    graphs = families(100, 2, seed=0)
    found = compare(graphs, null="none")
    figure = found.plot(tmp_path / "map.svg", width=5)
    order = [found.names[at] for at in found.order()]
    squares = figure.axes[0]
    assert [label.get_text() for label in squares.get_yticklabels()] == order
    expected = found.distances[np.ix_(found.order(), found.order())]
    np.testing.assert_array_equal(squares.collections[0].get_array().reshape(8, 8), expected)
    assert figure.get_size_inches().tolist() == [5, 5]
    # letters stay letters in the file
    assert "<svg" in (tmp_path / "map.svg").read_text()
    # of many graphs there is no room for names
    many = compare({f"{name} {k}": graph for k in range(12) for name, graph in graphs.items()},
                   null="none").plot(width=5)  # fmt: skip
    assert many.axes[0].get_yticklabels() == []


def test_any_name_is_written_as_it_is(tmp_path):
    names = [r"$\frac", "$a$", "<script>", "日本", "é" * 60, "line\nbreak"]
    graphs = dict(zip(names, map(drawn, range(6)), strict=True))
    found = compare(graphs, null="none")
    page = render_distances(found, {"settings": {}, "provenance": {}})
    assert "<script" not in page and "&lt;script&gt;" in page
    for text in (r"$\frac", "$a$", "日本", f"{'é' * 11}…{'é' * 11}"):
        assert f">{text}</text>" in page
    matrix = pd.read_csv(io.BytesIO(written(found)), index_col=0)
    assert len(matrix) == 6


def written(found):
    file = io.BytesIO()
    found.write_to(file, "csv")
    return file.getvalue()


def test_no_random_graph_is_drawn_without_a_null_model(monkeypatch):
    monkeypatch.setattr(RandomGraphs, "draw", None)
    compare([drawn(seed) for seed in range(3)], null="none")
    with pytest.raises(TypeError):
        compare([drawn(seed) for seed in range(3)], **FEW)


def test_molecules_are_compared_without_random_graphs_unless_a_model_is_named():
    chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed")
    molecules = [chem.MolFromSmiles(text) for text in ("CCO", "c1ccccc1O", "CC(C)CC", "C1CC1CN")]
    found = compare(molecules)
    assert found.measures == ("gcd",) and "null" in found.notes[0]
    assert compare(molecules, null="degree").measures == ("gcd", "profile")


@pytest.mark.parametrize(
    ("graphs", "rule"),
    [
        ([drawn(0)], "graphs must be two or more, or one collection of them, got 1"),
        (drawn(0), "graphs must be two or more, or one collection of them, got 1"),
        ([], "graphs must be two or more, or one collection of them, got 0"),
        (
            [drawn(0), drawn(1, directed=True), drawn(2)],
            "must all have directions or none, got 'graph 1' with and 'graph 0' without; read them",
        ),
        ([as_csr(drawn(0))] * (MOST_GRAPHS + 1), "graphs must be at most 1,000, got 1,001"),
    ],
)
def test_bad_input_is_refused(graphs, rule):
    with pytest.raises(InputError, match=rule):
        compare(graphs)


def test_runs_are_refused_among_many_and_so_are_several_null_models():
    graphs = [drawn(seed) for seed in range(3)]
    run = MiningRun.of(PatternMiner(3, null="none", filters="none").fit(graphs[0]), graphs[0])
    with pytest.raises(InputError, match="graphs must be graphs where they are not two, got a run"):
        compare([*graphs, run])
    with pytest.raises(InputError, match="null must be a single model for three graphs or more"):
        compare(graphs, null=("degree", "erdos-renyi"))
    with pytest.raises(InputError, match="measure must be one of 'gcd', got 'profile'"):
        compare(graphs, null="none").by("profile")
    with pytest.raises(InputError, match="which must be one of 'distances', 'graphs', 'pairs'"):
        compare(graphs, null="none").table("matrix")
