"""Null models of graphs with directions and types: what each node keeps, and uniform samples."""

import collections
import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graph_lists import concatenate
from mining.null_models.null_models import erased_configuration, sample_null

LINKED = ("configuration", "degree", "reciprocity")


def linked_graph(num_nodes=60, num_edges=240, *, directed=(True, True, False), seed=0):
    """Random edges of three relations, with many mutual pairs."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(num_nodes, size=(num_edges // 2, 2))
    source, target = np.concatenate([ends, ends[:, ::-1]])[: num_edges - 20].T
    return csr_from_edges(
        source,
        target,
        num_nodes,
        features=rng.random((num_nodes, 2)),
        directed=directed,
        relation=rng.integers(3, size=len(source)),
        relation_names=["activates", "represses", "binds"],
    )


def edges_of(graph):
    return frozenset(zip(*(column.tolist() for column in graph.edges()), strict=True))


def degrees(graph):
    """Out-, in- and undirected degree of each node in each relation."""
    directed = graph.relations.directed
    ends = [(u, r, "out" if directed[r] else "both") for u, _, r in edges_of(graph)]
    ends += [(v, r, "in" if directed[r] else "both") for _, v, r in edges_of(graph)]
    return collections.Counter(ends)


def link_degrees(graph):
    """How often each node is joined to another by each link, in words."""
    row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    words = [graph.relations.describe(link) for link in graph.links]
    return collections.Counter(zip(row.tolist(), words, strict=True))


def check_is_proper(graph):
    """Rebuilt from its edges it is the same graph, so rows and links agree."""
    source, target, relation = graph.edges()
    again = csr_from_edges(
        source,
        target,
        graph.num_nodes,
        directed=graph.relations.directed,
        relation=relation,
        relation_names=graph.relations.names,
    )
    assert again.indptr.tolist() == graph.indptr.tolist()
    assert again.indices.tolist() == graph.indices.tolist()
    assert link_degrees(again) == link_degrees(graph)


@pytest.mark.parametrize("null", LINKED)
@pytest.mark.parametrize("directed", [(True, True, False), (False, False, False)])
def test_each_node_keeps_its_degrees_in_each_relation(null, directed):
    graph = linked_graph(directed=directed)
    sample, again = (sample_null(graph, null, 3) for _ in range(2))
    check_is_proper(sample)
    assert edges_of(sample) == edges_of(again)
    # few nodes have the same joint degrees
    least = 0.1 if null == "degree" else 0.5
    assert len(edges_of(graph) - edges_of(sample)) > least * graph.num_edges
    assert degrees(sample) == degrees(graph)
    assert (link_degrees(sample) == link_degrees(graph)) == (null == "reciprocity")
    np.testing.assert_array_equal(sample.features, graph.features)
    assert sample.notes == graph.notes
    # joint degrees: edges of each relation between nodes of each two kinds of degrees
    joint = [
        collections.Counter((r, *sorted([kind[u], kind[v]])) for u, v, r in edges_of(one))
        for one, kind in ((graph, total_degrees(graph)), (sample, total_degrees(graph)))
    ]
    assert (joint[0] == joint[1]) == (null == "degree")


def total_degrees(graph):
    counts = collections.defaultdict(lambda: [0, 0, 0])
    for (node, _, side), count in degrees(graph).items():
        counts[node][["out", "in", "both"].index(side)] += count
    return {node: tuple(each) for node, each in counts.items()}


def test_relations_join_the_same_nodes_only_where_some_do():
    rng = np.random.default_rng(0)
    source, target = np.array(nx.gnm_random_graph(12, 60, seed=2, directed=True).edges).T
    graph = csr_from_edges(
        source,
        target,
        12,
        directed=True,
        relation=rng.integers(2, size=60),
        relation_names=["activates", "represses"],
    )
    for seed in range(5):
        sample = sample_null(graph, "configuration", seed)
        assert len({(u, v) for u, v, _ in edges_of(sample)}) == 60


def test_no_edge_leaves_its_graph_in_a_collection():
    parts = [linked_graph(20, 80, seed=seed) for seed in range(3)]
    graph = concatenate(parts)
    for null in LINKED:
        sample = sample_null(graph, null, 1)
        source, target, _ = sample.edges()
        assert (graph.graph_of(source) == graph.graph_of(target)).all()
    made = erased_configuration(graph, np.random.default_rng(0))
    check_is_proper(made)
    assert link_degrees(made) <= link_degrees(graph)
    assert 0.7 * graph.num_edges < made.num_edges <= graph.num_edges
    assert edges_of(made) != edges_of(graph)


def all_graphs(num_nodes):
    """All digraphs on these nodes, as sets of arcs of relation 0."""
    arcs = [(*pair, 0) for pair in itertools.permutations(range(num_nodes), 2)]
    for chosen in itertools.product([False, True], repeat=len(arcs)):
        yield frozenset(itertools.compress(arcs, chosen))


def profile(edges, *, mutual=False):
    """Degrees of a set of arcs; on request with the number of mutual pairs of each node."""
    ends = [(u, r, "out") for u, _, r in edges] + [(v, r, "in") for _, v, r in edges]
    ends += [(u, "mutual") for u, v, r in edges if mutual and (v, u, r) in edges]
    return collections.Counter(ends)


def test_all_digraphs_of_these_degrees_are_equally_likely():
    edges = [(0, 1, 0), (0, 2, 0), (1, 2, 0), (2, 3, 0), (3, 1, 0), (1, 0, 0)]
    possible = [one for one in all_graphs(4) if profile(one) == profile(edges)]
    check_uniform(edges, "configuration", possible)


def test_all_digraphs_of_these_mutual_degrees_are_equally_likely():
    mutual, single = [(0, 1), (2, 3)], [(0, 2), (1, 4), (3, 4)]
    pairs = list(itertools.combinations(range(5), 2))
    possible = []
    # two pairs for arcs both ways, three others for arcs one way or the other
    for both in itertools.combinations(pairs, 2):
        for one_way in itertools.combinations(sorted(set(pairs) - set(both)), 3):
            for turned in itertools.product([1, -1], repeat=3):
                arcs = [pair[::turn] for pair, turn in zip(one_way, turned, strict=True)]
                possible.append(mutual_and_single(both, arcs))
    edges = mutual_and_single(mutual, single)
    wanted = profile(edges, mutual=True)
    possible = [one for one in possible if profile(one, mutual=True) == wanted]
    check_uniform(sorted(edges), "reciprocity", possible)


def mutual_and_single(mutual, single):
    return frozenset((u, v, 0) for u, v in (*mutual, *(pair[::-1] for pair in mutual), *single))


@pytest.mark.parametrize(
    "arcs",
    [
        # two relations join nodes 1 and 2, so they may elsewhere
        [[(1, 2), (1, 3), (2, 0), (2, 3), (3, 1)], [(0, 1), (1, 2), (2, 3)]],
        # none do, so none may
        [[(0, 2), (1, 2), (1, 3), (3, 0), (3, 1)], [(0, 1), (2, 0), (2, 3)]],
    ],
)
def test_all_typed_digraphs_of_these_degrees_are_equally_likely(arcs):
    edges = [(u, v, r) for r, own in enumerate(arcs) for u, v in own]
    # the arcs of each relation alone, and all ways to combine them
    ways = [
        [one for one in all_graphs(4) if profile(one) == profile({(u, v, 0) for u, v in own})]
        for own in arcs
    ]
    possible = [
        first | {(u, v, 1) for u, v, _ in second}
        for first, second in itertools.product(*ways)
        if set(arcs[0]) & set(arcs[1]) or not first & second
    ]
    check_uniform(edges, "configuration", possible)


def check_uniform(edges, null, possible):
    source, target, relation = np.array(edges).T
    names = ["first", "second"][: relation.max() + 1]
    graph = csr_from_edges(
        source,
        target,
        int(target.max()) + 1,
        directed=True,
        relation=relation,
        relation_names=names,
    )
    num_samples = 60 * len(possible)
    count = collections.Counter(
        edges_of(sample_null(graph, null, seed)) for seed in range(num_samples)
    )
    assert len(possible) > 5
    assert set(count) == set(possible)
    assert chisquare([count[one] for one in possible]).pvalue > 1e-3


def test_feed_forward_loops_of_e_coli_stand_out(ecoli):
    table = pd.read_csv(ecoli).query("source != target")
    nodes = {name: k for k, name in enumerate(np.unique(table[["source", "target"]]))}
    graph = csr_from_edges(
        table.source.map(nodes).to_numpy(),
        table.target.map(nodes).to_numpy(),
        len(nodes),
        directed=True,
    )
    observed, *counts = (
        feed_forward_loops(one)
        for one in (graph, *(sample_null(graph, "configuration", seed) for seed in range(40)))
    )
    assert observed == 40
    # Shen-Orr et al. (2002) print 7 ± 3
    assert 5 < np.mean(counts) < 10
    assert 8 < (observed - np.mean(counts)) / np.std(counts, ddof=1) < 14


def feed_forward_loops(graph):
    arcs = nx.DiGraph([edge[:2] for edge in edges_of(graph)])
    return nx.triadic_census(arcs)["030T"]
