"""Instances of a filter: the sets of nodes that show its structure, whatever other filters are."""

import networkx as nx
import numpy as np
import pytest
from planted_copies import (
    CUBE,
    DOMINO,
    HOUSE6,
    JOINED_TRIANGLES,
    K33,
    MOEBIUS_LADDER,
    PRISM,
    plant,
    side_by_side,
    tree,
)

from gomkcn.mining.filters import filter_training
from gomkcn.mining.filters.filter_bank import respond_everywhere
from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.filters.instances import choose_disjoint, count_instances
from gomkcn.mining.filters.neighbourhoods import count_node_sets
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn.mining.structures.pattern import OccurrenceCount
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.node_order import NodeOrder
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import SubgraphSettings, extract_subgraphs


def key(graph):
    return Structure.from_networkx(graph).key


def by_key(miner):
    return {one.structure.key: one for one in miner.filters_}


def node_sets_of(miner, graph):
    """The sets of nodes whose subgraph is the structure of each filter, by what the bank says."""
    bank, order = miner.bank_, NodeOrder.of(as_csr(graph))
    shown = respond_everywhere(bank, order, "cpu", len(graph), Steps())
    found = []
    for number, one in enumerate(miner.filters_):
        rows = shown.nodes[shown.is_exact[:, number], bank.subgraph_sizes.index(one.size)]
        found.append({frozenset(row[row >= 0].tolist()) for row in rows})
    return found


@pytest.mark.parametrize(
    ("host", "motif", "number"),
    [(tree(100), HOUSE6, 5), (nx.grid_2d_graph(9, 9), PRISM, 3), (tree(100, 1), K33, 10)],
)
def test_instances_are_all_planted_copies_and_real_occurrences(host, motif, number):
    host = nx.convert_node_labels_to_integers(host)
    graph, (copies,) = plant(host, [(motif, number)], seed=number)
    miner = FilterMiner().fit(graph)
    found = node_sets_of(miner, graph)
    assert {*copies} <= found[[*by_key(miner)].index(key(motif))]
    for one, sets in zip(miner.filters_, found, strict=True):
        assert one.instances == OccurrenceCount.exact(len(sets))
        shape = nx.Graph(one.structure.edges)
        assert all(nx.is_isomorphic(graph.subgraph(nodes), shape) for nodes in sets)
        assert 1 <= one.disjoint_instances <= len(sets)
    assert by_key(miner)[key(motif)].disjoint_instances >= number


@pytest.mark.parametrize("contrast", [True, False])
def test_instances_do_not_depend_on_the_other_filters(contrast):
    blocks = nx.stochastic_block_model([25] * 4, 0.13 * np.eye(4) + 0.004, seed=4)
    graph, (copies,) = plant(blocks, [(HOUSE6, 5)], seed=4)
    seen = {}
    for number in (2, 4, 8, 20):
        miner = FilterMiner(number, 6, contrast=contrast).fit(graph)
        seen[number] = {structure: str(one.instances) for structure, one in by_key(miner).items()}
    assert len(seen[2]) < len(seen[4]) < len(seen[8])
    for one in seen.values():
        assert {structure: seen[20].get(structure, one[structure]) for structure in one} == one
    assert int(seen[20][key(HOUSE6)]) >= len(copies)


@pytest.mark.parametrize("contrast", [True, False])
@pytest.mark.parametrize(
    ("first", "second", "size"),
    [(PRISM, K33, 6), (JOINED_TRIANGLES, DOMINO, 6), (CUBE, MOEBIUS_LADDER, 8)],
)
def test_structures_with_equal_embeddings_are_filters_of_their_own(first, second, size, contrast):
    graph = side_by_side((first, 12), (second, 10))
    miner = FilterMiner(filter_size=size, contrast=contrast).fit(graph)
    found = {structure: one.instances.value for structure, one in by_key(miner).items()}
    assert found == {key(first): 12, key(second): 10}
    assert [one.disjoint_instances for one in miner.filters_] == [12, 10]
    # each node belongs to what it is in, though it is as similar to the other
    assert miner.labels_.tolist() == [0] * 12 * size + [1] * 10 * size
    assert miner.responses_.min() > 0.9999 and miner.is_exact_.all()
    if contrast:
        assert [one.random_instances.mean for one in miner.filters_] < [1, 1]


def test_instances_in_random_graphs_are_counted_as_those_of_the_graph():
    graph = plant(tree(60), [(nx.complete_graph(3), 20)], seed=1)[0]
    miner = FilterMiner(filter_size=3).fit(graph)
    (one,) = (one for one in miner.filters_ if len(one.structure.edges) == 3)
    # the graph in its order, as the miner draws from it
    own = MinedGraph.of(graph).graph
    random = RandomGraphs(null_model("degree", own), own, 0)
    counts = []
    for number in range(10):
        drawn = random.draw(number)
        batch = extract_subgraphs(drawn, miner.bank_.settings_of(3))
        full = batch.nodes[(batch.links > 0).sum(axis=(1, 2)) == 6]
        counts.append(len({frozenset(row) for row in full.tolist()}))
    assert one.random_instances.mean == pytest.approx(np.mean(counts))
    assert one.random_instances.sd == pytest.approx(np.std(counts, ddof=1))
    assert np.mean(counts) > 0


def test_instances_that_share_a_node_are_not_disjoint():
    """Triangles that share a node, five and four of them."""
    graph = nx.disjoint_union(nx.windmill_graph(5, 3), nx.windmill_graph(4, 3))
    (one,) = FilterMiner(1, 3, contrast=False).fit(graph).filters_
    assert (one.instances.value, one.disjoint_instances) == (9, 2)


def test_disjoint_sets_are_chosen_in_their_order():
    sets = np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6], [7, 8, 9], [6, 7, 10]])
    assert choose_disjoint(sets) == [0, 2, 3]
    assert choose_disjoint(sets, most=2) == [0, 2]
    assert choose_disjoint(sets[:0]) == []


# rings in a tree: all their nodes but those that are joined to the tree show the ring
RINGS, (PLANTED,) = plant(tree(200), [(nx.cycle_graph(5), 60)], seed=6)
RINGS = as_csr(RINGS)
SETTINGS = SubgraphSettings(3, 5)


@pytest.fixture(scope="module")
def rows():
    """The nodes of the ring around each root that shows one; None around the others."""
    batch = extract_subgraphs(RINGS, SETTINGS)
    is_ring = (batch.num_nodes == 5) & ((batch.links > 0).sum(axis=2) == 2).all(axis=1)
    return [row if shown else None for row, shown in zip(batch.nodes, is_ring, strict=True)]


def estimate(rows, roots):
    shown = np.array([rows[root] for root in roots if rows[root] is not None]).reshape(-1, 5)
    sets, hits = count_node_sets(shown, np.full(len(shown), 5))
    found = count_instances(RINGS, SETTINGS, sets.reshape(-1, 5), hits, len(roots))
    # those that were seen are there
    assert len(sets) <= found.low <= found.value <= found.high
    return found


def test_a_root_that_shows_more_nodes_shows_another_set():
    """Within one hop of node 0 are 1 to 4, and of 1, which they are joined to, is 5 as well."""
    graph = nx.Graph([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (1, 5)])
    csr = as_csr(graph)
    settings = SubgraphSettings(1, 6)
    found = count_instances(csr, settings, np.array([[0, 1, 2, 3, 4]]), np.array([1]), 3)
    assert found.value == 2.0
    batch = extract_subgraphs(csr, settings, np.array([0, 1]))
    assert np.sort(batch.nodes).tolist() == [[-1, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5]]


def test_an_instance_counts_as_often_as_it_would_be_seen(rows):
    """Each root stands for 1 / k of what k roots show, and for V / S roots that were not drawn."""
    times = {}
    for row in rows:
        if row is not None:
            shown = frozenset(row.tolist())
            times[shown] = times.get(shown, 0) + 1
    assert times.keys() == {*PLANTED} and len({*times.values()}) > 1
    roots = np.random.default_rng(0).permutation(RINGS.num_nodes)[:150].tolist()
    parts = [1 / times[frozenset(rows[root].tolist())] for root in roots if rows[root] is not None]
    found = estimate(rows, roots)
    assert found.value == pytest.approx(sum(parts) * RINGS.num_nodes / 150)
    assert not found.is_exact and found.low < found.value < found.high
    # all of them are exact, and of none nothing is known but a bound
    assert estimate(rows, range(RINGS.num_nodes)) == OccurrenceCount.exact(60)
    none = estimate(rows, [root for root in range(RINGS.num_nodes) if rows[root] is None][:20])
    assert none.value == none.low == 0 < none.high


@pytest.mark.parametrize("share", [0.1, 0.4, 0.9])
def test_nineteen_of_twenty_intervals_hold_the_number_of_instances(rows, share):
    number = int(share * RINGS.num_nodes)
    held, values = 0, []
    for seed in range(250):
        drawn = np.random.default_rng(seed).permutation(RINGS.num_nodes)[:number].tolist()
        found = estimate(rows, drawn)
        held += found.low <= 60 <= found.high
        values.append(found.value)
    # three standard deviations of 250 draws
    assert held >= 250 * 0.95 - 3 * (250 * 0.95 * 0.05) ** 0.5
    assert abs(np.mean(values) - 60) < 4 * np.std(values) / 250**0.5 + 0.5


def test_instances_of_drawn_nodes_are_an_estimate():
    learning = FilterLearning(max_subgraphs=150)
    graph, _ = plant(tree(300), [(HOUSE6, 50)], seed=2)
    exact = by_key(FilterMiner().fit(graph))[key(HOUSE6)]
    assert exact.instances.is_exact and exact.instances.value >= 50
    drawn = FilterMiner(learning=learning, max_assigned=200).fit(graph)
    one = by_key(drawn)[key(HOUSE6)]
    assert not one.instances.is_exact
    assert one.instances.low <= exact.instances.value <= one.instances.high
    assert one.disjoint_instances <= one.instances.value
    assert "around 150 of 600 nodes" in drawn.note_
    assert (drawn.labels_ >= 0).sum() == 200


def test_a_filter_draws_its_commonest_structure(monkeypatch):
    """Training sees no difference between structures whose embeddings are equal."""
    graph = side_by_side((PRISM, 12), (K33, 2))
    start = FilterMiner(1, 6, contrast=False).fit(graph)
    assert [one.structure.key for one in start.filters_] == [key(PRISM)]

    def end_with_k33(subgraphs, filters, *_):
        adj = np.zeros_like(filters.adj)
        adj[0] = nx.to_numpy_array(K33)
        return type(filters)(adj, filters.feat, adj, (6,)), [0.5, 0.25]

    monkeypatch.setattr(filter_training, "train_filters", end_with_k33)
    trained = FilterMiner(1, 6, contrast=False, learning=FilterLearning(num_epochs=1)).fit(graph)
    (one,) = trained.filters_
    assert one.structure.key == key(PRISM) and one.instances.value == 12
    assert trained.loss_curve_ == [0.5, 0.25]
