"""Estimates and samples beside exact counts: unbiased, uniform, and the same on any machine."""

import itertools
from math import comb

import networkx as nx
import numba
import numpy as np
import pytest
from exact_counts import count_by_graph
from random_graphs import channels_of_graph, connected_part, random_graph
from scipy.stats import t as student_t

from gomkcn.mining.counting import counter
from gomkcn.mining.counting.counter import (
    choose_sampler,
    count_query,
    draw_roots,
    estimate_from_roots,
    estimate_from_share,
    estimate_occurrences,
    interval,
    list_query,
)
from gomkcn.mining.counting.occurrence_search import (
    OccurrenceSearch,
    SearchPace,
    find_candidates,
)
from gomkcn.mining.counting.pattern_counts import count_at_level
from gomkcn.mining.counting.query import INDUCED, SUBGRAPH, Query
from gomkcn.mining.counting.tree_sampler import (
    DRAWS_OF_A_BLOCK,
    STRIDE,
    TreeSampler,
    spanning_trees,
)
from gomkcn_dgl import as_csr
from gomkcn_dgl.graphs.structure import Structure

HUBS, RING = as_csr(nx.barabasi_albert_graph(60, 4, seed=1)), Structure.parse("ring-5")
HOUSE = Structure.parse("house")


def deviation(graph, pattern, truth, seed, num_blocks, colors=None, reading=INDUCED):
    """How many standard errors the estimate of some blocks of draws is away from the truth."""
    search = OccurrenceSearch(Query.of_structure(graph, pattern, colors, reading))
    sampler = choose_sampler(search, 0)
    scale = sampler.num_ways / search.structure.num_automorphisms
    low, mean, high = (scale * one for one in interval(sampler.draw_shares(0, num_blocks, seed)))
    return (mean - truth) / ((high - low) / 3.92)


@pytest.fixture(scope="module")
def pairs():
    """Patterns in graphs, with the number of their occurrences."""
    graphs = [HUBS, as_csr(nx.gnp_random_graph(60, 0.15, seed=2))]
    names = ["path-4", "path-5", "star-4", "triangle", "clique-4", "ring-4", "ring-5", "paw",
             "house"]  # fmt: skip
    patterns = list(map(Structure.parse, names))
    return [(one, each, count_by_graph(one, each).sum()) for one in graphs for each in patterns]


def test_estimates_vary_as_much_as_their_intervals_say(pairs):
    deviations = [deviation(*pair, seed, 4) for pair in pairs for seed in range(1, 13)]
    # the variance of so many is 1 ± .1
    assert len(deviations) == 216
    assert 0.8 < np.mean(np.square(deviations)) < 1.35


@pytest.mark.parametrize("with_colors", [False, True])
def test_estimates_with_directions_and_relations_agree_with_exact_counts(with_colors):
    rng, deviations = np.random.default_rng(int(with_colors)), []
    while len(deviations) < 12:
        graph, kinds = random_graph(rng, 14, int(rng.integers(20, 60)))
        pattern, order = connected_part(rng, graph, int(rng.integers(2, 6)))
        colors = (kinds[order], kinds) if with_colors else None
        truth = count_by_graph(graph, pattern, colors=colors).sum()
        assert truth > 0
        deviations.append(deviation(graph, pattern, truth, 1, 8, colors))
    assert np.abs(deviations).max() < 3.5
    assert abs(np.mean(deviations)) < 1


def test_estimates_of_what_need_not_be_induced_agree_with_exact_counts():
    """Where several links may join two nodes: with directions, relations and colours, and not."""
    rng, deviations = np.random.default_rng(0), []
    while len(deviations) < 24:
        graph, kinds = random_graph(rng, 14, int(rng.integers(20, 60)))
        pattern, order = connected_part(rng, graph, int(rng.integers(3, 6)))
        colors = (kinds[order], kinds) if len(deviations) % 2 else None
        search = OccurrenceSearch(Query.of_structure(graph, pattern, colors, SUBGRAPH))
        search.run()
        truth = search.count.sum()
        deviations.append(deviation(graph, pattern, truth, 1, 8, colors, SUBGRAPH))
    assert np.abs(deviations).max() < 3.5
    assert abs(np.mean(deviations)) < 0.7
    # a hub has so many stars that no search counts them: of five edges at each of 3,000 leaves
    star = as_csr(nx.star_graph(3000))
    found, _ = count_query(
        Query.of_structure(star, Structure.parse("star-6"), reading=SUBGRAPH), max_steps=10**6
    )
    assert found.low <= comb(3000, 5) <= found.high and not found.is_exact


def test_draws_go_on_until_the_interval_is_as_narrow_as_was_asked_for(pairs):
    for graph, pattern, truth in pairs:
        found = estimate_occurrences(
            OccurrenceSearch(Query.of_structure(graph, pattern)), 0.05, 10**9, 0
        )
        assert found.state == "estimated" and found.low < found.value < found.high
        assert (found.high - found.low) / 2 <= 0.05 * found.value
        assert abs(found.value - truth) < 0.1 * truth


def test_an_estimate_takes_no_more_steps_than_it_may():
    sampler, results = choose_sampler(OccurrenceSearch(Query.of_structure(HUBS, RING)), 0), []
    draw = sampler.draw_shares
    sampler.draw_shares = lambda *blocks: results.append(draw(*blocks)) or results[-1]
    # an error that no interval reaches
    counter._estimate_share(sampler, 1e-9, 10**7, 0)
    drawn = np.concatenate(results)
    spent = 128 * DRAWS_OF_A_BLOCK * len(drawn) + 8 * drawn[:, 3].sum()
    assert len(results) > 2 and 0.8 * 10**7 < spent < 1.05 * 10**7


def test_the_number_of_threads_does_not_matter():
    # many pieces, and many looks at the limit
    pace = SearchPace(steps_of_a_look=100, steps_of_a_piece=10)
    search = OccurrenceSearch(Query.of_structure(HUBS, RING), pace)
    before = numba.get_num_threads()
    results = []
    try:
        for threads in (1, before):
            numba.set_num_threads(threads)
            results.append(choose_sampler(search, 0).draw_shares(3, 16, 5))
            # whether steps are enough depends on them alone
            search.run()
            needed, count = search.steps, search.count.sum()
            search.run(max_steps=needed)
            assert (search.unfinished, search.steps, search.count.sum()) == (False, needed, count)
            search.run(max_steps=needed - 1)
            assert search.unfinished
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(*results)
    # blocks are numbered: the same draws in two parts
    sampler = choose_sampler(search, 0)
    parts = [sampler.draw_shares(3, 10, 5), sampler.draw_shares(13, 6, 5)]
    np.testing.assert_array_equal(np.concatenate(parts), results[0])


def test_wilson_s_interval_of_hits_and_misses_with_a_quantile_for_so_many_hits():
    low, mean, high = interval(np.array([[12.0, 12.0, 12.0, 0.0]]))
    assert mean == 12 / 1024
    # the shares from which this mean is as far away as 12 hits let it be
    for end in (low, high):
        assert abs(mean - end) == pytest.approx(
            student_t.ppf(0.975, 11) * np.sqrt(end * (1 - end) / 1024)
        )
    # without a hit: that many draws would miss it with a probability of 5 %
    low, mean, high = interval(np.zeros((3, 4)))
    assert (low, mean) == (0, 0)
    assert (1 - high) ** (3 * DRAWS_OF_A_BLOCK) == pytest.approx(0.05)


def test_mappings_of_trees_are_counted():
    whole = nx.gnp_random_graph(7, 0.6, seed=4)
    graph = as_csr(whole)
    query = Query.of_structure(graph, Structure.parse("house"))
    candidates = find_candidates(query)
    for tree in itertools.islice(spanning_trees(query.structure, graph.degrees), 4):
        edges = [(p, k) for k, p in enumerate(tree.parents.tolist()) if k]
        expected = sum(
            all(whole.has_edge(image[p], image[k]) for p, k in edges)
            and all(candidates[image[k]] >> tree.nodes[k] & 1 for k in range(5))
            for image in itertools.product(whole, repeat=5)
        )
        assert TreeSampler(query, candidates, tree).num_ways == expected


def assert_uniform(sets, number):
    """As often as of so many sets, each equally likely, by a chi-square."""
    _, counts = np.unique(sets, axis=0, return_counts=True)
    expected = len(sets) / number
    assert expected > 5
    chi_square = ((counts - expected) ** 2 / expected).sum() + (number - len(counts)) * expected
    assert abs(chi_square - number) < 5 * np.sqrt(2 * number)


def test_draws_from_long_rows_are_uniform():
    whole = nx.gnp_random_graph(2 * STRIDE, 0.8, seed=1)
    # leaves without a third neighbour are not candidates of a clique
    whole.add_edges_from((v, len(whole)) for v in range(40))
    whole.add_edges_from((v, 2 * STRIDE + 1 + v) for v in range(40))
    graph = as_csr(whole)
    assert max(graph.degrees) > 2 * STRIDE * 0.8
    query = Query.of_structure(graph, Structure.parse("triangle"))
    candidates = find_candidates(query)
    tree = next(spanning_trees(query.structure, graph.degrees))
    drawn = TreeSampler(query, candidates, tree).draw_places(0, 400, 7)
    assert_uniform(np.sort(drawn, axis=1), sum(nx.triangles(whole).values()) // 3)


def test_a_tree_is_chosen_once_for_what_it_follows_from(monkeypatch):
    """Of each graph, pattern, reading, colours and seed; draws are those of the first sampler."""
    made = []

    def make(query, candidates, tree):
        made.append(tree)
        return TreeSampler(query, candidates, tree)

    monkeypatch.setattr(counter, "TreeSampler", make)
    graphs = [as_csr(nx.barabasi_albert_graph(60, 4, seed=seed)) for seed in (1, 2)]
    kinds = np.arange(60) % 2
    for graph, pattern, kind, reading, seed in itertools.product(
        graphs, (HOUSE, Structure.parse("clique-4")), (None, 0, 1), (INDUCED, SUBGRAPH), (0, 1)
    ):
        colors = None if kind is None else (np.full(pattern.num_nodes, kind), kinds)

        def sampler(graph=graph, pattern=pattern, colors=colors, reading=reading, seed=seed):
            query = Query.of_structure(graph, pattern, colors, reading)
            return choose_sampler(OccurrenceSearch(query), seed)

        made.clear()
        first = sampler()
        # two are tried at least
        assert len(made) >= 2
        made.clear()
        again = sampler()
        assert len(made) == 1 and made[0] is first.tree
        assert (again.draw_places(0, 2, 5) == first.draw_places(0, 2, 5)).all()


def test_a_search_of_all_roots_is_an_exact_count_and_one_of_none_is_no_estimate(monkeypatch):
    cubes = [nx.random_regular_graph(3, 4000, seed=0), *[nx.cubical_graph()] * 60]
    graph, cube = as_csr(nx.disjoint_union_all(cubes)), Structure.from_networkx(cubes[1])
    search = OccurrenceSearch(Query.of_structure(graph, cube))
    count = estimate_from_roots(search, 0, 10**9, num_first=64)
    assert count.is_exact and count.value == 60
    # where no draw hits, it is the answer: one mapping of a tree in ten million shows a cube
    monkeypatch.setattr(counter, "_estimate_share", lambda *_: (0.0, 0.0, 1e-7))
    assert estimate_occurrences(search, 0.1, 10**9, 0) == count
    search = OccurrenceSearch(
        Query.of_structure(as_csr(cubes[0]), Structure.from_networkx(nx.circular_ladder_graph(3)))
    )
    search.run(draw_roots(search, 0.1, 0))
    assert estimate_from_share(search, 0.1) is None
    assert estimate_from_roots(search, 0, 1) is None


def test_estimates_from_roots_are_unbiased_and_intervals_hold():
    graph = as_csr(nx.random_geometric_graph(1500, 0.04, seed=1))
    clique = Structure.parse("clique-4")
    everything = count_by_graph(graph, clique).sum()
    search, counts = OccurrenceSearch(Query.of_structure(graph, clique)), []
    for seed in range(200):
        search.run(draw_roots(search, 0.25, seed))
        counts.append(estimate_from_share(search, 0.25))
    known = [one for one in counts if one is not None]
    assert len(known) > 190 and not any(one.is_exact for one in known)
    errors = np.array([one.value for one in known]) / everything - 1
    assert abs(errors.mean()) < 3 * errors.std() / np.sqrt(len(errors)) + 0.01
    assert 0.01 < errors.std() < 0.5
    assert np.mean([one.low <= everything <= one.high for one in known]) > 0.9


@pytest.mark.parametrize("with_colors", [False, True])
def test_all_places_in_the_order_of_the_pattern(with_colors):
    rng = np.random.default_rng(int(with_colors))
    for _ in range(20):
        graph, kinds = random_graph(rng, 12, int(rng.integers(15, 40)))
        channels = channels_of_graph(graph)
        pattern, order = connected_part(rng, graph, int(rng.integers(1, 5)))
        colors = (kinds[order], kinds) if with_colors else None
        number = count_by_graph(graph, pattern, colors=colors).sum()
        # as many as there are is room enough
        places, complete = list_query(Query.of_structure(graph, pattern, colors), most=number)
        assert complete and len(places) == number
        assert len(np.unique(np.sort(places, axis=1), axis=0)) == number
        # links and colours agree node by node
        found = channels[places[:, :, None], places[:, None, :]]
        assert (found == pattern.channels).all()
        assert colors is None or (kinds[places] == kinds[order]).all()


def test_a_sample_is_uniform_and_of_the_chosen_mappings():
    graph, house = as_csr(nx.barabasi_albert_graph(40, 3, seed=2)), Structure.parse("house")
    places, _ = list_query(Query.of_structure(graph, house))
    known = {tuple(place) for place in places.tolist()}
    sample, complete = list_query(Query.of_structure(graph, house), most=50, seed=1)
    assert (sample.shape, complete) == ((50, 5), False)
    # which of the mappings that differ by a symmetry is listed does not depend on how it was found
    assert {tuple(place) for place in sample.tolist()} < known
    assert len(np.unique(sample, axis=0)) == 50
    search = OccurrenceSearch(Query.of_structure(graph, house))
    drawn = search.structure.choose_mappings(choose_sampler(search, 0).draw_places(0, 400, 3))
    assert_uniform(drawn, len(known))


# where more places are known than may be held, they are drawn in place of a search for all
@pytest.mark.parametrize("known", [0, 10**6])
def test_a_sample_comes_from_the_whole_graph(known, monkeypatch):
    """Of the 20,000 places along a path 1,000 are listed, whose middle is that of the path."""
    if known:
        monkeypatch.delattr(OccurrenceSearch, "list_places")
    path, wedge = as_csr(nx.path_graph(20_002)), Structure.parse("path-3")
    places, complete = list_query(
        Query.of_structure(path, wedge), most=1000, max_steps=1 << 20, known=known, seed=1
    )
    assert (len(np.unique(places, axis=0)), complete) == (1000, False)
    error = 20_000 / np.sqrt(12 * 1000)
    assert abs(places.mean() - 10_000.5) < 4 * error


def test_what_is_too_rare_to_be_drawn_is_listed_as_far_as_the_search_came():
    # one triangle in many paths of three nodes
    graph = nx.star_graph(20_000)
    graph.add_edges_from([(1, 2), (3, 4)])
    triangle = Structure.parse("triangle")
    places, complete = list_query(
        Query.of_structure(as_csr(graph), triangle), most=1, max_steps=1 << 20
    )
    assert (len(places), complete) == (1, False)
    assert set(places[0].tolist()) in ({0, 1, 2}, {0, 3, 4})


def test_who_watches_is_told_the_share_and_ends_a_count():
    shares = []

    def until(last):
        return lambda share: shares.append(share) or share < last

    whole, _ = count_query(
        Query.of_structure(HUBS, RING), count_error=0.02, max_steps=10**9, watch=until(2)
    )
    assert whole.is_exact and whole.value == count_by_graph(HUBS, RING).sum()
    assert max(shares) < 0.5
    # what a search for all did not find in its half is estimated, in the other half
    shares.clear()
    truth = whole.value
    estimate, _ = count_query(
        Query.of_structure(HUBS, RING), count_error=0.001, max_steps=10**8, watch=until(0)
    )
    assert not estimate.is_exact and estimate.low < truth < estimate.high
    assert min(shares) < 0.5 <= max(shares) <= 1
    # a first part of the search is that share of its half
    assert any(0 < share < 0.03 for share in shares)
    longer, _ = count_query(
        Query.of_structure(HUBS, RING),
        count_error=0.001,
        max_steps=10**8,
        watch=lambda share: share >= 0.5,
    )
    assert longer.high - longer.low < estimate.high - estimate.low
    # a list ends with what there is
    assert list_query(Query.of_structure(HUBS, RING), most=10**6)[1]
    assert not list_query(Query.of_structure(HUBS, RING), most=10**6, watch=until(0))[1]


def count_in_one_graph(query, **limits):
    return count_at_level(query, "graph", **limits)


def steps_made(monkeypatch):
    """A list that the steps of each search are added to."""
    made, run = [], OccurrenceSearch.run

    def count_steps(search, *arguments, **options):
        run(search, *arguments, **options)
        made.append(search.steps)

    monkeypatch.setattr(OccurrenceSearch, "run", count_steps)
    return made


@pytest.mark.parametrize("count_all", [count_query, count_in_one_graph])
def test_no_search_for_more_occurrences_than_steps(monkeypatch, count_all):
    """The 50,063,860 cliques of 60 nodes are estimated after a twentieth of 10⁷ steps."""
    made = steps_made(monkeypatch)
    complete = Query.of_structure(as_csr(nx.complete_graph(60)), Structure.parse("clique-6"))
    count_all(complete, count_error=0.02, max_steps=10**7)
    # a search ends at the first look after the limit, every half a million steps
    assert len(made) == 2 and made[0] <= 550_000 and 500_000 <= made[1] <= 1_100_000


def test_the_search_goes_on_where_the_steps_may_be_enough(monkeypatch):
    made = steps_made(monkeypatch)
    search = OccurrenceSearch(Query.of_structure(HUBS, RING))
    search.run()
    (whole,), truth = made, search.count.sum()
    told = []
    count, graphs = count_query(search.query, max_steps=2 * whole, tell=told.append)
    assert count.is_exact and count.value == truth and graphs.all()
    # before the search goes on there is a rough estimate
    assert told and not any(estimate.is_exact for estimate in told)
    # what a search ends at is a part that is quick, a first part, then all
    assert len(made) == 4 and 5 * made[1] < made[2] < made[3] == whole
    # as many as there are: a triangle has six mappings
    complete = Query.of_structure(as_csr(nx.complete_graph(60)), Structure.parse("triangle"))
    assert count_query(complete, max_steps=10**5)[0].is_exact
    del made[4:]
    # fewer occurrences than steps, which are not enough, by less than a first look can tell
    most = 2 * whole // 3
    assert truth < most
    estimate, _ = count_query(search.query, max_steps=most)
    assert not estimate.is_exact and estimate.low < truth < estimate.high
    assert len(made) == 7 and made[6] > most


def test_no_search_where_the_first_occurrences_took_too_many_steps(monkeypatch):
    """There are fewer houses than steps, and each takes nine."""
    made = steps_made(monkeypatch)
    house = Query.of_structure(as_csr(nx.gnm_random_graph(200, 6000, seed=1)), HOUSE)
    search = OccurrenceSearch(house)
    search.run()
    (whole,), truth = made, search.count.sum()
    told = []
    estimate, _ = count_query(house, max_steps=whole // 4, tell=told.append)
    assert truth < whole // 4 and not estimate.is_exact
    assert estimate.low < truth < estimate.high
    # the first part alone, after what is quick
    assert len(made) == 3 and 10 * made[1] < made[2] < whole // 10
    # first a rough estimate, by draws of its own, and then better ones, up to what is returned
    assert len(told) >= 2 and told[-1] == estimate
    assert told[0].low < truth < told[0].high
    assert told[-1].high - told[-1].low < told[0].high - told[0].low
    # what a rough estimate cannot tell is searched on: with half of the steps, and most of them
    for share in (0.5, 0.8):
        made.clear()
        count_query(house, max_steps=int(share * whole))
        assert len(made) == 3 and made[1] < whole // 10 and made[2] > share * whole
