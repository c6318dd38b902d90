"""Small random graphs that stand for those of large graphs."""

import networkx as nx
import numpy as np
import pytest

from gomkcn_dgl import as_csr
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.graphs.structure import Structure
from mining import PatternMiner, locating
from mining.candidates import grown_sets, small_graphs
from mining.candidates.grown_sets import NodeSets, gather_candidates
from mining.candidates.small_graphs import small_configuration
from mining.counting.exact_search import count_exact
from mining.mined_graph import MinedGraph
from synthetic import barabasi_albert, plant_motifs


def planted(num_nodes=3000, seed=0, **options):
    edges = barabasi_albert(num_nodes, 2, seed=seed)
    motifs = {"house": 20, "crown": 20}
    return plant_motifs(edges, num_nodes, motifs, features="constant", seed=seed, **options)


@pytest.fixture
def all_are_large(monkeypatch):
    """Every graph is treated as one of many millions of edges."""
    monkeypatch.setattr(small_graphs, "LARGE", 100)
    monkeypatch.setattr(grown_sets, "_MOST_REWIRED", 50)
    monkeypatch.setattr(small_graphs, "_MOST_NODES", 1000)


def test_nodes_keep_their_degrees_and_features(monkeypatch):
    monkeypatch.setattr(small_graphs, "_MOST_NODES", 800)
    csr = planted().to_csr()
    features = np.random.default_rng(0).random((csr.num_nodes, 2)).astype(np.float32)
    graph = csr_from_edges(*csr.adjacent_pairs().T, csr.num_nodes, features=features)
    small, nodes = small_configuration(graph, np.random.default_rng(1))
    assert small.num_nodes == len(nodes) == len(set(nodes.tolist())) == 800
    np.testing.assert_array_equal(small.features, features[nodes])
    lost = graph.degrees[nodes] - small.degrees
    # loops and repeated edges are erased
    assert (lost >= 0).all() and lost.sum() < 0.05 * graph.degrees[nodes].sum()
    pairs = small.adjacent_pairs()
    assert len(np.unique(pairs, axis=0)) == len(pairs) == small.num_edges
    own = nx.from_edgelist(pairs.tolist())
    assert own.number_of_edges() == small.num_edges and not list(nx.selfloop_edges(own))


def test_edges_keep_their_directions_and_types():
    rng = np.random.default_rng(0)
    source, target = rng.integers(400, size=(2, 1500))
    graph = csr_from_edges(
        source,
        target,
        400,
        directed=[True, False],
        relation=rng.integers(2, size=1500),
        relation_names=["acts", "binds"],
    )
    small, nodes = small_configuration(graph, np.random.default_rng(1))
    for channel in range(len(graph.relations.channels)):
        ends = []
        for one in (graph, small):
            row = np.repeat(np.arange(one.num_nodes), one.degrees)
            has = one.relations.links[one.links, channel]
            ends.append(np.bincount(row[has], minlength=one.num_nodes))
        lost = ends[0][nodes] - ends[1]
        assert (lost >= 0).all() and lost.sum() < 0.1 * ends[0].sum()
    # the way back of each entry is that of its link
    entry = {
        (row, int(column)): int(link)
        for row in range(small.num_nodes)
        for column, link in zip(
            small.indices[small.indptr[row] : small.indptr[row + 1]],
            small.links[small.indptr[row] : small.indptr[row + 1]],
            strict=True,
        )
    }
    assert all(small.relations.reverse[link] == entry[v, u] for (u, v), link in entry.items())


def test_of_a_collection_whole_graphs_are_taken(monkeypatch):
    monkeypatch.setattr(small_graphs, "_MOST_ENTRIES", 300)
    graphs = [nx.gnm_random_graph(12, 20, seed=seed) for seed in range(30)]
    collection = as_csr(graphs)
    small, nodes = small_configuration(collection, np.random.default_rng(0))
    # 40 entries each
    assert small.num_graphs == 7 and len(nodes) == 7 * 12
    assert (nodes.reshape(7, 12) == nodes[::12, None] + np.arange(12)).all()
    source, target = small.adjacent_pairs().T
    assert (small.graph_of(source) == small.graph_of(target)).all()


def test_sets_in_copies_of_a_graph_are_apart():
    sets = NodeSets(np.tile([0, 1, -1], (200, 1)), np.zeros((200, 3), np.uint64))
    spread = sets.spread(10, 50, np.random.default_rng(0))
    assert (spread.nodes[:, 2] == -1).all() and (spread.nodes[:, :2] % 10 == [0, 1]).all()
    assert 40 < len(np.unique(spread.nodes[:, 0])) <= 50
    assert spread.nodes.max() < 500


def test_planted_motifs_are_first_in_a_large_graph(all_are_large):
    found = gather_candidates(MinedGraph.of(planted().to_csr()), range(3, 9), most=40)
    # of those in which no node hangs on the others, of more nodes than a census counts
    whole = [one for one in found if one.structure.joined.sum(axis=1).min() > 1]
    first = [one.key for one in whole if one.num_nodes > 5][:2]
    assert {one.key for one in planted().motifs} == set(first)
    # they are not there by chance
    assert found[0].sight.num_expected < found[0].sight.num_disjoint / 4


def test_what_no_search_meets_is_where_it_was_seen(all_are_large, monkeypatch):
    def meet_none(graph, structure, *_, **__):
        return np.empty((0, structure.num_nodes), np.int32), False

    monkeypatch.setattr(locating, "list_places", meet_none)
    csr = planted().to_csr()
    miner = PatternMiner(6, "4-5", num_epochs=2, count_seconds=0.1, null=None).fit(csr)
    pairs = csr.adjacent_pairs()
    assert len(miner.patterns_) >= 3
    for pattern in miner.patterns_:
        (place,) = pattern.occurrences
        nodes = np.array(place.nodes)
        inside = {tuple(pair) for pair in pairs[np.isin(pairs, nodes).all(axis=1)].tolist()}
        expected = {tuple(sorted(nodes[list(edge[:2])].tolist())) for edge in pattern.edges}
        # node for node
        assert inside == expected


def test_a_large_graph_is_mined(all_are_large):
    graph = planted()
    csr = graph.to_csr()
    miner = PatternMiner(12, "5-6", num_epochs=2, count_seconds=0.3, null=None).fit(csr)
    found = set()
    pairs = csr.adjacent_pairs()
    for pattern in miner.patterns_:
        shape = nx.Graph([edge[:2] for edge in pattern.edges])
        names = [one.name for one in graph.motifs if nx.is_isomorphic(shape, nx.Graph(one.edges))]
        if names:
            count = pattern.frequency.occurrences
            truth = count_exact(csr, Structure.from_networkx(shape)).count
            # an interval of a short look is wide, and one in twenty misses
            assert count.low / 2 <= truth <= 2 * count.high
            found |= {*names}
        for place in pattern.occurrences[:5]:
            inside = pairs[np.isin(pairs, place.nodes).all(axis=1)]
            assert nx.is_isomorphic(nx.from_edgelist(inside.tolist()), shape)
    assert found == {"house", "crown"}
