"""Lists of places: all, each once, in the pattern's order, or a sample of different ones."""

import networkx as nx
import numpy as np
import pytest
from random_graphs import channels_of_graph, connected_part, random_graph

from gomkcn_dgl.graph import as_csr
from gomkcn_dgl.graphs.structure import Structure
from mining.counting.counter import choose_sampler, list_places
from mining.counting.exact_search import ExactSearch, count_by_graph


@pytest.mark.parametrize("with_colors", [False, True])
def test_all_places_in_the_order_of_the_pattern(with_colors):
    rng = np.random.default_rng(int(with_colors))
    for _ in range(20):
        graph, kinds = random_graph(rng, 12, int(rng.integers(15, 40)))
        channels = channels_of_graph(graph)
        pattern, order = connected_part(rng, graph, int(rng.integers(1, 5)))
        colors = (kinds[order], kinds) if with_colors else None
        places, complete = list_places(graph, pattern, colors)
        assert complete
        assert len(places) == count_by_graph(graph, pattern, colors=colors).sum()
        assert len(np.unique(np.sort(places, axis=1), axis=0)) == len(places)
        # links and colours agree node by node
        found = channels[places[:, :, None], places[:, None, :]]
        assert (found == pattern.channels).all()
        assert colors is None or (kinds[places] == kinds[order]).all()


def test_a_sample_is_uniform_and_of_the_chosen_mappings():
    graph = as_csr(nx.barabasi_albert_graph(40, 3, seed=2))
    house = Structure.from_networkx(nx.house_graph())
    places, complete = list_places(graph, house)
    assert complete
    known = {tuple(place) for place in places.tolist()}
    sample, complete = list_places(graph, house, most=50, seed=1)
    assert (sample.shape, complete) == ((50, 5), False)
    # which of the mappings that differ by a symmetry is listed does not depend on how it was found
    assert {tuple(place) for place in sample.tolist()} < known
    assert len(np.unique(sample, axis=0)) == 50
    search = ExactSearch(graph, house)
    drawn = search.structure.choose_mappings(choose_sampler(search, 0).draw_places(0, 400, 3))
    sets, counts = np.unique(drawn, axis=0, return_counts=True)
    expected = len(drawn) / len(known)
    chi_square = ((counts - expected) ** 2 / expected).sum() + (len(known) - len(sets)) * expected
    assert abs(chi_square - len(known)) < 5 * np.sqrt(2 * len(known))


# where more places are known than may be held, they are drawn in place of a search for all
@pytest.mark.parametrize("known", [0, 10**6])
def test_a_sample_comes_from_the_whole_graph(known):
    """Of the 20,000 places along a path 1,000 are listed, whose middle is that of the path."""
    path, wedge = as_csr(nx.path_graph(20_002)), Structure.parse("path-3")
    places, complete = list_places(path, wedge, most=1000, max_steps=1 << 20, known=known, seed=1)
    assert (len(np.unique(places, axis=0)), complete) == (1000, False)
    error = 20_000 / np.sqrt(12 * 1000)
    assert abs(places.mean() - 10_000.5) < 4 * error


def test_places_within_limits_of_work_are_the_same_again():
    graph = as_csr(nx.barabasi_albert_graph(400, 6, seed=2))
    house = Structure.from_networkx(nx.house_graph())
    some, complete = list_places(graph, house, most=100, max_steps=1 << 20)
    assert not complete
    assert 0 < len(some) <= 100
    again, _ = list_places(graph, house, most=100, max_steps=1 << 20)
    assert (some == again).all()
    # enough steps list all, of which others are a sample
    places, complete = list_places(graph, house, most=10**6, max_steps=1 << 27)
    assert complete
    sample, complete = list_places(graph, house, most=len(places) - 1, max_steps=1 << 27)
    assert not complete
    assert {tuple(row) for row in sample.tolist()} < {tuple(row) for row in places.tolist()}


def test_what_is_too_rare_to_be_drawn_is_listed_as_far_as_the_search_came():
    # one triangle in many paths of three nodes
    graph = nx.star_graph(20_000)
    graph.add_edges_from([(1, 2), (3, 4)])
    triangle = Structure.parse("triangle")
    places, complete = list_places(as_csr(graph), triangle, most=1, max_steps=1 << 20)
    assert (len(places), complete) == (1, False)
    assert set(places[0].tolist()) in ({0, 1, 2}, {0, 3, 4})
