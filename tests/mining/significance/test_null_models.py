"""Null models: what they keep and change, what they refuse, and what they say of themselves."""

import collections
import itertools
import re
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from random_graphs import link_matrix

from gomkcn.mining.counting.census_formulas import count_graphlets
from gomkcn.mining.significance.null_draws import (
    _nodes_of_pairs,
    doubt_triangles,
    find_sides,
    walk_from,
)
from gomkcn.mining.significance.null_models import (
    NULL_MODELS,
    DegreeWalk,
    ErdosRenyi,
    NamedModel,
    null_model,
)
from gomkcn.mining.significance.random_graphs import RandomGraphs, sample_null
from gomkcn.mining.significance.verdicts import compare_with_random
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError, InputTypeError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.runtime.job import TimeUpError

# the others keep all edges
DRAWING = [name for name, model in NULL_MODELS.items() if not model.permutes]


def arcs(num_nodes, share, seed):
    return as_csr(nx.gnp_random_graph(num_nodes, share, seed=seed, directed=True))


def typed(seed, num_nodes=40):
    """Two relations, one with a direction; some nodes are joined by both."""
    rng = np.random.default_rng(seed)
    source, target = rng.integers(num_nodes, size=(2, 260))
    return csr_from_edges(
        source,
        target,
        num_nodes,
        directed=[True, False],
        relation=rng.integers(2, size=260),
        relation_names=["activates", "binds"],
    )


def colored(graph, num_colors, seed=0):
    color = np.random.default_rng(seed).integers(num_colors, size=graph.num_nodes)
    names = tuple(f"kind={k}" for k in range(num_colors))
    return replace(graph, features=np.eye(num_colors, dtype=np.float32)[color], feature_names=names)


def two_sided(seed=0):
    return as_csr(nx.bipartite.random_graph(20, 30, 0.15, seed=seed))


def collection():
    return as_csr([nx.barabasi_albert_graph(12, 2, seed=s) for s in range(5)] + [nx.path_graph(1)])


GRAPHS = {
    "plain": as_csr(nx.barabasi_albert_graph(60, 3, seed=1)),
    "directed": arcs(40, 0.12, 2),
    "typed": typed(3),
    "colored": colored(as_csr(nx.gnp_random_graph(60, 0.1, seed=4)), 3),
    "colored arcs": colored(arcs(40, 0.15, 5), 2),
    "colored relations": colored(typed(6), 2),
    "two sides": two_sided(),
    "collection": collection(),
}


def entries(graph):
    """Row, column and what joins them, of all joined pairs."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    links = np.ones(len(row), int) if graph.links is None else graph.links
    return list(zip(row.tolist(), graph.indices.tolist(), links.tolist(), strict=True))


def kept_at_nodes(graph):
    """How many neighbours each node has by each link, of each row of features."""
    kinds = [tuple(row) for row in graph.features.tolist()]
    return collections.Counter((u, kinds[v], link) for u, v, link in entries(graph))


def joint_degrees(graph):
    of_node = collections.defaultdict(collections.Counter)
    for u, _, link in entries(graph):
        of_node[u][link] += 1
    degrees = {u: tuple(sorted(own.items())) for u, own in of_node.items()}
    return collections.Counter((degrees[u], degrees[v], link) for u, v, link in entries(graph))


def check_tidy(graph, like):
    """A simple graph, each edge in both rows, of the same kind seen from either end."""
    reverse = graph.relations.reverse
    found = {(u, v): link for u, v, link in entries(graph)}
    assert len(found) == len(graph.indices) == len(like.indices)
    assert all(u != v and found[v, u] == reverse[link] for (u, v), link in found.items())
    assert list(found) == sorted(found)
    owners = graph.graph_of(graph.adjacent_pairs())
    assert (owners[:, 0] == owners[:, 1]).all()
    assert graph.indptr.dtype == np.int64
    assert graph.indices.dtype == np.int32
    assert graph.links is None or graph.links.dtype == like.links.dtype
    assert graph.features is like.features
    assert graph.num_edges == like.num_edges


def test_hardly_any_edge_stays_where_it_was():
    """Of a lattice, whose edges all lie where chance would put few, in one walk."""
    lattice = as_csr(nx.watts_strogatz_graph(400, 6, 0))
    sample = null_model("degree", lattice).sample(lattice, 0)
    stayed = set(entries(lattice)) & set(entries(sample))
    assert len(stayed) < 0.05 * len(lattice.indices)


@pytest.mark.parametrize("name", GRAPHS)
def test_erdos_renyi_keeps_the_numbers_of_edges_of_each_graph(name):
    graph = GRAPHS[name]
    sample = sample_null(graph, "erdos-renyi", 0)
    check_tidy(sample, graph)
    counts = [
        collections.Counter(
            (int(one.graph_of(np.array(u))), min(link, int(one.relations.reverse[link])))
            for u, _, link in entries(one)
        )
        for one in (graph, sample)
    ]
    assert counts[0] == counts[1]
    assert len(set(entries(graph)) & set(entries(sample))) < 0.5 * len(graph.indices)


def test_all_graphs_of_so_many_edges_are_equally_likely():
    """Of 4 nodes and 2 arcs, not of one pair: 15 pairs of pairs, 4 directions each."""
    graph = csr_from_edges(np.array([0, 1]), np.array([1, 2]), 4, directed=True)
    model = null_model("erdos-renyi", graph)
    seen = collections.Counter(
        tuple(map(tuple, np.transpose(model.sample(graph, seed).edges()[:2]).tolist()))
        for seed in range(3000)
    )
    assert len(seen) == 60
    # 50 of each, five standard deviations
    assert 15 <= min(seen.values()) <= max(seen.values()) <= 85


def test_pairs_are_numbered_one_after_the_other():
    nodes = _nodes_of_pairs(np.arange(45 * 44 // 2))
    assert nodes.tolist() == [[i, j] for j in range(45) for i in range(j)]
    # the root of so large a number is rounded
    for high in (2**31 - 2, 2**30 + 7, 94_906_267):
        first = high * (high - 1) // 2
        nodes = _nodes_of_pairs(np.array([first - 1, first, first + high - 1]))
        assert nodes.tolist() == [[high - 2, high - 1], [0, high], [high - 1, high]]


def test_streams_are_independent_of_each_other_and_of_what_was_drawn_before():
    graph = GRAPHS["plain"]
    graphs = RandomGraphs(null_model("degree", graph), graph, 5)
    again = RandomGraphs(null_model("degree", graph), graph, 5)
    drawn = [graphs.draw(number).indices.tolist() for number in range(4)]
    assert [again.draw(number).indices.tolist() for number in (3, 0)] == [drawn[3], drawn[0]]
    assert len(set(map(str, drawn))) == 4
    other = RandomGraphs(null_model("degree", graph), graph, 6)
    assert other.draw(0).indices.tolist() not in drawn


def test_walks_start_from_a_hub_and_independent_graphs_do_not():
    graph = GRAPHS["plain"]
    model = null_model("degree", graph)
    starts, seeds = [], set()

    class Seen:
        name, keeps, is_walk, doubt = "seen", "", True, model.doubt

        def sample(self, start, seed):
            starts.append(start)
            seeds.add(seed)
            return model.sample(start, seed)

    graphs = RandomGraphs(Seen(), graph, 0)
    graphs.draw(0), graphs.draw(1)
    assert starts == [graph, graphs.hub, graphs.hub] and len(seeds) == 3
    assert RandomGraphs(null_model("erdos-renyi", graph), graph, 0).hub is graph


def test_a_walk_ends_where_time_is_up():
    looks = []

    def check_time():
        looks.append(1)
        if len(looks) == 2:
            raise TimeUpError

    graph = GRAPHS["plain"]
    drawn = RandomGraphs(null_model("degree", graph), graph, 0, check_time)
    with pytest.raises(TimeUpError):
        drawn.draw(0)


# kinds of pairs: not joined, joined both ways, u to v, v to u
NONE, BOTH, OUT, IN = range(4)
REVERSE = [NONE, BOTH, IN, OUT]


def spaces(size, kinds):
    """All graphs of so many nodes by the degrees of their nodes in each kind, in order."""
    pairs = list(itertools.combinations(range(size), 2))
    found = collections.defaultdict(set)
    for joined in itertools.product(kinds, repeat=len(pairs)):
        degrees = [[0] * 4 for _ in range(size)]
        for (u, v), kind in zip(pairs, joined, strict=True):
            degrees[u][kind] += 1
            degrees[v][REVERSE[kind]] += 1
        rows = tuple(tuple(row[1:]) for row in degrees)
        # the order of the nodes does not matter
        if list(rows) == sorted(rows):
            found[rows].add(joined)
    return list(found.values())


def graph_of(joined, size, kinds):
    pairs = list(zip(itertools.combinations(range(size), 2), joined, strict=True))
    arcs = [ends for ends, kind in pairs if kind in (BOTH, OUT)]
    arcs += [ends[::-1] for ends, kind in pairs if kind in (BOTH, IN)]
    return csr_from_edges(*np.array(arcs).T, size, directed=OUT in kinds)


def visits(space, size, kinds, number):
    """Graphs at the ends of successive walks from the first graph of a space."""
    known = {link_matrix(graph_of(one, size, kinds)).tobytes(): one for one in space}
    alike = np.zeros(size, np.int64)
    model, graph = DegreeWalk("", alike, alike), graph_of(min(space), size, kinds)
    seen = collections.Counter()
    for seed in range(number):
        graph = model.sample(graph, seed)
        seen[known[link_matrix(graph).tobytes()]] += 1
    return seen


def test_a_walk_in_parts_is_the_same_walk():
    graph = GRAPHS["typed"]
    model = null_model("degree", graph)
    in_parts, _ = walk_from(graph, model.colors, attempts_at_once=7)(1)
    assert entries(in_parts) == entries(model.sample(graph, 1))


def test_many_edges_are_found_and_lost_again():
    """The table of pairs fills and empties: after a long walk no pair is joined twice."""
    graph = as_csr(nx.barabasi_albert_graph(300, 4, seed=1))
    model = null_model("degree", graph)
    sample, _ = walk_from(graph, model.colors, attempts_per_edge=200)(0)
    check_tidy(sample, graph)
    assert (sample.degrees == graph.degrees).all()


@pytest.mark.parametrize(
    ("size", "kinds", "number"),
    [(5, (NONE, BOTH), 15), (4, (NONE, BOTH, OUT, IN), 48)],
    ids=["plain", "directed"],
)
def test_all_graphs_of_some_degrees_are_equally_likely(size, kinds, number):
    """Each is reached; how often, over all degrees: chi-square at a level of 1 in 10,000."""
    several = [space for space in spaces(size, kinds) if len(space) > 1]
    assert len(several) == number
    chi_square = freedom = 0
    for space in several:
        seen = visits(space, size, kinds, 40 * len(space))
        assert set(seen) == space
        chi_square += sum((seen[one] - 40) ** 2 / 40 for one in space)
        freedom += len(space) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5 + 8


@pytest.mark.parametrize("null", ["degree", "joint-degree"])
@pytest.mark.parametrize("name", GRAPHS)
def test_walks_keep_neighbours_by_relation_direction_and_category(name, null):
    graph = GRAPHS[name]
    for seed in range(2):
        sample = sample_null(graph, null, seed)
        check_tidy(sample, graph)
        assert kept_at_nodes(sample) == kept_at_nodes(graph)
        assert joint_degrees(sample) == joint_degrees(graph) or null == "degree"
        if null == "degree" or name == "plain":
            stayed = set(entries(graph)) & set(entries(sample))
            assert len(stayed) < 0.7 * len(graph.indices)
    if name not in ("two sides", "collection"):
        assert joint_degrees(sample_null(graph, "degree", 0)) != joint_degrees(graph)


def test_a_class_without_a_name_of_its_own_or_a_member_is_no_null_model():
    before = dict(NULL_MODELS)
    members = {"keeps_degrees": False, "is_walk": False, "keeps": "nothing", "name": "other"}
    with pytest.raises(TypeError, match="'erdos-renyi' names two null models: ErdosRenyi and Bare"):
        type("Bare", (ErdosRenyi,), {})
    with pytest.raises(TypeError, match="the null model Bare lacks name, is_walk, keeps_degrees"):
        type("Bare", (NamedModel,), {})
    with pytest.raises(TypeError, match="the null model Bare lacks of, sample, doubt"):
        type("Bare", (NamedModel,), members)
    assert before == NULL_MODELS


def test_the_table_of_the_docs_has_a_row_for_each_null_model():
    page = (Path(__file__).parents[3] / "docs/null_models.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.*?)` \|", page, re.MULTILINE)
    assert rows == list(NULL_MODELS)


@pytest.mark.parametrize("null", DRAWING)
def test_a_random_graph_has_no_self_loops(null):
    graph = as_csr(nx.DiGraph([("a", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]))
    assert len(graph.loops) == 1
    assert sample_null(graph, null, 0).loops is None


@pytest.mark.parametrize("null", DRAWING)
@pytest.mark.parametrize("graph", [nx.empty_graph(3), nx.path_graph(2), nx.complete_graph(5)])
def test_a_graph_that_cannot_change_comes_back(graph, null):
    csr = as_csr(graph)
    sample = sample_null(csr, null, 2)
    assert sample.indices.tolist() == csr.indices.tolist()
    assert sample.indptr.tolist() == csr.indptr.tolist()


def test_the_two_sides_of_a_graph_are_found_and_kept():
    graph = two_sided()
    sides, model = find_sides(graph), null_model("degree", graph)
    graphs = RandomGraphs(model, graph, 1)
    for sample in (graph, *(graphs.draw(k) for k in range(3))):
        joined = sample.adjacent_pairs()
        assert (sides[joined[:, 0]] != sides[joined[:, 1]]).all()
    # hubs of each part are on one side
    parts = [nx.complete_bipartite_graph(2, 6), nx.complete_bipartite_graph(6, 2)]
    sides = find_sides(as_csr(nx.disjoint_union_all(parts)))
    assert sides.tolist() == [0] * 2 + [1] * 6 + [1] * 6 + [0] * 2
    # trees and forests, a single even ring, an odd one, beside others or not, and directions
    odd = nx.disjoint_union(nx.complete_bipartite_graph(5, 5), nx.cycle_graph(5))
    forest = nx.disjoint_union_all([nx.path_graph(4)] * 6)
    others = [nx.random_labeled_tree(40, seed=0), nx.cycle_graph(8), nx.house_graph(), odd]
    for one in (forest, *others, nx.gnp_random_graph(30, 0.2, seed=0, directed=True)):
        assert find_sides(as_csr(one)) is None


def test_words_say_what_is_kept_of_a_graph():
    of_both = "the number of edges between nodes of each two degrees"
    for name, null, words in (
        ("directed", "degree",
         "the numbers of outgoing and incoming edges and mutual pairs of each node"),
        ("typed", "degree", "the degree of each node by edge type and direction"),
        ("two sides", "degree", "the degree of each node and its two sides"),
        ("colored", "joint-degree",
         f"the degree of each node, the categories of the neighbours of each node and {of_both}"),
    ):  # fmt: skip
        assert null_model(null, GRAPHS[name]).keeps == words


def test_a_function_of_ones_own_is_a_null_model():
    def rings(graph, seed):
        """a ring through all nodes in random order"""
        order = np.random.default_rng(seed).permutation(graph.num_nodes).tolist()
        ring = nx.empty_graph(graph.num_nodes)
        ring.add_edges_from(zip(order, order[1:] + order[:1], strict=True))
        return ring

    graph = GRAPHS["colored"]
    model = null_model(rings, graph)
    assert (model.name, model.keeps) == ("rings", "a ring through all nodes in random order")
    assert (model.is_walk, model.doubt(graph)) == (False, "")
    sample = RandomGraphs(model, graph, 3).draw(0)
    assert (sample.degrees == 2).all()
    assert sample.features is graph.features
    assert null_model(lambda graph, seed: graph, graph).keeps.startswith("what the function")
    for made, got in ((nx.path_graph(3), "got 3 nodes"), (arcs(60, 0.1, 0), "True")):
        with pytest.raises(InputError, match=rf"the nodes and relations .*{got}"):
            sample_null(graph, lambda graph, seed, made=made: made, 0)
    with pytest.raises(InputError, match="null must be one of"):
        null_model("nothing", graph)
    with pytest.raises(InputTypeError, match="null must be a name, a function"):
        null_model(3, graph)


def test_it_is_said_where_a_comparison_tells_little():
    threshold = nx.complete_graph(4)
    threshold.add_edges_from((k % 2, 4 + k) for k in range(0, 12, 2))
    for graph, said in ((nx.star_graph(30), "0 of 1,000 swaps"), (threshold, "hardly differ")):
        csr = as_csr(graph)
        assert said in null_model("degree", csr).doubt(csr)
    # triangles all over
    points = as_csr(nx.random_geometric_graph(200, 0.1, seed=1))
    for null in DRAWING:
        doubt = null_model(null, points).doubt(points)
        assert "Structures that contain triangles may be over-represented" in doubt
        assert "more triangles than random graphs" in doubt and "what is near" in doubt
    # fewer of them: a two-sided graph beside graphs whose sides are not kept
    graph = as_csr(nx.bipartite.random_graph(60, 60, 0.3, seed=0))
    alike = np.zeros(graph.num_nodes, np.int64)
    doubt = DegreeWalk("", alike, alike).doubt(graph)
    assert "has fewer triangles" in doubt and "may be under-represented" in doubt
    # not where a few are planted
    planted = nx.gnp_random_graph(200, 0.02, seed=1)
    for first in range(0, 32, 4):
        planted.add_edges_from(itertools.combinations(range(first, first + 4), 2))
    for graph in (as_csr(planted), GRAPHS["plain"], as_csr(nx.grid_2d_graph(20, 20))):
        assert null_model("degree", graph).doubt(graph) == ""


def test_few_triangles_vary_by_the_root_of_their_number():
    def triangles(number):
        return as_csr(nx.disjoint_union_all([nx.complete_graph(3)] * number))

    # 14 more than 16 are within five times the root of 16, and 26 more than 4 are not within that
    assert doubt_triangles("degree", triangles(30), [triangles(16)] * 4) == ""
    said = doubt_triangles("degree", triangles(30), [triangles(4)] * 4)
    assert said.startswith(
        "The graph has more triangles than random graphs of the null model “degree”, 30 against 4; "
        "100% of the nodes with two or more neighbours are in one. Structures"
    )
    # as many in a few places are the finding, and no warning
    few = as_csr(nx.disjoint_union_all([nx.complete_graph(3)] * 30 + [nx.path_graph(100)]))
    assert doubt_triangles("degree", few, [triangles(4)] * 4) == ""


def test_graphs_of_the_null_model_are_seldom_called():
    """At a level of 5 %, of 40 graphs at most 6 with a probability of 99 %."""
    hubs = [25, 18, 12, 9, *[3] * 15, *[2] * 20, *[1] * 25]
    hubs[-1] += sum(hubs) % 2
    first, called = as_csr(nx.havel_hakimi_graph(hubs)), 0
    for seed in range(40):
        graph = sample_null(first, "degree", 1000 + seed)
        graphs = RandomGraphs(null_model("degree", graph), graph, seed)
        drawn = (graph, *(graphs.draw(k) for k in range(39)))
        counts = count_graphlets(drawn, 4).T
        called += any(one.p_adjusted <= 0.05 for one in compare_with_random("degree", counts))
    assert called <= 6
