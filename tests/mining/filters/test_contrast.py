"""What a graph has more of than random graphs: how it is chosen, what is found, and what not."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from ends_after import EndsAfter
from planted_copies import (
    CUBE,
    HOUSE6,
    K33,
    OCTAHEDRON,
    PRISM,
    THETA7,
    plant,
    side_by_side,
    tree,
)

from gomkcn.mining.filters import filter_learner
from gomkcn.mining.filters.contrast import MOST_FILTERS, cover, margin_of, surprise
from gomkcn.mining.filters.filter_learning import FilterLearning
from gomkcn.mining.filters.filter_miner import FilterMiner
from gomkcn.mining.filters.neighbourhoods import structure_codes
from gomkcn.mining.significance.null_models import null_model
from gomkcn.mining.significance.random_graphs import RandomGraphs, sample_null
from gomkcn.mining.structures.mined_graph import MinedGraph
from gomkcn_dgl.csr import csr_from_edges
from gomkcn_dgl.errors import InputError
from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from gomkcn_dgl.runtime.job import TimeUpError
from gomkcn_dgl.runtime.steps import Steps
from gomkcn_dgl.subgraphs import extract_subgraphs


def key(graph):
    return Structure.from_networkx(nx.convert_node_labels_to_integers(graph)).key


def keys(miner):
    return [one.structure.key for one in miner.filters_]


@pytest.mark.parametrize(
    ("values", "weights", "random", "number", "chosen", "exceeds"),
    [
        # without random graphs: what adds most, of equal ones the first, what adds nothing never
        (np.eye(3), [9, 7, 5], [], 2, [0, 1], [True, True]),
        (np.eye(3), [5, 5, 5], [], 3, [0, 1, 2], [True] * 3),
        (np.eye(3)[:, [0, 0, 1]], [2, 9, 1], [], 3, [2, 0], [True, True]),
        # 12 at once, then the rest: 9 are covered by .6 already, and 7 not at all
        (np.array([[1, 0.6], [0, 0.6], [0, 0]]), [9, 12, 0], [], 2, [1, 0], [True, True]),
        # what random graphs have as well is not chosen, or last where a number is given
        (np.eye(3), [9, 7, 5], [[9, 0, 0], [9, 0, 0]], None, [1, 2], [True, True]),
        (np.eye(3), [9, 7, 5], [[9, 0, 0], [9, 0, 0]], 3, [1, 2, 0], [True, True, False]),
        (np.eye(3), [9, 7, 5], [[9, 0, 0], [9, 0, 0]], 1, [1], [True]),
        # three roots more are chance, and so are three standard deviations of 12 ± 2: of three
        # random graphs 22.2 stand for them
        (np.eye(3), [3, 3.5, 0], [[0, 0, 0]] * 3, None, [1], [True]),
        (np.eye(3), [59, 60, 0], [[10, 10, 0], [12, 12, 0], [14, 14, 0]], None, [1], [True]),
        (np.eye(3), [9, 7, 5], [[9, 7, 5]] * 4, None, [], []),
        # the first is a part of both others, which leave it nothing to cover
        (np.array([[0.6, 1, 0], [0.6, 0, 1], [0, 0, 0]]), [10, 10, 0], [[0] * 3] * 2, None,
         [1, 2], [True, True]),
        (np.array([[0.6, 1, 0], [0.6, 0, 1], [0, 0, 0]]), [10, 10, 0], [[0] * 3] * 2, 3,
         [0, 1, 2], [True] * 3),
    ],
)  # fmt: skip
def test_a_hand_worked_cover(values, weights, random, number, chosen, exceeds):
    random = np.array(random, float).reshape(-1, 3)
    assert cover(values, np.array(weights), random, number) == (chosen, exceeds)


def plain_cover(values, weights, random, number):
    """Candidate after candidate, root after root."""
    kinds, candidates = values.shape

    def excess_of(candidate, covered, margin):
        added = [max(0.0, values[kind, candidate] - covered[kind]) for kind in range(kinds)]
        gain = sum(added[kind] * weights[kind] for kind in range(kinds))
        if gain <= 1e-4:
            return None
        if not len(random):
            return gain
        beside = [sum(added[kind] * row[kind] for kind in range(kinds)) for row in random]
        mean = sum(beside) / len(beside)
        sd = (sum((one - mean) ** 2 for one in beside) / (len(beside) - 1)) ** 0.5
        return gain - mean - margin * sd - 3

    def cover_of(some):
        return [max([values[kind, one] for one in some], default=0.0) for kind in range(kinds)]

    chosen, exceeds = [], []
    while len(chosen) < (MOST_FILTERS if number is None else number):
        found = {
            one: excess
            for one in range(candidates)
            if (excess := excess_of(one, cover_of(chosen), margin_of(len(random)))) is not None
        }
        best = max(found, key=found.get, default=None)
        if best is None or (number is None and found[best] <= 0):
            break
        chosen.append(best)
        exceeds.append(found[best] > 0)
    while number is None and len(chosen) > 1:
        added = {
            one: excess_of(one, cover_of([other for other in chosen if other != one]), 0.0)
            for one in chosen
        }
        least = min(added, key=lambda one: -np.inf if added[one] is None else added[one])
        if added[least] is not None and added[least] > 0:
            break
        chosen.remove(least)
    return chosen, exceeds[: len(chosen)] if number is None else exceeds


@pytest.mark.parametrize("number", [None, 1, 4, 30])
@pytest.mark.parametrize("num_random", [0, 2, 5])
def test_a_cover_is_that_of_plain_loops(number, num_random):
    lengths = set()
    for seed in range(15):
        rng = np.random.default_rng(seed)
        values = rng.random((8, 10)) * (rng.random((8, 10)) < 0.3)
        weights = rng.integers(0, 40, 8)
        random = rng.integers(0, 12, (num_random, 8))
        expected = plain_cover(values, weights, random, number)
        assert cover(values, weights, random, number) == expected
        lengths.add(len(expected[0]))
    assert lengths == {number} if number in (1, 4) else len(lengths) > 2


def test_no_more_than_a_dozen_are_chosen_where_nobody_says_how_many():
    weights = np.full(20, 100)
    chosen, _ = cover(np.eye(20), weights, np.zeros((2, 20)), None)
    assert chosen == [*range(12)]
    assert len(cover(np.eye(20), weights, np.zeros((2, 20)), 15)[0]) == 15


@pytest.mark.parametrize("number", [2, 4, 10])
def test_few_random_graphs_exceed_themselves_as_rarely_as_many(number):
    """Of draws of a normal distribution 1.35 of 1,000 lie three standard deviations above it."""
    drawn = np.random.default_rng(0).standard_normal((400_000, number + 1))
    known, another = drawn[:, :-1], drawn[:, -1]
    exceeding = another > known.mean(axis=1) + margin_of(number) * known.std(axis=1, ddof=1)
    # 540 are expected
    assert abs(exceeding.sum() - 540) < 4 * 540**0.5
    assert margin_of(0) == margin_of(1) == 0


def test_surprise_is_minus_the_logarithm_of_the_copies_at_a_node():
    shapes = [nx.complete_graph(3), nx.complete_graph(4), nx.path_graph(4), nx.empty_graph(1)]
    links = np.zeros((4, 5, 5), np.uint16)
    for row, shape in zip(links, shapes, strict=True):
        row[: len(shape), : len(shape)] = nx.to_numpy_array(shape)
    sizes = np.array([3, 4, 4, 1])
    # V^2 (k / V)^3 triangles at a node, and V^3 (k / V)^6 cliques of four nodes
    expected = [-np.log(1000**2 * 0.003**3), -np.log(1000.0**3 * 0.003**6), 0.5, 0.5]
    np.testing.assert_allclose(surprise(links, sizes, 1000, 3.0), expected)
    # links of any number are edges, and fewer edges than nodes leave it finite
    np.testing.assert_allclose(surprise(7 * links, sizes, 1000, 3.0), expected)
    assert np.isfinite(surprise(links, sizes, 1, 0.0)).all()


def test_nine_of_ten_random_graphs_have_no_filter_and_that_is_said():
    found = 0
    for seed in range(10):
        miner = FilterMiner().fit(nx.gnm_random_graph(200, 300, seed=seed))
        if miner.filters_:
            found += 1
            continue
        assert miner.num_random_graphs_ == 10
        assert miner.note_ == (
            "The graph has no structure of 3 to 8 nodes more often than 10 random graphs with its "
            "degrees, in the subgraphs around 200 nodes; without this contrast, filters are the "
            "most frequent ones."
        )
        assert (miner.labels_ == -1).all() and miner.responses_.shape == (200, 0)
        assert np.isnan(miner.similarities_).all() and not miner.is_exact_.any()
        assert (miner.subgraph_nodes_ == -1).all() and (miner.matching_ == -1).all()
        assert miner.n_iter_ == 0
    assert found <= 1


@pytest.mark.parametrize("seed", range(3))
def test_a_draw_of_the_configuration_model_has_no_filter(seed):
    # with hubs, and with triangles
    given = as_csr(nx.powerlaw_cluster_graph(200, 2, 0.8, seed=seed))
    assert FilterMiner().fit(given).filters_
    assert FilterMiner().fit(sample_null(given, seed=seed)).filters_ == ()


@pytest.mark.parametrize("links", [1, 2, 3])
def test_a_motif_with_a_node_that_hangs_from_it_is_no_filter(links):
    motifs = {key(one): one for one in (OCTAHEDRON, HOUSE6)}
    for seed in range(2):
        graph, _ = plant(tree(120, seed), [(OCTAHEDRON, 8), (HOUSE6, 8)], seed, links)
        miner = FilterMiner().fit(graph)
        assert motifs.keys() <= {*keys(miner)}
        for one in miner.filters_:
            core = nx.k_core(nx.Graph(one.structure.edges), 2)
            assert len(core) == one.structure.num_nodes or not core or key(core) not in motifs


HOUSE = nx.house_graph()


@pytest.mark.parametrize("is_fixed", [True, False])
def test_a_node_that_hangs_from_the_same_place_is_part_of_the_motif(is_fixed):
    with_tail = nx.Graph([*HOUSE.edges, (4, 5)])
    graph, _ = plant(tree(120, 4), [(with_tail, 14)] if is_fixed else [(HOUSE, 14)], seed=4)
    assert (key(with_tail) in keys(FilterMiner().fit(graph))) == is_fixed


def test_of_several_nodes_that_hang_none_is_part_of_the_motif():
    """Beside a motif and its links to the host, paths of two nodes come back by chance."""
    with_two = nx.Graph([*HOUSE.edges, (4, 5), (4, 6)])
    graph, _ = plant(tree(120, 1), [(with_two, 14)], seed=3)
    found = keys(FilterMiner().fit(graph))
    assert key(HOUSE) in found and key(with_two) not in found


def categorised(graph, colors, number=2):
    """The graph with a category of each node."""
    names = [f"kind={k}" for k in range(number)]
    columns = np.eye(number, dtype=np.float32)[colors]
    return replace(as_csr(graph), features=columns, feature_names=tuple(names))


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_place_is_that_of_a_node_of_the_same_category(is_marked):
    """All nodes of a clique are alike, but for one of another category, from which a node hangs."""
    with_tail = nx.lollipop_graph(4, 1)
    graph, (copies,) = plant(tree(120), [(with_tail, 14)], seed=3)
    colors = np.zeros(len(graph), int)
    for own in map(graph.subgraph, copies):
        (leaf,) = (node for node in own if own.degree(node) == 1)
        colors[[*own[leaf]]] = is_marked
    miner = FilterMiner(filter_size="4-5").fit(categorised(graph, colors))
    found = {one.structure.alone.key for one in miner.filters_}
    assert key(nx.complete_graph(4)) in found and (key(with_tail) in found) == is_marked


FIVE = (nx.complete_graph(4), HOUSE, PRISM, THETA7, CUBE)


@pytest.mark.parametrize("seed", range(2))
def test_motifs_of_four_to_eight_nodes_are_found_together(seed):
    graph, copies = plant(tree(250, seed), [(one, 10) for one in FIVE], seed)
    miner = FilterMiner().fit(graph)
    found = {one.structure.key: one for one in miner.filters_}
    for motif, own in zip(FIVE, copies, strict=True):
        one = found[key(motif)]
        assert one.exceeds and one.size == len(motif) and one.instances.value >= len(own)
        assert one.random_instances.num_graphs == 10
        assert one.instances.value > one.random_instances.mean + 3 * one.random_instances.sd
    assert len(found) == len(miner.filters_) <= 12


def test_first_comes_what_is_furthest_beyond_chance():
    """By the roots that show a filter beyond those in random graphs, times its surprise."""
    motifs = [(nx.cycle_graph(5), 12), (nx.complete_graph(5), 4)]
    graph, _ = plant(tree(150, 2), motifs, seed=2)
    miner = FilterMiner().fit(graph)
    own = MinedGraph.of(graph).graph
    random = RandomGraphs(null_model("degree", own), own, 0)
    drawn = [random.draw(number) for number in range(10)]
    num_nodes, degree = len(graph), 2 * graph.size() / len(graph)
    beyond = []
    for number, one in enumerate(miner.filters_):
        edges, size = len(one.structure.edges), one.structure.num_nodes
        nats = (edges - size + 1) * np.log(num_nodes) - edges * np.log(degree)
        batches = [extract_subgraphs(other, miner.bank_.settings_of(size)) for other in drawn]
        code = miner.bank_.code(number)
        roots = [(structure_codes(one.links, one.num_nodes) == code).sum() for one in batches]
        beyond.append((one.exact.value - np.mean(roots)) * max(nats, 0.5))
    # twelve rings of five nodes are less than four cliques, and more than many stars
    found = keys(miner)
    assert found[:2] == [key(nx.complete_graph(5)), key(nx.cycle_graph(5))]
    assert beyond == sorted(beyond, reverse=True) and len(beyond) > 2


def test_as_many_as_were_asked_for_those_that_exceed_random_graphs_first():
    graph, _ = plant(tree(120), [(PRISM, 8), (K33, 8)], seed=1)
    by_itself = FilterMiner().fit(graph)
    assert {key(PRISM), key(K33)} <= {*keys(by_itself)}
    assert all(one.exceeds for one in by_itself.filters_)
    for number in (1, 2, 9):
        miner = FilterMiner(number).fit(graph)
        exceeds = [one.exceeds for one in miner.filters_]
        assert len(exceeds) == number and exceeds == sorted(exceeds, reverse=True)
        assert exceeds[0]
    assert not exceeds[-1] and {key(PRISM), key(K33)} <= {*keys(miner)}
    assert f"3 to 8 nodes. Of {sum(exceeds)} of 9 the graph has more than 10 " in miner.note_
    # nothing of a random graph does
    graph = nx.gnm_random_graph(200, 300, seed=0)
    miner = FilterMiner(5).fit(graph)
    assert [one.exceeds for one in miner.filters_] == [False] * 5
    assert all(one.structure.num_nodes > 1 for one in miner.filters_)


@pytest.mark.parametrize(
    "graph",
    [
        *map(nx.empty_graph, (1, 2)),
        nx.path_graph(2),
        nx.complete_graph(3),
        nx.cycle_graph(5),
        nx.star_graph(6),
        nx.complete_graph(5),
    ],
)
def test_nothing_comes_back_in_a_tiny_graph(graph):
    for contrast in ("auto", True):
        for number in ("auto", 3):
            miner = FilterMiner(number, contrast=contrast).fit(graph)
            if graph.size() or contrast is True:
                assert miner.filters_ == () and miner.num_random_graphs_ == 10
            else:
                (one,) = miner.filters_
                assert one.name == "single node" and one.instances.value == len(graph)
                assert "the graph has no edges" in miner.note_


def test_a_dense_host_and_one_of_two_sides():
    dense, _ = plant(nx.gnp_random_graph(60, 0.25, seed=1), [(nx.complete_graph(7), 6)])
    assert key(nx.complete_graph(7)) in keys(FilterMiner().fit(dense))
    assert FilterMiner().fit(nx.gnp_random_graph(60, 0.25, seed=1)).filters_ == ()
    # random graphs of two sides have two as well, so that even cycles are none by themselves
    host = nx.bipartite.gnmk_random_graph(70, 70, 200, seed=2)
    assert FilterMiner().fit(host).filters_ == ()
    graph = nx.disjoint_union(host, side_by_side((K33, 8)))
    graph.add_edges_from((9 * k, 140 + 6 * k + 3 * (9 * k < 70)) for k in range(8))
    assert nx.is_bipartite(graph)
    miner = FilterMiner().fit(graph)
    assert key(K33) in keys(miner)


def test_directed_loops_with_relations_are_found():
    """A activates B and C, B represses C; the host has as many edges of each relation."""
    rng = np.random.default_rng(0)
    source, target = rng.integers(150, size=(2, 200))
    first = 150 + 3 * np.arange(15)
    source = np.concatenate([source, first, first, first + 1, first + 2])
    target = np.concatenate([target, first + 1, first + 2, first + 2, rng.integers(150, size=15)])
    relation = np.concatenate([rng.integers(2, size=200), np.repeat([0, 0, 1], 15), [1] * 15])
    graph = csr_from_edges(
        source, target, 195, relation=relation, relation_names=["activates", "represses"],
        directed=[True, True],
    )  # fmt: skip
    miner = FilterMiner().fit(graph)
    loop = Structure.parse("a-[activates]->b, a-[activates]->c, b-[represses]->c")
    (one,) = (one for one in miner.filters_ if one.structure.key == loop.key)
    assert one.instances.value >= 15 and one.exceeds
    # in the other direction, or of other relations, it is another structure
    nothing = FilterMiner().fit(sample_null(graph, seed=1))
    assert loop.key not in keys(nothing)


def test_a_motif_with_categories_is_found():
    """Rings of six with one node of a rare category, in a tree that has as many of them."""
    host = tree(100)
    graph, (copies,) = plant(host, [(nx.cycle_graph(6), 10)], seed=2)
    colors = np.zeros(len(graph), int)
    colors[[min(one) for one in copies]] = 1
    rng = np.random.default_rng(0)
    colors[rng.choice([*set(graph) - set().union(*copies)], 10, replace=False)] = 1
    miner = FilterMiner().fit(categorised(graph, colors))
    ring = Structure.from_networkx(nx.cycle_graph(6)).with_categories(
        (("kind=1",), *[("kind=0",)] * 5)
    )
    (one,) = (one for one in miner.filters_ if one.structure.key == ring.key)
    assert one.instances.value == 10


def test_a_collection_and_parts_that_nothing_joins(monkeypatch):
    sizes = []
    choose = filter_learner.choose_contrasting
    monkeypatch.setattr(
        filter_learner,
        "choose_contrasting",
        lambda *given: sizes.append(given[2:4]) or choose(*given),
    )
    graphs = [plant(tree(12, seed), [(PRISM, 1)], seed)[0] for seed in range(12)]
    for given in (graphs, nx.disjoint_union_all(graphs)):
        miner = FilterMiner().fit(given)
        (one,) = (one for one in miner.filters_ if one.structure.key == key(PRISM))
        assert (one.instances.value, one.disjoint_instances) == (12, 12)
    # nodes of a graph, and neighbours of a node: of 18 nodes the 12 of a tree have 11 edges
    assert np.allclose(sizes, [(18, 2 * (11 + 9 + 1) / 18), (12 * 18, 2 * (11 + 9 + 1) / 18)])
    assert {near.graph for near in FilterMiner().fit(graphs).filters_[0].nearest} > {0}


def test_molecules_are_not_compared_and_that_is_said():
    ring = [(0, 1, "single"), (1, 2, "double"), (2, 0, "single")]
    graph = nx.Graph()
    for k in range(6):
        graph.add_edges_from((3 * k + u, 3 * k + v, {"relation": one}) for u, v, one in ring)
    source, target, relation = zip(
        *((u, v, ["single", "double"].index(one["relation"])) for u, v, one in graph.edges.data()),
        strict=True,
    )
    csr = csr_from_edges(
        source, target, 18, relation=np.array(relation), relation_names=["single", "double"]
    )
    miner = FilterMiner().fit(csr)
    assert miner.num_random_graphs_ == 0 and miner.bank_.subgraph_sizes == [6]
    assert [one.instances.value for one in miner.filters_] == [6]
    assert miner.filters_[0].random_instances is None and not miner.filters_[0].exceeds
    assert miner.note_.endswith(
        "There are no random graphs to compare with: in those of molecules atoms have neighbours "
        "that chemistry rules out."
    )
    # where it is asked for, they are
    assert FilterMiner(contrast=True).fit(csr).num_random_graphs_ == 10


def test_several_sizes_need_random_graphs():
    graph = nx.cycle_graph(6)
    with pytest.raises(
        InputError, match="^filter_size must be one number where there are no random "
    ):
        FilterMiner(filter_size="3-8", contrast=False).fit(graph)
    with pytest.raises(InputError, match=r"\(the graph has no edges\), got '3-4'; give one size"):
        FilterMiner(filter_size="3-4").fit(nx.empty_graph(3))
    with pytest.raises(InputError, match="^contrast must be False where filters start at random"):
        FilterMiner(contrast=True, learning=FilterLearning(init="random")).fit(graph)
    with pytest.raises(InputError, match="^contrast must be True, False or 'auto', got 'yes'"):
        FilterMiner(contrast="yes").fit(graph)


def test_a_graph_of_many_edges_is_not_compared(monkeypatch):
    monkeypatch.setattr("gomkcn.mining.filters.filter_miner.MOST_CONTRAST_EDGES", 5)
    miner = FilterMiner(2).fit(nx.cycle_graph(6))
    assert miner.num_random_graphs_ == 0
    assert "drawing them takes minutes above 5 edges" in miner.note_


@pytest.mark.parametrize(("looks", "drawn"), [(0, 0), (3, 0), (9, 3)])
def test_random_graphs_that_time_ends_are_done_without_and_that_is_said(looks, drawn):
    graph, _ = plant(tree(60), [(PRISM, 6)], seed=1)
    miner = FilterMiner().fit(graph, steps=Steps(interrupts=EndsAfter(looks)))
    assert miner.is_partial_ and (miner.num_random_graphs_ >= 3) == (drawn >= 3)
    if not drawn:
        assert miner.num_random_graphs_ == 0 and {one.size for one in miner.filters_} == {8}
        assert miner.note_.startswith("Filters represent the most frequent subgraphs of 8 nodes")
        assert miner.note_.endswith("compare with: time was up before there were three.")
    else:
        assert f"than {miner.num_random_graphs_} random graphs" in miner.note_


@pytest.mark.parametrize("number", [None, 5])
def test_tensors_are_covered_as_arrays_are(number):
    rng = np.random.default_rng(3)
    values, weights = rng.random((40, 12)), rng.poisson(4, 40).astype(float)
    random_weights = rng.poisson(1, (4, 40)).astype(float)
    # a candidate twice: of equally good ones the first is taken
    values = np.concatenate([values, values], axis=1)
    expected = cover(values, weights, random_weights, number)
    tensors = map(torch.from_numpy, (values, weights, random_weights))
    assert cover(*tensors, number) == expected
    assert expected[0] and max(expected[0]) < 12


@pytest.mark.parametrize(("drawn", "compared"), [(0, 0), (2, 0), (3, 3), (10, 10)])
def test_three_random_graphs_are_enough_where_time_is_up(drawn, compared, monkeypatch):
    draw = RandomGraphs.draw

    def late(self, number):
        if number >= drawn:
            raise TimeUpError
        return draw(self, number)

    monkeypatch.setattr(RandomGraphs, "draw", late)
    graph, _ = plant(tree(60), [(PRISM, 6)], seed=1)
    miner = FilterMiner().fit(graph)
    assert miner.num_random_graphs_ == compared and miner.is_partial_ == (drawn < 10)
    assert key(PRISM) in keys(miner) or not compared


def test_the_limit_on_the_number_of_filters_is_said_where_it_is_reached():
    crowded = FilterMiner().fit(nx.watts_strogatz_graph(400, 6, 0.1, seed=1))
    assert len(crowded.filters_) == MOST_FILTERS
    said = f"No more than {MOST_FILTERS} are chosen, and there may be others."
    assert said in crowded.note_
    few = FilterMiner().fit(plant(tree(200), [(OCTAHEDRON, 5)], seed=0)[0])
    assert len(few.filters_) < MOST_FILTERS and said not in few.note_


@pytest.mark.parametrize("wanted", [True, False])
def test_truth_values_of_numpy_are_truth_values(wanted):
    # as those of a grid of parameters are
    graph = plant(tree(60), [(OCTAHEDRON, 3)], seed=0)[0]
    miner = FilterMiner(contrast=np.bool_(wanted)).fit(graph)
    assert (miner.num_random_graphs_ > 0) == wanted
